// Schedule flags work on te as well: it is lowered first, visibly. Both give the vectorised matmul.
// RUN: kc-opt %s --split --vectorize --mlir-timing 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=TIMING --input-file=%t.err
// RUN: kc-opt %s --convert-te-to-tir | kc-opt - --split --vectorize | FileCheck %s
// RUN: kc-opt %s --cse --mlir-timing 2>&1 | FileCheck %s --check-prefix=NOT-LOWERED

// CHECK:      tir.for %j_o in 8 {
// CHECK-NEXT:   tir.for %j_i in 8 vectorized {

// TIMING:      {{^}}  Total Execution Time: {{[0-9.]+}} seconds
// TIMING:      {{%\)  }}(parse)
// TIMING:      {{%\)  }}convert-te-to-tir
// TIMING-NEXT: {{%\)    }}(verify)
// TIMING-NEXT: {{%\)  }}split
// TIMING-NEXT: {{%\)    }}(verify)
// TIMING-NEXT: {{%\)  }}vectorize
// TIMING:      {{\(100.0%\)  }}Total

// NOT-LOWERED:     te.func @mm
// NOT-LOWERED-NOT: convert-te-to-tir

te.func @mm(%A: tensor<64x32xf32>, %B: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %C = te.compute "C" [%i = 64, %j = 64] reduce sum [%k = 32] {
    %a = te.read %A[%i, %k] : tensor<64x32xf32>
    %b = te.read %B[%k, %j] : tensor<32x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<64x64xf32>
  te.return %C : tensor<64x64xf32>
}
