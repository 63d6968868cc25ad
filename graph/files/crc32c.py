"""CRC-32C, the checksum in TensorFlow's files, as they store it."""

from __future__ import annotations


def masked_crc32c(data: bytes) -> int:
    """The CRC-32C of `data` as TensorFlow stores it, so that a checksum can itself be summed.

    Example:
        >>> from tensordraft.graph.files.crc32c import masked_crc32c
        >>> hex(masked_crc32c(b"123456789"))
        '0xc78ab0e5'
    """
    from crc32c import crc32c

    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
