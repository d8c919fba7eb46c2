"""Names of memory scopes, wherever they are given: memory of the target, or a diagnostic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.error import KCError

SCOPES = ("global", "local", "shared", "shared.dyn", "warp", "", None)
"""The scopes of a CPU, which all mean the same memory; None if the caller names no scope."""

NO_SCOPES = (
    "global:tag",
    "global:",
    "local.L0A",
    "nonsense",
    ":",
    "a b",
    "ширина",
    'a"b',
    "x" * 99,
)
"""Scopes of TVM's targets with special memory, and what is none anywhere."""


def tensors() -> tuple[te.Tensor, te.Tensor]:
    A = te.placeholder((16,), name="A")
    return A, te.compute((16,), lambda i: A[i] + 1.0, name="B")


def lazy_read(scope: str):
    A, B = tensors()
    s = te.create_schedule(B.op)
    s.cache_read(A, scope, [B])
    return s, [A, B]


def lazy_write(scope: str):
    A, B = tensors()
    s = te.create_schedule(B.op)
    s.cache_write(B, scope)
    return s, [A, B]


def eager(scope: str):
    sch = tir.Schedule(te.create_prim_func([*tensors()]))
    sch.cache_read(sch.get_block("B"), 0, scope)
    return sch, None


def text(scope: str):
    quoted = scope.replace('"', '\\"')
    type_ = f'memref<16xf32, "{quoted}">' if scope else "memref<16xf32>"
    module = f"""
    func.func @f(%A: memref<16xf32>, %B: memref<16xf32>) {{
      %one = arith.constant 1.0 : f32
      %T = tir.alloc "T" : {type_}
      tir.for %i in 16 {{
        %a = tir.load %A[%i] : memref<16xf32>
        %s = arith.addf %a, %one : f32
        tir.store %s, %T[%i] : {type_}
      }}
      tir.for %i in 16 {{
        %t = tir.load %T[%i] : {type_}
        tir.store %t, %B[%i] : memref<16xf32>
      }}
      func.return
    }}"""
    return kc.IRModule.parse(module), None


def tvmscript(scope: str):
    """Memory of a script, as TVM prints it."""
    script = f"""
@T.prim_func
def f(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    C = T.alloc_buffer((16,), "float32", scope={scope!r})
    for i in range(16):
        C[i] = A[i] + 1.0
    for i in range(16):
        B[i] = C[i]
"""
    return kc.script.from_source(script), None


def ir_builder(scope: str):
    """Memory of a builder."""
    ib = tir.ir_builder.create()
    A, B = (tir.decl_buffer((16,), name=name) for name in "AB")
    a, b, c = ib.buffer_ptr(A), ib.buffer_ptr(B), ib.allocate("float32", 16, "C", scope=scope)
    with ib.for_range(0, 16) as i:
        c[i] = a[i] + 1.0
    with ib.for_range(0, 16) as i:
        b[i] = c[i]
    return kc.IRModule({"f": tir.PrimFunc([A, B], ib.get())}), None


def argument(scope: str):
    """An argument that is declared; its memory is the caller's."""
    A, B = tensors()
    return kc.lower(te.create_schedule(B.op), [A, B], binds={A: buffer(scope)}), None


def buffer(scope: str):
    return tir.decl_buffer((16,), name="X", scope=scope)


def built(make: Callable[[Any], Any], scope: Any, target: str):
    program, args = make(scope)
    return kc.build(program, args, target=target)


MAKERS = (lazy_read, lazy_write, eager, text, tvmscript, ir_builder, argument)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", ["llvm", "c"])
@pytest.mark.parametrize("make", MAKERS)
def test_scopes(make, target: str, capsys: pytest.CaptureFixture[str]):
    a, b = np.arange(16, dtype=np.float32), np.empty(16, np.float32)
    for scope in SCOPES:
        if make in (eager, text) and not scope:
            continue
        b[:] = 0
        built(make, scope, target)(a, b)
        np.testing.assert_array_equal(b, a + 1)
    for scope in NO_SCOPES:
        with pytest.raises(KCError) as caught:
            built(make, scope, target)
        assert caught.value.code in ("KC2101", "KC3301", "KC4303"), caught.value


def test_what_is_no_name():
    A, B = tensors()
    wrong: tuple[Any, ...] = (3, ["local"], 1.5)
    for scope in wrong:
        s = te.create_schedule(B.op)
        for call in (
            lambda s=s, scope=scope: s.cache_read(A, scope, [B]),
            lambda s=s, scope=scope: s.cache_write(B, scope),
            lambda s=s, scope=scope: s[B].set_scope(scope),
        ):
            with pytest.raises(KCError, match=r"KC3702\]: \w+: scope is a string, not "):
                call()
        assert len(s.stages) == 2


def test_a_declaration_says_which_scopes_there_are():
    with pytest.raises(
        KCError, match=r"KC2101\]: decl_buffer: X with the scope 'global:tag'\n"
    ) as error:
        buffer("global:tag")
    assert error.value.why == "no target has this memory; scopes have no tags"
    assert error.value.hints == ("did you mean 'global' or 'local'?",)
    for known in ("wmma.matrix_a", "m16n8k16.matrixA"):  # of other targets
        assert buffer(known).scope() == known
