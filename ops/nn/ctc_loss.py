"""CTC loss: connectionist temporal classification, for labels without known positions in time.

Source: A. Graves, "Supervised Sequence Labelling with Recurrent Neural Networks", chapter 7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor, SparseTensorValue
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..array.cast import cast
from ..array.concat import concat
from ..array.shapes import shape
from ..array.transpose import transpose
from ..indexing.gather_nd import gather_nd
from ..indexing.masks import sequence_mask
from ..math.arithmetic import subtract
from ..math.comparison import less
from ..math.where import where

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {"td.nn": "ctc_loss ctc_loss_v2"}

CTC_LOSS: OpDef[Results] = OpDef(
    "CTCLoss",
    "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32 "
    "-> loss: T, gradient: T",
    "preprocess_collapse_repeated: bool = false, ctc_merge_repeated: bool = true, "
    "ignore_longer_outputs_than_inputs: bool = false, T: {float32, float64} = float32",
)


@CTC_LOSS.shape
def _ctc_loss_shape(c: ShapeContext) -> list[TensorShape]:
    inputs: Any = c.shape("inputs", rank=3).sizes
    indices: Any = c.shape("labels_indices", rank=2).sizes
    values: Any = c.shape("labels_values", rank=1).sizes
    lengths: Any = c.shape("sequence_length", rank=1).sizes
    c.same_size("the number of labels_indices and of labels_values", indices[0], values[0])
    batch = c.same_size("the batch of inputs and of sequence_length", inputs[1], lengths[0])
    return [TensorShape.of((batch,)), TensorShape.of((inputs[0], batch, inputs[2]))]


@CTC_LOSS.fresh_kernel
def _ctc_loss_kernel(c: KernelContext) -> Kernel:
    collapses = c.attr("preprocess_collapse_repeated")
    merges = c.attr("ctc_merge_repeated")
    ignores = c.attr("ignore_longer_outputs_than_inputs")

    def ctc_loss(inputs: Array, indices: Array, values: Array, lengths: Array) -> Any:
        check_sequences(inputs, lengths)
        if (lengths < 0).any():
            at = int((lengths < 0).argmax())
            raise ValueError(f"sequence_length[{at}] = {lengths[at]} must not be negative")
        given = _labels_by_row(indices, values, inputs.shape[1])
        needed = np.array([len(row) for row in given])
        late = needed > lengths
        if late.any() and not ignores:
            at = int(late.argmax())
            raise ValueError(
                f"labels[{at}] are {needed[at]}, where sequence_length[{at}] = {lengths[at]}: set "
                "ignore_longer_outputs_than_inputs to take such rows as without loss"
            )
        blank = inputs.shape[2] - 1
        rows = [_checked(row, blank, collapses, at) for at, row in enumerate(given)]
        alive = (lengths > 0) & ~late
        loss = np.zeros(len(lengths), inputs.dtype)
        gradient = np.zeros_like(inputs)
        if alive.any():
            kept = [row for row, lives in zip(rows, alive.tolist(), strict=True) if lives]
            steps = int(lengths[alive].max())
            lattice = _Lattice(kept, blank, merges)
            results = lattice.loss_and_gradient(inputs[:steps, alive], lengths[alive])
            loss[alive], gradient[:steps, alive] = results
        return loss, gradient

    return ctc_loss


def check_sequences(inputs: Array, lengths: Array) -> None:
    """Checks inputs [time, batch, classes] and the lengths of the sequences in them.

    Raises:
        ValueError: the one is empty or of another rank, or the others do not fit it.
    """
    if inputs.ndim != 3 or not inputs.size:
        raise ValueError(
            f"inputs must be [time, batch, classes] and not empty, got shape {list(inputs.shape)}"
        )
    if lengths.shape != inputs.shape[1:2]:
        raise ValueError(
            f"sequence_length must have shape [{inputs.shape[1]}], as the batch has, got "
            f"{list(lengths.shape)}"
        )
    if (lengths > len(inputs)).any():
        at = int((lengths > len(inputs)).argmax())
        raise ValueError(
            f"sequence_length[{at}] = {lengths[at]} is not in [0, {len(inputs)}], the number of "
            "steps of inputs"
        )


def _labels_by_row(indices: Array, values: Array, batch: int) -> list[Array]:
    """The labels of each row of the batch.

    Raises:
        ValueError: the parts of the sparse tensor do not fit, or a row has no label.
    """
    if indices.ndim != 2 or indices.shape[1] != 2 or indices.shape[:1] != values.shape:
        raise ValueError(
            "labels_indices must be [labels, 2] and labels_values [labels], got shapes "
            f"{list(indices.shape)} and {list(values.shape)}"
        )
    rows = indices[:, 0]
    if len(rows) and not 0 <= rows.min() <= rows.max() < batch:
        at = int(((rows < 0) | (rows >= batch)).argmax())
        raise ValueError(f"labels_indices[{at},0] = {rows[at]} is not in [0, {batch})")
    ahead, columns = rows[1:] > rows[:-1], indices[:, 1]
    ordered = ahead | ((rows[1:] == rows[:-1]) & (columns[1:] > columns[:-1]))
    if not ordered.all():
        at = int((~ordered).argmax()) + 1
        raise ValueError(f"labels_indices[{at}] = {indices[at].tolist()} is out of order")
    counts = np.bincount(rows, minlength=batch)
    if not counts.all():
        raise ValueError(f"labels must not be empty, got none for row {int(counts.argmin())}")
    return np.split(values, np.cumsum(counts)[:-1])


def _checked(labels: Array, blank: int, collapses: bool, row: int) -> Array:
    """The labels of a row up to the first one that stands for none.

    Raises:
        ValueError: one is negative, or follows one that stands for none.
    """
    if collapses:
        labels = labels[np.append(True, labels[1:] != labels[:-1])]
    none = labels >= blank
    if (none[:-1] & ~none[1:]).any():
        raise ValueError(
            f"labels[{row}] = {labels.tolist()} has a label behind one that is not in [0, {blank})"
        )
    labels = labels[~none]
    if (labels < 0).any():
        raise ValueError(f"labels[{row}] = {labels.tolist()} has one that is not in [0, {blank})")
    return labels


class _Lattice:
    """The paths through the labels of each row, with blanks around each of them.

    Position u of a row is a blank where u is even, and its label number u // 2 where it is odd.

    Args:
        rows: the labels of each row.
        blank: the class of the blank.
        merges: whether a label that lasts for several steps is one.
    """

    def __init__(self, rows: list[Array], blank: int, merges: bool) -> None:
        self._ends = np.array([2 * len(row) for row in rows])
        width = int(self._ends.max()) + 1
        self._labels = np.full((len(rows), width), blank, np.int64)
        for at, row in enumerate(rows):
            self._labels[at, 1 : 2 * len(row) : 2] = row
        is_blank = self._labels == blank
        self._inside = np.arange(width) <= self._ends[:, None]
        # What may follow a position: itself, the next one, and the one after that.
        self._stays = is_blank | merges
        self._skips = ~is_blank
        if merges:
            self._skips[:, 2:] &= self._labels[:, 2:] != self._labels[:, :-2]
        self._skips[:, :2] = False

    def loss_and_gradient(self, inputs: Array, lengths: Array) -> tuple[Array, Array]:
        """The loss of each row, and its gradient with respect to the inputs.

        Args:
            inputs: logits `[time, batch, classes]`.
            lengths: how many steps each row has, at least 1.
        """
        shifted = inputs - inputs.max(-1, keepdims=True)
        shares = np.exp(shifted, order="C")
        total = shares.sum(-1, keepdims=True)
        shares /= total
        at_labels = np.broadcast_to(self._labels, (len(inputs), *self._labels.shape))
        log_probabilities = np.take_along_axis(shifted, at_labels, -1).astype(np.float64)
        log_probabilities -= np.log(total)
        log_probabilities[:, ~self._inside] = -np.inf
        ahead = self._forward(log_probabilities)
        back = self._backward(log_probabilities, lengths)
        rows = np.arange(len(lengths))
        last = ahead[lengths - 1, rows]
        before = np.maximum(self._ends - 1, 0)
        chance = np.logaddexp(
            last[rows, self._ends], np.where(self._ends, last[rows, before], -np.inf)
        )
        # The share of all paths that is at a position at a time: none where there is no path.
        ahead += back
        ahead -= np.where(np.isfinite(chance), chance, 0)[:, None]
        at_positions = np.exp(ahead, out=ahead)
        times, batch, classes = inputs.shape
        flat = (np.arange(times * batch).reshape(times, batch, 1) * classes + self._labels).ravel()
        np.subtract.at(shares.reshape(-1), flat, at_positions.ravel().astype(shares.dtype))
        shares[np.arange(times)[:, None] >= lengths] = 0
        return -chance.astype(inputs.dtype), shares

    def _forward(self, seen: Array) -> Array:
        """For each time and position, the logarithm of all paths from the start to it."""
        forward = np.full_like(seen, -np.inf)
        forward[0, :, :2] = seen[0, :, :2]
        for t in range(1, len(seen)):
            forward[t] = self._joined(forward[t - 1], self._stays, self._skips, 1) + seen[t]
        return forward

    def _backward(self, seen: Array, lengths: Array) -> Array:
        """For each time and position, the logarithm of all paths from behind it to the end."""
        backward = np.full_like(seen, -np.inf)
        width = seen.shape[2]
        positions = np.arange(width)
        ends = np.where(
            (positions <= self._ends[:, None]) & (positions >= self._ends[:, None] - 1),
            0.0,
            -np.inf,
        )
        skips = np.zeros_like(self._skips)
        skips[:, : width - 2] = self._skips[:, 2:]
        for t in reversed(range(len(seen))):
            if t + 1 < len(seen):
                backward[t] = self._joined(backward[t + 1] + seen[t + 1], self._stays, skips, -1)
            backward[t, lengths == t + 1] = ends[lengths == t + 1]
        return backward

    def _joined(self, before: Array, stays: Array, skips: Array, step: int) -> Array:
        """The logarithms of the sums over the steps of 0, 1 and 2 positions."""
        none = -np.inf
        parts = np.full((3, *before.shape), none)
        parts[0] = np.where(stays, before, none)
        for by in (1, 2):
            if before.shape[1] > by:
                to, of = (slice(by, None), slice(None, -by))[::step]
                parts[by, :, to] = before[:, of]
        parts[2, ~skips] = none
        greatest = parts.max(0)
        parts -= np.where(np.isfinite(greatest), greatest, 0)
        return np.log(np.exp(parts, out=parts).sum(0)) + greatest


def ctc_loss(
    labels: TensorLike,
    inputs: TensorLike | None = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: TensorLike | None = None,
) -> Tensor:
    """The negative logarithm of how likely labels are, over all places that they can have in time.

    The last class stands for "no label": between labels it may be chosen, and between two that are
    the same it has to be.

    Args:
        labels: an int32 SparseTensor `[batch, labels]`; each row has one at least.
        inputs: logits, floats `[time, batch, classes]`.
        sequence_length: how many steps each row has, an int32 vector.
        preprocess_collapse_repeated: whether labels that follow their like are dropped.
        ctc_merge_repeated: whether a class that is chosen in steps that follow each other is one
            label; otherwise each step is one of its own, and this is not quite CTC.
        ignore_longer_outputs_than_inputs: whether rows with more labels than steps have the loss 0,
            and are not an error.
        time_major: whether time comes before batch in `inputs`.
        logits: `inputs`, under its later name.

    Returns:
        A Tensor `[batch]`: infinity where nothing but no path leads to the labels. Second
        derivatives do not pass.

    Raises:
        TypeError: `labels` is not a SparseTensor.
        ValueError: a shape does not fit. In the run, as an InvalidArgumentError, also where a
            length or label is out of range, or there are more labels than steps.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     labels = td.SparseTensor([[0, 0]], [0], [1, 1])
        ...     print(session.run(td.nn.ctc_loss(labels, td.zeros([2, 1, 2]), [2])).round(4))
        [0.2877]
    """
    scores = inputs if logits is None else logits
    if isinstance(scores, (SparseTensor, SparseTensorValue)):  # the order of TensorFlow 0.12
        labels, scores = scores, labels
    if not isinstance(labels, (SparseTensor, SparseTensorValue)):
        raise TypeError(f"expected labels to be a SparseTensor, got {labels!r}")
    sparse = SparseTensor.from_value(labels)
    tensor = convert_to_tensor(scores)
    return CTC_LOSS(
        tensor if time_major else transpose(tensor, [1, 0, 2]),
        sparse.indices,
        sparse.values,
        sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    ).loss


def ctc_loss_v2(
    labels: TensorLike,
    logits: TensorLike,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`ctc_loss` of labels that may be dense, with a class of one's own for "no label".

    Args:
        labels: ints `[batch, labels]`, dense or a SparseTensor.
        logits: floats `[time, batch, classes]`.
        label_length: how many labels each row of dense ones has, an int32 or int64 vector.
        logit_length: how many steps each row has, an int32 or int64 vector.
        logits_time_major: whether time comes before batch in `logits`.
        unique: accepted for TensorFlow's sake.
        blank_index: the class for "no label", from the end if negative; by default the first one
            with dense labels. With sparse ones it must be given.
        name: a name for the scope of the ops.

    Returns:
        A Tensor `[batch]`.

    Raises:
        ValueError: as for `ctc_loss`; the number of classes is not known, or `blank_index` none of
            them or missing.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.nn.ctc_loss_v2([[1]], td.zeros([2, 1, 2]), [1], [2])
        ...     print(session.run(loss).round(4))
        [0.2877]
    """
    with name_scope(name, "ctc_loss"):
        tensor = convert_to_tensor(logits)
        classes = tensor.shape.with_rank(3)[2].value
        if isinstance(labels, (SparseTensor, SparseTensorValue)):
            if blank_index is None:
                raise ValueError("blank_index must be given with sparse labels")
            sparse = SparseTensor.from_value(labels)
        else:
            sparse = _sparse(convert_to_tensor(labels), label_length)
            blank_index = blank_index or 0
        if classes is None or not -classes <= blank_index < classes:
            raise ValueError(f"blank_index = {blank_index} is not one of {classes} classes")
        blank = blank_index % classes
        values = cast(sparse.values, "int32")
        if blank != classes - 1:
            parts = [tensor[:, :, :blank], tensor[:, :, blank + 1 :]]
            tensor = concat([*parts, tensor[:, :, blank : blank + 1]], 2)
            values = where(less(values, blank), values, subtract(values, 1))
        moved = SparseTensor(sparse.indices, values, sparse.dense_shape)
        steps = cast(convert_to_tensor(logit_length), "int32")
        return ctc_loss(moved, tensor, steps, time_major=logits_time_major)


def _sparse(labels: Tensor, lengths: Any) -> SparseTensor:
    """The first labels of each row."""
    indices = where(sequence_mask(lengths, shape(labels)[1]))
    return SparseTensor(indices, gather_nd(labels, indices), shape(labels, out_type="int64"))
