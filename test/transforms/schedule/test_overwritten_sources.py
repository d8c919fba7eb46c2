"""compute_at where what a block reads is overwritten: legal behind the last use, only there."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import assert_same, native_results, parse, results, site_of, try_step
from xdsl.dialects.builtin import ModuleOp

from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef

WRITE = """
    tir.block "{name}" (spatial %v in 8 = {at}) do {{
      %b = tir.load %B[%v] : memref<8xi32>
      tir.store %b, %A[%v + {offset}] : memref<16xi32>
    }}"""


def program(offsets: tuple[int, int, int, int], at: str, *, reduce: bool = False) -> ModuleOp:
    """T[v] = A[v + s] (or a sum of two elements from there), then a loop that reads T[v + c], and
    writes A[v + before] before that and A[v + behind] behind it (9: not at all)."""
    s, c, before, behind = offsets
    writes = ["" if n == 9 else WRITE.format(name=f"W{k}", at=at, offset=n)
              for k, n in enumerate((before, behind))]  # fmt: skip
    iters, load = "spatial %v in 11 = %i", f"%A[%v + {s}]"
    init, total = "", "%x = arith.addi %a, %a : i32"
    loops = ("tir.for %i in 11 {", "}")
    if reduce:
        iters += ", reduce %r in 2 = %k"
        loops = ("tir.for %i in 11 { tir.for %k in 2 {", "} }")
        load = f"%A[%v + %r * 2 + {s}]"
        init = "init { %z = arith.constant 0 : i32 tir.store %z, %T[%v] : memref<11xi32> }"
        total = "%t = tir.load %T[%v] : memref<11xi32> %x = arith.addi %t, %a : i32"
    return parse(f"""
func.func @f(%A: memref<16xi32> {{kc.role = "in"}}, %B: memref<8xi32> {{kc.role = "in"}},
             %C: memref<8xi32> {{kc.role = "out"}}) {{
  %T = tir.alloc "T" : memref<11xi32>
  {loops[0]}
    tir.block "T" ({iters}) {init} do {{
      %a = tir.load {load} : memref<16xi32>
      {total}
      tir.store %x, %T[%v] : memref<11xi32>
    }}
  {loops[1]}
  tir.for %j in 8 {{{writes[0]}
    tir.block "C" (spatial %v in 8 = {at}) do {{
      %t = tir.load %T[%v + {c}] : memref<11xi32>
      tir.store %t, %C[%v] : memref<8xi32>
    }}{writes[1]}
  }}
  func.return
}}""")


def is_legal(offsets: tuple[int, int, int, int], at: str, *, reduce: bool) -> bool:
    """True if no element that T needs in an iteration was overwritten before."""
    s, c, before, behind = offsets
    written: set[int] = set()
    for j in range(8):
        v = j if at == "%j" else 7 - j
        written |= {v + before} if before != 9 else set()
        if any(v + c + s + 2 * r in written for r in range(1 + reduce)):
            return False
        written |= {v + behind} if behind != 9 else set()
    return True


OFFSETS = st.tuples(
    st.integers(0, 3), st.integers(0, 3), st.sampled_from((0, 1, 2, 5, 8, 9, 9)), st.integers(0, 9)
)


@given(offsets=OFFSETS, at=st.sampled_from(("%j", "7 - %j")), reduce=st.booleans())
@examples(80)
def test_random_offsets(offsets: tuple[int, int, int, int], at: str, reduce: bool):
    if 8 in offsets[3:]:
        offsets = (*offsets[:3], 9)
    if offsets[0] + offsets[1] > 5:
        offsets = (0, *offsets[1:])  # pyright: ignore[reportAssignmentType]
    module = program(offsets, at, reduce=reduce)
    generator = np.random.default_rng(sum(offsets))
    args = [generator.integers(-99, 99, n).astype(np.int32) for n in (16, 8, 8)]
    wanted = results(module, args)
    done = try_step(module, pass_class("compute-at")(BlockRef("T"), LoopRef("j")))
    assert (done is not None) == is_legal(offsets, at, reduce=reduce)
    assert_same(wanted, results(module, args), module)


def test_natively():
    """In place: each element is overwritten by what was computed of it."""
    for at, behind in itertools.product(("%j", "7 - %j"), (0, 9)):
        module = program((0, 0, 9, behind), at)
        args = [np.arange(n, dtype=np.int32) for n in (16, 8, 8)]
        wanted = results(module, args)
        assert try_step(module, pass_class("compute-at")(BlockRef("T"), LoopRef("j"))) is not None
        assert_same(wanted, native_results(module, args), module)


def test_the_refusal_names_what_is_lost():
    with pytest.raises(ScheduleError) as caught:
        pass_class("compute-at")(BlockRef("T"), LoopRef("j")).apply(
            site_of(program((0, 0, 9, 1), "%j"))
        )
    assert caught.value.code == "KC3207"
    assert caught.value.why == "block W1 at (j=0) runs between the old place and the new one"
