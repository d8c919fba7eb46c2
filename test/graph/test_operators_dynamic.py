"""Operators of products, random numbers, signals, and of sizes that are tensors."""

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
from kc.graph.operator_calls import call_operator

N, M = dimension("n"), dimension("m")
F = "2x3xfloat32"
KEY = np.array([1, 2, 0, 0], np.uint32)
GEN = TensorSpec((4,), "uint32")


def _sizes(*numbers, dtype="int64"):
    return np.array(numbers, dtype)


WIDTHS = _sizes(1, 0, 2, 1).reshape(2, 2)


def _spectra(x, window):
    frames = np.lib.stride_tricks.sliding_window_view(x, 4, 1)[:, ::2]
    spectra = np.fft.rfft(frames * np.pad(window, 1)) / 2
    return np.stack([spectra.real, spectra.imag], -1).swapaxes(1, 2)


def _between(x):
    """The elements along the last axis, and the means of neighbours between them."""
    result = np.zeros((*x.shape[:-1], 2 * x.shape[-1] - 1))
    result[..., ::2], result[..., 1::2] = x, (x[..., 1:] + x[..., :-1]) / 2
    return result


CASES = [
    case("einsum", F, "3x4xfloat32", equation="ij, jk -> ik", expected=np.matmul),
    case("einsum", "2x2x3xfloat32", equation="iij->ji",
         expected=lambda x: np.einsum("iij->ji", x)),
    case("einsum", "2x3xint32", equation="ba", expected=np.transpose),
    case("einsum", "5x2x3xfloat32", "1x3x4xfloat32", equation="...ij,...jk->...ik",
         expected=np.matmul),
    case("einsum", F, equation="ij->", expected=np.sum),
    case("det", np.array([[2, 1], [4, 5]], np.float64), expected=np.linalg.det),
    case("random.threefry_generate", KEY, out_shape=(3, 2)),
    case("random.threefry_split", KEY),
    case("random.uniform", KEY, np.float32(2), np.float32(3), out_shape=(4,)),
    case("random.normal", KEY, np.float64(2), np.full(3, 1.0), out_shape=(2, 3),
         out_dtype="float64"),
    case("random.multinomial", KEY, "2x3xfloat32", num_samples=4),
    case("stft", "2x9xfloat32", np.array([1, 2], np.float32), n_fft=4, hop_length=2, win_length=2,
         normalized=True, expected=_spectra),
    case("stft", "2x9xfloat32", n_fft=4, hop_length=3, win_length=4, onesided=False),
    case("dft", "2x5xfloat64", "2x5xfloat64", expected=lambda a, b: (
        np.fft.fft(a + 1j * b).real, np.fft.fft(a + 1j * b).imag)),
    case("dft", "3xfloat64", "3xfloat64", inverse=True, expected=lambda a, b: (
        np.fft.ifft(a + 1j * b).real, np.fft.ifft(a + 1j * b).imag)),
    case("dyn.reshape", F, _sizes(0, -1, 1), constants=(1,), expected=lambda x, _: x[..., None]),
    case("dyn.tile", F, _sizes(2, 1, 2), constants=(1,),
         expected=lambda x, _: np.tile(x, (2, 1, 2))),
    case("dyn.broadcast_to", "3x1xint8", _sizes(2, 3, 4), constants=(1,),
         expected=lambda x, _: np.broadcast_to(x, (2, 3, 4))),
    case("dyn.full", np.int32(7), _sizes(2, 3), dtype="float32", constants=(1,),
         expected=lambda v, _: np.full((2, 3), v)),
    case("dyn.zeros", _sizes(2, 0), dtype="int8", constants=(0,), expected=lambda s: np.zeros(s)),
    case("dyn.ones", _sizes(2, 3), dtype="int8", constants=(0,), expected=lambda s: np.ones(s)),
    case("dyn.one_hot", _sizes(0, 2), np.int8(5), np.int8(1), np.int32(3), axis=-1, dtype="int8",
         constants=(3,), expected=lambda *_: np.array([[5, 1, 1], [1, 1, 5]])),
    case("dyn.topk", "2x5xfloat32", np.int64(2), constants=(1,), ret_type="values",
         expected=lambda x, k: -np.sort(-x, 1)[:, :2]),
    case("dyn.squeeze", "1x3x1xint8", _sizes(-1), constants=(1,), expected=lambda x, _: x[..., 0]),
    case("dyn.expand_dims", F, np.int32(-1), constants=(1,), num_newaxis=2,
         expected=lambda x, _: x[..., None, None]),
    case("dyn.strided_slice", "4x5xint8", _sizes(1, -1), _sizes(4, -9), _sizes(2, -2),
         constants=(1, 2, 3), expected=lambda x, *_: x[1:4:2, ::-2]),
    case("dyn.strided_slice", "4x5xint8", _sizes(9), _sizes(-9), _sizes(-1),
         constants=(1, 2, 3), expected=lambda x, *_: x[9:-9:-1]),
    case("dyn.strided_slice", "4x5xint8", _sizes(1, 2), _sizes(2, -1), _sizes(3, 3),
         slice_mode="size", constants=(1, 2, 3), expected=lambda x, *_: x[1:3, 2:]),
    case("dyn.nn.pad", F, WIDTHS, np.float32(7), constants=(1,),
         expected=lambda x, w, _: np.pad(x, w, constant_values=7)),
    case("dyn.nn.pad", F, WIDTHS, np.float32(7), constants=(1,), pad_mode="edge",
         expected=lambda x, w, _: np.pad(x, w, "edge")),
    case("dyn.nn.pad", F, WIDTHS, np.float32(7), constants=(1,), pad_mode="reflect",
         expected=lambda x, w, _: np.pad(x, w, "reflect")),
    case("dyn.nn.upsampling", "1x2x2x3xfloat32", np.float32(2), np.float32(3), constants=(1, 2),
         expected=lambda x, *_: x.repeat(2, 2).repeat(3, 3)),
    case("dyn.nn.upsampling3d", "1x2x2x3x2xfloat32", *[np.float32(n) for n in (1, 2, 3)],
         constants=(1, 2, 3), expected=lambda x, *_: x.repeat(2, 3).repeat(3, 4)),
    case("dyn.image.resize2d", "1x2x3x3xfloat32", _sizes(5, 5), np.zeros(0, "f"), constants=(1,),
         coordinate_transformation_mode="align_corners", expected=lambda x, *_: (
             _between(_between(x.swapaxes(2, 3)).swapaxes(2, 3)))),
    case("dyn.image.resize2d", "1x2x3x4xfloat32", _sizes(2, 2), np.array([0, 0, 1, 1], np.float32),
         constants=(1,), coordinate_transformation_mode="tf_crop_and_resize",
         expected=lambda x, *_: x[:, :, ::2, ::3]),
    case("dyn.sparse_to_dense", np.array([0, 3]), _sizes(4), np.int8(5), np.int8(-1),
         constants=(1,), expected=lambda *_: np.array([5, -1, -1, 5])),
    case("dyn.sparse_to_dense", np.array([[0, 1], [1, 0]]), _sizes(2, 2), np.array([5, 6]),
         np.int64(1), constants=(1,), expected=lambda *_: np.array([[1, 5], [6, 1]])),
    case("dyn.sparse_to_dense", np.array([0, 3]), _sizes(4), np.array([5, 6], np.int8),
         constants=(1,), expected=lambda *_: np.array([5, 0, 0, 6])),
]  # fmt: skip


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_numpy_does(each: Case) -> None:
    check(each)


