"""A text of IR that is being edited: its diagnostics, and the positions of names and operations.

The text is parsed in parts, one for each operation at the top of a module, and an unchanged part is
not parsed again. After a keystroke in a file of 500 lines one function is parsed, and verified with
the others (:mod:`kc.analysis.verify_changes` skips verified ones). A syntax error in a part does
not affect the other parts, so each may have its own diagnostic.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import UnresolvedOperand
from xdsl.utils.lexer import Span

from kc.analysis.verify_changes import verify_all
from kc.support import registry
from kc.support.diagnostics import Diagnostic, KCError, diagnostic_handler
from kc.support.ir_text import ModuleParser, parse_module
from kc.support.paused_collection import paused_collection

_PLACE = re.compile(r"(<part \d+>):(\d{1,9})(?::\d+)?")
_MODULE = re.compile(r"(?:builtin\.)?module\b(?:\s+@[\w$.-]+)?\s*(?:attributes\s*\{[^{}]*\}\s*)?\{")
_ALIAS = re.compile(r"[#!][\w$.-]+\s*=")


@dataclass(frozen=True)
class Problem:
    """A diagnostic, its line (from 0) and the columns that it underlines."""

    diagnostic: Diagnostic
    line: int
    start: int
    end: int


@dataclass
class Name:
    """A use or the definition of a value: the position of its name, and the value."""

    start: int
    end: int
    text: str
    value: SSAValue | None
    is_definition: bool


@dataclass
class Part:
    """A top-level operation of a module with the text before it: its text, and the parsed
    result.
    """

    text: str
    line: int
    """The line of the file at which the text starts, from 0."""
    offset: int
    """The offset in the file at which the text starts."""
    ops: list[Operation] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    places: list[tuple[int, int, Operation]] = field(default_factory=list)
    """Start, end and operation for all operations, inner ones first."""
    problems: list[Diagnostic] = field(default_factory=list)
    failed: bool = False
    aliases: str = ""
    """The definitions of aliases before the part."""
    file: str = ""
    """The name of the text in locations."""
    steps: dict[int, Any] | None = None
    """The legal steps of :mod:`kc.tools.lsp.steps`, by line of the part."""


class _Recording(ModuleParser):
    """A parser that records the positions of names and operations."""

    names: list[Name]
    places: list[tuple[int, int, Operation]]

    def __init__(self, *args: Any) -> None:
        self.names, self.places = [], []
        super().__init__(*args)

    def parse_operation(self) -> Operation:
        start = self._current_token.span.start
        op = super().parse_operation()
        self.places.append((start, self._last_end(), op))
        return op

    def _last_end(self) -> int:
        text = self.lexer.input.content
        end = self._current_token.span.start
        return len(text[:end].rstrip())

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> SSAValue[Any]:
        value = super().resolve_operand(operand, type)
        span = operand.span
        self.names.append(Name(span.start, span.end, span.text, value, False))
        return value

    def _register_ssa_definition(self, name: str, values: Any, span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        value = values[0] if values else None
        start = span.start + span.text.find("%")
        self.names.append(Name(start, start + 1 + len(name), f"%{name}", value, True))


class Document:
    """The text of a file and its parsed parts; :meth:`update` replaces the text."""

    def __init__(self, name: str, text: str = "") -> None:
        self.name = name
        self.text = ""
        self.parts: list[Part] = []
        self.problems: list[Problem] = []
        self.modules: list[ModuleOp] = []
        """The parsed modules of the file."""
        self._lines = [0]
        self._count = 0
        self.update(text)

    # Reading -----------------------------------------------------------------------------------

    def update(self, text: str) -> None:
        """Replace the text; unchanged parts are not parsed again."""
        with paused_collection():
            self._update(text)

    def _update(self, text: str) -> None:
        unchanged: dict[tuple[str, str], list[Part]] = {}
        for part in self.parts:
            if not part.failed:
                unchanged.setdefault((part.aliases, part.text), []).append(part)
        self.text = text
        self._lines = [0, *(n + 1 for n, char in enumerate(text) if char == "\n")]
        self.parts, self.problems, self.modules = [], [], []
        for chunk, start in _chunks(text):
            parts, header = _parts(chunk, start, text)
            for n, part in enumerate(parts):
                if same := unchanged.get((part.aliases, part.text)):
                    same[-1].line, same[-1].offset = part.line, part.offset
                    parts[n] = same.pop()
                else:
                    self._read(part)
            self.parts += parts
            self._verify(parts, header)

    def _read(self, part: Part) -> None:
        recorded: list[_Recording] = []

        class Parser(_Recording):
            def __init__(self, *args: Any) -> None:
                super().__init__(*args)
                recorded.append(self)

        self._count += 1
        part.file = f"<part {self._count}>"
        # Aliases stand on lines before the first.
        text, offset = part.aliases + part.text, -part.aliases.count("\n")
        try:
            with diagnostic_handler(part.problems.append):
                module = parse_module(text, part.file, registry.context(), offset, Parser)
            part.ops = list(module.body.block.ops)
        except KCError as error:
            part.failed = True
            part.problems.append(error)
        for parser in recorded:
            shift = len(part.aliases)
            part.names = [
                Name(
                    name.start - shift, name.end - shift, name.text, name.value, name.is_definition
                )
                for name in parser.names
            ]
            part.places = [(a - shift, b - shift, op) for a, b, op in parser.places]

    def _verify(self, parts: list[Part], header: str) -> None:
        """Verify a module of the file. While a part cannot be parsed, the others are not verified,
        because its definitions are missing.
        """
        problems: list[Diagnostic] = [problem for part in parts for problem in part.problems]
        if not any(part.failed for part in parts):
            module = self._module(parts, header)
            for part in parts:
                for op in part.ops:
                    op.detach()
                    module.body.block.add_op(op)
            self.modules.append(module)
            try:
                with diagnostic_handler(problems.append):
                    verify_all(module)
            except KCError as error:
                problems.append(error)
        lines = {part.file: part.line for part in parts}
        self.problems += [self._problem(problem, lines) for problem in problems]

    def _module(self, parts: list[Part], header: str) -> ModuleOp:
        """An empty module with the attributes of the text."""
        if header:
            text = f"{parts[0].aliases if parts else ''}{header}}}"
            try:
                (op,) = parse_module(text, self.name, registry.context()).walk()
            except (KCError, ValueError):
                return ModuleOp([])
            if isinstance(op, ModuleOp):
                return op
        return ModuleOp([])

    def _problem(self, diagnostic: Diagnostic, lines: dict[str, int]) -> Problem:
        """A diagnostic of a part, with lines of the whole file."""
        place = diagnostic.location
        line = place.line - 1 + lines.get(place.file, 0) if place is not None else 0

        def in_file(text: str) -> str:
            return _PLACE.sub(lambda match: f"line {int(match[2]) + lines.get(match[1], 0)}", text)

        diagnostic.message = in_file(diagnostic.message)
        diagnostic.why = in_file(diagnostic.why) if diagnostic.why else None
        diagnostic.facts = tuple(map(in_file, diagnostic.facts))
        line = max(0, min(line, len(self._lines) - 1))
        column = max((place.column if place is not None else 1) - 1, 0)
        text = self.line(line)
        word = re.compile(r"[%@^#!]?[\w$.-]+|.").match(text, min(column, len(text)))
        end = word.end() if word is not None else column + 1
        return Problem(diagnostic, line, column, end)

    # Looking up --------------------------------------------------------------------------------

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        if not 0 <= number < len(self._lines):
            return ""
        start = self._lines[number]
        end = self._lines[number + 1] - 1 if number + 1 < len(self._lines) else len(self.text)
        return self.text[start:end]

    def offset(self, line: int, column: int) -> int:
        """The offset in the text of a line and a column, both from 0."""
        return self._lines[min(line, len(self._lines) - 1)] + column

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column, both from 0, of an offset in the text."""
        line = bisect.bisect_right(self._lines, offset) - 1
        return line, offset - self._lines[line]

    def part_at(self, offset: int) -> Part | None:
        """The part that contains an offset."""
        return next(
            (part for part in self.parts if part.offset <= offset <= part.offset + len(part.text)),
            None,
        )

    def op_at(self, offset: int) -> Operation | None:
        """The innermost operation around an offset."""
        part = self.part_at(offset)
        if part is None:
            return None
        inside = [
            (end - start, n, op)
            for n, (start, end, op) in enumerate(part.places)
            if start <= offset - part.offset <= end
        ]
        return min(inside, key=lambda candidate: candidate[:2])[2] if inside else None

    def name_at(self, offset: int) -> tuple[Part, Name] | None:
        """The name of a value at an offset."""
        part = self.part_at(offset)
        for name in part.names if part is not None else ():
            if name.start <= offset - part.offset <= name.end:  # pyright: ignore
                return part, name  # pyright: ignore
        return None

    def definition(self, part: Part, name: Name) -> Name | None:
        """The position of the definition of a value."""
        definitions = [
            name_use
            for name_use in part.names
            if name_use.is_definition and name_use.text == name.text
        ]
        for candidate in definitions:
            if candidate.value is not None and candidate.value is name.value:
                return candidate
        before = [definition for definition in definitions if definition.start <= name.start]
        return before[-1] if before else next(iter(definitions), None)

    def symbol(self, name: str) -> tuple[Part, int, Operation] | None:
        """The operation with a symbol name, with its part and its position in the part."""
        for part in self.parts:
            for start, _, op in part.places:
                if getattr(op.get_attr_or_prop("sym_name"), "data", None) == name:
                    return part, start, op
        return None


