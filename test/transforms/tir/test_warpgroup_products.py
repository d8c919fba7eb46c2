"""Products by four warps together (``wgmma``) that ``tensorize`` puts in the place of loops."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from optional_tools import find

import kc
from kc import te, tir
from kc.conversion.pipelines import TO_EMULATOR
from kc.dialects.nvvm import FragmentAttr
from kc.support.registry import context, get_pass
from kc.target import Target

EMULATOR = "cuda-emu -arch=sm_90a"
CUDA = "cuda -arch=sm_90a"
DTYPES = {"f16": "float16", "bf16": "bfloat16", "s8": "int8", "f32": "float32", "s32": "int32"}
NUMPY = {"bfloat16": ml_dtypes.bfloat16}


def swizzle(row: int, size: int) -> Callable[..., list[Any]]:
    """Pieces of 16 bytes of a row of ``row`` bytes as ``wgmma`` finds them."""
    each, pieces, repeat = 16 // size, row // 16, 128 // row

    def map_(*index: Any) -> list[Any]:
        *outer, i, j = index
        return [*outer, i, (j // each ^ i // repeat % pieces) * each + j % each]

    return map_


@dataclass(frozen=True)
class Product:
    """C = A * B; ``trans``: B is stored by columns."""

    element: str = "f16"
    total: str = "f32"
    trans: bool = False
    size: tuple[int, int, int] = (64, 32, 64)
    """m, n and k of the whole product."""
    groups: int = 1
    """The number of groups of four warps in a block, each with 64 rows."""
    columns: int = 32
    """... and the columns of all of them."""
    depth: int = 32
    ahead: bool = False
    """Tiles are copied two steps ahead."""
    specialized: bool = False
    """... by warps of their own."""
    lanes: int = 128
    swizzled: bool = True
    rows_apart: int = 0
    """Another swizzle: that of rows of so many bytes."""

    @property
    def bytes(self) -> int:
        return 1 if self.element == "s8" else 2

    @property
    def spelled(self) -> str:
        return f"m64n{self.columns}k{32 // self.bytes}"

    def tensors(self) -> list[te.Tensor]:
        m, n, depth = self.size
        dtype, total = DTYPES[self.element], DTYPES[self.total]
        A = te.placeholder((m, depth), dtype, name="A")
        B = te.placeholder((n, depth) if self.trans else (depth, n), dtype, name="B")
        k = te.reduce_axis((0, depth), name="k")

        def product(i: Any, j: Any) -> Any:
            a, b = A[i, k], B[j, k] if self.trans else B[k, j]
            if dtype != total:
                a, b = a.astype(total), b.astype(total)
            return te.sum(a * b, axis=k)

        return [A, B, te.compute((m, n), product, name="C")]

    def schedule(self, target: str = EMULATOR) -> tir.Schedule:
        sch = tir.Schedule(te.create_prim_func(self.tensors()), target=target)
        C = sch.get_block("C")
        i, j, k = sch.get_loops(C)
        by, group, i = sch.split(i, [None, self.groups, 64])
        bx, j = sch.split(j, [None, self.columns])
        ko, k = sch.split(k, [None, self.depth])
        sch.reorder(by, bx, group, ko, i, j, k)
        for loop, axis in ((by, "blockIdx.y"), (bx, "blockIdx.x"), (group, "threadIdx.y")):
            sch.bind(loop, axis)
        sums = sch.cache_write(C, 0, f"{self.spelled}.matrixC")
        sch.reverse_compute_at(sums, group)
        for operand in (0, 1):
            self._copy(sch, C, operand, ko)
        sch.decompose_reduction(C, ko)
        sch.tensorize(sch.get_loops("C_init")[-2], f"wgmma_fill_{self.spelled}_{self.total}")
        count = self.depth * self.bytes // 32
        types = f"{self.element}{self.element}{self.total}{'_trans' if self.trans else ''}"
        times = f"x{count}" if count > 1 else ""
        sch.tensorize(i, f"wgmma_sync_{self.spelled}{times}_{types}")
        rows = sch.get_loops(sums)[-2]
        sch.tensorize(rows, f"wgmma_store_{self.spelled}_{self.total}_global")
        if self.ahead:
            sch.annotate(ko, "software_pipeline_stage", [0, 0, 2])
            sch.annotate(ko, "software_pipeline_async_stages", [0])
        if self.specialized:
            sch.annotate(ko, "software_pipeline_warp_specialize", True)
        return sch

    def _copy(self, sch: tir.Schedule, C: tir.BlockRV, operand: int, ko: tir.LoopRV) -> None:
        """Rows of A and B, or panels of 64 columns of B, in swizzled shared memory."""
        shared = sch.cache_read(C, operand, "shared")
        sch.compute_at(shared, ko)
        row = self.depth
        if operand == 1 and not self.trans:
            row = min(self.columns, 64)
            if self.columns > 64:
                sch.transform_layout(shared, 0, lambda k, j: [j // 64, k, j % 64])
        if self.swizzled:
            width = self.rows_apart or row * self.bytes
            sch.transform_layout(shared, 0, swizzle(width, self.bytes))
        copied = sch.fuse(*sch.get_loops(shared)[-2:])
        each = 16 // self.bytes
        _, group, lane, part = sch.split(copied, [None, self.groups, self.lanes, each])
        sch.bind(group, "threadIdx.y")
        sch.bind(lane, "threadIdx.x")
        sch.vectorize(part)

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A, B and the product, in double."""
        m, n, depth = self.size
        r = np.random.default_rng(0)

        def array(*shape: int) -> np.ndarray:
            if self.element == "s8":
                return r.integers(-128, 128, shape).astype("int8")
            dtype = DTYPES[self.element]
            return r.standard_normal(shape).astype(NUMPY.get(dtype, dtype))

        a, b = array(m, depth), array(n, depth) if self.trans else array(depth, n)
        right = b.T if self.trans else b
        return a, b, a.astype("float64") @ right.astype("float64")


