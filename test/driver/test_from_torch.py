"""Exports of torch-mlir: parameters in resources, assertions, and kc.from_torch itself."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import kc
from kc.support.diagnostics import KCError

LINEAR = """\
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @NAME(%arg0: tensor<?x3xf32>) -> tensor<?x2xf32> {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %w = arith.constant dense_resource<torch_tensor_2_3_torch.float32> : tensor<2x3xf32>
    %b = arith.constant dense_resource<torch_tensor_2_torch.float32> : tensor<2xf32>
    %0 = tensor.empty() : tensor<3x2xf32>
    %t = linalg.transpose ins(%w : tensor<2x3xf32>) outs(%0 : tensor<3x2xf32>) permutation = [1, 0]
    %dim = tensor.dim %arg0, %c0 : tensor<?x3xf32>
    %1 = tensor.empty(%dim) : tensor<?x2xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x2xf32>) -> tensor<?x2xf32>
    %3 = linalg.matmul ins(%arg0, %t : tensor<?x3xf32>, tensor<3x2xf32>)
                       outs(%2 : tensor<?x2xf32>) -> tensor<?x2xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map],
                         iterator_types = ["parallel", "parallel"]}
        ins(%3, %b : tensor<?x2xf32>, tensor<2xf32>) outs(%1 : tensor<?x2xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %5 = arith.addf %in, %in_0 : f32
      linalg.yield %5 : f32
    } -> tensor<?x2xf32>
    return %4 : tensor<?x2xf32>
  }
}
{-#
  dialect_resources: {
    builtin: {
      torch_tensor_2_3_torch.float32: "0x04000000WEIGHTS",
      torch_tensor_2_torch.float32: "0x04000000BIAS"
    }
  }
#-}
"""


def linear(seed, name="main"):
    """The text of a linear layer, its weights and its bias."""
    random = np.random.default_rng(seed)
    w, b = (random.random(shape, dtype=np.float32) for shape in ((2, 3), (2,)))
    text = LINEAR.replace("WEIGHTS", w.tobytes().hex().upper())
    return text.replace("BIAS", b.tobytes().hex().upper()).replace("NAME", name), w, b


def test_parameters_are_in_resources():
    given = np.random.default_rng(3).random((5, 3), dtype=np.float32)
    # Two files whose resources have the same names.
    layers = [linear(seed) for seed in (1, 2)]
    functions = [kc.build(kc.IRModule.parse(text)) for text, _, _ in layers]
    for function, (_, w, b) in zip(functions, layers, strict=True):
        np.testing.assert_allclose(function(given), given @ w.T + b, rtol=1e-5)


def test_printed_parameters_are_read_again():
    text, w, b = linear(1)
    again = kc.IRModule.parse(str(kc.IRModule.parse(text)))
    given = np.eye(3, dtype=np.float32)
    np.testing.assert_allclose(kc.build(again)(given), w.T + b, rtol=1e-5)


def test_a_resource_of_another_size():
    text, _, _ = linear(1)
    with pytest.raises(KCError) as caught:
        kc.IRModule.parse(text.replace("tensor<2xf32>", "tensor<3xf32>"), "m.mlir")
    assert str(caught.value) == (
        "error[KC1005]: arith.constant: the resource torch_tensor_2_torch.float32 has 8 bytes\n"
        "  --> m.mlir:9:5\n"
        "  why: tensor<3xf32> has 3 elements of 4 bytes: 12"
    )


def test_a_resource_that_is_not_there():
    text, _, _ = linear(1)
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text[: text.index("{-#")], "m.mlir"))
    assert str(caught.value) == (
        "error[KC4554]: raise-to-tir: a constant tensor without its elements\n"
        "  --> m.mlir:8:5\n"
        "  why: they are in a resource that the file does not have\n"
        "  try: make it an argument of the function"
    )


ASSERTED = """
func.func @f(%a: tensor<?xf32>, %n: i64) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : i64
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %size = arith.index_cast %d : index to i64
  %small = arith.cmpi slt, %n, %c8 : i64
  cf.assert %small, "n must be less than 8"
  %fits = arith.cmpi sge, %size, %n : i64
  cf.assert %fits, "a must have n elements"
  %r = arith.addf %a, %a : tensor<?xf32>
  return %r : tensor<?xf32>
}"""


def test_assertions_of_sizes_are_checked_by_the_call():
    function = kc.build(kc.IRModule.parse(ASSERTED, "m.mlir"))
    given = np.ones(4, np.float32)
    np.testing.assert_array_equal(function(given, 4), 2 * given)
    for n, place, words in ((8, "8:3", "n must be less than 8"), (5, "10:3", "a must have n ele")):
        with pytest.raises(KCError) as caught:
            function(given, n)
        assert caught.value.code == "KC5132"
        assert f"cf.assert (m.mlir:{place}) asserts" in str(caught.value)
        assert words in str(caught.value)


def test_an_assertion_of_elements_is_refused():
    text = """
    func.func @f(%a: tensor<4xi64>) -> tensor<4xi64> {
      %e = tensor.empty() : tensor<4xi64>
      %r = linalg.map ins(%a : tensor<4xi64>) outs(%e : tensor<4xi64>) (%x: i64, %o: i64) {
        %zero = arith.constant 0 : i64
        %ok = arith.cmpi sge, %x, %zero : i64
        cf.assert %ok, "index must be at least 0"
        linalg.yield %x : i64
      }
      return %r : tensor<4xi64>
    }"""
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text, "m.mlir"))
    assert str(caught.value) == (
        "error[KC4550]: raise-to-tir: cf.assert of elements has no counterpart in tir\n"
        "  --> m.mlir:7:9\n"
        "  why: a kernel has no way to fail; sizes and integer arguments are compared before it is "
        "called\n"
        "  try: remove it if the caller guarantees the condition"
    )


EMBEDDING = """
func.func @main(%w: tensor<10x?xf32>, %at: tensor<?x4xi64>) -> tensor<?x4x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : i64
  %zero = arith.constant 0 : i64
  %n = tensor.dim %at, %c0 : tensor<?x4xi64>
  %m = tensor.dim %w, %c1 : tensor<10x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x4x?xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
      iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%at : tensor<?x4xi64>) outs(%e : tensor<?x4x?xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = arith.index_cast %in : i64 to index
    %j = linalg.index 2 : index
    %small = arith.cmpi slt, %in, %c10 : i64
    cf.assert %small, "index must be smaller than dim size"
    %large = arith.cmpi sge, %in, %zero : i64
    cf.assert %large, "index must be larger or equal to 0"
    %x = tensor.extract %w[%i, %j] : tensor<10x?xf32>
    linalg.yield %x : f32
  } -> tensor<?x4x?xf32>
  return %r : tensor<?x4x?xf32>
}"""


@pytest.mark.parametrize("is_scheduled", [False, True])
def test_indices_are_asserted_before_the_elements_are_read(is_scheduled):
    program = kc.IRModule.parse(EMBEDDING, "m.mlir")
    if is_scheduled:
        program = kc.tir.Schedule(program)
        program.parallel(program.get_loops("r")[0])
    function = kc.build(program)
    w = np.random.default_rng(1).random((10, 8), dtype=np.float32)
    at = np.array([[0, 9, 3, 3], [4, 1, 0, 7], [5, 5, 5, 6]])
    np.testing.assert_array_equal(function(w, at), w[at])
    # Far outside: were it read, the process would end.
    for wrong, place, words in (
        (1 << 40, "19:5", "index must be smaller than dim size"),
        (-(1 << 40), "21:5", "index must be larger or equal to 0"),
    ):
        at[1, 2] = wrong
        with pytest.raises(KCError) as caught:
            function(w, at)
        assert caught.value.code == "KC5250"
        assert f"AssertionError: m.mlir:{place}: {words}" in str(caught.value)
        # Without an element nothing is asserted.
        assert function(w[:, :0].copy(), at).shape == (3, 4, 0)


@pytest.fixture
def exporter(monkeypatch):
    """A stand-in for torch_mlir.fx, which the tests do not need installed."""
    fx, package = ModuleType("torch_mlir.fx"), ModuleType("torch_mlir")
    monkeypatch.setitem(sys.modules, "torch_mlir", package)
    monkeypatch.setitem(sys.modules, "torch_mlir.fx", fx)
    return fx


def test_from_torch(exporter):
    calls = []

    def export_and_import(*args, **options):
        calls.append((args, options))
        return linear(1, options["func_name"])[0]

    exporter.export_and_import = export_and_import
    module, example, (_, w, b) = SimpleNamespace(), np.eye(3, dtype=np.float32), linear(1)
    imported = kc.from_torch(module, example, name="layer")
    assert calls == [
        ((module, example), {"output_type": "linalg-on-tensors", "func_name": "layer"})
    ]
    np.testing.assert_allclose(kc.build(imported)["layer"](example), w.T + b, rtol=1e-5)


def test_a_module_that_torch_mlir_does_not_export(exporter):
    def export_and_import(*_, **__):
        raise RuntimeError("unsupported op aten.foo\nand more")

    exporter.export_and_import = export_and_import
    with pytest.raises(KCError) as caught:
        kc.from_torch(SimpleNamespace())
    assert caught.value.code == "KC0091"
    assert "kc.from_torch: torch-mlir does not export SimpleNamespace\n" in str(caught.value)
    assert "  why: RuntimeError: unsupported op aten.foo" in str(caught.value)


def test_without_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch_mlir", None)
    monkeypatch.setitem(sys.modules, "torch.export", None)
    with pytest.raises(KCError) as caught:
        kc.from_torch(SimpleNamespace())
    message = str(caught.value)
    assert "error[KC0091]: kc.from_torch: neither torch-mlir nor torch.export can be" in message
    assert "torch" in message.partition("  why: ")[2].splitlines()[0]
    assert "  try: pip install torch\n" in message
    assert 'output_type="linalg-on-tensors"), and read its text with kc.IRModule.parse' in message
