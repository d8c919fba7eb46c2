"""From a graph of tensors to a ``te.func``: index expressions become affine maps where they are."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir import Operation as IROperation
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)

from kc.dialects import te, tir
from kc.dialects.affine_assembly import ZERO, at_least_zero
from kc.dialects.arith import RemFOp
from kc.support.diagnostics import Location, TEError
from kc.support.locations import caller_location, loc_attr
from kc.te.expr import (
    INTS,
    UINTS,
    Binary,
    Call,
    Cast,
    CommReducer,
    Compare,
    Const,
    Element,
    Expr,
    IfThenElse,
    IterVar,
    Reduce,
    SelectExpr,
    Var,
    bits,
    is_float,
)
from kc.te.tensor import ComputeOp, Operation, PlaceholderOp, ScanOp, Tensor, walk

_FLOAT_TYPES = {"float16": Float16Type(), "float32": Float32Type(), "float64": Float64Type()}


def element_type(dtype: str) -> Attribute:
    """The IR type of elements of ``dtype``."""
    return _FLOAT_TYPES[dtype] if dtype in _FLOAT_TYPES else IntegerType(bits(dtype))


def constant_attr(value: Any, dtype: str) -> IntegerAttr | FloatAttr:
    """A constant of ``dtype`` as an attribute."""
    if is_float(dtype):
        return FloatAttr(float(value), element_type(dtype))  # pyright: ignore
    if dtype == "bool":
        return IntegerAttr.from_bool(bool(value))
    number = int(value)
    if dtype in UINTS and number >= 1 << (bits(dtype) - 1):
        number -= 1 << bits(dtype)
    return IntegerAttr(number, element_type(dtype))  # pyright: ignore


def post_order(outputs: Sequence[Operation]) -> list[Operation]:
    """The operations that ``outputs`` need, producers first."""
    done: dict[Operation, None] = {}
    stack: list[tuple[Operation, bool]] = [(one, False) for one in reversed(outputs)]
    while stack:
        op, ready = stack.pop()
        if op in done:
            continue
        if ready:
            done[op] = None
        else:
            stack.append((op, True))
            stack.extend((one.op, False) for one in reversed(op.input_tensors))
    return list(done)


def depends_on_element(extent: Any) -> bool:
    """Whether an extent is another for each element: it reads a tensor, or an axis."""
    parts = walk(extent) if isinstance(extent, Expr) else ()
    return any(isinstance(one, Element | IterVar) for one in parts)


def block_names(order: Sequence[Operation]) -> dict[Operation, str]:
    """The name of each compute's block: its own, unless an input or an earlier one has it."""
    taken: set[str] = set()
    for op in order:
        if isinstance(op, PlaceholderOp):
            _fresh(op.name, taken)
    return {op: _fresh(op.name, taken) for op in order if isinstance(op, ComputeOp | ScanOp)}


def create_func(
    args: Sequence[Tensor | Var], outputs: Sequence[Operation], name: str = "main"
) -> tuple[te.FuncOp, dict[Operation, str]]:
    """The function of ``args`` (in the caller's order), and the name of each compute in it.

    Arguments that are computed are outputs. Raises KC2020..KC2024.
    """
    return _Emitter(args, outputs, name).emit()


