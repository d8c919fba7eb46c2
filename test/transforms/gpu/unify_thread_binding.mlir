// RUN: kc-opt %s --unify-thread-binding | FileCheck %s

// Loops of one axis become one; what all threads do alike, the first of them does.
// CHECK-LABEL: func.func @exchange(%A: memref<4x64xf32>, %O: memref<4xf32>, %B: memref<4x64xf32>) {
// CHECK-NEXT:    tir.for %b in 4 thread "blockIdx.x" {
// CHECK-NEXT:      tir.for %i in 64 thread "threadIdx.x" {
// CHECK-NEXT:        %S = tir.alloc "S" : memref<64xf32, "shared">
// CHECK-NEXT:        %L = tir.alloc "L" : memref<1xf32, "local">
// CHECK-NEXT:        %0 = tir.load %A[%b, %i] : memref<4x64xf32>
// CHECK-NEXT:        tir.store %0, %S[%i] : memref<64xf32, "shared">
// CHECK-NEXT:        tir.if (%i == 0) {
// CHECK-NEXT:          %y = tir.load %S[0] : memref<64xf32, "shared">
// CHECK-NEXT:          tir.store %y, %O[%b] : memref<4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        %1 = tir.load %S[%i * -1 + 63] : memref<64xf32, "shared">
// CHECK-NEXT:        tir.store %1, %L[0] : memref<1xf32, "local">
// CHECK-NEXT:        %2 = tir.load %L[0] : memref<1xf32, "local">
// CHECK-NEXT:        tir.store %2, %B[%b, %i] : memref<4x64xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @exchange(%A: memref<4x64xf32>, %O: memref<4xf32>, %B: memref<4x64xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    %S = tir.alloc "S" : memref<64xf32, "shared">
    tir.for %i in 64 thread "threadIdx.x" {
      %0 = tir.load %A[%b, %i] : memref<4x64xf32>
      tir.store %0, %S[%i] : memref<64xf32, "shared">
    }
    %y = tir.load %S[0] : memref<64xf32, "shared">
    tir.store %y, %O[%b] : memref<4xf32>
    tir.for %j in 64 thread "threadIdx.x" {
      %L = tir.alloc "L" : memref<1xf32, "local">
      %1 = tir.load %S[63 - %j] : memref<64xf32, "shared">
      tir.store %1, %L[0] : memref<1xf32, "local">
      %2 = tir.load %L[0] : memref<1xf32, "local">
      tir.store %2, %B[%b, %j] : memref<4x64xf32>
    }
  }
  func.return
}

// A loop that may have no iteration is guarded; the launch has at least one thread along its axis.
// Global memory is allocated before the launch.
// CHECK-LABEL: func.func @sizes(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %B: memref<8xf32>) attributes {kc.symbols = ["n"]} {
// CHECK-NEXT:    %n = tir.symbol "n"
// CHECK-NEXT:    %0 = tir.apply max(%n, 1)
// CHECK-NEXT:    %G = tir.alloc "G" : memref<8xf32>
// CHECK-NEXT:    tir.for %b in 8 thread "blockIdx.x" {
// CHECK-NEXT:      tir.for %i in %0 thread "threadIdx.x" {
// CHECK-NEXT:        %z = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        tir.if (%i == 0) {
// CHECK-NEXT:          tir.store %z, %G[%b] : memref<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        tir.if (%i < %n) {
// CHECK-NEXT:          tir.store %z, %A[%i] : memref<?xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        tir.if (%i == 0) {
// CHECK-NEXT:          %g = tir.load %G[%b] : memref<8xf32>
// CHECK-NEXT:          tir.store %g, %B[%b] : memref<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @sizes(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %B: memref<8xf32>) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %b in 8 thread "blockIdx.x" {
    %G = tir.alloc "G" : memref<8xf32>
    %z = arith.constant 0.0 : f32
    tir.store %z, %G[%b] : memref<8xf32>
    tir.for %i in %n thread "threadIdx.x" {
      tir.store %z, %A[%i] : memref<?xf32>
    }
    %g = tir.load %G[%b] : memref<8xf32>
    tir.store %g, %B[%b] : memref<8xf32>
  }
  func.return
}

