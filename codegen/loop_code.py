"""The LLVM IR and the assembly of a module, loop by loop.

The module is compiled with line numbers that identify the loop around each operation. LLVM's line
tables then map each instruction to its loop.

For a large module, some nests can be compiled alone. On a CPU the others become calls of unknown
functions with the buffers that they use, so that these remain allocations and the nests' stores
remain necessary. Kernels of a GPU are independent anyway.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, MemRefType, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.module_copy import copy_module
from kc.codegen.llvm_ir import emit_llvm_ir
from kc.codegen.native import compile_ir
from kc.codegen.ptx import ptx_of
from kc.conversion._access_bounds import require_accesses_inside
from kc.conversion.pipelines import TO_LLVM, TO_NVVM, planned_passes
from kc.dialects.tir import CallOp, ForOp
from kc.support.diagnostics import KCError
from kc.support.registry import context
from kc.support.target import Target

_DEBUG_LOCATION = re.compile(r"^(!\d+) = !DILocation\(line: (\d+)")
_DEBUG_NOTE = re.compile(r", !dbg (!\d+)")
_LINE_OF_ASSEMBLY = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
_DIRECTIVE = re.compile(r"\s*\.(?!\w+:)|\s*(\.?L\w+|\$\w+):|\s*(#|//|;)|\s*[{}]?\s*$")


@dataclass(frozen=True)
class LoopCode:
    """The code of a loop, without its inner loops."""

    llvm_ir: str
    assembly: str


def loop_code(
    module: ModuleOp, target: Target, without: Collection[Operation] = ()
) -> dict[Operation, LoopCode]:
    """The code of each loop; empty for a module that cannot be compiled as it is.

    ``without``: outermost loops, of :func:`nests`, that are not compiled. For an NVIDIA GPU the
    assembly is PTX, of the kernels, and there is no LLVM IR.
    """
    loops = [op for op in loop_tree.preorder(module) if isinstance(op, ForOp)]
    copy = _numbered(module)
    copy.attributes["kc.target"] = StringAttr(str(target))
    is_kernel = "cuda" in target.keys
    left_out = {
        its_copy: None
        for nest, its_copy in zip(nests(module), nests(copy), strict=True)
        if nest in without
    }
    _leave_out(left_out, copy, with_calls=not is_kernel)
    pipeline, host = (TO_NVVM, "cuda") if is_kernel else (TO_LLVM, "llvm")
    llvm_ir: Mapping[int, list[str]] = {}
    try:
        with target:
            require_accesses_inside(copy)
            for planned in planned_passes(pipeline, host):
                planned.apply(context(), copy)
        if is_kernel:
            assembly = _of_assembly(ptx_of(copy, target, debug_info=True))
        else:
            text = emit_llvm_ir(copy, triple=target.llvm.triple, debug_info=True)
            llvm_ir = _of_llvm_ir(text)
            llvm = target.llvm
            compiled = compile_ir(
                text, triple=llvm.triple, cpu=llvm.cpu, features=llvm.features, abi=target.abi
            )
            assembly = _of_assembly(compiled.asm())
    except KCError:
        return {}
    return {
        loop: LoopCode("\n".join(llvm_ir.get(n, ())), "\n".join(assembly.get(n, ())))
        for n, loop in enumerate(loops, 1)
        if n in llvm_ir or n in assembly
    }


def nests(module: ModuleOp) -> list[ForOp]:
    """The outermost loops of the functions of ``module``, in order."""
    return [
        op
        for function in loop_tree.functions(module)
        for block in function.body.blocks
        for op in block.ops
        if isinstance(op, ForOp)
    ]


def _leave_out(nests: Collection[ForOp], module: ModuleOp, *, with_calls: bool) -> None:
    """Erase ``nests``; ``with_calls``: replace them by calls of declared functions.

    Adjacent nests become one call.
    """
    buffers: dict[SSAValue, None] = {}
    for nest in nests:
        inside = set(loop_tree.preorder(nest))
        for op in inside:
            for value in op.operands:
                if isinstance(value.type, MemRefType) and value.owner not in inside:
                    buffers[value] = None
        following, block = nest.next_op, nest.parent
        assert block is not None
        nest.detach()
        nest.erase()
        if not with_calls or following in nests:
            continue
        name = f"kc_left_out_{len(module.body.block.ops)}"
        types = [value.type for value in buffers]
        module.body.block.add_op(func.FuncOp.external(name, types, []))
        call = CallOp(name, list(buffers), ["update"] * len(buffers))
        call.location = module.location  # of no loop
        block.insert_op_before(call, following) if following else block.add_op(call)
        buffers.clear()


def _numbered(module: ModuleOp) -> ModuleOp:
    """A copy in which the line of an op is the number of the innermost loop around it."""
    copy = copy_module(module)
    file, column = StringAttr("loops"), IntAttr(0)
    count = 0

    def number(op: Operation, around: int) -> None:
        nonlocal count
        if isinstance(op, ForOp):
            count += 1
            around = count
        op.location = FileLineColLoc(file, IntAttr(around), column)
        for child in loop_tree.children(op):
            number(child, around)

    number(copy, 0)
    return copy


def _of_llvm_ir(text: str) -> dict[int, list[str]]:
    """Instructions by the number of their loop."""
    lines = text.splitlines()
    numbers = {place[1]: int(place[2]) for line in lines if (place := _DEBUG_LOCATION.match(line))}
    code: dict[int, list[str]] = defaultdict(list)
    for line in lines:
        note = _DEBUG_NOTE.search(line)
        if note is not None and line.startswith(" "):
            number = numbers.get(note[1], 0)
            code[number].append(_DEBUG_NOTE.sub("", line).strip())
    return code


def _of_assembly(text: str) -> dict[int, list[str]]:
    """Instructions by the number of their loop."""
    code: dict[int, list[str]] = defaultdict(list)
    number = 0
    for line in text.splitlines():
        place = _LINE_OF_ASSEMBLY.match(line)
        if place is not None:
            number = int(place[1])
        elif line[:1].isspace() and not _DIRECTIVE.match(line):
            code[number].append(line.strip().expandtabs(8))
    return code
