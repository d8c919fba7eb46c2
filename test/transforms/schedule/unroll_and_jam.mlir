// Iterations of a loop are done together inside of the loops that it holds.
// RUN: kc-opt %s --unroll-and-jam="func=nest loop=i factor=2" | FileCheck %s --check-prefix=NEST
// RUN: kc-opt %s --unroll-and-jam="func=nest loop=i factor=3" | FileCheck %s --check-prefix=REST
// RUN: kc-opt %s --unroll-and-jam="func=parts loop=i factor=2" | FileCheck %s --check-prefix=PARTS

// NEST-LABEL: func.func @nest(
// NEST-NEXT:      tir.for %i_o in 4 {
// NEST-NEXT:        tir.for %k in 4 {
// NEST-NEXT:          tir.for %i_i in 2 unrolled {
// NEST-NEXT:            tir.block "y" (spatial %v_i in 8 = %i_o * 2 + %i_i, reduce %v_k in 4 = %k) init {
// NEST-NEXT:              %zero = arith.constant 0.000000e+00 : f32
// NEST-NEXT:              tir.store %zero, %y[%v_i] : memref<8xf32>
// NEST-NEXT:            } do {
// NEST-NEXT:              %s = tir.load %y[%v_i] : memref<8xf32>
// NEST-NEXT:              %a = tir.load %A[%v_i, %v_k] : memref<8x4xf32>
// NEST-NEXT:              %b = tir.load %x[%v_k] : memref<4xf32>
// NEST-NEXT:              %p = arith.mulf %a, %b : f32
// NEST-NEXT:              %t = arith.addf %s, %p : f32
// NEST-NEXT:              tir.store %t, %y[%v_i] : memref<8xf32>
// NEST-NEXT:            }
// NEST-NEXT:          }
// NEST-NEXT:        }
// NEST-NEXT:      }
// REST-LABEL: func.func @nest(
// REST-NEXT:      tir.for %i_o in 3 {
// REST-NEXT:        tir.for %k in 4 {
// REST-NEXT:          tir.for %i_i in 3 unrolled {
// REST-NEXT:            tir.block "y" (spatial %v_i in 8 = %i_o * 3 + %i_i, reduce %v_k in 4 = %k) where (%i_o * 3 + %i_i < 8) init {
// REST-NEXT:              %zero = arith.constant 0.000000e+00 : f32
// REST-NEXT:              tir.store %zero, %y[%v_i] : memref<8xf32>
// REST-NEXT:            } do {
// REST-NEXT:              %s = tir.load %y[%v_i] : memref<8xf32>
// REST-NEXT:              %a = tir.load %A[%v_i, %v_k] : memref<8x4xf32>
// REST-NEXT:              %b = tir.load %x[%v_k] : memref<4xf32>
// REST-NEXT:              %p = arith.mulf %a, %b : f32
// REST-NEXT:              %t = arith.addf %s, %p : f32
// REST-NEXT:              tir.store %t, %y[%v_i] : memref<8xf32>
// REST-NEXT:            }
// REST-NEXT:          }
// REST-NEXT:        }
// REST-NEXT:      }
func.func @nest(%A: memref<8x4xf32>, %x: memref<4xf32>, %y: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %k in 4 {
      tir.block "y" (spatial %v_i in 8 = %i, reduce %v_k in 4 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %y[%v_i] : memref<8xf32>
      } do {
        %s = tir.load %y[%v_i] : memref<8xf32>
        %a = tir.load %A[%v_i, %v_k] : memref<8x4xf32>
        %b = tir.load %x[%v_k] : memref<4xf32>
        %p = arith.mulf %a, %b : f32
        %t = arith.addf %s, %p : f32
        tir.store %t, %y[%v_i] : memref<8xf32>
      }
    }
  }
  func.return
}

// The statements of the loop each get the iterations, as they do not need each other's later ones.
// PARTS-LABEL: func.func @parts(
// PARTS-NEXT:      tir.for %i_o in 4 {
// PARTS-NEXT:        tir.for %i_i in 2 unrolled {
// PARTS-NEXT:          tir.block "y" (spatial %v_i in 8 = %i_o * 2 + %i_i) do {
// PARTS-NEXT:            %z = arith.constant 0.000000e+00 : f32
// PARTS-NEXT:            tir.store %z, %y[%v_i] : memref<8xf32>
// PARTS-NEXT:          }
// PARTS-NEXT:        }
// PARTS-NEXT:        tir.for %j in 4 {
// PARTS-NEXT:          tir.for %i_i_d in 2 unrolled {
// PARTS-NEXT:            tir.block "A" (spatial %v_i in 8 = %i_o * 2 + %i_i_d, spatial %v_j in 4 = %j) do {
// PARTS-NEXT:              %s = tir.load %y[%v_i] : memref<8xf32>
// PARTS-NEXT:              tir.store %s, %A[%v_i, %v_j] : memref<8x4xf32>
// PARTS-NEXT:            }
// PARTS-NEXT:          }
// PARTS-NEXT:        }
// PARTS-NEXT:      }
func.func @parts(%A: memref<8x4xf32>, %y: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "y" (spatial %v_i in 8 = %i) do {
      %z = arith.constant 0.0 : f32
      tir.store %z, %y[%v_i] : memref<8xf32>
    }
    tir.for %j in 4 {
      tir.block "A" (spatial %v_i in 8 = %i, spatial %v_j in 4 = %j) do {
        %s = tir.load %y[%v_i] : memref<8xf32>
        tir.store %s, %A[%v_i, %v_j] : memref<8x4xf32>
      }
    }
  }
  func.return
}
