"""The progress of builds: what is being done, for a terminal, a notebook or a function.

A call that may take long (``kc.lower``, ``kc.build``, ``kc.auto_schedule``) is made within
:func:`tracking`, and what it does calls :func:`note`. After :data:`PATIENCE` seconds a terminal
shows a line, which is removed in the end, and a notebook a bar; ``KC_PROGRESS=0`` turns both off.
Nothing is shown where standard error is no terminal.
"""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, Protocol

from kc.support.diagnostics import Diagnostic, counted, current_handler, diagnostic_handler
from kc.support.environment import read
from kc.support.forks import fork_lock, in_child
from kc.support.ipython import in_notebook, publish

PATIENCE = 2.0
"""Seconds that a build takes before anything is shown."""

PERIOD = 0.25
"""Seconds between two updates of what is shown."""

Phase = Literal["schedule", "passes", "code"]

SHARES: dict[Phase, float] = {"schedule": 0.6, "passes": 0.2, "code": 0.2}
"""The shares of a build's time that its phases take, roughly: those of a chain of products."""


@dataclass(frozen=True)
class Progress:
    """The state of a build at one moment."""

    call: str
    """The call that takes the time: ``"kc.build"``."""
    stage: str
    """``"te"``, ``"schedule"``, the name of a pass, or ``"LLVM"``."""
    function: str | None
    """The function that the stage works on; None if it works on all of them at once."""
    number: int
    """The number of this function among them, from 1; 0 if there is no such function."""
    count: int
    """The functions of the module; 0 while they are not known."""
    fraction: float
    """The estimated part of the build that is done, from 0 to 1; it never decreases."""
    seconds: float
    """Seconds since the build began."""

    def __str__(self) -> str:
        parts = [f"{self.call}: {self.stage}"]
        if self.function is not None:
            parts.append(f"function {self.number} of {self.count}, @{self.function}")
        elif self.count:
            parts.append(counted(self.count, "function"))
        return ", ".join([*parts, f"{self.fraction:.0%}", f"{self.seconds:.1f} s"])


Callback = Callable[[Progress], object]


class _Display(Protocol):
    """A place where progress is shown, one state in the place of the one before."""

    def show(self, progress: Progress) -> None: ...

    def clear(self) -> None: ...


