// Structured operations say what is computed: nobody has scheduled them. Loops are somebody's.

// RUN: kc-opt %s --raise-to-tir | FileCheck %s

// CHECK: func.func @tensors({{.*}}) attributes {kc.unscheduled} {
func.func @tensors(%A: tensor<8xf32>, %B: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %S = linalg.add ins(%A, %B : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %S : tensor<8xf32>
}

// CHECK: func.func @buffers({{.*}}) attributes {kc.unscheduled} {
func.func @buffers(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>) {
  linalg.add ins(%A, %B : memref<8xf32>, memref<8xf32>) outs(%C : memref<8xf32>)
  return
}

// CHECK: func.func @operators({{.*}}) attributes {kc.unscheduled} {
func.func @operators(%A: tensor<8xf32>) -> tensor<8xf32> {
  %S = tosa.exp %A : (tensor<8xf32>) -> tensor<8xf32>
  return %S : tensor<8xf32>
}

// CHECK: func.func @affine_loops({{.*}} attributes {a = "out"} {
func.func @affine_loops(%A: memref<8xf32>, %B: memref<8xf32>) attributes {a = "out"} {
  affine.for %i = 0 to 8 {
    %a = affine.load %A[%i] : memref<8xf32>
    affine.store %a, %B[%i] : memref<8xf32>
  }
  return
}

// A transform script has tiled it.
// CHECK: func.func @tiled({{.*}}kc.role = "out"}) {
func.func @tiled(%A: tensor<8xf32>, %B: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %B) -> (tensor<8xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
    %a = tensor.extract_slice %A[%at] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %b = tensor.extract_slice %o[%at] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %s = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%at] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
