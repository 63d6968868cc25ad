"""Ops of TensorFlow that read and write checkpoints.

Graphs that TensorFlow exports for training hold them. They load, so that the rest of such a graph
can be used; they do not run: no graph reads or writes files here, and `td.train.Saver` restores
what such ops would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...graph.op_def import OpDef
from ...shape_inference.rules import SCALAR, UNKNOWN_SHAPE
from ...shape_inference.traits import STATEFUL

if TYPE_CHECKING:
    from ...shape_inference.context import ShapeContext
    from ...shape_inference.tensor_shape import TensorShape

SAVE_V2 = OpDef(
    "SaveV2",
    "prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes ->",
    "dtypes: list(type) >= 1",
    traits=STATEFUL,
)
RESTORE_V2 = OpDef(
    "RestoreV2",
    "prefix: string, tensor_names: string, shape_and_slices: string -> tensors: dtypes",
    "dtypes: list(type) >= 1",
    traits=STATEFUL,
)
MERGE_V2_CHECKPOINTS = OpDef(
    "MergeV2Checkpoints",
    "checkpoint_prefixes: string, destination_prefix: string ->",
    "delete_old_dirs: bool = true, allow_missing_files: bool = false",
    traits=STATEFUL,
)
SHARDED_FILENAME = OpDef(
    "ShardedFilename", "basename: string, shard: int32, num_shards: int32 -> filename: string"
)
SHARDED_FILESPEC = OpDef(
    "ShardedFilespec", "basename: string, num_shards: int32 -> filename: string"
)


@SAVE_V2.shape
@MERGE_V2_CHECKPOINTS.shape
def _shape_of_none(c: ShapeContext) -> list[TensorShape]:
    del c
    return []


@RESTORE_V2.shape
def _restore_shape(c: ShapeContext) -> list[TensorShape]:
    return [UNKNOWN_SHAPE] * len(c.attr("dtypes"))


@SHARDED_FILENAME.shape
@SHARDED_FILESPEC.shape
def _filename_shape(c: ShapeContext) -> TensorShape:
    del c
    return SCALAR
