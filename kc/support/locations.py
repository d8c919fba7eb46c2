"""Source locations of IR: reading them from ops, taking them from Python frames, setting them in
the parser.

The names of operations in diagnostics are here, too.
"""

from __future__ import annotations

import bisect
import functools
import re
import sys
from collections.abc import Iterable
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineMap, AffineSet
from xdsl.parser import Parser
from xdsl.utils.mlir_lexer import MLIRTokenKind, StringLiteral

from kc.support.affine_parser import SemiAffineParser
from kc.support.diagnostics import Location, use_file

_UNKNOWN = UnknownLoc()
_NEWLINE = re.compile("\n")
_LOCATION_ALIAS = re.compile(r"^(#[\w$.-]+)\s*=\s*(loc\()", re.MULTILINE)
_NUMPY = "/site-packages/numpy/"
"""The prefix of numpy's modules. numpy calls kc for functions of tensors, such as np.sum(X); the
code that calls numpy is then the caller.
"""
_ROOT = str(Path(__file__).resolve().parent.parent.parent)
_LIBRARY = tuple(
    f"{_ROOT}/{part}/"
    for part in ("kc", "dialects", "analysis", "transforms", "conversion", "codegen", "tools")
)


def to_location(loc: Attribute) -> Location | None:
    """The first file position of a location attribute; for a fused location, the user's line."""
    if isinstance(loc, FileLineColLoc):
        return Location(loc.filename.data, loc.line.data, loc.column.data)
    if isinstance(loc, FusedLoc):
        parts = loc.locations.data if isinstance(loc.locations, ArrayAttr) else ()
        return next((location for part in parts if (location := to_location(part))), None)
    if isinstance(loc, CallSiteLoc):
        return to_location(loc.callee)
    if isinstance(loc, NameLoc):
        return to_location(loc.location)
    return None


def location_of(op: Operation | None) -> Location | None:
    """The location of ``op``, or of the nearest op around it that has one."""
    while op is not None:
        if (location := to_location(op.location)) is not None:
            return location
        op = op.parent_op()
    return None


_NO_METADATA = NoneAttr()


def add_call(op: Operation, name: str, call: Location | None) -> None:
    """Record in the location of ``op`` that the primitive ``name``, called at ``call``, created or
    changed it.

    The location becomes ``fused[where op comes from, "split"("schedule.py":12:0), ...]``, a name
    for each call, in order; the first part stays what :func:`location_of` gives.
    """
    old = op.location
    if isinstance(old, FusedLoc) and isinstance(old.locations, ArrayAttr):
        parts: tuple[Attribute, ...] = tuple(old.locations.data)
    else:
        parts = () if isinstance(old, UnknownLoc) else (old,)
    op.location = FusedLoc((*parts, _call_attr(name, call)), _NO_METADATA)


@functools.lru_cache(maxsize=256)  # a call changes several operations
def _call_attr(name: str, call: Location | None) -> NameLoc:
    return NameLoc(StringAttr(name), NoneAttr() if call is None else loc_attr(call))


def calls_of(op: Operation) -> list[tuple[str, Location | None]]:
    """The schedule calls that created or changed ``op``, in order: primitives with their
    locations.
    """
    loc = op.location
    if not (isinstance(loc, FusedLoc) and isinstance(loc.locations, ArrayAttr)):
        return []
    return [
        (part.desc.data, to_location(part.location))
        for part in loc.locations.data
        if isinstance(part, NameLoc)
    ]


def op_name(op: Operation) -> str:
    """The name of ``op`` in IR text, also if it belongs to no dialect."""
    if _is_registered(type(op)):
        return op.name
    assert isinstance(op, UnregisteredOp)
    return op.op_name.data


@functools.lru_cache(maxsize=1024)
def _is_registered(kind: type[Operation]) -> bool:
    return not issubclass(kind, UnregisteredOp)


def loc_attr(location: Location | None) -> FileLineColLoc | UnknownLoc:
    """``location`` as an attribute for ``Operation.location``."""
    return _UNKNOWN if location is None else _place_attr(location)


@functools.lru_cache(maxsize=256)  # the operations of a statement have one place
def _place_attr(location: Location) -> FileLineColLoc:
    return FileLineColLoc(
        _file_attr(location.file), IntAttr(location.line), IntAttr(location.column)
    )


@functools.lru_cache(maxsize=16)
def _file_attr(file: str) -> StringAttr:
    return StringAttr(file)


# The place of the user's program that is being read, where that is not a Python frame.
_READING: ContextVar[Location | None] = ContextVar("kc_reading", default=None)


class reading:  # noqa: N801 - a context, entered for each statement and call that is read
    """Use ``location`` as the user's line, for Python that is parsed but not executed."""

    __slots__ = ("_location", "_token")

    def __init__(self, location: Location | None) -> None:
        self._location = location

    def __enter__(self) -> None:
        self._token = _READING.set(self._location)

    def __exit__(self, *_: object) -> None:
        _READING.reset(self._token)


