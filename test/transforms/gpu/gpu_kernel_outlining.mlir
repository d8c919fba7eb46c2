// RUN: kc-opt %s --gpu-kernel-outlining | FileCheck %s

// What a launch uses is passed in the order of its use, that of inner operations first.
// CHECK: builtin.module attributes {gpu.container_module} {
// CHECK-LABEL: func.func @scale(%m: memref<?xf32>, %n: index, %x: f32) {
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %c64 = arith.constant 64 : index
// CHECK-NEXT:    %two = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:    gpu.launch_func @scale_kernel::@scale_kernel blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : f32, %two : f32, %n : index, %m : memref<?xf32>)
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
// CHECK-NEXT:  gpu.module @scale_kernel {
// CHECK-NEXT:    gpu.func @scale_kernel(%x: f32, %two: f32, %n: index, %m: memref<?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
// CHECK-NEXT:      %bx = gpu.block_id x
// CHECK-NEXT:      %by = gpu.block_id y
// CHECK-NEXT:      %bz = gpu.block_id z
// CHECK-NEXT:      %tx = gpu.thread_id x
// CHECK-NEXT:      %ty = gpu.thread_id y
// CHECK-NEXT:      %tz = gpu.thread_id z
// CHECK-NEXT:      %gx = gpu.grid_dim x
// CHECK-NEXT:      %gy = gpu.grid_dim y
// CHECK-NEXT:      %gz = gpu.grid_dim z
// CHECK-NEXT:      %sx = gpu.block_dim x
// CHECK-NEXT:      %sy = gpu.block_dim y
// CHECK-NEXT:      %sz = gpu.block_dim z
// CHECK-NEXT:      %i = arith.muli %bx, %sx : index
// CHECK-NEXT:      %j = arith.addi %i, %tx : index
// CHECK-NEXT:      %y = arith.mulf %x, %two : f32
// CHECK-NEXT:      %ok = arith.cmpi slt, %j, %n : index
// CHECK-NEXT:      scf.if %ok {
// CHECK-NEXT:        memref.store %y, %m[%j] : memref<?xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.return
// CHECK-NEXT:    }
// CHECK-NEXT:  }
func.func @scale(%m: memref<?xf32>, %n: index, %x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %two = arith.constant 2.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    %i = arith.muli %bx, %sx : index
    %j = arith.addi %i, %tx : index
    %y = arith.mulf %x, %two : f32
    %ok = arith.cmpi slt, %j, %n : index
    scf.if %ok {
      memref.store %y, %m[%j] : memref<?xf32>
    }
    gpu.terminator
  }
  func.return
}

// Tokens, clusters, dynamic memory, memory of blocks and threads; what is called is copied.
// CHECK-LABEL: func.func @queued(
// CHECK: %u = gpu.launch_func async [%t] @queued_kernel::@queued_kernel clusters in (%c2, %c2, %c2) blocks in (%c2, %c2, %c2) threads in (%n, %c2, %c2) dynamic_shared_memory_size %bytes args(%x : f32)
// CHECK: gpu.wait [%u]
// CHECK: gpu.module @queued_kernel {
// CHECK: gpu.func @queued_kernel(%x: f32) workgroup(%w: memref<4xf32, 3 : i64>) private(%p: memref<4xf32, 5 : i64>) kernel attributes {known_grid_size = array<i32: 2, 2, 2>} {
// CHECK: %cx = gpu.cluster_id x
// CHECK: %dz = gpu.cluster_dim z
// CHECK: cf.br ^bb
// CHECK: func.call @outer() : () -> ()
// CHECK-NEXT: gpu.return
// CHECK: func.func @outer() {
// CHECK: func.call @inner() : () -> ()
// CHECK: func.func @inner() {
func.func @queued(%n: index, %x: f32, %bytes: i32) {
  %c2 = arith.constant 2 : index
  %t = gpu.wait async
  %u = gpu.launch async [%t] clusters(%cx, %cy, %cz) in (%dx = %c2, %dy = %c2, %dz = %c2) blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c2, %gz = %c2) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %c2, %sz = %c2) dynamic_shared_memory_size %bytes workgroup(%w: memref<4xf32, 3>) private(%p: memref<4xf32, 5>) {
    %c0 = arith.constant 0 : index
    memref.store %x, %w[%c0] : memref<4xf32, 3>
    memref.store %x, %p[%c0] : memref<4xf32, 5>
    cf.br ^bb1
  ^bb1:
    func.call @outer() : () -> ()
    gpu.terminator
  }
  gpu.wait [%u]
  func.return
}

func.func @outer() {
  func.call @inner() : () -> ()
  func.return
}

func.func @inner() {
  func.return
}

// Kernels of one module, and of one name.
// CHECK-LABEL: func.func @named(
// CHECK: gpu.launch_func @code::@k blocks
// CHECK: gpu.launch_func @code::@k_1 blocks
// CHECK: gpu.module @code {
// CHECK: gpu.func @k()
// CHECK: gpu.func @k_1()
func.func @named(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) module(@code) function(@k) {
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) module(@code) function(@k) {
    gpu.terminator
  }
  func.return
}

// CHECK-LABEL: func.func @host_only
// CHECK-NEXT: func.return
func.func @host_only() {
  func.return
}
