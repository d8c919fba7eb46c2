"""kc-translate, kc-run, kc-docs and the doctor: results, exit statuses and full texts."""

import io
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from kc import __main__ as kc_main
from kc.runtime.timing import Repeats
from kc.support.registry import Registry
from kc.tools import kc_docs, kc_opt, kc_run, kc_translate
from kc.tools._docs_text import markdown
from kc.tools._reporter import Reporter
from kc.tools._verify_diagnostics import check, expectations

ROOT = Path(__file__).resolve().parents[2]

MATMUL = """\
te.func @mm(%A: tensor<16x8xf32>, %B: tensor<8x16xf32>) -> tensor<16x16xf32> {
  %C = te.compute "C" [%i = 16, %j = 16] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<16x8xf32>
    %b = te.read %B[%k, %j] : tensor<8x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<16x16xf32>
  te.return %C : tensor<16x16xf32>
}
"""
ADD = """\
te.func @add(%A: tensor<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, \
%B: tensor<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) -> tensor<?xf32> \
attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = %n] {
    %a = te.read %A[%i] : tensor<?xf32>
    %b = te.read %B[%i] : tensor<?xf32>
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  } : tensor<?xf32>
  te.return %C : tensor<?xf32>
}
"""
SCALE = """\
func.func @scale(%x: i32, %A: memref<3xi32>) {
  tir.for %i in 3 {
    %a = tir.load %A[%i] : memref<3xi32>
    %b = arith.muli %a, %x : i32
    tir.store %b, %A[%i] : memref<3xi32>
  }
  func.return
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("mm", MATMUL), ("add", ADD), ("scale", SCALE), ("two", MATMUL + ADD)):
        Path(f"{name}.mlir").write_text(text)
    a = np.arange(4, dtype=np.float32)
    np.save("a.npy", a)
    np.save("b.npy", 10 * a)
    np.save("c.npy", 11 * a)
    np.save("wrong.npy", 11 * a + np.array([0, 0, 1, 0], np.float32))
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], tool, *argv: str) -> tuple[int, str, str]:
    status = tool.main(argv)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


# kc-translate


def test_llvm_ir(folder, capsys):
    argv = ("mm.mlir", "--to=llvmir", "--auto-schedule=false")  # as --lower-to-llvm has the loops
    status, out, err = run(capsys, kc_translate, *argv)
    assert (status, err) == (0, "")
    assert 'target triple = "x86_64-unknown-linux-gnu"' in out
    assert re.search(r"^define void @mm\(", out, re.M)
    run(capsys, kc_opt, "mm.mlir", "--lower-to-llvm", "-o", "lowered.mlir")
    assert run(capsys, kc_translate, "lowered.mlir", "--to=llvmir") == (0, out, "")
    status, out, err = run(
        capsys, kc_translate, "mm.mlir", "--to=llvmir", "--target=llvm -mcpu=cortex-a72"
    )
    assert 'target triple = "aarch64-unknown-linux-gnu"' in out


def test_assembly_and_object_code(folder, capsys):
    status, out, err = run(capsys, kc_translate, "mm.mlir", "--to=asm")
    assert (status, err) == (0, "")
    assert re.search(r"^mm:$", out, re.M)
    status, out, err = run(
        capsys, kc_translate, "mm.mlir", "--to=asm", "--target=llvm -mcpu=cortex-a72"
    )
    assert re.search(r"^\s+(fmla|fmadd)\b", out, re.M)
    assert run(capsys, kc_translate, "mm.mlir", "--to=obj", "-o", "mm.o") == (0, "", "")
    assert Path("mm.o").read_bytes().startswith(b"\x7fELF")
    done = subprocess.run(
        [sys.executable, "-m", "kc.tools.kc_translate", "mm.mlir", "--to=obj"],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    assert done.stdout == Path("mm.o").read_bytes()


TRANSLATE_ERRORS = {
    ("mm.mlir",): (
        2,
        "error[KC0002]: --to=FORMAT is missing\n"
        "  try: the formats are: llvmir, asm, obj, c, ptx, cuda, opencl, metal, ... (10 in all)\n",
    ),
    ("mm.mlir", "--to=llvm"): (
        2,
        "error[KC0002]: there is no format 'llvm'\n  try: did you mean 'llvmir'?\n",
    ),
    ("mm.mlir", "--to=obj", "-o", "no/such"): (
        2,
        "error[KC0022]: cannot write no/such: there is no directory ",
    ),
    ("none.mlir", "--to=obj"): (
        2,
        "error[KC0020]: cannot read none.mlir: No such file or directory\n",
    ),
    ("mm.mlir", "--to=asm", "--target=llvm -mcpu=zen4"): (
        1,
        "error[KC6004]: target llvm: x86_64 has no CPU 'zen4'\n",
    ),
}


@pytest.mark.parametrize("argv", TRANSLATE_ERRORS, ids=" ".join)
def test_translate_errors(folder, capsys, argv):
    status, out, err = run(capsys, kc_translate, *argv)
    assert (status, out) == (TRANSLATE_ERRORS[argv][0], "")
    assert err.startswith(TRANSLATE_ERRORS[argv][1])


def test_translate_names_the_line_of_a_mistake(folder, capsys):
    Path("bad.mlir").write_text("func.func @f() {\n  func.retur\n}")
    assert run(capsys, kc_translate, "bad.mlir", "--to=asm") == (
        1,
        "",
        "error[KC1002]: there is no operation 'func.retur'\n"
        "  --> bad.mlir:2:3  func.retur\n"
        "  try: did you mean 'func.return' or 'func.func' or 'func.call'?\n",
    )


# kc-run


def chosen(name: str) -> str:
    """The remark of kc-run for a function without a schedule."""
    return (
        f"remark[KC3751]: a schedule was chosen for @{name}\n"
        "  try: kc-opt --auto-schedule shows it; --auto-schedule=false runs the loops as written\n"
    )


AS_WRITTEN = """\
remark[KC3750]: the loops of @scale are compiled as they are written
  why: no loop is parallel, vectorized or unrolled; rules choose a schedule for tensors, \
