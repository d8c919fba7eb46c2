// Parallel loops: what the pool calls unpacks a context and calls the body, whose parameters have
// what LLVM must know of the pointers.
// RUN: kc-opt %s --convert-to-llvm --split-input-file | FileCheck %s

// CHECK:       llvm.func internal @f_parallel_0_body(%begin: i64, %end: i64,
// CHECK-SAME:    %A: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture, llvm.readonly}, %s: f32,
// CHECK-SAME:    %B: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture}, %B_size: i64) attributes {no_inline, no_unwind} {
// CHECK:         llvm.br ^[[HEAD:.*]](%begin : i64)
// CHECK-NEXT:  ^[[HEAD]](%i: i64):
// CHECK-NEXT:    llvm.icmp "slt" %i, %end : i64
// CHECK:         llvm.getelementptr inbounds %A[%i, 0]
// CHECK:         llvm.getelementptr inbounds %B[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32

// CHECK:       llvm.func internal @f_parallel_0(%begin: i64, %end: i64, %context: !llvm.ptr) attributes {no_unwind} {
// CHECK-NEXT:    %[[A:.*]] = llvm.load %context : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:    %[[P1:.*]] = llvm.getelementptr inbounds %context[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, f32, ptr, i64)>
// CHECK-NEXT:    %[[S:.*]] = llvm.load %[[P1]] : !llvm.ptr -> f32
// CHECK:         llvm.call @f_parallel_0_body(%begin, %end, %[[A]], %[[S]], %{{.*}}, %{{.*}}) : (i64, i64, !llvm.ptr, f32, !llvm.ptr, i64) -> ()
// CHECK-NEXT:    llvm.return

