"""The llvm dialect reads what mlir-opt prints, prints what mlir-opt reads, and they agree."""

import io
import re
import subprocess
from pathlib import Path

import pytest
from optional_tools import find
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer

from kc.dialects.llvm import LLVM

FILES = sorted(Path(__file__).parent.glob("*.mlir"))
MLIR_OPT = find("mlir-opt")


def parse(text: str) -> ModuleOp:
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(LLVM)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def generic(module: ModuleOp) -> str:
    stream = io.StringIO()
    Printer(stream=stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


def mlir_opt(text: str, *flags: str) -> str:
    assert MLIR_OPT is not None
    done = subprocess.run([MLIR_OPT, *flags], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def normal(text: str) -> list[str]:
    """The lines of a module without what the two printers choose freely.

    That is: names of values and blocks, attribute aliases, quotes around attribute names, spaces,
    case of hexadecimal floats, the order of fast-math flags.
    """
    aliases: dict[str, str] = {}
    names: dict[str, str] = {}
    lines: list[str] = []
    for line in text.splitlines():
        line = re.sub(r"\s*//.*", "", line)
        if definition := re.match(r"(#\w+) = (.*)", line):
            # Inside another attribute only what is between the angle brackets is printed,
            # except in a list.
            value = re.sub(
                r"(\w+) = (#\w+)",
                lambda m: (
                    m.group()
                    if m.group(1) == "parallelAccesses"
                    else f"{m.group(1)} = {aliases[m.group(2)][aliases[m.group(2)].index('<') :]}"
                ),
                definition.group(2),
            )
            aliases[definition.group(1)] = value
        elif line.strip():
            lines.append(line)
    result: list[str] = []
    for line in lines:
        for _ in range(3):
            line = re.sub(r"#\w+\b(?!\.)", lambda m: aliases.get(m.group(), m.group()), line)
        if "llvm.func" in line or "llvm.mlir.global" in line:
            names.clear()
        line = re.sub(r"[%^]\w+", lambda m: names.setdefault(m.group(), f"%{len(names)}"), line)
        line = re.sub(r'"(\w+)"(?= =|, \w+ =|}>)', r"\1", line).replace("builtin.module", "module")
        line = re.sub(
            r"fastmath<([^>]*)>",
            lambda m: f"fastmath<{','.join(sorted(re.split(', ?', m.group(1))))}>",
            line,
        )
        line = re.sub(r"0x[0-9a-fA-F]+", lambda m: m.group().upper(), line)
        result.append(re.sub(r"\s+", "", line.replace(", ", ",")))
    return result


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_our_text_round_trips(file: Path):
    module = parse(file.read_text())
    assert str(parse(str(module))) == str(module)
    assert str(parse(generic(module))) == str(module)


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_mlir_agrees(file: Path):
    text = file.read_text()
    theirs = mlir_opt(text)
    ours = parse(text)
    assert normal(str(ours)) == normal(theirs)
    # MLIR reads both our forms as the module it read from the file.
    assert mlir_opt(str(ours)) == theirs
    assert mlir_opt(generic(ours)) == theirs
    # We read both its forms as the module we read from the file.
    assert normal(str(parse(theirs))) == normal(str(ours))
    their_generic = mlir_opt(text, "--mlir-print-op-generic")
    assert normal(str(parse(their_generic))) == normal(str(ours))
