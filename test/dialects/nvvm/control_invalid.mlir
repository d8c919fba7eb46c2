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

// -----

llvm.func @refused(%p: !llvm.ptr, %g: !llvm.ptr<1>, %c: !llvm.ptr<4>, %b: i1, %f: f32) {
  // expected-error@+1 {{nvvm.prefetch: it is of a level of the caches or of a tensormap}}
  nvvm.prefetch %g : !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %g: !llvm.ptr<1>, %c: !llvm.ptr<4>, %b: i1, %f: f32) {
  // expected-error@+1 {{nvvm.prefetch: it is of a level of the caches or of a tensormap}}
  nvvm.prefetch level = L1, tensormap, %p : !llvm.ptr
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %g: !llvm.ptr<1>, %c: !llvm.ptr<4>, %b: i1, %f: f32) {
  // expected-error@+1 {{nvvm.prefetch: a tensormap is at a generic or constant address}}
  nvvm.prefetch tensormap, %g : !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %g: !llvm.ptr<1>, %c: !llvm.ptr<4>, %b: i1, %f: f32) {
  // expected-error@+1 {{nvvm.prefetch: in_param_space is of a tensormap at a generic address}}
  nvvm.prefetch tensormap in_param_space, %c : !llvm.ptr<4>
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %g: !llvm.ptr<1>, %c: !llvm.ptr<4>, %b: i1, %f: f32) {
  // expected-error@+1 {{nvvm.prefetch: a predicate is of a tensormap}}
  nvvm.prefetch level = L2, %g, predicate = %b : !llvm.ptr<1>, i1
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %g: !llvm.ptr<1>, %c: !llvm.ptr<4>, %b: i1, %f: f32) {
  // expected-error@+1 {{nvvm.prefetch: constant memory has no level}}
  nvvm.prefetch level = L1, %c : !llvm.ptr<4>
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %g: !llvm.ptr<1>, %c: !llvm.ptr<4>, %b: i1, %f: f32) {
  // expected-error@+1 {{nvvm.prefetch: uniform is of level L1 and a generic address}}
  nvvm.prefetch level = L2 uniform, %p : !llvm.ptr
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %g: !llvm.ptr<1>, %c: !llvm.ptr<4>, %b: i1, %f: f32) {
  // expected-error@+1 {{nvvm.prefetch: a priority is of level L2 and a global address}}
  nvvm.prefetch level = L1, evict_priority = evict_last, %g : !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %g: !llvm.ptr<1>, %c: !llvm.ptr<4>, %b: i1, %f: f32) {
  // expected-error@+1 {{nvvm.prefetch: the priority is evict_last or evict_normal}}
  nvvm.prefetch level = L2, evict_priority = evict_first, %g : !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %g: !llvm.ptr<1>, %c: !llvm.ptr<4>, %b: i1, %f: f32) {
  // expected-error@+1 {{nvvm.convert.float.to.tf32: the rounding mode is rn, rz or rna, not none}}
  %0 = nvvm.convert.float.to.tf32 %f
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %g: !llvm.ptr<1>, %c: !llvm.ptr<4>, %b: i1, %f: f32) {
  // expected-error@+1 {{nvvm.convert.float.to.tf32: relu is not supported with the rounding mode rna}}
  %0 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>, relu = true}
  llvm.return
}
