// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

#semi = affine_map<(d0)[s0] -> (d0 * s0 + d0 floordiv s0 + d0 mod s0 + d0 ceildiv s0)>
func.func @f(%i: index, %n: index) {
  %0 = affine.apply #semi(%i)[%n]
  %1 = affine.min affine_map<(d0)[s0] -> (d0 + 1, s0)>(%i)[%n]
  %2 = affine.max affine_map<(d0) -> (d0, 8)>(%i) {tag}
  %3:3 = affine.delinearize_index %i into (%n, 4, 8) : index, index, index
  %4:2 = affine.delinearize_index %i into (8) : index, index
  %5 = affine.linearize_index [%i, %n] by (4, 8) : index
  %6 = affine.linearize_index disjoint [%i, %n] by (%n) : index
  return
}

// A value is what it is written as first: a symbol here, and a dimension.
func.func @spelled(%m: memref<?xf32>, %i: index, %n: index) {
  %0 = affine.load %m[symbol(%n) * %n + %i * %n] : memref<?xf32>
  affine.store %0, %m[%i + symbol(%i)] : memref<?xf32>
  return
}

// CHECK: func.func @f(%i: index, %n: index) {
// CHECK: %{{.*}} = affine.apply affine_map<{{.*}}>(%i)[%n]
// CHECK: %{{.*}} = affine.min affine_map<{{.*}}>(%i)[%n]
// CHECK: %{{.*}} = affine.max affine_map<{{.*}}>(%i) {tag}
// CHECK: {{.*}} = affine.delinearize_index %i into (%n, 4, 8) : index, index, index
// CHECK: {{.*}} = affine.delinearize_index %i into (8) : index, index
// CHECK: %{{.*}} = affine.linearize_index [%i, %n] by (4, 8) : index
// CHECK: %{{.*}} = affine.linearize_index disjoint [%i, %n] by (%n) : index
// CHECK: affine.load %m[symbol(%n) * symbol(%n) + %i * symbol(%n)] : memref<?xf32>
// CHECK: affine.store %{{.*}}, %m[%i + %i] : memref<?xf32>
