"""TensorFlow names that a program uses, and those that are missing, without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

from ...runtime.dialect import as_in_tensorflow
from .tensorflow_names import module_called, module_reason


class Use(NamedTuple):
    """A use of a TensorFlow name in a program."""

    line: int
    name: str


class Missing(NamedTuple):
    """An unsupported name, its place in the program, and an alternative if known."""

    line: int
    name: str
    reason: str


class NameReport(NamedTuple):
    """Result of `check_names`: the names used, and those among them that are missing."""

    names: list[str]
    missing: list[Missing]

    def __str__(self) -> str:
        """A line for each place that names something missing, and a total."""
        lines = [f"line {line}: {name}: {reason}" for line, name, reason in self.missing]
        lacking = len({name for _, name, _ in self.missing})
        found = len(self.names) - lacking
        return "\n".join([*lines, f"{found} of {len(self.names)} names, {lacking} missing"])


def check_names(source: str, file: str = "<program>") -> NameReport:
    r"""Finds the names of TensorFlow that a program uses, without running it.

    A name counts up to the first thing that is no module: of `tf.train.Saver().save` that is
    `tf.train.Saver`.

    Args:
        source: the text of the program.
        file: the name of the file, for errors.

    Returns:
        The names, and those of them that are missing, by line.

    Raises:
        SyntaxError: it is not valid Python.

    Example:
        >>> from tensordraft.tf1.import_hook.name_check import check_names
        >>> print(check_names("import tensorflow as tf\ntf.nn.relu(tf.no_such_name)"))
        line 2: tensorflow.no_such_name: there is none
        1 of 2 names, 1 missing
    """
    names: dict[str, str | None] = {}
    missing = []
    for line, name in sorted(set(_uses(ast.parse(source, file)))):
        whole, reason = _resolved(name)
        names[whole] = reason
        if reason is not None:
            missing.append(Missing(line, whole, reason))
    return NameReport(sorted(names), sorted(set(missing)))


def _uses(tree: ast.Module) -> Iterator[Use]:
    """Yields every dotted name of a TensorFlow module, in full."""
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                for alias in node.names:
                    if alias.name.partition(".")[0] == "tensorflow":
                        bound = alias.name if alias.asname else "tensorflow"
                        aliases[alias.asname or "tensorflow"] = bound
            case ast.ImportFrom(module=str(module), level=0):
                if module.partition(".")[0] == "tensorflow":
                    for alias in node.names:
                        full = f"{module}.{alias.name}"
                        aliases[alias.asname or alias.name] = full
                        yield Use(node.lineno, full)
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            root, *names = _chain(node)
            if root in aliases and names:
                yield Use(node.lineno, ".".join([aliases[root], *names]))


def _chain(node: ast.expr) -> list[str]:
    """The names of `a.b.c`; of an attribute of anything else, an empty one in front."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id if isinstance(node, ast.Name) else "", *reversed(names)]


def _resolved(name: str) -> tuple[str, str | None]:
    """As much of a dotted name as counts, and why that is missing, or None.

    It is looked for as an import looks for it, so that the check and the program agree.
    """
    first, *rest = name.split(".")
    home: ModuleType | None = module_called(first)
    path = first
    for part in rest:
        if home is None:
            break
        path = f"{path}.{part}"
        if (module := module_called(path)) is not None:
            home = module
            continue
        try:
            value = getattr(home, part)
        except AttributeError as error:
            why = module_reason(path) or str(error).partition(": ")[2] or "there is none"
            return path, as_in_tensorflow(why)
        home = value if isinstance(value, ModuleType) else None
    return path, None
