"""Lesson 12: mistakes that users of schedules report, and kc's diagnostics.

In other compilers each of them was once a failed internal check, a crash, or an error of the GPU's
driver at the first call. kc refuses it at its line and states the error, the rule, the numbers, and
what would be legal. ``kc-opt --explain=KC3104`` explains a code.
"""

import os

import numpy as np

import kc
from kc import te, tir
from kc.error import KCError
from kc.support.registry import context, get_pass


def matmul(n=64):
    a = te.placeholder((n, n), name="A")
    b = te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    return a, b, c


def split_axis():
    _, _, c = matmul()
    s = te.create_schedule(c.op)
    i, j = s[c].op.axis
    s[c].split(i, factor=8)
    s[c].reorder(i, j)


def split_loop():
    a, b, c = matmul()
    sch = tir.Schedule(kc.lower(te.create_schedule(c.op), [a, b, c]))
    i, j, _ = sch.get_loops("C")
    sch.split(i, [None, 8])
    sch.reorder(i, j)


def one_axis_bound_twice():
    a, b, c = matmul()
    s = te.create_schedule(c.op)
    i, j = s[c].op.axis
    outer, _ = s[c].split(i, factor=4)
    s[c].bind(outer, te.thread_axis("blockIdx.y"))
    s[c].bind(j, te.thread_axis("blockIdx.y"))
    kc.lower(s, [a, b, c])


def a_reduction_in_the_way_of_a_cache():
    _, _, c = matmul()
    s = te.create_schedule(c.op)
    i, j = s[c].op.axis
    outer, inner = s[c].split(s[c].op.reduce_axis[0], factor=4)
    s[c].reorder(outer, i, j, inner)
    s.cache_write(c, "local")


def host_arrays_for_a_gpu():
    n = 64
    a = te.placeholder((n,), name="A")
    b = te.compute((n,), lambda i: a[i] + 1.0, name="B")
    s = te.create_schedule(b.op)
    s[b].bind(b.op.axis[0], te.thread_axis("threadIdx.x"))
    kernel = kc.build(s, [a, b], target="cuda -arch=sm_75")
    os.environ["KC_CUDA"] = "emu"  # so that there is one, cuda(0), on every machine
    try:
        kernel(np.zeros(n, "float32"), np.zeros(n, "float32"))
    finally:
        del os.environ["KC_CUDA"]


def too_much_shared_memory():
    a, b, c = matmul(256)
    s = te.create_schedule(c.op)
    shared = s.cache_read(a, "shared", [c])
    i, j = s[c].op.axis
    outer, inner = s[c].split(i, factor=64)
    s[c].bind(outer, te.thread_axis("blockIdx.x"))
    s[c].reorder(outer, j, s[c].op.reduce_axis[0], inner)
    s[c].bind(j, te.thread_axis("threadIdx.x"))
    s[shared].compute_at(s[c], outer)
    mod = kc.lower(s, [a, b, c])
    with kc.target.Target("cuda -arch=sm_60"):
        get_pass("verify-gpu-code").apply(context(), mod.op)


def no_gpu():
    kc.nd.array(np.zeros(3), kc.cuda(64))


def too_many_threads():
    a, b, c = matmul(4096)
    s = te.create_schedule(c.op)
    i, _ = s[c].op.axis
    outer, inner = s[c].split(i, factor=2048)
    s[c].bind(outer, te.thread_axis("blockIdx.x"))
    s[c].bind(inner, te.thread_axis("threadIdx.x"))
    kc.lower(s, [a, b, c])


def caches_in_the_wrong_order():
    a, b, c = matmul()
    s = te.create_schedule(c.op)
    outer = s.cache_read(a, "global", [c])
    inner = s.cache_read(outer, "local", [c])
    s[inner].compute_at(s[c], s[c].op.axis[0])
    s[outer].compute_at(s[c], s[c].op.reduce_axis[0])
    kc.lower(s, [a, b, c])