_SEPARATOR = re.compile(r"^[ \t]*// -----[^\n]*\n?", re.MULTILINE)


def _chunks(text: str) -> Iterator[tuple[str, int]]:
    """The parts of a file between ``// -----`` lines, with their offsets."""
    start = 0
    for separator in _SEPARATOR.finditer(text):
        yield text[start : separator.start()], start
        start = separator.end()
    yield text[start:], start


def _parts(chunk: str, start: int, whole: str) -> tuple[list[Part], str]:
    """The operations at the top of a chunk or of its only module, and the header of that module.

    A chunk with unbalanced brackets, or with values at its top, is one part.
    """
    lines_before = whole.count("\n", 0, start)
    everything = [Part(chunk, lines_before, start)] if _first_code(chunk) < len(chunk) else []
    ends = _ends(chunk, 0)
    if ends is None:
        return everything, ""
    header, begin, stop = "", 0, len(chunk)
    module = _MODULE.match(chunk, _first_code(chunk))
    if module is not None:
        if len(ends) != 1 or _first_code(chunk[ends[0] :]) < len(chunk) - ends[0]:
            return everything, ""
        header, begin, stop = module.group(), module.end(), chunk.rfind("}")
        ends = [end for end in _ends(chunk, 1) or [] if begin < end < stop]
    parts: list[Part] = []
    aliases, at = "", begin
    for end in [*ends, stop]:
        while (code := at + _first_code(chunk[at:end])) < end:
            if chunk[code] == "%":
                return everything, ""
            if _ALIAS.match(chunk, code) is None:
                # From the start of the line: columns are those of the file.
                at = max(chunk.rfind("\n", 0, at) + 1, begin if at == begin else 0)
                text = " " * (at - chunk.rfind("\n", 0, at) - 1) + chunk[at:end]
                offset = start + chunk.rfind("\n", 0, at) + 1
                line = lines_before + chunk.count("\n", 0, at)
                parts.append(Part(text, line, offset, aliases=aliases))
                break
            line_end = chunk.find("\n", code)
            line_end = len(chunk) if line_end < 0 else line_end + 1
            if not _is_balanced(chunk[code:line_end]):
                return everything, ""
            aliases += chunk[code:line_end]
            at = line_end
        at = max(at, end)
    return parts, header


