"""Distributions by tensors of parameters, whose shapes say what the batch is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, ClassVar

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape, broadcast_to
from ...ops.array.concat import concat
from ...ops.array.constants import constant
from ...ops.array.reshape import reshape
from ...ops.array.shapes import shape
from ...protos.dtypes import DType
from ...shape_inference.tensor_shape import TensorShape
from .distribution import FULLY_REPARAMETERIZED, Distribution, ReparameterizationType
from .parameters import parameters_of_one_dtype


class Parametric(Distribution):
    """A distribution whose batch is that of its parameters, broadcast.

    Args:
        dtype: the dtype of what is drawn.
        parameters: the parameters, by name.
        batch_of: the parameters of which each element is for a distribution of its own.
        validate_args: whether runs check the parameters.
        allow_nan_stats: whether what is not defined is NaN; otherwise a run fails.
        name: the name of the scopes of the ops.
    """

    _reparameterization: ClassVar[ReparameterizationType] = FULLY_REPARAMETERIZED
    _event_rank: ClassVar[int] = 0

    def __init__(
        self,
        dtype: DType,
        parameters: dict[str, Any],
        batch_of: Sequence[Tensor],
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
    ) -> None:
        self._batch_of = list(batch_of)
        super().__init__(
            dtype,
            self._reparameterization,
            validate_args,
            allow_nan_stats,
            parameters,
            self._batch_of,
            name,
        )

    def _begin(self, arguments: dict[str, Any], names: str, positive: str = "") -> None:
        """Takes the arguments of a constructor: parameters of one dtype, and what all have."""
        values = [arguments[name] for name in names.split()]
        parameters = parameters_of_one_dtype(
            names, values, positive if arguments["validate_args"] else ""
        )
        for name, value in zip(names.split(), parameters, strict=True):
            setattr(self, name, value)
        others = (arguments[key] for key in ("validate_args", "allow_nan_stats", "name"))
        Parametric.__init__(self, parameters[0].dtype, arguments, parameters, *others)

    def _batch_shape(self) -> TensorShape:
        shapes = [self._of_batch(tensor.shape) for tensor in self._batch_of]
        return reduce(broadcast_static_shape, shapes)

    def _batch_shape_tensor(self) -> Tensor:
        shapes = [shape(tensor) for tensor in self._batch_of]
        if self._event_rank:
            shapes = [sizes[: -self._event_rank] for sizes in shapes]
        return reduce(broadcast_dynamic_shape, shapes)

    def _of_batch(self, sizes: TensorShape) -> TensorShape:
        return sizes[: -self._event_rank] if self._event_rank else sizes

    def _event_shape(self) -> TensorShape:
        return self._batch_of[0].shape[-1:] if self._event_rank else TensorShape([])

    def _event_shape_tensor(self) -> Tensor:
        return shape(self._batch_of[0])[-1:] if self._event_rank else constant([], "int32")

    def _sizes(self, n: Tensor) -> Tensor:
        """The shape of n numbers of each distribution."""
        return concat([reshape(n, [1]), self.batch_shape_tensor()], 0)

    def _spread(self, tensor: Any) -> Tensor:
        """A tensor broadcast to the shape of the batch."""
        value = convert_to_tensor(tensor, self._batch_of[0].dtype)
        if value.shape.is_fully_defined() and value.shape == self.batch_shape:
            return value
        return broadcast_to(value, self.batch_shape_tensor())
