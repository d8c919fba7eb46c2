"""Products of four warps and copies in bulk in the emulator: their results, and mistakes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import optional_tools
import pytest
from hopper_kernels import (
    DTYPES,
    FENCE,
    SHARED,
    WIDTHS,
    Tile,
    bulk_store,
    image,
    mma,
    pipeline,
    product,
)

import kc
from kc.error import KCError

TARGET = "cuda-emu -arch=sm_90a -ptx=86"
RESULTS = {"f16": "float16", "f32": "float32", "s32": "int32"}


def matrices(kind: str, depth: int, columns: int, kind_b: str = "") -> tuple[Any, Any, Any]:
    """Small integers, whose products and sums are exact in each type, and the product."""
    random = np.random.default_rng(7)
    low = 0 if "u8" in (kind, kind_b) else -2
    a, b = (random.integers(low, 3, (rows, depth)) for rows in (64, columns))
    expected = a @ b.T
    return a.astype(DTYPES[kind]), b.astype(DTYPES[kind_b or kind]), expected


def run(text: str, a: np.ndarray, b: np.ndarray, expected: np.ndarray, result: str) -> Any:
    """Watched; and the same result comes where nobody watches."""
    c = np.zeros(expected.shape, RESULTS[result])
    report = kc.gpu.check(text, a, b, c, target=TARGET, expected=[expected])
    if report.ok:
        plain = np.zeros_like(c)
        kc.build(kc.IRModule.parse(text), target=TARGET)(a, b, plain)
        np.testing.assert_array_equal(plain, c)
    return report


def kinds(report: Any) -> list[str]:
    return list(dict.fromkeys(finding.kind for finding in report.findings))


@pytest.mark.parametrize(
    ("kind", "kind_b", "result", "swizzle", "columns"),
    [
        ("f16", "f16", "f32", 0, 8),
        ("f16", "f16", "f32", 3, 24),
        ("f16", "f16", "f32", 2, 16),
        ("f16", "f16", "f16", 1, 16),
        ("bf16", "bf16", "f32", 1, 40),
        ("tf32", "tf32", "f32", 1, 16),
        ("s8", "u8", "s32", 2, 16),
        ("e4m3", "e5m2", "f32", 3, 8),
    ],
)
def test_types_and_swizzles(kind: str, kind_b: str, result: str, swizzle: int, columns: int):
    depth = 16 * max(WIDTHS[swizzle], 2) // DTYPES[kind].itemsize
    a, b, expected = matrices(kind, depth, columns, kind_b)
    tiles = image(a, swizzle), image(b, swizzle)
    text = product(*tiles, columns, (kind, kind_b, result))
    report = run(text, tiles[0].words, tiles[1].words, expected, result)
    assert report.ok, report


@pytest.mark.parametrize(
    ("swizzle", "across"),
    [
        pytest.param(0, (True, False), marks=pytest.mark.sweep),
        pytest.param(1, (False, True), marks=pytest.mark.sweep),
        (2, (True, True)),
        pytest.param(3, (True, False), marks=pytest.mark.sweep),
        (3, (False, True)),
    ],
)
def test_operands_across(swizzle: int, across: tuple[bool, bool]):
    columns, depth = 64, 32
    a, b, expected = matrices("bf16", depth, columns)
    along = 2  # the swizzle of rows of 64 bytes
    tiles = [
        image(matrix, swizzle if is_across else along, across=is_across)
        for matrix, is_across in zip((a, b), across, strict=True)
    ]
    layouts = ("col" if across[0] else "row", "row" if across[1] else "col")
    text = product(tiles[0], tiles[1], columns, ("bf16", "bf16", "f32"), layouts=layouts)
    report = run(text, tiles[0].words, tiles[1].words, expected, "f32")
    assert report.ok, report


def test_halves_in_integers():
    """Registers of f16 sums may be called i32: two numbers each."""
    a, b, expected = matrices("f16", 64, 8)
    tiles = image(a, 1), image(b, 1)
    text = product(tiles[0], tiles[1], 8, ("f16", "f16", "f16"))
    pairs = "!llvm.struct<(vector<2xf16>, vector<2xf16>)>"
    assert pairs in text
    text = text.replace(pairs, "!llvm.struct<(i32, i32)>")
    for n in range(2):
        old = f"%x{n} = llvm.extractvalue %acc4[{n}] : !llvm.struct<(i32, i32)>"
        assert old in text
        text = text.replace(
            old,
            f"{old.replace('%x', '%word')}\n%x{n} = llvm.bitcast %word{n} : i32 to vector<2xf16>",
        )
    assert run(text, tiles[0].words, tiles[1].words, expected, "f16").ok


def test_registers_that_are_not_emulated():
    a, b, _ = matrices("f16", 64, 8)
    text = product(image(a, 1), image(b, 1), 8, ("f16", "f16", "f16"))
    text = text[: text.index("%warp = ")] + "gpu.return\n}\n}\n}"
    text = text.replace("vector<2xf16>", "f16")
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text), target=TARGET)
    assert caught.value.code == "KC4302"
    assert caught.value.why == (
        "its registers are f16, and hold two such numbers each: vector<2xf16> or i32"
    )


def test_registers_of_two_kinds_of_sums():
    """The representation of a register of a product in flight depends on the type of its sums."""
    a, b, _ = matrices("f16", 64, 16)
    text = product(image(a, 1), image(b, 1), 16, ("f16", "f16", "f16"))
    text = text[: text.index("%warp = ")] + "gpu.return\n}\n}\n}"
    text = text.replace("vector<2xf16>", "i32")
    integers = mma("%more", ("%dA0", "%dB0", "%acc0"), 8, ("s8", "s8", "s32"))
    wait = "nvvm.wgmma.commit.group.sync.aligned"
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text.replace(wait, f"{integers}\n{wait}")), target=TARGET)
    assert caught.value.code == "KC4302"
    assert caught.value.why == (
        "the same registers hold sums of f16 in another product of the kernel"
    )


def test_scales():
    a, b, expected = matrices("f16", 64, 8)
    tiles = image(a, 1), image(b, 1)
    text = product(*tiles, 8, ("f16", "f16", "f32"), scales=("neg", "one"))
    assert run(text, tiles[0].words, tiles[1].words, -expected, "f32").ok


def without(line: str) -> Any:
    def change(lines: list[str]) -> list[str]:
        assert line in lines
        return [kept for kept in lines if kept != line]

    return change


def instead(line: str, replacement: str) -> Any:
    return lambda lines: [replacement if kept == line else kept for kept in lines]


WAIT = "nvvm.wgmma.wait.group.sync.aligned 0"
MISTAKES = {
    "no fence": (without(FENCE), ["missing-fence"]),
    "no barrier": (without("gpu.barrier"), ["race"]),
    "no wait": (without(WAIT), ["missing-wait", "wrong-result"]),
    "a wait too short": (
        instead(WAIT, WAIT.replace("0", "1")),
        ["missing-wait", "wrong-result"],
    ),
    "no commit": (
        without("nvvm.wgmma.commit.group.sync.aligned"),
        ["missing-wait", "wrong-result"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_of_a_product(mistake: str):
    change, expected_kinds = MISTAKES[mistake]
    a, b, expected = matrices("f16", 64, 8)
    tiles = image(a, 1), image(b, 1)
    text = product(*tiles, 8, ("f16", "f16", "f32"), replaced=change)
    report = run(text, tiles[0].words, tiles[1].words, expected, "f32")
    assert kinds(report) == expected_kinds


def test_a_swizzle_on_one_side_only():
    """The image is of rows of 128 bytes that are not swizzled, and the descriptor says they are."""
    a, b, expected = matrices("f16", 64, 8)
    tile = image(a, 1)
    straight = Tile(a.view("int32").ravel(), tile.fields, tile.steps)
    text = product(straight, image(b, 1), 8, ("f16", "f16", "f32"))
    report = run(text, straight.words, image(b, 1).words, expected, "f32")
    assert kinds(report) == ["wrong-result"]


def test_a_tile_that_begins_elsewhere():
    """Without an alignment a tile begins where rows of another place are swizzled otherwise."""
    a, b, expected = matrices("f16", 64, 8)
    tiles = image(a, 1), image(b, 1)
    text = product(*tiles, 8, ("f16", "f16", "f32"), align=None)
    report = run(text, tiles[0].words, tiles[1].words, expected, "f32")
    assert kinds(report) == ["wrong-result"]


def test_tiles_that_begin_at_larger_multiples():
    """The piece of memory begins at a multiple of the largest alignment, and so does each tile."""
    a, b, expected = matrices("f16", 64, 8)
    tiles = image(a, 1), image(b, 1)
    text = product(*tiles, 8, ("f16", "f16", "f32"), align=16384)
    report = run(text, tiles[0].words, tiles[1].words, expected, "f32")
    assert report.ok, report
    lowered = kc.build(kc.IRModule.parse(text), target=TARGET).get_source("mlir")
    constants = dict(re.findall(r"%(\w+) = arith.constant (\d+) : index", lowered))
    assert constants["swizzled"] == "16384"
    assert (constants["shared0_o"], constants["shared1_o"]) == ("0", "16384")


def test_three_warps_make_no_product():
    a, b, expected = matrices("f16", 64, 8)
    tiles = image(a, 1), image(b, 1)
    text = product(*tiles, 8, ("f16", "f16", "f32"), threads=96)
    report = run(text, tiles[0].words, tiles[1].words, expected, "f32")
    assert report.findings[0].kind == "deadlock"
    assert report.findings[0].message == (
        "thread 0 of block 0 waits at a product of matrices for 128 threads, of which 96 have come"
    )


def test_messages():
    a, b, expected = matrices("f16", 64, 8)
    tiles = image(a, 1), image(b, 1)
    text = product(*tiles, 8, ("f16", "f16", "f32"), replaced=without(FENCE))
    first = run(text, tiles[0].words, tiles[1].words, expected, "f32").findings[0].diagnostic()
    first_lines = first.render().splitlines()
    assert first_lines[0] == (
        "error[KC6310]: SA[0] is read by thread 0 of block 0, and was written by thread 0 with no "
        "fence behind it"
    )
    assert first_lines[-1] == (
        "  why: bulk copies and products of four warps see what threads wrote only behind "
        "nvvm.fence.proxy"
    )
    text = product(*tiles, 8, ("f16", "f16", "f32"), replaced=without(WAIT))
    first = run(text, tiles[0].words, tiles[1].words, expected, "f32").findings[0].diagnostic()
    first_lines = first.render().splitlines()
    assert first_lines[0] == (
        "error[KC6311]: a register of a product is read by thread 0 of block 0 before the product "
        "is done"
    )
    assert first_lines[-1] == (
        "  why: products write registers, and bulk copies read and write shared memory, until they "
        "are waited for"
    )


# The pipeline ----------------------------------------------------------------------------------

STEPS, DEPTH, COLUMNS = 5, 64, 16


def ring(**options: Any) -> tuple[str, list[np.ndarray], np.ndarray]:
    a, b, expected = matrices("f16", STEPS * DEPTH, COLUMNS)
    tiles = [
        [image(matrix[:, n * DEPTH : (n + 1) * DEPTH], 1) for n in range(STEPS)]
        for matrix in (a, b)
    ]
    text = pipeline(tiles[0], tiles[1], COLUMNS, **options)
    return text, [np.stack([tile.words for tile in each]) for each in tiles], expected


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_a_ring_of_stages(stages: int):
    text, (a, b), expected = ring(stages=stages)
    report = run(text, a, b, expected, "f32")
    assert report.ok, report


def replace(old: str, new: str) -> Any:
    def change(text: str) -> str:
        assert old in text, old
        return text.replace(old, new)

    return change


RING_MISTAKES = {
    "the consumer waits with a wrong parity": (
        replace("parity %full, %parity", "parity %full, %one"),
        ["race", "missing-wait", "wrong-result"],
    ),
    "the consumer does not wait": (
        replace(
            "nvvm.mbarrier.try_wait.parity %full, %parity, %full_now_t : !llvm.ptr<3>, i32, i32", ""
        ),
        ["race", "missing-wait", "wrong-result"],
    ),
    "the producer does not wait": (
        replace(
            "nvvm.mbarrier.try_wait.parity %empty, %other, %empty_now_t : !llvm.ptr<3>, i32, i32",
            "",
        ),
        ["race", "deadlock", "wrong-result"],
    ),
    "the products are waited for a step too late": (
        replace(WAIT, WAIT.replace("0", "1")),
        ["race", "missing-wait", "wrong-result"],
    ),
    "nobody says that a stage is empty": (
        replace("%before = nvvm.mbarrier.arrive %empty : !llvm.ptr<3> -> i64", ""),
        ["deadlock", "wrong-result"],
    ),
    "fewer bytes are expected than come": (
        replace("%bytes = arith.constant 10240 : i32", "%bytes = arith.constant 8192 : i32"),
        ["race", "deadlock", "wrong-result"],
    ),
    "an mbarrier is not initialised": (
        replace("nvvm.mbarrier.init %full, %one : !llvm.ptr<3>, i32", ""),
        ["uninitialised", "race", "missing-wait", "wrong-result"],
    ),
    "half a copy": (
        replace("%bytesA = arith.constant 8192 : i32", "%bytesA = arith.constant 4100 : i32"),
        ["misaligned", "deadlock", "wrong-result"],
    ),
}


@pytest.mark.parametrize("mistake", RING_MISTAKES)
def test_mistakes_of_a_ring(mistake: str):
    change, expected_kinds = RING_MISTAKES[mistake]
    text, (a, b), expected = ring(replaced=change)
    report = run(text, a, b, expected, "f32")
    assert kinds(report) == expected_kinds


# What goes from shared memory in bulk ----------------------------------------------------------


BULK_WAIT = "nvvm.cp.async.bulk.wait_group 0"
OVERWRITE = f"memref.store %word, %S[%t] : memref<64xi32, {SHARED}>"


def test_copies_to_global_memory():
    text, a, expected = bulk_store()
    assert store_report(text, a, expected).ok


@pytest.mark.parametrize(
    ("change", "expected_kinds"),
    [
        (replace(FENCE, ""), ["missing-fence"]),
        (replace(BULK_WAIT, ""), ["missing-wait", "wrong-result"]),
        (replace(BULK_WAIT, BULK_WAIT + " {read}"), []),  # the end of a kernel waits for the rest
        (replace(BULK_WAIT, f"{OVERWRITE}\n{BULK_WAIT}"), ["race"]),
    ],
)
def test_mistakes_of_copies_to_global_memory(change: Any, expected_kinds: list[str]):
    text, a, expected = bulk_store()
    assert kinds(store_report(change(text), a, expected)) == expected_kinds


def store_report(text: str, a: np.ndarray, expected: np.ndarray) -> Any:
    b = np.zeros_like(a)
    return kc.gpu.check(text, a, b, target=TARGET, expected=[expected])


def test_a_part_of_four_warps_changes_its_registers():
    text, a, _ = bulk_store()
    text = text.replace(FENCE, "scf.if %is_first {\nnvvm.setmaxregister increase 232\n}")
    first = kc.gpu.check(text, a, np.zeros_like(a), target=TARGET).findings[0]
    assert first.message == (
        "thread 0 of block 0 waits at a change of registers, and thread 1 is at another barrier"
    )


@pytest.mark.parametrize(
    ("text", "old", "new", "why"),
    [
        (
            bulk_store()[0],
            "%to, %from, %bytes :",
            "%to, %from, %bytes byte_mask = %mask :",
            "it has a mask of bytes",
        ),
        (
            ring()[0],
            "%full, %bytesA :",
            "%full, %bytesA multicast_mask = %mask :",
            "copies of bytes go to a single block; only copies of boxes go to several",
        ),
    ],
)
def test_copies_that_are_not_emulated(text: str, old: str, new: str, why: str):
    assert old in text
    text = text.replace("%t = gpu", "%mask = arith.constant 3 : i16\n%t = gpu").replace(old, new)
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(text), target="cuda-emu")  # of any architecture
    assert caught.value.code == "KC4302"
    assert caught.value.why == why


def test_ptxas_takes_the_kernels(tmp_path: Path):
    assembler = optional_tools.find("ptxas")
    if assembler is None:
        pytest.skip("ptxas is not installed")
    text, _, _ = ring()
    module = kc.build(kc.IRModule.parse(text), target="cuda -arch=sm_90a")
    file = tmp_path / "ring.ptx"
    file.write_text(module.get_source("ptx"), encoding="utf-8")
    command = [assembler, "-v", "-arch=sm_90a", str(file), "-o", str(file.with_suffix(".cubin"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "0 bytes spill stores" in done.stderr
    assert "C75" not in done.stderr
