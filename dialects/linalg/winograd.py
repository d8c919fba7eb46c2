"""Winograd's transforms of a convolution (Lavin and Gray, "Fast Algorithms for Convolutional Neural
Networks", 2016): of its filter, of its input, and back to its output.

::

    %u = linalg.winograd_filter_transform fmr(F_4_3) ins(%filter : tensor<2x3x3x5xf32>)
           outs(%e : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>

F(m, r) computes tiles of m x m outputs of a filter of r x r from tiles of (m + r - 1) x (m + r - 1)
inputs. For a filter with a single row or column, only the other dimension is transformed. xDSL
lacks these ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IntegerAttr, TensorType, i32
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

SIZES = {"F_2_3": (2, 3), "F_4_3": (4, 3), "F_2_5": (2, 5)}
"""The values of m and r of each algorithm by name, in the order of their numbers."""


def _shape(value: SSAValue) -> Sequence[int]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


class WinogradOp(IRDLOperation):
    """A Winograd transform: a tensor operand, and an output of the result's type."""

    source = operand_def(TensorType)
    output = operand_def(TensorType)
    fmr = prop_def(IntegerAttr)
    result = result_def(TensorType)

    RANKS: ClassVar[tuple[int, int]] = (0, 0)
    """The ranks of the operand and of the result."""

    @property
    def algorithm(self) -> str:
        """The name of the algorithm, such as ``F_4_3``."""
        return list(SIZES)[self.fmr.value.data]

    @property
    def is_transformed(self) -> tuple[bool, bool]:
        """Two flags: the rows are transformed, and the columns are transformed."""
        raise NotImplementedError

    def expected_sizes(self) -> Sequence[int]:
        """The expected sizes of the result, with -1 for unknown ones."""
        raise NotImplementedError

    def verify_(self) -> None:
        if not 0 <= self.fmr.value.data < len(SIZES):
            raise VerifyException(f"{self.name}: fmr must be one of {', '.join(SIZES)}")
        source, result = self.source.type, self.result.type
        assert isinstance(source, TensorType)
        assert isinstance(result, TensorType)
        if result != self.output.type or not isinstance(result.element_type, AnyFloat):
            raise VerifyException(
                f"{self.name}: the result must have the type of outs(...), with float elements, "
                f"not {result}"
            )
        shapes = source.get_shape(), result.get_shape()
        if tuple(map(len, shapes)) != self.RANKS or source.element_type != result.element_type:
            raise VerifyException(
                f"{self.name}: takes {self.RANKS[0]} and gives {self.RANKS[1]} dimensions of the "
                f"same elements, not {source} and {result}"
            )
        expected = self.expected_sizes()
        if not any(self.is_transformed) or any(
            DYNAMIC_INDEX not in (a, b) and a != b
            for a, b in zip(expected, result.get_shape(), strict=True)
        ):
            sizes = "x".join("?" if size < 0 else str(size) for size in expected)
            raise VerifyException(
                f"{self.name}: {self.algorithm} maps {source} to the sizes {sizes}, not to {result}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> WinogradOp:
        attributes = parser.parse_optional_attr_dict()
        parser.parse_keyword("fmr")
        with parser.in_parens():
            at, name = parser.pos, parser.parse_identifier()
            if name not in SIZES:
                parser.raise_error(f"{cls.name}: fmr must be one of {', '.join(SIZES)}", at)
        operands: list[SSAValue] = []
        for word in ("ins", "outs"):
            parser.parse_keyword(word)
            with parser.in_parens():
                operand = parser.parse_unresolved_operand()
                parser.parse_punctuation(":")
                operands.append(parser.resolve_operand(operand, parser.parse_type()))
        parser.parse_punctuation("->")
        return cls.build(
            operands=operands,
            properties={"fmr": IntegerAttr(list(SIZES).index(name), i32)},
            attributes=attributes,
            result_types=[parser.parse_type()],
        )

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" fmr({self.algorithm})")
        for word, value in (("ins", self.source), ("outs", self.output)):
            printer.print_string(f" {word}(")
            printer.print_ssa_value(value)
            printer.print_string(" : ")
            printer.print_attribute(value.type)
            printer.print_string(")")
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class WinogradFilterTransformOp(WinogradOp):
    """G f Gt of each filter: (F, r, r, C) -> (m + r - 1, m + r - 1, C, F)."""

    name = "linalg.winograd_filter_transform"
    RANKS: ClassVar[tuple[int, int]] = (4, 4)

    @property
    def is_transformed(self) -> tuple[bool, bool]:
        _, rows, columns, _ = _shape(self.source)
        return rows != 1, columns != 1

    def expected_sizes(self) -> Sequence[int]:
        m, r = SIZES[self.algorithm]
        filters, *window, channels = _shape(self.source)
        if any(size not in (1, r) for size in window):
            raise VerifyException(
                f"{self.name}: {self.algorithm} has filters of {r} x {r}, {r} x 1 or 1 x {r}, not "
                f"{self.source.type}"
            )
        return [*(1 if size == 1 else m + r - 1 for size in window), channels, filters]


@irdl_op_definition
class WinogradInputTransformOp(WinogradOp):
    """Bt d B of each tile: (N, H, W, C) -> (m + r - 1, m + r - 1, tiles in H, in W, N, C)."""

    name = "linalg.winograd_input_transform"
    RANKS: ClassVar[tuple[int, int]] = (4, 6)

    @property
    def is_transformed(self) -> tuple[bool, bool]:
        rows, columns, *_ = _shape(self.result)
        return rows != 1, columns != 1

    def expected_sizes(self) -> Sequence[int]:
        m, r = SIZES[self.algorithm]
        images, *sizes, channels = _shape(self.source)
        pairs = list(zip(sizes, self.is_transformed, strict=True))
        tiles = [(n - r + 1) // m if n >= 0 and is_tiled else n for n, is_tiled in pairs]
        windows = [m + r - 1 if is_tiled else 1 for _, is_tiled in pairs]
        return [*windows, *tiles, images, channels]


@irdl_op_definition
class WinogradOutputTransformOp(WinogradOp):
    """At y A of each tile: (m + r - 1, m + r - 1, tiles in H, in W, N, F) -> (N, H, W, F)."""

    name = "linalg.winograd_output_transform"
    RANKS: ClassVar[tuple[int, int]] = (6, 4)

    @property
    def is_transformed(self) -> tuple[bool, bool]:
        rows, columns, *_ = _shape(self.source)
        return rows != 1, columns != 1

    def expected_sizes(self) -> Sequence[int]:
        m, r = SIZES[self.algorithm]
        *windows, rows, columns, images, filters = _shape(self.source)
        if any(size not in (1, m + r - 1) for size in windows):
            raise VerifyException(
                f"{self.name}: tiles of {self.algorithm} have {m + r - 1} elements, not "
                f"{self.source.type}"
            )
        sizes = [
            n * m if n >= 0 and is_tiled else n
            for n, is_tiled in zip((rows, columns), self.is_transformed, strict=True)
        ]
        return [images, *sizes, filters]


WINOGRAD_OPS = (WinogradFilterTransformOp, WinogradInputTransformOp, WinogradOutputTransformOp)
