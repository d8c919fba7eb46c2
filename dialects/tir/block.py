"""``tir.block``: a unit of computation over iteration variables of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    StringAttr,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, Region, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap, AffineSet
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import NoTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from kc.dialects.affine_assembly import AffineOperandsParser, print_conditions, print_exprs
from kc.dialects.assembly import (
    DYNAMIC,
    INDEX,
    parse_annotations,
    parse_extent,
    parse_name,
    parse_named_variable,
    parse_optional_attributes,
    print_annotations,
    print_body,
    print_named_variable,
    print_optional_attributes,
    verify_name,
    verify_structured,
)
from kc.dialects.direct_access import values_of, with_direct_access
from kc.dialects.tir.canonicalization import Canonicalized


class IterType(StrEnum):
    """The promise of a block about an iteration variable.

    Instances that differ in a ``spatial`` variable write different elements and may run in any
    order. Along a ``reduce`` variable, a commutative and associative combiner is applied. An
    ``opaque`` variable has no known property.
    """

    SPATIAL = "spatial"
    REDUCE = "reduce"
    OPAQUE = "opaque"


@irdl_attr_definition
class IterTypeAttr(EnumAttribute[IterType], SpacedOpaqueSyntaxAttribute):
    name = "tir.iter_type"


_ITER_TYPES = {kind: IterTypeAttr(kind) for kind in IterType}


@lru_cache(1024)
def _static_extents(extents: tuple[int, ...]) -> DenseArrayBase:
    """The attribute for static extents, cached because programs have few distinct ones."""
    return DenseArrayBase.from_list(i64, extents)


@with_direct_access
@irdl_op_definition
class BlockOp(IRDLOperation):
    """A block: a computation over typed iteration variables bound to the loops around it.

    ``tir.block "C" (spatial %vi in 1024 = %i, reduce %vk in 64 = %k_o * 4 + %k_i) where (%k_o * 4 +
    %k_i < 64) init { ... } do { ... }``. The body runs if the predicate holds; ``init`` runs before
    it in the instances whose ``reduce`` variables are all 0. If the reduction is empty, ``init``
    still runs for each element, when the outermost loop of the reduction begins: the block then has
    the initial value. The buffers that the block reads and writes are derived from its body.
    """

    name = "tir.block"

    dynamic_extents = var_operand_def(IndexType())
    binding_operands = var_operand_def(IndexType())
    predicate_operands = var_operand_def(IndexType())

    block_name = prop_def(StringAttr)
    iter_types = prop_def(ArrayAttr[IterTypeAttr])
    iter_names = prop_def(ArrayAttr[StringAttr])
    static_extents = prop_def(DenseArrayBase.constr(i64))
    bindings = prop_def(AffineMapAttr)
    predicate = prop_def(AffineSetAttr)
    annotations = opt_prop_def(DictionaryAttr)

    init = region_def()
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect(), Canonicalized())

    def __init__(
        self,
        block_name: str,
        iters: Sequence[tuple[IterType, str, int | SSAValue]],
        bindings: AffineMap,
        binding_operands: Sequence[SSAValue],
        body: Region,
        init: Region | None = None,
        predicate: AffineSet | None = None,
        predicate_operands: Sequence[SSAValue] = (),
        annotations: Mapping[str, Attribute] | None = None,
    ) -> None:
        properties: dict[str, Attribute] = {
            "block_name": StringAttr(block_name),
            "iter_types": ArrayAttr([_ITER_TYPES[kind] for kind, _, _ in iters]),
            "iter_names": ArrayAttr([StringAttr(name) for _, name, _ in iters]),
            "static_extents": _static_extents(
                tuple(extent if isinstance(extent, int) else DYNAMIC for _, _, extent in iters)
            ),
            "bindings": AffineMapAttr(bindings),
            "predicate": AffineSetAttr(
                predicate if predicate is not None else AffineSet(len(predicate_operands), 0, ())
            ),
        }
        if annotations:
            properties["annotations"] = DictionaryAttr(dict(annotations))
        dynamic = [extent for _, _, extent in iters if not isinstance(extent, int)]
        super().__init__(
            operands=[dynamic, list(binding_operands), list(predicate_operands)],
            properties=properties,
            regions=[init if init is not None else Region(), body],
        )

    @property
    def label(self) -> str:
        """The block's name."""
        return self.block_name.data

    name_hint = label
    """By TVM's name."""

    def same_as(self, node: Operation) -> bool:
        """True if both are the same block (TVM)."""
        return self is node

    @property
    def types(self) -> list[IterType]:
        """The kind of each iteration variable."""
        return [kind.data for kind in self.iter_types.data]

    @property
    def names(self) -> list[str]:
        """The name of each iteration variable."""
        return [name.data for name in self.iter_names.data]

    @property
    def extents(self) -> list[int | SSAValue]:
        """The extent of each iteration variable: an integer or an index value."""
        dynamic = iter(self.dynamic_extents)
        return [
            next(dynamic) if extent == DYNAMIC else extent
            for extent in values_of(self.static_extents)
        ]

    def extent_of(self, number: int) -> int | SSAValue:
        """The extent of one iteration variable."""
        size = values_of(self.static_extents)[number]
        return self.extents[number] if size == DYNAMIC else size

    @property
    def has_init(self) -> bool:
        """True if the block initialises its reduction."""
        return self.regions[0].first_block is not None

    @property
    def is_reduction(self) -> bool:
        """True if the block has a reduce variable."""
        return IterType.REDUCE in self.types

    @property
    def binding_exprs(self) -> tuple[AffineExpr, ...]:
        """The binding of each iteration variable over :attr:`binding_operands`."""
        return self.bindings.data.results

    @property
    def iters(self) -> list[tuple[IterType, str, int | SSAValue]]:
        """Kind, name and extent of each iteration variable."""
        return list(zip(self.types, self.names, self.extents, strict=True))

    def verify_(self) -> None:
        verify_name(self, self.label)
        verify_structured(self)
        count = len(self.iter_types.data)
        for what, number in (
            ("names", len(self.iter_names.data)),
            ("extents", len(self.static_extents)),
            ("bindings", len(self.bindings.data.results)),
            ("body arguments", len(self.body.block.args)),
        ):
            if number != count:
                raise VerifyException(
                    f"tir.block: block {self.label} has {count} iteration variables "
                    f"but {number} {what}"
                )
        for name in self.names:
            verify_name(self, name)
        dynamic = 0
        for name, extent in zip(self.names, self.static_extents.iter_values(), strict=True):
            dynamic += extent == DYNAMIC
            if extent < 0 and extent != DYNAMIC:
                raise VerifyException(
                    f"tir.block: {name} of block {self.label} has the extent {extent}; "
                    "an extent is at least 0"
                )
        if dynamic != len(self.dynamic_extents):
            raise VerifyException(
                f"tir.block: block {self.label} has {dynamic} dynamic extents "
                f"but {len(self.dynamic_extents)} operands for them"
            )
        for what, space, operands in (
            ("bindings", self.bindings.data, self.binding_operands),
            ("predicate", self.predicate.data, self.predicate_operands),
        ):
            if space.num_symbols or space.num_dims != len(operands):
                raise VerifyException(
                    f"tir.block: the {what} of block {self.label} take {space.num_dims} "
                    f"dimensions and {space.num_symbols} symbols; "
                    f"{len(operands)} dimensions and no symbols are needed"
                )
        regions = [self.body, *([self.init] if self.has_init else [])]
        for region in regions:
            if len(region.blocks) != 1 or any(arg.type != INDEX for arg in region.block.args):
                raise VerifyException(
                    f"tir.block: block {self.label}: iteration variables have type index"
                )
        if self.has_init:
            if len(self.init.block.args) != count:
                raise VerifyException(
                    f"tir.block: the init of block {self.label} must have the block's "
                    f"{count} iteration variables"
                )
            if not self.is_reduction:
                raise VerifyException(
                    f"tir.block: block {self.label} has an init but no reduce variable"
                )
            for arg, kind, name in zip(self.init.block.args, self.types, self.names, strict=True):
                if kind is IterType.REDUCE and arg.first_use is not None:
                    raise VerifyException(
                        f"tir.block: the init of block {self.label} uses the reduce variable {name}"
                    )

    @classmethod
    def parse(cls, parser: Parser) -> BlockOp:
        label = parse_name(parser)
        affine = AffineOperandsParser(parser)
        exprs: list[AffineExpr] = []
        iters: list[tuple[IterType, str]] = []
        extents: list[tuple[int, UnresolvedOperand | None]] = []
        variables: list[Parser.UnresolvedArgument] = []

        def parse_iter() -> None:
            kind = IterType(parser.parse_keyword_in([kind.value for kind in IterType]))
            name, var = parse_named_variable(parser)
            variables.append(var)
            iters.append((kind, name))
            parser.parse_keyword("in")
            extents.append(parse_extent(parser))
            parser.parse_punctuation("=")
            exprs.append(affine.expr())

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_iter)
        condition = AffineOperandsParser(parser)
        constraints = []
        if parser.parse_optional_keyword("where"):
            constraints = condition.constraints()
        annotations = parse_annotations(parser)
        attributes = parse_optional_attributes(parser)

        def arguments() -> list[Parser.Argument]:
            return [var.resolve(INDEX) for var in variables]

        init = None
        if parser.parse_optional_keyword("init"):
            init = parser.parse_region(arguments())
        parser.parse_keyword("do")
        body = parser.parse_region(arguments())
        op = cls(
            label.data,
            [
                (kind, name, parser.resolve_operand(operand, INDEX) if operand else extent)
                for (kind, name), (extent, operand) in zip(iters, extents, strict=True)
            ],
            affine.map_of(exprs),
            affine.operands(),
            body,
            init,
            condition.set_of(constraints),
            condition.operands(),
            annotations.data if annotations is not None else None,
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.label)
        printer.print_string(" (")
        args = self.body.block.args
        # Both regions name their variables alike, so one list suffices.
        printer.enter_scope()
        for n, (kind, name, extent) in enumerate(self.iters):
            if n:
                printer.print_string(", ")
            printer.print_string(f"{kind.value} ")
            init_args = [self.init.block.args[n]] if self.has_init else []
            print_named_variable(printer, name, args[n], *init_args)
            printer.print_string(" in ")
            if isinstance(extent, int):
                printer.print_int(extent)
            else:
                printer.print_ssa_value(extent)
            printer.print_string(" = ")
            print_exprs(printer, [self.binding_exprs[n]], self.binding_operands)
        printer.print_string(")")
        if self.predicate.data.constraints:
            printer.print_string(" where ")
            print_conditions(printer, self.predicate.data, self.predicate_operands)
        print_annotations(printer, self.annotations)
        print_optional_attributes(printer, self.attributes)
        if self.has_init:
            printer.print_string(" init ")
            print_body(printer, self.init)
        printer.print_string(" do ")
        print_body(printer, self.body)
        printer.exit_scope()
