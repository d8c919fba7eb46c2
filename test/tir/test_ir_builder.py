"""tir.decl_buffer, tir.ir_builder and tir.PrimFunc against numpy; and every refusal."""

from typing import Any

import numpy as np
import pytest
from script_checks import execute, floats, refused

import kc
from kc import te, tir
from kc.error import TEError
from kc.support.diagnostics import diagnostic_handler

a8 = tir.decl_buffer((8,), name="A")
b8 = tir.decl_buffer((8,), name="B")


def test_buffers_are_as_declared():
    n = te.var("n")
    buffer = tir.decl_buffer((n, 4), "int32", "A", scope="shared")
    assert (buffer.name, buffer.dtype, buffer.ndim, buffer.scope()) == ("A", "int32", 2, "shared")
    assert buffer.shape[0] is n
    assert tir.decl_buffer((3, 4)).strides == (4, 1)
    assert tir.decl_buffer((3, 4), strides=(4, 1)).name == "buffer"
    assert tir.decl_buffer((n, 4), strides=[4, 1]).elem_offset == 0
    assert tir.decl_buffer((n, 4), elem_offset=te.var("o"), offset_factor=4).elem_offset == 0
    assert tir.decl_buffer((2, n, 4), strides=(n * 4, 4, 1)).data.ndim == 3
    assert tir.decl_buffer((), "float64").shape == ()


def test_loops_conditions_and_memory():
    n = te.var("n")
    a, b = tir.decl_buffer((n,), name="A"), tir.decl_buffer((n,), name="B")
    ib = tir.ir_builder.create()
    A, B = ib.buffer_ptr(a), ib.buffer_ptr(b)
    with ib.for_range(0, n, name="i", kind="parallel") as i:
        t = ib.allocate("float32", 1, name="t")
        t[0] = A[i] * 2.0
        with ib.if_scope(ib.likely(i < 4)):
            B[i] = t[0]
        with ib.else_scope():
            with ib.if_scope(A[i] > 0):
                B[i] = A[i]
            with ib.else_scope():
                B[i] = 0.0
    kernel = tir.PrimFunc([a, b], ib.get(), "relu")
    assert list(kernel.functions) == ["relu"]
    x = floats(19)
    wanted = np.where(np.arange(19) < 4, x * 2, np.maximum(x, 0))
    np.testing.assert_array_equal(execute(kernel, x, np.empty_like(x))[1], wanted)


def test_a_product_of_matrices_can_be_scheduled():
    a, b, c = (tir.decl_buffer((12, 12), name=name) for name in "ABC")
    ib = tir.ir_builder.create()
    A, B, C = map(ib.buffer_ptr, (a, b, c))
    with ib.for_range(0, 12, name="i") as i, ib.for_range(0, 12, name="j") as j:
        C[i, j] = 0.0
        with ib.for_range(0, 12, name="k") as k:
            C[i, j] = C[i, j] + A[i, k] * B[k, j]
    kernel = tir.PrimFunc([a, b, c], ib.get())
    x, y = floats(12, 12), floats(12, 12) + 1
    z = np.empty_like(x)
    np.testing.assert_array_equal(execute(kernel, x, y, z)[2], x @ y)
    sch = tir.Schedule(kernel)
    i, j, k = sch.get_loops(sch.get_block("C_1"))
    sch.split(k, [None, 4])
    sch.parallel(i)
    np.testing.assert_array_equal(execute(sch, x, y, z)[2], x @ y)


def test_loops_from_other_starts():
    n = te.var("n")
    a, b, p = (
        tir.decl_buffer((n,), name="A"),
        tir.decl_buffer((n,), name="B"),
        tir.decl_buffer((2,), "int32", name="P"),
    )
    ib = tir.ir_builder.create()
    A, B, P = map(ib.buffer_ptr, (a, b, p))
    with ib.for_range(0, n) as i:
        B[i] = -1.0
    with ib.for_range(1, n, name="i") as i:
        B[i] = A[i - 1]
    # The bounds are those of before the loop, whatever it stores.
    with ib.for_range(P[0], P[1], name="j") as j:
        P[0] = 0
        B[j] = A[j] + 100.0
    kernel = tir.PrimFunc([a, b, p], ib.get())
    x, bounds = floats(10), np.array([3, 6], np.int32)
    wanted = np.concatenate([[-1], x[:-1]]).astype(np.float32)
    wanted[3:6] = x[3:6] + 100
    np.testing.assert_array_equal(execute(kernel, x, np.empty_like(x), bounds)[1], wanted)


