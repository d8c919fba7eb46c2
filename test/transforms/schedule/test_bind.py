"""Threads: schedules of kernels compute the same in lockstep, and nothing changes by a refusal."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    arguments,
    assert_same,
    lowered,
    parse,
    random_program,
    random_splits,
    results,
    site_of,
    try_step,
)
from xdsl.dialects.builtin import ModuleOp

import kc
from kc import te, tir
from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_read, buffers_written
from kc.analysis.dominance import check_dominance
from kc.analysis.interpreter import run
from kc.dialects.tir import AllocOp, BlockOp, IterType
from kc.support.diagnostics import Diagnostic, KCError, diagnostic_handler
from kc.support.registry import context, get_pass, pass_class
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive

Chooser = Callable[[ModuleOp, Random], Primitive]
SCOPES = ("local", "shared", "warp", "global")
AXES = ("blockIdx.x", "threadIdx.x", "threadIdx.x", "threadIdx.y", "vthread", "vthread.x")


def blocks_of(module: ModuleOp) -> list[BlockOp]:
    return loop_tree.blocks(loop_tree.functions(module)[0])


def bind(module: ModuleOp, random: Random) -> Primitive:
    loop = LoopRef(random.choice(loop_tree.loops(module)))
    return pass_class("bind")(loop, random.choice(AXES))


def cache(module: ModuleOp, random: Random) -> Primitive:
    name = random.choice(("cache-read", "cache-write"))
    block = random.choice(blocks_of(module))
    buffers = buffers_read(block) if name == "cache-read" else buffers_written(block)
    buffer = random.choice(buffers) if buffers else 0
    return pass_class(name)(BlockRef(block), BufferRef(buffer), random.choice(SCOPES))


def scope(module: ModuleOp, random: Random) -> Primitive:
    block = random.choice(blocks_of(module))
    return pass_class("set-scope")(BlockRef(block), BufferRef(0), random.choice(SCOPES))


def move(module: ModuleOp, random: Random) -> Primitive:
    primitive = pass_class(random.choice(("compute-at", "compute-at", "reverse-compute-at")))
    choices = list(primitive.candidates(site_of(module)))
    loop = LoopRef(random.choice(loop_tree.loops(module)))
    return random.choice(choices or [primitive(BlockRef(blocks_of(module)[0]), loop)])


def reorder(module: ModuleOp, random: Random) -> Primitive:
    primitive = pass_class("reorder")
    choices = list(primitive.candidates(site_of(module)))
    return random.choice(choices or [primitive(())])


def on_one_loop(module: ModuleOp, random: Random) -> Primitive:
    loop = LoopRef(random.choice(loop_tree.loops(module)))
    block = BlockRef(random.choice(blocks_of(module)))
    name = random.choice(("split", "unroll", "vectorize", "parallel", "compute-root", "rfactor"))
    if name == "compute-root":
        return pass_class(name)(block)
    if name in ("split", "rfactor"):
        return pass_class(name)(loop, (None, 2) if name == "split" else 0)
    return pass_class(name)(loop)


def decompose(module: ModuleOp, random: Random) -> Primitive:
    primitive = pass_class("decompose-reduction")
    choices = list(primitive.candidates(site_of(module)))
    return random.choice(choices or [on_one_loop(module, random)])


def compact(module: ModuleOp) -> None:
    pass_class("compact-buffer-allocation")().apply(None, module)


CHOOSERS = [
    bind,
    bind,
    bind,
    bind,
    cache,
    scope,
    scope,
    move,
    move,
    reorder,
    on_one_loop,
    decompose,
]


def combines_across_threads(module: ModuleOp) -> bool:
    """True if threads combine values, which only blocks can tell."""
    return any(
        loop.axis is not None and IterType.REDUCE in loop_tree.iter_types(loop, block)
        for block in blocks_of(module)
        for loop in loop_tree.loops_around(block)
    )


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(30)
def test_random_kernels(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 3))
    for choose in random.choices(CHOOSERS, k=9):
        if random.random() < 0.1:
            compact(module)
        if try_step(module, choose(module, random)) is not None:
            assert_same(expected, results(module, args), module)
    passes = ["compact-buffer-allocation", "lower-init-block", "compact-buffer-allocation"]
    if not combines_across_threads(module):
        passes.append("lower-blocks")
    for name in passes:
        pass_class(name)().apply(None, module)
        module.verify()
        assert_same(expected, results(module, args), module)


def test_random_kernels_are_bound():
    """The property test does not pass because everything is refused."""
    bound = dict.fromkeys(AXES, 0)
    for seed in range(20):
        random = Random(seed)
        module = random_program(random, 3)
        for _ in range(6):
            step = bind(module, random)
            bound[step.thread_axis] += try_step(module, step) is not None  # pyright: ignore
    assert min(bound.values()) >= 5, bound


def apply(module: ModuleOp, *steps: str) -> None:
    """Apply flags of kc-opt."""
    for step in steps:
        name, _, options = step.partition(" ")
        get_pass(name, options).apply(None, module)  # pyright: ignore[reportArgumentType]
        module.verify()
        check_dominance(module)


MATMUL = """
te.func @f(%A: tensor<32x16xf32>, %B: tensor<16x64xf32>) -> (tensor<32x64xf32>) {
  %C = te.compute "C" [%i = 32, %j = 64] reduce sum [%k = 16] {
    %a = te.read %A[%i, %k] : tensor<32x16xf32>
    %b = te.read %B[%k, %j] : tensor<16x64xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } : tensor<32x64xf32>
  te.return %C : tensor<32x64xf32>
}
"""

TILES = (
    "cache-read block=C buffer=A scope=shared",
    "cache-read block=C buffer=B scope=shared",
    "cache-read block=C buffer=A_shared scope=local",
    "cache-read block=C buffer=B_shared scope=local",
    "cache-write block=C buffer=C scope=local",
    "split block=C loop=i factors=2,2,8,2",
    "split block=C loop=j factors=2,2,8,2",
    "split block=C loop=k factors=2,8",
    "reorder block=C loops=i_0,j_0,i_1,j_1,i_2,j_2,k_o,k_i,i_3,j_3",
    "bind block=C loop=i_0 thread_axis=blockIdx.y",
    "bind block=C loop=j_0 thread_axis=blockIdx.x",
    "bind block=C loop=i_1 thread_axis=vthread",
    "bind block=C loop=j_1 thread_axis=vthread",
    "bind block=C loop=i_2 thread_axis=threadIdx.y",
    "bind block=C loop=j_2 thread_axis=threadIdx.x",
    "reverse-compute-at block=C_local loop=j_2",
    "compute-at block=A_shared_local loop=k_i",
    "compute-at block=B_shared_local loop=k_i",
    "compute-at block=A_shared loop=k_o",
    "compute-at block=B_shared loop=k_o",
)


def loading(module: ModuleOp) -> list[str]:
    """The steps by which the threads of a block load the tiles into shared memory together."""
    steps: list[str] = []
    for block in blocks_of(module):
        if block.label in ("A_shared", "B_shared"):
            outer, inner = (loop.label for loop in loop_tree.loops_around(block)[-2:])
            steps += [
                f"split block={block.label} loop={outer} factors=?,8",
                f"split block={block.label} loop={inner} factors=?,8",
                f"bind block={block.label} loop={outer}_i thread_axis=threadIdx.y",
                f"bind block={block.label} loop={inner}_i thread_axis=threadIdx.x",
            ]
    return steps


def shapes(module: ModuleOp) -> dict[str, tuple[int, ...]]:
    return {
        op.label: op.buffer.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
        for op in module.walk()
        if isinstance(op, AllocOp)
    }


def factors() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    left, right = (random.standard_normal(shape) for shape in ((32, 16), (16, 64)))
    return left.astype(np.float32), right.astype(np.float32)


def test_the_classic_matmul():
    """Shared tiles loaded together, local ones, virtual threads: every step equals numpy."""
    module = lowered(MATMUL)
    apply(module, *TILES)
    apply(module, *loading(module))
    apply(module, "compact-buffer-allocation", "lower-init-block", "compact-buffer-allocation")
    assert shapes(module) == {
        "A_shared": (32, 8),  # of a block of 32 x 32 elements, virtual threads together
        "B_shared": (8, 32),
        "A_shared_local": (2, 1),  # of a virtual thread of 2 x 2
        "B_shared_local": (1, 2),
        "C_local": (2, 2),
    }
    (a, b), c = factors(), np.zeros((32, 64), np.float32)
    run(module, "f", [a, b, c])
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("scope", "size"), [("local", 1), ("warp", 8), ("shared", 32), ("global", 64)]
)
def test_the_parts_that_threads_need(scope: str, size: int):
    """shared: of a block; local: of a thread; warp: of threadIdx.x; global: of all."""
    module = parse(
        """
