// RUN: kc-opt %s --thread-sync | FileCheck %s

// Copies that go on by themselves are done where each thread waits for its own: the barrier of an
// iteration stands behind that, and in front of the next copies.
// CHECK-LABEL: func.func @copies(
// CHECK:           tir.for %k in 15 {
// CHECK-NEXT:        nvvm.cp.async.wait.group 0
// CHECK-NEXT:        %{{.*}} = tir.load %A[%k + 1, %i] : memref<16x64xf32>
// CHECK-NEXT:        gpu.barrier
// CHECK-NEXT:        tir.store %{{.*}}, %S[(%k + 1) mod 2, %i] {tir.async_copy} : memref<2x64xf32, "shared">
// CHECK-NEXT:        nvvm.cp.async.commit.group
// CHECK-NEXT:        %{{.*}} = tir.load %S[%k mod 2, %i * -1 + 63] : memref<2x64xf32, "shared">
// CHECK-NEXT:        tir.store
// CHECK-NEXT:      }
// CHECK-NEXT:      nvvm.cp.async.wait.group 0
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      %{{.*}} = tir.load %S[1, %i * -1 + 63] : memref<2x64xf32, "shared">
func.func @copies(%A: memref<16x64xf32>, %B: memref<16x64xf32>) {
  tir.for %i in 64 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<2x64xf32, "shared">
    %0 = tir.load %A[0, %i] : memref<16x64xf32>
    tir.store %0, %S[0, %i] {tir.async_copy} : memref<2x64xf32, "shared">
    nvvm.cp.async.commit.group
    tir.for %k in 15 {
      nvvm.cp.async.wait.group 0
      %1 = tir.load %A[%k + 1, %i] : memref<16x64xf32>
      tir.store %1, %S[(%k + 1) mod 2, %i] {tir.async_copy} : memref<2x64xf32, "shared">
      nvvm.cp.async.commit.group
      %2 = tir.load %S[%k mod 2, 63 - %i] : memref<2x64xf32, "shared">
      tir.store %2, %B[%k, %i] : memref<16x64xf32>
    }
    nvvm.cp.async.wait.group 0
    %3 = tir.load %S[1, 63 - %i] : memref<2x64xf32, "shared">
    tir.store %3, %B[15, %i] : memref<16x64xf32>
  }
  func.return
}

// What a thread copies for itself alone needs no barrier.
// CHECK-LABEL: func.func @own_copies(
// CHECK-NOT:     gpu.barrier
// CHECK:         func.return
func.func @own_copies(%A: memref<64xf32>, %B: memref<64xf32>) {
  tir.for %i in 64 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<64xf32, "shared">
    %0 = tir.load %A[%i] : memref<64xf32>
    tir.store %0, %S[%i] {tir.async_copy} : memref<64xf32, "shared">
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    %1 = tir.load %S[%i] : memref<64xf32, "shared">
    tir.store %1, %B[%i] : memref<64xf32>
  }
  func.return
}

// A value that another thread wrote, and an element that is written again: two barriers an iteration.
// CHECK-LABEL: func.func @reversed(%A: memref<16x64xf32>, %B: memref<16x64xf32>) {
// CHECK-NEXT:    tir.for %i in 64 thread "threadIdx.x" {
// CHECK-NEXT:      %S = tir.alloc "S" : memref<64xf32, "shared">
// CHECK-NEXT:      tir.for %k in 16 {
// CHECK-NEXT:        %0 = tir.load %A[%k, %i] : memref<16x64xf32>
// CHECK-NEXT:        gpu.barrier
// CHECK-NEXT:        tir.store %0, %S[%i] : memref<64xf32, "shared">
// CHECK-NEXT:        gpu.barrier
// CHECK-NEXT:        %1 = tir.load %S[%i * -1 + 63] : memref<64xf32, "shared">
// CHECK-NEXT:        tir.store %1, %B[%k, %i] : memref<16x64xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @reversed(%A: memref<16x64xf32>, %B: memref<16x64xf32>) {
  tir.for %i in 64 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<64xf32, "shared">
    tir.for %k in 16 {
      %0 = tir.load %A[%k, %i] : memref<16x64xf32>
      tir.store %0, %S[%i] : memref<64xf32, "shared">
      %1 = tir.load %S[63 - %i] : memref<64xf32, "shared">
      tir.store %1, %B[%k, %i] : memref<16x64xf32>
    }
  }
  func.return
}

