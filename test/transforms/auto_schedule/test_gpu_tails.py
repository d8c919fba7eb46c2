"""Products and convolutions of any sizes by tensor cores: kernels that the emulator watches against
numpy, and machine code without spills."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from optional_tools import find

import kc
from kc import te, tir, topi
from kc.analysis.interpreter.running import run
from kc.support.diagnostics import ScheduleError
from kc.target import Target

NUMPY = {"bfloat16": ml_dtypes.bfloat16, "float8_e4m3fn": ml_dtypes.float8_e4m3fn}
SIZES = (1, 7, 8, 15, 16, 17, 31, 33, 40, 63, 64, 65, 72, 96, 100, 127, 129, 136)


class Product:
    """C = A * B of sizes m, n, k, of which ``symbols`` are given at a call; B may be stored by
    columns, and ``after`` (bias, relu, half) follows."""

    def __init__(
        self,
        size: tuple[int, int, int],
        dtype: str = "float16",
        *,
        trans: bool = False,
        batch: int | None = None,
        symbols: str = "",
        after: tuple[str, ...] = (),
    ) -> None:
        self.size, self.dtype, self.trans, self.batch = size, dtype, trans, batch
        self.symbols, self.after = symbols, after
        self.total = "int32" if dtype == "int8" else "float32"

    def __repr__(self) -> str:
        words = [*map(str, self.size), self.dtype, *self.after]
        words += ["trans"] * self.trans + [f"batch{self.batch}"] * bool(self.batch)
        return "-".join([*words, *([f"symbolic_{self.symbols}"] * bool(self.symbols))])

    def tensors(self) -> list[te.Tensor]:
        m, n, k = (
            te.var(name) if name in self.symbols else size
            for name, size in zip("mnk", self.size, strict=True)
        )
        outer = () if self.batch is None else (self.batch,)
        A = te.placeholder((*outer, m, k), self.dtype, name="A")
        B = te.placeholder((*outer, *((n, k) if self.trans else (k, n))), self.dtype, name="B")
        r = te.reduce_axis((0, k), name="r")

        def sums(*at: Any) -> Any:
            *o, i, j = at
            a, b = A[(*o, i, r)], B[(*o, j, r) if self.trans else (*o, r, j)]
            return te.sum(a.astype(self.total) * b.astype(self.total), axis=r)

        args, last = [A, B], te.compute((*outer, m, n), sums, name="C")
        if "bias" in self.after:
            args.append(bias := te.placeholder((n,), self.total, name="bias"))
            C = last
            last = te.compute(C.shape, lambda *at: C[at] + bias[at[-1]], name="D")
        if "relu" in self.after:
            D, zero = last, te.const(0, self.total)
            last = te.compute(D.shape, lambda *at: te.max(D[at], zero), name="E")
        if "half" in self.after:
            E = last
            last = te.compute(E.shape, lambda *at: E[at].astype("float16"), name="F")
        return [*args, last]

    def arrays(self, size: tuple[int, int, int]) -> tuple[list[npt.NDArray[Any]], Any]:
        """Small whole numbers, of which all sums are exact, and what is to come out."""
        m, n, k = size
        r = np.random.default_rng(m * n + k)
        outer = () if self.batch is None else (self.batch,)

        def draw(*shape: int, dtype: str) -> Any:
            return r.integers(-4, 5, shape).astype(NUMPY.get(dtype, dtype))

        a = draw(*outer, m, k, dtype=self.dtype)
        b = draw(*outer, *((n, k) if self.trans else (k, n)), dtype=self.dtype)
        right = np.swapaxes(b, -1, -2) if self.trans else b
        expected = a.astype("float64") @ right.astype("float64")
        arrays = [a, b]
        if "bias" in self.after:
            arrays.append(draw(n, dtype=self.total))
            expected += arrays[-1]
        if "relu" in self.after:
            expected = np.maximum(expected, 0)
        return arrays, expected.astype("float16" if "half" in self.after else self.total)

    def check(self, target: str, *steps: str, calls: Any = None) -> tir.Schedule:
        """Run the default schedule, watched, which has certain steps, for sizes of calls."""
        args = self.tensors()
        sch = kc.auto_schedule(args, target=target)
        script = sch.trace.as_python()
        for step in steps:
            assert step in script, script
        function = kc.build(sch, target=target)
        for size in calls or [self.size]:
            arrays, expected = self.arrays(size)
            output = np.full(expected.shape, 99, expected.dtype)
            report = kc.gpu.check(function, *arrays, output)
            assert report.ok, str(report)
            np.testing.assert_array_equal(output, expected)
            for verdicts in report.verdicts:
                assert all(it.is_clean is not False for it in verdicts.safety), str(report)
        return sch


EMULATED = "cuda-emu -arch=sm_80"
HOPPER = "cuda-emu -arch=sm_90a"
CASES = [
    (Product((65, 63, 129)), EMULATED, ["pad_einsum", "mma_sync"], None),
    (
        Product((100, 24, 136), symbols="m"),
        EMULATED,
        ["pad_einsum", "mma_sync", "software_pipeline_async_stages"],
        [(0, 24, 136), (1, 24, 136), (65, 24, 136)],
    ),
    (
        Product((70, 24, 232), trans=True, after=("bias", "relu", "half")),
        HOPPER,
        ["pad_einsum", "wgmma_sync", "tma_load", "software_pipeline_warp_specialize"],
        None,
    ),
    (
        Product((64, 24, 64), batch=2, after=("bias", "half")),
        HOPPER,
        ["wgmma_sync", "tma_load"],
        None,
    ),
    (
        Product((70, 24, 136), symbols="m"),
        HOPPER,
        ["wgmma_sync", "tma_load"],
        [(0, 24, 136), (3, 24, 136), (129, 24, 136)],
    ),
]
SWEEP = [
    (Product((33, 31, 33), symbols="mnk"), EMULATED, ["storage_align", "mma_sync"],
     [(1, 1, 1), (129, 63, 65), (3, 0, 200), (3, 4, 0)]),
    (Product((70, 31, 65), symbols="mnk"), HOPPER, ["storage_align", "mma_sync"], [(7, 63, 65)]),
    (Product((65, 63, 129)), HOPPER, ["wgmma_sync"], None),
    (Product((100, 104, 104), trans=True, batch=3), HOPPER, ["wgmma_sync", "tma_load"], None),
    (Product((100, 72, 112), "int8", trans=True), HOPPER, ["wgmma_sync", "tma_load"], None),
    (Product((100, 72, 100), "int8", after=("bias", "relu")), EMULATED, ["mma_sync"], None),
    (Product((33, 24, 40), "float8_e4m3fn"), "cuda-emu -arch=sm_89", ["e4m3e4m3f32"], None),
    (Product((65, 31, 17), "bfloat16", trans=True, batch=3), EMULATED, ["mma_sync"], None),
    (Product((31, 17, 33), "float32"), f"{EMULATED} -tf32", ["tf32tf32f32"], None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("product", "target", "steps", "calls"),
    [*CASES, *(pytest.param(*case, marks=pytest.mark.sweep) for case in SWEEP)],
    ids=lambda it: repr(it) if isinstance(it, Product) else "",
)
def test_products(product: Product, target: str, steps: list[str], calls: Any):
    product.check(target, *steps, calls=calls)


def draw(random: Random) -> tuple[Product, str, Any]:
    dtype = random.choice(("float16", "bfloat16", "int8"))
    symbols = "".join(name for name in "mnk" if random.random() < 0.25)
    size = random.choice(SIZES), random.choice(SIZES), random.choice(SIZES)
    calls = [
        tuple(random.choice(SIZES) if name in symbols else own for name, own in zip("mnk", size))  # noqa: B905
        for _ in range(2 if symbols else 1)
    ]
    after = random.choice(((), (), ("bias",), ("relu",), ("bias", "relu")))
    product = Product(
        size,
        dtype,
        trans=random.random() < 0.5,
        batch=random.choice((None, None, None, 2)),
        symbols=symbols,
        after=after,
    )
    return product, random.choice((EMULATED, HOPPER, "cuda-emu -arch=sm_100a")), calls


@pytest.mark.parametrize(
    "seed", [1, 3, *(pytest.param(n, marks=pytest.mark.sweep) for n in (2, *range(4, 40)))]
)
def test_random_products(seed: int):
    product, target, calls = draw(Random(seed))
    product.check(target, calls=calls)


def test_a_few_rows_are_left_to_threads():
    """Tensor cores would mostly multiply zeros."""
    assert "tensorize" not in Product((2, 64, 64)).check(EMULATED).trace.as_python()


@pytest.mark.parametrize("waves", [2, pytest.param(8, marks=pytest.mark.sweep)])
def test_few_blocks_take_tiles_that_are_not_full(waves: int, monkeypatch: pytest.MonkeyPatch):
    """As on a GPU with few multiprocessors."""
    monkeypatch.setattr("kc.transforms.auto_schedule.gpu.warpgroups.GRID", waves)
    monkeypatch.setattr("kc.transforms.auto_schedule.gpu.warpgroups.COLUMNS", (8,))
    product = Product((250, 16, 136), trans=True)
    steps = product.check(HOPPER, "pad_einsum", "tma_load").trace.as_python()
    assert ('thread_axis="blockIdx.y"' not in steps) is (waves == 2)


def by_hand(m: int | None, n: int, k: int) -> tir.Schedule:
    """A product by ``mma.sync``, of any number of rows unless ``m`` is given: docs/gpu.md."""
    symbols = "" if m is not None else "m"
    args = Product((m or 0, n, k), symbols=symbols).tensors()
    sch = tir.Schedule(te.create_prim_func(args), target=Target(EMULATED))
    *pads, crop = sch.pad_einsum("C", [64, 64, 64])
    i, j = sch.get_loops(crop)
    by, wy, i = sch.split(i, [None, 2, 32])
    bx, wx, j = sch.split(j, [None, 2, 32])
    sch.reorder(by, bx, wy, wx, i, j)
    axes = "blockIdx.y", "blockIdx.x", "threadIdx.z", "threadIdx.y"
    for loop, axis in zip((by, bx, wy, wx), axes, strict=True):
        sch.bind(loop, axis)
    sch.set_scope("C", 0, "m16n8k16.matrixC")
    sch.compute_at("C", wx)
    i, j, r = sch.get_loops("C")[-3:]
    i_o, i = sch.split(i, [None, 16])
    j_o, j = sch.split(j, [None, 8])
    k_o, k_i, r = sch.split(r, [None, 4, 16])
    sch.reorder(k_o, k_i, i_o, j_o, i, j, r)
    for number, (pad, matrix, rows, columns) in enumerate(
        ((pads[0], "a", 16, 16), (pads[1], "b", 16, 8))
    ):
        sch.set_scope(pad, 0, "shared")
        held = sch.cache_read("C", number, f"m16n8k16.matrix{matrix.upper()}")
        sch.compute_at(held, k_i)
        sch.compute_at(pad, k_o)
        sch.transform_layout(pad, 0, lambda i, j: [i, (j // 8 ^ i % 8) * 8 + j % 8])
        x, y = sch.get_loops(held)[-2:]
        x_o, x = sch.split(x, [None, rows])
        y_o, y = sch.split(y, [None, columns])
        sch.reorder(x_o, y_o, x, y)
        sch.tensorize(x, f"mma_load_m16n8k16_f16_{matrix}_shared")
        _, z, y, x, vector = sch.split(sch.fuse(*sch.get_loops(pad)[-2:]), [None, 2, 2, 32, 8])
        for loop, axis in ((z, "threadIdx.z"), (y, "threadIdx.y"), (x, "threadIdx.x")):
            sch.bind(loop, axis)
        sch.vectorize(vector)
    sch.decompose_reduction("C", k_o)
    sch.tensorize(sch.get_loops("C_init")[-2], "mma_fill_m16n8k16_f32")
    sch.tensorize(i, "mma_sync_m16n8k16_f16f16f32")
    sch.annotate(k_o, "software_pipeline_stage", [0, 0, 2])
    sch.annotate(k_o, "software_pipeline_async_stages", [0])
    return sch


@pytest.mark.parametrize(
    ("m", "calls"), [(100, [100]), pytest.param(None, [1, 65], marks=pytest.mark.sweep)]
)
def test_a_schedule_by_hand(m: int | None, calls: list[int]):
    n, k = 104, 200
    function = kc.build(by_hand(m, n, k), target=EMULATED)
    for rows in calls:
        arrays, expected = Product((rows, n, k)).arrays((rows, n, k))
        output = np.full(expected.shape, np.nan, "float32")
        report = kc.gpu.check(function, *arrays, output)
        assert report.ok, str(report)
        np.testing.assert_array_equal(output, expected)
        assert report.sites[0].access == "copied"
        if m is not None:
            (verdicts,) = report.verdicts
            proven = {it.kind for it in verdicts.safety if it.is_clean}
            assert {"race", "out-of-bounds", "misaligned"} <= proven, str(report)


# Machine code -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arch", "symbols"),
    [
        ("sm_80", "m"),
        ("sm_90a", "m"),
        *(pytest.param(arch, "", marks=pytest.mark.sweep) for arch in ("sm_80", "sm_90a")),
        pytest.param("sm_100a", "m", marks=pytest.mark.sweep),
    ],
)
@pytest.mark.skipif(find("ptxas") is None, reason="needs ptxas")
def test_large_products_have_no_spills(arch: str, symbols: str, tmp_path: Path):
    """Nor does the assembler report that products wait for each other."""
    product = Product((4001, 4008, 4008), symbols=symbols)
    module = kc.build(product.tensors(), target=f"cuda -arch={arch}")
    ptx = module.imported_modules[0].get_source()
    (tmp_path / "kernel.ptx").write_text(ptx)
    command = [str(find("ptxas")), f"-arch={arch}", "-v", "kernel.ptx", "-o", "kernel"]
    log = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "0 bytes spill stores, 0 bytes spill loads" in log.stderr
    assert not re.search(r"C75\d\d", log.stderr)
    if arch == "sm_90a":
        assert "wgmma.mma_async" in ptx
        assert "cp.async.bulk.tensor.2d.shared" in ptx
    else:
        assert "mma.sync" in ptx
        assert re.search(r"cp\.async\.cg\.shared\.global \[%r\w+\], \[%rd\w+\], 16, %r\w+;", ptx)
        assert "st.shared" not in ptx
    assert re.search(r"st\.global\.(v2|b64)", ptx)


# Convolutions -----------------------------------------------------------------------------------


CONVOLUTIONS = [
    ((1, 7, 7, 32), 20, "NHWC"),
    *(
        pytest.param(*case, marks=pytest.mark.sweep)
        for case in (((2, 5, 5, 24), 16, "NHWC"), ((1, 7, 7, 16), 24, "NCHW"))
    ),
]


@pytest.mark.parametrize("target", [EMULATED, pytest.param(HOPPER, marks=pytest.mark.sweep)])
@pytest.mark.parametrize(("image", "outputs", "layout"), CONVOLUTIONS)
def test_convolutions(image: tuple[int, int, int, int], outputs: int, layout: str, target: str):
    """Their positions, and their channels, are no whole fragments; with a relu."""
    n, height, width, inputs = image
    y, x, c = (
        te.reduce_axis((0, size), name) for size, name in ((3, "y"), (3, "x"), (inputs, "c"))
    )
    is_last = layout == "NHWC"
    A = te.placeholder(image if is_last else (n, inputs, height, width), "float16", name="A")
    shape = (outputs, 3, 3, inputs) if is_last else (outputs, inputs, 3, 3)
    W = te.placeholder(shape, "float16", name="W")
    edge = (0, 1, 1, 0) if is_last else (0, 0, 1, 1)
    P = topi.nn.pad(A, edge, edge, name="P")

    def term(*at: Any) -> Any:
        b, i, j, o = at if is_last else (at[0], at[2], at[3], at[1])
        value = P[(b, i + y, j + x, c) if is_last else (b, c, i + y, j + x)]
        weight = W[(o, y, x, c) if is_last else (o, c, y, x)]
        return te.sum(value.astype("float32") * weight.astype("float32"), axis=[y, x, c])

    out = (n, height, width, outputs) if is_last else (n, outputs, height, width)
    C = te.compute(out, term, name="C")
    relu = te.compute(out, lambda *at: te.max(C[at], te.const(0, "float32")), name="R")
    sch = kc.auto_schedule([A, W, relu], target=target)
    assert "pad_einsum" in sch.trace.as_python()
    assert "mma_sync" in sch.trace.as_python()
    r = np.random.default_rng(0)
    a, w = (r.integers(-4, 5, [int(size) for size in it.shape]).astype("float16") for it in (A, W))
    images = (a if is_last else a.transpose(0, 2, 3, 1)).astype("float64")
    weights = (w if is_last else w.transpose(0, 2, 3, 1)).astype("float64")
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    expected = sum(
        padded[:, dy : dy + height, dx : dx + width] @ weights[:, dy, dx].T
        for dy in range(3)
        for dx in range(3)
    )
    expected = np.maximum(expected, 0)
    output = np.full(out, np.nan, "float32")
    report = kc.gpu.check(kc.build(sch, target=target), a, w, output)
    assert report.ok, str(report)
    np.testing.assert_array_equal(output, expected if is_last else expected.transpose(0, 3, 1, 2))


# Boxes beyond the end of an array ----------------------------------------------------------------


def padded_copy(limit: int | None = None) -> tir.Schedule:
    """A tile of 64 x 64 with zeros where A, of 50 x 40, has no elements; or ``limit`` rows of A."""
    A = te.placeholder((50, 40), "float16", name="A")
    rows = 50 if limit is None else limit
    zero = te.const(0, "float16")
    S = te.compute(
        (64, 64),
        lambda i, j: tir.if_then_else(tir.all(i < rows, j < 40), A[i, j], zero),
        name="S",
    )
    B = te.compute((64, 64), lambda i, j: S[i, j] * te.const(2, "float16"), name="B")
    sch = tir.Schedule(te.create_prim_func([A, B]), target=Target(HOPPER))
    sch.set_scope("S", 0, "shared")
    i, j = sch.get_loops("B")
    block = sch.add_unit_loop(i)
    sch.bind(block, "blockIdx.x")
    sch.compute_at("S", block)
    rows_of_threads, lane = sch.split(j, [None, 32])
    del rows_of_threads
    sch.bind(lane, "threadIdx.x")
    return sch


def test_a_box_has_zeros_outside_of_its_array():
    """The interpreter, which runs the loops of the intrinsic, and the copy unit say the same."""
    sch = padded_copy()
    i, j = sch.get_loops("S")[-2:]
    del j
    sch.tensorize(i, "tma_load_64x64_f16_shared")
    assert "tir.zero_outside" in str(sch.mod)
    a = np.arange(1, 2001).reshape(50, 40).astype("float16")
    expected = np.zeros((64, 64), "float16")
    expected[:50, :40] = 2 * a
    output = np.full((64, 64), np.nan, "float16")
    run(sch.mod.op, "main", [a, output])
    np.testing.assert_array_equal(output, expected)
    output[:] = np.nan
    report = kc.gpu.check(kc.build(sch, target=HOPPER), a, output)
    assert report.ok, str(report)
    np.testing.assert_array_equal(output, expected)
    again = kc.IRModule.parse(str(sch.mod))
    assert str(again) == str(sch.mod)


def test_a_box_that_ends_before_its_array_is_no_box():
    """Elements that exist are to be zero."""
    sch = padded_copy(limit=49)
    with pytest.raises(ScheduleError) as refused:
        sch.tensorize(sch.get_loops("S")[-2], "tma_load_64x64_f16_shared")
    assert refused.value.code == "KC3562"
    assert refused.value.message == (
        "tensorize: block S_o does not match tma_load_64x64_f16_shared: it copies A[i, j] "
        "under a further condition than its bounds"
    )
