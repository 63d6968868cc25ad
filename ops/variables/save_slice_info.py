"""Slices of partitioned variables, so that checkpoints hold the whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...protos.messages import SaveSliceInfoDef, VariableDef


class SaveSliceInfo(NamedTuple):
    """Position of a variable in a larger one.

    Args:
        full_name: the name of the whole.
        full_shape: its shape.
        var_offset: where the part begins, in each dimension.
        var_shape: the shape of the part.

    Example:
        >>> from tensordraft.ops.variables.save_slice_info import SaveSliceInfo
        >>> SaveSliceInfo("layer/w", [4, 2], [2, 0], [2, 2]).spec
        '4 2 2,2:0,2'
    """

    full_name: str
    full_shape: Sequence[int]
    var_offset: Sequence[int]
    var_shape: Sequence[int]

    @property
    def spec(self) -> str:
        """The part as checkpoints state it."""
        sizes = " ".join(map(str, self.full_shape))
        places = zip(self.var_offset, self.var_shape, strict=True)
        return f"{sizes} {':'.join(f'{start},{length}' for start, length in places)}"

    def to_proto(self) -> SaveSliceInfoDef:
        """The same as a message."""
        return SaveSliceInfoDef(**self._asdict())

    @classmethod
    def in_proto(cls, variable_def: VariableDef) -> SaveSliceInfo | None:
        """Reads the message of a variable; None if it is not a part."""
        if not variable_def.HasField("save_slice_info_def"):
            return None
        stated = variable_def.save_slice_info_def
        sizes = (stated.full_shape, stated.var_offset, stated.var_shape)
        return cls(stated.full_name, *map(list, sizes))


class Part:
    """Mixin with the slice of the whole that a variable is, if it is a part."""

    __slots__ = ("_save_slice_info",)

    _save_slice_info: SaveSliceInfo | None

    SaveSliceInfo = SaveSliceInfo

    def _set_save_slice_info(self, save_slice_info: Any) -> None:
        """Says of which whole the variable is a part, so that it is saved as one."""
        self._save_slice_info = save_slice_info

    def _part_proto(self) -> SaveSliceInfoDef | None:
        return None if self._save_slice_info is None else self._save_slice_info.to_proto()

    def _get_save_slice_info(self) -> Any:
        return self._save_slice_info


def follow_slice(companion: Any, variable: Any) -> None:
    """Makes a variable that was made beside a part the same part of a whole beside the whole.

    Args:
        companion: such as a slot of an optimizer; its name is that of `variable`, and more.
        variable: a variable, which need not be a part.
    """
    part = getattr(variable, "_save_slice_info", None)
    if part is None:
        return
    rank = companion.shape.rank
    sizes = list(part.var_shape)
    if rank is None or companion.shape.as_list() != sizes[:rank]:
        return
    own = companion.op.name.removeprefix(f"{variable.op.name}/")
    companion._set_save_slice_info(
        SaveSliceInfo(
            f"{part.full_name}/{own}",
            list(part.full_shape)[:rank],
            list(part.var_offset)[:rank],
            sizes[:rank],
        )
    )
