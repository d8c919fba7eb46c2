"""The ``tir`` dialect: loops, blocks and buffers, the level at which programs are scheduled.

A function is a ``func.func`` on memrefs. ``tir.for`` is a named loop from 0 to its extent;
``tir.block`` is a unit of computation over its own typed iteration variables, bound to the loops
around it; ``tir.load`` and ``tir.store`` index with affine maps. The concepts are those of
TensorIR (Feng et al., ASPLOS 2023); the syntax is MLIR's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    VectorType,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Dialect,
    Operation,
    Region,
    SpacedOpaqueSyntaxAttribute,
    SSAValue,
)
from xdsl.ir.affine import AffineExpr, AffineMap, AffineSet
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    MemoryAllocEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoTerminator,
    Pure,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from kc.dialects.access_assembly import print_access, verify_access
from kc.dialects.affine_assembly import (
    AffineOperandsParser,
    print_conditions,
    print_exprs,
)
from kc.dialects.tir_calls import CallExternOp
from kc.dialects.tir_combine import CombineOp, YieldOp
from kc.dialects.tir_prefetch import PrefetchOp
from kc.dialects.tir_threads import THREAD_AXES
from kc.dialects.tir_views import CallOp, ViewOp
from kc.support.ir_text import NamingPrinter

INDEX = IndexType()
DYNAMIC = DYNAMIC_INDEX
"""The static extent that stands for "given by an operand"; MLIR's dynamic dimension."""


class ForKind(StrEnum):
    """How the iterations of a loop are executed."""

    SERIAL = "serial"
    PARALLEL = "parallel"
    VECTORIZED = "vectorized"
    UNROLLED = "unrolled"
    THREAD = "thread"
    """Bound to a thread axis; see :mod:`kc.dialects.tir_threads`."""


@irdl_attr_definition
class ForKindAttr(EnumAttribute[ForKind], SpacedOpaqueSyntaxAttribute):
    name = "tir.for_kind"


class IterType(StrEnum):
    """What a block promises about an iteration variable.

    Instances that differ in a ``spatial`` variable write different elements and may run in any
    order; along a ``reduce`` variable a commutative, associative combiner is applied; nothing
    is known of an ``opaque`` one.
    """

    SPATIAL = "spatial"
    REDUCE = "reduce"
    OPAQUE = "opaque"


@irdl_attr_definition
class IterTypeAttr(EnumAttribute[IterType], SpacedOpaqueSyntaxAttribute):
    name = "tir.iter_type"


def parse_name(parser: Parser) -> StringAttr:
    """A loop's, block's or buffer's name: a quoted identifier."""
    text = parser.parse_str_literal(" (a name in quotes)")
    return StringAttr(text)


def parse_named_variable(parser: Parser) -> tuple[str, Parser.UnresolvedArgument]:
    """``%i`` or ``%i_1 "i"``: a variable, whose name is its SSA name unless given in quotes."""
    var = parser.parse_argument(expect_type=False)
    name = parser.parse_optional_str_literal()
    return (name if name is not None else var.name.text[1:]), var


def print_named_variable(printer: Printer, name: str, *variables: SSAValue) -> None:
    """The inverse of :func:`parse_named_variable`; all ``variables`` print alike."""
    if isinstance(printer, NamingPrinter):
        printer.name_value(variables[0], name)
    shown = printer.print_ssa_value(variables[0])
    for other in variables[1:]:
        printer._ssa_values[other] = shown
    if shown != name:
        printer.print_string(" ")
        printer.print_string_literal(name)


def print_body(printer: Printer, region: Region) -> None:
    """A region whose block arguments are printed elsewhere; an empty one as ``{ }``."""
    if region.block.first_op is None:
        printer.print_string("{ }")
    else:
        printer.print_region(region, print_entry_block_args=False)


def is_name(name: str) -> bool:
    """Whether ``name`` is an identifier of textual IR."""
    return name.isidentifier() and name.isascii()


def verify_name(op: Operation, name: str) -> None:
    """Refuse a name that is none."""
    if not is_name(name):
        raise VerifyException(f"{op.name}: the name '{name}' is not an identifier")


