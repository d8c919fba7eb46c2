"""The cost of scheduled kernels: numbers from first principles."""

import dataclasses

import pytest

from kc import te
from kc.building.graphs.kernels import _scheduled
from kc.graph.group import GroupTensors
from kc.graph.kernel_cost import KernelCost, cost_of_kernel, cycles_of_sequence
from kc.support.target import Target
from kc.transforms.auto_schedule.machine import Machine

TARGET = Target("llvm -mcpu=znver4 -num-cores=1")
MACHINE = Machine.of(TARGET)
FOUR = Target("llvm -mcpu=znver4 -num-cores=4")


def cost(inputs, output, target=TARGET):
    kernel = _scheduled(GroupTensors(inputs, [output], [0], []), target)
    assert kernel is not None
    return cost_of_kernel(kernel, Machine.of(target))


def chain(n, target=TARGET):
    x = te.placeholder((n,), name="x")
    return cost([x], te.compute((n,), lambda i: x[i] + 1.0, name="y"), target)


def product(n, target=TARGET):
    a, b = (te.placeholder((n, n), name=name) for name in "ab")
    k = te.reduce_axis((0, n), "k")
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="c")
    return cost([a, b], c, target)


def test_elementwise_in_cache_is_bound_by_instructions():
    """1024 floats are 64 vectors; each takes a cycle for its store."""
    (loop,) = chain(1024).loops
    assert loop.cycles == 64
    assert dict(loop.touched) == {0: 4096, 1: 4096}
    assert loop.fetched == ({0: 4096, 1: 4096},) * 3
    assert cycles_of_sequence([(chain(1024), ["x", "y"])], MACHINE) < 64 + 100


def test_elementwise_out_of_caches_is_bound_by_memory():
    """8 bytes an element at the rate of memory, and a part of what is slower than nothing else."""
    n = 1 << 26
    cycles = cycles_of_sequence([(chain(n), ["x", "y"])], MACHINE)
    from_memory = 8 * n / MACHINE.rates.bandwidths[3]
    assert from_memory < cycles < 1.25 * from_memory


def test_a_product_takes_its_multiply_adds():
    n = 512
    least = n**3 / MACHINE.rates.products["fma.f32"]
    cycles = cycles_of_sequence([(product(n), ["a", "b", "c"])], MACHINE)
    assert least < cycles < 1.3 * least


def test_what_is_in_a_cache_is_not_fetched_again():
    """4 MiB that the kernel before wrote are in L3; others come from memory."""
    n = 1 << 20
    near, far = chain(n), chain(1 << 24)
    written = [(near, ["x", "y"]), (near, ["y", "z"])]
    apart = [(near, ["x", "y"]), (far, ["f", "g"]), (near, ["y", "z"])]
    alone = cycles_of_sequence([(far, ["f", "g"])], MACHINE)
    assert cycles_of_sequence(apart, MACHINE) - alone > 1.5 * cycles_of_sequence(written, MACHINE)


def test_threads_share_the_work_of_parallel_loops():
    n = 512
    shared, alone = product(n, FOUR), product(n)
    assert max(loop.tasks for loop in shared.loops) >= 4
    names = ["a", "b", "c"]
    ratio = cycles_of_sequence([(alone, names)], MACHINE) / cycles_of_sequence(
        [(shared, names)], Machine.of(FOUR)
    )
    assert 3 < ratio < 4.2
    serial = KernelCost(tuple(dataclasses.replace(loop, tasks=1) for loop in shared.loops))
    assert cycles_of_sequence([(serial, names)], Machine.of(FOUR)) == pytest.approx(
        cycles_of_sequence([(serial, names)], MACHINE)
    )


def test_elements_that_are_no_neighbours_cost_more():
    n = 256
    x = te.placeholder((n, n), name="x")
    straight = cost([x], te.compute((n, n), lambda i, j: x[i, j] + 1.0, name="y"))
    wide = te.placeholder((n, 64 * n), name="w")
    gaps = cost([wide], te.compute((n, n), lambda i, j: wide[i, j * 64] + 1.0, name="y"))
    assert gaps.loops[0].cycles > 4 * straight.loops[0].cycles


def test_costs_as_plain_data():
    known = product(64)
    assert KernelCost.of_json(known.to_json()) == known
