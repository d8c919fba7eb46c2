"""Declarations of operators, and the operations of the dialect that are made of them.

An operator is a dataclass: its fields are its attributes, and everything else derives from it: the
operation ``graph.nn.conv2d``, the function ``relay.nn.conv2d``, the text of Relay. ::

    @operator
    class Conv2D(Operator):
        '''The docstring of the operation and of the function.'''

        name = "nn.conv2d"
        inputs = ("data", "weight")
        pattern = Pattern.OUT_ELEMWISE_FUSABLE

        strides: tuple[int, ...] = (1, 1)

        def infer(self, data: TensorSpec, weight: TensorSpec) -> TensorSpec: ...

A name with a star in ``inputs`` stands for any number of operands (``"*data"``), one with a
question mark for an operand that may be absent. The operation has one result, which may be a tuple,
as an operator of Relay has; its operands are never tuples.

Nothing here imports a layer above. How an operator is computed is bound to its name by
``kc.graph.lowering``.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import numbers
import struct
import sys
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from xdsl.dialects.builtin import ArrayAttr, FunctionType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.graph.attribute_values import from_attr, to_attr
from kc.dialects.graph.sizes import SizeExpr
from kc.dialects.graph.types import (
    Spec,
    TensorSpec,
    UnknownType,
    are_compatible,
    spec_of,
    type_of,
    verify_type,
)
from kc.dialects.graph.values import ConstantOp, LetOp
from kc.support import registry
from kc.support.declarations import REQUIRED, Slot, slots
from kc.support.plugins import camel_case


class Pattern(enum.IntEnum):
    """The kinds of operators that fusion distinguishes, by Relay's names and numbers."""

    ELEMWISE = 0
    BROADCAST = 1
    INJECTIVE = 2
    COMM_REDUCE = 3
    OUT_ELEMWISE_FUSABLE = 4
    TUPLE = 7
    OPAQUE = 8


class RelationError(ValueError):
    """The operands or attributes of an operator do not fit: the message says which and why."""


class Operator:
    """The base of declarations of operators."""

    name: ClassVar[str]
    """The name in Relay: ``nn.conv2d`` for ``graph.nn.conv2d``."""
    inputs: ClassVar[tuple[str, ...]]
    """The names of the operands: ``*name`` for any number, ``name?`` for one that may be absent."""
    pattern: ClassVar[Pattern]
    is_pure: ClassVar[bool] = True
    """False if the result depends on more than the operands, as for random numbers."""
    takes_tuple: ClassVar[bool] = False
    """True if the operands are one tuple in Relay: ``concatenate((a, b))``."""
    takes_first: ClassVar[bool] = False
    """True if Relay's function returns the first part of the result alone."""
    value_inputs: ClassVar[tuple[str, ...]] = ()
    """The operands whose elements determine the sizes of the result: ``infer`` gets them as
    ``TensorSpec.value`` where they are known. If they are not, the sizes are unknown."""
    parameters: ClassVar[tuple[str, ...]] = ()
    """The parameters of Relay's function, unless these are the operands and then the attributes."""
    tuple_parameters: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The parameters of Relay's function that stand for several operands, with the names of these,
    as ``inputs`` writes them: ``sparse_mat`` of ``nn.sparse_dense``."""
    family: ClassVar[str] = ""
    """The stem of the module that declares it, which is that of its lowering too."""

    def infer(self, *operands: Any, **_: Any) -> Spec:
        """The result, for a :class:`TensorSpec` of each operand, or None for an absent one. A size
        that depends on the values of operands is None.

        Raises :class:`RelationError`.
        """
        raise NotImplementedError

    def infer_inputs(self, *operands: Any, **_: Any) -> tuple[TensorSpec | None, ...]:
        """The operands, of which those that are None may be inferred from the rest and the
        attributes, such as the weight of a convolution with ``channels`` and ``kernel_size``."""
        return operands

    def bound(self, *operands: Any, **_: Any) -> Spec | None:
        """The largest result for operands whose elements are not known, where :meth:`infer` gives
        sizes that depend on them; None if there is no limit."""
        del operands
        return None

    def result_count(self, operands: int) -> int | None:
        """The number of results of a call with that many operands; None for a single tensor."""
        del operands
        return None

    @classmethod
    def input_name(cls, position: int) -> str:
        """The name of an operand."""
        names = cls.inputs
        if names and names[-1].startswith("*") and position >= len(names) - 1:
            return f"{names[-1][1:]}[{position - len(names) + 1}]"
        return names[position].removesuffix("?") if position < len(names) else str(position)

    @classmethod
    def reads_value(cls, position: int) -> bool:
        """True if the elements of an operand determine sizes of the result."""
        return bool(cls.value_inputs) and cls.input_name(position) in cls.value_inputs

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        """The parameters of Relay's function, in order: names of operands and of attributes."""
        operands: dict[str, None] = {}
        for part in cls.inputs:
            tuples = [name for name, parts in cls.tuple_parameters.items() if part in parts]
            operands |= dict.fromkeys(tuples or [part.strip("*?")])
        return cls.parameters or (*operands, *(slot.name for slot in slots(cls)))

    def keys(self) -> list[str]:
        """The names of the attributes: ``{key: attrs[key] for key in attrs.keys()}``."""
        return [slot.name for slot in slots(type(self))]

    def __getitem__(self, name: str) -> Any:
        """An attribute. Raises KeyError if there is none of the name."""
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    def attributes(self) -> dict[str, Any]:
        """The attributes that differ from their defaults."""
        values: dict[str, Any] = {}
        for slot in slots(type(self)):
            value = getattr(self, slot.name)
            if slot.default is REQUIRED or value != slot.default:
                values[slot.name] = value
        return values


