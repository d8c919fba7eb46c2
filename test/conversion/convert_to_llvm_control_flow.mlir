// Control flow becomes blocks in the order of the program.
// RUN: kc-opt %s --convert-to-llvm --split-input-file | FileCheck %s

// CHECK-LABEL: llvm.func @for
// CHECK:         llvm.br ^[[HEAD:.*]](%{{.*}}, %{{.*}} : i64, f32)
// CHECK-NEXT:  ^[[HEAD]](%i: i64, %s: f32):
// CHECK-NEXT:    %[[MORE:.*]] = llvm.icmp "slt" %i, %n : i64
// CHECK-NEXT:    llvm.cond_br %[[MORE]], ^[[BODY:.*]], ^[[EXIT:.*]]{{$}}
// CHECK-NEXT:  ^[[BODY]]:
// CHECK:         %t = llvm.fadd %s, %x : f32
// CHECK-NEXT:    %[[NEXT:.*]] = llvm.add %i, %{{.*}} overflow<nsw> : i64
// CHECK-NEXT:    llvm.br ^[[HEAD]](%[[NEXT]], %t : i64, f32) {loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
// CHECK-NEXT:  ^[[EXIT]]:
// CHECK-NEXT:    llvm.getelementptr
// CHECK-NEXT:    llvm.store %s
func.func @for(%A: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
  memref.store %r, %A[%n] : memref<?xf32>
  func.return
}

// -----

// CHECK-LABEL: llvm.func @if
// CHECK:         llvm.cond_br %{{.*}}, ^[[THEN:.*]], ^[[ELSE:.*]]{{$}}
// CHECK-NEXT:  ^[[THEN]]:
// CHECK-NEXT:    llvm.br ^[[JOIN:.*]](%x : f32)
// CHECK-NEXT:  ^[[ELSE]]:
// CHECK-NEXT:    %y = llvm.fneg %x : f32
// CHECK-NEXT:    llvm.br ^[[JOIN]](%y : f32)
// CHECK-NEXT:  ^[[JOIN]](%r: f32):
// CHECK-NEXT:    llvm.cond_br %{{.*}}, ^[[STORE:.*]], ^[[END:.*]]{{$}}
// CHECK-NEXT:  ^[[STORE]]:
// CHECK-NEXT:    llvm.store %r, %A
// CHECK-NEXT:    llvm.br ^[[END]]{{$}}
// CHECK-NEXT:  ^[[END]]:
// CHECK-NEXT:    llvm.return
func.func @if(%A: memref<f32>, %x: f32, %p: i1) {
  %r = scf.if %p -> (f32) {
    scf.yield %x : f32
  } else {
    %y = arith.negf %x : f32
    scf.yield %y : f32
  }
  scf.if %p {
    memref.store %r, %A[] : memref<f32>
  }
  func.return
}

// -----

// CHECK-LABEL: llvm.func @while
// CHECK:         llvm.br ^[[BEFORE:.*]](%n : i64)
// CHECK-NEXT:  ^[[BEFORE]](%x: i64):
// CHECK-NEXT:    %go = llvm.icmp "sgt" %x, %{{.*}} : i64
// CHECK-NEXT:    llvm.cond_br %go, ^[[AFTER:.*]], ^[[EXIT:.*]]{{$}}
// CHECK-NEXT:  ^[[AFTER]]:
// CHECK-NEXT:    %h = llvm.sdiv %x, %{{.*}} : i64
// CHECK-NEXT:    llvm.br ^[[BEFORE]](%h : i64)
// CHECK-NEXT:  ^[[EXIT]]:
// CHECK-NEXT:    llvm.store %x, %A
func.func @while(%A: memref<i64>, %n: i64) {
  %ten = arith.constant 10 : i64
  %two = arith.constant 2 : i64
  %r = scf.while (%x = %n) : (i64) -> (i64) {
    %go = arith.cmpi sgt, %x, %ten : i64
    scf.condition(%go) %x : i64
  } do {
  ^bb0(%y: i64):
    %h = arith.divsi %y, %two : i64
    scf.yield %h : i64
  }
  memref.store %r, %A[] : memref<i64>
  func.return
}

// -----

// Memrefs travel as their parts: here a pointer and a size.

// CHECK-LABEL: llvm.func @swap
// CHECK:         llvm.br ^[[HEAD:.*]](%{{.*}}, %A, %A_size, %B, %B_size : i64, !llvm.ptr, i64, !llvm.ptr, i64)
// CHECK-NEXT:  ^[[HEAD]](%{{.*}}: i64, %p: !llvm.ptr, %p_size: i64, %q: !llvm.ptr, %q_size: i64):
// CHECK:         llvm.br ^[[HEAD]](%{{.*}}, %q, %q_size, %p, %p_size : i64, !llvm.ptr, i64, !llvm.ptr, i64)
func.func @swap(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r, %s = scf.for %i = %c0 to %n step %c1 iter_args(%p = %A, %q = %B) -> (memref<?xf32>, memref<?xf32>) {
    %x = memref.load %p[%i] : memref<?xf32>
    memref.store %x, %q[%i] : memref<?xf32>
    scf.yield %q, %p : memref<?xf32>, memref<?xf32>
  }
  func.return
}

// -----

// Blocks are placed so that definitions come before uses; those nobody reaches are dropped.

// CHECK-LABEL: llvm.func @blocks
// CHECK:         llvm.br ^[[HEAD:.*]](%{{.*}} : i64)
// CHECK-NEXT:  ^[[HEAD]](%k: i64):
// CHECK:         llvm.cond_br %go, ^[[BODY:.*]](%k : i64), ^[[EXIT:.*]]{{$}}
// CHECK-NOT:     "dead"
// CHECK:       ^[[EXIT]]:
// CHECK-NEXT:    llvm.store %k, %A
func.func @blocks(%A: memref<i64>, %n: i64) {
  %zero = arith.constant 0 : i64
  cf.br ^head(%zero : i64)
^exit:
  memref.store %k, %A[] : memref<i64>
  func.return
^dead:
  %dead = arith.constant 77 : i64
  cf.br ^exit
^body(%m: i64):
  %one = arith.constant 1 : i64
  %k1 = arith.addi %m, %one : i64
  cf.br ^head(%k1 : i64)
^head(%k: i64):
  %go = arith.cmpi slt, %k, %n : i64
  cf.cond_br %go, ^body(%k : i64), ^exit
}
