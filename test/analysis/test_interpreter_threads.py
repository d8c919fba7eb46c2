"""Loops of threads in the interpreter: lockstep, own iterations, memory, what has no meaning."""

from __future__ import annotations

import numpy as np
import pytest
from interpreter_support import parse

from kc.analysis.interpreter import ExecutionError, run


def call(body: str, *arrays: np.ndarray) -> None:
    """Run a function of i32 arrays %A, %B, ... whose body is ``body``."""
    types = (
        f"%{'ABCD'[n]}: memref<{'x'.join(map(str, array.shape))}xi32>"
        for n, array in enumerate(arrays)
    )
    module = parse(f"func.func @f({', '.join(types)}) {{\n{body}\n  func.return\n}}\n")
    run(module, "f", list(arrays))


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).integers(-99, 99, shape).astype(np.int32)


def test_threads_share_the_loading_of_a_tile():
    a, b = numbers(8), np.zeros(8, np.int32)
    call(
        """
  tir.for %b in 2 thread "blockIdx.x" {
    tir.for %t in 4 thread "threadIdx.x" {
      %S = tir.alloc "S" : memref<4xi32, "shared">
      tir.for %e in 4 thread "threadIdx.x" {
        %x = tir.load %A[%b * 4 + %e] : memref<8xi32>
        tir.store %x, %S[%e] : memref<4xi32, "shared">
      }
      %y = tir.load %S[3 - %t] : memref<4xi32, "shared">
      tir.store %y, %B[%b * 4 + %t] : memref<8xi32>
    }
  }
""",
        a,
        b,
    )
    assert b.tolist() == [*a[3::-1], *a[:3:-1]]


@pytest.mark.parametrize(
    ("scope", "axis", "shared"),
    [
        ("global", "blockIdx.x", True),
        ("global", "threadIdx.y", True),
        ("shared", "blockIdx.x", False),
        ("shared", "threadIdx.z", True),
        ("shared.dyn", "vthread.x", True),
        ("shared", "vthread", True),
        ("warp", "threadIdx.x", True),
        ("warp", "threadIdx.y", False),
        ("local", "threadIdx.x", False),
        ("local", "vthread", False),
    ],
)
def test_who_shares_a_buffer(scope: str, axis: str, shared: bool):
    """Each thread stores its number: in a buffer that they share, that is a conflict."""
    out = np.zeros(3, np.int32)
    text = f"""
  tir.for %t in 3 thread "{axis}" {{
    %S = tir.alloc "S" : memref<1xi32, "{scope}">
    %n = arith.index_cast %t : index to i32
    tir.store %n, %S[0] : memref<1xi32, "{scope}">
    %y = tir.load %S[0] : memref<1xi32, "{scope}">
    tir.store %y, %A[%t] : memref<3xi32>
  }}
""".replace(', "global">', ">")
    if shared:
        with pytest.raises(ExecutionError) as caught:
            call(text, out)
        assert "store 0 and 1 to S[0] at the same time" in str(caught.value)
    else:
        call(text, out)
        assert out.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("scope", "expected"), [
    ("local", [[0, 1, 2], [10, 11, 12], [20, 21, 22]]),
    ("shared", [[0, 0, 0], [10, 10, 10], [20, 20, 20]]),
])  # fmt: skip
def test_each_block_has_its_own_memory_from_outside_its_loop(scope: str, expected: list[list[int]]):
    """Each block goes on from what all of them did, as if it had done that alone; the lanes of a
    block share what is shared by a block."""
    out = np.zeros((3, 3), np.int32)
    stores = "%t >= 0" if scope == "local" else "%t < 1"
    call(
        f"""
  tir.for %t in 3 thread "threadIdx.x" {{
    %S = tir.alloc "S" : memref<1xi32, "{scope}">
    %zero = arith.constant 0 : i32
    tir.store %zero, %S[0] : memref<1xi32, "{scope}">
    tir.for %b in 3 thread "blockIdx.x" {{
      tir.block "S" (spatial %v in 3 = %t) where ({stores}) do {{
        %lane = arith.index_cast %t : index to i32
        %block = arith.index_cast %b : index to i32
        %ten = arith.constant 10 : i32
        %tens = arith.muli %block, %ten : i32
        %old = tir.load %S[0] : memref<1xi32, "{scope}">
        %more = arith.addi %old, %tens : i32
        %new = arith.addi %more, %lane : i32
        tir.store %new, %S[0] : memref<1xi32, "{scope}">
      }}
      %x = tir.load %S[0] : memref<1xi32, "{scope}">
      tir.store %x, %A[%b, %t] : memref<3x3xi32>
    }}
  }}
""",
        out,
    )
    np.testing.assert_array_equal(out, expected)


