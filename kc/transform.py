"""``kc.transform``: which passes a lowering runs, and passes written in Python.

::

    @kc.transform.module_pass(opt_level=1, name="count-loops")
    def count(mod, ctx):
        print(sum(op.name == "tir.for" for op in mod.op.walk()))

    with kc.transform.PassContext(config={"tir.add_lower_pass": [(0, count)]}):
        kc.build(s, [A, B, C])

The meaning is TVM's. Phases: 0 sees the scheduled loops (``kc.lower`` runs it too), 1 loops without
blocks, 2 loops after vectorization, 3 ``scf``, before machine code. A context replaces the one
around it as a whole.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from kc.analysis.module_copy import copy_module, take_contents
from kc.codegen import perf_map
from kc.conversion.pipelines import NEEDED, OPTIONAL
from kc.support import registry
from kc.support.diagnostics import CodegenError, InputError, suggest, warn
from kc.support.environment import is_on
from kc.support.function_holders import FunctionHolder
from kc.support.locations import caller_location
from kc.support.pass_context import PipelineOptions, using_options, watching_steps
from kc.support.plugins import PHASES
from kc.support.progress import Progress
from kc.tir.module import IRModule
from kc.tvm.nodes.node_class import Node
from kc.tvm.pass_config import DEFAULT_OPT_LEVEL, KEYS, TVM_PASSES, check_config, flag_of

__all__ = [
    "Pass",
    "PassContext",
    "PassInfo",
    "PrintIR",
    "Sequential",
    "UserPass",
    "module_pass",
    "prim_func_pass",
]

DEBUG_INFO_VARIABLE = "KC_DEBUG_INFO"
BOUND_CHECKS_VARIABLE = "KC_BOUND_CHECKS"
POISON_VARIABLE = "KC_POISON_MEMORY"

_STACK: ContextVar[tuple[PassContext, ...]] = ContextVar("kc_pass_contexts", default=())


@dataclass(frozen=True)
class PassInfo:
    """The information about a pass that instruments get."""

    name: str
    opt_level: int = 0
    required: Sequence[str] = ()


@dataclass(frozen=True)
class UserPass(FunctionHolder, ModulePass):
    """A pass that calls a user's function ``function(mod, ctx)`` with an IRModule.

    It changes the module or returns another one, whose content then is the module's. Calling the
    pass with an IRModule gives the module that it makes of it, and leaves the argument alone. Such
    a call runs whatever the level of the context is, as in TVM; :class:`Sequential` asks it.
    """

    function: Callable[[IRModule, PassContext], Any]
    info: PassInfo

    of_user = True

    def __str__(self) -> str:
        return str(self.info)

    def __repr__(self) -> str:
        return f"Pass({self.info})"

    @property
    def name(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.info.name

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        result = self.function(IRModule(op), PassContext.current())
        result = getattr(result, "op", result)
        if result is None or result is op:
            return
        if not isinstance(result, ModuleOp):
            raise CodegenError(
                "KC4505",
                f"pass '{self.name}' returned {type(result).__name__}",
                why="a pass must return a module, or None if it changed its argument in place",
            )
        take_contents(op, result)

    def __call__(self, mod: IRModule) -> IRModule:
        return _changed_copy(mod, [self])


def module_pass(
    pass_func: Callable[[IRModule, PassContext], Any] | None = None,
    opt_level: int = 0,
    name: str | None = None,
    required: Sequence[str] = (),
) -> Any:
    """Make a pass from a function of an IRModule and the context. Also a decorator. The pass does
    not run if the context's ``opt_level`` is below the pass's, unless ``required_pass`` names it.
    Of a class with a method ``transform_module``, it makes a function of the class's arguments that
    gives the pass.
    """

    def make(function: Any) -> Any:
        if isinstance(function, type):
            return pass_of_class(function, "transform_module", make)
        return UserPass(function, PassInfo(name or _name_of(function), opt_level, required))

    return make if pass_func is None else make(pass_func)


def pass_of_class(
    kind: type[Any], method: str, make: Callable[[Callable[..., Any]], UserPass]
) -> Callable[..., UserPass]:
    """The function of the arguments of a class that makes a pass of a method of its instance."""

    @functools.wraps(kind, updated=())
    def instance(*args: Any, **options: Any) -> UserPass:
        call = getattr(kind(*args, **options), method)

        @functools.wraps(call)
        def function(*parts: Any) -> Any:
            return call(*parts)

        function.__name__ = kind.__name__
        return make(function)

    return instance


def prim_func_pass(
    pass_func: Callable[[FuncOp, IRModule, PassContext], Any] | None = None,
    opt_level: int = 0,
    name: str | None = None,
    required: Sequence[str] = (),
) -> Any:
    """Make a pass of a function of one ``func.func``, the module and the context; a decorator too.

    The function changes the ``func.func`` in place, or returns its replacement.
    """

    def make(function: Callable[[FuncOp, IRModule, PassContext], Any]) -> UserPass:
        title = name or _name_of(function)
        each = functools.partial(_apply_to_functions, function, title)
        return UserPass(each, PassInfo(title, opt_level, required))

    return make if pass_func is None else make(pass_func)


def _apply_to_functions(
    function: Callable[[FuncOp, IRModule, PassContext], Any],
    title: str,
    mod: IRModule,
    ctx: PassContext,
) -> None:
    for func_op in [op for op in mod.op.body.ops if isinstance(op, FuncOp)]:
        result = function(func_op, mod, ctx)
        if result is None or result is func_op:
            continue
        if not isinstance(result, FuncOp):
            raise CodegenError(
                "KC4505",
                f"pass '{title}' returned {type(result).__name__}",
                why="a function pass must return a func.func, or None",
            )
        result.detach()
        mod.op.body.block.insert_op_before(result, func_op)
        func_op.detach()
        func_op.erase(safe_erase=False)


def PrintIR(header: str = "", show_meta_data: bool = False) -> UserPass:
    """A pass that prints the module on standard error, under ``header``, and leaves it as it is."""
    del show_meta_data  # modules have no metadata outside of their text
    return UserPass(functools.partial(_show, header), PassInfo("PrintIR"))


def _show(header: str, mod: IRModule, ctx: PassContext) -> None:
    del ctx
    print(f"PrintIR({header}):\n{mod}", file=sys.stderr)


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", None) or type(function).__name__


class Sequential:
    """Passes to run one after the other on a copy of an IRModule, under the current context.

    ``passes`` are names, ``"split"`` or ``"split{block=C factors=?,8}"``, passes, or functions of
    an IRModule.
    """

    def __init__(
        self,
        passes: Iterable[Any] = (),
        opt_level: int = 0,
        name: str = "sequential",
        required: Sequence[str] = (),
    ) -> None:
        if isinstance(passes, ModulePass | str) or not isinstance(passes, Iterable):
            raise CodegenError(
                "KC4505",
                f"{passes!r} is not a list of passes",
                location=caller_location(),
                hints=["kc.transform.Sequential([first, second])"],
            )
        self.passes = [as_pass(pass_) for pass_ in passes]
        self.info = PassInfo(name, opt_level, required)

    @property
    def name(self) -> str:
        """The name of the sequence."""
        return self.info.name

    def __repr__(self) -> str:
        return f"Sequential({[info_of(pass_).name for pass_ in self.passes]}, {self.info})"

    def __call__(self, mod: IRModule) -> IRModule:
        context = PassContext.current()
        return _changed_copy(mod, [pass_ for pass_ in self.passes if context.enables(pass_)])


def _changed_copy(mod: IRModule, passes: Sequence[ModulePass]) -> IRModule:
    """The module after passes."""
    from kc.instrument import run_passes

    if not isinstance(getattr(mod, "op", None), ModuleOp):
        raise CodegenError(
            "KC4505",
            f"a pass is called with {type(mod).__name__}",
            location=caller_location(),
            why="passes change modules",
            hints=["kc.IRModule.from_expr(f) is the module of a function"],
        )
    copy = copy_module(mod.op)
    run_passes(copy, passes)
    changed = IRModule(copy)
    changed.scheduled = mod.scheduled
    return changed


class Pass(Node):
    """Transformations of modules: passes by name, passes of Python functions, and sequences of
    passes.
    """

    __module__ = "kc.transform"
    comes_from = "kc.transform.module_pass, kc.transform.Sequential"

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, ModulePass | Sequential)


def as_pass(pass_or_name: Any) -> ModulePass:
    """The pass that a user means: a name with options, a pass, or a function of an IRModule."""
    if isinstance(pass_or_name, str):
        name, _, options = pass_or_name.partition("{")
        return registry.get_pass(TVM_PASSES.get(name) or name, options.removesuffix("}"))
    if isinstance(pass_or_name, ModulePass):
        if getattr(pass_or_name, "of_user", False) or registry.is_pass(pass_or_name.name):
            return pass_or_name

        def apply(mod: IRModule, ctx: PassContext) -> None:
            pass_or_name.apply(registry.context(), mod.op)

        return UserPass(apply, PassInfo(pass_or_name.name))
    if callable(pass_or_name) and not isinstance(pass_or_name, type):
        return UserPass(lambda mod, ctx: pass_or_name(mod), PassInfo(_name_of(pass_or_name)))
    raise CodegenError(
        "KC4505",
        f"{pass_or_name!r} is not a pass",
        location=caller_location(),
        hints=["the name of a pass, an xDSL ModulePass, or a function of an IRModule"],
    )


def info_of(pass_: ModulePass) -> PassInfo:
    """The information about ``pass_`` that instruments get."""
    if isinstance(pass_, UserPass):
        return pass_.info
    return PassInfo(pass_.name, getattr(pass_, "opt_level", 0))


class PassContext:
    """Options of the lowerings in a ``with`` block, as in TVM.

    ``opt_level`` is LLVM's, 0 to 3 (more is 3), and that of the passes with a level.
    ``disabled_pass`` and ``required_pass`` are names, kc's or TVM's. ``instruments`` are
    :mod:`kc.instrument`'s. ``config`` has TVM's keys, see :meth:`list_configs`. ``progress`` is a
    function that receives a :class:`kc.instrument.Progress` at each change in ``kc.build``,
    ``kc.lower`` and ``kc.auto_schedule``, in the thread of the call; an exception in it ends the
    call. Without a function, calls of more than two seconds show their progress on terminals and in
    notebooks; with False, no call does.

    Raises InputError KC4500 for an unknown key, KC4501 for a value of the wrong kind, KC4503 for an
    unknown pass, KC4504 for an indispensable one, KC4507 for an invalid ``opt_level``, KC4512 for a
    ``progress`` that cannot be called. Options of TVM that have no use in kc give the warning
    KC4502.
    """

    def __init__(
        self,
        opt_level: int = DEFAULT_OPT_LEVEL,
        required_pass: Sequence[str] | None = None,
        disabled_pass: Sequence[str] | None = None,
        instruments: Sequence[Any] | None = None,
        config: Mapping[str, Any] | None = None,
        *,
        progress: Callable[[Progress], object] | Literal[False] | None = None,
    ) -> None:
        if type(opt_level) is not int or opt_level < 0:
            raise InputError(
                "KC4507",
                f"PassContext: opt_level={opt_level!r}",
                location=caller_location(),
                hints=["0, 1, 2 or 3"],
            )
        self.opt_level = opt_level
        self.config = dict(config or {})
        check_config(self.config)
        self.instruments = list(instruments or ())
        self._check_instruments()
        if not (progress is None or progress is False or callable(progress)):
            raise InputError(
                "KC4512",
                f"PassContext: progress={progress!r}",
                location=caller_location(),
                why="progress must be a function of one argument",
                hints=["progress=print", "progress=False disables progress reports"],
            )
        self.progress: Callable[[Progress], object] | Literal[False] | None = progress
        added = [
            (min(phase, PHASES[-1]), as_pass(pass_or_name))
            for phase, pass_or_name in self.config.get("tir.add_lower_pass", ())
        ]
        own = {info_of(pass_).name for _, pass_ in added}
        self.required_pass = _pass_names(required_pass or (), own)
        self.disabled_pass = _pass_names(disabled_pass or (), own)
        self._options = self._plan(added)
        self._entered: list[contextlib.ExitStack] = []

    def __repr__(self) -> str:
        return (
            f"PassContext(opt_level={self.opt_level}, required_pass={[*self.required_pass]}, "
            f"disabled_pass={[*self.disabled_pass]}, instruments={self.instruments}, "
            f"config={self.config})"
        )

    def _check_instruments(self) -> None:
        from kc.instrument import PassInstrument

        for instrument in self.instruments:
            if not isinstance(instrument, PassInstrument):
                raise InputError(
                    "KC4509",
                    f"PassContext: {instrument!r} is not an instrument",
                    location=caller_location(),
                    hints=["an object of a class that derives from kc.instrument.PassInstrument"],
                )

    def _plan(self, passes: Sequence[tuple[int, ModulePass]]) -> PipelineOptions:
        replaced: dict[str, str | None] = {}
        for name in self.disabled_pass:
            if name in NEEDED:
                raise InputError(
                    "KC4504",
                    f"PassContext: lowering needs {name}",
                    location=caller_location(),
                    hints=[
                        f"these passes can be disabled: {', '.join(OPTIONAL)}, and added passes"
                    ],
                )
            replaced[name] = OPTIONAL.get(name)
        if self.config.get("tir.disable_vectorize"):
            replaced["vectorize-loop"] = OPTIONAL["vectorize-loop"]
        if self.config.get("tir.disable_storage_rewrite"):
            replaced["storage-rewrite"] = OPTIONAL["storage-rewrite"]
        added: dict[int, list[ModulePass]] = {}
        for phase, pass_ in (*self._configured(), *passes):
            if self.enables(pass_):
                added.setdefault(phase, []).append(pass_)
        reuse = bool(self.config.get("kc.reuse_workspace"))
        return PipelineOptions(added, replaced, reuse_workspace=reuse)

    def _configured(self) -> Iterator[tuple[int, ModulePass]]:
        """The passes that a config key adds before the user's passes."""
        if self.config.get("tir.disable_assert"):
            yield 0, registry.pass_class("skip-assert")()
        for phase, key, name in (
            (1, "tir.LoopPartition", "partition-loops"),
            (2, "tir.HoistIfThenElse", "hoist-if-then-else"),
            (2, "tir.HoistExpression", "hoist-expression"),
            (2, "tir.UnrollLoop", "unroll-loop"),
        ):
            options = self.config.get(key)
            if options is not None:
                fields = KEYS[key].fields
                values = {field: fields[field](value) for field, value in options.items()}
                yield phase, registry.pass_class(name)(**values)

    def enables(self, pass_: ModulePass) -> bool:
        """True if a pass runs, by its name and its level."""
        info = info_of(pass_)
        names = {info.name, _flag(info.name) or info.name}
        if names & set(self.disabled_pass):
            return False
        return bool(names & set(self.required_pass)) or self.opt_level >= info.opt_level

    @property
    def llvm_level(self) -> int:
        """The optimization level for LLVM."""
        return min(self.opt_level, 3)

    @property
    def debug_info(self) -> bool:
        """True if code has the line information for debuggers and profilers.

        ``kc.debug_info`` of the config; by default the environment decides (``KC_DEBUG_INFO``, and
        ``KC_PERF``, which needs lines too).
        """
        setting = self.config.get("kc.debug_info")
        if setting is not None:
            return bool(setting)
        return is_on(DEBUG_INFO_VARIABLE) or perf_map.is_enabled()

    @property
    def bound_checks(self) -> bool:
        """True if kernels check their accesses to memory.

        ``tir.instrument_bound_checkers`` of the config; by default the environment decides
        (``KC_BOUND_CHECKS``).
        """
        setting = self.config.get("tir.instrument_bound_checkers")
        if setting is not None:
            return bool(setting)
        return is_on(BOUND_CHECKS_VARIABLE)

    @property
    def poison_memory(self) -> bool:
        """True if buffers hold subnormal numbers and NaN until their first store.

        ``kc.poison_memory`` of the config; by default the environment decides
        (``KC_POISON_MEMORY``).
        """
        setting = self.config.get("kc.poison_memory")
        return is_on(POISON_VARIABLE) if setting is None else bool(setting)

    def added_at(self, phase: int) -> Sequence[ModulePass]:
        """The passes that the config adds to a phase."""
        return self._options.added.get(phase, ())

    def identity(self) -> str | None:
        """The parts of the context that the result of a lowering depends on, as text.

        None if it depends on the user's code.
        """
        parts = [f"opt_level={self.llvm_level}"]
        if self.debug_info:
            parts.append("debug_info")
        if self.poison_memory:
            parts.append("poison_memory")
        if self._options.reuse_workspace:
            parts.append("reuse_workspace")
        for phase, pass_or_name in self.config.get("tir.add_lower_pass", ()):
            if not isinstance(pass_or_name, str):
                return None
            parts.append(f"{phase}:{pass_or_name}")
        parts += [f"{phase}:{pass_}" for phase, pass_ in self._configured()]
        replaced = sorted(self._options.replaced.items(), key=str)
        return " ".join([*parts, *(f"-{name}+{replacement}" for name, replacement in replaced)])

    def override_instruments(self, instruments: Sequence[Any] | None) -> None:
        """Replace the instruments: the old ones leave the context, and the new ones enter it."""
        previous, self.instruments = self.instruments, list(instruments or ())
        self._check_instruments()
        for instrument in previous:
            instrument.exit_pass_ctx()
        for instrument in self.instruments:
            instrument.enter_pass_ctx()

    def __enter__(self) -> PassContext:
        stack = contextlib.ExitStack()
        for instrument in self.instruments:
            instrument.enter_pass_ctx()
        stack.callback(self._exit_instruments)
        stack.enter_context(using_options(self._options))
        if self.config.get("kc.check_each"):
            from kc.check_each import StepCheck

            stack.enter_context(watching_steps(StepCheck()))
        token = _STACK.set((*_STACK.get(), self))
        stack.callback(_STACK.reset, token)
        self._entered.append(stack)
        return self

    def _exit_instruments(self) -> None:
        for instrument in self.instruments:
            instrument.exit_pass_ctx()

    def __exit__(self, *exc: object) -> None:
        self._entered.pop().close()

    @staticmethod
    def current() -> PassContext:
        """The innermost context, or a context without options."""
        return PassContext.entered() or _default()

    @staticmethod
    def entered() -> PassContext | None:
        """The innermost context that the program has entered, if there is one."""
        stack = _STACK.get()
        return stack[-1] if stack else None

    @staticmethod
    def list_configs() -> dict[str, dict[str, str]]:
        """The keys of ``config``, with the type of each, and whether it has an effect in kc."""
        return {
            key: {"type": entry.type.__name__, "effect": entry.effect or "none in kc"}
            for key, entry in KEYS.items()
        }


