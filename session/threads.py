"""The threads of a session: they come when there is work for them, and end with the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..graph.pools import Pool

if TYPE_CHECKING:
    from .options import ConfigProto


class Threads(NamedTuple):
    """Who helps the thread that calls `run`.

    `steps` run whole steps, so that there are none unless there are two; `blocks` share the
    blocks of large arrays with the thread that runs the step.
    """

    steps: Pool
    blocks: Pool

    @classmethod
    def of(cls, config: ConfigProto) -> Threads:
        """As many as the config asks for."""
        steps, blocks = config.inter_op_parallelism_threads, config.intra_op_parallelism_threads
        return cls(Pool(steps if steps > 1 else 0, "steps"), Pool(max(blocks - 1, 0), "blocks"))

    def close(self) -> None:
        """Ends all threads when they have done what they are doing."""
        for pool in self:
            pool.close()
