// Locations as mlir-opt prints them: named, and defined at the end of the text.
// RUN: kc-opt %s --mlir-print-debuginfo | FileCheck %s
// RUN: %if mlir %{ mlir-opt %s --mlir-print-debuginfo | kc-opt --mlir-print-debuginfo | FileCheck %s %}
// RUN: %if mlir %{ mlir-opt %s --mlir-print-debuginfo --mlir-print-local-scope --mlir-print-op-generic | kc-opt --mlir-print-debuginfo | FileCheck %s %}

// CHECK: memref.load {{.*}} loc("x.py":3:4)
// CHECK: memref.store {{.*}} loc(callsite(fused["x.mlir":1:2, "a.mlir":1:1] at "name"("x.py":3:4)))
// CHECK: memref.store {{.*}} loc("x.py":5:1)
// CHECK: memref.store {{.*}} loc(fused["x.py":6:1, "last"])
#place = loc("x.py":3:4)
module {
  func.func @f(%A: memref<8xf32> loc("A")) {
    %c = arith.constant 0 : index loc(#loc1)
    %x = memref.load %A[%c] : memref<8xf32> loc(#place)
    memref.store %x, %A[%c] : memref<8xf32> loc(#loc3)
    memref.store %x, %A[%c] : memref<8xf32> loc("x.py":5:1 to :9)
    memref.store %x, %A[%c] : memref<8xf32> loc(fused<"kept">["x.py":6:1 to 7:2, "last"])
    return loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc("a.mlir":1:1)
#loc1 = loc(fused["x.mlir":1:2, #loc])
#loc3 = loc(callsite(#loc1 at "name"(#place)))

// Variables of loops and arguments of bodies have locations, too.
// CHECK: affine.for %{{.*}} = 0 to 8 iter_args(
// CHECK: linalg.map
func.func @g(%t: tensor<4xf32>, %z: f32) {
  %s = affine.for %i loc("x.py":8:3) = 0 to 8 iter_args(%a = %z) -> f32 {
    affine.yield %a : f32
  }
  %e = tensor.empty() : tensor<4xf32>
  %m = linalg.map ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) (%x: f32 loc("x"), %y: f32 loc("y")) {
    linalg.yield %x : f32
  }
  return
}
