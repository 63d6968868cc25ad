"""Every public op function, by family; importing this fills the registry of op types."""

from __future__ import annotations

from . import (
    bitwise as bitwise,
    indexed_slices as _indexed_slices,
    overloads as _overloads,
    quantized_nn as _quantized_nn,
    requantization as _requantization,
)
from .add_n import (
    accumulate_n as accumulate_n,
    add_n as add_n,
)
from .along_axis import (
    argmax as argmax,
    argmin as argmin,
    cumprod as cumprod,
    cumsum as cumsum,
)
from .arithmetic import (
    abs as abs,
    add as add,
    ceil as ceil,
    floor as floor,
    maximum as maximum,
    minimum as minimum,
    mul as mul,
    multiply as multiply,
    neg as neg,
    negative as negative,
    nextafter as nextafter,
    pow as pow,
    reciprocal as reciprocal,
    rint as rint,
    round as round,
    sign as sign,
    square as square,
    squared_difference as squared_difference,
    sub as sub,
    subtract as subtract,
)
from .array_forms import (
    concat_offset as concat_offset,
    matrix_transpose as matrix_transpose,
    scalar_mul as scalar_mul,
)
from .base64 import (
    decode_base64 as decode_base64,
    encode_base64 as encode_base64,
)
from .bitcasting import bitcast as bitcast
from .blocks import (
    batch_to_space as batch_to_space,
    batch_to_space_nd as batch_to_space_nd,
    required_space_to_batch_paddings as required_space_to_batch_paddings,
    space_to_batch as space_to_batch,
    space_to_batch_nd as space_to_batch_nd,
)
from .broadcasting import (
    broadcast_dynamic_shape as broadcast_dynamic_shape,
    broadcast_static_shape as broadcast_static_shape,
    broadcast_to as broadcast_to,
    meshgrid as meshgrid,
)
from .casting import (
    cast as cast,
    saturate_cast as saturate_cast,
    to_bfloat16 as to_bfloat16,
    to_double as to_double,
    to_float as to_float,
    to_int32 as to_int32,
    to_int64 as to_int64,
)
from .comparison import (
    approximate_equal as approximate_equal,
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    not_equal as not_equal,
)
from .constants import (
    constant as constant,
    identity as identity,
    placeholder as placeholder,
    placeholder_with_default as placeholder_with_default,
)
from .control import (
    group as group,
    no_op as no_op,
    tuple as tuple,
    with_dependencies as with_dependencies,
)
from .counting import bincount as bincount
from .depth import (
    depth_to_space as depth_to_space,
    space_to_depth as space_to_depth,
)
from .diagonals import (
    diag as diag,
    diag_part as diag_part,
    matrix_band_part as matrix_band_part,
)
from .division import (
    div as div,
    div_no_nan as div_no_nan,
    divide as divide,
    floor_div as floor_div,
    floordiv as floordiv,
    floormod as floormod,
    mod as mod,
    multiply_no_nan as multiply_no_nan,
    realdiv as realdiv,
    truediv as truediv,
    truncatediv as truncatediv,
    truncatemod as truncatemod,
    xdivy as xdivy,
)
from .einsum import einsum as einsum
from .fake_quantization import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from .fills import (
    fill as fill,
    ones as ones,
    ones_like as ones_like,
    zeros as zeros,
    zeros_like as zeros_like,
)
from .gathering import gather as gather
from .indexing import (
    gather_nd as gather_nd,
    scatter_nd as scatter_nd,
)
from .inplace import (
    alias_inplace_add as alias_inplace_add,
    alias_inplace_subtract as alias_inplace_subtract,
    alias_inplace_update as alias_inplace_update,
    empty as empty,
    empty_like as empty_like,
)
from .joining import (
    concat as concat,
    concat_v2 as concat_v2,
)
from .linalg import (
    cross as cross,
    matmul as matmul,
)
from .masks import (
    boolean_mask as boolean_mask,
    sequence_mask as sequence_mask,
)
from .mathematics import (
    acos as acos,
    acosh as acosh,
    angle as angle,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    complex as complex,
    conj as conj,
    cos as cos,
    cosh as cosh,
    exp as exp,
    expm1 as expm1,
    imag as imag,
    log as log,
    log1p as log1p,
    real as real,
    rsqrt as rsqrt,
    sigmoid as sigmoid,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    tan as tan,
    tanh as tanh,
    xlog1py as xlog1py,
    xlogy as xlogy,
)
from .matrix_diagonals import (
    matrix_diag as matrix_diag,
    matrix_diag_part as matrix_diag_part,
    matrix_set_diag as matrix_set_diag,
)
from .one_hot import one_hot as one_hot
from .padding import (
    pad as pad,
    tile as tile,
)
from .partitioning import (
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
)
from .patches import extract_image_patches as extract_image_patches
from .quantization import (
    dequantize as dequantize,
    quantize_v2 as quantize_v2,
)
from .quantized_concat import quantized_concat as quantized_concat
from .random import (
    multinomial as multinomial,
    random_normal as random_normal,
    random_shuffle as random_shuffle,
    random_uniform as random_uniform,
    truncated_normal as truncated_normal,
)
from .ranges import (
    lin_space as lin_space,
    linspace as linspace,
    range as range,
)
from .reductions import (
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_euclidean_norm as reduce_euclidean_norm,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)
from .reordering import transpose as transpose
from .reshaping import reshape as reshape
from .reversing import (
    reverse as reverse,
    reverse_sequence as reverse_sequence,
    reverse_v2 as reverse_v2,
)
from .segments import (
    segment_max as segment_max,
    segment_mean as segment_mean,
    segment_min as segment_min,
    segment_prod as segment_prod,
    segment_sum as segment_sum,
    unsorted_segment_max as unsorted_segment_max,
    unsorted_segment_min as unsorted_segment_min,
    unsorted_segment_prod as unsorted_segment_prod,
    unsorted_segment_sum as unsorted_segment_sum,
)
from .select import (
    clip_by_value as clip_by_value,
    select as select,
    where as where,
    where_v2 as where_v2,
)
from .sets import (
    listdiff as listdiff,
    setdiff1d as setdiff1d,
    unique as unique,
    unique_with_counts as unique_with_counts,
)
from .shapes import (
    rank as rank,
    shape as shape,
    shape_n as shape_n,
    size as size,
)
from .shaping import (
    ensure_shape as ensure_shape,
    expand_dims as expand_dims,
    squeeze as squeeze,
)
from .slicing import (
    slice as slice,
    strided_slice as strided_slice,
)
from .sparse_placeholder import sparse_placeholder as sparse_placeholder
from .special import (
    digamma as digamma,
    erf as erf,
    erfc as erfc,
    igamma as igamma,
    igammac as igammac,
    lgamma as lgamma,
)
from .splitting import split as split
from .stacking import (
    pack as pack,
    parallel_stack as parallel_stack,
    stack as stack,
    unpack as unpack,
    unstack as unstack,
)
from .string_forms import as_string as as_string
from .string_numbers import string_to_number as string_to_number
from .strings import (
    reduce_join as reduce_join,
    string_join as string_join,
    string_split as string_split,
    substr as substr,
)
