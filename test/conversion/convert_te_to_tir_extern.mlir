// RUN: kc-opt %s --convert-te-to-tir | FileCheck %s
// RUN: kc-opt %s --convert-te-to-tir | kc-opt | FileCheck %s
// RUN: kc-opt %s --lower-to-llvm | FileCheck %s --check-prefix=LLVM

// The ops of the region stand where the operation stood; blocks and buffers get names of their own.

// CHECK-LABEL: func.func @f(%A: memref<8x?xf32> {{.*}}, %s: f32 {{.*}}, %C: memref<8x?xf32> {{.*}}) attributes {kc.symbols = ["n"], kc.unscheduled} {
// CHECK-NEXT:    %n = tir.symbol "n"
// CHECK-NEXT:    %B = tir.alloc "B" (%n) : memref<8x?xf32>
// CHECK:             tir.block "B" (spatial
// CHECK:         %tmp = tir.alloc "B_1" : memref<8xf32>
// CHECK-NEXT:    tir.for %i_1 "i" in 8 {
// CHECK-NEXT:      tir.for %j_1 "j" in %n {
// CHECK-NEXT:        tir.block "B_1" (spatial %vi in 8 = %i_1, spatial %vj in %n = %j_1) do {
// CHECK-NEXT:          %x = tir.load %B[%vi, %vj] : memref<8x?xf32>
// CHECK-NEXT:          %y = arith.mulf %x, %s : f32
// CHECK-NEXT:          tir.store %y, %C[%vi, %vj] : memref<8x?xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
te.func @f(%A: tensor<8x?xf32> {kc.shape = affine_map<()[n] -> (8, n)>}, %s: f32)
    -> tensor<8x?xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %B = te.compute "B" [%i = 8, %j = %n] {
    %a = te.read %A[%i, %j] : tensor<8x?xf32>
    te.yield %a : f32
  } : tensor<8x?xf32>
  %C = te.extern "C" (%a: memref<8x?xf32> = %B, %t: f32 = %s) -> (%c: memref<8x?xf32> of (%n)) {
    %m = tir.symbol "n"
    %tmp = tir.alloc "B" : memref<8xf32>
    tir.for %i in 8 {
      tir.for %j in %m {
        tir.block "B" (spatial %vi in 8 = %i, spatial %vj in %m = %j) do {
          %x = tir.load %a[%vi, %vj] : memref<8x?xf32>
          %y = arith.mulf %x, %t : f32
          tir.store %y, %c[%vi, %vj] : memref<8x?xf32>
        }
      }
    }
  }
  te.return %C : tensor<8x?xf32>
}

// A result that is not returned has memory of its own. Functions of C get pointers, those of Python
// also what the types of their buffers do not tell.

// CHECK-LABEL: func.func @g
// CHECK:         %C = tir.alloc "C" (%n) : memref<?xf32>
// CHECK-NEXT:    tir.call_extern "fill"(write %C, %n) : (memref<?xf32>, index)
// CHECK-NEXT:    tir.call_extern packed "my.f"("text", read %C, write %D) : (memref<?xf32>, memref<8xf32>)

// LLVM-LABEL: llvm.func @g(
// LLVM:         llvm.call @fill(%[[C:.*]], %[[N:.*]]) : (!llvm.ptr, i64) -> ()
// LLVM:         llvm.call @kc_packed_my_f_{{[0-9a-f]*}}(%[[C]], %[[N]], %{{.*}}) : (!llvm.ptr, i64, !llvm.ptr) -> ()
te.func @g(%A: tensor<?xf32> {kc.shape = affine_map<()[n] -> (n)>}) -> tensor<8xf32>
    attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.extern "C" () -> (%c: memref<?xf32> of (%n)) {
    %m = tir.symbol "n"
    tir.call_extern "fill"(write %c, %m) : (memref<?xf32>, index)
  }
  %D = te.extern "D" (%c: memref<?xf32> = %C) -> (%d: memref<8xf32>) {
    tir.call_extern packed "my.f"("text", read %c, write %d) : (memref<?xf32>, memref<8xf32>)
  }
  te.return %D : tensor<8xf32>
}
