"""Facts about a kernel from its launches: grid, block and arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IndexType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Block, OpResult, SSAValue
from xdsl.ir.affine import AffineSymExpr

from kc.analysis.affine.terms import Term, dim, number
from kc.analysis.gpu.kernel_values import KernelValues
from kc.dialects.gpu import AllocOp, GPUFuncOp, GPUModuleOp, LaunchFuncOp
from kc.dialects.tir import symbol_names

Shapes = Mapping[str, Sequence[Sequence[str | None] | str | None]]
"""For each function by name, and each argument: the symbols of the dimensions of an array (None for
other sizes), or the symbol of a number.
"""

NO_SHAPES: Shapes = {}


def launch_sizes(kernel: GPUFuncOp) -> tuple[list[int | None], list[int | None]]:
    """The sizes of the grid and of a block in all launches of a kernel; None where unknown.

    The launches in the kernel's module decide. If the module has none, or where they compute a
    size, the kernel's own attributes decide.
    """
    launches = launches_of(kernel)
    sizes: list[list[int | None]] = []
    for block_sizes, operands in (
        (kernel.known_grid_size, [launch.grid for launch in launches]),
        (kernel.known_block_size, [launch.block for launch in launches]),
    ):
        declared = [None] * 3 if block_sizes is None else list(block_sizes.get_values())
        launched = [{constant_of(values[n]) for values in operands} for n in range(3)]
        sizes.append([_only(counts, size) for counts, size in zip(launched, declared, strict=True)])
    return sizes[0], sizes[1]


def _only(launched: set[int | None], declared: int | None) -> int | None:
    """The size common to all launches; the kernel's own size if no launch has a constant."""
    if not launched or launched == {None}:
        return declared
    return next(iter(launched)) if len(launched) == 1 else None


def launches_of(kernel: GPUFuncOp) -> list[LaunchFuncOp]:
    """The launches of a kernel in its module."""
    home = kernel.parent_op()
    outer = home.parent_op() if isinstance(home, GPUModuleOp) else None
    if outer is None:
        return []
    assert isinstance(home, GPUModuleOp)
    name = SymbolRefAttr(home.sym_name.data, [kernel.sym_name.data])
    return [
        op
        for function in outer.regions[0].block.ops
        if not isinstance(function, GPUModuleOp)
        for op in function.walk()
        if isinstance(op, LaunchFuncOp) and op.kernel == name
    ]


def overlapping_arguments(kernel: GPUFuncOp) -> list[tuple[SSAValue, SSAValue, bool]]:
    """Pairs of arguments for which a launch passes overlapping memory, each with True if both
    arguments are the same whole array, or False if they are parts of one array.
    """
    pairs: dict[tuple[SSAValue, SSAValue], bool] = {}
    for launch in launches_of(kernel):
        operands_of: dict[SSAValue, list[tuple[SSAValue, SSAValue]]] = {}
        for argument, operand in zip(
            kernel.body.blocks[0].args, launch.kernel_operands, strict=False
        ):
            if isinstance(operand.type, MemRefType):
                whole = _uncast(operand)
                before = operands_of.setdefault(_memory_of(operand), [])
                for earlier, its in before:
                    pairs[earlier, argument] = pairs.get((earlier, argument), True) and its is whole
                before.append((argument, whole))
    return [(*pair, is_same) for pair, is_same in pairs.items()]


def _uncast(array: SSAValue) -> SSAValue:
    while isinstance(array.owner, memref.CastOp):
        array = SSAValue.get(array.owner.source)
    return array


def _memory_of(array: SSAValue) -> SSAValue:
    """The array at the root of a chain of views."""
    while isinstance(array, OpResult) and array.op.operands:
        operand = array.op.operands[0]
        if not isinstance(operand.type, MemRefType):
            break
        array = operand
    return array


