"""The options that a ``kc.transform.PassContext`` sets. They are here so that every layer can read
them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass


@dataclass(frozen=True)
class PipelineOptions:
    """Passes to add at each phase of lowering, and passes to skip or replace.

    ``replaced`` maps the name of a pass to its replacement; None skips the pass. ``bound_checks``:
    memory accesses are checked, and kernels have one more argument. ``poison_memory``: buffers hold
    subnormal numbers and NaN until their first store. ``reuse_workspace``: functions keep the
    memory of their buffers from call to call. ``watched``: the actions of GPU kernels are recorded
    when a CPU runs them. ``checks_launches``: launches check sizes that are not constant; None:
    only for programs whose input contains launches.
    """

    added: Mapping[int, Sequence[ModulePass]] = field(default_factory=dict)
    replaced: Mapping[str, str | None] = field(default_factory=dict)
    bound_checks: bool = False
    poison_memory: bool = False
    reuse_workspace: bool = False
    watched: bool = False
    checks_launches: bool | None = None


_CURRENT: ContextVar[PipelineOptions] = ContextVar("kc_pipeline_options")
_NONE = PipelineOptions()


def pipeline_options() -> PipelineOptions:
    """The options in use; outside of any context, the default options."""
    return _CURRENT.get(_NONE)


@contextlib.contextmanager
def using_options(options: PipelineOptions) -> Iterator[None]:
    """Use ``options`` for pipelines that are planned in this context."""
    token = _CURRENT.set(options)
    try:
        yield
    finally:
        _CURRENT.reset(token)


class StepWatcher(Protocol):
    """An observer of a module before and after each schedule primitive and each pass."""

    def before(self, module: ModuleOp) -> None:
        """Before a step."""
        ...

    def after(self, step: str, module: ModuleOp) -> None:
        """After a step that succeeded."""
        ...


_WATCHER: ContextVar[StepWatcher | None] = ContextVar("kc_step_watcher", default=None)


def step_watcher() -> StepWatcher | None:
    """The observer of steps in this context."""
    return _WATCHER.get()


@contextlib.contextmanager
def watching_steps(watcher: StepWatcher | None) -> Iterator[None]:
    """Notify ``watcher`` of each step in this context."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)
