"""The conversion of statements to a function of loops, with checks of scopes, bounds and
parallelism.
"""

from __future__ import annotations

import contextlib
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DictionaryAttr, MemRefType, VectorType
from xdsl.dialects.memref import ExtractStridedMetaDataOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr, AffineSymExpr
from xdsl.rewriter import Rewriter

from kc.analysis import loop_tree
from kc.analysis.trust import UNSAFE_ATTRIBUTE
from kc.analysis.verify_changes import require_domains
from kc.conversion._access_bounds import require_inside
from kc.conversion._statements import make_blocks
from kc.conversion.convert_te_to_tir import convert_function
from kc.dialects import tir
from kc.dialects.affine_assembly import at_least_zero
from kc.expr.buffers import Buffer
from kc.expr.constructors import Const, Element, Expr, IterVar, Var, walk
from kc.expr.dtypes import is_float
from kc.expr.sizes import scaled_size
from kc.expr.tensor import Tensor
from kc.support.diagnostics import Location, ScheduleError, TEError
from kc.support.fresh_names import fresh_name
from kc.support.locations import caller_location, loc_attr
from kc.support.registry import pass_class
from kc.support.target import Target
from kc.te.body import Body
from kc.te.lowering import note_strides
from kc.te.to_ir import create_func
from kc.tir.stmt import For, Stmt, Value, attributes_of, is_one, truth
from kc.transforms.schedule.base import LoopRef, Primitive, Site, called_from


class Emitter:
    """Adds the operations of statements to :attr:`block`, and resolves the names in scope."""

    def __init__(self, block: Block, values: dict[Any, SSAValue]) -> None:
        """``values`` of the parameters and sizes."""
        self.block = block
        self.values = values
        """The memory of buffers, and the values of sizes and scalars."""
        self.axes: dict[IterVar, SSAValue] = {}
        self.lets: dict[Expr, SSAValue] = {}
        self.loops: dict[IterVar, tir.ForOp] = {}
        """The loops so far, by their variables."""
        self.kinds: list[tuple[tir.ForOp, For]] = []
        """The loops that are not serial or have annotations, and what they are to be."""
        self.location: Location | None = None
        """The place of the statement that is emitted."""
        self._names: set[str] = {arg.name_hint or "" for arg in block.args}
        self._labels: set[str] = set()

    @contextlib.contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        """Work in ``block``; definitions within it end with the ``with``."""
        outer = self.block, self.values, self.axes, self.lets
        self.block = block
        self.values, self.axes, self.lets = dict(self.values), dict(self.axes), dict(self.lets)
        try:
            yield
        finally:
            self.block, self.values, self.axes, self.lets = outer

    def run(self, statements: Iterable[Stmt]) -> None:
        """Emit statements, one after another."""
        for statement in statements:
            self.location = statement.location
            statement.emit(self)

    def add(self, op: Operation, location: Location | None) -> Any:
        """Add ``op``. The value is its first result, or None without results."""
        op.location = loc_attr(location)
        self.block.add_op(op)
        return op.results[0] if op.results else None

    def fresh(self, name: str) -> str:
        """A unique name for a buffer."""
        return fresh_name(name, self._names)

    def label(self, name: str) -> str:
        """A unique name for a block."""
        return fresh_name(name, self._labels)

    @property
    def labels(self) -> set[str]:
        """The names of the blocks so far."""
        return self._labels

    # Scalars -------------------------------------------------------------------------------

    def body(self) -> Body:
        """A builder of scalars at the current position. Each statement takes a new builder, because
        memory changes between statements.
        """
        body = Body(self.block, self.axes, self.values, frozenset())
        body.memo = ChainMap({}, self.lets)  # pyright: ignore[reportArgumentType]
        return body

    def scalar(self, expr: Expr) -> SSAValue:
        """The value of ``expr``."""
        self.check(expr)
        return self.body().value(expr)

    def index(self, expr: Expr) -> SSAValue:
        """The value of an integer as an index."""
        self.check(expr)
        return self.body().index(expr)

    def extent(self, size: Any) -> int | SSAValue:
        """A size: an int if it is constant, else an index value."""
        if isinstance(size, int):
            return size
        if isinstance(size, Const):
            return int(size.value)
        if isinstance(size, Var) and size in self.values:
            return self.values[size]
        return self.index(size)

    def affine(self, expr: Expr, operands: list[SSAValue]) -> AffineExpr:
        """An integer as an affine expression over ``operands``, which grow."""
        self.check(expr)
        body = self.body()
        start = len(operands)
        affine_expr = body.affine_of(expr, operands)
        if affine_expr is not None:
            return affine_expr
        del operands[start:]
        return body.index_form(expr, operands)

    def condition(
        self, condition: Expr, location: Location | None
    ) -> tuple[list[AffineConstraintExpr], list[SSAValue]]:
        """A condition as constraints over operands; operations compute its non-affine parts."""
        self.check(condition)
        body = self.body()
        constraints, operands, non_affine = body.conditions(condition)
        for conjunct in non_affine:
            if isinstance(conjunct, Const):
                constraints.append(at_least_zero(AffineExpr.constant(0 if conjunct.value else -1)))
                continue
            operands.append(truth(body.value(conjunct), self, location))
            constraints.append(is_one(len(operands) - 1))
        return constraints, operands

    def check(self, *exprs: Expr) -> None:
        """Refuse names that are undefined here (KC2100)."""
        for part in walk(*exprs):
            if isinstance(part, Element):
                if part.tensor not in self.values:
                    raise _unknown(part.tensor, part.location)
            elif isinstance(part, IterVar):
                if part not in self.axes:
                    raise _undefined(
                        f"the loop variable {part.name} is used outside of its loop",
                        part.location,
                        f"{part.name} has a value in the statements of the loop only",
                        [],
                    )
            elif isinstance(part, Var):
                if part not in self.values:
                    raise _undefined(
                        f"the value of {part.name} is not known in the function",
                        self.location,
                        f"{part.name} is neither a dimension of a parameter nor a parameter",
                        [f"add {part.name} to the parameters"],
                    )
            elif isinstance(part, Value) and part not in self.lets:
                raise _undefined(
                    f"{part.name} is used where it is not computed",
                    part.location,
                    f"{part.name} has a value from where it is computed to the end of the "
                    "statements around that",
                    [],
                )


