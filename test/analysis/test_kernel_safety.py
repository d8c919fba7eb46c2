"""Proofs and disproofs about kernels hold; all other cases are undecided, with a reason."""

from __future__ import annotations

from typing import Any

import pytest

from kc.analysis.gpu import kernel_safety
from kc.analysis.gpu.kernel_launches import NO_SHAPES, Shapes
from kc.analysis.gpu.kernel_safety import SafetyVerdict, safety_of
from kc.dialects.gpu import GPUFuncOp
from kc.support.ir_text import parse_module
from kc.support.registry import context

A, S = "memref<64xf32>", "memref<64xf32, #gpu.address_space<workgroup>>"
STORE, LOAD = f"memref.store %x, %S[%t] : {S}\n", f"%y = memref.load %S[%r] : {S}\n"
FEW = "%few = arith.cmpi slt, %t, %c32 : index\n"


def verdicts(
    body: str,
    blocks: str = "%c1",
    given: str = "%A, %B",
    size: str = "64",
    shapes: Shapes = NO_SHAPES,
    threads: str = "%c64",
    host: str = "",
    second: str = "%c1",
    memory: str = "",
) -> dict[str, SafetyVerdict]:
    """By kind, of a kernel with 64 threads that has two arrays, two indices and shared memory."""
    array = f"memref<{size}xf32>"
    passed = ", ".join(f"{name} : {array}" for name in given.split(", "))
    text = f"""module attributes {{gpu.container_module}} {{
  func.func @main(%A: {array}, %B: {array}, %n: index) {{
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index {host}
    gpu.launch_func @m::@k blocks in ({blocks}, %c1, %c1) threads in ({threads}, %c1, %c1) {memory}
        args({passed}, %n : index, {second} : index)
    func.return
  }}
  gpu.module @m {{
    gpu.func @k(%A: {array}, %B: {array}, %n: index, %from: index) workgroup(%S : {S}) kernel {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c32 = arith.constant 32 : index
      %c63 = arith.constant 63 : index
      %x = arith.constant 0.0 : f32
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %r = arith.subi %c63, %t : index
      {body}
      gpu.return
    }}
  }}
}}
"""
    module = parse_module(text, "kernel.mlir", context())
    (kernel,) = (op for op in module.walk() if isinstance(op, GPUFuncOp))
    return {verdict.kind: verdict for verdict in safety_of(kernel, shapes=shapes)}


RACE = "S[0] is written by thread 0 of block 0 and read by thread 63, with no barrier in between"
BARRIER = "gpu.barrier\n"


@pytest.mark.parametrize(
    ("body", "is_clean", "message"),
    [
        (STORE + BARRIER + LOAD, True, ""),
        (STORE + LOAD, False, RACE),
        # From an iteration to the next.
        (
            f"scf.for %i = %c0 to %c4 step %c1 {{\n{BARRIER}{STORE}{BARRIER}{LOAD}}}",
            True,
            "",
        ),
        (f"scf.for %i = %c0 to %c4 step %c1 {{\n{STORE}{BARRIER}{LOAD}}}", False, RACE),
        (f"scf.for %i = %c0 to %c1 step %c1 {{\n{STORE}{BARRIER}{LOAD}}}", True, ""),
        # To the one after the next: neighbours have taken other rows.
        (
            f"""scf.for %i = %c0 to %c4 step %c1 {{
              %row = arith.remui %i, %c2 : index
              %at = arith.muli %row, %c32 : index
              %h = arith.remui %t, %c32 : index
              %m = arith.addi %at, %h : index
              %q = arith.subi %c63, %m : index
              %few = arith.cmpi slt, %t, %c32 : index
              scf.if %few {{
                memref.store %x, %S[%m] : {S}
              }}
              gpu.barrier
              %y = memref.load %S[%m] : {S}
            }}""",
            True,
            "",
        ),
        # A barrier in a loop that runs, one that does not, and one that may.
        (f"{STORE}scf.for %i = %c0 to %c4 step %c1 {{\n{BARRIER}}}\n{LOAD}", True, ""),
        (
            f"{STORE}scf.for %i = %c0 to %c0 step %c1 {{\n{BARRIER}}}\n{LOAD}",
            False,
            RACE,
        ),
        (
            f"{STORE}scf.for %i = %c0 to %n step %c1 {{\n{BARRIER}}}\n{LOAD}",
            None,
            "a barrier may be between two accesses of S, line 22",
        ),
        # Branches of some threads.
        (f"{FEW}scf.if %few {{\n{STORE}}} else {{\n{LOAD}}}", False, RACE),
        (f"{FEW}scf.if %few {{\n{STORE}}}\nmemref.store %x, %S[%r] : {S}", False, ""),
        # All write one element: whether they write the same is not known.
        (
            f"memref.store %x, %S[%c0] : {S}",
            None,
            "several threads may write one element of S",
        ),
        (f"memref.atomic_rmw addf %x, %S[%c0] : (f32, {S}) -> f32", True, ""),
        # Operations of which it is not known what they do.
        (
            "%w = gpu.all_reduce add %x uniform {\n} : (f32) -> f32",
            None,
            "gpu.all_reduce is not analysed",
        ),
    ],
)
def test_races(body: str, is_clean: bool | None, message: str):
    verdict = verdicts(body)["race"]
    assert verdict.is_clean is is_clean, str(verdict)
    if message:
        assert verdict.message == message
    if is_clean is False:
        assert verdict.location is not None
        assert verdict.second is not None


