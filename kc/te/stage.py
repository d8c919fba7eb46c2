"""A stage: an operation of a schedule, its place of computation, and its storage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kc.expr.constructors import Expr, IterVar
from kc.expr.tensor import ComputeOp, Operation, ScanOp, Tensor
from kc.expr.threads import ThreadAxis, require_threads, thread_condition
from kc.support.diagnostics import Location, ScheduleError, warn
from kc.support.display import to_html
from kc.support.files import use_code_files
from kc.support.locations import caller_location
from kc.support.public_names import PublicNames
from kc.te.axes import Axes, Record
from kc.te.iter_var_attrs import IterVarAttr, iter_var_attrs
from kc.te.stage_text import stage_text
from kc.te.to_ir import post_order

if TYPE_CHECKING:
    from kc.te.schedule import Schedule

GROUP_ROOT, INLINE, INLINED_ALREADY, SCOPE, SCAN_UPDATE = 1, 2, 3, 4, 5
"""The values of :attr:`Stage.attach_type`, as TVM's."""


@dataclass(frozen=True)
class Attach:
    """The place of a stage: ``at`` an axis of its consumer, or ``inline``; and the user's line."""

    kind: str
    location: Location | None
    parent: Stage | None = None
    axis: IterVar | None = None


class Stage(Axes, metaclass=PublicNames):
    """The schedule of an operation: its axes, outermost first, and the calls recorded on them."""

    _INTERNAL = frozenset(
        "attach become continue_as expressions leaf leaf_of new_axis place record records roots "
        "scan schedule scope_location storage store threads why_gone".split()
    )

    def __init__(
        self, op: Operation, schedule: Schedule | None = None, scan: ScanOp | None = None
    ) -> None:
        super().__init__(op, schedule, scan)
        self.attach: Attach | None = None
        self.group: Group | None = None
        self.scope = ""
        self.store_predicate: Any = None
        self.threads: list[ThreadAxis] = []
        self.scope_location: Location | None = None
        self.storage: list[Record] = []
        """Calls on the tensor; they are performed when all loops are in place."""

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__()} - self._INTERNAL)

    def __repr__(self) -> str:
        return stage_text(self)

    def _repr_html_(self) -> str:
        return to_html((repr(self), "kc-loops"))

    @property
    def is_output(self) -> bool:
        """True if the result is an output of the schedule."""
        return self.schedule is not None and any(self.op is op for op in self.schedule.outputs)

    def expressions(self) -> list[Expr]:
        """All expressions of the operation: its bodies and its symbolic sizes."""
        op = self.op
        exprs: list[Any] = list(op.shape)
        if isinstance(op, ComputeOp):
            exprs += [*map(op.extent_of, op.reduce_axis), *op.bodies]
        return [expr for expr in exprs if isinstance(expr, Expr)]

    def continue_as(self, source: Stage) -> None:
        """Take over the records of ``source``, a stage of the same operation."""
        self.origin_op = source.origin_op
        self.leaf_iter_vars = list(source.leaf_iter_vars)
        self.all_iter_vars = list(source.all_iter_vars)
        self.records, self.storage = list(source.records), list(source.storage)
        self.scope, self.scope_location = source.scope, source.scope_location
        self._kinds, self._gone = dict(source._kinds), dict(source._gone)

    # Where -----------------------------------------------------------------------------------

    def compute_at(self, parent: Stage, scope: IterVar) -> None:
        """Compute the part of the tensor that an iteration of the consumer's axis ``scope`` reads.

        If ``scope`` is split or fused later, the innermost result replaces it.
        """
        self._movable("compute_at")
        if not isinstance(parent, Stage) or parent is self or parent.schedule is not self.schedule:
            text = "itself" if parent is self else "a stage of another schedule"
            raise ScheduleError(
                "KC3132",
                f"compute_at: {self.op.name} is to be computed at an axis of "
                + (text if isinstance(parent, Stage) else f"a {type(parent).__name__}"),
                location=caller_location(),
                why="a tensor can be computed only inside a loop of its reader",
                hints=[f"s[{self.op.name}].compute_at(s[consumer], axis)"],
            )
        self._same_group(parent)
        axis = parent.leaf(scope, "compute_at")
        if self.scan is not None and isinstance(parent.op, ScanOp):
            self.attach = None  # the time loop is where the stages of a step are
            return
        self.attach = Attach("at", caller_location(), parent, axis)

    def compute_inline(self) -> None:
        """Compute each element at its reads; the tensor is not stored."""
        self._movable("compute_inline")
        self.attach = Attach("inline", caller_location())

    def compute_root(self) -> None:
        """Compute the whole tensor before its consumers: the default."""
        self._computed("compute_root")
        self.attach = None

    @property
    def is_update(self) -> bool:
        """True if the operation computes the rows of a scan."""
        return self.scan is not None and any(tensor.op is self.op for tensor in self.scan.update)

    def _movable(self, primitive: str) -> None:
        self._computed(primitive)
        if isinstance(self.op, ScanOp) or self.is_update:
            raise ScheduleError(
                "KC3152",
                f"{primitive}: {self.op.name} is "
                + ("a scan" if self.scan is None else f"an update of the scan {self.scan.name}"),
                location=caller_location(),
                why="the rows of a scan are computed in order, each from earlier rows",
                hints=["inputs of an update can be computed at its axes"],
            )
        if self.is_output:
            raise ScheduleError(
                "KC3133",
                f"{primitive}: {self.op.name} is an output",
                location=caller_location(),
                why="the caller gets all of an output, so it is computed at the root",
                hints=[f"s.cache_write({self.op.name}, scope) gives a tensor that can be moved"],
            )

    def _same_group(self, parent: Stage) -> None:
        group, outer = self.group, parent.group
        while group is not None and outer is not None and outer is not group:
            outer = outer.group
        if group is not None and outer is not group:
            raise ScheduleError(
                "KC3137",
                f"compute_at: {self.op.name} and {parent.op.name} are not in one group",
                location=caller_location(),
                why=f"{self.op.name} is in {group.describe()}, and must be computed at its "
                "place, or "
                "inside it",
                hints=["compute the group there: group.compute_at(...)"],
            )

    @property
    def place(self) -> Attach | None:
        """The place of the stage: its own, or else that of its group."""
        group = self.group
        place = self.attach
        while place is None and group is not None:
            place, group = group.attach, group.group
        return place

    @property
    def attach_type(self) -> int:
        """TVM's number for how the stage is computed."""
        if self.attach is None:
            return SCAN_UPDATE if self.scan is not None else GROUP_ROOT
        return INLINE if self.attach.kind == "inline" else SCOPE

    @property
    def iter_var_attrs(self) -> Mapping[IterVar, IterVarAttr]:
        """The attributes of the axes: threads, vectors, pragmas."""
        return iter_var_attrs(self)

    @property
    def attach_ivar(self) -> IterVar | None:
        """The axis that the stage is computed in."""
        return self.attach.axis if self.attach is not None else None

    @property
    def attach_stage(self) -> Stage | None:
        """The stage that contains this stage. None at the root."""
        return self.attach.parent if self.attach is not None else None

    # What is in an axis ----------------------------------------------------------------------

    def pragma(self, var: IterVar, pragma_type: str, pragma_value: Any = None) -> None:
        """Give an axis a pragma; ``"unroll"`` and ``"vectorize"`` are the primitives."""
        if pragma_type in ("unroll", "vectorize"):
            self._kind(pragma_type, var, {})
            return
        axis = self.leaf(var, "pragma")
        use_code_files(pragma_value)
        argument = {} if pragma_value is None else {"value": _plain(pragma_value)}
        self.record("pragma", [axis], {"pragma_type": pragma_type, **argument})

    def tensorize(self, var: IterVar, tensor_intrin: Any) -> None:
        """Replace the contents of an axis by a tensor intrinsic, given by name or as an object."""
        axis = self.leaf(var, "tensorize")
        if hasattr(tensor_intrin, "in_loops"):  # of symbolic size
            tensor_intrin = tensor_intrin.in_loops(self, axis)
        name = getattr(tensor_intrin, "name", tensor_intrin)
        if not isinstance(name, str):
            raise ScheduleError(
                "KC3151",
                f"tensorize: {type(tensor_intrin).__name__} is not a tensor intrinsic",
                location=caller_location(),
                why="an intrinsic is registered by a name",
                hints=['s[C].tensorize(axis, "dot_f32_4")'],
            )
        self.record("tensorize", [axis], {"tensor_intrin": name})

    def prefetch(self, tensor: Tensor, var: IterVar, offset: Any) -> None:
        """Prefetch the elements of ``tensor`` that are read ``offset`` iterations later."""
        axis = self.leaf(var, "prefetch")
        assert self.schedule is not None
        needed = {operand for op in post_order([self.op]) for operand in op.input_tensors}
        if not isinstance(tensor, Tensor) or self.schedule.current(tensor) not in needed:
            names = ", ".join(operand.name for operand in self.op.input_tensors) or "nothing"
            raise ScheduleError(
                "KC3130",
                f"prefetch: {self.op.name} does not read {getattr(tensor, 'name', tensor)!s}",
                location=caller_location(),
                why=f"{self.op.name} reads {names}",
            )
        self.record(
            "prefetch", [axis], {"buffer": self.schedule.current(tensor), "offset": _plain(offset)}
        )

    # Storage --------------------------------------------------------------------------------

    def set_scope(self, scope: str) -> None:
        """Put the tensor into a memory scope, as ``"shared"``."""
        self._computed("set_scope")
        check_scope("set_scope", scope)
        self.scope, self.scope_location = scope, caller_location()

    def transform_layout(self, mapping_function: Callable[..., Any]) -> list[IterVar] | None:
        """Store the element of each index at ``mapping_function(*index)``, and compute the elements
        in that order. Returns the axes of that order, and None for an input, whose caller must then
        use the layout. Among the results, ``te.AXIS_SEPARATOR`` separates axes of physical memory.
        A map with ``^``, a swizzle, leaves the axes unchanged.
        """
        from kc.te.layouts import transform_layout  # index maps are loaded when they are used

        return transform_layout(self, mapping_function)

    def storage_align(self, axis: IterVar, factor: int, offset: int) -> None:
        """Make the distance between elements along ``axis`` a multiple of ``factor``, plus
        ``offset``. It is an axis of the operation, and may have been split."""
        self._computed("storage_align")
        places = [n for n, dimension in enumerate(self.op.axis) if dimension is axis]
        if not places:
            self.leaf(axis, "storage_align")  # raises the refusal for an axis of another stage
            names = ", ".join(dimension.name for dimension in self.op.axis)
            raise ScheduleError(
                "KC3148",
                f"storage_align: {axis.name} is not a dimension of {self.op.name}",
                location=caller_location(),
                why=f"the dimensions are {names}, also after a split",
                hints=[f"s[{self.op.name}].op.axis gives them"],
            )
        arguments = {"axis": places[0], "factor": _plain(factor), "offset": _plain(offset)}
        self.store("storage-align", arguments)

    def double_buffer(self) -> None:
        """Give the tensor two buffers: one is filled while the other is read."""
        self._movable("double_buffer")
        self.store("double-buffer", {})

    def rolling_buffer(self) -> None:
        """Keep the elements that the next iteration reads again, instead of recomputing them."""
        self._movable("rolling_buffer")
        self.store("rolling-buffer", {})

    def store(self, primitive: str, arguments: dict[str, Any]) -> None:
        """Record a call on the tensor."""
        self.storage.append(Record(primitive, (), arguments, (), caller_location()))

    def set_store_predicate(self, predicate: Any) -> None:
        """Store only from some of the threads that compute the same value: ``tx.var.equal(0)``.

        The result does not depend on the predicate; code generation may omit the other stores.
        """
        self._computed("set_store_predicate")
        self.store_predicate = predicate
        value = {"key": "store_predicate", "value": thread_condition(self.op.name, predicate)}
        self.storage.append(Record("annotate", (), value, (), caller_location()))

    # Scans -----------------------------------------------------------------------------------

    def env_threads(self, threads: Any) -> None:
        """Name the threads that all stages of a scan run on.

        Each stage binds its own axes to them. Here a step of the scan is a separate kernel, so the
        call has no effect, and causes the warning KC3154.
        """
        if not isinstance(self.op, ScanOp) or self.threads:
            raise ScheduleError(
                "KC3147",
                f"env_threads: {self.op.name} "
                + ("has its threads already" if self.threads else "is not a scan"),
                location=caller_location(),
                why="a scan is given all its threads at once"
                if self.threads
                else "only a scan has stages of its own inside, which need the threads around them",
                hints=[] if self.threads else [f"s[{self.op.name}].bind(axis, thread)"],
            )
        axes = list(threads) if isinstance(threads, list | tuple) else [threads]
        for thread in axes:
            require_threads("env_threads", thread)
        self.threads = axes
        names = ", ".join(thread.thread_tag for thread in axes)
        warn(
            "KC3154",
            f"env_threads: {names} around the scan {self.op.name}",
            location=caller_location(),
            why="each step is a separate kernel; its stages are bound to threads separately",
        )


