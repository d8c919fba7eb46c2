"""Kernels on a GPU: their speed compared with the device's own copy and with torch.

    python benchmarks/gpu.py [--emu] [--out=FILE] [--only=NAME,...]      make bench-gpu

First a copy of the device is measured, as the bandwidth there is: bytes read and written. Then,
each checked against float64 on the host before it is timed, with outputs that were filled with NaN:

    add           a sum of vectors
    softmax       of rows, one kernel; by hand, and by the schedule that kc chooses
    layer_norm    of rows, one kernel and one pass (Welford); by hand, and by kc's schedule
    gemm          a product of matrices in float32 without tensor cores, several schedules by hand,
                  and the one that kc chooses
    tensor_cores  products of f16, bf16 and s8 by the schedules that kc chooses, with the second
                  matrix stored by columns; f16 and bf16 give such, by a cast in registers
    attention     of f16, by the schedule that kc chooses (tensor cores) and by hand: an online
                  softmax whose terms are triples (lesson 23), without tensor cores
    conv2d        of f16, 3 x 3, by the schedules that kc chooses: NHWC and NCHW, by tensor cores
    launch        a kernel with nothing to do: microseconds of the host for a prepared call, for a
                  call, and of the device for each of many in a row

Where torch is installed with CUDA, its kernels (cuBLAS for the product, without tf32) take the same
memory. Contenders take turns; a time is the median of several, by events of the device. Results go
to benchmarks/results/gpu-NAME.json.

``--emu`` runs all of it with tiny sizes in the emulator, on this CPU: it shows that the program
works, and its numbers say nothing of a GPU. Without a GPU and without ``--emu`` nothing is
measured; ``--require`` makes that an error.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

import kc
from kc import te, topi
from kc.runtime.gpu.function import DeviceFunction

RESULTS = Path(__file__).resolve().parent / "results"
REPEATS = 15
LEAST_MS = 20.0
"""The minimum time of a measurement in ms; calls are repeated until it has passed."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of the benchmarks."""

    vector: int
    rows: int
    columns: int
    matrix: int
    tile: int
    matrices: tuple[int, ...]
    """The sizes of products by tensor cores."""
    attention: tuple[int, int, int]
    """The number of heads, the numbers of rows and keys, and the elements of each."""
    images: tuple[int, int, int]
    """The sizes of a convolution: images, pixels along each side, and channels."""
    products: tuple[tuple[int, bool], ...]
    """The schedules of the product: the depth, and True if copies run ahead."""
    threads: tuple[int, ...]
    """The number of threads of a block that processes a row."""
    repeats: int
    least_ms: float


PRODUCTS = ((8, False), (8, True), (16, False), (16, True))
MATRICES = (4096, 8192)
THREADS = (256, 512, 1024)
GPU = Sizes(
    *(1 << 26, 16384, 4096, 4096, 128, MATRICES, (16, 4096, 128), (32, 56, 128)),
    *(PRODUCTS, THREADS, REPEATS, LEAST_MS),
)
EMULATED = Sizes(
    *(1 << 12, 4, 512, 128, 64, (64,), (1, 32, 32), (1, 4, 16), ((8, True),), (256,), 2, 0.0)
)

TENSOR_CORES = (
    ("float16", "float32", "float16", 2e-3),
    ("bfloat16", "float32", "bfloat16", 4e-3),
    ("int8", "int32", "int32", 1e-12),
)
"""Products by tensor cores: the types of A and B, of the sums, and of C; and the maximum error."""


@dataclass
class Row:
    """A measurement: the seconds of each contender, and reference values."""

    name: str
    size: str
    work: float
    unit: str
    """The unit of ``work``: bytes, or floating-point operations; none for launches."""
    seconds: dict[str, list[float]] = field(default_factory=dict)
    error: float = 0.0
    """The distance from the float64 result, relative to its norm."""

    def median(self, contender: str) -> float:
        return statistics.median(self.seconds[contender])

    def best(self) -> str:
        """The fastest of kc's contenders."""
        own = [name for name in self.seconds if name.startswith("kc")]
        return min(own, key=self.median)


