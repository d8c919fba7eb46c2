"""The lit format must give what separate processes give: verdicts, output, isolation."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the forking lit format is used on Linux only"
)

# A tool that does what its first argument says.
TOOL = """
import atexit, ctypes, importlib, os, signal, subprocess, sys, time

def main():
    action, *rest = sys.argv[1:]
    if action == "say":
        print(*rest)
    elif action == "complain":
        print(*rest, file=sys.stderr)
        return 1
    elif action == "copy":
        sys.stdout.write(sys.stdin.read())
    elif action == "copy-bytes":
        sys.stdout.buffer.write(sys.stdin.buffer.read())
    elif action == "big":
        print("x" * 1_000_000)
    elif action == "exit":
        sys.exit(int(rest[0]) if rest[0].isdigit() else rest[0])
    elif action == "raise":
        raise ValueError(rest[0])
    elif action == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif action == "sleep":
        time.sleep(float(rest[0]))
    elif action == "printf":
        ctypes.CDLL(None).puts(rest[0].encode())
    elif action == "at-exit":
        atexit.register(print, "goodbye")
    elif action == "spawn":
        import multiprocessing
        pool = multiprocessing.get_context("fork").Pool(1)
        print(pool.map(abs, [-7]), flush=True)
        subprocess.run([sys.executable, "-c", "print('spawned')"], check=True)
    elif action == "pollute":
        os.environ["STRAY"] = "stray"
        sys.setrecursionlimit(4321)
        sys.modules["stray"] = sys
        os.chdir("/")
    elif action == "state":
        print("STRAY" in os.environ, sys.getrecursionlimit(), "stray" in sys.modules,
              os.getcwd() == "/", os.environ.get("GIVEN"))
    elif action == "plugin":
        print(importlib.import_module("plugged").NAME)
    elif action == "forked":
        print("forked" if "lit.worker" in sys.modules else "new process")
    elif action == "warm":
        print("warm" if "xdsl.utils.lexer" in sys.modules else "cold")
        importlib.import_module("xdsl.utils.lexer")

if __name__ == "__main__":
    sys.exit(main())
"""

CONFIG = """
import sys
import lit.formats
sys.path[:0] = [{here!r}, {suite!r}]
from lit_format import WarmShTest
config.name = "suite"
config.suffixes = [".txt"]
config.test_source_root = {suite!r}
config.test_exec_root = {suite!r} + "/out"
config.environment["PYTHONPATH"] = {suite!r}
for name, module in (("faketool", "faketool"), ("FileCheck", "filecheck")):
    config.substitutions.append((r"\\b" + name + r"\\b", sys.executable + " -m " + module))
if lit_config.params.get("subprocess"):
    config.test_format = lit.formats.ShTest()
else:
    tools = {{"faketool": "faketool:main", "filecheck": "filecheck.main:main"}}
    config.test_format = WarmShTest(tools, timeout={timeout})
