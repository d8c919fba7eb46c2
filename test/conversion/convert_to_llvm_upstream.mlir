// MLIR reads the result, and translates it as kc does.
// REQUIRES: mlir, mlir-translate
// RUN: kc-opt %s --convert-to-llvm | mlir-opt | FileCheck %s --check-prefix=OPT
// RUN: kc-opt %s --convert-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR

// OPT:       llvm.func internal @mm_parallel_0_body(
// OPT-SAME:    !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture, llvm.readonly}
// OPT-SAME:    attributes {no_inline, no_unwind}
// OPT:       llvm.func @mm(

// IR:        define internal void @mm_parallel_0_body(i64 %{{.*}}, i64 %{{.*}}, i64 %{{.*}}, ptr noalias readonly align 4 captures(none) %{{.*}}, ptr noalias readonly align 4 captures(none) %{{.*}}, i64 %{{.*}}, ptr noalias align 4 captures(none) %{{.*}}, i64 %{{.*}})
// IR:          getelementptr inbounds [32 x float], ptr %{{.*}}, i64 %{{.*}}, i64 %{{.*}}
// IR:          br label %{{.*}}, !llvm.loop ![[LOOP:.*]]
// IR:        call void @kc_parallel_for(ptr @mm_parallel_0, ptr %{{.*}}, i64 64, i64 0)
// IR:        ![[LOOP]] = distinct !{![[LOOP]], ![[FULL:.*]]}
// IR:        ![[FULL]] = !{!"llvm.loop.unroll.full"}
func.func @mm(%A: memref<64x32xf32> {kc.name = "A"}, %B: memref<32x?xf32>, %C: memref<64x?xf32>, %n: index)
    attributes {kc.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %z = arith.constant 0.0 : f32
  "scf.parallel"(%c0, %c64, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    scf.for %j = %c0 to %n step %c1 {
      %r = scf.for %k = %c0 to %c32 step %c1 iter_args(%a = %z) -> (f32) {
        %x = memref.load %A[%i, %k] : memref<64x32xf32>
        %y = memref.load %B[%k, %j] : memref<32x?xf32>
        %p = arith.mulf %x, %y fastmath<contract> : f32
        %s = arith.addf %a, %p fastmath<contract> : f32
        scf.yield %s : f32
      } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
      memref.store %r, %C[%i, %j] : memref<64x?xf32>
    }
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
