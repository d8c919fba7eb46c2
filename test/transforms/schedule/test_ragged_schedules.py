"""Schedules of a reduction whose extent is another for each element: equal results."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from random_programs import (
    assert_same,
    lowered,
    native_results,
    random_splits,
    results,
    site_of,
    try_step,
)
from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.support.registry import pass_class
from kc.transforms.schedule.base import LoopRef

PROGRAM = """
te.func @f(%A: tensor<5x9xi64>, %N: tensor<5xi32>) -> tensor<5xi64> {
  %S = te.compute "S" [%i = 5] reduce sum [%k = ?, %j = 2] domain {
    %n = te.read %N[%i] : tensor<5xi32>
    %e = arith.index_cast %n : i32 to index
    te.yield %e : index
  } do {
    %a = te.read %A[%i, %k + %j] : tensor<5x9xi64>
    te.yield %a : i64
  } : tensor<5xi64>
  te.return %S : tensor<5xi64>
}
"""
KINDS = ("reorder", "fuse", "rfactor", "parallel", "vectorize", "decompose-reduction", "cache-read")


def random_step(module: ModuleOp, random: Random) -> Any:
    kind, loops = random.choice(KINDS), loop_tree.loops(module)
    if kind in ("parallel", "vectorize"):
        return pass_class(kind)(LoopRef(random.choice(loops)))
    if kind in ("reorder", "fuse"):
        return pass_class(kind)(tuple(map(LoopRef, random.sample(loops, 2))))
    candidates = list(pass_class(kind).candidates(site_of(module)))
    return random.choice(candidates) if candidates else None


@pytest.mark.parametrize("seed", range(24))
def test_random_schedules(seed: int):
    random = Random(seed)
    module = lowered(PROGRAM)
    a = np.random.default_rng(seed).integers(-9, 9, (5, 9))
    n = np.array([3, 1, 2, 1, 4], np.int32)
    expected = np.array([a[i, : n[i]].sum() + a[i, 1 : n[i] + 1].sum() for i in range(5)])
    args = [a, n, np.zeros(5, np.int64)]
    for _ in range(4):
        if random.random() < 0.3:
            random_splits(module, random, 1)
        step = random_step(module, random)
        if step is not None and try_step(module, step) is not None:
            assert_same([a, n, expected], results(module, args), module)
    if seed % 3 == 0:
        assert_same([a, n, expected], native_results(module, args), module)