# Schedules --------------------------------------------------------------------------------------


def axis(name: str) -> Any:
    return te.thread_axis(name)


def add(n: int) -> tuple[Any, list[Any]]:
    """A sum of vectors: 256 threads per block, four numbers per thread."""
    A, B = te.placeholder((n,), name="A"), te.placeholder((n,), name="B")
    C = te.compute((n,), lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C.op)
    block, rest = s[C].split(C.op.axis[0], 1024)
    thread, four = s[C].split(rest, 4)
    s[C].bind(block, axis("blockIdx.x"))
    s[C].bind(thread, axis("threadIdx.x"))
    s[C].vectorize(four)
    return s, [A, B, C]


def share(s: Any, output: Any, stages: Sequence[Any], threads: int) -> Any:
    """Assign a row to each block, and keep intermediate results of the row in shared memory."""
    s[output].bind(output.op.axis[0], axis("blockIdx.x"))
    for stage in reversed(stages):
        s[stage].set_scope("shared")
        s[stage].compute_at(s[output], output.op.axis[0])
    for stage in (*stages, output):
        loop = (stage.op.reduce_axis or stage.op.axis[1:])[0]
        _, thread = s[stage].split(loop, threads)
        s[stage].bind(thread, axis("threadIdx.x"))
    return s


def softmax(rows: int, columns: int, threads: int) -> tuple[Any, list[Any]]:
    A = te.placeholder((rows, columns), name="A")
    k, m = (te.reduce_axis((0, columns), name=name) for name in "km")
    top = te.compute((rows,), lambda i: te.max(A[i, k], axis=k), name="top")
    powers = te.compute((rows, columns), lambda i, j: te.exp(A[i, j] - top[i]), name="powers")
    total = te.compute((rows,), lambda i: te.sum(powers[i, m], axis=m), name="total")
    P = te.compute((rows, columns), lambda i, j: powers[i, j] / total[i], name="P")
    return share(te.create_schedule(P.op), P, (top, powers, total), threads), [A, P]


def layer_norm(rows: int, columns: int, threads: int) -> tuple[Any, list[Any]]:
    A = te.placeholder((rows, columns), name="A")
    G, H = te.placeholder((columns,), name="G"), te.placeholder((columns,), name="H")
    k = te.reduce_axis((0, columns), name="k")

    def combine(x: Any, y: Any) -> Any:
        count = x[0] + y[0]
        mean = (x[0] * x[1] + y[0] * y[1]) / te.max(count, 1.0)
        apart = (y[1] - x[1]) * (y[1] - x[1]) * x[0] * y[0] / te.max(count, 1.0)
        return count, te.if_then_else(count > 0.0, mean, 0.0), x[2] + y[2] + apart

    welford = te.comm_reducer(
        combine, lambda *parts: tuple(te.const(0, part) for part in parts), name="welford"
    )
    counts, means, squares = te.compute(
        (rows,), lambda i: welford((te.const(1.0), A[i, k], te.const(0.0)), axis=k), name="moments"
    )
    N = te.compute(
        (rows, columns),
        lambda i, j: (A[i, j] - means[i]) * te.rsqrt(squares[i] / columns + 1e-5) * G[j] + H[j],
        name="N",
    )
    return share(te.create_schedule(N.op), N, (counts,), threads), [A, G, H, N]


