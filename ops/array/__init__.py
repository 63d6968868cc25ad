"""Moving elements: shapes, joining, splitting, padding, transposing, filling, casting."""