_SPACE = re.compile(r"(?:\s|//[^\n]*(?:\n|$))*")
_BRACKET = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|[{}()\[\]]')


def _first_code(text: str) -> int:
    """The offset of the first character that is neither space nor part of a comment."""
    match = _SPACE.match(text)
    return match.end() if match is not None else 0


def _is_balanced(text: str) -> bool:
    brackets = [bracket.group() for bracket in _BRACKET.finditer(text) if len(bracket.group()) == 1]
    return sum(bracket in "([{" for bracket in brackets) == sum(
        bracket in ")]}" for bracket in brackets
    )


def _ends(text: str, depth: int) -> list[int] | None:
    """The ends of the lines in which braces at nesting depth ``depth`` close; None if a brace is
    not closed.
    """
    ends: list[int] = []
    level = 0
    for bracket in _BRACKET.finditer(text):
        if bracket.group() == "{":
            level += 1
        elif bracket.group() == "}":
            level -= 1
            if level < 0:
                return None
            if level == depth:
                line_end = text.find("\n", bracket.end())
                ends.append(len(text) if line_end < 0 else line_end + 1)
    # Several on one line are one.
    return list(dict.fromkeys(ends)) if level == 0 else None


_LABEL = re.compile(r"\^[\w$.-]+[^/\n]*:\s*(?://.*)?$")


def reindented(text: str, width: int = 2) -> str:
    """The text with each line indented by the number of brackets that are open around it.

    Spaces at the ends of lines are removed. Nothing else changes; comments stay as they are.
    """
    lines: list[str] = []
    depth = 0
    for line in text.split("\n"):
        stripped = line.strip()
        brackets = [
            bracket.group() for bracket in _BRACKET.finditer(stripped) if len(bracket.group()) == 1
        ]
        level = least = 0
        for bracket in brackets:
            level += 1 if bracket in "([{" else -1
            least = min(least, level)
        own = max(depth + least - (1 if _LABEL.match(stripped) and depth else 0), 0)
        lines.append(" " * (width * own) + stripped if stripped else "")
        depth = max(depth + level, 0)
    return "\n".join(lines)
