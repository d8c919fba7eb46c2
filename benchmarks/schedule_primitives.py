"""The time of schedule primitives, and its growth with the unaffected code.

    python benchmarks/schedule_primitives.py

Milliseconds per call (check and rewrite) in a schedule whose module was verified before: the best
of several, each on a fresh copy. The modules are the matrix product of examples/matmul.mlir, and
functions of 10, 100 and 400 blocks that are chained (each reads the output of the previous one) or
independent. A primitive should take as long in a large function as in a small one.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.dialects.tir import BlockOp, ForOp
from kc.support.ir_text import parse_module
from kc.support.registry import context, get_pass, pass_class
from kc.support.target import target_of
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive, Site

MATMUL = Path(__file__).resolve().parent.parent / "examples" / "matmul.mlir"
BLOCKS = (10, 100, 400)
REPEAT = 7

COMPUTE = """
  %T{n} = te.compute "T{n}" [%i = 128, %j = 128] {{
    %x = te.read %{source}[%i, %j] : tensor<128x128xf32>
    %y = arith.addf %x, %x : f32
    te.yield %y : f32
  }} : tensor<128x128xf32>"""

Chooser = Callable[[ModuleOp, BlockOp], Primitive]


def lowered(text: str, name: str) -> ModuleOp:
    """A te module as loops."""
    module = parse_module(text, name, context())
    get_pass("convert-te-to-tir").apply(context(), module)
    return module


def blocks_text(count: int, *, chained: bool) -> str:
    """A function of ``count`` elementwise computes."""
    type_ = "tensor<128x128xf32>"
    body = [COMPUTE.format(n=n, source=f"T{n - 1}" if chained and n else "A") for n in range(count)]
    results = [count - 1] if chained else list(range(count))
    types = ", ".join([type_] * len(results))
    names = ", ".join(f"%T{n}" for n in results)
    return (
        f"te.func @f(%A: {type_}) -> ({types}) {{{''.join(body)}\n"
        f"  te.return {names} : {types}\n}}\n"
    )


def _loops(block: BlockOp) -> list[ForOp]:
    return loop_tree.loops_around(block)


def _next(module: ModuleOp, block: BlockOp) -> BlockOp:
    """The block after ``block``."""
    blocks = loop_tree.blocks(module)
    return blocks[blocks.index(block) + 1]


def _split(module: ModuleOp, block: BlockOp) -> Primitive:
    return pass_class("split")(LoopRef(_loops(block)[-1]), (None, 8))


def _fuse(module: ModuleOp, block: BlockOp) -> Primitive:
    i, j, *_ = _loops(block)
    return pass_class("fuse")((LoopRef(i), LoopRef(j)))


def _reorder(module: ModuleOp, block: BlockOp) -> Primitive:
    i, j, *_ = _loops(block)
    return pass_class("reorder")((LoopRef(j), LoopRef(i)))


def _vectorize(module: ModuleOp, block: BlockOp) -> Primitive:
    return pass_class("vectorize")(LoopRef(_loops(block)[1]))


def _parallel(module: ModuleOp, block: BlockOp) -> Primitive:
    return pass_class("parallel")(LoopRef(_loops(block)[0]))


def _compute_at(module: ModuleOp, block: BlockOp) -> Primitive:
    return pass_class("compute-at")(BlockRef(block), LoopRef(_loops(_next(module, block))[0]))


def _compute_inline(module: ModuleOp, block: BlockOp) -> Primitive:
    return pass_class("compute-inline")(BlockRef(block))


def _cache_read(module: ModuleOp, block: BlockOp) -> Primitive:
    return pass_class("cache-read")(BlockRef(block), BufferRef(0), "local")


def _cache_write(module: ModuleOp, block: BlockOp) -> Primitive:
    return pass_class("cache-write")(BlockRef(block), BufferRef(0), "local")


CHOOSERS: dict[str, Chooser] = {
    "split": _split,
    "fuse": _fuse,
    "reorder": _reorder,
    "vectorize": _vectorize,
    "parallel": _parallel,
    "compute_at": _compute_at,
    "compute_inline": _compute_inline,
    "cache_read": _cache_read,
    "cache_write": _cache_write,
}
NEED_A_CONSUMER = ("compute_at", "compute_inline")


def measure(module: ModuleOp, name: str) -> float:
    """Milliseconds of one primitive on the block in the middle, the best of several."""
    best = float("inf")
    for _ in range(REPEAT):
        copy = module.clone()
        blocks = loop_tree.blocks(copy)
        step = CHOOSERS[name](copy, blocks[(len(blocks) - 1) // 2])
        site = Site(loop_tree.functions(copy)[0], target_of(copy))
        site.verify()
        gc.collect()
        gc.disable()
        start = time.perf_counter()
        step.apply(site)
        best = min(best, time.perf_counter() - start)
        gc.enable()
    return best * 1e3


def modules() -> Iterator[tuple[str, ModuleOp, bool]]:
    """The measurements: the name, the module, and whether its blocks have consumers."""
    yield "matmul", lowered(MATMUL.read_text(), str(MATMUL)), False
    for chained in (True, False):
        for count in BLOCKS:
            name = f"{count} {'chained' if chained else 'apart'}"
            yield name, lowered(blocks_text(count, chained=chained), "blocks.mlir"), chained


def main() -> int:
    """Print the table."""
    print("milliseconds a call")
    print(f"{'':<14}" + "".join(f"{name:>15}" for name in CHOOSERS))
    for label, module, has_consumers in modules():
        cells = [
            f"{measure(module, name):>15.2f}"
            if has_consumers or name not in NEED_A_CONSUMER
            else f"{'-':>15}"
            for name in CHOOSERS
        ]
        print(f"{label:<14}" + "".join(cells), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
