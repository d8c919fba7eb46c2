"""Kernels with products of four warps and copies in bulk, as text, and what they are to compute.

Tiles come to shared memory as images: bytes in the order that a descriptor says, which
:func:`image` makes of a matrix (PTX ISA, "Shared memory matrix layout"; CUTLASS,
``cute/arch/mma_sm90_desc.hpp``, canonical layouts).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

SHARED = "#gpu.address_space<workgroup>"
POINTER = '"memref.extract_aligned_pointer_as_index"'
WIDTHS = {0: 1, 3: 2, 2: 4, 1: 8}
"""The swizzle of a descriptor: how many pieces of 16 bytes a row of a tile has."""
DTYPES = {
    "f16": np.dtype("float16"),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "tf32": np.dtype("float32"),
    "s8": np.dtype("int8"),
    "u8": np.dtype("uint8"),
    "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "e5m2": np.dtype(ml_dtypes.float8_e5m2),
}
DEPTHS = {"f16": 16, "bf16": 16, "tf32": 8, "s8": 32, "u8": 32, "e4m3": 32, "e5m2": 32}
FENCE = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}"


@dataclass(frozen=True)
class Tile:
    """Bytes in shared memory, and what a descriptor says besides where they begin."""

    words: np.ndarray
    fields: int
    steps: Sequence[int]
    """The offset in bytes of the operand of each step along k."""


def image(matrix: np.ndarray, swizzle: int, *, across: bool = False) -> Tile:
    """A matrix whose rows are those of A, or the columns of B, and whose columns are k.

    ``across``: elements along the rows are next to each other, not those along k.
    """
    rows, depth = matrix.shape
    size = matrix.dtype.itemsize
    width = WIDTHS[swizzle]
    step = 32 // size
    if across:
        if width == 1:
            stride, leading = 128, 128 * (rows // 8)
        else:
            stride, leading = 128 * width, 128 * width * (depth // 8)

        def offset(row: int, k: int) -> int:
            unit, within = divmod(row, 8)
            if width == 1:
                at = unit * stride + k // 8 * leading + k % 8 * 16
            else:
                at = unit // width * leading + unit % width * 16
                at += k // 8 * stride + k % 8 * width * 16
            return at + within * size

        steps = [(leading if width == 1 else stride) * 2 * n for n in range(depth // step)]
    else:
        row_bytes = depth * size
        assert width == 1 or row_bytes == 16 * width
        if width == 1:
            leading, stride = 128, 8 * row_bytes
        else:
            leading, stride = 16, 8 * row_bytes

        def offset(row: int, k: int) -> int:
            piece, within = divmod(k * size, 16)
            at = row // 8 * stride + row % 8 * 16 * width
            return at + piece * (leading if width == 1 else 16) + within

        steps = [(256 if width == 1 else 32) * n for n in range(depth // step)]
    data = np.zeros(rows * depth * size, "uint8")
    raw = np.ascontiguousarray(matrix).view("uint8").reshape(rows, depth, size)
    for row in range(rows):
        for k in range(depth):
            at = offset(row, k)
            at ^= (at >> 7 & (width - 1)) << 4
            data[at : at + size] = raw[row, k]
    fields = swizzle << 62 | (stride >> 4) << 32 | (leading >> 4) << 16
    signed = fields - (1 << 64) if fields >> 63 else fields
    return Tile(data.view("int32"), signed, steps)


def constants(text: str) -> str:
    """``text`` behind the constants %c0, %c1, ... that it uses."""
    numbers = sorted({int(number) for number in re.findall(r"%c(\d+)\b", text)})
    return "\n".join(f"%c{n} = arith.constant {n} : index" for n in numbers) + "\n" + text


def struct(types: Sequence[str]) -> str:
    return f"!llvm.struct<({', '.join(types)})>"


def descriptor(name: str, buffer: str, type_: str, tile: Tile) -> list[str]:
    """``%d{name}{n}``: the operand of step n along k."""
    lines = [
        f"%p{name} = {POINTER}({buffer}) : ({type_}) -> index",
        f"%q{name} = arith.index_cast %p{name} : index to i64",
        f"%four{name} = arith.constant 4 : i64",
        f"%mask{name} = arith.constant {0x3FFF} : i64",
        f"%fields{name} = arith.constant {tile.fields} : i64",
    ]
    for n, step in enumerate(tile.steps):
        lines += [
            f"%step{name}{n} = arith.constant {step} : i64",
            f"%at{name}{n} = arith.addi %q{name}, %step{name}{n} : i64",
            f"%high{name}{n} = arith.shrui %at{name}{n}, %four{name} : i64",
            f"%low{name}{n} = arith.andi %high{name}{n}, %mask{name} : i64",
            f"%d{name}{n} = arith.ori %low{name}{n}, %fields{name} : i64",
        ]
    return lines


def register_types(columns: int, result: str) -> list[str]:
    if result == "f16":
        return ["vector<2xf16>"] * (columns // 4)
    return [{"f32": "f32", "s32": "i32"}[result]] * (columns // 2)


def mma(
    result: str,
    operands: tuple[str, str, str],
    columns: int,
    types: tuple[str, str, str],
    *,
    starts: bool = False,
    layouts: tuple[str, str] = ("row", "col"),
    scales: tuple[str, str] = ("one", "one"),
) -> str:
    """``types`` are those of A, B and D."""
    a, b, d = types
    held = struct(register_types(columns, d))
    return (
        f"{result} = nvvm.wgmma.mma_async {', '.join(operands)}, "
        f"<m = 64, n = {columns}, k = {DEPTHS[a]}>, D [<{d}>, <{'zero' if starts else 'one'}>], "
        f"A [<{a}>, <{scales[0]}>, <{layouts[0]}>], B [<{b}>, <{scales[1]}>, <{layouts[1]}>] : "
        f"{held} -> {held}"
    )


def store_registers(value: str, columns: int, result: str) -> list[str]:
    """Store a thread's registers at their places in C (PTX ISA, "D fragment layout")."""
    types = register_types(columns, result)
    element = {"f16": "f16", "f32": "f32", "s32": "i32"}[result]
    array = f"memref<64x{columns}x{element}>"
    lines = [
        "%warp = arith.divui %t, %c32 : index",
        "%lane = arith.remui %t, %c32 : index",
        "%quad = arith.divui %lane, %c4 : index",
        "%of_quad = arith.remui %lane, %c4 : index",
        "%column = arith.muli %of_quad, %c2 : index",
        "%warp_row = arith.muli %warp, %c16 : index",
        "%row = arith.addi %warp_row, %quad : index",
    ]
    for n, type_ in enumerate(types):
        lines.append(f"%x{n} = llvm.extractvalue {value}[{n}] : {struct(types)}")
        halves = type_ == "vector<2xf16>"
        for part in range(1 + halves):
            slot = 2 * n + part if halves else n
            scalar = f"%x{n}"
            if halves:
                scalar = f"%x{n}_{part}"
                lines.append(f"{scalar} = vector.extract %x{n}[{part}] : f16 from vector<2xf16>")
            down, right = slot // 2 % 2 * 8, slot // 4 * 8 + slot % 2
            lines += [
                f"%r{slot} = arith.addi %row, %c{down} : index",
                f"%k{slot} = arith.addi %column, %c{right} : index",
                f"memref.store {scalar}, %C[%r{slot}, %k{slot}] : {array}",
            ]
    return lines