func.func @f(%A: memref<64xf32>, %C: memref<64xf32>) {
  %S = tir.alloc "S" : memref<64xf32>
  tir.for %p in 64 {
    tir.block "S" (spatial %v in 64 = %p) do {
      %a = tir.load %A[%v] : memref<64xf32>
      tir.store %a, %S[%v] : memref<64xf32>
    }
  }
  tir.for %b in 2 thread "blockIdx.x" {
    tir.for %y in 4 thread "threadIdx.y" {
      tir.for %x in 8 thread "threadIdx.x" {
        tir.block "C" (spatial %v in 64 = %b * 32 + %y * 8 + %x) do {
          %s = tir.load %S[%v] : memref<64xf32>
          tir.store %s, %C[%v] : memref<64xf32>
        }
      }
    }
  }
  func.return
}
"""
    )
    said: list[str] = []
    with diagnostic_handler(lambda warning: said.append(warning.code)):
        apply(module, f"set-scope block=S buffer=S scope={scope}", "compute-at block=S loop=x")
    assert ("KC3413" in said) == (scope == "global")
    (block,) = [candidate for candidate in blocks_of(module) if candidate.label == "S"]
    loops = [loop for loop in loop_tree.loops_around(block) if loop.axis is None]
    assert [loop.static_extent for loop in loops] == ([size] if size > 1 else [])
    apply(module, "compact-buffer-allocation")
    assert shapes(module) == {"S": (size,)}
    a, c = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    run(module, "f", [a, c])
    assert np.array_equal(a, c)


def test_a_warning_is_about_the_call_that_computes_in_a_thread():
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: a[i] + 1, name="B")
    c = te.compute((8,), lambda i: b[i] * 2, name="C")
    sch = tir.Schedule(te.create_prim_func([a, c]))
    (i,) = sch.get_loops("C")
    sch.bind(i, "threadIdx.x")
    warnings: list[Diagnostic] = []
    with diagnostic_handler(warnings.append):
        sch.compute_at("B", i)  # here
    (warning,) = warnings
    assert warning.code == "KC3413"
    assert warning.location is not None
    line = Path(__file__).read_text().splitlines()[warning.location.line - 1]
    assert line.endswith("# here")


def test_a_reduction_in_two_steps_over_threads():
    """rfactor, and the last step across threads: the sum of a vector by a block."""
    module = lowered(
        """
