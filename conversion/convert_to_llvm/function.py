"""The traversal that translates a function: the insertion point, and the translations of values.

Each operation is translated once, by the pattern for its class (see :mod:`kc.conversion.driver`).
The program is built anew instead of edited in place, because a memref becomes several values and a
refused module must stay unchanged. Control flow is translated directly to blocks: the pattern of an
operation with regions passes a generator to :meth:`FunctionLowering.nest`, which yields the blocks
of its regions at the point where their operations belong. The generators are on an explicit stack,
so deep input needs no deep Python stack.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from kc.conversion.convert_to_llvm.guarded_updates import guarded_updates
from kc.conversion.convert_to_llvm.new_module import NewModule
from kc.conversion.convert_to_llvm.refusals import (
    MAX_LOOP_DEPTH,
    placed,
    too_deep,
    unsupported,
)
from kc.conversion.convert_to_llvm.signatures import Parameter
from kc.conversion.convert_to_llvm.types import (
    convert_type,
    dense,
    dynamic_dimensions,
    dynamic_strides,
    element_size,
    flat_types,
    is_strided,
)
from kc.conversion.convert_to_llvm.values import Constant, Lowered, MemRef, Origin
from kc.conversion.driver import Match
from kc.dialects import llvm
from kc.dialects.direct_access import new_operation
from kc.support.diagnostics import CodegenError
from kc.support.patterns import matching

Nested = Generator[Block, None, None]


@lru_cache(maxsize=256)
def _default_properties(op_type: type[IRDLOperation]) -> dict[str, Attribute]:
    return {
        name: definition.default_value
        for name, definition in op_type.get_irdl_definition().properties.items()
        if definition.default_value is not None
    }


@dataclass(frozen=True)
class CapturedMemory:
    """The memory of a captured memref: its origins inside and outside of the body, and its
    alignment.
    """

    origin: Origin
    outside: Origin
    alignment: int


class FunctionLowering(PatternRewriter):
    """Translates the body of one function into the blocks of ``new_region``. It is the state of the
    patterns and their rewriter.

    With a ``parent`` it translates a loop of the parent, or the body of a parallel loop: values of
    the parent become parameters (``captures``) in the order of first use.
    """

    kept_dialects: ClassVar[tuple[str, ...]] = ("llvm",)
    """The dialects whose operations are copied unchanged."""

    def __init__(
        self,
        module: NewModule,
        patterns: tuple[type[RewritePattern], ...],
        name: str,
        op: Operation,
        parent: FunctionLowering | None = None,
        *,
        is_parallel: bool = False,
    ) -> None:
        """``is_parallel``: several threads run the body."""
        self.entry = Block()
        super().__init__(InsertPoint.at_end(self.entry))
        self.module = module
        self.patterns = patterns
        self.name = name
        self.source = op  # the source of the function
        self.op = op  # the operation being translated, which gives new operations their location
        self.parent = parent
        self.is_parallel = is_parallel
        self.thread: SSAValue | None = None
        """The parameter of a parallel body that is the number of its thread."""
        # The loops that become functions, with the buffers that move into them.
        self.separate_loops: Mapping[Operation, Sequence[memref.AllocaOp]] = {}
        self.new_region = Region()
        self.new_region.add_block(self.entry)
        self.block = self.entry
        self.values: dict[SSAValue, Lowered] = {}
        self.blocks: dict[Block, Block] = {}
        self.captures: dict[SSAValue, SSAValue] = {}  # value of the parent -> parameter
        self.captured_memory: dict[SSAValue, CapturedMemory] = {}  # by parameter
        self.loop_depth = 0
        # Set when memrefs travel along branches: then an alloca in a loop may have several
        # instances alive at once and is not shared between iterations.
        self.carries_memrefs = False
        # Set if nontemporal stores occur, which other threads see only after a fence.
        self.stores_past_caches = False
        self._prologue: list[Operation] = []
        self._constants: dict[tuple[Attribute, Attribute], SSAValue] = {}
        self._integers: dict[tuple[int, Attribute], SSAValue] = {}
        self._nested: Nested | None = None
        self._match_of: dict[type[RewritePattern], Match] = {}
        self._matches: dict[type[Operation], tuple[Match, ...]] = {}

    @cached_property
    def guarded_updates(self) -> frozenset[Operation]:
        """The loops after which LLVM must assume an access to memory."""
        return guarded_updates(self.source) if self.parent is None else self.parent.guarded_updates

    # Emitting

    def insert(self, op, insertion_point=None):
        """Insert operations at the current place, with the location of the operation being
        translated.
        """
        self.has_done_action = True
        for new in (op,) if isinstance(op, Operation) else op:
            new.location = self.op.location
            self.block.add_op(new)
        return op

    def nest(self, nested: Nested) -> None:
        """Translate the blocks that ``nested`` yields, each at the current place."""
        self.has_done_action = True
        self._nested = nested

    def insert_in_prologue(self, op: Operation) -> Operation:
        """Put ``op`` at the start of the entry block, where it dominates every use."""
        op.location = self.op.location
        self._prologue.append(op)
        return op

    def create(
        self,
        op_type: type[IRDLOperation],
        operands: Sequence[SSAValue],
        result_types: Sequence[Attribute] = (),
        properties: dict[str, Attribute] | None = None,
    ) -> Operation:
        """Emit an operation; properties with a default value may be omitted.

        This is several times faster than the constructors, which see their arguments one by one.
        """
        defaults = _default_properties(op_type)
        all_properties = {**defaults, **properties} if properties else defaults
        return self.insert(new_operation(op_type, operands, result_types, all_properties))

    def emit(
        self,
        op_type: type[IRDLOperation],
        operands: Sequence[SSAValue],
        result_type: Attribute,
        properties: dict[str, Attribute] | None = None,
    ) -> SSAValue:
        """Emit an operation with one result and return that."""
        return self.create(op_type, operands, (result_type,), properties).results[0]

    def replace(self, op, new_ops, new_results=None, safe_erase=True) -> None:
        """Emit ``new_ops``. ``new_results``, or the results of the last op, replace those of
        ``op``.
        """
        ops = (new_ops,) if isinstance(new_ops, Operation) else tuple(new_ops)
        self.insert(ops)
        results = (ops[-1].results if ops else ()) if new_results is None else new_results
        for old, new in zip(op.results, results, strict=True):
            assert new is not None
            self.define(old, new)

    def replace_by(
        self,
        op: Operation,
        op_type: type[IRDLOperation],
        operands: Sequence[SSAValue],
        properties: dict[str, Attribute] | None = None,
    ) -> None:
        """Emit the replacement of ``op``, which has one result."""
        result = op.results[0]
        self.define(result, self.emit(op_type, operands, convert_type(result.type), properties))

    def constant(self, value: Attribute, ty: Attribute) -> SSAValue:
        """A constant; equal ones are one operation in the entry block."""
        key = (value, ty)
        if (constant := self._constants.get(key)) is None:
            op = new_operation(llvm.ConstantOp, (), (ty,), {"value": value})
            constant = self._constants[key] = self.insert_in_prologue(op).results[0]
        return constant

    def int_constant(self, value: int, ty: Attribute = i64) -> SSAValue:
        """An integer constant; for a vector type, in every lane."""
        key = (value, ty)
        if (constant := self._integers.get(key)) is None:
            element = llvm.element_type(ty)
            assert isinstance(element, IntegerType)
            attr = IntegerAttr(value, element, truncate_bits=True)
            constant = self._integers[key] = self.splat_constant(attr, ty)
        return constant

    def float_constant(self, value: float, ty: Attribute) -> SSAValue:
        """A float constant; for a vector type, in every lane."""
        element = llvm.element_type(ty)
        assert isinstance(element, AnyFloat)
        return self.splat_constant(FloatAttr(value, element), ty)

    def splat_constant(self, value: IntegerAttr | FloatAttr, ty: Attribute) -> SSAValue:
        """``value``, in every lane if ``ty`` is a vector."""
        if isinstance(ty, VectorType):
            return self.constant(dense(ty, [value.value.data]), ty)
        return self.constant(value, ty)

    # Values

    def define(self, old: SSAValue, new: Lowered) -> None:
        """Record the translation of ``old``."""
        self.has_done_action = True
        self.values[old] = new
        if isinstance(new, SSAValue) and new.name_hint is None:
            new.name_hint = old.name_hint

    def lowered(self, old: SSAValue) -> Lowered:
        """The translation of ``old``. In a function with a parent, a value of the parent is
        captured.
        """
        new = self.values.get(old)
        if new is None:
            assert self.parent is not None, "an operand that nothing defines"
            new = self.values[old] = self._capture(self.parent.lowered(old))
        return new

    def value(self, old: SSAValue) -> SSAValue:
        """The llvm value of ``old``, which is not a memref."""
        new = self.lowered(old)
        if isinstance(new, Constant):
            return self.constant(new.value, new.type)
        assert isinstance(new, SSAValue)
        return new

    def index(self, old: SSAValue) -> int | SSAValue:
        """The integer if ``old`` is constant, else its value."""
        new = self.lowered(old)
        if isinstance(new, Constant) and isinstance(new.value, IntegerAttr):
            return new.value.value.data
        return self.value(old)

    def memref(self, old: SSAValue) -> MemRef:
        """The parts of ``old``, which is a memref."""
        new = self.lowered(old)
        assert isinstance(new, MemRef)
        return new

    def as_value(self, number: int | SSAValue) -> SSAValue:
        """The result of :meth:`index` as an i64 value."""
        return self.int_constant(number) if isinstance(number, int) else number

    def capture(self, value: int | SSAValue) -> int | SSAValue:
        """The parameter that passes the parent's ``value`` into this body."""
        if isinstance(value, int):
            return value
        parameter = self.captures.get(value)
        if parameter is None:
            parameter = self.entry.insert_arg(value.type, len(self.entry.args))
            parameter.name_hint = value.name_hint
            self.captures[value] = parameter
        return parameter

    def captured_parameters(self, *, launched: bool = False) -> list[Parameter]:
        """The parameters of captured values, connected to the memory that the parent passes; with
        ``launched``, to other threads.
        """
        assert self.parent is not None
        parameters: list[Parameter] = []
        handover: list[tuple[Origin, Origin]] = []
        for outside, parameter in self.captures.items():
            memory = self.captured_memory.get(parameter)
            if memory is None:
                parameters.append(Parameter(outside.type))
                continue
            parameters.append(Parameter(outside.type, {}, memory.origin, memory.alignment))
            memory.outside.flows_to.append(memory.origin)
            memory.outside.launched |= launched
            handover.append((memory.outside, memory.origin))
        self.module.handovers.append(handover)
        return parameters

    def _capture(self, value: Lowered) -> Lowered:
        if isinstance(value, Constant):
            return value
        if isinstance(value, SSAValue):
            parameter = self.capture(value)
            assert isinstance(parameter, SSAValue)
            return parameter
        pointer = self.capture(value.pointer)
        assert isinstance(pointer, SSAValue)
        memory = self.captured_memory.get(pointer)
        if memory is None:
            memory = CapturedMemory(Origin(), value.origin, element_size(value.type))
            self.captured_memory[pointer] = memory
        shape = tuple(self.capture(size) for size in value.shape)
        strides = None
        if value.strides is not None:
            strides = tuple(self.capture(stride) for stride in value.strides)
        return MemRef(pointer, shape, value.type, memory.origin, strides)

    # Values that travel along branches: a memref is several llvm values

    def flatten(self, old: SSAValue, into: Origin | None = None) -> list[SSAValue]:
        """The llvm values of ``old``; ``into`` is the origin of a memref at the destination."""
        new = self.lowered(old)
        if not isinstance(new, MemRef):
            return [self.value(old)]
        if into is not None:
            new.origin.merged = True
            new.origin.flows_to.append(into)
        assert isinstance(old.type, MemRefType)
        sizes = [self.as_value(new.shape[i]) for i in dynamic_dimensions(old.type)]
        if new.strides is not None:
            sizes += [self.as_value(new.strides[i]) for i in dynamic_strides(old.type)]
        return [new.pointer, *sizes]

    def flatten_all(
        self, olds: Iterable[SSAValue], into: Sequence[SSAValue] | None = None
    ) -> list[SSAValue]:
        """:meth:`flatten` of each value; ``into`` are the old values that receive them."""
        if into is None:
            return [new for old in olds for new in self.flatten(old)]
        flat: list[SSAValue] = []
        for old, target in zip(olds, into, strict=True):
            arrived = self.lowered(target)
            flat += self.flatten(old, arrived.origin if isinstance(arrived, MemRef) else None)
        return flat

    def unflatten(self, olds: Iterable[SSAValue], news: Sequence[SSAValue]) -> None:
        """Define ``olds`` as the values ``news``, in order; the inverse of :meth:`flatten_all`.

        A memref that arrives so may be any of several.
        """
        position = 0
        for old in olds:
            if isinstance(old.type, MemRefType):
                count = len(flat_types(old.type))
                parts = news[position : position + count]
                self.define_memref(old, parts, Origin(merged=True))
                self.carries_memrefs = True
                position += count
            else:
                self.define(old, news[position])
                position += 1

    def define_memref(self, old: SSAValue, parts: Sequence[SSAValue], origin: Origin) -> None:
        """Define ``old`` as a memref with this pointer and these dynamic sizes and strides."""
        assert isinstance(old.type, MemRefType)
        pointer, *sizes = parts
        if old.name_hint is not None:
            pointer.name_hint = old.name_hint
            for size in sizes:
                size.name_hint = f"{old.name_hint}_size"
        remaining = iter(sizes)
        shape = tuple(
            next(remaining) if size == DYNAMIC_INDEX else size for size in old.type.get_shape()
        )
        strides = None
        if is_strided(old.type):
            declared = old.type.get_strides() or ()
            strides = tuple(next(remaining) if stride is None else stride for stride in declared)
        self.define(old, MemRef(pointer, shape, old.type, origin, strides))

    # Blocks

    def new_block(self, args: Sequence[SSAValue] = ()) -> Block:
        """A block, not yet placed, whose arguments are the translations of ``args``."""
        block = Block(arg_types=[ty for arg in args for ty in flat_types(arg.type)])
        if args:
            self.unflatten(args, block.args)
        return block

    def start(self, block: Block) -> None:
        """Place ``block`` after the existing blocks and make it the current one."""
        self.new_region.add_block(block)
        self.block = block

    def branch(
        self, block: Block, values: Sequence[SSAValue] = (), annotation: Attribute | None = None
    ) -> None:
        """Branch to ``block``; ``annotation`` describes the loop that the branch closes."""
        properties = {"loop_annotation": annotation} if annotation is not None else {}
        self.insert(llvm.BrOp.create(operands=values, successors=[block], properties=properties))

    def cond_branch(self, condition: SSAValue, then: Block, otherwise: Block) -> None:
        """Branch to one of two blocks without arguments."""
        self.insert(llvm.CondBrOp(condition, then, (), otherwise, ()))

    def enter_loop(self) -> None:
        """Enter a loop. Refuses a nest deeper than :data:`MAX_LOOP_DEPTH`."""
        self.loop_depth += 1
        if self.loop_depth > MAX_LOOP_DEPTH:
            raise too_deep(self.op)

    def leave_loop(self) -> None:
        """The inverse of :meth:`enter_loop`."""
        self.loop_depth -= 1

    # The walk

    def run(self, nested: Generator[Block | Nested, None, None]) -> Region:
        """Translate the blocks that ``nested`` yields and their contents; the new region."""

        def operations(block: Block) -> Generator[Nested, None, None]:
            for op in block.ops:
                self.op = op
                self.has_done_action = False
                matches = self._matches.get(type(op))
                for match in self._matches_for(op) if matches is None else matches:
                    match(op, self)
                    if self.has_done_action:
                        break
                else:
                    self._keep(op)
                if self._nested is not None:
                    nested, self._nested = self._nested, None
                    yield nested

        # Generators of operations with regions alternate with those of their blocks.
        stack: list[tuple[Generator, Operation | None]] = [(nested, None)]
        try:
            while stack:
                generator, op = stack[-1]
                if op is not None:
                    self.op = op
                step = next(generator, None)
                if step is None:
                    stack.pop()
                elif isinstance(step, Block):
                    stack.append((operations(step), None))
                else:
                    stack.append((step, self.op))
        except CodegenError as error:
            raise placed(error, self.op) from None
        if self._prologue:
            first = self.entry.first_op
            assert first is not None
            self.entry.insert_ops_before(self._prologue, first)
        if self.stores_past_caches and self.module.is_x86:
            for block in self.new_region.blocks:
                if isinstance(end := block.last_op, llvm.ReturnOp):
                    fence = llvm.CallIntrinsicOp("llvm.x86.sse.sfence", ())
                    fence.location = end.location
                    block.insert_op_before(fence, end)
        return self.new_region

    def _matches_for(self, op: Operation) -> tuple[Match, ...]:
        classes = matching(self.patterns, type(op))
        for pattern in classes:
            if pattern not in self._match_of:
                self._match_of[pattern] = pattern(self).match_and_rewrite  # pyright: ignore[reportCallIssue]
        matches = self._matches[type(op)] = tuple(self._match_of[pattern] for pattern in classes)
        return matches

    def unsupported(self, op: Operation) -> CodegenError:
        """The error for an operation without a pattern."""
        return unsupported(op, self.patterns)

    def _keep(self, op: Operation) -> None:
        """Copy an operation that already belongs to the target dialect, with translated
        operands.
        """
        is_kept = (
            op.name.partition(".")[0] in self.kept_dialects and not op.regions and not op.successors
        )
        if not is_kept or any(isinstance(value.type, MemRefType) for value in op.operands):
            raise self.unsupported(op)
        copy = type(op).create(
            operands=[self.value(value) for value in op.operands],
            result_types=[convert_type(result.type) for result in op.results],
            properties=op.properties,
            attributes=op.attributes,
        )
        self.insert(copy)
        for old, new in zip(op.results, copy.results, strict=True):
            self.define(old, new)


class LlvmPattern(RewritePattern):
    """A pattern of ``convert-to-llvm``. It reads and defines values through the translation it was
    constructed with.
    """

    def __init__(self, conversion: FunctionLowering) -> None:
        self.conversion = conversion
