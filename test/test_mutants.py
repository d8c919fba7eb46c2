"""scripts/mutants.py: which mutants there are, each a change, and that tests notice them."""

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import mutants  # noqa: E402

SOURCE = '''
from typing import TYPE_CHECKING

def first(n: int, names: list[int | None] = []) -> int | None:
    """A text with 1 < 2."""
    if n < 3 and names:
        raise ValueError(f"{n + 1} is not allowed")
    if not names:
        return max(n, 0)
    return n - 1 if ready(n) else 0
'''


def test_mutants_of_a_function():
    changes = {(mutant.before, mutant.after) for mutant in mutants.mutants_of("m.py", SOURCE)}
    assert changes == {
        ("n < 3", "(n <= 3)"),
        ("n < 3", "(n >= 3)"),
        ("n < 3 and names", "(names)"),
        ("n < 3 and names", "(n < 3)"),
        ("3", "4"),
        ('raise ValueError(f"{n + 1} is not allowed")', "pass"),
        ("not names", "bool(names)"),
        ("max", "min"),
        ("0", "1"),
        ("n - 1", "(n + 1)"),
        ("1", "2"),
        ("ready(n)", "(not (ready(n)))"),
    }


def test_every_mutant_is_a_change_of_one_place():
    for mutant in mutants.mutants_of("m.py", SOURCE):
        ast.parse(mutant.text)
        assert ast.dump(ast.parse(mutant.text)) != ast.dump(ast.parse(SOURCE)), str(mutant)


def test_tests_of_a_file():
    (python, lit), *_ = mutants.tests_of("transforms/schedule/placing/compute_at.py")
    assert "test/te/test_te_compute_at.py" in python
    assert lit[0] == "test/transforms/schedule/compute_at.mlir"


def test_tests_of_the_importers_of_a_file():
    own, further = mutants.tests_of("analysis/reductions/reductions.py")
    assert "test/analysis/test_reductions.py" in own[0]
    assert "test/analysis/test_dependence.py" in further[0]
    assert not {*own[0], *own[1]} & {*further[0], *further[1]}


def test_files_that_differ():
    assert all(file.endswith(".py") for file in mutants.changed_files("HEAD"))


def write_probe(folder, monkeypatch, assertion):
    """A checkout of one function and one test of it."""
    monkeypatch.setattr(mutants, "tests_of", lambda file: [(["test/test_mutants_probe.py"], [])])
    for name, text in (
        ("kc/kc_probe.py", "def f(n):\n    return n < 3\n"),
        (
            "test/test_mutants_probe.py",
            f"from kc_probe import f\n\n\ndef test_f():\n    {assertion}\n",
        ),
        ("conftest.py", "import sys\nsys.path.insert(0, 'kc')\n"),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setattr(mutants, "ROOT", folder)
    # pytest starts in half the time.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@cache
def mutants_of(file: str) -> list[mutants.Mutant]:
    return list(mutants.mutants_of(file, (ROOT / file).read_text()))


@pytest.mark.parametrize(
    "entry", mutants.explained(), ids=lambda entry: f"{entry['file']} {entry['before']}"
)
def test_an_explanation_is_about_one_mutant(entry):
    assert (
        len([mutant for mutant in mutants_of(entry["file"]) if mutants.is_explained(mutant, entry)])
        == 1
    )
    assert entry["why"].endswith(".")


@pytest.mark.slow
def test_a_mutant_is_noticed_and_another_survives(tmp_path, monkeypatch, capsys):
    write_probe(tmp_path, monkeypatch, "assert f(1) and not f(5)")
    assert mutants.main(["kc/kc_probe.py", "--jobs=1", "--fuzz=0"]) == 1
    output = capsys.readouterr().out
    survivors = [
        "survives: kc/kc_probe.py:2: n < 3  ->  (n <= 3)",
        "survives: kc/kc_probe.py:2: 3  ->  4",
    ]
    assert output.splitlines()[:-1] == ["3 mutants of 1 files", *survivors]
    (tmp_path / "output").write_text(output)
    again = [f"--again={tmp_path / 'output'}", "--jobs=1", "--fuzz=0", "--unchecked"]
    assert mutants.main(again) == 1
    assert capsys.readouterr().out.splitlines()[:-1] == ["2 mutants of 1 files", *survivors]


@pytest.mark.slow
def test_nothing_is_said_of_tests_that_fail_without_a_mutant(tmp_path, monkeypatch, capsys):
    write_probe(tmp_path, monkeypatch, "assert f(5)")
    assert mutants.main(["kc/kc_probe.py", "--jobs=1", "--fuzz=0"]) == 2
    assert capsys.readouterr().out.splitlines() == [
        "3 mutants of 1 files",
        "pytest: these tests fail without a mutant",
    ]


def test_tests_of_a_folder():
    """The tests of a pattern in the list of explained mutants, in addition to the tests of the
    file.
    """
    (python, lit), *_ = mutants.tests_of("conversion/raise_to_tir/shared_tensors.py")
    assert "test/conversion/test_raise_sizes.py" in python
    assert "test/conversion/raise_to_tir_init.mlir" in lit
