"""The programs and the commands of docs/debugging.md work."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from kc.tools import kc_opt

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "debugging.md").read_text()
PROGRAMS = dict(re.findall(r"```python (\S+)\n(.*?)```", PAGE, flags=re.DOTALL))
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL)
    for line in block.splitlines()
    if line.startswith("kc-opt ")
]


def test_the_programs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    state = {}
    # The same program on less.
    first = PROGRAMS["softmax.py"].replace("1024", "64").replace("1000", "1")
    exec(compile(first, "softmax.py", "exec"), state)
    said = {}
    for name, text in list(PROGRAMS.items())[1:]:
        exec(text, state)
        said[name] = capsys.readouterr().out
    assert "tir.block" in said["sources"]
    assert "IR Dump After vectorize-loop" in said["printing"]
    assert "mean (ms)" in said["timing"]
    assert "vectorize-loop" in said["passes"]
    assert re.search(r"\.loc\s+1 9 0", said["lines"])
    assert Path("softmax.o").stat().st_size


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands(command, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples", dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    assert kc_opt.main(shlex.split(command)[1:]) == 0
    if (folder := re.search(r"--dump-dir=(\w+)", command)) is not None:
        text = Path(folder[1], "00_input.mlir").read_text()
        assert ('"te.func"' in text) == ("--dump-generic" in command)
