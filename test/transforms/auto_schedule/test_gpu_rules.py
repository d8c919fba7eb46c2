"""Each rule for GPUs on the programs that it is for: the steps, and results of kernels that the
emulator watches, against numpy.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from optional_tools import find

import kc
from kc import te, tir, topi
from kc.support.diagnostics import Diagnostic, diagnostic_handler
from kc.target import Target

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "peers"))
import cpu_rows  # noqa: E402

EMULATOR = Target("cuda-emu -arch=sm_80")
NUMPY = {"bfloat16": ml_dtypes.bfloat16, "float8_e4m3fn": ml_dtypes.float8_e4m3fn}

# Rows of benchmarks/cpu.py at sizes that no tile divides, and a step of the rule that takes them.
ROWS: dict[str, tuple[Callable[[], cpu_rows.Row], str]] = {
    "product": (cpu_rows.product(50, 39, 71), "decompose_reduction"),
    "softmax": (cpu_rows.softmax(5, 90), "set_scope"),
    "sum of rows": (cpu_rows.reduction("sum", 13, 100, 1), "threadIdx.y"),
    "transpose": (cpu_rows.copy_like("transpose", (45, 70)), "storage_align"),
}
SWEEP: dict[str, tuple[Callable[[], cpu_rows.Row], str]] = {
    "flat product": (cpu_rows.product(3, 200, 130), "bind"),
    "batched": (cpu_rows.product(17, 18, 21, batch=3), "decompose_reduction"),
    "gelu": (cpu_rows.product(33, 20, 40, act="gelu"), "decompose_reduction"),
    "layernorm": (cpu_rows.layernorm(5, 90), "set_scope"),
    "attention": (cpu_rows.attention(40, 12), "bind"),
    "exp": (cpu_rows.pointwise("exp", (11, 37)), "bind"),
    "cast": (cpu_rows.copy_like("cast", (9, 100)), "bind"),
    "broadcast": (cpu_rows.copy_like("broadcast", (9, 100)), "bind"),
    "convolution": (cpu_rows.convolution(2, 5, 19, 19, 3, 1), "decompose_reduction"),
    "strided": (cpu_rows.convolution(1, 3, 40, 18, 7, 3, 2), "decompose_reduction"),
    "depthwise": (cpu_rows.convolution(1, 6, 19, 6, 3, 1, depthwise=True), "bind"),
    "sum of columns": (cpu_rows.reduction("sum", 101, 43, 0), "bind"),
    "max of rows": (cpu_rows.reduction("max", 3, 700, 1), "bind"),
}
CASES = [*ROWS, *(pytest.param(name, marks=pytest.mark.sweep) for name in SWEEP)]


@pytest.mark.parametrize("name", CASES)
def test_results(name: str):
    make, step = (ROWS | SWEEP)[name]
    row = make()
    assert row.numpy is not None
    sch = kc.auto_schedule(row.tensors(), target=EMULATOR)
    assert step in sch.trace.as_python()
    output = np.full(row.shape, np.nan, row.dtype)
    report = kc.gpu.check(kc.build(sch, target=EMULATOR), *row.arrays, output)
    assert report.ok, str(report)
    np.testing.assert_allclose(output, row.numpy(), rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize(
    ("rows", "columns", "depth", "is_wide"),
    [
        (130, 72, 40, True),
        (70, 131, 33, False),
        pytest.param(256, 128, 32, True, marks=pytest.mark.sweep),
    ],
)
def test_threads_of_a_large_product_have_many_sums(
    rows: int, columns: int, depth: int, is_wide: bool, monkeypatch: pytest.MonkeyPatch
):
    """As on a GPU that one block keeps busy: two runs of four rows and of four columns, from
    operands that are copied by 16 bytes where rows begin at multiples of them."""
    monkeypatch.setattr("kc.transforms.auto_schedule.gpu.contraction.GRID", 1)
    args = product(rows, columns, depth, WORDS)
    sch = kc.auto_schedule(args, target=EMULATOR)
    script = sch.trace.as_python()
    assert script.count("factors=[None, 2, 16, 4]") >= (columns > 72) + 1
    assert 'thread_axis="vthread.y"' in script
    assert (script.count("sch.vectorize") == 2) is is_wide
    r = np.random.default_rng(0)
    a, b = (
        r.integers(-4, 5, shape).astype("float32") for shape in ((rows, depth), (depth, columns))
    )
    c = np.full((rows, columns), np.nan, "float32")
    report = kc.gpu.check(kc.build(sch, target=EMULATOR), a, b, c)
    assert report.ok, str(report)
    np.testing.assert_array_equal(c, a.astype("float64") @ b.astype("float64"))


def test_a_product_that_fills_a_gpu_keeps_its_sums_in_registers():
    """Not a thread for each result, whose operands all come from global memory."""
    script = kc.auto_schedule(product(4096, 4096, 4096, WORDS), target="cuda -arch=sm_90")
    assert "decompose_reduction" in script.trace.as_python()


@pytest.mark.parametrize("target", ["metal", "rocm -arch=gfx90a", "opencl"])
def test_others_have_no_tensor_cores(target: str):
    """Their products are those of threads: in tiles of shared memory."""
    A, B = (te.placeholder((64, 64), "float16", name=name) for name in "AB")
    product = topi.nn.dense(A, B, out_dtype="float32")
    calls = kc.auto_schedule([A, B, product], target).trace.as_python()
    assert "threadIdx.x" in calls
    assert '"shared"' in calls
    assert "tensorize" not in calls
    assert "tensorize" in kc.auto_schedule([A, B, product], EMULATOR).trace.as_python()


@pytest.mark.parametrize("axis", [pytest.param(0, marks=pytest.mark.sweep), 1])
def test_places_of_maxima(axis: int):
    row = cpu_rows.reduction("argmax", 31, 90, axis)()
    places = np.empty(row.shape, row.dtype)
    module = kc.build(row.tensors(), target=EMULATOR)
    report = kc.gpu.check(module, *row.arrays, places, np.empty(row.shape, "float32"))
    assert report.ok, str(report)
    assert row.numpy is not None
    np.testing.assert_array_equal(places, row.numpy())


def test_one_sum_of_many_numbers_is_made_by_many_blocks():
    n = 70_001
    A = te.placeholder((n,), "int32", name="A")
    k = te.reduce_axis((0, n), name="k")
    B = te.compute((), lambda: te.sum(A[k], axis=k), name="B")
    sch = kc.auto_schedule([A, B], target=EMULATOR)
    assert "rfactor" in sch.trace.as_python()
    numbers, total = np.arange(n, dtype="int32") % 1000, np.zeros((), "int32")
    kc.build(sch, target=EMULATOR)(numbers, total)
    assert total == numbers.sum()


# Loops that no other rule understands ------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "axis", "bound"),
    [
        ((5, 7), 1, 'sch.bind(loop=i0_i, thread_axis="threadIdx.x")'),
        pytest.param(
            (3, 40, 2), 1, 'sch.bind(loop=i0_i1_fused_i, thread_axis="threadIdx.x")',
            marks=pytest.mark.sweep,
        ),
        ((9,), 0, 'sch.bind(loop=i0, thread_axis="threadIdx.x")'),
    ],
)  # fmt: skip
def test_running_sums_have_a_thread_for_each_line(shape: tuple[int, ...], axis: int, bound: str):
    """A line of one tensor is one thread's, too."""
    numbers = np.arange(np.prod(shape), dtype="int32").reshape(shape) % 11
    A = te.placeholder(shape, "int32", name="A")
    args = [A, topi.cumsum(A, axis)]
    assert bound in kc.auto_schedule(args, target=EMULATOR).trace.as_python()
    sums = np.full(shape, -1, "int32")
    report = kc.gpu.check(kc.build(args, target=EMULATOR), numbers, sums)
    assert report.ok, str(report)
    np.testing.assert_array_equal(sums, np.cumsum(numbers, axis))


