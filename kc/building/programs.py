"""Programs: the inputs of ``kc.lower`` and ``kc.build``, as records that can be lowered.

Only :func:`program_of` distinguishes the kinds of inputs. :meth:`Program.lowered` lowers its
result, and the rest of a build is independent of the input.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from kc.analysis import loop_tree
from kc.analysis.module_copy import copy_module
from kc.building.default_schedules import choose_where_unscheduled
from kc.dialects.unscheduled import mark_unscheduled
from kc.expr.constructors import Var
from kc.expr.tensor import Operation, PlaceholderOp, Tensor
from kc.support.diagnostics import TEError, counted, suggest
from kc.support.ir_text import print_module
from kc.support.locations import caller_location
from kc.support.target import Target
from kc.te.lowering import lower_schedule
from kc.te.schedule import Schedule, create_schedule
from kc.tir.module import IRModule, how_to_get_module, kind_of
from kc.tir.prim_func import PrimFunc
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.threads._foreign_values import require_kernels
from kc.transforms.to_tir import to_tir
from kc.transforms.trace.session import is_rewrite

if TYPE_CHECKING:
    from kc.expr.buffers import Buffer
    from kc.support.pass_context import PipelineOptions


@dataclass
class Lowered:
    """The modules of a lowering as pairs (stage, module). The last module holds the scheduled
    loops.
    """

    stages: list[tuple[str, ModuleOp]]
    chosen: list[str] = field(default_factory=list)
    """The names of the functions for which kc chose a schedule."""
    without_rule: list[str] = field(default_factory=list)
    """The names of the unscheduled functions without a rule."""
    user_scheduled: list[str] = field(default_factory=list)
    """The names of the functions that have a schedule of the user with at least one call."""

    @property
    def loops(self) -> ModuleOp:
        """The scheduled loops."""
        return self.stages[-1][1]


class Program(ABC):
    """An input of ``kc.lower`` and ``kc.build``, sorted and checked."""

    added_passes_of: PipelineOptions | None = None
    """The options whose added passes have run on the program."""

    @abstractmethod
    def lowered(self, target: Target, *, checks_kernels: bool = True) -> Lowered:
        """The scheduled loops, for a target; the input stays as it is.

        ``checks_kernels``: the kernels of a schedule are checked here, as no pass does it later.
        """

    @abstractmethod
    def source(self, target: Target) -> str:
        """IR, with the calls of a schedule as comments, for a reproducer."""

    @property
    def modules(self) -> list[ModuleOp] | None:
        """The modules of the program. None if some part of the program is tensors."""
        return None


@dataclass(frozen=True)
class TensorProgram(Program):
    """Tensors: a schedule of te, and the arguments of the function in their order."""

    schedule: Schedule
    args: Sequence[Any]
    name: str
    binds: Mapping[Tensor, Buffer] | None
    is_unscheduled: bool
    """True for tensors: kc chooses a schedule for their loops."""

    def lowered(self, target: Target, *, checks_kernels: bool = True) -> Lowered:
        modules = lower_schedule(self.schedule, self.args, self.name, target, self.binds)
        result = Lowered([("te", modules.te), ("tir", modules.tir)])
        functions = loop_tree.functions(modules.tir)
        if self.is_unscheduled:
            for function in functions:
                mark_unscheduled(function)
            result.chosen, result.without_rule = choose_where_unscheduled(modules.tir, target)
            return result
        for function in functions if checks_kernels else ():
            require_kernels(Site(function, target, primitive="lower"))
        if modules.is_scheduled:
            result.user_scheduled = [self.name]
        return result

    def source(self, target: Target) -> str:
        calls = self.schedule.to_tir_script().splitlines()
        unscheduled = self.schedule.without_schedule()
        written = lower_schedule(unscheduled, self.args, "main", target)
        return "".join(f"// {line}\n" for line in calls) + print_module(written.te)


@dataclass(frozen=True)
class ModuleProgram(Program):
    """A program that is a module of functions in te, tir, linalg, tosa or other dialects."""

    module: ModuleOp
    scheduled: frozenset[str] | None = frozenset()
    """The functions with a schedule of at least one call; None means all functions."""
    added_passes_of: PipelineOptions | None = None

    def lowered(self, target: Target, *, checks_kernels: bool = True) -> Lowered:
        copy = copy_module(self.module)
        for script in [op for op in copy.body.ops if op.name == "transform.named_sequence"]:
            # The script describes changes of the module, and is not part of the program.
            script.detach()
            script.erase()
        to_tir(copy, loops=False)
        result = Lowered([("tir", copy)], *choose_where_unscheduled(copy, target))
        if self.scheduled is None:
            result.user_scheduled = [function.sym_name.data for function in loop_tree.kernels(copy)]
        else:
            result.user_scheduled = [*self.scheduled]
        return result

    def source(self, target: Target) -> str:
        return print_module(self.module)

    @property
    def modules(self) -> list[ModuleOp]:
        return [self.module]


@dataclass(frozen=True)
class ProgramList(Program):
    """Programs whose functions become one module."""

    parts: tuple[Program, ...]

    def lowered(self, target: Target, *, checks_kernels: bool = True) -> Lowered:
        lowered = [part.lowered(target) for part in self.parts]
        result = Lowered([("tir", _merged([part.loops for part in lowered]).op)])
        for part in lowered:
            result.chosen += part.chosen
            result.without_rule += part.without_rule
            result.user_scheduled += part.user_scheduled
        return result

    def source(self, target: Target) -> str:
        return "// -----\n".join(part.source(target) for part in self.parts)

    @property
    def modules(self) -> list[ModuleOp] | None:
        parts = [part.modules for part in self.parts]
        if not parts or None in parts:
            return None
        return [module for part in parts for module in part or ()]


def program_of(
    call: str,
    inp: Any,
    args: Any = None,
    name: Any = "main",
    binds: Any = None,
) -> Program:
    """The program of the checked arguments of ``kc.<call>``.

    Raises TEError KC2029 for unused arguments, KC2020 for a schedule without arguments, KC4342 for
    buffers of a module, KC2027 for an input that cannot be lowered.
    """
    if args is not None and not isinstance(args, Sequence):
        refuse(
            call,
            f"the second argument is {kind_of(args)}",
            "it is the list of the function's arguments, or the target",
            f"kc.{call}(s, [A, B, C])",
            f'kc.{call}(mod, target="llvm")',
        )
    if not isinstance(name, str):
        refuse(call, f"the name is {kind_of(name)}", "a function has a name")
    if binds is not None and not isinstance(binds, Mapping):
        refuse(
            call,
            f"binds is {kind_of(binds)}",
            "it is a dict of tensors and their buffers",
            "binds={A: Ab}",
        )
    program = _sorted(inp, args, name, binds)
    modules = program.modules
    if modules is not None:
        if args is not None:
            _require_arguments(call, modules, args)
        functions = [name for module in modules for name in IRModule(module).functions]
        if name != "main" and name not in functions:
            if not isinstance(inp, PrimFunc):
                refuse(
                    call,
                    f"the module has no function '{name}'",
                    "functions of a module have their names",
                    *suggest(name, functions, "the functions are"),
                )
            program = _sorted(inp.with_attr("global_symbol", name), None, name, None)
    if binds and not isinstance(program, TensorProgram):
        raise TEError(
            "KC4342",
            f"binds: for {type(inp).__name__}",
            location=caller_location(),
            why="binds applies to the arguments of a te schedule; a function already has buffers",
        )
    return program


def tensors_of(
    inp: Any, args: Sequence[Any] | None
) -> tuple[Schedule, Sequence[Any] | None] | None:
    """An unscheduled ``te.Schedule`` of tensors, and the arguments of the function: ``args``, or
    the elements of a list. None if ``inp`` is neither tensors nor an operation.
    """
    if isinstance(inp, Tensor | Operation):
        return create_schedule(inp), args
    if (
        isinstance(inp, list | tuple)
        and inp
        and all(isinstance(part, Tensor | Var) for part in inp)
    ):
        tensors = [part for part in inp if isinstance(part, Tensor)]
        computed = [part for part in tensors if not isinstance(part.op, PlaceholderOp)]
        return create_schedule(computed), inp if args is None else args
    return None


def refuse(call: str, title: str, why: str, *hints: str) -> NoReturn:
    """Refuse a call whose arguments do not go together (TEError KC2029)."""
    raise TEError(
        "KC2029", f"{call}: {title}", location=caller_location(), why=why, hints=list(hints)
    )


def _sorted(
    inp: Any, args: Sequence[Any] | None, name: str, binds: Mapping[Tensor, Buffer] | None
) -> Program:
    tensors = tensors_of(inp, args)
    if tensors is not None or isinstance(inp, Schedule):
        schedule, args = tensors or (inp, args)
        if args is None:
            raise TEError(
                "KC2020",
                f"a {'tensor' if tensors else 'schedule'} is lowered without its arguments",
                location=caller_location(),
                why="their order is the order of the function's arguments",
                hints=["kc.build([A, B, C])" if tensors else "kc.build(s, [A, B, C])"],
            )
        return TensorProgram(schedule, args, name, binds, tensors is not None)
    if isinstance(inp, list | tuple):
        return ProgramList(tuple(_sorted(part, None, name, None) for part in inp))
    module = getattr(inp, "module", None) or getattr(inp, "op", inp)
    if not isinstance(module, ModuleOp):
        raise TEError(
            "KC2027",
            f"{type(inp).__name__} cannot be lowered",
            location=caller_location(),
            why="a te schedule, a kc.tir.Schedule, a kc.IRModule or a list of modules can",
            hints=[how_to_get_module(inp)] if isinstance(inp, str | os.PathLike) else [],
        )
    if isinstance(inp, IRModule):
        return ModuleProgram(module, frozenset(inp.scheduled), inp.added_passes_of)
    is_scheduled = any(map(is_rewrite, getattr(getattr(inp, "session", None), "trace", ())))
    return ModuleProgram(module, None if is_scheduled else frozenset())


def _require_arguments(call: str, modules: Sequence[ModuleOp], args: Sequence[Any]) -> None:
    """Refuse a list that does not name the arguments of the only function of the modules."""
    functions: list[FuncOp] = [
        function for module in modules for function in loop_tree.functions(module)
    ]
    names = [getattr(arg, "name", None) or repr(arg) for arg in args]
    if len(functions) == 1:
        own = PrimFunc.of(functions[0]).param_names
        if names == own:
            return
        why = f"@{functions[0].sym_name.data} has the arguments {', '.join(own)}"
    else:
        why = f"it has {counted(len(functions), 'function')}, with arguments of their own"
    listed = f"the arguments {', '.join(names)}" if names else "an empty list of arguments"
    refuse(call, f"{listed} beside a module", why, "leave the list out")


def _merged(modules: Sequence[ModuleOp]) -> IRModule:
    """One module with the functions of several modules. Raises KC2250 for two different functions
    with the same name.
    """
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
                why="each function of a module must have a different name",
                hints=["kc.lower(s, args, name=...) sets the name"],
            )
        merged.update(module)
    return merged
