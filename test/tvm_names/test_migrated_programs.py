"""``kc migrate`` on programs as users of TVM write them: what is not said to be missing runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kc.__main__ import main

PROGRAMS = {
    "vector_add": """\
import numpy as np
import tvm
import tvm.testing
from tvm import te

n = te.var("n")
A = te.placeholder((n,), name="A")
B = te.placeholder((n,), name="B")
C = te.compute(A.shape, lambda i: A[i] + B[i], name="C")
s = te.create_schedule(C.op)
xo, xi = s[C].split(C.op.axis[0], factor=8)
s[C].parallel(xo)
s[C].vectorize(xi)
fadd = tvm.build(s, [A, B, C], "llvm", name="myadd")
dev = tvm.cpu(0)
a = tvm.nd.array(np.random.uniform(size=20).astype(A.dtype), dev)
b = tvm.nd.array(np.random.uniform(size=20).astype(B.dtype), dev)
c = tvm.nd.array(np.zeros(20, dtype=C.dtype), dev)
fadd(a, b, c)
tvm.testing.assert_allclose(c.numpy(), a.numpy() + b.numpy())
""",
    "blocked_matmul": """\
import numpy
import tvm
from tvm import te

M = N = K = 32
k = te.reduce_axis((0, K), "k")
A = te.placeholder((M, K), name="A")
B = te.placeholder((K, N), name="B")
C = te.compute((M, N), lambda x, y: te.sum(A[x, k] * B[k, y], axis=k), name="C")
s = te.create_schedule(C.op)
CC = s.cache_write(C, "global")
xo, yo, xi, yi = s[C].tile(C.op.axis[0], C.op.axis[1], 8, 8)
s[CC].compute_at(s[C], yo)
xc, yc = s[CC].op.axis
ko, ki = s[CC].split(s[CC].op.reduce_axis[0], factor=4)
s[CC].reorder(ko, xc, ki, yc)
s[CC].unroll(ki)
s[CC].vectorize(yc)
print(tvm.lower(s, [A, B, C], simple_mode=True))
func = tvm.build(s, [A, B, C], target="llvm", name="mmult")
a = tvm.nd.array(numpy.random.rand(M, K).astype("float32"))
b = tvm.nd.array(numpy.random.rand(K, N).astype("float32"))
c = tvm.nd.array(numpy.zeros((M, N), dtype="float32"))
func(a, b, c)
numpy.testing.assert_allclose(c.asnumpy(), a.asnumpy() @ b.asnumpy(), rtol=1e-4)
evaluator = func.time_evaluator(func.entry_name, tvm.cpu(), number=1)
print(evaluator(a, b, c).mean)
""",
    "conv_with_padding": """\
import tvm
from tvm import te, topi

batch, in_channel, out_channel, size, kernel, pad = 1, 4, 4, 6, 3, 1
A = te.placeholder((size, size, in_channel, batch), name="A")
W = te.placeholder((kernel, kernel, in_channel, out_channel), name="W")
Apad = te.compute(
    (size + 2 * pad, size + 2 * pad, in_channel, batch),
    lambda yy, xx, cc, nn: tvm.tir.if_then_else(
        tvm.tir.all(yy >= pad, yy - pad < size, xx >= pad, xx - pad < size),
        A[yy - pad, xx - pad, cc, nn],
        tvm.tir.const(0.0, "float32"),
    ),
    name="Apad",
)
rc = te.reduce_axis((0, in_channel), name="rc")
ry = te.reduce_axis((0, kernel), name="ry")
rx = te.reduce_axis((0, kernel), name="rx")
B = te.compute(
    (size, size, out_channel, batch),
    lambda yy, xx, ff, nn: te.sum(
        Apad[yy + ry, xx + rx, rc, nn] * W[ry, rx, rc, ff], axis=[ry, rx, rc]
    ),
    name="B",
)
C = topi.nn.relu(B)
s = te.create_schedule(C.op)
s[Apad].compute_inline()
s[B].compute_at(s[C], C.op.axis[1])
tvm.build(s, [A, W, C], "llvm")
""",
    "gpu_matmul": """\
