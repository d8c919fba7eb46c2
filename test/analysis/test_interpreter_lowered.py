"""The interpreter on what tir is lowered to: scf, cf, func, memref, affine and vector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreter_support import DTYPES, call, parse

from kc.analysis.interpreter import ExecutionError, OutOfBoundsError, PoisonError, run
from kc.dialects.memref_atomics import ATOMIC_KINDS

RNG = np.random.default_rng(3)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def refused(error: type[ExecutionError], text: str, *args: Any) -> str:
    """The whole message of the error that a program raises."""
    with pytest.raises(error) as raised:
        call(text, *args)
    return str(raised.value)


# Control flow -------------------------------------------------------------------------------


def test_for_with_carried_values():
    text = """
    func.func @f(%low: index, %high: index, %step: index) -> (index, index) {
      %a = arith.constant 0 : index
      %b = arith.constant 1 : index
      %x, %y = scf.for %i = %low to %high step %step iter_args(%p = %a, %q = %b)
          -> (index, index) {
        %s = arith.addi %p, %i : index
        %t = arith.muli %q, %p : index
        scf.yield %s, %q : index, index
      }
      func.return %x, %y : index, index
    }"""
    assert call(text, 2, 11, 3) == (2 + 5 + 8, 1)
    assert call(text, 5, 2, 1) == (0, 1)
    for step in (0, -1):
        message = refused(ExecutionError, text, 2, 11, step)
        assert message.startswith(f"scf.for: the step is {step}; it must be positive")


def test_if_with_and_without_results():
    text = """
    func.func @f(%c: i1, %A: memref<1xi32>) -> i32 {
      %z = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      scf.if %c {
        memref.store %one, %A[%z] : memref<1xi32>
      }
      %r = scf.if %c -> (i32) {
        scf.yield %one : i32
      } else {
        scf.yield %two : i32
      }
      func.return %r : i32
    }"""
    for condition in (True, False):
        a = np.full(1, 7, np.int32)
        assert call(text, condition, a) == (1 if condition else 2,)
        assert a[0] == (1 if condition else 7)


def test_while():
    text = """
    func.func @f(%n: i64) -> (i64, i64) {
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %two = arith.constant 2 : i64
      %three = arith.constant 3 : i64
      %last, %steps = scf.while (%x = %n, %k = %zero) : (i64, i64) -> (i64, i64) {
        %go = arith.cmpi ne, %x, %one : i64
        scf.condition(%go) %x, %k : i64, i64
      } do {
      ^body(%x: i64, %k: i64):
        %odd = arith.remsi %x, %two : i64
        %is_odd = arith.cmpi eq, %odd, %one : i64
        %half = arith.divsi %x, %two : i64
        %triple = arith.muli %x, %three : i64
        %more = arith.addi %triple, %one : i64
        %next = arith.select %is_odd, %more, %half : i64
        %count = arith.addi %k, %one : i64
        scf.yield %next, %count : i64, i64
      }
      func.return %last, %steps : i64, i64
    }"""
    x, steps = 27, 0
    while x != 1:
        x, steps = (3 * x + 1 if x % 2 else x // 2), steps + 1
    assert call(text, 27) == (1, steps)


def test_parallel_with_reductions():
    text = """
    func.func @f(%A: memref<4x6xf32>, %B: memref<4x6xf32>) -> f32 {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %four = arith.constant 4 : index
      %six = arith.constant 6 : index
      %start = arith.constant 0.0 : f32
      %sum = "scf.parallel"(%zero, %zero, %four, %six, %one, %two, %start)
          <{operandSegmentSizes = array<i32: 2, 2, 2, 1>}> ({
      ^body(%i: index, %j: index):
        %a = memref.load %A[%i, %j] : memref<4x6xf32>
        memref.store %a, %B[%i, %j] : memref<4x6xf32>
        scf.reduce(%a : f32) {
        ^combine(%x: f32, %y: f32):
          %z = arith.addf %x, %y : f32
          scf.reduce.return %z : f32
        }
      }) : (index, index, index, index, index, index, f32) -> f32
      func.return %sum : f32
    }"""
    a, b = floats(4, 6), np.zeros((4, 6), np.float32)
    (total,) = call(text, a, b)
    np.testing.assert_array_equal(b[:, ::2], a[:, ::2])
    assert not b[:, 1::2].any()
    assert total == np.add.accumulate(a[:, ::2].reshape(-1))[-1]
    wrong = text.replace("%A[%i, %j]", "%A[%j, %i]")
    assert refused(OutOfBoundsError, wrong, a, b) == (
        "memref.load: index [4, 0] is out of bounds of A, whose shape is [4, 6]\n"
        "  --> k.mlir:12:9\n  in i = 0, j = 4"
    )


def test_index_switch_and_execute_region():
    text = """
    func.func @f(%n: index) -> i32 {
      %r = scf.index_switch %n -> i32
      case 2 {
        %a = arith.constant 20 : i32
        scf.yield %a : i32
      }
      case 5 {
        %b = arith.constant 50 : i32
        scf.yield %b : i32
      }
      default {
        %c = scf.execute_region -> (i32) {
          %d = arith.constant -1 : i32
          scf.yield %d : i32
        }
        scf.yield %c : i32
      }
      func.return %r : i32
    }"""
    assert [call(text, n)[0] for n in (2, 5, 3)] == [20, 50, -1]


def test_branches():
    text = """
    func.func @f(%n: i32) -> i32 {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      cf.br ^loop(%zero, %one : i32, i32)
    ^loop(%i: i32, %product: i32):
      %more = arith.cmpi slt, %i, %n : i32
      cf.cond_br %more, ^body, ^end(%product : i32)
    ^body:
      %next = arith.addi %i, %one : i32
      %value = arith.muli %product, %next : i32
      cf.br ^loop(%next, %value : i32, i32)
    ^end(%result: i32):
      func.return %result : i32
    }"""
    assert [call(text, n)[0] for n in range(6)] == [1, 1, 2, 6, 24, 120]


def test_switch_and_assertion():
    text = """
    func.func @f(%n: i32) -> i32 {
      %a = arith.constant 10 : i32
      %b = arith.constant 20 : i32
      cf.switch %n : i32, [
        default: ^end(%n : i32),
        1: ^end(%a : i32),
        7: ^end(%b : i32)
      ]
    ^end(%r: i32):
      %three = arith.constant 3 : i32
      %c = arith.cmpi ne, %r, %three : i32
      cf.assert %c, "not three"
      func.return %r : i32
    }"""
    assert [call(text, n)[0] for n in (1, 7, 5)] == [10, 20, 5]
    message = refused(ExecutionError, text, 3)
    assert message.startswith("cf.assert: the assertion failed: not three")


def test_calls_have_their_own_values():
    text = """
    func.func @f(%n: i64) -> i64 {
      %one = arith.constant 1 : i64
      %small = arith.cmpi sle, %n, %one : i64
      %r = scf.if %small -> (i64) {
        scf.yield %one : i64
      } else {
        %m = arith.subi %n, %one : i64
        %below = func.call @f(%m) : (i64) -> i64
        %p = arith.muli %n, %below : i64
        scf.yield %p : i64
      }
      func.return %r : i64
    }"""
    assert call(text, 10) == (3628800,)


def test_calls_bind_the_sizes_of_their_arguments():
    text = """
    func.func @size(%A: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>}) -> index
        attributes {kc.symbols = ["n"]} {
      %n = tir.symbol "n"
      func.return %n : index
    }
    func.func @f(%A: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>}, %B: memref<?xf32>)
        -> (index, index) attributes {kc.symbols = ["n"]} {
      %b = func.call @size(%B) : (memref<?xf32>) -> index
      %n = tir.symbol "n"
      func.return %b, %n : index, index
    }"""
    assert call(text, floats(3), floats(8)) == (8, 3)
    declared = "func.func private @g()\nfunc.func @f() {\nfunc.call @g() : () -> ()\nfunc.return\n}"
    assert "@g has no body to run" in refused(ExecutionError, declared)


def test_affine_loops():
    text = """
    func.func @f(%A: memref<4x9xf32>, %n: index) -> index {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %count = affine.for %i = 0 to 4 iter_args(%c = %zero) -> (index) {
        %last = affine.for %j = max affine_map<(d0)[s0] -> (d0, s0)>(%i)[%n]
                         to min affine_map<(d0) -> (9, d0 + 4)>(%i)
                         step 2 iter_args(%d = %c) -> (index) {
          %x = affine.load %A[%i, %j] : memref<4x9xf32>
          %y = arith.addf %x, %x : f32
          affine.store %y, %A[%i, %j] : memref<4x9xf32>
          %k = affine.apply affine_map<(d0)[s0] -> (d0 + s0)> (%d)[%one]
          affine.yield %k : index
        }
        affine.yield %last : index
      }
      %m = affine.min affine_map<(d0) -> (d0, 5)> (%count)
      func.return %m : index
    }"""
    a = floats(4, 9)
    expected, count = a.copy(), 0
    for i in range(4):
        for j in range(max(i, 2), min(9, i + 4), 2):
            expected[i, j] *= 2
            count += 1
    assert call(text, a, 2) == (min(count, 5),)
    np.testing.assert_array_equal(a, expected)


def test_affine_if():
    text = """
    func.func @f(%n: index) -> i32 {
      %r = "affine.if"(%n) <{condition = affine_set<(d0) : (d0 - 3 >= 0, 5 - d0 >= 0)>}> ({
        %a = arith.constant 1 : i32
        "affine.yield"(%a) : (i32) -> ()
      }, {
        %b = arith.constant 0 : i32
        "affine.yield"(%b) : (i32) -> ()
      }) : (index) -> i32
      func.return %r : i32
    }"""
    assert [call(text, n)[0] for n in range(2, 7)] == [0, 1, 1, 1, 0]


def test_affine_division_by_zero():
    text = """
