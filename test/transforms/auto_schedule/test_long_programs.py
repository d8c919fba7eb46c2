"""Programs of many stages: what choosing a schedule does for a stage does not grow with them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.ir import Operation

import kc
from kc import te, topi
from kc.analysis import loop_tree
from kc.transforms.auto_schedule import inlining, rows, undo
from kc.transforms.schedule import base
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


def convolutions(count: int) -> list[te.Tensor]:
    """Convolutions by the same weights, which are packed once for all of them."""
    A = te.placeholder((1, 16, 10, 10), name="A")
    W = te.placeholder((16, 16, 3, 3), name="W")
    last = A
    for _ in range(count):
        last = topi.nn.relu(topi.nn.conv2d(last, W, 1, 1, 1))
    return [A, W, last]


def softmaxes(count: int) -> list[te.Tensor]:
    """Products, each followed by the softmax of its rows."""
    A = te.placeholder((64, 64), name="A")
    last = A
    for _ in range(count):
        last = topi.nn.softmax(topi.matmul(last, A))
    return [A, last]


def diamonds(count: int) -> list[te.Tensor]:
    """Stages that two others read, which a third one adds."""
    A = te.placeholder((33,), name="A")
    last = A
    for _ in range(count):
        last = topi.add(topi.multiply(last, 2.0), topi.exp(last))
    return [A, last]


def visits(tensors: list[te.Tensor], monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """The operations that were visited to verify what primitives had changed, and the nests that
    were copied to be put back."""
    visited = copied = 0
    verify, copy = base.verify_changes, undo.copy_apart

    def verifying(root, within, **options):
        nonlocal visited
        visited += sum(1 for op in within for _ in loop_tree.preorder(op))
        verify(root, within=within, **options)

    def copying(op):
        nonlocal copied
        copied += 1
        return copy(op)

    with monkeypatch.context() as patch:
        patch.setattr(base, "verify_changes", verifying)
        patch.setattr(undo, "copy_apart", copying)
        kc.auto_schedule(tensors)
    return visited, copied


@pytest.mark.parametrize(
    ("program", "more"), [(products, 1), (convolutions, 1), (softmaxes, 1), (diamonds, 8)]
)
def test_a_stage_is_as_much_work_in_a_long_program(
    program: Callable[[int], list[te.Tensor]], more: int, monkeypatch: pytest.MonkeyPatch
):
    """Some more stages are as much work in a program that has three times as many already.

    A whole function that is verified or copied again would be three times as much.
    """
    # What grows up to a bound has reached it.
    monkeypatch.setattr(inlining, "LARGEST", 40)
    monkeypatch.setattr(rows, "MOST", 3)
    counts = [visits(program(more * n), monkeypatch) for n in (2, 3, 6, 7)]
    for which in (0, 1):
        early = counts[1][which] - counts[0][which]
        late = counts[3][which] - counts[2][which]
        assert late <= 1.1 * early


def test_inlining_moves_what_one_block_reads(monkeypatch: pytest.MonkeyPatch):
    """The body of a block is copied only for all but one of those that read it."""
    cloned = 0
    clone = Operation.clone

    def counted(self, *args, **options):
        nonlocal cloned
        cloned += 1
        return clone(self, *args, **options)

    A = te.placeholder((5, 7), name="A")
    last = A
    for n in range(40):
        last = halved(last, n)
    with monkeypatch.context() as patch:
        patch.setattr(Operation, "clone", counted)
        (block,) = loop_tree.blocks(kc.auto_schedule([A, last]).mod.op)
    assert cloned == 0
    assert sum(op.name == "arith.mulf" for op in block.walk()) == 40


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
