"""The handwritten digits that tutorials learn: read from local files, taken in batches."""

from __future__ import annotations

import gzip
import math
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...graph.default_scopes import get_seed
from ...protos.dtypes import as_dtype, float32, uint8
from ...runtime import errors

public = {
    "td.contrib.learn.datasets.mnist": (
        "DataSet Datasets dense_to_one_hot extract_images extract_labels read_data_sets"
    ),
}

_CLASSES = 10
_MAGIC = {3: 2051, 1: 2049}  # of images, and of labels, by the number of their axes


class DataSet:
    """Images with their labels, handed out in batches, epoch after epoch.

    Args:
        images: uint8[count,rows,columns,1].
        labels: uint8[count], or one-hot rows.
        fake_data: no images: each batch consists of ones and zeros.
        one_hot: whether fake labels are rows.
        dtype: uint8, or float32 for pixels from 0 to 1.
        reshape: whether each image becomes one row.
        seed: of the order; as in TensorFlow it seeds NumPy's own generator.

    Raises:
        TypeError: `dtype` is another one.
        ValueError: there are more or fewer images than labels.

    Example:
        >>> images = np.full((3, 2, 2, 1), 255, np.uint8)
        >>> data = td.contrib.learn.datasets.mnist.DataSet(images, np.arange(3))
        >>> images, labels = data.next_batch(2, shuffle=False)
        >>> images.shape, labels.tolist(), images.max()
        ((2, 4), [0, 1], np.float32(1.0))
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        of_graph, of_op = get_seed(seed)
        np.random.seed(of_graph if seed is None else of_op)  # noqa: NPY002 - programs rely on it
        dtype = as_dtype(dtype).base_dtype
        if dtype not in (uint8, float32):
            raise TypeError(f"dtype {dtype.name} is not one of uint8, float32")
        self._fake = fake_data
        self._one_hot = one_hot
        self._epochs = 0
        self._next = 0
        if fake_data:
            self._images, self._labels = np.empty((10000, 0)), np.empty(10000)
            return
        images, labels = np.asarray(images), np.asarray(labels)
        if len(images) != len(labels):
            raise ValueError(f"there are {len(images)} images, but {len(labels)} labels")
        if reshape:
            images = images.reshape(len(images), math.prod(images.shape[1:]))
        if dtype == float32:
            images = np.multiply(images.astype(np.float32), np.float32(1.0 / 255.0))
        self._images, self._labels = images, labels

    @property
    def images(self) -> np.ndarray:
        """The images, in the order of the present epoch."""
        return self._images

    @property
    def labels(self) -> np.ndarray:
        """The labels, in the order of the images."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """Number of images."""
        return len(self._images)

    @property
    def epochs_completed(self) -> int:
        """Number of completed epochs of `next_batch`."""
        return self._epochs

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[Any, Any]:
        """The next images and labels; at the end of an epoch the rest, and the next one's first.

        Args:
            batch_size: the number of examples, at most `num_examples`.
            fake_data: whether to make them of ones and zeros.
            shuffle: whether each epoch has an order of its own.

        Raises:
            ValueError: `batch_size` is not in [0, num_examples].
        """
        if fake_data:
            label: Any = [1, *[0] * (_CLASSES - 1)] if self._one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        if not 0 <= batch_size <= self.num_examples:
            raise ValueError(f"batch_size {batch_size} is not in [0, {self.num_examples}]")
        begin = self._next
        if self._epochs == 0 and begin == 0 and shuffle:
            self._shuffle()
        end = begin + batch_size
        if end <= self.num_examples:
            self._next = end
            return self._images[begin:end], self._labels[begin:end]
        self._epochs += 1
        images, labels = self._images[begin:], self._labels[begin:]
        if shuffle:
            self._shuffle()
        self._next = batch_size - len(images)
        return (
            np.concatenate([images, self._images[: self._next]]),
            np.concatenate([labels, self._labels[: self._next]]),
        )

    def _shuffle(self) -> None:
        order = np.arange(self.num_examples)
        np.random.shuffle(order)  # noqa: NPY002 - as TensorFlow does: the same batches by seed
        self._images, self._labels = self._images[order], self._labels[order]


class Datasets(NamedTuple):
    """Result of `read_data_sets`.

    Example:
        >>> from tensordraft.contrib.learn.datasets import mnist
        >>> mnist.Datasets(None, None, None)._fields
        ('train', 'validation', 'test')
    """

    train: DataSet
    validation: DataSet
    test: DataSet


def dense_to_one_hot(labels_dense: Any, num_classes: int) -> np.ndarray:
    """Labels as rows: 1 where the label is, and 0 elsewhere.

    Args:
        labels_dense: integers[count], each in [0, num_classes).
        num_classes: the length of a row.

    Example:
        >>> from tensordraft.contrib.learn.datasets.mnist import dense_to_one_hot
        >>> dense_to_one_hot([2, 0], 3).tolist()
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    labels = np.asarray(labels_dense).reshape(-1)
    outside = labels[(labels < 0) | (labels >= num_classes)]
    if outside.size:
        raise ValueError(f"label {outside[0]} is not in [0, {num_classes})")
    rows = np.zeros((len(labels), num_classes))
    rows[np.arange(len(labels)), labels] = 1
    return rows