def test_gathers_and_scatters():
    p, a, b = (
        tir.decl_buffer((8,), "int32", "P"),
        tir.decl_buffer((8,), name="A"),
        tir.decl_buffer((8,), name="B"),
    )

    def scatter(unsafe: bool) -> tir.PrimFunc:
        ib = tir.ir_builder.create()
        P, A, B = map(ib.buffer_ptr, (p, a, b))
        with ib.for_range(0, 8, kind="parallel", unsafe=unsafe) as i:
            B[P[i]] = A[P[P[i]]]
        return tir.PrimFunc([p, a, b], ib.get())

    with pytest.raises(kc.KCError, match="KC3041"):
        scatter(unsafe=False)
    kernel = scatter(unsafe=True)
    assert "kc.unsafe" in str(kernel)
    order, x = np.array([3, 1, 4, 0, 5, 7, 2, 6], np.int32), floats(8)
    wanted = np.empty_like(x)
    wanted[order] = x[order[order]]
    np.testing.assert_array_equal(execute(kernel, order, x, np.empty_like(x))[2], wanted)


def test_let_is_computed_once_where_it_stands():
    ib = tir.ir_builder.create()
    A, B = ib.buffer_ptr(a8), ib.buffer_ptr(b8)
    with ib.for_range(0, 8) as i:
        old = ib.let("old", A[i])
        A[i] = 0.0
        B[i] = old * old
    x = floats(8)
    after, squares = execute(tir.PrimFunc([a8, b8], ib.get()), x, np.empty_like(x))
    np.testing.assert_array_equal(after, 0 * x)
    np.testing.assert_array_equal(squares, x * x)


def test_scalars_and_pointers_are_parameters():
    n, scale = te.var("n"), te.var("scale", "float32")
    ib = tir.ir_builder.create()
    A = ib.pointer("float32", "A")
    with ib.for_range(0, n) as i:
        A[i] = A[i] * scale + i
    kernel = tir.PrimFunc([A.asobject(), n, scale], ib.get())
    x = floats(9)
    wanted = np.concatenate([x[:5] * 3 + np.arange(5), x[5:]])
    np.testing.assert_array_equal(execute(kernel, x, 5, 3.0)[0], wanted)


def test_threads():
    ib = tir.ir_builder.create()
    A, B = ib.buffer_ptr(a8), ib.buffer_ptr(b8)
    bx, tx = te.thread_axis("blockIdx.x"), te.thread_axis("threadIdx.x")
    ib.scope_attr(bx, "thread_extent", 2)
    ib.scope_attr(tx, "thread_extent", 4)
    shared = ib.allocate("float32", (4,), name="tile", scope="shared")
    shared[tx] = A[bx * 4 + tx]
    # All threads have stored: they run in lockstep.
    B[bx * 4 + tx] = shared[3 - tx]
    kernel = tir.PrimFunc([a8, b8], ib.get())
    assert 'tir.for %threadIdx_x in 4 thread "threadIdx.x"' in str(kernel)
    assert 'memref<4xf32, "shared">' in str(kernel)
    x = floats(8)
    wanted = x.reshape(2, 4)[:, ::-1].reshape(8)
    results = execute(kernel, x, np.empty_like(x), native=False)
    np.testing.assert_array_equal(results[1], wanted)


