"""Contents of a TensorFlow Lite file: subgraphs of tensors and ops, and signatures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...protos import dtypes
from ...protos.dtypes import DType, as_dtype
from ...shape_inference.protocols import Array
from .flatbuffer import FlatBuffer, MalformedError, Table
from .schema import DTYPES, OPS, OPTIONS, SCHEMA
from .sparse_weights import densified

_VERSION = 3
_MANY_OPS = 127  # a code that only the newer, wider field can state
_QUANTIZABLE = frozenset(
    as_dtype(name) for name in ("int4", "uint4", "int2", "int8", "uint8", "int16", "int32", "int64")
)
_NARROW = {
    as_dtype("int4"): (4, True),
    as_dtype("uint4"): (4, False),
    as_dtype("int2"): (2, True),
}
_MOST_RANK = 8


@dataclass(frozen=True, eq=False)
class Quantization:
    """Relation of stored integers to real values: `real = scale * (stored - zero)`.

    Attributes:
        scale: the scale, or one for each index along `axis`.
        zero: the stored value of 0, or one for each index.
        axis: the dimension that scales differ along.
    """

    scale: Array
    zero: Array
    axis: int

    def along(self, values: Array, rank: int) -> Array:
        """`values`, which broadcast against a tensor of that rank."""
        if values.size == 1:
            return values.reshape(())
        shape = [1] * rank
        shape[self.axis] = -1
        return values.reshape(shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quantization):
            return NotImplemented
        mine, others = (self.scale, self.zero), (other.scale, other.zero)
        return all(np.array_equal(a, b) for a, b in zip(mine, others, strict=True))

    def __hash__(self) -> int:
        return hash((self.scale.tobytes(), self.zero.tobytes()))


class TensorInfo(NamedTuple):
    """A tensor of a subgraph.

    Attributes:
        name: its name.
        dtype: its dtype; integers narrower than a byte are stored as bytes.
        shape: its shape, with None for unknown sizes; None for an unknown rank.
        data: the bytes of a constant; None if it is not one.
        quantization: how it is quantized; None if it is not.
        is_variable: whether it is a state.
        sparsity: how the values of a sparse constant are laid out; None for a dense one.
        stated: the dtype that the file states.
    """

    name: str
    dtype: DType
    shape: tuple[int | None, ...] | None
    data: memoryview | None
    quantization: Quantization | None
    is_variable: bool
    sparsity: Table | None
    stated: DType

    def array(self) -> Array:
        """The value of a constant.

        Raises:
            MalformedError: there are more bytes than its shape says, or fewer.
        """
        if self.data is None:
            raise MalformedError(f"the tensor {self.name!r} is not constant")
        shape = [-1 if size is None else size for size in self.shape or ()]
        if any(size < 0 for size in shape):
            raise MalformedError(f"the constant {self.name!r} has the shape {shape}")
        size = math.prod(shape)
        if self.dtype is dtypes.string:
            return _strings(self.data, size, self.name).reshape(shape)
        if self.sparsity is not None:
            stored = np.frombuffer(self.data, self.dtype.numpy_dtype)
            return densified(self.sparsity, stored, shape, self.name)
        bits = _NARROW.get(self.stated, (8 * self.dtype.size, True))[0]
        if len(self.data) != -(-size * bits // 8):
            raise MalformedError(
                f"the constant {self.name!r} of type {self.stated.name} and shape {shape} has "
                f"{len(self.data)} bytes, where {-(-size * bits // 8)} are due"
            )
        if self.stated in _NARROW:
            return _unpacked(self.data, size, *_NARROW[self.stated]).reshape(shape)
        array = np.frombuffer(self.data, self.dtype.numpy_dtype)
        if not array.flags.aligned:
            array = array.copy()
        if self.dtype is dtypes.bool:
            array = array.view(np.uint8) != 0
        return array.reshape(shape)


class Op(NamedTuple):
    """An op of a subgraph.

    Attributes:
        type: the op type; of a custom op, its name.
        is_custom: whether it is one.
        inputs: the numbers of its inputs; -1 where one is left out.
        outputs: the numbers of its outputs.
        options: its options; None if there are none.
        custom: the options of a custom op.
        place: where it is, for errors.
        intermediates: the numbers of tensors that state ranges of intermediate results.
    """

    type: str
    is_custom: bool
    inputs: list[int]
    outputs: list[int]
    options: Table | None
    custom: bytes
    place: str
    intermediates: list[int]


class Subgraph(NamedTuple):
    """A subgraph: the main one, that of a signature, a branch, a loop's body."""

    tensors: list[TensorInfo]
    inputs: list[int]
    outputs: list[int]
    ops: list[Op]


