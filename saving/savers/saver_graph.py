"""The nodes of a Saver: the same as in TensorFlow, under the same names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from ...graph.default_graph import get_default_graph
from ...graph.node import Operation, Tensor
from ...graph.scopes.device import DeviceSpec
from ...ops.array.constants import constant
from ...ops.array.identity import identity
from ...ops.array.placeholder import placeholder_with_default
from ...ops.array.stack import stack
from ...ops.debugging.group_and_tuple import group, no_op
from ...ops.strings.string_join import string_join
from ...protos.messages import SaverDef
from .checkpoint_ops import (
    MERGE_V2_CHECKPOINTS,
    RESTORE_V2,
    SAVE_V2,
    SHARDED_FILENAME,
    SHARDED_FILESPEC,
)
from .saveables import SaveableObject
from .v1_checkpoint_ops import SAVE_SLICES

_TEMPORARY = "_temp/part"  # what the names of shards have behind that of the checkpoint


class SaverGraph:
    """Makes the nodes of one Saver in the default graph.

    Args:
        saveables: what is saved.
        version: the version of the checkpoints: that of `td.train.SaverDef`.
        reshape: whether what was read gets the shape of the variable.
        sharded: whether each device has a file of its own.
        sequentially: whether one is restored after the other.
    """

    def __init__(
        self,
        saveables: Sequence[SaveableObject],
        version: int,
        *,
        reshape: bool = False,
        sharded: bool = False,
        sequentially: bool = False,
    ) -> None:
        self._saveables = saveables
        self._version = version
        self._reshape = reshape
        self._sharded = sharded
        self._sequentially = sequentially
        self._graph = get_default_graph()

    def build(self, scope: str, filename: str) -> SaverDef:
        """The names of the created nodes.

        Args:
            scope: the scope of the nodes.
            filename: the name of the checkpoint where none is fed.
        """
        with self._graph.control_dependencies(None), self._graph.name_scope(scope):
            given = placeholder_with_default(filename, shape=(), name="filename")
            path = placeholder_with_default(given, shape=(), name="Const")
            if self._sharded:
                groups = self._by_device()
                saved = self._save_sharded(path, groups)
                restored = self._restore_sharded(path, groups)
            else:
                saved = self._with_done(path, self._save(path, self._saveables))
                restored = self._restore_all(self._restore(path, self._saveables))
        return SaverDef(
            filename_tensor_name=path.name,
            save_tensor_name=saved.name,
            restore_op_name=restored.name,
            sharded=self._sharded,
            version=self._version,
        )

    def _with_done(self, path: Tensor, op: Operation) -> Tensor:
        with self._graph.control_dependencies([op]), self._graph.colocate_with(path):
            return identity(path, name="control_dependency")

    def _save(self, path: Tensor, saveables: Sequence[SaveableObject]) -> Operation:
        names, parts, tensors = _columns(saveables)
        definition, name = (SAVE_V2, "SaveV2")
        texts = ("tensor_names", "shape_and_slices")
        if self._version == SaverDef.V1:
            definition, name = (SAVE_SLICES, "save")
            texts = ("tensor_names", "shapes_and_slices")
        with self._graph.name_scope(name) as scope:
            stated = [constant(names, name=texts[0]), constant(parts, name=texts[1])]
            result: Any = definition(path, *stated, tensors, name=scope)
        return result

    def _restore(self, path: Tensor, saveables: Sequence[SaveableObject]) -> list[Operation]:
        """Ops that restore, each one object."""
        names, parts, _ = _columns(saveables)
        dtypes = [spec.dtype for saveable in saveables for spec in saveable.specs]
        with (
            self._graph.device(_on_cpu(saveables[0].device)),
            self._graph.name_scope("RestoreV2") as scope,
        ):
            stated = [
                constant(names, name="tensor_names"),
                constant(parts, name="shape_and_slices"),
            ]
            read: Any = RESTORE_V2(path, *stated, dtypes=dtypes, name=scope)
        values = iter(read)
        ops: list[Operation] = []
        for saveable in saveables:
            mine = [next(values) for _ in saveable.specs]
            shapes = None
            if self._reshape:
                shapes = [spec.tensor.shape for spec in saveable.specs]
                if not all(shape.is_fully_defined() for shape in shapes):
                    shapes = None
            before = ops[-1:] if self._sequentially else []
            with self._graph.control_dependencies(before), self._graph.device(saveable.device):
                ops.append(saveable.restore(mine, shapes))
        return ops

    def _restore_all(self, ops: Sequence[Operation]) -> Operation:
        """An op that is done when all have: with one op of its own for each device in use."""
        devices = sorted({op.device for op in ops})
        if len(devices) == 1:
            with self._graph.device(devices[0]):
                return group(*ops, name="restore_all")
        parts = []
        with self._graph.name_scope("restore_all") as scope:
            for device in devices:
                with self._graph.device(device):
                    parts.append(group(*[op for op in ops if op.device == device], name="NoOp"))
            with self._graph.control_dependencies(parts):
                return no_op(name=scope)

    def _by_device(self) -> list[tuple[str, list[SaveableObject]]]:
        def device(saveable: SaveableObject) -> str:
            return DeviceSpec.from_string(saveable.device).to_string()

        return [
            (key, list(items))
            for key, items in groupby(sorted(self._saveables, key=device), device)
        ]

    def _save_sharded(
        self, path: Tensor, groups: Sequence[tuple[str, Sequence[SaveableObject]]]
    ) -> Tensor:
        whole = path
        if self._version == SaverDef.V2:
            path = string_join([path, _TEMPORARY])
        number = constant(len(groups), name="num_shards")
        names, done = [], []
        for shard, (device, saveables) in enumerate(groups):
            with self._graph.device(_on_cpu(device)):
                with self._graph.name_scope("ShardedFilename") as scope:
                    position = constant(shard, name="shard")
                    names.append(SHARDED_FILENAME(path, position, number, name=scope))
                done.append(self._with_done(names[-1], self._save(names[-1], saveables)))
        if self._version == SaverDef.V1:
            with self._graph.control_dependencies([tensor.op for tensor in done]):
                return SHARDED_FILESPEC(path, number)
        last = self._graph.device(_on_cpu(groups[-1][0]))
        with last, self._graph.control_dependencies([tensor.op for tensor in done]):
            with self._graph.name_scope("MergeV2Checkpoints") as scope:
                prefixes = stack(names, name="checkpoint_prefixes")
                merged = MERGE_V2_CHECKPOINTS(prefixes, whole, delete_old_dirs=True, name=scope)
            with self._graph.control_dependencies([merged]):
                return identity(whole)

    def _restore_sharded(
        self, path: Tensor, groups: Sequence[tuple[str, Sequence[SaveableObject]]]
    ) -> Operation:
        shards = []
        for device, saveables in groups:
            with self._graph.device(device):
                ops = self._restore(path, saveables)
                shards.append(group(*ops, name="restore_shard"))
        return self._restore_all(shards)


def _columns(saveables: Sequence[SaveableObject]) -> tuple[list[str], list[str], list[Any]]:
    specs = [spec for saveable in saveables for spec in saveable.specs]
    return (
        [spec.name for spec in specs],
        [spec.slice_spec for spec in specs],
        [spec.tensor for spec in specs],
    )


def _on_cpu(device: str) -> str:
    """The CPU beside a device: where files are read and written."""
    spec = DeviceSpec.from_string(device)
    spec.device_type, spec.device_index = "CPU", 0
    return spec.to_string()