def gemm(n: int, tile: int, depth: int, *, ahead: bool) -> tuple[Any, list[Any]]:
    """A block of 16 x 16 threads has a tile of C in registers, as four separate parts. It copies
    ``depth`` columns of A and rows of B at a time to shared memory, four numbers per access; with
    ``ahead``, it does so while it uses the previous ones.
    """
    threads = 16
    A, B = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C.op)
    shared = [s.cache_read(tensor, "shared", [C]) for tensor in (A, B)]
    local = s.cache_write(C, "local")
    by, i = s[C].split(C.op.axis[0], tile)
    bx, j = s[C].split(C.op.axis[1], tile)
    s[C].reorder(by, bx, i, j)
    vy, i = s[C].split(i, nparts=2)
    vx, j = s[C].split(j, nparts=2)
    s[C].reorder(vy, vx, i, j)
    ty, i = s[C].split(i, nparts=threads)
    tx, j = s[C].split(j, nparts=threads)
    s[C].reorder(ty, tx, i, j)
    names = "blockIdx.y blockIdx.x vthread.y vthread.x threadIdx.y threadIdx.x"
    for loop, name in zip((by, bx, vy, vx, ty, tx), names.split(), strict=True):
        s[C].bind(loop, axis(name))
    s[local].compute_at(s[C], tx)
    i, j = s[local].op.axis
    ko, ki = s[local].split(s[local].op.reduce_axis[0], depth)
    s[local].reorder(ko, ki, i, j)
    for stage in shared:
        s[stage].compute_at(s[local], ko)
        fused, four = s[stage].split(s[stage].fuse(*s[stage].op.axis), 4)
        s[stage].vectorize(four)
        _, part = s[stage].split(fused, threads * threads)
        y, x = s[stage].split(part, threads)
        s[stage].bind(y, axis("threadIdx.y"))
        s[stage].bind(x, axis("threadIdx.x"))
        if ahead:
            s[stage].double_buffer()
    s[shared[0]].storage_align(shared[0].op.axis[0], 16, 4)
    return s, [A, B, C]


def online_attention(heads: int, length: int, size: int) -> tuple[Any, list[Any]]:
    """A block of 16 x 16 threads processes 16 rows and 16 keys at a time. A thread has the maximum,
    the sum of powers and the weighted sum of some columns in registers.
    """
    side = 16
    Q, K, V = (te.placeholder((heads, length, size), "float16", name=name) for name in "QKV")
    c, j = te.reduce_axis((0, size), name="c"), te.reduce_axis((0, length), name="j")
    shape = (heads, length, length)
    S = te.compute(
        shape,
        lambda h, i, j: te.sum(Q[h, i, c].astype("float32") * K[h, j, c].astype("float32"), axis=c),
        name="S",
    )

    def combine(x: Any, y: Any) -> Any:
        top = te.max(x[0], y[0])
        mine, theirs = te.exp(x[0] - top), te.exp(y[0] - top)
        return top, x[1] * mine + y[1] * theirs, x[2] * mine + y[2] * theirs

    online = te.comm_reducer(
        combine,
        lambda top, total, sums: (te.min_value(top), te.const(0, total), te.const(0, sums)),
        name="online",
    )
    _, total, sums = te.compute(
        (heads, length, size),
        lambda h, i, d: online(
            (S[h, i, j] * size**-0.5, te.const(1.0), V[h, j, d].astype("float32")), axis=j
        ),
        name="triples",
    )
    R = te.compute(
        (heads, length, size),
        lambda h, i, d: (sums[h, i, d] / total[h, i, d]).astype("float16"),
        name="R",
    )
    s = te.create_schedule(R.op)
    scores = s.cache_write(S, "local")
    keys, queries = (s.cache_read(tensor, "shared", [scores]) for tensor in (K, Q))
    values = s.cache_read(V, "shared", [sums])
    h, i, d = s[R].op.axis
    block, row = s[R].split(i, side)
    part, d = s[R].split(d, nparts=side)
    s[R].reorder(h, block, row, part, d)
    names = ("blockIdx.y", "blockIdx.x", "threadIdx.y", "threadIdx.x")
    for loop, name in zip((h, block, row, part), names, strict=True):
        s[R].bind(loop, axis(name))
    s[sums].set_scope("local")
    s[sums].compute_at(s[R], part)
    jo, ji = s[sums].split(s[sums].op.reduce_axis[0], side)
    s[sums].reorder(jo, ji, *s[sums].op.axis)
    s[sums].unroll(s[sums].op.axis[2])
    s[R].unroll(d)
    s[S].set_scope("shared")
    s[S].compute_at(s[sums], jo)
    for loop, name in zip(s[S].op.axis[1:], names[2:], strict=True):
        s[S].bind(loop, axis(name))
    s[scores].compute_at(s[S], s[S].op.axis[2])
    for tensor in (keys, queries):
        s[tensor].storage_align(tensor.op.axis[1], 32, 2)
    for tensor, at, loop in (
        (queries, R, block),
        (keys, sums, jo),
        (values, sums, jo),
    ):
        s[tensor].compute_at(s[at], loop)
        rest, tx = s[tensor].split(s[tensor].fuse(*tensor.op.axis), side)
        _, ty = s[tensor].split(rest, side)
        s[tensor].bind(ty, axis("threadIdx.y"))
        s[tensor].bind(tx, axis("threadIdx.x"))
    return s, [Q, K, V, R]


