"""Formats that are parsed at first use: all are right, and a wrong one is told as such."""

import subprocess
import sys
from io import StringIO
from typing import ClassVar

import pytest
from xdsl.dialects.builtin import i32
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import PyRDLOpDefinitionError
from xdsl.utils.test_value import create_ssa_value

from kc.dialects import deferred_formats
from kc.support import registry

# In a process of its own: other tests define wrong formats.
ALL = """
from kc.dialects import deferred_formats
from kc.support import registry

context = registry.context()
ours = [context.get_optional_dialect(name) for name in registry.DIALECTS]
count = deferred_formats.parse_deferred()
print(count, sum(op.assembly_format is not None for dialect in ours for op in dialect.operations))
"""


def test_all_formats_are_right():
    done = subprocess.run([sys.executable, "-c", ALL], capture_output=True, text=True, check=True)
    assert not done.stderr
    deferred, ours = map(int, done.stdout.split())
    assert deferred >= ours > 150


def define(op_name: str, assembly_format: str) -> type[IRDLOperation]:
    class Doubled(IRDLOperation):
        name: ClassVar[str] = op_name
        value = operand_def(i32)
        doubled = result_def(i32)

    Doubled.assembly_format = assembly_format
    return irdl_op_definition(Doubled)


def test_a_wrong_format_of_an_own_dialect_is_told_at_first_use(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(deferred_formats, "_deferred", [])
    op = define("te.doubled", "$valu attr-dict")
    value = create_ssa_value(i32)
    said = "assembly format of 'te.doubled'.*"
    with pytest.raises(PyRDLOpDefinitionError, match=said):
        Printer(StringIO()).print_op(op.build(operands=[value], result_types=[i32]))
    with pytest.raises(PyRDLOpDefinitionError, match=said):
        op.parse(Parser(registry.context(), "%0"))
    with pytest.raises(PyRDLOpDefinitionError, match=said):
        deferred_formats.parse_deferred()


def test_a_wrong_format_of_an_unknown_dialect_is_told_at_its_definition():
    with pytest.raises(PyRDLOpDefinitionError):
        define("unknown.doubled", "$valu attr-dict")


def test_a_format_is_parsed_once(monkeypatch: pytest.MonkeyPatch):
    texts: list[str] = []
    parse_at_once = deferred_formats._parse_at_once

    def counted(text: str, definition: object) -> FormatProgram:
        texts.append(text)
        return parse_at_once(text, definition)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(deferred_formats, "_parse_at_once", counted)
    op = define("te.doubled", "$value attr-dict")
    assert not texts
    value = create_ssa_value(i32)
    for _ in range(2):
        stream = StringIO()
        Printer(stream).print_op(op.build(operands=[value], result_types=[i32]))
        assert stream.getvalue() == "%0 = te.doubled %1"
    assert texts == ["$value attr-dict"]
