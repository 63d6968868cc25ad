"""Windows over series, in batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from .sequence import Sequence as BatchSequence

public = {"td.keras.preprocessing.sequence": "TimeseriesGenerator"}


class TimeseriesGenerator(BatchSequence):
    """Batches of windows over a series, each with the target that follows.

    Args:
        data: the series: an array or list, one step after the other.
        targets: the target of each step.
        length: the number of steps a window spans.
        sampling_rate: the step between samples within a window.
        stride: the number of steps between windows.
        start_index: the step at which the first window begins.
        end_index: the last step that is a target; by default the last one.
        shuffle: whether windows are drawn at random.
        reverse: whether the last step of a window comes first.
        batch_size: the number of windows per batch.

    Raises:
        ValueError: data and targets differ in length, or no window fits.

    Example:
        >>> series = np.arange(6)
        >>> windows = td.keras.preprocessing.sequence.TimeseriesGenerator(series, series, 2)
        >>> windows[0][0].tolist(), windows[0][1].tolist()
        ([[0, 1], [1, 2], [2, 3], [3, 4]], [2, 3, 4, 5])
    """

    def __init__(
        self,
        data: Any,
        targets: Any,
        length: int,
        sampling_rate: int = 1,
        stride: int = 1,
        start_index: int = 0,
        end_index: int | None = None,
        shuffle: bool = False,
        reverse: bool = False,
        batch_size: int = 128,
    ) -> None:
        if len(data) != len(targets):
            raise ValueError(f"data has {len(data)} steps, but targets has {len(targets)}")
        self.data, self.targets, self.length = data, targets, length
        self.sampling_rate, self.stride = sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"there is no window: the first one ends before step {self.start_index}, and the "
                f"last target is step {self.end_index}"
            )

    def __len__(self) -> int:
        """Number of batches."""
        steps = self.batch_size * self.stride
        return (self.end_index - self.start_index + steps) // steps

    def __getitem__(self, index: int) -> Any:
        """The windows of a batch, and their targets."""
        if not 0 <= index < len(self):
            raise IndexError(f"there are {len(self)} batches, and none of number {index}")
        first, behind = self.start_index, self.end_index + 1
        if self.shuffle:
            rows = np.random.randint(first, behind, self.batch_size)  # noqa: NPY002 - as Keras does
        else:
            steps = self.batch_size * self.stride
            begin = first + steps * index
            rows = np.arange(begin, min(begin + steps, behind), self.stride)
        way = self.sampling_rate
        windows = np.array([self.data[row - self.length : row : way] for row in rows])
        targets = np.array([self.targets[row] for row in rows])
        return (windows[:, ::-1] if self.reverse else windows), targets