// What a thread writes and reads itself needs none.
// CHECK-LABEL: func.func @own(%A: memref<16x64xf32>) {
// CHECK-NEXT:    tir.for %i in 64 thread "threadIdx.x" {
// CHECK-NEXT:      %S = tir.alloc "S" : memref<64xf32, "shared">
// CHECK-NEXT:      tir.for %k in 16 {
// CHECK-NEXT:        %0 = tir.load %A[%k, %i] : memref<16x64xf32>
// CHECK-NEXT:        tir.store %0, %S[%i] : memref<64xf32, "shared">
// CHECK-NEXT:        %1 = tir.load %S[%i] : memref<64xf32, "shared">
// CHECK-NEXT:        tir.store %1, %A[%k, %i] : memref<16x64xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @own(%A: memref<16x64xf32>) {
  tir.for %i in 64 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<64xf32, "shared">
    tir.for %k in 16 {
      %0 = tir.load %A[%k, %i] : memref<16x64xf32>
      tir.store %0, %S[%i] : memref<64xf32, "shared">
      %1 = tir.load %S[%i] : memref<64xf32, "shared">
      tir.store %1, %A[%k, %i] : memref<16x64xf32>
    }
  }
  func.return
}

// Of two slots one is written while the other is read: one barrier an iteration is enough.
// CHECK-LABEL: func.func @double_buffer(%A: memref<16x64xf32>, %B: memref<16x64xf32>) {
// CHECK-NEXT:    tir.for %i in 64 thread "threadIdx.x" {
// CHECK-NEXT:      %S = tir.alloc "S" : memref<2x64xf32, "shared">
// CHECK-NEXT:      tir.for %k in 16 {
// CHECK-NEXT:        %0 = tir.load %A[%k, %i] : memref<16x64xf32>
// CHECK-NEXT:        tir.store %0, %S[%k mod 2, %i] : memref<2x64xf32, "shared">
// CHECK-NEXT:        gpu.barrier
// CHECK-NEXT:        %1 = tir.load %S[%k mod 2, %i * -1 + 63] : memref<2x64xf32, "shared">
// CHECK-NEXT:        tir.store %1, %B[%k, %i] : memref<16x64xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @double_buffer(%A: memref<16x64xf32>, %B: memref<16x64xf32>) {
  tir.for %i in 64 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<2x64xf32, "shared">
    tir.for %k in 16 {
      %0 = tir.load %A[%k, %i] : memref<16x64xf32>
      tir.store %0, %S[%k mod 2, %i] : memref<2x64xf32, "shared">
      %1 = tir.load %S[%k mod 2, 63 - %i] : memref<2x64xf32, "shared">
      tir.store %1, %B[%k, %i] : memref<16x64xf32>
    }
  }
  func.return
}

