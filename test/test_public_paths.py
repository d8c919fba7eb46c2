"""Modules may move; the paths and names that programs import stay.

``public_paths.txt`` lists them: those of the packages that users import, TVM's second names of
modules, and what docs, examples and plugins import of kc's own parts. Names are added there, and
none is taken away.
"""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

LISTED = Path(__file__).with_name("public_paths.txt").read_text()


def paths() -> Iterator[tuple[str, str, list[str]]]:
    """Each module, the module whose names it has (itself, or after ``=``), and these names."""
    names: dict[str, list[str]] = {}
    same: dict[str, str] = {}
    module = ""
    for line in LISTED.splitlines():
        if line.startswith(" "):
            names[module] += line.split()
        else:
            module, _, first = line.partition(" = ")
            same[module] = first or module
            names[module] = []
    for module, first in same.items():
        yield module, first, names[first]


@pytest.mark.parametrize(("module", "names"), [(module, names) for module, _, names in paths()])
def test_public_path(module: str, names: list[str]):
    imported = import_module(module)
    assert [name for name in names if not hasattr(imported, name)] == []
    if "__dir__" in vars(imported):
        assert set(names) <= set(dir(imported))


def test_paths_are_imported_first():
    """Each path works in a program that has imported nothing else of its package, and as it is
    written: ``import kc.tir.expr`` gives ``kc.tir.expr``."""
    modules = sorted((module for module, _, _ in paths()), key=lambda name: -name.count("."))
    program = "\n".join(f"import {module}; {module}" for module in modules)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
