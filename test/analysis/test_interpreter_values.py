"""Parts of the interpreter against what instruction sets and dialects define, in plain Python."""

from collections.abc import Callable, Sequence
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import f32, i8, i32
from xdsl.dialects.test import TestOp

import kc
from kc.analysis.interpreter import run
from kc.analysis.interpreter.collectives import number_in_block
from kc.analysis.interpreter.combine import combining_function
from kc.analysis.interpreter.errors import OutOfBoundsError
from kc.analysis.interpreter.foreign import _argument
from kc.analysis.interpreter.llvm_intrinsics import INTRINSICS
from kc.analysis.interpreter.values import UninterpretableError


def pairs(values: Sequence[int]) -> list[int]:
    return [values[n] + values[n + 1] for n in range(0, len(values), 2)]


def test_threads_are_numbered_from_0_and_x_counts_fastest():
    extents = {"threadIdx.x": 4, "threadIdx.y": 3, "threadIdx.z": 2}
    numbers = [
        number_in_block({"threadIdx.x": x, "threadIdx.y": y, "threadIdx.z": z}, extents)
        for z in range(2)
        for y in range(3)
        for x in range(4)
    ]
    assert numbers == list(range(24))
    assert number_in_block({}, {}) == 0


def products(a: Sequence[int], b: Sequence[int], count: int) -> list[int]:
    return [
        sum(x * y for x, y in zip(a[n : n + count], b[n : n + count], strict=True))
        for n in range(0, len(a), count)
    ]


def in_lanes(count: int) -> Callable[..., list[int]]:
    """Sums of ``count`` products, each added to a lane."""
    return lambda total, a, b: [x + y for x, y in zip(total, products(a, b, count), strict=True)]


def by_rows(total: Sequence[int], a: Sequence[int], b: Sequence[int]) -> list[int]:
    """2 x 8 by 2 x 8 transposed, added to 2 x 2."""
    product = np.reshape(a, (2, 8)) @ np.reshape(b, (2, 8)).T
    return (np.reshape(total, (2, 2)) + product).ravel().tolist()


def unsigned(values: Sequence[int]) -> list[int]:
    return [value % 256 for value in values]


