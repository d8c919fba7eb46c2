"""Products of tensors of any rank: by axes, or by the letters of Einstein's sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, as_expr, compare, const, select
from kc.expr.constructors import cast as convert
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.support.diagnostics import counted
from kc.te.autodiff.own_rules import with_rules
from kc.te.computes import compute
from kc.topi.accumulation import accumulation
from kc.topi.arguments import agree, axis_of, is_size, plus, rank, same_size, tensor, whole
from kc.topi.elementwise import as_wide, cast, is_narrow
from kc.topi.loops import Loops, written
from kc.topi.table import NUMBERS, WORDS, check_tensor, operator, refuse


@operator(
    "matmul", NUMBERS, "matmul(T(4, 3), T(3, 5))", numpy="matmul", onnx="MatMul", torch="matmul",
    formula="sum_k a[i, k] * b[k, j]",
)  # fmt: skip
def matmul(
    a: Tensor,
    b: Tensor,
    transp_a: bool = False,
    transp_b: bool = False,
    acc_dtype: str | None = None,
) -> Tensor:
    """The product of matrices, as numpy's, each optionally transposed first.

    Tensors of more than two dimensions are batches of matrices in the last two, whose other
    dimensions are broadcast. A first tensor of one dimension is a row, a second one a column; the
    result lacks that dimension. Elements are multiplied and accumulated in ``acc_dtype``
    (:func:`kc.topi.accumulation.accumulation`), and the sums are rounded to the result's type.
    Raises KC2301 for different types, KC2302 for a tensor without dimensions, or a transposed one
    of one dimension, KC2303 for different inner dimensions or batches that cannot be broadcast.
    """
    tensor(b, "the second", None, (a.dtype,))
    for operand, what, transposed in ((a, "the first", transp_a), (b, "the second", transp_b)):
        if operand.ndim < (2 if transposed else 1):
            raise refuse(
                "KC2302",
                f"{what} {operand.name} of the shape {shape_text(operand.shape)} has "
                f"{counted(operand.ndim, 'dimension')}",
                "a transposed operand is a matrix, or a batch of them" if transposed else
                "an operand has 1 dimension or more",
            )  # fmt: skip
    lone_a, lone_b = a.ndim == 1, b.ndim == 1
    inner_a = a.ndim - (2 if transp_a else 1)
    inner_b = b.ndim - (1 if transp_b or lone_b else 2)
    same_size(a, inner_a, b, inner_b, "the dimension that is summed over is the same in both")
    batch = broadcast_batch(a, b)
    sums = accumulation(a.dtype, acc_dtype)
    k = reduce_axis((0, a.shape[inner_a]), name="k")

    def of_batch(x: Tensor, at: Sequence[Any]) -> list[Any]:
        """The place of a matrix of ``x`` at a place of the batch."""
        own = x.shape[:-2]
        last = at[len(batch) - len(own) : len(batch)]
        return [0 if is_size(size, 1) else n for size, n in zip(own, last, strict=True)]

    def body(*at: Any) -> Expr:
        row = [] if lone_a else [at[len(batch)]]
        column = [] if lone_b else [at[-1]]
        left = (k, *row) if transp_a else (*row, k)
        right = (*column, k) if transp_b else (k, *column)
        factor = sums.wide(a(*of_batch(a, at), *left))
        return scalar.sum(factor * sums.wide(b(*of_batch(b, at), *right)), axis=k)

    def of_matrices(i: Any, j: Any) -> Expr:
        return body(i, j)  # the axes of a product of two matrices have these names

    shape = [
        *batch,
        *([] if lone_a else [a.shape[a.ndim - (1 if transp_a else 2)]]),
        *([] if lone_b else [b.shape[b.ndim - (2 if transp_b else 1)]]),
    ]
    element = of_matrices if a.ndim == b.ndim == 2 else body
    return sums.rounded(compute(shape, element, "T_matmul", tag="matmul"))


def broadcast_batch(a: Tensor, b: Tensor) -> list[Any]:
    """The dimensions in front of the last two, broadcast (KC2303)."""
    of_a, of_b = list(a.shape[:-2]), list(b.shape[:-2])
    count = max(len(of_a), len(of_b))
    of_a, of_b = [1] * (count - len(of_a)) + of_a, [1] * (count - len(of_b)) + of_b
    batch: list[Any] = []
    for left, right in zip(of_a, of_b, strict=True):
        if not is_size(left, 1) and not is_size(right, 1) and not agree(left, right):
            raise refuse(
                "KC2303",
                f"{a.name} of the shape {shape_text(a.shape)} and {b.name} of the shape "
                f"{shape_text(b.shape)}",
                f"the batches {shape_text(a.shape[:-2])} and {shape_text(b.shape[:-2])} cannot be "
                "broadcast",
                "from the right, dimensions in front of the last two are equal, or 1",
            )
        batch.append(right if is_size(left, 1) else left)
    return batch


def _pairs(a: Tensor, b: Tensor, axes: Any) -> tuple[list[int], list[int]]:
    """The axes of each operand that are contracted."""
    if isinstance(axes, list | tuple) and len(axes) == 2:
        of_a, of_b = (list(part) if isinstance(part, list | tuple) else [part] for part in axes)
    else:
        count = whole(axes, "axes")
        if not 0 <= count <= min(a.ndim, b.ndim):
            raise refuse(
                "KC2304",
                f"the last {count} axes of {a.name} {shape_text(a.shape)} and the first of "
                f"{b.name} {shape_text(b.shape)}",
                f"there are 0 to {min(a.ndim, b.ndim)} of both",
            )
        of_a, of_b = list(range(a.ndim - count, a.ndim)), list(range(count))
    if len(of_a) != len(of_b):
        raise refuse(
            "KC2311",
            f"axes has {counted(len(of_a), 'axis', 'axes')} of the first and "
            f"{counted(len(of_b), 'axis', 'axes')} of the second",
            "the lists must have the same length, because axes are summed over in pairs",
        )
    of_a = [axis_of(axis, a.ndim, "an axis of the first") for axis in of_a]
    of_b = [axis_of(axis, b.ndim, "an axis of the second") for axis in of_b]
    for what, axes_of_operand in (("first", of_a), ("second", of_b)):
        if len({*axes_of_operand}) != len(axes_of_operand):
            raise refuse(
                "KC2305",
                f"the axes {axes_of_operand} of the {what}",
                "each axis may be listed once",
            )
    return of_a, of_b


@operator("tensordot", NUMBERS, "tensordot(T(2, 3, 4), T(3, 4, 5), 2)", numpy="tensordot",
          torch="tensordot")  # fmt: skip
def tensordot(a: Tensor, b: Tensor, axes: Any = 2, acc_dtype: str | None = None) -> Tensor:
    """The sum of products over pairs of axes; the result has the other axes of ``a``, then ``b``.

    ``axes`` is a number (the last axes of ``a`` with the first of ``b``), or a list for each. Types
    are those of :func:`matmul`. Raises KC2301 for different types, KC2303 for pairs of different
    sizes, KC2304 and KC2305 for axes that do not exist or repeat, KC2311 for lists of different
    lengths.
    """
    tensor(b, "the second", None, (a.dtype,))
    of_a, of_b = _pairs(a, b, axes)
    for left, right in zip(of_a, of_b, strict=True):
        same_size(a, left, b, right, "a pair of axes is equally long")
    sums = accumulation(a.dtype, acc_dtype)
    loops = [reduce_axis((0, a.shape[axis]), name=f"k{n}") for n, axis in enumerate(of_a)]
    free_a = [n for n in range(a.ndim) if n not in of_a]
    free_b = [n for n in range(b.ndim) if n not in of_b]

    def body(*at: Any) -> Expr:
        place_a = dict(zip((*free_a, *of_a), (*at[: len(free_a)], *loops), strict=True))
        place_b = dict(zip((*free_b, *of_b), (*at[len(free_a) :], *loops), strict=True))
        left = sums.wide(a(*(place_a[n] for n in range(a.ndim))))
        value = left * sums.wide(b(*(place_b[n] for n in range(b.ndim))))
        return scalar.sum(value, axis=loops) if loops else value

    shape = [*(a.shape[n] for n in free_a), *(b.shape[n] for n in free_b)]
    return sums.rounded(compute(shape, body, "T_tensordot", tag="matmul"))


@operator("det", WORDS, "det(T(2, 3, 3))", numpy="linalg.det", onnx="Det",
          torch="linalg.det", gradient="own")  # fmt: skip
def det(data: Tensor) -> Tensor:
    """The determinants (...) of square matrices (..., N, N); 1 for matrices without elements.

    They are computed by elimination with partial pivoting, in float32 or wider. Raises KC2302 for
    fewer than 2 dimensions, KC2303 for matrices that are not square.
    """
    if data.ndim < 2:
        rank(data, "data", 2, 3, 4)
    if not agree(data.shape[-2], data.shape[-1]):
        raise refuse("KC2303", f"{data.name} of the shape {shape_text(data.shape)}",
                     "matrices must be square: the last two dimensions must be equal")  # fmt: skip
    if is_narrow(data.dtype):
        return cast(det(as_wide(data)), data.dtype)
    count, kind = data.shape[-1], data.dtype

    def body(loops: Loops) -> None:
        ib, (source,), (result,) = loops.ib, loops.ins, loops.outs
        rows = ib.allocate(kind, (count, count), name="rows")

        def matrix(*at: Any) -> None:
            value, best = loops.variable(kind, "value"), loops.variable("int32", "best")
            factor = loops.variable(kind, "kept")
            value[0] = const(1.0, kind)
            loops.nest([count, count], lambda i, j: rows.__setitem__((i, j), source[(*at, i, j)]))
            with ib.for_range(0, count, name="k") as k:
                best[0] = convert(as_expr(k), "int32")
                with ib.for_range(k + 1, count, name="i") as i:
                    larger = scalar.abs(rows[i, k]) > scalar.abs(rows[best[0], k])
                    with ib.if_scope(larger):
                        best[0] = convert(as_expr(i), "int32")
                with ib.if_scope(best[0] > convert(as_expr(k), "int32")):
                    value[0] = -value[0]
                    with ib.for_range(0, count, name="j") as j:
                        factor[0] = rows[k, j]
                        rows[k, j] = rows[best[0], j]
                        rows[best[0], j] = factor[0]
                value[0] = value[0] * rows[k, k]
                with ib.if_scope(compare("ne", rows[k, k], const(0.0, kind))):
                    with ib.for_range(k + 1, count, name="i") as i:
                        factor[0] = rows[i, k] / rows[k, k]
                        with ib.for_range(k + 1, count, name="j") as j:
                            rows[i, j] = rows[i, j] - factor[0] * rows[k, j]
            result[at] = value[0]

        loops.nest(data.shape[:-2], matrix, "b")

    result = written("det", [data.shape[:-2]], [kind], [data], body)[0]
    return with_rules(result, {data: lambda head: _cofactors(data, head)})


def _cofactors(data: Tensor, head: Tensor) -> Tensor:
    """The cofactors of square matrices, which are the slopes of their determinants, times ``head``.

    By elimination with the largest of all elements that are left in front, so that only the last
    pivot of a matrix of rank N - 1 is 0: with ``p`` the product of the others, ``d`` the last one,
    and U = [[V, v], [0, d]], the adjugate of U is [[d p inv(V), -p inv(V) v], [0, p]], which needs
    no division by ``d``. Of smaller ranks all cofactors are 0.
    """
    count, kind = data.shape[-1], data.dtype
    zero, unit = const(0.0, kind), const(1.0, kind)
    last = convert(as_expr(plus(count, -1)), "int32")

    def body(loops: Loops) -> None:
        ib, (source, flow), (result,) = loops.ib, loops.ins, loops.outs
        rows = ib.allocate(kind, (count, count), name="rows")
        of_row = ib.allocate("int32", (count,), name="of_row")
        of_column = ib.allocate("int32", (count,), name="of_column")
        line = ib.allocate(kind, (count,), name="line")
        product, scratch = loops.variable(kind, "product"), loops.variable(kind, "kept")
        best, place = loops.variable("int32", "best"), loops.variable("int32", "place")
        number = loops.variable("int32", "number")

        def swap(buffer: Any, first: Any, second: Any, value: Any) -> None:
            value[0] = buffer[first]
            buffer[first] = buffer[second]
            buffer[second] = value[0]

        def eliminate(k: Any) -> None:
            own = convert(as_expr(k), "int32")
            best[0], place[0] = own, own
            with ib.for_range(k, count, name="i") as i, ib.for_range(k, count, name="j") as j:
                with ib.if_scope(scalar.abs(rows[i, j]) > scalar.abs(rows[best[0], place[0]])):
                    best[0], place[0] = convert(as_expr(i), "int32"), convert(as_expr(j), "int32")
            for chosen, order in ((best, of_row), (place, of_column)):
                with ib.if_scope(chosen[0] > own):
                    product[0] = -product[0]
                    swap(order, k, chosen[0], number)
                    with ib.for_range(0, count, name="j") as j:
                        if order is of_row:
                            swap(rows, (k, j), (chosen[0], j), scratch)
                        else:
                            swap(rows, (j, k), (j, chosen[0]), scratch)
            with ib.if_scope(compare("ne", rows[k, k], zero)):
                with ib.for_range(k + 1, count, name="i") as i:
                    rows[i, k] = rows[i, k] / rows[k, k]
                    with ib.for_range(k + 1, count, name="j") as j:
                        rows[i, j] = rows[i, j] - rows[i, k] * rows[k, j]
            with ib.if_scope(own < last):
                product[0] = product[0] * rows[k, k]

        def column(m: Any, at: Sequence[Any]) -> None:
            """A column of the adjugate: of the unit vector ``m``, through L, then through U."""
            with ib.for_range(0, count, name="i") as i:
                line[i] = select(compare("eq", as_expr(i), as_expr(m)), unit, zero)
                with ib.for_range(0, i, name="j") as j:
                    line[i] = line[i] - rows[i, j] * line[j]
            scratch[0] = line[last]
            line[last] = product[0] * scratch[0]
            with ib.for_range(0, last, name="n") as n:
                row = last - 1 - n
                line[row] = line[row] * rows[last, last] - rows[row, last] * scratch[0]
                with ib.for_range(row + 1, last, name="j") as j:
                    line[row] = line[row] - rows[row, j] * line[j]
                line[row] = line[row] / rows[row, row]
            with ib.for_range(0, count, name="i") as i:
                value = select(convert(as_expr(i), "int32") < last, line[i] * product[0], line[i])
                result[(*at, of_row[m], of_column[i])] = value * flow[tuple(at)]

        def matrix(*at: Any) -> None:
            def start(i: Any, j: Any) -> None:
                rows[i, j] = source[(*at, i, j)]
                result[(*at, i, j)] = zero

            loops.nest([count, count], start)
            with ib.for_range(0, count, name="i") as i:
                of_row[i], of_column[i] = convert(as_expr(i), "int32"), convert(as_expr(i), "int32")
            product[0] = unit
            with ib.for_range(0, count, name="k") as k:
                eliminate(k)
            with ib.if_scope(compare("ne", product[0], zero)):
                with ib.for_range(0, count, name="m") as m:
                    column(m, at)

        loops.nest(data.shape[:-2], matrix, "b")

    return written("det_grad", [data.shape], [kind], [data, head], body)[0]


_REST = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _subscripts(text: Any, operands: Sequence[Tensor]) -> tuple[list[list[str]], list[str]]:
    """The letters of each operand and of the result; "0", "1", ... are the axes of the ellipsis,
    counted from the last one."""

    def bad(why: str, message: str = f"the subscripts {text!r}") -> Exception:
        return refuse(
            "KC2318", message, why, 'such as "ii", "...ij,...j", "ij,jk->ik", as numpy reads them'
        )

    if not isinstance(text, str):
        raise bad("they are a text of letters")
    plain = text.replace(" ", "")
    left, arrow, right = plain.partition("->")
    terms = left.split(",")
    for term in (*terms, right):
        rest = term.replace("...", "", 1)
        if not all(letter in _REST for letter in rest):
            raise bad("there are letters, one ellipsis for each operand, commas, and one arrow")
    if len(terms) != len(operands):
        raise bad(
            f"there are subscripts for {counted(len(terms), 'operand')}",
            f"the subscripts {text!r} for {counted(len(operands), 'operand')}",
        )
    letters: list[list[str]] = []
    longest = 0
    for term, operand in zip(terms, operands, strict=True):
        named = len(term.replace("...", ""))
        extra = operand.ndim - named
        if extra < 0 or (extra and "..." not in term):
            raise bad(
                f"{operand.name} of the shape {shape_text(operand.shape)} has "
                f"{counted(operand.ndim, 'dimension')}, {term!r} names {named}"
            )
        head, _, tail = term.partition("...")
        longest = max(longest, extra if "..." in term else 0)
        inner = [str(n) for n in reversed(range(extra))] if "..." in term else []
        letters.append([*head, *inner, *tail])
    rest_axes = [str(n) for n in reversed(range(longest))]
    every = "".join(terms).replace(".", "")
    if not arrow:
        return letters, [*rest_axes, *sorted(c for c in {*every} if every.count(c) == 1)]
    named = right.replace("...", "")
    strange = next((c for c in named if c not in every or named.count(c) > 1), None)
    if strange is not None:
        raise bad(f"the result names {strange!r}, which is to be in an operand, and named once")
    if rest_axes and "..." not in right:
        raise bad("an operand has axes in an ellipsis, the result has none")
    head, _, tail = right.partition("...")
    return letters, [*head, *(rest_axes if "..." in right else []), *tail]


@operator("einsum", NUMBERS, 'einsum("ij,jk->ik", T(2, 3), T(3, 4))', takes="", numpy="einsum",
          onnx="Einsum", torch="einsum")  # fmt: skip
def einsum(subscripts: str, *operands: Any, acc_dtype: str | None = None) -> Tensor:
    """The sum of products in Einstein's notation, as numpy's.

    Letters name the axes of each operand. An axis that the result omits is summed over; a letter
    that repeats in an operand takes its diagonal. Without an arrow the result has the letters that
    occur once, in alphabetical order. An ellipsis denotes the remaining axes, which are broadcast.
    Types are those of :func:`matmul`. Raises KC2300 and KC2301 for operands that are not tensors of
    a common type, KC2303 for different sizes of a letter, KC2318 for invalid subscripts.
    """
    listed = (
        operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    )
    if not listed:
        raise refuse("KC2300", "there is no operand", "einsum needs one or more tensors")
    first = check_tensor(listed[0], "operand 0", NUMBERS)
    tensors = [check_tensor(item, f"operand {n}", (first.dtype,)) for n, item in enumerate(listed)]
    letters, result = _subscripts(subscripts, tensors)
    sizes: dict[str, tuple[Any, Tensor]] = {}
    for operand, own in zip(tensors, letters, strict=True):
        for n, letter in enumerate(own):
            size = operand.shape[n]
            earlier, holder = sizes.get(letter, (size, operand))
            stretched = letter.isdigit() and (is_size(size, 1) or is_size(earlier, 1))
            if not stretched and not agree(earlier, size):
                raise refuse(
                    "KC2303",
                    f"{holder.name} of the shape {shape_text(holder.shape)} and {operand.name} of "
                    f"the shape {shape_text(operand.shape)} in {subscripts!r}",
                    f"{'the ellipsis' if letter.isdigit() else letter} is {earlier} and {size}",
                )
            sizes[letter] = (size, operand) if is_size(earlier, 1) else (earlier, holder)
    sums = accumulation(first.dtype, acc_dtype)
    summed = [letter for letter in sizes if letter not in result]
    loops = [reduce_axis((0, sizes[letter][0]), name=f"k{n}") for n, letter in enumerate(summed)]

    def body(*at: Any) -> Expr:
        place = dict(zip((*result, *summed), (*at, *loops), strict=True))
        value: Expr | None = None
        for operand, own in zip(tensors, letters, strict=True):
            element = operand(
                *(0 if c.isdigit() and is_size(operand.shape[n], 1) else place[c]
                  for n, c in enumerate(own))
            )  # fmt: skip
            element = sums.wide(element)
            value = element if value is None else value * element
        assert value is not None
        return scalar.sum(value, axis=loops) if loops else value

    shape = [sizes[letter][0] for letter in result]
    return sums.rounded(compute(shape, body, "T_einsum", tag="matmul"))
