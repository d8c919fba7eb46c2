// RUN: kc-opt %s --lower-lane-reduction | FileCheck %s
// RUN: kc-opt %s --skip-vectorize --lower-lane-reduction | FileCheck %s --check-prefix=SERIAL

// SERIAL-NOT: _part

// The lanes' results are combined behind the outermost loop of the reduction; a condition
// on terms leaves lanes out.
// CHECK-LABEL: func.func @sums(%A: memref<8x1000xf32>, %B: memref<8xf32>) {
// CHECK-NEXT:      tir.for %i in 8 {
// CHECK-NEXT:        %B_part = tir.alloc "B_part" : memref<16xf32>
// CHECK-NEXT:        tir.for %k_i in 16 vectorized {
// CHECK-NEXT:          %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:          tir.store %0, %B_part[%k_i] : memref<16xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        tir.for %k_o in 63 {
// CHECK-NEXT:          tir.for %k_i_1 "k_i" in 16 vectorized {
// CHECK-NEXT:            tir.block "B" (spatial %v_i in 8 = %i, reduce %v_k in 1000 = %k_o * 16 + %k_i_1) where (%k_o * 16 + %k_i_1 < 1000) do {
// CHECK-NEXT:              %a = tir.load %A[%v_i, %v_k] : memref<8x1000xf32>
// CHECK-NEXT:              %b = tir.load %B_part[%k_i_1] : memref<16xf32>
// CHECK-NEXT:              %s = arith.addf %b, %a : f32
// CHECK-NEXT:              tir.store %s, %B_part[%k_i_1] : memref<16xf32>
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        tir.block "B_lanes" (spatial %v_i in 8 = %i) do {
// CHECK-NEXT:          %1 = tir.load %B_part[0] : memref<16xf32>, vector<16xf32>
// CHECK-NEXT:          %2 = vector.reduction <add>, %1 fastmath<reassoc> : vector<16xf32> into f32
// CHECK-NEXT:          %3 = tir.load %B[%v_i] : memref<8xf32>
// CHECK-NEXT:          %s = arith.addf %3, %2 : f32
// CHECK-NEXT:          tir.store %s, %B[%v_i] : memref<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }
func.func @sums(%A: memref<8x1000xf32>, %B: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %k_o in 63 {
      tir.for %k_i in 16 vectorized {
        tir.block "B" (spatial %v_i in 8 = %i, reduce %v_k in 1000 = %k_o * 16 + %k_i) where (%k_o * 16 + %k_i < 1000) do {
          %a = tir.load %A[%v_i, %v_k] : memref<8x1000xf32>
          %b = tir.load %B[%v_i] : memref<8xf32>
          %s = arith.addf %b, %a : f32
          tir.store %s, %B[%v_i] : memref<8xf32>
        }
      }
    }
  }
  func.return
}