te.func @f(%A: tensor<3x64xi32>) -> (tensor<3xi32>) {
  %B = te.compute "B" [%i = 3] reduce sum [%k = 64] {
    %a = te.read %A[%i, %k] : tensor<3x64xi32>
    te.yield %a : i32
  } : tensor<3xi32>
  te.return %B : tensor<3xi32>
}
"""
    )
    apply(
        module,
        "split block=B loop=k factors=?,16",
        "rfactor block=B loop=k_i factor_axis=0",
    )
    last = loop_tree.loops_around(blocks_of(module)[-1])
    apply(module, f"bind block=B loop={last[0].label} thread_axis=blockIdx.x")
    apply(module, f"bind block=B loop={last[1].label} thread_axis=threadIdx.x")
    apply(module, "set-scope block=B_rf buffer=0 scope=local")
    apply(module, f"compute-at block=B_rf loop={last[1].label}", "compact-buffer-allocation")
    assert shapes(module) == {"B_rf": (1, 1)}
    a = np.random.default_rng(2).integers(-99, 99, (3, 64)).astype(np.int32)
    b = np.zeros(3, np.int32)
    run(module, "f", [a, b])
    assert np.array_equal(b, a.sum(1))


def test_virtual_threads_run_on_a_cpu():
    module = lowered(MATMUL)
    apply(module, "split block=C loop=i factors=2,?", "bind block=C loop=i_o thread_axis=vthread")
    a, b = factors()
    c = kc.nd.empty((32, 64))
    kc.build(module, name="f")(a, b, c)
    np.testing.assert_allclose(np.asarray(c), a @ b, rtol=1e-4, atol=1e-4)


def exchanged() -> tir.Schedule:
    """Thread 0 computes what all threads read."""
    a = te.placeholder((3, 2), name="A")
    b = te.compute((3, 2), lambda i, j: a[i, j] + a[i, j], name="B")
    k = te.reduce_axis((0, 2), name="k")
    c = te.compute((3,), lambda i: te.max(b[i, k], axis=k), name="C")
    sch = tir.Schedule(te.create_prim_func([a, c]))
    i, k_loop = sch.get_loops("C")
    sch.bind(i, "threadIdx.x")
    with diagnostic_handler(lambda _: None):
        sch.compute_at("B", k_loop)
    sch.set_store_predicate("B", "threadIdx.x == 0")
    return sch


@pytest.mark.parametrize(
    ("primitive", "axis"),
    [
        ("bind", ("vthread",)),
        ("bind", ("blockIdx.x",)),
        ("unroll", ()),
        ("parallel", ()),
        ("vectorize", ()),
    ],
)
def test_threads_that_exchange_values_stay_threads(primitive: str, axis: tuple[str, ...]):
    sch = exchanged()
    before, loop = str(sch.mod), sch.get_loops("C")[0]
    with pytest.raises(kc.KCError) as caught:
        getattr(sch, primitive)(loop, *axis)
    lines = str(caught.value).splitlines()
    assert lines.pop(1).startswith("  --> ")
    assert [line.partition(" (from")[0] for line in lines] == [
        f"error[KC3408]: {primitive}: block C reads a value that another thread writes to B",
        "   |  for i in 3 threadIdx.x:    <-- threadIdx.x",
        "   |    for k in 2:",
        "   |      alloc B",
        "   |      for i_1 in 3:",
        "   |        block B    <-- writes B",
        "   |      block C    <-- reads B",
        "  why: threadIdx.x 1 reads B[1, 0], which threadIdx.x 0 writes; iterations of i that are "
        "not threads of threadIdx.x would not wait for each other",
        "  try: keep i bound to threadIdx.x",
    ]
    assert str(sch.mod) == before


def test_threads_that_exchange_values_may_take_another_axis_of_the_block():
    sch = exchanged()
    with diagnostic_handler(lambda _: None):
        sch.bind(sch.get_loops("C")[0], "threadIdx.y")
    x, y = np.arange(6, dtype=np.float32).reshape(3, 2), np.zeros(3, np.float32)
    run(sch.mod.op, "main", [x, y])
    np.testing.assert_array_equal(y, 2 * x.max(1))


def test_threads_that_combine_terms_may_become_iterations():
    a = te.placeholder((3, 4), name="A")
    k = te.reduce_axis((0, 4), name="k")
    c = te.compute((3,), lambda i: te.max(a[i, k], axis=k), name="C")
    sch = tir.Schedule(te.create_prim_func([a, c]))
    loop = sch.get_loops("C")[1]
    sch.bind(loop, "threadIdx.x")
    with diagnostic_handler(lambda _: None):
        sch.unroll(loop)
    assert sch.get(loop).kind_text == "unrolled"
    x, y = np.arange(12, dtype=np.float32).reshape(3, 4), np.zeros(3, np.float32)
    run(sch.mod.op, "main", [x, y])
    np.testing.assert_array_equal(y, x.max(1))


TRIANGLE = """
func.func @main(%A: memref<8x8xf32>) {
  tir.for %i in 8 {
    %n = tir.apply (%i + 1)
    tir.for %j in %n {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %A[%i, %j] : memref<8x8xf32>
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("first", ["i", "j"])
def test_the_number_of_threads_is_known_at_the_launch(first: str):
    sch = tir.Schedule(kc.IRModule.parse(TRIANGLE))
    second = "ij".strip(first)
    axes = {"i": "blockIdx.x", "j": "threadIdx.x"}
    sch.bind(first, axes[first])
    with pytest.raises(KCError) as caught:
        sch.bind(second, axes[second])
    assert re.sub(r" *\(?(--> |from <).*", "", caught.value.render()) == (
        "error[KC3443]: bind: the number of threads of j is unknown at the launch "
        "of the kernel\n\n"
        f"   |  for i in 8{' blockIdx.x' if first == 'i' else ''}:    <-- the kernel\n"
        f"   |    for j in n{' threadIdx.x' if first == 'j' else ''}:    <-- threadIdx.x\n"
        "   |      store to A\n"
        "  why: it is n, computed in loop i from values that are unknown outside it\n"
        "  try: bind a loop whose extent is a constant or depends on sizes of the function"
    )


def test_virtual_threads_that_exchange_values_stay_threads():
    text = """
func.func @f(%A: memref<4xf32>, %S: memref<4xf32>) {
  tir.for %v in 4 thread "vthread" {
    tir.block "S" (spatial %i in 4 = %v) do {
      %x = tir.load %A[%i] : memref<4xf32>
      tir.store %x, %S[%i] : memref<4xf32>
    }
    tir.block "A" (spatial %i in 4 = %v) do {
      %y = tir.load %S[3 - %i] : memref<4xf32>
      tir.store %y, %A[%i] : memref<4xf32>
    }
  }
  func.return
}"""
    s = kc.tir.Schedule(kc.IRModule.parse(text))
    with pytest.raises(kc.tir.ScheduleError) as caught:
        s.unroll(s.get_loops("S")[0])
    lines = str(caught.value).splitlines()
    assert lines.pop(1).startswith("  --> ")
    assert lines == [
        "error[KC3408]: unroll: block A reads a value that another thread writes to S",
        "   |  for v in 4 vthread:    <-- vthread",
        "   |    block S    <-- writes S",
        "   |    block A    <-- reads S (from <string>:8:5)",
        "  why: vthread 0 reads S[3], which vthread 3 writes; iterations of v that are not threads "
        "of vthread would not wait for each other",
        "  try: keep v bound to vthread",
    ]


@pytest.mark.parametrize("axis", ["threadIdx.x", "vthread"])
def test_iterations_that_read_what_others_write_stay_threads(axis: str):
    """In lockstep all threads read before the first one writes."""
    text = f"""
func.func @f(%S: memref<4xi32> {{kc.role = "inout"}}) {{
  tir.for %b in 1 thread "blockIdx.x" {{
    tir.for %v in 4 thread "{axis}" {{
      tir.block "P" (spatial %i in 4 = %v) do {{
        %a = tir.load %S[3 - %i] : memref<4xi32>
        tir.store %a, %S[%i] : memref<4xi32>
      }}
    }}
  }}
  func.return
}}
"""
    sch = tir.Schedule(kc.IRModule.parse(text))
    before = str(sch.mod)
    with pytest.raises(KCError) as caught:
        sch.unroll(sch.get_loops("P")[-1])
    assert caught.value.code == "KC3408"
    assert caught.value.message.endswith(
        f"threads of {axis} use an element of S in a different order than iterations"
    )
    assert caught.value.why == "P at (v=2) reads S[1], which P at (v=1) writes"
    assert str(sch.mod) == before


@pytest.mark.parametrize("primitive", ["unroll", "vectorize", "parallel"])
@pytest.mark.parametrize("axis", ["threadIdx.x", "vthread.x", "blockIdx.x"])
def test_threads_that_have_an_iteration_of_a_loop_each_keep_it(axis: str, primitive: str):
    """Thread t writes A[3 t] alone; a loop that is none of threads would write A[t + 2 w], for all
    w. Two loops that write the same in all threads are another matter."""
    text = f"""
func.func @f(%A: memref<4xi32>) {{
  tir.for %v in 2 thread "{axis}" {{
    tir.for %w in 2 thread "{axis}" {{
      %one = arith.constant 1 : i32
      tir.store %one, %A[%v + %w * 2] : memref<4xi32>
    }}
  }}
  func.return
}}
"""
    for name in ("v", "w"):
        sch = tir.Schedule(kc.IRModule.parse(text))
        before = str(sch.mod)
        with pytest.raises(KCError) as caught:
            getattr(sch, primitive)(sch.get_loop(name))
        assert caught.value.code == "KC3411"
        assert caught.value.message.endswith("the threads of v cannot share the iterations of w")
        assert caught.value.why == "work outside blocks cannot be compared"
        assert caught.value.hints == (f"keep {name} bound to {axis}",)
        assert str(sch.mod) == before


def test_work_that_threads_share_may_become_the_work_of_each():
    text = """
func.func @f(%A: memref<4xi32>, %B: memref<4xi32>) {
  tir.for %v in 4 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<4xi32, "shared">
    tir.for %w in 4 thread "threadIdx.x" {
      tir.block "S" (spatial %i in 4 = %w) do {
        %x = tir.load %A[3 - %i] : memref<4xi32>
        tir.store %x, %S[%i] : memref<4xi32, "shared">
      }
    }
    tir.block "B" (spatial %i in 4 = %v) do {
      %x = tir.load %S[%i] : memref<4xi32, "shared">
      tir.store %x, %B[%i] : memref<4xi32>
    }
  }
  func.return
}
"""
    sch = tir.Schedule(kc.IRModule.parse(text))
    with diagnostic_handler(lambda _: None):
        sch.unroll(sch.get_loop("w"))
    assert 'in 4 thread "threadIdx.x"' in str(sch.mod)
    arrays = [np.arange(4, dtype="int32"), np.zeros(4, "int32")]
    run(sch.mod.op, "f", arrays)
    assert arrays[1].tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("scope", ["local", "shared"])
def test_the_init_that_each_block_runs_needs_memory_of_its_own(scope: str):
    """The blocks along y all run the init of all of C. In global memory, that is refused; memory of
    a block may still be allocated outside the kernel. Terms of 0 leave the init as it is."""
    a = te.placeholder((4, 3), "int32", name="A")
    k = te.reduce_axis((0, 3), "k")
    c = te.compute((4, 2), lambda i, j: te.sum(a[i, k] * (j + 1), axis=[k]), name="C")
    d = te.compute((4, 2), lambda i, j: c[i, j] + 1, name="D")
    sch = tir.Schedule(te.create_prim_func([a, d]))
    i, j, _ = sch.get_loops("C")
    sch.bind(i, "threadIdx.x")
    sch.decompose_reduction("C", j)
    with pytest.raises(KCError) as refusal:
        sch.bind(j, "blockIdx.y")
    assert refusal.value.code == "KC3409"
    sch.set_scope("C", "C", scope)
    sch.bind(j, "blockIdx.y")

    def check(order: Random | None = None) -> None:
        array = np.array([[0, 2, 3], [0, 0, 5], [4, 0, 6], [0, 0, 0]], np.int32)
        result = np.full((4, 2), -9, np.int32)
        run(sch.mod.op, "main", [array, result], launch_order=order)
        np.testing.assert_array_equal(result, array.sum(1)[:, None] * [1, 2] + 1)

    check()
    sch.reverse_compute_at("D", j)
    check()
    check(Random(1))
    get_pass("verify-gpu-code").apply(context(), sch.mod.op)
