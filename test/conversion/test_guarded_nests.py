"""Small nests of constant loops with guards mean the same at every optimisation level.

LLVM's passes unroll, peel, rotate and thread such nests until little of their shape is left, and
one of them may then be wrong: see docs/upstream.md. What is computed are sums and products of small
integers, so that every level must give every bit of what plain Python gives.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from random_nests import SIZE, Nest

import kc
from kc import te
from kc.codegen.native import jit
from kc.codegen.native_target import Machine, ParsedModule, host_target, llvm_binding

LEVELS = (0, 1, 2, 3)
LOST = (234, 248, 268, 279)
"""Nests that LLVM makes wrong at level 2 by itself, where their guards stay inside."""
GUARDED = ["hoist-if-then-else"]
"""The pass that moves guards out of loops, which would leave most nests trivial."""


def check(seeds: Sequence[int], level: int, without: Sequence[str] = ()) -> None:
    nests = [Nest.draw(seed) for seed in seeds]
    text = "\n".join(line for nest in nests for line in nest.ir)
    with kc.transform.PassContext(opt_level=level, disabled_pass=without):
        module = kc.build(kc.IRModule.parse(text))
    a = 2.0 ** np.arange(SIZE)
    wrong = []
    for nest in nests:
        c = np.full((SIZE, SIZE), 77.0)
        module[nest.name](a, c)
        if not np.array_equal(c, nest.expected(a)):
            wrong.append(nest.name)
    assert not wrong


@pytest.mark.parametrize("level", LEVELS)
def test_random_nests(level: int):
    check([*LOST, *range(10)], level, without=GUARDED)


def test_random_nests_with_hoisted_guards():
    check([*LOST, *range(10)], level=2)


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(0, 300, 50))
def test_more_random_nests(start: int):
    for level in LEVELS:
        check(range(start, start + 50), level)
        check(range(start, start + 50), level, without=GUARDED)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("extents", [(2, 3, 3), (3, 3, 3), (2, 4, 4)])
def test_sum_of_which_only_one_column_has_terms(extents: tuple[int, int, int], level: int):
    h = te.placeholder((2, extents[0]), "float64", name="H")
    y = te.placeholder((1,), "float64", name="Y")
    p, q, r = (te.reduce_axis((0, extent)) for extent in extents)
    c = te.compute(
        (2, 2), lambda i, j: te.sum(h[i, p] * y[0], axis=[p, q, r], where=j == 0), name="C"
    )
    with kc.transform.PassContext(opt_level=level):
        kernel = kc.build(te.create_schedule(c.op), [h, y, c])
    factors = np.arange(2.0 * extents[0]).reshape(2, -1)
    result = np.full((2, 2), 77.0)
    kernel(factors, np.array([3.0]), result)
    column = factors.sum(axis=1) * 3 * extents[1] * extents[2]
    np.testing.assert_array_equal(result, np.stack([column, np.zeros(2)], axis=1))


def filled(text: str) -> list[int]:
    """The memory after ``@fill`` of LLVM IR, compiled without optimisation."""
    code = jit(text, opt_level=0)
    array = np.full(2, 77, np.int8)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.address("fill"))(array.ctypes.data)
    return array.tolist()


def test_the_store_that_instcombine_loses():
    """An LLVM that keeps it needs no care any more: then the page and the care can go."""
    page = (Path(__file__).parents[2] / "docs" / "upstream.md").read_text()
    (text,) = re.findall(r"```llvm fill\.ll\n(.*?)```", page, re.DOTALL)
    assert filled(text) == [2, 0]
    module, llvm = ParsedModule(text), llvm_binding()
    passes = llvm.create_new_module_pass_manager()
    passes.add_instruction_combine_pass()
    machine = Machine(*host_target()).create(2)
    tuning = llvm.create_pipeline_tuning_options()
    passes.run(module.ref, llvm.create_pass_builder(machine, tuning))
    assert filled(str(module.ref)) == [1, 0]
