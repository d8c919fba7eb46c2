"""Every pass of kc on modules that are odd but valid: a module, or a diagnostic, and no bug.

Primitives are given the block ``B`` and the loop ``i``, which many of the modules have.
"""

from __future__ import annotations

import dataclasses
from functools import cache

import pytest

import kc
from kc.error import KCError
from kc.support import registry
from kc.support.diagnostics import diagnostic_handler
from kc.support.ir_text import print_module
from kc.support.registry import Options, PassSpec
from kc.transforms.pass_runner import Pipeline, make_stages

ODD = {
    "nothing": "builtin.module {}",
    "a module in a module": "builtin.module { builtin.module { func.func @f() { func.return } } }",
    "an empty module of kernels": "gpu.module @k { }",
    "a kernel": """
        gpu.module @k {
          gpu.func @f(%A: memref<4xf32>) kernel { gpu.return }
        }""",
    "declarations": """
        func.func private @nothing()
        func.func private @scalars(i32, f32, index) -> i32
        func.func private @memory(memref<4xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>)
        func.func private @tensors(tensor<4xf32>) -> tensor<4xf32>
        func.func private @vectors(vector<4xf32>) -> vector<4xf32>
        func.func private @symbols(index, memref<?xf32>) attributes {kc.symbols = ["n"]}
        func.func private @tile(memref<4xf32>) attributes {kc.lanes = @lane}
        func.func private @lane(%A: memref<4xf32>) { func.return }
        llvm.func @machine(i64)""",
    "calls of declarations": """
        func.func private @g(memref<4xf32>)
        func.func private @h(memref<2xf32, strided<[1], offset: ?>>)
        func.func @f(%A: memref<4xf32>, %n: index) {
          tir.for %i in 4 { func.call @g(%A) : (memref<4xf32>) -> () }
          tir.call @g(write %A) : (memref<4xf32>)
          %v = tir.view %A[%n] : memref<4xf32> to memref<2xf32, strided<[1], offset: ?>>
          tir.call @h(update %v) : (memref<2xf32, strided<[1], offset: ?>>)
          func.return
        }""",
    "private functions": """
        func.func private @g(%A: memref<4xf32>) { func.return }
        func.func private @f(%A: memref<4xf32>) {
          func.call @g(%A) : (memref<4xf32>) -> ()
          func.return
        }""",
    "an empty body": "func.func @f() { func.return }",
    "empty loops and blocks": """
        func.func @f(%n: index) {
          tir.for %i in 4 { tir.for %j in %n { } }
          tir.for %i in 4 vectorized { }
          tir.for %i in 4 parallel { tir.if (%i < 2) { } }
          tir.for %i in 0 unrolled { }
          tir.for %t in 4 thread "threadIdx.x" { }
          tir.for %i in 4 { tir.block "B" (spatial %v_i in 4 = %i) do { } }
          tir.block "C" () do { }
          func.return
        }""",
    "no iterations": """
        func.func @f(%A: memref<0x4xf32>) {
          tir.for %i in 0 {
            tir.for %j in 4 {
              tir.block "B" (spatial %v_i in 0 = %i, spatial %v_j in 4 = %j) do {
                %a = tir.load %A[%v_i, %v_j] : memref<0x4xf32>
                tir.store %a, %A[%v_i, %v_j] : memref<0x4xf32>
              }
            }
          }
          func.return
        }""",
    "a reduction over nothing": """
        func.func @f(%A: memref<4xf32>) {
          tir.for %i in 4 {
            tir.for %j in 0 {
              tir.block "B" (spatial %v_i in 4 = %i, reduce %v_j in 0 = %j) init {
                %z = arith.constant 0.0 : f32
                tir.store %z, %A[%v_i] : memref<4xf32>
              } do {
                %a = tir.load %A[%v_i] : memref<4xf32>
                %b = arith.addf %a, %a : f32
                tir.store %b, %A[%v_i] : memref<4xf32>
              }
            }
          }
          func.return
        }""",
    "no dimensions": """
        func.func @f(%A: memref<f32>, %C: memref<f32, strided<[], offset: ?>>) {
          %T = tir.alloc "T" : memref<f32>
          tir.block "B" () do {
            %a = tir.load %A[] : memref<f32>
            tir.store %a, %T[] : memref<f32>
          }
          tir.for %i in 1 {
            tir.block "C" (opaque %v_i in 1 = %i) do {
              %a = tir.load %T[] : memref<f32>
              tir.store %a, %C[] : memref<f32, strided<[], offset: ?>>
            }
          }
          func.return
        }""",
    "vectors and tensors": """
        func.func @f(%v: vector<4xf32>, %A: memref<4xvector<4xf32>>) -> vector<4xf32> {
          func.return %v : vector<4xf32>
        }
        func.func @g(%t: tensor<4xf32>, %u: tensor<?xf32>) -> tensor<4xf32> {
          func.return %t : tensor<4xf32>
        }""",
    "scalars": """
        func.func @f(%x: f16, %b: i1, %n: index, %m: i8) -> (i8, index) {
          func.return %m, %n : i8, index
        }""",
    "sizes": """
        func.func @f(%n: i64 {kc.symbol = "n"},
            %A: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>}
        ) attributes {kc.symbols = ["n"]} {
          %m = tir.symbol "n"
          tir.for %i in %m {
            tir.block "B" (spatial %v_i in %m = %i) do {
              %a = tir.load %A[%v_i] : memref<?xf32>
              tir.store %a, %A[%v_i] : memref<?xf32>
            }
          }
          func.return
        }""",
    "a tensor expression": """
        te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
          %B = te.compute "B" [%i = 4] {
            %a = te.read %A[%i] : tensor<4xf32>
            te.yield %a : f32
          } : tensor<4xf32>
          te.return %B : tensor<4xf32>
        }""",
    "loops of other dialects": """
        func.func @f(%A: memref<4xf32>, %n: index) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          scf.for %i = %c0 to %n step %c1 { }
          affine.for %i = 0 to 0 { }
          affine.for %i = 0 to 4 {
            %a = affine.load %A[%i] : memref<4xf32>
            affine.store %a, %A[%i] : memref<4xf32>
          }
          func.return
        }""",
    "branches": """
        func.func @f(%c: i1) -> i32 {
          %x = arith.constant 1 : i32
          cf.cond_br %c, ^a, ^b
        ^a:
          cf.br ^b
        ^b:
          func.return %x : i32
        }""",
}

