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
"""What a CPU has, where all of it is one memory; None is where the caller says nothing."""

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


def built(make: Callable[[Any], Any], scope: Any, target: str):
    program, args = make(scope)
    return kc.build(program, args, target=target)


MAKERS = (lazy_read, lazy_write, eager, text)


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
        assert caught.value.code in ("KC3301", "KC4303"), caught.value


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
