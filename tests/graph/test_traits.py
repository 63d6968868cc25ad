"""Traits of op types; no module below `ops/` refers to op types by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from places import ROOT

from tensordraft.graph.registry import definitions, lookup, sole
from tensordraft.shape_inference.traits import (
    Constant,
    Elementwise,
    Move,
    Product,
    Reduction,
    Stack,
    Traits,
)

OPS = {item.name: item for item in definitions() if item.site.file.startswith(str(ROOT / "ops"))}

# Files that read and write NodeDefs: op types are words of the format there.
FORMAT = {
    "graph/api/graph_ends.py",
    "saving/editing/fold_constants.py",
    "saving/editing/convert_variables_to_constants.py",
    "saving/editing/frozen_functions.py",
    "saving/editing/graph_editing.py",
    "saving/editing/loose_ends.py",
    "graph/importing/branches.py",
    "graph/importing/choices.py",
    "graph/importing/frame_loops.py",
    "graph/importing/frames.py",
    "graph/importing/function_bodies.py",
    "graph/importing/function_calls.py",
    "graph/importing/function_inlining.py",
    "graph/importing/guards.py",
    "graph/importing/node_expansion.py",
    "graph/importing/node_texts.py",
    "graph/importing/structuring.py",
    "saving/checkpoints/saved_model.py",
    "graph/lowered_nodes.py",
    "graph/api/unsupported_names.py",  # public names, some of which op types have, too
    "shape_inference/size_facts.py",  # the same: td.Size
}


def op_types_in(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in OPS:
            yield f"line {node.lineno}: {node.value}"


@pytest.mark.parametrize("folder", ["protos", "shape_inference", "graph", "session"])
def test_nobody_below_ops_knows_an_op_type_by_name(folder: str) -> None:
    found = {
        file: types
        for path in (ROOT / folder).rglob("*.py")
        if (file := path.relative_to(ROOT).as_posix()) not in FORMAT
        and (types := list(op_types_in(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_op_types_are_found_in_source() -> None:
    assert list(op_types_in('if op.type == "Pack" or x in ("nothing", "Cast"): pass')) == [
        "line 1: Pack",
        "line 1: Cast",
    ]


def test_the_makers_of_tensors_are_known_by_their_traits() -> None:
    assert (sole(Constant).name, sole(Stack).name) == ("Const", "Pack")
    assert {type(item.traits) for item in OPS.values()} >= {Elementwise, Move, Product, Reduction}


def test_traits_name_arguments_that_there_are() -> None:
    for item in OPS.values():
        traits, signature = item.traits, item.signature
        arguments = {spec.name for spec in signature.inputs}
        named = {traits.aliases, traits.assigns} - {None}
        assert named <= arguments, item
        if isinstance(traits, Reduction):
            assert traits.axis in {*arguments, *signature.attrs}, item
        if isinstance(traits, Product):
            inputs, arrow, result = traits.subscripts.partition("->")
            assert arrow, item
            assert inputs.count(",") + 1 == len(signature.inputs), item
            assert set(result) <= set(inputs), item
        if isinstance(traits, Elementwise):
            assert len(signature.outputs) == 1, item


def test_what_kinds_imply() -> None:
    assert Move().symbolic
    assert not Move(symbolic=False).symbolic
    assert Elementwise().checking
    assert isinstance(Stack(), Move)
    assert lookup("PyFunc").traits == Traits(stateful=True, calls_python=True)


@pytest.mark.parametrize("op", ["Assign", "RandomUniform", "InplaceAdd", "PlaceholderWithDefault"])
def test_what_has_state_is_not_pure(op: str) -> None:
    assert not lookup(op).pure
