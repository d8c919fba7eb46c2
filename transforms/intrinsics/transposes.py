"""Squares of a matrix that are transposed in registers: ``B[i, j] = A[j, i]``.

A row of n elements is a register of 128-bit lanes. Elements of neighbouring rows are interleaved
within the lanes, single ones and then pairs of them; then lanes are exchanged between registers.
Each step is a shuffle of two registers that is one instruction on x86 (unpack, shuffle of lanes)
and AArch64 (zip): 16 x 16 elements of 32 bits take 64.
"""

from __future__ import annotations

from collections.abc import Iterator

LANE_BITS = 128

SIZES = {"f32": (16, 8, 4), "f64": (8, 4, 2)}
"""The sizes of squares by the type of their elements."""


def name_of(element: str, size: int) -> str:
    """What the intrinsic is called: ``transpose_f32_16x16``."""
    return f"transpose_{element}_{size}x{size}"


class _Shuffles:
    """Writes shuffles of vectors of one type."""

    def __init__(self, element: str, size: int) -> None:
        self.type = f"vector<{size}x{element}>"
        self.lines: list[str] = []

    def shuffle(self, a: str, b: str, mask: list[int]) -> str:
        name = f"%s{len(self.lines)}"
        self.lines.append(f"{name} = vector.shuffle {a}, {b} {mask} : {self.type}, {self.type}")
        return name


def _interleaved(size: int, part: int, lane: int, upper: bool) -> list[int]:
    """Of two registers, the lower or upper halves of each lane, ``part`` elements in turns."""
    mask: list[int] = []
    for start in range(0, size, lane):
        first = start + (lane // 2 if upper else 0)
        for n in range(first, first + lane // 2, part):
            mask += [*range(n, n + part), *range(size + n, size + n + part)]
    return mask


def _lanes(size: int, lane: int, of_both: list[int]) -> list[int]:
    """Of two registers, these 128-bit lanes of the first, and the same ones of the second."""
    return [
        base + number * lane + n for base in (0, size) for number in of_both for n in range(lane)
    ]


def _transposed(rows: list[str], lane: int, code: _Shuffles) -> list[str]:
    """The columns of the square with these rows."""
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


def _text(element: str, size: int) -> Iterator[str]:
    square, lane = f"memref<{size}x{size}x{element}>", LANE_BITS // int(element[1:])
    part = f"memref<{size}x{size}x{element}, strided<[?, 1], offset: ?>>"
    code = _Shuffles(element, size)
    columns = _transposed([f"%r{n}" for n in range(size)], lane, code)
    yield f"""\
// B[i, j] = A[j, i]
module @{name_of(element, size)} {{
  func.func @description(%A: {square}, %B: {square}) {{
    tir.for %i in {size} {{
      tir.for %j in {size} {{
        tir.block "B" (spatial %v_i in {size} = %i, spatial %v_j in {size} = %j) do {{
          %a = tir.load %A[%v_j, %v_i] : {square}
          tir.store %a, %B[%v_i, %v_j] : {square}
        }}
      }}
    }}
    func.return
  }}
  func.func @implementation(%A: {part}, %B: {part}) {{"""
    for n in range(size):
        yield f"    %r{n} = tir.load %A[{n}, 0] : {part}, {code.type}"
    yield from (f"    {line}" for line in code.lines)
    for n, column in enumerate(columns):
        yield f"    tir.store {column}, %B[{n}, 0] : {part}, {code.type}"
    yield "    func.return\n  }\n}\n"


TEXT = "\n".join(
    line for element, sizes in SIZES.items() for size in sizes for line in _text(element, size)
)
"""The intrinsics."""
