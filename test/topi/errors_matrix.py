"""Refusals of products, quantized numbers, upsampling and recurrent networks."""

REFUSED = {
    "topi.matmul(T(4, 3), T(4, 5, name='B'))": """\
error[KC2303]: topi.matmul: A of the shape (4, 3) and B of the shape (4, 5)
  why: dimension 1 of A is 3, dimension 0 of B is 4
  try: the dimension that is summed over is the same in both""",
    "topi.matmul(T(4, 3), T(name='B'))": """\
error[KC2302]: topi.matmul: the second B of the shape () has 0 dimensions
  why: an operand has 1 dimension or more""",
    "topi.matmul(T(4, 3), T(3, name='B'), False, True)": """\
error[KC2302]: topi.matmul: the second B of the shape (3,) has 1 dimension
  why: a transposed operand is a matrix, or a batch of them""",
    "topi.matmul(T(2, 4, 3), T(5, 3, 4, name='B'))": """\
error[KC2303]: topi.matmul: A of the shape (2, 4, 3) and B of the shape (5, 3, 4)
  why: the batches (2,) and (5,) cannot be broadcast
  try: from the right, dimensions in front of the last two are equal, or 1""",
    "topi.matmul(T(4, 3), T(3, 5, dtype='int8', name='B'))": """\
error[KC2301]: topi.matmul: the second B has elements of type int8
  why: it takes float32
  try: topi.cast(B, "float32")""",
    "topi.tensordot(T(2, 3), T(3, 4, name='B'), 3)": """\
error[KC2304]: topi.tensordot: the last 3 axes of A (2, 3) and the first of B (3, 4)
  why: there are 0 to 2 of both""",
    "topi.tensordot(T(2, 3), T(2, 4, name='B'), ((0, 1), (0,)))": """\
error[KC2311]: topi.tensordot: axes has 2 axes of the first and 1 axis of the second
  why: the lists must have the same length, because axes are summed over in pairs""",
    "topi.tensordot(T(2, 3), T(2, 2, name='B'), ((0, -2), (0, 1)))": """\
error[KC2305]: topi.tensordot: the axes [0, 0] of the first
  why: each axis may be listed once""",
    "topi.tensordot(T(2, 3), T(4, 2, name='B'), ((1,), (0,)))": """\
error[KC2303]: topi.tensordot: A of the shape (2, 3) and B of the shape (4, 2)
  why: dimension 1 of A is 3, dimension 0 of B is 4
  try: a pair of axes is equally long""",
    "topi.einsum('ij,jk', T(2, 3))": """\
error[KC2318]: topi.einsum: the subscripts 'ij,jk' for 1 operand
  why: there are subscripts for 2 operands
  try: such as "ii", "...ij,...j", "ij,jk->ik", as numpy reads them""",
    "topi.einsum('ij,jk', T(2, 3), T(4, 2, name='B'))": """\
error[KC2303]: topi.einsum: A of the shape (2, 3) and B of the shape (4, 2) in 'ij,jk'
  why: j is 3 and 4""",
    "topi.einsum('ij->ijk', T(2, 3))": """\
error[KC2318]: topi.einsum: the subscripts 'ij->ijk'
  why: the result names 'k', which is to be in an operand, and named once
  try: such as "ii", "...ij,...j", "ij,jk->ik", as numpy reads them""",
    "topi.einsum('ij->ii', T(2, 3))": """\
error[KC2318]: topi.einsum: the subscripts 'ij->ii'
  why: the result names 'i', which is to be in an operand, and named once
  try: such as "ii", "...ij,...j", "ij,jk->ik", as numpy reads them""",
    "topi.einsum('i1', T(2, 3))": """\
error[KC2318]: topi.einsum: the subscripts 'i1'
  why: there are letters, one ellipsis for each operand, commas, and one arrow
  try: such as "ii", "...ij,...j", "ij,jk->ik", as numpy reads them""",
    "topi.einsum('i', T(2, 3))": """\
error[KC2318]: topi.einsum: the subscripts 'i'
  why: A of the shape (2, 3) has 2 dimensions, 'i' names 1
  try: such as "ii", "...ij,...j", "ij,jk->ik", as numpy reads them""",
    "topi.einsum('...i->i', T(2, 3))": """\
error[KC2318]: topi.einsum: the subscripts '...i->i'
  why: an operand has axes in an ellipsis, the result has none
  try: such as "ii", "...ij,...j", "ij,jk->ik", as numpy reads them""",
    "topi.einsum('ij', [[1.0]])": """\
error[KC2300]: topi.einsum: operands[0] is [1.0], not a tensor
  why: operators of topi take tensors of te
  try: te.placeholder((2, 3)), or the result of another operator""",
    "topi.einsum('i,i', T(2), T(2, dtype='int32', name='B'))": """\
error[KC2301]: topi.einsum: operand 1 B has elements of type int32
  why: it takes float32
  try: topi.cast(B, "float32")""",
    "topi.einsum('ij')": """\
error[KC2300]: topi.einsum: there is no operand
  why: einsum needs one or more tensors""",
    "topi.nn.conv2d_winograd_nchw(T(1, 3, 8, 8), T(4, 3, 3, 3, name='W'), 2, 1, 1)": """\
error[KC2317]: topi.nn.conv2d_winograd_nchw: strides 2 and dilation 1
  why: strides and dilation must be 1
  try: topi.nn.conv2d_nchw supports other strides and dilations""",
    "topi.nn.conv2d_winograd_nchw(T(1, 3, 8, 8), T(4, 2, 3, 3, name='W'), 1, 1, 1)": """\
error[KC2303]: topi.nn.conv2d_winograd_nchw: A of the shape (1, 3, 8, 8) and W of the shape (4, \
2, 3, 3)
  why: dimension 1 of A is 3, dimension 1 of W is 2
  try: data and filter have the same channels""",
    "topi.nn.conv2d_winograd_nchw(T(1, 3, 8, 8), T(4, 3, 3, 1, name='W'), 1, 1, 1)": """\
error[KC2303]: topi.nn.conv2d_winograd_nchw: W of the shape (4, 3, 3, 1)
  why: the kernel must be square""",
    "topi.nn.conv2d_winograd_nchw(T(1, 3, 2, 8), T(4, 3, 3, 3, name='W'), 1, 0, 1)": """\
error[KC2307]: topi.nn.conv2d_winograd_nchw: a kernel that spans 3 on 2: A of the shape (1, 3, 2, \
8) with 0 in front and 0 behind
  why: the kernel, dilated, is larger than the padded input
  try: pad more, or use a smaller kernel""",
    "topi.nn.conv2d_winograd_nchw(T(1, 3, 8, 8), T(4, 3, 3, 3, name='W'), 1, 1, 1, "
    "tile_size=12)": """\
error[KC2317]: topi.nn.conv2d_winograd_nchw: tiles of 12 and a kernel of 3
  why: tile_size must be at least 2, and the sum of tile_size and kernel size at most 12""",
    "topi.nn.conv2d_winograd_nchw(T(1, 3, 8, 8), T(3, 6, 4, 3, name='W'), 1, 1, 1, None, "
    "True)": """\
error[KC2303]: topi.nn.conv2d_winograd_nchw: W of the shape (3, 6, 4, 3) for tiles of 4
  why: the shape must be (alpha, alpha, O, I), where alpha is the tile and the kernel less 1""",
    "topi.nn.winograd_transform_matrices(1, 3, 'float32')": """\
error[KC2317]: topi.nn.winograd_transform_matrices: tiles of 1 and a kernel of 3
  why: tile_size must be at least 2, and the sum of tile_size and kernel size at most 12""",
    "topi.nn.winograd_transform_matrices(2, 3, 'int8')": """\
error[KC2301]: topi.nn.winograd_transform_matrices: out_dtype is int8
  why: it takes float16, bfloat16, float8_e4m3fn, float8_e5m2, float32, float64""",
    "topi.nn.quantize(T(3, 4), T(3, name='S'))": """\
error[KC2303]: topi.nn.quantize: A of the shape (3, 4) and S of the shape (3,)
  why: the scale must have no dimension, 1 element, or one for each of the 4 places along axis 1
  try: block_size=... for a scale of each block""",
    "topi.nn.quantize(T(3, 4), T(3, name='S'), axis=2)": """\
error[KC2304]: topi.nn.quantize: axis 2 of a tensor with 2 dimensions
  why: axes are -2 to 1""",
    "topi.nn.quantize(T(3, 4), T(4, name='S'), T(1, dtype='int8', name='Z'))": """\
error[KC2303]: topi.nn.quantize: S of the shape (4,) and Z of the shape (1,)
  why: the shapes must be equal
  try: each scale has its zero point""",
    "topi.nn.quantize(T(3, 4), T(4, name='S'), T(4, dtype='uint8', name='Z'))": """\
error[KC2301]: topi.nn.quantize: zero_point Z has elements of type uint8
  why: it takes int8, int32
  try: topi.cast(Z, "int8")""",
    "topi.nn.quantize(T(3, 4), T(3, 3, name='S'), block_size=2)": """\
error[KC2303]: topi.nn.quantize: A of the shape (3, 4) and S of the shape (3, 3)
  why: for blocks of 2 along axis 1, S has the shape (3, 2)""",
    "topi.nn.quantize(T(3, 4), T(3, 2, name='S'), block_size=-1)": """\
error[KC2306]: topi.nn.quantize: block_size is -1
  why: it must be at least 1, or 0 for no blocks""",
    "topi.nn.quantize(T(3, 4), T(name='S'), out_dtype='int9')": """\
error[KC2001]: topi.nn.quantize: out_dtype: unknown element type 'int9'
  try: did you mean 'int8' or 'uint8' or 'int64'?""",
    "topi.nn.dequantize(T(3, 4), T(name='S'))": """\
error[KC2301]: topi.nn.dequantize: data A has elements of type float32
  why: it takes int8, uint8, int16, uint16, int32
  try: topi.cast(A, "int8")""",
    "topi.nn.simulated_quantize(T(3, 4), 'int16', 0.5, 0)": """\
error[KC2312]: topi.nn.simulated_quantize: the type is 'int16'
  try: did you mean 'int8' or 'uint8' or 'int32'?""",
    "topi.nn.simulated_quantize(T(3, 4), 'int8', T(3, name='S'), 0)": """\
error[KC2303]: topi.nn.simulated_quantize: A of the shape (3, 4) and the scale S of the shape (3,)
  why: it must have 1 element, or one for each index along axis 1""",
    "topi.nn.simulated_quantize(T(3, 4), 'int8')": """\
error[KC2300]: topi.nn.simulated_quantize: the scale is None
  why: it must be a tensor or a number""",
    "topi.nn.simulated_quantize(T(3, 4), T(name='K'), 0.5, 0)": """\
error[KC2309]: topi.nn.simulated_quantize: the type K has elements of type float32
  why: indices must be integers
  try: topi.cast(K, "int32")""",
    "topi.nn.upsampling(T(1, 2, 3, 4), 0, 2)": """\
error[KC2317]: topi.nn.upsampling: the scale of H is 0
  why: it must be a finite number above 0""",
    "topi.nn.upsampling(T(1, 2, 3, 4), 2, 2, 'NCWW')": """\
error[KC2308]: topi.nn.upsampling: the layout 'NCWW'
  why: it must name each of H, W once, and not in blocks
  try: NCHW, NHWC, NCHW16c""",
    "topi.nn.upsampling(T(1, 2, 3, 4), 2, 2, method='linear')": """\
error[KC2312]: topi.nn.upsampling: method is 'linear'
  try: did you mean 'bilinear'?""",
    "topi.nn.upsampling(T(1, 2, 3), 2, 2)": """\
error[KC2308]: topi.nn.upsampling: the layout 'NCHW' for 3 dimensions
  why: it names 4""",
    "topi.nn.upsampling3d(T(1, 2, 3, 4, 5), 2, 2, float('nan'))": """\
error[KC2317]: topi.nn.upsampling3d: the scale of W is nan
  why: it must be a finite number above 0""",
    "topi.nn.lstm(T(3, 2), T(20, 4, name='Wi'), T(20, 5, name='Wh'))": """\
error[KC2302]: topi.nn.lstm: Xs A of the shape (3, 2) has 2 dimensions
  why: 3 dimensions are expected""",
    "topi.nn.lstm(T(3, 2, 4), T(20, 3, name='Wi'), T(20, 5, name='Wh'))": """\
error[KC2303]: topi.nn.lstm: Wi Wi of the shape (20, 3)
  why: it is (20, 4)""",
    "topi.nn.lstm(T(3, 2, 4), T(18, 4, name='Wi'), T(18, 5, name='Wh'))": """\
error[KC2303]: topi.nn.lstm: Xs A of the shape (3, 2, 4) and Wi Wi of the shape (18, 4)
  why: there must be at least one step, and 4 rows of Wi for each hidden element""",
    "topi.nn.lstm(T(3, 2, 4), T(20, 4, name='Wi'), T(20, 5, name='Wh'), weight_layout='IFCO')": """\
error[KC2312]: topi.nn.lstm: weight_layout is 'IFCO'
  why: it must name I, F, G and O once each""",
    "topi.nn.lstm(T(3, 2, 4), T(20, 4, name='Wi'), T(20, 5, name='Wh'), T(5, name='Bi'))": """\
error[KC2303]: topi.nn.lstm: Bi Bi of the shape (5,)
  why: it is (20,)""",
    "topi.nn.lstm(T(0, 2, 4), T(20, 4, name='Wi'), T(20, 5, name='Wh'))": """\
error[KC2303]: topi.nn.lstm: Xs A of the shape (0, 2, 4) and Wi Wi of the shape (20, 4)
  why: there must be at least one step, and 4 rows of Wi for each hidden element""",
    "topi.mean(T(4, 3), 2)": """\
error[KC2304]: topi.mean: axis 2 of a tensor with 2 dimensions
  why: axes are -2 to 1""",
    "topi.mean(T(4, dtype='int32'))": """\
error[KC2301]: topi.mean: data A has elements of type int32
  why: it takes float16, bfloat16, float8_e4m3fn, float8_e5m2, float32, float64
  try: topi.cast(A, "float32")""",
    "topi.variance(T(4, 3), 0, ddof=-1)": """\
error[KC2306]: topi.variance: ddof is -1
  why: it must be at least 0""",
    "topi.logsumexp(T(4, 3), 'rows')": """\
error[KC2313]: topi.logsumexp: axis is rows
  why: it must be an integer that is known when the program is built""",
    "topi.det(T(3))": """\
error[KC2302]: topi.det: data A of the shape (3,) has 1 dimension
  why: 2 or 3 or 4 dimensions are expected""",
    "topi.det(T(2, 3, 4))": """\
error[KC2303]: topi.det: A of the shape (2, 3, 4)
  why: matrices must be square: the last two dimensions must be equal""",
    "topi.det(T(3, 3, dtype='int32'))": """\
error[KC2301]: topi.det: data A has elements of type int32
  why: it takes float32, float64, float16, bfloat16
  try: topi.cast(A, "float32")""",
}