// A tree: each step reads what the one before wrote, and writes what no other thread reads in it.
// CHECK-LABEL: func.func @tree(%A: memref<64xf32>, %B: memref<1xf32>) {
// CHECK-NEXT:    tir.for %i in 64 thread "threadIdx.x" {
// CHECK-NEXT:      %S = tir.alloc "S" : memref<64xf32, "shared">
// CHECK-NEXT:      %0 = tir.load %A[%i] : memref<64xf32>
// CHECK-NEXT:      tir.store %0, %S[%i] : memref<64xf32, "shared">
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      tir.if (%i < 32) {
// CHECK-NEXT:        %1 = tir.load %S[%i] : memref<64xf32, "shared">
// CHECK-NEXT:        %2 = tir.load %S[%i + 32] : memref<64xf32, "shared">
// CHECK-NEXT:        %3 = arith.addf %1, %2 : f32
// CHECK-NEXT:        tir.store %3, %S[%i] : memref<64xf32, "shared">
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      tir.if (%i < 16) {
// CHECK-NEXT:        %4 = tir.load %S[%i] : memref<64xf32, "shared">
// CHECK-NEXT:        %5 = tir.load %S[%i + 16] : memref<64xf32, "shared">
// CHECK-NEXT:        %6 = arith.addf %4, %5 : f32
// CHECK-NEXT:        tir.store %6, %B[0] : memref<1xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @tree(%A: memref<64xf32>, %B: memref<1xf32>) {
  tir.for %i in 64 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<64xf32, "shared">
    %0 = tir.load %A[%i] : memref<64xf32>
    tir.store %0, %S[%i] : memref<64xf32, "shared">
    tir.if (%i < 32) {
      %1 = tir.load %S[%i] : memref<64xf32, "shared">
      %2 = tir.load %S[%i + 32] : memref<64xf32, "shared">
      %3 = arith.addf %1, %2 : f32
      tir.store %3, %S[%i] : memref<64xf32, "shared">
    }
    tir.if (%i < 16) {
      %4 = tir.load %S[%i] : memref<64xf32, "shared">
      %5 = tir.load %S[%i + 16] : memref<64xf32, "shared">
      %6 = arith.addf %4, %5 : f32
      tir.store %6, %B[0] : memref<1xf32>
    }
  }
  func.return
}

// Barriers that are there serve; blocks of threads do not wait for each other; a copy of memory
// that each thread has of its own needs none.
// CHECK-LABEL: func.func @given(%A: memref<4x64xf32>) {
// CHECK-NEXT:    tir.for %b in 4 thread "blockIdx.x" {
// CHECK-NEXT:      tir.for %i in 64 thread "threadIdx.x" {
// CHECK-NEXT:        %S = tir.alloc "S" : memref<64xf32, "shared">
// CHECK-NEXT:        %L = tir.alloc "L" : memref<64xf32, "local">
// CHECK-NEXT:        %0 = tir.load %A[%b, %i] : memref<4x64xf32>
// CHECK-NEXT:        tir.store %0, %S[%i] : memref<64xf32, "shared">
// CHECK-NEXT:        tir.store %0, %L[%i] : memref<64xf32, "local">
// CHECK-NEXT:        gpu.barrier
// CHECK-NEXT:        %1 = tir.load %S[%i * -1 + 63] : memref<64xf32, "shared">
// CHECK-NEXT:        %2 = tir.load %L[%i] : memref<64xf32, "local">
// CHECK-NEXT:        %3 = arith.addf %1, %2 : f32
// CHECK-NEXT:        tir.store %3, %A[%b, %i] : memref<4x64xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @given(%A: memref<4x64xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %i in 64 thread "threadIdx.x" {
      %S = tir.alloc "S" : memref<64xf32, "shared">
      %L = tir.alloc "L" : memref<64xf32, "local">
      %0 = tir.load %A[%b, %i] : memref<4x64xf32>
      tir.store %0, %S[%i] : memref<64xf32, "shared">
      tir.store %0, %L[%i] : memref<64xf32, "local">
      gpu.barrier
      %1 = tir.load %S[63 - %i] : memref<64xf32, "shared">
      %2 = tir.load %L[%i] : memref<64xf32, "local">
      %3 = arith.addf %1, %2 : f32
      tir.store %3, %A[%b, %i] : memref<4x64xf32>
    }
  }
  func.return
}

// Threads overwrite what others have read in the same operation of lockstep: a barrier between the
// load and the store of one statement. Global memory is shared by the threads of a block, too.
// CHECK-LABEL: func.func @shift(%A: memref<64xf32>) {
// CHECK-NEXT:    tir.for %i in 64 thread "threadIdx.x" {
// CHECK-NEXT:      %0 = tir.load %A[(%i + 1) mod 64] : memref<64xf32>
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      tir.store %0, %A[%i] : memref<64xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @shift(%A: memref<64xf32>) {
  tir.for %i in 64 thread "threadIdx.x" {
    %0 = tir.load %A[(%i + 1) mod 64] : memref<64xf32>
    tir.store %0, %A[%i] : memref<64xf32>
  }
  func.return
}

