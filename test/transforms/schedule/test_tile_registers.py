"""The schedule by tile registers of docs/schedules.md, on emulated registers and interpreted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tile_emulator import emulated_target, emulated_tiles, has_emulation

import kc
from kc import te, tir
from kc.analysis import loop_tree
from kc.analysis.interpreter import run
from kc.support.diagnostics import diagnostic_handler
from kc.support.registry import pass_class
from kc.target import Target
from kc.transforms.intrinsics.tile_names import PRODUCTS, packing_intrins, tile_intrins

PAGE = Path(kc.__file__).parents[1] / "docs" / "schedules.md"


def arguments() -> list[Any]:
    A = te.placeholder((64, 128), "int8", name="A")
    B = te.placeholder((128, 64), "int8", name="B")
    k = te.reduce_axis((0, 128), name="k")
    C = te.compute(
        (64, 64),
        lambda i, j: te.sum(A[i, k].astype("int32") * B[k, j].astype("int32"), axis=k),
        name="C",
    )
    return [A, B, C]


def scheduled(target: str) -> tir.Schedule:
    section = PAGE.read_text(encoding="utf-8").partition("## Tile registers of x86\n")[2]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert code is not None
    text = code[1].replace('"llvm -mcpu=sapphirerapids"', "target")
    names: dict[str, Any] = {"kc": kc, "te": te, "target": target}
    names.update(zip("ABC", arguments(), strict=True))
    exec(text, names)
    return names["sch"]


def numbers() -> tuple[list[np.ndarray], np.ndarray]:
    generator = np.random.default_rng(3)
    a, b = (generator.integers(-128, 128, shape, np.int8) for shape in ((64, 128), (128, 64)))
    return [a, b, np.zeros((64, 64), np.int32)], a.astype(np.int32) @ b.astype(np.int32)


def test_the_page_interpreted():
    arrays, expected = numbers()
    run(scheduled("llvm -mcpu=sapphirerapids").module, "main", arrays)
    np.testing.assert_array_equal(arrays[-1], expected)


@pytest.mark.skipif(not has_emulation(), reason="this CPU is none of x86-64")
def test_the_page_on_emulated_registers(monkeypatch: pytest.MonkeyPatch):
    arrays, expected = numbers()
    target = emulated_target()
    with emulated_tiles(monkeypatch) as emulator:
        kc.build(scheduled(str(target)).mod, target=target)(*arrays)
    np.testing.assert_array_equal(arrays[-1], expected)
    # 4 tiles of 32 x 32 sums, two steps of 64 terms.
    counts = {name: emulator.counts[name] for name in ("tilezero", "tileloadd64", "tdpbssd")}
    assert counts == {"tilezero": 16, "tileloadd64": 32, "tdpbssd": 32}
    assert emulator.counts["ldtilecfg"] == 1


def test_the_scope_is_refused_where_elements_are_used():
    sch = tir.Schedule(te.create_prim_func(arguments()), target="llvm -mcpu=sapphirerapids")
    sch.cache_write("C", 0, "amx.tile")
    with pytest.raises(kc.error.KCError) as refusal:
        kc.build(sch.mod, target="llvm -mcpu=sapphirerapids")
    assert refusal.value.code == "KC4256"


@pytest.mark.parametrize("cpu", ["sapphirerapids", "cooperlake"])
def test_the_scope_is_proposed_where_there_are_tile_registers(cpu: str):
    target = Target(f"llvm -mcpu={cpu}")
    has_tiles = cpu == "sapphirerapids"
    sch = tir.Schedule(te.create_prim_func(arguments()), target=target)
    site = sch.session.site(loop_tree.kernels(sch.module)[0])
    for name in ("cache-write", "cache-read", "cache-index", "set-scope"):
        scopes = {step.scope for step in pass_class(name).candidates(site)}
        assert ("amx.tile" in scopes) == (has_tiles and bool(scopes)), name
    told: list[Any] = []
    with diagnostic_handler(told.append):
        sch.cache_write("C", 0, "amx.tile")
    assert [diagnostic.code for diagnostic in told] == ([] if has_tiles else ["KC3302"])
    with pytest.raises(kc.error.KCError) as refusal:
        sch.cache_write("C", 0, "amx.tiles")
    assert refusal.value.code == "KC3301"
    assert ("'amx.tile'" in str(refusal.value.hints)) == has_tiles


@pytest.mark.parametrize("name", ["amx_sync_16x16x32_f16", "amx_load_16x16_f32"])
def test_features_are_needed(name: str):
    target = "llvm -mcpu=sapphirerapids" if "f16" in name else "llvm -mcpu=cooperlake"
    assert not all(map(Target(target).has_feature, tir.TensorIntrin.get(name).features))


def test_each_instruction_has_an_intrinsic():
    synced = {intrin.types for intrin in tile_intrins().values() if intrin.role == "sync"}
    assert synced == set(PRODUCTS)
    for name in ("amx_sync_5x16x64_i8u8", "amx_dot_16x16x64_i8u8", "amx_store_3x16_f32_local"):
        assert tir.TensorIntrin.get(name).name == name


@pytest.mark.parametrize("name", packing_intrins())
def test_packing(name: str):
    """A matrix that is stored by columns, two by three parts of it, in groups."""
    element = packing_intrins()[name]
    group = 4 if element == "i8" else 2
    stored = {"i8": "int8", "bf16": "bfloat16", "f16": "float16"}[element]
    terms, columns = 3 * 16 * group, 32
    A = te.placeholder((columns, terms), stored, name="A")
    B = te.compute(
        (2, terms // group, 16, group),
        lambda t, w, j, g: A[t * 16 + j, w * group + g],
        name="B",
    )
    sch = tir.Schedule(te.create_prim_func([A, B]))
    t, w, j, g = sch.get_loops("B")
    w_o, w_i = sch.split(w, [None, 16])
    sch.reorder(t, w_o, j, w_i, g)
    sch.fuse(w_i, g)
    sch.tensorize(j, name)
    numbers = np.arange(terms * columns) % 120
    a = numbers.astype(ml_dtypes.bfloat16 if element == "bf16" else stored)
    a = a.reshape(columns, terms)
    expected = a.T.reshape(terms // group, group, 2, 16).transpose(2, 0, 3, 1)
    result = np.zeros(expected.shape, a.dtype)
    kc.build(sch.mod)(a, result)
    np.testing.assert_array_equal(result, expected)
