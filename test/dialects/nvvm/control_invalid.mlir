// RUN: kc-opt %s --split-input-file --verify-diagnostics

llvm.func @refused() {
  // expected-error@+1 {{nvvm.setmaxregister: the number is a multiple of 8 from 24 to 256, not 20}}
  nvvm.setmaxregister increase 20
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{nvvm.setmaxregister: the number is a multiple of 8 from 24 to 256, not 264}}
  nvvm.setmaxregister decrease 264
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{expected one of wait, launch_dependents}}
  nvvm.griddepcontrol sleep
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{expected one of decrease, increase}}
  nvvm.setmaxregister grow 40
  llvm.return
}