class _Line:
    """The last line of a terminal."""

    def __init__(self) -> None:
        self._is_shown = False

    def show(self, progress: Progress) -> None:
        import shutil

        width = shutil.get_terminal_size().columns - 1
        self._put(f"\r\x1b[2K{str(progress)[:width]}")
        self._is_shown = True

    def clear(self) -> None:
        if self._is_shown:
            self._put("\r\x1b[2K")
        self._is_shown = False

    def _put(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # closed or full: nobody is left to be told
            if sys.stderr is not None:
                print(text, file=sys.stderr, end="", flush=True)


class _Bar:
    """A bar in the output of a notebook's cell."""

    def __init__(self) -> None:
        self._id = f"kc-progress-{id(self)}-{time.time_ns()}"
        self._is_shown = False

    def show(self, progress: Progress) -> None:
        from html import escape

        text = str(progress)
        bar = f'<progress max="1" value="{progress.fraction:.3f}"></progress> {escape(text)}'
        publish(text, bar, display_id=self._id, is_update=self._is_shown)
        self._is_shown = True

    def clear(self) -> None:
        if self._is_shown:
            publish("", "", display_id=self._id, is_update=True)


def _display() -> _Display | None:
    """The place where this process shows progress."""
    if read("KC_PROGRESS") == "0":
        return None
    if in_notebook():
        return _Bar()
    if sys.stderr is None or not sys.stderr.isatty() or read("TERM") == "dumb":
        return None
    return _Line()


class _Ticker:
    """Shows the progress of a tracker from a thread of its own, after a while."""

    def __init__(self, tracker: _Tracker, display: _Display) -> None:
        self._tracker = tracker
        self._display = display
        self._lock = fork_lock()
        self._ended = threading.Event()
        self._hidden = 0
        # Notebooks know by context variables which cell an output belongs to.
        run = contextvars.copy_context().run
        self._thread = threading.Thread(target=run, args=(self._run,), daemon=True)
        self._thread.start()

    def _run(self) -> None:
        wait = PATIENCE
        while not self._ended.wait(wait):
            wait = PERIOD
            with self._lock:
                if not self._hidden and not self._ended.is_set():
                    self._display.show(self._tracker.progress())

    @contextlib.contextmanager
    def hidden(self) -> Iterator[None]:
        with self._lock:
            self._hidden += 1
            self._display.clear()
        try:
            yield
        finally:
            with self._lock:
                self._hidden -= 1

    def end(self) -> None:
        self._ended.set()
        self._thread.join()
        self._display.clear()


class _Tracker:
    """The state of a build."""

    def __init__(self, call: str, callback: Callback | None, phases: Sequence[Phase]) -> None:
        self._call = call
        self._callback = callback
        whole = sum(SHARES[phase] for phase in phases)
        self._starts: dict[str, tuple[float, float]] = {}
        before = 0.0
        for phase in phases:
            share = SHARES[phase] / whole
            self._starts[phase] = (before, share)
            before += share
        self._began = time.perf_counter()
        self._state: tuple[str, str | None, int, int] = ("te", None, 0, 0)
        self._fraction = 0.0
        self.ticker: _Ticker | None = None

    def note(
        self, phase: Phase, part: float, stage: str, function: str | None, number: int, count: int
    ) -> None:
        start, share = self._starts.get(phase, (1.0, 0.0))
        self._fraction = max(self._fraction, min(1.0, start + share * part))
        self._state = (stage, function, number, count or self._state[3])
        if self._callback is not None:
            with hidden():
                self._callback(self.progress())

    def progress(self) -> Progress:
        seconds = time.perf_counter() - self._began
        return Progress(self._call, *self._state, self._fraction, seconds)


_TRACKER: ContextVar[_Tracker | None] = ContextVar("kc_progress", default=None)

_LOCK = fork_lock()
_shown: list[_Tracker] = []
"""The build whose progress is shown: of several at once the first one."""


def _show(tracker: _Tracker) -> bool:
    """Show a build, unless another one is shown or there is no place; whether it is."""
    display = _display()
    with _LOCK:
        if display is None or _shown:
            return False
        _shown.append(tracker)
    tracker.ticker = _Ticker(tracker, display)
    return True


def _end(tracker: _Tracker) -> None:
    """Show a build no longer."""
    ticker, tracker.ticker = tracker.ticker, None
    if ticker is not None:
        ticker.end()
        with _LOCK:
            _shown.clear()


@in_child
def _forget_shown() -> None:
    """The child of a fork has none of the threads that show something."""
    for tracker in _shown:
        tracker.ticker = None
    _shown.clear()


@contextlib.contextmanager
def tracking(
    call: str,
    callback: Callback | Literal[False] | None = None,
    phases: Sequence[Phase] = ("schedule", "passes", "code"),
) -> Iterator[None]:
    """Show the progress of what is done in this context, or tell ``callback`` of it.

    ``callback`` False: neither. ``phases`` are those that the call goes through. Of calls within
    each other the outermost is tracked.
    """
    if _TRACKER.get() is not None:
        yield
        return
    tracker = _Tracker(call, callback or None, phases)
    token = _TRACKER.set(tracker)
    try:
        if callback is not None or not _show(tracker):
            yield
            return
        outer = current_handler()

        def tell(diagnostic: Diagnostic) -> None:
            with hidden():
                outer(diagnostic)

        with diagnostic_handler(tell):
            yield
    finally:
        _end(tracker)
        _TRACKER.reset(token)


def note(
    phase: Phase,
    part: float,
    stage: str,
    function: str | None = None,
    number: int = 0,
    count: int = 0,
) -> None:
    """Note that a build has come to ``part`` (0 to 1) of a phase, and what it does now; for
    ``function``, ``number``, ``count`` see :class:`Progress`. Outside of a build nothing is done.
    """
    tracker = _TRACKER.get()
    if tracker is not None:
        tracker.note(phase, part, stage, function, number, count)


@contextlib.contextmanager
def hidden() -> Iterator[None]:
    """Remove what is shown while something else may write to the terminal."""
    tracker = _TRACKER.get()
    ticker = None if tracker is None else tracker.ticker
    if ticker is None:
        yield
        return
    with ticker.hidden():
        yield
