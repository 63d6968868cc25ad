"""`td.TensorArray`: arrays of tensors that ops write and read one by one, as in TensorFlow 1.x."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import DType, as_dtype
from ...shape_inference.handle_data import merged_if_alike
from ...shape_inference.tensor_shape import TensorShape
from ..array.identity import identity
from ..array.ranges import range as range_op
from ..array.shapes import shape
from ..indexing.gather import gather
from .tensor_array_ops import CLOSE, GRAD, MADE, READ, SIZE, WRITE
from .tensor_array_stacking import CONCAT, GATHER, SCATTER, SPLIT

public = {"td": "TensorArray"}


class TensorArray:
    """An array of tensors of one dtype, which a graph writes to and reads from while it runs.

    It is meant for loops: a `td.while_loop` takes it as a variable. Each method that changes it
    returns the array after the change, to be used from then on; its `flow` defines the order.

    Args:
        dtype: the dtype of the elements.
        size: how many elements there are, a scalar.
        dynamic_size: whether a write behind the end makes the array longer; by default not.
        clear_after_read: whether an element is gone once it was read; by default so.
        tensor_array_name: a name for the array; arrays are never shared.
        handle: that of an array that there is already, in place of what describes a new one.
        flow: the flow to go on from, with `handle`.
        infer_shape: whether all elements have the shape of the first.
        element_shape: what is known of the shape of each element.
        colocate_with_first_write_call: accepted for TensorFlow's sake.
        name: a name for the scope of the ops.

    Raises:
        TypeError: `handle` is not a tensor.
        ValueError: there is neither `size` nor `handle`, or an argument that goes with the other.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     squares = td.TensorArray(td.int32, size=4)
        ...     step = lambda i, array: (i + 1, array.write(i, i * i))
        ...     _, squares = td.while_loop(lambda i, _: i < 4, step, (0, squares))
        ...     print(session.run(squares.stack()))
        [0 1 4 9]
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Tensor | None = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        self._dtype = as_dtype(dtype).base_dtype
        self._one_shape = infer_shape or element_shape is not None
        self._shape = TensorShape(element_shape)
        del colocate_with_first_write_call
        self._dynamic_size = bool(dynamic_size)
        settings = {
            "tensor_array_name": tensor_array_name,
            "size": size,
            "element_shape": element_shape,
            "dynamic_size": dynamic_size,
            "clear_after_read": clear_after_read,
        }
        if handle is None:
            if size is None:
                raise ValueError("size must be provided if handle is not provided")
            with name_scope(name, "TensorArray") as scope:
                opened = MADE(
                    size,
                    dtype=self._dtype,
                    element_shape=self._shape,
                    dynamic_size=self._dynamic_size,
                    clear_after_read=clear_after_read is not False,
                    identical_element_shapes=infer_shape,
                    tensor_array_name=tensor_array_name or "",
                    name=scope,
                )
            self._handle: Tensor = opened.handle
            self._flow: Tensor = opened.flow
            if flow is not None:
                self._flow = convert_to_tensor(flow, "float32")
            return
        given = [key for key, value in settings.items() if value is not None]
        if given:
            raise ValueError(
                f"cannot provide both handle and {given[0]}: the array is there already"
            )
        if not isinstance(handle, Tensor):
            raise TypeError(f"handle must be a Tensor, got {handle!r}")
        self._handle = handle
        self._flow = convert_to_tensor(0.0 if flow is None else flow, "float32")

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def handle(self) -> Tensor:
        """The tensor that stands for the array: a scalar of resource."""
        return self._handle

    @property
    def flow(self) -> Tensor:
        """The tensor that says after which changes the array is meant: a scalar of float32."""
        return self._flow

    @property
    def dynamic_size(self) -> bool:
        """True if a write past the end extends the array."""
        return self._dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """Static shape of each element."""
        return self._shape

    def _after(self, flow: Tensor, handle: Tensor | None = None) -> TensorArray:
        """The array after what a flow stands for."""
        array = object.__new__(TensorArray)
        array.__dict__.update(self.__dict__)
        array._flow = flow
        if handle is not None:
            array._handle = handle
        return array

    def _learn(self, shape: TensorShape) -> None:
        """Infers the shape of all elements from one, if they have one shape.

        Raises:
            ValueError: it contradicts what is known.
        """
        if not self._one_shape:
            return
        if not self._shape.is_compatible_with(shape):
            raise ValueError(
                f"Inconsistent shapes: saw {shape} but expected {self._shape} (and "
                "infer_shape=True)"
            )
        self._shape = merged_if_alike(self._shape, shape)

    def _value(self, value: Any) -> Tensor:
        tensor = convert_to_tensor(value, None if isinstance(value, Tensor) else self._dtype)
        if tensor.dtype.base_dtype is not self._dtype:
            raise ValueError(
                f"Input value {tensor.name!r} has dtype {tensor.dtype.base_dtype.name}, but "
                f"expected dtype {self._dtype.name}, that of the TensorArray"
            )
        return tensor

    def _changed(self, op: OpDef[Any], *inputs: Any) -> TensorArray:
        """The array after an op that takes the handle, some inputs, and the flow."""
        return self._after(op(self._handle, *inputs, self._flow))

    def identity(self) -> TensorArray:
        """The same array, with the control dependencies of where this is called in its flow."""
        return self._after(identity(self._flow))

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array after `value` was put in at `index`.

        Args:
            index: an int32 scalar.
            value: a tensor.
            name: a name for the scope of the ops.

        Returns:
            The TensorArray to go on with.

        Raises:
            ValueError: `value` is of another dtype, or of another shape than the elements. In the
                run, as an InvalidArgumentError, also where the index is none, or there is an
                element already.
        """
        with name_scope(name, "TensorArrayWrite"):
            tensor = self._value(value)
            self._learn(tensor.shape)
            return self._changed(WRITE, index, tensor)

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element at `index`; where none was written, zeros if the shape is known.

        Args:
            index: an int32 scalar.
            name: a name for the op.
        """
        value: Tensor = READ(self._handle, index, self._flow, dtype=self._dtype, name=name)
        value.set_shape(self._shape)
        return value

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at some indices, stacked.

        Args:
            indices: an int32 vector.
            name: a name for the op.
        """
        flags = {"dtype": self._dtype, "element_shape": self._shape}
        return GATHER(self._handle, indices, self._flow, **flags, name=name)

    def stack(self, name: str | None = None) -> Tensor:
        """All elements, stacked."""
        with name_scope(name, "TensorArrayStack"):
            return self.gather(range_op(0, self.size()))

    def concat(self, name: str | None = None) -> Tensor:
        """All elements, joined along their first dimension, in which they may differ."""
        rest = self._shape[1:] if self._shape.rank is not None else TensorShape(None)
        flags = {"dtype": self._dtype, "element_shape_except0": rest}
        return CONCAT(self._handle, self._flow, **flags, name=name).value

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array after the slices of `value` were put in at some indices.

        Args:
            indices: an int32 vector.
            value: a tensor with as many slices along its first dimension.
            name: a name for the scope of the ops.
        """
        with name_scope(name, "TensorArrayScatter"):
            tensor = self._value(value)
            self._learn(tensor.shape.with_rank_at_least(1)[1:])
            return self._changed(SCATTER, indices, tensor)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array after the slices of `value` were put in, from the first place on."""
        with name_scope(name, "TensorArrayUnstack"):
            tensor = self._value(value)
            return self.scatter(range_op(0, gather(shape(tensor), 0)), tensor)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The array after `value` was cut along its first dimension, and the parts put in.

        Args:
            value: a tensor.
            lengths: an int64 vector: the size of each part.
            name: a name for the scope of the ops.
        """
        with name_scope(name, "TensorArraySplit"):
            tensor = self._value(value)
            sizes = convert_to_tensor(lengths, "int64")
            if tensor.shape.rank is not None:
                self._learn(TensorShape([None, *tensor.shape.with_rank_at_least(1).as_list()[1:]]))
            return self._changed(SPLIT, tensor, sizes)

    def size(self, name: str | None = None) -> Tensor:
        """Number of elements, an int32 scalar."""
        return SIZE(self._handle, self._flow, name=name)

    def close(self, name: str | None = None) -> Operation:
        """An op that makes an end of the array."""
        return CLOSE(self._handle, name=name)

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> TensorArray:
        """The array of the gradients of this one's elements, which adds up what is written to it.

        Args:
            source: a name that distinguishes the gradients of the array.
            flow: the flow after which its size is taken; by default that of this array.
            name: a name for the scope of the ops.
        """
        with name_scope(name, "TensorArrayGrad"):
            after = self._flow if flow is None else convert_to_tensor(flow, "float32")
            outputs = GRAD(self._handle, after, source=source)
            return self._after(
                identity(outputs.flow_out, name="gradient_flow"), outputs.grad_handle
            )

    def __repr__(self) -> str:
        return f"<td.TensorArray {self._handle.name!r} of {self._dtype.name}, {self._shape}>"