def program(
    arguments: dict[str, str],
    shared: dict[str, tuple[str, int | None]],
    body: Sequence[str],
    *,
    threads: int = 128,
    blocks: int = 1,
) -> str:
    """Host code and a kernel. ``shared`` are types and alignments."""
    given = ", ".join(f"%{name}: {type_}" for name, type_ in arguments.items())
    passed = ", ".join(f"%{name} : {type_}" for name, type_ in arguments.items())
    memory = ", ".join(
        f"%{name} : {type_}" + (f" {{llvm.align = {align} : i64}}" if align else "")
        for name, (type_, align) in shared.items()
    )
    lines = constants("\n".join(["%t = gpu.thread_id x", *body, "gpu.return"]))
    return f"""module attributes {{gpu.container_module}} {{
  func.func @main({given}) {{
    %c1 = arith.constant 1 : index
    %blocks = arith.constant {blocks} : index
    %threads = arith.constant {threads} : index
    gpu.launch_func @m::@main blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
        args({passed})
    func.return
  }}
  gpu.module @m {{
    gpu.func @main({given}) workgroup({memory}) kernel {{
{lines}
    }}
  }}
}}
"""


def fill(buffer: str, source: str, words: int, threads: int = 128) -> list[str]:
    """Threads copy words of an image to shared memory."""
    return [
        f"scf.for %i{buffer} = %t to %c{words} step %c{threads} {{",
        f"  %w{buffer} = memref.load %{source}[%i{buffer}] : memref<{words}xi32>",
        f"  memref.store %w{buffer}, %{buffer}[%i{buffer}] : memref<{words}xi32, {SHARED}>",
        "}",
    ]


