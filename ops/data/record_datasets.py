"""Datasets of files: `TFRecordDataset`, `TextLineDataset`, `FixedLengthRecordDataset`."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import string
from ...shape_inference.tensor_shape import TensorShape
from ..array.reshape import reshape
from .dataset import Dataset
from .dataset_base import number
from .element_specs import Leaf
from .file_sources import (
    FIXED_LENGTH_RECORD_DATASET,
    FIXED_LENGTH_RECORD_DATASET_V2,
    TEXT_LINE_DATASET,
    TF_RECORD_DATASET,
)

public = {
    "td.data, td.contrib.data": "FixedLengthRecordDataset TFRecordDataset TextLineDataset",
}

_STRING = Leaf(Tensor, string, TensorShape([]))


class FilesDataset(Dataset):
    """Base class of Datasets of the strings in files, which an op reads."""

    _op: OpDef[Tensor]

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
    ) -> None:
        def strings(names: Any) -> Dataset:
            inputs = [_compression(compression_type), _buffer_size(buffer_size)]
            return Dataset(self._op(names, *inputs), _STRING)

        dataset = _of_files(filenames, strings, num_parallel_reads)
        super().__init__(dataset._variant_tensor, _STRING)


class TFRecordDataset(FilesDataset):
    """A Dataset of the records of TensorFlow's record files, as string scalars.

    Args:
        filenames: the names of files: a string, a vector of some, or a Dataset of them.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: accepted; files are read in blocks of 1 MB.
        num_parallel_reads: how many files are read at a time, by threads; their records come in
            turns. By default one file after the other.

    Raises:
        DataLossError: in a run, a record is damaged, or cut off; the error names file and offset.
            The next run continues with the next file.
        NotFoundError: in a run, there is no such file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "data.tfrecords")
        >>> with td.python_io.TFRecordWriter(path) as writer:
        ...     for record in (b"one", b"two"):
        ...         writer.write(record)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     record = td.data.TFRecordDataset(path).make_one_shot_iterator().get_next()
        ...     session.run(record), session.run(record)
        (b'one', b'two')
    """

    _op = TF_RECORD_DATASET


class TextLineDataset(FilesDataset):
    r"""A Dataset of the lines of text files, as string scalars without what ends them.

    Args:
        filenames: as for `TFRecordDataset`.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: accepted; files are read in blocks of 1 MB.
        num_parallel_reads: as for `TFRecordDataset`.

    Raises:
        NotFoundError: in a run, there is no such file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "table.csv")
        >>> with open(path, "w") as file:
        ...     _ = file.write("x,y\n1,2\n")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     lines = td.data.TextLineDataset([path]).skip(1)
        ...     session.run(lines.make_one_shot_iterator().get_next())
        b'1,2'
    """

    _op = TEXT_LINE_DATASET


class FixedLengthRecordDataset(Dataset):
    """A Dataset of the records of files in which all are of one length, as string scalars.

    Args:
        filenames: as for `TFRecordDataset`.
        record_bytes: the length of a record.
        header_bytes: what is left out at the beginning of each file.
        footer_bytes: what is left out at its end.
        buffer_size: accepted; files are read in blocks of 1 MB.
        compression_type: "", "ZLIB" or "GZIP".
        num_parallel_reads: as for `TFRecordDataset`.

    Raises:
        DataLossError: in a run, a file does not hold a whole number of records.
        NotFoundError: in a run, there is no such file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "data.bin")
        >>> with open(path, "wb") as file:
        ...     _ = file.write(b"HEADaabb")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     pairs = td.data.FixedLengthRecordDataset(path, record_bytes=2, header_bytes=4)
        ...     pair = pairs.make_one_shot_iterator().get_next()
        ...     session.run(pair), session.run(pair)
        (b'aa', b'bb')
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: str | None = None,
        num_parallel_reads: Any = None,
    ) -> None:
        def records(names: Any) -> Dataset:
            inputs = [
                number(header_bytes or 0, "header_bytes"),
                number(record_bytes, "record_bytes"),
                number(footer_bytes or 0, "footer_bytes"),
                _buffer_size(buffer_size),
            ]
            if compression_type:
                packed = _compression(compression_type)
                result = FIXED_LENGTH_RECORD_DATASET_V2(names, *inputs, packed)
            else:
                result = FIXED_LENGTH_RECORD_DATASET(names, *inputs)
            return Dataset(result, _STRING)

        made = _of_files(filenames, records, num_parallel_reads)
        super().__init__(made._variant_tensor, _STRING)


def _of_files(filenames: Any, records: Any, parallel: Any) -> Dataset:
    """The records of files, one file after the other or by threads.

    Raises:
        TypeError: `filenames` are not strings.
    """
    if isinstance(filenames, Dataset):
        if filenames.output_types is not string:
            raise TypeError("`filenames` must be a `tf.data.Dataset` of `tf.string` elements.")
        names = filenames
    else:
        tensor = convert_to_tensor(filenames, string, "filenames")
        if parallel is None:
            return records(tensor)
        names = Dataset.from_tensor_slices(reshape(tensor, [-1]))
    if parallel is None:
        return names.flat_map(records)
    return names.interleave(records, cycle_length=parallel, num_parallel_calls=parallel)


def _compression(compression_type: str | None) -> Tensor:
    return convert_to_tensor(compression_type or "", string, "compression_type")


def _buffer_size(buffer_size: Any) -> Tensor:
    return number(256 * 1024 if buffer_size is None else buffer_size, "buffer_size")
