"""Models of Keras: `td.keras.Model`, what trains them, and what is told meanwhile."""
