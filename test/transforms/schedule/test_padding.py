"""decompose_padding: equal results on random padded programs, by the interpreter and natively;
and what else is done to padded blocks."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    SIZES,
    assert_same,
    lowered,
    native_results,
    parse,
    random_splits,
    results,
    site_of,
    text_of,
    try_step,
)
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32

from kc.analysis import loop_tree
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef
from kc.transforms.schedule.reduction._padding import _may_be_undefined
from kc.transforms.schedule.reduction.decompose_padding import can_decompose_padding


def padded(random: Random, symbolic: bool) -> tuple[str, list[Any]]:
    """A tensor is padded at random ends, and read by a stencil or a sum."""
    rank = random.choice((1, 2))
    sizes = [random.randint(1, 6) for _ in range(rank)]
    if symbolic:
        sizes[0] = random.choice((SIZES["n"], 0))
    before = [random.randint(0, 3) for _ in range(rank)]
    after = [random.randint(0, 3) for _ in range(rank)]
    axes = "ij"[:rank]
    names = ["n" if symbolic and d == 0 else str(size) for d, size in enumerate(sizes)]
    known = ["%n" if size == "n" else size for size in names]
    total = [lo + size + hi for lo, size, hi in zip(before, sizes, after, strict=True)]

    def tensor(dynamic: bool, shape: list[int]) -> str:
        dims = ["?" if dynamic and d == 0 else str(size) for d, size in enumerate(shape)]
        return f"tensor<{'x'.join(dims)}xi32>"

    source, target = tensor(symbolic, sizes), tensor(symbolic, total)
    lines: list[str] = []
    conditions: list[str] = []

    def value(text: str) -> str:
        lines.append(f"%t{len(lines)} = {text}\n")
        return f"%t{len(lines) - 1}"

    def compare(sign: str, lhs: str, rhs: str) -> str:
        return value(f"arith.cmpi {sign}, {lhs}, {rhs} : index")

    for axis, lo, size in zip(axes, before, known, strict=True):
        if random.random() < 0.3 and size[0] != "%":
            moved = value(f"tir.apply (%{axis} - {lo})")
            conditions.append(compare("ult", moved, value(f"arith.constant {size} : index")))
            continue
        start = value(f"arith.constant {lo} : index")
        end = value(f"tir.apply ({size} + {lo})")
        conditions += [compare("sge", f"%{axis}", start), compare("slt", f"%{axis}", end)]
    inside = conditions[0]
    for condition in conditions[1:]:
        inside = value(f"arith.andi {inside}, {condition} : i1")
    index = ", ".join(f"%{axis} - {lo}" for axis, lo in zip(axes, before, strict=True))
    read = f"%a = te.read %A[{index}] : {source}\nscf.yield %a : i32\n"
    pad = f"%c = arith.constant {random.randint(-5, 5)} : i32\nscf.yield %c : i32\n"
    first, second = read, pad
    if random.random() < 0.4:
        truth = value("arith.constant true")
        inside = value(f"arith.xori {inside}, {truth} : i1")
        first, second = pad, read
    bounds = [
        f"%{axis} = {size}" for axis, size in zip(axes, ["%m", *map(str, total[1:])], strict=False)
    ]
    if not symbolic:
        bounds[0] = f"%i = {total[0]}"
    reach = random.randint(0, total[0] - 1) if not symbolic else 0
    out = [total[0] - reach, *total[1:]]
    size = "%m" if symbolic else str(out[0])
    here = ", ".join(f"%{axis}" for axis in axes)
    there = ", ".join([f"%i + {reach}", *(f"%{axis}" for axis in axes[1:])])
    text = f"""
