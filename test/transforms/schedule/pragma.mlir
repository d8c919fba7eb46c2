// Pragmas are annotations; three of them are primitives.
// RUN: kc-opt %s --pragma="loop=j pragma-type=auto_unroll_max_step value=16" --pragma="loop=k pragma-type=unroll" \
// RUN:   --pragma="block=C loop=i pragma-type=unroll_explicit" | FileCheck %s --check-prefix=ALL
// RUN: kc-opt %s --pragma="loop=j pragma-type=auto_unrol_max_step value=16" 2>&1 >/dev/null | FileCheck %s --check-prefix=WARN --match-full-lines --strict-whitespace

te.func @two(%A: tensor<6x4xf32>) -> tensor<4xf32> {
  %B = te.compute "B" [%i = 6, %j = 4] {
    %a = te.read %A[%i, %j] : tensor<6x4xf32>
    te.yield %a : f32
  } : tensor<6x4xf32>
  %C = te.compute "C" [%i = 4] reduce sum [%k = 6] {
    %x = te.read %B[%k, %i] : tensor<6x4xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// ALL:      func.func @two(
// ALL-NEXT:   %B = tir.alloc "B" : memref<6x4xf32>
// ALL-NEXT:   tir.for %i in 6 {
// ALL-NEXT:     tir.for %j in 4 annotations {pragma_auto_unroll_max_step = 16 : i64} {
// ALL-NEXT:       tir.block "B" (spatial %v_i in 6 = %i, spatial %v_j in 4 = %j) do {
// ALL-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<6x4xf32>
// ALL-NEXT:         tir.store %a, %B[%v_i, %v_j] : memref<6x4xf32>
// ALL-NEXT:       }
// ALL-NEXT:     }
// ALL-NEXT:   }
// ALL-NEXT:   tir.for %i_1 "i" in 4 annotations {pragma_unroll_explicit} {
// ALL-NEXT:     tir.for %k in 6 unrolled {
// ALL-NEXT:       tir.block "C" (spatial %v_i in 4 = %i_1, reduce %v_k in 6 = %k) init {
// ALL-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// ALL-NEXT:         tir.store %0, %C[%v_i] : memref<4xf32>
// ALL-NEXT:       } do {
// ALL-NEXT:         %x = tir.load %B[%v_k, %v_i] : memref<6x4xf32>
// ALL-NEXT:         %1 = tir.load %C[%v_i] : memref<4xf32>
// ALL-NEXT:         %2 = arith.addf %1, %x : f32
// ALL-NEXT:         tir.store %2, %C[%v_i] : memref<4xf32>
// ALL-NEXT:       }
// ALL-NEXT:     }
// ALL-NEXT:   }
// ALL-NEXT:   func.return
// ALL-NEXT: }

//WARN:warning[KC3344]: pragma: 'auto_unrol_max_step' is not a pragma of TVM
//WARN-NEXT:  --> {{.*}}pragma.mlir:7:3  %B = te.compute "B" [%i = 6, %j = 4] {
//WARN-NEXT:  why: nothing in kc reads it; only your own tools can use it
//WARN-NEXT:  try: did you mean 'auto_unroll_max_step'?
