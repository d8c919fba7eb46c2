"""Cases of shapes, slices and gathers; importing the module enters them."""

import numpy as np
from topi_cases import case, np_dtype

from kc.topi import testing

case("expand_dims", lambda x: x.reshape(3, 1, 1, 4))
case("expand_dims", lambda x: x[..., None], "expand_dims(T(3, 4), -1)")
case("expand_like", lambda x, y: np.broadcast_to(x[None, :, None], y.shape))
case("transpose", lambda x: x.transpose(2, 0, 1))
case("transpose", lambda x: x.T, "transpose(T(3, 4))")
case("transpose", lambda x: x.T, 'transpose(T("n=3", "m=5"))')
case("transpose", lambda x: x, "transpose(T())")
case("flip", lambda x: x[:, ::-1])
case("flip", lambda x: x[::-1], 'flip(T("n=5", 2))')
case("reshape", lambda x: x.reshape(2, 6))
for shape in ((12,), (2, -1), (4, 3, 1), (1, 2, 2, 3)):
    case("reshape", lambda x, s=shape: x.reshape(s), f"reshape(T(3, 4), {shape})")
case("reshape", lambda x: x.reshape(0, 5), "reshape(T(3, 0), (0, 5))")
case("reshape", lambda x: x.reshape(()), "reshape(T(1, 1), ())")
case("reshape", lambda x: x.reshape(1, 1), "reshape(T(), (1, 1))")
case("reshape", lambda x: x.reshape(-1), 'reshape(T("n=3", 4), (-1,))')
case("squeeze", lambda x: x[0])
case("squeeze", lambda x: x[0, :, 0], "squeeze(T(1, 3, 1))")
case("squeeze", lambda x: x[0, :, 0], "squeeze(T(1, 3, 1), (0, -1))")
case("concatenate", lambda a, b: np.concatenate([a, b]))
case(
    "concatenate",
    lambda a, b, c: np.concatenate([a, b, c], -1),
    'concatenate([T(2, 3, dtype="int8"), T(2, 0, dtype="int8"), T(2, 1, dtype="int8")], -1)',
)
case("concatenate", lambda a, b: np.concatenate([a, b]), 'concatenate([T("n=3"), T("m=4")])')
case("stack", lambda a, b: np.stack([a, b], 1))
case("stack", lambda a, b: np.stack([a, b], -1), "stack([T(2, 3), T(2, 3)], -1)")
case("split", lambda x: np.split(x, 3))
case("split", lambda x: np.split(x, [1, 1, 4], 1), "split(T(2, 6), [1, 1, 4], 1)")
case("repeat", lambda x: x.repeat(2, 1))
case("repeat", lambda x: x.repeat(0, 1), "repeat(T(2, 3), 0, 1)")
case("tile", lambda x: np.tile(x, (2, 1)))
case("tile", lambda x: np.tile(x, (2, 1, 3)), "tile(T(2, 3), (2, 1, 3))")
case("tile", lambda x: np.tile(x, 2), "tile(T(2, 3), 2)")


