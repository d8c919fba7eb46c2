"""The axes of a stage: the leaves, the primitives recorded on them, and their immediate checks."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kc.expr.constructors import Const, Expr, IterVar, Var
from kc.expr.dtypes import is_float
from kc.expr.relations import Fuse, Relation, Singleton, Split, parents, results
from kc.expr.tensor import ComputeOp, Dim, ExternOp, Operation, ScanOp
from kc.expr.threads import ThreadAxis, require_threads
from kc.support.diagnostics import Location, ScheduleError, warn
from kc.support.fresh_names import free_name
from kc.support.locations import caller_location

if TYPE_CHECKING:
    from kc.te.schedule import Schedule


@dataclass(frozen=True)
class Record:
    """A recorded call: the primitive, its axes and arguments, its results, and the line."""

    primitive: str
    axes: tuple[IterVar, ...]
    arguments: dict[str, Any]
    results: tuple[IterVar, ...]
    location: Location | None
    relation: Relation | None = None
    keeps: tuple[IterVar, ...] = ()
    """Axes that stay leaves but get new loops, which follow those of the results."""


class Axes:
    """The axes of an operation, outermost first, and the calls recorded on them."""

    def __init__(
        self, op: Operation, schedule: Schedule | None, scan: ScanOp | None = None
    ) -> None:
        self.op = op
        self.scan = scan
        """The scan of whose step the operation is a part."""
        self.origin_op = op
        self.schedule = schedule
        self._gone: dict[IterVar, str] = {}
        self._start()

    def _start(self) -> None:
        op, axes = self.op, self.roots
        if isinstance(op, ScanOp):
            updates = ", ".join(dict.fromkeys(tensor.name for tensor in op.update))
            for axis in op.spatial_axis_:
                self._gone[axis] = f"the rows of {op.name} are computed by {updates}, in its loops"
        if self.scan is not None and isinstance(op, ComputeOp):
            time = op.axis[0]
            self._gone[time] = f"time is the axis {self.scan.scan_axis.name} of {self.scan.name}"
        self.leaf_iter_vars: list[IterVar] = axes
        self.all_iter_vars: list[IterVar] = list(axes)
        self.records: list[Record] = []
        self._kinds: dict[IterVar, str] = {}

    def become(self, op: Operation, reason: str, used: Container[IterVar] | None = None) -> None:
        """Continue as ``op``, with unscheduled axes; ``reason`` explains the loss of the old axes.

        The recorded calls are dropped, with a warning (KC3135). Calls from which ``op`` was created
        cause no warning: layout calls on the axes in ``used`` (default: all).
        """
        dropped = [
            record.primitive.replace("-", "_")
            for record in self.records
            if record.primitive not in _LAYOUT
            or (used is not None and not any(axis in used for axis in record.axes))
        ]
        if dropped:
            warn(
                "KC3135",
                f"earlier calls on {self.op.name} are dropped: "
                + ", ".join(dict.fromkeys(dropped)),
                location=caller_location(),
                why=reason,
                hints=["repeat the calls on the new axes, s[...].op.axis"],
            )
        for axis in self.all_iter_vars:
            self._gone[axis] = reason
        self.op = op
        for axis in (*op.axis, *op.reduce_axis):
            self._gone.pop(axis, None)
        self._start()

    @property
    def roots(self) -> list[IterVar]:
        """The axes of the operation that become its own loops."""
        op = self.op
        if isinstance(op, ScanOp):
            return [op.scan_axis]
        return [*op.axis[1 if self.scan is not None else 0 :], *op.reduce_axis]

    @property
    def relations(self) -> list[Relation]:
        """The splits and fusions recorded so far."""
        return [record.relation for record in self.records if record.relation is not None]

    # Looking up ----------------------------------------------------------------------------

    def leaf(self, axis: Any, primitive: str) -> IterVar:
        """``axis`` if it is a leaf. Otherwise raises a refusal that names the call that consumed
        it.
        """
        if not isinstance(axis, IterVar):
            raise ScheduleError(
                "KC3103",
                f"{primitive}: {type(axis).__name__} is not an axis",
                location=caller_location(),
                hints=[f"s[{self.op.name}].op.axis gives the axes"],
            )
        if any(axis is leaf for leaf in self.leaf_iter_vars):
            return axis
        for record in self.records:
            if record.relation is not None and axis in parents(record.relation):
                into = ", ".join(result.name for result in record.results)
                raise ScheduleError(
                    "KC3104",
                    f"{primitive}: axis {axis.name} of {self.op.name} is gone",
                    location=caller_location(),
                    why=f"{axis.name} was {_PAST[record.primitive]} into {into} at "
                    f"{record.location}",
                    hints=[f"use {into}"],
                )
        names = ", ".join(leaf.name for leaf in self.leaf_iter_vars)
        why = f"{self.op.name} has the axes {names}" if names else f"{self.op.name} has no axes"
        if axis in self._gone:
            raise ScheduleError(
                "KC3104",
                f"{primitive}: axis {axis.name} of {self.op.name} is gone",
                location=caller_location(),
                why=f"{self._gone[axis]}; {why}",
                hints=[f"use {names}"] if names else (),
            )
        owner = self._owner(axis)
        if owner is not None:
            why = f"{axis.name} is an axis of {owner}; {why}"
        raise ScheduleError(
            "KC3105",
            f"{primitive}: {axis.name} is not an axis of {self.op.name}",
            location=caller_location(),
            why=why,
            hints=[f"s[{owner}] has {axis.name}"] if owner else (),
        )

    def _owner(self, axis: IterVar) -> str | None:
        """The name of another stage that has ``axis`` as a leaf. None if there is none."""
        for stage in self.schedule.stages if self.schedule is not None else ():
            if any(axis is leaf for leaf in stage.leaf_iter_vars):
                return stage.op.name
        return None

    def leaf_of(self, axis: IterVar) -> IterVar:
        """The leaf that ``axis`` became: the innermost result of the calls on it."""
        for record in self.records:
            if record.relation is not None and axis in parents(record.relation):
                axis = record.results[-1]
        return axis

    def why_gone(self, axis: IterVar) -> str:
        """The reason why an axis is not a leaf any more."""
        return self._gone.get(axis, f"{axis.name} is not an axis of {self.op.name} any more")

    # Recording -----------------------------------------------------------------------------

    def record(
        self,
        primitive: str,
        axes: Sequence[IterVar],
        arguments: dict[str, Any],
        relation: Relation | None = None,
        keeps: Sequence[IterVar] = (),
    ) -> None:
        """Record a call of the user."""
        gives = () if relation is None else results(relation)
        where = caller_location()
        self.records.append(
            Record(primitive, tuple(axes), arguments, gives, where, relation, tuple(keeps))
        )

    def _computed(self, primitive: str) -> None:
        if isinstance(self.op, ExternOp):
            raise ScheduleError(
                "KC2169",
                f"{primitive}: {self.op.name} is an extern operation",
                location=caller_location(),
                why="its statement runs as written, before its readers",
                hints=[
                    f"s.cache_read({self.op.name}, scope, readers) makes a copy, which has axes",
                    "kc.tir.Schedule(kc.lower(...)) schedules the loops of the statement",
                ],
            )
        if not isinstance(self.op, ComputeOp | ScanOp):
            raise ScheduleError(
                "KC3134",
                f"{primitive}: {self.op.name} is an input",
                location=caller_location(),
                why="only computed tensors have a schedule",
                hints=[f"s.cache_read({self.op.name}, scope, readers) makes a copy, which has one"],
            )

    def _serial(self, axis: IterVar, primitive: str) -> None:
        kind = self._kinds.get(axis)
        if kind is not None:
            raise ScheduleError(
                "KC3106",
                f"{primitive}: axis {axis.name} of {self.op.name} is to be {_KINDS[kind]}",
                location=caller_location(),
                why="an axis must be split, fused and reordered before its kind of execution "
                "is set",
                hints=[f"{primitive} first, then {kind} one of the results"],
            )

    def new_axis(self, name: str, kind: str) -> IterVar:
        """A new axis for a primitive's result; its name differs from those of all other leaves."""
        chosen = free_name(name, {leaf.name for leaf in self.leaf_iter_vars})
        axis = IterVar(chosen, None, kind, 0, caller_location())  # pyright: ignore
        self.all_iter_vars.append(axis)
        return axis

    # Primitives ----------------------------------------------------------------------------

    def split(
        self,
        parent: IterVar,
        factor: Any = None,
        nparts: Any = None,
        disable_predication: bool = False,
    ) -> tuple[IterVar, IterVar]:
        """Split an axis into (outer, inner): the inner axis has ``factor`` iterations, or the outer
        axis ``nparts``. Either may be a size (``te.var``). An uneven split always gets a predicate;
        TVM's ``disable_predication`` is ignored.
        """
        del disable_predication
        axis = self.leaf(parent, "split")
        self._serial(axis, "split")
        if (factor is None) == (nparts is None):
            raise ScheduleError(
                "KC3107",
                "split: "
                + ("neither factor nor nparts is given" if factor is None else "factor and nparts"),
                location=caller_location(),
                why="factor is the number of inner iterations, nparts of outer iterations; "
                "give exactly one",
                hints=["factor=8", "nparts=4"],
            )
        size = self._size(factor if nparts is None else nparts, axis)
        at = self.leaf_iter_vars.index(axis)
        gone = self.leaf_iter_vars.pop(at)
        outer = self.new_axis(f"{gone.name}_o", gone.kind)
        inner = self.new_axis(f"{gone.name}_i", gone.kind)
        self.leaf_iter_vars[at:at] = [outer, inner]
        sizes = (size, None) if nparts is None else (None, size)
        text = size.name if isinstance(size, Var) else size
        factors = (None, text) if nparts is None else (text, None)
        self.record(
            "split",
            [gone],
            {"factors": factors},
            Split(gone, outer, inner, *sizes),
        )
        return outer, inner

    def _size(self, size: Any, axis: IterVar) -> Dim:
        if isinstance(size, Const):
            size = size.value
        if isinstance(size, Var) and not is_float(size.dtype):
            return size
        if hasattr(size, "__index__") and not isinstance(size, Expr):
            size = size.__index__()
        if not isinstance(size, int) or not 1 <= size < 2**63:
            raise ScheduleError(
                "KC3108",
                f"split: {size!r} iterations of axis {axis.name}",
                location=caller_location(),
                why="a factor must be an integer from 1 to 2^63 - 1, or a te.var",
                hints=["factor=8"],
            )
        return size

    def fuse(self, *args: IterVar) -> IterVar:
        """Fuse neighbouring axes into one; a pair may be in either order. A single axis is returned
        unchanged; without axes, the result is a new outermost axis of one iteration.
        """
        arguments = list(args[0]) if len(args) == 1 and isinstance(args[0], list | tuple) else args
        axes = [self.leaf(axis, "fuse") for axis in arguments]
        if not axes:
            return self._unit_axis()
        for axis in axes:
            self._serial(axis, "fuse")
        places = [self.leaf_iter_vars.index(axis) for axis in axes]
        if len(axes) == 2 and places[0] == places[1] + 1:
            axes.reverse()
            places.reverse()
        if places != list(range(places[0], places[0] + len(axes))):
            order = ", ".join(leaf.name for leaf in self.leaf_iter_vars)
            raise ScheduleError(
                "KC3109",
                f"fuse: {', '.join(axis.name for axis in axes)} of {self.op.name}",
                location=caller_location(),
                why=f"only adjacent axes can be fused, outermost first; the order is {order}",
                hints=["reorder first"],
            )
        if len(axes) == 1:
            return axes[0]
        kind = "reduce" if any(axis.kind == "reduce" for axis in axes) else "spatial"
        del self.leaf_iter_vars[places[0] : places[-1] + 1]
        fused = self.new_axis("_".join(axis.name for axis in axes) + "_fused", kind)
        self.leaf_iter_vars.insert(places[0], fused)
        self.record("fuse", axes, {}, Fuse(tuple(axes), fused))
        return fused

    def _unit_axis(self) -> IterVar:
        self._computed("fuse")
        around = self.leaf_iter_vars[:1]
        unit = self.new_axis("u", "spatial")
        self.leaf_iter_vars.insert(0, unit)
        self.record("add-unit-loop", around, {}, Singleton(unit))
        return unit

    def reorder(self, *args: IterVar) -> None:
        """Put axes into the given order, within the positions that they occupy."""
        axes = [self.leaf(axis, "reorder") for axis in args]
        if len({id(axis) for axis in axes}) != len(axes):
            twice = next(axis for axis in axes if sum(axis is named for named in axes) > 1)
            raise ScheduleError(
                "KC3110",
                f"reorder: axis {twice.name} is named twice",
                location=caller_location(),
            )
        places = sorted(self.leaf_iter_vars.index(axis) for axis in axes)
        for place, axis in zip(places, axes, strict=True):
            self.leaf_iter_vars[place] = axis
        if axes:
            self.record("reorder", axes, {})

    def tile(
        self, x_parent: IterVar, y_parent: IterVar, x_factor: Any, y_factor: Any
    ) -> tuple[IterVar, IterVar, IterVar, IterVar]:
        """Split two axes and put the inner parts inside both outer ones: (xo, yo, xi, yi)."""
        for axis, factor in ((x_parent, x_factor), (y_parent, y_factor)):
            self._serial(self.leaf(axis, "tile"), "tile")
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

    def _kind(self, primitive: str, axis: IterVar, arguments: dict[str, Any]) -> None:
        leaf = self.leaf(axis, primitive)
        if self._kinds.get(leaf) == primitive != "bind":
            return
        if primitive == "unroll" and self._kinds.get(leaf) == "bind":
            self._unbind(leaf, "unroll", "its body is repeated")
        self._serial(leaf, primitive)
        across = str(arguments.get("thread_axis", "")).startswith("threadIdx")
        if leaf.kind == "reduce" and primitive in ("parallel", "bind") and not across:
            spatial = [
                candidate.name for candidate in self.leaf_iter_vars if candidate.kind != "reduce"
            ]
            raise ScheduleError(
                "KC3111",
                f"{primitive}: axis {leaf.name} is a reduction of {self.op.name}",
                location=caller_location(),
                why=f"all its iterations update one element of {self.op.name}",
                hints=[f"{primitive} a spatial axis: {', '.join(spatial)}"] if spatial else (),
            )
        self._kinds[leaf] = primitive
        self.record(primitive, [leaf], arguments)

    def parallel(self, var: IterVar) -> None:
        """Run the iterations of an axis on several threads."""
        self._kind("parallel", var, {})

    def vectorize(self, var: IterVar) -> None:
        """Make the iterations of an axis the lanes of vectors."""
        self._kind("vectorize", var, {})

    def unroll(self, var: IterVar) -> None:
        """Repeat the body of an axis instead of looping."""
        self._kind("unroll", var, {})

    def bind(self, ivar: IterVar, thread_ivar: ThreadAxis) -> None:
        """Run the iterations of an axis on GPU threads, or on virtual ones. See
        :func:`kc.te.thread_axis`; binding an axis again replaces its threads, with a warning."""
        axis = self.leaf(ivar, "bind")
        require_threads("bind", thread_ivar)
        if self._kinds.get(axis) == "bind":
            self._unbind(axis, "bind", f"it is bound to {thread_ivar.thread_tag}")
        self._kind(
            "bind", axis, {"thread_axis": thread_ivar.thread_tag, "threads": thread_ivar.extent}
        )

    def _unbind(self, axis: IterVar, primitive: str, now: str) -> None:
        """Forget the threads of ``axis``, with a warning (KC3142)."""
        before = next(
            record
            for record in self.records
            if record.primitive == "bind" and record.axes[0] is axis
        )
        warn(
            "KC3142",
            f"{primitive}: axis {axis.name} of {self.op.name} is bound "
            + ("again" if primitive == "bind" else "no longer"),
            location=caller_location(),
            why=f"at {before.location} it was bound to {before.arguments['thread_axis']}, "
            f"now {now}",
        )
        self.records.remove(before)
        del self._kinds[axis]


_LAYOUT = ("split", "fuse", "reorder", "add-unit-loop")
"""The primitives that define the order of the iterations."""
_PAST = {"split": "split", "fuse": "fused", "transform-block-layout": "transformed"}
_KINDS = {
    "parallel": "parallel",
    "vectorize": "vectorized",
    "unroll": "unrolled",
    "bind": "bound to threads",
}
