"""Modules of several functions, and calls that leave their outputs out."""

from __future__ import annotations

import numpy as np
import pytest

import kc
from kc import te
from kc.support.diagnostics import KCError

LOOPS = """
func.func @{name}(%A: memref<8xf32>, %B: memref<8xf32>) {{
  tir.for %i in 8 {{
    %a = tir.load %A[%i] : memref<8xf32>
    %b = arith.{op} %a, %a : f32
    tir.store %b, %B[%i] : memref<8xf32>
  }}
  func.return
}}
"""


def several() -> kc.IRModule:
    text = "".join(LOOPS.format(name=n, op=o) for n, o in (("twice", "addf"), ("square", "mulf")))
    return kc.IRModule.parse(text)


def test_every_function_is_compiled():
    module = kc.build(several())
    a, b = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    module["twice"](a, b)
    np.testing.assert_array_equal(b, 2 * a)
    module["square"](a, b)
    np.testing.assert_array_equal(b, a * a)
    assert (list(module.functions), module.entry_name) == (["twice", "square"], "twice")
    assert kc.build(several(), name="square").entry_name == "square"


def test_every_function_is_exported(tmp_path):
    kc.build(several(), name="square").save(tmp_path / "k.o")
    loaded = kc.runtime.load_module(tmp_path / "k.o")
    a, b = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    loaded(a, b)
    np.testing.assert_array_equal(b, a * a)
    loaded["twice"](a, b)
    np.testing.assert_array_equal(b, 2 * a)


def matmul():
    n, m = te.var("n"), te.var("m")
    A, B = te.placeholder((n, 8), name="A"), te.placeholder((8, m), name="B")
    k = te.reduce_axis((0, 8), "k")
    C = te.compute((n, m), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    return kc.build(te.create_schedule(C.op), [A, C, B], name="matmul")


def test_an_output_that_is_left_out():
    a, b = np.random.default_rng(0).random((5, 8), np.float32), np.ones((8, 3), np.float32)
    c = matmul()(a, b)
    assert isinstance(c, np.ndarray)
    assert (c.dtype, c.shape, c.flags.owndata or c.base is not None) == (np.float32, (5, 3), True)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_given_an_output_nothing_is_returned():
    a, b = np.ones((2, 8), np.float32), np.ones((8, 3), np.float32)
    assert matmul()(a, np.empty((2, 3), np.float32), b) is None


def test_an_nd_array_gives_an_nd_array():
    a, b = kc.nd.array(np.ones((2, 8), np.float32)), np.ones((8, 3), np.float32)
    c = matmul()(a, b)
    assert isinstance(c, kc.nd.NDArray)
    np.testing.assert_array_equal(c.numpy(), np.full((2, 3), 8))


def test_several_outputs_are_a_tuple():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    C = te.compute((n // 2,), lambda i: A[2 * i] > 0.0, name="C")
    module = kc.build(te.create_schedule([B.op, C.op]), [A, B, C])
    a = np.array([1, -1, -2, 5, 3], np.float32)
    b, c = module(a)
    np.testing.assert_array_equal(b, a + 1)
    np.testing.assert_array_equal(c, [True, False])


def test_sizes_from_small_scalars():
    """A size of 32 bits has a sign: -3 mod 10 is 7."""
    text = """
    func.func @f(%n: i32 {kc.symbol = "n"}, %B: memref<?xf32> {kc.role = "out",
        kc.shape = affine_map<()[n] -> (n mod 10)>}) attributes {kc.symbols = ["n"]} {
      %m = tir.symbol "n"
      %size = tir.apply (%m mod 10)
      %one = arith.constant 1.0 : f32
      tir.for %i in %size {
        tir.store %one, %B[%i] : memref<?xf32>
      }
      func.return
    }"""
    function = kc.build(kc.IRModule.parse(text))
    for size, count in ((23, 3), (-3, 7), (-(2**31), 2)):
        np.testing.assert_array_equal(function(size), np.ones(count, np.float32))


def test_sizes_from_scalars_and_derived_ones():
    n = te.var("n", "int64")
    A = te.compute((n, 2), lambda i, j: (i * 2 + j).astype("int32"), name="A")
    module = kc.build(te.create_schedule(A.op), [n, A])
    np.testing.assert_array_equal(module(3), np.arange(6).reshape(3, 2))
    assert module(0).shape == (0, 2)
    with pytest.raises(KCError) as caught:
        module(-1)
    assert caught.value.code == "KC5110"
    assert "n is -1" in str(caught.value)


def test_a_bool_variable_takes_bools():
    x = te.var("x", "bool")
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: te.if_then_else(x, A[i], A[i] * 2.0), name="B")
    module = kc.build(te.create_schedule(B.op), [x, A, B], target="llvm")
    ones = np.ones(4, np.float32)
    for value in (True, np.True_, 1, np.int64(1)):
        np.testing.assert_array_equal(module(value, ones), ones)
    for value in (False, np.False_, 0):
        np.testing.assert_array_equal(module(value, ones), 2 * ones)
    for value, code, what in (
        (2, "KC5119", "is 2, which is not in 0..1, the range of bool"),
        (1.0, "KC5118", "is 1.0 (float), expected a bool"),
    ):
        with pytest.raises(KCError) as caught:
            module(value, ones)
        assert caught.value.code == code
        assert caught.value.message == f"main: argument 1 'x' {what}"


def test_inputs_are_checked():
    with pytest.raises(KCError) as caught:
        matmul()(np.ones((2, 8)), np.ones((8, 3), np.float32))
    assert caught.value.code == "KC5106"
    with pytest.raises(KCError) as caught:
        matmul()(np.ones((2, 8), np.float32))
    assert caught.value.code == "KC5101"


def test_a_size_that_only_the_output_has():
    n = te.var("n")
    A = te.compute((n,), lambda i: i.astype("int32"), name="A")
    module = kc.build(te.create_schedule(A.op), [A])
    with pytest.raises(KCError) as caught:
        module()
    assert caught.value.code == "KC5101"
    assert "n is given by an output" in str(caught.value)
    out = np.empty(4, np.int32)
    module(out)
    np.testing.assert_array_equal(out, range(4))


def test_outputs_live_as_long_as_they_are_held():
    f = matmul()
    a, b = np.ones((64, 8), np.float32), np.ones((8, 64), np.float32)
    kept = [f(a * i, b) for i in range(50)]
    for i, c in enumerate(kept):
        np.testing.assert_array_equal(c, np.full((64, 64), 8.0 * i))
