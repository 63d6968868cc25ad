"""Assignment of nodes to frames, which Enter nodes open and Exit nodes leave."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from .node_texts import ENTERS, EXITS, NEXTS, Nodes, sources


class Frame:
    """A loop on the wire: its name, the frame around it, and the names of its nodes."""

    def __init__(self, name: str, parent: Frame | None) -> None:
        self.name = name
        self.parent = parent
        self.nodes: list[str] = []
        self.inner: dict[str, Frame] = {}
        self.depth: int = 0 if parent is None else parent.depth + 1

    def around(self) -> Iterator[Frame]:
        """Enclosing frames, innermost first."""
        frame = self.parent
        while frame is not None:
            yield frame
            frame = frame.parent

    def __str__(self) -> str:
        return repr(self.name) if self.parent is not None else "the graph outside of frames"


def frames_of(nodes: Nodes) -> list[Frame]:
    """Frames of a graph, innermost first; the last is the graph outside all frames.

    Raises:
        ValueError: a node takes inputs of frames that are not inside each other.
    """
    consumers: dict[str, list[str]] = {name: [] for name in nodes}
    for name, node in nodes.items():
        for source in dict.fromkeys(sources(node)):
            if source in consumers:
                consumers[source].append(name)
    root = Frame("", None)
    frames = [root]
    found: dict[str, Frame] = {name: root for name, node in nodes.items() if not node.input}
    pending = deque(found)
    while pending:
        name = pending.popleft()
        frame = found[name]
        if nodes[name].op in EXITS:
            if frame.parent is None:
                raise ValueError(f"the node {name!r} ({nodes[name].op}) leaves no frame")
            frame = frame.parent
        for consumer in consumers[name]:
            target = frame
            node = nodes[consumer]
            if node.op in ENTERS:
                inner = node.attr["frame_name"].s.decode(errors="replace")
                if inner not in frame.inner:
                    frame.inner[inner] = Frame(inner, frame)
                    frames.append(frame.inner[inner])
                target = frame.inner[inner]
            known = found.get(consumer)
            if known is target or (known is not None and target in known.around()):
                continue
            if known is not None and (node.op in ENTERS or known not in target.around()):
                raise ValueError(
                    f"the frames of the node {consumer!r} ({node.op}) cross: it takes inputs of "
                    f"{known} and of {target}"
                )
            found[consumer] = target
            pending.append(consumer)
    for name in nodes:
        if name in found:
            found[name].nodes.append(name)
        elif nodes[name].op in NEXTS:
            raise ValueError(f"the node {name!r} ({nodes[name].op}) is reached by no Enter")
    return sorted(frames, key=lambda frame: -frame.depth)
