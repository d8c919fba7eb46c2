"""``tir.call_extern``: calls of C and Python functions, which are not IR.

A C function receives a pointer to the first element of each buffer, and scalars by value. A packed
function is a Python function registered under a global name; it receives arrays, numbers and text.
Neither accesses memory of the program except the buffers that it receives.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerType,
    MemRefType,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from kc.dialects.float_types import float_dtype
from kc.dialects.tir.views import MODES, accesses_of, strides_of
from kc.support.locations import location_of
from kc.support.packed_signature import (
    UNKNOWN,
    PackedArray,
    PackedParameter,
    PackedScalar,
    PackedSignature,
    PackedText,
)

TRACED = "kc.traced"
UNSIGNED = "kc.unsigned"
"""The attribute that lists the unsigned operands by number; the number after the last operand is
the result.
"""


STARTS = "kc.starts"
"""The attribute that marks operands as indices of the element whose address is passed: for each
operand, the operand number of the buffer, or :data:`NO_START`.
"""
NO_START = -1


class _CallEffects(MemoryEffect):
    """A call reads and writes memory unless it is declared pure."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        if isinstance(op, CallExternOp) and op.is_pure:
            return set()
        return {EffectInstance(MemoryEffectKind.READ), EffectInstance(MemoryEffectKind.WRITE)}


