// RUN: kc-opt %s --split-input-file --verify-diagnostics

// mlir-opt accepts it.
llvm.func @refused() {
  // expected-error@+1 {{nvvm.read.ptx.sreg.tid.x: a range of i64 for a register of i32}}
  %r = nvvm.read.ptx.sreg.tid.x range <i64, 0, 4> : i32
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{nvvm.read.ptx.sreg.tid.x: the range from 4 to 4 is empty; the bounds of an empty range are both 0, those of a full range both -1}}
  %r = nvvm.read.ptx.sreg.tid.x range <i32, 4, 4> : i32
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{expected an integer type}}
  %r = nvvm.read.ptx.sreg.tid.x range <f32, 0, 4> : i32
  llvm.return
}

// -----

// mlir-opt accepts it.
llvm.func @refused() {
  // expected-error@+1 {{expected attribute i32 but got i64}}
  %r = nvvm.read.ptx.sreg.tid.x : i64
  llvm.return
}

// -----

// mlir-opt accepts it.
llvm.func @refused() {
  // expected-error@+1 {{expected attribute i64 but got i32}}
  %r = nvvm.read.ptx.sreg.clock64 : i32
  llvm.return
}
