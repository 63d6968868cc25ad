"""Plans in the making: what has to run, and the passes that make it less."""