def blocked(x, block):
    more = -x.shape[1] % block
    x = np.pad(x, ((0, 0), (0, more), (0, 0), (0, 0)))
    n, c, h, w = x.shape
    return x.reshape(n, c // block, block, h, w).transpose(0, 1, 3, 4, 2)


case("layout_transform", lambda x: blocked(x, 4))
case(
    "layout_transform", lambda x: blocked(x, 2), 'layout_transform(T(1, 6, 2, 3), "NCHW", "NCHW2c")'
)
case(
    "layout_transform",
    lambda x: x.transpose(0, 2, 3, 1, 4).reshape(1, 2, 3, 8),
    'layout_transform(T(1, 2, 2, 3, 4), "NCHW4c", "NHWC")',
)
case(
    "layout_transform",
    lambda x: blocked(x.transpose(0, 1, 4, 2, 3).reshape(1, 8, 2, 3), 8),
    'layout_transform(T(1, 2, 2, 3, 4), "NCHW4c", "NCHW8c")',
)
case("shape", lambda x: np.array(x.shape))
case("shape", lambda x: np.array(x.shape), 'shape(T("n=5", 2), "int64")')
case("ndarray_size", lambda x: np.array(x.size))
case("ndarray_size", lambda x: np.array(x.size), 'ndarray_size(T("n=5", 2), "int64")')
case("arange", lambda: np.arange(1, 10, 2))
case("arange", lambda: np.arange(5), 'arange(5, dtype="int32")')
case("arange", lambda: np.arange(5, -1, -2), 'arange(5, -1, -2, "int64")')
case("arange", lambda: np.arange(0, 1, 0.25), "arange(0, 1, 0.25)")
case("arange", lambda: np.arange(0.5, -4, -1.5).astype(int), 'arange(0.5, -4, -1.5, "int8")')
case("meshgrid", lambda a, b: np.meshgrid(a, b, indexing="ij"))
case("meshgrid", lambda *a: np.meshgrid(*a), 'meshgrid([T(2), T(3), T(4)], "xy")')
case(
    "sliding_window",
    lambda x: np.lib.stride_tricks.sliding_window_view(x, 3, 1),
)
case(
    "sliding_window",
    lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 3), (0, 1))[::2, ::3],
    "sliding_window(T(5, 9), 0, (2, 3), (2, 3))",
)

case("strided_slice", lambda x: x[1:6:2, -1:-6:-2])
for begin, end, strides in (
    ((0,), (3,), None), ((-2, 0), (100, 3), (1, 2)), ((5, 4), (0, -10), (-2, -1)),
    ((3,), (3,), None), ((None, 1), (None, None), (-1, 1)),
):  # fmt: skip
    steps = strides or (1,) * len(begin)
    slices = tuple(slice(*part) for part in zip(begin, end, steps, strict=True))
    case(
        "strided_slice",
        lambda x, s=slices: x[s],
        f"strided_slice(T(6, 5), {begin}, {end}, {strides})",
    )
case(
    "strided_slice",
    lambda x: x[1:3, 2:],
    'strided_slice(T(6, 5), (1, 2), (2, -1), slice_mode="size")',
)
case("strided_slice", lambda x: x[:, 1:3], "strided_slice(T(6, 5), (1,), (3,), axes=(1,))")


def after_set(x, v, *place):
    result = x.copy()
    result[place] = v
    return result


case("strided_set", lambda x, v: after_set(x, v, slice(1, 5, 2), slice(0, 5)))
case(
    "strided_set",
    lambda x, v: after_set(x, v, slice(5, 0, -2)),
    "strided_set(T(6, 5), T(3, 5), (5,), (0,), (-2,))",
)
LENGTHS = 'T({}, dtype="int32", of={})'


def masked(x, lengths, value, axis):
    x = x.copy()
    for b, length in enumerate(lengths):
        part = x[:, b] if axis == 0 else x[b]
        part[max(length, 0) :] = value
    return x


case(
    "sequence_mask",
    lambda x, n: masked(x, n, 7, 0),
    f"sequence_mask(T(4, 3, 2), {LENGTHS.format(3, '[2, -1, 9]')}, 7.0)",
)
case(
    "sequence_mask",
    lambda x, n: masked(x, n, 0, 1),
    f"sequence_mask(T(3, 4), {LENGTHS.format(3, '[0, 4, 1]')}, axis=1)",
)


def turned(x, lengths, batch_axis):
    x = np.moveaxis(x.copy(), batch_axis, 0)
    for b, length in enumerate(lengths):
        length = max(0, min(length, x.shape[1]))
        x[b, :length] = x[b, :length][::-1]
    return np.moveaxis(x, 0, batch_axis)


