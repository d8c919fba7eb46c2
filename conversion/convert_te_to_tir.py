"""convert-te-to-tir: every ``te.func`` becomes a ``func.func`` of loops around blocks.

Before::

    te.func @row_sum(%A: tensor<8x4xf32>) -> tensor<8xf32> {
      %S = te.compute "S" [%i = 8] reduce sum [%k = 4] { ... te.yield %a : f32 } : tensor<8xf32>
      te.return %S : tensor<8xf32>
    }

After::

    func.func @row_sum(%A: memref<8x4xf32>, %S: memref<8xf32>) attributes {kc.unscheduled} {
      tir.for %i in 8 {
        tir.for %k in 4 {
          tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 4 = %k) init { ... } do { ... }

A compute of several tensors is one block that stores to several buffers. A ``te.scan`` is a loop
over time around the blocks of its computes, which get a block variable for the row. The region of a
``te.extern`` is copied. Inputs keep their order; results become trailing arguments
(``kc.arg_order`` permutes them); tensors that are not returned become ``tir.alloc``. The function
is marked ``kc.unscheduled``: a build chooses a schedule for it unless a primitive is applied first.

The function is built beside the source, which is not changed. Plugins may add patterns for their
own operations on tensors.

Legal set: no op of ``te``, and no op on tensors, remains. (TVM: ``te.create_prim_func``.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.bounds import early_read, out_of_bounds
from kc.analysis.accesses.read_requirements import read_requirements
from kc.analysis.module_copy import copy_operation
from kc.conversion._te_blocks import BlockBuilder, Time, copy_nest
from kc.conversion.driver import (
    ConversionPattern,
    ConversionTarget,
    CopyingConversion,
    not_converted,
    own_and_added,
    require_legal,
)
from kc.dialects import te, tir
from kc.dialects.size_requirements import requirements_of, set_requirements
from kc.dialects.unscheduled import mark_unscheduled
from kc.support.diagnostics import CodegenError, TEError
from kc.support.fresh_names import free_name, fresh_name
from kc.support.locations import copy_location, location_of

TARGET = ConversionTarget("convert-te-to-tir", illegal=("te",))


@dataclass(frozen=True)
class ConvertTeToTirPass(ModulePass):
    """Turn tensor expressions into loops around blocks."""

    name = "convert-te-to-tir"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [function for function in op.body.ops if isinstance(function, te.FuncOp)]
        converted = [convert_function(function) for function in functions]
        for old, new in zip(functions, converted, strict=True):
            mark_unscheduled(new)
            Rewriter.replace_op(old, new, [])


class Copy(NamedTuple):
    """A result that must be copied to its argument because it is computed elsewhere."""

    value: SSAValue
    argument: SSAValue


class TeToTir(CopyingConversion):
    """Converts one ``te.func``; a refusal changes nothing."""

    def __init__(self, source: te.FuncOp) -> None:
        super().__init__(own_and_added(TARGET, PATTERNS))
        self.source = source
        self.symbol_values: dict[str, SSAValue] = {}
        self.block_names = {compute.label for compute in te.computes_in(source)}
        self.buffer_names = _tensor_names(source)
        self.copies: list[Copy] = []
        self.bare_loops: list[list[tir.ForOp]] = []
        """The loops without blocks, for each extern."""
        symbols = source.attributes.get("kc.symbols")
        self.symbols = (
            [symbol.data for symbol in symbols if isinstance(symbol, StringAttr)]
            if isinstance(symbols, ArrayAttr)
            else []
        )

    def run(self) -> func.FuncOp:
        """Build the function of loops."""
        source = self.source
        returned = list(source.return_op.values)
        inputs = [_memref(type_) for type_ in source.function_type.inputs]
        outputs = [_memref(type_) for type_ in source.function_type.outputs]
        types = [*inputs, *outputs]
        order = self._arg_order(len(types))
        new = func.FuncOp(source.sym_name.data, ([types[n] for n in order], []))
        new.location = source.location
        new.attributes.update(source.attributes)
        new.attributes.pop("kc.arg_order", None)
        entry = new.body.block
        args = [entry.args[order.index(n)] for n in range(len(types))]
        for old, arg in zip(source.body.block.args, args, strict=False):
            arg.name_hint = old.name_hint
            arg.location = old.location
            self.values[old] = arg
        for value, arg in zip(returned, args[len(inputs) :], strict=True):
            if value in self.values:
                # An input, or a tensor returned twice: copied into its argument.
                arg.name_hint = f"{value.name_hint or 'out'}_copy"
                self.copies.append(Copy(value, arg))
            else:
                arg.name_hint = value.name_hint
                self.values[value] = arg
        attrs = self._arg_attrs(args, returned)
        new.arg_attrs = ArrayAttr([attrs[n] for n in order])
        self.at = entry
        self.convert(source.body.block)
        require_legal(TARGET, loop_tree.preorder(new))
        _name_apart(new, self.bare_loops)
        requirements = [*requirements_of(source), *read_requirements(source)]
        set_requirements(new, requirements, len(self.symbols))
        return new

    def is_converted(self, result: SSAValue) -> bool:
        """False, so that a pattern alone decides: the buffers of returned values are defined in
        advance.
        """
        del result
        return False

    def copy(self, op: Operation) -> None:
        """Copy a scalar operation of another dialect. Raises CodegenError for one on tensors."""
        if any(isinstance(value.type, TensorType) for value in (*op.operands, *op.results)):
            raise not_converted(TARGET, op, "no pattern is for it, and it works on tensors")
        self.at.add_op(op.clone(self.values))

    def _arg_order(self, count: int) -> list[int]:
        """The arguments (inputs, then results) in the caller's order."""
        attr = self.source.attributes.get("kc.arg_order")
        if not isinstance(attr, DenseArrayBase):
            return list(range(count))
        order = [int(position) for position in attr.iter_values()]
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
            described = dict((old[n] if is_input else results[n - len(old)]).data)
            if "kc.name" not in described:
                described["kc.name"] = StringAttr(fresh_name(arg.name_hint or f"arg{n}", taken))
            taken.add(
                described["kc.name"].data if isinstance(described["kc.name"], StringAttr) else ""
            )
            described["kc.role"] = StringAttr("in" if is_input else "out")
            if not is_input and "kc.shape" not in described and isinstance(arg.type, MemRefType):
                if tir.DYNAMIC in arg.type.get_shape():
                    described["kc.shape"] = self._shape_of(returned[n - len(old)])
            attrs.append(DictionaryAttr(described))
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
        if not isinstance(value.owner, te.ComputeOp | te.ExternOp | te.ScanOp):
            raise self._unknown_size(value.name_hint or value.owner.name, value.owner)
        dims = [self._symbol_expr(extent, value) for extent in te.tensor_extents(value)]
        return AffineMapAttr(AffineMap(0, len(self.symbols), tuple(dims)))

    def _symbol_expr(self, extent: int | SSAValue, tensor: SSAValue) -> AffineExpr:
        if isinstance(extent, int):
            return AffineExpr.constant(extent)
        owner = extent.owner
        if isinstance(owner, te.SymbolOp) and owner.symbol.data in self.symbols:
            return AffineExpr.symbol(self.symbols.index(owner.symbol.data))
        if isinstance(owner, tir.ApplyOp) and owner.expr is not None:
            parts = [self._symbol_expr(operand, tensor) for operand in owner.operands_of_map]
            return owner.expr.replace_dims_and_symbols(parts, [])
        producer = tensor.owner
        assert isinstance(producer, te.ComputeOp | te.ExternOp | te.ScanOp)
        raise self._unknown_size(producer.label, producer)

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

    # For the patterns

    def extents(self, extents: Sequence[int | SSAValue]) -> list[int | SSAValue]:
        """Extents of the source, as they are in the new function."""
        return [extent if isinstance(extent, int) else self.value(extent) for extent in extents]

    def buffer(
        self, name: str, tensor: SSAValue, extents: Sequence[int | SSAValue], op: Operation
    ) -> SSAValue:
        """The buffer of ``tensor``: the argument in which it is returned, or a new one."""
        buffer = self.values.get(tensor)
        if buffer is None:
            assert isinstance(tensor.type, TensorType)
            shape = [extent if isinstance(extent, int) else tir.DYNAMIC for extent in extents]
            dynamic = [extent for extent in extents if not isinstance(extent, int)]
            alloc = tir.AllocOp(name, MemRefType(tensor.type.element_type, shape), dynamic)
            self.emit(alloc, op)
            buffer = self.values[tensor] = alloc.buffer
        return buffer

    def scan_of_initial_rows(self, op: te.ComputeOp) -> te.ScanOp | None:
        """The scan whose initial rows ``op`` computes, if they have no other use; they are then
        computed in place. The sizes of the scan are already known.
        """
        if len(op.tensors) != 1 or not op.tensors[0].has_one_use():
            return None
        use = next(iter(op.tensors[0].uses))
        scan = use.operation
        if not isinstance(scan, te.ScanOp) or op.tensors[0] not in scan.inits:
            return None
        state = scan.tensors[list(scan.inits).index(op.tensors[0])]
        sizes = [scan.extent_value, *te.tensor_extents(state)]
        is_known = all(isinstance(size, int) or size in self.values for size in sizes)
        return scan if is_known else None

    def buffers(self, op: te.ComputeOp) -> list[SSAValue]:
        """The buffers of the results of a compute."""
        scan = self.scan_of_initial_rows(op)
        if scan is not None:
            return [self.state_buffer(scan, list(scan.inits).index(op.tensors[0]))]
        extents, count = self.extents(op.spatial_extents), len(op.tensors)
        return [
            self.buffer(te.output_name(op.label, n, count), tensor, extents, op)
            for n, tensor in enumerate(op.tensors)
        ]

    def state_buffer(self, op: te.ScanOp, n: int) -> SSAValue:
        """The buffer of the n-th tensor of a scan."""
        state = op.tensors[n]
        sizes = self.extents(te.tensor_extents(state))
        return self.buffer(te.output_name(op.label, n, len(op.tensors)), state, sizes, op)


