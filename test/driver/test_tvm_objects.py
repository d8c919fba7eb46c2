"""Objects by the names of tvm.ir, tvm.runtime and tvm.target; operators' rules; absent names."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.expr import op_attributes
from kc.support.diagnostics import KCError

N = 8
A = te.placeholder((N,), name="A")
DATA = np.linspace(0.5, 2, N).astype("float32")


def refused(make: Callable[[], Any]) -> str:
    with pytest.raises(KCError) as caught:
        make()
    return "\n".join(line for line in str(caught.value).split("\n") if "-->" not in line)


@pytest.fixture
def operators() -> Iterator[None]:
    """Takes back what a test registers."""
    known = dict(op_attributes._operators)  # pyright: ignore[reportPrivateUsage]
    yield
    for name in set(op_attributes._operators) - set(known):  # pyright: ignore[reportPrivateUsage]
        op_attributes.forget(name)


def built(value: Callable[[Any], Any], lanes: int = 0) -> Any:
    B = te.compute((N,), lambda i: value(A[i]), name="B")
    s = te.create_schedule(B.op)
    if lanes:
        s[B].vectorize(s[B].split(B.op.axis[0], lanes)[1])
    return kc.build(s, [A, B], "llvm")


@pytest.mark.usefixtures("operators")
def test_a_rule_replaces_calls_of_an_operator():
    def rule(call: Any) -> Any:
        assert call.op.name == "tir.exp"
        if call.dtype == "float32":
            return tir.call_pure_extern("float32", "expf", call.args[0])
        return call

    kc.ir.register_intrin_lowering("tir.exp", target="llvm", f=rule, level=99)
    f = built(te.exp)
    assert "@expf(" in f.get_source("ll")
    np.testing.assert_allclose(f(DATA), np.exp(DATA), rtol=1e-6)


@pytest.mark.usefixtures("operators")
def test_operators_of_ones_own():
    def mylog(value: Any) -> Any:
        return tir.call_intrin(value.dtype, "tir.mylog", value)

    kc.ir.register_op_attr("tir.mylog", "TCallEffectKind", tir.CallEffectKind.Pure)
    assert refused(lambda: built(mylog)) == (
        "error[KC2181]: tir.mylog: no rule defines the operator for the target 'llvm'\n"
        "  why: a registered rule must define a user's operator\n"
        '  try: tvm.ir.register_intrin_lowering("tir.mylog", "default", f=rule)'
    )

    @kc.ir.register_intrin_lowering("tir.mylog", "default")
    def rule(call: Any) -> Any:
        return te.log(call.args[0]) * 2.0

    np.testing.assert_allclose(built(mylog, lanes=4)(DATA), 2 * np.log(DATA), rtol=1e-6)
    assert refused(
        lambda: kc.ir.register_intrin_lowering("tir.mylog", "default", f=lambda call: None)
    ) == (
        "error[KC2179]: tir.mylog: 'default' is registered twice at level 10\n"
        "  why: the rule or value of the highest level applies, so levels must differ\n"
        "  try: level=11"
    )
    kc.ir.register_intrin_lowering(
        "tir.mylog", "llvm", f=lambda call: call.args[0].astype("int32"), level=11
    )
    assert refused(lambda: built(mylog)) == (
        "error[KC2180]: tir.mylog: its rule returns a value of type int32\n"
        "  why: the call has a result of type float32\n"
        '  try: (...).astype("float32")'
    )
    assert kc.ir.Op.get("tir.mylog").name == "tir.mylog"
    assert "tir.mylog" in kc.ir.Op.list_op_names()


def test_an_operator_that_nobody_knows():
    assert refused(lambda: kc.ir.Op.get("tir.expp")) == (
        "error[KC2151]: Op.get: there is no operator 'tir.expp'\n"
        "  try: did you mean 'exp' or 'exp2' or 'ldexp'?"
    )


def test_functions_are_chosen_by_the_target():
    @kc.target.generic_func
    def threads(n: int) -> tuple[str, int]:
        return "default", n

    @threads.register(["cuda", "gpu"])
    def threads_of_gpus(n: int) -> tuple[str, int]:
        return "gpu", n

    assert threads(1) == ("default", 1)
    with kc.Target("cuda"):
        assert threads(2) == ("gpu", 2)
    with kc.Target("llvm"):
        assert threads(3) == ("default", 3)
    assert refused(lambda: threads.register(threads_of_gpus, "gpu")) == (
        "error[KC0093]: threads: a function for 'gpu' already exists\n  try: override=True"
    )
    native = kc.target.get_native_generic_func("test.native_threads")
    with kc.Target("llvm"):
        assert refused(lambda: native(1)) == (
            "error[KC0094]: test.native_threads: no function for the target llvm\n"
            "  why: functions exist for no target, and there is no default\n"
            "  try: with kc.Target(...):\n"
            "  try: test.native_threads.set_default(function)"
        )
    overridden = kc.target.override_native_generic_func("test.native_threads")(lambda n: n + 1)
    assert overridden is native
    assert native(1) == 2


def test_facts_of_llvm():
    codegen = kc.target.codegen
    assert codegen.llvm_version_major() >= 15
    fma = codegen.llvm_lookup_intrinsic_id("llvm.fma")
    assert codegen.llvm_get_intrinsic_name(fma) == "llvm.fma"
    assert codegen.llvm_lookup_intrinsic_id("fma") == 0
    f = built(lambda x: tir.call_llvm_pure_intrin("float32", fma, 1, x, x, x))
    np.testing.assert_allclose(f(DATA), DATA * DATA + DATA, rtol=1e-6)


def test_classes_of_objects():
    B = te.compute((N,), lambda i: A[i] + 1.0, name="B")
    function = te.create_prim_func([A, B])
    ir, runtime = kc.ir, kc.runtime
    assert isinstance(A[0], ir.PrimExpr)
    assert isinstance(A[0], ir.BaseExpr)
    assert not isinstance(A, ir.PrimExpr)
    assert isinstance(function["main"], ir.BaseFunc)
    assert isinstance(B.op, runtime.Object)
    assert isinstance([1], ir.Array)
    assert isinstance({}, ir.Map)
    assert isinstance("text", runtime.String)
    assert ir.Array((1, 2)) == [1, 2]
    assert isinstance(kc.get_global_func(registered()), runtime.PackedFunc)
    assert isinstance(kc.transform.Sequential([]), kc.transform.Pass)
    assert not isinstance(B, kc.transform.Pass)
    pointer = ir.PointerType(ir.PrimType("float32"), "shared")
    assert pointer == ir.PointerType(ir.PrimType("float32"), "shared")
    assert pointer != ir.PointerType(ir.PrimType("float32"))
    assert tir.Var("p", pointer).dtype == "handle"
    assert ir.TupleType([pointer]).fields == (pointer,)
    assert ir.FuncType([pointer], ir.PrimType("int32")).arg_types == (pointer,)
    span = ir.Span(ir.SourceName("f.py"), 1, 2, 3, 4)
    assert pickle.loads(pickle.dumps(span)) == span
    assert runtime.convert_to_object((1, "a")) == (1, "a")
    assert runtime.DataTypeCode.FLOAT == 2
    assert runtime.ndarray.array is kc.nd.array


def registered() -> str:
    kc.register_func("test.objects.add", lambda a, b: a + b, override=True)
    return "test.objects.add"


def test_values_by_the_names_of_their_classes():
    assert kc.ir.make_node("IntImm", dtype="int32", value=3) == 3
    total = kc.ir.make_node("tir.Add", a=te.var("a"), b=te.var("b"))
    assert isinstance(total, tir.Add)
    assert kc.ir.make_node("DictAttrs", x=1) == {"x": 1}
    assert kc.ir.EnvFunc.get(registered())(1, 2) == 3
    assert refused(lambda: kc.ir.make_node("tir.Ad")) == (
        "error[KC0092]: make_node: there is no class 'tir.Ad'\n  try: did you mean 'And' or 'Add'?"
    )


def test_operations_of_te():
    @te.hybrid.script
    def double(a):
        c = output_tensor((8,), "float32")  # noqa: F821  # pyright: ignore
        for i in range(8):
            c[i] = a[i] * 2.0
        return c

    hybrid, plain = double(A), te.compute((N,), lambda i: A[i], name="B")
    assert isinstance(hybrid.op, te.HybridOp)
    assert isinstance(plain.op, te.BaseComputeOp)
    assert not isinstance(plain.op, te.HybridOp)
    assert not isinstance(plain.op, te.TensorComputeOp)
    assert isinstance(te.placeholder((2, 2))[0], te.TensorSlice)


def test_what_a_schedule_did():
    M = te.placeholder((4, 6), name="M")
    B = te.compute((4, 6), lambda i, j: M[i, j] + 1.0, name="B")
    C = te.compute((4, 6), lambda i, j: B[i, j] * 2.0, name="C")
    s = te.create_schedule(C.op)
    i, j = C.op.axis
    outer, inner = s[C].split(j, 2)
    s[B].compute_at(s[C], outer)
    assert [type(relation) for relation in s[C].relations] == [te.schedule.Split]
    paths = te.schedule.CreateAttachPath(s)
    assert paths[B.op] == [outer, i]
    assert paths[C.op] == []
    state = te.placeholder((3, 6), name="state")
    first = te.compute((1, 6), lambda _, j: M[0, j], name="first")
    step = te.compute((3, 6), lambda t, j: state[t - 1, j] + M[t, j], name="step")
    scan = te.scan(first, step, state, inputs=[M])
    assert te.schedule.ScanGetBody(scan.op) == [step.op]
    assert inner in s[C].leaf_iter_vars


ABSENT = {
    "tir.ProducerStore": "an intermediate form of TVM's lowering, which no program writes: "
    "in kc `te.compute` and `tir.Schedule` make the loops",
    "tir.usmp": "`kc.analysis` reasons on the IR; memory is planned by `storage-rewrite`",
    "target.mali": "for machines that kc does not support",
    "runtime.system_lib": "modules are loaded from files: `kc.runtime.load_module`",
}


@pytest.mark.parametrize("name", ABSENT)
def test_an_absent_name_says_what_is_there_instead(name):
    space, last = name.split(".")
    assert not hasattr(getattr(kc, space), last)
    with pytest.raises(AttributeError) as caught:
        getattr(getattr(kc, space), last)
    text = "\n".join(line for line in str(caught.value).split("\n") if "-->" not in line)
    assert text == (
        f"error[KC0095]: tvm.{name} is not in kc\n  why: {ABSENT[name]}\n"
        "  try: docs/migration.md lists TVM's names and their counterparts"
    )


def test_a_name_that_nobody_has():
    with pytest.raises(AttributeError, match="module 'kc.tir' has no attribute 'Fro'"):
        _ = tir.Fro  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(AttributeError) as caught:
        _ = te.compte  # pyright: ignore[reportAttributeAccessIssue]
    assert str(caught.value) == (
        "module 'kc.te' has no attribute 'compte'; "
        "did you mean 'compute' or 'ComputeOp' or 'const'?"
    )
    assert not hasattr(te, "_private")
    with pytest.raises(KCError) as refusal:
        kc.IRModule.parse("matmul.mlir")
    assert refusal.value.render().split("\n")[::2] == [
        "error[KC1001]: 'matmul.mlir' is the name of a file, not IR",
        "  try: kc.IRModule.parse(open('matmul.mlir').read()) reads the file",
    ]


def test_expressions_are_compared_by_structure():
    x, y = te.var("x"), te.var("y")
    equal = kc.ir.structural_equal
    assert equal(x + 1, x + 1)
    assert not equal(x + 1, y + 1)
    assert equal(x + 1, y + 1, map_free_vars=True)
    assert not equal(x + y, x + x, map_free_vars=True)
    assert not equal(x + x, x + y, map_free_vars=True)
    assert not equal(x + 1, x + 2)
    assert not equal(tir.const(1, "int32"), tir.const(1, "int64"))
    assert not equal(tir.const(0.0), tir.const(-0.0))
    assert equal(A[x] * 2.0, A[x] * 2.0)
    assert not equal(A[x] * 2.0, A[x] * 2.0 + 0.0)
    with pytest.raises(ValueError, match=r"x \+ 1 is not x \+ 2"):
        kc.ir.assert_structural_equal(x + 1, x + 2)


def test_tensor_expressions_are_json():
    x = te.var("x")
    again = kc.ir.load_json(kc.ir.save_json(x * 2 + 1))
    kc.ir.assert_structural_equal(again, x * 2 + 1, map_free_vars=True)
    B = te.compute((N,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    s[B].vectorize(s[B].split(B.op.axis[0], 4)[1])
    loaded = kc.ir.load_json(kc.ir.save_json(s))
    (op,) = loaded.outputs
    args = [*op.input_tensors, op.output(0)]
    assert str(kc.lower(loaded, args)) == str(kc.lower(s, [A, B]))
    np.testing.assert_array_equal(kc.build(loaded, args)(DATA), DATA + 1)


def test_small_names_of_tvm():
    x, k = te.var("x"), te.reduce_axis((0, 4), "k")
    assert x.same_as(x)
    assert not (x + 1).same_as(x + 1)
    assert isinstance((x == 1).asobject(), tir.EQ)
    assert k.iter_type == tir.IterVar.CommReduce
    sizes = kc.topi.utils.get_const_tuple(te.placeholder((4, 2)).shape)
    assert sizes == (4, 2)
    assert all(type(size) is int for size in sizes)
    assert refused(lambda: kc.topi.utils.get_const_int(x)) == (
        "error[KC2012]: get_const_int: x is not a number\n"
        "  why: its value is known only when the kernel is called"
    )
    B = te.compute((N,), lambda i: A[i] + 1.0, name="B")
    function = te.create_prim_func([A, B])
    first, second = tir.Schedule(function), tir.Schedule(function)
    first.split(first.get_loops("B")[0], [None, 4])
    tir.Trace.apply_json_to_schedule(first.trace.as_json(), second)
    assert str(first.mod) == str(second.mod)


def test_pointers_to_vectors():
    ib = tir.ir_builder.create()
    n = te.size_var("n")
    V = ib.pointer("float32x4", name="V")
    with ib.for_range(0, n, name="i") as i:
        V[i] = V[i] + tir.const(1, "float32x4")
    f = kc.build(tir.PrimFunc([V.asobject(), n], ib.get()))
    given = np.arange(16, dtype="float32").reshape(4, 4)
    f(given, 3)
    assert given.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [12, 13, 14, 15]]


def test_schedules_are_json_with_their_traces():
    B = te.compute((N,), lambda i: A[i] + 1.0, name="B")
    sch = tir.Schedule(te.create_prim_func([A, B]), seed=1)
    (i,) = sch.get_loops("B")
    sch.split(i, sch.sample_perfect_tile(i, 2))
    for again in (
        kc.ir.load_json(kc.ir.save_json(sch)),
        pickle.loads(pickle.dumps(sch)),
        copy.deepcopy(sch),
    ):
        assert (str(again.mod), str(again.trace)) == (str(sch.mod), str(sch.trace))
        again.undo()
        assert len(again.get_loops("B")) == 1
    trace = kc.ir.load_json(kc.ir.save_json(sch.trace))
    assert str(trace) == str(sch.trace)
    broken = json.loads(kc.ir.save_json(sch))
    del broken["schedule"]["module"]
    assert refused(lambda: kc.ir.load_json(json.dumps(broken))).startswith("error[KC0083]")
    broken = json.loads(kc.ir.save_json(sch))
    broken["schedule"]["trace"]["instructions"][0]["kind"] = "fly"
    assert refused(lambda: kc.ir.load_json(json.dumps(broken))).startswith("error[KC3711]")


def test_what_a_block_reads_and_writes():
    k = te.reduce_axis((0, 4), "k")
    W = te.placeholder((4, N + 4), name="W")
    B = te.compute((N,), lambda i: te.sum(A[i] * W[k, i + k], axis=k), name="B")
    sch = tir.Schedule(te.create_prim_func([A, W, B]))
    block: Any = sch.get(sch.get_block("B"))
    assert repr(block.reads) == "[A[v_i], W[v_k, v_i + v_k]]"
    assert repr(block.writes) == "[B[v_i]]"
    (region,) = block.writes
    assert (region.buffer.name, region.buffer.shape, region.buffer.dtype) == ("B", (N,), "float32")
    assert (str(region.region[0].min), int(region.region[0].extent)) == ("v_i", 1)
    kinds = [(axis.name, axis.dom.extent, axis.iter_type) for axis in block.iter_vars]
    assert kinds == [("v_i", N, tir.IterVar.DataPar), ("v_k", 4, tir.IterVar.CommReduce)]
