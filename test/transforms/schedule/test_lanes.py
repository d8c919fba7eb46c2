"""Vectors of loops whose iterations depend on each other, but only on what comes first anyway.

All lanes do an op before any does the next one. Where that keeps the order of all dependences the
loop can be vectorized, with each form that vector code has: rows, single accesses, masks, a tail.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import assert_same, native_results, parse, results, site_of, try_step
from xdsl.dialects.builtin import ModuleOp

from kc.support.diagnostics import ScheduleError, diagnostic_handler
from kc.support.registry import pass_class
from kc.transforms.schedule.base import LoopRef


def loop(body: str, extent: int = 37) -> ModuleOp:
    """A loop over the arrays A and B of 99 elements, which it changes."""
    return parse(f"""
func.func @f(%A: memref<99xi32> {{kc.role = "in"}}, %B: memref<99xi32> {{kc.role = "in"}}) {{
  %c3 = arith.constant 3 : i32
  tir.for %i in {extent} {{
    {body}
  }}
  func.return
}}""")


def arrays(seed: int = 0) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [generator.integers(-9, 9, 99).astype(np.int32) for _ in "AB"]


def vectorized(module: ModuleOp) -> bool:
    """Vectorize the loop and check that the results are the same. True if it can be vectorized."""
    args = arrays()
    expected = results(module, args)
    if try_step(module, pass_class("vectorize")(LoopRef("i"))) is None:
        return False
    with diagnostic_handler(lambda _: None):
        assert_same(expected, native_results(module, args), module)
    return True


def load(name: str, place: str) -> str:
    return f"%{name} = tir.load %{place} : memref<99xi32>\n"


def store(value: str, place: str) -> str:
    return f"tir.store %{value}, %{place} : memref<99xi32>\n"


TWICE = "%y = arith.addi %x, %x : i32\n"


@pytest.mark.parametrize(
    ("body", "legal"),
    [
        (load("x", "A[%i + 1]") + TWICE + store("y", "A[%i]"), True),
        (load("x", "A[%i + 30]") + TWICE + store("y", "A[%i]"), True),
        (load("x", "A[%i]") + TWICE + store("y", "A[%i + 1]"), False),
        # Another statement stores it, behind the load or before it.
        (load("x", "A[%i + 2]") + store("x", "B[%i]") + store("c3", "A[%i]"), True),
        (store("c3", "A[%i]") + load("x", "A[%i + 2]") + store("x", "B[%i]"), False),
        # Stored twice: the later iteration's store must be the last one.
        (store("c3", "A[%i + 1]") + load("x", "B[%i]") + store("x", "A[%i]"), True),
        (load("x", "B[%i]") + store("x", "A[%i]") + store("c3", "A[%i + 1]"), False),
        (load("x", "B[%i + 3]") + store("x", "A[%i + 1]") + store("x", "B[%i]"), True),
        # A value of an earlier iteration comes from a store that stands before the load.
        (store("c3", "A[%i + 1]") + load("x", "A[%i]") + store("x", "B[%i]"), True),
        # Every other element; elements in the other direction; one of all lanes.
        (load("x", "A[%i * 2 + 4]") + TWICE + store("y", "A[%i * 2]"), True),
        (load("x", "A[60 - %i]") + TWICE + store("y", "A[61 - %i]"), True),
        (load("x", "A[61 - %i]") + TWICE + store("y", "A[60 - %i]"), False),
        (load("x", "A[36]") + TWICE + store("y", "A[%i]"), True),
        (load("x", "A[35]") + TWICE + store("y", "A[%i]"), False),
        # Under a condition, and of one.
        (
            load("x", "A[%i + 1]") + "tir.if (%i mod 3 == 0) {\n" + store("x", "A[%i]") + "}",
            True,
        ),
        (
            "tir.if (%i mod 3 == 0) {\n" + store("c3", "A[%i]") + "}\n"
            + load("x", "A[%i + 1]") + store("x", "B[%i]"),
            False,
        ),
        (
            load("x", "A[%i + 1]")
            + "tir.if (%i mod 3 == 0) {\n" + store("c3", "A[%i]")
            + "} else {\n" + store("x", "B[%i]") + "}",
            True,
        ),
    ],
)  # fmt: skip
def test_dependences(body: str, legal: bool):
    assert vectorized(loop(body)) is legal


def test_the_update_of_a_block():
    """A block loads, and then stores; what initialises it comes before both."""
    text = """
    tir.block "U" (spatial %v in 37 = %i, reduce %r in 1 = 0) init {{
      tir.store %c3, %A[%v] : memref<99xi32>
    }} do {{
      %a = tir.load %A[%v] : memref<99xi32>
      %b = tir.load %{other}[%v + 1] : memref<99xi32>
      %s = arith.addi %a, %b : i32
      tir.store %s, %A[%v] : memref<99xi32>
    }}"""
    assert vectorized(loop(text.format(other="B")))
    assert not vectorized(loop(text.format(other="A")))


def test_not_around_a_loop():
    """Primitives on the inner loop do not see the lanes."""
    body = "tir.for %k in 1 {\n" + load("x", "A[%i + 1]") + TWICE + store("y", "A[%i]") + "}"
    assert not vectorized(loop(body))


def test_parallel_iterations_may_come_in_any_order():
    module = loop(load("x", "A[%i + 1]") + TWICE + store("y", "A[%i]"))
    with pytest.raises(ScheduleError) as caught:
        pass_class("parallel")(LoopRef("i")).apply(site_of(module))
    assert caught.value.why == (
        "the statement at (i=0) reads A[1], which the statement at (i=1) writes"
    )


@given(seed=st.integers(0, 2**32))
@examples(30)
def test_random_loops(seed: int):
    """Loads and stores in any order, at places that depend on each other."""
    random = Random(seed)

    def place() -> str:
        at = random.choice(("%i + {}", "%i + {}", "%i + {}", "%i * 2 + {}", "60 - %i + {}", "{}"))
        return f"{random.choice('AB')}[{at.format(random.randint(0, 6))}]"

    lines: list[str] = []
    values = ["c3"]
    for n in range(random.randint(2, 5)):
        if random.random() < 0.5:
            lines.append(load(f"x{n}", place()))
            values.append(f"x{n}")
            continue
        statement = store(random.choice(values[-2:]), place())
        if random.random() < 0.3:
            condition = random.choice(("%i mod 3 == 0", "%i < 7", "20 - %i >= 0"))
            statement = f"tir.if ({condition}) {{\n{statement}}}\n"
        lines.append(statement)
    vectorized(loop("".join(lines), random.choice((2, 3, 8, 13, 33))))
