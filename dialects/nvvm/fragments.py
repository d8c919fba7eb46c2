"""Fragments: tiles of matrices that the lanes of a warp hold in their registers."""

from __future__ import annotations

import re

from xdsl.dialects.builtin import IntAttr, StringAttr, bf16, f16, f32, i8, i32
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.nvvm.wmma import fragment as wmma_words

SCOPES = re.compile(r"wmma\.(matrix_[ab]|accumulator)|m\d+n\d+k\d+\.(matrix[ABC]|rowsC)")
"""The memory scopes of buffers of fragments."""

_BITS = {
    "f16": 16,
    "bf16": 16,
    "tf32": 32,
    "f32": 32,
    "s8": 8,
    "e4m3": 8,
    "e5m2": 8,
    "s32": 32,
}
_INSTRUCTIONS = ("wmma", "mma", "wgmma")
_MATRICES = {"wmma": ("a", "b", "c"), "mma": ("a", "b", "c", "rows"), "wgmma": ("c", "rows")}
_ELEMENTS = {f16: "f16", bf16: "bf16", f32: "f32", i32: "s32", i8: "s8"}
"""The PTX names of element types that a type alone determines."""

Matrices = tuple[int, bool, AffineExpr, AffineExpr]
"""Parameters of an ``ldmatrix`` that loads a fragment: the number of matrices, whether they are
transposed, and the row and column of the tile whose address lane d0 passes.
"""


