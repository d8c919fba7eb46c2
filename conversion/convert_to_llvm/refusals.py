"""The errors of refusals."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern

from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of, op_name
from kc.support.patterns import matching

# LLVM's loop passes are superlinear in the depth of a nest: 1,000 loops take it minutes.
MAX_LOOP_DEPTH = 256
_LOOPS = ("scf.for", "scf.while", "scf.parallel")
_AT_THE_TOP = (
    "builtin.module",
    "func.func",
    "gpu.func",
    "gpu.module",
    "llvm.func",
    "memref.global",
)


def too_deep(op: Operation) -> CodegenError:
    """The error for a nest of loops that is too deep, with its total depth."""
    top = op
    while (parent := top.parent_op()) is not None and parent.name != "builtin.module":
        top = parent
    deepest, pending = 0, [(top, 0)]
    while pending:
        nested, depth = pending.pop()
        depth += nested.name in _LOOPS
        deepest = max(deepest, depth)
        for region in nested.regions:
            for block in region.blocks:
                pending.extend((inner, depth) for inner in block.ops if inner.regions)
    return CodegenError(
        "KC4301",
        f"convert-to-llvm: {deepest} nested loops, at most {MAX_LOOP_DEPTH} are possible",
        why="LLVM's time grows faster than the depth of the nest: 1000 loops take it minutes",
        hints=["fuse loops, or move a part of the nest into a function of its own"],
    )


def placed(error: CodegenError, op: Operation) -> CodegenError:
    """``error`` with the name and location of ``op``, unless it has a location."""
    if error.location is None:
        error.location = location_of(op)
        if op_name(op) not in error.message:
            error.facts = (f"in {op_name(op)}", *error.facts)
    return error


def unsupported(
    op: Operation,
    patterns: tuple[type[RewritePattern], ...],
    conversion: str = "convert-to-llvm",
    dialects: str = "the llvm dialect",
) -> CodegenError:
    """The error for an operation without a pattern, with the count of similar ones in the module.

    ``conversion`` is the name of the pass, ``dialects`` its target.
    """
    top = op
    while (parent := top.parent_op()) is not None:
        top = parent
        if top.name == "gpu.module":
            break
    name = op_name(op)
    counts: dict[str, int] = {}
    for nested in top.walk():
        refused = op_name(nested)
        is_lowered = refused.split(".")[0] in dialects.split()
        if refused in _AT_THE_TOP or refused == name or is_lowered:
            continue
        if not matching(patterns, type(nested)):
            counts[refused] = counts.get(refused, 0) + 1
    dialect = name.split(".")[0]
    stages = {
        "te": "--convert-te-to-tir and --convert-tir-to-scf",
        "tir": "--convert-tir-to-scf",
    }
    hints = ()
    if dialect in stages:
        hints = (f"run {stages[dialect]} before it, or --lower-to-llvm instead of it",)
    elif dialect == "gpu" and conversion == "convert-to-llvm":
        hints = ("--target=cuda compiles kernels to PTX, --target=cuda-emu runs them on this CPU",)
    return CodegenError(
        "KC4302",
        f"{conversion}: {name} cannot be lowered to {dialects}",
        location=location_of(op),
        facts=[f"nor can {refused} ({count} in the module)" for refused, count in counts.items()],
        hints=hints,
    )
