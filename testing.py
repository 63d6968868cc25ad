"""Checks of graphs for test suites, and a plugin for pytest that runs contracts as tests.

`pytest -p tensordraft.testing` collects files named `*.contract.toml`: each point of a contract is
a test of the model that it names.

    # model.contract.toml
    model = "model.pb"
    [outputs]
    scores = "float32[batch, 10]"
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from .analysis.check_graph import check_graph
from .analysis.checking.check import check_shapes
from .analysis.contract import Contract, TensorPromise
from .graph.graph import Graph
from .protos.messages import GraphDef
from .shape_inference.tensor_shape import TensorShape

__all__ = ["assert_contract", "assert_shapes", "pytest_collect_file"]


def assert_shapes(
    graph: Graph | GraphDef | str | os.PathLike[str],
    expected: Mapping[str, Any],
    shapes: Mapping[str, Any] | None = None,
) -> None:
    """Asserts what the static shapes of tensors are; nothing runs.

    Args:
        graph: a Graph, a GraphDef, or the path of a file that holds one.
        expected: by the name of a tensor or op, its shape: `"[batch, classes]"`, with the dtype
            before it if that matters (`"float32[batch, 10]"`), or a list of sizes. `?` stands for
            any size, `[...]` for any shape.
        shapes: the shape of inputs, as for `td.check_graph`.

    Raises:
        AssertionError: the graph is inconsistent, or shapes differ; the message lists all.

    Example:
        >>> from tensordraft.testing import assert_shapes
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, ["batch", 4], name="x")
        ...     y = td.concat([x, x], 1, name="scores")
        >>> assert_shapes(graph, {"scores": "[batch, 8]"})
    """
    report = check_shapes(graph, shapes).report
    problems = [*report.errors]
    facts = {fact.name: fact for fact in report.tensors}
    for name, wanted in expected.items():
        fact = facts.get(name if ":" in name else f"{name}:0")
        text = wanted if isinstance(wanted, str) else _text(wanted)
        if fact is None:
            problems.append(f"there is no tensor {name!r}")
            continue
        given = text.strip().startswith("[")
        promise = TensorPromise.parse(f"{fact.dtype.removesuffix('_ref')}{text}" if given else text)
        found = f"{fact.dtype}{fact.shape}"
        if promise.dtype.name != fact.dtype.removesuffix("_ref") or not promise.accepts(
            fact.shape.sizes
        ):
            problems.append(f"{name} is {found}, expected {text}")
    if problems:
        raise AssertionError("\n".join(problems))


def assert_contract(
    graph: Graph | GraphDef | str | os.PathLike[str],
    contract: Contract | str | os.PathLike[str],
) -> None:
    """Asserts that a graph is consistent and keeps a contract; nothing runs.

    Args:
        graph: a Graph, a GraphDef, or the path of a file that holds one.
        contract: a Contract, or the path of one.

    Raises:
        AssertionError: the graph is inconsistent or breaks the contract; the message lists all.

    Example:
        >>> from tensordraft.testing import assert_contract
        >>> with td.Graph().as_default() as graph:
        ...     y = td.square(td.placeholder(td.float32, ["batch"], name="x"), name="y")
        >>> assert_contract(graph, td.Contract.parse({"outputs": {"y": "float32[batch]"}}))
    """
    report = check_graph(graph, contract=contract)
    if not report.ok:
        raise AssertionError("\n".join([*report.errors, *map(str, report.breaches)]))


def _text(sizes: Any) -> str:
    known = TensorShape(sizes).sizes
    if known is None:
        return "[...]"
    return f"[{', '.join('?' if size is None else str(size) for size in known)}]"


def pytest_collect_file(file_path: Any, parent: Any) -> Any:
    """For pytest: a file whose name ends with `.contract.toml` is a file of tests."""
    if not file_path.name.endswith(".contract.toml"):
        return None
    import pytest

    class PointItem(pytest.Item):
        """A point of a contract as a test."""

        breach = ""

        def runtest(self) -> None:
            if self.breach:
                raise AssertionError(self.breach)

        def repr_failure(self, excinfo: Any, style: Any = None) -> str:
            return str(excinfo.value)

        def reportinfo(self) -> tuple[Any, int, str]:
            return self.path, 0, self.name

    class ContractFile(pytest.File):
        """A contract as a file of tests."""

        def collect(self) -> Iterator[PointItem]:
            contract = Contract.load(self.path)
            if not contract.model:
                raise ValueError(f'{self.path} names no model: it needs `model = "model.pb"`')
            report = check_graph(self.path.parent / contract.model, contract=contract)
            points = [("consistent", "\n".join(report.errors))]
            points += [(f"{point.code} {point.text}", point.breach) for point in report.points]
            for name, breach in points:
                item = PointItem.from_parent(self, name=name)
                item.breach = breach
                yield item

    return ContractFile.from_parent(parent, path=file_path)
