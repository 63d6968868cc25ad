"""What is public of the ops on strings, on random numbers, and on sparse tensors."""

from __future__ import annotations

from .image.cropping import random_crop as random_crop
from .random.gamma_and_poisson import (
    random_gamma as random_gamma,
    random_poisson as random_poisson,
)
from .random.multinomial import multinomial as multinomial
from .random.uniform_and_normal import (
    random_normal as random_normal,
    random_shuffle as random_shuffle,
    random_uniform as random_uniform,
    truncated_normal as truncated_normal,
)
from .sparse.sparse_ops import (
    sparse_reduce_sum as sparse_reduce_sum,
    sparse_reorder as sparse_reorder,
    sparse_tensor_dense_matmul as sparse_tensor_dense_matmul,
    sparse_tensor_to_dense as sparse_tensor_to_dense,
    sparse_to_dense as sparse_to_dense,
)
from .sparse.sparse_placeholder import sparse_placeholder as sparse_placeholder
from .strings import string_parts as _string_parts
from .strings.base64 import (
    decode_base64 as decode_base64,
    encode_base64 as encode_base64,
)
from .strings.regular_expressions import regex_replace as regex_replace
from .strings.string_forms import as_string as as_string
from .strings.string_hashes import (
    string_to_hash_bucket as string_to_hash_bucket,
    string_to_hash_bucket_fast as string_to_hash_bucket_fast,
    string_to_hash_bucket_strong as string_to_hash_bucket_strong,
)
from .strings.string_joining import (
    reduce_join as reduce_join,
    string_join as string_join,
    string_split as string_split,
    substr as substr,
)
from .strings.string_numbers import string_to_number as string_to_number
from .strings.string_text import string_strip as string_strip
