"""Virtual threads run one after the other on a CPU, where that computes what lockstep does."""

from __future__ import annotations

import numpy as np
import pytest

import kc
from kc import te
from kc.analysis.interpreter import run as interpret
from kc.support.diagnostics import CodegenError

WHY = """
  why: virtual threads run one after the other on a CPU; in lockstep, each operation runs \
for all of them before the next one does
  try: write two loops of threads, where the second one reads what the first one writes
  try: run --inject-virtual-thread first: it keeps lockstep"""


def program(body: str) -> kc.IRModule:
    """A function of two arrays of 4 elements; ``body`` begins in line 2."""
    header = "func.func @f(%A: memref<4xf32>, %S: memref<4xf32>) {"
    return kc.IRModule.parse(f"{header}\n{body.strip()}\nfunc.return\n}}")


def run(module: kc.IRModule, target: str) -> list[list[float]]:
    """Both arrays afterwards, where they were 0 to 3 and 10 to 13."""
    a, s = np.arange(4, dtype="float32"), np.arange(10, 14, dtype="float32")
    kc.build(module, target=target)(a, s)
    return [a.tolist(), s.tolist()]


EXCHANGES = {
    "a load of what a later thread has stored": (
        """
tir.for %v in 4 thread "vthread" {
  %x = tir.load %A[%v] : memref<4xf32>
  tir.store %x, %S[%v] : memref<4xf32>
  %y = tir.load %S[3 - %v] : memref<4xf32>
  tir.store %y, %A[%v] : memref<4xf32>
}""",
        """\
error[KC4207]: convert-tir-to-scf: the threads of loop v, vthread, exchange values in S
  --> <string>:5:3
   |  the statement at (v=2) writes S[2], which the statement at (v=1) reads""",
        [[3, 2, 1, 0], [0, 1, 2, 3]],
    ),
    "a store over what a later thread has loaded": (
        """
tir.for %v in 4 thread "vthread.x" {
  %x = tir.load %S[3 - %v] : memref<4xf32>
  tir.store %x, %S[%v] : memref<4xf32>
}""",
        """\
error[KC4207]: convert-tir-to-scf: the threads of loop v, vthread.x, exchange values in S
  --> <string>:4:3
   |  the statement at (v=2) reads S[1], which the statement at (v=1) writes""",
        [[0, 1, 2, 3], [13, 12, 11, 10]],
    ),
    "the last one that stores": (
        """
tir.for %v in 2 thread "vthread" {
  %x = tir.load %A[%v] : memref<4xf32>
  tir.store %x, %S[%v] : memref<4xf32>
  tir.store %x, %S[1 - %v] : memref<4xf32>
}""",
        """\
error[KC4207]: convert-tir-to-scf: the threads of loop v, vthread, exchange values in S
  --> <string>:5:3
   |  the statement at (v=1) writes S[1], which the statement at (v=0) writes""",
        [[0, 1, 2, 3], [1, 0, 12, 13]],
    ),
    "steps of a serial loop": (
        """
tir.for %v in 2 thread "vthread" {
  tir.for %k in 3 {
    %x = tir.load %A[%k + %v] : memref<4xf32>
    tir.store %x, %A[%k] : memref<4xf32>
  }
}""",
        """\
error[KC4207]: convert-tir-to-scf: the threads of loop v, vthread, exchange values in A
  --> <string>:5:5
   |  the statement at (v=1, k=0) reads A[1], which the statement at (v=0, k=1) writes""",
        [[1, 2, 3, 3], [10, 11, 12, 13]],
    ),
    # hoist-if-then-else would put the branch around the loop, and thread 0 before thread 1.
    "branches in a serial loop": (
        """
tir.for %v in 2 thread "vthread" {
  tir.for %k in 3 {
    tir.if (%v < 1) {
      %x = tir.load %A[%k] : memref<4xf32>
      tir.store %x, %S[%k] : memref<4xf32>
    }
    tir.if (%v >= 1) {
      %y = tir.load %S[%k] : memref<4xf32>
      tir.store %y, %A[%k + 1] : memref<4xf32>
    }
  }
}""",
        """\
error[KC4207]: convert-tir-to-scf: the threads of loop v, vthread, exchange values in A
  --> <string>:5:7
   |  the statement at (v=1, k=0) writes A[1], which the statement at (v=0, k=1) reads""",
        [[0, 0, 0, 0], [0, 0, 0, 13]],
    ),
    # partition-loops would cut the loop at 3 - v, with thread 0 before thread 1 where k = 2.
    "a serial loop that is to be cut": (
        """
tir.for %v in 2 thread "vthread" {
  tir.for %k in 3 annotations {pragma_loop_partition_hint = true} {
    tir.if (%k + %v < 3) {
      %z = tir.load %S[%v + 2] : memref<4xf32>
      tir.store %z, %S[%v + 2] : memref<4xf32>
    }
    tir.if (%k == 2) {
      %x = tir.load %A[%v] : memref<4xf32>
      tir.store %x, %S[%v] : memref<4xf32>
      %y = tir.load %S[1 - %v] : memref<4xf32>
      tir.store %y, %A[%v] : memref<4xf32>
    }
  }
}""",
        """\
error[KC4207]: convert-tir-to-scf: the threads of loop v, vthread, exchange values in S
  --> <string>:11:7
   |  the statement at (v=1, k=2) writes S[1], which the statement at (v=0, k=2) reads""",
        [[1, 0, 2, 3], [0, 1, 12, 13]],
    ),
    "nested threads": (
        """
tir.for %v in 2 thread "vthread.x" {
  tir.for %w in 2 thread "vthread.y" {
    %x = tir.load %A[%v * 2 + %w] : memref<4xf32>
    tir.store %x, %S[%v * 2 + %w] : memref<4xf32>
    %y = tir.load %S[%v * 2 + 1 - %w] : memref<4xf32>
    tir.store %y, %A[%v * 2 + %w] : memref<4xf32>
  }
}""",
        """\
error[KC4207]: convert-tir-to-scf: the threads of loop v, vthread.x, exchange values in S
  --> <string>:6:5
   |  the statement at (v=0, w=1) writes S[1], which the statement at (v=0, w=0) reads""",
        [[1, 0, 3, 2], [0, 1, 2, 3]],
    ),
}


