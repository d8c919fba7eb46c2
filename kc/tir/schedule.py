"""The eager schedule: every primitive rewrites the module at once, or is refused and changes
nothing. After TVM's ``tir.Schedule``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from kc.analysis import loop_tree
from kc.analysis.regions import consumers, producers
from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import ScheduleError, suggest
from kc.support.locations import caller_location
from kc.support.registry import pass_class
from kc.support.target import Target, target_of
from kc.transforms.schedule._annotations import Value
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import (
    CALL_SITE,
    BlockRef,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
    called_from,
)
from kc.transforms.schedule.split import Factors


class LoopRV:
    """A handle on a loop; after the loop is gone it says what became of it."""

    def __init__(self, loop: ForOp) -> None:
        self.op = loop
        self.gone: str | None = None

    @property
    def name(self) -> str:
        """The loop's name in the IR."""
        return self.op.label

    def __repr__(self) -> str:
        return f"LoopRV({self.name})" if self.gone is None else f"LoopRV({self.name}, gone)"


class BlockRV:
    """A handle on a block; after the block is gone it says what became of it."""

    def __init__(self, block: BlockOp) -> None:
        self.op = block
        self.gone: str | None = None

    @property
    def name(self) -> str:
        """The block's name in the IR."""
        return self.op.label

    def __repr__(self) -> str:
        return f"BlockRV({self.name})" if self.gone is None else f"BlockRV({self.name}, gone)"


