// RUN: kc-opt %s | kc-opt | FileCheck %s

// CHECK-LABEL: llvm.func @constants
llvm.func @constants() {
  // CHECK: llvm.mlir.constant(-7 : i32) : i32
  %0 = llvm.mlir.constant(-7 : i32) : i32
  // CHECK: llvm.mlir.constant(3 : index) : i64
  %1 = llvm.mlir.constant(3 : index) : i64
  // CHECK: llvm.mlir.constant(5 : i64) : i64
  %2 = llvm.mlir.constant(5) : i64
  // CHECK: llvm.mlir.constant(true) : i1
  %3 = llvm.mlir.constant(true) : i1
  // CHECK: llvm.mlir.constant(1.500000e+00 : f32) : f32
  %4 = llvm.mlir.constant(1.5 : f32) : f32
  // CHECK: llvm.mlir.constant(0x{{[fF][fF]}}800000 : f32) : f32
  %5 = llvm.mlir.constant(0xFF800000 : f32) : f32
  // CHECK: llvm.mlir.constant(1.000000e+00 : bf16) : bf16
  %6 = llvm.mlir.constant(1.0 : bf16) : bf16
  // CHECK: llvm.mlir.constant(dense<1.000000e+00> : vector<4xf32>) : vector<4xf32>
  %7 = llvm.mlir.constant(dense<1.0> : vector<4xf32>) : vector<4xf32>
  // CHECK: llvm.mlir.constant(dense<[1, 2, 3, 4]> : tensor<4xi32>) : !llvm.array<4 x i32>
  %8 = llvm.mlir.constant(dense<[1, 2, 3, 4]> : tensor<4xi32>) : !llvm.array<4 x i32>
  // CHECK: llvm.mlir.constant("abc") : !llvm.array<3 x i8>
  %9 = llvm.mlir.constant("abc") : !llvm.array<3 x i8>
  // CHECK: llvm.mlir.constant([1 : i32, 2.000000e+00 : f32]) : !llvm.struct<(i32, f32)>
  %10 = llvm.mlir.constant([1 : i32, 2.0 : f32]) : !llvm.struct<(i32, f32)>
  // CHECK: llvm.mlir.zero : !llvm.ptr
  %11 = llvm.mlir.zero : !llvm.ptr
  // CHECK: llvm.mlir.none : !llvm.token
  %none = llvm.mlir.none : !llvm.token
  // CHECK: llvm.mlir.poison : !llvm.struct<(ptr, i64, array<2 x i64>)>
  %12 = llvm.mlir.poison : !llvm.struct<(ptr, i64, array<2 x i64>)>
  // CHECK: llvm.mlir.undef : vector<4xf32>
  %13 = llvm.mlir.undef : vector<4xf32>
  llvm.return
}

// CHECK-LABEL: llvm.func @parts
// CHECK-SAME: %{{.*}}: !llvm.struct<"pair", packed (i8, struct<(f32, array<2 x ptr<1>>)>)>
llvm.func @parts(%s: !llvm.struct<"pair", packed (i8, struct<(f32, array<2 x ptr<1>>)>)>, %v: vector<8xf32>, %i: i32, %x: f32) {
  // CHECK: %[[P:.*]] = llvm.extractvalue %{{.*}}[1, 1, 0] : !llvm.struct<"pair", packed (i8, struct<(f32, array<2 x ptr<1>>)>)>
  %0 = llvm.extractvalue %s[1, 1, 0] : !llvm.struct<"pair", packed (i8, struct<(f32, array<2 x ptr<1>>)>)>
  // CHECK: llvm.insertvalue %[[P]], %{{.*}}[1, 1, 1] : !llvm.struct<"pair", packed (i8, struct<(f32, array<2 x ptr<1>>)>)>
  %1 = llvm.insertvalue %0, %s[1, 1, 1] : !llvm.struct<"pair", packed (i8, struct<(f32, array<2 x ptr<1>>)>)>
  // CHECK: llvm.extractelement %{{.*}}[%{{.*}} : i32] : vector<8xf32>
  %2 = llvm.extractelement %v[%i : i32] : vector<8xf32>
  // CHECK: llvm.insertelement %{{.*}}, %{{.*}}[%{{.*}} : i32] : vector<8xf32>
  %3 = llvm.insertelement %x, %v[%i : i32] : vector<8xf32>
  // CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [0, 15, -1, 3] : vector<8xf32>
  %4 = llvm.shufflevector %v, %v [0, 15, -1, 3] : vector<8xf32>
  llvm.return
}
