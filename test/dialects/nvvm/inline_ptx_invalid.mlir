// RUN: kc-opt %s --split-input-file --verify-diagnostics

// mlir-opt accepts it.
llvm.func @refused(%f: f32) {
  // expected-error@+1 {{nvvm.inline_ptx: the text has {$r1}, and there are 1 values of r}}
  nvvm.inline_ptx "mov.b32 {$r0}, {$r1};" ro(%f : f32)
  llvm.return
}

// -----

llvm.func @refused(%f: f32) {
  // expected-error@+1 {{expected}}
  nvvm.inline_ptx ro(%f : f32)
  llvm.return
}
