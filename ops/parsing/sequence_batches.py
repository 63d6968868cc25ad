"""Batches of serialized SequenceExamples: features along time, padded to the longest example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.op_def import OpDef
from ...protos.dtypes import string
from ...protos.messages import SequenceExample
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.symbolic.symbolic import dim_symbol
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size
from .example_ops import Wanted, parse
from .feature_columns import as_values, parsed
from .parse_example import by_name
from .sequence_examples import (
    as_example,
    asked_of_sequences,
    attrs_of_sequences,
    dense_steps,
    steps_of,
)

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {"td.io": "parse_sequence_example"}

_KINDS = "list({float32, int64, string}) = []"
_SPLITS = "list({int32, int64}) = []"
_COUNTS = "Ncontext_sparse", "Nfeature_list_sparse", "Nfeature_list_dense"
_ATTRS = ", ".join(
    [
        *[f"{count}: int >= 0 = 0" for count in _COUNTS],
        f"context_sparse_types: {_KINDS}, Tcontext_dense: {_KINDS}",
        f"feature_list_dense_types: {_KINDS}, context_dense_shapes: list(shape) = []",
        f"feature_list_sparse_types: {_KINDS}, feature_list_dense_shapes: list(shape) = []",
    ]
)
_CONTEXT = (
    "context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
)
_LISTS = (
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
    "feature_list_dense_values: feature_list_dense_types, "
    "feature_list_dense_lengths: Nfeature_list_dense * int64"
)
_KEYS = "context_sparse", "context_dense", "feature_list_sparse", "feature_list_dense"
PARSE_SEQUENCE_EXAMPLE: OpDef[Results] = OpDef(
    "ParseSequenceExample",
    "serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense -> "
    f"{_CONTEXT}{_LISTS}",
    "feature_list_dense_missing_assumed_empty: list(string), Ncontext_dense: int >= 0 = 0, "
    f"{', '.join(f'{kind}_keys: list(string)' for kind in _KEYS)}, {_ATTRS}",
)
PARSE_SEQUENCE_EXAMPLE_V2: OpDef[Results] = OpDef(
    "ParseSequenceExampleV2",
    "serialized: string, debug_name: string, context_sparse_keys: string, "
    "context_dense_keys: string, context_ragged_keys: string, feature_list_sparse_keys: string, "
    "feature_list_dense_keys: string, feature_list_ragged_keys: string, "
    "feature_list_dense_missing_assumed_empty: bool, context_dense_defaults: Tcontext_dense -> "
    f"{_CONTEXT}context_ragged_values: context_ragged_value_types, "
    f"context_ragged_row_splits: context_ragged_split_types, {_LISTS}, "
    "feature_list_ragged_values: feature_list_ragged_value_types, "
    "feature_list_ragged_outer_splits: feature_list_ragged_split_types, "
    "feature_list_ragged_inner_splits: feature_list_ragged_split_types",
    f"context_ragged_value_types: {_KINDS}, context_ragged_split_types: {_SPLITS}, "
    f"feature_list_ragged_value_types: {_KINDS}, feature_list_ragged_split_types: {_SPLITS}, "
    f"{_ATTRS}",
)


@PARSE_SEQUENCE_EXAMPLE.shape
@PARSE_SEQUENCE_EXAMPLE_V2.shape
def _parse_shape(c: ShapeContext) -> list[TensorShape]:
    batch = c.shape("serialized", max_rank=1)
    asked = _Asked.of(c)
    lengths = [batch] * len(asked.lists.dense)
    return [
        *_sparse_shapes(batch, 1, len(asked.context.sparse)),
        *[batch.concatenate(shape) for shape in asked.context.shapes],
        *_ragged_shapes(batch, len(asked.context.ragged), 1),
        *_sparse_shapes(batch, 2, len(asked.lists.sparse)),
        *[_along_time(batch, shape) for shape in asked.lists.shapes],
        *lengths,
        *_ragged_shapes(batch, len(asked.lists.ragged), 2),
    ]


def _along_time(batch: TensorShape, shape: TensorShape) -> TensorShape:
    return batch.concatenate(TensorShape.of((dim_symbol(),))).concatenate(shape)


def _sparse_shapes(batch: TensorShape, inner: int, number: int) -> list[TensorShape]:
    rank = None if batch.rank is None else batch.rank + inner
    counts = [dim_symbol() for _ in range(number)]
    return [
        *[TensorShape.of((count, rank)) for count in counts],
        *[TensorShape.of((count,)) for count in counts],
        *[TensorShape.of((rank,))] * number,
    ]


def _ragged_shapes(batch: TensorShape, number: int, depth: int) -> list[TensorShape]:
    """Dtypes of values, of the row splits of a batch, and of those of the steps in it."""
    if batch.rank == 1:
        ends = TensorShape.of((batch.sizes[0] + 1,))  # type: ignore[index, operator]
    else:
        ends = TensorShape([None if batch.rank is None else 0])
    open_ended = [TensorShape.of((dim_symbol(),)) for _ in range(depth * number)]
    return [*open_ended[:number], *[ends] * number, *open_ended[number:]]


class _Asked(NamedTuple):
    """Features that an op requests: of the contexts, and along time."""

    context: Wanted
    lists: Wanted

    @classmethod
    def of(cls, c: OpContext) -> _Asked:
        """Reads the attrs.

        Raises:
            ValueError: they do not fit together.
        """
        features = []
        for group, dense in (("context", "Tcontext_dense"), ("feature_list", "")):
            shapes = list(c.attr(f"{group}_dense_shapes"))
            names = [f"{group}_sparse_types", dense or f"{group}_dense_types"]
            ragged = [f"{group}_ragged_value_types", f"{group}_ragged_split_types"]
            kinds = [[d.numpy_dtype for d in c.node.attrs.get(n, ())] for n in (*names, *ragged)]
            if len(shapes) != len(kinds[1]):
                raise ValueError(
                    f"{group}_dense_shapes has {len(shapes)} shapes for {len(kinds[1])} dtypes"
                )
            if len(kinds[2]) != len(kinds[3]):
                raise ValueError(
                    f"there are {len(kinds[2])} {ragged[0]}, and {len(kinds[3])} {ragged[1]}"
                )
            for i, shape in enumerate(shapes):
                if not shape.is_fully_defined():
                    raise ValueError(f"{group}_dense_shapes[{i}] must be known, got {shape}")
            features.append(Wanted(kinds[0], kinds[1], shapes, kinds[2], kinds[3]))
        return cls(*features)


@PARSE_SEQUENCE_EXAMPLE.kernel
def _parse_kernel(c: KernelContext) -> Kernel:
    asked = _Asked.of(c)
    keys = [list(c.attr(f"{kind}_keys")) for kind in _KEYS]
    lacking = set(c.attr("feature_list_dense_missing_assumed_empty"))
    may_lack = [key in lacking for key in keys[3]]

    def parse_sequences(serialized: Array, debug_name: Array, *defaults: Array) -> Any:
        batch = _Batch(serialized, debug_name)
        context, lists = (keys[0], keys[1], ()), (keys[2], keys[3], ())
        return _alone(batch.results(asked, context, lists, may_lack, defaults))

    return parse_sequences


@PARSE_SEQUENCE_EXAMPLE_V2.kernel
def _parse_v2_kernel(c: KernelContext) -> Kernel:
    asked = _Asked.of(c)

    def parse_sequences(serialized: Array, debug_name: Array, *rest: Array) -> Any:
        *keys, may_lack = rest[:7]
        named: Any = [list(part.ravel()) for part in keys]
        batch = _Batch(serialized, debug_name)
        lacking = may_lack.ravel().tolist()
        return _alone(batch.results(asked, named[:3], named[3:], lacking, rest[7:]))

    return parse_sequences


def _alone(results: tuple[Array, ...]) -> Any:
    return results[0] if len(results) == 1 else results


class _Batch:
    """Serialized messages, a vector or a scalar.

    Args:
        serialized: the messages.
        names: what they are called in errors; may be empty.

    Raises:
        ValueError: they are not a vector, or one is not a message.
    """

    def __init__(self, serialized: Array, names: Array) -> None:
        if serialized.ndim > 1:
            raise ValueError(f"serialized must be a vector, got shape {list(serialized.shape)}")
        if names.size and names.shape != serialized.shape:
            raise ValueError(
                f"debug_name must be empty or have shape {list(serialized.shape)}, got "
                f"{list(names.shape)}"
            )
        self._shape = serialized.shape
        self._debug_names = names
        self._names: list[bytes] = list(names.ravel())
        self._messages = [
            parsed(SequenceExample, text, i, self._names)
            for i, text in enumerate(serialized.ravel())
        ]
        self._lists = [message.feature_lists.feature_list for message in self._messages]

    def results(
        self,
        asked: _Asked,
        context_keys: Any,
        list_keys: Any,
        may_lack: Sequence[bool],
        defaults: Sequence[Array],
    ) -> tuple[Array, ...]:
        """The outputs of the ops, in their order.

        Raises:
            ValueError: the keys do not fit what is asked for, or a message does not.
        """
        wanted = asked.lists
        kinds = (wanted.sparse, wanted.dense, wanted.ragged)
        for what, some, dtypes in zip(("sparse", "dense", "ragged"), list_keys, kinds, strict=True):
            if len(some) != len(dtypes):
                raise ValueError(f"there are {len(some)} {what} keys, and {len(dtypes)} dtypes")
        if len(may_lack) != len(wanted.dense):
            raise ValueError(
                "feature_list_dense_missing_assumed_empty must cover "
                f"{len(wanted.dense)} features, got {len(may_lack)}"
            )
        sparse = [self._sparse(*of) for of in zip(list_keys[0], wanted.sparse, strict=True)]
        dense = [
            self._dense(*of)
            for of in zip(list_keys[1], wanted.dense, wanted.shapes, may_lack, strict=True)
        ]
        ragged = [
            self._ragged(*of) for of in zip(list_keys[2], wanted.ragged, wanted.splits, strict=True)
        ]
        return (
            *self._context(asked.context, context_keys, defaults),
            *[part[i] for i in range(3) for part in sparse],
            *[part[i] for i in range(2) for part in dense],
            *[part[i] for i in range(3) for part in ragged],
        )

    def _context(self, wanted: Wanted, keys: Any, defaults: Sequence[Array]) -> tuple[Array, ...]:
        examples = np.empty(len(self._messages), object)
        for i, message in enumerate(self._messages):
            inner = message.context.SerializeToString()
            examples[i] = as_example(inner) if inner else b""
        return parse(wanted, examples.reshape(self._shape), self._debug_names, keys, defaults)

    def _steps(self, key: bytes, dtype: np.dtype[Any]) -> list[list[Sequence[Any]]]:
        return [steps_of(lists, key, dtype, self._names, i) for i, lists in enumerate(self._lists)]

    def _sparse(self, key: bytes, dtype: np.dtype[Any]) -> tuple[Array, Array, Array]:
        examples = self._steps(key, dtype)
        places = [
            (i, j, k)
            for i, steps in enumerate(examples)
            for j, step in enumerate(steps)
            for k in range(len(step))
        ]
        indices = np.array(places, np.int64).reshape(-1, 3)
        longest = max(map(len, examples), default=0)
        most = max((len(step) for steps in examples for step in steps), default=0)
        shape = np.array([len(examples), longest, most], np.int64)
        skipped = 0 if self._shape else 1
        return np.ascontiguousarray(indices[:, skipped:]), _flat(examples, dtype), shape[skipped:]

    def _dense(
        self, key: bytes, dtype: np.dtype[Any], shape: TensorShape, may_lack: bool
    ) -> tuple[Array, Array]:
        """The values, filled up to the longest example, and how many steps each has."""
        sizes: Any = shape.as_list()
        outputs = [
            dense_steps(lists, key, dtype, sizes, may_lack, self._names, i)
            for i, lists in enumerate(self._lists)
        ]
        lengths = np.array([len(part) for part in outputs], np.int64)
        whole = check_size((len(outputs), int(lengths.max(initial=0)), *sizes), dtype)
        result = np.full(whole, b"" if dtype.kind == "O" else 0, dtype)
        for line, part in zip(result, outputs, strict=True):
            line[: len(part)] = part
        inner = whole[1:]
        return result.reshape(*self._shape, *inner), lengths.reshape(self._shape)

    def _ragged(
        self, key: bytes, dtype: np.dtype[Any], kind: np.dtype[Any]
    ) -> tuple[Array, Array, Array]:
        """The values, and the splits of examples and of their steps."""
        examples = self._steps(key, dtype)
        outer = np.cumsum([0, *map(len, examples)]) if self._shape else np.zeros(0)
        inner = np.cumsum([0, *(len(step) for steps in examples for step in steps)])
        return _flat(examples, dtype), outer.astype(kind), inner.astype(kind)


def _flat(examples: list[list[Sequence[Any]]], dtype: np.dtype[Any]) -> Array:
    return as_values([value for steps in examples for step in steps for value in step], dtype)


def parse_sequence_example(
    serialized: Any,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Takes a batch of serialized `td.train.SequenceExample` messages apart.

    Args:
        serialized: a string tensor of shape [batch], or a scalar.
        context_features: what each feature of the context is, by name: `td.FixedLenFeature` or
            `td.VarLenFeature`.
        sequence_features: what each feature along time is, by name: `td.FixedLenSequenceFeature`
            or `td.VarLenFeature`.
        example_names: a string tensor of the shape of `serialized`: what the examples are called
            in messages.
        name: a name for the scope of the ops.

    Returns:
        Three dicts: of the context; of the features along time, each a Tensor
        [batch, time, …] that is filled up with zeros or empty strings, or a SparseTensor
        [batch, time, most]; and of those Tensors, how many steps each example has, int64 [batch].

    Raises:
        TypeError: something is not such a feature.
        ValueError: nothing is requested, or a feature is specified incompletely. Contents are
            checked in the run.

    Example:
        >>> def example(words):
        ...     message = td.train.SequenceExample()
        ...     for word in words:
        ...         step = message.feature_lists.feature_list["words"].feature.add()
        ...         step.int64_list.value.append(word)
        ...     return message.SerializeToString()
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     _, steps, lengths = td.io.parse_sequence_example(
        ...         [example([3, 1, 4]), example([1])],
        ...         sequence_features={"words": td.FixedLenSequenceFeature([], td.int64)},
        ...     )
        ...     print(session.run(steps["words"]), session.run(lengths["words"]))
        [[3 1 4]
         [1 0 0]] [3 1]
    """
    with name_scope(name, "ParseSequenceExample", [serialized, example_names]):
        context, lists, may_lack = asked_of_sequences(context_features, sequence_features)
        keys: list[Any] = [
            np.array(list(some), object)
            for some in (context.sparse, context.dense, (), lists.sparse, lists.dense, ())
        ]
        results: Any = PARSE_SEQUENCE_EXAMPLE_V2(
            convert_to_tensor(serialized, string),
            convert_to_tensor(np.zeros(0, object) if example_names is None else example_names),
            *keys,
            np.array([key in may_lack for key in lists.dense], bool),
            context.defaults,
            Ncontext_sparse=len(context.sparse),
            Nfeature_list_sparse=len(lists.sparse),
            Nfeature_list_dense=len(lists.dense),
            **attrs_of_sequences(context, lists),
        )
    lengths = dict(zip(lists.dense, results[10], strict=True))
    return by_name(context, results[:4]), by_name(lists, results[6:10]), lengths
