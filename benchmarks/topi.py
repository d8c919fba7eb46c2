"""Operators of kc.topi with the schedules kc chooses, beside numpy, torch, JAX and onnxruntime.

    python -m benchmarks.topi [ROW ...] [--rounds=7] [--wall] [--quick] [--write]

One thread, one process, one CPU (JAX splits large operators over as many threads as the process has
CPUs, regardless of its flags). The systems take turns, a few calls at a time, so other load on the
machine affects all of them. Times are medians of the rounds, in ms of processor time; the ratio is
the best peer's median divided by kc's. The bound of a row is the minimum time for its operations,
or its bytes (each input and output moved once), on this machine. The machine is measured first:
multiply-adds of f32 vectors, and copying 64 MiB. Missing systems, and systems without a function
for a row, are omitted. ``--wall`` measures elapsed time, for an idle machine: the processor time of
JAX's own thread is partly not counted for the process. ``--quick`` divides the long sizes;
``--write`` saves the table in benchmarks/results.
"""

# ruff: noqa: E402 -- how many threads there are is read when numpy and the others are imported

from __future__ import annotations

import os

for _name in ("KC", "OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_name}_NUM_THREADS", "1")

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [path for path in (str(ROOT),) if path not in sys.path]

from benchmarks import cpu

SOFTMAX = "(lambda e: e / e.sum(-1, keepdims=True))(np.exp(a - a.max(-1, keepdims=True)))"
SYSTEMS = ("numpy", "torch", "jax", "onnxruntime")


@dataclass
class Row:
    """A row of the table. Texts are evaluated with the inputs as ``a``, ``b``, ``c``, ``d``."""

    name: str
    shapes: tuple[tuple[int, ...] | tuple[tuple[int, ...], str, int], ...]
    """The shapes of the inputs: of float32, or (shape, type, bound of the numbers)."""
    topi: str
    numpy: str = ""
    torch: str = ""
    jax: str = ""
    onnx: tuple[str, dict[str, Any]] | None = None
    """The operator and its attributes; ``constants`` are additional inputs."""
    operations: float = 0
    """Floating-point operations; 0 if the row is bound by memory."""
    tolerance: float = 1e-4
    constants: tuple[Any, ...] = field(default=())