def _unknown(tensor: Tensor, location: Location | None) -> TEError:
    if not isinstance(tensor, Buffer):
        why = "statements load from buffers; a tensor has memory where a schedule gives it some"
        return _undefined(
            f"{tensor.name} is a tensor of te, not a buffer", location, why, ["te.extern takes it"]
        )
    return _undefined(
        f"buffer {tensor.name} has no memory here",
        location,
        "a buffer must be a parameter of the function, or be allocated before its use, in the "
        "enclosing statements",
        [f"add {tensor.name} to the parameters"],
    )


def _undefined(title: str, location: Location | None, why: str, hints: Sequence[str]) -> TEError:
    return TEError("KC2100", title, location=location, why=why, hints=hints)


def build_function(
    params: Sequence[Any],
    body: Stmt,
    name: str = "main",
    location: Location | None = None,
    *,
    blocks: bool = True,
) -> func.FuncOp:
    """The function of buffers and ``te.var`` scalars that executes ``body``.

    A store outside of all blocks becomes a block named after its buffer, if possible, so that
    schedules can transform it; with ``blocks=False`` it stays a bare store. Raises TEError: KC2020
    for an invalid parameter, KC2030 for an access that is certainly out of bounds, KC2100 for a
    name without a value; ParseError KC1202 for a block whose variables exceed their domains;
    ScheduleError for a parallel or vectorized loop whose iterations are not independent.
    """
    location = location if location is not None else caller_location()
    declared, _ = create_func(params, [], name)
    function = convert_function(declared)
    function.location = loc_attr(location)
    entry = function.body.block
    end = entry.last_op
    assert end is not None
    end.detach()
    function.arg_attrs = _without_roles(function)
    declared = {
        n: param.declared_strides
        for n, param in enumerate(params)
        if isinstance(param, Buffer) and param.declared_strides is not None
    }
    note_strides(function, params, declared)
    values = _values(function, params)
    strides = _strides(entry, params, values, location)
    emitter = Emitter(entry, values | strides)
    emitter.run([body])
    for metadata in dict.fromkeys(stride.owner for stride in strides.values()):
        assert isinstance(metadata, Operation)
        if not any(result.uses for result in metadata.results):
            Rewriter.erase_op(metadata)
    entry.add_op(end)
    end.location = loc_attr(location)
    require_inside(function)
    require_domains(function)
    if blocks and not any(loop.axis is not None for loop in loop_tree.loops(function)):
        make_blocks(function, {}, emitter.labels, _is_shared)
    for loop, loop_of_program in emitter.kinds:
        _run_as(function, loop, loop_of_program)
    return function


