"""Callbacks: the base class, lists of callbacks, and `History`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

public = {"td.keras.callbacks": "Callback CallbackList History LambdaCallback TerminateOnNaN"}

Logs = dict[str, Any]
_TOLD = ("train_begin", "train_end", "epoch_begin", "epoch_end", "batch_begin", "batch_end")


class Callback:
    """Base class with hooks for the begin and end of training, epochs and batches.

    Example:
        >>> class Count(td.keras.callbacks.Callback):
        ...     def on_epoch_end(self, epoch, logs=None):
        ...         print(epoch, sorted(logs))
        >>> with td.Graph().as_default():
        ...     model = td.keras.Sequential([td.keras.layers.Dense(1, input_shape=(2,))])
        ...     model.compile("sgd", "mse")
        ...     history = model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[Count()])
        0 ['loss']
    """

    def __init__(self) -> None:
        self.model: Any = None
        self.params: dict[str, Any] = {}
        self.validation_data: Any = None

    def set_model(self, model: Any) -> None:
        """Sets the model."""
        self.model = model

    def set_params(self, params: dict[str, Any]) -> None:
        """Sets the training parameters."""
        self.params = params

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Before the first epoch."""

    def on_train_end(self, logs: Logs | None = None) -> None:
        """After the last epoch."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Before an epoch."""

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """After an epoch, with its numbers."""

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Before a batch."""

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """After a batch, with its numbers."""

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Before a batch; calls `on_batch_begin`."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """After a batch; calls `on_batch_end`."""
        self.on_batch_end(batch, logs)

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Before evaluation, also at the end of an epoch."""

    def on_test_end(self, logs: Logs | None = None) -> None:
        """After evaluation."""

    def on_test_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Before a batch of evaluation."""

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """After a batch of evaluation, with its metrics."""

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Before prediction."""

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """After prediction."""

    def on_predict_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Before a batch of prediction."""

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """After a batch of prediction, with the outputs."""


class CallbackList:
    """Calls several callbacks together; for custom training loops.

    Args:
        callbacks: the callbacks.

    Example:
        >>> note = td.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch))
        >>> td.keras.callbacks.CallbackList([note]).on_epoch_end(2, {})
        2
    """

    def __init__(self, callbacks: Iterable[Any] | None = None) -> None:
        self.callbacks = list(callbacks or ())

    def append(self, callback: Any) -> None:
        """Adds a callback."""
        self.callbacks.append(callback)

    def set_model(self, model: Any) -> None:
        """Sets the model."""
        for callback in self.callbacks:
            callback.set_model(model)

    def set_params(self, params: dict[str, Any]) -> None:
        """Sets the training parameters."""
        for callback in self.callbacks:
            callback.set_params(params)

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Returns a function that calls a hook such as `on_epoch_end` of all callbacks."""
        if not name.startswith("on_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

        def call_all(*args: Any) -> None:
            for callback in self.callbacks:
                # Callbacks written for earlier versions of Keras lack some hooks.
                hook = getattr(callback, name, None)
                if hook is not None:
                    hook(*args, *([] if isinstance(args[-1] if args else None, dict) else [{}]))

        return call_all


class History(Callback):
    """Result of `fit`: losses and metrics by epoch.

    Example:
        >>> history = td.keras.callbacks.History()
        >>> history.on_train_begin()
        >>> history.on_epoch_end(0, {"loss": 1.0})
        >>> history.history
        {'loss': [1.0]}
    """

    def __init__(self) -> None:
        super().__init__()
        self.epoch: list[int] = []
        self.history: dict[str, list[Any]] = {}

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begins with nothing."""
        self.epoch, self.history = [], {}

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Notes the numbers."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    """Calls functions.

    Args:
        functions: functions by hook: `on_epoch_begin`, `on_epoch_end`, `on_batch_begin`,
            `on_batch_end`, `on_train_begin` and `on_train_end`.

    Example:
        >>> note = td.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch))
        >>> note.on_epoch_end(3, {})
        3
    """

    def __init__(self, **functions: Callable[..., Any] | None) -> None:
        super().__init__()
        for name, function in functions.items():
            if name.removeprefix("on_") not in _TOLD:
                raise TypeError(f"LambdaCallback takes on_{', on_'.join(_TOLD)}, got {name!r}")
            if function is not None:
                setattr(self, name, function)


class TerminateOnNaN(Callback):
    """Stops when the loss is NaN or infinite.

    Example:
        >>> td.keras.callbacks.TerminateOnNaN().on_batch_end(0, {"loss": 1.0})
    """

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Looks at the loss."""
        loss = (logs or {}).get("loss")
        if loss is not None and not math.isfinite(loss):
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True
