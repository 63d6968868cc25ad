"""Limits that protect a process from graphs and files that ask for too much."""

from __future__ import annotations


class Config:
    """Settings of the library, as attributes of `td.config`.

    Attributes:
        max_tensor_bytes: the largest tensor, in bytes, that a kernel or a file may make: 16 GiB.
            A larger one is refused before any memory is asked for.

    Example:
        >>> import tensordraft as td
        >>> td.config.max_tensor_bytes == 16 * 2**30
        True
    """

    def __init__(self) -> None:
        self.max_tensor_bytes = 16 * 2**30


config = Config()
