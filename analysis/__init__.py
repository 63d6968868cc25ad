"""What follows from a graph before it runs, beyond its shapes: what it costs."""
