"""NumPy's files, damaged at random and by hand: whatever is wrong, the error is ours."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.formats.numpy_files import NumpyArchive, read_npy


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def with_header(text: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


ARRAYS = {"x": np.arange(12.0).reshape(3, 4), "y": np.arange(3)}


def test_arrays_are_read() -> None:
    for array in ARRAYS.values():
        assert read_npy(io.BytesIO(npy(array))).tolist() == array.tolist()
    archive = NumpyArchive(io.BytesIO(npz(**ARRAYS)))
    assert archive.names == ["x", "y"]
    assert archive["x"].tolist() == ARRAYS["x"].tolist()
    with pytest.raises(KeyError):
        archive["z"]


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f8', 'shape': (",  # a TokenError or SyntaxError of Python's
        b"(" * 5000,
        b"{'descr': 'O', 'fortran_order': False, 'shape': (1,), }\n",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }\n",
        b"\xff\xfe",
        b"",
    ],
)
def test_headers(header: bytes) -> None:
    with pytest.raises(ValueError, match="not an array of numbers"):
        read_npy(io.BytesIO(with_header(header)))


def test_an_array_that_is_too_large() -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }\n"
    with pytest.raises(td.errors.ResourceExhaustedError, match="8000000000000 bytes"):
        read_npy(io.BytesIO(with_header(header)))


@pytest.mark.parametrize("seed", range(20))
def test_damage_at_random(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for whole in (npy(ARRAYS["x"]), npz(**ARRAYS)):
        for _ in range(50):
            data = bytearray(whole)
            for place in rng.integers(0, len(data), rng.integers(1, 6)):
                data[place] = rng.integers(256)
            del data[len(data) if rng.random() < 0.7 else rng.integers(len(data)) :]
            try:
                read_npy(io.BytesIO(data))
                archive = NumpyArchive(io.BytesIO(data))
                for name in archive.names:
                    archive[name]
            except (ValueError, td.errors.OpError):
                pass


def test_members_that_are_packed_in_another_way() -> None:
    """A ZIP file may state any way of compression: zipfile raises NotImplementedError."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x.npy", npy(ARRAYS["x"]))
    data = bytearray(file.getvalue())
    central = data.rindex(b"PK\x01\x02")
    data[central + 10] = 99
    with pytest.raises(ValueError, match="'x' cannot be read"):
        NumpyArchive(io.BytesIO(data))["x"]
