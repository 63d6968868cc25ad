"""Datasets that cache their elements, in memory or in a file.

The file is TensorFlow's record format: first a line that identifies it, then a TensorProto for
each component of each element, and at last how many elements there are. It is written under
another name, and gets its own when it is whole.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from google.protobuf.message import DecodeError

from ...formats.local_files import told_as_op_error
from ...formats.record_file import TFRecordWriter, tf_record_iterator
from ...graph.op_def import OpDef
from ...protos.messages import TensorProto
from ...protos.tensor_codec import decode_tensor, encode_tensor
from ...runtime import errors
from ...runtime.object_arrays import handle_to
from ...runtime.waiting import Waits
from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.traits import STATEFUL, Traits
from ..queues.handles import scalar_shape
from .dataset_elements import Derived, Elements, Listed, kept, source_of
from .dataset_ops import dataset_op, text_of

if TYPE_CHECKING:
    from .dataset_elements import Element, Source

_OF = "input_dataset: variant, filename: string"
_KEEPS = Traits(stateful=True, reads_at="filename", writes_at="filename")
CACHE_DATASET = dataset_op("CacheDataset", _OF, traits=_KEEPS)
CACHE_DATASET_V2 = dataset_op("CacheDatasetV2", f"{_OF}, cache: resource", traits=_KEEPS)
DUMMY_MEMORY_CACHE = OpDef("DummyMemoryCache", "-> handle: resource", traits=STATEFUL)

_MAGIC = b"tensordraft cache 1"


class Cached(Derived):
    """The elements of a dataset, which are kept in memory once all have come."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._lock = threading.Lock()
        self._kept: Listed | None = None

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        with self._lock:
            if self._kept is not None:
                return self._kept.elements(waits)
        return _Keeping(self.source.elements(waits), self._keep)

    def _keep(self, elements: list[Element]) -> None:
        with self._lock:
            self._kept = Listed(elements, self.dtypes, self.shapes)


class _Keeping(Elements):
    def __init__(self, inner: Elements, keep: Any) -> None:
        self._inner, self._keep = inner, keep
        self._elements: list[Element] | None = []

    def next(self) -> Element | None:
        element = self._inner.next()
        if self._elements is not None:
            if element is None:
                self._keep(self._elements)
                self._elements = None
            else:
                element = tuple(map(kept, element))
                self._elements.append(element)
        return element


class CachedInFile(Derived):
    """The elements of a dataset, which are kept in a file once all have come."""

    def __init__(self, source: Source, path: str) -> None:
        super().__init__(source)
        self._path = path

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        if os.path.exists(self._path):
            return _FromFile(self._path, self)
        return _IntoFile(self.source.elements(waits), self._path, self)


class _IntoFile(Elements):
    def __init__(self, inner: Elements, path: str, source: Source) -> None:
        self._inner, self._path, self._dtypes = inner, path, source.dtypes
        self._lockfile = f"{path}.lockfile"
        self._writer: TFRecordWriter | None = None
        self._number = 0
        self._given_up: Any = None
        self._ended = False

    def next(self) -> Element | None:
        if self._ended:
            return None
        writer = self._writer = self._writer or self._begun()
        element = self._inner.next()
        if element is None:
            self._ended = True
            writer.write(b"%d" % self._number)
            writer.close()
            with told_as_op_error():
                os.replace(self._lockfile, self._path)
            self._given_up.detach()
            return None
        for array, dtype in zip(element, self._dtypes, strict=True):
            writer.write(encode_tensor(array, dtype).SerializeToString())
        self._number += 1
        return element

    def _begun(self) -> TFRecordWriter:
        for dtype in self._dtypes:
            if dtype.name in ("variant", "resource"):
                raise errors.UnimplementedError(
                    None, None, f"elements of {dtype.name} cannot be kept in a file"
                )
        try:
            with told_as_op_error(), open(self._lockfile, "xb"):
                pass
        except errors.AlreadyExistsError:
            raise errors.AlreadyExistsError(
                None,
                None,
                "There appears to be a concurrent caching iterator running - cache lockfile "
                f"already exists ({self._lockfile!r}). If you are sure no other running "
                "computations are using this cache prefix, delete the lockfile and re-initialize "
                "the iterator.",
            ) from None
        except errors.OpError:
            _remove(self._lockfile)  # it was made, and could not be closed
            raise
        try:
            writer = TFRecordWriter(self._lockfile)
        except BaseException:
            _remove(self._lockfile)
            raise
        self._given_up = weakref.finalize(self, _abandon, writer, self._lockfile)
        writer.write(_MAGIC)
        return writer


def _abandon(writer: TFRecordWriter, path: str) -> None:
    """Removes an incomplete cache that is no longer being filled."""
    try:
        writer.close()
    finally:
        _remove(path)


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.remove(path)


class _FromFile(Elements):
    def __init__(self, path: str, source: Source) -> None:
        self._path, self._source = path, source
        self._records: Iterator[bytes] | None = None
        self._number = 0
        self._ended = False

    def next(self) -> Element | None:
        if self._ended:
            return None
        try:
            return self._read()
        except Exception:
            self._ended = True  # records after a damaged one cannot be found
            raise

    def _read(self) -> Element | None:
        if self._records is None:
            self._records = tf_record_iterator(self._path)
            if next(self._records, b"") != _MAGIC:
                raise self._damaged("it is not the cache of a dataset")
        parts: list[Array] = []
        for dtype in self._source.dtypes:
            record = next(self._records, None)
            if record is None:
                raise self._damaged(f"it ends behind element {self._number}")
            if not parts and record == b"%d" % self._number:
                self._ended = True
                return None
            try:
                array = decode_tensor(TensorProto.FromString(record))
            except (DecodeError, ValueError) as error:
                raise self._damaged(f"element {self._number}: {error}") from None
            if array.dtype != dtype.numpy_dtype:
                raise self._damaged(
                    f"element {self._number} is of {array.dtype}, where the dataset has "
                    f"{dtype.name}"
                )
            parts.append(kept(np.asarray(array)))
        self._number += 1
        return tuple(parts)

    def _damaged(self, clause: str) -> errors.DataLossError:
        return errors.DataLossError(None, None, f"cache file {self._path!r}: {clause}")


@CACHE_DATASET.kernel
@CACHE_DATASET_V2.kernel
def _cache_kernel(c: KernelContext) -> Kernel:

    def cache(input_dataset: Array, filename: Array, shared: Any = None) -> Array:
        source, path = source_of(input_dataset), os.fsdecode(text_of(filename, "filename"))
        return (CachedInFile(source, path) if path else Cached(source)).handle

    return cache


DUMMY_MEMORY_CACHE.shape(scalar_shape)


@DUMMY_MEMORY_CACHE.kernel
def _dummy_kernel(c: KernelContext) -> Kernel:
    handle = handle_to(None)

    def dummy() -> Array:
        return handle

    return dummy
