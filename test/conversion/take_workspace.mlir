// RUN: kc-opt %s --take-workspace | FileCheck %s
// RUN: kc-opt %s --take-workspace | kc-translate --to=c - | FileCheck %s --check-prefix=C
// RUN: kc-opt %s --take-workspace --convert-to-llvm | FileCheck %s --check-prefix=LLVM

// Buffers of the function come first, one after the other; then each buffer of an iteration, as often
// as there are threads. Sizes are multiples of 64.
// CHECK-LABEL: func.func @f(%A: memref<8xf32>, %workspace: memref<?xi8>, %threads: index) attributes {kc.workspace = array<i64: 4160, 2176>} {
// CHECK:         %[[AT:[0-9]+]] = arith.constant 0 : index
// CHECK-NEXT:    %B = memref.view %workspace[%[[AT]]][] {kc.disjoint} : memref<?xi8> to memref<1024xf32>
// CHECK-NEXT:    %[[AT_C:.*]] = arith.constant 4096 : index
// CHECK-NEXT:    %C = memref.view %workspace[%[[AT_C]]][] {kc.disjoint} : memref<?xi8> to memref<3xf32>
// CHECK-NEXT:    %[[FIRST:.*]] = arith.constant 4160 : index
// CHECK-NEXT:    %[[EACH:.*]] = arith.constant 2048 : index
// CHECK-NEXT:    %[[ALL:.*]] = arith.muli %threads, %[[EACH]] : index
// CHECK-NEXT:    %[[PS:.*]] = memref.view %workspace[%[[FIRST]]][%[[ALL]]] {kc.disjoint} : memref<?xi8> to memref<?xi8>
// CHECK:         %[[BEHIND:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK:         %[[QS:.*]] = memref.view %workspace[%[[BEHIND]]][%{{.*}}] {kc.disjoint} : memref<?xi8> to memref<?xi8>
// CHECK-NEXT:    scf.parallel
// CHECK-NEXT:      %thread = tir.thread_number below %threads
// CHECK-NEXT:      %[[STEP:.*]] = arith.constant 2048 : index
// CHECK-NEXT:      %[[OWN:.*]] = arith.muli %thread, %[[STEP]] : index
// CHECK-NEXT:      %P = memref.view %[[PS]][%[[OWN]]][] : memref<?xi8> to memref<500xf32>
// CHECK:           scf.for
// CHECK:             %Q = memref.view %[[QS]][%{{.*}}][] : memref<?xi8> to memref<10xf64>
// CHECK-NOT:     alloc

// C: #pragma omp parallel for num_threads((int)threads)
// C: const int64_t thread = kc_thread_number();
// C: float *P = (float *)(view + thread * 2048);

// LLVM-LABEL: llvm.func internal @f_parallel_0_body(%begin: i64, %end: i64, %thread: i64,
// LLVM:         llvm.mul %thread,
// LLVM:       llvm.func internal @f_parallel_0(%begin: i64, %end: i64, %context: !llvm.ptr, %thread: i64)
// LLVM:         llvm.call @f_parallel_0_body(%begin, %end, %thread,
// LLVM:       llvm.func @f(
// LLVM:         llvm.call @kc_parallel_for_numbered(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %threads) : (!llvm.ptr, !llvm.ptr, i64, i64, i64) -> ()
func.func @f(%A: memref<8xf32>) attributes {kc.workspace} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %B = memref.alloc() {alignment = 64 : i64} : memref<1024xf32>
  %C = memref.alloc() {alignment = 64 : i64} : memref<3xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %P = memref.alloc() : memref<500xf32>
    %v = memref.load %B[%i] : memref<1024xf32>
    memref.store %v, %P[%i] : memref<500xf32>
    scf.for %j = %c0 to %c8 step %c1 {
      %Q = memref.alloc() : memref<10xf64>
      %w = memref.load %P[%j] : memref<500xf32>
      %x = arith.extf %w : f32 to f64
      memref.store %x, %Q[%j] : memref<10xf64>
      %y = memref.load %Q[%j] : memref<10xf64>
      %z = arith.truncf %y : f64 to f32
      memref.store %z, %A[%i] : memref<8xf32>
      memref.dealloc %Q : memref<10xf64>
    }
    memref.dealloc %P : memref<500xf32>
    scf.reduce
  }
  %u = memref.load %A[%c0] : memref<8xf32>
  memref.store %u, %C[%c0] : memref<3xf32>
  %t = memref.load %C[%c0] : memref<3xf32>
  memref.store %t, %A[%c1] : memref<8xf32>
  memref.dealloc %C : memref<3xf32>
  memref.dealloc %B : memref<1024xf32>
  func.return
}

// Where the arguments are there, what does not fit stays as it was, as do sizes of the call.
// CHECK-LABEL: func.func @limited(
// CHECK:         memref.view %workspace[
// CHECK-NEXT:    memref.alloc() : memref<20xf32>
// CHECK-NEXT:    memref.alloc(%n) : memref<?xf32>
func.func @limited(%n: index, %workspace: memref<?xi8>, %threads: index) attributes {kc.workspace = array<i64: 64, 0>} {
  %A = memref.alloc() : memref<16xf32>
  %B = memref.alloc() : memref<20xf32>
  %C = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %A : memref<16xf32>
  memref.dealloc %B : memref<20xf32>
  memref.dealloc %C : memref<?xf32>
  func.return
}

// Nothing is needed, so nothing is passed.
// CHECK-LABEL: func.func @plain(%A: memref<8xf32>) {
func.func @plain(%A: memref<8xf32>) attributes {kc.workspace} {
  func.return
}

// Nobody asks.
// CHECK-LABEL: func.func @own() {
// CHECK-NEXT:    memref.alloc()
func.func @own() {
  %A = memref.alloc() : memref<16xf32>
  memref.dealloc %A : memref<16xf32>
  func.return
}
