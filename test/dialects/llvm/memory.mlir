// RUN: kc-opt %s | kc-opt | FileCheck %s

// CHECK-LABEL: llvm.func @addresses
llvm.func @addresses(%p: !llvm.ptr, %q: !llvm.ptr<3>, %i: i64, %n: i32, %vi: vector<4xi64>) {
  // CHECK: llvm.alloca %{{.*}} x f32 {alignment = 64 : i64} : (i32) -> !llvm.ptr
  %0 = llvm.alloca %n x f32 {alignment = 64 : i64} : (i32) -> !llvm.ptr
  // CHECK: llvm.alloca %{{.*}} x !llvm.array<8 x vector<16xf32>> : (i32) -> !llvm.ptr<5>
  %1 = llvm.alloca %n x !llvm.array<8 x vector<16xf32>> : (i32) -> !llvm.ptr<5>
  // CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %2 = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: llvm.getelementptr inbounds %{{.*}}[0, 1, %{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.struct<(i32, array<4 x f32>)>
  %3 = llvm.getelementptr inbounds %p[0, 1, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.struct<(i32, array<4 x f32>)>
  // CHECK: llvm.getelementptr inbounds|nuw %{{.*}}[%{{.*}}] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
  %4 = llvm.getelementptr inbounds|nuw %q[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
  // CHECK: llvm.getelementptr nusw|nuw
  %5 = llvm.getelementptr nusw|nuw %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: llvm.getelementptr nuw
  %6 = llvm.getelementptr nuw %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: llvm.getelementptr nusw
  %7 = llvm.getelementptr nusw %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, f32
  %8 = llvm.getelementptr %p[%vi] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, f32
  // CHECK: llvm.mlir.addressof @table : !llvm.ptr
  %9 = llvm.mlir.addressof @table : !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @accesses
llvm.func @accesses(%p: !llvm.ptr, %x: f32, %i: i32) {
  // CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
  %0 = llvm.load %p : !llvm.ptr -> f32
  // CHECK: llvm.load %{{.*}} {alignment = 64 : i64, nontemporal} : !llvm.ptr -> vector<16xf32>
  %1 = llvm.load %p {alignment = 64 : i64, nontemporal} : !llvm.ptr -> vector<16xf32>
  // CHECK: llvm.load volatile %{{.*}} : !llvm.ptr -> i32
  %2 = llvm.load volatile %p : !llvm.ptr -> i32
  // CHECK: llvm.load %{{.*}} atomic syncscope("singlethread") acquire {alignment = 4 : i64} : !llvm.ptr -> i32
  %3 = llvm.load %p atomic syncscope("singlethread") acquire {alignment = 4 : i64} : !llvm.ptr -> i32
  // CHECK: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr -> f32
  %4 = llvm.load %p invariant {alignment = 4 : i64} : !llvm.ptr -> f32
  // CHECK: llvm.load %{{.*}} invariant_group : !llvm.ptr -> f32
  %5 = llvm.load %p invariant_group : !llvm.ptr -> f32
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64, nontemporal} : f32, !llvm.ptr
  llvm.store %x, %p {alignment = 4 : i64, nontemporal} : f32, !llvm.ptr
  // CHECK: llvm.store volatile %{{.*}}, %{{.*}} : f32, !llvm.ptr
  llvm.store volatile %x, %p : f32, !llvm.ptr
  // CHECK: llvm.store %{{.*}}, %{{.*}} atomic release {alignment = 4 : i64} : i32, !llvm.ptr
  llvm.store %i, %p atomic release {alignment = 4 : i64} : i32, !llvm.ptr
  // CHECK: llvm.load %{{.*}} {access_groups = [#llvm.access_group<id = distinct[0]<>>], alias_scopes = [#llvm.alias_scope<id = "A", domain = <id = "kernel">>], noalias_scopes = [#llvm.alias_scope<id = "B", domain = <id = "kernel">, description = "output">]} : !llvm.ptr -> f32
  %6 = llvm.load %p {access_groups = [#llvm.access_group<id = distinct[0]<>>], alias_scopes = [#llvm.alias_scope<id = "A", domain = <id = "kernel">>], noalias_scopes = [#llvm.alias_scope<id = "B", domain = <id = "kernel">, description = "output">]} : !llvm.ptr -> f32
  llvm.return
}

// CHECK-LABEL: llvm.func @atomics
llvm.func @atomics(%p: !llvm.ptr, %x: f32, %i: i32) {
  // CHECK: llvm.atomicrmw fadd %{{.*}}, %{{.*}} monotonic {alignment = 4 : i64} : !llvm.ptr, f32
  %0 = llvm.atomicrmw fadd %p, %x monotonic {alignment = 4 : i64} : !llvm.ptr, f32
  // CHECK: llvm.atomicrmw volatile _or %{{.*}}, %{{.*}} syncscope("singlethread") seq_cst : !llvm.ptr, i32
  %1 = llvm.atomicrmw volatile _or %p, %i syncscope("singlethread") seq_cst : !llvm.ptr, i32
  // CHECK: llvm.cmpxchg weak %{{.*}}, %{{.*}}, %{{.*}} acq_rel monotonic {alignment = 4 : i64} : !llvm.ptr, i32
  %2 = llvm.cmpxchg weak %p, %i, %i acq_rel monotonic {alignment = 4 : i64} : !llvm.ptr, i32
  // CHECK: llvm.extractvalue %{{.*}}[1] : !llvm.struct<(i32, i1)>
  %3 = llvm.extractvalue %2[1] : !llvm.struct<(i32, i1)>
  // CHECK: llvm.fence acquire
  llvm.fence acquire
  // CHECK: llvm.fence syncscope("singlethread") seq_cst
  llvm.fence syncscope("singlethread") seq_cst
  llvm.return
}

// CHECK: llvm.mlir.global internal constant @table(dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>) {addr_space = 0 : i32, alignment = 64 : i64, dso_local} : !llvm.array<2 x f32>
llvm.mlir.global internal constant @table(dense<[1.0, 2.0]> : tensor<2xf32>) {addr_space = 0 : i32, alignment = 64 : i64, dso_local} : !llvm.array<2 x f32>
// CHECK: llvm.mlir.global private unnamed_addr constant @name("kernel") {addr_space = 0 : i32}
llvm.mlir.global private unnamed_addr constant @name("kernel") {addr_space = 0 : i32}
// CHECK: llvm.mlir.global external @count() {addr_space = 0 : i32} : i32
llvm.mlir.global external @count() {addr_space = 0 : i32} : i32
// CHECK: llvm.mlir.global weak hidden thread_local @scratch(dense<0> : tensor<64xi8>) {addr_space = 0 : i32, section = "fast"} : !llvm.array<64 x i8>
llvm.mlir.global weak hidden thread_local @scratch(dense<0> : tensor<64xi8>) {addr_space = 0 : i32, section = "fast"} : !llvm.array<64 x i8>
// CHECK: llvm.mlir.global internal @pointer() {addr_space = 0 : i32} : !llvm.ptr {
llvm.mlir.global internal @pointer() {addr_space = 0 : i32} : !llvm.ptr {
  // CHECK: %[[T:.*]] = llvm.mlir.addressof @table : !llvm.ptr
  %0 = llvm.mlir.addressof @table : !llvm.ptr
  // CHECK: %[[E:.*]] = llvm.getelementptr inbounds %[[T]][1] : (!llvm.ptr) -> !llvm.ptr, f32
  %1 = llvm.getelementptr inbounds %0[1] : (!llvm.ptr) -> !llvm.ptr, f32
  // CHECK: llvm.return %[[E]] : !llvm.ptr
  llvm.return %1 : !llvm.ptr
}
