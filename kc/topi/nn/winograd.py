"""Winograd's convolutions F(m, r): m + r - 1 products along an axis give m results of r taps.

The matrices are those of Toom and Cook: polynomials are multiplied at points, and transposed, which
makes a product a correlation (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, const, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import check_dtype
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.te.computes import compute
from kc.topi.accumulation import accumulation
from kc.topi.arguments import constant, over_up, plus, positive, rank, same_size, tensor, times
from kc.topi.elementwise import FLOAT
from kc.topi.nn.padding import amounts, padded, window
from kc.topi.table import operator, refuse

if TYPE_CHECKING:
    from fractions import Fraction

    Matrix = list[list[Fraction]]

POINTS = ("0", "1", "-1", "2", "-2", "1/2", "-1/2", "3", "-3", "1/3")
"""The points at which polynomials are evaluated, besides infinity: small, for small errors."""


def _matrices(tile: int, taps: int) -> tuple[Matrix, Matrix, Matrix]:
    """(A, B, G), exact: results are ``A.T ((G g) * (B.T d))``."""
    from fractions import Fraction

    points = [Fraction(text) for text in POINTS[: tile + taps - 2]]

    def powers(count: int) -> Matrix:
        rows = [[point**k for k in range(count)] for point in points]
        return [*rows, [Fraction(int(k == count - 1)) for k in range(count)]]

    def without(left_out: int | None) -> list[Fraction]:
        """The coefficients of the product of all (x - point) but one, from that of 1."""
        result = [Fraction(1)]
        for n, point in enumerate(points):
            if n != left_out:
                shifted = [Fraction(0), *result]
                result = [
                    a - point * b for a, b in zip(shifted, [*result, Fraction(0)], strict=True)
                ]
        return [*result, *[Fraction(0)] * (len(points) + 1 - len(result))]

    scaled = powers(taps)
    for n, point in enumerate(points):
        factor = Fraction(1)
        for k, far in enumerate(points):
            factor *= point - far if k != n else 1
        scaled[n] = [value / factor for value in scaled[n]]
    columns = [without(n) for n in range(len(points))] + [without(None)]
    transposed = [[column[k] for column in columns] for k in range(len(columns))]
    return powers(tile), transposed, scaled


def _constant(matrix: Matrix, dtype: str, name: str) -> Tensor:
    def body(i: Any, j: Any) -> Expr:
        value: Expr = const(0.0, dtype)
        for row, numbers in enumerate(matrix):
            of_row: Expr = const(0.0, dtype)
            for column, number in enumerate(numbers):
                if number:
                    of_row = select(j.equal(column), const(float(number), dtype), of_row)
            value = select(i.equal(row), of_row, value)
        return value

    return compute((len(matrix), len(matrix[0])), body, name)


def _sizes(tile_size: Any, kernel_size: Any) -> tuple[int, int]:
    (tile,), (taps,) = positive(tile_size, 1, "tile_size"), positive(kernel_size, 1, "kernel_size")
    if tile < 2 or tile + taps - 2 > len(POINTS):
        raise refuse(
            "KC2317",
            f"tiles of {tile} and a kernel of {taps}",
            "tile_size must be at least 2, and the sum of tile_size and kernel size at most "
            f"{len(POINTS) + 2}",
        )
    return tile, taps


@operator(
    "", FLOAT, 'nn.winograd_transform_matrices(4, 3, "float32")', takes="", gradient="zero",
    formula="A.T ((G g) * (B.T d)) for taps g and data d",
)  # fmt: skip
def winograd_transform_matrices(tile_size: int, kernel_size: int, out_dtype: str) -> list[Tensor]:
    """The matrices A (alpha, tile), B (alpha, alpha) and G (alpha, kernel) of F(tile, kernel).

    alpha is ``tile + kernel - 1``. Raises KC2317 for sizes that would need more than 10 points.
    """
    tile, taps = _sizes(tile_size, kernel_size)
    dtype = check_dtype(out_dtype)
    if dtype not in FLOAT:
        raise refuse("KC2301", f"out_dtype is {dtype}", "it takes " + ", ".join(FLOAT))
    parts = zip(_matrices(tile, taps), ("A", "B", "G"), strict=True)
    return [_constant(matrix, dtype, f"winograd_{name}") for matrix, name in parts]


def _square(kernel: Tensor) -> int:
    taps = [constant(size, "the kernel") for size in kernel.shape[2:]]
    if taps[0] != taps[1]:
        raise refuse(
            "KC2303",
            f"{kernel.name} of the shape {shape_text(kernel.shape)}",
            "the kernel must be square",
        )
    return taps[0]


@operator("", FLOAT, "nn.conv2d_winograd_weight_transform(T(4, 3, 3, 3), 2)",
          formula="G g G.T")  # fmt: skip
def conv2d_winograd_weight_transform(kernel: Tensor, tile_size: int) -> Tensor:
    """A filter (O, I, K, K) as (alpha, alpha, O, I), for ``pre_computed`` convolutions."""
    rank(kernel, "the kernel", 4)
    sums = accumulation(kernel.dtype, None)
    return sums.rounded(_transformed(kernel, tile_size, sums.within))


def _transformed(kernel: Tensor, tile_size: int, dtype: str) -> Tensor:
    """The transformed filter as a separate tensor."""
    tile, taps = _sizes(tile_size, _square(kernel))
    matrix = _constant(_matrices(tile, taps)[2], dtype, "winograd_G")
    u, v = reduce_axis((0, taps), name="r_kh"), reduce_axis((0, taps), name="r_kw")
    alpha = tile + taps - 1
    return compute(
        (alpha, alpha, *kernel.shape[:2]),
        lambda i, j, o, c: scalar.sum(
            convert(kernel(o, c, u, v), dtype) * matrix(i, u) * matrix(j, v), axis=[u, v]
        ),
        "transform_weight",
    )


def _on_tiles(source: Tensor, matrix: Tensor, name: str) -> Tensor:
    """``M.T x M`` for each tile x of ``source`` (alpha, alpha, C, tiles).

    It goes along the rows, then along the columns: an element has 2 alpha terms instead of alpha
    squared.
    """
    alpha, size = matrix.shape
    *_, channels, tiles = source.shape
    u, v = reduce_axis((0, alpha), name="r_a"), reduce_axis((0, alpha), name="r_b")
    rows = compute(
        (size, alpha, channels, tiles),
        lambda i, b, c, p: scalar.sum(source(u, b, c, p) * matrix(u, i), axis=u),
        f"{name}_rows",
    )
    return compute(
        (size, size, channels, tiles),
        lambda i, j, c, p: scalar.sum(rows(i, v, c, p) * matrix(v, j), axis=v),
        name,
    )


@operator(
    "conv2d_winograd_nchw", FLOAT,
    "nn.conv2d_winograd_nchw(T(1, 3, 6, 7), T(4, 3, 3, 3), 1, 1, 1)", onnx="Conv", torch="conv2d",
)  # fmt: skip
def conv2d_winograd_nchw(
    data: Tensor, weight: Tensor, strides: Any, padding: Any, dilation: Any,
    out_dtype: str | None = None, pre_computed: bool = False, tile_size: int = 4,
    acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of (N, C, H, W) with (O, C, K, K) in tiles of ``tile_size``; typically F(4, 3).

    The result is that of :func:`conv2d_nchw` up to rounding, which grows with the tile (by about 10
    times for F(4, 3)). ``pre_computed``: the weight is a result of
    :func:`conv2d_winograd_weight_transform`. Raises KC2302 for a rank, KC2303 for channels or a
    kernel that is not square, KC2307 for a kernel larger than the padded input, KC2317 for strides
    or dilations other than 1, and for tile sizes without matrices.
    """
    rank(data, "data", 4)
    tensor(weight, "the weight", 4, (data.dtype,))
    steps, apart = positive(strides, 2, "strides"), positive(dilation, 2, "dilation")
    if {*steps, *apart} != {1}:
        raise refuse(
            "KC2317",
            f"strides {strides} and dilation {dilation}",
            "strides and dilation must be 1",
            "topi.nn.conv2d_nchw supports other strides and dilations",
        )
    sums = accumulation(data.dtype, acc_dtype, out_dtype)
    dtype = sums.within
    same_size(data, 1, weight, 3 if pre_computed else 1, "data and filter have the same channels")
    if pre_computed:
        tile = positive(tile_size, 1, "tile_size")[0]
        taps = constant(weight.shape[0], "the tiles") - tile + 1
        if taps < 1 or constant(weight.shape[1], "the tiles") != weight.shape[0]:
            raise refuse(
                "KC2303",
                f"{weight.name} of the shape {shape_text(weight.shape)} for tiles of {tile}",
                "the shape must be (alpha, alpha, O, I), where alpha is the tile and the "
                "kernel less 1",
            )
        tile, taps = _sizes(tile, taps)
        transformed, results = weight, weight.shape[2]
    else:
        tile, taps = _sizes(tile_size, _square(weight))
        transformed, results = _transformed(weight, tile, dtype), weight.shape[0]
    alpha = tile + taps - 1
    heads, tails = amounts(padding, [taps, taps])
    height, width = window(
        data.shape[2:], [taps, taps], (1, 1), (1, 1), heads, tails, lambda a, b: a, data
    )
    rows, columns = over_up(height, tile), over_up(width, tile)
    # The last tiles are complete: elements beyond the padded input are 0 and affect no result.
    heights = plus(times(rows, tile), taps - 1)
    widths = plus(times(columns, tile), taps - 1)
    source = padded(data, [0, 0, *heads], [0, 0, *tails], 0, "data_pad")
    source = _filled(source, heights, widths)
    tiles = times(times(data.shape[0], rows), columns)
    left, right, _ = _matrices(tile, taps)
    a_matrix = _constant(left, dtype, "winograd_A")
    b_matrix = _constant(right, dtype, "winograd_B")

    def element(u: Any, v: Any, c: Any, p: Any) -> Expr:
        n, place = p // (rows * columns), p % (rows * columns)
        y, x = (place // columns) * tile + u, (place % columns) * tile + v
        return convert(source(n, c, y, x), dtype)

    inputs = compute((alpha, alpha, data.shape[1], tiles), element, "input_tile")
    packed = _on_tiles(inputs, b_matrix, "data_pack")
    ci = reduce_axis((0, data.shape[1]), name="ci")
    products = compute(
        (alpha, alpha, results, tiles),
        lambda i, j, o, p: scalar.sum(
            convert(transformed(i, j, o, ci), dtype) * packed(i, j, ci, p), axis=ci
        ),
        "bgemm",
        tag="batch_matmul",
    )
    inverse = _on_tiles(products, a_matrix, "inverse")

    def body(n: Any, o: Any, y: Any, x: Any) -> Expr:
        p = (n * rows + y // tile) * columns + x // tile
        return convert(inverse(y % tile, x % tile, o, p), sums.result)

    shape = (data.shape[0], results, height, width)
    return compute(shape, body, "conv2d_winograd", tag="conv2d_winograd_nchw")


def _filled(source: Tensor, height: Any, width: Any) -> Tensor:
    """The images padded with 0 to a larger size."""
    from kc.expr.constructors import all_of, compare, if_then_else

    return compute(
        (*source.shape[:2], height, width),
        lambda n, c, y, x: if_then_else(
            all_of(compare("lt", y, source.shape[2]), compare("lt", x, source.shape[3])),
            source(n, c, y, x),
            const(0.0, source.dtype),
        ),
        "tile_pad",
    )
