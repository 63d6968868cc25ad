"""Data for models: batches by their places, and labels in one-hot rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

public = {"td.keras.utils": "Sequence normalize to_categorical"}


class Sequence:
    """Batches by their places; a subclass has `__getitem__` and `__len__`.

    Example:
        >>> class Ones(td.keras.utils.Sequence):
        ...     def __len__(self):
        ...         return 2
        ...
        ...     def __getitem__(self, index):
        ...         return np.ones((4, 3)), np.ones((4, 1))
        >>> [x.shape for x, y in Ones()]
        [(4, 3), (4, 3)]
    """

    def __len__(self) -> int:
        """Number of batches; to be overridden."""
        raise NotImplementedError(f"{type(self).__name__} does not say how many batches it has")

    def __getitem__(self, index: int) -> Any:
        """A batch; to be overridden."""
        raise NotImplementedError(f"{type(self).__name__} has no batch {index}")

    def __iter__(self) -> Iterator[Any]:
        """The batches, one after the other."""
        return (self[place] for place in range(len(self)))

    def on_epoch_end(self) -> None:
        """Called at the end of each epoch."""


def to_categorical(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> Any:
    """Numbers of classes as one-hot rows.

    Args:
        y: the numbers, from 0 on.
        num_classes: the number of classes; by default as many as the greatest number asks for.
        dtype: the dtype.

    Returns:
        An array whose last dimension is `num_classes`.

    Raises:
        ValueError: a number is not in [0, num_classes).

    Example:
        >>> td.keras.utils.to_categorical([0, 2]).tolist()
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    numbers = np.array(y, dtype=np.int64)
    if numbers.ndim > 1 and numbers.shape[-1] == 1:
        numbers = numbers[..., 0]
    count = int(numbers.max(initial=-1)) + 1 if num_classes is None else num_classes
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise ValueError(f"y has {numbers.min()} and {numbers.max()}, not all in [0, {count})")
    rows = np.zeros((*numbers.shape, count), dtype)
    np.put_along_axis(rows, numbers[..., np.newaxis], 1, axis=-1)
    return rows


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """An array whose norms are 1.

    Args:
        x: the array.
        axis: the dimension of the norms.
        order: their order.

    Example:
        >>> td.keras.utils.normalize([3.0, 4.0]).tolist()
        [0.6, 0.8]
    """
    norms = np.atleast_1d(np.linalg.norm(x, order, axis, keepdims=True))
    return np.asarray(x) / np.where(norms == 0, 1, norms)
