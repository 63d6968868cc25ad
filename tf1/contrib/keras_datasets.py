"""The digits and the clothes of Keras's tutorials, from local files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ...formats.numpy_files import NumpyArchive
from ...runtime import errors
from .mnist import extract_images, extract_labels

public = {
    "td.keras.datasets.fashion_mnist": "load_data=load_clothes",
    "td.keras.datasets.mnist": "load_data=load_digits",
}

Pair = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def _folder() -> Path:
    """The folder in which Keras caches downloads."""
    return Path(os.environ.get("KERAS_HOME", Path.home() / ".keras"), "datasets")


def _present(path: Path) -> Path:
    if not path.exists():
        message = f"{path} does not exist, and nothing is downloaded: put it there"
        raise errors.NotFoundError(None, None, message)
    return path


def load_digits(path: str | os.PathLike[str] = "mnist.npz") -> tuple[Pair, Pair]:
    """Handwritten digits: pairs of images, uint8[count,28,28], and labels, for training and test.

    Args:
        path: the file, below the folder `datasets` of KERAS_HOME or of `~/.keras`.

    Raises:
        NotFoundError: it is not there. TensorFlow would download it.
        DataLossError: it is not such a file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "mnist.npz")
        >>> images, labels = np.zeros((2, 28, 28), np.uint8), np.array([3, 1], np.uint8)
        >>> np.savez(path, x_train=images, y_train=labels, x_test=images, y_test=labels)
        >>> (x, y), test = td.keras.datasets.mnist.load_data(path)
        >>> x.shape, y.tolist()
        ((2, 28, 28), [3, 1])
    """
    found = _present(_folder() / path)
    try:
        with found.open("rb") as file:
            held = NumpyArchive(file)
            x, y, more, further = [held[f"{a}_{b}"] for b in ("train", "test") for a in "xy"]
    except (KeyError, OSError, ValueError) as error:
        message = f"{found} is not an archive of digits: expected x_train, y_train, x_test, y_test"
        raise errors.DataLossError(None, None, message) from error
    return (x, y), (more, further)


def load_clothes() -> tuple[Pair, Pair]:
    """Clothes as small as the digits: pairs of images and labels, for training and test.

    The four files `train-images-idx3-ubyte.gz`, `train-labels-idx1-ubyte.gz`,
    `t10k-images-idx3-ubyte.gz` and `t10k-labels-idx1-ubyte.gz` are in `datasets/fashion-mnist` of
    KERAS_HOME or of `~/.keras`.

    Raises:
        NotFoundError: one is not there. TensorFlow would download it.
        DataLossError: one is damaged.

    Example:
        >>> td.keras.datasets.fashion_mnist.load_data.__name__
        'load_clothes'
    """
    folder = _folder() / "fashion-mnist"
    pairs = []
    for part in ("train", "t10k"):
        with _present(folder / f"{part}-images-idx3-ubyte.gz").open("rb") as file:
            images = extract_images(file)[..., 0]
        with _present(folder / f"{part}-labels-idx1-ubyte.gz").open("rb") as file:
            labels = extract_labels(file)
        pairs.append((images, labels))
    return pairs[0], pairs[1]