te, linalg, tosa
  try: --auto-schedule chooses a schedule for loops, too
"""


def test_runs_on_files(folder, capsys):
    assert run(capsys, kc_run, "add.mlir", "--args=a.npy,b.npy", "--check=c.npy") == (
        0,
        "C: float32[4]\n[ 0. 11. 22. 33.]\n",
        chosen("add"),
    )
    argv = ("add.mlir", "--args", "a.npy,b.npy", "-o", "out.npy")
    assert run(capsys, kc_run, *argv) == (0, "", chosen("add"))
    assert (np.load("out.npy") == np.load("c.npy")).all()
    np.save("x.npy", np.array([1, 2, 3], np.int32))
    assert run(capsys, kc_run, "scale.mlir", "--args=-2,x.npy") == (
        0,
        "A: int32[3]\n[-2 -4 -6]\n",
        AS_WRITTEN,
    )


def test_random_inputs_are_the_same_for_a_seed(folder, capsys):
    argv = ("mm.mlir", "--random", "--seed=3")
    status, first, err = run(capsys, kc_run, *argv)
    assert (status, err) == (0, chosen("mm"))
    assert run(capsys, kc_run, *argv)[1] == first
    assert run(capsys, kc_run, "mm.mlir", "--seed=4")[1] != first
    run(capsys, kc_run, *argv, "-o", "out.npy")
    random = np.random.default_rng(3)
    a = random.uniform(-1, 1, (16, 8)).astype(np.float32)
    b = random.uniform(-1, 1, (8, 16)).astype(np.float32)
    np.testing.assert_allclose(np.load("out.npy"), a @ b, rtol=1e-4, atol=1e-5)


GATHER = """\
func.func @main(%P: memref<4xi32>, %A: memref<8xf32>, %C: memref<4xf32>) {
  tir.for %i in 4 {
    %p = tir.load %P[%i] : memref<4xi32>
    %j = arith.index_cast %p : i32 to index
    %x = tir.load %A[%j] : memref<8xf32>
    tir.store %x, %C[%i] : memref<4xf32>
  }
  func.return
}
"""


def test_the_interpreter_checks_every_access(folder, capsys):
    Path("gather.mlir").write_text(GATHER)
    np.save("x.npy", np.arange(8, dtype=np.float32))
    np.save("y.npy", np.zeros(4, np.float32))
    argv = ("gather.mlir", "--interpret", "--args=p.npy,x.npy,y.npy")
    np.save("p.npy", np.array([0, 7, 3, 2], np.int32))
    assert run(capsys, kc_run, *argv) == (0, "C: float32[4]\n[0. 7. 3. 2.]\n", "")
    np.save("p.npy", np.array([0, 7, 9, 2], np.int32))
    assert run(capsys, kc_run, *argv) == (
        1,
        "",
        "error[KC5280]: main: tir.load: index [9] is out of bounds of A, whose shape is [8]\n"
        "  --> gather.mlir:5:5  %x = tir.load %A[%j] : memref<8xf32>\n"
        "   |  in i = 2\n",
    )
    for tool in (("--interpret",), ()):
        assert run(capsys, kc_run, "add.mlir", *tool, "--args=a.npy,b.npy", "--check=c.npy")[0] == 0


def test_time_goes_to_standard_error(folder, capsys):
    status, out, err = run(capsys, kc_run, "scale.mlir", "--time", "--seed=1")
    assert status == 0
    assert out.startswith("A: int32[3]\n")
    assert err.startswith(f"{AS_WRITTEN}Execution time summary:\n")
    # What is shown is the result of one run, not of those that were measured.
    assert run(capsys, kc_run, "scale.mlir", "--seed=1")[1] == out


def test_a_long_run_is_not_repeated(folder, capsys, monkeypatch):
    readings = iter((100.0, 107.25))  # the clock before the run and after it
    monkeypatch.setattr(kc_run, "time", SimpleNamespace(perf_counter=lambda: next(readings)))
    status, out, err = run(capsys, kc_run, "mm.mlir", "--time")
    assert status == 0
    assert err.startswith(chosen("mm"))
    first, title, _, numbers, memory, rates = err.removeprefix(chosen("mm")).split("\n")[:6]
    assert first == "one run alone: it took 7.2 s"
    assert title == "Execution time summary:"
    mean, median, longest, shortest, deviation = map(float, numbers.split())
    assert mean == median == longest == shortest == 7250 > deviation == 0
    # The arguments are 2 KiB; a tile of sums, which this machine's vectors decide, is a part of C.
    peak = re.fullmatch(r"peak memory ([\d.]+) KiB: arguments and buffers", memory)
    assert peak is not None
    assert 2 <= float(peak[1]) <= 3
    # Rates without a prefix have a space before their unit, too: 8 * 16 * 16 * 2 in 7.25 s.
    assert rates == "565 FLOP/s"


def test_as_many_repeats_as_there_is_time_for():
    """The call that warms up counts."""
    assert Repeats.within(1.0, 1e-6) == Repeats(1, 5, 20)
    assert Repeats.within(1.0, 0.24) == Repeats(1, 3, 20)
    assert Repeats.within(1.0, 0.5) == Repeats(1, 1, 20)
    assert Repeats.within(1.0, 0.51) is None


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_alone(capsys, monkeypatch):
    """In a line that what is said next takes the place of."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    reporter = Reporter()
    reporter.progress("compiling ...")
    reporter.write("done")
    reporter.progress()
    assert screen.getvalue() == "\r\x1b[2Kcompiling ...\r\x1b[2Kdone\n"
    Reporter("json").progress("compiling ...")
    assert screen.getvalue().endswith("done\n")
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    Reporter().progress("compiling ...")
    assert pipe.getvalue() == ""


