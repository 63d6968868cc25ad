"""Random parts of tensors."""

from __future__ import annotations

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import control_dependencies, name_scope
from ...graph.node import Tensor
from ..array.identity import identity
from ..array.shapes import shape
from ..debugging.value_checks import assert_greater_equal
from ..indexing.slice import slice as part_of
from ..random.uniform_and_normal import random_uniform

public = {"td, td.image": "random_crop"}


def random_crop(
    value: TensorLike, size: TensorLike, seed: int | None = None, name: str | None = None
) -> Tensor:
    """A part of a tensor, from a random place.

    Args:
        value: a tensor.
        size: the shape of the part: an integer vector.
        seed: makes the places the same in every session: see `td.set_random_seed`.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of shape `size` and the dtype of `value`.

    Raises:
        InvalidArgumentError: `value` is smaller than `size`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     part = session.run(td.random_crop(td.range(10), [3]))
        ...     (part - part[0]).tolist()
        [0, 1, 2]
    """
    with name_scope(name, "random_crop", [value]) as scope:
        x = convert_to_tensor(value, name="value")
        wanted = convert_to_tensor(size, "int32", name="size")
        whole = shape(x)
        checked = assert_greater_equal(whole, wanted, message="value must not be smaller than size")
        with control_dependencies([checked]):
            whole = identity(whole)
        limit = whole - wanted + 1
        draws = random_uniform(shape(whole), 0, 2**31 - 1, "int32", seed)
        return part_of(x, draws % limit, wanted, name=scope)
