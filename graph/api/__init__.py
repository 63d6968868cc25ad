"""The public surface: namespaces, this table, guards, hints for typos."""