case(
    "reverse_sequence",
    lambda x, n: turned(x, n, 0),
    f"reverse_sequence(T(4, 5, 2), {LENGTHS.format(4, '[0, 3, 5, 99]')})",
)
case(
    "reverse_sequence",
    lambda x, n: turned(x, n, 1),
    f"reverse_sequence(T(4, 2), {LENGTHS.format(2, '[3, 1]')}, 0, 1)",
)


case("matrix_set_diag", lambda x, d: testing.matrix_set_diag(x, d, 0))
case(
    "matrix_set_diag",
    lambda x, d: testing.matrix_set_diag(x, d, 1),
    "matrix_set_diag(T(2, 3, 4), T(2, 3), 1)",
)
case(
    "matrix_set_diag",
    lambda x, d: testing.matrix_set_diag(x, d, -1),
    "matrix_set_diag(T(3, 4), T(2), -1)",
)


for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
    case(
        "matrix_set_diag",
        lambda x, d, a=align: testing.matrix_set_diag(x, d, (-1, 2), a),
        f'matrix_set_diag(T(3, 4), T(4, 3), (-1, 2), "{align}")',
    )
case("trilu", np.triu)
case("trilu", lambda x: np.tril(x, -1), "trilu(T(2, 4, 3), -1, False)")
case("eye", lambda: np.eye(3, 4, 1))
case("eye", lambda: np.eye(3), 'eye(3, dtype="int8")')

INDEX = 'T({}, dtype="{}", of={})'
case(
    "take",
    lambda x, i: x[np.clip(i, 0, 4)],
    f"take(T(5, 3), {INDEX.format('2, 3', 'int32', '[0, -1, 4, 9, 2, -2**31]')}, 0)",
)
case(
    "take",
    lambda x, i: x[:, i % 3],
    f"take(T(5, 3), {INDEX.format('4', 'int64', '[0, -1, 7, 2**62]')}, -1, mode='wrap')",
)
case(
    "take",
    lambda x, i: x.ravel()[np.clip(i, 0, 14)],
    f"take(T(5, 3), {INDEX.format('4', 'uint8', '[0, 3, 14, 255]')})",
)
case(
    "take",
    lambda x, i: np.stack([x[b][:, i[b]] for b in range(2)]),
    f"take(T(2, 3, 4), {INDEX.format('2, 2', 'int32', '[0, 1, 3, 2]')}, 2, 1)",
)
case(
    "take",
    lambda x, i: x[np.clip(i, 0, 4)],
    f"take(T(5), {INDEX.format('2', 'int8', '[-128, 127]')}, 0, mode='fast')",
)
case(
    "gather",
    lambda x, i: np.take_along_axis(x, np.clip(np.where(i < 0, i + 4, i), 0, 3), 1),
    f"gather(T(2, 4), 1, {INDEX.format('2, 3', 'int32', '[0, -1, 3, -99, 99, 1]')})",
)
case(
    "gather_nd",
    lambda x, i: x[tuple(i)],
    f"gather_nd(T(3, 4), {INDEX.format('2, 3', 'int32', '[0, 2, -1, 3, 0, -4]')})",
)
case(
    "gather_nd",
    lambda x, i: x[np.clip(i[0], 0, 2)],
    f"gather_nd(T(3, 4), {INDEX.format('1, 2', 'int64', '[2, 10**12]')})",
)
case("where", lambda c, x, y: np.where(c, x, y))
case("where", lambda c, x: np.where(c, x, 0), 'where(T(3, 1, dtype="int8"), T(4), 0)')
case(
    "one_hot",
    lambda i: (i[..., None] == np.arange(5)).astype("float32"),
    f'one_hot({INDEX.format("4", "int32", "[0, 4, 5, -1]")}, 1, 0, 5, -1, "float32")',
)
case(
    "one_hot",
    lambda i: np.where(i[:, None, :] == np.arange(3)[:, None], 7, -2),
    f'one_hot({INDEX.format("2, 2", "uint8", "[0, 2, 1, 9]")}, 7, -2, 3, 1, "int16")',
)
case("unravel_index", lambda i: np.array(np.unravel_index(i, (3, 4))),
     f"unravel_index({INDEX.format('3', 'int32', '[0, 7, 11]')}, (3, 4))")  # fmt: skip
