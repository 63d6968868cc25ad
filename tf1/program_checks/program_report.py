"""Report of a program check, including what was not checked."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from ...runtime.repr_text import ShownText


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a program, or that ended its check.

    Attributes:
        kind: "error" for failures of a real run; "lint" for legal but probably wrong code;
            "refused" for actions that a check does not perform, such as network access;
            "stopped" if the program could not continue with values that were not computed.
        file, line: the place in the program; line 0 if there is none.
        text: the message.
    """

    kind: str
    file: str
    line: int
    text: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else ""
        return f"{self.kind}: {place}{self.text}"


@dataclass(frozen=True)
class CheckedRun:
    """A distinct run of the program, possibly repeated.

    Attributes:
        file, line: the place of its first call.
        fetches: the names of its fetches.
        feeds: the name of each tensor that is fed, with the shape of the value.
    """

    file: str
    line: int
    fetches: list[str]
    feeds: dict[str, list[int]]

    def __str__(self) -> str:
        fed = ", ".join(f"{name} {shape}" for name, shape in self.feeds.items())
        feeds_text = f" of {fed}" if fed else ""
        return f"{self.file}:{self.line}: {', '.join(self.fetches)}{feeds_text}"


@dataclass(frozen=True)
class UncheckedPart:
    """Lines of a program that did not run.

    Attributes:
        file: the file.
        first, last: the lines.
        what: "a branch", "a handler of exceptions", or a function, as `train()`.
    """

    file: str
    first: int
    last: int
    what: str

    def __str__(self) -> str:
        lines = f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"
        return f"{self.file}:{lines} ({self.what})"


@dataclass(frozen=True, repr=False)
class ProgramReport(ShownText):
    """Result of `check_program`; `print` it.

    Attributes:
        program: the path.
        graphs: how many graphs were run.
        checked: how many runs were worked out.
        runs: the distinct runs, in the order in which they were first made.
        findings: the problems found.
        unchecked: the parts that did not run, and so were not checked.
    """

    program: str
    graphs: int = 0
    checked: int = 0
    runs: list[CheckedRun] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unchecked: list[UncheckedPart] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """True if no error was found that a real run would raise as well."""
        return not any(finding.kind == "error" for finding in self.findings)

    def __str__(self) -> str:
        graphs = f"{self.graphs} graph{'' if self.graphs == 1 else 's'}"
        runs = f"{len(self.runs)} distinct run{'' if len(self.runs) == 1 else 's'}"
        lines = [f"{self.program}: {graphs}, {runs}, {self.checked} worked out"]
        lines += [f"  run {run}" for run in self.runs]
        lines += [f"  not checked: {part}" for part in self.unchecked]
        lines += [str(finding) for finding in self.findings]
        return "\n".join(lines if self.findings else [*lines, "nothing wrong was found"])

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps({"ok": self.ok, **asdict(self)})

    @classmethod
    def from_json(cls, text: str) -> ProgramReport:
        """The report that `to_json` wrote."""
        parts = json.loads(text)
        return cls(
            parts["program"],
            parts["graphs"],
            parts["checked"],
            [CheckedRun(**item) for item in parts["runs"]],
            [Finding(**item) for item in parts["findings"]],
            [UncheckedPart(**item) for item in parts["unchecked"]],
        )