def has_places_of_its_own(array: SSAValue, kernel: GPUFuncOp) -> bool:
    """True if all elements of an argument with strides are at distinct addresses.

    This holds if each stride exceeds the span of the smaller strides, or if all launches pass parts
    of dense arrays.
    """
    type_ = array.type
    assert isinstance(type_, MemRefType)
    if not isinstance(type_.layout, StridedLayoutAttr) or array.owner is not kernel.body.blocks[0]:
        return False
    sizes, strides = type_.get_shape(), type_.layout.get_strides()
    static_strides = [stride for stride in strides if stride is not None]
    if len(static_strides) == len(sizes) and DYNAMIC_INDEX not in sizes:
        span = 0
        for stride, size in sorted(zip(static_strides, sizes, strict=True)):
            if size > 1 and stride <= span:
                return False
            span += stride * (size - 1)
        return True
    number = kernel.body.blocks[0].args.index(array)
    launches = launches_of(kernel)
    return bool(launches) and all(
        _is_part_of_dense(launch.kernel_operands[number]) for launch in launches
    )


def _is_part_of_dense(array: SSAValue) -> bool:
    while isinstance(array.owner, memref.SubviewOp | memref.CastOp):
        op = array.owner
        if isinstance(op, memref.SubviewOp) and (op.strides or 0 in op.static_strides.get_values()):
            return False
        array = SSAValue.get(op.source)
    return isinstance(array.type, MemRefType) and isinstance(array.type.layout, NoneAttr)


def constant_of(value: SSAValue) -> int | None:
    """The number if ``value`` is constant, else None."""
    term = KernelValues([None] * 3, [1, 1, 1], {}).integer(value)
    return None if term is None else term.value


def bounds_of(value: SSAValue) -> tuple[int, int] | None:
    """The minimum and maximum of an index of host code; None if unknown."""
    constant = constant_of(value)
    if constant is not None:
        return constant, constant
    loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
    if not isinstance(loop, scf.ForOp) or loop.body.block.args[0] is not value:
        return None
    low, high = constant_of(loop.lb), constant_of(loop.ub)
    return None if low is None or high is None else (low, high - 1)


def shapes_of(module: ModuleOp) -> Shapes:
    """The symbols of the sizes of public functions' arguments, which calls check."""
    return {
        op.sym_name.data: [_shape(op, n) for n in range(len(op.function_type.inputs))]
        for op in module.ops
        if isinstance(op, func.FuncOp)
        and op.arg_attrs is not None
        and (op.sym_visibility is None or op.sym_visibility.data != "private")
    }


def _shape(function: func.FuncOp, n: int) -> Sequence[str | None] | str | None:
    assert function.arg_attrs is not None
    arg_attrs, names = function.arg_attrs.data[n].data, symbol_names(function)
    shape, symbol = arg_attrs.get("kc.shape"), arg_attrs.get("kc.symbol")
    if isinstance(symbol, StringAttr):
        return symbol.data
    if not isinstance(shape, AffineMapAttr):
        return None
    return [
        names[size.position] if isinstance(size, AffineSymExpr) else None
        for size in shape.data.results
    ]


def sizes_of_arguments(
    kernel: GPUFuncOp, shapes: Shapes
) -> dict[SSAValue | tuple[SSAValue, int], str]:
    """The symbols of a kernel's arguments, and of array sizes along an axis, if equal in all
    launches. Equal symbols mean equal numbers.
    """
    launches = launches_of(kernel)
    homes = [_function_of(launch) for launch in launches]
    if len(set(homes)) != 1 or homes[0] is None:
        return {}
    shape_of = _Symbols(homes[0], shapes)
    sizes: dict[SSAValue | tuple[SSAValue, int], str] = {}
    for n, argument in enumerate(kernel.body.blocks[0].args[: len(kernel.function_type.inputs)]):
        operands = [launch.kernel_operands[n] for launch in launches]
        if not isinstance(argument.type, MemRefType):
            symbol = _only_symbol([shape_of.value(value) for value in operands])
            if symbol is not None:
                sizes[argument] = symbol
            continue
        for axis, size in enumerate(argument.type.get_shape()):
            if size == DYNAMIC_INDEX:
                symbol = _only_symbol([shape_of.size(value, axis) for value in operands])
                if symbol is not None:
                    sizes[argument, axis] = symbol
    return sizes


@dataclass(frozen=True)
class LaunchTerm:
    """The operands of a launch as terms over host symbols: index arguments, bytes of dynamic
    memory, grid and block sizes. None stands for a value that is not such a term.
    """

    arguments: Mapping[SSAValue, Term]
    dynamic: Term | None
    grid: Sequence[Term | None] = (None, None, None)
    block: Sequence[Term | None] = (None, None, None)


