"""The classes of expressions and statements by TVM's names, and visiting and rewriting them."""

# What a class makes is not of it.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false
# pyright: reportIncompatibleVariableOverride=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.support.diagnostics import KCError

a, b = te.var("a"), te.var("b")
x, y = te.var("x", "float32"), te.var("y", "float32")
p, q = a < 3, b > 1
A = tir.decl_buffer((16,), "float32", "A")
B = tir.decl_buffer((16,), "float32", "B")
T = te.placeholder((16,), name="T")

# A class, what it makes, and the numbers that this is for a, b = 7, -2 and x, y = 2.5, -0.5.
MAKES: dict[Any, tuple[Any, Any]] = {
    tir.Add: (tir.Add(a, b), 5),
    tir.Sub: (tir.Sub(a, b), 9),
    tir.Mul: (tir.Mul(x, y), -1.25),
    tir.FloorDiv: (tir.FloorDiv(a, b), -4),
    tir.FloorMod: (tir.FloorMod(a, b), -1),
    tir.Mod: (tir.Mod(a, b), 1),
    tir.Div: (tir.Div(a, b), -3),
    tir.Min: (tir.Min(x, y), -0.5),
    tir.Max: (tir.Max(x, y), 2.5),
    tir.EQ: (tir.EQ(a, b), False),
    tir.NE: (tir.NE(a, b), True),
    tir.LT: (tir.LT(a, b), False),
    tir.LE: (tir.LE(b, a), True),
    tir.GT: (tir.GT(x, y), True),
    tir.GE: (tir.GE(x, y), True),
    tir.And: (tir.And(p, q), False),
    tir.Or: (tir.Or(p, a > 6), True),
    tir.Not: (tir.Not(p), True),
    tir.Cast: (tir.Cast("int32", x), 2),
    tir.Select: (tir.Select(p, x, y), -0.5),
    tir.Call: (tir.Call("float32", "tir.exp", [x]), np.float32(np.exp(np.float32(2.5)))),
    tir.IntImm: (tir.IntImm("int32", 4), 4),
    tir.FloatImm: (tir.FloatImm("float32", 0.5), 0.5),
    tir.Var: (a, 7),
}


@pytest.fixture(scope="module")
def values() -> dict[Any, Any]:
    """The computed value of each of :data:`MAKES`."""
    outputs = [
        te.compute((1,), lambda _, expr=expr: expr.astype("float32"), name=f"out{n}")
        for n, (expr, _) in enumerate(MAKES.values())
    ]
    s = te.create_schedule([out.op for out in outputs])
    built = kc.build(s, [a, b, x, y, *outputs])
    results = [np.zeros(1, "float32") for _ in outputs]
    built(7, -2, 2.5, -0.5, *results)
    return dict(zip(MAKES, (result[0] for result in results), strict=True))


@pytest.mark.parametrize("node_class", MAKES, ids=lambda node_class: node_class.__name__)
def test_a_class_makes_expressions_and_knows_them(node_class, values):
    expr, expected = MAKES[node_class]
    assert isinstance(expr, node_class)
    assert isinstance(expr, tir.PrimExpr)
    same = {node_class, tir.Var} if node_class is tir.Var else {node_class}
    foreign = [unlike for unlike in MAKES if unlike not in same]
    assert [c.__name__ for c in foreign if isinstance(expr, c)] == []
    np.testing.assert_allclose(values[node_class], np.float32(expected), rtol=2e-7)


