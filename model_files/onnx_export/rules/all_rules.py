"""All rules: importing this module fills the table."""

from __future__ import annotations

from . import (
    array as array,
    conv as conv,
    elementwise as elementwise,
    indexing as indexing,
    math as math,
    nn as nn,
)
