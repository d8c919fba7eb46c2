"""Warps of their own that start the copies of a product, and what holds them back."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from optional_tools import find
from test_tensor_copies import Copied, gpu_text, refused
from test_warpgroup_products import EMULATOR, Product, assembled

import kc

Mistake = Callable[[str], str]

PRODUCT = Copied(
    trans=True, size=(128, 8, 96), groups=2, columns=8, depth=16, ahead=True, specialized=True
)
"""Six steps, of which three are under way; 256 threads compute, and 128 copy."""


@cache
def kernel_text() -> str:
    """The kernel and its launch, in the dialects gpu, nvgpu, nvvm, memref, scf and arith."""
    return gpu_text(PRODUCT.schedule())


def findings(text: str) -> tuple[list[str], int]:
    """The findings of a kernel, and its barriers."""
    a, b, expected = PRODUCT.arrays()
    c = np.zeros(expected.shape, "float32")
    report = kc.gpu.check(text, a, b, c, target=EMULATOR, expected=[expected.astype("float32")])
    return [f"{it.kind}: {it.message}" for it in report.findings], report.barriers


def test_the_product_is_that_of_numpy():
    """One barrier, behind the mbarriers that are made."""
    assert findings(kernel_text()) == ([], 1)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "product",
    [
        Copied(size=(64, 128, 160), columns=128, ahead=True, specialized=True),
        Copied("s8", "s32", trans=True, depth=64, size=(64, 32, 512), ahead=True, specialized=True),
        Copied("bf16", depth=64, size=(64, 32, 64), ahead=True, specialized=True),
        Copied(trans=True, size=(64, 32, 32), ahead=True, specialized=True),  # one step
    ],
    ids=str,
)
def test_products_are_those_of_numpy(product: Copied):
    a, b, expected = product.arrays()
    c = np.zeros(expected.shape, "int32" if product.total == "s32" else "float32")
    report = kc.gpu.check(kc.build(product.schedule(), target=EMULATOR), a, b, c)
    assert report.ok, str(report)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-4)


def without(pattern: str) -> Mistake:
    return instead_of(pattern, "")


def instead_of(pattern: str, replacement: str) -> Mistake:
    def change(text: str) -> str:
        wrong, count = re.subn(pattern, replacement, text)
        assert count
        return wrong

    return change


WAIT = r" *nvvm\.mbarrier\.try_wait\.parity (%\w+), (%\w+), (%\w+) .*\n"


def at_wait(number: int, change: Callable[[re.Match[str]], str]) -> Mistake:
    """Change the wait of the producer (0), or of those who compute (1)."""

    def changed(text: str) -> str:
        wait = list(re.finditer(WAIT, text))[number]
        return text[: wait.start()] + change(wait) + text[wait.end() :]

    return changed


def of_the_other_parity(wait: re.Match[str]) -> str:
    return (
        f"%wrong_one = arith.constant 1 : i32\n%wrong = arith.xori {wait[2]}, %wrong_one : i32\n"
        f"nvvm.mbarrier.try_wait.parity {wait[1]}, %wrong, {wait[3]} : !llvm.ptr<3>, i32, i32\n"
    )


GROUP = r"nvvm\.wgmma\.wait\.group\.sync\.aligned "

MISTAKES: dict[str, tuple[Mistake, str]] = {
    "no wait for what is read": (
        at_wait(0, lambda wait: ""),
        "race: A_shared[0] is copied by thread 256 of block 0, whose own copy to it is not done",
    ),
    "the producer waits for the other parity": (
        at_wait(0, of_the_other_parity),
        "deadlock: thread 0 of block 0 waits at an mbarrier for 1 arrivals, of which 0 have come, "
        "and thread 256 is at another mbarrier",
    ),
    "the others wait for the other parity": (
        # They go on before anything is copied, so that there is no copy to race with yet.
        at_wait(1, of_the_other_parity),
        "uninitialised: A_shared[0] is read by thread 0 of block 0, and no thread has written it",
    ),
    "tiles are given back before the product is done": (
        instead_of(f"{GROUP}1", f"{GROUP}2".replace("\\", "")),
        "race: A_shared[0] is copied by thread 256 of block 0, and was read by thread 0",
    ),
    "registers are read before the last product is done": (
        instead_of(f"{GROUP}0", f"{GROUP}1".replace("\\", "")),
        "missing-wait: a register of a product is read by thread 0 of block 0 before the product "
        "is done",
    ),
    "tiles are never given back": (
        without(r" *%\w+ = nvvm\.mbarrier\.arrive %\w+ : .*\n"),
        "deadlock: thread 0 of block 0 waits at an mbarrier for 1 arrivals, of which 0 have come, "
        "and thread 256 is at another mbarrier",
    ),
    "one warp too few gives them back": (
        instead_of(r"arith\.constant 8 : i32", "arith.constant 7 : i32"),
        "race: A_shared[1792] is copied by thread 256 of block 0, and was read by thread 224",
    ),
    "one warp gives up registers": (
        lambda text: at_wait(0, lambda wait: "nvvm.setmaxregister decrease 40\n" + wait[0])(
            without(r" *nvvm\.setmaxregister decrease 40\n")(text)
        ),
        "deadlock: thread 0 of block 0 waits at an mbarrier for 1 arrivals, of which 0 have come, "
        "and thread 256 is at another change of registers",
    ),
}
EVERY_RUN = ("no wait for what is read", "tiles are given back before the product is done")


@pytest.mark.parametrize(
    "mistake",
    [it if it in EVERY_RUN else pytest.param(it, marks=pytest.mark.sweep) for it in MISTAKES],
)
def test_mistakes_are_found(mistake: str):
    change, finding = MISTAKES[mistake]
    assert findings(change(kernel_text()))[0][0] == finding


@pytest.mark.skipif(find("ptxas") is None, reason="needs ptxas")
@pytest.mark.parametrize("columns", [64, pytest.param(256, marks=pytest.mark.sweep)])
def test_ptxas_takes_it_without_spills(columns: int, tmp_path: Any):
    """No spills, and no C7508, C7510 or C7517; one barrier, and one product always under way."""
    product = Copied(
        trans=True,
        size=(4096, 4096, 4096),
        groups=2,
        columns=columns,
        depth=64,
        ahead=True,
        specialized=True,
    )
    text = assembled(product, tmp_path)
    assert text.count("bar.sync") == 1
    assert re.findall(r"setmaxnreg.*", text) == [
        "setmaxnreg.dec.sync.aligned.u32 \t40;",
        "setmaxnreg.inc.sync.aligned.u32 \t232;",
    ]
    assert [
        int(number) for number in re.findall(r"wgmma.wait_group.sync.aligned\s+(\d)", text)
    ] in (
        [1, 0],
        [1, 1, 0],  # the first step stands in front of the loop
    )


def test_tiles_that_threads_copy():
    assert (
        refused(Product(ahead=True, specialized=True).schedule())
        == """\
error[KC4251]: inject-software-pipeline: separate warps cannot do the copies of loop k_o
  why: nothing is copied by tma_load; one thread must start copies of whole tiles for the warps \
that compute
  try: tensorize the copies of tiles in an asynchronous stage by tma_load_..._shared
  try: remove software_pipeline_warp_specialize
"""
    )


def test_what_is_neither_true_nor_false():
    sch = PRODUCT.schedule()
    loop = sch.get_loops("A_shared_o")[-1]
    sch.unannotate(loop, "software_pipeline_warp_specialize")
    sch.annotate(loop, "software_pipeline_warp_specialize", "yes")
    assert (
        refused(sch)
        == """\
error[KC4232]: plan-software-pipeline: software_pipeline_warp_specialize of loop k_o is "yes"
  why: it is true or false
"""
    )
