"""Keeping the memory of one run for the next."""

from __future__ import annotations

from functools import cache

import numpy as np

# The largest size that glibc takes notice of, less what it adds.
_LARGEST = (32 << 20) - (1 << 16)


@cache
def keep_freed_memory() -> None:
    """Makes the C library keep freed memory instead of returning it to the system each time.

    The system clears new memory page by page: for the arrays of a training step, that takes
    as long as a tenth of the step. glibc keeps freed memory up to twice the largest array that it
    has seen freed (`M_MMAP_THRESHOLD` in its manual), but 64 MiB at most. So one such array is
    made, of which no page is touched, and freed. Elsewhere, this does nothing.
    """
    np.empty(_LARGEST, np.uint8)
