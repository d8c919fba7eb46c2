"""Refusal of code that LLVM's code generation cannot handle.

LLVM would abort the process, or take minutes. Diagnostics: KC4109 vectors, integers and argument
lists that are too long, KC4110 scalable vectors on a machine without them.
"""

from __future__ import annotations

import re

from kc.support.diagnostics import CodegenError

MAX_LANES = 2048
MAX_VECTOR_BITS = 1 << 16
MAX_INTEGER_BITS = 1024
MAX_ARGUMENTS = 4096

_VECTOR = re.compile(r"<(vscale x )?(\d+) x (\w+)>")
_WIDE_INTEGER = re.compile(r"(?<![\w.$%@-])i(\d{4,})\b")  # and no name that ends so
_DIGITS = re.compile(r"i\d{4}")
_FUNCTION = re.compile(r"^define .*?@(\"[^\"]*\"|[^(\"]*)\(", re.MULTILINE)
_QUOTED = re.compile(r'"[^"]*"')
_LONG = 20000
_LONG_LINE = re.compile(rf"^.{{{_LONG},}}$", re.MULTILINE)

_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128}
_WITHOUT_SCALABLE_VECTORS = ("x86", "i386", "arm", "thumb", "wasm", "ppc", "powerpc", "s390x")


_BYTES_OF_GLOBAL = re.compile(r'^(@[^"\n]*)c"[^"]*"', re.MULTILINE)


def without_bytes(text: str) -> str:
    """LLVM IR text without the byte strings of globals, for searches: weights are much longer than
    the code.
    """
    return _BYTES_OF_GLOBAL.sub(r'\1c""', text)


def check_limits(text: str, architecture: str) -> None:
    """Refuse LLVM IR for ``architecture`` that LLVM cannot compile, or only very slowly."""
    is_fixed = architecture.startswith(_WITHOUT_SCALABLE_VECTORS)
    # Where they are is asked of types and lines that are suspect alone: few are.
    suspect = any(
        (scalable and is_fixed) or _is_long(int(lanes), element)
        for scalable, lanes, element in set(_VECTOR.findall(text))
    )
    for match in _VECTOR.finditer(text) if suspect else ():
        scalable, lanes, element = match[1], int(match[2]), match[3]
        if scalable and is_fixed and not _is_quoted(text, match.start()):
            raise CodegenError(
                "KC4110",
                f"{_where(text, match.start())}: {architecture} has no vector {match[0]}",
                why="their length is only known on the machine that runs the code",
                hints=[
                    f"<{lanes} x {element}>",
                    "a target with them: AArch64 with SVE, RISC-V with V",
                ],
            )
        if _is_long(lanes, element) and not _is_quoted(text, match.start()):
            raise _too_large(
                _where(text, match.start()),
                f"the vector {match[0]} has {lanes} lanes, {lanes * _bits(element)} bits",
                f"a vector has at most {MAX_LANES} lanes and {MAX_VECTOR_BITS} bits",
                "a loop over shorter vectors",
            )
    for match in _WIDE_INTEGER.finditer(text) if _DIGITS.search(text) else ():
        bits = int(match[1])
        if bits > MAX_INTEGER_BITS and not _is_quoted(text, match.start()):
            raise _too_large(
                _where(text, match.start()),
                f"the integer i{bits} has {bits} bits",
                f"an integer has at most {MAX_INTEGER_BITS} bits",
                "several integers",
            )
    has_long_line = len(text) >= _LONG and max(map(len, text.split("\n"))) >= _LONG
    for match in _LONG_LINE.finditer(text) if has_long_line else ():
        line = _QUOTED.sub("", match[0])
        count = line.count(",") + 1
        is_list = line.startswith(("define", "declare")) or re.match(r"  (%\d+ = )?call ", line)
        if is_list and count > MAX_ARGUMENTS:
            raise _too_large(
                _where(text, match.end()),
                f"a function has {count} parameters or a call {count} arguments",
                f"there are at most {MAX_ARGUMENTS}",
                "one pointer to all of them",
            )


def _is_long(lanes: int, element: str) -> bool:
    return lanes > MAX_LANES or lanes * _bits(element) > MAX_VECTOR_BITS


def _bits(element: str) -> int:
    return int(element[1:]) if element[1:].isdigit() else _BITS.get(element, 64)


def _too_large(where: str, what: str, limit: str, instead: str) -> CodegenError:
    return CodegenError(
        "KC4109",
        f"{where}: {what}",
        why=f"{limit}: beyond that, LLVM would take minutes or end the process",
        hints=[instead],
    )


def _is_quoted(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line.count('"') % 2 == 1


def _where(text: str, at: int) -> str:
    """The function that contains a position of the text."""
    end = text.find("\n", at)
    name = None
    for match in _FUNCTION.finditer(text, 0, end if end >= 0 else len(text)):
        name = match[1]
    return f"@{name.strip(chr(34))}" if name is not None else "the module"
