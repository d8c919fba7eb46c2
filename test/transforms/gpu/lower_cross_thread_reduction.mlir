// RUN: kc-opt %s --lower-cross-thread-reduction | FileCheck %s

// Each thread reduces its terms, then all combine; a condition leaves terms out, not threads.
// CHECK-LABEL: func.func @strided(%A: memref<64x1000xf32>, %B: memref<64xf32>) {
// CHECK-NEXT:    tir.for %i in 64 thread "blockIdx.x" {
// CHECK-NEXT:      %B_part = tir.alloc "B_part" : memref<1xf32, "local">
// CHECK-NEXT:      tir.for %k_i in 32 thread "threadIdx.x" {
// CHECK-NEXT:        %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        tir.store %0, %B_part[0] : memref<1xf32, "local">
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.for %k_o in 32 {
// CHECK-NEXT:        tir.for %k_i_1 "k_i" in 32 thread "threadIdx.x" {
// CHECK-NEXT:          tir.block "B" (spatial %v_i in 64 = %i, reduce %v_k in 1000 = %k_o * 32 + %k_i_1) where (%k_o * 32 + %k_i_1 < 1000) do {
// CHECK-NEXT:            %1 = tir.load %A[%v_i, %v_k] : memref<64x1000xf32>
// CHECK-NEXT:            %2 = tir.load %B_part[0] : memref<1xf32, "local">
// CHECK-NEXT:            %3 = arith.addf %2, %1 : f32
// CHECK-NEXT:            tir.store %3, %B_part[0] : memref<1xf32, "local">
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.for %k_i_2 "k_i" in 32 thread "threadIdx.x" {
// CHECK-NEXT:        %part = tir.load %B_part[0] : memref<1xf32, "local">
// CHECK-NEXT:        %total = tir.thread_allreduce "add" (%part) over ["threadIdx.x"] by (%a: f32) (%b: f32) identity [0.000000e+00 : f32] {
// CHECK-NEXT:          %1 = arith.addf %a, %b : f32
// CHECK-NEXT:          tir.yield %1 : f32
// CHECK-NEXT:        }
// CHECK-NEXT:        tir.block "B_store" (spatial %v_i in 64 = %i) do {
// CHECK-NEXT:          tir.store %total, %B[%v_i] : memref<64xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @strided(%A: memref<64x1000xf32>, %B: memref<64xf32>) {
  tir.for %i in 64 thread "blockIdx.x" {
    tir.for %k_o in 32 {
      tir.for %k_i in 32 thread "threadIdx.x" {
        tir.block "B" (spatial %v_i in 64 = %i, reduce %v_k in 1000 = %k_o * 32 + %k_i) where (%k_o * 32 + %k_i < 1000) init {
          %0 = arith.constant 0.0 : f32
          tir.store %0, %B[%v_i] : memref<64xf32>
        } do {
          %1 = tir.load %A[%v_i, %v_k] : memref<64x1000xf32>
          %2 = tir.load %B[%v_i] : memref<64xf32>
          %3 = arith.addf %2, %1 : f32
          tir.store %3, %B[%v_i] : memref<64xf32>
        }
      }
    }
  }
  func.return
}

// Results in the reduction loop have a partial result each, at their loops; an init that is not
// neutral is combined in once; conditions on results stay.
// CHECK-LABEL: func.func @rows(%A: memref<6x64xi32>, %C: memref<6xi32>, %B: memref<6xi32>) {
// CHECK-NEXT:    tir.for %b in 1 thread "blockIdx.x" {
// CHECK-NEXT:      %B_part = tir.alloc "B_part" : memref<4xi32, "local">
// CHECK-NEXT:      tir.for %i_o in 2 thread "threadIdx.y" {
// CHECK-NEXT:        tir.for %i_i in 4 {
// CHECK-NEXT:          tir.for %k_i in 32 thread "threadIdx.x" {
// CHECK-NEXT:            %0 = arith.constant -2147483648 : i32
// CHECK-NEXT:            tir.store %0, %B_part[%i_i] : memref<4xi32, "local">
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.for %k_o in 2 {
// CHECK-NEXT:        tir.for %i_o_1 "i_o" in 2 thread "threadIdx.y" {
// CHECK-NEXT:          tir.for %i_i_1 "i_i" in 4 {
// CHECK-NEXT:            tir.for %k_i_1 "k_i" in 32 thread "threadIdx.x" {
// CHECK-NEXT:              tir.block "B" (spatial %v_i in 6 = %i_o_1 * 4 + %i_i_1, reduce %v_k in 64 = %k_o * 32 + %k_i_1) where (%i_o_1 * 4 + %i_i_1 < 6) do {
// CHECK-NEXT:                %1 = tir.load %A[%v_i, %v_k] : memref<6x64xi32>
// CHECK-NEXT:                %2 = tir.load %B_part[%i_i_1] : memref<4xi32, "local">
// CHECK-NEXT:                %3 = arith.maxsi %2, %1 : i32
// CHECK-NEXT:                tir.store %3, %B_part[%i_i_1] : memref<4xi32, "local">
// CHECK-NEXT:              }
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.for %i_o_2 "i_o" in 2 thread "threadIdx.y" {
// CHECK-NEXT:        tir.for %i_i_2 "i_i" in 4 {
// CHECK-NEXT:          tir.for %k_i_2 "k_i" in 32 thread "threadIdx.x" {
// CHECK-NEXT:            %part = tir.load %B_part[%i_i_2] : memref<4xi32, "local">
// CHECK-NEXT:            %total = tir.thread_allreduce "max" (%part) over ["threadIdx.x"] by (%a: i32) (%b_1: i32) identity [-2147483648 : i32] {
// CHECK-NEXT:              %1 = arith.maxsi %a, %b_1 : i32
// CHECK-NEXT:              tir.yield %1 : i32
// CHECK-NEXT:            }
// CHECK-NEXT:            tir.block "B_store" (spatial %v_i in 6 = %i_o_2 * 4 + %i_i_2) where (%i_o_2 * 4 + %i_i_2 < 6) do {
// CHECK-NEXT:              %1 = tir.load %C[%v_i] : memref<6xi32>
// CHECK-NEXT:              %2 = arith.maxsi %1, %total : i32
// CHECK-NEXT:              tir.store %2, %B[%v_i] : memref<6xi32>
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @rows(%A: memref<6x64xi32>, %C: memref<6xi32>, %B: memref<6xi32>) {
  tir.for %b in 1 thread "blockIdx.x" {
    tir.for %k_o in 2 {
      tir.for %i_o in 2 thread "threadIdx.y" {
        tir.for %i_i in 4 {
          tir.for %k_i in 32 thread "threadIdx.x" {
            tir.block "B" (spatial %v_i in 6 = %i_o * 4 + %i_i, reduce %v_k in 64 = %k_o * 32 + %k_i) where (%i_o * 4 + %i_i < 6) init {
              %0 = tir.load %C[%v_i] : memref<6xi32>
              tir.store %0, %B[%v_i] : memref<6xi32>
            } do {
              %1 = tir.load %A[%v_i, %v_k] : memref<6x64xi32>
              %2 = tir.load %B[%v_i] : memref<6xi32>
              %3 = arith.maxsi %2, %1 : i32
              tir.store %3, %B[%v_i] : memref<6xi32>
            }
          }
        }
      }
    }
  }
  func.return
}

// A reduction whose terms are all threads': in its place.
// CHECK-LABEL: func.func @direct(%A: memref<32xf32>, %B: memref<1xf32>) {
// CHECK-NEXT:    tir.for %k in 32 thread "threadIdx.x" {
// CHECK-NEXT:      %B_part = tir.alloc "B_part" : memref<1xf32, "local">
// CHECK-NEXT:      %0 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      tir.store %0, %B_part[0] : memref<1xf32, "local">
// CHECK-NEXT:      tir.block "B" (reduce %v_k in 32 = %k) do {
// CHECK-NEXT:        %1 = tir.load %A[%v_k] : memref<32xf32>
// CHECK-NEXT:        %2 = tir.load %B_part[0] : memref<1xf32, "local">
// CHECK-NEXT:        %3 = arith.mulf %2, %1 : f32
// CHECK-NEXT:        tir.store %3, %B_part[0] : memref<1xf32, "local">
// CHECK-NEXT:      }
// CHECK-NEXT:      %part = tir.load %B_part[0] : memref<1xf32, "local">
// CHECK-NEXT:      %total = tir.thread_allreduce "mul" (%part) over ["threadIdx.x"] by (%a: f32) (%b: f32) identity [1.000000e+00 : f32] {
// CHECK-NEXT:        %1 = arith.mulf %a, %b : f32
// CHECK-NEXT:        tir.yield %1 : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.block "B_store" () do {
// CHECK-NEXT:        tir.store %total, %B[0] : memref<1xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @direct(%A: memref<32xf32>, %B: memref<1xf32>) {
  tir.for %k in 32 thread "threadIdx.x" {
    tir.block "B" (reduce %v_k in 32 = %k) init {
      %0 = arith.constant 1.0 : f32
      tir.store %0, %B[0] : memref<1xf32>
    } do {
      %1 = tir.load %A[%v_k] : memref<32xf32>
      %2 = tir.load %B[0] : memref<1xf32>
      %3 = arith.mulf %2, %1 : f32
      tir.store %3, %B[0] : memref<1xf32>
    }
  }
  func.return
}
