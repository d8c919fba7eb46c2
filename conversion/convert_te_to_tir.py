"""convert-te-to-tir: every ``te.func`` becomes a ``func.func`` of loops around blocks.

Before::

    te.func @row_sum(%A: tensor<8x4xf32>) -> tensor<8xf32> {
      %S = te.compute "S" [%i = 8] reduce sum [%k = 4] { ... te.yield %a : f32 } : tensor<8xf32>
      te.return %S : tensor<8xf32>
    }

After::

    func.func @row_sum(%A: memref<8x4xf32>, %S: memref<8xf32>) {
      tir.for %i in 8 {
        tir.for %k in 4 {
          tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 4 = %k) init { ... } do { ... }

Inputs keep their order; results become trailing arguments (``kc.arg_order`` permutes them);
tensors that are not returned become ``tir.alloc``.

Legal set: no op of ``te`` remains. (TVM: ``te.create_prim_func``.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from kc.analysis.bounds import out_of_bounds
from kc.dialects import te, tir
from kc.support.diagnostics import CodegenError, TEError
from kc.support.locations import location_of


@dataclass(frozen=True)
class ConvertTeToTirPass(ModulePass):
    """Turn tensor expressions into loops around blocks."""

    name = "convert-te-to-tir"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [one for one in op.body.ops if isinstance(one, te.FuncOp)]
        converted = [convert_function(one) for one in functions]
        for old, new in zip(functions, converted, strict=True):
            Rewriter.replace_op(old, new, [])


_COMBINE: dict[te.Combiner, tuple[Callable[..., Operation], Callable[..., Operation]]] = {
    te.Combiner.SUM: (arith.AddfOp, arith.AddiOp),
    te.Combiner.PROD: (arith.MulfOp, arith.MuliOp),
    te.Combiner.MIN: (arith.MinimumfOp, arith.MinSIOp),
    te.Combiner.MAX: (arith.MaximumfOp, arith.MaxSIOp),
    te.Combiner.UMIN: (arith.MinUIOp, arith.MinUIOp),
    te.Combiner.UMAX: (arith.MaxUIOp, arith.MaxUIOp),
}


def identity_attr(combiner: te.Combiner, element: Attribute) -> IntegerAttr | FloatAttr:
    """The neutral element of ``combiner`` for elements of type ``element``."""
    if isinstance(element, IntegerType):
        width = element.width.data
        value = {
            te.Combiner.SUM: 0,
            te.Combiner.PROD: 1,
            te.Combiner.MIN: (1 << (width - 1)) - 1,
            te.Combiner.MAX: -(1 << (width - 1)),
            te.Combiner.UMIN: -1,
            te.Combiner.UMAX: 0,
        }[combiner]
        return IntegerAttr(value, element)
    assert isinstance(element, AnyFloat)
    values = {
        te.Combiner.SUM: 0.0,
        te.Combiner.PROD: 1.0,
        te.Combiner.MIN: math.inf,
        te.Combiner.MAX: -math.inf,
    }
    return FloatAttr(values[combiner], element)


def combine(combiner: te.Combiner, lhs: SSAValue, rhs: SSAValue) -> Operation:
    """The op that applies ``combiner`` to two scalars."""
    float_op, int_op = _COMBINE[combiner]
    op_type = int_op if isinstance(lhs.type, IntegerType) else float_op
    return op_type(lhs, rhs)


class _FunctionConverter:
    """Converts one ``te.func``; builds the new function aside, so a refusal changes nothing."""

    def __init__(self, source: te.FuncOp) -> None:
        self.source = source
        self.values: dict[SSAValue, SSAValue] = {}
        symbols = source.attributes.get("kc.symbols")
        self.symbols = (
            [one.data for one in symbols if isinstance(one, StringAttr)]
            if isinstance(symbols, ArrayAttr)
            else []
        )

    def convert(self) -> func.FuncOp:
        source = self.source
        returned = list(source.return_op.values)
        inputs = [_memref(one) for one in source.function_type.inputs]
        outputs = [_memref(one) for one in source.function_type.outputs]
        machine = [*inputs, *outputs]
        order = self._arg_order(len(machine))
        new = func.FuncOp(source.sym_name.data, ([machine[n] for n in order], []))
        new.location = source.location
        new.attributes.update(source.attributes)
        new.attributes.pop("kc.arg_order", None)
        entry = new.body.block
        args = [entry.args[order.index(n)] for n in range(len(machine))]
        old_args = source.body.block.args
        for old, arg in zip(old_args, args, strict=False):
            arg.name_hint = old.name_hint
            arg.location = old.location
            self.values[old] = arg
        out_args = args[len(inputs) :]
        copies: list[tuple[SSAValue, SSAValue]] = []
        for value, arg in zip(returned, out_args, strict=True):
            if value in self.values:
                # An input, or a tensor returned twice: it is copied into its argument.
                arg.name_hint = f"{value.name_hint or 'out'}_copy"
                copies.append((value, arg))
            else:
                arg.name_hint = value.name_hint
                self.values[value] = arg
        attrs = self._arg_attrs(args, returned)
        new.arg_attrs = ArrayAttr([attrs[n] for n in order])
        names = {one.label for one in source.body.block.ops if isinstance(one, te.ComputeOp)}
        for op in source.body.block.ops:
            if isinstance(op, te.ComputeOp):
                self._compute(op, entry)
            elif isinstance(op, te.SymbolOp):
                self._symbol(op, entry)
            elif isinstance(op, te.ReturnOp):
                for value, arg in copies:
                    entry.add_op(_copy_nest(self.values[value], arg, _fresh("copy", names), entry))
                entry.add_op(ret := func.ReturnOp())
                ret.location = op.location
            else:
                entry.add_op(op.clone(self.values))
        return new

    def _arg_order(self, count: int) -> list[int]:
        """The arguments (inputs, then results) in the order the caller wants them."""
        given = self.source.attributes.get("kc.arg_order")
        if not isinstance(given, DenseArrayBase):
            return list(range(count))
        order = [int(one) for one in given.iter_values()]
        if sorted(order) != list(range(count)):
            raise CodegenError(
                "KC4002",
                f"convert-te-to-tir: kc.arg_order of @{self.source.sym_name.data} is {order}",
                location=location_of(self.source),
                why=f"it must be a permutation of 0 to {count - 1}: the inputs, then the results",
            )
        return order

    def _arg_attrs(
        self, args: Sequence[SSAValue], returned: Sequence[SSAValue]
    ) -> list[DictionaryAttr]:
        source = self.source
        old = list(source.arg_attrs.data) if source.arg_attrs is not None else []
        old += [DictionaryAttr({})] * (len(source.body.block.args) - len(old))
        results = list(source.res_attrs.data) if source.res_attrs is not None else []
        results += [DictionaryAttr({})] * (len(returned) - len(results))
        attrs: list[DictionaryAttr] = []
        taken: set[str] = set()
        for n, arg in enumerate(args):
            is_input = n < len(old)
            given = dict((old[n] if is_input else results[n - len(old)]).data)
            if "kc.name" not in given:
                given["kc.name"] = StringAttr(_fresh(arg.name_hint or f"arg{n}", taken))
            taken.add(given["kc.name"].data if isinstance(given["kc.name"], StringAttr) else "")
            given["kc.role"] = StringAttr("in" if is_input else "out")
            if not is_input and "kc.shape" not in given and isinstance(arg.type, MemRefType):
                if tir.DYNAMIC in arg.type.get_shape():
                    given["kc.shape"] = self._shape_of(returned[n - len(old)])
            attrs.append(DictionaryAttr(given))
        return attrs

    def _shape_of(self, value: SSAValue) -> AffineMapAttr:
        """The dimensions of a returned tensor as a map of the function's symbols."""
        if isinstance(value.owner, Block):
            index = self.source.body.block.args.index(value)  # pyright: ignore
            attrs = self.source.arg_attrs
            shape = attrs.data[index].data.get("kc.shape") if attrs is not None else None
            if not isinstance(shape, AffineMapAttr):
                raise self._unknown_size(value.name_hint or f"argument {index}", self.source)
            return shape
        compute = value.owner
        assert isinstance(compute, te.ComputeOp)
        dims = [self._symbol_expr(one, compute) for one in compute.extents[: compute.rank]]
        return AffineMapAttr(AffineMap(0, len(self.symbols), tuple(dims)))

    def _symbol_expr(self, extent: int | SSAValue, compute: te.ComputeOp) -> AffineExpr:
        if isinstance(extent, int):
            return AffineExpr.constant(extent)
        owner = extent.owner
        if isinstance(owner, te.SymbolOp) and owner.symbol.data in self.symbols:
            return AffineExpr.symbol(self.symbols.index(owner.symbol.data))
        if isinstance(owner, tir.ApplyOp):
            parts = [self._symbol_expr(one, compute) for one in owner.operands_of_map]
            return owner.expr.replace_dims_and_symbols(parts, [])
        raise self._unknown_size(compute.label, compute)

    def _unknown_size(self, name: str, op: Operation) -> CodegenError:
        return CodegenError(
            "KC4001",
            f"convert-te-to-tir: the size of {name} is not a function of the symbols of "
            f"@{self.source.sym_name.data}",
            location=location_of(op),
            why="the caller allocates the result, so its shape must follow from the arguments",
            hints=[
                'build the extent from te.symbol and tir.apply, and list the symbol in "kc.symbols"'
            ],
        )

    def _symbol(self, op: te.SymbolOp, entry: Block) -> None:
        new = tir.SymbolOp(op.symbol.data)
        new.location = op.location
        new.result.name_hint = op.result.name_hint
        self.values[op.result] = new.result
        entry.add_op(new)

    def _check_reads(self, op: te.ComputeOp) -> None:
        found = out_of_bounds(op)
        if found is None:
            return
        tensor = found.read.tensor.name_hint or "a tensor"
        place = ", ".join(f"{name}={value}" for name, value in found.point.items())
        raise TEError(
            "KC2030",
            f"{op.label} reads outside {tensor}: index {found.index} of dimension "
            f"{found.dimension}, which has the size {found.size}",
            location=location_of(found.read),
            why=f"this happens at {place or 'every element'}",
            hints=["make the extents smaller, or read a larger (padded) tensor"],
        )

    def _compute(self, op: te.ComputeOp, entry: Block) -> None:
        self._check_reads(op)
        result_type = op.result.type
        assert isinstance(result_type, TensorType)
        extents = [one if isinstance(one, int) else self.values.get(one, one) for one in op.extents]
        buffer = self.values.get(op.result)
        if buffer is None:
            dynamic = [one for one in extents[: op.rank] if not isinstance(one, int)]
            alloc = tir.AllocOp(op.label, _memref(result_type), dynamic)
            alloc.location = op.location
            entry.add_op(alloc)
            buffer = self.values[op.result] = alloc.buffer
        loops = [tir.ForOp(name, extent) for name, extent in zip(op.names, extents, strict=True)]
        block = self._block(op, buffer, extents, [one.var for one in loops])
        entry.add_op(nest(loops, block))
        for one in (*loops, block):
            one.location = op.location

    def _block(
        self,
        op: te.ComputeOp,
        buffer: SSAValue,
        extents: Sequence[int | SSAValue],
        loop_vars: Sequence[SSAValue],
    ) -> tir.BlockOp:
        rank, count = op.rank, len(loop_vars)
        names = [f"v_{name}" for name in op.names]
        body = Block(arg_types=[tir.INDEX] * count)
        values = self.values.copy()
        for arg, old, name in zip(body.args, op.body.block.args, names, strict=True):
            arg.name_hint = name
            values[old] = arg
        element_map = AffineMap.identity(rank)
        element = list(body.args[:rank])
        for inner in op.body.block.ops:
            if isinstance(inner, te.ReadOp):
                new = tir.LoadOp(
                    values[inner.tensor],
                    inner.indices.data,
                    [values[one] for one in inner.operands_of_map],
                )
                new.result.name_hint = inner.result.name_hint
                values[inner.result] = new.result
            elif isinstance(inner, te.YieldOp):
                value = values[inner.value]
                if op.combiner is not None:
                    old_value = tir.LoadOp(buffer, element_map, element)
                    total = combine(op.combiner.data, old_value.result, value)
                    total.location = old_value.location = inner.location
                    body.add_ops([old_value, total])
                    value = total.results[0]
                new = tir.StoreOp(value, buffer, element_map, element)
            else:
                new = inner.clone(values)
                _convert_nested_reads(new)
            new.location = inner.location
            body.add_op(new)
        init = None
        if op.combiner is not None:
            init = Region(Block(arg_types=[tir.INDEX] * count))
            for arg, name in zip(init.block.args, names, strict=True):
                arg.name_hint = name
            assert isinstance(op.result.type, TensorType)
            attr = identity_attr(op.combiner.data, op.result.type.element_type)
            constant = arith.ConstantOp(attr)
            store = tir.StoreOp(constant.result, buffer, element_map, init.block.args[:rank])
            constant.location = store.location = op.location
            init.block.add_ops([constant, store])
        kinds = [tir.IterType.SPATIAL] * rank + [tir.IterType.REDUCE] * (count - rank)
        return tir.BlockOp(
            op.label,
            list(zip(kinds, names, extents, strict=True)),
            AffineMap.identity(count),
            loop_vars,
            Region(body),
            init,
        )


