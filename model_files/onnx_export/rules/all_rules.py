"""All rules: importing this module fills the table."""

from __future__ import annotations

from . import (
    array as array,
    control_flow as control_flow,
    conv as conv,
    elementwise as elementwise,
    gradients as gradients,
    image as image,
    indexing as indexing,
    lists as lists,
    math as math,
    nn as nn,
    quantized as quantized,
    random as random,
    recurrent as recurrent,
    strings as strings,
    tables as tables,
)
