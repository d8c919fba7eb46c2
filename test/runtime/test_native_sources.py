"""The sources in C: their texts are fresh, and sanitizers find nothing in the thread pool."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import make_native
import optional_tools
import pytest

from kc.support.parallel_pool import MAX_CPUS, MAX_THREADS, SYMBOLS

CLANG = optional_tools.find("clang-22") or ""
needs_clang = pytest.mark.skipif(not CLANG, reason="clang-22 is not installed")

POOL = make_native.FOLDER / "pool" / "pool.c"
DRIVER = Path(__file__).with_name("pool_driver.c")


@pytest.mark.parametrize("name", make_native.MACHINES)
def test_text_is_of_this_source(name: str) -> None:
    text = (make_native.FOLDER / name).read_text()
    version = re.findall(r"with clang ([\d.]+)", text)[0]
    assert text.startswith(make_native.header(name, version)), "its source has changed: make native"


@needs_clang
@pytest.mark.parametrize("name", make_native.MACHINES)
def test_text_is_what_clang_makes(name: str) -> None:
    text = (make_native.FOLDER / name).read_text()
    if not text.startswith(make_native.header(name, make_native.version_of(CLANG))):
        pytest.skip(f"made by another version than {make_native.version_of(CLANG)}")
    assert make_native.text_of(name, CLANG) == text, "make native"


def test_text_says_nothing_of_the_build() -> None:
    for name in make_native.MACHINES:
        text = (make_native.FOLDER / name).read_text()
        for word in ("target ", "source_filename", "target-cpu", "\n!", " !"):
            assert word not in text, name


def test_another_clang_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_native, "FOLDER", tmp_path)
    older = tmp_path / "clang"
    older.write_text("#!/bin/sh\necho Debian clang version 14.0.6\n")
    older.chmod(0o755)
    for clang, why in ((str(older), "that is 14.0.6"), ("no-such-clang", "there is none")):
        assert make_native.main([clang]) == 1
        said = capsys.readouterr().out
        assert said == f"make_native.py: {clang}: {why}; needs clang 22 (Debian: clang-22)\n"
    assert list(tmp_path.iterdir()) == [older]


def test_numbers_agree() -> None:
    source = POOL.read_text()
    numbers = dict(re.findall(r"^    (MAX_\w+) = (\d+),", source, re.M))
    assert numbers == {"MAX_THREADS": str(MAX_THREADS), "MAX_CPUS": str(MAX_CPUS)}


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    """Control groups that allow three CPUs, and lines that are no groups."""
    lines = ["0::/a/b", "nonsense", "1:only", "2::" + "/x" * 3000, "3:" + "y," * 4000 + ":/", ""]
    files = {"proc/self/cgroup": "\n".join(lines), "sys/fs/cgroup/a/b/cpu.max": "250000 100000\n"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def driver(tmp_path: Path) -> Callable[[str], Path]:
    """Compiles the driver, with two copies of the pool, under a sanitizer."""

    def build(sanitizer: str) -> Path:
        flags = ["-g", "-O1", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"]
        renamed = [f"-D{name}={name.replace('kc_', 'second_')}" for name in SYMBOLS]
        objects = [str(tmp_path / name) for name in ("first.o", "second.o")]
        for path, names in zip(objects, ([], renamed), strict=True):
            command = [CLANG, *flags, "-ffreestanding", *names, "-c", str(POOL)]
            subprocess.run([*command, "-o", path], check=True)
        program = tmp_path / "driver"
        command = [CLANG, *flags, str(DRIVER), *objects, "-pthread", "-o", str(program)]
        subprocess.run(command, check=True)
        return program

    return build


# The thread sanitizer does not follow a fork of several threads.
@needs_clang
@pytest.mark.slow
@pytest.mark.parametrize(("sanitizer", "last"), [("thread", []), ("address,undefined", ["fork"])])
def test_sanitizers_find_nothing(
    sanitizer: str, last: list[str], driver: Callable[[str], Path], groups: Path
) -> None:
    done = subprocess.run(
        [driver(sanitizer), "2000", groups, *last],
        env={**os.environ, "TSAN_OPTIONS": "halt_on_error=1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
