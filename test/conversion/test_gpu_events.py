"""Barriers of some threads, asynchronous copies and mbarriers in the emulator: they are watched."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import kc
from kc.gpu import build_watched
from kc.runtime import load_module
from kc.runtime.module import Module
from kc.support.diagnostics import KCError

TARGET = "cuda-emu -arch=sm_90"
TYPE = "memref<2x64xf32>"
SHARED = "memref<64xf32, #gpu.address_space<workgroup>>"
POINTER = '"memref.extract_aligned_pointer_as_index"'
WORDS = "memref<2xi64, #gpu.address_space<workgroup>>"


VALUES = f"""%zero = arith.constant 0 : i32
%one = arith.constant 1 : i32
%i2 = arith.constant 2 : i32
%i32 = arith.constant 32 : i32
%i64 = arith.constant 64 : i32
%i96 = arith.constant 96 : i32
%all = arith.constant -1 : i32
%low = arith.constant 65535 : i32
%ns = arith.constant 1000000 : i32
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
%c16 = arith.constant 16 : index
%c31 = arith.constant 31 : index
%c32 = arith.constant 32 : index
%c63 = arith.constant 63 : index
%c128 = arith.constant 128 : index
%b = gpu.block_id x
%t = gpu.thread_id x
%r = arith.subi %c63, %t : index
%x = arith.xori %t, %c1 : index
%first = arith.cmpi eq, %t, %c0 : index
%is_low = arith.cmpi ult, %t, %c32 : index
%four = arith.muli %t, %c4 : index
%s0 = {POINTER}(%S) : ({SHARED}) -> index
%s1 = arith.addi %s0, %four : index
%s2 = arith.index_cast %s1 : index to i64
%p = llvm.inttoptr %s2 : i64 to !llvm.ptr<3>
%a0 = {POINTER}(%A) : ({TYPE}) -> index
%row = arith.muli %b, %c63 : index
%row64 = arith.addi %row, %b : index
%at = arith.addi %row64, %t : index
%bytes = arith.muli %at, %c4 : index
%a1 = arith.addi %a0, %bytes : index
%a2 = arith.index_cast %a1 : index to i64
%q = llvm.inttoptr %a2 : i64 to !llvm.ptr<1>
%m0 = {POINTER}(%M) : ({WORDS}) -> index
%m1 = arith.index_cast %m0 : index to i64
%m = llvm.inttoptr %m1 : i64 to !llvm.ptr<3>
%a = memref.load %A[%b, %t] : {TYPE}"""
"""Definitions of values; a body is preceded by those that it uses."""


def kernel(name: str, body: list[str]) -> tuple[str, str]:
    """Host code and a kernel of two blocks of 64 threads.

    They have A and B, and in each block the arrays S of numbers and M of mbarriers; %p is a pointer
    to S[t], %q to A[b, t], %m to M[0].
    """
    lines = "\n".join(body)
    for line in reversed(VALUES.splitlines()):
        if re.search(rf"{line.split(' = ')[0]}\b", lines):
            lines = f"{line}\n{lines}"
    host = f"""
  func.func @{name}(%A: {TYPE}, %B: {TYPE}) {{
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @m::@{name} blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%A : {TYPE}, %B : {TYPE})
    func.return
  }}"""
    device = f"""
    gpu.func @{name}(%A: {TYPE}, %B: {TYPE}) workgroup(%S : {SHARED}, %M : {WORDS}) kernel {{
      {lines}
      gpu.return
    }}"""
    return host, device


def ir_of(kernels: dict[str, list[str]]) -> kc.IRModule:
    """All in one, as functions with the names that :func:`symbol` gives."""
    parts = [kernel(symbol(name), body) for name, body in kernels.items()]
    hosts, devices = ("\n".join(column) for column in zip(*parts, strict=True))
    return kc.IRModule.parse(
        f"module attributes {{gpu.container_module}} {{{hosts}\ngpu.module @m {{{devices}\n}}\n}}"
    )


def symbol(name: str) -> str:
    return "".join(char if char.isalnum() else "_" for char in name)


def branch(low: str, high: str) -> str:
    """A branch in which the first warp runs ``low`` and the second runs ``high``."""
    return f"scf.if %is_low {{\n{low}\n}} else {{\n{high}\n}}"


STORE = f"memref.store %a, %S[%t] : {SHARED}"
LOAD = f"%v = memref.load %S[%r] : {SHARED}\nmemref.store %v, %B[%b, %t] : {TYPE}"
NEIGHBOUR = f"%v = memref.load %S[%x] : {SHARED}\nmemref.store %v, %B[%b, %t] : {TYPE}"
OWN = f"%v = memref.load %S[%t] : {SHARED}\nmemref.store %v, %B[%b, %t] : {TYPE}"
COPY = "nvvm.cp.async.shared.global %p, %q, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>"
COMMIT = "nvvm.cp.async.commit.group"
INIT = """scf.if %first {
  nvvm.mbarrier.init %m, %i64 : !llvm.ptr<3>, i32
}"""
ARRIVE = "%state = nvvm.mbarrier.arrive %m : !llvm.ptr<3> -> i64"
WAIT = "nvvm.mbarrier.try_wait.parity %m, %zero, %ns : !llvm.ptr<3>, i32, i32"
SPIN = """scf.while () : () -> () {{
  %done = {} -> i1
  %again = arith.cmpi eq, %done, %no : i1
  scf.condition(%again)
}} do {{
  scf.yield
}}"""
NO = "%no = arith.constant false"
LANES = "nvvm.bar.warp.sync %all : i32"
BARRIER = "nvvm.barrier id = %one number_of_threads = %i64"


def reversed_rows(a: np.ndarray) -> np.ndarray:
    return a[:, ::-1]


def pairs(a: np.ndarray) -> np.ndarray:
    return a[:, np.arange(64) ^ 1]


FLAG = f"""%no_flag = arith.constant 0 : i64
scf.if %first {{
  memref.store %no_flag, %M[%c0] : {WORDS}
}}
gpu.barrier"""
UNTIL_FLAG = f"""scf.while : () -> () {{
  %flag = memref.atomic_rmw ori %no_flag, %M[%c0] : (i64, {WORDS}) -> i64
  %again = arith.cmpi eq, %flag, %no_flag : i64
  scf.condition(%again)
}} do {{
  scf.yield
}}"""
SET_FLAG = f"""%is_last = arith.cmpi eq, %t, %c63 : index
scf.if %is_last {{
  %set = arith.constant 1 : i64
  %old = memref.atomic_rmw ori %set, %M[%c0] : (i64, {WORDS}) -> i64
}}"""
COPY_A = f"memref.store %a, %B[%b, %t] : {TYPE}"
RIGHT = {
    "a loop until another thread writes": (
        [FLAG, branch(UNTIL_FLAG, SET_FLAG), COPY_A],
        lambda a: a,
    ),
    "a named barrier": ([STORE, BARRIER, LOAD], reversed_rows),
    "a named barrier of all": ([STORE, "nvvm.barrier id = %i2", LOAD], reversed_rows),
    "one in each branch": (
        [STORE, branch(BARRIER, BARRIER), LOAD],
        reversed_rows,
    ),
    "the second warp makes, the first one takes": (
        [
            branch(
                f"{BARRIER}\n{LOAD}",
                "nvvm.barrier.arrive id = %i2 number_of_threads = %i64\n"
                f"{STORE}\nnvvm.barrier.arrive id = %one number_of_threads = %i64",
            )
        ],
        lambda a: np.where(np.arange(64) < 32, a[:, ::-1], 0),
    ),
    "each warp at its own": (
        [
            STORE,
            branch(
                "nvvm.barrier id = %one number_of_threads = %i32",
                "nvvm.barrier id = %i2 number_of_threads = %i32",
            ),
            NEIGHBOUR,
        ],
        pairs,
    ),
    "lanes": ([STORE, LANES, NEIGHBOUR], pairs),
    "half of the lanes, in a branch": (
        [
            STORE,
            "%half = arith.cmpi ult, %t, %c16 : index",
            "scf.if %half {\nnvvm.bar.warp.sync %low : i32",
            NEIGHBOUR,
            "}",
        ],
        lambda a: np.where(np.arange(64) < 16, pairs(a), 0),
    ),
    "a copy": ([COPY, COMMIT, "nvvm.cp.async.wait.group 0", "gpu.barrier", LOAD], reversed_rows),
    "an own copy needs no barrier": (
        [COPY, COMMIT, "nvvm.cp.async.wait.group 0", OWN],
        lambda a: a,
    ),
    "bytes that are not read": (
        [COPY.replace("ca :", "ca, %zero :") + ", i32", COMMIT, "nvvm.cp.async.wait.group 0", OWN],
        np.zeros_like,
    ),
    "the last of two groups goes on": (
        [COPY, COMMIT, COMMIT, "nvvm.cp.async.wait.group 1", "gpu.barrier", LOAD],
        reversed_rows,
    ),
    "an mbarrier": ([INIT, "gpu.barrier", STORE, ARRIVE, WAIT, LOAD], reversed_rows),
    "tries": (
        [NO, INIT, "gpu.barrier", STORE, ARRIVE]
        + [SPIN.format("nvvm.mbarrier.try_wait %m, %zero : !llvm.ptr<3>, i32"), LOAD],
        reversed_rows,
    ),
    "a state": (
        [NO, INIT, "gpu.barrier", STORE, ARRIVE]
        + [SPIN.format("nvvm.mbarrier.test.wait %m, %state : !llvm.ptr<3>, i64"), LOAD],
        reversed_rows,
    ),
    "the phase before the first": (
        [INIT, "gpu.barrier", WAIT.replace("%zero", "%one"), STORE, "gpu.barrier", LOAD],
        reversed_rows,
    ),
    "several arrivals of one": (
        [INIT, "gpu.barrier", STORE, LANES]
        + ["%lane = arith.andi %t, %c31 : index", "%leads = arith.cmpi eq, %lane, %c0 : index"]
        + ["scf.if %leads {\n%state = nvvm.mbarrier.arrive %m, %i32 : !llvm.ptr<3> -> i64\n}"]
        + [WAIT, LOAD],
        reversed_rows,
    ),
    "expected bytes": (
        [INIT, "gpu.barrier", STORE]
        + ["scf.if %first {", "nvvm.mbarrier.expect_tx %m, %i96 : !llvm.ptr<3>, i32", "}"]
        + ["gpu.barrier", ARRIVE]
        + ["scf.if %first {", "nvvm.mbarrier.complete_tx %m, %i96 : !llvm.ptr<3>, i32", "}"]
        + [WAIT, LOAD],
        reversed_rows,
    ),
    "copies arrive": (
        [INIT, "gpu.barrier", COPY]
        + ["nvvm.cp.async.mbarrier.arrive %m {noinc = true} : !llvm.ptr<3>", WAIT, LOAD],
        reversed_rows,
    ),
}


WRONG = {
    "a loop until memory changes": (
        [FLAG, branch(UNTIL_FLAG, ""), COPY_A],
        "deadlock",
        "thread 0 of block 0 repeats a loop until memory changes, and no thread of its block goes "
        "on",
    ),
    "no barrier between warps": (
        [STORE, branch(BARRIER.replace("%i64", "%i32"), BARRIER.replace("%i64", "%i32")), LOAD],
        "race",
        "S[31] is read by thread 32 of block 0, and was written by thread 31",
    ),
    "lanes of one warp alone": (
        [STORE, LANES, LOAD],
        "race",
        "S[63] is read by thread 0 of block 0, and was written by thread 63",
    ),
    "too few come": (
        [STORE, branch(BARRIER, ""), LOAD],
        "deadlock",
        "thread 0 of block 0 waits at a barrier for 64 threads, of which 32 have come, and thread "
        "32 has ended",
    ),
    "two barriers, each for all": (
        [STORE, branch(BARRIER, BARRIER.replace("%one", "%i2")), LOAD],
        "deadlock",
        "thread 0 of block 0 waits at a barrier for 64 threads, of which 32 have come, and thread "
        "32 is at another barrier",
    ),
    "two numbers of threads": (
        [STORE, branch(BARRIER, BARRIER.replace("%i64", "%i96")), LOAD],
        "divergent-barrier",
        "thread 32 of block 0 waits at a barrier, and thread 0 is at another barrier",
    ),
    "a lane is missing": (
        [STORE, "scf.if %first {", "} else {", LANES, "}", NEIGHBOUR],
        "deadlock",
        "thread 1 of block 0 waits at a barrier of lanes, and thread 0 has ended",
    ),
    "a third reader": (
        [
            STORE,
            "gpu.barrier",
            # A warp reads S[0]. The write is behind the reads of lanes 16 to 31, and no other ones.
            "scf.if %is_low {",
            f"%v = memref.load %S[%c0] : {SHARED}",
            f"memref.store %v, %B[%b, %t] : {TYPE}",
            "%high = arith.constant -65536 : i32",
            "%is_not_low = arith.cmpi uge, %t, %c16 : index",
            "scf.if %is_not_low {",
            "nvvm.bar.warp.sync %high : i32",
            "%is_last = arith.cmpi eq, %t, %c31 : index",
            "scf.if %is_last {",
            f"memref.store %a, %S[%c0] : {SHARED}",
            "}",
            "}",
            "}",
        ],
        "race",
        "S[0] is written by thread 31 of block 0, and was read by thread 15",
    ),
    "a copy is not waited for": (
        [COPY, COMMIT, "gpu.barrier", LOAD],
        "race",
        "S[63] is read by thread 0 of block 0, and was copied by thread 63",
    ),
    "an own copy is not waited for": (
        [COPY, COMMIT, OWN],
        "race",
        "S[0] is read by thread 0 of block 0, whose own copy to it is not done",
    ),
    "too many groups go on": (
        [COPY, COMMIT, "nvvm.cp.async.wait.group 1", "gpu.barrier", LOAD],
        "race",
        "S[63] is read by thread 0 of block 0, and was copied by thread 63",
    ),
    "a copy that is in no group": (
        [COPY, "nvvm.cp.async.wait.group 0", "gpu.barrier", LOAD],
        "race",
        "S[63] is read by thread 0 of block 0, and was copied by thread 63",
    ),
    "no barrier behind the wait": (
        [COPY, COMMIT, "nvvm.cp.async.wait.group 0", LOAD],
        "race",
        "S[31] is read by thread 32 of block 0, and was copied by thread 31",
    ),
    "copied over what is still read": (
        [STORE, "gpu.barrier", LOAD, COPY, COMMIT, "nvvm.cp.async.wait.group 0"],
        "race",
        "S[32] is copied by thread 32 of block 0, and was read by thread 31",
    ),
    "no mbarrier": (
        [STORE, ARRIVE, WAIT, LOAD],
        "uninitialised",
        "the mbarrier at M[0] is used by thread 0 of block 0, and no thread has initialised it",
    ),
    "an mbarrier that nobody waited to be made": (
        [INIT, STORE, ARRIVE, WAIT, LOAD],
        "race",
        "the mbarrier at M[0] is used by thread 1 of block 0, and was initialised by thread 0",
    ),
    "one arrival too few": (
        [INIT, "gpu.barrier", STORE, "scf.if %first {", "} else {", ARRIVE, "}", WAIT, LOAD],
        "deadlock",
        "thread 0 of block 0 waits at an mbarrier for 64 arrivals, of which 63 have come",
    ),
    "not waited for the phase": (
        [INIT, "gpu.barrier", STORE, ARRIVE, LOAD],
        "race",
        "S[31] is read by thread 32 of block 0, and was written by thread 31",
    ),
    "waited for the phase before": (
        [INIT, "gpu.barrier", STORE, ARRIVE, WAIT.replace("%zero", "%one"), LOAD],
        "race",
        "S[63] is read by thread 0 of block 0, and was written by thread 63",
    ),
    "a copy from outside": (
        ["%a3 = llvm.getelementptr %q[1024] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32"]
        + [COPY.replace("%q", "%a3"), COMMIT, "nvvm.cp.async.wait.group 0"],
        "out-of-bounds",
        "A is read by thread 0 of block 0 outside of its bounds",
    ),
    "a copy to nowhere": (
        ["%s3 = llvm.getelementptr %p[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32"]
        + [COPY.replace("%p", "%s3"), COMMIT, "nvvm.cp.async.wait.group 0"],
        "out-of-bounds",
        "S is copied by thread 0 of block 0 outside of its bounds",
    ),
    "a copy of 16 bytes at a multiple of 4": (
        [COPY.replace("4, cache", "16, cache"), COMMIT, "nvvm.cp.async.wait.group 0"],
        "misaligned",
        "A[1] is read by thread 1 of block 0 at an address that is not aligned",
    ),
}


A = np.random.default_rng(3).random((2, 64), dtype="float32")


DEADLOCK = "a lane is missing"


@pytest.fixture(scope="module")
def module() -> Module:
    """The kernels that are called as they are; those of both tables are watched, compiled once."""
    bodies = {name: entry[0] for name, entry in (RIGHT | WRONG).items()}
    module = kc.build(ir_of({name: bodies[name] for name in (*RIGHT, DEADLOCK)}), target=TARGET)
    watched = build_watched(ir_of(bodies), TARGET)
    assert watched is not None
    module.watched = lambda: watched
    return module


@pytest.mark.parametrize("name", RIGHT)
def test_it_computes_and_nothing_is_wrong(name: str, module: Module):
    expected = RIGHT[name][1](A)
    b = np.zeros_like(A)
    module[symbol(name)](A, b)
    np.testing.assert_array_equal(b, expected)
    b[:] = 0
    report = kc.gpu.check(module, A, b, name=symbol(name))
    assert report.ok, str(report)
    np.testing.assert_array_equal(b, expected)


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_found(name: str, module: Module):
    _, kind, message = WRONG[name]
    report = kc.gpu.check(module, A, np.zeros_like(A), name=symbol(name))
    mistakes = [(finding.kind, finding.message) for finding in report.findings]
    assert (kind, message) in mistakes, str(report)


def test_a_deadlock_without_checks_is_said(module: Module, capfd: pytest.CaptureFixture[str]):
    function = module[symbol(DEADLOCK)]
    calls = [lambda: function(A, np.zeros_like(A)), function.prepare(A, np.zeros_like(A))]
    for call in calls:
        with pytest.raises(KCError) as caught:
            call()
        assert str(caught.value) == (
            "error[KC6308]: a_lane_is_missing: threads of 2 blocks wait for an event that never "
            "occurs\n"
            "  why: a barrier, an mbarrier or a copy that they wait for never completes; a GPU "
            "would hang. The emulator ended the threads: the output of the kernel is undefined\n"
            "  try: kc.gpu.check reports which threads wait, where, and for what"
        )
    assert capfd.readouterr().err == ""
    right = module[symbol(next(iter(RIGHT)))]
    right(A, np.zeros_like(A))  # what was counted is over


def test_a_deadlock_in_a_library_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    """Of a file nobody asks: the line is all there is."""
    file = tmp_path / "events.o"
    kc.build(ir_of({DEADLOCK: WRONG[DEADLOCK][0]}), target=TARGET).save(str(file))
    load_module(str(file))[symbol(DEADLOCK)](A, np.zeros_like(A))
    assert capfd.readouterr().err == 2 * (
        "kc: threads of an emulated block wait for what never comes, and are ended; kc.gpu.check "
        "says where\n"
    )


def test_a_function_with_a_barrier():
    """It is a part of the kernel, for the emulator and in PTX."""
    host, device = kernel("k", ["func.call @exchange(%A, %B, %S, %b, %t, %r) : "])
    types = f"({TYPE}, {TYPE}, {SHARED}, index, index, index) -> ()"
    device = device.replace("%r) : ", f"%r) : {types}")
    arguments = f"%A: {TYPE}, %B: {TYPE}, %S: {SHARED}, %b: index, %t: index, %r: index"
    function = f"""func.func @exchange({arguments}) {{
      %a = memref.load %A[%b, %t] : {TYPE}
      {STORE}
      gpu.barrier
      {LOAD}
      func.return
    }}"""
    home = f"gpu.module @m {{{function}{device}\n}}"
    text = f"module attributes {{gpu.container_module}} {{{host}\n{home}\n}}"
    module = kc.build(kc.IRModule.parse(text), target="cuda -arch=sm_80")
    assert module.imported_modules[0].get_source().count("bar.sync") == 1
    b = np.zeros_like(A)
    report = kc.gpu.check(module, A, b)
    assert report.ok
    assert report.barriers == 2
    np.testing.assert_array_equal(b, reversed_rows(A))
