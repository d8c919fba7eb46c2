"""Reads ELF objects: sections, symbols, relocations."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

_SYMTAB = 2
_RELA = 4
_UNDEFINED = 0
_LOCAL, _WEAK = 0, 2
_FUNCTION = 2


class Section(NamedTuple):
    """A section's header."""

    name: str
    type: int
    offset: int
    size: int
    link: int
    info: int


class Symbol(NamedTuple):
    """A symbol; ``section`` is the number of its section, 0 if it is undefined."""

    name: str
    value: int
    size: int
    binding: int
    type: int
    section: int

    @property
    def is_function(self) -> bool:
        """True if it is a function defined in this object."""
        return self.type == _FUNCTION and self.section != _UNDEFINED


def is_elf(data: bytes) -> bool:
    """True if this is an ELF file."""
    return data[:4] == b"\x7fELF"


class ElfObject:
    """An ELF object of 32 or 64 bits, of either byte order."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.wide, self.order = data[4] == 2, "<" if data[5] == 1 else ">"

    @cached_property
    def sections(self) -> list[Section]:
        """All sections, by their number."""
        data, order = self.data, self.order
        if self.wide:
            (table,) = struct.unpack_from(f"{order}Q", data, 0x28)
            entry_size, count, names = struct.unpack_from(f"{order}HHH", data, 0x3A)
            header = f"{order}IIQQQQIIQQ"
        else:
            (table,) = struct.unpack_from(f"{order}I", data, 0x20)
            entry_size, count, names = struct.unpack_from(f"{order}HHH", data, 0x2E)
            header = f"{order}IIIIIIIIII"
        rows = [struct.unpack_from(header, data, table + i * entry_size) for i in range(count)]
        return [Section(self._text(rows[names][4] + row[0]), row[1], *row[4:8]) for row in rows]

    @cached_property
    def symbols(self) -> list[Symbol]:
        """The symbol table."""
        form = f"{self.order}IBBHQQ" if self.wide else f"{self.order}IIIBBH"
        columns = (0, 4, 5, 1, 3) if self.wide else (0, 1, 2, 3, 5)  # name value size info section
        symbols: list[Symbol] = []
        for section in self.sections:
            if section.type != _SYMTAB:
                continue
            strings = self.sections[section.link].offset
            for fields in struct.iter_unpack(form, self.content(section)):
                at, value, size, info, where = (fields[column] for column in columns)
                name = self._text(strings + at) if at else ""
                symbols.append(Symbol(name, value, size, info >> 4, info & 15, where))
        return symbols

    def section(self, name: str) -> int | None:
        """The index of the section with this name."""
        return next((n for n, section in enumerate(self.sections) if section.name == name), None)

    def content(self, section: Section) -> bytes:
        """The bytes of a section."""
        return self.data[section.offset : section.offset + section.size]

    def relocations(self, number: int) -> Iterator[tuple[int, Symbol, int]]:
        """The relocations of a section: (offset, symbol, addend).

        Only relocations with addends (RELA), as on 64-bit machines.
        """
        form = f"{self.order}QQq" if self.wide else f"{self.order}IIi"
        shift = 32 if self.wide else 8
        for section in self.sections:
            if section.type == _RELA and section.info == number:
                for offset, info, addend in struct.iter_unpack(form, self.content(section)):
                    yield offset, self.symbols[info >> shift], addend

    def undefined(self) -> list[str]:
        """The names of undefined symbols, in order, without weak ones."""
        return [
            symbol.name
            for symbol in self.symbols
            if symbol.name
            and symbol.section == _UNDEFINED
            and symbol.binding not in (_LOCAL, _WEAK)
        ]

    def _text(self, at: int) -> str:
        return self.data[at : self.data.index(b"\0", at)].decode()


def undefined_symbols(data: bytes) -> list[str]:
    """The names an ELF object needs from elsewhere: see :meth:`ElfObject.undefined`."""
    return ElfObject(data).undefined()