def product(
    a: Tile,
    b: Tile,
    columns: int,
    types: tuple[str, str, str],
    *,
    replaced: Callable[[list[str]], list[str]] = list,
    align: int | None = 1024,
    threads: int = 128,
    layouts: tuple[str, str] = ("row", "col"),
    scales: tuple[str, str] = ("one", "one"),
) -> str:
    """C = A * B of one tile; ``replaced`` changes the lines of the kernel."""
    words = {"A": len(a.words), "B": len(b.words)}
    held = struct(register_types(columns, types[2]))
    lines = [
        *fill("SA", "A", words["A"], threads),
        *fill("SB", "B", words["B"], threads),
        FENCE,
        "gpu.barrier",
        *descriptor("A", "%SA", f"memref<{words['A']}xi32, {SHARED}>", a),
        *descriptor("B", "%SB", f"memref<{words['B']}xi32, {SHARED}>", b),
        "nvvm.wgmma.fence.aligned",
        f"%acc0 = llvm.mlir.undef : {held}",
    ]
    for n in range(len(a.steps)):
        operands = (f"%dA{n}", f"%dB{n}", f"%acc{n}")
        lines.append(
            mma(
                f"%acc{n + 1}",
                operands,
                columns,
                types,
                starts=n == 0,
                layouts=layouts,
                scales=scales,
            )
        )
    lines += ["nvvm.wgmma.commit.group.sync.aligned", "nvvm.wgmma.wait.group.sync.aligned 0"]
    lines += store_registers(f"%acc{len(a.steps)}", columns, types[2])
    element = {"f16": "f16", "f32": "f32", "s32": "i32"}[types[2]]
    arguments = {name: f"memref<{count}xi32>" for name, count in words.items()}
    arguments["C"] = f"memref<64x{columns}x{element}>"
    shared: dict[str, tuple[str, int | None]] = {
        f"S{name}": (f"memref<{count}xi32, {SHARED}>", align) for name, count in words.items()
    }
    return program(arguments, shared, replaced(lines), threads=threads)


# A pipeline ------------------------------------------------------------------------------------


