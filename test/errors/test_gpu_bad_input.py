"""Kernels that no GPU runs, by every way in: the flags of kc-opt, text for kc-translate and kc-run,
schedules of TE. Each is refused with the line, the numbers and what would do; full texts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kc
from kc import te
from kc.support.diagnostics import KCError
from kc.tools import kc_opt, kc_run, kc_translate

TARGET = "cuda -arch=sm_80"

PLAIN = """func.func @add(%A: memref<70000x2048xf32>, %B: memref<70000x2048xf32>) {
  tir.for %i in 70000 {
    tir.for %j in 2048 {
      tir.block "B" (spatial %v_i in 70000 = %i, spatial %v_j in 2048 = %j) do {
        %a = tir.load %A[%v_i, %v_j] : memref<70000x2048xf32>
        tir.store %a, %B[%v_i, %v_j] : memref<70000x2048xf32>
      }
    }
  }
  func.return
}
"""
PASSED_ON = """func.func @pass_on(%A: memref<64xf32>, %C: memref<64xf32>) {
  %B = tir.alloc "B" : memref<64xf32>
  tir.for %b in 64 thread "blockIdx.x" {
    tir.block "B" (spatial %v in 64 = %b) do {
      %a = tir.load %A[%v] : memref<64xf32>
      tir.store %a, %B[%v] : memref<64xf32>
    }
    tir.block "C" (spatial %v in 64 = %b) do {
      %a = tir.load %B[63 - %v] : memref<64xf32>
      tir.store %a, %C[%v] : memref<64xf32>
    }
  }
  func.return
}
"""
TWO_EXTENTS = """func.func @two(%A: memref<64xf32>, %B: memref<32xf32>, %x: f32) {
  tir.for %b in 1 thread "blockIdx.x" {
    tir.for %t in 64 thread "threadIdx.x" {
      tir.block "A" (spatial %v in 64 = %t) do {
        tir.store %x, %A[%v] : memref<64xf32>
      }
    }
    tir.for %u in 32 thread "threadIdx.x" {
      tir.block "B" (spatial %v in 32 = %u) do {
        tir.store %x, %B[%v] : memref<32xf32>
      }
    }
  }
  func.return
}
"""
TALL = """func.func @tall(%A: memref<70000x4xf32>, %x: f32) {
  tir.for %i in 70000 thread "blockIdx.y" {
    tir.for %j in 4 thread "threadIdx.x" {
      tir.block "A" (spatial %v_i in 70000 = %i, spatial %v_j in 4 = %j) do {
        tir.store %x, %A[%v_i, %v_j] : memref<70000x4xf32>
      }
    }
  }
  func.return
}
"""


def kernel(body: str, threads: int = 64, memory: str = "") -> str:
    """A kernel of one block at the level of the dialect gpu, whose body is on line 4."""
    size = f"{{known_block_size = array<i32: {threads}, 1, 1>}}"
    return f"""module attributes {{gpu.container_module}} {{ gpu.module @m {{
gpu.func @k(%A: memref<64xf32>) {memory} kernel attributes {size} {{
%t = gpu.thread_id x
{body}
gpu.return
}} }}
func.func @main(%A: memref<64xf32>) {{
  %one = arith.constant 1 : index
  %n = arith.constant {threads} : index
  gpu.launch_func @m::@k blocks in (%one, %one, %one) threads in (%n, %one, %one)
    args(%A : memref<64xf32>)
  func.return
}} }}
"""


SHARED = "memref<64xf32, #gpu.address_space<workgroup>>"
REVERSED = f"""%x = memref.load %A[%t] : memref<64xf32>
memref.store %x, %S[%t] : {SHARED}
gpu.barrier
%last = arith.constant 63 : index
%r = arith.subi %last, %t : index
%y = memref.load %S[%r] : {SHARED}
memref.store %y, %A[%t] : memref<64xf32>"""
SHUFFLED = """%half = arith.constant 16 : index
%low = arith.cmpi ult, %t, %half : index
%x = memref.load %A[%t] : memref<64xf32>
scf.if %low {
  %o = arith.constant 1 : i32
  %w = arith.constant 32 : i32
  %y, %valid = gpu.shuffle xor %x, %o, %w : f32
  memref.store %y, %A[%t] : memref<64xf32>
}"""
INSTRUCTION = """gpu.module @m {
  llvm.func @k(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    OPERATION
    llvm.return
  }
}
"""

Tool = Callable[[list[str]], int]


def said(
    tool: Tool, text: str, flags: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> str:
    """The diagnostic of a failing tool for a file, with the file named ``k.mlir`` in the text.

    ``kc-run`` prints it between the arrays and a table, which are left out.
    """
    file = tmp_path / "k.mlir"
    file.write_text(text)
    assert tool([str(file), *flags]) == 1
    printed = capsys.readouterr()
    if tool is not kc_run.main:
        return printed.err.replace(str(file), "k.mlir")
    findings = printed.out.partition("error[")[2].partition("buffer ")[0]
    return f"error[{findings}".replace(str(file), "k.mlir")


CASES: dict[str, tuple[Tool, str, list[str], str]] = {
    "2,048 threads": (
        kc_opt.main,
        PLAIN,
        ["--bind=loop=j thread-axis=threadIdx.x", f"--target={TARGET}"],
        "error[KC3404]: bind: 2048 threads in one block, sm_80 allows 1024\n"
        "  --> k.mlir:3:5  tir.for %j in 2048 {\n"
        "   |  for i in 70000:\n"
        "   |    for j in 2048:    <-- threadIdx.x\n"
        "   |      block B\n"
        "  why: the product of threadIdx.{x,y,z} must be <= 1024 on this target\n"
        "  try: split factor 1024, 512 or 256\n",
    ),
    "grid.y of 70,000": (
        kc_opt.main,
        PLAIN,
        ["--bind=loop=i thread-axis=blockIdx.y", f"--target={TARGET}"],
        "error[KC3405]: bind: 70000 blocks along blockIdx.y, sm_80 allows 65535\n"
        "  --> k.mlir:2:3  tir.for %i in 70000 {\n"
        "   |  for i in 70000:    <-- blockIdx.y\n"
        "   |    for j in 2048:\n"
        "   |      block B\n"
        "  why: the extent of blockIdx.y must be <= 65535 on this target\n"
        "  try: split factor 35000, 17500 or 14000\n",
    ),
    "grid.x of 3 * 2**40": (
        kc_opt.main,
        PLAIN.replace("70000", str(3 << 40)),
        ["--bind=loop=i thread-axis=blockIdx.x", f"--target={TARGET}"],
        "error[KC3405]: bind: 3298534883328 blocks along blockIdx.x, sm_80 allows 2147483647\n"
        "  --> k.mlir:2:3  tir.for %i in 3298534883328 {\n"
        "   |  for i in 3298534883328:    <-- blockIdx.x\n"
        "   |    for j in 2048:\n"
        "   |      block B\n"
        "  why: the extent of blockIdx.x must be <= 2147483647 on this target\n"
        "  try: split factor 1610612736, 1073741824 or 805306368\n",
    ),
    "grid.x of a prime number": (
        kc_opt.main,
        PLAIN.replace("70000", str((1 << 61) - 1)),
        ["--bind=loop=i thread-axis=blockIdx.x", f"--target={TARGET}"],
        "error[KC3405]: bind: 2305843009213693951 blocks along blockIdx.x, sm_80 allows "
        "2147483647\n"
        "  --> k.mlir:2:3  tir.for %i in 2305843009213693951 {\n"
        "   |  for i in 2305843009213693951:    <-- blockIdx.x\n"
        "   |    for j in 2048:\n"
        "   |      block B\n"
        "  why: the extent of blockIdx.x must be <= 2147483647 on this target\n",
    ),
    "grid.y of 70,000, bound in text": (
        kc_translate.main,
        TALL,
        ["--to=ptx", f"--target={TARGET}"],
        "error[KC3444]: verify-gpu-code: 70000 blocks along blockIdx.y in @tall, sm_80 allows "
        "65535\n"
        '  --> k.mlir:2:3  tir.for %i in 70000 thread "blockIdx.y" {\n'
        "  why: the extent of blockIdx.y must be <= 65535 on this target\n"
        "  try: split i, and bind a part of it to another axis\n",
    ),
    "threadIdx.x of two extents": (
        kc_translate.main,
        TWO_EXTENTS,
        ["--to=ptx", f"--target={TARGET}"],
        "error[KC3403]: verify-gpu-code: u has 32 threads of threadIdx.x, t 64\n"
        '  --> k.mlir:8:5  tir.for %u in 32 thread "threadIdx.x" {\n'
        "   |  for b in 1 blockIdx.x:\n"
        "   |    for t in 64 threadIdx.x:    <-- 64 threadIdx.x\n"
        "   |      block A\n"
        "   |    for u in 32 threadIdx.x:    <-- 32 threadIdx.x\n"
        "   |      block B\n"
        "  why: loops bound to threadIdx.x in one kernel are the same threads, so their extents "
        "must be equal\n"
        "  try: split u by factors=?,64\n"
        "  try: bind u to another axis\n",
    ),
    "what another block writes": (
        kc_translate.main,
        PASSED_ON,
        ["--to=ptx", f"--target={TARGET}"],
        "error[KC3408]: verify-gpu-code: block C reads a value that another "
        "thread block writes to B\n"
        '  --> k.mlir:8:5  tir.block "C" (spatial %v in 64 = %b) do {\n'
        "   |  for b in 64 blockIdx.x:\n"
        "   |    block B    <-- writes B\n"
        "   |    block C    <-- reads B\n"
        "  why: blockIdx.x 0 reads B[63], which blockIdx.x 63 writes; thread blocks run in any "
        "order and do not wait for each other\n",
    ),
    "an operation too new for the GPU": (
        kc_translate.main,
        INSTRUCTION.replace("OPERATION", "%e = nvvm.elect.sync -> i1"),
        ["--to=ptx", f"--target={TARGET}"],
        "error[KC4360]: nvvm.elect.sync: the target is sm_80 with PTX 8.0, which does not have it\n"
        "  --> k.mlir:3:5  %e = nvvm.elect.sync -> i1\n"
        "  why: it needs sm_90 or later and PTX 8.0 or later\n",
    ),
    "an operation that is none": (
        kc_translate.main,
        INSTRUCTION.replace("OPERATION", "nvvm.teleport %p : !llvm.ptr"),
        ["--to=ptx", f"--target={TARGET}"],
        "error[KC1002]: there is no operation 'nvvm.teleport'\n"
        "  --> k.mlir:3:5  nvvm.teleport %p : !llvm.ptr\n"
        "  try: did you mean 'nvvm.inline_ptx' or 'nvvm.elect.sync' or 'nvvm.exit'?\n",
    ),
    "a shuffle that half of a warp comes to": (
        kc_run.main,
        kernel(SHUFFLED, threads=32),
        ["--target=cuda-emu", "--check"],
        "error[KC6302]: thread 0 of block 0 waits at a shuffle, and thread 16 has ended\n"
        "  --> k.mlir:10:3  %y, %valid = gpu.shuffle xor %x, %o, %w : f32\n"
        "   |  seen 2 times\n"
        "  why: all threads of a block come to a barrier, and all lanes to a shuffle\n",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_text(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    tool, text, flags, expected = CASES[case]
    assert said(tool, text, flags, tmp_path, capsys) == expected


def test_a_barrier_that_is_taken_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Some threads read what is not written yet, the others what nothing orders."""
    whole = kernel(REVERSED, memory=f"workgroup(%S : {SHARED})")
    file = tmp_path / "k.mlir"
    file.write_text(whole)
    flags = ["--target=cuda-emu", "--check"]
    assert kc_run.main([str(file), *flags]) == 0
    capsys.readouterr()
    without = whole.replace("gpu.barrier\n", "")
    read = f"k.mlir:8:1  %y = memref.load %S[%r] : {SHARED}\n"
    written = f"k.mlir:5:1  memref.store %x, %S[%t] : {SHARED}\n"
    order = (
        "   |  seen 32 times\n"
        "  why: nothing orders threads but a barrier of their block, and nothing orders blocks\n"
    )
    assert said(kc_run.main, without, flags, tmp_path, capsys) == (
        "error[KC6305]: S[63] is read by thread 0 of block 0, and no thread has written it\n"
        f"  --> {read}"
        "   |  seen 32 times\n"
        "  why: memory of a block holds anything until a thread of it writes\n"
        "error[KC6301]: S[32] is written by thread 32 of block 0, and was read by thread 31\n"
        f"  --> {written}   |  the other: {read}{order}"
        "error[KC6301]: S[31] is read by thread 32 of block 0, and was written by thread 31\n"
        f"  --> {read}   |  the other: {written}{order}"
    )


