"""What is known before a run: `td.check_graph`, `td.cost`, contracts, lints."""
