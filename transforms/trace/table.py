"""The mapping from the handles of a schedule to operations and values, updated as primitives
rewrite the module.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import Location, ScheduleError, suggest
from kc.support.target import Target
from kc.transforms.schedule.base import (
    CALL_SITE,
    BlockRef,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
)
from kc.transforms.trace.handles import BlockRV, Handle, LoopRV, Mark

Meaning = ForOp | BlockOp | func.FuncOp | Mark
"""The target of a handle. The block "root" refers to the whole function, like TVM's root block."""

ROOT = "root"


class Handles:
    """A module that is being scheduled, and the handles on its loops and blocks."""

    def __init__(self, module: ModuleOp, target: Target) -> None:
        self.module = module
        self.target = target
        self.table: dict[Handle, Meaning] = {}
        """The loop, block or place of each handle."""
        self.gone: dict[Handle, str] = {}
        """The reasons why handles are no longer valid."""
        self.working: str | None = None
        """The function in which names are looked up by default; None for the usual rules of
        :meth:`function`.
        """
        self._handles: dict[Operation, list[Handle]] = {}
        self._sites: dict[func.FuncOp, Site] = {}

    # What handles mean ---------------------------------------------------------------------

    def loop(self, handle: Any) -> ForOp:
        """The loop of a handle. Raises KC3123, KC3124, KC3125 or KC3708."""
        target = self.find_loop(handle)
        if isinstance(target, Mark):
            raise refused(
                "KC3708",
                f"{handle.label} is a place to compute at, not a loop",
                why=f"the sampled choice is: {target.value}",
                hints=["compute_at and reverse_compute_at take it"],
            )
        assert isinstance(target, ForOp)
        return target

    def find_loop(self, handle: Any) -> ForOp | Mark:
        """The loop of a handle, or a sampled place that is not a loop."""
        target = self._find(handle, LoopRV)
        assert not isinstance(target, BlockOp | func.FuncOp)
        return target

    def block(self, handle: Any) -> BlockOp:
        """The block of a handle. Raises KC3125, KC3126, KC3127 or KC3716."""
        target = self._find(handle, BlockRV)
        if isinstance(target, func.FuncOp):
            raise root_is_no_block(target)
        assert isinstance(target, BlockOp)
        return target

    def block_or_root(self, handle: Any) -> BlockOp | func.FuncOp:
        """The block of a handle, or the function if the handle refers to its root."""
        target = self._find(handle, BlockRV)
        assert isinstance(target, BlockOp | func.FuncOp)
        return target

    def _find(self, handle: Any, kind: type[Handle]) -> Meaning:
        noun = kind.kind
        if not isinstance(handle, kind):
            hint = "get_loops(block) gives the loops" if kind is LoopRV else "get_block(name)"
            raise refused(
                "KC3123" if kind is LoopRV else "KC3126",
                f"{type(handle).__name__} is not a {noun}",
                hints=[f"sch.{hint}" + ("" if kind is LoopRV else " gives a block")],
            )
        target = self.table.get(handle)
        if isinstance(target, Mark):
            return target
        if target is None and handle in self.gone:
            raise refused(
                "KC3124" if kind is LoopRV else "KC3127",
                f"the {noun} {handle.label} is gone",
                why=self.gone[handle],
            )
        if target is None or not loop_tree.is_inside(target, self.module):
            raise refused(
                "KC3125",
                f"the {noun} {handle.label} is not in this schedule's module",
                why="a schedule works on its own copy of the module",
                hints=["take the handles of the schedule that is rewritten"],
            )
        return target

    def _ref(self, handle: Handle) -> LoopRef | BlockRef:
        if isinstance(handle, BlockRV):
            return BlockRef(self.block_or_root(handle))
        return LoopRef(self.loop(handle))

    def bind(
        self, handle: Handle, target: Meaning | None, gone: str = "it was not created"
    ) -> None:
        """Let ``handle`` refer to ``target``. If ``target`` is None, the handle is invalid for the
        reason ``gone``.
        """
        self.gone.pop(handle, None)
        if target is None:
            self.table.pop(handle, None)
            self.gone[handle] = gone
            return
        self.table[handle] = target
        if not isinstance(target, Mark):
            self._handles.setdefault(target, []).append(handle)

    def forget(self, handle: Handle) -> None:
        """Remove a handle."""
        target = self.table.pop(handle, None)
        self.gone.pop(handle, None)
        if target is not None and not isinstance(target, Mark):
            handles = self._handles[target]
            handles.remove(handle)
            if not handles:
                del self._handles[target]

    def handle(self, op: Meaning) -> Handle:
        """A new handle on ``op``."""
        if isinstance(op, Mark):
            handle: Handle = LoopRV(op.name.lower(), self)
        elif isinstance(op, func.FuncOp):
            handle = BlockRV(ROOT, self)
        else:
            handle = (LoopRV if isinstance(op, ForOp) else BlockRV)(op.label, self)
        self.bind(handle, op)
        return handle

    def handles_on(self, op: Operation) -> list[Handle]:
        """The handles that refer to ``op``."""
        return list(self._handles.get(op, ()))

    def handle_of(self, op: ForOp | BlockOp) -> Handle:
        """A handle on ``op``: an existing one if there is one."""
        names = self._handles.get(op)
        return names[0] if names else self.handle(op)

    def replace(self, step: Primitive, done: Rewritten, location: Location | None) -> None:
        """Update the handles of replaced loops and blocks. Record the reason for each handle that
        becomes invalid.
        """
        at = f" at {location}" if location else ""
        fates = step.fates(done)
        for old, new in done.replaced.items():
            if old not in fates:
                for handle in self._handles.pop(old, []):
                    self.bind(handle, new[0])
        for op, fate in fates.items():
            for handle in self._handles.pop(op, []):
                self.bind(handle, None, f"{fate}{at}")

    # The program ---------------------------------------------------------------------------

    def function(self, name: str | None) -> func.FuncOp:
        """The function with a name. If no name is passed, the only function, or ``main``; the only
        function is also found as ``main``. Raises KC3122.
        """
        functions = loop_tree.kernels(self.module)
        function_name = name if name is not None else self.working
        if function_name in (None, "main") and len(functions) == 1:
            return functions[0]
        for function in functions:
            if function.sym_name.data == (function_name if function_name is not None else "main"):
                return function
        names = [function.sym_name.data for function in functions]
        raise refused(
            "KC3122",
            f"there is no function '{function_name}'"
            if function_name
            else f"there are {len(functions)} functions",
            hints=suggest(function_name or "main", names, "the functions are"),
        )

    def function_with(self, block: str, name: str | None) -> func.FuncOp:
        """The function with a name. If no name is passed, the only function that contains the
        block, or the result of :meth:`function`.
        """
        if name is None and self.working is None:
            having = [
                function
                for function in loop_tree.kernels(self.module)
                if block in self.site(function).blocks
            ]
            if len(having) == 1:
                return having[0]
        return self.function(name)

    def site(self, function: func.FuncOp) -> Site:
        """The site in ``function`` at which primitives work."""
        site = self._sites.get(function)
        if site is None:
            site = self._sites[function] = Site(function, self.target)
        return site


def root_is_no_block(function: func.FuncOp) -> ScheduleError:
    """The refusal to apply an operation on blocks to a whole function."""
    names = ", ".join(block.label for block in loop_tree.blocks(function))
    return refused(
        "KC3716",
        f"the root of @{function.sym_name.data} is not a block",
        why="it stands for the whole function: get_child_blocks and get_output_blocks take it",
        hints=[f"the blocks are: {names}"] if names else [],
    )


def refused(code: str, message: str, **details: Any) -> ScheduleError:
    return ScheduleError(code, message, location=CALL_SITE.get(), **details)
