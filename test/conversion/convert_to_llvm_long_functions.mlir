// Of a function with eight loops or more, each is a function, with the buffer on the stack that it
// alone uses. Those stay that have results or calls. A function with fewer keeps them.
// RUN: kc-opt %s --convert-to-llvm --split-input-file | FileCheck %s

// CHECK:       llvm.func internal @many_loop_0(%n: i64, %x: f32, %A: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture}, %A_size: i64) attributes {no_inline, no_unwind} {
// CHECK:         %own = llvm.alloca %{{.*}} x !llvm.array<4 x f32>
// CHECK:         llvm.icmp "slt" %i, %n : i64
// CHECK:         llvm.store %x, %own : f32, !llvm.ptr
// CHECK:         llvm.return
// CHECK:       llvm.func internal @many_loop_1(%n: i64, %shared: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture}, %x: f32)
// CHECK-NOT:     llvm.alloca
// CHECK:       llvm.func internal @many_loop_2(%n: i64, %shared: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture, llvm.readonly}, %A: !llvm.ptr
// CHECK:       llvm.func internal @many_loop_3_parallel_0_body(%begin: i64, %end: i64, %A: !llvm.ptr
// CHECK:       llvm.func internal @many_loop_3(
// CHECK:         llvm.call @kc_parallel_for
// CHECK:       llvm.func internal @many_loop_6(
// CHECK:       llvm.func @many(%A: !llvm.ptr
// CHECK-NOT:     %own
// CHECK:         %shared = llvm.alloca
// CHECK:         llvm.call @many_loop_0(%n, %x, %A, %A_size)
// CHECK-NEXT:    llvm.call @many_loop_1(%n, %shared, %x)
// CHECK-NEXT:    llvm.call @many_loop_2(%n, %shared, %A, %A_size)
// CHECK-NEXT:    llvm.br
// CHECK:         llvm.call @touch(%i)
// CHECK:         llvm.call @many_loop_3(
// CHECK-NEXT:    llvm.call @many_loop_4(
// CHECK-NEXT:    llvm.call @many_loop_5(
// CHECK-NEXT:    llvm.call @many_loop_6(
// CHECK-NEXT:    llvm.br
// CHECK:         %t = llvm.fadd %s, %a : f32
// CHECK:         llvm.return %s : f32

func.func private @touch(%i: index)

func.func @many(%A: memref<?xf32>, %n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %own = memref.alloca() : memref<4xf32>
  %shared = memref.alloca() : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %own[%c0] : memref<4xf32>
    %a = memref.load %own[%c0] : memref<4xf32>
    memref.store %a, %A[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %shared[%c1] : memref<8xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %shared[%c1] : memref<8xf32>
    memref.store %a, %A[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    func.call @touch(%i) : (index) -> ()
  }
  scf.for %i = %c0 to %n step %c1 {
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %x, %A[%j] : memref<?xf32>
      scf.reduce
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %a = memref.load %A[%i] : memref<?xf32>
    %t = arith.addf %s, %a : f32
    scf.yield %t : f32
  }
  func.return %sum : f32
}

// -----

// CHECK-NOT:   llvm.call
// CHECK:       llvm.func @few(
// CHECK-NOT:   llvm.call
func.func @few(%A: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// -----

// A loop stays while tile registers are configured: a call keeps none.

// CHECK-LABEL: llvm.func @configured(
// CHECK:         llvm.call @configured_loop_6(
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK-NOT:     llvm.call @
// CHECK:         llvm.call_intrinsic "llvm.x86.tilerelease"
// CHECK-NEXT:    llvm.call @configured_loop_7(
func.func @configured(%A: memref<?xf32>, %n: index, %x: f32, %state: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  llvm.call_intrinsic "llvm.x86.ldtilecfg"(%state) : (!llvm.ptr) -> ()
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  llvm.call_intrinsic "llvm.x86.tilerelease"() : () -> ()
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}
