"""Backends: how modules are compiled for the kinds of target, one entry each in the registry.

A backend is a :class:`Backend`: the pipeline that lowers for it, the function that makes a
:class:`kc.runtime.Module` of a :class:`Build`, and the device that its kernels run on. Those of kc
are ``kc.backends.llvm`` and ``kc.backends.c``; plugins add others (``Plugin.backends``). What
``kc-translate --to`` writes and what ``kc.runtime.load_module`` reads are tables of their own
(``formats`` and ``loaders``), as a format need not be of one kind of target.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from kc.analysis.module_copy import copy_module
from kc.building.signatures import signatures_of
from kc.conversion._access_bounds import require_accesses_inside
from kc.conversion.pipelines import Order, planned_passes
from kc.instrument import run_passes
from kc.runtime.module import Module, Source
from kc.support import registry
from kc.support.diagnostics import TargetError, suggest, warn
from kc.support.ir_text import print_module
from kc.support.locations import caller_location
from kc.support.pass_context import pipeline_options, using_options
from kc.support.target import Target
from kc.transform import PassContext
from kc.transforms.pass_runner import Instrument, Stage

__all__ = ["Backend", "Build", "Callback", "Part", "Stages", "backend_of"]

Stages = Sequence[tuple[str, ModuleOp]]
Callback = Callable[[str, ModuleOp], None]


@dataclass(frozen=True)
class Backend:
    """The compilation of modules for targets of a kind.

    ``pipeline`` has the names of passes, with the numbers of the lowering phases among them, where
    hooks and the passes of a PassContext run (:mod:`kc.conversion.pipelines`). ``build`` makes the
    module that is called. ``device`` is the name of the device that runs its kernels, as for
    :func:`kc.device`.
    """

    pipeline: Order
    build: Callable[[Build], Module]
    device: str = "cpu"


@dataclass(frozen=True)
class Part:
    """Code that was compiled by itself: LLVM IR, and an object that defines ``symbol``."""

    symbol: str
    text: str
    exports: Sequence[str]
    object: bytes


@dataclass(frozen=True)
class Build:
    """A build: the scheduled loops that a backend compiles for a target.

    ``stages`` are the modules on the way to the loops, which are the last one; ``name`` is the
    function that a call of the module calls, if there is one of that name. ``callback`` is told
    of each pass. ``device`` is the target that passes see, where its kernels run on another one.
    ``is_quick``: what is made runs a few times, and nobody asks for the stages in between.
    """

    stages: Stages
    target: Target
    name: str
    callback: Callback | None
    backend: Backend
    device: Target | None = None
    is_quick: bool = False
    tables: Mapping[str, Any] = field(default_factory=dict)
    """Arrays of the elements of globals that are external (``kc.external``), by their names."""
    parts: Mapping[str, Part] = field(default_factory=dict)
    """The code of functions that the loops only declare, by their names."""

    @property
    def loops(self) -> ModuleOp:
        """The scheduled loops (``tir``)."""
        return self.stages[-1][1]

    @cached_property
    def signatures(self) -> tuple[Any, ...]:
        """The signatures of the functions, as :class:`kc.runtime.signature.Signature`."""
        return tuple(signatures_of(self.loops, self.device or self.target))

    @cached_property
    def entry(self) -> str:
        """The name of the function that a call of the module calls."""
        names = [signature.name for signature in self.signatures]
        return self.name if self.name in names else names[0]

    def sources(self) -> dict[str, Source]:
        """The texts of the stages, by kind: ``te`` and ``tir``."""
        return {kind: printing(module) for kind, module in self.stages}

    def lowered(
        self,
        snapshots: Mapping[str, str] | None = None,
        *,
        checked: bool = False,
        callback: Callback | None = None,
    ) -> tuple[ModuleOp, dict[str, Source]]:
        """A copy of the loops after the pipeline, with the texts from before some of its passes.

        ``snapshots`` maps the name of a pass to the kind of source that its input is. ``checked``:
        accesses to memory have bound checks. ``callback`` is told of the passes, in place of the
        build's own.
        """
        from kc.backends.signature_check import check_signatures

        module = copy_module(self.loops)
        sources: dict[str, Source] = {}
        watch = _Snapshots(module, snapshots or {}, callback or self.callback, sources)
        poisoned = PassContext.current().poison_memory
        options = replace(pipeline_options(), bound_checks=checked, poison_memory=poisoned)
        require_accesses_inside(module)
        target = self.device or self.target
        with target, using_options(options):  # passes ask target_of(module)
            run_passes(module, planned_passes(self.backend.pipeline, target.kind), [watch])
        check_signatures(self.signatures, module, checked=checked)
        return module, sources


def __dir__() -> list[str]:
    return sorted(__all__)


def backend_of(target: Target) -> Backend:
    """The backend for a target's kind. Raises TargetError KC6011 if there is none."""
    entries = registry.current().backends
    entry = entries.get(target.kind)
    if entry is None:
        raise TargetError(
            "KC6011",
            f"no backend compiles for targets of the kind {target.kind}",
            facts=[f"the target: {target}"],
            hints=suggest(target.kind, entries, "the supported kinds are"),
        )
    return entry.load()


def printing(module: ModuleOp) -> Callable[[], str]:
    """A function that prints ``module`` on demand."""
    return lambda: print_module(module)


def warn_unchecked(target: Target) -> None:
    """Warn (KC5272) that kernels have no bound checks, although the PassContext requests them."""
    if PassContext.current().bound_checks:
        warn(
            "KC5272",
            f"the kernels have no bound checks: the target is {target}",
            location=caller_location(),
            why="bound checks require code that LLVM compiles for this machine",
        )


@dataclass
class _Snapshots(Instrument):
    """Keeps copies of the module before some stages, and reports each stage to a callback."""

    module: ModuleOp
    source_kinds: Mapping[str, str]
    callback: Callback | None
    sources: dict[str, Source]

    def before(self, stage: Stage, text: Callable[[], str]) -> None:
        kind = self.source_kinds.get(stage.name)
        if kind is not None:
            self.sources[kind] = printing(copy_module(self.module))

    def after(self, stage: Stage, text: Callable[[], str]) -> None:
        if self.callback is not None:
            self.callback(stage.name, self.module)
