"""Caches in kernels: what threads exchange is refused or stays, wherever the copy is."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from random_programs import assert_same, parse, results, site_of, try_step
from xdsl.dialects.builtin import ModuleOp

from kc.support.registry import pass_class

PRIMITIVES = ["cache-read", "cache-write", "cache-inplace", "read-at", "write-at"]

KERNEL = """
func.func @f(%A: memref<4x4xi32>, %C: memref<4x4xi32>) {{
  tir.for %t in 4 thread "threadIdx.x" {{
    %B = tir.alloc "B" : memref<4xi32, "shared">
    tir.block "Z" (spatial %v_t in 4 = %t) do {{
      %z = arith.constant 5 : i32
      tir.store %z, %B[%v_t] : memref<4xi32, "shared">
    }}
    tir.for %k in 4 {{
      {0}
    }}
    tir.block "D" (spatial %v_t in 4 = %t) do {{
      %b = tir.load %B[3 - %v_t] : memref<4xi32, "shared">
      tir.store %b, %C[3, %v_t] : memref<4x4xi32>
    }}
  }}
  func.return
}}
"""

UPDATE = """
      tir.block "B" ({iters}) {init} do {{
        %a = tir.load %A[%v_k, %v_t] : memref<4x4xi32>
        %b = tir.load %B[{at}] : memref<4xi32, "shared">
        %s = arith.addi %a, %b : i32
        tir.store %s, %B[{at}] : memref<4xi32, "shared">
      }}
"""

WRITE = """
      tir.block "B" ({iters}) do {{
        %a = tir.load %A[%v_k, %v_t] : memref<4x4xi32>
        tir.store %a, %B[{at}] : memref<4xi32, "shared">
      }}
"""

READ = """
      tir.block "C" (spatial %v_k in 4 = %k, spatial %v_t in 4 = %t) do {{
        %b = tir.load %B[{at}] : memref<4xi32, "shared">
        tir.store %b, %C[%v_k, %v_t] : memref<4x4xi32>
      }}
"""

INIT = """init {
        %z = arith.constant 0 : i32
        tir.store %z, %B[0] : memref<4xi32, "shared">
      }"""
THREAD = "spatial %v_t in 4 = %t"
EACH = f"{THREAD}, opaque %v_k in 4 = %k"
SUM = "reduce %v_t in 4 = %t, reduce %v_k in 4 = %k"
TURN = "(%v_t + %v_k) mod 4"

KERNELS = {
    "a sum over threads": UPDATE.format(iters=SUM, init="", at="0"),
    "a sum over threads with its init": UPDATE.format(iters=SUM, init=INIT, at="0"),
    "a sum in each thread": UPDATE.format(iters=EACH, init="", at="%v_t"),
    "updates of the next thread's element": UPDATE.format(iters=EACH, init="", at=TURN),
    "writes of the next thread's element": WRITE.format(iters=EACH, at=TURN),
    "what another thread wrote": WRITE.format(iters=EACH, at="%v_t") + READ.format(at="3 - %v_t"),
    "what another thread will write": READ.format(at="3 - %v_t")
    + WRITE.format(iters=EACH, at="%v_t"),
    "what all threads write": "tir.for %j in 4 {"
    + WRITE.format(iters=EACH.replace("%t", "%j"), at="%v_t")
    + "}"
    + READ.format(at="3 - %v_t"),
}


def parsed(text: str, primitive: str) -> tuple[ModuleOp, list[Any]]:
    """A kernel, and the caches of its own that a primitive may make for it."""
    module = parse(text)
    choices = pass_class(primitive).candidates(site_of(module))
    return module, [choice for choice in choices if choice.scope == "local"]


@pytest.mark.parametrize("name", KERNELS)
def test_what_threads_exchange(name: str):
    """Every cache, of every buffer, in every scope and place, that is not refused."""
    text = KERNEL.format(KERNELS[name])
    given = np.arange(1, 17, dtype=np.int32).reshape(4, 4) * 7
    arguments = [given, np.zeros((4, 4), np.int32)]
    expected = results(parse(text), arguments)
    done = 0
    for primitive in PRIMITIVES:
        module, choices = parsed(text, primitive)
        for n, scope in product(range(len(choices)), ("local", "shared")):
            # What is refused leaves the module as it is.
            if try_step(module, replace(choices[n], scope=scope)) is not None:
                done += 1
                assert_same(expected, results(module, arguments), module)
                module, choices = parsed(text, primitive)
    assert done > 10


@pytest.mark.parametrize("name", ["cache-write", "write-at"])
def test_what_all_threads_write_alike_may_be_their_own(name: str):
    module = parse(KERNEL.format(KERNELS["what all threads write"]))
    own = [
        choice
        for choice in pass_class(name).candidates(site_of(module))
        if (str(choice.block), str(choice.buffer), choice.scope) == ("B", "B", "local")
    ]
    assert any(try_step(module, choice) is not None for choice in own)