// An update that all threads would make alike is made by one, with its load.
// CHECK-LABEL: func.func @update(%S: memref<4xf32>) {
// CHECK-NEXT:    tir.for %t in 32 thread "threadIdx.x" {
// CHECK-NEXT:      tir.for %k in 4 {
// CHECK-NEXT:        tir.if (%t == 0) {
// CHECK-NEXT:          %0 = tir.load %S[%k] : memref<4xf32>
// CHECK-NEXT:          %1 = arith.addf %0, %0 : f32
// CHECK-NEXT:          tir.store %1, %S[%k] : memref<4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @update(%S: memref<4xf32>) {
  tir.for %t in 32 thread "threadIdx.x" {
    tir.for %k in 4 {
      %0 = tir.load %S[%k] : memref<4xf32>
      %1 = arith.addf %0, %0 : f32
      tir.store %1, %S[%k] : memref<4xf32>
    }
  }
  func.return
}

// One nest is left alone.
// CHECK-LABEL: func.func @unified(%A: memref<4x8xf32>) {
// CHECK-NEXT:    tir.for %b in 4 thread "blockIdx.x" {
// CHECK-NEXT:      tir.for %t in 8 thread "threadIdx.x" {
// CHECK-NEXT:        %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        tir.store %0, %A[%b, %t] : memref<4x8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @unified(%A: memref<4x8xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %t in 8 thread "threadIdx.x" {
      %0 = arith.constant 0.0 : f32
      tir.store %0, %A[%b, %t] : memref<4x8xf32>
    }
  }
  func.return
}

// Memory that stood outside of virtual threads is common to them, and each lane of a vector keeps
// its own.
// CHECK-LABEL: func.func @virtual(%A: memref<2x4xf32>, %B: memref<2x4xf32>) {
// CHECK-NEXT:    tir.for %t in 2 thread "threadIdx.x" {
// CHECK-NEXT:      %L = tir.alloc "L" : memref<4xf32, "local">
// CHECK-NEXT:      tir.for %v in 4 thread "vthread.x" {
// CHECK-NEXT:        %M = tir.alloc "M" : memref<1xf32, "local">
// CHECK-NEXT:        %0 = tir.load %A[%t, %v] : memref<2x4xf32>
// CHECK-NEXT:        tir.store %0, %M[0] : memref<1xf32, "local">
// CHECK-NEXT:        %1 = tir.load %M[0] : memref<1xf32, "local">
// CHECK-NEXT:        tir.store %1, %L[%v] : memref<4xf32, "local">
// CHECK-NEXT:        tir.for %i in 4 vectorized {
// CHECK-NEXT:          %N = tir.alloc "N" : memref<1xf32, "local">
// CHECK-NEXT:          %2 = tir.load %L[%i] : memref<4xf32, "local">
// CHECK-NEXT:          tir.store %2, %N[0] : memref<1xf32, "local">
// CHECK-NEXT:          %3 = tir.load %N[0] : memref<1xf32, "local">
// CHECK-NEXT:          tir.store %3, %B[%t, %i] : memref<2x4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @virtual(%A: memref<2x4xf32>, %B: memref<2x4xf32>) {
  tir.for %t in 2 thread "threadIdx.x" {
    %L = tir.alloc "L" : memref<4xf32, "local">
    tir.for %v in 4 thread "vthread.x" {
      %M = tir.alloc "M" : memref<1xf32, "local">
      %0 = tir.load %A[%t, %v] : memref<2x4xf32>
      tir.store %0, %M[0] : memref<1xf32, "local">
      %1 = tir.load %M[0] : memref<1xf32, "local">
      tir.store %1, %L[%v] : memref<4xf32, "local">
    }
    tir.for %i in 4 vectorized {
      %N = tir.alloc "N" : memref<1xf32, "local">
      %2 = tir.load %L[%i] : memref<4xf32, "local">
      tir.store %2, %N[0] : memref<1xf32, "local">
      %3 = tir.load %N[0] : memref<1xf32, "local">
      tir.store %3, %B[%t, %i] : memref<2x4xf32>
    }
  }
  func.return
}

