// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

memref.global "private" constant @table : memref<2x2xf32> = dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]>
memref.global @same : memref<4xi32> = dense<7> {alignment = 64 : i64}
memref.global @empty : memref<4xf32> = uninitialized
memref.global "private" @elsewhere : memref<4xf32>
func.func @f() {
  %0 = memref.get_global @table : memref<2x2xf32>
  return
}

// CHECK: memref.global "private" constant @table : memref<2x2xf32> = dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00{{\]\]}}>
// CHECK: memref.global @same : memref<4xi32> = dense<7> {alignment = 64 : i64}
// CHECK: memref.global @empty : memref<4xf32> = uninitialized
// CHECK: memref.global "private" @elsewhere : memref<4xf32>
// CHECK: func.func @f() {
// CHECK: %{{.*}} = memref.get_global @table : memref<2x2xf32>