@pytest.mark.parametrize("target", ["llvm", "c"])
@pytest.mark.parametrize("name", EXCHANGES)
def test_threads_that_exchange_values_are_refused(name: str, target: str):
    body, text, in_lockstep = EXCHANGES[name]
    with pytest.raises(CodegenError) as caught:
        kc.build(program(body), target=target)
    assert str(caught.value) == text + WHY
    assert run(kc.tir.transform.InjectVirtualThread()(program(body)), target) == in_lockstep


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_memory_in_the_loop_of_threads_that_exchange_values(target: str):
    body = """
tir.for %v in 4 thread "vthread" {
  %T = tir.alloc "T" : memref<4xf32, "shared">
  %x = tir.load %A[%v] : memref<4xf32>
  tir.store %x, %T[%v] : memref<4xf32, "shared">
  %y = tir.load %T[3 - %v] : memref<4xf32, "shared">
  tir.store %y, %S[%v] : memref<4xf32>
}"""
    with pytest.raises(CodegenError) as caught:
        kc.build(program(body), target=target)
    assert (
        str(caught.value)
        == """\
error[KC4207]: convert-tir-to-scf: the threads of loop v, vthread, exchange values in T
  --> <string>:6:3
   |  the statement at (v=3) writes T[3], which the statement at (v=0) reads
  why: virtual threads run one after the other on a CPU, each with its own memory of what is \
allocated in their loop
  try: allocate T outside of loop v, and write two loops of threads, where the second one reads \
what the first one writes
  try: run --inject-virtual-thread first: it keeps lockstep"""
    )
    in_lockstep = kc.tir.transform.InjectVirtualThread()(program(body))
    assert run(in_lockstep, target) == [[0, 1, 2, 3], [3, 2, 1, 0]]


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_a_tile_that_threads_compute_together(target: str):
    """Each thread computes the elements that it shares with its neighbours."""
    A = te.placeholder((18,), name="A")
    B = te.compute((18,), lambda i: A[i] * 2, name="B")
    C = te.compute((16,), lambda i: B[i] + B[i + 1] + B[i + 2], name="C")
    s = te.create_schedule(C.op)
    virtual, _ = s[C].split(C.op.axis[0], nparts=4)
    s[B].set_scope("shared")
    s[B].compute_at(s[C], virtual)
    s[C].bind(virtual, te.thread_axis("vthread"))
    a, c = np.arange(18, dtype="float32"), np.zeros(16, "float32")
    kc.build(s, [A, C], target=target)(a, c)
    np.testing.assert_array_equal(c, 2 * (a[:-2] + a[1:-1] + a[2:]))