class Schedule:
    """Rewrites a module by schedule primitives.

    ``mod`` is a ``kc.IRModule`` or an xDSL ``ModuleOp`` at the level of ``tir`` (tensor expressions
    are lowered first); it is copied, :attr:`mod` is the scheduled one. Primitives raise
    :class:`ScheduleError` with the line of the call, and leave the module as it was.
    """

    def __init__(self, mod: Any, *, target: Target | None = None) -> None:
        module = getattr(mod, "op", mod)
        if not isinstance(module, ModuleOp):
            raise ScheduleError(
                "KC3121",
                f"Schedule: {type(mod).__name__} is not a module",
                location=caller_location(),
                hints=["kc.lower(...) or kc.IRModule.parse(text) give one"],
            )
        copy = module.clone()
        for old, new in zip(module.walk(), copy.walk(), strict=True):
            new.location = old.location
        pass_class("convert-te-to-tir")().apply(None, copy)
        self.module = copy
        self.target = target if target is not None else target_of(copy)
        self._handles: dict[ForOp, list[LoopRV]] = {}
        self._block_handles: dict[BlockOp, list[BlockRV]] = {}

    # Looking -------------------------------------------------------------------------------

    @property
    def mod(self) -> Any:
        """The module as it is now, as a ``kc.IRModule``."""
        from kc.tir.module import IRModule

        return IRModule(self.module)

    def _function(self, name: str | None) -> func.FuncOp:
        functions = loop_tree.functions(self.module)
        names = [one.sym_name.data for one in functions]
        if name is None and len(functions) == 1:
            return functions[0]
        for one in functions:
            if one.sym_name.data == (name if name is not None else "main"):
                return one
        raise ScheduleError(
            "KC3122",
            f"there is no function '{name}'" if name else f"there are {len(functions)} functions",
            location=caller_location(),
            hints=suggest(name or "main", names, "the functions are"),
        )

    def _site(self, function: func.FuncOp) -> Site:
        return Site(function, self.target)

    def get_block(self, name: str, func_name: str | None = None) -> BlockRV:
        """The block of a name. Raises KC3001 or KC3002."""
        with called_from(caller_location()):
            found = self._site(self._function(func_name)).resolve_block(BlockRef(name))
            return self._block_handle(found)

    def get_loops(self, block: BlockRV | str) -> list[LoopRV]:
        """The loops around a block, outermost first."""
        return [self._handle(one) for one in loop_tree.loops_around(self._block(block))]

    def get_loop(self, name: str, func_name: str | None = None) -> LoopRV:
        """The loop of a name that no other loop of the function has, in a block or not.

        Raises KC3003 or KC3004.
        """
        with called_from(caller_location()):
            return self._handle(self._site(self._function(func_name)).resolve_loop(LoopRef(name)))

    def get_child_blocks(self, loop: LoopRV | BlockRV) -> list[BlockRV]:
        """The blocks in a loop or block."""
        root = self._loop(loop) if isinstance(loop, LoopRV) else self._block(loop)
        return [self._block_handle(one) for one in loop_tree.blocks(root) if one is not root]

    def get_producers(self, block: BlockRV | str) -> list[BlockRV]:
        """The other blocks that write what a block reads, in program order."""
        return [self._block_handle(one) for one in producers(self._block(block))]

    def get_consumers(self, block: BlockRV | str) -> list[BlockRV]:
        """The other blocks that read what a block writes, in program order."""
        return [self._block_handle(one) for one in consumers(self._block(block))]

    def _block_handle(self, block: BlockOp) -> BlockRV:
        handle = BlockRV(block)
        self._block_handles.setdefault(block, []).append(handle)
        return handle

    def _block(self, block: BlockRV | str) -> BlockOp:
        if isinstance(block, str):
            return self.get_block(block).op
        if not isinstance(block, BlockRV):
            raise ScheduleError(
                "KC3126",
                f"{type(block).__name__} is not a block",
                location=caller_location(),
                hints=["sch.get_block(name) gives a block"],
            )
        if block.gone is not None:
            raise ScheduleError(
                "KC3127",
                f"the block {block.name} is gone",
                location=caller_location(),
                why=block.gone,
            )
        self._require_own(block.op)
        return block.op

    def _handle(self, loop: ForOp) -> LoopRV:
        handle = LoopRV(loop)
        self._handles.setdefault(loop, []).append(handle)
        return handle

    def _loop(self, handle: LoopRV) -> ForOp:
        if not isinstance(handle, LoopRV):
            raise ScheduleError(
                "KC3123",
                f"{type(handle).__name__} is not a loop",
                location=caller_location(),
                hints=["sch.get_loops(block) gives the loops"],
            )
        if handle.gone is not None:
            raise ScheduleError(
                "KC3124",
                f"the loop {handle.name} is gone",
                location=caller_location(),
                why=handle.gone,
            )
        self._require_own(handle.op)
        return handle.op

    def show(self, func_name: str | None = None) -> str:
        """Print the loop tree, and give it as text."""
        text = "\n".join(loop_tree.render(self._function(func_name)))
        print(text)
        return text

    # Rewriting -----------------------------------------------------------------------------

    def _apply(
        self, what: str, loops: Sequence[LoopRV], make: Callable[[Sequence[LoopRef]], Primitive]
    ) -> list[LoopRV]:
        location = caller_location()
        with called_from(location):
            found = [self._loop(one) for one in loops]
            function = loop_tree.enclosing_function(found[0]) if found else self._function(None)
            assert function is not None
            step = make([LoopRef(one) for one in found])
            done = step.apply(self._site(function))
        self._replace(done, what, location)
        return [self._handle(one) for one in done.loops]

    def _apply_to_block(
        self, what: str, block: BlockRV | str, make: Callable[[BlockRef], Primitive]
    ) -> list[BlockRV]:
        location = caller_location()
        with called_from(location):
            found = self._block(block)
            done = self._run(found, make(BlockRef(found)))
        self._replace(done, what, location)
        return [self._block_handle(one) for one in done.blocks]

    def _apply_to_either(
        self,
        what: str,
        target: BlockRV | LoopRV | str,
        make: Callable[[LoopRef | None, BlockRef | None], Primitive],
    ) -> tuple[list[LoopRV], list[BlockRV]]:
        location = caller_location()
        with called_from(location):
            if isinstance(target, LoopRV):
                loop = self._loop(target)
                done = self._run(loop, make(LoopRef(loop), None))
            else:
                block = self._block(target)
                done = self._run(block, make(None, BlockRef(block)))
        self._replace(done, what, location)
        loops = [self._handle(one) for one in done.loops]
        return loops, [self._block_handle(one) for one in done.blocks]

    def _run(self, op: ForOp | BlockOp, step: Primitive) -> Rewritten:
        function = loop_tree.enclosing_function(op)
        assert function is not None
        return step.apply(self._site(function))

    def _require_own(self, op: ForOp | BlockOp) -> None:
        if not loop_tree.is_inside(op, self.module):
            raise ScheduleError(
                "KC3125",
                f"the {'loop' if isinstance(op, ForOp) else 'block'} {op.label} is not in this "
                "schedule's module",
                location=CALL_SITE.get() or caller_location(),
                why="a schedule works on its own copy of the module",
                hints=["take the handles of the schedule that is rewritten"],
            )

    def _replace(self, done: Rewritten, what: str, location: Any) -> None:
        for old, new in done.replaced.items():
            for handle in self._handles.pop(old, []):
                if len(new) == 1 and new[0].label == old.label:
                    handle.op = new[0]
                    self._handles.setdefault(new[0], []).append(handle)
                else:
                    names = ", ".join(one.label for one in new)
                    verb = {"split": "split", "fuse": "fused", "tile": "tiled"}.get(what, what)
                    handle.gone = f"{old.label} was {verb} into {names} at {location}"
        for op, became in done.removed.items():
            if isinstance(op, ForOp):
                for handle in self._handles.pop(op, []):
                    handle.gone = f"{became} at {location}"
            elif isinstance(op, BlockOp):
                for handle in self._block_handles.pop(op, []):
                    handle.gone = f"{became} at {location}"

    def split(self, loop: LoopRV, factors: Iterable[int | SSAValue | str | None]) -> list[LoopRV]:
        """Split a loop by ``factors``, outermost first; one may be None. See ``--split``."""
        chosen = Factors(factors)
        return self._apply("split", [loop], lambda refs: _new("split", refs[0], chosen))

    def fuse(self, *loops: LoopRV) -> LoopRV:
        """Fuse nested loops, named from the outside in. See ``--fuse``."""
        return self._apply("fuse", loops, lambda refs: _new("fuse", tuple(refs)))[0]

    def reorder(self, *loops: LoopRV) -> None:
        """Put loops into the given order. See ``--reorder``."""
        self._apply("reorder", loops, lambda refs: _new("reorder", tuple(refs)))

    def tile(self, x: LoopRV, y: LoopRV, x_factor: int, y_factor: int) -> list[LoopRV]:
        """Split two nested loops into tiles: (xo, yo, xi, yi). See ``--tile``."""
        return self._apply(
            "tile", [x, y], lambda refs: _new("tile", tuple(refs), (x_factor, y_factor))
        )

    def parallel(self, loop: LoopRV) -> None:
        """Run the iterations of a loop on several threads. See ``--parallel``."""
        self._apply("parallel", [loop], lambda refs: _new("parallel", refs[0]))

    def vectorize(self, loop: LoopRV) -> None:
        """Make the iterations of a loop the lanes of vectors. See ``--vectorize``."""
        self._apply("vectorize", [loop], lambda refs: _new("vectorize", refs[0]))

    def unroll(self, loop: LoopRV) -> None:
        """Repeat the body of a loop instead of looping. See ``--unroll``."""
        self._apply("unroll", [loop], lambda refs: _new("unroll", refs[0]))

    def compute_at(
        self,
        block: BlockRV | str,
        loop: LoopRV,
        preserve_unit_loops: bool = False,
        index: int = -1,
    ) -> None:
        """Compute a block inside a loop of its consumers. See ``--compute-at``."""
        target = LoopRef(self._loop(loop))
        self._apply_to_block(
            "compute_at",
            block,
            lambda ref: _new("compute-at", ref, target, preserve_unit_loops, index),
        )

    def compute_inline(self, block: BlockRV | str) -> None:
        """Compute a block where its elements are read. See ``--compute-inline``."""
        self._apply_to_block("compute_inline", block, lambda ref: _new("compute-inline", ref))

    def cache_read(
        self,
        block: BlockRV | str,
        read_buffer_index: int | str | SSAValue,
        storage_scope: str = "global",
        consumer_blocks: Sequence[BlockRV | str] = (),
    ) -> BlockRV:
        """Copy what blocks read of a buffer; gives the block that copies. See ``--cache-read``."""
        buffer = BufferRef(read_buffer_index)
        consumers = tuple(BlockRef(self._block(one)) for one in consumer_blocks)
        return self._apply_to_block(
            "cache_read",
            block,
            lambda ref: _new("cache-read", ref, buffer, storage_scope, consumers),
        )[0]

    def cache_write(
        self,
        block: BlockRV | str,
        write_buffer_index: int | str | SSAValue = 0,
        storage_scope: str = "global",
    ) -> BlockRV:
        """Compute into a new buffer, copied afterwards; gives that block. See ``--cache-write``."""
        buffer = BufferRef(write_buffer_index)
        return self._apply_to_block(
            "cache_write", block, lambda ref: _new("cache-write", ref, buffer, storage_scope)
        )[0]

    def compute_root(self, block: BlockRV | str) -> None:
        """Give a block a nest of its own, outside of all loops. See ``--compute-root``."""
        self._apply_to_block("compute_root", block, lambda ref: _new("compute-root", ref))

    def reverse_compute_at(
        self,
        block: BlockRV | str,
        loop: LoopRV,
        preserve_unit_loops: bool = False,
        index: int = -1,
    ) -> None:
        """Compute a block inside a loop of its producers. See ``--reverse-compute-at``."""
        target = LoopRef(self._loop(loop))
        self._apply_to_block(
            "reverse_compute_at",
            block,
            lambda ref: _new("reverse-compute-at", ref, target, preserve_unit_loops, index),
        )

    def reverse_compute_inline(self, block: BlockRV | str) -> None:
        """Compute a block where its only input is made. See ``--reverse-compute-inline``."""
        self._apply_to_block(
            "reverse_compute_inline", block, lambda ref: _new("reverse-compute-inline", ref)
        )

    def decompose_reduction(self, block: BlockRV | str, loop: LoopRV) -> BlockRV | None:
        """Make the init of a reduction a block of its own before ``loop``, and give that block.

        None when no instance of the block would have run its init. See ``--decompose-reduction``.
        """
        target = LoopRef(self._loop(loop))
        made = self._apply_to_block(
            "decompose_reduction", block, lambda ref: _new("decompose-reduction", ref, target)
        )
        return made[0] if made else None

    def set_scope(
        self, block: BlockRV | str, buffer_index: int | str | SSAValue, storage_scope: str
    ) -> None:
        """Put a buffer that a block writes into another memory scope. See ``--set-scope``."""
        buffer = BufferRef(buffer_index)
        self._apply_to_block(
            "set_scope", block, lambda ref: _new("set-scope", ref, buffer, storage_scope)
        )

    def storage_align(
        self,
        block: BlockRV | str,
        buffer_index: int | str | SSAValue,
        axis: int,
        factor: int,
        offset: int = 0,
    ) -> None:
        """Ask for a distance between elements along a dimension. See ``--storage-align``."""
        buffer = BufferRef(buffer_index)
        self._apply_to_block(
            "storage_align",
            block,
            lambda ref: _new("storage-align", ref, buffer, axis, factor, offset),
        )

    def rfactor(self, loop: LoopRV, factor_axis: int = 0) -> BlockRV:
        """Make a loop of a reduction spatial; gives the block of the partial results.

        The block itself becomes the reduction of these. See ``--rfactor``.
        """
        return self._apply_to_either(
            "rfactor", loop, lambda loop, _: _new("rfactor", loop, factor_axis)
        )[1][0]

    def annotate(self, block_or_loop: BlockRV | LoopRV | str, ann_key: str, ann_val: Any) -> None:
        """Give a loop, or a block, a named value. See ``--annotate``."""
        with called_from(caller_location()):
            value = (Value.of(ann_val),)
        self._apply_to_either(
            "annotate",
            block_or_loop,
            lambda loop, block: _new("annotate", ann_key, value, loop, block),
        )

    def unannotate(self, block_or_loop: BlockRV | LoopRV | str, ann_key: str) -> None:
        """Take an annotation off a loop, or a block. See ``--unannotate``."""
        self._apply_to_either(
            "unannotate",
            block_or_loop,
            lambda loop, block: _new("unannotate", ann_key, loop, block),
        )

    def pragma(self, loop: LoopRV, pragma_type: str, pragma_value: Any = None) -> None:
        """Give a loop a pragma of TVM's. See ``--pragma``."""
        with called_from(caller_location()):
            value = (Value.of(pragma_value),)
        self._apply("pragma", [loop], lambda refs: _new("pragma", refs[0], pragma_type, value))

    def add_unit_loop(self, block_or_loop: BlockRV | LoopRV | str) -> LoopRV:
        """Put a loop of one iteration around a block or a loop. See ``--add-unit-loop``."""
        return self._apply_to_either(
            "add_unit_loop", block_or_loop, lambda loop, block: _new("add-unit-loop", loop, block)
        )[0][0]

    def reorder_block_iter_var(self, block: BlockRV | str, new_order: Iterable[int]) -> None:
        """Give a block's variables another order. See ``--reorder-block-iter-var``."""
        order = tuple(new_order)
        self._apply_to_block(
            "reorder_block_iter_var",
            block,
            lambda ref: _new("reorder-block-iter-var", ref, order),
        )


def _new(name: str, *options: Any) -> Primitive:
    return pass_class(name)(*options)
