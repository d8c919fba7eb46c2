"""``kc.tir.analysis``: analyses of functions of loops and of expressions, by TVM's names.

Each function uses an analysis of kc: verification by xDSL, :mod:`kc.analysis`, or the passes that
refuse kernels no GPU can run. Functions are those of a module, or a ``tir.PrimFunc``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from kc.analysis import cost, loop_tree
from kc.analysis.accesses.regions import buffers_read, buffers_written
from kc.analysis.module_copy import copy_module
from kc.dialects.tir import AllocOp, BlockOp, ForOp, LoadOp, StoreOp
from kc.expr.constructors import IterVar, Var, as_expr, walk
from kc.support import registry
from kc.support.diagnostics import InputError, KCError
from kc.support.locations import caller_location
from kc.tvm.equal_expressions import equal_expressions

__all__ = [
    "calculate_workspace_bytes",
    "detect_buffer_access_lca",
    "estimate_tir_flops",
    "expr_deep_equal",
    "get_block_access_region",
    "get_block_read_write_region",
    "undefined_vars",
    "verify_gpu_code",
    "verify_memory",
    "verify_ssa",
    "verify_well_formed",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def _module(func: Any, what: str) -> ModuleOp:
    module = getattr(func, "op", func)
    if not isinstance(module, ModuleOp):
        raise InputError(
            "KC0082",
            f"{what}: {type(func).__name__} is not a module",
            location=caller_location(),
            hints=["te.create_prim_func([A, B]), kc.lower(s, args), or mod[name]"],
        )
    return module


def expr_deep_equal(lhs: Any, rhs: Any) -> bool:
    """True if two expressions have the same structure and the same variables."""
    return equal_expressions(as_expr(lhs), as_expr(rhs))


def undefined_vars(node: Any, defs: Any = None) -> list[Var | IterVar]:
    """The variables of an expression except those in ``defs``, in order of first use."""
    defined = set(defs or ())
    used = [part for part in walk(as_expr(node)) if isinstance(part, Var | IterVar)]
    return [variable for variable in dict.fromkeys(used) if variable not in defined]


def verify_ssa(func: Any) -> bool:
    """True if every value is defined once, before its uses."""
    return verify_well_formed(func, assert_mode=False)


def verify_well_formed(func: Any, assert_mode: bool = True) -> bool:
    """True if the operations of a module satisfy the verifiers of their dialects. With
    ``assert_mode``, raises InputError KC0082 instead of returning False.
    """
    try:
        _module(func, "verify_well_formed").verify()
    except (VerifyException, KCError) as error:
        if not assert_mode:
            return False
        raise InputError(
            "KC0082", f"verify_well_formed: {error}", location=caller_location()
        ) from None
    return True


def _passes(func: Any, what: str, pass_name: str) -> bool:
    module = copy_module(_module(func, what))
    try:
        registry.pass_class(pass_name)().apply(registry.context(), module)
    except KCError:
        return False
    return True


def verify_memory(func: Any) -> bool:
    """True if threads of the GPU kernels do not communicate through memory private to a thread."""
    return _passes(func, "verify_memory", "verify-gpu-code")


def verify_gpu_code(func: Any, constraints: Mapping[str, Any] | None = None) -> bool:
    """True if kernels satisfy ``constraints``: ``max_threads_per_block``, ``max_thread_x`` (y, z),
    and ``max_shared_memory_per_block`` and ``max_local_memory_per_block`` in bytes.
    """
    limits = {key: int(value) for key, value in (constraints or {}).items()}
    module = _module(func, "verify_gpu_code")
    if not _passes(func, "verify_gpu_code", "verify-gpu-code"):
        return False
    for function in loop_tree.functions(module):
        allocated = cost.estimate(function, assume={}).allocated
        for scope in ("shared", "local"):
            most = limits.get(f"max_{scope}_memory_per_block")
            if most is not None and allocated.get(scope, 0) > most:
                return False
        if any(not _fits(nest, limits) for nest in _thread_nests(function)):
            return False
    return True


def _thread_nests(function: Operation) -> list[dict[str, int]]:
    """The numbers of threads by axis, around each innermost loop of threads."""
    nests: list[dict[str, int]] = []
    for loop in loop_tree.loops(function):
        around = [*loop_tree.all_loops_around(loop), loop]
        tags = {outer.axis: outer.static_extent or 1 for outer in around if outer.axis is not None}
        nests.append(
            {axis: extent for axis, extent in tags.items() if axis.startswith("threadIdx")}
        )
    return nests


def _fits(nest: Mapping[str, int], limits: Mapping[str, int]) -> bool:
    threads = 1
    for axis, extent in nest.items():
        threads *= extent
        if extent > limits.get(f"max_thread_{axis[-1]}", extent):
            return False
    return threads <= limits.get("max_threads_per_block", threads)


def estimate_tir_flops(mod: Any) -> float:
    """The number of arithmetic operations on elements in a call of each function, summed. All sizes
    must be constant.
    """
    functions = loop_tree.functions(_module(mod, "estimate_tir_flops"))
    return float(sum(cost.estimate(function).operations for function in functions))


def calculate_workspace_bytes(func: Any, workspace_byte_alignment: int = 1) -> int:
    """The bytes of the buffers that a function allocates, each rounded up."""
    total = 0
    for op in _module(func, "calculate_workspace_bytes").walk():
        if isinstance(op, AllocOp):
            total += -(-_bytes(op) // workspace_byte_alignment) * workspace_byte_alignment
    return total


def _bytes(alloc: AllocOp) -> int:
    kind = alloc.buffer.type
    assert isinstance(kind, MemRefType)
    count = 1
    for size in kind.get_shape():
        if size < 0:
            raise InputError(
                "KC0082",
                f"calculate_workspace_bytes: {alloc.label} has a size that is known only at the "
                "call",
                location=caller_location(),
                hints=["give the buffers of the function constant shapes"],
            )
        count *= size
    return count * max(1, getattr(kind.element_type, "bitwidth", 64) // 8)


def get_block_access_region(
    block: BlockOp, buffer_var_map: Any = None
) -> tuple[list[SSAValue], list[SSAValue], list[SSAValue]]:
    """The buffers that a block reads, the buffers that it writes, and the opaque accesses (always
    empty).
    """
    del buffer_var_map
    return buffers_read(block), buffers_written(block), []


def get_block_read_write_region(
    block: BlockOp, buffer_var_map: Any = None
) -> tuple[list[SSAValue], list[SSAValue]]:
    """The buffers that a block reads, and the buffers that it writes."""
    del buffer_var_map
    return buffers_read(block), buffers_written(block)


def detect_buffer_access_lca(func: Any) -> dict[SSAValue, Operation]:
    """For each buffer, the innermost loop, block or function that encloses all its uses."""
    uses: dict[SSAValue, list[Operation]] = {}
    for op in _module(func, "detect_buffer_access_lca").walk():
        if isinstance(op, LoadOp | StoreOp):
            uses.setdefault(op.buffer, []).append(op)
    return {buffer: _around_all(ops) for buffer, ops in uses.items()}


def _around_all(ops: list[Operation]) -> Operation:
    paths = [list(loop_tree.path_to(op)) for op in ops]
    return next(
        op
        for op in paths[0]
        if isinstance(op, BlockOp | ForOp | FuncOp) and all(op in path for path in paths)
    )
