"""Kernels as a GPU launches them: blocks in any order, with memory of their own."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from interpreter_support import parse

from kc.analysis.interpreter import ExecutionError, run

GARBAGE = int.from_bytes(b"\xa5" * 4, "little", signed=True)


def launch(body: str, *arrays: np.ndarray, seed: int | None = 0) -> None:
    """Run a function of i32 arrays %A, %B, ... of that body; in lockstep without a seed."""
    types = (
        f"%{'ABCD'[n]}: memref<{'x'.join(map(str, array.shape))}xi32>"
        for n, array in enumerate(arrays)
    )
    module = parse(f"func.func @f({', '.join(types)}) {{\n{body}\n  func.return\n}}\n")
    run(module, "f", list(arrays), launch_order=None if seed is None else Random(seed))


TILE = """
  %S = tir.alloc "S" : memref<8xi32, "{scope}">
  tir.for %b in 2 thread "blockIdx.x" {{
    tir.for %t in 4 thread "threadIdx.x" {{
      %x = tir.load %A[%b * 4 + %t] : memref<8xi32>
      tir.store %x, %S[%b * 4 + %t] : memref<8xi32, "{scope}">
    }}
    tir.for %t in 4 thread "threadIdx.x" {{
      %y = tir.load %S[{index}] : memref<8xi32, "{scope}">
      tir.store %y, %B[%b * 4 + %t] : memref<8xi32>
    }}
  }}
"""


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("scope", "index", "is_there"),
    [
        ("shared", "%b * 4 + 3 - %t", [True] * 4),
        ("warp", "%b * 4 + 3 - %t", [True] * 4),
        ("local", "%b * 4 + %t", [True] * 4),
        ("local", "%b * 4 + (%t floordiv 2) * 2", [True, False] * 2),
        ("shared", "4 - %b * 4 + %t", [False] * 4),
    ],
)
def test_memory_is_that_of_a_block_or_thread(
    scope: str, index: str, is_there: list[bool], seed: int
):
    """The buffer is allocated outside, where it is one for all in lockstep."""
    a, b = np.arange(1, 9, dtype=np.int32), np.zeros(8, np.int32)
    launch(TILE.format(scope=scope, index=index), a, b, seed=seed)
    assert ((b != GARBAGE) == is_there * 2).all()
    if all(is_there):
        expected = b.copy()
        launch(TILE.format(scope="shared", index=index), a, expected, seed=None)
        assert b.tolist() == expected.tolist()


@pytest.mark.parametrize("inner", [False, True])
def test_a_warp_is_32_threads(inner: bool):
    a, b = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    alloc = '%W = tir.alloc "W" : memref<64xi32, "warp">'
    launch(
        f"""
  {"" if inner else alloc}
  tir.for %t in 64 thread "threadIdx.x" {{
    {alloc if inner else ""}
    %x = tir.load %A[%t] : memref<64xi32>
    tir.store %x, %W[%t] : memref<64xi32, "warp">
    %y = tir.load %W[(%t + 1) mod 64] : memref<64xi32, "warp">
    tir.store %y, %B[%t] : memref<64xi32>
  }}
""",
        a,
        b,
    )
    expected = (a + 1) % 64
    expected[[31, 63]] = GARBAGE
    assert b.tolist() == expected.tolist()


def test_all_threads_of_a_block_run_all_of_it():
    """Each thread executes what is in no loop of an axis: local memory is filled by each."""
    a, b = np.arange(4, dtype=np.int32), np.zeros((2, 4), np.int32)
    launch(
        """
  tir.for %t in 4 thread "threadIdx.x" {
    %L = tir.alloc "L" : memref<4xi32, "local">
    tir.for %i in 4 {
      %x = tir.load %A[%i] : memref<4xi32>
      tir.store %x, %L[%i] : memref<4xi32, "local">
    }
    tir.for %b in 2 thread "blockIdx.x" {
      %y = tir.load %L[3 - %t] : memref<4xi32, "local">
      tir.store %y, %B[%b, %t] : memref<2x4xi32>
    }
  }
""",
        a,
        b,
    )
    assert b.tolist() == [[3, 2, 1, 0]] * 2


def test_global_memory_is_one_for_all_blocks():
    """Also what a kernel allocates: another block writes what one has read."""
    a = np.zeros(4, np.int32)
    with pytest.raises(ExecutionError) as caught:
        launch(
            """
  tir.for %k in 2 {
    tir.for %t in 1 thread "threadIdx.x" {
      %G = tir.alloc "G" : memref<4xi32>
      tir.for %b in 4 thread "blockIdx.x" {
        %n = arith.index_cast %b : index to i32
        tir.store %n, %G[%b] : memref<4xi32>
        %y = tir.load %G[3 - %b] : memref<4xi32>
        tir.store %y, %A[%b] : memref<4xi32>
      }
    }
  }
