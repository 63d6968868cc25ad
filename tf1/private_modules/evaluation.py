"""Names of `tensorflow.python.training.evaluation` that packages of the time import."""

from __future__ import annotations

from ..contrib.training.evaluation import (
    StopAfterNEvalsHook as _StopAfterNEvalsHook,
    evaluate_once as _evaluate_once,
    get_or_create_eval_step as _get_or_create_eval_step,
)

__all__ = ["_StopAfterNEvalsHook", "_evaluate_once", "_get_or_create_eval_step"]
