// Buffers get the distances between elements that storage_align asked for.
// RUN: kc-opt %s --align-storage="func=rows" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --align-storage="func=merged" | FileCheck %s --check-prefix=MERGED
// RUN: kc-opt %s --align-storage="func=last" | FileCheck %s --check-prefix=LAST
// RUN: kc-opt %s --align-storage="func=several" | FileCheck %s --check-prefix=SEVERAL
// RUN: kc-opt %s --align-storage="func=sized" | FileCheck %s --check-prefix=SIZED
// RUN: kc-opt %s --align-storage="func=vectors" | FileCheck %s --check-prefix=VECTORS
// RUN: kc-opt %s --align-storage="func=vectors" 2>&1 >/dev/null | FileCheck %s --check-prefix=LANES --match-full-lines --strict-whitespace
// RUN: kc-opt %s --align-storage="func=unknown" 2>&1 >/dev/null | FileCheck %s --check-prefix=UNKNOWN --match-full-lines --strict-whitespace
// RUN: kc-opt %s --align-storage="func=steps" 2>&1 >/dev/null | FileCheck %s --check-prefix=STEPS --match-full-lines --strict-whitespace
// RUN: kc-opt %s --align-storage="func=called" 2>&1 >/dev/null | FileCheck %s --check-prefix=CALLED --match-full-lines --strict-whitespace
// RUN: kc-opt %s --lower-to-llvm="func=rows" | FileCheck %s --check-prefix=LLVM

func.func @rows(%A: memref<4x32xf32>, %C: memref<4x32xf32>) {
  %B = tir.alloc "B" {tir.storage_align = [array<i64: 0, 32, 1>], tir.axis_separators = array<i64: 1>} : memref<4x32xf32>
  tir.for %i in 4 {
    tir.for %j in 32 {
      %a = tir.load %A[%i, %j] : memref<4x32xf32>
      tir.store %a, %B[%i, %j] : memref<4x32xf32>
    }
  }
  tir.for %i in 4 {
    tir.for %j in 32 {
      %b = tir.load %B[%i, 31 - %j] : memref<4x32xf32>
      tir.store %b, %C[%i, %j] : memref<4x32xf32>
    }
  }
  func.return
}

// 24 elements a row, 33 asked for: not a multiple of the 8 of the last dimension.
func.func @merged(%x: f32) {
  %B = tir.alloc "B" {tir.storage_align = [array<i64: 0, 16, 1>], tir.axis_separators = array<i64: 2>} : memref<4x3x8xf32>
  tir.for %i in 4 {
    tir.store %x, %B[%i, %i mod 3, %i * 2] : memref<4x3x8xf32>
  }
  func.return
}

func.func @last(%x: f32) {
  %B = tir.alloc "B" {tir.storage_align = [array<i64: 0, 4, 0>]} : memref<8xf32>
  tir.for %i in 8 {
    tir.store %x, %B[%i] : memref<8xf32>
  }
  func.return
}

// Axis 1: 8 -> 10 a row. Axis 0: 30 -> 40, a row more. Axis 2: as it is.
func.func @several(%x: f32) {
  %B = tir.alloc "B" {tir.storage_align = [array<i64: 0, 20, 0>, array<i64: 2, 2, 1>, array<i64: 1, 5, 0>]} : memref<4x3x8xf32>
  tir.for %i in 4 {
    tir.store %x, %B[%i, %i mod 3, %i * 2] : memref<4x3x8xf32>
  }
  func.return
}

// Rows as long as needed, in multiples of 16 elements and one more; planes of 2 and 1 more of 6.
func.func @sized(%x: f32, %n: index) {
  %B = tir.alloc "B" (%n) {tir.storage_align = [array<i64: 0, 16, 1>]} : memref<4x?xf32>
  %D = tir.alloc "D" (%n) {tir.storage_align = [array<i64: 0, 14, 10>]} : memref<4x?x6xf32>
  tir.for %i in %n {
    tir.store %x, %B[1, %i] : memref<4x?xf32>
    tir.store %x, %D[1, %i, 0] : memref<4x?x6xf32>
  }
  func.return
}

func.func @vectors(%x: vector<4xf32>) {
  %B = tir.alloc "B" {tir.storage_align = [array<i64: 1, 2, 0>, array<i64: 0, 4, 2>]} : memref<4x8xf32>
  tir.store %x, %B[1, 0] : memref<4x8xf32>, vector<4xf32>
  func.return
}

func.func @unknown(%x: f32, %n: index) {
  %B = tir.alloc "B" (%n) {tir.storage_align = [array<i64: 0, 16, 0>]} : memref<4x3x?xf32>
  tir.store %x, %B[1, 0, 0] : memref<4x3x?xf32>
  func.return
}

func.func @steps(%x: f32, %n: index) {
  %B = tir.alloc "B" (%n) {tir.storage_align = [array<i64: 0, 16, 1>]} : memref<4x?x6xf32>
  tir.store %x, %B[1, 0, 0] : memref<4x?x6xf32>
  func.return
}

func.func private @use(memref<4x8xf32>)

func.func @called() {
  %B = tir.alloc "B" {tir.storage_align = [array<i64: 0, 16, 1>]} : memref<4x8xf32>
  func.call @use(%B) : (memref<4x8xf32>) -> ()
  func.return
}

