"""TVM's names around the compiler: ir, testing, contrib, target, tir, tir.transform."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kc
import kc as tvm
from kc import te, tir
from kc.contrib import cc, utils
from kc.runtime.c_compiler import find_compiler
from kc.support.diagnostics import KCError


def lowered(n: int = 8, name: str = "B") -> kc.IRModule:
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name=name)
    s = te.create_schedule(B.op)
    s[B].vectorize(s[B].split(B.op.axis[0], factor=4)[1])
    return kc.lower(s, [A, B])


def refused(action: Any, *args: Any) -> KCError:
    with pytest.raises(KCError) as caught:
        action(*args)
    return caught.value


# tvm.ir ------------------------------------------------------------------------------------


def test_json_both_ways():
    module = lowered()
    text = tvm.ir.save_json(module)
    again = tvm.ir.load_json(text)
    assert str(again) == str(module)
    assert tvm.ir.structural_equal(again, module)
    assert str(tvm.ir.load_json(tvm.ir.save_json(tir.Schedule(module))).mod) == str(module)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '"module"', "3"])
def test_json_that_is_none(text: str):
    error = refused(tvm.ir.load_json, text)
    assert (error.code, error.message) == ("KC0083", "load_json: the text is not a module as JSON")


def test_json_with_ir_that_is_none():
    assert refused(tvm.ir.load_json, '{"kc": "1", "module": "func.fnc"}').code[:3] == "KC1"


@pytest.mark.parametrize("function", ["save_json", "structural_equal"])
def test_what_is_no_module(function: str):
    target = kc.Target("llvm")
    args = [target] if function == "save_json" else [target, target]
    error = refused(getattr(tvm.ir, function), *args)
    assert error.code == "KC0082"
    assert error.message == f"{function}: Target is not a module"
    assert error.location is not None


def test_structural_equality():
    assert tvm.ir.structural_equal(lowered(), lowered())
    assert not tvm.ir.structural_equal(lowered(8), lowered(16))
    assert tvm.ir.structural_equal(lowered(name="B"), lowered(name="C"))
    renamed = tvm.IRModule.parse(str(lowered()).replace("%A", "%X"))
    assert tvm.ir.structural_equal(lowered(), renamed)
    tvm.ir.assert_structural_equal(lowered(), lowered())
    copy = text("B[vi] = A[vi]")
    shorter = tvm.IRModule.parse(str(copy).replace("in 8 ", "in 4 "))
    with pytest.raises(AssertionError) as caught:
        tvm.ir.assert_structural_equal(copy, shorter)
    message = re.sub(r" at <\w+( \d+)?>:\d+:\d+", "", str(caught.value))
    assert message == (
        "the modules differ in @f: 'tir.for %i in 8', and 'tir.for %i in 4' "
        "(the number of iterations)"
    )
    with pytest.raises(AssertionError) as caught:
        tvm.ir.assert_structural_equal(text("B[vi] = A[vi] + 1"), text("B[vi] = A[vi] + 2"))
    message = re.sub(r" at <\w+( \d+)?>:\d+:\d+", "", str(caught.value))
    assert message == (
        "the modules differ in @f: 'tir.store %0, %B[%vi] : memref<8xi32>', and 'tir.store %0, "
        "%B[%vi] : memref<8xi32>' (the value), where '%0 = arith.constant 1 : i32', and "
        "'%0 = arith.constant 2 : i32'"
    )


TWICE = """
@T.prim_func
def f(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in T.serial(8):
        with T.block("{block}"):
            {v} = T.axis.spatial(8, i)
            {body}
"""


def text(body: str, block: str = "B", v: str = "vi"):
    return kc.script.from_source(TWICE.format(block=block, v=v, body=body))


def test_functions_are_compared_without_their_names():
    first, second = text("B[vi] = A[vi]"), text("B[vi] = A[vi]").with_attr("global_symbol", "g")
    assert tvm.ir.structural_equal(first, second)
    assert tvm.ir.structural_equal(first["main"], tvm.IRModule(second.op))
    assert tvm.ir.structural_hash(first) == tvm.ir.structural_hash(second)
    assert not tvm.ir.structural_equal(tvm.IRModule(first.op), tvm.IRModule(second.op))


MEMORY = """
@T.prim_func
def f(A: T.Buffer((4, 8), "int32"), B: T.Buffer((4, 8), "int32")):
    {outside}
    for i in T.{kind}(4):
        {inside}
        for u, j in T.grid({count}, 8):
            with T.block("C"):
                vi = T.axis.spatial(4, i{more})
                vj = T.axis.spatial(8, j)
                C[vj{copy}] = A[vi, vj]
        for j in T.serial(8):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                vj = T.axis.spatial(8, j)
                B[vi, vj] = C[vj{copy}]
"""


def test_where_memory_is_made_and_loops_of_one_iteration():
    memory = 'C = T.alloc_buffer((8,), "int32")'

    def program(*, inside: bool, kind: str = "serial", count: int = 1, more: str = "") -> Any:
        places = ("T.evaluate(0)", memory) if inside else (memory, "T.evaluate(0)")
        return kc.script.from_source(
            MEMORY.format(
                outside=places[0], inside=places[1], kind=kind, count=count, more=more, copy=""
            )
        )

    same = tvm.ir.structural_equal
    assert same(program(inside=True), program(inside=False))
    assert same(program(inside=True), program(inside=True, more=" + u"))
    assert not same(program(inside=True), program(inside=True, count=2))
    unrolled = program(inside=True, kind="unroll")
    assert same(unrolled, program(inside=False, kind="unroll"))
    assert not same(unrolled, program(inside=True))
    shared = str(unrolled).replace("unrolled", "parallel")
    own = str(program(inside=False, kind="unroll")).replace("unrolled", "parallel")
    assert not same(tvm.IRModule.parse(shared), tvm.IRModule.parse(own))


def test_what_is_written_in_another_way_is_the_same_program():
    program = text("B[vi] = (A[vi] + 1) * (A[vi] + 1)")
    same = tvm.ir.structural_equal
    assert same(program, text("B[w] = (A[w] + 1) * (A[w] + 1)", block="C", v="w"))
    assert same(program, text("x = A[vi] + 1; B[vi] = x * x"))
    assert same(text("B[vi] = A[(vi * 2 + 4) // 2 - 2]"), text("B[vi] = A[vi]"))
    assert same(program, text("x = A[vi] + 1; y = A[vi] + 1; B[vi] = y * x"))
    for changed in (
        "B[vi] = (A[vi] + 1) * (A[vi] + 2)",
        "B[vi] = (1 + A[vi]) * (A[vi] + 1)",
        "A[vi] = (A[vi] + 1) * (A[vi] + 1)",
        "B[7 - vi] = (A[vi] + 1) * (A[vi] + 1)",
    ):
        assert not same(program, text(changed)), changed
    # A load that stands behind a store is another one.
    early = text("x = A[vi]; A[vi] = 0; B[vi] = x")
    late = text("A[vi] = 0; x = A[vi]; B[vi] = x")
    assert not same(early, late)


def test_ranges():
    assert tvm.ir.Range(8) == (0, 8)
    assert tvm.ir.Range(2, 8).extent.value == 6  # pyright: ignore[reportAttributeAccessIssue]
    assert tvm.ir.Range.from_min_extent(2, 6) == tvm.ir.Range(2, 8)
    assert tvm.ir.Range(2, 8).min == 2
    A = te.placeholder((8,), name="A")
    k = te.reduce_axis(tvm.ir.Range(2, 8), "k")
    B = te.compute((1,), lambda i: te.sum(A[k], axis=k), name="B")
    out = np.empty(1, np.float32)
    kc.build(te.create_schedule(B.op), [A, B])(np.arange(8, dtype=np.float32), out)
    assert out[0] == 2 + 3 + 4 + 5 + 6 + 7


def test_the_modules_in_ir_are_the_modules():
    assert tvm.ir.transform is kc.transform
    assert tvm.ir.instrument is kc.instrument
    assert tvm.ir.IRModule is kc.IRModule


# tvm.testing, tvm.contrib, tvm.runtime --------------------------------------------------------


def test_assert_allclose():
    close = tvm.testing.assert_allclose
    close(kc.nd.array(np.ones(3, np.float32)), np.ones(3), rtol=1e-6)
    close(np.float32(math.nan), np.float32(math.nan))
    close(1.0, 1.05, rtol=0.1)
    for actual, desired in ((1.0, 1.1), (np.ones(3), np.ones(1)), (np.ones(3), np.zeros(3))):
        with pytest.raises(AssertionError):
            close(actual, desired)


def test_what_can_be_built_for(no_driver: None):
    for target, there in (("llvm", True), ("llvm -mcpu=x", True), ("c", True), ("cuda", False)):
        assert tvm.runtime.enabled(target) is there
        assert tvm.testing.device_enabled(target) is there
    assert tvm.testing.device_enabled(kc.target.Target("llvm"))
    assert not tvm.runtime.enabled("")


def test_a_temporary_directory():
    with utils.tempdir() as folder:
        Path(folder.relpath("a.txt")).write_text("a")
        assert folder.listdir() == ["a.txt"]
        assert folder.path == folder.temp_dir
        path = Path(folder.path)
        assert path.is_dir()
    assert not path.exists()
    second = utils.tempdir()
    second.remove()
    assert not Path(second.path).exists()


@pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
def test_an_object_linked_by_hand(tmp_path: Path):
    module = kc.build(lowered())
    module.save(str(tmp_path / "f.o"))
    cc.create_shared(str(tmp_path / "f.so"), [str(tmp_path / "f.o")])
    assert (tmp_path / "f.so").read_bytes()[:4] == b"\x7fELF"
    assert cc.get_cc() is not None
    error = refused(cc.create_shared, str(tmp_path / "g.so"), str(tmp_path / "missing.o"))
    assert error.code == "KC0081"
    assert error.message == f"create_shared: {tmp_path / 'missing.o'} cannot be read"
    assert error.why == "No such file or directory"


def test_data_types():
    plain = tvm.DataType("float32")
    assert (plain, plain.bits, plain.lanes, plain.itemsize) == ("float32", 32, 1, 4)
    vector = tvm.runtime.DataType("int8x4")
    assert (vector, vector.bits, vector.lanes, vector.itemsize) == ("int8x4", 8, 4, 4)
    assert tvm.DataType("bool").bits == 1
    for name in ("float", "float32x0", "x4", ""):
        error = refused(tvm.DataType, name)
        assert (error.code, error.message) == ("KC0085", f"DataType: there is no dtype '{name}'")


def test_printing_between_passes(capsys: pytest.CaptureFixture[str]):
    module = lowered()
    both = tvm.transform.Sequential([tir.transform.SkipVectorize(), tvm.transform.PrintIR("then")])
    result = both(module)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"PrintIR(then):\n{result}\n"


def test_a_context_is_a_device():
    assert tvm.context("cpu", 0) == tvm.device("llvm", 0) == tvm.cpu(0)
    a = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(tvm.nd.array(a, tvm.cpu(0)).asnumpy(), a)


# tvm.target --------------------------------------------------------------------------------


def test_targets_by_functions():
    assert tvm.target.create("llvm -mcpu=znver3") == tvm.target.Target("llvm -mcpu=znver3")
    board = tvm.target.arm_cpu("rasp4b64", options="-num-cores=4")
    assert (board.attrs["mtriple"], board.attrs["num-cores"]) == ("aarch64-linux-gnu", 4)
    assert board.keys[:2] == ("arm_cpu", "cpu")
    assert tvm.target.arm_cpu("mine", "-mtriple=aarch64-linux-gnu").attrs["model"] == "mine"
    gpu = tvm.target.cuda("v100", arch="sm_70")
    assert (str(gpu.kind), gpu.attrs["arch"], gpu.attrs["model"]) == ("cuda", "sm_70", "v100")
    assert tvm.target.riscv_cpu("sifive-u74").attrs["mcpu"] == "sifive-u74"
    assert "llvm" in tvm.target.list_kinds()
    error = refused(tvm.target.riscv_cpu, "sifive-u47")
    assert (error.code, error.message) == (
        "KC0084",
        "riscv_cpu: there is no model 'sifive-u47'",
    )
    assert "sifive-u74" in error.hints[0]


def test_every_board_is_a_target_that_llvm_compiles_for():
    for model in ("pixel2", "rasp4b", "pynq", "stm32mp1"):
        target = tvm.target.arm_cpu(model)
        module = kc.build(lowered(), target=target)
        assert module.get_source("asm"), model


# tvm.tir -----------------------------------------------------------------------------------


def value(make: Any, x: np.ndarray) -> np.ndarray:
    """``make`` of each element of ``x``."""
    A = te.placeholder(x.shape, dtype=x.dtype.name, name="A")
    B = te.compute(x.shape, lambda i: make(A[i]), name="B")
    return kc.build(te.create_schedule(B.op), [A, B])(x)


def test_constants_and_conversions():
    assert (tir.IntImm("int64", 7).value, tir.IntImm("int64", 7).dtype) == (7, "int64")
    assert (tir.FloatImm("float32", 2).value, tir.FloatImm("float32", 2).dtype) == (2.0, "float32")
    assert (tir.infinity("float64").value, tir.infinity("float64").dtype) == (math.inf, "float64")
    for make in (lambda: tir.IntImm("int8", 300), lambda: tir.infinity("int32")):
        assert refused(make).code == "KC2003"
    n = tir.SizeVar("n")
    assert isinstance(n, type(te.size_var("n")))
    assert isinstance(te.reduce_axis((0, 4), "k"), tir.IterVar)
    x = np.array([1.7, -1.7], np.float32)
    np.testing.assert_array_equal(value(lambda a: tir.Cast("int32", a), x), [1, -1])
    np.testing.assert_array_equal(value(lambda a: te.add(a, te.subtract(a, 1.0)), x), x + (x - 1))


def test_functions_are_those_of_te():
    for name in ("exp", "tanh", "max", "min", "sum", "power", "popcount", "q_multiply_shift"):
        assert getattr(tir, name) is getattr(te, name)
    assert tir.IndexMap.from_func(lambda i, j: [j, i]).names == ("i", "j")


def test_a_computation_is_asked_for_its_kind():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i], name="B")
    assert isinstance(A.op, te.PlaceholderOp)
    assert isinstance(B.op, te.ComputeOp)
    assert all(isinstance(tensor.op, te.Operation) for tensor in (A, B))


# tvm.tir.transform -------------------------------------------------------------------------


def test_passes_by_name():
    module = lowered()
    lower = tir.transform.LowerOpaqueBlock()(tir.transform.LowerInitBlock()(module))
    assert "tir.block" not in str(lower)
    assert "tir.block" in str(module)
    both = tvm.transform.Sequential(
        [tir.transform.ConvertBlocksToOpaque(), tir.transform.VectorizeLoop()]
    )
    assert "vector<4xf32>" in str(both(module))
    serial = tir.transform.SkipVectorize()(lower)
    unrolled = tir.transform.UnrollLoop(auto_max_step=8)(serial)
    assert (str(serial).count("tir.store"), str(unrolled).count("tir.store")) == (1, 8)


def test_a_pass_in_a_context():
    seen: list[str] = []

    @tir.transform.prim_func_pass(opt_level=0)
    def look(func: Any, mod: Any, ctx: Any) -> None:
        seen.append(func.sym_name.data)

    config = {"tir.add_lower_pass": [(1, look), (2, tir.transform.UnrollLoop(auto_max_step=2))]}
    with kc.transform.PassContext(config=config):
        f = kc.build(lowered())
    assert seen == ["main"]
    np.testing.assert_array_equal(f(np.zeros(8, np.float32)), np.ones(8))
    with kc.transform.PassContext(disabled_pass=["tir.UnrollLoop"], config=config) as context:
        assert not any(stage.name == "unroll-loop" for stage in context.added_at(2))


def test_passes_that_kc_lacks():
    with pytest.raises(
        AttributeError, match=r"'RewriteUnsafeSelect' \(kc has no such pass of its own\)"
    ):
        _ = tir.transform.RewriteUnsafeSelect
    with pytest.raises(AttributeError, match="has no attribute 'VectoriseLoop'$"):
        _ = tir.transform.VectoriseLoop
    assert {"VectorizeLoop", "prim_func_pass"} <= set(dir(tir.transform))
    assert tir.transform.ThreadSync("shared").info.name == "thread-sync"
    with pytest.raises(kc.KCError, match=r"KC0012\]: tir.transform.UnrollLoop is given 1 argument"):
        tir.transform.UnrollLoop(4)


def test_arguments_of_passes():
    """Arguments of TVM's passes are accepted, and mean the same or change nothing."""
    make = tir.transform
    text = """func.func @f(%A: memref<8xf32>) {
      tir.for %i in 8 vectorized {
        %a = tir.load %A[%i] : memref<8xf32>
        %b = tir.load %A[%i] : memref<8xf32>
        %c = arith.addf %a, %b : f32
        tir.store %c, %A[%i] : memref<8xf32>
      }
      func.return
    }"""
    module = kc.IRModule.parse(text)
    assert "vector<8xf32>" in str(make.VectorizeLoop(True)(module))
    serial = str(make.VectorizeLoop(enable_vectorize=False)(module))
    assert "vector" not in serial
    assert str(make.CommonSubexprElimTIR(False, True)(module)) == str(module)
    assert make.CompactBufferAllocation(is_strict=True).info.name == "compact-buffer-allocation"
    assert make.NarrowDataType(target_bits=32).info.name == "narrow-data-type"
    for call, message in (
        (lambda: make.VectorizeLoop(1), "tir.transform.VectorizeLoop: enable_vectorize is 1"),
        (lambda: make.VectorizeLoop(True, 2), "tir.transform.VectorizeLoop is given 2 arguments"),
        (lambda: make.NarrowDataType("x"), "narrow-data-type: option 'bits' takes an integer"),
        (lambda: make.UnrollLoop(steps=1), "unroll-loop: there is no option 'steps'"),
        (lambda: kc.transform.Sequential(make.Simplify()), "is not a list of passes"),
    ):
        with pytest.raises(kc.KCError) as caught:
            call()
        assert message in str(caught.value).split("\n")[0]
        assert f"{Path(__file__).name}:" in str(caught.value).split("\n")[1]


def test_passes_print():
    partition = tir.transform.LoopPartition()
    assert str(partition) == "PassInfo(name='partition-loops', opt_level=0, required=())"
    assert repr(partition) == f"Pass({partition})"
    both = kc.transform.Sequential([partition, "cse"], opt_level=2, name="both")
    assert both.info.name == both.name == "both"
    assert repr(both).startswith("Sequential(['partition-loops', 'cse'], PassInfo(name='both'")


def test_structural_equality_of_a_long_chain_of_values():
    lines = "\n".join(f"%v{n + 1} = arith.addf %v{n}, %v{n} : f32" for n in range(2000))
    text = f"""func.func @f(%A: memref<1xf32>) {{
      %v0 = tir.load %A[0] : memref<1xf32>
      {lines}
      tir.store %v2000, %A[0] : memref<1xf32>
      func.return
    }}"""
    assert kc.ir.structural_equal(kc.IRModule.parse(text), kc.IRModule.parse(text))
    changed = text.replace("%v1999, %v1999", "%v1999, %v1998")
    assert not kc.ir.structural_equal(kc.IRModule.parse(text), kc.IRModule.parse(changed))


def test_sizes_that_are_parameters_are_told_apart_by_their_places():
    text = """func.func @f(%A: memref<?x?xf32> {kc.shape = affine_map<()[s0, s1] -> (s0, s1)>},
        %p: index {kc.symbol = "n"}, %q: index {kc.symbol = "m"})
        attributes {kc.symbols = ["n", "m"]} { func.return }"""
    swapped = text.replace(
        '%p: index {kc.symbol = "n"}, %q: index {kc.symbol = "m"}',
        '%p: index {kc.symbol = "m"}, %q: index {kc.symbol = "n"}',
    )
    renamed = text.replace('"n"', '"rows"').replace('"m"', '"columns"')
    assert kc.ir.structural_equal(kc.IRModule.parse(text), kc.IRModule.parse(renamed))
    assert not kc.ir.structural_equal(kc.IRModule.parse(text), kc.IRModule.parse(swapped))
