"""Reader of an object's line table: the source line of each part of its code.

DWARF version 4, which :mod:`kc.codegen.llvm_ir.debug` requests from LLVM; line programs of other
versions are skipped. (DWARF 4, section 6.2.)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from kc.codegen.elf import ElfObject

_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE = 1, 2, 3, 4
_CONST_ADD_PC, _FIXED_ADVANCE_PC = 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2


class LineRange(NamedTuple):
    """The code from ``start`` to ``end``, in bytes from the beginning of a section of the object.

    Line 0 means no line.
    """

    section: int
    start: int
    end: int
    file: str
    line: int


def line_ranges(elf: ElfObject) -> list[LineRange]:
    """The line table of an object, without empty ranges; empty if it has none."""
    number = elf.section(".debug_line")
    if number is None:
        return []
    # An address is a relocation: the symbol of a section, and an addend.
    places = {
        at: (symbol.section, symbol.value + addend)
        for at, symbol, addend in elf.relocations(number)
    }
    reader = _Reader(elf.content(elf.sections[number]), elf.order)
    ranges: list[LineRange] = []
    while reader.at < len(reader.data):
        length = reader.fixed("I")
        end = reader.at + length
        if reader.fixed("H") == 4:
            ranges += _program(reader, end, 8 if elf.wide else 4, places)
        reader.at = end
    return ranges


class _Reader:
    def __init__(self, data: bytes, order: str) -> None:
        self.data, self.order, self.at = data, order, 0

    def fixed(self, form: str) -> int:
        (value,) = struct.unpack_from(self.order + form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def leb(self, signed: bool = False) -> int:
        value = shift = 0
        while True:
            byte = self.fixed("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value

    def text(self) -> str:
        end = self.data.index(b"\0", self.at)
        value = self.data[self.at : end].decode()
        self.at = end + 1
        return value


def _files(reader: _Reader) -> list[str]:
    """The names of the file table; number 1 is the first."""
    folders = [""]
    while folder := reader.text():
        folders.append(folder)
    files = [""]
    while name := reader.text():
        folder = folders[reader.leb()]
        reader.leb()  # time
        reader.leb()  # size
        files.append(f"{folder}/{name}" if folder else name)
    return files


def _program(
    reader: _Reader, end: int, address_size: int, places: dict[int, tuple[int, int]]
) -> Iterator[LineRange]:
    """Run one line number program, after its length and version have been read."""
    header = reader.fixed("I")
    start = reader.at + header
    unit, _, _, base, spread, opcodes = (reader.fixed(form) for form in "BBBbBB")
    operands = [0, *(reader.fixed("B") for _ in range(opcodes - 1))]
    files = _files(reader)
    reader.at = start
    section = address = 0
    file, line = 1, 1
    before: tuple[int, str, int] | None = None

    def row() -> Iterator[LineRange]:
        if before is not None and before[0] != address:
            yield LineRange(section, before[0], address, *before[1:])

    while reader.at < end:
        code = reader.fixed("B")
        if code >= opcodes or code == _COPY:
            if code >= opcodes:
                step = code - opcodes
                address += step // spread * unit
                line += base + step % spread
            yield from row()
            before = address, files[file], line
        elif code == 0:
            length = reader.leb()
            after = reader.at + length
            kind = reader.fixed("B")
            if kind == _SET_ADDRESS:
                section, address = places.get(reader.at, (0, 0))
            elif kind == _END_SEQUENCE:
                yield from row()
                section = address = 0
                file, line, before = 1, 1, None
            reader.at = after
        elif code == _ADVANCE_PC:
            address += reader.leb() * unit
        elif code == _ADVANCE_LINE:
            line += reader.leb(signed=True)
        elif code == _SET_FILE:
            file = reader.leb()
        elif code == _CONST_ADD_PC:
            address += (255 - opcodes) // spread * unit
        elif code == _FIXED_ADVANCE_PC:
            address += reader.fixed("H")
        else:  # column, statement, block, prologue: of no interest
            for _ in range(operands[code]):
                reader.leb()
