"""Checks before anything changes, and the arguments that determine a function's sizes."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir.affine import AffineExpr

from kc.analysis.accesses.virtual_threads import foreign_read, serial_conflict
from kc.analysis.loop_tree import all_loops_around, buffer_name, preorder
from kc.dialects import tir
from kc.dialects.tir.threads import VIRTUAL_AXES, is_same_axis
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of, op_name

_INTERLEAVE = "run --inject-virtual-thread first: it keeps lockstep"


def uses_tir(function: func.FuncOp) -> bool:
    """True if the function contains tir operations."""
    return any(op_name(op).startswith("tir.") for op in function.walk())


def require_lowered(function: func.FuncOp) -> None:
    """Refuse operations that earlier passes remove, before anything changes."""
    symbols = symbol_sources(function)
    if len(function.body.blocks) > 1:
        raise CodegenError(
            "KC4214",
            f"convert-tir-to-scf: @{function.sym_name.data} has branches",
            location=location_of(function.body.blocks[0].last_op),
            why="loops of tir are allowed only in functions of one block",
            hints=["write tir.if or scf.if, or put the loops into a function of their own"],
        )
    for op in preorder(function):
        if type(op) is tir.BlockOp:
            raise CodegenError(
                "KC4201",
                f"convert-tir-to-scf: block {op.label} is left",
                location=location_of(op),
                why="blocks are dissolved before this conversion",
                hints=["run --lower-init-block --lower-blocks first"],
            )
        if type(op) is tir.ForOp and op.kind.data is tir.ForKind.VECTORIZED:
            raise CodegenError(
                "KC4202",
                f"convert-tir-to-scf: the vectorized loop {op.label} was not lowered",
                location=location_of(op),
                why="loops become vector code before this conversion",
                hints=["run --vectorize-loop first"],
            )
        if type(op) is tir.ForOp and op.axis is not None:
            _require_interleaving(op)
        if type(op) is tir.SymbolOp and op.symbol.data not in symbols:
            raise CodegenError(
                "KC4204",
                f"convert-tir-to-scf: no argument determines the size {op.symbol.data}",
                location=location_of(op),
                why="a size is a dimension of an argument (kc.shape) or an argument (kc.symbol)",
            )
    for op in preorder(function):
        if type(op) is tir.ForOp and op.axis is not None:
            _require_no_exchange(op)


def _require_interleaving(loop: tir.ForOp) -> None:
    """Refuse loops of threads, and virtual threads that share work."""
    if loop.axis not in VIRTUAL_AXES:
        raise CodegenError(
            "KC4206",
            f"convert-tir-to-scf: the loop {loop.label} is bound to {loop.axis}, and the target is "
            "a CPU",
            location=location_of(loop),
            why="this is the schedule of a GPU: a CPU has no thread blocks",
            hints=[
                'a target of a GPU: kc.build(..., target="cuda"), --lower-to-nvvm',
                "parallel and vectorize are the loops of a CPU",
            ],
        )
    around = loop.parent_op()
    while around is not None:
        if isinstance(around, tir.ForOp) and is_same_axis(around.axis, loop.axis):
            raise CodegenError(
                "KC4207",
                f"convert-tir-to-scf: the loop {loop.label} is bound to {loop.axis}, as "
                f"{around.label} around it is",
                location=location_of(loop),
                why="virtual threads that share the work of a loop cannot run one after the other",
            )
        around = around.parent_op()


def _require_no_exchange(loop: tir.ForOp) -> None:
    """Refuse virtual threads whose serial execution differs from lockstep."""
    if any(around.axis is not None for around in all_loops_around(loop)):
        return  # checked at the outermost loop
    exchange = serial_conflict(loop)
    if exchange is None:
        read = foreign_read(loop)
        if read is not None:
            name = buffer_name(read.load.buffer)
            raise CodegenError(
                "KC4207",
                f"convert-tir-to-scf: the threads of loop {loop.label}, {loop.axis}, exchange "
                f"values in {name}",
                location=location_of(read.load),
                facts=[read.text],
                why="virtual threads run one after the other on a CPU, each with its own memory of "
                "what is allocated in their loop",
                hints=[
                    f"allocate {name} outside of loop {loop.label}, and write two loops of "
                    "threads, where the second one reads what the first one writes",
                    _INTERLEAVE,
                ],
            )
        return
    loop, conflict = exchange
    buffer = conflict.source_access.buffer or conflict.sink_access.buffer
    name = "memory" if buffer is None else buffer_name(buffer)
    may = "may exchange" if conflict.undecided else "exchange"
    raise CodegenError(
        "KC4207",
        f"convert-tir-to-scf: the threads of loop {loop.label}, {loop.axis}, {may} values in "
        f"{name}",
        location=location_of(conflict.sink_access.op),
        facts=[str(conflict.explain())],
        why="virtual threads run one after the other on a CPU; in lockstep, each operation runs "
        "for all of them before the next one does",
        hints=[
            "write two loops of threads, where the second one reads what the first one writes",
            _INTERLEAVE,
        ],
    )


def symbol_sources(function: func.FuncOp) -> dict[str, tuple[int, int | None]]:
    """The source of each symbol: an argument number and, for an array, the dimension."""
    sources: dict[str, tuple[int, int | None]] = {}
    symbols = tir.symbol_names(function)
    attrs = function.arg_attrs.data if function.arg_attrs is not None else ()
    for n, arg_attrs in enumerate(attrs):
        name = arg_attrs.data.get("kc.symbol")
        if name is not None:
            sources.setdefault(name.data, (n, None))  # pyright: ignore
        shape = arg_attrs.data.get("kc.shape")
        if shape is not None:
            for dim, expr in enumerate(shape.data.results):  # pyright: ignore
                for m, symbol in enumerate(symbols):
                    if expr == AffineExpr.symbol(m):
                        sources.setdefault(symbol, (n, dim))
    return sources
