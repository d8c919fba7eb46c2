"""Mutation testing: breaks the code in small ways, and reports the changes that no test notices.

    python scripts/mutants.py [FILE ...] [--base=REV] [--sample=N] [--seed=1] [--jobs=N] [--fuzz=N]
        [--again=OUTPUT] [--unchecked] [--limit=SECONDS]

Without files: the Python files below analysis/, transforms/, conversion/, codegen/ and kc/ that
differ from ``--base`` (default: main). A mutant reverses a comparison or moves its bound, drops a
clause of a condition, negates a condition, changes a constant by one, exchanges + and -, min and
max, any and all, or omits a refusal. Each mutant runs in a copy of the checkout, until something
fails: against the tests that are named like the file or import it, the tests of the files that
import it, and ``--fuzz`` random programs. Surviving mutants are printed, unless test/mutants.toml
explains them; ``--again`` runs only the survivors in an earlier output. A test command that takes
longer than ``--limit`` is stopped. Its mutants are printed too, because either the mutant loops or
the machine is busy. The exit status is 1 if any mutant is left, and 2 if the tests fail without a
mutant, because then every mutant would be noticed (``--unchecked`` skips this check).

cosmic-ray and mutmut were considered: neither drops clauses or refusals, which are the core of
legality checks, and both expect a package, whereas kc is a namespace over several folders.
"""

from __future__ import annotations

import argparse
import ast
import functools
import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("analysis", "codegen", "conversion", "dialects", "kc", "transforms")
FAMILIES = Path("transforms", "schedule")
"""The folders of primitives whose names are common to many tests."""
EXPLAINED = ROOT / "test" / "mutants.toml"
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "out", "build", "__pycache__", ".hypothesis")
SLOWEST = 300.0
"""The default limit, in seconds, of a test command."""
TOO_SLOW = "time"
"""The result for a mutant whose tests took too long."""
SURVIVES = "survives: "
"""The prefix of a surviving mutant's line in the output."""
MOST_FILES = 12
"""The maximum number of pytest files that a mutant runs against: half of all tests use some
modules.
"""

OPPOSITE = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
EXCHANGED = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """A change at one place of a file."""

    file: str
    line: int
    before: str
    after: str
    source: str
    """The first line of the change, without indentation."""
    text: str
    """The text of the whole file after the change."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.before}  ->  {self.after}"


def mutants_of(file: str, text: str) -> list[Mutant]:
    """Every mutant of a file."""
    mutants: list[Mutant] = []
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    tree = ast.parse(text)
    statements = [_lines_of(statement) for statement in tree.body]
    for node, after in _changes(tree):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        first, last = node.lineno - 1, node.end_lineno
        head, tail = lines[first][: node.col_offset], lines[last - 1][node.end_col_offset :]
        begin, end = len(head), len(tail)
        within = b"".join(lines[first:last])
        before = within[begin : len(within) - end].decode()
        if before == after:
            continue
        changed = [head + after.encode() + tail]
        # The other statements of the file parse as they did.
        whole = next(place for place in statements if first in place)
        try:
            ast.parse(b"".join(lines[whole.start : first] + changed + lines[last : whole.stop]))
        except SyntaxError:
            continue
        old, new = " ".join(before.split()), " ".join(after.split())
        source = lines[first].decode().strip()
        mutated = b"".join(lines[:first] + changed + lines[last:]).decode()
        mutants.append(Mutant(file, node.lineno, old, new, source, mutated))
    return mutants


def _lines_of(statement: ast.stmt) -> range:
    """The lines of a statement, from 0, including those of its decorators."""
    assert statement.end_lineno is not None
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min(node.lineno for node in (statement, *decorators))
    return range(first - 1, statement.end_lineno)


def _changes(tree: ast.Module) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
    """The places to change, with their replacements."""
    skipped = {id(node) for root in _annotations(tree) for node in ast.walk(root)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            for kind in OPPOSITE.get(type(node.ops[0]), ()):
                changed = ast.Compare(node.left, [kind()], node.comparators)
                yield node, f"({ast.unparse(changed)})"
        elif isinstance(node, ast.BoolOp):
            for n in range(len(node.values)):
                rest = node.values[:n] + node.values[n + 1 :]
                kept = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
                yield node, f"({ast.unparse(kept)})"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node, f"bool({ast.unparse(node.operand)})"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            if not isinstance(node.left, ast.Constant | ast.JoinedStr | ast.List):
                kind = ast.Sub if isinstance(node.op, ast.Add) else ast.Add
                yield node, f"({ast.unparse(ast.BinOp(node.left, kind(), node.right))})"
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield node, str(node.value + 1)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = EXCHANGED.get(node.func.id)
            if name is not None:
                yield node.func, name
        elif isinstance(node, ast.Raise) and node.exc is not None:
            yield node, "pass"
        elif isinstance(node, ast.If | ast.IfExp):
            if not isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp):
                yield node.test, f"(not ({ast.unparse(node.test)}))"


def _annotations(tree: ast.Module) -> Iterator[ast.AST]:
    """The positions of texts, types and messages: changes there do not change the meaning."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            yield node.returns
        elif isinstance(node, ast.JoinedStr):
            yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield node
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield node.exc


