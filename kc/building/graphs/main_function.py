"""The function of a program as IR: it calls the kernels on parts of one arena.

::

    func.func @main(%x: memref<4x8xf32> {...}, %output: memref<4x16xf32> {kc.role = "out", ...})
        attributes {kc.keeps_memory} {
      %arena = memref.alloc() {alignment = 64} : memref<8704xi8>
      %0 = memref.view %arena[%c256][] : memref<8704xi8> to memref<4x16xf32>
      %1 = memref.get_global @constant_0 : memref<16x8xf32>
      %2 = memref.view %arena[%c512][%c8192] : memref<8704xi8> to memref<?xi8>
      func.call @nn_dense(%x, %1, %0, %2, %c1) : ...
      ...
      memref.dealloc %arena : memref<8704xi8>
    }

The arena is kept from one call to the next (``reuse-workspace``), and calls at the same time on
several threads have arenas of their own.

What the threads of a kernel need is planned for the number of threads that the target has. Where
there are more when the function is called, the arena is larger, and the workspaces of such kernels
lie behind everything else::

    %threads = tir.num_threads
    %fits = arith.cmpi ule, %threads, %c2 : index
    %behind = arith.muli %threads, %c4096 : index
    %more = arith.select %fits, %c0, %behind : index
    %bytes = arith.addi %c8704, %more : index
    %arena = memref.alloc(%bytes) {alignment = 64} : memref<?xi8>
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp as KernelOp
from xdsl.dialects.memref import GlobalOp
from xdsl.ir import Attribute, Operation

from kc.building.graphs.kernels import Kernel
from kc.building.graphs.memory_plan import ALIGNMENT, MemoryPlan
from kc.building.graphs.program import (
    Branch,
    Buffer,
    Copy,
    Launch,
    Loop,
    Place,
    Program,
    Step,
    View,
    all_steps,
)
from kc.building.graphs.required_sizes import RequiredSize, names_of_caller
from kc.conversion.reuse_workspace import KEEPS_MEMORY
from kc.conversion.take_workspace import WorkspaceSize
from kc.dialects.graph.sizes import Quotient, Size, SizeExpr
from kc.dialects.graph.types import ELEMENT_TYPES, TensorSpec
from kc.dialects.memref_views import DISJOINT, EXTERNAL
from kc.dialects.size_requirements import set_requirements
from kc.graph.group import depends_on_elements
from kc.runtime.signature import DTYPES
from kc.support.diagnostics import GraphError
from kc.support.ir_text import parse_module
from kc.support.locations import location_of
from kc.support.registry import context


def main_function(
    program: Program, plan: MemoryPlan, kernel_of: Callable[[Launch], Kernel], threads: int = 1
) -> KernelOp:
    """The function of a program; its kernels and constants must be put beside it.

    ``threads`` is the number for which the workspaces of kernels are planned.

    Raises GraphError KC2449 for a size of an argument that is a product of sizes.
    """
    emitter = _Emitter(program, plan, kernel_of, threads)
    module = parse_module(emitter.text(), "<graph>", context())
    (function,) = [
        op
        for op in module.body.ops
        if isinstance(op, KernelOp) and op.sym_name.data == program.function.sym_name.data
    ]
    function.detach()
    function.location = program.function.location
    symbols = emitter.symbols
    requirements = [size.requirement(symbols) for size in _required(program, kernel_of, symbols)]
    set_requirements(function, requirements, len(symbols))
    return function


def _required(
    program: Program, kernel_of: Callable[[Launch], Kernel], symbols: Sequence[str]
) -> Iterator[RequiredSize]:
    """The conditions of all kernels, each once, in the names of the function.

    Raises GraphError KC2447 for a condition on a size that is known only when the graph runs.
    """
    seen: set[RequiredSize] = set()
    for step in all_steps(program.steps):
        if not isinstance(step, Launch):
            continue
        values: dict[str, Size] | None = None
        for condition in kernel_of(step).requires:
            if values is None:
                values = names_of_caller(step.group, [view.spec for view in step.inputs])
            own = condition.substituted(values)
            if own.always_holds or own in seen:
                continue
            if not own.names <= set(symbols):
                raise depends_on_elements(step.op, f"{own.why}, which no argument tells")
            seen.add(own)
            yield own


def constant_globals(program: Program, *, external: bool = False) -> list[Operation]:
    """The constants as ``memref.global``, each aligned to a cache line.

    With ``external`` only small ones have their elements in IR (:func:`is_external`).
    """
    globals_: list[Operation] = []
    for buffer, constant in zip(program.constants, program.elements, strict=True):
        value = constant.value
        assert isinstance(value, DenseIntOrFPElementsAttr)
        element = _element_type(buffer.spec.dtype)
        shape = buffer.spec.type.get_shape()
        is_outside = external and is_external(buffer)
        elements = DenseIntOrFPElementsAttr(TensorType(element, shape), value.data)  # pyright: ignore[reportArgumentType]
        op = GlobalOp.get(
            StringAttr(buffer.name),
            MemRefType(element, shape),
            UnitAttr() if is_outside else elements,
            StringAttr("private"),
            UnitAttr(),
            IntegerAttr(ALIGNMENT, i64),
        )
        if is_outside:
            op.attributes[EXTERNAL] = UnitAttr()
        globals_.append(op)
    return globals_


INLINE_BYTES = 256
"""The bytes of the largest constant whose elements are in IR."""


def is_external(buffer: Buffer) -> bool:
    """True for a constant whose elements are beside the code."""
    assert isinstance(buffer.bytes, int)
    return buffer.bytes > INLINE_BYTES


def constant_tables(program: Program) -> dict[str, Any]:
    """The elements of external constants, in memory that is aligned to cache lines."""
    import numpy as np

    tables: dict[str, Any] = {}
    for buffer, constant in zip(program.constants, program.elements, strict=True):
        if is_external(buffer):
            elements = np.ascontiguousarray(constant.array).reshape(-1).view(np.uint8)
            memory = np.empty(elements.nbytes + ALIGNMENT, np.uint8)
            start = -memory.ctypes.data % ALIGNMENT
            table = memory[start : start + elements.nbytes]
            table[:] = elements
            tables[buffer.name] = table
    return tables


def _element_type(dtype: str) -> Attribute:
    type_ = ELEMENT_TYPES[dtype]
    return IntegerType(type_.width.data) if isinstance(type_, IntegerType) else type_


class _Emitter:
    def __init__(
        self,
        program: Program,
        plan: MemoryPlan,
        kernel_of: Callable[[Launch], Kernel],
        threads: int,
    ) -> None:
        self.program = program
        self.threads = threads
        self.kernel_of = kernel_of
        self.plan = plan
        self.offsets = {allocation.buffer: allocation.offset for allocation in plan.allocations}
        self.lines: list[str] = []
        self.count = 0
        self.sizes: dict[Size, str] = {}
        self.declared: dict[str, Kernel] = {}
        names: dict[str, None] = {}
        for buffer in (*program.inputs, *program.outputs):
            for size in buffer.spec.shape:
                if isinstance(size, SizeExpr):
                    names.update(dict.fromkeys(sorted(size.names)))
        self.symbols = list(names)

    def text(self) -> str:
        """The module of the function and of declarations of its kernels."""
        arguments = [
            *(self._argument(buffer, "in") for buffer in self.program.inputs),
            *(self._argument(buffer, "out") for buffer in self.program.outputs),
        ]
        for name in self.symbols:
            self.write(f'%size_{name} = tir.symbol "{name}"')
        bytes_ = self.plan.arena_bytes
        self.arena_type = ""
        if bytes_ != 0:
            dynamic = "" if isinstance(bytes_, int) else self.size(bytes_)
            more = self._more_threads()
            if more:
                dynamic = self._binary("addi", self.size(bytes_), more)
            self.arena_type = f"memref<{'?' if dynamic else bytes_}xi8>"
            self.write(
                f"%arena = memref.alloc({dynamic}) {{alignment = {ALIGNMENT} : i64}} : "
                f"{self.arena_type}"
            )
        # Sizes of the outermost block are known in all others.
        self._prepare_sizes()
        self.steps(self.program.steps)
        if self.arena_type:
            self.write(f"memref.dealloc %arena : {self.arena_type}")
        body = "\n".join(f"  {line}" for line in self.lines)
        attributes = ""
        function_attributes: list[str] = []
        if self.symbols:
            listed = ", ".join(f'"{name}"' for name in self.symbols)
            function_attributes.append(f"kc.symbols = [{listed}]")
        if self.arena_type:
            function_attributes.append(KEEPS_MEMORY)
        if function_attributes:
            attributes = f" attributes {{{', '.join(function_attributes)}}}"
        name = self.program.function.sym_name.data
        declared = "\n".join(
            f"func.func private @{kernel.name}({', '.join(kernel.types)})"
            for kernel in self.declared.values()
        )
        globals_ = "\n".join(
            f'memref.global "private" @{buffer.name} : {self.memref(buffer.spec)}'
            for buffer in self.program.constants
        )
        return (
            f"{globals_}\n{declared}\nfunc.func @{name}({', '.join(arguments)}){attributes} {{\n"
            f"{body}\n  func.return\n}}\n"
        )

    def write(self, line: str) -> None:
        self.lines.append(line)

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    # Sizes ---------------------------------------------------------------------------------

    def _prepare_sizes(self) -> None:
        for step in all_steps(self.program.steps):
            views = [step.source, step.target] if isinstance(step, Copy) else []
            if isinstance(step, Launch):
                views = [*step.inputs, *step.outputs]
                kernel = self.kernel_of(step)
                for name in kernel.sizes:
                    assert name in self.symbols
                if step.workspace is not None:
                    offset = self.offsets[step.workspace]
                    for size in (offset, kernel.workspace.bytes(self.threads), 1):
                        self.size(size)
            for view in views:
                resolved = view.resolved
                for size in (*resolved.spec.shape, resolved.offset):
                    assert size is not None
                    self.size(size)
                if resolved.buffer.place is Place.ARENA:
                    self.size(self.offsets[resolved.buffer] + resolved.offset)
        for step in _all_branches(self.program.steps):
            condition = step.condition.resolved
            if condition.buffer.place is Place.ARENA:
                self.size(self.offsets[condition.buffer] + condition.offset)

    def _more_threads(self) -> str:
        """Ask for the number of threads, if kernels need memory for each. The name of the bytes
        behind the planned arena, which are 0 for as many threads as it is planned for."""
        launches = (step for step in all_steps(self.program.steps) if isinstance(step, Launch))
        needs = [self.kernel_of(launch).workspace for launch in launches]
        per_thread = max((need.per_thread for need in needs), default=0)
        if per_thread == 0:
            return ""
        shared = max(need.shared for need in needs if need.per_thread)
        self.write("%threads = tir.num_threads")
        self.write(f"%fits = arith.cmpi ule, %threads, {self.size(self.threads)} : index")
        behind = self._binary("muli", "%threads", self.size(per_thread))
        behind = self._binary("addi", behind, self.size(shared))
        name = self.fresh()
        self.write(f"{name} = arith.select %fits, {self.size(0)}, {behind} : index")
        return name

    def _workspace(self, step: Launch, need: WorkspaceSize) -> list[str]:
        """The arguments of a kernel for its workspace: the memory and the number of threads."""
        if need == WorkspaceSize():
            return []
        assert step.workspace is not None
        offset, size = self.size(self.offsets[step.workspace]), self.size(need.bytes(self.threads))
        threads = self.size(1)
        if need.per_thread:
            threads = "%threads"
            place, offset = offset, self.fresh()
            behind = self.size(self.plan.arena_bytes)
            self.write(f"{offset} = arith.select %fits, {place}, {behind} : index")
        name = self.fresh()
        self.write(
            f"{name} = memref.view %arena[{offset}][{size}] {{{DISJOINT}}} : "
            f"{self.arena_type} to memref<?xi8>"
        )
        return [name, threads]

    def size(self, size: Size) -> str:
        """The name of a size as an index."""
        variable = self.sizes.get(size)
        if variable is not None:
            return variable
        if isinstance(size, int):
            name = f"%c{size}" if size >= 0 else f"%cm{-size}"
            self.write(f"{name} = arith.constant {size} : index")
        else:
            name = self._sum(size)
        self.sizes[size] = name
        return name

    def _sum(self, size: SizeExpr) -> str:
        total = ""
        for factors, coefficient in size.terms:
            product = self.size(coefficient) if coefficient != 1 or not factors else ""
            for factor in factors:
                part = self._quotient(factor) if isinstance(factor, Quotient) else f"%size_{factor}"
                product = self._binary("muli", product, part) if product else part
            total = self._binary("addi", total, product) if total else product
        return total

    def _quotient(self, quotient: Quotient) -> str:
        dividend, divisor = self.size(quotient.dividend), self.size(quotient.divisor)
        divided = self._binary("floordivsi", dividend, divisor)
        if not quotient.is_remainder:
            return divided
        return self._binary("subi", dividend, self._binary("muli", divided, divisor))

    def _binary(self, operation: str, left: str, right: str) -> str:
        name = self.fresh()
        self.write(f"{name} = arith.{operation} {left}, {right} : index")
        return name

    # Types ---------------------------------------------------------------------------------

    def memref(self, spec: TensorSpec) -> str:
        """The type of a dense tensor in memory."""
        sizes = [str(size) if isinstance(size, int) else "?" for size in spec.shape]
        return f"memref<{'x'.join([*sizes, str(_element_type(spec.dtype))])}>"

    def _argument(self, buffer: Buffer, role: str) -> str:
        attrs = [f'kc.name = "{buffer.name}"', f'kc.role = "{role}"']
        if buffer.spec.dtype.startswith(("uint", "bool")):
            attrs.append(f'kc.dtype = "{buffer.spec.dtype}"')
        if any(isinstance(size, SizeExpr) for size in buffer.spec.shape):
            symbols = ", ".join(f"s{n}" for n in range(len(self.symbols)))
            sizes = ", ".join(self._affine(size, buffer) for size in buffer.spec.shape)
            attrs.append(f"kc.shape = affine_map<()[{symbols}] -> ({sizes})>")
        return f"%{_identifier(buffer)}: {self.memref(buffer.spec)} {{{', '.join(attrs)}}}"

    def _affine(self, size: Size | None, buffer: Buffer) -> str:
        if not isinstance(size, SizeExpr):
            return str(size)
        text = ""
        for factors, coefficient in size.terms:
            if len(factors) > 1:
                raise GraphError(
                    "KC2449",
                    f"{buffer.name} has the size {size}, a product of sizes",
                    location=location_of(self.program.function),
                    why="a call checks the sizes of arrays as sums of names and their quotients",
                    hints=["give the product a name of its own in the type"],
                )
            words = [str(coefficient)] if coefficient != 1 or not factors else []
            for factor in factors:
                if isinstance(factor, Quotient):
                    divide = "mod" if factor.is_remainder else "floordiv"
                    inner = self._affine(factor.dividend, buffer)
                    words.append(f"(({inner}) {divide} {factor.divisor})")
                else:
                    words.append(f"s{self.symbols.index(factor)}")
            term = " * ".join(reversed(words))
            text = f"{text} + {term}" if text else term
        return text

    # Views ---------------------------------------------------------------------------------

    def view(self, view: View) -> str:
        """The name of a view of the memory that it is in."""
        resolved = view.resolved
        buffer, spec = resolved.buffer, resolved.spec
        type_ = self.memref(spec)
        dynamic = [self.size(size) for size in spec.shape if isinstance(size, SizeExpr)]
        name = self.fresh()
        if buffer.place is Place.ARENA:
            offset = self.size(self.offsets[buffer] + resolved.offset)
            self.write(
                f"{name} = memref.view %arena[{offset}][{', '.join(dynamic)}] {{{DISJOINT}}} : "
                f"{self.arena_type} to {type_}"
            )
            return name
        source, source_type = f"%{_identifier(buffer)}", self.memref(buffer.spec)
        if buffer.place is Place.CONSTANT:
            source = self.fresh()
            self.write(f"{source} = memref.get_global @{buffer.name} : {source_type}")
        if resolved.offset == 0 and spec.shape == buffer.spec.shape:
            return source
        element = DTYPES[spec.dtype].size
        is_static = isinstance(resolved.offset, int)
        position = resolved.offset // element
        strides = _strides(spec)
        shown = [str(size) if isinstance(size, int) else self.size(size) for size in strides]
        sizes = [
            str(size) if isinstance(size, int) else self.size(size)  # pyright: ignore
            for size in spec.shape
        ]
        offset = str(position) if position == 0 else self.size(position)
        written = ", ".join(str(size) if isinstance(size, int) else "?" for size in strides)
        is_at_start = is_static and position == 0
        part_type = type_ if is_at_start else f"{type_[:-1]}, strided<[{written}], offset: ?>>"
        self.write(
            f"{name} = memref.reinterpret_cast {source} to offset: [{offset}], "
            f"sizes: [{', '.join(sizes)}], strides: [{', '.join(shown)}] : {source_type} to "
            f"{part_type}"
        )
        if is_at_start:
            return name
        dense = self.fresh()
        self.write(f"{dense} = memref.cast {name} : {part_type} to {type_}")
        return dense

    # Steps ---------------------------------------------------------------------------------

    def steps(self, steps: Sequence[Step]) -> None:
        for step in steps:
            match step:
                case Launch():
                    self.launch(step)
                case Copy():
                    self.copy(step.source, step.target)
                case Branch():
                    condition = self.condition(step.condition)
                    self.write(f"scf.if {condition} {{")
                    self.steps(step.then)
                    self.write("} else {")
                    self.steps(step.otherwise)
                    self.write("}")
                case _:
                    self.write("scf.while : () -> () {")
                    self.steps(step.test)
                    condition = self.condition(step.condition)
                    self.write(f"scf.condition({condition})")
                    self.write("} do {")
                    self.steps(step.body)
                    self.write("scf.yield")
                    self.write("}")

    def condition(self, view: View) -> str:
        memory = self.view(view)
        name = self.fresh()
        self.write(f"{name} = memref.load {memory}[] : memref<i1>")
        return name

    def copy(self, source: View, target: View) -> None:
        type_ = self.memref(target.spec)
        written = self.view(source)
        self.write(f"memref.copy {written}, {self.view(target)} : {type_} to {type_}")

    def launch(self, step: Launch) -> None:
        kernel = self.kernel_of(step)
        if kernel.computes:
            self.declared[kernel.name] = kernel
            arguments = [self.view(step.inputs[n]) for n in kernel.inputs]
            arguments += [self.view(step.outputs[n]) for n in kernel.outputs]
            arguments += [f"%size_{name}" for name in kernel.sizes]
            arguments += self._workspace(step, kernel.workspace)
            types = ", ".join(kernel.types)
            self.write(f"func.call @{kernel.name}({', '.join(arguments)}) : ({types}) -> ()")
        for result, place in kernel.copied:
            source = step.inputs[~place] if place < 0 else step.outputs[place]
            self.copy(source, step.outputs[result])


def _all_branches(steps: Sequence[Step]) -> Iterator[Branch | Loop]:
    for step in steps:
        if isinstance(step, Branch):
            yield step
            yield from _all_branches(step.then)
            yield from _all_branches(step.otherwise)
        elif isinstance(step, Loop):
            yield step
            yield from _all_branches(step.test)
            yield from _all_branches(step.body)


def _strides(spec: TensorSpec) -> list[Size]:
    strides: list[Size] = []
    step: Size = 1
    for size in reversed(spec.shape):
        strides.append(step)
        assert size is not None
        step = step * size
    return strides[::-1]


def _identifier(buffer: Buffer) -> str:
    return f"{buffer.place.value}_{buffer.position}"


def module_of(
    function: KernelOp,
    program: Program,
    kernels: Sequence[Kernel],
    *,
    external: bool = False,
    declares: bool = False,
) -> ModuleOp:
    """The module of a function with its kernels and constants; with ``declares``, kernels that are
    compiled by themselves are declared alone."""
    bodies: list[Operation] = []
    for kernel in kernels:
        if declares and kernel.part is not None:
            types = parse_module(
                f"func.func private @{kernel.name}({', '.join(kernel.types)})", "<graph>", context()
            )
            (declaration,) = types.body.ops
            declaration.detach()
            bodies.append(declaration)
        elif kernel.computes:
            bodies.append(kernel.function)
    return ModuleOp([*constant_globals(program, external=external), *bodies, function])
