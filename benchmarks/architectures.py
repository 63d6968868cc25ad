"""Whole architectures beside TensorFlow: the shortest of interleaved runs, CPU and wall time.

With `--tensorflow`, Keras makes eleven of them, once a machine; the attention block and the LSTM
are those of the examples, and without TensorFlow, they are all there is. The output is checked
against what TensorFlow gave when the graph was made, so that nothing wrong is fast. Each library
runs in a process of its own; one network is measured at a time, in few rounds.

`--tensorflow=PYTHON` names the interpreter that has TensorFlow, `--onnxruntime=PYTHON` one that has
onnxruntime, and tf2onnx with TensorFlow to translate the graphs; `--batches=1,16` other batches
than 1 and 4, `--threads=1` other numbers of threads than 1 and 2, `--only=VGG16,lstm` some
networks. `--results=FILE` writes each figure as soon as it is there, and measures none that is in
the file. This file as a script prints the tables for the documentation, of CPU time; with `--wall`,
of wall time.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from timing import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE = Path(__file__).resolve().parent
_LEAST_ROUNDS, _MOST_ROUNDS = 5, 25
_SECONDS = 3.0  # for each architecture, batch and number of threads, where it is short
_MOST_DIFFERENCE = 1e-4
_AIMS = {"numpy": 2.3, "jit": 1.5}  # of the time over TensorFlow's
_AIMS_OF_MEANS = {"numpy": 1.2, "jit": 0.9}


class Figures(NamedTuple):
    """A measurement: wall and CPU time of each library, and the error of its output."""

    name: str
    batch: int
    threads: int
    times: dict[str, tuple[float, float]]
    differences: dict[str, float]

    def ratio(self, library: str, kind: int = 1) -> float:
        """The CPU time of a library over TensorFlow's; for `kind` 0 the wall time."""
        return self.times[library][kind] / self.times["tensorflow"][kind]


def rows() -> Iterator[Row]:
    """Each architecture with each batch and number of threads, and the geometric means."""
    for batch in _numbers("batches", (1, 4)):
        for threads in _numbers("threads", (1, 2)):
            found = []
            for figures in measured(batch, threads):
                found.append(figures)
                yield from _rows_of(figures)
            for library, aim in _AIMS_OF_MEANS.items() if _tensorflow() else ():
                if any(library in item.times for item in found):
                    name = f"geometric mean, {library}, batch {batch}, threads {threads}, CPU"
                    yield Row(name, geometric_mean(found, library), 1.0, aim, unit="")


def _rows_of(figures: Figures) -> Iterator[Row]:
    plain = figures.times["numpy"]
    others = figures.times.get("tensorflow", plain)
    for library, times in figures.times.items():
        if library != "tensorflow":
            name = f"{figures.name}, {library}, batch {figures.batch}, threads {figures.threads}"
            aim = _AIMS.get(library)
            yield Row(name, times[0], others[0], aim)
            yield Row(f"{name}, CPU", times[1], others[1], aim)


def measured(batch: int, threads: int) -> Iterator[Figures]:
    """The figures of each architecture: those that were kept, or new ones."""
    kept = {(item.name, item.batch, item.threads): item for item in _kept()}
    for path in _paths():
        figures = kept.get((path.stem, batch, threads))
        yield figures or _keep(_measure(path, batch, threads))


def geometric_mean(found: Sequence[Figures], library: str, kind: int = 1) -> float:
    """The geometric mean of the ratios, where the library ran."""
    logarithms = [math.log(item.ratio(library, kind)) for item in found if library in item.times]
    return math.exp(sum(logarithms) / len(logarithms))


def _option(name: str) -> str | None:
    given = [text for text in sys.argv if text.startswith(f"--{name}=")]
    return given[-1].partition("=")[2] if given else None


def _numbers(name: str, otherwise: tuple[int, ...]) -> tuple[int, ...]:
    chosen = _option(name)
    return otherwise if chosen is None else tuple([int(text) for text in chosen.split(",")])


def _tensorflow() -> str | None:
    """The interpreter that has TensorFlow, where that is asked for."""
    return sys.executable if "--tensorflow" in sys.argv else _option("tensorflow")


def _kept() -> list[Figures]:
    path = _option("results")
    if path is None or not Path(path).exists():
        return []
    return [Figures(**json.loads(line)) for line in Path(path).read_text("utf-8").splitlines()]


def _keep(figures: Figures) -> Figures:
    path = _option("results")
    if path is not None:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(figures._asdict()) + "\n")
    return figures


