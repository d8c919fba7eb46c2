"""A function of loops, taken apart into the parts of an extern operation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.ir.affine import AffineExpr, AffineSymExpr

from kc.dialects.size_requirements import requirements_of
from kc.dialects.te.extern import written_buffers
from kc.dialects.tir import DYNAMIC, SymbolOp, symbol_names
from kc.dialects.tir.calls import dtype_name
from kc.expr.buffers import Buffer
from kc.expr.constructors import Var
from kc.expr.indices import from_affine, same_dim
from kc.expr.tensor import Dim, Tensor, shape_text
from kc.support.diagnostics import Location, TEError

__all__ = ["FunctionParts", "function_parts", "parameters_of"]


@dataclass(frozen=True)
class FunctionParts:
    """The buffers of a function, and its accesses to them."""

    ins: Sequence[Buffer]
    outs: Sequence[Buffer]
    function: FuncOp
    """Takes the buffers, and asks for the sizes by ``tir.symbol``."""
    sizes: Sequence[Var]


def function_parts(
    primfunc: Any, tensors: Sequence[Tensor], location: Location | None
) -> FunctionParts:
    """The parts of the function of a module, for the inputs ``tensors``."""
    function = _function(primfunc, location).clone()
    name = function.sym_name.data
    args = list(function.body.block.args)
    written = {buffer for op in function.walk() for buffer in written_buffers(op)}
    for arg in args:
        if not isinstance(arg.type, MemRefType) and not _is_size(function, arg.index):
            raise TEError(
                "KC2168",
                f"extern_primfunc: @{name} takes the scalar {_name(function, arg.index)}",
                location=location,
                why="the inputs of the operation are tensors",
                hints=["te.extern with a statement takes scalars: it uses the te.var itself"],
            )
    for requirement in requirements_of(function):
        raise TEError(
            "KC2176",
            f"extern_primfunc: @{name} takes only sizes that fulfil a condition",
            location=location,
            why=f"{requirement.why}; a tensor expression has no place for a condition on its sizes",
            hints=["give the function constant shapes"],
        )
    buffers = [arg for arg in args if isinstance(arg.type, MemRefType)]
    inputs = [arg for arg in buffers if arg not in written]
    outputs = [arg for arg in buffers if arg in written]
    if len(inputs) != len(tensors) or not outputs:
        reads = ", ".join(_name(function, arg.index) for arg in inputs) or "nothing"
        writes = ", ".join(_name(function, arg.index) for arg in outputs) or "nothing"
        raise TEError(
            "KC2167",
            f"extern_primfunc: {len(tensors)} inputs for @{name}, which reads {reads} and writes "
            f"{writes}",
            location=location,
            why="the inputs must be the arguments that the function only reads",
        )
    shapes = {arg: _shape(function, arg.index) for arg in buffers}
    sizes = _sizes(function, name, [shapes[arg] for arg in inputs], tensors, location)
    ins: list[Buffer] = []
    for arg, tensor in zip(inputs, tensors, strict=True):
        text = _name(function, arg.index)
        buffer = Buffer(_resolved(shapes[arg], sizes), _dtype(function, arg.index), text)
        if not _same(buffer.shape, tensor.shape) or buffer.dtype != tensor.dtype:
            raise TEError(
                "KC2167",
                f"extern_primfunc: {tensor.name} is {shape_text(tensor.shape)} {tensor.dtype}, the "
                f"argument {text} of @{name} is {shape_text(buffer.shape)} {buffer.dtype}",
                location=location,
                why="the inputs must have the shapes and types of the arguments",
            )
        ins.append(buffer)
    outs = [
        Buffer(
            _resolved(shapes[arg], sizes), _dtype(function, arg.index), _name(function, arg.index)
        )
        for arg in outputs
    ]
    _ask_for_sizes(function)
    _rename_sizes(function, sizes)
    _order_arguments(function.body.block, [*inputs, *outputs])
    return FunctionParts(ins, outs, function, list(sizes.values()))


def parameters_of(function: FuncOp) -> list[Buffer | Var]:
    """The parameters of a function, in order; its sizes are variables of their names."""
    args = function.args
    dtypes = {
        _symbol(function, arg.index): _dtype(function, arg.index)
        for arg in args
        if _is_size(function, arg.index)
    }
    sizes = {name: Var(name, dtypes.get(name, "int32")) for name in symbol_names(function)}
    parameters: list[Buffer | Var] = []
    for arg in args:
        name, dtype = _name(function, arg.index), _dtype(function, arg.index)
        if isinstance(arg.type, MemRefType):
            shape = [
                Var(f"{name}_{n}") if dim is None else dim
                for n, dim in enumerate(_shape(function, arg.index))
            ]
            dims = [dim if isinstance(dim, Var) else _resolved([dim], sizes)[0] for dim in shape]
            parameters.append(Buffer(dims, dtype, name))
        else:
            size = sizes.get(_symbol(function, arg.index))
            parameters.append(Var(name, dtype) if size is None else size)
    return parameters


def _symbol(function: FuncOp, index: int) -> str:
    symbol = _attrs(function, index).get("kc.symbol")
    return symbol.data if isinstance(symbol, StringAttr) else ""


def _function(primfunc: Any, location: Location | None) -> FuncOp:
    module = getattr(primfunc, "op", primfunc)
    ops = [op for op in module.body.ops] if isinstance(module, ModuleOp) else [module]
    functions = [op for op in ops if isinstance(op, FuncOp) and not op.is_declaration]
    if len(functions) != 1 or len(ops) != 1:
        what = f"{len(functions)} functions of loops" if ops != [module] else "not a module"
        raise TEError(
            "KC2167",
            f"extern_primfunc: {type(primfunc).__name__} is {what}",
            location=location,
            why="extern_primfunc takes a module with one function of loops",
            hints=["te.create_prim_func([A, B]), kc.lower(s, args), kc.IRModule.parse(text)"],
        )
    return functions[0]


def _attrs(function: FuncOp, index: int) -> dict[str, Any]:
    arg_attrs = function.arg_attrs
    return dict(arg_attrs.data[index].data) if isinstance(arg_attrs, ArrayAttr) else {}


def _name(function: FuncOp, index: int) -> str:
    name = _attrs(function, index).get("kc.name")
    if isinstance(name, StringAttr):
        return name.data
    return function.args[index].name_hint or f"arg{index}"


def _is_size(function: FuncOp, index: int) -> bool:
    return "kc.symbol" in _attrs(function, index)


def _dtype(function: FuncOp, index: int) -> str:
    dtype = _attrs(function, index).get("kc.dtype")
    if isinstance(dtype, StringAttr):
        return dtype.data
    return dtype_name(function.args[index].type)


def _shape(function: FuncOp, index: int) -> list[Any]:
    """The dimensions of a buffer: integers, and affine expressions of symbols."""
    type_ = function.args[index].type
    assert isinstance(type_, MemRefType)
    shape = _attrs(function, index).get("kc.shape")
    exprs = shape.data.results if isinstance(shape, AffineMapAttr) else [None] * 8
    return [
        size if size != DYNAMIC else expr
        for size, expr in zip(type_.get_shape(), exprs, strict=False)
    ]


def _sizes(
    function: FuncOp,
    name: str,
    shapes: Sequence[Sequence[Any]],
    tensors: Sequence[Tensor],
    location: Location | None,
) -> dict[str, Var]:
    """The values of the symbols of a function: sizes of the inputs."""
    symbols = symbol_names(function)
    sizes: dict[str, Var] = {}
    for shape, tensor in zip(shapes, tensors, strict=True):
        for dim, size in zip(shape, tensor.shape, strict=False):
            if isinstance(dim, AffineSymExpr) and isinstance(size, Var):
                sizes.setdefault(symbols[dim.position], size)
    for symbol in symbols:
        if symbol not in sizes:
            raise TEError(
                "KC2168",
                f"extern_primfunc: no input determines the size {symbol} of @{name}",
                location=location,
                why="a size of the function is a te.var that is a dimension of an input",
                hints=["give the function constant shapes", f"or a dimension te.var({symbol!r})"],
            )
    return {symbol: sizes[symbol] for symbol in symbols}


def _resolved(shape: Sequence[Any], sizes: dict[str, Var]) -> list[Dim]:
    variables = list(sizes.values())
    dims = [AffineExpr.dimension(n) for n in range(len(variables))]
    return [
        dim
        if isinstance(dim, int)
        else from_affine(dim.replace_dims_and_symbols([], dims), variables.__getitem__)
        for dim in shape
    ]


def _same(left: Sequence[Dim], right: Sequence[Dim]) -> bool:
    return len(left) == len(right) and all(map(same_dim, left, right))


def _rename_sizes(function: FuncOp, sizes: dict[str, Var]) -> None:
    for op in function.walk():
        if isinstance(op, SymbolOp):
            op.symbol = StringAttr(sizes[op.symbol.data].name)


def _order_arguments(block: Block, order: Sequence[Any]) -> None:
    """Reorder the arguments of ``block``; omitted arguments must be unused."""
    for n, old in enumerate(order):
        new = block.insert_arg(old.type, n)
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    for old in list(block.args[len(order) :]):
        block.erase_arg(old)


def _ask_for_sizes(function: FuncOp) -> None:
    """Replace the size arguments by ``tir.symbol`` operations."""
    block = function.body.block
    for arg in list(block.args):
        symbol = _attrs(function, arg.index).get("kc.symbol")
        if isinstance(symbol, StringAttr) and arg.first_use is not None:
            op = SymbolOp(symbol.data)
            op.location = function.location
            assert block.first_op is not None
            block.insert_op_before(op, block.first_op)
            arg.replace_all_uses_with(op.result)