def test_iterations_that_share_memory_are_done_by_one_thread():
    """Both lines are sorted in the same buffers; the sums after them are threads' again."""
    numbers = np.array([[5, 1, 4, 4], [0, 9, -3, 2]], "float32")
    A = te.placeholder((2, 4), name="A")
    args = [A, topi.sum(topi.sort(A, 1), 0)]
    steps = kc.auto_schedule(args, target=EMULATOR).trace.as_python()
    assert (
        'values = sch.get_block(name="values")\n'
        'i0_1 = sch.get_loop(name="i0_1", block=values)\n'  # CPUs have i0, in vectors, instead
        "u = sch.add_unit_loop(block_or_loop=i0_1)\n"
        'sch.bind(loop=u, thread_axis="threadIdx.x")\n'
    ) in steps
    sums = np.zeros(4, "float32")
    report = kc.gpu.check(kc.build(args, target=EMULATOR), numbers, sums)
    assert report.ok, str(report)
    np.testing.assert_array_equal(sums, np.sort(numbers, 1).sum(0))


@te.hybrid.script
def _prefix(a):  # pyright: ignore
    sums = output_tensor((40,), "float32")  # pyright: ignore  # noqa: F821
    last = output_tensor((1,), "float32")  # pyright: ignore  # noqa: F821
    sums[0] = a[0]
    for i in range(39):
        sums[i + 1] = sums[i] + a[i + 1]
    last[0] = sums[39]
    return sums, last


def test_statements_that_stand_in_no_loop_are_done_by_one_thread():
    """With a warning for the loop that is long; the script gives the same program."""
    numbers = np.arange(40, dtype="float32")
    A = te.placeholder((40,), name="A")
    args = [A, *_prefix(A)]
    told: list[Diagnostic] = []
    with diagnostic_handler(told.append):
        function = kc.build(args, target=EMULATOR)
    assert [(it.code, it.kind, it.message, it.why, it.hints) for it in told] == [
        (
            "KC4229",
            "warning",
            "auto_schedule: one thread of the GPU runs loop i",
            "its iterations cannot be threads: sums at (i_i=0) writes _prefix_v0[1], which sums at "
            "(i_i=1) reads (for i_o = 0)",
            ("one thread is slower than a CPU: schedule the loop, or run it on the host",),
        )
    ]
    with diagnostic_handler(told.append):
        schedule = kc.auto_schedule(args, target=EMULATOR)
    again = tir.Schedule(kc.lower(te.create_schedule(args[1].op), args), target=EMULATOR)
    tir.Trace.from_python(schedule.trace.as_python()).apply_to(again)
    assert str(again.mod) == str(schedule.mod)
    sums, last = np.zeros(40, "float32"), np.zeros(1, "float32")
    report = kc.gpu.check(function, numbers, sums, last)
    assert report.ok, str(report)
    np.testing.assert_array_equal(sums, np.cumsum(numbers))
    assert last[0] == sums[-1]


@pytest.mark.parametrize(("width", "launched"), [(33, True), (3, False)])
def test_steps_of_a_recurrence(width: int, launched: bool):
    """The host launches a step's loops where they have threads enough; else one thread does all."""
    X = te.placeholder((4, width), name="X")
    state = te.placeholder((4, width), name="S")
    first = te.compute((1, width), lambda _, i: X[0, i], name="first")
    double = te.compute((4, width), lambda t, i: state[t - 1, i] * 2.0, name="double")
    step = te.compute((4, width), lambda t, i: double[t, i] + X[t, width - 1 - i], name="step")
    args = [X, te.scan(first, step, state, inputs=[X])]
    assert ("add_unit_loop" not in kc.auto_schedule(args, target=EMULATOR).trace.as_python()) is (
        launched
    )
    x = np.arange(4 * width, dtype="float32").reshape(4, width)
    expected = x.copy()
    for t in range(1, 4):
        expected[t] = expected[t - 1] * 2 + x[t, ::-1]
    result = np.zeros_like(x)
    report = kc.gpu.check(kc.build(args, target=EMULATOR), x, result)
    assert report.ok, str(report)
    np.testing.assert_array_equal(result, expected)


