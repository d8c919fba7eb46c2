"""Kernels as a GPU launches them: blocks of threads in any order, with memory of their own.

What the primitives accept has a meaning in lockstep; what ``verify-gpu-code`` accepts too computes
the same when it is launched, before and after buffers were made smaller.
"""

from __future__ import annotations

import math
import subprocess
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from optional_tools import find
from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

import kc
from kc.analysis import loop_tree
from kc.analysis.module_copy import copy_module
from kc.conversion.pipelines import TO_GPU, planned_passes
from kc.dialects.tir import ApplyOp, ForOp
from kc.dialects.tir.threads import VIRTUAL_AXES, is_same_axis
from kc.support.registry import context, get_pass
from kc.target import Target

TARGET = "cuda -arch=sm_80"
EMULATOR = "cuda-emu -arch=sm_80"
ARCHES = ("sm_75", "sm_80", "sm_90a", "sm_100a")
WATCHED = 0.5
"""Of the kernels that are emulated, so many are watched."""
SERIAL = 0.7
"""Of the others so many are loops over threads, if they can be."""


def has_kernels(mod: kc.IRModule) -> bool:
    """True if a loop is bound to blocks or threads of a GPU."""
    axes = {loop.axis for loop in loop_tree.loops(mod.op)}
    return bool(axes - {None, *VIRTUAL_AXES})


def shares_virtual_threads(loop: ForOp) -> bool:
    """True if virtual threads share the iterations of a loop; threads of a CPU do not."""
    return loop.axis in VIRTUAL_AXES and any(
        is_same_axis(outer.axis, loop.axis) for outer in loop_tree.all_loops_around(loop)
    )


def verify(mod: kc.IRModule) -> None:
    """Refuse (KCError) kernels that a GPU cannot run."""
    with Target(TARGET):
        get_pass("verify-gpu-code").apply(context(), mod.op)


def compacted(mod: kc.IRModule) -> kc.IRModule:
    """The module with its buffers where they are used, and no larger; reductions initialised."""
    mod = kc.IRModule(copy_module(mod.op))
    for name in ("compact-buffer-allocation", "lower-init-block"):
        get_pass(name).apply(context(), mod.op)
    return mod


def launches(mod: kc.IRModule) -> kc.IRModule:
    """The module with the loops of threads as one launch, and barriers.

    Raises KCError for what a GPU cannot run.
    """
    return _after(mod, _passes()[: _passes().index("thread-sync") + 1])


def kernels(mod: kc.IRModule) -> kc.IRModule:
    """The module of :func:`launches` as kernels and host code; raises KCError likewise."""
    return _after(mod, _passes()[_passes().index("thread-sync") + 1 :])


def emulate(
    random: Random,
    mod: kc.IRModule,
    arrays: list[Any],
    *,
    copies_unwritten: bool,
    options: str = "",
) -> None:
    """Run the kernels of the module on the CPU, where nothing is wrong with what they do.

    Some are watched; the rest runs faster, block by block on all cores, as loops over threads or as
    coroutines. ``copies_unwritten``: they
    may copy memory that nobody has written, and use no copy.
    """
    level = random.choice((0, 1, 2, 2, 3))
    left_out = [] if random.random() < SERIAL else ["gpu-serialize-threads"]
    passes = kc.transform.PassContext(opt_level=level, disabled_pass=left_out)
    with passes, np.errstate(all="ignore"):
        module = kc.build(mod, target=f"{EMULATOR} {options}".rstrip())
        if random.random() < WATCHED:
            report = kc.gpu.check(module, *arrays)
            kinds = {finding.kind for finding in report.findings}
            assert kinds <= ({"uninitialised"} if copies_unwritten else set()), str(report)
        else:
            module(*arrays)


def assemble(mod: kc.IRModule) -> bool:
    """Assemble the PTX of the kernels for one of the GPUs by CUDA's assembler; False if there is no
    assembler.
    """
    assembler = find("ptxas")
    if assembler is None:
        return False
    arch = ARCHES[len(str(mod)) % len(ARCHES)]
    with np.errstate(all="ignore"):
        module = kc.build(mod, target=f"cuda -arch={arch}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "kernels.ptx")
        file.write_text(module.get_source("ptx"), encoding="utf-8")
        command = [assembler, f"-arch={arch}", str(file), "-o", str(file.with_suffix(".cubin"))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return True


def _passes() -> list[str]:
    return [planned.name for planned in planned_passes(TO_GPU, "cuda")]


def _after(mod: kc.IRModule, names: list[str]) -> kc.IRModule:
    mod = kc.IRModule(copy_module(mod.op))
    with Target(TARGET):
        for name in names:
            get_pass(name).apply(context(), mod.op)
    mod.op.verify()
    return mod


def order(random: Random) -> Random:
    """An order of blocks and threads."""
    return Random(random.randrange(2**32))


def iterations(module: Operation) -> int:
    """The iterations of all threads of the largest nest together: each thread runs the statements
    that are in no loop of its axis. A symbolic size counts as four, and an empty loop as one
    iteration, because the init of a reduction runs there.
    """
    most = 0
    for root in loop_tree.loops(module):
        if loop_tree.all_loops_around(root):
            continue
        nest = [root, *loop_tree.loops(root)]
        threads = {loop.axis: _size(loop) for loop in nest if _is_thread(loop)}
        for loop in nest:
            around = [*loop_tree.all_loops_around(loop), loop]
            serial = math.prod(_size(ancestor) for ancestor in around if not _is_thread(ancestor))
            most = max(most, serial * math.prod(threads.values()))
    return most


def _is_thread(loop: ForOp) -> bool:
    return loop.axis is not None and loop.axis not in VIRTUAL_AXES


def _size(loop: ForOp) -> int:
    return max(1, _number(loop.extent_value))


def _number(value: int | SSAValue) -> int:
    """A size, where symbols are four; of the smallest or largest of several, the largest."""
    if isinstance(value, int):
        return value
    op = value.owner
    if isinstance(op, arith.MuliOp):
        return _number(op.lhs) * _number(op.rhs)
    if not isinstance(op, ApplyOp):
        return 4
    values = [_number(operand) for operand in op.operands_of_map]
    return max(expr.eval(values, []) for expr in op.map.data.results)