def _convert_nested_reads(op: Operation) -> None:
    """Reads in the regions of a copied op (of a branch, say), whose tensors are buffers now."""
    for read in [one for one in op.walk() if isinstance(one, te.ReadOp)]:
        load = tir.LoadOp(read.tensor, read.indices.data, read.operands_of_map)
        load.location = read.location
        Rewriter.replace_op(read, load)


def nest(loops: Sequence[tir.ForOp], inner: Operation) -> Operation:
    """Put ``inner`` into the innermost of ``loops``; the outermost op is returned."""
    for loop in reversed(loops):
        loop.body.block.add_op(inner)
        inner = loop
    return inner


def _memref(type_: Attribute) -> Any:
    if isinstance(type_, TensorType):
        return MemRefType(type_.element_type, type_.shape)
    return type_


def _fresh(name: str, taken: set[str]) -> str:
    """``name``, or ``name_<n>`` for the first free n."""
    chosen, n = name, 0
    while chosen in taken:
        n += 1
        chosen = f"{name}_{n}"
    taken.add(chosen)
    return chosen


def _copy_nest(source: SSAValue, target: SSAValue, name: str, entry: Block) -> Operation:
    """Loops that copy one buffer into another of the same shape."""
    target_type = source.type
    assert isinstance(target_type, MemRefType)
    extents: list[int | SSAValue] = []
    for n, size in enumerate(target_type.get_shape()):
        if size != tir.DYNAMIC:
            extents.append(size)
            continue
        index = arith.ConstantOp(IntegerAttr(n, tir.INDEX))
        dim = memref.DimOp.from_source_and_index(source, index.result)
        entry.add_ops([index, dim])
        extents.append(dim.result)
    rank = len(extents)
    loops = [tir.ForOp(f"c{n}", extent) for n, extent in enumerate(extents)]
    body = Block(arg_types=[tir.INDEX] * rank)
    element = AffineMap.identity(rank)
    load = tir.LoadOp(source, element, body.args)
    body.add_ops([load, tir.StoreOp(load.result, target, element, body.args)])
    block = tir.BlockOp(
        name,
        [(tir.IterType.SPATIAL, f"v_c{n}", extent) for n, extent in enumerate(extents)],
        element,
        [one.var for one in loops],
        Region(body),
    )
    return nest(loops, block)


def convert_function(function: te.FuncOp) -> func.FuncOp:
    """The function of loops for one ``te.func``, which stays as it is."""
    return _FunctionConverter(function).convert()
