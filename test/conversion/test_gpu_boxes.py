"""Copies of boxes of tensors (TMA) in the emulator: where elements lie, and what is watched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import kc
from kc.support.diagnostics import KCError

TARGET = "cuda-emu -arch=sm_90a"
WORKGROUP = "#gpu.address_space<workgroup>"
POINTER = '"memref.extract_aligned_pointer_as_index"'
WAIT = "nvvm.mbarrier.try_wait.parity %m, %phase, %ns : !llvm.ptr<3>, i32, i32"
EXPECT = "%state = nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32 -> i64"
LOAD = (
    "nvvm.cp.async.bulk.tensor.shared.cluster.global %p, %place, %m, box[%column, %row] : "
    "!llvm.ptr<7>, !llvm.ptr"
)
FENCE = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}"
STORE = (
    "nvvm.cp.async.bulk.tensor.global.shared.cta %place, %q, box[%column, %row] : !llvm.ptr, <3>"
)
COMMIT = "nvvm.cp.async.bulk.commit.group"
DONE = "nvvm.cp.async.bulk.wait_group 0"


@dataclass(frozen=True)
class Box:
    """A box of 16 rows of halves, from an element of a matrix of 40 x 128 on."""

    columns: int = 64
    span: int = 128
    row: int = 8
    column: int = 64

    @property
    def map(self) -> str:
        swizzle = f"swizzle_{self.span}b" if self.span else "none"
        return (
            f"<tensor = memref<16x{self.columns}xf16, {WORKGROUP}>, swizzle = {swizzle}, "
            "l2promo = l2promo_256b, oob = zero, interleave = none>"
        )

    def place(self) -> np.ndarray:
        """The position of each element in shared memory, by the XOR of the bits of its address."""
        linear = 2 * np.arange(16 * self.columns).reshape(16, self.columns)
        mask = self.span - 16 if self.span else 0
        return (linear ^ (linear >> 3 & mask)) // 2


def kernel(box: Box, body: str) -> str:
    """A kernel of a block of 32 threads: A is 40 x 128, B has the elements of the box, in the order
    of shared memory."""
    count = 16 * box.columns
    type_ = f"!nvgpu.tensormap.descriptor{box.map}"
    shared, words = f"memref<{2 * count}xf16, {WORKGROUP}>", f"memref<1xi64, {WORKGROUP}>"
    return f"""module attributes {{gpu.container_module}} {{
  func.func @f(%A: memref<40x128xf16>, %B: memref<{count}xf16>) {{
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %columns = arith.constant {box.columns} : index
    %all = memref.cast %A : memref<40x128xf16> to memref<*xf16>
    %map = nvgpu.tma.create.descriptor %all box[%c16, %columns] : memref<*xf16> -> {box.map}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%map : {type_}, %B : memref<{count}xf16>)
    func.return
  }}
  gpu.module @m {{
    gpu.func @k(%A: {type_}, %B: memref<{count}xf16>)
        workgroup(%S : {shared} {{llvm.align = 1024 : i64}}, %M : {words}) kernel {{
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %count = arith.constant {count} : index
      %one = arith.constant 1 : i32
      %phase = arith.constant 0 : i32
      %bytes = arith.constant {2 * count} : i32
      %ns = arith.constant 1000000 : i32
      %row = arith.constant {box.row} : i32
      %column = arith.constant {box.column} : i32
      %first = arith.cmpi eq, %t, %c0 : index
      %s0 = {POINTER}(%S) : ({shared}) -> index
      %s1 = arith.index_cast %s0 : index to i64
      %q = llvm.inttoptr %s1 : i64 to !llvm.ptr<3>
      %p = llvm.addrspacecast %q : !llvm.ptr<3> to !llvm.ptr<7>
      %m0 = {POINTER}(%M) : ({words}) -> index
      %m1 = arith.index_cast %m0 : index to i64
      %m = llvm.inttoptr %m1 : i64 to !llvm.ptr<3>
      %place = builtin.unrealized_conversion_cast %A : {type_} to !llvm.ptr
      {body}
      gpu.return
    }}
  }}
}}"""


def loading(box: Box, start: str = f"{EXPECT}\n{LOAD}", wait: str = WAIT) -> str:
    """The box in shared memory, and from there element by element to B."""
    count = 16 * box.columns
    return kernel(
        box,
        f"""scf.if %first {{
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
      }}
      gpu.barrier
      scf.if %first {{
        {start}
      }}
      {wait}
      scf.for %n = %t to %count step %c32 {{
        %v = memref.load %S[%n] : memref<{2 * count}xf16, {WORKGROUP}>
        memref.store %v, %B[%n] : memref<{count}xf16>
      }}""",
    )


def storing(box: Box, fence: str = FENCE, done: str = DONE) -> str:
    """B in shared memory, and from there as a box to A."""
    count = 16 * box.columns
    return kernel(
        box,
        f"""scf.for %n = %t to %count step %c32 {{
        %v = memref.load %B[%n] : memref<{count}xf16>
        memref.store %v, %S[%n] : memref<{2 * count}xf16, {WORKGROUP}>
      }}
      {fence}
      gpu.barrier
      scf.if %first {{
        {STORE}
        {COMMIT}
        {done}
      }}""",
    )


def matrix() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((40, 128)).astype("float16")


def part(a: np.ndarray, box: Box) -> np.ndarray:
    """The elements of a box, with zeros around the matrix."""
    padded = np.pad(a, 200)
    return padded[200 + box.row :, 200 + box.column :][:16, : box.columns]


BOXES = [
    Box(),
    Box(columns=32, span=64, row=-3, column=-8),  # before the matrix
    *(
        pytest.param(box, marks=pytest.mark.sweep)
        for box in (
            Box(columns=16, span=32),
            Box(columns=64, span=0, row=0, column=0),
            Box(columns=32, span=64, row=0, column=32),
            Box(row=30, column=100),  # beyond it
        )
    ),
]


@pytest.mark.parametrize("box", BOXES, ids=str)
def test_elements_come_to_lie_by_the_bits_of_their_address(box: Box):
    a, b = matrix(), np.zeros(16 * box.columns, "float16")
    report = kc.gpu.check(loading(box), a, b, target=TARGET)
    assert report.ok, str(report)
    np.testing.assert_array_equal(b[box.place()], part(a, box))


@pytest.mark.parametrize("box", BOXES, ids=str)
def test_boxes_are_stored_where_the_array_is(box: Box):
    a, b = matrix(), np.random.default_rng(1).standard_normal(16 * box.columns).astype("float16")
    expected = np.pad(a, 200)
    expected[200 + box.row :, 200 + box.column :][:16, : box.columns] = b[box.place()]
    report = kc.gpu.check(storing(box), a, b, target=TARGET)
    assert report.ok, str(report)
    np.testing.assert_array_equal(a, expected[200:240, 200:328])


def findings_of(text: str) -> list[str]:
    """The kinds and messages of what is found."""
    a, b = matrix(), np.zeros(1024, "float16")
    report = kc.gpu.check(text, a, b, target=TARGET)
    return [f"{finding.kind}: {finding.message}" for finding in report.findings]


@pytest.mark.parametrize(
    "text",
    [
        loading(Box(), wait=""),
        loading(Box(), wait=WAIT.replace("%phase", "%one")),  # of the phase before
        # Nobody expects the bytes: the phase is complete when its one arrival has come.
        loading(Box(), f"%state = nvvm.mbarrier.arrive %m : !llvm.ptr<3> -> i64\n{LOAD}"),
    ],
    ids=["no wait", "another phase", "no bytes"],
)
def test_what_is_read_too_early(text: str):
    assert findings_of(text) == [
        "race: S[0] is read by thread 0 of block 0, whose own copy to it is not done",
        "missing-wait: the block ends before S is copied by the copy of thread 0 of block 0",
    ]


def test_more_bytes_than_come():
    text = loading(Box()).replace("arith.constant 2048 : i32", "arith.constant 4096 : i32")
    assert findings_of(text) == [
        "deadlock: thread 0 of block 0 waits at an mbarrier for 1 arrivals, of which 1 have come, "
        "and for 2,048 bytes that no copy brings"
    ]


def test_a_store_that_no_fence_is_before():
    assert findings_of(storing(Box(), fence="")) == [
        "missing-fence: S[0] is read by thread 0 of block 0, and was written by thread 0 with no "
        "fence behind it"
    ]


@pytest.mark.parametrize(
    ("bytes_", "finding"),
    [
        (64, "misaligned: S is copied by thread 0 of block 0 at an address that is not aligned"),
        (2176, "out-of-bounds: S is copied by thread 0 of block 0 outside of its bounds"),
    ],
)
def test_a_box_in_another_place(bytes_: int, finding: str):
    moved = (
        f"%o = arith.constant {bytes_} : i64\n"
        "%s2 = arith.addi %s1, %o : i64\n%q = llvm.inttoptr %s2"
    )
    assert findings_of(loading(Box()).replace("%q = llvm.inttoptr %s1", moved))[0] == finding


def refused(text: str) -> str:
    with pytest.raises(KCError) as error:
        kc.build(kc.IRModule.parse(text), target=TARGET)
    lines = str(error.value).splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("-->"))


def test_a_map_of_what_has_no_rank():
    cast = "%rankless = memref.cast %all : memref<*xf16> to memref<*xf16>\n%map ="
    text = loading(Box()).replace("%map =", cast).replace("descriptor %all", "descriptor %rankless")
    assert refused(text) == (
        "error[KC4375]: convert-gpu-to-cpu: no tensor map is made here\n"
        "  why: its rank is not plain to see: a memref.cast of an array with a rank"
    )


def test_a_box_of_another_rank():
    text = loading(Box()).replace("memref<40x128xf16>", "memref<5120xf16>")
    assert refused(text) == (
        "error[KC4375]: convert-gpu-to-cpu: no tensor map is made here\n"
        "  why: the array has 1 dimension, and the box 2"
    )
