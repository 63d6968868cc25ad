"""Names, devices, collections, thread-local defaults."""
