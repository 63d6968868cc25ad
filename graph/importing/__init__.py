"""From GraphDefs to graphs: ordering nodes, decoding attrs, inlining function calls."""
