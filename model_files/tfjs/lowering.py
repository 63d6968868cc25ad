"""Rewriting of ops that TensorFlow.js lacks, or computes otherwise, into those that it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...graph.node_def import full_input
from ...graph.registry import find
from ...protos.dtypes import DType, as_dtype
from ...protos.messages import AttrValue, GraphDef, NodeDef
from ...protos.tensor_codec import encode_tensor
from .node_lists import NodeList, inputs_of, lists_of
from .op_types import OP_TYPES

_SAME = ("PreventGradient", "CheckNumerics", "CheckNumericsV2", "RefIdentity", "DebugIdentity")
_RENAMED = {
    **dict.fromkeys(_SAME, "Identity"),
    "PlaceholderV2": "Placeholder",
    "Inv": "Reciprocal",
    "BatchMatMulV3": "BatchMatMulV2",
}
_BATCH_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
# The dtypes that TensorFlow.js knows, and the nearest to others.
_NUMBERS = ("float32", "float16", "float64", "int32", "int64", "int8", "uint8", "complex64")
_DTYPES = (*_NUMBERS, "complex128", "bool", "string", "resource", "variant")
_NEAREST = {"bfloat16": "float32", "int16": "int32", "uint16": "int32"}
_MOST_NAMED = 12
_MOST_GROUPS = 256
_CONV_ATTRS = ("strides", "padding", "explicit_paddings", "dilations", "data_format")

Shapes = Mapping[str, list[int | None]]


class Lowering:
    """The nodes that stand for one node.

    Args:
        nodes: the list of nodes that it is in.
        node: the node.
        shapes: the shapes of tensors, as far as known.
        made: where the nodes go.
    """

    def __init__(self, nodes: NodeList, node: NodeDef, shapes: Shapes, made: list[NodeDef]) -> None:
        self.node = node
        self.inputs = inputs_of(node).data
        self._nodes = nodes
        self._shapes = shapes
        self._made = made
        self._own: dict[str, int] = {}

    def rank(self, text: str) -> int | None:
        """The number of dimensions of an input; None where it is not known."""
        shape = self.shape(text)
        return None if shape is None else len(shape)

    def shape(self, text: str) -> list[int | None] | None:
        """The shape of an input; None where not even its rank is known."""
        return self._shapes.get(full_input(text))

    def dtype(self, attr: str = "T") -> DType:
        """The dtype that an attr states."""
        return as_dtype(self.node.attr[attr].type or 1)

    def add(self, op: str, *inputs: str, last: bool = False, **attrs: Any) -> str:
        """Adds a node of the dtype of the one that it stands for; returns its result.

        Args:
            op: the op type.
            inputs: its inputs.
            last: whether its result is that of the node.
            attrs: attrs, as pairs of the field of an AttrValue and its value.
        """
        name = self.node.name if last else self._nodes.free(f"{self.node.name}/{op}")
        node = NodeDef(name=name, op=op, input=inputs)
        definition = find(op)
        known = {} if definition is None else definition.signature.attrs
        if "T" in known:
            node.attr["T"].type = self.dtype().as_datatype_enum
        for key, (field, value) in attrs.items():
            if isinstance(value, list):
                getattr(node.attr[key].list, field).extend(value)
            else:
                setattr(node.attr[key], field, value)
        self._made.append(node)
        return self._nodes.result_of(node)

    def copy(self, attrs: Mapping[str, AttrValue]) -> None:
        """Gives the node that was added last attrs of the one that it stands for."""
        for key, value in attrs.items():
            self._made[-1].attr[key].CopyFrom(value)

    @property
    def reads_further_results(self) -> bool:
        """True if another node reads a result of the node behind its first."""
        return self._nodes.reads_further_results(self.node)

    @property
    def in_function(self) -> bool:
        """True if the node is in a function."""
        return self._nodes.function is not None

    def constant(self, value: Any, dtype: DType | None = None) -> str:
        """Adds a constant, by default of the dtype of the node; returns its result."""
        found = dtype or self.dtype()
        node = NodeDef(name=self._nodes.free(f"{self.node.name}/Const"), op="Const")
        node.attr["dtype"].type = found.as_datatype_enum
        array = np.asarray(value, found.numpy_dtype)
        node.attr["value"].tensor.CopyFrom(encode_tensor(array, found))
        self._made.append(node)
        return self._nodes.result_of(node)

    def integers(self, value: Any) -> str:
        """Adds a constant of int32; returns its result."""
        return self.constant(value, as_dtype("int32"))

    def keep(self, **changes: AttrValue) -> None:
        """Keeps the node, with some attrs changed."""
        for key, value in changes.items():
            self.node.attr[key].CopyFrom(value)
        self._made.append(self.node)


Rule = Callable[[Lowering], str]


def lower(graph_def: GraphDef, shapes: Shapes) -> list[str]:
    """Rewrites a graph and its functions in terms of what TensorFlow.js has.

    Args:
        graph_def: the graph, which is changed.
        shapes: the shapes of its tensors, by their names, as far as known.

    Returns:
        Descriptions of what cannot be rewritten.
    """
    problems: list[str] = []
    for nodes in lists_of(graph_def):
        known = shapes if nodes.function is None else {}
        instead: dict[str, str] = {}
        made: list[NodeDef] = []
        for node in nodes.nodes:
            node.op = _RENAMED.get(node.op, node.op)
            _plain_attrs(node, problems)
            rule = _RULES.get(node.op)
            lowering = Lowering(nodes, node, known, made)
            problem = rule(lowering) if rule is not None else _kept(lowering)
            if problem:
                problems.append(problem)
            elif rule is not None:
                instead[node.name] = nodes.result_of(made[-1])
        nodes.nodes = made
        nodes.rewire(instead)
    return problems


def unsupported(problems: Sequence[str]) -> str:
    """One sentence for all that cannot be written."""
    distinct = list(dict.fromkeys(problems))
    more = f", and {len(distinct) - _MOST_NAMED} more" if len(distinct) > _MOST_NAMED else ""
    return f"TensorFlow.js has no way to compute {', '.join(distinct[:_MOST_NAMED])}{more}"


def _kept(c: Lowering) -> str:
    c.keep()
    return "" if c.node.op in OP_TYPES else f"{c.node.op} ({c.node.name!r})"


def _plain_attrs(node: NodeDef, problems: list[str]) -> None:
    """Drops notes among the attrs, and has dtypes be those of TensorFlow.js."""
    for key in [key for key in node.attr if key.startswith("_")]:
        del node.attr[key]
    for value in node.attr.values():
        kind = value.WhichOneof("value")
        if kind == "type":
            value.type = _nearest(value.type, node, problems)
        elif kind == "list" and value.list.type:
            types = [_nearest(number, node, problems) for number in value.list.type]
            del value.list.type[:]
            value.list.type.extend(types)


def _nearest(number: int, node: NodeDef, problems: list[str]) -> int:
    try:
        name = as_dtype(number).name
    except TypeError:
        name = str(number)
    if name in _NEAREST:
        return int(as_dtype(_NEAREST[name]).as_datatype_enum)
    if name not in _DTYPES:
        problems.append(f"{node.op} ({node.name!r}) of {name}")
    return number


def _erfc(c: Lowering) -> str:
    c.add("Sub", c.constant(1), c.add("Erf", *c.inputs), last=True)
    return ""


def _softsign(c: Lowering) -> str:
    [x] = c.inputs
    c.add("RealDiv", x, c.add("AddV2", c.add("Abs", x), c.constant(1)), last=True)
    return ""


def _squared_half(c: Lowering) -> str:
    [x] = c.inputs
    flat = c.add("Reshape", c.add("Square", x), c.integers([-1]), Tshape=("type", 3))
    total = c.add("Sum", flat, c.integers([0]), Tidx=("type", 3), keep_dims=("b", False))
    c.add("Mul", total, c.constant(0.5), last=True)
    return ""


def _truncated_remainder(c: Lowering) -> str:
    x, y = c.inputs
    size = c.add("FloorMod", c.add("Abs", x), c.add("Abs", y))
    c.add("Mul", c.add("Sign", x), size, last=True)
    return ""


def _division(c: Lowering) -> str:
    """Division of integers, which TensorFlow.js rounds down, and TensorFlow towards zero."""
    if not c.dtype().is_integer:
        c.keep()
        c.node.op = "RealDiv"
        return ""
    x, y = c.inputs
    sign = c.add("Mul", c.add("Sign", x), c.add("Sign", y))
    c.add("Mul", sign, c.add("FloorDiv", c.add("Abs", x), c.add("Abs", y)), last=True)
    return ""


def _one_hot(c: Lowering) -> str:
    """OneHot along another axis than the last, which is all that TensorFlow.js does."""
    axis, rank = c.node.attr["axis"].i, c.rank(c.inputs[0])
    if axis == -1 or axis == rank:
        c.keep(axis=AttrValue(i=-1))
        return ""
    if rank is None or not 0 <= axis < rank:
        c.keep()
        return f"OneHot ({c.node.name!r}) along axis {axis} of indices of unknown rank"
    types: dict[str, Any] = {"TI": ("type", c.dtype("TI").as_datatype_enum), "axis": ("i", -1)}
    hot = c.add("OneHot", *c.inputs, **types)
    order = [*range(axis), rank, *range(axis, rank)]
    c.add("Transpose", hot, c.integers(order), last=True, Tperm=("type", 3))
    return ""


def _select(c: Lowering) -> str:
    """Select with a vector of conditions for rows, which are shaped so that they broadcast."""
    condition, x, _ = c.inputs
    ranks = c.rank(condition), c.rank(x)
    if None in ranks:
        c.keep()
        return f"Select ({c.node.name!r}) of unknown rank"
    if ranks[0] == 1 and ranks[1] > 1:  # type: ignore[operator]
        shape = c.integers([-1, *[1] * (int(ranks[1] or 0) - 1)])
        condition = c.add("Reshape", condition, shape, Tshape=("type", 3), T=("type", 10))
    c.add("SelectV2", condition, *c.inputs[1:], last=True)
    return ""


def _convolution(c: Lowering) -> str:
    """A convolution in groups of channels, which TensorFlow.js does not know."""
    image, kernel = (c.shape(text) for text in c.inputs)
    if image is None or kernel is None or len(image) != 4 or len(kernel) != 4:
        c.keep()
        return ""
    depth, taken = image[3], kernel[2]
    if depth is None or taken is None or depth == taken:
        c.keep()
        return ""
    groups = depth // max(taken, 1)
    attrs = {key: c.node.attr[key] for key in _CONV_ATTRS if key in c.node.attr}
    if taken == 1 and kernel[0] and kernel[1] and kernel[3]:
        shape = c.integers([kernel[0], kernel[1], depth, kernel[3] // depth])
        filters = c.add("Reshape", c.inputs[1], shape, Tshape=("type", 3))
        c.add("DepthwiseConv2dNative", c.inputs[0], filters, last=True)
        c.copy(attrs)
        return ""
    if groups > _MOST_GROUPS or c.in_function:
        c.keep()
        return f"Conv2D ({c.node.name!r}) in {groups} groups"
    number = ("i", groups)
    images = c.add("Split", c.integers(3), c.inputs[0], num_split=number)
    kernels = c.add("Split", c.integers(3), c.inputs[1], num_split=number)
    parts = []
    for group in range(groups):
        suffix = f":{group}" if group else ""
        parts.append(c.add("Conv2D", images + suffix, kernels + suffix))
        c.copy(attrs)
    c.add("ConcatV2", *parts, c.integers(3), last=True, N=("i", groups), Tidx=("type", 3))
    return ""


def _batch_norm(c: Lowering) -> str:
    """Batch normalization; in training, which TensorFlow.js does not know, by the moments of it.

    Layer normalization is often written so.
    """
    if "is_training" in c.node.attr and not c.node.attr["is_training"].b:
        c.keep()
        return ""
    if c.reads_further_results:
        c.keep()
        return f"the moments of {c.node.op} ({c.node.name!r})"
    x, scale, offset = c.inputs[:3]
    axes = c.integers([0, 1, 2])
    over: dict[str, Any] = {"Tidx": ("type", 3), "keep_dims": ("b", True)}
    mean = c.add("Mean", x, axes, **over)
    variance = c.add("Mean", c.add("SquaredDifference", x, mean), axes, **over)
    epsilon = c.constant(c.node.attr["epsilon"].f if "epsilon" in c.node.attr else 1e-4)
    factor = c.add("Mul", c.add("Rsqrt", c.add("AddV2", variance, epsilon)), scale)
    c.add("AddV2", c.add("Mul", c.add("Sub", x, mean), factor), offset, last=True)
    return ""


def _older_batch_norm(c: Lowering) -> str:
    x, mean, variance, beta, gamma = c.inputs
    epsilon = c.constant(c.node.attr["variance_epsilon"].f)
    factor = c.add("Rsqrt", c.add("AddV2", variance, epsilon))
    if c.node.attr["scale_after_normalization"].b:
        factor = c.add("Mul", factor, gamma)
    shifted = c.add("Mul", c.add("Sub", x, mean), factor)
    c.add("AddV2", shifted, beta, last=True)
    return ""


def _top(c: Lowering) -> str:
    k = c.integers(c.node.attr["k"].i)
    is_sorted = "sorted" not in c.node.attr or c.node.attr["sorted"].b
    c.add("TopKV2", c.inputs[0], k, last=True, sorted=("b", is_sorted))
    return ""


def _xlogy(function: str, operator: str) -> Rule:
    """`x` times or by something of `y`, which is 0 where `x` is, whatever `y` is."""

    def rule(c: Lowering) -> str:
        x, y = c.inputs
        is_zero = c.add("Equal", x, c.constant(0))
        other = c.add(function, y) if function else y
        value = c.add(operator, x, other)
        c.add("SelectV2", is_zero, c.add("ZerosLike", value), value, last=True)
        return ""

    return rule


_RULES: dict[str, Rule] = {
    "BatchNormWithGlobalNormalization": _older_batch_norm,
    "Conv2D": _convolution,
    "Div": _division,
    "Erfc": _erfc,
    "L2Loss": _squared_half,
    "Mod": _truncated_remainder,
    "OneHot": _one_hot,
    "Select": _select,
    "Softsign": _softsign,
    "TopK": _top,
    "TruncateDiv": _division,
    "TruncateMod": _truncated_remainder,
    "Xdivy": _xlogy("", "RealDiv"),
    "Xlog1py": _xlogy("Log1p", "Mul"),
    "Xlogy": _xlogy("Log", "Mul"),
    **dict.fromkeys(_BATCH_NORMS, _batch_norm),
}
