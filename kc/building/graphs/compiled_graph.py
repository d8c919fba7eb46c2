"""``kc.graph.build``: a module of graphs as one native function.

The way of a build: parameters are bound, the module is optimised, the order of kernels and the plan
of memory are made (:mod:`kc.building.graphs.program`, :mod:`kc.building.graphs.memory_plan`), each
distinct group is lowered and scheduled once (:mod:`kc.building.graphs.kernels`), and a function
that calls the kernels (:mod:`kc.building.graphs.main_function`) goes to the backend of the target
with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, ModuleOp

from kc.analysis.module_copy import copy_module
from kc.backends import Build, backend_of
from kc.backends.llvm import runs_here
from kc.building import compile_cache
from kc.building.graphs.kernels import Kernel, Kernels
from kc.building.graphs.main_function import constant_tables, main_function, module_of
from kc.building.graphs.memory_plan import MemoryPlan, plan_memory
from kc.building.graphs.program import Launch, Program, all_steps, program_of
from kc.dialects.graph.functions import FuncOp
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp, numpy_dtype
from kc.graph.interpreter import Interpreter
from kc.runtime.function import DeferredFunction
from kc.runtime.module import Module, Source
from kc.support import progress, registry
from kc.support.diagnostics import GraphError, suggest
from kc.support.ir_text import print_module
from kc.support.locations import location_of
from kc.support.pass_context import pipeline_options, step_watcher, using_options
from kc.support.paused_collection import paused_collection
from kc.support.target import Target
from kc.tir.module import IRModule
from kc.transform import PassContext

OPTIMIZE = "graph-optimize"
"""The pass that optimises a module before it is compiled, where it is registered."""
_WITH_TABLES = frozenset({"llvm"})
"""The kinds of targets whose code finds large constants beside it."""
LEFT_OUT = ("FastMath", "CombineParallelDense")
"""The passes that do not run unless they are asked for. One is not exact; the other makes a product
of queries, keys and values, with which BERT's and Llama's layers took 3 to 6 % longer."""
KINDS = ("llvm", "c")
"""The kinds of targets that graphs are compiled for."""


class CutFunction(DeferredFunction):
    """A function of results whose size depends on elements: a call that returns them cuts them.

    Files have the function itself, which gives the sizes as further results.
    """

    def __init__(self, function: Any, program: Program) -> None:
        super().__init__(function.signature, lambda: function)
        self._counts = program.counts
        self._results = len(program.outputs) - len(program.counts)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        computed = self.compiled(*args, **keywords)
        if not isinstance(computed, tuple):
            return computed
        results = [
            result[: int(computed[self._counts[n]][0])] if n in self._counts else result
            for n, result in enumerate(computed[: self._results])
        ]
        return results[0] if len(results) == 1 else tuple(results)


class CompiledGraph(Module):
    """A compiled graph: calling it takes the inputs, and returns the outputs or writes them.

    ``get_source("graph")`` is the graph as it was compiled, ``"tir"`` the kernels and the function
    that calls them; the rest is as for any :class:`kc.runtime.Module`.
    """

    __slots__ = (
        "graph",
        "kernel_of",
        "kernels",
        "memory_plan",
        "params",
        "program",
        "target",
        "threads",
    )

    def __init__(
        self,
        base: Module,
        graph: ModuleOp,
        program: Program,
        kernels: Mapping[str, Kernel],
        plan: MemoryPlan,
        constants: Mapping[str, Any],
        *,
        kernel_of: Callable[[Launch], Kernel],
        threads: int,
        params: Mapping[str, Any],
        target: Target,
        whole: Callable[[], ModuleOp] | None,
    ) -> None:
        """``base`` is the module of the backend; ``constants`` are arrays that it uses, ``params``
        the arrays that were bound, by their names; ``whole`` makes the loops of all kernels and of
        the function that calls them, where the kernels were compiled by themselves."""
        files = dict(base._artefacts)  # pyright: ignore[reportPrivateUsage]
        sources: dict[str, Source] = {"graph": lambda: print_module(graph)}
        if whole is not None:
            sources["tir"] = lambda: print_module(whole())
            sources["c"] = lambda: _c_source(whole(), target)
        if constants or whole is not None:
            files.pop("mlir", None)  # this text would lack the constants
        functions = dict(base.functions)
        if program.counts:
            whole_function = functions[base.entry_name]
            functions[base.entry_name] = CutFunction(whole_function, program)
        super().__init__(
            functions,
            base.entry_name,
            {**base._sources, **sources},  # pyright: ignore[reportPrivateUsage]
            constants,
            artefacts=files,
            record=base._record,  # pyright: ignore[reportPrivateUsage]
        )
        self.graph = graph
        self.program = program
        self.kernels = kernels
        """The kernels by name, each with its loops (``function``) and its operators."""
        self.memory_plan = plan
        """The plan of memory, which prints as a table."""
        self.kernel_of = kernel_of
        self.threads = threads
        """The number of threads for which the workspaces of kernels are planned."""
        self.params = params
        self.target = target

    def __getitem__(self, name: str) -> Any:
        """The function of a name; ``"default"`` is a function of a device that gives what TVM's
        graph executor wraps (:class:`kc.contrib.graph_executor.GraphModule`)."""
        if name == "default" and name not in self.functions:
            return lambda device=None: Runtime(self, device)
        return super().__getitem__(name)

    def __iter__(self) -> Iterator[Any]:
        """The graph as JSON, the module, and the parameters: what ``relay.build`` returned."""
        yield from (self.get_graph_json(), self, self.get_params())

    def get_graph_json(self) -> str:
        """The kernels and their values, in the form of TVM's graph executor."""
        from kc.building.graphs.graph_json import graph_json

        return graph_json(self)

    def get_lib(self) -> CompiledGraph:
        """The module itself (TVM: the library without graph and parameters)."""
        return self

    def get_params(self) -> dict[str, Any]:
        """The parameters that are bound, by name."""
        return dict(self.params)


