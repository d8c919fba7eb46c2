"""Tiles that the copy unit brings to shared memory (TMA), for products by four warps."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from optional_tools import find
from test_warpgroup_products import DTYPES, EMULATOR, Product, assembled, swizzle

import kc
from kc import te, tir
from kc.conversion.pipelines import TO_EMULATOR
from kc.support.registry import context, get_pass
from kc.target import Target


@dataclass(frozen=True)
class Copied(Product):
    """A product whose A and B are copied by boxes."""

    map: Callable[..., list[Any]] | None = None
    """Another layout of A."""

    def _copy(self, sch: tir.Schedule, C: tir.BlockRV, operand: int, ko: tir.LoopRV) -> None:
        shared = sch.cache_read(C, operand, "shared")
        sch.compute_at(shared, ko)
        row, count = self.depth, (64 * self.groups, self.columns)[operand]
        by_rows = operand == 1 and not self.trans
        if by_rows:
            row, count = min(self.columns, 64), self.depth
            if self.columns > 64:
                sch.transform_layout(shared, 0, lambda k, j: [j // 64, k, j % 64])
        if self.swizzled or operand:
            width = self.rows_apart if self.rows_apart and not operand else row * self.bytes
            sch.transform_layout(shared, 0, swizzle(width, self.bytes))
        rows, columns = sch.get_loops(shared)[-2:]
        if by_rows and self.columns > 64:
            panel, columns = sch.split(columns, [None, 64])
            sch.reorder(panel, rows, columns)
        sch.tensorize(rows, f"tma_load_{count}x{row}_{self.element}_shared")


PIPELINED = Copied(size=(64, 16, 80), columns=16, depth=16, ahead=True)
PRODUCTS = [PIPELINED]  # five steps
SWEEP = [
    Copied(size=(64, 32, 160), ahead=True),
    Copied(size=(64, 128, 64), columns=128),  # two panels of B
    Copied(),
    Copied(size=(64, 128, 160), columns=128, ahead=True),
    Copied(trans=True, size=(128, 32, 128), groups=2, columns=16, ahead=True),
    Copied("s8", "s32", trans=True, depth=64),
    Copied("bf16", depth=64, size=(64, 32, 64), ahead=True),  # fewer steps than stages
    Copied("s8", "s32", trans=True, depth=128, size=(64, 32, 512), ahead=True),
    Copied(depth=16, size=(64, 32, 96), ahead=True),
]


@pytest.mark.parametrize(
    "product", [*PRODUCTS, *(pytest.param(it, marks=pytest.mark.sweep) for it in SWEEP)], ids=str
)
def test_products_are_those_of_numpy(product: Copied):
    a, b, expected = product.arrays()
    c = np.zeros(expected.shape, DTYPES[product.total])
    report = kc.gpu.check(kc.build(product.schedule(), target=EMULATOR), a, b, c)
    assert report.ok, str(report)
    tolerance = {"f32": 1e-5, "s32": 0}[product.total]
    np.testing.assert_allclose(c, expected, rtol=tolerance, atol=10 * tolerance)
    steps = product.size[2] // product.depth
    blocks = product.size[0] * product.size[1] // (64 * product.groups * product.columns)
    # One for the mbarriers, and one in each step that may overwrite a tile.
    overwriting = max(steps - 2, 0) if product.ahead else steps if steps > 1 else 0
    assert report.barriers == blocks * (1 + overwriting)


def in_a_row(product: Product, blocks: int, down: int, *, stored: bool = False) -> tir.Schedule:
    """Tiles of C by few blocks, one after the other: ``down`` of them below each other, then those
    beside them. The copy unit stores them, if ``stored``."""
    sch = tir.Schedule(te.create_prim_func(product.tensors()), target=EMULATOR)
    C = sch.get_block("C")
    i, j, k = sch.get_loops(C)
    by, group, i = sch.split(i, [None, product.groups, 64])
    bx, j = sch.split(j, [None, product.columns])
    ko, k = sch.split(k, [None, product.depth])
    strip, by = sch.split(by, [None, down])
    sch.reorder(strip, bx, by, group, ko, i, j, k)
    tile, block = sch.split(sch.fuse(strip, bx, by), [None, blocks])
    sch.reorder(block, tile)
    sch.bind(block, "blockIdx.x")
    sch.bind(group, "threadIdx.y")
    result = sch.cache_write(C, 0, "shared") if stored else None
    sums = sch.cache_write(C, 0, f"{product.spelled}.matrixC")
    sch.reverse_compute_at(sums, group)
    if result is not None:
        sch.reverse_compute_at(result, tile)
    for operand in (0, 1):
        product._copy(sch, C, operand, ko)
    sch.decompose_reduction(C, ko)
    sch.tensorize(sch.get_loops("C_init")[-2], f"wgmma_fill_{product.spelled}_f32")
    sch.tensorize(i, f"wgmma_sync_{product.spelled}_f16f16f32_trans")
    memory = "shared" if stored else "global"
    sch.tensorize(sch.get_loops(sums)[-2], f"wgmma_store_{product.spelled}_f32_{memory}")
    if result is not None:
        box = f"{64 * product.groups}x{product.columns}"
        sch.tensorize(sch.get_loops(result)[-2], f"tma_store_{box}_f32_shared")
    sch.annotate(ko, "software_pipeline_stage", [0, 0, 2])
    sch.annotate(ko, "software_pipeline_async_stages", [0])
    if product.specialized:
        sch.annotate(ko, "software_pipeline_warp_specialize", True)
    return sch


@pytest.mark.parametrize(
    ("product", "stored", "barriers"),
    [
        # The mbarriers; what may be overwritten: for two steps of a tile together, and two more.
        (Copied(trans=True, size=(128, 32, 64), columns=16, depth=16), False, 1 + 4 * 3),
        # The mbarriers; in each tile those who compute, before and behind what is stored.
        (
            Copied(trans=True, size=(128, 16, 64), columns=8, depth=16, specialized=True),
            True,
            1 + 4 * 2,
        ),
    ],
    ids=["threads", "warps of their own"],
)
def test_phases_go_on_from_one_tile_to_the_next(product: Copied, stored: bool, barriers: int):
    """Tiles of four steps, whose three mbarriers are made once: step 3 of a tile is in slot 0."""
    a, b, expected = product.arrays()
    c = np.zeros(expected.shape, "float32")
    module = kc.build(in_a_row(product, 1, 2, stored=stored), target=EMULATOR)
    report = kc.gpu.check(module, a, b, c)
    assert report.ok, str(report)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-4)
    assert report.barriers == barriers


@pytest.mark.skipif(find("ptxas") is None, reason="needs ptxas")
@pytest.mark.sweep
@pytest.mark.parametrize("trans", [False, True])
def test_ptxas_takes_it_without_spills(trans: bool, tmp_path: Any):
    """No spills, and no C7508, C7510 or C7517; one barrier a step, and no fence for threads."""
    product = Copied(
        trans=trans, size=(4096, 4096, 4096), groups=2, columns=256, depth=64, ahead=True
    )
    text = assembled(product, tmp_path)
    assert text.count("bar.sync") == 2
    assert "fence.proxy" not in text
    assert "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier" in text
    for pattern in ("ld.global", "st.shared", "ld.local", "st.local"):
        assert pattern not in text


STORED = Copied(trans=True, size=(256, 8, 32), groups=2, columns=8, depth=16)


def stored(target: str = EMULATOR) -> tir.Schedule:
    """A product whose result goes by way of shared memory, and from there as boxes."""
    product = STORED
    sch = tir.Schedule(te.create_prim_func(product.tensors()), target=target)
    C = sch.get_block("C")
    i, j, k = sch.get_loops(C)
    by, group, i = sch.split(i, [None, product.groups, 64])
    ko, k = sch.split(k, [None, product.depth])
    sch.reorder(by, group, ko, i, j, k)
    for loop, axis in ((by, "blockIdx.y"), (group, "threadIdx.y")):
        sch.bind(loop, axis)
    result = sch.cache_write(C, 0, "shared")
    sums = sch.cache_write(C, 0, f"{product.spelled}.matrixC")
    sch.reverse_compute_at(sums, group)
    sch.reverse_compute_at(result, by)
    for operand in (0, 1):
        product._copy(sch, C, operand, ko)
    sch.decompose_reduction(C, ko)
    sch.tensorize(sch.get_loops("C_init")[-2], f"wgmma_fill_{product.spelled}_f32")
    sch.tensorize(i, f"wgmma_sync_{product.spelled}_f16f16f32_trans")
    sch.tensorize(sch.get_loops(sums)[-2], f"wgmma_store_{product.spelled}_f32_shared")
    sch.tensorize(sch.get_loops(result)[-2], "tma_store_128x8_f32_shared")
    return sch


def test_the_copy_unit_stores_what_threads_wrote():
    a, b, expected = STORED.arrays()
    c = np.zeros(expected.shape, "float32")
    report = kc.gpu.check(kc.build(stored(), target=EMULATOR), a, b, c)
    assert report.ok, str(report)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-4)
    # In each of two blocks: the mbarriers, before the two steps, and before the result is read.
    assert report.barriers == 2 * (1 + 2 + 1)


def test_a_store_without_its_fence():
    """The fence stands between what threads write and the barrier in front of the copy."""
    text, count = FENCE.subn("", gpu_text(stored()))
    assert count == 1
    a, b, expected = STORED.arrays()
    report = kc.gpu.check(text, a, b, np.zeros(expected.shape, "float32"), target=EMULATOR)
    assert report.findings[0].message == (
        "C_shared[0] is read by thread 0 of block 0, and was written by thread 0 with no fence "
        "behind it"
    )
    assert {finding.kind for finding in report.findings} == {"missing-fence"}


# Mistakes --------------------------------------------------------------------------------------


@cache
def kernel_text(product: Copied) -> str:
    """The kernel and its launch, in the dialects gpu, nvgpu, nvvm, memref, scf and arith."""
    return gpu_text(product.schedule())


def gpu_text(sch: tir.Schedule) -> str:
    """The same of a schedule."""
    with Target(EMULATOR):
        module = kc.lower(sch)
        for entry in TO_EMULATOR[: TO_EMULATOR.index("gpu-serialize-threads")]:
            if isinstance(entry, str):
                get_pass(entry).apply(context(), module.op)
    return str(module)


FENCE = re.compile(r" *nvvm\.fence\.proxy .*\n")
WAITS = re.compile(r" *nvvm\.mbarrier\.try_wait\.parity (%\w+), (%\w+), (%\w+) .*\n")
EXPECTS = re.compile(r"nvvm\.mbarrier\.arrive\.expect_tx (%\w+), %\w+ : !llvm.ptr<3>, i32 -> i64")
BARRIER = re.compile(r" *gpu\.barrier\n")


TOO_EARLY = "race: A_shared[0] is read by thread 0 of block 0, whose own copy to it is not done"


def without_waits(text: str) -> str:
    return WAITS.sub("", text)


def of_the_other_parity(text: str) -> str:
    wait = (
        r"%one_\2 = arith.constant 1 : i32\n%other_\2 = arith.xori %P, %one_\2 : i32\n"
        r"nvvm.mbarrier.try_wait.parity \1, %other_\2, \3 : !llvm.ptr<3>, i32, i32\n"
    )

    def wrong(match: re.Match[str]) -> str:
        number = match[2].removeprefix("%")
        return (
            match.expand(wait)
            .replace("one_%", "one_")
            .replace("other_%", "other_")
            .replace("%P", f"%{number}")
        )

    return WAITS.sub(wrong, text)


def expecting_nothing(text: str) -> str:
    return EXPECTS.sub(r"nvvm.mbarrier.arrive \1 : !llvm.ptr<3> -> i64", text)


def a_stage_late(text: str) -> str:
    """The wait of each step stands behind its product."""
    lines = text.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if WAITS.fullmatch(line))
    end = next(n for n in range(at, len(lines)) if "wgmma.wait.group" in lines[n])
    lines.insert(end, lines.pop(at))
    return "".join(lines)


def without_barriers(text: str) -> str:
    """The first one is behind the mbarriers that are made."""
    head, first, rest = text.partition("gpu.barrier\n")
    return head + first + BARRIER.sub("", rest)


def swizzled_for_the_products_alone(text: str) -> str:
    return text.replace("swizzle = swizzle_32b", "swizzle = none")


@pytest.mark.parametrize(
    ("mistake", "finding"),
    [
        pytest.param(without_waits, TOO_EARLY, marks=pytest.mark.sweep),
        (of_the_other_parity, TOO_EARLY),
        pytest.param(expecting_nothing, TOO_EARLY, marks=pytest.mark.sweep),
        (a_stage_late, TOO_EARLY),
        (
            without_barriers,
            "race: A_shared[256] is copied by thread 0 of block 0, and was read by thread 32",
        ),
        (swizzled_for_the_products_alone, None),
    ],
)
def test_mistakes_are_found(mistake: Callable[[str], str], finding: str | None):
    text = kernel_text(PIPELINED)
    wrong = mistake(text)
    assert wrong != text
    a, b, expected = PIPELINED.arrays()
    c = np.zeros(expected.shape, "float32")
    report = kc.gpu.check(wrong, a, b, c, target=EMULATOR, expected=[expected.astype("float32")])
    messages = [f"{it.kind}: {it.message}" for it in report.findings]
    if finding is None:
        assert {it.kind for it in report.findings} == {"wrong-result"}
    else:
        assert messages[0] == finding


# Boxes that threads read -------------------------------------------------------------------------

Change = Callable[[tir.Schedule, tir.BlockRV], object]


def plain(
    columns: Any = 64,
    change: Change = lambda sch, shared: None,
    *,
    rows: Any = 64,
    wide: Any = None,
) -> tir.Schedule:
    """B = 2 A, of 32 x 32 halves at a time that a copy brings to shared memory, step by step; A is
    as ``wide``."""
    A = te.placeholder((rows, columns if wide is None else wide), "float16", name="A")
    B = te.compute((rows, columns), lambda i, j: A[i, j] * te.const(2, "float16"), name="B")
    sch = tir.Schedule(te.create_prim_func([A, B]), target=EMULATOR)
    block = sch.get_block("B")
    i, j = sch.get_loops(block)
    io, i = sch.split(i, [None, 32])
    jo, j = sch.split(j, [None, 32])
    sch.reorder(io, jo, i, j)
    grid = sch.add_unit_loop(io)
    sch.bind(grid, "blockIdx.x")
    shared = sch.cache_read(block, 0, "shared")
    sch.compute_at(shared, jo)
    change(sch, shared)
    sch.tensorize(sch.get_loops(shared)[-2], "tma_load_32x32_f16_shared")
    sch.bind(j, "threadIdx.x")
    return sch


def swizzled(row: int) -> Change:
    return lambda sch, shared: sch.transform_layout(shared, 0, swizzle(row, 2))


@pytest.mark.parametrize(
    "change", [lambda sch, shared: None, swizzled(64)], ids=["plain", "swizzled"]
)
def test_threads_read_boxes(change: Change):
    """The copies of four steps, each into the place of the one before."""
    a = np.random.default_rng(0).standard_normal((64, 64)).astype("float16")
    b = np.zeros_like(a)
    report = kc.gpu.check(kc.build(plain(change=change), target=EMULATOR), a, b)
    assert report.ok, str(report)
    np.testing.assert_array_equal(b, 2 * a)
    assert report.barriers == 1 + 4


def test_the_number_of_rows_may_be_known_at_the_call_alone():
    a = np.random.default_rng(0).standard_normal((96, 64)).astype("float16")
    b = np.zeros_like(a)
    report = kc.gpu.check(kc.build(plain(rows=32 * te.var("n")), target=EMULATOR), a, b)
    assert report.ok, str(report)
    np.testing.assert_array_equal(b, 2 * a)


# Refusals --------------------------------------------------------------------------------------


def refused(sch: tir.Schedule) -> str:
    """The refusal of a schedule, without places."""
    with pytest.raises(kc.KCError) as error:
        kc.build(sch, target=EMULATOR)
    lines = str(error.value).splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("-->")) + "\n"


GAP = "lower-tensor-copies: boxes of 32 x 32 of A_shared cannot be copied as a whole"


def test_the_swizzle_of_other_rows():
    assert (
        refused(plain(change=swizzled(32)))
        == f"""\
