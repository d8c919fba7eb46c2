// RUN: kc-opt %s --reuse-workspace | FileCheck %s
// RUN: kc-opt %s --reuse-workspace=marked | FileCheck %s --check-prefix=MARKED

// Memory of constant size that the function frees is kept in a variable, which calls take it from.
// CHECK-LABEL: llvm.mlir.global internal @f.workspace.0() {{.*}} : !llvm.ptr {
// CHECK-NEXT:    %null = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT:    llvm.return %null : !llvm.ptr
// CHECK-NEXT:  }
// CHECK-NEXT:  llvm.func internal @f.workspace.0.take() -> (!llvm.ptr {llvm.noalias}) attributes {no_inline} {
// CHECK-NEXT:    %variable = llvm.mlir.addressof @f.workspace.0 : !llvm.ptr
// CHECK-NEXT:    %null = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT:    %kept = llvm.atomicrmw xchg %variable, %null acquire : !llvm.ptr, !llvm.ptr
// CHECK-NEXT:    %is_none = llvm.icmp "eq" %kept, %null : !llvm.ptr
// CHECK-NEXT:    llvm.cond_br %is_none, ^allocate, ^reuse
// CHECK-NEXT:  ^allocate:
// CHECK-NEXT:    %alignment = llvm.mlir.constant(64 : i64) : i64
// CHECK-NEXT:    %size = llvm.mlir.constant(4096 : i64) : i64
// CHECK-NEXT:    %memory = llvm.call @aligned_alloc(%alignment, %size) : (i64, i64) -> !llvm.ptr
// CHECK-NEXT:    llvm.return %memory : !llvm.ptr
// CHECK-NEXT:  ^reuse:
// CHECK-NEXT:    llvm.return %kept : !llvm.ptr
// CHECK-NEXT:  }
// CHECK-NEXT:  llvm.func internal @f.workspace.0.keep(%memory: !llvm.ptr) attributes {no_inline} {
// CHECK-NEXT:    %variable = llvm.mlir.addressof @f.workspace.0 : !llvm.ptr
// CHECK-NEXT:    %kept = llvm.atomicrmw xchg %variable, %memory acq_rel : !llvm.ptr, !llvm.ptr
// CHECK-NEXT:    llvm.call @free(%kept) : (!llvm.ptr) -> ()
// CHECK-NEXT:    llvm.return
// CHECK-NEXT:  }
// CHECK-NEXT:  llvm.func @f.workspace.release() {
// CHECK-NEXT:    %null = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT:    llvm.call @f.workspace.0.keep(%null) : (!llvm.ptr) -> ()
// CHECK-NEXT:    llvm.return
// CHECK-NEXT:  }

// Small memory, and that whose size only the call gives, is allocated each time, and what another
// function frees is its.
// CHECK-NEXT:  llvm.func @f(%n: i64) -> !llvm.ptr {
// CHECK:         %B = llvm.call @f.workspace.0.take() : () -> !llvm.ptr
// CHECK-NEXT:    %small = llvm.call @aligned_alloc(%alignment, %less) : (i64, i64) -> !llvm.ptr
// CHECK-NEXT:    %dynamic = llvm.call @aligned_alloc(%alignment, %n) : (i64, i64) -> !llvm.ptr
// CHECK-NEXT:    %returned = llvm.call @aligned_alloc(%alignment, %page) : (i64, i64) -> !llvm.ptr
// CHECK-NEXT:    llvm.call @free(%dynamic) : (!llvm.ptr) -> ()
// CHECK-NEXT:    llvm.call @free(%small) : (!llvm.ptr) -> ()
// CHECK-NEXT:    llvm.call @f.workspace.0.keep(%B) : (!llvm.ptr) -> ()
// CHECK-NEXT:    llvm.return %returned : !llvm.ptr
// CHECK-NEXT:  }
llvm.func @aligned_alloc(i64, i64) -> (!llvm.ptr {llvm.noalias})
llvm.func @free(!llvm.ptr)
llvm.func @f(%n: i64) -> !llvm.ptr {
  %alignment = llvm.mlir.constant(64 : i64) : i64
  %page = llvm.mlir.constant(4096 : i64) : i64
  %less = llvm.mlir.constant(4032 : i64) : i64
  %B = llvm.call @aligned_alloc(%alignment, %page) : (i64, i64) -> !llvm.ptr
  %small = llvm.call @aligned_alloc(%alignment, %less) : (i64, i64) -> !llvm.ptr
  %dynamic = llvm.call @aligned_alloc(%alignment, %n) : (i64, i64) -> !llvm.ptr
  %returned = llvm.call @aligned_alloc(%alignment, %page) : (i64, i64) -> !llvm.ptr
  llvm.call @free(%dynamic) : (!llvm.ptr) -> ()
  llvm.call @free(%small) : (!llvm.ptr) -> ()
  llvm.call @free(%B) : (!llvm.ptr) -> ()
  llvm.return %returned : !llvm.ptr
}

// A function that is marked keeps memory of any size. What it keeps begins with the size.
// MARKED-NOT:   f.workspace
// MARKED-LABEL: llvm.func internal @g.workspace.0.take(%size: i64) -> (!llvm.ptr {llvm.noalias})
// MARKED:         %had = llvm.load %kept : !llvm.ptr -> i64
// MARKED-NEXT:    %is_enough = llvm.icmp "uge" %had, %size : i64
// MARKED-LABEL: llvm.func @g.workspace.release() {
// MARKED:         llvm.call @g.workspace.0.exchange(%null) : (!llvm.ptr) -> ()
// MARKED-LABEL: llvm.func @g(%n: i64)
// MARKED:         %B = llvm.call @g.workspace.0.take(%n) : (i64) -> !llvm.ptr
// MARKED-NEXT:    llvm.call @g.workspace.0.keep(%B) : (!llvm.ptr) -> ()
llvm.func @g(%n: i64) attributes {kc.keeps_memory} {
  %alignment = llvm.mlir.constant(64 : i64) : i64
  %B = llvm.call @aligned_alloc(%alignment, %n) : (i64, i64) -> !llvm.ptr
  llvm.call @free(%B) : (!llvm.ptr) -> ()
  llvm.return
}
