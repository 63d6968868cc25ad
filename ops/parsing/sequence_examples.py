"""Serialized SequenceExamples: features along time, and a context that has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.op_def import OpDef
from ...protos.dtypes import string
from ...protos.messages import SequenceExample
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.symbolic.symbolic import dim_symbol
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size
from .example_ops import Wanted, parse
from .feature_columns import as_values, example_name as named, list_in, parsed
from .features import FixedLenFeature, FixedLenSequenceFeature, VarLenFeature
from .parse_example import Asked, asked, by_name

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {"td, td.io": "parse_single_sequence_example"}

_KINDS = "list({float32, int64, string}) = []"
_COUNTS = ["Ncontext_sparse", "Ncontext_dense", "Nfeature_list_sparse", "Nfeature_list_dense"]
PARSE_SINGLE_SEQUENCE_EXAMPLE: OpDef[Results] = OpDef(
    "ParseSingleSequenceExample",
    "serialized: string, feature_list_dense_missing_assumed_empty: string, "
    "context_sparse_keys: Ncontext_sparse * string, context_dense_keys: Ncontext_dense * string, "
    "feature_list_sparse_keys: Nfeature_list_sparse * string, "
    "feature_list_dense_keys: Nfeature_list_dense * string, "
    "context_dense_defaults: Tcontext_dense, debug_name: string -> "
    "context_sparse_indices: Ncontext_sparse * int64, "
    "context_sparse_values: context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
    "feature_list_dense_values: feature_list_dense_types",
    ", ".join(
        [
            *[f"{count}: int >= 0 = 0" for count in _COUNTS],
            f"context_sparse_types: {_KINDS}, Tcontext_dense: {_KINDS}",
            f"feature_list_dense_types: {_KINDS}, context_dense_shapes: list(shape) = []",
            f"feature_list_sparse_types: {_KINDS}, feature_list_dense_shapes: list(shape) = []",
        ]
    ),
)


@PARSE_SINGLE_SEQUENCE_EXAMPLE.shape
def _parse_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("serialized", rank=0)
    shapes: list[TensorShape] = []
    for group, dense, rank in (("context", "Tcontext_dense", 1), ("feature_list", None, 2)):
        number = len(c.attr(f"{group}_sparse_types"))
        shapes += [TensorShape.of((dim_symbol(), rank)) for _ in range(number)]
        shapes += [TensorShape.of((dim_symbol(),)) for _ in range(number)]
        shapes += [TensorShape([rank])] * number
        stated = c.attr(f"{group}_dense_shapes")
        dtypes = c.attr(dense or f"{group}_dense_types")
        if len(stated) != len(dtypes):
            raise ValueError(
                f"{group}_dense_shapes has {len(stated)} shapes for {len(dtypes)} dtypes"
            )
        for i, shape in enumerate(stated):
            if not shape.is_fully_defined():
                raise ValueError(f"{group}_dense_shapes[{i}] must be known, got {shape}")
        time = [] if dense else [dim_symbol()]
        shapes += [TensorShape.of((*time, *shape.sizes)) for shape in stated]
    return shapes


@PARSE_SINGLE_SEQUENCE_EXAMPLE.kernel
def _parse_kernel(c: KernelContext) -> Kernel:
    counts = [c.attr(count) for count in _COUNTS]

    def dtypes(name: str) -> list[np.dtype[Any]]:
        return [dtype.numpy_dtype for dtype in c.attr(name)]

    context = Wanted(
        dtypes("context_sparse_types"),
        dtypes("Tcontext_dense"),
        list(c.attr("context_dense_shapes")),
        [],
        [],
    )
    sparse_types, dense_types = (dtypes(f"feature_list_{n}_types") for n in ("sparse", "dense"))
    shapes: Any = [shape.as_list() for shape in c.attr("feature_list_dense_shapes")]

    def parse_sequence(serialized: Array, may_lack: Array, *rest: Array) -> tuple[Array, ...]:
        if serialized.ndim:
            raise ValueError(f"serialized must be a scalar, got shape {list(serialized.shape)}")
        *given, debug_name = rest
        keys: list[list[bytes]] = []
        for count in counts:
            keys.append([key.item() for key in given[:count]])
            given = given[count:]
        names = [debug_name.item()] if debug_name.size and debug_name.item() else []
        message = parsed(SequenceExample, serialized.item(), 0, names)
        inner = np.array(message.context.SerializeToString(), object)
        example = b"" if not inner.item() else as_example(inner.item())
        outputs = parse(
            context, np.array(example, object), np.zeros(0, object), (keys[0], keys[1], ()), given
        )
        lists = message.feature_lists.feature_list
        sparse = [
            _sparse(lists, key, dtype, names)
            for key, dtype in zip(keys[2], sparse_types, strict=True)
        ]
        lacking = set(may_lack.ravel().tolist())
        dense = [
            dense_steps(lists, key, dtype, shape, key in lacking, names)
            for key, dtype, shape in zip(keys[3], dense_types, shapes, strict=True)
        ]
        return (*outputs, *[part[i] for i in range(3) for part in sparse], *dense)

    return parse_sequence


def as_example(context: bytes) -> bytes:
    """The features of a context as a serialized Example, whose only field they are."""
    length, size = b"", len(context)
    while size >= 0x80:
        length, size = length + bytes([size & 0x7F | 0x80]), size >> 7
    return b"\n" + length + bytes([size]) + context


def steps_of(
    lists: Any, key: bytes, dtype: np.dtype[Any], names: Sequence[bytes], number: int = 0
) -> list[Sequence[Any]]:
    """The values of a feature, step by step.

    Args:
        lists: the feature lists of a message.
        key: the name of the feature.
        dtype: of its values.
        names: what examples are called in messages; may be empty.
        number: the how manieth example it is.

    Raises:
        ValueError: there are values of another dtype.
    """
    name = key.decode("utf-8", "surrogateescape")
    steps = lists[name].feature if name in lists else []
    return [list_in(step, dtype, name, number, names) or () for step in steps]


def _sparse(
    lists: Any, key: bytes, dtype: np.dtype[Any], names: Sequence[bytes]
) -> tuple[Array, Array, Array]:
    steps = steps_of(lists, key, dtype, names)
    places = [(i, j) for i, step in enumerate(steps) for j in range(len(step))]
    values = as_values([value for step in steps for value in step], dtype)
    longest = max(map(len, steps), default=0)
    indices = np.array(places, np.int64).reshape(-1, 2)
    return indices, values, np.array([len(steps), longest], np.int64)


def dense_steps(
    lists: Any,
    key: bytes,
    dtype: np.dtype[Any],
    shape: Sequence[int],
    may_lack: bool,
    names: Sequence[bytes],
    number: int = 0,
) -> Array:
    """The values of a feature whose steps are all of one shape: [time, …].

    Args:
        lists: the feature lists of a message.
        key: the name of the feature.
        dtype: of its values.
        shape: of a step.
        may_lack: whether the message may have no such feature.
        names: what examples are called in messages; may be empty.
        number: the how manieth example it is.

    Raises:
        ValueError: it has none, or a step is of another shape or dtype.
    """
    text = repr(key.decode(errors="replace"))
    if key.decode("utf-8", "surrogateescape") not in lists and not may_lack:
        raise ValueError(
            f"the feature list {text} is required but could not be found in "
            f"{named(number, names)}; allow_missing=True takes it as empty"
        )
    steps = steps_of(lists, key, dtype, names, number)
    size = int(np.prod(shape))
    for i, step in enumerate(steps):
        if len(step) != size:
            raise ValueError(
                f"step {i} of the feature list {text} has {len(step)} values in "
                f"{named(number, names)}, where its shape {list(shape)} holds {size}"
            )
    check_size((len(steps), *shape), dtype)
    return as_values([value for step in steps for value in step], dtype).reshape(-1, *shape)


def parse_single_sequence_example(
    serialized: Any,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Takes one serialized `td.train.SequenceExample` message apart.

    Args:
        serialized: a scalar string tensor.
        context_features: what each feature of the context is, by name: a `td.FixedLenFeature` or a
            `td.VarLenFeature`.
        sequence_features: what each feature along time is, by name: a
            `td.FixedLenSequenceFeature`, for as many values in each step, or a `td.VarLenFeature`.
        example_name: a scalar string tensor: what the example is called in messages.
        name: a name for the scope of the ops.

    Returns:
        Two dicts, of the context and of the features along time. Each of the latter is a Tensor of
        shape [time, …], or a SparseTensor of shape [time, most].

    Raises:
        TypeError: something is not such a feature.
        ValueError: nothing is requested, or a feature is specified incompletely. Contents are
            checked in the run.

    Example:
        >>> example = td.train.SequenceExample()
        >>> for word in (3, 1, 4):
        ...     step = example.feature_lists.feature_list["words"].feature.add()
        ...     step.int64_list.value.append(word)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     features = {"words": td.FixedLenSequenceFeature([], td.int64)}
        ...     context, sequences = td.parse_single_sequence_example(
        ...         example.SerializeToString(), sequence_features=features
        ...     )
        ...     print(session.run(sequences["words"]))
        [3 1 4]
    """
    with name_scope(name, "ParseSingleSequenceExample", [serialized, example_name]):
        context, lists, may_lack = asked_of_sequences(context_features, sequence_features)
        results: Any = PARSE_SINGLE_SEQUENCE_EXAMPLE(
            convert_to_tensor(serialized, string),
            np.array(may_lack, object),
            *[
                [convert_to_tensor(key, string) for key in keys]
                for keys in (context.sparse, context.dense, lists.sparse, lists.dense)
            ],
            context.defaults,
            convert_to_tensor(example_name or "", string),
            **attrs_of_sequences(context, lists),
        )
    return by_name(context, results[:4]), by_name(lists, results[4:])