import tvm
from tvm import te

A = te.placeholder((64, 64), name="A")
B = te.placeholder((64, 64), name="B")
k = te.reduce_axis((0, 64), "k")
C = te.compute((64, 64), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
s = te.create_schedule(C.op)
AA = s.cache_read(A, "shared", [C])
BB = s.cache_read(B, "shared", [C])
CL = s.cache_write(C, "local")
block_x, block_y = te.thread_axis("blockIdx.x"), te.thread_axis("blockIdx.y")
thread_x, thread_y = te.thread_axis((0, 8), "threadIdx.x"), te.thread_axis((0, 8), "threadIdx.y")
by, bx, yi, xi = s[C].tile(C.op.axis[0], C.op.axis[1], 16, 16)
ty, yi = s[C].split(yi, nparts=8)
tx, xi = s[C].split(xi, nparts=8)
s[C].reorder(by, bx, ty, tx, yi, xi)
s[C].bind(by, block_y)
s[C].bind(bx, block_x)
s[C].bind(ty, thread_y)
s[C].bind(tx, thread_x)
s[CL].compute_at(s[C], tx)
ko, ki = s[CL].split(s[CL].op.reduce_axis[0], factor=8)
s[CL].reorder(ko, ki, *s[CL].op.axis)
for cached in (AA, BB):
    s[cached].compute_at(s[CL], ko)
    y, x = s[cached].op.axis
    ty, _ = s[cached].split(y, nparts=8)
    tx, _ = s[cached].split(x, nparts=8)
    s[cached].reorder(ty, tx, _)
    s[cached].bind(ty, thread_y)
    s[cached].bind(tx, thread_x)
mod = tvm.lower(s, [A, B, C], name="mmult")
with tvm.target.Target("cuda"):
    func = tvm.build(mod)
print(func.imported_modules[0].get_source()[:100])
""",
    "softmax": """\
import numpy as np
import tvm
from tvm import te

m, n = te.size_var("m"), te.size_var("n")
X = te.placeholder((m, n), name="X")
k1, k2 = te.reduce_axis((0, n), "k1"), te.reduce_axis((0, n), "k2")
largest = te.compute((m,), lambda i: te.max(X[i, k1], axis=k1), name="largest")
E = te.compute((m, n), lambda i, j: te.exp(X[i, j] - largest[i]), name="E")
total = te.compute((m,), lambda i: te.sum(E[i, k2], axis=k2), name="total")
Y = te.compute((m, n), lambda i, j: E[i, j] / total[i], name="Y")
s = te.create_schedule(Y.op)
for stage in (largest, E, total):
    s[stage].compute_at(s[Y], s[Y].op.axis[0])
f = tvm.build(s, [X, Y])
x = tvm.nd.array(np.random.randn(3, 5).astype("float32"))
y = tvm.nd.empty((3, 5))
f(x, y)
assert np.allclose(y.numpy().sum(1), 1)
""",
    "argmax": """\
import numpy as np
import tvm
from tvm import te

def fcombine(x, y):
    lhs = tvm.tir.Select((x[1] >= y[1]), x[0], y[0])
    rhs = tvm.tir.Select((x[1] >= y[1]), x[1], y[1])
    return lhs, rhs

def fidentity(t0, t1):
    return tvm.tir.const(-1, t0), te.min_value(t1)

argmax = te.comm_reducer(fcombine, fidentity, name="argmax")
idx = te.placeholder((4, 8), name="idx", dtype="int32")
val = te.placeholder((4, 8), name="val", dtype="float32")
k = te.reduce_axis((0, 8), "k")
T0, T1 = te.compute((4,), lambda i: argmax((idx[i, k], val[i, k]), axis=k), name="T")
s = te.create_schedule([T0.op, T1.op])
_, ki = s[T0].split(k, 4)
s.rfactor(T0, ki)
tvm.build(s, [idx, val, T0, T1])
""",
    "rnn_cell": """\
import tvm
from tvm import te

num_step, n, num_hidden = te.var("num_step"), te.var("n"), 4
Xi2h = te.placeholder((num_step, n, num_hidden), name="Xi2h")
Wh2h = te.placeholder((num_hidden, num_hidden), name="Wh2h")
s_state = te.placeholder((num_step, n, num_hidden))
s_init = te.compute((1, n, num_hidden), lambda _, *i: 0.0)
k = te.reduce_axis((0, num_hidden), name="k")
s_h2h = te.compute(
    (num_step, n, num_hidden),
    lambda t, b, i: te.sum(s_state[t - 1, b, k] * Wh2h[i, k], axis=k), name="h2h"
)
s_update = te.compute(
    (num_step, n, num_hidden), lambda t, b, i: te.tanh(s_h2h[t, b, i] + Xi2h[t, b, i])
)
s_scan = tvm.te.scan(s_init, s_update, s_state, inputs=[Xi2h])
s = te.create_schedule(s_scan.op)
tvm.build(s, [Xi2h, Wh2h, s_scan], "llvm")
""",
    "packed_extern": """\
import numpy as np
import tvm
from tvm import te

@tvm.register_func("user.addone", override=True)
def addone(x, y):
    tvm.nd.array(x.numpy() + 1).copyto(y)

A = te.placeholder((5,), name="A")
B = te.extern(
    (5,), [A], lambda ins, outs: tvm.tir.call_packed("user.addone", ins[0], outs[0]), name="B"
)
f = tvm.build(te.create_schedule(B.op), [A, B], "llvm")
a, b = tvm.nd.array(np.arange(5, dtype="float32")), tvm.nd.array(np.zeros(5, "float32"))
f(a, b)
assert (b.numpy() == a.numpy() + 1).all()
assert tvm.get_global_func("user.addone") is not None
""",
    "tensorized_gemv": """\
import tvm
from tvm import te

def intrin_gemv(m, l):
    a = te.placeholder((l,), name="a")
    b = te.placeholder((m, l), name="b")
    k = te.reduce_axis((0, l), name="k")
    c = te.compute((m,), lambda i: te.sum(a[k] * b[i, k], axis=k), name="c")
    Ab = tvm.tir.decl_buffer(a.shape, a.dtype, name="A", offset_factor=1, strides=[1])
    Bb = tvm.tir.decl_buffer(b.shape, b.dtype, name="B", offset_factor=1, strides=[te.var("s1"), 1])
    Cb = tvm.tir.decl_buffer(c.shape, c.dtype, name="C", offset_factor=1, strides=[1])

    def intrin_func(ins, outs):
        ib = tvm.tir.ir_builder.create()
        aa, bb = ins
        cc = outs[0]
        ib.emit(tvm.tir.call_extern("int32", "gemv_update", cc.access_ptr("w"),
                                    aa.access_ptr("r"), bb.access_ptr("r"), m, l, bb.strides[0]))
        return ib.get()

    return te.decl_tensor_intrin(c.op, intrin_func, binds={a: Ab, b: Bb, c: Cb})

A = te.placeholder((16, 8), name="A")
B = te.placeholder((16, 8), name="B")
k = te.reduce_axis((0, 8), name="k")
C = te.compute((16, 16), lambda i, j: te.sum(A[i, k] * B[j, k], axis=k), name="C")
s = te.create_schedule(C.op)
x, y = C.op.axis
yo, yi = s[C].split(y, factor=4)
s[C].reorder(x, yo, yi, k)
s[C].tensorize(yi, intrin_gemv(4, 8))
print(tvm.lower(s, [A, B, C], simple_mode=True))
""",
    "tensorir_matmul": """\
import numpy as np
import tvm
from tvm import tir
from tvm.script import tir as T

@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"global_symbol": "main", "tir.noalias": True})
        A = T.match_buffer(a, (32, 32), "float32")
        B = T.match_buffer(b, (32, 32), "float32")
        C = T.match_buffer(c, (32, 32), "float32")
        for i, j, k in T.grid(32, 32, 32):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