def _call(name: str, *operands, **attributes):
    arrays = [np.asarray(operand) for operand in operands]
    declared = all_operators()[name](**attributes)
    return call_operator(declared, arrays, [str(array.dtype) for array in arrays])


def test_the_limits_and_moments_of_a_distribution_are_its_operands() -> None:
    _, uniform = _call("random.uniform", KEY, np.float32(5), np.float32(7), out_shape=(1000,))
    assert 5 <= uniform.min() < 5.1
    assert 6.9 < uniform.max() < 7
    _, normal = _call("random.normal", KEY, np.float32(5), np.float32(3), out_shape=(4000,))
    assert abs(normal.mean() - 5) < 0.2
    assert abs(normal.std() - 3) < 0.2
    following, words = _call("random.threefry_generate", KEY, out_shape=(4,))
    assert following.tolist() == [1, 2, 2, 0]
    assert len({*words.tolist()}) == 4


def _of(*shape, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(shape, dtype)


@pytest.mark.parametrize(
    ("name", "specs", "attributes", "result"),
    [
        ("einsum", [_of(N, 3), _of(3, M)], {"equation": "ij,jk"}, _of(N, M)),
        ("einsum", [_of(N, 1, 3), _of(M, 3)], {"equation": "...j,...j->..."}, _of(N, M)),
        ("det", [_of(N, 3, 3)], {}, _of(N)),
        ("stft", [_of(N, M)], {"n_fft": 4, "hop_length": 2, "win_length": 4},
         _of(N, 3, (M - 4) // 2 + 1, 2)),
        ("dyn.reshape", [_of(2, 3), _of(3, dtype="int64")], {}, _of(None, None, None)),
        ("dyn.tile", [_of(2, 3), _of(1, dtype="int64")], {}, _of(None, None)),
        ("dyn.full", [_of(), _of(2, dtype="int64")], {}, _of(None, None)),
        ("dyn.one_hot", [_of(N, dtype="int32"), _of(), _of(), _of(dtype="int32")],
         {"axis": 0, "dtype": "int8"}, _of(None, N, dtype="int8")),
        ("dyn.topk", [_of(N, 3), _of(dtype="int32")], {"axis": 0, "ret_type": "values"},
         _of(None, 3)),
        ("dyn.squeeze", [_of(1, N), _of(1, dtype="int32")], {}, _of(None)),
        ("dyn.expand_dims", [_of(N), _of(dtype="int32")], {}, _of(None, None)),
        ("dyn.strided_slice", [_of(4, N), *[_of(1, dtype="int32")] * 3], {}, _of(None, N)),
        ("dyn.nn.pad", [_of(2, N), _of(2, 2, dtype="int32"), _of()], {}, _of(None, None)),
        ("dyn.nn.upsampling", [_of(N, 2, 4, 4), _of(), _of()], {}, _of(N, 2, None, None)),
        ("dyn.nn.upsampling3d", [_of(N, 2, 4, 4, 4), _of(), _of(), _of()], {},
         _of(N, 2, None, None, None)),
        ("dyn.image.resize2d", [_of(N, 4, 4, 3), _of(2, dtype="int64"), _of(0)],
         {"layout": "NHWC"}, _of(N, None, None, 3)),
        ("dyn.sparse_to_dense", [_of(5, 2, dtype="int32"), _of(2, dtype="int32"), _of(5)], {},
         _of(None, None)),
    ],
)  # fmt: skip
def test_sizes_that_are_not_known_are_unknown(name, specs, attributes, result) -> None:
    assert inferred(name, *specs, **attributes) == result


def test_a_result_without_a_known_type_is_refused() -> None:
    data, shape = te.placeholder((2, 3), name="x"), te.placeholder((2,), "int64", "s")
    with pytest.raises(kc.error.GraphError, match="KC2411"):
        compute(all_operators()["dyn.reshape"](), [data, shape])


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "part"),
    [
        ("einsum", [F], {"equation": "ij,jk"}, "for 2 operands"),
        ("einsum", [F], {"equation": "i"}, "names 1 dimensions"),
        ("einsum", [F], {"equation": "i1"}, "letters"),
        ("einsum", [F], {"equation": "ij->ii"}, "named once"),
        ("einsum", [F], {"equation": "ij->k"}, "in an operand"),
        ("einsum", [F], {"equation": "i...->i"}, "lacks the ellipsis"),
        ("einsum", [F, F], {"equation": "ij,jk"}, "are 3 and 2"),
        ("einsum", [], {"equation": ""}, "one tensor or more"),
        ("det", [F], {}, "are 2 and 3"),
        ("random.threefry_generate", ["4xint32"], {"out_shape": (1,)}, "a generator is"),
        ("random.uniform", [KEY, "float32", "2xfloat32"], {"out_shape": (3,)}, "are 2 and 3"),
        ("random.uniform", [KEY, "int8", "int8"], {"out_shape": (3,)}, "float32"),
        ("random.multinomial", [KEY, F], {"num_samples": 0}, "at least 1"),
        ("stft", [F], {"n_fft": 4, "hop_length": 1, "win_length": 4}, "shorter"),
        ("stft", [F], {"n_fft": 3, "hop_length": 0, "win_length": 3}, "at least 1"),
        ("dft", [F, "2x4xfloat32"], {}, "are 3 and 4"),
        ("dyn.reshape", [F, "2xfloat32"], {}, "must be integers"),
        ("dyn.topk", [F, "2xint32"], {}, "one number"),
        ("dyn.squeeze", [F, "3xint32"], {}, "axis is"),
        ("dyn.nn.pad", [F, "3x2xint32", "float32"], {}, "are 2 and 3"),
        ("dyn.nn.upsampling", ["1x2x3x4xfloat32", "2xfloat32", "float32"], {}, "one number"),
        (
            "dyn.image.resize2d",
            ["1x2x3x4xfloat32", "2xint64", "3xfloat32"],
            {"coordinate_transformation_mode": "tf_crop_and_resize"},
            "must have 4",
        ),
        ("dyn.strided_slice", [F, "3xint32", "3xint32", "3xint32"], {}, "begin is"),
    ],
)
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    specs = [TensorSpec(a.shape, str(a.dtype)) for a in map(array_of, operands)]
    with pytest.raises(RelationError, match=part):
        inferred(name, *specs, **attributes)
