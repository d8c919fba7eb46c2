"""Asynchronous stages: every copy has been waited for when it is read.

The programs are run here, one thread, with copies as late as a GPU may do them: when a thread waits
for their group. Until then their elements have no value.
"""

from __future__ import annotations

import re
import subprocess
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lowering_support import parse, text_of
from optional_tools import find
from property_tests import examples, is_in_slice
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, SSAValue

import kc
from kc import te
from kc.analysis import loop_tree
from kc.analysis.interpreter import run
from kc.dialects.nvvm import CpAsyncCommitGroupOp, CpAsyncWaitGroupOp
from kc.dialects.tir import AllocOp, ApplyOp, ForOp, IfOp, LoadOp, StoreOp
from kc.dialects.tir.memory import ASYNC_COPY
from kc.support import registry
from kc.support.diagnostics import Diagnostic, diagnostic_handler
from kc.support.registry import get_pass
from kc.transforms.tir.pipeline.inject_software_pipeline import InjectSoftwarePipelinePass

TARGET = "cuda -arch=sm_80"
PTXAS = find("ptxas")
PASSES = (
    "plan-software-pipeline",
    "lower-init-block",
    "compact-buffer-allocation",
    "lower-blocks",
    "inject-software-pipeline",
    "unify-thread-binding",
    "thread-sync",
)


class LateCopies:
    """Runs a function of one thread; ``arrays`` are its buffers by name."""

    def __init__(self, arrays: dict[str, np.ndarray], sizes: dict[str, int]) -> None:
        self.arrays = arrays
        self.values: dict[SSAValue, Any] = {}
        self.sizes = sizes
        self.copies: list[tuple[tuple, tuple]] = []
        self.groups: list[list[tuple[tuple, tuple]]] = []
        self.copied = 0

    def value(self, value: SSAValue) -> int:
        if value in self.values:
            return self.values[value]
        assert value.name_hint is not None
        return self.sizes[value.name_hint]

    def place(self, op: LoadOp | StoreOp) -> tuple[str, tuple[int, ...]]:
        given = [self.value(operand) for operand in op.operands_of_map]
        name = loop_tree.buffer_name(op.buffer)
        if isinstance(op.buffer.owner, AllocOp) and name not in self.arrays:
            shape = op.buffer.type.get_shape()  # pyright: ignore
            self.arrays[name] = np.full(shape, None, object)
        return name, tuple(expr.eval(given, []) for expr in op.indices.data.results)

    def run(self, block: Block) -> None:
        for op in block.ops:
            match op:
                case ForOp():
                    extent = op.extent_value
                    for i in range(extent if isinstance(extent, int) else self.value(extent)):
                        self.values[op.var] = i
                        self.run(op.body.block)
                case IfOp():
                    given = [self.value(operand) for operand in op.operands_of_set]
                    if all(
                        constraint.lhs.eval(given, []) >= 0
                        for constraint in op.condition.data.constraints
                    ):
                        self.run(op.then.block)
                case ApplyOp():
                    given = [self.value(operand) for operand in op.operands_of_map]
                    self.values[op.result] = op.map.data.results[0].eval(given, [])
                case LoadOp():
                    name, at = self.place(op)
                    self.values[op.result] = self.arrays[name][at]
                    assert self.values[op.result] is not None, f"{name}{at} is read too early"
                case StoreOp() if ASYNC_COPY in op.attributes:
                    name, at = self.place(op)
                    self.arrays[name][at] = None
                    load = op.value.owner
                    assert isinstance(load, LoadOp)
                    self.copies.append(((name, at), self.place(load)))
                    self.copied += 1
                case StoreOp():
                    name, at = self.place(op)
                    self.arrays[name][at] = self.value(op.value)
                case CpAsyncCommitGroupOp():
                    self.groups.append(self.copies)
                    self.copies = []
                case CpAsyncWaitGroupOp():
                    while len(self.groups) > op.n.value.data:
                        for (to, at), (source, index) in self.groups.pop(0):
                            self.arrays[to][at] = self.arrays[source][index]
                case arith.ConstantOp():
                    assert isinstance(op.value, IntegerAttr)
                    self.values[op.result] = op.value.value.data
                case arith.AddiOp():
                    self.values[op.result] = self.value(op.lhs) + self.value(op.rhs)
                case _:
                    assert op.name in ("tir.alloc", "func.return"), op.name


