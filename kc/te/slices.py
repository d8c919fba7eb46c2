"""Parts of tensors: ``A[i]`` of a tensor of rank 2 is what ``A[i][j]`` goes on to index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from kc.support.diagnostics import Location, TEError, counted
from kc.support.locations import caller_location
from kc.te.expr import Expr, ExprLike, Operators

if TYPE_CHECKING:
    from kc.te.tensor import Tensor


class TensorSlice(Operators):
    """A tensor with its first indices given; the others follow: ``A[i][j]``."""

    def __init__(
        self, tensor: Tensor, indices: Sequence[ExprLike], location: Location | None
    ) -> None:
        self.tensor = tensor
        self.indices = tuple(indices)
        self.location = location

    @property
    def dtype(self) -> str:
        """The element type."""
        return self.tensor.dtype

    def __getitem__(self, indices: ExprLike | tuple[ExprLike, ...]) -> Any:
        given = indices if isinstance(indices, tuple) else (indices,)
        return self.tensor[(*self.indices, *given)]

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
        return f"{self.tensor.name}[{', '.join(map(str, self.indices))}]"


def wrong_count(tensor: Tensor, count: int, location: Location | None) -> TEError:
    """What is said of an element that ``count`` indices are to name."""
    from kc.te.tensor import shape_text

    return TEError(
        "KC2010",
        f"{tensor.name} has {counted(tensor.ndim, 'dimension')}, indexed with {count}",
        location=location,
        why=f"{tensor.name} has the shape {shape_text(tensor.shape)}",
    )


def check_indices(tensor: Tensor, indices: Sequence[Any]) -> None:
    """Refuse slices of Python (KC2173)."""
    for one in indices:
        if one is None or one is Ellipsis or isinstance(one, slice):
            text = "a slice" if isinstance(one, slice) else "None" if one is None else "..."
            names = ", ".join("ijklmnop"[: tensor.ndim])
            raise TEError(
                "KC2173",
                f"{tensor.name} is indexed with {text}",
                location=caller_location(),
                why="the elements of a tensor are named one by one",
                hints=[
                    f"te.compute makes a tensor of a part: ... {tensor.name}[{names}]",
                    "fewer indices than dimensions are completed later: A[i][j]",
                ],
            )
