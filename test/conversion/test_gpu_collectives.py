"""Collective operations of gpu and nvvm compute numpy's results in the emulator."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from property_tests import is_in_slice

import kc
from kc.support.diagnostics import KCError

TARGET = "cuda-emu -arch=sm_90"


def kernel(body: str, threads: int) -> str:
    """A and B have a number for each thread of two blocks."""
    type_ = f"memref<2x{threads}xi32>"
    return f"""module attributes {{gpu.container_module}} {{
  func.func @main(%A: {type_}, %B: {type_}) {{
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %n = arith.constant {threads} : index
    gpu.launch_func @m::@k blocks in (%c2, %c1, %c1) threads in (%n, %c1, %c1)
        args(%A : {type_}, %B : {type_})
    func.return
  }}
  gpu.module @m {{
    gpu.func @k(%A: {type_}, %B: {type_}) kernel {{
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %all = arith.constant -1 : i32
      %c31 = arith.constant 31 : i32
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %a = memref.load %A[%b, %t] : {type_}
      %odd = arith.andi %a, %one : i32
      %p = arith.cmpi eq, %odd, %one : i32
      {body}
      memref.store %r, %B[%b, %t] : {type_}
      gpu.return
    }}
  }}
}}
"""


def lanes_of(a: np.ndarray) -> list[np.ndarray]:
    """The values of each warp of each block, as views."""
    return [row[first : first + 32] for row in a for first in range(0, a.shape[1], 32)]


def by_warp(function: Callable[[np.ndarray], object]) -> Callable[[np.ndarray], np.ndarray]:
    """A function of the values of a warp, for all of its lanes."""

    def apply(a: np.ndarray) -> np.ndarray:
        result = np.empty_like(a)
        for lanes, target in zip(lanes_of(a), lanes_of(result), strict=True):
            target[:] = np.asarray(function(lanes)).astype(np.int64).astype(np.uint32).view("int32")
        return result

    return apply


def by_block(function: Callable[[np.ndarray], object]) -> Callable[[np.ndarray], np.ndarray]:
    """A function of the values of a block, for all of its threads."""
    return lambda a: np.stack([np.full_like(row, function(row)) for row in a])


def ballot(bits: np.ndarray) -> int:
    return sum(1 << n for n, bit in enumerate(bits) if bit)


def clusters(a: np.ndarray) -> np.ndarray:
    """Maxima of lanes two apart, four of them, of those that there are."""
    lanes = np.arange(len(a))
    group = lanes // 8 * 2 + lanes % 2
    return np.array([a[group == group[lane]].max() for lane in lanes])


def rotated(a: np.ndarray) -> np.ndarray:
    lanes = np.arange(len(a))
    source = lanes // 8 * 8 + (lanes + 3) % 8
    return a[np.where(source < len(a), source, lanes)]


WORD = "arith.extui %{} : i1 to i32"
GPU = {
    "all_reduce add": ("%r = gpu.all_reduce add %a {} : (i32) -> (i32)", by_block(np.sum)),
    "all_reduce minsi": ("%r = gpu.all_reduce minsi %a {} : (i32) -> (i32)", by_block(np.min)),
    "all_reduce of a region": (
        """%r = gpu.all_reduce %a {
      ^bb0(%x: i32, %y: i32):
        %big = arith.maxsi %x, %y : i32
        gpu.yield %big : i32
      } : (i32) -> (i32)""",
        by_block(np.max),
    ),
    "all_reduce in a loop": (
        """%c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %a) -> (i32) {
        %x = gpu.all_reduce maxsi %s {} : (i32) -> (i32)
        %y = arith.subi %x, %s : i32
        scf.yield %y : i32
      }""",
        lambda a: a.max(1, keepdims=True) - a,
    ),
    "subgroup_reduce": (
        "%r = gpu.subgroup_reduce add %a : (i32) -> (i32)",
        by_warp(lambda a: np.full_like(a, a.sum())),
    ),
    "subgroup_reduce of clusters": (
        "%r = gpu.subgroup_reduce maxsi %a cluster(size = 4, stride = 2) : (i32) -> (i32)",
        by_warp(clusters),
    ),
    "rotate": ("%r, %v = gpu.rotate %a, 3, 8 : i32", by_warp(rotated)),
    "broadcast": (
        "%r = gpu.subgroup_broadcast %a, specific_lane %three : i32",
        by_warp(lambda a: np.full_like(a, a[3])),
    ),
    "broadcast of the first": (
        "%r = gpu.subgroup_broadcast %a, first_active_lane : i32",
        by_warp(lambda a: np.full_like(a, a[0])),
    ),
}
NVVM = {
    "registers": (
        """%0 = nvvm.read.ptx.sreg.tid.x : i32
      %1 = nvvm.read.ptx.sreg.ntid.x : i32
      %2 = nvvm.read.ptx.sreg.ctaid.x : i32
      %3 = nvvm.read.ptx.sreg.laneid : i32
      %4 = arith.muli %1, %2 : i32
      %5 = arith.addi %4, %0 : i32
      %6 = arith.muli %3, %a : i32
      %r = arith.addi %5, %6 : i32""",
        lambda a: np.arange(a.size).reshape(a.shape) + np.arange(a.shape[1]) % 32 * a,
    ),
    "shfl idx": (
        "%r = nvvm.shfl.sync idx %all, %a, %three, %c31 : i32 -> i32",
        by_warp(lambda a: np.full_like(a, a[3])),
    ),
    "shfl up": (
        """%s = nvvm.shfl.sync up %all, %a, %one, %zero {return_value_and_is_valid}
          : i32 -> !llvm.struct<(i32, i1)>
      %x = llvm.extractvalue %s[0] : !llvm.struct<(i32, i1)>
      %v = llvm.extractvalue %s[1] : !llvm.struct<(i32, i1)>
      %r = arith.select %v, %x, %zero : i32""",
        by_warp(lambda a: np.concatenate([[0], a[:-1]])),
    ),
    "ballot": ("%r = nvvm.vote.sync ballot %all, %p -> i32", by_warp(lambda a: ballot(a & 1))),
    "any": (
        f"%0 = nvvm.vote.sync any %all, %p -> i1\n%r = {WORD.format('0')}",
        by_warp(lambda a: (a & 1).any()),
    ),
    "all": (
        f"%0 = nvvm.vote.sync all %all, %p -> i1\n%r = {WORD.format('0')}",
        by_warp(lambda a: (a & 1).all()),
    ),
    "uni": (
        f"%0 = nvvm.vote.sync uni %all, %p -> i1\n%r = {WORD.format('0')}",
        by_warp(lambda a: len(set(a & 1)) == 1),
    ),
    "match any": (
        "%r = nvvm.match.sync any %all, %odd : i32 -> i32",
        by_warp(lambda a: [ballot((a & 1) == (x & 1)) for x in a]),
    ),
    "match all": (
        f"""%s = nvvm.match.sync all %all, %odd : i32 -> !llvm.struct<(i32, i1)>
      %x = llvm.extractvalue %s[0] : !llvm.struct<(i32, i1)>
      %v = llvm.extractvalue %s[1] : !llvm.struct<(i32, i1)>
      %w = {WORD.format("v")}
      %r = arith.addi %x, %w : i32""",
        by_warp(lambda a: ballot(np.ones(len(a))) + 1 if len(set(a & 1)) == 1 else 0),
    ),
    "redux": (
        "%r = nvvm.redux.sync xor %a, %all : i32 -> i32",
        by_warp(lambda a: np.full_like(a, np.bitwise_xor.reduce(a))),
    ),
    "elect": (
        f"%0 = nvvm.elect.sync -> i1\n%r = {WORD.format('0')}",
        by_warp(lambda a: np.arange(len(a)) == 0),
    ),
    "barrier popc": (
        "%r = nvvm.barrier #nvvm.reduction<popc> %odd -> i32",
        by_block(lambda a: (a & 1).sum()),
    ),
    "barrier": (
        "nvvm.barrier0\nnvvm.barrier\nnvvm.memory.barrier <cta>\n%r = arith.addi %a, %one : i32",
        lambda a: a + 1,
    ),
}


@pytest.mark.parametrize("name", [*GPU, *NVVM])
def test_an_operation(name: str):
    """In one warp and twelve lanes of another; every third one, and all in a sweep, in two whole
    warps too."""
    compute(name, 44)
    if is_in_slice(name, 3):
        compute(name, 64)


def compute(name: str, threads: int) -> None:
    """Check that an operation gives numpy's result in blocks of ``threads`` threads."""
    body, expected = {**GPU, **NVVM}[name]
    text = kernel(body, threads)
    a = np.random.default_rng(3).integers(-50, 50, (2, threads)).astype("int32")
    a[0, :32] |= 1  # a warp in which all are odd
    b = np.zeros_like(a)
    kc.build(kc.IRModule.parse(text), target=TARGET)(a, b)
    np.testing.assert_array_equal(b, expected(a))


