"""Options of a profile: nodes, figures, order, and destination."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

public = {"td.profiler": "ProfileOptionBuilder"}

TRAINABLE = "_trainable_variables"
"""The type that trainable variables have beside that of their op."""

_DEFAULTS: dict[str, Any] = {
    "max_depth": 100,
    "min_bytes": 0,
    "min_peak_bytes": 0,
    "min_residual_bytes": 0,
    "min_output_bytes": 0,
    "min_micros": 0,
    "min_accelerator_micros": 0,
    "min_cpu_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "step": -1,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": ["micros"],
    "output": "stdout",
}

_PATTERNS = [name for name in _DEFAULTS if name.endswith("_regexes")]


def with_defaults(options: dict[str, Any] | None) -> dict[str, Any]:
    """Options in full.

    Raises:
        ValueError: there is no option of that name, or a pattern is not a regular expression.
    """
    unknown = sorted(set(options or {}) - set(_DEFAULTS))
    if unknown:
        raise ValueError(f"no option is called {unknown[0]!r}; there are: {', '.join(_DEFAULTS)}")
    whole = {**_DEFAULTS, **(options or {})}
    for name in _PATTERNS:
        for pattern in whole[name]:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(
                    f"{name} has {pattern!r}, which is not a regular expression: {error}"
                ) from None
    return whole


class ProfileOptionBuilder:
    """Options of `td.profiler.profile`, put together by calls; `build` gives them.

    Each `with_…` returns the builder, so that calls can be chained. The options are those of
    TensorFlow 1.15; what concerns accelerators is accepted, and counts as 0 here.

    Args:
        options: what to begin with, such as `ProfileOptionBuilder.float_operation()`.

    Example:
        >>> builder = td.profiler.ProfileOptionBuilder
        >>> options = builder(builder.float_operation()).with_empty_output().build()
        >>> options["order_by"], options["output"]
        ('float_ops', 'none')
    """

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self._options = with_defaults(options)

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """Options for how many numbers the trainable variables consist of, scope by scope."""
        return {
            **_DEFAULTS,
            "max_depth": 10000,
            "account_type_regexes": [TRAINABLE],
            "account_displayed_op_only": True,
            "select": ["params"],
        }

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """Options for how many operations on numbers the ops take, the most expensive first."""
        return {
            **_DEFAULTS,
            "max_depth": 10000,
            "min_float_ops": 1,
            "order_by": "float_ops",
            "account_displayed_op_only": True,
            "select": ["float_ops"],
        }

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> dict[str, Any]:
        """Options for the time and memory of ops in a traced run.

        Args:
            min_micros: what takes less than so many microseconds is left out.
            min_bytes: what takes less than so many bytes is left out.
            min_accelerator_micros, min_cpu_micros: likewise, of the times apart.
            min_peak_bytes, min_residual_bytes, min_output_bytes: likewise, of other bytes.
        """
        return {
            **_DEFAULTS,
            "max_depth": 10000,
            "min_bytes": min_bytes,
            "min_peak_bytes": min_peak_bytes,
            "min_residual_bytes": min_residual_bytes,
            "min_output_bytes": min_output_bytes,
            "min_micros": min_micros,
            "min_accelerator_micros": min_accelerator_micros,
            "min_cpu_micros": min_cpu_micros,
            "order_by": "micros",
            "account_displayed_op_only": True,
            "select": ["micros", "bytes"],
        }

    def build(self) -> dict[str, Any]:
        """The options, as a dict of their own."""
        return dict(self._options)

    def _with(self, **options: Any) -> ProfileOptionBuilder:
        self._options.update(options)
        return self

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        """Omits nodes deeper than `max_depth` levels below the root."""
        return self._with(max_depth=max_depth)

    def with_min_memory(
        self,
        min_bytes: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> ProfileOptionBuilder:
        """Omits nodes that take fewer bytes."""
        return self._with(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> ProfileOptionBuilder:
        """Omits nodes that take fewer microseconds."""
        return self._with(
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
        )

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        """Leaves out nodes that have fewer parameters themselves."""
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        """Leaves out nodes that ran fewer times; of types, that occur fewer times."""
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        """Leaves out nodes that take fewer operations themselves."""
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> ProfileOptionBuilder:
        """Counts only ops whose type, device, or `_trainable_variables` matches one of these."""
        return self._with(account_type_regexes=list(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: Sequence[str] | None = None,
        show_name_regexes: Sequence[str] | None = None,
        hide_name_regexes: Sequence[str] | None = None,
        trim_name_regexes: Sequence[str] | None = None,
    ) -> ProfileOptionBuilder:
        """Selects nodes by their names; None leaves a setting unchanged.

        Args:
            start_name_regexes: the nodes to begin at.
            show_name_regexes: nodes to show.
            hide_name_regexes: nodes not to show; what is below them is shown.
            trim_name_regexes: nodes below which nothing is shown.
        """
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._with(
            **{name: list(value) for name, value in given.items() if value is not None}
        )

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        """True if hidden nodes do not count towards the totals above them."""
        return self._with(account_displayed_op_only=is_true)

    def with_empty_output(self) -> ProfileOptionBuilder:
        """Prints nothing."""
        return self._with(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Prints the report."""
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        """Writes the report to a file."""
        return self._with(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> ProfileOptionBuilder:
        """Writes the traced run to a file, which chrome://tracing shows.

        It is what `td.timeline.Timeline` writes; the name of the file gets `_` and the number of
        the step behind it.
        """
        return self._with(output=f"timeline:outfile={timeline_file}")

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """Puts nodes in order: by `name`, else the greatest first.

        Args:
            attribute: name, bytes, micros, params, float_ops, occurrence, or another one of the
                attributes of `select`.
        """
        return self._with(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> ProfileOptionBuilder:
        """Shows these numbers of each node.

        Args:
            attributes: of micros, bytes, params, float_ops, occurrence, op_types, device,
                input_shapes, peak_bytes, residual_bytes, output_bytes, cpu_micros and
                accelerator_micros.
        """
        return self._with(select=list(attributes))

    def with_step(self, step: int) -> ProfileOptionBuilder:
        """Takes one of the steps that a `Profiler` was given; -1 for the mean of all."""
        return self._with(step=step)
