"""Progress of builds: what a function is told, and what terminals, notebooks and pipes show."""

from __future__ import annotations

import io
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import kc
from kc import te
from kc.instrument import Progress
from kc.support import progress
from kc.support.diagnostics import InputError, remark
from kc.transform import PassContext, module_pass

TWO = """
func.func @first(%A: memref<64xf32>, %B: memref<64xf32>) attributes {kc.unscheduled} {
  tir.for %i in 64 {
    tir.block "b" (spatial %v in 64 = %i) do {
      %a = tir.load %A[%v] : memref<64xf32>
      tir.store %a, %B[%v] : memref<64xf32>
    }
  }
  func.return
}
"""
TWO += TWO.replace("@first", "@second")


def sums() -> list[te.Tensor]:
    A = te.placeholder((64, 64), name="A")
    k = te.reduce_axis((0, 64), "k")
    return [A, te.compute((64,), lambda i: te.sum(A[i, k], axis=k), name="B")]


# Functions ---------------------------------------------------------------------------------------


def told(call: Callable[[], Any]) -> list[Progress]:
    states: list[Progress] = []
    with PassContext(progress=states.append):
        call()
    return states


def test_a_function_is_told_of_stages_and_functions():
    module = kc.IRModule.parse(TWO)
    states = told(lambda: kc.build(module))
    scheduled = [state for state in states if state.stage == "schedule"]
    assert [(it.function, it.number, it.count) for it in scheduled[:1] + scheduled[-1:]] == [
        ("first", 1, 2),
        ("second", 2, 2),
    ]
    stages = list(dict.fromkeys(state.stage for state in states))
    order = [stages.index(it) for it in ("schedule", "convert-tir-to-scf", "convert-to-llvm")]
    assert order == sorted(order)
    assert stages[-1] == "LLVM"
    assert all(state.call == "kc.build" and state.count == 2 for state in states)
    last = states[-1]
    assert last.function is None
    assert last.number == 0


def test_the_part_that_is_done_never_decreases():
    for call in (kc.build, kc.lower, kc.auto_schedule):
        states = told(lambda call=call: call(sums()))
        fractions = [state.fraction for state in states]
        assert fractions == sorted(fractions)
        assert 0 <= fractions[0]
        assert fractions[-1] <= 1
        assert len(set(fractions)) > 1
        seconds = [state.seconds for state in states]
        assert seconds == sorted(seconds)
    # A schedule is all that kc.auto_schedule is about, and about half of a build.
    scheduling = [s for s in told(lambda: kc.build(sums())) if s.stage == "schedule"]
    assert max(state.fraction for state in scheduling) <= progress.SHARES["schedule"]


def test_a_build_within_a_build_is_a_part_of_it():
    built: list[Any] = []

    @module_pass(opt_level=0)
    def another(mod: Any, ctx: Any) -> None:
        if not built:
            built.append(None)
            built.append(kc.lower(sums()))

    config = {"tir.add_lower_pass": [(1, another)]}
    states: list[Progress] = []
    with PassContext(config=config, progress=states.append):
        kc.build(sums())
    assert {state.call for state in states} == {"kc.build"}
    fractions = [state.fraction for state in states]
    assert built[1] is not None
    assert fractions == sorted(fractions)


def test_an_exception_of_the_function_ends_the_build():
    def fail(state: Progress) -> None:
        raise KeyError(state.stage)

    with PassContext(progress=fail), pytest.raises(KeyError):
        kc.lower(sums())
    assert told(lambda: kc.lower(sums()))  # the next build is told of again


def test_what_cannot_be_called_is_refused():
    with pytest.raises(InputError, match=r"KC4512.*progress='on'"):
        PassContext(progress="on")  # pyright: ignore[reportArgumentType]


# What is shown -----------------------------------------------------------------------------------


class Terminal:
    """A terminal as standard error, and what was written to it so far."""

    def __init__(self) -> None:
        self._master, slave = os.openpty()
        self.stream = os.fdopen(slave, "w", encoding="utf-8")
        self.text = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 1024)
            except OSError:
                return
            if not data:
                return
            self.text += data.decode()

    def attach(self) -> Terminal:
        """Make it standard error, until the test ends; in the test, as pytest sets it before."""
        sys.stderr = self.stream
        return self

    def wait_for(self, pattern: str) -> None:
        until = time.monotonic() + 5
        while not re.search(pattern, self.text):
            assert time.monotonic() < until, self.text
            time.sleep(0.005)

    def close(self) -> None:
        self.stream.close()
        self._reader.join()
        os.close(self._master)

    def lines(self) -> list[str]:
        """The lines on the screen at the end that are not empty."""
        self.stream.write("<end>\n")
        self.stream.flush()
        self.wait_for(r"<end>\s*\n")
        shown: list[str] = []
        for line in self.text.replace("\r\n", "\n").split("\n"):
            shown.append(re.sub(r"\x1b\[[0-9;]*m", "", line.split("\r\x1b[2K")[-1]))
        assert shown[-2:] == ["<end>", ""]
        return [line for line in shown[:-2] if line]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "PERIOD", 0.005)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("KC_PROGRESS", raising=False)


@pytest.fixture
def terminal(at_once: None) -> Iterator[Terminal]:
    terminal, before = Terminal(), sys.stderr
    yield terminal
    sys.stderr = before
    terminal.close()


