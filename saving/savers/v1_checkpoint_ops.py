"""Ops that write and read checkpoints of version 1, as graphs before TensorFlow 1.0 hold them."""

from __future__ import annotations

from ...formats.checkpoints.checkpoint_reader import CheckpointReader
from ...formats.checkpoints.v1_checkpoint_writer import write_old_checkpoint
from ...formats.local_files import told_as_op_error
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from .checkpoint_ops import RESTORES, SAVES, in_folder, restored, stated_shape, text_of, to_save

SAVE = OpDef(
    "Save", "filename: string, tensor_names: string, data: T ->", "T: list(type) >= 1", traits=SAVES
)
SAVE_SLICES = OpDef(
    "SaveSlices",
    "filename: string, tensor_names: string, shapes_and_slices: string, data: T ->",
    "T: list(type) >= 1",
    traits=SAVES,
)
RESTORE = OpDef(
    "Restore",
    "file_pattern: string, tensor_name: string -> tensor: dt",
    "dt: type, preferred_shard: int = -1",
    traits=RESTORES,
)
RESTORE_SLICE = OpDef(
    "RestoreSlice",
    "file_pattern: string, tensor_name: string, shape_and_slice: string -> tensor: dt",
    "dt: type, preferred_shard: int = -1",
    traits=RESTORES,
)


@SAVE.shape
@SAVE_SLICES.shape
def _save_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("filename", rank=0)
    names = c.shape("tensor_names", rank=1)
    c.merged("tensor_names and T", [names, TensorShape([len(c.attr("T"))])])
    return []


@RESTORE.shape
def _restore_shape(c: ShapeContext) -> TensorShape:
    c.shape("file_pattern", rank=0)
    c.shape("tensor_name", rank=0)
    return UNKNOWN_SHAPE


@RESTORE_SLICE.shape
def _restore_slice_shape(c: ShapeContext) -> TensorShape:
    _restore_shape(c)
    c.shape("shape_and_slice", rank=0)
    name, part = c.const("tensor_name"), c.const("shape_and_slice")
    if part is None:
        return UNKNOWN_SHAPE
    subject = "a tensor" if name is None else text_of("tensor_name", name)
    return stated_shape(text_of("shape_and_slice", part), subject)


@SAVE.kernel
def _save_kernel(c: KernelContext) -> Kernel:
    dtypes = c.attr("T")

    def save(filename: Array, names: Array, *data: Array) -> None:
        path = text_of("filename", filename)
        saved = list(to_save(dtypes, names, None, data))
        with told_as_op_error(), in_folder(path):
            write_old_checkpoint(path, saved)

    return save


@SAVE_SLICES.kernel
def _save_slices_kernel(c: KernelContext) -> Kernel:
    dtypes = c.attr("T")

    def save_slices(filename: Array, names: Array, parts: Array, *data: Array) -> None:
        path = text_of("filename", filename)
        saved = list(to_save(dtypes, names, parts, data))
        with told_as_op_error(), in_folder(path):
            write_old_checkpoint(path, saved)

    return save_slices


@RESTORE.fresh_kernel
@RESTORE_SLICE.fresh_kernel
def _restore_kernel(c: KernelContext) -> Kernel:
    dtype = c.attr("dt")

    def restore(pattern: Array, name: Array, part: Array | None = None) -> Array:
        text = "" if part is None else text_of("shape_and_slice", part)
        with told_as_op_error(), CheckpointReader(text_of("file_pattern", pattern)) as reader:
            return restored(reader, text_of("tensor_name", name), text, dtype)

    return restore
