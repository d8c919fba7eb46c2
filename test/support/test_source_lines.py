"""Lines of source: those of inputs and of the program, of no other file that a text names."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

import kc
from kc import tir
from kc.support import diagnostics
from kc.support.diagnostics import Location
from kc.support.files import read_text

SECRET = "the first line of a file that nobody gave to kc"
LOOP = """
func.func @f(%A: memref<8xi32>) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v in 8 = %i) do {
      %c = arith.constant 0 : i32
      tir.store %c, %A[%v] : memref<8xi32>
    } loc("NAME":1:1)
  } loc("NAME":1:1)
  func.return
} loc("NAME":1:1)"""


@pytest.fixture
def opened() -> Any:
    """The files that are opened, or looked at by linecache, from here on."""
    names: list[str] = []
    is_on = [True]

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if is_on[0] and event == "open":
            names.append(str(args[0]))

    sys.addaudithook(hook)
    yield names
    is_on[0] = False


def test_text_does_not_name_files_to_open(tmp_path: Path, opened: list[str]):
    secret, fifo, page = tmp_path / "secret", tmp_path / "fifo", tmp_path / "page.html"
    secret.write_text(SECRET)
    os.mkfifo(fifo)
    opened.clear()
    for file in (secret, fifo, "/dev/zero", tmp_path / "absent"):
        sch = tir.Schedule(kc.IRModule.parse(LOOP.replace("NAME", str(file))))
        sch.report(str(page))
        assert SECRET not in page.read_text()
        with pytest.raises(kc.KCError) as refusal:
            sch.compute_inline("B")
        assert SECRET not in str(refusal.value)
        assert Location(str(file), 1).source_line() == ""
        assert str(file) not in opened


def test_lines_of_inputs_are_shown(tmp_path: Path):
    file = tmp_path / "input.mlir"
    file.write_text("first\nsecond\n")
    assert Location(str(file), 2).source_line() == ""
    read_text(str(file))
    assert [Location(str(file), n).source_line() for n in (1, 2, 3, 10**30)] == [
        *("first", "second", "", "")
    ]


def test_lines_of_the_program_are_shown():
    assert Location(__file__, 1).source_line().startswith('"""Lines of source: those')
    assert Location(str(kc.__file__), 1).source_line().startswith('"""')
    with pytest.raises(kc.KCError) as refusal:
        kc.te.const("a")  # pyright: ignore
    assert 'kc.te.const("a")' in str(refusal.value)


def test_pipes_and_large_files_are_not_read(tmp_path: Path, monkeypatch: Any, opened: list[str]):
    """Also where a program named them."""
    fifo, large = tmp_path / "fifo", tmp_path / "large.py"
    os.mkfifo(fifo)
    large.write_text("x" * 200)
    monkeypatch.setattr(diagnostics, "LARGEST_SOURCE", 100)
    opened.clear()
    for file in (fifo, large):
        diagnostics.use_file(str(file))
        assert Location(str(file), 1).source_line() == ""
        assert str(file) not in opened
