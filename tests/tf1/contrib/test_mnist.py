"""The digits of the tutorials: files of IDX format, batches and epochs."""

from __future__ import annotations

import gzip
import io
import struct
from pathlib import Path

import numpy as np
import pytest

import tensordraft as td
from tensordraft.tf1.import_hook.name_check import check_names

mnist = td.contrib.learn.datasets.mnist
PIXELS = np.arange(24, dtype=np.uint8).reshape(6, 2, 2, 1)
LABELS = np.array([3, 1, 4, 1, 5, 9], np.uint8)


def idx(array: np.ndarray) -> bytes:
    header = struct.pack(f">{array.ndim + 1}I", 2048 + array.ndim, *array.shape)
    return header + array.tobytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part, count in (("train", 6), ("t10k", 2)):
        images, labels = idx(PIXELS[:count, ..., 0]), idx(LABELS[:count])
        (tmp_path / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(images))
        (tmp_path / f"{part}-labels-idx1-ubyte").write_bytes(labels)
    return tmp_path


def test_the_parts_of_a_folder(folder: Path) -> None:
    data = mnist.read_data_sets(str(folder), one_hot=True, validation_size=2)
    assert [part.num_examples for part in data] == [4, 2, 2]
    np.testing.assert_array_equal(data.validation.labels.argmax(1), LABELS[:2])
    np.testing.assert_array_equal(data.train.images, PIXELS[2:].reshape(4, 4) * np.float32(1 / 255))
    plain = mnist.read_data_sets(folder, reshape=False, dtype=td.uint8, validation_size=0)
    np.testing.assert_array_equal(plain.train.images, PIXELS)
    np.testing.assert_array_equal(plain.train.labels, LABELS)


def test_batches_go_on_over_the_end_of_an_epoch() -> None:
    data = mnist.DataSet(PIXELS, LABELS, dtype=td.uint8)
    taken = [data.next_batch(4, shuffle=False)[1].tolist() for _ in range(3)]
    assert taken == [[3, 1, 4, 1], [5, 9, 3, 1], [4, 1, 5, 9]]
    assert data.epochs_completed == 1


def test_a_seed_tells_the_order_and_pairs_stay() -> None:
    one, same = (mnist.DataSet(PIXELS, LABELS, dtype=td.uint8, seed=7) for _ in range(2))
    np.random.seed(87654321)  # noqa: NPY002 - the seed is taken by the one that is made last
    first = [one.next_batch(3) for _ in range(4)]
    np.random.seed(87654321)  # noqa: NPY002
    for images, labels in first:
        again = same.next_batch(3)
        np.testing.assert_array_equal(images, again[0])
        np.testing.assert_array_equal(LABELS[images[:, 0] // 4], labels)


def test_what_is_wrong_is_told(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"validation_size 7 is not in \[0, 6\]"):
        mnist.read_data_sets(folder, validation_size=7)
    with pytest.raises(ValueError, match=r"batch_size 7 is not in \[0, 6\]"):
        mnist.DataSet(PIXELS, LABELS).next_batch(7)
    with pytest.raises(ValueError, match="6 images, but 5 labels"):
        mnist.DataSet(PIXELS, LABELS[:5])
    with pytest.raises(TypeError, match="dtype int32 is not one of"):
        mnist.DataSet(PIXELS, LABELS, dtype=td.int32)
    (folder / "t10k-images-idx3-ubyte.gz").unlink()
    with pytest.raises(td.errors.NotFoundError, match="nothing is downloaded"):
        mnist.read_data_sets(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not an IDX file"),
        (idx(LABELS), "is not an IDX file of bytes with 3 axes"),
        (idx(PIXELS[..., 0])[:-1], "ends 1 bytes early"),
        (struct.pack(">4I", 2051, *[2**32 - 1] * 3), "early"),
        (gzip.compress(idx(PIXELS[..., 0]), mtime=0)[:-12], "damaged|early"),
        (b"\x1f\x8b" + b"x" * 20, "is damaged"),
    ],
)
def test_damaged_files_are_data_loss(content: bytes, message: str) -> None:
    with pytest.raises(td.errors.DataLossError, match=message):
        mnist.extract_images(io.BytesIO(content))


def test_tutorials_find_it_where_tensorflow_has_it() -> None:
    source = (
        "from tensorflow.examples.tutorials.mnist import input_data\n"
        "import tensorflow.examples.tutorials.mnist.input_data as data\n"
        "from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets\n"
        "from tensorflow.python.framework import tensor_shape\n"
        "data.read_data_sets, input_data.read_data_sets, tensor_shape.scalar\n"
        "from tensorflow.examples.tutorials.mnist import fully_connected_feed\n"
    )
    report = check_names(source)
    assert [(line, name) for line, name, _ in report.missing] == [
        (6, "tensorflow.examples.tutorials.mnist.fully_connected_feed")
    ]
