// REQUIRES: mlir
// RUN: kc-opt %S/tuples.mlir --mlir-print-op-generic | mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %S/scan.mlir --mlir-print-op-generic | mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | kc-opt | FileCheck %s --check-prefix=SCAN

// Real MLIR reads the generic form, and we read what it prints of it (it renames values, not axes).

// CHECK-LABEL: te.func @argmax
// CHECK:         te.compute "M" [%i = 8] reduce "argmax" [%k = 16] (%{{.*}}: i32, %{{.*}}: f32) (%{{.*}}: i32, %{{.*}}: f32) identity [-1 : i32, 0xff800000 : f32] {
// CHECK-LABEL: te.func @ragged
// CHECK:         te.compute "S" [%[[I:i]] = 8] reduce sum [%k = ?, %j = 2, %l = ?] domain {

// SCAN-LABEL: te.func @two_states
// SCAN:         te.scan "W" [%[[T:t]] = 10] (%[[A:.*]]: tensor<10xf32> = %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<10x4xi32> = %{{.*}}: tensor<2x4xi32>) attributes {key} {
// SCAN-NEXT:      te.compute "U" [] {
// SCAN-NEXT:        te.read %[[A]][%[[T]] - 2] : tensor<10xf32>
