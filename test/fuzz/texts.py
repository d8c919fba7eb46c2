"""Mutants of textual IR: small modules of the tests, and random programs of upstream's dialects,
changed by hand as if by mistake; and mutants of TVMScript, of random kernels.

Each is read, printed and read again, and goes through passes and a build. Any of these may refuse
it by a diagnostic, of TVMScript one with a line and a column; nothing may fail in another way, or
end the process. What is built is not run.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import warnings
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from raised_loops import draw_loops
from raised_tensors import draw_tensors
from vector_programs import draw_vectors
from worlds import Unsuitable

import kc
from kc.driver import build
from kc.support.diagnostics import KCError, diagnostic_handler
from kc.support.options import Options, PassSpec
from kc.support.registry import context, current
from kc.transform import PassContext
from kc.transforms.pass_runner import Pipeline, make_stages
from scripts import draw as draw_kernel

if TYPE_CHECKING:
    from cases import Outcome

TESTS = Path(__file__).resolve().parents[1]
MAX_CHARACTERS = 2500
"""Of a module: mutants of small ones are as good, and quicker."""
MAX_MUTATIONS = 3
TRIES = 12
"""Mutants to read until there is a valid one, of which more can be asked."""
TOKEN = re.compile(r'"[^"\n]*"|[%@^#!]?[\w.$]+|->|::|\s+|.')
NUMBER = re.compile(r"-?\d+(\.\d+)?")
NUMBERS = ("0", "-1", "1", "2", "7", "2147483648", "9223372036854775808", "-9223372036854775809")
TYPES = (
    *("i1", "i3", "i7", "i8", "i32", "i64", "i65", "i128", "ui8", "si8", "ui32", "index", "none"),
    *("f16", "bf16", "f32", "f64", "f80", "f128", "tf32", "complex<f32>", "tuple<i32, f32>"),
    *("f8E5M2", "f8E4M3FN", "f8E8M0FNU", "f6E2M3FN", "f4E2M1FN", "!llvm.ptr", "memref<4xf32>"),
    *("vector<f32>", "vector<1xf32>", "vector<3xf32>", "vector<4xi1>", "vector<4xindex>"),
    *("vector<[4]xf32>", "vector<2x4xf32>", "tensor<4xf32>"),
)
TYPE = re.compile(r"((?<![%@#.\w])|(?<=[\d?\]]x))(i\d+|f\d+\w*|bf16|index)\b")
"""A type by itself, or of the elements of another one."""
LOWERINGS = ("lower-to-llvm", "lower-to-c", "convert-te-to-tir", "raise-to-tir", "convert-to-llvm")


@cache
def modules() -> list[str]:
    """The modules of the tests, without the lines for the test runner."""
    texts: list[str] = []
    for path in sorted(TESTS.rglob("*.mlir")):
        for part in path.read_text().split("// -----"):
            lines = [line for line in part.splitlines() if not line.lstrip().startswith("//")]
            text = "\n".join(lines).strip()
            if text and len(text) <= MAX_CHARACTERS:
                texts.append(text)
    return texts


def upstream_program(random: Random) -> str:
    """A program of upstream's dialects."""
    while True:
        with contextlib.suppress(Unsuitable):
            kind = random.randrange(3)
            if kind == 0:
                return draw_vectors(random).text
            draw = draw_tensors if kind == 1 else draw_loops
            return draw(random, None).text


@cache
def is_valid(text: str) -> bool:
    """True if a module can be read."""
    try:
        kc.IRModule.parse(text)
    except KCError:
        return False
    return True


def mutant(random: Random, keep: int | None) -> str:
    """A valid module with mistakes, of which only the first ``keep`` are made."""
    text = ""
    while not text or not is_valid(text):
        text = random.choice(modules()) if random.random() < 0.7 else upstream_program(random)
    count = random.randint(1, MAX_MUTATIONS)
    for _ in range(count if keep is None else min(keep, count)):
        text = mutated(random, text)
    return text


def script_mutant(random: Random, keep: int | None) -> str:
    """A random kernel as TVMScript, with mistakes."""
    text = ""
    while not text:
        with contextlib.suppress(KCError):
            text = draw_kernel(random, random.randint(1, 6)).module.script(style="tvmscript")
    count = random.randint(1, MAX_MUTATIONS)
    for _ in range(count if keep is None else min(keep, count)):
        text = mutated(random, text)
    return text


def read_script(text: str) -> kc.IRModule | None:
    """The module of TVMScript that is read, printed in both ways and read again; None where it is
    refused, which names the place."""
    try:
        with warnings.catch_warnings(action="ignore"):  # Python's, of numbers before names
            module = kc.script.from_source(text)
    except KCError as refusal:
        place = refusal.location
        assert place is not None, refusal
        assert place.line, refusal
        assert place.column, refusal
        return None
    kc.IRModule.parse(str(module))
    with contextlib.suppress(KCError):  # what has no form in TVMScript
        module.script(style="tvmscript")
    return module


