// What is larger than the caches and written once is stored past them; the alignment is asked once.
// RUN: kc-opt %s --nontemporal-stores | FileCheck %s
// RUN: kc-opt %s --nontemporal-stores=min-bytes=100000000 | FileCheck %s --check-prefix=LARGER
// RUN: kc-opt %s --nontemporal-stores --hoist-if-then-else | FileCheck %s --check-prefix=HOISTED
// RUN: kc-opt %s --nontemporal-stores --hoist-if-then-else --convert-tir-to-scf --convert-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: kc-opt %s --nontemporal-stores --hoist-if-then-else --lower-to-llvm | kc-translate --to=asm | FileCheck %s --check-prefix=ASM

// LARGER-NOT: nontemporal}

// CHECK-LABEL: func.func @stream(
// CHECK:         %C_address = memref.extract_aligned_pointer_as_index %C : memref<1024x1024xf32> -> index
// CHECK-NEXT:    tir.for %i in 1024 parallel {
// CHECK-NEXT:      tir.for %j in 64 {
// CHECK-NEXT:        %x = tir.load %A[%i, %j * 16] : memref<1024x1024xf32>, vector<16xf32>
// CHECK-NEXT:        tir.if (%C_address mod 64 == 0) {
// CHECK-NEXT:          tir.store %x, %C[%i, %j * 16] {nontemporal, alignment = 64 : i64} : memref<1024x1024xf32>, vector<16xf32>
// CHECK-NEXT:        } else {
// CHECK-NEXT:          tir.if (%C_address mod 16 == 0) {
// CHECK-NEXT:            tir.store %x, %C[%i, %j * 16] {nontemporal, alignment = 16 : i64} : memref<1024x1024xf32>, vector<16xf32>
// CHECK-NEXT:          } else {
// CHECK-NEXT:            tir.store %x, %C[%i, %j * 16] : memref<1024x1024xf32>, vector<16xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:        }

// HOISTED-LABEL: func.func @stream(
// HOISTED:         %C_address = memref.extract_aligned_pointer_as_index
// HOISTED-NEXT:    tir.if (%C_address mod 64 == 0) {
// HOISTED-NEXT:      tir.for %i in 1024 parallel {
// HOISTED-NEXT:        tir.for %j in 64 {
// HOISTED-NEXT:          %x = tir.load
// HOISTED-NEXT:          tir.store {{.*}} {nontemporal, alignment = 64 : i64}

// Each thread ends its part by a fence.
// LLVM-LABEL: llvm.func internal @stream_parallel_0_body(
// LLVM:         llvm.store {{.*}} {alignment = 64 : i64, nontemporal}
// LLVM:         llvm.call_intrinsic "llvm.x86.sse.sfence"()
// LLVM-NEXT:    llvm.return
// LLVM-LABEL: llvm.func @serial(
// LLVM:         nontemporal
// LLVM:         llvm.call_intrinsic "llvm.x86.sse.sfence"()
// LLVM-NEXT:    llvm.return
// LLVM-LABEL: llvm.func @read(
// LLVM-NOT:     sfence

