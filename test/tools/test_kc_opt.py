"""kc-opt as a command: exit statuses, full texts, and that nothing ends in a traceback."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kc.support.diagnostics import Diagnostic
from kc.support.target import Target
from kc.tools.kc_opt import main

INPUT = """\
func.func @f() {
  %x = arith.constant 1 : i32
  func.return
}
"""
OUTPUT = "builtin.module {\n  func.func @f() {\n    func.return\n  }\n}\n"
FAILING = '''
from dataclasses import dataclass
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException
from kc.support.plugins import Plugin

@dataclass(frozen=True)
class RaisePass(ModulePass):
    """Fail in the way that is asked for."""

    name = "raise"
    what: str = "assert"

    def apply(self, ctx, op):
        if self.what == "assert":
            assert op.body.block.first_op is None, "not\\nempty"
        if self.what == "unsupported":
            raise PassFailedException("only empty modules are supported")
        if self.what == "interrupt":
            raise KeyboardInterrupt
        if self.what == "exit":
            raise SystemExit(3)
        if self.what == "invalid":
            for one in list(op.body.walk()):
                if one.name == "func.return":
                    one.detach()
                    one.erase()

PLUGIN = Plugin("failing", passes={"raise": __name__ + ":RaisePass"})
'''


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.mlir").write_text(INPUT)
    (tmp_path / "failing.py").write_text(FAILING)
    return "in.mlir"


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main(argv)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def in_a_process(*argv: str, env_extra=(), **options) -> subprocess.CompletedProcess:
    root = Path(__file__).resolve().parents[2]
    return subprocess.run(
        [sys.executable, "-m", "kc.tools.kc_opt", *argv],
        env={**os.environ, "PYTHONPATH": str(root), **dict(env_extra)},
        **{"capture_output": True, "text": True, "timeout": 60, **options},
    )


def test_result_goes_to_standard_output_only(source, capsys):
    assert run(capsys, source, "--dce") == (0, OUTPUT, "")
    assert run(capsys, "-dce", source) == (0, OUTPUT, "")
    assert run(capsys, "--", source)[0] == 0


def test_standard_input():
    done = in_a_process("--dce", input=INPUT)
    assert (done.returncode, done.stdout, done.stderr) == (0, OUTPUT, "")
    done = in_a_process("-", "--dce", input="func.func @f() {")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "error[KC1001]: expected an operation or '}', got the end of the text\n"
        "  --> <stdin>:1:17  func.func @f() {\n"
    )


def test_output_file(source, tmp_path, capsys):
    assert run(capsys, source, "--dce", "-o", "out.mlir") == (0, "", "")
    assert Path("out.mlir").read_text() == OUTPUT
    assert run(capsys, source, "--dce", "-o=-") == (0, OUTPUT, "")
    status, out, err = run(capsys, source, "-o", "out.mlir", "--split=loop=x factors=?,2")
    assert (status, out) == (1, "")
    assert err.startswith("error[KC3003]: there is no loop 'x' in @f\n")
    assert Path("out.mlir").read_text() == OUTPUT  # what was there stays
    assert sorted(os.listdir(tmp_path)) == ["failing.py", "in.mlir", "out.mlir"]


USAGE_ERRORS = {
    ("in.mlir", "--slpit"): (
        "error[KC0001]: there is no flag '--slpit'\n"
        "  try: did you mean '--split' or '--shift' or '--split-args'?\n"
    ),
    ("in.mlir", "-qqqqqqqq=3"): (
        "error[KC0001]: there is no flag '-qqqqqqqq'\n  try: --help lists the flags\n"
    ),
    ("in.mlir", "--spli"): (
        "error[KC0001]: there is no flag '--spli'\n"
        "  try: did you mean '--split' or '--split-args' or '--explain'?\n"
    ),
    ("in.mlir", "--convert-func-to-llvm"): (
        "error[KC0001]: there is no flag '--convert-func-to-llvm'\n"
        "  try: did you mean '--lower-to-llvm' or '--convert-to-llvm'?\n"
    ),
    ("in.mlir", "--one-shot-bufferize"): (
        "error[KC0001]: there is no flag '--one-shot-bufferize'\n"
        "  try: did you mean '--raise-to-tir'?\n"
    ),
    ("in.mlir", "in.mlir"): "error[KC0002]: there are 2 inputs: in.mlir, in.mlir\n",
    ("in.mlir", "a.npy"): "error[KC0002]: there are 2 inputs: in.mlir, a.npy\n"
    "  try: arguments of the function are --args=a.npy\n",
    ("in.mlir", "--mlir-timing=maybe"): (
        "error[KC0002]: --mlir-timing takes true or false, not 'maybe'\n"
    ),
    ("in.mlir", "-o"): "error[KC0002]: -o FILE needs its value\n",
    ("in.mlir", "--target", "--cse"): "error[KC0002]: --target=TARGET needs its value\n",
    ("in.mlir", "--diagnostics-format=jsn"): (
        "error[KC0002]: --diagnostics-format takes text, json, not 'jsn'\n"
        "  try: did you mean 'json'?\n"
    ),
    ("in.mlir", "--pass-pipeline=builtin.module(cs)"): (
        "error[KC0003]: there is no pass 'cs'\n"
        "  try: did you mean 'cse' or 'to-cps'?\n"
        "  try: kc-opt --list-passes\n"
    ),
    ("in.mlir", "--cse", "--pass-pipeline=cse"): (
        "error[KC0004]: --cse and --pass-pipeline exclude each other\n"
        "  why: the order of the passes would be unclear\n"
    ),
    ("--explain=KC9999",): (
        "error[KC0005]: there is no diagnostic KC9999\n  try: did you mean 'KC"
    ),
    ("in.mlir", "--split=block=C,loop=j"): (
        "error[KC0010]: split: options are separated by spaces, not commas\n"
        "   |  block=C,loop=j\n"
        "   |         ^\n"
        "  try: put a value with ',' or '=' in it in quotes\n"
    ),
    ("in.mlir", "--split=loop=j facto=2"): (
        "error[KC0011]: split: there is no option 'facto'\n"
        "   |  loop=j facto=2\n"
        "   |         ^^^^^\n"
        "  try: did you mean 'factors'?\n"
    ),
    ("in.mlir", "--split=C loop=j"): (
        "error[KC0011]: split: there is no option 'C'\n"
        "   |  C loop=j\n"
        "   |  ^\n"
        "  try: block=C\n"
        "  try: options of split: loop, factors, preserve-unit-iters, disable-predication, names, "
        "tighten, block, func\n"
    ),
    ("in.mlir", "--bind=loop=j thread=vthread axis=vthread"): (
        "error[KC0014]: bind: 'thread' and 'axis' are the same option\n"
        "   |  loop=j thread=vthread axis=vthread\n"
        "   |                        ^^^^^^^^^^^^\n"
    ),
    ("in.mlir", "--parallel=loop=i,j"): (
        "error[KC0012]: parallel: option 'loop' takes a loop, not 'j'\n"
        "   |  loop=i,j\n"
        "   |         ^\n"
    ),
    ("in.mlir", "--split=factors=2,2"): (
        "error[KC0013]: split: the option 'loop' is missing\n"
        "   |  loop: the loop to split\n"
        "  try: loop=<loop>\n"
    ),
    ("in.mlir", "--cse=x=1 x=2"): (
        "error[KC0014]: cse: option 'x' is given twice\n   |  x=1 x=2\n   |      ^^^\n"
    ),
    ("in.mlir", "--json"): (
        "error[KC0001]: there is no flag '--json'\n"
        "  try: did you mean '--diagnostics-format=json'?\n"
    ),
    ("inn.mlir",): (
        "error[KC0020]: cannot read inn.mlir: No such file or directory\n"
        "  try: did you mean 'in.mlir'?\n"
    ),
    (".",): "error[KC0020]: cannot read .: Is a directory\n",
    ("/usr/bin/env",): "error[KC0021]: /usr/bin/env is not text\n",
    ("in.mlir", "-o", "no/such/out"): "error[KC0022]: cannot write no/such/out: there is no ",
    ("in.mlir", "-o", "."): "error[KC0022]: cannot write .: Is a directory\n",
    ("in.mlir", "--dump-dir=in.mlir"): (
        "error[KC0022]: cannot make the directory in.mlir: File exists\n"
    ),
    ("in.mlir", "--load-plugin=no_such_module"): (
        "error[KC0031]: plugin no_such_module cannot be loaded\n"
        "   |  ModuleNotFoundError: No module named 'no_such_module'\n"
    ),
    ("in.mlir", "--load-plugin=none.py"): "error[KC0031]: plugin none.py cannot be loaded\n",
    ("in.mlir", "--load-plugin=json"): (
        "error[KC0032]: there is no plugin in json\n"
        "  why: a plugin is a module-level kc.support.plugins.Plugin\n"
    ),
}


@pytest.mark.parametrize("argv", USAGE_ERRORS, ids=" ".join)
def test_wrong_usage(source, capsys, argv):
    status, out, err = run(capsys, *argv)
    assert err.startswith(USAGE_ERRORS[argv])
    if USAGE_ERRORS[argv].count("\n") == err.count("\n"):
        assert err == USAGE_ERRORS[argv]
    assert (status, out) == (2, "")


def test_unknown_target_is_a_mistake_in_a_name(source, capsys):
    assert run(capsys, source, "--target=llvm -mcpu=zen4") == (
        1,
        "",
        "error[KC6004]: target llvm: x86_64 has no CPU 'zen4'\n  try: did you mean 'znver4'?\n",
    )


def test_json_diagnostics(source, capsys):
    Path("in.mlir").write_text("tir.fro\n// -----\nfunc.func @f() {\n  func.retur\n}")
    status, out, err = run(capsys, source, "--diagnostics-format=json", "--split-input-file")
    first, second = map(json.loads, err.splitlines())
    assert (status, out) == (1, "")
    assert first == {
        "kind": "error",
        "code": "KC1002",
        "message": "there is no operation 'tir.fro'",
        "file": "in.mlir",
        "line": 1,
        "column": 1,
        "why": None,
        "facts": [],
        "hints": ["did you mean 'tir.for' or 'tir.if' or 'tir.load'?"],
    }
    assert (second["line"], second["column"]) == (4, 3)
    status, out, err = run(capsys, "--diagnostics-format", "json", "--nonsense")
    assert (status, json.loads(err)["code"]) == (2, "KC0001")


def test_information(capsys):
    status, out, err = run(capsys, "--list-passes")
    assert (status, err) == (0, "")
    assert {"split", "cse", "lower-to-llvm", "scf-for-loop-flatten"} <= set(out.split("\n"))
    status, out, err = run(capsys, "--show-dialects")
    assert (status, err) == (0, "")
    names = out.removeprefix("Available Dialects: ").rstrip().split(", ")
    assert names == sorted(names)
    assert {"te", "tir", "llvm", "arith", "scf"} <= set(names)
    status, out, err = run(capsys, "--explain=KC0003")
    assert (status, err) == (0, "")
    assert out.startswith("KC0003: unknown pass\n\nNo pass in kc, xDSL or an installed plugin has")
    status, out, err = run(capsys, "--version")
    assert (status, err) == (0, "")
    assert re.match(r"kc \S+, xdsl 0\.75\S*, llvmlite \S+, .*Python 3\.", out)


def test_help(capsys):
    status, out, err = run(capsys, "no-file", "--help", "--cse")
    assert (status, err) == (0, "")
    assert out.startswith("usage: kc-opt [FILE|-] [passes and options in any order]\n")
    assert max(map(len, out.split("\n"))) <= 100
    (split,) = re.findall(r"^  --split .*\n", out.partition("Schedule primitives")[2], re.M)[:1]
    assert split == (
        "  --split                        Split a loop into a nest of loops by factors. "
        "[block? loop factors?\n"
    )
    without = out.partition("A schedule flag without options:\n")[2]
    assert "  --split                        The innermost spatial loop of every block" in without
    assert out.index("Passes on tir") < out.index("Conversions") < out.index("Generic passes")
    assert out.rstrip().endswith("130 interrupted.")


def test_help_needs_no_xdsl_and_no_sources():
    done = in_a_process("--help")
    assert done.returncode == 0
    script = (
        "import sys; from kc.tools.kc_opt import main; main(['--help']); "
        "print({'xdsl', 'difflib', 'tempfile', 'kc.support.source_docs'} & set(sys.modules))"
    )
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("\nset()\n")


def reproducer(err: str) -> str:
    match = re.search(r"reproducer: (kc-reproducer-[0-9a-f]{8}\.mlir)$", err)
    assert match is not None
    return Path(match[1]).read_text()


def test_internal_error(source, capsys):
    argv = (source, "--cse", "--load-plugin=failing.py", "--raise", "--target=llvm -mcpu=znver4")
    status, out, err = run(capsys, *argv)
    assert (status, out) == (70, "")
    assert err.count("\n") == 1
    assert err.startswith(
        "error[KC0070]: internal error in pass 'raise' of plugin 'failing' "
        "(AssertionError: not empty); reproducer: kc-reproducer-"
    )
    text = reproducer(err)
    assert text.endswith(INPUT)
    head = text.removesuffix(INPUT).splitlines()
    assert all(line.startswith("//") for line in head)
    assert head[0] == "// kc-opt: internal error in pass 'raise' of plugin 'failing'"
    assert head[1] == (
        "// run with this file: kc-opt '--pass-pipeline=builtin.module(cse,raise)' "
        "'--target=llvm -mcpu=znver4' --load-plugin=failing.py"
    )
    assert re.match(r"// versions: kc .*, xdsl .*, Python .*", head[2])
    assert head[3] == "// Traceback (most recent call last):"
    assert head[-1] == "// empty"
    again = run(
        capsys, source, "--cse", "--load-plugin=failing.py", "--raise", "--verify-diagnostics"
    )
    assert (again[0], again[1]) == (70, "")


def test_internal_error_as_json(source, capsys):
    status, _, err = run(
        capsys, source, "--load-plugin=failing.py", "--raise", "--diagnostics-format=json"
    )
    assert (status, json.loads(err)["code"]) == (70, "KC0070")


def test_invalid_result_of_a_pass(source, capsys):
    argv = (source, "--load-plugin=failing.py", "--raise=what=invalid")
    status, out, err = run(capsys, *argv)
    assert (status, out) == (70, "")
    assert err.startswith(
        "error[KC0070]: pass 'raise' of plugin 'failing' leaves IR that does not verify "
        "(ParseError: "
    )
    assert run(capsys, *argv, "--verify-each=false")[0] == 0


def test_pass_of_others_that_gives_up(source, capsys):
    assert run(capsys, source, "--load-plugin=failing.py", "--raise=what=unsupported") == (
        1,
        "",
        "error[KC1102]: raise: only empty modules are supported\n",
    )


def test_pass_that_exits(source, capsys):
    status, out, err = run(capsys, source, "--load-plugin=failing.py", "--raise=what=exit")
    assert (status, out) == (70, "")
    assert err.startswith(
        "error[KC0070]: internal error in pass 'raise' of plugin 'failing' (SystemExit: 3); "
        "reproducer: kc-reproducer-"
    )


def test_plugin_that_exits(source, capsys):
    Path("exiting.py").write_text("raise SystemExit(3)\n")
    assert run(capsys, source, "--load-plugin=exiting.py") == (
        2,
        "",
        "error[KC0031]: plugin exiting.py cannot be loaded\n   |  SystemExit: 3\n",
    )


def test_interrupt_in_a_pass(source, capsys):
    assert run(capsys, source, "--load-plugin=failing.py", "--raise=what=interrupt") == (
        130,
        "",
        "kc-opt: interrupted\n",
    )


def test_nothing_is_left_behind(source, capsys):
    limit = sys.getrecursionlimit()
    assert run(capsys, source, "--load-plugin=failing.py", "--raise", "--target=llvm")[0] == 70
    assert sys.getrecursionlimit() == limit
    assert Target.current() is None
    assert run(capsys, source, "--raise")[0] == 2  # the plugin was for one run
    assert Diagnostic("KC0001", "x").render() == "error[KC0001]: x"
    assert run(capsys, source, "--dce") == (0, OUTPUT, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux")
def test_standard_output_that_cannot_be_written(source):
    with open("/dev/full", "w") as full:
        done = in_a_process(source, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    said = "error[KC0022]: cannot write standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, said)
    done = subprocess.run(
        f"{sys.executable} -m kc.tools.kc_opt {source} >&-",
        shell=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert (done.returncode, done.stderr) == (
        2,
        "error[KC0022]: cannot write standard output: it is closed\n",
    )


def test_standard_error_that_cannot_be_written():
    with open("/dev/full", "w") as full:
        done = in_a_process("none.mlir", capture_output=False, stdout=subprocess.PIPE, stderr=full)
    assert (done.returncode, done.stdout) == (2, "")


def test_reader_that_goes_away(source):
    lines = "".join(f"  %x{n} = arith.constant {n} : i32\n" for n in range(4000))
    Path(source).write_text(f"func.func @f() {{\n{lines}  func.return\n}}\n")
    done = subprocess.run(
        f"{sys.executable} -m kc.tools.kc_opt {source} | head -n 1; echo ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("builtin.module {\n0\n", "")


def test_interrupt():
    """Ctrl-C while reading standard input."""
    process = subprocess.Popen(
        [sys.executable, "-m", "kc.tools.kc_opt", "-"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write("// more than a pipe holds: this returns when it is being read\n" * 2000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "kc-opt: interrupted\n")


def test_a_thousand_loops(source, capsys):
    depth = 1000
    loops = "".join(f"tir.for %i{n} in 2 {{\n" for n in range(depth))
    Path(source).write_text(f"func.func @f() {{\n{loops}{'}' * depth}\nfunc.return\n}}\n")
    status, out, err = run(capsys, source, "--lower-blocks")
    assert (status, err) == (0, "")
    assert out.count("tir.for") == depth


def test_an_interrupt_reaches_deep_work(source, capsys):
    depth = 100
    loops = "".join(f"tir.for %i{n} in 2 {{\n" for n in range(depth))
    Path(source).write_text(f"func.func @f() {{\n{loops}{'}' * depth}\nfunc.return\n}}\n")
    status, out, err = run(capsys, source, "--load-plugin=failing.py", "--raise=what=interrupt")
    assert (status, out, err) == (130, "", "kc-opt: interrupted\n")


@pytest.mark.slow
def test_five_thousand_operations(source, capsys):
    lines = "".join(f"%x{n} = arith.constant {n} : i32\n" for n in range(5_000))
    Path(source).write_text(f"func.func @f() {{\n{lines}func.return\n}}\n")
    status, out, err = run(capsys, source, "--dce")
    assert (status, out, err) == (0, OUTPUT, "")


def test_targets_of_modules(source, capsys):
    text = 'builtin.module attributes {kc.target = "llvm -mcpu=zen4"} {}'
    Path(source).write_text(text)
    assert run(capsys, source, "--split") == (
        1,
        "",
        "error[KC6004]: target llvm: x86_64 has no CPU 'zen4'\n"
        f"  --> in.mlir:1:1  {text}\n"
        "  try: did you mean 'znver4'?\n",
    )


def test_text_of_any_language_in_any_locale():
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    text = 'builtin.module attributes {a = "é"} {\n}\n'
    done = in_a_process(input=text.encode(), text=False, env_extra=plain)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b'builtin.module attributes {a = "\\C3\\A9"} {\n}\n'
    done = in_a_process(input='hello "é"'.encode(), text=False, env_extra=plain)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == (
        b"error[KC1002]: there is no operation 'hello'\n  --> <stdin>:1:1  hello \"\\xe9\"\n"
    )
