"""Settings of the library: limits, what may make it faster, and how much tracebacks show."""

from __future__ import annotations

import os

public = {"td": "config"}


class Config:
    """Settings of the library, as attributes of `td.config`.

    Attributes:
        max_tensor_bytes: the largest tensor, in bytes, that a kernel or a file may make: 16 GiB.
            A larger one is refused before any memory is asked for.
        max_graph_nodes: the most nodes that a file may have, calls of functions counted with what
            they stand for: 5 million.
        max_graph_tensors: the most tensors that the ops of a file may put out: 20 million.
        max_op_tensors: the most tensors that one argument of an op may stand for: a million.
        max_nesting: how deep calls of functions in a file may be nested: 100.
        accelerator: whether plans may use loops that numba has compiled, where it is installed:
            True, unless the environment variable TENSORDRAFT_ACCELERATOR is "off".
        full_tracebacks: whether tracebacks show the lines inside of tensordraft, too, and what an
            error was made of; by default they end at the call of the program.

    Example:
        >>> import tensordraft as td
        >>> td.config.max_tensor_bytes == 16 * 2**30
        True
    """

    def __init__(self) -> None:
        self.max_tensor_bytes = 16 * 2**30
        self.max_graph_nodes = 5_000_000
        self.max_graph_tensors = 20_000_000
        self.max_op_tensors = 1_000_000
        self.max_nesting = 100
        self.accelerator = os.environ.get("TENSORDRAFT_ACCELERATOR") != "off"
        self.full_tracebacks = False


config = Config()
