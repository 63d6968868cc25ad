"""`td.as_tensorflow`: `import tensorflow` gives tensordraft."""
