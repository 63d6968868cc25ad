"""Layers, losses, metrics, optimizers, schedules, training sessions, checkpoints."""
