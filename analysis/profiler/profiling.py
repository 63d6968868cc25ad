"""Profiles of graphs in the form of TensorFlow 1.x: `td.profiler`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...formats.replacement import replacing
from ...graph.default_graph import get_default_graph
from ...graph.graph import Graph
from ...protos.messages import GraphNodeProto, MultiGraphNodeProto
from ...session.profile import RunMetadata
from .option_builder import with_defaults
from .profile_views import by_line, by_type, group_view, scope_view
from .profiled_nodes import DEVICE, ROOT, Figures, ProfiledGraph, ProfiledNode
from .report_text import group_report, scope_report

public = {"td.profiler": "Profiler profile"}

_COMMANDS = ("scope", "op", "code")
_BYTES = ("requested", "peak", "residual", "output")


def profile(
    graph: Graph | None = None,
    run_meta: RunMetadata | None = None,
    op_log: Any = None,
    cmd: str = "scope",
    options: dict[str, Any] | None = None,
) -> Any:
    """Counts parameters, operations, and the time and memory of a traced run; prints a report.

    The operations are counted by the rules of TensorFlow 1.15's profiler, for the types of ops that
    it has rules for; `td.cost` counts all ops, and gives formulas where sizes are unknown.

    Args:
        graph: the graph; the default graph, if None.
        run_meta: a traced run, for times and bytes.
        op_log: must be None: ops have no further types here.
        cmd: "scope" for a tree of name scopes, "op" for the types of ops, "code" for the lines of
            the program that made the ops; of TensorFlow's, which follow whole stacks of calls, the
            innermost. "graph" there is none of: `td.draw` shows a graph.
        options: what to count, show and print, by a ProfileOptionBuilder; its defaults, if None.

    Returns:
        A GraphNodeProto for "scope", else a MultiGraphNodeProto: `total_float_ops`,
        `total_parameters`, `total_exec_micros` and so on, and `children`.

    Raises:
        ValueError: there is no such command, option or step, or a pattern is invalid.
        OSError: the report cannot be written.

    Example:
        >>> with td.Graph().as_default() as graph:
        ...     y = td.matmul(td.ones([2, 3]), td.get_variable("w", [3, 4]), name="y")
        >>> builder = td.profiler.ProfileOptionBuilder
        >>> options = builder(builder.float_operation()).with_empty_output().build()
        >>> td.profiler.profile(graph, options=options).children[0].float_ops
        48
        >>> options = builder.trainable_variables_parameter()
        >>> total = td.profiler.profile(graph, options=options).total_parameters
        node name | # parameters
        _TFProfRoot (--/12 params)
          w (3x4, 12/12 params)
        >>> total
        12
    """
    profiler = Profiler(graph, op_log)
    if run_meta is not None:
        profiler.add_step(0, run_meta)
    return profiler.profile_command(cmd, options)


class Profiler:
    """Profiles of a graph over several traced runs, as TensorFlow 1.15's.

    Args:
        graph: the graph; the default graph, if None.
        op_log: must be None: ops have no further types here.

    Raises:
        ValueError: there is an `op_log`.

    Example:
        >>> with td.Graph().as_default() as graph, td.Session() as session:
        ...     profiler = td.profiler.Profiler(graph)
        ...     y = td.square(td.placeholder(td.float32, [2], name="x"), name="y")
        ...     options = td.RunOptions(trace_level=td.RunOptions.FULL_TRACE)
        ...     for step in range(2):
        ...         run = td.RunMetadata()
        ...         _ = session.run(y, {"x:0": [1, 2]}, options, run)
        ...         profiler.add_step(step, run)
        >>> builder = td.profiler.ProfileOptionBuilder(
        ...     td.profiler.ProfileOptionBuilder.float_operation()
        ... )
        >>> profiler.profile_operations(builder.with_empty_output().build()).total_float_ops
        2
    """

    def __init__(self, graph: Graph | None = None, op_log: Any = None) -> None:
        if op_log is not None:
            raise ValueError("op_log must be None: ops have no types here but their own")
        self._graph = get_default_graph() if graph is None else graph
        self._steps: dict[int, RunMetadata] = {}

    def add_step(self, step: int, run_meta: RunMetadata) -> None:
        """Adds a traced run.

        Args:
            step: its number.
            run_meta: the run, traced with `RunOptions.FULL_TRACE`.

        Raises:
            TypeError: `run_meta` is not a RunMetadata.
        """
        if not isinstance(run_meta, RunMetadata):
            raise TypeError(f"run_meta must be a td.RunMetadata, got {run_meta!r}")
        self._steps[step] = run_meta

    def profile_name_scope(self, options: dict[str, Any] | None) -> Any:
        """The profile by scope: a GraphNodeProto."""
        return self.profile_command("scope", options)

    def profile_operations(self, options: dict[str, Any] | None) -> Any:
        """The profile by type of op: a MultiGraphNodeProto."""
        return self.profile_command("op", options)

    def profile_python(self, options: dict[str, Any] | None) -> Any:
        """The profile by line of the program: a MultiGraphNodeProto."""
        return self.profile_command("code", options)

    def profile_command(self, cmd: str, options: dict[str, Any] | None) -> Any:
        """The profile that a command asks for, as `td.profiler.profile` returns it.

        Raises:
            ValueError: there is no such command, option or step.
        """
        if cmd not in _COMMANDS:
            raise ValueError(f"cmd must be one of {', '.join(_COMMANDS)}, got {cmd!r}")
        asked = with_defaults(options)
        _place(asked["output"])
        runs = self._runs(asked["step"])
        profiled = ProfiledGraph(self._graph, runs)
        if cmd == "scope":
            root = scope_view(profiled.nodes, asked)
            report = scope_report(root, asked)
        else:
            root = group_view(profiled.nodes, asked, by_type if cmd == "op" else by_line)
            report = group_report(root, asked)
        if profiled.uncounted and "float_ops" in asked["select"]:
            report += f"\n{profiled.uncounted} ops are not counted: their sizes are not known"
        _put_out(report, asked["output"], runs)
        return _scope_message(root) if cmd == "scope" else _group_message(root)

    def _runs(self, step: int) -> list[RunMetadata]:
        if step < 0 or not self._steps:
            return list(self._steps.values())
        if step not in self._steps:
            steps = ", ".join(map(str, sorted(self._steps)))
            raise ValueError(f"there is no step {step}; the steps that were added are: {steps}")
        return [self._steps[step]]


def _put_out(report: str, output: str, runs: Sequence[RunMetadata]) -> None:
    kind, path = _place(output)
    if kind == "stdout":
        print(report)  # noqa: T201 - it is asked for
    elif kind == "file":
        with replacing(path) as file:
            file.write(report.encode() + b"\n")
    elif kind == "timeline":
        for step, run in enumerate(runs):
            with replacing(f"{path}_{step}") as file:
                file.write(run.chrome_trace().encode())


def _place(output: str) -> tuple[str, str]:
    """Output format of a report, and its file.

    Raises:
        ValueError: it is none of the ways there are.
    """
    kind, _, path = output.partition(":outfile=")
    if kind.rstrip(":") in ("none", "stdout") or (kind in ("file", "timeline") and path):
        return kind.rstrip(":"), path
    ways = "none, stdout, file:outfile=FILE or timeline:outfile=FILE"
    raise ValueError(f"output must be {ways}, got {output!r}")


def _scope_message(node: ProfiledNode) -> GraphNodeProto:
    message = GraphNodeProto(
        name=node.name,
        run_count=node.own.runs,
        total_run_count=node.total.runs,
        total_definition_count=node.total.definitions,
        **_own(node.own),
        **_total(node.total),
    )
    if node.op:
        message.devices.append(DEVICE)
        for i, tensor in enumerate(node.op.inputs):
            message.input_shapes[i].CopyFrom(tensor.shape.as_proto())
    message.children.extend(map(_scope_message, node.children))
    return message


def _group_message(root: ProfiledNode) -> MultiGraphNodeProto:
    """The groups as TensorFlow puts them: each below the one before, with the rest as its total."""
    below: list[MultiGraphNodeProto] = []
    rest = Figures()
    for node in reversed(root.children):
        rest.add(node.own)
        members = map(_scope_message, node.children)
        message = MultiGraphNodeProto(
            name=node.name, **_own(node.own), **_total(rest), graph_nodes=members, children=below
        )
        below = [message]
    return MultiGraphNodeProto(name=ROOT, **_total(root.total), children=below)


def _own(figures: Figures) -> dict[str, Any]:
    return {
        "exec_micros": figures.micros,
        "cpu_exec_micros": figures.micros,
        **{f"{kind}_bytes": figures.nbytes for kind in _BYTES},
        "parameters": figures.parameters,
        "float_ops": figures.float_ops,
    }


def _total(figures: Figures) -> dict[str, Any]:
    return {f"total_{name}": number for name, number in _own(figures).items()}
