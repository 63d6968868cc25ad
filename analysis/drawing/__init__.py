"""`td.draw`: layout of graphs, SVG and HTML."""