def test_blocks_race():
    """Nothing orders them, barriers least of all."""
    store, load = f"memref.store %x, %A[%t] : {A}\n", f"%y = memref.load %A[%t] : {A}\n"
    assert verdicts(store + load)["race"].is_clean
    verdict = verdicts(load + BARRIER + store, "%c2")["race"]
    assert str(verdict) == (
        "race: A[0] is read by thread 0 of block 0 and written by thread 0 of block 1, with no "
        "barrier in between (kernel.mlir:22:7, kernel.mlir:24:1)"
    )


def test_arguments_that_are_one_array():
    body = f"%y = memref.load %B[%r] : {A}\nmemref.store %y, %A[%t] : {A}"
    assert verdicts(body)["race"].is_clean
    assert verdicts(body, given="%A, %A")["race"].is_clean is False


@pytest.mark.parametrize(
    ("body", "is_clean"),
    [
        (BARRIER, True),
        (f"{FEW}scf.if %few {{\n{BARRIER}}}", False),
        (f"scf.for %i = %c0 to %t step %c1 {{\n{BARRIER}}}", False),
        (f"%some = arith.cmpi slt, %b, %c1 : index\nscf.if %some {{\n{BARRIER}}}", True),
        (
            f"%z = memref.load %A[%t] : {A}\n%some = arith.cmpf oge, %z, %x : f32\n"
            f"scf.if %some {{\n{BARRIER}}}",
            None,
        ),
    ],
)
def test_barriers(body: str, is_clean: bool | None):
    assert verdicts(body)["divergent-barrier"].is_clean is is_clean


@pytest.mark.parametrize(
    ("condition", "is_clean"), [("slt, %t, %c32", True), ("slt, %t, %c4", False)]
)
def test_shuffles(condition: str, is_clean: bool):
    """A whole warp comes to it, or a part of one."""
    verdict = verdicts(
        f"""%some = arith.cmpi {condition} : index
        scf.if %some {{
          %one = arith.constant 1 : i32
          %width = arith.constant 32 : i32
          %v, %valid = gpu.shuffle xor %x, %one, %width : f32
        }}"""
    )["divergent-barrier"]
    assert verdict.is_clean is is_clean
    if not is_clean:
        assert verdict.message == "thread 0 of block 0 reaches a shuffle, but thread 4 does not"


@pytest.mark.parametrize(
    ("index", "is_clean"),
    [("%r", True), ("%u", False), ("%n", None), ("%i", True)],
)
def test_bounds(index: str, is_clean: bool | None):
    """A difference, one too far, what a call gives, and that under a condition alone."""
    verdict = verdicts(
        f"""%u = arith.addi %t, %c1 : index
        %0 = arith.cmpi sge, %n, %c0 : index
        %1 = arith.cmpi sle, %n, %c63 : index
        %2 = arith.andi %0, %1 : i1
        scf.if %2 {{
          %y = memref.load %A[%n] : {A}
        }}
        {"" if index == "%i" else f"%z = memref.load %A[{index}] : {A}"}"""
    )["out-of-bounds"]
    assert verdict.is_clean is is_clean


