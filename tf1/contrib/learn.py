"""The remaining names of `td.contrib.learn`."""

from __future__ import annotations

public = {"td.contrib.learn": "ModeKeys"}


class ModeKeys:
    """Mode in which a model is built.

    Example:
        >>> td.contrib.learn.ModeKeys.TRAIN
        'train'
    """

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"