// ROWS:      func.func @rows(
// ROWS-NEXT:   %B = tir.alloc "B" {tir.axis_separators = array<i64: 1>} : memref<4x33xf32>
// ROWS-NEXT:   tir.for %i in 4 {
// ROWS-NEXT:     tir.for %j in 32 {
// ROWS-NEXT:       %a = tir.load %A[%i, %j] : memref<4x32xf32>
// ROWS-NEXT:       tir.store %a, %B[%i, %j] : memref<4x33xf32>
// ROWS-NEXT:     }
// ROWS-NEXT:   }
// ROWS-NEXT:   tir.for %i_1 "i" in 4 {
// ROWS-NEXT:     tir.for %j_1 "j" in 32 {
// ROWS-NEXT:       %b = tir.load %B[%i_1, %j_1 * -1 + 31] : memref<4x33xf32>
// ROWS-NEXT:       tir.store %b, %C[%i_1, %j_1] : memref<4x32xf32>
// ROWS-NEXT:     }
// ROWS-NEXT:   }
// ROWS-NEXT:   func.return
// ROWS-NEXT: }

// MERGED:      func.func @merged(
// MERGED-NEXT:   %B = tir.alloc "B" : memref<4x33xf32>
// MERGED-NEXT:   tir.for %i in 4 {
// MERGED-NEXT:     tir.store %x, %B[%i, (%i mod 3) * 8 + %i * 2] : memref<4x33xf32>
// MERGED-NEXT:   }
// MERGED-NEXT:   func.return
// MERGED-NEXT: }

// LAST:      func.func @last(
// LAST-NEXT:   %B = tir.alloc "B" : memref<8x4xf32>
// LAST-NEXT:   tir.for %i in 8 {
// LAST-NEXT:     tir.store %x, %B[%i, 0] : memref<8x4xf32>
// LAST-NEXT:   }
// LAST-NEXT:   func.return
// LAST-NEXT: }

// SEVERAL:      func.func @several(
// SEVERAL-NEXT:   %B = tir.alloc "B" : memref<4x4x10xf32>
// SEVERAL-NEXT:   tir.for %i in 4 {
// SEVERAL-NEXT:     tir.store %x, %B[%i, %i mod 3, %i * 2] : memref<4x4x10xf32>
// SEVERAL-NEXT:   }
// SEVERAL-NEXT:   func.return
// SEVERAL-NEXT: }

// SIZED:      func.func @sized(
// SIZED-NEXT:   %B_size = tir.apply (%n + (%n * -1 + 1) mod 16)
// SIZED-NEXT:   %B = tir.alloc "B" (%B_size) : memref<4x?xf32>
// SIZED-NEXT:   %D_size = tir.apply (%n + (%n * -1 + 4) mod 7)
// SIZED-NEXT:   %D = tir.alloc "D" (%D_size) : memref<4x?x6xf32>
// SIZED-NEXT:   tir.for %i in %n {
// SIZED-NEXT:     tir.store %x, %B[1, %i] : memref<4x?xf32>
// SIZED-NEXT:     tir.store %x, %D[1, %i, 0] : memref<4x?x6xf32>
// SIZED-NEXT:   }
// SIZED-NEXT:   func.return
// SIZED-NEXT: }

// VECTORS:      func.func @vectors(
// VECTORS-NEXT:   %B = tir.alloc "B" : memref<4x10xf32>
// VECTORS-NEXT:   tir.store %x, %B[1, 0] : memref<4x10xf32>, vector<4xf32>
// VECTORS-NEXT:   func.return
// VECTORS-NEXT: }

//LANES:warning[KC4209]: align-storage: the request for axis 1 of B is ignored
//LANES-NEXT:  --> {{.*}}align_storage.mlir:69:3  %B = tir.alloc "B" {tir.storage_align = [array<i64: 1, 2, 0>, array<i64: 0, 4, 2>]} : memref<4x8x...
//LANES-NEXT:  why: vectors are accessed along it

//UNKNOWN:warning[KC4209]: align-storage: the request for axis 0 of B is ignored
//UNKNOWN-NEXT:  --> {{.*}}align_storage.mlir:75:3  %B = tir.alloc "B" (%n) {tir.storage_align = [array<i64: 0, 16, 0>]} : memref<4x3x?xf32>
//UNKNOWN-NEXT:  why: the inner sizes are known only at the call

//STEPS:warning[KC4209]: align-storage: the request for axis 0 of B is ignored
//STEPS-NEXT:  --> {{.*}}align_storage.mlir:81:3  %B = tir.alloc "B" (%n) {tir.storage_align = [array<i64: 0, 16, 1>]} : memref<4x?x6xf32>
//STEPS-NEXT:  why: one step of the next dimension spans 6 elements, and its size is known only at the call

//CALLED:warning[KC4209]: align-storage: the request for axis 0 of B is ignored
//CALLED-NEXT:  --> {{.*}}align_storage.mlir:89:3  %B = tir.alloc "B" {tir.storage_align = [array<i64: 0, 16, 1>]} : memref<4x8xf32>
//CALLED-NEXT:  why: func.call uses the whole buffer

// LLVM: llvm.func @rows(
// LLVM: llvm.alloca %{{.*}} x !llvm.array<132 x f32>
// LLVM: llvm.getelementptr inbounds %B[%i, %j] : (!llvm.ptr, i64, i64) -> !llvm.ptr, !llvm.array<33 x f32>
// LLVM: llvm.getelementptr inbounds %B[%i_1, %{{.*}}] : (!llvm.ptr, i64, i64) -> !llvm.ptr, !llvm.array<33 x f32>
