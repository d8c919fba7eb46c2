// MLIR reads the result of the whole way from blocks to scf.
// REQUIRES: mlir
// RUN: kc-opt %s --lower-init-block --lower-blocks --vectorize-loop --convert-tir-to-scf | mlir-opt --verify-each | FileCheck %s

// CHECK-LABEL: func.func @matmul
// CHECK:         scf.parallel
// CHECK:         vector.store %{{.*}} : memref<8x20xf32>, vector<8xf32>
// CHECK:         vector.load %{{.*}} : memref<10x20xf32>, vector<8xf32>
// CHECK:         llvm.loop_annotation
func.func @matmul(%A: memref<8x10xf32>, %B: memref<10x20xf32>, %C: memref<8x20xf32>) {
  tir.for %i in 8 parallel {
    tir.for %k_o in 3 {
      tir.for %j_o in 3 {
        tir.for %k_i in 4 unrolled {
          tir.for %j_i in 8 vectorized {
            tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 20 = %j_o * 8 + %j_i, reduce %v_k in 10 = %k_o * 4 + %k_i) where (%j_o * 8 + %j_i < 20, %k_o * 4 + %k_i < 10) init {
              %zero = arith.constant 0.0 : f32
              tir.store %zero, %C[%v_i, %v_j] : memref<8x20xf32>
            } do {
              %a = tir.load %A[%v_i, %v_k] : memref<8x10xf32>
              %b = tir.load %B[%v_k, %v_j] : memref<10x20xf32>
              %c = tir.load %C[%v_i, %v_j] : memref<8x20xf32>
              %p = arith.mulf %a, %b : f32
              %s = arith.addf %c, %p : f32
              tir.store %s, %C[%v_i, %v_j] : memref<8x20xf32>
            }
          }
        }
      }
    }
  }
  func.return
}

// CHECK-LABEL: func.func @elementwise
// CHECK:         memref.alloca() {alignment = 64 : i64}
// CHECK:         arith.cmpi slt, %{{.*}} : vector<8xi32>
// CHECK:         arith.cmpi ne, %{{.*}} : vector<8xi8>
// CHECK:         arith.select %{{.*}} : vector<8xi1>, vector<8xi32>
// CHECK:         vector.insert %{{.*}} : i32 into vector<8xi32>
// CHECK:         vector.load %{{.*}} : memref<8xi32>, vector<8xi32>
// CHECK:         arith.select %{{.*}} : vector<8xi1>, vector<8xi32>
// CHECK:         vector.store %{{.*}} : memref<8xi32>, vector<8xi32>
func.func @elementwise(%A: memref<?x?xi32> {kc.shape = affine_map<()[s0, s1] -> (s0, s1)>}, %M: memref<8xi1>) attributes {kc.symbols = ["n", "m"]} {
  %n = tir.symbol "n"
  %m = tir.symbol "m"
  %size = arith.muli %n, %m : index
  %t = tir.alloc "t" : memref<8xi32>
  tir.for %f_o in %size parallel {
    tir.for %f_i in 8 vectorized {
      %f = tir.apply (%f_o * 8 + %f_i)
      %i, %j = tir.delinearize %f by [%n, %m]
      tir.block "A" (spatial %v_i in %n = %i, spatial %v_j in %m = %j) where (%f_o * 8 + %f_i < %size) do {
        %a = tir.load %A[%v_i, %v_j] : memref<?x?xi32>
        %k = arith.index_cast %v_j : index to i32
        %c = arith.cmpi slt, %k, %a : i32
        %d = tir.load %M[%f_i] : memref<8xi1>
        %e = arith.andi %c, %d : i1
        %s = arith.select %e, %k, %a : i32
        tir.store %s, %A[%v_i, %v_j] : memref<?x?xi32>
      }
    }
  }
  tir.for %f in 8 vectorized {
    %x = tir.load %t[(%f * 3) mod 8] : memref<8xi32>
    tir.if (%f < 5) {
      tir.store %x, %t[%f] : memref<8xi32>
    }
  }
  func.return
}