class SignatureInfo(NamedTuple):
    """A signature: the numbers of its inputs and outputs by name."""

    subgraph: int
    inputs: dict[str, int]
    outputs: dict[str, int]


class Contents(NamedTuple):
    """A file: its subgraphs, and its signatures by name."""

    subgraphs: list[Subgraph]
    signatures: dict[str, SignatureInfo]


def read_contents(data: memoryview) -> Contents:
    """Reads the tables of a file.

    Args:
        data: the bytes of the file.

    Raises:
        MalformedError: they contradict the format.
    """
    model = FlatBuffer(data, SCHEMA).root("Model")
    if model["version"] != _VERSION:
        raise MalformedError(f"it states version {model['version']}, where {_VERSION} is known")
    codes = [_op_type(code) for code in model["operator_codes"]]
    buffers = [_content(buffer, data) for buffer in model["buffers"]]
    subgraphs = [
        _subgraph(table, codes, buffers, number) for number, table in enumerate(model["subgraphs"])
    ]
    if not subgraphs:
        raise MalformedError("it has no subgraphs")
    signatures = {}
    for table in model["signature_defs"]:
        signature = _signature(table)
        if signature.subgraph >= len(subgraphs):
            raise MalformedError(f"a signature is for subgraph {signature.subgraph}")
        ends = [*signature.inputs.values(), *signature.outputs.values()]
        _check(ends, subgraphs[signature.subgraph].tensors, "a signature")
        signatures[table["signature_key"]] = signature
    return Contents(subgraphs, signatures)


def _op_type(code: Table) -> tuple[str, bool]:
    old, new = code["deprecated_builtin_code"], code["builtin_code"]
    number = max(old if old != _MANY_OPS else 0, new)
    if not 0 <= number < len(OPS):
        return f"op number {number}", False
    if OPS[number] == "CUSTOM":
        return code["custom_code"], True
    return OPS[number], False


def _content(buffer: Table, data: memoryview) -> memoryview:
    offset, size = buffer["offset"], buffer["size"]
    if offset <= 1:
        return buffer["data"] or memoryview(b"")
    if offset + size > len(data):
        raise MalformedError(f"a buffer ends at byte {offset + size}, where it has {len(data)}")
    return data[offset : offset + size]


def _subgraph(
    table: Table, codes: Sequence[tuple[str, bool]], buffers: Sequence[memoryview], number: int
) -> Subgraph:
    tensors = [_tensor(item, buffers) for item in table["tensors"]]
    inputs, outputs = list(table["inputs"]), list(table["outputs"])
    title = f"subgraph {number}"
    _check([*inputs, *outputs], tensors, title)
    ops = []
    for place, item in enumerate(table["operators"]):
        where = f"op {place} of {title}"
        if item["opcode_index"] >= len(codes):
            raise MalformedError(f"{where} is of type {item['opcode_index']} of {len(codes)}")
        kind, is_custom = codes[item["opcode_index"]]
        op = Op(
            *(kind, is_custom, list(item["inputs"]), list(item["outputs"])),
            _options(item, kind, where),
            bytes(item["custom_options"]),
            where,
            list(item["intermediates"]),
        )
        _check([x for x in op.inputs if x != -1], tensors, f"{where} ({kind})")
        _check([*op.outputs, *(x for x in op.intermediates if x != -1)], tensors, where)
        ops.append(op)
    return Subgraph(tensors, inputs, outputs, ops)


def _check(numbers: Sequence[int], tensors: Sequence[TensorInfo], title: str) -> None:
    for number in numbers:
        if not 0 <= number < len(tensors):
            raise MalformedError(f"{title} refers to tensor {number} of {len(tensors)}")


def _options(item: Table, kind: str, where: str) -> Table | None:
    number = item["builtin_options_type"]
    if kind == "STABLEHLO_COMPOSITE":
        return item.union("builtin_options2", "StableHLOCompositeOptions")
    if not 0 < number < len(OPTIONS):
        return None
    name = f"{OPTIONS[number]}Options"
    return item.union("builtin_options", name) if name in SCHEMA else None