def extract_images(f: Any) -> np.ndarray:
    """The images of an open file `*-images-idx3-ubyte.gz`: uint8[count,rows,columns,1].

    Args:
        f: a file open for bytes, packed by gzip or not.

    Raises:
        DataLossError: it is not such a file, or damaged.

    Example:
        >>> import io, struct
        >>> from tensordraft.contrib.learn.datasets import mnist
        >>> mnist.extract_images(io.BytesIO(struct.pack(">4I", 2051, 2, 1, 1) + b"ab")).shape
        (2, 1, 1, 1)
    """
    return _array(f, 3)[..., np.newaxis]


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = _CLASSES) -> np.ndarray:
    """The labels of an open file `*-labels-idx1-ubyte.gz`: uint8[count], or one-hot rows.

    Args:
        f: a file open for bytes, packed by gzip or not.
        one_hot: whether to make rows of them.
        num_classes: the length of a row.

    Raises:
        DataLossError: it is not such a file, or damaged.

    Example:
        >>> import io, struct
        >>> from tensordraft.contrib.learn.datasets import mnist
        >>> mnist.extract_labels(io.BytesIO(struct.pack(">2I", 2049, 2) + bytes([7, 5])))
        array([7, 5], dtype=uint8)
    """
    labels = _array(f, 1)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def read_data_sets(
    train_dir: Any,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = "",
) -> Datasets:
    """The digits of a folder, for training, validation and test.

    Args:
        train_dir: the folder with the four files `train-images-idx3-ubyte.gz`,
            `train-labels-idx1-ubyte.gz`, `t10k-images-idx3-ubyte.gz` and
            `t10k-labels-idx1-ubyte.gz`, or the same unpacked, without `.gz`.
        fake_data: reads nothing: batches of ones and zeros.
        one_hot: whether labels are rows.
        dtype: uint8, or float32 for pixels from 0 to 1.
        reshape: whether each image becomes one row.
        validation_size: the number of training images to use for validation.
        seed: as for `DataSet`.
        source_url: accepted for TensorFlow's sake: nothing is downloaded.

    Raises:
        NotFoundError: a file is not there. TensorFlow would download it.
        DataLossError: a file is damaged.
        ValueError: `validation_size` is not in [0, the number of training images].

    Example:
        >>> from tensordraft.contrib.learn.datasets import mnist
        >>> images, labels = mnist.read_data_sets("", fake_data=True).train.next_batch(2, True)
        >>> len(images), labels
        (2, [0, 0])
    """
    options: dict[str, Any] = {"dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        one = DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed)
        return Datasets(one, one, one)
    train, test = (
        (
            _read(train_dir, f"{part}-images-idx3-ubyte", extract_images),
            _read(train_dir, f"{part}-labels-idx1-ubyte", lambda f: extract_labels(f, one_hot)),
        )
        for part in ("train", "t10k")
    )
    count = len(train[0])
    if not 0 <= validation_size <= count:
        raise ValueError(f"validation_size {validation_size} is not in [0, {count}]")
    return Datasets(
        DataSet(train[0][validation_size:], train[1][validation_size:], **options),
        DataSet(train[0][:validation_size], train[1][:validation_size], **options),
        DataSet(test[0], test[1], **options),
    )


def _read(folder: Any, name: str, extract: Callable[[Any], np.ndarray]) -> np.ndarray:
    packed = Path(os.fsdecode(folder), name + ".gz")
    path = packed if packed.exists() else packed.with_suffix("")
    if not path.exists():
        raise errors.NotFoundError(
            None, None, f"{packed} is not there, and nothing is downloaded: put it there"
        )
    with path.open("rb") as file:
        return extract(file)


def _array(file: Any, rank: int) -> np.ndarray:
    """Reads an IDX file of bytes, and no more than its header states."""
    name = getattr(file, "name", "the file")
    begin = file.read(2)
    file.seek(0)
    stream = gzip.GzipFile(fileobj=file) if begin == b"\x1f\x8b" else file
    try:
        first = stream.read(4 * (rank + 1))
        header = np.frombuffer(first, ">u4", len(first) // 4).tolist()
        if len(header) != rank + 1 or header[0] != _MAGIC[rank]:
            raise _loss(f"{name} is not an IDX file of bytes with {rank} axes")
        size = math.prod(header[1:])
        parts, left = [], size
        while left and (part := stream.read(min(left, 1 << 24))):
            parts.append(part)
            left -= len(part)
    except (EOFError, OSError, ValueError, zlib.error) as error:
        raise _loss(f"{name} is damaged: {error}") from error
    if left:
        raise _loss(f"{name} ends {left} bytes early")
    return np.frombuffer(b"".join(parts), np.uint8).reshape(header[1:])


def _loss(message: str) -> errors.DataLossError:
    return errors.DataLossError(None, None, message)