def test_kinds_and_pragmas_are_those_of_the_loops():
    ib = tir.ir_builder.create()
    A = ib.buffer_ptr(a8)
    with ib.for_range(0, 2, name="i", kind="unroll") as i:
        with ib.for_range(0, 4, name="j", kind="vectorize") as j:
            ib.scope_attr(j, "pragma_note", 3)
            A[i * 4 + j] = 1.0
    with ib.for_range(0, 8, dtype="int64") as i:
        ib.emit(ib_of_another_builder(i))
    text = str(tir.PrimFunc([a8], ib.get()))
    assert "tir.for %i in 2 unrolled {" in text
    assert "tir.for %j in 4 vectorized annotations {pragma_note = 3 : i64} {" in text


def ib_of_another_builder(i: Any) -> object:
    ib = tir.ir_builder.create()
    ib.buffer_ptr(a8)[i] = 2.0
    return ib.get()


def test_the_function_has_a_name():
    ib = tir.ir_builder.create()
    ib.buffer_ptr(a8)[0] = 2.0
    kernel = tir.PrimFunc([a8], ib.get()).with_attr("global_symbol", "set_first")
    assert list(kernel.with_attr("tir.noalias", True).functions) == ["set_first"]


def test_locations_are_the_lines_of_python():
    ib = tir.ir_builder.create()
    A, B = ib.buffer_ptr(a8), ib.buffer_ptr(b8)
    with ib.for_range(0, 7, kind="parallel") as i:  # this line
        A[i + 1] = A[i]

    def make() -> None:
        tir.PrimFunc([a8], ib.get())

    with pytest.raises(kc.KCError) as caught:
        make()
    assert "with ib.for_range(0, 7" in caught.value.location.source_line()  # pyright: ignore[reportOptionalMemberAccess]
    assert B.dtype == "float32"


# Refusals ----------------------------------------------------------------------------------


def stored(index: int) -> None:
    ib = tir.ir_builder.create()
    with ib.for_range(0, 8, name="i") as i:
        ib.buffer_ptr(a8)[i + index] = 1.0
    tir.PrimFunc([a8], ib.get())


def outside_of_its_loop() -> None:
    ib = tir.ir_builder.create()
    with ib.for_range(0, 8, name="i") as i:
        pass
    ib.buffer_ptr(a8)[i] = 1.0
    tir.PrimFunc([a8], ib.get())


def of_no_parameter() -> None:
    ib = tir.ir_builder.create()
    ib.buffer_ptr(a8)[0] = ib.buffer_ptr(b8)[0]
    tir.PrimFunc([a8], ib.get())


def of_an_unknown_size() -> None:
    n = te.var("n")
    ib = tir.ir_builder.create()
    with ib.for_range(0, n) as i:
        ib.buffer_ptr(a8)[i] = 1.0
    tir.PrimFunc([a8], ib.get())


def of_another_scope() -> None:
    ib = tir.ir_builder.create()
    with ib.for_range(0, 8):
        x = ib.let("x", ib.buffer_ptr(a8)[0])
    ib.buffer_ptr(a8)[0] = x
    tir.PrimFunc([a8], ib.get())


def to_integers() -> None:
    ib = tir.ir_builder.create()
    ib.buffer_ptr(tir.decl_buffer((8,), "int32", "I"))[0] = ib.buffer_ptr(a8)[0]


def not_a_statement() -> None:
    tir.PrimFunc([a8], tir.ir_builder.create())


def emitted() -> None:
    tir.ir_builder.create().emit(3)


def attribute() -> None:
    ib = tir.ir_builder.create()
    ib.buffer_ptr(a8)[0] = 2.0
    tir.PrimFunc([a8], ib.get()).with_attr("target", ["llvm"])


def inside_of_a_scope() -> None:
    ib = tir.ir_builder.create()
    with ib.for_range(0, 8):
        ib.get()


def without_an_if() -> None:
    ib = tir.ir_builder.create()
    with ib.else_scope():
        pass


def of_no_kind() -> None:
    tir.ir_builder.create().for_range(0, 8, kind="vectorise")


def while_() -> None:
    ib = tir.ir_builder.create()
    ib.while_loop(te.var("n") > 0)


def coprocessor() -> None:
    ib = tir.ir_builder.create()
    with ib.for_range(0, 8) as i:
        ib.scope_attr(i, "coproc_scope", 1)


def pointer_of_a_name() -> None:
    tir.ir_builder.create().buffer_ptr("A")