def caller_location() -> Location | None:
    """The innermost Python frame outside kc: the line the user wrote."""
    if (location := _READING.get()) is not None:
        return location
    frame = _caller()
    if frame is None:
        return None
    use_file(frame.f_code.co_filename)
    return Location(frame.f_code.co_filename, frame.f_lineno)


def caller_names() -> dict[str, Any]:
    """The local names of the innermost Python frame outside kc."""
    frame = _caller()
    return {} if frame is None else dict(frame.f_locals)


@functools.lru_cache(maxsize=1024)  # of the files of all frames around each expression
def is_library(file: str) -> bool:
    """True if a file belongs to kc, or to a library such as numpy that calls kc for the user."""
    return file.startswith((*_LIBRARY, "<frozen")) or _NUMPY in file


def _caller() -> FrameType | None:
    frame = sys._getframe(2)
    while frame is not None:
        if not is_library(frame.f_code.co_filename):
            return frame
        frame = frame.f_back
    return None


def copy_location(source: Operation, ops: Iterable[Operation]) -> None:
    """Give the location of ``source`` to the ``ops`` that have none."""
    for op in ops:
        if isinstance(op.location, UnknownLoc):
            op.location = source.location


class LocationParser(Parser):
    """xDSL's parser with a file:line:col location on every op, as in mlir-opt (xDSL sets none)."""

    def __init__(self, ctx: Context, text: str, name: str, line_offset: int = 0) -> None:
        super().__init__(ctx, text, name)
        self._name = StringAttr(name)
        self._line_offset = line_offset
        self._newlines = [-1, *(match.start() for match in _NEWLINE.finditer(text))]
        self._aliases_ahead = {match[1]: match.start(2) for match in _LOCATION_ALIAS.finditer(text)}
        """The positions of uses of location aliases, which mlir-opt defines at the end of the text.
        """
        self._read_ahead: set[str] = set()

    def _parse_location(self) -> LocationAttr:
        """Parse a location, which may be a range, have metadata, or be an alias that is defined
        later.
        """
        token = self._current_token
        if token.kind is MLIRTokenKind.HASH_IDENT and token.text not in self.attribute_aliases:
            self._define_ahead(token.text)
        if self.parse_optional_keyword("fused") is not None:
            if self.parse_optional_punctuation("<") is not None:
                self.parse_attribute()  # for debuggers
                self.parse_punctuation(">")
            parts = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
            return FusedLoc(tuple(parts), NoneAttr())
        location = super()._parse_location()
        if isinstance(location, FileLineColLoc) and self.parse_optional_keyword("to") is not None:
            self.parse_optional_integer(allow_boolean=False, allow_negative=False)
            self.parse_punctuation(":")
            self.parse_integer(allow_boolean=False, allow_negative=False)
        return location

    def parse_optional_argument(self, expect_type: bool = True) -> Any:
        """Parse a block argument; a location may follow it if it has no type."""
        argument = super().parse_optional_argument(expect_type)
        if argument is not None and not expect_type:
            self.parse_optional_location()
        return argument

    def _define_ahead(self, name: str) -> None:
        """Read the definition of a location alias, then return to the current position."""
        place = self._aliases_ahead.pop(name, None)
        if place is None:
            return
        here = self._current_token.span.start
        self._resume_from(place)
        self._read_ahead.add(name)
        self.attribute_aliases[name] = self.parse_attribute()
        self._resume_from(here)

    def _parse_alias_def(self) -> None:
        name = self._current_token.text
        self._aliases_ahead.pop(name, None)
        if name in self._read_ahead:
            self._read_ahead.discard(name)
            del self.attribute_aliases[name]
        super()._parse_alias_def()

    def parse_operation(self) -> Operation:
        position = self._current_token.span.start
        op = super().parse_operation()
        if isinstance(op.location, UnknownLoc):
            line, column = self.line_and_column(position)
            op.location = FileLineColLoc(self._name, IntAttr(line), IntAttr(column))
        return op

    def parse_optional_str_literal(self) -> str | None:
        # xDSL prints text beyond ASCII as bytes, and reads these as no text.
        token = self._current_token
        if token.kind is MLIRTokenKind.BYTES_LIT:
            try:
                text = StringLiteral.from_span(token.span).bytes_contents.decode()
            except UnicodeDecodeError:
                return None
            self._consume_token(MLIRTokenKind.BYTES_LIT)
            return text
        return super().parse_optional_str_literal()

    def parse_affine_map(self) -> AffineMap:
        return SemiAffineParser(self._parser_state).parse_affine_map()

    def parse_affine_set(self) -> AffineSet:
        return SemiAffineParser(self._parser_state).parse_affine_set()

    def line_and_column(self, position: int) -> tuple[int, int]:
        """The line and column, from 1, of a character offset in the whole file."""
        line = bisect.bisect_left(self._newlines, position) - 1
        return line + 1 + self._line_offset, position - self._newlines[line]