// Each result of a tile has its lanes; conditions on results stay.
// CHECK-LABEL: func.func @tile(%A: memref<6x16xi32>, %B: memref<6xi32>) {
// CHECK-NEXT:      tir.for %i_o in 2 {
// CHECK-NEXT:        %B_part = tir.alloc "B_part" : memref<4x4xi32>
// CHECK-NEXT:        tir.for %i_i in 4 unrolled {
// CHECK-NEXT:          tir.for %k_i in 4 vectorized {
// CHECK-NEXT:            %0 = arith.constant -2147483648 : i32
// CHECK-NEXT:            tir.store %0, %B_part[%i_i, %k_i] : memref<4x4xi32>
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        tir.for %k_o in 4 {
// CHECK-NEXT:          tir.for %i_i_1 "i_i" in 4 unrolled {
// CHECK-NEXT:            tir.for %k_i_1 "k_i" in 4 vectorized {
// CHECK-NEXT:              tir.block "B" (spatial %v_i in 6 = %i_o * 4 + %i_i_1, reduce %v_k in 16 = %k_o * 4 + %k_i_1) where (%i_o * 4 + %i_i_1 < 6) do {
// CHECK-NEXT:                %a = tir.load %A[%v_i, %v_k] : memref<6x16xi32>
// CHECK-NEXT:                %b = tir.load %B_part[%i_i_1, %k_i_1] : memref<4x4xi32>
// CHECK-NEXT:                %s = arith.maxsi %b, %a : i32
// CHECK-NEXT:                tir.store %s, %B_part[%i_i_1, %k_i_1] : memref<4x4xi32>
// CHECK-NEXT:              }
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        tir.for %i_i_2 "i_i" in 4 unrolled {
// CHECK-NEXT:          tir.block "B_lanes" (spatial %v_i in 6 = %i_o * 4 + %i_i_2) where (%i_o * 4 + %i_i_2 < 6) do {
// CHECK-NEXT:            %1 = tir.load %B_part[%i_i_2, 0] : memref<4x4xi32>, vector<4xi32>
// CHECK-NEXT:            %2 = vector.reduction <maxsi>, %1 : vector<4xi32> into i32
// CHECK-NEXT:            %3 = tir.load %B[%v_i] : memref<6xi32>
// CHECK-NEXT:            %s = arith.maxsi %3, %2 : i32
// CHECK-NEXT:            tir.store %s, %B[%v_i] : memref<6xi32>
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }
func.func @tile(%A: memref<6x16xi32>, %B: memref<6xi32>) {
  tir.for %i_o in 2 {
    tir.for %k_o in 4 {
      tir.for %i_i in 4 unrolled {
        tir.for %k_i in 4 vectorized {
          tir.block "B" (spatial %v_i in 6 = %i_o * 4 + %i_i, reduce %v_k in 16 = %k_o * 4 + %k_i) where (%i_o * 4 + %i_i < 6) do {
            %a = tir.load %A[%v_i, %v_k] : memref<6x16xi32>
            %b = tir.load %B[%v_i] : memref<6xi32>
            %s = arith.maxsi %b, %a : i32
            tir.store %s, %B[%v_i] : memref<6xi32>
          }
        }
      }
    }
  }
  func.return
}

// More iterations than four vectors have lanes: rounds, and a rest.
// CHECK-LABEL: func.func @long(%A: memref<70xf64>, %B: memref<1xf64>) {
// CHECK-NEXT:      %B_part = tir.alloc "B_part" : memref<16xf64>
// CHECK-NEXT:      tir.for %k in 16 vectorized {
// CHECK-NEXT:        %0 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:        tir.store %0, %B_part[%k] : memref<16xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.for %k_o in 4 {
// CHECK-NEXT:        tir.for %k_1 "k" in 16 vectorized {
// CHECK-NEXT:          %1 = tir.apply (%k_o * 16 + %k_1)
// CHECK-NEXT:          tir.block "B" (reduce %v_k in 70 = %1) do {
// CHECK-NEXT:            %a = tir.load %A[%v_k] : memref<70xf64>
// CHECK-NEXT:            %b = tir.load %B_part[%k_1] : memref<16xf64>
// CHECK-NEXT:            %s = arith.addf %b, %a : f64
// CHECK-NEXT:            tir.store %s, %B_part[%k_1] : memref<16xf64>
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.for %k_2 "k" in 6 vectorized {
// CHECK-NEXT:        %2 = tir.apply (%k_2 + 64)
// CHECK-NEXT:        tir.block "B_1" (reduce %v_k in 70 = %2) do {
// CHECK-NEXT:          %a = tir.load %A[%v_k] : memref<70xf64>
// CHECK-NEXT:          %b = tir.load %B_part[%k_2] : memref<16xf64>
// CHECK-NEXT:          %s = arith.addf %b, %a : f64
// CHECK-NEXT:          tir.store %s, %B_part[%k_2] : memref<16xf64>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.block "B_lanes" () do {
// CHECK-NEXT:        %3 = tir.load %B_part[0] : memref<16xf64>, vector<16xf64>
// CHECK-NEXT:        %4 = vector.reduction <add>, %3 fastmath<reassoc> : vector<16xf64> into f64
// CHECK-NEXT:        %5 = tir.load %B[0] : memref<1xf64>
// CHECK-NEXT:        %s = arith.addf %5, %4 : f64
// CHECK-NEXT:        tir.store %s, %B[0] : memref<1xf64>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }
func.func @long(%A: memref<70xf64>, %B: memref<1xf64>) {
  tir.for %k in 70 vectorized {
    tir.block "B" (reduce %v_k in 70 = %k) do {
      %a = tir.load %A[%v_k] : memref<70xf64>
      %b = tir.load %B[0] : memref<1xf64>
      %s = arith.addf %b, %a : f64
      tir.store %s, %B[0] : memref<1xf64>
    }
  }
  func.return
}

// Tuples: the combiner on vectors.
// CHECK-LABEL: func.func @argmax(%A: memref<32xf32>, %I: memref<1xi32>, %V: memref<1xf32>) {
// CHECK-NEXT:      %I_part = tir.alloc "I_part" : memref<4xi32>
// CHECK-NEXT:      %V_part = tir.alloc "V_part" : memref<4xf32>
// CHECK-NEXT:      tir.for %k_i in 4 vectorized {
// CHECK-NEXT:        %0 = arith.constant -1 : i32
// CHECK-NEXT:        tir.store %0, %I_part[%k_i] : memref<4xi32>
// CHECK-NEXT:        %1 = arith.constant 0xff800000 : f32
// CHECK-NEXT:        tir.store %1, %V_part[%k_i] : memref<4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.for %k_o in 8 {
// CHECK-NEXT:        tir.for %k_i_1 "k_i" in 4 vectorized {
// CHECK-NEXT:          tir.block "M" (reduce %v_k in 32 = %k_o * 4 + %k_i_1) do {
// CHECK-NEXT:            %k = arith.index_cast %v_k : index to i32
// CHECK-NEXT:            %a = tir.load %A[%v_k] : memref<32xf32>
// CHECK-NEXT:            %i = tir.load %I_part[%k_i_1] : memref<4xi32>
// CHECK-NEXT:            %v = tir.load %V_part[%k_i_1] : memref<4xf32>
// CHECK-NEXT:            %c = arith.cmpf oge, %v, %a : f32
// CHECK-NEXT:            %x = arith.select %c, %i, %k : i32
// CHECK-NEXT:            %y = arith.select %c, %v, %a : f32
// CHECK-NEXT:            tir.store %x, %I_part[%k_i_1] : memref<4xi32>
// CHECK-NEXT:            tir.store %y, %V_part[%k_i_1] : memref<4xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.block "M_lanes" () do {
// CHECK-NEXT:        %2 = tir.load %I_part[0] : memref<4xi32>, vector<4xi32>
// CHECK-NEXT:        %3 = tir.load %V_part[0] : memref<4xf32>, vector<4xf32>
// CHECK-NEXT:        %4 = vector.shuffle %2, %2 [0, 1] : vector<4xi32>, vector<4xi32>
// CHECK-NEXT:        %5 = vector.shuffle %3, %3 [0, 1] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:        %6 = vector.shuffle %2, %2 [2, 3] : vector<4xi32>, vector<4xi32>
// CHECK-NEXT:        %7 = vector.shuffle %3, %3 [2, 3] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:        %8 = arith.cmpf oge, %5, %7 : vector<2xf32>
// CHECK-NEXT:        %9 = arith.select %8, %4, %6 : vector<2xi1>, vector<2xi32>
// CHECK-NEXT:        %10 = arith.select %8, %5, %7 : vector<2xi1>, vector<2xf32>
// CHECK-NEXT:        %11 = vector.shuffle %9, %9 [0] : vector<2xi32>, vector<2xi32>
// CHECK-NEXT:        %12 = vector.shuffle %10, %10 [0] : vector<2xf32>, vector<2xf32>
// CHECK-NEXT:        %13 = vector.shuffle %9, %9 [1] : vector<2xi32>, vector<2xi32>
// CHECK-NEXT:        %14 = vector.shuffle %10, %10 [1] : vector<2xf32>, vector<2xf32>
// CHECK-NEXT:        %15 = arith.cmpf oge, %12, %14 : vector<1xf32>
// CHECK-NEXT:        %16 = arith.select %15, %11, %13 : vector<1xi1>, vector<1xi32>
// CHECK-NEXT:        %17 = arith.select %15, %12, %14 : vector<1xi1>, vector<1xf32>
// CHECK-NEXT:        %18 = vector.extract %16[0] : i32 from vector<1xi32>
// CHECK-NEXT:        %19 = vector.extract %17[0] : f32 from vector<1xf32>
// CHECK-NEXT:        %20 = tir.load %I[0] : memref<1xi32>
// CHECK-NEXT:        %21 = tir.load %V[0] : memref<1xf32>
// CHECK-NEXT:        %j, %w = tir.combine "argmax" (%20, %21) (%18, %19) by (%i0: i32, %v0: f32) (%i1: i32, %v1: f32) identity [-1 : i32, 0xff800000 : f32] {
// CHECK-NEXT:          %c = arith.cmpf oge, %v0, %v1 : f32
// CHECK-NEXT:          %x = arith.select %c, %i0, %i1 : i32
// CHECK-NEXT:          %y = arith.select %c, %v0, %v1 : f32
// CHECK-NEXT:          tir.yield %x, %y : i32, f32
// CHECK-NEXT:        }
// CHECK-NEXT:        tir.store %j, %I[0] : memref<1xi32>
// CHECK-NEXT:        tir.store %w, %V[0] : memref<1xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }
func.func @argmax(%A: memref<32xf32>, %I: memref<1xi32>, %V: memref<1xf32>) {
  tir.for %k_o in 8 {
    tir.for %k_i in 4 vectorized {
      tir.block "M" (reduce %v_k in 32 = %k_o * 4 + %k_i) do {
        %k = arith.index_cast %v_k : index to i32
        %a = tir.load %A[%v_k] : memref<32xf32>
        %i = tir.load %I[0] : memref<1xi32>
        %v = tir.load %V[0] : memref<1xf32>
        %j, %w = tir.combine "argmax" (%i, %v) (%k, %a) by (%i0: i32, %v0: f32) (%i1: i32, %v1: f32) identity [-1 : i32, 0xFF800000 : f32] {
          %c = arith.cmpf oge, %v0, %v1 : f32
          %x = arith.select %c, %i0, %i1 : i32
          %y = arith.select %c, %v0, %v1 : f32
          tir.yield %x, %y : i32, f32
        }
        tir.store %j, %I[0] : memref<1xi32>
        tir.store %w, %V[0] : memref<1xf32>
      }
    }
  }
  func.return
}

// On x86, a maximum and a sum, which shows NaN; where it does, the reduction is done once more.
// CHECK-LABEL: func.func @max(%A: memref<8x64xf32>, %B: memref<8xf32>) {
// CHECK-NEXT:      tir.for %i in 8 {
// CHECK-NEXT:        %B_part = tir.alloc "B_part" : memref<4xf32>
// CHECK-NEXT:        %B_part_sum = tir.alloc "B_part_sum" : memref<4xf32>
// CHECK-NEXT:        tir.for %k_i in 4 vectorized {
// CHECK-NEXT:          %0 = arith.constant 0xff800000 : f32
// CHECK-NEXT:          tir.store %0, %B_part[%k_i] : memref<4xf32>
// CHECK-NEXT:          %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:          tir.store %1, %B_part_sum[%k_i] : memref<4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        tir.for %k_o in 16 {
// CHECK-NEXT:          tir.for %k_i_1 "k_i" in 4 vectorized {
// CHECK-NEXT:            tir.block "B" (spatial %v_i in 8 = %i, reduce %v_k in 64 = %k_o * 4 + %k_i_1) do {
// CHECK-NEXT:              %a = tir.load %A[%v_i, %v_k] : memref<8x64xf32>
// CHECK-NEXT:              %2 = tir.load %B_part[%k_i_1] : memref<4xf32>
// CHECK-NEXT:              %3 = arith.cmpf ogt, %a, %2 : f32
// CHECK-NEXT:              %4 = arith.select %3, %a, %2 : f32
// CHECK-NEXT:              %5 = tir.load %B_part_sum[%k_i_1] : memref<4xf32>
// CHECK-NEXT:              %6 = arith.addf %5, %a : f32
// CHECK-NEXT:              tir.store %4, %B_part[%k_i_1] : memref<4xf32>
// CHECK-NEXT:              tir.store %6, %B_part_sum[%k_i_1] : memref<4xf32>
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        tir.block "B_lanes" (spatial %v_i in 8 = %i) do {
// CHECK-NEXT:          %2 = tir.load %B_part[0] : memref<4xf32>, vector<4xf32>
// CHECK-NEXT:          %3 = vector.reduction <maxnumf>, %2 fastmath<nnan> : vector<4xf32> into f32
// CHECK-NEXT:          %4 = tir.load %B[%v_i] : memref<8xf32>
// CHECK-NEXT:          %s = arith.maximumf %4, %3 : f32
// CHECK-NEXT:          tir.store %s, %B[%v_i] : memref<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        %2 = tir.load %B_part_sum[0] : memref<4xf32>, vector<4xf32>
// CHECK-NEXT:        %3 = arith.cmpf uno, %2, %2 : vector<4xf32>
// CHECK-NEXT:        %4 = tir.load %B_part[0] : memref<4xf32>, vector<4xf32>
// CHECK-NEXT:        %5 = arith.bitcast %4 : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:        %6 = arith.constant dense<-2147483648> : vector<4xi32>
// CHECK-NEXT:        %7 = arith.cmpi eq, %5, %6 : vector<4xi32>
// CHECK-NEXT:        %8 = arith.ori %3, %7 : vector<4xi1>
// CHECK-NEXT:        %9 = vector.reduction <or>, %8 : vector<4xi1> into i1
// CHECK-NEXT:        scf.if %9 {
// CHECK-NEXT:          %B_part_1 = tir.alloc "B_part_1" : memref<4xf32>
// CHECK-NEXT:          tir.for %k_i_2 "k_i" in 4 vectorized {
// CHECK-NEXT:            %10 = arith.constant 0xff800000 : f32
// CHECK-NEXT:            tir.store %10, %B_part_1[%k_i_2] : memref<4xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:          tir.for %k_o_1 "k_o" in 16 {
// CHECK-NEXT:            tir.for %k_i_3 "k_i" in 4 vectorized {
// CHECK-NEXT:              tir.block "B_again" (spatial %v_i in 8 = %i, reduce %v_k in 64 = %k_o_1 * 4 + %k_i_3) do {
// CHECK-NEXT:                %a = tir.load %A[%v_i, %v_k] : memref<8x64xf32>
// CHECK-NEXT:                %b = tir.load %B_part_1[%k_i_3] : memref<4xf32>
// CHECK-NEXT:                %s = arith.maximumf %b, %a : f32
// CHECK-NEXT:                tir.store %s, %B_part_1[%k_i_3] : memref<4xf32>
// CHECK-NEXT:              }
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:          tir.block "B_again_lanes" (spatial %v_i in 8 = %i) do {
// CHECK-NEXT:            %11 = tir.load %B_part_1[0] : memref<4xf32>, vector<4xf32>
// CHECK-NEXT:            %12 = vector.reduction <maximumf>, %11 : vector<4xf32> into f32
// CHECK-NEXT:            %13 = tir.load %B[%v_i] : memref<8xf32>
// CHECK-NEXT:            %s = arith.maximumf %13, %12 : f32
// CHECK-NEXT:            tir.store %s, %B[%v_i] : memref<8xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }
func.func @max(%A: memref<8x64xf32>, %B: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %k_o in 16 {
      tir.for %k_i in 4 vectorized {
        tir.block "B" (spatial %v_i in 8 = %i, reduce %v_k in 64 = %k_o * 4 + %k_i) do {
          %a = tir.load %A[%v_i, %v_k] : memref<8x64xf32>
          %b = tir.load %B[%v_i] : memref<8xf32>
          %s = arith.maximumf %b, %a : f32
          tir.store %s, %B[%v_i] : memref<8xf32>
        }
      }
    }
  }
  func.return
}

// The lanes of integers are added by one operation.
// CHECK-LABEL: func.func @sum_of_integers(%A: memref<4xi32>, %B: memref<1xi32>) {
// CHECK:             tir.block "B_lanes" (spatial %v_i in 1 = 0) do {
// CHECK-NEXT:          %1 = tir.load %B_part[0] : memref<4xi32>, vector<4xi32>
// CHECK-NEXT:          %2 = vector.reduction <add>, %1 : vector<4xi32> into i32
// CHECK-NEXT:          %3 = tir.load %B[%v_i] : memref<1xi32>
// CHECK-NEXT:          %s = arith.addi %3, %2 : i32
// CHECK-NEXT:          tir.store %s, %B[%v_i] : memref<1xi32>
// CHECK-NEXT:        }
func.func @sum_of_integers(%A: memref<4xi32>, %B: memref<1xi32>) {
  tir.for %k in 4 vectorized {
    tir.block "B" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k) do {
      %a = tir.load %A[%v_k] : memref<4xi32>
      %b = tir.load %B[%v_i] : memref<1xi32>
      %s = arith.addi %b, %a : i32
      tir.store %s, %B[%v_i] : memref<1xi32>
    }
  }
  func.return
}

// Places that grow from term to term are not compared in the loop: the lanes begin with their first terms.
// CHECK-LABEL: func.func @place(%A: memref<2x96xf32>, %I: memref<2xi32>, %V: memref<2xf32>) {
// CHECK-NEXT:     tir.for %i in 2 {
// CHECK-NEXT:       %I_part = tir.alloc "I_part" : memref<32xi32>
// CHECK-NEXT:       %V_part = tir.alloc "V_part" : memref<32xf32>
// CHECK-NEXT:       tir.for %k in 32 vectorized {
// CHECK-NEXT:         tir.block "M_first" (spatial %v_i in 2 = %i, reduce %v_k in 96 = %k) do {
// CHECK-NEXT:           %n = arith.index_cast %v_k : index to i32
// CHECK-NEXT:           %a = tir.load %A[%v_i, %v_k] : memref<2x96xf32>
// CHECK-NEXT:           tir.store %n, %I_part[%k] : memref<32xi32>
// CHECK-NEXT:           tir.store %a, %V_part[%k] : memref<32xf32>
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       tir.for %k_o in 3 {
// CHECK-NEXT:         tir.for %k_1 "k" in 32 vectorized {
// CHECK-NEXT:           %0 = tir.apply (%k_o * 32 + %k_1)
// CHECK-NEXT:           tir.block "M" (spatial %v_i in 2 = %i, reduce %v_k in 96 = %0) do {
// CHECK-NEXT:             %n = arith.index_cast %v_k : index to i32
// CHECK-NEXT:             %a = tir.load %A[%v_i, %v_k] : memref<2x96xf32>
// CHECK-NEXT:             %p = tir.load %I_part[%k_1] : memref<32xi32>
// CHECK-NEXT:             %v = tir.load %V_part[%k_1] : memref<32xf32>
// CHECK-NEXT:             %q = arith.cmpf oge, %v, %a : f32
// CHECK-NEXT:             %r = arith.select %q, %p, %n : i32
// CHECK-NEXT:             %s = arith.select %q, %v, %a : f32
// CHECK-NEXT:             tir.store %r, %I_part[%k_1] : memref<32xi32>
// CHECK-NEXT:             tir.store %s, %V_part[%k_1] : memref<32xf32>
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       tir.block "M_lanes" (spatial %v_i in 2 = %i) do {
func.func @place(%A: memref<2x96xf32>, %I: memref<2xi32>, %V: memref<2xf32>) {
  tir.for %i in 2 {
    tir.for %k in 96 vectorized {
      tir.block "M" (spatial %v_i in 2 = %i, reduce %v_k in 96 = %k) do {
        %n = arith.index_cast %v_k : index to i32
        %a = tir.load %A[%v_i, %v_k] : memref<2x96xf32>
        %p = tir.load %I[%v_i] : memref<2xi32>
        %v = tir.load %V[%v_i] : memref<2xf32>
        %q, %w = tir.combine "argmax" (%p, %v) (%n, %a) by (%x0: i32, %x1: f32) (%y0: i32, %y1: f32) identity [2147483647 : i32, 0xFF800000 : f32] {
          %gt = arith.cmpf ogt, %x1, %y1 : f32
          %eq = arith.cmpf oeq, %x1, %y1 : f32
          %lt = arith.cmpi slt, %x0, %y0 : i32
          %tie = arith.andi %eq, %lt : i1
          %c = arith.ori %gt, %tie : i1
          %r = arith.select %c, %x0, %y0 : i32
          %s = arith.select %c, %x1, %y1 : f32
          tir.yield %r, %s : i32, f32
        }
        tir.store %q, %I[%v_i] : memref<2xi32>
        tir.store %w, %V[%v_i] : memref<2xf32>
      }
    }
  }
  func.return
}
