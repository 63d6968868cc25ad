"""Traces of runs under the name that programs of TensorFlow know: `timeline.Timeline`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .profile import OpTrace, RunMetadata

public = {"td.timeline": "Timeline"}


class Timeline:
    """A traced run as a trace that chrome://tracing shows.

    Args:
        step_stats: what `td.RunMetadata` has of that name.
        graph: the graph; it is not needed.

    Example:
        >>> import json
        >>> from tensordraft.timeline import Timeline
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.placeholder(td.float32, [2], name="x")
        ...     metadata = td.RunMetadata()
        ...     options = td.RunOptions(trace_level=td.RunOptions.FULL_TRACE)
        ...     _ = session.run(td.negative(x, name="y"), {x: [1, 2]}, options, metadata)
        >>> trace = Timeline(metadata.step_stats).generate_chrome_trace_format()
        >>> [event["name"] for event in json.loads(trace)["traceEvents"]]
        ['y']
    """

    def __init__(self, step_stats: Sequence[OpTrace], graph: Any = None) -> None:
        self._run = RunMetadata()
        self._run.step_stats = list(step_stats)

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False
    ) -> str:
        """The trace as JSON.

        Args:
            show_dataflow: TensorFlow draws arrows between ops; here the order shows it.
            show_memory: TensorFlow draws memory; here each op shows its bytes.

        Returns:
            The text of a file.
        """
        return self._run.chrome_trace()