class Group:
    """Stages that are computed at the same place: the result of :meth:`Schedule.create_group`."""

    def __init__(self, schedule: Schedule, ops: Sequence[Operation]) -> None:
        self.schedule = schedule
        self.ops = list(ops)
        self.group: Group | None = None
        self.attach: Attach | None = None

    def __repr__(self) -> str:
        return f"Group({', '.join(op.name for op in self.ops)})"

    def describe(self) -> str:
        """``the group of B, C``."""
        return f"the group of {', '.join(op.name for op in self.ops)}"

    def compute_at(self, parent: Stage, scope: IterVar) -> None:
        """Compute the group's stages that have no other place at the axis ``scope`` of
        ``parent``.
        """
        inside: Group | None = parent.group
        while inside is not None and inside is not self:
            inside = inside.group
        outer = parent.group
        while self.group is not None and outer is not None and outer is not self.group:
            outer = outer.group
        if inside is self or (self.group is not None and outer is not self.group):
            raise ScheduleError(
                "KC3137",
                f"compute_at: {self.describe()} at an axis of {parent.op.name}",
                location=caller_location(),
                why=f"{parent.op.name} is in the group itself"
                if inside is self
                else "a group must be computed at the place of the enclosing group, or inside it",
            )
        for op in self.ops:
            stage = self.schedule[op]
            if stage.is_output:
                stage._movable("compute_at")
        axis = parent.leaf(scope, "compute_at")
        self.attach = Attach("at", caller_location(), parent, axis)

    def compute_root(self) -> None:
        """Compute the group at the root: the default."""
        self.attach = None

    @property
    def attach_type(self) -> int:
        """TVM's number for how the group is computed."""
        return GROUP_ROOT if self.attach is None else SCOPE

    @property
    def attach_ivar(self) -> IterVar | None:
        """The axis that the group is computed in."""
        return self.attach.axis if self.attach is not None else None

    @property
    def attach_stage(self) -> Stage | None:
        """The stage that contains the group. None at the root."""
        return self.attach.parent if self.attach is not None else None


def _plain(value: Any) -> Any:
    """The number of a constant expression; any other value is unchanged."""
    return getattr(value, "value", value)


def check_scope(primitive: str, scope: Any) -> None:
    """Refuse (KC3702) an invalid name of a memory scope; None is the global scope."""
    if scope is not None and not isinstance(scope, str):
        raise ScheduleError(
            "KC3702",
            f"{primitive}: scope is a string, not {scope!r}",
            location=caller_location(),
            hints=['scope="local"'],
        )
