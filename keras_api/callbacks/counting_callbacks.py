"""Callbacks that take means over the batches of an epoch, and show them."""

from __future__ import annotations

from collections.abc import Iterable

from .callbacks import Callback, Logs
from .progress import Progress

public = {"td.keras.callbacks": "BaseLogger ProgbarLogger"}


class BaseLogger(Callback):
    """Puts the means over the batches of an epoch into its numbers.

    Args:
        stateful_metrics: names of numbers that are means already.

    Example:
        >>> logger = td.keras.callbacks.BaseLogger()
        >>> logger.set_params({"metrics": ["loss"]})
        >>> logger.on_epoch_begin(0)
        >>> for loss, size in ((1.0, 3), (5.0, 1)):
        ...     logger.on_batch_end(0, {"loss": loss, "size": size})
        >>> logs = {}
        >>> logger.on_epoch_end(0, logs)
        >>> logs
        {'loss': 2.0}
    """

    def __init__(self, stateful_metrics: Iterable[str] | None = None) -> None:
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or ())
        self.seen = 0
        self.totals: dict[str, float] = {}

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Begins with nothing."""
        self.seen, self.totals = 0, {}

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Adds the numbers of a batch, by how many examples it has."""
        numbers = dict(logs or {})
        size = numbers.pop("size", 0)
        self.seen += size
        for name, value in numbers.items():
            if name in self.stateful_metrics:
                self.totals[name] = value
            elif name != "batch":
                self.totals[name] = self.totals.get(name, 0.0) + value * size

    def means(self) -> dict[str, float]:
        """The means until now."""
        return {
            name: total if name in self.stateful_metrics else total / max(self.seen, 1)
            for name, total in self.totals.items()
        }

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Adds the means to `logs`."""
        if logs is not None:
            asked = self.params.get("metrics", ())
            logs.update({name: mean for name, mean in self.means().items() if name in asked})


class ProgbarLogger(BaseLogger):
    """Prints how far each epoch is, as `fit(verbose=1)` does by itself.

    Args:
        count_mode: whether "samples" or "steps" are counted.
        stateful_metrics: names of numbers that are means already.

    Raises:
        ValueError: `count_mode` is another word.

    Example:
        >>> td.keras.callbacks.ProgbarLogger("steps").use_steps
        True
    """

    def __init__(
        self, count_mode: str = "samples", stateful_metrics: Iterable[str] | None = None
    ) -> None:
        super().__init__(stateful_metrics)
        if count_mode not in ("samples", "steps"):
            raise ValueError(f"count_mode must be 'samples' or 'steps', got {count_mode!r}")
        self.use_steps = count_mode == "steps"
        self._bar: Progress | None = None
        self._done = 0

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Begins a bar."""
        super().on_epoch_begin(epoch, logs)
        target = self.params.get("steps" if self.use_steps else "samples")
        verbose = self.params.get("verbose", 1)
        if verbose:
            print(f"Epoch {epoch + 1}/{self.params.get('epochs', 1)}")
        self._bar, self._done = Progress(target, verbose), 0

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Shows how far it is."""
        super().on_batch_end(batch, logs)
        self._done += 1 if self.use_steps else (logs or {}).get("size", 0)
        if self._bar is not None:
            self._bar.show(self._done, self.means())

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Ends the bar, with the numbers of the epoch."""
        if self._bar is not None:
            self._bar.show(self._done, dict(logs or self.means()), end=True)
