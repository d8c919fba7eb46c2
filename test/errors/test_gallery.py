"""The mistakes that users of tensor expression schedules report, and all that kc says of each.

Each was once a failed internal check, a crash or nothing at all. ``HERE:n`` is the line of this
file that is ``n`` lines below the start of the function.
"""

# ruff: noqa: E501
# Wrong arguments are what is tested.
# pyright: reportArgumentType=false

import inspect
import re

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.error import KCError
from kc.support.diagnostics import diagnostic_handler
from kc.support.registry import get_pass


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


class OnTheGPU:
    """An array of the GPU, as far as a caller can see."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return (2, 0)


def an_array_of_another_device():
    a, b, c = matmul(8)
    kernel = kc.build(te.create_schedule(c.op), [a, b, c])
    array = np.zeros((8, 8), "float32")
    kernel(OnTheGPU(array), array, array.copy())


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
        get_pass("verify-gpu-code").apply(None, mod.op)


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
    te.compute((64,), lambda i: te.sum(a[i, k], axis=k), name="C")
    te.compute((64,), lambda i: te.sum(a[k, i], axis=k), name="D")


def an_intrinsic_that_does_not_match():
    a, b, c = matmul()
    s = te.create_schedule(c.op)
    _, j = s[c].op.axis
    _, inner = s[c].split(j, factor=16)
    s[c].tensorize(inner, "copy_f32_16")
    kc.lower(s, [a, b, c])


CASES = {
    split_axis: """\
error[KC3104]: reorder: axis i of C is gone
  --> HERE:5  s[c].reorder(i, j)
  why: i was split into i_o, i_i at HERE:4
  try: use i_o, i_i""",
    split_loop: """\
error[KC3124]: the loop i is gone
  --> HERE:5  sch.reorder(i, j)
  why: i was split into i_o, i_i at HERE:4""",
    one_axis_bound_twice: """\
error[KC3403]: bind: j has 64 threads of blockIdx.y, i_o 16
  --> HERE:6  s[c].bind(j, te.thread_axis("blockIdx.y"))
   |  for i_o in 16 blockIdx.y:    <-- 16 blockIdx.y, bound at HERE:5
   |    for i_i in 4:
   |      for j in 64:    <-- 64 blockIdx.y (from MATMUL:4)
   |        for k in 64:
   |          block C
  why: loops that are bound to blockIdx.y in one kernel are the same threads, so they have one extent
  try: split j by factors=?,16
  try: bind j to another axis""",
    a_reduction_in_the_way_of_a_cache: """\
error[KC3136]: cache_write: axis k_o of C is a reduction
  --> HERE:6  s.cache_write(c, "local")
  why: the cache has a dimension for each data-parallel axis; k_o comes from k, over which C is reduced
  try: cache_write first, then split or fuse k of the cache
  try: s.rfactor(C, k_o) makes it data-parallel""",
    an_array_of_another_device: """\
error[KC5115]: main: argument 1 'A' is on cuda(0), the kernel runs on cpu(0)
   |  expected: A: float32[8, 8]
  why: a CPU kernel cannot read the memory of another device
  try: pass a copy of A on the CPU""",
    too_much_shared_memory: """\
error[KC3440]: verify-gpu-code: a block of @main uses 64 KiB of shared memory, sm_60 allows 48 KiB
  --> HERE:3  shared = s.cache_read(a, "shared", [c])
   |  A_shared      64 KiB  64x256xf32
  why: all threads of a block see its shared buffers, which are all there at once
  try: compute_at A_shared at k: 256 B instead of 64 KiB""",
    no_gpu: """\
error[KC6201]: cuda(64) is not there
   |  found: no CUDA device or driver
  try: kc.cpu(0)""",
    too_many_threads: """\
error[KC3404]: bind: 2048 threads in one block, cuda allows 1024
  --> HERE:6  s[c].bind(inner, te.thread_axis("threadIdx.x"))
   |  for i_o in 2 blockIdx.x:
   |    for i_i in 2048:    <-- threadIdx.x (from MATMUL:4)
   |      for j in 4096:
   |        for k in 4096:
   |          block C
  why: the product of threadIdx.{x,y,z} must be <= 1024 on this target
  try: split factor 1024, 512 or 256""",
    caches_in_the_wrong_order: """\
error[KC3204]: compute_at: block A_global_local reads A_global outside of loop k
  --> HERE:6  s[outer].compute_at(s[c], s[c].op.reduce_axis[0])
   |  for i in 64:
   |    alloc A_global_local
   |    for ax0 in 1:
   |      for ax1 in 64:
   |        block A_global_local    <-- reads A_global (from HERE:4)
   |    for j in 64:
   |      for k in 64:    <-- the loop
   |        block C
  why: all consumers of block A_global must be in the loop that it is computed in
  try: legal: loop=i or loop=ax0 or loop=ax1""",
    the_axis_of_another_stage: """\
error[KC3105]: compute_at: i is not an axis of C_local
  --> HERE:6  s[shared].compute_at(s[local], i)
  why: i is an axis of C; C_local has the axes i_c, j_c, k
  try: s[C] has i""",
    tensorize_the_axis_of_another_stage: """\
error[KC3105]: tensorize: j is not an axis of C_local
  --> HERE:5  s[local].tensorize(j, "dot_f32_16")
  why: j is an axis of C; C_local has the axes i_c, j_c, k
  try: s[C] has j""",
    one_reduction_axis_in_two_computes: """\
error[KC2017]: reduction axis k belongs to C already
  --> HERE:4  te.compute((64,), lambda i: te.sum(a[k, i], axis=k), name="D")
   |  C is computed at HERE:3
  why: an axis is one loop, and a loop belongs to one compute
  try: make another: te.reduce_axis((0, 64), name='k')""",
    an_intrinsic_that_does_not_match: """\
error[KC3562]: tensorize: block C_o does not do what copy_f32_16 does: 2 loops (j_i, k), not 1 loop (j)
  --> HERE:5  s[c].tensorize(inner, "copy_f32_16")
   |  the block:
   |    for j_i in 16, k in 64:
   |      C[v_i_o, (v_j_o * 16) + j_i] = C[v_i_o, (v_j_o * 16) + j_i] + A[v_i_o, k] * B[k, (v...
   |  the description:
   |    for j in 16:
   |      B[j] = A[j]
  why: the first difference is at MATMUL:4, against portable.mlir:133:7""",
}


def said(call):
    """All that kc says when ``call`` is made, with places relative to it."""
    first = inspect.getsourcelines(call)[1]
    with diagnostic_handler(lambda _: None), pytest.raises(KCError) as caught:
        call()
    text = str(caught.value)
    assert len(text.splitlines()) <= 12

    def place(found):
        return f"HERE:{int(found[1]) - first}"

    text = re.sub(rf"{re.escape(__file__)}:(\d+)", place, text)
    start = inspect.getsourcelines(matmul)[1]
    return re.sub(r"HERE:(-\d+)", lambda one: f"MATMUL:{int(one[1]) + first - start}", text)


@pytest.mark.parametrize("call", CASES, ids=lambda one: one.__name__)
def test_what_is_said(call):
    assert said(call) == CASES[call]