te.func @f(%A: {source} {{kc.shape = affine_map<()[n, m] -> ({", ".join(names)})>}})
    -> {tensor(symbolic, out)} attributes {{kc.symbols = ["n", "m"]}} {{
  {'%n = te.symbol "n"' if symbolic else ""}
  {f"%m = tir.apply (%n + {before[0] + after[0]})" if symbolic else ""}
  %P = te.compute "P" [{", ".join(bounds)}] {{
    {"".join(lines)}
    %p = scf.if {inside} -> (i32) {{
      {first}
    }} else {{
      {second}
    }}
    te.yield %p : i32
  }} : {target}
  %C = te.compute "C" [{", ".join([f"%i = {size}", *bounds[1:]])}] {{
    %x = te.read %P[{here}] : {target}
    %y = te.read %P[{there}] : {target}
    %three = arith.constant 3 : i32
    %z = arith.muli %x, %three : i32
    %w = arith.addi %z, %y : i32
    te.yield %w : i32
  }} : {tensor(symbolic, out)}
  te.return %C : {tensor(symbolic, out)}
}}"""
    generator = np.random.default_rng(random.randrange(2**32))
    a = generator.integers(-9, 9, sizes).astype(np.int32)
    return text, [a, np.zeros(out, np.int32)]


def decompose(module: ModuleOp, random: Random) -> bool:
    choices = list(pass_class("decompose-padding").candidates(site_of(module)))
    return bool(choices) and try_step(module, random.choice(choices)) is not None


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(50)
def test_random_padding(seed: int, symbolic: bool):
    random = Random(seed)
    text, args = padded(random, symbolic)
    module = lowered(text)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 3))
    for _ in range(3):
        if decompose(module, random):
            assert_same(expected, results(module, args), module)


MOVES = ["compute-at", "compute-inline", "reverse-compute-at", "reverse-compute-inline"]


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(40)
def test_padded_blocks_move(seed: int, symbolic: bool):
    """Blocks that compute one of two values are computed elsewhere, inlined, and cached."""
    random = Random(seed)
    text, args = padded(random, symbolic)
    module = lowered(text)
    expected = results(module, args)
    for name in random.choices([*MOVES, "cache-read", "cache-write", "decompose-padding"], k=4):
        choices = list(pass_class(name).candidates(site_of(module)))
        if choices and try_step(module, random.choice(choices)) is not None:
            assert_same(expected, results(module, args), module)


def test_they_do_move():
    """The property tests do not pass because everything is refused."""
    done = dict.fromkeys(("decompose-padding", "compute-at", "compute-inline"), 0)
    for name in done:
        for seed in range(15):
            random = Random(seed)
            module = lowered(padded(random, seed % 2 == 0)[0])
            choices = list(pass_class(name).candidates(site_of(module)))
            done[name] += bool(choices) and try_step(module, random.choice(choices)) is not None
    assert min(done.values()) >= 5, done


@pytest.mark.parametrize("seed", range(8))
def test_natively(seed: int):
    random = Random(seed)
    text, args = padded(random, seed % 2 == 0)
    module = lowered(text)
    expected = results(module, args)
    decompose(module, random)
    assert_same(expected, native_results(module, args), module)


IMAGE = """
te.func @f(%A: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %P = te.compute "P" [%i = 6, %j = 8] {
    %k = tir.apply (%i - 1)
    %l = tir.apply (%j - 1)
    %h = arith.constant 4 : index
    %w = arith.constant 6 : index
    %c = arith.cmpi ult, %k, %h : index
    %d = arith.cmpi ult, %l, %w : index
    %in = arith.andi %c, %d : i1
    %p = scf.if %in -> (f32) {
      %a = te.read %A[%i - 1, %j - 1] : tensor<4x6xf32>
      scf.yield %a : f32
    } else {
      %z = arith.constant 0.0 : f32
      scf.yield %z : f32
    }
    te.yield %p : f32
  } : tensor<6x8xf32>
  %C = te.compute "C" [%i = 4, %j = 6] reduce sum [%y = 3, %x = 3] {
    %a = te.read %P[%i + %y, %j + %x] : tensor<6x8xf32>
    te.yield %a : f32
  } : tensor<4x6xf32>
  te.return %C : tensor<4x6xf32>
}"""


def box_filter(a: Any) -> Any:
    p = np.pad(a, 1)
    return sum(p[y : y + 4, x : x + 6] for y in range(3) for x in range(3))


def test_values():
    """A convolution, against numpy, with the padding computed in the rows of its consumer."""
    a = np.arange(24, dtype=np.float32).reshape(4, 6)
    for names in ([], ["decompose-padding"], ["compute-at", "decompose-padding"]):
        module = lowered(IMAGE)
        for name in names:
            step = next(iter(pass_class(name).legal(site_of(module))))
            assert try_step(module, step) is not None
        args = [a, np.zeros((4, 6), np.float32)]
        np.testing.assert_allclose(results(module, args)[1], box_filter(a))
        np.testing.assert_allclose(native_results(module, args)[1], box_filter(a))


def test_can_decompose_padding():
    module = lowered(IMAGE)
    site = site_of(module)
    before = text_of(module)
    assert can_decompose_padding(site, BlockRef("P"), LoopRef("i"))
    assert not can_decompose_padding(site, BlockRef("C"), LoopRef("i"))
    assert text_of(module) == before


def test_the_padding_of_pad_einsum():
    """Its producers become a fill and a copy, which have no branches."""
    module = parse("""
func.func @f(%A: memref<5xi32>, %B: memref<5xi32>) {
  tir.for %i in 5 {
    tir.block "B" (spatial %v in 5 = %i) do {
      %x = tir.load %A[%v] : memref<5xi32>
      tir.store %x, %B[%v] : memref<5xi32>
    }
  }
  func.return
}""")
    site = site_of(module)
    pass_class("pad-einsum")(BlockRef("B"), (4,)).apply(site)
    fill = pass_class("decompose-padding")(BlockRef("A_pad"), LoopRef("ax0")).apply(site).blocks[0]
    assert fill.label == "A_pad_pad"
    assert "scf.if" not in text_of(module)
    a = np.arange(1, 6, dtype=np.int32)
    assert results(module, [a, np.zeros(5, np.int32)])[1].tolist() == [1, 2, 3, 4, 5]
    copy = next(block for block in loop_tree.blocks(site.function) if block.label == "A_pad")
    assert loop_tree.loops_around(copy)[0].static_extent == 5


@pytest.mark.parametrize(
    ("amount", "undefined"), [(0, False), (31, False), (32, True), (33, True), (-1, True)]
)
@pytest.mark.parametrize("kind", [arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp])
def test_a_shift_by_its_width_or_more_is_undefined(kind: type[Any], amount: int, undefined: bool):
    number = arith.ConstantOp(IntegerAttr(1, i32))
    by = arith.ConstantOp(IntegerAttr(amount, i32))
    assert _may_be_undefined(kind(number, by)) is undefined