OPERATORS: dict[str, type[Operator]] = {}
"""The operators of the families that are loaded, by name; see :func:`all_operators`."""

_O = TypeVar("_O", bound=type[Operator])


@typing.dataclass_transform(frozen_default=True)
def operator(declaration: _O) -> _O:
    """Enter a declaration in the table of operators. A decorator of the class."""
    declared: Any = declaration
    if "__annotations__" in vars(declaration) or not dataclasses.is_dataclass(declaration):
        declared = dataclasses.dataclass(frozen=True)(declaration)
    declared.family = declared.__module__.rpartition(".")[2]
    OPERATORS[declared.name] = declared
    return declared


def declare_all(base: type[Operator], summaries: Mapping[str, str]) -> None:
    """Declare operators that differ in their names and docstrings alone: name -> docstring.

    They belong to the family of the module that calls this, whatever that of their base.
    """
    module = sys._getframe(1).f_globals["__name__"]  # pyright: ignore[reportPrivateUsage]
    for name, summary in summaries.items():
        members = {"__doc__": summary, "__module__": module, "name": name}
        operator(type(camel_case(name.rpartition(".")[2].replace("_", "-")), (base,), members))


def all_operators() -> Mapping[str, type[Operator]]:
    """The operators of all families, those of plugins too, by name."""
    for entry in registry.current().operator_families.values():
        entry.load()
    return OPERATORS


