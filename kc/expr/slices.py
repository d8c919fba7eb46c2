"""Partially indexed tensors: for a tensor of rank 2, ``A[i]`` is the part that ``A[i][j]``
indexes.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NoReturn

from kc.expr.constructors import Expr, ExprLike, Operators
from kc.expr.nodes import shape_text
from kc.support.diagnostics import Location, TEError, counted
from kc.support.locations import caller_location

if TYPE_CHECKING:
    from kc.expr.tensor import Tensor


REGIONS: ContextVar[bool] = ContextVar("REGIONS", default=False)
"""True if Python slices denote parts of tensors: where a compute may call a tensor intrinsic."""


class TensorSlice(Operators):
    """A tensor with its first indices fixed; the others follow: ``A[i][j]``."""

    def __init__(
        self, tensor: Tensor, indices: Sequence[ExprLike | slice], location: Location | None
    ) -> None:
        self.tensor = tensor
        self.indices = tuple(indices)
        self.location = location

    @property
    def dtype(self) -> str:
        """The element type."""
        return self.tensor.dtype

    def __getitem__(self, indices: ExprLike | slice | tuple[ExprLike | slice, ...]) -> Any:
        appended = indices if isinstance(indices, tuple) else (indices,)
        return self.tensor[(*self.indices, *appended)]

    def __iter__(self) -> NoReturn:
        raise TEError(
            "KC2004",
            f"the elements of {self.tensor.name} cannot be listed while the program is built",
            location=caller_location(),
            why="its elements are known only when the kernel runs",
            hints=["te.compute and te.sum run over the elements"],
        )

    def __kc_scalar__(self) -> Expr:
        raise wrong_count(self.tensor, len(self.indices), self.location)

    def __repr__(self) -> str:
        return f"{self.tensor.name}[{', '.join(map(_text, self.indices))}]"


def _text(index: Any) -> str:
    if not isinstance(index, slice):
        return str(index)
    ends = ("" if bound is None else str(bound) for bound in (index.start, index.stop))
    return ":".join([*ends, *([] if index.step is None else [str(index.step)])])


class TensorRegion(TensorSlice):
    """A part of a tensor with slices, ``A[i, 0:4]``: an argument of a tensor intrinsic."""

    def __getitem__(self, indices: ExprLike | slice | tuple[ExprLike | slice, ...]) -> NoReturn:
        raise refused_slice(self.tensor, "a slice")

    def __kc_scalar__(self) -> NoReturn:
        raise refused_slice(self.tensor, "a slice")


def wrong_count(tensor: Tensor, count: int, location: Location | None) -> TEError:
    """The diagnostic for an element with ``count`` indices."""
    return TEError(
        "KC2010",
        f"{tensor.name} has {counted(tensor.ndim, 'dimension')}, indexed with {count}",
        location=location,
        why=f"{tensor.name} has the shape {shape_text(tensor.shape)}",
    )


def check_indices(tensor: Tensor, indices: Sequence[Any]) -> None:
    """Refuse slices of Python (KC2173)."""
    for index in indices:
        if index is None or index is Ellipsis or isinstance(index, slice):
            text = "a slice" if isinstance(index, slice) else "None" if index is None else "..."
            raise refused_slice(tensor, text)


def refused_slice(tensor: Tensor, text: str) -> TEError:
    """The diagnostic for Python slices in the indices of an element."""
    names = ", ".join("ijklmnop"[: tensor.ndim])
    tile = ["a tensor intrinsic takes slices: te.compute((n, 4), lambda i: vadd(A[i, 0:4], ...))"]
    return TEError(
        "KC2173",
        f"{tensor.name} is indexed with {text}",
        location=caller_location(),
        why="the elements of a tensor are named one by one",
        hints=[
            f"te.compute makes a tensor of a part: ... {tensor.name}[{names}]",
            "fewer indices than dimensions are completed later: A[i][j]",
            *(tile if text == "a slice" else []),
        ],
    )
