// RUN: not kc-run %s --random 2>&1 | FileCheck %s
// RUN: not kc-translate %s --to=asm 2>&1 | FileCheck %s
// RUN: not kc-translate %s --to=llvmir 2>&1 | FileCheck %s
// RUN: not kc-translate %s --to=c 2>&1 | FileCheck %s
// RUN: kc-opt %s | FileCheck %s --check-prefix=TEXT

// An access that leaves its buffer for sure is refused before anything runs.

// CHECK: error[KC2030]: f writes outside C: index 8 of dimension 1, which has the size 8
// CHECK-NEXT: --> {{.*}}static_bounds.mlir:22:11
// CHECK: why: this happens at i=3, j=6
// CHECK-NEXT: try: make the loops shorter, or guard the access with an if

// TEXT: tir.store %{{.*}}, %C[%i, %j + 2]

func.func @f(%A: memref<4x8xf32>, %C: memref<4x8xf32>) {
  tir.for %i in 4 {
    tir.for %j in 8 {
      tir.if (%i >= 3) {
        %0 = tir.load %A[%i, %j] : memref<4x8xf32>
        tir.if (%j > 1) {
          tir.store %0, %C[%i, %j + 2] : memref<4x8xf32>
        }
      }
    }
  }
  func.return
}