PRODUCTS = [
    Product(),
    Product(trans=True, size=(128, 32, 128), groups=2, columns=16, ahead=True),
    Product("s8", "s32", trans=True, depth=64),
]
SWEEP = [
    Product(size=(64, 128, 64), columns=128),  # two panels of B
    Product(depth=16),
    Product(depth=64),
    Product(total="f16", trans=True),
    Product("bf16", columns=16),
    Product("bf16", trans=True, columns=8),
    Product(size=(128, 64, 256), groups=2, columns=64, depth=64, ahead=True),
    Product(trans=True, size=(64, 96, 64), columns=96, depth=64),
    Product("s8", "s32", trans=True, depth=32),
    Product("s8", "s32", trans=True, depth=128, size=(64, 32, 256)),
    Product(size=(64, 256, 64), columns=256),
]


@pytest.mark.parametrize(
    "product", [*PRODUCTS, *(pytest.param(it, marks=pytest.mark.sweep) for it in SWEEP)], ids=str
)
def test_products_are_those_of_numpy(product: Product):
    a, b, expected = product.arrays()
    c = np.zeros(expected.shape, DTYPES[product.total])
    report = kc.gpu.check(kc.build(product.schedule(), target=EMULATOR), a, b, c)
    assert report.ok, str(report)
    tolerance = {"f16": 2e-2, "f32": 1e-5, "s32": 0}[product.total]
    np.testing.assert_allclose(c, expected, rtol=tolerance, atol=10 * tolerance)
    assert sum(site.bank_conflicts for site in report.sites if site.access == "written") == 0


def assembled(product: Product, folder: Path) -> str:
    """The PTX of a product, as :func:`assembled_schedule` has it."""
    return assembled_schedule(product.schedule(CUDA), folder)


