"""Shapes and sizes as tensors: constants if known, else read from the tensor that has them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from ...graph.convert import convert_to_tensor, register_tensor_conversion_function
from ...graph.default_graph import get_default_graph
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...protos.dtypes import DType, as_dtype
from ...shape_inference.dimension import Dimension, as_size
from ...shape_inference.symbolic.atoms import Call
from ...shape_inference.symbolic.expressions import as_symbol, terms_of
from ...shape_inference.symbolic.polynomials import Atom, Polynomial
from ...shape_inference.symbolic.sizes import Size, size_text
from ...shape_inference.symbolic.symbolic import DimExpr
from ...shape_inference.tensor_shape import TensorShape
from ..math.arithmetic import maximum, minimum
from ..math.division import floordiv, floormod
from .shapes import shape

_FUNCTIONS: dict[str, Callable[..., Tensor]] = {
    "//": floordiv,
    "%": floormod,
    "min": minimum,
    "max": maximum,
}


def _converted(
    value: TensorShape | Dimension | DimExpr, dtype: DType | None, name: str | None, as_ref: bool
) -> Tensor:
    """Converts a shape or a size to a tensor: of int32, or int64 where a size needs it.

    Raises:
        TypeError: `dtype` is not a dtype of sizes.
        ValueError: a size is open, and no tensor of the graph has it.
    """
    if dtype is not None and dtype.name not in ("int32", "int64"):
        raise TypeError(f"a shape becomes a tensor of int32 or int64, not {dtype.name}")
    if not isinstance(value, TensorShape):
        return _size_tensor(as_size(value), dtype, name)
    if value.sizes is None or None in value.sizes:
        raise _unknown(value)
    if value.is_fully_defined():
        default = "int32" if not value.sizes else None
        return convert_to_tensor(value.as_list(), dtype or default, name)
    return convert_to_tensor(list(value), dtype, name)


def _size_tensor(size: Size, dtype: DType | None, name: str | None) -> Tensor:
    if size is None:
        raise _unknown(Dimension(None))
    if isinstance(size, int):
        return convert_to_tensor(size, dtype, name)
    with name_scope(name, "size"):
        return _sum(terms_of(size), dtype or as_dtype("int32"))


def _sum(terms: Polynomial, dtype: DType) -> Tensor:
    """A polynomial: a sum of products of atoms, each with a coefficient."""
    products: list[Any] = []
    for atoms, coefficient in terms.items():
        factors = [_atom(atom, dtype) for atom in atoms]
        scale = [coefficient] if coefficient != 1 or not factors else []
        products.append(reduce(operator.mul, [*factors, *scale]))
    return convert_to_tensor(reduce(operator.add, products), dtype)


def _atom(atom: Atom, dtype: DType) -> Tensor:
    if isinstance(atom, Call):
        arguments = [_sum(terms, dtype) for terms in atom.arguments]
        return reduce(_FUNCTIONS[atom.function], arguments)
    return _where_it_stands(atom, dtype)


def _where_it_stands(symbol: Atom, dtype: DType) -> Tensor:
    """The size that is called `symbol`, from the shape of the first tensor that has it."""
    for op in get_default_graph().get_operations():
        for output in op.outputs:
            for axis, size in enumerate(output.shape.sizes or ()):
                if isinstance(size, DimExpr) and as_symbol(size) == symbol:
                    return shape(output, out_type=dtype)[axis]
    raise _unknown(Dimension(DimExpr({(symbol,): 1})))


def _unknown(value: TensorShape | Dimension) -> ValueError:
    text = str(value) if isinstance(value, TensorShape) else size_text(value.size)
    return ValueError(
        f"cannot convert the shape {text} to a tensor: not every size is known before the run "
        "or stands in a tensor of this graph; td.shape(tensor) gives it in the run"
    )


register_tensor_conversion_function((TensorShape, Dimension, DimExpr), _converted)
