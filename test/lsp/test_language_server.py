"""``kc lsp`` as an editor uses it: a client of the protocol starts it and talks to it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")
from lsprotocol import types  # noqa: E402
from pygls.lsp.client import LanguageClient  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]

SOURCE = """\
#map = affine_map<(d0) -> (d0 + 1)>
// RUN: kc-opt %s --split="loop=i factors=?,8" --vec
func.func @scale(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  tir.for %i in 64 {
    tir.block "B" (spatial %v_i in 64 = %i) do {
      %a = tir.load %A[%v_i] : memref<64xf32>
      %b = arith.mulf %a, %x : f32
      tir.store %b, %B[%v_i] : memref<64xf32>
    }
  }
  func.return
}

func.func @twice(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  func.call @scale(%A, %B, %x) : (memref<64xf32>, memref<64xf32>, f32) -> ()
      func.return   
}
"""


class Session:
    """An editor with one file open."""

    def __init__(self, client: LanguageClient, uri: str, text: str) -> None:
        self.client = client
        self.uri = uri
        self.text = text
        self.version = 1
        self.published: asyncio.Queue[Any] = asyncio.Queue()

    async def diagnostics(self) -> list[types.Diagnostic]:
        """The diagnostics published for the open version."""
        while True:
            shown = await asyncio.wait_for(self.published.get(), 30)
            if shown.uri == self.uri and shown.version == self.version:
                return list(shown.diagnostics)

    async def replace(self, old: str, new: str) -> list[types.Diagnostic]:
        """Write ``new`` instead of the one ``old``, as a keystroke does: by a range."""
        start = self.text.index(old)
        self.text = self.text.replace(old, new, 1)
        self.version += 1
        change = types.TextDocumentContentChangePartial(
            types.Range(*map(self._position, (start, start + len(old)))), new
        )
        # The range is that of the text before; it has no line end in it here.
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri), [change]
            )
        )
        return await self.diagnostics()

    def _position(self, offset: int) -> types.Position:
        before = self.text[:offset]
        if offset > len(self.text):
            before = self.text
        return types.Position(before.count("\n"), offset - (before.rfind("\n") + 1))

    def at(self, text: str, inside: int = 0) -> dict[str, Any]:
        """The parameters that name a place: that of ``text``, and so many characters further."""
        return {
            "text_document": types.TextDocumentIdentifier(self.uri),
            "position": self._position(self.text.index(text) + inside),
        }

    async def hover(self, text: str, inside: int = 1) -> str | None:
        answer = await self.client.text_document_hover_async(
            types.HoverParams(**self.at(text, inside))
        )
        return None if answer is None else answer.contents.value  # pyright: ignore

    async def complete(self, text: str) -> dict[str, types.CompletionItem]:
        """The completions offered after ``text``."""
        items: Any = await self.client.text_document_completion_async(
            types.CompletionParams(**self.at(text, len(text)))
        )
        return {item.label: item for item in items}

    async def definition(self, text: str, inside: int = 1) -> str:
        """The line that defines the name at a place, and the name there."""
        place: Any = await self.client.text_document_definition_async(
            types.DefinitionParams(**self.at(text, inside))
        )
        assert place.uri == self.uri
        line = self.text.split("\n")[place.range.start.line]
        return f"{line[place.range.start.character : place.range.end.character]}: {line.strip()}"


def in_session(name: str, text: str, talk: Callable[[Session], Awaitable[None]]) -> None:
    """Start the server, open a file, and do what ``talk`` does."""

    async def run() -> None:
        client = LanguageClient("test", "1")
        command = [sys.executable, "-m", "kc", "lsp"]
        await client.start_io(*command, cwd=str(ROOT), env={**os.environ, "PYTHONPATH": ""})
        session = Session(client, f"file:///somewhere/{name}", text)

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _published(params: types.PublishDiagnosticsParams) -> None:
            session.published.put_nowait(params)

        answer = await client.initialize_async(
            types.InitializeParams(types.ClientCapabilities(), process_id=os.getpid())
        )
        assert answer.server_info is not None
        assert answer.server_info.name == "kc"
        client.initialized(types.InitializedParams())
        language = "python" if name.endswith(".py") else "mlir"
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(session.uri, language, 1, text))
        )
        try:
            await talk(session)
        finally:
            await client.shutdown_async(None)
            client.exit(None)
            await asyncio.wait_for(client.stop(), 20)

    asyncio.run(run())


def test_a_session():
    async def talk(session: Session) -> None:
        assert await session.diagnostics() == []

        # A mistake, what it says, and its fix.
        (wrong,) = await session.replace("arith.mulf", "arith.mulff")
        assert (wrong.code, wrong.source, wrong.severity) == (
            "KC1002", "kc", types.DiagnosticSeverity.Error,
        )  # fmt: skip
        assert wrong.message.splitlines()[0] == "there is no operation 'arith.mulff'"
        line = session.text.split("\n")[wrong.range.start.line]
        shown = line[wrong.range.start.character : wrong.range.end.character]
        assert shown == "arith.mulff"
        assert "an operation" in (await session.hover("arith.mulff") or "")
        actions: Any = await session.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(session.uri),
                wrong.range,
                types.CodeActionContext([wrong]),
            )
        )
        assert actions[0].title == "Replace by 'arith.mulf'"
        (edit,) = actions[0].edit.changes[session.uri]
        assert (edit.new_text, edit.range) == ("arith.mulf", wrong.range)
        assert await session.replace("arith.mulff", edit.new_text) == []

        # One in each function: parts that cannot be read leave the others alone.
        assert len(await session.replace("%a, %x", "%a, %y")) == 1
        two = await session.replace("func.return   ", "func.retrun   ")
        assert sorted(str(it.code) for it in two) == ["KC1002", "KC1004"]
        await session.replace("%a, %y", "%a, %x")
        assert await session.replace("func.retrun   ", "func.return   ") == []

        # What no function alone can tell: verifying the module.
        (unknown,) = await session.replace("@scale(%A, %B", "@scala(%A, %B")
        assert "@scala" in unknown.message
        assert unknown.range.start.line == 14
        assert await session.replace("@scala(%A, %B", "@scale(%A, %B") == []

        # Hover: an operation, a value and what is accessed of it, a loop, a function, a pass.
        assert "A named loop over" in (await session.hover("tir.for") or "")
        assert await session.hover("%A[%v_i]") == (
            "```mlir\n%A : memref<64xf32>\n```\n\nargument 0 of @scale\n\n- B reads %A[%v_i]"
        )
        assert "for i in 64, around B" in (await session.hover("%i) do") or "")
        assert "operations   64\n" in (await session.hover("@scale(%A: ") or "")
        assert "Split a loop into a nest of loops" in (await session.hover("--split") or "")
        assert await session.hover("// RUN", 0) is None

        # Completion: operations, values, symbols; passes and options in command lines.
        assert "tir.load" in await session.complete("%a = tir.")
        values = await session.complete("arith.mulf %")
        assert values["%x"].detail == "f32"
        assert "%b" not in values
        assert {"@scale", "@twice"} <= set(await session.complete("func.call @"))
        passes = await session.complete("--vec")
        assert "Make the iterations of a loop" in str(passes["--vectorize"].documentation)
        assert {"loop=", "factors="} <= set(await session.complete('--split="loop=i '))

        # Definitions.
        assert await session.definition("%v_i] : memref<64xf32>\n      %b") == (
            '%v_i: tir.block "B" (spatial %v_i in 64 = %i) do {'
        )
        assert await session.definition("%x : f32\n      tir.store") == (
            "%x: func.func @scale(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {"
        )
        assert (await session.definition("@scale(%A, %B")).startswith("@scale: func.func @scale(")

        # Legal steps at the loop.
        document = types.TextDocumentIdentifier(session.uri)
        everything = types.Range(types.Position(0, 0), types.Position(99, 0))
        (inlay,) = (
            await session.client.text_document_inlay_hint_async(
                types.InlayHintParams(document, everything)
            )
            or []
        )
        assert inlay.label == "split, parallel, vectorize, unroll, bind"
        assert inlay.position == types.Position(3, len("  tir.for %i in 64 {"))
        assert "sch.split(loop=i, factors=[None, 2])\n" in inlay.tooltip.value  # pyright: ignore

        # Formatting leaves everything but the spaces at both ends of lines.
        (formatted,) = (
            await session.client.text_document_formatting_async(
                types.DocumentFormattingParams(document, types.FormattingOptions(2, True))
            )
            or []
        )
        assert formatted.new_text == SOURCE.replace(  # pyright: ignore
            "      func.return   \n", "  func.return\n"
        )

    in_session("kernels.mlir", SOURCE, talk)


PYTHON = """\
import tvm
from kc import tir