def pipeline(
    a: Sequence[Tile],
    b: Sequence[Tile],
    columns: int,
    *,
    stages: int = 2,
    replaced: Callable[[str], str] = str,
) -> str:
    """C = A * B over steps along k: one warp copies tiles in bulk to a ring of stages, four others
    multiply; mbarriers say which stages are full and which are empty."""
    steps = len(a)
    words_a, words_b = len(a[0].words), len(b[0].words)
    size = 4 * (words_a + words_b)
    type_a = f"memref<{stages}x{words_a}xi32, {SHARED}>"
    type_b = f"memref<{stages}x{words_b}xi32, {SHARED}>"
    barriers = f"memref<{stages}xi64, {SHARED}>"
    held = struct(register_types(columns, "f32"))

    def mbarrier(name: str, buffer: str, stage: str) -> list[str]:
        return [
            f"%{name}_p = {POINTER}(%{buffer}) : ({barriers}) -> index",
            f"%{name}_o = arith.muli {stage}, %c8 : index",
            f"%{name}_a = arith.addi %{name}_p, %{name}_o : index",
            f"%{name}_i = arith.index_cast %{name}_a : index to i64",
            f"%{name} = llvm.inttoptr %{name}_i : i64 to !llvm.ptr<3>",
        ]

    def wait(name: str, pointer: str, parity: str) -> list[str]:
        return [
            f"%{name}_t = arith.constant 1000000 : i32",
            f"nvvm.mbarrier.try_wait.parity {pointer}, {parity}, %{name}_t : "
            "!llvm.ptr<3>, i32, i32",
        ]

    def place(name: str, buffer: str, type_: str, row: str, words: int, space: int) -> list[str]:
        return [
            f"%{name}_p = {POINTER}(%{buffer}) : ({type_}) -> index",
            f"%{name}_s = arith.muli {row}, %c{4 * words} : index",
            f"%{name}_a = arith.addi %{name}_p, %{name}_s : index",
            f"%{name}_i = arith.index_cast %{name}_a : index to i64",
            f"%{name} = llvm.inttoptr %{name}_i : i64 to !llvm.ptr<{space}>",
        ]

    def copy(name: str, buffer: str, type_: str, source: str, words: int) -> list[str]:
        array = f"memref<{steps}x{words}xi32>"
        return [
            *place(f"to{name}", buffer, type_, "%s", words, 3),
            *place(f"from{name}", source, array, "%step", words, 1),
            f"%cluster{name} = llvm.addrspacecast %to{name} : !llvm.ptr<3> to !llvm.ptr<7>",
            f"%bytes{name} = arith.constant {4 * words} : i32",
            f"nvvm.cp.async.bulk.shared.cluster.global %cluster{name}, %from{name}, %full, "
            f"%bytes{name} : !llvm.ptr<7>, <1>",
        ]

    turn = [
        f"%s = arith.remui %step, %c{stages} : index",
        f"%round = arith.divui %step, %c{stages} : index",
        "%odd = arith.remui %round, %c2 : index",
        "%parity = arith.index_cast %odd : index to i32",
    ]
    initialised = [
        "scf.if %is_first {",
        f"scf.for %s = %c0 to %c{stages} step %c1 {{",
        *mbarrier("full", "F", "%s"),
        *mbarrier("empty", "E", "%s"),
        "nvvm.mbarrier.init %full, %one : !llvm.ptr<3>, i32",
        "nvvm.mbarrier.init %empty, %warps : !llvm.ptr<3>, i32",
        "}",
        "nvvm.fence.mbarrier.init",
        "}",
        "gpu.barrier",
    ]
    producer = [
        "scf.if %is_producer {",
        f"scf.for %step = %c0 to %c{steps} step %c1 {{",
        *turn,
        *mbarrier("full", "F", "%s"),
        *mbarrier("empty", "E", "%s"),
        "%other = arith.subi %one, %parity : i32",
        *wait("empty_now", "%empty", "%other"),
        f"%bytes = arith.constant {size} : i32",
        "%state = nvvm.mbarrier.arrive.expect_tx %full, %bytes : !llvm.ptr<3>, i32 -> i64",
        *copy("A", "SA", type_a, "A", words_a),
        *copy("B", "SB", type_b, "B", words_b),
        "}",
        "}",
    ]
    consumer = [
        "scf.if %is_consumer {",
        f"%start = llvm.mlir.zero : {held}",
        f"%sums = scf.for %step = %c0 to %c{steps} step %c1 "
        f"iter_args(%acc0 = %start) -> ({held}) {{",
        *turn,
        *mbarrier("full", "F", "%s"),
        *mbarrier("empty", "E", "%s"),
        *wait("full_now", "%full", "%parity"),
        *_stage_descriptor("A", "SA", type_a, words_a, a[0]),
        *_stage_descriptor("B", "SB", type_b, words_b, b[0]),
        "nvvm.wgmma.fence.aligned",
        *[
            mma(
                f"%acc{n + 1}",
                (f"%dA{n}", f"%dB{n}", f"%acc{n}"),
                columns,
                ("f16", "f16", "f32"),
            )
            for n in range(len(a[0].steps))
        ],
        "nvvm.wgmma.commit.group.sync.aligned",
        "nvvm.wgmma.wait.group.sync.aligned 0",
        "%in_warp = arith.remui %t, %c32 : index",
        "%is_lane = arith.cmpi eq, %in_warp, %c0 : index",
        "scf.if %is_lane {",
        "%before = nvvm.mbarrier.arrive %empty : !llvm.ptr<3> -> i64",
        "}",
        f"scf.yield %acc{len(a[0].steps)} : {held}",
        "}",
        *store_registers("%sums", columns, "f32"),
        "}",
    ]
    body = [
        "%one = arith.constant 1 : i32",
        "%warps = arith.constant 4 : i32",
        "%is_first = arith.cmpi eq, %t, %c0 : index",
        "%is_producer = arith.cmpi eq, %t, %c128 : index",
        "%is_consumer = arith.cmpi ult, %t, %c128 : index",
        *initialised,
        *producer,
        *consumer,
    ]
    arguments = {
        "A": f"memref<{steps}x{words_a}xi32>",
        "B": f"memref<{steps}x{words_b}xi32>",
        "C": f"memref<64x{columns}xf32>",
    }
    shared: dict[str, tuple[str, int | None]] = {
        "SA": (type_a, 1024),
        "SB": (type_b, 1024),
        "F": (barriers, None),
        "E": (barriers, None),
    }
    text = replaced("\n".join(body))
    return program(arguments, shared, text.splitlines(), threads=160)


