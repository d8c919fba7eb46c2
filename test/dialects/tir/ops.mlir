// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --cse --dce | FileCheck %s --check-prefix=CLEAN

// CHECK-LABEL: func.func @f
// CHECK:         %n = tir.symbol "n"
// CHECK-NEXT:    %low = tir.apply min(%n - 8, 7)
// CHECK-NEXT:    %high = tir.apply max(min(%n, 8), %low * 2, min(%n floordiv 4, %low, 3)) {hint}
// CHECK-NEXT:    %buffer = tir.alloc "buffer" (%n) : memref<8x?xf32, "local">
// CHECK-NEXT:    tir.for %i in 8 parallel annotations {pragma = "x"} {
// CHECK-NEXT:      tir.for %j in %n vectorized {
// CHECK-NEXT:        %[[APPLY:.*]] = tir.apply (%i * 4 + %j floordiv 2)
// CHECK-NEXT:        %[[LINEAR:.*]] = tir.linearize [%i, %j] by [%n, %n]
// CHECK-NEXT:        %[[O:.*]], %[[I:.*]] = tir.delinearize %[[LINEAR]] by [%n, %n]
// CHECK-NEXT:        tir.if (%i < %j, %[[APPLY]] >= 3, %[[O]] == %[[I]]) {
// CHECK-NEXT:          %a = tir.load %A[%i * 2 + %j mod 3] : memref<?xf32>
// CHECK-NEXT:          tir.store %a, %buffer[%i, %j] : memref<8x?xf32, "local">
// CHECK-NEXT:        } else {
// CHECK-NEXT:          %v = tir.load %A[%i] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:          tir.store %v, %A[%i + 4] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:        }
// CHECK:           tir.for %k in 4 unrolled {
// CHECK-NEXT:        tir.block "B" (spatial %v_i in 8 = %i, opaque %v_j in %n = %n - 1, reduce %v_k in 4 = %{{.*}}) where (%i + %{{.*}} < 9) annotations {hint = 1 : i64} init {
// CHECK:             } do {

// tir.apply and tir.symbol are pure; loads of one place are one unless a store is between them.
// CLEAN-LABEL: func.func @effects
// CLEAN-NEXT:    %a = tir.load %A[0] : memref<4xf32>
// CLEAN-NEXT:    %s = arith.addf %a, %a : f32
// CLEAN-NEXT:    tir.store %s, %A[1] : memref<4xf32>
// CLEAN-NEXT:    %c = tir.load %A[0] : memref<4xf32>
// CLEAN-NEXT:    tir.store %c, %A[2] : memref<4xf32>
// CLEAN-NEXT:    func.return
func.func @f(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>})
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %low = tir.apply min(%n - 8, 7)
  %high = tir.apply max(min(%n, 8), %low * 2, min(%n floordiv 4, %low, 3)) {hint}
  %buffer = tir.alloc "buffer" (%n) : memref<8x?xf32, "local">
  tir.for %i in 8 parallel annotations {pragma = "x"} {
    tir.for %j in %n vectorized {
      %x = tir.apply (%i * 4 + %j floordiv 2)
      %l = tir.linearize [%i, %j] by [%n, %n]
      %o, %p = tir.delinearize %l by [%n, %n]
      tir.if (%i < %j, %x >= 3, %o == %p) {
        %a = tir.load %A[%i * 2 + %j mod 3] : memref<?xf32>
        tir.store %a, %buffer[%i, %j] : memref<8x?xf32, "local">
      } else {
        %v = tir.load %A[%i] : memref<?xf32>, vector<4xf32>
        tir.store %v, %A[%i + 4] : memref<?xf32>, vector<4xf32>
      }
    }
    tir.for %kk "k" in 4 unrolled {
      tir.block "B" (spatial %v_i in 8 = %i, opaque %v_j in %n = %n - 1, reduce %v_k in 4 = %kk) where (%i + %kk < 9) annotations {hint = 1 : i64} init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %A[%v_i] : memref<?xf32>
      } do {
        %b = tir.load %A[%v_i] : memref<?xf32>
        tir.store %b, %A[%v_i] : memref<?xf32>
      }
    }
  }
  func.return
}

func.func @effects(%A: memref<4xf32>, %i: index) {
  %dead = tir.apply (%i + 1)
  %a = tir.load %A[0] : memref<4xf32>
  %b = tir.load %A[0] : memref<4xf32>
  %s = arith.addf %a, %b : f32
  tir.store %s, %A[1] : memref<4xf32>
  %c = tir.load %A[0] : memref<4xf32>
  tir.store %c, %A[2] : memref<4xf32>
  func.return
}
