"""Static analysis of graphs: `td.check_graph`, `td.cost`, contracts, lints."""