def _without_roles(function: func.FuncOp) -> Any:
    """The attributes of the arguments without their roles. The statements determine which arguments
    are written.
    """
    assert function.arg_attrs is not None
    return ArrayAttr(
        [
            DictionaryAttr({key: value for key, value in attrs.data.items() if key != "kc.role"})
            for attrs in function.arg_attrs
        ]
    )


def _values(function: func.FuncOp, params: Sequence[Any]) -> dict[Any, SSAValue]:
    values: dict[Any, SSAValue] = dict(zip(params, function.body.block.args, strict=True))
    symbols = {
        op.symbol.data: op.result for op in function.body.block.ops if isinstance(op, tir.SymbolOp)
    }
    sizes_of = [param.shape if isinstance(param, Tensor) else (param,) for param in params]
    argument_sizes = {size for sizes in sizes_of for size in sizes if isinstance(size, Var)}
    for sizes in sizes_of:
        for part in walk(*(size for size in sizes if isinstance(size, Expr))):
            if isinstance(part, Var) and not is_float(part.dtype):
                values[part] = (
                    symbols[part.name]
                    if part in argument_sizes
                    else _determined(part, params, symbols, function)
                )
    return values


def _determined(
    size: Var, params: Sequence[Any], symbols: Mapping[str, SSAValue], function: func.FuncOp
) -> SSAValue:
    """A size that a dimension determines, such as the ``m`` of a buffer of ``m * 4`` elements."""
    entry, attrs = function.body.block, function.arg_attrs
    assert attrs is not None
    for param, arg in zip(params, entry.args, strict=True):
        for n, dim in enumerate(param.shape if isinstance(param, Tensor) else ()):
            scaled = scaled_size(dim)
            if scaled is None or scaled[0] is not size or not isinstance(arg.type, MemRefType):
                continue
            shape = attrs.data[arg.index].data["kc.shape"]
            assert isinstance(shape, AffineMapAttr)
            own = shape.data.results[n]
            if not isinstance(own, AffineSymExpr):
                continue  # a dimension that follows from the size
            whole = symbols[tir.symbol_names(function)[own.position]]
            _, factor, offset = scaled
            op = tir.ApplyOp(((AffineExpr.dimension(0) - offset) // factor), [whole])
            op.location = function.location
            entry.add_op(op)
            op.result.name_hint = size.name
            return op.result
    raise AssertionError(f"{size.name} has a value in the function")


def _strides(
    entry: Block, params: Sequence[Any], defined: Mapping[Any, SSAValue], location: Location | None
) -> dict[Any, SSAValue]:
    """The values of the stride variables in the declarations of buffers, read from the
    arguments.
    """
    values: dict[Any, SSAValue] = {}
    for param, argument in zip(params, entry.args, strict=True):
        declared = (param.declared_strides or ()) if isinstance(param, Buffer) else ()
        for n, stride in enumerate(declared):
            if isinstance(stride, Var) and stride not in defined and stride not in values:
                metadata = ExtractStridedMetaDataOp(argument)
                metadata.location = loc_attr(location)
                entry.add_op(metadata)
                values[stride] = metadata.strides[n]
    return values


def _is_shared(store: tir.StoreOp) -> bool:
    """True if all iterations of the loops around a store of a scalar share its buffer."""
    if isinstance(store.value.type, VectorType):
        return False
    owner = store.buffer.owner
    return isinstance(owner, Block) or not loop_tree.loops_around(owner)


_PRIMITIVES = {"parallel": "parallel", "vectorize": "vectorize", "unroll": "unroll"}


def _run_as(function: func.FuncOp, loop: tir.ForOp, source: For) -> None:
    """Set the kind of a loop by the primitive that proves its legality, and set its annotations."""
    notes, attributes = attributes_of(source.annotations)
    if source.kind != "serial":
        if UNSAFE_ATTRIBUTE in attributes:
            source.unsafe = True
        _set_kind(function, loop, source)
    if notes:
        loop.properties["annotations"] = DictionaryAttr(notes)
    loop.attributes.update(attributes)


def _set_kind(function: func.FuncOp, loop: tir.ForOp, source: For) -> None:
    step = pass_class(_PRIMITIVES[source.kind])(LoopRef(loop))
    assert isinstance(step, Primitive)
    site = Site(function, Target.current() or Target.generic())
    try:
        with called_from(source.location):
            step.apply(site, unsafe=source.unsafe)
    except ScheduleError as refusal:
        if refusal.undecided:
            refusal.hints = (*refusal.hints, "unsafe=True on the loop takes it on trust")
        raise
