"""What a session tells of itself and of its runs."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NoReturn

from .explanation import explained
from .fetches import Fetches, feedable
from .options import RunOptions
from .profile import Profile, RunMetadata

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graph.graph import Graph
    from ..graph.node import Tensor
    from .plan import Plan


class SessionInsights:
    """The part of a session that tells of itself and of its runs."""

    _graph: Graph
    _closed: bool
    _state: dict[Any, Any]

    if TYPE_CHECKING:

        def _plan(self, fetches: Sequence[Any], feeds: Sequence[Tensor]) -> Plan: ...

        def run(  # noqa: D102 - a session has it
            self,
            fetches: Any,
            feed_dict: Mapping[Any, Any] | None = None,
            options: RunOptions | None = None,
            run_metadata: RunMetadata | None = None,
        ) -> Any: ...

    def explain(self, fetches: Any, feeds: Sequence[Any] = ()) -> str:
        """What a run of `fetches` does, as text: a line for each step of its plan.

        Below an op that runs functions, such as a loop, stand the plans of those. `times` tells
        which ops were folded into the filters of a convolution or product.

        Args:
            fetches: as for `run`.
            feeds: the tensors that would be fed.

        Example:
            >>> import tensordraft as td
            >>> with td.Graph().as_default(), td.Session() as session:
            ...     x = td.placeholder(td.float32, [2], name="x")
            ...     print(session.explain(td.identity(x + (td.constant(1.0) + 1.0)), [x]))
            s2 = constant float32[]
            s1 = add_1 (AddV2) of s0, s2
            fetch s1
        """
        elements = Fetches(self._graph, fetches).elements
        tensors = tuple([feedable(self._graph, key) for key in feeds])
        return explained(self._plan(elements, tensors))

    def profile(
        self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None, runs: int = 10
    ) -> Profile:
        """What each op of a run costs in time and memory.

        The ops run one by one, as in the first runs of a plan: what fusing them and threads save
        later does not show.

        Args:
            fetches: as for `run`.
            feed_dict: as for `run`.
            runs: how many runs to take the median of; one more warms up.

        Returns:
            A Profile: printed, it lists the costliest ops and types of ops.

        Raises:
            ValueError: `runs` is less than 1.
            TypeError, OpError: as for `run`.

        Example:
            >>> import tensordraft as td
            >>> with td.Graph().as_default(), td.Session() as session:
            ...     x = td.placeholder(td.float32, [None], name="x")
            ...     profile = session.profile(td.exp(x, name="y"), {x: [1.0, 2.0]})
            >>> [(cost.name, cost.type, cost.nbytes) for cost in profile.ops]
            [('y', 'Exp', 8)]
        """
        if runs < 1:
            raise ValueError(f"runs must be at least 1, got {runs}")
        options = RunOptions(trace_level=RunOptions.FULL_TRACE)
        traces = [RunMetadata() for _ in range(runs + 1)]
        for trace in traces:
            self.run(fetches, feed_dict, options, trace)
        return Profile(traces[1:])

    def __repr__(self) -> str:
        what = "closed" if self._closed else "open"
        return f"<td.{type(self).__name__}, {what}, of {self._graph!r}>"

    def _repr_html_(self) -> str:
        """The same, for a notebook."""
        return f"<code>{escape(repr(self))}</code>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Session cannot be pickled or copied: it holds threads, plans, and values that lie "
            "in memory. Pickle its graph (session.graph), save the values of variables with "
            "td.train.Saver, and make a Session where they are loaded"
        )
