"""Variables: state, scopes and stores, initializers, updates, saving."""
