"""The operators that users of TVM know take the same arguments, in the same order, by default the
same."""

import inspect

import pytest
from topi_cases import TABLE

BROADCAST = """\
add subtract multiply divide floor_divide mod floor_mod maximum minimum power left_shift right_shift
logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor greater less equal not_equal
greater_equal less_equal trunc_divide trunc_mod""".split()

ELEMENTWISE = """\
acos acosh asin asinh atan atanh cos cosh sin sinh tan tanh exp log log2 log10 sqrt erf sigmoid
rsqrt fast_exp fast_erf fast_tanh identity negative sign logical_not bitwise_not floor ceil trunc
round abs isnan isfinite isinf ceil_log2""".split()

REDUCTIONS = "sum min max prod all any".split()

POOL = "data, kernel, stride, dilation, padding, pool_type, ceil_mode=False, layout={!r}, " \
    "count_include_pad=True"  # fmt: skip

# Of more parameters than are listed here, the others follow, and have defaults.
SIGNATURES = {
    **dict.fromkeys(BROADCAST, "lhs, rhs"),
    **dict.fromkeys(ELEMENTWISE, "x"),
    **dict.fromkeys(REDUCTIONS, "data, axis=None, keepdims=False"),
    **dict.fromkeys(
        ("argmin", "argmax"), "data, axis=None, keepdims=False, select_last_index=False"
    ),
    "broadcast_to": "data, shape",
    "clip": "x, a_min, a_max",
    "cast": "x, dtype",
    "reinterpret": "x, dtype",
    "elemwise_sum": "xs",
    "full": "shape, dtype, fill_value",
    "full_like": "x, fill_value",
    "nn.relu": "x",
    "nn.leaky_relu": "x, alpha",
    "nn.prelu": "x, slope, axis=1",
    "nn.pad": "data, pad_before, pad_after=None, pad_value=0.0, name='PadInput', attrs=None",
    "nn.mirror_pad": "data, pad_before, pad_after=None, mode='SYMMETRIC'",
    "nn.space_to_batch_nd": "data, block_shape, pad_before, pad_after, pad_value=0.0",
    "nn.batch_to_space_nd": "data, block_shape, crop_begin_list, crop_end_list",
    "nn.nll_loss": "predictions, targets, weights, reduction, ignore_index",
    "nn.dense": "data, weight, bias=None, out_dtype=None",
    "nn.bias_add": "data, bias, axis=1",
    "nn.dilate": "data, strides, dilation_value=0.0",
    "nn.flatten": "data",
    "nn.scale_shift_nchw": "Input, Scale, Shift",
    "nn.scale_shift_nhwc": "Input, Scale, Shift",
    "nn.scale_shift_nchwc": "Input, Scale, Shift",
    "nn.pool1d": POOL.format("NCW"),
    "nn.pool2d": POOL.format("NCHW"),
    "nn.pool3d": POOL.format("NCDHW"),
    "nn.pool_grad": "grads, data, kernel, stride, padding, pool_type, ceil_mode=False, "
    "layout='NCHW', count_include_pad=True",
    "nn.global_pool": "data, pool_type, layout='NCHW'",
    "nn.adaptive_pool": "data, output_size, pool_type, layout='NCHW'",
    "nn.adaptive_pool1d": "data, output_size, pool_type, layout='NCW'",
    "nn.adaptive_pool3d": "data, output_size, pool_type, layout='NCDHW'",
    "nn.softmax": "x, axis=-1",
    "nn.log_softmax": "x, axis=-1",
    "nn.fast_softmax": "x, axis=-1",
    "nn.lrn": "data, size, axis=1, alpha=0.0001, beta=0.75, bias=2",
    "nn.binarize_pack": "data, axis=1, name='PackedInput'",
    "nn.binary_dense": "data, weight",
    "fixed_point_multiply": "x, multiplier, shift",
    "expand_dims": "a, axis, num_newaxis=1",
    "expand_like": "a, shape_like, axis",
    "transpose": "a, axes=None",
    "flip": "a, axis=0",
    "reverse_sequence": "a, seq_lengths, seq_axis=1, batch_axis=0",
    "strided_slice": "a, begin, end, strides=None, axes=None, slice_mode='end'",
    "strided_set": "a, v, begin, end, strides=None",
    "reshape": "a, newshape",
    "squeeze": "a, axis=None",
    "concatenate": "a_tuple, axis=0",
    "stack": "tensors, axis=0",
    "split": "ary, indices_or_sections, axis=0",
    "take": "a, indices, axis=None, batch_dims=0, mode='clip'",
    "gather": "data, axis, indices",
    "gather_nd": "a, indices",
    "matmul": "a, b, transp_a=False, transp_b=False",
    "tensordot": "a, b, axes",
    "arange": "start, stop=None, step=1, dtype='float32'",
    "meshgrid": "a_tuple, indexing",
    "repeat": "a, repeats, axis",
    "tile": "a, reps",
    "layout_transform": "array, src_layout, dst_layout",
    "shape": "array, dtype='int32'",
    "ndarray_size": "array, dtype='int32'",
    "sequence_mask": "data, valid_length, mask_value=0, axis=0",
    "where": "condition, x, y",
    "one_hot": "indices, on_value, off_value, depth, axis, dtype",
    "unravel_index": "indices, shape",
    "sparse_to_dense": "sparse_indices, output_shape, sparse_values, default_value=0",
    "matrix_set_diag": "data, diagonal, k=0, align='RIGHT_LEFT'",
    "adv_index": "data, indices",
    "invert_permutation": "data",
    "sliding_window": "data, axis, window_shape, strides",
    "nn.matmul": "tensor_a, tensor_b, bias=None, out_dtype=None, transpose_a=False, "
    "transpose_b=False",
    "nn.batch_matmul": "tensor_a, tensor_b, oshape=None, out_dtype=None, transpose_a=False, "
    "transpose_b=True",
    "nn.dense_pack": "data, weight, bias=None, out_dtype=None",
    "nn.conv": "inp, filt, stride, padding, dilation, groups, order",
    "nn.conv1d": "data, kernel, strides=1, padding='VALID', dilation=1, data_layout='NCW', "
    "kernel_layout='', out_dtype=None",
    "nn.conv1d_ncw": "data, kernel, strides=1, padding='VALID', dilation=1, out_dtype=None",
    "nn.conv1d_nwc": "data, kernel, strides=1, padding='VALID', dilation=1, out_dtype=None",
    "nn.group_conv1d_ncw": "data, kernel, strides=1, padding='VALID', dilation=1, groups=1, "
    "out_dtype=None",
    "nn.conv2d": "input, filter, strides, padding, dilation, data_layout='NCHW', kernel_layout='', "
    "out_dtype=None",
    "nn.conv2d_nchw": "Input, Filter, stride, padding, dilation, out_dtype=None",
    "nn.conv2d_nhwc": "Input, Filter, stride, padding, dilation, out_dtype=None",
    "nn.conv2d_hwcn": "Input, Filter, stride, padding, dilation, out_dtype=None",
    "nn.conv2d_NCHWc": "data, kernel, stride, padding, dilation, layout='NCHWc', "
    "out_layout='NCHWc', out_dtype=None",
    "nn.group_conv2d_nchw": "Input, Filter, stride, padding, dilation, groups, out_dtype=None",
    "nn.depthwise_conv2d_nchw": "Input, Filter, stride, padding, dilation, out_dtype=None",
    "nn.depthwise_conv2d_nhwc": "Input, Filter, stride, padding, dilation, out_dtype=None",
    "nn.depthwise_conv2d_backward_input_nhwc": "Filter, Out_grad, oshape, ishape, stride, padding",
    "nn.depthwise_conv2d_backward_weight_nhwc": "Input, Out_grad, oshape, fshape, stride, padding",
    "nn.conv3d_ncdhw": "Input, Filter, stride, padding, dilation, groups=1, out_dtype=None",
    "nn.conv3d_ndhwc": "Input, Filter, stride, padding, dilation, groups=1, out_dtype=None",
    "nn.conv1d_transpose_ncw": "data, kernel, stride, padding, out_dtype, output_padding",
    "nn.conv2d_transpose_nchw": "Input, Filter, strides, padding, out_dtype, output_padding",
    "nn.conv3d_transpose_ncdhw": "Input, Filter, strides, padding, out_dtype, output_padding",
    "nn.group_conv2d_transpose_nchw": "data, kernel, stride, padding, out_dtype, output_padding, "
    "groups",
    "nn.batch_norm": "data, gamma, beta, moving_mean, moving_var, axis=None, epsilon=None, "
    "center=None, scale=None",
    "nn.upsampling": "data, scale_h, scale_w, layout='NCHW', method='nearest_neighbor', "
    "align_corners=False, output_shape=None",
    "nn.depth_to_space": "data, block_size, layout='NCHW', mode='DCR'",
    "nn.space_to_depth": "data, block_size, layout='NCHW'",
    "nn.fifo_buffer": "data, buffer, axis",
    "image.resize2d": "data, roi, size, layout='NCHW', method='linear', "
    "coordinate_transformation_mode='half_pixel', rounding_method='', bicubic_alpha=-0.5, "
    "bicubic_exclude=0, extrapolation_value=0.0, out_dtype=None",
    "image.crop_and_resize": "data, boxes, box_indices, crop_size, layout='NCHW', "
    "method='bilinear', extrapolation_value=None, out_dtype=None",
    "image.affine_grid": "data, target_shape",
    "image.grid_sample": "data, grid, method='bilinear', layout='NCHW', padding_mode='zeros', "
    "align_corners=True",
    "sort": "data, axis=-1, is_ascend=1",
    "argsort": "data, valid_count=None, axis=-1, is_ascend=1, dtype='float32'",
    "topk": "data, k=1, axis=-1, ret_type='both', is_ascend=False, dtype='int64'",
    "searchsorted": "sorted_sequence, values, right=False, out_dtype='int64'",
    "unique": "data, is_sorted=True, return_counts=False",
    "cumsum": "data, axis=None, dtype=None, exclusive=None",
    "cumprod": "data, axis=None, dtype=None, exclusive=None",
    "argwhere": "condition",
    "scatter": "data, indices, updates, axis=0",
    "scatter_add": "data, indices, updates, axis=0",
    "scatter_nd": "data, indices, updates, mode='update'",
    "einsum": "subscripts, *operands",
    "vision.non_max_suppression": "data, valid_count, indices, max_output_size=-1, "
    "iou_threshold=0.5, force_suppress=False, top_k=-1, coord_start=2, score_index=1, id_index=0, "
    "return_indices=True, invalid_to_bottom=False",
    "vision.get_valid_counts": "data, score_threshold=0, id_index=0, score_index=1",
    "vision.multibox_prior": "data, sizes=(1,), ratios=(1,), steps=(-1, -1), offsets=(0.5, 0.5), "
    "clip=False",
    "signal.dft": "re_data, im_data, inverse",
    "signal.stft": "data, n_fft, hop_length, win_length, window, normalized, onesided, "
    "output_shape",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(name: str):
    given = []
    for parameter in inspect.signature(TABLE[name].function).parameters.values():
        star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        given.append(f"{star}{parameter.name}{default}")
    rest = ", ".join(given)[len(SIGNATURES[name]) :]
    assert ", ".join(given).startswith(SIGNATURES[name]), given
    assert all("=" in parameter for parameter in rest.split(", ") if parameter not in ("", "*")), (
        rest
    )
