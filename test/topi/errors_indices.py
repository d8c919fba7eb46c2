"""Refusals of indices, places, slices and blocked layouts."""

REFUSED = {
    "topi.take(T(0, 3), T(2, dtype='int32', name='I'), 0)": """\
error[KC2317]: topi.take: elements are taken from axis 0 of A of the shape (0, 3)
  why: the axis is empty, so no index is valid""",
    "topi.take(T(3, 0), T(2, dtype='int32', name='I'))": """\
error[KC2317]: topi.take: elements are taken from axis 1 of A of the shape (3, 0)
  why: the axis is empty, so no index is valid""",
    "topi.gather(T(3, 0), 1, T(3, 2, dtype='int32', name='I'))": """\
error[KC2317]: topi.gather: elements are taken from axis 1 of A of the shape (3, 0)
  why: the axis is empty, so no index is valid""",
    "topi.gather_nd(T(0, 3), T(1, 2, dtype='int32', name='I'))": """\
error[KC2317]: topi.gather_nd: elements are taken from axis 0 of A of the shape (0, 3)
  why: the axis is empty, so no index is valid""",
    "topi.adv_index(T(0, 3), [T(2, dtype='int32', name='I')])": """\
error[KC2317]: topi.adv_index: elements are taken from axis 0 of A of the shape (0, 3)
  why: the axis is empty, so no index is valid""",
    "topi.strided_slice(T(5), (0,), (-2,), slice_mode='size')": """\
error[KC2306]: topi.strided_slice: end has the size -2
  why: it must be at least 0, or -1 for the end""",
    "topi.nn.batch_to_space_nd(T(4, 3, 2), (2,), (-1,), (0,))": """\
error[KC2314]: topi.nn.batch_to_space_nd: crops of (-1,) and (0,)
  why: a crop must be at least 0, because it removes elements""",
    "topi.scanop(T(4, 3), 'sum', 0, 'sum', 1)": """\
error[KC2300]: topi.scanop: binop is 'sum'
  why: it must be a function of two elements
  try: lambda total, element: total + element""",
    "topi.scanop(T(4, 3), lambda a, b: a + b, 0, 'sum', 2)": """\
error[KC2304]: topi.scanop: axis 2 of a tensor with 2 dimensions
  why: axes are -2 to 1""",
    "topi.compress(T(3), T(3))": """\
error[KC2301]: topi.compress: condition A has elements of type float32
  why: it takes bool
  try: topi.cast(A, "bool")""",
    "topi.compress(T(3, 3, dtype='bool'), T(3))": """\
error[KC2302]: topi.compress: condition A of the shape (3, 3) has 2 dimensions
  why: 1 dimension is expected""",
    "topi.compress(T(3, dtype='bool'), T(3), 1)": """\
error[KC2304]: topi.compress: axis 1 of a tensor with 1 dimension
  why: axes are -1 to 0""",
    "topi.nn.max_unpool(T(1, 2, 2, 2), T(1, 2, 2, 2, name='I'), 2)": """\
error[KC2309]: topi.nn.max_unpool: the tensor of indices I has elements of type float32
  why: indices must be integers
  try: topi.cast(I, "int32")""",
    "topi.nn.max_unpool(T(1, 2, 2, 2), T(1, 2, 2, dtype='int32', name='I'), 2)": """\
error[KC2303]: topi.nn.max_unpool: A of the shape (1, 2, 2, 2) and I of the shape (1, 2, 2)
  why: the shapes must be equal
  try: there is an index for each element""",
    "topi.nn.max_unpool(T(2, 2), T(2, 2, dtype='int32', name='I'), 2)": """\
error[KC2302]: topi.nn.max_unpool: A of the shape (2, 2)
  why: it must have a batch, channels, and at least 1 spatial dimension""",
    "topi.nn.max_unpool(T(1, 2, 2, 2), T(1, 2, 2, 2, dtype='int32', name='I'), 0)": """\
error[KC2306]: topi.nn.max_unpool: kernel is 0
  why: it must be at least 1""",
    "topi.nn.max_unpool(T(1, 2, 2, 2), T(1, 2, 2, 2, dtype='int32', name='I'), 2, "
    "output_size=(4, 4, 4))": """\
error[KC2311]: topi.nn.max_unpool: output_size has 3 numbers: (4, 4, 4)
  why: it must be an integer, or a list of 2 integers""",
    "topi.strided_slice(T(6, 5), (1,), (6,), (2, 2))": """\
error[KC2311]: topi.strided_slice: strides has 2 numbers: (2, 2)
  why: begin has 1: there can be at most one stride for each begin""",
    "topi.sparse_to_dense(T(3, 2, dtype='int32'), (4, 5), 3.5)": """\
error[KC2300]: topi.sparse_to_dense: sparse_values is 3.5, not a tensor
  why: operators of topi take tensors of te
  try: te.placeholder((2, 3)), or the result of another operator""",
    "topi.nn.depthwise_conv2d_backward_input_nhwc(T(3, 3, 2, 2), T(1, 3, 3, 4), (1, 6, 6), "
    "(1, 3, 3, 4), (2, 2), (1, 1, 0, 0))": """\
error[KC2311]: topi.nn.depthwise_conv2d_backward_input_nhwc: oshape has 3 numbers: (1, 6, 6)
  why: it must have 4, the sizes of a shape""",
    "topi.nn.depthwise_conv2d_backward_input_nhwc(T(3, 3, 2, 2), T(1, 3, 2, 4, name='G'), "
    "(1, 6, 6, 2), (1, 3, 3, 4), (2, 2), (1, 1, 0, 0))": """\
error[KC2303]: topi.nn.depthwise_conv2d_backward_input_nhwc: Out_grad G of the shape (1, 3, 2, 4)
  why: the convolution of (1, 6, 6, 2) with (3, 3, 2, 2) has the shape (1, 3, 3, 4)""",
    "topi.nn.depthwise_conv2d_backward_weight_nhwc(T(1, 6, 6, 3), T(1, 3, 3, 4, name='G'), "
    "(1, 3, 3, 4), (3, 3, 2, 2), (2, 2), (1, 1, 0, 0))": """\
error[KC2303]: topi.nn.depthwise_conv2d_backward_weight_nhwc: an input of the shape (1, 6, 6, 3) \
and a filter of the shape (3, 3, 2, 2)
  why: the filter must have a kernel for each of 3 channels""",
    "topi.nn.depthwise_conv2d_backward_weight_nhwc(T(1, 6, 6), T(1, 3, 3, 4, name='G'), (1, "
    "3, 3, 4), (3, 3, 2, 2), (2, 2), (1, 1, 0, 0))": """\
error[KC2302]: topi.nn.depthwise_conv2d_backward_weight_nhwc: Input A of the shape (1, 6, 6) has \
3 dimensions
  why: 4 dimensions are expected""",
    "topi.nn.conv2d_NCHWc(T(1, 2, 6, 6, 4), T(3, 2, 3, 3, 4, 2), 1, 1, 1, 'NHWC')": """\
error[KC2308]: topi.nn.conv2d_NCHWc: the layout 'NHWC'
  why: it must have the form NCHWc, or NCHW16c""",
    "topi.sliding_window(T(4, 6), 0, (2, 2), 0)": """\
error[KC2311]: topi.sliding_window: windows of (2, 2) every (0,) from axis 0 on
  why: there must be one number for each of 2 dimensions""",
    "topi.topk(T(4), 2, dtype='float12')": """\
error[KC2001]: topi.topk: dtype: unknown element type 'float12'
  try: did you mean 'float32' or 'float16' or 'bfloat16'?""",
}
