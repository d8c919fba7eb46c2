"""The functions of MLIR's tests that kc parses and builds.

``python scripts/upstream_corpus.py FOLDER`` reads the ``.mlir`` files below a folder, such as
``mlir/test`` of LLVM's source, and writes a table. It covers the functions that ``mlir-opt``
accepts and whose ops all belong to the dialects in :data:`DIALECTS`, and gives the numbers of
parsed and of built functions. ``--all`` reads every file, including invalid IR: every failure must
be a diagnostic. ``--out FILE`` writes a line of JSON for each function.

``--compare`` also calls each built function, and the code of MLIR's own lowering, with the same
random arguments (``test/fuzz/upstream_calls.py``). The result is ``equal`` or ``differ``. It is
``undefined`` if no drawn arguments have defined results, and stays ``built`` if MLIR cannot lower
the function or its argument types are not supported.

Each function is a separate module: the functions that it calls, its globals and its aliases are
included, and a private function becomes public.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "test" / "fuzz")]

DIALECTS = frozenset(
    "affine arith bufferization builtin cf func index linalg math memref ml_program scf tensor "
    "tosa vector".split()
)
"""The dialects of the counted functions: all their ops, types and attributes belong to these."""

SPLIT = "// -----"
STARTS = re.compile(r"[#!]?[\w.]+[ (=@{\n]|\"|%")
"""The beginning of an op or an alias of a module, at the start of a line."""
SECONDS = 20
"""The maximum processor time of a function, in seconds."""


@dataclass
class Function:
    """A function of a file as a separate module."""

    file: str
    name: str
    text: str
    dialects: frozenset[str] = frozenset()


def without_comments(text: str) -> str:
    """The text without comments; strings are kept."""
    return re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*', lambda at: at[1] or "", text)


def statements(text: str) -> Iterator[str]:
    """The ops and aliases in the body of a module, and those of nested modules."""
    depth, begun = 0, []
    for line in text.splitlines(keepends=True):
        if (
            depth == 0
            and STARTS.match(line.lstrip())
            and not line.lstrip().startswith("attributes")
        ):
            yield from _inside("".join(begun))
            begun = []
        begun.append(line)
        bare = re.sub(r'"(?:[^"\\\n]|\\.)*"', "", line)
        depth += sum(bare.count(sign) for sign in "{[(") - sum(bare.count(sign) for sign in "}])")
    yield from _inside("".join(begun))


def _inside(statement: str) -> Iterator[str]:
    """A statement; for a module, the statements in it."""
    if not re.match(r"\s*(builtin\.)?module\b", statement):
        if statement.strip():
            yield statement
        return
    depth, opened = 0, 0
    for at, sign in enumerate(statement):
        if sign == "{":
            if depth == 0:
                opened = at
            depth += 1
        elif sign == "}":
            depth -= 1
    yield from statements(statement[opened + 1 : statement.rfind("}")])


def functions_of(file: str, text: str) -> Iterator[Function]:
    """Each function with a body, with the statements that it needs."""
    parts = list(statements(without_comments(text)))
    defined: dict[str, str] = {}
    functions: list[tuple[str, str]] = []
    for part in parts:
        head = part.lstrip()
        if alias := re.match(r"([#!][\w.$-]+)\s*=", head):
            defined[alias[1]] = part
        elif symbol := re.match(r"[\w.]+[^@({]*(@[\w.$-]+|@\"[^\"]*\")", head):
            defined[symbol[1]] = part
            if head.startswith("func.func") and part.rstrip().endswith("}"):
                functions.append((symbol[1], part))
    for name, part in functions:
        needed = {name: part}
        pending = [part]
        while pending:
            for word in re.findall(r"[#!@][\w.$-]+|@\"[^\"]*\"", pending.pop()):
                if word in defined and word not in needed:
                    needed[word] = defined[word]
                    pending.append(defined[word])
        # In the order of the file: an alias stands before its use.
        needed[name] = part.replace("func.func private", "func.func", 1)
        order = [key for key in defined if key in needed]
        yield Function(file, name, "".join(needed[key] for key in order))


def accepted(functions: Sequence[Function], tool: str) -> list[Function]:
    """The functions that mlir-opt accepts, with the dialects that they use."""
    if not functions:
        return []
    done = subprocess.run(
        [
            tool, "--split-input-file", f"--output-split-marker={SPLIT}", "--mlir-print-op-generic",
            "--allow-unregistered-dialect",
        ],
        input=f"\n{SPLIT}\n".join(function.text for function in functions),
        capture_output=True,
        text=True,
        errors="replace",
    )  # fmt: skip
    printed = re.split(rf"^{SPLIT}\n", done.stdout, flags=re.MULTILINE)
    if len(printed) != len(functions):
        if len(functions) == 1:
            return []
        middle = len(functions) // 2
        return accepted(functions[:middle], tool) + accepted(functions[middle:], tool)
    kept: list[Function] = []
    for function, generic in zip(functions, printed, strict=True):
        if not generic.strip():
            continue
        ops = re.findall(r"""(?:^\s*|= )"([\w.]+)"[(<]""", generic, flags=re.MULTILINE)
        bare = re.sub(r'"(?:[^"\\\n]|\\.)*"', "", generic)
        parts = re.findall(r"[!#](\w+)(?:\.|<)", bare)
        function.dialects = frozenset(
            op.rpartition(".")[0].partition(".")[0] for op in ops
        ) | frozenset(parts)
        kept.append(function)
    return kept


def lowerings(functions: Sequence[Function]) -> dict[int, tuple[Any, str]]:
    """By index, for each function that can be called with random arguments, its interface and
    MLIR's code for it.
    """
    import upstream_calls

    import kc
    from kc.support.diagnostics import KCError

    kc.build(kc.IRModule.parse("func.func @f() { return }"))  # forks have what it imports
    interfaces: dict[int, Any] = {}
    for n, function in enumerate(functions):
        try:
            symbol = function.name.strip('@"')
            module = kc.IRModule.parse(function.text)
            interfaces[n] = upstream_calls.Interface.of(module.functions[symbol])
        except (KCError, upstream_calls.Unfit):
            continue
    code: dict[int, tuple[Any, str]] = {}
    places = list(interfaces)
    for first in range(0, len(places), 50):
        batch = places[first : first + 50]
        texts = upstream_calls.lowered([(functions[n].text, interfaces[n]) for n in batch])
        code |= {n: (interfaces[n], ir) for n, ir in zip(batch, texts, strict=True) if ir}
    return code


def comparison(function: Function, interface: Any, ir: str) -> tuple[str, str]:
    """The comparison of the results of a built function with those of MLIR's code."""
    import upstream_calls

    import kc
    from kc.support.diagnostics import diagnostic_handler

    with diagnostic_handler(lambda _: None):
        return upstream_calls.compared(kc.IRModule.parse(function.text), interface, ir)


def outcome(function: Function, *, builds: bool) -> tuple[str, str]:
    """The last stage that a function reaches, and the reason: ``parse`` or ``build`` is the stage
    that fails, ``traceback`` an exception that should not occur."""
    import kc
    from kc.support.diagnostics import KCError, diagnostic_handler

    stage = "parse"
    try:
        with diagnostic_handler(lambda _: None):
            module = kc.IRModule.parse(function.text)
            if not builds:
                return "parsed", ""
            stage = "build"
            kc.build(module)
    except KCError as error:
        return stage, str(error)
    except Exception as error:
        return "traceback", f"{stage}: {type(error).__name__}: {error}"
    return "built", ""


def each(
    functions: Sequence[Function],
    work: Callable[[Function], tuple[str, str]],
    *,
    together: int = 200,
) -> Iterator[tuple[str, str]]:
    """The results of ``work`` for each item. Batches of ``together`` items run in separate
    processes, so a crash or timeout does not affect other batches.
    """
    first = 0
    while first < len(functions):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            with os.fdopen(writer, "w") as out:
                for function in functions[first : first + together]:
                    signal.setitimer(signal.ITIMER_PROF, SECONDS)
                    out.write(json.dumps(work(function)) + "\n")
                    out.flush()
            os._exit(0)
        os.close(writer)
        known = 0
        with os.fdopen(reader) as lines:
            for line in lines:
                known += 1
                yield tuple(json.loads(line))
        _, status = os.waitpid(child, 0)
        first += known
        if status:
            number = os.WTERMSIG(status)
            yield ("late" if number == signal.SIGPROF else "crash", f"signal {number}")
            first += 1


def main() -> int:
    """Print the table; exit with 1 if kc crashed, or raised anything but a diagnostic, on a
    function.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--parse", action="store_true", help="do no more than parse")
    parser.add_argument("--compare", action="store_true", help="compare with MLIR's own lowering")
    parser.add_argument("--all", action="store_true", help="read all text, valid or not")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each N-th function")
    parser.add_argument("--after", type=int, default=0, metavar="N", help="leave out the first N")
    parser.add_argument("--out", type=Path, help="a line of JSON for each function")
    given = parser.parse_args()
    from optional_tools import find

    tool = find("mlir-opt")
    if tool is None:
        parser.error("needs mlir-opt")
    functions: list[Function] = []
    invalid: list[Function] = []
    for path in sorted(given.folder.rglob("*.mlir")):
        name = str(path.relative_to(given.folder))
        chunks = re.split(r"^// ?-----.*$", path.read_text(errors="replace"), flags=re.MULTILINE)
        here = [function for chunk in chunks for function in functions_of(name, chunk)]
        functions += here
        if given.all:
            invalid += [Function(name, f"@{n}", chunk) for n, chunk in enumerate(chunks)]
    valid: list[Function] = []
    for first in range(0, len(functions), 400):
        valid += accepted(functions[first : first + 400 : given.every], tool)
    counted = [function for function in valid if function.dialects <= DIALECTS]
    counted = counted[given.after :]
    print(f"{len(functions)} functions, {len(valid)} valid, {len(counted)} counted", flush=True)
    tables: dict[str, Counter[str]] = defaultdict(Counter)
    reasons: Counter[str] = Counter()
    log = given.out.open("w") if given.out else None
    failures = 0

    def note(function: Function, result: tuple[str, str]) -> None:
        nonlocal failures
        kind, why = result
        failures += kind in ("traceback", "crash")
        if log:
            log.write(json.dumps([function.file, function.name, kind, why, function.text]) + "\n")
            log.flush()

    code = lowerings(counted) if given.compare else {}
    place = {id(function): n for n, function in enumerate(counted)}

    def work(function: Function) -> tuple[str, str]:
        result = outcome(function, builds=not given.parse)
        known = code.get(place[id(function)])
        if result[0] != "built" or known is None:
            return result
        try:
            return comparison(function, *known)
        except Exception as error:
            return "traceback", f"compare: {type(error).__name__}: {error}"

    # What writes where it should not may break what runs after it.
    together = 1 if given.compare else 200
    for function, result in zip(counted, each(counted, work, together=together), strict=True):
        note(function, result)
        for dialect in {*function.dialects - {"builtin", "func"}, "all"}:
            tables[dialect][result[0]] += 1
        if result[0] not in ("parsed", "built", "equal"):
            reasons[f"{result[0]}: {_first_line(result[1])}"] += 1
    for function, result in zip(
        invalid, each(invalid, lambda it: outcome(it, builds=False)), strict=True
    ):
        if result[0] not in ("parsed", "parse"):
            note(function, result)
            print(f"{function.file}: {result[0]}: {_first_line(result[1])}")
    _print_tables(tables)
    for reason, number in reasons.most_common(80):
        print(f"{number:5} {reason}")
    return int(failures > 0)


def _first_line(why: str) -> str:
    """The reason without numbers and names, so that equal reasons can be counted."""
    lines = why.splitlines() or [""]
    causes = [line.strip() for line in lines[1:] if line.strip().startswith("why:")]
    return re.sub(r"\d+", "N", " ".join([lines[0], *causes]))[:170]


def _print_tables(tables: dict[str, Counter[str]]) -> None:
    """Print the shares by dialect."""
    print("| Dialect | Functions | Parsed | Built |\n|-|-|-|-|")
    for dialect, kinds in sorted(tables.items(), key=lambda item: -item[1].total()):
        total = kinds.total()
        parsed = total - kinds["parse"] - kinds["late"] - kinds["crash"] - kinds["traceback"]
        built = parsed - kinds["build"] - kinds["parsed"]
        rest = ", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items()))
        print(f"| `{dialect}` | {total} | {parsed / total:.3f} | {built / total:.3f} | {rest}")


if __name__ == "__main__":
    sys.exit(main())