def test_parts_have_tvms_names():
    total = tir.Add(a, tir.Mul(b, 3))
    assert total.a is a
    assert total.b.a is b
    assert total.b.b.value == 3
    chosen = tir.Select(p, x, y)
    assert (chosen.condition, chosen.true_value, chosen.false_value) == (p, x, y)
    call = tir.Call("float32", "tir.exp", [x])
    assert call.op.name == "tir.exp"
    assert list(call.args) == [x]
    assert isinstance(call.op, kc.ir.Op)
    load = tir.BufferLoad(A, [a])
    assert load.buffer is A
    assert list(load.indices) == [a]
    assert isinstance(load, tir.BufferLoad)
    assert not isinstance(load, tir.ProducerLoad)
    element = tir.ProducerLoad(T, [a])
    assert element.producer is T
    assert not isinstance(element, tir.BufferLoad)
    ramp, splat = tir.Ramp(a, 1, 4), tir.Broadcast(x, 8)
    assert (ramp.lanes, splat.lanes) == (4, 8)
    assert isinstance(ramp, tir.Ramp)
    assert not isinstance(ramp, tir.Broadcast)
    assert isinstance(splat, tir.Broadcast)
    assert tir.StringImm("text").value == "text"
    assert isinstance(te.size_var("n"), tir.SizeVar)
    assert not isinstance(te.var("n"), tir.SizeVar)
    assert isinstance(T, tir.DataProducer)


def test_a_let_is_the_body_with_the_value():
    expr = tir.Let(a, b * 2, a + a)
    assert str(expr) == "(b * 2) + (b * 2)"


def test_lanes_are_shuffled():
    V, W = (tir.decl_buffer((4,), "float32", name) for name in "VW")
    loaded = V.vload([0], "float32x4")
    reversed_ = tir.Shuffle([loaded], [3, 2, 1, 0])
    assert isinstance(reversed_, tir.Shuffle)
    built = kc.build(tir.PrimFunc([V, W], W.vstore(0, reversed_)))
    out = np.zeros(4, "float32")
    built(np.arange(4, dtype="float32"), out)
    assert out.tolist() == [3, 2, 1, 0]


def test_a_reduction_is_made_of_its_parts():
    k = te.reduce_axis((0, 16), name="k")
    lhs, rhs = te.var("lhs", "float32"), te.var("rhs", "float32")
    product = tir.CommReducer([lhs], [rhs], [lhs * rhs], [tir.const(1.0, "float32")])
    assert isinstance(product, tir.CommReducer)
    assert product.identity_element[0].value == 1
    C = te.compute((1,), lambda i: tir.Reduce(product, [T[k]], [k], T[k] > 0, 0), name="C")
    (body,) = C.op.body
    assert isinstance(body, tir.Reduce)
    assert list(body.axis) == [k]
    data = np.random.default_rng(0).uniform(-1, 2, 16).astype("float32")
    out = kc.build(te.create_schedule(C.op), [T, C])(data)
    np.testing.assert_allclose(out, [np.prod(data[data > 0])], rtol=1e-5)


# Statements ---------------------------------------------------------------------------------------


def ran(body: Any, data: np.ndarray[Any, Any] | None = None) -> list[float]:
    """The values that a statement stores to B, which is 0 before, for A = 0, 1, 2, ..."""
    given = np.arange(16, dtype="float32") if data is None else data
    out = np.zeros(16, "float32")
    kc.build(tir.PrimFunc([A, B], body))(given, out)
    return out.tolist()


def counted(kind: Any = tir.ForKind.SERIAL) -> Any:
    """B[i] = A[i] + 1 where i < 8, else 5, in a loop."""
    i = tir.Var("i", "int32")
    branch = tir.IfThenElse(
        i < 8, tir.BufferStore(B, A[i] + 1.0, [i]), tir.BufferStore(B, 5.0, [i])
    )
    return tir.For(i, 0, 16, kind, branch)


def test_statements_are_made_by_their_classes():
    loop = counted()
    assert isinstance(loop, tir.For)
    assert (loop.loop_var.name, loop.min, loop.extent, loop.kind) == ("i", 0, 16, "serial")
    (branch,) = loop.body
    assert isinstance(branch, tir.IfThenElse)
    assert isinstance(branch.then_case, tir.SeqStmt)
    assert isinstance(branch.else_case.seq[0], tir.BufferStore)
    assert ran(loop) == [*range(1, 9), *[5] * 8]
    for kind in (tir.ForKind.PARALLEL, tir.ForKind.VECTORIZED, 3):
        assert ran(counted(kind)) == [*range(1, 9), *[5] * 8]


