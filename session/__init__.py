"""Running graphs: fetch structures, plans, the executor, and sessions."""
