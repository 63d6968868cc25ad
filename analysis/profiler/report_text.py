"""Text of a profile, in the form of TensorFlow 1.15's profiler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..declared_variables import declared_variable
from .profiled_nodes import Figures, ProfiledNode

_COLUMNS = {  # in the order of the report
    "params": ["# parameters"],
    "float_ops": ["# float_ops"],
    "bytes": ["requested bytes"],
    "peak_bytes": ["peak bytes"],
    "residual_bytes": ["residual bytes"],
    "output_bytes": ["output bytes"],
    "micros": ["total execution time", "accelerator execution time", "cpu execution time"],
    "accelerator_micros": ["accelerator execution time"],
    "cpu_micros": ["cpu execution time"],
    "device": ["assigned devices"],
    "op_types": ["op types"],
    "occurrence": ["op count (run|defined)"],
    "input_shapes": ["input shapes"],
}


def scope_report(root: ProfiledNode, options: Mapping[str, Any]) -> str:
    """A tree of scopes as lines, each two characters further in than the one above."""
    chosen = _chosen(options["select"])
    lines = [" | ".join(["node name", *_headers(chosen)])]

    def add_lines(node: ProfiledNode, indent: int) -> None:
        cells = [cell for column in chosen for cell in _cells(node, column)]
        lines.append(f"{' ' * indent}{node.name} ({', '.join(cells)})")
        for child in node.children:
            add_lines(child, indent + 2)

    add_lines(root, 0)
    return "\n".join(lines)


def group_report(root: ProfiledNode, options: Mapping[str, Any]) -> str:
    """Groups of ops as a table: the amount of each, its cumulative share, and its own."""
    chosen = _chosen(options["select"])
    width = max((len(node.name) for node in root.children), default=0) + 2
    lines = [" | ".join(["node name", *_headers(chosen)])]
    rest = _Rest(root)
    for node in root.children:
        cells = [cell for column in chosen for cell in rest.cells(node, column)]
        lines.append(f"{node.name:<{width}}{', '.join(cells)}".rstrip())
        rest.go_on(node)
    return "\n".join(lines)


class _Rest:
    """Cumulative figures of a group and all that follow it."""

    def __init__(self, root: ProfiledNode) -> None:
        self._whole = root.total
        self._left = {column: get(root.total) for column, get in _GETTERS.items()}

    def cells(self, node: ProfiledNode, column: str) -> list[str]:
        """Cell of a group's row in a column."""
        if column == "micros":
            return [
                cell
                for kind in ("cpu_micros", "accelerator_micros", "cpu_micros")
                for cell in self.cells(node, kind)
            ]
        if column == "occurrence":
            return [f"{node.own.runs}|{node.own.definitions}"]
        if column not in _GETTERS:
            return _cells(node, column)
        get, whole = _GETTERS[column], _GETTERS[column](self._whole)
        shares = (
            f"{100 * part / (whole or 1):.2f}%" for part in (self._left[column], get(node.own))
        )
        return [f"{_text(get(node.own), column)} ({', '.join(shares)})"]

    def go_on(self, node: ProfiledNode) -> None:
        """Leaves a group behind."""
        for column, get in _GETTERS.items():
            self._left[column] -= get(node.own)


_GETTERS: dict[str, Callable[[Figures], int]] = {
    "params": lambda figures: figures.parameters,
    "float_ops": lambda figures: figures.float_ops,
    **dict.fromkeys(
        ("bytes", "peak_bytes", "residual_bytes", "output_bytes"), lambda figures: figures.nbytes
    ),
    "cpu_micros": lambda figures: figures.micros,
    "accelerator_micros": lambda figures: 0,
}
_UNITS = {"params": " params", "float_ops": " flops"}


def _chosen(select: Iterable[str]) -> list[str]:
    selected = set(select)
    return [column for column in _COLUMNS if column in selected]


def _headers(chosen: Iterable[str]) -> list[str]:
    return [header for column in chosen for header in _COLUMNS[column]]


def _cells(node: ProfiledNode, column: str) -> list[str]:
    """Text of a node's line in a column."""
    if column == "micros":
        kinds = ("cpu_micros", "accelerator_micros", "cpu_micros")
        return [_pair(node, kind) for kind in kinds]
    if column == "occurrence":
        own = [node.own.runs, node.own.definitions] if node.counts else ["--", "--"]
        return [f"{own[0]}/{node.total.runs}|{own[1]}/{node.total.definitions}"]
    if column == "device":
        return [kind for kind in node.types if kind.startswith("/")]
    if column == "op_types":
        return ["|".join(kind for kind in node.types if not kind.startswith("/"))]
    if column == "input_shapes":
        return [_input_shapes(node)]
    if column == "params":
        return [f"{_declared(node)}{_pair(node, column)}"]
    return [_pair(node, column)]


def _pair(node: ProfiledNode, column: str) -> str:
    """Cost of a node by itself, and with its subtree."""
    get = _GETTERS[column]
    own = _text(get(node.own), column) if node.counts else "--"
    return f"{own}/{_text(get(node.total), column)}{_UNITS.get(column, '')}"


def _declared(node: ProfiledNode) -> str:
    variable = declared_variable(node.op) if node.op else None
    if variable is None or variable.shape.num_elements() is None:
        return ""
    return f"{'x'.join(map(str, variable.shape.as_list()))}, " if variable.shape.rank else ""


def _input_shapes(node: ProfiledNode) -> str:
    shapes = [tensor.shape for tensor in node.op.inputs] if node.op else []
    return "|".join(f"{i}:{_sizes(shape)}" for i, shape in enumerate(shapes))


def _sizes(shape: Any) -> str:
    if shape.rank is None:
        return "unknown"
    return "x".join("-1" if size is None else str(size) for size in shape.as_list())


def _text(number: int, column: str) -> str:
    if column.endswith("micros"):
        return _scaled(number, _TIMES)
    return _scaled(number, _MEMORY if column.endswith("bytes") else _NUMBERS)


_NUMBERS = [(1, ""), (10**3, "k"), (10**6, "m"), (10**9, "b")]
_MEMORY = [(1, "B"), (10**3, "KB"), (10**6, "MB"), (10**9, "GB")]
_TIMES = [(1, "us"), (10**3, "ms"), (10**6, "sec"), (60 * 10**6, "min"), (3600 * 10**6, "hr")]


def _scaled(number: int, units: Sequence[tuple[int, str]]) -> str:
    size, unit = max((each for each in units if each[0] <= number), default=units[0])
    return f"{number}{unit}" if size == 1 else f"{number / size:.2f}{unit}"