def _c_source(loops: ModuleOp, target: Target) -> str:
    from kc.backends.c import source_text

    return source_text(Build([("tir", loops)], target, "main", None, backend_of(target)))


@dataclass(frozen=True)
class Runtime:
    """A compiled graph on a device."""

    compiled: CompiledGraph
    device: Any = None


def build(
    mod: Any,
    target: Target | str | None = None,
    params: Mapping[str, Any] | None = None,
    *,
    name: str = "main",
    opt_level: int = 4,
) -> CompiledGraph:
    """Compile the function ``name`` of a module of graphs for a CPU, or as C source.

    ``params`` are arrays for arguments by name: they become constants of the code. The rest of the
    arguments are inputs. ``target`` is the host CPU by default. ``opt_level`` is the level of the
    passes, without :data:`LEFT_OUT`; where a pass context is entered, that says which passes run.

    Raises GraphError: KC2447 for a size that depends on elements, KC2448 for recursion, KC2450 for
    parameters that the function lacks or that do not fit, KC2451 for another kind of target; and
    the errors of the passes and of the backend.
    """
    chosen = target if isinstance(target, Target) else None
    if chosen is None:
        chosen = Target(target) if target is not None else Target.current() or Target.host_cpu()
    if chosen.kind not in KINDS:
        raise GraphError(
            "KC2451",
            f"a graph is built for {chosen.kind}",
            why="the function that calls the kernels runs on a CPU, in memory of the CPU",
            hints=['target="llvm"', 'target="c"'],
        )
    with (
        paused_collection(),
        using_options(pipeline_options()),
        compile_cache.on_by_default(),
        progress.tracking("kc.graph.build", PassContext.current().progress),
    ):
        module = copy_module(getattr(mod, "op", mod))
        bind_parameters(module, params or {}, name)
        with progress.part(0.0, progress.KERNELS[0]):
            _optimize(module, name, chosen, opt_level)
        functions = Interpreter(module)
        function = functions.function(name)
        program = program_of(function, functions.functions)
        separate = is_compiled_in_parts(chosen)
        kernels = Kernels(chosen, [name], separate=separate, workspaces=_plans_workspaces(chosen))
        groups = [step.group for step in all_steps(program.steps) if isinstance(step, Launch)]
        kernels.expect(groups)
        kernels.compile_side_by_side(groups)
        threads = chosen.num_cores or 1
        plan = plan_memory(
            program,
            kernels.may_write_in_place,
            lambda launch: kernels.of(launch).workspace.bytes(threads),
        )
        launched: dict[str, Kernel] = {}

        def kernel_of(launch: Launch) -> Kernel:
            kernel = kernels.of(launch)
            launched[kernel.name] = kernel
            return kernel

        main = main_function(program, plan, kernel_of, threads)
        is_outside = chosen.kind in _WITH_TABLES
        used = list(launched.values())
        loops = module_of(main, program, used, external=is_outside, declares=separate)
        tables = constant_tables(program) if is_outside else {}
        parts = {kernel.name: kernel.part for kernel in used if kernel.part is not None}
        backend = backend_of(chosen)
        stages = [("tir", loops)]
        base = backend.build(Build(stages, chosen, name, None, backend, tables=tables, parts=parts))

    def whole() -> ModuleOp:
        function = main_function(program, plan, kernels.of, threads)
        return module_of(function, program, used, external=is_outside)

    return CompiledGraph(
        base,
        module,
        program,
        launched,
        plan,
        tables,
        kernel_of=kernels.of,
        threads=threads,
        params=dict(params or {}),
        target=chosen,
        whole=whole if separate else None,
    )


