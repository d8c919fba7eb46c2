"""The lexers for Pygments: all text comes out again, and tokens are what they are in MLIR."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Error, Text

from kc.support.mlir_lexer import LoopTreeLexer, MLIRLexer

ROOT = Path(__file__).resolve().parents[2]
MLIR = MLIRLexer(stripnl=False, ensurenl=False)
LOOPS = LoopTreeLexer(stripnl=False, ensurenl=False)


def tokens(text: str, lexer: MLIRLexer | LoopTreeLexer = MLIR) -> list[tuple[str, str]]:
    """The tokens but for spaces, those of one kind in a row as one."""
    merged: list[tuple[str, str]] = []
    for kind, token in lexer.get_tokens(text):
        if token.isspace():
            continue
        name = str(kind).removeprefix("Token.")
        if merged and merged[-1][0] == name == "Keyword.Type":
            merged[-1] = (name, merged[-1][1] + token)
        else:
            merged.append((name, token))
    return merged


def test_operations_of_our_dialects():
    assert tokens('tir.for %i in 64 parallel {\n  tir.block "B" (spatial %v in 64 = %i) do {') == [
        ("Name.Builtin", "tir.for"),
        ("Name.Variable", "%i"),
        ("Keyword", "in"),
        ("Literal.Number.Integer", "64"),
        ("Keyword", "parallel"),
        ("Punctuation", "{"),
        ("Name.Builtin", "tir.block"),
        ("Literal.String.Double", '"B"'),
        ("Punctuation", "("),
        ("Keyword", "spatial"),
        ("Name.Variable", "%v"),
        ("Keyword", "in"),
        ("Literal.Number.Integer", "64"),
        ("Operator", "="),
        ("Name.Variable", "%i"),
        ("Punctuation", ")"),
        ("Keyword", "do"),
        ("Punctuation", "{"),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("memref<?x4xf32, affine_map<(d0, d1)[s0] -> (d0 * 4 + d1)>>", "Keyword.Type"),
        ("memref<32xf32, #gpu.address_space<workgroup>>", "Keyword.Type"),
        ("tensor<4x?xbf16>", "Keyword.Type"),
        ("vector<[4]xf16>", "Keyword.Type"),
        ("f8E4M3FN", "Keyword.Type"),
        ("si8", "Keyword.Type"),
        ("index", "Keyword.Type"),
        ("!llvm.ptr", "Keyword.Type"),
        ("%0#1", "Name.Variable"),
        ("%a:2", "Name.Variable"),
        ("@matmul", "Name.Function"),
        ('@"a b"', "Name.Function"),
        ("^bb1", "Name.Label"),
        ("#map1", "Name.Decorator"),
        ("// to the end", "Comment.Single"),
        ('"a \\" b"', "Literal.String.Double"),
        ("0x7FC00000", "Literal.Number.Hex"),
        ("1.000000e+00", "Literal.Number.Float"),
        ("-42", "Literal.Number.Integer"),
        ("llvm.intr.fma", "Name.Builtin"),
    ],
)
def test_one_token(text: str, kind: str):
    assert tokens(text) == [(kind, text)]


def test_generic_form_and_attributes():
    assert tokens('"tir.for"(%n) {step = 1 : index}')[0] == ("Name.Builtin", '"tir.for"')
    assert ("Name.Attribute", "step") in tokens('"tir.for"(%n) {step = 1 : index}')


def test_what_follows_a_type_is_no_type():
    assert tokens("(%A: memref<4xvector<2xf32>>, %n: index)") == [
        ("Punctuation", "("),
        ("Name.Variable", "%A"),
        ("Punctuation", ":"),
        ("Keyword.Type", "memref<4xvector<2xf32>>"),
        ("Punctuation", ","),
        ("Name.Variable", "%n"),
        ("Punctuation", ":"),
        ("Keyword.Type", "index"),
        ("Punctuation", ")"),
    ]


def test_loop_trees():
    assert tokens("for i_o in 8 thread blockIdx.x:  <-- here", LOOPS) == [
        ("Keyword", "for"),
        ("Name", "i_o"),
        ("Keyword", "in"),
        ("Literal.Number.Integer", "8"),
        ("Keyword", "thread"),
        ("Keyword", "blockIdx.x"),
        ("Punctuation", ":"),
        ("Comment.Single", "<-- here"),
    ]


def test_every_text_of_the_project():
    """No character is lost, and none is a token of no kind: valid IR and texts of mistakes."""
    files = sorted([*ROOT.glob("test/dialects/**/*.mlir"), *ROOT.glob("examples/*.mlir")])
    assert len(files) > 50
    for path in files:
        text = path.read_text()
        read = list(MLIR.get_tokens(text))
        assert "".join(token for _, token in read) == text.replace("\r\n", "\n")
        if "invalid" not in path.name:
            strange = [token for kind, token in read if kind in (Text, Error)]
            assert not [token for token in strange if token.strip()], path


def test_pygments_knows_the_lexers():
    """By the entry points of the package: what IPython, Sphinx and MkDocs ask for."""
    assert type(get_lexer_by_name("mlir")).__name__ == "MLIRLexer"
    assert type(get_lexer_by_name("kc-loops")).__name__ == "LoopTreeLexer"
    assert type(get_lexer_for_filename("a.mlir")).__name__ == "MLIRLexer"
    command = [sys.executable, "-m", "pygments", "-l", "mlir", "-f", "html"]
    run = subprocess.run(command, input="tir.yield", capture_output=True, text=True, check=True)
    assert '<span class="nb">tir.yield</span>' in run.stdout
