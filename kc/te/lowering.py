"""The lowering of a TE schedule to a scheduled ``tir`` module: its records are replayed as
primitives.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.verify_changes import verify_changes
from kc.conversion.convert_te_to_tir import convert_function
from kc.dialects.tir import BlockOp, ForKind, ForOp, SymbolOp, symbol_names
from kc.expr.buffers import Buffer
from kc.expr.constructors import IterVar, Var
from kc.expr.dtypes import lanes
from kc.expr.tensor import (
    ExternOp,
    Operation,
    PlaceholderOp,
    ScanOp,
    Tensor,
    output_name,
    shape_text,
)
from kc.support.diagnostics import (
    InternalError,
    KCError,
    Location,
    ScheduleError,
    TEError,
    warn,
)
from kc.support.fresh_names import fresh_name
from kc.support.locations import caller_location
from kc.support.registry import pass_class
from kc.support.target import Target
from kc.te.hybrid_loops import Loops, number_loops, numbered_loops
from kc.te.replay import BlockOf, Enter, Leaf, Result, Step, steps
from kc.te.schedule import Schedule
from kc.te.stage import Stage
from kc.te.to_ir import create_func
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive, Rewritten, Site, called_from
from kc.transforms.schedule.layout._buffer_notes import set_argument_attribute
from kc.transforms.schedule.notes._annotations import Value
from kc.transforms.tir.storage.apply_strides import STRIDES, strides_attr


@dataclass
class Lowered:
    """The stages of lowering a TE schedule."""

    te: ModuleOp
    """The tensor expressions."""
    tir: ModuleOp
    """The scheduled loops."""
    entered: dict[Stage, list[Start]]
    """For each stage with loops, the initial state of its axes, in order."""
    extents: dict[IterVar, int]
    """The constant extents of the loops that primitives created."""
    is_scheduled: bool
    """True if the schedule has at least one call."""


@dataclass(frozen=True)
class Start:
    """The initial state of an operation's axis at the place where its stage is computed."""

    base: AffineExpr
    """The first value, over ``values``."""
    values: tuple[IterVar | str | None, ...]
    """Axes of consumers, None for the axes of the stage itself, and names of sizes."""
    extent: int | None
    """The number of values. None if it is not constant."""


def note_strides(
    function: func.FuncOp, args: Sequence[Any], declared: Mapping[int, Sequence[int | Var]]
) -> None:
    """Set the declared strides of arguments, by position; see ``--apply-strides``.

    A variable that is also a size in ``args`` keeps its name; other variables get unique names.
    """
    sizes = [dim for arg in args for dim in (arg.shape if isinstance(arg, Tensor) else [arg])]
    names = {id(size): size.name for size in sizes if isinstance(size, Var)}
    taken = {*symbol_names(function), *names.values()}

    def name_of(stride: Var) -> str:
        if id(stride) not in names:
            names[id(stride)] = fresh_name(stride.name, taken)
        return names[id(stride)]

    for n, strides in declared.items():
        plain = [name_of(stride) if isinstance(stride, Var) else stride for stride in strides]
        set_argument_attribute(function, function.args[n], STRIDES, strides_attr(plain))


def _check_binds(args: Sequence[Tensor | Var], binds: Mapping[Tensor, Buffer]) -> None:
    """Refuse (KC4342) buffers that do not match the tensors that they are bound to."""
    for tensor, buffer in binds.items():
        title, why = None, ""
        if not isinstance(tensor, Tensor) or not isinstance(buffer, Buffer):
            title = f"binds: {type(buffer).__name__} for {type(tensor).__name__}"
            why = "a tensor is bound to a buffer of tir.decl_buffer"
        elif not any(arg is tensor for arg in args):
            title = f"binds: {tensor.name} is not among the arguments"
            why = "an argument is seen as the buffer that it is bound to"
        elif tensor.dtype != buffer.dtype or shape_text(tensor.shape) != shape_text(buffer.shape):
            tensor_type, buffer_type = (
                f"{shape_text(part.shape)} {part.dtype}" for part in (tensor, buffer)
            )
            title = f"binds: {tensor.name} is {tensor_type}, and its buffer {buffer_type}"
            why = "the buffer says how the argument lies in memory, not what it is"
        if title is not None:
            hints = ["binds={A: tir.decl_buffer(A.shape, A.dtype, strides=[te.var(), 1])}"]
            raise TEError("KC4342", title, location=caller_location(), why=why, hints=hints)