"""


def run_lit(suite: Path, tests: dict[str, str], *options: str, timeout: int = 60):
    """Runs each text as a lit test; name -> (verdict, output)."""
    (suite / "faketool.py").write_text(TOOL)
    here = str(Path(__file__).parent)
    config = CONFIG.format(here=here, suite=str(suite), timeout=timeout)
    (suite / "lit.cfg.py").write_text(config)
    for name, text in tests.items():
        (suite / f"{name}.txt").write_text(text)
    report = suite / "report.json"
    lit = str(Path(sys.executable).with_name("lit"))
    command = [lit, "-a", "-o", str(report), *options, str(suite)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert report.exists(), done.stdout + done.stderr
    results = json.loads(report.read_text())["tests"]
    return {
        test["name"].removeprefix("suite :: ").removesuffix(".txt"): (test["code"], test["output"])
        for test in results
    }


# RUN lines and what they must come to, whichever way they are run.
CASES = {
    "pass": ("RUN: faketool say hello | FileCheck %s\nCHECK: hello", "PASS"),
    "wrong_text": ("RUN: faketool say hello | FileCheck %s\nCHECK: goodbye", "FAIL"),
    "first_fails": ("RUN: faketool exit 3 | faketool copy", "FAIL"),
    "second_line_fails": ("RUN: faketool say x\nRUN: faketool exit 1", "FAIL"),
    "not_failing": ("RUN: not faketool exit 3", "PASS"),
    "not_passing": ("RUN: not faketool say x", "FAIL"),
    "not_crashing": ("RUN: not faketool crash", "FAIL"),
    "crash": ("RUN: faketool crash", "FAIL"),
    "stderr": ("RUN: not faketool complain bad 2>&1 | FileCheck %s\nCHECK: bad", "PASS"),
    "stderr_apart": ("RUN: not faketool complain bad | count 0", "PASS"),
    "exit_text": ("RUN: not faketool exit bye 2>&1 | FileCheck %s\nCHECK: bye", "PASS"),
    "exit_zero": ("RUN: faketool exit 0", "PASS"),
    "exception": (
        "RUN: not faketool raise oops 2>&1 | FileCheck %s\n"
        "CHECK: Traceback\nCHECK: ValueError: oops",
        "PASS",
    ),
    "files": (
        "RUN: faketool say one > %t && faketool say two >> %t\n"
        "RUN: faketool copy < %t | FileCheck %s\nCHECK: one\nCHECK-NEXT: two",
        "PASS",
    ),
    "real_programs": ("RUN: faketool say b a | tr ' ' '-' | FileCheck %s\nCHECK: b-a", "PASS"),
    "external_first": ("RUN: tr a z < %s | faketool copy | FileCheck %s\nCHECK: {{z}}", "PASS"),
    "big_output": ("RUN: faketool big | faketool copy | wc -c | grep 1000001", "PASS"),
    "bytes": ("RUN: printf '\\377' | faketool copy-bytes | od -An -tx1 | grep ff", "PASS"),
    "c_stdio": ("RUN: faketool printf native | FileCheck %s\nCHECK: native", "PASS"),
    "at_exit": ("RUN: faketool at-exit | FileCheck %s\nCHECK: goodbye", "PASS"),
    "spawn": ("RUN: faketool spawn | FileCheck %s\nCHECK: [7]\nCHECK: spawned", "PASS"),
    "environment": (
        "RUN: env GIVEN=gift faketool state | FileCheck %s\nCHECK: gift\n"
        "RUN: faketool state | FileCheck %s --check-prefix=AFTER\nAFTER: None",
        "PASS",
    ),
    "plugin": (
        "RUN: mkdir -p %t && echo 'NAME = \"plug\"' > %t/plugged.py\n"
        "RUN: env PYTHONPATH=%t:%S faketool plugin | FileCheck %s\nCHECK: plug",
        "PASS",
    ),
    "state": (
        "RUN: faketool pollute && faketool state | FileCheck %s\n"
        "CHECK: False 1000 False False None",
        "PASS",
    ),
}


@pytest.mark.parametrize("mode", [(), ("-Dsubprocess=1",)], ids=["forks", "processes"])
def test_verdicts(tmp_path: Path, mode: tuple[str, ...]):
    """Both modes give the verdict written beside each case."""
    count = tmp_path / "bin" / "count"  # as LLVM's: fails unless it reads so many lines
    count.parent.mkdir()
    count.write_text('#!/bin/sh\ntest "$(wc -l)" -eq "$1"\n')
    count.chmod(0o755)
    tests = {name: text.replace("count", str(count)) for name, (text, _) in CASES.items()}
    results = run_lit(tmp_path, tests, *mode)
    for name, (_, verdict) in CASES.items():
        assert results[name][0] == verdict, f"{name}: {results[name][1]}"
    assert len(results) == len(CASES)


def test_tools_are_forks_and_stay_warm(tmp_path: Path):
    """The tool runs inside a fork of the worker, which imports what an earlier tool imported."""
    tests = {
        "a": "RUN: faketool forked | FileCheck %s\nCHECK: forked",
        "b": "RUN: faketool warm | FileCheck %s\nCHECK: cold",
        "c": "RUN: faketool warm | FileCheck %s\nCHECK: warm",
        "d": "RUN: env PYTHONHASHSEED=1 faketool forked | FileCheck %s\nCHECK: new process",
    }
    results = run_lit(tmp_path, tests, "-j1", "--order=lexical")
    for name in tests:
        assert results[name][0] == "PASS", results[name][1]


def test_log_shows_commands_and_output(tmp_path: Path):
    """A failure's log has the command to paste into a shell and what it printed."""
    results = run_lit(tmp_path, {"t": "RUN: faketool complain the reason"})
    code, output = results["t"]
    assert code == "FAIL"
    assert re.search("executed command: .* -m faketool complain the reason$", output, re.M)
    assert "# | the reason" in output
    assert "command failed with exit status: 1" in output


def test_timeout(tmp_path: Path):
    """A command that hangs is killed, under `not` as well; a tool shows where it hung."""
    tests = {"tool": "RUN: not faketool sleep 50", "other": "RUN: sleep 50"}
    results = run_lit(tmp_path, tests, timeout=2)
    assert {code for code, _ in results.values()} == {"FAIL"}
    assert "faketool.py" in results["tool"][1]
    assert "in main" in results["tool"][1]


def test_worker_survives_its_tests(tmp_path: Path):
    """A crash is one test's failure; the worker goes on."""
    tests = {f"t{i}": "RUN: faketool crash" for i in range(5)}
    tests["z"] = "RUN: faketool say fine | FileCheck %s\nCHECK: fine"
    results = run_lit(tmp_path, tests, "-j1", "--order=lexical")
    assert [results[name][0] for name in sorted(tests)] == ["FAIL"] * 5 + ["PASS"]