def random_pipeline(random: Random) -> tuple[str, int]:
    """A loop that copies elements to shared memory and adds them up, and its number of iterations.

    Statement ``n`` copies X[i + n] to Pn, or stores the sum of earlier copies in Y[n, i].
    """
    count = random.randint(2, 6)
    stages: list[int] = []
    copies: list[int] = []
    body: list[str] = []
    for n in range(count):
        if not copies or (n < count - 1 and random.random() < 0.5):
            copies.append(n)
            stages.append(random.randint(0, 2))
            body += [
                f"%x{n} = tir.load %X[%i + {n}] : memref<32xi32>",
                f'tir.store %x{n}, %P{n}[0] : memref<1xi32, "shared">',
            ]
            continue
        used = random.sample(copies, random.randint(1, len(copies)))
        stages.append(max(stages[copy] for copy in used) + random.randint(0, 2))
        body.append(f"%s{n} = arith.constant 0 : i32")
        last = f"%s{n}"
        for copy in used:
            body += [
                f'%l{n}_{copy} = tir.load %P{copy}[0] : memref<1xi32, "shared">',
                f"%a{n}_{copy} = arith.addi {last}, %l{n}_{copy} : i32",
            ]
            last = f"%a{n}_{copy}"
        body.append(f"tir.store {last}, %Y[{n}, %i] : memref<6x24xi32>")
    order = list(range(count))
    for _ in range(random.randint(0, 6)):
        at = random.randrange(count - 1)
        if stages[order.index(at)] != stages[order.index(at + 1)]:
            first, second = order.index(at), order.index(at + 1)
            order[first], order[second] = order[second], order[first]
    extent = random.choice((1, 2, 3, 4, 5, 9))
    asynchronous = sorted(set(stages[copy] for copy in copies if random.random() < 0.8))
    allocs = [f'%P{copy} = tir.alloc "P{copy}" : memref<1xi32, "shared">' for copy in copies]
    size = "%n" if random.random() < 0.5 else extent
    notes = [f"software_pipeline_stage = {stages}", f"software_pipeline_order = {order}"]
    if asynchronous:
        notes.append(f"software_pipeline_async_stages = {asynchronous}")
    text = f"""
func.func @f(%X: memref<32xi32>, %Y: memref<6x24xi32>, %n: index) {{
  tir.for %i in {size} annotations {{{", ".join(notes)}}} {{
    {chr(10).join(allocs + body)}
  }}
  func.return
}}
"""
    return text, extent


def injected(text: str, target: str = TARGET) -> tuple[Any, list[Diagnostic]]:
    module = parse(text)
    warnings: list[Diagnostic] = []
    with kc.Target(target), diagnostic_handler(warnings.append):
        InjectSoftwarePipelinePass().apply(None, module)  # pyright: ignore
    module.verify()
    return module, warnings


def check(seed: int) -> int:
    """The number of elements that a random program copies asynchronously; checks its results."""
    text, extent = random_pipeline(Random(seed))
    source = np.random.default_rng(seed).integers(-99, 99, 32)
    expected = {"X": source.copy(), "Y": np.zeros((6, 24), int)}
    LateCopies(expected, {"n": extent}).run(loop_tree.functions(parse(text))[0].body.block)
    module, _ = injected(text)
    late = LateCopies({"X": source, "Y": np.zeros((6, 24), int)}, {"n": extent})
    late.run(loop_tree.functions(module)[0].body.block)
    np.testing.assert_array_equal(late.arrays["Y"], expected["Y"], text_of(module))
    assert not any(late.groups)
    return late.copied


@given(seed=st.integers(0, 2**32))
@examples(30)
def test_random_pipelines(seed: int):
    check(seed)


def test_some_are_copied():
    assert sum(check(seed) > 0 for seed in range(20)) > 8


