"""Arrays of a dtype, in as few letters as NumPy's scalars, whose types take no lists."""

from __future__ import annotations

from functools import partial

import numpy as np

f16 = partial(np.array, dtype=np.float16)
f32 = partial(np.array, dtype=np.float32)
i8 = partial(np.array, dtype=np.int8)
i32 = partial(np.array, dtype=np.int32)
i64 = partial(np.array, dtype=np.int64)
u8 = partial(np.array, dtype=np.uint8)
u16 = partial(np.array, dtype=np.uint16)
c64 = partial(np.array, dtype=np.complex64)
