"""Products of matrices by warps, and the loads and stores for them, compute what numpy does."""

from __future__ import annotations

import numpy as np
import pytest

import kc
from kc.runtime.module import Module

TARGET = "cuda-emu -arch=sm_90"
POINTER = '"memref.extract_aligned_pointer_as_index"'
WORDS = "memref<32x{}x{}>"

# Name -> the shape, the types of A and of B, how many registers of which type a lane has of A, B
# and C, and what else the operation says.
MMA = {
    "f16 with sums of f32": ((16, 8, 16), ("f16", "f16"), (4, 2, 4), ("i32", "f32"), ""),
    "f16 with sums of f16": ((16, 8, 8), ("f16", "f16"), (2, 1, 2), ("i32", "vector<2xf16>"), ""),
    "bf16": ((16, 8, 8), ("bf16", "bf16"), (2, 1, 4), ("i32", "f32"), ""),
    "tf32": ((16, 8, 8), ("tf32", "tf32"), (4, 2, 4), ("i32", "f32"), ""),
    "f64": ((8, 8, 4), ("f64", "f64"), (1, 1, 2), ("f64", "f64"), ""),
    "s8 and u8": ((16, 8, 32), ("s8", "u8"), (4, 2, 4), ("i32", "i32"), "wrapped"),
    "small s8": ((8, 8, 16), ("s8", "s8"), (1, 1, 2), ("i32", "i32"), "satfinite"),
    "s4": ((16, 8, 64), ("s4", "u4"), (4, 2, 4), ("i32", "i32"), "wrapped"),
    "bits": ((16, 8, 256), ("b1", "b1"), (4, 2, 4), ("i32", "i32"), "xor_popc"),
}
STORED = {"i32": "int32", "f32": "float32", "f64": "float64", "vector<2xf16>": "int32"}
MEMORY = {"vector<2xf16>": "i32"}


def load(name: str, count: int, type_: str) -> str:
    """Registers of a lane, from the row of an array that has the lane's words."""
    memory = MEMORY.get(type_, type_)
    lines: list[str] = []
    for n in range(count):
        lines.append(f"%i{name}{n} = arith.constant {n} : index")
        lines.append(
            f"%w{name}{n} = memref.load %{name}[%t, %i{name}{n}] : {WORDS.format(count, memory)}"
        )
        if type_ == memory:
            lines[-1] = lines[-1].replace(f"%w{name}", f"%{name}")
        else:
            lines.append(f"%{name}{n} = llvm.bitcast %w{name}{n} : {memory} to {type_}")
    return "\n".join(lines)


def names(letter: str, count: int) -> str:
    return ", ".join(f"%{letter}{n}" for n in range(count))


def mma(name: str) -> tuple[str, str]:
    """A host function and a kernel for one entry of the table."""
    shape, types, counts, registers, more = MMA[name]
    symbol = "".join(char if char.isalnum() else "_" for char in name)
    held = "vector<2xf16>" if types[0] == "f16" else registers[0]
    total = registers[1]
    memory = MEMORY.get(total, total)
    words_of = (registers[0], registers[0], memory)
    arrays = [WORDS.format(n, kind) for n, kind in zip(counts, words_of, strict=True)]
    words = {"": "", "wrapped": "intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, "}
    words["satfinite"] = words["wrapped"].replace("wrapped", "satfinite")
    words["xor_popc"] = "b1Op = #nvvm.mma_b1op<xor_popc>, "
    said = words[more]
    if types[0] not in ("f16", "f64"):
        said += "".join(
            f"multiplicand{letter}PtxType = #nvvm.mma_type<{kind}>, "
            for letter, kind in zip("AB", types, strict=True)
        )
    result = f"!llvm.struct<({', '.join([total] * counts[2])})>"
    stores: list[str] = []
    for n in range(counts[2]):
        stores.append(f"%r{n} = llvm.extractvalue %d[{n}] : {result}")
        if memory != total:
            stores.append(f"%s{n} = llvm.bitcast %r{n} : {total} to {memory}")
        value = f"%r{n}" if memory == total else f"%s{n}"
        stores.append(f"memref.store {value}, %D[%t, %iC{n}] : {arrays[2]}")
    kinds = (("A", held), ("B", held), ("C", total))
    loads = [load(letter, n, kind) for (letter, kind), n in zip(kinds, counts, strict=True)]
    if held != registers[0]:
        for n, letter in enumerate("AB"):
            loads[n] = load(letter, counts[n], held)
    arguments = ", ".join(
        f"%{letter}: {kind}" for letter, kind in zip("ABCD", [*arrays, arrays[2]], strict=True)
    )
    given = arguments.replace(": ", " : ")
    m, n, k = shape
    operands = " ".join(
        f"{letter}[{names(letter, count)}]" for letter, count in zip("ABC", counts, strict=True)
    )
    return (
        f"""func.func @{symbol}({arguments}) {{
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @m::@{symbol} blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args({given})
  func.return
}}""",
        f"""gpu.func @{symbol}({arguments}) kernel {{
  %t = gpu.thread_id x
  {chr(10).join(loads)}
  %d = nvvm.mma.sync {operands}
      {{{said}layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
       shape = #nvvm.shape<m = {m}, n = {n}, k = {k}>}} : ({held}, {held}, {total}) -> {result}
  {chr(10).join(stores)}
  gpu.return
}}""",
    )