# Measuring --------------------------------------------------------------------------------------


def product(n: int, element: str, total: str, output: str) -> list[te.Tensor]:
    """A times B, where B is stored by columns; the sums are converted from one type to another."""
    A, B = (te.placeholder((n, n), element, name=name) for name in "AB")
    k = te.reduce_axis((0, n), name="k")

    def sums(i: Any, j: Any) -> Any:
        return te.sum(A[i, k].astype(total) * B[j, k].astype(total), axis=k)

    C = te.compute((n, n), sums, name="C")
    if output == total:
        return [A, B, C]
    return [A, B, te.compute((n, n), lambda i, j: C[i, j].astype(output), name="D")]


Timer = Callable[[int], float]
"""A function that returns the seconds of a number of calls."""


class Bench:
    """The device, and its measurements."""

    def __init__(self, sizes: Sizes, target: str) -> None:
        self.sizes = sizes
        self.target = target
        self.device = kc.cuda(0)
        self.random = np.random.default_rng()
        self.torch = _torch()
        self.rows: list[Row] = []

    def array(self, *shape: int) -> Any:
        values = self.random.standard_normal(shape, dtype=np.float32)
        return kc.nd.array(values, self.device)

    def empty(self, *shape: int) -> Any:
        """An array filled with NaN."""
        array = kc.nd.empty(shape, "float32", self.device)
        array[:] = np.nan
        return array

    @property
    def specific(self) -> str:
        """The target with the features that only its architecture has: ``sm_90a``."""
        return self.target + ("a" if self.target.endswith(("90", "100")) else "")

    def build(self, s: Any, args: Any = None, target: str | None = None) -> Any:
        module = kc.build(s, args, target=target or self.target)
        function = module["main"]
        assert isinstance(function, DeviceFunction)
        for kernel in function.loaded(self.device).resources:
            if kernel.local_bytes:
                print(f"  {kernel.name}: {kernel.local_bytes} bytes of local memory a thread")
        return module

    def chosen(self, tensors: Sequence[te.Tensor]) -> Any:
        """The module of tensors, with the schedule that kc chooses."""
        schedule = kc.auto_schedule(tensors, target=self.specific)
        return self.build(schedule, target=self.specific)

    def timed(self, run: Callable[[], object]) -> Timer:
        """The time of calls from Python, measured by events of the device."""
        gpu = self.device.gpu
        driver = gpu.driver

        def seconds(number: int) -> float:
            with gpu.active("a measurement"):
                begin, end = (driver.create_event(timing=True) for _ in range(2))
                driver.record(begin, gpu.stream)
            for _ in range(number):
                run()
            with gpu.active("a measurement"):
                driver.record(end, gpu.stream)
                driver.synchronize_event(end)
                elapsed = driver.milliseconds(begin, end)
                driver.destroy_event(begin)
                driver.destroy_event(end)
            return elapsed * 1e-3

        return seconds

    def measure(self, row: Row, contenders: Mapping[str, Timer]) -> Row:
        """Let contenders take turns; the sizes set the duration of each measurement."""
        numbers: dict[str, int] = {}
        for name, timer in contenders.items():
            timer(2)
            number = 1
            while timer(number) * 1000 < self.sizes.least_ms:
                number *= 2
            numbers[name] = number
            row.seconds[name] = []
        for _ in range(self.sizes.repeats):
            for name, timer in contenders.items():
                row.seconds[name].append(timer(numbers[name]) / numbers[name])
        self.rows.append(row)
        return row

    def check(self, row: Row, result: Any, expected: np.ndarray, limit: float) -> None:
        """Check the result against the float64 result."""
        computed = np.asarray(result, "float64")
        row.error = float(np.linalg.norm(computed - expected) / np.linalg.norm(expected))
        if not row.error < limit:  # NaN is not
            raise SystemExit(f"{row.name} {row.size}: wrong, by {row.error} of the norm")

    # What is measured

    def copy(self) -> None:
        n = self.sizes.vector
        x, y = self.array(n), self.empty(n)
        row = Row("copy", f"{n:,}", 8.0 * n, "bytes")
        self.check(row, y.copyfrom(x).numpy(), x.numpy().astype("float64"), 1e-12)
        self.measure(row, {"driver": self.timed(lambda: y.copyfrom(x))})

    def add(self) -> None:
        n = self.sizes.vector
        module = self.build(*add(n))
        a, b, c = self.array(n), self.array(n), self.empty(n)
        row = Row("add", f"{n:,}", 12.0 * n, "bytes")
        module(a, b, c)
        self.check(row, c.numpy(), a.numpy().astype("float64") + b.numpy(), 1e-6)
        contenders = {"kc": module["main"].timer(a, b, c)}
        if self.torch:
            x, y, z = (self.torch.from_dlpack(array) for array in (a, b, c))
            contenders["torch"] = self.timed(lambda: self.torch.add(x, y, out=z))
        self.measure(row, contenders)

    def softmax(self) -> None:
        rows, columns = self.sizes.rows, self.sizes.columns
        a, c = self.array(rows, columns), self.empty(rows, columns)
        row = Row("softmax", f"{rows} x {columns}", 8.0 * rows * columns, "bytes")
        host = a.numpy().astype("float64")
        powers = np.exp(host - host.max(1, keepdims=True))
        contenders: dict[str, Timer] = {}
        for threads in self.sizes.threads:
            module = self.build(*softmax(rows, columns, threads))
            c[:] = np.nan
            module(a, c)
            self.check(row, c.numpy(), powers / powers.sum(1, keepdims=True), 1e-5)
            contenders[f"kc, {threads} threads"] = module["main"].timer(a, c)
        A = te.placeholder((rows, columns), name="A")
        module = self.chosen([A, topi.nn.softmax(A)])
        c[:] = np.nan
        module(a, c)
        self.check(row, c.numpy(), powers / powers.sum(1, keepdims=True), 1e-5)
        contenders["kc, default"] = module["main"].timer(a, c)
        if self.torch:
            x = self.torch.from_dlpack(a)
            contenders["torch"] = self.timed(lambda: self.torch.softmax(x, dim=1))
        self.measure(row, contenders)

    def layer_norm(self) -> None:
        rows, columns = self.sizes.rows, self.sizes.columns
        a, c = self.array(rows, columns), self.empty(rows, columns)
        g, h = self.array(columns), self.array(columns)
        row = Row("layer_norm", f"{rows} x {columns}", 8.0 * rows * columns, "bytes")
        host = a.numpy().astype("float64")
        scaled = (host - host.mean(1, keepdims=True)) / np.sqrt(host.var(1, keepdims=True) + 1e-5)
        contenders: dict[str, Timer] = {}
        for threads in self.sizes.threads:
            module = self.build(*layer_norm(rows, columns, threads))
            c[:] = np.nan
            module(a, g, h, c)
            self.check(row, c.numpy(), scaled * g.numpy() + h.numpy(), 1e-5)
            contenders[f"kc, {threads} threads"] = module["main"].timer(a, g, h, c)
        A = te.placeholder((rows, columns), name="A")
        G, H = (te.placeholder((columns,), name=name) for name in "GH")
        module = self.chosen([A, G, H, topi.nn.layer_norm(A, G, H, [1])])
        c[:] = np.nan
        module(a, g, h, c)
        self.check(row, c.numpy(), scaled * g.numpy() + h.numpy(), 1e-5)
        contenders["kc, default"] = module["main"].timer(a, g, h, c)
        if self.torch:
            x, weight, bias = (self.torch.from_dlpack(array) for array in (a, g, h))
            norm = self.torch.nn.functional.layer_norm
            contenders["torch"] = self.timed(lambda: norm(x, (columns,), weight, bias))
        self.measure(row, contenders)

    def gemm(self) -> None:
        n, tile = self.sizes.matrix, self.sizes.tile
        a, b, c = self.array(n, n), self.array(n, n), self.empty(n, n)
        row = Row("gemm", f"{n} x {n} x {n}", 2.0 * n**3, "operations")
        expected = a.numpy().astype("float64") @ b.numpy().astype("float64")
        contenders: dict[str, Timer] = {}
        for depth, ahead in self.sizes.products:
            module = self.build(*gemm(n, tile, depth, ahead=ahead))
            c[:] = np.nan
            module(a, b, c)
            self.check(row, c.numpy(), expected, 1e-5)
            name = f"kc, depth {depth}" + (", copies ahead" if ahead else "")
            contenders[name] = module["main"].timer(a, b, c)
        A, B = (te.placeholder((n, n), name=name) for name in "AB")
        k = te.reduce_axis((0, n), name="k")
        C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
        module = self.chosen([A, B, C])
        c[:] = np.nan
        module(a, b, c)
        self.check(row, c.numpy(), expected, 1e-5)
        contenders["kc, default"] = module["main"].timer(a, b, c)
        if self.torch:
            self.torch.backends.cuda.matmul.allow_tf32 = False
            x, y, z = (self.torch.from_dlpack(array) for array in (a, b, c))
            contenders["torch"] = self.timed(lambda: self.torch.matmul(x, y, out=z))
        self.measure(row, contenders)

    def tensor_cores(self) -> None:
        for n in self.sizes.matrices:
            for types in TENSOR_CORES:
                self._product(n, *types)

    def _product(self, n: int, element: str, total: str, output: str, limit: float) -> None:
        dtype = ml_dtypes.bfloat16 if element == "bfloat16" else np.dtype(element)
        given = [
            (
                self.random.integers(-128, 128, (n, n))
                if element == "int8"
                else self.random.standard_normal((n, n), dtype=np.float32)
            ).astype(dtype)
            for _ in range(2)
        ]
        a, b = (kc.nd.array(values, self.device) for values in given)
        c = kc.nd.empty((n, n), output, self.device)
        row = Row(f"product of {element}", f"{n} x {n} x {n}", 2.0 * n**3, "operations")
        module = self.chosen(product(n, element, total, output))
        module(a, b, c)
        x, y = (values.astype("float64") for values in given)
        self.check(row, c.numpy(), x @ y.T, limit)
        contenders: dict[str, Timer] = {"kc, default": module["main"].timer(a, b, c)}
        if self.torch:
            u, v = (self.torch.from_dlpack(array) for array in (a, b))
            if element == "int8":
                contenders["torch"] = self.timed(lambda: self.torch._int_mm(u, v.T))
            else:
                z = self.torch.empty((n, n), dtype=u.dtype, device=u.device)
                contenders["torch"] = self.timed(lambda: self.torch.matmul(u, v.T, out=z))
        self.measure(row, contenders)

    def halves(self, *shape: int) -> tuple[np.ndarray, Any]:
        """Numbers on the host, and on the device."""
        values = self.random.standard_normal(shape, dtype=np.float32).astype("float16")
        return values, kc.nd.array(values, self.device)

    def attention(self) -> None:
        heads, length, size = self.sizes.attention
        hosts, arrays = zip(*(self.halves(1, heads, length, size) for _ in "QKV"), strict=True)
        q, k, v = (values[0].astype("float64") for values in hosts)
        scores = q @ k.swapaxes(1, 2) * size**-0.5
        powers = np.exp(scores - scores.max(2, keepdims=True))
        expected = powers / powers.sum(2, keepdims=True) @ v
        work = 4.0 * heads * length**2 * size
        row = Row("attention", f"{heads} heads x {length} x {size}", work, "operations")
        Q, K, V = (te.placeholder((1, heads, length, size), "float16", name=name) for name in "QKV")
        chosen = self.chosen([Q, K, V, topi.nn.attention(Q, K, V)])
        contenders: dict[str, Timer] = {}
        for name, module, given in (
            ("kc, default", chosen, arrays),
            (
                "kc, online softmax by hand",
                self.build(*online_attention(heads, length, size)),
                [kc.nd.array(values[0], self.device) for values in hosts],
            ),
        ):
            output = kc.nd.empty(given[0].shape, "float16", self.device)
            module(*given, output)
            self.check(row, output.numpy().reshape(expected.shape), expected, 2e-3)
            contenders[name] = module["main"].timer(*given, output)
        if self.torch:
            tensors = [self.torch.from_dlpack(array) for array in arrays]
            attend = self.torch.nn.functional.scaled_dot_product_attention
            contenders["torch"] = self.timed(lambda: attend(*tensors))
        self.measure(row, contenders)

    def conv2d(self) -> None:
        count, side, channels = self.sizes.images
        (a, x), (w, f) = (
            self.halves(*shape)
            for shape in ((count, channels, side, side), (channels, channels, 3, 3))
        )
        padded = np.pad(a.astype("float64"), ((0, 0), (0, 0), (1, 1), (1, 1)))
        expected = np.zeros((count, channels, side, side))
        for dy, dx in np.ndindex(3, 3):
            part = padded[:, :, dy : dy + side, dx : dx + side]
            expected += np.einsum("nchw,oc->nohw", part, w[:, :, dy, dx], optimize=True)
        work = 18.0 * count * side**2 * channels**2
        row = Row("conv2d", f"{count} x {channels} x {side} x {side}", work, "operations")
        contenders: dict[str, Timer] = {}
        for layout, given, convolve in (
            ("NHWC", (a.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0)), topi.nn.conv2d_nhwc),
            ("NCHW", (a, w), topi.nn.conv2d_nchw),
        ):
            arrays = [kc.nd.array(np.ascontiguousarray(it), self.device) for it in given]
            pairs = zip(given, "AW", strict=True)
            A, W = (te.placeholder(it.shape, "float16", name=name) for it, name in pairs)
            module = self.chosen([A, W, convolve(A, W, 1, 1, 1, out_dtype="float32")])
            order = (0, 2, 3, 1) if layout == "NHWC" else (0, 1, 2, 3)
            wanted = expected.transpose(order)
            y = self.empty(*wanted.shape)
            module(*arrays, y)
            self.check(row, y.numpy(), wanted, 1e-5)
            contenders[f"kc, default {layout}"] = module["main"].timer(*arrays, y)
        if self.torch:
            u, weights = (self.torch.from_dlpack(array) for array in (x, f))
            last = self.torch.channels_last
            near = [it.contiguous(memory_format=last) for it in (u, weights)]
            torch_convolve = self.torch.nn.functional.conv2d
            contenders["torch"] = self.timed(lambda: torch_convolve(u, weights, padding=1))
            contenders["torch, NHWC"] = self.timed(lambda: torch_convolve(*near, padding=1))
        self.measure(row, contenders)

    def launch(self) -> None:
        module = self.build(*add(2048))
        function = module["main"]
        a, b, c = self.array(2048), self.array(2048), self.empty(2048)
        prepared = function.prepare(a, b, c)
        function(a, b, c)  # from then on by generated code
        row = Row("launch", "2,048", 0.0, "")

        def on_host(run: Callable[[], object]) -> Timer:
            def seconds(number: int) -> float:
                self.device.sync()
                start = time.perf_counter()
                for _ in range(number):
                    run()
                elapsed = time.perf_counter() - start
                self.device.sync()
                return elapsed

            # Few enough that the queue of the device is never full.
            return lambda number: seconds(min(number, 512)) * number / min(number, 512)

        contenders = {
            "kc, prepared, host": on_host(prepared),
            "kc, call, host": on_host(lambda: function(a, b, c)),
            "kc, device": function.timer(a, b, c),
        }
        if self.torch:
            x, y, z = (self.torch.from_dlpack(array) for array in (a, b, c))
            contenders["torch, host"] = on_host(lambda: self.torch.add(x, y, out=z))
        self.measure(row, contenders)


