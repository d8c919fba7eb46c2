"""Every kind of public object prints, is copied, pickles and is compared, or says why it is not.

What is wrong is a diagnostic (KCError), or what Python itself says of a type that has no length,
no items or no hash: no attribute is missing, and nothing recurses.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import kc
from kc import nd, te, tir, topi, transform
from kc.error import InternalError, KCError

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
    return {
        "eager schedule": sch, "handle of a block": block, "handle of a loop": loop,
        "trace": sch.trace, "instruction": sch.trace.insts[0], "state": sch.state,
        "place of a block": sch.get_sref(block), "block": sch.get(block), "loop": sch.get(loop),
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
        "a wrong call": refusal(lambda: module(1)),
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
    lowered = kc.lower(te.create_schedule(C.op), [A, C])
    return {
        "schedule": s, "stage": s[B], "group": group, "lowered": lowered,
        "global variable": lowered.get_global_vars()[0],
    }  # fmt: skip


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
        "instrument": kc.instrument.PassTimingInstrument(),
    }  # fmt: skip


def pickled(value: Any) -> Any:
    """The object that a pickle of another one holds."""
    return pickle.loads(pickle.dumps(value))


NAMES = tuple(objects())

USES: dict[str, Callable[[Any], Any]] = {
    "str": str, "repr": repr, "format": format, "dir": dir, "copy": lambda o: str(copy.copy(o)),
    "deepcopy": lambda o: str(copy.deepcopy(o)), "pickle": lambda o: str(pickled(o)),
    "hash": hash, "equality": lambda o: (o == o, o != 3), "bool": bool, "len": len,
    "iter": lambda o: next(iter(o), None),
}  # fmt: skip

PYTHONS = ("unhashable type: ", "has no len()", "is not iterable")
"""What Python says of an object that has no hash, length or items."""


def wrong(use: str, function: Callable[[Any], Any], value: Any) -> str | None:
    """What one use of an object does that it must not."""
    try:
        result = function(value)
    except KCError as error:
        is_told = use not in ("str", "repr", "format", "dir") and str(error).startswith("error[KC")
        return None if is_told else str(error)
    except TypeError as error:
        is_pythons = use in ("hash", "len", "iter") and any(it in str(error) for it in PYTHONS)
        return None if is_pythons else repr(error)
    is_text = use in ("str", "repr", "format", "copy", "deepcopy", "pickle")
    return "no text" if is_text and not result else None


@pytest.mark.parametrize("name", NAMES)
def test_uses(name: str):
    value = objects()[name]
    said = {use: wrong(use, function, value) for use, function in USES.items()}
    assert not any(said.values()), said


@pytest.mark.parametrize("name", NAMES)
def test_copies_print_the_same(name: str):
    value = objects()[name]
    text = str(value)
    assert " object at 0x" not in text
    for how in (copy.copy, copy.deepcopy, pickled):
        try:
            again = how(value)
        except KCError:
            continue
        assert type(again) is type(value)
        assert str(again) == text
