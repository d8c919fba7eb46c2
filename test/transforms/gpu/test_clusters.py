"""Clusters: blocks that copy for each other (multicast), and what the emulator says of mistakes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional_tools import find
from test_tensor_copies import Copied, gpu_text
from test_warpgroup_products import CUDA, EMULATOR, assembled_schedule

import kc
from kc import tir

PRODUCT = Copied(trans=True, size=(128, 16, 64), columns=16, depth=16, ahead=True, specialized=True)


def clustered(product: Copied, dim: Any = 2, loop: int = 0, target: str = EMULATOR) -> tir.Schedule:
    """Blocks below each other (loop 0) copy B for each other, or those beside each other A."""
    sch = product.schedule(target=target)
    sch.annotate(sch.get_loops(sch.get_block("C_o"))[loop], "cluster_dim", dim)
    return sch


@cache
def kernel_text() -> str:
    return gpu_text(clustered(PRODUCT))


def findings(text: str, product: Copied = PRODUCT) -> list[str]:
    """The findings of a run whose result is compared with numpy's."""
    a, b, expected = product.arrays()
    c = np.zeros(expected.shape, "float32")
    wanted = [expected.astype("float32")]
    report = kc.gpu.check(text, a, b, c, target=EMULATOR, expected=wanted, rtol=1e-4, atol=1e-3)
    return [f"{it.kind}: {it.message}" for it in report.findings]


def test_each_block_copies_half_of_b_for_both():
    text = kernel_text()
    assert "nvvm.cluster_dim = array<i32: 1, 2, 1>" in text
    assert len(re.findall("multicast_mask", text)) == 1
    assert len(re.findall(r"nvvm\.mbarrier\.arrive .* : !llvm\.ptr<7>", text)) == 4
    assert findings(text) == []


SQUARE = Copied(trans=True, size=(128, 32, 64), columns=16, depth=16, ahead=True, specialized=True)


def square(product: Copied, dims: tuple[int, int] = (2, 2), target: str = EMULATOR) -> tir.Schedule:
    """Blocks below each other copy B for each other, and those beside each other A."""
    sch = clustered(product, dims[0], 0, target)
    sch.annotate(sch.get_loops(sch.get_block("C_o"))[1], "cluster_dim", dims[1])
    return sch


def test_blocks_along_both_axes_copy_for_each_other():
    """Each warp arrives in its own block and two others: beside and below."""
    text = gpu_text(square(SQUARE))
    assert "nvvm.cluster_dim = array<i32: 2, 2, 1>" in text
    assert len(re.findall("multicast_mask", text)) == 2
    assert len(re.findall(r"nvvm\.mbarrier\.arrive .* : !llvm\.ptr<7>", text)) == 6
    assert findings(text, SQUARE) == []


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("pattern", "replacement", "finding"),
    [
        (
            r"arith\.shli (%\w+), %\w+ : i16",
            r"arith.andi \1, \1 : i16",
            "race: B_shared[0] is copied by thread 128 of block 1, and was copied by thread 128 of "
            "block 0",
        ),
        ("arith.constant 12 : i32", "arith.constant 8 : i32", "race: "),
    ],
    ids=["the blocks of the first row or column", "arrivals of two blocks"],
)
def test_mistakes_along_both_axes_are_found(pattern: str, replacement: str, finding: str):
    text, count = re.subn(pattern, replacement, gpu_text(square(SQUARE)))
    assert count == 2 if "shli" in pattern else count >= 1
    first, *_ = findings(text, SQUARE)
    assert first.startswith(finding)


@pytest.mark.sweep
@pytest.mark.skipif(find("ptxas") is None, reason="needs ptxas")
def test_ptxas_takes_clusters_along_both_axes(tmp_path: Path):
    product = Copied(
        trans=True, size=(4096, 4096, 4096), groups=2, columns=128, depth=64, ahead=True,
        specialized=True,
    )  # fmt: skip
    text = assembled_schedule(square(product, target=CUDA), tmp_path)
    assert ".reqnctapercluster 2, 2, 1" in text
    copies = [line for line in text.splitlines() if "cp.async.bulk.tensor" in line]
    assert copies
    assert all("multicast::cluster" in line for line in copies)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("size", "columns", "dims"),
    [
        ((256, 64, 96), 32, (2, 2)),
        ((128, 64, 64), 16, (2, 4)),
        ((256, 32, 64), 16, (4, 2)),
        ((128, 32, 80), 16, (1, 2)),
        ((128, 16, 64), 8, (2, 2)),  # B has too few rows for parts, A has enough
    ],
)
def test_products_of_clusters_along_both_axes(
    size: tuple[int, int, int], columns: int, dims: tuple[int, int]
):
    product = Copied(trans=True, size=size, columns=columns, depth=16, ahead=True, specialized=True)
    assert findings(gpu_text(square(product, dims)), product) == []


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("product", "dim", "loop"),
    [
        (
            Copied(
                trans=True, size=(64, 64, 48), columns=32, depth=16, ahead=True, specialized=True
            ),
            2,
            1,
        ),
        (Copied(size=(256, 32, 96), columns=32, depth=32, ahead=True, specialized=True), 4, 0),
        (Copied(size=(128, 16, 48), columns=16, depth=16, ahead=True), 2, 0),  # no producers
        # Parts of fewer than eight rows are none.
        (
            Copied(
                trans=True, size=(256, 8, 48), columns=8, depth=16, ahead=True, specialized=True
            ),
            4,
            0,
        ),
    ],
    ids=str,
)
def test_products_are_those_of_numpy(product: Copied, dim: int, loop: int):
    assert findings(gpu_text(clustered(product, dim, loop)), product) == []


