"""The compile cache: what is found again, what is not, and that damage and crowds do no harm."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kc
from kc import te
from kc.__main__ import main
from kc.building import compile_cache
from kc.instrument import PassTimingInstrument
from kc.support import registry
from kc.support.diagnostics import Diagnostic, diagnostic_handler, warn
from kc.support.plugins import Plugin
from kc.transform import PassContext


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache directory of the test's own; kc counts as unchanged since it was imported."""
    monkeypatch.setenv("KC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("KC_CACHE_SIZE", raising=False)
    monkeypatch.setattr(compile_cache, "source_state", lambda: "state 1")
    return tmp_path / "cache"


def schedule(value: float = 1.0, name: str = "A") -> tuple[te.Schedule, list[te.Tensor]]:
    A = te.placeholder((64,), name=name)
    B = te.compute((64,), lambda i: A[i] + value, name="B")
    s = te.create_schedule(B.op)
    s[B].parallel(s[B].split(B.op.axis[0], factor=8)[0])
    return s, [A, B]


def build(value: float = 1.0, **options: Any) -> Any:
    """A build; its result is right."""
    module = kc.build(*schedule(value), **options)
    a = np.arange(64, dtype=np.float32)
    np.testing.assert_array_equal(module(a), a + np.float32(value))
    return module


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*")) if folder.exists() else []


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each time that something is lowered."""
    from kc.backends import llvm

    calls: list[int] = []
    original = llvm._lower_to_llvm

    def counted(*args: Any, **options: Any) -> Any:
        calls.append(1)
        return original(*args, **options)

    monkeypatch.setattr(llvm, "_lower_to_llvm", counted)
    return calls


def test_the_second_build_is_found(folder: Path, lowered: list[int]):
    first, second = build(), build()
    assert len(lowered) == 1
    assert len(files(folder)) == 1
    for kind in ("te", "tir", "ll", "asm", "mlir", "llvm"):
        assert first.get_source(kind) == second.get_source(kind)
    second.save(folder / "k.o")
    loaded = kc.runtime.load_module(folder / "k.o")
    np.testing.assert_array_equal(loaded(np.zeros(64, np.float32)), np.ones(64))


def test_it_is_off_by_default(folder: Path, lowered: list[int], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("KC_CACHE_DIR")
    build()
    build()
    assert (len(lowered), files(folder)) == (2, [])


def test_what_is_different_is_not_found(lowered: list[int], monkeypatch: pytest.MonkeyPatch):
    def count(work: Any) -> int:
        before = len(lowered)
        work()
        return len(lowered) - before

    assert count(build) == 1
    assert count(build) == 0
    assert count(lambda: build(2.0)) == 1
    assert count(lambda: build(name="other")) == 1
    assert count(lambda: build(target="llvm -mcpu=x86-64-v2")) == 1
    options: list[dict[str, Any]] = [{"opt_level": 1}, {"disabled_pass": ["vectorize-loop"]}]
    for given in options:
        with PassContext(**given):
            assert count(build) == 1
            assert count(build) == 0
    monkeypatch.setattr(compile_cache, "source_state", lambda: "state 2")
    assert count(build) == 1


def test_builds_that_are_watched_or_changed_are_made(lowered: list[int], folder: Path):
    build()
    timing = PassTimingInstrument()
    with PassContext(instruments=[timing]):
        build()
    assert timing.times
    calls: list[int] = []
    with PassContext(config={"tir.add_lower_pass": [(0, lambda mod: calls.append(1))]}):
        build()
        build()
    assert len(calls) == 2
    stages: list[str] = []
    build(instrument=lambda stage, module: stages.append(stage))
    assert "convert-to-llvm" in stages
    assert len(lowered) == 5
    assert len(files(folder)) == 1


def test_plugins_are_part_of_the_key(
    lowered: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Their names, what they hook in, and their files."""
    build()
    package = tmp_path / "cached_plugin"
    package.mkdir()
    (package / "__init__.py").write_text("A = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(kc, "_imported_at", 2**63)
    plugins = [
        Plugin("p"),
        Plugin("q"),
        Plugin("p", hooks=[(3, "cse", ["llvm"])]),
        Plugin("p", hooks=[(3, "dce", ["llvm"])]),
        Plugin("p", passes={"p-pass": "cached_plugin:A"}),
    ]
    added = registry.Registry()
    for count, plugin in enumerate(plugins, start=2):
        added = registry.Registry()
        added.add(plugin)
        with registry.using(added):
            build()
            build()
        assert len(lowered) == count
    (package / "__init__.py").write_text("A = 22\n")
    with registry.using(added):
        build()
        build()
    assert len(lowered) == 7
    monkeypatch.setattr(kc, "_imported_at", 0)  # the files are younger than what was imported
    with registry.using(added):
        build()
        build()
    assert len(lowered) == 9


def test_a_plugin_that_cannot_be_looked_at(lowered: list[int], folder: Path):
    added = registry.Registry()
    added.add(Plugin("p", passes={"p-pass": "no_such_module:A"}))
    with registry.using(added):
        build()
        build()
    assert len(lowered) == 2
    assert files(folder) == []


def test_warnings_come_again(monkeypatch: pytest.MonkeyPatch, folder: Path):
    from kc.backends import llvm

    original = llvm._lower_to_llvm

    def warning(*args: Any, **options: Any) -> Any:
        warn("KC0034", "look out")
        return original(*args, **options)

    monkeypatch.setattr(llvm, "_lower_to_llvm", warning)
    said: list[Diagnostic] = []
    with diagnostic_handler(said.append):
        build()
        build()
    assert [warning.message for warning in said] == ["look out", "look out"]
    assert files(folder) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: data.replace(b"kc-cache-1", b"kc-cache-0"),
        lambda data: b"kc-cache-1\n[]\n",
        lambda data: b"kc-cache-1\n" + b"[" * 200_000 + b"\n",
    ],
)
def test_damage_is_noticed(damage: Any, folder: Path, lowered: list[int]):
    build()
    (path,) = files(folder)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    build()
    assert len(lowered) == 2
    build()
    assert len(lowered) == 2


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_not_read(make: Any, folder: Path, lowered: list[int]):
    """It may have no end; it gives way to an entry."""
    build()
    (path,) = files(folder)
    path.unlink()
    make(path)
    build()
    build()
    assert len(lowered) == 2
    assert path.is_file()
    assert not path.is_symlink()


