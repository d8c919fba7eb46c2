"""The kernels of a program: each distinct group is lowered and scheduled once.

A kernel allocates no memory: ``take-workspace`` makes what it needs a part of the arena that
``@main`` passes. How much that is, is known once the loops are lowered so far.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp as KernelOp
from xdsl.ir import Operation

from kc.analysis.accesses.dependence import carried_conflict
from kc.backends import Build, Part, backend_of
from kc.building import compile_cache
from kc.building.default_schedules import wants_default_schedules
from kc.building.graphs import kernel_worker
from kc.building.graphs.program import COUNT, Launch
from kc.building.graphs.required_sizes import RequiredSize, required_sizes
from kc.building.programs import TensorProgram
from kc.conversion._access_bounds import require_accesses_inside
from kc.conversion.pipelines import planned_passes
from kc.conversion.take_workspace import WORKSPACE, WorkspaceSize, add_arguments
from kc.dialects.graph.declaration import OperatorOp, Pattern
from kc.dialects.graph.functions import ARGUMENT_NAME, FuncOp
from kc.dialects.tir import AllocOp, ForOp, StoreOp
from kc.graph import strategies
from kc.graph.group import GroupTensors, group_tensors, kernel_name
from kc.graph.signature import argument_leaves, result_leaves
from kc.instrument import run_passes
from kc.support import progress, registry
from kc.support.diagnostics import Diagnostic, diagnostic_handler
from kc.support.fresh_names import fresh_name
from kc.support.ir_text import print_module
from kc.support.pass_context import pipeline_options, using_options
from kc.support.target import Target
from kc.te.schedule import Schedule, create_schedule
from kc.transform import PassContext


@dataclass(frozen=True)
class Kernel:
    """A scheduled kernel: its function, and what its arguments are."""

    name: str
    lowered: Callable[[], KernelOp] = field(compare=False, repr=False)
    """Makes the ``func.func`` on loops, which is of no module."""
    types: tuple[str, ...]
    """The types of the arguments."""
    inputs: tuple[int, ...]
    """The inputs of the group that are arguments, in order."""
    outputs: tuple[int, ...]
    """For each argument after these, the result of the group that it is; none if the kernel writes
    its only result in place."""
    copied: tuple[tuple[int, int], ...]
    """(result, place): results that are copies of an input, which is ``~place``, or of another
    result."""
    sizes: tuple[str, ...]
    """The names of dimensions that are the last arguments."""
    requires: tuple[RequiredSize, ...]
    """The conditions on sizes, in the names of its group."""
    operators: tuple[str, ...]
    """The names of the operators in the group."""
    workspace: WorkspaceSize = WorkspaceSize()
    """The memory that it needs besides its arguments: then its last arguments are a pointer to
    that, its size, and the number of threads."""
    in_place: int | None = None
    """The input that is the result, too."""
    part: Part | None = field(default=None, compare=False, repr=False)
    """The code, if it was compiled by itself."""

    @property
    def function(self) -> KernelOp:
        """The loops, as a private function of no module; with the arguments for the workspace."""
        function = self.lowered()
        function.properties["sym_name"] = StringAttr(self.name)
        function.properties["sym_visibility"] = StringAttr("private")
        if self.workspace != WorkspaceSize():
            add_arguments(function, self.workspace)
        return function

    @property
    def computes(self) -> bool:
        """True if there is a function to call, and not only copies."""
        return bool(self.outputs) or self.in_place is not None


@dataclass(frozen=True)
class _Interface:
    """The parameters and results of a kernel, without its name and its code."""

    types: tuple[str, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    copied: tuple[tuple[int, int], ...]
    sizes: tuple[str, ...]
    requires: tuple[tuple[str, ...], ...]
    workspace: tuple[int, int] = (0, 0)

    @classmethod
    def of_text(cls, text: str) -> _Interface | None:
        """The interface in the first line of a cached text; None for a kernel that there is not."""
        read: dict[str, Any] | None = json.loads(text.partition("\n")[0].removeprefix(_HEAD))
        return None if read is None else cls.of_json(read)

    @classmethod
    def of_json(cls, read: Mapping[str, Any]) -> _Interface:
        """The interface of its fields, whose tuples are lists in JSON."""
        return cls(
            types=tuple(read["types"]),
            inputs=tuple(read["inputs"]),
            outputs=tuple(read["outputs"]),
            copied=tuple((result, place) for result, place in read["copied"]),
            sizes=tuple(read["sizes"]),
            requires=tuple(map(tuple, read["requires"])),
            workspace=tuple(read["workspace"]),
        )


_HEAD = "; kc.kernel "
"""The beginning of the first line of a cached kernel."""


class Kernels:
    """The kernels for a target, made when they are asked for.

    With ``separate``, each is compiled by itself, and kept in the compile cache by the text of its
    group: a build that finds it there neither lowers nor schedules the group.
    """

    def __init__(
        self,
        target: Target,
        taken: Sequence[str] = (),
        *,
        separate: bool = False,
        workspaces: bool = False,
    ) -> None:
        """``taken`` are names that no kernel may have; with ``workspaces``, kernels allocate
        nothing."""
        self.target = target
        self.separate = separate
        self.workspaces = workspaces and any(map(_takes_workspaces, backend_of(target).pipeline))
        self._names = set(taken)
        self._kernels: dict[tuple[str, int | None], Kernel | None] = {}
        self._lowered: dict[str, tuple[GroupTensors, KernelOp | None]] = {}
        self._ready: dict[str, tuple[_Interface, Part]] = {}
        """Kernels that other processes have compiled."""
        self._expected = 0
        """The number of distinct groups of the program."""
        self._begun = 0
        """The number of kernels that have been made, or are being made."""

    def expect(self, groups: Iterable[FuncOp]) -> None:
        """Tell of the groups of the program, so that the progress of a build has a total."""
        self._expected = len({canonical_text(group) for group in groups})

    def compile_side_by_side(self, groups: Iterable[FuncOp]) -> None:
        """Compile groups in as many processes as there are cores, where that takes less time.

        Groups of elementwise operators are left out: they are compiled in no time, and may be
        wanted in place. What goes wrong in another process is found again in this one.
        """
        if not self.separate or not _is_as_in_workers(self.target):
            return
        distinct = {
            canonical_text(group): group
            for group in groups
            if not _is_elementwise(group) and not strategies.has_own_functions(group)
        }
        missing = [
            text
            for text in distinct
            if not self._is_cached(text, distinct[text]) and (text, None) not in self._kernels
        ]
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        count = min(cores, len(missing) // kernel_worker.FEWEST)
        if count < 2:
            return
        own, *shares = [missing[n::count] for n in range(count)]
        workers = [kernel_worker.start(share, self.target) for share in shares]
        try:
            for text in own:
                self._kernel(distinct[text], None)
        finally:
            answers = [kernel_worker.finish(worker) for worker in workers]
        for share, parts in zip(shares, answers, strict=True):
            for text, answer in zip(share, parts, strict=False):
                self._begun += 1
                if answer is not None:
                    self._ready[text] = _Interface.of_json(answer[0]), answer[1]

    def _is_cached(self, text: str, group: FuncOp) -> bool:
        key = self._cache_key(text, group, None, _symbol(text, None))
        return key is not None and compile_cache.read(key) is not None

    def of_group(self, group: FuncOp) -> Kernel:
        """The kernel of a group that writes nothing in place."""
        kernel = self._kernel(group, None)
        assert kernel is not None
        return kernel

    def of(self, launch: Launch) -> Kernel:
        """The kernel of a launch. Raises the errors of lowering and scheduling the group."""
        in_place = launch.in_place.get(0)
        kernel = self._kernel(launch.group, in_place)
        assert kernel is not None
        return kernel

    def may_write_in_place(self, launch: Launch, number: int) -> bool:
        """True if the schedule lets each element of the result take the place of one of an
        input."""
        return self._kernel(launch.group, number) is not None

    def all(self) -> list[Kernel]:
        """The kernels that launches have asked for."""
        return [kernel for kernel in self._kernels.values() if kernel is not None]

    def _kernel(self, group: FuncOp, in_place: int | None) -> Kernel | None:
        key = canonical_text(group)
        if (key, in_place) not in self._kernels:
            self._begun += key not in self._ready
            with progress.kernel(group.sym_name.data, self._begun, self._expected):
                self._kernels[key, in_place] = self._made(group, key, in_place)
        return self._kernels[key, in_place]

    def _made(self, group: FuncOp, key: str, in_place: int | None) -> Kernel | None:
        symbol = _symbol(key, in_place)
        entry_key = self._cache_key(key, group, in_place, symbol) if self.separate else None
        entry = compile_cache.read(entry_key) if entry_key is not None else None
        part: Part | None = None
        if entry is not None:
            interface = _Interface.of_text(entry.text)
            if interface is not None and entry.object:
                part = Part(symbol, entry.text, entry.exports, entry.object)
        else:
            ready = self._ready.get(key) if in_place is None else None
            if ready is not None:
                interface, part = ready
                is_empty = False
            else:
                interface, function = self._lowered_kernel(group, key, in_place)
                is_empty = function is None
                if interface is not None and function is not None:
                    interface, part = self._compiled(interface, function, symbol)
            if entry_key is not None and (part is not None or is_empty):
                head = _HEAD + json.dumps(None if interface is None else vars(interface))
                text, exports, code = ("", [], b"")
                if part is not None:
                    text, exports, code = part.text, part.exports, part.object
                entry = compile_cache.Entry(f"{head}\n{text}", exports, code)
                compile_cache.write(entry_key, entry)
        if interface is None:
            return None

        def lowered() -> KernelOp:
            _, function = self._lowered_kernel(group, key, in_place)
            assert function is not None
            return function

        operators = [op.OPERATOR.name for op in group.body.block.ops if isinstance(op, OperatorOp)]
        return Kernel(
            fresh_name(kernel_name(group.sym_name.data), self._names),
            lowered,
            interface.types,
            interface.inputs,
            interface.outputs,
            interface.copied,
            interface.sizes,
            tuple(map(RequiredSize.of_texts, interface.requires)),
            tuple(operators),
            WorkspaceSize(*interface.workspace),
            in_place,
            part,
        )

    def _lowered_kernel(
        self, group: FuncOp, key: str, in_place: int | None
    ) -> tuple[_Interface | None, KernelOp | None]:
        """The interface and the loops of a group; no interface if it may not write in place, no
        loops if it computes nothing."""
        if key not in self._lowered:
            if strategies.has_own_functions(group):
                self._lowered[key] = _lowered_group(group, self.target, own=True)
            else:
                self._lowered[key] = _take(key, self.target) or _lowered_group(group, self.target)
        tensors, function = self._lowered[key]
        inputs = tuple(range(len(tensors.inputs)))
        outputs: dict[int, int] = {}
        copied: list[tuple[int, int]] = []
        for result, place in enumerate(tensors.results):
            if place < 0 or place in outputs:
                copied.append((result, place if place < 0 else outputs[place]))
            else:
                outputs[place] = result
        if function is not None:
            function = function.clone()
        if in_place is not None:
            if function is None or not write_in_place(function, in_place, len(inputs)):
                return None, None
            outputs = {}
        types = () if function is None else tuple(map(str, function.function_type.inputs))
        sizes = tuple(str(size.name) for size in tensors.sizes)
        written = tuple(outputs[n] for n in sorted(outputs))
        requires: tuple[tuple[str, ...], ...] = ()
        if function is not None:
            results = [spec for _, spec in result_leaves(group)]
            results += [COUNT] * (len(tensors.results) - len(results))
            specs = [spec for _, spec in argument_leaves(group)]
            specs += [results[number] for number in written]
            requires = tuple(size.as_texts() for size in required_sizes(function, specs))
        return _Interface(types, inputs, written, tuple(copied), sizes, requires), function

    def _cache_key(
        self, text: str, group: FuncOp, in_place: int | None, symbol: str
    ) -> compile_cache.Key | None:
        """The key of a kernel, which says all that its code relies on; None: it must not be cached.

        The arguments are dense, with the alignment of their elements, and apart from each other but
        for ``in_place``.
        """
        from kc.backends.llvm import machine_of

        own = strategies.identity_of(group)
        if own is None:
            return None
        scheduled = "scheduled" if wants_default_schedules() else "as written"
        takes = "workspace" if self.workspaces else "own memory"
        return compile_cache.key_of_text(
            f"{scheduled}, {takes}, {own}, dense, in place {in_place}: {text}",
            [symbol],
            self.target,
            machine_of(self.target),
            PassContext.current().identity(),
        )

    def _compiled(
        self, interface: _Interface, function: KernelOp, symbol: str
    ) -> tuple[_Interface, Part | None]:
        """The interface with the workspace, and the code if it is compiled by itself."""
        from kc.backends.llvm import part_of

        backend = backend_of(self.target)
        takes = self.workspaces and any(isinstance(op, AllocOp) for op in function.walk())
        if not takes and not self.separate:
            return interface, None
        public = function.clone()
        public.properties["sym_name"] = StringAttr(symbol)
        public.properties.pop("sym_visibility", None)
        module = ModuleOp([public])
        stages = [("tir", module)]
        remarks: list[Diagnostic] = []
        if takes:
            # Lower until the buffers are known, measure the workspace, and then continue from
            # there.
            position = [*map(_takes_workspaces, backend.pipeline)].index(True) + 1
            lowered = ModuleOp([public.clone()])
            with diagnostic_handler(remarks.append):
                size = _with_workspace(lowered, backend.pipeline[:position], self.target)
            if size != WorkspaceSize():
                types = (*interface.types, "memref<?xi8>", "index")
                workspace = (size.shared, size.per_thread)
                interface = replace(interface, types=types, workspace=workspace)
            backend = replace(backend, pipeline=backend.pipeline[position:])
            stages.append(("scf", lowered))
        if not self.separate or remarks:  # a kernel with warnings is compiled with the main module
            return interface, None
        return interface, part_of(Build(stages, self.target, symbol, None, backend), symbol)


def _takes_workspaces(entry: str | int) -> bool:
    """True for the pass of a pipeline after which the memory that kernels need is known."""
    return isinstance(entry, str) and entry.partition("{")[0] == "take-workspace"


def _with_workspace(module: ModuleOp, order: Sequence[str | int], target: Target) -> WorkspaceSize:
    """Run the passes on the only function of a module, and return what it needs then."""
    (function,) = [op for op in module.body.ops if isinstance(op, KernelOp)]
    function.attributes[WORKSPACE] = UnitAttr()
    require_accesses_inside(module)
    poisoned = PassContext.current().poison_memory
    options = replace(pipeline_options(), poison_memory=poisoned)
    with target, using_options(options):
        run_passes(module, planned_passes(tuple(order), target.kind))
    (function,) = [op for op in module.body.ops if isinstance(op, KernelOp)]
    return WorkspaceSize.of(function)


def _symbol(text: str, in_place: int | None) -> str:
    """The symbol of a kernel that is compiled by itself."""
    return f"group_{hashlib.sha256(f'{in_place} {text}'.encode()).hexdigest()[:24]}"


def _is_elementwise(group: FuncOp) -> bool:
    return all(
        op.OPERATOR.pattern <= Pattern.BROADCAST
        for op in group.body.block.ops
        if isinstance(op, OperatorOp)
    )


def _is_as_in_workers(target: Target) -> bool:
    """True if another process compiles a group as this one does: nothing is set by the program."""
    context = PassContext.current()
    return (
        context.identity() == PassContext().identity()
        and wants_default_schedules()
        and not registry.current().plugins
        and Target(str(target)) == target
    )


def canonical_text(group: FuncOp) -> str:
    """The text of a group without its names: equal texts are equal kernels."""
    copy = group.clone()
    copy.properties["sym_name"] = StringAttr("group")
    copy.properties.pop("sym_visibility", None)
    copy.attributes.clear()
    if copy.arg_attrs is not None:
        copy.arg_attrs = ArrayAttr(
            [
                DictionaryAttr({k: v for k, v in attrs.data.items() if k != ARGUMENT_NAME})
                for attrs in copy.arg_attrs
            ]
        )
    for op in copy.walk():
        for value in op.results:
            value.name_hint = None
    for argument in copy.body.block.args:
        argument.name_hint = None
    return print_module(ModuleOp([copy]))


_Lowered = tuple[GroupTensors, KernelOp | None]
"""A group as tensor expressions, and its scheduled loops; None if it computes nothing."""

_KEPT = 64
"""Groups whose schedules are kept for the build that is to follow."""
_schedules: dict[tuple[str, str], _Lowered] = {}
"""The groups that :func:`scheduled_group` has scheduled, by text and target, the latest last."""


def scheduled_group(group: FuncOp, text: str, target: Target) -> KernelOp | None:
    """The loops of a group by default schedules; None if it computes nothing.

    ``text`` is the canonical text of the group. The loops are kept for the build, so that no group
    is scheduled twice. Raises the errors of lowering and scheduling.
    """
    key = text, str(target)
    if key not in _schedules:
        _schedules[key] = _lowered_group(group, target)
        while len(_schedules) > _KEPT:
            _schedules.pop(next(iter(_schedules)))
    return _schedules[key][1]


def _take(text: str, target: Target) -> _Lowered | None:
    """A group that has the default schedule already."""
    return _schedules.pop((text, str(target)), None) if wants_default_schedules() else None


def _lowered_group(group: FuncOp, target: Target, *, own: bool = False) -> _Lowered:
    """The expressions and the loops of a group; with ``own``, by the user's strategies."""
    tensors = group_tensors(group, target if own else None)
    return tensors, _scheduled(tensors, target)


