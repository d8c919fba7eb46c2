"""The nvvm dialect reads what mlir-opt prints, prints what mlir-opt reads, and they agree."""

import io
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from optional_tools import find
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer

from kc.dialects.llvm import LLVM
from kc.dialects.nvvm import NVVM, NVVMOp

HERE = Path(__file__).parent
INVALID = sorted(HERE.glob("*_invalid.mlir"))
VALID = sorted(set(HERE.glob("*.mlir")) - set(INVALID))
BEYOND_MLIR = HERE / "products_beyond_mlir.mlir"
REFUSED = {
    f"{file.stem}-{number}": text
    for file in INVALID
    for number, text in enumerate(file.read_text().split("// -----\n"))
}
STRICTER = "// mlir-opt accepts it."
MLIR_OPT = find("mlir-opt")
needs_mlir_opt = pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")


def parse(text: str) -> ModuleOp:
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(LLVM)
    context.load_dialect(NVVM)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def generic(module: ModuleOp) -> str:
    stream = io.StringIO()
    Printer(stream=stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


def run(text: str, *flags: str) -> subprocess.CompletedProcess[str]:
    assert MLIR_OPT is not None
    return subprocess.run([MLIR_OPT, *flags], input=text, capture_output=True, text=True)


def mlir_opt(text: str, *flags: str) -> str:
    done = run(text, *flags)
    assert done.returncode == 0, done.stderr
    return done.stdout


def operations(text: str) -> list[str]:
    """The lines of a generic form, the values of each function numbered; that is left out.

    In the custom form mlir-opt puts two spaces before some words; two results are ``%a:2``.
    """
    numbered: list[str] = []
    for function in re.split(r"(?=llvm\.func)", text):
        names: dict[str, str] = {}
        numbered += [
            re.sub(r"%\w+", lambda m: names.setdefault(m.group(), f"%{len(names)}"), line)  # noqa: B023
            for line in function.splitlines()
        ]
    numbered = [re.sub(r"(%\d+), %\d+ =", r"\1:2 =", line) for line in numbered]
    return [re.sub(" +", " ", line).strip() for line in numbered if "nvvm." in line]


@pytest.mark.parametrize("file", VALID, ids=lambda file: file.stem)
def test_our_text_round_trips(file: Path):
    module = parse(file.read_text())
    assert str(parse(str(module))) == str(module)
    assert str(parse(generic(module))) == str(module)


@needs_mlir_opt
@pytest.mark.parametrize("file", sorted({*VALID} - {BEYOND_MLIR}), ids=lambda file: file.stem)
def test_mlir_agrees(file: Path):
    text = "\n".join(line for line in file.read_text().splitlines() if "//" not in line)
    ours = parse(text)
    custom, theirs = mlir_opt(text), mlir_opt(text, "--mlir-print-op-generic")
    assert operations(str(ours)) == operations(custom)
    assert operations(generic(ours)) == operations(theirs)
    # MLIR reads both our forms as the module that it read from the file.
    assert mlir_opt(str(ours)) == custom
    assert mlir_opt(generic(ours)) == custom
    # We read both its forms as the module that we read from the file.
    assert operations(generic(parse(custom))) == operations(theirs)
    assert operations(generic(parse(theirs))) == operations(theirs)


@cache
def accepted() -> list[bool]:
    """True for each text for which mlir-opt prints a module, in one run."""
    parts = run("// -----\n".join(REFUSED.values()), "-split-input-file").stdout
    return [bool(part.strip()) for part in parts.split("// -----\n")]


@needs_mlir_opt
@pytest.mark.parametrize("name", REFUSED)
def test_mlir_refuses_it_too(name: str):
    by_name = dict(zip(REFUSED, accepted(), strict=True))
    assert by_name[name] == (STRICTER in REFUSED[name])


@needs_mlir_opt
def test_mlir_still_lacks_what_is_beyond_it():
    for op in parse(BEYOND_MLIR.read_text()).walk():
        if isinstance(op, NVVMOp):
            signature = ", ".join(f"%a{n}: {it.type}" for n, it in enumerate(op.operands))
            operands = ", ".join(f"%a{n}" for n in range(len(op.operands)))
            text = generic_line(op, operands)
            assert run(f"llvm.func @f({signature}) {{\n{text}\nllvm.return\n}}").returncode


def generic_line(op: NVVMOp, operands: str) -> str:
    """The generic form of an operation, with other names for its operands."""
    stream = io.StringIO()
    Printer(stream=stream, print_generic_format=True).print_op(op.clone())
    return re.sub(r"\(.*?\) <", f"({operands}) <", stream.getvalue(), count=1)


def test_all_operations_are_compared():
    present = {
        type(op)
        for file in VALID
        for op in parse(file.read_text()).walk()
        if isinstance(op, NVVMOp)
    }
    assert [op.name for op in NVVM.operations if op not in present] == []
