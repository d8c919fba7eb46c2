"""thread-sync: threads that overwrite what others read or wrote, in branches that some take.

Loops of threads mean lockstep, so what such a kernel does is defined, and the interpreter does it.
On a GPU it takes a barrier between the two accesses: where all threads come to one, the kernel is
compiled, and it is refused otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run
from kc.error import KCError

Array = np.ndarray[Any, np.dtype[np.int32]]

KERNEL = """func.func @f(%A: memref<2x2x4xi32>, %C: memref<2x2x4xi32>, %D: memref<2x2x4xi32>) {{
  tir.for %b in 2 thread "blockIdx.x" {{
    %S = tir.alloc "S" : memref<2x2x4xi32{space}>
    tir.for %w in 2 thread "threadIdx.y" {{
      tir.for %t in 4 thread "threadIdx.x" {{
        %a = tir.load %A[%b, %w, %t] : memref<2x2x4xi32>
        tir.store %a, %S[%b, %w, %t] : memref<2x2x4xi32{space}>
        {body}
        %z = tir.load %S[%b, %w, %t] : memref<2x2x4xi32{space}>
        tir.store %z, %C[%b, %w, %t] : memref<2x2x4xi32>
      }}
    }}
  }}
  func.return
}}
"""
READ = "%s = tir.load %S[%b, %w, {read}] : memref<2x2x4xi32{space}>\n"
KEEP = "tir.store %s, %D[%b, %w, %t] : memref<2x2x4xi32>\n"
DOUBLE = "%d = arith.addi %a, %a : i32\n"
WRITE = "tir.store %d, %S[%b, %w, {write}] : memref<2x2x4xi32{space}>\n"
OVER_READ = READ + KEEP + DOUBLE + WRITE
OVER_WRITTEN = (
    "tir.store %a, %S[%b, %w, {read}] : memref<2x2x4xi32{space}>\n" + KEEP.replace("%s", "%a")
) + (DOUBLE + WRITE)
IF = "tir.if ({condition}) {{{{\n{body}}}}}\n"
ELSE = "tir.if ({condition}) {{{{ }}}} else {{{{\n{body}}}}}\n"
LOOP = "%m = tir.apply ({condition})\ntir.for %i in %m {{{{\n{body}}}}}\n"


def branch(form: str, condition: str, body: str) -> str:
    return form.format(condition=condition, body=body)


class Case(NamedTuple):
    body: str
    takes: Callable[[int, int, int], bool]
    """True if the thread b, w, t reaches the accesses."""
    first: Callable[[int], int]
    """The column that is read, or written first."""
    second: Callable[[int], int]
    """The column that is written after that."""
    is_compiled: bool
    overwrites: bool = False
    """True if the first access writes as well."""


def mirror(t: int) -> int:
    return 2 - t


def own(t: int) -> int:
    return t


def reads(form: str, condition: str, read: str = "2 - %t") -> str:
    return branch(form, condition, OVER_READ.replace("{read}", read).replace("{write}", "%t"))


def writes(form: str, condition: str, write: str = "2 - %t") -> str:
    return branch(form, condition, OVER_WRITTEN.replace("{read}", "%t").replace("{write}", write))


APART = branch(IF, "%t < 3", READ + KEEP) + branch(IF, "%t < 3", DOUBLE + WRITE)

CASES = {
    "over a read": Case(reads(IF, "%t < 3"), lambda b, w, t: t < 3, mirror, own, False),
    "over a read, of its own": Case(
        reads(IF, "%t < 3", "%t"), lambda b, w, t: t < 3, own, own, True
    ),
    "over a read, in a branch of blocks": Case(
        reads(IF, "%b < 1", "3 - %t"), lambda b, w, t: b < 1, lambda t: 3 - t, own, True
    ),
    "over a read, in another branch": Case(
        APART.replace("{read}", "2 - %t").replace("{write}", "%t"),
        lambda b, w, t: t < 3,
        mirror,
        own,
        True,
    ),
    "over a read, where others are not": Case(
        reads(ELSE, "%t >= 3"), lambda b, w, t: t < 3, mirror, own, False
    ),
    "over a read, in a loop that some leave": Case(
        reads(LOOP, "%w", "3 - %t"), lambda b, w, t: w > 0, lambda t: 3 - t, own, False
    ),
    "over a read, in a loop of blocks": Case(
        reads(LOOP, "%b", "3 - %t"), lambda b, w, t: b > 0, lambda t: 3 - t, own, True
    ),
    "over a write": Case(writes(IF, "%t < 3"), lambda b, w, t: t < 3, own, mirror, False, True),
    "over a write, of its own": Case(
        writes(IF, "%t < 3", "%t"), lambda b, w, t: t < 3, own, own, True, True
    ),
    "over a write, in a branch of blocks": Case(
        writes(IF, "%b < 1", "3 - %t"), lambda b, w, t: b < 1, own, lambda t: 3 - t, True, True
    ),
    "over a write, where others are not": Case(
        writes(ELSE, "%t >= 3"), lambda b, w, t: t < 3, own, mirror, False, True
    ),
}


def lockstep(case: Case, a: Array) -> tuple[Array, Array]:
    """C and D, of threads that do each statement together."""
    threads = [tuple(map(int, at)) for at in np.ndindex(a.shape) if case.takes(*map(int, at))]
    shared, kept = a.copy(), np.zeros_like(a)
    for b, w, t in threads:
        kept[b, w, t] = a[b, w, t] if case.overwrites else a[b, w, case.first(t)]
    for b, w, t in threads if case.overwrites else ():
        shared[b, w, case.first(t)] = a[b, w, t]
    for b, w, t in threads:
        shared[b, w, case.second(t)] = 2 * a[b, w, t]
    return shared, kept


# Memory of warps and of the device takes the same way; each has every third case in `make test`.
SCOPED = [
    pytest.param(name, scope, marks=[] if m == 0 or (n + m) % 3 == 0 else pytest.mark.sweep)
    for n, name in enumerate(CASES)
    for m, scope in enumerate(("shared", "warp", "global"))
]


@pytest.mark.parametrize(("name", "scope"), SCOPED)
def test_what_is_overwritten_in_a_branch(name: str, scope: str):
    case = CASES[name]
    space = "" if scope == "global" else f', "{scope}"'
    text = KERNEL.format(space=space, body=case.body.format(space=space))
    if scope == "global":  # S is an argument then: B
        text = text.replace("%A: memref", "%S: memref<2x2x4xi32>, %A: memref")
        text = "\n".join(line for line in text.splitlines() if "tir.alloc" not in line)
    a = np.arange(1, 17, dtype=np.int32).reshape(2, 2, 4)
    c, d = np.zeros_like(a), np.zeros_like(a)
    arrays = [np.zeros_like(a), a, c, d] if scope == "global" else [a, c, d]
    expected = lockstep(case, a)
    run(kc.IRModule.parse(text).op, "f", arrays)
    np.testing.assert_array_equal((c, d), expected)
    if not case.is_compiled:
        with pytest.raises(KCError, match=r"KC4223\]: thread-sync: threads need a barrier for S"):
            kc.build(kc.IRModule.parse(text), target="cuda-emu")
        return
    c[:], d[:] = 0, 0
    report = kc.gpu.check(kc.build(kc.IRModule.parse(text), target="cuda-emu"), *arrays)
    assert report.ok, str(report)
    np.testing.assert_array_equal((c, d), expected)
