"""Mistakes that are put into kernels, one at a time, are found; the kernels without them are right.

Each kernel is what a schedule becomes. A mistake is a line of it that is left out or changed: a
barrier, a store to shared memory, an index, two indices in the wrong order, a predicate that is one
too far, the number of threads or of blocks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from test_cuda_emu import TARGET, axis, product, random, sums

import kc
from kc import te
from kc.conversion.pipelines import TO_EMULATOR
from kc.support.registry import context, get_pass


def transpose(n: int) -> tuple[Any, Any]:
    """Tiles of 16 x 16 by way of shared memory."""
    A = te.placeholder((n, n), name="A")
    B = te.compute((n, n), lambda i, j: A[j, i], name="B")
    s = te.create_schedule(B.op)
    S = s.cache_read(A, "shared", [B])
    by, ty = s[B].split(B.op.axis[0], 16)
    bx, tx = s[B].split(B.op.axis[1], 16)
    s[B].reorder(by, bx, ty, tx)
    s[S].compute_at(s[B], bx)
    for stage, loops in ((B, (ty, tx)), (S, s[S].op.axis)):
        for loop, name in zip(loops, ("threadIdx.y", "threadIdx.x"), strict=True):
            s[stage].bind(loop, axis(name))
    s[B].bind(by, axis("blockIdx.y"))
    s[B].bind(bx, axis("blockIdx.x"))
    return s, [A, B]


def stencil(n: int) -> tuple[Any, Any]:
    """Sums of three neighbours, of which a block has its own and two more in shared memory."""
    A = te.placeholder((n + 2,), name="A")
    B = te.compute((n,), lambda i: A[i] + A[i + 1] + A[i + 2], name="B")
    s = te.create_schedule(B.op)
    S = s.cache_read(A, "shared", [B])
    block, thread = s[B].split(B.op.axis[0], 32)
    s[S].compute_at(s[B], block)
    _, inner = s[S].split(s[S].op.axis[0], 32)
    s[B].bind(block, axis("blockIdx.x"))
    s[B].bind(thread, axis("threadIdx.x"))
    s[S].bind(inner, axis("threadIdx.x"))
    return s, [A, B]


KERNELS = {
    "product": (lambda: product(32), [(32, 32), (32, 32)], (32, 32), lambda a, b: a @ b),
    "sums": (lambda: sums(4, 300, 128), [(4, 300)], (4,), lambda a: a.sum(1)),
    "halving": (lambda: sums(2, 60, 12), [(2, 60)], (2,), lambda a: a.sum(1)),
    "transpose": (lambda: transpose(32), [(32, 32)], (32, 32), lambda a: a.T),
    "stencil": (lambda: stencil(64), [(66,)], (64,), lambda a: a[:-2] + a[1:-1] + a[2:]),
}


@cache
def text_of(name: str) -> str:
    """The kernel and its launch, in the dialects gpu, memref, scf and arith."""
    s, args = KERNELS[name][0]()
    with kc.target.Target(TARGET):
        module = kc.lower(s, args)
        for entry in TO_EMULATOR[: TO_EMULATOR.index("gpu-serialize-threads")]:
            if isinstance(entry, str):
                get_pass(entry).apply(context(), module.op)
    return str(module)


WRONG_RESULT = re.compile(
    r"[BC]\[\d+\] is -?[\d.e-]+, written by thread \d+ of block \d+, and is to be "
    r"-?[\d.e-]+; \d+ of \d+ elements are wrong"
)
PRIVATE_OR_ROW = re.compile(r"private|memref<1x")
SWAPPED = re.compile(r"(memref\.(?:load|store) [^\[]*\[)(%\w+), (%\w+)(\])")
SHARED = re.compile(r"(memref\.(?:load|store) [^\[]*\[)(%\w+)(.*workgroup)")


def mistakes(name: str) -> Iterator[tuple[str, str]]:
    """The mistakes, each with the text that has it."""
    lines = text_of(name).splitlines()

    def changed(n: int, *new: str) -> str:
        return "\n".join([*lines[:n], *new, *lines[n + 1 :]])

    for n, line in enumerate(lines):
        if line.strip() == "gpu.barrier":
            yield f"line {n}: no barrier", changed(n)
        if match := SHARED.search(line):
            start, index, rest = match.groups()
            for shift in (-1, 1) if name == "stencil" else (1,):
                yield (
                    f"line {n}: an index that is {shift} more",
                    changed(
                        n,
                        f"%shift = arith.constant {shift} : index",
                        f"%shifted = arith.addi {index}, %shift : index",
                        line.replace(start + index + rest, f"{start}%shifted{rest}"),
                    ),
                )
            if "memref.store" in line:
                yield f"line {n}: nothing stored", changed(n)
        if (match := SWAPPED.search(line)) and not PRIVATE_OR_ROW.search(line):
            start, first, second, rest = match.groups()
            swapped = line.replace(match[0], f"{start}{second}, {first}{rest}")
            yield f"line {n}: indices in the wrong order", changed(n, swapped)
        if "arith.cmpi slt" in line:
            yield f"line {n}: a predicate one too far", changed(n, line.replace("slt", "sle"))
        if "gpu.launch_func" in line:
            grid, block = (re.findall(r"\((%\w+), ", line)[k] for k in (0, 1))
            half = line.replace(f"threads in ({block}, ", "threads in (%half, ", 1)
            two = "%two = arith.constant 2 : index"
            less = f"%half = arith.divui {block}, %two : index"
            yield f"line {n}: half the threads", changed(n, two, less, half)
            for what, size in (("block", grid), ("thread", block)):
                twice = line.replace(f"({size}, ", "(%twice, ", 1)
                if what == "thread":
                    head, tail = line.split(" threads in ")
                    twice = f"{head} threads in {tail.replace(f'({size}, ', '(%twice, ', 1)}"
                more = f"%twice = arith.muli {size}, %two : index"
                yield f"line {n}: twice the {what}s", changed(n, two, more, twice)


def check(name: str, text: str) -> tuple[Any, bool]:
    """The report of a kernel, and whether its results are right."""
    _, shapes, shape, function = KERNELS[name]
    inputs = [random(*given) for given in shapes]
    output, expected = np.zeros(shape, "float32"), function(*inputs)
    report = kc.gpu.check(text, *inputs, output, expected=[expected], rtol=1e-4, atol=1e-4)
    return report, bool(np.allclose(output, expected, rtol=1e-4, atol=1e-4))


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_right(name: str):
    report, is_right = check(name, text_of(name))
    assert report.ok, str(report)
    assert is_right
    (verdicts,) = report.verdicts
    assert all(verdict.is_clean for verdict in verdicts.safety), str(report)


def test_there_are_sixty_mistakes():
    assert sum(1 for name in KERNELS for _ in mistakes(name)) >= 60


def contradicted(report: Any) -> list[str]:
    """The verdicts without a run that contradict the run."""
    kinds = {finding.kind for finding in report.findings}
    return [
        str(verdict)
        for kernel in report.verdicts
        for verdict in kernel.safety
        if verdict.is_clean is not None and verdict.is_clean is (verdict.kind in kinds)
    ]


BY_RESULTS = {
    "product": {"indices in the wrong order": 3},
    "transpose": {"indices in the wrong order": 4},
    "halving": {"nothing stored": 4},
    "stencil": {"an index that is -1 more": 2, "an index that is 1 more": 1},
}


@pytest.mark.parametrize("name", KERNELS)
def test_mistakes_are_found(name: str):
    """Each has a finding; what reads or writes another element that is there is another program,
    not a wrong one for any threads, and only its results show it."""
    by_results: list[str] = []
    first_store = next(what for what, _ in mistakes(name) if "nothing stored" in what)
    for what, text in mistakes(name):
        report, is_right = check(name, text)
        assert not report.ok, f"{what}\n{text}"
        kinds = {finding.kind for finding in report.findings}
        assert ("wrong-result" in kinds) != is_right
        if kinds == {"wrong-result"}:
            by_results.append(what.split(": ")[1])
            assert WRONG_RESULT.fullmatch(report.findings[0].message)
        for finding in report.findings:
            assert finding.diagnostic().render().startswith("error[KC63")
            assert finding.location is not None or "by no thread" in finding.message
        certain = contradicted(report)
        assert not certain, f"{what}: {certain}"
        disproven = {verdict.kind for verdict in report.verdicts[0].safety if not verdict.is_clean}
        assert bool(disproven) is bool(kinds - {"wrong-result"}), what
        if "no barrier" in what:
            assert "race" in kinds, what
            assert "race" in disproven, what
        if "nothing stored" in what and what == first_store:
            assert "uninitialised" in kinds, what
        if "one too far" in what:
            assert kinds & {"out-of-bounds", "race", "uninitialised"}, what
    assert Counter(by_results) == Counter(BY_RESULTS.get(name, {}))