def product(n: int = 64, terms: int = 64) -> tuple[Any, list[Any]]:
    """A product whose tiles are copied two steps before they are used."""
    A = te.placeholder((n, terms), name="A")
    B = te.placeholder((terms, n), name="B")
    k = te.reduce_axis((0, terms), name="k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")  # pyright: ignore[reportArgumentType]
    s = kc.tir.Schedule(te.create_prim_func([A, B, C]))
    block = s.get_block("C")
    i, j, k = s.get_loops(block)
    (bi, ii), (bj, jj) = s.split(i, [None, 16]), s.split(j, [None, 16])
    ko, ki = s.split(k, [None, 8])
    ti, i2 = s.split(ii, [4, 4])
    tj, j2 = s.split(jj, [4, 4])
    s.reorder(bi, bj, ti, tj, ko, ki, i2, j2)
    for loop, axis in zip(
        (bi, bj, ti, tj), ("blockIdx.y", "blockIdx.x", "threadIdx.y", "threadIdx.x"), strict=True
    ):
        s.bind(loop, axis)
    s.reverse_compute_at(s.cache_write(block, 0, "local"), tj)
    for source in (0, 1):
        tile = s.cache_read(block, source, "shared")
        s.compute_at(tile, ko)
        fused = s.fuse(*s.get_loops(tile)[-2:])
        _, y, x, lanes = s.split(fused, [None, 4, 4, 4])
        s.bind(y, "threadIdx.y")
        s.bind(x, "threadIdx.x")
        s.vectorize(lanes)
    s.decompose_reduction(block, ko)
    s.annotate(ko, "software_pipeline_stage", [0, 0, 2])
    s.annotate(ko, "software_pipeline_async_stages", [0])
    generator = np.random.default_rng(3)
    a, b = generator.random((n, terms)), generator.random((terms, n))
    return s, [a.astype(np.float32), b.astype(np.float32), np.zeros((n, n), np.float32)]


@pytest.fixture(scope="module")
def built() -> tuple[Any, list[Any]]:
    """The product for sm_80, and its arrays."""
    s, arrays = product()
    return kc.build(s.mod, target=TARGET), arrays


def test_ptx(built: tuple[Any, list[Any]]):
    """In a step: one wait, one barrier, the copies as a group; none waits before it has to."""
    module, _ = built
    kernel = [line.strip() for line in module.get_source("gpu").splitlines()]
    waits = [line for line in kernel if line.startswith("nvvm.cp.async.wait.group")]
    # The steady state, and the two steps behind it.
    assert waits == [f"nvvm.cp.async.wait.group {count}" for count in (1, 1, 0)]
    assert kernel.count("nvvm.cp.async.commit.group") == 3
    ptx = [line.strip() for line in module.imported_modules[0].get_source("ptx").splitlines()]
    before = [ptx[n - 1].split()[0] for n, line in enumerate(ptx) if line.startswith("bar.sync")]
    assert before
    assert set(before) == {"cp.async.wait_group"}
    copies = [line for line in ptx if line.startswith("cp.async.c")]
    assert any(line.startswith("cp.async.cg.shared.global") for line in copies)
    assert not any(line.startswith("st.shared") for line in ptx)


def checked(text: str) -> tuple[set[str], bool]:
    """The findings of the emulator in the kernel of a module at the gpu level, and True if its
    result is right.
    """
    _, (a, b, c) = product(16, 32)
    report = kc.gpu.check(text, a, b, c, target="cuda-emu -arch=sm_80")
    return {finding.kind for finding in report.findings}, np.allclose(c, a @ b, rtol=1e-5)