@pytest.mark.parametrize("mode", ["xor", "up", "down", "idx"])
@pytest.mark.parametrize(("offset", "width"), [(5, 32), (3, 8), (8, 16), (9, 8), (33, 16), (40, 8)])
def test_shuffles(mode: str, offset: int, width: int):
    """As PTX defines ``shfl.sync``, also for offsets that leave a segment of lanes."""
    a = np.random.default_rng(5).integers(-50, 50, (2, 64)).astype("int32")
    lanes = np.arange(64) % 32
    first, last, far = lanes // width * width, lanes // width * width + width - 1, offset & 31
    source, is_valid = {
        "xor": (lanes ^ far, (lanes ^ far) <= last),
        "up": (lanes - far, lanes - far >= first),
        "down": (lanes + far, lanes + far <= last),
        "idx": (first + far % width, lanes >= 0),
    }[mode]
    source = np.where(is_valid, np.arange(64) // 32 * 32 + source, np.arange(64))
    body = f"""%o = arith.constant {offset} : i32
      %w = arith.constant {width} : i32
      %x, %v = gpu.shuffle {mode} %a, %o, %w : i32
      %big = arith.constant 1000 : i32
      %y = arith.addi %x, %big : i32
      %r = arith.select %v, %y, %x : i32"""
    b = np.zeros_like(a)
    kc.build(kc.IRModule.parse(kernel(body, 64)), target=TARGET)(a, b)
    np.testing.assert_array_equal(b, a[:, source] + 1000 * is_valid)


@pytest.mark.parametrize(
    "name", ["all_reduce in a loop", "subgroup_reduce of clusters", "match any"]
)
def test_nothing_is_wrong_with_them(name: str):
    body, expected = {**GPU, **NVVM}[name]
    a = np.random.default_rng(4).integers(-50, 50, (2, 44)).astype("int32")
    b = np.zeros_like(a)
    report = kc.gpu.check(kernel(body, 44), a, b)
    assert report.ok, str(report)
    np.testing.assert_array_equal(b, expected(a))


def test_reductions_have_ptx():
    """Reductions that become shuffles for the emulator also do so for a GPU."""
    text = kernel(GPU["all_reduce add"][0], 64)
    text = text.replace(
        ") kernel {", ") kernel attributes {known_block_size = array<i32: 64, 1, 1>} {"
    )
    module = kc.build(kc.IRModule.parse(text), target="cuda")
    ptx = module.imported_modules[0].get_source()
    assert ptx.count("shfl.sync") == 5
    assert ptx.count("bar.sync") == 2


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            "nvvm.barrier id = %one number_of_threads = %c31",
            "nvvm.barrier is not emulated\n"
            "  why: the number of threads is 31, but must be a multiple of 32, the size of a warp",
        ),
        (
            "nvvm.barrier.arrive id = %c31 number_of_threads = %all",
            "nvvm.barrier.arrive is not emulated\n"
            "  why: a block has the barriers 0 to 15, and no 31",
        ),
        ("%0 = nvvm.shfl.sync idx %c31, %a, %three, %c31 : i32 -> i32", "nvvm.shfl.sync"),
        ("%0 = nvvm.vote.sync ballot %one, %p -> i32", "nvvm.vote.sync"),
        ("nvvm.fence.sc.cluster", "nvvm.fence.sc.cluster"),
        ("nvvm.griddepcontrol wait", "nvvm.griddepcontrol"),
        ("%0 = nvvm.read.ptx.sreg.clock : i32", "nvvm.read.ptx.sreg.clock"),
    ],
)
def test_what_is_not_emulated_is_named(line: str, text: str, tmp_path: Path):
    program = kernel(f"{line}\n%r = arith.addi %a, %one : i32", 64)
    file = tmp_path / "kernel.mlir"
    file.write_text(program)
    number = program[: program.index(line)].count("\n") + 1
    with pytest.raises(KCError) as caught:
        kc.build(kc.IRModule.parse(program, str(file)), target=TARGET)
    why = text.partition("\n")[2]
    assert str(caught.value) == (
        f"error[KC4302]: convert-gpu-to-cpu: {text.split(' is')[0]} is not emulated\n"
        f"  --> {file}:{number}:7  {line}"
        f"\n{why or '  try: --target=cuda runs it on a GPU, and kc-translate --to=ptx compiles it'}"
    )


