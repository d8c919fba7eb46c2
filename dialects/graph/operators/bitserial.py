"""Products of integers of few bits, whose bits are packed in words."""

from __future__ import annotations

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.dialects.graph.operators._relations import (
    INTEGERS,
    checked_dtype,
    normal_axis,
    require_dtype,
    require_rank,
    require_same,
    require_word,
)
from kc.dialects.graph.operators.convolution import window_size
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import TensorSpec

WORD_BITS = {"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}
"""The bits of the words that bits are packed in."""


def _require_bits(count: int, name: str) -> None:
    if not 1 <= count <= 8:
        raise RelationError(f"{name} is {count}, but must be from 1 to 8")


def _word_count(size: MaybeSize, dtype: str, what: str) -> MaybeSize:
    """The words for as many bits as a dimension has. Raises RelationError."""
    width = WORD_BITS[checked_dtype(dtype, WORD_BITS, "the type of words")]
    if isinstance(size, int) and size % width:
        raise RelationError(
            f"{what} is {size}, but must be a multiple of the {width} bits of words"
        )
    return None if size is None else size // width


@operator
class Bitpack(Operator):
    """The lowest ``bits`` of integers, in words of ``pack_type`` along ``pack_axis``.

    A new dimension ``bit_axis`` holds the bits, the lowest first. The first element of a word is
    its most significant bit.
    """

    name = "nn.bitpack"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    bits: int = 1
    pack_axis: int = 1
    bit_axis: int = 2
    pack_type: str = "uint32"

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_dtype(data, INTEGERS, "data")
        _require_bits(self.bits, "bits")
        along = normal_axis(self.pack_axis, data.rank, "pack_axis")
        place = normal_axis(self.bit_axis, data.rank + 1, "bit_axis")
        shape = list(data.shape)
        shape[along] = _word_count(shape[along], self.pack_type, f"dimension {along} of {data}")
        shape.insert(place, self.bits)
        return TensorSpec(tuple(shape), self.pack_type)


def _require_product(
    data: TensorSpec, weight: TensorSpec, dtypes: tuple[str, str], bits: tuple[int, int]
) -> None:
    """Require integers, words and numbers of bits that there are. Raises RelationError."""
    require_dtype(data, INTEGERS, "data")
    require_dtype(weight, INTEGERS, "weight")
    pack_dtype, out_dtype = dtypes
    checked_dtype(pack_dtype, WORD_BITS, "pack_dtype")
    checked_dtype(out_dtype, INTEGERS, "out_dtype")
    for count, name in zip(bits, ("data bits", "weight bits"), strict=True):
        _require_bits(count, f"the number of {name}")


@operator
class BitserialDense(Operator):
    """``data @ weight.T`` of integers of ``data_bits`` and ``weight_bits``, summed bit by bit.

    With ``unipolar`` the bits of weights are +1 and -1: a weight w of b bits stands for
    ``2 w - (2^b - 1)``.
    """

    name = "nn.bitserial_dense"
    inputs = ("data", "weight")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    units: int | None = None
    data_bits: int = 1
    weight_bits: int = 1
    pack_dtype: str = "uint32"
    out_dtype: str = "int16"
    unipolar: bool = True

    def infer(self, data: TensorSpec, weight: TensorSpec) -> TensorSpec:
        require_rank(data, 2, "data")
        require_rank(weight, 2, "weight")
        _require_product(data, weight, (self.pack_dtype, self.out_dtype),
                         (self.data_bits, self.weight_bits))  # fmt: skip
        require_same(data.shape[1], weight.shape[1], "the columns of data and weight")
        _word_count(data.shape[1], self.pack_dtype, f"the number of columns of data {data}")
        if self.units is not None:
            require_same(self.units, weight.shape[0], "units and the rows of weight")
        return TensorSpec((data.shape[0], weight.shape[0]), self.out_dtype)

    def infer_inputs(
        self, data: TensorSpec | None, weight: TensorSpec | None
    ) -> tuple[TensorSpec | None, ...]:
        if weight is None and data is not None and self.units is not None and data.rank == 2:
            weight = TensorSpec((self.units, data.shape[1]), data.dtype)
        return data, weight


@operator
class BitserialConv2D(Operator):
    """A convolution of integers of ``activation_bits`` and ``weight_bits``, summed bit by bit.

    The layouts are NCHW with OIHW, or NHWC with HWIO. ``unipolar`` is that of nn.bitserial_dense.
    """

    name = "nn.bitserial_conv2d"
    inputs = ("data", "weight")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = (3, 3)
    activation_bits: int = 1
    weight_bits: int = 1
    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"
    pack_dtype: str = "uint32"
    out_dtype: str = "int16"
    unipolar: bool = True

    def infer(self, data: TensorSpec, weight: TensorSpec) -> TensorSpec:
        require_word(self.data_layout, ("NCHW", "NHWC"), "data_layout")
        filters = "OIHW" if self.data_layout == "NCHW" else "HWIO"
        require_word(self.kernel_layout, (filters,), f"kernel_layout beside {self.data_layout}")
        require_rank(data, 4, "data")
        require_rank(weight, 4, "weight")
        _require_product(data, weight, (self.pack_dtype, self.out_dtype),
                         (self.activation_bits, self.weight_bits))  # fmt: skip
        own = dict(zip(self.data_layout, data.shape, strict=True))
        taps = dict(zip(filters, weight.shape, strict=True))
        require_same(own["C"], taps["I"], "the channels of data and weight")
        _word_count(own["C"], self.pack_dtype, f"the number of channels of data {data}")
        if self.channels is not None:
            require_same(self.channels, taps["O"], "channels and the outputs of weight")
        if self.kernel_size is not None:
            for size, letter in zip(spread(self.kernel_size, 2, "kernel_size"), "HW", strict=True):
                require_same(size, taps[letter], "kernel_size and the sizes of weight")
        strides = spread(self.strides, 2, "strides")
        if min(strides) < 1:
            raise RelationError(f"strides {strides} must be at least 1")
        sizes = {"N": own["N"], "C": taps["O"]}
        for letter, stride, pads in zip("HW", strides, pads_of(self.padding, 2), strict=True):
            sizes[letter] = window_size(own[letter], taps[letter], stride, 1, pads)
        return TensorSpec(tuple(sizes[letter] for letter in self.data_layout), self.out_dtype)

    def infer_inputs(
        self, data: TensorSpec | None, weight: TensorSpec | None
    ) -> tuple[TensorSpec | None, ...]:
        if weight is None and data is not None and data.rank == 4:
            if self.channels is not None and self.kernel_size is not None:
                height, width = spread(self.kernel_size, 2, "kernel_size")
                inner = data.shape[self.data_layout.index("C")]
                sizes = {"O": self.channels, "I": inner, "H": height, "W": width}
                shape = tuple(sizes[letter] for letter in self.kernel_layout)
                weight = TensorSpec(shape, data.dtype)
        return data, weight
