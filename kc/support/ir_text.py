"""Parsing and printing IR. Errors of xDSL on bad input become diagnostics with a line and a
caret.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from math import prod
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    BytesAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    Float80Type,
    Float128Type,
    FunctionType,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    ShapedType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, ErasedSSAValue, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap, AffineSymExpr
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoTerminator, SymbolOpInterface, SymbolTable
from xdsl.utils import exceptions as xdsl_errors
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from kc.support.diagnostics import KCError, Location, ParseError, counted, suggest
from kc.support.index_numbers import SUSPICIOUS, wrong_number, wrong_number_of_maps
from kc.support.locations import LocationParser, location_of, op_name
from kc.support.own_attributes import wrong_attribute
from kc.support.resources import (
    LARGEST_INLINE,
    resolve_resources,
    resource_name,
    resource_section,
)

_COMMENT_OR_SPACE = re.compile(r"(\s|//[^\n]*(\n|$))*")
_NO_OPERATION = re.compile(r"operation (\S+) is not registered")
_NO_CUSTOM_FORM = "operation builtin.unregistered does not have a custom format"
_NO_ATTRIBUTE = re.compile(r"'(\S+)' is not registered")
_UNDEFINED = re.compile(r"values used but not defined: \[(.*)\]")
_COMMENT_OR_STRING = re.compile(r'//[^\n]*|"(?:[^"\\\n\v\f]++|\\["nt\\]|\\[0-9A-Fa-f]{2})*+("?)')
_LAST_NAME = re.compile(r"[\w$.-]*$")
_VALUE = re.compile(r"%[\w$.-]+")
_MOST_ELEMENTS = 2**24
"""The maximum number of elements of a constant that is given by its nonzero elements."""
MOST_BYTES = 2**29
"""The maximum size of a constant in bytes: all elements are stored, even if they are equal."""
MOST_DIMENSIONS = 64
"""The maximum number of dimensions of a type, as for numpy's arrays."""


_NO_SPLAT = (
    MLIRTokenKind.L_SQUARE,
    MLIRTokenKind.GREATER,
    MLIRTokenKind.STRING_LIT,
    MLIRTokenKind.BYTES_LIT,
)
"""The tokens that begin the elements of a constant that is not a splat."""


