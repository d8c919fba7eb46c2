"""The features of the server, as the Language Server Protocol has them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

import kc
from kc.support.diagnostics import Diagnostic
from kc.support.explain import explanations
from kc.tools.lsp import completion, hover, python_files
from kc.tools.lsp.document import Document, reindented
from kc.tools.lsp.steps import legal_steps

SERVER = LanguageServer("kc", kc.__version__)

_SEVERITY = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "remark": types.DiagnosticSeverity.Information,
    "note": types.DiagnosticSeverity.Hint,
}
_KINDS = {
    "operation": types.CompletionItemKind.Function,
    "value": types.CompletionItemKind.Variable,
    "symbol": types.CompletionItemKind.Reference,
    "pass": types.CompletionItemKind.Method,
    "option": types.CompletionItemKind.Property,
}
_SUGGESTED = re.compile(r"'([^']+)'")

_documents: dict[str, Document] = {}


def _is_python(document: TextDocument) -> bool:
    return document.filename is not None and document.filename.endswith(".py")


def _document(uri: str) -> Document:
    """The document of a file, which is parsed at its first use."""
    if uri not in _documents:
        source = SERVER.workspace.get_text_document(uri)
        _documents[uri] = Document(source.filename or uri, source.source)
    return _documents[uri]


def _server_position(uri: str, position: types.Position) -> tuple[int, int]:
    """The line and column of a client's position, whose columns may count UTF-16 units."""
    lines = SERVER.workspace.get_text_document(uri).lines
    place = SERVER.workspace.position_codec.position_from_client_units(lines, position)
    return place.line, place.character


def _range(uri: str, line: int, start: int, end: int, last: int | None = None) -> types.Range:
    """A range in the client's units."""
    lines = SERVER.workspace.get_text_document(uri).lines
    place = types.Range(
        types.Position(line, start), types.Position(line if last is None else last, end)
    )
    return SERVER.workspace.position_codec.range_to_client_units(lines, place)


# Diagnostics ----------------------------------------------------------------------------------


@SERVER.feature(types.TEXT_DOCUMENT_DID_OPEN)
def _opened(server: LanguageServer, params: types.DidOpenTextDocumentParams) -> None:
    _documents.pop(params.text_document.uri, None)
    _publish(server, params.text_document.uri)


@SERVER.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def _changed(server: LanguageServer, params: types.DidChangeTextDocumentParams) -> None:
    uri = params.text_document.uri
    if uri in _documents:
        _documents[uri].update(server.workspace.get_text_document(uri).source)
    _publish(server, uri)


@SERVER.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def _closed(server: LanguageServer, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    _documents.pop(uri, None)
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def _publish(server: LanguageServer, uri: str) -> None:
    source = server.workspace.get_text_document(uri)
    if _is_python(source):
        shown = [
            _diagnostic(
                uri,
                problem,
                problem.location.line - 1,
                0,
                len(source.lines[problem.location.line - 1]),
            )
            for problem in python_files.problems(source.source)
            if problem.location is not None
        ]
    else:
        shown = [
            _diagnostic(uri, problem.diagnostic, problem.line, problem.start, problem.end)
            for problem in _document(uri).problems
        ]
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(uri, shown, source.version)
    )


def _diagnostic(
    uri: str, diagnostic: Diagnostic, line: int, start: int, end: int
) -> types.Diagnostic:
    parts = [diagnostic.message, *diagnostic.facts]
    if diagnostic.why:
        parts.append(f"why: {diagnostic.why}")
    parts += [f"try: {hint}" for hint in diagnostic.hints]
    return types.Diagnostic(
        _range(uri, line, start, end),
        "\n".join(parts),
        _SEVERITY.get(diagnostic.kind),
        diagnostic.code,
        source="kc",
        data=list(diagnostic.hints),
    )


@SERVER.feature(
    types.TEXT_DOCUMENT_CODE_ACTION,
    types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
)
def _fixes(params: types.CodeActionParams) -> list[types.CodeAction]:
    """For each diagnostic with suggestions, actions that insert them."""
    uri = params.text_document.uri
    actions: list[types.CodeAction] = []
    for diagnostic in params.context.diagnostics:
        hints: Sequence[str] = diagnostic.data if isinstance(diagnostic.data, list) else ()
        names = [
            name
            for hint in hints
            if str(hint).startswith("did you mean")
            for name in _SUGGESTED.findall(str(hint))
        ]
        for name in names:
            edit = types.WorkspaceEdit({uri: [types.TextEdit(diagnostic.range, name)]})
            actions.append(
                types.CodeAction(
                    f"Replace by '{name}'",
                    types.CodeActionKind.QuickFix,
                    [diagnostic],
                    is_preferred=name == names[0],
                    edit=edit,
                )
            )
    return actions