def test_a_terminal_shows_one_line_that_goes_away(terminal: Terminal):
    terminal.attach()
    with progress.tracking("kc.build"):
        progress.note("schedule", 0.5, "schedule", "main", number=2, count=3)
        terminal.wait_for(r"kc\.build: schedule, function 2 of 3, @main, 30%, \d+\.\d s")
        progress.note("passes", 0.5, "vectorize-loop")
        terminal.wait_for(r"kc\.build: vectorize-loop, 3 functions, 70%, \d+\.\d s")
    assert terminal.lines() == []
    assert terminal.text.count("\n") == 1  # that after <end>


def test_a_remark_stands_on_a_line_of_its_own(terminal: Terminal):
    terminal.attach()
    with progress.tracking("kc.build"):
        progress.note("passes", 0.0, "cse")
        terminal.wait_for("cse")
        remark("KC3751", "a remark on the way")
        terminal.wait_for("remark on the way")
        terminal.wait_for(r"remark on the way(.|\n)*cse")
    assert terminal.lines() == ["remark[KC3751]: a remark on the way"]


def test_the_line_fits_the_terminal(terminal: Terminal, monkeypatch: pytest.MonkeyPatch):
    terminal.attach()
    monkeypatch.setenv("COLUMNS", "20")
    with progress.tracking("kc.build"):
        progress.note("passes", 0.0, "a-pass-with-a-very-long-name")
        terminal.wait_for("kc.build: a-pass")
    assert max(map(len, re.findall(r"\x1b\[2K([^\r]*)", terminal.text))) == 19


def test_a_build_shows_its_stages(terminal: Terminal):
    terminal.attach()

    @module_pass(opt_level=0)
    def talkative(mod: Any, ctx: Any) -> None:
        print("a pass", file=sys.stderr, end=" ", flush=True)
        time.sleep(0.05)  # what is shown is hidden until the pass ends
        print("of the program", file=sys.stderr)

    def wait(stage: str, module: Any) -> None:
        if stage == "convert-tir-to-scf":
            print("in between", file=sys.stderr)

    with PassContext(config={"tir.add_lower_pass": [(1, talkative)]}):
        kc.build(sums(), instrument=wait)
    assert terminal.lines() == ["a pass of the program", "in between"]
    assert "kc.build: " in terminal.text


def test_a_failed_build_leaves_nothing_behind(terminal: Terminal):
    terminal.attach()

    @progress.tracking("kc.build")
    def fail() -> None:
        progress.note("passes", 0.0, "cse")
        terminal.wait_for("cse")
        raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert terminal.lines() == []
    assert not progress._shown


def test_of_two_builds_at_once_one_is_shown(terminal: Terminal):
    terminal.attach()
    with progress.tracking("kc.build"):
        progress.note("passes", 0.0, "first")
        terminal.wait_for("first")

        def build() -> None:
            with progress.tracking("kc.lower"):
                progress.note("passes", 0.0, "second")
                time.sleep(0.05)

        thread = threading.Thread(target=build)
        thread.start()
        thread.join()
    assert "second" not in terminal.text


def test_a_fork_within_a_build_ends_without_the_thread(terminal: Terminal):
    terminal.attach()
    with progress.tracking("kc.build"):
        progress.note("passes", 0.0, "cse")
        terminal.wait_for("cse")
        child = os.fork()
        if child == 0:
            with progress.hidden():
                os._exit(7 if not progress._shown else 1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 7
        assert progress._shown


@pytest.mark.parametrize(("name", "value"), [("KC_PROGRESS", "0"), ("TERM", "dumb")])
def test_a_variable_turns_it_off(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, name: str, value: str
):
    terminal.attach()
    monkeypatch.setenv(name, value)
    with progress.tracking("kc.build"):
        progress.note("passes", 0.0, "cse")
        time.sleep(0.05)
    assert terminal.text == ""


def test_false_turns_it_off(terminal: Terminal):
    terminal.attach()
    with PassContext(progress=False):
        kc.lower(sums())
        assert progress._TRACKER.get() is None
    assert terminal.text == ""


def test_a_pipe_gets_nothing(at_once: None, monkeypatch: pytest.MonkeyPatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    before = threading.active_count()
    with progress.tracking("kc.build"):
        progress.note("passes", 0.0, "cse")
        assert threading.active_count() == before
        time.sleep(0.03)
    assert pipe.getvalue() == ""


def test_a_short_build_shows_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch):
    terminal.attach()
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    began = time.monotonic()
    with progress.tracking("kc.build"):
        progress.note("passes", 0.0, "cse")
    assert terminal.text == ""
    assert time.monotonic() - began < 30


def test_a_notebook_shows_a_bar(at_once: None, monkeypatch: pytest.MonkeyPatch):
    published: list[tuple[dict[str, str], dict[str, Any]]] = []

    def publish(data: dict[str, str], **options: Any) -> None:
        published.append((data, options))

    display = SimpleNamespace(publish=publish)
    shell = SimpleNamespace(kernel=object(), display_pub=display)
    module = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", module)  # pyright: ignore[reportArgumentType]
    with progress.tracking("kc.build"):
        progress.note("passes", 0.5, "a<b")
        until = time.monotonic() + 5
        while len(published) < 2 or "a<b" not in published[-1][0]["text/plain"]:
            assert time.monotonic() < until
            time.sleep(0.005)
    shown = published[-2][0]
    assert '<progress max="1" value="0.700"></progress> kc.build: a&lt;b, 70%' in shown["text/html"]
    assert shown["text/plain"].startswith("kc.build: a<b, 70%, ")
    options = [options for _, options in published]
    assert ["update" in it for it in options] == [False] + [True] * (len(options) - 1)
    assert len({it["transient"]["display_id"] for it in options}) == 1
    assert published[-1][0] == {"text/plain": "", "text/html": ""}
