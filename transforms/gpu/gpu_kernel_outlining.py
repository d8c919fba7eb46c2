"""gpu-kernel-outlining: the body of each launch becomes a kernel of a module.

Before::

    func.func @f(%m: memref<?xf32>, %n: index, %x: f32) {
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
        memref.store %x, %m[%bx] : memref<?xf32>
        gpu.terminator
      }
    }

After::

    func.func @f(%m: memref<?xf32>, %n: index, %x: f32) {
      gpu.launch_func @f_kernel::@f_kernel blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1)
          args(%x : f32, %m : memref<?xf32>)
    }
    gpu.module @f_kernel {
      gpu.func @f_kernel(%x: f32, %m: memref<?xf32>) kernel
          attributes {known_block_size = array<i32: 64, 1, 1>} {
        %bx = gpu.block_id x
        memref.store %x, %m[%bx] : memref<?xf32>
        gpu.return
      }
    }

What the body uses from outside is passed, in the order of its use; constants too, unless
``gpu-launch-sink-index-computations`` moved them. Functions that it calls are copied into its
module. Sizes that are constants are known to the kernel. ``module(@m) function(@k)`` of a launch
name its kernel; two launches with one module are in it together.

KC4220: the name of that module is one of something else.

MLIR: ``gpu-kernel-outlining``. TVM: ``SplitHostDevice``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable

from kc.dialects.gpu import (
    BlockDimOp,
    BlockIdOp,
    ClusterDimOp,
    ClusterIdOp,
    Dimension,
    GPUFuncOp,
    GPUModuleOp,
    GridDimOp,
    LaunchFuncOp,
    LaunchOp,
    ReturnOp,
    TerminatorOp,
    ThreadIdOp,
)
from kc.dialects.gpu.launch import CONTAINER
from kc.support.diagnostics import CodegenError
from kc.support.fresh_names import fresh_name
from kc.support.locations import location_of

NUMBERS = (BlockIdOp, ThreadIdOp, GridDimOp, BlockDimOp)
CLUSTER_NUMBERS = (ClusterIdOp, ClusterDimOp)
"""What the first arguments of the body of a launch are, three each."""


@dataclass(frozen=True)
class GpuKernelOutliningPass(ModulePass):
    """Make a kernel of the body of each launch."""

    name = "gpu-kernel-outlining"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        functions = [function for function in op.ops if isinstance(function, FuncOp)]
        for function in functions:
            after: Operation = function
            for launch in [inner for inner in function.walk() if isinstance(inner, LaunchOp)]:
                after = _outline(op, function, launch, after)
        if any(isinstance(inner, GPUModuleOp) for inner in op.ops):
            op.attributes[CONTAINER] = UnitAttr()


def used_from_outside(launch: LaunchOp) -> list[SSAValue]:
    """What the body of a launch uses and does not define, in the order of its use, that of inner
    operations before that of those around them."""
    inside: set[SSAValue] = set()
    for op in launch.walk():
        inside.update(*(block.args for region in op.regions for block in region.blocks))
        if op is not launch:
            inside.update(op.results)
    used: dict[SSAValue, None] = {}
    for block in launch.body.blocks:
        for op in block.ops:
            for inner in _inner_first(op):
                used.update((operand, None) for operand in inner.operands)
    return [value for value in used if value not in inside]


def _inner_first(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from _inner_first(inner)
    yield op


def _outline(module: ModuleOp, function: FuncOp, launch: LaunchOp, after: Operation) -> Operation:
    """Replace ``launch``; gives the module of its kernel, or ``after`` if that was there."""
    label = f"{function.sym_name.data}_kernel"
    kernel_name = launch.function.root_reference.data if launch.function else label
    code = _module_for(module, launch, label)
    if code.parent is None:
        Rewriter.insert_op(code, InsertPoint.after(after))
        after = code
    elif SymbolTable.lookup_symbol(code, kernel_name) is not None:
        taken = {symbol.data for symbol in map(_symbol, code.body.block.ops) if symbol is not None}
        kernel_name = fresh_name(kernel_name, taken)
    arguments = used_from_outside(launch)
    kernel = _kernel_of(launch, kernel_name, arguments)
    code.body.block.add_op(kernel)
    _copy_symbols(module, code, kernel)
    call = LaunchFuncOp(
        SymbolRefAttr(code.sym_name.data, ArrayAttr([StringAttr(kernel_name)])),
        launch.grid,
        launch.block,
        arguments,
        clusters=launch.clusters or (),
        dynamic_shared_memory_size=launch.dynamic_shared_memory_size,
        after=launch.async_dependencies,
        is_async=launch.async_token is not None,
    )
    call.location = launch.location
    Rewriter.replace_op(launch, call)
    return after


def _symbol(op: Operation) -> StringAttr | None:
    name = op.properties.get("sym_name") or op.attributes.get("sym_name")
    return name if isinstance(name, StringAttr) else None


def _module_for(module: ModuleOp, launch: LaunchOp, label: str) -> GPUModuleOp:
    """The module that the launch names, or a new one."""
    symbols = {symbol.data: op for op in module.ops if (symbol := _symbol(op)) is not None}
    if launch.module is not None:
        name = launch.module.root_reference.data
        there = symbols.get(name)
        if isinstance(there, GPUModuleOp):
            return there
        if there is not None:
            raise CodegenError(
                "KC4220",
                f"gpu-kernel-outlining: @{name} is not a gpu.module",
                location=location_of(launch),
                why="module(...) of a launch names the module that its kernel is to be in",
            )
    else:
        name = fresh_name(label, set(symbols))
    code = GPUModuleOp(name)
    code.location = launch.location
    return code


def _kernel_of(launch: LaunchOp, name: str, arguments: Sequence[SSAValue]) -> GPUFuncOp:
    """The kernel, with the body that it takes from the launch."""
    shared = len(launch.workgroup_memory)
    known = {
        key: sizes
        for key, values in (("known_block_size", launch.block), ("known_grid_size", launch.grid))
        if (sizes := _constants(values)) is not None
    }
    has_clusters = launch.clusters is not None
    body = launch.detach_region(launch.body)
    entry = body.blocks[0]
    kinds = (*NUMBERS, *CLUSTER_NUMBERS) if has_clusters else NUMBERS
    numbers = [kind(dimension) for kind in kinds for dimension in Dimension]
    first = entry.first_op
    assert first is not None
    entry.insert_ops_before(numbers, first)
    for number, old in zip(numbers, entry.args, strict=False):
        number.location = launch.location
        number.result.name_hint = old.name_hint
        old.replace_all_uses_with(number.result)
    for old in list(entry.args[: len(numbers)]):
        entry.erase_arg(old)
    for n, value in enumerate(arguments):
        new = entry.insert_arg(value.type, n)
        new.name_hint = value.name_hint
        value.replace_uses_with_if(new, lambda use: _is_in(use.operation, body.blocks))
    for block in body.blocks:
        end = block.last_op
        if isinstance(end, TerminatorOp):
            back = ReturnOp()
            back.location = end.location
            Rewriter.replace_op(end, back)
    signature = FunctionType.from_lists([value.type for value in arguments], [])
    kernel = GPUFuncOp(name, signature, body, kernel=True, workgroup=shared)
    for key, sizes in known.items():
        kernel.properties[key] = DenseArrayBase.from_list(i32, sizes)
    kernel.location = launch.location
    launch.add_region(type(body)(Block()))  # until it is replaced
    return kernel


def _is_in(op: Operation, blocks: Sequence[Block]) -> bool:
    current: Operation | None = op
    while current is not None:
        if current.parent in blocks:
            return True
        current = current.parent_op()
    return False


def _constants(values: Sequence[SSAValue]) -> list[int] | None:
    """The numbers that ``values`` are, if all are constants."""
    numbers: list[int] = []
    for value in values:
        owner = value.owner
        number = owner.properties.get("value") if isinstance(owner, Operation) else None
        if not isinstance(number, IntegerAttr):
            return None
        numbers.append(number.value.data)
    return numbers


def _copy_symbols(module: ModuleOp, code: GPUModuleOp, root: Operation) -> None:
    """Copy into ``code`` what ``root``, and what is copied, names of ``module``."""
    waiting = [root]
    while waiting:
        for op in waiting.pop().walk():
            for name in _references(op):
                if SymbolTable.lookup_symbol(code, name) is not None:
                    continue
                named = SymbolTable.lookup_symbol(module, name)
                if named is not None:
                    copy = named.clone()
                    code.body.block.add_op(copy)
                    waiting.append(copy)


def _references(op: Operation) -> Iterator[str]:
    """The symbols that an operation names."""
    waiting: list[Attribute] = [*op.properties.values(), *op.attributes.values()]
    while waiting:
        attr = waiting.pop()
        if isinstance(attr, SymbolRefAttr):
            yield attr.root_reference.data
        elif isinstance(attr, ArrayAttr):
            waiting.extend(attr.data)
