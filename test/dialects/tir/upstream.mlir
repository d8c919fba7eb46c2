// REQUIRES: mlir
// RUN: kc-opt %S/ops.mlir --mlir-print-op-generic | mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | kc-opt | FileCheck %s

// Real MLIR reads our generic form, and we read what it prints of it (it renames values, not loops).
// CHECK-LABEL: func.func @f
// CHECK:         %[[N:.*]] = tir.symbol "n"
// CHECK-NEXT:    %[[LOW:.*]] = tir.apply min(%[[N]] - 8, 7)
// CHECK-NEXT:    tir.apply max(min(%[[N]], 8), %[[LOW]] * 2, min(%[[N]] floordiv 4, %[[LOW]], 3)) {hint}
// CHECK-NEXT:    tir.alloc "buffer" (%[[N]]) : memref<8x?xf32, "local">
// CHECK-NEXT:    tir.for %[[I:i]] in 8 parallel annotations {pragma = "x"} {
// CHECK-NEXT:      tir.for %[[J:j]] in %[[N]] vectorized {
// CHECK:             tir.if (%[[I]] < %[[J]], %{{.*}} >= 3, %{{.*}} == %{{.*}}) {
// CHECK:           tir.for %[[K:k]] in 4 unrolled {
// CHECK-NEXT:        tir.block "B" (spatial %v_i in 8 = %[[I]], opaque %v_j in %[[N]] = %[[N]] - 1, reduce %v_k in 4 = %[[K]]) where (%[[I]] + %[[K]] < 9) annotations {hint = 1 : i64} init {