class _Emitter:
    def __init__(
        self, args: Sequence[Tensor | Var], outputs: Sequence[Operation], name: str
    ) -> None:
        self.name = name
        self.args = list(args)
        self.order = post_order(outputs)
        self.inputs: list[Tensor | Var] = []
        self.results: list[Tensor] = []
        self.block = Block()
        self.values: dict[Any, SSAValue] = {}
        self.names: dict[Operation, str] = {}
        self.symbols: list[Var] = []
        # The operations of the steps of scans, and the placeholders by which they read states.
        self.scan_of: dict[Operation, ScanOp] = {}
        self.states: dict[Operation, ScanOp] = {}
        # What has a row for each time, of which a step sees one.
        self.rows: set[Tensor] = set()
        self._find_scans()
        self._sort_args(outputs)

    def _find_scans(self) -> None:
        for scan in [one for one in self.order if isinstance(one, ScanOp)]:
            self.states.update({one.op: scan for one in scan.state_placeholder})
            for op in scan.steps:
                other = self.scan_of.setdefault(op, scan)
                if other is not scan:
                    raise self._shared(op, scan, f"scan {other.name}")
                self.rows.update(op.outputs)
        for op in self.order:
            if op in self.scan_of:
                continue
            read = op.init if isinstance(op, ScanOp) else op.input_tensors
            for one in read:
                scan = self.scan_of.get(one.op) or self.states.get(one.op)
                if scan is not None:
                    raise self._shared(one.op, scan, op.name)

    def _shared(self, op: Operation, scan: ScanOp, other: str) -> TEError:
        return TEError(
            "KC2058",
            f"{op.name} is part of the step of scan {scan.name}, and used by {other} too",
            location=op.location,
            why="a step is computed again for each row; only the states are kept",
            hints=[f"read the result of {scan.name}"],
        )

    def _sort_args(self, outputs: Sequence[Operation]) -> None:
        known = set(self.order)
        seen: set[int] = set()
        for arg in self.args:
            if not isinstance(arg, Tensor | Var):
                raise TEError(
                    "KC2020",
                    f"argument {arg!r} of {self.name} is neither a tensor nor a te.var",
                    location=caller_location(),
                )
            if id(arg) in seen:
                raise TEError(
                    "KC2020",
                    f"{arg.name} is listed twice in the arguments of {self.name}",
                    location=caller_location(),
                )
            seen.add(id(arg))
            if isinstance(arg, Tensor) and arg.op in self.scan_of:
                raise self._shared(arg.op, self.scan_of[arg.op], f"the arguments of {self.name}")
            if isinstance(arg, Tensor) and isinstance(arg.op, ComputeOp | ScanOp):
                if arg.op not in known:
                    raise TEError(
                        "KC2021",
                        f"argument {arg.name} is not computed by this schedule",
                        location=caller_location(),
                        hints=["create the schedule from the operation that reads it"],
                    )
                self.results.append(arg)
            else:
                self.inputs.append(arg)
        for op in outputs:
            if not any(one in self.results for one in op.outputs):
                raise TEError(
                    "KC2022",
                    f"output {op.name} is missing from the arguments of {self.name}",
                    location=caller_location(),
                    why="the caller gives the arrays that results are written to",
                    hints=[f"add {op.name} to the list of arguments"],
                )
        for op in self.order:
            if op in self.states:
                continue
            if isinstance(op, PlaceholderOp) and op.tensor not in self.inputs:
                raise TEError(
                    "KC2023",
                    f"input {op.name} is missing from the arguments of {self.name}",
                    location=op.location,
                    hints=[f"add {op.name} to the list of arguments"],
                )

    def emit(self) -> tuple[te.FuncOp, dict[Operation, str]]:
        self._find_symbols()
        taken: set[str] = set()
        attrs: list[DictionaryAttr] = []
        for arg in self.inputs:
            name = _fresh(arg.name, taken)
            data: dict[str, Attribute] = {"kc.name": StringAttr(name)}
            if isinstance(arg, Tensor):
                value = self.block.insert_arg(self._tensor_type(arg), len(self.block.args))
                data.update(self._tensor_attrs(arg))
            elif is_float(arg.dtype):
                value = self.block.insert_arg(element_type(arg.dtype), len(self.block.args))
                self.values[arg] = value
                data["kc.dtype"] = StringAttr(arg.dtype)
            else:
                value = self.block.insert_arg(tir.INDEX, len(self.block.args))
                data["kc.symbol"] = StringAttr(arg.name)
            value.name_hint = name
            self.values[arg] = value
            attrs.append(DictionaryAttr(data))
        for symbol in self.symbols:
            op = te.SymbolOp(symbol.name)
            op.location = loc_attr(symbol.location)
            self.block.add_op(op)
            self.values[symbol] = op.result
        for op in self.order:
            if isinstance(op, ComputeOp | ScanOp):
                self.names[op] = _fresh(op.name, taken)
            if isinstance(op, ScanOp):
                self._scan(op)
            elif isinstance(op, ComputeOp) and op not in self.scan_of:
                self._compute(op)
        self.block.add_op(te.ReturnOp(*(self.values[one] for one in self.results)))
        return self._function(attrs), self.names

    def _name(self, tensor: Tensor) -> str:
        return te.output_name(self.names[tensor.op], tensor.value_index, tensor.op.num_outputs)

    def _function(self, attrs: list[DictionaryAttr]) -> te.FuncOp:
        results = [
            DictionaryAttr({"kc.name": StringAttr(self._name(one)), **self._tensor_attrs(one)})
            for one in self.results
        ]
        function = te.FuncOp(
            self.name,
            FunctionType.from_lists(
                [arg.type for arg in self.block.args],
                [self._tensor_type(one) for one in self.results],
            ),
            Region(self.block),
            ArrayAttr(attrs),
            ArrayAttr(results),
        )
        if self.symbols:
            function.attributes["kc.symbols"] = ArrayAttr(
                [StringAttr(one.name) for one in self.symbols]
            )
        machine = [*self.inputs, *self.results]
        position = [machine.index(one) for one in self.args]
        if position != sorted(position):
            function.attributes["kc.arg_order"] = DenseArrayBase.from_list(i64, position)
        if self.results:
            function.location = loc_attr(self.results[0].op.location)
        return function

    # Sizes ---------------------------------------------------------------------------------

    def _find_symbols(self) -> None:
        """All integer variables, and that each has a value at the call."""
        found: dict[Var, Operation] = {}
        bound: set[Var] = set()
        given = (one.op for one in self.inputs if isinstance(one, Tensor))
        for op in dict.fromkeys([*self.order, *given]):  # inputs that nothing reads, too
            shape = list(op.shape)
            extents: list[Any] = [*shape]
            if isinstance(op, ComputeOp):
                extents += [one.extent for one in op.reduce_axis]
                extents += op.bodies
            for one in extents:
                for part in walk(one) if isinstance(one, Expr) else ():
                    if isinstance(part, Var):
                        if not is_float(part.dtype):
                            found.setdefault(part, op)
                        elif part not in self.inputs:
                            raise self._missing(part)
                    elif isinstance(part, IterVar):
                        for inner in walk(part.extent) if isinstance(part.extent, Expr) else ():
                            if isinstance(inner, Var):
                                found.setdefault(inner, op)
            for n, tensor in enumerate(op.outputs):
                if tensor in self.inputs or tensor in self.results:
                    bound |= {one for one in op.output_shape(n) if isinstance(one, Var)}
        listed = [one for one in self.inputs if isinstance(one, Var)]
        for one in found:
            if one not in bound and one not in listed:
                raise self._missing(one)
        unused = [one for one in listed if one not in found and not is_float(one.dtype)]
        self.symbols = [*found, *unused]
        names = [one.name for one in self.symbols]
        for one in self.symbols:
            if names.count(one.name) > 1:
                raise TEError(
                    "KC2025",
                    f"two sizes are called {one.name}",
                    location=one.location,
                    why="a size is known by its name in the IR",
                    hints=[f"use one te.var for both, or name one {one.name}2"],
                )

    def _missing(self, one: Var) -> TEError:
        return TEError(
            "KC2024",
            f"the value of {one.name} is not known at the call",
            location=one.location,
            why=f"{one.name} is neither a dimension of an argument nor an argument",
            hints=[f"add {one.name} to the list of arguments"],
        )

    def _shape_expr(
        self,
        dim: Any,
        owner: str,
        location: Location | None,
        product: Callable[[Binary], AffineExpr] | None = None,
    ) -> AffineExpr:
        """A dimension as an affine expression of the symbols, and of what ``product`` makes of
        products of sizes (KC2026 without it)."""
        if isinstance(dim, int):
            return AffineExpr.constant(dim)
        if isinstance(dim, Const):
            return AffineExpr.constant(int(dim.value))
        if isinstance(dim, Var) and dim in self.symbols:
            return AffineExpr.symbol(self.symbols.index(dim))
        if isinstance(dim, Binary):
            lhs = self._shape_expr(dim.lhs, owner, location, product)
            rhs = self._shape_expr(dim.rhs, owner, location, product)
            made = _affine(dim.op, lhs, rhs, dim)
            if made is None and dim.op == "mul" and product is not None:
                made = product(dim)
            if made is not None:
                return made
        raise TEError(
            "KC2026",
            f"a dimension of {owner} is not an affine function of sizes",
            location=location,
            why="dimensions are sums of sizes times constants, or their quotients by constants",
        )

    def _tensor_type(self, tensor: Tensor, start: int = 0) -> TensorType:
        """The type of ``tensor``, or of its dimensions from ``start`` on."""
        shape = [one if isinstance(one, int) else tir.DYNAMIC for one in tensor.shape[start:]]
        return TensorType(element_type(tensor.dtype), shape)

    def _tensor_attrs(self, tensor: Tensor) -> dict[str, Attribute]:
        data: dict[str, Attribute] = {}
        if tensor.dtype in UINTS or tensor.dtype == "bool":
            data["kc.dtype"] = StringAttr(tensor.dtype)
        if any(not isinstance(one, int) for one in tensor.shape):
            exprs = tuple(
                self._shape_expr(one, tensor.name, tensor.op.location) for one in tensor.shape
            )
            data["kc.shape"] = AffineMapAttr(AffineMap(0, len(self.symbols), exprs))
        return data

    def _extent(self, extent: Any, op: Operation) -> int | SSAValue:
        if isinstance(extent, int):
            return extent
        if isinstance(extent, Var):
            return self.values[extent]
        operands = [self.values[one] for one in self.symbols]

        def product(dim: Binary) -> AffineExpr:
            factors = (self._extent(one, op) for one in (dim.lhs, dim.rhs))
            made = arith.MuliOp(*factors)  # pyright: ignore[reportArgumentType]
            made.location = loc_attr(op.location)
            self.block.add_op(made)
            operands.append(made.result)
            return AffineExpr.dimension(len(operands) - 1)

        expr = self._shape_expr(extent, op.name, op.location, product)
        dims = [AffineExpr.dimension(n) for n in range(len(operands))]
        apply = tir.ApplyOp(
            expr.replace_dims_and_symbols(dims, dims[: len(self.symbols)]), operands
        )
        apply.location = loc_attr(op.location)
        self.block.add_op(apply)
        return apply.result

    # Computes ------------------------------------------------------------------------------

    def _compute(self, op: ComputeOp, step: Block | None = None) -> None:
        """``op`` as a ``te.compute``; in the region ``step`` of a scan, one row of it."""
        fixed: dict[IterVar, SSAValue] = {}
        if step is not None:
            fixed[op.axis[0]] = step.args[0]
        spatial = op.axis[len(fixed) :]
        axes = [*spatial, *op.reduce_axis]
        bodies, first = op.bodies, op.bodies[0]
        combiner = where = init = None
        if isinstance(first, Reduce):
            bodies = first.values
            combiner = self._combiner(first)
            if first.condition is not None:
                where = self._where(axes, fixed, first.condition)
            if first.init is not None:
                init = self._region(spatial, fixed, first.init, op.location)
        own = [one for one in op.reduce_axis if depends_on_element(one.extent)]
        domain = self._domain(spatial, fixed, own) if own else None
        extents = [(one.name, None if one in own else self._extent(one.extent, op)) for one in axes]
        made = te.ComputeOp(
            self.names[op],
            [(name, one) for name, one in extents[: len(spatial)] if one is not None],
            self._region(axes, fixed, bodies, first.location or op.location),
            [self._tensor_type(one, len(fixed)) for one in op.outputs],
            extents[len(spatial) :],
            combiner,
            where,
            init,
            domain,
        )
        made.location = loc_attr(op.location)
        (self.block if step is None else step).add_op(made)
        self.values.update(zip(op.outputs, made.results, strict=True))

    def _domain(
        self,
        axes: Sequence[IterVar],
        fixed: Mapping[IterVar, SSAValue],
        reduce: Sequence[IterVar],
    ) -> Region:
        """The region over ``axes`` that yields the extents of ``reduce``."""
        scope = self._scope(axes, fixed)
        end = te.YieldOp(*[scope.index(one.extent) for one in reduce])
        end.location = loc_attr(reduce[0].location)
        scope.block.add_op(end)
        return Region(scope.block)

    def _scan(self, op: ScanOp) -> None:
        states = op.state_placeholder
        time = op.update[0].op.axis[0].name
        made = te.ScanOp(
            self.names[op],
            time,
            self._extent(states[0].shape[0], op),
            [self.values[one] for one in op.init],
            [self._tensor_type(one) for one in states],
        )
        made.location = loc_attr(op.location)
        for state, arg in zip(states, made.states, strict=True):
            arg.name_hint = state.name
            self.values[state] = arg
        step = made.body.block
        for one in op.steps:
            assert isinstance(one, ComputeOp)
            self._compute(one, step)
        end = te.YieldOp(*[self.values[one] for one in op.update])
        end.location = made.location
        step.add_op(end)
        self.block.add_op(made)
        self.values.update(zip(op.outputs, made.results, strict=True))

    def _scope(self, axes: Sequence[IterVar], fixed: Mapping[IterVar, SSAValue]) -> _Body:
        """An empty block over ``axes``; the axes in ``fixed`` have values already."""
        block = Block(arg_types=[tir.INDEX] * len(axes))
        for arg, one in zip(block.args, axes, strict=True):
            arg.name_hint = one.name
        return _Body(self, block, {**fixed, **dict(zip(axes, block.args, strict=True))})

    def _region(
        self,
        axes: Sequence[IterVar],
        fixed: Mapping[IterVar, SSAValue],
        exprs: Sequence[Expr],
        location: Location | None,
    ) -> Region:
        """The region over ``axes`` that yields ``exprs``."""
        scope = self._scope(axes, fixed)
        end = te.YieldOp(*[scope.value(one) for one in exprs])
        end.location = loc_attr(location)
        scope.block.add_op(end)
        return Region(scope.block)

    def _where(
        self, axes: Sequence[IterVar], fixed: Mapping[IterVar, SSAValue], condition: Expr
    ) -> Region:
        """The region over ``axes`` that says whether ``condition`` holds."""
        scope = self._scope(axes, fixed)
        constraints, operands, others = scope.conditions(condition)
        value: SSAValue | None = None
        for one in others:
            found = scope.value(one)
            value = found if value is None else scope.add(arith.AndIOp(value, found), one.location)
        end = te.ConditionOp(AffineSet(len(operands), 0, tuple(constraints)), operands, value)
        end.location = loc_attr(condition.location)
        scope.block.add_op(end)
        return Region(scope.block)

    def _combiner(self, reduce: Reduce) -> te.Combiner | te.UserCombiner:
        own = reduce.combiner
        if not isinstance(own, CommReducer):
            unsigned = own in ("min", "max") and reduce.dtype in (*UINTS, "bool")
            return te.Combiner(f"u{own}" if unsigned else own)
        scope = _Body(self, Block(), {})
        for one in (*own.lhs, *own.rhs):
            arg = scope.block.insert_arg(element_type(one.dtype), len(scope.block.args))
            arg.name_hint = one.name
            scope.memo[one] = arg
        end = te.YieldOp(*[scope.value(one) for one in own.result])
        end.location = loc_attr(reduce.location)
        scope.block.add_op(end)
        identity = [constant_attr(one.value, one.dtype) for one in own.identity]
        return te.UserCombiner(own.name, Region(scope.block), identity)


