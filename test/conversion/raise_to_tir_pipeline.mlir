// What is raised can be scheduled and compiled, and upstream reads the result.
// RUN: kc-opt %S/raise_to_tir/Inputs/mlp.mlir --raise-to-tir --split --vectorize | FileCheck %s
// RUN: kc-opt %S/raise_to_tir/Inputs/mlp.mlir --raise-to-tir --lower-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: kc-opt %S/raise_to_tir/Inputs/batch_matmul_dynamic.mlir --raise-to-tir --reorder="block=y loops=m,k,n" --vectorize | FileCheck %s --check-prefix=BMM

// CHECK: tir.for %{{.*}} in 8 vectorized
// LLVM:  llvm.func @mlp
// BMM:   tir.for %m in
// BMM:   tir.for %k in
// BMM:   tir.for %n in
