"""The documents that describe the public functions, and how their examples are written down.

The four documents on tensor transformations are those of TensorFlow r0.5, r0.8 (in Korean), r0.11
and r0.12; the fifth describes `TensorShape`, as of 1.15. Where a document contradicts itself or
TensorFlow, TensorFlow's result is the truth, and a comment beside the row says what is printed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

ALL = "r0.5 r0.8 r0.11 r0.12"
SINCE_8 = "r0.8 r0.11 r0.12"
SINCE_11 = "r0.11 r0.12"
UNTIL_11 = "r0.5 r0.8 r0.11"


class Example(NamedTuple):
    """One example of a document.

    Args:
        function: whose section it stands in.
        documents: those that give it.
        call: the expression, in which `t` and the like are `inputs`, and functions are those of td.
        result: what it evaluates to: a value, or a tuple of values for a list of tensors. Numbers
            have the dtype that `td.constant` gives them; `(value, dtype)` says another. The class
            of an error, where the document says that it is one.
        inputs: the tensors that the call is about, by name.
    """

    function: str
    documents: str
    call: str
    result: Any
    inputs: dict[str, Any]

    @property
    def id(self) -> str:
        """The documents and the call."""
        return f"{self.documents.replace(' ', '+')}-{self.call}"


# Every function of r0.12, as its heading has it. `concat` stands there as `concat(*args, **kwargs)`
# with the arguments of r0.11, and a notice that it will change.
SIGNATURES = """
string_to_number(string_tensor, out_type=None, name=None)
to_double(x, name='ToDouble')
to_float(x, name='ToFloat')
to_bfloat16(x, name='ToBFloat16')
to_int32(x, name='ToInt32')
to_int64(x, name='ToInt64')
cast(x, dtype, name=None)
bitcast(input, type, name=None)
saturate_cast(value, dtype, name=None)
broadcast_dynamic_shape(shape_x, shape_y)
broadcast_static_shape(shape_x, shape_y)
shape(input, name=None, out_type=int32)
shape_n(input, out_type=None, name=None)
size(input, name=None, out_type=int32)
rank(input, name=None)
reshape(tensor, shape, name=None)
squeeze(input, axis=None, name=None, squeeze_dims=None)
expand_dims(input, axis=None, name=None, dim=None)
meshgrid(*args, **kwargs)
slice(input_, begin, size, name=None)
strided_slice(input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0,
    new_axis_mask=0, shrink_axis_mask=0, var=None, name=None)
split(value, num_or_size_splits, axis=0, num=None, name='split')
tile(input, multiples, name=None)
pad(tensor, paddings, mode='CONSTANT', name=None)
concat(*args, **kwargs)
concat_v2(values, axis, name='concat_v2')
stack(values, axis=0, name='stack')
empty(output_shape, dtype, init=False)
empty_like(value, init=None)
alias_inplace_update(value, loc, update)
alias_inplace_add(value, loc, update)
alias_inplace_subtract(value, loc, update)
parallel_stack(values, name='parallel_stack')
pack(values, axis=0, name='pack')
unstack(value, num=None, axis=0, name='unstack')
unpack(value, num=None, axis=0, name='unpack')
reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None,
    batch_dim=None)
reverse(tensor, axis, name=None)
reverse_v2(tensor, axis, name=None)
transpose(a, perm=None, name='transpose')
extract_image_patches(images, ksizes, strides, rates, padding, name=None)
space_to_batch_nd(input, block_shape, paddings, name=None)
space_to_batch(input, paddings, block_size, name=None)
required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None)
batch_to_space_nd(input, block_shape, crops, name=None)
batch_to_space(input, crops, block_size, name=None)
space_to_depth(input, block_size, name=None)
depth_to_space(input, block_size, name=None)
gather(params, indices, validate_indices=None, name=None)
gather_nd(params, indices, name=None)
unique_with_counts(x, out_idx=None, name=None)
scatter_nd(indices, updates, shape, name=None)
dynamic_partition(data, partitions, num_partitions, name=None)
dynamic_stitch(indices, data, name=None)
boolean_mask(tensor, mask, name='boolean_mask')
one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None)
sequence_mask(lengths, maxlen=None, dtype=bool, name=None)
dequantize(input, min_range, max_range, mode=None, name=None)
quantize_v2(input, min_range, max_range, T, mode=None, name=None)
quantized_concat(concat_dim, values, input_mins, input_maxes, name=None)
setdiff1d(x, y, index_dtype=int32, name=None)
fake_quant_with_min_max_args(inputs, min=None, max=None, name=None)
fake_quant_with_min_max_args_gradient(gradients, inputs, min=None, max=None, name=None)
fake_quant_with_min_max_vars(inputs, min, max, name=None)
fake_quant_with_min_max_vars_gradient(gradients, inputs, min, max, name=None)
fake_quant_with_min_max_vars_per_channel(inputs, min, max, name=None)
fake_quant_with_min_max_vars_per_channel_gradient(gradients, inputs, min, max, name=None)
"""
