"""TE's schedule: primitives are recorded, and replayed as ``tir`` primitives at lower or build.

Recording checks at once what cannot change later (an axis that is no longer a leaf, a factor that
is not a number, a reduction made parallel); the rest is checked when the record is replayed, and
reported at the line of the call that recorded it. TE thus has no engine of its own:
:meth:`Schedule.to_tir_script` prints the ``tir`` schedule that a TE schedule stands for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kc.support.diagnostics import Location, ScheduleError
from kc.support.locations import caller_location
from kc.te.expr import Const, Expr, IterVar, Var, is_float
from kc.te.tensor import ComputeOp, Operation, Tensor
from kc.te.to_ir import block_names, post_order


@dataclass(frozen=True)
class Record:
    """One recorded call: the primitive, its axes and arguments, what it gave, and the line."""

    primitive: str
    axes: tuple[IterVar, ...]
    arguments: dict[str, Any]
    results: tuple[IterVar, ...]
    location: Location | None


@dataclass(frozen=True)
class Attach:
    """Where a stage is computed: ``at`` an axis of its consumer, or ``inline``; and the line."""

    kind: str
    location: Location | None
    parent: Stage | None = None
    axis: IterVar | None = None


def create_schedule(ops: Operation | Tensor | Sequence[Operation | Tensor]) -> Schedule:
    """A schedule of everything that the operations ``ops`` need; they are its outputs."""
    given = list(ops) if isinstance(ops, list | tuple) else [ops]
    outputs = []
    for one in given:
        op = one.op if isinstance(one, Tensor) else one
        if not isinstance(op, Operation):
            raise ScheduleError(
                "KC3101",
                f"create_schedule: {type(one).__name__} is not an operation",
                location=caller_location(),
                hints=["te.create_schedule(C.op)"],
            )
        outputs.append(op)
    return Schedule(outputs)


class Schedule:
    """How a graph of tensors is computed: one :class:`Stage` an operation."""

    def __init__(self, outputs: Sequence[Operation]) -> None:
        self.outputs = list(outputs)
        self.stages = [Stage(op) for op in post_order(self.outputs)]
        self.stage_map = {stage.op: stage for stage in self.stages}

    def __getitem__(self, key: Tensor | Operation) -> Stage:
        op = key.op if isinstance(key, Tensor) else key
        stage = self.stage_map.get(op) if isinstance(op, Operation) else None
        if stage is None:
            names = ", ".join(one.op.name for one in self.stages)
            raise ScheduleError(
                "KC3102",
                f"{getattr(op, 'name', op)!r} is not part of the schedule",
                location=caller_location(),
                why=f"the schedule computes {names}",
                hints=["create the schedule from an operation that needs it"],
            )
        return stage

    def to_tir_script(self, sch: str = "sch") -> str:
        """The ``kc.tir.Schedule`` calls that this schedule stands for, as Python text."""
        lines: list[str] = []
        names = block_names([stage.op for stage in self.stages])
        for stage in reversed(self.stages):
            lines.extend(stage.script(sch, names))
        return "\n".join(lines) + ("\n" if lines else "")


class Stage:
    """How one operation is computed: its axes, from the outside in, and what was asked of them."""

    def __init__(self, op: Operation) -> None:
        self.op = op
        axes = [*op.axis, *op.reduce_axis] if isinstance(op, ComputeOp) else []
        self.leaf_iter_vars: list[IterVar] = axes
        self.all_iter_vars: list[IterVar] = list(axes)
        self.records: list[Record] = []
        self._kinds: dict[IterVar, str] = {}
        self.attach: Attach | None = None

    # Recording -----------------------------------------------------------------------------

    def _leaf(self, axis: Any, primitive: str) -> IterVar:
        if not isinstance(axis, IterVar):
            raise ScheduleError(
                "KC3103",
                f"{primitive}: {type(axis).__name__} is not an axis",
                location=caller_location(),
                hints=[f"s[{self.op.name}].op.axis gives the axes"],
            )
        if any(axis is one for one in self.leaf_iter_vars):
            return axis
        names = ", ".join(one.name for one in self.leaf_iter_vars) or "none"
        for record in self.records:
            if any(axis is one for one in record.axes) and record.results:
                into = ", ".join(one.name for one in record.results)
                raise ScheduleError(
                    "KC3104",
                    f"{primitive}: axis {axis.name} of {self.op.name} is gone",
                    location=caller_location(),
                    why=f"{axis.name} was {_PAST[record.primitive]} into {into} at "
                    f"{record.location}",
                    hints=[f"use {into}"],
                )
        raise ScheduleError(
            "KC3105",
            f"{primitive}: {axis.name} is not an axis of {self.op.name}",
            location=caller_location(),
            why=f"{self.op.name} has the axes {names}",
        )

    def _serial(self, axis: IterVar, primitive: str) -> None:
        kind = self._kinds.get(axis)
        if kind is not None:
            raise ScheduleError(
                "KC3106",
                f"{primitive}: axis {axis.name} of {self.op.name} is to be {_KINDS[kind]}",
                location=caller_location(),
                why="an axis is restructured before it is given a kind of execution",
                hints=[f"{primitive} first, then {kind} one of the results"],
            )

    def _record(
        self,
        primitive: str,
        axes: Sequence[IterVar],
        arguments: dict[str, Any],
        results: Sequence[IterVar] = (),
    ) -> None:
        self.records.append(
            Record(primitive, tuple(axes), arguments, tuple(results), caller_location())
        )

    def _new_axis(self, name: str, extent: Any, kind: str) -> IterVar:
        taken = {one.name for one in self.leaf_iter_vars}
        chosen, n = name, 0
        while chosen in taken:
            n += 1
            chosen = f"{name}_{n}"
        axis = IterVar(chosen, extent, kind, 0, caller_location())
        self.all_iter_vars.append(axis)
        return axis

    def split(
        self, parent: IterVar, factor: Any = None, nparts: Any = None
    ) -> tuple[IterVar, IterVar]:
        """Split an axis into (outer, inner): the inner has ``factor`` iterations, or the outer
        ``nparts``. Either may be a size (``te.var``)."""
        axis = self._leaf(parent, "split")
        self._serial(axis, "split")
        if (factor is None) == (nparts is None):
            raise ScheduleError(
                "KC3107",
                "split: "
                + ("neither factor nor nparts is given" if factor is None else "factor and nparts"),
                location=caller_location(),
                why="one says how many iterations the inner axis has, the other the outer",
                hints=["factor=8", "nparts=4"],
            )
        size = self._size(factor if nparts is None else nparts, axis)
        at = self.leaf_iter_vars.index(axis)
        gone = self.leaf_iter_vars.pop(at)
        outer = self._new_axis(f"{gone.name}_o", None, gone.kind)
        inner = self._new_axis(f"{gone.name}_i", None, gone.kind)
        self.leaf_iter_vars[at:at] = [outer, inner]
        factors = (None, size) if nparts is None else (size, None)
        self._record(
            "split", [gone], {"factors": factors, "names": (outer.name, inner.name)}, [outer, inner]
        )
        return outer, inner

    def _size(self, size: Any, axis: IterVar) -> int | str:
        if isinstance(size, Const):
            size = size.value
        if isinstance(size, Var) and not is_float(size.dtype):
            return size.name
        if hasattr(size, "__index__") and not isinstance(size, Expr):
            size = size.__index__()
        if not isinstance(size, int) or not 1 <= size < 2**63:
            raise ScheduleError(
                "KC3108",
                f"split: {size!r} iterations of axis {axis.name}",
                location=caller_location(),
                why="a factor is an integer from 1 to 2^63 - 1, or a te.var",
                hints=["factor=8"],
            )
        return size

    def fuse(self, *args: IterVar) -> IterVar:
        """Fuse neighbouring axes into one; a pair may be given in either order."""
        given = list(args[0]) if len(args) == 1 and isinstance(args[0], list | tuple) else args
        axes = [self._leaf(one, "fuse") for one in given]
        for one in axes:
            self._serial(one, "fuse")
        places = [self.leaf_iter_vars.index(one) for one in axes]
        if len(axes) == 2 and places[0] == places[1] + 1:
            axes.reverse()
            places.reverse()
        if len(axes) < 2 or places != list(range(places[0], places[0] + len(axes))):
            order = ", ".join(one.name for one in self.leaf_iter_vars)
            raise ScheduleError(
                "KC3109",
                f"fuse: {', '.join(one.name for one in axes) or 'no axes'} of {self.op.name}",
                location=caller_location(),
                why=f"only two or more neighbours can be fused; the order is {order}",
                hints=["reorder first"],
            )
        kind = "reduce" if any(one.kind == "reduce" for one in axes) else "spatial"
        del self.leaf_iter_vars[places[0] : places[-1] + 1]
        fused = self._new_axis("_".join(one.name for one in axes) + "_fused", None, kind)
        self.leaf_iter_vars.insert(places[0], fused)
        self._record("fuse", axes, {}, [fused])
        return fused

    def reorder(self, *args: IterVar) -> None:
        """Put axes into the given order; the places they take are those they have."""
        axes = [self._leaf(one, "reorder") for one in args]
        if len({id(one) for one in axes}) != len(axes):
            twice = next(one for one in axes if sum(one is other for other in axes) > 1)
            raise ScheduleError(
                "KC3110",
                f"reorder: axis {twice.name} is named twice",
                location=caller_location(),
            )
        places = sorted(self.leaf_iter_vars.index(one) for one in axes)
        for place, axis in zip(places, axes, strict=True):
            self.leaf_iter_vars[place] = axis
        if axes:
            self._record("reorder", axes, {})

    def tile(
        self, x_parent: IterVar, y_parent: IterVar, x_factor: Any, y_factor: Any
    ) -> tuple[IterVar, IterVar, IterVar, IterVar]:
        """Split two axes and put the inner parts inside both outer ones: (xo, yo, xi, yi)."""
        for axis, factor in ((x_parent, x_factor), (y_parent, y_factor)):
            self._serial(self._leaf(axis, "tile"), "tile")
            self._size(factor, axis)
        if x_parent is y_parent:
            raise ScheduleError(
                "KC3110",
                f"tile: axis {x_parent.name} is named twice",
                location=caller_location(),
            )
        xo, xi = self.split(x_parent, factor=x_factor)
        yo, yi = self.split(y_parent, factor=y_factor)
        self.reorder(xo, yo, xi, yi)
        return xo, yo, xi, yi

    def _kind(self, primitive: str, axis: IterVar) -> None:
        leaf = self._leaf(axis, primitive)
        if self._kinds.get(leaf) == primitive:
            return
        self._serial(leaf, primitive)
        if leaf.kind == "reduce" and primitive != "unroll":
            spatial = [one.name for one in self.leaf_iter_vars if one.kind != "reduce"]
            raise ScheduleError(
                "KC3111",
                f"{primitive}: axis {leaf.name} is a reduction of {self.op.name}",
                location=caller_location(),
                why=f"all its iterations update one element of {self.op.name}",
                hints=[f"{primitive} a spatial axis: {', '.join(spatial)}"] if spatial else (),
            )
        self._kinds[leaf] = primitive
        self._record(primitive, [leaf], {})

    def parallel(self, var: IterVar) -> None:
        """Run the iterations of an axis on several threads."""
        self._kind("parallel", var)

    def vectorize(self, var: IterVar) -> None:
        """Make the iterations of an axis the lanes of vectors."""
        self._kind("vectorize", var)

    def unroll(self, var: IterVar) -> None:
        """Repeat the body of an axis instead of looping."""
        self._kind("unroll", var)

    def compute_at(self, parent: Stage, scope: IterVar) -> None:
        """Compute the tensor inside the axis ``scope`` of its consumer, as far as it is read there.

        When ``scope`` is split or fused later, the innermost result takes its place.
        """
        axis = parent._leaf(scope, "compute_at")
        self.attach = Attach("at", caller_location(), parent, axis)

    def compute_inline(self) -> None:
        """Compute each element where it is read; there is no tensor."""
        self.attach = Attach("inline", caller_location())

    def compute_root(self) -> None:
        """Compute the whole tensor before its consumers: what a stage does by default."""
        self.attach = None

    def leaf_of(self, axis: IterVar) -> IterVar:
        """The leaf that ``axis`` has become: the innermost result of what was done to it."""
        for record in self.records:
            if record.results and any(axis is one for one in record.axes):
                axis = record.results[-1]
        return axis

    # Replaying -----------------------------------------------------------------------------

    def script(self, sch: str, names: Mapping[Operation, str]) -> list[str]:
        """The calls on ``kc.tir.Schedule`` that the records stand for, on blocks so named."""
        if not isinstance(self.op, ComputeOp) or not (self.records or self.attach):
            return []
        block = f'{sch}.get_block("{names[self.op]}")'
        moved = self._attach_script(sch, block)
        if self.attach is not None and self.attach.kind == "inline":
            return moved
        axes = [*self.op.axis, *self.op.reduce_axis]
        left = ", ".join(one.name for one in axes) + ("," if len(axes) == 1 else "")
        lines = moved
        found = f"{sch}.get_loops({block})"
        lines.append(f"{left} = {found}" + (f"[-{len(axes)}:]" if moved else ""))
        for record in self.records:
            inputs = ", ".join(one.name for one in record.axes)
            outputs = ", ".join(one.name for one in record.results)
            call = f"{sch}.{record.primitive}({inputs}"
            if "factors" in record.arguments:
                call += f", factors={list(record.arguments['factors'])!r}"
            lines.append(f"{outputs} = {call})" if outputs else f"{call})")
        return lines

    def _attach_script(self, sch: str, block: str) -> list[str]:
        attach = self.attach
        if attach is None:
            return []
        if attach.kind == "inline":
            return [f"{sch}.compute_inline({block})"]
        assert attach.parent is not None
        assert attach.axis is not None
        loop = attach.parent.leaf_of(attach.axis).name
        return [f"{sch}.compute_at({block}, {loop}, preserve_unit_loops=True)"]


_PAST = {"split": "split", "fuse": "fused"}
_KINDS = {"parallel": "parallel", "vectorize": "vectorized", "unroll": "unrolled"}
