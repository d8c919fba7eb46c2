// The variables of a block, those of its init too, change places; sizes go along.
// RUN: kc-opt %s --reorder-block-iter-var="block=C order=2,1,0" | FileCheck %s --check-prefix=ALL

te.func @sizes(%A: tensor<?x?xf32> {kc.shape = affine_map<()[n, m] -> (n, m)>})
    -> tensor<?x3xf32> attributes {kc.symbols = ["n", "m"]} {
  %n = te.symbol "n"
  %m = te.symbol "m"
  %C = te.compute "C" [%i = %n, %j = 3] reduce sum [%k = %m] {
    %x = te.read %A[%i, %k] : tensor<?x?xf32>
    te.yield %x : f32
  } : tensor<?x3xf32>
  te.return %C : tensor<?x3xf32>
}

// ALL:      func.func @sizes(
// ALL-NEXT:   %n = tir.symbol "n"
// ALL-NEXT:   %m = tir.symbol "m"
// ALL-NEXT:   tir.for %i in %n {
// ALL-NEXT:     tir.for %j in 3 {
// ALL-NEXT:       tir.for %k in %m {
// ALL-NEXT:         tir.block "C" (reduce %v_k in %m = %k, spatial %v_j in 3 = %j, spatial %v_i in %n = %i) init {
// ALL-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// ALL-NEXT:           tir.store %0, %C[%v_i, %v_j] : memref<?x3xf32>
// ALL-NEXT:         } do {
// ALL-NEXT:           %x = tir.load %A[%v_i, %v_k] : memref<?x?xf32>
// ALL-NEXT:           %1 = tir.load %C[%v_i, %v_j] : memref<?x3xf32>
// ALL-NEXT:           %2 = arith.addf %1, %x : f32
// ALL-NEXT:           tir.store %2, %C[%v_i, %v_j] : memref<?x3xf32>
// ALL-NEXT:         }
// ALL-NEXT:       }
// ALL-NEXT:     }
// ALL-NEXT:   }
// ALL-NEXT:   func.return
// ALL-NEXT: }