WMMA = """
func.func @wmma(%A: memref<16x16xf16>, %B: memref<16x16xf16>, %C: memref<16x16xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @m::@wmma blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%A : memref<16x16xf16>, %B : memref<16x16xf16>, %C : memref<16x16xf32>)
  func.return
}"""
FRAGMENT = ", ".join(["vector<2xf16>"] * 8)
TOTALS = ", ".join(["f32"] * 8)


def parts(name: str, count: int, type_: str) -> str:
    return "\n".join(f"%{name}{n} = llvm.extractvalue %{name}[{n}] : {type_}" for n in range(count))


def pointer(name: str, type_: str, space: int) -> str:
    return f"""%x{name} = {POINTER}(%{name}) : ({type_}) -> index
      %y{name} = arith.index_cast %x{name} : index to i64
      %p{name} = llvm.inttoptr %y{name} : i64 to !llvm.ptr<{space}>"""


SIZES = "k = 16 : i32, m = 16 : i32, n = 16 : i32"
WMMA_KERNEL = f"""
gpu.func @wmma(%A: memref<16x16xf16>, %B: memref<16x16xf16>, %C: memref<16x16xf32>) kernel {{
  %stride = arith.constant 16 : i32
  {pointer("A", "memref<16x16xf16>", 1)}
  {pointer("B", "memref<16x16xf16>", 1)}
  {pointer("C", "memref<16x16xf32>", 1)}
  %a = nvvm.wmma.load %pA, %stride {{eltype = #nvvm.mma_type<f16>, frag = #nvvm.mma_frag<a>,
      layout = #nvvm.mma_layout<row>, {SIZES}}} : (!llvm.ptr<1>) -> !llvm.struct<({FRAGMENT})>
  %b = nvvm.wmma.load %pB, %stride {{eltype = #nvvm.mma_type<f16>, frag = #nvvm.mma_frag<b>,
      layout = #nvvm.mma_layout<col>, {SIZES}}} : (!llvm.ptr<1>) -> !llvm.struct<({FRAGMENT})>
  %c = nvvm.wmma.load %pC, %stride {{eltype = #nvvm.mma_type<f32>, frag = #nvvm.mma_frag<c>,
      layout = #nvvm.mma_layout<row>, {SIZES}}} : (!llvm.ptr<1>) -> !llvm.struct<({TOTALS})>
  {parts("a", 8, f"!llvm.struct<({FRAGMENT})>")}
  {parts("b", 8, f"!llvm.struct<({FRAGMENT})>")}
  {parts("c", 8, f"!llvm.struct<({TOTALS})>")}
  %d = nvvm.wmma.mma {names("a", 8)}, {names("b", 8)}, {names("c", 8)}
      {{eltypeA = #nvvm.mma_type<f16>, eltypeB = #nvvm.mma_type<f32>, {SIZES},
       layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>}}
      : ({FRAGMENT}, {FRAGMENT}, {TOTALS}) -> !llvm.struct<({TOTALS})>
  {parts("d", 8, f"!llvm.struct<({TOTALS})>")}
  nvvm.wmma.store %pC, %stride, {names("d", 8)} {{eltype = #nvvm.mma_type<f32>, {SIZES},
      layout = #nvvm.mma_layout<row>}} : !llvm.ptr<1>, {TOTALS}
  gpu.return
}}"""

