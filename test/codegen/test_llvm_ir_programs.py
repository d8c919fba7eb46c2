"""Functions of the llvm dialect, compiled and run: control flow, memory, vectors, calls."""

import ctypes
import struct

import numpy as np
import pytest
from llvm_support import compile_module, function, functions

# Control flow.


def test_one_successor_twice_with_other_values():
    pick, sum_ = functions(
        """
        llvm.func @pick(%c: i1, %a: i32, %b: i32) -> i32 {
          llvm.cond_br %c, ^end(%a, %b : i32, i32), ^end(%b, %a : i32, i32)
        ^end(%x: i32, %y: i32):
          %r = llvm.sub %x, %y : i32
          llvm.return %r : i32
        }
        llvm.func @sum(%s: i32, %a: i32, %b: i32) -> i32 {
          llvm.switch %s : i32, ^end(%a : i32) [
            1: ^end(%b : i32),
            2: ^end(%s : i32),
            3: ^end(%a : i32)
          ]
        ^end(%x: i32):
          llvm.return %x : i32
        }
        """,
        pick="i32(i1, i32, i32)",
        sum="i32(i32, i32, i32)",
    )
    assert [pick(True, 10, 3), pick(False, 10, 3)] == [7, -7]
    assert [sum_(s, 10, 20) for s in (0, 1, 2, 3, 9)] == [10, 20, 2, 10, 10]


def test_blocks_in_any_order_and_unreachable_ones():
    (run,) = functions(
        """
        llvm.func @f(%n: i64) -> i64 {
          %zero = llvm.mlir.constant(0 : i64) : i64
          llvm.br ^head(%zero, %zero : i64, i64)
        ^exit:
          llvm.return %s : i64
        ^dead(%d: i64):
          llvm.br ^head(%d, %d : i64, i64)
        ^body:
          %t = llvm.add %s, %next : i64
          llvm.br ^head(%next, %t : i64, i64)
        ^head(%i: i64, %s: i64):
          %one = llvm.mlir.constant(1 : i64) : i64
          %next = llvm.add %i, %one : i64
          %c = llvm.icmp "slt" %i, %n : i64
          llvm.cond_br %c, ^body, ^exit
        }
        """,
        f="i64(i64)",
    )
    assert run(10) == 55


def test_unreachable_end_of_a_switch():
    (run,) = functions(
        """
        llvm.func @f(%i: i8) -> i32 {
          %one = llvm.mlir.constant(1 : i32) : i32
          %two = llvm.mlir.constant(2 : i32) : i32
          llvm.switch %i : i8, ^never [
            -1: ^end(%one : i32),
            127: ^end(%two : i32)
          ] {branch_weights = array<i32: 0, 1, 1>}
        ^never:
          llvm.unreachable
        ^end(%r: i32):
          llvm.return %r : i32
        }
        """,
        f="i32(i8)",
    )
    assert [run(-1), run(127)] == [1, 2]


# Memory.


def test_aggregates_and_addresses():
    (run,) = functions(
        """
        llvm.func @f(%p: !llvm.ptr, %i: i64) -> f32 {
          %q = llvm.getelementptr inbounds %p[1, 1, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.struct<packed (i8, array<4 x f32>)>
          %x = llvm.load %q {alignment = 1 : i64} : !llvm.ptr -> f32
          %u = llvm.mlir.undef : !llvm.struct<(i32, array<2 x f32>)>
          %s = llvm.insertvalue %x, %u[1, 1] : !llvm.struct<(i32, array<2 x f32>)>
          %y = llvm.extractvalue %s[1, 1] : !llvm.struct<(i32, array<2 x f32>)>
          llvm.return %y : f32
        }
        """,  # noqa: E501
        f="f32(ptr, i64)",
    )
    data = struct.pack("<b4fb4f", 0, 1, 2, 3, 4, 0, 5, 6, 7, 8)
    buffer = ctypes.create_string_buffer(data, len(data))
    assert run(ctypes.addressof(buffer), 2) == 7.0


def test_alloca_copies_and_fills():
    (run,) = functions(
        """
        llvm.func @f(%p: !llvm.ptr, %q: !llvm.ptr, %n: i64) {
          %one = llvm.mlir.constant(1 : i64) : i64
          %byte = llvm.mlir.constant(7 : i8) : i8
          %tmp = llvm.alloca %one x !llvm.array<64 x i8> {alignment = 64 : i64} : (i64) -> !llvm.ptr
          llvm.intr.lifetime.start %tmp : !llvm.ptr
          "llvm.intr.memset"(%tmp, %byte, %n) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
          %half = llvm.lshr %n, %one : i64
          "llvm.intr.memcpy"(%tmp, %p, %half) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
          "llvm.intr.memmove"(%q, %tmp, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
          llvm.intr.lifetime.end %tmp : !llvm.ptr
          llvm.return
        }
        """,  # noqa: E501
        f="void(ptr, ptr, i64)",
    )
    source, target = np.arange(16, dtype=np.int8), np.zeros(16, np.int8)
    run(source.ctypes.data, target.ctypes.data, 16)
    np.testing.assert_array_equal(target, [*range(8)] + [7] * 8)


