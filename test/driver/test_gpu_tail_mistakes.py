"""Products of tiles that are not full, a convolution and an attention by tensor cores, in which
something is wrong: the emulator says what. The kernels are those that ``auto-schedule`` makes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import kc
from kc import te, topi
from kc.conversion.pipelines import TO_EMULATOR
from kc.dialects.tir import AllocOp
from kc.support.registry import context, get_pass
from kc.target import Target

AMPERE, HOPPER = "cuda-emu -arch=sm_80", "cuda-emu -arch=sm_90a"


def product(m: int, n: int, depth: int) -> list[te.Tensor]:
    A = te.placeholder((m, depth), "float16", name="A")
    B = te.placeholder((depth, n), "float16", name="B")
    k = te.reduce_axis((0, depth), name="k")

    def sums(i: Any, j: Any) -> Any:
        return te.sum(A[i, k].astype("float32") * B[k, j].astype("float32"), axis=k)

    return [A, B, te.compute((m, n), sums, name="C")]


def convolution(side: int) -> list[te.Tensor]:
    """``side`` x ``side`` positions, of 3 x 3 x 32 terms, and 8 channels."""
    A = te.placeholder((1, side + 2, side + 2, 32), "float16", name="A")
    W = te.placeholder((3, 3, 32, 8), "float16", name="W")
    y, x, c = (te.reduce_axis((0, size), name) for size, name in ((3, "y"), (3, "x"), (32, "c")))

    def sums(b: Any, i: Any, j: Any, o: Any) -> Any:
        value, weight = A[b, i + y, j + x, c], W[y, x, c, o]
        return te.sum(value.astype("float32") * weight.astype("float32"), axis=[y, x, c])

    return [A, W, te.compute((1, side, side, 8), sums, name="C")]


def attention(rows: int) -> list[te.Tensor]:
    Q = te.placeholder((1, 1, rows, 16), "float16", name="Q")
    K, V = (te.placeholder((1, 1, 192, 16), "float16", name=name) for name in "KV")
    return [Q, K, V, topi.nn.attention(Q, K, V)]


def expected_product(a: Any, b: Any) -> Any:
    return a @ b


def expected_convolution(a: Any, w: Any) -> Any:
    side = a.shape[1] - 2
    return sum(a[:, y : y + side, x : x + side] @ w[y, x] for y in range(3) for x in range(3))


def expected_attention(q: Any, k: Any, v: Any) -> Any:
    powers = np.exp(q @ np.swapaxes(k, -1, -2) / 4)
    return powers @ v / powers.sum(-1, keepdims=True)


KERNELS: dict[str, tuple[list[te.Tensor], str, Callable[..., Any]]] = {
    "rows": (product(35, 24, 232), AMPERE, expected_product),
    "boxes": (product(70, 24, 600), HOPPER, expected_product),
    "threads": (product(70, 20, 300), HOPPER, expected_product),
    "convolution": (convolution(5), AMPERE, expected_convolution),
    "attention": (attention(16), AMPERE, expected_attention),
    "attention by groups": (attention(64), HOPPER, expected_attention),
    "attention by two groups": (attention(128), HOPPER, expected_attention),
    "convolution by groups": (convolution(7), HOPPER, expected_convolution),
}


@cache
def text_of(name: str, *, swizzled_by_all: bool = True) -> str:
    """The kernel and its launch in the dialects gpu, nvvm, memref, scf and arith. Unless
    ``swizzled_by_all``, threads copy to places where lanes do not read."""
    args, target, _ = KERNELS[name]
    with patch("kc.transforms.auto_schedule.gpu.warpgroup_attention.GRID", 1):
        module = kc.auto_schedule(args, target=target).mod
    with Target(target):
        for entry in TO_EMULATOR[: TO_EMULATOR.index("convert-nvvm-to-gpu")]:
            if not isinstance(entry, str):
                continue
            if entry == "swizzle-storage" and not swizzled_by_all:
                for alloc in module.op.walk():
                    if isinstance(alloc, AllocOp):
                        alloc.attributes.pop("tir.swizzle", None)
            get_pass(entry).apply(context(), module.op)
    return str(module)


def check(name: str, text: str) -> kc.gpu.Report:
    args, _, reference = KERNELS[name]
    r = np.random.default_rng(0)
    arrays = [r.standard_normal([int(n) for n in it.shape]).astype(it.dtype) for it in args[:-1]]
    expected = reference(*(array.astype("float64") for array in arrays)).astype(args[-1].dtype)
    output = np.full(expected.shape, 99, expected.dtype)
    return kc.gpu.check(text, *arrays, output, expected=[expected], rtol=1e-2, atol=1e-2)


# Mistakes ---------------------------------------------------------------------------------------


def places(pattern: str, text: str) -> list[int]:
    """The lines of the kernel in which a pattern is."""
    lines = text.splitlines()
    begin = next(n for n, line in enumerate(lines) if "gpu.func" in line)
    numbers = [n for n in range(begin, len(lines)) if re.search(pattern, lines[n])]
    assert numbers, pattern
    return numbers


def changed(text: str, at: int, *new: str) -> str:
    lines = text.splitlines()
    return "\n".join([*lines[:at], *new, *lines[at + 1 :]])


def without(pattern: str, which: int | None = None) -> Callable[[str], str]:
    """Leave out a line, or all."""

    def make(text: str) -> str:
        gone = places(pattern, text)
        if which is not None:
            gone = [gone[which]]
        lines = text.splitlines()
        return "\n".join(line for n, line in enumerate(lines) if n not in gone)

    return make


def later(pattern: str, which: int = 0) -> Callable[[str], str]:
    """A wait leaves one group more under way."""

    def make(text: str) -> str:
        at = places(pattern, text)[which]
        line = text.splitlines()[at]
        return changed(text, at, re.sub(r"(\d+)$", lambda number: str(int(number[1]) + 1), line))

    return make


def operand(pattern: str, change: str, type_: str, which: int = 0) -> Callable[[str], str]:
    """Another value in the place of the first group of a pattern: ``arith.xori %it, 1``."""

    def make(text: str) -> str:
        at = places(pattern, text)[which]
        line = text.splitlines()[at]
        match = re.search(pattern, line)
        assert match is not None
        name, number = change.split()
        return changed(
            text,
            at,
            f"%wrong_by = arith.constant {number} : {type_}",
            f"%wrong = arith.{name} {match[1]}, %wrong_by : {type_}",
            line[: match.start(1)] + "%wrong" + line[match.end(1) :],
        )

    return make


def half_a_warp(text: str) -> str:
    """Half of the lanes do a product once more."""
    at = places(r"nvvm\.mma\.sync", text)[0]
    line = text.splitlines()[at]
    again = re.sub(r"%\w+ =", "%again =", line, count=1)
    return changed(
        text,
        at,
        "%lane_of_block = gpu.thread_id x",
        "%half = arith.constant 16 : index",
        "%is_low = arith.cmpi ult, %lane_of_block, %half : index",
        "scf.if %is_low {",
        again,
        "}",
        line,
    )


def swizzle(name: str) -> Callable[[str], str]:
    return lambda _: text_of(name, swizzled_by_all=False)


BELOW = r"arith\.cmpi slt, %\w+, (%\w+)"
PARITY = r"try_wait\.parity %\w+, (%\w+)"
COPIES, PRODUCTS = r"cp\.async\.wait\.group", r"wgmma\.wait\.group"
NO_MBARRIER_FENCE = (
    r"the mbarrier at \w+\[\d+\] is used by the copy of thread \d+ of block \d+, and was "
    r"initialised by thread \d+ with no nvvm\.fence\.mbarrier\.init behind it"
)
NO_REGISTER_FENCE = (
    r"thread \d+ of block \d+ starts a product of four warps with registers that it has written, "
    r"and executes no nvvm\.wgmma\.fence\.aligned before"
)
NO_PROXY_FENCE = r"\w+\[\d+\] is read by .*, and was (copied|written) by .* with no fence behind it"
OUTSIDE = r"\w+ is (read|written) by thread \d+ of block \d+ outside of its bounds"
RACE = r"\w+\[\d+\] is \w+ by .*(, and was \w+ by |, whose own copy to it is not done)"
MISTAKES: list[tuple[str, str, Callable[[str], str], str, str]] = [
    ("rows", "a row too many is copied", operand(BELOW, "addi 1", "index"), "out-of-bounds",
     OUTSIDE),
    ("rows", "a row too few is copied", operand(BELOW, "subi 1", "index"), "wrong-result", ""),
    ("rows", "a row too many is stored", operand(BELOW, "addi 1", "index", -2), "out-of-bounds",
     OUTSIDE),
    ("rows", "a row too few is stored", operand(BELOW, "subi 1", "index", -2), "wrong-result", ""),
    ("rows", "a wait one step too late", later(COPIES), "race", RACE),
    ("rows", "a swizzle on one side", swizzle("rows"), "wrong-result", ""),
    ("rows", "half a warp", half_a_warp, "divergent-barrier", ""),
    ("boxes", "a wrong parity of a consumer", operand(PARITY, "xori 1", "i32", 1), "race", RACE),
    ("boxes", "a wrong parity of the producer", operand(PARITY, "xori 1", "i32"), "deadlock", ""),
    ("boxes", "bytes that never come", operand(r"expect_tx %\w+, (%\w+)", "addi 16", "i32"),
     "deadlock", ""),
    ("boxes", "a box elsewhere", operand(r"box\[(%\w+)", "addi 8", "i32"), "wrong-result", ""),
    ("boxes", "no fence behind mbarriers", without(r"fence\.mbarrier"), "missing-fence",
     NO_MBARRIER_FENCE),
    ("boxes", "no fence before products", without(r"wgmma\.fence"), "missing-fence",
     NO_REGISTER_FENCE),
    ("boxes", "products that are not waited for", later(PRODUCTS), "race", RACE),
    ("boxes", "a part of a warp elects", operand(BELOW, "subi 1", "index", 1), "deadlock", ""),
    ("boxes", "a row too many is stored", operand(BELOW, "addi 1", "index", -3), "out-of-bounds",
     OUTSIDE),
    ("threads", "no fence behind copies", without(r"fence\.proxy"), "missing-fence",
     NO_PROXY_FENCE),
    ("threads", "a wait one step too late", later(COPIES), "race", RACE),
    ("threads", "a swizzle on one side", swizzle("threads"), "wrong-result", ""),
    ("threads", "a row too many is copied", operand(BELOW, "addi 1", "index"), "out-of-bounds",
     OUTSIDE),
    ("convolution", "a wait one step too late", later(COPIES), "race", RACE),
    ("convolution", "a swizzle on one side", swizzle("convolution"), "wrong-result", ""),
    ("convolution", "half a warp", half_a_warp, "divergent-barrier", ""),
    ("convolution", "a position too many is stored", operand(BELOW, "addi 1", "index", -1),
     "out-of-bounds", OUTSIDE),
    ("attention", "a wait one step too late", later(COPIES), "race", RACE),
    ("attention", "a swizzle on one side", swizzle("attention"), "wrong-result", ""),
    ("attention", "half a warp", half_a_warp, "divergent-barrier", ""),
    ("attention by groups", "a wrong parity", operand(PARITY, "xori 1", "i32", -1), "race", RACE),
    ("attention by groups", "no fence before products", without(r"wgmma\.fence"), "missing-fence",
     NO_REGISTER_FENCE),
    ("attention by groups", "no fence behind weights", without(r"fence\.proxy"), "missing-fence",
     NO_PROXY_FENCE),
    ("attention by two groups", "weights read early", without(r"nvvm\.barrier id", 1), "race",
     RACE),
    ("convolution by groups", "a wait one step too late", later(COPIES), "race", RACE),
    ("convolution by groups", "a swizzle on one side", swizzle("convolution by groups"),
     "wrong-result", ""),
    ("convolution by groups", "no fence behind copies", without(r"fence\.proxy"), "missing-fence",
     NO_PROXY_FENCE),
]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [name if name == "rows" else pytest.param(name, marks=pytest.mark.sweep) for name in KERNELS],
)
def test_the_kernel_is_right(name: str):
    report = check(name, text_of(name))
    assert report.ok, str(report)


@pytest.mark.parametrize(
    ("name", "make", "kind", "message"),
    [
        pytest.param(
            name, make, kind, message, id=f"{name}: {what}",
            marks=() if n in (0, 2) else pytest.mark.sweep,
        )
        for n, (name, what, make, kind, message) in enumerate(MISTAKES)
    ],
)  # fmt: skip
def test_a_mistake_is_found(name: str, make: Callable[[str], str], kind: str, message: str):
    report = check(name, make(text_of(name)))
    messages = [finding.message for finding in report.findings if finding.kind == kind]
    assert any(re.match(message, it) for it in messages), str(report)
