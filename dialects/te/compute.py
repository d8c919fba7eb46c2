"""``te.compute``, which defines one or several tensors over the same axes element by element, and
its parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import (
    AffineSetAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, Region, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.ir.affine import AffineSet
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    lazy_traits_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, OpTrait, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from kc.dialects.affine_assembly import AffineOperandsParser, print_conditions
from kc.dialects.assembly import (
    DYNAMIC,
    INDEX,
    is_name,
    parse_extent,
    parse_name,
    parse_named_variable,
    parse_optional_attributes,
    print_named_variable,
    print_optional_attributes,
    verify_name,
)
from kc.dialects.combiner_assembly import (
    has_sign,
    parse_combiner,
    print_combiner,
    verify_combiner,
)
from kc.dialects.te.canonicalization import Canonicalized


class Combiner(StrEnum):
    """An associative and commutative operation of a reduction.

    ``umin`` and ``umax`` compare integers as unsigned; ``min`` and ``max`` of floats propagate
    NaN, as numpy does.
    """

    SUM = "sum"
    PROD = "prod"
    MIN = "min"
    MAX = "max"
    UMIN = "umin"
    UMAX = "umax"


@irdl_attr_definition
class CombinerAttr(EnumAttribute[Combiner], SpacedOpaqueSyntaxAttribute):
    name = "te.combiner"


@dataclass(frozen=True)
class UserCombiner:
    """A combiner given by a region (see :mod:`kc.dialects.combiner_assembly`)."""

    name: str
    region: Region
    identity: Sequence[IntegerAttr | FloatAttr]


def _homes_of_yield() -> tuple[OpTrait, ...]:
    from kc.dialects.te.scan import ScanOp

    return IsTerminator(), HasParent(ComputeOp, ScanOp)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """``te.yield %v : f32``: the values of a region.

    In the body of a compute they are the elements, in its ``init`` the initial values of the
    reduction, in a combiner the combination, and in a ``te.scan`` the next states.
    """

    name = "te.yield"

    values = var_operand_def()

    traits = lazy_traits_def(_homes_of_yield)
    assembly_format = "$values attr-dict `:` type($values)"

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[list(values)])


@irdl_op_definition
class ConditionOp(IRDLOperation):
    """``te.condition (%i + %k < 60), %c``: the condition under which a term takes part in a
    reduction.

    A term takes part if all affine conditions hold and the i1 value, if there is one, is true.
    """

    name = "te.condition"

    operands_of_set = var_operand_def(IndexType())
    condition = prop_def(AffineSetAttr)
    value = opt_operand_def(IntegerType(1))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(ComputeOp), Canonicalized()))

    def __init__(
        self,
        condition: AffineSet | None = None,
        operands: Sequence[SSAValue] = (),
        value: SSAValue | None = None,
    ) -> None:
        if condition is None:
            condition = AffineSet(len(operands), 0, ())
        super().__init__(
            operands=[list(operands), [] if value is None else [value]],
            properties={"condition": AffineSetAttr(condition)},
        )

    def verify_(self) -> None:
        space = self.condition.data
        if space.num_symbols or space.num_dims != len(self.operands_of_set):
            raise VerifyException(
                f"te.condition: the condition takes {space.num_dims} dimensions and "
                f"{space.num_symbols} symbols; {len(self.operands_of_set)} dimensions and "
                "no symbols are needed"
            )
        if not space.constraints and self.value is None:
            raise VerifyException("te.condition: it needs a constraint or a value")

    @classmethod
    def parse(cls, parser: Parser) -> ConditionOp:
        value = parser.parse_optional_unresolved_operand()
        affine = AffineOperandsParser(parser)
        constraints = []
        if value is None:
            constraints = affine.constraints()
            if parser.parse_optional_punctuation(","):
                value = parser.parse_unresolved_operand()
        condition = affine.set_of(constraints)
        op = cls(
            condition,
            affine.operands(),
            parser.resolve_operand(value, IntegerType(1)) if value is not None else None,
        )
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.condition.data.constraints:
            print_conditions(printer, self.condition.data, self.operands_of_set)
        if self.value is not None:
            if self.condition.data.constraints:
                printer.print_string(", ")
            printer.print_ssa_value(self.value)
        printer.print_op_attributes(self.attributes)


def _homes_of_compute() -> tuple[OpTrait, ...]:
    from kc.dialects.te import FuncOp
    from kc.dialects.te.scan import ScanOp

    return Pure(), HasParent(FuncOp, ScanOp), Canonicalized()


@irdl_op_definition
class ComputeOp(IRDLOperation):
    """Tensors over the same axes, defined element by element.

    ``%C = te.compute "C" [%i = 1024, %j = %n] reduce sum [%k = 64] { ... te.yield %v : f32 } :
    tensor<1024x?xf32>``: the body over the spatial axes, combined over the reduction axes.
    Bodies read tensors with ``te.read`` and compute with ``arith`` and ``math``; they are pure.

    A body that yields several values defines as many tensors. Their reduction, like any other
    without a predefined name, has its own combiner: ``reduce "argmax" [%k = 64] (%a0: i32, %a1:
    f32) (%b0: i32, %b1: f32) identity [-1 : i32, 0xFF800000 : f32] { ... te.yield ... }``. If a
    third tuple follows the two, the body yields its values after the terms. The optional ``where {
    ... te.condition ... }``, over all axes, selects the terms that take part (other terms are not
    evaluated). The optional ``init { ... te.yield ... }``, over the spatial axes, gives the initial
    values of the reduction instead of the identity. Extents of reduction axes that differ from
    element to element are written ``?``; ``domain { ... te.yield %n : index }``, over the spatial
    axes, computes them. After any of these, the body follows ``do``.
    """

    name = "te.compute"

    dynamic_extents = var_operand_def(IndexType())
    compute_name = prop_def(StringAttr)
    axis_names = prop_def(ArrayAttr[StringAttr])
    reduce_names = prop_def(ArrayAttr[StringAttr])
    static_extents = prop_def(DenseArrayBase.constr(i64))
    combiner = opt_prop_def(CombinerAttr)
    combiner_name = opt_prop_def(StringAttr)
    identity = opt_prop_def(ArrayAttr)
    body = region_def("single_block")
    combine = region_def()
    where = region_def()
    init = region_def()
    domain = region_def()
    tensors = var_result_def(TensorType)

    traits = lazy_traits_def(_homes_of_compute)

    def __init__(
        self,
        compute_name: str,
        axes: Sequence[tuple[str, int | SSAValue]],
        body: Region,
        result_types: TensorType | Sequence[TensorType],
        reduce_axes: Sequence[tuple[str, int | SSAValue | None]] = (),
        combiner: Combiner | UserCombiner | None = None,
        where: Region | None = None,
        init: Region | None = None,
        domain: Region | None = None,
    ) -> None:
        """Construct the op. An extent of None comes from ``domain``."""
        extents = [extent for _, extent in (*axes, *reduce_axes)]
        types = [result_types] if isinstance(result_types, TensorType) else list(result_types)
        own = combiner if isinstance(combiner, UserCombiner) else None
        super().__init__(
            operands=[[extent for extent in extents if isinstance(extent, SSAValue)]],
            properties={
                "compute_name": StringAttr(compute_name),
                "axis_names": ArrayAttr([StringAttr(name) for name, _ in axes]),
                "reduce_names": ArrayAttr([StringAttr(name) for name, _ in reduce_axes]),
                "static_extents": DenseArrayBase.from_list(
                    i64, [extent if isinstance(extent, int) else DYNAMIC for extent in extents]
                ),
                "combiner": CombinerAttr(combiner) if isinstance(combiner, Combiner) else None,
                "combiner_name": StringAttr(own.name) if own is not None else None,
                "identity": ArrayAttr(own.identity) if own is not None else None,
            },
            regions=[
                body,
                own.region if own is not None else Region(),
                where if where is not None else Region(),
                init if init is not None else Region(),
                domain if domain is not None else Region(),
            ],
            result_types=[types],
        )
        if is_name(compute_name):
            for n, result in enumerate(self.results):
                result.name_hint = output_name(compute_name, n, len(types))

    @property
    def label(self) -> str:
        """The compute's name."""
        return self.compute_name.data

    @property
    def rank(self) -> int:
        """The number of spatial axes."""
        return len(self.axis_names.data)

    @property
    def names(self) -> list[str]:
        """The names of the spatial axes, then of the reduction axes."""
        return [name.data for name in (*self.axis_names.data, *self.reduce_names.data)]

    @property
    def spatial_extents(self) -> list[int | SSAValue]:
        """The extents of the spatial axes: the shape of the results."""
        extents = self.extents[: self.rank]
        return [extent for extent in extents if extent is not None]

    @property
    def extents(self) -> list[int | SSAValue | None]:
        """The extents of the spatial and then of the reduction axes; None if the domain
        defines it.
        """
        dynamic = iter(self.dynamic_extents)
        extents: list[int | SSAValue | None] = []
        for n, extent in enumerate(self.static_extents.iter_values()):
            if extent != DYNAMIC:
                extents.append(int(extent))
            else:
                extents.append(None if self.has_domain and n >= self.rank else next(dynamic))
        return extents

    @property
    def is_reduction(self) -> bool:
        """True if there are reduction axes."""
        return bool(self.reduce_names.data)

    @property
    def has_combine(self) -> bool:
        """True if the combiner is a region."""
        return bool(self.combine.blocks)

    @property
    def has_where(self) -> bool:
        """True if a condition excludes terms from the reduction."""
        return bool(self.where.blocks)

    @property
    def has_init(self) -> bool:
        """True if the reduction has initial values other than the identity."""
        return bool(self.init.blocks)

    @property
    def has_domain(self) -> bool:
        """True if extents of reduction axes depend on the element."""
        return bool(self.domain.blocks)

    @property
    def element_types(self) -> list[Attribute]:
        """The element type of each result."""
        return [tensor.type.element_type for tensor in self.tensors]  # pyright: ignore[reportAttributeAccessIssue]

    @property
    def yield_op(self) -> YieldOp:
        """The terminator of the body."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last

    def verify_(self) -> None:
        verify_name(self, self.label)
        names = self.names
        for name in names:
            verify_name(self, name)
        if len(set(names)) != len(names):
            raise VerifyException(f"te.compute: {self.label} has two axes of one name")
        extents = list(self.static_extents.iter_values())
        if len(extents) != len(names):
            raise VerifyException(
                f"te.compute: {self.label} has {len(names)} axes but {len(extents)} extents"
            )
        declared = extents[: self.rank] if self.has_domain else extents
        if declared.count(DYNAMIC) != len(self.dynamic_extents):
            raise VerifyException(
                f"te.compute: {self.label} has {declared.count(DYNAMIC)} dynamic extents but "
                f"{len(self.dynamic_extents)} operands for them"
            )
        for name, extent in zip(names, extents, strict=True):
            if extent < 0 and extent != DYNAMIC:
                raise VerifyException(
                    f"te.compute: axis {name} of {self.label} has the extent {extent}; "
                    "an extent is at least 0"
                )
        self._verify_region("body", self.body, len(names))
        if not self.tensors:
            raise VerifyException(f"te.compute: {self.label} has no result")
        for result in self.tensors:
            assert isinstance(result.type, TensorType)
            if list(result.type.get_shape()) != extents[: self.rank]:
                raise VerifyException(
                    f"te.compute: {self.label} has spatial extents "
                    f"{_shape_text(extents[: self.rank])} but the type {result.type}"
                )
        self._verify_yield("body", self.body, self.captured_types)
        self._verify_reduction()

    def _verify_region(self, what: str, region: Region, count: int) -> None:
        if len(region.blocks) != 1 or [arg.type for arg in region.block.args] != [INDEX] * count:
            raise VerifyException(
                f"te.compute: the {what} of {self.label} must take {count} index arguments"
            )

    @property
    def captured_types(self) -> list[Attribute]:
        """The types of the combiner's captured values, which the body yields last."""
        args = self.combine.block.args if self.has_combine else ()
        return [arg.type for arg in args[2 * len(self.element_types) :]]

    def _verify_yield(self, what: str, region: Region, more: Sequence[Attribute] = ()) -> None:
        last = region.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException(f"te.compute: the {what} of {self.label} must end with te.yield")
        yielded, types = [value.type for value in last.values], [*self.element_types, *more]
        if len(yielded) != len(types):
            raise VerifyException(
                f"te.compute: the {what} of {self.label} yields {len(yielded)} values for "
                f"{len(self.element_types)} tensors"
                + (f" and {len(more)} that the combiner uses" if more else "")
            )
        for value, element in zip(yielded, types, strict=True):
            if value != element:
                raise VerifyException(
                    f"te.compute: the {what} of {self.label} yields {value} for elements of "
                    f"type {element}"
                )

    def _verify_reduction(self) -> None:
        if self.is_reduction != (self.combiner is not None or self.has_combine):
            raise VerifyException(
                f"te.compute: {self.label} must have both reduction axes and a combiner, or neither"
            )
        parts = (self.has_combine, self.combiner_name is not None, self.identity is not None)
        if len(set(parts)) > 1 or (self.has_combine and self.combiner is not None):
            raise VerifyException(
                f"te.compute: {self.label} must have either a named combiner, or one with a name, "
                "a region and an identity"
            )
        if self.combiner is not None:
            self._verify_named(self.combiner.data)
        if self.has_combine:
            assert self.identity is not None
            verify_combiner(
                f"te.compute: the combiner of {self.label}",
                self.combine,
                self.identity,
                self.element_types,
                YieldOp,
                self.captured_types,
            )
        for what, present in (
            ("where", self.has_where),
            ("init", self.has_init),
            ("domain", self.has_domain),
        ):
            if present and not self.is_reduction:
                raise VerifyException(
                    f"te.compute: {self.label} has {what}, which only reductions have"
                )
        if self.has_init:
            self._verify_region("init", self.init, self.rank)
            self._verify_yield("init", self.init)
        if self.has_domain:
            self._verify_domain()
        if self.has_where:
            self._verify_region("where", self.where, len(self.names))
            if not isinstance(self.where.block.last_op, ConditionOp):
                raise VerifyException(
                    f"te.compute: the where of {self.label} must end with te.condition"
                )

    def _verify_domain(self) -> None:
        self._verify_region("domain", self.domain, self.rank)
        last = self.domain.block.last_op
        yielded = [value.type for value in last.values] if isinstance(last, YieldOp) else []
        count = self.extents.count(None)
        if not count or yielded != [INDEX] * count:
            raise VerifyException(
                f"te.compute: the domain of {self.label} must yield an index for each of its "
                f"{count} extents that are ?"
            )

    def _verify_named(self, combiner: Combiner) -> None:
        if len(self.tensors) != 1:
            raise VerifyException(
                f"te.compute: the combiner {combiner} of {self.label} is for one value, not "
                f"{len(self.tensors)}"
            )
        unsigned = combiner in (Combiner.UMIN, Combiner.UMAX)
        kinds = IntegerType if unsigned else IntegerType | AnyFloat
        element = self.element_types[0]
        if not isinstance(element, kinds) or has_sign(element):
            raise VerifyException(
                f"te.compute: the combiner {combiner} of {self.label} is for "
                + ("signless " if has_sign(element) else "")
                + f"{'integers' if unsigned else 'integers and floats'}, not {element}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ComputeOp:
        start = parser.pos
        label = parse_name(parser)
        variables: list[Parser.UnresolvedArgument] = []

        def parse_axis() -> tuple[str, tuple[int, UnresolvedOperand | None]]:
            name, var = parse_named_variable(parser)
            variables.append(var)
            parser.parse_punctuation("=")
            if parser.parse_optional_punctuation("?"):
                return name, (DYNAMIC, None)
            return name, parse_extent(parser)

        def arguments(count: int | None = None) -> list[Parser.Argument]:
            return [var.resolve(INDEX) for var in variables[:count]]

        square = parser.Delimiter.SQUARE
        axes = parser.parse_comma_separated_list(square, parse_axis)
        reduce_axes: list[tuple[str, tuple[int, UnresolvedOperand | None]]] = []
        combiner: Combiner | UserCombiner | None = None
        where = init = domain = None
        if parser.parse_optional_keyword("reduce"):
            name = parser.parse_optional_str_literal()
            if name is None:
                combiner = Combiner(parser.parse_keyword_in([kind.value for kind in Combiner]))
            reduce_axes = parser.parse_comma_separated_list(square, parse_axis)
            if name is not None:
                region, identity = parse_combiner(parser)
                combiner = UserCombiner(name, region, identity.data)  # pyright: ignore
        if parser.parse_optional_keyword("domain"):
            domain = parser.parse_region(arguments(len(axes)))
        if parser.parse_optional_keyword("where"):
            where = parser.parse_region(arguments())
        if parser.parse_optional_keyword("init"):
            init = parser.parse_region(arguments(len(axes)))
        attributes = parse_optional_attributes(parser)
        if where or init or domain or isinstance(combiner, UserCombiner):
            parser.parse_keyword("do")
        body = parser.parse_region(arguments())
        parser.parse_punctuation(":")
        types: list[TensorType] = []
        for type_ in parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type):
            if not isinstance(type_, TensorType):
                parser.raise_error(f"te.compute: expected a tensor type, got {type_}")
            types.append(type_)

        def resolve(
            parsed: Sequence[tuple[str, tuple[int, UnresolvedOperand | None]]],
        ) -> list[tuple[str, Any]]:
            unresolved = (
                (name, extent if extent != DYNAMIC else None, operand)
                for name, (extent, operand) in parsed
            )
            return [
                (name, extent if operand is None else parser.resolve_operand(operand, INDEX))
                for name, extent, operand in unresolved
            ]

        if any(extent == (DYNAMIC, None) for _, extent in axes):
            parser.raise_error("te.compute: the extent of a spatial axis cannot be ?", start, start)
        if (domain is not None) != any(axis == (DYNAMIC, None) for _, axis in reduce_axes):
            parser.raise_error(
                "te.compute: extents are ? if, and only if, there is a domain", start, start
            )
        op = cls(
            label.data,
            resolve(axes),
            body,
            types,
            resolve(reduce_axes),
            combiner,
            where,
            init,
            domain,
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.label)
        printer.print_string(" ")
        printer.enter_scope()
        self._print_axes(printer, 0, self.rank)
        if self.is_reduction:
            if self.combiner is not None:
                printer.print_string(f" reduce {self.combiner.data.value} ")
            else:
                assert self.combiner_name is not None
                printer.print_string(" reduce ")
                printer.print_string_literal(self.combiner_name.data)
                printer.print_string(" ")
            self._print_axes(printer, self.rank, len(self.names))
            if self.has_combine:
                assert self.identity is not None
                printer.print_string(" ")
                print_combiner(printer, self.combine, self.identity)
        for word, region in (("domain", self.domain), ("where", self.where), ("init", self.init)):
            if region.blocks:
                printer.print_string(f" {word} ")
                printer.print_region(region, print_entry_block_args=False)
        print_optional_attributes(printer, self.attributes)
        printer.print_string(" do " if any(region.blocks for region in self.regions[1:]) else " ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.exit_scope()
        printer.print_string(" : ")
        printer.print_list(self.tensors, lambda tensor: printer.print_attribute(tensor.type))

    def _print_axes(self, printer: Printer, start: int, stop: int) -> None:
        extents = self.extents
        printer.print_string("[")
        for n in range(start, stop):
            if n > start:
                printer.print_string(", ")
            # All regions name the axes alike, so one list suffices.
            regions = [region for region in (self.body, self.where) if region.blocks]
            if n < self.rank:
                regions += [region for region in (self.init, self.domain) if region.blocks]
            variables = [region.block.args[n] for region in regions]
            print_named_variable(printer, self.names[n], *variables)
            printer.print_string(" = ")
            extent = extents[n]
            if extent is None:
                printer.print_string("?")
            elif isinstance(extent, int):
                printer.print_int(extent)
            else:
                printer.print_ssa_value(extent)
        printer.print_string("]")


def output_name(label: str, index: int, count: int) -> str:
    """The name of result ``index`` of ``count`` results of the op ``label``."""
    return label if count == 1 else f"{label}_v{index}"


def _shape_text(extents: Sequence[int]) -> str:
    return "[" + ", ".join("?" if extent == DYNAMIC else str(extent) for extent in extents) + "]"


def computes_in(op: Operation) -> list[ComputeOp]:
    """The computes in ``op``, in order."""
    return [nested for nested in op.walk() if isinstance(nested, ComputeOp)]