// ASM: vmovntps {{.*}}%ymm
// ASM: sfence
module attributes {kc.target = "llvm -mcpu=znver3 -l3-cache=1048576"} {
func.func @stream(%A: memref<1024x1024xf32>, %C: memref<1024x1024xf32>) {
  tir.for %i in 1024 parallel {
    tir.for %j in 64 {
      %x = tir.load %A[%i, %j * 16] : memref<1024x1024xf32>, vector<16xf32>
      tir.store %x, %C[%i, %j * 16] : memref<1024x1024xf32>, vector<16xf32>
    }
  }
  func.return
}

// Rows of 1028 elements are multiples of 16 bytes only.
// CHECK-LABEL: func.func @serial(
// CHECK:           tir.if (%C_address mod 16 == 0) {
// CHECK-NEXT:        tir.store %x, %C[%i, %j * 16] {nontemporal, alignment = 16 : i64}
// CHECK-NEXT:      } else {
// CHECK-NEXT:        tir.store %x, %C[%i, %j * 16] : memref
func.func @serial(%A: memref<1024x1028xf32>, %C: memref<1024x1028xf32>) {
  tir.for %i in 1024 {
    tir.for %j in 64 {
      %x = tir.load %A[%i, %j * 16] : memref<1024x1028xf32>, vector<16xf32>
      tir.store %x, %C[%i, %j * 16] : memref<1024x1028xf32>, vector<16xf32>
    }
  }
  func.return
}

// Rows are apart, and each store writes a line, if the array begins at one.
// CHECK-LABEL: func.func @lines(
// CHECK:           tir.if (%C_address mod 64 == 0) {
// CHECK-NEXT:        tir.store %x, %C[%j, %i * 16] {nontemporal, alignment = 64 : i64}
// CHECK-NEXT:      } else {
// CHECK-NEXT:        tir.store %x, %C[%j, %i * 16] : memref
// CHECK-NEXT:      }
// CHECK-NOT: nontemporal
func.func @lines(%A: memref<1024x1024xf32>, %C: memref<1024x1024xf32>, %D: memref<1024x1028xf32>) {
  tir.for %i in 64 {
    tir.for %j in 1024 {
      %x = tir.load %A[%j, %i * 16] : memref<1024x1024xf32>, vector<16xf32>
      tir.store %x, %C[%j, %i * 16] : memref<1024x1024xf32>, vector<16xf32>
    }
  }
  tir.for %i in 64 {
    tir.for %j in 1024 {
      %x = tir.load %A[%j, %i * 16] : memref<1024x1024xf32>, vector<16xf32>
      tir.store %x, %D[%j, %i * 16] : memref<1024x1028xf32>, vector<16xf32>
    }
  }
  func.return
}

// It is read later.
// CHECK-LABEL: func.func @read(
// CHECK-NOT: nontemporal
func.func @read(%A: memref<1048576xf32>, %C: memref<1048576xf32>, %D: memref<1xf32>) {
  tir.for %j in 65536 {
    %x = tir.load %A[%j * 16] : memref<1048576xf32>, vector<16xf32>
    tir.store %x, %C[%j * 16] : memref<1048576xf32>, vector<16xf32>
  }
  %y = tir.load %C[5] : memref<1048576xf32>
  tir.store %y, %D[0] : memref<1xf32>
  func.return
}

// Each element is written twice; half of a vector overlaps the next; runs are 128 bytes.
// CHECK-LABEL: func.func @again(
// CHECK-NOT: nontemporal
func.func @again(%A: memref<1048576xf32>, %C: memref<1048576xf32>, %D: memref<1048576xf32>, %E: memref<1048576xf32>) {
  tir.for %r in 2 {
    tir.for %j in 65536 {
      %x = tir.load %A[%j * 16] : memref<1048576xf32>, vector<16xf32>
      tir.store %x, %C[%j * 16] : memref<1048576xf32>, vector<16xf32>
    }
  }
  tir.for %j in 65535 {
    %x = tir.load %A[%j * 16] : memref<1048576xf32>, vector<16xf32>
    tir.store %x, %D[%j * 8] : memref<1048576xf32>, vector<16xf32>
  }
  tir.for %i in 32768 {
    tir.for %j in 4 {
      %x = tir.load %A[%i * 32 + %j * 8] : memref<1048576xf32>, vector<8xf32>
      tir.store %x, %E[%i * 32 + %j * 8] : memref<1048576xf32>, vector<8xf32>
    }
  }
  func.return
}

// It fits into the cache, or its size is known at the call only.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: nontemporal
func.func @small(%A: memref<65536xf32>, %C: memref<65536xf32>, %D: memref<?xf32>) {
  tir.for %j in 4096 {
    %x = tir.load %A[%j * 16] : memref<65536xf32>, vector<16xf32>
    tir.store %x, %C[%j * 16] : memref<65536xf32>, vector<16xf32>
    tir.store %x, %D[%j * 16] : memref<?xf32>, vector<16xf32>
  }
  func.return
}
}
