"""Data of Keras's tutorials, from local files."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

import tensordraft as td

DIGITS, CLOTHES = td.keras.datasets.mnist, td.keras.datasets.fashion_mnist


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (tmp_path / "datasets" / "fashion-mnist").mkdir(parents=True)
    return tmp_path / "datasets"


def test_digits_come_from_their_archive(home: Path) -> None:
    images, labels = np.arange(1568, dtype=np.uint8).reshape(2, 28, 28), np.array([7, 2], np.uint8)
    whole = {"x_train": images, "y_train": labels, "x_test": images[:1], "y_test": labels[:1]}
    np.savez(home / "mnist.npz", **whole)  # type: ignore[arg-type]
    (x, y), (more, further) = DIGITS.load_data()
    np.testing.assert_array_equal(x, images)
    assert (y.tolist(), more.shape, further.tolist()) == ([7, 2], (1, 28, 28), [7])


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no archive", b"\x93NUMPY", b"\x80\x04."])
def test_other_files_are_refused(data: bytes, home: Path) -> None:
    with pytest.raises(td.errors.NotFoundError, match="nothing is downloaded"):
        DIGITS.load_data()
    (home / "mnist.npz").write_bytes(data)
    with pytest.raises(td.errors.DataLossError, match="is not an archive of digits"):
        DIGITS.load_data()


def test_clothes_come_from_four_files(home: Path) -> None:
    with pytest.raises(td.errors.NotFoundError, match="nothing is downloaded"):
        CLOTHES.load_data()
    for part, count in (("train", 3), ("t10k", 2)):
        pixels = struct.pack(">4I", 2051, count, 28, 28) + bytes(count * 784)
        labels = struct.pack(">2I", 2049, count) + bytes(range(count))
        for kind, content in (("images-idx3", pixels), ("labels-idx1", labels)):
            path = home / "fashion-mnist" / f"{part}-{kind}-ubyte.gz"
            path.write_bytes(gzip.compress(content))
    (x, y), (more, further) = CLOTHES.load_data()
    assert (x.shape, y.tolist()) == ((3, 28, 28), [0, 1, 2])
    assert (more.shape, further.tolist()) == ((2, 28, 28), [0, 1])
