"""Types and constants of the llvm dialect as LLVM IR text."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from itertools import islice
from math import isfinite, isnan, prod

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    VectorType,
)
from xdsl.ir import Attribute

from kc.dialects.llvm import (
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMTokenType,
    LLVMVoidType,
    LLVMX86AMXType,
    element_type,
)

# Float type -> (its name in LLVM IR, its name in mangled intrinsics).
_FLOATS: dict[type[Attribute], tuple[str, str]] = {
    Float16Type: ("half", "f16"),
    BFloat16Type: ("bfloat", "bf16"),
    Float32Type: ("float", "f32"),
    Float64Type: ("double", "f64"),
    Float80Type: ("x86_fp80", "f80"),
    Float128Type: ("fp128", "f128"),
}


class Inexpressible(Exception):
    """Raised by the printing of types and constants that LLVM IR cannot express.

    ``what`` names the attribute or type; a caller that knows the op turns it into a diagnostic.
    """

    def __init__(self, code: str, what: str):
        super().__init__(what)
        self.code = code
        self.what = what


def symbol(name: str) -> str:
    """The symbol ``@name``, quoted if necessary."""
    return "@" + identifier(name)


def identifier(name: str) -> str:
    """A name after ``@`` or ``%``, quoted if necessary."""
    if re.fullmatch(r"[A-Za-z$._][A-Za-z$._0-9]*", name):
        return name
    return quoted(name.encode())


def quoted(data: bytes) -> str:
    """A string constant, with ``\\xx`` for the bytes that need it."""
    return '"' + "".join(_ESCAPED[byte] for byte in data) + '"'


_ESCAPED = [
    chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\{byte:02X}"
    for byte in range(256)
]


class TypeTable:
    """Prints types, and remembers the named structs that need a definition."""

    def __init__(self) -> None:
        self._text: dict[int, tuple[Attribute, str]] = {}
        """The texts of types by object identity, because hashing a type is slow. The type is stored
        with its text, which keeps its identity unique.
        """
        self._structs: dict[str, LLVMStructType] = {}
        self._definitions: list[str] = []

    def definitions(self) -> list[str]:
        """The ``%name = type {..}`` lines of the named structs printed so far."""
        return self._definitions

    def text(self, ty: Attribute) -> str:
        """``ty`` in LLVM IR; raises :class:`Inexpressible` (KC4102)."""
        cached = self._text.get(id(ty))
        if cached is None:
            cached = self._text[id(ty)] = ty, self._print(ty)
        return cached[1]

    def _print(self, ty: Attribute) -> str:
        if type(ty) in _FLOATS:
            return _FLOATS[type(ty)][0]
        match ty:
            case IntegerType() if ty.signedness.data == Signedness.SIGNLESS:
                if not 0 < ty.width.data < 1 << 23:
                    raise Inexpressible("KC4102", f"the type {ty}")
                return f"i{ty.width.data}"
            case LLVMPointerType():
                space = address_space(ty)
                return f"ptr addrspace({space})" if space else "ptr"
            case LLVMVoidType():
                return "void"
            case LLVMTokenType():
                return "token"
            case LLVMX86AMXType():
                return "x86_amx"
            case VectorType() if ty.get_num_dims() == 1:
                scalable = "vscale x " if ty.get_num_scalable_dims() else ""
                return f"<{scalable}{ty.get_shape()[0]} x {self.text(ty.element_type)}>"
            case LLVMArrayType():
                return f"[{ty.size.data} x {self.text(ty.type)}]"
            case LLVMStructType():
                return self._print_struct(ty)
            case LLVMFunctionType():
                inputs = [self.text(type_) for type_ in ty.inputs]
                if ty.is_variadic:
                    inputs.append("...")
                return f"{self.text(ty.output)} ({', '.join(inputs)})"
        raise Inexpressible("KC4102", f"the type {ty}")

    def _print_struct(self, ty: LLVMStructType) -> str:
        name = ty.struct_name.data
        body = (
            f"{{ {', '.join(self.text(field) for field in ty.types)} }}" if ty.types.data else "{}"
        )
        if ty.is_packed:
            body = f"<{body}>"
        if not name:
            return body
        if self._structs.setdefault(name, ty) != ty:
            raise Inexpressible("KC4102", f'a second struct named "{name}"')
        self._definitions.append(f"%{identifier(name)} = type {body}")
        return f"%{identifier(name)}"


def address_space(ty: LLVMPointerType) -> int:
    """The number of a pointer's address space; 0 is the default one."""
    return ty.addr_space.data if isinstance(ty.addr_space, IntAttr) else 0


def mangled(ty: Attribute) -> str:
    """``ty`` in the name of an overloaded intrinsic: ``v8f32``, ``p0``, ``i64``."""
    if type(ty) in _FLOATS:
        return _FLOATS[type(ty)][1]
    match ty:
        case IntegerType():
            return f"i{ty.width.data}"
        case LLVMPointerType():
            return f"p{address_space(ty)}"
        case VectorType() if ty.get_num_dims() == 1:
            scalable = "nx" if ty.get_num_scalable_dims() else ""
            return f"{scalable}v{ty.get_shape()[0]}{mangled(ty.element_type)}"
    raise Inexpressible("KC4102", f"an intrinsic on the type {ty}")


def integer_text(value: int, width: int) -> str:
    """An integer of ``width`` bits; i1 is ``true`` or ``false``."""
    value &= (1 << width) - 1
    if width == 1:
        return "true" if value else "false"
    return str(value - (1 << width) if value >> (width - 1) else value)


