// RUN: kc-opt %s --target="cuda -arch=sm_90a" --defer-wgmma-waits | FileCheck %s

// The product of a step is waited for in the next one, which gives its tiles back; the last one
// behind the loop, where its registers are read.
// CHECK-LABEL: func.func @deferred
// CHECK:      tir.for %k in 6 {
// CHECK:        nvvm.wgmma.mma_async
// CHECK:        nvvm.wgmma.wait.group.sync.aligned 1
// CHECK:        tir.if (%k >= 1) {
// CHECK-NEXT:     %[[BEFORE:.*]] = tir.apply (%k - 1)
// CHECK-NEXT:     tir.mbarrier_arrive %empty[%[[BEFORE]] mod 3] : memref<3xi64, "shared">
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: %[[BEGIN:.*]] = llvm.mlir.undef
// CHECK-NEXT: %[[LAST:.*]] = tir.load %C[0] : memref<4xf32, "local">
// CHECK-NEXT: llvm.insertvalue %[[LAST]], %[[BEGIN]][0]
// CHECK:      llvm.insertvalue %{{.*}}, %{{.*}}[3]
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: %[[DONE:.*]] = llvm.extractvalue %{{.*}}[0]
// CHECK-NEXT: tir.store %[[DONE]], %C[0] : memref<4xf32, "local">
// CHECK:      tir.store %{{.*}}, %C[3] : memref<4xf32, "local">
// CHECK-NEXT: %[[STEP:.*]] = tir.apply (5)
// CHECK-NEXT: tir.mbarrier_arrive %empty[%[[STEP]] mod 3] : memref<3xi64, "shared">
// CHECK-NEXT: func.return
func.func @deferred(%a: i64, %b: i64) {
  %C = tir.alloc "C" : memref<4xf32, "local">
  %empty = tir.alloc "empty" {tir.mbarriers} : memref<3xi64, "shared">
  tir.for %k in 6 {
    %s = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
    %c0 = tir.load %C[0] : memref<4xf32, "local">
    %c1 = tir.load %C[1] : memref<4xf32, "local">
    %c2 = tir.load %C[2] : memref<4xf32, "local">
    %c3 = tir.load %C[3] : memref<4xf32, "local">
    %s0 = llvm.insertvalue %c0, %s[0] : !llvm.struct<(f32, f32, f32, f32)>
    %s1 = llvm.insertvalue %c1, %s0[1] : !llvm.struct<(f32, f32, f32, f32)>
    %s2 = llvm.insertvalue %c2, %s1[2] : !llvm.struct<(f32, f32, f32, f32)>
    %s3 = llvm.insertvalue %c3, %s2[3] : !llvm.struct<(f32, f32, f32, f32)>
    %d = nvvm.wgmma.mma_async %a, %b, %s3, <m = 64, n = 8, k = 16>, D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %r0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r0, %C[0] : memref<4xf32, "local">
    %r1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r1, %C[1] : memref<4xf32, "local">
    %r2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r2, %C[2] : memref<4xf32, "local">
    %r3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r3, %C[3] : memref<4xf32, "local">
    tir.mbarrier_arrive %empty[%k mod 3] : memref<3xi64, "shared">
  }
  func.return
}

// Something else reads the registers; and a barrier says what may be overwritten.
// CHECK-LABEL: func.func @read
// CHECK-NOT: wait.group.sync.aligned 1
func.func @read(%a: i64, %b: i64, %D: memref<6xf32>) {
  %C = tir.alloc "C" : memref<4xf32, "local">
  %empty = tir.alloc "empty" {tir.mbarriers} : memref<3xi64, "shared">
  tir.for %k in 6 {
    %s = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
    %c0 = tir.load %C[0] : memref<4xf32, "local">
    %c1 = tir.load %C[1] : memref<4xf32, "local">
    %c2 = tir.load %C[2] : memref<4xf32, "local">
    %c3 = tir.load %C[3] : memref<4xf32, "local">
    tir.store %c0, %D[%k] : memref<6xf32>
    %s0 = llvm.insertvalue %c0, %s[0] : !llvm.struct<(f32, f32, f32, f32)>
    %s1 = llvm.insertvalue %c1, %s0[1] : !llvm.struct<(f32, f32, f32, f32)>
    %s2 = llvm.insertvalue %c2, %s1[2] : !llvm.struct<(f32, f32, f32, f32)>
    %s3 = llvm.insertvalue %c3, %s2[3] : !llvm.struct<(f32, f32, f32, f32)>
    %d = nvvm.wgmma.mma_async %a, %b, %s3, <m = 64, n = 8, k = 16>, D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %r0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r0, %C[0] : memref<4xf32, "local">
    %r1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r1, %C[1] : memref<4xf32, "local">
    %r2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r2, %C[2] : memref<4xf32, "local">
    %r3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r3, %C[3] : memref<4xf32, "local">
    tir.mbarrier_arrive %empty[%k mod 3] : memref<3xi64, "shared">
  }
  func.return
}

