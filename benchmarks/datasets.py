"""Datasets: what an element and a batch cost, and a pass over a file of records."""

from __future__ import annotations

import os
import tempfile
import time
from typing import TYPE_CHECKING

import numpy as np
from timing import Row

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROWS = 1_000_000
_BATCH = 128
_PER_ELEMENT, _PER_BATCH = 5e-6, 100e-6
_RECORDS, _RECORD_BYTES = 20_000, 10_000
# TensorFlow 2.21 on one thread takes 2 to 3 times as long as reading and summing up alone.
_OF_CHECKSUMS = 4.0


def rows() -> Iterator[Row]:
    """An element and a batch of a pipeline; records beside their checksums alone."""
    pipelines: dict[str, Callable[[], td.data.Dataset]] = {
        "map, batch, prefetch": lambda: _batches(_ROWS, lambda x: x * 2 + 1),
        "map that is not elementwise": lambda: _batches(_ROWS // 10, lambda x: td.reshape(x, [1])),
    }
    for name, make in pipelines.items():
        seconds, batches = _pass(make)
        yield Row(f"{name}, an element / 5 us", seconds / batches / _BATCH, _PER_ELEMENT, 1.0)
        if "elementwise" not in name:
            yield Row(f"{name}, a batch / 100 us", seconds / batches, _PER_BATCH, 1.0)
    yield _records()


def _batches(number: int, function: Callable[[td.Tensor], td.Tensor]) -> td.data.Dataset:
    return td.data.Dataset.range(number).map(function).batch(_BATCH).prefetch(2)


def _pass(make: Callable[[], td.data.Dataset]) -> tuple[float, int]:
    """The processor's seconds of a pass over a dataset, and how many elements it has."""
    with td.Graph().as_default(), td.Session() as session:
        element = make().make_one_shot_iterator().get_next()
        run = session.make_callable(element)
        run()
        begun, number = time.process_time(), 0
        try:
            while True:
                run()
                number += 1
        except td.errors.OutOfRangeError:
            return time.process_time() - begun, number


def _records() -> Row:
    """A pass over records of 10 kB, beside reading the file and taking its checksum."""
    from crc32c import crc32c

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.tfrecords")
        rng = np.random.RandomState(0)
        with td.python_io.TFRecordWriter(path) as writer:
            for _ in range(_RECORDS):
                writer.write(rng.bytes(_RECORD_BYTES))
        seconds, _ = _pass(lambda: td.data.TFRecordDataset(path).batch(100))
        begun = time.process_time()
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                crc32c(block)
        return Row(
            "records of 10 kB / checksums", seconds, time.process_time() - begun, _OF_CHECKSUMS
        )
