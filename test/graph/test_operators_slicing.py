"""Operators that select parts and elements: types, computations, values."""

from __future__ import annotations

import numpy as np
import pytest
from operator_cases import Case, array_of, case, check, inferred

import kc
from kc import te
from kc.dialects.graph.declaration import RelationError
from kc.dialects.graph.operators.slicing import StridedSlice
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec
from kc.graph.lowering import compute

N, M = dimension("n"), dimension("m")
F = "4x5xfloat32"
T = "2x3x4xint32"
FAR = 2**31 - 1


def _index(*numbers, dtype="int32"):
    return np.array(numbers, dtype)


def _set(x, v, where):
    x = x.copy()
    x[where] = v
    return x


def _masked(x, lengths):
    return np.where(np.arange(x.shape[0])[:, None] < lengths[None, :], x, 9)


def _with_diagonal(x, d):
    x = x.copy()
    np.fill_diagonal(x[:, 1:], d)
    return x


CASES = [
    case("strided_slice", F, begin=(1, -1), end=(4, 0), strides=(2, -2),
         expected=lambda x: x[1:4:2, -1:0:-2]),
    case("strided_slice", F, begin=(1,), end=(FAR,), expected=lambda x: x[1:]),
    case("strided_slice", F, begin=(-1,), end=(-FAR,), strides=(-1,), expected=lambda x: x[::-1]),
    case("strided_slice", F, begin=(None, 2), end=(None, None), strides=-1,
         expected=lambda x: x[::-1, 2::-1]),
    case("strided_slice", F, begin=(1,), end=(3,), axes=(-1,), expected=lambda x: x[:, 1:3]),
    case("strided_slice", F, begin=(9,), end=(10,), expected=lambda x: x[9:10]),
    case("strided_slice", F, begin=(FAR,), end=(FAR,), expected=lambda x: x[:0]),
    case("strided_slice", F, begin=(1, 2), end=(2, -1), slice_mode="size",
         expected=lambda x: x[1:3, 2:]),
    case("strided_slice", F, begin=(-3,), end=(2,), slice_mode="size",
         expected=lambda x: x[1:3]),
    case("strided_slice", F, begin=(), end=(), expected=np.copy),
    case("strided_set", "4x5xint8", "2x5xint8", begin=(1,), end=(4,), strides=(2,),
         expected=lambda x, v: _set(x, v, slice(1, 4, 2))),
    case("strided_set", "4x5xint8", "4x2xint8", begin=(0, -1), end=(4, 0), strides=(1, -2),
         expected=lambda x, v: _set(x, v, (slice(None), slice(-1, 0, -2)))),
    case("slice_like", F, "2x3xint8", expected=lambda x, _: x[:2, :3]),
    case("slice_like", F, "9x3xint8", axes=(-1,), expected=lambda x, _: x[:, :3]),
    case("sequence_mask", "4x2xint8", _index(1, 3), mask_value=9, expected=_masked),
    case("sequence_mask", "2x4x1xfloat32", _index(1, 3), mask_value=0.5, axis=1,
         expected=lambda x, n: np.where((np.arange(4) < n[:, None])[..., None], x, 0.5)),
    case("reverse_sequence", "2x4xint8", _index(3, 1),
         expected=lambda x, _: np.stack([x[0, [2, 1, 0, 3]], x[1]])),
    case("reverse_sequence", "4x2xint8", _index(2, 4), seq_axis=0, batch_axis=-1,
         expected=lambda x, _: np.stack([x[[1, 0, 2, 3], 0], x[::-1, 1]], 1)),
    case("matrix_set_diag", "3x4xint8", "3xint8", k=1, expected=_with_diagonal),
    case("matrix_set_diag", "2x2xint8", "3x2xint8", k=(-1, 1), align="LEFT_LEFT",
         expected=lambda x, d: np.array([[d[1, 0], d[0, 0]], [d[2, 0], d[1, 1]]])),
    case("trilu", "2x3x4xint8", k=1, expected=lambda x: np.triu(x, 1)),
    case("trilu", "3x4xint8", upper=False, expected=np.tril),
    case("eye", n=3, m=4, k=1, dtype="int8", expected=lambda: np.eye(3, 4, 1)),
    case("eye", n=2, expected=lambda: np.eye(2)),
    case("diagonal", T, offset=-1, axis1=1, axis2=-1, expected=lambda x: np.diagonal(x, -1, 1, 2)),
    case("as_strided", "3x4xint8", shape=(2, 3), strides=(4, 1), offset=1,
         expected=lambda x: x[:2, 1:4]),
    case("take", F, _index(3, -1, 9), expected=lambda x, _: x.ravel()[[3, 0, 9]]),
    case("take", F, np.array([[1, 7]], np.int8), axis=-1, expected=lambda x, _: x[:, [[1, 4]]]),
    case("take", F, _index(-1, 7), axis=1, mode="wrap", expected=lambda x, _: x[:, [4, 2]]),
    case("take", F, np.int64(2), axis=0, expected=lambda x, _: x[2]),
    case("take", "2x3x4xint8", np.array([[1], [2]]), axis=2, batch_dims=1,
         expected=lambda x, i: np.stack([x[0][:, i[0]], x[1][:, i[1]]])),
    case("gather", F, np.array([[1, -1], [0, 2]]), axis=1,
         expected=lambda x, i: np.take_along_axis(x[:2], i, 1)),
    case("gather_nd", "3x4xint8", np.array([[0, 2], [1, -1]]), expected=lambda x, i: x[tuple(i)]),
    case("gather_nd", "3x4xint8", np.array([[0, 2]]), expected=lambda x, i: x[i[0]]),
    case("gather_nd", "2x3x4xint8", np.array([[[1, 2], [0, 0]]]), batch_dims=1,
         expected=lambda x, i: np.stack([x[0][i[0, 0]], x[1][i[0, 1]]])),
    case("gather_nd", "2x3x4xint8", np.array([[1, 2]]), batch_dims=1,
         expected=lambda x, i: np.stack([x[0, 1], x[1, 2]])),
    case("one_hot", _index(0, 2, 5), np.int32(3), np.int32(-1), depth=3, axis=0, dtype="int8",
         expected=lambda i, on, off: np.where(np.arange(3)[:, None] == i, on, off)),
    case("one_hot", np.int64(1), np.float32(1), np.float32(0), depth=3, axis=-1, dtype="float32",
         expected=lambda *_: np.array([0, 1, 0])),
    case("adv_index", "4x5x2xint8", _index(1, -1), np.array([[0], [3], [2]]),
         expected=lambda x, i, j: x[i, j]),
    case("unravel_index", _index(0, 7, 11), _index(3, 4),
         expected=lambda i, s: np.stack(np.unravel_index(i, tuple(s)))),
    case("compress", np.array([True, False, True]), "3x2xint8", axis=0,
         expected=lambda c, x: (np.stack([x[0], x[2], [0, 0]]), np.array([2]))),
    case("compress", np.array([False, True]), "3xint8",
         expected=lambda c, x: (np.array([x[1], 0, 0]), np.array([1]))),
]  # fmt: skip


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_numpy_does(each: Case) -> None:
    check(each)


