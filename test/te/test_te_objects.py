"""Attributes of objects that programs for TVM read: numbers, sizes, modules."""

import pickle
import re
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.expr.relations import Split

A = te.placeholder((8, 4), name="A")
B = te.compute((8, 4), lambda i, j: A[i, j] + 1, name="B")


def test_constants_and_sizes_are_numbers():
    assert int(te.const(3, "int64")) == 3
    assert float(te.const(2.5)) == 2.5
    assert [size.value for size in A.shape] == [8, 4]  # pyright: ignore
    assert A[0, 0].astype("float").dtype == "float32"
    assert A[0, 0].astype("int").dtype == "int32"


def test_a_lambda_binds_the_variable_of_a_loop_around_by_a_default():
    results = [te.compute((8, 4), lambda i, j, q=q: A[i, j] * q, name="B") for q in (2.0, 3.0)]
    given = np.arange(32, dtype="f4").reshape(8, 4)
    for result, factor in zip(results, (2, 3), strict=True):
        out = np.zeros((8, 4), "f4")
        kc.build(te.create_schedule(result.op), [A, result])(given, out)
        assert (out == given * factor).all()


def test_modules_of_one_function():
    B = te.compute((8, 4), lambda i, j: A[i, j] + 1, name="B")
    module = kc.IRModule.from_expr(te.create_prim_func([A, B]))
    assert module.get_global_vars() == ["main"]
    assert kc.IRModule.from_expr({"f": module}).get_global_vars() == ["f"]


def test_errors_are_those_of_python_too():
    assert issubclass(kc.KCError, RuntimeError)
    for call, error in (
        (lambda: te.create_schedule(B.op)[te.compute((8,), lambda i: A[i, 0])], ValueError),
        (lambda: te.create_schedule(B.op)[B].split(B.op.axis[0]), ValueError),
        (lambda: te.compute((8,), lambda i, j: A[i, j]), ValueError),
        (lambda: kc.build(te.create_schedule(B.op)), ValueError),
        (lambda: kc.target.Target("no-such-kind"), ValueError),
        (lambda: bool(A[0, 0] > 0), ValueError),
        (lambda: te.reduce_axis(8), TypeError),
        (lambda: getattr(tir.Schedule(te.create_prim_func([A, B])), "split")(), TypeError),  # noqa: B009
    ):
        with pytest.raises(error) as caught:
            call()
        assert isinstance(caught.value, kc.KCError)
        again = pickle.loads(pickle.dumps(caught.value))
        assert isinstance(again, error)
        assert str(again) == str(caught.value)


def test_comparisons_of_constants_are_known():
    three = tir.const(3)
    assert three == 3
    assert three == tir.IntImm("int32", 3)
    assert three != 4
    assert 2 < three <= 3 < tir.const(3.5)
    assert not three > 3
    numbers: dict[Any, str] = {3: "a"}
    places: dict[Any, str] = {three: "a"}
    assert places[3] == numbers[three] == "a"
    assert three in (1, 2, 3)
    assert range(5)[three] == 3
    assert bool(tir.const(0)) is False
    # Other types, and other bits, are other constants.
    assert three != tir.const(3, "int64")
    assert len({tir.const(0.0), tir.const(-0.0)}) == 2


def test_a_function_of_the_first_axes_is_the_same_along_the_others():
    k = te.reduce_axis((0, 4), name="k")
    first = te.compute((8, 3), lambda i: A[i, 0] + 1, name="first")
    total = te.compute((8, 2), lambda i: te.sum(A[i, k], axis=k), name="total")
    given = np.arange(32, dtype="f4").reshape(8, 4)
    firsts, totals = kc.build([A, first, total])(given)
    np.testing.assert_array_equal(firsts, np.repeat(given[:, :1] + 1, 3, axis=1))
    np.testing.assert_array_equal(totals, np.repeat(given.sum(axis=1)[:, None], 2, axis=1))


def test_types_without_bits_are_of_32():
    assert te.placeholder((8,), "float").dtype == "float32"
    assert te.var("n", "int").dtype == "int32"
    assert te.const(3, "uint").dtype == "uint32"


