"""``linalg.pack`` and ``linalg.unpack``: a tensor in tiles, whose dimensions come last.

::

    %p = linalg.pack %x padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1]
           inner_tiles = [8, 4] into %d : tensor<?x?xf32> -> tensor<?x?x8x4xf32>
    %u = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [0, 1]
           inner_tiles = [8, 4] into %e : tensor<?x?x8x4xf32> -> tensor<?x?xf32>

xDSL lacks these ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    MemRefType,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

_SHAPED = base(TensorType) | base(MemRefType)


def _numbers(attr: DenseArrayBase | None) -> list[int]:
    return [] if attr is None else [int(number) for number in attr.iter_values()]  # pyright: ignore


def _shape(value: SSAValue) -> list[int]:
    assert isinstance(value.type, TensorType | MemRefType)
    return list(value.type.get_shape())


class Tiled:
    """Common parts of pack and unpack: the tiled dimensions, the tile sizes, and the order of
    tiles.
    """

    if TYPE_CHECKING:
        name: str
        source: SSAValue
        dest: SSAValue
        inner_tiles: Sequence[SSAValue]
        outer_dims_perm: DenseArrayBase | None
        inner_dims_pos: DenseArrayBase
        static_inner_tiles: DenseArrayBase
        attributes: dict[str, Attribute]

    @property
    def tiled(self) -> list[int]:
        """The tiled dimensions, in the order of the tiles."""
        return _numbers(self.inner_dims_pos)

    @property
    def tiles(self) -> list[int]:
        """The size of each tile; DYNAMIC_INDEX stands for an operand."""
        return _numbers(self.static_inner_tiles)

    @property
    def order(self) -> list[int]:
        """For each outer dimension of the packed tensor, the dimension of the plain tensor."""
        return _numbers(self.outer_dims_perm) or list(range(len(_shape(self.plain))))

    @property
    def plain(self) -> SSAValue:
        """The operand without tiles."""
        return self.source

    @property
    def packed(self) -> SSAValue:
        """The operand with tiles."""
        return self.dest

    def verify_(self) -> None:
        plain, packed = _shape(self.plain), _shape(self.packed)
        rank = len(plain)
        if len(set(self.tiled)) != len(self.tiled) or any(not 0 <= n < rank for n in self.tiled):
            raise VerifyException(f"{self.name}: inner_dims_pos names dimensions, each once")
        if len(self.tiles) != len(self.tiled) or any(
            size != DYNAMIC_INDEX and size < 1 for size in self.tiles
        ):
            raise VerifyException(f"{self.name}: inner_tiles has a size for each of inner_dims_pos")
        if self.tiles.count(DYNAMIC_INDEX) != len(self.inner_tiles):
            raise VerifyException(f"{self.name}: it needs an operand for each unknown size")
        if sorted(self.order) != list(range(rank)):
            raise VerifyException(f"{self.name}: outer_dims_perm is an order of the dimensions")
        if len(packed) != rank + len(self.tiles):
            raise VerifyException(f"{self.name}: the packed type has a dimension for each tile")
        for have, size in zip(packed[rank:], self.tiles, strict=True):
            if DYNAMIC_INDEX not in (have, size) and have != size:
                raise VerifyException(f"{self.name}: a tile of {size} in a dimension of {have}")

    def _print_tail(self, printer: Printer) -> None:
        if self.outer_dims_perm is not None:
            printer.print_string(f" outer_dims_perm = {self.order}")
        printer.print_string(f" inner_dims_pos = {self.tiled} inner_tiles = [")
        rest = iter(self.inner_tiles)
        for n, size in enumerate(self.tiles):
            printer.print_string(", " if n else "")
            if size == DYNAMIC_INDEX:
                printer.print_operand(next(rest))
            else:
                printer.print_string(str(size))
        printer.print_string("] into ")
        printer.print_operand(self.dest)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.dest.type)


def _parse_list(parser: Parser) -> list[int]:
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)


def _parse_tail(parser: Parser, source: Any, padding: Sequence[SSAValue]) -> dict[str, Any]:
    """Operands, properties and results, from ``outer_dims_perm`` on."""
    properties: dict[str, Any] = {}
    if parser.parse_optional_keyword("outer_dims_perm"):
        parser.parse_punctuation("=")
        properties["outer_dims_perm"] = DenseArrayBase.from_list(i64, _parse_list(parser))
    parser.parse_keyword("inner_dims_pos")
    parser.parse_punctuation("=")
    properties["inner_dims_pos"] = DenseArrayBase.from_list(i64, _parse_list(parser))
    parser.parse_keyword("inner_tiles")
    parser.parse_punctuation("=")
    dynamic: list[SSAValue] = []

    def tile() -> int:
        name = parser.parse_optional_unresolved_operand()
        if name is None:
            return parser.parse_integer()
        dynamic.append(parser.resolve_operand(name, IndexType()))
        return DYNAMIC_INDEX

    tiles = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, tile)
    properties["static_inner_tiles"] = DenseArrayBase.from_list(i64, tiles)
    parser.parse_keyword("into")
    dest = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    source_type = parser.parse_type()
    parser.parse_punctuation("->")
    dest_type = parser.parse_type()
    groups: list[Any] = [
        parser.resolve_operand(source, source_type),
        parser.resolve_operand(dest, dest_type),
    ]
    return {
        "operands": [*groups, *padding, dynamic],
        "properties": properties,
        "attributes": attributes,
        "result_types": [[dest_type] if isinstance(dest_type, TensorType) else []],
    }


@irdl_op_definition
class PackOp(Tiled, IRDLOperation):
    """A tensor rearranged into tiles, padded with ``padding_value``."""

    name = "linalg.pack"

    source = operand_def(_SHAPED)
    dest = operand_def(_SHAPED)
    padding_value = opt_operand_def()
    inner_tiles = var_operand_def(IndexType)
    outer_dims_perm = opt_prop_def(DenseArrayBase)
    inner_dims_pos = prop_def(DenseArrayBase)
    static_inner_tiles = prop_def(DenseArrayBase)
    results_ = var_result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def parse(cls, parser: Parser) -> PackOp:
        source = parser.parse_unresolved_operand()
        padding: list[SSAValue] = []
        if parser.parse_optional_keyword("padding_value"):
            with parser.in_parens():
                value = parser.parse_unresolved_operand()
                parser.parse_punctuation(":")
                padding.append(parser.resolve_operand(value, parser.parse_type()))
        return cls.build(**_parse_tail(parser, source, [padding]))  # pyright: ignore

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.source)
        if self.padding_value is not None:
            printer.print_string(" padding_value(")
            printer.print_operand(self.padding_value)
            printer.print_string(" : ")
            printer.print_attribute(self.padding_value.type)
            printer.print_string(")")
        self._print_tail(printer)


@irdl_op_definition
class UnPackOp(Tiled, IRDLOperation):
    """A plain tensor from a tiled tensor, without the padding."""

    name = "linalg.unpack"

    source = operand_def(_SHAPED)
    dest = operand_def(_SHAPED)
    inner_tiles = var_operand_def(IndexType)
    outer_dims_perm = opt_prop_def(DenseArrayBase)
    inner_dims_pos = prop_def(DenseArrayBase)
    static_inner_tiles = prop_def(DenseArrayBase)
    results_ = var_result_def(TensorType)

    @property
    def plain(self) -> SSAValue:
        return self.dest

    @property
    def packed(self) -> SSAValue:
        return self.source

    @classmethod
    def parse(cls, parser: Parser) -> UnPackOp:
        return cls.build(**_parse_tail(parser, parser.parse_unresolved_operand(), []))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.source)
        self._print_tail(printer)
