"""kc.gpu.check: kernels that are right have no findings, and each mistake is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
from kc import te
from kc.conversion.convert_gpu_to_cpu import module as conversion
from kc.gpu import Report
from kc.support.diagnostics import KCError

SHARED = "memref<64xf32, #gpu.address_space<workgroup>>"


def kernel(
    body: str,
    *,
    memory: str = f"workgroup(%S : {SHARED})",
    blocks: int = 2,
    threads: int = 64,
    size: str = "2x64",
) -> str:
    """Two arrays A and B, a kernel that has them, and a launch."""
    type_ = f"memref<{size}xf32>"
    return f"""module attributes {{gpu.container_module}} {{
  func.func @main(%A: {type_}, %B: {type_}) {{
    %c1 = arith.constant 1 : index
    %blocks = arith.constant {blocks} : index
    %threads = arith.constant {threads} : index
    gpu.launch_func @m::@k blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args(%A : {type_}, %B : {type_})
    func.return
  }}
  gpu.module @m {{
    gpu.func @k(%A: {type_}, %B: {type_}) {memory} kernel {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %c63 = arith.constant 63 : index
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %r = arith.subi %c63, %t : index
      {body}
      gpu.return
    }}
  }}
}}
"""


STAGED = f"""
      %0 = memref.load %A[%b, %t] : memref<2x64xf32>
      memref.store %0, %S[%t] : {SHARED}
      gpu.barrier
      %1 = memref.load %S[%r] : {SHARED}
      memref.store %1, %B[%b, %t] : memref<2x64xf32>"""


def run(text: str, shape: tuple[int, ...] = (2, 64)) -> tuple[Report, np.ndarray, np.ndarray]:
    a = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    b = np.zeros(shape, "float32")
    return kc.gpu.check(text, a, b), a, b


def only(text: str, **options: Any) -> str:
    """The one finding of a kernel, as text without the place of its code."""
    report, _, _ = run(text, **options)
    (finding,) = report.findings
    assert not report.ok
    return f"{finding.kind}: {finding.message}"


def test_a_kernel_that_is_right():
    report, a, b = run(kernel(STAGED))
    assert report.ok
    np.testing.assert_array_equal(b, a[:, ::-1])
    assert report.barriers == 2
    assert [(site.buffer, site.access, site.executions) for site in report.sites] == [
        ("A", "read", 4),
        ("S", "written", 4),
        ("S", "read", 4),
        ("B", "written", 4),
    ]
    # 32 lanes of 4 bytes are four sectors of 32; a row of shared memory is one wavefront.
    assert [site.transactions for site in report.sites] == [16, 4, 4, 16]
    assert [site.bank_conflicts for site in report.sites] == [0, 0, 0, 0]


def test_a_module_is_compiled_once_for_its_checks(monkeypatch: pytest.MonkeyPatch):
    """And again for other passes; what is no module yet, for the check alone."""
    from kc.backends import cuda_emu

    compiled: list[bool] = []
    build = cuda_emu.llvm.build

    def counting(given: Any) -> Any:
        compiled.append(given.is_quick)
        return build(given)

    monkeypatch.setattr(cuda_emu.llvm, "build", counting)
    module = kc.build(kc.IRModule.parse(kernel(STAGED)), target="cuda-emu")
    assert compiled == [False]
    a, b = np.arange(128, dtype="float32").reshape(2, 64), np.zeros((2, 64), "float32")
    for _ in range(2):
        assert kc.gpu.check(module, a, b).ok
    with kc.transform.PassContext(disabled_pass=["gpu-serialize-threads"]):
        assert kc.gpu.check(module, a, b).ok
    assert compiled == [False, True, True]
    run(kernel(STAGED))
    assert compiled == [False, True, True, True]


def test_vectors_that_are_too_long_to_be_watched():
    text = kernel(
        """
      %v = arith.constant dense<1.0> : vector<16384xf32>
      vector.store %v, %B[%b, %c0] : memref<2x16384xf32>, vector<16384xf32>""",
        size="2x16384",
    )
    with pytest.raises(KCError) as caught:
        run(text, (2, 16384))
    assert str(caught.value).splitlines()[0] == (
        "error[KC4302]: convert-gpu-to-cpu: vector.store is not emulated"
    )
    assert "why: its vectors are too long to be watched" in str(caught.value)


def test_more_places_than_have_numbers(monkeypatch):
    """STAGED has four accesses and a barrier; findings have 15 bits for the number of a place."""
    assert conversion.MOST_SITES == np.iinfo(np.int16).max
    monkeypatch.setattr(conversion, "MOST_SITES", 5)
    assert run(kernel(STAGED))[0].ok
    monkeypatch.setattr(conversion, "MOST_SITES", 4)
    with pytest.raises(KCError) as caught:
        run(kernel(STAGED))
    assert str(caught.value) == (
        "error[KC4374]: convert-gpu-to-cpu: kernels have more than 4 places to watch\n"
        "  --> <string>:24:7\n"
        "  why: the emulator numbers accesses and barriers of the module with 15 bits\n"
        "  try: unroll less, or check the kernels of a module one by one\n"
        '  try: run the module built for "cuda-emu", which does not watch accesses'
    )


def test_a_missing_barrier_is_a_race():
    """Thread t reads what thread 63 - t writes, and nothing says what comes first."""
    report, _, _ = run(kernel(STAGED.replace("gpu.barrier", "")))
    assert [(finding.kind, finding.message, finding.count) for finding in report.findings] == [
        (
            "uninitialised",
            "S[63] is read by thread 0 of block 0, and no thread has written it",
            64,
        ),
        ("race", "S[32] is written by thread 32 of block 0, and was read by thread 31", 64),
        ("race", "S[31] is read by thread 32 of block 0, and was written by thread 31", 64),
    ]
    write, read = report.findings[1:]
    assert write.location is not None
    assert read.location is not None
    assert write.location == read.second
    assert read.location == write.second
    assert write.diagnostic().render() == (
        "error[KC6301]: S[32] is written by thread 32 of block 0, and was read by thread 31\n"
        f"  --> <string>:{write.location.line}:7\n"
        f"   |  the other: <string>:{read.location.line}:7\n"
        "   |  seen 64 times\n"
        "  why: nothing orders threads but a barrier of their block, and nothing orders blocks"
    )


def test_blocks_that_write_the_same_element():
    body = """
      %0 = memref.load %A[%b, %t] : memref<2x64xf32>
      memref.store %0, %B[%c0, %t] : memref<2x64xf32>"""
    assert only(kernel(body, memory="")) == (
        "race: B[0] is written by thread 0 of block 1, and was written by thread 0 of block 0"
    )


def test_blocks_that_all_compute_the_same():
    """Each writes the element and reads it again; what it writes is there already."""
    body = """
      %0 = memref.load %A[%c0, %t] : memref<2x64xf32>
      memref.store %0, %B[%c0, %t] : memref<2x64xf32>
      %1 = memref.load %B[%c0, %t] : memref<2x64xf32>
      memref.store %1, %B[%c1, %t] : memref<2x64xf32>"""
    report, a, b = run(kernel(body, memory=""))
    assert report.ok, str(report)
    np.testing.assert_array_equal(b, a[[0, 0]])


def test_two_statements_that_write_the_same_value():
    """Two writes of zero are reported: other values would differ."""
    body = """
      %zero = arith.constant 0.0 : f32
      %is_first = arith.cmpi eq, %b, %c0 : index
      scf.if %is_first {
        memref.store %zero, %B[%c0, %t] : memref<2x64xf32>
      } else {
        memref.store %zero, %B[%c0, %t] : memref<2x64xf32>
      }"""
    assert only(kernel(body, memory="")) == (
        "race: B[0] is written by thread 0 of block 1, and was written by thread 0 of block 0"
    )


def test_a_block_reads_what_another_writes():
    body = """
      %other = arith.subi %c1, %b : index
      %0 = memref.load %A[%b, %t] : memref<2x64xf32>
      memref.store %0, %B[%b, %t] : memref<2x64xf32>
      %1 = memref.load %B[%other, %t] : memref<2x64xf32>
      memref.store %1, %A[%b, %t] : memref<2x64xf32>"""
    report, _, _ = run(kernel(body, memory=""))
    assert [(f.kind, f.message) for f in report.findings] == [
        ("race", "B[64] is written by thread 0 of block 1, and was read by thread 0 of block 0"),
        ("race", "B[0] is read by thread 0 of block 1, and was written by thread 0 of block 0"),
    ]


def test_a_barrier_that_half_of_the_block_comes_to():
    body = """
      %few = arith.cmpi ult, %t, %c32 : index
      scf.if %few {
        gpu.barrier
      }"""
    assert only(kernel(body)) == (
        "divergent-barrier: thread 0 of block 0 waits at a barrier, and thread 32 has ended"
    )


def test_two_barriers_for_two_halves():
    body = """
      %few = arith.cmpi ult, %t, %c32 : index
      scf.if %few {
        gpu.barrier
      } else {
        gpu.barrier
      }"""
    assert only(kernel(body)) == (
        "divergent-barrier: thread 0 of block 0 waits at a barrier, and thread 32 is at another "
        "barrier"
    )


def test_a_shuffle_that_waits_for_lanes_at_a_barrier():
    body = f"""
      %c16 = arith.constant 16 : index
      %lane = gpu.lane_id
      %one = arith.constant 1 : i32
      %width = arith.constant 32 : i32
      %x = memref.load %A[%b, %t] : memref<2x64xf32>
      %few = arith.cmpi ult, %lane, %c16 : index
      scf.if %few {{
        %y, %valid = gpu.shuffle xor %x, %one, %width : f32
        memref.store %y, %S[%t] : {SHARED}
      }} else {{
        gpu.barrier
      }}"""
    report, _, _ = run(kernel(body))
    assert report.findings[0].kind == "deadlock"
    assert report.findings[0].message == (
        "thread 0 of block 0 waits at a shuffle, and thread 16 is at another barrier"
    )


def test_an_index_too_far():
    body = """
      %next = arith.addi %t, %c1 : index
      %0 = memref.load %A[%b, %next] : memref<2x64xf32>
      memref.store %0, %B[%b, %t] : memref<2x64xf32>"""
    report, a, b = run(kernel(body, memory=""))
    (finding,) = report.findings
    assert finding.kind == "out-of-bounds"
    assert finding.message == "A is read by thread 63 of block 0 outside of its bounds"
    assert finding.count == 2
    np.testing.assert_array_equal(b[:, :63], a[:, 1:])


def test_memory_of_a_thread_has_bounds_too():
    body = """
      %L = memref.alloca() : memref<8xf32>
      %0 = memref.load %A[%b, %t] : memref<2x64xf32>
      memref.store %0, %L[%t] : memref<8xf32>"""
    assert only(kernel(body, memory="")) == (
        "out-of-bounds: L is written by thread 8 of block 0 outside of its bounds"
    )


def test_shared_memory_that_nobody_wrote():
    body = f"""
      %0 = memref.load %S[%t] : {SHARED}
      memref.store %0, %B[%b, %t] : memref<2x64xf32>"""
    assert only(kernel(body)) == (
        "uninitialised: S[0] is read by thread 0 of block 0, and no thread has written it"
    )


def test_a_vector_at_an_odd_place():
    body = """
      %four = arith.constant 4 : index
      %last = arith.constant 60 : index
      %near = arith.minui %t, %last : index
      %0 = vector.load %A[%b, %near] {alignment = 16 : i64} : memref<2x64xf32>, vector<4xf32>
      %1 = vector.extract %0[0] : f32 from vector<4xf32>
      memref.store %1, %B[%b, %t] : memref<2x64xf32>"""
    assert only(kernel(body, memory="", blocks=1)) == (
        "misaligned: A[1] is read by thread 1 of block 0 at an address that is not aligned"
    )


@pytest.mark.parametrize(("pitch", "conflicts"), [(32, 31), (33, 0), (34, 1), (40, 7)])
def test_bank_conflicts_of_a_column(pitch: int, conflicts: int):
    """Lane t reads the word t * pitch, in the bank t * pitch mod 32: gcd(pitch, 32) lanes each."""
    type_ = f"memref<32x{pitch}xf32, #gpu.address_space<workgroup>>"
    body = f"""
      %zero = arith.constant 0.0 : f32
      scf.for %i = %c0 to %c32 step %c1 {{
        memref.store %zero, %S[%i, %t] : {type_}
      }}
      gpu.barrier
      %0 = memref.load %S[%t, %c0] : {type_}
      memref.store %0, %B[%b, %t] : memref<2x64xf32>"""
    text = kernel(body, memory=f"workgroup(%S : {type_})", blocks=1, threads=32)
    report, _, _ = run(text)
    assert report.ok
    column = next(site for site in report.sites if (site.buffer, site.access) == ("S", "read"))
    assert column.bank_conflicts == conflicts
    assert column.transactions == conflicts + 1


UPDATE = f"%u = memref.atomic_rmw addf %one, %S[%c0] : (f32, {SHARED}) -> f32"
FIRST = f"""%is_first = arith.cmpi eq, %t, %c0 : index
      scf.if %is_first {{
        memref.store %zero, %S[%c0] : {SHARED}
      }}"""
READ = f"""%y = memref.load %S[%c0] : {SHARED}
      memref.store %y, %B[%b, %t] : memref<2x64xf32>"""


@pytest.mark.parametrize(
    ("steps", "findings"),
    [
        ([FIRST, "gpu.barrier", UPDATE, "gpu.barrier", READ], []),
        # The thread that wrote the element updates it before the others do.
        (
            [FIRST, UPDATE, "gpu.barrier", READ],
            ["race: S[0] is updated by thread 1 of block 0, and was written by thread 0"],
        ),
        # The thread that reads the element updated it last.
        (
            [FIRST, "gpu.barrier", UPDATE, READ],
            [
                "race: S[0] is updated by thread 1 of block 0, and was read by thread 0",
                "race: S[0] is read by thread 1 of block 0, and was updated by thread 0",
            ],
        ),
        (
            [UPDATE, FIRST],
            [
                "uninitialised: S[0] is read by thread 0 of block 0, and no thread has written it",
                "race: S[0] is updated by thread 1 of block 0, and was written by thread 0",
            ],
        ),
        # A barrier of 64 threads by its number: each thread has a clock.
        (
            [FIRST, "nvvm.barrier id = %i1 number_of_threads = %i64", UPDATE, READ],
            [
                "race: S[0] is updated by thread 1 of block 0, and was read by thread 0",
                "race: S[0] is read by thread 1 of block 0, and was updated by thread 0",
            ],
        ),
        (
            [
                FIRST,
                "nvvm.barrier id = %i1 number_of_threads = %i64",
                UPDATE,
                "nvvm.barrier id = %i1 number_of_threads = %i64",
                READ,
            ],
            [],
        ),
    ],
)
def test_atomic_updates_beside_plain_accesses(steps: list[str], findings: list[str]):
    """Updates are ordered with each other alone, and read what they update."""
    numbers = """%zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %i1 = arith.constant 1 : i32
      %i64 = arith.constant 64 : i32
      """
    report, _, b = run(kernel(numbers + "\n      ".join(steps)))
    assert [f"{finding.kind}: {finding.message}" for finding in report.findings] == findings
    if not findings:
        assert (b == 64).all()


def test_an_update_that_wrote_a_wrong_element():
    body = """%one = arith.constant 1.0 : f32
      %u = memref.atomic_rmw addf %one, %B[%c0, %c0] : (f32, memref<2x64xf32>) -> f32"""
    a, b = (np.zeros((2, 64), "float32") for _ in range(2))
    report = kc.gpu.check(kernel(body), a, b, expected=[a])
    assert [finding.message for finding in report.findings] == [
        "B[0] is 128.0, written by thread 63 of block 1, and is to be 0.0; 1 of 128 elements are "
        "wrong"
    ]
    assert [(site.buffer, site.access) for site in report.sites] == [("B", "updated")]


def test_transactions_of_a_stride():
    """Lanes 64 words apart touch a sector each."""
    body = """
      %0 = memref.load %A[%t, %c0] : memref<64x64xf32>
      memref.store %0, %B[%c0, %t] : memref<64x64xf32>"""
    text = kernel(body, memory="", blocks=1, threads=32, size="64x64")
    report, _, _ = run(text, (64, 64))
    read, written = report.sites
    assert (read.transactions, read.least) == (32, 4)
    assert (written.transactions, written.least) == (4, 4)


def test_shuffles_of_all_modes():
    body = """
      %one = arith.constant 1 : i32
      %five = arith.constant 5 : i32
      %width = arith.constant 16 : i32
      %x = memref.load %A[%b, %t] : memref<2x64xf32>
      %xor, %v0 = gpu.shuffle xor %x, %five, %width : f32
      %up, %v1 = gpu.shuffle up %x, %one, %width : f32
      %down, %v2 = gpu.shuffle down %x, %one, %width : f32
      %idx, %v3 = gpu.shuffle idx %x, %five, %width : f32
      %hundred = arith.constant 100.0 : f32
      %s0 = arith.mulf %up, %hundred : f32
      %s1 = arith.addf %xor, %s0 : f32
      %s2 = arith.subf %down, %idx : f32
      %s3 = arith.mulf %s1, %s2 : f32
      memref.store %s3, %B[%b, %t] : memref<2x64xf32>"""
    report, a, b = run(kernel(body, memory=""))
    assert report.ok
    lanes = np.arange(64)
    within = lanes % 16
    first = lanes - within
    up = np.where(within >= 1, lanes - 1, lanes)
    down = np.where(within + 1 < 16, lanes + 1, lanes)
    expected = (a[:, first + (within ^ 5)] + 100 * a[:, up]) * (a[:, down] - a[:, first + 5])
    np.testing.assert_array_equal(b, expected)


def test_the_text_of_a_report():
    report, _, _ = run(kernel("", memory=""))
    assert str(report) == (
        "buffer  access  warps  transactions  least  conflicts  line  verdict\n"
        "nothing found; barriers: 0\n"
        "k, for any contents of arrays:\n"
        "  proven: no two threads race\n"
        "  proven: all threads reach each barrier and each shuffle\n"
        "  proven: every index is within its array\n"
        "  proven: no vector is misaligned\n"
        "  proven: every element of shared memory is written before it is read"
    )


def test_a_schedule_is_named_by_its_lines():
    """The place of a finding is the user's expression, and a build for cuda can be checked."""
    A = te.placeholder((64,), name="A")
    B = te.compute((64,), lambda i: A[63 - i] * 2.0, name="B")
    s = te.create_schedule(B.op)
    block, thread = s[B].split(B.op.axis[0], 32)
    s[B].bind(block, te.thread_axis("blockIdx.x"))
    s[B].bind(thread, te.thread_axis("threadIdx.x"))
    module = kc.build(s, [A, B], target="cuda -arch=sm_80")
    a, b = np.arange(64, dtype="float32"), np.zeros(64, "float32")
    report = kc.gpu.check(module, a, b)
    assert report.ok
    np.testing.assert_array_equal(b, 2 * a[::-1])
    locations = {site.location for site in report.sites}
    (location,) = locations
    assert location is not None
    assert location.source_line().strip().startswith("B = te.compute(")