# Convolutions -----------------------------------------------------------------------------------


def convolution(
    image: tuple[int, int, int, int],
    outputs: int,
    window: int = 3,
    *,
    stride: int = 1,
    dtype: str = "float16",
    is_column: bool = False,
    has_relu: bool = False,
) -> list[te.Tensor]:
    """A convolution with contiguous channels; weights HWIO, or OHWI if ``is_column``."""
    n, height, width, inputs = image
    total = "int32" if dtype == "int8" else "float32"
    A = te.placeholder(image, dtype, name="A")
    shape = (outputs, window, window, inputs) if is_column else (window, window, inputs, outputs)
    W = te.placeholder(shape, dtype, name="W")
    edge = window // 2
    sides = (0, edge, edge, 0)
    P = topi.nn.pad(A, sides, sides, name="P") if edge else A
    y, x = te.reduce_axis((0, window), "y"), te.reduce_axis((0, window), "x")
    c = te.reduce_axis((0, inputs), "c")

    def element(b, i, j, o):
        weight = W[o, y, x, c] if is_column else W[y, x, c, o]
        value = P[b, i * stride + y, j * stride + x, c]
        return te.sum(value.astype(total) * weight.astype(total), axis=[y, x, c])

    rows, columns = ((size + stride - 1) // stride for size in (height, width))
    C = te.compute((n, rows, columns, outputs), element, name="C")
    if has_relu:
        relu = te.compute(C.shape, lambda *at: te.max(C[at], te.const(0, total)), name="R")
        return [A, W, relu]
    return [A, W, C]


CONVOLUTIONS = [
    (convolution((1, 4, 4, 32), 16, dtype="int8", is_column=True), "mma_sync_m16n8k32"),
    (convolution((1, 7, 9, 24), 16), "wgmma_sync_m64n16k16x4"),
    *(
        pytest.param(args, step, marks=pytest.mark.sweep)
        for args, step in (
            (convolution((2, 8, 8, 16), 32, has_relu=True), "mma_sync"),
            (
                convolution((2, 16, 8, 32), 16, stride=2, dtype="bfloat16", is_column=True),
                "mma_sync",
            ),
            (convolution((2, 8, 8, 32), 32, 1), "mma_sync"),
            (convolution((3, 4, 12, 16), 16, 5), "mma_sync"),
            (convolution((2, 8, 8, 16), 32, has_relu=True), "wgmma_sync"),
            (
                convolution((2, 16, 8, 32), 16, stride=2, dtype="bfloat16", is_column=True),
                "wgmma_sync",
            ),
            (convolution((2, 8, 8, 32), 32, 1), "wgmma_sync"),
            (convolution((2, 7, 9, 48), 24, dtype="int8", is_column=True), "wgmma_sync"),
            (convolution((2, 7, 9, 48), 32, dtype="int8"), "mma_sync_m16n8k32"),
        )
    ),
]


@pytest.mark.parametrize(("args", "step"), CONVOLUTIONS)
def test_convolutions_are_products(
    args: list[te.Tensor], step: str, request: pytest.FixtureRequest
):
    image, weight, result = args
    target = Target("cuda-emu -arch=sm_90a") if "wgmma" in step else EMULATOR
    sch = kc.auto_schedule(args, target=target)
    script = sch.trace.as_python()
    assert f'"{step}' in script
    assert "reindex" in script
    assert len(re.findall('thread_axis="blockIdx.x"', script)) == 1, "the padding is in the copy"
    r = np.random.default_rng(0)
    a, w = (r.integers(-4, 5, [int(size) for size in it.shape]) for it in (image, weight))
    given = [it.astype(NUMPY.get(image.dtype, image.dtype)) for it in (a, w)]
    c = np.zeros([int(size) for size in result.shape], result.dtype)
    module = kc.build(sch, target=target)
    if request.node.get_closest_marker("sweep") is not None:
        report = kc.gpu.check(module, *given, c)
        assert report.ok, str(report)
    else:
        module(*given, c)
    w = w if image.shape[3] == w.shape[2] and w.shape[0] == w.shape[1] else w.transpose(1, 2, 3, 0)
    edge = len(w) // 2
    padded = np.pad(a, ((0, 0), (edge, edge), (edge, edge), (0, 0)))
    stride = a.shape[1] // c.shape[1]
    expected = sum(
        padded[:, y : y + a.shape[1] : stride, x : x + a.shape[2] : stride] @ w[y, x]
        for y in range(len(w))
        for x in range(len(w))
    )
    np.testing.assert_array_equal(c, np.maximum(expected, 0) if result.op.name == "R" else expected)


@pytest.mark.each_row
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("channels", [32, 24])
def test_what_a_convolution_reads_is_copied_to_shared_memory_alone(channels: int, arch: str):
    """Neither its matrix nor the padded image is in global memory, whole tiles or not: all copies
    are ``cp.async``, which read 16 bytes or none."""
    module = kc.build(convolution((1, 7, 9, channels), 40), target=f"cuda -arch={arch}")
    (kernel,) = kc.gpu.resources(module)
    assert kernel.name == "main_kernel"
    ptx = module.imported_modules[0].get_source()
    assert "cp.async.cg.shared.global" in ptx
    assert "ld.global" not in ptx


@pytest.mark.parametrize(
    ("a", "w", "shape", "arch", "step"),
    [
        ((32, 8, 16), (128, 32), (32, 128, 32), "sm_80", "mma_sync"),
        ((10, 7, 120), (8, 15, 40), (70, 120, 40), "sm_80", "mma_sync"),
        ((128, 2, 64), (128, 128), (128, 128, 128), "sm_90a", "wgmma_sync"),
        ((64, 128), (8, 16, 64), (64, 128, 64), "sm_90a", "wgmma_sync"),
    ],
)
def test_reshaped_matrices_are_multiplied_by_tensor_cores(
    a: tuple[int, ...], w: tuple[int, ...], shape: tuple[int, int, int], arch: str, step: str
):
    """Operands that are read at digits of rows, columns or terms are gathered during the copy:
    their tiles are not boxes of the array.
    """
    rows, terms, columns = shape
    A, W = (te.placeholder(it, "float16", name=name) for it, name in ((a, "A"), (w, "W")))
    k = te.reduce_axis((0, terms), "k")
    left, right = topi.reshape(A, (rows, terms)), topi.reshape(W, (terms, columns))
    C = te.compute(
        (rows, columns),
        lambda i, j: te.sum(left[i, k].astype("float32") * right[k, j].astype("float32"), axis=k),
        name="C",
    )
    target = f"cuda-emu -arch={arch}"
    sch = kc.auto_schedule([A, W, C], target=target)
    assert f'"{step}_m' in sch.trace.as_python()
    r = np.random.default_rng(0)
    given = [r.integers(-4, 5, it).astype("float16") for it in (a, w)]
    c = np.zeros((rows, columns), "float32")
    kc.build(sch, target=target)(*given, c)
    x, y = (it.astype("float64") for it in given)
    np.testing.assert_array_equal(c, x.reshape(rows, terms) @ y.reshape(terms, columns))


@pytest.mark.sweep
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.skipif(find("ptxas") is None, reason="needs ptxas")
def test_a_large_convolution_has_no_spills(arch: str, tmp_path: Path):
    args = convolution((256, 14, 14, 256), 512)
    assert_no_spills(kc.auto_schedule(args, target=f"cuda -arch={arch}"), arch, tmp_path)


@pytest.mark.parametrize(
    ("window", "stride", "is_checked"),
    [
        (3, 1, False),
        *(pytest.param(*it, marks=pytest.mark.sweep) for it in ((1, 1, True), (5, 2, True))),
    ],
)
def test_a_convolution_of_nchw_with_a_bias_and_relu(window: int, stride: int, is_checked: bool):
    """Rows of the product are channels; lanes put its sums in their places, with the bias."""
    A = te.placeholder((4, 16, 6, 8), "float16", name="A")
    W = te.placeholder((16, 16, window, window), "float16", name="W")
    b = te.placeholder((16,), name="b")
    C = topi.nn.conv2d_nchw(A, W, stride, window // 2, 1, out_dtype="float32")
    zero = te.const(0, "float32")
    D = te.compute(C.shape, lambda *at: te.max(C[at] + b[at[1]], zero).astype("float16"), name="D")
    sch = kc.auto_schedule([A, W, b, D], target=EMULATOR)
    script = sch.trace.as_python()
    assert "mma_sync" in script
    assert script.count('thread_axis="blockIdx.x"') == 1 + (window > 1), "with one that pads"
    r = np.random.default_rng(0)
    a, w, bias = (r.integers(-4, 5, [int(size) for size in it.shape]) for it in (A, W, b))
    d = np.zeros([int(size) for size in D.shape], "float16")
    given = (a.astype("float16"), w.astype("float16"), bias.astype("float32"), d)
    module = kc.build(sch, target=EMULATOR)
    if is_checked:
        report = kc.gpu.check(module, *given)
        assert report.ok, str(report)
    else:
        module(*given)
    edge = window // 2
    padded = np.pad(a, ((0, 0), (0, 0), (edge, edge), (edge, edge)))
    sums = sum(
        np.einsum(
            "nchw,oc->nohw", padded[:, :, y : y + 6 : stride, x : x + 8 : stride], w[..., y, x]
        )
        for y in range(window)
        for x in range(window)
    )
    np.testing.assert_array_equal(d, np.maximum(sums + bias[:, None, None], 0))


@pytest.mark.sweep
def test_what_follows_a_product_is_done_in_its_kernel():
    """A bias of each column, a residual and gelu's neighbour, by the lanes of mma.sync."""
    A, B, C = product(32, 48, 64, HALVES)
    bias, rest = te.placeholder((48,), name="b"), te.placeholder((32, 48), "float16", name="r")
    D = te.compute(
        (32, 48),
        lambda i, j: (
            te.max(C[i, j] + bias[j], te.const(0, "float32")) + rest[i, j].astype("float32")
        ),
        name="D",
    )
    sch = kc.auto_schedule([A, B, bias, rest, D], target=EMULATOR)
    script = sch.trace.as_python()
    assert script.count('thread_axis="blockIdx.x"') == 1
    assert "mma_sync" in script
    r = np.random.default_rng(0)
    a, b, c, d = (r.integers(-4, 4, s) for s in ((32, 64), (64, 48), (48,), (32, 48)))
    given = a.astype("float16"), b.astype("float16"), c.astype("float32"), d.astype("float16")
    output = np.zeros((32, 48), "float32")
    report = kc.gpu.check(kc.build(sch, target=EMULATOR), *given, output)
    assert report.ok, str(report)
    np.testing.assert_array_equal(output, np.maximum(a @ b + c, 0) + d)


# Attention --------------------------------------------------------------------------------------


def attention(
    batch: int, heads: tuple[int, int], lengths: tuple[int, int], sizes: tuple[int, int], dtype: str
) -> list[te.Tensor]:
    """``heads`` of queries and of keys, numbers and sizes of queries and keys, and of values."""
    queries, keys = ((batch, *at) for at in zip(heads, lengths, strict=True))
    Q = te.placeholder((*queries, sizes[0]), dtype, name="Q")
    K = te.placeholder((*keys, sizes[0]), dtype, name="K")
    V = te.placeholder((*keys, sizes[1]), dtype, name="V")
    return [Q, K, V, topi.nn.attention(Q, K, V)]


ATTENTIONS = [
    (attention(1, (2, 1), (16, 96), (32, 16), "float16"), "sm_80", True),
    *(
        pytest.param(args, arch, is_online, marks=pytest.mark.sweep)
        for args, arch, is_online in (
            (attention(1, (2, 1), (8, 32), (16, 32), "float16"), "sm_80", False),
            (attention(2, (4, 2), (16, 64), (32, 64), "float16"), "sm_90a", True),
            (attention(1, (16, 4), (256, 192), (64, 128), "bfloat16"), "sm_80", True),
            (attention(1, (2, 1), (64, 96), (32, 16), "float16"), "sm_90a", True),
            (attention(1, (1, 1), (128, 192), (128, 64), "bfloat16"), "sm_90a", True),
            (attention(1, (2, 2), (12, 96), (24, 16), "float32"), "sm_80", False),
            (attention(1, (2, 2), (16, 32), (16, 16), "float16"), "sm_75", False),
        )
    ),
]


@pytest.mark.parametrize(("args", "arch", "is_online"), ATTENTIONS)
def test_attention_is_one_kernel(
    args: list[te.Tensor], arch: str, is_online: bool, request: pytest.FixtureRequest
):
    """Of those that the sweep alone has, also the script and what the emulator finds."""
    is_swept = request.node.get_closest_marker("sweep") is not None
    target = Target(f"cuda-emu -arch={arch}")
    sch = kc.auto_schedule(args, target=target)
    script = sch.trace.as_python()
    assert script.count('thread_axis="blockIdx.x"') == 1
    assert ("online_softmax" in script) is is_online
    has_groups = arch == "sm_90a" and int(args[0].shape[2]) % 64 == 0
    assert ("wgmma_sync" in script and "tma_load" in script) is has_groups
    if is_swept:
        again = tir.Schedule(te.create_prim_func(args), target=target)
        tir.Trace.from_python(script).apply_to(again)
        assert str(again.mod) == str(sch.mod)
    expect_attention(kc.build(sch, target=target), args, is_checked=is_swept)


def expect_attention(module: Any, args: list[te.Tensor], *, is_checked: bool = False) -> None:
    """Check that a kernel, watched if ``is_checked``, computes numpy's result."""
    r = np.random.default_rng(0)
    q, k, v, output = (
        r.standard_normal([int(size) for size in it.shape]).astype(NUMPY.get(it.dtype, it.dtype))
        for it in args
    )
    if is_checked:
        report = kc.gpu.check(module, q, k, v, output)
        assert report.ok, str(report)
    else:
        module(q, k, v, output)
    groups = q.shape[1] // k.shape[1]
    k, v = (np.repeat(it, groups, axis=1).astype("float64") for it in (k, v))
    scores = np.einsum("bhic,bhjc->bhij", q.astype("float64"), k) * q.shape[-1] ** -0.5
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    expected = np.einsum("bhij,bhjd->bhid", powers / powers.sum(-1, keepdims=True), v)
    tolerance = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5}[args[0].dtype]
    np.testing.assert_allclose(output.astype("float64"), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.each_row
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("groups", [2, 1], ids=["heads", "shared heads"])
def test_an_attention_of_any_sizes_is_products_of_padded_tiles(groups: int, arch: str):
    """Maxima of the rows of its scores read what goes on with them reads, too; heads of queries may
    share keys."""
    args = attention(1, (2, groups), (60, 64), (24, 40), "float16")
    target = Target(f"cuda-emu -arch={arch}")
    sch = kc.auto_schedule(args, target=target)
    script = sch.trace.as_python()
    product = '"wgmma_sync' if arch == "sm_90a" else '"mma_sync'
    assert len(re.findall(product, script)) == 2
    assert len(re.findall("sch.pad_einsum", script)) == 2
    expect_attention(kc.build(sch, target=target), args)


@pytest.mark.sweep
def test_a_masked_attention_by_tensor_cores():
    Q, K, V = (te.placeholder((1, 2, 32, 32), "float16", name=name) for name in "QKV")
    mask = te.placeholder((32, 32), name="mask")
    args = [Q, K, V, mask, topi.nn.attention(Q, K, V, mask, is_causal=True, softcap=5.0)]
    sch = kc.auto_schedule(args, target=EMULATOR)
    assert "online_softmax" in sch.trace.as_python()
    r = np.random.default_rng(0)
    q, k, v, output = (r.standard_normal((1, 2, 32, 32)).astype("float16") for _ in range(4))
    m = np.where(r.random((32, 32)) < 0.3, -np.inf, r.standard_normal((32, 32))).astype("float32")
    m[20, :16] = -np.inf  # nothing of the first part of the row
    m[21] = -np.inf
    report = kc.gpu.check(kc.build(sch, target=EMULATOR), q, k, v, m, output)
    assert report.ok, str(report)
    scores = np.einsum("bhic,bhjc->bhij", q.astype("float64"), k) * 32**-0.5
    scores = np.where(np.tri(32), 5 * np.tanh(scores / 5) + m, -np.inf)
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - scores.max(-1, keepdims=True))
    expected = np.einsum("bhij,bhjd->bhid", powers / powers.sum(-1, keepdims=True), v)
    assert np.isnan(expected[:, :, 21]).all()
    np.testing.assert_allclose(output.astype("float64"), expected, rtol=2e-3, atol=2e-3)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a"])
@pytest.mark.skipif(find("ptxas") is None, reason="needs ptxas")
def test_a_large_attention_has_no_spills(arch: str, dtype: str, tmp_path: Path):
    args = attention(1, (16, 16), (4096, 4096), (128, 128), dtype)
    assert_no_spills(kc.auto_schedule(args, target=f"cuda -arch={arch}"), arch, tmp_path)


@pytest.mark.sweep
def test_scores_that_shared_memory_has_no_room_for_are_in_global_memory():
    args = attention(1, (1, 1), (64, 16384), (64, 64), "float32")
    script = kc.auto_schedule(args, target="cuda -arch=sm_80").trace.as_python()
    assert script.count('thread_axis="blockIdx.x"') > 1


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float32", "float8_e4m3fn", "float8_e5m2"])
@pytest.mark.skipif(find("ptxas") is None, reason="needs ptxas")
def test_large_products_of_other_floats_have_no_spills_on_sm_100a(dtype: str, tmp_path: Path):
    A, B = (te.placeholder((2048, 2048), dtype, name=name) for name in "AB")
    k = te.reduce_axis((0, 2048), name="k")

    def element(i, j):
        return te.sum(A[i, k].astype("float32") * B[j, k].astype("float32"), axis=k)

    C = te.compute((2048, 2048), element, name="C")
    sch = kc.auto_schedule([A, B, C], target="cuda -arch=sm_100a -tf32")
    assert "mma_sync" in sch.trace.as_python()
    assert_no_spills(sch, "sm_100a", tmp_path)


def assert_no_spills(sch: tir.Schedule, arch: str, tmp_path: Path, kernels: int = 1) -> None:
    """So many kernels, whose values are all in registers."""
    code = tmp_path / "kernel.ptx"
    module = kc.build(sch, target=f"cuda -arch={arch}")
    code.write_text(module.imported_modules[0].get_source())
    said = subprocess.run(
        [str(find("ptxas")), f"-arch={arch}", "-v", "-o", str(tmp_path / "kernel"), str(code)],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    assert said.count("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") == kernels
    assert "C75" not in said  # products of warpgroups that wait for each other, and the like


# Tensor cores -----------------------------------------------------------------------------------


def product(
    m: int, n: int, depth: int, types: tuple[str, str], *, trans: bool = False, batch: int = 0
) -> list[te.Tensor]:
    """C = A * B, with B stored by columns if ``trans``; ``batch`` of them."""
    outer = (batch,) if batch else ()
    element, total = types
    A = te.placeholder((*outer, m, depth), element, name="A")
    B = te.placeholder((*outer, *((n, depth) if trans else (depth, n))), element, name="B")
    k = te.reduce_axis((0, depth), name="k")

    def sums(*index: Any) -> Any:
        *o, i, j = index
        a, b = A[(*o, i, k)], B[(*o, j, k) if trans else (*o, k, j)]
        return te.sum(a.astype(total) * b.astype(total), axis=k)

    return [A, B, te.compute((*outer, m, n), sums, name="C")]


HALVES = ("float16", "float32")
PRODUCTS = [
    (product(32, 48, 192, HALVES), True),
    *(
        pytest.param(args, tensorized, marks=pytest.mark.sweep)
        for args, tensorized in (
            (product(32, 48, 32, ("bfloat16", "float32"), trans=True, batch=2), True),
            (product(48, 64, 64, ("float16", "float16")), True),
            (product(64, 64, 128, HALVES, trans=True), True),
            (product(40, 48, 64, HALVES), True),  # 40 rows are no whole fragments
            (product(32, 32, 40, HALVES), True),
            (product(2, 32, 64, HALVES), False),
        )
    ),
]


@pytest.mark.parametrize(("args", "tensorized"), PRODUCTS)
def test_products_of_halves(args: list[te.Tensor], tensorized: bool):
    sch = kc.auto_schedule(args, target=EMULATOR)
    script = sch.trace.as_python()
    assert ("tensorize" in script) is tensorized
    again = tir.Schedule(te.create_prim_func(args), target=EMULATOR)
    tir.Trace.from_python(script).apply_to(again)
    assert str(again.mod) == str(sch.mod)
    r = np.random.default_rng(0)
    a, b, c = (
        (r.random([int(size) for size in it.shape]) - 0.5).astype(NUMPY.get(it.dtype, it.dtype))
        for it in args
    )
    report = kc.gpu.check(kc.build(sch, target=EMULATOR), a, b, c)
    assert report.ok, str(report)
    if tensorized:
        assert sum(it.bank_conflicts for it in report.sites if it.access == "read") == 0
    trans = int(args[1].shape[-1]) == int(args[0].shape[-1]) != int(args[1].shape[-2])
    right = np.swapaxes(b, -1, -2) if trans else b
    expected = a.astype("float64") @ right.astype("float64")
    tolerance = 2e-2 if args[2].dtype == "float16" else 1e-4
    np.testing.assert_allclose(c, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("arch", "rows", "depth"),
    [
        ("sm_80", 16, 64),
        ("sm_90a", 60, 50),
        pytest.param("sm_80", 33, 50, marks=pytest.mark.sweep),
        pytest.param("sm_90a", 64, 192, marks=pytest.mark.sweep),
    ],
)
def test_matrices_that_numbers_select_are_gathered_in_shared_memory(
    arch: str, rows: int, depth: int
):
    """A grouped product: each tile of rows is multiplied by one of three matrices."""
    A = te.placeholder((2, rows, depth), "float16", name="A")
    expert = te.placeholder((2,), "int32", name="expert")
    B = te.placeholder((3, depth, 32), "float16", name="B")
    own = te.compute((2, depth, 32), lambda t, k, j: B[expert[t], k, j], name="own")
    k = te.reduce_axis((0, depth), name="k")

    def term(t: te.Var, i: te.Var, j: te.Var) -> te.PrimExpr:
        return te.sum(A[t, i, k].astype("float32") * own[t, k, j].astype("float32"), axis=k)

    args = [A, expert, B, te.compute((2, rows, 32), term, name="C")]
    target = Target(f"cuda-emu -arch={arch}")
    sch = kc.auto_schedule(args, target=target)
    script = sch.trace.as_python()
    copy = "own" if depth % 16 == 0 else "own_pad_1"
    assert f'sch.set_scope(block={copy}, buffer_index=0, storage_scope="shared")' in script
    assert script.count("blockIdx.x") == 1
    assert ("wgmma_sync" if arch == "sm_90a" else '"mma_sync') in script
    r = np.random.default_rng(0)
    shapes = (2, rows, depth), (3, depth, 32)
    a, b = (r.integers(-4, 4, shape).astype("float16") for shape in shapes)
    numbers, c = np.array([2, 0], "int32"), np.zeros((2, rows, 32), "float32")
    report = kc.gpu.check(kc.build(sch, target=target), a, numbers, b, c)
    assert report.ok, str(report)
    np.testing.assert_array_equal(c, a.astype("float64") @ b.astype("float64")[numbers])


WORDS = ("float32", "float32")
OTHER_TYPES = [
    (product(16, 32, 32, WORDS), "sm_80 -tf32", "mma_sync_m16n8k8_tf32tf32f32"),
    *(
        pytest.param(args, arch, step, marks=pytest.mark.sweep)
        for args, arch, step in (
            (product(16, 32, 32, WORDS, trans=True), "sm_90a -tf32", "tf32tf32f32_trans"),
            (product(16, 32, 32, WORDS), "sm_80", None),
            (product(32, 48, 64, ("int8", "int32"), trans=True), "sm_80", "m16n8k32_s8s8s32_trans"),
            (product(32, 48, 64, ("int8", "int32")), "sm_80", "m16n8k32_s8s8s32"),
            (product(32, 48, 64, ("float8_e4m3fn", "float32")), "sm_89", "m16n8k32_e4m3e4m3f32"),
            (product(32, 48, 64, ("float8_e4m3fn", "float32")), "sm_89 -ptx=80", None),
        )
    ),
]


@pytest.mark.parametrize(("args", "arch", "step"), OTHER_TYPES)
def test_products_of_other_types(args: list[te.Tensor], arch: str, step: str | None):
    """tf32, where the target allows it, bytes and floats of eight bits: these numbers are exact."""
    target = Target(f"cuda-emu -arch={arch}")
    sch = kc.auto_schedule(args, target=target)
    script = sch.trace.as_python()
    assert step in script if step else "tensorize" not in script
    r = np.random.default_rng(0)
    a, b, c = (
        r.integers(-4, 4, [int(size) for size in it.shape]).astype(NUMPY.get(it.dtype, it.dtype))
        for it in args
    )
    report = kc.gpu.check(kc.build(sch, target=target), a, b, c)
    assert report.ok, str(report)
    right = b.T if b.shape[0] != a.shape[1] or "_trans" in script else b
    np.testing.assert_array_equal(c, a.astype("float64") @ right.astype("float64"))


@pytest.mark.parametrize("arch", ["sm_80", pytest.param("sm_90a", marks=pytest.mark.sweep)])
@pytest.mark.skipif(find("ptxas") is None, reason="needs ptxas")
def test_large_products_have_no_spills(arch: str, tmp_path: Path):
    target = Target(f"cuda -arch={arch}")
    args = product(4096, 4096, 4096, HALVES)
    sch = kc.auto_schedule(args, target=target)
    assert "software_pipeline_async_stages" in sch.trace.as_python()
    assert_no_spills(sch, arch, tmp_path)


# What an instruction of the loop over k may be: products, copies, waits, and integers, by which
# addresses are computed.
MAIN_LOOP = re.compile(
    r"HGMMA|UTMALDG|WARPGROUP|SYNCS|BAR|BRA|BSSY|BSYNC|NOP|R2UR|WARPSYNC|ELECT|PLOP3"
    r"|U?(MOV|IADD3|LEA|SHF|LOP3|SGXT|ISETP|SEL)|IMAD|VIADD|S2R|ULDC|PRMT|CS2R|UPLOP3"
)


@pytest.mark.sweep
@pytest.mark.skipif(None in (find("ptxas"), find("nvdisasm")), reason="needs ptxas and nvdisasm")
def test_the_loop_over_k_has_products_copies_and_addresses_alone(tmp_path: Path):
    """No thread loads or stores between products, in the machine code of sm_90a; and none stores
    results, which the copy unit does."""
    target = Target("cuda -arch=sm_90a")
    A, B, C = product(4096, 4096, 4096, HALVES, trans=True)
    D = te.compute(C.shape, lambda i, j: C[i, j].astype("float16"), name="D")
    assert_no_spills(kc.auto_schedule([A, B, D], target=target), "sm_90a", tmp_path)
    code = subprocess.run(
        [str(find("nvdisasm")), "-c", str(tmp_path / "kernel")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = [line.strip() for line in code.splitlines()]
    labels = {line[:-1]: n for n, line in enumerate(lines) if line.startswith(".L_")}
    jumps = [
        (labels[jump[1]], n)
        for n, line in enumerate(lines)
        if (jump := re.search(r"BRA `\((\.L_\w+)\)", line)) and jump[1] in labels
    ]
    loops = [lines[begin:end] for begin, end in jumps if begin < end]
    products = [loop for loop in loops if any("HGMMA" in line for line in loop)]
    inmost = min(products, key=len)
    names = [
        instruction[1]
        for line in inmost
        if (instruction := re.match(r"/\*\w+\*/\s+(?:@!?U?P\d+ )?([A-Z]\w*)", line))
    ]
    assert names.count("HGMMA") >= 4
    assert sorted({name for name in names if not MAIN_LOOP.match(name)}) == []
    assert sum("UTMALDG" in line for loop in loops for line in loop) >= 2
    for name in ("UTMALDG.2D.MULTICAST", "UTMASTG.2D", "STSM.16.M88.4", "USETMAXREG"):
        assert name in code
    assert "STG" not in code.replace("UTMASTG", "")


GROUPS = [
    product(64, 32, 96, HALVES),
    *(
        pytest.param(args, marks=pytest.mark.sweep)
        for args in (
            product(128, 128, 192, HALVES, batch=2),
            product(64, 96, 64, ("bfloat16", "float32"), trans=True),
            product(64, 32, 64, ("float16", "float16")),
            product(128, 64, 256, ("int8", "int32"), trans=True),
            product(64, 32, 128, ("float8_e4m3fn", "float32"), trans=True),
        )
    ),
]


@pytest.mark.parametrize("args", GROUPS)
def test_products_by_warpgroups(args: list[te.Tensor]):
    target = "cuda-emu -arch=sm_90a"
    sch = kc.auto_schedule(args, target=target)
    assert "wgmma_sync" in sch.trace.as_python()
    assert sch.trace.as_python().count("tma_load") == 2
    r = np.random.default_rng(0)
    a, b, c = (
        r.integers(-4, 4, [int(size) for size in it.shape]).astype(NUMPY.get(it.dtype, it.dtype))
        for it in args
    )
    report = kc.gpu.check(kc.build(sch, target=target), a, b, c)
    assert report.ok, str(report)
    right = np.swapaxes(b, -1, -2) if b.shape[-1] == a.shape[-1] != b.shape[-2] else b
    np.testing.assert_array_equal(c, a.astype("float64") @ right.astype("float64"))


@pytest.mark.sweep
def test_blocks_below_each_other_copy_for_each_other(monkeypatch: pytest.MonkeyPatch):
    """Eight tiles by four blocks, two of which are a cluster: halves, stored by the copy unit."""
    monkeypatch.setattr("kc.transforms.auto_schedule.gpu.warpgroups.GRID", 4)
    monkeypatch.setattr("kc.transforms.auto_schedule.gpu.warpgroups.COLUMNS", (16,))
    A, B, C = product(256, 32, 48, HALVES, trans=True)
    D = te.compute(C.shape, lambda i, j: C[i, j].astype("float16"), name="D")
    sch = kc.auto_schedule([A, B, D], target="cuda-emu -arch=sm_90a")
    steps = sch.trace.as_python()
    assert 'ann_key="cluster_dim", ann_val=2' in steps
    assert "tma_store_128x16_f16_shared" in steps
    r = np.random.default_rng(0)
    a, b = (r.integers(-4, 4, shape).astype("float16") for shape in ((256, 48), (32, 48)))
    d = np.zeros((256, 32), "float16")
    report = kc.gpu.check(kc.build(sch, target="cuda-emu -arch=sm_90a"), a, b, d)
    assert report.ok, str(report)
    np.testing.assert_array_equal(
        d, (a.astype("float64") @ b.T.astype("float64")).astype("float16")
    )


def test_few_blocks_take_all_tiles(monkeypatch: pytest.MonkeyPatch):
    """As on a GPU with two multiprocessors: four tiles by two blocks."""
    monkeypatch.setattr("kc.transforms.auto_schedule.gpu.warpgroups.GRID", 2)
    monkeypatch.setattr("kc.transforms.auto_schedule.gpu.warpgroups.COLUMNS", (8,))
    target = "cuda-emu -arch=sm_90a"
    args = product(256, 16, 48, HALVES, trans=True)
    sch = kc.auto_schedule(args, target=target)
    steps = sch.trace.as_python()
    assert "software_pipeline_warp_specialize" in steps
    assert 'thread_axis="blockIdx.y"' not in steps
    r = np.random.default_rng(0)
    a, b = (r.integers(-4, 4, shape).astype("float16") for shape in ((256, 48), (16, 48)))
    c = np.zeros((256, 16), "float32")
    report = kc.gpu.check(kc.build(sch, target=target), a, b, c)
    assert report.ok, str(report)
    np.testing.assert_array_equal(c, a.astype("float64") @ b.T.astype("float64"))
    assert report.barriers == 2


def test_arrays_that_have_no_tensor_map_are_copied_by_threads():
    """A map has at most five dimensions."""
    batch = (2, 1, 2, 1)
    A = te.placeholder((*batch, 64, 64), "float16", name="A")
    B = te.placeholder((*batch, 64, 32), "float16", name="B")
    k = te.reduce_axis((0, 64), name="k")

    def term(*at: te.Var) -> te.PrimExpr:
        *outer, i, j = at
        return te.sum(A[(*outer, i, k)].astype("float32") * B[(*outer, k, j)], axis=k)

    C = te.compute((*batch, 64, 32), term, name="C")
    steps = kc.auto_schedule([A, B, C], target="cuda-emu -arch=sm_90a").trace.as_python()
    assert "wgmma_sync" in steps
    assert "tma_load" not in steps
    assert "vectorize" in steps


def test_an_old_gpu_has_other_tiles():
    sch = kc.auto_schedule(product(32, 48, 64, HALVES), target=Target("cuda-emu -arch=sm_75"))
    assert "tensorize" not in sch.trace.as_python()
    assert "decompose_reduction" in sch.trace.as_python()