@pytest.mark.parametrize(
    ("of_b", "n", "is_clean"), [("m", None, True), ("k", None, None), ("m", "m", True)]
)
def test_sizes_that_are_one_symbol(of_b: str, n: str | None, is_clean: bool | None):
    """Threads that are inside of A, or below an argument, are inside of B, if that is as long."""
    limit = "%n" if n else "%a"
    body = f"""%a = memref.dim %A, %c0 : memref<?xf32>
      %in = arith.cmpi slt, %t, {limit} : index
      scf.if %in {{
        %y = memref.load %B[%t] : memref<?xf32>
      }}"""
    shapes: Shapes = {"main": [["m"], [of_b], n]}
    assert verdicts(body, size="?", shapes=shapes)["out-of-bounds"].is_clean is is_clean
    assert verdicts(body, size="?")["out-of-bounds"].is_clean is None


def test_sizes_that_a_call_gives():
    """The condition of the last block, whatever the size is."""
    body = """%d = memref.dim %A, %c0 : memref<?xf32>
    %o = arith.muli %b, %c64 : index
    %g = arith.addi %o, %t : index
    %in = arith.cmpi slt, %g, %d : index
    scf.if %in {
      memref.store %x, %A[%g] : memref<?xf32>
    }""".replace("%c64", "%w").replace("%d =", "%w = arith.constant 64 : index\n%d =")
    answers = verdicts(body, blocks="%n", size="?")
    assert [verdict.is_clean for verdict in answers.values()] == [True] * 5


@pytest.mark.parametrize(
    ("written", "is_clean", "message"),
    [
        (STORE, True, ""),
        ("", False, "S[63] is read by thread 0 of block 0, and no thread writes it"),
        (
            f"{FEW}scf.if %few {{\n{STORE}}}",
            False,
            "S[63] is read by thread 0 of block 0, and no thread writes it",
        ),
        (f"scf.for %i = %c0 to %c2 step %c1 {{\n{STORE}}}", True, ""),
        (
            f"%z = memref.load %A[%t] : {A}\n%some = arith.cmpf oge, %z, %x : f32\n"
            f"scf.if %some {{\n{STORE}}}",
            None,
            "the set of written elements of S depends on the arguments of a call, line 26",
        ),
    ],
)
def test_memory_that_is_read(written: str, is_clean: bool | None, message: str):
    verdict = verdicts(written + BARRIER + LOAD)["uninitialised"]
    assert verdict.is_clean is is_clean
    if message and is_clean is False:
        assert verdict.message == message


@pytest.mark.parametrize(("index", "is_clean"), [("%c4", True), ("%c2", False), ("%n", None)])
def test_vectors(index: str, is_clean: bool | None):
    verdict = verdicts(
        f"%v = vector.load %A[{index}] {{alignment = 16 : i64}} : {A}, vector<4xf32>"
    )["misaligned"]
    assert verdict.is_clean is is_clean
    if is_clean is False:
        assert verdict.message == (
            "A[2] is read by thread 0 of block 0, 8 bytes from its start, which is not a multiple "
            "of 16"
        )


def test_questions_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kernel_safety, "MAX_QUESTIONS", 1)
    verdict = verdicts(STORE + BARRIER + LOAD)["race"]
    assert verdict.is_clean is None
    assert verdict.message == "there are too many accesses to compare"


BYTES = "memref<?xi8, #gpu.address_space<workgroup>>"
VIEW = f"%d = gpu.dynamic_shared_memory : {BYTES}\n%P = memref.view %d[%c0][] : {BYTES} to {S}\n"


@pytest.mark.parametrize(
    ("begin", "type_", "race"),
    [
        (256, S, True),  # behind it
        (0, S, False),
        (128, S, False),  # its last 32 elements
        (0, f"memref<32xi64{S[13:]}", None),
        (2, S, None),
    ],
)
def test_parts_of_the_memory_of_a_block(begin: int, type_: str, race: bool | None):
    """P is written, and the same element of another part read, by another thread."""
    body = f"""{VIEW}%begin = arith.constant {begin} : index
      %Q = memref.view %d[%begin][] : {BYTES} to {type_}
      memref.store %x, %P[%t] : {S}
      %y = memref.load %Q[%r] : {type_}"""
    verdict = verdicts(body)["race"]
    assert verdict.is_clean is race, str(verdict)
    if begin == 128:
        assert verdict.message == (
            "P[32] is written by thread 32 of block 0 and read by thread 63, with no barrier in "
            "between"
        )


