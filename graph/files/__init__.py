"""Files on disk: graph files, large constants, event files, and the tables in them."""
