"""``kc.instrument``: instruments that observe the passes of a lowering, as in ``tvm.instrument``.

::

    timing = kc.instrument.PassTimingInstrument()
    with kc.transform.PassContext(instruments=[timing]):
        kc.build(s, [A, B, C])
        print(timing.render())
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.analysis.verify_changes import verify_all, verify_changes
from kc.conversion.pipelines import NEEDED, OPTIONAL
from kc.support import registry
from kc.support.diagnostics import CodegenError, KCError
from kc.support.progress import Progress
from kc.tir.module import IRModule
from kc.transform import PassContext, PassInfo, info_of
from kc.transforms.pass_runner import Instrument, Pipeline, Stage, stage_of

__all__ = [
    "PassInstrument",
    "PassTimingInstrument",
    "PrintAfterAll",
    "PrintBeforeAll",
    "Progress",
    "VerifyInstrument",
    "pass_instrument",
]


class PassInstrument:
    """The base of instruments; each method may be overridden, and does nothing here.

    ``mod`` is the :class:`kc.IRModule` at that moment; ``info`` has ``name``, ``opt_level`` and
    ``required``.
    """

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def enter_pass_ctx(self) -> None:
        """Called when the ``with`` block of the context begins."""

    def exit_pass_ctx(self) -> None:
        """Called when the ``with`` block of the context ends."""

    def should_run(self, mod: IRModule, info: PassInfo) -> bool:
        """True if the pass should run. Passes that every lowering needs run anyway."""
        del mod, info
        return True

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Called before a pass."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Called after a successful pass."""


def pass_instrument(cls: type) -> type:
    """Turn a class with any of these methods into an instrument. Used as a decorator, as in TVM."""
    return cls if issubclass(cls, PassInstrument) else type(cls.__name__, (cls, PassInstrument), {})


class _Printing(PassInstrument):
    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    def _show(self, when: str, mod: IRModule, info: PassInfo) -> None:
        stream = self._stream or sys.stdout
        print(f"// -----// IR Dump {when} {info.name} //----- //\n{mod}", file=stream)


class PrintBeforeAll(_Printing):
    """Print the module before each pass, to ``stream`` (default: standard output)."""

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        self._show("Before", mod, info)


class PrintAfterAll(_Printing):
    """Print the module after each pass, to ``stream`` (default: standard output)."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        self._show("After", mod, info)


class PassTimingInstrument(PassInstrument):
    """Wall-clock time of each pass. ``times`` are (name, seconds), in the order they ran."""

    def __init__(self) -> None:
        self.times: list[tuple[str, float]] = []
        self._started: list[float] = []

    def enter_pass_ctx(self) -> None:
        self.times = []

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        self._started.append(time.perf_counter())

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        self.times.append((info.name, time.perf_counter() - self._started.pop()))

    def render(self) -> str:
        """A table with a line for each pass: name, microseconds, and share of the total time."""
        total = sum(seconds for _, seconds in self.times) or 1.0
        return "\n".join(
            f"{name}: {1e6 * seconds:.0f}us ({100 * seconds / total:.2f}%)"
            for name, seconds in self.times
        )


class VerifyInstrument(PassInstrument):
    """Verify the module after each pass. Raises CodegenError KC4508, which names the pass."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        try:
            verify_all(mod.op)
        except KCError as error:
            raise CodegenError(
                "KC4508",
                f"pass '{info.name}' leaves IR that does not verify",
                location=error.location,
                why=error.message,
                facts=error.facts,
            ) from error


@dataclass
class _Watch(Instrument):
    """Forwards the events of a pipeline to the instruments of a context."""

    module: ModuleOp
    instruments: Sequence[PassInstrument]

    def wants(self, stage: Stage) -> bool:
        mod, info = IRModule(self.module), info_of(stage.pass_)
        answers = [instrument.should_run(mod, info) for instrument in self.instruments]
        return all(answers) or not _can_be_left_out(stage)

    def before(self, stage: Stage, text: Callable[[], str]) -> None:
        for instrument in self.instruments:
            instrument.run_before_pass(IRModule(self.module), info_of(stage.pass_))

    def after(self, stage: Stage, text: Callable[[], str]) -> None:
        for instrument in self.instruments:
            instrument.run_after_pass(IRModule(self.module), info_of(stage.pass_))


def _can_be_left_out(stage: Stage) -> bool:
    return stage.name not in NEEDED and OPTIONAL.get(stage.name) is None


def run_passes(
    module: ModuleOp,
    passes: Sequence[ModulePass],
    instruments: Sequence[Instrument] = (),
    *,
    verify_input: bool = False,
) -> None:
    """Run passes on ``module`` with the pipeline of ``kc-opt``, watched by the current context.

    What passes change is verified by :mod:`kc.analysis.verify_changes`; the complete verifier
    costs as much as lowering does, and :class:`VerifyInstrument` is there for it.
    """
    watching = list(_watching(module))
    Pipeline(
        [stage_of(pass_) for pass_ in passes],
        [*instruments, *watching],
        verify_each=verify_changes,
        verify_input=verify_input,
    ).run(registry.context(), module)


def _watching(module: ModuleOp) -> Iterator[Instrument]:
    instruments: Any = PassContext.current().instruments
    if instruments:
        yield _Watch(module, instruments)


def __dir__() -> list[str]:
    return sorted(__all__)
