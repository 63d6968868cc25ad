"""A tour of tensordraft in a minute: `make demo`.

Runs two graphs that TensorFlow froze and compares the results with TensorFlow's own; builds a
graph, saves it, reloads it and runs it; and makes a mistake. What is printed is measured here.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

started = time.perf_counter()
import numpy as np  # noqa: E402 - the imports are timed

numpy_ready = time.perf_counter()
import tensordraft as td  # noqa: E402

imported = time.perf_counter()

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HERE = Path(__file__).resolve().parent
MODELS = ("attention", "lstm")
LABELS = ("", "", "takes", "gives", "loaded in", "first run", "later runs", "TensorFlow's result")
RELATIVE, ABSOLUTE = 2e-4, 2e-5  # float32 results may differ by this much from TensorFlow's

PLACES = {
    "Lisbon": (38.72, -9.14),
    "Nairobi": (-1.29, 36.82),
    "Tokyo": (35.68, 139.69),
    "Auckland": (-36.85, 174.76),
    "Lima": (-12.05, -77.04),
}
EARTH_RADIUS = 6371.0  # km


def main() -> int:
    """Runs the demo; returns 0 if all that was compared agrees."""
    print(f"tensordraft {td.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}")
    print(f"`import numpy` took {ms(numpy_ready - started)}; ", end="")
    print(f"`import tensordraft` took {ms(imported - numpy_ready)} more")
    print("\n1. Graphs that TensorFlow froze, run on NumPy\n")
    columns = [frozen_model(name) for name in MODELS]
    print_table(zip(LABELS, *columns, strict=True))
    agree = all(column[-1].startswith("agrees") for column in columns)
    print("\n   Call the batch size 'batch', and attention.pb is known from end to end:\n")
    print_table(shapes_by_name())
    print("\n2. A graph of your own: the way from each place to each other one\n")
    distances()
    print("\n3. A mistake is reported at its line, before anything runs\n")
    mistake()
    print("\nNext: `tensordraft show examples/lstm.pb`, and README.md for programs to try.")
    return 0 if agree else 1


def frozen_model(name: str) -> tuple[str, ...]:
    """Loads and runs a model; returns what happened as a column of the table."""
    case = np.load(HERE / f"{name}.npz")
    source, target = str(case["input_name"]), str(case["output_name"])
    graph, load = timed(lambda: td.load_graph(HERE / f"{name}.pb"))
    with td.Session(graph=graph) as session:
        feed = {source: case["input"]}
        result, first = timed(lambda: session.run(target, feed))
        later = [timed(lambda: session.run(target, feed))[1] for _ in range(50)]
    expected = case["output"]
    gap = float(np.abs(result - expected).max())
    close = result.dtype == expected.dtype and np.allclose(result, expected, RELATIVE, ABSOLUTE)
    return (
        f"{name}.pb",
        f"{len(graph.get_operations())} nodes",
        kind(graph.get_tensor_by_name(source)),
        kind(graph.get_tensor_by_name(target)),
        ms(load),
        ms(first),
        ms(statistics.median(later)),
        f"{'agrees' if close else 'DISAGREES'}, off by {gap:.0e} at most",
    )


def shapes_by_name() -> Iterable[tuple[str, str]]:
    """Puts a placeholder with a named size into a loaded graph; returns shapes that follow."""
    graph_def = td.load_graph(HERE / "attention.pb").as_graph_def()
    with td.Graph().as_default() as graph:
        words = td.placeholder(td.int32, ["batch", 10], name="words")
        td.import_graph_def(graph_def, input_map={"input_0:0": words}, name="")
    yield "word numbers", kind(words)
    first = {op.type: op for op in reversed(graph.get_operations())}
    for label, op in [("embedded words", "GatherV2"), ("attention", "Softmax"), ("GELU", "Erfc")]:
        yield label, kind(first[op].outputs[0])
    yield "answer", kind(graph.get_tensor_by_name("Identity:0"))


def build_distances() -> td.Graph:
    """Great-circle distances: from latitudes and longitudes in degrees to kilometres."""
    with td.Graph().as_default() as graph:
        degrees = td.placeholder(td.float32, ["places", 2], name="degrees")
        latitude, longitude = td.unstack(degrees * (math.pi / 180), axis=1)
        across = td.cos(latitude)
        corners = [across * td.cos(longitude), across * td.sin(longitude), td.sin(latitude)]
        points = td.stack(corners, axis=1, name="points")
        gaps = td.expand_dims(points, 1) - td.expand_dims(points, 0)
        chords = td.sqrt(td.reduce_sum(td.square(gaps), 2))
        half_angles = td.asin(td.minimum(chords / 2.0, 1.0))
        td.multiply(half_angles, 2 * EARTH_RADIUS, name="km")
    return graph


def distances() -> None:
    """Builds the graph, saves it, reloads it, and runs the copy on places that people live in."""
    graph = build_distances()
    for name in ("degrees:0", "points:0", "km:0"):
        print(f"   {name:<10} {kind(graph.get_tensor_by_name(name))}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(td.save_graph(graph, Path(folder) / "distances.pb"))
        print(f"\n   Saved to {path.name} ({path.stat().st_size:,} bytes), reloaded, and run:\n")
        reloaded = td.load_graph(path)
    with td.Session(graph=reloaded) as session:
        km = session.run("km:0", {"degrees:0": list(PLACES.values())})
        names = list(PLACES)
        rows = [(name, *(f"{d:,.0f} km" for d in row)) for name, row in zip(names, km, strict=True)]
        print_table([("", *names), *rows], right=True)
        anywhere = np.random.default_rng(0).uniform([-90, -180], [90, 180], [1000, 2])
        many, seconds = timed(lambda: session.run("km:0", {"degrees:0": anywhere}))
    print(f"\n   The same file on 1,000 random places: {many.size:,} distances in {ms(seconds)}.")


def mistake() -> None:
    """Adds tensors that do not fit, and prints the error."""
    try:
        with build_distances().as_default() as graph:
            points, degrees = map(graph.get_tensor_by_name, ["points:0", "degrees:0"])
            td.add(points, degrees, name="nonsense")
    except ValueError as error:
        for line in f"ValueError: {error}".splitlines():
            print(f"   {line}")


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of `work`, and the seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def ms(seconds: float) -> str:
    """Seconds as a text in milliseconds, with the digits that mean something."""
    number = seconds * 1e3
    return f"{number:.{0 if number >= 10 else 1 if number >= 1 else 2}f} ms"


def kind(tensor: td.Tensor) -> str:
    """The dtype and the static shape of a tensor."""
    return f"{tensor.dtype.name} {tensor.shape}"


def print_table(rows: Iterable[tuple[str, ...]], *, right: bool = False) -> None:
    """Prints rows with aligned columns."""
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for first, *rest in cells:
        columns = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width in zip(rest, widths[1:], strict=True)
        ]
        print("   " + "   ".join([first.ljust(widths[0]), *columns]).rstrip())


if __name__ == "__main__":
    sys.exit(main())
