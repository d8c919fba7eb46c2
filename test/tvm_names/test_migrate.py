"""``kc migrate``: what a program for TVM uses, and what is said of it."""

from pathlib import Path

import pytest

from kc.__main__ import main

PROGRAM = """\
import numpy as np
import tvm
from tvm import te
from tvm.script import tir as T
import tvm.testing

A = te.placeholder((64,), name="A")
s = te.create_schedule(A.op)
x, y = s[A].split(A.op.axis[0], factor=np.int32(8))
s[A].reorder(y, x)
assert isinstance(A, tvm.tir.Add)
tvm.relax.build(s)
tvm.te.no_such_name()
raise SystemExit("it is not executed")
"""


def report(capsys: pytest.CaptureFixture[str], path: Path) -> tuple[int, str, str]:
    status = main(["migrate", str(path)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_each_name_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    status, out, _ = report(capsys, path)
    assert status == 0
    lines = out.split("\n")
    assert lines[0] == f"{path}: 9 names of TVM"
    works = lines[lines.index("works as it is (3):") + 1 :][:3]
    assert works == ["  tvm.testing  (line 5)", "  .split  (line 9)", "  .reorder  (line 10)"]
    differs = lines[lines.index("works with a difference (4):") + 1 :][:4]
    assert [line.split(": ")[0] for line in differs] == [
        "  tvm.script.tir  (line 4)",
        "  te.placeholder  (line 7)",
        "  te.create_schedule  (line 8)",
        "  tir.Add  (line 11)",
    ]
    assert differs[2] == (
        "  te.create_schedule  (line 8): recorded, and replayed as primitives on loops at lowering"
    )
    missing = lines[lines.index("missing (2):") + 1 :][:2]
    assert missing == [
        "  tvm.relax.build  (line 12): kc has Relay's graphs: kc.relay",
        "  te.no_such_name  (line 13): docs/migration.md has no row for it",
    ]


def test_names_of_old_tvm(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    path = tmp_path / "old.py"
    path.write_text("import tvm\nn = tvm.var('n')\ns = tvm.create_schedule(n)\n")
    assert report(capsys, path)[1].split("\n")[1:4] == [
        "works with a difference (2):",
        "  tvm.var  (line 2): it is kc.te.var, as in TVM since 0.7",
        "  tvm.create_schedule  (line 3): it is kc.te.create_schedule, as in TVM since 0.7",
    ]


def test_modules_inside_of_packages_and_words_that_are_missing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    path = tmp_path / "kernel.py"
    path.write_text(
        "from tvm.tir.schedule.testing import verify_trace_roundtrip\n"
        "from tvm.tir.tensor_intrin.x86 import VNNI_DOT_16x4_INTRIN\n"
        "import tvm.script.tir\ntvm.script.tir.thread_return()\n"
    )
    lines = report(capsys, path)[1].split("\n")
    assert lines[1:4] == [
        "works as it is (2):",
        "  tir.schedule.testing.verify_trace_roundtrip  (line 1)",
        "  tir.tensor_intrin.x86.VNNI_DOT_16x4_INTRIN  (line 2)",
    ]
    assert lines[lines.index("missing (1):") + 1] == (
        "  tvm.script.tir.thread_return  (line 4): every thread runs to the end of its kernel, for "
        "barriers; write an if around the rest of the statements"
    )


def test_what_is_no_program_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    path = tmp_path / "notes.txt"
    path.write_text("this is no text\n")
    status, out, err = report(capsys, path)
    assert (status, out) == (1, "")
    assert [line.strip() for line in err.split("\n")] == [
        "error[KC0087]: migrate: invalid syntax",
        f"--> {path}:1:12  this is no text",
        "^",
        "why: a program for TVM is written in Python",
        "",
    ]
    path.write_text("-" * 5000 + "1\n")
    assert report(capsys, path)[2].startswith("error[KC0087]: migrate: ")
    assert main(["migrate"]) == 2
    assert capsys.readouterr().err == (
        "error[KC0002]: migrate takes a file\n  try: kc migrate program.py\n"
    )
