"""What programs for TVM ask of objects: numbers, sizes, modules."""

import numpy as np

import kc
from kc import te

A = te.placeholder((8, 4), name="A")


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