def mutated(random: Random, text: str) -> str:
    """``text`` with one mistake."""
    if random.random() < 0.3:
        return _changed_lines(random, text)
    tokens = TOKEN.findall(text)
    places = [n for n, token in enumerate(tokens) if not token.isspace()]
    if not places:
        return text
    kind = random.choice(("number",) * 4 + ("type",) * 3 + ("operand",) * 3 + ("other",) * 3)
    numbers = [n for n in places if NUMBER.fullmatch(tokens[n])]
    values = [n for n in places if tokens[n].startswith("%")]
    if kind == "number" and numbers:
        n = random.choice(numbers)
        tokens[n] = random.choice((*NUMBERS, str(int(float(tokens[n])) + 1), "?"))
    elif kind == "type" and TYPE.search(text):
        return _retyped(random, text)
    elif kind == "operand" and values:
        tokens[random.choice(values)] = tokens[random.choice(values)]
    else:
        n, partner = random.choice(places), random.choice(places)
        action = random.choice(("swap", "drop", "double", "replace"))
        if action == "swap":
            tokens[n], tokens[partner] = tokens[partner], tokens[n]
        elif action == "replace":
            tokens[n] = tokens[partner]
        else:
            tokens[n] = "" if action == "drop" else f"{tokens[n]} {tokens[n]}"
    return "".join(tokens)


def _retyped(random: Random, text: str) -> str:
    """``text`` with another type in one place, or wherever the same type stands: a program that is
    of the other type throughout may be valid."""
    place = random.choice(list(TYPE.finditer(text)))
    old = place[0]
    new = random.choice((*TYPES, f"vector<4x{old}>", f"memref<4x{old}>"))
    if random.random() < 0.5:
        return text[: place.start()] + new + text[place.end() :]
    return TYPE.sub(lambda match: new if match[0] == old else match[0], text)


def _changed_lines(random: Random, text: str) -> str:
    lines = text.splitlines() or [""]
    n, partner = random.randrange(len(lines)), random.randrange(len(lines))
    action = random.choice(("drop", "double", "swap", "empty"))
    if action == "drop":
        del lines[n]
    elif action == "double":
        lines.insert(n, lines[n])
    elif action == "swap":
        lines[n], lines[partner] = lines[partner], lines[n]
    else:
        opened = [n for n, line in enumerate(lines) if line.rstrip().endswith("{")]
        if opened:
            first = random.choice(opened)
            depth, last = 0, first
            for last in range(first, len(lines)):
                depth += lines[last].count("{") - lines[last].count("}")
                if depth <= 0:
                    break
            del lines[first + 1 : last]
    return "\n".join(lines)


def run(random: Random, keep: int | None, native: bool, outcome: Outcome) -> None:
    """Read a mutant, and do with it what the tools do."""
    if random.random() < 0.3:
        outcome.stage = "read TVMScript"
        outcome.original = outcome.source = text = script_mutant(random, keep)
        with diagnostic_handler(lambda _: None):
            module = read_script(text)
        outcome.checks.append("refused text" if module is None else "parsed text")
        outcome.stage = "done"
        return
    name = random.choice((*LOWERINGS, *(pass_name for pass_name in _passes())))
    target = random.choice(("llvm", "llvm", "c"))
    level = random.choice((0, 1, 2))
    with diagnostic_handler(lambda _: None), elsewhere():
        module = None
        for _ in range(TRIES):
            outcome.stage = "mutant"
            outcome.original = outcome.source = text = mutant(random, keep)
            outcome.stage = "parse"
            with contextlib.suppress(KCError):
                module = kc.IRModule.parse(text)
                outcome.checks.append("parsed text")
                break
            outcome.checks.append("refused text")
        if module is None:
            outcome.stage = "done"
            return
        outcome.stage = "print"
        again = kc.IRModule.parse(str(module))
        outcome.stage = f"pass {name}"
        with contextlib.suppress(KCError):
            Pipeline(make_stages([PassSpec(name, Options())])).run(context(), again.op)
            outcome.checks.append("passed text")
        if native:
            outcome.stage = f"build for {target}"
            with contextlib.suppress(KCError), PassContext(opt_level=level):
                build(module, target=target)
                outcome.checks.append("built text")
    outcome.stage = "done"


@cache
def _passes() -> list[str]:
    """The names of kc's passes and primitives."""
    return sorted(name for name, entry in current().passes.items() if entry.origin == "kc")


@contextlib.contextmanager
def elsewhere():
    """In a folder of its own: what fails writes a reproducer where it is."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