RUN_ERRORS = {
    ("add.mlir",): (
        2,
        "error[KC0061]: add: the size n is not known\n"
        "   |  add(A: float32[n], B: float32[n], C: out float32[n])\n"
        "  try: --sizes=n=64\n",
    ),
    ("add.mlir", "--sizes=m=3"): (
        2,
        "error[KC0061]: add has no symbolic size 'm'\n  try: its sizes are: n\n",
    ),
    ("add.mlir", "--sizes=n=x"): (2, "error[KC0061]: --sizes: n is a number, not 'x'\n"),
    ("add.mlir", "--sizes=n=99999999999"): (
        2,
        "error[KC0061]: A would take 399999999996 bytes\n   |  A: float32[n]\n",
    ),
    ("add.mlir", "--args=a.npy"): (
        2,
        "error[KC0060]: add: --args has 1 value, the function takes 2 inputs\n"
        "   |  add(A: float32[n], B: float32[n], C: out float32[n])\n",
    ),
    ("add.mlir", "--args=a.npy,none.npy"): (
        2,
        "error[KC0020]: cannot read none.npy: No such file or directory\n",
    ),
    ("add.mlir", "--args=a.npy,add.mlir"): (
        2,
        "error[KC0020]: cannot read add.mlir: it is not an .npy file of numbers\n",
    ),
    ("scale.mlir", "--args=1.5,a.npy"): (2, "error[KC0060]: --args: x is a int32, not '1.5'\n"),
    ("add.mlir", "--args=a.npy,b.npy", "--random"): (
        2,
        "error[KC0002]: --args and --random exclude each other\n",
    ),
    ("mm.mlir", "--seed=x"): (
        2,
        "error[KC0002]: --seed takes a number of at least 0, not 'x'\n",
    ),
    ("mm.mlir", "--check=a.npy,b.npy"): (
        2,
        "error[KC0002]: --check has 2 files for 1 output\n",
    ),
    ("add.mlir", "--args=a.npy,b.npy", "--check=wrong.npy"): (
        1,
        "error[KC5201]: C differs from wrong.npy: 1 of 4 elements\n"
        "   |  C[2] is 22.0, not 23.0\n"
        "  why: compared with a relative tolerance of 0.0001 and an absolute one of 1e-05\n",
    ),
    ("mm.mlir", "--check=a.npy"): (
        1,
        "error[KC5201]: C differs from a.npy: its shape is (16, 16), not (4,)\n",
    ),
    ("two.mlir",): (
        2,
        "error[KC0063]: the module has 2 functions\n  try: -e mm\n  try: -e add\n",
    ),
    ("two.mlir", "-e", "sub"): (
        2,
        "error[KC0063]: there is no function 'sub'\n  try: the functions are: mm, add\n",
    ),
}


