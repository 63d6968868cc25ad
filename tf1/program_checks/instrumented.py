"""The source of a program with ends for its loops, and a note of each branch that is taken."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any, NamedTuple

from .run_history import Course

NAME = "__tensordraft_check__"
"""The name under which instrumented code finds its `Notes`."""


class Part(NamedTuple):
    """Lines of a program that run only in some case.

    Attributes:
        file: the file.
        first, last: the lines.
        what: "a branch", "a handler of exceptions", or the function, as `train()`.
    """

    file: str
    first: int
    last: int
    what: str


class Notes:
    """Functions that instrumented code calls.

    Args:
        course: of the program.
    """

    def __init__(self, course: Course) -> None:
        self._course = course
        self._parts: list[Part] = []
        self._taken: set[int] = set()

    def part(self, part: Part) -> int:
        """The number of a part of the program."""
        self._parts.append(part)
        return len(self._parts) - 1

    def taken(self, number: int) -> None:
        """Notes that a part of the program runs."""
        self._taken.add(number)

    def rounds(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yields items for the iterations of a loop, up to the first without new runs."""
        for item in items:
            begun = self._course.round_begins()
            yield item
            if self._course.ends(begun):
                return

    def goes_on(self) -> Iterator[bool]:
        """Decides before each iteration of a loop whether to run it."""
        while True:
            begun = self._course.round_begins()
            yield True
            if self._course.ends(begun):
                yield False

    def not_taken(self) -> list[Part]:
        """The parts that have not run; a part of such a part is not listed."""
        missed = [part for i, part in enumerate(self._parts) if i not in self._taken]
        parts: list[Part] = []
        for part in sorted(missed, key=lambda part: (part.file, part.first, -part.last)):
            inside = parts and parts[-1].file == part.file and part.last <= parts[-1].last
            if not inside:
                parts.append(part)
        return parts


class _Instrumenting(ast.NodeTransformer):
    """Inserts calls of `Notes` into a program, each at the line of its construct."""

    def __init__(self, file: str, notes: Notes) -> None:
        self._file = file
        self._notes = notes
        self._loops = 0

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = ast.copy_location(_call("rounds", node.iter), node.iter)
        return ast.fix_missing_locations(node)

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        self.generic_visit(node)
        self._loops += 1
        name = f"{NAME}{self._loops}"
        begin = ast.Assign([ast.Name(name, ast.Store())], _call("goes_on"))
        more = ast.Call(ast.Name("next", ast.Load()), [ast.Name(name, ast.Load())], [])
        node.test = ast.copy_location(ast.BoolOp(ast.And(), [more, node.test]), node.test)
        ast.copy_location(begin, node)
        return [ast.fix_missing_locations(begin), ast.fix_missing_locations(node)]

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.body = self._noted(node.body, "a branch")
        if node.orelse and not (len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)):
            node.orelse = self._noted(node.orelse, "a branch")
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        node.body = self._noted(node.body, "a handler of exceptions")
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        documented = ast.get_docstring(node, clean=False) is not None
        start, rest = node.body[:documented], node.body[documented:]
        node.body = [*start, *self._noted(rest, f"{node.name}()")] if rest else start
        return node

    def _noted(self, body: list[ast.stmt], what: str) -> list[ast.stmt]:
        first, last = body[0], body[-1]
        part = Part(self._file, first.lineno, last.end_lineno or last.lineno, what)
        note = ast.Expr(_call("taken", ast.Constant(self._notes.part(part))))
        return [ast.fix_missing_locations(ast.copy_location(note, first)), *body]


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    function = ast.Attribute(ast.Name(NAME, ast.Load()), name, ast.Load())
    return ast.Call(function, list(arguments), [])


def instrumented(source: str | bytes, file: str, notes: Notes) -> CodeType:
    """The code of a program, instrumented.

    Args:
        source: its text.
        file: the name of the file.
        notes: the object that the code calls.

    Raises:
        SyntaxError: it is not valid Python.
    """
    tree = _Instrumenting(file, notes).visit(ast.parse(source, file))
    return compile(tree, file, "exec", dont_inherit=True)


class InstrumentingLoader(SourceFileLoader):
    """Loads modules beside the program like the program itself.

    Attributes:
        notes: the object that the code calls.
    """

    notes: Notes

    def source_to_code(self, data: Any, path: Any, **_: Any) -> CodeType:  # type: ignore[override]
        """The code of a module."""
        return instrumented(data, str(path), self.notes)

    def path_stats(self, path: str) -> Any:
        """Nothing: code that was compiled before is not instrumented."""
        raise OSError(path)

    def exec_module(self, module: Any) -> None:
        """Runs the instrumented module."""
        setattr(module, NAME, self.notes)
        super().exec_module(module)
