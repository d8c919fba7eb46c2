"""docs/plugins.md is a package: its files are installed, its program says what the page says."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from test_plugin import ROOT, wheel_of

PAGE = (ROOT / "docs" / "plugins.md").read_text()
FILES = dict(re.findall(r"```(?:python|toml) (\S+)\n(.*?)```", PAGE, flags=re.DOTALL))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package installed."""
    source = tmp_path_factory.mktemp("source")
    for name, text in FILES.items():
        path = source / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (source / "kc_toy" / "__init__.py").write_text("")
    folder = tmp_path_factory.mktemp("site")
    wheel = wheel_of(source, tmp_path_factory.mktemp("wheel"))
    # What `pip install --target` does, as test_plugin.py has it do.
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    (folder / "use.py").write_text(FILES["use.py"])
    return folder


def python(site: Path, *argv: str, **options) -> subprocess.CompletedProcess:
    path = os.pathsep.join([str(ROOT), str(site)])
    return subprocess.run(
        [sys.executable, *argv],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        **options,
    )


def test_the_program(site: Path, tmp_path: Path):
    done = python(site, str(site / "use.py"), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "[1. 2. 3. 4.]"
    assert lines[-1] == "True"
    assert sum(line.startswith("vadd ") for line in lines) == 1
    assert (tmp_path / "add.toy").is_file()
    assert "toy-check-pad" in python(site, "-m", "kc.tools.kc_opt", "--help").stdout
    assert (
        "  toy             dialect toy, --toy-check-pad, target file kc_toy:toy.toml, "
        "backend toy, files .toy\n"
    ) in python(site, "-m", "kc", "doctor").stdout


REFUSED = """
import numpy as np
import kc
from kc import te, tir
from kc.error import KCError
A = te.placeholder((2048,), name="A")
B = te.compute((2048,), lambda i: A[i] + A[i], name="B")
C = te.compute((2048,), lambda i: te.exp(A[i]), name="C")
with kc.Target("toy"):
    sch = tir.Schedule(kc.lower(te.create_schedule(B.op), [A, B]))
    sch.cache_read("B", "A", "toy.pad")
    for inp in (sch, te.create_schedule(C.op)):
        try:
            kc.build(inp, *([[A, C]] if inp is not sch else []))
        except KCError as error:
            print(error)
kernel = kc.build(te.create_schedule(B.op), [A, B], target="toy")
try:
    kernel(np.zeros(2048))
except KCError as error:
    print(error)
try:
    kernel["main"].address
except KCError as error:
    print(error)
b = np.zeros(2048, np.float32)
kernel["main"].prepare(np.ones(2048, np.float32), b)()
print(b.sum(), kernel.time_evaluator("main", number=1)(np.ones(2048, np.float32), b).mean > 0)
# The host's builds are as they were.
host = kc.build([A, B])
print(host(np.ones(2048, np.float32))[:1])
"""


def test_what_it_refuses(site: Path):
    done = python(site, "-c", REFUSED)
    assert done.stderr == ""
    texts = re.sub(r"  --> .*\n", "", done.stdout)
    assert texts == (
        "error[KC9001]: toy: 8192 bytes in the scratchpad\n"
        "   |  A_toy_pad: 8192 bytes\n"
        "  why: the scratchpad of toy has 4096 bytes\n"
        "  try: compute_at a loop further in makes a cache smaller\n"
        "error[KC9002]: toy: there is no instruction for math.exp\n"
        "  why: the machine loads, stores, adds and multiplies in loops\n"
        "error[KC5106]: main: argument 1 'A' has dtype float64, expected float32\n"
        "   |  came: numpy.ndarray float64[2048]\n"
        "   |  expected: A: float32[2048]\n"
        "  try: pass A.astype(np.float32)\n"
        "error[KC5152]: main has no address\n"
        "  why: it is not machine code of this process: a Python function runs it\n"
        "4096.0 True\n"
        "[2.]\n"
    )
