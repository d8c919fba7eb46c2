"""hoist-if-then-else and hoist-expression keep what programs compute."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lowering_support import lower, outputs, parse, text_of
from property_tests import examples

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.support.registry import context
from kc.transforms.tir.loops.hoist_expression import HoistExpressionPass
from kc.transforms.tir.loops.hoist_if_then_else import HoistIfThenElsePass

INDICES = ["%n", "%m"]


def code(draw: random.Random, variables: list[str], depth: int, count: list[int]) -> str:
    """Random statements; each store adds a number of its own to an element of %A."""
    lines = []
    for _ in range(draw.randint(1, 2)):
        count[0] += 1
        n = count[0]
        kind = draw.choice(["store", "for", "if", "scf"]) if depth else "store"
        values = [*variables, *INDICES]
        a, b = draw.choice(values), draw.choice(values)
        if kind == "store":
            at = draw.choice(variables) if variables else "0"
            lines.append(
                f"%o{n} = tir.load %A[{at}] : memref<8xi64>\n"
                f"%k{n} = arith.constant {n} : i64\n"
                f"%h{n} = arith.muli %o{n}, %three : i64\n"
                f"%s{n} = arith.addi %h{n}, %k{n} : i64\n"
                f"tir.store %s{n}, %A[{at}] : memref<8xi64>"
            )
        elif kind == "for":
            extent = draw.choice(["3", "2", "%n", "0"])
            inner = code(draw, [*variables, f"%i{n}"], depth - 1, count)
            lines.append(f"tir.for %i{n} in {extent} {{\n{inner}\n}}")
        elif kind == "if":
            conditions = [f"{a} < {draw.randint(0, 3)}", f"{b} * 2 >= {a} + {draw.randint(0, 2)}"]
            text = ", ".join(draw.sample(conditions, draw.randint(1, 2)))
            inner = code(draw, variables, depth - 1, count)
            orelse = code(draw, variables, depth - 1, count) if draw.random() < 0.4 else None
            lines.append(f"tir.if ({text}) {{\n{inner}\n}}")
            if orelse is not None:
                lines[-1] += f" else {{\n{orelse}\n}}"
        else:
            at = draw.choice(variables) if variables else "0"
            lines.append(
                f"%c{n} = arith.cmpi slt, {a}, {b} : index\n"
                f"%v{n} = scf.if %c{n} -> (i64) {{\n"
                f"%l{n} = tir.load %B[{at}] : memref<8xi64>\nscf.yield %l{n} : i64\n"
                f"}} else {{\nscf.yield %three : i64\n}}\n"
                f"tir.store %v{n}, %A[{at}] : memref<8xi64>"
            )
    return "\n".join(lines)


@examples(35)
@given(st.integers(0, 10**9), st.integers(0, 3), st.integers(-1, 3), st.sampled_from([0, 40, 1000]))
def test_random_programs(seed, n, m, copied):
    body = code(random.Random(seed), [], 4, [0])
    text = (
        "func.func @f(%A: memref<8xi64>, %B: memref<8xi64>, %n: index, %m: index) {\n"
        f"%three = arith.constant 3 : i64\n{body}\nfunc.return\n}}"
    )
    args = [np.arange(8), np.arange(8) * 7, n, m]
    expected = outputs(parse(text), args)
    for pass_ in (
        HoistIfThenElsePass(max_copied_operations=copied),
        HoistExpressionPass(max_copied_operations=copied),
        HoistExpressionPass(4, 2),
        HoistExpressionPass(2, 6, copied),
    ):
        module = parse(text)
        lower(module, [pass_])
        for got, want in zip(outputs(module, args), expected, strict=True):
            np.testing.assert_array_equal(got, want, err_msg=f"{text}\n{text_of(module)}")


def test_copies_have_a_limited_size():
    """Of twenty conditions two to the power of twenty loops could be made."""
    guards = "\n".join(
        f"tir.if (%n >= {n}) {{ tir.store %x, %A[%i] : memref<8xi64> }}" for n in range(20)
    )
    text = (
        "func.func @f(%A: memref<8xi64>, %n: index, %x: i64) {\n"
        f"tir.for %i in 8 {{\n{guards}\n}}\nfunc.return\n}}"
    )
    module = parse(text)
    lower(module, [HoistIfThenElsePass(max_copied_operations=100)])
    assert text_of(module).count("tir.for") in (3, 4)


def test_the_keys_of_a_config():
    """A guard on a size, in a loop that does something else too."""
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: te.if_then_else(n > 4, A[i] * 2, A[i]), name="B")
    x = np.arange(6, dtype=np.float32)
    for key, options in (
        ("tir.HoistIfThenElse", {"support_block_scope_hosting": True}),
        ("tir.HoistExpression", {"hoisted_conditionals": 7, "hoisted_let_bindings": 1}),
    ):
        with kc.transform.PassContext(config={key: options}):
            f = kc.build(te.create_schedule(B.op), [A, B])
        y = np.zeros_like(x)
        f(x, y)
        np.testing.assert_array_equal(y, x * 2)


@pytest.mark.parametrize(
    "line",
    [
        "%q, %r = tir.delinearize %m by [%four, %n]",
        "%r = arith.divsi %m, %n : index",
        "%r = arith.remui %m, %n : index",
    ],
)
def test_what_may_divide_by_zero_stays_in_a_loop_that_may_not_run(line: str):
    text = f"""func.func @f(%A: memref<8xindex>, %n: index, %m: index) {{
      %four = arith.constant 4 : index
      tir.for %i in %n {{
        {line}
        tir.if (%r < 3) {{
          tir.store %r, %A[0] : memref<8xindex>
        }}
      }}
      func.return
    }}"""
    module = kc.IRModule.parse(text)
    HoistExpressionPass(hoisted_conditionals=15, hoisted_let_bindings=1).apply(context(), module.op)
    numbers = np.full(8, 7)
    run(module.op, "f", [numbers, 0, 5])
    assert (numbers == 7).all()


def test_statements_of_a_pipeline_are_counted_by_its_annotations():
    text = """func.func @f(%A: memref<8xf32>, %x: f32, %n: index) {
      tir.for %i in 8 annotations {software_pipeline_stage = [0, 1]} {
        tir.if (%n >= 3) {
          tir.store %x, %A[%i] : memref<8xf32>
        }
        tir.if (%n >= 4) {
          tir.store %x, %A[%i] : memref<8xf32>
        }
      }
      func.return
    }"""
    module = kc.IRModule.parse(text)
    before = str(module)
    HoistIfThenElsePass().apply(context(), module.op)
    assert str(module) == before


def test_many_guards_take_linear_time():
    """Four times as many take four times as long; sixteen times before."""

    def seconds(count: int) -> float:
        guards = "\n".join(
            f"tir.if (%n >= {k}) {{ tir.store %x, %A[%i] : memref<8xf32> }}" for k in range(count)
        )
        text = f"""func.func @f(%A: memref<8xf32>, %x: f32, %n: index) {{
          tir.for %i in 8 {{ {guards} }}
          func.return
        }}"""
        module = kc.IRModule.parse(text)
        began = time.process_time()
        HoistIfThenElsePass(max_copied_operations=300).apply(context(), module.op)
        return time.process_time() - began

    assert seconds(800) < 10 * seconds(200) + 0.5
