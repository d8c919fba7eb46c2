"""reuse-workspace: what functions keep from call to call is allocated once, shared by no two calls,
and freed with the code."""

from __future__ import annotations

import ctypes
import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import kc
from kc import te, tir
from kc.codegen.llvm_ir import emit_llvm_ir
from kc.codegen.native import jit
from kc.support import registry
from kc.support.ir_text import parse_module

SIZE = 20_000  # the memory of a stage of these is not on the stack


def two_stages() -> tir.Schedule:
    A = te.placeholder((SIZE,), name="A")
    B = te.compute((SIZE,), lambda i: A[i] + 1.0, name="B")
    C = te.compute((SIZE,), lambda i: B[SIZE - 1 - i] * 2.0, name="C")
    return tir.Schedule(te.create_prim_func([A, C]))


Calls = list[tuple[object, ...]]


def noting(text: str, memory: ctypes.Array[ctypes.c_char]) -> tuple[object, Calls]:
    """The code of a text after the pass, which allocates ``memory``, and what it calls."""
    module = parse_module(text, "f.mlir", registry.context())
    registry.get_pass("reuse-workspace", "").apply(registry.context(), module)
    calls: Calls = []

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    def allocate(alignment: int, size: int) -> int:
        calls.append(("allocate", alignment, size))
        return ctypes.addressof(memory)

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def free(address: int | None) -> None:
        if address is not None:
            calls.append(("free", address))

    KEPT.extend((allocate, free))
    addresses = {
        name: ctypes.cast(function, ctypes.c_void_p).value or 0
        for name, function in (("aligned_alloc", allocate), ("free", free))
    }
    return jit(emit_llvm_ir(module), addresses), calls


KEPT: list[object] = []
"""Functions of Python that code calls."""


def test_allocates_once_and_frees_at_the_end():
    memory = ctypes.create_string_buffer(8192)
    code, calls = noting(
        """
        llvm.func @aligned_alloc(i64, i64) -> (!llvm.ptr {llvm.noalias})
        llvm.func @free(!llvm.ptr)
        llvm.func @f() -> i64 {
          %alignment = llvm.mlir.constant(64 : i64) : i64
          %size = llvm.mlir.constant(8192 : i64) : i64
          %B = llvm.call @aligned_alloc(%alignment, %size) : (i64, i64) -> !llvm.ptr
          %address = llvm.ptrtoint %B : !llvm.ptr to i64
          llvm.call @free(%B) : (!llvm.ptr) -> ()
          llvm.return %address : i64
        }
        """,
        memory,
    )
    f = ctypes.CFUNCTYPE(ctypes.c_int64)(code.address("f"))  # pyright: ignore
    assert [f(), f(), f()] == [ctypes.addressof(memory)] * 3
    assert calls == [("allocate", 64, 8192)]
    del code
    gc.collect()
    assert calls == [("allocate", 64, 8192), ("free", ctypes.addressof(memory))]


def test_memory_of_any_size_is_replaced_by_larger_one():
    memory = ctypes.create_string_buffer(1 << 16)
    code, calls = noting(
        """
        llvm.func @aligned_alloc(i64, i64) -> (!llvm.ptr {llvm.noalias})
        llvm.func @free(!llvm.ptr)
        llvm.func @f(%n: i64) -> i64 attributes {kc.keeps_memory} {
          %alignment = llvm.mlir.constant(64 : i64) : i64
          %B = llvm.call @aligned_alloc(%alignment, %n) : (i64, i64) -> !llvm.ptr
          %address = llvm.ptrtoint %B : !llvm.ptr to i64
          llvm.call @free(%B) : (!llvm.ptr) -> ()
          llvm.return %address : i64
        }
        """,
        memory,
    )
    f = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.address("f"))  # pyright: ignore
    start = ctypes.addressof(memory)
    assert [f(n) for n in (640, 64, 640, 704, 640)] == [start + 64] * 5
    assert calls == [("allocate", 64, 704), ("free", start), ("allocate", 64, 768)]
    del code
    gc.collect()
    assert calls[3:] == [("free", start)]


def test_calls_on_several_threads():
    schedule = two_stages()
    with kc.transform.PassContext(config={"kc.reuse_workspace": True}):
        f = kc.build(schedule.mod)
    assert "main.workspace.0.take" in f.get_source("llvm")
    assert "workspace" not in kc.build(schedule.mod).get_source("llvm")

    def call(start: int) -> bool:
        a = np.arange(start, start + SIZE, dtype=np.float32)
        return all(np.array_equal(f(a), (a[::-1] + 1) * 2) for _ in range(20))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(call, range(8)))