// CHECK:       llvm.func @f(
// CHECK-NOT:     llvm.nocapture
// CHECK:         %[[CONTEXT:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, f32, ptr, i64)>
// CHECK:         llvm.store %A, %[[CONTEXT]] : !llvm.ptr, !llvm.ptr
// CHECK:         %[[TASK:.*]] = llvm.mlir.addressof @f_parallel_0 : !llvm.ptr
// CHECK-NEXT:    llvm.call @kc_parallel_for(%[[TASK]], %[[CONTEXT]], %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
// CHECK-NEXT:    llvm.return
// CHECK:       llvm.func @kc_parallel_for(!llvm.ptr, !llvm.ptr, i64, i64)
func.func @f(%A: memref<64x8xf32>, %B: memref<?xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  "scf.parallel"(%c0, %c64, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %A[%i, %c0] : memref<64x8xf32>
    %y = arith.mulf %x, %s : f32
    memref.store %y, %B[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// Several dimensions are one loop of the pool; a loop inside runs in its thread.

// CHECK:       llvm.func internal @nest_parallel_0_body(
// CHECK:         %[[J:.*]] = llvm.urem %[[I:.*]], %[[N:.*]] : i64
// CHECK-NEXT:    %i = llvm.udiv %[[I]], %[[N]] : i64
// CHECK-NEXT:    %[[STEPS:.*]] = llvm.mul %[[J]], %{{.*}} overflow<nsw> : i64
// CHECK-NEXT:    %j = llvm.add %[[STEPS]], %{{.*}} overflow<nsw> : i64
// CHECK-NEXT:    llvm.br ^[[HEAD:.*]](%{{.*}} : i64)
// CHECK-NEXT:  ^[[HEAD]](%k: i64):
// CHECK-NOT:     kc_parallel_for
// CHECK:       llvm.func @nest(
// CHECK:         %[[SPAN:.*]] = llvm.sub %n, %{{.*}} overflow<nsw> : i64
// CHECK-NEXT:    %[[MOST:.*]] = llvm.intr.smax(%[[SPAN]], %{{.*}}) : (i64, i64) -> i64
// CHECK-NEXT:    %[[PAD:.*]] = llvm.add %[[MOST]], %{{.*}} overflow<nsw> : i64
// CHECK-NEXT:    %[[COUNT:.*]] = llvm.udiv %[[PAD]], %{{.*}} : i64
// CHECK-NEXT:    %[[TOTAL:.*]] = llvm.mul %{{.*}}, %[[COUNT]] overflow<nsw> : i64
// CHECK:         llvm.call @kc_parallel_for(%{{.*}}, %{{.*}}, %[[TOTAL]], %{{.*}})
func.func @nest(%A: memref<8x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  "scf.parallel"(%c0, %c1, %c8, %n, %c1, %c2) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%k: index):
      memref.store %z, %A[%k, %j] : memref<8x?xf32>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// -----

// Rows of different lengths: about sixteen chunks a thread.
// CHECK:       llvm.func @triangle(
// CHECK:         %[[MANY:.*]] = llvm.mlir.constant(-16 : i64)
// CHECK:         llvm.call @kc_parallel_for(%{{.*}}, %{{.*}}, %{{.*}}, %[[MANY]])
func.func @triangle(%A: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %end = arith.addi %i, %c1 : index
    scf.for %k = %c0 to %end step %c1 {
      memref.store %z, %A[%i, %k] : memref<8x8xf32>
    }
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// Memory of an iteration is allocated once for the chunk, if it is the same for all iterations.
// CHECK:       llvm.func internal @memory_parallel_0_body(
// CHECK:         llvm.call @aligned_alloc
// CHECK-NOT:     aligned_alloc
// CHECK:         llvm.br ^[[HEAD:.*]](%{{.*}} : i64)
// CHECK:       ^[[HEAD]](
// CHECK:         %[[OWN:.*]] = llvm.call @aligned_alloc
// CHECK:         llvm.call @free(%[[OWN]])
// CHECK:         llvm.br ^[[HEAD]](
// CHECK:         llvm.call @free
// CHECK-NEXT:    llvm.return
func.func @memory(%A: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %B = memref.alloc(%n) : memref<?xf32>
    %more = arith.addi %i, %c1 : index
    %C = memref.alloc(%more) : memref<?xf32>
    memref.store %z, %B[%c0] : memref<?xf32>
    memref.store %z, %C[%i] : memref<?xf32>
    %b = memref.load %B[%c0] : memref<?xf32>
    memref.store %b, %A[%i] : memref<8xf32>
    memref.dealloc %C : memref<?xf32>
    memref.dealloc %B : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// What prepares the thread is done once for a chunk of iterations, with what its operands are, unless
// these are others in each iteration.

// CHECK-LABEL: llvm.func internal @once_parallel_0_body(
// CHECK:         %[[STATE:.*]] = llvm.inttoptr
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.ldtilecfg"(%[[STATE]]) : (!llvm.ptr) -> ()
// CHECK-NEXT:    llvm.br ^[[HEAD:.*]](%begin : i64)
// CHECK-NEXT:  ^[[HEAD]](
// CHECK:         llvm.store
// CHECK-NEXT:    llvm.add
// CHECK-NEXT:    llvm.br ^[[HEAD]]
// CHECK:         llvm.call_intrinsic "llvm.x86.tilerelease"()
// CHECK-NEXT:    llvm.return
// CHECK-LABEL: llvm.func internal @each_parallel_0_body(
// CHECK:         llvm.br ^[[HEAD:.*]](%begin : i64)
// CHECK:         llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK:         llvm.call_intrinsic "llvm.x86.tilerelease"()
// CHECK-NEXT:    llvm.add
// CHECK-NEXT:    llvm.br ^[[HEAD]]
memref.global "private" constant @state : memref<64xi8> = dense<0>
func.func @once(%B: memref<?xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  "scf.parallel"(%c0, %c64, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %state = memref.get_global @state : memref<64xi8>
    %first = memref.extract_aligned_pointer_as_index %state {kc.first_element} : memref<64xi8> -> index
    %address = arith.index_cast %first : index to i64
    %pointer = llvm.inttoptr %address : i64 to !llvm.ptr
    llvm.call_intrinsic "llvm.x86.ldtilecfg"(%pointer) {kc.once_per_chunk = "before"} : (!llvm.ptr) -> ()
    memref.store %s, %B[%i] : memref<?xf32>
    llvm.call_intrinsic "llvm.x86.tilerelease"() {kc.once_per_chunk = "behind"} : () -> ()
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

func.func @each(%B: memref<?xf32>, %s: f32, %states: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  "scf.parallel"(%c0, %c64, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %place = arith.index_cast %i : index to i64
    %address = arith.addi %states, %place : i64
    %pointer = llvm.inttoptr %address : i64 to !llvm.ptr
    llvm.call_intrinsic "llvm.x86.ldtilecfg"(%pointer) {kc.once_per_chunk = "before"} : (!llvm.ptr) -> ()
    memref.store %s, %B[%i] : memref<?xf32>
    llvm.call_intrinsic "llvm.x86.tilerelease"() {kc.once_per_chunk = "behind"} : () -> ()
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
