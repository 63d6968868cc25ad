"""TensorFlow Lite files that are built right, but contradict themselves, or the format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tflite_files import Op, Subgraph, Tensor, constant, file_of, one_op
from typed_arrays import i32

import tensordraft as td
from tensordraft.model_files.tflite import builder
from tensordraft.model_files.tflite.flatbuffer import MalformedError
from tensordraft.model_files.tflite.flexbuffer import read_flexbuffer

X = Tensor("float32", [2])
I = Tensor("int32", [2])  # noqa: E741
B = Tensor("bool", [])
N = constant(i32([1]))
IMAGE = Tensor("float32", [1, 4, 4, 2])
WIDE = Tensor("float32", [4, 4], more={"shape_signature": [-1, -1]})


def _tensor(**more: Any) -> bytes:
    return one_op("RELU", [Tensor("float32", [2], more=more)], [X])


def _quantized(scale: Sequence[float], zero: Sequence[int] = (), **more: Any) -> bytes:
    tensor = Tensor("int8", [2], None, scale, zero, **more)
    return one_op("DEQUANTIZE", [tensor], [X])


def _calling(
    kind: str, options: Any, *subgraphs: Subgraph, inputs: Any = (X,), out: Any = X
) -> bytes:
    """A file whose main subgraph has one op that runs others."""
    numbers = range(len(inputs))
    op = Op(kind, [*numbers], [len(inputs)], options)
    return file_of([Subgraph([*inputs, out], [*numbers], [len(inputs)], [op]), *subgraphs])


def _branches(then: int, otherwise: int, *subgraphs: Subgraph, **more: Any) -> bytes:
    options = ("If", {"then_subgraph_index": then, "else_subgraph_index": otherwise})
    return _calling("IF", options, *subgraphs, inputs=more.get("inputs", (B, X)))


def _loop(*subgraphs: Subgraph, inputs: Any = (X,)) -> bytes:
    options = ("While", {"cond_subgraph_index": 1, "body_subgraph_index": 2})
    return _calling("WHILE", options, *subgraphs, inputs=inputs)


RELU = Subgraph([X, X], [0], [1], [Op("RELU", [0], [1])])
TRUE = Subgraph([X, constant(True)], [0], [1], [])
AGAIN = ("If", {"then_subgraph_index": 1, "else_subgraph_index": 1})
RECURSIVE = Subgraph([B, X, X], [0, 1], [2], [Op("IF", [0, 0, 1], [2], AGAIN)])
VARIABLE = ("VarHandle", {"shared_name": "v"})


def _variables(*ops: Op) -> bytes:
    handle = Tensor("resource", [])
    return file_of([Subgraph([handle, X, X], [1], [2], list(ops))])


def _conv(**options: Any) -> bytes:
    weights = constant(np.ones([3, 1, 1, 2], np.float32))
    made = Tensor("float32", [1, 4, 4, 3])
    return one_op("CONV_2D", [IMAGE, weights], [made], ("Conv2D", {"stride_w": 1, **options}))


def _connected(x: Tensor, w: Tensor, **options: Any) -> bytes:
    return one_op("FULLY_CONNECTED", [x, w], [X], ("FullyConnected", options))


def _strings(data: bytes, size: int = 1) -> bytes:
    tensor = Tensor("string", [size], data)
    return one_op("RESHAPE", [tensor, N], [Tensor("string", [1])])


def _numbers(*values: int) -> bytes:
    return i32(values).tobytes()


PLAIN = Subgraph([X, X], [0], [1], [Op("RELU", [0], [1])])
SIGNED = {"s": (0, {"x": 0}, {"y": 1})}
FILES: dict[str, tuple[Any, str]] = {
    "version": (lambda: file_of([PLAIN], version=2), "it states version 2, where 3 is known"),
    "empty": (lambda: file_of([]), "it has no subgraphs"),
    "code": (lambda: file_of([PLAIN], operator_codes=[]), r"op 0 of subgraph 0 is of type 0 of 0"),
    "signature": (lambda: file_of([PLAIN], {"s": (1, {}, {})}), "a signature is for subgraph 1"),
    "named": (lambda: file_of([PLAIN], {"s": (0, {"x": 9}, {})}), "a signature refers to tensor 9"),
    "computed": (
        lambda: file_of([PLAIN], {"s": (0, {"x": 1}, {})}),
        "the signature 's' names tensors that are not computed",
    ),
    "output": (lambda: file_of([PLAIN._replace(outputs=[7])]), "refers to tensor 7 of 2"),
    "no_output": (lambda: file_of([PLAIN._replace(ops=[])]), "no op computes the output 't1'"),
    "input": (lambda: file_of([PLAIN._replace(inputs=[])]), "has no value before it runs"),
    "missing": (lambda: one_op("RELU", [], [X]), "it has 0 inputs, and no input 0"),
    "results": (lambda: one_op("RELU", [X], [X, X]), "it has 2 outputs, where 1 are known"),
    "no_results": (lambda: one_op("CAST", [X], []), "it has 0 outputs, and no output 0"),
    "dtype": (lambda: one_op("RELU", [X], [B]), "of type float32, where the file states bool"),
    "options": (
        lambda: one_op("CONCATENATION", [X, X], [X], ("Shape", {})),
        "its options are ShapeOptions, which have no 'axis'",
    ),
    "type": (lambda: _tensor(type=99), "the tensor 't0' is of type 99"),
    "buffer": (lambda: _tensor(buffer=99), "the tensor 't0' has buffer 99 of 1"),
    "shape": (lambda: _tensor(shape=[-2]), r"the tensor 't0' has the shape \[-2\]"),
    "rank": (lambda: _tensor(shape=[1] * 9), "the tensor 't0' has the shape"),
    "size": (
        lambda: one_op("RELU", [Tensor("float32", [2], bytes(4))], [X]),
        "has 4 bytes, where 8 are due",
    ),
    "open": (
        lambda: one_op("RELU", [Tensor("float32", [2], bytes(8), more={"shape": [-1]})], [X]),
        r"the constant 't0' has the shape \[-1\]",
    ),
    "far_buffer": (
        lambda: file_of([PLAIN], buffers=[{}, {"offset": 10**9, "size": 4}]),
        "a buffer ends at byte 1000000004",
    ),
    "scales": (lambda: _quantized([1, 1, 1]), r"has 3 scales, for \[2\]"),
    "negative": (lambda: _quantized([-1]), "has scales"),
    "zeros": (lambda: _quantized([1, 1], [1, 2, 3]), "has scales"),
    "zero": (lambda: _quantized([1], [1 << 40]), "has zero points"),
    "blocks": (
        lambda: one_op(
            "RELU", [Tensor("int8", [2], more={"quantization": {"details_type": 1}})], [X]
        ),
        "is quantized in blocks: not supported",
    ),
    "padding": (lambda: _conv(stride_h=1, padding=7), "padding must be less than 2, got 7"),
    "activation": (
        lambda: _conv(stride_h=1, activation=9),
        "activation must be less than 6, got 9",
    ),
    "strides": (lambda: _conv(stride_h=0), r"must be positive, got \[0, 1\]"),
    "channels": (
        lambda: one_op(
            "DEPTHWISE_CONV_2D",
            [IMAGE, constant(np.ones([1, 1, 1, 1], np.float32))],
            [IMAGE],
            ("DepthwiseConv2D", {"stride_w": 1, "stride_h": 1, "depth_multiplier": 1}),
        ),
        "do not fit 2 channels",
    ),
    "shuffled": (
        lambda: _connected(X, constant(np.ones([2, 2], np.float32)), weights_format=1),
        "its weights are shuffled",
    ),
    "weights": (lambda: _connected(X, WIDE), "the shape of its input 1 is not known"),
    "mirrors": (
        lambda: one_op("MIRROR_PAD", [X, I], [X], ("MirrorPad", {"mode": 2})),
        "mode must be less than 2, got 2",
    ),
    "no_strings": (lambda: _strings(_numbers(5)), "does not hold 1 strings"),
    "overlap": (lambda: _strings(_numbers(1, 12, 8)), "overlap"),
    "beyond": (lambda: _strings(_numbers(1, 12, 99)), "are beyond its end"),
    "no_branch": (lambda: _branches(1, 2), "runs subgraph 1, which does not exist"),
    "branch_inputs": (
        lambda: _branches(1, 1, RELU, inputs=(B, X, X)),
        "gives subgraph 1 2 inputs of 1",
    ),
    "branch_dtype": (lambda: _branches(1, 1, RELU, inputs=(B, I)), "gives subgraph 1 a int32"),
    "recursive": (lambda: _branches(1, 1, RECURSIVE, inputs=(B, B, X)), "is running already"),
    "loop": (lambda: _loop(TRUE, RELU, inputs=()), "it has no inputs"),
    "condition": (
        lambda: _loop(TRUE._replace(outputs=[1, 0]), RELU),
        "its condition has 2 results, where 1 is due",
    ),
    "variable": (
        lambda: _variables(Op("VAR_HANDLE", [], [0], VARIABLE), Op("RELU", [1], [2])),
        "no op reads or assigns the variable 'v'",
    ),
    "state": (
        lambda: _loop(
            TRUE,
            Subgraph(
                [
                    Tensor("float32", [1, 1]),
                    *[constant(np.ones([1, 1], np.float32))] * 2,
                    constant(np.zeros([1], np.float32)),
                    Tensor("float32", [1, 1], more={"is_variable": True}),
                    Tensor("float32", [1, 1]),
                ],
                [0],
                [5],
                [Op("RNN", [0, 1, 2, 3, 4], [5], ("RNN", {}))],
            ),
            inputs=(Tensor("float32", [1, 1]),),
        ),
        "keeps a state in a branch or loop is not supported",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_what_is_wrong_is_said(name: str, tmp_path: Path) -> None:
    make, message = FILES[name]
    (tmp_path / "bad.tflite").write_bytes(make())
    with pytest.raises(td.errors.DataLossError, match=rf"(?s)bad\.tflite is damaged.*{message}"):
        td.load(tmp_path / "bad.tflite")


def _load(folder: Path, data: bytes) -> Any:
    (folder / "model.tflite").write_bytes(data)
    return td.load(folder / "model.tflite")


def test_unknown_codes_are_named(tmp_path: Path) -> None:
    data = file_of([PLAIN], operator_codes=[{"builtin_code": 9999}])
    with pytest.raises(td.errors.UnimplementedError, match="op number 9999 ×1"):
        _load(tmp_path, data)


def test_a_subgraph_that_others_run_many_times_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each runs the next in both of its branches."""
    monkeypatch.setattr(builder, "_ALWAYS_OPS", 0)
    chain = []
    for number in range(2, 14):
        then = ("If", {"then_subgraph_index": number, "else_subgraph_index": number})
        op = Op("IF", [0, 0, 1], [2], then)
        chain.append(Subgraph([B, X, X], [0, 1], [2], [op]))
    ends = [Subgraph([B, X, X], [0, 1], [2], [Op("RELU", [1], [2])])]
    data = _branches(1, 1, *chain, *ends, inputs=(B, B, X))
    with pytest.raises(td.errors.DataLossError, match="run each other too many times"):
        _load(tmp_path, data)


