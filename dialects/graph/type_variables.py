"""Types with parameters: those of a data type, and of a function of values of any type."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import FunctionType, TupleType
from xdsl.ir import Attribute

from kc.dialects.graph.types import (
    AdtType,
    FnType,
    RefType,
    TypeVarType,
    UnknownType,
    merged_type,
    tuple_type,
)


def variables_of(type_: Attribute) -> list[str]:
    """The names of the type parameters of a type, each once."""
    match type_:
        case TypeVarType():
            return [type_.symbol.data]
        case TupleType():
            parts: list[Attribute] = list(type_.types)
        case FunctionType():
            parts = [*type_.inputs, *type_.outputs]
        case FnType():
            parts = [type_.inputs, type_.output]
        case AdtType():
            parts = [type_.arguments]
        case RefType():
            parts = [type_.value]
        case _:
            parts = []
    return list(dict.fromkeys(name for part in parts for name in variables_of(part)))


def solve(declared: Attribute, actual: Attribute, values: dict[str, Attribute]) -> bool:
    """Find what the parameters of a declared type are in an actual one: ``values`` gets them.

    False if no values make the types one.
    """
    match declared, actual:
        case TypeVarType(), _:
            name = declared.symbol.data
            before = values.get(name, UnknownType())
            merged = actual if before == actual else merged_type(before, actual)
            if merged is None:
                return False
            values[name] = merged
            return True
        case _, UnknownType():
            return True
        case TupleType(), TupleType():
            return len(declared.types) == len(actual.types) and all(
                [solve(a, b, values) for a, b in zip(declared.types, actual.types, strict=True)]
            )
        case FnType(), FnType():
            inputs = solve(declared.inputs, actual.inputs, values)
            return solve(declared.output, actual.output, values) and inputs
        case AdtType(), AdtType():
            return declared.symbol == actual.symbol and solve(
                declared.arguments, actual.arguments, values
            )
        case RefType(), RefType():
            return solve(declared.value, actual.value, values)
        case _:
            return merged_type(declared, actual) is not None


def substitute_types(type_: Attribute, values: Mapping[str, Attribute]) -> Attribute:
    """A type with its parameters replaced; a parameter without a value is unknown."""
    match type_:
        case TypeVarType():
            return values.get(type_.symbol.data, UnknownType())
        case TupleType():
            return tuple_type([substitute_types(part, values) for part in type_.types])
        case FnType():
            inputs = [substitute_types(part, values) for part in type_.inputs.types]
            return FnType(tuple_type(inputs), substitute_types(type_.output, values))
        case AdtType():
            arguments = [substitute_types(part, values) for part in type_.arguments.types]
            return AdtType(type_.symbol, tuple_type(arguments))
        case RefType():
            return RefType(substitute_types(type_.value, values))
        case _:
            return type_