def _is_splat(self: DenseIntOrFPElementsAttr) -> bool:
    """True if all elements have the same bits. 0.0 and -0.0 differ; two equal NaNs do not."""
    data = self.data.data
    element = data[: self.type.element_type.compile_time_size]
    return bool(data) and data == element * (len(data) // len(element))


# xDSL compares numbers, so it prints, and takes, zeros of both signs for one.
DenseIntOrFPElementsAttr.is_splat = _is_splat


def parse_module(
    text: str,
    name: str,
    context: Context,
    line_offset: int = 0,
    parser_class: type[ModuleParser] | None = None,
) -> ModuleOp:
    """The module in ``text``. Locations have the file ``name``, with ``line_offset`` added to each
    line.

    As in mlir-opt, text without operations is an empty module. The result is not verified. Raises
    :class:`ParseError`: KC1001 (not IR), KC1002 (unknown operation, attribute or type), KC1003
    (nested too deeply), KC1004 (an undefined value), KC1005 (the size of a resource does not match
    its type).
    """
    if _COMMENT_OR_SPACE.fullmatch(text):
        return ModuleOp([])
    _check_strings(text, name, line_offset)
    parser = None
    try:
        parser = (parser_class or ModuleParser)(context, text, name, line_offset)
        module = parser.parse_module()
        if parser.resources:
            resolve_resources(module, parser.resources)
        return module
    except KCError:
        raise
    except xdsl_errors.ParseError as error:
        raise _syntax_error(parser, error, line_offset) from error
    except RecursionError as error:
        place = parser.failed_at() if parser is not None else None
        raise ParseError("KC1003", "this is nested too deeply", location=place) from error
    except Exception as error:
        # xDSL reports bad text by every kind of exception; the parser knows where it was.
        place = parser.failed_at() if parser is not None else None
        raise ParseError("KC1001", _words_of(error), location=place) from error


def _check_strings(text: str, name: str, line_offset: int) -> None:
    """Refuse an unterminated string, for which xDSL's lexer takes exponential time."""
    for token in _COMMENT_OR_STRING.finditer(text):
        start, end = token.span()
        if text[start] != '"' or token[1]:
            continue
        message = "this string is not closed"
        if text[end : end + 1] == "\\":
            start, message = end, f"unknown escape {text[end : end + 2]} in a string"
        line_start = text.rfind("\n", 0, start) + 1
        line = text.count("\n", 0, start) + 1 + line_offset
        place = Location(name, line, start - line_start + 1)
        raise ParseError("KC1001", message, location=place)


class ModuleParser(LocationParser):
    """A parser that remembers the operation in which an exception occurred."""

    def __init__(self, context: Context, text: str, name: str, line_offset: int) -> None:
        self._failed_op: int | None = None
        self.resources: dict[str, str] = {}
        """The resources of the file, by name, as hexadecimal digits."""
        self._is_suspicious = SUSPICIOUS.search(text) is not None
        super().__init__(context, text, name, line_offset)

    def parse_operation(self) -> Operation:
        start = self._current_token.span.start
        try:
            op = super().parse_operation()
        except (KCError, xdsl_errors.ParseError):
            raise
        except Exception:
            if self._failed_op is None:
                self._failed_op = start
            raise
        if not self._is_suspicious:
            return op
        text = self.lexer.input.content[start : self._current_token.span.start]
        if (wrong := wrong_number(op, text)) is not None:
            message, why = wrong
            raise ParseError("KC1001", message, location=self.place(start), why=why)
        return op

    def _parse_dialect_resource_handle(self, dialect_name: str, interface: Any) -> str:
        # Not declared there: xDSL's table of resources is one for all files.
        name = self.parse_optional_str_literal()
        return self.parse_identifier(context_msg=" for resource handle") if name is None else name

    def _parse_resource(self, dialect_name: str, interface: Any) -> None:
        name = self._parse_dialect_resource_handle(dialect_name, interface)
        self.parse_punctuation(":")
        self.resources[name] = self.parse_str_literal()

    def parse_optional_attr_dict(self) -> dict[str, Attribute]:
        # ``linalg.generic #trait``: an alias stands for the dictionary.
        if self._current_token.kind == MLIRTokenKind.HASH_IDENT:
            alias = self.attribute_aliases.get(self._current_token.text)
            if isinstance(alias, DictionaryAttr):
                self._consume_token()
                return dict(alias.data)
        return super().parse_optional_attr_dict()

    def parse_comma_separated_list(
        self, delimiter: Any, parse: Callable[[], Any], context_msg: str = ""
    ) -> list[Any]:
        # ``-> f32``: a single type after an arrow has no parentheses.
        if delimiter == self.Delimiter.PAREN and self._current_token.kind != MLIRTokenKind.L_PAREN:
            before = self.lexer.input.content[: self._current_token.span.start]
            if before.rstrip().endswith("->"):
                return [parse()]
        return super().parse_comma_separated_list(delimiter, parse, context_msg)

    def parse_dimension_list(self) -> list[int]:
        # ``memref<? x f32>``: a space may follow the last ``x``, too.
        sizes: list[int] = []
        delimiter = self._current_token.span.start
        while self._current_token.kind in (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.QUESTION):
            sizes.append(self.parse_shape_dimension())
            delimiter = self._current_token.span.start
            if self._parse_optional_shape_delimiter() is None:
                return sizes
        if sizes:
            self._resume_from(delimiter)
        return sizes

    def parse_ranked_shape(self) -> tuple[list[int], Attribute]:
        at = self._current_token.span.start
        sizes, element = super().parse_ranked_shape()
        if len(sizes) > MOST_DIMENSIONS:
            self.raise_error(
                f"a type has {len(sizes)} dimensions, of at most {MOST_DIMENSIONS}", at
            )
        return sizes, element

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> DenseIntOrFPElementsAttr:
        """Parse ``dense<1.5> : tensor<4xf32>`` without the list of equal elements that xDSL would
        build.
        """
        start = self._current_token.span.start
        self.parse_punctuation("<", " in dense attribute")
        if self._current_token.kind in _NO_SPLAT:
            self._resume_from(start)
            if type is not None:
                self._check_bytes(type, start)
            return super().parse_dense_int_or_fp_elements_attr(type)
        ((literal, *_), _) = self._parse_tensor_literal()
        self.parse_punctuation(">", " in dense attribute")
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            type = self._parse_dense_literal_type()
        self._check_bytes(type, start)
        single = TensorType(type.element_type, [1])
        number: Any = literal.to_type(self, type.element_type)
        element: Any = DenseIntOrFPElementsAttr.from_list(single, [number])
        return DenseIntOrFPElementsAttr(type, BytesAttr(element.data.data * prod(type.get_shape())))

    def _parse_dense_literal_type(self) -> Any:
        at = self._current_token.span.start
        type_: Any = super()._parse_dense_literal_type()
        if not self._is_sparse:
            self._check_bytes(type_, at)
        return type_

    def _check_bytes(self, type_: Any, at: int) -> None:
        """Refuse a constant of more than :data:`MOST_BYTES`."""
        count = prod(type_.get_shape())
        if count * getattr(type_.element_type, "compile_time_size", 1) > MOST_BYTES:
            self.raise_error(f"dense: {type_} has more than {MOST_BYTES} bytes", at)

    _is_sparse = False

    def _parse_optional_builtin_parametrized_attr(self) -> Attribute | None:
        if self.parse_optional_keyword("sparse") is None:
            return super()._parse_optional_builtin_parametrized_attr()
        return self._parse_sparse_elements()

    def _parse_sparse_elements(self) -> Attribute:
        """Parse ``sparse<[[0, 2], [1, 0]], [1.5, 2.5]> : tensor<2x4xf32>``: elements with their
        indices; the other elements are 0. All elements are stored, as for ``dense``.
        """
        at = self.pos
        places: tuple[list[Any], list[int]] = [], [0, 0]
        values: tuple[list[Any], list[int]] = [], [0]
        self.parse_punctuation("<")
        if self.parse_optional_punctuation(">") is None:
            places = self._parse_tensor_literal()
            self.parse_punctuation(",")
            values = self._parse_tensor_literal()
            self.parse_punctuation(">")
        self.parse_punctuation(":")
        self._is_sparse = True  # its own number of elements is checked below
        type_: Any = self._parse_dense_literal_type()
        self._is_sparse = False
        sizes: list[int] = list(type_.get_shape())
        element = type_.element_type
        numbers = [place.to_int(self) for place in places[0]]
        count = len(numbers) // len(sizes) if sizes else 0
        is_listed = places[1] == [count, len(sizes)] or (not count and places[1][:1] == [0])
        if not is_listed and (places[1] or len(sizes) != 1):
            self.raise_error(f"sparse: each place has {len(sizes)} indices", at)
        if values[1] not in ([], [count]):
            self.raise_error(f"sparse: {count} places have {len(values[0])} values", at)
        if prod(sizes) > _MOST_ELEMENTS:
            self.raise_error(f"sparse: {type_} has more than {_MOST_ELEMENTS} elements", at)
        zero = (0, 0) if isinstance(element, ComplexType) else 0
        whole: list[Any] = [zero] * prod(sizes)
        elements = [value.to_type(self, element) for value in values[0]]
        for n in reversed(range(count)):  # the first of several at one place
            place = numbers[n * len(sizes) : (n + 1) * len(sizes)]
            position = 0
            for index, size in zip(place, sizes, strict=True):
                if not 0 <= index < size:
                    self.raise_error(f"sparse: {place} is not an index of {type_}", at)
                position = position * size + index
            whole[position] = elements[n] if values[1] else elements[0]
        return DenseIntOrFPElementsAttr.from_list(type_, whole)

    def parse_affine_map(self) -> AffineMap:
        space = super().parse_affine_map()
        if not all(expr.is_pure_affine() for expr in space.results):
            self._is_suspicious = True  # only some ops may have it
        return space

    class _TensorLiteralElement(LocationParser._TensorLiteralElement):
        """An element of ``dense<...>``. xDSL reads the bits of a hexadecimal float as a number."""

        def to_type(self, parser: AttrParser, type: Any) -> Any:
            if not isinstance(type, AnyFloat) or self.span.text[:2] != "0x":
                return super().to_type(parser, type)
            bits = self.to_int(parser)
            if bits >> (8 * type.compile_time_size):
                parser.raise_error(f"{self.span.text} does not fit {type}", at_position=self.span)
            return type.unpack(bits.to_bytes(type.compile_time_size, "little"), 1)[0]

    def failed_at(self) -> Location:
        """The innermost operation that an exception passed through."""
        start = self._failed_op
        return self.place(start if start is not None else self._current_token.span.start)

    def place(self, position: int) -> Location:
        """The location in the file of a character offset."""
        line, column = self.line_and_column(position)
        return Location(self._name.data, line, column)


def _syntax_error(
    parser: ModuleParser | None, error: xdsl_errors.ParseError, line_offset: int
) -> ParseError:
    """A diagnostic for a ParseError of xDSL."""
    # An f-string of xDSL lacks its prefix, so the placeholder appears in the message.
    message = _clean(error.msg).replace("{first_char}", f"'{error.span.text[:1]}'")
    message = message.replace("suffix identifier", "a name")
    if parser is None:  # there is no parser if the first character is not a token
        file, line, column = error.span.get_location()
        return ParseError("KC1001", message, location=Location(file, line + line_offset, column))
    if matched := _NO_OPERATION.fullmatch(message):
        return _unknown_op(parser, matched[1].strip("\"'"), error.span.start)
    if message == _NO_CUSTOM_FORM:
        return _unregistered_op(parser, error.span.start)
    if matched := _NO_ATTRIBUTE.fullmatch(message):
        dialect = matched[1].partition(".")[0]
        dialects = list(parser.ctx.registered_dialect_names)
        return ParseError(
            "KC1002",
            f"there is no attribute or type '{matched[1]}'",
            location=parser.place(error.span.start),
            hints=[] if dialect in dialects else _dialect_hints(dialect, dialects),
        )
    if matched := _UNDEFINED.fullmatch(message):
        return _undefined_values(parser, matched[1].split(", "))
    facts: list[str] = []
    if isinstance(error, xdsl_errors.MultipleSpansParseError):
        for span, note in error.refs:
            line, column = parser.line_and_column(span.start)
            facts.append(f"line {line}, column {column}: {note or error.ref_text or 'see here'}")
    if message == "could not parse entire input":
        message = f"expected an operation, got {_shown(error.span)}"
    elif message == "in block definition":
        message = f"expected an operation or '}}', got {_shown(error.span)}"
    return ParseError("KC1001", message, location=parser.place(error.span.start), facts=facts)


def _unknown_op(parser: ModuleParser, name: str, end: int) -> ParseError:
    """An error for an unregistered operation whose name ends at or before ``end``."""
    text = parser.lexer.input.content
    start = max(text.rfind(name, 0, end + len(name)), 0)
    if text[start - 1 : start] == '"':
        start -= 1
    dialect, dot, _ = name.partition(".")
    dialects = list(parser.ctx.registered_dialect_names)
    why = None
    if dot and dialect in dialects:
        registered = parser.ctx.get_optional_dialect(dialect)
        names = [op.name for op in registered.operations] if registered is not None else []
        hints = suggest(name, names, f"the operations of {dialect} are")
    elif dot:
        why = f"there is no dialect '{dialect}'"
        hints = _dialect_hints(dialect, dialects)
    else:
        own_dialect = parser.ctx.get_optional_dialect(name) if name in dialects else None
        ops = [*parser.ctx.loaded_ops, *(own_dialect.operations if own_dialect is not None else ())]
        hints = _only_close(name, [op.name for op in ops])
    return ParseError(
        "KC1002",
        f"there is no operation '{name}'",
        location=parser.place(start),
        why=why,
        hints=hints,
    )


def _unregistered_op(parser: ModuleParser, end: int) -> ParseError:
    """An error for an unknown operation that is not in the generic form."""
    before = parser.lexer.input.content[:end].rstrip()
    start = len(before) - len(_LAST_NAME.search(before)[0])  # pyright: ignore[reportOptionalSubscript]
    name = before[start:]
    return ParseError(
        "KC1002",
        f"there is no operation '{name}'",
        location=parser.place(start),
        why="unregistered operations are read in the generic form only",
        hints=[f'"{name}"(...) : (...) -> (...)'],
    )


_CONVERSIONS = {
    "shape": "mlir-opt --remove-shape-constraints --canonicalize --convert-shape-to-std converts "
    "it to ops of tensor and arith; the call checks the sizes",
}
"""Hints for dialects that kc does not read: MLIR's conversions to dialects that kc reads."""


def _dialect_hints(dialect: str, dialects: list[str]) -> list[str]:
    if dialect in _CONVERSIONS:
        return [_CONVERSIONS[dialect]]
    return [*_only_close(dialect, dialects), "kc-opt --show-dialects lists the dialects"]


def _only_close(name: str, names: list[str]) -> list[str]:
    return [hint for hint in suggest(name, names) if hint.startswith("did you mean")]


def _undefined_values(parser: ModuleParser, names: list[str]) -> ParseError:
    """An error for undefined values, at the first operation that uses one."""
    waiting = parser.forward_ssa_references
    users = [
        use.operation
        for name in names
        for value in waiting.get(name[1:], {}).values()
        for use in value.uses
    ]
    places = [place for user in users if (place := location_of(user)) is not None]
    place = min(
        places, key=lambda candidate: (candidate.line, candidate.column), default=parser.failed_at()
    )
    written = dict.fromkeys(_VALUE.findall(parser.lexer.input.content))
    close = [value_name for value_name in written if value_name not in names]
    return ParseError(
        "KC1004",
        f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} used but not defined",
        location=place,
        hints=_only_close(names[0], close),
    )