@irdl_attr_definition
class FragmentAttr(ParametrizedAttribute):
    """``#nvvm.fragment<mma m16n8k16 a f16 row>``: the distribution of a tile of a matrix over a
    warp.

    ``a``, ``b`` and ``c`` are the matrices of ``c += a * b``; the sums are ``c``, too. The tile has
    the rows and columns of the matrix, except that a ``b`` with the layout ``col`` is transposed:
    [n, k]. A lane holds 32-bit words of one or more elements each. PTX specifies the elements for
    ``mma`` and ``wgmma`` (:meth:`lane_map`), and leaves them unspecified for ``wmma``.

    ``rows`` is a vector with a number for each row of ``c``, such as a maximum or a sum. All lanes
    that have elements of the row hold its number.

    ``wgmma`` reads A and B from shared memory: only C is a fragment, which the 128 lanes of four
    warps hold. Its k is that of one instruction.
    """

    name = "nvvm.fragment"
    instruction_name: StringAttr
    m: IntAttr
    n: IntAttr
    k: IntAttr
    matrix_name: StringAttr
    element_name: StringAttr
    layout_name: StringAttr

    def __init__(
        self,
        instruction: str,
        shape: tuple[int, int, int],
        matrix: str,
        element: str,
        layout: str = "row",
    ) -> None:
        m, n, k = shape
        super().__init__(
            StringAttr(instruction),
            IntAttr(m),
            IntAttr(n),
            IntAttr(k),
            StringAttr(matrix),
            StringAttr(element),
            StringAttr(layout),
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[StringAttr | IntAttr]:
        with parser.in_angle_brackets():
            instruction = parser.parse_identifier()
            position = parser.pos
            sizes = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", parser.parse_identifier())
            if sizes is None:
                parser.raise_error("expected sizes such as m16n8k16", position)
            words = [parser.parse_identifier() for _ in range(3)]
        return [
            StringAttr(instruction),
            *(IntAttr(int(size)) for size in sizes.groups()),
            *map(StringAttr, words),
        ]

    def print_parameters(self, printer: Printer) -> None:
        m, n, k = self.shape
        printer.print_string(
            f"<{self.instruction} m{m}n{n}k{k} {self.matrix} {self.element} {self.layout}>"
        )

    def verify(self) -> None:
        for what, value, allowed in (
            ("instruction", self.instruction, _INSTRUCTIONS),
            ("matrix", self.matrix, _MATRICES[self.instruction]),
            ("element type", self.element, tuple(_BITS)),
            ("layout", self.layout, ("row", "col") if self.matrix == "b" else ("row",)),
        ):
            if value not in allowed:
                raise VerifyException(
                    f"#nvvm.fragment: the {what} is {' or '.join(allowed)}, not {value}"
                )
        if self.is_rows and _BITS[self.element] != 32:
            raise VerifyException(
                f"#nvvm.fragment: numbers of rows have 32 bits, and {self.element} has "
                f"{_BITS[self.element]}"
            )
        m, n, k = self.shape
        if self.is_mma and (m, n) != (16, 8):
            raise VerifyException(f"#nvvm.fragment: mma has m16n8, not m{m}n{n}k{k}")
        if self.is_wgmma and (m != 64 or n % 8 or not 8 <= n <= 256):
            raise VerifyException(
                f"#nvvm.fragment: wgmma has m64 and n a multiple of 8 up to 256, not m{m}n{n}k{k}"
            )

    @property
    def instruction(self) -> str:
        """wmma, mma or wgmma."""
        return self.instruction_name.data

    @property
    def is_mma(self) -> bool:
        """True if the lanes hold the elements that PTX specifies for ``mma.sync``."""
        return self.instruction == "mma"

    @property
    def is_wgmma(self) -> bool:
        """True if four warps hold the tile together, for ``wgmma.mma_async``."""
        return self.instruction == "wgmma"

    @property
    def is_rows(self) -> bool:
        """True if the fragment is a vector with a number for each row of C."""
        return self.matrix == "rows"

    @classmethod
    def of_scope(cls, scope: str, element: Attribute) -> FragmentAttr | None:
        """The fragment of a buffer, from its memory scope and element type, if these determine it:
        C, rows of C, or an A of ``mma`` that is not tf32. None otherwise.
        """
        parts = re.fullmatch(r"m(\d+)n(\d+)k(\d+)\.(matrixA|matrixC|rowsC)", scope)
        name = _ELEMENTS.get(element)
        if parts is None or name is None:
            return None
        m, n, k = (int(size) for size in parts.groups()[:3])
        matrix = {"matrixA": "a", "matrixC": "c", "rowsC": "rows"}[parts[4]]
        if (matrix == "a" and name in ("f32", "s32")) or (matrix == "rows" and _BITS[name] != 32):
            return None
        instruction = "mma" if m == 16 else "wgmma"
        if matrix not in _MATRICES[instruction]:
            return None
        return cls(instruction, (m, n, k), matrix, name)

    @property
    def lanes(self) -> int:
        """The number of lanes that hold the tile."""
        return 128 if self.is_wgmma else 32

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, n and k."""
        return self.m.data, self.n.data, self.k.data

    @property
    def matrix(self) -> str:
        """a, b or c."""
        return self.matrix_name.data

    @property
    def element(self) -> str:
        """The element type by its PTX name."""
        return self.element_name.data

    @property
    def layout(self) -> str:
        """The layout: row, or col for a tile of B that is [n, k]."""
        return self.layout_name.data

    @property
    def scope(self) -> str:
        """The memory scope of buffers of such tiles."""
        if self.instruction == "wmma":
            return "wmma.accumulator" if self.matrix == "c" else f"wmma.matrix_{self.matrix}"
        m, n, k = self.shape
        return f"m{m}n{n}k{k}." + ("rowsC" if self.is_rows else f"matrix{self.matrix.upper()}")

    @property
    def tile(self) -> tuple[int, ...]:
        """The numbers of rows and columns of the tile; for a vector of rows, its length."""
        m, n, k = self.shape
        if self.is_rows:
            return (m,)
        if self.matrix == "b":
            return (k, n) if self.layout == "row" else (n, k)
        return (m, k) if self.matrix == "a" else (m, n)

    @property
    def each(self) -> int:
        """The number of elements in a word."""
        return 32 // _BITS[self.element]

    @property
    def words(self) -> int:
        """The number of words in a lane."""
        if self.instruction == "wmma":
            return len(wmma_words(self.shape, self.element, self.matrix))
        if self.is_rows:
            return 2
        rows, columns = self.tile
        return rows * columns // self.lanes // self.each

    @property
    def word(self) -> str:
        """The type of a word, as text."""
        return "f32" if self.element == "f32" else "i32"

    @property
    def word_type(self) -> Attribute:
        """The type of a word."""
        return f32 if self.word == "f32" else i32

    def lane_map(self) -> AffineMap | None:
        """The element of the tile that lane d0 holds as its element d1; None if PTX does not
        specify it.
        """
        if self.instruction == "wmma":
            return None
        lane, number = AffineExpr.dimension(0), AffineExpr.dimension(1)
        group, place = lane // 4, lane % 4
        if self.is_rows:
            row = lane // 32 * 16 + group % 8 if self.is_wgmma else group
            return AffineMap(2, 0, (row + number * 8,))
        if self.is_wgmma:  # each of four warps has 16 rows, eight columns after eight
            row = lane // 32 * 16 + group % 8 + number // 2 % 2 * 8
            return AffineMap(2, 0, (row, number // 4 * 8 + place * 2 + number % 2))
        if self.matrix == "c":
            return AffineMap(2, 0, (group + (number // 2) * 8, place * 2 + number % 2))
        word, part = number // self.each, number % self.each
        along = place * self.each + part
        if self.matrix == "a":
            return AffineMap(2, 0, (group + (word % 2) * 8, along + (word // 2) * (4 * self.each)))
        depth = along + word * (4 * self.each)
        return AffineMap(2, 0, (group, depth) if self.layout == "col" else (depth, group))

    def element_of(self, lane: str, number: int) -> tuple[str, str]:
        """The row and column of an element of a lane, as text in terms of the name of the lane."""
        map_ = self.lane_map()
        assert map_ is not None
        fixed = map_.replace_dims_and_symbols(
            [AffineExpr.dimension(0), AffineExpr.constant(number)], [], 1, 0
        )
        row, column = (str(expr).replace("d0", lane) for expr in fixed.results)
        return row, column

    @property
    def rows_of_matrices(self) -> Matrices | None:
        """The parameters of the ``ldmatrix`` that loads the tile from shared memory; None if none
        can.
        """
        if not self.is_mma or self.matrix == "c":
            return None
        lane = AffineExpr.dimension(0)
        per_row = 4 * self.each  # elements of the 16 bytes that a row of a matrix has
        if self.matrix == "a":
            return self.words, False, lane % 16, (lane // 16) * per_row % self.shape[2]
        if self.layout == "col":
            return self.words, False, lane % 8, (lane // 8) * per_row % self.shape[2]
        zero = AffineExpr.constant(0)
        return (self.words, True, lane % self.shape[2], zero) if self.each == 2 else None
