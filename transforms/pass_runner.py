"""Execution of passes in sequence, with verification between them and with instruments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from kc.analysis.upstream import upstream_functions
from kc.analysis.verify_changes import verify_all
from kc.support import progress, registry
from kc.support.diagnostics import CodegenError, KCError, ParseError
from kc.support.ir_text import print_module
from kc.support.locations import location_of
from kc.support.options import Options, PassSpec
from kc.support.pass_context import step_watcher
from kc.support.reproducer import PassFailure
from kc.support.timer import Timer

USER = "the program"
"""The origin of passes that are Python functions of the program that runs kc."""

TE_TO_TIR = "convert-te-to-tir"
RAISE_TO_TIR = "raise-to-tir"


@dataclass(frozen=True)
class Stage:
    """A pass and its properties for the driver. ``title`` is the name of its class, for dumps."""

    name: str
    title: str
    family: str
    origin: str
    pass_: ModulePass
    from_anything: bool = False
    """True if the stage begins a pipeline that also accepts functions of upstream's dialects."""


@runtime_checkable
class Selective(Protocol):
    """A pass that can decide that it will leave a module unchanged, as it leaves most modules.

    If it decides so, the pass does not run, and the unchanged module is not verified again.
    """

    def is_needed(self, module: ModuleOp) -> bool:
        """True if ``apply`` may change the module, warn or fail."""
        ...


class Instrument:
    """An observer of a pipeline. ``text()`` is the text of the module at the time of the call."""

    def start(self, text: Callable[[], str]) -> None:
        """Called before the first stage."""

    def wants(self, stage: Stage) -> bool:
        """True if a stage should run. A stage runs if every instrument returns True."""
        del stage
        return True

    def before(self, stage: Stage, text: Callable[[], str]) -> None:
        """Called before a stage."""

    def after(self, stage: Stage, text: Callable[[], str]) -> None:
        """Called after a stage that succeeded."""


@dataclass
class Snapshot:
    """The text of the module, printed at most once between two changes."""

    module: ModuleOp
    generic: bool = False
    locations: bool = False
    _text: str | None = None

    def text(self) -> str:
        if self._text is None:
            self._text = print_module(self.module, generic=self.generic, locations=self.locations)
        return self._text

    def changed(self) -> None:
        self._text = None


@dataclass
class Pipeline:
    """Stages to run on a module."""

    stages: Sequence[Stage]
    instruments: Sequence[Instrument] = ()
    verify_each: Callable[[ModuleOp], None] | None = verify_all
    """The check of the module after each stage. The result of a pass that the program defines is
    always verified completely (KC4508).
    """
    verify_input: bool = True
    generic: bool = False
    locations: bool = False
    timer: Timer = field(default_factory=Timer)

    def run(self, context: Context, module: ModuleOp) -> None:
        """Verify the module, then run every stage and verify its result.

        Raises KCError for an error in the input, and :class:`PassFailure` for a pass that raises
        another exception or whose result does not verify.
        """
        with self.timer.section("(verify input)"):
            look = verify_all if self.verify_input else self.verify_each
            if look is not None:
                look(module)
        snapshot = Snapshot(module, self.generic, self.locations)
        for instrument in self.instruments:
            instrument.start(snapshot.text)
        for n, planned in enumerate(self.stages):
            progress.note("passes", n / len(self.stages), planned.name)
            for stage in (*implied_stages(planned, module), planned):
                self._run_stage(stage, context, module, snapshot)

    def _run_stage(
        self, stage: Stage, context: Context, module: ModuleOp, snapshot: Snapshot
    ) -> None:
        with progress.hidden():
            if not all([instrument.wants(stage) for instrument in self.instruments]):
                return
            for instrument in self.instruments:
                instrument.before(stage, snapshot.text)
        pass_ = stage.pass_
        if not isinstance(pass_, Selective) or pass_.is_needed(module):
            self._apply_and_verify(stage, context, module, snapshot)
        with progress.hidden():
            for instrument in self.instruments:
                instrument.after(stage, snapshot.text)

    def _apply_and_verify(
        self, stage: Stage, context: Context, module: ModuleOp, snapshot: Snapshot
    ) -> None:
        watcher = step_watcher()
        if watcher is not None:
            watcher.before(module)
        with self.timer.section(stage.name):
            apply_stage(stage, context, module)
        snapshot.changed()
        look = verify_all if stage.origin == USER else self.verify_each
        if look is not None:
            with self.timer.section("  (verify)"):
                try:
                    look(module)
                except KCError as error:
                    if stage.origin == USER:
                        raise _left_invalid(stage, error) from error
                    raise PassFailure(stage.name, stage.origin, invalid=True) from error
        # The changes of primitives have already been reported.
        if watcher is not None and stage.family not in ("schedule", "sched"):
            watcher.after(stage.name, module)


def apply_stage(stage: Stage, context: Context, module: ModuleOp) -> None:
    """Run one pass. Unexpected exceptions become a :class:`PassFailure`."""
    shown = progress.hidden() if stage.origin == USER else contextlib.nullcontext()
    try:
        with shown:
            stage.pass_.apply(context, module)
    except KCError:
        raise
    except DiagnosticException as error:
        if stage.origin == "kc":
            raise PassFailure(stage.name, stage.origin) from error
        raise ParseError(
            "KC1102",
            f"{stage.name}: {' '.join(str(error).split()) or 'it failed'}",
            location=location_of(module),
        ) from error
    except (Exception, SystemExit) as error:
        if stage.origin == USER:
            raise  # an error of the user's own code keeps its traceback
        raise PassFailure(stage.name, stage.origin) from error


def make_stages(specs: Sequence[PassSpec]) -> list[Stage]:
    """The stages of passes that are referenced by name; a pass of several steps has several
    stages.
    """
    return [stage for spec in specs for stage in _make(spec)]


def _make(spec: PassSpec) -> Iterator[Stage]:
    entry = registry.find_pass(spec.name)
    pass_ = registry.get_pass(spec.name, spec.options)
    steps = getattr(pass_, "stages", None)
    if steps is None:
        title = registry.pass_class(spec.name).__name__
        yield Stage(entry.name, title, entry.family, entry.origin, pass_)
        return
    for number, step in enumerate(steps()):
        yield replace(stage_of(step), from_anything=number == 0)


def stage_of(pass_: ModulePass) -> Stage:
    """The stage of a pass, with its family and origin from the registry."""
    title = type(pass_).__name__
    if getattr(pass_, "of_user", False):
        return Stage(pass_.name, title, "plugin", USER, pass_)
    entry = registry.find_pass(pass_.name)
    return Stage(pass_.name, title, entry.family, entry.origin, pass_)


def _left_invalid(stage: Stage, error: KCError) -> KCError:
    return CodegenError(
        "KC4508",
        f"pass '{stage.name}' leaves IR that does not verify",
        location=error.location,
        why=error.message,
        facts=error.facts,
    )


def implied_stages(stage: Stage, module: ModuleOp) -> Iterator[Stage]:
    """The stages that must run first. Scheduling works on ``tir``, so ``te`` functions are lowered
    and upstream dialects are raised; pipelines of code generation raise the functions that they
    cannot lower.
    """
    if stage.from_anything and upstream_functions(module):
        yield from _make(PassSpec(RAISE_TO_TIR, Options()))
    if stage.family not in ("schedule", "sched", "chosen"):
        return
    if any(op.name == "te.func" for op in module.body.ops):
        yield from _make(PassSpec(TE_TO_TIR, Options()))
    if upstream_functions(module, loops=True):
        yield from _make(PassSpec(RAISE_TO_TIR, Options()))
