"""Operators that place, order and mark elements: types, computations, values."""

from __future__ import annotations

import numpy as np
import pytest
from operator_cases import Case, array_of, case, check, inferred

from kc import te
from kc.dialects.graph.declaration import RelationError, all_operators
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec
from kc.graph.lowering import Bounded, compute

N, M = dimension("n"), dimension("m")
D, P, U = np.arange(6).reshape(3, 2), np.array([[2, 0], [2, 1]]), np.array([[7, 8], [9, 3]])
X = np.array([[3, 1, 2], [1, 5, 1]], np.float32)
_MARKS = [
    ("annotation.stop_fusion", {}), ("annotation.checkpoint", {}),
    ("annotation.bitpack_start", {}), ("annotation.bitpack_end", {}),
    ("annotation.cast_hint", {"dtype": "int8"}), ("annotation.compiler_begin", {"compiler": "x"}),
    ("annotation.compiler_end", {"compiler": "x"}), ("on_device", {"device": "cpu"}),
    ("device_copy", {"src_device": "cpu", "dst_device": "cuda"}),
]  # fmt: skip
_AT = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def _placed(function, axis=0):
    """The data after the updates, one after the other."""

    def result(data, indices, updates):
        data = data.copy()
        for at in np.ndindex(indices.shape):
            place = list(at)
            place[axis] = indices[at]
            data[tuple(place)] = function(data[tuple(place)], updates[at])
        return data

    return result


def _last(old, new):
    return new


def _placed_nd(function):
    def result(data, indices, updates):
        data = data.copy()
        for at in np.ndindex(indices.shape[1:]):
            place = tuple(indices[:, *at])
            data[place] = function(data[place], updates[at])
        return data

    return result


CASES = [
    case("scatter", D, P, U, expected=_placed(_last)),
    case("scatter", D, P[:, :1] % 2, U[:, :1], axis=-1, expected=_placed(_last, 1)),
    case("scatter_add", D, P, U, axis=0, expected=_placed(np.add)),
    case("scatter_elements", D, P, U, expected=_placed(_last)),
    *(case("scatter_elements", D, P, U, reduction=word, expected=_placed(f))
      for word, f in _AT.items()),
    case("scatter_elements", D, P[:, :1] % 2, U[:, :1], axis=1, reduction="max",
         expected=_placed(np.maximum, 1)),
    case("scatter_reduce", D, P, U, mode="amax", include_self=False,
         expected=lambda *_: np.array([[0, 8], [2, 3], [9, 5]])),
    case("scatter_reduce", D, P, U, mode="mean",
         expected=lambda *_: np.array([[0, 4], [2, 3], [6, 5]])),
    *(case("scatter_nd", D, np.array([[2, 0, 2]]), "3x2xint64", mode=word, expected=_placed_nd(f))
      for word, f in (_AT | {"update": _last}).items()),
    case("scatter_nd", D, np.array([[2, 0], [1, 1]]), np.array([5, 6]), expected=_placed_nd(_last)),
    case("invert_permutation", np.array([2, 0, 1]), expected=np.argsort),
    case("sparse_to_dense", np.array([[0, 1], [2, 3]]), "2xfloat32", output_shape=(3, 4),
         expected=lambda i, v: _placed_nd(_last)(np.zeros((3, 4)), i.T, v)),
    case("sparse_to_dense", np.array([[0, 1], [2, 3]]), "2xfloat32", np.float32(9),
         output_shape=(3, 4),
         expected=lambda i, v, d: _placed_nd(_last)(np.full((3, 4), d), i.T, v)),
    case("sparse_to_dense", np.array([0, 3]), np.int8(5), np.int8(-1), output_shape=(4,),
         expected=lambda *_: np.array([5, -1, -1, 5])),
    case("sparse_to_dense", np.int32(2), np.int8(5), output_shape=(4,),
         expected=lambda *_: np.array([0, 0, 5, 0])),
    case("index_put", "3x4xint8", "2xint8", np.array([0, 2]), np.array([1, -1]),
         expected=lambda x, v, i, j: _set(x, (i, j), v)),
    case("index_put", "3x4xint8", np.int8(5), np.array([1, 1]), axes=(1,), accumulate=True,
         expected=lambda x, v, j: x + np.array([0, 10, 0, 0])),
    case("masked_scatter", "2x3xint8", np.array([[True, False, True]]), "6xint8",
         expected=lambda x, m, s: _set(x, np.broadcast_to(m, x.shape), s[:4])),
    case("slice_scatter", "2x5xint8", "2x2xint8", axis=-1, start=1, step=2,
         expected=lambda x, s: _set(x, (slice(None), slice(1, 4, 2)), s)),
    case("sort", X, axis=1, expected=lambda x: np.sort(x, 1)),
    case("sort", X, axis=0, is_ascend=0, expected=lambda x: np.sort(x, 0)[::-1]),
    case("argsort", X, expected=lambda x: np.argsort(x, 1, kind="stable")),
    case("argsort", X, axis=0, is_ascend=False, dtype="float32",
         expected=lambda x: np.array([[0, 1, 0], [1, 0, 1]])),
    case("topk", X, k=2, expected=lambda x: (-np.sort(-x, 1)[:, :2], np.array([[0, 2], [1, 0]]))),
    case("topk", X, k=1, axis=0, ret_type="values", is_ascend=True,
         expected=lambda x: x.min(0, keepdims=True)),
    case("topk", X, k=0, ret_type="indices", dtype="int64",
         expected=lambda x: np.argsort(-x, 1, kind="stable")),
    case("searchsorted", np.array([1, 2, 2, 3]), np.array([[2, 4]]),
         expected=lambda s, v: np.searchsorted(s, v)),
    case("searchsorted", np.array([1, 2, 2, 3]), np.array([2, 0]), right=True, dtype="int64",
         expected=lambda s, v: np.searchsorted(s, v, "right")),
    case("unique", np.array([3, 1, 3, 2]), return_counts=True, expected=lambda x: (
        np.array([1, 2, 3, 0]), np.array([1, 3, 0, 0]), np.array([2, 0, 2, 1]), np.array([3]),
        np.array([1, 1, 2, 0]))),
    case("unique", np.array([3, 1, 3]), is_sorted=False, expected=lambda x: (
        np.array([3, 1, 0]), np.array([0, 1, 0]), np.array([0, 1, 0]), np.array([2]))),
    case("argwhere", X - 1, constants=(0,), expected=np.argwhere),
    case("argwhere", np.zeros((2, 2), bool), constants=(0,), expected=np.argwhere),
    case("cumsum", X, axis=-1, expected=lambda x: np.cumsum(x, 1)),
    case("cumsum", X, expected=np.cumsum),
    case("cumsum", "4xint8", axis=0, dtype="int32", exclusive=True,
         expected=lambda x: np.cumsum(x, dtype="int32") - x),
    case("cumprod", X, axis=0, expected=lambda x: np.cumprod(x, 0)),
    *(case(name, X, expected=np.copy, **attributes) for name, attributes in _MARKS),
]  # fmt: skip