UNORDERED = f"""warning[KC6301]: verify-gpu-code: S[0] is written by thread 0 of block 0 and read \
by thread 63, with no barrier in between
  --> k.mlir:5:1  memref.store %x, %S[%t] : {SHARED}
   |  kernel: k
   |  the other: k.mlir:8:1  %y = memref.load %S[%r] : {SHARED}
  why: nothing orders threads but a barrier of their block, and nothing orders blocks
"""
PARTING = """warning[KC6302]: verify-gpu-code: thread 0 of block 0 reaches a shuffle, but thread \
16 does not
  --> k.mlir:10:3  %y, %valid = gpu.shuffle xor %x, %o, %w : f32
   |  kernel: k
  why: all threads of a block come to a barrier, and all lanes to a shuffle
"""
BEYOND = """warning[KC6303]: verify-gpu-code: A[64] is written by thread 64 of block 0, outside of \
its bounds
  --> k.mlir:8:3  memref.store %x, %A[%tx] : memref<64xf32>
   |  kernel: main_kernel
  why: on a GPU such an access may touch anything
"""
LAUNCHED = """func.func @main(%A: memref<64xf32>, %x: f32) {
  %one = arith.constant 1 : index
  %n = arith.constant 65 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
    threads(%tx, %ty, %tz) in (%sx = %n, %sy = %one, %sz = %one)
  {

  memref.store %x, %A[%tx] : memref<64xf32>
  gpu.terminator
  }
  func.return
}
"""
CERTAIN = {
    "no barrier": (
        kernel(REVERSED.replace("gpu.barrier\n", ""), memory=f"workgroup(%S : {SHARED})"),
        UNORDERED,
    ),
    "half of a warp": (kernel(SHUFFLED), PARTING),
    "a thread too many": (LAUNCHED, BEYOND),
    "nothing": (kernel(REVERSED, memory=f"workgroup(%S : {SHARED})"), ""),
}