def _paths() -> list[Path]:
    paths = [HERE.parent / "examples" / f"{name}.pb" for name in ("attention", "lstm")]
    tensorflow = _tensorflow()
    if tensorflow is not None:
        folder = Path(tempfile.gettempdir()) / "tensordraft-architectures"
        if not (folder / "complete").exists():
            folder.mkdir(mode=0o700, exist_ok=True)
            command = [tensorflow, str(HERE / "make_architectures.py"), str(folder)]
            subprocess.run(command, check=True)
            (folder / "complete").touch()
        paths += sorted(folder.glob("*.pb"))
    only = _option("only")
    return [path for path in paths if only is None or path.stem in only.split(",")]


def _measure(path: Path, batch: int, threads: int) -> Figures:
    """The shortest of rounds in which each library runs once."""
    interpreters = {"numpy": sys.executable}
    if find_spec("numba") is not None:
        interpreters["jit"] = sys.executable
    tensorflow = _tensorflow()
    if tensorflow is not None:
        interpreters["tensorflow"] = tensorflow
    onnxruntime = _option("onnxruntime")
    if onnxruntime is not None:
        interpreters["onnxruntime"] = onnxruntime
    with ExitStack() as stack:
        runners = {
            library: stack.enter_context(_Runner(interpreter, library, path, batch, threads))
            for library, interpreter in interpreters.items()
        }
        if "onnxruntime" in runners and not runners["onnxruntime"].can_run():
            del runners["onnxruntime"]  # there are ops that tf2onnx does not know
        differences = {library: runner.answer() for library, runner in runners.items()}
        for library, difference in differences.items():
            if not difference < _MOST_DIFFERENCE and library != "onnxruntime":
                raise ValueError(f"{library} gives what differs by {difference:.1e}: {path.stem}")
        rounds: list[dict[str, Any]] = []
        end = time.perf_counter() + _SECONDS
        while len(rounds) < _LEAST_ROUNDS or (
            len(rounds) < _MOST_ROUNDS and time.perf_counter() < end
        ):
            rounds.append({library: runner.run() for library, runner in runners.items()})
    times = {
        library: (
            min(item[library][0] for item in rounds),
            min(item[library][1] for item in rounds),
        )
        for library in runners
    }
    return Figures(path.stem, batch, threads, times, differences)


class _Runner:
    """A process that runs one network with one library."""

    def __init__(self, interpreter: str, *arguments: Any) -> None:
        script = str(HERE / "one_architecture.py")
        code = (
            f"import sys, runpy; sys.path[:] = {sys.path!r}; sys.argv = sys.argv[1:]; "
            "runpy.run_path(sys.argv[0], run_name='__main__')"
        )
        # Another interpreter has packages of its own.
        start = ["-c", code, script] if interpreter == sys.executable else [script]
        self._process = subprocess.Popen(
            [interpreter, *start, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def run(self) -> Any:
        """Wall and CPU time of a run."""
        stdin: Any = self._process.stdin
        stdin.write(b"\n")
        stdin.flush()
        return self.answer()

    def can_run(self) -> bool:
        """True if the process has answered and not ended."""
        stdout: Any = self._process.stdout
        return bool(stdout.peek(1))

    def answer(self) -> Any:
        """Reads the next answer."""
        stdout: Any = self._process.stdout
        return json.loads(stdout.readline())


def _print_markdown() -> None:
    """The table for the documentation, of what has been measured or is now.

    It is of CPU time; with `--wall`, of wall time.
    """
    kind = 0 if "--wall" in sys.argv else 1
    for batch in _numbers("batches", (1, 4)):
        for threads in _numbers("threads", (1, 2)):
            found = list(measured(batch, threads))
            print(f"\nBatch {batch}, threads {threads}:\n")
            columns = [key for key in _COLUMNS if any(key in item.times for item in found)]
            beside = [key for key in columns if key != "tensorflow"]
            titles = [_COLUMNS[key] for key in columns]
            titles += [f"{_COLUMNS[key]} / TensorFlow" for key in beside]
            print(f"| graph | {' | '.join(titles)} |")
            print("|---" * (1 + len(titles)) + "|")
            for item in found:
                there = item.times
                times = [
                    f"{there[key][kind] * 1e3:.1f} ms" if key in there else "" for key in columns
                ]
                ratios = [f"{item.ratio(key, kind):.2f}" if key in there else "" for key in beside]
                print(f"| {' | '.join([item.name, *times, *ratios])} |")
            means = [f"{geometric_mean(found, key, kind):.2f}" for key in beside]
            print(f"| geometric mean | {'| ' * len(columns)}{' | '.join(means)} |", flush=True)


_COLUMNS = {
    "numpy": "NumPy",
    "jit": "machine code",
    "tensorflow": "TensorFlow",
    "onnxruntime": "onnxruntime",
}


if __name__ == "__main__":
    _print_markdown()
