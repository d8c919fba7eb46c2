"""Checksums of the files that modules are saved as, over all of their bytes.

They are looked at before anything of a file is parsed, mapped or run, so that a file that was cut
off or changed on its way is refused (CallError KC5143):

- LLVM IR and textual IR have a comment in their first line, ``// sha256 0123...``;
- bitcode has one more block at its end, which LLVM skips;
- objects and libraries have it in the record of their functions (:mod:`kc.runtime.metadata`).

Other tools do not keep them: what a linker or ``opt`` makes of such a file is taken as it is where
it has none. Whoever edits the text on purpose takes the comment out.
"""

from __future__ import annotations

import hashlib
import re
import struct

from kc.support.diagnostics import CallError

_SIGN = re.compile(rb" (?://|;) sha256 ")
_DIGEST = re.compile(rb"[0-9a-f]{64}")
_COMMENT = re.compile(_SIGN.pattern + rb"([0-9a-f]{64})$")

_BLOCK_WORDS = 13
_BLOCK_HEAD = struct.pack("<II", 1 | 99 << 2 | 2 << 10, _BLOCK_WORDS)
"""Enters the block with the number 99, which LLVM does not know, with codes of two bits."""


def damaged(path: str, why: str | None = None, *hints: str) -> CallError:
    """The error for a file whose content has changed since it was written."""
    return CallError(
        "KC5143", f"{path} is damaged", why=why, hints=["save the module again", *hints]
    )


def with_comment(text: str, sign: str) -> str:
    """``text`` with its checksum in a comment (``//`` or ``;``) at the end of its first line."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    first, newline, rest = text.partition("\n")
    return f"{first} {sign} sha256 {digest}{newline}{rest}"


def check_comment(data: bytes, path: str) -> bool:
    """Compare text with the checksum in its first line. True if it has one."""
    first, newline, rest = data.partition(b"\n")
    # One of them survives a changed byte in the other.
    if _SIGN.search(first) is None and _DIGEST.search(first) is None:
        return False
    comment = _COMMENT.search(first)
    content = first[: comment.start()] + newline + rest if comment else b""
    if comment is None or hashlib.sha256(content).hexdigest().encode() != comment[1]:
        raise damaged(
            path,
            "its content does not have the checksum in its first line",
            "if it was edited on purpose, take that comment out",
        )
    return True


def with_block(data: bytes) -> bytes:
    """Bitcode with its checksum in a block at its end."""
    digest = hashlib.sha256(data).hexdigest()
    # A record with the code 1, of 64 numbers of up to 5 bits each; the end of the block.
    fields = [(3, 2), (1, 6), (32, 6), (2, 6), *((int(digit, 16), 6) for digit in digest), (0, 2)]
    bits = at = 0
    for value, width in fields:
        bits |= value << at
        at += width
    return data + _BLOCK_HEAD + bits.to_bytes(4 * _BLOCK_WORDS, "little")


def check_block(data: bytes, path: str) -> bool:
    """Compare bitcode with the checksum at its end. True if it has one."""
    end = len(data) - len(_BLOCK_HEAD) - 4 * _BLOCK_WORDS
    if end < 0 or not data.startswith(_BLOCK_HEAD, end):
        return False
    if with_block(data[:end]) != data:
        raise damaged(path)
    return True