def _shown(span: Span[str] | Span[bytes]) -> str:
    text = span.text.split("\n")[0]
    if not text:
        return "the end of the text"
    return f"'{text if len(text) <= 30 else text[:27] + '...'}'"


def _words_of(error: Exception) -> str:
    """The message of an exception on one line; its class name if it has no message."""
    if isinstance(error, KeyError):
        return f"unknown name {error}"
    return _clean(str(error)) or f"this cannot be read ({type(error).__name__})"


def _clean(message: str) -> str:
    """The message of xDSL in kc's style: one line, no capital, no full stop, only printable
    characters.
    """
    text = " ".join(message.split()).rstrip(".!")
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def verify_module(module: Operation) -> None:
    """Verify every operation, operands and results before the operations that contain them.

    The rules are those of ``module.verify()``, with the location of the mistake: KC1101.
    (``kc.analysis.dominance`` checks that values are defined before use.)
    """
    for op in _postorder(module):
        verify_operation(op)


def verify_operation(op: Operation) -> None:
    """Verify an operation and the ends of its blocks, but not the operations in them.

    Raises ParseError KC1101.
    """
    if any(isinstance(operand, ErasedSSAValue) for operand in op.operands):
        raise _invalid(op, f"{op_name(op)} uses a value that was erased")
    try:
        # Not op.verify(): for an error that prints the whole module into a note.
        op.verify_()
    except KCError as error:
        error.with_location(location_of(op))
        raise
    except Exception as error:
        # A verifier may raise anything: xDSL's own use asserts and ValueError as well.
        message = _words_of(error)
        if not message.startswith(f"{op_name(op)}:"):
            message = f"{op_name(op)}: {message}"
        raise ParseError("KC1101", message, location=location_of(op)) from error
    if (wrong := wrong_number_of_maps(op)) is not None:
        message, why = wrong
        raise ParseError("KC1101", f"{op_name(op)}: {message}", location=location_of(op), why=why)
    around = op.parent_op()
    is_symbol = op.has_trait(SymbolOpInterface, value_if_unregistered=False)
    if is_symbol and around is not None and not around.has_trait(SymbolTable):
        raise _invalid(op, f"{op_name(op)} in {op_name(around)}, which has no symbol table")
    for region in op.regions:
        _verify_blocks(op, region)
    if (complaint := wrong_attribute(op)) is not None:
        raise _invalid(op, f"{op_name(op)}: {complaint}")
    if (unseen := _UNSEEN.get(op.name)) is not None:
        unseen(op)