def test_parts_of_a_size_that_a_launch_gives():
    sized = f"memref<?xf32{S[13:]}"
    body = f"""%d = gpu.dynamic_shared_memory : {BYTES}
      %P = memref.view %d[%c0][%n] : {BYTES} to {sized}
      %in = arith.cmpi slt, %t, %n : index
      scf.if %in {{
        memref.store %x, %P[%t] : {sized}
        %y = memref.load %P[%t] : {sized}
      }}"""
    kinds = verdicts(body)
    assert kinds["race"].is_clean
    assert kinds["uninitialised"].is_clean
    assert str(kinds["out-of-bounds"]) == (
        "undecided: every index is within its array (the size of dynamic shared memory is known "
        "only at the launch)"
    )


SIZED = f"memref<?xf32{S[13:]}"
TWO_PARTS = f"""%d = gpu.dynamic_shared_memory : {BYTES}
  %P = memref.view %d[%c0][%n] : {BYTES} to {SIZED}
  %Q = memref.view %d[%from][%n] : {BYTES} to {SIZED}
  %last = arith.subi %n, %t : index
  %in = arith.cmpi slt, %t, %n : index
  %r_ = arith.subi %last, %c1 : index
  scf.if %in {{
    memref.store %x, %P[%t] : {SIZED}
    %y = memref.load %A[%t] : memref<64xf32>
    memref.store %y, %Q[%r_] : {SIZED}
    %z = memref.load %P[%t] : {SIZED}
  }}"""


def bytes_of_two(apart: str, in_all: str) -> dict[str, Any]:
    """A launch whose second part begins behind ``apart`` elements, of ``in_all`` in all."""
    return {
        "host": f"""%c0 = arith.constant 0 : index
          %c4 = arith.constant 4 : index
          %some = arith.maxsi %n, %c0 : index
          %n_bytes = arith.muli %some, %c4 : index
          %two = arith.muli %n_bytes, %c2 : index
          %less = arith.subi %n_bytes, %c4 : index
          %size = arith.index_cast {in_all} : index to i32""",
        "second": apart,
        "memory": "dynamic_shared_memory_size %size",
    }


def test_two_parts_of_sizes_that_a_call_gives():
    """They share no byte, whatever n is, if the second begins behind the first."""
    proven = verdicts(TWO_PARTS, **bytes_of_two("%n_bytes", "%two"))
    assert proven["race"].is_clean
    assert proven["uninitialised"].is_clean
    assert proven["out-of-bounds"].is_clean
    small = verdicts(TWO_PARTS, **bytes_of_two("%n_bytes", "%n_bytes"))["out-of-bounds"]
    assert small.message == "the size of dynamic shared memory is known only at the launch"
    shared = verdicts(TWO_PARTS, **bytes_of_two("%less", "%two"))["race"]
    assert (shared.is_clean, shared.message) == (None, "memref.store accesses a part of an array")


def test_vectors_in_parts_that_begin_where_a_launch_says():
    vectors = f"""%d = gpu.dynamic_shared_memory : {BYTES}
      %P = memref.view %d[%from][] : {BYTES} to {S}
      %v = arith.constant dense<0.0> : vector<4xf32>
      vector.store %v, %P[%c0] {{alignment = 16 : i64}} : {S}, vector<4xf32>"""
    for begin, is_clean in (("%c64", True), ("%c2", None), ("%n", None)):
        verdict = verdicts(vectors, second=begin)["misaligned"]
        assert verdict.is_clean is is_clean
        if not is_clean:
            assert verdict.message == "the address of P is known only at the launch"


@pytest.mark.parametrize(
    ("body", "race", "out_of_bounds"),
    [
        (f"memref.store %x, %A[%t] : {A}\n", True, None),
        (f"memref.store %x, %A[%c0] : {A}\n%y = memref.load %A[%t] : {A}\n", None, None),
        (f"%in = arith.cmpi slt, %t, %n : index\nscf.if %in {{ {STORE} }}\n", True, None),
    ],
)
def test_threads_that_a_launch_counts(body: str, race: bool | None, out_of_bounds: bool | None):
    """A property of any number of threads is proven; a fault needs a number."""
    kinds = verdicts(body, threads="%n")
    assert kinds["race"].is_clean is race
    assert kinds["out-of-bounds"].is_clean is out_of_bounds
    assert kinds["divergent-barrier"].is_clean


