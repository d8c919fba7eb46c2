"""Programs of many stages: what choosing a schedule does for a stage does not grow with them."""

from __future__ import annotations

import numpy as np
import pytest

import kc
from kc import te
from kc.analysis import loop_tree
from kc.transforms.auto_schedule import inlining
from kc.transforms.trace.session import Session


def product(B: te.Tensor, A: te.Tensor, n: int) -> te.Tensor:
    k = te.reduce_axis((0, 128), f"k{n}")
    return te.compute((128, 128), lambda i, j: te.sum(B[i, k] * A[k, j], axis=k), name=f"S{n}")


def halved(B: te.Tensor, n: int) -> te.Tensor:
    return te.compute((5, 7), lambda i, j: B[i, j] * 0.5 + 1.0, name=f"S{n}")


def products(count: int) -> list[te.Tensor]:
    """A chain of products of matrices of 128 x 128, all by the same one."""
    A = te.placeholder((128, 128), name="A")
    last = A
    for n in range(count):
        last = product(last, A, n)
    return [A, last]


def steps(count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Steps that were performed for the default schedule of so many products, repeated ones too."""
    performed = 0
    perform = Session.perform

    def counted(self, *args, **options):
        nonlocal performed
        performed += 1
        return perform(self, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Session, "perform", counted)
        kc.auto_schedule(products(count))
    return performed


def test_what_is_undone_does_not_repeat_the_whole_schedule(monkeypatch: pytest.MonkeyPatch):
    """Three times the stages take three times the steps; six times, if each refusal repeats all."""
    few, many = (steps(count, monkeypatch) for count in (4, 12))
    assert many < 3.3 * few


def test_a_chain_is_inlined_in_parts(monkeypatch: pytest.MonkeyPatch):
    """Not all of it is one block: the code of a block stays small, and so does each step."""
    monkeypatch.setattr(inlining, "LARGEST", 40)
    A = te.placeholder((5, 7), name="A")
    last, expected = A, np.arange(35, dtype="float32").reshape(5, 7)
    array = expected
    for n in range(50):
        last = halved(last, n)
        expected = expected * np.float32(0.5) + np.float32(1.0)
    blocks = loop_tree.blocks(kc.auto_schedule([A, last]).mod.op)
    bodies = [len(list(block.body.walk())) for block in blocks]
    assert 1 < len(bodies) < 25
    assert max(bodies) <= 40 + 8
    output = np.empty((5, 7), "float32")
    kc.build([A, last])(array, output)
    np.testing.assert_allclose(output, expected, rtol=1e-6)