def launch_terms(
    kernel: GPUFuncOp, shapes: Shapes, names: Mapping[str, str]
) -> Sequence[LaunchTerm]:
    """The terms of each launch. ``names`` maps symbols of :func:`sizes_of_arguments` to dimensions
    of the kernel; other symbols become ``h0``, ``h1``, ...
    """
    launches = launches_of(kernel)
    homes = [_function_of(launch) for launch in launches]
    if len(set(homes)) != 1 or homes[0] is None:
        return ()
    names = dict(names)
    terms: list[LaunchTerm] = []
    for launch in launches:
        reader = _HostValues(_Symbols(homes[0], shapes), names)
        argument_terms: dict[SSAValue, Term] = {
            argument: term
            for argument, operand in zip(
                kernel.body.blocks[0].args, launch.kernel_operands, strict=False
            )
            if isinstance(argument.type, IndexType)
            and (term := reader.known_term(operand)) is not None
        }
        size = launch.dynamic_shared_memory_size
        terms.append(
            LaunchTerm(
                argument_terms,
                number(0) if size is None else reader.known_term(size),
                [reader.known_term(value) for value in launch.grid],
                [reader.known_term(value) for value in launch.block],
            )
        )
    return terms


class _HostValues(KernelValues):
    """Index values of a host function, as terms over its symbols."""

    def __init__(self, symbols: _Symbols, names: dict[str, str]) -> None:
        super().__init__([None] * 3, [1, 1, 1], {})
        self.symbols, self.names = symbols, names

    def read(self, value: SSAValue) -> Term:
        symbol = self.symbols.value(value) if isinstance(value.type, IndexType) else None
        if symbol is None:
            return super().read(value)
        return dim(self.names.setdefault(symbol, f"h{len(self.names)}"))

    def known_term(self, value: SSAValue) -> Term | None:
        """The term of a value, which may be cast to i32; None if the value depends on an unknown
        value.
        """
        if isinstance(value.owner, arith.IndexCastOp):
            value = SSAValue.get(value.owner.input)
        term = self.read(value)
        return None if any(name in self.unknown for name in term.names()) else term


def _only_symbol(symbols: Sequence[str | None]) -> str | None:
    return symbols[0] if len(set(symbols)) == 1 else None


def _function_of(launch: LaunchFuncOp) -> func.FuncOp | None:
    op = launch.parent_op()
    while op is not None and not isinstance(op, func.FuncOp):
        op = op.parent_op()
    return op


class _Symbols:
    """The symbols of the values of a host function."""

    def __init__(self, function: func.FuncOp, shapes: Shapes) -> None:
        self.entry = function.body.blocks[0]
        self.shapes = shapes.get(function.sym_name.data, ())

    def value(self, value: SSAValue) -> str | None:
        """The symbol of a number: of an array size, or of the argument itself."""
        op = value.owner
        if isinstance(op, memref.DimOp):
            axis = constant_of(op.index)
            return None if axis is None else self.size(SSAValue.get(op.source), axis)
        shape = self._argument(value)
        if shape is None and op is self.entry and isinstance(value.type, IndexType):
            return f"@{self.entry.args.index(value)}"
        return shape if isinstance(shape, str) else None

    def size(self, array: SSAValue, axis: int) -> str | None:
        """The symbol of an array's size along an axis; None if the size has no symbol."""
        assert isinstance(array.type, MemRefType)
        sizes = array.type.get_shape()
        if sizes[axis] != DYNAMIC_INDEX:
            return None
        if isinstance(array.owner, AllocOp | memref.AllocOp):
            before = list(sizes[:axis]).count(DYNAMIC_INDEX)
            return self.value(array.owner.dynamic_sizes[before])
        shape = self._argument(array)
        name = None if shape is None or isinstance(shape, str) else shape[axis]
        if name is None and array.owner is self.entry:
            return f"@{self.entry.args.index(array)}.{axis}"
        return name

    def _argument(self, value: SSAValue) -> Sequence[str | None] | str | None:
        if value.owner is not self.entry:
            return None
        number = self.entry.args.index(value)
        return self.shapes[number] if number < len(self.shapes) else None