def test_a_loop_may_start_anywhere_and_have_annotations():
    i, start = tir.Var("i", "int32"), tir.Var("start", "int32")
    loop = tir.For(i, 3, 4, "serial", tir.BufferStore(B, A[i], [i]), annotations={"pragma_x": 2})
    assert ran(loop) == [0, 0, 0, 3, 4, 5, 6, *[0] * 9]
    assert "pragma_x = 2" in str(tir.PrimFunc([A, B], loop))
    shifted = tir.For(i, start - start + 2, 3, 0, tir.BufferStore(B, A[i], [i]))
    assert isinstance(shifted.loop_var, tir.IterVar)


def test_values_have_names_and_buffers_memory():
    v = tir.Var("v", "float32")
    named = tir.LetStmt(v, A[3] * 2.0, tir.BufferStore(B, v + v, [0]))
    C = tir.decl_buffer((4,), "float32", "C")
    kept = tir.SeqStmt(
        [tir.BufferStore(C, A[5], [1]), tir.Store(B.data, tir.Load("float32", C.data, 1), 1)]
    )
    memory = tir.Allocate(C.data, "float32", [4], True, kept)
    K = tir.decl_buffer((2, 2), "float32", "K")
    table = np.array([[1, 2], [3, 4]], "float32")
    constant = tir.AllocateConst(K.data, "float32", [2, 2], table, tir.BufferStore(B, K[1, 0], [2]))
    assert ran(tir.stmt_seq(named, memory, constant, tir.Evaluate(0))) == [12, 5, 3, *[0] * 13]
    both = tir.stmt_list(tir.SeqStmt([named, kept]))
    assert len(both) == 4


def test_a_store_may_have_a_predicate():
    i = tir.Var("i", "int32")
    loop = tir.For(i, 0, 16, 0, tir.Store(B.data, A[i], i, A[i] > 12.0))
    assert ran(loop) == [*[0] * 13, 13, 14, 15]


def test_threads_are_an_attribute_of_a_statement():
    tx = te.thread_axis("threadIdx.x")
    by_attribute = tir.AttrStmt(tx, "thread_extent", 16, tir.BufferStore(B, A[tx], [tx]))
    i = tir.Var("threadIdx_x", "int32")
    store = tir.BufferStore(B, A[i], [i])
    by_kind = tir.For(i, 0, 16, tir.ForKind.THREAD_BINDING, store, thread_binding=tx)
    texts = [str(tir.PrimFunc([A, B], body)) for body in (by_attribute, by_kind)]
    assert texts[0] == texts[1]
    assert 'in 16 thread "threadIdx.x"' in texts[0]


def test_an_assertion_is_checked_when_the_kernel_runs():
    body = tir.AssertStmt(A[0] > 0.0, "A starts with more", tir.BufferStore(B, 1.0, [0]))
    assert ran(body, np.ones(16, "float32"))[0] == 1
    with pytest.raises(KCError) as caught:
        ran(body, np.zeros(16, "float32"))
    assert caught.value.code == "KC5250"
    assert isinstance(caught.value.__cause__, AssertionError)
    assert str(caught.value.__cause__) == "A starts with more"


def block(offset: int = 0) -> Any:
    """A loop with a block that doubles A; what it says that it writes is moved by ``offset``."""
    i, v = tir.Var("i", "int32"), tir.Var("v", "int32")

    def at(buffer: Any, place: Any) -> Any:
        return tir.BufferRegion(buffer, [kc.ir.Range.from_min_extent(place, 1)])

    axis = tir.IterVar((0, 16), v, tir.IterVar.DataPar)
    body = tir.BufferStore(B, A[v] * 2.0, [v])
    parts = tir.Block([axis], [at(A, v)], [at(B, v + offset)], "B", body)
    assert isinstance(parts, tir.Block)
    return tir.For(i, 0, 16, 0, tir.BlockRealize([i], True, parts))


def test_blocks_are_scheduled():
    assert ran(block()) == [2 * n for n in range(16)]
    sch = tir.Schedule(tir.PrimFunc([A, B], block()))
    (loop,) = sch.get_loops("B")
    outer, inner = sch.split(loop, [None, 4])
    sch.parallel(outer)
    sch.vectorize(inner)
    out = np.zeros(16, "float32")
    kc.build(sch.mod)(np.ones(16, "float32"), out)
    assert out.tolist() == [2] * 16


