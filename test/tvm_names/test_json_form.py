"""Tensor expressions as JSON: they come back whole, and nothing in a text is executed."""

import json
import pickle
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.ir import load_json, save_json

N = 16


def refused(text: Any) -> kc.KCError:
    with pytest.raises(kc.KCError) as refusal:
        load_json(text if isinstance(text, str) else json.dumps(text))
    return refusal.value


def read_back(node: Any) -> Any:
    """``node`` written and read; writing it again gives the same text."""
    text = save_json(node)
    again = load_json(text)
    assert type(again) is type(node)
    assert save_json(again) == text
    return again


def blocked_product() -> tuple[te.Schedule, list[Any]]:
    n = te.var("n")
    X, Y = te.placeholder((n, n), name="X"), te.placeholder((n, n), name="Y")
    k = te.reduce_axis((0, n), "k")
    C = te.compute((n, n), lambda i, j: te.sum(X[i, k] * Y[k, j], axis=k), name="C")
    D = te.compute((n, n), lambda i, j: C[i, j] + 1.0, name="D")
    s = te.create_schedule(D.op)
    _, j_o, _, j_i = s[D].tile(D.op.axis[0], D.op.axis[1], 8, 8)
    local = s.cache_write(C, "local")
    s[C].compute_at(s[D], j_o)
    s[local].compute_at(s[D], j_o)
    s[s.cache_read(X, "local", [local])].compute_at(s[D], j_o)
    s[D].vectorize(j_i)
    return s, [X, Y, D]


def partial_sums() -> tuple[te.Schedule, list[Any]]:
    A, k = te.placeholder((N,), name="A"), te.reduce_axis((0, N), "k")
    B = te.compute((1,), lambda i: te.sum(A[k], axis=k), name="B")
    s = te.create_schedule(B.op)
    s.rfactor(B, s[B].split(k, 4)[1])
    return s, [A, B]


def scan() -> tuple[te.Schedule, list[Any]]:
    m = te.var("m")
    X, state = te.placeholder((m, 4), name="X"), te.placeholder((m, 4), name="state")
    first = te.compute((1, 4), lambda _, i: X[0, i])
    update = te.compute((m, 4), lambda t, i: state[t - 1, i] + X[t, i])
    Y = te.scan(first, update, state, inputs=[X])
    s = te.create_schedule(Y.op)
    s[update].vectorize(update.op.axis[1])
    return s, [X, Y]


def own_reducer() -> tuple[te.Schedule, list[Any]]:
    product = te.comm_reducer(lambda a, b: a * b, lambda t: tir.const(1, t), name="product")
    A, k = te.placeholder((N, 4), "int32", name="A"), te.reduce_axis((0, 4), "k")
    B = te.compute((N,), lambda i: product(A[i, k], axis=k), name="B")
    s = te.create_schedule(B.op)
    s[B].parallel(B.op.axis[0])
    return s, [A, B]


def grouped() -> tuple[te.Schedule, list[Any]]:
    A = te.placeholder((N,), name="A")
    B = te.compute((N,), lambda i: A[i] * 2.0, name="B")
    C = te.compute((N,), lambda i: B[i] + 1.0, name="C")
    D = te.compute((N,), lambda i: te.if_then_else(i < 3, C[i], te.max_value("float32")), name="D")
    s = te.create_schedule(D.op)
    s.create_group(outputs=C, inputs=A).compute_at(s[D], s[D].split(D.op.axis[0], 4)[0])
    return s, [A, D]


@pytest.mark.parametrize("make", [blocked_product, partial_sums, scan, own_reducer, grouped])
def test_schedules_come_back(make: Any):
    s, args = make()
    again = read_back(s)
    by_name = {
        tensor.name: tensor
        for stage in again.stages
        for tensor in [*stage.op.input_tensors, *stage.op.outputs]
    }
    assert str(kc.lower(again, [by_name[arg.name] for arg in args])) == str(kc.lower(s, args))


def test_what_comes_back_computes():
    again = read_back(blocked_product()[0])
    (out,) = again.outputs
    tensors = {tensor.name: tensor for stage in again.stages for tensor in stage.op.outputs}
    f = kc.build(again, [tensors["X"], tensors["Y"], out.output(0)])
    x, y = np.random.default_rng(0).integers(-4, 4, (2, 12, 12)).astype(np.float32)
    np.testing.assert_array_equal(f(x, y), x @ y + 1)


