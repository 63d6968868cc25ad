"""Checking a graph before it runs: its shapes, and beside them a contract."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..formats.model_files import ModelFile
from ..formats.progress import Progress
from ..graph.graph import Graph
from ..graph.node import Tensor
from ..protos.messages import GraphDef
from ..runtime.load_budget import within
from ..saving.saved_model.loaded_model import LoadedModel
from .checking.check import check_shapes
from .checking.report import Report
from .contract import Contract
from .contract_violations import contract_points
from .lints import CODES, lints_of

public = {"td": "check_graph"}


def check_graph(
    graph: Graph | GraphDef | LoadedModel | ModelFile | str | os.PathLike[str],
    shapes: Mapping[str, Any] | None = None,
    fetches: Sequence[Any] | None = None,
    progress: Progress | None = None,
    contract: Contract | str | os.PathLike[str] | None = None,
    ignore: Collection[str] = (),
    sizes: Mapping[str, int] | None = None,
    positive: bool = False,
    signature: str | None = None,
) -> Report:
    """Checks a graph under the caller's own input shapes; nothing runs, nothing is changed.

    Args:
        graph: a Graph, a GraphDef, a model that was loaded, or the path of one.
        shapes: the shape of inputs, by name of the op, the tensor, or the input of the signature:
            `{"x": ["batch", 784]}`.
        fetches: names of the tensors that are wanted: only the ops that they need are checked. By
            default those of the signature are wanted. If there is none, all ops are checked, and
            tensors that no op consumes count as wanted.
        progress: called now and then, as by `load_graph`; `what` is "checks", too.
        contract: what the graph promises, a Contract or the path of one; its inputs have the
            shapes that it says, unless `shapes` says others.
        ignore: the codes of lints that are not wanted, such as "TD001".
        sizes: numbers for sizes of inputs, by their names: `{"batch": 32}`; one without a name is
            called by its input and axis, as the report shows it: `{"x.0": 32}`.
        positive: whether no size of an input is 0; then more is known of what `td.reshape` makes.
        signature: of a SavedModel, the name of the signature; by default that for serving, the only
            one, or else all.

    Returns:
        A Report. An op of an unregistered type is not an error; its shapes are those that the file
        states, if it does.

    Raises:
        ValueError: `shapes` or `fetches` name something that is not in the graph; the contract is
            malformed; there is no such signature.
        NotFoundError, DataLossError: the path leads to no file, or to no GraphDef.

    Example:
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, name="x")
        ...     y = td.matmul(x, td.zeros([3, 5]), name="y")
        >>> report = td.check_graph(graph, {"x": ["batch", 3]})
        >>> report.ok, {fact.name: str(fact.shape) for fact in report.tensors}["y:0"]
        (True, '(batch, 5)')
        >>> td.check_graph(graph, {"x": ["batch", 4]}).ok
        False
    """
    unknown = sorted(set(ignore) - CODES.keys())
    if unknown:
        raise ValueError(f"there is no lint {unknown[0]!r}; there are {', '.join(CODES)}")
    if contract is not None and not isinstance(contract, Contract):
        contract = Contract.load(contract)
    with within(progress):
        checked = check_shapes(graph, shapes, fetches, progress, sizes, positive, signature)
    report = checked.report
    if report.ok and checked.graph is not None:
        # Of a model, what serves its other signatures and its saver is not needed, either.
        explicit = () if fetches is None else checked.wanted or ()
        wanted = [item for item in explicit if isinstance(item, Tensor)]
        report.lints = [lint for lint in lints_of(checked, wanted) if lint.code not in ignore]
    if contract is not None and checked.graph is not None:
        report.points = contract_points(checked.graph, contract, checked.wanted, checked.loaded)
    return report
