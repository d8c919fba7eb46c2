"""Products of sparse matrices: compressed rows (CSR), and rows of blocks (BSR).

A matrix is (data, indices, indptr): the elements of row ``i`` are those from ``indptr[i]`` to below
``indptr[i + 1]``, each in its column of ``indices``. Blocks have data (number, rows, columns).
Indices out of range are ignored, and nothing out of bounds is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, as_expr, const
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import is_float
from kc.expr.tensor import Tensor, shape_text
from kc.support.diagnostics import counted
from kc.te.autodiff.own_rules import with_rules
from kc.topi.arguments import constant, index_tensor, plus, same_size, tensor, times
from kc.topi.elementwise import as_wide, cast, is_narrow
from kc.topi.loops import Loops, written
from kc.topi.nn.dense import with_bias
from kc.topi.table import NUMBERS, check_tensor, operator, refuse


def _whole(value: Any) -> Expr:
    return convert(as_expr(value), "int64")


def _matrix(data: Any, indices: Any, indptr: Any, *ndims: int) -> tuple[Tensor, Tensor, Tensor]:
    check_tensor(data, "the data of the matrix", NUMBERS)
    if data.ndim not in ndims:
        raise refuse(
            "KC2302",
            f"the data of the matrix {data.name} of the shape {shape_text(data.shape)} has "
            f"{counted(data.ndim, 'dimension')}",
            f"it has {' or '.join(map(str, ndims))}: elements" + (", or blocks" * (3 in ndims)),
        )
    index_tensor(indices, "indices", 1)
    index_tensor(indptr, "indptr", 1)
    same_size(data, 0, indices, 0, "there is a column for each element")
    if isinstance(indptr.shape[0], int) and indptr.shape[0] < 1:
        raise refuse("KC2303", f"indptr {indptr.name} of the shape (0,)",
                     "it must have an element for each row, and one more")  # fmt: skip
    return data, indices, indptr


def _triple(a: Any) -> tuple[Tensor, Tensor, Tensor]:
    if not isinstance(a, list | tuple) or len(a) != 3:
        raise refuse(
            "KC2300",
            f"the matrix is {a!r}",
            "a sparse matrix must be (data, indices, indptr)",
            "(te.placeholder((nnz,)), te.placeholder((nnz,), 'int32'), "
            "te.placeholder((rows + 1,), 'int32'))",
        )
    return _matrix(*a, 1)


def _in_row(loops: Loops, indptr: Any, row: Any, count: Any, body: Any) -> None:
    """Call ``body`` with the numbers of a row's elements. Row bounds outside of the data are
    clamped.
    """
    length = _whole(count)
    begin = scalar.max(scalar.min(_whole(indptr[row]), length), const(0, "int64"))
    end = scalar.max(scalar.min(_whole(indptr[row + 1]), length), const(0, "int64"))
    with loops.ib.for_range(begin, end, name="e") as element:
        # The bounds are values of a tensor; each read repeats the condition that they are in range.
        with loops.ib.if_scope(all_of(_whole(element) >= 0, _whole(element) < length)):
            body(element)


def _rows(indptr: Tensor) -> Any:
    return plus(indptr.shape[0], -1)


def _times(
    matrix: tuple[Tensor, Tensor, Tensor], dense: Tensor, inner: int, name: str, dense_first: bool
) -> Tensor:
    """The product of the rows of a sparse matrix and the rows or columns of a dense one.

    ``inner`` is the dimension of ``dense`` that is summed over. With ``dense_first`` the result is
    (rows of dense, rows of sparse), else (rows of sparse, the other dimension of dense).
    """
    data, indices, indptr = matrix
    if is_float(data.dtype) and is_narrow(data.dtype):
        wider = as_wide(data), indices, indptr
        return cast(_times(wider, as_wide(dense), inner, name, dense_first), data.dtype)
    high, wide = (data.shape[1], data.shape[2]) if data.ndim == 3 else (1, 1)
    high, wide = constant(high, "the height of a block"), constant(wide, "the width of a block")
    outer = [n for n in range(dense.ndim) if n != inner]
    lines = [dense.shape[n] for n in outer]
    rows = times(_rows(indptr), high)
    shape = [*lines, rows] if dense_first else [rows, *lines]
    dtype = data.dtype

    shapes = {"data": data.shape, "dense": dense.shape, "product": tuple(shape)}

    def each(loops: Loops, columns: Any, begins: Any, act: Callable[..., None]) -> None:
        """Call ``act`` with the indices of each term in the data, the dense matrix and the
        product.
        """

        def row(r: Any) -> None:
            def element(e: Any) -> None:
                def term(y: Any, x: Any, *line: Any) -> None:
                    column = _whole(columns[e]) * wide + _whole(x)
                    size = _whole(dense.shape[inner])
                    with loops.ib.if_scope(all_of(column >= 0, column < size)):
                        place = [*line]
                        place.insert(inner, column)
                        at = (*line, r * high + y) if dense_first else (r * high + y, *line)
                        act({"data": (e, y, x) if data.ndim == 3 else e, "dense": tuple(place),
                             "product": at})  # fmt: skip

                loops.nest([high, wide, *lines], term, "p")

            _in_row(loops, begins, r, data.shape[0], element)

        loops.nest([_rows(indptr)], row, "r")

    def contracted(operand_name: str, factors: dict[str, Tensor], name: str) -> Tensor:
        """Sums of products of two of three factors: of the data and the dense matrix, the product;
        of one of these and the adjoint of the product, the adjoint of the other.
        """

        def body(loops: Loops) -> None:
            (columns, begins, *operands), (result,) = loops.ins, loops.outs
            values = dict(zip(factors, operands, strict=True))
            zero = const(0, dtype)
            loops.nest(shapes[operand_name], lambda *at: result.__setitem__(at, zero), "z")

            def add(at: dict[str, Any]) -> None:
                left, right = (values[key][at[key]] for key in factors)
                result[at[operand_name]] = result[at[operand_name]] + left * right

            each(loops, columns, begins, add)

        inputs = [indices, indptr, *factors.values()]
        result = written(name, [shapes[operand_name]], [dtype], inputs, body, "sparse_dense")[0]

        def rule(of: str) -> Callable[[Tensor], Tensor]:
            (rest,) = (key for key in factors if key != of)
            return lambda head: contracted(
                of, {operand_name: head, rest: factors[rest]}, f"{name}_grad"
            )

        rules = {factor: rule(key) for key, factor in factors.items()}
        return with_rules(result, rules) if is_float(dtype) else result

    return contracted("product", {"data": data, "dense": dense}, name)


_EXAMPLE = '(T(4), T(4, dtype="int32"), T(4, dtype="int32"))'


@operator("sparse_dense", NUMBERS, f"sparse.csrmv({_EXAMPLE}, T(5, 1))", takes="",
          gradient="own")  # fmt: skip
def csrmv(a: Any, x: Tensor, y: Tensor | None = None) -> Tensor:
    """The product (M, 1) of a matrix in compressed rows and a column (N, 1), plus ``y`` (M,).

    Raises KC2300 for an invalid (data, indices, indptr), KC2301 and KC2302 for types and ranks,
    KC2303 for sizes, KC2309 for indices of floats.
    """
    matrix = _triple(a)
    tensor(x, "x", 2, (matrix[0].dtype,))
    if isinstance(x.shape[1], int) and x.shape[1] != 1:
        raise refuse(
            "KC2303", f"x {x.name} of the shape {shape_text(x.shape)}", "the shape must be (N, 1)"
        )
    return with_bias(_times(matrix, x, 0, "csrmv", False), y, 0)


@operator("sparse_dense", NUMBERS, f"sparse.csrmm({_EXAMPLE}, T(5, 2))", takes="",
          gradient="own")  # fmt: skip
def csrmm(a: Any, b: Tensor, c: Tensor | None = None) -> Tensor:
    """The product (M, K) of a matrix in compressed rows and a dense one (N, K), plus ``c`` (M,).

    Raises the errors of :func:`csrmv`.
    """
    matrix = _triple(a)
    tensor(b, "b", 2, (matrix[0].dtype,))
    return with_bias(_times(matrix, b, 0, "csrmm", False), c, 0)


@operator("sparse_dense", NUMBERS, f"sparse.dense(T(2, 5), {_EXAMPLE})", takes="",
          gradient="own")  # fmt: skip
def dense(data: Any, weight: Any, bias: Tensor | None = None) -> Tensor:
    """``data @ weight.T + bias``, where one of the matrices is (data, indices, indptr).

    (M, K) and (N, K), as :func:`kc.topi.nn.dense`. Raises the errors of :func:`csrmv`.
    """
    if isinstance(data, list | tuple):
        matrix = _triple(data)
        tensor(weight, "weight", 2, (matrix[0].dtype,))
        return with_bias(_times(matrix, weight, 1, "sparse_dense", False), bias, 1)
    matrix = _triple(weight)
    tensor(data, "data", 2, (matrix[0].dtype,))
    return with_bias(_times(matrix, data, 1, "sparse_dense", True), bias, 1)


_PARTS = 'T(4), T(4, dtype="int32"), T(4, dtype="int32")'


@operator("sparse_dense", NUMBERS, f"sparse.sparse_dense(T(2, 5), {_PARTS})", gradient="own")
def sparse_dense(
    dense_data: Tensor, sparse_data: Tensor, sparse_indices: Tensor, sparse_indptr: Tensor,
    sparse_lhs: bool = False,
) -> Tensor:  # fmt: skip
    """``dense @ sparse.T``, or ``sparse @ dense.T`` with ``sparse_lhs``; rows, or rows of blocks.

    Raises the errors of :func:`csrmv`.
    """
    matrix = _matrix(sparse_data, sparse_indices, sparse_indptr, 1, 3)
    tensor(dense_data, "dense_data", 2, (matrix[0].dtype,))
    return _times(matrix, dense_data, 1, "sparse_dense", not sparse_lhs)


@operator("sparse_dense", NUMBERS, f"sparse.sparse_add(T(3, 5), {_PARTS})", gradient="own")
def sparse_add(
    dense_data: Tensor, sparse_data: Tensor, sparse_indices: Tensor, sparse_indptr: Tensor
) -> Tensor:
    """The sum of a matrix and one in compressed rows, which has as many rows (KC2303)."""
    data, indices, indptr = _matrix(sparse_data, sparse_indices, sparse_indptr, 1)
    tensor(dense_data, "dense_data", 2, (data.dtype,))
    rows, dense_rows = _rows(indptr), dense_data.shape[0]
    if isinstance(rows, int) and isinstance(dense_rows, int) and rows != dense_rows:
        raise refuse(
            "KC2303",
            f"dense_data {dense_data.name} of the shape {shape_text(dense_data.shape)} and indptr "
            f"{indptr.name} of the shape {shape_text(indptr.shape)}",
            f"indptr must have an element for each row, and one more: {dense_rows + 1}",
        )

    def each(loops: Loops, columns: Any, begins: Any, act: Callable[..., None]) -> None:
        """Call ``act`` with the row, the column and the number of each element within the
        matrix.
        """

        def row(r: Any) -> None:
            def element(e: Any) -> None:
                column = _whole(columns[e])
                inside = all_of(column >= 0, column < _whole(dense_data.shape[1]))
                with loops.ib.if_scope(all_of(inside, _whole(r) < _whole(dense_data.shape[0]))):
                    act(r, column, e)

            _in_row(loops, begins, r, data.shape[0], element)

        loops.nest([rows], row, "r")

    def body(loops: Loops) -> None:
        (dense, values, columns, begins), (result,) = loops.ins, loops.outs
        loops.nest(dense_data.shape, lambda *at: result.__setitem__(at, dense[at]), "c")
        each(loops, columns, begins, lambda r, column, e: result.__setitem__(
            (r, column), result[r, column] + values[e]
        ))  # fmt: skip

    inputs = [dense_data, data, indices, indptr]
    result = written("sparse_add", [dense_data.shape], [data.dtype], inputs, body)[0]

    def to_data(head: Tensor) -> Tensor:
        def read(loops: Loops) -> None:
            (flow, columns, begins), (flows,) = loops.ins, loops.outs
            loops.nest(data.shape, lambda e: flows.__setitem__(e, const(0, data.dtype)), "c")
            each(loops, columns, begins, lambda r, column, e: flows.__setitem__(
                e, flows[e] + flow[r, column]
            ))  # fmt: skip

        inputs = [head, indices, indptr]
        return written("sparse_add_grad", [data.shape], [data.dtype], inputs, read)[0]

    if is_float(data.dtype):
        with_rules(result, {dense_data: lambda head: head, data: to_data})
    return result


@operator("sparse_dense", NUMBERS, f"sparse.sparse_transpose({_PARTS})", gradient="own")
def sparse_transpose(
    sparse_data: Tensor, sparse_indices: Tensor, sparse_indptr: Tensor
) -> list[Tensor]:
    """(data, indices, indptr) of the transposed square matrix in compressed rows.

    Elements of a row of the result have the order of their columns. An element whose column is
    outside is left out; the rest of data and indices is 0 then.
    """
    data, indices, indptr = _matrix(sparse_data, sparse_indices, sparse_indptr, 1)
    kind, rows = indices.dtype, _rows(indptr)

    def each(
        loops: Loops, columns: Any, begins: Any, act: Callable[..., None],
        begun: Callable[[Any], None] = lambda following: None,
    ) -> None:  # fmt: skip
        """Call ``act`` with the row and the number of each element, and its number in the result.
        ``begun`` is called first, with the starts of the result's rows.
        """
        following = loops.ib.allocate("int64", (indptr.shape[0],), name="following")

        def every(count: Callable[..., None]) -> None:
            def row(r: Any) -> None:
                def element(e: Any) -> None:
                    column = _whole(columns[e])
                    with loops.ib.if_scope(all_of(column >= 0, column < _whole(rows))):
                        count(r, e, column)

                _in_row(loops, begins, r, data.shape[0], element)

            loops.nest([rows], row, "r")

        loops.nest([indptr.shape[0]],
                   lambda n: following.__setitem__(n, const(0, "int64")), "c")  # fmt: skip
        # How many elements a column has; then where each row of the result begins.
        every(lambda r, e, c: following.__setitem__(c + 1, following[c + 1] + 1))
        loops.nest([rows], lambda n: following.__setitem__(n + 1, following[n] + following[n + 1]),
                   "s")  # fmt: skip
        begun(following)

        def move(r: Any, e: Any, column: Any) -> None:
            place = following[column]
            # Overlapping rows have more elements than the buffer has places.
            with loops.ib.if_scope(place < _whole(data.shape[0])):
                act(r, e, place)
                following[column] = following[column] + 1

        every(move)

    def body(loops: Loops) -> None:
        (values, columns, begins), (new_values, new_columns, new_begins) = loops.ins, loops.outs

        def cleared(e: Any) -> None:
            new_values[e], new_columns[e] = const(0, data.dtype), const(0, kind)

        def begun(following: Any) -> None:
            loops.nest([indptr.shape[0]],
                       lambda n: new_begins.__setitem__(n, convert(following[n], indptr.dtype)),
                       "b")  # fmt: skip

        def move(r: Any, e: Any, place: Any) -> None:
            new_values[place] = values[e]
            new_columns[place] = convert(as_expr(r), kind)

        loops.nest([data.shape[0]], cleared, "c")
        each(loops, columns, begins, move, begun)

    def back(head: Tensor) -> Tensor:
        def moved_back(loops: Loops) -> None:
            (flow, columns, begins), (flows,) = loops.ins, loops.outs
            loops.nest([data.shape[0]],
                       lambda e: flows.__setitem__(e, const(0, data.dtype)), "c")  # fmt: skip
            each(loops, columns, begins,
                 lambda r, e, place: flows.__setitem__(e, flows[e] + flow[place]))  # fmt: skip

        inputs = [head, indices, indptr]
        return written("sparse_transpose_grad", [data.shape], [data.dtype], inputs, moved_back)[0]

    shapes = [data.shape, data.shape, indptr.shape]
    types = [data.dtype, kind, indptr.dtype]
    results = written("sparse_transpose", shapes, types, [data, indices, indptr], body)
    if is_float(data.dtype):
        with_rules(results[0], {data: back})
    return results
