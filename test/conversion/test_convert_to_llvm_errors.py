"""Refusals: the whole message, and the module as it was."""

from __future__ import annotations

import pytest
from llvm_jit import parse, to_text
from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Region

import kc
from kc.conversion.convert_to_llvm import ConvertToLlvmPass
from kc.support.diagnostics import CodegenError


def refused(module: ModuleOp) -> CodegenError:
    before = to_text(module)
    with pytest.raises(CodegenError) as caught:
        ConvertToLlvmPass().apply(Context(), module)
    assert to_text(module) == before
    return caught.value


def message(text: str, verify: bool = True) -> str:
    return refused(parse(text, verify)).render()


def test_unsupported_operation_and_the_others():
    assert message("""\
func.func @g() {
  func.return
}
func.func @f(%a: memref<4xf32>, %p: i1) {
  cf.assert %p, "no"
  %b = "memref.memory_space_cast"(%a) : (memref<4xf32>) -> memref<4xf32>
  cf.assert %p, "no"
  func.return
}""") == (
        "error[KC4302]: convert-to-llvm: cf.assert cannot be lowered to the llvm dialect\n"
        "  --> in.mlir:5:3\n"
        "   |  nor can memref.memory_space_cast (1 in the module)"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("arith.addf", "arith.addf %a, %a : f8E4M3FN"),
        ("arith.cmpf", "arith.cmpf olt, %a, %a : f8E4M3FN"),
        ("arith.extf", "arith.extf %a : f8E4M3FN to f32"),
        ("math.absf", "math.absf %a : f8E4M3FN"),
        ("math.exp", "math.exp %a : f8E4M3FN"),
    ],
)
def test_arithmetic_on_eight_bits(name: str, text: str):
    assert message(f"""\
func.func @f(%a: f8E4M3FN) {{
  %b = {text}
  func.return
}}""") == (
        "error[KC4303]: convert-to-llvm: the type f8E4M3FN is not supported\n"
        "  --> in.mlir:2:3\n"
        f"   |  in {name}\n"
        f"  why: {name} on it is what legalize-narrow-floats, run before, replaces"
    )


def test_constants_of_eight_bits_are_their_bits():
    module = parse("""\
func.func @f() -> (f8E4M3FN, vector<2xf8E5M2>) {
  %a = arith.constant -1.5 : f8E4M3FN
  %b = arith.constant dense<[1.0, -2.0]> : vector<2xf8E5M2>
  func.return %a, %b : f8E4M3FN, vector<2xf8E5M2>
}""")
    ConvertToLlvmPass().apply(Context(), module)
    text = to_text(module)
    assert "llvm.mlir.constant(-68 : i8) : i8" in text  # 1 0111 100
    assert "llvm.mlir.constant(dense<[60, -64]> : vector<2xi8>)" in text  # 0 01111 00, 1 10000 00


def test_operation_of_no_dialect():
    text = '"my.op"() : () -> ()'
    assert message(text).startswith(
        "error[KC4302]: convert-to-llvm: my.op cannot be lowered to the llvm dialect\n"
    )


def test_tir_is_lowered_first():
    error = refused(parse("func.func @f() { tir.for %i in 4 { } func.return }"))
    assert error.hints == ("run --convert-tir-to-scf before it, or --lower-to-llvm instead of it",)


@pytest.mark.parametrize(
    ("ty", "why"),
    [
        ("vector<[4]xf32>", "vectors are of fixed size"),
        ("vector<64x65xf32>", "vectors have 1 to 4096 elements"),
        ("si32", "integers are signless, the operations carry the sign"),
        ("tensor<4xf32>", "it has no counterpart in the llvm dialect"),
        ("memref<4xi24>", "integers in memory have 1, 8, 16, 32 or 64 bits"),
        ("memref<4xvector<4xf32>>", "memrefs hold integers and floats"),
        (
            "memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>",
            "memory is dense and row-major, or a strided part of it",
        ),
        ('memref<4xf32, "wmma.matrix_a">', 'the memory space "wmma.matrix_a" does not exist'),
    ],
)
def test_unsupported_type(ty: str, why: str):
    error = refused(parse(f"func.func @f(%a: {ty}) {{ func.return }}"))
    assert (error.code, error.facts) == ("KC4303", ("in func.func",))
    assert "is not supported" in error.message
    assert error.why is not None
    assert error.why.startswith(why)


def test_unsupported_type_inside_a_function():
    assert message("""\
func.func @f() {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32, strided<[2]>>
  func.return
}""") == (
        "error[KC4303]: convert-to-llvm: the type memref<4xf32, strided<[2]>> is not supported\n"
        "  --> in.mlir:3:3\n"
        "   |  in memref.alloc\n"
        "  why: only memref.subview and arguments define views of memory"
    )


