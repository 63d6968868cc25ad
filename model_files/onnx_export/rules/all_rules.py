"""All rules: importing this module fills the table."""

from __future__ import annotations

from . import (
    array,
    control_flow,
    conv,
    elementwise,
    gradients,
    image,
    indexing,
    lists,
    math,
    nn,
    quantized,
    random,
    recurrent,
    strings,
    tables,
)

MODULES = (
    array,
    control_flow,
    conv,
    elementwise,
    gradients,
    image,
    indexing,
    lists,
    math,
    nn,
    quantized,
    random,
    recurrent,
    strings,
    tables,
)