""",
            a,
            seed=1,
        )
    assert (
        str(caught.value)
        .split("\n", 1)[0]
        .endswith("], which another block of threads reads, and blocks run in any order")
    )


def test_a_launch_sees_what_the_one_before_has_written():
    a = np.arange(4, dtype=np.int32)
    launch(
        """
  %G = tir.alloc "G" : memref<4xi32>
  tir.for %k in 3 {
    tir.for %b in 4 thread "blockIdx.x" {
      %x = tir.load %A[(%b + 1) mod 4] : memref<4xi32>
      tir.store %x, %G[%b] : memref<4xi32>
    }
    tir.for %b in 4 thread "blockIdx.x" {
      %x = tir.load %G[%b] : memref<4xi32>
      tir.store %x, %A[%b] : memref<4xi32>
    }
  }
""",
        a,
    )
    assert a.tolist() == [3, 0, 1, 2]


def test_a_reduction_over_threads_begins_with_its_init():
    a, b = np.arange(8, dtype=np.int32).reshape(2, 4), np.full(2, 9, np.int32)
    for seed in range(4):
        launch(
            """
  tir.for %i in 2 thread "blockIdx.x" {
    tir.for %t in 4 thread "threadIdx.x" {
      tir.block "B" (spatial %v in 2 = %i, reduce %k in 4 = %t) init {
        %zero = arith.constant 0 : i32
        tir.store %zero, %B[%v] : memref<2xi32>
      } do {
        %x = tir.load %A[%v, %k] : memref<2x4xi32>
        %s = tir.load %B[%v] : memref<2xi32>
        %r = arith.addi %s, %x : i32
        tir.store %r, %B[%v] : memref<2xi32>
      }
    }
  }
""",
            a,
            b,
            seed=seed,
        )
        assert b.tolist() == a.sum(1).tolist()


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("axis", ["threadIdx.y", "vthread.x"])
def test_threads_share_the_init_of_a_reduction_over_nothing(axis: str, seed: int | None):
    """They come to its loop together; row 2 is that of no thread."""
    out = np.full((3, 4), 9, np.int32)
    launch(
        f"""
  tir.for %i in 2 thread "threadIdx.x" {{
    tir.for %k in 0 {{
      tir.block "A_o" (spatial %v in 3 = %i, reduce %vk in 0 = %k) init {{
        tir.for %t in 4 thread "{axis}" {{
          tir.block "A_init" (spatial %w in 4 = 3 - %t) do {{
            %number = arith.index_cast %w : index to i32
            tir.store %number, %A[%v, %w] : memref<3x4xi32>
          }}
        }}
      }} do {{
        tir.for %t in 4 thread "{axis}" {{
          tir.block "A" (spatial %w in 4 = %t, reduce %r in 1 = 0) do {{
            %old = tir.load %A[%v, %w] : memref<3x4xi32>
            %new = arith.addi %old, %old : i32
            tir.store %new, %A[%v, %w] : memref<3x4xi32>
          }}
        }}
      }}
    }}
  }}
""",
        out,
        seed=seed,
    )
    np.testing.assert_array_equal(out, [[0, 1, 2, 3], [0, 1, 2, 3], [9] * 4])


def test_virtual_threads_alone_run_on_the_host():
    a = np.zeros(3, np.int32)
    launch(
        """
  %L = tir.alloc "L" : memref<3xi32, "local">
  tir.for %u in 3 thread "vthread" {
    %n = arith.index_cast %u : index to i32
    tir.store %n, %L[%u] : memref<3xi32, "local">
  }
  tir.for %i in 3 {
    %x = tir.load %L[2 - %i] : memref<3xi32, "local">
    tir.store %x, %A[%i] : memref<3xi32>
  }