DEFINED: dict[str, tuple[Sequence[int], Callable[..., list[int]]]] = {
    "llvm.aarch64.neon.saddlp": ((8,), pairs),
    "llvm.aarch64.neon.addp": ((4, 4), lambda a, b: pairs([*a, *b])),
    "llvm.arm.neon.vpaddls": ((8,), pairs),
    "llvm.arm.neon.vpadals": (
        (4, 8),
        lambda total, a: [x + y for x, y in zip(total, pairs(a), strict=True)],
    ),
    "llvm.aarch64.neon.smull": ((4, 4), lambda a, b: products(a, b, 1)),
    "llvm.x86.sse2.pmadd.wd": ((8, 8), lambda a, b: products(a, b, 2)),
    "llvm.x86.ssse3.pmadd.ub.sw.128": (
        (16, 16),
        lambda a, b: [min(max(p, -32768), 32767) for p in products(unsigned(a), b, 2)],
    ),
    "llvm.aarch64.neon.sdot": ((2, 8, 8), in_lanes(4)),
    **{
        f"llvm.x86.avx512.vpdpbusd.{bits}": (
            (bits // 32, bits // 8, bits // 8),
            lambda total, a, b: in_lanes(4)(total, unsigned(a), b),
        )
        for bits in (128, 256, 512)
    },
    "llvm.x86.avx512bf16.dpbf16ps.512": ((16, 32, 32), in_lanes(2)),
    "llvm.x86.avx10.vdpphps.512": ((16, 32, 32), in_lanes(2)),
    "llvm.aarch64.neon.bfdot": ((4, 8, 8), in_lanes(2)),
    "llvm.aarch64.neon.udot": (
        (2, 8, 8),
        lambda total, a, b: in_lanes(4)(total, unsigned(a), unsigned(b)),
    ),
    "llvm.aarch64.neon.usdot": (
        (2, 8, 8),
        lambda total, a, b: in_lanes(4)(total, unsigned(a), b),
    ),
    "llvm.aarch64.neon.smmla": ((4, 16, 16), by_rows),
    "llvm.aarch64.neon.ummla": (
        (4, 16, 16),
        lambda total, a, b: by_rows(total, unsigned(a), unsigned(b)),
    ),
    "llvm.aarch64.neon.usmmla": ((4, 16, 16), lambda total, a, b: by_rows(total, unsigned(a), b)),
}


@pytest.mark.parametrize("name", DEFINED)
def test_intrinsics(name: str):
    counts, defined = DEFINED[name]
    random = Random(name)
    drawn = [
        [[random.randint(-128, 127) for _ in range(count)] for count in counts] for _ in "1234"
    ]
    ends = [  # 255 is the largest byte without a sign
        [[end] * count for end, count in zip(values, counts, strict=False)]
        for values in product((-128, -1, 127), repeat=len(counts))
    ]
    for operands in (*drawn, *ends):
        lanes = [np.array(operand, object) for operand in operands]
        assert INTRINSICS[name](lambda value: value)(*lanes).tolist() == defined(*operands)


def test_floats_are_combined_by_operations_on_floats():
    op = TestOp()
    assert combining_function(op, "add", f32)(1.5, 2.0) == 3.5
    assert combining_function(op, "xor", i32)(5, 3) == 6
    for kind, type_ in (("and", f32), ("minsi", f32), ("minnumf", i32), ("mean", f32)):
        with pytest.raises(UninterpretableError, match=f"{kind} does not combine values of type"):
            combining_function(op, kind, type_)


def test_combinations_wrap():
    op = TestOp()
    assert combining_function(op, "add", i8)(127, 1) == -128
    assert combining_function(op, "minui", i8)(-1, 3) == 3
    assert combining_function(op, "maxui", i8)(-1, 3) == -1


def test_functions_get_unsigned_numbers():
    """As C does by a parameter of type uint8_t; the value of IR has no sign."""
    op: Any = TestOp()
    for dtype, expected in (("uint8", 200), ("int8", -56)):
        assert _argument(op, i8, dtype)(-56) == expected
    assert _argument(op, i32, "uint32")(-1) == 2**32 - 1
    assert _argument(op, f32, "float32")(np.float32(0.5)) == 0.5


@pytest.mark.parametrize("view", ["memref.subview %A[%o] [2] [1] :", "tir.view %A[%o] along [0] :"])
def test_views_lie_inside(view: str):
    """Also where only elements are accessed that are there."""
    text = f"""func.func @main(%A: memref<4xi32>, %o: index, %C: memref<1xi32>) {{
  %c0 = arith.constant 0 : index
  %v = {view} memref<4xi32> to memref<2xi32, strided<[1], offset: ?>>
  %a = memref.load %v[%c0] : memref<2xi32, strided<[1], offset: ?>>
  memref.store %a, %C[%c0] : memref<1xi32>
  return
}}"""
    module = kc.IRModule.parse(text)
    data, out = np.arange(4, dtype=np.int32), np.zeros(1, np.int32)
    run(module.op, "main", [data, 2, out])
    assert out[0] == 2
    for offset in (3, 4, -1):
        with pytest.raises(OutOfBoundsError):
            run(module.op, "main", [data, offset, out])


def test_as_many_blocks_as_a_size_says():
    shape = "{kc.shape = affine_map<()[s0] -> (s0)>}"
    text = f"""func.func @main(%A: memref<?xi32> {shape}) attributes {{kc.symbols = ["n"]}} {{
  %n = tir.symbol "n"
  %one = arith.constant 1 : i32
  tir.for %i in %n thread "blockIdx.x" {{
    tir.block "A" (spatial %v in %n = %i) do {{
      tir.store %one, %A[%v] : memref<?xi32>
    }}
  }}
  func.return
}}"""
    for size in (0, 1, 3):
        data = np.zeros(size, np.int32)
        run(kc.IRModule.parse(text).op, "main", [data])
        assert data.tolist() == [1] * size


def test_memory_in_a_block_is_not_what_its_threads_reduce_into():
    """Two threads have the same iteration, which counts once; what the first left in its own memory
    when it was in the block before makes no difference."""
    text = """func.func @main(%A: memref<4xi32>, %B: memref<2xi32>) {
  %zero = arith.constant 0 : i32
  tir.for %x in 8 thread "threadIdx.x" {
    tir.for %r in 2 {
      tir.block "B" (spatial %u in 2 = %r, reduce %v in 4 = %x floordiv 2) init {
        tir.store %zero, %B[%u] : memref<2xi32>
      } do {
        %L = tir.alloc "L" : memref<1xi32, "local">
        tir.block "L" (opaque %w in 1 = 0) do {
          %a = tir.load %A[%v] : memref<4xi32>
          tir.store %a, %L[0] : memref<1xi32, "local">
        }
        %l = tir.load %L[0] : memref<1xi32, "local">
        %b = tir.load %B[%u] : memref<2xi32>
        %c = arith.addi %b, %l : i32
        tir.store %c, %B[%u] : memref<2xi32>
      }
    }
  }
  func.return
}"""
    data, out = np.array([1, 20, 300, 4000], np.int32), np.array([7, 7], np.int32)
    run(kc.IRModule.parse(text).op, "main", [data, out])
    assert out.tolist() == [4321, 4321]


@pytest.mark.parametrize("masked", [True, False])
def test_masked_elements_are_not_combined(masked: bool):
    reduction = "vector.multi_reduction <add>, %v, %start [1] : vector<2x4xi32> to vector<2xi32>"
    if masked:
        reduction = f"vector.mask %mask {{ {reduction} }} : vector<2x4xi1> -> vector<2xi32>"
    text = f"""func.func @main(%A: memref<2x4xi32>, %n: index, %B: memref<2xi32>) {{
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %start = vector.load %B[%c0] : memref<2xi32>, vector<2xi32>
  %mask = vector.create_mask %c2, %n : vector<2x4xi1>
  %v = vector.transfer_read %A[%c0, %c0], %zero : memref<2x4xi32>, vector<2x4xi32>
  %s = {reduction}
  vector.store %s, %B[%c0] : memref<2xi32>, vector<2xi32>
  return
}}"""
    module = kc.IRModule.parse(text)
    data = np.array([[1, 20, 300, 4000], [5, 60, 700, 8000]], np.int32)
    for count in range(5):
        out = np.array([10000, 20000], np.int32)
        run(module.op, "main", [data, count, out])
        taken = data[:, :count] if masked else data
        assert out.tolist() == (taken.sum(1) + [10000, 20000]).tolist()