def test_a_home_that_nobody_has(folder: Path, lowered: list[int], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KC_CACHE_DIR", "~nobody_has_this_name/cache")
    said: list[Diagnostic] = []
    with diagnostic_handler(said.append):
        build()
        build()
    assert [(warning.code, warning.message) for warning in said] == [
        (
            "KC5150",
            "the compile cache ~nobody_has_this_name/cache is not used: "
            "Could not determine home directory.",
        )
    ]
    assert len(lowered) == 2


def test_source_files_are_part_of_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.undo()
    state = compile_cache.source_state.__wrapped__
    package = tmp_path / "package"
    package.mkdir()
    (package / "a.py").write_text("1")
    monkeypatch.setattr(compile_cache, "_PACKAGES", ("package",))
    monkeypatch.syspath_prepend(tmp_path)
    (package / "__init__.py").write_text("")
    assert state() is None  # younger than this process's kc
    monkeypatch.setattr(kc, "_imported_at", 2**63)
    first = state()
    assert first == state()
    (package / "a.py").write_text("2")
    assert state() not in (None, first)


def test_a_directory_of_others_is_not_used(folder: Path, lowered: list[int]):
    folder.mkdir()
    folder.chmod(0o777)
    said: list[Diagnostic] = []
    with diagnostic_handler(said.append):
        build()
        build()
    assert [warning.code for warning in said] == ["KC5150"]
    assert (len(lowered), files(folder)) == (2, [])


def test_a_directory_that_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KC_CACHE_DIR", str(tmp_path / "file" / "cache"))
    said: list[Diagnostic] = []
    with diagnostic_handler(said.append):
        build()
    assert [warning.code for warning in said] == ["KC5150"]


def test_the_oldest_goes(folder: Path, lowered: list[int], monkeypatch: pytest.MonkeyPatch):
    build(1.0)
    (first,) = files(folder)
    os.utime(first, (1, 1))
    monkeypatch.setattr(compile_cache, "_limit", lambda: int(first.stat().st_size * 1.5))
    build(2.0)
    assert first not in files(folder)
    assert len(files(folder)) == 1
    build(2.0)
    assert len(lowered) == 2


def test_many_processes_at_once(folder: Path):
    program = textwrap.dedent(
        """
        import os, traceback
        import numpy as np, kc
        from kc import te
        from kc.building import compile_cache
        compile_cache.source_state = lambda: "state 1"

        def add(value):
            A = te.placeholder((64,), name="A")
            B = te.compute((64,), lambda i: A[i] + value, name="B")
            f = kc.build([A, B])
            assert (f(np.zeros(64, np.float32)) == value).all()

        add(0.0)  # all that is imported
        children = []
        for _ in range(4):
            children.append(os.fork())
            if children[-1] == 0:
                status = 1
                try:
                    for value in (1.0, 2.0, 3.0) * 3:
                        add(value)
                    status = 0
                except BaseException:
                    traceback.print_exc()
                finally:
                    os._exit(status)
        assert all(os.waitpid(child, 0)[1] == 0 for child in children)
        """
    )
    done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
    assert done.stderr == ""
    assert done.returncode == 0
    assert len(files(folder)) == 4
    assert all(entry.content is not None for entry in compile_cache.entries())


@pytest.mark.slow
def test_processes_that_are_killed_while_they_write(folder: Path):
    """Two processes fill one directory, and one of them is killed at each point of a write."""
    program = textwrap.dedent(
        """
        import os, signal
        import numpy as np, kc
        from kc import te
        from kc.building import compile_cache
        compile_cache.source_state = lambda: "state 1"

        def add(value):
            A = te.placeholder((64,), name="A")
            B = te.compute((64,), lambda i: A[i] + value, name="B")
            f = kc.build([A, B])
            assert (f(np.zeros(64, np.float32)) == value).all()

        def die(*_):
            os.kill(os.getpid(), signal.SIGKILL)

        class Half:
            def __init__(self, handle, mode):
                self.stream = open(handle, mode)
            def __enter__(self):
                return self
            def __exit__(self, *error):
                self.stream.close()
            def write(self, data):
                self.stream.write(data[: len(data) // 2])
                self.stream.flush()
                die()

        replace = os.replace
        places = {
            "created": ("fdopen", die),
            "half written": ("fdopen", Half),
            "written": ("replace", die),
            "renamed": ("replace", lambda *paths: (replace(*paths), die())),
        }
        add(0.0)
        for number, (name, function) in enumerate(places.values()):
            child = os.fork()
            if child == 0:
                setattr(os, name, function)
                add(1.0 + number)
                os._exit(0)
            add(10.0 + number)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
            add(1.0 + number)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program], stderr=subprocess.PIPE, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(compile_cache.entries()) == len(list(folder.glob("*.kc"))) == 9
    abandoned = list(folder.glob(".*.tmp"))
    assert sorted(path.stat().st_size > 0 for path in abandoned) == [False, True, True]
    build(20.0)
    assert all(path.exists() for path in abandoned)  # they may be those of slow processes
    for path in abandoned:
        os.utime(path, (0, time.time() - 2 * 3600))
    build(21.0)
    assert not any(path.exists() for path in abandoned)


# The command -------------------------------------------------------------------------------


def command(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main(["cache", *argv])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_listing_and_removing(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert command(capsys, "ls") == (0, f"0 entries, 0 KiB in {folder}\n", "")
    build(name="f")
    build(name="g")
    status, out, _ = command(capsys, "ls")
    lines = out.splitlines()
    assert status == 0
    assert len(lines) == 3
    assert {line.split()[5] for line in lines[:2]} == {"f", "g"}
    assert lines[2].startswith("2 entries, ")
    assert command(capsys, "rm", "f")[:2] == (0, "removed 1 entries\n")
    digest = command(capsys, "ls")[1].split()[0]
    assert files(folder)[0].name.startswith(digest)
    assert command(capsys, "rm", digest)[:2] == (0, "removed 1 entries\n")
    build(name="f")
    assert command(capsys, "rm", "--all")[:2] == (0, "removed 1 entries\n")
    assert files(folder) == []


def test_why(capsys: pytest.CaptureFixture[str]):
    build(name="f")
    _, alone, _ = command(capsys, "why", "f")
    assert "was not found" not in alone
    assert "  passes: opt_level=2\n" in alone
    with PassContext(opt_level=3):
        build(name="f")
    status, out, _ = command(capsys, "why", "f")
    assert status == 0
    newest, _, last = out.partition("was not found as ")
    assert "  passes: opt_level=3\n" in newest
    assert last.splitlines()[1:] == ["  passes: opt_level=2"]


@pytest.mark.parametrize(
    ("argv", "code"),
    [([], "KC0002"), (["lss"], "KC0001"), (["ls", "f"], "KC0002"), (["rm"], "KC0002")],
)
def test_wrong_usage(argv: list[str], code: str, capsys: pytest.CaptureFixture[str]):
    status, out, err = command(capsys, *argv)
    assert (status, out) == (2, "")
    assert f"error[{code}]" in err


def test_an_unknown_entry(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    build(name="matmul")
    status, _, err = command(capsys, "why", "matmull")
    assert status != 0
    assert "error[KC5151]" in err
    assert "did you mean 'matmul'" in err
    monkeypatch.setenv("KC_CACHE_DIR", "none")
    assert "error[KC5151]: the compile cache is off" in command(capsys, "ls")[2]


def test_the_commands_show_the_default_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("KC_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    status, out, _ = command(capsys, "ls")
    assert (status, out) == (0, f"0 entries, 0 KiB in {tmp_path / 'caches' / 'kc'}\n")
    assert not (tmp_path / "caches").exists()
