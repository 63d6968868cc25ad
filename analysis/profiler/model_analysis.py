"""The profiler under the names that it had in `contrib` until TensorFlow 1.3."""

from __future__ import annotations

from typing import Any

from ...graph.graph import Graph
from ...session.profile import RunMetadata
from .option_builder import ProfileOptionBuilder
from .profiling import profile

public = {
    "td.contrib.tfprof.model_analyzer": (
        "FLOAT_OPS_OPTIONS PRINT_ALL_TIMING_MEMORY TRAINABLE_VARS_PARAMS_STAT_OPTIONS "
        "print_model_analysis"
    )
}

FLOAT_OPS_OPTIONS = ProfileOptionBuilder.float_operation()
PRINT_ALL_TIMING_MEMORY = ProfileOptionBuilder.time_and_memory()
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = ProfileOptionBuilder.trainable_variables_parameter()


def print_model_analysis(
    graph: Graph,
    run_meta: RunMetadata | None = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: dict[str, Any] | None = None,
) -> Any:
    """Like `td.profiler.profile`, with the arguments of `contrib`.

    Args:
        graph: the graph.
        run_meta: a traced run, for times and bytes.
        op_log: must be None.
        tfprof_cmd: "scope", "op" or "code".
        tfprof_options: such as TRAINABLE_VARS_PARAMS_STAT_OPTIONS. A `dump_to_file` in it is where
            the report is written to; `viz` is accepted.

    Returns:
        The message that `td.profiler.profile` returns.

    Example:
        >>> analyzer = td.contrib.tfprof.model_analyzer
        >>> with td.Graph().as_default() as graph:
        ...     w = td.get_variable("w", [3, 4])
        >>> options = analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
        >>> analyzer.print_model_analysis(graph, tfprof_options=options).total_parameters
        node name | # parameters
        _TFProfRoot (--/12 params)
          w (3x4, 12/12 params)
        12
    """
    options = dict(tfprof_options or {})
    options.pop("viz", None)
    path = options.pop("dump_to_file", "")
    if path:
        options["output"] = f"file:outfile={path}"
    return profile(graph, run_meta, op_log, tfprof_cmd, options)