def _tensor(table: Table, buffers: Sequence[memoryview]) -> TensorInfo:
    name = table["name"]
    if not 0 <= table["type"] < len(DTYPES):
        raise MalformedError(f"the tensor {name!r} is of type {table['type']}")
    dtype = stated = DTYPES[table["type"]]
    if stated in _NARROW:
        dtype = dtypes.int8 if _NARROW[stated][1] else dtypes.uint8
    if table["buffer"] >= max(len(buffers), 1):
        raise MalformedError(f"the tensor {name!r} has buffer {table['buffer']} of {len(buffers)}")
    data = buffers[table["buffer"]] if table["buffer"] else None
    sizes = list(table["shape"])
    wide = list(table["shape_signature"])
    if len(wide) == len(sizes):
        sizes = wide
    if len(sizes) > _MOST_RANK or any(size < -1 for size in sizes):
        raise MalformedError(f"the tensor {name!r} has the shape {sizes}")
    is_constant = data is not None and (len(data) > 0 or 0 in sizes) and not table["is_variable"]
    return TensorInfo(
        name,
        dtype,
        tuple(None if size < 0 else size for size in sizes),
        data if is_constant else None,
        _quantization(table["quantization"], stated, sizes, name),
        table["is_variable"],
        table["sparsity"],
        stated,
    )


def _quantization(
    table: Table | None, dtype: DType, sizes: Sequence[int], name: str
) -> Quantization | None:
    if table is None or dtype not in _QUANTIZABLE:
        return None
    scales, zeros = table["scale"], table["zero_point"] or (0,)
    if not len(scales):
        if table["details_type"]:
            raise MalformedError(f"the tensor {name!r} is quantized in blocks: not supported")
        return None
    axis = table["quantized_dimension"]
    scale, zero = np.array(scales, np.float32), np.array(zeros, np.int64)
    if len(scale) > 1 and (not 0 <= axis < len(sizes) or sizes[axis] != len(scale)):
        raise MalformedError(f"the tensor {name!r} has {len(scale)} scales, for {sizes}")
    if len(zero) not in (1, len(scale)) or not (scale >= 0).all() or not np.isfinite(scale).all():
        raise MalformedError(f"the tensor {name!r} has scales {scales[:8]}, zeros {zeros[:8]}")
    if abs(zero).max() > 1 << 31:
        raise MalformedError(f"the tensor {name!r} has zero points {zeros[:8]}")
    if not scale.any():
        return None
    if len(zero) > 1 and (zero == zero[0]).all():
        zero = zero[:1]
    return Quantization(scale, zero.astype(np.float32), axis)


def _signature(table: Table) -> SignatureInfo:
    inputs, outputs = (
        {item["name"]: item["tensor_index"] for item in table[key]} for key in ("inputs", "outputs")
    )
    return SignatureInfo(table["subgraph_index"], inputs, outputs)


def _unpacked(data: memoryview, size: int, bits: int, signed: bool) -> Array:
    """Integers narrower than a byte, the first in the lowest bits of each."""
    packed = np.frombuffer(data, np.uint8)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    values = (packed[:, None] >> shifts & (2**bits - 1)).reshape(-1)[:size]
    if not signed:
        return values
    return ((values ^ 1 << bits - 1).astype(np.int8) - (1 << bits - 1)).astype(np.int8)


def _strings(data: memoryview, size: int, name: str) -> Array:
    """Strings: their number, where each begins, and where the last ends, then their bytes."""
    head = np.frombuffer(data[: len(data) // 4 * 4], np.dtype("<i4"))
    if not len(head) or head[0] != size or len(head) < size + 2:
        raise MalformedError(f"the constant {name!r} does not hold {size} strings")
    places: list[Any] = head[1 : size + 2].tolist()
    if any(a > b for a, b in pairwise(places)) or places[0] < 0:
        raise MalformedError(f"the strings of the constant {name!r} overlap")
    if places[-1] > len(data):
        raise MalformedError(f"the strings of the constant {name!r} are beyond its end")
    result = np.empty(size, object)
    result[:] = [bytes(data[a:b]) for a, b in pairwise(places)]
    return result
