"""The peak of memory: arguments, and buffers where a build leaves them."""

from __future__ import annotations

import kc
from kc import te, tir
from kc.conversion.peak_memory import peak_memory
from kc.support.target import Target

CPU = Target("llvm -num-cores=4")
N = 256
SQUARE = N * N * 4


def turned(before: te.Tensor, name: str) -> te.Tensor:
    """Its rows are the columns of ``before``, doubled."""
    return te.compute((N, N), lambda i, j: before[j, i] * 2.0, name=name)


def chain(stages: int) -> tuple[te.Schedule, list[te.Tensor]]:
    """Stages of which each is the one before, turned around and doubled."""
    tensors = [te.placeholder((N, N), name="A")]
    for n in range(stages):
        tensors.append(turned(tensors[-1], f"T{n}"))
    return te.create_schedule(tensors[-1].op), tensors


def test_a_chain_holds_two_temporaries():
    s, tensors = chain(5)
    module = kc.lower(s, [tensors[0], tensors[-1]]).op
    before = str(module)
    # Four temporaries, of which two are alive at a time: one is read, one is written.
    assert peak_memory(module, "main", CPU) == 2 * SQUARE + 2 * SQUARE
    assert str(module) == before


def test_a_buffer_in_a_parallel_loop_is_there_for_each_thread():
    s, tensors = chain(2)
    s[tensors[2]].parallel(tensors[2].op.axis[0])
    s[tensors[1]].compute_at(s[tensors[2]], tensors[2].op.axis[0])
    module = kc.lower(s, [tensors[0], tensors[-1]]).op
    # An iteration reads a column of the temporary.
    assert peak_memory(module, "main", CPU) == 2 * SQUARE + 4 * N * 4
    assert peak_memory(module, "main", CPU, threads=1) == 2 * SQUARE + N * 4
    assert peak_memory(module, "main", CPU, threads=1000) == 2 * SQUARE + N * N * 4


def test_in_costs():
    n = te.var("n")
    a = te.placeholder((n,), name="A")
    b = te.compute((n,), lambda i: a[i] + 1.0, name="B")
    c = te.compute((n,), lambda i: b[n - 1 - i] * 2.0, name="C")
    mod = te.create_prim_func([a, c])
    cost = tir.Schedule(mod, target=CPU).cost(assume={"n": 1000})
    assert cost.peak_memory == 3 * 4000
    assert "peak memory  11.72 KiB" in cost.lines()
    cost = tir.Schedule(mod, target="cuda").cost(assume={"n": 1000})
    assert cost.peak_memory is None
    assert not any(line.startswith("peak memory") for line in cost.lines())
