"""Elements taken ahead by a thread, and ops that pass datasets on as they are."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ...graph import errors
from .background import Ahead
from .dataset_ops import NOTED, TYPED, dataset_op, number_of
from .elements import Derived, Elements, source_of

if TYPE_CHECKING:
    from ...graph.waiting import Waits
    from ...shape_inference.context import KernelContext
    from ...shape_inference.protocols import Array, Kernel
    from .elements import Element, Source

_OF = "input_dataset: variant"
PREFETCH_DATASET = dataset_op(
    "PrefetchDataset",
    f"{_OF}, buffer_size: int64",
    f"{NOTED}, slack_period: int = 0, legacy_autotune: bool = true, buffer_size_min: int = 0",
)
IGNORE_ERRORS_DATASET = dataset_op(
    "IgnoreErrorsDataset", _OF, f"{TYPED}, log_warning: bool = false"
)
EXPERIMENTAL_IGNORE_ERRORS_DATASET = dataset_op(
    "ExperimentalIgnoreErrorsDataset", _OF, f"{TYPED}, log_warning: bool = false"
)
OPTIONS_DATASET = dataset_op("OptionsDataset", _OF, f"serialized_options: string, {NOTED}")
OPTIMIZE_DATASET = dataset_op(
    "OptimizeDataset",
    f"{_OF}, optimizations: string",
    f"{TYPED}, optimization_configs: list(string) = []",
)
MODEL_DATASET = dataset_op(
    "ModelDataset",
    _OF,
    f"algorithm: int = 0, cpu_budget: int = 0, ram_budget: int = 0, {TYPED}",
)
MAX_INTRA_OP_PARALLELISM_DATASET = dataset_op(
    "MaxIntraOpParallelismDataset", f"{_OF}, max_intra_op_parallelism: int64", TYPED
)
PRIVATE_THREAD_POOL_DATASET = dataset_op(
    "PrivateThreadPoolDataset", f"{_OF}, num_threads: int64", TYPED
)
NON_SERIALIZABLE_DATASET = dataset_op("NonSerializableDataset", _OF, TYPED)
FINALIZE_DATASET = dataset_op("FinalizeDataset", _OF, f"has_captured_ref: bool = false, {TYPED}")

_AUTOMATIC = 8
_MOST_AHEAD = 1 << 20
_log = logging.getLogger("tensordraft")


class Prefetched(Derived):
    """The elements of a dataset, some of which a thread takes ahead."""

    def __init__(self, source: Source, buffer_size: int) -> None:
        super().__init__(source)
        self._size = buffer_size

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        inner = self.source.elements(waits)
        return _Prefetched(inner, self._size, waits) if self._size else inner


class _Prefetched(Elements):
    def __init__(self, inner: Elements, size: int, waits: Waits) -> None:
        self._ahead = Ahead(inner, size, waits)
        self.next = self._ahead.next  # type: ignore[method-assign]


class Indulgent(Derived):
    """The elements of a dataset without those that fail."""

    def __init__(self, source: Source, warns: bool) -> None:
        super().__init__(source)
        self._warns = warns

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        return _Indulgent(self.source.elements(waits), self._warns)

    def number(self) -> int:
        """How many elements there are: counting tells."""
        return -2


class _Indulgent(Elements):
    def __init__(self, inner: Elements, warns: bool) -> None:
        self._inner, self._warns = inner, warns

    def next(self) -> Element | None:
        while True:
            try:
                return self._inner.next()
            except errors.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001 - that is what it is for
                if self._warns:
                    _log.warning("an element of a dataset is left out: %s", error)


@PREFETCH_DATASET.kernel
def _prefetch_kernel(c: KernelContext) -> Kernel:
    del c

    def prefetch(input_dataset: Array, buffer_size: Array) -> Array:
        size = number_of(buffer_size, "buffer_size")
        if size < -1:
            raise ValueError(
                f"buffer_size must be at least 0, or -1 for a size that is found, got {size}"
            )
        size = _AUTOMATIC if size == -1 else min(size, _MOST_AHEAD)
        return Prefetched(source_of(input_dataset), size).handle

    return prefetch


@IGNORE_ERRORS_DATASET.kernel
@EXPERIMENTAL_IGNORE_ERRORS_DATASET.kernel
def _ignore_errors_kernel(c: KernelContext) -> Kernel:
    warns = c.attr("log_warning")

    def ignore_errors(input_dataset: Array) -> Array:
        return Indulgent(source_of(input_dataset), warns).handle

    return ignore_errors


@OPTIONS_DATASET.kernel
@OPTIMIZE_DATASET.kernel
@MODEL_DATASET.kernel
@MAX_INTRA_OP_PARALLELISM_DATASET.kernel
@PRIVATE_THREAD_POOL_DATASET.kernel
@NON_SERIALIZABLE_DATASET.kernel
@FINALIZE_DATASET.kernel
def _as_it_is_kernel(c: KernelContext) -> Kernel:
    del c

    def as_it_is(input_dataset: Array, *settings: Any) -> Array:
        del settings
        return source_of(input_dataset).handle

    return as_it_is
