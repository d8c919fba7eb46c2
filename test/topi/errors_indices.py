"""What elements of empty axes, sizes and crops below 0 refuse."""

REFUSED = {
    "topi.take(T(0, 3), T(2, dtype='int32', name='I'), 0)": """\
error[KC2317]: topi.take: elements of axis 0 of A of the shape (0, 3)
  why: the axis has none, whatever the indices are""",
    "topi.take(T(3, 0), T(2, dtype='int32', name='I'))": """\
error[KC2317]: topi.take: elements of axis 1 of A of the shape (3, 0)
  why: the axis has none, whatever the indices are""",
    "topi.gather(T(3, 0), 1, T(3, 2, dtype='int32', name='I'))": """\
error[KC2317]: topi.gather: elements of axis 1 of A of the shape (3, 0)
  why: the axis has none, whatever the indices are""",
    "topi.gather_nd(T(0, 3), T(1, 2, dtype='int32', name='I'))": """\
error[KC2317]: topi.gather_nd: elements of axis 0 of A of the shape (0, 3)
  why: the axis has none, whatever the indices are""",
    "topi.adv_index(T(0, 3), [T(2, dtype='int32', name='I')])": """\
error[KC2317]: topi.adv_index: elements of axis 0 of A of the shape (0, 3)
  why: the axis has none, whatever the indices are""",
    "topi.strided_slice(T(5), (0,), (-2,), slice_mode='size')": """\
error[KC2306]: topi.strided_slice: end has the size -2
  why: it is at least 0, or -1: to the end""",
    "topi.nn.batch_to_space_nd(T(4, 3, 2), (2,), (-1,), (0,))": """\
error[KC2314]: topi.nn.batch_to_space_nd: crops of (-1,) and (0,)
  why: a crop is at least 0: it takes elements away""",
    "topi.scanop(T(4, 3), 'sum', 0, 'sum', 1)": """\
error[KC2300]: topi.scanop: binop is 'sum'
  why: it is a function of two elements
  try: lambda total, element: total + element""",
    "topi.scanop(T(4, 3), lambda a, b: a + b, 0, 'sum', 2)": """\
error[KC2304]: topi.scanop: axis 2 of a tensor with 2 dimensions
  why: axes are -2 to 1""",
    "topi.compress(T(3), T(3))": """\
error[KC2301]: topi.compress: the argument A has elements of type float32
  why: it takes bool
  try: topi.cast(A, "bool")""",
    "topi.compress(T(3, 3, dtype='bool'), T(3))": """\
error[KC2302]: topi.compress: condition A of the shape (3, 3) has 2 dimensions
  why: it has 1""",
    "topi.compress(T(3, dtype='bool'), T(3), 1)": """\
error[KC2304]: topi.compress: axis 1 of a tensor with 1 dimension
  why: axes are -1 to 0""",
    "topi.nn.max_unpool(T(1, 2, 2, 2), T(1, 2, 2, 2, name='I'), 2)": """\
error[KC2309]: topi.nn.max_unpool: the tensor of indices I has elements of type float32
  why: indices are integers
  try: topi.cast(I, "int32")""",
    "topi.nn.max_unpool(T(1, 2, 2, 2), T(1, 2, 2, dtype='int32', name='I'), 2)": """\
error[KC2303]: topi.nn.max_unpool: A of the shape (1, 2, 2, 2) and I of the shape (1, 2, 2)
  why: the shapes are to be equal
  try: there is an index for each element""",
    "topi.nn.max_unpool(T(2, 2), T(2, 2, dtype='int32', name='I'), 2)": """\
error[KC2302]: topi.nn.max_unpool: A of the shape (2, 2)
  why: it has a batch, channels, and 1 dimension of space or more""",
    "topi.nn.max_unpool(T(1, 2, 2, 2), T(1, 2, 2, 2, dtype='int32', name='I'), 0)": """\
error[KC2306]: topi.nn.max_unpool: kernel is 0
  why: it is at least 1""",
    "topi.nn.max_unpool(T(1, 2, 2, 2), T(1, 2, 2, 2, dtype='int32', name='I'), 2, "
    "output_size=(4, 4, 4))": """\
error[KC2311]: topi.nn.max_unpool: output_size has 3 numbers: (4, 4, 4)
  why: it is an integer, or 2 of them""",
}
