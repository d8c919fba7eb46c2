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
}
