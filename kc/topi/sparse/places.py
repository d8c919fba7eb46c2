"""Lists of the places of elements (COO): rows of indices, one for each element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kc.expr.constructors import Expr, all_of, as_expr, compare, const, select
from kc.expr.constructors import cast as convert
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, shape_text
from kc.te.autodiff.own_rules import with_rules
from kc.te.computes import compute
from kc.topi.arguments import constant, index_tensor, listed, number, plus, same_size, tensor, whole
from kc.topi.loops import Loops, written
from kc.topi.table import INTEGERS, OF_INTEGERS, operator, refuse


def _sizes(shape: Any, what: str) -> list[int]:
    listed = list(shape) if isinstance(shape, list | tuple) else [shape]
    sizes = [whole(size, what) for size in listed]
    if not sizes:
        raise refuse("KC2311", f"{what} has no numbers", "it must have a size for each dimension")
    return sizes


def _rows_of(indices: Tensor, rank: int, what: str) -> None:
    """Raise KC2302, KC2303 or KC2309 unless the tensor consists of rows of ``rank`` indices."""
    index_tensor(indices, "sparse_indices", 2)
    if constant(indices.shape[1], "the rank") != rank:
        raise refuse(
            "KC2303",
            f"sparse_indices {indices.name} of the shape {shape_text(indices.shape)}",
            f"a row must have an index for each dimension of {what}: {rank}",
        )


@operator(
    INJECTIVE, INTEGERS, 'sparse.sparse_reshape(T(3, 2, dtype="int64"), (4, 6), (2, -1))',
    gradient=OF_INTEGERS,
)  # fmt: skip
def sparse_reshape(
    sparse_indices: Tensor, prev_shape: Any, new_shape: Any, new_sparse_indices_shape: Any = None,
    new_shape_shape: Any = None,
) -> list[Tensor]:  # fmt: skip
    """[the indices (K, new rank) of elements in ``new_shape``, the shape (new rank,)].

    ``prev_shape`` is the shape of the indices (K, rank); both shapes are constant. One size of
    ``new_shape`` may be -1, and is then computed. TVM's last two arguments, the shapes of the
    results, are computed here. Raises KC2302, KC2303 and KC2309 for invalid indices, KC2303 for
    shapes with different numbers of elements, KC2306 for negative sizes.
    """
    for value, what in (
        (new_sparse_indices_shape, "new_sparse_indices_shape"),
        (new_shape_shape, "new_shape_shape"),
    ):
        if value is not None:  # TVM's programs pass sizes that follow from the other arguments
            [whole(size, what) for size in listed(value, what)]
    old, new = _sizes(prev_shape, "prev_shape"), _sizes(new_shape, "new_shape")
    _rows_of(sparse_indices, len(old), "prev_shape")
    if any(size < 0 for size in old) or any(size < -1 for size in new) or new.count(-1) > 1:
        raise refuse("KC2306", f"prev_shape is {tuple(old)}, new_shape is {tuple(new)}",
                     "sizes must be at least 0; one of new_shape may be -1")  # fmt: skip
    total, rest = 1, 1
    for size in old:
        total *= size
    for size in new:
        rest *= size if size >= 0 else 1
    if -1 in new and rest and total % rest == 0:
        new[new.index(-1)] = total // rest
    elif rest != total:
        raise refuse("KC2303", f"prev_shape {tuple(old)} to new_shape {tuple(new)}",
                     f"it has {total} elements")  # fmt: skip
    kind = sparse_indices.dtype

    def body(k: Any, column: Any) -> Expr:
        flat: Any = const(0, "int64")
        for n, size in enumerate(old):
            flat = flat * max(size, 1) + convert(sparse_indices(k, n), "int64")
        places: list[Expr] = []
        for size in reversed(new):
            places.insert(0, flat % max(size, 1))
            flat = flat // max(size, 1)
        value = places[0]
        for n in range(1, len(new)):
            value = select(column.equal(n), places[n], value)
        return convert(value, kind)

    def size_at(n: Any) -> Expr:
        value: Expr = const(new[0], kind)
        for m, size in enumerate(new[1:], 1):
            value = select(n.equal(m), const(size, kind), value)
        return value

    shape = (sparse_indices.shape[0], len(new))
    return [
        compute(shape, body, "sparse_reshape", tag=INJECTIVE),
        compute((len(new),), size_at, "sparse_shape", tag=INJECTIVE),
    ]


@operator(
    "scatter", INTEGERS,
    'sparse.sparse_fill_empty_rows(T(3, 2, dtype="int64"), T(3), (4, 5), 0.5)', gradient="own",
)  # fmt: skip
def sparse_fill_empty_rows(
    sparse_indices: Tensor, sparse_values: Tensor, dense_shape: Sequence[int], default_value: Any
) -> list[Tensor]:
    """Elements (K,) at indices (K, rank), with ``default_value`` in the first column of empty rows.

    [indices (K + rows, rank), values (K + rows,), flags of the rows that were empty (rows,), the
    number of elements (1,)]: only that many are valid, the others are 0. Rows are in order; the
    elements of a row keep their order. Elements with a row outside of ``dense_shape`` are omitted.
    ``default_value`` is a number, or a tensor without dimensions of the type of the values. Raises
    KC2302, KC2303 and KC2309 for invalid indices, KC2306 for a negative size.
    """
    sizes = _sizes(dense_shape, "dense_shape")
    if any(size < 0 for size in sizes):
        raise refuse("KC2306", f"dense_shape is {tuple(sizes)}", "sizes must be at least 0")
    _rows_of(sparse_indices, len(sizes), "dense_shape")
    tensor(sparse_values, "sparse_values", 1)
    same_size(sparse_indices, 0, sparse_values, 0, "there is a value for each place")
    rows, depth, count = sizes[0], len(sizes), sparse_indices.shape[0]
    kind, fills, fill = sparse_indices.dtype, [], 0
    if isinstance(default_value, Tensor):
        fills = [tensor(default_value, "default_value", 0, (sparse_values.dtype,))]
    else:
        fill = number(default_value, sparse_values.dtype)

    length = plus(count, rows)

    def each(
        loops: Loops, places: Any, total: Any, empty: Callable[[Any], tuple[Any, Any]],
        keep: Callable[[Any], None], fill_row: Callable[[Any], None],
    ) -> None:  # fmt: skip
        """Call ``keep`` for the elements of each row, or ``fill_row`` for an empty row; ``total``
        counts the elements of the result. ``empty`` returns the buffer and the index that flag an
        empty row.
        """
        ib = loops.ib
        total[0] = const(0)

        def row(r: Any) -> None:
            noted, n = empty(r)
            noted[n] = const(True)

            def element(k: Any) -> None:
                own = convert(places[k, 0], "int64").equal(convert(as_expr(r), "int64"))
                # Each element has one row, so the result has room for all; the bound repeats this
                # fact.
                room = compare("lt", total[0], convert(as_expr(length), "int32"))
                with ib.if_scope(all_of(own, room)):
                    keep(k)
                    noted[n] = const(False)
                    total[0] = total[0] + 1

            loops.nest([count], element, "k")
            with ib.if_scope(noted[n]):
                fill_row(r)
                total[0] = total[0] + 1

        loops.nest([rows], row, "r")

    def body(loops: Loops) -> None:
        ib, (places, values, *defaults) = loops.ib, loops.ins
        new_places, new_values, empty, total = loops.outs

        def clear(k: Any) -> None:
            new_values[k] = const(0, sparse_values.dtype)
            with ib.for_range(0, depth, name="d") as d:
                new_places[k, d] = const(0, kind)

        def keep(k: Any) -> None:
            with ib.for_range(0, depth, name="d") as d:
                new_places[total[0], d] = places[k, d]
            new_values[total[0]] = values[k]

        def fill_row(r: Any) -> None:
            new_places[total[0], 0] = convert(as_expr(r), kind)
            new_values[total[0]] = defaults[0][()] if defaults else fill

        loops.nest([length], clear, "c")
        each(loops, places, total, lambda r: (empty, r), keep, fill_row)

    def back(head: Tensor) -> Tensor:
        def moved_back(loops: Loops) -> None:
            (places, flow), (flows,) = loops.ins, loops.outs
            total, empty = loops.variable("int32", "total"), loops.variable("bool", "empty")
            zero = const(0, sparse_values.dtype)
            loops.nest([count], lambda k: flows.__setitem__(k, zero), "c")
            each(loops, places, total, lambda r: (empty, 0),
                 lambda k: flows.__setitem__(k, flow[total[0]]), lambda r: None)  # fmt: skip

        inputs, shapes = [sparse_indices, head], [sparse_values.shape]
        return written("fill_grad", shapes, [sparse_values.dtype], inputs, moved_back)[0]

    shapes = [(length, depth), (length,), (rows,), (1,)]
    kinds = [kind, sparse_values.dtype, "bool", "int32"]
    inputs = [sparse_indices, sparse_values, *fills]
    results = written("fill_empty_rows", shapes, kinds, inputs, body)
    with_rules(results[1], {sparse_values: back})
    return results