def _of(*shape, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(shape, dtype)


I2 = _of(2, dtype="int32")


@pytest.mark.parametrize(
    ("name", "specs", "attributes", "result"),
    [
        ("strided_slice", [_of(N, 4)], {"begin": (0, 1), "end": (None, 3)}, _of(N, 2)),
        ("strided_slice", [_of(N)], {"begin": (1,), "end": (-2,)}, _of(N - 3)),
        ("strided_slice", [_of(N)], {"begin": (-2,), "end": (None,)}, _of(2)),
        ("strided_slice", [_of(N)], {"begin": (0,), "end": (None,), "strides": (2,)},
         _of((N + 1) // 2)),
        ("strided_slice", [_of(N)], {"begin": (None,), "end": (None,), "strides": (-1,)}, _of(N)),
        ("strided_slice", [_of(N)], {"begin": (0,), "end": (5,)}, _of(None)),
        ("strided_slice", [_of(None, 3)], {"begin": (0,), "end": (5,)}, _of(None, 3)),
        ("slice_like", [_of(N, 4), _of(M, 2)], {}, _of(M, 2)),
        ("sequence_mask", [_of(N, M), _of(M, dtype="int32")], {}, _of(N, M)),
        ("take", [_of(N, 4), _of(M, 2, dtype="int32")], {"axis": 0}, _of(M, 2, 4)),
        ("take", [_of(N, 4, 3), _of(N, M, dtype="int32")], {"axis": 1, "batch_dims": 1},
         _of(N, M, 3)),
        ("gather", [_of(N, 4), _of(N, 2, dtype="int32")], {"axis": 1}, _of(N, 2)),
        ("gather_nd", [_of(N, 4, M), _of(2, None, dtype="int32")], {}, _of(None, M)),
        ("one_hot", [_of(N, dtype="int32"), _of(), _of()],
         {"depth": 4, "axis": -1, "dtype": "int8"}, _of(N, 4, dtype="int8")),
        ("adv_index", [_of(N, 4, M), _of(N, dtype="int32")], {}, _of(N, 4, M)),
        ("diagonal", [_of(N, N)], {"offset": -1}, _of(N - 1)),
        ("diagonal", [_of(N, M)], {}, _of(None)),
        ("eye", [], {"n": N}, _of(N, N)),
    ],
)  # fmt: skip
def test_symbolic_sizes_are_exact(name, specs, attributes, result) -> None:
    assert inferred(name, *specs, **attributes) == result


@pytest.mark.parametrize(
    ("begin", "end", "stride"),
    [(1, None, 1), (-3, None, 1), (2, -1, 2), (None, None, -1), (None, -2, 1), (None, None, -2)],
)
def test_symbolic_slices_are_computed(begin, end, stride) -> None:
    operator = StridedSlice(begin=(begin,), end=(end,), strides=(stride,))
    data = te.placeholder((te.var("n"), 2), "int32", "data")
    built = kc.build([data, *compute(operator, [data])])
    x = np.arange(14, dtype=np.int32).reshape(7, 2)
    np.testing.assert_array_equal(built(x), x[begin:end:stride])


def test_a_symbolic_size_that_is_not_told_is_refused() -> None:
    operator = StridedSlice(begin=(0,), end=(5,))
    with pytest.raises(kc.error.GraphError, match="KC2411"):
        compute(operator, [te.placeholder((te.var("n"),), "int32", "data")])


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "part"),
    [
        ("strided_slice", [F], {"begin": (0,), "end": (1,), "strides": (0,)}, "must not be 0"),
        ("strided_slice", [F], {"begin": (0, 0, 0), "end": (1, 1, 1)}, "of 2"),
        ("strided_slice", [F], {"begin": (0, 0), "end": (1, 1), "axes": (0, -2)}, "twice"),
        ("strided_slice", [F], {"begin": (0,), "end": (1, 2)}, "end is"),
        ("strided_slice", [F], {"begin": (0,), "end": (1,), "slice_mode": "x"}, "end, size"),
        ("strided_slice", [F], {"begin": (0,), "end": (-2,), "slice_mode": "size"}, "size -2"),
        ("strided_set", [F, F], {"begin": (1,), "end": (4,)}, "are 3 and 4"),
        ("strided_set", [F, "4x5xint8"], {"begin": (0,), "end": (4,)}, "must be float32"),
        ("slice_like", [F, "5x5xint8"], {}, "has not 5"),
        ("slice_like", [F, "5xint8"], {}, "must have 2"),
        ("slice_like", [F, "5xint8"], {"axes": (1,)}, "no dimension 1"),
        ("sequence_mask", [F, "4xint32"], {}, "are 4 and 5"),
        ("sequence_mask", ["4xint8", "4xint32"], {}, "2 dimensions or more"),
        ("reverse_sequence", [F, "4xint32"], {"seq_axis": 0}, "twice"),
        ("matrix_set_diag", [F, "3xfloat32"], {}, "are 3 and 4"),
        ("matrix_set_diag", [F, "4xfloat32"], {"k": (1, 0)}, "a first and a last"),
        ("trilu", ["4xint8"], {}, "2 dimensions or more"),
        ("diagonal", [F], {"axis2": 0}, "twice"),
        ("as_strided", [F], {"shape": (3, 3), "strides": (9, 1)}, "0 to 20"),
        ("take", [F, F], {"axis": 0}, "must be integers"),
        ("take", [F, "2xint8"], {"axis": 0, "mode": "bounce"}, "clip, wrap, fast"),
        ("take", [F, "2xint8"], {"axis": 0, "batch_dims": 1}, "batch_dims is 1"),
        ("take", ["0x2xint8", "2xint8"], {"axis": 0}, "no elements"),
        ("gather", [F, "5x5xint8"], {"axis": 1}, "larger in dimension 0"),
        ("gather_nd", [F, "3x1xint8"], {}, "2 dimensions"),
        ("gather_nd", [F, "int8"], {}, "must be a number"),
        ("one_hot", ["2xint8", "int8", "int8"], {"depth": -1, "axis": 0, "dtype": "int8"}, "-1"),
        ("one_hot", ["2xint8", "1xint8", "int8"], {"depth": 1, "axis": 0, "dtype": "int8"}, "0 d"),
        ("adv_index", [F], {}, "an index"),
        ("adv_index", [F, "2xint8", "3xint8"], {}, "2 and 3"),
        ("unravel_index", ["2xint8", "2x2xint8"], {}, "1 dimensions"),
    ],
)
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    specs = [TensorSpec(a.shape, str(a.dtype)) for a in map(array_of, operands)]
    with pytest.raises(RelationError, match=part):
        inferred(name, *specs, **attributes)
