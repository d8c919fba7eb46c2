"""Attributes of the nvvm dialect for shapes of matrices."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer


class ShapeAttr(ParametrizedAttribute, ABC):
    """Sizes by name: ``<m = 16, n = 8>``."""

    SIZES: ClassVar[tuple[str, ...]]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(
                ", ".join(
                    f"{name} = {size}" for name, size in zip(self.SIZES, self.sizes, strict=True)
                )
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[IntAttr]:
        sizes: list[IntAttr] = []
        with parser.in_angle_brackets():
            for name in cls.SIZES:
                if sizes:
                    parser.parse_punctuation(",")
                parser.parse_keyword(name)
                parser.parse_punctuation("=")
                sizes.append(IntAttr(parser.parse_integer()))
        return sizes

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(size.data for size in self.parameters if isinstance(size, IntAttr))


@irdl_attr_definition
class MMAShapeAttr(ShapeAttr):
    """``#nvvm.shape<m = 16, n = 8, k = 16>``: the shape of the product of m x k and k x n
    elements.
    """

    name = "nvvm.shape"
    SIZES = ("m", "n", "k")
    m: IntAttr
    n: IntAttr
    k: IntAttr

    def __init__(self, m: int, n: int, k: int) -> None:
        super().__init__(IntAttr(m), IntAttr(n), IntAttr(k))


@irdl_attr_definition
class LdStMatrixShapeAttr(ShapeAttr):
    """``#nvvm.ld_st_matrix_shape<m = 8, n = 8>``: rows and columns of a matrix."""

    name = "nvvm.ld_st_matrix_shape"
    SIZES = ("m", "n")
    m: IntAttr
    n: IntAttr

    def __init__(self, m: int, n: int) -> None:
        super().__init__(IntAttr(m), IntAttr(n))