// An index that memory has is any: a barrier.
// CHECK-LABEL: func.func @gather(%A: memref<64xindex>, %S: memref<64xf32, "shared">, %B: memref<64xf32>) {
// CHECK-NEXT:    tir.for %i in 64 thread "threadIdx.x" {
// CHECK-NEXT:      %0 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      tir.store %0, %S[%i] : memref<64xf32, "shared">
// CHECK-NEXT:      %j = tir.load %A[%i] : memref<64xindex>
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      %1 = tir.load %S[%j] : memref<64xf32, "shared">
// CHECK-NEXT:      tir.store %1, %B[%i] : memref<64xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @gather(%A: memref<64xindex>, %S: memref<64xf32, "shared">, %B: memref<64xf32>) {
  tir.for %i in 64 thread "threadIdx.x" {
    %0 = arith.constant 1.0 : f32
    tir.store %0, %S[%i] : memref<64xf32, "shared">
    %j = tir.load %A[%i] : memref<64xindex>
    %1 = tir.load %S[%j] : memref<64xf32, "shared">
    tir.store %1, %B[%i] : memref<64xf32>
  }
  func.return
}

// Rows that keep to themselves wait for themselves, in a kernel with mbarriers.
// CHECK-LABEL: func.func @rows(
// CHECK:             tir.store %{{.*}}, %S[%y, %x] : memref<2x64xf32, "shared">
// CHECK-NEXT:        gpu.barrier {tir.row}
// CHECK-NEXT:        %{{.*}} = tir.load %S[%y, %x * -1 + 63] : memref<2x64xf32, "shared">
// CHECK:             tir.store %{{.*}}, %T[%y, %x] : memref<2x64xf32, "shared">
// CHECK-NEXT:        gpu.barrier
// CHECK-NEXT:        %{{.*}} = tir.load %T[%y * -1 + 1, %x] : memref<2x64xf32, "shared">
func.func @rows(%A: memref<2x64xf32>, %B: memref<2x64xf32>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 64 thread "threadIdx.x" {
      %ring = tir.alloc "ring" : memref<1xi64, "shared">
      tir.mbarrier_wait %ring[0] phase [0] : memref<1xi64, "shared">
      %S = tir.alloc "S" : memref<2x64xf32, "shared">
      %T = tir.alloc "T" : memref<2x64xf32, "shared">
      %0 = tir.load %A[%y, %x] : memref<2x64xf32>
      tir.store %0, %S[%y, %x] : memref<2x64xf32, "shared">
      %1 = tir.load %S[%y, 63 - %x] : memref<2x64xf32, "shared">
      tir.store %1, %T[%y, %x] : memref<2x64xf32, "shared">
      %2 = tir.load %T[1 - %y, %x] : memref<2x64xf32, "shared">
      tir.store %2, %B[%y, %x] : memref<2x64xf32>
    }
  }
  func.return
}

// A place that serves rows of their own and rows that meet is for all threads.
// CHECK-LABEL: func.func @a_place_for_both(
// CHECK-NOT:     tir.row
// CHECK:         gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         func.return
func.func @a_place_for_both(%A: memref<2x64xf32>, %B: memref<2x64xf32>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 64 thread "threadIdx.x" {
      %ring = tir.alloc "ring" : memref<1xi64, "shared">
      tir.mbarrier_wait %ring[0] phase [0] : memref<1xi64, "shared">
      %S = tir.alloc "S" : memref<2x64xf32, "shared">
      %T = tir.alloc "T" : memref<2x64xf32, "shared">
      %0 = tir.load %A[%y, %x] : memref<2x64xf32>
      tir.store %0, %S[%y, %x] : memref<2x64xf32, "shared">
      tir.store %0, %T[%y, %x] : memref<2x64xf32, "shared">
      %1 = tir.load %S[%y, 63 - %x] : memref<2x64xf32, "shared">
      %2 = tir.load %T[1 - %y, %x] : memref<2x64xf32, "shared">
      %3 = arith.addf %1, %2 : f32
      tir.store %3, %B[%y, %x] : memref<2x64xf32>
    }
  }
  func.return
}

