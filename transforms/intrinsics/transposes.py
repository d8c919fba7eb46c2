"""Transposition of parts of a matrix in registers: ``B[i, j] = A[j, i]``.

A row of n elements is a register of 128-bit lanes. Elements of adjacent rows are interleaved within
the lanes, first single elements, then pairs; then lanes are exchanged between registers. Each step
is a shuffle of two registers that is one instruction on x86 (unpack, shuffle of lanes) and AArch64
(zip): 16 x 16 elements of 32 bits take 64. With fewer rows, as in ``transpose_f32_14x16``, the
columns are parts of registers. They are stored under a mask, or, on machines without masks, whose
registers have one lane, in two pieces. With shorter rows, as in ``transpose_f32_16x5``, parts of
registers are loaded under a mask. Values computed from missing rows and columns have no uses, and
LLVM removes them.

Two or four short rows of narrow elements, as in ``transpose_i8_4x16``, are interleaved, and then
pairs of them; the result is stored as one vector.

The text of an intrinsic is an attribute of this module with the name of the intrinsic.
"""

from __future__ import annotations

from collections.abc import Iterator

from kc.transforms.intrinsics.transpose_names import (
    INTERLEAVED,
    register_size,
    transpose_intrins,
)

LANE_BITS = 128


def __getattr__(name: str) -> str:
    shape = transpose_intrins().get(name)
    if shape is None:
        raise AttributeError(f"module {__name__!r} has no tensor intrinsic {name!r}")
    text = _interleaving if shape[0] in INTERLEAVED else _text
    return "\n".join(text(name, *shape))


class Shuffles:
    """A writer of shuffles of vectors of one type."""

    def __init__(self, element: str, size: int) -> None:
        self.type = f"vector<{size}x{element}>"
        self.lines: list[str] = []

    def shuffle(self, a: str, b: str, mask: list[int]) -> str:
        name = f"%s{len(self.lines)}"
        self.lines.append(f"{name} = vector.shuffle {a}, {b} {mask} : {self.type}, {self.type}")
        return name


