"""Refusals of topi: the code, the whole text, and the user's line."""

import importlib
from pathlib import Path

import pytest

from kc import te, topi
from kc.error import KCError


def T(*shape, dtype="float32", name="A"):
    return te.placeholder(shape, dtype, name)


# A call -> its diagnostic, without the line that shows the place.
REFUSED = {
    "topi.exp(3.0)": """\
error[KC2300]: topi.exp: x is 3.0, not a tensor
  why: operators of topi take tensors of te
  try: te.placeholder((2, 3)), or the result of another operator""",
    "topi.elemwise_sum([])": """\
error[KC2300]: topi.elemwise_sum: xs is []
  why: it must be a list of one or more tensors
  try: topi.elemwise_sum(..., xs=[A, B])""",
    "topi.logical_and(T(3), T(3))": """\
error[KC2301]: topi.logical_and: lhs A has elements of type float32
  why: it takes bool
  try: topi.cast(A, "bool")""",
    'topi.exp(T(3, dtype="int32"))': """\
error[KC2301]: topi.exp: x A has elements of type int32
  why: it takes float16, bfloat16, float8_e4m3fn, float8_e5m2, float32, float64
  try: topi.cast(A, "float32")""",
    'topi.left_shift(T(3), T(3, dtype="int32"))': """\
error[KC2301]: topi.left_shift: lhs A has elements of type float32
  why: it takes int8, int16, int32, int64, uint8, uint16, uint32, uint64
  try: topi.cast(A, "int8")""",
    "topi.add(T(4, 3), T(4, name='B'))": """\
error[KC2174]: A of the shape (4, 3) and B of the shape (4,) in one operation
  why: 3 and 4 are neither equal, nor is one of them 1
  try: te.compute can combine other elements""",
    "topi.power(T(3, dtype='int32'), -2)": """\
error[KC2317]: int32 to the power of -2
  why: powers of integers have exponents of at least 0
  try: convert: x.astype("float32")""",
    "topi.broadcast_to(T(3, 2), (3, 4))": """\
error[KC2303]: topi.broadcast_to: A of the shape (3, 2) to the shape (3, 4)
  why: aligned at the right, each dimension must be 1 or that of the result""",
    "topi.elemwise_sum([T(3), T(4, name='B')])": """\
error[KC2303]: topi.elemwise_sum: A of the shape (3,) and B of the shape (4,)
  why: the shapes must be equal
  try: elemwise_sum adds element by element, without broadcasting""",
    "topi.sum(T(4, 3), 2)": """\
error[KC2304]: topi.sum: axis 2 of a tensor with 2 dimensions
  why: axes are -2 to 1""",
    "topi.max(T(4, 3), (0, -3))": """\
error[KC2304]: topi.max: axis -3 of a tensor with 2 dimensions
  why: axes are -2 to 1""",
    "topi.sum(T(4, 3), 0.5)": """\
error[KC2313]: topi.sum: axis is 0.5
  why: it must be an integer that is known when the program is built""",
    "topi.nn.layer_norm(T(4, 3), axis=(1, -1))": """\
error[KC2305]: topi.nn.layer_norm: axis 1 is given twice in (1, -1)
  why: each axis may be listed once; negative axes count from the end""",
    'topi.sum(T(4, 3), 0, "float32")': """\
error[KC2319]: topi.sum: keepdims is 'float32'
  why: it must be True or False
  try: topi.sum(..., keepdims=False)""",
    'topi.nn.pool2d(T(1, 3, 8, 8), 2, 2, 1, 0, "max", "NCHW")': """\
error[KC2319]: topi.nn.pool2d: ceil_mode is 'NCHW'
  why: it must be True or False
  try: topi.nn.pool2d(..., ceil_mode=False)""",
    "topi.clip(T(4, 3), None, 1)": """\
error[KC2319]: topi.clip: a_min is None
  why: it must be a number or a scalar expression""",
    "topi.nn.celu(T(4, 3), 0)": """\
error[KC2317]: topi.nn.celu: alpha is 0
  why: alpha must not be 0, because elements are divided by it""",
    "topi.nn.elu(T(4, 3), [1.0])": """\
error[KC2319]: topi.nn.elu: alpha is [1.0]
  why: it must be a number or a scalar expression
  try: topi.nn.elu(..., alpha=1.0)""",
    "topi.strided_slice(T(4, 3), None, [2])": """\
error[KC2319]: topi.strided_slice: begin is None
  why: it must be a list of numbers""",
    "topi.nn.rms_norm(T(4, 3), epsilon=T())": """\
error[KC2319]: topi.nn.rms_norm: epsilon is Tensor(shape=...32, op.name=A)
  why: it must be a number that is known when the program is built
  try: topi.nn.rms_norm(..., epsilon=1e-05)""",
    "topi.scanop(T(4), lambda a: a, 0, 'one')": """\
error[KC2321]: topi.scanop: binop cannot be called with 2 arguments
  why: TypeError: <lambda>() takes 1 positional argument but 2 were given""",
    "topi.adv_index(T(4), T(2, dtype='int32'))": """\
error[KC2300]: topi.adv_index: indices is Tensor(shape=...32, op.name=A)
  why: it must be a list of one or more tensors
  try: topi.adv_index(..., indices=[A, B])""",
    "topi.nn.attention(T(1, 2, 9, 8), T(1, 2, 9, 8), T(1, 2, 9, 8), mask=3)": """\
error[KC2300]: topi.nn.attention: mask is 3, not a tensor
  why: operators of topi take tensors of te
  try: te.placeholder((2, 3)), or the result of another operator""",
    "topi.nn.lstm(T(3, 2, 4), T(20, 4), T(20, 5), f_act='relu')": """\
error[KC2300]: topi.nn.lstm: f_act is 'relu'
  why: it must be an operator, or None
  try: topi.nn.lstm(..., f_act=topi.tanh)""",
    "topi.nn.lstm(T(3, 2, 4), T(20, 4), T(20, 5), proj=T())": """\
error[KC2302]: topi.nn.lstm: proj A of the shape () has 0 dimensions
  why: 2 dimensions are expected""",
    "topi.transpose(T(2, 3), 'NC')": """\
error[KC2319]: topi.transpose: axes is 'NC'
  why: it must be a list of numbers, or None""",
    "topi.matrix_set_diag(T(3, 3), T(3), ())": """\
error[KC2311]: topi.matrix_set_diag: k has 0 numbers: ()
  why: it must be an integer, or a list of 2 integers""",
    "topi.expand_dims(T(2), 0, 2**40)": """\
error[KC2317]: topi.expand_dims: num_newaxis is 1099511627776
  why: an array can have at most 64 dimensions""",
    "topi.sum(T(2), 'x\\ny')": """\
error[KC2313]: topi.sum: axis is x\\ny
  why: it must be an integer that is known when the program is built""",
    "topi.image.resize1d(T(1, 1, 3), ((0,), (1,)), (2,))": """\
error[KC2319]: topi.image.resize1d: a share of roi is (0,)
  why: it must be a number""",
    "topi.broadcast_to(T(2), int)": """\
error[KC2012]: topi.broadcast_to: shape has the dimension <class 'int'>
  why: a dimension must be an integer from 0 to 2^63 - 1, or a size made with te.var""",
    "topi.argmin(T(4, 0), 1)": """\
error[KC2316]: topi.argmin: the place of the smallest of nothing
  why: A has no elements along the axes (1,)""",
    "topi.reinterpret(T(3), 'int16')": """\
error[KC2062]: reinterpret: float32 as int16
  why: float32 has 32 bits, int16 16
  try: astype converts the value""",
    "topi.nn.dense(T(4, 3), T(5, 4, name='W'))": """\
error[KC2303]: topi.nn.dense: A of the shape (4, 3) and W of the shape (5, 4)
  why: dimension 1 of A is 3, dimension 1 of W is 4
  try: the dimension that is summed over is the same in both""",
    "topi.nn.dense(T(4, 3, 2), T(5, 4, name='W'))": """\
error[KC2302]: topi.nn.dense: the first A of the shape (4, 3, 2) has 3 dimensions
  why: 2 dimensions are expected""",
    "topi.nn.prelu(T(4, 3), T(4, name='S'), 1)": """\
error[KC2303]: topi.nn.prelu: A of the shape (4, 3) and S of the shape (4,)
  why: dimension 1 of A is 3, dimension 0 of S is 4
  try: slope has an element for each place along the axis""",
    "topi.nn.pool2d(T(1, 1, 4, 4), 2, 0, 1, 0, 'max')": """\
error[KC2306]: topi.nn.pool2d: stride is 0
  why: it must be at least 1""",
    "topi.nn.pool2d(T(1, 1, 4, 4), 2, 1, (1, 0), 0, 'max')": """\
error[KC2306]: topi.nn.pool2d: dilation is (1, 0)
  why: it must be at least 1""",
    "topi.nn.pool2d(T(1, 1, 4, 4), 3, 1, 2, (0, 0, 0, 1), 'avg')": """\
error[KC2307]: topi.nn.pool2d: a kernel that spans 5 on 4: A of the shape (1, 1, 4, 4) with 0 \
in front and 0 behind
  why: the kernel, dilated, is larger than the padded input
  try: pad more, or use a smaller kernel""",
    "topi.nn.pool2d(T(1, 1, 4, 4), 2, 1, 1, 0, 'max', layout='NCHW4w')": """\
error[KC2308]: topi.nn.pool2d: the layout 'NCHW4w'
  why: it must name each of H, W once, and not in blocks
  try: NCHW, NHWC, NCHW16c""",
    "topi.nn.pool2d(T(1, 1, 4, 4), 2, 1, 1, 0, 'max', layout='NCHW4c')": """\
error[KC2308]: topi.nn.pool2d: the layout 'NCHW4c' for 4 dimensions
  why: it names 5""",
    "topi.nn.pool2d(T(1, 1, 4, 4), 2, 1, 1, (1, 2, 3), 'max')": """\
error[KC2311]: topi.nn.pool2d: padding has 3 numbers: (1, 2, 3)
  why: it must be an integer, 2 integers for both sides, or 4: all heads, then all tails
  try: "SAME" and "VALID" are understood as well""",
    "topi.nn.pool2d(T(1, 1, 4, 4), 2, 1, 1, 0, 'maximum')": """\
error[KC2312]: topi.nn.pool2d: pool_type is 'maximum'
  try: did you mean 'max'?""",
    "topi.nn.pool2d(T(1, 1, 4, 4), (2, 2, 2), 1, 1, 0, 'max')": """\
error[KC2311]: topi.nn.pool2d: kernel has 3 numbers: (2, 2, 2)
  why: it must be an integer, or a list of 2 integers""",
    "topi.nn.pad(T(3, 4), (0, 0, 1))": """\
error[KC2311]: topi.nn.pad: pad_before has 3 numbers: (0, 0, 1)
  why: the tensor has 2 dimensions""",
    "topi.nn.pad(T(3, 4), (-2, 0))": """\
error[KC2314]: topi.nn.pad: A of the shape (3, 4) with (-2, 0) in front and (-2, 0) behind
  why: the result would have the shape (-1, 4)""",
    "topi.nn.mirror_pad(T(3, 4), (3, 0), mode='REFLECT')": """\
error[KC2314]: topi.nn.mirror_pad: A of the shape (3, 4) with (3, 0) in front and (3, 0) behind, \
mode REFLECT
  why: a mirror can add at most the elements of the dimension without its edge""",
    "topi.nn.dilate(T(3, 4), (2,))": """\
error[KC2311]: topi.nn.dilate: strides is (2,) for 2 dimensions
  why: it must have a number for each dimension""",
    "topi.nn.space_to_batch_nd(T(1, 5), (2,), (0,), (0,))": """\
error[KC2303]: topi.nn.space_to_batch_nd: A of the shape (1, 5): a padded dimension is 5
  why: it must be a multiple of 2""",
    "topi.nn.batch_to_space_nd(T(3, 5), (2,), (0,), (0,))": """\
error[KC2303]: topi.nn.batch_to_space_nd: A of the shape (3, 5): the batch is 3
  why: it must be a multiple of 2""",
    "topi.nn.nll_loss(T(4, 3), T(4, name='t'), T(3, name='w'), 'mean', -100)": """\
error[KC2309]: topi.nn.nll_loss: targets t has elements of type float32
  why: indices must be integers
  try: topi.cast(t, "int32")""",
    "topi.nn.binarize_pack(T(3, 40))": """\
error[KC2303]: topi.nn.binarize_pack: A of the shape (3, 40) packed along axis 1
  why: the axis has 40 elements, must have a multiple of 32""",
    "topi.nn.group_norm(T(2, 5, 4, 4), None, None, 2)": """\
error[KC2310]: topi.nn.group_norm: 2 groups of 5 channels: A of the shape (2, 5, 4, 4)
  why: groups must divide the channels""",
    "topi.nn.lrn(T(1, 4, 2, 2), 0)": """\
error[KC2306]: topi.nn.lrn: size is 0
  why: it must be at least 1""",
    "topi.nn.softmax(T(3), 1)": """\
error[KC2304]: topi.nn.softmax: axis 1 of a tensor with 1 dimension
  why: axes are -1 to 0""",
    "topi.transpose(T(4, 3), (1, -1))": """\
error[KC2305]: topi.transpose: axis 1 is given twice in (1, 1)""",
    "topi.transpose(T(4, 3), (1,))": """\
error[KC2311]: topi.transpose: axes has 1 number: (1,)
  why: it must name each of the 2 axes""",
    "topi.reshape(T(4, 3), (5, -1))": """\
error[KC2303]: topi.reshape: A of the shape (4, 3) to (5, -1)
  why: it has 12 elements""",
    "topi.squeeze(T(4, 3), 1)": """\
error[KC2303]: topi.squeeze: axis 1 of A of the shape (4, 3)
  why: it is 3; only a dimension of 1 can be left out""",
    "topi.concatenate([T(4, 3), T(4, 2, name='B')])": """\
error[KC2303]: topi.concatenate: A of the shape (4, 3) and type float32, and B of the shape \
(4, 2) and type float32
  why: all but axis 0 are equal, and the types""",
    "topi.split(T(4, 3), 3)": """\
error[KC2303]: topi.split: A of the shape (4, 3) in 3 parts of axis 0
  why: the axis has 4 elements, and sections must be equal""",
    "topi.layout_transform(T(1, 2, 3, 4), 'NCHW', 'NCHW4x')": """\
error[KC2308]: topi.layout_transform: the layout 'NCHW4x'
  why: it must have the form NCHW, or NCHW16c with blocks""",
    "topi.take(T(4), T(2, name='i'))": """\
error[KC2309]: topi.take: the tensor of indices i has elements of type float32
  why: indices must be integers
  try: topi.cast(i, "int32")""",
    "topi.strided_slice(T(4), (0,), (4,), (0,))": """\
error[KC2306]: topi.strided_slice: strides is (0,)
  why: a stride must not be 0""",
    "topi.arange(0, te.var('n'))": """\
error[KC2319]: topi.arange: stop is n
  why: it must be a number that is known when the program is built, or None""",
    "topi.nn.conv2d(T(1, 3, 8, 8), T(4, 2, 3, 3, name='W'), 1, 0, 1)": """\
error[KC2303]: topi.nn.conv2d: A of the shape (1, 3, 8, 8) and a filter of 2 channels
  why: 3 channels in 1 group are 3 for each output channel""",
    "topi.nn.conv2d(T(1, 3, 2, 2), T(4, 3, 3, 3, name='W'), 1, 0, 1)": """\
error[KC2307]: topi.nn.conv2d: a kernel that spans 3 on 2: A of the shape (1, 3, 2, 2) with 0 in \
front and 0 behind
  why: the kernel, dilated, is larger than the padded input
  try: pad more, or use a smaller kernel""",
    "topi.nn.conv2d(T(1, 3, 8, 8), T(4, 3, 3, 3), 0, 0, 1)": """\
error[KC2306]: topi.nn.conv2d: stride is 0
  why: it must be at least 1""",
    "topi.nn.conv2d(T(1, 3, 8, 8), T(4, 3, 3, 3), 1, 0, 1, 'NHCW')": """\
error[KC2308]: topi.nn.conv2d: the layout 'NHCW'
  why: the layouts are NCHW with OIHW, NHWC with HWIO, HWCN with HWIO""",
    "topi.nn.group_conv2d_nchw(T(1, 3, 8, 8), T(4, 1, 3, 3), 1, 0, 1, 2)": """\
error[KC2310]: topi.nn.group_conv2d_nchw: 2 groups of 3 channels: A of the shape (1, 3, 8, 8)
  why: groups must divide the channels and the output channels""",
    "topi.nn.conv2d_transpose_nchw(T(1, 3, 4, 4), T(3, 2, 3, 3), 2, 0, None, 2)": """\
error[KC2317]: topi.nn.conv2d_transpose_nchw: output_padding is 2, strides is 2
  why: output_padding must be at least 0, and less than the stride""",
    "topi.topk(T(3), 4)": """\
error[KC2317]: topi.topk: k is 4, axis 0 is 3 long
  why: k must be from 1 to the length of the axis, or 0 for all elements""",
    "topi.topk(T(3), 2, ret_type='value')": """\
error[KC2312]: topi.topk: ret_type is 'value'
  try: did you mean 'values'?""",
    "topi.scatter(T(3), T(2, name='i'), T(2, name='u'))": """\
error[KC2309]: topi.scatter: the tensor of indices i has elements of type float32
  why: indices must be integers
  try: topi.cast(i, "int32")""",
    "topi.nn.attention(T(1, 3, 4, 8), T(1, 2, 4, 8), T(1, 2, 4, 8))": """\
error[KC2310]: topi.nn.attention: 3 heads of the queries and 2 of the keys
  why: the number of heads of the keys must divide that of the queries""",
    "topi.image.resize2d(T(1, 1, 4, 4), None, (0, 4))": """\
error[KC2306]: topi.image.resize2d: size is (0, 4)
  why: it must be at least 1""",
    "topi.image.resize2d(T(1, 1, 4, 4), None, (4, 4), 'NCWW')": """\
error[KC2308]: topi.image.resize2d: the layout 'NCWW'
  why: it must name each of H, W once, and not in blocks
  try: NCHW, NHWC, NCHW16c""",
    "topi.nn.adaptive_pool(T(1, 1, 4, 4), (0, 1), 'max')": """\
error[KC2306]: topi.nn.adaptive_pool: output_size is (0, 1)
  why: it must be at least 1""",
    "topi.matrix_set_diag(T(3, 4), T(1, 3, name='D'), (-1, 1))": """\
error[KC2303]: topi.matrix_set_diag: A (3, 4), D (1, 3) and k from -1 to 1
  why: D has the shape (3, 3)""",
    "topi.matrix_set_diag(T(2, 3, 4), T(1, 3, name='D'))": """\
error[KC2303]: topi.matrix_set_diag: A (2, 3, 4), D (1, 3) and k from 0 to 0
  why: D has the shape (2, 3)""",
    "topi.matrix_set_diag(T(3, 4), T(3, 3, name='D'), (1, -1))": """\
error[KC2303]: topi.matrix_set_diag: A (3, 4), D (3, 3) and k from 1 to -1
  why: the lowest diagonal must come first""",
    "topi.sparse_to_dense(T(3, 2, dtype='int32'), (4, 5), T(2, name='V'), 0.5)": """\
error[KC2303]: topi.sparse_to_dense: A (3, 2) and V (2,) for the output (4, 5)
  why: there is an index for each of 2 dimensions, and a value for each row of them, or one""",
    "topi.unravel_index(T(2, dtype='int32'), ())": """\
error[KC2303]: topi.unravel_index: the shape ()
  why: the shape must have at least one dimension""",
    "topi.arange(0, float('inf'))": """\
error[KC2313]: topi.arange: arange of (0, inf, 1)
  why: they must be finite numbers known when the program is built, and the step must not be 0""",
    "topi.scatter_nd(T(4, 3), T(0, 2, dtype='int32', name='I'), T(2, 4, 3, name='U'))": """\
error[KC2303]: topi.scatter_nd: A (4, 3), I (0, 2) and U (2, 4, 3)
  why: indices has 1 to 2 rows, and updates the shape (2, 4, 3)""",
}

for path in sorted(Path(__file__).parent.glob("errors_*.py")):
    REFUSED |= importlib.import_module(path.stem).REFUSED


@pytest.mark.parametrize("call", REFUSED)
def test_refused(call: str):
    code = compile(call, "user.py", "eval")
    with pytest.raises(KCError) as caught:
        eval(code, {"T": T, "topi": topi, "te": te})
    lines = str(caught.value).split("\n")
    assert lines[1].startswith("  --> user.py:1"), lines
    assert "\n".join([lines[0], *lines[2:]]) == REFUSED[call]
    assert len(lines) <= 12


def test_errors_in_functions_of_users_are_theirs():
    """Python's own exceptions also where a call has another number of arguments."""

    def combine(a, b):
        raise LookupError("of the user")

    with pytest.raises(LookupError, match="^'of the user'$|^of the user$"):
        topi.scanop(T(4, 3), combine, 0, "combined", 1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'axes'$"):
        topi.sum(T(4, 3), axes=1)