def _is_wider(expr: Cast) -> bool:
    """Whether a conversion is of integers and keeps every value."""
    source, target = expr.value.dtype, expr.dtype
    return source in INTS and target in INTS and bits(source) <= bits(target)


def _affine(op: str, lhs: AffineExpr, rhs: AffineExpr, source: Binary) -> AffineExpr | None:
    """``lhs op rhs`` when it is affine."""
    if op == "add":
        return lhs + rhs
    if op == "sub":
        return lhs + rhs * -1
    left = int(source.lhs.value) if isinstance(source.lhs, Const) else None
    right = int(source.rhs.value) if isinstance(source.rhs, Const) else None
    if op == "mul" and right is not None:
        return lhs * right
    if op == "mul" and left is not None:
        return rhs * left
    if op == "floordiv" and right is not None and right > 0:
        return lhs // right
    if op == "floormod" and right is not None and right > 0:
        return lhs % right
    return None


def _constraint(op: str, lhs: AffineExpr, rhs: AffineExpr) -> AffineConstraintExpr:
    """``lhs op rhs`` in normal form."""
    if op == "eq":
        return AffineConstraintExpr(AffineConstraintKind.eq, lhs - rhs, ZERO)
    less = op in ("lt", "le")
    return at_least_zero((rhs - lhs if less else lhs - rhs) - int(op in ("lt", "gt")))


