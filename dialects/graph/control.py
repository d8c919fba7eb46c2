"""Control flow of graphs: ``if``, ``while``, ``scan``; the regions are blocks of dataflow."""

from __future__ import annotations

import contextlib

from xdsl.dialects.builtin import TensorType, TupleType, UnitAttr, i1
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_prop_def,
    region_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator
from xdsl.utils.exceptions import VerifyException

from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import (
    TensorSpec,
    UnknownType,
    merged_type,
    spec_of,
    tuple_type,
)

CONDITION = TensorType(i1, [])
"""The type of a condition."""


@irdl_op_definition
class YieldOp(IRDLOperation):
    """``graph.yield %a, %b : T, U``: the values of a region."""

    name = "graph.yield"

    values = var_operand_def()

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(*_with_regions())))
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[list(values)])


def _with_regions() -> tuple[type[Operation], ...]:
    """The operations whose regions yield values."""
    from kc.dialects.graph.data_types import MatchOp

    return (IfOp, WhileOp, ScanOp, MatchOp)


def _yielded(op: Operation, region: Region) -> list[Attribute]:
    last = region.block.last_op
    if not isinstance(last, YieldOp):
        raise VerifyException(f"{op.name}: each region must end with graph.yield")
    return [value.type for value in last.values]


@irdl_op_definition
class IfOp(IRDLOperation):
    """``%r = graph.if %c -> T { graph.yield %a : T } else { graph.yield %b : T }``.

    Only the chosen region is computed.
    """

    name = "graph.if"

    condition = operand_def()
    then = region_def("single_block")
    otherwise = region_def("single_block")
    result = result_def()

    def __init__(
        self, condition: SSAValue, then: Region, otherwise: Region, result_type: Attribute
    ) -> None:
        super().__init__(
            operands=[condition], regions=[then, otherwise], result_types=[result_type]
        )

    def verify_(self) -> None:
        if self.condition.type != CONDITION and not isinstance(self.condition.type, UnknownType):
            raise VerifyException(
                f"graph.if: the condition is {self.condition.type}, but must be {CONDITION}"
            )
        for region in (self.then, self.otherwise):
            if _yielded(self, region) != [self.result.type]:
                raise VerifyException(
                    f"graph.if: a region yields another type than {self.result.type}"
                )

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        condition = parser.parse_unresolved_operand()
        value = parser.resolve_operand(condition, CONDITION)
        parser.parse_punctuation("->")
        type_ = parser.parse_type()
        then = parser.parse_region()
        parser.parse_keyword("else")
        operation = cls(value, then, parser.parse_region(), type_)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        if attributes is not None:
            operation.attributes |= attributes.data
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)
        printer.print_string(" ")
        printer.print_region(self.then)
        printer.print_string(" else ")
        printer.print_region(self.otherwise)
        printer.print_op_attributes(self.attributes, print_keyword=True)


