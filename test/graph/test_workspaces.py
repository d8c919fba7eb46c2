"""The memory of kernels is part of the arena of ``@main``: they allocate nothing, share nothing
with another call, and overwrite nothing that is still needed."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kc
from kc import relay
from kc.building.graphs import compiled_graph
from kc.building.graphs.memory_plan import MemoryPlan, plan_memory
from kc.building.graphs.stepping import Steps
from kc.runtime import parallel

RNG = np.random.default_rng(3)
Network = tuple[kc.IRModule, list[np.ndarray], np.ndarray]
"""A module, its arguments, and its result."""


def array(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32) / 8


def layers() -> Network:
    """Two dense layers and softmax: products pack their operands, for each thread."""
    shapes = {"x": (64, 640), "u": (96, 640), "v": (40, 96)}
    x, u, v = (relay.var(name, shape=shape) for name, shape in shapes.items())
    hidden = relay.nn.relu(relay.nn.dense(x, u))
    result = relay.nn.softmax(relay.nn.dense(hidden, v))
    arrays = [array(*shape) for shape in shapes.values()]
    wide = [each.astype(float) for each in arrays]
    scores = np.maximum(wide[0] @ wide[1].T, 0) @ wide[2].T
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    expected = powers / powers.sum(-1, keepdims=True)
    return kc.IRModule.from_expr(relay.Function([x, u, v], result)), arrays, expected


def convolutions() -> Network:
    """Two convolutions and their sum: padded input of the kernel, packed weights of each thread."""
    x = relay.var("x", shape=(1, 64, 20, 20))
    w = relay.var("w", shape=(64, 64, 3, 3))
    first = relay.nn.conv2d(x, w, padding=(1, 1))
    second = relay.nn.conv2d(relay.nn.relu(first), w, padding=(1, 1))
    result = relay.add(first, second)
    arrays = [array(1, 64, 20, 20), array(64, 64, 3, 3)]

    def convolved(data: np.ndarray) -> np.ndarray:
        padded = np.pad(data, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        return np.einsum("nchwij,ocij->nohw", windows, arrays[1].astype(float))

    once = convolved(arrays[0].astype(float))
    expected = once + convolved(np.maximum(once, 0))
    return kc.IRModule.from_expr(relay.Function([x, w], result)), arrays, expected


NETWORKS = {"layers": layers, "convolutions": convolutions}


TWO_CORES = re.sub(r" -num-cores=\d+", "", str(kc.target.Target.host_cpu())) + " -num-cores=2"
C = "c -num-cores=2"


@cache
def network_named(name: str) -> Network:
    return NETWORKS[name]()


@cache
def built(name: str, target: str = TWO_CORES) -> Any:
    return kc.graph.build(network_named(name)[0], target)


@pytest.fixture(params=NETWORKS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def threads() -> Iterator[None]:
    yield
    parallel.set_num_threads(None)


def assert_close(result: Any, expected: np.ndarray) -> None:
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


def functions_of(llvm: str) -> dict[str, str]:
    """The functions of LLVM IR by name."""
    return {
        match[1]: match[0]
        for match in re.finditer(r"^define .*?@([\w.]+)\(.*?^}", llvm, re.M | re.S)
    }


ALLOCATIONS = re.compile(r"@(aligned_alloc|malloc|calloc|realloc|free)\b")


def test_kernels_allocate_nothing(name: str) -> None:
    _, arrays, expected = network_named(name)
    f = built(name)
    assert_close(f(*arrays), expected)
    assert any(kernel.workspace.per_thread for kernel in f.kernels.values())
    allocating = {
        function
        for function, text in functions_of(f.get_source("ll")).items()
        if ALLOCATIONS.search(text)
    }
    assert allocating
    assert all(function.startswith("main.workspace.") for function in allocating)


def test_c_kernels_allocate_nothing(name: str) -> None:
    _, arrays, expected = network_named(name)
    f = built(name, C)
    assert_close(f(*arrays), expected)
    assert any(kernel.workspace.bytes(1) for kernel in f.kernels.values())
    # The helper, and its use for the arena.
    assert len(re.findall(r"kc_alloc\(", f.get_source("c"))) == 2


C_PROGRAM = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "net.h"

static float in[3][1 << 17], out[4][1 << 15];

static void *call(void *result) {
  kc_main(in[0], in[1], in[2], result);
  return NULL;
}

int main(int argc, char **argv) {
  (void)argc;
  for (int n = 0; n < 3; n++) {
    FILE *file = fopen(argv[1 + n], "rb");
    if (file == NULL || fread(in[n], 1, sizeof in[n], file) == 0) return 1;
    fclose(file);
  }
  pthread_t threads[4];
  for (int n = 0; n < 4; n++) pthread_create(&threads[n], NULL, call, out[n]);
  for (int n = 0; n < 4; n++) pthread_join(threads[n], NULL);
  FILE *file = fopen(argv[4], "wb");
  fwrite(out, 1, sizeof out, file);
  fclose(file);
  return 0;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("openmp", [False, True])
def test_a_c_program_calls_a_graph_from_several_threads(tmp_path: Path, openmp: bool) -> None:
    _, arrays, expected = network_named("layers")
    f = built("layers", C)
    f.save(tmp_path / "net.c")
    f.save_header(tmp_path / "net.h")
    (tmp_path / "main.c").write_text(C_PROGRAM)
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-D_GNU_SOURCE"]
    flags += ["-fopenmp"] if openmp else []
    names = [str(tmp_path / name) for name in ("main.c", "net.c")]
    program = str(tmp_path / "program")
    subprocess.run(["cc", *flags, *names, "-o", program, "-lm", "-lpthread"], check=True)
    for n, each in enumerate(arrays):
        each.tofile(tmp_path / f"in{n}")
    files = [str(tmp_path / f"in{n}") for n in range(3)]
    subprocess.run([program, *files, str(tmp_path / "out")], check=True)
    results = np.fromfile(tmp_path / "out", np.float32).reshape(4, 1 << 15)
    for result in results:
        assert_close(result[: expected.size].reshape(expected.shape), expected)


@pytest.mark.usefixtures("threads")
def test_there_may_be_more_threads_than_planned(name: str) -> None:
    _, arrays, expected = network_named(name)
    f = built(name)
    assert f.threads == 2
    for count in (1, 2, 3, 7, 2):
        parallel.set_num_threads(count)
        for _ in range(3):
            assert_close(f(*arrays), expected)


def test_eight_callers_at_once(name: str) -> None:
    _, arrays, _ = network_named(name)
    f = built(name)
    inputs = [array(*arrays[0].shape) for _ in range(8)]
    expected = [f(each, *arrays[1:]) for each in inputs]

    def calls(n: int) -> bool:
        return all(np.array_equal(f(inputs[n], *arrays[1:]), expected[n]) for _ in range(40))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(calls, range(8)))


def test_poison_between_uses(name: str) -> None:
    _, arrays, expected = network_named(name)
    f = built(name)
    result = np.empty_like(f(*arrays))
    Steps(f).run(arrays, [result], {}, poison=True)
    assert_close(result, expected)


def apart(*arguments: Any) -> MemoryPlan:
    """A plan in which no two buffers share memory."""
    return plan_memory(*arguments, shares=False)


VIEW = re.compile(r"\s*(%\w+) = memref.view %arena\[(%\w+)\]\[(%?\w*)\].* to memref<(.*)x(\w+)>")


def reads_from(f: Any) -> list[tuple[int, ...]]:
    """For each argument that a kernel of ``@main`` reads from the arena: which calls wrote what it
    sees. By the text of the function alone, in its order."""
    text = f.get_source("tir")
    main = text[text.index("@main(") :]
    written = {
        kernel.name: ["out" in str(attrs) for attrs in (kernel.function.arg_attrs or [])]
        for kernel in f.kernels.values()
    }
    sizes = {"f32": 4, "i8": 1}
    constants = {name: int(value) for name, value in
                 re.findall(r"(%\w+) = arith.constant (-?\d+) : index", main)}  # fmt: skip
    constants |= {name: constants[first] for name, first in
                  re.findall(r"(%\w+) = arith.select %fits, (%\w+),", main)}  # fmt: skip
    places: dict[str, tuple[int, int]] = {}
    arena = re.search(r"%arena = memref.alloc.*memref<(\d+|\?)xi8>", main)
    assert arena is not None
    last = np.full(1 << 23, -1)
    reads: list[tuple[int, ...]] = []
    number = 0
    for line in main.splitlines():
        view = VIEW.match(line)
        if view is not None:
            name, offset, size, shape, element = view.groups()
            count = constants[size] if size else int(np.prod([int(n) for n in shape.split("x")]))
            places[name] = constants[offset], count * sizes[element]
        call = re.match(r"\s*func.call @(\w+)\((.*?)\)", line)
        if call is None:
            continue
        arguments = call[2].split(", ")
        roles = written[call[1]]
        for argument, is_written in zip(arguments, roles, strict=True):
            if argument in places and not is_written and argument != arguments[-2]:
                start, size = places[argument]
                reads.append(tuple(dict.fromkeys(last[start : start + size].tolist())))
        for position, argument in enumerate(arguments):
            is_workspace = position == len(arguments) - 2 and arguments[-1] in ("%threads", "%c1")
            if argument in places and (roles[position] or is_workspace):
                start, size = places[argument]
                last[start : start + size] = number
        number += 1
    return reads


def test_no_value_is_overwritten_before_its_last_use(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, _, _ = network_named(name)
    with kc.transform.PassContext(disabled_pass=["FuseOps"]):
        f = kc.graph.build(module, C)
        monkeypatch.setattr(compiled_graph, "plan_memory", apart)
        g = kc.graph.build(module, C)
    assert int(g.memory_plan.arena_bytes) > int(f.memory_plan.arena_bytes)  # pyright: ignore
    reads = reads_from(f)
    assert reads
    assert -1 not in {each for read in reads for each in read}
    assert reads == reads_from(g)


def test_every_buffer_apart_gives_equal_values(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, arrays, _ = network_named(name)
    f = built(name)
    monkeypatch.setattr(compiled_graph, "plan_memory", apart)
    g = kc.graph.build(module, TWO_CORES)
    assert int(g.memory_plan.arena_bytes) >= int(f.memory_plan.arena_bytes)  # pyright: ignore
    np.testing.assert_array_equal(f(*arrays), g(*arrays))


def test_the_arena_is_what_is_alive_at_once(name: str) -> None:
    plan = built(name).memory_plan
    assert sum("workspace" in it.buffer.name for it in plan.allocations) > 0
    assert int(plan.arena_bytes) <= 1.05 * int(plan.live_peak_bytes)  # pyright: ignore
