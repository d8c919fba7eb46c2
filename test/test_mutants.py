"""scripts/mutants.py: which mutants there are, each a change, and that tests notice them."""

import ast
import sys
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
    python, lit = mutants.tests_of("transforms/schedule/placing/compute_at.py")
    assert "test/te/test_te_compute_at.py" in python
    assert lit[0] == "test/transforms/schedule/compute_at.mlir"


def test_files_that_differ():
    assert all(file.endswith(".py") for file in mutants.changed_files("HEAD"))


@pytest.mark.slow
def test_a_mutant_is_noticed_and_another_survives(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(mutants, "tests_of", lambda file: (["test/test_mutants_probe.py"], []))
    for folder, text in (
        ("kc", "def f(n):\n    return n < 3\n"),
        ("test", "from kc_probe import f\n\n\ndef test_f():\n    assert f(1) and not f(5)\n"),
    ):
        (tmp_path / folder).mkdir()
        name = "kc_probe.py" if folder == "kc" else "test_mutants_probe.py"
        (tmp_path / folder / name).write_text(text)
    (tmp_path / "conftest.py").write_text("import sys\nsys.path.insert(0, 'kc')\n")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    assert mutants.main(["kc/kc_probe.py", "--jobs=1", "--fuzz=0"]) == 1
    assert capsys.readouterr().out.splitlines()[:-1] == [
        "3 mutants of 1 files",
        "survives: kc/kc_probe.py:2: n < 3  ->  (n <= 3)",
        "survives: kc/kc_probe.py:2: 3  ->  4",
    ]
