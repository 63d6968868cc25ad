"""`td.data.Options`, which are stored only."""

from __future__ import annotations

from typing import Any

public = {"td.data": "Options"}


class Options:
    """Settings of how TensorFlow runs a dataset; all are accepted, and kept as they are.

    Elements and their order do not depend on them here: what `num_parallel_calls` says is done,
    and orders are always kept.

    Example:
        >>> options = td.data.Options()
        >>> options.experimental_deterministic = False
        >>> options.experimental_optimization.map_fusion = True
        >>> td.data.Dataset.range(3).with_options(options).options() == options
        True
    """

    def __init__(self) -> None:
        for name in _GROUPS:
            object.__setattr__(self, name, _Settings())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and _set(self) == _set(other)

    __hash__ = None  # type: ignore[assignment]

    def merge(self, options: Options) -> Options:
        """The options of both; those of the other one lead.

        Args:
            options: other Options.

        Returns:
            New Options.
        """
        merged = Options()
        for source in (self, options):
            for name, value in vars(source).items():
                if isinstance(value, _Settings):
                    vars(getattr(merged, name)).update(vars(value))
                else:
                    setattr(merged, name, value)
        return merged


class _Settings:
    """A group of options."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


_GROUPS = (
    "autotune",
    "experimental_distribute",
    "experimental_optimization",
    "experimental_threading",
    "threading",
)


def _set(options: Options) -> dict[str, Any]:
    return {
        name: vars(value) if isinstance(value, _Settings) else value
        for name, value in vars(options).items()
    }
