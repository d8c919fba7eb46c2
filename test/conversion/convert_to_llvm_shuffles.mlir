// On x86 the second step of a transpose is fenced: LLVM would look for instructions that do it together
// with the steps around it.
// RUN: kc-opt %s --target="llvm -mcpu=haswell" --convert-to-llvm | FileCheck %s
// RUN: kc-opt %s --target="llvm -mtriple=aarch64-unknown-linux-gnu" --convert-to-llvm | FileCheck %s --check-prefix=ARM

// ARM-NOT: fence

// CHECK-LABEL: llvm.func @three_steps
// CHECK:         %[[A:.*]] = llvm.shufflevector %{{.*}}, %{{.*}} [0, 4, 1, 5] : vector<4xf32>
// CHECK-NEXT:    %[[B:.*]] = llvm.shufflevector %{{.*}}, %{{.*}} [2, 6, 3, 7] : vector<4xf32>
// CHECK-NEXT:    %[[C:.*]] = llvm.shufflevector %[[A]], %[[B]] [0, 1, 4, 5] : vector<4xf32>
// CHECK-NEXT:    %[[FENCED:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence.v4f32"(%[[C]]) : (vector<4xf32>) -> vector<4xf32>
// CHECK-NEXT:    %[[D:.*]] = llvm.shufflevector %[[FENCED]], %[[A]] [0, 2, 4, 6] : vector<4xf32>
// CHECK-NEXT:    llvm.return %[[D]] : vector<4xf32>
func.func @three_steps(%a: vector<4xf32>, %b: vector<4xf32>) -> vector<4xf32> {
  %s0 = vector.shuffle %a, %b [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>
  %s1 = vector.shuffle %a, %b [2, 6, 3, 7] : vector<4xf32>, vector<4xf32>
  %t = vector.shuffle %s0, %s1 [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>
  %u = vector.shuffle %t, %s0 [0, 2, 4, 6] : vector<4xf32>, vector<4xf32>
  return %u : vector<4xf32>
}

// Of two steps, of halves, and of integers there is no fence.
// CHECK-LABEL: llvm.func @none
// CHECK-NOT:     fence
func.func @none(%a: vector<4xf32>, %b: vector<4xf32>, %i: vector<4xi32>) -> (vector<4xf32>, vector<1xf32>, vector<4xi32>) {
  %s0 = vector.shuffle %a, %b [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>
  %s1 = vector.shuffle %a, %b [2, 6, 3, 7] : vector<4xf32>, vector<4xf32>
  %t = vector.shuffle %s0, %s1 [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>
  %h = vector.shuffle %s0, %s1 [0, 4] : vector<4xf32>, vector<4xf32>
  %q = vector.shuffle %h, %h [1] : vector<2xf32>, vector<2xf32>
  %i0 = vector.shuffle %i, %i [0, 4, 1, 5] : vector<4xi32>, vector<4xi32>
  %i1 = vector.shuffle %i, %i [2, 6, 3, 7] : vector<4xi32>, vector<4xi32>
  %i2 = vector.shuffle %i0, %i1 [0, 1, 4, 5] : vector<4xi32>, vector<4xi32>
  %i3 = vector.shuffle %i2, %i0 [0, 2, 4, 6] : vector<4xi32>, vector<4xi32>
  return %t, %q, %i3 : vector<4xf32>, vector<1xf32>, vector<4xi32>
}
