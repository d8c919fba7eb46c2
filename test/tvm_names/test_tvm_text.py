"""script(style="tvm"): loops as TVM prints them, beside what TVM printed for the same schedules."""

from __future__ import annotations

from pathlib import Path

import pytest

import kc
from kc import te

# What TVM printed for the stages of its tutorial on the matrix product with a write cache (1024 by
# 1024, blocks of 32), with buffers in the order of the arguments, without the mark of a TE
# schedule, and with kc's names: x_o for x.outer, x_i for x.inner, C_global for C.global.
LISTINGS = dict(
    part.split("\n", 1)  # name, text
    for part in (Path(__file__).parent / "tvm_listings.txt").read_text().split("---- ")[1:]
)
STAGES = [
    "default",
    "cached",
    "cached, tiled",
    "cached, tiled, attached",
    "cached, tiled, attached, reordered",
    "vectorized",
    "parallel",
]


def gemm(stage: int) -> kc.IRModule:
    """The matrix product of the tutorial, after so many steps of its schedule."""
    n, bn = 1024, 32
    k = te.reduce_axis((0, n), "k")
    A = te.placeholder((n, n), name="A")
    B = te.placeholder((n, n), name="B")
    packed = te.compute(
        (n // bn, n, bn), lambda bigN, k, littleN: B[k, bigN * bn + littleN], name="packedB"
    )
    C = te.compute(
        (n, n),
        lambda x, y: te.sum(A[x, k] * packed[y // bn, k, kc.tir.indexmod(y, bn)], axis=k),
        name="C",
    )
    s = te.create_schedule(C.op)
    _schedule(s, C, packed, stage)
    return kc.lower(s, [A, B, C])


def _schedule(s: te.Schedule, C: te.Tensor, packed: te.Tensor, stage: int) -> None:
    if stage == 0:
        return
    CC = s.cache_write(C, "global")
    if stage == 1:
        return
    xo, yo, _, _ = s[C].tile(C.op.axis[0], C.op.axis[1], 32, 32)
    if stage >= 3:
        s[CC].compute_at(s[C], yo)
    if stage >= 4:
        xc, yc = s[CC].op.axis
        ko, ki = s[CC].split(s[CC].op.reduce_axis[0], factor=4)
        s[CC].reorder(ko, xc, ki, yc)
        if stage >= 5:
            s[CC].unroll(ki)
            s[CC].vectorize(yc)
            x, _, z = s[packed].op.axis
            s[packed].vectorize(z)
            s[packed].parallel(x)
    if stage >= 6:
        s[C].parallel(xo)


@pytest.mark.parametrize("stage", range(7))
def test_the_stages_of_the_tutorial(stage: int):
    assert gemm(stage).script(style="tvm") == f"@main = {LISTINGS[STAGES[stage]]}"


def test_it_leaves_the_module_alone():
    module = gemm(6)
    before = str(module)
    module.script(style="tvm")
    assert str(module) == before == module.script() == module.script(style="mlir")


def test_simple_mode_shows_the_loops():
    """As in TVM, where ``lower`` gives a module of which people print the loops; ``str`` is IR."""
    A = te.placeholder((64,), name="A")
    B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    module, simple = (kc.lower(s, [A, B], simple_mode=mode) for mode in (False, True))
    assert str(module) == module.script()
    assert repr(simple) == simple.script(style="tvm")
    assert str(simple).startswith("// @main = primfn(A_1: handle, B_1: handle) -> ()\n")
    assert "\n//   for (i: int32, 0, 64) {\n" in str(simple)
    assert str(simple).endswith(f"\n// }}\n\n{module}")
    assert str(kc.IRModule.parse(str(simple))) == str(module)
    # It is the module that it is without; and what has no such loops is IR.
    assert simple.script() == module.script()
    s[B].bind(s[B].op.axis[0], te.thread_axis("threadIdx.x"))
    kernel = kc.lower(s, [A, B], simple_mode=True, target="cuda")
    assert repr(kernel) == _text_or_ir(kernel)


def _text_or_ir(module: kc.IRModule) -> str:
    try:
        return module.script(style="tvm")
    except kc.error.KCError:
        return module.script()


def test_sizes_that_are_symbols_and_tails():
    n, m = te.var("n"), te.size_var("m")
    A = te.placeholder((n, m), name="A")
    B = te.placeholder((m,), name="B", dtype="int8")
    C = te.compute(
        (n, m),
        lambda i, j: (
            te.if_then_else(i > 0, te.exp(A[i - 1, j]), 0.0) + te.max(B[j].astype("float32"), 2.0)
        ),
        name="C",
    )
    s = te.create_schedule(C.op)
    s[C].split(C.op.axis[1], factor=4)
    assert (
        kc.lower(s, [n, A, B, C]).script(style="tvm")
        == """\
@main = primfn(n: int32, A_1: handle, B_1: handle, C_1: handle) -> ()
  attr = {"global_symbol": "main", "tir.noalias": True}
  buffers = {A: Buffer(A_2: Pointer(float32), float32, [n, m: int32], []),
             B: Buffer(B_2: Pointer(int8), int8, [m], []),
             C: Buffer(C_2: Pointer(float32), float32, [n, m], [])}
  buffer_map = {A_1: A, B_1: B, C_1: C} {
  for (i: int32, 0, n) {
    for (j_o: int32, 0, floordiv((m + 3), 4)) {
      for (j_i: int32, 0, 4) {
        if @tir.likely((((j_o*4) + j_i) < m), dtype=bool) {
          C_2[((i*m) + ((j_o*4) + j_i))] = (@tir.if_then_else((i > 0), \
@tir.exp((float32*)A_2[(((i - 1)*m) + ((j_o*4) + j_i))], dtype=float32), 0f32, dtype=float32) + \
max(cast(float32, (int8*)B_2[((j_o*4) + j_i)]), 2f32))
        }
      }
    }
  }
}
"""
    )


def test_threads_and_scopes():
    A = te.placeholder((100, 64), name="A")
    k = te.reduce_axis((0, 64), "k")
    R = te.compute((100,), lambda i: te.max(A[i, k], axis=k, where=A[i, k] > 0), name="R")
    s = te.create_schedule(R.op)
    shared = s.cache_read(A, "shared", [R])
    xo, xi = s[R].split(R.op.axis[0], factor=32)
    s[R].bind(xo, te.thread_axis("blockIdx.x"))
    s[R].bind(xi, te.thread_axis("threadIdx.x"))
    s[shared].compute_at(s[R], xo)
    _, inner = s[shared].split(shared.op.axis[1], factor=32)
    s[shared].bind(inner, te.thread_axis("threadIdx.x"))
    text = kc.lower(s, [A, R]).script(style="tvm")
    body = text.split("buffer_map", 1)[1].split("\n", 1)[1]
    assert (
        body
        == """\
  attr [IterVar(blockIdx.x: int32, (nullptr), "ThreadIndex", "blockIdx.x")] "thread_extent" = 4;
  allocate(A_shared: Pointer(shared float32), float32, [2048]), storage_scope = shared {
    for (ax0: int32, 0, 32) {
      for (ax1_o: int32, 0, 2) {
        attr [IterVar(threadIdx.x: int32, (nullptr), "ThreadIndex", "threadIdx.x")] \
"thread_extent" = 32;
        if @tir.likely((((blockIdx.x*32) + ax0) < 100), dtype=bool) {
          A_shared[(((ax0*64) + (ax1_o*32)) + threadIdx.x)] = \
(float32*)A_2[((((blockIdx.x*2048) + (ax0*64)) + (ax1_o*32)) + threadIdx.x)]
        }
      }
    }
    attr [IterVar(threadIdx.x, (nullptr), "ThreadIndex", "threadIdx.x")] "thread_extent" = 32 {
      if @tir.likely((((blockIdx.x*32) + threadIdx.x) < 100), dtype=bool) {
        R_2[((blockIdx.x*32) + threadIdx.x)] = -inff32
      }
      for (k: int32, 0, 64) {
        if @tir.likely((((blockIdx.x*32) + threadIdx.x) < 100), dtype=bool) {
          if @tir.likely(((float32*)A_shared[((threadIdx.x*64) + k)] > 0f32), dtype=bool) {
            R_2[((blockIdx.x*32) + threadIdx.x)] = max((float32*)R_2[((blockIdx.x*32) + \
threadIdx.x)], (float32*)A_shared[((threadIdx.x*64) + k)])
          }
        }
      }
    }
  }
}
"""
    )


def script(text: str) -> str:
    """The statements of the first function of textual IR, in TVM's form."""
    shown = kc.IRModule.parse(text).script(style="tvm")
    return shown.split("buffer_map", 1)[1].split("\n", 1)[1].removesuffix("}\n")


def test_what_is_read_is_read_before_it_is_overwritten():
    assert (
        script("""
func.func @swap(%A: memref<4xf32>) {
  %a = tir.load %A[0] : memref<4xf32>
  %b = tir.load %A[1] : memref<4xf32>
  tir.store %b, %A[0] : memref<4xf32>
  tir.store %a, %A[1] : memref<4xf32>
  func.return
}""")
        == """\
  let a: float32 = (float32*)A_2[0]
  A_2[0] = (float32*)A_2[1]
  A_2[1] = a
"""
    )


def test_a_value_is_computed_once():
    assert (
        script("""
func.func @f(%A: memref<4xf32>, %B: memref<4xf32>) {
  tir.for %i in 4 {
    %a = tir.load %A[%i] : memref<4xf32>
    %square = arith.mulf %a, %a : f32
    %fourth = arith.mulf %square, %square : f32
    tir.store %fourth, %B[%i] : memref<4xf32>
  }
  func.return
}""")
        == """\
  for (i: int32, 0, 4) {
    let square: float32 = ((float32*)A_2[i]*(float32*)A_2[i])
    B_2[i] = (square*square)
  }
"""
    )


@pytest.mark.parametrize(
    ("op", "kind", "text"),
    [
        ("arith.divf %a, %b : f32", "f32", "({a} / {b})"),
        ("arith.negf %a : f32", "f32", "({a}*-1f32)"),
        ("arith.maximumf %a, %b : f32", "f32", "max({a}, {b})"),
        ("math.powf %a, %b : f32", "f32", "@tir.pow({a}, {b}, dtype=float32)"),
        ("math.absf %a : f32", "f32", "@tir.fabs({a}, dtype=float32)"),
        ("arith.bitcast %a : f32 to i32", "i32", "@tir.reinterpret({a}, dtype=int32)"),
        ("arith.fptosi %a : f32 to i64", "i64", "cast(int64, {a})"),
        ("arith.truncf %a : f32 to bf16", "bf16", "cast(bfloat16, {a})"),
        ("arith.cmpf une, %a, %b : f32", "i1", "({a} != {b})"),
        ("arith.cmpf uge, %a, %b : f32", "i1", "!({a} < {b})"),
        ("arith.divsi %i, %j : i32", "i32", "({i} / {j})"),
        ("arith.remsi %i, %j : i32", "i32", "({i} % {j})"),
        ("arith.floordivsi %i, %j : i32", "i32", "floordiv({i}, {j})"),
        ("arith.andi %i, %j : i32", "i32", "@tir.bitwise_and({i}, {j}, dtype=int32)"),
        ("arith.shrsi %i, %j : i32", "i32", "@tir.shift_right({i}, {j}, dtype=int32)"),
        ("arith.cmpi ult, %i, %j : i32", "i1", "({i} < {j})"),
        ("arith.extui %i : i32 to i64", "i64", "cast(uint64, {i})"),
        ("math.ctpop %i : i32", "i32", "@tir.popcount({i}, dtype=int32)"),
    ],
)  # fmt: skip
def test_operations(op: str, kind: str, text: str):
    body = script(f"""
func.func @f(%A: memref<2xf32>, %B: memref<2xi32>, %C: memref<1x1x{kind}>) {{
  %a = tir.load %A[0] : memref<2xf32>
  %b = tir.load %A[1] : memref<2xf32>
  %i = tir.load %B[0] : memref<2xi32>
  %j = tir.load %B[1] : memref<2xi32>
  %v = {op}
  tir.store %v, %C[0, 0] : memref<1x1x{kind}>
  func.return
}}""")
    values = {
        "a": "(float32*)A_2[0]",
        "b": "(float32*)A_2[1]",
        "i": "(int32*)B_2[0]",
        "j": "(int32*)B_2[1]",
    }
    assert body == f"  C_2[0] = {text.format(**values)}\n"


def test_calls_views_and_prefetch():
    assert (
        script("""
func.func private @sum4(memref<4xf32, strided<[8], offset: ?>>, memref<1xf32>)
func.func @f(%A: memref<8x8xf32>, %B: memref<1xf32>) {
  tir.for %j in 8 {
    tir.prefetch %A[0, %j] : memref<8x8xf32>
    %part = tir.view %A[4, %j] along [0] : memref<8x8xf32> to memref<4xf32, strided<[8], offset: ?>>
    tir.call @sum4(read %part, update %B) : (memref<4xf32, strided<[8], offset: ?>>, memref<1xf32>)
  }
  func.return
}""")
        == """\
  for (j: int32, 0, 8) {
    @tir.prefetch(@tir.address_of(A_2[j], dtype=handle), 0, 3, 1, dtype=handle)
    @tir.call_extern("sum4", @tir.address_of(A_2[(j + 32)], dtype=handle), \
@tir.address_of(B_2[0], dtype=handle), dtype=int32)
  }
"""
    )


def test_calls_out_of_the_program():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: kc.tir.call_pure_extern("float32", "cbrtf", A[i]), name="B")
    text = kc.lower(te.create_schedule(B.op), [A, B]).script(style="tvm")
    assert 'B_2[i] = @tir.call_pure_extern("cbrtf", (float32*)A_2[i], dtype=float32)\n' in text
    C = te.extern(
        (8,),
        [A],
        lambda ins, outs: kc.tir.call_packed("my.add", "text", ins[0], outs[0]),
        dtype="float32",
        name="C",
    )
    text = kc.lower(te.create_schedule(C.op), [A, C]).script(style="tvm")
    assert (
        '  @tir.tvm_call_packed("my.add", "text", @tir.address_of(A_2[0], dtype=handle), '
        "@tir.address_of(C_2[0], dtype=handle), dtype=int32)\n" in text
    )


def test_conditions_on_values():
    assert (
        script("""
func.func @f(%A: memref<4xf32>, %c: i1) {
  scf.if %c {
    %x = arith.constant 1.0 : f32
    tir.store %x, %A[0] : memref<4xf32>
  } else {
    %y = arith.constant 2.5 : f32
    tir.store %y, %A[0] : memref<4xf32>
  }
  func.return
}""")
        == """\
  if c {
    A_2[0] = 1f32
  } else {
    A_2[0] = 2.5f32
  }
"""
    )


def test_the_context_says_whether_there_are_vectors():
    with kc.transform.PassContext(config={"tir.disable_vectorize": True}):
        text = gemm(5).script(style="tvm")
    assert "ramp" not in text
    assert "for (littleN: int32, 0, 32) {" in text
    with kc.transform.PassContext(config={"tir.UnrollLoop": {"explicit_unroll": False}}):
        text = gemm(5).script(style="tvm")
    assert 'for (k_i: int32, 0, 4) "unrolled" {' in text


TE = """
te.func @f(%A: tensor<?x64xf32> {kc.shape = affine_map<()[n] -> (n, 64)>, kc.name = "A"})
    -> (tensor<?xf32>, tensor<?xf32>) attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %R = te.compute "R" [%i = %n] reduce sum [%k = 64] where {
    te.condition (%k < %i)
  } do {
    %a = te.read %A[%i, %k] : tensor<?x64xf32>
    %b = te.read %A[%i, (%k + 1) mod 64] : tensor<?x64xf32>
    %v = arith.mulf %a, %b : f32
    te.yield %v : f32
  } : tensor<?xf32>
  %S = te.compute "S" [%i = %n] {
    %r = te.read %R[%i] : tensor<?xf32>
    %v = math.sqrt %r : f32
    te.yield %v : f32
  } : tensor<?xf32>
  te.return %R, %S : tensor<?xf32>, tensor<?xf32>
}
"""


def test_tensor_expressions_are_formulas():
    assert (
        kc.IRModule.parse(TE).script(style="tvm")
        == """\
@f = tensors(A: float32[n, 64]) -> (R, S)
  R[i] += (A[i, k]*A[i, floormod((k + 1), 64)])  for i in n, reduce k in 64, where (k < i)
  S[i] = @tir.sqrt(R[i], dtype=float32)  for i in n
"""
    )


def test_vectorized_loops_that_need_masks_stay_loops():
    a = te.placeholder((10,), name="A")
    b = te.compute(
        (12,), lambda i: te.if_then_else(te.all(i >= 1, i < 11), a[i - 1], 0.0), name="B"
    )
    c = te.compute((12,), lambda i: b[i] * 2, name="C")
    schedule = te.create_schedule(c.op)
    for tensor in (b, c):
        schedule[tensor].vectorize(schedule[tensor].split(tensor.op.axis[0], 4)[1])
    assert (
        kc.lower(schedule, [a, c])
        .script(style="tvm")
        .endswith(
            """\
  allocate(B: Pointer(global float32), float32, [12]), storage_scope = global {
    for (i_o: int32, 0, 3) {
      for (i_i: int32, 0, 4) {
        B[((i_o*4) + i_i)] = @tir.if_then_else(((((i_o*4) + i_i) >= 1) && (((i_o*4) + i_i) < 11)), \
(float32*)A_2[(((i_o*4) + i_i) - 1)], 0f32, dtype=float32)
      }
    }
    for (i_o_1: int32, 0, 3) {
      C_2[ramp((i_o_1*4), 1, 4)] = ((float32x4*)B[ramp((i_o_1*4), 1, 4)]*broadcast(2f32, 4))
    }
  }
}
"""
        )
    )


def test_an_unknown_style():
    with pytest.raises(kc.KCError) as caught:
        gemm(0).script(style="tmv")
    assert "\n".join(str(caught.value).splitlines()[:1] + str(caught.value).splitlines()[2:]) == (
        "error[KC0080]: script: unknown style 'tmv'\n"
        "  why: 'mlir' is the IR, 'tvm' and 'tvmscript' are the loops as TVM prints them, and "
        "'relay' is a graph as Relay's text\n"
        "  try: did you mean 'tvm'?"
    )


def test_stages_that_have_no_such_text():
    module = kc.IRModule.parse(
        """\
func.func @f(%A: memref<4xf32>) {
  %i = arith.constant 0 : index
  %a = memref.load %A[%i] : memref<4xf32>
  memref.store %a, %A[%i] : memref<4xf32>
  func.return
}
""",
        name="loops.mlir",
    )
    with pytest.raises(kc.KCError) as caught:
        module.script(style="tvm")
    assert str(caught.value) == (
        "error[KC4330]: script: memref.load has no form in TVM's text\n"
        "  --> loops.mlir:3:3\n"
        "  why: the text can show loops, stores and scalar expressions of tensor programs "
        "(te and tir)\n"
        "  try: mod.script() prints the IR of every stage, "
        'kc.build(...).get_source("tir") loops'
    )
