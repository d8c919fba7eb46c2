"""Assembly formats that are parsed when the first op of their class is parsed or printed.

xDSL parses the declarative format of an op when its class is defined. A build imports some 230 such
ops of xDSL and kc, and parses or prints few of them. Here the program of a format is created from
its text at its first use. This applies to the dialects of xDSL and kc; the test that calls
:func:`parse_deferred` finds mistakes in their formats. For all other dialects a mistake is reported
at the definition, as in xDSL.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property

from xdsl.dialects import get_all_dialects
from xdsl.irdl import OpDef
from xdsl.irdl.declarative_assembly_format import FormatDirective, FormatProgram
from xdsl.utils.exceptions import ParseError, PyRDLOpDefinitionError

from kc.support import registry

_parse_at_once: Callable[[str, OpDef], FormatProgram] = FormatProgram.from_str
_deferred: list[DeferredFormat] = []


class DeferredFormat(FormatProgram):
    """The program of an assembly format, parsed from its text at first use."""

    text: str
    definition: OpDef

    def __init__(self, text: str, definition: OpDef) -> None:
        # The base is frozen.
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "definition", definition)
        _deferred.append(self)

    @cached_property
    def stmts(self) -> tuple[FormatDirective, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The directives of the format.

        Raises ``PyRDLOpDefinitionError`` if the format is wrong: a ``ParseError`` would be told as
        a mistake in the text of the user's program.
        """
        try:
            return _parse_at_once(self.text, self.definition).stmts
        except ParseError as error:
            raise PyRDLOpDefinitionError(
                f"Error during the parsing of the assembly format of '{self.definition.name}': ",
                error.args,
            ) from error


@cache
def _deferring() -> frozenset[str]:
    """The dialects whose formats are deferred."""
    return frozenset((*get_all_dialects(), *registry.own().dialects))


def format_program(input: str, op_def: OpDef) -> FormatProgram:  # noqa: A002
    """The program of the format ``input`` for the ops of ``op_def``.

    It replaces ``FormatProgram.from_str``. Raises ``ParseError`` for an invalid format that is
    parsed immediately.
    """
    if op_def.name.partition(".")[0] in _deferring():
        return DeferredFormat(input, op_def)
    return _parse_at_once(input, op_def)


def parse_deferred() -> int:
    """Parse all formats of the defined ops; the number of formats that were deferred.

    Raises ``PyRDLOpDefinitionError`` for the first invalid format.
    """
    for program in _deferred:
        _ = program.stmts
    return len(_deferred)


def install() -> None:
    """Defer the formats of all classes defined from now on."""
    FormatProgram.from_str = staticmethod(format_program)
