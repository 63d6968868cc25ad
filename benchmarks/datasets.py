"""Feeding: what an element and a batch of a dataset cost, records, examples and photographs.

All times are of the processor, on one thread. An example has a label, a name, sixteen floats, and
up to five ids; those of a batch come in one string tensor. Photographs stand beside Pillow.
"""

from __future__ import annotations

import os
import tempfile
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from libraries import tensorflow
from timing import Row

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROWS = 1_000_000
_BATCH = 128
_PER_ELEMENT, _PER_BATCH = 5e-6, 100e-6
_RECORDS, _RECORD_BYTES = 20_000, 10_000
_EXAMPLES, _OF_TENSORFLOW = 100_000, 1.5
# TensorFlow 2.21 on one thread takes 2 to 3 times as long as plain reading and summing.
_OF_CHECKSUMS = 4.0


def rows() -> Iterator[Row]:
    """An element and a batch of a pipeline; records compared with their checksums only."""
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
    yield _photograph()
    library = tensorflow()
    if library is not None:
        yield from _examples(library.compat.v1)


def _batches(number: int, function: Callable[[td.Tensor], td.Tensor]) -> td.data.Dataset:
    return td.data.Dataset.range(number).map(function).batch(_BATCH).prefetch(2)


def _pass(make: Callable[[], Any], lib: Any = td) -> tuple[float, int]:
    """The processor's seconds of a pass over a dataset, and how many elements it has."""
    with lib.Graph().as_default(), lib.Session(config=_one_thread(lib)) as session:
        element = make().make_one_shot_iterator().get_next()
        run = session.make_callable(element)
        run()
        begun, number = time.process_time(), 0
        try:
            while True:
                run()
                number += 1
        except lib.errors.OutOfRangeError:
            return time.process_time() - begun, number


def _one_thread(lib: Any) -> Any:
    return lib.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)


def _shortest(work: Callable[[], Any]) -> float:
    """The processor's seconds of the shortest of some calls."""
    taken = []
    for _ in range(7):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


def _records() -> Row:
    """A pass over records of 10 kB, beside reading the file and taking its checksum."""
    from crc32c import crc32c

    def checksum() -> None:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                crc32c(block)

    def passing(lib: Any) -> float:
        return _pass(lambda: lib.data.TFRecordDataset(path).batch(100), lib)[0]

    library = tensorflow()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.tfrecords")
        rng = np.random.RandomState(0)
        with td.python_io.TFRecordWriter(path) as writer:
            for _ in range(_RECORDS):
                writer.write(rng.bytes(_RECORD_BYTES))
        theirs = None if library is None else passing(library.compat.v1)
        name = "records of 10 kB / checksums"
        return Row(name, passing(td), _shortest(checksum), _OF_CHECKSUMS, tensorflow=theirs)


def _photograph() -> Row:
    """Decoding a JPEG, beside Pillow."""
    from io import BytesIO

    from PIL import Image

    rng = np.random.RandomState(0)
    small = Image.fromarray(rng.randint(0, 255, (48, 64, 3)).astype(np.uint8))
    data = BytesIO()
    small.resize((1024, 768)).save(data, "JPEG")
    with td.Graph().as_default(), td.Session(config=_one_thread(td)) as session:
        fed = td.placeholder(td.string, [])
        run = session.make_callable(td.image.decode_jpeg(fed), [fed])
        ours = _shortest(lambda: run(data.getvalue()))
    theirs = _shortest(lambda: np.asarray(Image.open(data).convert("RGB")))
    return Row("decode_jpeg, 1024 x 768 / Pillow", ours, theirs, 1.1)


def _examples(library: Any) -> Iterator[Row]:
    """Examples parsed all at once, and by batches, beside TensorFlow."""
    rng = np.random.RandomState(0)
    examples = np.array([_example(rng, i) for i in range(_EXAMPLES)], object)

    def parsing(lib: Any, batch: int) -> float:
        with lib.Graph().as_default(), lib.Session(config=_one_thread(lib)) as session:
            fed = lib.placeholder(lib.string, [None])
            features = {
                "label": lib.FixedLenFeature([], lib.int64),
                "name": lib.FixedLenFeature([], lib.string),
                "numbers": lib.FixedLenFeature([16], lib.float32),
                "ids": lib.VarLenFeature(lib.int64),
            }
            parsed = lib.parse_example(fed, features)
            run = session.make_callable([*parsed.values()], [fed])
            return _shortest(
                lambda: [run(examples[i : i + batch]) for i in range(0, _EXAMPLES, batch)]
            )

    for batch in (_EXAMPLES, 1_000, _BATCH):
        name = f"100,000 examples, {batch:,} at once / TensorFlow"
        yield Row(name, parsing(td, batch), parsing(library, batch), _OF_TENSORFLOW)


def _example(rng: np.random.RandomState, number: int) -> bytes:
    train = td.train
    features = {
        "label": train.Feature(int64_list=train.Int64List(value=[rng.randint(10)])),
        "name": train.Feature(bytes_list=train.BytesList(value=[b"item %d" % number])),
        "numbers": train.Feature(float_list=train.FloatList(value=rng.normal(size=16))),
        "ids": train.Feature(
            int64_list=train.Int64List(value=rng.randint(0, 1000, rng.randint(6)))
        ),
    }
    example = train.Example(features=train.Features(feature=features))
    data: bytes = example.SerializeToString()
    return data