def test_vectors_of_elements_that_are_apart():
    assert message("""\
func.func @f(%a: memref<8xf32, strided<[2], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<8xf32, strided<[2], offset: ?>>, vector<4xf32>
  func.return
}""") == (
        "error[KC4303]: convert-to-llvm: the type memref<8xf32, strided<[2], offset: ?>> is not "
        "supported\n"
        "  --> in.mlir:3:3\n"
        "   |  in vector.load\n"
        "  why: a vector is of consecutive elements"
    )


def test_parallel_reduction():
    assert message("""\
func.func @f(%n: index, %x: f32) {
  %r = "scf.parallel"(%n, %n, %n, %x) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
  ^bb0(%i: index):
    "scf.reduce"(%x) ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }) : (f32) -> ()
  }) : (index, index, index, f32) -> f32
  func.return
}""") == (
        "error[KC4304]: convert-to-llvm: scf.parallel with a reduction is not supported\n"
        "  --> in.mlir:2:3\n"
        "  why: the iterations run on several threads, and each would need its own accumulator\n"
        "  try: make the loop serial, or split the reduction by rfactor and add the partial sums "
        "afterwards"
    )


def test_dynamic_stack_memory():
    error = refused(
        parse("""
        func.func @f(%n: index) {
          %a = memref.alloca(%n) : memref<?xf32>
          func.return
        }""")
    )
    assert error.code == "KC4305"
    assert error.message == "convert-to-llvm: memref.alloca of the dynamic size memref<?xf32>"


def test_dimension_that_does_not_exist():
    error = refused(
        parse("""
        func.func @f(%a: memref<?xf32>) {
          %n = arith.constant 1 : index
          %d = memref.dim %a, %n : memref<?xf32>
          func.return
        }""")
    )
    assert error.code == "KC4305"
    assert error.message == "convert-to-llvm: memref.dim of dimension 1 of memref<?xf32>"


def test_global_that_is_defined_elsewhere():
    error = refused(kc.IRModule.parse("memref.global @t : memref<2xi32>").op)
    assert error.code == "KC4305"
    assert error.message == "convert-to-llvm: memref.global @t has no value"


def test_call_of_an_llvm_function():
    error = refused(
        parse(
            """
            llvm.func @g()
            func.func @f() {
              func.call @g() : () -> ()
              func.return
            }""",
            verify=False,
        )
    )
    assert error.code == "KC4306"
    assert error.message == (
        "convert-to-llvm: func.call of @g, which is not a func.func of the module"
    )


def test_library_name_that_is_taken():
    error = refused(
        parse("""
        func.func @free() {
          func.return
        }
        func.func @f(%a: memref<2xf32>) {
          memref.dealloc %a : memref<2xf32>
          func.return
        }""")
    )
    assert error.code == "KC4306"
    assert error.message == "convert-to-llvm: the name @free is already used in the module"


def test_library_function_of_the_module():
    module = parse("""
    llvm.func @free(!llvm.ptr)
    func.func @f(%a: memref<2xf32>) {
      memref.dealloc %a : memref<2xf32>
      func.return
    }""")
    ConvertToLlvmPass().apply(Context(), module)
    assert to_text(module).count("llvm.func @free") == 1


def nest(depth: int) -> ModuleOp:
    """``depth`` loops around nothing, and one more beside each."""
    index = IndexType()
    entry = Block()
    zero = arith.ConstantOp.from_int_and_width(0, index)
    c1 = arith.ConstantOp.from_int_and_width(1, index)
    loop = None
    for _ in range(depth):
        body = Block(arg_types=[index])
        sibling = Block([scf.YieldOp()], arg_types=[index])
        body.add_op(scf.ForOp(zero, c1, c1, [], Region(sibling)))
        if loop is not None:
            body.add_op(loop)
        body.add_op(scf.YieldOp())
        loop = scf.ForOp(zero, c1, c1, [], Region(body))
    assert loop is not None
    entry.add_ops([zero, c1, loop, func.ReturnOp()])
    return ModuleOp([func.FuncOp("f", ([], []), Region(entry))])


def test_deepest_nest():
    module = nest(255)  # and the loop beside the innermost
    ConvertToLlvmPass().apply(Context(), module)
    assert sum(op.name == "llvm.icmp" for op in module.walk()) == 2 * 255


@pytest.mark.parametrize("depth", [256, 2000])
def test_nest_that_is_too_deep(depth: int):
    module = nest(depth)
    with pytest.raises(CodegenError) as caught:
        ConvertToLlvmPass().apply(Context(), module)
    assert caught.value.code == "KC4301"
    assert caught.value.message == (
        f"convert-to-llvm: {depth + 1} nested loops, at most 256 are possible"
    )
    assert module.body.block.first_op is not None
    assert module.body.block.first_op.name == "func.func"
