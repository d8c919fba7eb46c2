"""Default schedules for the functions of a build that nobody has scheduled.

A function with the mark ``kc.unscheduled`` (:mod:`kc.dialects.unscheduled`) gets the schedule that
:func:`kc.auto_schedule` chooses, unless the PassContext has ``opt_level=0`` or disables
``auto-schedule``. All others stay as they are: kc does not change loops that a person wrote. A
remark (KC3750) names them, because they may be 100 times slower than a schedule would make them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.dialects.func import FuncOp

from kc.analysis import loop_tree
from kc.dialects.tir import BlockOp, ForKind, ForOp
from kc.dialects.unscheduled import is_unscheduled, unmark
from kc.support.diagnostics import Location, remark
from kc.support.target import Target
from kc.transform import PassContext


def wants_default_schedules() -> bool:
    """True if the PassContext allows default schedules."""
    context = PassContext.current()
    return context.opt_level > 0 and "auto-schedule" not in context.disabled_pass


def choose_where_unscheduled(module: ModuleOp, target: Target) -> tuple[list[str], list[str]]:
    """Schedule the marked functions of a module in place, and remove the marks.

    The results are the names of the scheduled functions, and of the functions without a rule; both
    are empty if default schedules are disabled.
    """
    from kc.transforms.auto_schedule.auto_schedule import choose_in_place

    names = [
        function.sym_name.data for function in loop_tree.kernels(module) if is_unscheduled(function)
    ]
    counts = choose_in_place(module, target, names) if names and wants_default_schedules() else {}
    unmark(loop_tree.functions(module))
    return (
        [name for name, count in counts.items() if count],
        [name for name, count in counts.items() if not count],
    )


def loops_as_written(module: ModuleOp, target: Target, scheduled: Iterable[str]) -> list[str]:
    """The names of the functions whose loops stay unscheduled, although the user did not ask for
    it.

    ``scheduled`` are the names of the functions that got a schedule, even an incomplete one. The
    result is empty if the target has no default schedules or is a GPU, which cannot run such loops,
    or if the PassContext asks for unchanged loops.
    """
    from kc.transforms.auto_schedule.auto_schedule import has_rules

    if not wants_default_schedules() or "gpu" in target.keys:
        return []
    done = set(scheduled)
    names = [
        function.sym_name.data
        for function in loop_tree.kernels(module)
        if function.sym_name.data not in done and has_loops_as_written(function)
    ]
    return names if names and has_rules(target) else []  # rules take a while to import


def tell_of_loops_as_written(
    names: Iterable[str], hints: Sequence[str], location: Location | None = None
) -> None:
    """A remark (KC3750) that names the functions of :func:`loops_as_written`."""
    listed = ", ".join(f"@{name}" for name in names)
    if listed:
        remark(
            "KC3750",
            f"the loops of {listed} are compiled as they are written",
            location=location,
            why="no loop is parallel, vectorized or unrolled; rules choose a schedule for tensors, "
            "te, linalg, tosa",
            hints=list(hints),
        )


def has_loops_as_written(function: FuncOp) -> bool:
    """True if a function has loops, none of which is partly scheduled."""
    from kc.transforms.auto_schedule.nests import is_begun

    has_loops = False
    for op in loop_tree.preorder(function):
        if isinstance(op, ForOp):
            if op.kind.data not in (ForKind.SERIAL, ForKind.WHILE) or op.annotations is not None:
                return False
        elif isinstance(op, BlockOp):
            if is_begun(op):
                return False
        elif op.name in ("scf.parallel", "scf.forall", "gpu.launch", "gpu.launch_func"):
            return False
        elif any(isinstance(result.type, VectorType) for result in op.results):
            return False
        has_loops = has_loops or isinstance(op, ForOp | scf.ForOp)
    return has_loops


def tell_of_schedule(names: Iterable[str]) -> None:
    """A remark (KC3751) that names the functions that got a schedule."""
    listed = ", ".join(f"@{name}" for name in names)
    if listed:
        remark(
            "KC3751",
            f"a schedule was chosen for {listed}",
            hints=[
                "kc-opt --auto-schedule shows it; --auto-schedule=false runs the loops as written"
            ],
        )
