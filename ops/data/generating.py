"""Datasets of what functions give until they have no more."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...graph.bodies import Known
from ...runtime import errors
from ...runtime.kernel_spec import KernelSpec
from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array
from ...shape_inference.traits import Bodies
from .dataset_elements import Elements, Leaf
from .dataset_ops import NOTED, dataset_op
from .function_runs import DatasetFunction, stated

if TYPE_CHECKING:
    from .dataset_elements import Element

_NAMES = ("init", "next", "finalize")
GENERATOR_DATASET = dataset_op(
    "GeneratorDataset",
    ", ".join([f"{name}_func_other_args: T{name}_func_args" for name in _NAMES]),
    ", ".join(
        [
            *[f"{name}_func: func" for name in _NAMES],
            *[f"T{name}_func_args: list(type) >= 0" for name in _NAMES],
            NOTED,
        ]
    ),
    traits=Bodies(stateful=True),
)


class Generated(Leaf):
    """What a function makes of a state, until it says that there is no more."""

    def __init__(self, calls: Sequence[Callable[[Element], Element]], what: Any) -> None:
        super().__init__(*what)
        self._calls = calls

    def begun(self) -> Elements:
        """All elements."""
        return _Generated(*self._calls)


class _Generated(Elements):
    def __init__(
        self,
        init: Callable[[Element], Element],
        following: Callable[[Element], Element],
        finalize: Callable[[Element], Element],
    ) -> None:
        self._init, self._following, self._finalize = init, following, finalize
        self._state: Element | None = None
        self._ended = False

    def next(self) -> Element | None:
        if self._ended:
            return None
        if self._state is None:
            self._state = self._init(())
        try:
            return self._following(self._state)
        except errors.OutOfRangeError:
            self._end(self._state)
            return None

    def _end(self, state: Element) -> None:
        self._ended = True
        with contextlib.suppress(Exception):  # nobody is there to be told
            self._finalize(state)

    # Not `weakref.finalize`: it would keep the function, which may lead back here by the session.
    def __del__(self) -> None:
        if self._state is not None and not self._ended and not sys.is_finalizing():
            self._end(self._state)


@GENERATOR_DATASET.kernel
def _generator_kernel(c: KernelContext) -> KernelSpec:
    init = DatasetFunction(c, "init_func", [], "init_func_other_args")
    state = [Known() for _ in init.dtypes()]
    rest = [
        DatasetFunction(c, f"{name}_func", state, f"{name}_func_other_args")
        for name in ("next", "finalize")
    ]
    functions, what = [init, *rest], stated(c)
    rest[0].check_returned(what[0])
    for function in rest:
        function.check_dtypes(init.dtypes())
    numbers = [len(c.inputs(f"{name}_func_other_args")) for name in _NAMES]

    def generate(*captured: Array) -> Array:
        left = list(captured)
        calls = []
        for function, number in zip(functions, numbers, strict=True):
            calls.append(function.calls(left[:number]))
            del left[:number]
        return Generated(calls, what).handle

    bodies = {name: function.run for name, function in zip(_NAMES, functions, strict=True)}
    return KernelSpec(generate, bodies=bodies)
