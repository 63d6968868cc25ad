"""Options of sessions and runs, and what a run tells of itself, under TensorFlow's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Options:
    """Settings with defaults, given by keyword; an unknown one is refused."""

    def __init__(self, **settings: Any) -> None:
        for name, value in settings.items():
            if name not in type(self).__annotations__:
                known = ", ".join(type(self).__annotations__)
                raise TypeError(f"{type(self).__name__} has no setting {name!r}; it has {known}")
            setattr(self, name, value)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({settings})"


class _Accepted:
    """Settings of any names, which are kept and have no effect."""

    def __init__(self, **settings: Any) -> None:
        vars(self).update(settings)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({settings})"


class OptimizerOptions(_Accepted):
    """How TensorFlow optimizes a graph: accepted for its sake, with any settings."""

    L1 = 0
    L0 = -1


class GraphOptions(_Accepted):
    """How TensorFlow treats a graph: accepted for its sake, with any settings."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(optimizer_options=OptimizerOptions())
        vars(self).update(settings)


class GPUOptions(_Accepted):
    """How TensorFlow uses a GPU: accepted for its sake, with any settings.

    Example:
        >>> import tensordraft as td
        >>> config = td.ConfigProto()
        >>> config.gpu_options.allow_growth = True
        >>> config
        ConfigProto(gpu_options=GPUOptions(allow_growth=True))
    """


class ConfigProto(_Options):
    """How a session runs its graph.

    Attributes:
        intra_op_parallelism_threads: how many threads share the work of fused elementwise steps
            over large arrays; 0 and 1 mean one.
        inter_op_parallelism_threads: how many threads run independent steps that have proved
            heavy; 0 and 1 mean one. The other settings are accepted for TensorFlow's sake.

    Example:
        >>> import tensordraft as td
        >>> td.ConfigProto(intra_op_parallelism_threads=2)
        ConfigProto(intra_op_parallelism_threads=2)
    """

    intra_op_parallelism_threads: int = 0
    inter_op_parallelism_threads: int = 0
    allow_soft_placement: bool = False
    log_device_placement: bool = False
    operation_timeout_in_ms: int = 0
    device_count: Mapping[str, int] | None = None
    use_per_session_threads: bool = False
    graph_options: Any = None
    gpu_options: Any = None

    def __init__(self, **settings: Any) -> None:
        self.graph_options = GraphOptions()
        self.gpu_options = GPUOptions()
        super().__init__(**settings)

    def __repr__(self) -> str:
        plain = {"GraphOptions(optimizer_options=OptimizerOptions())", "GPUOptions()"}
        settings = [f"{name}={value!r}" for name, value in vars(self).items()]
        told = [text for text in settings if text.partition("=")[2] not in plain]
        return f"ConfigProto({', '.join(told)})"


class RunOptions(_Options):
    """How one call of `Session.run` goes.

    Attributes:
        trace_level: `RunOptions.FULL_TRACE` to fill in the RunMetadata of the call.
        timeout_in_ms: after how many milliseconds the run is given up, between two ops, with a
            DeadlineExceededError; 0 for never.

    Example:
        >>> import tensordraft as td
        >>> td.RunOptions(timeout_in_ms=500).timeout_in_ms
        500
    """

    NO_TRACE = 0
    SOFTWARE_TRACE = 1
    HARDWARE_TRACE = 2
    FULL_TRACE = 3

    trace_level: int = NO_TRACE
    timeout_in_ms: int = 0


class OpTrace(NamedTuple):
    """One op of a traced run: when it ran, for how long, and what it made."""

    name: str
    type: str
    start: float
    seconds: float
    shapes: tuple[tuple[int, ...], ...]
    nbytes: int


class RunMetadata:
    """What a call of `Session.run` with `trace_level=FULL_TRACE` tells of itself.

    Attributes:
        step_stats: an OpTrace for each op that ran, in order.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.placeholder(td.float32, [2], name="x")
        ...     metadata = td.RunMetadata()
        ...     options = td.RunOptions(trace_level=td.RunOptions.FULL_TRACE)
        ...     _ = session.run(td.negative(x, name="y"), {x: [1, 2]}, options, metadata)
        ...     [(trace.name, trace.shapes) for trace in metadata.step_stats]
        [('y', ((2,),))]
    """

    def __init__(self) -> None:
        self.step_stats: list[OpTrace] = []

    def __str__(self) -> str:
        """The ops by time, the costliest first."""
        total = sum(trace.seconds for trace in self.step_stats) or 1.0
        lines = [f"{'time':>10} {'share':>6} {'memory':>10}  op"]
        for trace in sorted(self.step_stats, key=_seconds, reverse=True):
            shapes = " ".join(str(list(shape)) for shape in trace.shapes)
            lines.append(
                f"{trace.seconds * 1e6:7.1f} us {trace.seconds / total:6.1%} "
                f"{trace.nbytes:8} B  {trace.name} ({trace.type}) {shapes}"
            )
        return "\n".join(lines)

    def chrome_trace(self) -> str:
        """The run as JSON that chrome://tracing and similar viewers open."""
        import json

        start = self.step_stats[0].start if self.step_stats else 0.0
        events = [
            {
                "name": trace.name,
                "cat": trace.type,
                "ph": "X",
                "pid": 0,
                "tid": 0,
                "ts": (trace.start - start) * 1e6,
                "dur": trace.seconds * 1e6,
                "args": {"shapes": trace.shapes, "bytes": trace.nbytes},
            }
            for trace in self.step_stats
        ]
        return json.dumps({"traceEvents": events})


def _seconds(trace: OpTrace) -> float:
    return trace.seconds