def float_text(value: float, ty: Attribute) -> str:
    """A float constant: decimal if that is exact and short, else its bits in hexadecimal."""
    if isinstance(ty, Float32Type | Float64Type):
        decimal = f"{value:e}"
        if isfinite(value) and float(decimal) == value:
            return decimal
        if isinstance(ty, Float32Type) and isnan(value):
            # An f32 NaN, with its sign and payload, as LLVM IR's double notation.
            (bits,) = struct.unpack("<I", struct.pack("<f", value))
            sign, payload = bits >> 31, bits & 0x7FFFFF
            return f"0x{sign << 63 | 0x7FF << 52 | payload << 29:016X}"
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    if isinstance(ty, Float16Type):
        return f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"
    if isinstance(ty, BFloat16Type):
        # The attribute holds a value of bfloat16, of which f32 has the bits and 16 zeros more.
        return f"0xR{struct.unpack('<I', struct.pack('<f', value))[0] >> 16:04X}"
    raise Inexpressible("KC4103", f"a constant of type {ty}")


def zero_text(ty: Attribute) -> str:
    """The null or zero value of a type."""
    match ty:
        case LLVMPointerType():
            return "null"
        case IntegerType():
            return "false" if ty.width.data == 1 else "0"
        case VectorType() | LLVMArrayType() | LLVMStructType():
            return "zeroinitializer"
    return float_text(0.0, ty)


def constant_text(value: Attribute, ty: Attribute, types: TypeTable) -> str:
    """A constant of type ``ty``, without the type; raises :class:`Inexpressible`."""
    match value, ty:
        case IntegerAttr(), IntegerType():
            return integer_text(value.value.data, ty.width.data)
        case FloatAttr(), IntegerType():
            text = float_text(value.value.data, value.type)
            if isinstance(value.type, Float16Type | BFloat16Type):
                return str(int(text[3:], 16))
        case FloatAttr(), _:
            return float_text(value.value.data, ty)
        case StringAttr(), _:
            return "c" + quoted(value.data.encode())
        case BytesAttr(), _:
            return "c" + quoted(value.data)
        case ArrayAttr(), LLVMStructType():
            fields = [
                f"{types.text(field)} {constant_text(constant, field, types)}"
                for constant, field in zip(value.data, ty.types.data, strict=True)
            ]
            body = f"{{ {', '.join(fields)} }}" if fields else "{}"
            return f"<{body}>" if ty.is_packed else body
        case DenseIntOrFPElementsAttr(), VectorType() | LLVMArrayType():
            return _dense_text(value, ty, types)
    raise Inexpressible("KC4103", f"the constant {value} of type {ty}")


def bytes_of_elements(value: DenseIntOrFPElementsAttr, ty: Attribute) -> bytes | None:
    """The bytes of a dense constant as an array of type ``ty`` in little-endian memory; None if it
    does not consist of scalars of whole bytes.
    """
    count = 1
    while isinstance(ty, LLVMArrayType):
        count *= ty.size.data
        ty = ty.type
    if isinstance(ty, IntegerType):
        bits = ty.width.data
    else:
        bits = _BITS_OF_FLOATS.get(type(ty), 0)
    data = value.data.data
    return data if bits in (8, 16, 32, 64) and len(data) * 8 == count * bits else None


_BITS_OF_FLOATS: dict[type[Attribute], int] = {
    Float16Type: 16,
    BFloat16Type: 16,
    Float32Type: 32,
    Float64Type: 64,
}


def _dense_text(value: DenseIntOrFPElementsAttr, ty: Attribute, types: TypeTable) -> str:
    if not any(value.data.data):
        return "zeroinitializer"
    scalar = ty
    while isinstance(scalar, LLVMArrayType):
        scalar = scalar.type
    scalar = element_type(scalar)
    if isinstance(ty, LLVMArrayType) and ty.type == scalar and scalar == IntegerType(8):
        return "c" + quoted(value.data.data)
    printed: dict[int | float, str] = {}  # by value: equal numbers of a dense constant look alike
    prefix = types.text(scalar)

    def element(number: object) -> str:
        if isinstance(scalar, IntegerType) and isinstance(number, int):
            return f"{prefix} {integer_text(number, scalar.width.data)}"
        if isinstance(number, float):
            return f"{prefix} {float_text(number, scalar)}"
        raise Inexpressible("KC4103", f"a dense constant with elements {number} of type {scalar}")

    def cached(number: object) -> str:
        if number == 0 or not isinstance(number, int | float):  # -0.0 == 0.0
            return element(number)
        text = printed.get(number)
        if text is None:
            text = printed[number] = element(number)
        return text

    if value.is_splat() and isinstance(ty, VectorType):
        return f"splat ({cached(next(iter(value.iter_values())))})"
    elements = (cached(number) for number in value.iter_values())
    return _nested(elements, ty, types)


def _nested(elements: Iterable[str], ty: Attribute, types: TypeTable) -> str:
    elements = iter(elements)
    if isinstance(ty, VectorType):
        return f"<{', '.join(islice(elements, prod(ty.get_shape())))}>"
    assert isinstance(ty, LLVMArrayType)
    if not isinstance(ty.type, LLVMArrayType | VectorType):
        return f"[{', '.join(islice(elements, ty.size.data))}]"
    inner = types.text(ty.type)
    rows = [f"{inner} {_nested(elements, ty.type, types)}" for _ in range(ty.size.data)]
    return f"[{', '.join(rows)}]"