// CHECK-LABEL: func.func @barrier
// CHECK-NOT: wait.group.sync.aligned 1
func.func @barrier(%a: i64, %b: i64) {
  %C = tir.alloc "C" : memref<4xf32, "local">
  %empty = tir.alloc "empty" {tir.mbarriers} : memref<3xi64, "shared">
  tir.for %k in 6 {
    %s = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
    %c0 = tir.load %C[0] : memref<4xf32, "local">
    %c1 = tir.load %C[1] : memref<4xf32, "local">
    %c2 = tir.load %C[2] : memref<4xf32, "local">
    %c3 = tir.load %C[3] : memref<4xf32, "local">
    %s0 = llvm.insertvalue %c0, %s[0] : !llvm.struct<(f32, f32, f32, f32)>
    %s1 = llvm.insertvalue %c1, %s0[1] : !llvm.struct<(f32, f32, f32, f32)>
    %s2 = llvm.insertvalue %c2, %s1[2] : !llvm.struct<(f32, f32, f32, f32)>
    %s3 = llvm.insertvalue %c3, %s2[3] : !llvm.struct<(f32, f32, f32, f32)>
    %d = nvvm.wgmma.mma_async %a, %b, %s3, <m = 64, n = 8, k = 16>, D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %r0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r0, %C[0] : memref<4xf32, "local">
    %r1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r1, %C[1] : memref<4xf32, "local">
    %r2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r2, %C[2] : memref<4xf32, "local">
    %r3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r3, %C[3] : memref<4xf32, "local">
    gpu.barrier
    tir.mbarrier_arrive %empty[%k mod 3] : memref<3xi64, "shared">
  }
  func.return
}

// A ring of one: the copy for the next step would wait for this one.
// CHECK-LABEL: func.func @one_slot
// CHECK-NOT: wait.group.sync.aligned 1
func.func @one_slot(%a: i64, %b: i64) {
  %C = tir.alloc "C" : memref<4xf32, "local">
  %empty = tir.alloc "empty" {tir.mbarriers} : memref<1xi64, "shared">
  tir.for %k in 6 {
    %s = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
    %c0 = tir.load %C[0] : memref<4xf32, "local">
    %c1 = tir.load %C[1] : memref<4xf32, "local">
    %c2 = tir.load %C[2] : memref<4xf32, "local">
    %c3 = tir.load %C[3] : memref<4xf32, "local">
    %s0 = llvm.insertvalue %c0, %s[0] : !llvm.struct<(f32, f32, f32, f32)>
    %s1 = llvm.insertvalue %c1, %s0[1] : !llvm.struct<(f32, f32, f32, f32)>
    %s2 = llvm.insertvalue %c2, %s1[2] : !llvm.struct<(f32, f32, f32, f32)>
    %s3 = llvm.insertvalue %c3, %s2[3] : !llvm.struct<(f32, f32, f32, f32)>
    %d = nvvm.wgmma.mma_async %a, %b, %s3, <m = 64, n = 8, k = 16>, D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %r0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r0, %C[0] : memref<4xf32, "local">
    %r1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r1, %C[1] : memref<4xf32, "local">
    %r2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r2, %C[2] : memref<4xf32, "local">
    %r3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    tir.store %r3, %C[3] : memref<4xf32, "local">
    tir.mbarrier_arrive %empty[0] : memref<1xi64, "shared">
  }
  func.return
}

