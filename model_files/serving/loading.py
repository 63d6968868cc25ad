"""Loading a version of a model to serve: within a budget, without trust, and warmed up."""

from __future__ import annotations

import itertools
import logging
import os
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...analysis.cost import cost
from ...formats.record_file import tf_record_iterator
from ...protos.serving_messages import PredictionLog
from ...runtime import errors
from ...runtime.load_budget import LoadBudget
from ...saving.saved_model.loaded_model import LoadedModel
from ...saving.savers.restoring import check_inside
from ..loading import load
from ..locating import locate
from .inference import examples_in, predict_inputs
from .layout import fingerprint
from .servable import Servable, ServedSignature
from .statuses import exhausted

_RECORDS = os.path.join("assets.extra", "tf_serving_warmup_requests")
_MOST_RECORDS = 1000  # as TensorFlow Serving
_LOG = logging.getLogger("tensordraft.serving")


class Memory:
    """Memory that models share.

    Args:
        limit: the number of bytes; None for no limit.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self._taken: dict[object, int] = {}
        self._lock = threading.Lock()

    @property
    def taken(self) -> int:
        """The number of bytes that are taken."""
        return sum(self._taken.values())

    def take(self, owner: object, size: int, what: str) -> None:
        """Takes bytes for an owner, who has no others afterwards.

        Raises:
            ResourceExhaustedError: there are not so many left.
        """
        with self._lock:
            others = self.taken - self._taken.get(owner, 0)
            if self.limit is not None and others + size > self.limit:
                raise exhausted(
                    f"{what} needs about {size} bytes; of the limit of {self.limit} bytes for all "
                    f"models, {others} are taken by others"
                )
            self._taken[owner] = size

    def give_back(self, owner: object) -> None:
        """Frees what an owner has taken."""
        with self._lock:
            self._taken.pop(owner, None)


class Loader(NamedTuple):
    """Settings of loading.

    Attributes:
        trusted: whether graphs may touch more than their own folders.
        memory: the memory for models.
        threads: the number of threads of a run.
        batch: the number of examples in a run for which memory is estimated.
        load: reads a model.
        analyse: called with each version before it serves; None for nothing.
    """

    trusted: bool
    memory: Memory
    threads: int = 0
    batch: int = 1
    load: Callable[..., LoadedModel] = load
    analyse: Callable[[Servable], None] | None = None

    def __call__(self, name: str, version: int, path: str, base: str) -> Servable:
        """Loads a version and warms it up.

        Args:
            name: the name of the model.
            version: the number of the version.
            path: its folder or file.
            base: the folder that the path must not leave.

        Raises:
            PermissionDeniedError: links lead out of the folder, or the graph touches other files.
            ResourceExhaustedError: there is not enough memory for it.
            OpError, ValueError, OSError: it cannot be loaded, or a recorded request fails.
        """
        what = f"version {version} of the model {name!r}"
        file = locate(path)
        if not self.trusted:
            check_inside([path], base)
            check_inside([file], path if os.path.isdir(path) else os.path.dirname(path))
        owner = (name, version)
        on_disk = sum(size for _, size, _ in fingerprint(path))
        self.memory.take(owner, on_disk, what)
        try:
            limit = self.memory.limit
            model = self.load(path, progress=None if limit is None else LoadBudget(bytes=limit))
            if limit is not None:
                self.memory.take(owner, max(on_disk, _peak(model, self.batch)), what)
            servable = Servable(name, version, model, self.trusted, self.threads)
            try:
                warm_up(servable, path)
                if self.analyse is not None:
                    self.analyse(servable)
            except BaseException:
                servable.close(0)
                raise
        except BaseException:
            self.memory.give_back(owner)
            raise
        return servable


def _peak(model: LoadedModel, batch: int) -> int:
    """The estimated number of bytes at the peak of a run."""
    try:
        costs = cost(model)
        costs = costs.at(**dict.fromkeys(costs.names, batch))
        peak = costs.peak_bytes
        return peak if isinstance(peak, int) else 0
    except (errors.OpError, ValueError, TypeError) as error:
        _LOG.info("the cost of a model is not known before it runs: %s", error)
        return 0


def warm_up(servable: Servable, path: str) -> None:
    """Runs recorded requests, or else each signature once.

    Args:
        servable: the version.
        path: its folder, which may hold records.

    Raises:
        OpError, ValueError: a recorded request fails.
    """
    records = os.path.join(path, _RECORDS)
    if os.path.isfile(records):
        check_inside([records], path)
        for data in itertools.islice(tf_record_iterator(records), _MOST_RECORDS):
            _replay(servable, PredictionLog.FromString(data))
        return
    for signature in servable.signatures.values():
        try:
            inputs = {name: _sample(tensor) for name, tensor in signature.inputs.items()}
            signature.run(inputs, (*signature.outputs,), 60.0)
        except (errors.OpError, ValueError, TypeError) as error:
            # Zeros need not be legal inputs.
            _LOG.debug("warming up %s: %s", servable.name, error)


def _replay(servable: Servable, log: PredictionLog) -> None:
    kind = log.WhichOneof("log_type")
    if kind == "predict_log":
        request = log.predict_log.request
        signature = servable.signature(request.model_spec.signature_name)
        values = signature.completed(predict_inputs(request, None))
        signature.run(values, signature.wanted(request.output_filter), 60.0)
        return
    if kind == "multi_inference_log":
        tasks = log.multi_inference_log.request
        names = [task.model_spec.signature_name for task in tasks.tasks]
        given = tasks.input
    elif kind in ("classify_log", "regress_log"):
        one: Any = log.classify_log.request if kind == "classify_log" else log.regress_log.request
        names, given = [one.model_spec.signature_name], one.input
    else:
        return
    for name in names:
        signature = servable.signature(name)
        _run_examples(signature, given)


def _run_examples(signature: ServedSignature, given: Any) -> None:
    values = dict.fromkeys(signature.inputs, examples_in(given))
    signature.run(values, (*signature.outputs,), 60.0)


def _sample(tensor: Any) -> Any:
    """Zeros for an input, of one example where its number is unknown."""
    dtype = tensor.dtype.base_dtype.numpy_dtype
    sizes = [size if isinstance(size, int) else 1 for size in tensor.shape.sizes or ()]
    array = np.zeros(sizes, dtype)
    if dtype.kind == "O":
        array.fill(b"")
    return array
