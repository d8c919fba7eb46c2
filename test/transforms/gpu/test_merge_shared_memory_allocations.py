"""Buffers that share the memory of a block: values, races and limits of whole kernels."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import kc
from kc.conversion.pipelines import TO_EMULATOR
from kc.support.diagnostics import KCError
from kc.support.ir_text import parse_module
from kc.support.registry import context, get_pass
from kc.support.target import Target

N = 64


def chain(steps: list[int], late: list[int], scope: str = "shared.dyn") -> str:
    """A kernel of 64 threads that passes its numbers from buffer to buffer, each time reversed.

    In a buffer they are ``steps`` elements apart; what is in the buffers ``late`` is added in the
    end.
    """
    types = [f'memref<{63 * step + 1}xf32, "{scope}">' for step in steps]
    lines = [f'%S{n} = tir.alloc "S{n}" : {type_}' for n, type_ in enumerate(types)]
    lines.append("%v0 = tir.load %A[%t] : memref<64xf32>")
    for n, type_ in enumerate(types):
        step = steps[n]
        lines.append(f"tir.store %v{n}, %S{n}[%t * {step}] : {type_}")
        lines.append(f"%v{n + 1} = tir.load %S{n}[{63 * step} - {step} * %t] : {type_}")
    total = f"%v{len(steps)}"
    for n in late:
        lines.append(f"%l{n} = tir.load %S{n}[%t * {steps[n]}] : {types[n]}")
        lines.append(f"%s{n} = arith.addf {total}, %l{n} : f32")
        total = f"%s{n}"
    lines.append(f"tir.store {total}, %B[%t] : memref<64xf32>")
    body = "\n".join(lines)
    return (
        "func.func @chain(%A: memref<64xf32>, %B: memref<64xf32>) {\n"
        f'tir.for %t in 64 thread "threadIdx.x" {{\n{body}\n}}\nfunc.return\n}}'
    )


def lowered(text: str, target: str) -> str:
    module = parse_module(text, "chain.mlir", context())
    with Target(target):
        for entry in TO_EMULATOR[: TO_EMULATOR.index("gpu-serialize-threads")]:
            if isinstance(entry, str):
                get_pass(entry).apply(context(), module)
    return str(module)


@pytest.mark.parametrize("scope", ["shared", "shared.dyn"])
@pytest.mark.parametrize("seed", range(3))
def test_values_pass_through_places_in_common(seed: int, scope: str):
    source = random.Random(seed)
    least = 1 if scope == "shared.dyn" else 5  # static ones share memory from 1 KiB on
    steps = [source.randint(least, least + 3) for _ in range(source.randint(3, 4))]
    late = source.sample(range(len(steps)), source.randint(0, 2))
    text = lowered(chain(steps, late, scope), "cuda-emu")
    assert ("dynamic_shared_memory" in text) == (scope == "shared.dyn")
    assert "memref.view" in text
    a = np.random.default_rng(seed).random(N).astype("float32")
    b = np.zeros(N, "float32")
    report = kc.gpu.check(text, a, b)
    assert report.ok, str(report)
    values = [a if n % 2 == 0 else a[::-1] for n in range(len(steps) + 1)]
    np.testing.assert_allclose(b, sum((values[n] for n in late), values[-1]), rtol=1e-6)


def test_no_barrier_is_too_much():
    """Without any one of its barriers the kernel has a race."""
    lines = lowered(chain([1, 2], []), "cuda-emu").splitlines()
    a, b = np.ones(N, "float32"), np.zeros(N, "float32")
    barriers = [n for n, line in enumerate(lines) if line.strip() == "gpu.barrier"]
    assert len(barriers) == 3
    for n in barriers:
        without = "\n".join([*lines[:n], *lines[n + 1 :]])
        assert "race" in {finding.kind for finding in kc.gpu.check(without, a, b).findings}


def places(text: str) -> set[int]:
    """The offsets of the buffers of a kernel."""
    starts = re.findall(r"memref\.view %\w+\[%(\w+)\]", text)
    values = dict(re.findall(r"%(\w+) = arith\.constant (\d+) : index", text))
    return {int(values[start]) for start in starts}


def test_a_buffer_begins_where_the_last_has_ended():
    """Each is read before the next one is written."""
    assert places(lowered(chain([4] * 5, []), "cuda-emu")) == {0}
    assert places(lowered(chain([4] * 5, [0]), "cuda-emu")) == {0, 1024}


def test_static_buffers_share_an_array():
    """Five of 1.3 KiB, one read before the next is written; the first is in use up to the end."""
    text = chain([5] * 5, [0], "shared")
    kernel = kc.build(kc.IRModule.parse(text), target="cuda -arch=sm_80")
    ptx = kernel.imported_modules[0].get_source()
    assert re.findall(r"\.shared .*", ptx) == [
        ".shared .align 16 .b8 chain_kernel_S0[1264];",
        ".shared .align 16 .b8 chain_kernel_S1_S2_S3_S4[1264];",
    ]
    a, b = np.random.default_rng(0).random(N).astype("float32"), np.zeros(N, "float32")
    report = kc.gpu.check(kernel, a, b)
    assert report.ok
    assert {site.buffer for site in report.sites} == {"A", "B", "S0", "S1", "S2", "S3", "S4"}
    np.testing.assert_allclose(b, a + a[::-1], rtol=1e-6)


def test_bytes_beside_an_array_in_parts():
    """Threads write bytes of one word, which is no race; other arrays are of words."""
    text = lowered(
        chain([5, 5], [], "shared").replace(
            "tir.store %v2, %B",
            """%R = tir.alloc "R" : memref<64xi8, "shared">
            %n = arith.fptosi %v2 : f32 to i8
            tir.store %n, %R[%t] : memref<64xi8, "shared">
            tir.store %v2, %B""",
        ),
        "cuda-emu",
    )
    a, b = np.ones(N, "float32"), np.zeros(N, "float32")
    assert kc.gpu.check(text, a, b).ok


def test_the_limit_counts_what_is_alive():
    """Two buffers of 58.6 KiB, one used after the other, fit in 64 KiB."""
    assert places(lowered(chain([238, 238], []), "cuda-emu -arch=sm_75")) == {0}


def test_buffers_that_are_alive_together_are_counted():
    with pytest.raises(KCError) as caught:
        lowered(chain([238, 238], [0]), "cuda-emu -arch=sm_75")
    assert str(caught.value) == (
        "error[KC3440]: verify-gpu-code: a block of @chain uses 117.2 KiB of shared memory, sm_75 "
        "allows 64 KiB\n"
        "  --> chain.mlir:3:1\n"
        "   |  S0   58.57 KiB  14995xf32\n"
        "   |  S1   58.57 KiB  14995xf32\n"
        "  why: the shared buffers of a block that are alive at the same time occupy disjoint "
        "memory\n"
        "  try: make the tile of a block smaller by splitting its loops by smaller factors"
    )