// Memory of threads that stands in front of the kernel is allocated in it.
// CHECK-LABEL: func.func @beside(
// CHECK-NEXT:    tir.for %b in 1 thread "blockIdx.x" {
// CHECK-NEXT:      tir.for %t in 32 thread "threadIdx.x" {
// CHECK-NEXT:        %L = tir.alloc "L" : memref<4xf32, "local">
func.func @beside(%A: memref<32xf32>, %B: memref<32xf32>) {
  %L = tir.alloc "L" : memref<4xf32, "local">
  tir.for %b in 1 thread "blockIdx.x" {
    tir.for %t in 32 thread "threadIdx.x" {
      tir.for %i in 4 {
        %x = tir.load %A[%t] : memref<32xf32>
        tir.store %x, %L[%i] : memref<4xf32, "local">
      }
      %y = tir.load %L[%t mod 4] : memref<4xf32, "local">
      tir.store %y, %B[%t] : memref<32xf32>
    }
  }
  func.return
}

// All threads come to what they combine, or none does: the guard is the same for all. There is none
// where a factor is at least 1.
// CHECK-LABEL: func.func @combined(
// CHECK:         %0 = tir.apply max(%n, 1)
// CHECK-NEXT:    tir.for %b in 8 thread "blockIdx.x" {
// CHECK-NEXT:      tir.for %i in %0 thread "threadIdx.x" {
// CHECK-NEXT:        %zero = arith.constant 0 : index
// CHECK-NEXT:        tir.if (%n >= 1) {
// CHECK-NEXT:          %part = tir.load %A[%i] : memref<?xf32>
// CHECK-NEXT:          %total = tir.thread_allreduce "add" (%part)
// CHECK:               tir.if (%i == 0) {
// CHECK-NEXT:            tir.store %total, %B[%b] : memref<8xf32>
// CHECK:         %m = tir.apply max(%n, 1)
// CHECK-NEXT:    tir.for %{{.*}} in 8 thread "blockIdx.x" {
// CHECK-NEXT:      tir.for %j in %m thread "threadIdx.x" {
// CHECK-NEXT:        %x = tir.load %A[0] : memref<?xf32>
// CHECK-NEXT:        tir.store %x, %A[%j] : memref<?xf32>
// CHECK-NEXT:      }
func.func @combined(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %B: memref<8xf32>) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %b in 8 thread "blockIdx.x" {
    %zero = arith.constant 0 : index
    tir.for %i in %n thread "threadIdx.x" {
      %part = tir.load %A[%i] : memref<?xf32>
      %total = tir.thread_allreduce "add" (%part) over ["threadIdx.x"] by (%a: f32) (%c: f32) identity [0.0 : f32] {
        %d = arith.addf %a, %c : f32
        tir.yield %d : f32
      }
      tir.store %total, %B[%b] : memref<8xf32>
    }
  }
  %m = tir.apply max(%n, 1)
  tir.for %b in 8 thread "blockIdx.x" {
    %x = tir.load %A[0] : memref<?xf32>
    tir.for %j in %m thread "threadIdx.x" {
      tir.store %x, %A[%j] : memref<?xf32>
    }
  }
  func.return
}

// Threads of vthread.x share what a thread of vthread.y has: the buffer in front of their loops has a part for each of
// those.
// CHECK-LABEL: func.func @shared_by_virtual_threads(
// CHECK-NEXT:    tir.for %b in 4 thread "blockIdx.x" {
// CHECK-NEXT:      %L = tir.alloc "L" : memref<2x4xf32, "local">
// CHECK-NEXT:      tir.for %x in 4 thread "vthread.x" {
// CHECK-NEXT:        tir.for %v in 2 thread "vthread.y" {
// CHECK-NEXT:          %0 = tir.load %A[%b * 2 + %v, %x] : memref<8x4xf32>
// CHECK-NEXT:          tir.store %0, %L[%v, %x] : memref<2x4xf32, "local">
// CHECK-NEXT:          %1 = tir.load %L[%v, 3] : memref<2x4xf32, "local">
// CHECK-NEXT:          tir.store %1, %O[%b * 2 + %v] : memref<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
func.func @shared_by_virtual_threads(%A: memref<8x4xf32>, %O: memref<8xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %v in 2 thread "vthread.y" {
      %L = tir.alloc "L" : memref<4xf32, "local">
      tir.for %x in 4 thread "vthread.x" {
        %0 = tir.load %A[%b * 2 + %v, %x] : memref<8x4xf32>
        tir.store %0, %L[%x] : memref<4xf32, "local">
      }
      %1 = tir.load %L[3] : memref<4xf32, "local">
      tir.store %1, %O[%b * 2 + %v] : memref<8xf32>
    }
  }
  func.return
}
