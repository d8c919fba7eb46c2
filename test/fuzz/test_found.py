"""Schedules that the random ones found to be wrong once: results stay, or the call is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from schedules import check_text, perform
from xdsl.dialects.builtin import IndexType, MemRefType

import kc
from kc import te, tir
from kc.analysis import loop_tree
from kc.analysis.interpreter import run
from kc.support.diagnostics import KCError, diagnostic_handler

ELEMENTS = {"i8": np.int8, "i32": np.int32, "f32": np.float32}

INDEX_OF_UNIT_AXIS = """
func.func @main(%A: memref<16x7xi8>, %C: memref<1x3xi8>) {
  tir.for %i in 1 {
    tir.for %j in 3 {
      tir.block "C" (spatial %v_i in 1 = %i, spatial %v_j in 3 = %j) do {
        %a = tir.load %A[%v_i mod 16, %v_i + 1] : memref<16x7xi8>
        tir.store %a, %C[%v_i, %v_j] : memref<1x3xi8>
      }
    }
  }
  func.return
}
"""

COPY = """
func.func @main(%A: memref<12xi32>, %C: memref<12xi32>) {
  %B = tir.alloc "B" : memref<12xi32>
  tir.for %i in 12 {
    tir.block "B" (spatial %v_i in 12 = %i) do {
      %a = tir.load %A[%v_i] : memref<12xi32>
      tir.store %a, %B[%v_i] : memref<12xi32>
    }
  }
  tir.for %i_1 "i" in 12 {
    tir.block "C" (spatial %v_i in 12 = %i_1) do {
      %b = tir.load %B[%v_i] : memref<12xi32>
      tir.store %b, %C[%v_i] : memref<12xi32>
    }
  }
  func.return
}
"""

PAD_OF_NOTHING = """
func.func @main(%A: memref<0x3xi8>, %P: memref<2x3xi8>) {
  tir.for %i in 2 {
    tir.for %j in 3 {
      tir.block "P_pad" (spatial %v_i in 2 = %i, spatial %v_j in 3 = %j) do {
        %0 = arith.constant 5 : i8
        tir.store %0, %P[%v_i, %v_j] : memref<2x3xi8>
      }
    }
    tir.for %j in 3 {
      tir.block "P" (spatial %v_i in 2 = %i, spatial %v_j in 3 = %j) where (%i >= 1, %i < 1) do {
        %0 = tir.load %A[%v_i - 1, %v_j] : memref<0x3xi8>
        tir.store %0, %P[%v_i, %v_j] : memref<2x3xi8>
      }
    }
  }
  func.return
}
"""

EMPTY_REDUCTION = """
func.func @main(%A: memref<0xi32>, %C: memref<4xi32>) {
  %B = tir.alloc "B" : memref<4xi32>
  tir.for %i in 4 {
    tir.for %k in 0 {
      tir.block "B" (spatial %v_i in 4 = %i, reduce %v_k in 0 = %k) init {
        %zero = arith.constant 7 : i32
        tir.store %zero, %B[%v_i] : memref<4xi32>
      } do {
        %a = tir.load %A[%v_k] : memref<0xi32>
        %b = tir.load %B[%v_i] : memref<4xi32>
        %sum = arith.addi %b, %a : i32
        tir.store %sum, %B[%v_i] : memref<4xi32>
      }
    }
  }
  tir.for %i_1 "i" in 4 {
    tir.block "C" (spatial %v_i in 4 = %i_1) do {
      %b = tir.load %B[%v_i] : memref<4xi32>
      tir.store %b, %C[%v_i] : memref<4xi32>
    }
  }
  func.return
}
"""

NEVER_RUN = """
func.func @main(%C: memref<4xi32>) {
  %one = arith.constant 1 : i32
  tir.for %i in 4 {
    tir.for %j in 0 {
      tir.block "C" (spatial %v_i in 4 = %i) do {
        tir.store %one, %C[%v_i] : memref<4xi32>
      }
    }
  }
  func.return
}
"""

EMPTY_BY_APPLY = (
    EMPTY_REDUCTION.replace("%B = tir", "%none = tir.apply (0)\n  %B = tir", 1)
    .replace("tir.for %k in 0", "tir.for %k in %none")
    .replace("%v_k in 0", "%v_k in %none")
    .replace("0xi32", "?xi32")
)

STAGE_IN_INIT = """
func.func @main(%A: memref<3x2xi32>, %C: memref<3xi32>) {
  tir.for %k in 2 {
    tir.block "O" (reduce %v_k in 2 = %k) init {
      %B = tir.alloc "B" : memref<1xi32>
      tir.for %i in 3 {
        tir.block "B" (spatial %v in 1 = 0) do {
          %seven = arith.constant 7 : i32
          tir.store %seven, %B[%v] : memref<1xi32>
        }
        tir.block "I" (spatial %v in 3 = %i) do {
          %b = tir.load %B[0] : memref<1xi32>
          tir.store %b, %C[%v] : memref<3xi32>
        }
      }
    } do {
      tir.for %i in 3 {
        tir.block "U" (spatial %v in 3 = %i) do {
          %old = tir.load %C[%v] : memref<3xi32>
          %a = tir.load %A[%v, %v_k] : memref<3x2xi32>
          %new = arith.addi %old, %a : i32
          tir.store %new, %C[%v] : memref<3xi32>
        }
      }
    }
  }
  func.return
}
"""

INDEX_OF_INDEX = """
func.func @main(%A: memref<8xi32>, %C: memref<8xi32>) {
  %I = tir.alloc "I" : memref<4x2xindex>
  tir.for %i in 8 {
    tir.block "I" (spatial %v in 8 = %i) do {
      %0 = tir.apply (7 - %v)
      tir.store %0, %I[%v floordiv 2, %v mod 2] : memref<4x2xindex>
    }
  }
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %at = tir.load %I[%v floordiv 2, %v mod 2] : memref<4x2xindex>
      %a = tir.load %A[%at] : memref<8xi32>
      tir.store %a, %C[%v] : memref<8xi32>
    }
  }
  func.return
}
"""

TILE_OF_A_THREAD = """
func.func @main(%A: memref<4xi32>, %C: memref<4xi32>) {
  tir.for %j in 4 thread "threadIdx.x" {
    %B = tir.alloc "B" : memref<4xi32, "local">
    tir.block "B" (spatial %v in 4 = %j) do {
      %a = tir.load %A[%v] : memref<4xi32>
      tir.store %a, %B[%v] : memref<4xi32, "local">
    }
    %D = tir.alloc "D" : memref<4xi32, "local">
    tir.for %k in 4 {
      tir.block "D" (spatial %v in 4 = %k) do {
        %b = tir.load %B[%v] : memref<4xi32, "local">
        tir.store %b, %D[%v] : memref<4xi32, "local">
      }
    }
    tir.block "C" (spatial %v in 4 = %j) do {
      %d = tir.load %D[%v] : memref<4xi32, "local">
      tir.store %d, %C[%v] : memref<4xi32>
    }
  }
  func.return
}
"""

PREFIX_SUM = """
func.func @main(%A: memref<6xi32>, %C: memref<6xi32>, %n0: index {kc.symbol = "n0"})
    attributes {kc.symbols = ["n0"]} {
  %n = tir.symbol "n0"
  tir.for %i in 6 {
    tir.block "C" (spatial %v_i in 6 = %i) do {
      %a = tir.load %A[%v_i] : memref<6xi32>
      tir.store %a, %C[%v_i] : memref<6xi32>
    }
    tir.if (%i >= 1) {
      tir.block "S" (opaque %v_i in 6 = %i) do {
        %before = tir.load %C[%v_i - 1] : memref<6xi32>
        %c = tir.load %C[%v_i] : memref<6xi32>
        %sum = arith.addi %before, %c : i32
        tir.store %sum, %C[%v_i] : memref<6xi32>
      }
    }
  }
  func.return
}
"""

COPY_IN_INIT = """
func.func @main(%A: memref<5x0xi32>, %B: memref<5xi32>, %C: memref<5xi32>) {
  %T = tir.alloc "T" : memref<5xi32>
  tir.for %i in 5 {
    tir.block "T" (spatial %v in 5 = %i) do {
      %b = tir.load %B[%v] : memref<5xi32>
      tir.store %b, %T[%v] : memref<5xi32>
    }
  }
  tir.for %k in 0 {
    tir.for %i in 5 {
      tir.block "C" (spatial %v in 5 = %i, reduce %v_k in 0 = %k) init {
        %b = tir.load %T[%v] : memref<5xi32>
        tir.store %b, %C[%v] : memref<5xi32>
      } do {
        %old = tir.load %C[%v] : memref<5xi32>
        %x = tir.load %A[%v, %v_k] : memref<5x0xi32>
        %new = arith.addi %old, %x : i32
        tir.store %new, %C[%v] : memref<5xi32>
      }
    }
  }
  func.return
}
"""

OUTER_EMPTY_REDUCTION = """
func.func @main(%A: memref<3x0xi32>, %C: memref<3xi32>) {
  tir.for %r in 0 {
    tir.for %s in 2 {
      tir.block "C" (spatial %v in 3 = %s, reduce %k in 0 = %r) where (%s < 1) init {
        %b = arith.constant -100 : i32
        tir.store %b, %C[%v] : memref<3xi32>
      } do {
        %old = tir.load %C[%v] : memref<3xi32>
        %x = tir.load %A[%v, %k] : memref<3x0xi32>
        %new = arith.maxsi %old, %x : i32
        tir.store %new, %C[%v] : memref<3xi32>
      }
    }
    tir.for %s in 2 {
      tir.block "C_1" (spatial %v in 3 = %s + 1, reduce %k in 0 = %r) init {
        %b = arith.constant -100 : i32
        tir.store %b, %C[%v] : memref<3xi32>
      } do {
        %old = tir.load %C[%v] : memref<3xi32>
        %x = tir.load %A[%v, %k] : memref<3x0xi32>
        %new = arith.maxsi %old, %x : i32
        tir.store %new, %C[%v] : memref<3xi32>
      }
    }
  }
  func.return
}
"""

ACCEPTED = {
    "a copy of an array without elements": (
        PAD_OF_NOTHING,
        ["sch.reindex_cache_read('P', 'A', 'local', '(v_i, v_j) -> (v_j, v_i)')"],
    ),
    "pad_einsum, whose padding makes v + 1 more than 1": (
        INDEX_OF_UNIT_AXIS,
        ["sch.pad_einsum('C', [16, 16])"],
    ),
    "transform_layout of what is prefetched": (
        COPY,
        [
            "sch.prefetch('C', 'B', sch.get_loops('C')[0], 1)",
            "sch.transform_layout('B', 'B', lambda i: [i // 4, i % 4])",
        ],
    ),
    "bind of a reduction over nothing": (
        EMPTY_REDUCTION,
        ["sch.bind(sch.get_loops('B')[1], 'threadIdx.x')"],
    ),
    "bind of a reduction over nothing, in a thread": (
        EMPTY_REDUCTION,
        [
            "sch.bind(sch.get_loops('B')[0], 'threadIdx.y')",
            "sch.bind(sch.get_loops('B')[1], 'threadIdx.x')",
        ],
    ),
    "a cache in the init of a block of blocks": (
        EMPTY_REDUCTION,
        [
            "sch.tile(*sch.get_loops('B'), 32, 32)",
            "sch.split(sch.get_loops('B')[3], factors=[None, 16])",
            "sch.blockize(sch.get_loops('B')[4])",
            "sch.reindex_cache_write('B_init', 'B', 'local', '(v_i)->(v_i)')",
        ],
    ),
    "reindex_cache_write at the only value of a reduction": (
        EMPTY_REDUCTION.replace("0xi32", "1xi32").replace("in 0", "in 1"),
        ["sch.reindex_cache_write('B', 'B', 'local', '(v_i, v_k)->(v_k, v_i)')"],
    ),
    "loop_partition of a reduction over nothing, by a computed size": (
        EMPTY_BY_APPLY.replace("memref<?xi32>, %C", "memref<0xi32>, %C").replace(
            "tir.load %A[%v_k] : memref<?xi32>", "tir.load %A[%v_k] : memref<0xi32>"
        ),
        ["sch.loop_partition(sch.get_loops('B')[0], [1, None])"],
    ),
    "split of a part of a symbolic split around a condition": (
        PREFIX_SUM,
        [
            "sch.split(sch.get_loops('C')[0], factors=[None, 'n0'])",
            "sch.split(sch.get_loops('C')[1], factors=[None, 2, 'n0'])",
        ],
    ),
    "compute_root in an init": (STAGE_IN_INIT, ["sch.compute_root('B')"]),
    "cache_index of an index with an index": (
        INDEX_OF_INDEX,
        ["sch.cache_index('C', 'global', 0)"],
    ),
    "set_scope of what a thread has computed": (
        TILE_OF_A_THREAD.replace('"B" (spatial %v in 4 = %j)', '"B" (spatial %v in 4 = %l)')
        .replace('    tir.block "B"', '    tir.for %l in 4 {\n    tir.block "B"')
        .replace("    %D = tir", "    }\n    %D = tir"),
        ["sch.set_scope('D', 'D', 'shared')"],
    ),
    "blockize, whose init has a bound loop": (
        EMPTY_REDUCTION.replace("0xi32", "3xi32").replace("in 0", "in 3"),
        [
            "sch.bind(sch.get_loops('B')[0], 'blockIdx.x')",
            "sch.blockize(sch.get_loops('B')[0])",
        ],
    ),
}

REFUSED = {
    "cache_inplace in a loop of a reduction over nothing": (
        OUTER_EMPTY_REDUCTION,
        "sch.cache_inplace('C', 'C', 'global')",
    ),
    "tile of one loop": (COPY, "sch.tile(sch.get_loops('C')[0], sch.get_loops('C')[0])"),
    "reindex_cache_write, with a dimension for a reduction over nothing": (
        EMPTY_REDUCTION,
        "sch.reindex_cache_write('B', 'B', 'local', '(v_i, v_k)->(v_k, v_i)')",
    ),
    "compute_at in a reduction over nothing, whose init reads": (
        COPY_IN_INIT,
        "sch.compute_at('T', sch.get_loops('C')[0])",
    ),
    "read_at in a reduction over nothing, whose init reads": (
        COPY_IN_INIT,
        "sch.read_at(sch.get_loops('C')[1], 'C', 'T', 'global')",
    ),
    "write_at in a reduction over nothing": (
        EMPTY_REDUCTION,
        "sch.write_at(sch.get_loops('B')[1], 'B', 'B')",
    ),
    "cache_write of what is never written": (NEVER_RUN, "sch.cache_write('C', 'C', 'local')"),
    "write_at of what is never written": (
        NEVER_RUN,
        "sch.write_at(sch.get_loops('C')[0], 'C', 'C', 'local')",
    ),
    "reindex of what is never written": (NEVER_RUN, "sch.reindex('C', 'C')"),
    "reindex_cache_write of what is never written": (
        NEVER_RUN,
        "sch.reindex_cache_write('C', 'C', 'local', '(v_i)->(v_i)')",
    ),
    "set_scope of what a thread copies of elements that it has not written": (
        TILE_OF_A_THREAD,
        "sch.set_scope('D', 'D', 'shared')",
    ),
    "reverse_compute_at in a reduction over nothing": (
        EMPTY_REDUCTION,
        "sch.reverse_compute_at('C', sch.get_loops('B')[1])",
    ),
}


def results(module: kc.IRModule, *, native: bool) -> list[Any]:
    """The results of a module for arrays that are the same each time."""
    generator = np.random.default_rng(1)
    arrays: list[Any] = []
    for arg in module.functions["main"].body.block.args:
        if isinstance(arg.type, IndexType):
            arrays.append(3)
            continue
        assert isinstance(arg.type, MemRefType)
        element = ELEMENTS[str(arg.type.element_type)]
        arrays.append(generator.integers(-9, 9, arg.type.get_shape()).astype(element))
    if not native:
        run(module.op, "main", arrays)
        return arrays
    with diagnostic_handler(lambda _: None):
        kc.build(module)(*arrays)
    return arrays


@pytest.mark.parametrize("name", ACCEPTED)
def test_results_stay(name: str):
    text, lines = ACCEPTED[name]
    original = kc.IRModule.parse(text)
    sch = tir.Schedule(original)
    for line in lines:
        assert perform(sch, line), line
    check_text(sch.mod)
    expected = results(original, native=False)
    threads = any(loop.axis is not None for loop in loop_tree.loops(sch.mod.functions["main"]))
    for native in (False,) if threads else (False, True):
        for actual, reference in zip(results(sch.mod, native=native), expected, strict=True):
            np.testing.assert_array_equal(actual, reference)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    text, line = REFUSED[name]
    assert not perform(tir.Schedule(kc.IRModule.parse(text)), line)


def test_a_reduction_over_nothing_whose_elements_no_loops_count():
    """Lowering gave up on a part of it, which then still counted as a use of the buffer."""
    n = te.var("n")
    k = te.reduce_axis((0, n), name="k")
    a = te.placeholder((n, n), "int32", name="A")
    c = te.compute((n,), lambda i: te.min(a[i // 3, k], axis=k), name="C")
    sch = tir.Schedule(kc.lower(te.create_schedule(c.op), [a, c], name="main"))
    i, _ = sch.get_loops("C")
    sch.split(i, factors=[2, 2, 5, None])
    loops = sch.get_loops("C")
    sch.tile(loops[2], loops[3], 32, 32)
    loops = sch.get_loops("C")
    sch.reorder(*(loops[position] for position in (0, 6, 3, 5, 4, 1)))
    sch.cache_inplace("C", "C", "local")
    with diagnostic_handler(lambda _: None):
        kernel = kc.build(sch.mod)
    given = np.random.default_rng(1).integers(-9, 9, (7, 7)).astype(np.int32)
    output = np.zeros(7, np.int32)
    kernel(given, output)
    np.testing.assert_array_equal(output, given.min(axis=1)[np.arange(7) // 3])


@pytest.mark.parametrize(
    "lines",
    [
        ["sch.read_at(sch.get_loops('C')[5], 'C', 'B', 'local')"],
        [
            "sch.read_at(sch.get_loops('C')[5], 'C', 'B', 'local')",
            "sch.reindex_cache_read('C', 'B_local', 'local', '(v_i, v_j, v_k) -> (v_i, v_j)')",
        ],
    ],
)
def test_a_copy_at_an_index_that_may_be_none(lines: list[str]):
    """Parts of a symbolic index that are out of range make no index, and so nothing to copy."""
    n = te.var("n")
    k = te.reduce_axis((0, n), name="k")
    a = te.placeholder((n, n), "int32", name="A")
    b = te.compute((n, n), lambda i, j: a[i, j] * 2, name="B")
    c = te.compute((n, n), lambda i, j: te.sum(b[j, i] + k, axis=k), name="C")
    sch = tir.Schedule(kc.lower(te.create_schedule(c.op), [a, c], name="main"))
    sch.split(sch.get_loops("C")[0], factors=[2, None], names=["x", "y"])
    x, y, *_ = sch.get_loops("C")
    sch.tile(x, y, 3, 4)
    for line in lines:
        assert perform(sch, line), line
    check_text(sch.mod)
    given = np.random.default_rng(1).integers(-9, 9, (5, 5)).astype(np.int32)
    expected = 5 * 2 * given.T + 10
    for native in (False, True):
        output = np.zeros((5, 5), np.int32)
        with diagnostic_handler(lambda _: None):
            kc.build(sch.mod)(given, output) if native else run(sch.mod.op, "main", [given, output])
        np.testing.assert_array_equal(output, expected)


def test_an_initial_value_in_memory_of_a_kernel_is_gone_after_it():
    """Also where a condition on terms, of which there are none, never holds."""
    A = te.placeholder((0,), "int32", name="A")
    k = te.reduce_axis((0, 0), name="k")
    B = te.compute((1,), lambda i: te.sum(A[k + i], axis=k), name="B")
    C = te.compute((1,), lambda i: B[i] + 1, name="C")
    sch = tir.Schedule(te.create_prim_func([A, C]))
    outer, _ = sch.split(sch.get_loops("B")[1], [1, 4], preserve_unit_iters=False)
    sch.set_scope("B", 0, "local")
    with diagnostic_handler(lambda _: None):
        sch.bind(outer, "blockIdx.x")
        with pytest.raises(KCError) as refused:
            kc.build(sch.mod, target="cuda-emu")
    assert str(refused.value).startswith(
        "error[KC3416]: verify-gpu-code: block C reads B, which block B writes in the kernel\n"
    )


def test_no_position_is_taken_apart_by_a_size_of_0():
    """A fused loop over nothing gets an iteration, in which nothing happens."""
    n = te.size_var("n")
    A = te.placeholder((8,), name="A")
    C = te.compute((4, n), lambda i, j: A[(i * 3 + j) % 8], name="C")
    sch = tir.Schedule(te.create_prim_func([A, C]))
    sch.shift(sch.fuse(*sch.get_loops("C")), 0, 1)
    kernel = kc.build(sch.mod)
    numbers = np.arange(8, dtype="float32")
    for size in (0, 3):
        expected = numbers[(np.arange(4)[:, None] * 3 + np.arange(size)) % 8]
        for call in (kernel, lambda *arrays: run(sch.mod.op, "main", list(arrays))):
            result = np.full((4, size), -1, "float32")
            call(numbers, result)
            np.testing.assert_array_equal(result, expected)


def test_code_of_bf16_that_straight_line_vectorization_would_break():
    """Code generation of LLVM 22.1 ended the process."""
    A = te.placeholder((4, 5, 3), "bfloat16", name="A")
    C = te.compute((7, 8), lambda i, j: A[j % 4, j % 5, j // 3], name="C")
    with kc.transform.PassContext(config={"tir.disable_vectorize": True}):
        kernel = kc.build(te.create_schedule(C.op), [A, C])
    values = np.arange(60, dtype="uint16").reshape(4, 5, 3)
    result = np.zeros((7, 8), "uint16")
    kernel(values, result)
    j = np.arange(8)
    np.testing.assert_array_equal(result, np.tile(values[j % 4, j % 5, j // 3], (7, 1)))


def test_the_sign_alone_of_bf16():
    """Code generation of LLVM 22.1 ended the process (docs/upstream.md): the number is no load."""
    A, B = (te.placeholder((9,), "bfloat16", name=name) for name in "AB")
    zero = te.const(0.0, "bfloat16")
    sign = te.compute(
        (9,), lambda i: te.copysign(zero, te.Select(A[i] < B[i], A[i], B[i])), name="C"
    )
    with kc.transform.PassContext(config={"tir.disable_vectorize": True}):
        kernel = kc.build(te.create_schedule(sign.op), [A, B, sign])
    values = np.arange(9, dtype="uint16") * 0x0F00 + 0x3F00
    negative = values | 0x8000
    result = np.full(9, 1, "uint16")
    kernel(values, negative, result)  # the less of the two
    np.testing.assert_array_equal(result, np.full(9, 0x8000, "uint16"))


OF_EARLIER_ITERATIONS = """
func.func @main(%A: memref<4xi32>, %C: memref<4xi32>) {
  %B = tir.alloc "B" : memref<4xi32>
  tir.for %t in 8 {
    tir.for %r in 2 {
      tir.block "B" (BLOCK) where (%t < 4) INITdo {
        %a = tir.load %A[%v] : memref<4xi32>
        TERM
        tir.store %s, %B[%v] : memref<4xi32>
      }
    }
    %D = tir.alloc "D" : memref<4xi32>
    tir.for %x in 4 {
      tir.block "D" (spatial %v in 4 = %x) where (%t >= 4) do {
        %b = tir.load %B[%v] : memref<4xi32>
        %one = arith.constant 1 : i32
        %s = arith.addi %b, %one : i32
        tir.store %s, %D[%v] : memref<4xi32>
      }
    }
    tir.block "C" (spatial %v in 4 = %t - 4) where (%t >= 4) do {
      %d = tir.load %D[%v] : memref<4xi32>
      tir.store %d, %C[%v] : memref<4xi32>
    }
  }
  func.return
}
"""
PLAIN = {"BLOCK": "spatial %v in 4 = %t", "INIT": "", "TERM": "%s = arith.addi %a, %a : i32",
         "%r in 2": "%r in 1"}  # fmt: skip
SUMS = {
    "BLOCK": "spatial %v in 4 = %t, reduce %v_r in 2 = %r",
    "INIT": "init {\n%z = arith.constant 0 : i32\ntir.store %z, %B[%v] : memref<4xi32>\n} ",
    "TERM": "%b = tir.load %B[%v] : memref<4xi32>\n%s = arith.addi %b, %a : i32",
}


@pytest.mark.parametrize(
    ("parts", "name", "blocks"),
    [
        (PLAIN, "reverse_compute_inline", ("D",)),
        (SUMS, "fuse_reduction_epilogue", ("B", "D")),
    ],
)
def test_values_of_earlier_iterations_are_not_in_a_buffer_of_this_one(
    parts: dict[str, str], name: str, blocks: tuple[str, ...]
):
    """Each iteration has a buffer D, and reads what others have written to B."""
    text = OF_EARLIER_ITERATIONS
    for part, replacement in parts.items():
        text = text.replace(part, replacement)
    sch = tir.Schedule(kc.IRModule.parse(text))
    numbers, results = np.arange(4, dtype="int32"), np.full(4, -1, "int32")
    run(sch.mod.op, "main", [numbers, results])
    np.testing.assert_array_equal(results, 2 * numbers + 1)
    before = str(sch.mod)
    with pytest.raises(KCError) as refused:
        getattr(sch, name)(*blocks)
    told = str(refused.value).splitlines()
    assert told[0] == f"error[KC3243]: {name}: block D reads elements of B from other iterations"
    assert told[2] == "   |  for t in 8:"
    assert told[4] == "   |      block B    <-- writes B"
    assert told[7].startswith("   |      block D    <-- reads B")
    assert told[-1] == (
        "  why: block B does not write B[0] in the iteration that reads it, and each iteration "
        "has its own buffer D"
    )
    assert str(sch.mod) == before


@pytest.mark.parametrize("size", ["0", "%n"])
def test_the_init_of_a_reduction_whose_fused_loop_is_empty(size: str):
    """There is no first iteration that says what a variable of the reduction begins with."""
    text = f"""
    func.func @main(%A: memref<?xi32> {{kc.shape = affine_map<()[n] -> (n)>}}, %C: memref<8xi32>)
        attributes {{kc.symbols = ["n"]}} {{
      %n = tir.symbol "n"
      tir.for %i in 8 {{
        tir.for %k in 2 {{
          tir.for %j in {size} {{
            tir.block "C" (spatial %v in 8 = %i, reduce %vj in {size} = %j,
                           reduce %vk in 2 = (%k + 1) mod 2) init {{
              %b = arith.constant -100 : i32
              tir.store %b, %C[%v] : memref<8xi32>
            }} do {{
              %c = tir.load %C[%v] : memref<8xi32>
              %a = tir.load %A[%vj] : memref<?xi32>
              %m = arith.addi %c, %a : i32
              tir.store %m, %C[%v] : memref<8xi32>
            }}
          }}
        }}
      }}
      func.return
    }}"""
    sch = tir.Schedule(kc.IRModule.parse(text))
    i, k, j = sch.get_loops("C")
    sch.fuse(k, j)
    sch.loop_partition(i, [1, None])
    sums = np.full(8, 7, "int32")
    run(sch.mod.op, "main", [np.zeros(0, "int32"), sums])
    np.testing.assert_array_equal(sums, -100)
