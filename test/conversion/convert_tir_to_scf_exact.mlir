// What an exact comparison compares is computed as it is written, whatever the target allows.
// RUN: kc-opt %s --convert-tir-to-scf --target="llvm -fast-math" | FileCheck %s
// RUN: kc-opt %s | kc-opt | FileCheck %s --check-prefix=TEXT

// TEXT: arith.cmpf oeq, %s, %c {kc.exact} : f32
// TEXT: arith.cmpf ogt, %a0, %b0 {kc.exact} : f32

// CHECK-LABEL: func.func @f
// CHECK:         arith.mulf %a, %b : f32
// CHECK-NEXT:    %s = scf.if %p -> (f32) {
// CHECK-NEXT:      arith.addf %{{.*}}, %a : f32
// CHECK:         } else {
// CHECK-NEXT:      arith.divf %{{.*}}, %a : f32
// CHECK:         }
// CHECK-NEXT:    arith.cmpf oeq, %s, %c : f32
// CHECK:         arith.mulf %s, %{{.*}} fastmath<fast> : f32
func.func @f(%A: memref<8xf32>, %p: i1) {
  tir.for %i in 8 {
    %a = tir.load %A[%i] : memref<8xf32>
    %b = tir.load %A[0] : memref<8xf32>
    %c = tir.load %A[1] : memref<8xf32>
    %m = arith.mulf %a, %b : f32
    %s = scf.if %p -> (f32) {
      %t = arith.addf %m, %a : f32
      scf.yield %t : f32
    } else {
      %t = arith.divf %m, %a : f32
      scf.yield %t : f32
    }
    %e = arith.cmpf oeq, %s, %c {kc.exact} : f32
    %r = arith.select %e, %m, %b : f32
    %u = arith.mulf %s, %r : f32
    tir.store %u, %A[%i] : memref<8xf32>
  }
  func.return
}

// The comparison is one of the combiner, its operands are the terms.
// CHECK-LABEL: func.func @combiner
// CHECK:         %m = arith.mulf %a, %a : f32
// CHECK-NEXT:    %t = arith.addf %m, %a : f32
// CHECK:         %{{.*}} = arith.cmpf ogt, %{{.*}}, %t : f32
func.func @combiner(%A: memref<8xf32>, %B: memref<1xf32>) {
  tir.for %i in 8 {
    %a = tir.load %A[%i] : memref<8xf32>
    %m = arith.mulf %a, %a : f32
    %t = arith.addf %m, %a : f32
    %b = tir.load %B[0] : memref<1xf32>
    %r = tir.combine "largest" (%b) (%t) by (%a0: f32) (%b0: f32) identity [0xFF800000 : f32] {
      %g = arith.cmpf ogt, %a0, %b0 {kc.exact} : f32
      %v = arith.select %g, %a0, %b0 : f32
      tir.yield %v : f32
    }
    tir.store %r, %B[0] : memref<1xf32>
  }
  func.return
}
