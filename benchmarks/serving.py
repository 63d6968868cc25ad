"""Serves a network for a while, and reports memory and the number of plans each minute.

`serving.py [MINUTES] [THREADS]`, by default 60 and 32: the threads share one session, and each runs
batches of 1 to 16 images, of sizes that change, with pauses between them as callers have them.
Results are checked against those of single images.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import tensordraft as td

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
_LARGEST_BATCH = 16
_LONGEST_PAUSE = 0.5  # seconds


def main(minutes: float = 60, threads: int = 32) -> int:
    """Prints a line a minute; returns 1 where a thread failed."""
    case = np.load(EXAMPLES / "shapes.npz")
    graph = td.load_graph(EXAMPLES / "shapes.pb")
    with td.Session(graph=graph) as session:
        server = _Server(session, case)
        workers = [threading.Thread(target=server.serve, args=[seed]) for seed in range(threads)]
        begin = time.perf_counter()
        for worker in workers:
            worker.start()
        print("| minute | requests | memory, MB | plans |\n|---|---|---|---|")
        while time.perf_counter() - begin < minutes * 60 and not server.failures:
            server.over.wait(60)
            minute = round((time.perf_counter() - begin) / 60)
            plans = len(session._calls.plans)
            print(f"| {minute} | {server.requests} | {_resident() >> 20} | {plans} |", flush=True)
        server.over.set()
        for worker in workers:
            worker.join()
    for failure in server.failures:
        print(repr(failure))
    return 1 if server.failures else 0


class _Server:
    """State shared by the threads."""

    def __init__(self, session: Any, case: Any) -> None:
        self.session = session
        self.names = str(case["output_name"]), str(case["input_name"])
        output, feed_name = self.names
        self.images = case["input"]
        self.expected = np.concatenate(
            [session.run(output, {feed_name: image[None]}) for image in self.images]
        )
        self.over = threading.Event()
        self.requests = 0
        self.failures: list[Exception] = []
        self._lock = threading.Lock()

    def serve(self, seed: int) -> None:
        """Runs batches until it is over."""
        rng = np.random.default_rng(seed)
        output, feed_name = self.names
        try:
            while not self.over.wait(rng.uniform(0, _LONGEST_PAUSE)):
                chosen = rng.integers(0, len(self.images), rng.integers(1, _LARGEST_BATCH + 1))
                scores = self.session.run(output, {feed_name: self.images[chosen]})
                np.testing.assert_allclose(scores, self.expected[chosen], rtol=1e-4, atol=1e-5)
                with self._lock:
                    self.requests += 1
        except Exception as error:  # noqa: BLE001 - reported by the main thread
            self.failures.append(error)
            self.over.set()


def _resident() -> int:
    """Bytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * 4096


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