class _Body:
    """The scalar ops of one region of a compute."""

    def __init__(self, emitter: _Emitter, block: Block, axes: dict[IterVar, SSAValue]) -> None:
        self.emitter = emitter
        self.block = block
        self.axes = axes
        self.memo: MutableMapping[Expr, SSAValue] = {}

    def add(self, op: IROperation, location: Location | None) -> SSAValue:
        op.location = loc_attr(location)
        self.block.add_op(op)
        return op.results[0]

    def value(self, expr: Expr) -> SSAValue:
        """The value of ``expr``; shared subexpressions are computed once. Not recursive, so that
        long chains of operators do not exhaust the stack."""
        stack = [expr]
        while stack:
            one = stack[-1]
            if one in self.memo:
                stack.pop()
                continue
            waiting = [part for part in self._needs(one) if part not in self.memo]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            self.memo[one] = self._emit(one)
            stack.pop()
        return self.memo[expr]

    def _needs(self, expr: Expr) -> Sequence[Expr]:
        if isinstance(expr, Compare) and self._index_sides(expr) is not None:
            return ()
        if isinstance(expr, Binary | Compare):
            return (expr.lhs, expr.rhs)
        if isinstance(expr, Call):
            return expr.args
        if isinstance(expr, Cast):
            return (expr.value,)
        if isinstance(expr, SelectExpr):
            return (expr.condition, expr.on_true, expr.on_false)
        if isinstance(expr, IfThenElse):
            return (expr.condition,)
        return ()

    def _emit(self, expr: Expr) -> SSAValue:
        at = expr.location
        if isinstance(expr, Const):
            return self._constant(expr.value, expr.dtype, at)
        if isinstance(expr, Var) and is_float(expr.dtype):
            return self.emitter.values[expr]
        if isinstance(expr, Var | IterVar):
            return self._from_index(self._index_value(expr, at), expr.dtype, at)
        if isinstance(expr, Element):
            exprs, operands = self._affine_indices(expr)
            space = AffineMap(len(operands), 0, tuple(exprs))
            return self.add(te.ReadOp(self.emitter.values[expr.tensor], space, operands), at)
        if isinstance(expr, Binary):
            return self._binary(expr)
        if isinstance(expr, Compare):
            return self._compare(expr)
        if isinstance(expr, Call):
            return self._call(expr)
        if isinstance(expr, Cast):
            return self._cast(self.memo[expr.value], expr.value.dtype, expr.dtype, at)
        if isinstance(expr, IfThenElse):
            then, other = self._branch(expr.on_true), self._branch(expr.on_false)
            kind = element_type(expr.dtype)
            return self.add(scf.IfOp(self.memo[expr.condition], [kind], then, other), at)
        assert isinstance(expr, SelectExpr)
        condition, a, b = (self.memo[one] for one in self._needs(expr))
        return self.add(arith.SelectOp(condition, a, b), at)

    def _branch(self, expr: Expr) -> Region:
        """The region that computes ``expr``; it may use what is computed before it."""
        inner = _Body(self.emitter, Block(), self.axes)
        inner.memo = ChainMap({}, self.memo)  # pyright: ignore[reportArgumentType]
        end = scf.YieldOp(inner.value(expr))
        end.location = loc_attr(expr.location)
        inner.block.add_op(end)
        return Region(inner.block)

    # Indices -------------------------------------------------------------------------------

    def _affine_indices(self, element: Element) -> tuple[list[AffineExpr], list[SSAValue]]:
        operands: list[SSAValue] = []

        def dim(value: SSAValue) -> AffineExpr:
            if value not in operands:
                operands.append(value)
            return AffineExpr.dimension(operands.index(value))

        def build(expr: Expr) -> AffineExpr:
            if isinstance(expr, Const):
                return AffineExpr.constant(int(expr.value))
            if isinstance(expr, IterVar):
                return dim(self.axes[expr]) + expr.start
            if isinstance(expr, Var):
                return dim(self.emitter.values[expr])
            if isinstance(expr, Binary):
                made = _affine(expr.op, build(expr.lhs), build(expr.rhs), expr)
                if made is not None:
                    return made
            if isinstance(expr, Cast) and _is_wider(expr):
                return build(expr.value)
            value = self.value(expr)
            return dim(self._to_index(value, expr.dtype, expr.location))

        # A step of a scan sees its own row of what the step computes.
        row = element.tensor in self.emitter.rows
        exprs = [build(one) for one in element.indices[row:]]
        used = sorted({n for one in exprs for n in one.used_dims()})
        final = [
            AffineExpr.dimension(used.index(n) if n in used else 0) for n in range(len(operands))
        ]
        exprs = [one.replace_dims_and_symbols(final, []) for one in exprs]
        return exprs, [operands[n] for n in used]

    def conditions(
        self, condition: Expr
    ) -> tuple[list[AffineConstraintExpr], list[SSAValue], list[Expr]]:
        """``condition`` as affine constraints over operands, and what is not affine of it."""
        operands: list[SSAValue] = []
        constraints: list[AffineConstraintExpr] = []
        others: list[Expr] = []
        stack = [condition]
        while stack:
            one = stack.pop()
            if isinstance(one, Binary) and one.op == "and" and one.dtype == "bool":
                stack += [one.rhs, one.lhs]
                continue
            parts = [self._affine_of(part, operands) for part in self._sides(one)]
            if len(parts) == 2 and parts[0] is not None and parts[1] is not None:
                assert isinstance(one, Compare)
                constraints.append(_constraint(one.op, parts[0], parts[1]))
            else:
                others.append(one)
        return constraints, operands, others

    def _sides(self, one: Expr) -> Sequence[Expr]:
        """The sides of a comparison that an affine constraint may be."""
        is_one = isinstance(one, Compare) and one.op != "ne" and one.lhs.dtype in INTS
        return (one.lhs, one.rhs) if is_one else ()  # pyright: ignore

    def _affine_of(self, expr: Expr, operands: list[SSAValue]) -> AffineExpr | None:
        """``expr`` as an affine function of axes and sizes, which are added to ``operands``."""
        if isinstance(expr, Const):
            return AffineExpr.constant(int(expr.value))
        if isinstance(expr, Cast) and _is_wider(expr):
            return self._affine_of(expr.value, operands)
        if isinstance(expr, IterVar | Var):
            known = self.axes if isinstance(expr, IterVar) else self.emitter.values
            value = known.get(expr)  # pyright: ignore[reportCallIssue, reportArgumentType]
            if value is None:
                return None  # an operand of a combiner
            if value not in operands:
                operands.append(value)
            start = expr.start if isinstance(expr, IterVar) else 0
            return AffineExpr.dimension(operands.index(value)) + start
        if isinstance(expr, Binary):
            lhs, rhs = (self._affine_of(one, operands) for one in (expr.lhs, expr.rhs))
            if lhs is not None and rhs is not None:
                return _affine(expr.op, lhs, rhs, expr)
        return None

    def _index_operand(
        self, expr: AffineExpr, operands: Sequence[SSAValue], at: Location | None
    ) -> SSAValue:
        """``expr`` over ``operands`` as a value of type index."""
        if isinstance(expr, AffineDimExpr):
            return operands[expr.position]
        if isinstance(expr, AffineConstantExpr):
            return self.add(arith.ConstantOp(IntegerAttr(expr.value, tir.INDEX)), at)
        used = sorted(expr.used_dims())
        dims = [
            AffineExpr.dimension(used.index(n) if n in used else 0) for n in range(len(operands))
        ]
        local = expr.replace_dims_and_symbols(dims, [])
        return self.add(tir.ApplyOp(local, [operands[n] for n in used]), at)

    def index(self, expr: Any) -> SSAValue:
        """``expr``, an integer, as a value of type index."""
        operands: list[SSAValue] = []
        affine = self._affine_of(expr, operands)
        if affine is not None:
            return self.add(tir.ApplyOp(affine, operands), expr.location)
        return self._to_index(self.value(expr), expr.dtype, expr.location)

    def _index_value(self, expr: Var | IterVar, at: Location | None) -> SSAValue:
        if isinstance(expr, Var):
            return self.emitter.values[expr]
        if expr.start:
            apply = tir.ApplyOp(AffineExpr.dimension(0) + expr.start, [self.axes[expr]])
            return self.add(apply, at)
        return self.axes[expr]

    def _from_index(self, value: SSAValue, dtype: str, at: Location | None) -> SSAValue:
        return self.add(arith.IndexCastOp(value, element_type(dtype)), at)

    def _to_index(self, value: SSAValue, dtype: str, at: Location | None) -> SSAValue:
        if dtype in UINTS:
            wide = self._cast(value, dtype, "uint64", at)
            return self.add(arith.IndexCastOp(wide, tir.INDEX), at)
        return self.add(arith.IndexCastOp(value, tir.INDEX), at)

    # Operations ----------------------------------------------------------------------------

    def _constant(self, value: Any, dtype: str, at: Location | None) -> SSAValue:
        return self.add(arith.ConstantOp(constant_attr(value, dtype)), at)

    def _binary(self, expr: Binary) -> SSAValue:
        a, b = self.memo[expr.lhs], self.memo[expr.rhs]
        at, dtype = expr.location, expr.dtype
        if is_float(dtype):
            if expr.op == "floordiv":
                return self.add(math.FloorOp(self.add(arith.DivfOp(a, b), at)), at)
            return self.add(_FLOAT_OPS[expr.op](a, b), at)
        if expr.op in ("floordiv", "floormod", "truncdiv", "truncmod"):
            return self._divide(expr, a, b)
        signed = dtype in INTS
        table = _SIGNED_OPS if signed else _UNSIGNED_OPS
        return self.add(table[expr.op](a, b), at)

    def _divide(self, expr: Binary, a: SSAValue, b: SSAValue) -> SSAValue:
        """Integer division: by zero it gives 0, and the lowest value by -1 wraps, as in numpy.

        (The machine instruction would end the process.)
        """
        at, dtype = expr.location, expr.dtype
        safe = isinstance(expr.rhs, Const) and expr.rhs.value not in (0, -1)
        divisor, zero = b, None
        if not safe:
            zero = self.add(arith.CmpiOp(b, self._constant(0, dtype, at), "eq"), at)
            bad = zero
            if dtype in INTS:
                lowest = self._constant(-(1 << (bits(dtype) - 1)), dtype, at)
                minus = self.add(arith.CmpiOp(b, self._constant(-1, dtype, at), "eq"), at)
                low = self.add(arith.CmpiOp(a, lowest, "eq"), at)
                bad = self.add(arith.OrIOp(zero, self.add(arith.AndIOp(minus, low), at)), at)
            divisor = self.add(arith.SelectOp(bad, self._constant(1, dtype, at), b), at)
        if dtype in UINTS:
            op = arith.DivUIOp if expr.op.endswith("div") else arith.RemUIOp
            result = self.add(op(a, divisor), at)
        elif expr.op == "truncdiv":
            result = self.add(arith.DivSIOp(a, divisor), at)
        elif expr.op == "truncmod":
            result = self.add(arith.RemSIOp(a, divisor), at)
        else:
            result = self.add(arith.FloorDivSIOp(a, divisor), at)
            if expr.op == "floormod":
                product = self.add(arith.MuliOp(result, divisor), at)
                result = self.add(arith.SubiOp(a, product), at)
        if zero is not None:
            result = self.add(arith.SelectOp(zero, self._constant(0, dtype, at), result), at)
        return result

    def _index_sides(self, expr: Compare) -> tuple[Sequence[AffineExpr], list[SSAValue]] | None:
        """The sides of a comparison of affine functions of axes and sizes, and their operands."""
        if expr.lhs.dtype not in INTS:
            return None
        operands: list[SSAValue] = []
        sides = [self._affine_of(one, operands) for one in (expr.lhs, expr.rhs)]
        found = [one for one in sides if one is not None]
        return (found, operands) if len(found) == 2 and operands else None

    def _compare(self, expr: Compare) -> SSAValue:
        affine = self._index_sides(expr)
        if affine is not None:
            # As indices, so that what the condition says of them is known to every analysis.
            sides, operands = affine
            a, b = (self._index_operand(one, operands, expr.location) for one in sides)
            sign = "" if expr.op in ("eq", "ne") else "s"
            return self.add(arith.CmpiOp(a, b, f"{sign}{expr.op}"), expr.location)
        a, b = self.memo[expr.lhs], self.memo[expr.rhs]
        dtype = expr.lhs.dtype
        if is_float(dtype):
            predicate = "une" if expr.op == "ne" else f"o{expr.op}"
            return self.add(arith.CmpfOp(a, b, predicate), expr.location)
        if expr.op in ("eq", "ne"):
            return self.add(arith.CmpiOp(a, b, expr.op), expr.location)
        sign = "s" if dtype in INTS else "u"
        return self.add(arith.CmpiOp(a, b, f"{sign}{expr.op}"), expr.location)

    def _call(self, expr: Call) -> SSAValue:
        at = expr.location
        if len(expr.args) == 2:
            a, b = (self.memo[one] for one in expr.args)
            if expr.op in ("shl", "shr"):
                return self._shift(expr, a, b)
            return self.add(_BINARY_INTRINSICS[expr.op](a, b), at)
        x = self.memo[expr.args[0]]
        if expr.op == "iabs":
            return x if expr.dtype in UINTS else self.add(math.AbsIOp(x), at)
        if expr.op == "neg":
            return self.add(arith.NegfOp(x), at)
        if expr.op == "sigmoid":
            one = self._constant(1.0, expr.dtype, at)
            power = self.add(math.ExpOp(self.add(arith.NegfOp(x), at)), at)
            return self.add(arith.DivfOp(one, self.add(arith.AddfOp(one, power), at)), at)
        if expr.op == "reinterpret":
            return self.add(arith.BitcastOp(x, element_type(expr.dtype)), at)
        return self.add(INTRINSICS[expr.op](x), at)

    def _shift(self, expr: Call, a: SSAValue, b: SSAValue) -> SSAValue:
        """A shift that is defined for every distance: beyond the width as numpy has it."""
        at, dtype = expr.location, expr.dtype
        last = self._constant(bits(dtype) - 1, dtype, at)
        distance = self.add(arith.MinUIOp(b, last), at)
        if expr.op == "shr":
            right = arith.ShRSIOp if dtype in INTS else arith.ShRUIOp
            shifted = self.add(right(a, distance), at)
            if dtype in INTS:
                return shifted  # all copies of the sign
        else:
            shifted = self.add(arith.ShLIOp(a, distance), at)
        inside = self.add(arith.CmpiOp(b, last, "ule"), at)
        return self.add(arith.SelectOp(inside, shifted, self._constant(0, dtype, at)), at)

    def _cast(self, x: SSAValue, source: str, target: str, at: Location | None) -> SSAValue:
        kind = element_type(target)
        if target == "bool":
            zero = self._constant(0, source, at)
            if is_float(source):
                return self.add(arith.CmpfOp(x, zero, "une"), at)
            return self.add(arith.CmpiOp(x, zero, "ne"), at)
        unsigned = source in UINTS or source == "bool"
        if is_float(source) and is_float(target):
            op = arith.ExtFOp if bits(target) > bits(source) else arith.TruncFOp
        elif is_float(source):
            op = arith.FPToUIOp if target in UINTS else arith.FPToSIOp
        elif is_float(target):
            op = arith.UIToFPOp if unsigned else arith.SIToFPOp
        elif bits(source) == bits(target):
            return x
        elif bits(source) < bits(target):
            op = arith.ExtUIOp if unsigned else arith.ExtSIOp
        else:
            op = arith.TruncIOp
        return self.add(op(x, kind), at)  # pyright: ignore