@pytest.mark.parametrize("argv", RUN_ERRORS, ids=" ".join)
def test_run_errors(folder, capsys, argv):
    status, text = RUN_ERRORS[argv]
    # What is found after the run comes after what was said before it.
    said = chosen(argv[0].removesuffix(".mlir")) if status == 1 and "KC5201" in text else ""
    assert run(capsys, kc_run, *argv) == (status, "", said + text)


def test_one_of_several_functions(folder, capsys):
    argv = ("two.mlir", "-e", "add", "--args=a.npy,b.npy")
    assert run(capsys, kc_run, *argv)[:2] == (0, "C: float32[4]\n[ 0. 11. 22. 33.]\n")


# Help, versions and the doctor


@pytest.mark.parametrize("tool", [kc_translate, kc_run, kc_docs])
def test_help(capsys, tool):
    status, out, err = run(capsys, tool, "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"usage: {tool.USAGE}\n")
    assert max(map(len, out.split("\n"))) <= 100
    assert run(capsys, tool, "--version")[1].startswith("kc ")
    assert run(capsys, tool, "--hlep")[0] == 2


def test_doctor(capsys):
    status, out, err = run(capsys, kc_main, "doctor")
    assert (status, err) == (0, "")
    sections = re.findall(r"^(\w[\w ]+):$", out, re.M)
    assert sections == [
        "Versions", "Host", "Devices", "Plugins", "Environment", "Optional tools"
    ]  # fmt: skip
    assert re.search(r"^  xdsl +0\.75", out, re.M)
    assert re.search(r"^  target +llvm -", out, re.M)
    assert re.search(r"^  cpu\(0\) +\d+ cores$", out, re.M)
    assert re.search(r"^  KC_CACHE_SIZE +(not set \(512\)|'\d+')$", out, re.M)
    assert run(capsys, kc_main, "doctor", "x") == (
        2,
        "",
        "error[KC0002]: doctor takes no arguments but --measure: x\n",
    )


# Documentation


def test_pages_say_what_the_code_says():
    passes = kc_docs.page("passes")
    for entry in Registry().passes.values():
        assert f"### `--{entry.name}`" in passes
    assert "| `loop` | `<loop>` | required | the loop to split |" in passes
    dialects = kc_docs.page("dialects")
    assert "### `tir.block`" in dialects
    assert "## KC" not in dialects
    assert "### KC0001: unknown flag" in kc_docs.page("codes")
    assert "| `--diagnostics-format=text\\|json` |" in kc_docs.page("tools")


def test_documentation_that_is_stale(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(kc_docs, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").touch()
    status, out, err = run(capsys, kc_docs, "--check")
    assert (status, out) == (1, "")
    assert err.split("\n")[0] == "docs/generated/codes.md is stale: make docs"
    assert run(capsys, kc_docs)[0] == 0
    assert run(capsys, kc_docs, "--check") == (0, "", "")
    generated = tmp_path / "docs" / "generated"
    (generated / "codes.md").write_text("old")
    (generated / "gone.md").write_text("old")
    assert run(capsys, kc_docs, "--check") == (
        1,
        "",
        "docs/generated/codes.md is stale: make docs\ndocs/generated/gone.md is stale: make docs\n",
    )
    assert run(capsys, kc_docs)[0] == 0
    names = sorted(file.name for file in generated.iterdir())
    assert names == [
        "codes.md", "dialects.md", "graph-operators.md", "passes.md", "tools.md", "topi",
        "torch-operators.md", "tvm-names.md",
    ]  # fmt: skip
    assert (tmp_path / "kc" / "tir" / "schedule_methods.py").is_file()
    lines = (ROOT / ".gitattributes").read_text().splitlines()
    patterns = [line.split()[0] for line in lines if line.endswith(" linguist-generated")]
    written = [path for path in tmp_path.rglob("*.*") if path.name != "pyproject.toml"]
    assert len(written) > len(names)
    for path in written:
        name = path.relative_to(tmp_path).as_posix()
        assert any(fnmatch(name, pattern) for pattern in patterns), name


def test_docstrings_become_markdown():
    assert markdown("One ``x`` of :class:`~a.B`.\n\nBefore::\n\n    a {\n\n      b\n\nAfter") == (
        "One `x` of `a.B`.\n\nBefore:\n\n```\na {\n\n  b\n```\n\nAfter"
    )
    assert markdown("Text ::\n\n    code") == "Text:\n\n```\ncode\n```"
    assert markdown("``a\nb``: ``c``\n\n``d") == "`a\nb`: `c`\n\n``d"


# What the lit tests of --verify-diagnostics leave


def test_expectations_by_place_and_kind():
    text = "// expected-warning@-2 {{a}} expected-error@+1{{b {c}}} // expected-note {{d}}"
    expected = expectations(text, "x", 10)
    assert [(expectation.kind, expectation.line, expectation.text) for expectation in expected] == [
        ("warning", 9, "a"),
        ("error", 12, "b {c}"),
        ("note", 11, "d"),
    ]
    assert expectations("// expected nothing, expected-errors no", "x") == []
    (unknown,) = expectations("// expected-remark-re@unknown {{x {{[0-9]+}} (y)}}", "x")
    assert unknown.line is None
    assert unknown.pattern.search("x 12 (y)")
    assert not unknown.pattern.search("x a (y)")
    assert [problem.code for problem in check([unknown], [], "x")] == ["KC0042"]


def test_a_compiled_run_imports_no_interpreter(tmp_path):
    """Importing the interpreter takes as long as compiling a small function."""
    argv = ["examples/vector_add.mlir", "--random", "--sizes=n=8", "-o", f"{tmp_path}/out.npy"]
    program = (
        "import sys; from kc.tools.kc_run import main; "
        f"print(main({argv}), [name for name in sys.modules if 'analysis.interpreter' in name])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "0 []\n", done.stderr
