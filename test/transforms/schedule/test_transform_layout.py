"""transform_layout: equal results, of arguments in the new layout, interpreted and natively."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    SIZES,
    arguments,
    assert_both_happen,
    lowered,
    native_results,
    parse,
    random_program,
    random_splits,
    results,
    site_of,
    text_of,
    try_step,
)
from xdsl.dialects.builtin import AffineMapAttr, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument
from xdsl.ir.affine import AffineExpr

import kc
from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_read, buffers_written
from kc.analysis.affine.isl_sets import TOO_LARGE
from kc.dialects.tir import AllocOp, BlockOp
from kc.support.diagnostics import ScheduleError, diagnostic_handler
from kc.support.registry import pass_class
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.schedule.base import BlockRef
from kc.transforms.schedule.layout.transform_layout import PadValue

GARBAGE = 7777
"""The number in the padding of inputs."""


def random_map(random: Random, shape: list[int]) -> IndexMap:
    """Splits, fusions, permutations, reversals; now and then one that is not injective."""
    rank = len(shape)
    exprs = [(AffineExpr.dimension(n), size) for n, size in enumerate(shape)]
    for _ in range(random.randint(1, 4)):
        if not exprs:
            break
        n = random.randrange(len(exprs))
        expr, size = exprs[n]
        kind = random.choice(("split", "split", "fuse", "swap", "swap", "reverse", "shift", "drop"))
        if kind == "split":
            by = random.randint(1, 5)
            exprs[n : n + 1] = [(expr // by, -(-size // by) if size > 0 else -1), (expr % by, by)]
        elif kind == "fuse" and n + 1 < len(exprs) and exprs[n + 1][1] > 0:
            inner, width = exprs[n + 1]
            exprs[n : n + 2] = [(expr * width + inner, size * width if size > 0 else -1)]
        elif kind == "swap":
            random.shuffle(exprs)
        elif kind == "reverse" and size > 0:
            exprs[n] = (AffineExpr.constant(size - 1) - expr, size)
        elif kind == "shift" and random.random() < 0.2:
            exprs[n] = (expr + random.randint(-1, 2), size + 2 if size > 0 else -1)
        elif kind == "drop" and random.random() < 0.2:
            exprs[n] = (expr // 2, size)
    return IndexMap(tuple(f"i{n}" for n in range(rank)), tuple(expr for expr, _ in exprs))


def function_of(module: ModuleOp) -> FuncOp:
    return loop_tree.functions(module)[0]


def shape_of(function: FuncOp, n: int) -> list[int]:
    """The shape of an argument where the symbolic sizes are those of the tests."""
    type_ = function.body.block.args[n].type
    assert isinstance(type_, MemRefType)
    assert function.arg_attrs is not None
    given = function.arg_attrs.data[n].data.get("kc.shape")
    if isinstance(given, AffineMapAttr):
        return list(given.data.eval([], list(SIZES.values())))
    return list(type_.get_shape())


def laid_out(array: Any, map_: IndexMap, shape: list[int], fill: int) -> Any:
    """``array`` in the layout ``map_``, with ``fill`` in the padding."""
    out = np.full(shape, fill, array.dtype)
    for index in itertools.product(*map(range, array.shape)):
        out[tuple(map_.map.eval(index, ()))] = array[index]
    return out


class Tracker:
    """Arguments and expected results, which change with the layouts of the arguments."""

    def __init__(self, module: ModuleOp, args: list[Any]) -> None:
        self.module = module
        self.args = list(args)
        self.expected = results(module, args)

    def step(self, random: Random) -> bool:
        block = random.choice(loop_tree.blocks(function_of(self.module)))
        buffer = random.choice(list(dict.fromkeys([*buffers_read(block), *buffers_written(block)])))
        assert isinstance(buffer.type, MemRefType)
        map_ = random_map(random, list(buffer.type.get_shape()))
        is_out = any(
            buffer in buffers_written(block_)
            for block_ in loop_tree.blocks(function_of(self.module))
        )
        pad = random.choice((None, 5, 5))
        step = pass_class("transform-layout")(
            BlockRef(block), BufferRef(buffer), map_, None if pad is None else PadValue(pad)
        )
        if try_step(self.module, step) is None:
            return False
        if isinstance(buffer, BlockArgument):
            n = buffer.index
            shape = shape_of(function_of(self.module), n)
            self.args[n] = laid_out(self.args[n], map_, shape, 0 if is_out else GARBAGE)
            fill = GARBAGE if not is_out else 5 if pad is not None else 0
            self.expected[n] = laid_out(self.expected[n], map_, shape, fill)
        return True

    def check(self, run: Any = results) -> None:
        for wanted, actual in zip(self.expected, run(self.module, self.args), strict=True):
            assert np.array_equal(wanted, actual), text_of(self.module)


@examples(40)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
def test_random_layouts(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    tracker = Tracker(module, arguments(module, random))
    random_splits(module, random, random.randint(0, 3))
    for _ in range(4):
        if tracker.step(random):
            tracker.check()


@pytest.mark.sweep
@examples(20)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
def test_natively(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    tracker = Tracker(module, arguments(module, random))
    random_splits(module, random, random.randint(0, 3))
    if any([tracker.step(random) for _ in range(4)]):
        tracker.check(native_results)


def test_most_random_layouts_are_legal():
    """The property tests do not pass because everything is refused."""

    def is_done(seed: int) -> bool:
        random = Random(seed)
        module = random_program(random, 3, seed % 2 == 0)
        return bool(Tracker(module, arguments(module, random)).step(random))

    assert_both_happen(map(is_done, range(60)), done=25, refused=2)


CHAIN = """
te.func @f(%A: tensor<14x6xi32>) -> tensor<14x6xi32> {
  %B = te.compute "B" [%i = 14, %j = 6] {
    %a = te.read %A[%i, %j] : tensor<14x6xi32>
    %b = arith.addi %a, %a : i32
    te.yield %b : i32
  } : tensor<14x6xi32>
  %C = te.compute "C" [%i = 14, %j = 6] {
    %x = te.read %B[%i, %j] : tensor<14x6xi32>
    te.yield %x : i32
  } : tensor<14x6xi32>
  te.return %C : tensor<14x6xi32>
}
"""


def layout(module: ModuleOp, block: str, buffer: Any, map_: Any, pad: Any = None) -> None:
    pass_class("transform-layout")(
        BlockRef(block),
        BufferRef.of(buffer),
        IndexMap.of(map_),
        None if pad is None else PadValue.of(pad),
    ).apply(site_of(module))


@pytest.mark.parametrize("run", [results, native_results])
def test_values(run: Any):
    """Against numpy: an output in tiles of 4 x 4, its padding as a function of the index."""
    module = lowered(CHAIN)
    layout(module, "B", "B", lambda i, j: [j, i])
    layout(module, "B", ("read", 0), lambda i, j: [i * 6 + j])
    layout(module, "C", ("write", 0), lambda i, j: [i // 4, j // 4, i % 4, j % 4],
           lambda a, b, c, d: [100 + (a * 4 + c) * 8 + b * 4 + d])  # fmt: skip
    a = np.random.default_rng(0).integers(-9, 9, (14, 6)).astype(np.int32)
    out = run(module, [a.reshape(-1), np.zeros((4, 2, 4, 4), np.int32)])[1]
    padded = 100 + np.arange(16 * 8, dtype=np.int32).reshape(16, 8)
    padded[:14, :6] = 2 * a
    expected = padded.reshape(4, 4, 2, 4).transpose(0, 2, 1, 3)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    ("element", "pad", "expected"),
    [("f32", 1.5, 1.5), ("f64", 2, 2.0), ("f32", lambda i: [i * 2], None), ("i8", 255, -1)],
)
def test_pad_values(element: str, pad: Any, expected: Any):
    module = parse(
        f"""func.func @f(%A: memref<5x{element}>, %B: memref<5x{element}>) {{
          tir.for %i in 5 {{
            tir.block "B" (spatial %v in 5 = %i) do {{
              %a = tir.load %A[%v] : memref<5x{element}>
              tir.store %a, %B[%v] : memref<5x{element}>
            }}
          }}
          func.return
        }}"""
    )
    layout(module, "B", "B", lambda i: [i // 2 * 2 + i % 2 + i // 4 * 2], pad)
    dtype = {"f32": np.float32, "f64": np.float64, "i8": np.int8}[element]
    out = results(module, [np.arange(5, dtype=dtype), np.zeros(7, dtype)])[1]
    hole = [expected, expected] if expected is not None else [8, 10]
    np.testing.assert_array_equal(out, np.array([0, 1, 2, 3, *hole, 4], dtype))


def test_a_symbol_that_another_argument_tells():
    """Sizes that the call is checked against, for several values of the symbol."""
    text = """
    te.func @f(%A: tensor<?xi32> {kc.shape = affine_map<()[n] -> (n)>}) -> tensor<?xi32>
        attributes {kc.symbols = ["n"]} {
      %n = te.symbol "n"
      %B = te.compute "B" [%i = %n] {
        %a = te.read %A[%i] : tensor<?xi32>
        te.yield %a : i32
      } : tensor<?xi32>
      te.return %B : tensor<?xi32>
    }"""
    module = lowered(text)
    layout(module, "B", "B", lambda i: [i // 4, i % 4], 9)
    run = kc.build(module)["f"]
    for n in range(10):
        a = np.arange(n, dtype=np.int32)
        out = np.zeros((-(-n // 4), 4), np.int32)
        run(a, out)
        expected = np.full(out.size, 9, np.int32)
        expected[:n] = a
        np.testing.assert_array_equal(out.reshape(-1), expected)
        if n:
            with pytest.raises(kc.KCError):
                run(a, np.zeros((-(-n // 4) + 1, 4), np.int32))


def test_legal():
    """Transposed, rows of 4 and one row, of every buffer of each block."""
    module = lowered(CHAIN)
    choices = [
        (str(choice.block), str(choice.buffer), str(choice.index_map), str(choice.pad_value))
        for choice in pass_class("transform-layout").legal(site_of(module))
    ]
    assert ("B", "B", "(i0, i1)->(i1, i0)", "None") in choices
    assert ("C", "C", "(i0, i1)->(i0, i1 floordiv 4, i1 mod 4)", "0") in choices
    assert ("C", "C", "(i0, i1)->(i0, i1 floordiv 4, i1 mod 4)", "None") not in choices
    assert ("C", "B", "(i0, i1)->(i0 * 6 + i1)", "None") in choices


def test_assumption_does_not_replace_a_disproof():
    module = lowered(CHAIN)
    step = pass_class("transform-layout")(
        BlockRef("B"), BufferRef("B"), IndexMap.of(lambda i, j: [i]), None, True
    )
    before = text_of(module)
    with pytest.raises(ScheduleError) as caught:
        step.apply(site_of(module))
    assert caught.value.code == "KC3502"
    assert text_of(module) == before


def test_assumption_is_noted(monkeypatch: pytest.MonkeyPatch):
    """A question that isl cannot decide is trusted only on request, and that is documented."""
    from kc.transforms.schedule.layout import _layouts

    monkeypatch.setattr(_layouts, "collision", lambda *_: TOO_LARGE)
    module = lowered(CHAIN)
    options = (BlockRef("B"), BufferRef("B"), IndexMap.of(lambda i, j: [j, i]), None)
    with pytest.raises(ScheduleError) as caught:
        pass_class("transform-layout")(*options).plan(site_of(module))
    assert (caught.value.code, caught.value.why) == ("KC3502", TOO_LARGE.reason)
    assert list(caught.value.hints) == ["use assume_injective_transform if it is injective"]
    pass_class("transform-layout")(*options, True).apply(site_of(module))
    (alloc,) = [op for op in module.walk() if isinstance(op, AllocOp)]
    assert "tir.layout_assumed_injective" in alloc.attributes


def test_warnings():
    seen: list[Any] = []
    with diagnostic_handler(seen.append):
        module = lowered(CHAIN)
        layout(module, "B", "B", lambda i, j: [i, j])
        layout(module, "B", "B", lambda i, j: [j, i], 3)
        layout(module, "B", "A", lambda i, j: [i // 4, j, i % 4], 3)
    assert [(warning.code, warning.message) for warning in seen] == [
        ("KC3511", "transform_layout changes nothing"),
        ("KC3512", "transform_layout: nothing of B gets the pad_value"),
        ("KC3512", "transform_layout: nothing of A gets the pad_value"),
    ]


def test_locations_are_kept():
    module = lowered(CHAIN)
    layout(module, "C", "C", lambda i, j: [i // 4, j, i % 4], 0)
    blocks = [op for op in module.walk() if isinstance(op, BlockOp)]
    assert [block.label for block in blocks] == ["B", "C", "C_pad"]
    assert str(blocks[1].location) == 'loc("k.mlir":8:3)'
    # The block of the padding says which step made it.
    assert str(blocks[2].location) == 'loc(fused["k.mlir":8:3, "transform-layout"])'
