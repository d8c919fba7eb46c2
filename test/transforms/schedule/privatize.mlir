// Each iteration of a loop gets its own copy of a buffer.
// RUN: kc-opt %s --privatize="func=rows block=T loop=i" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --privatize="func=rows block=T loop=i" --distribute="func=rows loop=i block=B" | FileCheck %s --check-prefix=DISTRIBUTED
// RUN: kc-opt %s --privatize="func=scalar block=T loop=i buffer=T" --parallel="func=scalar loop=i" | FileCheck %s --check-prefix=SCALAR

// ROWS-LABEL: func.func @rows(
// ROWS-NEXT:      %T = tir.alloc "T" : memref<16x8xf32, "local">
// ROWS-NEXT:      tir.for %i in 16 {
// ROWS-NEXT:        tir.for %j in 8 {
// ROWS-NEXT:          tir.block "T" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
// ROWS-NEXT:            %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
// ROWS-NEXT:            tir.store %a, %T[%v_i, %v_j] : memref<16x8xf32, "local">
// ROWS-NEXT:          }
// ROWS-NEXT:        }
// ROWS-NEXT:        tir.for %k in 8 {
// ROWS-NEXT:          tir.block "B" (spatial %v_i in 16 = %i, spatial %v_k in 8 = %k) do {
// ROWS-NEXT:            %t = tir.load %T[%v_i, %v_k * -1 + 7] : memref<16x8xf32, "local">
// ROWS-NEXT:            tir.store %t, %B[%v_i, %v_k] : memref<16x8xf32>
// ROWS-NEXT:          }
// ROWS-NEXT:        }
// ROWS-NEXT:      }
// DISTRIBUTED-LABEL: func.func @rows(
// DISTRIBUTED-NEXT:      %T = tir.alloc "T" : memref<16x8xf32, "local">
// DISTRIBUTED-NEXT:      tir.for %i in 16 {
// DISTRIBUTED-NEXT:        tir.for %j in 8 {
// DISTRIBUTED-NEXT:          tir.block "T" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
// DISTRIBUTED-NEXT:            %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
// DISTRIBUTED-NEXT:            tir.store %a, %T[%v_i, %v_j] : memref<16x8xf32, "local">
// DISTRIBUTED-NEXT:          }
// DISTRIBUTED-NEXT:        }
// DISTRIBUTED-NEXT:      }
// DISTRIBUTED-NEXT:      tir.for %i_d in 16 {
// DISTRIBUTED-NEXT:        tir.for %k in 8 {
// DISTRIBUTED-NEXT:          tir.block "B" (spatial %v_i in 16 = %i_d, spatial %v_k in 8 = %k) do {
// DISTRIBUTED-NEXT:            %t = tir.load %T[%v_i, %v_k * -1 + 7] : memref<16x8xf32, "local">
// DISTRIBUTED-NEXT:            tir.store %t, %B[%v_i, %v_k] : memref<16x8xf32>
// DISTRIBUTED-NEXT:          }
// DISTRIBUTED-NEXT:        }
// DISTRIBUTED-NEXT:      }
func.func @rows(%A: memref<16x8xf32>, %B: memref<16x8xf32>) {
  %T = tir.alloc "T" : memref<8xf32, "local">
  tir.for %i in 16 {
    tir.for %j in 8 {
      tir.block "T" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
        %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
        tir.store %a, %T[%v_j] : memref<8xf32, "local">
      }
    }
    tir.for %k in 8 {
      tir.block "B" (spatial %v_i in 16 = %i, spatial %v_k in 8 = %k) do {
        %t = tir.load %T[7 - %v_k] : memref<8xf32, "local">
        tir.store %t, %B[%v_i, %v_k] : memref<16x8xf32>
      }
    }
  }
  func.return
}

// A scalar; the extent is known behind the buffer, which moves there. The variable of no block is the loop's.
// SCALAR-LABEL: func.func @scalar(
// SCALAR-NEXT:      %n = tir.symbol "n"
// SCALAR-NEXT:      %T = tir.alloc "T" (%n) : memref<?xf32>
// SCALAR-NEXT:      tir.for %i in %n parallel {
// SCALAR-NEXT:        tir.block "T" (spatial %v_i in %n = %i) do {
// SCALAR-NEXT:          %a = tir.load %A[%v_i] : memref<?xf32>
// SCALAR-NEXT:          tir.store %a, %T[%v_i] : memref<?xf32>
// SCALAR-NEXT:        }
// SCALAR-NEXT:        %t = tir.load %T[%i] : memref<?xf32>
// SCALAR-NEXT:        tir.store %t, %B[%i] : memref<?xf32>
// SCALAR-NEXT:      }
func.func @scalar(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %B: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
  %T = tir.alloc "T" : memref<f32>
  %n = tir.symbol "n"
  tir.for %i in %n {
    tir.block "T" (spatial %v_i in %n = %i) do {
      %a = tir.load %A[%v_i] : memref<?xf32>
      tir.store %a, %T[] : memref<f32>
    }
    %t = tir.load %T[] : memref<f32>
    tir.store %t, %B[%i] : memref<?xf32>
  }
  func.return
}
