// Iterations of a loop are done together inside of the loops that it holds.
// RUN: kc-opt %s --unroll-and-jam="func=nest loop=i factor=2" | FileCheck %s --check-prefix=NEST
// RUN: kc-opt %s --unroll-and-jam="func=nest loop=i factor=3" | FileCheck %s --check-prefix=REST
// RUN: kc-opt %s --unroll-and-jam="func=parts loop=i factor=2" | FileCheck %s --check-prefix=PARTS
// RUN: kc-opt %s --unroll-and-jam="func=sums loop=i factor=2" | FileCheck %s --check-prefix=SUMS
// RUN: kc-opt %s --unroll-and-jam="func=mixed loop=i factor=2" | FileCheck %s --check-prefix=MIXED
// RUN: kc-opt %s --unroll-and-jam="func=triangles loop=i factor=8" | FileCheck %s --check-prefix=TRIANGLES

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

// Statements that are no blocks are repeated; inner loops that run equally often become one, and what
// the factor leaves, of an extent that is known at the call, is done one by one.
// SUMS-LABEL: func.func @sums(
// SUMS-NEXT:      %n = tir.symbol "n"
// SUMS-NEXT:      %0 = tir.apply (%n floordiv 2)
// SUMS-NEXT:      %1 = tir.apply min(%n, %n mod 2)
// SUMS-NEXT:      tir.for %i_o in %0 {
// SUMS-NEXT:        %total = tir.alloc "total" : memref<1xf32, "local">
// SUMS-NEXT:        %total_1 = tir.alloc "total_1" : memref<1xf32, "local">
// SUMS-NEXT:        tir.store %x, %total[0] : memref<1xf32, "local">
// SUMS-NEXT:        tir.store %x, %total_1[0] : memref<1xf32, "local">
// SUMS-NEXT:        tir.for %k in 9 {
// SUMS-NEXT:          %[[S0:.*]] = tir.load %total[0] : memref<1xf32, "local">
// SUMS-NEXT:          %[[S1:.*]] = tir.load %total_1[0] : memref<1xf32, "local">
// SUMS-NEXT:          %[[A0:.*]] = tir.load %A[%i_o * 2, %k] : memref<?x9xf32>
// SUMS-NEXT:          %[[A1:.*]] = tir.load %A[%i_o * 2 + 1, %k] : memref<?x9xf32>
// SUMS-NEXT:          %[[T0:.*]] = arith.addf %[[S0]], %[[A0]] : f32
// SUMS-NEXT:          %[[T1:.*]] = arith.addf %[[S1]], %[[A1]] : f32
// SUMS-NEXT:          tir.store %[[T0]], %total[0] : memref<1xf32, "local">
// SUMS-NEXT:          tir.store %[[T1]], %total_1[0] : memref<1xf32, "local">
// SUMS-NEXT:          tir.store %[[T0]], %A[%i_o * 2, %k] : memref<?x9xf32>
// SUMS-NEXT:          tir.store %[[T1]], %A[%i_o * 2 + 1, %k] : memref<?x9xf32>
// SUMS-NEXT:        }
// SUMS-NEXT:      }
// SUMS-NEXT:      tir.for %i_r in %1 {
// SUMS-NEXT:        %total_2 = tir.alloc "total_2" : memref<1xf32, "local">
// SUMS-NEXT:        tir.store %x, %total_2[0] : memref<1xf32, "local">
// SUMS-NEXT:        tir.for %k_1 "k" in 9 {
// SUMS-NEXT:          %[[S2:.*]] = tir.load %total_2[0] : memref<1xf32, "local">
// SUMS-NEXT:          %[[A2:.*]] = tir.load %A[%i_r + %0 * 2, %k_1] : memref<?x9xf32>
// SUMS-NEXT:          %[[T2:.*]] = arith.addf %[[S2]], %[[A2]] : f32
// SUMS-NEXT:          tir.store %[[T2]], %total_2[0] : memref<1xf32, "local">
// SUMS-NEXT:          tir.store %[[T2]], %A[%i_r + %0 * 2, %k_1] : memref<?x9xf32>
// SUMS-NEXT:        }
// SUMS-NEXT:      }
func.func @sums(%A: memref<?x9xf32> {kc.shape = affine_map<()[s0] -> (s0, 9)>}, %x: f32) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in %n {
    %total = tir.alloc "total" : memref<1xf32, "local">
    tir.store %x, %total[0] : memref<1xf32, "local">
    tir.for %k in 9 {
      %s = tir.load %total[0] : memref<1xf32, "local">
      %a = tir.load %A[%i, %k] : memref<?x9xf32>
      %t = arith.addf %s, %a : f32
      tir.store %t, %total[0] : memref<1xf32, "local">
      tir.store %t, %A[%i, %k] : memref<?x9xf32>
    }
  }
  func.return
}

