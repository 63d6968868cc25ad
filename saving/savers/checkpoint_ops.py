"""Ops that write and read checkpoints of version 2, TensorFlow's present one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from ...formats.checkpoints.bundle_writer import Saved, merge_bundles, write_bundle
from ...formats.checkpoints.checkpoint_reader import CheckpointReader
from ...formats.checkpoints.checkpoint_slices import read_part, spans
from ...formats.local_files import told_as_op_error
from ...graph.op_def import OpDef
from ...protos.dtypes import DType
from ...runtime import errors
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR, UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits

SAVES = Traits(stateful=True, of_saver=True, writes_files=True)
RESTORES = Traits(stateful=True, of_saver=True, reads_files=True)

SAVE_V2 = OpDef(
    "SaveV2",
    "prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes ->",
    "dtypes: list(type) >= 1",
    traits=SAVES,
)
RESTORE_V2 = OpDef(
    "RestoreV2",
    "prefix: string, tensor_names: string, shape_and_slices: string -> tensors: dtypes",
    "dtypes: list(type) >= 1",
    traits=RESTORES,
)
MERGE_V2_CHECKPOINTS = OpDef(
    "MergeV2Checkpoints",
    "checkpoint_prefixes: string, destination_prefix: string ->",
    "delete_old_dirs: bool = true, allow_missing_files: bool = false",
    traits=Traits(stateful=True, of_saver=True, reads_files=True, writes_files=True),
)
SHARDED_FILENAME = OpDef(
    "ShardedFilename", "basename: string, shard: int32, num_shards: int32 -> filename: string"
)
SHARDED_FILESPEC = OpDef(
    "ShardedFilespec", "basename: string, num_shards: int32 -> filename: string"
)


@SAVE_V2.shape
def _save_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("prefix", rank=0)
    names, parts = c.shape("tensor_names", rank=1), c.shape("shape_and_slices", rank=1)
    c.merged("tensor_names and shape_and_slices", [names, parts])
    c.merged("tensor_names and dtypes", [names, TensorShape([len(c.attr("dtypes"))])])
    return []


@RESTORE_V2.shape
def _restore_shape(c: ShapeContext) -> list[TensorShape]:
    dtypes = c.attr("dtypes")
    _save_shape(c)
    parts = c.const("shape_and_slices")
    if parts is None:
        return [UNKNOWN_SHAPE] * len(dtypes)
    names = c.const("tensor_names")
    return [
        stated_shape(text, "a tensor" if names is None else texts(names)[i])
        for i, text in enumerate(texts(parts))
    ]


def stated_shape(text: str, name: str) -> TensorShape:
    """The shape that a text such as "4 2 0,3:-" selects; unknown for an empty one."""
    part = read_part(text, name)
    if part is None:
        return UNKNOWN_SHAPE
    return TensorShape([extent.length for extent in spans(part.shape, part.extents)])


@MERGE_V2_CHECKPOINTS.shape
def _merge_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("checkpoint_prefixes", rank=1)
    c.shape("destination_prefix", rank=0)
    return []


@SHARDED_FILENAME.shape
def _filename_shape(c: ShapeContext) -> TensorShape:
    c.shape("shard", rank=0)
    return _filespec_shape(c)


@SHARDED_FILESPEC.shape
def _filespec_shape(c: ShapeContext) -> TensorShape:
    c.shape("basename", rank=0)
    c.shape("num_shards", rank=0)
    return SCALAR


def text_of(name: str, value: Array) -> str:
    """The text that a string tensor of rank 0 holds, such as the name of a file."""
    if value.ndim:
        raise ValueError(f"{name} must be a scalar, got shape {list(value.shape)}")
    return os.fsdecode(value.item())


def number_of(name: str, value: Array) -> int:
    """The number that a tensor of rank 0 holds."""
    if value.ndim:
        raise ValueError(f"{name} must be a scalar, got shape {list(value.shape)}")
    return int(value)


def texts(value: Array) -> list[str]:
    """The texts of a string tensor."""
    return [item.decode(errors="surrogateescape") for item in value.ravel().tolist()]


def to_save(
    dtypes: Sequence[DType], names: Array, parts: Array | None, tensors: Sequence[Array]
) -> Iterator[Saved]:
    """The tensors that an op saves, with their names.

    Raises:
        ValueError: there are not as many names, or parts, as tensors.
    """
    for name, given in (("tensor_names", names), ("shape_and_slices", parts)):
        if given is not None and (given.ndim != 1 or len(given) != len(tensors)):
            raise ValueError(
                f"{name} must be a vector of {len(tensors)} elements, as many as there are "
                f"tensors, got shape {list(given.shape)}"
            )
    stated = [""] * len(tensors) if parts is None else texts(parts)
    for name, dtype, value, text in zip(texts(names), dtypes, tensors, stated, strict=True):
        yield Saved(name, dtype, value, read_part(text, name))


@contextmanager
def in_folder(path: str) -> Iterator[None]:
    """The folder of a checkpoint, made as TensorFlow does: one level of it.

    What goes wrong while the checkpoint is written takes a new folder along, if it is empty.
    """
    folder = os.path.dirname(path) or "."
    try:
        os.mkdir(folder)
    except FileExistsError:
        yield
        return
    try:
        yield
    except BaseException:
        with suppress(OSError):  # others write into it
            os.rmdir(folder)
        raise


@SAVE_V2.kernel
def _save_kernel(c: KernelContext) -> Kernel:
    dtypes = c.attr("dtypes")

    def save(prefix: Array, names: Array, parts: Array, *tensors: Array) -> None:
        path = text_of("prefix", prefix)
        saved = list(to_save(dtypes, names, parts, tensors))
        with told_as_op_error(), in_folder(path):
            write_bundle(path, saved)

    return save


def restored(reader: CheckpointReader, name: str, text: str, dtype: DType) -> Array:
    """A tensor of a checkpoint, or the part of it that `text` states.

    Raises:
        NotFoundError: there is none of that name.
        InvalidArgumentError: it is of another dtype.
        DataLossError: it is damaged.
    """
    stored = reader.get_variable_to_dtype_map().get(name, dtype)
    if stored is not dtype:
        message = f"{name!r} in the checkpoint is of dtype {stored.name}, not of {dtype.name}"
        raise errors.InvalidArgumentError(None, None, message)
    return reader.array(name, read_part(text, name))


@RESTORE_V2.fresh_kernel
def _restore_kernel(c: KernelContext) -> Kernel:
    dtypes = c.attr("dtypes")

    def restore(prefix: Array, names: Array, parts: Array) -> Any:
        for name, given in (("tensor_names", names), ("shape_and_slices", parts)):
            if given.shape != (len(dtypes),):
                raise ValueError(
                    f"{name} must have shape [{len(dtypes)}], as dtypes, got {list(given.shape)}"
                )
        wanted = zip(texts(names), texts(parts), dtypes, strict=True)
        with told_as_op_error(), CheckpointReader(text_of("prefix", prefix)) as reader:
            values = [restored(reader, *item) for item in wanted]
        return values[0] if len(values) == 1 else values

    return restore


@MERGE_V2_CHECKPOINTS.kernel
def _merge_kernel(c: KernelContext) -> Kernel:
    delete, allow_missing = c.attr("delete_old_dirs"), c.attr("allow_missing_files")

    def merge(prefixes: Array, destination: Array) -> None:
        sources = [os.fsdecode(item) for item in prefixes.ravel().tolist()]
        target = text_of("destination_prefix", destination)
        with told_as_op_error(), in_folder(target):
            merge_bundles(sources, target, allow_missing=allow_missing)
        if delete:
            for folder in {os.path.dirname(source) for source in sources}:
                with suppress(OSError):  # it holds something else
                    os.rmdir(folder)

    return merge


@SHARDED_FILENAME.fresh_kernel
def _sharded_filename_kernel(c: KernelContext) -> Kernel:

    def sharded_filename(basename: Array, shard: Array, num_shards: Array) -> Array:
        name = text_of("basename", basename)
        number, whole = number_of("shard", shard), number_of("num_shards", num_shards)
        return np.array(os.fsencode(f"{name}-{number:05d}-of-{whole:05d}"), object)

    return sharded_filename


@SHARDED_FILESPEC.fresh_kernel
def _sharded_filespec_kernel(c: KernelContext) -> Kernel:

    def sharded_filespec(basename: Array, num_shards: Array) -> Array:
        name, number = text_of("basename", basename), number_of("num_shards", num_shards)
        return np.array(os.fsencode(f"{name}-?????-of-{number:05d}"), object)

    return sharded_filespec
