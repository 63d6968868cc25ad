"""Variable scopes: variables by their names, stores, getters, templates, the global step."""