def lower_schedule(
    schedule: Schedule,
    args: Sequence[Tensor | Var],
    name: str,
    target: Target,
    binds: Mapping[Tensor, Buffer] | None = None,
) -> Lowered:
    """The module of ``schedule``, as one function ``name`` of ``args``.

    ``binds`` are the buffers of arguments with declared strides. Raises :class:`TEError` for wrong
    arguments, or if nothing is computed (KC2028), and :class:`ScheduleError`, at the line of the
    recorded call, for an illegal schedule.
    """
    if all(isinstance(op, PlaceholderOp) for op in schedule.outputs):
        names = [arg.name for arg in args if isinstance(arg, Tensor)]
        raise TEError(
            "KC2028",
            f"nothing is computed in {name}",
            location=caller_location(),
            why=f"all arguments are inputs: {', '.join(names)}" if names else "there is no tensor",
            hints=["results are arguments, too: [A, B, C] with C = te.compute(...)"],
        )
    tensors = {buffer: tensor for tensor, buffer in (binds or {}).items()}
    # A bound buffer among the arguments denotes the tensor that it is bound to.
    args = [tensors.get(arg, arg) if isinstance(arg, Buffer) else arg for arg in args]
    current = [schedule.current(arg) if isinstance(arg, Tensor) else arg for arg in args]
    unwritten = _unwritten(schedule, current, name)
    function, names = create_func(current, schedule.outputs, name, unwritten)
    source = ModuleOp([function])
    number_loops(function, names)
    lowered = convert_function(function)
    hybrid_loops = numbered_loops(lowered, names)
    numbered_loops(function, names)  # the tensor expressions are as they were
    _check_binds(args, binds or {})
    declared = {
        next(n for n, arg in enumerate(args) if arg is tensor): buffer.declared_strides
        for tensor, buffer in (binds or {}).items()
        if buffer.declared_strides is not None
    }
    note_strides(lowered, args, declared)
    module = ModuleOp([lowered])
    _verify(module)
    planned = list(steps(schedule))
    threads = any(isinstance(step, Step) and step.primitive == "bind" for step in planned)
    if threads and target == Target.generic():
        # No target is given, and the schedule binds threads.
        target = Target("cuda")
    replay = _Replay(Site(lowered, target), names, hybrid_loops)
    for step in planned:
        if isinstance(step, Enter):
            replay.enter(step.stage)
        else:
            replay.run(step)
    replay.vectorize_lanes()
    is_scheduled = any(isinstance(step, Step) for step in planned)
    return Lowered(source, module, replay.entered, replay.extents, is_scheduled)


def _verify(module: ModuleOp) -> None:
    try:
        verify_changes(module)
    except KCError as error:
        raise InternalError(f"convert-te-to-tir left IR that does not verify: {error}") from error