# Four matrices of 8 x 8 halves from shared memory, and back to the other array.
MATRICES = "memref<32x8xi16, #gpu.address_space<workgroup>>"
COPY_TYPE = "memref<32x8xi16>"


def copy(name: str, turned_in: bool, turned_out: bool) -> tuple[str, str]:
    layouts = ["col" if turned else "row" for turned in (turned_in, turned_out)]
    said = "eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<{}>{}, "
    said += "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>"
    words = "!llvm.struct<(i32, i32, i32, i32)>"
    return (
        f"""func.func @{name}(%A: {COPY_TYPE}, %B: {COPY_TYPE}) {{
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @m::@{name} blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%A : {COPY_TYPE}, %B : {COPY_TYPE})
  func.return
}}""",
        f"""gpu.func @{name}(%A: {COPY_TYPE}, %B: {COPY_TYPE})
    workgroup(%S : {MATRICES}, %T : {MATRICES}) kernel {{
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : i64
  scf.for %j = %c0 to %c8 step %c1 {{
    %v = memref.load %A[%t, %j] : {COPY_TYPE}
    memref.store %v, %S[%t, %j] : {MATRICES}
  }}
  gpu.barrier
  {pointer("S", MATRICES, 3)}
  {pointer("T", MATRICES, 3)}
  %n = arith.index_cast %t : index to i64
  %offset = arith.muli %n, %c16 : i64
  %from = llvm.getelementptr %pS[%offset] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
  %to = llvm.getelementptr %pT[%offset] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
  %m = nvvm.ldmatrix %from {{{said.format(layouts[0], ", num = 4 : i32")}}}
      : (!llvm.ptr<3>) -> {words}
  {parts("m", 4, words)}
  nvvm.stmatrix %to, {names("m", 4)} {{{said.format(layouts[1], "")}}}
      : !llvm.ptr<3>, i32, i32, i32, i32
  gpu.barrier
  scf.for %j = %c0 to %c8 step %c1 {{
    %v = memref.load %T[%t, %j] : {MATRICES}
    memref.store %v, %B[%t, %j] : {COPY_TYPE}
  }}
  gpu.return
}}""",
    )


@pytest.fixture(scope="module")
def module() -> Module:
    kernels = [*map(mma, MMA), (WMMA, WMMA_KERNEL)]
    kernels += [copy("copied", False, False), copy("turned", True, False), copy("back", True, True)]
    hosts, devices = ("\n".join(column) for column in zip(*kernels, strict=True))
    text = (
        f"module attributes {{gpu.container_module}} {{{hosts}\ngpu.module @m {{{devices}\n}}\n}}"
    )
    module = kc.build(kc.IRModule.parse(text), target=TARGET)
    assert module.watched is not None
    watched = module.watched()
    module.watched = lambda: watched
    return module


def held(matrix: np.ndarray, each: int, words: int, word_type: str) -> np.ndarray:
    """The registers of lanes for rows in memory, by PTX's figures: ``each`` elements in a word."""
    across, depth = matrix.shape
    lanes = np.zeros((32, words * each), matrix.dtype)
    for i in range(across):
        for k in range(depth):
            lane = i % 8 * 4 + k % (4 * each) // each
            word = k // (4 * each) * (across // 8) + i // 8
            lanes[lane, word * each + k % each] = matrix[i, k]
    return packed(lanes, each, word_type)


def packed(lanes: np.ndarray, each: int, word_type: str) -> np.ndarray:
    """Elements of lanes as words; those of 4 bits and 1 are in bytes here."""
    bits = 32 // each
    if bits >= 8 or word_type == "float64":
        return np.ascontiguousarray(lanes).view(word_type)
    values = lanes.astype("int64") & ((1 << bits) - 1)
    groups = values.reshape(32, -1, each)
    words = (groups << (bits * np.arange(each))).sum(axis=2)
    return words.astype("uint32").view("int32")