def the_axis_of_another_stage():
    a, _, c = matmul()
    s = te.create_schedule(c.op)
    i, _ = s[c].op.axis
    local = s.cache_write(c, "local")
    shared = s.cache_read(a, "shared", [local])
    s[shared].compute_at(s[local], i)


def tensorize_the_axis_of_another_stage():
    _, _, c = matmul()
    s = te.create_schedule(c.op)
    _, j = s[c].op.axis
    local = s.cache_write(c, "local")
    s[local].tensorize(j, "dot_f32_16")


def one_reduction_axis_in_two_computes():
    a = te.placeholder((64, 64), name="A")
    k = te.reduce_axis((0, 64), name="k")
    c = te.compute((64,), lambda i: te.sum(a[i, k], axis=k), name="C")
    d = te.compute((64,), lambda i: te.sum(a[k, i], axis=k), name="D")
    te.create_schedule([c.op, d.op])


def an_intrinsic_that_does_not_match():
    a, b, c = matmul()
    s = te.create_schedule(c.op)
    _, j = s[c].op.axis
    _, inner = s[c].split(j, factor=16)
    s[c].tensorize(inner, "copy_f32_16")
    kc.lower(s, [a, b, c])


def tuples_of_different_reductions():
    a = te.placeholder((64, 64), name="A")
    k = te.reduce_axis((0, 64), name="k")
    r = te.reduce_axis((0, 64), name="r")
    te.compute((64,), lambda i: (te.sum(a[i, k], axis=k), te.sum(a[i, r], axis=r)), name="C")


def computed_inside_an_instruction():
    a, b, c = matmul()
    d = te.compute((64, 64), lambda i, j: c[i, j], name="D")
    s = te.create_schedule(d.op)
    outer, inner = s[d].split(d.op.axis[1], factor=16)
    s[c].compute_at(s[d], inner)
    s[d].tensorize(inner, "copy_f32_16")
    kc.lower(s, [a, b, d])


def too_many_axes():
    a = te.placeholder((64, 64), name="A")
    te.compute((64,), lambda io, ii: a[io, ii] + 1.0, name="C")


def a_sum_inside_an_expression():
    a = te.placeholder((64, 64), name="A")
    k = te.reduce_axis((0, 64), name="k")
    te.compute((64,), lambda i: te.sum(a[i, k], axis=k) + 1.0, name="C")


# The messages that other compilers printed.
MISTAKES = {
    split_axis: "TVMError: Operate on iter var that has already been split",
    split_loop: "ScheduleError: the loop is not in the IR any more",
    one_axis_bound_twice: "domain already inferred, cannot prove their extents are the same",
    a_reduction_in_the_way_of_a_cache: "Can only relayout with in data parallel dimensions",
    host_arrays_for_a_gpu: "Argument mmult.A.device_type has an unsatisfied constraint",
    too_much_shared_memory: "ptxas error: uses too much shared data (0x10000 bytes, 0xc000 max)",
    no_gpu: "TVMError: not implemented",
    too_many_threads: "CUDA_ERROR_INVALID_VALUE grid=(2048,1,1), block=(2048,1,1)",
    caches_in_the_wrong_order: "Invalid Schedule, cannot find the producer along the loop nest",
    the_axis_of_another_stage: "Cannot find the axis in parent's leaf_iter_vars",
    tensorize_the_axis_of_another_stage: "Operate on iter var that is not part of the schedule",
    computed_inside_an_instruction: "did not find attachment point for stage(C.wmma.accumulator",
    an_intrinsic_that_does_not_match: "the tensorized body does not match the intrinsic",
    one_reduction_axis_in_two_computes: "Check failed: (!out_dom_map->count(this->reduce_axis[i]))",
    tuples_of_different_reductions: "The Reduce inputs of ComputeOp should have the same attribute",
    a_sum_inside_an_expression: "Reductions are only allowed at the top level of compute",
    too_many_axes: "fcompute do not match dimension",
}

if __name__ == "__main__":
    for mistake, once in MISTAKES.items():
        print(f"\n== {mistake.__name__}\nonce: {once}\nnow:")
        try:
            mistake()
        except KCError as error:
            print(error)