NEIGHBOURS = {
    "own elements": (
        """
tir.for %v in 4 thread "vthread" {
  %x = tir.load %A[3 - %v] : memref<4xf32>
  tir.store %x, %S[%v] : memref<4xf32>
  %y = tir.load %S[%v] : memref<4xf32>
  tir.store %y, %S[%v] : memref<4xf32>
}""",
        [[0, 1, 2, 3], [3, 2, 1, 0]],
    ),
    "a load of what an earlier thread has stored": (
        """
tir.for %v in 4 thread "vthread" {
  %x = tir.load %A[%v] : memref<4xf32>
  tir.store %x, %S[%v] : memref<4xf32>
  tir.if (%v >= 1) {
    %y = tir.load %S[%v - 1] : memref<4xf32>
    tir.store %y, %A[%v] : memref<4xf32>
  }
}""",
        [[0, 0, 1, 2], [0, 1, 2, 3]],
    ),
    "two loops of threads": (
        """
tir.for %k in 3 {
  tir.for %v in 4 thread "vthread" {
    %x = tir.load %A[%v] : memref<4xf32>
    tir.store %x, %S[%v] : memref<4xf32>
  }
  tir.for %v in 4 thread "vthread" {
    %y = tir.load %S[3 - %v] : memref<4xf32>
    tir.store %y, %A[%v] : memref<4xf32>
  }
}""",
        [[3, 2, 1, 0], [0, 1, 2, 3]],
    ),
    "memory of each thread": (
        """
%L = tir.alloc "L" : memref<1xf32, "local">
tir.for %v in 2 thread "vthread.x" {
  tir.for %w in 2 thread "vthread.y" {
    %x = tir.load %A[3 - %v * 2 - %w] : memref<4xf32>
    tir.store %x, %L[0] : memref<1xf32, "local">
    %y = tir.load %L[0] : memref<1xf32, "local">
    tir.store %y, %S[%v * 2 + %w] : memref<4xf32>
  }
}""",
        [[0, 1, 2, 3], [3, 2, 1, 0]],
    ),
    "steps of a serial loop": (
        """
tir.for %v in 2 thread "vthread" {
  tir.for %k in 2 {
    tir.if (%v < 1) {
      %x = tir.load %A[%k * 2] : memref<4xf32>
      tir.store %x, %S[%k] : memref<4xf32>
    } else {
      %y = tir.load %S[%k] : memref<4xf32>
      tir.store %y, %A[%k * 2 + 1] : memref<4xf32>
    }
  }
}""",
        [[0, 0, 2, 2], [0, 2, 12, 13]],
    ),
}


@pytest.mark.parametrize("target", ["llvm", "c"])
@pytest.mark.parametrize("name", NEIGHBOURS)
def test_threads_may_run_one_after_the_other(name: str, target: str):
    body, expected = NEIGHBOURS[name]
    assert run(program(body), target) == expected