sch = tir.Schedule(Module)
block = sch.get_block("C", func_name="main")
i, j, k = sch.get_loops(block)
j0, j1 = sch.split(j, factors=[None, 8])
sch.reorder(i, j0, k, j1)
sch.decompose_reduction(block, k)
sch.vectorize(j1)
print(sch.mod.script())
rt = tvm.build(sch.mod, target="llvm")
a, b = (tvm.nd.array(np.random.rand(32, 32).astype("float32")) for _ in range(2))
c = tvm.nd.array(np.zeros((32, 32), "float32"))
rt["main"](a, b, c)
np.testing.assert_allclose(c.numpy(), a.numpy() @ b.numpy(), rtol=1e-4)
""",
    "blockized_tiles": """\
import tvm
from tvm import te, tir

A = te.placeholder((64, 64), name="A", dtype="float32")
B = te.compute((64, 64), lambda i, j: A[i, j] * 2, name="B")
C = te.compute((64, 64), lambda i, j: B[i, j] + 1, name="C")
sch = tir.Schedule(tvm.IRModule({"main": te.create_prim_func([A, C])}), debug_mask="all")
i, j = sch.get_loops(sch.get_block("B"))
io, ii = sch.split(i, [4, 16])
jo, ji = sch.split(j, [4, 16])
sch.reorder(io, jo, ii, ji)
outer = sch.blockize(ii)
ci, cj = sch.get_loops(sch.get_block("C"))
cio, cii = sch.split(ci, [4, 16])
sch.compute_at(outer, cio)
sch.annotate(outer, "kind", "tile")
print(sch.get(outer).reads, sch.get(outer).writes)
tvm.ir.assert_structural_equal(tvm.ir.load_json(tvm.ir.save_json(sch.mod)), sch.mod)
print(sch.trace)
""",
    "hybrid": """\
