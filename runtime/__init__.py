"""Run-time support below graphs: errors, thread pools, time limits, kernel metadata."""
