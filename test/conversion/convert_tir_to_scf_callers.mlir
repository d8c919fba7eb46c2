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

// So does a function from elsewhere.
// CHECK-LABEL: func.func private @elsewhere(memref<i8>, memref<4xf32>)
func.func private @elsewhere(memref<i1>, memref<4xf32>)

// CHECK-LABEL: func.func @symbolic(%c: memref<i8>
// CHECK: func.call @elsewhere(%c, %x) : (memref<i8>, memref<4xf32>) -> ()
func.func @symbolic(%c: memref<i1>, %x: memref<4xf32>, %y: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  func.call @elsewhere(%c, %x) : (memref<i1>, memref<4xf32>) -> ()
  tir.for %i in %n {
    %v = tir.load %y[%i] : memref<?xf32>
    tir.store %v, %y[%i] : memref<?xf32>
  }
  func.return
}
