"""An Atheris target: no file may do more to a decoder of images than raise one of our errors.

    python -m venv fuzzing && fuzzing/bin/pip install atheris --editable .[image]
    fuzzing/bin/python tests/fuzz/fuzz_image_files.py corpus -max_total_time=1800

`corpus` is a folder for what the fuzzer finds interesting; it is filled with small files of every
kind. A crash is saved as `crash-…`; running the target with that file as its only argument shows it
again. Check sums keep most changes of a PNG file from being seen, so they are mended.
"""

from __future__ import annotations

import random
import sys
import zlib
from pathlib import Path

import atheris  # type: ignore[import-untyped]

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

with atheris.instrument_imports(include=["tensordraft"]):
    from hostile_images import Reader, damaged, seeds


def mended(data: bytes) -> bytes:
    """A PNG file whose check sums are right."""
    if not data.startswith(b"\x89PNG"):
        return data
    place, parts = 8, [data[:8]]
    while place + 12 <= len(data):
        end = place + 8 + int.from_bytes(data[place : place + 4], "big")
        body = data[place + 4 : end]
        parts.append(data[place : place + 4] + body + zlib.crc32(body).to_bytes(4, "big"))
        place = end + 4
    return b"".join(parts)


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """A file that differs in a few bytes."""
    rng = random.Random(seed)
    changed = damaged(data, rng) if data and rng.random() < 0.5 else atheris.Mutate(data, max_size)
    return mended(bytes(changed))[:max_size]


def main() -> None:
    """Hands over to the fuzzer."""
    for folder in map(Path, sys.argv[1:2]):
        if folder.is_dir():
            for number, data in enumerate(seeds()):
                (folder / f"seed-{number}").write_bytes(data)
    atheris.Setup(sys.argv, Reader().drive, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
