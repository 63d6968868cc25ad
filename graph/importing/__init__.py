"""From GraphDef to graph: functions, loops and conditionals of 1.x."""
