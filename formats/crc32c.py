"""CRC-32C, the checksum in TensorFlow's files, as they store it."""

from __future__ import annotations


def masked_crc32c(*data: bytes | bytearray | memoryview) -> int:
    """The CRC-32C of `data`, parts in a row, as TensorFlow stores it: a sum that can be summed.

    Example:
        >>> from tensordraft.formats.crc32c import masked_crc32c
        >>> hex(masked_crc32c(b"123456789"))
        '0xc78ab0e5'
    """
    from crc32c import crc32c

    crc = 0
    for part in data:
        crc = crc32c(part, crc)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