def change(pattern: str, replacement: str, number: int = 0) -> Callable[[str], str]:
    def changed(text: str) -> str:
        place = list(re.finditer(pattern, text))[number]
        return text[: place.start()] + replacement + text[place.end() :]

    return changed


TOGETHER = r" *nvvm\.cluster\.arrive\n *nvvm\.cluster\.wait\n"
MISTAKES: dict[str, tuple[Callable[[str], str], str]] = {
    "a mask without the other block": (
        change("arith.constant 3 : i16", "arith.constant 1 : i16"),
        "deadlock: thread 0 of block 0 waits at an mbarrier for 1 arrivals, of which 0 have come, "
        "and thread 128 is at another mbarrier",
    ),
    "a mask with a block that there is not": (
        change("arith.constant 3 : i16", "arith.constant 7 : i16"),
        "out-of-bounds: B_shared is copied by thread 128 of block 0 outside of its bounds",
    ),
    "a barrier of each block for its own": (
        change(TOGETHER, "gpu.barrier\n"),
        "race: the mbarrier at A_shared_full[0] is used by thread 128 of block 0, and was "
        "initialised by thread 0 of block 1",
    ),
    "no wait at the end": (
        change(r" *nvvm\.cluster\.wait\n", "", 1),
        "missing-wait: the mbarrier at A_shared_empty is used by thread 0 of block 1 in a block "
        "that has ended",
    ),
    "arrivals of one block": (
        change("arith.constant 8 : i32", "arith.constant 4 : i32"),
        "race: B_shared[0] is copied by thread 128 of block 0, and was read by thread 96 of "
        "block 1",
    ),
}
EVERY_RUN = ("no wait at the end",)


@pytest.mark.parametrize(
    "mistake",
    [it if it in EVERY_RUN else pytest.param(it, marks=pytest.mark.sweep) for it in MISTAKES],
)
def test_mistakes_are_found(mistake: str):
    wrong, finding = MISTAKES[mistake]
    assert findings(wrong(kernel_text()))[0] == finding


@pytest.mark.skipif(find("ptxas") is None, reason="needs ptxas")
@pytest.mark.sweep
def test_ptxas_takes_it_without_spills(tmp_path: Path):
    product = Copied(
        trans=True,
        size=(4096, 4096, 4096),
        groups=2,
        columns=256,
        depth=64,
        ahead=True,
        specialized=True,
    )
    text = assembled_schedule(clustered(product, target=CUDA), tmp_path)
    assert ".reqnctapercluster 1, 2, 1" in text
    assert "multicast::cluster" in text
    assert text.count("barrier.cluster.wait") == 2


def refused(sch: tir.Schedule, target: str = EMULATOR) -> str:
    with pytest.raises(kc.KCError) as error:
        kc.build(sch, target=target)
    lines = str(error.value).splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("-->"))


@pytest.mark.parametrize(
    ("dim", "loop", "why", "hint"),
    [
        (
            3,
            0,
            "there are 2 blocks along blockIdx.y, no multiple of 3",
            "split the loop by the number of blocks of a cluster, and bind the fusion of both "
            "parts",
        ),
        (16, 0, "it is 16, but a cluster has 1 to 8 blocks", None),
        (2, 2, "the loop is bound to threadIdx.y, but a cluster consists of blocks", None),
    ],
)
def test_what_is_no_cluster(dim: int, loop: int, why: str, hint: str | None):
    hint = hint or 'sch.annotate(loop, "cluster_dim", 2), of a loop that is bound to blockIdx.x'
    sch = clustered(PRODUCT, dim, loop)
    name = ("i_0", "j_o", "i_1")[loop]
    assert refused(sch) == (
        f"error[KC4252]: lower-tensor-copies: cluster_dim of loop {name} cannot form clusters\n"
        f"  why: {why}\n  try: {hint}"
    )


def test_a_cluster_of_too_many_blocks():
    product = Copied(
        trans=True, size=(256, 64, 64), columns=16, depth=16, ahead=True, specialized=True
    )
    assert refused(square(product, (4, 4))) == (
        "error[KC4252]: lower-tensor-copies: cluster_dim of loop j_o cannot form clusters\n"
        "  why: a cluster would have 16 blocks over all axes, at most 8 are allowed\n"
        "  try: use fewer blocks along an axis: their product is the size of a cluster"
    )
