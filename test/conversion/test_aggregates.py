"""Gathers, scatters, atomic updates and Winograd's transforms compute what numpy does."""

import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run

RANDOM = np.random.default_rng(5)

WINOGRAD = """
func.func @conv(%x: tensor<2x{h}x{w}x3xf64>, %f: tensor<4x{kh}x{kw}x3xf64>)
    -> tensor<2x{oh}x{ow}x4xf64> {{
  %zero = arith.constant 0.0 : f64
  %eu = tensor.empty() : tensor<{ah}x{aw}x3x4xf64>
  %u = linalg.winograd_filter_transform fmr(F_{m}_{r}) ins(%f : tensor<4x{kh}x{kw}x3xf64>)
         outs(%eu : tensor<{ah}x{aw}x3x4xf64>) -> tensor<{ah}x{aw}x3x4xf64>
  %ev = tensor.empty() : tensor<{ah}x{aw}x{th}x{tw}x2x3xf64>
  %v = linalg.winograd_input_transform fmr(F_{m}_{r}) ins(%x : tensor<2x{h}x{w}x3xf64>)
         outs(%ev : tensor<{ah}x{aw}x{th}x{tw}x2x3xf64>) -> tensor<{ah}x{aw}x{th}x{tw}x2x3xf64>
  %ey = tensor.empty() : tensor<{ah}x{aw}x{th}x{tw}x2x4xf64>
  %fy = linalg.fill ins(%zero : f64) outs(%ey : tensor<{ah}x{aw}x{th}x{tw}x2x4xf64>)
         -> tensor<{ah}x{aw}x{th}x{tw}x2x4xf64>
  %y = linalg.generic {{
    indexing_maps = [affine_map<(a, b, i, j, n, o, c) -> (a, b, i, j, n, c)>,
                     affine_map<(a, b, i, j, n, o, c) -> (a, b, c, o)>,
                     affine_map<(a, b, i, j, n, o, c) -> (a, b, i, j, n, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel",
                      "reduction"]}}
    ins(%v, %u : tensor<{ah}x{aw}x{th}x{tw}x2x3xf64>, tensor<{ah}x{aw}x3x4xf64>)
    outs(%fy : tensor<{ah}x{aw}x{th}x{tw}x2x4xf64>) {{
  ^bb0(%p: f64, %q: f64, %s: f64):
    %t = arith.mulf %p, %q : f64
    %z = arith.addf %s, %t : f64
    linalg.yield %z : f64
  }} -> tensor<{ah}x{aw}x{th}x{tw}x2x4xf64>
  %eo = tensor.empty() : tensor<2x{oh}x{ow}x4xf64>
  %o = linalg.winograd_output_transform fmr(F_{m}_{r}) ins(%y : tensor<{ah}x{aw}x{th}x{tw}x2x4xf64>)
         outs(%eo : tensor<2x{oh}x{ow}x4xf64>) -> tensor<2x{oh}x{ow}x4xf64>
  return %o : tensor<2x{oh}x{ow}x4xf64>
}}
"""