# Visiting -----------------------------------------------------------------------------------------


def test_parts_are_visited_before_the_whole():
    seen: list[Any] = []
    tir.stmt_functor.post_order_visit(counted(), seen.append)
    names = [type(node).__name__ for node in seen]
    assert names[-2:] == ["If", "For"]
    assert names.count("Store") == 2
    assert sum(isinstance(node, tir.BufferLoad) for node in seen) == 3
    first: list[Any] = []
    tir.stmt_functor.pre_order_visit(
        counted(), lambda node: first.append(node) or isinstance(node, tir.For)
    )
    assert [type(node).__name__ for node in first] == ["For", "If"]


def test_operations_of_a_module_are_visited():
    C = te.compute((16,), lambda i: T[i] + 1.0, name="C")
    s = te.create_schedule(C.op)
    s[C].split(C.op.axis[0], 4)
    loops: list[Any] = []
    tir.stmt_functor.post_order_visit(
        kc.lower(s, [T, C])["main"].body,
        lambda node: loops.append(node) if isinstance(node, tir.For) else None,
    )
    assert len(loops) == 2


def test_statements_are_rewritten():
    def doubled(statement: Any) -> Any:
        return tir.BufferStore(statement.buffer, statement.value * 2.0, statement.indices)

    changed = tir.stmt_functor.ir_transform(counted(), None, doubled, ["tir.BufferStore"])
    assert ran(changed) == [*(2 * n for n in range(1, 9)), *[10] * 8]
    emptied = tir.stmt_functor.ir_transform(
        counted(), lambda node: tir.Evaluate(0) if isinstance(node, tir.IfThenElse) else None, None
    )
    assert ran(emptied) == [0] * 16


def test_variables_are_replaced():
    assert str(tir.stmt_functor.substitute(a * 2 + b, {a: b})) == "(b * 2) + b"
    n = tir.Var("n", "int32")
    store = tir.BufferStore(B, A[n], [n])
    assert ran(tir.stmt_functor.substitute(store, {n: 3})) == [0, 0, 0, 3, *[0] * 12]


# Layouts ------------------------------------------------------------------------------------------


def test_layouts():
    blocked = tir.layout("NCHW16c")
    assert (len(blocked), blocked[1], blocked[-1]) == (5, "C", "c")
    assert (blocked.index_of("H"), blocked.index_of("w")) == (2, -1)
    assert (blocked.factor_of("C"), blocked.factor_of("c"), blocked.factor_of("N")) == (16, 16, -1)
    assert "W" in blocked
    assert blocked == tir.Layout("NCHW16c")
    moved = tir.bijective_layout("NCHW", "NHWC16c")
    assert moved.forward_index([1, 35, 2, 3]) == [1, 2, 3, 2, 3]
    assert moved.backward_index([1, 2, 3, 2, 3]) == [1, 35, 2, 3]
    assert moved.forward_shape([1, 40, 7, 8]) == [1, 7, 8, 3, 16]
    assert moved.backward_shape([1, 7, 8, 3, 16]) == [1, 48, 7, 8]
    assert str(moved.forward_index([0, a, 0, 0])[3]) == "a // 16"


# Refusals -----------------------------------------------------------------------------------------


def refused(make: Callable[[], Any]) -> str:
    with pytest.raises(KCError) as caught:
        make()
    return "\n".join(line for line in str(caught.value).split("\n") if "-->" not in line)


