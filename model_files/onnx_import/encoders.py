"""Encoders and linear models of ONNX's domain for machine learning, ai.onnx.ml."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from ...shape_inference.protocols import Array
from .call import Call, Rule, strings
from .elementwise import selected
from .nodes import apply, cast, concat, expand, number, rank_of, reshape
from .tensors import MalformedError


def _listed(c: Call, name: str) -> Array | None:
    """A list of an encoder in whichever type it is stated; None if it is not."""
    if f"{name}_tensor" in c.attrs:
        return c.tensor(f"{name}_tensor")[0].reshape(-1)
    if f"{name}_strings" in c.attrs:
        return strings(c.list(f"{name}_strings"))
    if f"{name}_int64s" in c.attrs:
        return np.array(c.list(f"{name}_int64s"), np.int64)
    if f"{name}_floats" in c.attrs:
        return np.array(c.list(f"{name}_floats"), np.float32)
    return None


def encoded(x: Tensor, keys: Array, values: Array, default: Any) -> Tensor:
    """The values of keys, of which the last of equal ones counts; a default for other elements."""
    if len(keys) != len(values) or not len(keys):
        raise MalformedError(f"it has {len(keys)} keys and {len(values)} values")
    if keys.dtype == object:
        places: dict[Any, int] = {key: place for place, key in enumerate(keys.tolist())}
        kept = list(places.values())
        equal = apply("Equal", expand(x, [rank_of(x)]), keys[kept])
        place = apply("ArgMax", equal, np.int32(-1), output_type=dtypes.int64)
        known = apply("Any", equal, np.int32(-1))
        found = apply("GatherV2", values[kept], place, np.int32(0))
        return selected(known, found, default)
    missing = np.flatnonzero(np.isnan(keys)) if keys.dtype.kind == "f" else np.zeros(0, int)
    ordered, backward = np.unique(keys[::-1], return_index=True)
    kept_values = values[::-1][backward]
    if len(missing):
        whole = ~np.isnan(ordered)
        ordered, kept_values = ordered[whole], kept_values[whole]
    result: Any = default
    if len(ordered):
        flat = reshape(x, [1, -1])
        place = apply("LowerBound", ordered[None], flat, out_type=dtypes.int64)
        place = apply("Minimum", place, np.int64(len(ordered) - 1))
        known = apply("Equal", apply("GatherV2", ordered, place, np.int32(0)), flat)
        found = apply("GatherV2", kept_values, place, np.int32(0))
        result = apply("Reshape", selected(known, found, default), apply("Shape", x))
    if len(missing):
        result = selected(apply("IsNan", x), values[missing[-1]].reshape(()), result)
    return result


def _label_encoder(c: Call) -> Tensor:
    x = c[0]
    if c.version < 2:
        words = strings(c.list("classes_strings"))
        numbers = np.arange(len(words))
        if x.dtype is dtypes.string:
            return encoded(x, words, numbers, np.int64(c.int("default_int64", -1)))
        return encoded(x, numbers, words, _text(c.text("default_string", "_Unused")))
    keys, values = _listed(c, "keys"), _listed(c, "values")
    if keys is None or values is None:
        raise MalformedError("it lacks keys or values")
    default: Any
    if "default_tensor" in c.attrs:
        default = c.tensor("default_tensor")[0].reshape(())
    elif values.dtype == object:
        default = _text(c.text("default_string", "_Unused"))
    elif values.dtype.kind == "f":
        default = values.dtype.type(c.float("default_float", -0.0))
    else:
        default = values.dtype.type(c.int("default_int64", -1))
    return encoded(x, keys, values, default)


def _text(text: str) -> Array:
    return strings([text.encode()]).reshape(())


def _category_mapper(c: Call) -> Tensor:
    x = c[0]
    words, numbers = strings(c.list("cats_strings")), np.array(c.list("cats_int64s"), np.int64)
    if x.dtype is dtypes.string:
        return encoded(x, words, numbers, np.int64(c.int("default_int64", -1)))
    return encoded(x, numbers, words, _text(c.text("default_string", "_Unused")))


def _one_hot_encoder(c: Call) -> Tensor:
    x = c[0]
    keys: Array = (
        strings(c.list("cats_strings"))
        if "cats_strings" in c.attrs
        else np.array(c.list("cats_int64s"), np.int64)
    )
    if keys.dtype != object:
        x = cast(x, dtypes.int64)
    return cast(apply("Equal", expand(x, [rank_of(x)]), keys), dtypes.float32)


def _binarizer(c: Call) -> Tensor:
    x = c[0]
    return cast(apply("Greater", x, number(x, c.float("threshold", 0.0))), x.dtype)


def _feature_extractor(c: Call) -> Tensor:
    x, places = c[0], reshape(c[1], [-1])
    result = apply("GatherV2", x, places, np.int32(rank_of(x) - 1))
    return expand(result, [0]) if rank_of(x) == 1 else result


def _scaler(c: Call) -> Tensor:
    x = cast(c[0], dtypes.float32)
    offset, scale = (
        np.array(c.list(name, [first]), np.float32)
        for name, first in (("offset", 0.0), ("scale", 1.0))
    )
    return apply("Mul", apply("Sub", x, offset), scale)


def _normalizer(c: Call) -> Tensor:
    x, norm = cast(c[0], dtypes.float32), c.text("norm", "MAX")
    last = np.int32(-1)
    if norm == "MAX":
        size = apply("Max", x, last, keep_dims=True)
    elif norm == "L1":
        size = apply("Sum", apply("Abs", x), last, keep_dims=True)
    elif norm == "L2":
        size = apply("Sqrt", apply("Sum", apply("Square", x), last, keep_dims=True))
    else:
        raise MalformedError(f"norm must be MAX, L1 or L2, got {norm!r}")
    zero = apply("Equal", size, np.float32(0))
    return apply("RealDiv", x, selected(zero, np.float32(1), size))


def _imputer(c: Call) -> Tensor:
    x = c[0]
    if x.dtype.is_floating:
        new = number(x, 0) + np.array(c.list("imputed_value_floats"), x.dtype.numpy_dtype)
        old = c.float("replaced_value_float", 0.0)
        replaced = apply("IsNan", x) if np.isnan(old) else apply("Equal", x, number(x, old))
        return selected(replaced, new, x)
    new = np.array(c.list("imputed_value_int64s"), x.dtype.numpy_dtype)
    return selected(apply("Equal", x, number(x, c.int("replaced_value_int64", 0))), new, x)


def _feature_vectorizer(c: Call) -> Tensor:
    parts = [cast(x, dtypes.float32) for x in c.all()]
    return concat([expand(x, [0]) if rank_of(x) == 1 else reshape_rows(x) for x in parts], 1)


def reshape_rows(x: Tensor) -> Tensor:
    """A tensor as a matrix with its rows."""
    return x if rank_of(x) == 2 else reshape(x, [x.shape.as_list()[0] or -1, -1])


def transformed(scores: Tensor, name: str) -> Tensor:
    """Scores after the transformation that a model states."""
    if name == "NONE":
        return scores
    if name == "LOGISTIC":
        return apply("Sigmoid", scores)
    if name == "SOFTMAX":
        return apply("Softmax", scores)
    if name == "SOFTMAX_ZERO":
        zero = apply("Equal", scores, number(scores, 0))
        powers = apply(
            "Exp", apply("Sub", scores, apply("Max", scores, np.int32(-1), keep_dims=True))
        )
        powers = selected(zero, number(scores, 0), powers)
        return apply("DivNoNan", powers, apply("Sum", powers, np.int32(-1), keep_dims=True))
    if name == "PROBIT":
        return apply("Ndtri", scores)
    raise MalformedError(f"post_transform {name!r} is not known")


def labels_of(c: Call, suffix: str) -> Array:
    """The labels of a classifier's classes."""
    if "classlabels_strings" in c.attrs and c.list("classlabels_strings"):
        return strings(c.list("classlabels_strings"))
    return np.array(c.list(f"classlabels_{suffix}", []), np.int64)