class OperatorOp(IRDLOperation):
    """An operator of a graph; the base of the operations that are made of declarations."""

    OPERATOR: ClassVar[type[Operator]]

    inputs = var_operand_def()
    result = result_def()

    @classmethod
    def create_from(
        cls,
        operands: Sequence[SSAValue],
        attributes: Mapping[str, Any] = {},
        result_type: Attribute | None = None,
    ) -> OperatorOp:
        """The operation with these attributes; its result is inferred where no type is passed.

        Raises :class:`RelationError`.
        """
        properties = {name: to_attr(value) for name, value in attributes.items()}
        operation = cls(
            operands=[list(operands)],
            properties=properties,
            result_types=[result_type or UnknownType()],
        )
        if result_type is None:
            spec = operation.inferred()
            if spec is not None:
                operation.results[0]._type = type_of(spec)  # pyright: ignore[reportPrivateUsage]
        return operation

    @property
    def operator(self) -> Operator:
        """The operator with the attributes of this operation. Raises :class:`RelationError`."""
        values: dict[str, Any] = {}
        for slot in slots(self.OPERATOR):
            if slot.name in self.properties:
                values[slot.name] = _checked(slot, self.properties[slot.name])
            elif slot.default is REQUIRED:
                raise RelationError(f"the attribute {slot.name} is missing")
        return self.OPERATOR(**values)

    def specs(self) -> list[TensorSpec | None]:
        """The types of the operands; None for one that is not known. Raises RelationError."""
        specs: list[TensorSpec | None] = []
        for position, operand in enumerate(self.inputs):
            spec = spec_of(operand.type)
            if isinstance(spec, tuple) or (
                spec is None and not isinstance(operand.type, UnknownType)
            ):
                raise RelationError(
                    f"operand {position} ({self.input_name(position)}) is {operand.type}, "
                    "but must be a tensor"
                )
            if spec is not None and self.OPERATOR.reads_value(position):
                spec = dataclasses.replace(spec, value=_known_value(operand))
            specs.append(spec)
        return specs

    def input_name(self, position: int) -> str:
        """The name of an operand."""
        return self.OPERATOR.input_name(position)

    def inferred(self) -> Spec | None:
        """The result's type by the type relation; None if an operand is not known.

        Raises :class:`RelationError`.
        """
        self._check_count()
        specs = self.specs()
        if any(spec is None for spec in specs):
            return None
        absent = sum(1 for name in self.OPERATOR.inputs if not name.startswith("*")) - len(specs)
        return self.operator.infer(*specs, *([None] * absent))

    def _check_count(self) -> None:
        names = self.OPERATOR.inputs
        least = sum(1 for name in names if not name.startswith("*") and not name.endswith("?"))
        most = None if any(name.startswith("*") for name in names) else len(names)
        if len(self.inputs) < least or (most is not None and len(self.inputs) > most):
            expected = ", ".join(names) or "none"
            raise RelationError(f"it has {len(self.inputs)} operands, but takes {expected}")

    def verify_(self) -> None:
        try:
            inferred = self.inferred()
        except RelationError as error:
            raise VerifyException(f"{self.name}: {error}") from error
        verify_type(self.result.type)
        declared = spec_of(self.result.type)
        if isinstance(self.result.type, UnknownType):
            return
        if inferred is not None and (declared is None or not are_compatible(inferred, declared)):
            raise VerifyException(
                f"{self.name}: its result is {type_of(inferred)}, but {self.result.type} is "
                "declared"
            )

    @classmethod
    def parse(cls, parser: Parser) -> OperatorOp:
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_punctuation("<") is not None:
            while parser.parse_optional_punctuation(">") is None:
                name = parser.parse_identifier()
                parser.parse_punctuation("=")
                properties[name] = _plain(parser)
                if parser.parse_optional_punctuation(",") is None:
                    parser.parse_punctuation(">")
                    break
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        type_ = parser.parse_type()
        if not isinstance(type_, FunctionType) or len(type_.outputs) != 1:
            parser.raise_error(f"{cls.name}: expected (types) -> type", position)
        values = parser.resolve_operands(operands, type_.inputs.data, position)
        operation = cls(
            operands=[values], properties=properties, result_types=[type_.outputs.data[0]]
        )
        operation.attributes.update(attributes)
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_list(self.inputs, printer.print_ssa_value)
        printer.print_string(")")
        if self.properties:
            ordered = [s.name for s in slots(self.OPERATOR) if s.name in self.properties]
            ordered += sorted(self.properties.keys() - set(ordered))
            printer.print_string(" <")
            printer.print_list(
                ordered, lambda name: _print_plain(printer, name, self.properties[name])
            )
            printer.print_string(">")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(
            FunctionType.from_lists([value.type for value in self.inputs], [self.result.type])
        )


