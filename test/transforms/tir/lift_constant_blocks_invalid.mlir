// A build runs no function of a text: that would be before anybody calls it.
// RUN: not kc-opt %s --lift-constant-blocks 2>&1 | FileCheck %s
// RUN: not kc-opt %s --lower-to-llvm 2>&1 | FileCheck %s
// RUN: kc-opt %s --evaluate-prepared --lower-to-llvm | FileCheck %s --check-prefix=ASKED

// CHECK: error[KC4112]: lift-constant-blocks: @main.prepare would run while the module is built
// CHECK: lift_constant_blocks_invalid.mlir:15
// CHECK: why: a build runs only functions with kc.prepares that it made itself, no function of its input
// CHECK: try: kc-opt --evaluate-prepared runs it and replaces its results by constants

// ASKED-NOT: kc.prepares
// ASKED: llvm.func @main
memref.global "private" constant @w : memref<2xf32> = dense<2.0>
memref.global "private" @v : memref<2xf32> = uninitialized
func.func private @main.prepare(%w: memref<2xf32> {kc.global = @w}, %v: memref<2xf32> {kc.global = @v}) attributes {kc.prepares} {
  tir.for %i in 2 {
    %x = tir.load %w[%i] : memref<2xf32>
    tir.store %x, %v[%i] : memref<2xf32>
  }
  func.return
}
func.func @main(%C: memref<2xf32>) {
  %v = memref.get_global @v : memref<2xf32>
  tir.for %i in 2 {
    %x = tir.load %v[%i] : memref<2xf32>
    tir.store %x, %C[%i] : memref<2xf32>
  }
  func.return
}
