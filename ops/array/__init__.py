"""Constants, shapes, casts, reshaping, joining, padding."""