// Rows of other kernels, and rows of half a warp, wait for all.
// CHECK-LABEL: func.func @without_mbarriers(
// CHECK:         gpu.barrier{{$}}
// CHECK-LABEL: func.func @half_warps(
// CHECK:         gpu.barrier{{$}}
func.func @without_mbarriers(%A: memref<2x64xf32>, %B: memref<2x64xf32>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 64 thread "threadIdx.x" {
      %S = tir.alloc "S" : memref<2x64xf32, "shared">
      %0 = tir.load %A[%y, %x] : memref<2x64xf32>
      tir.store %0, %S[%y, %x] : memref<2x64xf32, "shared">
      %1 = tir.load %S[%y, 63 - %x] : memref<2x64xf32, "shared">
      tir.store %1, %B[%y, %x] : memref<2x64xf32>
    }
  }
  func.return
}
func.func @half_warps(%A: memref<4x48xf32>, %B: memref<4x48xf32>) {
  tir.for %y in 4 thread "threadIdx.y" {
    tir.for %x in 48 thread "threadIdx.x" {
      %ring = tir.alloc "ring" : memref<1xi64, "shared">
      tir.mbarrier_wait %ring[0] phase [0] : memref<1xi64, "shared">
      %S = tir.alloc "S" : memref<4x48xf32, "shared">
      %0 = tir.load %A[%y, %x] : memref<4x48xf32>
      tir.store %0, %S[%y, %x] : memref<4x48xf32, "shared">
      %1 = tir.load %S[%y, 47 - %x] : memref<4x48xf32, "shared">
      tir.store %1, %B[%y, %x] : memref<4x48xf32>
    }
  }
  func.return
}

// A call that reads two rows, of which one is that of another thread, in either order.
// CHECK-LABEL: func.func @own_row_first(
// CHECK:         tir.store
// CHECK-NEXT:    gpu.barrier{{$}}
// CHECK-LABEL: func.func @own_row_second(
// CHECK:         tir.store
// CHECK-NEXT:    gpu.barrier{{$}}
func.func private @use(memref<64xf32, strided<[1], offset: ?>, "shared">, memref<64xf32, strided<[1], offset: ?>, "shared">)
func.func @own_row_first(%A: memref<2x64xf32>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 64 thread "threadIdx.x" {
      %ring = tir.alloc "ring" : memref<1xi64, "shared">
      tir.mbarrier_wait %ring[0] phase [0] : memref<1xi64, "shared">
      %S = tir.alloc "S" : memref<2x64xf32, "shared">
      %0 = tir.load %A[%y, %x] : memref<2x64xf32>
      %v = tir.view %S[%y, 0] : memref<2x64xf32, "shared"> to memref<64xf32, strided<[1], offset: ?>, "shared">
      %w = tir.view %S[1 - %y, 0] : memref<2x64xf32, "shared"> to memref<64xf32, strided<[1], offset: ?>, "shared">
      tir.store %0, %S[%y, %x] : memref<2x64xf32, "shared">
      tir.call @use(read %v, read %w) : (memref<64xf32, strided<[1], offset: ?>, "shared">, memref<64xf32, strided<[1], offset: ?>, "shared">)
    }
  }
  func.return
}
func.func @own_row_second(%A: memref<2x64xf32>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 64 thread "threadIdx.x" {
      %ring = tir.alloc "ring" : memref<1xi64, "shared">
      tir.mbarrier_wait %ring[0] phase [0] : memref<1xi64, "shared">
      %S = tir.alloc "S" : memref<2x64xf32, "shared">
      %0 = tir.load %A[%y, %x] : memref<2x64xf32>
      %v = tir.view %S[%y, 0] : memref<2x64xf32, "shared"> to memref<64xf32, strided<[1], offset: ?>, "shared">
      %w = tir.view %S[1 - %y, 0] : memref<2x64xf32, "shared"> to memref<64xf32, strided<[1], offset: ?>, "shared">
      tir.store %0, %S[%y, %x] : memref<2x64xf32, "shared">
      tir.call @use(read %w, read %v) : (memref<64xf32, strided<[1], offset: ?>, "shared">, memref<64xf32, strided<[1], offset: ?>, "shared">)
    }
  }
  func.return
}

