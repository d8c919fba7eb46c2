"""Reads the symbol table of an ELF object."""

from __future__ import annotations

import struct

_SYMTAB = 2
_UNDEFINED = 0
_LOCAL, _WEAK = 0, 2


def is_elf(data: bytes) -> bool:
    """Whether this is an ELF file."""
    return data[:4] == b"\x7fELF"


def undefined_symbols(data: bytes) -> list[str]:
    """The names an ELF object needs from elsewhere, in its order; weak ones are not needed."""
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    if wide:
        (table,) = struct.unpack_from(f"{order}Q", data, 0x28)
        entry_size, count = struct.unpack_from(f"{order}HH", data, 0x3A)
        header, symbol = f"{order}IIQQQQIIQQ", f"{order}IBBHQQ"
        columns = (0, 1, 3)  # name, info, section
    else:
        (table,) = struct.unpack_from(f"{order}I", data, 0x20)
        entry_size, count = struct.unpack_from(f"{order}HH", data, 0x2E)
        header, symbol = f"{order}IIIIIIIIII", f"{order}IIIBBH"
        columns = (0, 3, 5)
    sections = [struct.unpack_from(header, data, table + i * entry_size) for i in range(count)]
    names: list[str] = []
    for section in sections:
        if section[1] != _SYMTAB:
            continue
        offset, size, strings = section[4], section[5], sections[section[6]][4]
        for fields in struct.iter_unpack(symbol, data[offset : offset + size]):
            at, info, where = (fields[column] for column in columns)
            if at and where == _UNDEFINED and info >> 4 not in (_LOCAL, _WEAK):
                end = data.index(b"\0", strings + at)
                names.append(data[strings + at : end].decode())
    return names
