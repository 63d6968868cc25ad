"""Variables: references, resources, partitions, updates."""
