// RUN: not kc-opt %s --split-input-file --verify-gpu-kernels 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC6301]: verify-gpu-kernels: S[0] is written by thread 0 of block 0 and read by thread 63, with no barrier in between
//CHECK-NEXT:  --> {{.*}}verify_gpu_kernels_invalid.mlir:41:7  memref.store %x, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
//CHECK-NEXT:   |  kernel: k
//CHECK-NEXT:   |  the other: {{.*}}verify_gpu_kernels_invalid.mlir:42:7  %y = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
//CHECK-NEXT:  why: nothing orders threads but a barrier of their block, and nothing orders blocks
//CHECK-NEXT:error[KC6302]: verify-gpu-kernels: thread 0 of block 0 reaches a barrier, but thread 32 does not
//CHECK-NEXT:  --> {{.*}}verify_gpu_kernels_invalid.mlir:68:9  gpu.barrier
//CHECK-NEXT:   |  kernel: k
//CHECK-NEXT:  why: all threads of a block come to a barrier, and all lanes to a shuffle
//CHECK-NEXT:error[KC6303]: verify-gpu-kernels: A[64] is written by thread 0 of block 0, outside of its bounds
//CHECK-NEXT:  --> {{.*}}verify_gpu_kernels_invalid.mlir:93:7  memref.store %x, %A[%far] : memref<64xf32>
//CHECK-NEXT:   |  kernel: k
//CHECK-NEXT:  why: on a GPU such an access may touch anything
//CHECK-NEXT:error[KC6304]: verify-gpu-kernels: A[1] is read by thread 0 of block 0, 4 bytes from its start, which is not a multiple of 16
//CHECK-NEXT:  --> {{.*}}verify_gpu_kernels_invalid.mlir:116:7  %v = vector.load %A[%c1] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
//CHECK-NEXT:   |  kernel: k
//CHECK-NEXT:  why: a GPU reads and writes vectors at multiples of their size
//CHECK-NEXT:error[KC6305]: verify-gpu-kernels: S[63] is read by thread 0 of block 0, and no thread writes it
//CHECK-NEXT:  --> {{.*}}verify_gpu_kernels_invalid.mlir:144:7  %y = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
//CHECK-NEXT:   |  kernel: k
//CHECK-NEXT:  why: memory of a block holds anything until a thread of it writes
module attributes {gpu.container_module} {
  func.func @main(%A: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<64xf32>)
    func.return
  }
  gpu.module @m {
    gpu.func @k(%A: memref<64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %r = arith.subi %c63, %t : index
      %u = arith.addi %t, %c1 : index
      %x = memref.load %A[%t] : memref<64xf32>
      memref.store %x, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      %y = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %y, %A[%t] : memref<64xf32>
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%A: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<64xf32>)
    func.return
  }
  gpu.module @m {
    gpu.func @k(%A: memref<64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %r = arith.subi %c63, %t : index
      %u = arith.addi %t, %c1 : index
      %x = memref.load %A[%t] : memref<64xf32>
      %few = arith.cmpi slt, %t, %c32 : index
      scf.if %few {
        gpu.barrier
      }
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%A: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<64xf32>)
    func.return
  }
  gpu.module @m {
    gpu.func @k(%A: memref<64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %r = arith.subi %c63, %t : index
      %u = arith.addi %t, %c1 : index
      %x = memref.load %A[%t] : memref<64xf32>
      %far = arith.addi %u, %c63 : index
      memref.store %x, %A[%far] : memref<64xf32>
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%A: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<64xf32>)
    func.return
  }
  gpu.module @m {
    gpu.func @k(%A: memref<64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %r = arith.subi %c63, %t : index
      %u = arith.addi %t, %c1 : index
      %x = memref.load %A[%t] : memref<64xf32>
      %v = vector.load %A[%c1] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
      gpu.return
    }
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%A: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<64xf32>)
    func.return
  }
  gpu.module @m {
    gpu.func @k(%A: memref<64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %r = arith.subi %c63, %t : index
      %u = arith.addi %t, %c1 : index
      %x = memref.load %A[%t] : memref<64xf32>
      %few = arith.cmpi slt, %t, %c32 : index
      scf.if %few {
        memref.store %x, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %y = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.return
    }
  }
}
