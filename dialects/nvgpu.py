"""Tensor maps of the ``nvgpu`` dialect, which describe the boxes of a tensor to a GPU's copy unit.

The host creates a map of an array, and a kernel receives the map as an argument. MLIR 22's text::

    %all = memref.cast %A : memref<64x128xf16> to memref<*xf16>
    %map = nvgpu.tma.create.descriptor %all box[%c64, %c64] : memref<*xf16> ->
        <tensor = memref<64x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b,
         l2promo = l2promo_256b, oob = zero, interleave = none>

The type describes a box and its layout in shared memory; in addition, a map only needs the array.
(CUDA driver API, "Tensor Map Object Management"; upstream's NVGPU dialect.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    FixedBitwidthType,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    UnrankedMemRefType,
)
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.gpu import AddressSpace, AddressSpaceAttr

if __name__ != "kc.dialects.nvgpu":
    raise ImportError("import this module as 'kc.dialects.nvgpu'")

SWIZZLES = ("none", "swizzle_32b", "swizzle_64b", "swizzle_128b")
PROMOTIONS = ("none", "l2promo_64b", "l2promo_128b", "l2promo_256b")
OUTSIDE = ("zero", "nan")
INTERLEAVES = ("none", "interleave_16b", "interleave_32b")
WORKGROUP = AddressSpaceAttr(AddressSpace.WORKGROUP)
_WORDS = {
    "swizzle": SWIZZLES,
    "l2promo": PROMOTIONS,
    "oob": OUTSIDE,
    "interleave": INTERLEAVES,
}
MAX_RANK = 5
"""The maximum rank of a mapped tensor (CUDA driver API, ``cuTensorMapEncodeTiled``)."""
MAX_BOX = 256
"""The maximum number of elements of a box along a dimension."""


@irdl_attr_definition
class TensorMapDescriptorType(ParametrizedAttribute, TypeAttribute):
    """``!nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b, ...>``.

    ``tensor`` is a box in shared memory. ``swizzle`` is the number of bytes of a row within which
    16-byte pieces are permuted; ``l2promo`` is the number of bytes of a prefetch; ``oob`` is the
    value outside of the tensor.
    """

    name = "nvgpu.tensormap.descriptor"

    tensor: MemRefType
    swizzle: StringAttr
    l2promo: StringAttr
    oob: StringAttr
    interleave: StringAttr

    @staticmethod
    def of(tensor: MemRefType, swizzle: str = "none") -> TensorMapDescriptorType:
        """The type of maps with prefetches of 256 bytes and zeros outside of the tensor."""
        words = (swizzle, "l2promo_256b", "zero", "none")
        return TensorMapDescriptorType(tensor, *map(StringAttr, words))

    @property
    def span(self) -> int:
        """The number of bytes of a row that the swizzle permutes; 0 without a swizzle."""
        word = self.swizzle.data
        return 0 if word == "none" else int(word.removeprefix("swizzle_").removesuffix("b"))

    @property
    def element_bytes(self) -> int:
        element = self.tensor.element_type
        assert isinstance(element, FixedBitwidthType)
        return (element.bitwidth + 7) // 8

    def verify(self) -> None:
        for key, words in _WORDS.items():
            word = getattr(self, key).data
            if word not in words:
                raise VerifyException(
                    f"{self.name}: {key} is {word}, but must be one of {', '.join(words)}"
                )
        if not isinstance(self.tensor.element_type, FixedBitwidthType):
            raise VerifyException(f"{self.name}: {self.tensor.element_type} has no size")
        space = self.tensor.memory_space
        if space != WORKGROUP and not (isinstance(space, IntegerAttr) and space.value.data == 3):
            raise VerifyException(f"{self.name}: {self.tensor} is not in shared memory")
        shape = self.tensor.get_shape()
        if not 1 <= len(shape) <= MAX_RANK:
            raise VerifyException(
                f"{self.name}: a tensor has 1 to {MAX_RANK} dimensions, not {len(shape)}"
            )
        for size in shape:
            if not 1 <= size <= MAX_BOX:
                raise VerifyException(
                    f"{self.name}: a box has 1 to {MAX_BOX} elements along a dimension, not {size}"
                )
        row = shape[-1] * self.element_bytes
        if row % 16:
            raise VerifyException(
                f"{self.name}: rows of a box are multiples of 16 bytes, and not {row}"
            )
        if self.span and row > self.span:
            raise VerifyException(
                f"{self.name}: rows of a box have {row} bytes, and {self.swizzle.data} is of at "
                f"most {self.span}"
            )

    @property
    def bytes(self) -> int:
        """The bytes that a copy of a box moves."""
        return math.prod(self.tensor.get_shape()) * self.element_bytes

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            parser.parse_keyword("tensor")
            parser.parse_punctuation("=")
            values: list[Attribute] = [parser.parse_type()]
            for key in _WORDS:
                parser.parse_punctuation(",")
                parser.parse_keyword(key)
                parser.parse_punctuation("=")
                values.append(StringAttr(parser.parse_identifier()))
        return values

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("tensor = ")
            printer.print_attribute(self.tensor)
            for key in _WORDS:
                printer.print_string(f", {key} = {getattr(self, key).data}")


@irdl_op_definition
class TmaCreateDescriptorOp(IRDLOperation):
    """``nvgpu.tma.create.descriptor %A box[%c64, %c64] : memref<*xf16> -> <...>``.

    A map of the array ``%A``. The box has a size for each dimension of the array; the sizes equal
    those of the type.
    """

    name = "nvgpu.tma.create.descriptor"

    tensor = operand_def(UnrankedMemRefType)
    box = var_operand_def(IndexType())
    result = result_def(TensorMapDescriptorType)

    traits = traits_def(Pure())

    def __init__(
        self, tensor: SSAValue, box: Sequence[SSAValue], result_type: TensorMapDescriptorType
    ) -> None:
        super().__init__(operands=[tensor, list(box)], result_types=[result_type])

    @property
    def array(self) -> SSAValue | None:
        """The ranked array behind the cast; None if the operand is not such a cast."""
        cast = self.tensor.owner
        if isinstance(cast, memref.CastOp) and isinstance(cast.source.type, MemRefType):
            return cast.source
        return None

    def verify_(self) -> None:
        type_, tensor = self.result.type, self.tensor.type
        assert isinstance(type_, TensorMapDescriptorType)
        assert isinstance(tensor, UnrankedMemRefType)
        rank = type_.tensor.get_num_dims()
        if len(self.box) != rank:
            raise VerifyException(f"{self.name}: {len(self.box)} sizes for {rank} dimensions")
        if tensor.element_type != type_.tensor.element_type:
            raise VerifyException(
                f"{self.name}: a map of {tensor.element_type} for boxes of "
                f"{type_.tensor.element_type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> TmaCreateDescriptorOp:
        tensor = parser.parse_unresolved_operand()
        parser.parse_keyword("box")
        box = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_punctuation("->")
        result = parser.parse_optional_type()
        if result is None:
            result = TensorMapDescriptorType.new(TensorMapDescriptorType.parse_parameters(parser))
        assert isinstance(result, TensorMapDescriptorType)
        op = cls(
            parser.resolve_operand(tensor, source),
            [parser.resolve_operand(size, IndexType()) for size in box],
            result,
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tensor)
        printer.print_string(" box[")
        printer.print_list(self.box, printer.print_ssa_value)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tensor.type)
        printer.print_string(" -> ")
        type_ = self.result.type
        assert isinstance(type_, TensorMapDescriptorType)
        type_.print_parameters(printer)


NVGPU = Dialect("nvgpu", [TmaCreateDescriptorOp], [TensorMapDescriptorType])