def parse_extent(parser: Parser) -> tuple[int, UnresolvedOperand | None]:
    """An extent: an integer, or an index value."""
    operand = parser.parse_optional_unresolved_operand()
    if operand is not None:
        return DYNAMIC, operand
    return parser.parse_integer(allow_boolean=False, context_msg=" (an extent)"), None


def parse_annotations(parser: Parser) -> DictionaryAttr | None:
    if parser.parse_optional_keyword("annotations") is None:
        return None
    return DictionaryAttr(parser.parse_optional_dictionary_attr_dict())


def print_annotations(printer: Printer, annotations: DictionaryAttr | None) -> None:
    if annotations is not None and annotations.data:
        printer.print_string(" annotations")
        printer.print_string(" ")
        printer.print_attr_dict(annotations.data)


def parse_optional_attributes(parser: Parser) -> dict[str, Attribute]:
    if parser.parse_optional_keyword("attributes") is None:
        return {}
    return parser.parse_optional_dictionary_attr_dict()


def print_optional_attributes(printer: Printer, attributes: Mapping[str, Attribute]) -> None:
    if attributes:
        printer.print_string(" attributes ")
        printer.print_attr_dict(dict(attributes))


@irdl_op_definition
class ForOp(IRDLOperation):
    """A named loop over ``0 <= i < extent``.

    ``tir.for %i in 1024 parallel { ... }``, ``tir.for %i in 64 thread "threadIdx.x" { ... }``. A
    loop that starts elsewhere adds the start in the bindings of its blocks, so every loop
    primitive has one case. What loops of threads mean: :mod:`kc.dialects.tir_threads`.
    """

    name = "tir.for"

    dynamic_extent = opt_operand_def(IndexType())
    loop_name = prop_def(StringAttr)
    extent = prop_def(IntegerAttr)
    kind = prop_def(ForKindAttr)
    thread_axis = opt_prop_def(StringAttr)
    annotations = opt_prop_def(DictionaryAttr)
    body = region_def("single_block")

    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(
        self,
        loop_name: str,
        extent: int | SSAValue,
        body: Region | None = None,
        kind: ForKind = ForKind.SERIAL,
        annotations: Mapping[str, Attribute] | None = None,
        axis: str | None = None,
    ) -> None:
        if body is None:
            body = Region(Block(arg_types=[INDEX]))
            body.block.args[0].name_hint = loop_name
        dynamic = [] if isinstance(extent, int) else [extent]
        properties: dict[str, Attribute] = {
            "loop_name": StringAttr(loop_name),
            "extent": IntegerAttr(extent if isinstance(extent, int) else DYNAMIC, i64),
            "kind": ForKindAttr(kind),
        }
        if annotations:
            properties["annotations"] = DictionaryAttr(dict(annotations))
        if axis is not None:
            properties["thread_axis"] = StringAttr(axis)
        super().__init__(operands=[dynamic], properties=properties, regions=[body])

    @property
    def var(self) -> BlockArgument:
        """The loop variable."""
        return self.body.block.args[0]

    @property
    def static_extent(self) -> int | None:
        """The extent when it is a constant."""
        return None if self.dynamic_extent is not None else self.extent.value.data

    @property
    def extent_value(self) -> int | SSAValue:
        """The extent: an integer or an index value."""
        return self.extent.value.data if self.dynamic_extent is None else self.dynamic_extent

    @property
    def label(self) -> str:
        """The loop's name."""
        return self.loop_name.data

    @property
    def axis(self) -> str | None:
        """The thread axis that a loop of kind ``thread`` is bound to."""
        return None if self.thread_axis is None else self.thread_axis.data

    @property
    def kind_text(self) -> str:
        """The kind as people see it: the thread axis of a loop that is bound to one."""
        return self.axis or self.kind.data.value

    def verify_(self) -> None:
        verify_name(self, self.label)
        if (self.kind.data is ForKind.THREAD) != (self.thread_axis is not None):
            raise VerifyException(
                f"tir.for: loop {self.label} is {self.kind.data.value} and has "
                f"{'no' if self.thread_axis is None else 'a'} thread axis; "
                "a loop of kind thread has one, no other has"
            )
        if self.axis is not None and self.axis not in THREAD_AXES:
            raise VerifyException(
                f"tir.for: loop {self.label} is bound to '{self.axis}'; the thread axes are "
                + ", ".join(THREAD_AXES)
            )
        if self.dynamic_extent is None and self.extent.value.data < 0:
            raise VerifyException(
                f"tir.for: loop {self.label} has the extent {self.extent.value.data}; "
                "an extent is at least 0"
            )
        if [arg.type for arg in self.body.block.args] != [INDEX]:
            raise VerifyException(f"tir.for: loop {self.label} must have one index variable")

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        loop_name, var = parse_named_variable(parser)
        parser.parse_keyword("in")
        extent, operand = parse_extent(parser)
        word = parser.parse_optional_keyword_in([kind.value for kind in ForKind])
        axis = parser.parse_str_literal(" (a thread axis)") if word == ForKind.THREAD else None
        annotations = parse_annotations(parser)
        attributes = parse_optional_attributes(parser)
        dynamic = parser.resolve_operand(operand, INDEX) if operand is not None else extent
        op = cls(
            loop_name,
            dynamic,
            parser.parse_region([var.resolve(INDEX)]),
            ForKind(word) if word else ForKind.SERIAL,
            annotations.data if annotations is not None else None,
            axis,
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_named_variable(printer, self.label, self.var)
        printer.print_string(" in ")
        if self.dynamic_extent is not None:
            printer.print_ssa_value(self.dynamic_extent)
        else:
            printer.print_int(self.extent.value.data)
        if self.kind.data is not ForKind.SERIAL:
            printer.print_string(f" {self.kind.data.value}")
        if self.axis is not None:
            printer.print_string(" ")
            printer.print_string_literal(self.axis)
        print_annotations(printer, self.annotations)
        print_optional_attributes(printer, self.attributes)
        printer.print_string(" ")
        print_body(printer, self.body)


@irdl_op_definition
class BlockOp(IRDLOperation):
    """A block: a computation over typed iteration variables bound to the loops around it.

    ``tir.block "C" (spatial %vi in 1024 = %i, reduce %vk in 64 = %k_o * 4 + %k_i) where
    (%k_o * 4 + %k_i < 64) init { ... } do { ... }``. The body runs when the predicate holds;
    ``init`` runs before it in the instances whose ``reduce`` variables are all 0. Where the
    reduction is over nothing ``init`` runs all the same, for each element, as the outermost loop
    of the reduction begins: the block then stands for the initial value.
    Buffers that the block reads and writes are derived from its body.
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
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

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
            "iter_types": ArrayAttr([IterTypeAttr(kind) for kind, _, _ in iters]),
            "iter_names": ArrayAttr([StringAttr(name) for _, name, _ in iters]),
            "static_extents": DenseArrayBase.from_list(
                i64, [extent if isinstance(extent, int) else DYNAMIC for _, _, extent in iters]
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

    @property
    def types(self) -> list[IterType]:
        """The kind of each iteration variable."""
        return [one.data for one in self.iter_types.data]

    @property
    def names(self) -> list[str]:
        """The name of each iteration variable."""
        return [one.data for one in self.iter_names.data]

    @property
    def extents(self) -> list[int | SSAValue]:
        """The extent of each iteration variable: an integer or an index value."""
        dynamic = iter(self.dynamic_extents)
        return [
            next(dynamic) if extent == DYNAMIC else int(extent)
            for extent in self.static_extents.iter_values()
        ]

    @property
    def has_init(self) -> bool:
        """Whether the block initialises what it reduces into."""
        return bool(self.init.blocks)

    @property
    def is_reduction(self) -> bool:
        """Whether some iteration variable is a reduction."""
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
        count = len(self.iter_types.data)
        for what, found in (
            ("names", len(self.iter_names.data)),
            ("extents", len(self.static_extents)),
            ("bindings", len(self.bindings.data.results)),
            ("body arguments", len(self.body.block.args)),
        ):
            if found != count:
                raise VerifyException(
                    f"tir.block: block {self.label} has {count} iteration variables "
                    f"but {found} {what}"
                )
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
            kind = IterType(parser.parse_keyword_in([one.value for one in IterType]))
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
        # Both regions name their variables alike, so that one list serves both.
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


def _verify_element(op: Operation, buffer_type: Attribute, value_type: Attribute) -> None:
    assert isinstance(buffer_type, MemRefType)
    element = buffer_type.element_type
    if value_type == element:
        return
    if isinstance(value_type, VectorType) and value_type.element_type == element:
        if value_type.get_num_dims() == 1 and buffer_type.get_num_dims() > 0:
            return
    raise VerifyException(f"{op.name}: value of type {value_type} for a buffer of {element}")


@irdl_op_definition
class LoadOp(IRDLOperation):
    """``tir.load %A[%i * 32 + %ii, %k] : memref<...>``: an element of a buffer.

    With a vector result, consecutive elements along the last dimension.
    """

    name = "tir.load"

    buffer = operand_def(MemRefType)
    operands_of_map = var_operand_def(IndexType())
    indices = prop_def(AffineMapAttr)
    result = result_def()

    traits = traits_def(MemoryReadEffect())

    def __init__(
        self,
        buffer: SSAValue,
        indices: AffineMap,
        operands: Sequence[SSAValue],
        result_type: Attribute | None = None,
    ) -> None:
        if result_type is None:
            assert isinstance(buffer.type, MemRefType)
            result_type = buffer.type.element_type
        super().__init__(
            operands=[buffer, list(operands)],
            properties={"indices": AffineMapAttr(indices)},
            result_types=[result_type],
        )

    def verify_(self) -> None:
        verify_access(self, self.buffer.type, self.indices, len(self.operands_of_map))
        _verify_element(self, self.buffer.type, self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        buffer = parser.parse_unresolved_operand()
        affine = AffineOperandsParser(parser)
        exprs = affine.exprs()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        buffer_type = parser.parse_type()
        result_type = None
        if parser.parse_optional_punctuation(","):
            result_type = parser.parse_type()
        elif not isinstance(buffer_type, MemRefType):
            parser.raise_error(f"tir.load: expected a memref type, got {buffer_type}")
        op = cls(
            parser.resolve_operand(buffer, buffer_type),
            affine.map_of(exprs),
            affine.operands(),
            result_type,
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_access(printer, self.buffer, self.indices, self.operands_of_map)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)
        if isinstance(self.result.type, VectorType):
            printer.print_string(", ")
            printer.print_attribute(self.result.type)


@irdl_op_definition
class StoreOp(IRDLOperation):
    """``tir.store %v, %A[%i, %j] : memref<...>``: write an element, or a vector of them."""

    name = "tir.store"

    value = operand_def()
    buffer = operand_def(MemRefType)
    operands_of_map = var_operand_def(IndexType())
    indices = prop_def(AffineMapAttr)

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self, value: SSAValue, buffer: SSAValue, indices: AffineMap, operands: Sequence[SSAValue]
    ) -> None:
        super().__init__(
            operands=[value, buffer, list(operands)],
            properties={"indices": AffineMapAttr(indices)},
        )

    def verify_(self) -> None:
        verify_access(self, self.buffer.type, self.indices, len(self.operands_of_map))
        _verify_element(self, self.buffer.type, self.value.type)

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        buffer = parser.parse_unresolved_operand()
        affine = AffineOperandsParser(parser)
        exprs = affine.exprs()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        buffer_type = parser.parse_type()
        if parser.parse_optional_punctuation(","):
            value_type = parser.parse_type()
        elif isinstance(buffer_type, MemRefType):
            value_type = buffer_type.element_type
        else:
            parser.raise_error(f"tir.store: expected a memref type, got {buffer_type}")
        op = cls(
            parser.resolve_operand(value, value_type),
            parser.resolve_operand(buffer, buffer_type),
            affine.map_of(exprs),
            affine.operands(),
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        print_access(printer, self.buffer, self.indices, self.operands_of_map)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)
        if isinstance(self.value.type, VectorType):
            printer.print_string(", ")
            printer.print_attribute(self.value.type)


@irdl_op_definition
class AllocOp(IRDLOperation):
    """``tir.alloc "B" : memref<16x?xf32, "local">``: a buffer, alive to the end of its region."""

    name = "tir.alloc"

    dynamic_sizes = var_operand_def(IndexType())
    buffer_name = prop_def(StringAttr)
    buffer = result_def(MemRefType)

    traits = traits_def(MemoryAllocEffect())

    def __init__(
        self, buffer_name: str, buffer_type: MemRefType, dynamic_sizes: Sequence[SSAValue] = ()
    ) -> None:
        super().__init__(
            operands=[list(dynamic_sizes)],
            properties={"buffer_name": StringAttr(buffer_name)},
            result_types=[buffer_type],
        )
        if is_name(buffer_name):
            self.buffer.name_hint = buffer_name

    @property
    def label(self) -> str:
        """The buffer's name."""
        return self.buffer_name.data

    def verify_(self) -> None:
        verify_name(self, self.label)
        assert isinstance(self.buffer.type, MemRefType)
        dynamic = self.buffer.type.get_shape().count(DYNAMIC)
        if dynamic != len(self.dynamic_sizes):
            raise VerifyException(
                f"tir.alloc: buffer {self.label} has {dynamic} dynamic dimensions "
                f"but {len(self.dynamic_sizes)} sizes"
            )
        self._verify_notes(self.buffer.type.get_num_dims())

    def _verify_notes(self, rank: int) -> None:
        """What is noted about dimensions: ``tir.storage_align`` and ``tir.axis_separators``."""
        aligned = self.attributes.get("tir.storage_align", ArrayAttr([]))
        entries = aligned.data if isinstance(aligned, ArrayAttr) else (aligned,)
        axes: list[int] = []
        for one in entries:
            values = one.get_values() if isinstance(one, DenseArrayBase) else ()
            if len(values) != 3 or not 0 <= values[0] < rank or not 0 <= values[2] < values[1]:
                raise VerifyException(
                    f"tir.alloc: tir.storage_align of buffer {self.label} has the entry {one}; "
                    f"it has a dimension (0 to {rank - 1}), a factor, and an offset less than that"
                )
            axes.append(int(values[0]))
        if len(set(axes)) != len(axes):
            raise VerifyException(
                f"tir.alloc: tir.storage_align of buffer {self.label} aligns a dimension twice"
            )
        separators = self.attributes.get("tir.axis_separators")
        if separators is None:
            return
        found = separators.get_values() if isinstance(separators, DenseArrayBase) else (0,)
        ends = [0, *found, rank]
        if any(one >= other for one, other in zip(ends, ends[1:], strict=False)):
            raise VerifyException(
                f"tir.alloc: tir.axis_separators of buffer {self.label} is {separators}; "
                f"separators are between its {rank} dimensions, in increasing order"
            )

    @classmethod
    def parse(cls, parser: Parser) -> AllocOp:
        label = parse_name(parser)
        sizes = (
            parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_unresolved_operand
            )
            or []
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        buffer_type = parser.parse_type()
        if not isinstance(buffer_type, MemRefType):
            parser.raise_error(f"tir.alloc: expected a memref type, got {buffer_type}")
        op = cls(label.data, buffer_type, [parser.resolve_operand(one, INDEX) for one in sizes])
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.label)
        if self.dynamic_sizes:
            printer.print_string(" (")
            printer.print_list(self.dynamic_sizes, printer.print_ssa_value)
            printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)


