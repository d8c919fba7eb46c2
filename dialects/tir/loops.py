"""``tir.for``, ``tir.condition`` and ``tir.if``: repetition and conditional execution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from xdsl.dialects.builtin import (
    I1,
    AffineSetAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Operation,
    Region,
    SpacedOpaqueSyntaxAttribute,
    SSAValue,
)
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineSet
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    MemoryWriteEffect,
    NoTerminator,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from kc.dialects.affine_assembly import AffineOperandsParser, print_conditions
from kc.dialects.assembly import (
    DYNAMIC,
    INDEX,
    parse_annotations,
    parse_extent,
    parse_named_variable,
    parse_optional_attributes,
    print_annotations,
    print_body,
    print_named_variable,
    print_optional_attributes,
    verify_name,
    verify_structured,
)
from kc.dialects.direct_access import initialize, with_direct_access
from kc.dialects.tir.canonicalization import Canonicalized
from kc.dialects.tir.threads import THREAD_AXES

ONCE_PER_CHUNK = "kc.once_per_chunk"
"""The attribute of an operation in the body of a parallel loop that prepares the thread for the
iterations (``"before"``) or undoes the preparation (``"behind"``). It need not run in each
iteration, but only around each chunk of iterations of a thread.
"""


class ForKind(StrEnum):
    """The order and grouping in which the iterations of a loop run."""

    SERIAL = "serial"
    PARALLEL = "parallel"
    VECTORIZED = "vectorized"
    UNROLLED = "unrolled"
    THREAD = "thread"
    """Bound to a thread axis; see :mod:`kc.dialects.tir.threads`."""
    WHILE = "while"
    """Serial; the loop ends when its ``tir.condition`` does not hold."""


_IS_ONE = AffineSet(
    1,
    0,
    (
        AffineConstraintExpr(
            AffineConstraintKind.eq, AffineExpr.dimension(0) - 1, AffineExpr.constant(0)
        ),
    ),
)

WHILE_EXTENT = 2**63 - 1
"""The extent of a loop of kind ``while``: an upper bound of its trip count."""


@irdl_attr_definition
class ForKindAttr(EnumAttribute[ForKind], SpacedOpaqueSyntaxAttribute):
    name = "tir.for_kind"


_KINDS = {kind: ForKindAttr(kind) for kind in ForKind}


class LoopVariable(NamedTuple):
    """The variable of a loop."""

    name: str
    value: BlockArgument


def _computes_values(op: Operation) -> bool:
    """True if ``op`` and all operations in its regions have results."""
    inner = [child for region in op.regions for block in region.blocks for child in block.ops]
    return bool(op.results) and all(
        child.has_trait(IsTerminator) or _computes_values(child) for child in inner
    )


def _top(op: Operation, block: Block) -> Operation | None:
    """The operation of ``block`` that contains ``op``, or ``op`` itself."""
    while op.parent is not block:
        around = op.parent_op()
        if around is None:
            return None
        op = around
    return op


@lru_cache(maxsize=1024)
def _extent_attr(extent: int) -> IntegerAttr:
    return IntegerAttr(extent, i64)


@with_direct_access
@irdl_op_definition
class ForOp(IRDLOperation):
    """A named loop over ``0 <= i < extent``.

    ``tir.for %i in 1024 parallel { ... }``, ``tir.for %i in 64 thread "threadIdx.x" { ... }``. A
    loop with another start adds the start in the bindings of its blocks, so every loop primitive
    has a single case. A negative extent at run time means no iteration, as 0 does. For loops of
    threads see :mod:`kc.dialects.tir.threads`.

    ``tir.for %w in 9223372036854775807 while { %c = ...; tir.if (...) { ... }; tir.condition %c }``
    is of kind ``while``: a loop with more iterations than it executes, in which iterations without
    ``%c`` have no effect. Every analysis may treat it as such a loop; ``while`` adds that no
    iteration after the first one without ``%c`` needs to be executed.
    """

    name = "tir.for"

    dynamic_extent = opt_operand_def(IndexType())
    loop_name = prop_def(StringAttr)
    extent_attr = prop_def(IntegerAttr, prop_name="extent")
    kind = prop_def(ForKindAttr)
    thread_axis = opt_prop_def(StringAttr)
    annotations = opt_prop_def(DictionaryAttr)
    body = region_def("single_block")

    traits = traits_def(NoTerminator(), RecursiveMemoryEffect(), Canonicalized())

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
            "extent": _extent_attr(extent if isinstance(extent, int) else DYNAMIC),
            "kind": _KINDS[kind],
        }
        if annotations:
            properties["annotations"] = DictionaryAttr(dict(annotations))
        if axis is not None:
            properties["thread_axis"] = StringAttr(axis)
        initialize(self, dynamic, [], properties, [body])

    @property
    def var(self) -> BlockArgument:
        """The loop variable."""
        return self.regions[0].block.args[0]

    @property
    def static_extent(self) -> int | None:
        """The extent if it is constant, else None."""
        # The only possible operand is a dynamic extent.
        return None if self._operands else self.extent_attr.value.data

    @property
    def extent_value(self) -> int | SSAValue:
        """The extent: an integer or an index value."""
        return self._operands[0] if self._operands else self.extent_attr.value.data

    extent = extent_value
    """By TVM's name."""

    @property
    def loop_var(self) -> LoopVariable:
        """The loop variable and its name (TVM)."""
        return LoopVariable(self.label, self.var)

    @property
    def label(self) -> str:
        """The loop's name."""
        return self.loop_name.data

    def same_as(self, node: Operation) -> bool:
        """True if both are the same loop (TVM)."""
        return self is node

    @property
    def axis(self) -> str | None:
        """The thread axis that a loop of kind ``thread`` is bound to."""
        return None if self.thread_axis is None else self.thread_axis.data

    @property
    def kind_text(self) -> str:
        """The kind in messages: the thread axis of a bound loop, else the name of the kind."""
        return self.axis or self.kind.data.value

    def verify_(self) -> None:
        verify_name(self, self.label)
        if (self.kind.data is ForKind.THREAD) != (self.thread_axis is not None):
            raise VerifyException(
                f"tir.for: loop {self.label} is {self.kind.data.value} and has "
                f"{'no' if self.thread_axis is None else 'a'} thread axis; "
                "loops of kind thread have one, and no others do"
            )
        if self.axis is not None and self.axis not in THREAD_AXES:
            raise VerifyException(
                f"tir.for: loop {self.label} is bound to '{self.axis}'; the thread axes are "
                + ", ".join(THREAD_AXES)
            )
        verify_structured(self)
        if self.kind.data is ForKind.WHILE:
            self._verify_while()
        if self.dynamic_extent is None and self.extent_attr.value.data < 0:
            raise VerifyException(
                f"tir.for: loop {self.label} has the extent {self.extent_attr.value.data}; "
                "an extent is at least 0"
            )
        if [arg.type for arg in self.body.block.args] != [INDEX]:
            raise VerifyException(f"tir.for: loop {self.label} must have one index variable")

    @property
    def condition(self) -> ConditionOp | None:
        """The condition op of a ``while`` loop, None for other loops."""
        conditions = (op for op in self.body.block.ops if isinstance(op, ConditionOp))
        return next(conditions, None)

    @property
    def repeated(self) -> IfOp | None:
        """The conditional body of a ``while`` loop, if the loop contains nothing else but the
        computation of its condition.
        """
        *parts, repeated, last = self.body.block.ops
        if (
            not (isinstance(repeated, IfOp) and isinstance(last, ConditionOp))
            or repeated.orelse.blocks
        ):
            return None
        body = self.body.block
        users = [use.operation for op in parts for result in op.results for use in result.uses]
        alone = all(_computes_values(op) for op in parts) and all(
            user.parent is body or _top(user, body) in parts for user in users
        )
        (truth,) = repeated.operands if len(repeated.operands) == 1 else (None,)
        while truth is not None and truth is not last.condition and truth.owner in parts:
            truth = truth.owner.operands[0]  # pyright: ignore
        is_asked = truth is last.condition and repeated.condition.data == _IS_ONE
        return repeated if alone and is_asked else None

    def _verify_while(self) -> None:
        count = sum(isinstance(op, ConditionOp) for op in self.body.block.ops)
        if count != 1:
            raise VerifyException(
                f"tir.for: loop {self.label} of kind while has {count} tir.condition; it has one"
            )
        if self.static_extent != WHILE_EXTENT:
            raise VerifyException(
                f"tir.for: loop {self.label} of kind while has another extent than {WHILE_EXTENT}"
            )
        if any(True for _ in self.var.uses):
            raise VerifyException(
                f"tir.for: the variable of loop {self.label} is used; one of kind while counts "
                "nothing"
            )

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
            printer.print_int(self.extent_attr.value.data)
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
class ConditionOp(IRDLOperation):
    """``tir.condition %c``: end the loop of kind ``while`` if ``%c`` does not hold.

    Its use promises that later iterations have no effect: stores are in a ``tir.if`` on the same
    condition. MLIR: ``scf.condition``.
    """

    name = "tir.condition"

    condition = operand_def(I1)

    # a pretended effect: the op must not be moved or erased
    traits = traits_def(HasParent(ForOp), MemoryWriteEffect())
    assembly_format = "$condition attr-dict"

    def __init__(self, condition: SSAValue) -> None:
        super().__init__(operands=[condition])

    def verify_(self) -> None:
        loop = self.parent_op()
        assert isinstance(loop, ForOp)
        if loop.kind.data is not ForKind.WHILE:
            raise VerifyException(
                f"tir.condition: loop {loop.label} is {loop.kind.data.value}; one of kind while "
                "goes on by a condition"
            )


@irdl_op_definition
class IfOp(IRDLOperation):
    """``tir.if (%i * 32 + %ii < 1000) { ... } else { ... }``: a guard on indices."""

    name = "tir.if"

    operands_of_set = var_operand_def(IndexType())
    condition = prop_def(AffineSetAttr)
    then = region_def("single_block")
    orelse = region_def()

    traits = traits_def(NoTerminator(), RecursiveMemoryEffect(), Canonicalized())

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
