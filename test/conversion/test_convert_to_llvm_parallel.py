"""Parallel loops become functions for the thread pool; what is said of pointers."""

from __future__ import annotations

import re

import numpy as np
import pytest
from llvm_jit import call, launches, lower, to_text

RANDOM = np.random.default_rng(8)
C = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
"""


def parallel(ivs: str, lower_bounds: str, uppers: str, steps: str, body: str) -> str:
    """scf.parallel in generic form (xDSL has no other)."""
    rank = ivs.count(",") + 1
    args = ", ".join(f"{iv.strip()}: index" for iv in ivs.split(","))
    types = ", ".join(["index"] * 3 * rank)
    sizes = f"array<i32: {rank}, {rank}, {rank}, 0>"
    return f"""
      "scf.parallel"({lower_bounds}, {uppers}, {steps})
          <{{operandSegmentSizes = {sizes}}}> ({{
      ^bb0({args}):
        {body}
        scf.reduce
      }}) : ({types}) -> ()
    """


@pytest.fixture(autouse=True)
def no_launches():
    launches.clear()


@pytest.mark.parametrize(
    ("low", "high", "step"), [(0, 10, 1), (2, 9, 1), (1, 20, 4), (5, 5, 1), (9, 3, 2)]
)
@pytest.mark.parametrize("dynamic", [False, True])
def test_iterations(low: int, high: int, step: int, dynamic: bool):
    out = np.zeros(32, np.int64)
    constants = (
        ""
        if dynamic
        else f"""
      %l = arith.constant {low} : index
      %u = arith.constant {high} : index
      %s = arith.constant {step} : index
    """
    )
    args = ", %l: index, %u: index, %s: index" if dynamic else ""
    body = """
      %old = memref.load %out[%i] : memref<32xi64>
      %x = arith.index_cast %i : index to i64
      %y = arith.addi %old, %x : i64
      %z = arith.addi %y, %k : i64
      memref.store %z, %out[%i] : memref<32xi64>
    """
    text = f"""
    func.func @f(%out: memref<32xi64>, %k: i64{args}) {{ {constants}
      {parallel("%i", "%l", "%u", "%s", body)}
      func.return
    }}"""
    call(text, out, 100, *((low, high, step) if dynamic else ()))
    expected = np.zeros(32, np.int64)
    for i in range(low, high, step):
        expected[i] = 100 + i
    np.testing.assert_array_equal(out, expected)
    assert launches == [len(range(low, high, step))]


def test_several_dimensions_are_one_loop():
    out = np.full((4, 5, 6), -1, np.int64)
    body = """
      %a = arith.muli %i, %c100 : index
      %b = arith.muli %j, %c10 : index
      %c = arith.addi %a, %b : index
      %d = arith.addi %c, %k : index
      %x = arith.index_cast %d : index to i64
      memref.store %x, %out[%i, %j, %k] : memref<4x5x6xi64>
    """
    loop = parallel("%i, %j, %k", "%c0, %c1, %c0", "%c3, %n, %c5", "%c1, %c3, %c2", body)
    call(
        f"""
        func.func @f(%out: memref<4x5x6xi64>, %n: index) {{ {C}
          %c2 = arith.constant 2 : index
          %c5 = arith.constant 5 : index
          %c10 = arith.constant 10 : index
          %c100 = arith.constant 100 : index
          {loop}
          func.return
        }}""",
        *(out, 5),
    )
    expected = np.full((4, 5, 6), -1, np.int64)
    for i in range(3):
        for j in range(1, 5, 3):
            for k in range(0, 5, 2):
                expected[i, j, k] = 100 * i + 10 * j + k
    np.testing.assert_array_equal(out, expected)
    assert launches == [3 * 2 * 3]


MATMUL = f"""
func.func @f(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>,
             %n: index, %m: index, %k: index, %scale: f32, %on: i1) {{ {C}
  %zero = arith.constant 0.0 : f32
  %lane = arith.constant dense<0.0> : vector<4xf32>
  {
    parallel(
        "%i, %j",
        "%c0, %c0",
        "%n, %m",
        "%c1, %c1",
        '''
      %t = memref.alloca() : memref<1xf32>
      memref.store %zero, %t[%c0] : memref<1xf32>
      '''
        + parallel(
            "%q",
            "%c0",
            "%k",
            "%c1",
            '''
        %a = memref.load %A[%i, %q] : memref<?x?xf32>
        %b = memref.load %B[%q, %j] : memref<?x?xf32>
        %p = arith.mulf %a, %b : f32
        %o = memref.load %t[%c0] : memref<1xf32>
        %s = arith.addf %o, %p : f32
        memref.store %s, %t[%c0] : memref<1xf32>
        ''',
        )
        + '''
      %r = memref.load %t[%c0] : memref<1xf32>
      %w = arith.mulf %r, %scale : f32
      scf.if %on {
        memref.store %w, %C[%i, %j] : memref<?x?xf32>
      }
      ''',
    )
}
  func.return
}}
"""


def test_captured_values_and_inner_loops():
    a, b = RANDOM.random((4, 6), np.float32), RANDOM.random((6, 5), np.float32)
    for on in (1, 0):
        out = np.zeros((4, 5), np.float32)
        launches.clear()
        call(MATMUL, a, b, out, 4, 5, 6, 0.5, on)
        np.testing.assert_allclose(out, a @ b / 2 * on, rtol=1e-5)
        assert launches == [20]  # the inner loop runs inside the outer one's body


def test_buffers_and_vectors_of_the_function_around_are_captured():
    a = RANDOM.random(8, np.float32)
    out = np.zeros(8, np.float32)
    body = """
      %x = memref.load %t[%i] : memref<8xf32>
      %e = vector.extract %v[%i] : f32 from vector<8xf32>
      %y = arith.addf %x, %e : f32
      %z = memref.load %u[%i] : memref<?xf32>
      %s = arith.addf %y, %z : f32
      memref.store %s, %out[%i] : memref<8xf32>
    """
    call(
        f"""
        func.func @f(%a: memref<8xf32>, %out: memref<8xf32>) {{ {C}
          %t = memref.alloca() : memref<8xf32>
          %u = memref.alloc(%c8) : memref<?xf32>
          %v = vector.load %a[%c0] : memref<8xf32>, vector<8xf32>
          %w = arith.addf %v, %v : vector<8xf32>
          vector.store %v, %t[%c0] : memref<8xf32>, vector<8xf32>
          vector.store %w, %u[%c0] : memref<?xf32>, vector<8xf32>
          {parallel("%i", "%c0", "%c8", "%c1", body)}
          memref.dealloc %u : memref<?xf32>
          func.return
        }}""",
        *(a, out),
    )
    np.testing.assert_allclose(out, 4 * a, rtol=1e-6)


def test_loop_without_captures():
    call(f"func.func @f() {{ {C} {parallel('%i', '%c0', '%c8', '%c1', '')} func.return }}")
    assert launches == [8]


def test_loops_one_after_the_other_in_a_serial_loop():
    out = np.zeros(8, np.int64)
    body = """
      %x = memref.load %out[%i] : memref<8xi64>
      %y = arith.addi %x, %k : i64
      memref.store %y, %out[%i] : memref<8xi64>
    """
    loop = parallel("%i", "%c0", "%c8", "%c1", body)
    text = f"""
    func.func private @g(%out: memref<8xi64>, %k: i64) {{ {C} {loop} func.return }}
    func.func @f(%out: memref<8xi64>, %h: i64) {{ {C}
      scf.for %t = %c0 to %c3 step %c1 {{
        %k = arith.index_cast %t : index to i64
        {loop}
        {loop}
      }}
      func.call @g(%out, %h) : (memref<8xi64>, i64) -> ()
      func.return
    }}"""
    call(text, out, 1000)
    assert out.tolist() == [1006] * 8
    assert launches == [8] * 7
    names = set(re.findall(r"llvm.func internal @(\w+)", to_text(lower(text))))
    loops = {f"{name}{end}" for name in ("f_parallel_0", "f_parallel_1") for end in ("", "_body")}
    assert names == loops | {"g", "g_parallel_0", "g_parallel_0_body"}


def test_names_that_are_taken():
    loop = parallel("%i", "%c0", "%c8", "%c1", "")
    text = to_text(
        lower(
            f"""
            func.func private @f_parallel_0() {{ func.return }}
            func.func private @f_parallel_1_body() {{ func.return }}
            func.func @f() {{ {C} {loop} func.return }}"""
        )
    )
    assert "llvm.mlir.addressof @f_parallel_2" in text


# What is said of pointers


def parameters(text: str, name: str = "f") -> list[set[str]]:
    """The attributes of the pointer parameters of a function of the lowered ``text``."""
    header = re.search(rf"llvm.func (?:internal )?@{name}\((.*)\)", to_text(lower(text)))
    assert header is not None
    pointers = re.findall(r"!llvm.ptr(?: {([^}]*)})?", header[1])
    return [set(re.findall(r"llvm\.(\w+)", attributes)) for attributes in pointers]


ALL = {"align", "noalias", "nocapture", "readonly"}


def test_readonly_and_nocapture():
    text = """
    func.func @f(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>,
                 %e: memref<8xf32>, %i: index) {
      %x = memref.load %a[%i] : memref<8xf32>
      memref.store %x, %b[%i] : memref<8xf32>
      "memref.copy"(%a, %c) : (memref<8xf32>, memref<8xf32>) -> ()
      %v = vector.load %a[%i] : memref<8xf32>, vector<4xf32>
      %m = vector.create_mask %i : vector<4xi1>
      vector.maskedstore %d[%i], %m, %v : memref<8xf32>, vector<4xi1>, vector<4xf32>
      %s = "memref.cast"(%e) : (memref<8xf32>) -> memref<?xf32>
      vector.store %v, %s[%i] : memref<?xf32>, vector<4xf32>
      func.return
    }"""
    assert parameters(text) == [ALL, *[ALL - {"readonly"}] * 4]


@pytest.mark.parametrize(
    "choice",
    [
        "%s = arith.select %p, %a, %b : memref<8xf32>",
        """%s = scf.if %p -> (memref<8xf32>) {
          scf.yield %a : memref<8xf32>
        } else {
          scf.yield %b : memref<8xf32>
        }""",
        """cf.cond_br %p, ^join(%a : memref<8xf32>), ^join(%b : memref<8xf32>)
        ^join(%s: memref<8xf32>):""",
    ],
)
def test_writes_through_either_pointer(choice: str):
    text = f"""
    func.func @f(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %i: index, %p: i1) {{
      %x = memref.load %c[%i] : memref<8xf32>
      {choice}
      memref.store %x, %s[%i] : memref<8xf32>
      func.return
    }}"""
    assert parameters(text) == [ALL - {"readonly"}, ALL - {"readonly"}, ALL]


def test_writes_of_callees_are_seen_by_callers():
    text = """
    func.func private @h(%a: memref<8xf32>, %b: memref<8xf32>, %i: index) {
      func.call @g(%a, %b, %i) : (memref<8xf32>, memref<8xf32>, index) -> ()
      func.return
    }
    func.func @f(%a: memref<8xf32>, %b: memref<8xf32>, %i: index) {
      func.call @h(%b, %a, %i) : (memref<8xf32>, memref<8xf32>, index) -> ()
      func.return
    }
    func.func private @g(%a: memref<8xf32>, %b: memref<8xf32>, %i: index) {
      %x = memref.load %a[%i] : memref<8xf32>
      memref.store %x, %b[%i] : memref<8xf32>
      func.return
    }"""
    assert parameters(text, "g") == parameters(text, "h") == [ALL, ALL - {"readonly"}]
    assert parameters(text, "f") == [ALL - {"readonly"}, ALL]


EXTERNAL = "func.func private @out(memref<8xf32>)"


def test_external_functions_may_do_anything():
    text = f"""
    {EXTERNAL}
    func.func @f(%a: memref<8xf32>) {{
      func.call @out(%a) : (memref<8xf32>) -> ()
      func.return
    }}"""
    assert parameters(text) == [{"align", "noalias"}]
    assert parameters(text, "out") == [{"align"}]


WRITER = """
func.func private @g(%a: memref<8xf32>, %b: memref<8xf32>, %i: index) {
  %x = memref.load %a[%i] : memref<8xf32>
  memref.store %x, %b[%i] : memref<8xf32>
  func.return
}
"""
READER = """
func.func private @g(%a: memref<8xf32>, %b: memref<8xf32>, %i: index) {
  %x = memref.load %a[%i] : memref<8xf32>
  %y = memref.load %b[%i] : memref<8xf32>
  func.return
}
"""
CALL = "func.call @g(%{}, %{}, %i) : (memref<8xf32>, memref<8xf32>, index) -> ()"


def caller(body: str) -> str:
    return f"""
    func.func @f(%a: memref<8xf32>, %b: memref<8xf32>, %i: index, %p: i1) {{
      {body}
      func.return
    }}"""


@pytest.mark.parametrize(
    "body",
    [
        CALL.format("a", "a"),
        '%s = "memref.cast"(%a) : (memref<8xf32>) -> memref<8xf32> ' + CALL.format("s", "a"),
        "%s = arith.select %p, %a, %b : memref<8xf32>" + CALL.format("s", "a"),
        "%s = arith.select %p, %a, %b : memref<8xf32>" + CALL.format("b", "s"),
        f"{CALL.format('a', 'b')} {CALL.format('b', 'b')}",
    ],
)
def test_overlapping_arguments_have_no_noalias(body: str):
    assert parameters(WRITER + caller(body), "g") == [
        ALL - {"noalias"},
        ALL - {"noalias", "readonly"},
    ]
    # Where nothing is written, noalias says nothing about overlaps.
    assert parameters(READER + caller(body), "g") == [ALL, ALL]


def test_result_that_is_an_argument_overlaps_it():
    identity = """
    func.func private @same(%a: memref<8xf32>) -> memref<8xf32> {
      func.return %a : memref<8xf32>
    }"""
    body = "%s = func.call @same(%a) : (memref<8xf32>) -> memref<8xf32> " + CALL.format("s", "a")
    text = identity + WRITER + caller(body)
    assert parameters(text, "g") == [ALL - {"noalias"}, ALL - {"noalias", "readonly"}]
    assert parameters(text, "same") == [{"align", "noalias"}]
    fresh = body.replace(CALL.format("s", "a"), CALL.format("s", "b"))
    assert parameters(identity + WRITER + caller(fresh), "g") == [ALL, ALL - {"readonly"}]


def test_distinct_arguments_keep_noalias():
    body = f"""
      %t = memref.alloca() : memref<8xf32>
      %u = memref.alloc() : memref<8xf32>
      {CALL.format("a", "b")} {CALL.format("t", "b")} {CALL.format("a", "u")}
      memref.dealloc %u : memref<8xf32>
    """
    assert parameters(WRITER + caller(body), "g") == [ALL, ALL - {"readonly"}]


def test_overlap_reaches_through_calls():
    middle = f"""
    func.func private @m(%a: memref<8xf32>, %b: memref<8xf32>, %i: index) {{
      {CALL.format("a", "b")}
      func.return
    }}"""
    text = WRITER + middle + caller(CALL.format("a", "a").replace("@g", "@m"))
    for name in ("m", "g"):
        assert parameters(text, name) == [ALL - {"noalias"}, ALL - {"noalias", "readonly"}]


def test_body_of_a_parallel_loop():
    body = """
      %x = memref.load %a[%i] : memref<8xf32>
      %y = memref.load %s[%i] : memref<?xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %b[%i] : memref<8xf32>
    """
    text = f"""
    func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {{ {C}
      %s = "memref.cast"(%a) : (memref<8xf32>) -> memref<?xf32>
      {parallel("%i", "%c0", "%c8", "%c1", body)}
      func.return
    }}"""
    # Both views of %a are one parameter. The threads see the pointers of @f.
    assert parameters(text, "f_parallel_0_body") == [ALL, ALL - {"readonly"}]
    assert parameters(text) == [ALL - {"nocapture"}, ALL - {"nocapture", "readonly"}]
    lowered = to_text(lower(text))
    assert "llvm.func internal @f_parallel_0_body" in lowered
    assert lowered.count("no_inline") == 1


def test_body_with_pointers_that_may_overlap():
    body = """
      %x = memref.load %s[%i] : memref<8xf32>
      memref.store %x, %b[%i] : memref<8xf32>
    """
    text = f"""
    func.func @f(%a: memref<8xf32>, %b: memref<8xf32>, %p: i1) {{ {C}
      %s = arith.select %p, %a, %b : memref<8xf32>
      {parallel("%i", "%c0", "%c8", "%c1", body)}
      func.return
    }}"""
    assert parameters(text, "f_parallel_0_body") == [
        ALL - {"noalias"},
        ALL - {"noalias", "readonly"},
    ]


def test_overlap_that_shows_only_at_the_end_of_a_loop():
    """%b gets into %s at the back edge, after the body was translated."""
    body = """
      %x = memref.load %s[%i] : memref<8xf32>
      memref.store %x, %b[%i] : memref<8xf32>
    """
    text = f"""
    func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {{ {C}
      %r = scf.for %t = %c0 to %c3 step %c1 iter_args(%s = %a) -> (memref<8xf32>) {{
        {parallel("%i", "%c0", "%c8", "%c1", body)}
        scf.yield %b : memref<8xf32>
      }}
      func.return
    }}"""
    assert all("noalias" not in parameter for parameter in parameters(text, "f_parallel_0_body"))


def test_loop_annotation_of_serial_and_parallel_loops():
    note = "llvm.loop_annotation = #llvm.loop_annotation<unroll = <full = true>>"
    text = f"""
    func.func @f() {{ {C}
      scf.for %i = %c0 to %c8 step %c1 {{
        scf.for %j = %c0 to %c8 step %c1 {{ }}
      }} {{{note}}}
      func.return
    }}"""
    lines = [line for line in to_text(lower(text)).splitlines() if "loop_annotation" in line]
    assert len(lines) == 1
    assert re.search(r"llvm.br \^bb1\(.*\) {loop_annotation = .*full = true", lines[0])
