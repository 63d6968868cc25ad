"""The threads of a session: they come when there is work for them, and end with the session."""

from __future__ import annotations

from typing import NamedTuple

from ..runtime.thread_pools import Pool
from .options import ConfigProto


class Threads(NamedTuple):
    """Helper threads of the thread that calls `run`.

    `steps` run whole steps, so that there are none unless there are two; `blocks` share the
    blocks of large arrays with the thread that runs the step. `asked` is how many the config asks
    for in all; 0 where it leaves that to each: products take as many as BLAS would, blocks one.
    """

    steps: Pool
    blocks: Pool
    asked: int

    @classmethod
    def of(cls, config: ConfigProto) -> Threads:
        """As many as the config asks for."""
        steps, asked = config.inter_op_parallelism_threads, config.intra_op_parallelism_threads
        asked = max(asked, 0)
        blocks = Pool(max(asked - 1, 0), "blocks")
        return cls(Pool(steps if steps > 1 else 0, "steps"), blocks, asked)

    def close(self) -> None:
        """Ends all threads after their current work."""
        self.steps.close()
        self.blocks.close()
