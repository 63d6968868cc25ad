"""Strings as the content of a tensor."""

from __future__ import annotations


def split_strings(content: bytes | memoryview, count: int) -> list[bytes]:
    """The strings in a `tensor_content`: first the length of each as a varint, then all bytes.

    Args:
        content: the content.
        count: how many strings it holds.

    Raises:
        ValueError: it does not hold as many strings.

    Example:
        >>> from tensordraft.protos.packed_strings import split_strings
        >>> split_strings(bytes([2, 0]) + b"ab", 2)
        [b'ab', b'']
    """
    lengths: list[int] = []
    position = length = shift = 0
    while len(lengths) < count:
        if position == len(content) or shift > 63:
            raise ValueError(f"tensor_content ends within the lengths of {count} strings")
        byte = content[position]
        position += 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            lengths.append(length)
            length = shift = 0
    if position + sum(lengths) != len(content):
        raise ValueError(
            f"tensor_content has {len(content)} bytes; its {count} strings need "
            f"{position + sum(lengths)}"
        )
    strings = []
    for length in lengths:
        strings.append(bytes(content[position : position + length]))
        position += length
    return strings
