"""What is public of the ops on state and of what programs do with them: variables, checks, loops."""

from __future__ import annotations

from .control_flow.conditionals import (
    case as case,
    cond as cond,
)
from .control_flow.loops import (
    foldl as foldl,
    foldr as foldr,
    map_fn as map_fn,
    scan as scan,
    while_loop as while_loop,
)
from .effects.assertions import (
    Assert as Assert,
    Print as Print,
    check_numerics as check_numerics,
)
from .effects.callbacks import (
    load_op_library as load_op_library,
    py_func as py_func,
)
from .effects.numeric_checks import (
    assert_near as assert_near,
    assert_same_float_dtype as assert_same_float_dtype,
    verify_tensor_all_finite as verify_tensor_all_finite,
)
from .effects.shape_checks import (
    assert_integer as assert_integer,
    assert_proper_iterable as assert_proper_iterable,
    assert_rank as assert_rank,
    assert_rank_at_least as assert_rank_at_least,
    assert_rank_in as assert_rank_in,
    assert_scalar as assert_scalar,
    assert_type as assert_type,
    is_non_decreasing as is_non_decreasing,
    is_numeric_tensor as is_numeric_tensor,
    is_strictly_increasing as is_strictly_increasing,
)
from .effects.value_checks import (
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_greater_equal as assert_greater_equal,
    assert_less as assert_less,
    assert_less_equal as assert_less_equal,
    assert_negative as assert_negative,
    assert_non_negative as assert_non_negative,
    assert_non_positive as assert_non_positive,
    assert_none_equal as assert_none_equal,
    assert_positive as assert_positive,
)
from .variables import (
    checkpoint_ops as _checkpoint_files,
    imported_variable as _imported_variable,
    reference_variables as _state,
    resource_variables as _resource_variables,
    saver as _saver,
    scatter_updates as _scatter_updates,
    variable_operators as _variable_operators,
)
from .variables.get_variable import (
    get_local_variable as get_local_variable,
    get_variable as get_variable,
)
from .variables.initializers import (
    constant_initializer as constant_initializer,
    ones_initializer as ones_initializer,
    random_normal_initializer as random_normal_initializer,
    random_uniform_initializer as random_uniform_initializer,
    truncated_normal_initializer as truncated_normal_initializer,
    zeros_initializer as zeros_initializer,
)
from .variables.moving_averages import moving_average_variables as moving_average_variables
from .variables.partitioners import (
    fixed_size_partitioner as fixed_size_partitioner,
    min_max_variable_partitioner as min_max_variable_partitioner,
    variable_axis_size_partitioner as variable_axis_size_partitioner,
)
from .variables.scaling_initializers import (
    glorot_normal_initializer as glorot_normal_initializer,
    glorot_uniform_initializer as glorot_uniform_initializer,
    orthogonal_initializer as orthogonal_initializer,
    uniform_unit_scaling_initializer as uniform_unit_scaling_initializer,
    variance_scaling_initializer as variance_scaling_initializer,
)
from .variables.template import make_template as make_template
from .variables.variable import Variable as Variable
from .variables.variable_getters import no_regularizer as no_regularizer
from .variables.variable_kinds import (
    disable_resource_variables as disable_resource_variables,
    enable_resource_variables as enable_resource_variables,
    resource_variables_enabled as resource_variables_enabled,
)
from .variables.variable_scatters import (
    scatter_add as scatter_add,
    scatter_div as scatter_div,
    scatter_max as scatter_max,
    scatter_min as scatter_min,
    scatter_mul as scatter_mul,
    scatter_nd_add as scatter_nd_add,
    scatter_nd_sub as scatter_nd_sub,
    scatter_nd_update as scatter_nd_update,
    scatter_sub as scatter_sub,
    scatter_update as scatter_update,
)
from .variables.variable_scope import (
    VariableScope as VariableScope,
    get_variable_scope as get_variable_scope,
    variable_op_scope as variable_op_scope,
    variable_scope as variable_scope,
)
from .variables.variable_store import AUTO_REUSE as AUTO_REUSE
from .variables.variable_updates import (
    assign as assign,
    assign_add as assign_add,
    assign_sub as assign_sub,
    count_up_to as count_up_to,
    is_variable_initialized as is_variable_initialized,
)
from .variables.variables import (
    all_variables as all_variables,
    assert_variables_initialized as assert_variables_initialized,
    global_variables as global_variables,
    global_variables_initializer as global_variables_initializer,
    initialize_all_variables as initialize_all_variables,
    initialize_local_variables as initialize_local_variables,
    initialize_variables as initialize_variables,
    local_variables as local_variables,
    local_variables_initializer as local_variables_initializer,
    model_variables as model_variables,
    report_uninitialized_variables as report_uninitialized_variables,
    trainable_variables as trainable_variables,
    variables_initializer as variables_initializer,
)