def added_to_shared(value: str, at: str) -> str:
    """Adds ``value`` to an element of the shared buffer."""
    return f"""
        %old_{value} = tir.load %S[{at}] : memref<2xi32, "shared">
        %sum_{value} = arith.addi %old_{value}, %{value} : i32
        tir.store %sum_{value}, %S[{at}] : memref<2xi32, "shared">"""


def in_kernel(body: str) -> str:
    """``body`` in a kernel that has a shared buffer of 1 and 2 before it parts into blocks."""
    return f"""
  tir.for %t in 1 thread "threadIdx.x" {{
    %S = tir.alloc "S" : memref<2xi32, "shared">
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    tir.store %one, %S[0] : memref<2xi32, "shared">
    tir.store %two, %S[1] : memref<2xi32, "shared">
    {body}
  }}
"""


@pytest.mark.parametrize("scope", ["local", "shared"])
def test_a_block_keeps_its_own_memory_until_the_next_loop_of_its_axis(scope: str):
    """All elements are written in a loop of blocks, and read in the next one."""
    out = np.zeros((2, 3), np.int32)
    call(
        f"""
  tir.for %y in 2 thread "blockIdx.y" {{
    %S = tir.alloc "S" : memref<1xi32, "{scope}">
    tir.for %x in 3 thread "blockIdx.x" {{
      %row = arith.index_cast %y : index to i32
      %column = arith.index_cast %x : index to i32
      %ten = arith.constant 10 : i32
      %tens = arith.muli %row, %ten : i32
      %sum = arith.addi %tens, %column : i32
      tir.store %sum, %S[0] : memref<1xi32, "{scope}">
    }}
    tir.for %x_1 in 3 thread "blockIdx.x" {{
      %value = tir.load %S[0] : memref<1xi32, "{scope}">
      tir.store %value, %A[%y, %x_1] : memref<2x3xi32>
    }}
  }}
""",
        out,
    )
    np.testing.assert_array_equal(out, [[0, 1, 2], [10, 11, 12]])


def test_a_store_outside_of_the_loops_of_blocks_changes_the_memory_of_each():
    """S[0] is 1 and becomes 1 + x in block x, then 5 in all; S[1] is 2 and becomes 2 + x."""
    out = np.zeros((2, 2), np.int32)
    call(
        in_kernel(f"""
    tir.for %x in 2 thread "blockIdx.x" {{
      %n = arith.index_cast %x : index to i32
      tir.for %e in 2 {{
        {added_to_shared("n", "%e")}
      }}
    }}
    %five = arith.constant 5 : i32
    tir.store %five, %S[0] : memref<2xi32, "shared">
    tir.for %x_1 in 2 thread "blockIdx.x" {{
      tir.for %e_1 in 2 {{
        %value = tir.load %S[%e_1] : memref<2xi32, "shared">
        tir.store %value, %A[%x_1, %e_1] : memref<2x2xi32>
      }}
    }}
"""),
        out,
    )
    np.testing.assert_array_equal(out, [[5, 2], [5, 3]])


@pytest.mark.parametrize("order", ["xy", "yx"])
def test_blocks_along_several_axes_go_on_from_what_those_along_some_did(order: str):
    """S[0] is 1 and becomes 1 + x in the blocks of x, then 1 + 2 * x + y in the order given."""
    out = np.zeros((3, 2), np.int32)
    outer, inner = order
    extents = {"x": 3, "y": 2}
    call(
        in_kernel(f"""
    tir.for %b in 3 thread "blockIdx.x" {{
      %n = arith.index_cast %b : index to i32
      {added_to_shared("n", "%zero")}
    }}
    tir.for %{outer} in {extents[outer]} thread "blockIdx.{outer}" {{
      tir.for %{inner} in {extents[inner]} thread "blockIdx.{inner}" {{
        %xs = arith.addi %x, %y : index
        %m = arith.index_cast %xs : index to i32
        {added_to_shared("m", "%zero")}
      }}
    }}
    tir.for %{inner}_1 in {extents[inner]} thread "blockIdx.{inner}" {{
      tir.for %{outer}_1 in {extents[outer]} thread "blockIdx.{outer}" {{
        %value = tir.load %S[0] : memref<2xi32, "shared">
        tir.store %value, %A[%x_1, %y_1] : memref<3x2xi32>
      }}
    }}
"""),
        out,
    )
    np.testing.assert_array_equal(out, [[1, 2], [3, 4], [5, 6]])