# Tests -------------------------------------------------------------------------------------


@functools.cache
def tests_of(file: str) -> list[tuple[list[str], list[str]]]:
    """Groups of tests, in Python and of lit: first the tests of a file, then those of its
    importers.

    The first group is named like the file or imports it; it may be empty.
    """
    importers = _importers()
    level, seen = [file], {file}
    groups: list[tuple[list[str], list[str]]] = []
    before: set[str] = set()
    while level and len(groups) < 2:
        tests = [_own_tests(Path(member)) for member in level]
        if not groups:
            tests = (
                tests
                if any(map(any, tests))
                else [_own_tests(Path(member).parent) for member in level]
            )
        python = list(dict.fromkeys(test for names, _ in tests for test in names))
        lit = list(dict.fromkeys(test for _, names in tests for test in names))
        python, lit = ([test for test in new if test not in before] for new in (python, lit))
        if python or lit:
            groups.append((python[:MOST_FILES], lit))
            before.update(python, lit)
        level = sorted({user for member in level for user in importers.get(member, ())} - seen)
        seen.update(level)
    return groups


def _own_tests(path: Path) -> tuple[list[str], list[str]]:
    if str(path) in FOLDERS or (path.parent == FAMILIES and not path.suffix):
        return [], []  # no tests are about all that is in there
    stem = path.stem.strip("_") if path.stem != "__init__" else path.parent.name
    module = _module_of(path)
    python: list[str] = []
    imported = re.compile(rf"\b{re.escape(module)}\b")
    for test, text in _texts_of_tests().items():
        if stem in test.stem or (module in text and imported.search(text)):
            python.append(str(test.relative_to(ROOT)))
    folder = ROOT / "test" / str(path.parent).removeprefix("kc/")
    # The tests of the families of primitives are in one folder, as are those of a package.
    folders = [place for place in (folder, folder.parent) if place.is_dir()]
    lit = [
        str(test.relative_to(ROOT))
        for place in folders
        for test in sorted(place.glob(f"{stem}*.mlir"))
    ]
    python.sort(key=lambda test: (stem not in test, test))
    for folder, patterns in _tests_of_folders().items():
        if Path(folder) in path.parents:
            files = [file for pattern in patterns for file in sorted(ROOT.glob(pattern))]
            names = [str(file.relative_to(ROOT)) for file in files]
            python += [name for name in names if name.endswith(".py") and name not in python]
            lit += [name for name in names if name.endswith(".mlir") and name not in lit]
    return python, lit


@functools.cache
def _tests_of_folders() -> dict[str, list[str]]:
    """Patterns of the tests that cover all files of a folder, whatever their names."""
    return tomllib.loads(EXPLAINED.read_text()).get("tests", {})


