"""Generated function of one call: it converts and checks feeds, runs, and returns results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..graph.node import Tensor
from .compiler import compiled
from .errstate import contexts, quietly
from .executor import Executor, copied, handed_out
from .feeds import feed_converter
from .fetches import Fetches
from .named_sizes import NamedSizes


def call_function(
    fetches: Fetches, feeds: Sequence[Tensor], executor: Executor
) -> Callable[..., Any]:
    """Compiles a function from fed values to the structure of the fetches.

    Tensors are numbered: `v0` is what the caller gives for the first, `a0` its array, `d0` its
    dtype, `c0` what converts anything else, or refuses it; the sizes of its shape are `n0_1`.
    Nothing else, and nothing from a graph, is part of the source.

    Args:
        fetches: what is fetched.
        feeds: what is fed, in the order of the values.
        executor: runs the plan.
    """
    scope: dict[str, Any] = {"ndarray": np.ndarray, "executor": executor, "contexts": contexts}
    lines = [line for i, tensor in enumerate(feeds) for line in _feed_lines(i, tensor, scope)]
    arrays = ", ".join([f"a{i}" for i in range(len(feeds))])
    sizes = NamedSizes(feeds)
    if sizes:
        scope.update(hold=sizes.hold, check=sizes.check)
        lines += [f"if not hold(({arrays},)):", f" check([a.shape for a in ({arrays},)])"]
    scope.update(rebuild=fetches.rebuild, handed_out=handed_out, copied=copied)
    lines += [
        "hot = executor.hot",
        "if hot is None:",
        f" return rebuild(executor.run([{arrays}]))",
        "try:",
        *_run_lines(arrays, executor, scope),
        "except Exception as error:",
        " executor.raise_with_op(error)",
    ]
    [*elements] = fetches.elements
    if fetches.is_element and isinstance(elements[0], Tensor):
        lines += [
            "[result] = values",
            "if result.ndim == 0:",
            " return result[()]",
            "return result if result.flags.writeable else copied(result)",
        ]
    else:
        lines.append("return rebuild(handed_out(values))")
    parameters = ", ".join([f"v{i}" for i in range(len(feeds))])
    return compiled(parameters, lines, scope, "<tensordraft call>")


def _feed_lines(i: int, tensor: Tensor, scope: dict[str, Any]) -> Iterator[str]:
    """The lines that make `a0` of `v0`: a read-only view where the caller's own array fits."""
    wanted = tensor.dtype.base_dtype.numpy_dtype
    scope[f"c{i}"] = feed_converter(tensor)
    if wanted.kind == "O":
        yield f"a{i} = c{i}(v{i})"
        return
    scope[f"d{i}"] = wanted
    yield f"if type(v{i}) is ndarray and v{i}.dtype is d{i}:"
    if tensor.shape.rank is not None:
        sizes = tensor.shape.as_list()
        scope[f"r{i}"] = len(sizes)
        tests = [f"len(s) != r{i}"]
        for axis, size in enumerate(sizes):
            if size is not None:
                scope[f"n{i}_{axis}"] = size
                tests.append(f"s[{axis}] != n{i}_{axis}")
        yield f" s = v{i}.shape"
        yield f" if {' or '.join(tests)}:"
        yield f"  c{i}(v{i})"
    yield f" a{i} = v{i}.view()"
    yield f" a{i}.setflags(False)"
    yield "else:"
    yield f" a{i} = c{i}(v{i})"


def _run_lines(arrays: str, executor: Executor, scope: dict[str, Any]) -> list[str]:
    """Lines that run a hot plan, without warnings."""
    separated = f", {arrays}" if arrays else ""
    if executor.quietly is not quietly:
        scope["quietly"] = executor.quietly
        return [f" values = quietly(hot{separated})"]
    return [  # as `quietly` does
        " if contexts.entered:",
        f"  values = hot({arrays})",
        " else:",
        "  contexts.entered = True",
        "  try:",
        f"   values = contexts.run(hot{separated})",
        "  finally:",
        "   contexts.entered = False",
    ]
