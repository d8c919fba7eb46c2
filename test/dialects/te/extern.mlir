// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Inputs, then scalars; results with the sizes that their types do not tell.

// CHECK-LABEL: te.func @scaled
// CHECK:         %C, %D = te.extern "C" (%a: memref<8x?xf32> = %A, %t: f32 = %s) -> (%c: memref<?x?xf32> of (%n, %n), %d: memref<4xi8>) attributes {kc.note = "x"} {
// CHECK-NEXT:      %m = tir.symbol "n"
// CHECK-NEXT:      tir.for %i in %m {
// CHECK-NEXT:        %x = tir.load %a[0, %i] : memref<8x?xf32>
// CHECK-NEXT:        %y = arith.mulf %x, %t : f32
// CHECK-NEXT:        tir.store %y, %c[%i, 0] : memref<?x?xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.call_extern packed "fill"(write %d) : (memref<4xi8>)
// CHECK-NEXT:    }
// CHECK-NEXT:    te.return %C, %D : tensor<?x?xf32>, tensor<4xi8>

// GENERIC: "te.extern"(%A, %s, %n, %n) <{extern_name = "C", operandSegmentSizes = array<i32: 2, 2>}> ({
// GENERIC-NEXT: ^{{.*}}(%a: memref<8x?xf32>, %c: memref<?x?xf32>, %d: memref<4xi8>, %t: f32):
te.func @scaled(%A: tensor<8x?xf32> {kc.shape = affine_map<()[s0] -> (8, s0)>}, %s: f32)
    -> (tensor<?x?xf32>, tensor<4xi8>) attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C, %D = te.extern "C" (%a: memref<8x?xf32> = %A, %t: f32 = %s)
      -> (%c: memref<?x?xf32> of (%n, %n), %d: memref<4xi8>) attributes {kc.note = "x"} {
    %m = tir.symbol "n"
    tir.for %i in %m {
      %x = tir.load %a[0, %i] : memref<8x?xf32>
      %y = arith.mulf %x, %t : f32
      tir.store %y, %c[%i, 0] : memref<?x?xf32>
    }
    tir.call_extern packed "fill"(write %d) : (memref<4xi8>)
  }
  te.return %C, %D : tensor<?x?xf32>, tensor<4xi8>
}

// Nothing is read.

// CHECK-LABEL: te.func @zeros
// CHECK:         %Z = te.extern "Z" () -> (%z: memref<f32>) {
te.func @zeros() -> tensor<f32> {
  %Z = te.extern "Z" () -> (%z: memref<f32>) {
    %zero = arith.constant 0.0 : f32
    tir.store %zero, %z[] : memref<f32>
  }
  te.return %Z : tensor<f32>
}
