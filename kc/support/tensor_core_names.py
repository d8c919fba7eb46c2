"""The names of the tensor intrinsics for tensor cores, and what each of them is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

# Types of the elements of A and B -> of C.
Products = Mapping[str, tuple[str, ...]]
_WMMA: Products = {"f16": ("f16", "f32"), "s8": ("s32",)}
# m16n8k -> products.
_MMA: Mapping[int, Products] = {
    8: {"f16": ("f16", "f32"), "bf16": ("f32",)},
    16: {"f16": ("f16", "f32"), "bf16": ("f32",), "s8": ("s32",)},
    32: {"s8": ("s32",)},
}
_SHARED = ("shared", "shared.dyn")
_ANYWHERE = (*_SHARED, "global")
# Matrix and layout -> how names say it.
_OPERANDS = {("a", "row"): "a", ("b", "row"): "b", ("b", "col"): "b_trans"}


class TensorCoreIntrin(NamedTuple):
    """What an intrinsic does: ``load``, ``fill`` or ``store`` a matrix, the last also by rows
    (``stmatrix``), or ``sync``: C += A * B."""

    role: str
    instruction: str
    """wmma, or mma: ``mma.sync``."""
    shape: tuple[int, int, int]
    element: str
    """Of the matrix, or of A and B."""
    matrix: str = "c"
    layout: str = "row"
    """Of the matrix, or of B: col is stored by columns."""
    space: str = ""
    """The memory that a matrix is loaded from or stored to."""
    total: str = ""
    """The type of the elements of C in a product."""


@cache
def tensor_core_intrins() -> Mapping[str, TensorCoreIntrin]:
    """The intrinsics by name."""
    families = [("wmma", (16, 16, 16), "16x16x16", _WMMA)]
    families += [("mma", (16, 8, k), f"m16n8k{k}", products) for k, products in _MMA.items()]
    return {
        name: intrin
        for instruction, shape, size, products in families
        for name, intrin in _family(instruction, shape, size, products)
    }


def _family(
    instruction: str, shape: tuple[int, int, int], size: str, products: Products
) -> Iterator[tuple[str, TensorCoreIntrin]]:
    totals = dict.fromkeys(total for totals in products.values() for total in totals)
    for element in products:
        for (matrix, layout), spelled in _OPERANDS.items():
            for space in _SHARED:
                yield (
                    f"{instruction}_load_{size}_{element}_{spelled}_{space.replace('.', '_')}",
                    TensorCoreIntrin("load", instruction, shape, element, matrix, layout, space),
                )
    for total in totals:
        # TVM's mma has an init where its wmma has a fill.
        for word in ("fill", "init") if instruction == "mma" else ("fill",):
            yield (
                f"{instruction}_{word}_{size}_{total}",
                TensorCoreIntrin("fill", instruction, shape, total),
            )
        for space in _ANYWHERE:
            yield (
                f"{instruction}_store_{size}_{total}_{space.replace('.', '_')}",
                TensorCoreIntrin("store", instruction, shape, total, space=space),
            )
        if instruction == "mma" and total == "f16":
            for space in _SHARED:
                yield (
                    f"mma_stmatrix_{size}_{total}_{space.replace('.', '_')}",
                    TensorCoreIntrin("stmatrix", instruction, shape, total, space=space),
                )
    for element, sums in products.items():
        for total in sums:
            for layout, suffix in (("row", ""), ("col", "_trans")):
                yield (
                    f"{instruction}_sync_{size}_{element}{element}{total}{suffix}",
                    TensorCoreIntrin(
                        "sync", instruction, shape, element, layout=layout, total=total
                    ),
                )
