// MLIR reads vector code under masks, of all types.
// REQUIRES: mlir
// RUN: kc-opt %s --vectorize-loop --convert-tir-to-scf | mlir-opt --verify-each | FileCheck %s

// CHECK-LABEL: func.func @masks
// CHECK:         vector.reduction <or>
// CHECK:         scf.if %{{.*}} -> (f32)
// CHECK:         scf.if %{{.*}} -> (vector<8xf32>)
// CHECK:         vector.maskedload
// CHECK:         vector.maskedstore
func.func @masks(%A: memref<15x63xf32>, %B: memref<16x64xf32>, %C: memref<?xf32>) {
  tir.for %y in 16 {
    tir.for %x_o in 8 {
      tir.for %x_i in 8 vectorized {
        %last = arith.constant 15 : index
        %one = arith.constant 1 : index
        %x = tir.apply (%x_o * 8 + %x_i)
        %y_in = arith.cmpi slt, %y, %last : index
        %x_in = arith.cmpi sge, %x, %one : index
        %c = scf.if %x_in -> (f32) {
          %c = tir.load %C[%y] : memref<?xf32>
          scf.yield %c : f32
        } else {
          %zero = arith.constant 0.0 : f32
          scf.yield %zero : f32
        }
        %in = arith.andi %y_in, %x_in : i1
        %v = scf.if %in -> (f32) {
          %a = tir.load %A[%y, %x - 1] : memref<15x63xf32>
          scf.yield %a : f32
        } else {
          scf.yield %c : f32
        }
        scf.if %x_in {
          tir.store %v, %B[%y, %x] : memref<16x64xf32>
        }
      }
    }
  }
  func.return
}
