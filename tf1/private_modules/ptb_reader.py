"""`tensorflow.models.rnn.ptb.reader`: the words of the Penn Treebank, from local files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import control_dependencies, name_scope
from ...graph.node import Tensor
from ...ops.array.identity import identity
from ...ops.array.reshape import reshape
from ...ops.array.shapes import size
from ...ops.debugging.assertions import assert_positive
from ...ops.indexing.strided_slice import strided_slice
from ...protos.dtypes import int32
from ...training.input_queues.producers import range_input_producer


def _read_words(filename: Any) -> list[str]:
    """The words of a file; `<eos>` ends each line."""
    return Path(filename).read_text(encoding="utf-8").replace("\n", "<eos>").split()


def _build_vocab(filename: Any) -> dict[str, int]:
    """The number of each word: the most frequent first, and those as frequent by the alphabet."""
    counts = Counter(_read_words(filename))
    words = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: number for number, word in enumerate(words)}


def _file_to_word_ids(filename: Any, word_to_id: dict[str, int]) -> list[int]:
    """The numbers of the words of a file; words without one are left out."""
    return [word_to_id[word] for word in _read_words(filename) if word in word_to_id]


def ptb_raw_data(data_path: Any = None) -> tuple[list[int], list[int], list[int], int]:
    """The words of `ptb.train.txt`, `ptb.valid.txt` and `ptb.test.txt` in a folder, as numbers.

    Args:
        data_path: the folder.

    Returns:
        Three lists of numbers, and how many words there are.
    """
    paths = [Path(data_path or ".", f"ptb.{part}.txt") for part in ("train", "valid", "test")]
    numbers = _build_vocab(paths[0])
    train, valid, test = [_file_to_word_ids(path, numbers) for path in paths]
    return train, valid, test, len(numbers)


def ptb_iterator(
    raw_data: Sequence[int], batch_size: int, num_steps: int
) -> Iterator[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """Arrays `[batch_size, num_steps]` of words and of those that follow them, as of before 0.12.

    Raises:
        ValueError: the words do not make a single batch.
    """
    length = len(raw_data) // batch_size
    rows = np.array(raw_data[: length * batch_size], np.int32).reshape(batch_size, length)
    epoch_size = (length - 1) // num_steps
    if epoch_size <= 0:
        raise ValueError(
            f"{len(raw_data)} words make no batch of {batch_size} rows with {num_steps} steps and "
            "one more"
        )
    for start in range(0, epoch_size * num_steps, num_steps):
        end = start + num_steps
        yield rows[:, start:end], rows[:, start + 1 : end + 1]


def ptb_producer(
    raw_data: Any, batch_size: int, num_steps: int, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Tensors `[batch_size, num_steps]` of words and of those that follow them, from a queue.

    A run fails if the words do not make a single batch.
    """
    with name_scope(name or "PTBProducer"):
        words = convert_to_tensor(raw_data, int32, name="raw_data")
        length = size(words) // batch_size
        rows = reshape(words[0 : batch_size * length], [batch_size, length])
        epoch_size = (length - 1) // num_steps
        check = assert_positive(
            epoch_size, message="epoch_size == 0, decrease batch_size or num_steps"
        )
        with control_dependencies([check]):
            epoch_size = identity(epoch_size, name="epoch_size")
        place = range_input_producer(epoch_size, shuffle=False).dequeue()

        def taken(ahead: int) -> Tensor:
            begin, end = place * num_steps + ahead, (place + 1) * num_steps + ahead
            part = strided_slice(rows, [0, begin], [batch_size, end])
            part.set_shape([batch_size, num_steps])
            return part

        return taken(0), taken(1)
