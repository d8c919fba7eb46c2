"""Numbers of indices stay within 64 bits: a call that would make larger ones is refused."""

from __future__ import annotations

import pytest

import kc
from kc import tir
from kc.support.diagnostics import ScheduleError

COPY = """
func.func @f(%A: memref<?xf32> {kc.name = "A", kc.shape = affine_map<()[s0] -> (s0)>},
    %B: memref<?xf32> {kc.name = "B", kc.shape = affine_map<()[s0] -> (s0)>, kc.role = "out"})
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in %n {
    tir.block "B" (spatial %v_i in %n = %i) do {
      %a = tir.load %A[%v_i] : memref<?xf32>
      tir.store %a, %B[%v_i] : memref<?xf32>
    }
  }
  func.return
}
"""


@pytest.mark.parametrize(
    "call",
    [
        "split(loops[0], [None, 2**40])",
        "shift(loops[0], by=2**40)",
        "loop_partition(loops[0], [2**40, None])",
        "skew(loops[1], loops[0])",
        "unroll_and_jam(loops[0], 2**40)",
    ],
)
def test_loops_whose_indices_would_be_too_large(call: str) -> None:
    """The index of the first of two loops is multiplied by 2^40 already."""
    sch = tir.Schedule(kc.IRModule.parse(COPY))
    loops = sch.split(sch.get_loops("B")[0], [None, 2**40])
    if call.startswith("skew"):
        sch.reorder(loops[1], loops[0])
    before = str(sch.mod)
    with pytest.raises(ScheduleError) as refused:
        eval(f"sch.{call}", {"sch": sch, "loops": loops})
    assert refused.value.code == "KC3499"
    assert str(sch.mod) == before


def test_the_text_says_the_numbers() -> None:
    """They are those of the index, and of what takes the variable's place."""
    sch = tir.Schedule(kc.IRModule.parse(COPY))
    outer, _ = sch.split(sch.get_loops("B")[0], [None, 2**40])
    with pytest.raises(ScheduleError) as refused:
        sch.split(outer, [None, 2**24])
    assert refused.value.render().splitlines()[0] == (
        "error[KC3499]: split: indices of loop i_o would have constants of more than 64 bits"
    )
    assert refused.value.why == (
        "its variable becomes an expression with constants up to 16777216, which the "
        "constants in the indices multiply"
    )


def test_layouts_whose_indices_would_be_too_large() -> None:
    """An index that was multiplied is multiplied again."""
    sch = tir.Schedule(kc.IRModule.parse(COPY))
    sch.cache_write("B", 0, "local")
    sch.transform_layout("B", ("write", 0), "(i) -> (i * 1099511627776)")
    with pytest.raises(ScheduleError) as refused:
        sch.transform_layout("B", ("write", 0), "(i) -> (i * 1099511627776)")
    assert refused.value.code == "KC3499"
    assert refused.value.why == (
        "(i)->(i * 1099511627776) multiplies the constants in its present indices"
    )


def test_the_size_of_a_skewed_loop_is_read_as_it_is_printed() -> None:
    """Its two sizes are one here: n + n - 1 is n * 2 - 1 in the module, as in its text."""
    nest = COPY.replace("tir.for %i", "tir.for %t in %n {\n  tir.for %i", 1)
    text = nest.replace("func.return", "}\n  func.return").replace(
        "(spatial %v_i", "(opaque %v_t in %n = %t, spatial %v_i"
    )
    sch = tir.Schedule(kc.IRModule.parse(text))
    t, i = sch.get_loops("B")
    sch.skew(t, i)
    assert "%i_size = tir.apply (%n * 2 - 1)" in str(sch.mod)
    assert str(kc.IRModule.parse(str(sch.mod))) == str(sch.mod)
