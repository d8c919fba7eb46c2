"""The record that travels with an artefact: its signatures, and what it was compiled for.

A file that holds compiled kernels has a record somewhere in its bytes::

    16 bytes  MAGIC
     8 bytes  length of the text, little-endian
    32 bytes  SHA-256 of the text
     n bytes  the text: JSON, UTF-8
     1 byte   what the next is of: the object or the library that the record is in, or nothing
    32 bytes  SHA-256 of that file, with this and the byte before as 0

so that it is read, and refused if need be, before any code of the file is loaded. A library that
was linked from several objects has several records. One that is linked elsewhere has those of its
objects, and no checksum of its own.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kc.runtime.checksums import damaged
from kc.runtime.signature import Signature
from kc.support.diagnostics import CallError, InternalError
from kc.support.field_types import check_fields
from kc.support.packed_signature import PackedSignature

FORMAT = 2
"""The version of the record and of the calling convention; other versions are refused."""

SYMBOL = "kc_module_metadata"
"""The name of the (local) symbol that the record has in objects."""

# Not a single literal: the bytes of this source file must be no record.
MAGIC = b"\x7f" + b"kernels of kc: "

_HEAD = struct.Struct("<Q32s")

OBJECT, LIBRARY = b"\x3c", b"\xc3"
"""The kinds of files with a checksum. No single changed bit turns one into the other."""
_NOTHING = b"\0"
_NOT_A_RECORD = (KeyError, TypeError, ValueError, AttributeError, RecursionError)
"""Exceptions from reading a record in data that is no record."""
_SEAL = 1 + hashlib.sha256().digest_size


@dataclass(frozen=True)
class ModuleRecord:
    """A record of compiled functions. ``symbols`` are their names in the object."""

    entry: str
    functions: tuple[Signature, ...]
    symbols: tuple[str, ...]
    target: str
    triple: str
    cpu: str
    features: str
    version: str
    """The version of kc that wrote the record."""
    packed: tuple[PackedSignature, ...] = ()
    """The Python functions that its code calls."""

    def encode(self) -> bytes:
        """The bytes of the record."""
        text = json.dumps(
            {
                "format": FORMAT,
                "kc": self.version,
                "entry": self.entry,
                "functions": [
                    {"symbol": symbol, "signature": json.loads(signature.to_json())}
                    for symbol, signature in zip(self.symbols, self.functions, strict=True)
                ],
                "target": self.target,
                "triple": self.triple,
                "cpu": self.cpu,
                "features": self.features,
                "packed": [hook.to_data() for hook in self.packed],
            }
        ).encode()
        head = _HEAD.pack(len(text), hashlib.sha256(text).digest())
        return MAGIC + head + text + bytes(_SEAL)

    @classmethod
    def _decode(cls, data: dict[str, Any]) -> ModuleRecord:
        functions = data["functions"]
        return cls(
            entry=data["entry"],
            functions=tuple(Signature.from_json(json.dumps(f["signature"])) for f in functions),
            symbols=tuple(function["symbol"] for function in functions),
            target=data["target"],
            triple=data["triple"],
            cpu=data["cpu"],
            features=data["features"],
            version=data["kc"],
            packed=tuple(map(PackedSignature.from_data, data.get("packed", ()))),
        )


def with_checksum(data: bytes, kind: bytes) -> bytes:
    """A file of :data:`OBJECT` or :data:`LIBRARY`, which has one record, with its checksum."""
    at = _seal(data, data.index(MAGIC) + len(MAGIC))
    content = data[:at] + bytes(_SEAL) + data[at + _SEAL :]
    return data[:at] + kind + hashlib.sha256(content).digest() + data[at + _SEAL :]


def read_records(data: bytes, path: str, kind: bytes = OBJECT) -> list[ModuleRecord]:
    """The records in the bytes of the file ``path``, an :data:`OBJECT` or a :data:`LIBRARY`.

    Raises CallError KC5140 without a record, KC5142 for another version, KC5143 for damage.
    """
    places: list[int] = []
    at = data.find(MAGIC)
    while at >= 0:
        places.append(at + len(MAGIC))
        at = data.find(MAGIC, at + len(MAGIC))
    records = [_read(data, at, path) for at in places]
    if len(places) == 1:  # a library linked from several objects has their checksums
        _check(data, _seal(data, places[0]), path, kind)
    if not records:
        raise CallError(
            "KC5140",
            f"{path} contains no kernels of kc",
            why="the signatures that calls are checked against travel with the file",
            hints=["a file that Module.save or Module.export_library wrote"],
        )
    return records


def _seal(data: bytes, at: int) -> int:
    """The offset of the file's checksum, in the record whose head is at ``at``."""
    return at + _HEAD.size + _HEAD.unpack_from(data, at)[0]


def _check(data: bytes, at: int, path: str, kind: bytes) -> None:
    seal = data[at : at + _SEAL]
    of = seal[:1]
    if len(seal) < _SEAL or of not in (OBJECT, LIBRARY, _NOTHING):
        raise damaged(path)
    is_linked_elsewhere = (of, kind) == (OBJECT, LIBRARY)
    if of != _NOTHING and not is_linked_elsewhere and with_checksum(data, of) != data:
        raise damaged(path)


def _read(data: bytes, at: int, path: str) -> ModuleRecord:
    head = data[at : at + _HEAD.size]
    length, digest = _HEAD.unpack(head) if len(head) == _HEAD.size else (0, b"")
    text = data[at + _HEAD.size : at + _HEAD.size + length]
    if len(text) != length or hashlib.sha256(text).digest() != digest:
        raise damaged(path)
    try:
        fields = json.loads(text)
        version, maker = fields["format"], fields["kc"]
        if version == FORMAT:
            record = ModuleRecord._decode(fields)
            check_fields(record)
            return record
    except (*_NOT_A_RECORD, InternalError) as error:
        raise damaged(path, "the record of its functions is none that kc wrote") from error
    raise CallError(
        "KC5142",
        f"{path} was made by kc {maker}, in format {version}",
        why=f"this version of kc reads format {FORMAT}",
        hints=["save the module again with this version"],
    )


def merged(records: Sequence[ModuleRecord]) -> dict[str, tuple[str, Signature]]:
    """The functions of all records: name -> (symbol, signature)."""
    return {
        signature.name: (symbol, signature)
        for record in records
        for symbol, signature in zip(record.symbols, record.functions, strict=True)
    }