def operand(kind: str, rows: int, columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random elements as they are in memory, and their values."""
    r = np.random.default_rng(seed)
    if kind in ("f16", "f64"):
        values = r.standard_normal((rows, columns)).astype({"f16": "float16"}.get(kind, "float64"))
        return values, values.astype("float64")
    if kind in ("bf16", "tf32"):
        kept = 0xFFFF0000 if kind == "bf16" else 0xFFFFE000
        bits = r.standard_normal((rows, columns)).astype("float32").view("uint32")
        bits &= np.uint32(kept)
        values = bits.view("float32").astype("float64")
        return (bits >> 16).astype("uint16") if kind == "bf16" else bits, values
    low, high = {"s8": (-128, 128), "u8": (0, 256), "s4": (-8, 8), "u4": (0, 16), "b1": (0, 2)}[
        kind
    ]
    values = r.integers(low, high, (rows, columns))
    return values.astype("uint8" if low == 0 else "int8"), values.astype("float64")


@pytest.mark.parametrize("name", MMA)
def test_mma(name: str, module: Module):
    (m, n, k), types, counts, registers, _ = MMA[name]
    word = STORED[registers[0]]
    each = {"f16": 2, "bf16": 2, "s8": 4, "u8": 4, "s4": 8, "u4": 8, "b1": 32}.get(types[0], 1)
    a, a_values = operand(types[0], m, k, 1)
    b, b_values = operand(types[1], n, k, 2)
    if types[0] == "b1":
        expected = (a_values[:, None, :] != b_values[None]).sum(axis=2).astype("float64")
    else:
        expected = a_values @ b_values.T
    c_type = {"f32": "float32", "f64": "float64", "i32": "int32"}.get(registers[1], "float16")
    c = np.random.default_rng(3).integers(-9, 9, (m, n)).astype(c_type)
    c_each = 2 if c_type == "float16" else 1
    rows = held_totals(c).view(STORED[registers[1]])
    d = np.zeros_like(rows)
    symbol = "".join(char if char.isalnum() else "_" for char in name)
    given = held(a, each, counts[0], word), held(b, each, counts[1], word), rows
    module[symbol](*given, d)
    tolerance = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-14}.get(c_type, 0)
    wanted = held_totals((expected + c).astype(c_type))
    np.testing.assert_allclose(d.view(c_type), wanted, rtol=tolerance, atol=tolerance)
    assert d.shape[1] * c_each == wanted.shape[1]
    report = kc.gpu.check(module, *given, d, name=symbol)
    assert report.ok, str(report)


def held_totals(c: np.ndarray) -> np.ndarray:
    """The elements of C that lanes have, by PTX's figures."""
    lanes = np.arange(32)
    return np.stack(
        [c[lanes // 4 + n // 2 * 8, lanes % 4 * 2 + n % 2] for n in range(c.size // 32)], axis=1
    )


def test_wmma(module: Module):
    r = np.random.default_rng(4)
    a, b = (r.standard_normal((16, 16)).astype("float16") for _ in range(2))
    c = r.standard_normal((16, 16)).astype("float32")
    expected = a.astype("float64") @ b.T.astype("float64") + c  # b is stored by columns
    for run in (module["wmma"], lambda *arrays: kc.gpu.check(module, *arrays, name="wmma")):
        result = c.copy()
        report = run(a, b, result)
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
    assert report.ok, str(report)


BY_WARPS = (("S", "read"), ("T", "written"))
"""Rows of 16 bytes, one behind the other, of which a wavefront has eight."""


@pytest.mark.parametrize("name", ["copied", "turned", "back"])
def test_matrices_of_shared_memory(name: str, module: Module):
    a = np.random.default_rng(5).integers(-999, 999, (32, 8)).astype("int16")
    expected = a.reshape(4, 8, 8).swapaxes(1, 2).reshape(32, 8) if name == "turned" else a
    b = np.zeros_like(a)
    module[name](a, b)
    np.testing.assert_array_equal(b, expected)
    report = kc.gpu.check(module, a, b, name=name)
    assert report.ok, str(report)
    by_warps = [site for site in report.sites if (site.buffer, site.access) in BY_WARPS]
    assert [(site.transactions, site.bank_conflicts) for site in by_warps] == [(4, 0)] * 2