_FLOAT_OPS = {
    "add": arith.AddfOp,
    "sub": arith.SubfOp,
    "mul": arith.MulfOp,
    "div": arith.DivfOp,
    "min": arith.MinimumfOp,
    "max": arith.MaximumfOp,
}
_SIGNED_OPS = {
    "add": arith.AddiOp,
    "sub": arith.SubiOp,
    "mul": arith.MuliOp,
    "min": arith.MinSIOp,
    "max": arith.MaxSIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
}
_UNSIGNED_OPS = {**_SIGNED_OPS, "min": arith.MinUIOp, "max": arith.MaxUIOp}

INTRINSICS = {
    "exp": math.ExpOp,
    "exp2": math.Exp2Op,
    "log": math.LogOp,
    "log2": math.Log2Op,
    "log10": math.Log10Op,
    "log1p": math.Log1pOp,
    "sqrt": math.SqrtOp,
    "rsqrt": math.RsqrtOp,
    "sin": math.SinOp,
    "cos": math.CosOp,
    "tan": math.TanOp,
    "tanh": math.TanhOp,
    "erf": math.ErfOp,
    "floor": math.FloorOp,
    "ceil": math.CeilOp,
    "trunc": math.TruncOp,
    "round": math.RoundEvenOp,
    "abs": math.AbsFOp,
    "acos": math.AcosOp,
    "acosh": math.AcoshOp,
    "asin": math.AsinOp,
    "asinh": math.AsinhOp,
    "atan": math.AtanOp,
    "atanh": math.AtanhOp,
    "cosh": math.CoshOp,
    "sinh": math.SinhOp,
    "nearbyint": math.RoundEvenOp,
    "popcount": math.CtPopOp,
    "clz": math.CountLeadingZerosOp,
}
"""Elementwise intrinsics, by TVM's name; ``round`` rounds half to even, as numpy."""

_BINARY_INTRINSICS = {
    "atan2": math.Atan2Op,
    "copysign": math.CopySignOp,
    "fmod": RemFOp,
    "power": math.PowFOp,
}


def _fresh(name: str, taken: set[str]) -> str:
    chosen, n = name, 0
    while chosen in taken:
        n += 1
        chosen = f"{name}_{n}"
    taken.add(chosen)
    return chosen
