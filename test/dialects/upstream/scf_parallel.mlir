// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: memref<?xf32>, %n: index, %s: index, %z: f32) {
  scf.parallel (%i, %j) = (%n, %n) to (%s, %s) step (%n, %s) {
    memref.store %z, %a[%i] : memref<?xf32>
    scf.reduce
  } {tag}
  %0:2 = scf.parallel (%k) = (%n) to (%s) step (%n) init (%z, %z) -> (f32, f32) {
    scf.reduce(%z, %z : f32, f32) {
    ^bb0(%x: f32, %y: f32):
      %t = arith.addf %x, %y : f32
      scf.reduce.return %t : f32
    }, {
    ^bb0(%p: f32, %q: f32):
      %u = arith.mulf %p, %q : f32
      scf.reduce.return %u : f32
    }
  }
  %1 = scf.parallel (%l) = (%n) to (%s) step (%n) init (%z) -> f32 {
    scf.reduce(%z : f32) {
    ^bb0(%v: f32, %w: f32):
      scf.reduce.return %v : f32
    }
  }
  scf.parallel (%r) = (%n) to (%s) step (%n) {
    scf.reduce
  } {mapping = [#gpu.loop_dim_map<processor = thread_x, map = (d0) -> (d0), bound = (d0) -> (d0)>]}
  return
}

// CHECK: func.func @f(%a: memref<?xf32>, %n: index, %s: index, %z: f32) {
// CHECK: scf.parallel (%i, %j) = (%n, %n) to (%s, %s) step (%n, %s) {
// CHECK: memref.store %z, %a[%i] : memref<?xf32>
// CHECK: scf.reduce
// CHECK: } {tag}
// CHECK: {{.*}} = scf.parallel (%k) = (%n) to (%s) step (%n) init (%z, %z) -> (f32, f32) {
// CHECK: scf.reduce(%z, %z : f32, f32) {
// CHECK: ^bb0(%x: f32, %y: f32):
// CHECK: %t = arith.addf %x, %y : f32
// CHECK: scf.reduce.return %t : f32
// CHECK: }, {
// CHECK: ^bb0(%p: f32, %q: f32):
// CHECK: %u = arith.mulf %p, %q : f32
// CHECK: scf.reduce.return %u : f32
// CHECK: %{{.*}} = scf.parallel (%l) = (%n) to (%s) step (%n) init (%z) -> f32 {
// CHECK: scf.reduce(%z : f32) {
// CHECK: ^bb0(%v: f32, %w: f32):
// CHECK: scf.reduce.return %v : f32
// CHECK: scf.parallel (%r) = (%n) to (%s) step (%n) {
// CHECK: } {mapping = [#gpu.loop_dim_map<processor = thread_x, map = (d0) -> (d0), bound = (d0) -> (d0)>]}