# Looking up -----------------------------------------------------------------------------------


@SERVER.feature(types.TEXT_DOCUMENT_HOVER)
def _hover(params: types.HoverParams) -> types.Hover | None:
    uri = params.text_document.uri
    line, column = _server_position(uri, params.position)
    source = SERVER.workspace.get_text_document(uri)
    if _is_python(source):
        text = python_files.hover(source.lines[line], column)
    else:
        text = _of_diagnostics(uri, line, column) or hover.hover(_document(uri), line, column)
    if text is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))


def _of_diagnostics(uri: str, line: int, column: int) -> str | None:
    """The explanations of the diagnostics at a position."""
    codes = dict.fromkeys(
        problem.diagnostic.code
        for problem in _document(uri).problems
        if problem.line == line and problem.start <= column <= problem.end
    )
    entries = explanations()
    texts = [
        f"**{code}: {entries[code].title}**\n\n{entries[code].cause}"
        for code in codes
        if code in entries
    ]
    return "\n\n".join(texts) or None


@SERVER.feature(
    types.TEXT_DOCUMENT_COMPLETION,
    types.CompletionOptions(trigger_characters=[".", "%", "@", "-", '"', " "]),
)
def _complete(params: types.CompletionParams) -> list[types.CompletionItem]:
    uri = params.text_document.uri
    line, column = _server_position(uri, params.position)
    source = SERVER.workspace.get_text_document(uri)
    text = source.lines[line] if line < len(source.lines) else ""
    if _is_python(source):
        items = python_files.complete(text[:column])
    else:
        items = completion.complete(_document(uri), line, column)
    # What is replaced: the name that is being written, with its mark.
    written = re.search(r"(?:--|[%@])?[\w.-]*$", text[:column])
    start = written.start() if written is not None else column
    if _is_python(source) or (items and items[0].kind == "option"):
        start = column - len(re.split(r"[^\w-]", text[:column])[-1])
    place = _range(uri, line, start, column)
    return [
        types.CompletionItem(
            item.name,
            kind=_KINDS[item.kind],
            detail=item.detail or None,
            documentation=item.documentation or None,
            text_edit=types.TextEdit(place, item.name),
        )
        for item in items
    ]


@SERVER.feature(types.TEXT_DOCUMENT_DEFINITION)
def _definition(params: types.DefinitionParams) -> types.Location | None:
    uri = params.text_document.uri
    if _is_python(SERVER.workspace.get_text_document(uri)):
        return None
    document = _document(uri)
    line, column = _server_position(uri, params.position)
    word = hover.word_at(document.line(line), column)
    if word.startswith("@"):
        symbol = document.symbol(word[1:])
        if symbol is None:
            return None
        part, start, _ = symbol
        place = part.offset + part.text.find(word, start)
        length = len(word)
    else:
        named = document.name_at(document.offset(line, column))
        defined = document.definition(*named) if named is not None else None
        if named is None or defined is None:
            return None
        place, length = named[0].offset + defined.start, defined.end - defined.start
    at, start = document.position(place)
    return types.Location(uri, _range(uri, at, start, start + length))


# Changing -------------------------------------------------------------------------------------


@SERVER.feature(types.TEXT_DOCUMENT_FORMATTING)
def _format(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
    uri = params.text_document.uri
    source = SERVER.workspace.get_text_document(uri)
    if _is_python(source):
        return None
    text = reindented(source.source, params.options.tab_size)
    if text == source.source:
        return []
    last = len(source.lines)
    return [types.TextEdit(types.Range(types.Position(0, 0), types.Position(last, 0)), text)]


@SERVER.feature(types.TEXT_DOCUMENT_INLAY_HINT)
def _steps(params: types.InlayHintParams) -> list[types.InlayHint] | None:
    """At the end of a line that defines loops, the schedule steps that are legal there."""
    uri = params.text_document.uri
    if _is_python(SERVER.workspace.get_text_document(uri)):
        return None
    document = _document(uri)
    hints: list[types.InlayHint] = []
    steps = legal_steps(document, params.range.start.line, params.range.end.line)
    for line, loops in sorted(steps.items()):
        end = _range(uri, line, 0, len(document.line(line))).end
        several = len(loops) > 1
        for loop in loops:
            label = f"{loop.loop}: {loop.summary}" if several else loop.summary
            if loop.calls:
                tooltip = types.MarkupContent(
                    types.MarkupKind.Markdown, f"```python\n{loop.details}\n```"
                )
                hints.append(types.InlayHint(end, label, tooltip=tooltip, padding_left=True))
    return hints
