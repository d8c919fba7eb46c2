"""A schedule under construction by rules: primitives by name, and an undo of refused steps.

A draft works on one function of a :class:`~kc.transforms.trace.session.Session`, so the trace has
all calls of the rules, as if a user had called the primitives one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kc.analysis import loop_tree
from kc.dialects.tir import BlockOp, ForKind, ForOp
from kc.support.declarations import Slot
from kc.support.diagnostics import Diagnostic, ScheduleError
from kc.transforms.auto_schedule.machine import Machine
from kc.transforms.auto_schedule.nests import Nest, is_begun, iterations
from kc.transforms.auto_schedule.undo import Mark, Undo
from kc.transforms.schedule.base import BlockRef
from kc.transforms.trace.binding import Binder
from kc.transforms.trace.handles import BlockRV, Handle, LoopRV
from kc.transforms.trace.queries import GetBlock, GetLoop, GetLoops
from kc.transforms.trace.reading import find_step
from kc.transforms.trace.session import Session


class Draft:
    """The schedule of one function under construction. Primitives are methods, with the arguments
    of those of ``kc.tir.Schedule``. A refused primitive raises ScheduleError and changes nothing.
    """

    def __init__(self, session: Session, function: str) -> None:
        self.session = session
        self.function_name = function
        self.machine = Machine.of(session.target)
        self.settled: set[str] = set()
        """The names of the blocks that a rule has scheduled."""
        self.versions: dict[str, int] = {}
        """The blocks that run only if numbers are large enough, each with the exponent of the
        smallest magnitude.
        """
        self.remarks: list[Diagnostic] = []
        """Remarks for the user about the choices."""
        self._blocks: dict[str, BlockRV] = {}
        self._refused: set[tuple] = set()
        self._changes = 0
        """The number of changes so far."""
        self._nests: dict[str, tuple[object | None, Nest]] = {}
        """The nests read so far, each with the state of the program in which it was read."""
        self.results: dict[Any, Any] = {}
        """Results of analyses of the program, since the last change."""
        several = len(loop_tree.kernels(session.module)) > 1
        session.working = function if several else None
        self.function = session.function(function)
        self._undo = Undo(session, self.function)
        self.begun = frozenset(block.label for block in self.blocks() if is_begun(block))
        """The names of the blocks whose schedule a user has begun."""

    # The program ---------------------------------------------------------------------------

    def blocks(self) -> list[BlockOp]:
        """The outermost blocks of the function, in program order."""
        return self.session.site(self.function).outer_blocks()

    def untouched_loops(self) -> list[ForOp]:
        """The outermost loops without any bound, vectorized, parallel or unrolled part."""
        return [
            op
            for op in self.function.body.block.ops
            if isinstance(op, ForOp)
            and all(loop.kind.data is ForKind.SERIAL for loop in loop_tree.loops(op))
        ]

    def loop(self, op: ForOp) -> LoopRV:
        """A handle on a loop: around the first block in the loop, if it contains one."""
        options: dict[str, Any] = {"loop": op.label}
        blocks = loop_tree.blocks(op)
        if blocks:
            options["block"] = self.block(blocks[0].label)
        handle = self.session.perform(GetLoop, options).outputs[0]
        assert isinstance(handle, LoopRV)
        return handle

    def nest(self, name: str) -> Nest:
        """The current nest of the block ``name``."""
        site = self.session.site(self.function)
        block = site.resolve_block(BlockRef(name))
        around = site.nest_of(block)
        state = None if around is None else site.state_of(around)
        cached = self._nests.get(name)
        if cached is not None and state is not None and cached[0] is state:
            return cached[1]
        nest = Nest(block)
        self._nests[name] = state, nest
        return nest

    def block(self, name: str) -> BlockRV:
        """A handle on the block ``name``."""
        handle = self._blocks.get(name)
        if handle is None or handle not in self.session.table:
            handle = self.session.perform(GetBlock, {"block": name}).outputs[0]
            assert isinstance(handle, BlockRV)
            self._blocks[name] = handle
        return handle

    def loops(self, name: str, outer: int = 0) -> dict[ForOp, LoopRV]:
        """Handles on the loops around the block ``name`` inside of the ``outer`` outermost ones,
        outermost first.
        """
        outputs = self.session.perform(GetLoops, {"block": self.block(name)}).outputs
        handles = [handle for handle in outputs if isinstance(handle, LoopRV)][outer:]
        return {self.session.loop(handle): handle for handle in handles}

    # Primitives ----------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            step = find_step(name)
            arguments = Binder(step, self._resolve).bind(args, kwargs)
            outputs = self.session.perform(step, arguments).outputs
            self._forget()  # a refused primitive leaves the program unchanged
            gives = step.gives
            if gives == "nothing":
                return None
            return list(outputs) if gives.endswith("s") else (outputs[0] if outputs else None)

        return call

    def attempt(self, name: str, *args: Any, **kwargs: Any) -> bool:
        """Call a primitive whose result is not needed. Returns False if it was refused.

        Statements of one loop make the same requests. A refusal is cached until the next change.
        """
        call = self._asked(name, args, kwargs)
        if call is not None and call in self._refused:
            return False
        try:
            getattr(self, name)(*args, **kwargs)
        except ScheduleError:
            if call is not None:
                self._refused.add(call)
            return False
        return True

    def _asked(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple | None:
        """A primitive with the objects that its handles refer to, and the state of the program;
        None if a handle is invalid.
        """
        try:
            means = tuple(
                self.session.find_loop(value)
                if isinstance(value, LoopRV)
                else self.session.block(value)
                if isinstance(value, BlockRV)
                else value
                for value in (*args, *kwargs.values())
            )
            hash(means)
        except (ScheduleError, TypeError):
            return None
        return (name, self._changes, *kwargs, *means)

    def _resolve(self, slot: Slot, value: Any) -> Handle:
        if slot.handle == "block":
            if isinstance(value, str):
                return self.block(value)
            self.session.block_or_root(value)
            return value
        self.session.find_loop(value)
        return value

    def decompose(self, name: str, loop: LoopRV) -> None:
        """Apply ``decompose_reduction`` to a reduction with an init. A reduction without an init
        continues from previous values and has nothing to decompose.
        """
        if self.nest(name).block.has_init:
            self.decompose_reduction(self.block(name), loop)

    def put_in_order(self, loops: Sequence[LoopRV]) -> None:
        """Reorder loops of one nest, outermost first, unless they are in this order."""
        ops = [self.session.loop(loop) for loop in loops]
        around = [loop_tree.loops_around(op) for op in ops]
        if all(op in inner for op, inner in zip(ops, around[1:], strict=False)):
            return
        self.reorder(*loops)

    def _forget(self) -> None:
        """Discard the cached analyses of the program."""
        self._changes += 1
        self._refused.clear()
        self.results.clear()

    # Going back ----------------------------------------------------------------------------

    def mark(self, *, changes: bool = True) -> Mark:
        """Mark the current state for :meth:`return_to`. Without ``changes``, the mark is valid only
        until the first change, and costs nothing.
        """
        return self._undo.mark(self.settled, changes=changes)

    def return_to(self, mark: Mark) -> None:
        """Undo all changes since ``mark``. Loops and blocks may be different objects afterwards."""
        self.settled = set(mark.settled)
        self._blocks = {}
        if self._undo.return_to(mark):
            self._forget()

    def forget_marks(self) -> None:
        """Drop all existing marks: no caller returns to them."""
        self._undo.forget()

    def close(self) -> None:
        """End the draft: its changes cannot be undone any more."""
        self._undo.close()

    # Shared by rules -----------------------------------------------------------------------

    def pays_in_parallel(self, work: int) -> bool:
        """True if the machine has several cores and ``work`` additions are enough to use them."""
        return self.machine.cores > 1 and work >= self.machine.parallel_work

    def run_in_parallel(
        self, name: str, at_most: int, work: int | None = None, *, symbolic: bool = True
    ) -> int:
        """Run the outermost loops of a block in parallel, if their work is sufficient.

        At most ``at_most`` of them are fused into one. ``work`` is the total work in the loops, in
        additions (default: the work of the block). Loops of unknown extents are fused with others
        only if ``symbolic`` is set: their variables become quotients, which other primitives can
        analyse only in part. Returns the number of fused loops: 0 if nothing was changed.
        """
        nest = self.nest(name)
        machine = self.machine
        if work is None:
            work = iterations(nest.loops) * max(1, nest.operations + len(nest.loads))
        if not self.pays_in_parallel(work):
            return 0
        outer = []
        for loop in nest.loops[:at_most]:
            if loop not in nest.spatial or not _is_serial(loop):
                break
            if not symbolic and outer and loop.static_extent is None:
                if iterations(outer) < 2 * machine.cores:
                    outer = [loop]
                break
            outer.append(loop)
            if iterations(outer) >= 8 * machine.cores:
                break
            if not symbolic and loop.static_extent is None:
                break
        if iterations(outer) < 2:
            return 0
        handles = self.loops(name)
        mark, loop = self.mark(), handles[outer[0]]
        if len(outer) > 1:
            try:
                loop = self.fuse(*(handles[loop] for loop in outer))
            except ScheduleError:
                del outer[1:]
        if self.attempt("parallel", loop):
            return len(outer)
        self.return_to(mark)
        return 0


def _is_serial(loop: ForOp) -> bool:
    return loop.kind.data.value == "serial" and loop.annotations is None
