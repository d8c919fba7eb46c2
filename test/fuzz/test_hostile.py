"""The forbidden effects of hostile input are noticed: files, processes, code, time and memory."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import fuzzing  # noqa: F401 - it says where the modules of families are
import hostile
import pytest

import kc


def read_with(tmp_path: Path, read: Callable[[hostile.Traps], Any]) -> hostile.Traps:
    """Let ``read`` do what it does, in the bounds of hostile input."""
    traps = hostile.Traps(tmp_path)
    with hostile.limited(hostile.Watch(traps)):
        read(traps)
    return traps


@pytest.mark.parametrize(
    ("read", "what"),
    [
        (lambda traps: open(traps.secret), "open of '.*secret.py'"),
        (lambda traps: open(traps.fifo, "rb"), "open of '.*fifo.ll'"),
        (lambda traps: open("/etc/passwd"), "open of '/etc/passwd'"),
        (lambda traps: eval(hostile.code(traps)), "os.mkdir of '.*mark'"),
        (lambda traps: pickle.loads(pickle.dumps(hostile.Bomb(str(traps.mark)))), "pickle.find"),
        (lambda traps: subprocess.run(["true"]), "subprocess.Popen"),
        (lambda traps: os.system("true"), "os.system"),
        (lambda traps: __import__("hostile_module"), "import of hostile_module"),
    ],
)
def test_forbidden_things_are_noticed(tmp_path: Path, read: Any, what: str):
    with pytest.raises(AssertionError, match=what):
        read_with(tmp_path, read)


def test_what_is_swallowed_is_noticed(tmp_path: Path):
    def read(traps: hostile.Traps) -> None:
        try:
            open(traps.secret)
        except BaseException:
            pass

    with pytest.raises(AssertionError, match="open of"):
        read_with(tmp_path, read)


def test_time_is_bounded(tmp_path: Path, monkeypatch: Any):
    monkeypatch.setattr(hostile, "SECONDS", 0.2)

    def read(traps: hostile.Traps) -> None:
        while True:
            pass

    with pytest.raises(AssertionError, match=r"it takes more than 0\.2 seconds"):
        read_with(tmp_path, read)


def test_memory_is_bounded(tmp_path: Path, monkeypatch: Any):
    monkeypatch.setattr(hostile, "MEMORY", 1 << 24)
    size = hostile.peak_memory() + (1 << 25)
    with pytest.raises(AssertionError, match="it took .* MiB"):
        read_with(tmp_path, lambda traps: bytearray(size).count(1))
    monkeypatch.setattr(hostile, "ROOM", 1 << 24)
    with pytest.raises(MemoryError):
        read_with(tmp_path / "named", lambda traps: bytearray(1 << 30))


def test_what_is_allowed(tmp_path: Path):
    read_with(tmp_path, lambda traps: (tmp_path / "own").write_text(open(__file__).read()))


@pytest.mark.parametrize("name", hostile.LOADERS)
def test_inputs_differ_and_are_the_same_for_a_seed(name: str, tmp_path: Path):
    """Only some of them are refused: others reach what comes after reading."""
    traps = hostile.Traps(tmp_path)
    make, _ = hostile.LOADERS[name]
    given = [make(Random(f"case {seed}"), traps) for seed in range(8)]
    assert [make(Random(f"case {seed}"), traps) for seed in range(8)] == given
    assert len({repr(text) for text in given}) > 4


def test_the_command_reads_hostile_text(tmp_path: Path):
    """Also as a user calls it, in a process: no traceback, and no exit status of an own bug."""
    text = hostile.hostile_ir(Random(5), hostile.Traps(tmp_path))
    done = subprocess.run(
        [sys.executable, "-m", "kc", "opt", "-", "--canonicalize"],
        input=text.encode(errors="replace"),
        capture_output=True,
        cwd=Path(kc.__file__).parents[1],
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, 1, 2), done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert not list(tmp_path.glob("named/mark"))
