"""The emulated tile registers refuse what the processor does, and lose what calls may change."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from tile_emulator import Emulator, Fault, Registers


def configuration(shapes: dict[int, tuple[int, int]], palette: int = 1) -> bytes:
    """Of the rows and the bytes of a row of each register."""
    data = bytearray(64)
    data[0] = palette
    for number, (rows, size) in shapes.items():
        data[48 + number] = rows
        data[16 + 2 * number : 18 + 2 * number] = size.to_bytes(2, "little")
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (configuration({}, palette=2), "wrong palette"),
        (configuration({0: (17, 64)}), "tile 0 of 17 rows of 64 bytes"),
        (configuration({3: (16, 65)}), "tile 3 of 16 rows of 65 bytes"),
        (configuration({3: (16, 0)}), "tile 3 of 16 rows of 0 bytes"),
        (configuration({0: (1, 4)})[:-1] + b"\1", "reserved bytes"),
    ],
)
def test_configurations_that_are_refused(data: bytes, words: str):
    with pytest.raises(Fault, match=words):
        Registers().configure(data)


def test_tiles_are_used_as_they_are_configured():
    registers = Registers()
    with pytest.raises(Fault, match="without a configuration"):
        registers.zero(0)
    registers.configure(configuration({0: (3, 8), 1: (3, 16), 2: (4, 8), 3: (5, 8)}))
    with pytest.raises(Fault, match="tile 4 is not configured"):
        registers.zero(4)
    registers.multiply("tdpbssd", 0, 1, 2)
    with pytest.raises(Fault, match="3 x 8, 3 x 16 and 5 x 8 bytes"):
        registers.multiply("tdpbssd", 0, 1, 3)
    with pytest.raises(Fault, match="tdpbssd"):
        registers.multiply("tdpbssd", 0, 0, 2)


@pytest.mark.parametrize("instruction", ["tdpbssd", "tdpbsud", "tdpbusd", "tdpbuud"])
def test_products_of_bytes(instruction: str):
    generator = np.random.default_rng(1)
    types = [np.int8 if sign == "s" else np.uint8 for sign in instruction[4:6]]
    a, b = (generator.integers(0, 256, shape, np.uint8) for shape in ((3, 16), (4, 2, 4)))
    c = generator.integers(-(2**31), 2**31, (3, 2), np.int64).astype(np.int32)
    registers = Registers()
    registers.configure(configuration({0: (3, 8), 1: (3, 16), 2: (4, 8)}))
    for number, tile in enumerate((c, a, b)):
        registers.load(number, tile.ctypes.data, tile.nbytes // len(tile))
    registers.multiply(instruction, 0, 1, 2)
    result = np.zeros_like(c)
    registers.store(0, result.ctypes.data, 8)
    left, right = a.view(types[0]).astype(object), b.view(types[1]).astype(object)
    exact = left @ right.transpose(0, 2, 1).reshape(16, 2) + c.astype(object)
    wrapped = [[(int(x) + 2**31) % 2**32 - 2**31 for x in row] for row in exact]
    np.testing.assert_array_equal(result, wrapped)


def test_products_of_bf16_take_subnormal_numbers_to_be_zero():
    registers = Registers()
    registers.configure(configuration({0: (1, 4), 1: (1, 4), 2: (1, 4)}))

    def multiplied(x: tuple[float, float], y: tuple[float, float], c: float) -> float:
        words = np.array([c], np.float32)
        for number, tile in enumerate((words, *(_bf16(*pair) for pair in (x, y)))):
            registers.load(number, tile.ctypes.data, 4)
        registers.multiply("tdpbf16ps", 0, 1, 2)
        registers.store(0, words.ctypes.data, 4)
        return float(words[0])

    assert multiplied((2.0, 3.0), (5.0, 7.0), 1.0) == 32
    assert multiplied((1e-39, 1.0), (2.0**100, 1.0), 0.0) == 1  # an operand
    assert multiplied((2.0**-70, 0.0), (2.0**-70, 0.0), 0.0) == 0  # a product
    assert multiplied((0.0, 0.0), (0.0, 0.0), 1e-39) == 0  # a sum
    # Terms are added to each other first: alone, each would be lost beside 2^29.
    assert multiplied((1.0, 1.0), (32.0, 32.0), 2.0**29) == 2.0**29 + 64


def _bf16(*values: float) -> np.ndarray:
    return (np.array(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def test_calls_lose_the_registers():
    text = """\
declare void @llvm.x86.tilezero(i8 immarg)
declare float @expf(float)
define float @f(float %x) {
  call void @llvm.x86.tilezero(i8 0)
  %y = call float @expf(float %x)
  call void @llvm.x86.tilezero(i8 0)
  ret float %y
}
"""
    emulator = Emulator()
    lines = emulator.rewritten(text).splitlines()
    place = lines.index("  %y = call float @expf(float %x)")
    assert lines[place + 1] == "  call void @kc_emulated_call()"
    assert lines[place - 1] == "  call void @kc_emulated_tilezero(i8 0)"
    shapes = ctypes.create_string_buffer(configuration({0: (1, 4)}), 64)

    def call(name: str, *args: object) -> None:
        emulator._callbacks[name](*args)

    call("ldtilecfg", ctypes.addressof(shapes))
    call("tilezero", 0)
    assert emulator.faults == []
    assert not emulator.is_released
    call("call")
    call("tilezero", 0)
    assert emulator.faults == ["#UD: tile 0 without a configuration"]