@pytest.mark.parametrize("target", ["llvm", "c"])
@pytest.mark.parametrize("scope", ["shared", "local", "global"])
@pytest.mark.parametrize("axis", ["vthread", "vthread.y"])
def test_threads_in_threads_that_exchange_values(axis: str, scope: str, target: str):
    """Each thread of v computes the same T, and those of w do so together."""
    memory = "" if scope == "global" else f', "{scope}"'
    body = f"""
tir.for %v in 2 thread "vthread.x" {{
  %T = tir.alloc "T" : memref<2xf32{memory}>
  tir.for %w in 2 thread "{axis}" {{
    %x = tir.load %A[%w] : memref<4xf32>
    tir.store %x, %T[%w] : memref<2xf32{memory}>
    %y = tir.load %T[1 - %w] : memref<2xf32{memory}>
    tir.store %y, %S[%v * 2 + %w] : memref<4xf32>
  }}
}}"""
    with pytest.raises(CodegenError) as caught:
        kc.build(program(body), target=target)
    assert (
        str(caught.value)
        == f"""\
error[KC4207]: convert-tir-to-scf: the threads of loop w, {axis}, exchange values in T
  --> <string>:7:5
   |  the statement at (w=1) writes T[1], which the statement at (w=0) reads \
(for v = 0){WHY}"""
    )
    two_loops = body.replace("    %y =", f'  }}\n  tir.for %w in 2 thread "{axis}" {{\n    %y =')
    expected = [[0, 1, 2, 3], [1, 0, 1, 0]]
    if scope != "local":  # these are other threads
        assert run(program(two_loops), target) == expected
    interpreted = [np.arange(4, dtype="float32"), np.zeros(4, "float32")]
    interpret(program(body).op, "f", interpreted)
    assert [array.tolist() for array in interpreted] == expected


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_local_memory_in_front_of_threads(target: str):
    """Each thread may have it, or one after the other, if each reads what it has written."""
    body = """
%T = tir.alloc "T" : memref<2xf32, "local">
tir.for %v in 2 thread "vthread" {
  %x = tir.load %A[%v] : memref<4xf32>
  tir.store %x, %T[0] : memref<2xf32, "local">
  tir.store %x, %T[1] : memref<2xf32, "local">
  tir.for %k in 2 {
    %y = tir.load %T[1 - %k] : memref<2xf32, "local">
    tir.store %y, %S[%v * 2 + %k] : memref<4xf32>
  }
}"""
    assert run(program(body), target) == [[0, 1, 2, 3], [0, 0, 1, 1]]
    # Thread 0 stores T[0] alone and reads T[1], where thread 1 stores.
    store = '  tir.store %x, %T[1] : memref<2xf32, "local">\n'
    exchange = body.replace(store, "").replace("tir.store %x, %T[0]", "tir.store %x, %T[%v]")
    with pytest.raises(CodegenError) as caught:
        kc.build(program(exchange), target=target)
    assert (
        str(caught.value)
        == f"""\
error[KC4207]: convert-tir-to-scf: the threads of loop v, vthread, exchange values in T
  --> <string>:7:5
   |  the statement at (v=1) writes T[1], which the statement at (v=0, k=0) reads{WHY}"""
    )


def test_masked_vectors_are_elements_of_a_row():
    a = te.placeholder((4, 7), dtype="int32", name="A")
    k = te.reduce_axis((0, 7), name="k")
    b = te.compute((4,), lambda i: te.max(a[i, k], axis=k), name="B")
    s = te.create_schedule(b.op)
    s[b].bind(b.op.axis[0], te.thread_axis("vthread"))
    s[b].vectorize(k)
    x, result = np.arange(28, dtype="int32").reshape(4, 7) * 5 % 11, np.zeros(4, "int32")
    f = kc.build(s, [a, b])
    assert "masked" in f.get_source("ll")
    f(x, result)
    np.testing.assert_array_equal(result, x.max(axis=1))


def test_masked_lanes_may_be_those_of_another_thread():
    module = kc.IRModule.parse(
        """
func.func @f(%A: memref<4x7xf32>, %m: vector<8xi1>, %z: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  tir.for %i in 4 thread "vthread" {
    %a = vector.maskedload %A[%c0, %c0], %m, %z
       : memref<4x7xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    vector.maskedstore %A[%i, %c0], %m, %a : memref<4x7xf32>, vector<8xi1>, vector<8xf32>
  }
  func.return
}""",
        "m.mlir",
    )
    with pytest.raises(CodegenError) as caught:
        kc.build(module)
    assert str(caught.value) == (
        "error[KC4207]: convert-tir-to-scf: the threads of loop i, vthread, may exchange values in "
        "A\n"
        "  --> m.mlir:7:5\n"
        "   |  cannot prove that iterations touch different elements of A: vector.maskedload may "
        f"mask any lane{WHY}"
    )


def test_a_branch_is_not_run_again():
    module = program(
        """
tir.for %v in 4 thread "vthread" {
  tir.for %r in 3 {
    %x = tir.load %A[%v] : memref<4xf32>
    %limit = arith.constant 1.5 : f32
    %is_large = arith.cmpf ogt, %x, %limit : f32
    scf.if %is_large {
      %s = tir.load %S[%v] : memref<4xf32>
      %t = arith.addf %s, %x : f32
      tir.store %t, %S[%v] : memref<4xf32>
    }
  }
}"""
    )
    assert run(module, "llvm")[1] == [10, 11, 12 + 3 * 2, 13 + 3 * 3]
