"""`tensorflow.python.training.moving_averages`."""

from __future__ import annotations

from ...ops.variable_scopes.moving_averages import ExponentialMovingAverage, assign_moving_average

__all__ = ["ExponentialMovingAverage", "assign_moving_average"]