def _verify_blocks(op: Operation, region: Region) -> None:
    """Check that each block ends in a terminator whose successors are blocks of the same region."""
    needs_terminator = region.first_block is not region.last_block or not op.has_trait(NoTerminator)
    for block in region.blocks:
        last = block.last_op
        if last is None and needs_terminator:
            raise _invalid(op, f"{op_name(op)} has an empty block, which needs a terminator")
        if last is not None and needs_terminator and not last.has_trait(IsTerminator):
            raise _invalid(
                last, f"{op_name(last)} ends a block of {op_name(op)} but is not a terminator"
            )
        for inner in block.ops:
            if inner.successors and inner is not last:
                raise _invalid(inner, f"{op_name(inner)} branches and does not end its block")
            if any(successor.parent is not region for successor in inner.successors):
                raise _invalid(inner, f"{op_name(inner)} branches to a block of another region")
            if region.first_block in inner.successors:
                raise _invalid(
                    inner, f"{op_name(inner)} branches to the first block of {op_name(op)}"
                )


def _verify_yields(op: Operation) -> None:
    """Check that each region yields the results of the operation."""
    results = [result.type for result in op.results]
    what = "a branch" if len(op.regions) > 1 else "the body"
    for region in op.regions:
        end = region.blocks[-1].last_op if region.blocks else None
        if end is None and not results:
            continue
        yielded = [value.type for value in end.operands] if end is not None else []
        if yielded != results and (end is None or end.name.endswith(".yield")):
            values, expected = (
                f"({', '.join(str(type_) for type_ in types)})" for types in (yielded, results)
            )
            message = f"{op.name}: {what} yields {values}, and the results are {expected}"
            raise _invalid(op if end is None else end, message)