def _known_value(value: SSAValue) -> Any:
    """The elements of a constant, as an array; None for a value that is not known."""
    operation = value.owner
    while isinstance(operation, LetOp):
        operation = operation.value.owner
    if isinstance(operation, ConstantOp) and not operation.is_elided:
        return operation.array
    return None


def _checked(slot: Slot, attr: Attribute) -> Any:
    """The value of an attribute. Raises RelationError if its type is not the field's."""
    try:
        value = from_attr(attr)
    except TypeError as error:
        raise RelationError(str(error)) from error
    return _fitted(slot, value)


def _kinds(slot: Slot) -> tuple[Any, ...]:
    return (*slot.types, types.NoneType) if slot.optional else slot.types


def _fitted(slot: Slot, value: Any) -> Any:
    """A value as its field declares it: numbers as int or float, sequences as tuples.

    Raises RelationError for a value of another type.
    """
    try:
        return _as_kind(value, _kinds(slot))
    except (TypeError, ValueError):
        kinds = " or ".join(_written(kind) for kind in _kinds(slot))
        raise RelationError(
            f"the attribute {slot.name} is {value!r}, but must be of type {kinds}"
        ) from None


def _as_kind(value: Any, kinds: Sequence[Any]) -> Any:
    """A value as the first type that takes it. Raises TypeError if there is none."""
    if Any in kinds:  # of nested values
        return (
            tuple(_as_kind(part, kinds) for part in value)
            if isinstance(value, list | tuple)
            else value
        )
    if value is None and types.NoneType in kinds:
        return None
    if isinstance(value, bool):
        if bool in kinds:
            return value
    elif isinstance(value, numbers.Integral) and int in kinds:
        return int(value)
    elif isinstance(value, numbers.Real) and float in kinds:
        return float(value)
    elif isinstance(value, str) and str in kinds:
        return str(value)
    elif isinstance(value, SizeExpr) and SizeExpr in kinds:
        return value
    elif isinstance(value, list | tuple):
        for kind in kinds:
            if typing.get_origin(kind) is tuple:
                element, *rest = typing.get_args(kind)
                elements = [element] * len(value) if rest == [...] else [element, *rest]
                return tuple(
                    _as_kind(part, _members(own)) for part, own in zip(value, elements, strict=True)
                )
    raise TypeError(value)


def _members(kind: Any) -> tuple[Any, ...]:
    is_union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    return typing.get_args(kind) if is_union else (kind,)


def _written(kind: Any) -> str:
    if kind is types.NoneType:
        return "none"
    if typing.get_origin(kind) is None:
        return getattr(kind, "__name__", str(kind))
    return str(kind)


def _of_user(slot: Slot, value: Any) -> Any:
    """A value that a user passes for an attribute, in the one form that the attribute has.

    What numpy gives as scalars is taken, a number stands for a tuple of it, 0 and 1 for booleans,
    and None for a text that may be empty. Raises RelationError for a value of another type.
    """
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    kinds = _kinds(slot)
    takes_number = int in kinds or float in kinds
    if value is None and slot.default == "":
        return ""
    if isinstance(value, int) and value in (0, 1) and bool in kinds and not takes_number:
        return bool(value)
    takes_tuple = any(typing.get_origin(kind) is tuple for kind in kinds)
    is_alone = isinstance(value, int | SizeExpr) and not isinstance(value, bool)
    if is_alone and takes_tuple and not takes_number:
        value = (value,)
    return _fitted(slot, value)


