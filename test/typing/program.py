# pyright: strict
"""A program as users write it, which `make check` reads by the strict rules of pyright."""

import numpy as np

import kc
from kc import te, tir


def schedule() -> kc.IRModule:
    n = te.var("n")
    A = te.placeholder((n, 64), name="A")
    B = te.placeholder((64, 32), name="B")
    k = te.reduce_axis((0, 64), name="k")
    C = te.compute((n, 32), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    D = te.compute((n, 32), lambda i, j: te.exp(C[i, j]), name="D")
    te.compute((n,), lambda i: C[i, 0] + 1.0)
    s = te.create_schedule(D.op)
    i, j = s[D].op.axis
    io, ii = s[D].split(i, factor=4)
    s[C].compute_at(s[D], io)
    s[D].reorder(j, ii)
    s[D].vectorize(ii)
    module = kc.lower(s, [A, B, D])
    print(module.script("tvm"), len(module.functions))
    return module


def eager(module: kc.IRModule) -> tir.Schedule:
    sch = tir.Schedule(module, seed=1)
    loops = sch.get_loops(sch.get_block("D"))
    outer, inner = sch.split(loops[0], factors=[None, 8])
    sch.parallel(outer)
    for choice in sch.legal("vectorize", loop=inner):
        print(choice)
    print(sch.trace.as_python(), sch.cost().operations, sch.show(), sch.diff(-1))
    return sch


def run(sch: tir.Schedule) -> None:
    product = kc.build(sch.mod, target=kc.Target("llvm"))
    a = np.ones((8, 64), dtype="float32")
    d = kc.nd.array(a, kc.cpu(0))
    product(d, d, d)
    print(d.numpy().sum(), product.time_evaluator("main", kc.cpu())(d, d, d).mean)
    product.export_library("product.so")
    print(kc.runtime.load_module("product.so"))
    try:
        sch.split("i", factors=[3, 3])
    except kc.error.ScheduleError as error:
        print(error.code, error.message, error.why, error.hints, error.location)
