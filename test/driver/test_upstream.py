"""kc.build emits upstream dialects as MLIR does: mlir-opt takes them, and they compute the same."""

import ctypes
import subprocess
from collections.abc import Callable

import numpy as np
import optional_tools
import pytest

import kc
from kc import te
from kc.codegen.native import jit
from kc.runtime.parallel import ensure_pool

Program = tuple[list[te.Tensor], te.Schedule, list[np.ndarray]]


def matmul() -> Program:
    a = te.placeholder((20, 24), name="A")
    b = te.placeholder((24, 18), name="B")
    k = te.reduce_axis((0, 24), name="k")
    c = te.compute((20, 18), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    d = te.compute((20, 18), lambda i, j: te.max(c[i, j], 0.0) + i, name="D")
    s = te.create_schedule(d.op)
    i, j = s[c].op.axis
    i_o, j_o, i_i, j_i = s[c].tile(i, j, 4, 8)
    s[c].reorder(j_o, i_o, k, i_i, j_i)
    s[c].unroll(i_i)
    s[c].vectorize(j_i)
    s[c].parallel(j_o)
    rng = np.random.default_rng(0)
    return (
        [a, b, d],
        s,
        [
            rng.random((20, 24), dtype=np.float32),
            rng.random((24, 18), dtype=np.float32),
            np.empty((20, 18), np.float32),
        ],
    )


def symbolic() -> Program:
    n, m = te.var("n"), te.var("m")
    a = te.placeholder((n, m), "float16", "A")
    b = te.placeholder((n, m), "bool", "B")
    c = te.compute((n, m), lambda i, j: te.Select(b[i, j], a[i, j], te.sqrt(a[i, j])), name="C")
    s = te.create_schedule(c.op)
    fused = s[c].fuse(*c.op.axis)
    outer, inner = s[c].split(fused, factor=8)
    s[c].parallel(outer)
    s[c].vectorize(inner)
    rng = np.random.default_rng(1)
    return (
        [a, b, c],
        s,
        [
            rng.random((7, 9)).astype(np.float16),
            rng.random((7, 9)) < 0.5,
            np.empty((7, 9), np.float16),
        ],
    )


def integers() -> Program:
    a = te.placeholder((100,), "uint8", "A")
    b = te.placeholder((100,), "uint8", "B")
    c = te.compute((100,), lambda i: te.max(a[i] // b[i], a[99 - i] % b[i]), name="C")
    s = te.create_schedule(c.op)
    s[c].vectorize(s[c].split(c.op.axis[0], factor=32)[1])
    rng = np.random.default_rng(2)
    values = [rng.integers(0, 256, 100, dtype=np.uint8) for _ in range(2)]
    return [a, b, c], s, [*values, np.empty(100, np.uint8)]


def filtered(tool: str, text: str, *flags: str) -> str:
    path = optional_tools.find(tool)
    if path is None:
        pytest.skip(f"{tool} is not installed")
    done = subprocess.run([path, *flags], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("program", [matmul, symbolic, integers])
def test_upstream(program: Callable[[], Program]):
    args, schedule, arrays = program()
    module = kc.build(schedule, args)
    module(*arrays)
    expected = arrays[-1].copy()

    filtered("mlir-opt", module.get_source("mlir"), "--verify-each")
    llvm = filtered("mlir-opt", module.get_source("llvm"))
    text = filtered("mlir-translate", llvm, "--mlir-to-llvmir")
    engine = jit(text, ensure_pool())
    # The machine interface: a pointer an array, then its dynamic dimensions.
    machine: list[object] = []
    arrays[-1].fill(0)
    for arg, array in zip(args, arrays, strict=True):
        machine.append(ctypes.c_void_p(array.ctypes.data))
        machine.extend(
            ctypes.c_int64(size)
            for size, dim in zip(array.shape, arg.shape, strict=True)
            if not isinstance(dim, int)
        )
    function = ctypes.cast(engine.address("main"), ctypes.CFUNCTYPE(None, *map(type, machine)))
    function(*machine)
    np.testing.assert_array_equal(arrays[-1], expected)
