"""The intrinsics of CPUs for products of narrow types, in products of matrices: what they compute,
the instructions that they become, and that packed operands are loaded as registers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.target import Target

DEPTH = 16


@dataclass(frozen=True)
class Kind:
    """An intrinsic that makes ``rows`` x ``lanes`` sums of ``step`` products."""

    a: str
    b: str
    rows: int
    lanes: int
    step: int
    target: str
    feature: str
    instruction: str

    @property
    def sums(self) -> str:
        return "float32" if "float" in self.a else "int32"


SAPPHIRE_RAPIDS = "llvm -mcpu=sapphirerapids"
NEOVERSE = "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-v2"
SKYLAKE = "llvm -mcpu=skylake-avx512"
NAMES = {"u8": "uint8", "i8": "int8"}
KINDS = {
    "avx512_vnni_dot_16x4": Kind(
        "uint8", "int8", 1, 16, 4, "llvm -mcpu=cascadelake", "avx512vnni", r"vpdpbusd\s.*%zmm"
    ),
    "avx_vnni_dot_8x4": Kind(
        "uint8", "int8", 1, 8, 4, "llvm -mcpu=alderlake", "avxvnni", r"vpdpbusd\s.*%ymm"
    ),
    "avx512_bf16_dot_16x2": Kind(
        "bfloat16", "bfloat16", 1, 16, 2, SAPPHIRE_RAPIDS, "avx512bf16", r"vdpbf16ps\s.*%zmm"
    ),
    "avx10_f16_dot_16x2": Kind(
        "float16", "float16", 1, 16, 2, "llvm -mcpu=diamondrapids", "avx10.2", r"vdpphps\s.*%zmm"
    ),
    "avx512_vnni_dot_16x4_i8u8": Kind(
        "int8", "uint8", 1, 16, 4, "llvm -mcpu=cascadelake", "avx512vnni", r"vpdpbusd\s.*%zmm"
    ),
    "avx_vnni_dot_8x4_i8u8": Kind(
        "int8", "uint8", 1, 8, 4, "llvm -mcpu=alderlake", "avxvnni", r"vpdpbusd\s.*%ymm"
    ),
    **{
        f"avx512_madd_dot_16x2_{a}{b}": Kind(
            NAMES[a], NAMES[b], 1, 16, 2, SKYLAKE, "avx512bw", r"vpmaddwd\s.*%zmm"
        )
        for a in NAMES
        for b in NAMES
    },
    **{
        f"avx2_madd_dot_8x2_{a}{b}": Kind(
            NAMES[a], NAMES[b], 1, 8, 2, "llvm -mcpu=haswell", "avx2", r"vpmaddwd\s.*%ymm"
        )
        for a in NAMES
        for b in NAMES
    },
    "avx512_vnni_dot_16x2_i16": Kind(
        "int16", "int16", 1, 16, 2, "llvm -mcpu=cascadelake", "avx512vnni", r"vpdpwssd\s.*%zmm"
    ),
    "avx_vnni_dot_8x2_i16": Kind(
        "int16", "int16", 1, 8, 2, "llvm -mcpu=alderlake", "avxvnni", r"vpdpwssd\s.*%ymm"
    ),
    "avx512_madd_dot_16x2_i16": Kind(
        "int16", "int16", 1, 16, 2, SKYLAKE, "avx512bw", r"vpmaddwd\s.*%zmm"
    ),
    "avx2_madd_dot_8x2_i16": Kind(
        "int16", "int16", 1, 8, 2, "llvm -mcpu=haswell", "avx2", r"vpmaddwd\s.*%ymm"
    ),
    **{
        f"{name}_{sign}{sign}": Kind(
            NAMES[sign], NAMES[sign], 1, lanes, 4, target, feature, rf"{instruction}\s.*%{register}"
        )
        for name, lanes, target, feature, register in (
            ("avx10_dot_16x4", 16, "llvm -mcpu=diamondrapids", "avx10.2", "zmm"),
            ("avx_vnni_int8_dot_8x4", 8, "llvm -mcpu=sierraforest", "avxvnniint8", "ymm"),
        )
        for sign, instruction in (("i8", "vpdpbssd"), ("u8", "vpdpbuud"))
    },
    "neon_sdot_4x4": Kind("int8", "int8", 1, 4, 4, NEOVERSE, "dotprod", r"\bsdot\s+v"),
    "neon_udot_4x4": Kind("uint8", "uint8", 1, 4, 4, NEOVERSE, "dotprod", r"\budot\s+v"),
    "neon_usdot_4x4": Kind("uint8", "int8", 1, 4, 4, NEOVERSE, "i8mm", r"\busdot\s+v"),
    "neon_bfdot_4x2": Kind("bfloat16", "bfloat16", 1, 4, 2, NEOVERSE, "bf16", r"\bbfdot\s+v"),
    "neon_smmla_2x2x8": Kind("int8", "int8", 2, 2, 8, NEOVERSE, "i8mm", r"\bsmmla\s+v"),
    "neon_ummla_2x2x8": Kind("uint8", "uint8", 2, 2, 8, NEOVERSE, "i8mm", r"\bummla\s+v"),
}


def scheduled(name: str, *, packed: bool, target: Target) -> tir.Schedule:
    """A product of 4 rows by two tiles of columns, B packed for the intrinsic or row by row."""
    kind = KINDS[name]
    columns = 2 * kind.lanes
    A = te.placeholder((4, DEPTH), kind.a, name="A")
    k = te.reduce_axis((0, DEPTH), name="k")
    if packed:
        shape = (2, DEPTH // kind.step, kind.lanes, kind.step)
    else:
        shape = (columns, DEPTH)
    B = te.placeholder(shape, kind.b, name="B")

    def element(j: Any, k: Any) -> Any:
        if not packed:
            return B[j, k]
        tile, part = te.indexdiv(j, kind.lanes), te.indexdiv(k, kind.step)
        return B[tile, part, te.indexmod(j, kind.lanes), te.indexmod(k, kind.step)]

    C = te.compute(
        (4, columns),
        lambda i, j: te.sum(A[i, k].astype(kind.sums) * element(j, k).astype(kind.sums), axis=k),
        name="C",
    )
    sch = tir.Schedule(te.create_prim_func([A, B, C]), target=target)
    row, column, depth = sch.get_loops("C")
    i_o, i_i = sch.split(row, [None, kind.rows])
    j_o, j_i = sch.split(column, [None, kind.lanes])
    k_o, k_i = sch.split(depth, [None, kind.step])
    sch.reorder(i_o, j_o, k_o, i_i, j_i, k_i)
    sch.decompose_reduction("C", k_o)
    sch.tensorize(j_i if kind.rows == 1 else i_i, name)
    return sch


def arrays(name: str, *, packed: bool) -> tuple[list[np.ndarray], np.ndarray]:
    """A, B and an array for C, and what C is to be."""
    kind, generator = KINDS[name], np.random.default_rng(1)

    def values(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
        if "float" in dtype:  # small numbers of eights: sums of products are exact
            kind = np.float16 if dtype == "float16" else ml_dtypes.bfloat16
            return (generator.integers(-32, 32, shape) / 8).astype(kind)
        info = np.iinfo(dtype)
        return generator.integers(info.min, info.max + 1, shape).astype(dtype)

    a, b = values(kind.a, (4, DEPTH)), values(kind.b, (2 * kind.lanes, DEPTH))
    expected = a.astype(kind.sums) @ b.astype(kind.sums).T
    if packed:
        tiles = b.reshape(2, kind.lanes, DEPTH // kind.step, kind.step)
        b = np.ascontiguousarray(tiles.transpose(0, 2, 1, 3))
    return [a, b, np.zeros_like(expected)], expected


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "rows"])
@pytest.mark.parametrize("name", KINDS)
def test_product(name: str, packed: bool):
    sch = scheduled(name, packed=packed, target=Target(KINDS[name].target))
    args, expected = arrays(name, packed=packed)
    run(sch.module, "main", args)
    np.testing.assert_array_equal(args[2], expected)


@pytest.mark.parametrize("name", KINDS)
def test_assembly(name: str):
    kind = KINDS[name]
    target = Target(kind.target)
    assert target.has_feature(kind.feature)
    sch = scheduled(name, packed=True, target=target)
    assembly = kc.build(sch.mod, target=target).get_source("asm")
    assert re.search(kind.instruction, assembly)
    # Put together lane by lane, an operand takes one of these for each row.
    by_lanes = re.findall(
        r"\bv?pinsr[bwd]\b|\bvmovd\b|\bvpermt2d\b|\bins\s+v|\bld1\s.*\[", assembly
    )
    assert not by_lanes


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "rows"])
@pytest.mark.parametrize("name", KINDS)
def test_on_this_machine(name: str, packed: bool):
    host = Target.host_cpu()
    if not host.has_feature(KINDS[name].feature):
        pytest.skip(f"this CPU has no {KINDS[name].feature}")
    args, expected = arrays(name, packed=packed)
    kc.build(scheduled(name, packed=packed, target=host).mod, target=host)(*args)
    np.testing.assert_array_equal(args[2], expected)


TILES = {
    "amx_dot_16x16x64_u8i8": ("uint8", "int8", "amx-int8", "tdpbusd"),
    "amx_dot_16x16x64_i8u8": ("int8", "uint8", "amx-int8", "tdpbsud"),
    "amx_dot_16x16x64_i8i8": ("int8", "int8", "amx-int8", "tdpbssd"),
    "amx_dot_16x16x64_u8u8": ("uint8", "uint8", "amx-int8", "tdpbuud"),
    "amx_dot_16x16x32_bf16": ("bfloat16", "bfloat16", "amx-bf16", "tdpbf16ps"),
    "amx_dot_16x16x32_f16": ("float16", "float16", "amx-fp16", "tdpfp16ps"),
}
"""Intrinsics on tile registers: the types of A and B, the feature, and the instruction."""


def tiled(name: str, target: Target) -> kc.IRModule:
    """A product by tiles, B in groups of the numbers that are multiplied with a word of A."""
    a, b, _, _ = TILES[name]
    group = 2 if "float" in a else 4
    sums = "float32" if "float" in a else "int32"
    size = 32 * group
    A = te.placeholder((32, size), a, name="A")
    B = te.placeholder((2, size // group, 16, group), b, name="B")
    k = te.reduce_axis((0, size), name="k")

    def element(j: Any) -> Any:
        place = te.indexdiv(j, 16), te.indexdiv(k, group), te.indexmod(j, 16)
        return B[(*place, te.indexmod(k, group))]

    C = te.compute(
        (32, 32),
        lambda i, j: te.sum(A[i, k].astype(sums) * element(j).astype(sums), axis=k),
        name="C",
    )
    function = te.create_prim_func([A, B, C]).with_attr("global_symbol", name)
    sch = tir.Schedule(function, target=target)
    loops = [sch.split(loop, [None, 16]) for loop in sch.get_loops("C")[:2]]
    depth = sch.split(sch.get_loops("C")[-1], [None, 16 * group])
    (i_o, i_i), (j_o, j_i), (k_o, k_i) = *loops, depth
    sch.reorder(i_o, j_o, k_o, i_i, j_i, k_i)
    sch.decompose_reduction("C", k_o)
    sch.tensorize(i_i, name)
    return sch.mod


def test_tiles_in_assembly():
    """Each operation is one instruction, on tiles that are configured once."""
    target = Target("llvm -mcpu=diamondrapids")
    assert all(target.has_feature(feature) for _, _, feature, _ in TILES.values())
    functions = [tiled(name, target) for name in TILES]
    assembly = kc.build(functions, target=target).get_source("asm")
    for name, (_, _, _, instruction) in TILES.items():
        _, _, body = assembly.partition(f"\n{name}:")
        body, _, _ = body.partition(".Lfunc_end")
        instructions = [line.split()[0] for line in body.splitlines() if line.split()]
        used = [it for it in instructions if it.startswith(("ldtile", "tile", "tdp"))]
        assert used[0] == "ldtilecfg"
        assert used[-1] == "tilerelease"
        assert used.count("ldtilecfg") == 1
        part = ["tileloadd", "tileloadd", "tileloadd", instruction, "tilestored"]
        assert used[1:-1] == part * (len(used[1:-1]) // 5)
        assert instruction in used


def test_tiles_need_the_feature():
    with pytest.raises(kc.error.ScheduleError) as refusal:
        tiled("amx_dot_16x16x32_f16", Target("llvm -mcpu=sapphirerapids"))
    assert "amx-fp16" in str(refusal.value)
