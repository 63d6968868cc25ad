"""Mathematical functions, under the names of `tf.math`: `td.math`."""

from __future__ import annotations

from ..graph.surface.absent import missing as _missing
from ..graph.surface.namespace import public_names as _public_names
from ..ops.array.array_forms import scalar_mul as scalar_mul
from ..ops.array.transposing import invert_permutation as invert_permutation
from ..ops.effects.shape_checks import (
    is_non_decreasing as is_non_decreasing,
    is_strictly_increasing as is_strictly_increasing,
)
from ..ops.math import division as _division
from ..ops.math.add_n import (
    accumulate_n as accumulate_n,
    add_n as add_n,
)
from ..ops.math.along_axis import (
    argmax as argmax,
    argmin as argmin,
    cumprod as cumprod,
    cumsum as cumsum,
    cumulative_logsumexp as cumulative_logsumexp,
)
from ..ops.math.arithmetic import (
    abs as abs,
    add as add,
    ceil as ceil,
    floor as floor,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    nextafter as nextafter,
    pow as pow,
    reciprocal as reciprocal,
    rint as rint,
    round as round,
    sign as sign,
    square as square,
    squared_difference as squared_difference,
    subtract as subtract,
)
from ..ops.math.comparison import (
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
from ..ops.math.division import (
    divide as divide,
    floordiv as floordiv,
    floormod as floormod,
    mod as mod,
    multiply_no_nan as multiply_no_nan,
    reciprocal_no_nan as reciprocal_no_nan,
    truediv as truediv,
    xdivy as xdivy,
)
from ..ops.math.exponentials import (
    acos as acos,
    acosh as acosh,
    angle as angle,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
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
from ..ops.math.reductions import (
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
from ..ops.math.segments import (
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
from ..ops.nn.activations import (
    log_softmax as log_softmax,
    softmax as softmax,
    softplus as softplus,
    softsign as softsign,
)
from ..ops.nn.composed_activations import log_sigmoid as log_sigmoid
from ..ops.sorting.top_k import (
    in_top_k as in_top_k,
    top_k as top_k,
)
from ..ops.special.bessel import (
    bessel_i0 as bessel_i0,
    bessel_i0e as bessel_i0e,
    bessel_i1 as bessel_i1,
    bessel_i1e as bessel_i1e,
)
from ..ops.special.beta import (
    betainc as betainc,
    lbeta as lbeta,
)
from ..ops.special.error_functions import (
    erf as erf,
    erfc as erfc,
    erfcinv as erfcinv,
    erfinv as erfinv,
    ndtri as ndtri,
)
from ..ops.special.gamma_functions import (
    digamma as digamma,
    lgamma as lgamma,
)
from ..ops.special.incomplete_gamma import (
    igamma as igamma,
    igammac as igammac,
)
from ..ops.special.zeta import (
    polygamma as polygamma,
    zeta as zeta,
)
from ..ops.statistics.bincount import bincount as bincount
from ..ops.statistics.count_nonzero import (
    confusion_matrix as confusion_matrix,
    count_nonzero as count_nonzero,
    zero_fraction as zero_fraction,
)
from ..ops.statistics.norms import l2_normalize as l2_normalize
from ..ops.statistics.polyval import polyval as polyval
from ..ops.statistics.segment_means import (
    unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
)
from ..ops.statistics.variances import (
    reduce_std as reduce_std,
    reduce_variance as reduce_variance,
)

divide_no_nan = _division.div_no_nan


def __getattr__(name: str) -> object:
    raise _missing(__name__, name)


def __dir__() -> list[str]:
    return _public_names(globals())
