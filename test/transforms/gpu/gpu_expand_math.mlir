// RUN: kc-opt %s --gpu-expand-math | FileCheck %s

// In kernels alone; halves are computed in single precision, vectors lane by lane.
// CHECK-LABEL: func.func @host(%x: f32) -> f32 {
// CHECK-NEXT:    %0 = math.rsqrt %x : f32
// CHECK-NEXT:    func.return %0 : f32
// CHECK-NEXT:  }
func.func @host(%x: f32) -> f32 {
  %0 = math.rsqrt %x : f32
  func.return %0 : f32
}
// CHECK-LABEL: gpu.module @m {
// CHECK-NEXT:    gpu.func @k(%x: f32, %h: f16, %A: memref<4xf64>) kernel {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %0 = math.sqrt %x : f32
// CHECK-NEXT:      %1 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      %2 = arith.divf %1, %0 : f32
// CHECK-NEXT:      %3 = arith.extf %h : f16 to f32
// CHECK-NEXT:      %4 = math.sqrt %3 : f32
// CHECK-NEXT:      %5 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      %6 = arith.divf %5, %4 : f32
// CHECK-NEXT:      %7 = arith.truncf %6 : f32 to f16
// CHECK-NEXT:      %v = vector.load %A[%c0] : memref<4xf64>, vector<4xf64>
// CHECK-NEXT:      %8 = math.sqrt %v : vector<4xf64>
// CHECK-NEXT:      %9 = arith.constant dense<1.000000e+00> : vector<4xf64>
// CHECK-NEXT:      %10 = arith.divf %9, %8 : vector<4xf64>
// CHECK-NEXT:      vector.store %10, %A[%c0] : memref<4xf64>, vector<4xf64>
// CHECK-NEXT:      %11 = math.sqrt %x : f32
// CHECK-NEXT:      gpu.return
// CHECK-NEXT:    }
// CHECK-NEXT:  }
gpu.module @m {
  gpu.func @k(%x: f32, %h: f16, %A: memref<4xf64>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.rsqrt %x : f32
    %1 = math.rsqrt %h : f16
    %v = vector.load %A[%c0] : memref<4xf64>, vector<4xf64>
    %2 = math.rsqrt %v : vector<4xf64>
    vector.store %2, %A[%c0] : memref<4xf64>, vector<4xf64>
    %3 = math.sqrt %x : f32
    gpu.return
  }
}
