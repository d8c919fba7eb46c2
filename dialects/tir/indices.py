"""Index values: ``tir.apply``, ``tir.linearize``, ``tir.delinearize``, ``tir.symbol``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate
from typing import Literal, TypeAlias, TypeVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    StringAttr,
    i32,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import (
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.affine_assembly import AffineOperandsParser, affine_text, operand_namer
from kc.dialects.assembly import INDEX
from kc.dialects.symbolic_size import SymbolicSizeOp
from kc.dialects.tir.canonicalization import Canonicalized

ExtremeKind: TypeAlias = Literal["min", "max"]
_OPPOSITE: dict[ExtremeKind, ExtremeKind] = {"min": "max", "max": "min"}
Form = TypeVar("Form")


@irdl_op_definition
class ApplyOp(IRDLOperation, HasFolderInterface):
    """``tir.apply (%i * 32 + %ii)``: an affine expression as a value.

    ``tir.apply min(%n - %i * 32, 32)`` is the minimum of several expressions, ``max`` the maximum.
    Each expression may itself be of the other kind: ``tir.apply max(min(%m, %n), 0)``. In the
    generic form the results of ``map`` are all expressions, and ``groups`` lists the number of
    adjacent expressions in each nested minimum or maximum (1 for an expression outside of any).

    (``affine.apply``, ``affine.min`` and ``affine.max`` restrict their operands to values that
    ``tir`` loops do not produce.)
    """

    name = "tir.apply"

    operands_of_map = var_operand_def(IndexType())
    map = prop_def(AffineMapAttr)
    extreme = opt_prop_def(StringAttr)
    groups = opt_prop_def(DenseArrayBase.constr(i32))
    result = result_def(IndexType())

    traits = traits_def(Pure(), Canonicalized())

    def __init__(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> None:
        super().__init__(
            operands=[list(operands)],
            properties={"map": AffineMapAttr(AffineMap(len(operands), 0, (expr,)))},
            result_types=[INDEX],
        )

    @classmethod
    def of_groups(
        cls,
        extreme: ExtremeKind,
        groups: Sequence[Sequence[AffineExpr]],
        operands: Sequence[SSAValue],
    ) -> ApplyOp:
        """The ``extreme`` of the groups, where a group is the opposite extreme of its
        expressions.
        """
        if len(groups) == 1:
            extreme, groups = _OPPOSITE[extreme], [[expr] for expr in groups[0]]
        op = cls(groups[0][0], operands)
        if len(groups) > 1:
            exprs = tuple(expr for group in groups for expr in group)
            op.map = AffineMapAttr(AffineMap(len(operands), 0, exprs))
            op.extreme = StringAttr(extreme)
            if len(exprs) > len(groups):
                op.groups = DenseArrayBase.from_list(i32, [len(group) for group in groups])
        return op

    @property
    def expr(self) -> AffineExpr | None:
        """The expression over :attr:`operands_of_map`; None for a minimum or a maximum."""
        return self.map.data.results[0] if self.extreme is None else None

    def grouped(self, forms: Sequence[Form]) -> list[list[Form]]:
        """``forms``, with one for each result of :attr:`map`, by groups."""
        if self.groups is None:
            return [[form] for form in forms]
        ends = list(accumulate(self.groups.get_values()))
        return [
            list(forms[int(start) : int(end)]) for start, end in zip([0, *ends], ends, strict=False)
        ]

    def combined(
        self, forms: Sequence[Form], extreme: Callable[[ExtremeKind, Form, Form], Form]
    ) -> Form:
        """The value of the op in any form.

        ``forms`` are the values of the expressions of :attr:`map`; ``extreme`` computes the minimum
        or maximum of two.
        """
        if self.extreme is None:
            return forms[0]
        outer = cast(ExtremeKind, self.extreme.data)
        inner = _OPPOSITE[outer]

        def of(kind: ExtremeKind, parts: Sequence[Form]) -> Form:
            return reduce(lambda lhs, rhs: extreme(kind, lhs, rhs), parts)

        return of(outer, [of(inner, group) for group in self.grouped(forms)])

    def verify_(self) -> None:
        space = self.map.data
        if space.num_symbols or space.num_dims != len(self.operands_of_map):
            raise VerifyException(
                f"tir.apply: the map takes {space.num_dims} dimensions and {space.num_symbols} "
                f"symbols; {len(self.operands_of_map)} dimensions and no symbols are needed"
            )
        count = len(space.results)
        if self.extreme is None:
            if count != 1 or self.groups is not None:
                raise VerifyException(
                    f"tir.apply: the map has {count} results, not 1; several have an extreme, "
                    '"min" or "max"'
                )
            return
        if self.extreme.data not in _OPPOSITE:
            raise VerifyException(
                f'tir.apply: the extreme is "{self.extreme.data}"; it is "min" or "max"'
            )
        sizes = [1] * count if self.groups is None else list(self.groups.get_values())
        if len(sizes) < 2 or min(sizes) < 1 or sum(sizes) != count:
            raise VerifyException(
                f"tir.apply: {count} results in groups of {', '.join(map(str, sizes))}; "
                "there must be at least two groups, each of at least one result, and their sizes "
                "must add up to the number of results"
            )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """``tir.apply (%c2 * 3)`` is 6, and ``tir.apply (%i)`` is ``%i``."""
        if isinstance(self.expr, AffineDimExpr):
            return [self.operands_of_map[self.expr.position]]
        makers = [operand.owner for operand in self.operands_of_map]
        numbers = [
            maker.value.value.data
            for maker in makers
            if isinstance(maker, arith.ConstantOp) and isinstance(maker.value, IntegerAttr)
        ]
        if len(numbers) != len(makers):
            return None
        return [IntegerAttr(self.evaluated(self.map.data.eval(numbers, [])), INDEX)]

    def evaluated(self, values: Sequence[int]) -> int:
        """The value of the op; ``values`` are the values of the expressions of :attr:`map`."""
        return self.combined(values, lambda kind, *pair: min(pair) if kind == "min" else max(pair))

    @classmethod
    def parse(cls, parser: Parser) -> ApplyOp:
        affine = AffineOperandsParser(parser)
        extreme = _parse_optional_extreme(parser)
        if extreme is None:
            with parser.in_parens():
                groups = [[affine.expr()]]
        else:
            nested = _OPPOSITE[extreme]

            def group() -> list[AffineExpr]:
                if parser.parse_optional_keyword(nested) is None:
                    return [affine.expr()]
                return affine.exprs(Parser.Delimiter.PAREN)

            start = parser.pos
            groups = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, group)
            if len(groups) < 2:
                parser.raise_error(
                    f"the {extreme} of at least two expressions is expected", start, parser.pos
                )
        op = cls.of_groups(extreme or "max", groups, affine.operands())
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        name = operand_namer(printer, self.operands_of_map)
        texts = [affine_text(expr, name) for expr in self.map.data.results]
        printer.print_string(f" ({texts[0]})" if self.extreme is None else f" {self.text(texts)}")
        printer.print_op_attributes(self.attributes)

    def text(self, texts: Sequence[str], word: Callable[[ExtremeKind], str] = str) -> str:
        """The op as text, ``max(min(a, b), c)``; ``texts`` are the texts of the expressions of
        :attr:`map`.
        """
        assert self.extreme is not None
        outer = cast(ExtremeKind, self.extreme.data)

        def of(kind: ExtremeKind, parts: Sequence[str]) -> str:
            return parts[0] if len(parts) == 1 else f"{word(kind)}({', '.join(parts)})"

        return of(outer, [of(_OPPOSITE[outer], group) for group in self.grouped(texts)])


def _parse_optional_extreme(parser: Parser) -> ExtremeKind | None:
    extremes: tuple[ExtremeKind, ...] = ("min", "max")
    return next((kind for kind in extremes if parser.parse_optional_keyword(kind)), None)


@irdl_op_definition
class LinearizeOp(IRDLOperation):
    """``tir.linearize [%o, %i] by [%m, %n]``: ``o * n + i``, where ``n`` is only known at run time.

    The structured form of a product that is not affine: 0 <= index < size holds for each pair.
    (``affine.linearize_index disjoint`` upstream.)
    """

    name = "tir.linearize"

    indices = var_operand_def(IndexType())
    sizes = var_operand_def(IndexType())
    result = result_def(IndexType())

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), Canonicalized())

    def __init__(self, indices: Sequence[SSAValue], sizes: Sequence[SSAValue]) -> None:
        super().__init__(operands=[list(indices), list(sizes)], result_types=[INDEX])

    def verify_(self) -> None:
        if len(self.indices) != len(self.sizes) or not self.indices:
            raise VerifyException(
                f"tir.linearize: {len(self.indices)} indices and {len(self.sizes)} sizes; "
                "one size an index, and at least one"
            )

    @classmethod
    def parse(cls, parser: Parser) -> LinearizeOp:
        indices = _parse_index_list(parser)
        parser.parse_keyword("by")
        op = cls(indices, _parse_index_list(parser))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" [")
        printer.print_list(self.indices, printer.print_ssa_value)
        printer.print_string("] by [")
        printer.print_list(self.sizes, printer.print_ssa_value)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class DelinearizeOp(IRDLOperation):
    """``%i, %j = tir.delinearize %f by [%m, %n]``: ``f floordiv n`` and ``f mod n``.

    The inverse of ``tir.linearize`` for 0 <= f < m * n. (``affine.delinearize_index``.)
    """

    name = "tir.delinearize"

    index = operand_def(IndexType())
    sizes = var_operand_def(IndexType())
    indices = var_result_def(IndexType())

    traits = traits_def(Pure(), Canonicalized())

    def __init__(self, index: SSAValue, sizes: Sequence[SSAValue]) -> None:
        super().__init__(operands=[index, list(sizes)], result_types=[[INDEX] * len(sizes)])

    def verify_(self) -> None:
        if len(self.indices) != len(self.sizes) or not self.indices:
            raise VerifyException(
                f"tir.delinearize: {len(self.indices)} results and {len(self.sizes)} sizes; "
                "one size a result, and at least one"
            )

    @classmethod
    def parse(cls, parser: Parser) -> DelinearizeOp:
        index = parser.resolve_operand(parser.parse_unresolved_operand(), INDEX)
        parser.parse_keyword("by")
        op = cls(index, _parse_index_list(parser))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.index)
        printer.print_string(" by [")
        printer.print_list(self.sizes, printer.print_ssa_value)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)


def _parse_index_list(parser: Parser) -> list[SSAValue]:
    names = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, parser.parse_unresolved_operand
    )
    return [parser.resolve_operand(name, INDEX) for name in names]


@irdl_op_definition
class SymbolOp(SymbolicSizeOp):
    """``%n = tir.symbol "n"``: a symbolic size of the function.

    Its value is the dimension of the first argument whose ``kc.shape`` contains the symbol, or the
    scalar argument with ``kc.symbol``. The call checks that all occurrences agree.
    """

    name = "tir.symbol"


def symbol_names(function: Operation) -> list[str]:
    """The symbolic sizes that a function declares in ``kc.symbols``."""
    names = function.attributes.get("kc.symbols")
    if not isinstance(names, ArrayAttr):
        return []
    return [name.data for name in names if isinstance(name, StringAttr)]