import numpy as np
import tvm
from tvm import te

@te.hybrid.script
def outer_product(a, b):
    c = output_tensor((4, 5), a.dtype)
    for i in range(4):
        for j in range(5):
            c[i, j] = a[i] * b[j]
    return c

a = te.placeholder((4,), name="a")
b = te.placeholder((5,), name="b")
c = outer_product(a, b)
s = te.create_schedule(c.op)
tvm.build(s, [a, b, c])
""",
    "ir_builder": """\
import numpy as np
import tvm
from tvm import te

n = te.var("n")
def gen(ins, outs):
    ib = tvm.tir.ir_builder.create()
    x, y = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
    total = ib.allocate("float32", 1, name="total", scope="local")
    total[0] = 0.0
    with ib.for_range(0, n, name="i") as i:
        total[0] = total[0] + x[i]
        with ib.if_scope(i >= 0):
            y[i] = total[0]
    return ib.get()

X = te.placeholder((n,), name="X")
Y = te.extern((n,), [X], gen, name="Y", dtype="float32")
f = tvm.build(te.create_schedule(Y.op), [X, Y])
x, y = tvm.nd.array(np.ones(6, "float32")), tvm.nd.array(np.zeros(6, "float32"))
f(x, y)
assert y.numpy().tolist() == [1, 2, 3, 4, 5, 6]
""",
    "own_pass": """\
import tvm
from tvm import te

loops = []

def find_width8(op):
    if isinstance(op, tvm.tir.For):
        loops.append(op)

@tvm.tir.transform.prim_func_pass(opt_level=0)
def look(f, mod, ctx):
    tvm.tir.stmt_functor.post_order_visit(f.body, find_width8)
    return f

a = te.placeholder((16,), name="a")
c = te.compute((16,), lambda i: a[i] + 1.0, name="c")
s = te.create_schedule(c.op)
with tvm.transform.PassContext(config={"tir.add_lower_pass": [(0, look)]}):
    tvm.build(s, [a, c])
assert loops
""",
    "saved_module": """\
