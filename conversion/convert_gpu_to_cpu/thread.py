"""The function that each thread of a kernel runs, or each block whose threads are loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    MemRefType,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.rewriter import Rewriter

from kc.conversion.convert_gpu_to_cpu import COROUTINE
from kc.conversion.convert_gpu_to_cpu.kernel import (
    INDEX,
    POINTER,
    Kernel,
    plain,
)
from kc.conversion.convert_gpu_to_cpu.module import EmulatedModule


class Thread:
    """The function that each thread of a kernel runs."""

    def __init__(self, module: EmulatedModule, kernel: Kernel, name: str) -> None:
        self.module = module
        self.kernel = kernel
        self.name = name
        self.numbers: dict[str, SSAValue] = {}
        self.slots: dict[SSAValue, int] = {}

    def build(self, classes: Sequence[type[ThreadPattern]]) -> func.FuncOp:
        """Build the function from the body of the kernel."""
        kernel, source = self.kernel, self.kernel.function
        is_coroutine = kernel.waits or self.module.check
        private = list(source.private_memory)
        body = source.detach_region(source.body)
        entry = body.blocks[0]
        first = entry.first_op
        assert first is not None
        for old in private:
            alloca = memref.AllocaOp.get(
                old.type.element_type,  # pyright: ignore[reportAttributeAccessIssue]
                shape=old.type.get_shape(),  # pyright: ignore[reportAttributeAccessIssue]
            )
            entry.insert_op_before(alloca, first)
            alloca.results[0].name_hint = old.name_hint
            old.replace_all_uses_with(alloca.results[0])
            entry.erase_arg(old)
        arrays = [arg for arg in entry.args if isinstance(arg.type, MemRefType)]
        self.slots = {array: slot for slot, array in enumerate(arrays)}
        if kernel.dynamic:
            dynamic = entry.insert_arg(MemRefType(i8, [DYNAMIC_INDEX]), len(entry.args))
            self.slots[dynamic] = len(self.slots)
            for op in kernel.dynamic:
                op.result.replace_all_uses_with(dynamic)
                op.detach()
                op.erase()
        for number in kernel.numbers:
            self.numbers[number] = entry.insert_arg(INDEX, len(entry.args))
            self.numbers[number].name_hint = number
        if is_coroutine:
            for name, element in (("states", i32), ("lanes", i64)):
                type_ = MemRefType(element, [DYNAMIC_INDEX])
                self.numbers[name] = entry.insert_arg(type_, len(entry.args))
                self.numbers[name].name_hint = name
        if kernel.has_events:
            self.numbers["events"] = entry.insert_arg(INDEX, len(entry.args))
        patterns: list[RewritePattern] = [pattern(self) for pattern in classes]
        walker = PatternRewriteWalker(
            GreedyRewritePatternApplier(patterns), apply_recursively=False
        )
        walker.rewrite_region(body)
        for op in body.walk():  # arrays of a host may begin anywhere
            op.attributes.pop("alignment", None)
        for block in _blocks(body):
            for value in (*block.args, *(result for op in block.ops for result in op.results)):
                if value.type != plain(value.type):
                    Rewriter.replace_value_with_new_type(value, plain(value.type))
        outputs = [POINTER] if is_coroutine else []
        type_ = FunctionType.from_lists([arg.type for arg in entry.args], outputs)
        function = func.FuncOp(self.name, type_, body, visibility="private")
        function.location = source.location
        if is_coroutine:
            function.attributes[COROUTINE] = UnitAttr()
        return function

    def memory(self, root: SSAValue) -> str:
        """The memory space of a buffer: "global", "shared" or "private"."""
        if root not in self.slots:
            return "private"
        arrays = sum(isinstance(type_, MemRefType) for type_ in self.kernel.arguments)
        return "global" if self.slots[root] < arrays else "shared"

    def root(self, buffer: SSAValue) -> SSAValue:
        """The memory that a memref is a view of; the memref itself if it is not a view."""
        while isinstance(buffer.owner, memref.ViewOp | memref.SubviewOp | memref.CastOp):
            buffer = buffer.owner.operands[0]
        return buffer

    def buffer_name(self, buffer: SSAValue) -> str:
        """The name of a memref in reports: its memory, or the array that is a view of a block's
        bytes.
        """
        while isinstance(buffer.owner, memref.ViewOp | memref.SubviewOp | memref.CastOp):
            if isinstance(buffer.owner, memref.ViewOp) and buffer.name_hint is not None:
                return buffer.name_hint
            buffer = buffer.owner.operands[0]
        return buffer.name_hint or "memory"


def _blocks(region: Region) -> Iterable[Block]:
    for block in region.blocks:
        yield block
        for op in block.ops:
            for inner in op.regions:
                yield from _blocks(inner)


class ThreadPattern(RewritePattern):
    def __init__(self, thread: Thread) -> None:
        self.thread = thread
