// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

#set = affine_set<(d0)[s0] : (d0 - 2 >= 0, s0 - d0 - 1 >= 0, d0 mod 2 == 0)>
func.func @f(%a: memref<10xf32>, %n: index, %z: f32) {
  affine.for %i = 0 to 10 {
    affine.if #set(%i)[%n] {
      affine.store %z, %a[%i] : memref<10xf32>
    } else {
      affine.store %z, %a[0] : memref<10xf32>
    } {tag}
    affine.if #set(%i)[%n] {
    }
    %0:2 = affine.if #set(%i)[%n] -> (f32, f32) {
      affine.yield %z, %z : f32, f32
    } else {
      affine.yield %z, %z : f32, f32
    }
  }
  return
}

// CHECK: func.func @f(%a: memref<10xf32>, %n: index, %z: f32) {
// CHECK: affine.for %i = 0 to 10 {
// CHECK: affine.if affine_set<{{.*}}>(%i)[%n] {
// CHECK: affine.store %z, %a[%i] : memref<10xf32>
// CHECK: } else {
// CHECK: affine.store %z, %a[0] : memref<10xf32>
// CHECK: } {tag}
// CHECK-NEXT: affine.if affine_set<{{.*}}>(%i)[%n] {
// CHECK-NEXT: }
// CHECK: {{.*}} = affine.if affine_set<{{.*}}>(%i)[%n] -> (f32, f32) {
// CHECK: affine.yield %z, %z : f32, f32
// CHECK: } else {
// CHECK: affine.yield %z, %z : f32, f32
