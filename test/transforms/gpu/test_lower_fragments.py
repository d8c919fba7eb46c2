"""Products by tensor cores, from te to PTX and to the emulator: what they compute, that a lane has
the elements that its fragment says, and what is refused."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from optional_tools import find

import kc
from kc import te
from kc.dialects.nvvm import FragmentAttr
from kc.target import Target
from kc.transforms.intrinsics.tensor_core_names import tensor_core_intrins
from kc.transforms.intrinsics.tensor_intrin import TensorIntrin

EMULATOR = "cuda-emu -arch=sm_80"
DTYPES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "tf32": "float32",
    "e4m3": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
    "s8": "int8",
    "f32": "float32",
    "s32": "int32",
}
NUMPY = {
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}
BYTES = {"s8": 1, "e4m3": 1, "e5m2": 1, "tf32": 4}


@dataclass(frozen=True)
class Product:
    """C = A * B by an instruction; ``trans``: B is stored by columns."""

    instruction: str = "mma"
    k: int = 16
    element: str = "f16"
    total: str = "f32"
    trans: bool = False
    size: tuple[int, int, int] = (32, 16, 64)
    """m, n and k of the whole product."""
    block: tuple[int, int, int] = (32, 16, 32)
    """... and of what a block of two warps has in shared memory."""
    load: str | None = None
    """Another intrinsic to load B."""
    swizzle: bool = False
    """Rows of shared memory are swizzled in place of being further apart."""

    @property
    def emulator(self) -> str:
        """The oldest GPU that has it."""
        return EMULATOR.replace("80", "89") if self.element in ("e4m3", "e5m2") else EMULATOR

    @property
    def columns(self) -> int:
        return 16 if self.instruction == "wmma" else 8

    @property
    def spelled(self) -> str:
        return "16x16x16" if self.instruction == "wmma" else f"m16n8k{self.k}"

    @property
    def scopes(self) -> tuple[str, str, str]:
        if self.instruction == "wmma":
            return "wmma.matrix_a", "wmma.matrix_b", "wmma.accumulator"
        return tuple(f"{self.spelled}.matrix{matrix}" for matrix in "ABC")  # pyright: ignore

    def tensors(self) -> list[te.Tensor]:
        m, n, depth = self.size
        dtype, total = DTYPES[self.element], DTYPES[self.total]
        A = te.placeholder((m, depth), dtype, name="A")
        B = te.placeholder((n, depth) if self.trans else (depth, n), dtype, name="B")
        k = te.reduce_axis((0, depth), name="k")

        def product(i: Any, j: Any) -> Any:
            a, b = A[i, k], B[j, k] if self.trans else B[k, j]
            if dtype != total:
                a, b = a.astype(total), b.astype(total)
            return te.sum(a * b, axis=k)

        return [A, B, te.compute((m, n), product, name="C")]

    def schedule(self, tensors: list[te.Tensor]) -> te.Schedule:
        A, B, C = tensors
        s = te.create_schedule(C.op)
        shared = [s.cache_read(tensor, "shared", [C]) for tensor in (A, B)]
        held = [
            s.cache_read(tensor, scope, [C])
            for tensor, scope in zip(shared, self.scopes, strict=False)
        ]
        sums = s.cache_write(C, self.scopes[2])
        m, n, depth = self.block
        i, j = C.op.axis
        by, i = s[C].split(i, m)
        bx, j = s[C].split(j, n)
        warp, rows = s[C].split(i, 16)
        jo, j = s[C].split(j, self.columns)
        s[C].reorder(by, bx, warp, jo, rows, j)
        s[C].tensorize(rows, f"{self.instruction}_store_{self.spelled}_{self.total}_global")
        for loop, axis in ((by, "blockIdx.y"), (bx, "blockIdx.x"), (warp, "threadIdx.y")):
            s[C].bind(loop, te.thread_axis(axis))
        s[sums].compute_at(s[C], warp)
        i, j = sums.op.axis
        (k,) = sums.op.reduce_axis
        ko, k = s[sums].split(k, depth)
        kk, k = s[sums].split(k, self.k)
        jo, j = s[sums].split(j, self.columns)
        s[sums].reorder(ko, kk, jo, i, j, k)
        for tensor in shared:
            s[tensor].compute_at(s[sums], ko)
            if self.swizzle:  # pieces of 16 bytes, in rows of 64
                s[tensor].transform_layout(lambda i, j: (i, (j // 8 ^ i // 2 % 4) * 8 + j % 8))
            else:
                padding = {1: 0, 2: 8, 4: 4}[BYTES.get(self.element, 2)]
                s[tensor].storage_align(tensor.op.axis[0], 16, padding)
            rest, four = s[tensor].split(s[tensor].fuse(*tensor.op.axis), 4)
            rest, lane = s[tensor].split(rest, 32)
            rest, row = s[tensor].split(rest, m // 16)
            s[tensor].vectorize(four)
            s[tensor].bind(row, te.thread_axis("threadIdx.y"))
            s[tensor].bind(lane, te.thread_axis("threadIdx.x"))
        b = "b_trans" if self.trans else "b"
        tile = (self.columns, self.k) if self.trans else (self.k, self.columns)
        prefix = f"{self.instruction}_load_{self.spelled}_{self.element}"
        loads = (f"{prefix}_a_shared", self.load or f"{prefix}_{b}_shared")
        for tensor, name, sizes in zip(held, loads, ((16, self.k), tile), strict=True):
            s[tensor].compute_at(s[sums], kk)
            (io, row), (jo, column) = (
                s[tensor].split(axis, size)
                for axis, size in zip(tensor.op.axis, sizes, strict=True)
            )
            s[tensor].reorder(io, jo, row, column)
            s[tensor].tensorize(row, name)
        types = f"{self.element}{self.element}{self.total}{'_trans' if self.trans else ''}"
        s[sums].tensorize(i, f"{self.instruction}_sync_{self.spelled}_{types}")
        return s

    def build(self, target: str) -> kc.runtime.Module:
        tensors = self.tensors()
        with Target(target):
            return kc.build(self.schedule(tensors), tensors, target=target)

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        m, n, depth = self.size
        r = np.random.default_rng(0)

        def array(*shape: int) -> np.ndarray:
            if self.element == "s8":
                return r.integers(-128, 128, shape).astype("int8")
            return r.standard_normal(shape).astype(
                NUMPY.get(DTYPES[self.element], DTYPES[self.element])
            )

        b = array(n, depth) if self.trans else array(depth, n)
        return array(m, depth), b, np.zeros((m, n), DTYPES[self.total])


SWEEP = [
    Product(),
    Product(element="tf32", k=8, size=(32, 16, 32)),
    Product(k=8),
    Product(k=8, trans=True),
    Product(trans=True),
    Product(total="f16"),
    Product(element="bf16", k=8),
    Product(element="bf16"),
    Product(element="s8", total="s32", k=32, trans=True),
    Product(element="bf16", trans=True),
    Product(element="s8", total="s32"),
    Product("wmma", trans=True),
    Product("wmma", total="f16"),
    Product(element="tf32", k=4),
    Product(element="tf32", k=8, trans=True),
    Product(element="e4m3", k=32, trans=True),
    Product(element="e4m3", k=32),
    Product(element="e5m2", k=32, trans=True),
    Product("wmma", element="bf16"),
    Product("wmma", element="bf16", trans=True),
    Product("wmma", element="s8", total="s32"),
]
# Rows that are padded by 16 bytes, or swizzled, so that ldmatrix has all banks.
NO_CONFLICTS = [Product(), Product(swizzle=True, size=(32, 32, 64), block=(32, 32, 32))]
PRODUCTS = [
    Product(swizzle=True, size=(32, 32, 64), block=(32, 32, 32)),
    Product("wmma"),
    *(pytest.param(product, marks=pytest.mark.sweep) for product in SWEEP),
]


def rounded_to_tf32(numbers: np.ndarray) -> np.ndarray:
    """To 11 bits, ties away from zero."""
    mantissa, exponent = np.frexp(numbers.astype("float64"))
    scaled = np.abs(mantissa) * 2**11
    return np.ldexp(np.copysign(np.floor(scaled + 0.5), mantissa), exponent - 11)


@pytest.mark.parametrize("product", PRODUCTS, ids=str)
def test_products_are_those_of_numpy(product: Product):
    a, b, c = product.arrays()
    report = kc.gpu.check(product.build(product.emulator), a, b, c)
    assert report.ok, str(report)
    if product.element == "tf32":
        a, b = rounded_to_tf32(a), rounded_to_tf32(b)
    expected = a.astype("float64") @ (b.T if product.trans else b).astype("float64")
    tolerance = {"f16": 2e-2, "f32": 1e-5, "s32": 0}[product.total]
    np.testing.assert_allclose(c, expected, rtol=tolerance, atol=tolerance)
    if product in NO_CONFLICTS:
        read = {site.buffer: site.bank_conflicts for site in report.sites if site.access == "read"}
        assert (read["A_shared"], read["B_shared"]) == (0, 0)


@pytest.mark.parametrize("arch", ["sm_80", pytest.param("sm_90a", marks=pytest.mark.sweep)])
@pytest.mark.skipif(find("ptxas") is None, reason="needs ptxas")
def test_ptxas_keeps_fragments_in_registers(arch: str, tmp_path: Any):
    product = Product(size=(256, 256, 256), block=(64, 64, 32))
    code = tmp_path / "kernel.ptx"
    code.write_text(product.build(f"cuda -arch={arch}").imported_modules[0].get_source())
    assembled = subprocess.run(
        [str(find("ptxas")), f"-arch={arch}", "-v", "-o", str(tmp_path / "kernel"), str(code)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" in assembled.stderr
    text = code.read_text()
    # Each step of k has a tile of A and eight of B.
    products = text.count("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
    assert products
    assert products % 16 == 0
    assert text.count("ldmatrix.sync.aligned.m8n8.x4.shared.b16") == products // 8
    assert text.count("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16") == products


def stored_by_rows() -> tuple[te.Schedule, list[te.Tensor]]:
    """D = A * B by two warps, whose rows go through swizzled shared memory to the output."""
    A, B = (te.placeholder((32, 32), "float16", name=name) for name in "AB")
    k = te.reduce_axis((0, 32), name="k")
    C = te.compute((32, 32), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    D = te.compute((32, 32), lambda i, j: C[i, j] + te.const(1, "float16"), name="D")
    s = te.create_schedule(D.op)
    shared = [s.cache_read(tensor, "shared", [C]) for tensor in (A, B)]
    held = [
        s.cache_read(tensor, f"m16n8k16.matrix{letter}", [C])
        for tensor, letter in zip(shared, "AB", strict=True)
    ]
    sums = s.cache_write(C, "m16n8k16.matrixC")
    block, i = s[D].split(D.op.axis[0], 32)
    warp, i = s[D].split(i, 16)
    _, lane = s[D].split(s[D].fuse(i, D.op.axis[1]), 32)
    s[D].bind(block, te.thread_axis("blockIdx.x"))
    s[D].bind(warp, te.thread_axis("threadIdx.y"))
    s[D].bind(lane, te.thread_axis("threadIdx.x"))
    s[C].set_scope("shared")
    s[C].transform_layout(lambda i, j: (i, (j // 8 ^ i // 2 % 4) * 8 + j % 8))
    s[C].compute_at(s[D], block)
    warp, i = s[C].split(C.op.axis[0], 16)
    jo, j = s[C].split(C.op.axis[1], 8)
    s[C].reorder(warp, jo, i, j)
    s[C].bind(warp, te.thread_axis("threadIdx.y"))
    s[C].tensorize(i, "mma_stmatrix_m16n8k16_f16_shared")
    s[sums].compute_at(s[C], warp)
    i, j = sums.op.axis
    ko, k = s[sums].split(sums.op.reduce_axis[0], 16)
    jo, j = s[sums].split(j, 8)
    s[sums].reorder(ko, jo, i, j, k)
    s[sums].tensorize(i, "mma_sync_m16n8k16_f16f16f16")
    for tensor, letter, width in zip(held, "ab", (16, 8), strict=True):
        s[tensor].compute_at(s[sums], ko)
        row, column = tensor.op.axis
        outer, column = s[tensor].split(column, width)
        s[tensor].reorder(outer, row, column)
        s[tensor].tensorize(row, f"mma_load_m16n8k16_f16_{letter}_shared")
    for tensor in shared:
        s[tensor].compute_at(s[sums], ko)
        _, lane = s[tensor].split(s[tensor].fuse(*tensor.op.axis), 32)
        s[tensor].bind(lane, te.thread_axis("threadIdx.x"))
        s[tensor].storage_align(tensor.op.axis[0], 16, 8)
    return s, [A, B, D]


def test_rows_of_results_are_stored_to_shared_memory():
    target = "cuda-emu -arch=sm_90"
    with Target(target):
        module = kc.build(*stored_by_rows(), target=target)
    r = np.random.default_rng(0)
    a, b = (r.random((32, 32)).astype("float16") for _ in range(2))
    d = np.zeros((32, 32), "float16")
    report = kc.gpu.check(module, a, b, d)
    assert report.ok, str(report)
    np.testing.assert_allclose(d, a.astype("float32") @ b.astype("float32") + 1, rtol=1e-2)
    stored = [site for site in report.sites if (site.buffer, site.access) == ("C", "written")]
    assert [site.bank_conflicts for site in stored] == [0] * len(stored)
    assert stored


# Fragments -------------------------------------------------------------------------------------

FRAGMENTS = [
    FragmentAttr("mma", (16, 8, k), matrix, element, layout)
    for k, element in (
        (8, "f16"),
        (16, "f16"),
        (16, "bf16"),
        (4, "tf32"),
        (8, "tf32"),
        (16, "s8"),
        (32, "s8"),
        (32, "e4m3"),
    )
    for matrix, layout in (("a", "row"), ("b", "row"), ("b", "col"))
] + [FragmentAttr("mma", (16, 8, 16), "c", element) for element in ("f16", "f32", "s32")]


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=str)
def test_lanes_have_each_element_once(fragment: FragmentAttr):
    map_ = fragment.lane_map()
    assert map_ is not None
    rows, columns = fragment.tile
    elements = {
        map_.eval([lane, n], [])
        for lane in range(32)
        for n in range(fragment.words * fragment.each)
    }
    assert elements == {(i, j) for i in range(rows) for j in range(columns)}


def test_lanes_have_the_elements_that_ptx_says():
    """By the formulas of PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type"."""
    maps = {
        matrix: FragmentAttr("mma", (16, 8, 16), matrix, element).lane_map()
        for matrix, element in (("a", "f16"), ("b", "f16"), ("c", "f32"))
    }
    for lane in range(32):
        group, place = lane // 4, lane % 4
        for i in range(8):
            row = group if i < 2 or 4 <= i < 6 else group + 8
            column = place * 2 + (i & 1) + (8 if i >= 4 else 0)
            assert maps["a"].eval([lane, i], []) == (row, column)  # pyright: ignore
        for i in range(4):
            row = place * 2 + (i & 1) + (8 if i >= 2 else 0)
            assert maps["b"].eval([lane, i], []) == (row, group)  # pyright: ignore
            row = group if i < 2 else group + 8
            assert maps["c"].eval([lane, i], []) == (row, place * 2 + (i & 1))  # pyright: ignore


