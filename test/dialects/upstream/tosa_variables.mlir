// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --tosa-to-linalg | FileCheck %s --check-prefix=GLOBAL

// CHECK:      tosa.variable @state = dense<-1> : tensor<4xi32>
// CHECK-NEXT: tosa.variable @none {a = 1 : i32} : tensor<f32>
// CHECK-NEXT: tosa.variable @open : tensor<2x?xi32>
tosa.variable @state = dense<-1> : tensor<4xi32>
tosa.variable @none {a = 1 : i32} : tensor<f32>
tosa.variable @open : tensor<2x?xi32>

// GLOBAL:      memref.global "private" @state : memref<4xi32> = dense<-1>
// GLOBAL-NEXT: memref.global "private" @none : memref<f32> = uninitialized
// GLOBAL-NOT:  tosa.

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    %0 = tosa.variable_read @state {b = 2 : i32} : tensor<4xi32>
// CHECK-NEXT:    tosa.variable_write @state, %a : tensor<4xi32>

// GLOBAL-LABEL: func.func @f
// GLOBAL-NEXT:    %0 = memref.get_global @state : memref<4xi32>
// GLOBAL-NEXT:    %1 = bufferization.to_tensor %0 restrict : memref<4xi32> to tensor<4xi32>
// GLOBAL-NEXT:    %2 = memref.get_global @state : memref<4xi32>
// GLOBAL-NEXT:    bufferization.materialize_in_destination %a in restrict writable %2 : (tensor<4xi32>, memref<4xi32>) -> ()
// GLOBAL-NEXT:    func.return %1 : tensor<4xi32>
func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {
  %0 = tosa.variable_read @state {b = 2 : i32} : tensor<4xi32>
  tosa.variable_write @state, %a : tensor<4xi32>
  return %0 : tensor<4xi32>
}
