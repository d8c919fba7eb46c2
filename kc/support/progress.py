"""The progress of builds, for a terminal, a notebook or a callback.

A call that may take long (``kc.lower``, ``kc.build``, ``kc.auto_schedule``) runs within
:func:`tracking`, and the code that it runs calls :func:`note`. After :data:`PATIENCE` seconds a
terminal shows a line, which is removed at the end, and a notebook shows a bar. ``KC_PROGRESS=0``
turns both off. Nothing is shown if standard error is not a terminal.
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
"""The time, in seconds, before the progress of a build is shown."""

PERIOD = 0.25
"""The time, in seconds, between two updates of the display."""

Phase = Literal["schedule", "passes", "code"]

SHARES: dict[Phase, float] = {"schedule": 0.6, "passes": 0.2, "code": 0.2}
"""The approximate shares of a build's time that its phases take, for a chain of products."""

KERNELS = (0.1, 0.9)
"""The part of a graph's build, from and to, in which its kernels are made."""


@dataclass(frozen=True)
class Progress:
    """The state of a build at one moment."""

    call: str
    """The tracked call: ``"kc.build"``."""
    stage: str
    """``"te"``, ``"schedule"``, the name of a pass, or ``"LLVM"``."""
    function: str | None
    """The function that the stage processes; None if it processes all functions at once."""
    number: int
    """The number of this function, from 1; 0 if there is no such function."""
    count: int
    """The number of functions of the module; 0 while it is unknown."""
    fraction: float
    """The estimated part of the build that is done, from 0 to 1; it never decreases."""
    seconds: float
    """Seconds since the build began."""
    unit: str = "function"
    """The things that are counted: functions, or the kernels of a graph."""

    def __str__(self) -> str:
        parts = [f"{self.call}: {self.stage}"]
        if self.function is not None:
            parts.append(f"{self.unit} {self.number} of {self.count}, @{self.function}")
        elif self.count:
            parts.append(counted(self.count, self.unit))
        return ", ".join([*parts, f"{self.fraction:.0%}", f"{self.seconds:.1f} s"])


Callback = Callable[[Progress], object]


class _Display(Protocol):
    """A display of progress, in which each state replaces the previous one."""

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
        # The stream is closed or full, so nothing can be shown.
        with contextlib.suppress(OSError, ValueError):
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
    """The display of this process."""
    if read("KC_PROGRESS") == "0":
        return None
    if in_notebook():
        return _Bar()
    if sys.stderr is None or not sys.stderr.isatty() or read("TERM") == "dumb":
        return None
    return _Line()


class _Ticker:
    """A thread that shows the progress of a tracker after a delay."""

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
        self._unit = "function"
        self._range = (0.0, 1.0)
        """The parts of the build that notes are about, from and to."""
        self._kernel: tuple[str, int, int] | None = None
        self.ticker: _Ticker | None = None

    def note(
        self, phase: Phase, part: float, stage: str, function: str | None, number: int, count: int
    ) -> None:
        start, share = self._starts.get(phase, (1.0, 0.0))
        low, high = self._range
        self._fraction = max(self._fraction, low + (high - low) * min(1.0, start + share * part))
        if self._kernel is not None:
            function, number, count = self._kernel
        self._state = (stage, function, number, count or self._state[3])
        if self._callback is not None:
            with hidden():
                self._callback(self.progress())

    @contextlib.contextmanager
    def kernel(self, name: str, number: int, count: int) -> Iterator[None]:
        before, self._kernel = self._kernel, (name, number, count)
        self._unit = "kernel"
        low, high = KERNELS
        each = (high - low) / count
        with self.part(low + each * (number - 1), low + each * number):
            yield
        self._kernel = before

    @contextlib.contextmanager
    def part(self, low: float, high: float) -> Iterator[None]:
        self._range = low, high
        yield
        self._range = high, 1.0

    def progress(self) -> Progress:
        seconds = time.perf_counter() - self._began
        return Progress(self._call, *self._state, self._fraction, seconds, self._unit)


_TRACKER: ContextVar[_Tracker | None] = ContextVar("kc_progress", default=None)

_LOCK = fork_lock()
_shown: list[_Tracker] = []
"""The build whose progress is shown: the first one of several concurrent builds."""


def _show(tracker: _Tracker) -> bool:
    """Show a build, unless another build is shown or there is no display. True if it is shown."""
    display = _display()
    with _LOCK:
        if display is None or _shown:
            return False
        _shown.append(tracker)
    tracker.ticker = _Ticker(tracker, display)
    return True


def _end(tracker: _Tracker) -> None:
    """Stop showing a build."""
    ticker, tracker.ticker = tracker.ticker, None
    if ticker is not None:
        ticker.end()
        with _LOCK:
            _shown.clear()


@in_child
def _forget_shown() -> None:
    """Reset the display in the child of a fork, which has no display threads."""
    for tracker in _shown:
        tracker.ticker = None
    _shown.clear()


@contextlib.contextmanager
def tracking(
    call: str,
    callback: Callback | Literal[False] | None = None,
    phases: Sequence[Phase] = ("schedule", "passes", "code"),
) -> Iterator[None]:
    """Show the progress of the work in this context, or report it to ``callback``.

    ``callback`` False: neither. ``phases`` are the phases of the call. Of nested calls, only the
    outermost is tracked.
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
    """Record that a build has reached ``part`` (0 to 1) of a phase, and its current work. For
    ``function``, ``number`` and ``count`` see :class:`Progress`. Outside of a build this has no
    effect.
    """
    tracker = _TRACKER.get()
    if tracker is not None:
        tracker.note(phase, part, stage, function, number, count)


@contextlib.contextmanager
def part(low: float, high: float) -> Iterator[None]:
    """The work in this context is the part of a build from ``low`` to ``high`` (0 to 1)."""
    tracker = _TRACKER.get()
    if tracker is None:
        yield
        return
    with tracker.part(low, high):
        yield


@contextlib.contextmanager
def kernel(name: str, number: int, count: int) -> Iterator[None]:
    """The work in this context is on one of the kernels of a graph: what it notes is a part of the
    part that each kernel has of the build."""
    tracker = _TRACKER.get()
    if tracker is None or count < 1:
        yield
        return
    with tracker.kernel(name, min(number, count), count):
        note("schedule", 0.0, "schedule")
        yield


@contextlib.contextmanager
def hidden() -> Iterator[None]:
    """Hide the display while other code may write to the terminal."""
    tracker = _TRACKER.get()
    ticker = None if tracker is None else tracker.ticker
    if ticker is None:
        yield
        return
    with ticker.hidden():
        yield
