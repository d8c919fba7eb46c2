"""Ops of ``vector`` that combine elements."""

from __future__ import annotations

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    VectorType,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineDimExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from kc.dialects.vector.sizes import (
    integers,
    shape_of,
    verify_elements,
    verify_shape,
)

_KIND = CombiningKindAttr(CombiningKindFlag.ADD)


@irdl_op_definition
class MultiReductionOp(IRDLOperation):
    """``vector.multi_reduction <add>, %v, %acc [1] : vector<4x8xf32> to vector<4xf32>``."""

    name = "vector.multi_reduction"

    kind = prop_def(CombiningKindAttr)
    source = operand_def(VectorType)
    acc = operand_def()
    reduction_dims = prop_def(DenseArrayBase.constr(i64))
    fastmath = opt_prop_def(FastMathFlagsAttr)
    dest = result_def()

    traits = traits_def(Pure())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.kind.print_parameter(printer)
        printer.print_string(", ")
        printer.print_list((self.source, self.acc), printer.print_ssa_value)
        shown = dict(self.attributes)
        if self.fastmath is not None:
            shown["fastmath"] = self.fastmath
        printer.print_op_attributes(shown)
        printer.print_string(f" {self.reduced} : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" to ")
        printer.print_attribute(self.dest.type)

    @classmethod
    def parse(cls, parser: Parser) -> MultiReductionOp:
        kind = CombiningKindAttr(CombiningKindAttr.parse_parameter(parser))
        parser.parse_punctuation(",")
        source = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        acc = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        parser.parse_punctuation(":")
        source_type = parser.parse_type()
        parser.parse_keyword("to")
        dest_type = parser.parse_type()
        properties: dict[str, Attribute] = {
            "kind": kind,
            "reduction_dims": DenseArrayBase.from_list(i64, dims),
        }
        if "fastmath" in attributes:
            properties["fastmath"] = attributes.pop("fastmath")
        return cls.create(
            operands=[
                parser.resolve_operand(source, source_type),
                parser.resolve_operand(acc, dest_type),
            ],
            properties=properties,
            attributes=attributes,
            result_types=[dest_type],
        )

    @property
    def reduced(self) -> list[int]:
        """The reduced dimensions."""
        return integers(self.reduction_dims)

    def verify_(self) -> None:
        sizes, reduced = shape_of(self.source), self.reduced
        if len({*reduced}) != len(reduced) or {*reduced} - {*range(len(sizes))}:
            raise VerifyException(
                f"{self.name}: {reduced} are not dimensions of {self.source.type}"
            )
        verify_elements(self, self.source, self.acc)
        verify_shape(self, self.acc, [n for i, n in enumerate(sizes) if i not in reduced])
        if self.dest.type != self.acc.type:
            raise VerifyException(f"{self.name}: gives {self.dest.type} for {self.acc.type}")


@irdl_op_definition
class ScanOp(IRDLOperation):
    """``vector.scan <add>, %v, %start {inclusive = false, reduction_dim = 1 : i64} :
    vector<4x8xf32>, vector<4xf32>``: the running combination along a dimension, and its last value.

    An inclusive scan begins with the first element and ignores ``%start``. An exclusive scan begins
    with ``%start`` and omits the last element.
    """

    name = "vector.scan"

    kind = prop_def(CombiningKindAttr)
    source = operand_def(VectorType)
    initial_value = operand_def(VectorType)
    reduction_dim = prop_def(IntegerAttr.constr(i64))
    inclusive = prop_def(BoolAttr)
    dest = result_def(VectorType)
    accumulated_value = result_def(VectorType)

    traits = traits_def(Pure())

    @property
    def dim(self) -> int:
        """The dimension along which elements are combined."""
        return self.reduction_dim.value.data

    @property
    def is_inclusive(self) -> bool:
        """True if the scan is inclusive: the running value includes the current element."""
        return bool(self.inclusive.value.data)

    def verify_(self) -> None:
        sizes = shape_of(self.source)
        if not 0 <= self.dim < len(sizes):
            raise VerifyException(
                f"{self.name}: {self.dim} is not a dimension of {self.source.type}"
            )
        verify_elements(self, self.source, self.initial_value)
        rest = [size for n, size in enumerate(sizes) if n != self.dim]
        verify_shape(self, self.initial_value, rest)
        for result, operand in zip(self.results, self.operands, strict=True):
            if result.type != operand.type:
                raise VerifyException(f"{self.name}: gives {result.type} for {operand.type}")

    @classmethod
    def parse(cls, parser: Parser) -> ScanOp:
        at = parser.pos
        kind = CombiningKindAttr(CombiningKindAttr.parse_parameter(parser))
        names: list[UnresolvedOperand] = []
        for _ in range(2):
            parser.parse_punctuation(",")
            names.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        properties: dict[str, Attribute] = {"kind": kind}
        for name in ("inclusive", "reduction_dim"):
            if name in attributes:
                properties[name] = attributes.pop(name)
        return cls.create(
            operands=parser.resolve_operands(names, types, at),
            properties=properties,
            attributes=attributes,
            result_types=types,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.kind.print_parameter(printer)
        printer.print_string(", ")
        printer.print_list(self.operands, printer.print_ssa_value)
        own = {"inclusive": self.inclusive, "reduction_dim": self.reduction_dim}
        printer.print_op_attributes({**own, **self.attributes})
        printer.print_string(" : ")
        printer.print_list([value.type for value in self.operands], printer.print_attribute)


class IteratorKind(StrEnum):
    """The role of a dimension in a contraction."""

    PARALLEL = "parallel"
    REDUCTION = "reduction"


@irdl_attr_definition
class IteratorTypeAttr(EnumAttribute[IteratorKind]):
    """``#vector.iterator_type<parallel>``."""

    name = "vector.iterator_type"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> IteratorKind:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(IteratorKind)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


@irdl_op_definition
class ContractionOp(IRDLOperation):
    """``vector.contract {indexing_maps = [..], iterator_types = ["parallel", "reduction"], kind =
    #vector.kind<add>} %a, %b, %c : vector<4x8xf32>, vector<8xf32> into vector<4xf32>``: products
    of elements of ``%a`` and ``%b``, combined with ``%c``."""

    name = "vector.contract"

    lhs = operand_def(VectorType)
    rhs = operand_def(VectorType)
    acc = operand_def()
    indexing_maps = prop_def(ArrayAttr)
    iterator_types = prop_def(ArrayAttr)
    kind = prop_def(CombiningKindAttr, default_value=_KIND)
    fastmath = opt_prop_def(FastMathFlagsAttr)
    result = result_def()

    traits = traits_def(Pure())

    @property
    def maps(self) -> list[list[int]]:
        """The dimensions of each operand, by index."""
        maps: list[list[int]] = []
        for map_ in self.indexing_maps:
            assert isinstance(map_, AffineMapAttr)
            results = map_.data.results
            maps.append([e.position for e in results if isinstance(e, AffineDimExpr)])
        return maps

    @property
    def extents(self) -> list[int]:
        """The size of each dimension."""
        sizes: dict[int, int] = {}
        for dims, value in zip(self.maps, self.operands, strict=True):
            sizes.update(zip(dims, shape_of(value), strict=True))
        return [sizes[n] for n in range(len(self.iterator_types))]

    def verify_(self) -> None:
        count = len(self.iterator_types)
        if any(not isinstance(kind, IteratorTypeAttr) for kind in self.iterator_types):
            raise VerifyException(f"{self.name}: iterator types are parallel or reduction")
        if len(self.indexing_maps) != 3:
            raise VerifyException(f"{self.name}: a map for each of three operands")
        sizes: dict[int, int] = {}
        for map_, value in zip(self.indexing_maps, self.operands, strict=True):
            if (
                not isinstance(map_, AffineMapAttr)
                or map_.data.num_symbols
                or map_.data.num_dims != count
                or not all(isinstance(expr, AffineDimExpr) for expr in map_.data.results)
                or len({*map_.data.results}) != len(map_.data.results)
            ):
                raise VerifyException(
                    f"{self.name}: each map must select some of the {count} dimensions, each at "
                    "most once"
                )
            shape = shape_of(value)
            if len(map_.data.results) != len(shape):
                raise VerifyException(f"{self.name}: {map_} does not match the type {value.type}")
            for expr, size in zip(map_.data.results, shape, strict=True):
                assert isinstance(expr, AffineDimExpr)
                if sizes.setdefault(expr.position, size) != size:
                    raise VerifyException(
                        f"{self.name}: dimension d{expr.position} has the sizes "
                        f"{sizes[expr.position]} and {size}"
                    )
        if len(sizes) != count:
            raise VerifyException(f"{self.name}: a dimension that no operand has")
        output_dims = {*self.maps[2]}
        for n, kind in enumerate(self.iterator_types):
            assert isinstance(kind, IteratorTypeAttr)
            if (kind.data is IteratorKind.PARALLEL) != (n in output_dims):
                raise VerifyException(
                    f"{self.name}: the dimensions of the result must be the parallel ones"
                )
        verify_elements(self, self.lhs, self.rhs)
        if self.result.type != self.acc.type:
            raise VerifyException(f"{self.name}: gives {self.result.type} for {self.acc.type}")

    @classmethod
    def parse(cls, parser: Parser) -> ContractionOp:
        at = parser.pos
        attributes = parser.parse_optional_attr_dict()
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes.update(parser.parse_optional_attr_dict())
        parser.parse_punctuation(":")
        lhs = parser.parse_type()
        parser.parse_punctuation(",")
        rhs = parser.parse_type()
        parser.parse_keyword("into")
        types = [lhs, rhs, parser.parse_type()]
        kinds = attributes.get("iterator_types")
        if isinstance(kinds, ArrayAttr):
            attributes["iterator_types"] = ArrayAttr(
                [_iterator(parser, kind, at) for kind in kinds]
            )
        defined = cls.get_irdl_definition().properties
        return cls.create(
            operands=parser.resolve_operands(names, types, at),
            properties={
                "kind": _KIND,
                **{name: value for name, value in attributes.items() if name in defined},
            },
            attributes={name: value for name, value in attributes.items() if name not in defined},
            result_types=[types[2]],
        )

    def print(self, printer: Printer) -> None:
        kinds = [
            StringAttr(kind.data.value) if isinstance(kind, IteratorTypeAttr) else kind
            for kind in self.iterator_types
        ]
        shown = {
            "indexing_maps": self.indexing_maps,
            "iterator_types": ArrayAttr(kinds),
            "kind": self.kind,
            **{name: value for name, value in self.properties.items() if name == "fastmath"},
            **self.attributes,
        }
        printer.print_op_attributes(shown)
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list((self.lhs.type, self.rhs.type), printer.print_attribute)
        printer.print_string(" into ")
        printer.print_attribute(self.acc.type)


def _iterator(parser: Parser, kind: Attribute, at: int) -> Attribute:
    if not isinstance(kind, StringAttr):
        return kind
    if kind.data not in (IteratorKind.PARALLEL.value, IteratorKind.REDUCTION.value):
        parser.raise_error(f"vector.contract: unknown iterator type '{kind.data}'", at)
    return IteratorTypeAttr(IteratorKind(kind.data))


@irdl_op_definition
class OuterProductOp(IRDLOperation):
    """``vector.outerproduct %a, %b, %c {kind = #vector.kind<add>} : vector<4xf32>, vector<8xf32>``:
    every product of an element of ``%a`` and an element of ``%b``, combined with ``%c``; ``%b`` may
    be a scalar.
    """

    name = "vector.outerproduct"

    lhs = operand_def(VectorType)
    rhs = operand_def()
    acc = opt_operand_def(VectorType)
    kind = prop_def(CombiningKindAttr, default_value=_KIND)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        verify_elements(self, self.lhs, self.rhs, self.result)
        if len(shape_of(self.lhs)) != 1 or len(shape_of(self.rhs)) > 1:
            raise VerifyException(f"{self.name}: the operands have one dimension")
        verify_shape(self, self.result, [*shape_of(self.lhs), *shape_of(self.rhs)])
        if self.acc is not None and self.acc.type != self.result.type:
            raise VerifyException(f"{self.name}: gives {self.result.type} for {self.acc.type}")

    @classmethod
    def parse(cls, parser: Parser) -> OuterProductOp:
        at = parser.pos
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        lhs = parser.parse_type()
        parser.parse_punctuation(",")
        rhs = parser.parse_type()
        if not isinstance(lhs, VectorType) or len(names) not in (2, 3):
            parser.raise_error("vector.outerproduct: expected two vectors, or a third", at)
        sides = [type_ for type_ in (lhs, rhs) if isinstance(type_, VectorType)]
        result = VectorType(
            lhs.element_type,
            [size for side in sides for size in side.get_shape()],
            ArrayAttr([flag for side in sides for flag in side.scalable_dims]),
        )
        kind = attributes.pop("kind", _KIND)
        return cls.create(
            operands=parser.resolve_operands(names, [lhs, rhs, result][: len(names)], at),
            properties={"kind": kind},
            attributes=attributes,
            result_types=[result],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        kind = {} if self.acc is None else {"kind": self.kind}
        printer.print_op_attributes({**kind, **self.attributes})
        printer.print_string(" : ")
        printer.print_list((self.lhs.type, self.rhs.type), printer.print_attribute)