def test_wmma_does_not_say_which_elements():
    assert FragmentAttr("wmma", (16, 16, 16), "a", "f16").lane_map() is None


@pytest.mark.sweep
@pytest.mark.parametrize("name", tensor_core_intrins())
def test_every_text_is_an_intrinsic(name: str):
    assert TensorIntrin.get(name).features[0].startswith("sm_")


# Mistakes --------------------------------------------------------------------------------------


def refused(product: Product, target: str = EMULATOR) -> str:
    """The refusal of a schedule, without places."""
    with pytest.raises(kc.KCError) as error:
        product.build(target)
    text = re.sub(r" *<-- here \(from .*\)", "    <-- here", str(error.value))
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("-->")]
    return "\n".join(line for line in lines if "first difference" not in line) + "\n"


def test_an_old_architecture():
    assert (
        refused(Product(), "cuda -arch=sm_75")
        == """\
error[KC3561]: tensorize: mma_store_m16n8k16_f32_global needs sm_80, which the target does not have
   |  ...
   |                for j_c_i in 8:
   |                  for k_i_i in 16:
   |                    block C_m16n8k16_matrixC
   |        for j_i_o in 2:
   |          for i_i_i in 16:    <-- here
   |            for j_i_i in 8:
   |              block C
  why: the target is cuda -arch=sm_75
  try: Target("cuda -arch=sm_80")
"""
    )


