"""Names as Python's users see them: dir(), errors as kc.error.X, types of a program, and examples
in docstrings, which are programs.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pickle
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import kc
from kc import te, tir
from kc.support import registry

ROOT = Path(__file__).resolve().parents[2]

MODULES = (
    "te", "tir", "topi", "gpu", "ir", "target", "transform", "testing", "instrument", "nd",
    "driver", "error", "script", "runtime", "tir.analysis", "backends", "te.schedule", "te.hybrid",
    "tir.ir_builder", "tir.stmt_functor",
)  # fmt: skip


def names_of(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_dir_of_kc():
    assert names_of(kc) == {*kc._LAZY, *registry.current().importers}


@pytest.mark.parametrize("name", MODULES)
def test_dir_of_modules(name: str):
    """The public names, without the imports of the module itself."""
    module = importlib.import_module(f"kc.{name}")
    public = set(getattr(module, "__all__", None) or module._LAZY)
    extra = {"tir": {"analysis", "transform"}, "ir": {"container"}, "topi": {"testing"}}.get(
        name, set()
    )
    if name == "error":
        assert names_of(module) == public
        return
    assert names_of(module) == public | extra
    for public_name in public:
        getattr(module, public_name)


@pytest.mark.parametrize(
    "name",
    ["kc.tir.transform", "kc.tir.analysis", "kc.te.hybrid", "kc.tir.schedule.testing", "kc.tir.op"],
)
def test_modules_are_attributes_of_their_packages(name: str):
    package, _, attribute = name.rpartition(".")
    module = importlib.import_module(name)
    assert module is getattr(importlib.import_module(package), attribute)
    assert module.__spec__ is not None
    assert module.__spec__.name == module.__name__
    assert importlib.reload(module) is module


def test_dir_of_objects():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    sch = tir.Schedule(kc.lower(s, [A, B]))
    built = kc.build(s, [A, B])
    assert not {"session", "step_of"} & names_of(sch)
    assert {"split", "get_block", "trace", "show", "legal", "undo"} <= names_of(sch)
    hidden = {"why_gone", "continue_as", "record", "records", "leaf", "become", "new_axis"}
    assert not hidden & names_of(s[B])
    assert not hidden & names_of(te.Stage)
    assert not {"current", "rewrite"} & names_of(te.Schedule)
    assert "session" not in names_of(type(sch.get_loop("i")))
    assert {"split", "op", "compute_at", "leaf_iter_vars", "all_iter_vars"} <= names_of(s[B])
    assert not {"current", "rewrite"} & names_of(s)
    block = sch.get_block("B")
    for handle in (block, *sch.get_loops(block)):
        assert names_of(handle) == {"gone", "kind", "label", "name", "op"}
    with pytest.raises(kc.error.ScheduleError) as refusal:
        sch.parallel("q")
    raised = {"args", "add_note", "with_traceback"}  # Python's own
    assert names_of(refusal.value) == raised | {
        *("code", "facts", "hints", "kind", "location", "message", "why"),
        *("render", "to_json", "with_location"),
    }
    assert not {"record", "watched"} & names_of(built)
    assert names_of(tir.Add) == names_of(tir.For) == set()
    assert not {"address", "call_with_slots", "retain"} & names_of(built["main"])


def test_misspelled_names():
    for name, message in {
        "kc.biuld": "module 'kc' has no attribute 'biuld'; did you mean 'build'?",
        "kc.topi.smu": "module 'kc.topi' has no attribute 'smu'; did you mean 'sum'?",
    }.items():
        with pytest.raises(AttributeError) as caught:
            eval(name, {"kc": kc})
        assert str(caught.value) == message
        assert type(pickle.loads(pickle.dumps(caught.value))) is AttributeError
    with pytest.raises(ModuleNotFoundError) as absent:
        exec("from kc import biuld", {"__name__": "program"})
    assert str(absent.value) == "cannot import name 'biuld' from 'kc'; did you mean 'build'?"


def test_errors_are_shown_as_users_name_them():
    for name in kc.error.__all__:
        error = getattr(kc.error, name)
        assert error.__module__ == "kc.error"
        assert getattr(kc.error, error.__name__) is error
    again = pickle.loads(pickle.dumps(kc.error.ScheduleError("KC3003", "there is no loop 'q'")))
    assert isinstance(again, kc.error.ScheduleError)
    program = "import kc; kc.IRModule.parse('x')"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "\nkc.error.ParseError: error[KC1" in run.stderr


def test_type_checkers_know_every_name():
    """kc's names are loaded at first use; a block for type checkers has each of them."""
    tree = ast.parse(Path(kc.__file__).read_text())
    block = next(
        node for node in tree.body if isinstance(node, ast.If) and "CHECKING" in ast.dump(node.test)
    )
    imported = {
        alias.asname: (node.module, alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname is not None
    }
    declared = {  # a module that is called: its type is not that of modules
        node.target.id: ("kc", node.target.id)
        for node in block.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    assigned = {
        target.id: imported[node.value.id]
        for node in block.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    wanted = {
        name: ("kc", name) if attribute is None else (module, attribute)
        for name, (module, attribute) in kc._LAZY.items()
    }
    for name, entry in registry.own().importers.items():
        module, _, attribute = entry.path.partition(":")
        wanted[name] = (module, attribute)
    assert imported | assigned | declared == wanted


# What the examples in docstrings take as given.
BEFORE = """
import numpy as np
import kc
from kc import te, tir
m, n = te.var("m"), te.var("n")
A, B = te.placeholder((n,), name="A"), te.placeholder((n,), name="B")
C = te.compute((n,), lambda i: A[i] + B[i], name="C")
X = te.placeholder((m, n), name="X")
idx, val = te.placeholder((m, n), "int32", name="idx"), te.placeholder((m, n), name="val")
a, b = tir.decl_buffer((n,), name="a"), tir.decl_buffer((n,), name="b")
s = te.create_schedule(C.op)
"""

FORMULAS = ("kc.te.gradient",)
"""Docstrings whose indented text is no Python."""


def examples() -> dict[str, str]:
    """Each block after ``::`` in the docstrings of the public modules and functions, once."""
    blocks: dict[str, str] = {}
    for name in ("kc", *(f"kc.{it}" for it in MODULES)):
        module = importlib.import_module(name)
        public = getattr(module, "__all__", ())
        things = [(name, module), *((f"{name}.{it}", getattr(module, it)) for it in public)]
        for label, thing in things:
            text = inspect.getdoc(thing) or ""
            for block in re.findall(r"::\n\n((?:[ ]{4,}.*\n?|\n)+)", text):
                if block not in blocks.values() and label not in FORMULAS:
                    blocks[label] = block
    return {label: textwrap.dedent(block) for label, block in blocks.items()}


@pytest.mark.parametrize("label", examples())
def test_examples_in_docstrings(label: str, tmp_path: Path):
    """Each is executed, with the names that it takes as given."""
    file = tmp_path / "example.py"
    file.write_text(BEFORE + examples()[label])
    exec(compile(file.read_text(), str(file), "exec"), {"__name__": "example"})