@functools.cache
def _texts_of_tests() -> dict[Path, str]:
    return {test: test.read_text() for test in sorted((ROOT / "test").rglob("test_*.py"))}


def _module_of(path: Path) -> str:
    parts = path.with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    module = ".".join(parts)
    return module if parts[0] == "kc" else f"kc.{module}"


@functools.cache
def _importers() -> dict[str, list[str]]:
    """The files that import each file of the folders."""
    files = {
        _module_of(path): str(path)
        for folder in FOLDERS
        for path in sorted(file.relative_to(ROOT) for file in (ROOT / folder).rglob("*.py"))
        if not path.is_symlink()
    }
    importers: dict[str, list[str]] = {}
    for user in files.values():
        for node in ast.walk(ast.parse((ROOT / user).read_text())):
            if not isinstance(node, ast.ImportFrom) or node.module is None:
                continue
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for name in names:
                if name in files:
                    importers.setdefault(files[name], []).append(user)
    return importers


def _write_source(path: Path, text: str) -> None:
    """Write a source file, and delete its stale bytecode.

    Python identifies fresh bytecode by the size of the source and the second of its last change.
    Mutants of equal length within one second agree in both.
    """
    path.write_text(text)
    Path(importlib.util.cache_from_source(path)).unlink(missing_ok=True)