@irdl_op_definition
class ApplyOp(IRDLOperation):
    """``tir.apply (%i * 32 + %ii)``: an affine expression as a value.

    (``affine.apply`` restricts its operands to values that ``tir`` loops do not produce.)
    """

    name = "tir.apply"

    operands_of_map = var_operand_def(IndexType())
    map = prop_def(AffineMapAttr)
    result = result_def(IndexType())

    traits = traits_def(Pure())

    def __init__(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> None:
        super().__init__(
            operands=[list(operands)],
            properties={"map": AffineMapAttr(AffineMap(len(operands), 0, (expr,)))},
            result_types=[INDEX],
        )

    @property
    def expr(self) -> AffineExpr:
        """The expression over :attr:`operands_of_map`."""
        return self.map.data.results[0]

    def verify_(self) -> None:
        space = self.map.data
        if space.num_symbols or space.num_dims != len(self.operands_of_map):
            raise VerifyException(
                f"tir.apply: the map takes {space.num_dims} dimensions and {space.num_symbols} "
                f"symbols; {len(self.operands_of_map)} dimensions and no symbols are needed"
            )
        if len(space.results) != 1:
            raise VerifyException(f"tir.apply: the map has {len(space.results)} results, not 1")

    @classmethod
    def parse(cls, parser: Parser) -> ApplyOp:
        affine = AffineOperandsParser(parser)
        with parser.in_parens():
            expr = affine.expr()
        op = cls(expr, affine.operands())
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        print_exprs(printer, [self.expr], self.operands_of_map)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class LinearizeOp(IRDLOperation):
    """``tir.linearize [%o, %i] by [%m, %n]``: ``o * n + i``, with ``n`` known at run time only.

    The structured form of a product that is not affine: 0 <= index < size holds for each pair.
    (``affine.linearize_index disjoint`` upstream.)
    """

    name = "tir.linearize"

    indices = var_operand_def(IndexType())
    sizes = var_operand_def(IndexType())
    result = result_def(IndexType())

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

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

    traits = traits_def(Pure())

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
    return [parser.resolve_operand(one, INDEX) for one in names]


@irdl_op_definition
class IfOp(IRDLOperation):
    """``tir.if (%i * 32 + %ii < 1000) { ... } else { ... }``: a guard on indices."""

    name = "tir.if"

    operands_of_set = var_operand_def(IndexType())
    condition = prop_def(AffineSetAttr)
    then = region_def("single_block")
    orelse = region_def()

    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(
        self,
        condition: AffineSet,
        operands: Sequence[SSAValue],
        then: Region,
        orelse: Region | None = None,
    ) -> None:
        super().__init__(
            operands=[list(operands)],
            properties={"condition": AffineSetAttr(condition)},
            regions=[then, orelse if orelse is not None else Region()],
        )

    def verify_(self) -> None:
        space = self.condition.data
        if space.num_symbols or space.num_dims != len(self.operands_of_set):
            raise VerifyException(
                f"tir.if: the condition takes {space.num_dims} dimensions and "
                f"{space.num_symbols} symbols; {len(self.operands_of_set)} dimensions and "
                "no symbols are needed"
            )
        if len(self.orelse.blocks) > 1:
            raise VerifyException("tir.if: else has more than one block")

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        affine = AffineOperandsParser(parser)
        condition = affine.set_of(affine.constraints())
        # xDSL numbers constraints as they are met; the set spans all operands seen.
        operands = affine.operands()
        condition = AffineSet(len(operands), 0, condition.constraints)
        attributes = parse_optional_attributes(parser)
        then = parser.parse_region()
        if not then.blocks:  # an empty body parses to no block
            then.add_block(Block())
        orelse = parser.parse_region() if parser.parse_optional_keyword("else") else None
        op = cls(condition, operands, then, orelse)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_conditions(printer, self.condition.data, self.operands_of_set)
        print_optional_attributes(printer, self.attributes)
        printer.print_string(" ")
        print_body(printer, self.then)
        if self.orelse.blocks:
            printer.print_string(" else ")
            print_body(printer, self.orelse)


@irdl_op_definition
class SymbolOp(IRDLOperation):
    """``%n = tir.symbol "n"``: a symbolic size of the function.

    Its value is the dimension of the first argument whose ``kc.shape`` names it, or the scalar
    argument with ``kc.symbol``; that all occurrences agree is checked at the call.
    """

    name = "tir.symbol"

    symbol = prop_def(StringAttr)
    result = result_def(IndexType())

    traits = traits_def(Pure())

    def __init__(self, symbol: str) -> None:
        super().__init__(properties={"symbol": StringAttr(symbol)}, result_types=[INDEX])
        if is_name(symbol):
            self.result.name_hint = symbol

    def verify_(self) -> None:
        verify_name(self, self.symbol.data)

    @classmethod
    def parse(cls, parser: Parser) -> SymbolOp:
        op = cls(parse_name(parser).data)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.symbol.data)
        printer.print_op_attributes(self.attributes)


def symbol_names(function: Operation) -> list[str]:
    """The symbolic sizes that a function declares in ``kc.symbols``."""
    names = function.attributes.get("kc.symbols")
    if not isinstance(names, ArrayAttr):
        return []
    return [one.data for one in names if isinstance(one, StringAttr)]


TIR = Dialect(
    "tir",
    [
        AllocOp,
        ApplyOp,
        BlockOp,
        CallExternOp,
        CallOp,
        CombineOp,
        DelinearizeOp,
        ForOp,
        IfOp,
        LinearizeOp,
        LoadOp,
        PrefetchOp,
        StoreOp,
        SymbolOp,
        ViewOp,
        YieldOp,
    ],
    [ForKindAttr, IterTypeAttr],
)
