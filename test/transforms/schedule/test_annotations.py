"""Annotations, scopes, unit loops and the order of block variables: nothing else changes."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    arguments,
    assert_same,
    lowered,
    parse,
    random_program,
    random_splits,
    results,
    site_of,
    text_of,
    try_step,
)
from xdsl.dialects.builtin import StringAttr, i64

import kc
from kc.analysis import loop_tree
from kc.support.diagnostics import ScheduleError, diagnostic_handler
from kc.support.option_types import from_options, to_options
from kc.support.options import Options
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef
from kc.transforms.schedule.notes._annotations import Value

TWO = """
te.func @f(%A: tensor<6x4xi32>) -> tensor<4xi32> {
  %B = te.compute "B" [%i = 6, %j = 4] {
    %a = te.read %A[%i, %j] : tensor<6x4xi32>
    te.yield %a : i32
  } : tensor<6x4xi32>
  %C = te.compute "C" [%i = 4] reduce sum [%k = 6] {
    %x = te.read %B[%k, %i] : tensor<6x4xi32>
    te.yield %x : i32
  } : tensor<4xi32>
  te.return %C : tensor<4xi32>
}
"""


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(40)
def test_unit_loops_and_orders(seed: int, symbolic: bool):
    """Random programs compute the same, whatever is done to them afterwards."""
    random = Random(seed)
    module = random_program(random, 3, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    for _ in range(4):
        block = random.choice(loop_tree.blocks(module))
        order = list(range(len(block.types)))
        random.shuffle(order)
        loop = random.choice(loop_tree.loops(module))
        steps = [
            pass_class("reorder-block-iter-var")(BlockRef(block), tuple(order)),
            pass_class("add-unit-loop")(block=BlockRef(block)),
            pass_class("add-unit-loop")(loop=LoopRef(loop)),
        ]
        assert try_step(module, random.choice(steps)) is not None
        random_splits(module, random, 1)
        assert_same(expected, results(module, args), module)


def test_annotating():
    sch = kc.tir.Schedule(lowered(TWO))
    before = text_of(sch.module)
    block, (i, k) = sch.get_block("C"), sch.get_loops("C")
    values = [None, True, 3, 2.5, "x", [1, ["y"]], {"a": 1, "b c": [False]}]
    for n, value in enumerate(values):
        sch.annotate(block, f"b{n}", value)
        sch.annotate(i, f"l{n}", value)
    sch.annotate(i, "l2", 3)  # once more the same
    text = text_of(sch.module)
    assert (
        'annotations {b0, b1 = true, b2 = 3 : i64, b3 = 2.500000e+00 : f64, b4 = "x", '
        'b5 = [1 : i64, ["y"]], b6 = {a = 1 : i64, "b c" = [false]}}'
    ) in text
    assert text_of(parse(text)) == text
    with pytest.raises(ScheduleError, match="already has the annotation 'l2'") as caught:
        sch.annotate(i, "l2", 4)
    assert caught.value.code == "KC3340"
    with pytest.raises(ScheduleError, match="has no annotation 'l9'") as caught:
        sch.unannotate(i, "l9")
    assert caught.value.code == "KC3341"
    for value in ({1, 2}, b"xy", bytearray(b"xy"), ["x", b"y"]):
        with pytest.raises(ScheduleError) as caught:
            sch.annotate(k, "x", value)
        assert caught.value.code == "KC3343"
    assert text_of(sch.module) == text
    for n in range(len(values)):
        sch.unannotate(block, f"b{n}")
        sch.unannotate(i, f"l{n}")
    assert text_of(sch.module) == before


def test_values_of_options():
    """Words become numbers, bools and strings, and print back as the same words."""
    text = "key=x value=1,-2,2.5,1e3,true,a loop=i"
    step = from_options(pass_class("annotate"), Options.parse(text), "annotate")
    assert [str(element) for element in step.value] == ["1", "-2", "2.5", "1000.0", "true", "a"]
    assert step.value[0].attr.type == i64
    again = from_options(pass_class("annotate"), to_options(step), "annotate")
    assert again == step
    assert Value.from_option("1.2.3").attr == StringAttr("1.2.3")


def test_pragmas():
    sch = kc.tir.Schedule(lowered(TWO))
    i, j = sch.get_loops("B")
    sch.pragma(i, "auto_unroll_max_step", 16)
    sch.pragma(j, "vectorize")
    assert "annotations {pragma_auto_unroll_max_step = 16 : i64}" in text_of(sch.module)
    assert "tir.for %j in 4 vectorized {" in text_of(sch.module)
    said = []
    with diagnostic_handler(said.append):
        sch.pragma(sch.get_loops("C")[0], "unrol")
    assert [warning.code for warning in said] == ["KC3344"]
    with pytest.raises(ScheduleError) as caught:
        sch.pragma(sch.get_loops("C")[1], "parallel")
    assert caught.value.code == "KC3040"


def test_unit_loops():
    sch = kc.tir.Schedule(lowered(TWO))
    first = sch.add_unit_loop("B")
    second = sch.add_unit_loop(sch.get_loops("B")[0])
    assert (first.name, second.name) == ("u", "u_1")
    assert [loop.name for loop in sch.get_loops("B")] == ["u_1", "i", "j", "u"]
    sch.parallel(second)
    a = np.arange(24, dtype=np.int32).reshape(6, 4)
    out = np.zeros(4, np.int32)
    kc.build(sch.mod)["f"](a, out)
    np.testing.assert_array_equal(out, a.sum(axis=0))


def test_a_block_without_loops():
    module = lowered(
        "te.func @f(%A: tensor<i32>) -> tensor<i32> {\n"
        '  %B = te.compute "B" [] {\n'
        "    %a = te.read %A[] : tensor<i32>\n    te.yield %a : i32\n  } : tensor<i32>\n"
        "  te.return %B : tensor<i32>\n}\n"
    )
    sch = kc.tir.Schedule(module)
    assert sch.get_loops("B") == []
    unit = sch.add_unit_loop("B")
    assert [loop.name for loop in sch.get_loops("B")] == [unit.name] == ["u"]


def test_scopes_and_alignment():
    sch = kc.tir.Schedule(lowered(TWO))
    sch.set_scope("B", 0, "local")
    sch.storage_align("B", "B", -2, 32, 1)
    sch.storage_align("B", "B", 1, 8)
    sch.storage_align("B", "B", 0, 16, 2)
    line = next(text for text in text_of(sch.module).splitlines() if "tir.alloc" in text)
    assert line.strip() == (
        '%B = tir.alloc "B" {tir.storage_align = [array<i64: 1, 8, 0>, array<i64: 0, 16, 2>]} '
        ': memref<6x4xi32, "local">'
    )
    a = np.arange(24, dtype=np.int32).reshape(6, 4)
    out = np.zeros(4, np.int32)
    kc.build(sch.mod)["f"](a, out)
    np.testing.assert_array_equal(out, a.sum(axis=0))
    sch.set_scope("B", "B", "global")
    assert '"local"' not in text_of(sch.module)


def test_legal():
    site = site_of(lowered(TWO))
    assert [
        (str(choice.block), choice.scope) for choice in pass_class("set-scope").legal(site)
    ] == [("B", "local")]
    orders = [
        (str(choice.block), choice.order)
        for choice in pass_class("reorder-block-iter-var").legal(site)
    ]
    assert orders == [("B", (1, 0)), ("C", (1, 0))]
    assert len(list(pass_class("add-unit-loop").legal(site))) == 6
    assert list(pass_class("unannotate").legal(site)) == []
