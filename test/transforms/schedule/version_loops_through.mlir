// Versions that go on to a later block, and copies of arguments, which are looked at in their place.
// RUN: kc-opt %s --version-loops="block=C exponent=-20 through=D" | FileCheck %s
// RUN: not kc-opt %s --version-loops="block=C exponent=-20 through=P" 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: kc-opt %s --version-loops="block=E exponent=-20" | FileCheck %s --check-prefix=WRITTEN
// RUN: kc-opt %s --version-loops="block=P exponent=-20 through=C" | FileCheck %s --check-prefix=BEHIND

func.func @f(%A: memref<6xf32> {kc.name = "A"}, %D: memref<6xf32> {kc.name = "D", kc.role = "out"}, %E: memref<8xf32> {kc.name = "E", kc.role = "out"}) {
  %P = tir.alloc "P" : memref<8xf32>
  %Q = tir.alloc "Q" : memref<8xf32>
  tir.for %i in 8 {
    tir.block "Z" (spatial %v_i in 8 = %i) do {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %P[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 6 {
    tir.block "P" (spatial %v_i in 6 = %i) do {
      %zero = arith.constant 0.0 : f32
      %a = tir.load %A[%v_i] : memref<6xf32>
      %is_positive = arith.cmpf ogt, %a, %zero : f32
      %p = arith.select %is_positive, %a, %zero : f32
      tir.store %p, %P[%v_i + 1] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "Q" (spatial %v_i in 8 = %i) do {
      %half = arith.constant 0.5 : f32
      tir.store %half, %Q[%v_i] : memref<8xf32>
    }
  }
  %C = tir.alloc "C" : memref<6xf32>
  tir.for %i in 6 {
    tir.block "C" (spatial %v_i in 6 = %i) do {
      %p = tir.load %P[%v_i + 2] : memref<8xf32>
      %c = arith.mulf %p, %p : f32
      tir.store %c, %C[%v_i] : memref<6xf32>
    }
  }
  tir.for %i in 6 {
    tir.block "D" (spatial %v_i in 6 = %i) do {
      %c = tir.load %C[%v_i] : memref<6xf32>
      %d = arith.addf %c, %c : f32
      tir.store %d, %D[%v_i] : memref<6xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "E" (spatial %v_i in 8 = %i) do {
      %q = tir.load %Q[%v_i] : memref<8xf32>
      tir.store %q, %E[%v_i] : memref<8xf32>
    }
  }
  func.return
}

// The buffer between C and D is one of each version.
// CHECK-NOT:  tir.alloc "C"
// CHECK:      tir.block "A_least"
// CHECK:      tir.if (%least_1 >= 897581056) {
// CHECK-NEXT:   %C = tir.alloc "C" : memref<6xf32>
// CHECK-NEXT:   tir.for %i
// CHECK-NEXT:     tir.block "C"
// CHECK:          tir.block "D"
// CHECK:      } else {
// CHECK-NEXT:   %C_1 = tir.alloc "C_1" : memref<6xf32>
// CHECK-NEXT:   tir.for %i
// CHECK-NEXT:     tir.block "C_2"
// CHECK:          tir.store %{{.*}}, %C_1[%v_i]
// CHECK:          tir.block "D_1"
// CHECK-NEXT:       %{{.*}} = tir.load %C_1[%v_i]
// CHECK:      }
// CHECK:      tir.block "E"

// BEFORE: error[KC3624]: version_loops: the loops of block P do not follow those of C
// BEFORE: why: a version extends from the loops of one block to those of the other
// BEFORE-NEXT: try: version_loops of P, through C

// WRITTEN: tir.block "Q_least"
// WRITTEN: tir.if (%least_1 >= 897581056) {

// C is made before the version, as it is used behind it.
// BEHIND:      %C = tir.alloc "C"
// BEHIND:      tir.if
// BEHIND-NOT:    tir.alloc
// BEHIND:        tir.block "C"
// BEHIND:      } else {
// BEHIND-NOT:    tir.alloc
// BEHIND:        tir.block "D"
