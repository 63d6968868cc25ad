"""Detection of image formats by file signature."""

from __future__ import annotations

_DECODED = {b"\xff\xd8\xff": "JPEG", b"\x89PNG\r\n\x1a\n": "PNG", b"GIF8": "GIF", b"BM": "BMP"}
# What is often taken for an image that can be decoded.
_OTHERS = {
    b"II*\x00": "a TIFF image",
    b"MM\x00*": "a TIFF image",
    b"\x00\x00\x01\x00": "an icon",
    b"\xff\x0a": "a JPEG XL image",
    b"\x00\x00\x00\x0cJXL ": "a JPEG XL image",
    b"\x00\x00\x00\x0cjP  ": "a JPEG 2000 image",
    b"8BPS": "a Photoshop document",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "a gzip archive",
    b"\x93NUMPY": "a NumPy array",
    b"<svg": "an SVG drawing",
    b"<?xml": "an XML document",
    b"<!DOCTYPE": "an HTML page",
    b"<html": "an HTML page",
}


def kind_of(contents: bytes) -> str:
    """JPEG, PNG, GIF or BMP.

    Raises:
        ValueError: the file is none of these; where it is known, the message says what it is.
    """
    for start, kind in _DECODED.items():
        if contents.startswith(start):
            return kind
    raise ValueError(f"contents is {_named(contents)}, and no JPEG, PNG, GIF or BMP image")


def _named(contents: bytes) -> str:
    if not contents:
        return "empty"
    if contents[:4] == b"RIFF" and contents[8:12] == b"WEBP":
        return "a WebP image"
    if contents[4:8] == b"ftyp":
        brand = contents[8:12].decode("ascii", "replace")
        return {"avif": "an AVIF image", "heic": "a HEIC image"}.get(brand, "a video")
    for start, name in _OTHERS.items():
        if contents.startswith(start):
            return name
    return f"a file that begins with {contents[:8]!r}"
