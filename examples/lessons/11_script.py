"""Lesson 11: loops written by hand, as a Python function.

A tensor expression leaves the loops to the schedule. Some kernels are best written as loops: sparse
rows, or numbers that change from one iteration to the next. ``kc.script`` reads such a function
from its source and makes the same IR that expressions become. Schedules work on it, and errors name
the line.
"""

# ruff: noqa: F821
# pyright: basic, reportUndefinedVariable=false, reportOperatorIssue=false, reportIndexIssue=false
# pyright: reportArgumentType=false, reportInvalidTypeForm=false

import numpy as np

import kc
from kc import te, tir

n, m = te.var("n"), te.var("m")


# Annotations declare the parameters. Extents and indices may be loaded; a name that is assigned
# again is a variable of the kernel. kc proves that the rows are independent before it runs them in
# parallel.
@kc.script
def spmv(
    start: kc.Buffer((n + 1,), "int32"),
    column: kc.Buffer((m,), "int32"),
    value: kc.Buffer((m,)),
    x: kc.Buffer((16,)),
    y: kc.Buffer((n,)),
):
    for i in parallel(n):
        acc = 0.0
        for k in range(start[i], start[i + 1]):
            acc += value[k] * x[column[k]]
        y[i] = acc


dense = np.where(np.random.rand(100, 16) < 0.2, np.random.rand(100, 16), 0).astype(np.float32)
rows, columns = np.nonzero(dense)
starts = np.searchsorted(rows, np.arange(101)).astype(np.int32)
vector, product = np.random.rand(16).astype(np.float32), np.empty(100, np.float32)
kc.build(spmv)(starts, columns.astype(np.int32), dense[rows, columns], vector, product)
np.testing.assert_allclose(product, dense @ vector, rtol=1e-5)


# A block states which variables are spatial and which are reduced, and the initial value of the
# reduction. This function equals the lowered form of a matrix product in te.
@kc.script
def matmul(A: kc.Buffer((64, 64)), B: kc.Buffer((64, 64)), C: kc.Buffer((64, 64))):
    for i, j, k in grid(64, 64, 64):
        with block("C"):
            vi, vj, vk = axis.remap("SSR", [i, j, k])
            with init():
                C[vi, vj] = 0.0
            C[vi, vj] += A[vi, vk] * B[vk, vj]


sch = tir.Schedule(matmul)
i, j, k = sch.get_loops(sch.get_block("C"))
j_o, j_i = sch.split(j, [None, 16])
sch.reorder(i, j_o, k, j_i)
sch.vectorize(j_i)
sch.parallel(i)
print("== scheduled\n", sch.mod)
a, b = (np.random.rand(64, 64).astype(np.float32) for _ in range(2))
c = np.empty_like(a)
kc.build(sch)(a, b, c)
np.testing.assert_allclose(c, a @ b, rtol=1e-4)


# A wrong program is refused at its line.
try:

    @kc.script
    def prefix_sum(A: kc.Buffer((64,))):
        for i in parallel(1, 64):
            A[i] += A[i - 1]

except kc.KCError as error:
    print("== refused\n", error)


# A function without annotations is an operation between tensor expressions: a call with tensors
# returns tensors (TVM's hybrid script). Python executes a call with arrays.
@te.hybrid.script
def running_mean(a):
    b = output_tensor(a.shape, a.dtype)
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i]
        b[i] = total / (i + 1)
    return b


X = te.placeholder((n,), name="X")
squares = te.compute((n,), lambda i: X[i] * X[i], name="squares")
means = running_mean(squares)
roots = te.compute((n,), lambda i: te.sqrt(means[i]), name="roots")
s = te.create_schedule(roots.op)
s[squares].parallel(squares.op.axis[0])
f = kc.build(s, [X, roots])
data, out = np.random.rand(1000).astype(np.float32), np.empty(1000, np.float32)
f(data, out)
np.testing.assert_allclose(out, np.sqrt(running_mean(data * data)), rtol=1e-3)


# TVM's ir_builder builds the same statements one by one.
source, target = tir.decl_buffer((n,), name="source"), tir.decl_buffer((n,), name="target")
ib = tir.ir_builder.create()
read, write = ib.buffer_ptr(source), ib.buffer_ptr(target)
with ib.for_range(0, n, name="i", kind="parallel") as i:
    with ib.if_scope(i < n // 2):
        write[i] = read[i]
    with ib.else_scope():
        write[i] = 0.0
half = kc.build(tir.PrimFunc([source, target], ib.get()))
half(data, out)
np.testing.assert_array_equal(out, np.where(np.arange(1000) < 500, data, 0))
