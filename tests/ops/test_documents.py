"""Every example in the documents, and the signature of every function that they describe."""

from __future__ import annotations

import builtins
import inspect
import re
from typing import Any

import documents_blocks
import documents_gathering
import documents_joining
import documents_quantization
import documents_shapes
import numpy as np
import pytest
from cases import as_array, is_pair, typed
from documents import SIGNATURES, Example

import tensordraft as td

TABLES = [
    *documents_shapes.EXAMPLES,
    *documents_joining.EXAMPLES,
    *documents_blocks.EXAMPLES,
    *documents_gathering.EXAMPLES,
    *documents_quantization.EXAMPLES,
]
FAILURES = [example for example in TABLES if isinstance(example.result, type)]
EXAMPLES = [example for example in TABLES if not isinstance(example.result, type)]
HEADINGS = re.findall(r"^(\w+)\((.*?)\)$", re.sub(r"\n    ", " ", SIGNATURES), re.MULTILINE)

# Older forms warn, and keep working.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def evaluate(call: str, inputs: dict[str, Any], *, fed: bool) -> tuple[Any, dict[td.Tensor, Any]]:
    """Result of a call in a document, and its feeds."""
    arrays = {name: typed(value) for name, value in inputs.items()}
    if fed:
        tensors = {n: td.placeholder(dtype, array.shape) for n, (array, dtype) in arrays.items()}
        feeds = {tensors[name]: array for name, (array, _) in arrays.items()}
    else:
        tensors = {name: td.constant(array, dtype) for name, (array, dtype) in arrays.items()}
        feeds = {}
    return eval(call, vars(td) | {"__builtins__": builtins} | tensors), feeds  # noqa: S307


@pytest.mark.parametrize("fed", [False, True], ids=["constant", "fed"])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_example(example: Example, fed: bool) -> None:
    several = isinstance(example.result, tuple) and not is_pair(example.result)
    expected = example.result if several else [example.result]
    with td.Graph().as_default(), td.Session() as session:
        result, feeds = evaluate(example.call, example.inputs, fed=fed)
        tensors = list(result) if several else [result]
        values = [as_array(value) for value in session.run(tensors, feeds)]
        for tensor, value, item in zip(tensors, values, expected, strict=True):
            wanted, dtype = typed(item)
            assert tensor.dtype is dtype
            assert tensor.shape.is_compatible_with(value.shape)
            assert value.shape == wanted.shape, value
            if dtype.is_floating:
                np.testing.assert_allclose(value.astype(float), wanted.astype(float), 1e-6, 1e-6)
            else:
                assert value.tolist() == wanted.tolist()


@pytest.mark.parametrize("example", FAILURES, ids=lambda example: example.id)
def test_failure(example: Example) -> None:
    with td.Graph().as_default(), td.Session() as session, pytest.raises(example.result):
        session.run(*evaluate(example.call, example.inputs, fed=False))


@pytest.mark.parametrize(("name", "parameters"), HEADINGS, ids=lambda text: text.split("(")[0])
def test_signature(name: str, parameters: str) -> None:
    function = getattr(td, name)
    assert (function.__doc__ or "").strip(), "it has no docstring"
    if parameters == "*args, **kwargs":
        return
    actual = inspect.signature(function)
    documented = inspect.signature(eval(f"lambda {parameters}: None", vars(td)))  # noqa: S307
    kept = [ours for ours in actual.parameters if ours in documented.parameters]
    assert kept == list(documented.parameters)
    for ours in actual.parameters.values():
        theirs = documented.parameters.get(ours.name)
        needed = theirs is not None and theirs.default is inspect.Parameter.empty
        assert (ours.default is inspect.Parameter.empty) == needed, ours
        if theirs is not None and theirs.default is not None:
            assert ours.default == theirs.default


def test_every_documented_function_has_an_example() -> None:
    exemplified = {row.function for row in TABLES} | {"broadcast_static_shape"}
    assert {name for name, _ in HEADINGS} - exemplified == set()


def test_static_shapes_broadcast() -> None:
    merged = td.broadcast_static_shape(td.TensorShape([2, 1]), td.TensorShape([None, 1, 3]))
    assert merged.as_list() == [None, 2, 3]
    with pytest.raises(ValueError, match="2"):
        td.broadcast_static_shape(td.TensorShape([2]), td.TensorShape([3]))


def test_sparse_tensors_are_cast_and_measured() -> None:
    with td.Graph().as_default(), td.Session() as session:
        sparse = td.SparseTensor([[0, 1]], [1.8], [3, 4])
        assert session.run(td.cast(sparse, td.int32)).values.tolist() == [1]
        assert session.run(td.to_double(sparse)).values.dtype == np.float64
        assert session.run(td.shape(sparse)).tolist() == [3, 4]
        assert session.run([td.size(sparse), td.rank(sparse)]) == [12, 2]


@pytest.mark.parametrize(
    ("shape", "others", "compatible"),
    [
        (None, [None, [], [1], [2, 3]], True),
        ([None, None], [[32, 784], None], True),
        ([None, None], [[None], [None, None, None]], False),
        ([32, None], [[32, 784], [32, 1], [None, None], None], True),
        ([32, None], [[32], [32, None, 1], [64, None]], False),
        ([32, 784], [[32, 784], [32, None], [None, 784], [None, None], None], True),
        ([32, 784], [[32, 1, 784], [None], [4, 4]], False),
    ],
)
def test_compatibility_of_shapes(shape: Any, others: list[Any], compatible: bool) -> None:
    for other in others:
        assert td.TensorShape(shape).is_compatible_with(td.TensorShape(other)) is compatible
        assert td.TensorShape(other).is_compatible_with(td.TensorShape(shape)) is compatible


def test_most_specific_compatible_shape() -> None:
    shape = td.TensorShape([2, 1]).most_specific_compatible_shape(td.TensorShape([5, 1]))
    assert shape.as_list() == [None, 1]
    same = td.TensorShape([1, 2, 3])
    assert same.most_specific_compatible_shape(same).as_list() == [1, 2, 3]


TENSOR_SHAPE = """
__concat__ __getitem__ __radd__ __iter__ as_list as_proto assert_has_rank assert_is_fully_defined
assert_same_rank concatenate is_compatible_with is_fully_defined merge_with
most_specific_compatible_shape num_elements with_rank with_rank_at_least with_rank_at_most dims
ndims rank
"""


@pytest.mark.parametrize("member", TENSOR_SHAPE.split())
def test_tensor_shape_has_all_its_members(member: str) -> None:
    assert hasattr(td.TensorShape, member)
