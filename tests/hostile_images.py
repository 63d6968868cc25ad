"""Damaged files of images, and a judge of how reading them ends."""

from __future__ import annotations

import io
import random
import warnings
from collections.abc import Iterator

import numpy as np
from hostile_files import LeakError
from PIL import Image
from png_maker import png_of

import tensordraft as td

MOST_BYTES = 1 << 22
_EDGES = (b"\x00", b"\x01", b"\x7f", b"\x80", b"\xff")


def seeds() -> Iterator[bytes]:
    """Files of every kind, small ones."""
    rows, columns = np.mgrid[:9, :11]
    pixels = np.stack([rows * 20, columns * 20, rows * columns], 2).astype(np.uint8)
    for kind in ("JPEG", "PNG", "GIF", "BMP"):
        file = io.BytesIO()
        frames = [Image.fromarray(np.roll(pixels, i, 1)) for i in range(2)]
        more = {"save_all": True, "append_images": frames[1:]} if kind == "GIF" else {}
        frames[0].save(file, kind, **more)
        yield file.getvalue()
    yield png_of(pixels.astype(np.int64) * 257, 16, 2, interlaced=True)
    yield png_of(pixels[..., :1] & 3, 2, 3, chunks={b"PLTE": bytes(range(12)), b"tRNS": b"\0"})


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The file with a few bytes changed, left out or put in, or cut."""
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(min(len(data), 64) if rng.random() < 0.5 else len(data))
        new = rng.choice([*_EDGES, bytes([rng.randrange(256)]), b"\xff\xff\xff\xff"])
        cut = rng.choice(
            [len(new), len(new), len(new), 0, 1, len(data) if rng.random() < 0.1 else 2]
        )
        data = data[:place] + new + data[place + cut :]
    return data


class Reader:
    """Reads files in every way, in one session."""

    def __init__(self) -> None:
        with td.Graph().as_default() as graph:
            self._file = td.placeholder(td.string, [])
            self._ways = [
                td.image.decode_image(self._file, dtype=td.uint16),
                td.image.decode_png(self._file, channels=4),
                td.image.decode_gif(self._file),
                td.image.decode_and_crop_jpeg(self._file, [0, 0, 3, 4], channels=1),
                td.image.extract_jpeg_shape(self._file),
            ]
        self._session = td.Session(graph=graph)

    def drive(self, data: bytes) -> None:
        """Reads a file.

        Raises:
            LeakError: something ended in an error that is not one of ours.
        """
        most, td.config.max_tensor_bytes = td.config.max_tensor_bytes, MOST_BYTES
        try:
            for way in self._ways:
                self._read(way, data)
        finally:
            td.config.max_tensor_bytes = most

    def _read(self, way: td.Tensor, data: bytes) -> None:
        try:
            with warnings.catch_warnings(action="ignore"):
                self._session.run(way, {self._file: data})
        except (td.errors.InvalidArgumentError, td.errors.ResourceExhaustedError) as error:
            cause = error.__cause__
            if cause is not None and not isinstance(cause, (ValueError, td.errors.OpError)):
                raise LeakError(f"{way.op.type}: {cause!r}") from error
            return
        except Exception as error:
            raise LeakError(f"{way.op.type}: {error!r}") from error
