"""Default schedules of functions that nobody has scheduled, and what is told of all others."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.error import KCError, TEError
from kc.support.diagnostics import Diagnostic, diagnostic_handler
from kc.target import Target
from kc.transform import PassContext

N = 48
MARK = "kc.unscheduled"
RNG = np.random.default_rng(0)

LINALG = """
func.func @main(%A: tensor<48x48xf32>, %B: tensor<48x48xf32>) -> tensor<48x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<48x48xf32>) -> tensor<48x48xf32>
  %C = linalg.matmul ins(%A, %B : tensor<48x48xf32>, tensor<48x48xf32>)
      outs(%z : tensor<48x48xf32>) -> tensor<48x48xf32>
  return %C : tensor<48x48xf32>
}
"""
BUFFERS = """
func.func @main(%A: memref<48x48xf32>, %B: memref<48x48xf32>, %C: memref<48x48xf32>) {
  linalg.matmul ins(%A, %B : memref<48x48xf32>, memref<48x48xf32>) outs(%C : memref<48x48xf32>)
  return
}
"""
TOSA = """
func.func @main(%A: tensor<48x48xf32>, %B: tensor<48x48xf32>) -> tensor<48x48xf32> {
  %S = tosa.add %A, %B : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32>
  return %S : tensor<48x48xf32>
}
"""
TOSA_WHILE = """
func.func @main(%A: tensor<48xi32>, %n: tensor<i32>) -> (tensor<48xi32>, tensor<i32>) {
  %r:2 = tosa.while_loop (%a = %A, %i = %n) : (tensor<48xi32>, tensor<i32>)
      -> (tensor<48xi32>, tensor<i32>) {
    %zero = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %more = tosa.greater %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %more : tensor<i1>
  } do {
  ^bb0(%a: tensor<48xi32>, %i: tensor<i32>):
    %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %twice = tosa.add %a, %a : (tensor<48xi32>, tensor<48xi32>) -> tensor<48xi32>
    %next = tosa.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %twice, %next : tensor<48xi32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<48xi32>, tensor<i32>
}
"""
ARITH = """
func.func @main(%A: tensor<48x48xf32>, %B: tensor<48x48xf32>) -> tensor<48x48xf32> {
  %S = arith.addf %A, %B : tensor<48x48xf32>
  return %S : tensor<48x48xf32>
}
"""
AFFINE = """
func.func @main(%A: memref<48xf32>, %B: memref<48xf32>) {
  affine.for %i = 0 to 48 {
    %a = affine.load %A[%i] : memref<48xf32>
    affine.store %a, %B[%i] : memref<48xf32>
  }
  return
}
"""
SCF = """
func.func @main(%A: memref<48xf32>, %B: memref<48xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = arith.constant 48 : index
  scf.for %i = %0 to %n step %1 {
    %a = memref.load %A[%i] : memref<48xf32>
    memref.store %a, %B[%i] : memref<48xf32>
  }
  return
}
"""
TILED = """
func.func @main(%A: tensor<48x48xf32>, %B: tensor<48x48xf32>) -> tensor<48x48xf32> {
  %0 = arith.constant 0 : index
  %8 = arith.constant 8 : index
  %n = arith.constant 48 : index
  %r = scf.for %i = %0 to %n step %8 iter_args(%o = %B) -> (tensor<48x48xf32>) {
    %a = tensor.extract_slice %A[%i, 0] [8, 48] [1, 1] : tensor<48x48xf32> to tensor<8x48xf32>
    %b = tensor.extract_slice %o[%i, 0] [8, 48] [1, 1] : tensor<48x48xf32> to tensor<8x48xf32>
    %s = linalg.add ins(%a, %a : tensor<8x48xf32>, tensor<8x48xf32>)
        outs(%b : tensor<8x48xf32>) -> tensor<8x48xf32>
    %t = tensor.insert_slice %s into %o[%i, 0] [8, 48] [1, 1]
        : tensor<8x48xf32> into tensor<48x48xf32>
    scf.yield %t : tensor<48x48xf32>
  }
  return %r : tensor<48x48xf32>
}
"""


by_hand: Any = kc.script.from_source("""
@T.prim_func
def by_hand(A: T.Buffer((48,), "float32"), B: T.Buffer((48,), "float32")):
    for i in range(48):
        with T.block("B"):
            v = T.axis.spatial(48, i)
            B[v] = A[v] + T.float32(1)
""")


def product(n: Any = N, dtype: str = "float32", sums: str = "float32") -> list[te.Tensor]:
    """A product of matrices as tensors."""
    A, B = te.placeholder((n, n), dtype, name="A"), te.placeholder((n, n), dtype, name="B")
    k = te.reduce_axis((0, n), name="k")

    def element(i: Any, j: Any) -> Any:
        return te.sum(A[i, k].astype(sums) * B[k, j].astype(sums), axis=k)

    return [A, B, te.compute((n, n), element, name="C")]


def is_chosen(module: Any) -> bool:
    """True if loops are vectors: only a chosen schedule makes any here."""
    return "vectorized" in str(module)


class Told(list[Diagnostic]):
    """The diagnostics of a block."""

    def listening(self) -> AbstractContextManager[None]:
        return diagnostic_handler(self.append)

    @property
    def codes(self) -> list[str]:
        return [diagnostic.code for diagnostic in self]


def arrays() -> tuple[np.ndarray, np.ndarray]:
    """Small integers, whose products and sums are exact."""
    a, b = (RNG.integers(-4, 5, (N, N)).astype(np.float32) for _ in range(2))
    return a, b


# What gets a schedule ---------------------------------------------------------------------------


def test_loops_of_tensors_are_scheduled_as_the_tensors():
    tensors = product()
    function = te.create_prim_func(tensors)
    assert MARK in str(function)
    target = Target("llvm -mcpu=x86-64-v3 -num-cores=2")
    assert str(kc.lower(function, target=target)) == str(kc.lower(tensors, target=target))
    a, b = arrays()
    told = Told()
    with told.listening():
        built = kc.build(function)
    assert told == []
    assert is_chosen(built.get_source("tir"))
    assert MARK not in built.get_source("tir")
    np.testing.assert_array_equal(built(a, b), a @ b)


@pytest.mark.parametrize("arch", ["cuda -arch=sm_80", "opencl"])
def test_kernels_are_chosen_as_for_tensors(arch: str):
    tensors = product()
    with Target(arch) as target:
        assert str(kc.lower(te.create_prim_func(tensors), target=target)) == str(
            kc.lower(tensors, target=target)
        )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LINALG, lambda a, b: a @ b),
        (BUFFERS, lambda a, b: a @ b),
        (TOSA, lambda a, b: a + b),
        (ARITH, lambda a, b: a + b),
    ],
    ids=["linalg", "linalg on buffers", "tosa", "arith on tensors"],
)
def test_structured_operations_are_scheduled(text: str, expected: Callable):
    told = Told()
    with told.listening():
        built = kc.build(kc.IRModule.parse(text))
    assert told == []
    assert is_chosen(built.get_source("tir"))
    a, b = arrays()
    c = np.zeros((N, N), np.float32)
    built(a, b, c)
    np.testing.assert_array_equal(c, expected(a, b))


def test_loops_of_a_program_of_tosa_are_no_schedule():
    built = kc.build(kc.IRModule.parse(TOSA_WHILE))
    assert is_chosen(built.get_source("tir"))
    a = np.arange(N, dtype=np.int32)
    doubled, left = built(a, np.array(3, np.int32))
    np.testing.assert_array_equal(doubled, 8 * a)
    assert left == 0


@pytest.mark.parametrize(
    ("dtype", "sums"), [("int8", "int32"), ("bfloat16", "float32"), ("float16", "float32")]
)
def test_narrow_types(dtype: str, sums: str):
    tensors = product(dtype=dtype, sums=sums)
    built = kc.build(te.create_prim_func(tensors))
    assert is_chosen(built.get_source("tir"))
    numbers = [RNG.integers(-4, 5, (N, N)) for _ in range(2)]
    a, b = (kc.nd.array(x.astype(np.float32), dtype=dtype) for x in numbers)
    np.testing.assert_array_equal(np.asarray(built(a, b)), numbers[0] @ numbers[1])


def test_sizes_that_the_call_gives():
    built = kc.build(te.create_prim_func(product(te.var("n"))))
    assert is_chosen(built.get_source("tir"))
    for n in (1, 7, 64):
        a, b = (RNG.integers(-4, 5, (n, n)).astype(np.float32) for _ in range(2))
        np.testing.assert_array_equal(built(a, b), a @ b)


def test_a_module_of_several_functions():
    """One has the mark, another one is loops, and the last is scheduled."""
    marked = te.create_prim_func(product())
    scheduled = tir.Schedule(by_hand)
    scheduled.vectorize(scheduled.get_loops("B")[0])
    module = kc.IRModule({"marked": marked, "loops": by_hand, "done": scheduled.mod["main"]})
    assert str(module).count(MARK) == 1
    told = Told()
    with told.listening():
        built = kc.build(module)
    (remark,) = told
    assert (remark.code, remark.kind) == ("KC3750", "remark")
    assert remark.message == "the loops of @loops are compiled as they are written"
    loops = kc.IRModule.parse(built.get_source("tir"))
    assert is_chosen(loops["marked"])
    assert is_chosen(loops["done"])
    assert not is_chosen(loops["loops"])
    a, b = arrays()
    np.testing.assert_array_equal(built["marked"](a, b), a @ b)
    c = np.zeros(N, np.float32)
    built["loops"](a[0], c)
    np.testing.assert_array_equal(c, a[0] + 1)


def test_what_no_rule_is_for_is_not_said_to_have_one():
    """The largest of many is selected in steps of one thread: asking for a schedule again would
    give none."""
    a = te.placeholder((4, 300), "float32", name="A")
    tensors = [a, *kc.topi.topk(a, 1)]
    told = Told()
    for given in (te.create_prim_func(tensors), tensors):
        with told.listening():
            kc.build(given)
    assert [remark.code for remark in told] == ["KC3750", "KC3750"]
    for remark in told:
        assert remark.hints[0] == (
            "kc.tir.Schedule(mod) schedules them by hand: no rule is for them"
        )
    unchanged = kc.auto_schedule(te.create_prim_func(tensors))
    assert not is_chosen(unchanged.mod)


def test_no_remark_of_what_a_schedule_gave():
    """Programs for TVM build ``sch.mod``; a call may leave loops that are all serial."""
    sch = tir.Schedule(te.create_prim_func(product()))
    as_begun = sch.mod
    block = sch.get_block("C")
    _, j, k = sch.get_loops(block)
    sch.reorder(k, j)
    simplified = kc.tir.transform.Simplify()(sch.mod)
    s = te.create_schedule((tensors := product())[2].op)
    s[tensors[2]].reorder(tensors[2].op.reduce_axis[0], tensors[2].op.axis[1])
    told = Told()
    a, b = arrays()
    with told.listening():
        for module in (
            sch,
            sch.mod,
            sch.mod["main"],
            simplified,
            kc.IRModule({"main": sch.mod["main"]}),
            kc.lower(s, tensors),
            pickle.loads(pickle.dumps(sch.mod)),
        ):
            c = np.zeros((N, N), np.float32)
            built = kc.build(module)
            built(a, b, c)
            np.testing.assert_allclose(c, a @ b, rtol=1e-5, atol=1e-5)
            assert not is_chosen(built.get_source("tir"))
    assert told == []
    for module in (as_begun, kc.IRModule.parse(str(sch.mod))):
        with told.listening():
            kc.build(module)
    assert [remark.code for remark in told] == ["KC3750", "KC3750"]


def test_a_list_of_modules():
    marked, loops = te.create_prim_func(product()), kc.IRModule({"loops": by_hand})
    told = Told()
    with told.listening():
        built = kc.build([marked, loops])
    assert [it.message for it in told] == ["the loops of @loops are compiled as they are written"]
    assert is_chosen(kc.IRModule.parse(built.get_source("tir"))["main"])


# The mark ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "copied",
    [
        lambda f: pickle.loads(pickle.dumps(f)),
        copy.copy,
        copy.deepcopy,
        lambda f: kc.IRModule.parse(str(f)),
        lambda f: kc.ir.load_json(kc.ir.save_json(f)),
        lambda f: kc.script.from_source(f.script(style="tvmscript")),
        lambda f: kc.IRModule({"main": f}),
        lambda f: kc.IRModule({"main": f})["main"],
        lambda f: f.with_attr("global_symbol", "g").without_attr("tir.noalias"),
        lambda f: kc.transform.Sequential([tir.transform.Simplify()])(f),
    ],
    ids="pickle copy deepcopy text json tvmscript module function attributes pass".split(),
)
def test_the_mark_stays(copied: Callable):
    function = te.create_prim_func(product())
    twin = copied(function)
    assert str(twin).count(MARK) == 1
    assert is_chosen(kc.lower(twin))


def test_an_attribute_of_a_function():
    function = te.create_prim_func(product())
    assert function.attrs[MARK] is True
    bare = function.without_attr(MARK)
    assert MARK not in str(bare)
    assert not is_chosen(kc.lower(bare))
    assert str(bare.with_attr(MARK, True)) == str(function)
    assert kc.ir.structural_equal(bare, function)
    assert kc.ir.structural_hash(bare) == kc.ir.structural_hash(function)


def test_what_removes_the_mark():
    function = te.create_prim_func(product())
    schedule = tir.Schedule(function)
    assert MARK not in str(schedule.mod)
    assert MARK in str(function)
    assert MARK not in str(tir.Schedule(kc.IRModule({"main": function, "beside": function})).mod)
    trace = tir.Schedule(function)
    trace.unroll(trace.get_loops("C")[0])
    again = kc.IRModule.parse(str(function))
    trace.trace.apply_to(again)
    assert MARK not in str(again)
    assert "unrolled" in str(again)
    assert MARK not in str(kc.auto_schedule(function).mod)
    for context in (PassContext(opt_level=0), PassContext(disabled_pass=["auto-schedule"])):
        told = Told()
        with context, told.listening():
            lowered = kc.lower(function)
            kc.build(function)
        assert told == []
        assert MARK not in str(lowered)
        assert not is_chosen(lowered)


@pytest.mark.parametrize("text", [AFFINE, SCF, TILED], ids=["affine", "scf", "linalg in a loop"])
def test_loops_that_somebody_wrote_have_no_mark(text: str):
    told = Told()
    with told.listening():
        built = kc.build(kc.IRModule.parse(text))
    assert told.codes == ["KC3750"]
    assert not is_chosen(built.get_source("tir"))
    assert is_chosen(kc.lower(kc.auto_schedule(kc.IRModule.parse(text))))


# The remark -------------------------------------------------------------------------------------


def test_the_remark():
    A, B, C = product()
    told = Told()
    with told.listening():
        kc.build(te.create_schedule(C.op), [A, B, C])
        kc.build(by_hand)
    of_te, of_loops = told
    assert of_te.message == "the loops of @main are compiled as they are written"
    assert of_te.hints[0] == "kc.build([A, B, C]) chooses a schedule"
    assert of_loops.message == "the loops of @by_hand are compiled as they are written"
    assert of_loops.hints[0] == "kc.build(kc.auto_schedule(mod)) chooses a schedule"
    assert all("test_default_schedules.py" in str(remark.location) for remark in told)


def test_what_has_no_remark():
    """Functions with a schedule, of calls or in their loops, and targets without default
    schedules.
    """
    A, B, C = product()
    ordered = te.create_schedule(C.op)
    i, j = C.op.axis
    ordered[C].reorder(j, i)
    split = tir.Schedule(by_hand)
    split.split(split.get_loops("B")[0], [None, 8])
    renamed = tir.Schedule(te.create_prim_func([A, B, C]))
    i, j, k = renamed.get_loops("C")
    renamed.reorder(j, i)
    told = Told()
    with told.listening():
        kc.build(ordered, [A, B, C])
        kc.build(split)
        kc.build(split.mod)
        kc.build(renamed)
        kc.build(kc.auto_schedule(by_hand))
        kc.build(kc.lower(kc.auto_schedule(by_hand)))
        kc.build(by_hand, target="c")
    assert told == []


def test_a_function_that_no_rule_handles_is_told_of():
    """A recurrence, each step of which needs the one before."""
    A = te.placeholder((8,), name="A")

    def body(ins: Any, outs: Any) -> Any:
        ib = tir.ir_builder.create()
        a, b = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
        b[0] = a[0]
        with ib.for_range(1, 8) as i:
            b[i] = b[i - 1] * a[i] + tir.const(1.0, "float32")
        return ib.get()

    B = te.extern((8,), [A], body, name="B", dtype="float32")
    told = Told()
    with told.listening():
        built = kc.build(te.create_prim_func([A, B]))
    assert told.codes == ["KC3750"]
    a = RNG.integers(-2, 3, 8).astype(np.float32)
    expected = [a[0]]
    for number in a[1:]:
        expected.append(expected[-1] * number + 1)
    np.testing.assert_array_equal(built(a), expected)


# Arguments that are not used --------------------------------------------------------------------


@pytest.mark.parametrize(
    "target", ["c", Target("c"), {"kind": "c"}], ids=["text", "target", "dict"]
)
def test_a_target_as_second_argument(target: Any):
    function = te.create_prim_func(product())
    assert "#include" in kc.build(function, target).get_source("c")
    assert not is_chosen(kc.lower(function, target))  # there are no rules for C
    assert "#include" in kc.build(product(), target).get_source("c")


@pytest.mark.parametrize("call", [kc.build, kc.lower], ids=["build", "lower"])
def test_arguments_that_are_not_used_are_refused(call: Callable):
    A, B, C = product()
    function = te.create_prim_func([A, B, C])
    what = call.__name__

    def title(*args: Any, **options: Any) -> str:
        with pytest.raises(KCError) as error:
            call(*args, **options)
        return str(error.value).splitlines()[0].removeprefix("error[KC2029]: ")

    assert title(function, 7) == f"{what}: the second argument is an int"
    assert title(te.create_schedule(C.op), 7) == f"{what}: the second argument is an int"
    assert title(function, [C, A, B]) == f"{what}: the arguments C, A, B beside a module"
    assert title(function, [A]) == f"{what}: the arguments A beside a module"
    assert title([function], []) == f"{what}: an empty list of arguments beside a module"
    assert title(function, "c", target="llvm") == f"{what}: two targets, c and llvm"
    assert (
        title(kc.IRModule({"g": function}), name="f") == f"{what}: the module has no function 'f'"
    )
    assert title(function, None, binds=7) == f"{what}: binds is an int"
    assert "KC600" in title(function, "no such target")
    with pytest.raises(TEError, match="KC2020"):
        call(te.create_schedule(C.op), "llvm")
    assert call(function, [A, B, C]) is not None


def test_the_name_of_a_function():
    function = te.create_prim_func(product())
    assert list(kc.build(function, name="f").functions) == ["f"]
    assert list(kc.lower(function, name="f").functions) == ["f"]
    with pytest.raises(TEError, match="lower: the name is an int"):
        kc.lower(function, None, 7)  # pyright: ignore[reportArgumentType]


# Functions that compute nothing -----------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        kc.build,
        kc.lower,
        kc.auto_schedule,
        te.create_prim_func,
        lambda args: kc.build(te.create_schedule(args[0].op), args),
        lambda args: kc.build(args[0], args),
    ],
    ids=["build", "lower", "auto_schedule", "create_prim_func", "schedule", "tensor"],
)
def test_inputs_alone_are_refused(call: Callable):
    A, B = te.placeholder((4,), name="A"), te.placeholder((4,), name="B")
    with pytest.raises(TEError) as error:
        call([A, B])
    lines = str(error.value).splitlines()
    assert lines[0] == "error[KC2028]: nothing is computed in main"
    assert "  why: all arguments are inputs: A, B" in lines
