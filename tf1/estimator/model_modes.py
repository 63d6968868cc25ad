"""What the function of a model is called for."""

from __future__ import annotations

public = {"td.estimator": "ModeKeys"}


class ModeKeys:
    """What a model is built for: `TRAIN`, `EVAL` or `PREDICT`.

    Example:
        >>> td.estimator.ModeKeys.TRAIN, td.estimator.ModeKeys.PREDICT
        ('train', 'infer')
    """

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
