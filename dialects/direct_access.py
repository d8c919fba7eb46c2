"""Direct access to operands, results and regions of operations, without xDSL's definitions.

xDSL's descriptors build a view of all operands at each access and unpack the sizes of variadic
parts. Its constructors compare all parts with the definition, which the verifier does again later.
Analyses read tir operations, and conversions build operations, so often that this took a tenth of a
build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC, DenseArrayBase, IntegerType
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue, SSAValues, Use
from xdsl.irdl import operations as irdl

OperationT = TypeVar("OperationT", bound=Operation)

_item: Callable[[Any, Any], Any] = tuple.__getitem__  # that of SSAValues looks at the index first
_SEGMENTS = "operandSegmentSizes"


def with_direct_access(cls: type[OperationT]) -> type[OperationT]:
    """Decorate an operation's definition: replace its accessors by direct ones."""
    for name, accessor in list(vars(cls).items()):
        read = _reader(accessor)
        if read is not None:
            setattr(cls, name, property(read))
    return cls


def set_parts(
    new: Operation,
    operands: Iterable[SSAValue],
    result_types: Iterable[Attribute],
    properties: Mapping[str, Attribute],
    regions: Sequence[Region] = (),
) -> None:
    """Set all parts of an empty operation, in half the time of ``Operation.__init__``.

    The operation has no successors, and ``properties`` include those with default values.
    """
    op: Any = new
    values = SSAValues(operands)
    uses = tuple([Use(op, n) for n in range(len(values))])
    for value, use in zip(values, uses, strict=True):
        value.add_use(use)
    op._operands, op._operand_uses = values, uses
    op.results = SSAValues([OpResult(type_, op, n) for n, type_ in enumerate(result_types)])
    op.properties, op.attributes = dict(properties), {}
    op.location = UNKNOWN_LOC
    op._successors = op._successor_uses = op.regions = ()
    for region in regions:
        op.add_region(region)


def move_before(source: Block, anchor: Operation) -> None:
    """Move all operations of ``source`` before ``anchor``, which is in another block and not inside
    any of them. This is several times faster than detaching and inserting each operation.
    """
    first: Any = source.first_op
    last: Any = source.last_op
    home: Any = anchor.parent
    if first is None:
        return
    op = first
    while op is not None:
        op.parent = home
        op = op._next_op
    emptied: Any = source
    emptied._first_op = emptied._last_op = None
    behind: Any = anchor
    before = behind._prev_op
    first._prev_op, last._next_op, behind._prev_op = before, behind, last
    if before is None:
        home._first_op = first
    else:
        before._next_op = first


def initialize(
    new: Operation,
    operands: Iterable[SSAValue],
    result_types: Iterable[Attribute],
    properties: Mapping[str, Attribute],
    regions: Sequence[Region] = (),
) -> None:
    """:func:`set_parts` for constructors; an implicit builder then adds the operation to its
    block.
    """
    set_parts(new, operands, result_types, properties, regions)
    Operation.__post_init__(new)


def new_operation(
    kind: type[OperationT],
    operands: Iterable[SSAValue],
    result_types: Iterable[Attribute],
    properties: Mapping[str, Attribute],
) -> OperationT:
    """A detached operation of a class, with the parts of :func:`set_parts`."""
    op = object.__new__(kind)
    set_parts(op, operands, result_types, properties)
    return op


def values_of(array: DenseArrayBase[IntegerType]) -> tuple[int, ...]:
    """The integers of an array, cached on the array, which is immutable."""
    values: tuple[int, ...] | None = array.__dict__.get("_kc_values")
    if values is None:
        values = array.get_values()
        object.__setattr__(array, "_kc_values", values)
    return values


def _reader(accessor: object) -> Callable[[Any], Any] | None:
    """A function equivalent to a descriptor of xDSL's; None if the descriptor is kept."""
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
