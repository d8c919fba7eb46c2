"""The ``tosa`` dialect in MLIR 22's form, which TFLite, torch and JAX export for devices.

xDSL has a part of it, with the text of an earlier version. Here every op of TOSA's inference
profiles, except shape arithmetic, is a row of :data:`OPS` with its operands and its properties.
Control flow is in ``tosa_control``, variables are in ``tosa_variables``. All rows use the same
text::

    %1 = tosa.max_pool2d %0 {kernel = array<i64: 2, 2>, ...} : (tensor<...>) -> tensor<...>

Operands that are sizes have the type ``!tosa.shape<rank>``. Requirements beyond types and counts
are checked at the conversion (``tosa-to-linalg``). (TOSA 1.0; upstream's TosaOps.td.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FunctionType,
    IntAttr,
    IntegerAttr,
    TensorType,
)
from xdsl.dialects.tosa import NanMode, NanModeAttr, RoundingMode, RoundingModeAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from kc.dialects.tosa_control import CondIfOp, WhileOp, YieldOp
from kc.dialects.tosa_variables import VariableOp, VariableReadOp, VariableWriteOp


@irdl_attr_definition
class ShapeType(ParametrizedAttribute, TypeAttribute):
    """``!tosa.shape<rank>``: a list of ``rank`` sizes."""

    name = "tosa.shape"

    rank: IntAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_negative=False))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.rank.data))


class ResizeMode(StrEnum):
    """The interpolation of ``tosa.resize`` between the elements around a point."""

    NEAREST_NEIGHBOR = "NEAREST_NEIGHBOR"
    BILINEAR = "BILINEAR"


@irdl_attr_definition
class ResizeModeAttr(EnumAttribute[ResizeMode]):
    """``#tosa.resize_mode<BILINEAR>``."""

    name = "tosa.resize_mode"

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ResizeMode:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(ResizeMode)


_MODES: dict[str, tuple[type[StrEnum], Callable[[Any], Attribute]]] = {
    "nan_mode": (NanMode, NanModeAttr),
    "rounding_mode": (RoundingMode, RoundingModeAttr),
    "mode": (ResizeMode, ResizeModeAttr),
}
"""The properties whose value is a bare word in the text."""


class TosaOp(IRDLOperation):
    """An op on tensors: operands, properties, and one result (transforms have two)."""

    inputs = var_operand_def(base(TensorType) | base(ShapeType))
    outputs = var_result_def(base(TensorType) | base(ShapeType))

    traits = traits_def(Pure())

    @property
    def row(self) -> Row:
        """The row of :data:`OPS` for this op."""
        return OPS[self.name.removeprefix("tosa.")]

    def verify_(self) -> None:
        row = self.row
        if row.operands[-1:] != ("...",) and len(self.inputs) != len(row.operands):
            expected = f"{len(row.operands)} operands ({', '.join(row.operands)})"
            raise VerifyException(f"takes {expected}, not {len(self.inputs)}")
        if row.operands[-1:] == ("...",) and not self.inputs:
            raise VerifyException("takes at least one operand")
        if len(self.outputs) != row.results:
            raise VerifyException(f"has {row.results} results, not {len(self.outputs)}")
        for name, operand in zip(row.operands, self.inputs, strict=False):
            if (name in SHAPES) != isinstance(operand.type, ShapeType):
                expected = "a !tosa.shape" if name in SHAPES else "a tensor"
                raise VerifyException(f"its {name} must be {expected}, not {operand.type}")

    @classmethod
    def parse(cls, parser: Parser) -> TosaOp:
        names = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = _parse_properties(parser)
        parser.parse_punctuation(":")
        position = parser.pos
        type_ = parser.parse_type()
        if not isinstance(type_, FunctionType):
            parser.raise_error(f"{cls.name}: expected (types) -> type", position)
        inputs = parser.resolve_operands(names or (), type_.inputs.data, position)
        defined = cls.get_irdl_definition().properties
        return cls.build(
            operands=[inputs],
            result_types=[type_.outputs.data],
            properties={name: value for name, value in attributes.items() if name in defined},
            attributes={name: value for name, value in attributes.items() if name not in defined},
        )

    def print(self, printer: Printer) -> None:
        if self.inputs:
            printer.print_string(" ")
            printer.print_list(self.inputs, printer.print_ssa_value)
        shown = {
            name: value
            for name, value in sorted({**self.properties, **self.attributes}.items())
            if value != _DEFAULTS.get(name)
        }
        if shown:
            printer.print_string(" {")
            printer.print_list(shown.items(), lambda item: _print_property(printer, *item))
            printer.print_string("}")
        printer.print_string(" : ")
        printer.print_operation_type(self)


_DEFAULTS: dict[str, Attribute] = {"nan_mode": NanModeAttr(NanMode.PROPAGATE)}


def _parse_properties(parser: Parser) -> dict[str, Attribute]:
    def entry() -> tuple[str, Attribute]:
        name = parser.parse_identifier()
        parser.parse_punctuation("=")
        if name in _MODES:
            words, make = _MODES[name]
            word = parser.parse_optional_str_enum(words)
            if word is not None:
                return name, make(word)
        return name, parser.parse_attribute()

    listed = parser.parse_optional_comma_separated_list(parser.Delimiter.BRACES, entry)
    return dict(listed or ())


def _print_property(printer: Printer, name: str, value: Attribute) -> None:
    printer.print_string(f"{name} = ")
    if name in _MODES and isinstance(value, EnumAttribute):
        printer.print_string(str(value.data))
    else:
        printer.print_attribute(value)


@irdl_op_definition
class ConstOp(IRDLOperation):
    """``"tosa.const"() <{values = dense<...> : tensor<...>}> : () -> tensor<...>``."""

    name = "tosa.const"

    values = prop_def()
    output = result_def(TensorType)

    traits = traits_def(Pure())