def test_a_function_tells_its_parameters():
    n = te.var("n")
    X = te.placeholder((n, 4), name="X")
    Y = te.compute((n, 4), lambda i, j: X[i, j] * n, name="Y")
    func = te.create_prim_func([X, n, Y])
    assert [(param.name, param.dtype) for param in func.params] == [
        ("X", "handle"),
        ("n", "int32"),
        ("Y", "handle"),
    ]
    buffers = {param.name: buffer for param, buffer in func.buffer_map.items()}
    assert {name: (str(b.shape), b.dtype) for name, b in buffers.items()} == {
        "X": ("(n, 4)", "float32"),
        "Y": ("(n, 4)", "float32"),
    }
    assert func.ret_type == ()
    assert func.attrs["global_symbol"] == "main"
    assert func.attrs["tir.noalias"] is True
    renamed = func.with_attr({"global_symbol": "twice", "my.level": 2, "my.fast": True})
    assert (renamed.name, renamed.attrs["my.level"], renamed.attrs["my.fast"]) == ("twice", 2, True)
    assert "my.level" not in renamed.without_attr("my.level").attrs
    assert "my.level" not in func.attrs
    given = np.arange(8, dtype="f4").reshape(2, 4)
    np.testing.assert_array_equal(kc.build(renamed, name="twice")(given, 2), given * 2)
    module = kc.IRModule({"f": func, "g": renamed})
    assert [var.name_hint for var in module.get_global_vars()] == ["f", "g"]
    assert module.get_global_var("g") == "g"
    assert kc.ir.structural_equal(module["f"].with_attr("global_symbol", "main"), func)  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ValueError, match="has no function 'h'"):
        module.get_global_var("h")
    with pytest.raises(kc.KCError) as caught:
        func.with_attr("my.list", [1])
    assert re.sub("  -->.*\n", "", str(caught.value)) == (
        "error[KC2102]: PrimFunc: the attribute my.list = [1]\n"
        "  why: global_symbol is a name, tir.noalias is true, other values are numbers, bools or "
        "strings"
    )


def test_a_function_of_variables_and_their_buffers():
    buffer = tir.decl_buffer((4,), "float32", name="b")
    handle = tir.Var("h", "handle")
    ib = tir.ir_builder.create()
    b = ib.buffer_ptr(buffer)
    with ib.for_range(0, 4, name="i") as i:
        b[i] = b[i] + 1.0
    func = tir.PrimFunc([handle], ib.get(), None, buffer_map={handle: buffer}, attrs={"x": 1})
    given = np.zeros(4, "f4")
    kc.build(func)(given)
    np.testing.assert_array_equal(given, np.ones(4, "f4"))
    assert func.attrs["x"] == 1


def test_modules_that_differ_are_an_error_of_python():
    B = te.compute((8, 4), lambda i, j: A[i, j] + 1, name="B")
    C = te.compute((8, 4), lambda i, j: A[i, j] + 2, name="B")
    D = te.compute((8, 4), lambda p, q: A[p, q] + 1, name="D")
    b, c, d = (te.create_prim_func([A, result]) for result in (B, C, D))
    assert kc.ir.structural_equal(b, d)
    assert kc.ir.structural_hash(b) == kc.ir.structural_hash(d)
    for error in (ValueError, AssertionError):
        with pytest.raises(error, match="the modules differ in @main: 'tir.store"):
            kc.ir.assert_structural_equal(b, c)


def strided(*strides: str):
    """The sum of two matrices whose rows are these distances apart."""
    n = te.var("n")
    X, Y = te.placeholder((n, 4), name="X"), te.placeholder((n, 4), name="Y")
    Z = te.compute((n, 4), lambda i, j: X[i, j] + Y[i, j], name="Z")
    known = {name: te.var(name) for name in strides}
    binds = {
        tensor: tir.decl_buffer((n, 4), name="b", strides=[known[name], 1])
        for tensor, name in zip((X, Y), strides, strict=True)
    }
    return kc.lower(te.create_schedule(Z.op), [X, Y, Z], binds=binds)


def test_strides_that_are_one_are_another_program():
    assert kc.ir.structural_equal(strided("s", "t"), strided("a", "b"))
    assert kc.ir.structural_equal(strided("s", "s"), strided("t", "t"))
    assert not kc.ir.structural_equal(strided("s", "t"), strided("s", "s"))


def test_a_bound_buffer_among_the_arguments_is_its_tensor():
    X = te.placeholder((4, 4), name="X")
    Z = te.compute((4, 4), lambda i, j: X[i, j] + 1, name="Z")
    s = te.create_schedule(Z.op)
    rows = tir.decl_buffer((4, 4), name="rows", strides=[te.var("s"), 1])
    by_tensor, by_buffer = (kc.lower(s, [given, Z], binds={X: rows}) for given in (X, rows))
    assert str(by_tensor) == str(by_buffer)


def test_what_was_said_of_axes():
    B = te.compute((8, 4), lambda i, j: A[i, j] + 1, name="B")
    s = te.create_schedule(B.op)
    outer, inner = s[B].split(B.op.axis[1], factor=2)
    s[B].unroll(inner)
    s[B].pragma(outer, "auto_unroll_max_step", 4)
    s[B].bind(B.op.axis[0], te.thread_axis("threadIdx.x"))
    attrs = s[B].iter_var_attrs
    assert attrs[inner].iter_type == tir.IterVar.Unrolled == 5
    assert (attrs[outer].pragma_keys, attrs[outer].pragma_values) == (["auto_unroll_max_step"], [4])
    assert attrs[B.op.axis[0]].bind_thread == "threadIdx.x"
    (split,) = s[B].relations
    assert isinstance(split, Split)
    assert (split.parent, split.outer, split.inner, split.factor) == (B.op.axis[1], outer, inner, 2)
    assert s[B].group is None
    assert s[B].attach_type == 1


