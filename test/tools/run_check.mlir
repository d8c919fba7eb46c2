// RUN: kc-run %s -e right --target=cuda-emu --check | FileCheck %s --check-prefix=RIGHT
// RUN: not kc-run %s -e wrong --target=cuda-emu --check | FileCheck %s --check-prefix=WRONG
// RUN: not kc-run %s -e right --target=llvm --check 2>&1 | FileCheck %s --check-prefix=NONE

// RIGHT:      A: float32[64]
// RIGHT:      buffer  access   warps  transactions  least  conflicts  line  verdict
// RIGHT-NEXT: A       read         2             8      8          0    38  coalesced
// RIGHT-NEXT: S       written      2             2      2          0    39  conflict-free
// RIGHT-NEXT: S       read         2             2      2          0    42  conflict-free
// RIGHT-NEXT: A       written      2             8      8          0    43  coalesced
// RIGHT-NEXT: nothing found; barriers: 1
// RIGHT-NEXT: right, for any contents of arrays:
// RIGHT-NEXT:   proven: no two threads race
// RIGHT-NEXT:   proven: all threads reach each barrier and each shuffle
// RIGHT-NEXT:   proven: every index is within its array
// RIGHT-NEXT:   proven: no vector is misaligned
// RIGHT-NEXT:   proven: every element of shared memory is written before it is read
// RIGHT-NOT:  wrong
// WRONG:      error[KC6301]: S[31] is read by thread 32 of block 0, and was written by thread 31
// WRONG-NEXT:   --> {{.*}}run_check.mlir:55:7  %1 = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
// WRONG-NEXT:    |  the other: {{.*}}run_check.mlir:54:7  memref.store %0, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
// WRONG:      findings; barriers: 0
// WRONG-NEXT: wrong, for any contents of arrays:
// WRONG-NEXT:   race: S[0] is written by thread 0 of block 0 and read by thread 63, with no barrier in between ({{.*}}run_check.mlir:54:7, {{.*}}run_check.mlir:55:7)
// NONE: error[KC4302]: convert-to-llvm: gpu.module cannot be lowered to the llvm dialect
// NONE:   try: --target=cuda compiles kernels to PTX, --target=cuda-emu runs them on this CPU
module attributes {gpu.container_module} {
  func.func @right(%A: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @m::@right blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<64xf32>)
    func.return
  }
  gpu.module @m {
    gpu.func @right(%A: memref<64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %0 = memref.load %A[%t] : memref<64xf32>
      memref.store %0, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %r = arith.subi %c63, %t : index
      %1 = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %1, %A[%t] : memref<64xf32>
      gpu.return
    }
  }
  gpu.module @n {
    gpu.func @wrong(%A: memref<64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %0 = memref.load %A[%t] : memref<64xf32>

      %r = arith.subi %c63, %t : index
      memref.store %0, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      %1 = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %1, %A[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func @wrong(%A: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @n::@wrong blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<64xf32>)
    func.return
  }
}