def pointer_of_a_shape() -> None:
    tir.ir_builder.create().buffer_ptr(a8, (4, 2))


def counting_floats() -> None:
    ib = tir.ir_builder.create()
    with ib.for_range(0, ib.buffer_ptr(a8)[0]):
        pass


def choosing_by_a_number() -> None:
    ib = tir.ir_builder.create()
    with ib.if_scope(ib.buffer_ptr(a8)[0]):
        pass


def with_an_offset() -> None:
    tir.decl_buffer((8, 8), name="A", elem_offset=4)


def shared_memory() -> None:
    tir.decl_buffer((8, 8), name="A", data=a8)


def broadcast() -> None:
    tir.decl_buffer((8, 8), name="A", buffer_type="auto_broadcast")


def separated() -> None:
    tir.decl_buffer((8, 8), name="A", axis_separators=[1])


def scope_of_a_number() -> None:
    tir.decl_buffer((8, 8), name="A", scope=3)  # pyright: ignore[reportArgumentType]


REFUSALS = {
    lambda: stored(1): """\
error[KC2030]: main writes outside A: index 8 of dimension 0, which has the size 8
  --> HERE:{}  ib.buffer_ptr(a8)[i + index] = 1.0
  why: this happens at i=7
  try: make the loops shorter, or guard the access with an if""",
    outside_of_its_loop: """\
error[KC2100]: the loop variable i is used outside of its loop
  --> HERE:2  with ib.for_range(0, 8, name="i") as i:
  why: i has a value in the statements of the loop only""",
    of_no_parameter: """\
error[KC2100]: buffer B has no memory here
  --> HERE:2  ib.buffer_ptr(a8)[0] = ib.buffer_ptr(b8)[0]
  why: a buffer must be a parameter of the function, or be allocated before its use, in the \
enclosing statements
  try: add B to the parameters""",
    of_an_unknown_size: """\
error[KC2100]: the value of n is not known in the function
  --> HERE:3  with ib.for_range(0, n) as i:
  why: n is neither a dimension of a parameter nor a parameter
  try: add n to the parameters""",
    of_another_scope: """\
error[KC2100]: x is used where it is not computed
  --> HERE:3  x = ib.let("x", ib.buffer_ptr(a8)[0])
  why: x has a value from where it is computed to the end of the statements around that""",
    to_integers: """\
error[KC2103]: a value of type float32 is stored to I, whose elements are int32
  --> HERE:2  ib.buffer_ptr(tir.decl_buffer((8,), "int32", "I"))[0] = ib.buffer_ptr(a8)[0]
  why: int32 cannot represent every value of float32
  try: convert it: (...).astype("int32")""",
    not_a_statement: """\
error[KC2102]: PrimFunc: the body is IRBuilder, not a statement
  --> HERE:1  tir.PrimFunc([a8], tir.ir_builder.create())
  try: ib = tir.ir_builder.create(); ...; tir.PrimFunc([A, B], ib.get())""",
    emitted: """\
error[KC2102]: ir_builder: emit of int, which is not a statement
  --> HERE:1  tir.ir_builder.create().emit(3)
  try: ib.emit(other.get())
  try: A[i] = x stores a value""",
    attribute: """\
error[KC2102]: PrimFunc: the attribute target = ['llvm']
  --> HERE:3  tir.PrimFunc([a8], ib.get()).with_attr("target", ["llvm"])
  why: global_symbol is a name, tir.noalias is true, other values are numbers, bools or strings""",
    inside_of_a_scope: """\
error[KC2104]: ir_builder: get() inside a scope
  --> HERE:3  ib.get()
  why: the statement is complete only after every scope is closed
  try: call get() after the with statements""",
    without_an_if: """\
error[KC2104]: ir_builder: else_scope without an if_scope before it
  --> HERE:2  with ib.else_scope():
  why: an else_scope must directly follow the if_scope that it belongs to""",
    of_no_kind: """\
error[KC2105]: for_range: no loop has the kind 'vectorise'
  --> HERE:1  tir.ir_builder.create().for_range(0, 8, kind="vectorise")
  try: did you mean 'vectorize' or 'vectorized'?""",
    while_: """\
error[KC2106]: while_loop: nothing can change the condition
  --> HERE:2  ib.while_loop(te.var("n") > 0)
  why: the condition reads no memory, so it is always true or always false
  try: a condition on an element: while x[0] < n
  try: an if, for statements that run at most once""",
    coprocessor: """\
error[KC2107]: scope_attr: 'coproc_scope' of i
  --> HERE:3  ib.scope_attr(i, "coproc_scope", 1)
  why: thread_extent applies to a te.thread_axis, pragma_... to the variable of an enclosing loop
  try: ib.scope_attr(te.thread_axis("threadIdx.x"), "thread_extent", 64)""",
    pointer_of_a_name: """\
error[KC2108]: buffer_ptr: str is not a buffer
  --> HERE:1  tir.ir_builder.create().buffer_ptr("A")
  try: tir.decl_buffer((n, 128), name='A')""",
    pointer_of_a_shape: """\
error[KC2108]: buffer_ptr: A in the shape (4, 2)
  --> HERE:1  tir.ir_builder.create().buffer_ptr(a8, (4, 2))
  why: a buffer can be indexed only in its declared shape
  try: declare the buffer with this shape""",
    counting_floats: """\
error[KC2109]: the end of a loop has type float32
  --> HERE:2  with ib.for_range(0, ib.buffer_ptr(a8)[0]):
  why: the bounds of a loop must be integers
  try: (...).astype("int32")""",
    choosing_by_a_number: """\
error[KC2006]: the condition of an if has type float32
  --> HERE:2  with ib.if_scope(ib.buffer_ptr(a8)[0]):
  try: compare it: x != 0""",
    with_an_offset: """\
error[KC2101]: decl_buffer: A with elem_offset 4
  --> HERE:1  tir.decl_buffer((8, 8), name="A", elem_offset=4)
  why: a buffer starts with its first element
  try: add the offset to the indices""",
    shared_memory: """\
error[KC2101]: decl_buffer: A with the memory of another buffer
  --> HERE:1  tir.decl_buffer((8, 8), name="A", data=a8)
  why: two names for one memory would hide that one writes what the other reads
  try: index the other buffer""",
    broadcast: """\
error[KC2101]: decl_buffer: A with buffer_type 'auto_broadcast'
  --> HERE:1  tir.decl_buffer((8, 8), name="A", buffer_type="auto_broadcast")
  why: broadcasting is an index of 0 along a dimension
  try: give it the shape that it has""",
    separated: """\
error[KC2101]: decl_buffer: A with axis_separators [1]
  --> HERE:1  tir.decl_buffer((8, 8), name="A", axis_separators=[1])
  why: how a buffer is laid out is a matter of its schedule
  try: sch.set_axis_separator(block, buffer, axis_separators)""",
    scope_of_a_number: """\
error[KC2101]: decl_buffer: A with the scope 3
  --> HERE:1  tir.decl_buffer((8, 8), name="A", scope=3)  # pyright: ignore[reportArgumentType]
  why: a memory scope must be a name: "global", "shared", "local", ...""",
}


@pytest.mark.parametrize("make", REFUSALS, ids=lambda make: make.__name__)
def test_refusals(make):
    text = REFUSALS[make].format(stored.__code__.co_firstlineno + 3 - make.__code__.co_firstlineno)
    assert refused(make) == text


def test_a_function_compiles_like_any_module():
    ib = tir.ir_builder.create()
    A, B = ib.buffer_ptr(a8), ib.buffer_ptr(b8)
    with ib.for_range(0, 8) as i:
        B[i] = A[i] + 1.0
    kernel = tir.PrimFunc([a8, b8], ib.get())
    assert str(kc.lower(kernel)) == str(kernel)
    x = floats(8)
    with diagnostic_handler(lambda _: None):
        np.testing.assert_array_equal(
            kc.build(kernel, target="c").get_source("c").count("for ("), 1
        )
    with pytest.raises(TEError, match="KC2010"):
        A[0, 0] = x[0]