def is_compiled_in_parts(target: Target) -> bool:
    """True if each kernel is compiled by itself: by LLVM for this machine, by kc's own passes."""
    if target.kind != "llvm" or not runs_here(target):
        return False
    return _is_plain()


def _is_plain() -> bool:
    """True if the passes are kc's own, and nobody looks at what they do."""
    context = PassContext.current()
    is_watched = step_watcher() is not None or bool(context.instruments) or context.bound_checks
    return not is_watched and context.identity() is not None


def _plans_workspaces(target: Target) -> bool:
    """True if kernels may be lowered by themselves, to see what memory they need."""
    hooks = [hook for phase in registry.current().hooks.values() for hook in phase]
    return _is_plain() and not any(target.kind in hook.kinds for hook in hooks)


def build_function(mod: Any, target: Target, name: str) -> Module:
    """:func:`build` for ``kc.build``: the function ``name`` of a module without parameters.

    The loops of ``--lower-te`` are built for a target without a memory plan, as a GPU is.
    """
    name = _entry_name(mod, name)
    if target.kind in KINDS:
        return build(mod, target, name=name)
    from kc.driver import build as build_loops
    from kc.graph.passes.lower_te import lower_graphs

    module = copy_module(getattr(mod, "op", mod))
    lower_graphs(module)
    return build_loops(IRModule(module), None, target, name)


def _entry_name(mod: Any, name: str) -> str:
    """``name``, or the name of the only public function, where none is called ``name``."""
    functions = [op for op in getattr(mod, "op", mod).body.ops if isinstance(op, FuncOp)]
    names = [op.sym_name.data for op in functions if op.sym_visibility is None]
    return names[0] if len(names) == 1 and name not in names else name


def _optimize(module: ModuleOp, name: str, target: Target, opt_level: int) -> None:
    """Run the pipeline of optimisations, where there is one."""
    if OPTIMIZE in registry.current().passes:
        from kc.instrument import run_passes

        context: Any = nullcontext()
        if PassContext.entered() is None:
            context = PassContext(opt_level=opt_level, disabled_pass=LEFT_OUT)
        with target, context:
            run_passes(module, [registry.pass_class(OPTIMIZE)(entry=name)])


def bind_parameters(module: ModuleOp, params: Mapping[str, Any], name: str = "main") -> None:
    """Replace arguments of a function by constants, in place.

    Raises GraphError KC2450 for a name that is no argument, and for arrays that do not fit.
    """
    import numpy as np

    function = Interpreter(module).function(name)
    names = function.arg_names
    for key in params:
        if key not in names:
            raise GraphError(
                "KC2450",
                f"@{name} has no argument {key} for the parameter of this name",
                location=location_of(function),
                hints=suggest(key, names, "the arguments are"),
            )
    block = function.body.block
    bound: list[int] = []
    for number, (label, argument) in enumerate(zip(names, block.args, strict=True)):
        if label not in params:
            continue
        value = params[label]
        array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
        spec = spec_of(argument.type)
        if not isinstance(spec, TensorSpec) or not _fits(spec, array):
            raise GraphError(
                "KC2450",
                f"the parameter {label} is {array.dtype}{list(array.shape)}, but @{name} takes "
                f"{spec if isinstance(spec, TensorSpec) else argument.type}",
                location=location_of(function),
            )
        constant = ConstantOp.of(array, spec.dtype)
        first = block.first_op
        assert first is not None
        block.insert_op_before(constant, first)
        constant.result.name_hint = label if label.isidentifier() else None
        argument.replace_all_uses_with(constant.result)
        bound.append(number)
    _drop_arguments(function, bound)


def _fits(spec: TensorSpec, array: Any) -> bool:
    return numpy_dtype(spec.dtype) == array.dtype and spec.shape == array.shape


def _drop_arguments(function: FuncOp, numbers: list[int]) -> None:
    if not numbers:
        return
    block = function.body.block
    if function.arg_attrs is not None:
        function.arg_attrs = ArrayAttr(
            [attrs for n, attrs in enumerate(function.arg_attrs.data) if n not in numbers]
        )
    for number in reversed(numbers):
        block.erase_arg(block.args[number])
    function.update_type()
