"""Batches of texts as 64-bit words, for string hashes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...shape_inference.protocols import Array

if TYPE_CHECKING:
    Hash = Callable[["Texts"], Array]

WORD = (1 << 64) - 1


class Texts(NamedTuple):
    """Texts of which none is longer than the columns of `characters`; the rest of these is 0.

    Args:
        characters: uint8 [texts, columns].
        lengths: uint64 [texts].
    """

    characters: Array
    lengths: Array

    def words(self, start: Any, size: int = 8) -> Array:
        """Little-endian number in the `size` bytes from `start` on, for each text.

        `start` is a number, or one for each text.
        """
        number, width = self.characters.shape
        if isinstance(start, int) and start + size <= width:
            found = np.zeros((number, 8), np.uint8)
            found[:, :size] = self.characters[:, start : start + size]
            return found.view(np.dtype("<u8")).astype(np.uint64).reshape(-1)
        # Words at each byte, of which each text takes one; what is behind the last one is 0.
        padded = np.zeros(number * width + 8, np.uint8)
        padded[: number * width] = self.characters.reshape(-1)
        every = np.ndarray(number * width + 1, np.dtype("<u8"), padded, strides=(1,))
        words = every[np.arange(number) * width + np.asarray(start, np.intp)].astype(np.uint64)
        return np.asarray(words & np.uint64((1 << 8 * size) - 1))

    def lasts(self, before: int, size: int = 8) -> Array:
        """The same, of the `size` bytes that begin `before` the end."""
        return self.words(self.lengths.astype(np.intp) - before, size)


def hashes(texts: Sequence[bytes], hash_of: Hash, kinds: Callable[[Array], Array]) -> Array:
    """The hash of each text, uint64.

    Args:
        texts: the texts.
        hash_of: computes those of several texts.
        kinds: maps lengths, int64, to the kind of each; `hash_of` gets texts of one kind.
    """
    result = np.empty(len(texts), np.uint64)
    for places, group in _groups(texts, kinds):
        result[places] = hash_of(group)
    return result


def _groups(
    texts: Sequence[bytes], kinds: Callable[[Array], Array]
) -> Iterator[tuple[Array, Texts]]:
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    of_text = kinds(lengths)
    for kind in np.unique(of_text).tolist():
        places = np.flatnonzero(of_text == kind)
        of_kind = lengths[places]
        width = (int(of_kind.max()) // 8 + 1) * 8
        if len(places) == len(texts):
            joined = np.array(texts, f"S{width}")
        else:
            joined = np.array([texts[place] for place in places.tolist()], f"S{width}")
        yield places, Texts(joined.view(np.uint8).reshape(-1, width), of_kind.astype(np.uint64))
