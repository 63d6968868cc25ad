"""The rules, in modules named after the rooms of `ops`."""

from __future__ import annotations

from . import (
    array as array,
    boxes as boxes,
    control_flow as control_flow,
    conv as conv,
    data as data,
    debugging as debugging,
    image as image,
    indexing as indexing,
    linalg as linalg,
    linalg_decompositions as linalg_decompositions,
    linalg_systems as linalg_systems,
    lists as lists,
    math as math,
    math_reductions as math_reductions,
    math_segments as math_segments,
    nn as nn,
    nn_normalization as nn_normalization,
    parsing as parsing,
    quantized as quantized,
    queues as queues,
    ragged as ragged,
    random as random,
    signals as signals,
    sorting as sorting,
    sparse as sparse,
    special as special,
    statistics as statistics,
    tables as tables,
    training_updates as training_updates,
    variables as variables,
)


def load() -> None:
    """Does nothing: importing this module registers the rules."""