def attrs_of_sequences(context: Asked, lists: Asked) -> dict[str, Any]:
    """The attrs that hold the dtypes and shapes of features."""
    return {
        "context_sparse_types": list(context.sparse.values()),
        "Tcontext_dense": list(context.dense.values()),
        "context_dense_shapes": context.shapes,
        "feature_list_sparse_types": list(lists.sparse.values()),
        "feature_list_dense_types": list(lists.dense.values()),
        "feature_list_dense_shapes": lists.shapes,
    }


def asked_of_sequences(
    context_features: Mapping[str, Any] | None, sequence_features: Mapping[str, Any] | None
) -> tuple[Asked, Asked, list[str]]:
    """Requested features of contexts and along time, and which of the latter examples may lack.

    Raises:
        TypeError: something is not such a feature.
        ValueError: nothing is asked for, or a feature is specified incompletely.
    """
    if not context_features and not sequence_features:
        raise ValueError("context_features or sequence_features must hold some")
    _check_kinds(context_features or {}, "context_features", FixedLenFeature)
    _check_kinds(sequence_features or {}, "sequence_features", FixedLenSequenceFeature)
    steps = {
        key: FixedLenFeature(feature.shape, feature.dtype)
        if isinstance(feature, FixedLenSequenceFeature)
        else feature
        for key, feature in (sequence_features or {}).items()
    }
    may_lack = [
        key
        for key, feature in sorted((sequence_features or {}).items())
        if isinstance(feature, FixedLenSequenceFeature) and feature.allow_missing
    ]
    nothing = Asked({}, {}, [], [])
    context = asked(context_features) if context_features else nothing
    return context, asked(steps) if steps else nothing, may_lack


def _check_kinds(features: Mapping[str, Any], argument: str, dense: type) -> None:
    for key, feature in features.items():
        if not isinstance(feature, (dense, VarLenFeature)):
            raise TypeError(
                f"{argument}[{key!r}] must be a {dense.__name__} or a VarLenFeature, got "
                f"{feature!r}"
            )
