"""``scf.forall``: iterations in any order, which write to parts of shared tensors."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from kc.dialects.gpu.attrs import MAPPINGS, MappingMaskAttr


@irdl_op_definition
class ForallOp(IRDLOperation):
    """``scf.forall (%i) in (%n) shared_outs(%o = %t) -> (tensor<?xf32>) { ... }``.

    With ``(%i) = (%a) to (%n) step (%s)`` loops start at ``%a`` and step by ``%s``. The results are
    the shared tensors after the insertions in ``scf.forall.in_parallel``. ``mapping =
    [#gpu.thread<x>]`` is a hint that the iterations may be mapped to these threads.
    """

    name = "scf.forall"

    dynamic_lower_bound = var_operand_def(IndexType)
    dynamic_upper_bound = var_operand_def(IndexType)
    dynamic_step = var_operand_def(IndexType)
    outputs = var_operand_def(TensorType)
    static_lower_bound = prop_def(DenseArrayBase.constr(i64), prop_name="staticLowerBound")
    static_upper_bound = prop_def(DenseArrayBase.constr(i64), prop_name="staticUpperBound")
    static_step = prop_def(DenseArrayBase.constr(i64), prop_name="staticStep")
    mapping = opt_prop_def(ArrayAttr)
    results_ = var_result_def(TensorType)
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = lazy_traits_def(lambda: (RecursiveMemoryEffect(),))

    @property
    def rank(self) -> int:
        """The number of loops."""
        return len(self.static_upper_bound)

    def bounds(self) -> list[tuple[int | SSAValue, int | SSAValue, int | SSAValue]]:
        """The lower bound, upper bound and step of each loop."""
        columns: list[list[int | SSAValue]] = []
        for static, dynamic in (
            (self.static_lower_bound, self.dynamic_lower_bound),
            (self.static_upper_bound, self.dynamic_upper_bound),
            (self.static_step, self.dynamic_step),
        ):
            rest = iter(dynamic)
            columns.append(
                [
                    next(rest) if number == DYNAMIC_INDEX else int(number)
                    for number in static.iter_values()
                ]
            )
        return list(zip(*columns, strict=True))

    def verify_(self) -> None:
        for static, dynamic in (
            (self.static_lower_bound, self.dynamic_lower_bound),
            (self.static_upper_bound, self.dynamic_upper_bound),
            (self.static_step, self.dynamic_step),
        ):
            numbers = list(static.iter_values())
            if len(numbers) != self.rank or numbers.count(DYNAMIC_INDEX) != len(dynamic):
                raise VerifyException(f"{self.name}: a start, an end and a step for each loop")
        shared = [value.type for value in self.outputs]
        if [result.type for result in self.results_] != shared:
            raise VerifyException(f"{self.name}: the results have the types of the shared tensors")
        if [arg.type for arg in self.body.block.args] != [IndexType()] * self.rank + shared:
            raise VerifyException(
                f"{self.name}: the body takes an index for each loop, and the shared tensors"
            )
        if not isinstance(self.body.block.last_op, InParallelOp):
            raise VerifyException(f"{self.name}: the body ends with scf.forall.in_parallel")
        if self.mapping is not None:
            self._verify_mapping(self.mapping)

    def _verify_mapping(self, mapping: ArrayAttr) -> None:
        masks = [attr for attr in mapping if isinstance(attr, MappingMaskAttr)]
        if len(masks) > 1:
            raise VerifyException(f"{self.name}: mapping has {len(masks)} masks, not at most one")
        for attr in mapping:
            if not isinstance(attr, (*MAPPINGS, MappingMaskAttr)):
                raise VerifyException(
                    f"{self.name}: mapping needs an attribute such as #gpu.block<x> or "
                    f"#gpu.thread<y> for each loop, not {attr}"
                )
        count = len(mapping) - len(masks)
        if count != self.rank:
            raise VerifyException(
                f"{self.name}: mapping is about {count} of the loops; there are {self.rank}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ForallOp:
        loops = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        lows, steps = ([], [0] * len(loops)), ([], [1] * len(loops))
        if parser.parse_optional_keyword("in") is not None:
            lows = ([], [0] * len(loops))
            highs = _numbers(parser)
        else:
            parser.parse_punctuation("=")
            lows = _numbers(parser)
            parser.parse_keyword("to")
            highs = _numbers(parser)
            parser.parse_keyword("step")
            steps = _numbers(parser)
        shared: list[tuple[Parser.UnresolvedArgument, UnresolvedOperand]] = []
        types: Sequence[Attribute] = ()
        at = parser.pos
        if parser.parse_optional_keyword("shared_outs") is not None:

            def assignment() -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
                argument = parser.parse_argument(expect_type=False)
                parser.parse_punctuation("=")
                return argument, parser.parse_unresolved_operand()

            shared = parser.parse_comma_separated_list(parser.Delimiter.PAREN, assignment)
            parser.parse_punctuation("->")
            types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        outputs = parser.resolve_operands([value for _, value in shared], types, at)
        arguments = [loop.resolve(IndexType()) for loop in loops]
        arguments += [
            argument.resolve(type_) for (argument, _), type_ in zip(shared, types, strict=True)
        ]
        body = parser.parse_region(arguments)
        if not isinstance(body.block.last_op, InParallelOp):
            body.block.add_op(InParallelOp.build(regions=[Region(Block())]))
        attributes = dict(parser.parse_optional_attr_dict())
        properties: dict[str, Attribute] = {
            "staticLowerBound": DenseArrayBase.from_list(i64, lows[1]),
            "staticUpperBound": DenseArrayBase.from_list(i64, highs[1]),
            "staticStep": DenseArrayBase.from_list(i64, steps[1]),
        }
        if (mapping := attributes.pop("mapping", None)) is not None:
            properties["mapping"] = mapping
        return cls.build(
            operands=[lows[0], highs[0], steps[0], outputs],
            properties=properties,
            attributes=attributes,
            regions=[body],
            result_types=[types],
        )

    def print(self, printer: Printer) -> None:
        loops, shared = self.body.block.args[: self.rank], self.body.block.args[self.rank :]
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(
                loops, lambda arg: printer.print_block_argument(arg, print_type=False)
            )
        is_plain = not any(self.static_lower_bound.iter_values()) and set(
            self.static_step.iter_values()
        ) <= {1}
        parts = [("in", self.dynamic_upper_bound, self.static_upper_bound)]
        if not is_plain:
            parts = [
                ("=", self.dynamic_lower_bound, self.static_lower_bound),
                ("to", self.dynamic_upper_bound, self.static_upper_bound),
                ("step", self.dynamic_step, self.static_step),
            ]
        for word, dynamic, static in parts:
            printer.print_string(f" {word} ")
            rest = iter(dynamic)
            with printer.in_parens():
                printer.print_list(
                    static.iter_values(),
                    lambda number, rest=rest: (
                        printer.print_ssa_value(next(rest))
                        if number == DYNAMIC_INDEX
                        else printer.print_string(str(number))
                    ),
                )
        if shared:
            printer.print_string(" shared_outs")

            def assignment(pair: tuple[SSAValue, SSAValue]) -> None:
                printer.print_ssa_value(pair[0])
                printer.print_string(" = ")
                printer.print_ssa_value(pair[1])

            with printer.in_parens():
                printer.print_list(list(zip(shared, self.outputs, strict=True)), assignment)
            printer.print_string(" -> ")
            with printer.in_parens():
                printer.print_list(self.results_.types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(
            self.body, print_entry_block_args=False, print_block_terminators=bool(shared)
        )
        attributes = dict(self.attributes)
        if self.mapping is not None:
            attributes["mapping"] = self.mapping
        printer.print_op_attributes(attributes)


@irdl_op_definition
class InParallelOp(IRDLOperation):
    """``scf.forall.in_parallel { tensor.parallel_insert_slice ... }``: the outputs of an
    iteration.
    """

    name = "scf.forall.in_parallel"

    region = region_def("single_block")

    traits = traits_def(IsTerminator(), NoTerminator())

    def verify_(self) -> None:
        for op in self.region.block.ops:
            if op.name != "tensor.parallel_insert_slice":
                raise VerifyException(f"{self.name}: {op.name} is not tensor.parallel_insert_slice")

    @classmethod
    def parse(cls, parser: Parser) -> InParallelOp:
        region = parser.parse_region()
        if not region.blocks:
            region.add_block(Block())
        attributes = parser.parse_optional_attr_dict()
        return cls.build(attributes=attributes, regions=[region])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_region(self.region)
        printer.print_op_attributes(self.attributes)


def _numbers(parser: Parser) -> tuple[list[SSAValue], list[int]]:
    """``(%a, 4)``: the values, and the numbers with a placeholder for each value."""
    values: list[SSAValue] = []

    def number() -> int:
        operand = parser.parse_optional_operand(IndexType())
        if operand is None:
            return parser.parse_integer(allow_boolean=False)
        values.append(operand)
        return DYNAMIC_INDEX

    return values, parser.parse_comma_separated_list(parser.Delimiter.PAREN, number)
