// RUN: kc-opt %s --split-input-file --verify-diagnostics

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.extern: the region of C writes its input a in tir.store; it writes its results and buffers of its own}}
  %C = te.extern "C" (%a: memref<4xf32> = %A) -> (%c: memref<4xf32>) {
    %x = tir.load %a[0] : memref<4xf32>
    tir.store %x, %a[1] : memref<4xf32>
  }
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.extern: the region of C writes its input a in tir.call_extern; it writes its results and buffers of its own}}
  %C = te.extern "C" (%a: memref<4x4xf32> = %A) -> (%c: memref<4xf32>) {
    %row = tir.view %a[0, 0] : memref<4x4xf32> to memref<4xf32>
    tir.call_extern "f"(update %row, write %c) : (memref<4xf32>, memref<4xf32>)
  }
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.extern: the region of C takes (memref<5xf32>, memref<4xf32>); its inputs, results and scalars are (memref<4xf32>, memref<4xf32>)}}
  %C = "te.extern"(%A) <{extern_name = "C", operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: memref<5xf32>, %c: memref<4xf32>):
  }) : (tensor<4xf32>) -> tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{te.extern: the results of C have 1 dynamic dimensions but 0 sizes}}
  %C = te.extern "C" (%a: memref<4xf32> = %A) -> (%c: memref<?xf32>) { }
  te.return %C : tensor<?xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.extern: the region of C holds llvm.mlir.zero; it holds ops of tir, scf, arith, math, memref, affine, vector}}
  %C = te.extern "C" (%a: memref<4xf32> = %A) -> (%c: memref<4xf32>) {
    %p = llvm.mlir.zero : !llvm.ptr
  }
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%s: f32) -> tensor<4xf32> {
  // expected-error@+2 {{te.extern: C has no result}}
  %Z = te.compute "Z" [%i = 4] { te.yield %s : f32 } : tensor<4xf32>
  te.extern "C" (%t: f32 = %s) -> () { }
  te.return %Z : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  // expected-error@+1 {{te.extern: C has a tensor after a scalar}}
  %C = "te.extern"(%s, %A) <{extern_name = "C", operandSegmentSizes = array<i32: 2, 0>}> ({
  ^bb0(%a: memref<4xf32>, %c: memref<4xf32>, %t: f32):
  }) : (f32, tensor<4xf32>) -> tensor<4xf32>
  te.return %C : tensor<4xf32>
}
