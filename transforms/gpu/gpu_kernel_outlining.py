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

The values that the body captures become arguments, in the order of their first use, including
constants unless ``gpu-launch-sink-index-computations`` moved them. Called functions are copied into
the module of the kernel. Constant sizes are recorded on the kernel. ``module(@m) function(@k)`` of
a launch names its kernel; two launches that name one module share it.

KC4220: the name of that module belongs to another symbol.

All names are chosen before any change, and the body of a kernel moves to another module. A rewrite
pattern would see a single launch, and hide this.

MLIR: ``gpu-kernel-outlining``. TVM: ``SplitHostDevice``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike, SymbolOpInterface, SymbolTable

from kc.analysis.captures import captured_values
from kc.analysis.symbol_references import references
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
from kc.dialects.gpu.attrs import ALIGN
from kc.dialects.gpu.launch import CONTAINER
from kc.support.diagnostics import CodegenError
from kc.support.fresh_names import fresh_name
from kc.support.locations import location_of, op_name

NUMBERS = (BlockIdOp, ThreadIdOp, GridDimOp, BlockDimOp)
CLUSTER_NUMBERS = (ClusterIdOp, ClusterDimOp)
"""The operations for the first arguments of the body of a launch, three arguments each."""


@dataclass(frozen=True)
class GpuKernelOutliningPass(ModulePass):
    """Outline the body of each launch as a kernel."""

    name = "gpu-kernel-outlining"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        after: dict[FuncOp, Operation] = {}
        for kernel in _plan(op):
            code = SymbolTable.lookup_symbol(op, kernel.module)
            if not isinstance(code, GPUModuleOp):
                code = GPUModuleOp(kernel.module)
                code.location = kernel.launch.location
                place = InsertPoint.after(after.get(kernel.function, kernel.function))
                Rewriter.insert_op(code, place)
                after[kernel.function] = code
            _outline(op, code, kernel)
        if any(isinstance(inner, GPUModuleOp) for inner in op.ops):
            op.attributes[CONTAINER] = UnitAttr()


@dataclass
class _Kernel:
    """The kernel that a launch becomes."""

    function: FuncOp
    launch: LaunchOp
    module: str
    """The name of the module of the kernel."""
    name: str


def _plan(module: ModuleOp) -> list[_Kernel]:
    """The kernels of the launches of a module, with names that are free.

    Raises CodegenError KC4220 before any change.
    """
    symbols = {name: op for op in module.ops if (name := _symbol(op)) is not None}
    kernels: list[_Kernel] = []
    taken: dict[str, set[str]] = {}
    """For each module, the names in it and the names that will be copied into it."""
    for function in module.ops:
        for launch in function.walk() if isinstance(function, FuncOp) else ():
            if not isinstance(launch, LaunchOp):
                continue
            assert isinstance(function, FuncOp)
            label = f"{function.sym_name.data}_kernel"
            if launch.module is None:
                home = fresh_name(label, {*symbols, *taken})
            else:
                home = launch.module.root_reference.data
            there = symbols.get(home)
            if there is not None and not isinstance(there, GPUModuleOp):
                raise CodegenError(
                    "KC4220",
                    f"gpu-kernel-outlining: @{home} is not a gpu.module",
                    location=location_of(launch),
                    why="module(...) of a launch names the module of its kernel, and "
                    f"@{home} is a {op_name(there)}",
                    hints=[f"module(@{fresh_name(home, set(symbols))})"],
                )
            names = taken.setdefault(home, set())
            if there is not None:
                inside = map(_symbol, there.body.block.ops)
                names.update(name for name in inside if name is not None)
            used = _used_symbols(module, launch)
            if any(op is function for op in used.values()):
                raise CodegenError(
                    "KC4220",
                    f"gpu-kernel-outlining: the kernel names @{function.sym_name.data}",
                    location=location_of(launch),
                    why="this function launches the kernel, so it is code of the host",
                )
            names.update(used)
            name = launch.function.root_reference.data if launch.function is not None else label
            kernels.append(_Kernel(function, launch, home, name))
    for kernel in kernels:
        kernel.name = fresh_name(kernel.name, taken[kernel.module])
        taken[kernel.module].add(kernel.name)
    return kernels


def _symbol(op: Operation) -> str | None:
    trait = op.get_trait(SymbolOpInterface)
    name = trait.get_sym_attr_name(op) if trait is not None else None
    return None if name is None else name.data


def _used_symbols(module: ModuleOp, root: Operation) -> dict[str, Operation]:
    """The symbols of ``module`` that the operations in ``root`` reference, directly or through
    other symbols."""
    used: dict[str, Operation] = {}
    waiting = [root]
    while waiting:
        for op in waiting.pop().walk():
            for name in references(op):
                named = SymbolTable.lookup_symbol(module, name)
                if name not in used and named is not None and op is not root:
                    used[name] = named
                    waiting.append(named)
    return used


def used_from_outside(launch: LaunchOp) -> list[SSAValue]:
    """The values that the body of a launch captures, in the order of their use. Inner operations
    come before the operations around them.
    """
    outside = set(captured_values(launch))
    used = (operand for op in launch.body.walk(region_first=True) for operand in op.operands)
    return [value for value in dict.fromkeys(used) if value in outside]


def _outline(module: ModuleOp, code: GPUModuleOp, plan: _Kernel) -> None:
    """Move the body of a launch into a kernel in ``code``, and replace the launch by a
    ``gpu.launch_func``.
    """
    launch = plan.launch
    arguments = used_from_outside(launch)
    named = _used_symbols(module, launch)
    code.body.block.add_op(_kernel_of(launch, plan.name, arguments))
    for name, op in named.items():
        if SymbolTable.lookup_symbol(code, name) is None:
            code.body.block.add_op(op.clone())
    call = LaunchFuncOp(
        SymbolRefAttr(plan.module, ArrayAttr([StringAttr(plan.name)])),
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


def _kernel_of(launch: LaunchOp, name: str, arguments: Sequence[SSAValue]) -> GPUFuncOp:
    """The kernel. The body of the launch moves into it."""
    shared = len(launch.workgroup_memory)
    kinds = NUMBERS if launch.clusters is None else (*NUMBERS, *CLUSTER_NUMBERS)
    body = Region()
    launch.body.move_blocks(body)
    entry = body.blocks[0]
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
        value.replace_uses_with_if(new, lambda use: body.is_ancestor(use.operation))
    for block in body.blocks:
        end = block.last_op
        if isinstance(end, TerminatorOp):
            back = ReturnOp()
            back.location = end.location
            Rewriter.replace_op(end, back)
    signature = FunctionType.from_lists([value.type for value in arguments], [])
    aligned = launch.alignments
    kernel = GPUFuncOp(
        name,
        signature,
        body,
        kernel=True,
        workgroup=shared,
        known_block_size=constants_of(launch.block),
        known_grid_size=constants_of(launch.grid),
        workgroup_attrs=None
        if aligned is None
        else ArrayAttr([DictionaryAttr({ALIGN: IntegerAttr(bytes_, i64)}) for bytes_ in aligned]),
    )
    # The attributes of the launch control the compilation of the kernel.
    compiled = {key: value for key, value in launch.attributes.items() if key.startswith("nvvm.")}
    kernel.attributes.update(compiled)
    kernel.location = launch.location
    return kernel


def constants_of(values: Sequence[SSAValue]) -> list[int] | None:
    """The values as numbers; None unless all are constant."""
    numbers = [ConstantLike.get_constant_value(value) for value in values]
    constants = [number.value.data for number in numbers if isinstance(number, IntegerAttr)]
    return constants if len(constants) == len(values) else None
