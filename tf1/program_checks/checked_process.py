"""The process that checks a program.

Run as `python -m tensordraft.tf1.program_checks.checked_process`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.machinery import FileFinder
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

from ...analysis.check_graph import check_graph
from ...graph.growth import growth_of
from ...graph.node import Tensor
from ...runtime.dialect import as_in_tensorflow
from ...session.session import Session
from ..import_hook.tensorflow_names import as_tensorflow
from .dry_execution import DryExecutor
from .instrumented import NAME, InstrumentingLoader, Notes, instrumented
from .program_report import CheckedRun, Finding, ProgramReport, UncheckedPart
from .run_history import Course, DistinctRun, RunName
from .scratch_files import RefusedError, ScratchFiles

# A program builds much that it does not run, and runs much that does not depend on inputs.
_NOT_LINTS = ["TD007", "TD009"]
_MOST_LISTED = 3
# Errors that a program may rightly raise when it receives values that were not computed.
_OF_VALUES = (ValueError, ArithmeticError, LookupError, AssertionError)


class CheckedProcess:
    """Runs a program in this process, which must not be used for anything else afterwards.

    Args:
        program: the path of the program.
        runs: how often each distinct run is worked out.
    """

    def __init__(self, program: str, runs: int) -> None:
        self._program = program
        self._folder = str(Path(program).resolve().parent)
        self._course = Course(runs)
        self._notes = Notes(self._course)

    def run(self, arguments: Sequence[str], scratch: str) -> list[Finding]:
        """Runs the program; returns what ended it, if anything did.

        Args:
            arguments: the arguments of the program.
            scratch: the folder to which it writes.
        """
        as_tensorflow()
        self._replace_sessions()
        self._instrument_modules()
        time.sleep = lambda _: None
        sys.argv = [self._program, *arguments]
        sys.path.insert(0, self._folder)
        source = Path(self._program).read_bytes()
        main = ModuleType("__main__")
        vars(main).update({"__file__": self._program, NAME: self._notes})
        sys.modules["__main__"] = main
        ScratchFiles(scratch).install()
        try:
            exec(instrumented(source, self._program, self._notes), vars(main))  # noqa: S102
        except SystemExit as error:
            if error.code not in (None, 0):
                return [self._found("error", error, f"the program exits with {error.code!r}")]
        except BaseException as error:  # noqa: BLE001
            return [self._found(self._kind(error), error, f"{type(error).__name__}: {error}")]
        return []

    def report(self, findings: Sequence[Finding]) -> ProgramReport:
        """The report so far.

        Args:
            findings: the errors that ended the program.
        """
        distinct = self._course.distinct
        graphs = list(dict.fromkeys(run.name.graph for run in distinct))
        runs = [
            CheckedRun(
                self._shown("" if run.site is None else run.site.file),
                0 if run.site is None else run.site.line,
                list(run.name.fetches),
                dict(zip(run.name.feeds, map(list, run.shapes), strict=True)),
            )
            for run in self._listed()
        ]
        unchecked = [
            UncheckedPart(self._shown(part.file), part.first, part.last, part.what)
            for part in self._notes.not_taken()
        ]
        return ProgramReport(
            self._program,
            len(graphs),
            self._course.checked,
            runs,
            [
                replace(finding, text=as_in_tensorflow(finding.text))
                for finding in [*findings, *self._lints(graphs)]
            ],
            unchecked,
        )

    def _listed(self) -> Iterator[DistinctRun]:
        """The distinct runs; of a graph that grows in a loop, the first of each line."""
        times: Counter[tuple[int, str, int]] = Counter()
        for run in self._course.distinct:
            site, graph = run.site, run.name.graph
            if site is not None and growth_of(graph).reported:
                place = id(graph), site.file, site.line
                times[place] += 1
                if times[place] > _MOST_LISTED:
                    continue
            yield run

    def _lints(self, graphs: Sequence[Any]) -> list[Finding]:
        """Lints of the graphs that the program has run."""
        found = []
        for graph in graphs:
            found += [
                Finding("lint", self._shown(file), line, text)
                for (file, line), text in growth_of(graph).reported.items()
            ]
            runs = [run.name.fetches for run in self._course.distinct if run.name.graph is graph]
            fetches = sorted({name for run in runs for name in run})
            lints = check_graph(graph, fetches=fetches, ignore=_NOT_LINTS).lints
            found += [Finding("lint", self._shown(self._program), 0, str(lint)) for lint in lints]
        return found

    def _replace_sessions(self) -> None:
        course, numbers = self._course, count()

        def executor_for(
            session: Session, fetches: Sequence[Any], feeds: Sequence[Tensor]
        ) -> DryExecutor:
            number = vars(session).setdefault("_check_number", next(numbers))
            names = [[item.name for item in items] for items in (fetches, feeds)]
            name = RunName(session.graph, number, tuple(names[0]), tuple(names[1]))
            plan = session._plan(fetches, feeds)
            return DryExecutor(plan, session._threads, name, course)

        Session.executor_for = executor_for  # type: ignore[assignment,method-assign]

    def _instrument_modules(self) -> None:
        """Instruments modules beside the program when they are imported."""
        InstrumentingLoader.notes = self._notes
        hook = FileFinder.path_hook((InstrumentingLoader, [".py"]))
        folder = self._folder

        def beside(path: str) -> Any:
            if not os.path.realpath(path or ".").startswith(folder):
                raise ImportError(path)
            return hook(path)

        sys.path_hooks.insert(0, beside)
        sys.path_importer_cache.clear()

    def _kind(self, error: BaseException) -> str:
        reasons = [error]
        while reasons[-1].__context__ is not None:
            reasons.append(reasons[-1].__context__)
        if any(isinstance(reason, RefusedError) for reason in reasons):
            return "refused"
        frames = traceback.extract_tb(error.__traceback__)
        package = str(Path(__file__).resolve().parents[2])
        innermost = frames[-1].filename if frames else self._program
        ours = innermost.startswith(package) and not self._is_own(innermost)
        by_values = self._course.guessed and isinstance(error, _OF_VALUES) and not ours
        return "stopped" if by_values else "error"

    def _found(self, kind: str, error: BaseException, text: str) -> Finding:
        """The finding at the innermost line of the program."""
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if self._is_own(frame.filename)
        ]
        if isinstance(error, SyntaxError) and error.filename is not None:
            return Finding(kind, self._shown(error.filename), error.lineno or 0, text)
        if not frames:
            return Finding(kind, self._shown(self._program), 0, text)
        return Finding(kind, self._shown(frames[-1].filename), frames[-1].lineno or 0, text)

    def _is_own(self, file: str) -> bool:
        return file == self._program or os.path.abspath(file).startswith(self._folder)

    def _shown(self, file: str) -> str:
        """The path of a file as the user specified it."""
        path = os.path.relpath(file, os.getcwd()) if os.path.isabs(file) else file
        return file if path.startswith("..") else path


def main(program: str, target: str, scratch: str, limits: str, arguments: str) -> None:
    """Checks a program, and writes the report.

    Args:
        program: the path of the program.
        target: the file to write.
        scratch: the folder to which the program writes.
        limits: how often each distinct run is worked out, and how many seconds the program may
            take, as JSON.
        arguments: the arguments of the program, as JSON.
    """
    runs, seconds = json.loads(limits)
    report = open(target, "w", encoding="utf-8")  # noqa: SIM115 - before files are redirected
    process = CheckedProcess(program, runs)
    ended = threading.Lock()

    def finish(findings: Sequence[Finding]) -> None:
        if ended.acquire(blocking=False):
            report.write(process.report(findings).to_json())
            report.close()
            os._exit(0)  # threads of the program may wait forever

    text = f"the time limit of {seconds:g} s is over"
    limit = threading.Timer(seconds, finish, [[Finding("stopped", program, 0, text)]])
    limit.daemon = True
    limit.start()
    finish(process.run(json.loads(arguments), scratch))


if __name__ == "__main__":
    main(*sys.argv[1:])
