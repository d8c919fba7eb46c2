"""What travels with an artefact: its functions' signatures, and what it was compiled for.

A file that holds compiled kernels has a record somewhere in its bytes::

    16 bytes  MAGIC
     8 bytes  length of the text, little-endian
    32 bytes  SHA-256 of the text
     n bytes  the text: JSON, UTF-8

so that it is read, and refused if need be, before any code of the file is loaded. A library that
was linked from several objects has several records.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kc.runtime.signature import Signature
from kc.support.diagnostics import CallError
from kc.support.packed_signature import PackedSignature

FORMAT = 1
"""The version of the record and of the calling convention; others are refused."""

SYMBOL = "kc_module_metadata"
"""The name of the (local) symbol that the record has in objects."""

# Not as one literal: the bytes of this file are no record.
MAGIC = b"\x7f" + b"kernels of kc: "

_HEAD = struct.Struct("<Q32s")


@dataclass(frozen=True)
class ModuleRecord:
    """What is known of compiled functions. ``symbols`` are their names in the object."""

    entry: str
    functions: tuple[Signature, ...]
    symbols: tuple[str, ...]
    target: str
    triple: str
    cpu: str
    features: str
    version: str
    """The version of kc that made it."""
    packed: tuple[PackedSignature, ...] = ()
    """What its code calls of functions of Python."""

    def encode(self) -> bytes:
        """The bytes of the record."""
        text = json.dumps(
            {
                "format": FORMAT,
                "kc": self.version,
                "entry": self.entry,
                "functions": [
                    {"symbol": symbol, "signature": json.loads(one.to_json())}
                    for symbol, one in zip(self.symbols, self.functions, strict=True)
                ],
                "target": self.target,
                "triple": self.triple,
                "cpu": self.cpu,
                "features": self.features,
                "packed": [one.to_data() for one in self.packed],
            }
        ).encode()
        return MAGIC + _HEAD.pack(len(text), hashlib.sha256(text).digest()) + text

    @classmethod
    def _decode(cls, data: dict[str, Any]) -> ModuleRecord:
        functions = data["functions"]
        return cls(
            entry=data["entry"],
            functions=tuple(Signature.from_json(json.dumps(f["signature"])) for f in functions),
            symbols=tuple(one["symbol"] for one in functions),
            target=data["target"],
            triple=data["triple"],
            cpu=data["cpu"],
            features=data["features"],
            version=data["kc"],
            packed=tuple(map(PackedSignature.from_data, data.get("packed", ()))),
        )


def read_records(data: bytes, path: str) -> list[ModuleRecord]:
    """The records in the bytes of the file ``path``.

    Raises CallError KC5140 where there is none, KC5142 for one of another version, KC5143 for one
    that is damaged.
    """
    found: list[ModuleRecord] = []
    at = data.find(MAGIC)
    while at >= 0:
        found.append(_read(data, at + len(MAGIC), path))
        at = data.find(MAGIC, at + len(MAGIC))
    if not found:
        raise CallError(
            "KC5140",
            f"{path} has no kernels of kc in it",
            why="the signatures that calls are checked against travel with the file",
            hints=["a file that Module.save or Module.export_library wrote"],
        )
    return found


def _read(data: bytes, at: int, path: str) -> ModuleRecord:
    head = data[at : at + _HEAD.size]
    length, digest = _HEAD.unpack(head) if len(head) == _HEAD.size else (0, b"")
    text = data[at + _HEAD.size : at + _HEAD.size + length]
    if len(text) != length or hashlib.sha256(text).digest() != digest:
        raise CallError("KC5143", f"{path} is damaged", hints=["save the module again"])
    fields = json.loads(text)
    if fields["format"] != FORMAT:
        raise CallError(
            "KC5142",
            f"{path} was made by kc {fields['kc']}, in format {fields['format']}",
            why=f"this version of kc reads format {FORMAT}",
            hints=["save the module again with this version"],
        )
    return ModuleRecord._decode(fields)


def merged(records: Sequence[ModuleRecord]) -> dict[str, tuple[str, Signature]]:
    """The functions of all records: name -> (symbol, signature)."""
    return {
        signature.name: (symbol, signature)
        for one in records
        for symbol, signature in zip(one.symbols, one.functions, strict=True)
    }
