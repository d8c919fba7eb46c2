// RUN: kc-opt %s --split-input-file --verify-diagnostics

llvm.func @refused(%i: i32) {
  // expected-error@+1 {{nvvm.barrier: a number of threads needs an id, of 0 to 15}}
  nvvm.barrier number_of_threads = %i
  llvm.return
}

// -----

llvm.func @refused(%i: i32) {
  // expected-error@+1 {{nvvm.barrier: a reduction has an operation and a predicate}}
  "nvvm.barrier"(%i) <{operandSegmentSizes = array<i32: 0, 0, 1>}> : (i32) -> ()
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{nvvm.barrier: a reduction has an operation and a predicate}}
  %r = "nvvm.barrier"() <{operandSegmentSizes = array<i32: 0, 0, 0>, reductionOp = #nvvm.reduction<or>}> : () -> i32
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %j: i32) {
  // expected-error@+1 {{nvvm.barrier: only the barrier without an id reduces}}
  %r = "nvvm.barrier"(%i, %j) <{operandSegmentSizes = array<i32: 1, 0, 1>, reductionOp = #nvvm.reduction<or>}> : (i32, i32) -> i32
  llvm.return
}

// -----

llvm.func @refused(%i: i32) {
  // expected-error@+1 {{expected a #nvvm.reduction}}
  nvvm.barrier #nvvm.mem_scope<cta> %i
  llvm.return
}

// -----

llvm.func @refused(%i: i32) {
  // expected-error@+1 {{expected one of popc, and, or}}
  nvvm.barrier #nvvm.reduction<xor> %i
  llvm.return
}

// -----

llvm.func @refused(%i: i32) {
  // expected-error@+2 {{expected 'number_of_threads'}}
  nvvm.barrier.arrive id = %i
  llvm.return
}

// -----

llvm.func @refused(%l: i64) {
  // expected-error@+1 {{expected attribute i32 but got i64}}
  nvvm.bar.warp.sync %l : i64
  llvm.return
}
