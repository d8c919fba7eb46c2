# pyright: strict
"""A program as users write it, which `make check` reads by the strict rules of pyright."""

from typing import assert_type

import numpy as np

import kc
from kc import te, tir, topi


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
    assert_type(product, kc.runtime.Module)
    assert_type(kc.lower(sch), kc.IRModule)
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


def reducers() -> te.Schedule:
    A = te.placeholder((16, 16), name="A")
    k = te.reduce_axis((0, 16), "k")
    product = te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), name="product")
    P = te.compute((16,), lambda i: product(A[i, k], axis=k), name="P")
    E = te.extern(
        (16,),
        [P],
        lambda ins, outs: tir.call_packed("user.sorted", ins[0], outs[0]),
        dtype="float32",
    )
    s = te.create_schedule(E.op)
    ko, ki = s[P].split(P.op.reduce_axis[0], factor=4)
    print(ko, s[s.rfactor(P, ki)].op.axis)
    return s


def operators() -> te.Tensor:
    A = te.placeholder((4, 6), name="A")
    centred = A - topi.mean(A, axis=1, keepdims=True)
    variance = topi.sum(centred * centred, axis=1) / 6.0
    parts = topi.split(-A, 2, axis=1)
    joined = topi.concatenate((parts[0], parts[1].astype("float32")), axis=1)
    (slope,) = te.gradient(topi.sum(A * A), [A])
    print(variance.shape, joined.name, topi.x86.schedule_injective([joined]).to_tir_script())
    return slope


def layouts(sch: tir.Schedule) -> None:
    turned = tir.IndexMap.from_func(lambda i, j: [j, i])
    sch.transform_layout("C", ("write", 0), turned)
    sch.transform_layout("C", ("read", 0), lambda i, j: [j, i // 4, i % 4])
    factors = sch.sample_perfect_tile(sch.get_loops("C")[0], n=2, max_innermost_factor=8)
    print([sch.get(factor) for factor in factors], sch.get_consumers("C"))
    tir.Trace.from_python(sch.trace.as_python()).apply_to(sch)


def twice(x: int) -> int:
    return 2 * x


@kc.transform.module_pass(opt_level=1)
def nothing(mod: kc.IRModule, ctx: kc.transform.PassContext) -> kc.IRModule:
    return mod


def passes(module: kc.IRModule) -> kc.runtime.Module:
    timing = kc.instrument.PassTimingInstrument()
    with kc.transform.PassContext(config={"kc.debug_info": True}, instruments=[timing]):
        built = kc.build(nothing(module))
    kc.register_func("user.twice", twice)
    print(timing.render(), kc.get_global_func("user.twice")(1), kc.Target("cuda -arch=sm_80").keys)
    report = kc.gpu.check(built, np.ones(4), expected=[np.ones(4)])
    print(report.ok, report.findings, report.bank_conflicts)
    print(kc.auto_schedule(module, target="llvm -mcpu=znver4").trace.as_python())
    return built


def statements(size: int) -> tir.PrimFunc:
    ib = tir.ir_builder.create()
    A, B = (tir.decl_buffer((size,), "float32", name=name) for name in "AB")
    a, b = ib.buffer_ptr(A), ib.buffer_ptr(B)
    with ib.for_range(0, size, name="i") as i:
        with ib.if_scope(i < size - 1):
            b[i] = a[i] + a[i + 1]
        with ib.else_scope():
            b[i] = a[i]
    return tir.PrimFunc([A, B], ib.get())
