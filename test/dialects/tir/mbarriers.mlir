// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

// A ring of mbarriers: what copies are to bring, a copy, and what waits for it.
// CHECK-LABEL: func.func @ring
func.func @ring(%a: memref<8x16xf16, strided<[?, 1], offset: ?>>, %s: memref<8x16xf16, strided<[?, 1], offset: ?>, "shared">, %b: memref<1xi64, strided<[1], offset: ?>, "shared">, %t: index) {
  // CHECK-NEXT: %full = tir.alloc "S_full" {tir.mbarriers} : memref<3xi64, "shared">
  %full = tir.alloc "S_full" {tir.mbarriers} : memref<3xi64, "shared">
  // CHECK-NEXT: tir.mbarrier_init %full : memref<3xi64, "shared">
  tir.mbarrier_init %full : memref<3xi64, "shared">
  // CHECK-NEXT: tir.mbarrier_expect %full[(%t + 2) mod 3], 256 : memref<3xi64, "shared">
  tir.mbarrier_expect %full[(%t + 2) mod 3], 256 : memref<3xi64, "shared">
  // CHECK-NEXT: tir.load_box %a, %s, %b : memref<8x16xf16, strided<[?, 1], offset: ?>>, memref<8x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">
  tir.load_box %a, %s, %b : memref<8x16xf16, strided<[?, 1], offset: ?>>, memref<8x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">
  // CHECK-NEXT: tir.mbarrier_wait %full[%t mod 3] phase [%t floordiv 3] : memref<3xi64, "shared">
  tir.mbarrier_wait %full[%t mod 3] phase [%t floordiv 3] : memref<3xi64, "shared">
  // CHECK-NEXT: tir.store_box %s, %a : memref<8x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<8x16xf16, strided<[?, 1], offset: ?>>
  tir.store_box %s, %a : memref<8x16xf16, strided<[?, 1], offset: ?>, "shared">, memref<8x16xf16, strided<[?, 1], offset: ?>>
  // What warps have read may be overwritten when all of them have arrived.
  // CHECK-NEXT: %empty = tir.alloc "S_empty" {tir.mbarriers} : memref<3xi64, "shared">
  %empty = tir.alloc "S_empty" {tir.mbarriers} : memref<3xi64, "shared">
  // CHECK-NEXT: tir.mbarrier_init %empty, 8 : memref<3xi64, "shared">
  tir.mbarrier_init %empty, 8 : memref<3xi64, "shared">
  // CHECK-NEXT: tir.mbarrier_wait %empty[%t mod 3] phase [%t floordiv 3 - 1] : memref<3xi64, "shared">
  tir.mbarrier_wait %empty[%t mod 3] phase [%t floordiv 3 - 1] : memref<3xi64, "shared">
  // CHECK-NEXT: tir.mbarrier_arrive %empty[%t mod 3] : memref<3xi64, "shared">
  tir.mbarrier_arrive %empty[%t mod 3] : memref<3xi64, "shared">
  func.return
}
