"""``kc.lower`` and ``kc.build``: from a schedule or a module to IR, and to functions to call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.analysis.module_copy import copy_module
from kc.default_schedules import (
    choose_where_unscheduled,
    loops_as_written,
    tell_of_loops_as_written,
)
from kc.dialects.unscheduled import mark_unscheduled
from kc.support import progress
from kc.support.diagnostics import TEError, counted, suggest
from kc.support.files import read_bytes, read_text
from kc.support.ir_text import print_module
from kc.support.locations import caller_location
from kc.support.pass_context import pipeline_options, using_options
from kc.support.paused_collection import paused_collection
from kc.support.reproducer import reproducing
from kc.support.second_names import second_names
from kc.support.target import Target
from kc.te.buffers import Buffer
from kc.te.expr import Var
from kc.te.lowering import lower_schedule
from kc.te.schedule import Schedule, create_schedule
from kc.te.tensor import Operation, PlaceholderOp, Tensor
from kc.tir.module import IRModule, how_to_get_module, kind_of
from kc.tir.prim_func import PrimFunc
from kc.transform import PassContext
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.threads._foreign_values import require_kernels
from kc.transforms.to_tir import to_tir
from kc.transforms.trace.session import is_rewrite
from kc.tvm.intrin_rules import lower_operators

if TYPE_CHECKING:
    from kc import backends, tir
    from kc.conversion.pipelines import Order
    from kc.runtime.module import WatchedModule

Instrument = Callable[[str, ModuleOp], None]
"""Called after each stage of a build with its name and the module."""


def lower(
    inp: Any,
    args: Sequence[Any] | None = None,
    name: str = "main",
    binds: Mapping[Tensor, Buffer] | None = None,
    simple_mode: bool = False,
    *,
    target: Target | str | None = None,
) -> IRModule:
    """The scheduled loops (``tir``) of a schedule, tensors, or module.

    ``inp`` is a TE schedule with its ``args``, a ``kc.tir.Schedule``, tensors, a module with ``te``
    or ``tir`` functions, or a list of modules. Nobody has scheduled tensors (with ``args``, or all
    arguments as a list), ``te`` functions, linalg, tosa, and what is marked ``kc.unscheduled``
    (``te.create_prim_func``, :func:`kc.from_torch`): a schedule is chosen (:func:`auto_schedule`)
    unless the PassContext has ``opt_level=0``. A schedule that is given stays as it is, also one
    without a call, and so do loops. The target may stand in the place of ``args``. A list beside a
    module must name the arguments of its function; ``name`` renames a ``PrimFunc``, or names a
    function of a module (KC2029). ``binds`` are buffers (``tir.decl_buffer``)
    that say how arguments lie in memory, where that is not dense. The result is at the level that
    people schedule and read; the passes of phase 0 that plugins and the PassContext add have run.
    If the PassContext adds passes to a later phase, the result is lowered to that phase, for
    ``target``. With ``simple_mode`` it is the same module, which is shown as the loops that TVM
    prints (``script(style="tvm")``): by ``show()``, ``repr`` and notebooks alone, by ``print`` as
    comments above the IR, so that ``str`` is always IR.
    Raises TEError and ScheduleError.
    """
    from kc.conversion.pipelines import planned_passes
    from kc.instrument import run_passes

    inp, args, target = _checked("lower", inp, args, target, name, binds)
    chosen = _target(target) if target is not None else Target.current() or Target.generic()
    with (
        paused_collection(),
        _tracking("kc.lower", "schedule"),
        reproducing("kc.lower", lambda: _source(inp, args, chosen)),
    ):
        stages = _stages(inp, args, name, chosen, binds)
        module = stages.loops
        with chosen:
            added = planned_passes(_order(chosen), chosen.kind)
            if added:
                module = copy_module(module)
                run_passes(module, added)
    lowered = IRModule(module)
    lowered.prints_loops = simple_mode
    lowered.scheduled = frozenset([*stages.chosen, *stages.given])
    lowered.added_passes_of = pipeline_options()
    return lowered


def _tracking(call: str, *phases: progress.Phase) -> AbstractContextManager[None]:
    """Let what ``call`` does be shown, or told to what the PassContext has for it."""
    return progress.tracking(call, PassContext.current().progress, phases)


def _order(target: Target) -> Order:
    """The passes of :func:`lower`: those of phase 0, or up to the last phase that passes were added
    to."""
    from kc.backends import backend_of

    last = max(pipeline_options().added, default=0)
    if last == 0:
        return (0,)
    whole = backend_of(target).pipeline
    return whole[: whole.index(last) + 1]


def _source(inp: Any, args: Sequence[Any] | None, target: Target) -> str:
    """The input of a lowering, for a reproducer: IR, with the calls of a TE schedule."""
    inp, args = _scheduled(inp, args)
    if isinstance(inp, Schedule):
        calls = inp.to_tir_script().splitlines()
        unscheduled = lower_schedule(inp.without_schedule(), args or (), "main", target)
        return "".join(f"// {line}\n" for line in calls) + print_module(unscheduled.te)
    parts = inp if isinstance(inp, list | tuple) else [inp]
    modules = [getattr(part, "module", None) or getattr(part, "op", part) for part in parts]
    return "// -----\n".join(
        print_module(module) for module in modules if isinstance(module, ModuleOp)
    )


def _checked(
    what: str, inp: Any, args: Any, target: Any, name: Any, binds: Any
) -> tuple[Any, Any, Any]:
    """The input, its arguments and the target, wherever the call gives them.

    Raises TEError KC2029 for arguments that would not be used.
    """

    def refuse(title: str, why: str, *hints: str) -> TEError:
        return TEError(
            "KC2029", f"{what}: {title}", location=caller_location(), why=why, hints=list(hints)
        )

    if isinstance(args, Target | Mapping | str):  # TVM since 0.20
        if target is not None:
            raise refuse(
                f"two targets, {args} and {target}",
                "the second argument is a target, too, if it is no list",
                f"kc.{what}(mod, target=...)",
            )
        args, target = None, args
    if args is not None and not isinstance(args, Sequence):
        raise refuse(
            f"the second argument is {kind_of(args)}",
            "it is the list of the function's arguments, or the target",
            f"kc.{what}(s, [A, B, C])",
            f'kc.{what}(mod, target="llvm")',
        )
    if not isinstance(name, str):
        raise refuse(f"the name is {kind_of(name)}", "a function has a name")
    if binds is not None and not isinstance(binds, Mapping):
        raise refuse(
            f"binds is {kind_of(binds)}",
            "it is a dict of tensors and their buffers",
            "binds={A: Ab}",
        )
    modules = _modules(_scheduled(inp, args)[0])
    if modules is None:
        return inp, args, target
    if args is not None:
        _require_arguments(modules, args, refuse)
    functions = [name for module in modules for name in IRModule(module).functions]
    if name != "main" and name not in functions:
        if not isinstance(inp, PrimFunc):
            raise refuse(
                f"the module has no function '{name}'",
                "functions of a module have their names",
                *suggest(name, functions, "the functions are"),
            )
        inp = inp.with_attr("global_symbol", name)
    return inp, None, target


def _modules(inp: Any) -> list[ModuleOp] | None:
    """The modules that are built; None for a schedule of te, and for what is no module."""
    parts = inp if isinstance(inp, list | tuple) else [inp]
    modules = [getattr(part, "module", None) or getattr(part, "op", part) for part in parts]
    return modules if modules and all(isinstance(it, ModuleOp) for it in modules) else None


def _require_arguments(modules: Sequence[ModuleOp], args: Sequence[Any], refuse: Any) -> None:
    """Refuse a list that does not name the arguments of the only function of the modules."""
    functions = [function for module in modules for function in loop_tree.functions(module)]
    names = [getattr(arg, "name", None) or repr(arg) for arg in args]
    if len(functions) == 1:
        own = PrimFunc.of(functions[0]).param_names
        if names == own:
            return
        why = f"@{functions[0].sym_name.data} has the arguments {', '.join(own)}"
    else:
        why = f"it has {counted(len(functions), 'function')}, with arguments of their own"
    given = f"the arguments {', '.join(names)}" if names else "an empty list of arguments"
    raise refuse(f"{given} beside a module", why, "leave the list out")


def _target(target: Target | str | None) -> Target:
    if target is None:
        return Target.current() or Target.host_cpu()
    return target if isinstance(target, Target) else Target(target)


@dataclass
class Stages:
    """The modules on the way to ``tir``: (stage, module), the last one is the scheduled loops."""

    modules: list[tuple[str, ModuleOp]]
    chosen: list[str] = field(default_factory=list)
    """The names of the functions that a schedule was chosen for."""
    without_rule: list[str] = field(default_factory=list)
    """The names of those that nobody has scheduled, and that no rule is for."""
    given: list[str] = field(default_factory=list)
    """The names of those whose schedule was given, and has a call."""

    @property
    def loops(self) -> ModuleOp:
        """The scheduled loops."""
        return self.modules[-1][1]


def _stages(
    inp: Any,
    args: Sequence[Any] | None,
    name: str,
    target: Target,
    binds: Mapping[Tensor, Buffer] | None,
    *,
    checks_kernels: bool = True,
) -> Stages:
    """The modules on the way to ``tir``.

    Kernels of a schedule are checked here unless a pass does that later.
    """
    chooses = not isinstance(inp, Schedule)
    inp, args = _scheduled(inp, args)
    if isinstance(inp, Schedule):
        if args is None:
            raise TEError(
                "KC2020",
                f"a {'tensor' if chooses else 'schedule'} is lowered without its arguments",
                location=caller_location(),
                why="their order is the order of the function's arguments",
                hints=["kc.build([A, B, C])" if chooses else "kc.build(s, [A, B, C])"],
            )
        lowered = lower_schedule(inp, args, name, target, binds)
        stages = Stages([("te", lowered.te), ("tir", lowered.tir)])
        if chooses:
            for function in loop_tree.functions(lowered.tir):
                mark_unscheduled(function)
            stages.chosen, stages.without_rule = choose_where_unscheduled(lowered.tir, target)
            return stages
        for function in loop_tree.functions(lowered.tir) if checks_kernels else ():
            require_kernels(Site(function, target, primitive="lower"))
        if lowered.is_scheduled:
            stages.given = [name]
        return stages
    if binds:
        raise TEError(
            "KC4342",
            f"binds: for {type(inp).__name__}",
            location=caller_location(),
            why="the arguments of a schedule of te are bound; a function has its buffers",
        )
    if isinstance(inp, list | tuple):
        parts = [_stages(part, None, name, target, None) for part in inp]
        stages = Stages([("tir", _merged([part.loops for part in parts]).op)])
        for part in parts:
            stages.chosen += part.chosen
            stages.without_rule += part.without_rule
            stages.given += part.given
        return stages
    module = getattr(inp, "module", None) or getattr(inp, "op", inp)
    if not isinstance(module, ModuleOp):
        raise TEError(
            "KC2027",
            f"{type(inp).__name__} cannot be lowered",
            location=caller_location(),
            why="a te schedule, a kc.tir.Schedule, a kc.IRModule or a list of modules can",
            hints=[how_to_get_module(inp)] if isinstance(inp, str | os.PathLike) else [],
        )
    copy = copy_module(module)
    for script in [op for op in copy.body.ops if op.name == "transform.named_sequence"]:
        script.detach()  # it says how a module is to be changed, and nothing of what it computes
        script.erase()
    to_tir(copy, loops=False)
    stages = Stages([("tir", copy)], *choose_where_unscheduled(copy, target))
    if isinstance(inp, IRModule):
        stages.given = [*inp.scheduled]
    elif any(map(is_rewrite, getattr(getattr(inp, "session", None), "trace", ()))):
        stages.given = [function.sym_name.data for function in loop_tree.kernels(copy)]
    return stages


def _scheduled(inp: Any, args: Sequence[Any] | None) -> tuple[Any, Sequence[Any] | None]:
    """Tensors as a schedule of them with nothing done, and its arguments; else what was given."""
    if isinstance(inp, Tensor | Operation):
        return create_schedule(inp), args
    if isinstance(inp, list | tuple) and inp and all(isinstance(it, Tensor | Var) for it in inp):
        tensors = [it for it in inp if isinstance(it, Tensor)]
        computed = [it for it in tensors if not isinstance(it.op, PlaceholderOp)]
        return create_schedule(computed), inp if args is None else args
    return inp, args


def auto_schedule(mod: Any, target: Target | str | None = None) -> tir.Schedule:
    """The schedule that :func:`build` chooses, which you can inspect, change and keep.

    ``mod`` is a list of tensors (the arguments in order), or a module with ``te`` functions, or
    with ``tir`` functions whose blocks have the form that ``te`` is lowered to: one unscheduled
    loop per variable. ``trace.as_python()`` gives the calls, ``target`` defaults to the host CPU.
    Blocks that no rule handles stay unchanged.
    """
    from kc.tir.schedule import Schedule as EagerSchedule
    from kc.transforms.auto_schedule.auto_schedule import choose

    chosen = _target(target)
    with paused_collection(), _tracking("kc.auto_schedule", "schedule"):
        if isinstance(mod, list | tuple | Tensor | Operation):
            mod = IRModule(_written(mod, chosen))
        schedule = EagerSchedule(mod, target=chosen)
        choose(schedule.session)
    return schedule


def _written(tensors: Any, target: Target) -> ModuleOp:
    """The loops of tensors as they are written."""
    schedule, args = _scheduled(tensors, None)
    if args is None or not isinstance(schedule, Schedule):
        raise TEError(
            "KC2020",
            "auto_schedule: tensors without the arguments of the function",
            location=caller_location(),
            why="their order is the order of the function's arguments",
            hints=["kc.auto_schedule([A, B, C])"],
        )
    return lower_schedule(schedule, args, "main", target).tir


def _merged(modules: Sequence[ModuleOp]) -> IRModule:
    """One module of the functions of several. Raises KC2250 for different ones of one name."""
    merged = IRModule()
    for module in map(IRModule, modules):
        here = merged.functions
        twice = [
            name
            for name, function in module.functions.items()
            if name in here and not function.is_structurally_equivalent(here[name])
        ]
        if twice:
            raise TEError(
                "KC2250",
                f"two of the modules have a function '{twice[0]}'",
                location=caller_location(),
                why="the functions of a module are told apart by their names",
                hints=["kc.lower(s, args, name=...) gives each its own"],
            )
        merged.update(module)
    return merged


def build(
    inp: Any,
    args: Sequence[Any] | None = None,
    target: Target | str | None = None,
    name: str = "main",
    *,
    target_host: Target | str | None = None,
    runtime: Any = None,
    binds: Mapping[Tensor, Buffer] | None = None,
    instrument: Instrument | None = None,
) -> Any:
    """Compile to machine code: a :class:`kc.runtime.Module`, ready to be called.

    ``inp``, ``args`` and ``binds`` are as for :func:`lower`; of a module, or a list of modules, all
    public functions are compiled. ``target`` defaults to the host CPU; ``"c"`` gives C source,
    which is called through the system's C compiler. The caller passes numpy arrays (or kc.nd
    arrays, or anything with DLPack) in the order of ``args``; outputs are written in place, or left
    out and then returned. ``target_host`` is the CPU beside a GPU; as in TVM, it may stand in the
    position of ``name``. ``runtime`` is accepted for programs written for TVM: kc has a single
    runtime. ``get_source("tir"|"mlir"|"llvm"|"ll"|"asm"|"c")`` shows the stages. The current
    ``kc.transform.PassContext`` determines which passes run and which instruments observe them. A
    remark (KC3750) names functions whose loops are compiled as they are written.
    """
    del runtime
    if not isinstance(name, str) or name.split()[:1] == ["llvm"]:  # in TVM's order
        target_host, name = name, "main"
    return _built(inp, args, target, name, target_host, binds, instrument, tell_of_loops)


def build_and_tell(inp: Any, target: Target, tell: Callable[[Stages, Target], None]) -> Any:
    """:func:`build`, where ``tell`` is told what was scheduled, in place of the user."""
    return _built(inp, None, target, "main", None, None, None, tell)


def tell_of_loops(stages: Stages, target: Target) -> None:
    """The remark of :func:`build` on loops that stay as they are written (KC3750)."""
    is_te = len(stages.modules) > 1
    tensors = "kc.build([A, B, C]) chooses a schedule"
    module = "kc.build(kc.auto_schedule(mod)) chooses a schedule"
    names = loops_as_written(stages.loops, target, [*stages.chosen, *stages.given])
    by_hand = "kc.tir.Schedule(mod) schedules them by hand: no rule is for them"
    tell_of_loops_as_written(
        names,
        hints=[
            by_hand if {*names} <= {*stages.without_rule} else tensors if is_te else module,
            'PassContext(disabled_pass=["auto-schedule"]) keeps them, without this remark',
        ],
        location=caller_location(),
    )


def _built(
    inp: Any,
    args: Any,
    target: Any,
    name: str,
    target_host: Any,
    binds: Any,
    instrument: Instrument | None,
    tell: Callable[[Stages, Target], None],
) -> Any:
    from kc.backends import Build, backend_of

    inp, args, target = _checked("build", inp, args, target, name, binds)
    chosen = _target(target)
    if target_host is not None:
        chosen = Target(chosen, target_host)
    options = pipeline_options()
    if isinstance(inp, IRModule) and inp.added_passes_of is options:
        options = replace(options, added={})  # kc.lower has run them
    with (
        paused_collection(),
        using_options(options),
        _tracking("kc.build", "schedule", "passes", "code"),
        reproducing("kc.build", lambda: _source(inp, args, chosen)),
    ):
        backend = backend_of(chosen)
        later = "verify-gpu-code" in backend.pipeline
        stages = _stages(inp, args, name, chosen, binds, checks_kernels=not later)
        tell(stages, chosen)
        lower_operators(stages.loops, chosen)
        if instrument is not None:
            with progress.hidden():
                for stage, module in stages.modules:
                    instrument(stage, module)
        functions = len(loop_tree.kernels(stages.loops))
        progress.note("passes", 0, "passes", count=functions)
        return backend.build(Build(stages.modules, chosen, name, instrument, backend))


def build_watched(
    inp: Any, target: Target | str, compiled: Callable[[backends.Stages, Target], WatchedModule]
) -> WatchedModule | None:
    """The kernels of a module as :func:`kc.gpu.check` runs them, and nothing else of it; None for a
    target that is no GPU of NVIDIA. ``compiled`` makes them of the lowered loops."""
    chosen = _target(target)
    if chosen.kind not in ("cuda", "cuda-emu"):
        return None
    with reproducing("kc.gpu.check", lambda: _source(inp, None, chosen)):
        stages = _stages(inp, None, "main", chosen, None, checks_kernels=False)
        return compiled(stages.modules, chosen)


def load_loops(path: str) -> Any:
    """The module in a file of textual IR, compiled for the target that it names.

    Raises CallError KC5143 for a file that is damaged.
    """
    from kc.runtime.checksums import check_comment, damaged

    data = read_bytes(path)
    if b"\n" not in data:
        raise damaged(path, "it ends in its first line")
    check_comment(data, path)
    module = IRModule.parse(read_text(path), path)
    target, entry = (
        getattr(module.op.attributes.get(key), "data", None) for key in ("kc.target", "kc.entry")
    )
    # Who loads a module did not write its loops: no remark.
    return _built(module, None, target, entry or "main", None, None, None, lambda *_: None)


__all__ = ["auto_schedule", "build", "lower"]


second_names(__name__, "build_module")


def __dir__() -> list[str]:
    return sorted(__all__)
