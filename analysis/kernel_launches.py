"""What the launches of a kernel say of it: its blocks, its threads and its arguments."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Block, SSAValue

from kc.analysis.kernel_values import KernelValues
from kc.dialects.gpu import GPUFuncOp, GPUModuleOp, LaunchFuncOp


def launch_sizes(kernel: GPUFuncOp) -> tuple[list[int | None], list[int | None]]:
    """The sizes of the grid and of a block that launches of a kernel have, None where unknown.

    Launches in its module decide; without any, or where they compute theirs, what the kernel says
    of itself.
    """
    launches = launches_of(kernel)
    sizes: list[list[int | None]] = []
    for known, operands in (
        (kernel.known_grid_size, [launch.grid for launch in launches]),
        (kernel.known_block_size, [launch.block for launch in launches]),
    ):
        said = [None] * 3 if known is None else list(known.get_values())
        launched = [{constant_of(values[n]) for values in operands} for n in range(3)]
        sizes.append([_only(counts, size) for counts, size in zip(launched, said, strict=True)])
    return sizes[0], sizes[1]


def _only(launched: set[int | None], said: int | None) -> int | None:
    """The size of all launches; what the kernel says where none says it."""
    if not launched or launched == {None}:
        return said
    return next(iter(launched)) if len(launched) == 1 else None


def launches_of(kernel: GPUFuncOp) -> list[LaunchFuncOp]:
    """The launches of a kernel in its module."""
    home = kernel.parent_op()
    outer = home.parent_op() if isinstance(home, GPUModuleOp) else None
    if outer is None:
        return []
    assert isinstance(home, GPUModuleOp)
    name = SymbolRefAttr(home.sym_name.data, [kernel.sym_name.data])
    return [
        op
        for function in outer.regions[0].block.ops
        if not isinstance(function, GPUModuleOp)
        for op in function.walk()
        if isinstance(op, LaunchFuncOp) and op.kernel == name
    ]


def constant_of(value: SSAValue) -> int | None:
    """The number that a value is, if it is one."""
    term = KernelValues([None] * 3, [1, 1, 1], {}).integer(value)
    return None if term is None else term.value


def bounds_of(value: SSAValue) -> tuple[int, int] | None:
    """The least and the greatest that an index of host code is, if both are known."""
    known = constant_of(value)
    if known is not None:
        return known, known
    loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
    if not isinstance(loop, scf.ForOp) or loop.body.block.args[0] is not value:
        return None
    low, high = constant_of(loop.lb), constant_of(loop.ub)
    return None if low is None or high is None else (low, high - 1)
