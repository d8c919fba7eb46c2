// Statements of several iterations run in one step; a prologue and an epilogue do the rest.
// RUN: kc-opt %s --inject-software-pipeline | FileCheck %s
// RUN: kc-opt %s --plan-software-pipeline --inject-software-pipeline | FileCheck %s

// The buffer has two versions; other annotations stay.
// CHECK-LABEL: func.func @stages(
// CHECK-NEXT:    %B = tir.alloc "B" : memref<2x16xf32>
// CHECK-NEXT:    tir.for %{{.*}} in 16 {
// CHECK-NEXT:      %{{.*}} = tir.load %A[0, %{{.*}}] : memref<8x16xf32>
// CHECK-NEXT:      tir.store %{{.*}}, %B[0, %{{.*}}] : memref<2x16xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.for %i in 7 annotations {tune = 1 : i64} {
// CHECK-NEXT:      tir.for %{{.*}} in 16 {
// CHECK-NEXT:        %{{.*}} = tir.load %A[%i + 1, %{{.*}}] : memref<8x16xf32>
// CHECK-NEXT:        tir.store %{{.*}}, %B[(%i + 1) mod 2, %{{.*}}] : memref<2x16xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.for %{{.*}} in 16 {
// CHECK-NEXT:        %{{.*}} = tir.load %B[%i mod 2, %{{.*}}] : memref<2x16xf32>
// CHECK-NEXT:        tir.store %{{.*}}, %C[%i, %{{.*}}] : memref<8x16xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.for %{{.*}} in 16 {
// CHECK-NEXT:      %{{.*}} = tir.load %B[1, %{{.*}}] : memref<2x16xf32>
// CHECK-NEXT:      tir.store %{{.*}}, %C[7, %{{.*}}] : memref<8x16xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @stages(%A: memref<8x16xf32>, %C: memref<8x16xf32>) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0, 1], tune = 1} {
    %B = tir.alloc "B" : memref<16xf32>
    tir.for %j in 16 {
      %a = tir.load %A[%i, %j] : memref<8x16xf32>
      tir.store %a, %B[%j] : memref<16xf32>
    }
    tir.for %j in 16 {
      %b = tir.load %B[%j] : memref<16xf32>
      tir.store %b, %C[%i, %j] : memref<8x16xf32>
    }
  }
  func.return
}

// Where the later stage comes first in a step, one version less is enough. Stages begin where they
// like, and a pragma is as good as an annotation.
// CHECK-LABEL: func.func @order(
// CHECK-NEXT:    %B = tir.alloc "B" : memref<1xi32>
// CHECK-NEXT:    %[[A:.*]] = tir.load %A[0] : memref<8xi32>
// CHECK-NEXT:    tir.store %[[A]], %B[0] : memref<1xi32>
// CHECK-NEXT:    tir.for %i in 7 {
// CHECK-NEXT:      %[[B:.*]] = tir.load %B[0] : memref<1xi32>
// CHECK-NEXT:      tir.store %[[B]], %C[%i] : memref<8xi32>
// CHECK-NEXT:      %[[A:.*]] = tir.load %A[%i + 1] : memref<8xi32>
// CHECK-NEXT:      tir.store %[[A]], %B[0] : memref<1xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[B:.*]] = tir.load %B[0] : memref<1xi32>
// CHECK-NEXT:    tir.store %[[B]], %C[7] : memref<8xi32>
// CHECK-NEXT:    func.return
func.func @order(%A: memref<8xi32>, %C: memref<8xi32>) {
  tir.for %i in 8 annotations {pragma_software_pipeline_stage = [2, 3],
                               pragma_software_pipeline_order = [1, 0]} {
    %B = tir.alloc "B" : memref<1xi32>
    %a = tir.load %A[%i] : memref<8xi32>
    tir.store %a, %B[0] : memref<1xi32>
    %b = tir.load %B[0] : memref<1xi32>
    tir.store %b, %C[%i] : memref<8xi32>
  }
  func.return
}