def rows(quick: bool) -> list[Row]:
    """The table."""
    mega, wide = (1 << 14, 1 << 10) if quick else (1 << 20, 1 << 16)
    large = mega if quick else 1 << 24
    table: list[Row] = []

    def add(name: str, *shapes: Any, **facts: Any) -> None:
        table.append(Row(name, shapes, **facts))

    for name in ("exp", "tanh", "sigmoid", "erf"):
        add(f"{name} 1M", (mega,), topi=f"{name}(a)",
            numpy={"sigmoid": "1 / (1 + np.exp(-a))", "erf": ""}.get(name, f"np.{name}(a)"),
            torch=f"torch.{name}(a)",
            jax=f"jax.{'nn' if name == 'sigmoid' else 'lax'}.{name}(a)",
            onnx=(name.capitalize(), {}))  # fmt: skip
    add("gelu 1M", (mega,), topi="nn.gelu(a)", torch="F.gelu(a)",
        jax="jax.nn.gelu(a, approximate=False)", onnx=("Gelu", {}))  # fmt: skip
    side = math.isqrt(mega)
    for name, shape in (("rows", (1, side)), ("columns", (side, 1)), ("both", (side, side))):
        add(f"add {name} 1M", (side, side), shape, topi="add(a, b)", numpy="a + b", torch="a + b",
            jax="a + b", onnx=("Add", {}))  # fmt: skip
    add("cast bf16 1M", (mega,), topi='cast(a, "bfloat16")', torch="a.to(torch.bfloat16)",
        jax="a.astype(jnp.bfloat16)")  # fmt: skip
    add("cast int8 1M", (mega,), topi='cast(clip(a, -100, 100), "int8")',
        numpy='np.clip(a, -100, 100).astype("int8")', torch="a.clamp(-100, 100).to(torch.int8)",
        jax="jnp.clip(a, -100, 100).astype(jnp.int8)")  # fmt: skip
    for count, name in ((1024, "1K"), (mega, "1M"), (large, "16M")):
        side = math.isqrt(count)
        for axis in (0, 1, None):
            add(f"sum {name} axis {axis}", (side, side), topi=f"sum(a, {axis})",
                numpy=f"a.sum({axis})", torch=f"a.sum({'' if axis is None else axis})",
                jax=f"a.sum({axis})")  # fmt: skip
    side = math.isqrt(mega)
    add("max 1M axis 0", (side, side), topi="max(a, 0)", numpy="a.max(0)", torch="a.amax(0)",
        jax="a.max(0)")  # fmt: skip
    add("argmax 1M", (side, side), topi="argmax(a, 1)", numpy="a.argmax(1)", torch="a.argmax(1)",
        jax="a.argmax(1)", onnx=("ArgMax", {"axis": 1, "keepdims": 0}))  # fmt: skip
    for length in (128, 1000, wide):
        shape = (max(mega // length, 1), length)
        for name, kind in (("softmax", "Softmax"), ("log_softmax", "LogSoftmax")):
            if name == "log_softmax" and length != 1000:
                continue
            add(f"{name} {length}", shape, topi=f"nn.{name}(a)", torch=f"torch.{name}(a, -1)",
                jax=f"jax.nn.{name}(a)", onnx=(kind, {"axis": -1}),
                numpy=SOFTMAX if name == "softmax" else "")  # fmt: skip
    add("layer_norm 1024", (mega // 1024, 1024), (1024,), (1024,), topi="nn.layer_norm(a, b, c)",
        torch="F.layer_norm(a, (1024,), b, c)",
        onnx=("LayerNormalization", {"axis": -1}))  # fmt: skip
    batch = 1 if quick else 8
    add("batch_norm", (batch, 64, 56, 56), (64,), (64,), (64,), ((64,), "positive", 1),
        topi="nn.batch_norm(a, b, c, d, e)[0]",
        torch="F.batch_norm(a, d, e, b, c)", onnx=("BatchNormalization", {}))  # fmt: skip
    size = 14 if quick else 56
    for name, layout, taps, stride, groups in (
        ("3x3", "NCHW", 3, 1, 1), ("1x1", "NCHW", 1, 1, 1), ("3x3 stride 2", "NCHW", 3, 2, 1),
        ("3x3 groups", "NCHW", 3, 1, 4), ("3x3 depthwise", "NCHW", 3, 1, 64),
        ("3x3 NHWC", "NHWC", 3, 1, 1), ("1x1 NHWC", "NHWC", 1, 1, 1),
    ):  # fmt: skip
        first = layout == "NCHW"
        data = (1, 64, size, size) if first else (1, size, size, 64)
        each = 64 // groups
        weight = (64, each, taps, taps) if first else (taps, taps, 64, 64)
        pad, outs = taps // 2, -(-size // stride)
        call = {1: f'nn.conv2d(a, b, {stride}, {pad}, 1, "{layout}")',
                4: f"nn.group_conv2d_nchw(a, b, {stride}, {pad}, 1, 4)",
                64: f"nn.depthwise_conv2d_nchw(a, b, {stride}, {pad}, 1)"}[groups]  # fmt: skip
        if groups == 64:
            weight = (64, 1, taps, taps)
        torch_a, torch_b, back = ("a", "b", "") if first else (
            "a.permute(0, 3, 1, 2)", "b.permute(3, 2, 0, 1)", ".permute(0, 2, 3, 1)")  # fmt: skip
        add(f"conv2d {name}", data, weight, topi=call,
            torch=f"F.conv2d({torch_a}, {torch_b}, None, {stride}, {pad}, 1, {groups}){back}",
            onnx=("Conv", {"strides": [stride] * 2, "pads": [pad] * 4, "group": groups})
            if first else None,
            operations=2 * 64 * outs * outs * each * taps * taps, tolerance=1e-3)  # fmt: skip
    add("conv2d_transpose 3x3", (1, 64, size // 2, size // 2), (64, 64, 3, 3),
        topi="nn.conv2d_transpose_nchw(a, b, 2, 1, None, 1)",
        torch="F.conv_transpose2d(a, b, None, 2, 1, 1)",
        onnx=("ConvTranspose", {"strides": [2, 2], "pads": [1] * 4, "output_padding": [1, 1]}),
        operations=2 * 64 * 64 * 9 * (size // 2) ** 2, tolerance=1e-3)  # fmt: skip
    n = 128 if quick else 512
    add("dense", (n, n), (n, n), (n,), topi="nn.dense(a, b, c)", numpy="a @ b.T + c",
        torch="F.linear(a, b, c)", jax="a @ b.T + c", onnx=("Gemm", {"transB": 1}),
        operations=2 * n**3, tolerance=1e-3)  # fmt: skip
    add("batch_matmul", (8, n // 2, n // 4), (8, n // 2, n // 4), topi="nn.batch_matmul(a, b)",
        numpy="a @ b.transpose(0, 2, 1)", torch="torch.bmm(a, b.transpose(1, 2))",
        jax="a @ b.transpose(0, 2, 1)", operations=2 * 8 * (n // 2) ** 2 * (n // 4),
        tolerance=1e-3)  # fmt: skip
    image = (1, 64, 2 * size, 2 * size)
    for kind, reduced, function, node in (
        ("max", "max", "max_pool2d", "MaxPool"), ("avg", "mean", "avg_pool2d", "AveragePool"),
    ):  # fmt: skip
        add(f"pool2d {kind} 2x2", image, topi=f'nn.pool2d(a, 2, 2, 1, 0, "{kind}")',
            torch=f"F.{function}(a, 2)",
            numpy=f"a.reshape(1, 64, {size}, 2, {size}, 2).{reduced}((3, 5))",
            onnx=(node, {"kernel_shape": [2, 2], "strides": [2, 2]}))  # fmt: skip
    add("global_pool", image, topi='nn.global_pool(a, "avg")', torch="F.adaptive_avg_pool2d(a, 1)",
        numpy="a.mean((2, 3), keepdims=True)", onnx=("GlobalAveragePool", {}))  # fmt: skip
    side = math.isqrt(mega)
    add("transpose 1M", (side, side), topi="transpose(a)", numpy="np.ascontiguousarray(a.T)",
        torch="a.T.contiguous()", jax="a.T", onnx=("Transpose", {"perm": [1, 0]}))  # fmt: skip
    add("concat 1M", (side, side // 2), (side, side // 2), topi="concatenate([a, b], 1)",
        numpy="np.concatenate([a, b], 1)", torch="torch.cat([a, b], 1)",
        jax="jnp.concatenate([a, b], 1)", onnx=("Concat", {"axis": 1}))  # fmt: skip
    add("take rows", (wide, 64), ((4096,), "int64", wide), topi="take(a, b, 0)", numpy="a[b]",
        torch="a[b]", jax="a[b]", onnx=("Gather", {"axis": 0}))  # fmt: skip
    add("one_hot", ((4096,), "int64", 256), topi='one_hot(a, 1, 0, 256, 1, "float32")',
        numpy="(a[:, None] == np.arange(256)).astype('float32')",
        torch="F.one_hot(a, 256).to(torch.float32)", jax="jax.nn.one_hot(a, 256)")  # fmt: skip
    add("resize bilinear", (1, 16, size, size),
        topi=f'image.resize2d(a, None, ({2 * size}, {2 * size}))',
        torch=f'F.interpolate(a, ({2 * size}, {2 * size}), mode="bilinear")',
        onnx=("Resize", {"mode": "linear"}),
        constants=(None, None, np.array([1, 16, 2 * size, 2 * size])))  # fmt: skip
    add("cumsum 1M", (side, side), topi="cumsum(a, 1)", numpy="a.cumsum(1)", torch="a.cumsum(1)",
        jax="a.cumsum(1)", onnx=("CumSum", {}), constants=(np.int64(1),),
        tolerance=1e-3)  # fmt: skip
    add("topk 100 of 64K", (4, wide), topi='topk(a, 100, ret_type="values")',
        numpy="-np.sort(np.partition(-a, 100)[:, :100])", torch="a.topk(100).values",
        jax="jax.lax.top_k(a, 100)[0]")  # fmt: skip
    add("sort 1M", (mega,), topi="sort(a)", numpy="np.sort(a)", torch="a.sort().values",
        jax="jnp.sort(a)")  # fmt: skip
    add("scatter_add", (wide,), ((mega,), "int64", wide), (mega,), topi="scatter_add(a, b, c)",
        numpy=f"a + np.bincount(b, c, {wide}).astype('float32')", torch="a.scatter_add(0, b, c)",
        jax="a.at[b].add(c)", onnx=("ScatterElements", {"axis": 0, "reduction": "add"}),
        tolerance=1e-3)  # fmt: skip
    heads = (1, 8, 64 if quick else 256, 64)
    add("attention", heads, heads, heads, topi="nn.attention(a, b, c)",
        torch="F.scaled_dot_product_attention(a, b, c)", operations=4 * 8 * heads[2] ** 2 * 64,
        tolerance=1e-3)  # fmt: skip
    add("quantize int8 1M", (mega,), ((), "positive", 1), ((), "int8", 5),
        topi="nn.quantize(a, b, c)",
        numpy='np.clip(np.rint(a / b) + c, -128, 127).astype("int8")',
        onnx=("QuantizeLinear", {}))  # fmt: skip
    return table


def arrays_of(row: Row) -> list[np.ndarray]:
    """The input arrays, the same in each run."""
    generator = np.random.default_rng(len(row.name))
    arrays: list[np.ndarray] = []
    for spec in row.shapes:
        if len(spec) == 3 and isinstance(spec[1], str):
            shape, kind, bound = spec
            drawn = (
                generator.uniform(0.5, 1 + float(bound), shape).astype("float32")
                if kind == "positive"
                else generator.integers(0, bound, shape).astype(str(kind))
            )
            arrays.append(np.asarray(drawn))
        else:
            arrays.append(generator.standard_normal(spec, dtype=np.float32))  # pyright: ignore
    return arrays


def of_kc(row: Row, arrays: Sequence[np.ndarray]) -> tuple[Callable[[], Any], Any, float, float]:
    """The call, its result, the bytes that it moves, and the build time in seconds."""
    import kc
    from kc import te, topi

    started = time.perf_counter()
    inputs = [
        te.placeholder(array.shape, str(array.dtype), letter)
        for array, letter in zip(arrays, "ABCDE", strict=False)
    ]
    names = {name: getattr(topi, name) for name in topi.__all__}
    out = eval(row.topi, {**names, **dict(zip("abcde", inputs, strict=False))})
    function = kc.build([*inputs, out])
    build = time.perf_counter() - started
    result = function(*arrays)  # allocates it, in numpy's type for the tensor's
    moved = sum(array.nbytes for array in arrays) + result.nbytes

    def call() -> Any:
        function(*arrays, result)
        return result

    return call, result, moved, build


def of_numpy(row: Row, arrays: Sequence[np.ndarray]) -> Callable[[], Any] | None:
    """numpy's call."""
    if not row.numpy:
        return None
    names = {"np": np, **dict(zip("abcde", arrays, strict=False))}
    code = compile(row.numpy, row.name, "eval")
    return lambda: eval(code, names)


def of_torch(row: Row, arrays: Sequence[np.ndarray]) -> Callable[[], Any] | None:
    """torch's call."""
    if not row.torch:
        return None
    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    tensors = [torch.from_numpy(array) for array in arrays]
    names = {"torch": torch, "F": torch.nn.functional, **dict(zip("abcde", tensors, strict=False))}
    code = compile(row.torch, row.name, "eval")

    def call() -> Any:
        with torch.no_grad():
            result = eval(code, names)
        return result

    return call


def of_jax(row: Row, arrays: Sequence[np.ndarray]) -> Callable[[], Any] | None:
    """JAX's compiled call."""
    if not row.jax:
        return None
    jax: Any = import_module("jax")
    names = {"jax": jax, "jnp": import_module("jax.numpy")}
    code = compile(row.jax, row.name, "eval")
    function = jax.jit(
        lambda *inputs: eval(code, {**names, **dict(zip("abcde", inputs, strict=False))})
    )
    inputs = [jax.numpy.asarray(array) for array in arrays]
    return lambda: function(*inputs).block_until_ready()


def of_onnxruntime(row: Row, arrays: Sequence[np.ndarray]) -> Callable[[], Any] | None:
    """The call of a model with one node."""
    if row.onnx is None:
        return None
    runtime: Any = import_module("onnxruntime")
    helper: Any = import_module("onnx.helper")
    numpy_helper: Any = import_module("onnx.numpy_helper")
    kind, attributes = row.onnx
    names = [f"X{n}" for n in range(len(arrays))]
    constants = [
        numpy_helper.from_array(np.asarray(value), f"C{n}")
        for n, value in enumerate(row.constants)
        if value is not None
    ]
    extra = [f"C{n}" if value is not None else "" for n, value in enumerate(row.constants)]
    infos = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in zip(names, arrays, strict=True)
    ]
    node = helper.make_node(kind, [*names, *extra], ["Y"], **attributes)
    graph = helper.make_graph(
        [node], "row", infos, [helper.make_empty_tensor_value_info("Y")], constants
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = runtime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    feeds = dict(zip(names, arrays, strict=True))
    return lambda: session.run(None, feeds)[0]


MAKERS = {"numpy": of_numpy, "torch": of_torch, "jax": of_jax, "onnxruntime": of_onnxruntime}


def peers_of(row: Row, arrays: Sequence[np.ndarray], result: Any) -> dict[str, Callable[[], Any]]:
    """The calls of the other systems, whose results match kc's within the row's tolerance."""
    calls: dict[str, Callable[[], Any]] = {}
    for system in SYSTEMS:
        try:
            call = MAKERS[system](row, arrays)
        except ImportError:
            continue
        if call is None:
            continue
        given = call()
        if hasattr(given, "float") and str(getattr(given, "dtype", "")) == "torch.bfloat16":
            given = given.float()
        theirs = np.asarray(given).astype("float64")
        scale = max(1.0, float(np.abs(theirs).max(initial=0)))
        np.testing.assert_allclose(
            np.asarray(result).astype("float64"), theirs, rtol=1e-3, atol=row.tolerance * scale,
            err_msg=f"{row.name}: {system}",
        )  # fmt: skip
        calls[system] = call
    return calls


def measured(
    row: Row, rounds: int, limits: dict[str, float], clock: Callable[[], float]
) -> dict[str, Any]:
    """The line of a row."""
    arrays = arrays_of(row)
    with np.errstate(all="ignore"):
        call, result, moved, build = of_kc(row, arrays)
        calls = {"kc": call, **peers_of(row, arrays, result)}
        times: dict[str, list[float]] = {system: [] for system in calls}
        for turn in range(rounds):
            for system in calls if turn % 2 == 0 else reversed([*calls]):
                seconds = cpu.measure(calls[system], clock)
                assert seconds is not None
                times[system].append(seconds)
    medians = {system: statistics.median(samples) for system, samples in times.items()}
    of_peers = [seconds for system, seconds in medians.items() if system != "kc"]
    needed = max(row.operations / limits["peak"], moved / limits["copy"])
    return {
        "name": row.name,
        "build": build,
        "operations": row.operations,
        "bytes": moved,
        "bound": needed,
        "bound_of": "operations" if row.operations / limits["peak"] == needed else "bytes",
        "medians": medians,
        "spread": {system: cpu.spread(samples) for system, samples in times.items()},
        "ratio": min(of_peers) / medians["kc"] if of_peers else None,
    }


def limits_of_the_machine(rounds: int) -> dict[str, float]:
    """The floating-point operations and bytes per second of this machine."""
    result = {}
    for name, key, make in (("peak", "operations", cpu.peak), ("copy", "bytes", cpu.copy)):
        call, facts = make()
        seconds = [cpu.measure(call, time.process_time) for _ in range(rounds)]
        result[name] = facts[key] / min(it for it in seconds if it is not None)
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.topi", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help="parts of names of rows")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--wall", action="store_true", help="the time that passes")
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    parser.add_argument("--write", action="store_true", help="keep it in benchmarks/results")
    options = parser.parse_args(argv)
    if hasattr(os, "sched_setaffinity"):  # of Linux
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    clock = time.perf_counter if options.wall else time.process_time
    limits = limits_of_the_machine(options.rounds)
    print(f"{cpu._cpu()}, 1 thread; peak {limits['peak'] / 1e9:.1f} GFLOP/s of f32, "
          f"copy {limits['copy'] / 1e9:.1f} GB/s")  # fmt: skip
    print(f"{'':<22}" + "".join(f"{name:>13}" for name in ("kc ms", *SYSTEMS))
          + "  best peer / kc  bound / kc  build ms")  # fmt: skip
    lines = []
    for row in rows(options.quick):
        if options.rows and not any(part in row.name for part in options.rows):
            continue
        line = measured(row, options.rounds, limits, clock)
        lines.append(line)
        cells = [line["medians"].get(system) for system in ("kc", *SYSTEMS)]
        text = "".join(f"{it * 1e3:13.4f}" if it else f"{'-':>13}" for it in cells)
        ratio = f"{line['ratio']:16.3g}" if line["ratio"] else f"{'-':>16}"
        share = line["bound"] / line["medians"]["kc"]
        print(f"{row.name:<22}{text}{ratio}{share:12.3g}{line['build'] * 1e3:10.0f}", flush=True)
    ratios = [line["ratio"] for line in lines if line["ratio"]]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"geometric mean of best peer / kc over {len(ratios)} rows: {mean:.2f}; "
              f"least {min(ratios):.2f}")  # fmt: skip
    if options.write:
        words = "".join(it if it.isalnum() else "-" for it in cpu._cpu().lower()).strip("-")
        file = ROOT / "benchmarks" / "results" / f"topi-{words}.json"
        content = {"cpu": cpu._cpu(), "threads": 1, "limits": limits, "rows": lines}
        file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        print(f"written to {file.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
