"""The raising of a function: its signature, and its ops in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.rewriter import Rewriter

from kc.analysis.affine.simplify_affine import UNBOUNDED, simplify
from kc.conversion._te_blocks import copy_nest
from kc.conversion.driver import ConversionTarget, require_legal
from kc.conversion.raise_to_tir.nests import Emitter, Extent, View
from kc.conversion.raise_to_tir.requirements import Requirements
from kc.conversion.raise_to_tir.sizes import Sizes
from kc.conversion.raise_to_tir.structured import index_constant
from kc.conversion.raise_to_tir.tensors import Empty, Held, Splat, Tensors
from kc.dialects import tir
from kc.dialects.affine_maps import replace_operands
from kc.dialects.gpu import LaunchFuncOp
from kc.dialects.size_requirements import set_requirements
from kc.support.diagnostics import CodegenError
from kc.support.fresh_names import fresh_name
from kc.support.locations import location_of
from kc.transforms.tir.storage.apply_strides import STRIDES, strides_attr, strides_of_type

TARGET = ConversionTarget("raise-to-tir", illegal=("affine", "linalg", "tensor"))


def _tensors(values: Sequence[SSAValue]) -> list[SSAValue]:
    return [value for value in values if isinstance(value.type, TensorType)]


def without_strides(type_: Attribute) -> Attribute:
    """The buffer type of an argument without its strides, which are determined by the call."""
    if isinstance(type_, MemRefType) and isinstance(type_.layout, StridedLayoutAttr):
        return MemRefType(type_.element_type, type_.shape, NoneAttr(), type_.memory_space)
    return type_


class FunctionRaiser(Emitter):
    """Builds the function of loops beside the source, so that a refusal changes nothing.

    (The type checker sees this class under two module paths, of the folder and of the package.)
    """

    def __init__(
        self, source: func.FuncOp, taken: set[str], patterns: tuple[type[RewritePattern], ...]
    ) -> None:
        super().__init__(patterns)
        self.source = source
        self.taken = taken
        """Symbols of the module."""
        self.sizes_known = Sizes(source)
        self.symbols = self.sizes_known.symbols
        self.requirements = Requirements(self)  # pyright: ignore[reportArgumentType]
        self.variables: dict[tir.ForOp, SSAValue] = {}
        """For each loop, the value of its original variable: start + step * variable."""
        self.skipped: set[Operation] = set()
        """Stores of carried values that are already in their place."""
        self.tensors = Tensors(self)  # pyright: ignore[reportArgumentType]
        self.tables: list[memref.GlobalOp] = []
        """The constant tables of the function."""
        self.entry: Block
        """The body of the new function."""
        self.outputs: list[SSAValue] = []
        self.attrs: list[dict[str, Attribute]] = []

    # Signature -------------------------------------------------------------------------------

    def run(self) -> func.FuncOp:
        """Build the new function; the source stays unchanged."""
        source = self.source
        self._require_structured(source)
        returned = list(source.function_type.outputs)
        results = [type_ for type_ in returned if isinstance(type_, TensorType)]
        scalars = [type_ for type_ in returned if not isinstance(type_, TensorType)]
        if any(isinstance(type_, MemRefType | UnrankedMemRefType) for type_ in scalars):
            raise CodegenError(
                "KC4550",
                f"raise-to-tir: @{source.sym_name.data} returns a memref",
                location=location_of(source),
                why="the caller allocates the results of a kernel, which writes them into "
                "arguments",
                hints=["take a memref to copy the result to", "return a tensor"],
            )
        inputs = [
            self._with_known_sizes(self.check_buffer(without_strides(arg.type), source), n)
            for n, arg in enumerate(source.args)
        ]
        outputs = [self.check_buffer(type_, source) for type_ in results]
        new = func.FuncOp(source.sym_name.data, ([*inputs, *outputs], scalars))
        new.location = source.location
        new.attributes.update(source.attributes)
        if source.sym_visibility is not None:
            new.sym_visibility = source.sym_visibility
        entry = self.entry = new.body.block
        self.at = entry
        args = entry.args
        for old, arg in zip(source.args, args, strict=False):
            arg.name_hint, arg.location = old.name_hint, old.location
            self.values[old] = arg
        self.outputs = list(args[len(inputs) :])
        self._arguments(inputs, results, args)
        self._plan_outputs()
        self.convert(source.body.block)
        require_legal(TARGET, new.walk())
        for arg, attrs in zip(self.outputs, self.attrs[len(inputs) :], strict=True):
            assert isinstance(arg.type, MemRefType)
            sizes: Sequence[Extent] = self.buffer_sizes[arg]
            declared = attrs.get("kc.shape")
            if isinstance(declared, AffineMapAttr):  # a constant may be computed
                sizes = [
                    expr.value if isinstance(expr, AffineConstantExpr) else size
                    for expr, size in zip(declared.data.results, sizes, strict=True)
                ]
            shape = [
                inferred if size == tir.DYNAMIC and isinstance(inferred, int) else size
                for size, inferred in zip(arg.type.get_shape(), sizes, strict=True)
            ]
            Rewriter.replace_value_with_new_type(arg, MemRefType(arg.type.element_type, shape))
        new.function_type = FunctionType.from_lists([arg.type for arg in entry.args], scalars)
        new.arg_attrs = ArrayAttr([DictionaryAttr(attrs) for attrs in self.attrs])
        if self.symbols:
            new.attributes["kc.symbols"] = ArrayAttr(
                [StringAttr(symbol) for symbol in self.symbols]
            )
        set_requirements(new, self.requirements.listed(self.symbols), len(self.symbols))
        return new

    def _require_structured(self, op: Operation) -> None:
        """Refuse branches: KC4550."""
        for region in op.regions:
            if len(region.blocks) > 1:
                end = region.blocks[0].last_op
                raise CodegenError(
                    "KC4550",
                    f"raise-to-tir: {end.name if end is not None else op.name} has no counterpart "
                    "in tir",
                    location=location_of(end),
                    why="there are loops and conditions in tir, and no branches",
                    hints=["mlir-opt -lift-cf-to-scf converts branches to loops and conditions"],
                )

    def _with_known_sizes(self, type_: Attribute, n: int) -> Attribute:
        """The type of an argument, with the constant sizes that follow from its uses."""
        if not isinstance(type_, MemRefType):
            return type_
        sizes = [self.argument_size(n, dim) for dim in range(type_.get_num_dims())]
        shape = [
            size.value if isinstance(size, AffineConstantExpr) else tir.DYNAMIC for size in sizes
        ]
        return MemRefType(type_.element_type, shape, type_.layout, type_.memory_space)

    def argument_size(self, n: int, dim: int) -> AffineExpr:
        """The size of an argument's dimension over the symbols of the function."""
        arg = self.source.args[n]
        assert isinstance(arg.type, MemRefType | TensorType)
        size: int | str = arg.type.get_shape()[dim]
        if size == tir.DYNAMIC:
            attrs = self.source.arg_attrs
            declared = attrs.data[n].data.get("kc.shape") if attrs is not None else None
            if isinstance(declared, AffineMapAttr):
                return declared.data.results[dim]
            size = self.sizes_known.of(arg, dim)
        if isinstance(size, int):
            return AffineExpr.constant(size)
        return AffineExpr.symbol(self.symbols.index(size))

    def check_buffer(self, type_: Attribute, op: Operation) -> Attribute:
        """The buffer type of a value; KC4552 for one that is not dense."""
        if isinstance(type_, TensorType):
            return MemRefType(type_.element_type, type_.shape)
        if isinstance(type_, MemRefType) and not isinstance(type_.layout, NoneAttr):
            raise CodegenError(
                "KC4552",
                f"raise-to-tir: {type_} has a layout",
                location=location_of(op),
                why="buffers are dense and row-major",
                hints=["pass the whole buffer, and index its part"],
            )
        return type_

    def _arguments(
        self, inputs: Sequence[Attribute], results: Sequence[Attribute], args: Sequence[SSAValue]
    ) -> None:
        """Set the attributes of the arguments, and define their sizes."""
        source = self.source
        old = list(source.arg_attrs.data) if source.arg_attrs is not None else []
        old += [DictionaryAttr({})] * (len(inputs) - len(old))
        old += source.res_attrs.data if source.res_attrs is not None else []
        old += [DictionaryAttr({})] * (len(args) - len(old))
        symbol_values: dict[str, SSAValue] = {}
        taken = {
            name.data
            for old_attrs in old
            if isinstance(name := old_attrs.data.get("kc.name"), StringAttr)
        }
        for n, (arg, old_attrs) in enumerate(zip(args, old, strict=True)):
            attrs = dict(old_attrs.data)
            is_input = n < len(inputs)
            if "kc.name" not in attrs:
                name = arg.name_hint or (
                    f"arg{n}" if is_input else self._result_name(n - len(inputs))
                )
                # Name hints have no numeric suffix, so several values may have the same hint.
                attrs["kc.name"] = StringAttr(fresh_name(name, taken))
            if not is_input and arg.name_hint is None:
                arg.name_hint = attrs["kc.name"].data  # pyright: ignore
            label = attrs["kc.name"]
            assert isinstance(label, StringAttr)
            strides = strides_of_type(source.args[n].type, label.data) if is_input else None
            if strides is not None:
                attrs.setdefault(STRIDES, strides_attr(strides))
            is_tensor = not is_input or isinstance(source.args[n].type, TensorType)
            if is_tensor:
                attrs.setdefault("kc.role", StringAttr("in" if is_input else "out"))
            self.attrs.append(attrs)
            if not isinstance(arg.type, MemRefType):
                continue
            if is_input:
                self.buffer_sizes[arg] = self._argument_sizes(n, attrs, symbol_values)
                if is_tensor:
                    self.tensors.values[source.args[n]] = Held(arg)
                    self.tensors.inputs.add(arg)
            elif tir.DYNAMIC not in arg.type.get_shape():
                self.buffer_sizes[arg] = list(arg.type.get_shape())

    def _result_name(self, n: int) -> str:
        """The name of an output: that of the returned value, if it has one."""
        end = self.source.body.block.last_op
        assert end is not None
        value = _tensors(end.operands)[n]
        hint = value.name_hint
        return hint if isinstance(value.owner, Operation) and hint is not None else "out"

    def _argument_sizes(
        self, n: int, attrs: dict[str, Attribute], symbol_values: dict[str, SSAValue]
    ) -> list[int | SSAValue]:
        def symbol(position: int) -> SSAValue:
            name = self.symbols[position]
            if name not in symbol_values:
                symbol_values[name] = self.emit(tir.SymbolOp(name), self.source).results[0]
            return symbol_values[name]

        type_ = self.source.args[n].type
        assert isinstance(type_, MemRefType | TensorType)
        shape = [self.argument_size(n, dim) for dim in range(type_.get_num_dims())]
        sizes: list[int | SSAValue] = []
        for expr in shape:
            used = sorted({part.position for part in expr.dfs() if isinstance(part, AffineSymExpr)})
            dims = [
                AffineExpr.dimension(used.index(m) if m in used else 0)
                for m in range(len(self.symbols))
            ]
            local = expr.replace_dims_and_symbols((), dims)
            sizes.append(self.apply(local, [symbol(m) for m in used], self.source))
        if not all(isinstance(size, int) for size in sizes):
            attrs["kc.shape"] = AffineMapAttr(AffineMap(0, len(self.symbols), tuple(shape)))
        else:
            attrs.pop("kc.shape", None)
        return sizes

    def _plan_outputs(self) -> None:
        """Plan the values that can be computed directly in the output arguments."""
        end = self.source.body.block.last_op
        assert end is not None
        for value, arg in zip(_tensors(end.operands), self.outputs, strict=True):
            self.tensors.plan(value, arg)

    def return_(self, op: func.ReturnOp) -> None:
        """Copy results that are not yet in their output arguments."""
        first = len(self.source.args)
        for n, (value, arg) in enumerate(zip(_tensors(op.operands), self.outputs, strict=True)):
            held = self.tensors.values[value]
            sizes = self.tensors.sizes(value)
            self.buffer_sizes.setdefault(arg, sizes)
            assert isinstance(arg.type, MemRefType)
            if tir.DYNAMIC in arg.type.get_shape():
                self._note_shape(self.attrs[first + n], sizes, n, op)
            if isinstance(held, Splat):
                self.fill(held.scalar, arg, sizes, "fill", op)
            elif isinstance(held, Held) and held.buffer is not arg:
                self.emit(copy_nest(held.buffer, arg, self.label("copy"), sizes), op)
            assert not isinstance(held, Empty) or arg.first_use is None
        for attrs in self.attrs:
            shape = attrs.get("kc.shape")
            if isinstance(shape, AffineMapAttr):
                # The sizes became arguments after the arrays whose shapes use them, so the shapes
                # are updated.
                space = AffineMap(0, len(self.symbols), shape.data.results)
                attrs["kc.shape"] = AffineMapAttr(space)
        scalars = [value for value in op.operands if not isinstance(value.type, TensorType)]
        self.emit(func.ReturnOp(*map(self.value, scalars)), op)

    def _note_shape(
        self, attrs: dict[str, Attribute], sizes: Sequence[Extent], n: int, op: Operation
    ) -> None:
        """Record in ``attrs`` the sizes of the n-th result over the symbols of the function."""
        declared = attrs.get("kc.shape")
        if isinstance(declared, AffineMapAttr):
            for size, expr in zip(sizes, declared.data.results, strict=True):
                what = "returns a result with the sizes that its kc.shape declares"
                self.requirements.equal(size, self.requirements.over_atoms(expr), op, what)
            return
        if all(isinstance(size, int) for size in sizes):
            return
        exprs = [self.requirements.symbol_expr(size, op) for size in sizes]
        affine = [expr for expr in exprs if expr is not None]
        if affine != exprs:
            raise CodegenError(
                "KC4551",
                f"raise-to-tir: the size of result {n} of @{self.source.sym_name.data} is not a "
                "function of the sizes of its arguments",
                location=location_of(op),
                why="the caller allocates the result, so its shape must follow from the arguments",
                hints=[
                    "compute the size from tensor.dim of arguments, or pass it as an index argument"
                ],
            )
        attrs["kc.shape"] = AffineMapAttr(AffineMap(0, len(self.symbols), tuple(affine)))

    def scalar_symbol(self, index: int, hint: str | None) -> str:
        """The symbol whose value is an integer argument; it is created if missing."""
        symbol = self.attrs[index].get("kc.symbol")
        if isinstance(symbol, StringAttr):
            return symbol.data
        name = fresh_name(hint or f"arg{index}", set(self.symbols))
        self.symbols.append(name)
        self.attrs[index]["kc.symbol"] = StringAttr(name)
        return name

    def table(
        self, name: str, type_: MemRefType, value: DenseIntOrFPElementsAttr, source: Operation
    ) -> SSAValue:
        """The buffer of a constant table."""
        symbol = fresh_name(f"{self.source.sym_name.data}_{name}", self.taken)
        table = memref.GlobalOp.get(StringAttr(symbol), type_, value, constant=UnitAttr())
        table.location = source.location
        self.tables.append(table)
        read = self.emit(memref.GetGlobalOp(symbol, type_), source)
        read.results[0].name_hint = name
        self.buffer_sizes[read.results[0]] = list(type_.get_shape())
        return read.results[0]

    # Index values ----------------------------------------------------------------------------

    def extent(self, old: SSAValue) -> Extent:
        """The extent of a size value: a number if it is constant."""
        value = self.value(old)
        owner = value.owner
        if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
            return owner.value.value.data
        return value

    def extents(self, olds: Iterable[SSAValue]) -> list[Extent]:
        """The extents of size values."""
        return [self.extent(old) for old in olds]

    def index_value(self, size: Extent, source: Operation) -> SSAValue:
        """A size as a value."""
        if isinstance(size, int):
            return self.emit(index_constant(size), source).results[0]
        return size

    def apply(self, expr: AffineExpr, operands: Sequence[Extent], source: Operation) -> Extent:
        """An affine expression of sizes or indices: a number, an operand, or a ``tir.apply``.

        In a semi-affine expression, products and divisions by values become ops of ``arith``.
        """
        (simplified,), values = self._simplified([expr], operands, source)
        if isinstance(simplified, AffineConstantExpr):
            return simplified.value
        if isinstance(simplified, AffineDimExpr):
            return values[simplified.position]
        return self.emit(tir.ApplyOp(simplified, values), source).results[0]

    def extreme(
        self,
        kind: tir.ExtremeKind,
        exprs: Sequence[AffineExpr],
        operands: Sequence[Extent],
        source: Operation,
    ) -> Extent:
        """The minimum or maximum of affine expressions of sizes or indices."""
        parts, values = self._simplified(exprs, operands, source)
        numbers = [part.value for part in parts if isinstance(part, AffineConstantExpr)]
        rest = [part for part in dict.fromkeys(parts) if not isinstance(part, AffineConstantExpr)]
        number = (min(numbers) if kind == "min" else max(numbers)) if numbers else None
        if not rest:
            assert number is not None
            return number
        if number is None and len(rest) == 1:
            return self.apply(rest[0], values, source)
        groups = [[part] for part in rest]
        if number is not None:
            groups.append([AffineExpr.constant(number)])
        return self.emit(tir.ApplyOp.of_groups(kind, groups, values), source).results[0]

    def _simplified(
        self, exprs: Sequence[AffineExpr], operands: Sequence[Extent], source: Operation
    ) -> tuple[list[AffineExpr], list[SSAValue]]:
        """``exprs`` over the operands that are not numbers."""
        operands = list(operands)
        exprs = [
            expr if expr.is_pure_affine() else self._without_products(expr, operands, source)
            for expr in exprs
        ]
        values: list[SSAValue] = []
        dims: list[AffineExpr] = []
        for operand in operands:
            if isinstance(operand, int):
                dims.append(AffineExpr.constant(operand))
                continue
            if operand not in values:
                values.append(operand)
            dims.append(AffineExpr.dimension(values.index(operand)))
        ranges = [UNBOUNDED] * len(values)
        return [simplify(expr.replace_dims_and_symbols(dims, ()), ranges) for expr in exprs], values

    def _without_products(
        self, expr: AffineExpr, operands: list[Extent], source: Operation
    ) -> AffineExpr:
        """``expr`` with its semi-affine parts replaced by additional ``operands``."""
        if not isinstance(expr, AffineBinaryOpExpr) or expr.is_pure_affine():
            return expr
        lhs, rhs = (self._without_products(side, operands, source) for side in (expr.lhs, expr.rhs))
        if expr.kind is AffineBinaryOpKind.Add or isinstance(rhs, AffineConstantExpr):
            return AffineExpr.binary(expr.kind, lhs, rhs)
        sides = self.apply(lhs, operands, source), self.apply(rhs, operands, source)
        if expr.kind is AffineBinaryOpKind.Mul:
            operands.append(self.product(*sides, source))
            return AffineExpr.dimension(len(operands) - 1)
        what = "divides by at least 1"
        self.requirements.at_least(sides[1], 1, source, what)
        if isinstance(sides[1], int):
            operands.append(sides[0])
            whole = AffineExpr.dimension(len(operands) - 1)
            return AffineExpr.binary(expr.kind, whole, AffineExpr.constant(sides[1]))
        values = [self.index_value(side, source) for side in sides]
        divide = (
            arith.CeilDivSIOp if expr.kind is AffineBinaryOpKind.CeilDiv else arith.FloorDivSIOp
        )
        quotient = self.emit(divide(values[0], values[1]), source).results[0]
        operands.append(quotient)
        if expr.kind is AffineBinaryOpKind.Mod:
            multiple = self.emit(arith.MuliOp(quotient, values[1]), source).results[0]
            rest = self.emit(arith.SubiOp(values[0], multiple), source).results[0]
            operands.append(rest)
        return AffineExpr.dimension(len(operands) - 1)

    def quotient(self, whole: Extent, by: Extent, source: Operation) -> Extent:
        """``whole floordiv by``; ``by`` is at least 1."""
        divide = AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, AffineDimExpr(0), AffineSymExpr(0))
        return self.apply(self._over_pair(divide, by), [whole, by], source)

    def remainder(self, whole: Extent, by: Extent, source: Operation) -> Extent:
        """``whole mod by``; ``by`` is at least 1."""
        divide = AffineBinaryOpExpr(AffineBinaryOpKind.Mod, AffineDimExpr(0), AffineSymExpr(0))
        return self.apply(self._over_pair(divide, by), [whole, by], source)

    @staticmethod
    def _over_pair(expr: AffineExpr, by: Extent) -> AffineExpr:
        divisor = AffineExpr.constant(by) if isinstance(by, int) else AffineDimExpr(1)
        return replace_operands(expr, [AffineDimExpr(0)], [divisor])

    def product(self, lhs: Extent, rhs: Extent, source: Operation) -> Extent:
        """The product of two sizes."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs * rhs
        if isinstance(lhs, int) or isinstance(rhs, int):
            dims = AffineExpr.dimension(0), AffineExpr.dimension(1)
            constant, value = (lhs, rhs) if isinstance(lhs, int) else (rhs, lhs)
            assert isinstance(constant, int)
            return self.apply(dims[0] * constant, [value], source)
        return self.emit(arith.MuliOp(lhs, rhs), source).results[0]

    def view(
        self,
        result: SSAValue,
        source: SSAValue,
        exprs: Sequence[AffineExpr],
        outer: Sequence[SSAValue],
        sizes: Sequence[Extent],
    ) -> None:
        """Define ``result`` as a view of ``source``, with ``exprs`` over its indices and
        ``outer``.
        """
        assert isinstance(result.type, MemRefType)
        space = AffineMap(len(sizes) + len(outer), 0, tuple(exprs))
        operands: list[SSAValue] = [*outer]
        dims = [AffineDimExpr(n) for n in range(len(sizes))]
        buffer = self.value(source)
        view = self.views.get(buffer)
        if view is not None:
            at = [
                *space.results,
                *(AffineDimExpr(space.num_dims + n) for n in range(len(view.outer))),
            ]
            exprs = [expr.replace_dims_and_symbols(at, ()) for expr in view.exprs]
            buffer, operands = view.buffer, [*operands, *view.outer]
        ranges = [(0, size - 1) if isinstance(size, int) else (0, None) for size in sizes]
        ranges += [UNBOUNDED] * len(operands)
        exprs = [simplify(expr, ranges) for expr in exprs]
        is_whole = not operands and list(exprs) == dims
        if is_whole and list(sizes) == list(self.sizes_of(buffer)):
            self.values[result] = buffer
            return
        mark = UnrealizedConversionCastOp.get([], [without_strides(result.type)]).results[0]
        self.views[mark] = View(buffer, tuple(exprs), tuple(operands))
        self.buffer_sizes[mark] = list(sizes)
        self.values[result] = mark

    def sizes_of(self, buffer: SSAValue) -> list[Extent]:
        """The sizes of a buffer; unknown sizes are loaded from it."""
        cached = self.buffer_sizes.get(buffer)
        if cached is not None:
            return cached
        assert isinstance(buffer.type, MemRefType)
        sizes: list[Extent] = []
        for n, size in enumerate(buffer.type.get_shape()):
            if size == tir.DYNAMIC:
                index = index_constant(n)
                self.add(index)
                read = memref.DimOp.from_source_and_index(buffer, index.result)
                self.add(read)
                sizes.append(read.result)
            else:
                sizes.append(size)
        return sizes

    def readable(self, old: SSAValue, new: SSAValue) -> SSAValue:
        """The buffer to read an element from, or the scalar that all elements equal."""
        if old in self.tensors.values:
            return self.tensors.operand(old, self.source)
        return new

    # Ops -------------------------------------------------------------------------------------

    def is_converted(self, result: SSAValue) -> bool:
        """True if the translation of a value or tensor is defined."""
        return result in self.values or result in self.tensors.values

    def copy(self, op: Operation) -> None:
        """Copy an op that stays: one on scalars, or on whole memrefs."""
        involved = (*op.operands, *op.results)
        foreign = op.name.startswith(("linalg.", "affine.", "tensor."))
        if foreign or any(isinstance(value.type, TensorType) for value in involved):
            raise CodegenError(
                "KC4550",
                f"raise-to-tir: {op.name} has no counterpart in tir",
                location=location_of(op),
                why="it works on tensors"
                if any(isinstance(value.type, TensorType) for value in involved)
                else "raise-to-tir has no rule for this op",
                hints=["kc-opt --explain=KC4550 lists the supported ops"],
            )
        for result in op.results:
            self.check_buffer(result.type, op)
        views = [operand for operand in op.operands if self.value(operand) in self.views]
        if not isinstance(op, LaunchFuncOp):
            self.require_own_buffer(op)
        self._require_structured(op)
        if op.regions:
            self.emit(self.with_regions(op), op)
            return
        values = dict(self.values)
        for operand in views:
            values[operand] = self._view_again(operand, op)
        for operand in op.operands:
            value = values.get(operand) or self.value(operand)
            if isinstance(operand.type, MemRefType) and value.type != operand.type:
                # The value has a more static type than the operation accepts.
                cast = memref.CastOp.get(value, operand.type)
                values[operand] = self.emit(cast, op).results[0]
        self.emit(clone := op.clone(values), op)
        for old, new in zip(op.results, clone.results, strict=True):
            self.values[old] = new

    def require_own_buffer(self, op: Operation) -> None:
        """Refuse an op that takes a whole buffer if its operand is a view: KC4552."""
        if any(self.value(operand) in self.views for operand in op.operands):
            raise CodegenError(
                "KC4552",
                f"raise-to-tir: {op.name} takes a view of a buffer",
                location=location_of(op),
                why="accesses to a view become accesses to its buffer, but this op uses the view "
                "as a whole",
                hints=["copy it into a buffer of its own (memref.alloc, memref.copy)"],
            )

    def _view_again(self, view: SSAValue, user: Operation) -> SSAValue:
        """The view as a memref. A kernel that receives one computes its addresses itself."""
        value = self.value(view)
        if value not in self.views:
            return value
        maker = view.owner
        if not isinstance(maker, memref.SubviewOp | memref.ReinterpretCastOp | memref.CastOp):
            raise CodegenError(
                "KC4552",
                f"raise-to-tir: {user.name} uses a view that is not a part of a buffer",
                location=location_of(user),
                why="kernels take memref.subview, memref.reinterpret_cast and memref.cast",
                hints=["copy it into a buffer of its own (memref.alloc, memref.copy)"],
            )
        source = maker.operands[0]
        operands = [self._view_again(source, user), *map(self.value, maker.operands[1:])]
        if operands[0].type != source.type:
            assert isinstance(source.type, MemRefType)
            operands[0] = self.emit(memref.CastOp.get(operands[0], source.type), user).results[0]
        again = maker.clone(dict(zip(maker.operands, operands, strict=True)))
        return self.emit(again, maker).results[0]

    def with_regions(self, op: Operation) -> Operation:
        """A copy of ``op`` with its regions raised."""
        regions: list[Region] = []
        for region in op.regions:
            raised = Region()
            for block in region.blocks:
                inner = Block(arg_types=[arg.type for arg in block.args])
                for old, arg in zip(block.args, inner.args, strict=True):
                    arg.name_hint = old.name_hint
                    self.values[old] = arg
                raised.add_block(inner)
                self.into(inner, lambda block=block: self.convert(block))
            regions.append(raised)
        made_op = type(op).create(
            operands=[self.values.get(operand, operand) for operand in op.operands],
            result_types=[result.type for result in op.results],
            properties=op.properties,
            attributes=op.attributes,
            regions=regions,
        )
        for old, new in zip(op.results, made_op.results, strict=True):
            new.name_hint = old.name_hint
            self.values[old] = new
        return made_op