@functools.cache
def _default() -> PassContext:
    return PassContext()


def _flag(name: str) -> str | None:
    """The flag of a pass on graphs by Relay's name; None if it is no such name."""
    flag = flag_of(name.removeprefix("relay."))
    entry = registry.current().passes.get(flag)
    return flag if entry is not None and entry.family == "graph" else None


def _pass_names(listed: Sequence[str], own: Collection[str]) -> list[str]:
    """kc's names of passes; those of the program's own may have any that is not a typing error."""
    names: list[str] = []
    for name in listed:
        graph_pass = None if name in own else _flag(name)
        if graph_pass is not None:
            names.append(graph_pass)
            continue
        if name in TVM_PASSES or name.startswith(("relay.", "relax.")):
            translated = TVM_PASSES.get(name)
            if translated is not None:
                names.append(translated)
                continue
            warn(
                "KC4502",
                f"PassContext: kc has no {name}, so the option has no effect",
                location=caller_location(),
            )
            continue
        pass_names = [*registry.current().passes, *TVM_PASSES]
        if name not in own and not registry.is_pass(name):
            close = difflib.get_close_matches(name, pass_names, cutoff=0.8)
            if close:
                raise InputError(
                    "KC4503",
                    f"PassContext: there is no pass '{name}'",
                    location=caller_location(),
                    hints=suggest(name, close),
                )
        names.append(name)
    return names


def __dir__() -> list[str]:
    return sorted(__all__)
