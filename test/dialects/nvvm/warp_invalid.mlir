// RUN: kc-opt %s --split-input-file --verify-diagnostics

llvm.func @refused(%i: i32, %f: f32) {
  // expected-error@+1 {{expected one of bfly, up, down, idx}}
  %r = nvvm.shfl.sync xor %i, %f, %i, %i : f32 -> f32
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %l: i64) {
  // expected-error@+1 {{expected one of f32, i32, but got i64}}
  %r = nvvm.shfl.sync bfly %i, %l, %i, %i : i64 -> i64
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %f: f32) {
  // expected-error@+1 {{nvvm.shfl.sync: the result is f32, not i32}}
  %r = nvvm.shfl.sync bfly %i, %f, %i, %i : f32 -> i32
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %f: f32) {
  // expected-error@+1 {{nvvm.shfl.sync: the result is f32, not !llvm.struct<(f32, i1)>}}
  %r = nvvm.shfl.sync bfly %i, %f, %i, %i : f32 -> !llvm.struct<(f32, i1)>
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %f: f32) {
  // expected-error@+1 {{nvvm.shfl.sync: the result is !llvm.struct<(f32, i1)>, not f32}}
  %r = nvvm.shfl.sync bfly %i, %f, %i, %i {return_value_and_is_valid} : f32 -> f32
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %f: f32) {
  // expected-error@+1 {{nvvm.shfl.sync: the result is !llvm.struct<(f32, i1)>, not !llvm.struct<(f32, i32)>}}
  %r = nvvm.shfl.sync bfly %i, %f, %i, %i {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i32)>
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %b: i1) {
  // expected-error@+1 {{nvvm.vote.sync: ballot gives i32, not i1}}
  %r = nvvm.vote.sync ballot %i, %b -> i1
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %b: i1) {
  // expected-error@+1 {{nvvm.vote.sync: any gives i1, not i32}}
  %r = nvvm.vote.sync any %i, %b -> i32
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %j: i32) {
  // expected-error@+1 {{nvvm.match.sync: all gives !llvm.struct<(i32, i1)>, not i32}}
  %r = nvvm.match.sync all %i, %j : i32 -> i32
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %j: i32) {
  // expected-error@+1 {{nvvm.match.sync: any gives i32, not !llvm.struct<(i32, i1)>}}
  %r = nvvm.match.sync any %i, %j : i32 -> !llvm.struct<(i32, i1)>
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %f: f32) {
  // expected-error@+1 {{expected one of i32, i64, but got f32}}
  %r = nvvm.match.sync any %i, %f : f32 -> i32
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %j: i32) {
  // expected-error@+1 {{nvvm.redux.sync: fmax is of f32, not of i32}}
  %r = nvvm.redux.sync fmax %i, %j : i32 -> i32
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %f: f32) {
  // expected-error@+1 {{nvvm.redux.sync: add is of i32, not of f32}}
  %r = nvvm.redux.sync add %f, %i : f32 -> f32
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %j: i32) {
  // expected-error@+1 {{nvvm.redux.sync: only f32 has abs and nan, i32 has not}}
  %r = nvvm.redux.sync umax %i, %j {abs = true} : i32 -> i32
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %j: i32) {
  // expected-error@+1 {{nvvm.redux.sync: only f32 has abs and nan, i32 has not}}
  %r = nvvm.redux.sync umax %i, %j {nan = true} : i32 -> i32
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %j: i32) {
  // expected-error@+1 {{attribute i32 expected from variable 'T', but got f32}}
  %r = nvvm.redux.sync umin %i, %j : i32 -> f32
  llvm.return
}

// -----

llvm.func @refused() {
  // expected-error@+1 {{expected attribute i1 but got i32}}
  %r = nvvm.elect.sync -> i32
  llvm.return
}
