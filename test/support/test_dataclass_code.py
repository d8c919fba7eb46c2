"""The code of the methods of dataclasses is kept in a file, and runs as if compiled anew."""

import marshal
import os
import subprocess
import sys
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import pytest

# A class of a module that is called kc.example; its methods are told, and where code came from.
PROGRAM = """
import dataclasses, sys, types
import kc
kc.Target
from kc.support import dataclass_code
kept = len(dataclass_code._kept)
module = sys.modules[sys.argv[1]] = types.ModuleType(sys.argv[1])
source = '''
import dataclasses
@dataclasses.dataclass(frozen=True, order=True)
class Point:
    x: int
    y: list = dataclasses.field(default_factory=list)
'''
before = len(dataclass_code._new)
exec(source, module.__dict__)
a, b = module.Point(1), module.Point(1, [2])
print(a, a == module.Point(1), a < b, hash(module.Point(1, ())) == hash((1, ())))
try:
    a.x = 2
except dataclasses.FrozenInstanceError as error:
    print(error)
print(kept > 0, len(dataclass_code._new) - before > 0)
"""
METHODS = ["Point(x=1, y=[]) True True True", "cannot assign to field 'x'"]


def run(folder: Path, *flags: str, module: str = "kc.example") -> list[str]:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, *flags, "-c", PROGRAM, module],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert not done.stderr
    *methods, counts = done.stdout.splitlines()
    assert methods == METHODS
    return counts.split()


def texts_of(folder: Path) -> list[Path]:
    return list(folder.rglob("dataclass_code_texts*"))


def test_code_is_kept_and_taken(tmp_path: Path):
    assert run(tmp_path) == ["False", "True"]
    assert run(tmp_path) == ["True", "False"]
    (path,) = texts_of(tmp_path)
    content = path.read_bytes()
    for damaged in (content[: len(content) // 2], b"", b"x" + content[1:], MAGIC_NUMBER + b"N"):
        path.write_bytes(damaged)
        assert run(tmp_path) == ["False", "True"]
        assert path.read_bytes().startswith(MAGIC_NUMBER)
    texts = marshal.loads(path.read_bytes()[len(MAGIC_NUMBER) :])
    assert any("FrozenInstanceError" in text for text in texts)


def test_nothing_is_written_where_python_writes_no_code(tmp_path: Path):
    assert run(tmp_path, "-B") == ["False", "True"]
    assert not texts_of(tmp_path)


def test_classes_of_the_user_are_compiled_as_ever(tmp_path: Path):
    assert run(tmp_path, module="example")[1] == "False"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the folder stays writable")
def test_a_folder_that_is_read_only_is_no_error(tmp_path: Path):
    tmp_path.chmod(0o500)
    assert run(tmp_path) == ["False", "True"]
