// Index expressions of a block are computed before, into buffers that it reads.
// RUN: kc-opt %s --cache-index="func=resize block=B" | FileCheck %s --check-prefix=RESIZE
// RUN: kc-opt %s --cache-index="func=resize block=B scope=local cse_thresh=1" | FileCheck %s --check-prefix=OFTEN
// RUN: kc-opt %s --cache-index="func=gather block=G" | FileCheck %s --check-prefix=GATHER
// RUN: kc-opt %s --cache-index="func=inside block=B" | FileCheck %s --check-prefix=INSIDE

te.func @resize(%A: tensor<2x40x20xf32>, %D: tensor<20xf32>) -> tensor<2x80x40xf32> {
  %B = te.compute "B" [%c = 2, %i = 80, %j = 40] {
    %x = te.read %A[%c, %i floordiv 4 + %j floordiv 4, %j floordiv 2] : tensor<2x40x20xf32>
    %y = te.read %D[%j floordiv 2] : tensor<20xf32>
    %z = arith.addf %x, %y : f32
    te.yield %z : f32
  } : tensor<2x80x40xf32>
  te.return %B : tensor<2x80x40xf32>
}

// The index is gathered, and clamped; the one of a reduction depends on its variable only.
func.func @gather(%A: memref<16xf32>, %I: memref<?xi32> {kc.shape = affine_map<()[n] -> (n)>},
                  %B: memref<?x2xf32> {kc.shape = affine_map<()[n] -> (n, 2)>})
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in %n {
    tir.for %j in 2 {
      tir.block "G" (spatial %v_i in %n = %i, spatial %v_j in 2 = %j) do {
        %zero = arith.constant 0 : index
        %last = arith.constant 7 : index
        %w = tir.load %I[%v_i] : memref<?xi32>
        %g = arith.index_cast %w : i32 to index
        %up = arith.maxsi %g, %zero : index
        %in = arith.minsi %up, %last : index
        %x = tir.load %A[%in * 2 + %v_j] : memref<16xf32>
        tir.store %x, %B[%v_i, %v_j] : memref<?x2xf32>
      }
    }
  }
  func.return
}

// The index depends on a loop too: it is computed in there.
func.func @inside(%A: memref<32xf32>, %B: memref<4x8xf32>) {
  tir.for %i in 4 {
    tir.for %j in 8 {
      tir.block "B" (spatial %v_j in 8 = %j) do {
        %x = tir.load %A[(%v_j * 5 + %i) mod 32] : memref<32xf32>
        tir.store %x, %B[%i, %v_j] : memref<4x8xf32>
      }
    }
  }
  func.return
}

// RESIZE:      func.func @resize(
// RESIZE-NEXT:   %index = tir.alloc "index_0" : memref<80x40xindex>
// RESIZE-NEXT:   tir.for %ax0 in 80 {
// RESIZE-NEXT:     tir.for %ax1 in 40 {
// RESIZE-NEXT:       tir.block "index_0" (spatial %v0 in 80 = %ax0, spatial %v1 in 40 = %ax1) do {
// RESIZE-NEXT:         %0 = tir.apply (%v0 floordiv 4 + %v1 floordiv 4)
// RESIZE-NEXT:         tir.store %0, %index[%v0, %v1] : memref<80x40xindex>
// RESIZE-NEXT:       }
// RESIZE-NEXT:     }
// RESIZE-NEXT:   }
// RESIZE-NEXT:   %index_1 = tir.alloc "index_1" : memref<40xindex>
// RESIZE-NEXT:   tir.for %ax0_1 "ax0" in 40 {
// RESIZE-NEXT:     tir.block "index_1" (spatial %v0 in 40 = %ax0_1) do {
// RESIZE-NEXT:       %0 = tir.apply (%v0 floordiv 2)
// RESIZE-NEXT:       tir.store %0, %index_1[%v0] : memref<40xindex>
// RESIZE-NEXT:     }
// RESIZE-NEXT:   }
// RESIZE-NEXT:   tir.for %c in 2 {
// RESIZE-NEXT:     tir.for %i in 80 {
// RESIZE-NEXT:       tir.for %j in 40 {
// RESIZE-NEXT:         tir.block "B" (spatial %v_c in 2 = %c, spatial %v_i in 80 = %i, spatial %v_j in 40 = %j) do {
// RESIZE-NEXT:           %n0 = tir.load %index[%v_i, %v_j] : memref<80x40xindex>
// RESIZE-NEXT:           %n1 = tir.load %index_1[%v_j] : memref<40xindex>
// RESIZE-NEXT:           %x = tir.load %A[%v_c, %n0, %n1] : memref<2x40x20xf32>
// RESIZE-NEXT:           %y = tir.load %D[%n1] : memref<20xf32>
// RESIZE-NEXT:           %z = arith.addf %x, %y : f32
// RESIZE-NEXT:           tir.store %z, %B[%v_c, %v_i, %v_j] : memref<2x80x40xf32>
// RESIZE-NEXT:         }
// RESIZE-NEXT:       }
// RESIZE-NEXT:     }
// RESIZE-NEXT:   }
// RESIZE-NEXT:   func.return
// RESIZE-NEXT: }