def _torch() -> Any:
    """The module torch, if it has a GPU; else None."""
    if os.environ.get("KC_CUDA") == "emu":
        return None
    try:
        import torch  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


# What is said -----------------------------------------------------------------------------------


def told(bench: Bench) -> list[str]:
    """Print the table: for each contender the time, the rate, and its share of the copy and of
    torch.
    """
    copy = next((row for row in bench.rows if row.name == "copy"), None)
    bandwidth = copy.work / copy.median("driver") if copy else None
    lines: list[str] = []
    for row in bench.rows:
        lines.append(f"{row.name}, {row.size}" + (f": error {row.error:.1e}" if row.error else ""))
        for name, seconds in row.seconds.items():
            median = row.median(name)
            spread = (max(seconds) - min(seconds)) / median
            cells = [f"{median * 1e6:>12.2f} us", f"+-{spread * 50:>3.0f} %"]
            if row.unit == "bytes":
                cells.append(f"{row.work / median / 1e9:>10.1f} GB/s")
                if bandwidth:
                    cells.append(f"{row.work / median / bandwidth:>6.2f} of the copy")
            elif row.unit:
                cells.append(f"{row.work / median / 1e12:>10.2f} TFLOP/s")
            if "torch" in row.seconds and name != "torch":
                cells.append(f"{row.median('torch') / median:>6.2f} of torch")
            lines.append(f"  {name:26}" + "  ".join(cells))
    return lines


