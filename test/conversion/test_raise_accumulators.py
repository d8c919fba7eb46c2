"""A fill becomes the ``init`` of a reduction where it is one fill for each run of the reduction's
loops: not for those around it, which it stands in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run
from kc.dialects.tir import BlockOp, IterType


def loop(form: str, name: str, size: int, body: str) -> str:
    if form == "affine":
        return f"affine.for %{name} = 0 to {size} {{\n{body}}}\n"
    return f"scf.for %{name} = %c0 to %c{size} step %c1 {{\n{body}}}\n"


def program(form: str, buffer: str, outer: int) -> str:
    """``S[i] = sum of A[i, j, k]`` by way of an accumulator that is reset in the loop ``outer`` (0:
    i, 1: j, 2: before all loops) and read at the end of that loop."""
    index = "" if buffer == "memref<f64>" else "0" if form == "affine" else "%c0"
    load, store = f"{form.replace('scf', 'memref')}.load", f"{form.replace('scf', 'memref')}.store"
    reset = f"{store} %z, %t[{index}] : {buffer}\n"
    read = f"%v = {load} %t[{index}] : {buffer}\n{store} %v, %S[%i, %j] : memref<4x2xf64>\n"
    inner = f"""%a = {load} %A[%i, %j, %k] : memref<4x2x3xf64>
        %o = {load} %t[{index}] : {buffer}
        %s = arith.addf %o, %a : f64
        {store} %s, %t[{index}] : {buffer}
        """
    body = loop(form, "k", 3, inner) + read
    body = loop(form, "j", 2, (reset if outer == 1 else "") + body)
    body = loop(form, "i", 4, (reset if outer == 0 else "") + body)
    return f"""func.func @f(%A: memref<4x2x3xf64>, %S: memref<4x2xf64>) {{
      {" ".join(f"%c{n} = arith.constant {n} : index" for n in range(5))}
      %z = arith.constant 0.0 : f64
      %t = memref.alloca() : {buffer}
      {reset if outer == 2 else ""}{body}return
    }}"""


def expected(a: np.ndarray, outer: int) -> np.ndarray:
    sums = np.empty((4, 2))
    total = 0.0
    for i in range(4):
        total = 0.0 if outer == 0 else total
        for j in range(2):
            total = 0.0 if outer == 1 else total
            for k in range(3):
                total += a[i, j, k]
            sums[i, j] = total
    return sums


@pytest.mark.parametrize("outer", [0, 1, 2])
@pytest.mark.parametrize("buffer", ["memref<1xf64>", "memref<f64>"])
@pytest.mark.parametrize("form", ["affine", "scf"])
def test_an_accumulator_is_reset_where_the_program_does_it(form: str, buffer: str, outer: int):
    module = kc.IRModule.parse(program(form, buffer, outer))
    scheduled = kc.tir.Schedule(module).mod
    a = np.arange(24.0).reshape(4, 2, 3)
    calls: list[Any] = [kc.build(module), kc.build(scheduled)]
    calls.append(lambda *args: run(scheduled.op, "f", args))
    for call in calls:
        s = np.zeros((4, 2))
        call(a, s)
        np.testing.assert_array_equal(s, expected(a, outer))


def blocks(text: str) -> dict[str, BlockOp]:
    module = kc.tir.Schedule(kc.IRModule.parse(text)).mod
    return {op.label: op for op in module.op.walk() if isinstance(op, BlockOp)}


def test_loops_around_a_reset_are_no_reduction():
    block = blocks(program("affine", "memref<1xf64>", 1))["t"]
    assert block.has_init
    assert block.types == [IterType.OPAQUE, IterType.OPAQUE, IterType.REDUCE]


def test_a_reset_in_an_outer_loop_of_the_reduction_stays():
    raised = blocks(program("affine", "memref<1xf64>", 0))
    assert not any(block.has_init for block in raised.values())


@pytest.mark.parametrize("n", [0, 1, 5])
def test_an_accumulation_over_nothing_after_a_reset(n: int):
    """Only the last reset is seen afterwards, and it is seen where nothing is added, too."""
    text = """
    func.func @f(%A: memref<4x5xf64>, %t: memref<1xf64>, %n: index) {
      %z = arith.constant 3.0 : f64
      affine.for %i = 0 to 4 {
        affine.store %z, %t[0] : memref<1xf64>
        affine.for %k = 0 to %n {
          %a = affine.load %A[%i, %k] : memref<4x5xf64>
          %o = affine.load %t[0] : memref<1xf64>
          %s = arith.addf %o, %a : f64
          affine.store %s, %t[0] : memref<1xf64>
        }
      }
      return
    }"""
    sch = kc.tir.Schedule(kc.IRModule.parse(text))
    a = np.arange(20.0).reshape(4, 5)
    with pytest.raises(kc.error.ScheduleError) as refused:
        sch.fuse(*sch.get_loops(sch.get_block("t")))
    assert refused.value.code == "KC3036"
    for call in (kc.build(sch.mod), lambda *args: run(sch.mod.op, "f", args)):
        t = np.zeros(1)
        call(a, t, n)
        np.testing.assert_array_equal(t, [3 + a[3, :n].sum()])


def test_a_result_stored_through_another_view_of_what_is_read():
    """A carried value is not kept in an element that the loop reads by another name."""
    text = """
    func.func @f(%A: memref<5xf64>) {
      %z = arith.constant 0.0 : f64
      %view = "memref.cast"(%A) : (memref<5xf64>) -> memref<?xf64>
      %r = affine.for %k = 0 to 5 iter_args(%c = %z) -> (f64) {
        %x = affine.load %A[%k] : memref<5xf64>
        %s = arith.addf %c, %x : f64
        affine.yield %s : f64
      }
      affine.store %r, %view[1] : memref<?xf64>
      return
    }"""
    assert_computes(text, np.arange(1.0, 6.0), np.array([1.0, 15.0, 3.0, 4.0, 5.0]))


def test_a_result_stored_to_a_view_that_is_made_after_the_loop():
    text = """
    func.func @f(%A: memref<5xf64>) {
      %z = arith.constant 1.0 : f64
      %r = affine.for %k = 0 to 5 iter_args(%c = %z) -> (f64) {
        %s = arith.addf %c, %c : f64
        affine.yield %s : f64
      }
      %view = "memref.cast"(%A) : (memref<5xf64>) -> memref<?xf64>
      affine.store %r, %view[1] : memref<?xf64>
      return
    }"""
    assert_computes(text, np.zeros(5), np.array([0.0, 32.0, 0.0, 0.0, 0.0]))


def test_a_fill_through_another_view_of_what_is_written_before_the_reduction():
    """The fill does not move behind a store to the same element by another name."""
    text = """
    func.func @f(%A: memref<4xf64>) {
      %z = arith.constant 7.0 : f64
      %one = arith.constant 1.0 : f64
      %view = "memref.cast"(%A) : (memref<4xf64>) -> memref<?xf64>
      affine.for %i = 0 to 4 {
        affine.store %z, %view[%i] : memref<?xf64>
      }
      affine.for %i = 0 to 2 {
        affine.store %one, %A[%i] : memref<4xf64>
      }
      affine.for %i = 0 to 4 {
        affine.for %k = 0 to 3 {
          %o = affine.load %view[%i] : memref<?xf64>
          %s = arith.addf %o, %one : f64
          affine.store %s, %view[%i] : memref<?xf64>
        }
      }
      return
    }"""
    assert_computes(text, np.zeros(4), np.array([4.0, 4.0, 10.0, 10.0]))


def assert_computes(text: str, given: np.ndarray, expected: np.ndarray) -> None:
    mod = kc.tir.Schedule(kc.IRModule.parse(text)).mod
    for call in (kc.build(mod), lambda *args: run(mod.op, "f", args)):
        result = given.copy()
        call(result)
        np.testing.assert_array_equal(result, expected)
