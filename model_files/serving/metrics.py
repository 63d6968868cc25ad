"""Metrics of a server, under TensorFlow Serving's names, for Prometheus."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from .packages import prometheus

_PREFIX = ":tensorflow:serving:"
# In microseconds: from 10, each 1.8 times the one before, as TensorFlow Serving has them.
_LATENCIES = tuple(10 * 1.8**i for i in range(32))
_COUNTS = tuple(2.0**i for i in range(15))


class _Counter:
    """Counts by labels."""

    kind = "counter"

    def __init__(self, name: str, text: str, labels: str) -> None:
        self.name, self.text, self.labels = _PREFIX + name, text, tuple(labels.split())
        self._values: dict[tuple[str, ...], float] = {}

    def add(self, labels: tuple[str, ...], amount: float) -> None:
        self._values[labels] = self._values.get(labels, 0) + amount

    def samples(self) -> Iterator[tuple[str, dict[str, str], float]]:
        for labels, value in self._values.items():
            yield self.name, dict(zip(self.labels, labels, strict=True)), value


class _Gauge(_Counter):
    """Numbers by labels that go up and down."""

    kind = "gauge"

    def set(self, labels: tuple[str, ...], value: float) -> None:
        self._values[labels] = value


class _Histogram(_Counter):
    """Distributions by labels."""

    kind = "histogram"

    def __init__(self, name: str, text: str, labels: str, limits: tuple[float, ...]) -> None:
        super().__init__(name, text, labels)
        self._limits = limits
        self._cells: dict[tuple[str, ...], tuple[list[int], list[float]]] = {}

    def add(self, labels: tuple[str, ...], amount: float) -> None:
        cell = self._cells.get(labels)
        if cell is None:
            cell = self._cells[labels] = [0] * (len(self._limits) + 1), [0.0]
        counts, total = cell
        counts[bisect_left(self._limits, amount)] += 1
        total[0] += amount

    def samples(self) -> Iterator[tuple[str, dict[str, str], float]]:
        for values, (counts, total) in self._cells.items():
            labels = dict(zip(self.labels, values, strict=True))
            below = 0
            for limit, count in zip((*self._limits, None), counts, strict=True):
                below += count
                text = "+Inf" if limit is None else str(limit)
                yield f"{self.name}_bucket", {**labels, "le": text}, below
            yield f"{self.name}_sum", labels, total[0]
            yield f"{self.name}_count", labels, below


class Metrics:
    """Counts of a server, which each server has for itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests = _Counter(
            "request_count", "The total number of requests.", "model_name status"
        )
        self._latency = _Histogram(
            "request_latency",
            "Distribution of wall time (in microseconds) for a request.",
            "model_name API entrypoint",
            _LATENCIES,
        )
        self._runtime = _Histogram(
            "runtime_latency",
            "Distribution of wall time (in microseconds) for a run.",
            "model_name API runtime",
            _LATENCIES,
        )
        self._examples = _Histogram(
            "request_example_counts", "The number of examples per request.", "model", _COUNTS
        )
        self._example_total = _Counter(
            "request_example_count_total", "The total number of examples.", "model"
        )
        self._batches = _Histogram(
            "batching_session:processed_batch_size",
            "The number of rows in a batch.",
            "model_name",
            _COUNTS,
        )
        self._states = _Gauge(
            "model_version_state",
            "The state of a version: 10 start, 20 loading, 30 available, 40 unloading, 50 end.",
            "model_name version",
        )
        self._pending = _Gauge("pending_requests", "Requests that wait or run.", "")

    def request(self, model: str, api: str, entrypoint: str, status: str, seconds: float) -> None:
        """Counts a request that was answered."""
        with self._lock:
            self._requests.add((model, status), 1)
            self._latency.add((model, api, entrypoint), seconds * 1e6)

    def run(self, model: str, api: str, seconds: float) -> None:
        """Counts a run of a model."""
        with self._lock:
            self._runtime.add((model, api, "tensordraft"), seconds * 1e6)

    def examples(self, model: str, count: int) -> None:
        """Counts the examples of a request."""
        with self._lock:
            self._examples.add((model,), count)
            self._example_total.add((model,), count)

    def batch(self, model: str, rows: int) -> None:
        """Counts a batch."""
        with self._lock:
            self._batches.add((model,), rows)

    def state(self, model: str, version: int, state: int) -> None:
        """Notes the state of a version."""
        with self._lock:
            self._states.set((model, str(version)), state)

    def pending(self, number: int) -> None:
        """Notes the number of requests that wait or run."""
        self._pending.set((), number)

    def collect(self) -> Iterator[Any]:
        """The metrics, as Prometheus' library takes them."""
        metric = prometheus().metrics_core.Metric
        with self._lock:
            for item in vars(self).values():
                if isinstance(item, _Counter):
                    # The library would append `_total` to the name of a counter.
                    kind = "gauge" if item.kind == "counter" else item.kind
                    family = metric(item.name, item.text, kind)
                    for name, labels, value in item.samples():
                        family.add_sample(name, labels, value)
                    yield family

    def page(self) -> bytes:
        """The metrics as text."""
        text: bytes = prometheus().generate_latest(self)
        for item in vars(self).values():
            if isinstance(item, _Counter) and item.kind == "counter":
                line = f"# TYPE {item.name} "
                text = text.replace(f"{line}gauge\n".encode(), f"{line}counter\n".encode())
        return text
