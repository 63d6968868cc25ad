"""The same graph function in tensordraft and, where it is asked for, in TensorFlow."""

from __future__ import annotations

import importlib
import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

_WARM_UP_RUNS = 5


@cache
def tensorflow() -> Any:
    """TensorFlow, where `--tensorflow` asks for it; else None."""
    if "--tensorflow" not in sys.argv:
        return None
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    tf = importlib.import_module("tensorflow")
    tf.compat.v1.disable_v2_behavior()
    return tf


def callables(
    function: Callable[..., Any],
    arrays: Sequence[np.ndarray],
    shapes: Sequence[Any] | None = None,
    **config: int,
) -> tuple[Callable[[], Any], Callable[[], Any] | None]:
    """Runs of `function(library, *placeholders)` on arrays: ours, and TensorFlow's.

    The latter is None where TensorFlow is not asked for, or lacks a function that is called.

    Args:
        function: builds the graph.
        arrays: what is fed.
        shapes: those of the placeholders; by default those of the arrays.
        config: settings of the session's ConfigProto.
    """
    shapes = [array.shape for array in arrays] if shapes is None else shapes

    def call_of(library: Any) -> Callable[[], Any]:
        graph = library.Graph()
        with graph.as_default():
            inputs = [
                library.placeholder(library.as_dtype(array.dtype), shape)
                for array, shape in zip(arrays, shapes, strict=True)
            ]
            fetches = function(library, *inputs)
        session = library.Session(graph=graph, config=library.ConfigProto(**config))
        run = session.make_callable(fetches, inputs)
        for _ in range(_WARM_UP_RUNS):
            run(*arrays)
        return lambda: run(*arrays)

    ours, tf = call_of(td), tensorflow()
    try:
        return ours, None if tf is None else call_of(tf.compat.v1)
    except AttributeError:
        return ours, None
