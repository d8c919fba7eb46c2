"""Operators that move elements: types, computations, values."""

from __future__ import annotations

import numpy as np
import pytest
from operator_cases import Case, array_of, case, check, inferred

import kc
from kc import te
from kc.dialects.graph.declaration import RelationError, all_operators
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec
from kc.graph.lowering import compute

N, M = dimension("n"), dimension("m")
F = "2x3xfloat32"
T = "2x3x4xint32"


def _shaped(*shape: int):
    return lambda x, *_: x.reshape(shape)


def _windows(x):
    return np.lib.stride_tricks.sliding_window_view(x, (2, 3), (1, 2))[:, ::1, ::2]


CASES = [
    case("reshape", T, newshape=(6, 4), expected=_shaped(6, 4)),
    case("reshape", T, newshape=(0, -1), expected=_shaped(2, 12)),
    case("reshape", T, newshape=(4, 0, 2), expected=_shaped(4, 3, 2)),
    case("reshape", T, newshape=(-2,), expected=_shaped(2, 3, 4)),
    case("reshape", T, newshape=(2, -2), expected=_shaped(2, 3, 4)),
    case("reshape", T, newshape=(-3, 4), expected=_shaped(6, 4)),
    case("reshape", T, newshape=(0, -3), expected=_shaped(2, 12)),
    case("reshape", T, newshape=(-4, 1, 2, -2), expected=_shaped(1, 2, 3, 4)),
    case("reshape", T, newshape=(2, -4, -1, 3, -2), expected=_shaped(2, 1, 3, 4)),
    case("reshape", T, newshape=-1, expected=_shaped(24)),
    case("reshape", "int32", newshape=(1, 1), expected=_shaped(1, 1)),
    case("reshape", "1xint32", newshape=(), expected=_shaped()),
    case("reshape", "0x4xint32", newshape=(2, 0, 3), allowzero=True, expected=_shaped(2, 0, 3)),
    case("reshape", "0x4xint32", newshape=(0, 2, 2), expected=_shaped(0, 2, 2)),
    case("contrib_reverse_reshape", "10x5x4xint32", newshape=(-1, 0), expected=_shaped(50, 4)),
    case("reshape_like", T, "6x4xint8", expected=_shaped(6, 4)),
    case("reshape_like", "2x12xint8", "5x3x4xint8", lhs_begin=1, rhs_begin=-2,
         expected=_shaped(2, 3, 4)),
    case("reshape_like", "2x3x4xint8", "6x7xint8", lhs_end=2, rhs_end=1, expected=_shaped(6, 4)),
    case("transpose", T, expected=np.transpose),
    case("transpose", T, axes=(-1, 0, 1), expected=lambda x: x.transpose(2, 0, 1)),
    case("transpose", "int32", expected=np.transpose),
    case("squeeze", "1x3x1xint8", expected=np.squeeze),
    case("squeeze", "1x3x1xint8", axis=[-1], expected=lambda x: x.squeeze(2)),
    case("squeeze", "1x3xint8", axis=0, expected=lambda x: x.squeeze(0)),
    case("expand_dims", F, axis=1, expected=_shaped(2, 1, 3)),
    case("expand_dims", F, axis=-1, num_newaxis=2, expected=_shaped(2, 3, 1, 1)),
    case("expand_dims", "float32", axis=0, expected=_shaped(1)),
    case("expand_dims", F, axis=0, num_newaxis=0, expected=_shaped(2, 3)),
    case("concatenate", F, "2x1xfloat32", "2x0xfloat32", axis=-1,
         expected=lambda *parts: np.concatenate(parts, 1)),
    case("concatenate", F, expected=np.copy),
    case("stack", F, F, axis=-1, expected=lambda a, b: np.stack((a, b), -1)),
    case("stack", "int8", "int8", expected=lambda a, b: np.stack((a, b))),
    case("split", "2x6xint8", indices_or_sections=3, axis=-1,
         expected=lambda x: tuple(np.split(x, 3, 1))),
    case("split", "6x2xint8", indices_or_sections=(1, 4, 4),
         expected=lambda x: tuple(np.split(x, (1, 4, 4)))),
    case("split", "3xint8", indices_or_sections=(5,), expected=lambda x: tuple(np.split(x, (5,)))),
    case("reverse", F, axis=-1, expected=lambda x: x[:, ::-1]),
    case("repeat", F, repeats=2, axis=-2, expected=lambda x: np.repeat(x, 2, 0)),
    case("repeat", F, repeats=0, axis=1, expected=lambda x: np.repeat(x, 0, 1)),
    case("tile", F, reps=(2, 1, 3), expected=lambda x: np.tile(x, (2, 1, 3))),
    case("tile", F, reps=2, expected=lambda x: np.tile(x, 2)),
    case("layout_transform", "1x4x2x3xint8", src_layout="NCHW", dst_layout="NHWC",
         expected=lambda x: x.transpose(0, 2, 3, 1)),
    case("layout_transform", "1x4x2x3xint8", src_layout="NCHW", dst_layout="NCHW2c",
         expected=lambda x: x.reshape(1, 2, 2, 2, 3).transpose(0, 1, 3, 4, 2)),
    case("layout_transform", "1x2x2x3x2xint8", src_layout="NCHW2c", dst_layout="NHWC",
         expected=lambda x: x.transpose(0, 2, 3, 1, 4).reshape(1, 2, 3, 4)),
    case("layout_transform", "1x3xint8", src_layout="NC", dst_layout="NC2c",
         expected=lambda x: np.pad(x, ((0, 0), (0, 1))).reshape(1, 2, 2)),
    case("shape_of", T, expected=lambda x: np.array(x.shape)),
    case("shape_of", "int8", dtype="int64", expected=lambda x: np.zeros(0)),
    case("ndarray_size", T, dtype="int64", expected=lambda x: 24),
    case("meshgrid", "2xint8", "3xint8", expected=lambda *x: tuple(np.meshgrid(*x, indexing="ij"))),
    case("meshgrid", "2xint8", "3xint8", indexing="xy", expected=lambda *x: tuple(np.meshgrid(*x))),
    case("meshgrid", "2xint8", "int8",
         expected=lambda a, b: (a.reshape(2, 1), np.full((2, 1), b))),
    case("sliding_window", "2x4x5xint8", axis=1, window_shape=(2, 3), strides=(1, 2),
         expected=_windows),
    case("arange", np.int32(1), np.int32(10), np.int32(4), constants=(0, 1, 2),
         expected=lambda *n: np.arange(*n)),
    case("arange", np.float32(2), np.float32(0), np.float32(-0.5), constants=(0, 1, 2),
         expected=lambda *n: np.arange(*n)),
    case("arange", np.int64(0), np.int64(3), np.int64(1), dtype="float32", constants=(0, 1, 2),
         expected=lambda *n: np.arange(3)),
    case("arange", np.int32(3), np.int32(0), np.int32(1), constants=(0, 1, 2),
         expected=lambda *n: np.zeros(0)),
]  # fmt: skip


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_numpy_does(each: Case) -> None:
    check(each)