def _verify_dynamic_sizes(op: Operation) -> None:
    """Check that each dynamic size has an operand."""
    sizes = op.properties["static_output_shape"]
    assert isinstance(sizes, DenseArrayBase)
    dynamic, operand_count = list(sizes.iter_values()).count(DYNAMIC_INDEX), len(op.operands) - 1
    if dynamic != operand_count:
        message = f"{op.name}: {operand_count} operands for {dynamic} dynamic sizes of output_shape"
        raise _invalid(op, message)


def _verify_declared_sizes(op: Operation) -> None:
    """Check the sizes of an argument: ``kc.shape`` lists a declared symbol for each dimension, and
    an argument with ``kc.symbol`` names its symbol.
    """
    attrs, symbols = op.properties.get("arg_attrs"), op.attributes.get("kc.symbols")
    type_ = op.properties["function_type"]
    if not isinstance(attrs, ArrayAttr) or not isinstance(type_, FunctionType):
        return
    declared = len(symbols) if isinstance(symbols, ArrayAttr) else 0
    for n, (entry, taken) in enumerate(zip(attrs, type_.inputs, strict=False)):
        if not isinstance(entry, DictionaryAttr):
            continue
        shape, symbol = entry.data.get("kc.shape"), entry.data.get("kc.symbol")
        if symbol is not None and not isinstance(symbol, StringAttr):
            raise _invalid(op, f"{op.name}: kc.symbol of argument {n} is {symbol}, no name")
        if symbol is not None and not isinstance(taken, IndexType | IntegerType):
            raise _invalid(
                op,
                f"{op.name}: kc.symbol of argument {n}, which is of the type {taken}; sizes are "
                "indices or integers",
            )
        if shape is None:
            continue
        argument = f"{op.name}: kc.shape of argument {n}"
        if not isinstance(shape, AffineMapAttr):
            raise _invalid(op, f"{argument} is {shape}; sizes are an affine_map of symbols")
        map_ = shape.data
        if not isinstance(taken, ShapedType):
            raise _invalid(op, f"{argument} says the sizes of {taken}, which has none")
        rank, sizes = len(taken.get_shape()), counted(len(map_.results), "size")
        if len(map_.results) != rank:
            raise _invalid(op, f"{argument} has {sizes}, and {taken} {counted(rank, 'dimension')}")
        used = {part for expr in map_.results for part in expr.dfs()}
        if any(isinstance(part, AffineDimExpr) for part in used):
            raise _invalid(op, f"{argument} is of dimensions; sizes are of symbols alone")
        if any(isinstance(part, AffineSymExpr) and part.position >= declared for part in used):
            uses = counted(map_.num_symbols, "symbol")
            raise _invalid(op, f"{argument} is of {uses}, and kc.symbols names {declared}")


