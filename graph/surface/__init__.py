"""What users see: which names are public, and what to do about names that are absent."""