def test_as_many_threads_as_elements():
    """The size of the array and the number of threads are one number of the call."""
    body = "memref.store %x, %A[%t] : memref<?xf32>\n"
    launch: dict[str, Any] = {
        "host": "%count = memref.dim %A, %zero : memref<?xf32>",
        "threads": "%count",
    }
    launch["host"] = "%zero = arith.constant 0 : index\n" + launch["host"]
    kinds = verdicts(body, size="?", **launch)
    assert {kind: verdict.is_clean for kind, verdict in kinds.items()} == dict.fromkeys(kinds, True)


@pytest.mark.parametrize(
    ("layout", "read", "race"),
    [
        ("strided<[4], offset: ?>", "%P", False),
        ("strided<[4], offset: ?>", "%A", None),  # it may be the same element
        ("strided<[0], offset: ?>", "%P", None),  # all elements are one
    ],
)
def test_parts_of_arguments(layout: str, read: str, race: bool | None):
    """A part is an array with strides; of two parts of one array nothing is certain."""
    part = f"memref<8xf32, {layout}>"
    text = f"""module attributes {{gpu.container_module}} {{
  func.func @main(%A: {A}, %n: index) {{
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %P = memref.reinterpret_cast %A to offset: [%n], sizes: [8], strides: [{layout[9]}]
        : {A} to {part}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
        args(%P : {part}, %A : {A})
    func.return
  }}
  gpu.module @m {{
    gpu.func @k(%P: {part}, %A: {A}) kernel {{
      %c7 = arith.constant 7 : index
      %x = arith.constant 0.0 : f32
      %t = gpu.thread_id x
      %r = arith.subi %c7, %t : index
      memref.store %x, %P[%t] : {part}
      %y = memref.load {read}[%r] : {part if read == "%P" else A}
      gpu.return
    }}
  }}
}}"""
    module = parse_module(text, "kernel.mlir", context())
    (kernel,) = (op for op in module.walk() if isinstance(op, GPUFuncOp))
    verdict = safety_of(kernel)[0]
    assert verdict.is_clean is race, str(verdict)
    if read == "%A":
        assert verdict.message == "P and A are parts of one array"


POINTER = """%at_i = memref.extract_aligned_pointer_as_index %S : SHARED -> index
  %at_c = arith.index_cast %at_i : index to i64
  %at_p = llvm.inttoptr %at_c : i64 to !llvm.ptr<3>
  %one = arith.constant 1 : i32
""".replace("SHARED", S)


@pytest.mark.parametrize(
    ("op", "race", "divergent"),
    [
        ("nvvm.mbarrier.init %at_p, %one : !llvm.ptr<3>, i32", True, False),
        ("nvvm.bar.warp.sync %one : i32", True, False),
        ("nvvm.barrier id = %one number_of_threads = %one", True, True),
        ("nvvm.barrier0", False, False),
        ("%e = nvvm.elect.sync -> i1", False, False),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_ways_to_wait(op: str, race: bool, divergent: bool) -> None:
    """Operations that order threads by counting leave races undecided; other verdicts do not
    change.
    """
    body = f"{POINTER}memref.store %x, %A[%t] : {A}\n{op}\n%y = memref.load %A[%r] : {A}\n"
    kinds = verdicts(body)
    name = op.split(" = ")[-1] if op.startswith("%e") else op
    counts = f"{name.split()[0]} "
    if race:
        assert kinds["race"].is_clean is None
        assert kinds["race"].message == f"{counts}orders threads"
    else:
        assert kinds["race"].is_clean is ("barrier0" in op)
    expected = f"{counts}counts the threads that reach it" if divergent else ""
    assert kinds["divergent-barrier"].message == expected
    assert kinds["out-of-bounds"].is_clean
    beyond = verdicts(
        f"{body}memref.store %x, %B[%u] : {A}".replace("%u", "%t_").replace(
            "%y =", "%t_ = arith.addi %t, %c1 : index\n%y ="
        )
    )
    assert beyond["out-of-bounds"].is_clean is False