def results(bench: Bench, *, emulated: bool) -> dict[str, Any]:
    """All measurements, with the machine."""
    gpu = bench.device.gpu
    return {
        "emulated": emulated,
        "device": bench.device.device_name,
        "architecture": bench.target,
        "driver": {"by": gpu.driver.name, "cuda": gpu.driver.version()},
        "kc": kc.__version__,
        "torch": bench.torch.__version__ if bench.torch else None,
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d"),
        "rows": [
            {
                "name": row.name,
                "size": row.size,
                "work": row.work,
                "unit": row.unit,
                "error": row.error,
                "best": row.best() if row.name != "copy" else "driver",
                "seconds": {name: sorted(values) for name, values in row.seconds.items()},
            }
            for row in bench.rows
        ],
    }


NAMES = (
    *("copy", "add", "softmax", "layer_norm", "gemm"),
    *("tensor_cores", "attention", "conv2d", "launch"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print and write; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--emu", action="store_true", help="tiny sizes, in the emulator")
    parser.add_argument("--require", action="store_true", help="fail where there is no GPU")
    parser.add_argument("--out", type=Path, help="the file of the results")
    parser.add_argument("--only", default=",".join(NAMES), help="what is measured")
    options = parser.parse_args(argv)
    if options.emu:
        os.environ["KC_CUDA"] = "emu"
    if not kc.cuda(0).exist:
        from kc.runtime.gpu.driver import search

        print("no GPU: nothing is measured (--emu shows that the program works)")
        print("".join(f"  {reason}\n" for reason in search().tried), end="")
        return 1 if options.require else 0
    emulated = os.environ.get("KC_CUDA") == "emu"
    version = (kc.cuda(0).compute_version or "").replace(".", "")
    bench = Bench(EMULATED if emulated else GPU, f"cuda -arch=sm_{version}")
    title = "EMULATED: its numbers say nothing of a GPU; " if emulated else ""
    print(f"{title}{bench.device.device_name}")
    for name in options.only.split(","):
        print(f"{name} ...", flush=True)
        getattr(bench, name)()
    print("\n".join(told(bench)))
    file = options.out
    if file is None:
        label = re.sub(r"\W+", "-", bench.device.device_name or "").strip("-").lower()
        RESULTS.mkdir(exist_ok=True)
        file = RESULTS / f"gpu-{'emulator' if emulated else label}.json"
    file.write_text(json.dumps(results(bench, emulated=emulated), indent=1) + "\n")
    print(f"written: {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
