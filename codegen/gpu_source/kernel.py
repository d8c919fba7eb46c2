"""A kernel as a function of a language for GPUs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerAttr,
    MemRefType,
    StridedLayoutAttr,
    VectorType,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue

from kc.analysis.gpu.kernel_launches import overlapping_arguments
from kc.codegen.c_source.expressions import TERNARY, UNARY, Code, Expressions
from kc.codegen.gpu_source.languages import CONSTANT, GLOBAL, PRIVATE, SHARED
from kc.codegen.gpu_source.vectors import VectorPrinter, is_vector
from kc.dialects import gpu
from kc.dialects.gpu import AddressSpace, AddressSpaceAttr, GPUFuncOp, ReturnOp
from kc.dialects.gpu.ids import DimensionOp, SubgroupNumberOp
from kc.dialects.memref_atomics import ATOMIC_KINDS, AtomicRMWOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

DYNAMIC = "kc_dynamic_shared"
"""The name of dynamic shared memory."""
STORES = (memref.StoreOp, vector.StoreOp, vector.MaskedStoreOp, memref.AtomicRMWOp)
"""Operations that write memory."""
_LOADS = (memref.LoadOp, vector.LoadOp, vector.MaskedLoadOp, memref.AtomicRMWOp)

_INTEGERS = {
    "addi": "add", "andi": "and", "ori": "or", "xori": "xor", "assign": "xchg",
    "maxs": "max", "mins": "min", "maxu": "max", "minu": "min",
}  # fmt: skip
"""The updates of integers that languages have functions for, by the kinds of memref.atomic_rmw."""
_FLOATS = {
    "addf": "{} + {}", "mulf": "{} * {}", "maxnumf": "fmax({}, {})", "minnumf": "fmin({}, {})",
    "maximumf": "{maximum}({}, {})", "minimumf": "{minimum}({}, {})", "assign": "{1}",
}  # fmt: skip
"""The new value of float updates, from the old value and the operand."""


class KernelPrinter(VectorPrinter):
    """Prints one kernel. ``kernels`` are the names of all kernels; ``warp`` is the number of
    threads that exchange values, 1 for none.
    """

    def __init__(
        self,
        kernel: GPUFuncOp,
        expressions: Expressions,
        kernels: Mapping[str, str],
        warp: int,
    ) -> None:
        super().__init__(kernel, expressions, kernels)  # a kernel has the interface of a function
        self.kernel, self.warp = kernel, warp
        self._names.add(DYNAMIC)

    # The function

    def prototype(self) -> str:
        """The head of the definition; names the arguments."""
        kernel, language = self.kernel, self.language
        if len(kernel.body.blocks) > 1:
            raise self._refused(
                kernel.body.blocks[0].last_op or kernel,
                "branches of blocks",
                "it supports structured control flow: scf.for and scf.if",
            )
        written, parameters = self._written(), list[str]()
        pairs = [{*pair} for *pair, _ in overlapping_arguments(kernel)]
        begins: list[str] = []
        shared = set[SSAValue]().union(*(pair for pair in pairs if pair & written))
        for value in kernel.arguments:
            name = self.fresh(self._argument_name(value), "arg")
            self._code[value] = Code(name)
            self._parameters.append(name)
            if not isinstance(value.type, MemRefType):
                self.type_of(value, kernel)
                type_ = language.memory_type(value.type) or ""
                parameters.append(language.scalar(type_, name, len(parameters)))
                continue
            self._spaces[value] = GLOBAL
            layout = value.type.layout
            if isinstance(layout, StridedLayoutAttr):
                self._strides[value] = []
            element = self.require_array(value, kernel)
            parameters.append(
                language.parameter(
                    element,
                    name,
                    len(parameters),
                    GLOBAL,
                    is_written=value in written,
                    is_alone=value not in shared,
                )
            )

            def number(what: str) -> Code:
                self._parameters.append(what)
                parameters.append(language.scalar("int64_t", what, len(parameters)))
                return Code(what)

            if value in self._strides and language.counts_from_begin:
                begins.append(f"{name} += {number(self.fresh(f'{name}_begin')).text};")
            self._shapes[value] = [
                number(self.fresh(f"{name}_dim{n}")) if size < 0 else Code(str(size))
                for n, size in enumerate(value.type.get_shape())
            ]
            if isinstance(layout, StridedLayoutAttr):
                self._strides[value] = [
                    number(self.fresh(f"{name}_stride{n}")) if stride is None else Code(str(stride))
                    for n, stride in enumerate(layout.get_strides())
                ]
        ops = list(kernel.walk())
        if any(isinstance(op, gpu.DynamicSharedMemoryOp) for op in ops):
            parameters += language.dynamic_parameter(DYNAMIC, len(parameters))
        parameters += language.extra_parameters([what for op in ops for what in _numbers(op)])
        for line in begins:
            self.write(line)
        sizes = kernel.known_block_size
        bounds = language.bounds(None if sizes is None else list(sizes.get_values()))
        words = [*language.heading(bounds), self._functions[kernel.sym_name.data]]
        return f"{' '.join(filter(None, words))}({', '.join(parameters)})"

    def define(self) -> str:
        """The definition."""
        head = self.prototype()
        for memory in self.kernel.workgroup_memory:
            self._array(memory, SHARED)
        for memory in self.kernel.private_memory:
            self._array(memory, PRIVATE)
        return self.finish(head)

    def _array(self, memory: SSAValue, space: str) -> None:
        """Declare memory of a block or of a thread, whose size is constant."""
        type_ = memory.type
        assert isinstance(type_, MemRefType)
        element, sizes = self.require_array(memory, self.kernel), type_.get_shape()
        name = self.fresh(memory.name_hint, "buffer")
        self._code[memory], self._spaces[memory] = Code(name), space
        self._shapes[memory] = [Code(str(size)) for size in sizes]
        count = max(math.prod(sizes), 1)
        if space == SHARED:
            self.write(self.language.shared_array(element, name, count))
        else:
            self.write(f"{element} {name}[{count}];")

    def _written(self) -> set[SSAValue]:
        return {op.base if hasattr(op, "base") else op.memref for op in self._accesses(STORES)}

    def _accesses(self, kinds: tuple[type[Operation], ...]) -> list[Any]:
        return [op for op in self.kernel.walk() if isinstance(op, kinds)]

    def _refused(self, op: Operation, what: str, why: str) -> CodegenError:
        language = self.language
        return CodegenError(
            "KC4403",
            f"{language.name}: {what} cannot be expressed in {language.title}",
            location=location_of(op),
            why=why,
        )

    # Statements

    def is_pure(self, op: Operation) -> bool:
        kinds = (DimensionOp, gpu.GlobalIdOp, SubgroupNumberOp, memref.ViewOp)
        return super().is_pure(op) or isinstance(op, kinds)

    def operation(self, op: Operation) -> None:
        handler = _STATEMENTS.get(type(op))
        if handler is not None:
            handler(self, op)
        elif isinstance(op, DimensionOp):
            self._dimension_number(op)
        elif isinstance(op, SubgroupNumberOp):
            self._subgroup_number(op)
        elif isinstance(op, memref.AllocOp | memref.DeallocOp):
            raise CodegenError(
                "KC4362",
                f"{self.language.name}: {op.name} in a kernel",
                location=location_of(op),
                why="a kernel has only the memory that exists when it is launched",
                hints=["use memref.alloca, or private(...) of the gpu.func, with a constant size"],
            )
        elif is_vector(op) and not isinstance(op, scf.ForOp | scf.IfOp | scf.YieldOp):
            self.vector_operation(op)
        else:
            super().operation(op)

    def _number(self, what: str, axis: str) -> Code:
        return Code(f"(int64_t){self.language.number(what, axis)}", UNARY)

    def _dimension_number(self, op: DimensionOp) -> None:
        what = _NUMBERS.get(type(op))
        axis = op.dimension.data.value
        if isinstance(op, gpu.GlobalIdOp):
            block, size, thread = (
                self._number(name, axis).text for name in ("block_id", "block_dim", "thread_id")
            )
            self._keep_number(op, Code(f"({block} * {size} + {thread})"))
        elif what is None:
            raise self._refused(op, op.name, "its kernels have no clusters of blocks")
        else:
            self._keep_number(op, self._number(what, axis))

    def _keep_number(self, op: Operation, code: Code) -> None:
        """Assign a number to a variable with the name of the operation's result."""
        self._code[op.results[0]] = code
        self.name(op.results[0], op)

    def _subgroup_number(self, op: SubgroupNumberOp) -> None:
        """The number of a lane or warp: threads are numbered along x, then y, then z."""
        x, y, z = (self._number("thread_id", axis).text for axis in "xyz")
        nx, ny, nz = (self._number("block_dim", axis).text for axis in "xyz")
        thread = f"({x} + {nx} * ({y} + {ny} * {z}))"
        warp = self.warp
        texts: dict[type[Operation], str] = {
            gpu.LaneIdOp: f"({thread} % {warp})",
            gpu.SubgroupIdOp: f"({thread} / {warp})",
            gpu.SubgroupSizeOp: str(warp),
            gpu.NumSubgroupsOp: f"(({nx} * {ny} * {nz} + {warp - 1}) / {warp})",
        }
        self._keep_number(op, Code(texts[type(op)]))

    def barrier(self, op: gpu.BarrierOp) -> None:
        """A barrier that makes writes of the block visible: to shared memory, and to device memory
        if the kernel also reads the memory that it writes there.
        """
        del op
        self.settle()
        read = {access.base if hasattr(access, "base") else access.memref
                for access in self._accesses(_LOADS)}  # fmt: skip
        again = {buffer for buffer in self._written() & read if self._spaces.get(buffer) == GLOBAL}
        self.write(self.language.barrier_text[bool(again)])

    def shuffle(self, op: gpu.ShuffleOp) -> None:
        width = op.width.owner
        lanes = width.value if isinstance(width, arith.ConstantOp) else None
        count = lanes.value.data if isinstance(lanes, IntegerAttr) else None
        if count is None or not 1 <= count <= self.warp:
            described_width = (
                "of a width that is not constant" if count is None else f"of {count} lanes"
            )
            raise CodegenError(
                "KC4404",
                f"{self.language.name}: a shuffle {described_width}",
                location=location_of(op),
                why=f"the target has warps of {self.warp} threads, which exchange values"
                if self.warp > 1
                else "the target does not state the size of a warp, whose threads exchange values",
                hints=["-thread_warp_size of the target, if its warps are larger"],
            )
        if op.valid.first_use is not None:
            raise self._refused(
                op, "whether a shuffle has a source", "the language does not define the lane"
            )
        self.settle()
        offset = self.named(op.offset, op).text
        values = [self.named(op.value, op)]
        type_ = op.value.type
        if isinstance(type_, VectorType):
            values, type_ = self.lanes(op.value, op, 0), type_.element_type
        kind = self.expressions.type_name(type_)
        texts = [
            self.language.shuffle(op.mode.data, value.text, offset, count, self.warp, kind)
            for value in values
        ]
        if any(text is None for text in texts):
            raise self._refused(
                op,
                f"a shuffle {op.mode.data.value} of {count} lanes",
                f"lanes are counted in warps of {self.warp}",
            )
        if isinstance(op.value.type, VectorType):
            self.define_result(op.shuffle_result, op, [Code(str(text)) for text in texts])
        else:
            self._code[op.shuffle_result] = Code(str(texts[0]))
            self.name(op.shuffle_result, op)

    def atomic_update(self, op: memref.AtomicRMWOp) -> None:
        """An atomic update: by a function of the language, or for a float by compare-and-swap of
        its bits.
        """
        self.require_array(op.memref, op)
        kind, type_, space = (
            ATOMIC_KINDS[op.kind.value.data],
            op.value.type,
            self._spaces[op.memref],
        )
        if space not in (GLOBAL, SHARED):
            raise self._refused(
                op, "an atomic update of a thread's memory", "no other thread sees it: store to it"
            )
        computes = _FLOATS if type_ in (f32, f64) else {**_INTEGERS, "muli": "{} * {}"}
        if type_ not in (i32, i64, f32, f64) or kind not in computes:
            raise self._refused(
                op,
                f"an atomic {kind} of {type_}",
                f"it has {', '.join(_INTEGERS)}, muli of i32 and i64, and {', '.join(_FLOATS)} "
                "of f32 and f64",
            )
        language, is_wide = self.language, type_ in (i64, f64)
        if is_wide and not language.has_wide_updates:
            raise self._refused(
                op,
                f"an atomic {kind} of {type_}",
                "it has atomic updates of 32 bits: of 64, only minima and maxima of unsigned "
                "integers, since Metal 2.4 on some GPUs",
            )
        value, place = self.named(op.value, op).text, self.place(op.memref, op.indices)
        self.settle()
        if kind in _INTEGERS and type_ in (i32, i64):
            integer = f"{'u' if kind in ('maxu', 'minu') else ''}{'long' if is_wide else 'int'}"
            call = language.atomic(_INTEGERS[kind], integer, space, place, value)
            self._code[op.result] = Code(f"({'int64_t' if is_wide else 'int32_t'}){call}", UNARY)
            if op.result.first_use is None:
                self.write(f"{call};")
                return
        else:
            seen, word = self.fresh(None, "bits"), "uint64_t" if is_wide else "uint32_t"
            to_bits, of_bits = language.bits[is_wide]
            if type_ in (i32, i64):
                to_bits, of_bits = f"({word})", f"({word[1:]})"
            suffix = "" if is_wide else "f"
            named = {
                which: self.expressions.helpers.use(f"kc_{which}{suffix}")
                for which in ("maximum", "minimum")
                if kind == f"{which}f"
            }
            old = seen if kind == "muli" else f"{of_bits}({seen})"
            by = f"({word}){value}" if kind == "muli" else value
            new = computes[kind].format(old, by, **named)
            self.write(f"{word} {seen} = {to_bits}({place});")
            for line in language.exchange(space, place, seen, f"{to_bits}({new})", is_wide=is_wide):
                self.write(line)
            self._code[op.result] = Code(f"{of_bits}({seen})")
            if op.result.first_use is None:
                return
        self.name(op.result, op)

    def alloca(self, op: memref.AllocaOp) -> None:
        type_ = op.memref.type
        assert isinstance(type_, MemRefType)
        if op.dynamic_sizes:
            raise self._refused(
                op,
                "an array of a size that is not constant",
                "a kernel has only the memory that exists when it is launched",
            )
        is_shared = type_.memory_space == AddressSpaceAttr(AddressSpace.WORKGROUP)
        self._array(op.memref, SHARED if is_shared else PRIVATE)

    def table(self, op: memref.GetGlobalOp) -> None:
        super().table(op)
        self._spaces[op.memref] = CONSTANT

    def dynamic_memory(self, op: gpu.DynamicSharedMemoryOp) -> None:
        for line in self.language.dynamic_declaration(DYNAMIC):
            self.write(line)
        self._code[op.result], self._spaces[op.result] = Code(DYNAMIC), SHARED
        self._shapes[op.result] = [Code("0")]  # never used

    def view_of_block(self, op: memref.ViewOp) -> None:
        """A part of the bytes of a block as an array."""
        result = op.result
        assert isinstance(result.type, MemRefType)
        sizes = iter(op.sizes)
        source, shift = self.value(op.source), self.value(op.byte_shift)
        self._spaces[result] = self._spaces[op.source]
        self._shapes[result] = [
            self.value(next(sizes)) if size == DYNAMIC_INDEX else Code(str(size))
            for size in result.type.get_shape()
        ]
        element = self.require_array(result, op)
        name = self.fresh(result.name_hint, "view")
        pointer = self.pointer_to(element, result, is_written=True)
        self.write(f"{pointer}{name} = ({pointer})({source.text} + {shift.within(TERNARY)});")
        self._code[result] = Code(name)

    def leave(self, op: ReturnOp) -> None:
        del op


