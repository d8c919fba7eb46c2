"""Blocks in blocks, views and calls: dependences, and the interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from interpreter_support import parse as parse_module

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import carried_conflict, reorder_conflict
from kc.analysis.interpreter import ExecutionError, OutOfBoundsError, run
from kc.dialects.tir import ForOp

NESTED = """
func.func @f(%A: memref<8x8xf32>, %C: memref<8xf32>) {{
  tir.for %i in 2 {{
    tir.for %k in 2 {{
      tir.block "C_o" (spatial %v_i in 2 = %i, reduce %v_k in 2 = %k) init {{
        tir.for %x in 4 {{
          tir.block "C_init" (spatial %v_x in 8 = %v_i * 4 + %x) do {{
            %z = arith.constant 0.0 : f32
            tir.store %z, %C[%v_x] : memref<8xf32>
          }}
        }}
      }} do {{
        tir.for %x in 4 {{
          tir.for %y in 6 {{
            tir.if (%y < {limit}) {{
              tir.block "C" (spatial %v_x in 8 = %v_i * {distance} + %x,
                             reduce %v_y in 8 = %v_k * 4 + %y) do {{
                %c = tir.load %C[%v_x] : memref<8xf32>
                %a = tir.load %A[%v_x, %v_y] : memref<8x8xf32>
                %s = arith.addf %c, %a : f32
                tir.store %s, %C[%v_x] : memref<8xf32>
              }}
            }}
          }}
        }}
      }}
    }}
  }}
  func.return
}}
"""


def loops_of(text: str) -> dict[str, ForOp]:
    module = parse_module(text)
    return {loop.label: loop for loop in loop_tree.loops(module)}


def test_tiles_are_independent():
    loops = loops_of(NESTED.format(limit=4, distance=4))
    assert carried_conflict(loops["i"]) is None
    assert reorder_conflict([loops["i"], loops["k"]], [loops["k"], loops["i"]]) is None


def test_a_reduction_of_tiles():
    loops = loops_of(NESTED.format(limit=4, distance=4))
    conflict = carried_conflict(loops["k"])
    assert conflict is not None
    assert conflict.reduction
    assert conflict.undecided is None
    assert conflict.explain() == (
        "C_init at (k=0) writes C[0], which C at (k=1) updates (for i = 0)"
    )


def test_tiles_that_overlap():
    loops = loops_of(NESTED.format(limit=4, distance=2))
    conflict = carried_conflict(loops["i"])
    assert conflict is not None
    assert conflict.undecided is None
    assert conflict.element == (2,)
    # Two tiles update the same elements, in either order, after the inits of both.
    assert reorder_conflict([loops["i"], loops["k"]], [loops["k"], loops["i"]]) is None


def test_a_body_that_does_not_run_hides_nothing_else():
    """Each body in a block is a statement of its own."""
    loops = loops_of(NESTED.format(limit=0, distance=2))
    assert carried_conflict(loops["i"]) is None  # the inits alone are of different elements
    assert carried_conflict(loops["k"]) is None


def test_loops_in_a_block():
    loops = loops_of(NESTED.format(limit=4, distance=4))
    inner = next(loop for loop in loop_tree.loops(loops["i"]) if loop.label == "y")
    conflict = carried_conflict(inner)
    assert conflict is not None
    assert conflict.reduction
    assert carried_conflict(loops["x"]) is None


VIEWS = """
func.func private @g({row})
func.func @f(%A: memref<8x8xf32>) {{
  tir.for %i in 4 {{
    tir.for %r in 2 {{
      tir.block "B" (spatial %v_i in 4 = %i) do {{
        %a = tir.view %A[%v_i * {distance}, 0] : memref<8x8xf32> to {row}
        tir.call @g({mode} %a) : ({row})
      }}
    }}
  }}
  func.return
}}
"""
TWO_ROWS = "memref<2x8xf32, strided<[8, 1], offset: ?>>"


@pytest.mark.parametrize(
    ("mode", "distance", "independent"),
    [("update", 2, True), ("write", 1, False), ("read", 1, True), ("update", 1, False)],
)
def test_calls_on_views(mode: str, distance: int, independent: bool):
    loops = loops_of(VIEWS.format(row=TWO_ROWS, mode=mode, distance=distance))
    conflict = carried_conflict(loops["i"])
    assert (conflict is None) == independent
    assert conflict is None or conflict.undecided is None
    assert (carried_conflict(loops["r"]) is None) == (mode == "read")


def test_a_view_is_the_memory_it_is_a_part_of():
    module = parse_module("""
func.func @f(%A: memref<4x6xf32>, %n: index) {
  %a = tir.view %A[1, %n] along [0] : memref<4x6xf32> to memref<2xf32, strided<[6], offset: ?>>
  %x = tir.load %A[0, 0] : memref<4x6xf32>
  tir.store %x, %a[1] : memref<2xf32, strided<[6], offset: ?>>
  func.return
}
""")
    a = np.arange(24, dtype=np.float32).reshape(4, 6) + 1
    run(module, "f", [a, 4])
    assert a[2, 4] == 1
    with pytest.raises(OutOfBoundsError):
        run(module, "f", [a, 6])


def test_a_call_of_a_function_without_a_body():
    text = VIEWS.format(row=TWO_ROWS, mode="read", distance=2)
    with pytest.raises(ExecutionError, match="@g has no body to run"):
        run(parse_module(text), "f", [np.zeros((8, 8), np.float32)])