""",
        a,
    )
    assert a.tolist() == [2, 1, 0]


@pytest.mark.parametrize("n", [0, 3])
def test_a_loop_of_threads_may_be_empty(n: int):
    """A block has a thread even so, which does what stands around the loop."""
    rows, lanes = np.zeros(2, np.int32), np.full((2, max(n, 1)), 7, np.int32)
    launch(
        f"""
  tir.for %b in 2 thread "blockIdx.x" {{
    %one = arith.constant 1 : i32
    tir.store %one, %A[%b] : memref<2xi32>
    tir.for %t in {n} thread "threadIdx.x" {{
      %v = arith.index_cast %t : index to i32
      tir.store %v, %B[%b, %t] : memref<2x{max(n, 1)}xi32>
    }}
  }}
""",
        rows,
        lanes,
    )
    assert rows.tolist() == [1, 1]
    assert lanes.tolist() == [[0, 1, 2] if n else [7]] * 2


@pytest.mark.parametrize("size", ["0", "%c0 - 1"])
def test_a_kernel_may_be_empty(size: str):
    a = np.full(1, 7, np.int32)
    launch(
        f"""
  %c0 = arith.constant 0 : index
  %size = tir.apply ({size})
  tir.for %b in %size thread "blockIdx.x" {{
    tir.for %t in 4 thread "threadIdx.x" {{
      %v = arith.index_cast %t : index to i32
      tir.store %v, %A[0] : memref<1xi32>
    }}
  }}
""",
        a,
    )
    assert a.tolist() == [7]


GROWING = """
  %c5 = arith.constant 5 : index
  tir.for %b in 2 thread "blockIdx.x" {{
    %m = tir.apply ({size})
    tir.for %t in %m thread "threadIdx.x" {{
      %v = arith.index_cast %t : index to i32
      tir.store %v, %A[%b, %t] : memref<2x3xi32>
    }}
  }}
"""


def test_the_number_of_threads_may_be_computed_in_the_kernel_from_what_is_outside():
    a = np.full((2, 3), 7, np.int32)
    launch(GROWING.format(size="%c5 ceildiv 2"), a)
    assert a.tolist() == [[0, 1, 2]] * 2
    with pytest.raises(ExecutionError, match="the extent of loop t is computed in the kernel"):
        launch(GROWING.format(size="%b + 1"), a)


BLOCKIZED = """
  tir.for %k in 4 thread "threadIdx.y" {{
    tir.block "B_o" (reduce %w in 4 = %k) init {{
      tir.for %t in 3 thread "threadIdx.x" {{
        %zero = arith.constant 0 : i32
        tir.store %zero, %B[%t] : memref<3xi32>
      }}
    }} do {{
      %S = tir.alloc "S" : memref<3xi32, "shared">
      tir.for %t in 3 thread "threadIdx.x" {{
        %x = tir.load %A[%w, %t] : memref<4x3xi32>
        tir.store %x, %S[%t] : memref<3xi32, "shared">
        %y = tir.load %S[{neighbour}] : memref<3xi32, "shared">
        %s = tir.load %B[%t] : memref<3xi32>
        %r = arith.addi %s, %y : i32
        tir.store %r, %B[%t] : memref<3xi32>
      }}
    }}
  }}
"""


@pytest.mark.parametrize("neighbour", ["%t", "2 - %t"])
@pytest.mark.parametrize("seed", [None, 0, 1, 2, 3])
def test_threads_along_other_axes_share_each_step_of_a_reduction(seed: int | None, neighbour: str):
    """They come to it together, each with an iteration of its own, and exchange values there."""
    a, b = np.arange(12, dtype=np.int32).reshape(4, 3), np.full(3, 9, np.int32)
    launch(BLOCKIZED.format(neighbour=neighbour), a, b, seed=seed)
    assert b.tolist() == (a if neighbour == "%t" else a[:, ::-1]).sum(0).tolist()


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_a_reduction_over_threads_in_a_step_of_another(seed: int | None):
    a, b = np.arange(12, dtype=np.int32).reshape(4, 3), np.full(1, 9, np.int32)
    launch(
        """
  tir.for %k in 4 thread "threadIdx.y" {
    tir.block "B_o" (reduce %w in 4 = %k) init {
      %zero = arith.constant 0 : i32
      tir.store %zero, %B[0] : memref<1xi32>
    } do {
      tir.for %t in 3 thread "threadIdx.x" {
        tir.block "B" (reduce %u in 3 = %t) do {
          %x = tir.load %A[%w, %u] : memref<4x3xi32>
          %s = tir.load %B[0] : memref<1xi32>
          %r = arith.addi %s, %x : i32
          tir.store %r, %B[0] : memref<1xi32>
        }
      }
    }
  }
""",
        a,
        b,
        seed=seed,
    )
    assert b.tolist() == [a.sum()]
