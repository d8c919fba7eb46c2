"""Annotations of loops that control the compilation of kernels: launch bounds, and unrolling."""

from __future__ import annotations

import re
from typing import Any

import pytest

import kc
from kc import te
from kc.support.diagnostics import CodegenError

TARGET = "cuda -arch=sm_80"


def add() -> tuple[Any, Any, Any]:
    """A schedule, the loop of blocks, and the arguments."""
    A = te.placeholder((4096,), name="A")
    B = te.compute((4096,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    block, thread = s[B].split(B.op.axis[0], 256)
    s[B].bind(block, te.thread_axis("blockIdx.x"))
    s[B].bind(thread, te.thread_axis("threadIdx.x"))
    return s, (B, block), [A, B]


def directives(module: Any) -> list[str]:
    text = module.imported_modules[0].get_source()
    return re.findall(r"^\.(?:reqntid|minnctapersm|maxnreg) .*$", text, re.MULTILINE)


def test_pragmas_of_te_are_directives():
    s, (B, block), args = add()
    s[B].pragma(block, "nvvm.minctasm", 2)
    s[B].pragma(block, "nvvm.maxnreg", 64)
    module = kc.build(s, args, target=TARGET)
    assert directives(module) == [".reqntid 256, 1, 1", ".minnctapersm 2", ".maxnreg 64"]


def test_annotations_of_loops_are_directives():
    A = te.placeholder((4096,), name="A")
    B = te.compute((4096,), lambda i: A[i] + 1.0, name="B")
    sch = kc.tir.Schedule(te.create_prim_func([A, B]))
    (i,) = sch.get_loops(sch.get_block("B"))
    block, thread = sch.split(i, [None, 256])
    sch.bind(block, "blockIdx.x")
    sch.bind(thread, "threadIdx.x")
    sch.annotate(thread, "nvvm.minctasm", 4)
    module = kc.build(sch.mod, target=TARGET)
    assert directives(module) == [".reqntid 256, 1, 1", ".minnctapersm 4"]


@pytest.mark.parametrize(("value", "shown"), [(0, "0 : i64"), (33, "33 : i64"), ("two", '"two"')])
def test_what_is_no_launch_bound(value: Any, shown: str):
    s, (B, block), args = add()
    s[B].pragma(block, "nvvm.minctasm", value)
    with pytest.raises(CodegenError) as caught:
        kc.build(s, args, target=TARGET)
    title, where, *rest = str(caught.value).splitlines()
    assert title == f"error[KC4367]: convert-tir-to-gpu: nvvm.minctasm of loop i_o is {shown}"
    assert where.startswith(f"  --> {__file__}:")
    assert rest == [
        "  why: it must be a number from 1 to 32",
        '  try: sch.annotate(loop, "nvvm.minctasm", 2)',
    ]


@pytest.mark.parametrize("steps", [None, 4, 64])
def test_a_pragma_unrolls_in_the_kernel(steps: int | None):
    """16 steps of a product: unrolled where the pragma allows as many."""
    A, B = te.placeholder((64, 16), name="A"), te.placeholder((64, 16), name="B")
    k = te.reduce_axis((0, 16), name="k")
    C = te.compute((64,), lambda i: te.sum(A[i, k] * B[i, 15 - k] * A[i, 0], axis=k), name="C")
    s = te.create_schedule(C.op)
    local = s.cache_write(C, "local")
    s[C].bind(C.op.axis[0], te.thread_axis("threadIdx.x"))
    s[local].compute_at(s[C], C.op.axis[0])
    if steps is not None:
        s[local].pragma(local.op.reduce_axis[0], "auto_unroll_max_step", steps)
    module = kc.build(s, [A, B, C], target=TARGET)
    assert ("llvm.loop_annotation" in module.get_source("gpu")) == (steps == 64)
