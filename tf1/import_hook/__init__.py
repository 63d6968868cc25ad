"""`td.as_tensorflow`: makes `import tensorflow` import tensordraft."""