def _scheduled(tensors: GroupTensors, target: Target) -> KernelOp | None:
    """The scheduled loops of a group; None if it computes nothing."""
    if not tensors.outputs:
        return None
    arguments: list[object] = list(tensors.arguments)
    schedule = tensors.schedule() if tensors.schedule is not None else None
    is_given = isinstance(schedule, Schedule)
    if not is_given:
        schedule = create_schedule([tensor.op for tensor in tensors.outputs])
    program = TensorProgram(schedule, arguments, "group", None, not is_given)
    (function,) = [op for op in program.lowered(target).loops.body.ops if isinstance(op, KernelOp)]
    function.detach()
    return function


def write_in_place(function: KernelOp, number: int, position: int) -> bool:
    """Make the argument at ``position``, the only output, the argument ``number``.

    Returns False, and leaves a function that is not to be used, unless each element is read only
    where it is written: in one block, without a dependence between iterations.
    """
    block = function.body.block
    source, result = block.args[number], block.args[position]
    if source.type != result.type:
        return False
    listed = function.arg_attrs.data if function.arg_attrs is not None else ()
    if listed and listed[number].data.get("kc.shape") != listed[position].data.get("kc.shape"):
        return False  # a size that only the result tells, such as a product
    if not all(isinstance(use.operation, StoreOp) for use in result.uses):
        return False
    result.replace_all_uses_with(source)
    roots = {_root(use.operation, function) for use in source.uses}
    if len(roots) != 1:
        return False
    loops = [op for root in roots for op in root.walk() if isinstance(op, ForOp)]
    if any(carried_conflict(loop) is not None for loop in loops):
        return False
    stores = [use.operation for use in source.uses if isinstance(use.operation, StoreOp)]
    blocks = {op.parent for op in stores}
    if len(blocks) != 1 or any(use.operation.parent not in blocks for use in source.uses):
        return False
    block.erase_arg(result)
    inputs = [argument.type for argument in block.args]
    function.properties["function_type"] = FunctionType.from_lists(inputs, [])
    if function.arg_attrs is not None:
        attrs = list(function.arg_attrs.data)
        del attrs[position]
        attrs[number] = DictionaryAttr({**attrs[number].data, "kc.role": StringAttr("inout")})
        function.arg_attrs = ArrayAttr(attrs)
    return True


def _root(op: Operation, function: KernelOp) -> Operation:
    """The operation of the function's body that an operation is in."""
    while op.parent_op() is not function:
        above = op.parent_op()
        assert above is not None
        op = above
    return op


__all__ = ["Kernel", "Kernels", "canonical_text", "write_in_place"]