def test_a_module_without_kernels():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i], name="B")
    module = kc.build(te.create_schedule(B.op), [A, B])
    with pytest.raises(KCError) as caught:
        kc.gpu.check(module, np.zeros(4, "float32"), np.zeros(4, "float32"))
    assert str(caught.value) == (
        "error[KC6300]: kc.gpu.check: the module has no kernels for a GPU\n"
        "  why: the module is compiled for a target of another kind\n"
        '  try: kc.build(..., target="cuda -arch=sm_80"), or target="cuda-emu"'
    )


def test_what_is_expected_is_compared():
    """The statement that wrote a wrong element is named, if there is one."""
    a = np.arange(128, dtype="float32").reshape(2, 64)
    b = np.zeros_like(a)
    assert kc.gpu.check(kernel(STAGED), a, b, expected=[a[:, ::-1]]).ok
    report = kc.gpu.check(kernel(STAGED), a, b, expected=[np.where(a < 3, a[:, ::-1], a)])
    assert [finding.message for finding in report.findings] == [
        "B[3] is 60.0, written by thread 3 of block 0, and is to be 3.0; 125 of 128 elements are "
        "wrong"
    ]
    assert report.findings[0].kind == "wrong-result"
    assert report.findings[0].location is not None
    b[:] = 0
    some = STAGED.replace("memref.store %1, %B", "scf.if %p {\nmemref.store %1, %B") + "\n}"
    some = "%p = arith.cmpi ult, %t, %c32 : index" + some
    report = kc.gpu.check(kernel(some), a, b, expected=[a[:, ::-1]])
    assert [finding.message for finding in report.findings] == [
        "an output[32] is 0.0, written by no thread, and is to be 31.0; 63 of 128 elements are "
        "wrong"
    ]