def _of(*shape, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(shape, dtype)


@pytest.mark.parametrize(
    ("name", "specs", "attributes", "result"),
    [
        ("reshape", [_of(N, 4, 8)], {"newshape": (0, -1)}, _of(N, 32)),
        ("reshape", [_of(N, 4, 8)], {"newshape": (-1, 32)}, _of(N, 32)),
        ("reshape", [_of(N, 4, 8)], {"newshape": (-1, 8)}, _of(4 * N, 8)),
        ("reshape", [_of(N, 4, 8)], {"newshape": (-3, 0)}, _of(4 * N, 8)),
        ("reshape", [_of(2 * N, M)], {"newshape": (-4, 2, -1, 0)}, _of(2, N, M)),
        ("reshape", [_of(N * M, 4)], {"newshape": (N, -1)}, _of(N, 4 * M)),
        ("reshape", [_of(N, 6)], {"newshape": (-1,)}, _of(6 * N)),
        ("reshape", [_of(N)], {"newshape": (-1, 2)}, _of(N // 2, 2)),
        ("reshape", [_of(None, 4, 8)], {"newshape": (0, -1)}, _of(None, 32)),
        ("reshape", [_of(None, 4)], {"newshape": (-1,)}, _of(None)),
        ("reshape", [_of(None, 4, 2)], {"newshape": (-2,)}, _of(None, 4, 2)),
        ("transpose", [_of(N, 3, None)], {"axes": (2, 0, 1)}, _of(None, N, 3)),
        ("squeeze", [_of(1, N, 1)], {}, _of(N)),
        ("squeeze", [_of(3, N)], {"axis": 1}, _of(3)),
        ("expand_dims", [_of(N)], {"axis": 0}, _of(1, N)),
        ("concatenate", [_of(N, 3), _of(M, 3), _of(2, 3)], {}, _of(N + M + 2, 3)),
        ("concatenate", [_of(N, 3), _of(4, 2)], {"axis": 1}, _of(4, 5)),
        ("concatenate", [_of(None, 3), _of(4, 3)], {}, _of(None, 3)),
        ("stack", [_of(N, 3), _of(None, 3)], {"axis": 1}, _of(N, 2, 3)),
        ("split", [_of(4 * N)], {"indices_or_sections": 2}, (_of(2 * N), _of(2 * N))),
        ("split", [_of(N)], {"indices_or_sections": (2, 5)}, (_of(2), _of(3), _of(N - 5))),
        ("repeat", [_of(N)], {"repeats": 3, "axis": 0}, _of(3 * N)),
        ("tile", [_of(N, None)], {"reps": (2, 2, 2)}, _of(2, 2 * N, None)),
        ("layout_transform", [_of(N, 32, M, 7)], {"src_layout": "NCHW", "dst_layout": "NCHW16c"},
         _of(N, 2, M, 7, 16)),
        ("shape_of", [_of(N, None)], {}, _of(2, dtype="int32")),
        ("meshgrid", [_of(N), _of(3)], {}, (_of(N, 3), _of(N, 3))),
        ("sliding_window", [_of(2, N)], {"axis": 1, "window_shape": (3,), "strides": (2,)},
         _of(2, (N - 3) // 2 + 1, 3)),
        ("arange", [_of(), _of(), _of()], {"dtype": "int8"}, _of(None, dtype="int8")),
    ],
)  # fmt: skip
def test_symbolic_sizes_are_exact(name, specs, attributes, result) -> None:
    assert inferred(name, *specs, **attributes) == result


def _built(name: str, shape, **attributes):
    data = te.placeholder(shape, "int32", "data")
    results = compute(all_operators()[name](**attributes), [data])
    return kc.build([data, *results])


def test_symbolic_sizes_are_computed() -> None:
    n = te.var("n")
    x = np.arange(24, dtype=np.int32)
    assert (_built("reshape", (n, 4), newshape=(-1, 2))(x.reshape(6, 4)) == x.reshape(12, 2)).all()
    assert (_built("reshape", (n, 4), newshape=(0, 2, -1))(x.reshape(6, 4))
            == x.reshape(6, 2, 2)).all()  # fmt: skip
    parts = _built("split", (n,), indices_or_sections=2)(x)
    assert (np.stack(parts) == x.reshape(2, 12)).all()
    parts = _built("split", (n,), indices_or_sections=(2, 5))(x)
    assert [part.tolist() for part in parts] == [part.tolist() for part in np.split(x, (2, 5))]


@pytest.mark.parametrize(
    ("name", "attributes"),
    [("reshape", {"newshape": (-1, 2)}), ("split", {"indices_or_sections": 2})],
)
def test_a_size_that_is_not_divided_is_refused_at_the_call(name, attributes) -> None:
    built = _built(name, (te.var("n"),), **attributes)
    with pytest.raises(kc.error.KCError):
        built(np.zeros(5, np.int32))


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "part"),
    [
        ("reshape", [T], {"newshape": (5, -1)}, "24 elements are not divided by 5"),
        ("reshape", [T], {"newshape": (-1, -1)}, "more than one -1"),
        ("reshape", [T], {"newshape": (4, 5)}, "24 elements, the result 20"),
        ("reshape", [T], {"newshape": (-5,)}, "-5 is neither a size"),
        ("reshape", [T], {"newshape": (24, 1, 1, 0)}, "no dimension 3"),
        ("reshape", [T], {"newshape": (6, 4, -3)}, "no dimension"),
        ("reshape", [T], {"newshape": (-4, -1, -1, -2)}, "-1 twice"),
        ("reshape", [T], {"newshape": (-4, 3, -2)}, "followed by two sizes"),
        ("reshape", [T], {"newshape": (-4, 3, 2, -2)}, r"3 \* 2 is not 2"),
        ("reshape", ["0x4xint8"], {"newshape": (0, -1)}, "may be any one"),
        ("reshape", ["0x4xint8"], {"newshape": (0, 5)}, None),
        ("reshape_like", [T, "5xint8"], {}, "24 elements do not become 5"),
        ("reshape_like", [T, T], {"lhs_begin": 2, "lhs_end": 1}, "lhs_begin is 2"),
        ("transpose", [T], {"axes": (0, 1)}, "3 dimensions"),
        ("transpose", [T], {"axes": (0, 1, -2)}, "dimension 1 twice"),
        ("squeeze", [F], {"axis": 0}, "dimension 0 is not 1"),
        ("squeeze", ["1x1xint8"], {"axis": (0, -2)}, "twice"),
        ("expand_dims", [F], {"axis": 4}, "axis is 4"),
        ("expand_dims", [F], {"axis": 0, "num_newaxis": 63}, "at most 64"),
        ("expand_dims", [F], {"axis": 0, "num_newaxis": -1}, "num_newaxis is -1"),
        ("concatenate", [], {}, "one tensor or more"),
        ("concatenate", [F, "2x3xint8"], {}, r"data\[1\] is int8"),
        ("concatenate", [F, "2x4xfloat32"], {}, r"dimension 1 of data\[0\] and data\[1\]"),
        ("concatenate", ["float32", "float32"], {}, "0 dimensions"),
        ("stack", [F, "3xfloat32"], {}, "must have 2 dimensions"),
        ("split", [F], {"indices_or_sections": 4, "axis": 1}, "not divided by 4"),
        ("split", [F], {"indices_or_sections": 0}, "a part or more"),
        ("split", [F], {"indices_or_sections": (2, 1)}, "in order"),
        ("repeat", [F], {"repeats": -1, "axis": 0}, "repeats is -1"),
        ("tile", [F], {"reps": (-1,)}, "reps is"),
        ("layout_transform", [F], {"src_layout": "NC", "dst_layout": "NH"}, "not the same axes"),
        ("layout_transform", [F], {"src_layout": "NCH", "dst_layout": "NHC"}, "3 dimensions"),
        ("layout_transform", [F], {"src_layout": "N+C", "dst_layout": "CN"}, "names no layout"),
        ("layout_transform", ["2x3x5xint8"], {"src_layout": "NC4c", "dst_layout": "NC"}, "not 4"),
        ("meshgrid", [F], {}, "at most 1 dimension"),
        ("meshgrid", ["2xint8"], {"indexing": "yx"}, "ij, xy"),
        ("sliding_window", [F], {"axis": 1, "window_shape": (4,), "strides": (1,)}, "smaller"),
        ("arange", ["1xint8", "int8", "int8"], {}, "0 dimensions"),
    ],
)
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    specs = [TensorSpec(a.shape, str(a.dtype)) for a in map(array_of, operands)]
    if part is None:  # nothing is nothing, whatever its shape
        inferred(name, *specs, **attributes)
        return
    with pytest.raises(RelationError, match=part):
        inferred(name, *specs, **attributes)
