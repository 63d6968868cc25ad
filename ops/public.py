"""Every public op function, by family; importing this fills the registry of op types."""

from __future__ import annotations

from . import (
    overloads as _overloads,
)
from .array import (
    mirror_pad_gradient as _mirror_pad_gradient,
    size_tensors as _size_tensors,
)
from .array.array_forms import (
    concat_offset as concat_offset,
    matrix_transpose as matrix_transpose,
    scalar_mul as scalar_mul,
)
from .array.bitcasting import bitcast as bitcast
from .array.broadcasting import (
    broadcast_dynamic_shape as broadcast_dynamic_shape,
    broadcast_static_shape as broadcast_static_shape,
    broadcast_to as broadcast_to,
    meshgrid as meshgrid,
)
from .array.casting import (
    cast as cast,
    saturate_cast as saturate_cast,
    to_bfloat16 as to_bfloat16,
    to_complex64 as to_complex64,
    to_complex128 as to_complex128,
    to_double as to_double,
    to_float as to_float,
    to_int32 as to_int32,
    to_int64 as to_int64,
)
from .array.constants import (
    constant as constant,
    identity as identity,
    identity_n as identity_n,
    placeholder as placeholder,
    placeholder_with_default as placeholder_with_default,
    stop_gradient as stop_gradient,
)
from .array.depth_to_space import (
    depth_to_space as depth_to_space,
    space_to_depth as space_to_depth,
)
from .array.diagonals import (
    diag as diag,
    diag_part as diag_part,
    matrix_band_part as matrix_band_part,
)
from .array.fills import (
    fill as fill,
    ones as ones,
    ones_like as ones_like,
    zeros as zeros,
    zeros_like as zeros_like,
)
from .array.joining import (
    concat as concat,
    concat_v2 as concat_v2,
)
from .array.matrix_diagonals import (
    matrix_diag as matrix_diag,
    matrix_diag_part as matrix_diag_part,
    matrix_set_diag as matrix_set_diag,
)
from .array.padding import (
    pad as pad,
    tile as tile,
)
from .array.ranges import (
    lin_space as lin_space,
    linspace as linspace,
    range as range,
)
from .array.reshaping import reshape as reshape
from .array.reversing import (
    reverse as reverse,
    reverse_sequence as reverse_sequence,
    reverse_v2 as reverse_v2,
)
from .array.rolling import roll as roll
from .array.shapes import (
    rank as rank,
    shape as shape,
    shape_n as shape_n,
    size as size,
)
from .array.space_to_batch import (
    batch_to_space as batch_to_space,
    batch_to_space_nd as batch_to_space_nd,
    required_space_to_batch_paddings as required_space_to_batch_paddings,
    space_to_batch as space_to_batch,
    space_to_batch_nd as space_to_batch_nd,
)
from .array.splitting import split as split
from .array.squeezing import (
    ensure_shape as ensure_shape,
    expand_dims as expand_dims,
    squeeze as squeeze,
)
from .array.stacking import (
    pack as pack,
    parallel_stack as parallel_stack,
    stack as stack,
    unpack as unpack,
    unstack as unstack,
)
from .array.transposing import (
    invert_permutation as invert_permutation,
    transpose as transpose,
)
from .effects.ordering import (
    group as group,
    no_op as no_op,
    tuple as tuple,
    with_dependencies as with_dependencies,
)
from .indexing import (
    indexed_slices_to_dense as _indexed_slices,
    strided_slice_gradient as _strided_slice_gradient,
)
from .indexing.gather_nd import (
    gather_nd as gather_nd,
    scatter_nd as scatter_nd,
)
from .indexing.gathering import gather as gather
from .indexing.inplace_updates import (
    alias_inplace_add as alias_inplace_add,
    alias_inplace_subtract as alias_inplace_subtract,
    alias_inplace_update as alias_inplace_update,
    empty as empty,
    empty_like as empty_like,
)
from .indexing.masks import (
    boolean_mask as boolean_mask,
    sequence_mask as sequence_mask,
)
from .indexing.one_hot import one_hot as one_hot
from .indexing.partitioning import (
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
)
from .indexing.slicing import (
    slice as slice,
    strided_slice as strided_slice,
)
from .linalg.decompositions import (
    qr as qr,
    self_adjoint_eig as self_adjoint_eig,
    self_adjoint_eigvals as self_adjoint_eigvals,
    svd as svd,
)
from .linalg.einsum import einsum as einsum
from .linalg.linear_systems import (
    cholesky_solve as cholesky_solve,
    matrix_solve as matrix_solve,
    matrix_solve_ls as matrix_solve_ls,
    matrix_triangular_solve as matrix_triangular_solve,
)
from .linalg.matmul import (
    cross as cross,
    matmul as matmul,
    sparse_matmul as sparse_matmul,
)
from .linalg.matrix_functions import (
    eye as eye,
    norm as norm,
    tensordot as tensordot,
    trace as trace,
)
from .linalg.square_matrices import (
    cholesky as cholesky,
    matrix_determinant as matrix_determinant,
    matrix_inverse as matrix_inverse,
)
from .math import (
    bitwise as _bitwise,
    elementwise_gradients as _elementwise_gradients,
)
from .math.add_n import (
    accumulate_n as accumulate_n,
    add_n as add_n,
)
from .math.along_axis import (
    arg_max as arg_max,
    arg_min as arg_min,
    argmax as argmax,
    argmin as argmin,
    cumprod as cumprod,
    cumsum as cumsum,
)
from .math.arithmetic import (
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
from .math.comparison import (
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
from .math.division import (
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
from .math.exponentials import (
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
from .math.reductions import (
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
from .math.segments import (
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
from .math.select import (
    clip_by_value as clip_by_value,
    select as select,
    where as where,
    where_v2 as where_v2,
)
from .nn.composed_activations import log_sigmoid as log_sigmoid
from .quantized import (
    quantized_nn as _quantized_nn,
    requantization as _requantization,
)
from .quantized.fake_quantization import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from .quantized.quantization import (
    dequantize as dequantize,
    quantize_v2 as quantize_v2,
)
from .quantized.quantized_concat import quantized_concat as quantized_concat
from .sorting.sorting import (
    argsort as argsort,
    searchsorted as searchsorted,
    sort as sort,
)
from .sorting.unique import (
    listdiff as listdiff,
    setdiff1d as setdiff1d,
    unique as unique,
    unique_with_counts as unique_with_counts,
)
from .special import (
    bessel as _bessel,
)
from .special.beta import (
    betainc as betainc,
    lbeta as lbeta,
)
from .special.error_functions import (
    erf as erf,
    erfc as erfc,
)
from .special.gamma_functions import (
    digamma as digamma,
    lgamma as lgamma,
)
from .special.incomplete_gamma import (
    igamma as igamma,
    igammac as igammac,
)
from .special.zeta import (
    polygamma as polygamma,
    zeta as zeta,
)
from .statistics.bincount import bincount as bincount
from .statistics.clipping import (
    clip_by_average_norm as clip_by_average_norm,
    clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm,
    global_norm as global_norm,
)
from .statistics.count_nonzero import (
    confusion_matrix as confusion_matrix,
    count_nonzero as count_nonzero,
)
from .statistics.histograms import (
    histogram_fixed_width as histogram_fixed_width,
    histogram_fixed_width_bins as histogram_fixed_width_bins,
)
from .statistics.segment_means import (
    sparse_segment_mean as sparse_segment_mean,
    sparse_segment_sqrt_n as sparse_segment_sqrt_n,
    sparse_segment_sum as sparse_segment_sum,
    unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
)
from .windows.patches import extract_image_patches as extract_image_patches