// A loop with fewer iterations than stages has no steady state.
// CHECK-LABEL: func.func @short(
// CHECK-NEXT:    %B = tir.alloc "B" : memref<3x1xi32>
// CHECK-NEXT:    %[[A:.*]] = tir.load %A[0] : memref<2xi32>
// CHECK-NEXT:    tir.store %[[A]], %B[0, 0] : memref<3x1xi32>
// CHECK-NEXT:    %[[A:.*]] = tir.load %A[1] : memref<2xi32>
// CHECK-NEXT:    tir.store %[[A]], %B[1, 0] : memref<3x1xi32>
// CHECK-NEXT:    %[[B:.*]] = tir.load %B[0, 0] : memref<3x1xi32>
// CHECK-NEXT:    tir.store %[[B]], %C[0] : memref<2xi32>
// CHECK-NEXT:    %[[B:.*]] = tir.load %B[1, 0] : memref<3x1xi32>
// CHECK-NEXT:    tir.store %[[B]], %C[1] : memref<2xi32>
// CHECK-NEXT:    func.return
func.func @short(%A: memref<2xi32>, %C: memref<2xi32>) {
  tir.for %i in 2 annotations {software_pipeline_stage = [0, 2]} {
    %B = tir.alloc "B" : memref<1xi32>
    %a = tir.load %A[%i] : memref<2xi32>
    tir.store %a, %B[0] : memref<1xi32>
    %b = tir.load %B[0] : memref<1xi32>
    tir.store %b, %C[%i] : memref<2xi32>
  }
  func.return
}

// A number of iterations that only the call knows: each part asks whether there are so many.
// CHECK-LABEL: func.func @symbolic(
// CHECK-NEXT:    %B = tir.alloc "B" (%n) : memref<3x?xi64>
// CHECK-NEXT:    tir.if (%n >= 1) {
// CHECK-NEXT:      %at = tir.load %I[0] : memref<?xindex>
// CHECK-NEXT:      %value = arith.index_cast %at : index to i64
// CHECK-NEXT:      tir.store %value, %B[0, 0] : memref<3x?xi64>
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.if (%n >= 2) {
// CHECK-NEXT:      %[[AT:.*]] = tir.load %I[1] : memref<?xindex>
// CHECK-NEXT:      %[[V:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK-NEXT:      tir.store %[[V]], %B[1, 0] : memref<3x?xi64>
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[N:.*]] = tir.apply (%n - 2)
// CHECK-NEXT:    tir.for %i in %[[N]] {
// CHECK-NEXT:      %[[AT:.*]] = tir.load %I[%i + 2] : memref<?xindex>
// CHECK-NEXT:      %[[V:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK-NEXT:      tir.store %[[V]], %B[(%i + 2) mod 3, 0] : memref<3x?xi64>
// CHECK-NEXT:      %b = tir.load %B[%i mod 3, 0] : memref<3x?xi64>
// CHECK-NEXT:      tir.store %b, %C[%i] : memref<?xi64>
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.if (%n >= 2) {
// CHECK-NEXT:      %[[B:.*]] = tir.load %B[(%n + 1) mod 3, 0] : memref<3x?xi64>
// CHECK-NEXT:      tir.store %[[B]], %C[%n - 2] : memref<?xi64>
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.if (%n >= 1) {
// CHECK-NEXT:      %[[B:.*]] = tir.load %B[(%n + 2) mod 3, 0] : memref<3x?xi64>
// CHECK-NEXT:      tir.store %[[B]], %C[%n - 1] : memref<?xi64>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @symbolic(%I: memref<?xindex>, %C: memref<?xi64>, %n: index) {
  tir.for %i in %n annotations {software_pipeline_stage = [0, 2]} {
    %B = tir.alloc "B" (%n) : memref<?xi64>
    %at = tir.load %I[%i] : memref<?xindex>
    %value = arith.index_cast %at : index to i64
    tir.store %value, %B[0] : memref<?xi64>
    %b = tir.load %B[0] : memref<?xi64>
    tir.store %b, %C[%i] : memref<?xi64>
  }
  func.return
}

// A running sum stays in order; it is an argument, and has no versions.
// CHECK-LABEL: func.func @carried(
// CHECK:         tir.for %i in 7 {
// CHECK-NEXT:      %[[A:.*]] = tir.load %A[%i + 1] : memref<8xi32>
// CHECK-NEXT:      tir.store %[[A]], %L[(%i + 1) mod 2, 0] : memref<2x1xi32>
// CHECK-NEXT:      %[[L:.*]] = tir.load %L[%i mod 2, 0] : memref<2x1xi32>
// CHECK-NEXT:      %[[S:.*]] = tir.load %S[%i] : memref<9xi32>
// CHECK-NEXT:      %[[T:.*]] = arith.addi %[[S]], %[[L]] : i32
// CHECK-NEXT:      tir.store %[[T]], %S[%i + 1] : memref<9xi32>
func.func @carried(%A: memref<8xi32>, %S: memref<9xi32>) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0, 1]} {
    %L = tir.alloc "L" : memref<1xi32>
    %a = tir.load %A[%i] : memref<8xi32>
    tir.store %a, %L[0] : memref<1xi32>
    %l = tir.load %L[0] : memref<1xi32>
    %s = tir.load %S[%i] : memref<9xi32>
    %t = arith.addi %s, %l : i32
    tir.store %t, %S[%i + 1] : memref<9xi32>
  }
  func.return
}
