"""Symbolic sizes of a function: bound by its arguments, which must agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DictionaryAttr,
    ShapedType,
    StringAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineConstraintKind, AffineMap, AffineSymExpr

from kc.analysis.interpreter.affine_code import map_function
from kc.analysis.interpreter.errors import ExecutionError, index_text
from kc.analysis.interpreter.values import Buffer
from kc.dialects.size_requirements import requirements_of
from kc.dialects.tir import DYNAMIC


def argument_attributes(
    function: Operation, which: str = "arg_attrs"
) -> list[dict[str, Attribute]]:
    """The attributes of each argument of a function, or with ``res_attrs`` of each result."""
    function_type: Any = function.properties["function_type"]
    count = len(function_type.inputs if which == "arg_attrs" else function_type.outputs)
    attrs = function.properties.get(which)
    if not isinstance(attrs, ArrayAttr):
        return [{} for _ in range(count)]
    return [dict(attr.data) if isinstance(attr, DictionaryAttr) else {} for attr in attrs.data]


def argument_name(function: Operation, index: int) -> str:
    """The name of an argument: its ``kc.name``, its SSA name or its number."""
    name = argument_attributes(function)[index].get("kc.name")
    if isinstance(name, StringAttr):
        return name.data
    return function.regions[0].blocks[0].args[index].name_hint or f"argument {index}"


def bind_symbols(function: Operation, args: Sequence[Any]) -> dict[str, int]:
    """The value of each symbol in ``kc.symbols`` that the arguments determine.

    Raises :class:`ExecutionError` if a shape contradicts its type or ``kc.shape``, or if the sizes
    violate a requirement of the function.
    """
    names = _symbol_names(function)
    attrs = argument_attributes(function)
    symbols: dict[str, int] = {}
    for arg_attrs, arg in zip(attrs, args, strict=True):
        if isinstance(symbol := arg_attrs.get("kc.symbol"), StringAttr):
            symbols.setdefault(symbol.data, arg)
        shape = arg_attrs.get("kc.shape")
        if isinstance(shape, AffineMapAttr) and isinstance(arg, Buffer):
            for expr, size in zip(shape.data.results, arg.array(function).shape, strict=False):
                if isinstance(expr, AffineSymExpr):
                    symbols.setdefault(names[expr.position], size)
    types = [arg.type for arg in function.regions[0].blocks[0].args]
    for n, (arg_attrs, arg, type_) in enumerate(zip(attrs, args, types, strict=True)):
        if (
            isinstance(symbol := arg_attrs.get("kc.symbol"), StringAttr)
            and symbols[symbol.data] != arg
        ):
            raise ExecutionError(
                function,
                f"{argument_name(function, n)} is {arg}, but the shapes of other arguments make "
                f"{symbol.data} = {symbols[symbol.data]}",
            )
        if isinstance(arg, Buffer) and isinstance(type_, ShapedType):
            shape = arg_attrs.get("kc.shape")
            map_ = shape.data if isinstance(shape, AffineMapAttr) else None
            _check_shape(function, n, arg.array(function).shape, type_, map_, names, symbols)
    _check_requirements(function, names, symbols)
    return symbols


def _check_requirements(function: Operation, names: Sequence[str], symbols: dict[str, int]) -> None:
    values = [symbols.get(name, 0) for name in names]
    for requirement in requirements_of(function):
        products = [
            math.prod(factor.eval([], values) for factor in factors)
            for factors in requirement.factors
        ]
        over = (requirement.condition.lhs - requirement.condition.rhs).eval(products, values)
        is_met = {
            AffineConstraintKind.eq: over == 0,
            AffineConstraintKind.ge: over >= 0,
            AffineConstraintKind.le: over <= 0,
        }[requirement.condition.kind]
        if not is_met and not any(size.eval([], values) <= 0 for size in requirement.unless_empty):
            sizes_text = ", ".join(f"{name} = {symbols[name]}" for name in names if name in symbols)
            raise ExecutionError(function, f"the sizes {sizes_text} do not fit: {requirement.why}")


def _symbol_names(function: Operation) -> list[str]:
    listed = function.attributes.get("kc.symbols")
    if not isinstance(listed, ArrayAttr):
        return []
    return [symbol.data for symbol in listed.data if isinstance(symbol, StringAttr)]


def _check_shape(
    function: Operation,
    index: int,
    shape: tuple[int, ...],
    type_: ShapedType,
    map_: AffineMap | None,
    names: Sequence[str],
    symbols: dict[str, int],
) -> None:
    expected = list(type_.get_shape())
    text = str(type_)
    if map_ is not None:
        bound = [symbols.get(name) for name in names]
        for n, expr in enumerate(map_.results):
            used = {part.position for part in expr.dfs() if isinstance(part, AffineSymExpr)}
            if all(bound[position] is not None for position in used):
                single = AffineMap(0, map_.num_symbols, (expr,))
                expected[n] = map_function(single)(*(value or 0 for value in bound))[0]
        sizes_text = ", ".join(f"{name} = {symbols[name]}" for name in names if name in symbols)
        text += f" with {sizes_text}" if sizes_text else ""
    if len(shape) != len(expected) or any(
        want not in (DYNAMIC, size) for want, size in zip(expected, shape, strict=True)
    ):
        raise ExecutionError(
            function,
            f"{argument_name(function, index)} has the shape {index_text(shape)}, but is a {text}",
        )
