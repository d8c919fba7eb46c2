"""The functions of Relay's operators, made of their declarations: ``relay.nn.conv2d(x, w, ...)``.

The parameters are the operands and then the attributes, under the names and with the defaults of
the declaration (:mod:`kc.dialects.graph.declaration`), or in the order of its ``parameters``.
"""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from kc.dialects.graph.declaration import OPERATORS, Operator, all_operators
from kc.dialects.graph.sizes import SizeExpr
from kc.support.declarations import REQUIRED, Slot, slots
from kc.support.diagnostics import GraphError, suggest
from kc.support.locations import caller_location
from kc.tvm.relay.expr import Call, Constant, Expr, Op, Tuple, TupleWrapper, as_expr, const


def declaration_of(name: str) -> type[Operator]:
    """The declaration of an operator. Raises GraphError KC2404 for an unknown one."""
    declaration = OPERATORS.get(name) or all_operators().get(name)
    if declaration is None:
        raise GraphError(
            "KC2404",
            f"there is no operator '{name}'",
            location=caller_location(),
            hints=suggest(name, all_operators(), "the operators are"),
        )
    return declaration


def attributes_of(name: str, values: Mapping[str, Any]) -> Operator:
    """An operator with attributes as a program writes them: lists, dtypes and numpy's numbers too.

    Raises GraphError KC2405 for an attribute that the operator lacks, or a value of another type.
    """
    declaration = declaration_of(name)
    fields = {slot.name: slot for slot in slots(declaration)}
    for attribute in values:
        if attribute not in fields:
            raise GraphError(
                "KC2405",
                f"{name} has no attribute '{attribute}'",
                location=caller_location(),
                hints=suggest(attribute, fields, "its attributes are"),
            )
    missing = [
        slot.name
        for slot in fields.values()
        if slot.default is REQUIRED and slot.name not in values
    ]
    if missing:
        raise GraphError(
            "KC2405",
            f"{name}: the attribute {missing[0]} is missing",
            location=caller_location(),
            why="it has no default",
        )
    converted = {
        attribute: _converted(name, fields[attribute], value) for attribute, value in values.items()
    }
    return declaration(**converted)


def _converted(name: str, slot: Slot, value: Any) -> Any:
    """A value of an attribute in the form of its field. Raises GraphError KC2405."""
    value = plain(value)
    if value is None and (slot.optional or slot.default is None):
        return None
    kinds = [getattr(kind, "__origin__", kind) for kind in slot.types]
    if value is None and slot.default is not REQUIRED:
        return slot.default  # Relay's None stands for the default
    if bool in kinds and isinstance(value, int) and value in (0, 1):
        return bool(value)
    if float in kinds and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if tuple in kinds and isinstance(value, int | SizeExpr) and int not in kinds:
        return (value,)
    if any(isinstance(value, kind) for kind in kinds):
        return value
    expected = " or ".join(kind.__name__ for kind in kinds)
    raise GraphError(
        "KC2405",
        f"{name}: {slot.name} is {value!r}",
        location=caller_location(),
        why=f"it must be of type {expected}",
    )


def plain(value: Any) -> Any:
    """A value of a program as one of an attribute: tuples, ints, floats, text, sizes."""
    from kc.tvm.relay.types import Any as AnySize

    match value:
        case None | bool() | str() | SizeExpr():
            return value
        case AnySize():
            return value.size
        case list() | tuple():
            return tuple(map(plain, value))
        case np.ndarray():
            return plain(value.tolist())
        case np.dtype():
            return value.name
        case type() if issubclass(value, np.generic):
            return np.dtype(value).name
        case np.generic():
            return plain(value.item())
        case numbers.Integral():
            return int(value)
        case numbers.Real():
            return float(value)
        case Constant():
            return plain(value.data.numpy())
        case _:
            number = getattr(value, "value", None)
            return number if isinstance(number, int | float) else str(value)


def call_operator(name: str, operands: Sequence[Any], attributes: Mapping[str, Any]) -> Call:
    """The call of an operator; numbers among the operands get the dtype of another operand."""
    declared = attributes_of(name, attributes)
    if declared.takes_tuple:
        return Call(Op(name), [operands_of_tuple(operands)], declared)
    dtype = next((dtype for operand in operands if (dtype := _dtype_of(operand))), None)
    args = [
        const(operand, dtype)
        if isinstance(operand, int | float) and not isinstance(operand, bool)
        else as_expr(operand)
        for operand in operands
        if operand is not None
    ]
    return Call(Op(name), args, declared)


