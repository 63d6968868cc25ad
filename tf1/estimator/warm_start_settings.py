"""Warm starting of an estimator: the source of its initial values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

public = {"td.estimator": "WarmStartSettings"}


class WarmStartSettings(NamedTuple):
    """Source of initial values: arguments of `td.train.warm_start`.

    Args:
        ckpt_to_initialize_from: the checkpoint, or a folder with one.
        vars_to_warm_start: the variables: a regular expression, a list, or None.
        var_name_to_vocab_info: vocabularies of variables, by their names.
        var_name_to_prev_var_name: names in the checkpoint that differ, by names of variables.

    Example:
        >>> td.estimator.WarmStartSettings("model.ckpt-100").vars_to_warm_start
        '.*'
    """

    ckpt_to_initialize_from: str
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: Mapping[str, Any] | None = None
    var_name_to_prev_var_name: Mapping[str, str] | None = None


def warm_start_settings(given: Any) -> WarmStartSettings | None:
    """Settings for the argument `warm_start_from`.

    Args:
        given: settings, the path of a checkpoint, a folder with one or with a SavedModel, or None.

    Raises:
        ValueError: it is something else.
    """
    if given is None or isinstance(given, WarmStartSettings):
        return given
    if not isinstance(given, (str, os.PathLike)):
        raise ValueError(
            "warm_start_from must be a string or a WarmStartSettings, instead got "
            f"{type(given).__name__}"
        )
    path = os.fsdecode(given)
    of_model = os.path.join(path, "variables", "variables")
    return WarmStartSettings(of_model if os.path.exists(f"{of_model}.index") else path)
