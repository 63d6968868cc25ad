"""Whole architectures beside TensorFlow: the shortest of interleaved runs, CPU and wall time.

With `--tensorflow`, Keras makes eleven of them, once a machine; the attention block and the LSTM
are those of the examples, and without TensorFlow, they are all there is. The ratio of an output to
what TensorFlow gave when the graph was made is checked, so that nothing wrong is fast.

`--batches=1,16` measures other batches than 1 and 4.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from libraries import tensorflow
from threadpoolctl import threadpool_limits
from timing import Row

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).resolve().parent
_WARM_UP_RUNS = 4  # after which plans are compiled
_LEAST_ROUNDS, _MOST_ROUNDS = 3, 9
_SECONDS = 1.5  # for each architecture, batch and number of threads, where it is short


def rows() -> Iterator[Row]:
    """Each architecture with each batch, on one thread and on two.

    A process for each number of threads: TensorFlow's first session settles it for all.
    """
    for threads in (1, 2):
        arguments = [str(threads), *(argument for argument in sys.argv if argument.startswith("-"))]
        found = _run(Path(__file__), *arguments, capture=True)
        for name, ours, theirs in json.loads(found.splitlines()[-1]):
            yield Row(name, ours, theirs, 2.3) if theirs else Row(name, ours, 1.0, 1.2, unit="")


def _run(script: Path, *arguments: str, capture: bool = False) -> str:
    """Runs a script by this interpreter, with the folders that modules are found in here."""
    code = (
        f"import sys, runpy; sys.path[:] = {sys.path!r}; sys.argv = {[str(script), *arguments]!r}; "
        f"runpy.run_path({str(script)!r}, run_name='__main__')"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, check=True, text=True, stdout=subprocess.PIPE if capture else None
    )
    return done.stdout or ""


def main(threads: int) -> None:
    """Prints the names and times of all rows, as JSON."""
    paths = [HERE.parent / "examples" / f"{name}.pb" for name in ("attention", "lstm")]
    if tensorflow() is not None:
        paths += _made_by_keras()
    found: list[tuple[str, float, float]] = []
    for batch in _batches():
        ratios = []
        for path in paths:
            wall, cpu = _measured(path, batch, threads)
            name = f"{path.stem}, batch {batch}, threads {threads}"
            found += [(name, *wall), (f"{name}, CPU", *cpu)]
            ratios.append(math.log(wall[0] / wall[1]))
        mean = math.exp(sum(ratios) / len(ratios))
        found.append((f"geometric mean, batch {batch}, threads {threads}", mean, 0.0))
    print(json.dumps(found))


def _batches() -> list[int]:
    chosen = [text for text in sys.argv if text.startswith("--batches=")]
    return [int(number) for number in (chosen or ["=1,4"])[0].partition("=")[2].split(",")]


def _made_by_keras() -> list[Path]:
    folder = Path(tempfile.gettempdir()) / "tensordraft-architectures"
    if not (folder / "complete").exists():
        folder.mkdir(mode=0o700, exist_ok=True)
        _run(HERE / "make_architectures.py", str(folder))
        (folder / "complete").touch()
    return sorted(folder.glob("*.pb"))


def _measured(path: Path, batch: int, threads: int) -> Any:
    """Wall and CPU time, each ours and TensorFlow's; without TensorFlow, ours twice."""
    case = np.load(path.with_suffix(".npz"))
    image = case["input"][:1]
    images = np.concatenate([image] * batch)
    data = path.read_bytes()
    tf = tensorflow()
    libraries = [td] if tf is None else [td, tf.compat.v1]
    calls = [_call(library, data, case, threads) for library in libraries]
    with threadpool_limits(threads, user_api="blas"):
        wanted = case["output"][:1]
        for call in calls:
            result = [call(images) for _ in range(_WARM_UP_RUNS)][-1]
            difference = np.abs(result[:1] - wanted).max() / np.abs(wanted).max()
            if difference > 1e-4:
                raise ValueError(f"{path.stem} gives what differs by {difference:.1e}")
        rounds: list[list[tuple[float, float]]] = []
        end = time.perf_counter() + _SECONDS
        while len(rounds) < _LEAST_ROUNDS or (
            len(rounds) < _MOST_ROUNDS and time.perf_counter() < end
        ):
            rounds.append([_timed(call, images) for call in calls])
        times = np.array(rounds).min(0)
    return [(float(times[0, i]), float(times[-1, i])) for i in (0, 1)]


def _call(library: Any, data: bytes, case: Any, threads: int) -> Callable[[Any], Any]:
    graph = library.Graph()
    with graph.as_default():
        library.import_graph_def(library.GraphDef.FromString(data), name="")
    config = library.ConfigProto(
        intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1
    )
    session = library.Session(graph=graph, config=config)
    call: Callable[[Any], Any] = session.make_callable(
        str(case["output_name"]), [str(case["input_name"])]
    )
    return call


def _timed(call: Callable[[Any], Any], images: Any) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    call(images)
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    main(int(sys.argv[1]))