def _linear(c: Call, count: int) -> Tensor:
    x = cast(c[0], dtypes.float32)
    x = expand(x, [0]) if rank_of(x) == 1 else x
    weights = np.array(c.list("coefficients"), np.float32)
    if count < 1 or weights.size % count:
        raise MalformedError(f"{weights.size} coefficients are not for {count} results")
    result = apply("MatMul", x, weights.reshape(count, -1).T)
    intercepts = c.list("intercepts", [])
    return apply("AddV2", result, np.array(intercepts, np.float32)) if intercepts else result


def _linear_regressor(c: Call) -> Tensor:
    return transformed(_linear(c, c.int("targets", 1)), c.text("post_transform", "NONE"))


def _linear_classifier(c: Call) -> Any:
    labels = labels_of(c, "ints")
    count = len(c.list("intercepts", [])) or len(labels)
    scores = _linear(c, count)
    if count == 1:
        both = [apply("Neg", scores), scores]
        if c.text("post_transform", "NONE") == "NONE":
            both = [apply("Sub", np.float32(1), scores), scores]
        scores = apply("ConcatV2", both, np.int32(1))
    place = apply("ArgMax", scores, np.int32(1), output_type=dtypes.int64)
    names = labels if len(labels) > 1 else np.array([0, *labels], np.int64)
    chosen = apply("GatherV2", names, place, np.int32(0))
    return [chosen, transformed(scores, c.text("post_transform", "NONE"))]


RULES: dict[str, Rule] = {
    "ArrayFeatureExtractor": _feature_extractor,
    "Binarizer": _binarizer,
    "CategoryMapper": _category_mapper,
    "FeatureVectorizer": _feature_vectorizer,
    "Imputer": _imputer,
    "LabelEncoder": _label_encoder,
    "LinearClassifier": _linear_classifier,
    "LinearRegressor": _linear_regressor,
    "Normalizer": _normalizer,
    "OneHotEncoder": _one_hot_encoder,
    "Scaler": _scaler,
}
