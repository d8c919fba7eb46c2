"""No kernel computes on memory that nothing was stored to, and their tails need no masks.

Fresh memory is poisoned with subnormal numbers and signalling NaN. Arithmetic on one raises a flag
of the processor, of which ordinary numbers raise none.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable

import float_flags
import numpy as np
import pytest

import kc
from kc import te, topi

HOST = str(kc.target.Target.host_cpu())
ONE_THREAD = re.sub(r"-num-cores=\d+", "-num-cores=1", HOST)
AVX2 = "llvm -mcpu=haswell -num-cores=1"
SSE = "llvm -mcpu=x86-64 -num-cores=1"

pytestmark = pytest.mark.skipif(not float_flags.IS_X86, reason="the flags are those of x86")


def _tensors(*shapes: tuple[int, ...]) -> list[te.Tensor]:
    return [te.placeholder(shape, name=f"A{n}") for n, shape in enumerate(shapes)]


def _gemm() -> list[te.Tensor]:
    a, b = _tensors((29, 33), (33, 77))
    return [a, b, topi.matmul(a, b)]


def _conv_nchw() -> list[te.Tensor]:
    x, w = _tensors((1, 5, 12, 12), (36, 5, 3, 3))
    return [x, w, topi.nn.conv2d_nchw(x, w, 1, 1, 1)]


def _conv_nhwc() -> list[te.Tensor]:
    x, w = _tensors((1, 11, 11, 7), (3, 3, 7, 100))
    return [x, w, topi.nn.conv2d_nhwc(x, w, 1, 1, 1)]


def _grouped() -> list[te.Tensor]:
    x, w = _tensors((1, 9, 9, 9), (33, 3, 3, 3))
    return [x, w, topi.nn.group_conv2d_nchw(x, w, 1, 1, 1, 3)]


def _depthwise() -> list[te.Tensor]:
    x, w = _tensors((1, 11, 17, 17), (11, 1, 7, 7))
    return [x, w, topi.nn.depthwise_conv2d_nchw(x, w, 2, 3, 1)]


def _attention() -> list[te.Tensor]:
    q, k, v = _tensors(*[(1, 1, 45, 19)] * 3)
    return [q, k, v, topi.nn.attention(q, k, v)]


def _softmax() -> list[te.Tensor]:
    (x,) = _tensors((9, 77))
    return [x, topi.nn.softmax(x)]


def _pool() -> list[te.Tensor]:
    (x,) = _tensors((1, 5, 29, 29))
    return [x, topi.nn.pool2d(x, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), "avg")]


PROGRAMS = [
    _gemm,
    _conv_nchw,
    _conv_nhwc,
    _grouped,
    _depthwise,
    _attention,
    _softmax,
    _pool,
]


def _arrays(tensors: list[te.Tensor]) -> list[np.ndarray]:
    generator = np.random.default_rng(0)
    return [
        generator.uniform(0.5, 1.5, [int(size) for size in tensor.shape]).astype(tensor.dtype)
        for tensor in tensors
    ]


def _poisoned(given: object, tensors: list[te.Tensor], target: str) -> kc.Module:
    with kc.transform.PassContext(config={"kc.poison_memory": True}):
        return (
            kc.build(given, tensors, target=target) if given else kc.build(tensors, target=target)
        )


def test_the_flags_show_arithmetic_on_unwritten_memory():
    """So that the other tests can fail: a program that computes on it raises both."""
    text = """
    func.func @main(%n: index, %O: memref<?xf32>) {
      %B = tir.alloc "B" (%n) : memref<?xf32>
      tir.for %i in %n {
        %b = tir.load %B[%i] : memref<?xf32>
        %c = arith.addf %b, %b : f32
        tir.store %c, %O[%i] : memref<?xf32>
      }
      func.return
    }"""
    with kc.transform.PassContext(config={"kc.poison_memory": True}):
        kernel = kc.build(kc.IRModule.parse(text), target=HOST)
    out = np.zeros(2, "float32")
    flags = float_flags.noted(lambda: kernel(2, out))
    assert flags & float_flags.INVALID
    assert flags & float_flags.DENORMAL
    assert np.isnan(out[1])


@pytest.mark.parametrize(
    ("program", "target"),
    [
        *((program, ONE_THREAD) for program in PROGRAMS),
        *((program, target) for program in PROGRAMS[:3] for target in (AVX2, SSE)),
    ],
)
def test_default_schedules_compute_on_what_was_written(
    program: Callable[[], list[te.Tensor]], target: str
):
    tensors = program()
    kernel, arrays = _poisoned(None, tensors, target), _arrays(tensors)
    plain = [array.copy() for array in arrays]
    kc.build(tensors, target=target)(*plain)
    assert float_flags.noted(lambda: kernel(*arrays)) == 0
    np.testing.assert_array_equal(arrays[-1], plain[-1])


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("program", [_conv_nchw, _gemm])
def test_so_does_c(program: Callable[[], list[te.Tensor]]):
    tensors = program()
    kernel, arrays = _poisoned(None, tensors, "c"), _arrays(tensors)
    assert float_flags.noted(lambda: kernel(*arrays)) == 0


@pytest.mark.parametrize("target", [ONE_THREAD, AVX2, SSE])
@pytest.mark.parametrize("shape", [(45, 33, 29), (16, 20, 77)])
def test_so_do_caches_of_a_users_schedule(shape: tuple[int, int, int], target: str):
    m, k, n = shape
    a, b = te.placeholder((m, k), name="A"), te.placeholder((k, n), name="B")
    r = te.reduce_axis((0, k), name="r")
    c = te.compute((m, n), lambda i, j: te.sum(a[i, r] * b[r, j], r), name="C")
    s = te.create_schedule(c.op)
    local = s.cache_write(c, "local")
    i, j = s[c].op.axis
    outer, inner = s[c].split(i, 4)
    columns, lanes = s[c].split(j, 16)
    s[c].reorder(outer, columns, inner, lanes)
    s[c].vectorize(lanes)
    s[local].compute_at(s[c], columns)
    rows, row = s[local].op.axis
    s[local].reorder(s[local].op.reduce_axis[0], rows, row)
    s[local].vectorize(row)
    packed = s.cache_read(b, "global", [local])
    s[packed].compute_at(s[c], columns)
    s[packed].vectorize(s[packed].op.axis[1])
    kernel, arrays = _poisoned(s, [a, b, c], target), _arrays([a, b, c])
    assert float_flags.noted(lambda: kernel(*arrays)) == 0
    np.testing.assert_allclose(arrays[2], arrays[0] @ arrays[1], rtol=1e-5)


@pytest.mark.parametrize("program", [_gemm, _attention])
def test_so_do_kernels_of_symbolic_sizes(program: Callable[[], list[te.Tensor]]):
    n = te.var("n")
    if program is _gemm:
        a, b = te.placeholder((n, 64), name="A"), te.placeholder((64, n), name="B")
        tensors, shapes = [a, b, topi.matmul(a, b)], [(77, 64), (64, 77), (77, 77)]
    else:
        q, k, v = (te.placeholder((1, 2, n, 32), name=name) for name in "QKV")
        tensors, shapes = [q, k, v, topi.nn.attention(q, k, v)], [(1, 2, 45, 32)] * 4
    kernel, generator = _poisoned(None, tensors, ONE_THREAD), np.random.default_rng(0)
    arrays = [generator.uniform(0.5, 1.5, shape).astype("float32") for shape in shapes]
    assert float_flags.noted(lambda: kernel(*arrays)) == 0


@pytest.mark.parametrize("cpu", ["sapphirerapids", "haswell"])
def test_a_tail_of_channels_has_no_masks(cpu: str):
    """The tile of the last 4 of 100 channels multiplies and adds like the others, without choosing
    lanes after each product."""
    x, w = _tensors((1, 64, 56, 56), (100, 64, 3, 3))
    tensors = [x, w, topi.nn.conv2d_nchw(x, w, 1, 1, 1)]
    asm = kc.build(tensors, target=f"llvm -mcpu={cpu} -num-cores=1").get_source("asm")
    register = "zmm" if cpu == "sapphirerapids" else "ymm"
    assert re.search(rf"vfmadd\w+ps\s.*%{register}", asm)
    assert not re.search(r"vfmadd\w+ps\s.*\{%k\d\}", asm)
    assert not re.search(rf"vfmadd\w+ps[^\n]*\n\tv(?:blend|insertf32x4)[^\n]*%{register}", asm)


def test_the_environment_poisons_memory(monkeypatch: pytest.MonkeyPatch):
    assert not kc.transform.PassContext.current().poison_memory
    monkeypatch.setenv("KC_POISON_MEMORY", "1")
    assert kc.transform.PassContext.current().poison_memory
    with kc.transform.PassContext(config={"kc.poison_memory": False}) as context:
        assert not context.poison_memory
