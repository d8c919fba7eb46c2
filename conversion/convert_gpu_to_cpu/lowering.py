"""The order of the conversion: refusals, host code, then kernel by kernel."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, SymbolRefAttr, f32, f64
from xdsl.ir import Operation
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker
from xdsl.traits import SymbolTable

from kc.conversion.convert_gpu_to_cpu import SITES
from kc.conversion.convert_gpu_to_cpu.checks import CHECK_PATTERNS
from kc.conversion.convert_gpu_to_cpu.events import EVENT_PATTERNS
from kc.conversion.convert_gpu_to_cpu.host import (
    HOST_PATTERNS,
    ConvertLaunch,
    require_supported_host,
)
from kc.conversion.convert_gpu_to_cpu.kernel import Kernel, unsupported
from kc.conversion.convert_gpu_to_cpu.launches import LAUNCH, THREAD, launch_text
from kc.conversion.convert_gpu_to_cpu.matrices import MATRIX_PATTERNS
from kc.conversion.convert_gpu_to_cpu.module import EmulatedModule
from kc.conversion.convert_gpu_to_cpu.runtime import RUNTIME
from kc.conversion.convert_gpu_to_cpu.thread import Thread
from kc.conversion.convert_gpu_to_cpu.thread_patterns import THREAD_PATTERNS
from kc.conversion.convert_gpu_to_cpu.warpgroups import WARPGROUP_PATTERNS
from kc.conversion.convert_gpu_to_nvvm.function import foreign_function
from kc.dialects import llvm
from kc.dialects.gpu import GPUFuncOp, GPUModuleOp
from kc.support.diagnostics import CodegenError
from kc.support.libdevice import PREFIX, c_name
from kc.support.locations import location_of
from kc.support.process_symbols import find_symbol
from kc.support.target import target_of


def lower_to_cpu(ctx: Context, op: ModuleOp, check: bool) -> None:
    """Convert a module. ``check``: check its kernels at run time."""
    homes = [home for home in op.ops if isinstance(home, GPUModuleOp)]
    kernels: list[Kernel] = []
    for home in homes:
        for inner in home.body.block.ops:
            if _is_library_function(inner):
                _require_c_type(inner)
                continue
            if isinstance(inner, func.FuncOp) and inner.is_declaration:
                raise foreign_function("convert-gpu-to-cpu", inner)
            if not isinstance(inner, GPUFuncOp) or not inner.is_kernel:
                raise unsupported(inner)
            kernels.append(Kernel(home, inner))
    for kernel in kernels:
        kernel.require_supported(check)
    for host in op.ops:
        if not isinstance(host, GPUModuleOp):
            require_supported_host(host)
    _convert(EmulatedModule(ctx, op, check), homes, kernels)


def _convert(
    module: EmulatedModule, homes: Sequence[GPUModuleOp], kernels: Sequence[Kernel]
) -> None:
    """Convert the host code with its launches, then the kernels."""
    launches = {(kernel.home, kernel.name): module.fresh(kernel, "launch") for kernel in kernels}
    patterns = [
        ConvertLaunch(launches, target_of(module.op)),
        *(pattern() for pattern in HOST_PATTERNS),
    ]
    # Users first, as a token ties an operation to its waiters.
    walker = PatternRewriteWalker(
        GreedyRewritePatternApplier(patterns), apply_recursively=False, walk_reverse=True
    )
    for op in [inner for inner in module.op.ops if inner not in homes]:
        for region in op.regions:
            walker.rewrite_region(region)
    classes = [
        *THREAD_PATTERNS,
        *EVENT_PATTERNS,
        *MATRIX_PATTERNS,
        *WARPGROUP_PATTERNS,
        *(CHECK_PATTERNS if module.check else ()),
    ]
    for kernel in kernels:
        launch = launches[kernel.home, kernel.name]
        name = module.fresh(kernel, "thread")
        function = Thread(module, kernel, name).build(classes)
        names = {LAUNCH: launch, THREAD: name}
        module.add(launch_text(module, kernel, function), kernel.function, names)
        module.op.body.block.add_op(function)
    for home in homes:
        for op in filter(_is_library_function, home.body.block.ops):
            _declare_in_c(module.op, op)
        home.detach()
        home.erase()
    module.op.attributes.pop("gpu.container_module", None)
    host = target_of(module.op).host
    if host is not None:
        module.op.attributes["kc.target"] = StringAttr(str(host))
    called: set[str] = set()
    for op in module.op.walk():
        if isinstance(op, func.CallOp | llvm.CallOp) and op.callee is not None:
            name = c_name(op.callee.string_value())
            op.properties["callee"] = SymbolRefAttr(name)
            called.add(name)
    for name in RUNTIME:
        if name in called and name not in module.taken:
            module.add_runtime(name)
    if module.check:
        module.op.attributes[SITES] = ArrayAttr(module.sites)


def _is_library_function(op: Operation) -> bool:
    """True if it declares a libdevice function."""
    return (
        isinstance(op, func.FuncOp | llvm.FuncOp)
        and not op.body.blocks
        and op.sym_name.data.startswith(PREFIX)
    )


def _require_c_type(op: Operation) -> None:
    """Refuse a libdevice function whose type differs from the C function's (KC4369). The C type
    follows from the name: f32 functions end with f.
    """
    assert isinstance(op, func.FuncOp | llvm.FuncOp)
    name = c_name(op.sym_name.data)
    types = set(
        op.function_type.inputs
        if isinstance(op, llvm.FuncOp)
        else (*op.function_type.inputs, *op.function_type.outputs)
    )
    if find_symbol(f"{name}f") is not None:
        is_wrong, right = f32 in types, f64
    else:
        is_single = name.endswith("f") and find_symbol(name[:-1]) is not None
        is_wrong, right = is_single and f64 in types, f32
    if is_wrong:
        raise CodegenError(
            "KC4369",
            f"{op.sym_name.data} is called with {f64 if right == f32 else f32}, and libdevice's is "
            f"for {right}",
            location=location_of(op),
            hints=["convert the arguments: x.astype(...)"],
        )


def _declare_in_c(module: ModuleOp, op: Operation) -> None:
    """Declare the C function that replaces a libdevice function."""
    assert isinstance(op, func.FuncOp | llvm.FuncOp)
    name = c_name(op.sym_name.data)
    if SymbolTable.lookup_symbol(module, name) is None:
        declaration = op.clone()
        declaration.properties["sym_name"] = StringAttr(name)
        declaration.location = op.location
        module.body.block.add_op(declaration)
