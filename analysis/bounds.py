"""Whether a tensor expression reads outside a tensor: proven before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis.isl import expr_text, first_point
from kc.analysis.simplify_affine import bounds
from kc.dialects import te


@dataclass(frozen=True)
class OutOfBounds:
    """A read that leaves its tensor."""

    read: te.ReadOp
    dimension: int
    size: int
    point: dict[str, int]
    """The axes where it happens, by name."""
    index: int
    """The index there."""


def out_of_bounds(compute: te.ComputeOp) -> OutOfBounds | None:
    """The first read of ``compute`` that leaves its tensor for sure, if there is one.

    Decided exactly where the tensor's size and the extents of the axes in the index are constants;
    other reads are not judged (sizes may be right at the call).
    """
    axes: dict[SSAValue, tuple[str, int]] = {}
    for arg, name, extent in zip(
        compute.body.block.args, compute.names, compute.extents, strict=True
    ):
        if extent == 0:
            return None  # nothing is computed
        if isinstance(extent, int):
            axes[arg] = (name, extent)
    for op in compute.body.block.ops:
        if isinstance(op, te.ReadOp):
            found = _check(op, axes)
            if found is not None:
                return found
    return None


def _check(read: te.ReadOp, axes: dict[SSAValue, tuple[str, int]]) -> OutOfBounds | None:
    operands = list(read.operands_of_map)
    if any(one not in axes for one in operands):
        return None
    shape = read.tensor.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    ranges = [(0, axes[one][1] - 1) for one in operands]
    for n, (expr, size) in enumerate(zip(read.indices.data.results, shape, strict=True)):
        if size == te.DYNAMIC:
            continue
        low, high = bounds(expr, ranges)
        if low is not None and high is not None and low >= 0 and high < size:
            continue
        point = _witness(expr, size, [axes[one][1] for one in operands])
        if point is not None:
            return OutOfBounds(
                read,
                n,
                size,
                {axes[one][0]: value for one, value in zip(operands, point, strict=True)},
                expr.eval(point, []),
            )
    return None


def _witness(expr: AffineExpr, size: int, extents: Sequence[int]) -> list[int] | None:
    """Values of the dims for which ``expr`` leaves ``0 <= expr < size``."""
    names = [f"d{n}" for n in range(len(extents))]
    beyond: list[str] = []

    def opaque() -> str:
        beyond.append("not affine")
        return "0"

    index = expr_text(expr, lambda n: names[n], opaque)
    if beyond:
        return None
    domain = "".join(f"0 <= {name} < {one} and " for name, one in zip(names, extents, strict=True))
    point = first_point(
        f"{{ [{', '.join(names)}] : {domain}({index} < 0 or {index} >= {size}) }}", names
    )
    return [point[name] for name in names] if isinstance(point, dict) else None