def test_vectors():
    (run,) = functions(
        """
        llvm.func @f(%p: !llvm.ptr, %i: i32, %out: !llvm.ptr) {
          %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
          %x = llvm.extractelement %v[%i : i32] : vector<8xf32>
          %zero = llvm.mlir.constant(0 : i64) : i64
          %poison = llvm.mlir.poison : vector<8xf32>
          %one = llvm.insertelement %x, %poison[%zero : i64] : vector<8xf32>
          %splat = llvm.shufflevector %one, %poison [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
          %m = llvm.fcmp "olt" %v, %splat : vector<8xf32>
          %low = llvm.select %m, %v, %splat : vector<8xi1>, vector<8xf32>
          %half = llvm.intr.vector.extract %v[4] : vector<4xf32> from vector<8xf32>
          %w = llvm.intr.vector.insert %half, %low[0] : vector<4xf32> into vector<8xf32>
          llvm.store %w, %out {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
          llvm.return
        }
        """,
        f="void(ptr, i32, ptr)",
    )
    values, out = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.float32), np.zeros(8, np.float32)
    run(values.ctypes.data, 2, out.ctypes.data)
    np.testing.assert_array_equal(out, [*values[4:], *np.minimum(values, 4)[4:]])


def test_masked_memory():
    (run,) = functions(
        """
        llvm.func @f(%p: !llvm.ptr, %q: !llvm.ptr, %n: i64) {
          %zero = llvm.mlir.constant(0 : i64) : i64
          %rest = llvm.mlir.constant(dense<-1.0> : vector<8xf32>) : vector<8xf32>
          %mask = llvm.intr.get.active.lane.mask %zero, %n : i64, i64 to vector<8xi1>
          %v = llvm.intr.masked.load %p, %mask, %rest {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
          %all = llvm.mlir.constant(dense<true> : vector<8xi1>) : vector<8xi1>
          llvm.intr.masked.store %v, %q, %all {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
          %step = llvm.intr.stepvector : vector<8xi64>
          %last = llvm.mlir.constant(dense<15> : vector<8xi64>) : vector<8xi64>
          %back = llvm.sub %last, %step : vector<8xi64>
          %ps = llvm.getelementptr %q[%back] : (!llvm.ptr, vector<8xi64>) -> vector<8x!llvm.ptr>, f32
          llvm.intr.masked.scatter %v, %ps, %mask {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into vector<8x!llvm.ptr>
          %g = llvm.intr.masked.gather %ps, %mask, %rest {alignment = 4 : i32} : (vector<8x!llvm.ptr>, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
          %q2 = llvm.getelementptr %q[16] : (!llvm.ptr) -> !llvm.ptr, f32
          llvm.store %g, %q2 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
          llvm.return
        }
        """,  # noqa: E501
        f="void(ptr, ptr, i64)",
    )
    # Only five elements may be read: what lies behind them is not ours.
    source, target = np.arange(1, 6, dtype=np.float32), np.zeros(24, np.float32)
    run(source.ctypes.data, target.ctypes.data, 5)
    loaded = [1, 2, 3, 4, 5, -1, -1, -1]
    np.testing.assert_array_equal(target, [*loaded, 0, 0, 0, 5, 4, 3, 2, 1, *loaded])