def test_values_of_all_kinds():
    n = te.var("n")
    i = te.reduce_axis((2, 10), "i")
    buffer = tir.decl_buffer((4, n), "float32", "buffer", strides=[te.var("stride"), 1])
    for value in (
        *(n + 1, n == 1, te.exp(te.var("x", "float32")), tir.const(-0.0), i, i + n, buffer),
        *(buffer[1, n - 1], te.max_value("float64"), tir.const(float("inf")), te.size_var("m")),
        *(tir.Select(n > 1, n, n * 2), n.astype("float16"), tir.Ramp(n, 2, 4)),
    ):
        read_back(value)
    (zero,) = (read_back(tir.const(-0.0)),)
    assert str(zero.value) == "-0.0"
    assert read_back(i).dom == (2, 10)
    attrs = {"a": 1, "b": [1.5, "x", None], "c": (float("nan"), {1, 2}), "d": b"\x00"}
    B = te.compute((4,), lambda i: tir.const(0.0), name="B", attrs=attrs)
    assert repr(read_back(B).op.attrs) == repr(attrs)
    again = read_back(B)
    assert again.op.output(0) is again


def test_a_long_sum_is_saved():
    x = n = te.var("n")
    for _ in range(5000):
        x = x + n
    assert save_json(load_json(save_json(x))) == save_json(x)


def test_code_is_not_saved():
    A = te.placeholder((4,), name="A")
    B = te.extern((4,), [A], lambda ins, outs: tir.call_packed("f", ins[0], outs[0]), name="B")
    with pytest.raises(kc.KCError) as refusal:
        save_json(B)
    assert refusal.value.code == "KC0082"
    assert refusal.value.message == "save_json: a value of ExternOp, B, is not data"


class Ran:
    """Set by code that a text carries, if it is executed."""

    marks: list[int] = []

    def __reduce__(self) -> Any:
        return self.marks.append, (1,)


def test_pickles_are_refused():
    """Also where they name classes of kc alone: any name can lead to any code."""
    for content in ("", pickle.dumps(Ran()).hex(), 3, None):
        error = refused({"kc": "0", "pickle": content})
        assert (error.code, error.message) == ("KC0097", "load_json: the text holds a pickle")
    assert Ran.marks == []


VAR = {"class": "Var", "name": "n", "dtype": "int32", "location": None, "is_size": False}
VAR["is_any"] = False
ADD = {"class": "Binary", "op": "add", "dtype": "int32", "location": None}


@pytest.mark.parametrize(
    ("nodes", "why"),
    [
        ([], "'node' of 0 is not a value"),
        ([3], "None is not a class of tensor expressions"),
        ([{"class": "os.system"}], "'os.system' is not a class of tensor expressions"),
        (
            [{"class": "kc.expr.rewrite.sys"}],
            "'kc.expr.rewrite.sys' is not a class of tensor expressions",
        ),
        ([{"class": ["Var"]}], "['Var'] is not a class of tensor expressions"),
        ([{"class": "Var"}], "a Var without 'name'"),
        ([{**VAR, "__class__": 1}], "a Var with '__class__'"),
        ([{**VAR, "name": 3}], "name of a Var is a int"),
        ([{**VAR, "name": "a b"}], "the name 'a b' is not an identifier"),
        ([{**VAR, "dtype": "int3"}], "unknown element type 'int3'"),
        ([{**VAR, "dtype": "int8x" + "9" * 5000}], None),
        ([{**VAR, "is_size": 1}], "is_size of a Var is a int"),
        ([{**VAR, "name": {"node": 0}}], "'node' of 0 is not a value"),
        ([{**VAR, "name": {"call": []}}], "'call' of 0 values is not a value"),
        ([{**VAR, "name": {"dict": [[[], 1]]}}], "'dict' of 1 values is not a value"),
        ([{**VAR, "name": {"bytes": "xy"}}], None),
        ([{**ADD, "lhs": {"node": 0}, "rhs": {"node": 0}}], "'node' of 0 is not a value"),
        ([{**ADD, "lhs": 1, "rhs": 1}], "lhs of a Binary is a int"),
        (
            [VAR, {**ADD, "op": "system", "lhs": {"node": 0}, "rhs": {"node": 0}}],
            "'system' is not an operation",
        ),
        ([{"class": "Const", "value": 300, "dtype": "int8", "location": None}], None),
        ([{"class": "Split"}], "a Split without 'parent'"),
    ],
)
def test_texts_that_are_no_expressions(nodes: Any, why: str | None):
    error = refused({"te": {"nodes": nodes, "root": 0}})
    assert error.code == "KC0083"
    assert why is None or error.why == why


def test_texts_that_are_no_schedules():
    s, _ = partial_sums()
    whole = json.loads(save_json(s))
    for n, node in enumerate(whole["te"]["nodes"]):
        for key in node:
            broken = json.loads(json.dumps(whole))
            del broken["te"]["nodes"][n][key]
            assert refused(broken).code == "KC0083"
    sch = tir.Schedule(kc.lower(*grouped()))
    whole = json.loads(save_json(sch))
    for key in whole["schedule"]:
        broken = json.loads(json.dumps(whole))
        broken["schedule"][key] = 7
        assert refused(broken).why == f'a schedule needs the key "{key}"'
    for text in ("", "3", "[]", "[" * 100_000, "9" * 5000, '{"kc": "1"}', '{"module": 3}'):
        assert refused(text).code == "KC0083"