// A factor larger than the extent is the extent. Inner loops with other numbers of iterations stay.
// TRIANGLES-LABEL: func.func @triangles(
// TRIANGLES-NEXT:      tir.for %i_o in 1 {
// TRIANGLES-NEXT:        %[[N0:.*]] = tir.apply (%i_o * 2)
// TRIANGLES-NEXT:        %[[N1:.*]] = tir.apply (%i_o * 2 + 1)
// TRIANGLES-NEXT:        tir.store %x, %y[%i_o * 2] : memref<2xf32>
// TRIANGLES-NEXT:        tir.store %x, %y[%i_o * 2 + 1] : memref<2xf32>
// TRIANGLES-NEXT:        tir.for %k in %[[N0]] {
// TRIANGLES-NEXT:          tir.store %x, %A[%i_o * 2, %k] : memref<2x2xf32>
// TRIANGLES-NEXT:        }
// TRIANGLES-NEXT:        tir.for %k_1 "k" in %[[N1]] {
// TRIANGLES-NEXT:          tir.store %x, %A[%i_o * 2 + 1, %k_1] : memref<2x2xf32>
// TRIANGLES-NEXT:        }
// TRIANGLES-NEXT:      }
// TRIANGLES-NEXT:      func.return
func.func @triangles(%A: memref<2x2xf32>, %y: memref<2xf32>, %x: f32) {
  tir.for %i in 2 {
    tir.store %x, %y[%i] : memref<2xf32>
    tir.for %k in %i {
      tir.store %x, %A[%i, %k] : memref<2x2xf32>
    }
  }
  func.return
}

// Blocks beside statements are repeated with them.
// MIXED-LABEL: func.func @mixed(
// MIXED-NEXT:      tir.for %i_o in 2 {
// MIXED-NEXT:        tir.for %j in 8 {
// MIXED-NEXT:          tir.block "A" (spatial %v_i in 4 = %i_o * 2, spatial %v_j in 8 = %j) do {
// MIXED-NEXT:            tir.store %x, %A[%v_i, %v_j] : memref<4x8xf32>
// MIXED-NEXT:          }
// MIXED-NEXT:          tir.block "A_1" (spatial %v_i in 4 = %i_o * 2 + 1, spatial %v_j in 8 = %j) do {
// MIXED-NEXT:            tir.store %x, %A[%v_i, %v_j] : memref<4x8xf32>
// MIXED-NEXT:          }
// MIXED-NEXT:        }
// MIXED-NEXT:        tir.store %x, %B[%i_o * 2] : memref<4xf32>
// MIXED-NEXT:        tir.store %x, %B[%i_o * 2 + 1] : memref<4xf32>
// MIXED-NEXT:      }
func.func @mixed(%A: memref<4x8xf32>, %B: memref<4xf32>, %x: f32) {
  tir.for %i in 4 {
    tir.for %j in 8 {
      tir.block "A" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
        tir.store %x, %A[%v_i, %v_j] : memref<4x8xf32>
      }
    }
    tir.store %x, %B[%i] : memref<4xf32>
  }
  func.return
}
