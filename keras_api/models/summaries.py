"""The table that shows a model: its layers, their shapes and how much they hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...ops.common.nest import flatten
from ..backend.keras_tensors import call_of

_HEAD = "Layer (type)", "Output Shape", "Param #"


def summary_of(model: Any, width: int) -> Iterator[str]:
    """The lines of the table.

    Raises:
        ValueError: shapes are not known yet.
    """
    if not model.built:
        raise ValueError(
            "This model has not yet been built: give its first layer an input_shape, or call fit"
        )
    chain = all(len(_inputs(layer)) < 2 for layer in model.layers)
    places = [0.45, 0.85, 1.0] if chain else [0.33, 0.55, 0.67, 1.0]
    if not chain and width == 65:
        width = 98
    ends = [int(width * place) for place in places]
    head = [*_HEAD] if chain else [*_HEAD, "Connected to"]
    yield f'Model: "{model.name}"'
    yield "_" * width
    yield _row(head, ends)
    yield "=" * width
    for number, layer in enumerate(model.layers):
        yield from _layer_rows(layer, ends, chain)
        yield ("=" if number == len(model.layers) - 1 else "_") * width
    total, trained = model.count_params(), _held(model.trainable_weights)
    yield f"Total params: {total:,}"
    yield f"Trainable params: {trained:,}"
    yield f"Non-trainable params: {total - trained:,}"
    yield "_" * width


def _layer_rows(layer: Any, ends: list[int], chain: bool) -> Iterator[str]:
    outputs = flatten(layer.calls[0].outputs) if layer.calls else []
    shapes: list[Any] = [tuple(tensor.shape.as_list()) for tensor in outputs] or ["?"]
    shape = str(shapes[0] if len(shapes) == 1 else shapes)
    row = [f"{layer.name} ({type(layer).__name__})", shape, str(_held(layer.weights))]
    if chain:
        yield _row(row, ends)
        return
    layers = [call.layer for call in map(call_of, _inputs(layer)) if call is not None]
    names = [f"{beside.name}[0][0]" for beside in layers if beside is not layer]
    yield _row([*row, names[0] if names else ""], ends)
    for name in names[1:]:
        yield _row(["", "", "", name], ends)


def _inputs(layer: Any) -> list[Any]:
    """Input of the first call of a layer."""
    return flatten(layer.calls[0].inputs) if layer.calls else []


def _held(weights: list[Any]) -> int:
    return sum(weight.shape.num_elements() or 0 for weight in weights)


def _row(cells: list[str], ends: list[int]) -> str:
    line = ""
    for cell, end in zip(cells, ends, strict=True):
        line = ((line + " " if line else "") + cell)[:end].ljust(end)
    return line