def test_what_is_refused():
    i = tir.Var("i", "int32")
    store = tir.BufferStore(B, 1.0, [i])
    assert refused(lambda: te.HybridOp("h")) == (
        "error[KC2177]: HybridOp: the class has no constructor\n"
        "  why: the class exists for isinstance; functions create its instances\n"
        "  try: te.hybrid.script"
    )
    assert refused(lambda: tir.For(i, 0, 4, 9, store)) == (
        "error[KC2105]: For: i with the kind 9\n"
        "  try: tir.ForKind.SERIAL, PARALLEL, VECTORIZED, UNROLLED or THREAD_BINDING"
    )
    assert refused(lambda: tir.For(i, 0, 4, 4, store)) == (
        "error[KC2105]: For: i with threads of None\n"
        '  try: thread_binding=te.thread_axis("threadIdx.x")'
    )
    assert refused(lambda: tir.For(i, 0, 4, 0, i + 1)) == (
        "error[KC2102]: For: the body is Binary, not a statement\n"
        "  try: tir.BufferStore(B, value, [i]), tir.SeqStmt([...]), ib.get()"
    )
    assert refused(lambda: tir.Allocate(B.data, "float32", [4], True, store)) == (
        "error[KC2108]: Allocate: B of shape (4,) and type float32\n"
        "  why: a buffer must be declared with the same shape and type\n"
        '  try: B = tir.decl_buffer((16,), "float32", "B"); tir.Allocate(B.data, ...)'
    )
    assert refused(lambda: tir.AllocateConst(B.data, "float32", [4], [1, 2], store)) == (
        "error[KC2108]: AllocateConst: the shape is (4,), the numbers have (2,)\n"
        "  why: each element needs exactly one number"
    )
    assert refused(lambda: tir.IterVar((0, 4), "i", 7)) == (
        "error[KC2178]: IterVar: 'i' over (0, 4), of type 7\n"
        "  why: an IterVar needs a domain (0, extent), a variable or its name, and a type: "
        "DataPar, "
        "ThreadIndex, CommReduce, Ordered or Opaque\n"
        '  try: tir.IterVar((0, 16), "i", tir.IterVar.DataPar)'
    )
    assert refused(lambda: tir.BlockRealize([i, i], True, tir.Block([], [], [], "C", store))) == (
        "error[KC2178]: BlockRealize: 2 values for 0 variables of a block\n"
        "  why: each of the iter_vars of a tir.Block needs exactly one value\n"
        "  try: tir.BlockRealize([i, j], True, tir.Block([vi, vj], ...))"
    )
    assert refused(lambda: tir.Block([], [], [], "C", store, match_buffers=[A])) == (
        "error[KC2102]: Block: Buffer in match_buffers of C\n"
        "  why: each entry must state the region of a buffer that another buffer refers to\n"
        "  try: tir.MatchBufferRegion(row, tir.BufferRegion(A, [...]))"
    )
    assert refused(lambda: tir.PrimFunc([A, B], block(1))) == (
        "error[KC2128]: block B writes B 1 element before the region that T.writes declares\n"
        "  why: along dimension 0 T.writes declares a start of v + 1 and a size of 1\n"
        "  try: leave T.writes out: kc derives the regions from the statements of the block"
    )
    assert refused(lambda: tir.stmt_functor.post_order_visit(3, print)) == (
        "error[KC2102]: stmt_functor: int is neither a statement nor an expression\n"
        "  try: func.body, ib.get()"
    )
    assert refused(lambda: tir.stmt_functor.ir_transform(store, None, None, ["tir.Fro"])) == (
        "error[KC2102]: ir_transform: 'Fro' is not a class of statements"
    )
    assert refused(lambda: tir.Shuffle([x], [0, 1])) == (
        "error[KC2219]: Shuffle: lanes 0, 1 of float32\n"
        "  why: a shuffle selects two or more lanes of one vector, or of two vectors of the same "
        "type"
    )
    assert refused(lambda: tir.layout("NC16h")) == (
        "error[KC2182]: the layout 'NC16h'\n"
        "  why: each letter must occur once; a small letter needs a size before it, and its "
        "capital letter\n"
        "  try: NCHW\n"
        "  try: NCHW16c"
    )
    assert refused(lambda: tir.bijective_layout("NCHW", "NHW")) == (
        "error[KC2182]: bijective_layout: NCHW and NHW\n  why: both layouts must name the same "
        "dimensions"
    )
    assert refused(lambda: tir.bijective_layout("NC", "CN").forward_index([1])) == (
        "error[KC2183]: NC receives 1 index\n  why: it has 2 letters"
    )