def _unwritten(schedule: Schedule, args: Sequence[Tensor | Var], name: str) -> list[Tensor]:
    """The arguments that are inlined or computed inside loops; each causes a warning (KC3155)."""
    unwritten: list[Tensor] = []
    for arg in args:
        stage = schedule.stage_map.get(arg.op) if isinstance(arg, Tensor) else None
        if not isinstance(arg, Tensor) or stage is None or stage.place is None:
            continue
        unwritten.append(arg)
        is_inline = stage.place.kind == "inline"
        primitive = "compute_inline" if is_inline else "compute_at"
        warn(
            "KC3155",
            f"{primitive}: {stage.op.name} is an argument of {name}, and is left unwritten",
            location=stage.place.location,
            why="it is computed where it is read, "
            + ("and there is no tensor" if is_inline else "as far as it is read there")
            + ": the caller's array stays unchanged",
            hints=[
                f"without {stage.op.name} in the list of arguments there is no such array",
                f"s.cache_write({stage.op.name}, scope) gives a tensor that can be moved, and "
                f"{stage.op.name} is written",
            ],
        )
    return unwritten


def make_primitive(step: Step, values: Mapping[Any, Any]) -> Primitive:
    """The primitive of a step; ``values`` maps the references in its fields."""

    def value_of(argument: Any) -> Any:
        if isinstance(argument, tuple):
            return tuple(value_of(item) for item in argument)
        if isinstance(argument, Result):
            return BufferRef(argument.number)
        return values[argument] if isinstance(argument, Leaf | BlockOf | Tensor) else argument

    fields = {name: value_of(value) for name, value in step.fields.items()}
    if "value" in fields:
        fields["value"] = (Value.of(fields["value"]),)
    return pass_class(step.primitive)(**fields)


@dataclass
class _Replay:
    """Runs steps, following axes and blocks through the rewrites."""

    site: Site
    names: Mapping[Operation, str]
    hybrid_loops: Loops
    loops: dict[Leaf, ForOp] = field(default_factory=dict)
    entered: dict[Stage, list[Start]] = field(default_factory=dict)
    extents: dict[IterVar, int] = field(default_factory=dict)
    lanes: dict[Stage, ForOp] = field(default_factory=dict)
    """The loops over the lanes of elements."""

    def enter(self, stage: Stage) -> None:
        """Bind the axes of the stage to the innermost loops around its block, or to the loops of a
        script.
        """
        if isinstance(stage.op, ExternOp):
            for axis in stage.op.axis:
                self.loops[Leaf(stage, axis)] = self.hybrid_loops[stage.op, axis]
            return
        block = self._block(stage)
        around = loop_tree.loops_around(block)
        if isinstance(stage.op, ScanOp):
            # The time loop is the outermost loop: a scan stays at the root.
            self.loops[Leaf(stage, stage.op.scan_axis)] = around[0]
            return
        axes = stage.roots
        # Vector elements have a loop over their lanes, after the loops of the axes.
        lane = len(stage.op.axis) if lanes(stage.op.dtype) > 1 else None
        loops = list(around[len(around) - len(axes) - (lane is not None) :])
        if lane is not None:
            self.lanes[stage] = loops.pop(lane)
        index = IndexValues()
        bases = [index.compose(expr, block.binding_operands) for expr in block.binding_exprs]
        axis_of: dict[SSAValue | None, IterVar | None] = {loop.var: None for loop in loops}
        needed = {root.owner.parent_op() for root in index.roots if root is not None}
        for leaf, loop in self.loops.items():
            if loop in needed and any(leaf.axis is axis for axis in leaf.stage.leaf_iter_vars):
                axis_of[loop.var] = leaf.axis
        values = tuple(axis_of[root] if root in axis_of else _name(root) for root in index.roots)
        if lane is not None:
            del bases[lane]
        own = bases[len(bases) - len(axes) :]  # without time, in a scan
        self.entered[stage] = [
            Start(base, values, loop.static_extent) for base, loop in zip(own, loops, strict=True)
        ]
        self.loops.update((Leaf(stage, axis), loop) for axis, loop in zip(axes, loops, strict=True))

    def _block(self, stage: Stage) -> BlockOp:
        op = stage.op.update[0].op if isinstance(stage.op, ScanOp) else stage.op
        return self.site.resolve_block(BlockRef(self.names[op]))

    def run(self, step: Step) -> None:
        """Apply the primitive of ``step``, at the line that recorded it."""
        if step.primitive == "compute-inline":
            _warn_of_schedule(step.stage, step.location)
        with called_from(step.location):
            with self.site.acting(pass_class(step.primitive)):
                self._require_threads(step)
            done = make_primitive(step, _References(self)).apply(self.site)
        self._follow(done)
        for axis, loop in zip(step.results, done.loops, strict=False):
            self.loops[Leaf(step.stage, axis)] = loop
            if loop.static_extent is not None:
                self.extents[axis] = loop.static_extent

    def _require_threads(self, step: Step) -> None:
        """Refuse a bind whose loop has another trip count than the declared number of threads."""
        if step.threads is None:
            return
        loop = self.loops[step.fields["loop"]]
        extent = loop.dynamic_extent
        iterations = loop.static_extent if extent is None else _name(extent)
        thread_count = step.threads.name if isinstance(step.threads, Var) else step.threads
        if iterations != thread_count:
            raise self.site.refuse(
                "KC3145",
                f"loop {loop.label} has {iterations} iterations, "
                f"{step.fields['thread_axis']} has {thread_count}",
                at=loop,
                why="an axis of threads with a domain has that many threads",
                hints=[
                    f"split {loop.label} by factor={thread_count}",
                    f'te.thread_axis("{step.fields["thread_axis"]}") takes the loop as it is',
                ],
            )

    def _follow(self, done: Rewritten) -> None:
        if not done.replaced:
            return
        for loops in (self.loops, self.lanes):
            for key, loop in loops.items():
                became = done.replaced.get(loop)
                if became is not None and len(became) == 1:
                    loops[key] = became[0]  # pyright: ignore[reportArgumentType]

    def vectorize_lanes(self) -> None:
        """Make the loops over lanes innermost and vectorized, as far as the schedule allows."""
        for stage, loop in self.lanes.items():
            name = self.names[stage.op]
            blocks = self.site.blocks.get(name, ())
            around = [loop for block in blocks for loop in loop_tree.loops_around(block)]
            if loop not in around:
                continue  # inlined: computed at its reads
            if any(outer.kind.data is ForKind.VECTORIZED for outer in around):
                continue
            inner = around[around.index(loop) + 1 :]
            with contextlib.suppress(ScheduleError):
                order = tuple(LoopRef(inner_loop) for inner_loop in (*inner, loop))
                if inner:
                    self._follow(pass_class("reorder")(loops=order).apply(self.site))
                pass_class("vectorize")(loop=LoopRef(self.lanes[stage])).apply(self.site)


