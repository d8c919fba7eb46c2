"""Refusals of operators that place elements, and of views."""

REFUSED = {
    "topi.index_put(T(4, 3), [T(2, dtype='int64')], T(2, 3, dtype='int32', name='V'))": """\
error[KC2301]: topi.index_put: values V has elements of type int32
  why: it takes float32
  try: topi.cast(V, "float32")""",
    "topi.index_put(T(4, 3), [T(2, name='I')], T(2, 3))": """\
error[KC2309]: topi.index_put: index 0 I has elements of type float32
  why: indices must be integers
  try: topi.cast(I, "int32")""",
    "topi.index_put(T(4, 3), [T(2, dtype='int64')], T(2, 4, name='V'))": """\
error[KC2303]: topi.index_put: V of the shape (2, 4) to the shape (2, 3)
  why: aligned at the right, each dimension must be 1 or that of the result""",
    "topi.index_put(T(4, 3), [T(2, dtype='int64')], T(2, 3), [0, 1])": """\
error[KC2311]: topi.index_put: 1 index for 2 axes of A of the shape (4, 3)
  why: there is one for each indexed axis""",
    "topi.index_put(T(4, 3), [T(2, dtype='int64'), T(2, dtype='int64')], T(2), [1, -1])": """\
error[KC2305]: topi.index_put: the axes (1, 1)
  why: an axis is named once""",
    "topi.index_put(T(4, 3), [T(2, dtype='int64')], T(2, 3), [2])": """\
error[KC2304]: topi.index_put: axis 2 of a tensor with 2 dimensions
  why: axes are -2 to 1""",
    "topi.scatter_reduce(T(4, 3), T(2, 3, dtype='int32'), T(2, 3), 0, 'max')": """\
error[KC2312]: topi.scatter_reduce: mode is 'max'
  try: did you mean 'amax' or 'mean'?""",
    "topi.scatter_reduce(T(4, 3), T(2, 4, dtype='int32', name='I'), T(2, 4, name='U'))": """\
error[KC2303]: topi.scatter_reduce: A (4, 3), I (2, 4) and U (2, 4)
  why: dimension 1: indices and updates must be equal, and at most the data""",
    "topi.masked_scatter(T(4, 3), T(4, 3, name='M'), T(12))": """\
error[KC2301]: topi.masked_scatter: mask M has elements of type float32
  why: it takes bool
  try: topi.cast(M, "bool")""",
    "topi.masked_scatter(T(4, 3), T(2, 3, dtype='bool', name='M'), T(12))": """\
error[KC2303]: topi.masked_scatter: M of the shape (2, 3) to the shape (4, 3)
  why: aligned at the right, each dimension must be 1 or that of the result""",
    "topi.slice_scatter(T(6, 5), T(3, 5), 0, 1, 3)": """\
error[KC2317]: topi.slice_scatter: the places 1 to 7 of axis 0 of A of the shape (6, 5)
  why: the source lies inside of the data""",
    "topi.slice_scatter(T(6, 5), T(3, 4, name='V'), 0, 1)": """\
error[KC2303]: topi.slice_scatter: A (6, 5) and V (3, 4)
  why: dimension 1 is the same in both""",
    "topi.slice_scatter(T(6, 5), T(3, 5), 0, 1, 0)": """\
error[KC2306]: topi.slice_scatter: step is 0
  why: it must be at least 1""",
    "topi.diagonal(T(6, 5), 0, 1, -1)": """\
error[KC2305]: topi.diagonal: axis1 and axis2 are both 1
  why: a diagonal has two axes""",
    "topi.diagonal(T(6))": """\
error[KC2302]: topi.diagonal: data A of the shape (6,) has 1 dimension
  why: 2 or 3 or 4 dimensions are expected""",
    "topi.diagonal(T(te.var('n'), te.var('m')))": """\
error[KC2313]: topi.diagonal: the diagonal of matrices of the shape (n, m)
  why: its length is the smaller of two sizes, which must be known when the program is built
  try: two equal sizes may be symbols""",
    "topi.as_strided(T(3, 4), (2, 3), (4, 4), 1)": """\
error[KC2317]: topi.as_strided: the elements 1 to 13 of A of the shape (3, 4)
  why: its elements are numbered from 0 to 11""",
    "topi.as_strided(T(3, 4), (2, 3), (4,), 1)": """\
error[KC2311]: topi.as_strided: strides has 1 number for the shape (2, 3)
  why: there is one for each dimension""",
    "topi.cdist(T(4, 3), T(5, 2, name='B'))": """\
error[KC2303]: topi.cdist: A of the shape (4, 3) and B of the shape (5, 2)
  why: dimension 1 of A is 3, dimension 1 of B is 2
  try: the rows of both are equally long""",
    "topi.pdist(T(4, 3), -1)": """\
error[KC2317]: topi.pdist: p is -1
  why: the order of a distance is at least 0, or infinity""",
    "topi.nn.edge_pad(T(0, 3), (1, 0))": """\
error[KC2314]: topi.nn.edge_pad: A of the shape (0, 3) with (1, 0) in front and (1, 0) behind
  why: an empty dimension has no edge""",
    "topi.nn.edge_pad(T(2, 3), (-1, 0), (-2, 0))": """\
error[KC2314]: topi.nn.edge_pad: A of the shape (2, 3) with (-1, 0) in front and (-2, 0) behind
  why: that leaves the shape (-1, 3)""",
}