def test_emulated():
    """Copies are done as late as they may be: no wait and no barrier is missing, and none may be
    left out, moved, or wait for less. A missing one is a race, and the result is wrong."""
    s, _ = product(16, 32)
    module = kc.build(s.mod, target=TARGET)
    assert "cp.async" not in module.get_source("cuda")
    text = module.get_source("gpu")
    assert checked(text) == (set(), True)
    wait, barrier = "nvvm.cp.async.wait.group", "gpu.barrier"
    seeded = {
        "waits for less": text.replace(f"{wait} 1", f"{wait} 2").replace(f"{wait} 0", f"{wait} 1"),
        "no wait": re.sub(rf" *{wait} \d\n", "", text),
        "no barrier": re.sub(rf" *{barrier}\n", "", text),
        "barrier first": re.sub(rf"({wait} \d)\n *{barrier}\n", rf"{barrier}\n\1\n", text),
    }
    for mistake, changed in seeded.items():
        assert changed != text, mistake
        if not is_in_slice(mistake, 2):
            continue
        kinds, is_right = checked(changed)
        assert "race" in kinds, mistake
        assert not is_right, mistake


@pytest.mark.skipif(PTXAS is None, reason="needs ptxas")
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
def test_ptxas(built: tuple[Any, list[Any]], arch: str, tmp_path: Any):
    module, _ = built
    ptx = tmp_path / "k.ptx"
    source = module.imported_modules[0].get_source("ptx")
    ptx.write_text(source.replace(".target sm_80", f".target {arch}"))
    command = [str(PTXAS), f"-arch={arch}", "-v", str(ptx), "-o", str(tmp_path / "k.cubin")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert "0 bytes spill stores, 0 bytes spill loads" in said


REFUSED = {
    "%x = tir.load %X[%i] : memref<32xi32>  %y = arith.addi %x, %x : i32 "
    'tir.store %y, %P[0] : memref<4xi32, "shared">': (
        "the value stored to P is not an unchanged element of global memory"
    ),
    "tir.for %j in 4 { %x = tir.load %X[%i + %j] : memref<32xi32> "
    'tir.store %x, %P[0] : memref<4xi32, "shared"> }': (
        "an element of P is stored more than once in an iteration"
    ),
    '%x = tir.load %Z[%i] : memref<32xi32>  tir.store %x, %P[0] : memref<4xi32, "shared">': (
        "the source of the copy to P is written in the loop"
    ),
    "%x = tir.load %X[%i] : memref<32xi32>  tir.store %x, %Y[%i] : memref<32xi32>": (
        "an argument is not shared memory of an iteration"
    ),
}


@pytest.mark.parametrize("copy", REFUSED)
def test_no_copies(copy: str):
    """An element that cannot be copied alone is stored at once, and a warning gives the reason."""
    text = f"""
func.func @f(%X: memref<32xi32>, %Y: memref<32xi32>, %Z: memref<32xi32>) {{
  tir.for %i in 8 annotations {{software_pipeline_stage = [0, 1],
                               software_pipeline_async_stages = [0]}} {{
    %P = tir.alloc "P" : memref<4xi32, "shared">
    {copy}
    %p = tir.load %P[0] : memref<4xi32, "shared">
    tir.store %p, %Z[%i] : memref<32xi32>
  }}
  func.return
}}
"""
    module, warnings = injected(text)
    assert "async" not in text_of(module)
    assert [warning.render().splitlines() for warning in warnings] == [
        [
            "warning[KC4237]: inject-software-pipeline: nothing is copied asynchronously in "
            "stage 0 of loop i",
            "  --> k.mlir:3:3",
            f"  why: {REFUSED[copy]}",
            "  try: its statements run like statements of other stages",
        ]
    ]


def test_other_targets():
    """A GPU before sm_80 and a CPU copy by loads and stores, and say so; results are the same."""
    s, (a, b, c) = product(16, 32)
    warnings: list[Diagnostic] = []
    with diagnostic_handler(warnings.append):
        module = kc.build(s.mod, target="cuda -arch=sm_75")
    assert "cp.async" not in module.imported_modules[0].get_source("ptx")
    assert [warning.code for warning in warnings] == ["KC4237"]
    assert warnings[0].why == "only NVIDIA's GPUs from sm_80 on have asynchronous copies"
    lowered = s.mod.op.clone()
    with kc.Target(TARGET):
        for name in PASSES:
            get_pass(name).apply(registry.context(), lowered)
    assert text_of(lowered).count("nvvm.cp.async.wait.group") == 3
    run(lowered, "main", [a, b, c])
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)