class Copy:
    """A copy of the checkout in which mutants run, one after the other."""

    def __init__(self, folder: Path, limit: float = SLOWEST) -> None:
        self.folder = folder
        self.limit = limit
        shutil.copytree(ROOT, folder, ignore=LEFT_OUT, symlinks=True)

    def run(self, mutant: Mutant | None, file: str, fuzz: int) -> str:
        """The checks that detected the mutant; empty if none did."""
        path = self.folder / file
        original = path.read_text()
        if mutant is not None:
            _write_source(path, mutant.text)
        try:
            for python, lit in tests_of(file):
                noticed = self._tests(python, lit, 0, self.limit)
                if noticed:
                    return noticed
            return self._tests([], [], fuzz, self.limit)
        finally:
            _write_source(path, original)

    def fails_unchanged(self, files: Sequence[str]) -> str:
        """The tests of the files that fail without a mutant: lit's or pytest's; empty if none
        fails.

        Those of the files are fixed here: a test that is added later is not in the copy.
        """
        tests = [group for file in files for group in tests_of(file)]
        python = sorted({test for of_file, _ in tests for test in of_file})
        lit = sorted({test for _, of_file in tests for test in of_file})
        return self._tests(python, lit, fuzz=0, timeout=None)

    def _tests(
        self, python: Sequence[str], lit: Sequence[str], fuzz: int, timeout: float | None
    ) -> str:
        tool = Path(sys.executable).with_name("lit")
        commands: list[tuple[str, list[str]]] = []
        if lit:
            commands.append(("lit", [str(tool), "-q", "--max-failures=1", "-j1", *lit]))
        if python:
            options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
            commands.append(("pytest", [sys.executable, "-m", "pytest", *options, *python]))
        if fuzz:
            script = "test/fuzz/fuzzing.py"
            commands.append(("fuzz", [sys.executable, script, "--jobs=1", f"--count={fuzz}"]))
        for name, command in commands:
            passes = self._passes(command, timeout)
            if not passes:
                return TOO_SLOW if passes is None else name
        return ""

    def _passes(self, command: Sequence[str], timeout: float | None) -> bool | None:
        """True if a command succeeds; None if it times out."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "KC_CACHE_DIR": ""}
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(timeout) == 0
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, 9)
                process.wait()


# Running -----------------------------------------------------------------------------------


def explained() -> list[dict[str, str]]:
    """The mutants that are equivalent to the original or not worth a test, with the reasons.

    Each has ``file``, ``before``, ``after`` and ``why``. If several places of the file have the
    same change, it also has ``source``, its line.
    """
    if not EXPLAINED.is_file():
        return []
    return tomllib.loads(EXPLAINED.read_text()).get("mutant", [])


def is_explained(mutant: Mutant, entry: dict[str, str]) -> bool:
    """True if an entry of test/mutants.toml explains ``mutant``."""
    keys = ("file", "before", "after", "source")
    return all(entry.get(key, getattr(mutant, key)) == getattr(mutant, key) for key in keys)


def changed_files(base: str) -> list[str]:
    """The files in the mutated folders that differ from ``base``."""
    command = ["git", "diff", "--name-only", "--diff-filter=d", base, "--", *FOLDERS]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [file for file in output.split() if file.endswith(".py")]


def main(argv: Sequence[str]) -> int:
    """Run the mutants of the files; the exit status: 1 if some survive, 2 if the result is
    unknown.
    """
    parser = argparse.ArgumentParser(prog="mutants.py", description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--base", default="main")
    parser.add_argument("--sample", type=int, default=0, help="so many mutants of each file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--fuzz", type=int, default=100, help="random programs for each mutant")
    parser.add_argument(
        "--limit", type=float, default=SLOWEST, help="seconds that a command of tests may take"
    )
    parser.add_argument("--again", type=Path, help="an output: run those that survive there")
    parser.add_argument(
        "--unchecked", action="store_true", help="the tests are known to pass without a mutant"
    )
    args = parser.parse_args(argv)
    survived: set[str] = set()
    if args.again is not None:
        output = args.again.read_text().splitlines()
        survived = {line.removeprefix(SURVIVES) for line in output if line.startswith(SURVIVES)}
        args.files = args.files or sorted({line.partition(":")[0] for line in survived})
    files: list[str] = []
    for given in args.files or changed_files(args.base):
        path = ROOT / given
        below = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        files += [str(file.relative_to(ROOT)) for file in below]
    known = explained()
    chosen: list[Mutant] = []
    for file in files:
        mutants = mutants_of(file, (ROOT / file).read_text())
        if args.again is not None:
            mutants = [mutant for mutant in mutants if str(mutant) in survived]
        elif args.sample and len(mutants) > args.sample:
            mutants = random.Random(f"{args.seed} {file}").sample(mutants, args.sample)
        chosen += sorted(mutants, key=lambda mutant: mutant.line)
    for file in files:
        tests_of(file)  # the copies have the tests of now
    print(f"{len(chosen)} mutants of {len(files)} files", flush=True)
    survivors: list[Mutant] = []
    noticed: Counter[str] = Counter()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        local = threading.local()
        if not args.unchecked:
            failing = Copy(Path(folder) / "unchanged").fails_unchanged(files)
            if failing:
                print(f"{failing}: these tests fail without a mutant")
                return 2
        numbers = iter(range(args.jobs))
        lock = threading.Lock()

        def run(mutant: Mutant) -> tuple[Mutant, str]:
            if not hasattr(local, "copy"):
                with lock:
                    local.copy = Copy(Path(folder) / f"copy{next(numbers)}", args.limit)
            return mutant, local.copy.run(mutant, mutant.file, args.fuzz)

        with ThreadPoolExecutor(args.jobs) as pool:
            for mutant, by in pool.map(run, chosen):
                if by:
                    noticed[by] += 1
                    if by == TOO_SLOW:
                        print(f"too slow: {mutant}", flush=True)
                elif any(is_explained(mutant, entry) for entry in known):
                    noticed["explained"] += 1
                else:
                    survivors.append(mutant)
                    print(f"{SURVIVES}{mutant}", flush=True)
    counts = ", ".join(f"{name} {count}" for name, count in noticed.most_common())
    print(
        f"{len(chosen)} mutants in {time.monotonic() - began:.0f} s: "
        f"{len(survivors)} survive; noticed by: {counts or 'nothing'}"
    )
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