@irdl_op_definition
class WhileOp(IRDLOperation):
    """A loop that carries one value, a tuple where it carries several.

    ::

        %r = graph.while (%x = %start) -> T {
          graph.yield %continue : tensor<i1>
        } do (%y) {
          graph.yield %next : T
        }

    Each region has the carried value as its argument. The loop ends when the first region yields
    false; the carried value is then the result.
    """

    name = "graph.while"

    start = operand_def()
    condition = region_def("single_block")
    body = region_def("single_block")
    result = result_def()

    def __init__(self, start: SSAValue, condition: Region, body: Region) -> None:
        super().__init__(operands=[start], regions=[condition, body], result_types=[start.type])

    def verify_(self) -> None:
        carried = self.start.type
        if self.result.type != carried:
            raise VerifyException(f"graph.while: it carries {carried}, not {self.result.type}")
        for region in (self.condition, self.body):
            if [argument.type for argument in region.block.args] != [carried]:
                raise VerifyException(f"graph.while: each region has one argument, {carried}")
        if _yielded(self, self.condition) != [CONDITION]:
            raise VerifyException(f"graph.while: the condition must yield {CONDITION}")
        if _yielded(self, self.body) != [carried]:
            raise VerifyException(f"graph.while: the body must yield {carried}")

    @classmethod
    def parse(cls, parser: Parser) -> WhileOp:
        parser.parse_punctuation("(")
        argument = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        start = parser.parse_unresolved_operand()
        parser.parse_punctuation(")")
        parser.parse_punctuation("->")
        type_ = parser.parse_type()
        value = parser.resolve_operand(start, type_)
        condition = parser.parse_region([argument.resolve(type_)])
        parser.parse_keyword("do")
        parser.parse_punctuation("(")
        carried = parser.parse_argument(expect_type=False)
        parser.parse_punctuation(")")
        operation = cls(value, condition, parser.parse_region([carried.resolve(type_)]))
        attributes = parser.parse_optional_attr_dict_with_keyword()
        if attributes is not None:
            operation.attributes |= attributes.data
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        printer.print_ssa_value(self.condition.block.args[0])
        printer.print_string(" = ")
        printer.print_ssa_value(self.start)
        printer.print_string(") -> ")
        printer.print_attribute(self.result.type)
        printer.print_string(" ")
        printer.print_region(self.condition, print_entry_block_args=False)
        printer.print_string(" do (")
        printer.print_ssa_value(self.body.block.args[0])
        printer.print_string(") ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes, print_keyword=True)


@irdl_op_definition
class ScanOp(IRDLOperation):
    """A loop over the slices of tensors along their first dimension.

    ::

        %r = graph.scan (%c = %init, %x in %xs) -> tuple<C, Ys> {
          graph.yield %next, %y : C, Y
        }

    ``%xs`` is a tensor or a tuple of tensors with one first size, ``%x`` its slice. The region
    yields what the next slice gets as ``%c``, and a tensor or a tuple of tensors. The result is
    what the last slice yields, and all that the slices yield, stacked along a new first dimension.
    With ``reverse`` the last slice comes first; what it yields stands last. After ONNX's Scan and
    JAX's ``lax.scan``.
    """

    name = "graph.scan"

    init = operand_def()
    xs = operand_def()
    reverse = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    result = result_def()

    def __init__(self, init: SSAValue, xs: SSAValue, body: Region, reverse: bool = False) -> None:
        super().__init__(
            operands=[init, xs],
            properties={"reverse": UnitAttr() if reverse else None},
            regions=[body],
            result_types=[UnknownType()],
        )
        with contextlib.suppress(VerifyException):
            self.result._type = self.inferred()  # pyright: ignore[reportPrivateUsage]

    def inferred(self) -> Attribute:
        """The type of the result. Raises VerifyException."""
        yielded = _yielded(self, self.body)
        if len(yielded) != 2:
            raise VerifyException("graph.scan: the region must yield two values")
        if isinstance(yielded[1], UnknownType) or isinstance(self.xs.type, UnknownType):
            return UnknownType()
        return tuple_type([self.init.type, _with_first(yielded[1], (self.length,))])

    @property
    def length(self) -> MaybeSize:
        """The number of slices. Raises VerifyException if the tensors do not have one."""
        return _length_of(self.xs.type)

    def verify_(self) -> None:
        slices = sliced_type(self.xs.type)
        arguments = [argument.type for argument in self.body.block.args]
        if len(arguments) != 2 or any(
            merged_type(own, type_) is None
            for own, type_ in zip(arguments, (self.init.type, slices), strict=True)
        ):
            raise VerifyException(
                f"graph.scan: the region has the arguments ({self.init.type}, {slices})"
            )
        expected = self.inferred()
        if merged_type(_yielded(self, self.body)[0], self.init.type) is None:
            raise VerifyException(f"graph.scan: the region must yield {self.init.type} and a value")
        if merged_type(expected, self.result.type) is None:
            raise VerifyException(f"graph.scan: the result is {expected}, not {self.result.type}")

    @classmethod
    def parse(cls, parser: Parser) -> ScanOp:
        reverse = parser.parse_optional_keyword("reverse") is not None
        parser.parse_punctuation("(")
        carried = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        start = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        part = parser.parse_argument(expect_type=False)
        parser.parse_keyword("in")
        whole = parser.parse_unresolved_operand()
        parser.parse_punctuation(")")
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        parser.parse_punctuation(",")
        position = parser.pos
        xs_type = parser.parse_type()
        try:
            _length_of(xs_type)
            slice_type = sliced_type(xs_type)
        except VerifyException as error:
            parser.raise_error(str(error), position)
        init = parser.resolve_operand(start, type_)
        xs = parser.resolve_operand(whole, xs_type)
        body = parser.parse_region([carried.resolve(type_), part.resolve(slice_type)])
        if not isinstance(body.block.last_op, YieldOp) or len(body.block.last_op.values) != 2:
            parser.raise_error("graph.scan: the region must yield two values")
        operation = cls(init, xs, body, reverse)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        if attributes is not None:
            operation.attributes |= attributes.data
        return operation

    def print(self, printer: Printer) -> None:
        carried, part = self.body.block.args
        printer.print_string(" reverse (" if self.reverse is not None else " (")
        printer.print_ssa_value(carried)
        printer.print_string(" = ")
        printer.print_ssa_value(self.init)
        printer.print_string(", ")
        printer.print_ssa_value(part)
        printer.print_string(" in ")
        printer.print_ssa_value(self.xs)
        printer.print_string(") : ")
        printer.print_attribute(self.init.type)
        printer.print_string(", ")
        printer.print_attribute(self.xs.type)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes, print_keyword=True)


def sliced_type(type_: Attribute) -> Attribute:
    """The type of a slice of tensors along their first dimension. Raises VerifyException."""
    return UnknownType() if isinstance(type_, UnknownType) else _with_first(type_, None)


def _tensors_of(type_: Attribute) -> list[TensorSpec]:
    """The tensors of a type, at least one of which there must be."""
    spec = spec_of(type_)
    parts = spec if isinstance(spec, tuple) else (spec,)
    tensors = [part for part in parts if isinstance(part, TensorSpec)]
    if not tensors or len(tensors) != len(parts):
        raise VerifyException(f"graph.scan: {type_} is no tensor, and no tuple of tensors")
    return tensors


def _length_of(type_: Attribute) -> MaybeSize:
    length: MaybeSize = None
    for spec in _tensors_of(type_):
        if not spec.shape:
            raise VerifyException("graph.scan: a tensor without dimensions has no slices")
        if None not in (length, spec.shape[0]) and length != spec.shape[0]:
            raise VerifyException(
                f"graph.scan: the tensors have {length} and {spec.shape[0]} slices"
            )
        length = spec.shape[0] if length is None else length
    return length


def _with_first(type_: Attribute, sizes: tuple[MaybeSize, ...] | None) -> Attribute:
    """The type of tensors with other sizes for the first one: none for slices, one before all
    others for stacked values."""
    specs = _tensors_of(type_)
    if sizes is None and any(not spec.shape for spec in specs):
        raise VerifyException("graph.scan: a tensor without dimensions has no slices")
    types = [
        TensorSpec(spec.shape[1:] if sizes is None else (*sizes, *spec.shape), spec.dtype).type
        for spec in specs
    ]
    return tuple_type(types) if isinstance(type_, TupleType) else types[0]
