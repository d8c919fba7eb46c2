"""Lit's files keep to what the filecheck package reads, which stands in for LLVM's FileCheck."""

import re
import shlex
from pathlib import Path

import pytest
from filecheck.error import ParseError
from filecheck.ops import Literal, NumSubst
from filecheck.options import parse_argv_options
from filecheck.parser import Parser

ROOT = Path(__file__).parent.parent
RUN = re.compile(r"RUN:(.*)")


def filecheck_commands(text: str) -> list[list[str]]:
    """The arguments of each FileCheck in the RUN lines of `text`."""
    commands: list[list[str]] = []
    for line in "\n".join(RUN.findall(text)).replace("\\\n", " ").splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
        words.whitespace_split = True
        command: list[str] = []
        for word in [*words, ";"]:
            if word not in ("|", "&&", ";", "<", ">", "%{", "%}"):
                command.append(word)
                continue
            if command[:1] == ["FileCheck"]:
                commands.append(command[1:])
            command = []
    return commands


def not_understood(file: Path) -> list[str]:
    """The checks of `file` that the filecheck package refuses, or reads but does not support."""
    problems: list[str] = []
    for arguments in filecheck_commands(file.read_text()):
        arguments = [str(file) if argument == "%s" else argument for argument in arguments]
        try:
            options = parse_argv_options(["filecheck", *arguments])
            for check in Parser.from_opts(options):
                for part in check.uops:
                    if isinstance(part, NumSubst):
                        problems.append(f"line {check.source_line}: computes with a variable")
                    elif isinstance(part, Literal) and "[[@" in part.content:
                        problems.append(f"line {check.source_line}: takes [[@LINE]] for text")
        except ParseError as error:
            problems.append(f"line {error.line_no}: {error.message}")
        except RuntimeError as error:  # of an option
            problems.append(str(error))
    return problems


def test_the_filecheck_package_reads_every_check():
    files = [file for folder in ("test", "examples") for file in (ROOT / folder).rglob("*.mlir")]
    assert sum(len(filecheck_commands(file.read_text())) for file in files) > 1000
    problems = {str(file.relative_to(ROOT)): not_understood(file) for file in sorted(files)}
    assert {file: texts for file, texts in problems.items() if texts} == {}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "// RUN: kc-opt %s | FileCheck %s\n// CHECK: a:[[#@LINE+1]]\n",
            "line 2: Invalid substitution block, unknown format: [[#@LINE+1]]",
        ),
        (
            "// RUN: kc-opt %s | \\\n// RUN:   FileCheck %s\n"
            "// CHECK: [[N:1]]\n// CHECK: [[#N + 1]]\n",
            "line 4: computes with a variable",
        ),
        (
            "// RUN: kc-opt %s | FileCheck %s\n// CHECK: a:[[@LINE+1]]\n",
            "line 2: takes [[@LINE]] for text",
        ),
    ],
)
def test_what_only_llvm_understands_is_named(tmp_path: Path, text: str, problem: str):
    (tmp_path / "a.mlir").write_text(text)
    assert not_understood(tmp_path / "a.mlir") == [problem]


def test_an_option_that_only_llvm_has_is_named(tmp_path: Path):
    file = tmp_path / "a.mlir"
    file.write_text("// RUN: kc-opt %s | FileCheck %s --implicit-check-not=x\n// CHECK: a\n")
    (problem,) = not_understood(file)
    assert problem.startswith("Unconsumed arguments: ")
    assert "'--implicit-check-not', 'x'" in problem