@pytest.mark.parametrize("shape", [[], [1]])
@pytest.mark.parametrize("value", [True, False])
def test_branches(shape: list[int], value: bool, tmp_path: Path) -> None:
    """The condition may have one element in a dimension of its own."""
    nothing = Subgraph([X, X], [0], [1], [Op("NEG", [0], [1])])
    options = ("If", {"then_subgraph_index": 1, "else_subgraph_index": 2})
    inputs = (Tensor("bool", shape), X)
    with _load(tmp_path, _calling("IF", options, RELU, nothing, inputs=inputs)) as model:
        got = model(np.full(shape, value), [1.0, -2.0])
    assert got.tolist() == ([1, 0] if value else [-1, 2])


@pytest.mark.parametrize("stated", [[2], [-1]])
def test_loops_may_change_shapes(stated: list[int], tmp_path: Path) -> None:
    """The file may say so, or not."""
    size = Tensor("int32", [1])
    less = Subgraph(
        [X, size, constant(i32([6])), Tensor("bool", [])],
        [0],
        [3],
        [Op("SHAPE", [0], [1]), Op("LESS", [1, 2], [3])],
    )
    joined = ("Concatenation", {"axis": 0})
    more = Subgraph(
        [X, Tensor("float32", [4])], [0], [1], [Op("CONCATENATION", [0, 0], [1], joined)]
    )
    out = Tensor("float32", [2], more={"shape_signature": stated})
    options = ("While", {"cond_subgraph_index": 1, "body_subgraph_index": 2})
    with _load(tmp_path, _calling("WHILE", options, less, more, out=out)) as model:
        assert model([1.0, 2.0]).tolist() == [1, 2] * 4


def test_names_of_ends_are_legal_and_distinct(tmp_path: Path) -> None:
    tensors = [
        Tensor("float32", [2], more={"name": "my input;x"}),
        Tensor("float32", [2], more={"name": "-y"}),
        Tensor("float32", [2], more={"name": "-y"}),
    ]
    ops = [Op("RELU", [0], [1]), Op("NEG", [0], [2])]
    with _load(tmp_path, file_of([Subgraph(tensors, [0], [1, 2], ops)])) as model:
        assert list(model.inputs) == ["my_input"]
        assert {key: value.tolist() for key, value in model([1.0, -2.0]).items()} == {
            "x-y": [1, 0],
            "x-y_1": [-1, 2],
        }


FLEX = {
    "float": b"\x01\x0c\x01",
    "deep": b"\x00" + b"".join(bytes([1, 1, 40]) for _ in range(12)) + b"\x02\x28\x01",
    "key": b"\x41\x01\x10\x01",
    "type": b"\x01\x01\x6c\x01",
    "bytes": b"\x01\x09\x05\x64\x01",
}


@pytest.mark.parametrize("name", FLEX)
def test_malformed_options(name: str) -> None:
    with pytest.raises(MalformedError, match="its options"):
        read_flexbuffer(FLEX[name])
