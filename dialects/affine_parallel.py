"""``affine.parallel`` with MLIR's text and MLIR's reductions, which xDSL lacks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import PropertyDef, base
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.affine_maps import ValueMapParser, print_value_exprs
from kc.dialects.memref_atomics import ATOMIC_KINDS
from kc.dialects.redefined import redefined


@redefined(reductions=PropertyDef(ArrayAttr.constr(base(IntegerAttr))))
class ParallelOp(affine.ParallelOp):
    """``affine.parallel (%i, %j) = (0, max(0, %n)) to (10, 20) reduce ("addf") -> (f32) {...}``.

    The kinds of the reductions are numbers, as in ``memref.atomic_rmw``.
    """

    def verify_(self) -> None:
        rank = len(self.steps)
        spaces = self.lowerBoundsMap.data, self.upperBoundsMap.data
        if len(self.map_operands) != sum(space.num_dims + space.num_symbols for space in spaces):
            raise VerifyException(f"{self.name}: an operand for each dimension and symbol")
        for space, groups in zip(
            spaces, (self.lowerBoundsGroups, self.upperBoundsGroups), strict=True
        ):
            if sum(groups.get_values()) != len(space.results):
                raise VerifyException(f"{self.name}: the groups do not fit the bounds")
        if any(step.value.data < 1 for step in self.steps):
            raise VerifyException(f"{self.name}: a step is at least 1")
        if {len(self.lowerBoundsGroups), len(self.upperBoundsGroups)} != {rank}:
            raise VerifyException(f"{self.name}: a start and an end for each of {rank} steps")
        if [arg.type for arg in self.body.block.args] != [IndexType()] * rank:
            raise VerifyException(f"{self.name}: the body takes an index for each loop")
        kinds = self._kind_numbers()
        if len(kinds) != len(self.res):
            raise VerifyException(f"{self.name}: a reduction for each result")
        if any(not 0 <= kind < len(ATOMIC_KINDS) for kind in kinds):
            raise VerifyException(f"{self.name}: unknown reduction in {kinds}")
        for kind, result in zip(self.kinds, self.res, strict=True):
            is_float = isinstance(result.type, AnyFloat)
            is_number = is_float or isinstance(result.type, IntegerType | IndexType)
            if not is_number or (kind != "assign" and kind.endswith("f") != is_float):
                raise VerifyException(f"{self.name}: {kind} reduces no {result.type}")
        end = self.body.block.last_op
        yielded = [value.type for value in end.operands] if end is not None else []
        if yielded != [result.type for result in self.res]:
            raise VerifyException(f"{self.name}: the body yields a value for each result")

    @property
    def kinds(self) -> list[str]:
        """The names of the reductions."""
        return [ATOMIC_KINDS[kind] for kind in self._kind_numbers()]

    def _kind_numbers(self) -> list[int]:
        return [kind.value.data for kind in self.reductions]  # pyright: ignore

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        variables = [
            argument.resolve(IndexType())
            for argument in parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
            )
        ]
        parser.parse_punctuation("=")
        lows = _parse_bounds(parser, "max")
        parser.parse_keyword("to")
        highs = _parse_bounds(parser, "min")
        steps = [1] * len(variables)
        if parser.parse_optional_keyword("step") is not None:
            steps = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_integer(allow_boolean=False)
            )
        kinds: list[int] = []
        types: Sequence[Attribute] = ()
        if parser.parse_optional_keyword("reduce") is not None:
            kinds = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: _parse_kind(parser)
            )
        if parser.parse_optional_punctuation("->") is not None:
            types = parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_type
            ) or [parser.parse_type()]
        body = parser.parse_region(variables)
        if not isinstance(body.block.last_op, affine.YieldOp):
            body.block.add_op(affine.YieldOp.get())
        return cls.build(
            operands=[[*lows[2], *highs[2]]],
            properties={
                "reductions": ArrayAttr([IntegerAttr(kind, i64) for kind in kinds]),
                "lowerBoundsMap": lows[0],
                "lowerBoundsGroups": lows[1],
                "upperBoundsMap": highs[0],
                "upperBoundsGroups": highs[1],
                "steps": ArrayAttr([IntegerAttr(step, i64) for step in steps]),
            },
            attributes=parser.parse_optional_attr_dict(),
            regions=[body],
            result_types=[types],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(
                self.body.block.args,
                lambda arg: printer.print_block_argument(arg, print_type=False),
            )
        count = self.lowerBoundsMap.data.num_dims + self.lowerBoundsMap.data.num_symbols
        operands = list(self.map_operands)
        printer.print_string(" = ")
        _print_bounds(printer, self.lowerBoundsMap, self.lowerBoundsGroups, operands[:count], "max")
        printer.print_string(" to ")
        _print_bounds(printer, self.upperBoundsMap, self.upperBoundsGroups, operands[count:], "min")
        steps = [step.value.data for step in self.steps]
        if any(step != 1 for step in steps):
            printer.print_string(f" step ({', '.join(str(step) for step in steps)})")
        if self.res:
            kinds = ", ".join(f'"{kind}"' for kind in self.kinds)
            printer.print_string(f" reduce ({kinds}) -> (")
            printer.print_list(self.res.types, printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(
            self.body, print_entry_block_args=False, print_block_terminators=bool(self.res)
        )
        printer.print_op_attributes(self.attributes)


def _parse_kind(parser: Parser) -> int:
    at, kind = parser.pos, parser.parse_str_literal()
    if kind not in ATOMIC_KINDS:
        parser.raise_error(f"expected a reduction, one of {', '.join(ATOMIC_KINDS)}", at)
    return ATOMIC_KINDS.index(kind)


def _parse_bounds(
    parser: Parser, keyword: str
) -> tuple[AffineMapAttr, DenseIntElementsAttr, list[SSAValue]]:
    """``(0, max(%i, 4))``: the expressions as one map, their numbers by bound, the operands."""
    values = ValueMapParser(parser)
    exprs: list[AffineExpr] = []

    def bound() -> int:
        values.begin_bound()
        if parser.parse_optional_keyword(keyword) is None:
            exprs.append(values.expr())
            return 1
        group = values.exprs(Parser.Delimiter.PAREN)
        exprs.extend(group)
        return len(group)

    counts = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, bound)
    groups = DenseIntElementsAttr.from_list(TensorType(i32, [len(counts)]), counts)
    return values.map_of(exprs), groups, values.operands()


def _print_bounds(
    printer: Printer,
    space: AffineMapAttr,
    groups: DenseIntElementsAttr,
    operands: Sequence[SSAValue],
    keyword: str,
) -> None:
    rest = list(space.data.results)
    parts: list[list[AffineExpr]] = []
    for count in groups.get_values():
        parts.append(rest[: int(count)])
        rest = rest[int(count) :]

    def bound(part: list[AffineExpr]) -> None:
        if len(part) > 1:
            printer.print_string(f"{keyword}(")
        print_value_exprs(printer, part, space.data.num_dims, operands)
        if len(part) > 1:
            printer.print_string(")")

    with printer.in_parens():
        printer.print_list(parts, bound)