def _name_apart(function: func.FuncOp, externs: Sequence[Sequence[tir.ForOp]]) -> None:
    """Rename loops without blocks in an extern so that they differ from loops outside: only their
    names identify them.
    """
    within = {loop for loops in externs for loop in loops}
    taken = {loop.label for loop in loop_tree.loops(function) if loop not in within}
    for loops in externs:
        names = {loop.label: free_name(loop.label, taken) for loop in loops}
        for loop in loops:
            name = names[loop.label]
            if name != loop.label:
                loop.loop_name, loop.var.name_hint = StringAttr(name), name
        taken.update(names.values())


class ConvertSymbol(ConversionPattern[TeToTir]):
    """``te.symbol "n"``  ->  ``tir.symbol "n"``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: te.SymbolOp, rewriter: PatternRewriter, /) -> None:
        new = tir.SymbolOp(op.symbol.data)
        self.conversion.symbol_values[op.symbol.data] = new.result
        rewriter.replace(op, new)


class ConvertCompute(ConversionPattern[TeToTir]):
    """A compute: a block in a loop for each of its axes.

    ::

        %C = te.compute "C" [%i = 8] { ... }    ->    tir.for %i in 8 {
                                                        tir.block "C" (spatial %v_i in 8 = %i) ...
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: te.ComputeOp, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        check_reads(op)
        buffers = conversion.buffers(op)
        scan = conversion.scan_of_initial_rows(op)
        limit = None if scan is None else conversion.extents([scan.extent_value])[0]
        blocks = BlockBuilder(op, buffers, conversion.values, {}, limit=limit)
        rewriter.replace(op, blocks.nest(), buffers)


class ConvertExtern(ConversionPattern[TeToTir]):
    """Copy the operations of an extern's region, with buffers for tensors; blocks and buffers get
    unique names.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: te.ExternOp, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        values: dict[SSAValue, SSAValue] = {
            inner: conversion.value(scalar) for scalar, inner in op.scalars
        }
        for tensor, inner in zip(op.tensor_inputs, op.input_buffers, strict=True):
            values[inner] = conversion.value(tensor)
        buffers: list[SSAValue] = []
        for n, (tensor, inner) in enumerate(zip(op.tensors, op.output_buffers, strict=True)):
            name = te.output_name(op.label, n, len(op.tensors))
            extents = conversion.extents(op.extents(n))
            values[inner] = conversion.buffer(name, tensor, extents, op)
            buffers.append(values[inner])
        bare: list[tir.ForOp] = []
        for inner in op.body.block.ops:
            if isinstance(inner, tir.SymbolOp) and inner.symbol.data in conversion.symbol_values:
                values[inner.result] = conversion.symbol_values[inner.symbol.data]
                continue
            copy = copy_operation(inner, values)
            for part in loop_tree.preorder(copy):
                if isinstance(part, tir.BlockOp):
                    name = fresh_name(part.label, conversion.block_names)
                    part.block_name = StringAttr(name)
                elif isinstance(part, tir.AllocOp):
                    name = fresh_name(part.label, conversion.buffer_names)
                    part.buffer_name = StringAttr(name)
                if isinstance(part.location, UnknownLoc):
                    part.location = op.location
            rewriter.insert(copy)
            bare += [loop for loop in loop_tree.loops(copy) if not loop_tree.blocks(loop)]
        conversion.bare_loops.append(bare)
        rewriter.replace(op, (), buffers)


class ConvertScan(ConversionPattern[TeToTir]):
    """A scan: copies of the initial rows, then a loop over the other rows.

    Initial rows that are computed for the scan alone need no copy
    (:meth:`TeToTir.scan_of_initial_rows`).

    ::

        te.scan "S" [%t = 8] (%s = %first : ...) { te.compute ... }

        tir.for %c0 in 8 { ... }                    // S_init, of the rows of %first
        tir.for %t in 7 { tir.for %i in 4 { ... } } // the computes, for the row %t + 1
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: te.ScanOp, rewriter: PatternRewriter, /) -> None:
        conversion, start = self.conversion, op.start
        (extent,) = conversion.extents([op.extent_value])
        count = len(op.tensors)
        states: list[SSAValue] = []
        for n, arg in enumerate(op.states):
            conversion.values[arg] = conversion.state_buffer(op, n)
            states.append(conversion.values[arg])
        if isinstance(extent, int):
            steps: int | SSAValue = extent - start
        else:
            rest = tir.ApplyOp(AffineExpr.dimension(0) - start, [extent])
            rewriter.insert(rest)
            steps = rest.result
        loop = tir.ForOp(op.axis_name.data, steps)
        loop.location = op.location
        rows: dict[SSAValue, SSAValue] = dict(zip(op.yield_op.values, states, strict=True))
        step = loop.body.block
        time = Time(op.time, loop.var, start, extent, op.axis_name.data)
        for compute in op.body.block.ops:
            if not isinstance(compute, te.ComputeOp):
                continue
            check_reads(compute)
            sizes = [extent, *conversion.extents(compute.spatial_extents)]
            for n, tensor in enumerate(compute.tensors):
                if tensor not in rows:
                    name = te.output_name(compute.label, n, len(compute.tensors))
                    rows[tensor] = conversion.buffer(name, tensor, sizes, compute)
            buffers = [rows[tensor] for tensor in compute.tensors]
            step.add_ops(BlockBuilder(compute, buffers, conversion.values, rows, time).nest())
        for n, (init, state) in enumerate(zip(op.inits, op.tensors, strict=True)):
            if conversion.value(init) is states[n]:
                continue
            name = te.output_name(op.label, n, count)
            name = fresh_name(f"{name}_init", conversion.block_names)
            sizes = [start, *conversion.extents(te.tensor_extents(state))[1:]]
            copy = copy_nest(conversion.value(init), states[n], name, sizes, extent)
            for inner in copy.walk():
                inner.location = op.location
            rewriter.insert(copy)
        rewriter.replace(op, loop, states)


