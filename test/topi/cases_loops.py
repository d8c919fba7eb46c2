"""Cases of sorting, scanning and scattering; importing the module enters them."""

import numpy as np
from topi_cases import case

case("cumsum", lambda x: x.cumsum(1), roundings=16)
case("cumsum", lambda x: x.cumsum(), "cumsum(T(3, 4))", 32)
case("cumsum", lambda x: x.cumsum(0) - x, "cumsum(T(3, 4), 0, exclusive=True)", 16)
case(
    "cumsum",
    lambda x: x.cumsum(0, dtype="int32"),
    'cumsum(T(9, dtype="int8", of=[99] * 9), 0, "int32")',
)
case("cumsum", lambda x: x.cumsum(0), 'cumsum(T("n=5", 2), 0)', 16)
case("cumprod", lambda x: x.cumprod(1), roundings=32)
case(
    "cumprod",
    lambda x: np.array([1, 2, 6, 24]),
    'cumprod(T(4, dtype="int16", of=[2, 3, 4, 5]), exclusive=True)',
)
case("cumprod", lambda x: x, "cumprod(T(0))")

TIES = "of=[3, 1, 3, np.nan, -1, 1, 0, 3, -np.inf, np.nan, np.inf, 1, 0]"


def order(x, axis=-1):
    """Stable, descending, NaN last."""
    return np.argsort(-x, axis, kind="stable")


case("sort", lambda x: np.sort(x, 1))
case("sort", np.sort, f"sort(T(13, {TIES}))")
case("sort", lambda x: x[order(x)], f"sort(T(13, {TIES}), is_ascend=0)")
case("sort", lambda x: np.sort(x, 0), 'sort(T(17, 3, dtype="uint8"), 0)')
case("sort", lambda x: x, "sort(T(0))")
case("sort", lambda x: x, "sort(T(1))")
case("sort", np.sort, 'sort(T("n=11"))')
case("argsort", lambda x: np.argsort(x, 1, kind="stable"))
case("argsort", lambda x: np.argsort(x, kind="stable"), f'argsort(T(13, {TIES}), dtype="int32")')
case("argsort", lambda x: order(x), f'argsort(T(13, {TIES}), is_ascend=0, dtype="int64")')
case(
    "argsort",
    lambda x, n: np.concatenate([np.argsort(x[:4], kind="stable"), [4, 5]]),
    'argsort(T(6), T(dtype="int32", of=4), dtype="int32")',
)
case("topk", lambda x: np.sort(x)[..., ::-1][..., :2])
case(
    "topk",
    lambda x: [x[order(x)][:5], order(x)[:5]],
    f"topk(T(13, {TIES}), 5)",
)
case("topk", lambda x: np.argsort(x, 0, kind="stable")[:2],
     'topk(T(7, 2, dtype="int8"), 2, 0, "indices", True)')  # fmt: skip
LONG = "of=[3, 1, 3, np.nan, -1, 1, 0, 3, -np.inf, np.nan, np.inf, 1, 0, 9, 2, 9, 3, 0]"
for count in (1, 2):
    case(
        "topk", lambda x, k=count: [x[order(x)][:k], order(x)[:k]], f"topk(T(18, {LONG}), {count})"
    )
    case("topk", lambda x, k=count: np.argsort(x, kind="stable")[:k],
         f'topk(T(18, {LONG}), {count}, 0, "indices", True, "int32")')  # fmt: skip
case("topk", lambda x: np.sort(x, 0)[::-1][:3], 'topk(T(24, 3, dtype="uint8"), 3, 0, "values")')
case("topk", lambda x: np.sort(x)[:, :2], 'topk(T(2, 17), 2, -1, "values", True)')
case("topk", lambda x: np.sort(x)[::-1], 'topk(T(5), 0, ret_type="values")')
ORDERED = "of=[-1, 0, 0, 2, 2, 5]"
for right in (False, True):
    case(
        "searchsorted",
        lambda s, v, r=right: np.searchsorted(s, v, "right" if r else "left"),
        f"searchsorted(T(6, {ORDERED}), T(2, 3, of=[-2, 0, 1, 2, 5, 9]), {right})",
    )
    case(
        "searchsorted",
        lambda s, v, r=right: np.stack(
            [np.searchsorted(a, b, "right" if r else "left") for a, b in zip(s, v, strict=True)]
        ),
        f'searchsorted(T(2, 3, of=[0, 1, 1, 5, 7, 9]), T(2, 2, of=[1, 0, 9, 6]), {right}, "int32")',
    )
case("searchsorted", lambda s, v: np.zeros(3), "searchsorted(T(0), T(3))")


def unique(x, *, in_order=True):
    values, firsts, inverse, counts = np.unique(x, True, True, True)
    if not in_order:
        turn = np.argsort(firsts)
        values, firsts, counts = values[turn], firsts[turn], counts[turn]
        inverse = np.argsort(turn)[inverse]
    long = [np.zeros(len(x), part.dtype) for part in (values, firsts, counts)]
    for target, part in zip(long, (values, firsts, counts), strict=True):
        target[: len(part)] = part
    return [long[0], long[1], inverse, np.array([len(values)]), long[2]]