def test_threads_print(capfd: pytest.CaptureFixture[str]):
    """In C's format, whatever the width of the numbers."""
    body = """%h = arith.sitofp %a : i32 to f16
      %low = arith.trunci %a : i32 to i8
      gpu.printf "%d: %+.1f, %u and %x, 100%%\\n", %t, %h, %low, %a : index, f16, i8, i32
      gpu.printf "-\\n"
      %r = arith.addi %a, %one : i32"""
    a = np.array([[-1, 300]] * 2, "int32")
    kc.build(kc.IRModule.parse(kernel(body, 2)), target=TARGET)(a, np.zeros_like(a))
    printed = ["0: -1.0, 255 and ffffffff, 100%", "-", "1: +300.0, 44 and 12c, 100%", "-"]
    # Blocks run in any order.
    assert sorted(capfd.readouterr().out.splitlines()) == sorted(printed * 2)


def test_the_host_fills_memory():
    """As a whole, and the one element of a scalar, with tokens between the operations."""
    text = """
    func.func @main(%A: memref<3x?xf32>, %S: memref<f32>, %x: f32) {
      %t = gpu.wait async
      %u = gpu.memset async [%t] %A, %x : memref<3x?xf32>, f32
      gpu.memset %S, %x : memref<f32>, f32
      gpu.wait [%u]
      func.return
    }
    """
    a, s = np.zeros((3, 5), "float32"), np.zeros((), "float32")
    kc.build(kc.IRModule.parse(text), target=TARGET)(a, s, 2.5)
    assert (a == 2.5).all()
    assert s == 2.5