def assembled_schedule(schedule: tir.Schedule, folder: Path) -> str:
    """The PTX of a product, which ptxas takes without spills, and without saying that products
    wait for each other (C7508, C7510, C7517)."""
    code = folder / "kernel.ptx"
    text = kc.build(schedule, target=CUDA).imported_modules[0].get_source()
    code.write_text(text)
    said = subprocess.run(
        [str(find("ptxas")), "-arch=sm_90a", "-v", "-o", str(folder / "kernel"), str(code)],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    assert "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" in said
    assert not re.findall(r"C75\d\d", said)
    return text


@pytest.mark.skipif(find("ptxas") is None, reason="needs ptxas")
@pytest.mark.parametrize("trans", [pytest.param(False, marks=pytest.mark.sweep), True])
def test_ptxas_leaves_products_asynchronous(trans: bool, tmp_path: Any):
    """No spills, and no C7508, C7510 or C7517: products that wait for each other."""
    product = Product(
        trans=trans, size=(4096, 4096, 4096), groups=2, columns=256, depth=64, ahead=True
    )
    text = assembled(product, tmp_path)
    # The shared memory of a block begins where descriptors can say.
    assert ".extern .shared .align 1024 .b8 kc_dynamic_shared[];" in text
    assert text.count("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16") % 4 == 0
    # One fence before each barrier behind which a product is.
    assert text.count("fence.proxy.async") == text.count("bar.sync")


@pytest.mark.parametrize(
    "fragment",
    [FragmentAttr("wgmma", (64, n, 16), "c", type_) for n, type_ in ((8, "f32"), (24, "f16"))],
    ids=str,
)
def test_lanes_have_the_elements_that_ptx_says(fragment: FragmentAttr):
    """By the formulas of PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16", D."""
    map_ = fragment.lane_map()
    assert map_ is not None
    numbers = range(fragment.words * fragment.each)
    seen = set()
    for lane in range(128):
        for i in numbers:
            row = lane // 32 * 16 + lane % 32 // 4 + (8 if i % 4 >= 2 else 0)
            column = i // 4 * 8 + lane % 4 * 2 + i % 2
            assert map_.eval([lane, i], []) == (row, column)
            seen.add((row, column))
    assert len(seen) == 64 * fragment.shape[1]


# Mistakes --------------------------------------------------------------------------------------


@cache
def kernel_text(product: Product) -> str:
    """The kernel and its launch, in the dialects gpu, nvvm, memref, scf and arith."""
    with Target(EMULATOR):
        module = kc.lower(product.schedule())
        for entry in TO_EMULATOR[: TO_EMULATOR.index("gpu-serialize-threads")]:
            if isinstance(entry, str):
                get_pass(entry).apply(context(), module.op)
    return str(module)


FENCE = re.compile(r" *nvvm\.fence\.proxy .*\n")
WAIT = re.compile(r" *nvvm\.wgmma\.wait\.group.*\n")
BARRIER = re.compile(r" *gpu\.barrier\n")
ALIGNED = re.compile(r" \{llvm\.align = 1024 : i64\}")


@pytest.mark.parametrize(
    ("mistake", "kinds"),
    [
        (FENCE, {"missing-fence"}),
        (WAIT, {"missing-wait"}),
        (BARRIER, {"race"}),
        (ALIGNED, {"wrong-result"}),
    ],
)
def test_mistakes_are_found(mistake: re.Pattern[str], kinds: set[str]):
    """In the kernel of the first test, which is right."""
    product = Product()
    text, count = mistake.subn("", kernel_text(product))
    assert count
    a, b, expected = product.arrays()
    c = np.zeros(expected.shape, "float32")
    report = kc.gpu.check(text, a, b, c, target=EMULATOR, expected=[expected.astype("float32")])
    assert {finding.kind for finding in report.findings} & kinds, str(report)


def refused(product: Product, target: str = EMULATOR) -> str:
    """The refusal of a schedule, without places."""
    with pytest.raises(kc.KCError) as error:
        kc.build(product.schedule(target), target=target)
    lines = str(error.value).splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("-->")) + "\n"


def test_rows_that_are_not_swizzled():
    assert (
        refused(Product(swizzled=False))
        == """\
error[KC4248]: lower-fragments: A_shared is not laid out as \
wgmma_sync_m64n32k16x2_f16f16f32 reads it
   |  four warps read rows of 32, 64 or 128 bytes, eight after eight, each swizzled
  why: its rows of 64 bytes are not swizzled
  try: transform_layout of A_shared by lambda i0, i1: [i0, (i1 // 8 ^ i0 // 2 % 4) * 8 + i1 % 8]
"""
    )


def test_the_swizzle_of_other_rows():
    assert (
        refused(Product(rows_apart=32))
        == """\
error[KC4248]: lower-fragments: A_shared is not laid out as \
wgmma_sync_m64n32k16x2_f16f16f32 reads it
   |  four warps read rows of 32, 64 or 128 bytes, eight after eight, each swizzled
  why: (index0, index1)->(index0, (index1 floordiv 8 xor (index0 floordiv 4) mod 2) * 8 + index1 \
mod 8) is not the swizzle of rows of 64 bytes
  try: transform_layout of A_shared by lambda i0, i1: [i0, (i1 // 8 ^ i0 // 2 % 4) * 8 + i1 % 8]
"""
    )


def test_too_few_lanes():
    assert (
        refused(Product(lanes=64))
        == """\
error[KC4243]: lower-fragments: wgmma_fill_m64n32k16_f32 is not executed by whole warps
  why: there are 64 threads along threadIdx.x, and 4 warps are 128 threads
  try: bind a loop of 128 iterations to "threadIdx.x" where tiles are copied
"""
    )


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100a"])
def test_other_architectures(arch: str):
    text = refused(Product(), f"cuda -arch={arch}").splitlines()
    assert text[0] == (
        "error[KC3561]: tensorize: wgmma_fill_m64n32k16_f32 needs sm_90a, "
        "which the target does not have"
    )
    assert text[-1] == '  try: Target("cuda -arch=sm_90a")'