@pytest.mark.parametrize("value", ["n", "two"])
def test_what_blocks_have_is_read_outside_of_their_loops_if_it_is_the_same(value: str):
    out = np.zeros(1, np.int32)
    text = in_kernel(f"""
    tir.for %x in 2 thread "blockIdx.x" {{
      %n = arith.index_cast %x : index to i32
      {added_to_shared(value, "%zero")}
    }}
    %value = tir.load %S[0] : memref<2xi32, "shared">
    tir.store %value, %A[0] : memref<1xi32>
""")
    if value == "two":
        call(text, out)
        assert out.tolist() == [3]
        return
    with pytest.raises(ExecutionError) as caught:
        call(text, out)
    assert "blocks of threads have 1 and 2 in S[0], which is read outside of their loops" in str(
        caught.value
    )


def test_an_only_thread_is_the_one_around_its_loop():
    """If only some threads run, a thread reads its own writes as the only thread along another
    axis.
    """
    out = np.zeros(2, np.int32)
    call(
        """
  tir.for %y in 2 thread "threadIdx.y" {
    tir.block "A" (spatial %v in 2 = %y) where (%y < 1) do {
      tir.for %k in 3 {
        tir.for %x in 1 thread "threadIdx.x" {
          %old = tir.load %A[%v] : memref<2xi32>
          %one = arith.constant 1 : i32
          %new = arith.addi %old, %one : i32
          tir.store %new, %A[%v] : memref<2xi32>
        }
        %sum = tir.load %A[%v] : memref<2xi32>
        %twice = arith.addi %sum, %sum : i32
        tir.store %twice, %A[%v] : memref<2xi32>
      }
    }
  }
""",
        out,
    )
    np.testing.assert_array_equal(out, [14, 0])  # 0, 2, 6, 14


def test_a_reduction_over_threads_is_combined():
    a, b = numbers(3, 8), np.zeros(3, np.int32)
    call(
        """
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %i in 3 {
      tir.for %o in 2 {
        tir.for %t in 4 thread "threadIdx.x" {
          tir.block "B" (spatial %v in 3 = %i, reduce %k in 8 = %o * 4 + %t) init {
            %zero = arith.constant 0 : i32
            tir.store %zero, %B[%v] : memref<3xi32>
          } do {
            %x = tir.load %A[%v, %k] : memref<3x8xi32>
            %s = tir.load %B[%v] : memref<3xi32>
            %r = arith.addi %s, %x : i32
            tir.store %r, %B[%v] : memref<3xi32>
          }
        }
      }
    }
  }
""",
        a,
        b,
    )
    assert b.tolist() == a.sum(1).tolist()


def test_what_all_threads_do_in_the_same_way_happens_once():
    """All four threads add up the same tile in shared memory, and none adds twice."""
    a, b = numbers(8), np.zeros(4, np.int32)
    call(
        """
  tir.for %t in 4 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<1xi32, "shared">
    tir.for %k in 8 {
      tir.block "S" (spatial %v in 1 = 0, reduce %w in 8 = %k) init {
        %zero = arith.constant 0 : i32
        tir.store %zero, %S[%v] : memref<1xi32, "shared">
      } do {
        %x = tir.load %A[%w] : memref<8xi32>
        %s = tir.load %S[%v] : memref<1xi32, "shared">
        %r = arith.addi %s, %x : i32
        tir.store %r, %S[%v] : memref<1xi32, "shared">
      }
    }
    %y = tir.load %S[0] : memref<1xi32, "shared">
    tir.store %y, %B[%t] : memref<4xi32>
  }
""",
        a,
        b,
    )
    assert b.tolist() == [a.sum()] * 4


def test_unnamed_virtual_threads_are_axes_by_themselves():
    a = np.zeros((2, 3), np.int32)
    call(
        """
  tir.for %u in 2 thread "vthread" {
    tir.for %v in 3 thread "vthread" {
      %one = arith.constant 1 : i32
      tir.store %one, %A[%u, %v] : memref<2x3xi32>
    }
  }
""",
        a,
    )
    assert a.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_loops_with_other_extents_in_each_thread():
    a = np.zeros((3, 3), np.int32)
    call(
        """
  tir.for %t in 3 thread "threadIdx.x" {
    %n = tir.apply (%t + 1)
    tir.for %i in %n {
      %one = arith.constant 1 : i32
      tir.store %one, %A[%t, %i] : memref<3x3xi32>
    }
  }
""",
        a,
    )
    assert a.tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