case("unique", lambda x: unique(x)[:4], 'unique(T(7, dtype="int32", of=[3, 1, 3, 2, 1, 3, 9]))')
case("unique", lambda x: unique(x), "unique(T(7, of=[3, 1, 3, 2, 1, 3, 9]), True, True)")
case(
    "unique",
    lambda x: unique(x, in_order=False),
    "unique(T(7, of=[3, 1, 3, 2, 1, 3, 9]), False, True)",
)


def places(x):
    where = np.argwhere(x)
    result = np.zeros((x.size, x.ndim), "int32")
    result[: len(where)] = where
    return [result, np.array([len(where)])]


case("argwhere", places)
case("argwhere", places, 'argwhere(T(2, 3, 2, dtype="bool"))')
case("argwhere", places, 'argwhere(T(0, dtype="int8"))')

INDEX = 'T({}, dtype="{}", of={})'


def scattered(x, i, u, axis, add=False):
    x = x.copy()
    for place in np.ndindex(*i.shape):
        index = int(i[place]) + (x.shape[axis] if i[place] < 0 else 0)
        if 0 <= index < x.shape[axis]:
            target = (*place[:axis], index, *place[axis + 1 :])
            x[target] = u[place] + (x[target] if add else 0)
    return x


for name in ("scatter", "scatter_add"):
    for axis in (0, 1):
        case(
            name,
            lambda x, i, u, a=axis, add=name != "scatter": scattered(x, i, u, a, add),
            f"{name}(T(4, 3), {INDEX.format('2, 3', 'int32', '[0, 2, -1, 0, 99, -99]')}, "
            f"T(2, 3), {axis})",
            8,
        )


def scattered_nd(x, i, u, mode):
    x = x.copy()
    combine = {"update": lambda a, b: b, "add": np.add, "mul": np.multiply, "min": np.minimum,
               "max": np.maximum}[mode]  # fmt: skip
    for place in np.ndindex(*i.shape[1:]):
        at = tuple(
            int(v) + (n if v < 0 else 0) for v, n in zip(i[(..., *place)], x.shape, strict=False)
        )
        if all(0 <= v < n for v, n in zip(at, x.shape, strict=False)):
            x[at] = combine(x[at], u[place])
    return x


for mode in ("update", "add", "mul", "min", "max"):
    case(
        "scatter_nd",
        lambda x, i, u, m=mode: scattered_nd(x, i, u, m),
        f"scatter_nd(T(4, 3), {INDEX.format('1, 3', 'int64', '[1, 1, -9]')}, T(3, 3), '{mode}')",
        8,
    )
case(
    "scatter_nd",
    lambda x, i, u: scattered_nd(x, i, u, "add"),
    f"scatter_nd(T(4, 3), {INDEX.format('2, 4', 'int32', '[1, 1, -1, 4, 0, 0, 2, 0]')}, T(4), "
    "'add')",
    8,
)
case(
    "invert_permutation",
    lambda x: np.argsort(x),
    f"invert_permutation({INDEX.format('5', 'int32', '[3, 0, 4, 1, 2]')})",
)
case(
    "invert_permutation",
    lambda x: np.array([0, 2, 0]),
    f"invert_permutation({INDEX.format('3', 'int64', '[99, -9, 1]')})",
)


def dense(shape, i, v, default):
    x = np.full(shape, default, "float64")
    for k, index in enumerate(i.reshape(i.shape[0], -1) if i.ndim else [[i]]):
        if all(0 <= n < size for n, size in zip(index, shape, strict=True)):
            x[tuple(index)] = v[k] if v.ndim else v
    return x


case(
    "sparse_to_dense",
    lambda i, v: dense((4, 5), i, v, 0.5),
    f"sparse_to_dense({INDEX.format('3, 2', 'int32', '[0, 1, 3, 4, 9, 0]')}, (4, 5), T(3), 0.5)",
)
case(
    "sparse_to_dense",
    lambda i, v: dense((5,), i, v, 0),
    f"sparse_to_dense({INDEX.format('3', 'int64', '[4, 1, 4]')}, (5,), T())",
)

case("scanop", lambda x: np.cumsum(x, 1), roundings=16)
case("scanop", np.maximum.accumulate,
     'scanop(T(7), lambda a, b: te.max(a, b), te.min_value("float32"), "largest", 0)')  # fmt: skip
case("scanop", lambda x: np.array([1, 2, 6]),
     'scanop(T(3, dtype="int8", of=[2, 3, 4]), lambda a, b: a * b, 1, "p", 0, "int64", True)',
)  # fmt: skip


def compressed(holds, x, axis=None):
    kept = np.compress(holds, x, axis)
    shape = (x.size,) if axis is None else x.shape
    amounts = [(0, full - size) for full, size in zip(shape, kept.shape, strict=True)]
    return [np.pad(kept, amounts), np.array([kept.shape[axis or 0]])]


HOLDS = 'T(3, dtype="bool", of=[1, 0, 1])'
case("compress", lambda c, x: compressed(c, x, 0), f"compress({HOLDS}, T(4, 3), 0)")
case("compress", lambda c, x: compressed(c, x, -1), f"compress({HOLDS}, T(2, 4, 3), -1)")
case("compress", compressed, f'compress({HOLDS}, T(2, 3, dtype="int16"))')
case("compress", lambda c, x: compressed(c[:2], x, 0), f"compress({HOLDS}, T(2, 2), 0)")
case("compress", lambda c, x: compressed(c, x, 0), 'compress(T(0, dtype="bool"), T(2, 2), 0)')