// Copies for a later product are made while this one goes on.
// CHECK-LABEL: func.func @copies(
// CHECK:           tir.for %k in 6 {
// CHECK-NEXT:        %{{.*}} = llvm.mlir.undef
// CHECK:             nvvm.wgmma.mma_async
// CHECK-NEXT:        nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT:        tir.for %j in 1 {
// CHECK-NEXT:          %{{.*}} = tir.load %A
// CHECK-NEXT:          tir.store %{{.*}}, %S{{.*}} : memref<3x128xf32, "shared">
// CHECK-NEXT:        }
// CHECK-NEXT:        nvvm.cp.async.commit.group
// CHECK-NEXT:        nvvm.wgmma.wait.group.sync.aligned 0
func.func @copies(%a: i64, %b: i64, %A: memref<8x128xf32>) {
  tir.for %x in 128 thread "threadIdx.x" {
    %C = tir.alloc "C" : memref<4xf32, "local">
    %S = tir.alloc "S" : memref<3x128xf32, "shared">
    tir.for %k in 6 {
      tir.for %j in 1 {
        %e = tir.load %A[%k + 2, %x] : memref<8x128xf32>
        tir.store %e, %S[(%k + 2) mod 3, %x] {tir.async_copy} : memref<3x128xf32, "shared">
      }
      nvvm.cp.async.commit.group
      %s = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
      %c0 = tir.load %C[0] : memref<4xf32, "local">
      %s0 = llvm.insertvalue %c0, %s[0] : !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.fence.aligned
      %d = nvvm.wgmma.mma_async %a, %b, %s0, <m = 64, n = 8, k = 16>, D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      %r0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      tir.store %r0, %C[0] : memref<4xf32, "local">
    }
  }
  func.return
}

// Copies that a barrier is behind may be what is multiplied, and so may what threads store.
// CHECK-LABEL: func.func @copies_before_a_barrier(
// CHECK:             nvvm.cp.async.commit.group
// CHECK:             nvvm.wgmma.mma_async
// CHECK-NEXT:        nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT:        nvvm.wgmma.wait.group.sync.aligned 0
func.func @copies_before_a_barrier(%a: i64, %b: i64, %A: memref<8x128xf32>) {
  tir.for %x in 128 thread "threadIdx.x" {
    %C = tir.alloc "C" : memref<4xf32, "local">
    %S = tir.alloc "S" : memref<3x128xf32, "shared">
    tir.for %k in 6 {
      tir.for %j in 1 {
        %e = tir.load %A[%k + 2, %x] : memref<8x128xf32>
        tir.store %e, %S[(%k + 2) mod 3, %x] {tir.async_copy} : memref<3x128xf32, "shared">
      }
      nvvm.cp.async.commit.group
      gpu.barrier
      %s = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
      %c0 = tir.load %C[0] : memref<4xf32, "local">
      %s0 = llvm.insertvalue %c0, %s[0] : !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.fence.aligned
      %d = nvvm.wgmma.mma_async %a, %b, %s0, <m = 64, n = 8, k = 16>, D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      %r0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      tir.store %r0, %C[0] : memref<4xf32, "local">
    }
  }
  func.return
}

// CHECK-LABEL: func.func @stores(
// CHECK:             tir.store %{{.*}}, %S
// CHECK:             nvvm.wgmma.mma_async
// CHECK-NEXT:        nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT:        nvvm.wgmma.wait.group.sync.aligned 0
func.func @stores(%a: i64, %b: i64, %A: memref<8x128xf32>) {
  tir.for %x in 128 thread "threadIdx.x" {
    %C = tir.alloc "C" : memref<4xf32, "local">
    %S = tir.alloc "S" : memref<3x128xf32, "shared">
    tir.for %k in 6 {
      tir.for %j in 1 {
        %e = tir.load %A[%k + 2, %x] : memref<8x128xf32>
        tir.store %e, %S[(%k + 2) mod 3, %x] : memref<3x128xf32, "shared">
      }
      %s = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
      %c0 = tir.load %C[0] : memref<4xf32, "local">
      %s0 = llvm.insertvalue %c0, %s[0] : !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.fence.aligned
      %d = nvvm.wgmma.mma_async %a, %b, %s0, <m = 64, n = 8, k = 16>, D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      %r0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      tir.store %r0, %C[0] : memref<4xf32, "local">
    }
  }
  func.return
}
