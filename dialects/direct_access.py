"""Operands, results and regions by their names, read from where an operation has them.

xDSL's descriptors make a view of all operands at each access, and unpack the sizes of the parts
that vary in number. Analyses read the operations of tir so often that this was a twentieth of a
build.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Operation, SSAValues
from xdsl.irdl import operations as irdl

OperationT = TypeVar("OperationT", bound=Operation)

_item: Callable[[Any, Any], Any] = tuple.__getitem__  # that of SSAValues looks at the index first
_SEGMENTS = "operandSegmentSizes"


def with_direct_access(cls: type[OperationT]) -> type[OperationT]:
    """A decorator of an operation's definition, whose accessors it replaces."""
    for name, accessor in list(vars(cls).items()):
        read = _reader(accessor)
        if read is not None:
            setattr(cls, name, property(read))
    return cls


def values_of(array: DenseArrayBase[IntegerType]) -> tuple[int, ...]:
    """The integers of an array, which are kept on it: it never changes."""
    values: tuple[int, ...] | None = array.__dict__.get("_kc_values")
    if values is None:
        values = array.get_values()
        object.__setattr__(array, "_kc_values", values)
    return values


def _reader(accessor: object) -> Callable[[Any], Any] | None:
    """What reads the same as a descriptor of xDSL's; None where that is left to it."""
    match accessor:
        case irdl.BeforeVariadicSingleAccessor(irdl.VarIRConstruct.OPERAND, index):
            return lambda op: _item(op._operands, index)
        case irdl.BeforeVariadicSingleAccessor(irdl.VarIRConstruct.RESULT, index):
            return lambda op: _item(op.results, index)
        case irdl.BeforeVariadicSingleAccessor(irdl.VarIRConstruct.REGION, index):
            return lambda op: op.regions[index]
        case irdl.UniqueVariadicAccessor(irdl.VarIRConstruct.OPERAND, index, count) if (
            index == count - 1
        ):
            rest = slice(index, None)
            return lambda op: SSAValues(_item(op._operands, rest))
        case irdl.VariadicAttrAccessor(irdl.VarIRConstruct.OPERAND, index, option) if (
            option.attribute_name == _SEGMENTS and option.as_property
        ):
            return lambda op: _part(op, index)
        case _:
            return None


def _part(op: Any, index: int) -> SSAValues:
    sizes = values_of(op.properties[_SEGMENTS])
    start = sum(sizes[:index])
    return SSAValues(_item(op._operands, slice(start, start + sizes[index])))
