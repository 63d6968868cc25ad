"""Callbacks that stop, save, or set the learning rate by a monitored value."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ..backend.backend_session import get_value, set_value
from .callbacks import Callback, Logs

public = {
    "td.keras.callbacks": ("EarlyStopping LearningRateScheduler ModelCheckpoint ReduceLROnPlateau")
}


class _Watching(Callback):
    """A callback that watches one number."""

    def __init__(self, monitor: str, mode: str, min_delta: float = 0.0) -> None:
        super().__init__()
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"mode must be 'auto', 'min' or 'max', got {mode!r}")
        self.monitor = monitor
        self.upwards = mode == "max" or (mode == "auto" and "acc" in monitor)
        self.min_delta = abs(min_delta)
        self.best = -math.inf if self.upwards else math.inf

    def better(self, value: float) -> bool:
        """Returns True if a number improves on the best one."""
        if self.upwards:
            return value - self.min_delta > self.best
        return value + self.min_delta < self.best

    def watched(self, logs: Logs | None) -> float | None:
        """The number, or None where there is none."""
        value = (logs or {}).get(self.monitor)
        return None if value is None else float(value)


class EarlyStopping(_Watching):
    """Stops when a monitored value has stopped improving.

    Args:
        monitor: the number.
        min_delta: by how much it must get better.
        patience: for how many epochs it need not.
        verbose: whether a stop is printed.
        mode: "min", "max", or "auto", which goes by the name.
        baseline: what it must be better than.
        restore_best_weights: whether the variables become again what they were at the best.

    Example:
        >>> td.keras.callbacks.EarlyStopping("val_acc", patience=2).upwards
        True
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights = restore_best_weights
        self.wait = self.stopped_epoch = 0
        self.best_weights: Any = None

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Resets the state."""
        self.wait = self.stopped_epoch = 0
        worst = -math.inf if self.upwards else math.inf
        self.best = worst if self.baseline is None else self.baseline

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Checks for an improvement."""
        value = self.watched(logs)
        if value is None:
            return
        if self.better(value):
            self.best, self.wait = value, 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch = epoch
            self.model.stop_training = True
            if self.best_weights is not None:
                self.model.set_weights(self.best_weights)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Prints a stop."""
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1:05d}: early stopping")


class ModelCheckpoint(_Watching):
    """Saves the model after epochs.

    Args:
        filepath: what the files are called; `{epoch}` and numbers such as `{val_loss:.2f}` are put
            in.
        monitor: the number by which epochs are compared.
        verbose: whether it is printed.
        save_best_only: whether only what is better than before is saved.
        save_weights_only: whether only variables are saved, by `save_weights`; else the whole
            model, by `save`.
        mode: as for `EarlyStopping`.
        period: after every how many epochs.
        settings: accepted for TensorFlow's sake.

    Example:
        >>> td.keras.callbacks.ModelCheckpoint("best", save_best_only=True).monitor
        'val_loss'
    """

    def __init__(
        self,
        filepath: str | os.PathLike[str],
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        period: int = 1,
        **settings: Any,
    ) -> None:
        super().__init__(monitor, mode)
        self.filepath, self.verbose = str(filepath), verbose
        self.save_best_only, self.period = save_best_only, period
        self.save_weights_only = save_weights_only
        self._since = 0

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Saves if due."""
        self._since += 1
        if self._since < self.period:
            return
        self._since = 0
        value = self.watched(logs)
        if self.save_best_only:
            if value is None or not self.better(value):
                return
            self.best = value
        path = self.filepath.format(epoch=epoch + 1, **(logs or {}))
        if self.verbose:
            print(f"\nEpoch {epoch + 1:05d}: saving model to {path}")
        if self.save_weights_only:
            self.model.save_weights(path)
        else:
            self.model.save(path)


class LearningRateScheduler(Callback):
    """Sets the learning rate before each epoch.

    Args:
        schedule: a function of the number of the epoch, and perhaps of the present rate.
        verbose: whether it is printed.

    Example:
        >>> scheduler = td.keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (1 + epoch))
        >>> scheduler.schedule(1)
        0.05
    """

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Sets the rate."""
        optimizer = self.model.optimizer
        try:
            rate = self.schedule(epoch, float(get_value(optimizer.lr)))
        except TypeError:  # it takes only the epoch
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.floating)):
            raise ValueError(f"schedule must give a float, got {rate!r}")
        set_value(optimizer.lr, rate)
        if self.verbose:
            print(f"\nEpoch {epoch + 1:05d}: LearningRateScheduler sets learning rate {rate}.")

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Adds the learning rate to `logs`."""
        if logs is not None:
            logs["lr"] = float(get_value(self.model.optimizer.lr))


class ReduceLROnPlateau(_Watching):
    """Reduces the learning rate when a monitored value has stopped improving.

    Args:
        monitor: the number.
        factor: what the rate is multiplied by, less than 1.
        patience: for how many epochs the number need not get better.
        verbose: whether it is printed.
        mode: as for `EarlyStopping`.
        min_delta: by how much it must get better.
        cooldown: for how many epochs after that nothing is done.
        min_lr: the least rate.

    Example:
        >>> td.keras.callbacks.ReduceLROnPlateau(factor=0.5).patience
        10
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        if factor >= 1.0:
            raise ValueError(f"factor must be less than 1, got {factor}")
        super().__init__(monitor, mode, min_delta)
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.wait = self.resting = 0

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Reduces the rate if due."""
        value, rate = self.watched(logs), self.model.optimizer.lr
        if logs is not None:
            logs["lr"] = get_value(rate)
        if value is None:
            return
        if self.resting > 0:
            self.resting -= 1
            self.wait = 0
        if self.better(value):
            self.best, self.wait = value, 0
        elif self.resting <= 0:
            self.wait += 1
            old = float(get_value(rate))
            if self.wait >= self.patience and old > self.min_lr:
                new = max(old * self.factor, self.min_lr)
                set_value(rate, new)
                self.resting, self.wait = self.cooldown, 0
                if self.verbose:
                    print(f"\nEpoch {epoch + 1:05d}: ReduceLROnPlateau sets learning rate {new}.")