def _verify_slice(op: Operation) -> None:
    """Refuse a slice whose constant part lies outside of the buffer."""
    source = op.operands[0].type
    if not isinstance(source, MemRefType):
        return
    parts = [op.properties[f"static_{word}"] for word in ("offsets", "sizes", "strides")]
    assert all(isinstance(part, DenseArrayBase) for part in parts)
    numbers = zip(*(part.iter_values() for part in parts), source.get_shape(), strict=False)  # pyright: ignore
    for dim, (offset, size, stride, whole) in enumerate(numbers):
        if DYNAMIC_INDEX in (size, stride, whole) or size == 0:
            continue
        first = 0 if offset == DYNAMIC_INDEX else offset
        if not 0 <= first < whole or not 0 <= first + (size - 1) * stride < whole:
            raise _invalid(
                op,
                f"{op.name}: elements {first} to {first + (size - 1) * stride} along dimension "
                f"{dim} of {source}, which has {whole}",
            )


_UNSEEN: dict[str, Callable[[Operation], None]] = {
    "func.func": _verify_declared_sizes,
    "memref.subview": _verify_slice,
    "te.func": _verify_declared_sizes,
    "scf.if": _verify_yields,
    "affine.if": _verify_yields,
    "affine.for": _verify_yields,
    "tensor.expand_shape": _verify_dynamic_sizes,
    "memref.expand_shape": _verify_dynamic_sizes,
}
"""Checks that xDSL omits, by operation."""