def _interleaved(size: int, part: int, lane: int, upper: bool) -> list[int]:
    """The shuffle mask that interleaves the lower or upper halves of the lanes of two registers,
    ``part`` elements at a time.
    """
    mask: list[int] = []
    for start in range(0, size, lane):
        first = start + (lane // 2 if upper else 0)
        for n in range(first, first + lane // 2, part):
            mask += [*range(n, n + part), *range(size + n, size + n + part)]
    return mask


def _lanes(size: int, lane: int, of_both: list[int]) -> list[int]:
    """The shuffle mask that selects the 128-bit lanes ``of_both`` from each of two registers."""
    return [
        base + number * lane + n for base in (0, size) for number in of_both for n in range(lane)
    ]


def transposed(rows: list[str], lane: int, code: Shuffles) -> list[str]:
    """The columns of a square, computed from its rows."""
    size = len(rows)
    # Within groups of as many rows as a lane has elements: register g * lane + c then holds in
    # lane L the column L * lane + c of the rows of group g.
    part = 1
    while part < lane:
        mixed = list(rows)
        for group in range(0, size, 2 * part):
            for n in range(part):
                a, b = rows[group + n], rows[group + n + part]
                for upper in (False, True):
                    mask = _interleaved(size, part, lane, upper)
                    mixed[group + 2 * n + upper] = code.shuffle(a, b, mask)
        rows, part = mixed, 2 * part
    groups = size // lane
    columns = [""] * size
    for c in range(lane):
        registers = [rows[g * lane + c] for g in range(groups)]
        if groups == 2:
            first, second = registers
            registers = [code.shuffle(first, second, _lanes(size, lane, [n])) for n in range(2)]
        elif groups == 4:
            even, odd = _lanes(size, lane, [0, 2]), _lanes(size, lane, [1, 3])
            first, second, third, fourth = registers
            pairs = ((first, second), (third, fourth))
            halves = [code.shuffle(a, b, mask) for mask in (even, odd) for a, b in pairs]
            registers = [
                code.shuffle(halves[2 * (n % 2)], halves[2 * (n % 2) + 1], (even, odd)[n // 2])
                for n in range(4)
            ]
        for n, register in enumerate(registers):
            columns[n * lane + c] = register
    return columns


def _described(
    name: str, element: str, rows: int, size: int, layouts: tuple[str, str]
) -> Iterator[str]:
    """The beginning of the text: the description, and the head of the implementation."""
    source, target = f"memref<{rows}x{size}x{element}", f"memref<{size}x{rows}x{element}"
    source_part, target_part = f"{source}, {layouts[0]}>", f"{target}, {layouts[1]}>"
    yield f"""\
// B[i, j] = A[j, i]
module @{name} {{
  func.func @description(%A: {source}>, %B: {target}>) {{
    tir.for %i in {size} {{
      tir.for %j in {rows} {{
        tir.block "B" (spatial %v_i in {size} = %i, spatial %v_j in {rows} = %j) do {{
          %a = tir.load %A[%v_j, %v_i] : {source}>
          tir.store %a, %B[%v_i, %v_j] : {target}>
        }}
      }}
    }}
    func.return
  }}
  func.func @implementation(%A: {source_part}, %B: {target_part}) {{"""


def _interleaving(name: str, element: str, rows: int, size: int) -> Iterator[str]:
    source, dense = "strided<[?, 1], offset: ?>", f"strided<[{rows}, 1], offset: ?>"
    yield from _described(name, element, rows, size, (source, dense))
    values = [f"%r{n}" for n in range(rows)]
    for n, value in enumerate(values):
        row = f"memref<{rows}x{size}x{element}, {source}>, vector<{size}x{element}>"
        yield f"    {value} = tir.load %A[{n}, 0] : {row}"
    # Rows n and n + rows/2 alternate, so each half of a column comes from one of the two.
    width = 1
    while len(values) > 1:
        half, count = len(values) // 2, size * width
        mixed: list[str] = []
        mask = [lane for n in range(count) for lane in (n, count + n)]
        for n in range(half):
            type_, value = f"vector<{count}x{element}>", f"%m{width}_{n}"
            both = f"{values[n]}, {values[n + half]}"
            yield f"    {value} = vector.shuffle {both} {mask} : {type_}, {type_}"
            mixed.append(value)
        values, width = mixed, 2 * width
    target = f"memref<{size}x{rows}x{element}, {dense}>, vector<{rows}x{element}>"
    whole = f"vector<{rows * size}x{element}>"
    for n in range(size):
        lanes = list(range(n * rows, (n + 1) * rows))
        column = f"{values[0]}, {values[0]} {lanes} : {whole}, {whole}"
        yield f"    %c{n} = vector.shuffle {column}"
        yield f"    tir.store %c{n}, %B[{n}, 0] : {target}"
    yield "    func.return\n  }\n}\n"


def _text(name: str, element: str, rows: int, columns: int) -> Iterator[str]:
    source, target = f"memref<{rows}x{columns}x{element}", f"memref<{columns}x{rows}x{element}"
    strided = "strided<[?, 1], offset: ?>"
    source_part, target_part = f"{source}, {strided}>", f"{target}, {strided}>"
    lane = LANE_BITS // int(element[1:])
    size = register_size(element, rows, columns)
    code = Shuffles(element, size)
    turned = transposed([f"%r{min(n, rows - 1)}" for n in range(size)], lane, code)[:columns]
    in_parts = rows < size and size > lane
    mask_type = f"vector<{size}xi1>"
    yield from _described(name, element, rows, columns, (strided, strided))
    if in_parts or columns < size:
        yield "    %first = arith.constant 0 : index"
        yield from (f"    %n{n} = arith.constant {n} : index" for n in range(max(rows, columns)))
    if columns < size:
        yield f"    %loaded = arith.constant dense<[{_mask(columns, size)}]> : {mask_type}"
        yield f"    %none = arith.constant dense<{0 if element[0] == 'i' else '0.0'}> : {code.type}"
    for n in range(rows):
        if columns < size:
            place = f"%A[%n{n}, %first], %loaded, %none"
            types = f"{source_part}, {mask_type}, {code.type} into {code.type}"
            yield f"    %r{n} = vector.maskedload {place} : {types}"
        else:
            yield f"    %r{n} = tir.load %A[{n}, 0] : {source_part}, {code.type}"
    yield from (f"    {line}" for line in code.lines)
    if rows == size:
        for n, column in enumerate(turned):
            yield f"    tir.store {column}, %B[{n}, 0] : {target_part}, {code.type}"
    elif in_parts:
        yield f"    %mask = arith.constant dense<[{_mask(rows, size)}]> : {mask_type}"
        for n, column in enumerate(turned):
            place = f"%B[%n{n}, %first], %mask, {column}"
            yield f"    vector.maskedstore {place} : {target_part}, {mask_type}, {code.type}"
    else:
        for n, column in enumerate(turned):
            yield from _pieces(n, column, rows, target_part, code.type)
    yield "    func.return\n  }\n}\n"


def _mask(count: int, size: int) -> str:
    """The elements of a mask for the first ``count`` of ``size`` lanes."""
    return ", ".join(str(n < count).lower() for n in range(size))


def _pieces(n: int, column: str, count: int, target: str, type_: str) -> Iterator[str]:
    """Stores of the first ``count`` elements of column ``n``, in pieces whose sizes are powers of
    two.
    """
    start = 0
    while start < count:
        size = 1 << ((count - start).bit_length() - 1)
        part = f"vector<{size}x{type_.rpartition('x')[2]}"
        name, lanes = f"%p{n}_{start}", list(range(start, start + size))
        yield f"    {name} = vector.shuffle {column}, {column} {lanes} : {type_}, {type_}"
        yield f"    tir.store {name}, %B[{n}, {start}] : {target}, {part}"
        start += size
