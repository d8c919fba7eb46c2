"""Modules as torch-mlir and IREE print them are compiled as they are: built, scheduled, run.

Their weights are constants, their batch is dynamic, and they return several tensors.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run
from kc.support.diagnostics import KCError
from kc.tools import kc_opt, kc_run, kc_translate

INPUTS = Path(__file__).parent / "raise_to_tir" / "Inputs"
RANDOM = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype(np.float32)


def read(name: str) -> kc.IRModule:
    path = INPUTS / f"{name}.mlir"
    return kc.IRModule.parse(path.read_text(), str(path))


def check(name: str, arguments: list[Any], expected: list[Any]) -> None:
    """Results of the build, of the build of the raised module, and of the interpreter."""
    module = read(name)
    for built in (kc.build(module), kc.build(kc.tir.Schedule(module))):
        results = built(*arguments)
        results = results if isinstance(results, tuple | list) else [results]
        for result, wanted in zip(results, expected, strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)
    raised = kc.lower(module)
    outs = [np.zeros_like(array) for array in expected]
    (symbol,) = raised.functions.keys() - {"global_seed"}
    run(raised.op, symbol, [*arguments, *outs])
    for out, wanted in zip(outs, expected, strict=True):
        np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-5)


def test_two_results():
    x = floats(4, 8)
    check("two_results", [x], [x.sum(1), x * np.arange(1, 5, dtype=np.float32)[:, None]])


@pytest.mark.parametrize("batch", [0, 1, 5])
def test_a_linear_layer_of_torch_mlir(batch: int):
    x = floats(batch, 8)
    y = x @ np.full((8, 4), 1.5, np.float32) + np.array([1, 2, -100, 4], np.float32)
    check("torch_linear", [x], [np.maximum(y, 0)])


def convolved(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """NCHW by FCHW."""
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return np.einsum("nchwij,fcij->nfhw", windows, w).astype(np.float32)


def test_a_convolution_of_torch_mlir():
    x, w, b = floats(1, 3, 8, 8), floats(4, 3, 3, 3), floats(4)
    around = ((0, 0), (0, 0), (1, 1), (1, 1))
    y = convolved(np.pad(x, around), w) + b[:, None, None]
    wide = np.pad(y, around, constant_values=-np.inf)
    pooled = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
    check("torch_conv", [x, w, b], [pooled.max(axis=(4, 5)).reshape(1, 64)[:, ::4]])


def test_convolution_and_pooling_of_channels_last():
    x, w = floats(1, 6, 6, 2), floats(3, 3, 2, 4)
    y = convolved(x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1)).transpose(0, 2, 3, 1)
    pooled = y.reshape(1, 2, 2, 2, 2, 4).max(axis=(2, 4))
    check("nhwc_conv_pool", [x, w], [y, pooled])


def test_gather_concat_splat_generate():
    x, at = floats(4, 4), np.array([3, 0, 3])
    expected = [x[at], np.concatenate([x, x], 1), np.full(4, 2, np.float32), np.arange(5) * 2]
    check("gather_concat_generate", [x, at], expected)


def test_ops_on_tensors():
    x, y = floats(4, 4), floats(4, 4)
    check("ops_on_tensors", [x, y], [np.exp(x + y) * 2])


def test_elementwise_with_maps():
    x, y = np.abs(floats(4, 8)), floats(8)
    check("elementwise_broadcast", [x, y], [x + y, np.sqrt(x)])


def test_expand_and_insert():
    x, u = floats(5, 12), floats(2, 3)
    y = x.reshape(5, 3, 4).copy()
    y[:2, :, 1] = u
    check("expand_insert", [x, u], [y])


def test_scalars_and_casts():
    x, s = floats(4), floats()
    check("scalars", [x, s], [x * s, (x * s).reshape(1, 4, 1)])
    square = floats(4, 4)
    check("cast", [square], [np.exp(square)])


def test_ops_on_constant_tensors():
    """Tensors of one value stay scalars, as long as nothing needs them in memory."""
    text = """
      func.func @f(%x: tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>) {
        %two = arith.constant dense<2> : tensor<6xi32>
        %three = arith.constant dense<3> : tensor<6xi32>
        %five = arith.addi %two, %three : tensor<6xi32>
        %y = arith.minsi %x, %five : tensor<6xi32>
        return %y, %five : tensor<6xi32>, tensor<6xi32>
      }
    """
    module = kc.IRModule.parse(text)
    assert "tir.alloc" not in str(kc.lower(module))
    x = np.array([1, 9, 4, 5, -7, 6], np.int32)
    y, five = kc.build(module)(x)
    np.testing.assert_array_equal(y, np.minimum(x, 5))
    np.testing.assert_array_equal(five, np.full(6, 5))


# Weights ---------------------------------------------------------------------------------------

WEIGHTS = floats(40, 32)


def with_weights() -> str:
    rows = ", ".join("[" + ", ".join(map(repr, row.tolist())) + "]" for row in WEIGHTS)
    return f"""
      func.func @forward(%x: tensor<?x40xf32>) -> tensor<?x32xf32> {{
        %w = arith.constant dense<[{rows}]> : tensor<40x32xf32>
        %zero = arith.constant 0.0 : f32
        %c0 = arith.constant 0 : index
        %n = tensor.dim %x, %c0 : tensor<?x40xf32>
        %e = tensor.empty(%n) : tensor<?x32xf32>
        %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
        %y = linalg.matmul ins(%x, %w : tensor<?x40xf32>, tensor<40x32xf32>)
                           outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
        return %y : tensor<?x32xf32>
      }}
    """


def test_large_weights_are_a_table():
    """A table is read as any buffer is: it is cached, and vectors are loaded of it."""
    module = kc.IRModule.parse(with_weights())
    raised = kc.lower(module)
    assert list(raised.functions) == ["forward_w", "forward"]
    assert list(kc.IRModule.parse(str(raised)).functions) == ["forward_w", "forward"]
    x = floats(5, 40)
    expected = x @ WEIGHTS
    np.testing.assert_allclose(kc.build(module)(x), expected, rtol=1e-4, atol=1e-4)
    sch = kc.tir.Schedule(module)
    i, j, k = sch.get_loops("y")
    outer, inner = sch.split(j, [None, 16])
    sch.reorder(i, outer, k, inner)
    sch.vectorize(inner)
    sch.compute_at(sch.cache_read("y", 1, "global"), outer)
    sch.parallel(i)
    np.testing.assert_allclose(kc.build(sch)(x), expected, rtol=1e-4, atol=1e-4)
    out = np.zeros((5, 32), np.float32)
    run(sch.mod.op, "forward", [x, out])
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_tables_in_c():
    built = kc.build(kc.IRModule.parse(with_weights()), target="c")
    assert "static const float kc_table_forward_w[1280] = {" in built.get_source("c")
    x = floats(3, 40)
    np.testing.assert_allclose(built(x), x @ WEIGHTS, rtol=1e-4, atol=1e-4)


def test_a_global_that_is_not_constant_is_refused():
    text = """
      "memref.global"() <{sym_name = "w", type = memref<3xf32>, initial_value,
                          sym_visibility = "private"}> : () -> ()
      func.func @f(%x: memref<3xf32>) {
        return
      }
    """
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text), target="c")
    assert str(caught.value).splitlines()[0] == (
        "error[KC4403]: c: memref.global @w, which is not a constant, cannot be expressed in C"
    )


def test_tables_have_names_of_their_own():
    """Two functions with the same constant, and a function that has its name."""
    text = with_weights()
    namesake = text.replace("@forward", "@forward_w")
    module = kc.lower(kc.IRModule.parse(text + namesake))
    assert sorted(module.functions) == ["forward", "forward_w", "forward_w_1", "forward_w_w"]
    x = floats(2, 40)
    for name in ("forward", "forward_w"):
        np.testing.assert_allclose(kc.build(module)[name](x), x @ WEIGHTS, rtol=1e-4, atol=1e-4)


# The ways in -------------------------------------------------------------------------------------

LOOPS = """
func.func @twice(%A: memref<8xf32>, %B: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %A[%i] : memref<8xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %B[%i] : memref<8xf32>
  }
  return
}
"""


def test_schedules_take_loops_of_scf():
    sch = kc.tir.Schedule(kc.IRModule.parse(LOOPS))
    (i,) = sch.get_loops("B")
    _, inner = sch.split(i, [None, 4])
    sch.vectorize(inner)
    a, b = floats(8), np.zeros(8, np.float32)
    kc.build(sch)(a, b)
    np.testing.assert_array_equal(b, a + a)


def test_flags_raise_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "k.mlir"
    path.write_text(LOOPS)
    assert kc_opt.main([str(path), "--split", "--vectorize"]) == 0
    assert "vectorized" in capsys.readouterr().out


def test_kc_run_takes_linalg(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    x = floats(4, 8)
    np.save(tmp_path / "x.npy", x)
    out = tmp_path / "out.npy"
    flags = ["-e", "mlp", "--random", "--seed=1", "-o", str(out)]
    assert kc_run.main([str(INPUTS / "mlp.mlir"), *flags]) == 0
    assert np.load(out).shape == (4, 16)
    capsys.readouterr()


@pytest.mark.parametrize("form", ["llvmir", "asm", "c"])
def test_kc_translate_takes_linalg(form: str, tmp_path: Path):
    output = tmp_path / "mlp"
    assert kc_translate.main([str(INPUTS / "mlp.mlir"), f"--to={form}", "-o", str(output)]) == 0
    assert "mlp" in output.read_text()


def test_scalar_results_are_returned_in_their_order():
    text = """
    func.func @f(%a: tensor<4xf32>, %n: i32) -> (f32, tensor<4xf32>, index, i1) {
      %c2 = arith.constant 2 : index
      %yes = arith.constant true
      %e = tensor.extract %a[%c2] : tensor<4xf32>
      %t = arith.addf %a, %a : tensor<4xf32>
      %i = arith.index_cast %n : i32 to index
      return %e, %t, %i, %yes : f32, tensor<4xf32>, index, i1
    }"""
    a = np.arange(4, dtype=np.float32)
    element, doubled, index, truth = kc.build(kc.IRModule.parse(text))(a, 7)
    assert (element, index, truth) == (2, 7, True)
    np.testing.assert_array_equal(doubled, 2 * a)


def test_a_scalar_result_of_branches():
    text = """
    func.func @f(%n: i32) -> i32 {
      %one = arith.constant 1 : i32
      %c = arith.cmpi sgt, %n, %one : i32
      cf.cond_br %c, ^a, ^b
    ^a:
      return %n : i32
    ^b:
      return %one : i32
    }"""
    function = kc.build(kc.IRModule.parse(text))
    assert (function(7), function(-4)) == (7, 1)


def test_a_function_that_returns_a_number_is_still_called():
    text = """
    func.func @g(%n: i32) -> i32 {
      %zero = arith.constant 0 : i32
      %r = affine.for %i = 0 to 5 iter_args(%x = %zero) -> i32 {
        %y = arith.addi %x, %n : i32
        affine.yield %y : i32
      }
      return %r : i32
    }
    func.func @f(%n: i32, %o: memref<4xi32>) -> i32 {
      affine.for %i = 0 to 4 {
        %r = func.call @g(%n) : (i32) -> i32
        affine.store %r, %o[%i] : memref<4xi32>
      }
      %r = func.call @g(%n) : (i32) -> i32
      return %r : i32
    }"""
    module, out = kc.build(kc.IRModule.parse(text)), np.zeros(4, np.int32)
    assert (module["f"](3, out), module["g"](4)) == (15, 20)
    assert list(out) == [15] * 4