@pytest.mark.parametrize(
    ("m", "r", "kh", "kw"), [(2, 3, 3, 3), (4, 3, 3, 3), (2, 5, 5, 5), (4, 3, 1, 3), (2, 5, 5, 1)]
)
def test_winograd_transforms_are_a_convolution(m, r, kh, kw):
    size = m + r - 1
    sizes = {"m": m, "r": r, "kh": kh, "kw": kw, "ah": 1, "aw": 1, "th": 3, "tw": 2}
    if kh > 1:
        sizes["ah"] = size
    if kw > 1:
        sizes["aw"] = size
    sizes["oh"] = 3 * (m if kh > 1 else 1)
    sizes["ow"] = 2 * (m if kw > 1 else 1)
    h, w = sizes["oh"] + kh - 1, sizes["ow"] + kw - 1
    x, f = RANDOM.standard_normal((2, h, w, 3)), RANDOM.standard_normal((4, kh, kw, 3))
    with kc.transform.PassContext(opt_level=0):
        built = kc.build(kc.IRModule.parse(WINOGRAD.format(**sizes, h=h, w=w)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (kh, kw), axis=(1, 2))
    np.testing.assert_allclose(
        built(x, f), np.einsum("nyxcij,oijc->nyxo", windows, f), rtol=1e-6, atol=1e-6
    )


SLICES = """
func.func @gather(%t: tensor<4x?x6xf32>, %k: tensor<?x2xi32>) -> tensor<?x1x?x1xf32> {
  %g = tensor.gather %t[%k] gather_dims([0, 2])
    : (tensor<4x?x6xf32>, tensor<?x2xi32>) -> tensor<?x1x?x1xf32>
  return %g : tensor<?x1x?x1xf32>
}
func.func @short(%t: tensor<4x5x6xf32>, %k: tensor<3x1x1xindex>) -> tensor<3x1x4x6xf32> {
  %g = tensor.gather %t[%k] gather_dims([1])
    : (tensor<4x5x6xf32>, tensor<3x1x1xindex>) -> tensor<3x1x4x6xf32>
  return %g : tensor<3x1x4x6xf32>
}
func.func @scatter(%s: tensor<2x6xf32>, %t: tensor<4x5x6xf32>, %k: tensor<2x2xindex>)
    -> tensor<4x5x6xf32> {
  %g = tensor.scatter %s into %t[%k] scatter_dims([0, 1]) unique
    : (tensor<2x6xf32>, tensor<4x5x6xf32>, tensor<2x2xindex>) -> tensor<4x5x6xf32>
  return %g : tensor<4x5x6xf32>
}
"""


def test_slices_at_coordinates():
    built = kc.build(kc.IRModule.parse(SLICES))
    t = RANDOM.standard_normal((4, 5, 6)).astype("f4")
    k = np.array([[3, 0], [1, 5], [1, 2]], "i4")
    np.testing.assert_array_equal(built["gather"](t, k)[:, 0, :, 0], t[k[:, 0], :, k[:, 1]])
    at = np.array([4, 0, 2])
    np.testing.assert_array_equal(
        built["short"](t, at.reshape(3, 1, 1))[:, 0], t[:, at].transpose(1, 0, 2)
    )
    s, places = RANDOM.standard_normal((2, 6)).astype("f4"), np.array([[0, 4], [3, 1]])
    wanted = t.copy()
    wanted[places[:, 0], places[:, 1]] = s
    before = t.copy()
    np.testing.assert_array_equal(built["scatter"](s, t, places), wanted)
    np.testing.assert_array_equal(t, before)


def test_an_update_by_any_computation():
    text = """
    func.func @f(%A: memref<4xf32>, %B: memref<2xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %half = arith.constant 0.5 : f32
      scf.for %i = %c0 to %c2 step %c1 {
        %r = memref.generic_atomic_rmw %A[%c2] : memref<4xf32> {
        ^bb0(%old: f32):
          %new = arith.mulf %old, %half : f32
          memref.atomic_yield %new : f32
        }
        memref.store %r, %B[%i] : memref<2xf32>
      }
      return
    }"""
    module = kc.IRModule.parse(text)
    for call in (kc.build(module), lambda *arrays: run(module.op, "f", arrays)):
        a, b = np.array([1, 2, 3, 4], "f4"), np.zeros(2, "f4")
        call(a, b)
        assert a.tolist() == [1, 2, 0.75, 4]
        assert b.tolist() == [3, 1.5]


def test_winograd_transforms_have_no_matrices_of_f128():
    text = """func.func @f(%f: tensor<2x3x3x5xf128>, %e: tensor<6x6x5x2xf128>) -> tensor<6x6x5x2xf128> {
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xf128>) outs(%e : tensor<6x6x5x2xf128>) -> tensor<6x6x5x2xf128>
  return %0 : tensor<6x6x5x2xf128>
}"""  # noqa: E501
    with pytest.raises(kc.error.CodegenError) as refusal:
        kc.build(kc.IRModule.parse(text))
    assert (
        str(refusal.value)
        == """\
error[KC4550]: raise-to-tir: linalg.winograd_filter_transform of f128 has no counterpart in tir
  --> <string>:2:3
  why: its matrices would be constants of more bits than a constant has
  try: compute in f64"""
    )
