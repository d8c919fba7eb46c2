// RUN: kc-opt %s --convert-tir-to-scf | FileCheck %s

// A caller without loops passes bools to a function where they become bytes: so do its own.
// CHECK-LABEL: func.func private @kernel(%x: memref<4xi8>
func.func private @kernel(%x: memref<4xi1>) {
  tir.for %i in 4 {
    %v = tir.load %x[%i] : memref<4xi1>
    tir.store %v, %x[%i] : memref<4xi1>
  }
  func.return
}

// CHECK-LABEL: func.func @caller(%x: memref<4xi8>
// CHECK: memref.alloc() : memref<4xi8>
// CHECK: func.call @kernel(%{{.*}}) : (memref<4xi8>) -> ()
// CHECK: func.call @kernel(%x) : (memref<4xi8>) -> ()
func.func @caller(%x: memref<4xi1>) {
  %a = memref.alloc() : memref<4xi1>
  func.call @kernel(%a) : (memref<4xi1>) -> ()
  func.call @kernel(%x) : (memref<4xi1>) -> ()
  memref.dealloc %a : memref<4xi1>
  func.return
}