// A store over two buffers that a call has read: over the first where its own row is, over the
// second where the other one is.
// CHECK-LABEL: func.func @over_both(
// CHECK:         tir.call
// CHECK-NEXT:    gpu.barrier{{$}}
// CHECK-NEXT:    tir.store
func.func @over_both(%A: memref<2x64xf32>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 64 thread "threadIdx.x" {
      %ring = tir.alloc "ring" : memref<1xi64, "shared">
      tir.mbarrier_wait %ring[0] phase [0] : memref<1xi64, "shared">
      %S = tir.alloc "S" {tir.shared_offset = 0} : memref<2x64xf32, "shared">
      %T = tir.alloc "T" {tir.shared_offset = 512} : memref<2x64xf32, "shared">
      %U = tir.alloc "U" {tir.shared_offset = 0} : memref<4x64xf32, "shared">
      %0 = tir.load %A[%y, %x] : memref<2x64xf32>
      %v = tir.view %S[%y, 0] : memref<2x64xf32, "shared"> to memref<64xf32, strided<[1], offset: ?>, "shared">
      %w = tir.view %T[1 - %y, 0] : memref<2x64xf32, "shared"> to memref<64xf32, strided<[1], offset: ?>, "shared">
      tir.store %0, %S[%y, %x] : memref<2x64xf32, "shared">
      tir.store %0, %T[%y, %x] : memref<2x64xf32, "shared">
      tir.call @use(read %v, read %w) : (memref<64xf32, strided<[1], offset: ?>, "shared">, memref<64xf32, strided<[1], offset: ?>, "shared">)
      tir.store %0, %U[%y * 3, %x] : memref<4x64xf32, "shared">
    }
  }
  func.return
}

// Each row has a barrier of its own, that of a producer, too: 14 rows may.
// CHECK-LABEL: func.func @fourteen_rows(
// CHECK:         gpu.barrier {tir.row}
// CHECK-LABEL: func.func @fifteen_rows(
// CHECK:         gpu.barrier{{$}}
func.func @fourteen_rows(%A: memref<14x64xf32>) {
  tir.for %y in 14 thread "threadIdx.y" {
    tir.for %x in 64 thread "threadIdx.x" {
      %ring = tir.alloc "ring" : memref<1xi64, "shared">
      %S = tir.alloc "S" : memref<14x64xf32, "shared">
      %0 = tir.load %A[%y, %x] : memref<14x64xf32>
      tir.store %0, %S[%y, %x] : memref<14x64xf32, "shared">
      %1 = tir.load %S[%y, 63 - %x] : memref<14x64xf32, "shared">
      tir.store %1, %A[%y, %x] : memref<14x64xf32>
      tir.if (%y >= 13) attributes {tir.role = "producer"} {
        tir.mbarrier_wait %ring[0] phase [0] : memref<1xi64, "shared">
      }
    }
  }
  func.return
}
func.func @fifteen_rows(%A: memref<15x64xf32>) {
  tir.for %y in 15 thread "threadIdx.y" {
    tir.for %x in 64 thread "threadIdx.x" {
      %ring = tir.alloc "ring" : memref<1xi64, "shared">
      %S = tir.alloc "S" : memref<15x64xf32, "shared">
      %0 = tir.load %A[%y, %x] : memref<15x64xf32>
      tir.store %0, %S[%y, %x] : memref<15x64xf32, "shared">
      %1 = tir.load %S[%y, 63 - %x] : memref<15x64xf32, "shared">
      tir.store %1, %A[%y, %x] : memref<15x64xf32>
      tir.if (%y >= 14) attributes {tir.role = "producer"} {
        tir.mbarrier_wait %ring[0] phase [0] : memref<1xi64, "shared">
      }
    }
  }
  func.return
}
