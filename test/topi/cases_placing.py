"""Cases of elements placed by indices and masks, and of views; importing the module enters them."""

import math

import numpy as np
from topi_cases import case


def placed(x, *rest, axes=None, accumulate=False):
    """numpy's assignment; duplicates are visited in order."""
    *indices, values = rest
    axes = list(range(len(indices))) if axes is None else axes
    key: list = [slice(None)] * x.ndim
    for axis, index in zip(axes, indices, strict=True):
        key[axis] = index.astype("int64")
    result = x.copy()
    if accumulate:
        np.add.at(result, tuple(key), values)
    else:
        result[tuple(key)] = values
    return result


INDEX = 'T({}, dtype="{}", of={})'
first = INDEX.format("3", "int64", "[2, -4, 1]")
case("index_put", placed)
case("index_put", placed, f"index_put(T(4, 3), [{first}], T())")
case(
    "index_put",
    lambda *x: placed(*x, accumulate=True),
    f"index_put(T(4, 3), [{INDEX.format('2, 3', 'int32', '[1, 1, -3, 0, 1, -1]')}], T(3, 3), "
    "None, True)",
    8,
)
case(
    "index_put",
    lambda *x: placed(*x, axes=[2, 1]),
    f"index_put(T(2, 3, 4), [{INDEX.format('2, 1', 'int16', '[-1, 0]')}, "
    f"{INDEX.format('3', 'int64', '[0, 2, 1]')}], T(2, 2, 1), [2, 1])",
)
case(
    "index_put",
    lambda *x: placed(*x, axes=[0, 2], accumulate=True),
    f"index_put(T(2, 3, 4), [{INDEX.format('2', 'int64', '[1, 1]')}, "
    f"{INDEX.format('2', 'uint8', '[3, 3]')}], T(2, 3), [0, 2], True)",
)
case("index_put", placed, 'index_put(T(4, 3), [T(0, dtype="int64")], T(0, 3))')
case("index_put", placed, 'index_put(T("n=4", 3), [T("m=2", dtype="int64", of=[3, -4])], T(3))')
case(  # the last of equal ones, and none that is outside
    "index_put",
    lambda x, i, v: np.array([v[2], x[1], x[2], v[0]]),
    f"index_put(T(4), [{INDEX.format('5', 'int64', '[3, 0, -4, 4, -5]')}], T(5))",
)


REDUCE = {
    "sum": np.add, "prod": np.multiply, "mean": np.add, "amax": np.maximum, "amin": np.minimum,
}  # fmt: skip


def combined(x, i, u, axis, mode, include_self):
    """Terms of each element in lists."""
    terms = {at: [x[at]] if include_self else [] for at in np.ndindex(*x.shape)}
    for at in np.ndindex(*i.shape):
        place = int(i[at]) + (x.shape[axis] if i[at] < 0 else 0)
        if 0 <= place < x.shape[axis]:
            terms[(*at[:axis], place, *at[axis + 1 :])].append(u[at])
    result = x.copy()
    for at, values in terms.items():
        if not values:
            continue
        total = REDUCE[mode].reduce(np.array(values))
        if mode == "mean":
            total = total // len(values) if x.dtype.kind in "iu" else total / len(values)
        result[at] = total
    return result


for mode in REDUCE:
    for include_self in (True, False):
        index = INDEX.format("4, 2", "int64", "[0, 1, 0, -1, 0, 1, 5, 1]")
        case(
            "scatter_reduce",
            lambda x, i, u, m=mode, s=include_self: combined(x, i, u, 0, m, s),
            f"scatter_reduce(T(3, 2), {index}, T(4, 2), 0, '{mode}', {include_self})",
            16,
        )
    case(
        "scatter_reduce",
        lambda x, i, u, m=mode: combined(x, i, u, 1, m, False),
        f"scatter_reduce(T(2, 3, dtype='int32'), {INDEX.format('1, 3', 'int32', '[1, 1, -1]')}, "
        f"T(1, 3, dtype='int32'), 1, '{mode}', False)",
    )
    case(
        "scatter_reduce",
        lambda x, i, u, m=mode: combined(x, i, u, 0, m, True),
        f"scatter_reduce(T(3, of=[1, np.nan, 2]), {INDEX.format('3', 'int64', '[0, 1, 2]')}, "
        f"T(3, of=[np.nan, 1, 2]), 0, '{mode}')",
    )
case("scatter_reduce", lambda x, i, u: x,
     'scatter_reduce(T(3, 2), T(0, 2, dtype="int64"), T(0, 2), 0, "amin", False)')  # fmt: skip
case("scatter_reduce", lambda x, i, u: np.array([max(x[0], u[0]), x[1]]),
     'scatter_reduce(T(2), T(2, dtype="uint64", of=[0, 2**63 + 1]), T(2), 0, "amax")')  # fmt: skip


def masked(x, mask, source):
    result = x.copy()
    mask = np.broadcast_to(mask, x.shape)
    count = min(int(mask.sum()), source.size)
    places = np.flatnonzero(mask)[:count]
    result.reshape(-1)[places] = source.reshape(-1)[:count]
    return result


case("masked_scatter", masked)
case("masked_scatter", masked, 'masked_scatter(T(3, 4), T(4, dtype="bool"), T(2, 6))')
case("masked_scatter", masked, 'masked_scatter(T(3, 4), T(3, 4, dtype="bool"), T(2))')
case("masked_scatter", masked, 'masked_scatter(T(2, 2), T(2, 2, dtype="bool"), T(0))')
case("masked_scatter", masked, 'masked_scatter(T(), T(dtype="bool", of=[1]), T(3))')
case("masked_scatter", masked, 'masked_scatter(T(0, 3), T(0, 3, dtype="bool"), T(2))')
case("masked_scatter", masked, 'masked_scatter(T("n=3", 2), T("n=3", 1, dtype="bool"), T("m=4"))')


