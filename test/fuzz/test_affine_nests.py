"""The answers of legal-directions for random nests agree with their iterations, one by one."""

import itertools
import re
from random import Random

import numpy as np
import pytest
from affine_nests import Nest, draw_nest, program

import kc
from kc.support.registry import pass_class


def _is_kept(nest: Nest, order: tuple[int, ...], signs: tuple[int, ...]) -> bool:
    """True if each pair of conflicting iterations stays in its order when loops are permuted and
    the loops with the sign -1 are reversed.
    """
    return all(
        [signs[n] * first[n] for n in order] < [signs[n] * second[n] for n in order]
        for first, second in nest.conflicts()
    )


def _is_parallel(nest: Nest, n: int) -> bool:
    return not any(
        first[:n] == second[:n] and first[n] != second[n] for first, second in nest.conflicts()
    )


@pytest.mark.parametrize(
    "seed", [n if n < 6 else pytest.param(n, marks=pytest.mark.sweep) for n in range(100)]
)
def test_legal_directions_are_those_of_the_iterations(
    seed: int, capsys: pytest.CaptureFixture[str]
):
    nest = draw_nest(Random(seed), perfect=True)
    module = kc.IRModule.parse(program([nest], np.random.default_rng(seed)).text)
    pass_class("legal-directions")().apply(None, module.op)
    printed = capsys.readouterr().err
    names = [loop.name for loop in nest.loops]
    forwards = (1,) * len(names)
    listed = {}
    for word in ("parallel", "reverse"):
        match = re.search(rf"^  {word}: (.*)$", printed, re.MULTILINE)
        assert match is not None
        listed[word] = set(match[1].split(", ")) - {"none"}
    assert listed["parallel"] == {name for n, name in enumerate(names) if _is_parallel(nest, n)}
    in_order = tuple(range(len(names)))
    assert listed["reverse"] == {
        name
        for n, name in enumerate(names)
        if _is_kept(nest, in_order, tuple(-1 if k == n else 1 for k in in_order))
    }
    legal = dict(re.findall(r"^  order ([^:]*): (.*)$", printed, re.MULTILINE))
    for order in itertools.permutations(in_order):
        label = ", ".join(names[n] for n in order)
        # The bounds of a triangular nest forbid some orders that its dependences allow.
        if order != in_order and " cannot leave " not in legal[label]:
            assert (legal[label] == "legal") == _is_kept(nest, order, forwards), printed
