"""Optional import of Pillow, with a clear error if it is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def reading(kind: str) -> Iterator[Any]:
    """Pillow's module of images; what goes wrong in the block is said of a file of this kind.

    Raises:
        ValueError: Pillow is not installed, or the file is damaged.
    """
    module = pillow()
    try:
        yield module
    except (
        OSError,
        SyntaxError,
        ValueError,
        EOFError,
        IndexError,
        KeyError,
        OverflowError,
    ) as error:
        raise ValueError(f"the {kind} file is damaged: {error}") from error
    except (module.DecompressionBombError, module.DecompressionBombWarning) as error:
        raise ValueError(f"the {kind} file has too many pixels: {error}") from error


def pillow() -> Any:
    """Pillow's module of images.

    Raises:
        ValueError: it is not installed.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ValueError(
            "image files need Pillow, which `pip install tensordraft[image]` brings"
        ) from error
    return Image
