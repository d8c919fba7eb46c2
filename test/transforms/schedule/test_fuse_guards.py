"""fuse where guards stand between the loops: they go inside."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    assert_same,
    native_results,
    parse,
    results,
    site_of,
    text_of,
    try_step,
)

import kc
from kc import tir
from kc.analysis import loop_tree
from kc.analysis.interpreter import run
from kc.dialects.tir import IfOp
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule.base import LoopRef

HEAD = """
func.func @f(%A: memref<?x?x4xi32> {kc.shape = affine_map<()[n, m] -> (n, m, 4)>, kc.role = "in"},
             %C: memref<?x?x4xi32> {kc.shape = affine_map<()[n, m] -> (n, m, 4)>, kc.role = "out"})
    attributes {kc.symbols = ["n", "m"]} {
  %n = tir.symbol "n"
  %m = tir.symbol "m"
"""
STATEMENTS = {
    "block": """
      tir.block "C" (spatial %v_i in %n = %i, spatial %v_j in %m = %j, spatial %v_k in 4 = %k) do {
        %a = tir.load %A[%v_i, %v_j, %v_k] : memref<?x?x4xi32>
        %b = arith.addi %a, %a : i32
        tir.store %b, %C[%v_i, %v_j, %v_k] : memref<?x?x4xi32>
      }""",
    "statements": """
      %a = tir.load %A[%i, %j, %k] : memref<?x?x4xi32>
      %at = tir.apply (%k * 1)
      %b = arith.addi %a, %a : i32
      tir.store %b, %C[%i, %j, %at] : memref<?x?x4xi32>""",
}


def nest(random: Random) -> str:
    """Three loops, with index arithmetic and guards between them and in them."""
    text, tail = "", ""
    for label, extent in (("i", "%n"), ("j", "%m"), ("k", "4")):
        text += f"tir.for %{label} in {extent} {{\n"
        tail += "}\n"
        for n in range(random.choice((0, 1, 1, 2))):
            known = [loop for loop in "ijk" if f"%{loop} " in text]
            at = random.choice(known)
            twice = f"%{at}{label}{n}"
            if random.random() < 0.5:
                text += f"{twice} = tir.apply (%{at} * 2)\n"
            else:
                twice = f"%{at} * 2"
            bound = random.choice((*(f"%{loop}" for loop in known), "%m", "3"))
            relation = random.choice((">= {}", "< {} + 2", "- {} == 0", "- {} < 4"))
            text += f"tir.if ({twice} {relation.format(bound)}) {{\n"
            tail += "}\n"
    return HEAD + text + random.choice(list(STATEMENTS.values())) + tail + "func.return\n}"


def arguments(n: int, m: int) -> list[np.ndarray]:
    generator = np.random.default_rng(n * 9 + m)
    return [generator.integers(-9, 9, (n, m, 4)).astype(np.int32), np.zeros((n, m, 4), np.int32)]


@given(
    seed=st.integers(0, 2**32),
    loops=st.sampled_from(("ij", "jk", "ijk")),
    sizes=st.sampled_from(((3, 5), (1, 4), (0, 3), (4, 0), (2, 1))),
)
@examples(60)
def test_random_guards(seed: int, loops: str, sizes: tuple[int, int]):
    module = parse(nest(Random(seed)))
    args = arguments(*sizes)
    wanted = results(module, args)
    done = try_step(module, pass_class("fuse")(tuple(map(LoopRef, loops))))
    assert done is not None
    assert_same(wanted, results(module, args), module)
    try_step(module, pass_class("split")(LoopRef(done.loops[0]), (None, 3)))
    assert_same(wanted, results(module, args), module)
    if seed % 8 == 0:
        assert_same(wanted, native_results(module, args), module)


GUARDED = """
  tir.for %i in 4 {
    tir.if (%i >= 1, %n - 5 < 0) {
      tir.for %j in 6 {
        BODY
      }
    }
  }
  func.return
}"""


def test_a_guard_becomes_a_predicate():
    """The guard of a nest that consists of blocks; inner loops of the blocks stay, under the guard
    too.
    """
    block = """
        tir.for %k in 4 {
          tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 6 = %j) do {
            tir.store %z, %C[%v_i, %v_j, %k] : memref<?x?x4xi32>
          }
        }"""
    module = parse(HEAD + "%z = arith.constant 1 : i32" + GUARDED.replace("BODY", block))
    pass_class("fuse")((LoopRef("i"), LoopRef("j"))).apply(site_of(module))
    assert "where (%i_j_fused floordiv 6 >= 1, %n < 5) do" in text_of(module)
    assert not any(isinstance(op, IfOp) for op in module.walk())
    out = results(module, [*arguments(4, 6)])[1]
    np.testing.assert_array_equal(out[:, 0, 0], [0, 1, 1, 1])


def test_a_guard_of_statements_stays_one():
    module = parse(
        HEAD
        + "%z = arith.constant 1 : i32"
        + GUARDED.replace("BODY", "tir.store %z, %C[%i, %j, 0] : memref<?x?x4xi32>")
    )
    pass_class("fuse")((LoopRef("i"), LoopRef("j"))).apply(site_of(module))
    (loop,) = loop_tree.loops(module)
    guard = loop_tree.only_child(loop)
    assert isinstance(guard, IfOp)
    assert "tir.if (%i_j_fused floordiv 6 >= 1, %n < 5) {" in text_of(module)


@pytest.mark.parametrize(
    ("old", "new", "held"),
    [
        (
            "tir.store %z, %C[%i, %j, 0] : memref<?x?x4xi32>\n      }\n    }",
            "tir.store %z, %C[%i, %j, 0] : memref<?x?x4xi32>\n      }\n    } else {\n"
            "      tir.store %z, %C[%i, 0, 0] : memref<?x?x4xi32>\n    }",
            "tir.store",
        ),
        (
            "tir.for %j in 6 {",
            "tir.store %z, %C[%i, 0, 0] : memref<?x?x4xi32>\n      tir.for %j in 6 {",
            "tir.store",
        ),
    ],
)
def test_refused(old: str, new: str, held: str):
    """An else, and what is beside the loop, would be done in each of its iterations."""
    body = GUARDED.replace("BODY", "tir.store %z, %C[%i, %j, 0] : memref<?x?x4xi32>")
    assert old in body
    module = parse(HEAD + "%z = arith.constant 1 : i32" + body.replace(old, new))
    with pytest.raises(ScheduleError) as caught:
        pass_class("fuse")((LoopRef("i"), LoopRef("j"))).apply(site_of(module))
    assert str(caught.value).splitlines()[0] == (
        "error[KC3032]: fuse: j is not the only child of i"
    )
    assert caught.value.why == f"fuse would also move {held}"


TWO_VALUES = """
func.func @f(%C: memref<3x4x5xi32>) {
  tir.for %b in 3 {
    tir.for %i in 4 {
      tir.if (%i + %b < 4) {
        tir.if (2 * %b - %i < 2) {
          tir.for %j in 5 {
            tir.block "C" (spatial %u in 3 = %b, spatial %v in 4 = %i, spatial %w in 5 = %j) do {
              %one = arith.constant 1 : i32
              tir.store %one, %C[%u, %v, %w] : memref<3x4x5xi32>
            }
          }
        }
      }
    }
  }
  func.return
}
"""


def test_conditions_of_two_values_each():
    sch = tir.Schedule(kc.IRModule.parse(TWO_VALUES))
    _, i, j = sch.get_loops("C")
    sch.fuse(i, j)
    written = np.zeros((3, 4, 5), np.int32)
    run(sch.mod.op, "f", [written])
    b, i, _ = np.indices(written.shape)
    np.testing.assert_array_equal(written, (i + b < 4) & (2 * b - i < 2))
