"""A product by tensor cores, with its tiles copied ahead, in which something is wrong: the emulator
says what. The kernel is one that ``auto-schedule`` makes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import kc
from kc import te
from kc.conversion.pipelines import TO_EMULATOR
from kc.dialects.tir import AllocOp
from kc.support.registry import context, get_pass
from kc.target import Target

TARGET = "cuda-emu -arch=sm_80"
M, N, K = 32, 32, 256
WAIT = re.compile(r"nvvm\.cp\.async\.wait\.group (\d+)")


@cache
def text_of(*, swizzled_by_all: bool = True) -> str:
    """The kernel and its launch in the dialects gpu, nvvm, memref, scf and arith.

    Unless ``swizzled_by_all``, only what lanes load is where the swizzle puts it, and what threads
    copy is not.
    """
    A = te.placeholder((M, K), "float16", name="A")
    B = te.placeholder((K, N), "float16", name="B")
    k = te.reduce_axis((0, K), name="k")
    C = te.compute(
        (M, N),
        lambda i, j: te.sum(A[i, k].astype("float32") * B[k, j].astype("float32"), axis=k),
        name="C",
    )
    module = kc.auto_schedule([A, B, C], target=TARGET).mod
    with Target(TARGET):
        for entry in TO_EMULATOR[: TO_EMULATOR.index("convert-nvvm-to-gpu")]:
            if not isinstance(entry, str):
                continue
            if entry == "swizzle-storage" and not swizzled_by_all:
                for alloc in module.op.walk():
                    if isinstance(alloc, AllocOp):
                        alloc.attributes.pop("tir.swizzle", None)
            get_pass(entry).apply(context(), module.op)
    return str(module)


def check(text: str) -> kc.gpu.Report:
    r = np.random.default_rng(0)
    a, b = (r.random(shape).astype("float16") for shape in ((M, K), (K, N)))
    c = np.zeros((M, N), "float32")
    expected = a.astype("float32") @ b.astype("float32")
    return kc.gpu.check(text, a, b, c, expected=[expected], rtol=1e-3, atol=1e-3)


def without(pattern: str, text: str, which: int) -> str:
    """``text`` without the ``which``-th line in which the pattern is."""
    lines = text.splitlines()
    places = [n for n, line in enumerate(lines) if re.search(pattern, line)]
    del lines[places[which]]
    return "\n".join(lines)


def later(text: str) -> str:
    """Every wait leaves one group more under way."""
    return WAIT.sub(lambda match: f"nvvm.cp.async.wait.group {int(match[1]) + 1}", text)


def half_a_warp(text: str) -> str:
    """Half of the lanes do a product once more."""
    line = next(line for line in text.splitlines() if "nvvm.mma.sync" in line)
    again = line.replace("%d = ", "%again = ", 1)
    branch = f"""%x = gpu.thread_id x
%half = arith.constant 16 : index
%is_low = arith.cmpi ult, %x, %half : index
scf.if %is_low {{
{again}
}}
"""
    return text.replace(line, branch + line, 1)


MISTAKES: dict[str, tuple[Callable[[], str], set[str]]] = {
    "a wait one step too late": (lambda: later(text_of()), {"race"}),
    "no wait": (lambda: without(WAIT.pattern, text_of(), 0), {"race"}),
    "no barrier": (lambda: without(r"gpu\.barrier", text_of(), 0), {"race"}),
    "a group that is not committed": (
        lambda: without(r"cp\.async\.commit\.group", text_of(), 0),
        {"race"},
    ),
    "a swizzle on one side": (lambda: text_of(swizzled_by_all=False), {"wrong-result"}),
    "half a warp": (lambda: half_a_warp(text_of()), {"divergent-barrier"}),
}


def test_the_kernel_is_right():
    assert len(WAIT.findall(text_of())) >= 2
    report = check(text_of())
    assert report.ok, str(report)
    (verdicts,) = report.verdicts
    assert all(verdict.is_clean for verdict in verdicts.safety), str(report)


@pytest.mark.parametrize(
    "name",
    [
        name if n in (0, 4, 5) else pytest.param(name, marks=pytest.mark.sweep)
        for n, name in enumerate(MISTAKES)
    ],
)
def test_a_mistake_is_found(name: str):
    make, kinds = MISTAKES[name]
    report = check(make())
    kinds_found = {finding.kind for finding in report.findings}
    assert kinds <= kinds_found, str(report)
    (verdicts,) = report.verdicts
    proven = {verdict.kind for verdict in verdicts.safety if verdict.is_clean}
    disproven = {verdict.kind for verdict in verdicts.safety if verdict.is_clean is False}
    assert not proven & kinds_found, str(report)
    assert disproven <= kinds_found, str(report)
