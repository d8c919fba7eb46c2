"""te.extern and te.extern_primfunc: tensors that statements write, among computed ones."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false

import numpy as np
import pytest
from te_checks import check, nest, refusal

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.te import TEError

N = 8


def scaled(by, sizes=None):
    """A statement that multiplies its first input."""

    def statement(ins, outs):
        ib = tir.ir_builder.create()
        source, target = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
        with ib.for_range(0, N if sizes is None else sizes, name="i") as i:
            target[i] = source[i] * by
        return ib.get()

    return statement


def interpreted(s, args, *arrays):
    """The result of the tensor expressions themselves, and of their loops."""
    from kc.te.lowering import lower_schedule

    lowered = lower_schedule(s, args, "main", kc.target.Target("llvm"))
    out = np.full(arrays[0].shape, -1, arrays[0].dtype)
    run(lowered.tir, "main", [*arrays, out])
    (result,) = run(lowered.te, "main", list(arrays))
    np.testing.assert_array_equal(result, out)
    return out


def test_an_extern_stands_between_computes():
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: a[i] + 1.0, name="B")
    c = te.extern((N,), [b], scaled(3.0), name="C")
    d = te.compute((N,), lambda i: c[i] - b[i], name="D")
    assert c.op.input_tensors == [b]
    assert (c.name, c.shape, c.dtype, c.op.num_outputs) == ("C", (N,), "float32", 1)
    s = te.create_schedule(d.op)
    assert s[c].leaf_iter_vars == []
    outer, inner = s[d].split(d.op.axis[0], factor=4)
    s[d].vectorize(inner)
    s[b].parallel(b.op.axis[0])
    assert nest(s, [a, d]) == [
        "for i in 8 parallel",
        "  block B",
        "for i in 8",
        "  block C",
        "for i_o in 2",
        "  for i_i in 4 vectorized",
        "    block D",
    ]
    x = np.arange(N, dtype="float32")
    np.testing.assert_array_equal(interpreted(s, [a, d], x), (x + 1) * 2)
    np.testing.assert_array_equal(kc.build(s, [a, d])(x), (x + 1) * 2)


def test_sizes_and_scalars_are_used_without_being_listed():
    n, by = te.var("n"), te.var("by", "float32")
    a = te.placeholder((n,), name="A")
    c = te.extern((n,), [a], scaled(by, n), name="C")
    f = kc.build(te.create_schedule(c.op), [a, by, c])
    x = np.arange(5, dtype="float32")
    out = np.empty(5, "float32")
    f(x, 2.5, out)
    np.testing.assert_array_equal(out, x * 2.5)


def test_a_scalar_that_is_no_argument():
    by = te.var("by", "float32")
    a = te.placeholder((N,), name="A")
    c = te.extern((N,), [a], scaled(by), name="C")
    with pytest.raises(TEError, match=r"KC2024.*the value of by is not known at the call"):
        kc.lower(te.create_schedule(c.op), [a, c])


def both(ins, outs):
    ib = tir.ir_builder.create()
    a, b, low, high = (ib.buffer_ptr(tensor) for tensor in (*ins, *outs))
    with ib.for_range(0, N) as i:
        low[i] = tir.Select(a[i] < b[i], a[i], b[i])
        high[i] = tir.Select(a[i] < b[i], b[i], a[i]).astype("float64")
    return ib.get()


def test_several_results_of_several_types():
    a, b = (te.placeholder((N,), name=name) for name in "AB")
    low, high = te.extern([(N,), (N,)], [a, b], both, name="M", dtype=["float32", "float64"])
    assert [(tensor.name, tensor.dtype, tensor.value_index) for tensor in (low, high)] == [
        ("M_v0", "float32", 0),
        ("M_v1", "float64", 1),
    ]
    # Only one of them is an argument; the other has memory of its own.
    total = te.compute((N,), lambda i: low[i].astype("float64") + high[i], name="T")
    f = kc.build(te.create_schedule([total.op, low.op]), [a, b, low, total])
    x, y = np.float32([3, 1, 4, 1, 5, 9, 2, 6]), np.float32([2, 7, 1, 8, 2, 8, 1, 8])
    got_low, got_total = f(x, y)
    np.testing.assert_array_equal(got_low, np.minimum(x, y))
    np.testing.assert_array_equal(got_total, (x + y).astype("float64"))


def test_buffers_of_the_users():
    a = te.placeholder((N,), name="A")
    mine, result = tir.decl_buffer((N,), name="mine"), tir.decl_buffer((N,), name="result")
    ib = tir.ir_builder.create()
    with ib.for_range(0, N) as i:
        ib.buffer_ptr(result)[i] = ib.buffer_ptr(mine)[i] + 1.0
    statement = ib.get()
    c = te.extern(
        (N,), [a], lambda ins, outs: statement, name="C", in_buffers=mine, out_buffers=[result]
    )
    assert c.op.input_placeholders == (mine,)
    assert c.op.output_placeholders == (result,)
    x = np.arange(N, dtype="float32")
    np.testing.assert_array_equal(kc.build(te.create_schedule(c.op), [a, c])(x), x + 1)


def test_statements_one_after_another():
    a = te.placeholder((N,), name="A")
    c = te.extern((N,), [a], lambda i, o: [scaled(2.0)(i, o), scaled(5.0)(o, o)], name="C")
    x = np.arange(N, dtype="float32")
    s = te.create_schedule(c.op)
    np.testing.assert_array_equal(interpreted(s, [a, c], x), x * 10)
    # The second block's name collides with the first's.
    assert nest(s, [a, c]) == ["for i in 8", "  block C", "for i in 8", "  block C_1"]


def test_what_is_read_and_what_reads_can_be_scheduled():
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: a[i] + 1.0, name="B")
    c = te.extern((N,), [b], scaled(3.0), name="C")
    d = te.compute((N,), lambda i: c[i] * 2.0, name="D")
    s = te.create_schedule(d.op)
    copy = s.cache_read(c, "local", [d])
    s[copy].compute_at(s[d], d.op.axis[0])
    before = s.cache_read(a, "global", [b])
    near = s.cache_write(b, "global")
    s[near].vectorize(s[near].op.axis[0])
    check(s, [a, d], lambda x: (x + 1) * 6)
    assert before.name == "A_global"
    moved = te.create_schedule(d.op)
    moved[b].compute_inline()
    check(moved, [a, d], lambda x: (x + 1) * 6)


@pytest.mark.parametrize(
    "primitive",
    [
        lambda s, c, d: s[c].compute_inline(),
        lambda s, c, d: s[c].compute_at(s[d], d.op.axis[0]),
        lambda s, c, d: s[c].compute_root(),
        lambda s, c, d: s[c].set_scope("shared"),
        lambda s, c, d: s[c].double_buffer(),
    ],
)
def test_an_extern_stage_is_not_scheduled(primitive):
    a = te.placeholder((N,), name="A")
    c = te.extern((N,), [a], scaled(3.0), name="C")
    d = te.compute((N,), lambda i: c[i], name="D")
    s = te.create_schedule(d.op)
    with pytest.raises(KCError, match="KC2169") as caught:
        primitive(s, c, d)
    text = str(caught.value)
    assert "C is an extern operation\n" in text
    assert (
        "  why: its statement runs as written, before its readers\n"
        "  try: s.cache_read(C, scope, readers) makes a copy, which has axes\n"
        "  try: kc.tir.Schedule(kc.lower(...)) schedules the loops of the statement"
    ) in text
    with pytest.raises(KCError, match="KC3105"):
        s[c].split(d.op.axis[0], factor=2)
    with pytest.raises(KCError, match="KC3141"):
        s.cache_write(c, "local")


REFUSALS = [
    (
        lambda a: te.extern((N,), [a, 3], scaled(2.0), name="C"),
        "error[KC2161]: extern C receives int 3 for a tensor\n"
        "  try: te.extern(shape, [A, B], fcompute): the inputs are tensors",
    ),
    (
        lambda a: te.extern((N,), [], scaled(2.0), name="C"),
        "error[KC2162]: extern C has no inputs and no dtype\n"
        "  why: the default dtype is the common type of the inputs\n"
        '  try: dtype="float32"',
    ),
    (
        lambda a: te.extern([(N,), (N,)], [a], scaled(2.0), name="C", dtype=["int8"]),
        "error[KC2162]: extern C has 2 results and 1 dtypes\n"
        "  why: each result needs exactly one element type",
    ),
    (
        lambda a: te.extern((N,), [a], scaled(2.0), name="C", in_buffers=[]),
        "error[KC2163]: extern C: 0 in_buffers for 1 tensors\n"
        "  why: each tensor needs exactly one buffer",
    ),
    (
        lambda a: te.extern((N,), [a], scaled(2.0), name="C", in_buffers=[a]),
        "error[KC2163]: extern C: Tensor Tensor(shape=[8], dtype=float32, op.name=A) in "
        "in_buffers\n  try: tir.decl_buffer((8,), 'float32')",
    ),
    (
        lambda a: te.extern(
            (N,), [a], scaled(2.0), name="C", out_buffers=[tir.decl_buffer((4,), name="o")]
        ),
        "error[KC2163]: extern C: buffer o of (4,) float32 in global memory for result 0\n"
        "  why: result 0 is (8,) float32 in global memory\n"
        "  try: tir.decl_buffer((8,), 'float32')",
    ),
    (
        lambda a: te.extern((N,), [a], lambda i, o: i[0][0] + 1.0, name="C"),
        "error[KC2164]: extern C: the function returns Binary, which is not a statement\n"
        "  why: it must return a statement that uses the buffers\n"
        "  try: return ib.get() of a tir.ir_builder\n"
        '  try: return tir.call_packed("function", ins[0], outs[0])',
    ),
    (
        lambda a: te.extern((N,), [a], lambda i, o: scaled(2.0)(i, i), name="C"),
        "error[KC2165]: extern C writes its input A\n"
        "  why: a tensor never changes, because other operations may read it\n"
        "  try: copy it to an output, or to a buffer from ib.allocate",
    ),
    (
        lambda a: te.extern([(N,), (N,)], [a], scaled(2.0), name="C"),
        "error[KC2166]: extern C never writes its result C_v1\n"
        "  why: the elements would be undefined\n"
        '  try: C_v1.access_ptr("w") declares that a call writes the buffer',
    ),
]


@pytest.mark.parametrize(("make", "text"), REFUSALS)
def test_refusals(make, text):
    assert refusal(lambda: make(te.placeholder((N,), name="A")), __file__) == text


# Functions as operations --------------------------------------------------------------------------


def product():
    x, y = te.placeholder((N, 4), name="X"), te.placeholder((4, N), name="Y")
    k = te.reduce_axis((0, 4), "k")
    return x, y, te.compute((N, N), lambda i, j: te.sum(x[i, k] * y[k, j], axis=k), name="Z")


def test_a_function_of_loops_is_an_operation():
    x, y, z = product()
    s = te.create_schedule(z.op)
    outer, _ = s[z].split(z.op.axis[0], factor=4)
    s[z].parallel(outer)
    function = kc.lower(s, [z, x, y])  # the result comes first
    a, b = te.placeholder((N, 4), name="A"), te.placeholder((4, N), name="B")
    c = te.extern_primfunc([a, b], function, name="C")
    d = te.compute((N, N), lambda i, j: c[i, j] + 1.0, name="D")
    assert c.op.name == "C"
    assert c.op.body is function
    generator = np.random.default_rng(0)
    p, q = generator.random((N, 4), "float32"), generator.random((4, N), "float32")
    f = kc.build(te.create_schedule(d.op), [a, b, d])
    np.testing.assert_allclose(f(p, q), p @ q + 1, rtol=1e-5)
    # The module stays what it was, and can be spliced again.
    again = te.extern_primfunc([a, b], function)
    assert kc.build(te.create_schedule(again.op), [a, b, again]) is not None


def test_sizes_of_a_function_are_those_of_the_inputs():
    n, m = te.var("n"), te.var("m")
    x = te.placeholder((n, 2 * n), name="X")
    function = te.create_prim_func([x, te.compute((n,), lambda i: x[i, n], name="Y")])
    a = te.placeholder((m, 2 * m), name="A")
    c = te.extern_primfunc([a], function, name="C")
    assert c.shape[0] is m
    given = np.arange(18, dtype="float32").reshape(3, 6)
    np.testing.assert_array_equal(kc.build(te.create_schedule(c.op), [a, c])(given), given[:, 3])


def test_a_function_read_from_text():
    function = kc.IRModule.parse(
        """
        func.func @twice(%A: memref<4xi8> {kc.dtype = "uint8"},
                         %B: memref<4xi8> {kc.dtype = "uint8"}) {
          tir.for %i in 4 {
            %a = tir.load %A[%i] : memref<4xi8>
            %b = arith.addi %a, %a : i8
            tir.store %b, %B[%i] : memref<4xi8>
          }
          func.return
        }"""
    )
    a = te.placeholder((4,), "uint8", name="A")
    c = te.extern_primfunc([a], function)
    assert c.dtype == "uint8"
    doubled = kc.build(te.create_schedule(c.op), [a, c])(np.uint8([1, 2, 127, 4]))
    np.testing.assert_array_equal(doubled, np.uint8([2, 4, 254, 8]))


def symbolic():
    n = te.var("n")
    x = te.placeholder((n,), name="X")
    return te.create_prim_func([x, te.compute((n,), lambda i: x[i], name="Y")])


def with_scalar():
    by = te.var("by", "float32")
    x = te.placeholder((N,), name="X")
    return te.create_prim_func([x, by, te.compute((N,), lambda i: x[i] * by, name="Y")])


FUNCTION_REFUSALS = [
    (
        lambda a: te.extern_primfunc([a], symbolic(), dtype="float32"),
        "error[KC2160]: extern_primfunc has no argument 'dtype'\n"
        "  try: the arguments are name, tag and attrs",
    ),
    (
        lambda a: te.extern_primfunc([a, a], symbolic()),
        "error[KC2167]: extern_primfunc: 2 inputs for @main, which reads X and writes Y\n"
        "  why: the inputs must be the arguments that the function only reads",
    ),
    (
        lambda a: te.extern_primfunc([a], 3),
        "error[KC2167]: extern_primfunc: int is not a module\n"
        "  why: extern_primfunc takes a module with one function of loops\n"
        "  try: te.create_prim_func([A, B]), kc.lower(s, args), kc.IRModule.parse(text)",
    ),
    (
        lambda a: te.extern_primfunc([a], symbolic()),
        "error[KC2168]: extern_primfunc: no input determines the size n of @main\n"
        "  why: a size of the function is a te.var that is a dimension of an input\n"
        "  try: give the function constant shapes\n"
        "  try: or a dimension te.var('n')",
    ),
    (
        lambda a: te.extern_primfunc([a], with_scalar()),
        "error[KC2168]: extern_primfunc: @main takes the scalar by\n"
        "  why: the inputs of the operation are tensors\n"
        "  try: te.extern with a statement takes scalars: it uses the te.var itself",
    ),
    (
        lambda a: te.extern_primfunc([a, a], window()),
        "error[KC2176]: extern_primfunc: @f takes only sizes that fulfil a condition\n"
        "  why: linalg.conv_1d (w.mlir:2:3) needs operands that contain its windows; a tensor "
        "expression has no place for a condition on its sizes\n"
        "  try: give the function constant shapes",
    ),
    (
        lambda a: te.extern_primfunc([te.placeholder((4,), name="B")], fixed()),
        "error[KC2167]: extern_primfunc: B is (4,) float32, the argument X of @main is (8,) "
        "float32\n  why: the inputs must have the shapes and types of the arguments",
    ),
]


def window():
    text = """func.func @f(%i: memref<?xf32>, %k: memref<?xf32>, %o: memref<?xf32>) {
  linalg.conv_1d ins(%i, %k : memref<?xf32>, memref<?xf32>) outs(%o : memref<?xf32>)
  return
}"""
    return kc.lower(kc.IRModule.parse(text, "w.mlir"))


def fixed():
    x = te.placeholder((N,), name="X")
    return te.create_prim_func([x, te.compute((N,), lambda i: x[i], name="Y")])


@pytest.mark.parametrize(("make", "text"), FUNCTION_REFUSALS)
def test_refused_functions(make, text):
    assert refusal(lambda: make(te.placeholder((N,), name="A")), __file__) == text


def in_two_launches(scope):
    """A statement that launches a kernel twice, where it reads what it has written before."""

    def statement(ins, outs):
        ib = tir.ir_builder.create()
        source, target = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
        kept = ib.allocate("float32", (N,), name="kept", scope=scope)
        with ib.for_range(0, 2, name="k") as k:
            tx = te.thread_axis("threadIdx.x")
            ib.scope_attr(tx, "thread_extent", N)
            with ib.if_scope(k == 0):
                kept[tx] = source[tx]
            with ib.else_scope():
                target[tx] = kept[N - 1 - tx]
        return ib.get()

    return statement


def test_memory_that_ends_with_a_kernel_of_a_statement():
    a = te.placeholder((N,), name="A")
    x = np.arange(N, dtype=np.float32)
    c = te.extern((N,), [a], in_two_launches("global"), name="C")
    np.testing.assert_array_equal(interpreted(te.create_schedule(c.op), [a, c], x), x[::-1])
    c = te.extern((N,), [a], in_two_launches("shared"), name="C")
    with pytest.raises(KCError) as caught:
        kc.lower(te.create_schedule(c.op), [a, c])
    said = [
        line for line in str(caught.value).splitlines() if not line.startswith(("  -->", "   |"))
    ]
    assert said == [
        "error[KC3416]: lower: tir.load reads kept, which tir.store writes in an earlier launch of "
        "the kernel",
        "  why: shared memory lasts only as long as a thread block, and is gone when tir.load "
        "at (k=1, threadIdx_x=0) reads kept[7]",
        "  try: compute_at or reverse_compute_at brings both into one kernel",
        "  try: set_scope puts kept into global memory",
    ]


def test_loops_without_blocks_are_told_apart():
    """Two externs whose loops have one name: a loop with a block keeps it, as the block tells."""

    def sums(ins, outs):
        ib = tir.ir_builder.create()
        source, target = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
        with ib.for_range(0, N, name="i") as i:
            total = ib.allocate("float32", (1,), name="total")
            total[0] = source[i] + 1.0
            target[i] = total[0]

        return ib.get()

    a = te.placeholder((N,), name="A")
    b = te.extern((N,), [a], sums, name="B")
    c = te.compute((N,), lambda i: b[i] * 2.0, name="C")
    d = te.extern((N,), [c], sums, name="D")
    sch = tir.Schedule(te.create_prim_func([a, d]))
    for name, extent in (("i_1", 3), ("i_2", 5)):
        outer, _ = sch.split(sch.get_loop(name), [extent, None])
        sch.parallel(outer)
    assert sch.get(sch.get_loops("C")[0]).label == "i"
    x, out = np.arange(N, dtype="float32"), np.zeros(N, "float32")
    kc.build(sch.mod)(x, out)
    np.testing.assert_array_equal(out, (x + 1) * 2 + 1)