def _set(x, where, values):
    x = x.copy()
    x[where] = values
    return x


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_numpy_does(each: Case) -> None:
    check(each)


def _of(*shape, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(shape, dtype)


@pytest.mark.parametrize(
    ("name", "specs", "attributes", "result"),
    [
        ("scatter", [_of(N, M), _of(2, M, dtype="int32"), _of(2, M)], {}, _of(N, M)),
        ("sort", [_of(N, M)], {"axis": 0}, _of(N, M)),
        ("topk", [_of(N, M)], {"k": 2}, (_of(N, 2), _of(N, 2, dtype="int32"))),
        ("topk", [_of(N, M)], {"k": 0, "ret_type": "values"}, _of(N, M)),
        ("cumsum", [_of(N, M)], {}, _of(N * M)),
        ("argwhere", [_of(N, M)], {}, _of(None, 2, dtype="int32")),
        ("unique", [_of(N)], {}, (_of(N), *[_of(N, dtype="int32")] * 2, _of(1, dtype="int32"))),
        ("sparse_to_dense", [_of(M, 2, dtype="int32"), _of(M)], {"output_shape": (N, 3)},
         _of(N, 3)),
    ],
)  # fmt: skip
def test_symbolic_sizes_are_exact(name, specs, attributes, result) -> None:
    assert inferred(name, *specs, **attributes) == result


def test_a_number_of_results_that_is_not_known_is_bounded() -> None:
    (result,) = compute(all_operators()["argwhere"](), [te.placeholder((2, 3), name="data")])
    assert isinstance(result, Bounded)
    assert [int(size) for size in result.tensor.shape] == [6, 2]
    assert [int(size) for size in result.count.shape] == [1]


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "part"),
    [
        ("scatter", [D, P, U], {"axis": 2}, "axis is 2"),
        ("scatter", [D, P, U.astype("int8")], {}, "must be int64"),
        ("scatter", [D, P, U[:1]], {}, "are 2 and 1"),
        ("scatter", [D[:, :1], P, U], {}, "larger in dimension 1"),
        ("scatter_add", [D > 0, P, U > 0], {}, "must be numbers"),
        ("scatter_elements", [D, P, U], {"reduction": "x"}, "update, add"),
        ("scatter_reduce", [D, P, U], {"mode": "x"}, "sum, prod"),
        ("scatter_nd", [D, "3x1xint8", U], {}, "from 1 to 2"),
        ("scatter_nd", [D, "2x1xint8", U], {}, "1 dimensions"),
        ("sparse_to_dense", ["2x3xint8", "2xint8"], {"output_shape": (4, 4)}, "are 3 and 2"),
        ("sparse_to_dense", ["2xint8", "3xint8"], {"output_shape": (4,)}, "are 2 and 3"),
        ("sparse_to_dense", ["2xint8", "2xint8", "int32"], {"output_shape": (4,)}, "int8"),
        ("index_put", [D, "int64"], {}, "0 indices"),
        ("index_put", [D, "int64", "2xint8", "2xint8"], {"axes": (0, -2)}, "twice"),
        ("index_put", [D, "3xint64", "2xint8"], {}, "are 3 and 2"),
        ("masked_scatter", [D, "3x1xint8", "2xint64"], {}, "must be bool"),
        ("slice_scatter", [D, D], {"start": 1}, "1 to 3"),
        ("topk", [X], {"k": 4}, "k is 4"),
        ("topk", [X], {"ret_type": "x"}, "both, values"),
        ("sort", ["float32"], {}, "0 dimensions"),
        ("searchsorted", ["2x3xint8", "3xint8"], {}, "1 dimensions"),
        ("unique", [X], {}, "1 dimensions"),
        ("cumsum", ["2xbool"], {}, "must be numbers"),
        ("annotation.cast_hint", [X], {"dtype": "x"}, "dtype is 'x'"),
    ],
)
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    specs = [TensorSpec(a.shape, str(a.dtype)) for a in map(array_of, operands)]
    with pytest.raises(RelationError, match=part):
        inferred(name, *specs, **attributes)
