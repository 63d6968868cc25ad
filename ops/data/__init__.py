"""`td.data`: dataset ops and the `Dataset` class."""
