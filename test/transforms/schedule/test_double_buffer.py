"""double_buffer and inject-double-buffer: equal results, by the interpreter and natively."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    arguments,
    assert_same,
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
from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_read
from kc.analysis.dominance import check_dominance
from kc.dialects.tir import AllocOp
from kc.support.diagnostics import Diagnostic, diagnostic_handler
from kc.support.registry import pass_class
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, LoopRef

PASSES = ("lower-init-block", "compact-buffer-allocation", "lower-blocks", "inject-double-buffer")


def injected(module: ModuleOp) -> tuple[ModuleOp, list[Diagnostic]]:
    """A copy of the module as lowering has it, and the warnings."""
    module = module.clone()
    warnings: list[Diagnostic] = []
    with diagnostic_handler(warnings.append):
        for name in PASSES:
            pass_class(name)().apply(None, module)
    module.verify()
    check_dominance(module)
    return module, warnings


def halves(module: ModuleOp) -> int:
    """The number of buffers with two halves, in a module after :func:`injected`."""
    return text_of(module).count(" mod 2")


def staged(random: Random, symbolic: bool) -> tuple[ModuleOp, list]:
    """A program with blocks and copies computed inside of loops."""
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    random_splits(module, random, 2)
    for _ in range(3):
        site = site_of(module)
        if random.random() < 0.4:
            block = random.choice(loop_tree.blocks(site.function))
            read = buffers_read(block)
            if read:
                step = pass_class("cache-read")(
                    BlockRef(block), BufferRef(random.choice(read)), "local"
                )
                done = try_step(module, step)
                around = loop_tree.loops_around(block)
                if done is not None and around:
                    at = LoopRef(random.choice(around))
                    try_step(module, pass_class("compute-at")(BlockRef(done.blocks[0]), at))
            continue
        choices = list(pass_class("compute-at").candidates(site))
        if choices:
            try_step(module, random.choice(choices))
    return module, args


def buffered(module: ModuleOp, random: Random) -> int:
    """Mark up to two buffers; how many were."""
    done = 0
    for _ in range(2):
        choices = list(pass_class("double-buffer").candidates(site_of(module)))
        if choices:
            done += try_step(module, random.choice(choices)) is not None
    return done


@example(seed=26807, symbolic=False)  # a loop of one iteration
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(30)
def test_random_programs(seed: int, symbolic: bool):
    random = Random(seed)
    module, args = staged(random, symbolic)
    expected = results(module, args)
    if buffered(module, random):
        assert_same(expected, results(module, args), module)
        after, warnings = injected(module)
        assert warnings == []
        assert_same(expected, results(after, args), after)


@pytest.mark.sweep
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(12)
def test_natively(seed: int, symbolic: bool):
    random = Random(seed)
    module, args = staged(random, symbolic)
    expected = results(module, args)
    if buffered(module, random):
        assert_same(expected, native_results(module, args), module)


def test_some_are_legal():
    """The property tests do not pass because everything is refused."""
    marked = doubled = 0
    for seed in range(60):
        random = Random(seed)
        module, _ = staged(random, symbolic=False)
        if buffered(module, random):
            marked += 1
            doubled += doubled < 5 and halves(injected(module)[0]) > 0
        if marked >= 10 and doubled >= 5:
            return
    raise AssertionError(f"{marked} are marked, {doubled} doubled")


PRODUCT = """
te.func @f(%A: tensor<?x?xi32> {kc.shape = affine_map<()[n, m] -> (n, m)>},
           %B: tensor<?x8xi32> {kc.shape = affine_map<()[n, m] -> (m, 8)>}) -> tensor<?x8xi32>
    attributes {kc.symbols = ["n", "m"]} {
  %n = te.symbol "n"
  %m = te.symbol "m"
  %C = te.compute "C" [%i = %n, %j = 8] reduce sum [%k = %m] {
    %a = te.read %A[%i, %k] : tensor<?x?xi32>
    %b = te.read %B[%k, %j] : tensor<?x8xi32>
    %x = arith.muli %a, %b : i32
    te.yield %x : i32
  } : tensor<?x8xi32>
  te.return %C : tensor<?x8xi32>
}
"""


def product() -> ModuleOp:
    """A product of matrices whose second one is copied tile by tile along k."""
    module = lowered(PRODUCT)
    site = site_of(module)
    (k_o, _) = pass_class("split")(LoopRef("k"), (None, 4)).apply(site).loops
    pass_class("reorder")((LoopRef(k_o), LoopRef("i"), LoopRef("j"))).apply(site)
    (copy,) = pass_class("cache-read")(BlockRef("C"), BufferRef("B"), "local").apply(site).blocks
    pass_class("compute-at")(BlockRef(copy), LoopRef("k_o")).apply(site)
    pass_class("double-buffer")(BlockRef(copy)).apply(site)
    return module


@pytest.mark.parametrize(("n", "m"), [(3, 16), (1, 0), (2, 1), (3, 4), (2, 5), (5, 9)])
def test_a_product(n: int, m: int):
    """The tiles of a matrix are copied one iteration ahead, however many there are."""
    module = product()
    after, _ = injected(module)
    assert halves(after) == 2
    generator = np.random.default_rng(n * 100 + m)
    a = generator.integers(-9, 9, (n, m)).astype(np.int32)
    b = generator.integers(-9, 9, (m, 8)).astype(np.int32)
    args = [a, b, np.zeros((n, 8), np.int32)]
    np.testing.assert_array_equal(results(after, args)[2], a @ b)
    np.testing.assert_array_equal(native_results(module, args)[2], a @ b)


def test_the_buffer_doubles():
    (alloc,) = [op for op in injected(product())[0].walk() if isinstance(op, AllocOp)]
    assert str(alloc.buffer.type) == 'memref<2x4x8xi32, "local">'
    assert alloc.attributes == {}


ROWS = """
func.func @f(%A: memref<8x4xi32> {kc.role = "in"}, %C: memref<8x4xi32> {kc.role = "out"}) {
  tir.for %i in 8 {
    %T = tir.alloc "T" : memref<4xi32>
    tir.for %j in 4 {
      tir.block "T" (spatial %v_i in 8 = %i, spatial %v_j in 4 = %j) do {
        %a = tir.load %A[%v_i, %v_j] : memref<8x4xi32>
        tir.store %a, %T[%v_j] : memref<4xi32>
      }
    }
    tir.for %j in 4 {
      tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 4 = %j) do {
        %t = tir.load %T[3 - %v_j] : memref<4xi32>
        tir.store %t, %C[%v_i, %v_j] : memref<8x4xi32>
      }
    }
  }
  func.return
}
"""


def test_what_later_steps_made_impossible_is_left_out():
    """The iterations of a parallel loop do not follow each other."""
    module = parse(ROWS)
    pass_class("double-buffer")(BlockRef("T")).apply(site_of(module))
    assert halves(injected(module)[0]) == 2
    pass_class("parallel")(LoopRef("i")).apply(site_of(module))
    after, (warning,) = injected(module)
    assert halves(after) == 0
    assert warning.code == "KC3478"
    assert warning.message == (
        "double_buffer of T is not applied: loop i, which fills and reads T, is parallel"
    )
    a = np.arange(32, dtype=np.int32).reshape(8, 4)
    out = results(after, [a, np.zeros_like(a)])[1]
    np.testing.assert_array_equal(out, a[:, ::-1])


def test_one_iteration_warns():
    module = parse(ROWS.replace("%i in 8 {", "%i in 1 {"))
    warnings: list[Diagnostic] = []
    with diagnostic_handler(warnings.append):
        pass_class("double-buffer")(BlockRef("T")).apply(site_of(module))
    (warning,) = warnings
    assert (warning.code, warning.why) == ("KC3477", "there is nothing to fill in advance")
    assert warning.message == (
        "double_buffer: loop i, which fills and reads T, has no next iteration"
    )


def test_filling_without_loops():
    """The ops that fill a single element are children of the loop themselves."""
    module = parse(
        ROWS.replace("memref<4xi32>", "memref<1xi32>")
        .replace("%T[%v_j]", "%T[0]")
        .replace("%T[3 - %v_j]", "%T[0]")
        .replace("tir.for %j in 4 {", "tir.for %j in 1 {")
    )
    pass_class("double-buffer")(BlockRef("T")).apply(site_of(module))
    after, warnings = injected(module)
    assert warnings == []
    assert halves(after) == 2
    a = np.arange(32, dtype=np.int32).reshape(8, 4)
    out = results(after, [a, np.zeros_like(a)])[1]
    np.testing.assert_array_equal(out[:, 0], a[:, 0])


SYMBOLIC = """
func.func @f(%A: memref<?x?xi32> {kc.shape = affine_map<()[n, m] -> (n, m)>, kc.role = "in"},
             %C: memref<?x?xi32> {kc.shape = affine_map<()[n, m] -> (n, m)>, kc.role = "out"})
    attributes {kc.symbols = ["n", "m"]} {
  %n = tir.symbol "n"
  %m = tir.symbol "m"
  %all = arith.muli %n, %m : index
  tir.for %i_j in %all {
    %i, %j = tir.delinearize %i_j by [%n, %m]
    tir.for %u in LOOP {
      %T = tir.alloc "T" (%m) : memref<?xi32>
      tir.block "T" (spatial %v_i in %n = %i, spatial %v_j in %m = %j) do {
        %last = tir.apply (%m - 1)
        %back = arith.subi %last, %v_j : index
        %a = tir.load %A[%v_i, %back] : memref<?x?xi32>
        tir.store %a, %T[%v_j] : memref<?xi32>
      }
      tir.block "C" (spatial %v_i in %n = %i, spatial %v_j in %m = %j, reduce %v_u in LOOP = %u)
          init {
        %z = arith.constant 0 : i32
        tir.store %z, %C[%v_i, %v_j] : memref<?x?xi32>
      } do {
        %c = tir.load %C[%v_i, %v_j] : memref<?x?xi32>
        %t = tir.load %T[%v_j] : memref<?xi32>
        %s = arith.addi %c, %t : i32
        tir.store %s, %C[%v_i, %v_j] : memref<?x?xi32>
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_symbolic_indices(count: int):
    """A loop of at most one iteration fills nothing ahead, and leaves nothing behind."""
    module = parse(SYMBOLIC.replace("LOOP", str(count)))
    with diagnostic_handler(lambda _: None):
        pass_class("double-buffer")(BlockRef("T")).apply(site_of(module))
    after, warnings = injected(module)
    assert warnings == []
    a = np.arange(15, dtype=np.int32).reshape(3, 5)
    args = [a, np.zeros_like(a)]
    np.testing.assert_array_equal(results(after, args)[1], a[:, ::-1] * count)
    np.testing.assert_array_equal(native_results(module, args)[1], a[:, ::-1] * count)