import os
import tempfile
import numpy as np
import tvm
from tvm import te

A = te.placeholder((8,), name="A")
B = te.compute((8,), lambda i: A[i] * 3.0, name="B")
f = tvm.build(te.create_schedule(B.op), [A, B], target=tvm.target.Target("llvm -mcpu=x86-64"))
path = os.path.join(tempfile.mkdtemp(), "f.so")
f.export_library(path)
g = tvm.runtime.load_module(path)
a, b = tvm.nd.array(np.ones(8, "float32")), tvm.nd.array(np.zeros(8, "float32"))
g(a, b)
assert b.numpy().sum() == 24
dev = tvm.device("llvm", 0)
assert dev.exist
""",
    "gradient": """\
import tvm
from tvm import te, topi

X = te.placeholder((4, 8), name="X")
W = te.placeholder((3, 8), name="W")
Y = topi.nn.dense(X, W)
loss = topi.sum(topi.tanh(Y))
(dW,) = te.gradient(loss, [W])
s = te.create_schedule(dW.op)
tvm.build(s, [X, W, dW])
""",
    "relay": """\
import tvm
from tvm import relay

x = relay.var("x", shape=(1, 16))
func = relay.Function([x], relay.nn.relu(x))
mod = tvm.IRModule.from_expr(func)
with tvm.transform.PassContext(opt_level=3):
    lib = relay.build(mod, target="llvm")
""",
    "autotvm": """\
import tvm
from tvm import autotvm, te

@autotvm.template("example/matmul")
def matmul(N):
    A = te.placeholder((N, N), name="A")
    B = te.compute((N, N), lambda i, j: A[i, j] + 1.0)
    s = te.create_schedule(B.op)
    cfg = autotvm.get_config()
    cfg.define_split("tile_y", s[B].op.axis[0], num_outputs=2)
    return s, [A, B]
""",
    "auto_scheduler": """\
import tvm
from tvm import auto_scheduler, te

@auto_scheduler.register_workload
def add(N):
    A = te.placeholder((N,), name="A")
    B = te.compute((N,), lambda i: A[i] + 1.0)
    return [A, B]

task = auto_scheduler.SearchTask(func=add, args=(128,), target=tvm.target.Target("llvm"))
""",
    "meta_schedule": """\
import tvm
from tvm import meta_schedule as ms
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] + 1.0

database = ms.tune_tir(mod=f, target="llvm", max_trials_global=8, work_dir="out")
""",
}

MISSING = {
    "autotvm": ["tvm.autotvm", "tvm.autotvm.template", "tvm.autotvm.get_config"],
    "auto_scheduler": ["tvm.auto_scheduler", "tvm.auto_scheduler.register_workload",
                       "tvm.auto_scheduler.SearchTask"],
    "meta_schedule": ["tvm.meta_schedule", "tvm.meta_schedule.tune_tir"],
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_not_missing_runs(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / f"{name}.py"
    path.write_text(PROGRAMS[name])
    assert main(["migrate", str(path)]) == 0
    report = capsys.readouterr().out
    _, _, missing = report.partition("missing (")
    names = re.findall(r"^  (\S+)  \(line", missing, re.MULTILINE)
    assert names == MISSING.get(name, [])
    for line in re.findall(r"^  (\S+)  \(lines? ([\d, ]+)\)", report, re.MULTILINE):
        last = line[0].rpartition(".")[2]
        lines = PROGRAMS[name].split("\n")
        assert all(last in lines[int(number) - 1] for number in line[1].split(",")), line
    if names:
        return
    program = re.sub(r"^import tvm$", "import kc as tvm", PROGRAMS[name], flags=re.MULTILINE)
    program = re.sub(r"^import tvm\.testing$", "", program, flags=re.MULTILINE)
    program = re.sub(r"^from tvm", "from kc", program, flags=re.MULTILINE)
    path.write_text(program)
    monkeypatch.chdir(tmp_path)
    source = compile(program, str(path), "exec")
    exec(source, {"__name__": name})
