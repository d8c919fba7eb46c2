"""The options that a ``kc.transform.PassContext`` sets, where every layer can read them."""

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
    """Passes to add at each phase of lowering, and passes to leave out or replace.

    ``replaced`` maps the name of a pass to the one that runs in its place; None: nothing does.
    ``bound_checks``: accesses to memory are checked, and kernels have one more argument.
    ``poison_memory``: buffers hold subnormal numbers and NaN until something is stored to them.
    ``reuse_workspace``: functions keep the memory of their buffers from call to call.
    ``watched``: what kernels of a GPU do is watched, where a CPU runs them.
    ``checks_launches``: their launches check sizes that are not constant; None: where the program
    is given with launches.
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
    """The options in use; those that change nothing outside of any context."""
    return _CURRENT.get(_NONE)


@contextlib.contextmanager
def using_options(options: PipelineOptions) -> Iterator[None]:
    """Make pipelines that are planned in this context follow ``options``."""
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
    """Show each step in this context to ``watcher``."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)
