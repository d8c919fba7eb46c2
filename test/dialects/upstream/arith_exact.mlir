// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.divsi %a, %b exact : i32
  %1 = arith.divui %0, %b exact : i32
  %2 = arith.shrsi %1, %b exact {tag} : i32
  %3 = arith.shrui %2, %b : i32
  return %3 : i32
}

// CHECK: arith.divsi %a, %b exact : i32
// CHECK-NEXT: arith.divui %{{.*}}, %b exact : i32
// CHECK-NEXT: arith.shrsi %{{.*}}, %b exact {tag} : i32
// CHECK-NEXT: arith.shrui %{{.*}}, %b : i32