def _stage_descriptor(name: str, buffer: str, type_: str, words: int, tile: Tile) -> list[str]:
    """The descriptors of a stage, whose number is %s."""
    first, *rest = descriptor(name, f"%{buffer}", type_, tile)
    del first
    return [
        f"%p{name}_all = {POINTER}(%{buffer}) : ({type_}) -> index",
        f"%p{name}_s = arith.muli %s, %c{4 * words} : index",
        f"%p{name} = arith.addi %p{name}_all, %p{name}_s : index",
        *rest,
    ]


# What goes from shared memory in bulk ------------------------------------------------------------


def bulk_store() -> tuple[str, np.ndarray, np.ndarray]:
    """B = A + 1, whose blocks of 64 are copied from shared memory in bulk; A, and B."""
    type_, array = f"memref<64xi32, {SHARED}>", "memref<128xi32>"
    body = [
        "%b = gpu.block_id x",
        "%one = arith.constant 1 : i32",
        "%bytes = arith.constant 256 : i32",
        "%is_first = arith.cmpi eq, %t, %c0 : index",
        "%first = arith.muli %b, %c64 : index",
        "%at = arith.addi %first, %t : index",
        f"%a = memref.load %A[%at] : {array}",
        "%word = arith.addi %a, %one : i32",
        f"memref.store %word, %S[%t] : {type_}",
        FENCE,
        "gpu.barrier",
        "scf.if %is_first {",
        f"%s = {POINTER}(%S) : ({type_}) -> index",
        "%si = arith.index_cast %s : index to i64",
        "%from = llvm.inttoptr %si : i64 to !llvm.ptr<3>",
        f"%g = {POINTER}(%B) : ({array}) -> index",
        "%g_o = arith.muli %first, %c4 : index",
        "%g_a = arith.addi %g, %g_o : index",
        "%gi = arith.index_cast %g_a : index to i64",
        "%to = llvm.inttoptr %gi : i64 to !llvm.ptr<1>",
        "nvvm.cp.async.bulk.global.shared.cta %to, %from, %bytes : <1>, <3>",
        "nvvm.cp.async.bulk.commit.group",
        "nvvm.cp.async.bulk.wait_group 0",
        "}",
    ]
    text = program({"A": array, "B": array}, {"S": (type_, None)}, body, threads=64, blocks=2)
    a = np.arange(128, dtype="int32")
    return text, a, a + 1