def _warn_of_schedule(stage: Stage, location: Location | None) -> None:
    """Warn that an inlined stage has neither loops nor a tensor."""
    what = [record.primitive.replace("-", "_") for record in [*stage.records, *stage.storage]]
    if what:
        warn(
            "KC3153",
            f"compute_inline: {stage.op.name} has a schedule of its own, which has no effect",
            location=location,
            why=f"an inlined stage has neither loops nor a tensor, so there is no effect for "
            f"{', '.join(dict.fromkeys(what))}",
        )


def _name(value: SSAValue | None) -> str:
    """The name of a size."""
    if value is not None and isinstance(value.owner, SymbolOp):
        return value.owner.symbol.data
    return (value.name_hint if value is not None else None) or "value"


class _References(dict[Any, Any]):
    """The values in the module for the references in the fields of steps."""

    def __init__(self, replay: _Replay) -> None:
        super().__init__()
        self._replay = replay

    def __missing__(self, key: Any) -> Any:
        replay = self._replay
        if isinstance(key, Leaf):
            return LoopRef(replay.loops[key])
        if isinstance(key, BlockOf):
            return BlockRef(replay._block(key.stage))
        name = replay.names.get(key.op)
        count = key.op.num_outputs
        return BufferRef(key.name if name is None else output_name(name, key.value_index, count))
