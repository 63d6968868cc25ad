"""Damaged TensorFlow Lite files: a clear error, or a model; never anything else."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import tensordraft as td
from tensordraft.model_files.tflite.flatbuffer import MalformedError
from tensordraft.model_files.tflite.flexbuffer import read_flexbuffer

FILES = sorted((Path(__file__).parent / "files").glob("*.tflite"))
REFUSALS = (td.errors.DataLossError, td.errors.UnimplementedError, td.errors.ResourceExhaustedError)


def opens(path: Path, data: bytes) -> bool:
    path.write_bytes(data)
    try:
        td.load(path).close()
    except REFUSALS as error:
        assert path.name in str(error)  # noqa: PT017 - some of the files open
        return False
    return True


def with_flipped_bits(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 4, 16])):
        data[chance.randrange(8, len(data))] ^= 1 << chance.randrange(8)


def with_other_numbers(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 3])):
        at = chance.randrange(8, len(data) - 4) & ~3
        number = chance.choice([0, 1, -1, 2**31 - 1, -(2**31), len(data), chance.randrange(300)])
        data[at : at + 4] = (number % 2**32).to_bytes(4, "little")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("change", [with_flipped_bits, with_other_numbers])
def test_changed_files_are_refused_or_open(
    path: Path, change: Callable[[bytearray, random.Random], None], tmp_path: Path
) -> None:
    chance = random.Random(7)
    original = path.read_bytes()
    assert opens(tmp_path / "model.tflite", original)
    refused = 0
    for _ in range(12):
        data = bytearray(original)
        change(data, chance)
        refused += not opens(tmp_path / "model.tflite", bytes(data))
    assert refused


@pytest.mark.parametrize("path", FILES[:3], ids=lambda path: path.stem)
def test_truncated_files_are_refused(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    for size in (8, 20, len(data) // 4, len(data) // 2):
        assert not opens(tmp_path / "model.tflite", data[:size])


def test_offsets_outside_the_file_are_named(tmp_path: Path) -> None:
    data = bytearray(FILES[0].read_bytes())
    data[:4] = (1 << 31).to_bytes(4, "little")
    (tmp_path / "far.tflite").write_bytes(data)
    with pytest.raises(td.errors.DataLossError, match=r"far\.tflite.*it refers to byte 2147483648"):
        td.load(tmp_path / "far.tflite")


def test_budgets_hold(tmp_path: Path) -> None:
    with pytest.raises(td.errors.ResourceExhaustedError, match="budget"):
        td.load(FILES[0], progress=td.LoadBudget(bytes=100))


@pytest.mark.parametrize(
    "data", [b"", b"\x01\x04\x03", b"\x00\x28\x01", b"\xff\x28\x01", b"\x10\x05\x24\x01"]
)
def test_options_that_are_no_flexbuffer(data: bytes) -> None:
    with pytest.raises(MalformedError, match="its options"):
        read_flexbuffer(data)


def test_options_of_custom_ops() -> None:
    data = bytes.fromhex(  # as `flatbuffers.flexbuffers.Dumps` of this dict writes it
        "6d6f737400696f7500616c6c006c697374000179000201040414041217101e000500000001000000"
        "04000000010000000000003f1e0000002c0100006a0e2806142601"
    )
    assert read_flexbuffer(data) == {"most": 300, "iou": 0.5, "all": True, "list": [1, "y"]}