func.func @f(%n: index) -> index {
  %r = affine.apply affine_map<(d0) -> (d0 floordiv 0)> (%n)
  func.return %r : index
}"""
    assert refused(ExecutionError, text, 7) == (
        "affine.apply: division by zero in an affine expression\n  --> k.mlir:3:3"
    )


# Memory -------------------------------------------------------------------------------------


def test_sizes_of_memory():
    text = """
    func.func @f(%A: memref<?x4xf32>, %d: index) -> (index, index, index) {
      %n = memref.dim %A, %d : memref<?x4xf32>
      %r = "memref.rank"(%A) : (memref<?x4xf32>) -> index
      %B = memref.alloc(%n) : memref<3x?xi8>
      %one = arith.constant 1 : index
      %m = memref.dim %B, %one : memref<3x?xi8>
      memref.dealloc %B : memref<3x?xi8>
      func.return %n, %r, %m : index, index, index
    }"""
    assert call(text, floats(5, 4), 0) == (5, 2, 5)
    message = refused(ExecutionError, text, floats(5, 4), 2)
    assert message.startswith("memref.dim: A of rank 2 has no dim 2")


@pytest.mark.parametrize("kind", ["alloc", "alloca"])
def test_fresh_memory_is_garbage(kind: str):
    text = f"""
    func.func @f() -> (f32, i16) {{
      %i = arith.constant 1 : index
      %A = memref.{kind}() : memref<2xf32>
      %B = memref.{kind}() : memref<2xi16>
      %a = memref.load %A[%i] : memref<2xf32>
      %b = memref.load %B[%i] : memref<2xi16>
      func.return %a, %b : f32, i16
    }}"""
    a, b = call(text)
    assert np.isnan(a)
    assert b & 0xFFFF == 0xA5A5


@pytest.mark.parametrize(
    ("kind", "dtype", "old", "value", "new"),
    [
        ("addi", "i8", 127, 1, -128),
        ("maxs", "i8", -1, 1, 1),
        ("maxu", "i8", -1, 1, -1),
        ("minu", "i8", -1, 1, 1),
        ("xori", "i8", 6, 3, 5),
        ("mulf", "f32", 3.0, 0.5, 1.5),
        ("minimumf", "f32", 3.0, -0.5, -0.5),
        ("assign", "f32", 3.0, 0.5, 0.5),
    ],
)
def test_atomic_updates(kind: str, dtype: str, old: float, value: float, new: float):
    text = f"""
    func.func @f(%a: memref<2x{dtype}>, %v: {dtype}, %i: index) -> {dtype} {{
      %r = "memref.atomic_rmw"(%v, %a, %i) <{{kind = {ATOMIC_KINDS.index(kind)} : i64}}>
          : ({dtype}, memref<2x{dtype}>, index) -> {dtype}
      func.return %r : {dtype}
    }}"""
    a = np.array([0, old], DTYPES[dtype])
    (before,) = run(parse(text), "f", [a, a.dtype.type(value), 1])
    assert before == old
    np.testing.assert_array_equal(a, np.array([0, new], a.dtype))


def test_deallocated_memory():
    text = """
    func.func @f(%late: i1) -> f32 {
      %i = arith.constant 1 : index
      %A = memref.alloc() : memref<2xf32>
      %V = memref.subview %A[1] [1] [1] : memref<2xf32> to memref<1xf32, strided<[1], offset: 1>>
      memref.dealloc %A : memref<2xf32>
      scf.if %late {
        memref.dealloc %A : memref<2xf32>
      }
      %z = arith.constant 0 : index
      %x = memref.load %V[%z] : memref<1xf32, strided<[1], offset: 1>>
      func.return %x : f32
    }"""
    message = refused(ExecutionError, text, True)
    assert message.startswith("memref.dealloc: A is used after it was deallocated")
    message = refused(ExecutionError, text, False)
    assert message.startswith("memref.load: A is used after it was deallocated")


def test_one_bit_memory():
    text = """
    func.func @f(%A: memref<3xi1>, %B: memref<3xi8> {kc.dtype = "bool"}) {
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : index
      %three = arith.constant 3 : index
      scf.for %i = %zero to %three step %c1 {
        %a = memref.load %A[%i] : memref<3xi1>
        %byte = arith.extui %a : i1 to i8
        memref.store %byte, %B[%i] : memref<3xi8>
        %t = arith.constant true
        %n = arith.xori %a, %t : i1
        memref.store %n, %A[%i] : memref<3xi1>
      }
      func.return
    }"""
    a, b = np.array([True, False, True]), np.zeros(3, np.bool_)
    call(text, a, b)
    assert b.tolist() == [True, False, True]
    assert a.tolist() == [False, True, False]


def test_casts_and_copies():
    text = """
    func.func @f(%A: memref<?x3xf32>, %B: memref<4x3xf32>) {
      %C = "memref.cast"(%A) : (memref<?x3xf32>) -> memref<4x3xf32>
      %D = "memref.memory_space_cast"(%B) : (memref<4x3xf32>) -> memref<4x3xf32, "local">
      "memref.copy"(%C, %D) : (memref<4x3xf32>, memref<4x3xf32, "local">) -> ()
      func.return
    }"""
    a, b = floats(4, 3), floats(4, 3)
    call(text, a, b)
    np.testing.assert_array_equal(a, b)
    message = refused(ExecutionError, text, floats(5, 3), b)
    assert message.startswith("memref.cast: A of shape [5, 3] is not a memref<4x3xf32>")
    text = """
    func.func @f(%A: memref<?xf32>, %B: memref<?xf32>) {
      "memref.copy"(%A, %B) : (memref<?xf32>, memref<?xf32>) -> ()
      func.return
    }"""
    assert refused(ExecutionError, text, floats(5), floats(4)).startswith(
        "memref.copy: A of shape [5] is copied to B of shape [4]"
    )


def test_views():
    text = """
    func.func @f(%A: memref<6x8xf32>, %o: index, %n: index, %x: f32) -> index {
      %V = memref.subview %A[%o, 1] [%n, 3] [1, 2]
        : memref<6x8xf32> to memref<?x3xf32, strided<[8, 2], offset: ?>>
      %W = memref.subview %V[1, 0] [1, 3] [1, 1]
        : memref<?x3xf32, strided<[8, 2], offset: ?>> to memref<3xf32, strided<[2], offset: ?>>
      %two = arith.constant 2 : index
      memref.store %x, %W[%two] : memref<3xf32, strided<[2], offset: ?>>
      %zero = arith.constant 0 : index
      %d = memref.dim %V, %zero : memref<?x3xf32, strided<[8, 2], offset: ?>>
      func.return %d : index
    }"""
    a = np.zeros((6, 8), np.float32)
    assert call(text, a, 2, 4, 9.0) == (4,)
    expected = np.zeros_like(a)
    expected[3, 5] = 9
    np.testing.assert_array_equal(a, expected)
    assert refused(OutOfBoundsError, text, a, 3, 4, 9.0).startswith(
        "memref.subview: a vector of 4x3 elements at index [3, 1] is out of bounds of A, "
        "whose shape is [6, 8]"
    )


def test_globals():
    text = """
    "memref.global"() <{sym_name = "table", sym_visibility = "private", type = memref<2x2xf32>,
        initial_value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}> : () -> ()
    "memref.global"() <{sym_name = "flag", sym_visibility = "private", type = memref<2xi1>,
        initial_value = dense<true> : tensor<2xi1>}> : () -> ()
    func.func @get(%i: index) -> f32 {
      %T = memref.get_global @table : memref<2x2xf32>
      %x = memref.load %T[%i, %i] : memref<2x2xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %T[%i, %i] : memref<2x2xf32>
      func.return %x : f32
    }
    func.func @f(%i: index) -> (f32, f32, i1) {
      %a = func.call @get(%i) : (index) -> f32
      %b = func.call @get(%i) : (index) -> f32
      %F = memref.get_global @flag : memref<2xi1>
      %c = memref.load %F[%i] : memref<2xi1>
      func.return %a, %b, %c : f32, f32, i1
    }"""
    module = parse(text)
    assert run(module, "f", [1]) == (4, 8, True)
    # Each run starts from the initial values.
    assert run(module, "f", [1]) == (4, 8, True)


# Vectors ------------------------------------------------------------------------------------


def on_vectors(body: str, *arrays: tuple[str, np.ndarray], result: str, count: int) -> np.ndarray:
    """``body`` on vectors %v0, %v1, ... loaded from arrays; it defines a vector %r."""
    out = np.zeros(count, DTYPES[result])
    parameters = "".join(f"%m{n}: memref<{len(a)}x{t}>, " for n, (t, a) in enumerate(arrays))
    loads = "\n".join(
        f"%v{n} = vector.load %m{n}[%zero] : memref<{len(a)}x{t}>, vector<{len(a)}x{t}>"
        for n, (t, a) in enumerate(arrays)
    )
    text = f"""
    func.func @f({parameters}%out: memref<{count}x{result}>) {{
      %zero = arith.constant 0 : index
      {loads}
      {body}
      vector.store %r, %out[%zero] : memref<{count}x{result}>, vector<{count}x{result}>
      func.return
    }}"""
    call(text, *(a for _, a in arrays), out)
    return out


def test_elementwise_ops_on_vectors():
    a, b = RNG.integers(-128, 128, (2, 8)).astype(np.int8)
    result = on_vectors(
        "%r = arith.addi %v0, %v1 : vector<8xi8>", ("i8", a), ("i8", b), result="i8", count=8
    )
    np.testing.assert_array_equal(result, a + b)
    x, y, z = floats(3, 4)
    result = on_vectors(
        "%p = vector.fma %v0, %v1, %v2 : vector<4xf32>\n%r = math.absf %p : vector<4xf32>",
        *(("f32", operand) for operand in (x, y, z)),
        result="f32",
        count=4,
    )
    exact = x.astype(np.float64) * y + z
    np.testing.assert_array_equal(result, np.abs(exact).astype(np.float32))
    # The type of each element is kept.
    h = np.array([2048, 1, 60000, 1e-7], np.float16)
    result = on_vectors(
        "%r = arith.addf %v0, %v0 : vector<4xf16>", ("f16", h), result="f16", count=4
    )
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(result, h + h)


def test_comparisons_selections_and_casts_of_vectors():
    a = np.array([3, -1, 7, -128], np.int8)
    result = on_vectors(
        """%z = arith.constant dense<0> : vector<4xi8>
        %c = arith.cmpi slt, %v0, %z : vector<4xi8>
        %w = arith.extsi %v0 : vector<4xi8> to vector<4xi32>
        %u = arith.extui %v0 : vector<4xi8> to vector<4xi32>
        %r = arith.select %c, %u, %w : vector<4xi1>, vector<4xi32>""",
        ("i8", a),
        result="i32",
        count=4,
    )
    assert result.tolist() == [3, 255, 7, 128]
    # An element that is poison where it is not selected does no harm.
    x = np.array([1.5, 1e9, -3.5, np.nan], np.float32)
    result = on_vectors(
        """%limit = arith.constant dense<100.0> : vector<4xf32>
        %c = arith.cmpf olt, %v0, %limit : vector<4xf32>
        %i = arith.fptosi %v0 : vector<4xf32> to vector<4xi8>
        %z = arith.constant dense<9> : vector<4xi8>
        %r = arith.select %c, %i, %z : vector<4xi1>, vector<4xi8>""",
        ("f32", x),
        result="i8",
        count=4,
    )
    assert result.tolist() == [1, 9, -3, 9]
    result = on_vectors(
        """%c = arith.constant false
        %w = arith.addf %v0, %v0 : vector<4xf32>
        %r = arith.select %c, %w, %v0 : vector<4xf32>""",
        ("f32", x),
        result="f32",
        count=4,
    )
    np.testing.assert_array_equal(result, x)


def test_constant_and_broadcast_vectors():
    result = on_vectors(
        "%r = arith.constant dense<[1.0, 2.5, -0.0, 0.1]> : vector<4xf32>", result="f32", count=4
    )
    np.testing.assert_array_equal(result, np.array([1, 2.5, -0.0, 0.1], np.float32))
    result = on_vectors(
        """%s = arith.constant 7 : i16
        %r = vector.broadcast %s : i16 to vector<3xi16>""",
        result="i16",
        count=3,
    )
    assert result.tolist() == [7, 7, 7]
    result = on_vectors(
        """%one = arith.constant dense<5> : vector<1xi32>
        %wide = vector.broadcast %one : vector<1xi32> to vector<2x3xi32>
        %r = vector.extract %wide[1] : vector<3xi32> from vector<2x3xi32>""",
        result="i32",
        count=3,
    )
    assert result.tolist() == [5, 5, 5]


def test_elements_of_vectors():
    a = floats(4)
    text = """
    func.func @f(%A: memref<4xf32>, %i: index, %x: f32) -> (f32, f32) {
      %zero = arith.constant 0 : index
      %v = vector.load %A[%zero] : memref<4xf32>, vector<4xf32>
      %e = vector.extract %v[%i] : f32 from vector<4xf32>
      %w = vector.insert %x, %v [%i] : f32 into vector<4xf32>
      %last = vector.extract %w[3] : f32 from vector<4xf32>
      func.return %e, %last : f32, f32
    }"""
    assert call(text, a, 1, 5.0) == (a[1], a[3])
    assert call(text, a, 3, 5.0) == (a[3], 5)
    assert "vector.extract: position [4] is out of bounds of a vector of [4]" in refused(
        PoisonError, text, a, 4, 5.0
    )


def test_shuffles():
    a, b = np.arange(4, dtype=np.int32), np.arange(10, 13, dtype=np.int32)
    result = on_vectors(
        "%r = vector.shuffle %v0, %v1 [6, 0, 3, 4, 0] : vector<4xi32>, vector<3xi32>",
        ("i32", a),
        ("i32", b),
        result="i32",
        count=5,
    )
    assert result.tolist() == [12, 0, 3, 10, 0]
    with pytest.raises(PoisonError, match=r"vector.shuffle: no element is chosen"):
        on_vectors(
            "%r = vector.shuffle %v0, %v0 [0, -1] : vector<4xi32>, vector<4xi32>",
            ("i32", a),
            result="i32",
            count=2,
        )


REDUCTIONS = {
    "add": np.add,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "minui": np.minimum,
    "maxui": np.maximum,
}


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_integer_reductions(kind: str):
    a = RNG.integers(-128, 128, 9).astype(np.int8)
    text = f"""
    func.func @f(%A: memref<9xi8>, %acc: i8) -> (i8, i8) {{
      %zero = arith.constant 0 : index
      %v = vector.load %A[%zero] : memref<9xi8>, vector<9xi8>
      %r = vector.reduction <{kind}>, %v : vector<9xi8> into i8
      %s = vector.reduction <{kind}>, %v, %acc : vector<9xi8> into i8
      func.return %r, %s : i8, i8
    }}"""
    wide = a.view(np.uint8) if kind.endswith("ui") else a
    with_accumulator = np.append(wide, wide.dtype.type(77))
    expected = [
        int(REDUCTIONS[kind].reduce(values, dtype=values.dtype).astype(np.int8))
        for values in (wide, with_accumulator)
    ]
    assert list(call(text, a, 77)) == expected


def test_float_reductions():
    a = np.array([1e8, 3, 3, 3, -1e8], np.float32)
    text = """
    func.func @f(%A: memref<5xf32>, %acc: f32) -> (f32, f32, f32) {
      %zero = arith.constant 0 : index
      %v = vector.load %A[%zero] : memref<5xf32>, vector<5xf32>
      %s = vector.reduction <add>, %v, %acc : vector<5xf32> into f32
      %m = vector.reduction <maximumf>, %v, %acc : vector<5xf32> into f32
      %n = vector.reduction <minnumf>, %v, %acc : vector<5xf32> into f32
      func.return %s, %m, %n : f32, f32, f32
    }"""
    total, greatest, least = call(text, a, 0.5)
    assert total == np.add.accumulate(np.append(np.float32(0.5), a))[-1]
    assert (greatest, least) == (a[0], a[4])
    total, greatest, least = call(text, a, np.nan)
    assert np.isnan(total)
    assert np.isnan(greatest)
    assert least == a[4]


def test_masked_accesses():
    # The last vector reaches over the end: elements that are masked out are not accessed.
    text = """
    func.func @f(%A: memref<2x10xf32>, %B: memref<2x10xf32>, %n: index) {
      %one = arith.constant 1 : index
      %eight = arith.constant 8 : index
      %mask = vector.create_mask %n : vector<4xi1>
      %pass = arith.constant dense<-1.0> : vector<4xf32>
      %v = vector.maskedload %A[%one, %eight], %mask, %pass
        : memref<2x10xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
      %w = arith.addf %v, %v : vector<4xf32>
      vector.maskedstore %B[%one, %eight], %mask, %w
        : memref<2x10xf32>, vector<4xi1>, vector<4xf32>
      func.return
    }"""
    a, b = floats(2, 10), floats(2, 10)
    expected = b.copy()
    expected[1, 8:] = 2 * a[1, 8:]
    call(text, a, b, 2)
    np.testing.assert_array_equal(b, expected)
    untouched = expected.copy()
    call(text, expected, untouched, -2)
    np.testing.assert_array_equal(untouched, expected)
    assert refused(OutOfBoundsError, text, a, b, 3).startswith(
        "vector.maskedload: index [1, 10] is out of bounds of A, whose shape is [2, 10]"
    )


def test_masked_elements_take_what_is_passed():
    result = on_vectors(
        """%n = arith.constant 2 : index
        %mask = vector.create_mask %n : vector<4xi1>
        %r = vector.maskedload %m0[%zero], %mask, %v1
          : memref<4xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>""",
        ("f32", np.array([1, 2, 3, 4], np.float32)),
        ("f32", np.array([5, 6, 7, 8], np.float32)),
        result="f32",
        count=4,
    )
    assert result.tolist() == [1, 2, 7, 8]


def test_masks_of_several_dimensions():
    text = """
    func.func @f(%out: memref<2x3xi1>, %m: index, %n: index) {
      %zero = arith.constant 0 : index
      %mask = vector.create_mask %m, %n : vector<2x3xi1>
      vector.store %mask, %out[%zero, %zero] : memref<2x3xi1>, vector<2x3xi1>
      func.return
    }"""
    out = np.zeros((2, 3), np.bool_)
    call(text, out, 1, 2)
    assert out.tolist() == [[True, True, False], [False, False, False]]


TRANSFER = """
func.func @f(%A: memref<4x5xf32>, %B: memref<5x4xf32>, %i: index, %j: index) {{
  %pad = arith.constant -1.0 : f32
  %zero = arith.constant 0 : index
  %v = vector.transfer_read %A[%i, %j], %pad {{in_bounds = [{bounds}],
    permutation_map = affine_map<(d0, d1) -> (d1, d0)>}} : memref<4x5xf32>, vector<3x2xf32>
  vector.transfer_write %v, %B[%zero, %zero] {{in_bounds = [true, true]}}
    : vector<3x2xf32>, memref<5x4xf32>
  func.return
}}"""


def test_transfers():
    a, b = floats(4, 5), np.zeros((5, 4), np.float32)
    call(TRANSFER.format(bounds="false, false"), a, b, 3, 3)
    expected = np.zeros_like(b)
    padded = np.pad(a, ((0, 9), (0, 9)), constant_values=-1)
    expected[:3, :2] = padded[3:5, 3:6].T
    np.testing.assert_array_equal(b, expected)
    assert refused(OutOfBoundsError, TRANSFER.format(bounds="false, true"), a, b, 3, 3).startswith(
        "vector.transfer_read: index [4, 3] is out of bounds of A"
    )


def test_masked_transposed_transfers():
    # The mask has the shape of the memory, not of the vector.
    text = """
    func.func @f(%A: memref<3x2xf32>, %B: memref<2x3xf32>, %m: index, %n: index) {
      %pad = arith.constant -1.0 : f32
      %zero = arith.constant 0 : index
      %mask = vector.create_mask %m, %n : vector<3x2xi1>
      %v = vector.transfer_read %A[%zero, %zero], %pad, %mask {in_bounds = [true, true],
        permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<3x2xf32>, vector<2x3xf32>
      vector.store %v, %B[%zero, %zero] : memref<2x3xf32>, vector<2x3xf32>
      func.return
    }"""
    a, b = floats(3, 2), np.zeros((2, 3), np.float32)
    call(text, a, b, 3, 1)
    np.testing.assert_array_equal(b, [a[:, 0], [-1, -1, -1]])


def test_masked_and_broadcast_transfers():
    text = """
    func.func @f(%A: memref<6xf32>, %B: memref<2x4xf32>, %n: index) {
      %pad = arith.constant -1.0 : f32
      %zero = arith.constant 0 : index
      %mask = vector.create_mask %n : vector<4xi1>
      %v = vector.transfer_read %A[%zero], %pad, %mask {in_bounds = [true, true],
        permutation_map = affine_map<(d0) -> (0, d0)>} : memref<6xf32>, vector<2x4xf32>
      vector.store %v, %B[%zero, %zero] : memref<2x4xf32>, vector<2x4xf32>
      func.return
    }"""
    a, b = floats(6), np.zeros((2, 4), np.float32)
    call(text, a, b, 3)
    np.testing.assert_array_equal(b, [[*a[:3], -1]] * 2)


def test_bits_of_vectors():
    result = on_vectors(
        "%r = vector.bitcast %v0 : vector<2xf32> to vector<4xi16>",
        ("f32", np.array([1.0, -2.0], np.float32)),
        result="i16",
        count=4,
    )
    assert result.view(np.uint16).tolist() == [0, 0x3F80, 0, 0xC000]
    text = """%b = vector.bitcast %v0 : vector<2xi16> to vector<32xi1>
      %r = vector.bitcast %b : vector<32xi1> to vector<4xi8>"""
    values = ("i16", np.array([0x4321, -2], np.int16))
    assert on_vectors(text, values, result="i8", count=4).tolist() == [0x21, 0x43, -2, -1]


def test_poison_in_one_element():
    text = """
    func.func @f(%A: memref<2xi8>, %B: memref<2xi8>, %out: memref<2xi8>, %n: index) {
      %zero = arith.constant 0 : index
      %a = vector.load %A[%zero] : memref<2xi8>, vector<2xi8>
      %b = vector.load %B[%zero] : memref<2xi8>, vector<2xi8>
      %s = arith.shli %a, %b : vector<2xi8>
      %mask = vector.create_mask %n : vector<2xi1>
      vector.maskedstore %out[%zero], %mask, %s : memref<2xi8>, vector<2xi1>, vector<2xi8>
      func.return
    }"""
    out = np.zeros(2, np.int8)
    arrays = np.array([3, 3], np.int8), np.array([2, 9], np.int8), out
    call(text, *arrays, 1)
    assert out.tolist() == [12, 0]
    assert "arith.shli: a shift of i8 by 9" in refused(PoisonError, text, *arrays, 2)


def test_vectors_out_of_bounds():
    text = """
    func.func @f(%A: memref<4x4xf32>, %i: index, %j: index) {
      %v = vector.load %A[%i, %j] : memref<4x4xf32>, vector<2x3xf32>
      func.return
    }"""
    call(text, floats(4, 4), 2, 1)
    for i, j in ((3, 0), (0, 2), (-1, 0)):
        assert refused(OutOfBoundsError, text, floats(4, 4), i, j).startswith(
            f"vector.load: a vector of 2x3 elements at index [{i}, {j}] is out of bounds of A"
        )
