"""What is left of `td.contrib.learn`."""

from __future__ import annotations

public = {"td.contrib.learn": "ModeKeys"}


class ModeKeys:
    """What a model is built for.

    Example:
        >>> td.contrib.learn.ModeKeys.TRAIN
        'train'
    """

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"
