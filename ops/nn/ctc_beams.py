"""Beam search for CTC: prefixes of labels, extended step by step."""

from __future__ import annotations

from heapq import heapify, heappush, heapreplace
from typing import Any

import numpy as np

from ...shape_inference.protocols import Array

_NONE = -np.inf


def best_paths(
    inputs: Array, lengths: Array, width: int, paths: int
) -> tuple[list[list[list[int]]], Array]:
    """The likeliest labels of each row of a batch, and the logarithms of how likely they are.

    Args:
        inputs: logits `[time, batch, classes]`, of which the last class stands for no label.
        lengths: how many steps each row has.
        width: how many beginnings are followed.
        paths: how many results there are of each row.

    Raises:
        ValueError: there are fewer.
    """
    shifted = inputs - inputs.max(-1, keepdims=True)
    log_probabilities = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    found, scores = [], np.empty((len(lengths), paths), inputs.dtype)
    for row, length in enumerate(lengths.tolist()):
        beams = _Beams(inputs.shape[2] - 1, width, inputs.dtype)
        for t in range(length):
            beams.step(log_probabilities[t, row])
        if len(beams.total) < paths:
            raise ValueError(
                f"top_paths = {paths} is more than the {len(beams.total)} results of row {row}"
            )
        found.append([beams.path(at) for at in range(paths)])
        scores[row] = beams.total[:paths]
    return found, scores


class _Beams:
    """The beginnings of labels that are followed, the likeliest first.

    A beginning is a node of a tree: its last label below the node of all labels before. How likely
    it is, is kept apart for paths that end with a blank and with the label.

    Args:
        labels: the number of labels.
        width: how many beginnings are followed.
        dtype: that of the logarithms.
    """

    def __init__(self, labels: int, width: int, dtype: np.dtype[Any]) -> None:
        self._labels, self._width = labels, width
        # Of each node the node above and the label; by both, the node again.
        self._tree: list[tuple[int, int]] = [(-1, -1)]
        self._known: dict[tuple[int, int], int] = {}
        self._node = np.zeros(1, np.int64)
        self._above = np.full(1, -1, np.int64)
        self._label = np.full(1, -1, np.int64)
        self._blank = np.zeros(1, dtype)
        self._spoken = np.full(1, _NONE, dtype)
        self.total = np.zeros(1, dtype)

    def step(self, seen: Array) -> None:
        """Follows the beginnings through a step.

        Args:
            seen: the logarithms of how likely each class is.
        """
        # Where the node above is followed as well, its paths lead here, too.
        places = (self._above[:, None] == self._node) & (self.total != _NONE)
        below = places.argmax(1)
        followed = places.any(1)
        blank, spoken = self._kept(seen, below, followed)
        total = np.logaddexp(blank, spoken)
        longer = self._lengthened(seen)
        covered = {}
        for j in followed.nonzero()[0].tolist():
            key = int(below[j]), int(self._label[j])
            covered[key] = j
            longer[key] = _NONE
        chosen = np.array(self._chosen(total, longer, covered))
        before = len(total)
        new = chosen >= before
        of, label = np.divmod(chosen - before, max(self._labels, 1))
        of[~new] = chosen[~new]
        best = np.concatenate([total, longer.ravel()])[chosen]
        self._above = np.where(new, self._node[of], self._above[of])
        self._label = np.where(new, label, self._label[of])
        self._node = self._node[of]
        self._blank = np.where(new, _NONE, blank[of]).astype(best.dtype)
        self._spoken = np.where(new, best, spoken[of])
        self.total = best
        for place in new.nonzero()[0].tolist():
            key = int(self._above[place]), int(self._label[place])
            if key not in self._known:
                self._known[key] = len(self._tree)
                self._tree.append(key)
            self._node[place] = self._known[key]

    def _kept(self, seen: Array, below: Array, followed: Array) -> tuple[Array, Array]:
        """Log-probabilities of beams that stay, with a blank and with their last label."""
        # From a node of the same label a path leads here only through a blank.
        same = self._label == self._label[below]
        coming = np.where(same, self._blank[below], self.total[below])
        spoken = np.logaddexp(self._spoken, np.where(followed, coming, _NONE))
        spoken = np.where(self._label < 0, _NONE, spoken + seen[self._label])
        return self.total + seen[-1], spoken.astype(seen.dtype)

    def _lengthened(self, seen: Array) -> Array:
        """Log-probabilities of beams extended by one label, `[beginnings, labels]`."""
        same = self._label[:, None] == np.arange(self._labels)
        made = np.where(same, self._blank[:, None], self.total[:, None]) + seen[:-1]
        made[np.isnan(made)] = _NONE  # as in TensorFlow, where it is not greater than anything
        return made

    def _chosen(
        self, total: Array, longer: Array, covered: dict[tuple[int, int], int]
    ) -> list[int]:
        """The likeliest of those that stay and those that are longer, in their order.

        They are looked at one by one, as TensorFlow does, which decides more than the number of
        those that are kept: a beginning that has been dropped by the time that the one above it is
        lengthened, is not lengthened itself.

        Args:
            total: how likely those that stay are.
            longer: how likely those are that are one label longer.
            covered: by the place of a beginning and a label, the place of what they make, where it
                is one of those that stay.

        Returns:
            Their places, in `total` and behind it in `longer`.
        """
        width, before, labels = self._width, len(total), self._labels
        heap = [(score, -place) for place, score in enumerate(total.tolist())]
        heapify(heap)
        marked = longer > (heap[0][0] if before >= width else _NONE)
        for key in covered:
            marked[key] = True
        was, scores = self.total.tolist(), longer.tolist()
        gone: set[int] = set()  # those that have made room for likelier ones
        closed: set[int] = set()  # those of them that are not lengthened
        last, opened = -1, False
        for i, label in zip(*(part.tolist() for part in marked.nonzero()), strict=True):
            if i != last:
                last, least = i, heap[0][0] if len(heap) == width else _NONE
                opened = i not in closed and was[i] > least
            if not opened:
                continue
            child = covered.get((i, label))
            if child is not None:
                if child in gone:
                    closed.add(child)
            elif len(heap) < width:
                heappush(heap, (scores[i][label], -before - i * labels - label))
            elif scores[i][label] > heap[0][0]:
                _, place = heapreplace(heap, (scores[i][label], -before - i * labels - label))
                gone.add(-place)
        return [-place for _, place in sorted(heap, reverse=True)]

    def path(self, at: int) -> list[int]:
        """The labels of a beginning."""
        labels, node = [], int(self._node[at])
        while node > 0:
            node, label = self._tree[node]
            labels.append(label)
        return labels[::-1]