REDUCTIONS = {
    "add": np.sum,
    "mul": np.prod,
    "and": np.bitwise_and.reduce,
    "or": np.bitwise_or.reduce,
    "xor": np.bitwise_xor.reduce,
    "smax": np.max,
    "smin": np.min,
    "umax": lambda v: np.max(v.view(np.uint32)),
    "umin": lambda v: np.min(v.view(np.uint32)),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_integer_reduction(name: str):
    (run,) = functions(
        f"""
        llvm.func @f(%p: !llvm.ptr) -> i32 {{
          %v = llvm.load %p {{alignment = 4 : i64}} : !llvm.ptr -> vector<8xi32>
          %r = "llvm.intr.vector.reduce.{name}"(%v) : (vector<8xi32>) -> i32
          llvm.return %r : i32
        }}
        """,
        f="i32(ptr)",
    )
    values = np.array([3, -1, 7, 12, 5, 9, 2, 6], np.int32)
    assert run(values.ctypes.data) == int(np.int32(REDUCTIONS[name](values)))


def test_float_reductions():
    names = {"fmax": np.max, "fmin": np.min, "fmaximum": np.max, "fminimum": np.min}
    text = "".join(
        f"""
        llvm.func @{name}(%p: !llvm.ptr) -> f32 {{
          %v = llvm.load %p {{alignment = 4 : i64}} : !llvm.ptr -> vector<8xf32>
          %r = llvm.intr.vector.reduce.{name}(%v) : (vector<8xf32>) -> f32
          llvm.return %r : f32
        }}
        """
        for name in names
    )
    text += """
        llvm.func @fadd(%p: !llvm.ptr) -> f32 {
          %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
          %s = llvm.mlir.constant(100.0 : f32) : f32
          %r = "llvm.intr.vector.reduce.fadd"(%s, %v) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<8xf32>) -> f32
          llvm.return %r : f32
        }
        """  # noqa: E501
    module = compile_module(text)
    values = np.array([3, -1, 7, 12, 5, 9, 2, 6], np.float32)
    for name, meaning in names.items():
        assert function(module, name, "f32(ptr)")(values.ctypes.data) == meaning(values)
    assert function(module, "fadd", "f32(ptr)")(values.ctypes.data) == 100 + values.sum()


def test_atomics():
    (run,) = functions(
        """
        llvm.func @f(%p: !llvm.ptr, %v: i32) -> i32 {
          %0 = llvm.atomicrmw add %p, %v monotonic {alignment = 4 : i64} : !llvm.ptr, i32
          %1 = llvm.atomicrmw _or %p, %v seq_cst : !llvm.ptr, i32
          llvm.fence seq_cst
          %now = llvm.load %p atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32
          %two = llvm.mlir.constant(2 : i32) : i32
          %big = llvm.mul %now, %two : i32
          %x = llvm.cmpxchg %p, %now, %big acq_rel monotonic : !llvm.ptr, i32
          %ok = llvm.extractvalue %x[1] : !llvm.struct<(i32, i1)>
          %r = llvm.zext %ok : i1 to i32
          %sum = llvm.add %0, %1 : i32
          %all = llvm.add %sum, %r : i32
          llvm.return %all : i32
        }
        """,
        f="i32(ptr, i32)",
    )
    cell = np.array([8], np.int32)
    assert run(cell.ctypes.data, 3) == 8 + 11 + 1
    assert cell[0] == (11 | 3) * 2


def test_globals_and_calls():
    twice, through, show, counter = functions(
        """
        llvm.mlir.global internal constant @table(dense<[1.0, 2.5, 4.0]> : tensor<3xf32>) {alignment = 64 : i64} : !llvm.array<3 x f32>
        llvm.mlir.global private constant @format("%d-%s\\00") : !llvm.array<6 x i8>
        llvm.mlir.global internal @count(0 : i32) : i32
        llvm.mlir.global internal constant @second() : !llvm.ptr {
          %0 = llvm.mlir.addressof @table : !llvm.ptr
          %1 = llvm.getelementptr inbounds %0[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<3 x f32>
          llvm.return %1 : !llvm.ptr
        }
        llvm.func internal fastcc @double(%x: f32) -> f32 attributes {no_inline} {
          %r = llvm.fadd %x, %x : f32
          llvm.return %r : f32
        }
        llvm.func @twice() -> f32 {
          %p = llvm.mlir.addressof @second : !llvm.ptr
          %q = llvm.load %p : !llvm.ptr -> !llvm.ptr
          %x = llvm.load %q : !llvm.ptr -> f32
          %r = llvm.call fastcc @double(%x) : (f32) -> f32
          llvm.return %r : f32
        }
        llvm.func @through(%f: !llvm.ptr, %x: f64) -> f64 {
          %r = llvm.call %f(%x) : !llvm.ptr, (f64) -> f64
          llvm.return %r : f64
        }
        llvm.func @sprintf(!llvm.ptr, !llvm.ptr, ...) -> i32
        llvm.func @show(%p: !llvm.ptr, %n: i32, %s: !llvm.ptr) -> i32 {
          %f = llvm.mlir.addressof @format : !llvm.ptr
          %r = llvm.call @sprintf(%p, %f, %n, %s) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr) -> i32
          llvm.return %r : i32
        }
        llvm.func @counter() -> i32 {
          %p = llvm.mlir.addressof @count : !llvm.ptr
          %one = llvm.mlir.constant(1 : i32) : i32
          %x = llvm.load %p : !llvm.ptr -> i32
          %y = llvm.add %x, %one : i32
          llvm.store %y, %p : i32, !llvm.ptr
          llvm.return %y : i32
        }
        """,  # noqa: E501
        twice="f32()",
        through="f64(ptr, f64)",
        show="i32(ptr, i32, ptr)",
        counter="i32()",
    )
    assert twice() == 5.0
    callback = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda x: x + 0.5)
    assert through(ctypes.cast(callback, ctypes.c_void_p), 1.0) == 1.5
    out, word = ctypes.create_string_buffer(16), ctypes.create_string_buffer(b"kc")
    assert show(ctypes.addressof(out), 42, ctypes.addressof(word)) == 5
    assert out.value == b"42-kc"
    assert [counter(), counter()] == [1, 2]


def test_wide_integers():
    (run,) = functions(
        """
        llvm.func @f(%a: i64, %b: i64) -> i64 {
          %x = llvm.sext %a : i64 to i128
          %y = llvm.sext %b : i64 to i128
          %c = llvm.mlir.constant(170141183460469231731687303715884105727 : i128) : i128
          %p = llvm.mul %x, %y : i128
          %q = llvm.and %p, %c : i128
          %s = llvm.mlir.constant(64 : i128) : i128
          %h = llvm.lshr %q, %s : i128
          %r = llvm.trunc %h : i128 to i64
          llvm.return %r : i64
        }
        """,
        f="i64(i64, i64)",
    )
    assert run(2**62, 12) == 3