def test_a_tile_of_another_size():
    assert (
        refused(Product(load="mma_load_m16n8k16_f16_b_trans_shared"))
        == """\
error[KC3562]: tensorize: block B_shared_m16n8k16_matrixB_o does not match \
mma_load_m16n8k16_f16_b_trans_shared: loop ax0_i has 16 iterations, not 8
   |  the block:
   |    for ax0_i in 16, ax1_i in 8:
   |      B_shared_m16n8k16_matrixB[(v_ax0_o * 16) + ax0_i, (v_ax1_o * 8) + ax1_i] = B_shared...
   |  the description:
   |    for i in 8, j in 16:
   |      C[i, j] = A[i, j]
"""
    )


def test_a_swizzled_tile_by_its_stride():
    product = Product("wmma", swizzle=True, size=(32, 32, 64), block=(32, 32, 32))
    assert (
        refused(product)
        == """\
error[KC4246]: swizzle-storage: wmma_load_16x16x16_f16_b_shared needs contiguous elements of \
B_shared, which a swizzle separates
  why: (i, j)->(i, (j floordiv 8 xor (i floordiv 2) mod 4) * 8 + j mod 8) keeps 8 elements of a \
row contiguous
  try: use intrinsics that load rows of 16 bytes: mma_load_m16n8k16_f16_a_shared
  try: use storage_align of B_shared in place of the swizzle
"""
    )


def test_a_wrong_scope():
    assert (
        refused(Product("wmma", load="wmma_load_16x16x16_f16_b_shared_dyn"))
        == """\
error[KC3564]: tensorize: B_shared does not have the layout that \
wmma_load_16x16x16_f16_b_shared_dyn needs
   |  ...
   |              for ax1_o in 1:
   |                block B_shared_wmma_matrix_b_o    <-- here
   |                  for ax0_i in 16:
   |                    for ax1_i in 16:
   |                      block B_shared_wmma_matrix_b
   |            alloc A_shared_wmma_matrix_a
   |  ...
  why: B_shared is memref<64x16xf16, "shared">; its argument A is memref<16x16xf16, \
strided<[?, 1], offset: ?>, "shared.dyn">
  try: an intrinsic for "shared", or B_shared in "shared.dyn" (set_scope)
"""
    )
