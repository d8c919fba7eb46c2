"""The TextMate grammar colours as the Pygments lexer does, and the extension packs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kc.support.mlir_lexer import MLIRLexer

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"
GRAMMAR = json.loads((EXTENSION / "syntaxes" / "mlir.tmLanguage.json").read_text())

# Token of Pygments -> the scope of the grammar for it.
SCOPES = {
    "Comment.Single": "comment.line.double-slash.mlir",
    "Literal.String.Double": "string.quoted.double.mlir",
    "Name.Builtin": "support.function.operation.mlir",
    "Name.Function": "entity.name.function.symbol.mlir",
    "Name.Variable": "variable.other.value.mlir",
    "Name.Label": "entity.name.label.block.mlir",
    "Name.Decorator": "entity.other.attribute.mlir",
    "Name.Attribute": "variable.parameter.attribute.mlir",
    "Name": "variable.other.mlir",
    "Keyword": "keyword.other.mlir",
    "Literal.Number.Integer": "constant.numeric.integer.mlir",
    "Literal.Number.Float": "constant.numeric.float.mlir",
    "Literal.Number.Hex": "constant.numeric.hex.mlir",
    "Keyword.Type": "storage.type.mlir",
}


def scope_at(line: str, column: int) -> tuple[str, int]:
    """The match of a TextMate engine at a place outside of other matches: the scope of the first
    pattern that matches there, and its end.
    """
    for pattern in GRAMMAR["patterns"]:
        rule: Any = GRAMMAR["repository"]["shaped"] if "include" in pattern else pattern
        match = re.compile(rule.get("match") or rule["begin"]).match(line, column)
        if match is not None and match.end() > column:
            return rule["name"], match.end()
    return "", column + 1


def test_the_grammar_agrees_with_the_lexer():
    lexer = MLIRLexer(stripnl=False, ensurenl=False)
    seen: set[str] = set()
    files = sorted([*ROOT.glob("test/dialects/*/*.mlir"), *ROOT.glob("examples/*.mlir")])[::3]
    for path in files:
        if "invalid" in path.name:
            continue
        for line in path.read_text().split("\n"):
            column, inside_type = 0, 0
            for kind, token in lexer.get_tokens(line):
                name = str(kind).removeprefix("Token.")
                start, column = column, column + len(token)
                if start < inside_type or name not in SCOPES:
                    continue
                scope, end = scope_at(line, start)
                if scope == "storage.type.shaped.mlir":
                    assert name == "Keyword.Type", (line, token)
                    inside_type = _end_of_type(line, end)
                    continue
                if name == "Keyword.Type" and token.startswith("!"):
                    assert scope == "storage.type.dialect.mlir"
                else:
                    assert scope == SCOPES[name], (path.name, line, token)
                seen.add(name)
    assert set(SCOPES) - seen <= {"Literal.Number.Hex"}


def _end_of_type(line: str, column: int) -> int:
    """The column after the bracket that closes the one before ``column``, or the end of the
    line.
    """
    depth = 1
    while column < len(line) and depth:
        if line.startswith("->", column):
            column += 2
            continue
        depth += {"<": 1, ">": -1}.get(line[column], 0)
        column += 1
    return column


def test_the_extension_names_files_that_are_there():
    package = json.loads((EXTENSION / "package.json").read_text())
    contributes = package["contributes"]
    paths = [package["main"], *(it["path"] for it in contributes["grammars"])]
    paths += [it["configuration"] for it in contributes["languages"]]
    assert all((EXTENSION / path).is_file() for path in paths)
    json.loads((EXTENSION / "language-configuration.json").read_text())
    # vsce packs what is named, and VS Code installs nothing for an extension.
    assert package["dependencies"]
    assert "node_modules" in package["files"]
    (grammar,) = contributes["grammars"]
    assert grammar["scopeName"] == GRAMMAR["scopeName"]


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_npm_packs_the_extension(tmp_path: Path):
    npm = shutil.which("npm")
    assert npm is not None
    command = [npm, "pack", str(EXTENSION), "--json", "--offline", "--ignore-scripts"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    (packed,) = json.loads(run.stdout)
    assert {it["path"] for it in packed["files"]} == {
        "README.md",
        "extension.js",
        "language-configuration.json",
        "package.json",
        "syntaxes/mlir.tmLanguage.json",
    }
    assert (tmp_path / packed["filename"]).is_file()
