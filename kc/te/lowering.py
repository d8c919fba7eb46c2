"""From a TE schedule to a scheduled ``tir`` module: its records are replayed as primitives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.conversion.convert_te_to_tir import convert_function
from kc.dialects.tir import ForOp
from kc.support.registry import pass_class
from kc.support.target import Target
from kc.te.expr import IterVar, Var
from kc.te.schedule import Record, Schedule, Stage
from kc.te.tensor import ComputeOp, Tensor
from kc.te.to_ir import create_func
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive, Site, called_from
from kc.transforms.schedule.split import Factors


@dataclass
class Lowered:
    """The stages of lowering a TE schedule."""

    te: ModuleOp
    """The tensor expressions."""
    tir: ModuleOp
    """The scheduled loops."""


def lower_schedule(
    schedule: Schedule, args: Sequence[Tensor | Var], name: str, target: Target
) -> Lowered:
    """The module that ``schedule`` stands for, as one function ``name`` of ``args``.

    Raises :class:`TEError` for wrong arguments and :class:`ScheduleError`, at the line of the
    recorded call, for a schedule that is not legal.
    """
    function, names = create_func(args, schedule.outputs, name)
    source = ModuleOp([function])
    lowered = convert_function(function)
    site = Site(lowered, target)
    module = ModuleOp([lowered])
    done: dict[Stage, _Replay] = {}
    for stage in reversed(schedule.stages):
        if isinstance(stage.op, ComputeOp):
            done[stage] = replay = _Replay(site, stage, names[stage.op])
            replay.run(done)
    return Lowered(source, module)


@dataclass
class _Replay:
    """Replays the records of one stage, following its axes through the rewrites."""

    site: Site
    stage: Stage
    block: str
    loops: dict[IterVar, ForOp] = field(default_factory=dict)

    def run(self, done: Mapping[Stage, _Replay]) -> None:
        """Move the stage's block, then do what was recorded; ``done`` are the consumers."""
        op, attach = self.stage.op, self.stage.attach
        assert isinstance(op, ComputeOp)
        ref = BlockRef(self.block)
        if attach is not None:
            with called_from(attach.location):
                if attach.kind == "inline":
                    pass_class("compute-inline")(ref).apply(self.site)
                    return
                assert attach.parent is not None
                assert attach.axis is not None
                loop = done[attach.parent].loops[attach.parent.leaf_of(attach.axis)]
                move = pass_class("compute-at")(ref, LoopRef(loop), preserve_unit_loops=True)
                move.apply(self.site)
        axes = [*op.axis, *op.reduce_axis]
        around = loop_tree.loops_around(self.site.resolve_block(ref))
        # Inside another stage's loop, the axes are the innermost ones.
        self.loops = dict(zip(axes, around[len(around) - len(axes) :], strict=True))
        for record in self.stage.records:
            with called_from(record.location):
                rewritten = self._primitive(record).apply(self.site)
            for axis, loop in self.loops.items():
                became = rewritten.replaced.get(loop)
                if became is not None and len(became) == 1:
                    self.loops[axis] = became[0]
            self.loops.update(zip(record.results, rewritten.loops, strict=False))

    def _primitive(self, record: Record) -> Primitive:
        refs = [LoopRef(self.loops[axis]) for axis in record.axes]
        cls = pass_class(record.primitive)
        if record.primitive == "split":
            return cls(refs[0], Factors(record.arguments["factors"]), record.arguments["names"])
        if record.primitive in ("fuse", "reorder"):
            return cls(tuple(refs))
        return cls(refs[0])
