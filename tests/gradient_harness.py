"""The gradient property of case tables: gradients agree with finite differences in every form."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from cases import Built, Case, Raises, build, full, typed, unknown

import tensordraft as td
from tensordraft.graph.registry import lookup

STEP, CLOSE = 1e-5, 1e-4
# Where the gradient is by intention not the derivative of what the op computes.
BY_INTENTION = {
    "FakeQuantWithMinMaxArgs": "the steps of the grid are taken for a slope",
    "FakeQuantWithMinMaxVars": "as for FakeQuantWithMinMaxArgs",
    "FakeQuantWithMinMaxVarsPerChannel": "as for FakeQuantWithMinMaxArgs",
    **dict.fromkeys(
        (f"QuantizeAndDequantize{version}" for version in ("", "V2", "V3")),
        "what is rounded passes as if it were not",
    ),
    "SoftmaxCrossEntropyWithLogits": "in TensorFlow, the second derivative by the labels is 0",
    "DynamicStitch": "TensorFlow gives each of several values for one place the gradient",
    "ParallelDynamicStitch": "as for DynamicStitch",
    "ImageProjectiveTransform": "TensorFlow's is the gradient seen through the inverse transform",
    "ImageProjectiveTransformV2": "as for ImageProjectiveTransform",
    "ImageProjectiveTransformV3": "as for ImageProjectiveTransform",
}
# Of complex numbers: where TensorFlow's gradient is not the derivative, or there is none.
BY_INTENTION_OF_COMPLEX = {
    "EuclideanNorm": "TensorFlow takes complex numbers as if they were real",
    "LogMatrixDeterminant": "the sign is taken for constant",
    "MatrixDeterminant": "TensorFlow takes complex numbers as if they were real",
    "SelfAdjointEigV2": "vectors are known but for their phases",
    "SquaredDifference": "TensorFlow takes complex numbers as if they were real",
    "Svd": "vectors are known but for their phases",
}
EDGES = {
    ("ConcatV2", "empty"): "TensorFlow, too, refuses the gradient for a fed axis of int64",
    ("LogMatrixDeterminant", "singular"): "it needs the inverse",
    ("MatrixDeterminant", "singular"): "it needs the inverse",
    ("MaxPool3DGradGrad", ""): "MaxPool3DGrad, which it needs, takes no float64",
    ("ScatterNd", "nothing"): "GatherNd does not take nothing out of nothing",
}
# Ops that read half of a symmetric matrix: the gradient is that of symmetric changes.
SYMMETRIC = ("BatchCholesky", "Cholesky", "SelfAdjointEigV2")


def has_gradient(case: Case) -> bool:
    """Returns True for a valid case of a pure op on floats."""
    op = lookup(case.op)
    if isinstance(case.expected, Raises) or not op.pure or case.op in BY_INTENTION:
        return False
    if (case.op, case.id) in EDGES:
        return False
    return any(spec.dtype is None or spec.dtype.is_floating for spec in op.signature.outputs)


def gradient(case: Case) -> None:
    """It agrees with differences, with itself where shapes are unknown, and with its GraphDef."""
    wide = widened(case)
    try:
        built = build(wide, full)
    except (TypeError, ValueError):
        wide = case
        built = build(wide, full)
    with built.graph.as_default():
        xs = [x for x in built.feeds if floats(x.dtype)]
        ys = [y for y in built.op.outputs if floats(y.dtype)]
    if not xs or not ys:
        return
    with td.Session(graph=built.graph) as session:
        values = [np.asarray(value) for value in session.run(ys, built.feeds)]
        weights = [noise(value.shape, value.dtype, 7 + i) for i, value in enumerate(values)]
        try:
            gradients = differentiated(built, ys, xs, weights)
        except LookupError:
            return  # the rules say so, or there is none: test_gradient_rules.py holds them
        found = session.run([g for g in gradients if g is not None], built.feeds)
        pairs = [(x, g) for x, g in zip(xs, gradients, strict=True) if g is not None]
        for (x, g), value in zip(pairs, found, strict=True):
            fed = built.feeds[x]
            assert value.shape == fed.shape, f"gradient of shape {value.shape}, input {fed.shape}"
            assert value.dtype == fed.dtype, f"gradient of {value.dtype}, input of {fed.dtype}"
            assert g.shape.is_compatible_with(value.shape), f"inferred {g.shape}, got {value.shape}"
        exact = {x: value for (x, _), value in zip(pairs, found, strict=True)}
        compare_with_differences(wide, built, session, ys, weights, exact)
        if zlib.crc32(case.op.encode()) % 4 == 0:
            second_order(wide, built, session, [g for _, g in pairs])
    again(built, [g for _, g in pairs], found)
    hidden(wide, weights, xs, gradients, found)


def compare_with_differences(
    case: Case, built: Built, session: td.Session, ys: Sequence[td.Tensor], weights: Any, found: Any
) -> None:
    """Along a random direction, from either side; at kinks and jumps nothing is said."""
    precise = all(x.dtype.name in ("float64", "complex128") for x in found)
    if not found or not precise or not all(y.dtype.name in ("float64", "complex128") for y in ys):
        return
    if case.op in BY_INTENTION_OF_COMPLEX and any(x.dtype.is_complex for x in found):
        return
    ways = {
        x: noise(value.shape, value.dtype, 100 + i) for i, (x, value) in enumerate(found.items())
    }
    if case.op in SYMMETRIC:
        ways = {x: way + np.swapaxes(way, -1, -2).conj() for x, way in ways.items()}
    expected = sum(inner(value, ways[x]) for x, value in found.items())

    def along(step: float) -> Any:
        feeds = {**built.feeds, **{x: built.feeds[x] + step * way for x, way in ways.items()}}
        results = session.run(list(ys), feeds)
        return sum(inner(w, value) for w, value in zip(weights, results, strict=True))

    try:
        here, ahead, behind = along(0.0), along(STEP), along(-STEP)
    except ValueError:
        return  # out of the domain
    right, left, both = (ahead - here) / STEP, (here - behind) / STEP, (ahead - behind) / (2 * STEP)
    scale = max(1.0, abs(expected), abs(both))
    if not np.isfinite([right, left, expected]).all() or abs(here) > 1e10:
        return
    if abs(right - left) > 1e-2 * scale or abs(ahead - behind) > 1e-2 * max(1.0, abs(here)):
        return
    assert abs(both - expected) <= CLOSE * scale, (
        f"differences give {both}, the gradient {expected}"
    )


def second_order(case: Case, built: Built, session: td.Session, gradients: Any) -> None:
    """The gradient of the gradient agrees with its differences, where there is one."""
    gradients = [g for g in gradients if floats(g.dtype)]
    sizes = [np.shape(value) for value in session.run(gradients, built.feeds)]
    weights = [
        noise(size, g.dtype.numpy_dtype, 9) for size, g in zip(sizes, gradients, strict=True)
    ]
    xs = [x for x in built.feeds if floats(x.dtype)]
    try:
        seconds = differentiated(built, gradients, xs, weights)
    except LookupError:
        return
    pairs = {x: g for x, g in zip(xs, seconds, strict=True) if g is not None}
    found = dict(zip(pairs, session.run(list(pairs.values()), built.feeds), strict=True))
    compare_with_differences(case, built, session, gradients, weights, found)


def again(built: Built, gradients: Sequence[td.Tensor], found: Any) -> None:
    """The gradient graph computes the same when it was saved and loaded."""
    graph_def = built.graph.as_graph_def()
    with td.Graph().as_default() as graph, td.Session(graph=graph) as session:
        td.import_graph_def(graph_def, name="")
        feeds = {x.name: value for x, value in built.feeds.items()}
        for value, other in zip(
            found, session.run([g.name for g in gradients], feeds), strict=True
        ):
            np.testing.assert_array_equal(value, other)


def hidden(case: Case, weights: Any, xs: Any, gradients: Any, found: Any) -> None:
    """The gradient is the same where no shape is known before the run."""
    try:
        built = build(case, unknown)
        ys = [y for y in built.op.outputs if floats(y.dtype)]
        others = differentiated(built, ys, [x for x in built.feeds if floats(x.dtype)], weights)
    except (LookupError, TypeError, ValueError):
        return  # some ops need to know shapes, and some of their gradients do
    assert [g is None for g in others] == [g is None for g in gradients]
    with td.Session(graph=built.graph) as session:
        results = session.run([g for g in others if g is not None], built.feeds)
    for value, other in zip(found, results, strict=True):
        rtol = 1e-3 if value.dtype.itemsize < 4 else 1e-5
        np.testing.assert_allclose(value, other, rtol=rtol, atol=1e-5)


def differentiated(built: Built, ys: Any, xs: Any, weights: Any) -> list[Any]:
    with built.graph.as_default():
        starts = [td.constant(w, y.dtype.base_dtype) for w, y in zip(weights, ys, strict=True)]
        gradients = td.gradients(ys, xs, starts)
        return [None if g is None else td.convert_to_tensor(g) for g in gradients]


def floats(dtype: td.DType) -> bool:
    return dtype.is_floating or dtype.is_complex


def widened(case: Case) -> Case:
    """The case with floats of double precision."""
    return dataclasses.replace(case, inputs=[*map(_wide, case.inputs)])


def _wide(value: Any) -> Any:
    try:
        array, dtype = typed(value)
    except (TypeError, ValueError):
        return [_wide(item) for item in value]
    if floats(dtype) and dtype.name not in ("float64", "complex128"):
        name = "complex128" if dtype.is_complex else "float64"
        return np.asarray(array).astype(name), name
    return value


def noise(shape: Any, dtype: Any, seed: int) -> Any:
    random = np.random.RandomState(seed)
    values = random.randint(-8, 9, shape) / 8
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * random.randint(-8, 9, shape) / 8
    return np.asarray(values).astype(dtype)


def inner(x: Any, y: Any) -> float:
    """The inner product of two arrays, seen as vectors of real numbers."""
    with np.errstate(all="ignore"):
        return float(np.real(np.sum(np.conj(x) * y)))
