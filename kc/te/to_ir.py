"""The conversion of a graph of tensors to a ``te.func``; affine index expressions become affine
maps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap, AffineSet

from kc.analysis.reductions.combiner_laws import require_laws
from kc.dialects import te, tir
from kc.dialects.size_requirements import set_requirements
from kc.expr.constructors import Binary, CommReducer, Const, Expr, ExprLike, IterVar, Reduce, Var
from kc.expr.dtypes import UINTS, is_float, is_signed, lanes, scalar
from kc.expr.indices import affine
from kc.expr.lanes import Lane, lane_axis
from kc.expr.relations import depends_on_element
from kc.expr.scalar_ops import constant_attr, element_type
from kc.expr.sizes import OwnDimensions, agreement
from kc.expr.tensor import ComputeOp, ExternOp, Operation, PlaceholderOp, ScanOp, Tensor, walk
from kc.support.diagnostics import Location, TEError, warn
from kc.support.fresh_names import fresh_name
from kc.support.locations import caller_location, copy_location, loc_attr
from kc.te.body import Body


def post_order(outputs: Sequence[Operation]) -> list[Operation]:
    """The operations that ``outputs`` depend on, producers first. Raises KC2175 for a cycle."""
    done: dict[Operation, None] = {}
    begun: dict[Operation, None] = {}
    stack: list[tuple[Operation, bool]] = [(op, False) for op in reversed(outputs)]
    while stack:
        op, ready = stack.pop()
        if op in done:
            continue
        if ready:
            done[op] = None
            del begun[op]
        elif op in begun:
            raise _cycle(op, list(begun))
        else:
            begun[op] = None
            stack.append((op, True))
            stack.extend((tensor.op, False) for tensor in reversed(op.input_tensors))
    return list(done)


def _cycle(op: Operation, path: list[Operation]) -> TEError:
    names = [step.name for step in path[path.index(op) :]]
    return TEError(
        "KC2175",
        f"{op.name} is computed from itself",
        location=op.location,
        facts=[" needs ".join([*names, op.name])],
        why="a tensor can depend only on tensors that are computed before it",
        hints=["te.scan computes rows of a tensor from rows before"],
    )


def block_names(order: Sequence[Operation]) -> dict[Operation, str]:
    """The name of each compute's block: its own, unless an input or an earlier compute has the
    name.
    """
    taken: set[str] = set()
    for op in order:
        if isinstance(op, PlaceholderOp):
            fresh_name(op.name, taken)
    return {op: fresh_name(op.name, taken) for op in order if not isinstance(op, PlaceholderOp)}


def create_func(
    args: Sequence[Tensor | Var],
    outputs: Sequence[Operation],
    name: str = "main",
    unwritten: Sequence[Tensor] = (),
) -> tuple[te.FuncOp, dict[Operation, str]]:
    """The function of ``args`` (in the caller's order), and the name of each compute in it.

    Computed arguments are outputs, except those in ``unwritten``, which nothing uses. Raises
    KC2020, KC2021, KC2023 and KC2024; warns (KC2022) of an output that is not an argument.
    """
    return _Emitter(args, outputs, name, unwritten).emit()


class _Emitter:
    def __init__(
        self,
        args: Sequence[Tensor | Var],
        outputs: Sequence[Operation],
        name: str,
        unwritten: Sequence[Tensor],
    ) -> None:
        self.name = name
        self.args = list(args)
        self.unwritten = unwritten
        self.order = post_order(outputs)
        self.inputs: list[Tensor | Var] = []
        self.results: list[Tensor] = []
        self.block = Block()
        self.values: dict[Any, SSAValue] = {}
        self.names: dict[Operation, str] = {}
        self.symbols: list[Var] = []
        self.dimensions = OwnDimensions()
        # The operations of the steps of scans, and the placeholders by which they read states.
        self.scan_of: dict[Operation, ScanOp] = {}
        self.states: dict[Operation, ScanOp] = {}
        # The tensors with a row for each time step, of which a step sees a single row.
        self.rows: set[Tensor] = set()
        self._find_scans()
        self._sort_args(outputs)

    def _find_scans(self) -> None:
        for scan in [op for op in self.order if isinstance(op, ScanOp)]:
            self.states.update({state.op: scan for state in scan.state_placeholder})
            for op in scan.steps:
                owner = self.scan_of.setdefault(op, scan)
                if owner is not scan:
                    raise self._shared(op, scan, f"scan {owner.name}")
                self.rows.update(op.outputs)
        for op in self.order:
            if op in self.scan_of:
                continue
            read = op.init if isinstance(op, ScanOp) else op.input_tensors
            for tensor in read:
                scan = self.scan_of.get(tensor.op) or self.states.get(tensor.op)
                if scan is not None:
                    raise self._shared(tensor.op, scan, op.name)

    def _shared(self, op: Operation, scan: ScanOp, user: str) -> TEError:
        return TEError(
            "KC2058",
            f"{op.name} is part of a step of scan {scan.name}, and used by {user} too",
            location=op.location,
            why="a step is computed again for each row; only the states are kept",
            hints=[f"read the result of {scan.name}"],
        )

    def _sort_args(self, outputs: Sequence[Operation]) -> None:
        reached = set(self.order)
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
            if isinstance(arg, Tensor) and not isinstance(arg.op, PlaceholderOp):
                if arg.op not in reached:
                    raise TEError(
                        "KC2021",
                        f"argument {arg.name} is not computed by this schedule",
                        location=caller_location(),
                        hints=["create the schedule from the operation that reads it"],
                    )
                (self.inputs if arg in self.unwritten else self.results).append(arg)
            else:
                self.inputs.append(arg)
        for op in outputs:
            if not any(tensor in self.results for tensor in op.outputs):
                warn(
                    "KC2022",
                    f"output {op.name} is missing from the arguments of {self.name}",
                    location=caller_location(),
                    why="results are written to arrays that the caller passes: this one is lost",
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
            own = f"{arg.name}_unwritten" if arg in self.unwritten else arg.name
            name = fresh_name(own, taken)
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
                if arg.dtype != "int64":  # the caller passes these values, in the user's type
                    data["kc.dtype"] = StringAttr(arg.dtype)
            value.name_hint = name
            self.values[arg] = value
            attrs.append(DictionaryAttr(data))
        for symbol in self.symbols:
            op = te.SymbolOp(symbol.name)
            op.location = loc_attr(symbol.location)
            self.block.add_op(op)
            self.values[symbol] = op.result
        for size in self.dimensions.determined:
            self.values[size] = self._applied(
                self._shape_expr(size, size.name, size.location), [], size.location
            )
        for op in self.order:
            if isinstance(op, ComputeOp | ExternOp | ScanOp):
                self.names[op] = fresh_name(op.name, taken)
            if isinstance(op, ScanOp):
                self._scan(op)
            elif isinstance(op, ExternOp):
                self._extern(op)
            elif isinstance(op, ComputeOp) and op not in self.scan_of:
                self._compute(op)
        self.block.add_op(te.ReturnOp(*(self.values[tensor] for tensor in self.results)))
        return self._function(attrs), self.names

    def _name(self, tensor: Tensor) -> str:
        return te.output_name(self.names[tensor.op], tensor.value_index, tensor.op.num_outputs)

    def _function(self, attrs: list[DictionaryAttr]) -> te.FuncOp:
        results = [
            DictionaryAttr(
                {"kc.name": StringAttr(self._name(tensor)), **self._tensor_attrs(tensor)}
            )
            for tensor in self.results
        ]
        function = te.FuncOp(
            self.name,
            FunctionType.from_lists(
                [arg.type for arg in self.block.args],
                [self._tensor_type(tensor) for tensor in self.results],
            ),
            Region(self.block),
            ArrayAttr(attrs),
            ArrayAttr(results),
        )
        if self.symbols:
            function.attributes["kc.symbols"] = ArrayAttr(
                [StringAttr(symbol.name) for symbol in self.symbols]
            )
        required = self.dimensions.requirements(self._size_expr)
        required += dict.fromkeys(
            requirement
            for op in self.order
            for left, right, may_be_one in op.agreeing
            for requirement in agreement(left, right, may_be_one, self._size_expr, op.name)
        )
        set_requirements(function, required, len(self.symbols))
        machine = [*self.inputs, *self.results]
        position = [machine.index(arg) for arg in self.args]
        if position != sorted(position):
            function.attributes["kc.arg_order"] = DenseArrayBase.from_list(i64, position)
        if self.results:
            function.location = loc_attr(self.results[0].op.location)
            copy_location(function, function.body.block.ops)
        return function

    # Sizes ---------------------------------------------------------------------------------

    def _find_symbols(self) -> None:
        """All integer variables, and that each has a value at the call."""
        users: dict[Var, Operation] = {}
        bound: set[Var] = set()
        input_ops = (tensor.op for tensor in self.inputs if isinstance(tensor, Tensor))
        for op in dict.fromkeys([*self.order, *input_ops]):  # inputs that nothing reads, too
            shape = list(op.shape)
            extents: list[Any] = [*shape]
            if isinstance(op, ComputeOp):
                extents += map(op.extent_of, op.reduce_axis)
                extents += op.bodies
            elif isinstance(op, ExternOp):
                extents += [*op.code.sizes, *op.code.scalars]
                extents += [dim for buffer in op.output_placeholders for dim in buffer.shape]
            for extent in extents:
                for part in walk(extent) if isinstance(extent, Expr) else ():
                    if isinstance(part, Var):
                        if not is_float(part.dtype):
                            users.setdefault(part, op)
                        elif part not in self.inputs:
                            raise self._missing(part)
                    elif isinstance(part, IterVar):
                        for inner in walk(part.extent) if isinstance(part.extent, Expr) else ():
                            if isinstance(inner, Var):
                                users.setdefault(inner, op)
            for n, tensor in enumerate(op.outputs):
                if tensor in self.inputs or tensor in self.results:
                    bound |= {dim for dim in op.output_shape(n) if isinstance(dim, Var)}
        listed = [variable for variable in self.inputs if isinstance(variable, Var)]
        determined = {*bound, *listed}
        taken = {variable.name for variable in (*users, *listed)}
        arguments = [arg for arg in (*self.inputs, *self.results) if isinstance(arg, Tensor)]
        self.dimensions.find(arguments, determined, taken)
        for variable in users:
            if variable not in determined and variable not in self.dimensions.determined:
                raise self._missing(variable)
        unused = [
            variable
            for variable in listed
            if variable not in users and not is_float(variable.dtype)
        ]
        free = [variable for variable in users if variable not in self.dimensions.determined]
        self.symbols = [*free, *unused, *self.dimensions.names.values()]
        names = [symbol.name for symbol in self.symbols]
        for symbol in self.symbols:
            if names.count(symbol.name) > 1:
                raise TEError(
                    "KC2025",
                    f"two sizes are called {symbol.name}",
                    location=symbol.location,
                    why="the IR identifies a size by its name",
                    hints=[f"use one te.var for both, or name one {symbol.name}2"],
                )

    def _missing(self, variable: Var) -> TEError:
        return TEError(
            "KC2024",
            f"the value of {variable.name} is not known at the call",
            location=variable.location,
            why=f"{variable.name} is neither a dimension of an argument nor an argument",
            hints=[f"add {variable.name} to the list of arguments"],
        )

    def _shape_expr(
        self,
        dim: Any,
        owner: str,
        location: Location | None,
        product: Callable[[Binary], AffineExpr] | None = None,
    ) -> AffineExpr:
        """A dimension as an affine expression of the symbols, and of the values that ``product``
        returns for products of sizes (KC2026 without ``product``).
        """
        if isinstance(dim, int):
            return AffineExpr.constant(dim)
        if isinstance(dim, Const):
            return AffineExpr.constant(int(dim.value))
        if isinstance(dim, Var) and dim in self.symbols:
            return AffineExpr.symbol(self.symbols.index(dim))
        if isinstance(dim, Var) and dim in self.dimensions.determined:
            through = self.dimensions.determined[dim]
            whole = AffineExpr.symbol(self.symbols.index(through.dimension)) - through.offset
            return whole // through.factor if through.factor > 1 else whole
        if isinstance(dim, Binary):
            lhs = self._shape_expr(dim.lhs, owner, location, product)
            rhs = self._shape_expr(dim.rhs, owner, location, product)
            combined = affine(dim.op, lhs, rhs, dim)
            if combined is None and dim.op in ("mul", "floordiv") and product is not None:
                combined = product(dim)
            if combined is not None:
                return combined
        raise TEError(
            "KC2026",
            f"a dimension of {owner} is not an affine function of sizes",
            location=location,
            why="dimensions are sums and products of sizes, or their quotients",
            hints=["a te.var of its own, which the call takes from the array's shape"],
        )

    def _size_expr(self, dim: Any, product: Callable[[Binary], AffineExpr] | None) -> AffineExpr:
        return self._shape_expr(dim, self.name, None, product)

    def _tensor_type(self, tensor: Tensor, start: int = 0) -> TensorType:
        """The type of ``tensor``, or of its dimensions from ``start`` on."""
        # IR needs plain ints: subclasses of int with a range are converted.
        shape = [int(dim) if isinstance(dim, int) else tir.DYNAMIC for dim in tensor.shape[start:]]
        count = lanes(tensor.dtype)
        if count > 1:
            shape.append(count)
        return TensorType(element_type(scalar(tensor.dtype)), shape)

    def _tensor_attrs(self, tensor: Tensor) -> dict[str, Attribute]:
        data: dict[str, Attribute] = {}
        dtype, count = scalar(tensor.dtype), lanes(tensor.dtype)
        if dtype in UINTS or dtype == "bool":
            data["kc.dtype"] = StringAttr(dtype)
        if any(not isinstance(dim, int) for dim in tensor.shape):
            shape = tensor.shape if count == 1 else (*tensor.shape, count)
            exprs = tuple(
                self._shape_expr(
                    self.dimensions.names.get((tensor, n), dim), tensor.name, tensor.op.location
                )
                for n, dim in enumerate(shape)
            )
            data["kc.shape"] = AffineMapAttr(AffineMap(0, len(self.symbols), exprs))
        return data

    def _extent(self, extent: Any, op: Operation) -> int | SSAValue:
        if isinstance(extent, int):
            return extent
        if isinstance(extent, Var):
            return self.values[extent]
        computed: list[SSAValue] = []

        def product(dim: Binary) -> AffineExpr:
            lhs, rhs = (self._extent_value(side, op) for side in (dim.lhs, dim.rhs))
            combined = (arith.MuliOp if dim.op == "mul" else arith.FloorDivSIOp)(lhs, rhs)
            combined.location = loc_attr(op.location)
            self.block.add_op(combined)
            computed.append(combined.result)
            return AffineExpr.dimension(len(self.symbols) + len(computed) - 1)

        expr = self._shape_expr(extent, op.name, op.location, product)
        return self._applied(expr, computed, op.location)

    def _extent_value(self, extent: Any, op: Operation) -> SSAValue:
        value = self._extent(extent, op)
        if isinstance(value, SSAValue):
            return value
        constant = arith.ConstantOp(IntegerAttr(value, tir.INDEX))
        constant.location = loc_attr(op.location)
        self.block.add_op(constant)
        return constant.result

    def _applied(
        self, expr: AffineExpr, computed: Sequence[SSAValue], location: Location | None
    ) -> SSAValue:
        """``expr`` over the symbols, followed by the values ``computed``."""
        operands = [*(self.values[symbol] for symbol in self.symbols), *computed]
        dims = [AffineExpr.dimension(n) for n in range(len(operands))]
        apply = tir.ApplyOp(
            expr.replace_dims_and_symbols(dims, dims[: len(self.symbols)]), operands
        )
        apply.location = loc_attr(location)
        self.block.add_op(apply)
        return apply.result

    # Computes ------------------------------------------------------------------------------

    def _compute(self, op: ComputeOp, step: Block | None = None) -> None:
        """``op`` as a ``te.compute``; in the region ``step`` of a scan, one row of it."""
        fixed: dict[IterVar, SSAValue] = {}
        if step is not None:
            fixed[op.axis[0]] = step.args[0]
        spatial, bodies = op.axis[len(fixed) :], op.bodies
        lane = lane_axis(op)
        if lane is not None:
            spatial, bodies = [*spatial, lane], tuple(map(Lane(lane), bodies))
        axes, first = [*spatial, *op.reduce_axis], bodies[0]
        combiner = where = init = None
        if isinstance(first, Reduce):
            bodies = (*first.values, *first.captured)
            combiner = self._combiner(first)
            if first.condition is not None:
                where = self._where(axes, fixed, first.condition)
            if first.init is not None:
                init = self._region(spatial, fixed, first.init, op.location)
        own = [axis for axis in op.reduce_axis if depends_on_element(op.extent_of(axis))]
        extents_of_own = {axis: op.extent_of(axis) for axis in own}
        domain = self._domain(spatial, fixed, extents_of_own) if own else None
        extents = [
            (axis.name, None if axis in own else self._extent(op.extent_of(axis), op))
            for axis in axes
        ]
        compute = te.ComputeOp(
            self.names[op],
            [(name, extent) for name, extent in extents[: len(spatial)] if extent is not None],
            self._region(axes, fixed, bodies, first.location or op.location),
            [self._tensor_type(tensor, len(fixed)) for tensor in op.outputs],
            extents[len(spatial) :],
            combiner,
            where,
            init,
            domain,
        )
        compute.location = loc_attr(op.location)
        if isinstance(first, Reduce) and isinstance(first.combiner, CommReducer):
            self._check_laws(compute, first, first.combiner)
        (self.block if step is None else step).add_op(compute)
        self.values.update(zip(op.outputs, compute.results, strict=True))

    def _check_laws(self, compute: te.ComputeOp, reduce: Reduce, combiner: CommReducer) -> None:
        """Refuse (KC2046) a combiner that violates the laws that schedules rely on."""
        if combiner.laws != "known":
            unsigned = [not is_signed(scalar(value.dtype)) for value in reduce.values]
            require_laws(
                compute,
                unsafe=combiner.laws == "vouched",
                error=TEError,
                unsigned=unsigned,
                location=reduce.location,
                has_empty_parts=combiner.laws == "checked for empty parts",
            )

    def _domain(
        self,
        axes: Sequence[IterVar],
        fixed: Mapping[IterVar, SSAValue],
        reduce: Mapping[IterVar, ExprLike],
    ) -> Region:
        """The region over ``axes`` that yields the extents of the axes in ``reduce``."""
        scope = self._scope(axes, fixed)
        end = te.YieldOp(*[scope.index(extent) for extent in reduce.values()])
        end.location = loc_attr(next(iter(reduce)).location)
        scope.block.add_op(end)
        return Region(scope.block)

    def _extern(self, op: ExternOp) -> None:
        from kc.analysis.module_copy import copy_region  # which imports what only builds need

        sizes = [
            self._extent(dim, op)
            for buffer in op.output_placeholders
            for dim in buffer.shape
            if not isinstance(dim, int)
        ]
        extern = te.ExternOp(
            self.names[op],
            [self.values[operand] for operand in (*op.inputs, *op.code.scalars)],
            [self._tensor_type(tensor) for tensor in op.outputs],
            [size for size in sizes if not isinstance(size, int)],
            copy_region(op.code.region),
        )
        extern.location = loc_attr(op.location)
        self.block.add_op(extern)
        self.values.update(zip(op.outputs, extern.results, strict=True))

    def _scan(self, op: ScanOp) -> None:
        states = op.state_placeholder
        time = op.update[0].op.axis[0].name
        scan = te.ScanOp(
            self.names[op],
            time,
            self._extent(states[0].shape[0], op),
            [self.values[tensor] for tensor in op.init],
            [self._tensor_type(state) for state in states],
        )
        scan.location = loc_attr(op.location)
        for state, arg in zip(states, scan.states, strict=True):
            arg.name_hint = state.name
            self.values[state] = arg
        step = scan.body.block
        for compute in op.steps:
            assert isinstance(compute, ComputeOp)
            self._compute(compute, step)
        end = te.YieldOp(*[self.values[tensor] for tensor in op.update])
        end.location = scan.location
        step.add_op(end)
        self.block.add_op(scan)
        self.values.update(zip(op.outputs, scan.results, strict=True))

    def _scope(self, axes: Sequence[IterVar], fixed: Mapping[IterVar, SSAValue]) -> Body:
        """An empty block over ``axes``; the axes in ``fixed`` have values already."""
        block = Block(arg_types=[tir.INDEX] * len(axes))
        for arg, axis in zip(block.args, axes, strict=True):
            arg.name_hint = axis.name
        bound = {**fixed, **dict(zip(axes, block.args, strict=True))}
        return Body(block, bound, self.values, self.rows)

    def _region(
        self,
        axes: Sequence[IterVar],
        fixed: Mapping[IterVar, SSAValue],
        exprs: Sequence[Expr],
        location: Location | None,
    ) -> Region:
        """The region over ``axes`` that yields ``exprs``."""
        scope = self._scope(axes, fixed)
        end = te.YieldOp(*[scope.value(expr) for expr in exprs])
        end.location = loc_attr(location)
        scope.block.add_op(end)
        return Region(scope.block)

    def _where(
        self, axes: Sequence[IterVar], fixed: Mapping[IterVar, SSAValue], condition: Expr
    ) -> Region:
        """The region over ``axes`` that computes ``condition``."""
        scope = self._scope(axes, fixed)
        constraints, operands, non_affine = scope.conditions(condition)
        value: SSAValue | None = None
        for conjunct in non_affine:
            holds = scope.value(conjunct)
            value = (
                holds if value is None else scope.add(arith.AndIOp(value, holds), conjunct.location)
            )
        end = te.ConditionOp(AffineSet(len(operands), 0, tuple(constraints)), operands, value)
        end.location = loc_attr(condition.location)
        scope.block.add_op(end)
        return Region(scope.block)

    def _combiner(self, reduce: Reduce) -> te.Combiner | te.UserCombiner:
        own = reduce.combiner
        if not isinstance(own, CommReducer):
            unsigned = own in ("min", "max") and reduce.dtype in (*UINTS, "bool")
            return te.Combiner(f"u{own}" if unsigned else own)
        scope = Body(Block(), {}, self.values, self.rows)
        for operand in (*own.lhs, *own.rhs, *own.captures):
            arg = scope.block.insert_arg(element_type(operand.dtype), len(scope.block.args))
            arg.name_hint = operand.name
            scope.memo[operand] = arg
        end = te.YieldOp(*[scope.value(expr) for expr in own.result])
        end.location = loc_attr(reduce.location)
        scope.block.add_op(end)
        identity = [constant_attr(neutral.value, neutral.dtype) for neutral in own.identity]
        return te.UserCombiner(own.name, Region(scope.block), identity)
