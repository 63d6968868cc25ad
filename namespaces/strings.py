"""Functions of strings: `td.strings`."""

from __future__ import annotations

from ..graph.surface.absent import missing as _missing
from ..graph.surface.namespace import public_names as _public_names
from ..ops.strings import (
    string_hashes as _string_hashes,
    string_joining as _strings,
    string_numbers as _string_numbers,
    string_text as _string_text,
)
from ..ops.strings.regular_expressions import (
    regex_full_match as regex_full_match,
    regex_replace as regex_replace,
)
from ..ops.strings.string_forms import as_string as as_string
from ..ops.strings.string_joining import (
    reduce_join as reduce_join,
    substr as substr,
)
from ..ops.strings.string_parts import (
    split as split,
    unsorted_segment_join as unsorted_segment_join,
)

join = _strings.string_join
length = _string_text.string_length
lower = _string_text.string_lower
strip = _string_text.string_strip
to_hash_bucket = _string_hashes.string_to_hash_bucket
to_hash_bucket_fast = _string_hashes.string_to_hash_bucket_fast
to_hash_bucket_strong = _string_hashes.string_to_hash_bucket_strong
to_number = _string_numbers.string_to_number
upper = _string_text.string_upper


def __getattr__(name: str) -> object:
    raise _missing(__name__, name)


def __dir__() -> list[str]:
    return _public_names(globals())