case(
    "unravel_index",
    lambda i, s: np.array(np.unravel_index(i, tuple(s))),
    f"unravel_index({INDEX.format('3', 'int64', '[0, 7, 23]')}, "
    f"{INDEX.format('3', 'int32', '[2, 3, 4]')})",
)
case("adv_index", lambda x, i, j: x[i, j])
case("adv_index", lambda x, i: x[i], 'adv_index(T(4, 5), [T(3, dtype="int64")])')

FAR = 'T(3, dtype="uint64", of=np.array([2**63 + 1, 2**64 - 1, 1], "uint64"))'
case("take", lambda x, i: x[[3, 3, 1]], f"take(T(4), {FAR}, 0)")
case("take", lambda x, i: x[[0, 0, 1]], f'take(T(3), {FAR}, 0, mode="wrap")')
case("gather", lambda x, i: x[[3, 3, 1]], f"gather(T(4), 0, {FAR})")
case("sequence_mask", lambda x, n: np.stack([x[:, 0], x[:, 1], x[:, 2] * [1, 0, 0, 0]], 1),
     f"sequence_mask(T(4, 3), {FAR})")  # fmt: skip
case("reverse_sequence", lambda x, n: np.stack([x[0, ::-1], x[1, ::-1], x[2]]),
     f"reverse_sequence(T(3, 4), {FAR})")  # fmt: skip
case("strided_slice", lambda x: x[:3], 'strided_slice(T(5), (-7,), (3,), slice_mode="size")')
case("strided_slice", lambda x: x[-3:-1], 'strided_slice(T(5), (-3,), (2,), slice_mode="size")')
case("strided_slice", lambda x: x[2:], 'strided_slice(T(5), (2,), (-1,), slice_mode="size")')
case("left_shift", lambda x: x * 0, 'left_shift(T(3, dtype="int64"), 4000000000)')
case("take", lambda x, i: x[[0, 1]], 'take(T("n=3", 2), T(2, dtype="int32", of=[-4, 1]), 0)')
case("take", lambda x, i: np.zeros((2, 2)), 'take(T("n=0", 2), T(2, dtype="int32", of=[9, -9]), 0)')
case("gather", lambda x, i: np.zeros(2), 'gather(T("n=0"), 0, T(2, dtype="int32"))')
case("gather_nd", lambda x, i: np.zeros(2), 'gather_nd(T("n=0"), T(1, 2, dtype="int32"))')
case("adv_index", lambda x, i: np.zeros(2), 'adv_index(T("n=0"), [T(2, dtype="int32")])')

for first, then in (
    ("float32", "int32"), ("uint32", "float32"), ("int32", "uint32"), ("float64", "int64"),
    ("int64", "float64"), ("uint64", "int64"), ("float16", "int16"), ("int16", "bfloat16"),
    ("bfloat16", "uint16"), ("uint16", "float16"), ("int8", "uint8"), ("uint8", "int8"),
):  # fmt: skip
    case("reinterpret", lambda x, a=first, b=then: x.astype(np_dtype(a)).view(np_dtype(b)),
         f'reinterpret(T(4, 3, dtype="{first}"), "{then}")')  # fmt: skip
case("clip", lambda x: np.clip(x.astype("float64"), -1, 1))
case("cast", lambda x: x.astype("float64"))
case("elemwise_sum", lambda a, b, c: a + b + c)
case("full", lambda: np.full((4, 3), 2.5))
case("full_like", lambda x: np.full(x.shape, 2.5))
case("fixed_point_multiply", lambda x: 2 * x)
case("fast_exp", np.exp, roundings=8)
case("fast_tanh", np.tanh, roundings=16)
case("fast_erf", testing.erf_python, roundings=16)
