// RUN: kc-opt %s --gpu-inline-calls | FileCheck %s

// A function in a function, in a loop and with two results; what is only declared stays.
// CHECK-LABEL: gpu.module @m {
// CHECK-NEXT:    func.func private @outside(f32) -> f32
// CHECK-NEXT:    gpu.func @k(%A: memref<64xf32>) kernel {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %c4 = arith.constant 4 : index
// CHECK-NEXT:      scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT:        %x = memref.load %A[%i] : memref<64xf32>
// CHECK-NEXT:        %y = arith.addf %x, %x : f32
// CHECK-NEXT:        %z = arith.mulf %y, %x : f32
// CHECK-NEXT:        %v = func.call @outside(%x) : (f32) -> f32
// CHECK-NEXT:        %w = arith.addf %z, %v : f32
// CHECK-NEXT:        memref.store %w, %A[%i] : memref<64xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.return
// CHECK-NEXT:    }
// CHECK-NEXT:  }
gpu.module @m {
  func.func private @outside(f32) -> f32
  func.func @twice(%x: f32) -> f32 {
    %y = arith.addf %x, %x : f32
    func.return %y : f32
  }
  func.func @both(%x: f32) -> (f32, f32) {
    %y = func.call @twice(%x) : (f32) -> f32
    %z = arith.mulf %y, %x : f32
    func.return %z, %x : f32, f32
  }
  gpu.func @k(%A: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %x = memref.load %A[%i] : memref<64xf32>
      %z, %same = func.call @both(%x) : (f32) -> (f32, f32)
      %v = func.call @outside(%same) : (f32) -> f32
      %w = arith.addf %z, %v : f32
      memref.store %w, %A[%i] : memref<64xf32>
    }
    gpu.return
  }
}

// The host keeps what it calls, or anyone may: not private functions that only kernels call, nor
// those that these call.

// CHECK:         gpu.module @n {
// CHECK-NEXT:      gpu.func @calls_kernel(%x: f32) kernel {
// CHECK-NEXT:        gpu.return
// CHECK:       func.func private @of_both(%x: f32) {
// CHECK:       func.func @of_anyone(%x: f32) {
// CHECK-NOT:   @once
// CHECK-NOT:   @of_kernels
gpu.module @n {
  func.func private @once(%x: f32) {
    func.return
  }
  func.func private @of_kernels(%x: f32) {
    func.call @once(%x) : (f32) -> ()
    func.return
  }
  func.func private @of_both(%x: f32) {
    func.return
  }
  func.func @of_anyone(%x: f32) {
    func.return
  }
  gpu.func @calls_kernel(%x: f32) kernel {
    func.call @of_kernels(%x) : (f32) -> ()
    func.call @of_both(%x) : (f32) -> ()
    func.call @of_anyone(%x) : (f32) -> ()
    gpu.return
  }
}
func.func private @of_both(%x: f32) {
  func.return
}
func.func @of_anyone(%x: f32) {
  func.return
}
func.func private @once(%x: f32) {
  func.return
}
func.func private @of_kernels(%x: f32) {
  func.call @once(%x) : (f32) -> ()
  func.call @once(%x) : (f32) -> ()
  func.return
}
func.func @host(%x: f32) {
  func.call @of_both(%x) : (f32) -> ()
  func.return
}
