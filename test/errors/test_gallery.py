"""The mistakes of lesson 12, and all that kc says of each.

``HERE:n`` is the line of the lesson that is ``n`` lines below the start of the function.
"""

# ruff: noqa: E501

import inspect
import re
import runpy
from pathlib import Path

import pytest

from kc.error import KCError
from kc.runtime.gpu import driver, libcuda
from kc.support.diagnostics import diagnostic_handler

LESSON = Path(__file__).parents[2] / "examples" / "lessons" / "12_mistakes.py"
GALLERY = runpy.run_path(str(LESSON))

CASES = {
    "split_axis": """\
error[KC3104]: reorder: axis i of C is gone
  --> HERE:5  s[c].reorder(i, j)
  why: i was split into i_o, i_i at HERE:4
  try: use i_o, i_i""",
    "split_loop": """\
error[KC3124]: the loop i is gone
  --> HERE:5  sch.reorder(i, j)
  why: i was split into i_o, i_i at HERE:4""",
    "one_axis_bound_twice": """\
error[KC3403]: bind: j has 64 threads of blockIdx.y, i_o 16
  --> HERE:6  s[c].bind(j, te.thread_axis("blockIdx.y"))
   |  for i_o in 16 blockIdx.y:    <-- 16 blockIdx.y, bound at HERE:5
   |    for i_i in 4:
   |      for j in 64:    <-- 64 blockIdx.y (from MATMUL:4)
   |        for k in 64:
   |          block C
  why: loops bound to blockIdx.y in one kernel are the same threads, so their extents must be equal
  try: split j by factors=?,16
  try: bind j to another axis""",
    "a_reduction_in_the_way_of_a_cache": """\
error[KC3136]: cache_write: axis k_o of C is a reduction
  --> HERE:6  s.cache_write(c, "local")
  why: the cache has a dimension for each data-parallel axis; k_o comes from k, over which C is reduced
  try: cache_write first, then split or fuse k of the cache
  try: s.rfactor(C, k_o) makes it data-parallel""",
    "host_arrays_for_a_gpu": """\
error[KC5115]: main: argument 1 'A' is in host memory, the kernel runs on cuda(0)
   |  expected: A: float32[64]
  why: a GPU reads and writes its own memory
  try: pass kc.nd.array(A, kc.cuda(0))""",
    "too_much_shared_memory": """\
error[KC3440]: verify-gpu-code: a block of @main uses 64 KiB of shared memory, sm_60 allows 48 KiB
  --> HERE:3  shared = s.cache_read(a, "shared", [c])
   |  A_shared      64 KiB  64x256xf32
  why: the shared buffers of a block that are alive at the same time occupy disjoint memory
  try: compute_at A_shared at k: 256 B instead of 64 KiB""",
    "no_gpu": """\
error[KC6201]: there is no device cuda(64)
   |  the driver's library: libcuda.so.1 is not found
  try: KC_CUDA=emu in the environment: an emulated one, on this CPU
  try: NVIDIA's driver brings the library libcuda
  try: kc.cpu(0)""",
    "too_many_threads": """\
error[KC3404]: bind: 2048 threads in one block, cuda allows 1024
  --> HERE:6  s[c].bind(inner, te.thread_axis("threadIdx.x"))
   |  for i_o in 2 blockIdx.x:
   |    for i_i in 2048:    <-- threadIdx.x (from MATMUL:4)
   |      for j in 4096:
   |        for k in 4096:
   |          block C
  why: the product of threadIdx.{x,y,z} must be <= 1024 on this target
  try: split factor 1024, 512 or 256""",
    "caches_in_the_wrong_order": """\
error[KC3204]: compute_at: block A_global_local reads A_global outside loop k
  --> HERE:6  s[outer].compute_at(s[c], s[c].op.reduce_axis[0])
   |  for i in 64:
   |    alloc A_global_local
   |    for ax0 in 1:
   |      for ax1 in 64:
   |        block A_global_local    <-- reads A_global (from HERE:4)
   |    for j in 64:
   |      for k in 64:    <-- the loop
   |        block C
  why: all consumers of block A_global must be in the loop at which it is computed
  try: legal: loop=i or loop=ax0 or loop=ax1""",
    "the_axis_of_another_stage": """\
error[KC3105]: compute_at: i is not an axis of C_local
  --> HERE:6  s[shared].compute_at(s[local], i)
  why: i is an axis of C; C_local has the axes i_c, j_c, k
  try: s[C] has i""",
    "tensorize_the_axis_of_another_stage": """\
error[KC3105]: tensorize: j is not an axis of C_local
  --> HERE:5  s[local].tensorize(j, "dot_f32_16")
  why: j is an axis of C; C_local has the axes i_c, j_c, k
  try: s[C] has j""",
    "computed_inside_an_instruction": """\
error[KC3551]: tensorize: loop j_i must contain one block, and nothing else
  --> HERE:6  s[d].tensorize(inner, "copy_f32_16")
   |  for i in 64:
   |    for j_o in 4:
   |      for j_i in 16:    <-- here (from HERE:2)
   |        alloc C
   |        for i_1 in 1:
   |          for j in 1:
   |            for k in 64:
   |  ...
  why: j_i contains tir.alloc and loop i_1 and block D
  try: compute C outside j_i: compute_root, or compute_at a loop around it""",
    "an_intrinsic_that_does_not_match": """\
error[KC3562]: tensorize: block C_o does not match copy_f32_16: 2 loops (j_i, k), not 1 loop (j)
  --> HERE:5  s[c].tensorize(inner, "copy_f32_16")
   |  the block:
   |    for j_i in 16, k in 64:
   |      C[v_i_o, (v_j_o * 16) + j_i] = C[v_i_o, (v_j_o * 16) + j_i] + A[v_i_o, k] * B[k, (v...
   |  the description:
   |    for j in 16:
   |      B[j] = A[j]
  why: the first difference is at MATMUL:4, against portable.mlir:133:7""",
    "one_reduction_axis_in_two_computes": """\
error[KC2017]: reduction axis k belongs to C already
  --> HERE:4  d = te.compute((64,), lambda i: te.sum(a[k, i], axis=k), name="D")
   |  C is computed at HERE:3
  why: an axis is one loop, and a loop belongs to one compute
  try: make another: te.reduce_axis((0, 64), name='k')""",
    "tuples_of_different_reductions": """\
error[KC2044]: the values of compute C are not results of one reduction
  --> HERE:4  te.compute((64,), lambda i: (te.sum(a[i, k], axis=k), te.sum(a[i, r], axis=r)), name="C")
  why: they are computed in one loop nest, in the order in which they are combined
  try: make one compute a reduction
  try: te.comm_reducer reduces a tuple of expressions over one set of axes""",
    "a_sum_inside_an_expression": """\
error[KC2016]: a reduction inside the expression of compute C
  --> HERE:3  te.compute((64,), lambda i: te.sum(a[i, k], axis=k) + 1.0, name="C")
  why: a reduction is allowed only at the top of a compute's body
  try: make the reduction a compute of its own, and read it in C""",
    "too_many_axes": """\
error[KC2015]: compute C has 1 dimension, its function takes 2 arguments
  --> HERE:2  te.compute((64,), lambda io, ii: a[io, ii] + 1.0, name="C")
  why: the function must take an axis for each dimension, or only the first axes
  try: lambda i: ...""",
}


def test_every_mistake_is_tested():
    assert [mistake.__name__ for mistake in GALLERY["MISTAKES"]] == list(CASES)


def said(call):
    """The whole diagnostic of ``call``, with line numbers relative to its source."""
    first = inspect.getsourcelines(call)[1]
    with diagnostic_handler(lambda _: None), pytest.raises(KCError) as caught:
        call()
    text = str(caught.value)
    assert len(text.splitlines()) <= 12

    def place(match):
        return f"HERE:{int(match[1]) - first}"

    text = re.sub(rf"{re.escape(str(LESSON))}:(\d+)", place, text)
    start = inspect.getsourcelines(GALLERY["matmul"])[1]
    return re.sub(r"HERE:(-\d+)", lambda match: f"MATMUL:{int(match[1]) + first - start}", text)


@pytest.mark.parametrize("name", CASES)
def test_what_is_said(name, monkeypatch):
    # The same on a machine with a GPU.
    monkeypatch.setenv("KC_CUDA", "ctypes")
    monkeypatch.setattr(libcuda, "_open_library", lambda name: None)
    driver.forget()
    assert said(GALLERY[name]) == CASES[name]
