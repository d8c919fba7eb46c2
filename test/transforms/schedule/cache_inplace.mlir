// A block updates a copy of a buffer: copied before and written back behind, as far out as nothing
// notices, and as much as the block accesses, or writes, there.
// RUN: kc-opt %s --cache-inplace="func=scale block=A buffer=0 scope=local" | FileCheck %s --check-prefix=SCALE
// RUN: kc-opt %s --cache-inplace="func=holes block=C buffer=C" | FileCheck %s --check-prefix=HOLES
// RUN: kc-opt %s --cache-inplace="func=update block=S buffer=S" | FileCheck %s --check-prefix=UPDATE
// RUN: kc-opt %s --cache-inplace="func=tail block=A buffer=A" | FileCheck %s --check-prefix=TAIL

func.func @scale(%A: memref<16xf32>) {
  tir.for %i in 16 {
    tir.block "A" (spatial %v_i in 16 = %i) do {
      %x = tir.load %A[%v_i] : memref<16xf32>
      %y = arith.addf %x, %x : f32
      tir.store %y, %A[%v_i] : memref<16xf32>
    }
  }
  func.return
}

// What is not written keeps its value, and what is read only is not written back.
func.func @holes(%C: memref<32xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %C[%v_i * 2 + 1] : memref<32xf32>
      %y = tir.load %C[%v_i + 24] : memref<32xf32>
      %z = arith.addf %x, %y : f32
      tir.store %z, %C[%v_i * 2] : memref<32xf32>
    }
  }
  func.return
}