def _invalid(op: Operation, message: str) -> ParseError:
    return ParseError("KC1101", message, location=location_of(op))


def _postorder(root: Operation) -> Iterator[Operation]:
    """``root`` and the operations in it, inner operations first; without recursion."""
    stack: list[tuple[Operation, Iterator[Operation]]] = [(root, _contents(root))]
    while stack:
        op, contents = stack[-1]
        nested = next(contents, None)
        if nested is not None:
            stack.append((nested, _contents(nested)))
        else:
            stack.pop()
            yield op


def _contents(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region.blocks:
            yield from block.ops


def print_module(
    module: Operation, *, generic: bool = False, locations: bool = False, elides: bool = False
) -> str:
    """The text of a module, with a newline at its end.

    The elements of large constants of graphs follow the module, in its section of resources, equal
    ones once. With ``elides`` they are left out: such a text can be read, and built when
    ``--params`` gives the elements.
    """
    stream = io.StringIO()
    printer = NamingPrinter(stream, print_generic_format=generic, print_debuginfo=locations)
    printer.print_op(module)
    stream.write("\n")
    if printer.resources and not elides:
        stream.write(resource_section(printer.resources))
    return stream.getvalue()


class NamingPrinter(Printer):
    """xDSL's printer with unique names also for hints that end like xDSL's own suffixes.

    (xDSL reads the hints ``i``, ``i`` and ``i_1`` from ``%i_1_1`` and prints ``%i_1`` twice.)
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.resources: dict[str, DenseIntOrFPElementsAttr] = {}
        """The constants whose elements stand outside of the text, by their names there."""
        self._in_constant = False

    def print_op(self, op: Operation) -> None:
        before, self._in_constant = self._in_constant, op.name == "graph.constant"
        super().print_op(op)
        self._in_constant = before

    def print_attribute(self, attribute: Attribute) -> None:
        if (
            self._in_constant
            and isinstance(attribute, DenseIntOrFPElementsAttr)
            and len(attribute.data.data) > LARGEST_INLINE
            and not attribute.is_splat()
        ):
            name = resource_name(attribute.data.data)
            self.resources[name] = attribute
            self.print_string(f"dense_resource<{name}> : ")
            super().print_attribute(attribute.get_type())
        else:
            super().print_attribute(attribute)

    def name_value(self, value: SSAValue, name: str) -> None:
        """Print ``value`` as ``%name`` unless the name is taken. A hint cannot have the form
        ``i_1``.
        """
        if value not in self._ssa_values and name not in self.ssa_names:
            self.ssa_names[name] = 1
            self._ssa_values[value] = name

    def print_float(self, value: float, type: AnyFloat) -> None:
        if isinstance(type, Float80Type | Float128Type):
            # xDSL reads these types as f64 and cannot read their bits.
            short = f"{value:.6e}"
            self.print_string(short if float(short) == value else f"{value:.16e}")
        else:
            super().print_float(value, type)

    def print_ssa_value(self, value: SSAValue) -> str:
        hint = value.name_hint
        if hint and value not in self._ssa_values:
            # Every name in use here is a key, whatever hint it came from.
            names = self.ssa_names
            count = names.get(hint, 0)
            name = f"{hint}_{count}" if count else hint
            while name in names:
                count += 1
                name = f"{hint}_{count}"
            names[hint] = count + 1
            names.setdefault(name, 1)
            self._ssa_values[value] = name
        return super().print_ssa_value(value)
