// RUN: kc-opt %s --verify-gpu-kernels=report=true 2>%t | FileCheck %s --check-prefix=SAME
// RUN: FileCheck %s --input-file=%t --match-full-lines --strict-whitespace
// RUN: kc-opt %s --verify-gpu-kernels 2>&1 >%t2 | FileCheck %s --check-prefix=FEW

//CHECK:remark[KC6309]: kernel reverse: static checks
//CHECK-NEXT:  --> {{.*}}verify_gpu_kernels.mlir:43:5  gpu.func @reverse({{.*}}
//CHECK-NEXT:   |  proven: no two threads race
//CHECK-NEXT:   |  proven: all threads reach each barrier and each shuffle
//CHECK-NEXT:   |  proven: every index is within its array
//CHECK-NEXT:   |  proven: no vector is misaligned
//CHECK-NEXT:   |  proven: every element of shared memory is written before it is read
//CHECK-NEXT:remark[KC6309]: kernel scatter: static checks
//CHECK-NEXT:  --> {{.*}}verify_gpu_kernels.mlir:56:5  gpu.func @scatter({{.*}}
//CHECK-NEXT:   |  undecided: no two threads race (the set of threads that access A depends on the arguments of a call, line 58)
//CHECK-NEXT:   |  proven: all threads reach each barrier and each shuffle
//CHECK-NEXT:   |  undecided: every index is within its array (an index of A depends on the arguments of a call, line 60)
//CHECK-NEXT:   |  proven: no vector is misaligned
//CHECK-NEXT:   |  proven: every element of shared memory is written before it is read
//CHECK-NEXT:  try: kc-run --target=cuda-emu --check runs it, and checks the arrays of one call

// FEW-NOT: reverse
// FEW: remark[KC6309]: kernel scatter: static checks
// FEW-NOT: proven
// FEW: undecided: no two threads race (the set of threads that access A depends on the arguments of a call, line 58)
// FEW-NOT: proven
// FEW: undecided: every index is within its array

// SAME: gpu.func @reverse
// SAME: gpu.func @scatter
module attributes {gpu.container_module} {
  func.func @main(%A: memref<128xf32>, %I: memref<128xindex>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @m::@reverse blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%A : memref<128xf32>)
    gpu.launch_func @m::@scatter blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%A : memref<128xf32>, %I : memref<128xindex>)
    func.return
  }
  gpu.module @m {
    // In place: other threads and blocks read other elements.
    gpu.func @reverse(%A: memref<128xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %i = gpu.global_id x
      %0 = memref.load %A[%i] : memref<128xf32>
      memref.store %0, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %r = arith.subi %c63, %t : index
      %1 = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %1, %A[%i] : memref<128xf32>
      gpu.return
    }
    // Where it stores follows from what I holds.
    gpu.func @scatter(%A: memref<128xf32>, %I: memref<128xindex>) kernel {
      %i = gpu.global_id x
      %x = memref.load %A[%i] : memref<128xf32>
      %n = memref.load %I[%i] : memref<128xindex>
      memref.store %x, %A[%n] : memref<128xf32>
      gpu.return
    }
  }
}
