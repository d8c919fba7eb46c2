// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

// CHECK-LABEL: func.func @axes
// CHECK:         tir.for %i in 4 thread "blockIdx.x" {
// CHECK-NEXT:      tir.for %j in %n thread "threadIdx.z" annotations {pragma = "x"} {
// CHECK-NEXT:        tir.for %w in 2 thread "vthread" {
// CHECK-NEXT:          tir.for %u in 2 thread "vthread.y" { }

// GENERIC: "tir.for"() <{loop_name = "i", extent = 4 : i64, kind = #tir<for_kind thread>, thread_axis = "blockIdx.x"}>
func.func @axes(%n: index) {
  tir.for %i in 4 thread "blockIdx.x" {
    tir.for %j in %n thread "threadIdx.z" annotations {pragma = "x"} {
      tir.for %v "w" in 2 thread "vthread" {
        tir.for %u in 2 thread "vthread.y" { }
      }
    }
  }
  func.return
}