sch = tir.Schedule(module)
sch.split("i", [None, 4])
tvm.relay.build(module)
sch.
"""


def test_schedules_in_python():
    async def talk(session: Session) -> None:
        assert await session.diagnostics() == []  # no Python yet
        (warning,) = await session.replace("sch.\n", "pass\n")
        assert (warning.code, warning.range.start.line) == ("KC0089", 5)
        assert warning.message.startswith("tvm.relay.build: for a CPU;")
        assert "Split a loop into a nest of loops" in (await session.hover('split("i"', 2) or "")
        offered = await session.complete('sch.split("i", [None, 4])\ntvm.relay.build(module)\n')
        assert offered == {}
        await session.replace("pass\n", "sch.re\n")
        offered = await session.complete("\nsch.re")
        assert {"reorder", "reverse", "compute_at"} <= set(offered)

    in_session("schedule.py", PYTHON, talk)


def test_edits_of_a_large_document():
    """benchmarks/language_server.py says how long they take."""
    from kc.tools.lsp.document import Document

    function = SOURCE[SOURCE.index("func.func @scale") : SOURCE.index("func.func @twice")]
    text = "".join(function.replace("@scale", f"@scale{n}") for n in range(50))
    assert text.count("\n") >= 500
    document = Document("large.mlir", text)
    assert document.problems == []
    document.update(text.replace("arith.mulf", "arith.mul", 1))
    assert len(document.problems) == 1
    document.update(text)
    assert document.problems == []


def test_without_pygls(tmp_path: Path):
    (tmp_path / "pygls.py").write_text("raise ImportError")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-m", "kc", "lsp"],
        capture_output=True, text=True, env=environment, cwd=ROOT,
    )  # fmt: skip
    assert (run.returncode, run.stdout, run.stderr) == (
        2,
        "",
        "error[KC0088]: kc lsp needs the package pygls\n"
        "  why: it is an extra, not a dependency of kc\n"
        "  try: pip install 'kc-compiler[lsp]'\n",
    )