_NUMBERS: dict[type[Operation], str] = {
    gpu.ThreadIdOp: "thread_id",
    gpu.BlockIdOp: "block_id",
    gpu.BlockDimOp: "block_dim",
    gpu.GridDimOp: "grid_dim",
}


def _numbers(op: Operation) -> tuple[str, ...]:
    """The thread and block indices that an operation needs."""
    if isinstance(op, gpu.GlobalIdOp):
        return ("block_id", "block_dim", "thread_id")
    if isinstance(op, SubgroupNumberOp):
        return ("thread_id", "block_dim")
    name = _NUMBERS.get(type(op))
    is_used = bool(op.results) and op.results[0].first_use is not None
    return (name,) if name is not None and is_used else ()


_STATEMENTS: dict[type[Operation], Any] = {
    gpu.BarrierOp: KernelPrinter.barrier,
    gpu.ShuffleOp: KernelPrinter.shuffle,
    gpu.DynamicSharedMemoryOp: KernelPrinter.dynamic_memory,
    memref.ViewOp: KernelPrinter.view_of_block,
    memref.AtomicRMWOp: KernelPrinter.atomic_update,
    AtomicRMWOp: KernelPrinter.atomic_update,
    memref.AllocaOp: KernelPrinter.alloca,
    memref.GetGlobalOp: KernelPrinter.table,
    ReturnOp: KernelPrinter.leave,
}
