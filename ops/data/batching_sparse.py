"""Batches of tensors of different shapes, as sparse tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...protos.dtypes import variant
from ...runtime.waiting import Waits
from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from .batching import size_of
from .dataset_elements import Elements, Source, shown, source_of
from .dataset_ops import TYPED, dataset_op

if TYPE_CHECKING:
    from .dataset_elements import Element

_INPUTS = "input_dataset: variant, batch_size: int64, row_shape: int64"
DENSE_TO_SPARSE_BATCH_DATASET = dataset_op("DenseToSparseBatchDataset", _INPUTS, TYPED)
EXPERIMENTAL_DENSE_TO_SPARSE_BATCH_DATASET = dataset_op(
    "ExperimentalDenseToSparseBatchDataset", _INPUTS, TYPED
)


class SparseBatches(Source):
    """Batches of the elements of a dataset as sparse tensors, each a vector of three variants."""

    def __init__(self, source: Source, size: int, sizes: list[int]) -> None:
        super().__init__([variant], [TensorShape(None)])
        self.source, self.size, self.sizes = source, size, sizes

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        return _SparseBatches(self.source.elements(waits), self)


class _SparseBatches(Elements):
    def __init__(self, inner: Elements, source: SparseBatches) -> None:
        self._inner, self._source = inner, source

    def next(self) -> Element | None:
        elements = self._inner.several(self._source.size)
        if not elements:
            return None
        parts = [element[0] for element in elements]
        sizes = self._source.sizes
        for part in parts:
            if part.ndim != len(sizes) or any(
                0 <= most < n for n, most in zip(part.shape, sizes, strict=True)
            ):
                raise ValueError(
                    f"an element has shape {shown(part.shape)}, which does not fit row_shape = "
                    f"{sizes}"
                )
        most = [max(column) for column in zip(*[part.shape for part in parts], strict=True)]
        found = [most[k] if n < 0 else n for k, n in enumerate(sizes)]
        indices = [
            np.concatenate([np.full((part.size, 1), i), _places(part.shape)], axis=1)
            for i, part in enumerate(parts)
        ]
        row = np.empty(3, object)
        row[0] = np.concatenate(indices).astype(np.int64, copy=False)
        row[1] = np.concatenate([part.reshape(-1) for part in parts])
        row[2] = np.array([len(parts), *found], np.int64)
        return (row,)


def _places(shape: tuple[int, ...]) -> Array:
    """The indices of all elements of an array, in their order."""
    return np.indices(shape, np.int64).reshape(len(shape), -1).T


@DENSE_TO_SPARSE_BATCH_DATASET.kernel
@EXPERIMENTAL_DENSE_TO_SPARSE_BATCH_DATASET.kernel
def _dense_to_sparse_kernel(c: KernelContext) -> Kernel:

    def to_sparse(input_dataset: Array, batch_size: Array, row_shape: Array) -> Array:
        source = source_of(input_dataset)
        if len(source.dtypes) != 1:
            raise ValueError(f"an element must be one tensor, got {len(source.dtypes)}")
        if row_shape.ndim != 1 or not len(row_shape):
            raise ValueError(f"row_shape must be a vector of sizes, got {row_shape.tolist()}")
        return SparseBatches(source, size_of(batch_size), row_shape.tolist()).handle

    return to_sparse