def _plain(parser: Parser) -> Attribute:
    """An attribute in the custom form: ``2``, ``1.5``, ``"NCHW"``, ``true``, ``[1]``, ``none``."""
    if parser.parse_optional_keyword("none") is not None:
        return to_attr(None)
    if parser.parse_optional_punctuation("[") is not None:
        parts: list[Attribute] = []
        if parser.parse_optional_punctuation("]") is None:
            parts.append(_plain(parser))
            while parser.parse_optional_punctuation(",") is not None:
                parts.append(_plain(parser))
            parser.parse_punctuation("]")
        return ArrayAttr(parts)
    number = parser.parse_optional_number()
    if number is not None:
        if parser.parse_optional_punctuation(":") is not None:
            parser.parse_type()  # f64: the bits of an infinity or of NaN
            if isinstance(number, int):
                number = struct.unpack("<d", number.to_bytes(8, "little"))[0]
        return to_attr(number)
    return parser.parse_attribute()


def _print_plain(printer: Printer, name: str, attr: Attribute) -> None:
    printer.print_string(f"{name} = ")
    _print_value(printer, attr)


def _print_value(printer: Printer, attr: Attribute) -> None:
    try:
        value = from_attr(attr)
        is_plain = to_attr(value) == attr
    except TypeError:
        value, is_plain = None, False
    match value:
        case tuple() if is_plain:
            printer.print_string("[")
            printer.print_list(attr, lambda part: _print_value(printer, part))  # pyright: ignore
            printer.print_string("]")
        case None if is_plain:
            printer.print_string("none")
        case bool() if is_plain:
            printer.print_string("true" if value else "false")
        case int() if is_plain:
            printer.print_string(str(value))
        case float() if is_plain and math.isfinite(value):
            printer.print_string(_written_float(value))
        case _:
            printer.print_attribute(attr)


def _written_float(value: float) -> str:
    """The shortest text of a number, with the point that floats of MLIR have."""
    digits, exponent, power = repr(value).partition("e")
    return f"{digits if '.' in digits else digits + '.0'}{exponent}{power}"


def operation_class(declaration: type[Operator]) -> type[OperatorOp]:
    """The class of the operation of an operator, made when it is first asked for."""
    operation = _CLASSES.get(declaration)
    if operation is None:
        members: dict[str, Any] = {
            "name": f"graph.{declaration.name}",
            "__doc__": declaration.__doc__,
            "__module__": declaration.__module__,
            **{
                f"{slot.name}_attr": opt_prop_def(prop_name=slot.name)
                for slot in slots(declaration)
            },
        }
        if declaration.is_pure:
            members["traits"] = traits_def(Pure())
        operation = irdl_op_definition(type(f"{declaration.__name__}Op", (OperatorOp,), members))
        operation.OPERATOR = declaration
        _CLASSES[declaration] = operation
    return operation


_CLASSES: dict[type[Operator], type[OperatorOp]] = {}


def operator_op(name: str) -> type[OperatorOp]:
    """The class of the operation of the operator of this name. Raises KeyError."""
    return operation_class(all_operators()[name])


def call(
    name: str, *operands: SSAValue, result_type: Attribute | None = None, **attributes: Any
) -> OperatorOp:
    """The operation of the operator ``name``: ``call("nn.conv2d", x, w, strides=(2, 2))``.

    Attributes equal to their defaults are left out; a number stands for a tuple of it. Raises
    KeyError for an unknown operator, :class:`RelationError` for operands that do not fit.
    """
    declaration = all_operators()[name]
    fields = {slot.name: slot for slot in slots(declaration)}
    unknown = attributes.keys() - fields.keys()
    if unknown:
        raise RelationError(f"{name} has no attribute {min(unknown)}")
    written: dict[str, Any] = {}
    for word, slot in fields.items():
        if word in attributes:
            value = _of_user(slot, attributes[word])
            if slot.default is REQUIRED or value != slot.default:
                written[word] = value
    return operation_class(declaration).create_from(operands, written, result_type)