@dataclass(frozen=True)
class Row:
    """The operands of an op. ``...`` marks a variadic last operand, ``?`` an optional one."""

    operands: tuple[str, ...]
    properties: tuple[str, ...] = ()
    results: int = 1


SHAPES = frozenset({"padding", "shape", "start", "size", "multiples", "scale", "offset", "border"})
"""The operands of type ``!tosa.shape``."""

_ARRAY, _FLAG, _NUMBER = DenseArrayBase, BoolAttr, IntegerAttr
_TYPES: dict[str, Any] = {
    "kernel": _ARRAY,
    "pad": _ARRAY,
    "out_pad": _ARRAY,
    "stride": _ARRAY,
    "dilation": _ARRAY,
    "perms": _ARRAY,
    "axis": _NUMBER,
    "acc_type": TypeAttribute,
    "local_bound": _FLAG,
    "nan_mode": NanModeAttr,
    "rounding_mode": RoundingModeAttr,
    "mode": ResizeModeAttr,
    "values": DenseIntOrFPElementsAttr,
}

_CONVOLUTION = ("input", "weight", "bias", "input_zp", "weight_zp")
_WINDOWS = ("pad", "stride", "dilation", "acc_type", "local_bound?")
_UNARY = (
    *("abs", "bitwise_not", "ceil", "clz", "cos", "erf", "exp", "floor", "log", "logical_not"),
    *("reciprocal", "rsqrt", "sigmoid", "sin", "tanh", "identity", "cast"),
)
_BINARY = (
    *("add", "sub", "pow", "intdiv", "bitwise_and", "bitwise_or", "bitwise_xor"),
    *("logical_and", "logical_or", "logical_xor", "logical_left_shift", "logical_right_shift"),
    *("equal", "greater", "greater_equal"),
)

OPS: dict[str, Row] = {
    **{name: Row(("input",)) for name in _UNARY},
    **{name: Row(("lhs", "rhs")) for name in _BINARY},
    "arithmetic_right_shift": Row(("lhs", "rhs"), ("round",)),
    "maximum": Row(("lhs", "rhs"), ("nan_mode?",)),
    "minimum": Row(("lhs", "rhs"), ("nan_mode?",)),
    "mul": Row(("lhs", "rhs", "shift")),
    "negate": Row(("input", "input_zp", "output_zp")),
    "select": Row(("predicate", "on_true", "on_false")),
    "clamp": Row(("input",), ("min_val", "max_val", "nan_mode?")),
    "table": Row(("input", "table")),
    "rescale": Row(
        ("input", "multiplier", "shift_values", "input_zp", "output_zp"),
        ("scale32", "rounding_mode", "per_channel", "input_unsigned", "output_unsigned"),
    ),
    **{f"reduce_{name}": Row(("input",), ("axis",)) for name in ("all", "any", "product", "sum")},
    "reduce_max": Row(("input",), ("axis", "nan_mode?")),
    "reduce_min": Row(("input",), ("axis", "nan_mode?")),
    "argmax": Row(("input",), ("axis", "nan_mode?")),
    "concat": Row(("inputs", "..."), ("axis",)),
    "pad": Row(("input", "padding", "pad_const")),
    "reshape": Row(("input", "shape")),
    "reverse": Row(("input",), ("axis",)),
    "slice": Row(("input", "start", "size")),
    "tile": Row(("input", "multiples")),
    "transpose": Row(("input",), ("perms",)),
    "gather": Row(("values", "indices")),
    "scatter": Row(("values_in", "indices", "input")),
    "resize": Row(("input", "scale", "offset", "border"), ("mode",)),
    "const_shape": Row((), ("values",)),
    "conv2d": Row(_CONVOLUTION, _WINDOWS),
    "conv3d": Row(_CONVOLUTION, _WINDOWS),
    "depthwise_conv2d": Row(_CONVOLUTION, _WINDOWS),
    "transpose_conv2d": Row(_CONVOLUTION, ("out_pad", "stride", "acc_type", "local_bound?")),
    "matmul": Row(("a", "b", "a_zp", "b_zp")),
    "max_pool2d": Row(("input",), ("kernel", "stride", "pad", "nan_mode?")),
    "avg_pool2d": Row(("input", "input_zp", "output_zp"), ("kernel", "stride", "pad", "acc_type")),
    "fft2d": Row(("input_real", "input_imag"), ("inverse", "local_bound?"), 2),
    "rfft2d": Row(("input_real",), ("local_bound?",), 2),
}
"""The ops by name, as the specification lists their operands and attributes."""


def _define(name: str, row: Row) -> type[TosaOp]:
    body: dict[str, Any] = {"name": f"tosa.{name}", "__doc__": f"``tosa.{name}``."}
    for entry in row.properties:
        optional, key = entry.endswith("?"), entry.removesuffix("?")
        body[key] = (opt_prop_def if optional else prop_def)(_TYPES.get(key, Attribute))
    title = "".join(part.capitalize() for part in name.split("_"))
    return irdl_op_definition(type(f"{title}Op", (TosaOp,), body))


CLASSES: dict[str, type[TosaOp]] = {name: _define(name, row) for name, row in OPS.items()}
"""The classes of :data:`OPS`, by their names without ``tosa.``."""

TOSA = Dialect(
    "tosa",
    [
        ConstOp,
        *CLASSES.values(),
        CondIfOp,
        WhileOp,
        YieldOp,
        VariableOp,
        VariableReadOp,
        VariableWriteOp,
    ],
    [ShapeType, NanModeAttr, RoundingModeAttr, ResizeModeAttr],
)