error[KC4250]: {GAP}
  why: (index0, index1)->(index0, (index1 floordiv 8 xor (index0 floordiv 4) mod 2) * 8 + index1 \
mod 8) is not the swizzle of rows of 64 bytes
  try: transform_layout of A_shared by lambda i0, i1: [i0, (i1 // 8 ^ i0 // 2 % 4) * 8 + i1 % 8]
"""
    )


def test_rows_with_gaps():
    padded = plain(change=lambda sch, shared: sch.storage_align(shared, 0, 0, 64, 16))
    assert (
        refused(padded)
        == f"""\
error[KC4250]: {GAP}
  why: the rows of a box are 64 bytes apart, but the rows of A_shared are 160 bytes apart
  try: swizzle A_shared instead of using storage_align
"""
    )


def test_rows_of_the_array_that_begin_anywhere():
    assert (
        refused(plain(32, wide=36))
        == """\
error[KC4250]: lower-tensor-copies: boxes of 32 x 32 of A cannot be copied as a whole
  why: the stride of dimension 0 of A is 72 bytes, not a multiple of 16
  try: copy by vectorized loops instead of tma_load
"""
    )


def test_copies_whose_number_the_call_says():
    assert (
        refused(plain(32 * te.var("n")))
        == """\
error[KC4249]: plan-tensor-copies: copies to A_shared cannot be counted
  why: the number of iterations of loop j_o is not constant, and the phase of an mbarrier is the \
number of its earlier uses
  try: copy by vectorized loops instead of tma_load
"""
    )


@pytest.mark.parametrize("arch", ["sm_80"])
def test_other_architectures(arch: str):
    product = Copied()
    with pytest.raises(kc.KCError) as error:
        product.schedule(f"cuda -arch={arch}")
    text = str(error.value).splitlines()
    assert text[0] == (
        "error[KC3561]: tensorize: tma_load_64x32_f16_shared needs sm_90, "
        "which the target does not have"
    )