// Between the init and what reads the sums, in one iteration of i.
func.func @update(%A: memref<4x8xf32>, %S: memref<4xf32>) {
  tir.for %i in 4 {
    tir.block "S_init" (spatial %v_i in 4 = %i) do {
      %x = arith.constant 0.0 : f32
      tir.store %x, %S[%v_i] : memref<4xf32>
    }
    tir.for %k in 8 {
      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) do {
        %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
        %s = tir.load %S[%v_i] : memref<4xf32>
        %t = arith.addf %s, %x : f32
        tir.store %t, %S[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}

func.func @tail(%A: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %m = tir.apply (%n ceildiv 4)
  tir.for %o in %m parallel {
    tir.for %i in 4 {
      tir.block "A" (spatial %v in %n = %o * 4 + %i) where (%o * 4 + %i < %n) do {
        %x = tir.load %A[%v] : memref<?xf32>
        %y = arith.addf %x, %x : f32
        tir.store %y, %A[%v] : memref<?xf32>
      }
    }
  }
  func.return
}

// SCALE:      func.func @scale(
// SCALE-NEXT:   %A_local = tir.alloc "A_local" : memref<16xf32, "local">
// SCALE-NEXT:   tir.for %ax0 in 16 {
// SCALE-NEXT:     tir.block "A_local" (spatial %v0 in 16 = %ax0) do {
// SCALE-NEXT:       %value = tir.load %A[%v0] : memref<16xf32>
// SCALE-NEXT:       tir.store %value, %A_local[%v0] : memref<16xf32, "local">
// SCALE-NEXT:     }
// SCALE-NEXT:   }
// SCALE-NEXT:   tir.for %i in 16 {
// SCALE-NEXT:     tir.block "A" (spatial %v_i in 16 = %i) do {
// SCALE-NEXT:       %x = tir.load %A_local[%v_i] : memref<16xf32, "local">
// SCALE-NEXT:       %y = arith.addf %x, %x : f32
// SCALE-NEXT:       tir.store %y, %A_local[%v_i] : memref<16xf32, "local">
// SCALE-NEXT:     }
// SCALE-NEXT:   }
// SCALE-NEXT:   tir.for %ax0_1 "ax0" in 16 {
// SCALE-NEXT:     tir.block "A_local_back" (spatial %v0 in 16 = %ax0_1) do {
// SCALE-NEXT:       %value = tir.load %A_local[%v0] : memref<16xf32, "local">
// SCALE-NEXT:       tir.store %value, %A[%v0] : memref<16xf32>
// SCALE-NEXT:     }
// SCALE-NEXT:   }
// SCALE-NEXT:   func.return
// SCALE-NEXT: }

// HOLES:      func.func @holes(
// HOLES-NEXT:   %C_global = tir.alloc "C_global" : memref<32xf32>
// HOLES-NEXT:   tir.for %ax0 in 32 {
// HOLES-NEXT:     tir.block "C_global" (spatial %v0 in 32 = %ax0) do {
// HOLES-NEXT:       %value = tir.load %C[%v0] : memref<32xf32>
// HOLES-NEXT:       tir.store %value, %C_global[%v0] : memref<32xf32>
// HOLES-NEXT:     }
// HOLES-NEXT:   }
// HOLES-NEXT:   tir.for %i in 8 {
// HOLES-NEXT:     tir.block "C" (spatial %v_i in 8 = %i) do {
// HOLES-NEXT:       %x = tir.load %C_global[%v_i * 2 + 1] : memref<32xf32>
// HOLES-NEXT:       %y = tir.load %C_global[%v_i + 24] : memref<32xf32>
// HOLES-NEXT:       %z = arith.addf %x, %y : f32
// HOLES-NEXT:       tir.store %z, %C_global[%v_i * 2] : memref<32xf32>
// HOLES-NEXT:     }
// HOLES-NEXT:   }
// HOLES-NEXT:   tir.for %ax0_1 "ax0" in 15 {
// HOLES-NEXT:     tir.block "C_global_back" (spatial %v0 in 32 = %ax0_1) do {
// HOLES-NEXT:       %value = tir.load %C_global[%v0] : memref<32xf32>
// HOLES-NEXT:       tir.store %value, %C[%v0] : memref<32xf32>
// HOLES-NEXT:     }
// HOLES-NEXT:   }
// HOLES-NEXT:   func.return
// HOLES-NEXT: }

// UPDATE:      func.func @update(
// UPDATE-NEXT:   tir.for %i in 4 {
// UPDATE-NEXT:     tir.block "S_init" (spatial %v_i in 4 = %i) do {
// UPDATE-NEXT:       %x = arith.constant 0.000000e+00 : f32
// UPDATE-NEXT:       tir.store %x, %S[%v_i] : memref<4xf32>
// UPDATE-NEXT:     }
// UPDATE-NEXT:     %S_global = tir.alloc "S_global" : memref<4xf32>
// UPDATE-NEXT:     tir.for %ax0 in 1 {
// UPDATE-NEXT:       tir.block "S_global" (spatial %v0 in 4 = %i) do {
// UPDATE-NEXT:         %value = tir.load %S[%v0] : memref<4xf32>
// UPDATE-NEXT:         tir.store %value, %S_global[%v0] : memref<4xf32>
// UPDATE-NEXT:       }
// UPDATE-NEXT:     }
// UPDATE-NEXT:     tir.for %k in 8 {
// UPDATE-NEXT:       tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) do {
// UPDATE-NEXT:         %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
// UPDATE-NEXT:         %s = tir.load %S_global[%v_i] : memref<4xf32>
// UPDATE-NEXT:         %t = arith.addf %s, %x : f32
// UPDATE-NEXT:         tir.store %t, %S_global[%v_i] : memref<4xf32>
// UPDATE-NEXT:       }
// UPDATE-NEXT:     }
// UPDATE-NEXT:     tir.for %ax0_1 in 1 {
// UPDATE-NEXT:       tir.block "S_global_back" (spatial %v0 in 4 = %i) do {
// UPDATE-NEXT:         %value = tir.load %S_global[%v0] : memref<4xf32>
// UPDATE-NEXT:         tir.store %value, %S[%v0] : memref<4xf32>
// UPDATE-NEXT:       }
// UPDATE-NEXT:     }
// UPDATE-NEXT:   }
// UPDATE-NEXT:   func.return
// UPDATE-NEXT: }

// TAIL:      func.func @tail(
// TAIL-NEXT:   %n = tir.symbol "n"
// TAIL-NEXT:   %m = tir.apply (%n ceildiv 4)
// TAIL-NEXT:   %A_global = tir.alloc "A_global" (%n) : memref<?xf32>
// TAIL-NEXT:   tir.for %ax0 in %n {
// TAIL-NEXT:     tir.block "A_global" (spatial %v0 in %n = %ax0) do {
// TAIL-NEXT:       %value = tir.load %A[%v0] : memref<?xf32>
// TAIL-NEXT:       tir.store %value, %A_global[%v0] : memref<?xf32>
// TAIL-NEXT:     }
// TAIL-NEXT:   }
// TAIL-NEXT:   tir.for %o in %m parallel {
// TAIL-NEXT:     tir.for %i in 4 {
// TAIL-NEXT:       tir.block "A" (spatial %v in %n = %o * 4 + %i) where (%o * 4 + %i < %n) do {
// TAIL-NEXT:         %x = tir.load %A_global[%v] : memref<?xf32>
// TAIL-NEXT:         %y = arith.addf %x, %x : f32
// TAIL-NEXT:         tir.store %y, %A_global[%v] : memref<?xf32>
// TAIL-NEXT:       }
// TAIL-NEXT:     }
// TAIL-NEXT:   }
// TAIL-NEXT:   tir.for %ax0_1 "ax0" in %n {
// TAIL-NEXT:     tir.block "A_global_back" (spatial %v0 in %n = %ax0_1) do {
// TAIL-NEXT:       %value = tir.load %A_global[%v0] : memref<?xf32>
// TAIL-NEXT:       tir.store %value, %A[%v0] : memref<?xf32>
// TAIL-NEXT:     }
// TAIL-NEXT:   }
// TAIL-NEXT:   func.return
// TAIL-NEXT: }

// RUN: kc-opt %s --cache-inplace="func=beside block=C buffer=C" | FileCheck %s --check-prefix=BESIDE

// Another block may read what is copied and not written.
// BESIDE-LABEL: func.func @beside
// BESIDE-NEXT:  %C_global = tir.alloc "C_global"
// BESIDE-NEXT:  tir.for %ax0 in 16 {
// BESIDE:       tir.for %i in 8 {
// BESIDE-NEXT:    tir.block "C"
// BESIDE:         tir.block "D"
// BESIDE-NEXT:      %x = tir.load %C[%v * 2 + 1]
func.func @beside(%C: memref<16xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %x = tir.load %C[%v * 2 + 1] : memref<16xf32>
      tir.store %x, %C[%v * 2] : memref<16xf32>
    }
    tir.block "D" (spatial %v in 8 = %i) do {
      %x = tir.load %C[%v * 2 + 1] : memref<16xf32>
      tir.store %x, %D[%v] : memref<8xf32>
    }
  }
  func.return
}
