"""Models that Keras 2 and 3 wrote, with the results that they have there.

Each file in `recorded/` holds models by name: the config, the paths and shapes of arrays, and what
Keras computes where arrays and inputs are filled by formula, as here. So a model of hundreds of
arrays takes a few lines. They were made by tf_keras 2.21 and Keras 3.15 with TensorFlow 2.21:
`model.save(path)`, then the arrays in the file replaced, `load_model(path)`, and a call.
"""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "recorded"
_WORDS = ["a", "b", "zz", "hello", "you there", "", "Hello, world!"]


def recorded(form: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The models of files of a form, "h5" or "keras", by the version of Keras and a name."""
    for path in sorted(FOLDER.glob(f"*.{form}.json.gz")):
        with gzip.open(path, "rt") as file:
            for name, model in json.load(file).items():
                yield f"{name} of Keras {path.name.split('.')[1]}", model


def _array(shape: list[int], number: int, kind: str) -> np.ndarray[Any, Any]:
    counts = np.arange(np.prod(shape, dtype=int), dtype=float)
    if kind == "int":
        return ((counts * 7 + number) % 3).reshape(shape).astype("i8")
    values = 0.5 * np.sin(counts * 0.7 + number * 1.3)
    values = np.abs(values) + 0.5 if kind == "positive" else values
    return values.reshape(shape).astype("f4")


def fed(shape: list[int], dtype: str, number: int) -> np.ndarray[Any, Any]:
    """The values of an input of a number."""
    counts = np.arange(np.prod(shape, dtype=int))
    if dtype == "string":
        words = [_WORDS[place] for place in (counts * 3 + number) % 7]
        return np.array(words, object).reshape(shape)
    if "float" in dtype:
        return (0.5 + 0.5 * np.sin(counts * 0.37 + number)).reshape(shape).astype(dtype)
    return ((counts * 5 + number) % 3).reshape(shape).astype(dtype)


def _fill(file: Any, arrays: list[Any]) -> None:
    number = 0
    for number, (path, shape, kind, dtype) in enumerate(arrays):
        place = number
        if path.endswith("spectral_normalization/vars/0"):  # it holds the kernel once more
            place = [each[0] for each in arrays].index(path.replace("/vars", "/layer/vars"))
        file[path] = _array(shape, place, kind).astype(dtype)


def write(path: Path, model: dict[str, Any]) -> str:
    """Writes the file of a model."""
    import h5py

    config, assets = json.dumps(model["config"]), model.get("assets")
    if assets is None:
        with h5py.File(path, "w") as file:
            _fill(file, model["arrays"])
            file.attrs["model_config"], file.attrs["keras_version"] = config, model["version"]
            for group, attributes in model["names"].items():
                for key, names in attributes.items():
                    target = file.require_group(group) if group else file
                    target.attrs[key] = np.array([name.encode() for name in names] or [], "S")
        return str(path)
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        _fill(file, model["arrays"])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", config)
        archive.writestr("metadata.json", json.dumps({"keras_version": model["version"]}))
        archive.writestr("model.weights.h5", memory.getvalue())
        for name, text in assets.items():
            archive.writestr(name, text)
    return str(path)


def differences(model: dict[str, Any], outputs: dict[str, Any]) -> dict[str, str]:
    """The outputs that are not what Keras computes, each with what differs."""
    found = {}
    names = sorted(outputs) if "outdict" in model else list(outputs)
    assert len(names) == len(model["outputs"])
    for name, expected in zip(names, model["outputs"], strict=True):
        result = np.asarray(outputs[name])
        flat = result.reshape(-1)[:: expected["step"]][:14]
        if list(result.shape) != expected["shape"]:
            found[name] = f"shape {result.shape}, where Keras has {expected['shape']}"
        elif result.dtype.kind in "OS":
            texts = [x.decode() for x in flat.tolist()]
            if texts != expected["values"]:
                found[name] = f"{texts}, where Keras has {expected['values']}"
        else:
            total = float(np.abs(result.astype(float)).sum())
            given = np.array([*flat.astype(float), total])
            wanted = np.array([*expected["values"], expected["total"]], float)
            if not np.allclose(given, wanted, rtol=2e-4, atol=2e-5, equal_nan=True):
                found[name] = f"{given}, where Keras has {wanted}"
    return found
