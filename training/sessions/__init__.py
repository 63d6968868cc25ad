"""Sessions for training, and the hooks that go with their runs."""