@pytest.mark.parametrize("case", CERTAIN)
@pytest.mark.parametrize(
    ("tool", "flags"),
    [
        (kc_opt.main, ["--lower-to-nvvm", f"--target={TARGET}"]),
        (kc_translate.main, ["--to=ptx", f"--target={TARGET}"]),
        (kc_translate.main, ["--to=metal", "--target=metal"]),
        (kc_run.main, ["--target=cuda-emu"]),
    ],
)
def test_what_is_certain_of_a_given_kernel(
    case: str, tool: Tool, flags: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Nobody has to ask for it: whoever compiles the kernel is warned."""
    text, expected = CERTAIN[case]
    file = tmp_path / "k.mlir"
    file.write_text(text)
    assert tool([str(file), *flags]) == 0
    assert capsys.readouterr().err.replace(str(file), "k.mlir") == expected


def tile(size: int) -> tuple[Any, list[Any]]:
    """Each block reads a part of A of ``size`` x 64 numbers by way of shared memory."""
    A = te.placeholder((4 * size, 64), name="A")
    B = te.compute(A.shape, lambda i, j: A[i, 63 - j] * 2.0, name="B")
    s = te.create_schedule(B.op)
    S = s.cache_read(A, "shared", [B])
    block, row = s[B].split(B.op.axis[0], size)
    s[S].compute_at(s[B], block)
    s[B].bind(block, te.thread_axis("blockIdx.x"))
    s[B].bind(B.op.axis[1], te.thread_axis("threadIdx.x"))
    s[S].bind(s[S].op.axis[1], te.thread_axis("threadIdx.x"))
    return s, [A, B]


def test_more_shared_memory_than_a_block_has():
    """320 x 64 numbers are 80 KiB; what a GPU has decides."""
    s, args = tile(320)
    kc.build(s, args, target="cuda -arch=sm_80")
    with pytest.raises(KCError) as caught:
        kc.build(s, args, target="cuda -arch=sm_75")
    title, where, *rest = str(caught.value).splitlines()
    assert title == (
        "error[KC3440]: verify-gpu-code: a block of @main uses 80 KiB of shared memory, sm_75 "
        "allows 64 KiB"
    )
    assert where.startswith(f"  --> {__file__}:")
    assert where.endswith('S = s.cache_read(A, "shared", [B])')
    assert rest == [
        "   |  A_shared      80 KiB  320x64xf32",
        "  why: the shared buffers of a block that are alive at the same time occupy disjoint "
        "memory",
        "  try: compute_at A_shared at i_i: 256 B instead of 80 KiB",
    ]
