"""``kc.lower`` and ``kc.build``: from a schedule or a module to IR, and to functions to call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.analysis.module_copy import copy_module
from kc.dialects.te import FuncOp
from kc.intrin_rules import lower_operators
from kc.support.diagnostics import TEError
from kc.support.files import read_bytes, read_text
from kc.support.ir_text import print_module
from kc.support.locations import caller_location
from kc.support.pass_context import pipeline_options, using_options
from kc.support.paused_collection import paused_collection
from kc.support.reproducer import reproducing
from kc.support.target import Target
from kc.te.buffers import Buffer
from kc.te.expr import Var
from kc.te.lowering import lower_schedule
from kc.te.schedule import Schedule, create_schedule
from kc.te.tensor import Operation, PlaceholderOp, Tensor
from kc.tir.module import IRModule, how_to_get_module
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.threads._foreign_values import require_kernels
from kc.transforms.to_tir import to_tir

if TYPE_CHECKING:
    from kc import tir
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
    or ``tir`` functions, or a list of modules. Tensors (with ``args``, or all arguments as a list)
    and ``te`` functions have no schedule: one is chosen (:func:`auto_schedule`) unless the
    PassContext has ``opt_level=0``. A schedule that is given stays as it is, also one without a
    call. ``binds`` are buffers (``tir.decl_buffer``) that say how arguments lie in memory, where
    that is not dense. The result is at the level that people schedule and read; the passes of phase
    0 that plugins and the PassContext add have run. If the PassContext adds passes to a later
    phase, the result is lowered to that phase, for ``target``. With ``simple_mode`` it is the same
    module, which is shown as the loops that TVM prints (``script(style="tvm")``): by ``show()``,
    ``repr`` and notebooks alone, by ``print`` as comments above the IR, so that ``str`` is always
    IR.
    Raises TEError and ScheduleError.
    """
    from kc.conversion.pipelines import planned_passes
    from kc.instrument import run_passes

    chosen = _target(target) if target is not None else Target.current() or Target.generic()
    with paused_collection(), reproducing("kc.lower", lambda: _source(inp, args, chosen)):
        module = _stages(inp, args, name, chosen, binds)[-1][1]
        with chosen:
            added = planned_passes(_order(chosen), chosen.kind)
            if added:
                module = copy_module(module)
                run_passes(module, added)
    lowered = IRModule(module)
    lowered.prints_loops = simple_mode
    lowered.added_passes_of = pipeline_options()
    return lowered


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


def _target(target: Target | str | None) -> Target:
    if target is None:
        return Target.current() or Target.host_cpu()
    return target if isinstance(target, Target) else Target(target)


def _stages(
    inp: Any,
    args: Sequence[Any] | None,
    name: str,
    target: Target,
    binds: Mapping[Tensor, Buffer] | None,
    *,
    checks_kernels: bool = True,
) -> list[tuple[str, ModuleOp]]:
    """The modules on the way to ``tir``: (stage, module), the last one is the scheduled loops.

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
        if chooses:
            return [("te", lowered.te), ("tir", _choose(lowered.tir, target, None))]
        for function in loop_tree.functions(lowered.tir) if checks_kernels else ():
            require_kernels(Site(function, target, primitive="lower"))
        return [("te", lowered.te), ("tir", lowered.tir)]
    if binds:
        raise TEError(
            "KC4342",
            f"binds: for {type(inp).__name__}",
            location=caller_location(),
            why="the arguments of a schedule of te are bound; a function has its buffers",
        )
    if isinstance(inp, list | tuple):
        inp = _merged([_stages(part, None, name, target, None)[-1][1] for part in inp])
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
    unscheduled = [op.sym_name.data for op in copy.body.ops if isinstance(op, FuncOp)]
    to_tir(copy, loops=False)
    return [("tir", _choose(copy, target, unscheduled) if unscheduled else copy)]


def _scheduled(inp: Any, args: Sequence[Any] | None) -> tuple[Any, Sequence[Any] | None]:
    """Tensors as a schedule of them with nothing done, and its arguments; else what was given."""
    if isinstance(inp, Tensor | Operation):
        return create_schedule(inp), args
    if isinstance(inp, list | tuple) and inp and all(isinstance(it, Tensor | Var) for it in inp):
        tensors = [it for it in inp if isinstance(it, Tensor)]
        computed = [it for it in tensors if not isinstance(it.op, PlaceholderOp)]
        return create_schedule(computed), inp if args is None else args
    return inp, args


def _choose(module: ModuleOp, target: Target, functions: Sequence[str] | None) -> ModuleOp:
    """``module`` with a schedule for ``functions`` (None: all), unless the context wants none."""
    from kc.transform import PassContext
    from kc.transforms.auto_schedule.auto_schedule import AutoSchedulePass, choose
    from kc.transforms.trace.session import Session

    context = PassContext.current()
    if context.opt_level == 0 or AutoSchedulePass.name in context.disabled_pass:
        return module
    session = Session(module, target)
    choose(session, functions)
    return session.module


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
    with paused_collection():
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
    ``kc.transform.PassContext`` determines which passes run and which instruments observe them.
    """
    from kc.backends import Build, backend_of

    del runtime
    if not isinstance(name, str) or name.split()[:1] == ["llvm"]:  # in TVM's order
        target_host, name = name, "main"
    chosen = _target(target)
    if target_host is not None:
        chosen = Target(chosen, target_host)
    options = pipeline_options()
    if isinstance(inp, IRModule) and inp.added_passes_of is options:
        options = replace(options, added={})  # kc.lower has run them
    with (
        paused_collection(),
        using_options(options),
        reproducing("kc.build", lambda: _source(inp, args, chosen)),
    ):
        backend = backend_of(chosen)
        later = "verify-gpu-code" in backend.pipeline
        stages = _stages(inp, args, name, chosen, binds, checks_kernels=not later)
        lower_operators(stages[-1][1], chosen)
        if instrument is not None:
            for stage, module in stages:
                instrument(stage, module)
        return backend.build(Build(stages, chosen, name, instrument, backend))


def build_watched(inp: Any, target: Target | str) -> WatchedModule | None:
    """The kernels of a module as :func:`kc.gpu.check` runs them, and nothing else of it; None for a
    target that is no GPU of NVIDIA."""
    from kc.backends import Build, cuda_emu

    chosen = _target(target)
    if chosen.kind not in ("cuda", "cuda-emu"):
        return None
    with reproducing("kc.gpu.check", lambda: _source(inp, None, chosen)):
        stages = _stages(inp, None, "main", chosen, None, checks_kernels=False)
        return cuda_emu.watched(Build(stages, chosen, "main", None, cuda_emu.CUDA_EMU))


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
    return build(module, target=target, name=entry or "main")


__path__: list[str] = []  # its modules by TVM's names: kc.support.import_hints

__all__ = ["auto_schedule", "build", "lower"]


def __dir__() -> list[str]:
    return sorted(__all__)
