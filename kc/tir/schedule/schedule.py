"""The eager schedule: every primitive rewrites the module at once, or is refused and changes
nothing. After TVM's ``tir.Schedule``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from kc.analysis import loop_tree
from kc.analysis.module_copy import copy_module
from kc.analysis.trust import undecided
from kc.dialects.tir import BlockOp, ForOp
from kc.dialects.unscheduled import unmark
from kc.support import registry
from kc.support.declarations import Slot, parameters
from kc.support.deep import refusing_depth
from kc.support.diagnostics import (
    InternalError,
    KCError,
    ScheduleError,
    UnknownName,
    counted,
    suggest,
)
from kc.support.ir_text import print_module
from kc.support.locations import caller_location
from kc.support.reproducer import internal_error
from kc.support.target import Target, TargetLike, known_target, target_to_build_for
from kc.tir import block_regions  # noqa: F401  (gives blocks their reads and writes)
from kc.tir.legal import Choice, function_of, legal_choices
from kc.tir.methods import Method, find_method, method_names
from kc.tir.module import how_to_get_module, kind_of
from kc.tir.schedule_state import BlockScope, Dependency, DepKind, ScheduleState, StmtSRef
from kc.tir.views import ScheduleViews
from kc.transforms.schedule.base import CALL_SITE, Primitive, called_from
from kc.transforms.tir.vectorize.choose_vector_form import choose_vector_form
from kc.transforms.to_tir import to_tir
from kc.transforms.trace.binding import Binder
from kc.transforms.trace.handles import BlockRV, ExprRV, Handle, LoopRV, Variable
from kc.transforms.trace.instruction import Instruction, InstructionKind
from kc.transforms.trace.queries import GetBlock, GetLoop
from kc.transforms.trace.reading import find_step
from kc.transforms.trace.session import Session, Step, is_rewrite
from kc.transforms.trace.trace import Trace, replay

__all__ = [
    "BlockRV",
    "BlockScope",
    "DepKind",
    "Dependency",
    "ExprRV",
    "Instruction",
    "InstructionKind",
    "LoopRV",
    "Schedule",
    "ScheduleError",
    "ScheduleState",
    "StmtSRef",
    "Trace",
]


if TYPE_CHECKING:
    from kc.tir.schedule_methods import ScheduleMethods
else:
    ScheduleMethods = object


_JSON_FIELDS: dict[str, Any] = {
    "module": str,
    "target": str,
    "trace": dict,
    "working": str | None,
    "checks": bool,
    "error_render_level": str,
}


class Schedule(ScheduleViews, ScheduleMethods):
    """Rewrites a module by schedule primitives.

    ``mod`` is a ``kc.IRModule`` or an xDSL ``ModuleOp`` at the level of ``tir`` (tensor expressions
    are lowered first). The module is copied. :attr:`mod` is the scheduled module; ``kc.build``
    compiles its loops unchanged, also before the first primitive. Primitives raise
    :class:`ScheduleError` with the line of the call, and leave the module unchanged then.

    ``target`` is the target to schedule for (default: the module's, else the current one). With a
    known target, a module with two forms of a statement, of ``topi.sort`` for instance, keeps the
    form for the target (``choose-vector-form``): the trace of a default schedule fits no other
    form.

    Every primitive is a method, including the primitives of plugins: see ``help(sch.split)`` and
    ``dir(sch)``. ``seed`` makes sampling reproducible. ``debug_mask`` "all" (or not 0) verifies the
    module after every primitive. ``error_render_level`` is the detail of a refusal: "detail",
    "fast" (no loop tree) or "none" (the title).
    """

    def __init__(
        self,
        mod: Any,
        *,
        seed: int | None = None,
        debug_mask: Literal["none", "all"] | int = "none",
        error_render_level: Literal["detail", "fast", "none"] = "detail",
        enable_check: bool = True,
        target: TargetLike | None = None,
    ) -> None:
        del enable_check  # legality is always checked
        module = getattr(mod, "op", mod)
        if not isinstance(module, ModuleOp):
            raise ScheduleError(
                "KC3121",
                f"tir.Schedule: {kind_of(mod)} is not a module",
                location=caller_location(),
                hints=[how_to_get_module(mod)],
            )
        _require_choice("debug_mask", debug_mask, ("none", "all"), isinstance(debug_mask, int))
        _require_choice("error_render_level", error_render_level, ("detail", "fast", "none"))
        with refusing_depth("tir.Schedule", lambda: print_module(module)):
            copy = copy_module(module)
            to_tir(copy)
            unmark(loop_tree.functions(copy))
            machine = Target(target) if target is not None else known_target(copy)
            if machine is not None:
                choose_vector_form(copy, machine)
            self._original = copy_module(copy)
        # The diagnostic of the last call if that call was refused, else None.
        self._refusal: ScheduleError | None = None
        self.session = Session(copy, machine or target_to_build_for(copy), seed)
        self.session.checks = debug_mask not in ("none", 0)
        self.error_render_level = error_render_level

    def __repr__(self) -> str:
        names = [f"@{function.sym_name.data}" for function in loop_tree.functions(self.module)]
        return f"<kc schedule of {', '.join(names)}; {counted(len(self.trace), 'instruction')}>"

    # Looking -------------------------------------------------------------------------------

    @property
    def module(self) -> ModuleOp:
        """The current module, as an op."""
        return self.session.module

    @property
    def target(self) -> Target:
        """The target of the schedule."""
        return self.session.target

    @property
    def mod(self) -> Any:
        """The current module, as a ``kc.IRModule``."""
        from kc.tir.module import IRModule

        module = IRModule(self.module)
        if any(map(is_rewrite, self.session.trace)):
            module.scheduled = frozenset(module.functions)
        return module

    def work_on(self, func_name: str) -> None:
        """Make this function the default for look-ups by name in the following calls."""
        with called_from(caller_location()):
            self.session.function(func_name)
        self.session.working = func_name

    @overload
    def get(self, rand_var_or_sref: LoopRV) -> ForOp: ...
    @overload
    def get(self, rand_var_or_sref: BlockRV) -> BlockOp | FuncOp: ...
    @overload
    def get(self, rand_var_or_sref: ExprRV) -> int: ...
    def get(self, rand_var_or_sref: Variable) -> ForOp | BlockOp | FuncOp | int:
        """The value of a variable: the op of a loop or block (of the root, the function), or a
        number. ``sch[variable]`` is the same."""
        if isinstance(rand_var_or_sref, ExprRV):
            return int(rand_var_or_sref)
        with called_from(caller_location()):
            if isinstance(rand_var_or_sref, BlockRV):
                return self.session.block_or_root(rand_var_or_sref)
            return self.session.loop(rand_var_or_sref)

    __getitem__ = get

    @property
    def state(self) -> ScheduleState:
        """The blocks and loops of the current module, and their dependences."""
        return ScheduleState(self.module)

    def get_sref(self, rand_var_or_stmt: Any) -> StmtSRef | None:
        """The reference to a loop or block, by its variable or its operation."""
        is_handle = isinstance(rand_var_or_stmt, Handle)
        op = self.get(rand_var_or_stmt) if is_handle else rand_var_or_stmt  # pyright: ignore
        return self.state.get_sref(op)

    def remove_rv(self, rand_var: Variable) -> None:
        """Forget a handle; its loop or block is unchanged."""
        if isinstance(rand_var, Handle):
            self.session.forget(rand_var)

    def enable_checks(self, enabled: bool = True) -> None:
        """Turn the verification of the module after every primitive on or off."""
        self.session.checks = enabled

    def seed(self, seed: int) -> None:
        """Restart the random numbers from a seed."""
        self.session.random.seed(seed)

    def fork_seed(self) -> int:
        """A seed for another schedule, drawn from the random numbers of this schedule."""
        return self.session.random.randrange(1, 2**31)

    # Remembering ---------------------------------------------------------------------------

    @property
    def trace(self) -> Trace:
        """The calls so far, which can be printed as Python, IR or JSON, and replayed on another
        module.
        """
        return Trace(self.session.trace)

    def copy(self) -> Schedule:
        """A schedule of its own in the same state. It understands the handles of this one."""
        copied = object.__new__(Schedule)
        copied._original = self._original
        copied._refusal = self._refusal
        copied.error_render_level = self.error_render_level
        copied.session = self.session.copy()
        return copied

    def as_json(self) -> dict[str, Any]:
        """Data for ``json.dumps``: the module that the schedule began with, and its calls."""
        return {
            "module": print_module(self._original),
            "target": str(self.target),
            "trace": self.trace.as_json(),
            "working": self.session.working,
            "checks": self.session.checks,
            "error_render_level": self.error_render_level,
        }

    @classmethod
    def from_json(cls, data: Any) -> Schedule:
        """The schedule of :meth:`as_json`: its calls are replayed on its module.

        The random generator restarts. Raises the errors of invalid IR, of an invalid trace, and of
        a refused call; ValueError for data in another format.
        """
        from kc.tir.module import IRModule

        for key, kinds in _JSON_FIELDS.items():
            if not isinstance(data, dict) or not isinstance(data.get(key, ...), kinds):
                raise ValueError(f'a schedule needs the key "{key}"')
        level = data["error_render_level"]
        module = IRModule.parse(data["module"], "<json>")
        schedule = cls(module, target=data["target"], error_render_level=level)
        replay(schedule.session, Trace.from_json(data["trace"], "<json>").insts)
        if data["working"] is not None:
            schedule.work_on(data["working"])
        schedule.session.checks = data["checks"]
        return schedule

    def __reduce__(self) -> tuple[Any, ...]:
        return Schedule.from_json, (self.as_json(),)

    def undo(self) -> None:
        """Undo the last primitive, and the look-ups after it.

        Older handles stay valid; using a newer handle raises an explanation. :attr:`mod` is another
        module afterwards. Raises KC3740 if there is nothing to undo.
        """
        self._refusal = None
        trace = self.session.trace
        last = next(
            (n for n, instruction in reversed([*enumerate(trace)]) if is_rewrite(instruction)), None
        )
        if last is None:
            raise ScheduleError(
                "KC3740", "undo: the schedule has no primitive to undo", location=caller_location()
            )
        undone = trace[last]
        at = f" at {undone.location}" if undone.location else ""
        prefix = trace[:last]
        session = self.session.fresh(copy_module(self._original))
        session.working = None  # the calls name the function that was worked on then
        replay(session, prefix, same=True, explains=False)
        for instruction in trace[last:]:
            for output in instruction.outputs:
                if isinstance(output, Handle):
                    why = f"{output.label} was made after {undone.kind}{at}, which was undone"
                    session.bind(output, None, why)
        self.session.become(session)

    # Asking --------------------------------------------------------------------------------

    def legal(self, primitive: str, **arguments: Any) -> list[Choice]:
        """The legal calls of a primitive, ``sch.legal("compute_at", block=b)``; calling one
        performs it.

        ``arguments`` fix some arguments of the method; the other arguments range over the choices
        that the primitive offers (its ``candidates``).
        """
        with called_from(caller_location()):
            if not isinstance(primitive, str):
                raise ScheduleError(
                    "KC3701",
                    f"legal: {type(primitive).__name__} is not the name of a primitive",
                    location=CALL_SITE.get(),
                    hints=['sch.legal("compute_at", block=b)'],
                )
            step = self.step_of(primitive)
            before = len(self.session.trace)
            declared = {parameter.name for parameter in parameters(step)}
            unknown = next((name for name in arguments if name not in declared), None)
            if unknown is not None or not issubclass(step, Primitive):
                raise ScheduleError(
                    "KC3701",
                    f"legal: {primitive} "
                    + (f"has no argument '{unknown}'" if unknown else "is not a primitive"),
                    location=CALL_SITE.get(),
                    hints=suggest(unknown, declared, "the arguments are") if unknown else [],
                )
            fixed = self.session.fields_of(step, Binder(step, self._resolve).bind_some(arguments))
            del self.session.trace[before:]
            chosen = {function_of(value) for value in fixed.values()} - {None}
            functions = [
                function
                for function in loop_tree.functions(self.module)
                if not chosen or function in chosen
            ]
            return list(legal_choices(self, step, fixed, functions))

    def can(self, primitive: str, *args: Any, **kwargs: Any) -> bool:
        """True if a call of a primitive would be legal; the module is not changed."""
        session = self.session
        before = len(session.trace)
        with called_from(caller_location()):
            step = find_step(primitive)
            assert issubclass(step, Primitive)
            try:
                binder = Binder(step, self._resolve, partial(session.indices, step))
                chosen = session.make(step, binder.bind(args, kwargs))
                with undecided(trusted=binder.unsafe):
                    chosen.plan(session.site_of(chosen))
            except ScheduleError:
                return False
            finally:
                del session.trace[before:]
        return True

    def can_decompose_padding(self, block: BlockRV | str, loop: LoopRV) -> bool:
        """True if a call of :meth:`decompose_padding` with these arguments would be legal."""
        return self.can("decompose_padding", block, loop)

    def step_of(self, method: str) -> Step:
        """The primitive, query or sampling class of a method. Raises KC3711 for an unknown
        method.
        """
        return find_step(method)

    # Performing ----------------------------------------------------------------------------

    def _call(self, step: Step, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Perform a step with Python arguments. The value is its results as Python values."""
        session, location = self.session, caller_location()
        before = len(session.trace)
        try:
            with called_from(location):
                binder = Binder(step, self._resolve, partial(session.indices, step))
                arguments = binder.bind(args, kwargs)
                decision = arguments.pop("decision", None)
                done = session.perform(
                    step, arguments, location, decision=decision, unsafe=binder.unsafe
                )
        except KCError as error:
            del session.trace[before:]
            self._shorten(error)
            self._refusal = error if isinstance(error, ScheduleError) else None
            raise
        except InternalError as error:
            del session.trace[before:]
            raise self._roll_back(step, args, kwargs, error) from error
        self._refusal = None
        return results_of(done)

    def _roll_back(
        self, step: Step, args: tuple[Any, ...], kwargs: dict[str, Any], error: InternalError
    ) -> InternalError:
        """Undo a primitive that failed halfway. The result contains a reproducer for the bug
        report.
        """
        values = [*map(str, args), *(f"{name}={value}" for name, value in kwargs.items())]
        call = f"Schedule.{step.name.replace('-', '_')}({', '.join(values)})"
        calls = self.trace.as_python().splitlines()
        source = "".join(f"// {line}\n" for line in [*calls, call]) + print_module(self._original)
        session = self.session.fresh(copy_module(self._original))
        session.working = None
        replay(session, self.session.trace, same=True, explains=False)
        self.session.become(session)
        message = (
            str(error) if error.reproduced else internal_error(call, error, source=source).message
        )
        return InternalError(message, reproduced=True)

    def _resolve(self, slot: Slot, value: Any) -> Handle:
        """The handle for an argument that names a loop or a block."""
        if slot.handle == "loop":
            if isinstance(value, str):
                return self._loop_named(value)
            self.session.find_loop(value)
            return value
        if isinstance(value, str):
            # The trace records a get_block, so that it has a variable for the block.
            handle = self.session.perform(GetBlock, {"block": value}, CALL_SITE.get()).outputs[0]
            assert isinstance(handle, BlockRV)
            return handle
        self.session.block_or_root(value)  # a query accepts the root, a primitive refuses it
        return value

    def _loop_named(self, name: str) -> Handle:
        """The handle of a loop by name, recorded as a get_loop. Raises KC3003 if no loop has the
        name, KC3004 if several have it.
        """
        try:
            done = self.session.perform(GetLoop, {"loop": name}, CALL_SITE.get())
        except ScheduleError as error:
            if error.code == "KC3004":
                error.hints = (f'sch.get_loop("{name}", block="...") gives that of a block',)
            raise
        (loop,) = done.outputs
        assert isinstance(loop, LoopRV)
        return loop

    def _shorten(self, error: KCError) -> None:
        if self.error_render_level != "detail":
            error.facts = ()
        if self.error_render_level == "none":
            error.why, error.hints = None, ()

    def __getattr__(self, name: str) -> Any:
        method = find_method(name) if not name.startswith("_") else None
        if method is None:
            hints = "; ".join(suggest(name, dir(type(self)) + method_names()))
            raise UnknownName(f"Schedule has no attribute '{name}'; {hints}")
        return method.__get__(self, type(self))

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *method_names()} - {"session", "step_of"})


def results_of(done: Instruction) -> Any:
    """The result of a call: None, a variable, or a list of variables."""
    gives = done.step.gives
    if gives == "nothing":
        return None
    if gives == "optional block":
        (output,) = done.outputs
        return output if isinstance(output, BlockRV) and output.gone is None else None
    return list(done.outputs) if gives.endswith("s") else done.outputs[0]


def _require_choice(what: str, choice: Any, choices: tuple[str, ...], also: bool = False) -> None:
    if not also and choice not in choices:
        raise ScheduleError(
            "KC3702",
            f"Schedule: {what} must be one of {', '.join(choices)}, not {choice!r}",
            location=caller_location(),
        )


# Those of plugins are found by __getattr__.
for _flag in registry.own().steps:
    setattr(Schedule, _flag.replace("-", "_"), Method(_flag))
