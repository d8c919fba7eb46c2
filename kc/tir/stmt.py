"""Statements, which ``tir.ir_builder`` and ``kc.script`` collect and convert to functions.

A statement is a description; :meth:`Stmt.emit` adds its operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType, NoneAttr, StringAttr, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.parser import Parser

from kc.dialects import tir
from kc.dialects.affine_assembly import ZERO
from kc.expr.buffers import Buffer
from kc.expr.constructors import Const, Element, Expr, IterVar, VectorLoad
from kc.expr.scalar_ops import element_type
from kc.support.diagnostics import Location, TEError
from kc.support.locations import loc_attr
from kc.support.registry import context
from kc.te.vector_code import store_rows
from kc.tir.declared_regions import DeclaredRegion, check_declared
from kc.tir.tuple_reductions import combine_pairs

if TYPE_CHECKING:
    from kc.tir.emit import Emitter


OF_THE_IR = "ir:"
"""The prefix of an annotation's key that marks an attribute of the operation, as text."""


def attributes_of(
    annotations: Mapping[str, Attribute],
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The annotations without the marked attributes, and the attributes of the operation."""
    notes: dict[str, Attribute] = {}
    attributes: dict[str, Attribute] = {}
    for key, value in annotations.items():
        if key.startswith(OF_THE_IR) and isinstance(value, StringAttr):
            parser = Parser(context(), value.data)
            attributes[key.removeprefix(OF_THE_IR)] = parser.parse_attribute()
        else:
            notes[key] = value
    return notes, attributes


@dataclass(eq=False)
class Value(Expr):
    """A scalar that an earlier :class:`Let` computed."""

    name: str
    dtype: str
    location: Location | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return self.name


@dataclass(eq=False)
class Stmt:
    """A statement of a kernel."""

    location: Location | None = field(repr=False)

    names_memory: ClassVar[bool] = False
    """True if the statement only names memory for the following statements."""

    def emit(self, emitter: Emitter) -> None:
        """Add the operations of the statement at the position of ``emitter``."""
        raise NotImplementedError


@dataclass(eq=False)
class Seq(Stmt):
    """Statements, one after another."""

    body: Sequence[Stmt]

    @property
    def seq(self) -> Sequence[Stmt]:
        """The statements, by TVM's name."""
        return self.body

    def emit(self, emitter: Emitter) -> None:
        emitter.run(self.body)


@dataclass(eq=False)
class For(Stmt):
    """A loop: ``axis`` takes ``extent`` values, from its start on.

    ``kind`` is one of "serial", "parallel", "vectorize", "unroll"; or the loop is bound to the
    threads of ``thread``. The iterations of a parallel or vectorized loop must be independent. This
    is proven; ``unsafe`` accepts undecided cases.
    """

    axis: IterVar
    extent: Any
    body: list[Stmt]
    kind: str = "serial"
    thread: str | None = None
    annotations: dict[str, Attribute] = field(default_factory=dict)
    unsafe: bool = False

    @property
    def loop_var(self) -> IterVar:
        """The loop variable, by TVM's name."""
        return self.axis

    @property
    def min(self) -> int:
        """The first value of the variable."""
        return self.axis.start

    def emit(self, emitter: Emitter) -> None:
        bound = {} if self.thread is None else {"kind": tir.ForKind.THREAD, "axis": self.thread}
        loop = tir.ForOp(self.axis.name, emitter.extent(self.extent), **bound)
        emitter.add(loop, self.location)
        emitter.loops[self.axis] = loop
        if self.kind != "serial" or self.annotations:
            emitter.kinds.append((loop, self))
        with emitter.inside(loop.body.block):
            emitter.axes[self.axis] = loop.var
            emitter.run(self.body)


@dataclass(eq=False)
class If(Stmt):
    """``then`` where ``condition`` holds, else ``orelse``."""

    condition: Expr
    then: list[Stmt]
    orelse: list[Stmt]

    @property
    def then_case(self) -> Stmt:
        """The statements that run if the condition holds, as one statement."""
        return Seq(self.location, self.then)

    @property
    def else_case(self) -> Stmt | None:
        """The statements of the else branch as one statement. None without an else branch."""
        return Seq(self.location, self.orelse) if self.orelse else None

    def emit(self, emitter: Emitter) -> None:
        constraints, operands = emitter.condition(self.condition, self.location)
        then = Block()
        orelse = Region(Block()) if self.orelse else None
        space = AffineSet(len(operands), 0, tuple(constraints))
        emitter.add(tir.IfOp(space, operands, Region(then), orelse), self.location)
        with emitter.inside(then):
            emitter.run(self.then)
        if orelse is not None:
            with emitter.inside(orelse.block):
                emitter.run(self.orelse)


@dataclass(eq=False)
class While(Stmt):
    """A loop that runs ``body`` as long as ``condition`` holds. The condition is evaluated before
    each iteration.
    """

    condition: Expr
    body: list[Stmt]

    def emit(self, emitter: Emitter) -> None:
        loop = tir.ForOp("repeat", tir.WHILE_EXTENT, kind=tir.ForKind.WHILE)
        emitter.add(loop, self.location)
        with emitter.inside(loop.body.block):
            holds = emitter.scalar(self.condition)
            repeated = Block()
            space = AffineSet(1, 0, (is_one(0),))
            operands = [truth(holds, emitter, self.location)]
            emitter.add(tir.IfOp(space, operands, Region(repeated)), self.location)
            with emitter.inside(repeated):
                emitter.run(self.body)
            emitter.add(tir.ConditionOp(holds), self.location)


def truth(value: SSAValue, emitter: Emitter, location: Location | None) -> SSAValue:
    """A condition as an index, 1 if true and 0 if false, for the constraints of ``tir.if``."""
    wide = emitter.add(arith.ExtUIOp(value, i64), location)
    return emitter.add(arith.IndexCastOp(wide, tir.INDEX), location)


def is_one(position: int) -> AffineConstraintExpr:
    """The constraint that the operand at ``position`` is 1."""
    return AffineConstraintExpr(AffineConstraintKind.eq, AffineExpr.dimension(position) - 1, ZERO)


@dataclass(eq=False)
class Store(Stmt):
    """``buffer[indices] = value``; a vector is stored to the elements that the same load would
    read.
    """

    element: Element | VectorLoad
    value: Expr

    @property
    def _first(self) -> Element:
        return self.element.element if isinstance(self.element, VectorLoad) else self.element

    @property
    def buffer(self) -> Any:
        """The buffer that the statement stores to."""
        return self._first.tensor

    @property
    def indices(self) -> tuple[Expr, ...]:
        """The indices of the element, or of the first element of a vector."""
        return self._first.indices

    def emit(self, emitter: Emitter) -> None:
        emitter.check(self.element, self.value)
        body = emitter.body()
        value = body.value(self.value)
        if isinstance(self.element, VectorLoad):
            store_rows(body, self.element, value, self.location)
            return
        exprs, operands = body.access(self.element)
        space = AffineMap(len(operands), 0, tuple(exprs))
        emitter.add(
            tir.StoreOp(value, emitter.values[self.element.tensor], space, operands), self.location
        )


@dataclass(eq=False)
class Let(Stmt):
    """Compute ``value`` here; ``name`` is bound to the result to the end of the scope."""

    name: Value
    value: Expr

    @property
    def var(self) -> Value:
        """The name, by TVM's name."""
        return self.name

    def emit(self, emitter: Emitter) -> None:
        value = emitter.scalar(self.value)
        if value.name_hint is None and tir.is_name(self.name.name):
            value.name_hint = self.name.name
        emitter.lets[self.name] = value


@dataclass(eq=False)
class Allocate(Stmt):
    """Memory for ``buffer``, to the end of the enclosing scope."""

    names_memory = True

    buffer: Buffer
    attributes: dict[str, Attribute] = field(default_factory=dict)

    def emit(self, emitter: Emitter) -> None:
        buffer = self.buffer
        sizes = [emitter.extent(dim) for dim in buffer.shape]
        shape = [size if isinstance(size, int) else tir.DYNAMIC for size in sizes]
        scope = buffer.scope()
        space = NoneAttr() if scope == "global" else StringAttr(scope)
        type_ = MemRefType(element_type(buffer.dtype), shape, memory_space=space)
        dynamic = [size for size in sizes if not isinstance(size, int)]
        alloc = tir.AllocOp(emitter.fresh(buffer.name), type_, dynamic)
        alloc.attributes.update(self.attributes)
        emitter.add(alloc, self.location)
        emitter.values[buffer] = alloc.buffer


@dataclass(eq=False)
class Prefetch(Stmt):
    """A prefetch hint for a region of ``buffer``, one (start, extent) for each dimension; it
    becomes loops over the elements.
    """

    buffer: Buffer
    region: Sequence[tuple[Expr, Expr]]

    def emit(self, emitter: Emitter) -> None:
        starts: list[SSAValue] = []
        exprs: list[AffineExpr] = []
        for start, _ in self.region:
            exprs.append(emitter.affine(start, starts))
        block, loops = emitter.block, []
        places = list(exprs)
        for n, (_, extent) in enumerate(self.region):
            if isinstance(extent, Const) and extent.value == 1:
                continue
            places[n] += AffineExpr.dimension(len(starts) + len(loops))
            loop = tir.ForOp(f"p{n}", emitter.extent(extent))
            loop.location = loc_attr(self.location)
            block.add_op(loop)
            block = loop.body.block
            loops.append(loop)
        space = AffineMap(len(starts) + len(loops), 0, tuple(places))
        operands = [*starts, *(loop.var for loop in loops)]
        hint = tir.PrefetchOp(emitter.values[self.buffer], space, operands)
        hint.location = loc_attr(self.location)
        block.add_op(hint)


@dataclass(frozen=True, eq=False)
class Iter:
    """A variable of a block: its kind, and its value in an iteration of the loops."""

    kind: tir.IterType
    axis: IterVar
    binding: Expr


@dataclass(eq=False)
class BlockStmt(Stmt):
    """A block over ``iters``: ``body`` under the conditions ``where``.

    ``init`` runs before the body in the instances whose reduce variables are all 0; without reduce
    variables, in every instance.
    """

    name: str
    iters: list[Iter]
    where: list[Expr]
    init: list[Stmt] | None
    body: list[Stmt]
    annotations: dict[str, Attribute] = field(default_factory=dict)
    reads: list[DeclaredRegion] | None = None
    """The declared reads of the block. None if nothing is declared."""
    writes: list[DeclaredRegion] | None = None

    def emit(self, emitter: Emitter) -> None:
        operands: list[SSAValue] = []
        exprs = tuple(emitter.affine(iter_var.binding, operands) for iter_var in self.iters)
        constraints: list[AffineConstraintExpr] = []
        conditions: list[SSAValue] = []
        for condition in self.where:
            affine_parts, used = emitter.condition(condition, self.location)
            dims = [AffineExpr.dimension(len(conditions) + n) for n in range(len(used))]
            constraints += [
                AffineConstraintExpr(
                    part.kind,
                    part.lhs.replace_dims_and_symbols(dims, []),
                    part.rhs.replace_dims_and_symbols(dims, []),
                )
                for part in affine_parts
            ]
            conditions += used
        extents = [emitter.extent(iter_var.axis.extent) for iter_var in self.iters]
        for iter_var, extent in zip(self.iters, extents, strict=True):
            if isinstance(extent, int) and extent < 0:
                raise TEError(
                    "KC2119",
                    f"{iter_var.axis.name} of block {self.name} has the extent {extent}",
                    location=iter_var.axis.location or self.location,
                    why="the extent must be at least 0",
                )
        first, statements = self._parts()
        init = None if first is None else self._region()
        notes, attributes = attributes_of(self.annotations)
        block = tir.BlockOp(
            emitter.label(self.name),
            [
                (iter_var.kind, iter_var.axis.name, extent)
                for iter_var, extent in zip(self.iters, extents, strict=True)
            ],
            AffineMap(len(operands), 0, exprs),
            operands,
            self._region(),
            init,
            AffineSet(len(conditions), 0, tuple(constraints)),
            conditions,
            notes or None,
        )
        block.attributes.update(attributes)
        emitter.add(block, self.location)
        parts = [(block.body, statements)]
        if init is not None:
            parts.append((init, first or []))
        for region, inner in parts:
            with emitter.inside(region.block):
                for iter_var, arg in zip(self.iters, region.block.args, strict=True):
                    emitter.axes[iter_var.axis] = arg
                emitter.run(inner)
                if region is block.body:
                    check_declared(block, self.reads, self.writes, emitter)
        combine_pairs(block)

    def _parts(self) -> tuple[list[Stmt] | None, list[Stmt]]:
        """The statements for instances whose reduce variables are 0, and the statements for all."""
        if self.init is None:
            return None, self.body
        count = 0
        while count < len(self.body) and self.body[count].names_memory:
            count += 1
        memory, rest = self.body[:count], self.body[count:]
        if any(iter_var.kind is tir.IterType.REDUCE for iter_var in self.iters):
            parts = [named for named in memory if not isinstance(named, Allocate)]
            return [*parts, *self.init], self.body
        return None, [*memory, *self.init, *rest]

    def _region(self) -> Region:
        block = Block(arg_types=[tir.INDEX] * len(self.iters))
        for arg, iter_var in zip(block.args, self.iters, strict=True):
            arg.name_hint = iter_var.axis.name
        return Region(block)
