"""The names and parameters of the tensor intrinsics for tensor cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

# Types of the elements of A and B -> of C.
Products = Mapping[str, tuple[str, ...]]
_WMMA: Products = {"f16": ("f16", "f32"), "bf16": ("f32",), "s8": ("s32",)}
# m16n8k -> products.
_MMA: Mapping[int, Products] = {
    4: {"tf32": ("f32",)},
    8: {"f16": ("f16", "f32"), "bf16": ("f32",), "tf32": ("f32",)},
    16: {"f16": ("f16", "f32"), "bf16": ("f32",), "s8": ("s32",)},
    32: {"s8": ("s32",), "e4m3": ("f32",), "e5m2": ("f32",)},
}
# m64nNk -> products.
_WGMMA: Mapping[int, Products] = {
    16: {"f16": ("f16", "f32"), "bf16": ("f32",)},
    32: {"s8": ("s32",), "e4m3": ("f32",), "e5m2": ("f32",)},
}
_COLUMNS = (8, 16, 32, 64, 96, 128, 192, 256)
"""The values of n for which wgmma has intrinsics."""
_STEPS = (1, 2, 4)
"""The numbers of wgmma instructions along k in an intrinsic, for rows of 32, 64 or 128 bytes."""
_SHARED = ("shared", "shared.dyn")
_ANYWHERE = (*_SHARED, "global")
# Matrix and layout -> the suffix of the name.
_OPERANDS = {("a", "row"): "a", ("b", "row"): "b", ("b", "col"): "b_trans"}


class TensorCoreIntrin(NamedTuple):
    """An intrinsic for tensor cores. Its role is to ``load``, ``fill`` or ``store`` a matrix, or to
    compute C += A * B (``sync``). A store may go by rows (``stmatrix``). The ``sync`` of wgmma
    reads A and B from shared memory.
    """

    role: str
    instruction: str
    """The instruction: ``wmma``, ``mma`` (``mma.sync``) or ``wgmma``."""
    shape: tuple[int, int, int]
    element: str
    """The element type of the matrix, or of A and B."""
    matrix: str = "c"
    layout: str = "row"
    """The layout of the matrix, or of B: "col" means stored by columns."""
    space: str = ""
    """The memory of a load or store, or of A and B in a product."""
    total: str = ""
    """The element type of C in a product."""
    steps: int = 1
    """The number of instructions along k in a product."""

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents of the loops of a product, or of a matrix C."""
        m, n, k = self.shape
        return (m, n, k * self.steps) if self.role == "sync" else (m, n)


@cache
def tensor_core_intrins() -> Mapping[str, TensorCoreIntrin]:
    """The intrinsics by name."""
    families = [("wmma", (16, 16, 16), "16x16x16", _WMMA)]
    families += [("mma", (16, 8, k), f"m16n8k{k}", products) for k, products in _MMA.items()]
    intrins = {
        name: intrin
        for instruction, shape, size, products in families
        for name, intrin in _family(instruction, shape, size, products)
    }
    for k, products in _WGMMA.items():
        for n in _COLUMNS:
            intrins.update(_of_warpgroups((64, n, k), products))
    return intrins


def _of_warpgroups(
    shape: tuple[int, int, int], products: Products
) -> Iterator[tuple[str, TensorCoreIntrin]]:
    m, n, k = shape
    size = f"m{m}n{n}k{k}"
    if k == 16:
        for space in _ANYWHERE:
            yield _rounded("wgmma", shape, size, space)
        for element in ("f16", "bf16") if _has_panels(n) else ():
            for space in _SHARED:
                yield (
                    f"wgmma_stmatrix_{size}_{element}_{space.replace('.', '_')}",
                    TensorCoreIntrin("stmatrix", "wgmma", shape, element, space=space),
                )
    for total in dict.fromkeys(total for totals in products.values() for total in totals):
        yield f"wgmma_fill_{size}_{total}", TensorCoreIntrin("fill", "wgmma", shape, total)
        for space in _ANYWHERE:
            yield (
                f"wgmma_store_{size}_{total}_{space.replace('.', '_')}",
                TensorCoreIntrin("store", "wgmma", shape, total, space=space),
            )
    for element, sums in products.items():
        # Only 16-bit types can be contiguous along the columns of B, in rows of 32, 64 or 128 bytes
        # or in panels of such rows.
        across = (("row", ""),) if k == 16 and _has_panels(n) else ()
        for total in sums:
            for layout, suffix in (*across, ("col", "_trans")):
                for steps in _STEPS:
                    times = "" if steps == 1 else f"x{steps}"
                    for space in _SHARED:
                        where = "_dyn" if space == "shared.dyn" else ""
                        yield (
                            f"wgmma_sync_{size}{times}_{element}{element}{total}{suffix}{where}",
                            TensorCoreIntrin(
                                "sync",
                                "wgmma",
                                shape,
                                element,
                                layout=layout,
                                space=space,
                                total=total,
                                steps=steps,
                            ),
                        )


def _has_panels(n: int) -> bool:
    """True if ``n`` halves are a row of 32, 64 or 128 bytes, or a whole number of panels of 128
    bytes.
    """
    return n in (16, 32) or n % 64 == 0


def _rounded(
    instruction: str, shape: tuple[int, int, int], size: str, space: str
) -> tuple[str, TensorCoreIntrin]:
    """The store of sums that are rounded to bf16. No product has results of this type."""
    return (
        f"{instruction}_store_{size}_bf16_{space.replace('.', '_')}",
        TensorCoreIntrin("store", instruction, shape, "bf16", space=space),
    )


def _family(
    instruction: str, shape: tuple[int, int, int], size: str, products: Products
) -> Iterator[tuple[str, TensorCoreIntrin]]:
    totals = dict.fromkeys(total for totals in products.values() for total in totals)
    if instruction == "mma" and "bf16" in products:
        for space in _ANYWHERE:
            yield _rounded(instruction, shape, size, space)
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