def operands_of_tuple(operands: Sequence[Any]) -> Expr:
    """The operands of an operator that takes a tuple as this tuple."""
    if len(operands) == 1 and not isinstance(operands[0], Expr):
        return as_expr(operands[0])
    if len(operands) == 1:
        return operands[0]
    return Tuple(list(operands))


def _parts_of(
    name: str, parameter: str, parts: Sequence[str], value: Any
) -> Iterator[tuple[str, Any]]:
    """The operands that a tuple of a program stands for, with their names.

    Raises GraphError KC2405 for a tuple of another length.
    """
    fields = value.fields if isinstance(value, Tuple) else value
    is_tuple = isinstance(fields, list | tuple | TupleWrapper)
    if len(parts) == 1 and parts[0].startswith("*"):
        for field in fields if is_tuple else [value]:
            yield parts[0][1:], field
    elif is_tuple and len(fields) == len(parts):
        yield from zip(parts, fields, strict=True)
    elif all(hasattr(value, part.removeprefix("sparse_")) for part in parts):
        for part in parts:  # a matrix of scipy: data, indices, indptr
            yield part, getattr(value, part.removeprefix("sparse_"))
    else:
        raise GraphError(
            "KC2405",
            f"relay.{name}: {parameter} is {value!r}",
            location=caller_location(),
            why=f"it must be a tuple of {', '.join(parts)}",
        )


def _dtype_of(operand: Any) -> str | None:
    """The dtype of an expression, where it is written on it."""
    seen = 0
    while isinstance(operand, Call) and operand.args and seen < 100:
        attrs = operand.attrs
        stated = getattr(attrs, "dtype", "") or getattr(attrs, "out_dtype", "")
        if getattr(operand.op, "name", "") == "qnn.dequantize":
            stated = "float32"
        if stated:
            return stated
        operand, seen = operand.args[0], seen + 1
    type_ = getattr(operand, "_checked_type", None)
    return getattr(type_, "dtype", None)


@cache
def operator_function(name: str) -> Callable[..., Any]:
    """The function of Relay that calls an operator."""
    declaration = declaration_of(name)
    operands = [each.lstrip("*").rstrip("?") for each in declaration.inputs]
    optional = {each.rstrip("?") for each in declaration.inputs if each.endswith("?")}
    is_tuple = declaration.takes_tuple
    variadic = [each[1:] for each in declaration.inputs if each.startswith("*")]
    names = [*operands, *declaration.tuple_parameters]
    defaults = {each: None if each in optional else inspect.Parameter.empty for each in names}
    for slot in slots(declaration):
        is_required = slot.default is REQUIRED
        defaults[slot.name] = inspect.Parameter.empty if is_required else slot.default
    parameters: list[inspect.Parameter] = []
    has_default = False
    for each in declaration.parameter_names():
        default = defaults[each]
        has_default = has_default or default is not inspect.Parameter.empty
        if has_default and default is inspect.Parameter.empty:
            default = None
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(inspect.Parameter(each, kind, default=default))
    signature = inspect.Signature(parameters)

    def function(*args: Any, **options: Any) -> Any:
        try:
            bound = signature.bind(*args, **options)
        except TypeError as error:
            raise GraphError(
                "KC2405",
                f"relay.{name}: {error}",
                location=caller_location(),
                hints=[f"its parameters are {', '.join(signature.parameters)}"],
            ) from error
        values = dict(bound.arguments)
        grouped: dict[str, list[Any]] = {}
        for parameter, parts in declaration.tuple_parameters.items():
            value = values.pop(parameter)
            for part, operand in _parts_of(name, parameter, parts, value):
                grouped.setdefault(part, []).append(operand)
        passed: list[Any] = []
        for each in operands:
            operand = values.pop(each, None)
            if each in grouped:
                passed += grouped[each]
            elif each in variadic and isinstance(operand, list | tuple) and not is_tuple:
                passed += operand
            else:
                passed.append(operand)
        call = call_operator(name, passed, values)
        count = call.attrs.result_count(len(passed))
        if count is None:
            return call
        results = TupleWrapper(call, count)
        return results[0] if declaration.takes_first else results

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = declaration.__doc__
    function.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
    return function