class ConvertReturn(ConversionPattern[TeToTir]):
    """``te.return`` -> ``func.return``, after copies of results that are not computed in their
    arguments.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: te.ReturnOp, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        for value, argument in conversion.copies:
            buffer = conversion.value(value)
            sizes = _sizes(buffer, conversion.at)
            name = fresh_name("copy", conversion.block_names)
            copy = copy_nest(buffer, argument, name, sizes)
            copy_location(op, copy.walk())
            rewriter.insert(copy)
        rewriter.replace(op, func.ReturnOp())


PATTERNS: tuple[type[RewritePattern], ...] = (
    ConvertSymbol,
    ConvertCompute,
    ConvertExtern,
    ConvertScan,
    ConvertReturn,
)


def check_reads(op: te.ComputeOp) -> None:
    """Refuse a compute that reads outside a tensor, or, in a scan, a row that is not yet
    computed.
    """
    scan = op.parent_op()
    if isinstance(scan, te.ScanOp):
        early = early_read(op, scan)
        if early is not None:
            time, state = scan.axis_name.data, early.read.tensor.name_hint or "the state"
            raise TEError(
                "KC2050",
                f"{op.label} reads a row of {state} that {scan.label} may not have computed",
                location=location_of(early.read),
                why=early.why
                or f"at {time}={early.time} it reads row {early.row}; rows before "
                f"{early.time} are there",
                hints=[f"read {state}[{time} - 1, ...]"],
            )
    outside = out_of_bounds(op)
    if outside is not None:
        tensor = outside.read.tensor.name_hint or "a tensor"
        place = ", ".join(f"{name}={value}" for name, value in outside.point.items())
        raise TEError(
            "KC2030",
            f"{op.label} reads outside {tensor}: index {outside.index} of dimension "
            f"{outside.dimension}, which has the size {outside.size}",
            location=location_of(outside.read),
            why=f"this happens at {place or 'every element'}",
            hints=["make the extents smaller, or read a larger (padded) tensor"],
        )


def _tensor_names(source: te.FuncOp) -> set[str]:
    """The names of the buffers of arguments and of tensors."""
    names = {arg.name_hint or "" for arg in source.body.block.args}
    for op in loop_tree.preorder(source):
        if isinstance(op, te.ComputeOp | te.ExternOp | te.ScanOp):
            count = len(op.tensors)
            names |= {te.output_name(op.label, n, count) for n in range(count)}
    return names


def _memref(type_: Attribute) -> Any:
    if isinstance(type_, TensorType):
        return MemRefType(type_.element_type, type_.shape)
    return type_


def _sizes(buffer: SSAValue, entry: Block) -> list[int | SSAValue]:
    """The sizes of a buffer; symbolic ones are loaded in ``entry``."""
    assert isinstance(buffer.type, MemRefType)
    sizes: list[int | SSAValue] = []
    for n, size in enumerate(buffer.type.get_shape()):
        if size != tir.DYNAMIC:
            sizes.append(size)
            continue
        index = arith.ConstantOp(IntegerAttr(n, tir.INDEX))
        dim = memref.DimOp.from_source_and_index(buffer, index.result)
        entry.add_ops([index, dim])
        sizes.append(dim.result)
    return sizes


def convert_function(function: te.FuncOp) -> func.FuncOp:
    """The function of loops for a ``te.func``, which stays unchanged.

    Raises CodegenError: KC4001 and KC4002 for sizes and orders of arguments, KC4216 for an
    operation without a pattern; TEError: KC2030 and KC2050 for reads out of bounds or before the
    computation.
    """
    return TeToTir(function).run()
