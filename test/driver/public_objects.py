"""An object of each public class, and of the kinds that public functions make."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import kc
import kc.te.schedule
from kc import gpu, nd, te, tir, topi, transform
from kc.error import InternalError, KCError
from kc.support.progress import Progress

A = te.placeholder((8, 16), name="A")
N = te.var("n")
K = te.reduce_axis((0, 16), name="k")
B = te.compute((8, 16), lambda i, j: A[i, j] + 1.0, name="B")
C = te.compute((8,), lambda i: te.sum(B[i, K], axis=K), name="C")
BUFFER = tir.decl_buffer((4, 4), "float32", name="X")


def refusal(call: Callable[[], Any]) -> BaseException:
    with pytest.raises(KCError) as caught:
        call()
    return caught.value


def eager() -> dict[str, Any]:
    sch = tir.Schedule(te.create_prim_func([A, C]))
    block = sch.get_block("B")
    loop, inner = sch.get_loops(block)
    sch.split(inner, [None, 4])
    root = sch.get_sref(sch.get_block("root"))
    assert root is not None
    return {
        "eager schedule": sch, "handle of a block": block, "handle of a loop": loop,
        "trace": sch.trace, "instruction": sch.trace.insts[0], "state": sch.state,
        "place of a block": sch.get_sref(block), "block": sch.get(block), "loop": sch.get(loop),
        "scope of blocks": sch.state.get_block_scope(root),
        "costs": sch.cost(), "report": sch.report(), "random decision":
        sch.sample_categorical([1, 2], [0.5, 0.5]),
        "unknown block": refusal(lambda: sch.get_block("nothing")),
    }  # fmt: skip


def built() -> dict[str, Any]:
    module = kc.build(te.create_schedule(C.op), [A, C], name="f")
    evaluate = module.time_evaluator("f", kc.cpu(0), number=1)
    arrays = nd.array(np.ones((8, 16), np.float32)), nd.array(np.zeros(8, np.float32))
    return {
        "built module": module, "built function": module["f"], "evaluator": evaluate,
        "times": evaluate(*arrays), "array": arrays[0],
        "a wrong call": refusal(lambda: module(1)), "signature": module["f"].signature,
        "argument": module["f"].signature.args[0], "record":
        kc.runtime.ModuleRecord("f", (module["f"].signature,), ("f",), "llvm", "", "", "", "0"),
        "function of Python": kc.runtime.PythonFunction(module["f"].signature, print),
        "function to compile": kc.runtime.DeferredFunction(module["f"].signature, int),  # pyright: ignore[reportArgumentType]
    }  # fmt: skip


def statements() -> Any:
    ib = tir.ir_builder.create()
    x = ib.allocate("float32", (4,), name="x")
    with ib.for_range(0, 4, name="i") as i:
        x[i] = 1.0
    return {"builder": ib, "variable of a builder": x, "statements": ib.get()}


def lazy() -> dict[str, Any]:
    s = te.create_schedule(C.op)
    group = s.create_group(outputs=C, inputs=A)
    parts = te.create_schedule(B.op)
    parts[B].fuse(*parts[B].split(parts[B].op.axis[0], 4))
    parts[B].fuse()
    lowered = kc.lower(te.create_schedule(C.op), [A, C])
    return {
        "schedule": s, "stage": s[B], "group": group, "lowered": lowered,
        "global variable": lowered.get_global_vars()[0],
        **{f"relation {n}": relation for n, relation in enumerate(parts[B].relations)},
    }  # fmt: skip


INDEX, X, Y = te.var("i"), te.var("x", "float32"), te.var("y", "float32")
ROW = tir.decl_buffer((16,), "float32", "R")
CELL = tir.decl_buffer((1,), "int32", "cell")


def expressions() -> dict[str, Any]:
    operators = (
        *(tir.Add, tir.Sub, tir.Mul, tir.Div, tir.Mod, tir.FloorDiv, tir.FloorMod, tir.Min),
        *(tir.Max, tir.EQ, tir.NE, tir.LT, tir.LE, tir.GT, tir.GE),
    )
    product = tir.CommReducer([X], [Y], [X * Y], [1.0])
    return {
        **{operator.__name__: operator(N, INDEX) for operator in operators},
        "or": tir.Or(N > 1, INDEX > 1), "size of a caller": te.size_var("m"), "any size": tir.Any(),
        "lanes": tir.Shuffle([tir.Ramp(0, 1, 4)], [1, 0]), "float": tir.FloatImm("float32", 1.0),
        "integer": tir.IntImm("int32", 1),
        "vector": ROW.vload(0, "float32x4"), "combiner": product, "reduce by a combiner":
        tir.Reduce(product, [A[0, K]], [K], True, 0), "effect": tir.CallEffectKind.Pure,
        "reducer": te.comm_reducer(lambda x, y: x * y, lambda dtype: te.const(1, dtype)),
        "exponential": te.exp(X), "call of a packed function": tir.call_packed("f", N),
        "if": tir.if_then_else(N > 1, X, Y),
    }  # fmt: skip


def tir_statements() -> dict[str, Any]:
    store = tir.BufferStore(ROW, 1.0, [INDEX])
    part = tir.BufferRegion(ROW, [kc.ir.Range(0, 4)])
    block = tir.Block([tir.IterVar((0, 16), INDEX, tir.IterVar.DataPar)], [], [part], "b", store)
    named = tir.LetStmt(N, 1, store)
    return {
        "store": store, "part of a buffer": part, "parts of a block": block, "let in statements":
        named, "value of a let": named.seq[0].var, "let": named.seq[0],
        "sequence of statements": tir.SeqStmt([store]),
        "part that has a name": tir.MatchBufferRegion(tir.decl_buffer((4,), name="P"), part),
        "for": tir.For(INDEX, 0, 16, tir.ForKind.SERIAL, store),
        "kind of loops": tir.ForKind.SERIAL,
        "if with statements": tir.IfThenElse(N > 1, store, store), "while":
        tir.While(CELL[0] > 0, tir.BufferStore(CELL, 0, [0])), "assertion":
        tir.AssertStmt(N > 1, "n is too small", store), "effects":
        tir.Evaluate(tir.call_extern("int32", "f", N)),
        "hint": tir.Prefetch(ROW, [kc.ir.Range(0, 4)]),
        "memory": tir.Allocate(ROW.data, "float32", (16,), True, store).seq[0], "threads":
        tir.AttrStmt(te.thread_axis("threadIdx.x"), "thread_extent", 32, store), "numbers":
        tir.AllocateConst(ROW.data, "float32", (16,), np.ones(16, np.float32), store),
        "realized": tir.BlockRealize([0], True, block), "memory of a part":
        tir.BufferRealize(ROW, [(0, 16)], N > 1, store),
    }  # fmt: skip


@te.hybrid.script
def first_column(a):  # pyright: ignore
    b = output_tensor((8,), a.dtype)  # noqa: F821  # pyright: ignore
    for i in range(8):
        b[i] = a[i, 0]
    return b


@kc.script
def increment(A: kc.Buffer((16,)), B: kc.Buffer((16,))):  # pyright: ignore
    for i in range(16):
        B[i] = A[i] + 1.0


def operations() -> dict[str, Any]:
    terms = te.placeholder((4, 8), name="terms")
    state = te.placeholder((4, 8), name="state")
    first = te.compute((1, 8), lambda _, i: terms[0, i])
    update = te.compute((4, 8), lambda t, i: state[t - 1, i] + terms[t, i])
    scan = te.scan(first, update, state, inputs=[terms])
    small = te.placeholder((4,), name="small")
    more = te.compute((4,), lambda i: small[i] + 1.0)
    intrinsic = te.decl_tensor_intrin(
        more.op, lambda ins, outs: tir.call_extern("int32", "f", ins[0].data, outs[0].data)
    )
    registered = tir.TensorIntrin.get(intrinsic.name)
    return {
        "script of tensors": first_column, "operation of a script": first_column(A).op,
        "kernel of a script": increment, "scan": scan, "operation of a scan": scan.op,
        "intrinsic": intrinsic, "intrinsic that is registered": registered,
        "compute of tiles": te.compute((2, 4), lambda i: intrinsic(terms[i, 0:4])).op,
        "operation of statements": te.extern((4,), [A], lambda i, o: tir.call_packed("f", o[0])).op,
    }  # fmt: skip


def descriptions() -> dict[str, Any]:
    types = kc.ir.FuncType([kc.ir.PrimType("int32")], kc.ir.TupleType([]))
    span = kc.ir.Span(kc.ir.SourceName("x"), 1, 1, 1, 1)
    verdict = gpu.SafetyVerdict("race", True)
    verdicts = gpu.KernelVerdicts("f", (), True, (verdict,))
    finding = gpu.Finding("race", "S", "S[0] is read and written", None, 1, 0, 0)
    site = gpu.AccessSite("S", "read", "shared", None, 1, 1, 1, 0)
    return {
        "type of functions": types, "type of tuples": types.ret_type, "type of addresses":
        kc.ir.PointerType(kc.ir.PrimType("int32"), "shared"),
        "places": kc.ir.SequentialSpan([span]),
        "file": span.source_name, "kind of types": kc.ir.TypeKind.Type, "convention":
        kc.ir.CallingConv.DEFAULT, "attributes": kc.ir.make_node("DictAttrs", a=1), "list":
        kc.ir.Array([1]), "map": kc.ir.Map({"a": 1}), "string": kc.runtime.String("a"),
        "operator": kc.ir.Op.get("tir.exp"), "way": kc.runtime.ObjectPath.root().attr("body"),
        "code of types": kc.runtime.DataTypeCode.INT, "code of arguments": kc.runtime.TypeCode.INT,
        "layout": tir.layout("NCHW16c"), "conditions": te.SpecializedCondition(N > 1),
        "verdict": verdict, "verdicts": verdicts, "finding": finding, "costs of an access": site,
        "findings": gpu.Report((finding,), (site,), 0, (verdicts,)), "resources":
        gpu.KernelResources("f", 32, 255, 16, 0, 0, 0, 0),
        "printing": kc.instrument.PrintBeforeAll(), "printing after": kc.instrument.PrintAfterAll(),
        "checks": kc.instrument.VerifyInstrument(),
    }  # fmt: skip


def functions() -> dict[str, Any]:
    """Values that hold Python functions."""
    kc.register_func("test.public_objects", lambda: 1, override=True)
    return {
        "registered function": kc.ir.EnvFunc.get("test.public_objects"),
        "function by the target": kc.target.generic_func(lambda n: n),
        "pass of functions": tir.transform.prim_func_pass(lambda f, mod, ctx: f, opt_level=0),
        "pass of modules": transform.module_pass(lambda mod, ctx: mod, opt_level=0),
    }


def errors() -> dict[str, Any]:
    classes = (value for value in vars(kc.error).values() if isinstance(value, type))
    refusals = [c for c in classes if issubclass(c, KCError)]
    return {
        **{c.__name__: c("KC1001", "it is wrong", why="as is", hints=["none"]) for c in refusals},
        "difference": kc.ir.StructuralDifference("they differ"),
    }


@cache
def objects() -> dict[str, Any]:
    n = N
    return {
        "placeholder": A, "tensor": B, "input": A.op, "compute": B.op, "reduction": C.op,
        "axis": B.op.axis[0], "reduced axis": K, "size": n, "expression": n * 2 + 1,
        "constant": te.const(1.0), "element": A[0, 0], "part": A[0],
        "thread": te.thread_axis("threadIdx.x"), "reduce": te.sum(A[0, K], axis=K),
        "select": tir.Select(n > 1, n, n), "range": kc.ir.Range(0, 4), "let": tir.Let(n, 1, n),
        "ramp": tir.Ramp(0, 1, 4), "call": tir.call_extern("int32", "f", n),
        "text": tir.StringImm("x"), "condition": te.any(n > 1, n < 3), "not": tir.Not(n > 1),
        "and": tir.And(n > 1, n < 3), "broadcast": tir.Broadcast(1, 4),
        "cast": tir.Cast("float32", n), "buffer": BUFFER, "element of a buffer": BUFFER[0, 0],
        "function": te.create_prim_func([A, C]), **lazy(), **eager(), **built(), **statements(),
        "extern": te.extern((4,), [A], lambda i, o: tir.call_packed("f", i[0], o[0]), name="E"),
        "target": kc.Target("llvm"), "kind of targets": kc.Target("llvm").kind,
        "device": kc.cpu(0), "no device": kc.cuda(0), "element type": kc.DataType("float32x4"),
        "pass": tir.transform.Simplify(), "pass that prints": transform.PrintIR("x"),
        "sequence": transform.Sequential([tir.transform.Simplify()]),
        "context": transform.PassContext(opt_level=1), "information": tir.transform.Simplify().info,
        "index map": tir.IndexMap.from_func(lambda i, j: [j, i]),
        "bijective layout": tir.bijective_layout("NCHW", "NCHW16c"),
        "place": kc.ir.Span(kc.ir.SourceName("x"), 1, 1, 1, 1), "type": kc.ir.PrimType("int32"),
        "axis that is not there": refusal(lambda: topi.sum(A, 9)), "bug": InternalError("x"),
        "progress": Progress("kc.build", "schedule", "main", 1, 2, 0.5, 3.0),
        "instrument": kc.instrument.PassTimingInstrument(), **expressions(), **tir_statements(),
        **operations(), **descriptions(), **functions(), **errors(),
    }  # fmt: skip
