// The whole way, from any stage.
// RUN: kc-opt %s --lower-to-llvm | FileCheck %s
// RUN: kc-opt %s --convert-te-to-tir | kc-opt - --lower-to-llvm | FileCheck %s
// RUN: kc-opt %s --convert-te-to-tir --lower-init-block --lower-blocks --vectorize-loop --convert-tir-to-scf | kc-opt - --lower-to-llvm | FileCheck %s
// RUN: kc-opt %s --lower-to-llvm | kc-opt - --lower-to-llvm | FileCheck %s

// The stages are those of the single passes.
// RUN: kc-opt %s --lower-to-llvm --mlir-timing 2>&1 >%t.mlir | FileCheck %s --check-prefix=STAGES

// STAGES: convert-te-to-tir
// STAGES: lower-init-block
// STAGES: lower-blocks
// STAGES: vectorize-loop
// STAGES: convert-tir-to-scf
// STAGES: convert-to-llvm

// CHECK-LABEL: llvm.func @mm(
// CHECK-SAME:    %A: !llvm.ptr {{{.*}}llvm.noalias{{.*}}llvm.readonly}
// CHECK-NOT:   {{ (te|tir|scf|memref|arith|math|vector|func)\.}}
// CHECK:         llvm.fmul %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : f32
// CHECK:         llvm.return
te.func @mm(%A: tensor<16x8xf32>, %B: tensor<8x4xf32>) -> tensor<16x4xf32> {
  %C = te.compute "C" [%i = 16, %j = 4] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<16x8xf32>
    %b = te.read %B[%k, %j] : tensor<8x4xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<16x4xf32>
  te.return %C : tensor<16x4xf32>
}
