"""Modes of a model function."""

from __future__ import annotations

public = {"td.estimator": "ModeKeys"}


class ModeKeys:
    """Mode of a model: `TRAIN`, `EVAL` or `PREDICT`.

    Example:
        >>> td.estimator.ModeKeys.TRAIN, td.estimator.ModeKeys.PREDICT
        ('train', 'infer')
    """

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