@irdl_op_definition
class CallExternOp(IRDLOperation):
    """``%r = tir.call_extern pure "cbrtf"(%x) : (f32) -> f32``: a call out of the program.

    ``tir.call_extern packed "my.add"("text", read %A, write %C, %n) : (memref<8xf32>, ...)``. Only
    packed functions accept text. Each buffer is read, written, or both, as for ``tir.call``. A
    ``pure`` call has no effects, takes no buffer, and returns the same value for the same
    arguments. ``kc.unsigned`` lists the unsigned operands (and by the next number, an unsigned
    result). With ``kc.traced``, a Python function that returns None returns its last operand.
    """

    name = "tir.call_extern"

    arguments = var_operand_def()
    callee = prop_def(StringAttr)
    modes = prop_def(ArrayAttr[StringAttr])
    texts = prop_def(ArrayAttr[StringAttr | UnitAttr])
    packed = opt_prop_def(UnitAttr)
    pure = opt_prop_def(UnitAttr)
    values = var_result_def()

    traits = traits_def(_CallEffects())

    def __init__(
        self,
        callee: str,
        arguments: Sequence[SSAValue | str],
        modes: Sequence[str | None],
        results: Sequence[Attribute] = (),
        *,
        packed: bool = False,
        pure: bool = False,
    ) -> None:
        """``modes`` has one of "read", "write", "update" for each buffer, None for other values."""
        pairs = list(zip(arguments, modes, strict=True))
        operands = [(argument, mode) for argument, mode in pairs if isinstance(argument, SSAValue)]
        properties: dict[str, Attribute] = {
            "callee": StringAttr(callee),
            "modes": ArrayAttr([StringAttr(mode or "") for _, mode in operands]),
            "texts": ArrayAttr(
                [
                    StringAttr(argument) if isinstance(argument, str) else UnitAttr()
                    for argument in arguments
                ]
            ),
        }
        if packed:
            properties["packed"] = UnitAttr()
        if pure:
            properties["pure"] = UnitAttr()
        super().__init__(
            operands=[[operand for operand, _ in operands]],
            properties=properties,
            result_types=[list(results)],
        )

    @property
    def label(self) -> str:
        """The function's name."""
        return self.callee.data

    @property
    def is_packed(self) -> bool:
        """True if it calls a Python function."""
        return self.packed is not None

    @property
    def is_pure(self) -> bool:
        """True if the call has no effects and its result depends on the arguments alone."""
        return self.pure is not None

    @property
    def accesses(self) -> list[tuple[SSAValue, bool, bool]]:
        """For each buffer, two flags: it is read, and it is written."""
        return accesses_of(self.arguments, self.modes)

    @property
    def passed(self) -> list[tuple[int, list[int]]]:
        """The arguments of the function as operand numbers: a value, or a buffer with the indices
        of the element whose address is passed (empty for the first element).
        """
        attr = self.attributes.get(STARTS)
        starts = list(attr.iter_values()) if isinstance(attr, DenseArrayBase) else []
        passed = {n: list[int]() for n in range(len(self.arguments))}
        for n, buffer in enumerate(starts):
            if buffer != NO_START:
                passed[int(buffer)].append(n)
                del passed[n]
        return list(passed.items())

    @property
    def dtypes(self) -> tuple[list[str], str | None]:
        """The element types of the operands, and of the result."""
        attr = self.attributes.get(UNSIGNED)
        unsigned = set(attr.iter_values()) if isinstance(attr, DenseArrayBase) else set()
        types = [value.type for value in (*self.arguments, *self.values)]
        dtypes = [dtype_name(type_, n in unsigned) for n, type_ in enumerate(types)]
        count = len(self.arguments)
        return dtypes[:count], dtypes[count] if self.values else None

    @property
    def signature(self) -> PackedSignature:
        """The parameters that a call of a packed function passes."""
        dtypes, result = self.dtypes
        operands = iter(zip(self.arguments, self.modes, dtypes, strict=True))
        parameters: list[PackedParameter] = []
        for text in self.texts:
            if isinstance(text, StringAttr):
                parameters.append(PackedText(text.data))
                continue
            value, mode, dtype = next(operands)
            if not isinstance(value.type, MemRefType):
                parameters.append(PackedScalar(dtype))
                continue
            dense = value.type.layout.name == "none"
            strides = (
                None
                if dense
                else tuple(
                    UNKNOWN if stride is None else stride for stride in strides_of(value.type)
                )
            )
            shape = tuple(
                UNKNOWN if size == DYNAMIC_INDEX else size for size in value.type.get_shape()
            )
            parameters.append(PackedArray(dtype, shape, strides, mode.data != "read"))
        traced = TRACED in self.attributes
        return PackedSignature(self.label, tuple(parameters), result, traced, location_of(self))

    def verify_(self) -> None:
        where = f"tir.call_extern: {self.label}"
        if not self.label:
            raise VerifyException("tir.call_extern: the function has no name")
        if len(self.values) > 1:
            raise VerifyException(f"{where} has {len(self.values)} results; a call has at most one")
        if any(isinstance(value.type, MemRefType) for value in self.values):
            raise VerifyException(f"{where} returns a buffer; a call returns a scalar")
        count = sum(isinstance(text, UnitAttr) for text in self.texts)
        if count != len(self.arguments) or len(self.modes) != len(self.arguments):
            raise VerifyException(
                f"{where} has {len(self.arguments)} operands, places for {count} and "
                f"{len(self.modes)} modes"
            )
        if count != len(self.texts) and not self.is_packed:
            raise VerifyException(f"{where} is given text, which only packed functions take")
        for n, (value, mode) in enumerate(zip(self.arguments, self.modes, strict=True)):
            is_buffer = isinstance(value.type, MemRefType)
            if is_buffer != (mode.data in MODES):
                raise VerifyException(
                    f"{where}: operand {n} of type {value.type} is "
                    + (f"'{mode.data}'" if mode.data else "neither read nor written")
                    + f"; a buffer is one of {', '.join(MODES)}, other values are none"
                )
            if is_buffer and self.is_pure:
                raise VerifyException(
                    f"{where}: operand {n} is a buffer; a pure function takes scalars"
                )
        if self.is_pure and not self.values:
            raise VerifyException(f"{where} is pure and has no result, so it has no effect")

    @classmethod
    def parse(cls, parser: Parser) -> CallExternOp:
        packed = parser.parse_optional_keyword("packed") is not None
        pure = parser.parse_optional_keyword("pure") is not None
        callee = parser.parse_str_literal(" (the name of a function)")
        arguments: list[str | UnresolvedOperand] = []
        modes: list[str | None] = []

        def parse_argument() -> None:
            text = parser.parse_optional_str_literal()
            modes.append(None if text is not None else parser.parse_optional_keyword_in(MODES))
            arguments.append(parser.parse_unresolved_operand() if text is None else text)

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        results = [parser.parse_type()] if parser.parse_optional_punctuation("->") else []
        names = [argument for argument in arguments if not isinstance(argument, str)]
        values = iter(parser.resolve_operands(names, types, position))
        op = cls(
            callee,
            [argument if isinstance(argument, str) else next(values) for argument in arguments],
            modes,
            results,
            packed=packed,
            pure=pure,
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" packed" if self.is_packed else "")
        printer.print_string(" pure " if self.is_pure else " ")
        printer.print_string_literal(self.label)
        operands = iter(zip(self.arguments, self.modes, strict=True))
        with printer.in_parens():
            for n, text in enumerate(self.texts):
                printer.print_string(", " if n else "")
                if isinstance(text, StringAttr):
                    printer.print_string_literal(text.data)
                    continue
                value, mode = next(operands)
                printer.print_string(f"{mode.data} " if mode.data else "")
                printer.print_ssa_value(value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        with printer.in_parens():
            printer.print_list(
                [argument.type for argument in self.arguments], printer.print_attribute
            )
        for returned in self.values:
            printer.print_string(" -> ")
            printer.print_attribute(returned.type)


def dtype_name(type_: Attribute, unsigned: bool = False) -> str:
    """The user's name of a type, or of the elements of a buffer."""
    if isinstance(type_, MemRefType):
        type_ = type_.element_type
    if isinstance(type_, IndexType):
        return "int64"
    if isinstance(type_, IntegerType):
        width = type_.width.data
        return "bool" if width == 1 else f"{'uint' if unsigned else 'int'}{width}"
    return float_dtype(type_) or str(type_)
