"""The conversion of a module: what is refused, then the host code, then kernel by kernel."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker

from kc.conversion.convert_gpu_to_cpu import SITES
from kc.conversion.convert_gpu_to_cpu.checks import CHECK_PATTERNS
from kc.conversion.convert_gpu_to_cpu.events import EVENT_PATTERNS
from kc.conversion.convert_gpu_to_cpu.host import (
    HOST_PATTERNS,
    ConvertLaunch,
    require_supported_host,
)
from kc.conversion.convert_gpu_to_cpu.kernel import Kernel, unsupported
from kc.conversion.convert_gpu_to_cpu.launches import RUNTIME, launch_text
from kc.conversion.convert_gpu_to_cpu.matrices import MATRIX_PATTERNS
from kc.conversion.convert_gpu_to_cpu.module import EmulatedModule
from kc.conversion.convert_gpu_to_cpu.thread import Thread
from kc.conversion.convert_gpu_to_cpu.thread_patterns import THREAD_PATTERNS
from kc.dialects import llvm
from kc.dialects.gpu import GPUFuncOp, GPUModuleOp
from kc.support.target import target_of


def lower_to_cpu(ctx: Context, op: ModuleOp, check: bool) -> None:
    """Convert a module; ``check``: watch what its kernels do."""
    homes = [home for home in op.ops if isinstance(home, GPUModuleOp)]
    kernels: list[Kernel] = []
    for home in homes:
        for inner in home.body.block.ops:
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
    """Convert the host code, which launches kernels, and then those."""
    launches = {(kernel.home, kernel.name): module.fresh(kernel, "launch") for kernel in kernels}
    patterns = [ConvertLaunch(launches), *(pattern() for pattern in HOST_PATTERNS)]
    # Users come first, as a token ties an operation to those that wait for it.
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
        *(CHECK_PATTERNS if module.check else ()),
    ]
    for kernel in kernels:
        launch = launches[kernel.home, kernel.name]
        name = module.fresh(kernel, "thread")
        function = Thread(module, kernel, name).build(classes)
        module.add(launch_text(module, kernel, function, launch), kernel.function)
        module.op.body.block.add_op(function)
    for home in homes:
        home.detach()
        home.erase()
    module.op.attributes.pop("gpu.container_module", None)
    host = target_of(module.op).host
    if host is not None:
        module.op.attributes["kc.target"] = StringAttr(str(host))
    called = {
        op.callee.string_value()
        for op in module.op.walk()
        if isinstance(op, func.CallOp | llvm.CallOp) and op.callee is not None
    }
    for name, text in RUNTIME.items():
        if name in called and name not in module.taken:
            module.add(text, module.op)
    if module.check:
        module.op.attributes[SITES] = ArrayAttr(module.sites)