EXCHANGE = """
    tir.if (%t < 3) {
      %n = arith.index_cast %t : index to i32
      tir.store %n, %S[%t] : memref<4xi32, "shared">
      %y = tir.load %S[2 - %t] : memref<4xi32, "shared">
      tir.store %y, %A[%t] : memref<4xi32>
    }
"""

PROBLEMS = {
    "an exchange where not all threads are": (
        f"""
  tir.for %t in 4 thread "threadIdx.x" {{
    %S = tir.alloc "S" : memref<4xi32, "shared">{EXCHANGE}  }}
""",
        "tir.load: S[2] was written by another thread at a place that not all threads reach, so "
        "they cannot wait for each other",
    ),
    "shared work in part of the threads": (
        """
  tir.for %t in 4 thread "threadIdx.x" {
    tir.if (%t < 3) {
      tir.for %e in 4 thread "threadIdx.x" {
        %one = arith.constant 1 : i32
        tir.store %one, %A[%e] : memref<4xi32>
      }
    }
  }
""",
        "tir.for: only 3 of the 4 threads of threadIdx.x reach e, whose iterations they share",
    ),
    "one axis with two extents": (
        """
  tir.for %t in 4 thread "threadIdx.x" {
    tir.for %e in 2 thread "threadIdx.x" {
    }
  }
""",
        "tir.for: e has 2 threads of threadIdx.x, but t has 4",
    ),
    "what another block has written": (
        """
  tir.for %t in 1 thread "threadIdx.x" {
    tir.for %b in 4 thread "blockIdx.x" {
      %one = arith.constant 1 : i32
      tir.store %one, %A[%b] : memref<4xi32>
    }
    tir.for %c in 4 thread "blockIdx.x" {
      %x = tir.load %A[3 - %c] : memref<4xi32>
      tir.store %x, %A[%c] : memref<4xi32>
    }
  }
""",
        "tir.load: A[3] was written by another block of threads, and blocks run in any order",
    ),
    "blocks that add up one element": (
        """
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %k in 2 {
      %one = arith.constant 1 : i32
      %x = tir.load %A[0] : memref<4xi32>
      %y = arith.addi %x, %one : i32
      tir.store %y, %A[0] : memref<4xi32>
    }
  }
""",
        "tir.store: thread blockIdx.x = 0 stores to A[0], which another block of threads reads, "
        "and blocks run in any order",
    ),
    "blocks that store one value after the other": (
        """
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %k in 2 {
      %n = arith.index_cast %k : index to i32
      tir.store %n, %A[0] : memref<4xi32>
    }
  }
""",
        "tir.store: several blocks of threads store 0, then 1 to A[0], and blocks do not wait for "
        "each other",
    ),
    "what another block reads before": (
        """
  tir.for %t in 1 thread "threadIdx.x" {
    tir.for %b in 4 thread "blockIdx.x" {
      %x = tir.load %A[3 - %b] : memref<4xi32>
    }
    tir.for %c in 4 thread "blockIdx.x" {
      %one = arith.constant 1 : i32
      tir.store %one, %A[%c] : memref<4xi32>
    }
  }
""",
        "tir.store: thread threadIdx.x = 0, blockIdx.x = 0 stores to A[0], which another block of "
        "threads reads, and blocks run in any order",
    ),
    "different values of two blocks, one after the other": (
        """
  tir.for %t in 1 thread "threadIdx.x" {
    tir.for %b in 4 thread "blockIdx.x" {
      %one = arith.constant 1 : i32
      tir.store %one, %A[%b] : memref<4xi32>
    }
    tir.for %c in 4 thread "blockIdx.x" {
      %two = arith.constant 2 : i32
      tir.store %two, %A[3 - %c] : memref<4xi32>
    }
  }
""",
        "tir.store: thread threadIdx.x = 0, blockIdx.x = 3 and thread threadIdx.x = 0, blockIdx.x "
        "= 0 store 1 and 2 to A[3], and blocks of threads run in any order",
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_has_no_meaning(name: str):
    body, text = PROBLEMS[name]
    with pytest.raises(ExecutionError) as caught:
        call(body, np.zeros(4, np.int32))
    assert str(caught.value).split("\n", 1)[0] == text


def test_an_exchange_of_virtual_threads_needs_no_waiting():
    a = np.zeros(4, np.int32)
    body = f"""
  tir.for %t in 4 thread "vthread.x" {{
    %S = tir.alloc "S" : memref<4xi32, "shared">{EXCHANGE}  }}
"""
    call(body, a)
    assert a.tolist() == [2, 1, 0, 0]


def test_warps_need_no_threads_of_others():
    """If a warp is complete, its threads wait for each other, even if the rest of the block is
    incomplete; in part of a warp they cannot.
    """
    body = """
  tir.for %w in 2 thread "threadIdx.y" {{
    tir.for %t in 4 thread "threadIdx.x" {{
      %W = tir.alloc "W" : memref<4xi32, "{scope}">
      tir.if ({condition}) {{
        %n = arith.index_cast %t : index to i32
        tir.store %n, %W[%t] : memref<4xi32, "{scope}">
        %y = tir.load %W[{read}] : memref<4xi32, "{scope}">
        tir.store %y, %A[%w, %t] : memref<2x4xi32>
      }}
    }}
  }}
"""
    a = np.full((2, 4), 9, np.int32)
    call(body.format(scope="warp", condition="%w < 1", read="3 - %t"), a)
    assert a.tolist() == [[3, 2, 1, 0], [9, 9, 9, 9]]
    for scope, condition, read in (
        ("warp", "%t < 3", "2 - %t"),
        ("warp", "%w + %t < 3", "2 - %t"),
        ("shared", "%w < 1", "3 - %t"),
    ):
        with pytest.raises(ExecutionError) as caught:
            call(body.format(scope=scope, condition=condition, read=read), a)
        assert "was written by another thread at a place that not all threads reach" in str(
            caught.value
        )


def test_blocks_may_store_the_same():
    """Each block needs the middle element, and makes it by itself at another time."""
    a = np.zeros(3, np.int32)
    call(
        """
  tir.for %b in 2 thread "blockIdx.x" {
    tir.for %i in 2 {
      %n = tir.apply (%b + %i)
      %v = arith.index_cast %n : index to i32
      tir.store %v, %A[%b + %i] : memref<3xi32>
    }
    %x = tir.load %A[1] : memref<3xi32>
  }
""",
        a,
    )
    assert a.tolist() == [0, 1, 2]


@pytest.mark.parametrize("first", [0, 7])
@pytest.mark.parametrize("scope", ["local", "shared"])
@pytest.mark.parametrize("place", ["outside", "inside"])
def test_a_block_goes_on_from_what_all_blocks_stored(place: str, scope: str, first: int):
    """S[x] is 0 in all blocks; block x adds ``first``, which may leave the 0 as it is, then 7."""
    out = np.zeros(2, np.int32)
    buffer = f'%S = tir.alloc "S" : memref<2xi32, "{scope}">'
    call(
        f"""
  {buffer if place == "outside" else ""}
  tir.for %t in 1 thread "threadIdx.x" {{
    {buffer if place == "inside" else ""}
    tir.for %w in 2 thread "blockIdx.x" {{
      %minus = arith.constant -1 : i32
      tir.store %minus, %S[%w] : memref<2xi32, "{scope}">
    }}
    tir.for %e in 2 {{
      %zero = arith.constant 0 : i32
      tir.store %zero, %S[%e] : memref<2xi32, "{scope}">
    }}
    tir.for %x in 2 thread "blockIdx.x" {{
      tir.for %k in 2 {{
        %zero_1 = arith.constant 0 : index
        %seven = arith.constant 7 : i32
        %first = arith.constant {first} : i32
        %is_first = arith.cmpi eq, %k, %zero_1 : index
        %term = arith.select %is_first, %first, %seven : i32
        %old = tir.load %S[%x] : memref<2xi32, "{scope}">
        %sum = arith.addi %old, %term : i32
        tir.store %sum, %S[%x] : memref<2xi32, "{scope}">
      }}
      %y = tir.load %S[%x] : memref<2xi32, "{scope}">
      tir.store %y, %A[%x] : memref<2xi32>
    }}
  }}
""",
        out,
    )
    assert out.tolist() == [first + 7] * 2


def test_an_error_tells_the_thread():
    with pytest.raises(ExecutionError) as caught:
        call(
            """
  tir.for %b in 2 thread "blockIdx.x" {
    tir.for %t in 4 thread "threadIdx.x" {
      %x = tir.load %A[%b * 4 + %t] : memref<7xi32>
    }
  }
""",
            np.zeros(7, np.int32),
        )
    assert str(caught.value).endswith("in thread blockIdx.x = 1, threadIdx.x = 3")