// OFTEN:      func.func @resize(
// OFTEN-NEXT:   %index = tir.alloc "index_0" : memref<40xindex, "local">
// OFTEN-NEXT:   tir.for %ax0 in 40 {
// OFTEN-NEXT:     tir.block "index_0" (spatial %v0 in 40 = %ax0) do {
// OFTEN-NEXT:       %0 = tir.apply (%v0 floordiv 2)
// OFTEN-NEXT:       tir.store %0, %index[%v0] : memref<40xindex, "local">
// OFTEN-NEXT:     }
// OFTEN-NEXT:   }
// OFTEN-NEXT:   tir.for %c in 2 {
// OFTEN-NEXT:     tir.for %i in 80 {
// OFTEN-NEXT:       tir.for %j in 40 {
// OFTEN-NEXT:         tir.block "B" (spatial %v_c in 2 = %c, spatial %v_i in 80 = %i, spatial %v_j in 40 = %j) do {
// OFTEN-NEXT:           %n0 = tir.load %index[%v_j] : memref<40xindex, "local">
// OFTEN-NEXT:           %x = tir.load %A[%v_c, %v_i floordiv 4 + %v_j floordiv 4, %n0] : memref<2x40x20xf32>
// OFTEN-NEXT:           %y = tir.load %D[%n0] : memref<20xf32>
// OFTEN-NEXT:           %z = arith.addf %x, %y : f32
// OFTEN-NEXT:           tir.store %z, %B[%v_c, %v_i, %v_j] : memref<2x80x40xf32>
// OFTEN-NEXT:         }
// OFTEN-NEXT:       }
// OFTEN-NEXT:     }
// OFTEN-NEXT:   }
// OFTEN-NEXT:   func.return
// OFTEN-NEXT: }

// GATHER:      func.func @gather(
// GATHER-NEXT:   %n = tir.symbol "n"
// GATHER-NEXT:   %index = tir.alloc "index_0" (%n) : memref<?x2xindex>
// GATHER-NEXT:   tir.for %ax0 in %n {
// GATHER-NEXT:     tir.for %ax1 in 2 {
// GATHER-NEXT:       tir.block "index_0" (spatial %v0 in %n = %ax0, spatial %v1 in 2 = %ax1) do {
// GATHER-NEXT:         %zero = arith.constant 0 : index
// GATHER-NEXT:         %last = arith.constant 7 : index
// GATHER-NEXT:         %w = tir.load %I[%v0] : memref<?xi32>
// GATHER-NEXT:         %g = arith.index_cast %w : i32 to index
// GATHER-NEXT:         %up = arith.maxsi %g, %zero : index
// GATHER-NEXT:         %in = arith.minsi %up, %last : index
// GATHER-NEXT:         %0 = tir.apply (%in * 2 + %v1)
// GATHER-NEXT:         tir.store %0, %index[%v0, %v1] : memref<?x2xindex>
// GATHER-NEXT:       }
// GATHER-NEXT:     }
// GATHER-NEXT:   }
// GATHER-NEXT:   tir.for %i in %n {
// GATHER-NEXT:     tir.for %j in 2 {
// GATHER-NEXT:       tir.block "G" (spatial %v_i in %n = %i, spatial %v_j in 2 = %j) do {
// GATHER-NEXT:         %n0 = tir.load %index[%v_i, %v_j] : memref<?x2xindex>
// GATHER-NEXT:         %x = tir.load %A[%n0] : memref<16xf32>
// GATHER-NEXT:         tir.store %x, %B[%v_i, %v_j] : memref<?x2xf32>
// GATHER-NEXT:       }
// GATHER-NEXT:     }
// GATHER-NEXT:   }
// GATHER-NEXT:   func.return
// GATHER-NEXT: }

// INSIDE:      func.func @inside(
// INSIDE-NEXT:   tir.for %i in 4 {
// INSIDE-NEXT:     %index = tir.alloc "index_0" : memref<8xindex>
// INSIDE-NEXT:     tir.for %ax0 in 8 {
// INSIDE-NEXT:       tir.block "index_0" (spatial %v0 in 8 = %ax0) do {
// INSIDE-NEXT:         %0 = tir.apply ((%v0 * 5 + %i) mod 32)
// INSIDE-NEXT:         tir.store %0, %index[%v0] : memref<8xindex>
// INSIDE-NEXT:       }
// INSIDE-NEXT:     }
// INSIDE-NEXT:     tir.for %j in 8 {
// INSIDE-NEXT:       tir.block "B" (spatial %v_j in 8 = %j) do {
// INSIDE-NEXT:         %n0 = tir.load %index[%v_j] : memref<8xindex>
// INSIDE-NEXT:         %x = tir.load %A[%n0] : memref<32xf32>
// INSIDE-NEXT:         tir.store %x, %B[%i, %v_j] : memref<4x8xf32>
// INSIDE-NEXT:       }
// INSIDE-NEXT:     }
// INSIDE-NEXT:   }
// INSIDE-NEXT:   func.return
// INSIDE-NEXT: }
