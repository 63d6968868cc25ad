"""Pictures in DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .drawing import Drawing
from .heat import Heat

_STYLES = {
    "input": 'shape=box, style="rounded,filled", fillcolor="#cfe8cf"',
    "output": 'shape=box, style="rounded,filled", fillcolor="#f6d5c4"',
    "constant": 'shape=ellipse, style=filled, fillcolor="#eeeeee"',
    "closed": 'shape=box3d, style=filled, fillcolor="#fff3c9"',
    "stack": 'shape=box3d, style=filled, fillcolor="#fff3c9", peripheries=2',
    "op": 'shape=box, style="rounded,filled", fillcolor="#d6e4f5"',
}


def dot(drawing: Drawing, heat: Heat | None = None) -> str:
    """The picture in DOT: name scopes are clusters, lines carry the types of their tensors.

    Args:
        drawing: the picture.
        heat: what boxes are coloured by, if not by what they are.
    """
    tones = [""] * len(drawing.boxes)
    if heat is not None:
        tones = [f', fillcolor="{tone}"' for tone in heat.tones(drawing.boxes)]
    return "\n".join(_lines(drawing, tones)) + "\n"


def _lines(drawing: Drawing, tones: Sequence[str]) -> Iterator[str]:
    yield "digraph graph_def {"
    yield '  node [fontname="sans-serif", fontsize=10];'
    yield '  edge [fontname="sans-serif", fontsize=8, color="#555555"];'
    open_scopes: list[str] = []
    numbers = range(len(drawing.boxes))
    for i in sorted(numbers, key=lambda i: [*drawing.boxes[i].scope.split("/"), ""]):
        box = drawing.boxes[i]
        scopes = box.scope.split("/") if box.scope else []
        while open_scopes != scopes[: len(open_scopes)]:
            open_scopes.pop()
            yield f"{_indent(open_scopes)}}}"
        while len(open_scopes) < len(scopes):
            yield f"{_indent(open_scopes)}subgraph cluster_{i}_{len(open_scopes)} {{"
            open_scopes.append(scopes[len(open_scopes)])
            yield f'{_indent(open_scopes)}label={_quoted(open_scopes[-1])}; color="#bbbbbb";'
        label = _quoted(f"{box.name.rpartition('/')[2]}\n{box.op}")
        yield f"{_indent(open_scopes)}n{i} [label={label}, {_STYLES[box.kind]}{tones[i]}];"
    while open_scopes:
        open_scopes.pop()
        yield f"{_indent(open_scopes)}}}"
    for line in drawing.lines:
        style = "style=dashed" if line.control else f"label={_quoted(line.label)}"
        yield f"  n{line.source} -> n{line.target} [{style}];"
    yield "}"


def _indent(scopes: list[str]) -> str:
    return "  " * (len(scopes) + 1)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