def sliced(x, v, axis, start, step):
    result = x.copy()
    stop = start + v.shape[axis] * step
    key = [slice(None)] * x.ndim
    key[axis] = slice(start, stop, step)
    result[tuple(key)] = v
    return result


for call, more in {
    "T(6, 5), T(2, 5), 0, 1, 3": (0, 1, 3),
    "T(6, 5), T(6, 2), -1, 3": (1, 3, 1),
    "T(6, 5), T(0, 5), 0, 6": (0, 6, 1),
    'T("n=6", 5), T("m=2", 5), 0, 1, 2': (0, 1, 2),
    'T(4, 5, dtype="bool"), T(4, 3, dtype="bool"), 1, 0, 2': (1, 0, 2),
}.items():
    case("slice_scatter", lambda x, v, m=more: sliced(x, v, *m), f"slice_scatter({call})")

for call, more in {
    "T(3, 4), 1": (1,), "T(3, 4), -2": (-2,), "T(3, 4, 5), 0, -1, 0": (0, -1, 0),
    "T(3, 4), 7": (7,),
    "T(0, 4)": (), 'T("n=5", 2, "n=5"), -1, 0, 2': (-1, 0, 2),
    'T("n=3", "n=3"), 1': (1,),
}.items():  # fmt: skip
    case("diagonal", lambda x, m=more: np.diagonal(x, *m), f"diagonal({call})")


def strided(x, shape, strides, offset=0):
    """By the numbers of elements."""
    flat = x.reshape(-1)
    result = np.empty(shape, x.dtype)
    for at in np.ndindex(*shape):
        result[at] = flat[offset + sum(map(math.prod, zip(at, strides, strict=True)))]
    return result


for call, more in {
    "T(3, 4), (2, 3), (4, 1), 1": ((2, 3), (4, 1), 1), "T(3, 4), (5, 3), (2, 1)": ((5, 3), (2, 1)),
    "T(3, 4), (2, 2, 3), (0, 3, -1), 5": ((2, 2, 3), (0, 3, -1), 5),
    "T(3, 4), (), (), 7": ((), (), 7),
    "T(3, 4), (0, 9), (100, 100)": ((0, 9), (100, 100)), "T(), (2, 2), (0, 0)": ((2, 2), (0, 0)),
}.items():  # fmt: skip
    case("as_strided", lambda x, m=more: strided(x, *m), f"as_strided({call})")


def distances(x, y, p=2.0):
    apart = np.abs(x[..., :, None, :] - y[..., None, :, :])
    if p == np.inf:
        return apart.max(-1, initial=0)
    if p == 0:
        return (apart != 0).sum(-1).astype(apart.dtype)
    return (apart**p).sum(-1) ** (1 / p)


for call, more in {
    "T(2, 4, 3), T(5, 3)": (), "T(4, 3), T(2, 5, 3), 1.0": (1.0,), "T(4, 3), T(5, 3), 0": (0,),
    "T(4, 3), T(5, 3), math.inf": (np.inf,), "T(4, 3), T(5, 3), 3": (3,),
    "T(4, 0), T(5, 0), math.inf": (np.inf,), "T(0, 3), T(5, 3)": (), 'T("n=2", 3), T("m=3", 3)': (),
    'T(2, 3, dtype="float64", of=[1, 2, np.nan, 4, 5, 6]), T(1, 3, dtype="float64"), 1': (1,),
}.items():  # fmt: skip
    case("cdist", lambda x, y, m=more: distances(x, y, *m), f"cdist({call})", 32)
for call, more in {
    "T(7, 3)": (), "T(2, 3), 1": (1,), "T(1, 3)": (), "T(5, 2), math.inf": (np.inf,), "T(0, 2)": (),
    "T(4, 0)": (),
}.items():  # fmt: skip
    case(
        "pdist",
        lambda x, m=more: distances(x, x, *m)[np.triu_indices(len(x), 1)],
        f"pdist({call})",
        32,
    )

for call, heads, tails in (
    ("T(3, 4), (1, 2), (0, 3)", (1, 2), (0, 3)), ("T(2, 3, 4), (1,)", (1, 0, 0), (1, 0, 0)),
    ("T(3, 4), (7, 0), (0, 9)", (7, 0), (0, 9)), ('T("n=3", 2), (2, 1)', (2, 1), (2, 1)),
    ("T(0, 4), (0, 1)", (0, 1), (0, 1)),
):  # fmt: skip
    case("nn.edge_pad",
         lambda x, h=heads, t=tails: np.pad(x, list(zip(h, t, strict=True)), "edge"),
         f"nn.edge_pad({call})")  # fmt: skip
case("nn.edge_pad", lambda x: np.pad(x, ((0, 0), (0, 2)), "edge")[1:, 1:],
     "nn.edge_pad(T(3, 4), (-1, -1), (0, 2))")  # fmt: skip

VALUES = "[0.0, -0.0, 1e-3, 0.47, -0.46, 2.5, -3.5, 4.5, 9.0, -30.0, np.inf, -np.inf, np.nan, 26.5]"
for dtype in ("float32", "float64", "float16", "bfloat16"):
    case("erfc", np.vectorize(math.erfc, otypes=["float64"]),
         f'erfc(T(14, dtype="{dtype}", of={VALUES}))', 2)  # fmt: skip