VALUES = {
    "block": "B", "loop": "i", "buffer": "0", "scope": "local", "index_map": "i -> i", "key": "k",
    "axis": "0", "factor": "1", "dtype": "float32", "order": "0", "reduction_block": "B",
    "epilogue_block": "C", "padding": "1", "thread_axis": "threadIdx.x", "condition": "true",
    "tensor_intrin": "dot_16x4_vnni", "pragma_type": "unroll",
}  # fmt: skip
"""Values for the options that a pass cannot do without."""


def options(name: str) -> Options:
    """The options that a pass has no defaults for."""
    kind = registry.pass_class(name)
    words = [
        f"{field.name}='{VALUES[field.name]}'"
        for field in (dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ())
        if field.init and field.default is field.default_factory is dataclasses.MISSING
    ]
    return registry.parse_options(name, " ".join(words))


@cache
def passes() -> list[str]:
    names = [*registry.all_pass_names()]
    return [name for name in names if registry.find_pass(name).origin == "kc"]


def test_modules_are_valid():
    for text in ODD.values():
        kc.IRModule.parse(str(kc.IRModule.parse(text)))


@pytest.mark.parametrize("what", ODD)
def test_passes(what: str):
    """(A bug is a PassFailure, which is no KCError.)"""
    context, given = registry.context(), kc.IRModule.parse(ODD[what])
    before = str(given)
    for name in passes():
        module = given.op.clone()
        with diagnostic_handler(lambda _: None):
            try:
                Pipeline(make_stages([PassSpec(name, options(name))])).run(context, module)
            except KCError:
                continue
        if (after := print_module(module)) != before:
            kc.IRModule.parse(after)
