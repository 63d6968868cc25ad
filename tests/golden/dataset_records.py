"""Elements of a dataset, in a form that can be written as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

MOST = 40


def plain(tf: Any, value: Any) -> Any:
    """A result of a run in lists, so that it can be written as JSON."""
    if isinstance(value, dict):
        return {key: plain(tf, value[key]) for key in sorted(value)}
    if isinstance(value, tuple):
        return [plain(tf, part) for part in value]
    if isinstance(value, bytes):
        return value.decode()
    array = np.asarray(value)
    if array.dtype == object:
        return np.vectorize(lambda item: item.decode(), otypes=[object])(array).tolist()
    return (
        np.round(array.astype(np.float64), 5).tolist()
        if array.dtype.kind == "f"
        else array.tolist()
    )


def told(structure: Any, tell: Callable[[Any], Any]) -> Any:
    """Shapes or dtypes in a structure, in lists."""
    if isinstance(structure, dict):
        return {key: told(structure[key], tell) for key in sorted(structure)}
    if isinstance(structure, tuple):
        return [told(part, tell) for part in structure]
    return tell(structure)


def shape_told(shape: Any) -> Any:
    return None if shape.ndims is None else shape.as_list()


def recorded(tf: Any, make: Callable[[Any], Any]) -> dict[str, Any]:
    """Properties of a pipeline, and its elements."""
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = make(tf)
        iterator = tf.data.make_initializable_iterator(dataset)
        element = iterator.get_next()
        session.run(iterator.initializer)
        values: list[Any] = []
        try:
            while len(values) < MOST:
                values.append(plain(tf, session.run(element)))
        except tf.errors.OutOfRangeError:
            pass
        return {
            "shapes": told(tf.data.get_output_shapes(dataset), shape_told),
            "types": told(tf.data.get_output_types(dataset), lambda dtype: dtype.name),
            "values": values,
        }
