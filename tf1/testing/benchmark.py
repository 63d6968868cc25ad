"""Benchmarks of programs: `td.test.Benchmark`, whose methods measure and report runs."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Mapping
from types import FrameType
from typing import Any

from ...graph.scopes.thread_defaults import get_default_session
from ...session.options import ConfigProto, RunOptions
from ...session.profile import RunMetadata
from ...session.session import Session
from ...session.timeline import Timeline

public = {"td.test": "Benchmark benchmark_config"}


def benchmark_config() -> ConfigProto:
    """The config of a session that is to be measured: the usual one, as nothing is rewritten.

    Example:
        >>> with td.Graph().as_default(), td.Session(config=td.test.benchmark_config()) as session:
        ...     session.run(td.constant(3))
        np.int32(3)
    """
    return ConfigProto()


class Benchmark:
    """Base class of benchmarks; TensorFlow's runner calls each method `benchmark…`.

    Example:
        >>> class Sums(td.test.Benchmark):
        ...     def benchmarkSum(self):
        ...         self.report_benchmark(name="sum", iters=1, wall_time=0.5)
        >>> Sums().benchmarkSum()
        Sums.sum: 0.5 s a run, of 1
    """

    @classmethod
    def is_abstract(cls) -> bool:
        """True for the base class, which has no benchmarks of its own."""
        return cls is Benchmark

    def evaluate(self, tensors: Any) -> Any:
        """The values of a structure of tensors, in the default session."""
        session = get_default_session()
        if session is None:
            raise ValueError("there is no default session: write `with td.Session():` around it")
        return session.run(tensors)

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: Mapping[str, Any] | None = None,
        name: str | None = None,
        metrics: Any = None,
    ) -> None:
        """Prints the results of a benchmark, under the given name or that of the method."""
        title = f"{type(self).__name__}.{name or _calling_method(self)}"
        speed = "" if throughput is None else f", {throughput} MB/s"
        print(f"{title}: {wall_time} s a run, of {iters}{speed}")

    def run_op_benchmark(
        self,
        sess: Session,
        op_or_tensor: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: Mapping[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Measures runs of ops, and prints the results.

        Args:
            sess: the session.
            op_or_tensor: an Operation or Tensor, or a list of them; results are not fetched.
            feed_dict: its feeds.
            burn_iters: how many runs come before those that are measured.
            min_iters: how many runs are measured.
            store_trace: whether one further run is traced, as "full_trace_chrome_format".
            store_memory_usage: accepted for TensorFlow's sake.
            name: the name of the benchmark; by default that of the method.
            extras: further values to report.
            mbs: how many megabytes a run works on, for the throughput.

        Returns:
            A dict: iters, wall_time (the median of seconds), extras, name, and throughput.
        """
        targets = op_or_tensor if isinstance(op_or_tensor, (list, tuple)) else [op_or_tensor]
        ops = [getattr(target, "op", target) for target in targets]
        for _ in range(burn_iters):
            sess.run(ops, feed_dict)
        seconds = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(ops, feed_dict)
            seconds.append(time.perf_counter() - start)
        report = dict(extras or {})
        if store_trace:
            options, metadata = RunOptions(trace_level=RunOptions.FULL_TRACE), RunMetadata()
            sess.run(ops, feed_dict, options, metadata)
            report["full_trace_chrome_format"] = Timeline(
                metadata.step_stats
            ).generate_chrome_trace_format()
        if seconds:
            report["wall_time_mean"] = statistics.fmean(seconds)
            report["wall_time_stdev"] = statistics.pstdev(seconds)
        median = statistics.median(seconds) if seconds else 0.0
        name = name or _calling_method(self)
        speed = mbs / median if median else 0.0
        self.report_benchmark(min_iters, None, median, speed if mbs else None, report, name)
        return {
            "iters": min_iters,
            "wall_time": median,
            "extras": report,
            "name": name,
            "throughput": speed,
        }


def _calling_method(benchmark: Benchmark) -> str:
    """The name of the outermost method of a benchmark that is being run."""
    name = ""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_locals.get("self") is benchmark:
            name = frame.f_code.co_name
        frame = frame.f_back
    return name
