// RUN: kc-opt %s --convert-to-llvm --split-input-file --verify-diagnostics

func.func @f(%p: i1) {
  // expected-error@+1 {{convert-to-llvm: cf.assert cannot be lowered to the llvm dialect}}
  cf.assert %p, "no"
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{convert-to-llvm: tir.for cannot be lowered to the llvm dialect}}
  tir.for %i in 4 {
  }
  func.return
}

// -----

// expected-error@+1 {{convert-to-llvm: the type vector<2x[4]xf32> is not supported}}
func.func @f(%v: vector<2x[4]xf32>) {
  func.return
}

// -----

func.func @f(%n: index, %x: f32) {
  // expected-error@+1 {{convert-to-llvm: scf.parallel with a reduction is not supported}}
  %r = "scf.parallel"(%n, %n, %n, %x) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
  ^bb0(%i: index):
    "scf.reduce"(%x) ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }) : (f32) -> ()
  }) : (index, index, index, f32) -> f32
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{convert-to-llvm: memref.alloca of the dynamic size memref<?xf32>}}
  %a = memref.alloca(%n) : memref<?xf32>
  func.return
}

// -----

func.func @f(%A: memref<?xf32>) {
  %n = arith.constant 1 : index
  // expected-error@+1 {{convert-to-llvm: memref.dim of dimension 1 of memref<?xf32>}}
  %d = memref.dim %A, %n : memref<?xf32>
  func.return
}

// -----

func.func @free() {
  func.return
}
func.func @f(%A: memref<4xf32>) {
  // expected-error@+1 {{convert-to-llvm: the name @free is already used in the module}}
  memref.dealloc %A : memref<4xf32>
  func.return
}

// -----

func.func @f(%n: i128) {
  // expected-error@+1 {{convert-to-llvm: the type i128 is not supported}}
  vector.print %n : i128
  func.return
}

// -----

func.func @f(%A: memref<4xi1>, %i: index) {
  // expected-error@+1 {{convert-to-llvm: memref.generic_atomic_rmw of i1}}
  %r = memref.generic_atomic_rmw %A[%i] : memref<4xi1> {
  ^bb0(%old: i1):
    memref.atomic_yield %old : i1
  }
  func.return
}