def test_hybrid_functions_give_lists_and_are_built():
    @te.hybrid.script
    def twice_and_thrice(a):
        b = output_tensor((8,), "float32")  # noqa: F821  # pyright: ignore
        c = output_tensor((8,), "float32")  # noqa: F821  # pyright: ignore
        for i in range(8):
            b[i] = a[i] * 2.0
            c[i] = a[i] * 3.0
        return b, c

    x = te.placeholder((8,), name="x")
    results = twice_and_thrice(x)
    assert isinstance(results, list)
    built = te.hybrid.build(te.create_schedule(results[0].op), [x], results)
    given = np.arange(8, dtype="f4")
    two, three = built(given)
    np.testing.assert_array_equal(two, given * 2)
    np.testing.assert_array_equal(three, given * 3)


def test_targets_tell_what_tvm_asks():
    assert {"llvm", "c", "cuda"} <= set(kc.target.Target.list_kinds())
    assert kc.target.Target("llvm -model=foo").model == "foo"
    assert kc.target.Target("llvm").model == "unknown"
    xavier = kc.target.Target("nvidia/jetson-agx-xavier")
    assert (xavier.arch, xavier.max_num_threads, xavier.thread_warp_size) == ("sm_72", 1024, 32)
    assert kc.target.Target("aws/cpu/c5.24xlarge").num_cores == 48
    assert kc.target.list_tags()["nvidia/geforce-rtx-2080-ti"].arch == "sm_75"
    assert kc.target.list_tags()["raspberry-pi/4b-32"].mcpu == "cortex-a72"
    # A feature or a CPU says which architecture is meant.
    assert kc.target.Target("llvm -mattr=+neon,+dotprod").architecture.name == "aarch64"  # pyright: ignore[reportOptionalMemberAccess]
    assert kc.target.Target("llvm -mattr=+avx2").architecture.name == "x86_64"  # pyright: ignore[reportOptionalMemberAccess]


def test_arrays_of_vectors():
    x = te.placeholder((4,), "float32x2", name="x")
    y = te.compute((4,), lambda i: x[i] + x[i], name="y")
    built = kc.build(te.create_schedule(y.op), [x, y])
    given = np.arange(8, dtype="f4").reshape(4, 2)
    out = kc.nd.empty((4,), "float32x2")
    built(kc.nd.array(given, dtype="float32x2"), out)
    np.testing.assert_array_equal(out.numpy(), given * 2)
    with pytest.raises(kc.KCError) as caught:
        kc.nd.array(np.zeros((4, 3), "f4"), dtype="float32x2")
    assert str(caught.value) == (
        "error[KC5124]: array: a source of shape (4, 3) for elements of float32x2\n"
        "  why: the last dimension must hold the lanes of an element: 2"
    )


def test_bits_of_bfloat16():
    x = te.placeholder((4,), "bfloat16", name="x")
    y = te.compute((4,), lambda i: x[i] + x[i], name="y")
    bits = np.zeros(4, np.uint16)
    kc.build(te.create_schedule(y.op), [x, y])(np.full(4, 0x3F80, np.uint16), bits)
    assert bits.tolist() == [0x4000] * 4


def test_a_handle_is_no_number():
    handle = tir.Var("h", "handle")
    for call in (lambda: handle + 1, lambda: A[0, 0] + handle):
        with pytest.raises(kc.KCError, match="h is not a scalar expression"):
            call()
    with pytest.raises(kc.KCError) as caught:
        te.compute((4,), lambda i: handle)
    assert re.sub("  -->.*\n", "", str(caught.value)) == (
        "error[KC2004]: h is not a scalar expression\n"
        "  why: it is a handle, which stands for a buffer\n"
        "  try: tir.PrimFunc(params, body, buffer_map={handle: buffer})"
    )


def test_a_host_beside_the_target():
    B = te.compute((8, 4), lambda i, j: A[i, j] + 1, name="B")
    s = te.create_schedule(B.op)
    s[B].split(B.op.axis[0], 4, disable_predication=True)
    host = kc.target.Target("llvm -mcpu=generic")
    named = kc.build(s, [A, B], "c", name="add", target_host=host, runtime=None)
    by_place = kc.build(s, [A, B], "c", "llvm")
    assert (named.entry_name, by_place.entry_name) == ("add", "main")
    assert len(tir.Schedule(te.create_prim_func([A, B]), enable_check=False).get_loops("B")) == 2
