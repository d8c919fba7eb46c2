// A block that pads becomes a block that fills, in front of a loop, and one that copies what is inside.
// RUN: kc-opt %s --decompose-padding="func=ends block=P loop=i" | FileCheck %s --check-prefix=ENDS
// RUN: kc-opt %s --decompose-padding="func=image block=P loop=j" | FileCheck %s --check-prefix=IMAGE
// RUN: kc-opt %s --split="func=ends block=P loop=i factors=?,32" --decompose-padding="func=ends block=P loop=i_o" \
// RUN:   | FileCheck %s --check-prefix=SPLIT
// RUN: kc-opt %s --decompose-padding="func=sizes block=P loop=i" | FileCheck %s --check-prefix=SIZES
// RUN: kc-opt %s --decompose-padding="func=chosen block=P loop=i" | FileCheck %s --check-prefix=CHOSEN
// RUN: kc-opt %s --decompose-padding="func=consumed block=P loop=i" | FileCheck %s --check-prefix=CONSUMED
// RUN: kc-opt %s --decompose-padding="func=always block=P loop=i" 2>&1 >/dev/null | FileCheck %s --check-prefix=ALWAYS --match-full-lines --strict-whitespace

func.func @ends(%A: memref<128xf32>, %P: memref<140xf32>) {
  tir.for %i in 140 {
    tir.block "P" (spatial %v in 140 = %i) do {
      %six = arith.constant 6 : index
      %end = arith.constant 134 : index
      %low = arith.cmpi sge, %v, %six : index
      %high = arith.cmpi slt, %v, %end : index
      %in = arith.andi %low, %high : i1
      %p = scf.if %in -> (f32) {
        %a = tir.load %A[%v - 6] : memref<128xf32>
        scf.yield %a : f32
      } else {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      }
      tir.store %p, %P[%v] : memref<140xf32>
    }
  }
  func.return
}

// The filled rows are those of one iteration of i; what bounds i stays a predicate.
func.func @image(%A: memref<4x6xi32>, %P: memref<6x8xi32>) {
  tir.for %i in 6 {
    tir.for %j in 8 {
      tir.block "P" (spatial %v_i in 6 = %i, spatial %v_j in 8 = %j) do {
        %a0 = tir.apply (%v_i - 1)
        %a1 = tir.apply (%v_j - 1)
        %h = arith.constant 4 : index
        %w = arith.constant 6 : index
        %c0 = arith.cmpi ult, %a0, %h : index
        %c1 = arith.cmpi ult, %a1, %w : index
        %in = arith.andi %c0, %c1 : i1
        %p = scf.if %in -> (i32) {
          %a = tir.load %A[%v_i - 1, %v_j - 1] : memref<4x6xi32>
          %two = arith.constant 2 : i32
          %b = arith.muli %a, %two : i32
          scf.yield %b : i32
        } else {
          %pad = arith.constant -7 : i32
          scf.yield %pad : i32
        }
        tir.store %p, %P[%v_i, %v_j] : memref<6x8xi32>
      }
    }
  }
  func.return
}

func.func @sizes(%A: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>}, %P: memref<?xf32> {kc.shape = affine_map<()[n] -> (n + 4)>})
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %m = tir.apply (%n + 4)
  tir.for %i in %m parallel {
    tir.block "P" (spatial %v in %m = %i) do {
      %two = arith.constant 2 : index
      %end = tir.apply (%n + 2)
      %low = arith.cmpi slt, %v, %two : index
      %high = arith.cmpi sge, %v, %end : index
      %out = arith.ori %low, %high : i1
      %zero = arith.constant 0.0 : f32
      %p = scf.if %out -> (f32) {
        scf.yield %zero : f32
      } else {
        %a = tir.load %A[%v - 2] : memref<?xf32>
        scf.yield %a : f32
      }
      tir.store %p, %P[%v] : memref<?xf32>
    }
  }
  func.return
}

// As of te.Select: both values are computed, and the indices are of 32 bits.
te.func @chosen(%A: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %P = te.compute "P" [%i = 8, %j = 8] {
    %x = arith.index_cast %i : index to i32
    %y = arith.index_cast %j : index to i32
    %in = arith.cmpi sle, %y, %x : i32
    %a = te.read %A[%i, %j] : tensor<8x8xf32>
    %zero = arith.constant 0.0 : f32
    %p = arith.select %in, %a, %zero : f32
    te.yield %p : f32
  } : tensor<8x8xf32>
  te.return %P : tensor<8x8xf32>
}

// C reads what is padded, in the same loop, behind it.
func.func @consumed(%A: memref<4x8xf32>, %C: memref<4x8xf32>) {
  %P = tir.alloc "P" : memref<4x10xf32>
  tir.for %i in 4 {
    tir.for %j in 10 {
      tir.block "P" (spatial %v_i in 4 = %i, spatial %v_j in 10 = %j) do {
        %k = tir.apply (%v_j - 1)
        %w = arith.constant 8 : index
        %in = arith.cmpi ult, %k, %w : index
        %p = scf.if %in -> (f32) {
          %a = tir.load %A[%v_i, %v_j - 1] : memref<4x8xf32>
          scf.yield %a : f32
        } else {
          %zero = arith.constant 0.0 : f32
          scf.yield %zero : f32
        }
        tir.store %p, %P[%v_i, %v_j] : memref<4x10xf32>
      }
    }
    tir.for %j in 8 {
      tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<4x10xf32>
        %y = tir.load %P[%v_i, %v_j + 2] : memref<4x10xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<4x8xf32>
      }
    }
  }
  func.return
}

func.func @always(%A: memref<8xf32>, %P: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "P" (spatial %v in 8 = %i) do {
      %end = arith.constant 8 : index
      %in = arith.cmpi slt, %v, %end : index
      %p = scf.if %in -> (f32) {
        %a = tir.load %A[%v] : memref<8xf32>
        scf.yield %a : f32
      } else {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      }
      tir.store %p, %P[%v] : memref<8xf32>
    }
  }
  func.return
}

// ENDS:      func.func @ends(
// ENDS-NEXT:   tir.for %i_pad in 140 {
// ENDS-NEXT:     tir.block "P_pad" (spatial %v in 140 = %i_pad) do {
// ENDS-NEXT:       %zero = arith.constant 0.000000e+00 : f32
// ENDS-NEXT:       tir.store %zero, %P[%v] : memref<140xf32>
// ENDS-NEXT:     }
// ENDS-NEXT:   }
// ENDS-NEXT:   tir.for %i in 128 {
// ENDS-NEXT:     tir.block "P" (spatial %v in 140 = %i + 6) do {
// ENDS-NEXT:       %a = tir.load %A[%v - 6] : memref<128xf32>
// ENDS-NEXT:       tir.store %a, %P[%v] : memref<140xf32>
// ENDS-NEXT:     }
// ENDS-NEXT:   }
// ENDS-NEXT:   func.return
// ENDS-NEXT: }

// IMAGE:      func.func @image(
// IMAGE-NEXT:   tir.for %i in 6 {
// IMAGE-NEXT:     tir.for %j_pad in 8 {
// IMAGE-NEXT:       tir.block "P_pad" (spatial %v_i in 6 = %i, spatial %v_j in 8 = %j_pad) do {
// IMAGE-NEXT:         %pad = arith.constant -7 : i32
// IMAGE-NEXT:         tir.store %pad, %P[%v_i, %v_j] : memref<6x8xi32>
// IMAGE-NEXT:       }
// IMAGE-NEXT:     }
// IMAGE-NEXT:     tir.for %j in 6 {
// IMAGE-NEXT:       tir.block "P" (spatial %v_i in 6 = %i, spatial %v_j in 8 = %j + 1) where (%i >= 1, %i < 5) do {
// IMAGE-NEXT:         %a = tir.load %A[%v_i - 1, %v_j - 1] : memref<4x6xi32>
// IMAGE-NEXT:         %two = arith.constant 2 : i32
// IMAGE-NEXT:         %b = arith.muli %a, %two : i32
// IMAGE-NEXT:         tir.store %b, %P[%v_i, %v_j] : memref<6x8xi32>
// IMAGE-NEXT:       }
// IMAGE-NEXT:     }
// IMAGE-NEXT:   }
// IMAGE-NEXT:   func.return
// IMAGE-NEXT: }

// SPLIT:      func.func @ends(
// SPLIT-NEXT:   tir.for %i_o_pad in 5 {
// SPLIT-NEXT:     tir.for %i_i_pad in 32 {
// SPLIT-NEXT:       tir.block "P_pad" (spatial %v in 140 = %i_o_pad * 32 + %i_i_pad) where (%i_o_pad * 32 + %i_i_pad < 140) do {
// SPLIT-NEXT:         %zero = arith.constant 0.000000e+00 : f32
// SPLIT-NEXT:         tir.store %zero, %P[%v] : memref<140xf32>
// SPLIT-NEXT:       }
// SPLIT-NEXT:     }
// SPLIT-NEXT:   }
// SPLIT-NEXT:   tir.for %i_o in 5 {
// SPLIT-NEXT:     tir.for %i_i in 32 {
// SPLIT-NEXT:       tir.block "P" (spatial %v in 140 = %i_o * 32 + %i_i) where (%i_o * 32 + %i_i < 140, %i_o * 32 + %i_i >= 6, %i_o * 32 + %i_i < 134) do {
// SPLIT-NEXT:         %a = tir.load %A[%v - 6] : memref<128xf32>
// SPLIT-NEXT:         tir.store %a, %P[%v] : memref<140xf32>
// SPLIT-NEXT:       }
// SPLIT-NEXT:     }
// SPLIT-NEXT:   }
// SPLIT-NEXT:   func.return
// SPLIT-NEXT: }

// SIZES:      func.func @sizes(
// SIZES-NEXT:   %n = tir.symbol "n"
// SIZES-NEXT:   %m = tir.apply (%n + 4)
// SIZES-NEXT:   tir.for %i_pad in %m parallel {
// SIZES-NEXT:     tir.block "P_pad" (spatial %v in %m = %i_pad) do {
// SIZES-NEXT:       %zero = arith.constant 0.000000e+00 : f32
// SIZES-NEXT:       tir.store %zero, %P[%v] : memref<?xf32>
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   tir.for %i in %n parallel {
// SIZES-NEXT:     tir.block "P" (spatial %v in %m = %i + 2) do {
// SIZES-NEXT:       %a = tir.load %A[%v - 2] : memref<?xf32>
// SIZES-NEXT:       tir.store %a, %P[%v] : memref<?xf32>
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   func.return
// SIZES-NEXT: }

// CHOSEN:      func.func @chosen(
// CHOSEN-NEXT:   tir.for %i_pad in 8 {
// CHOSEN-NEXT:     tir.for %j_pad in 8 {
// CHOSEN-NEXT:       tir.block "P_pad" (spatial %v_i in 8 = %i_pad, spatial %v_j in 8 = %j_pad) do {
// CHOSEN-NEXT:         %zero = arith.constant 0.000000e+00 : f32
// CHOSEN-NEXT:         tir.store %zero, %P[%v_i, %v_j] : memref<8x8xf32>
// CHOSEN-NEXT:       }
// CHOSEN-NEXT:     }
// CHOSEN-NEXT:   }
// CHOSEN-NEXT:   tir.for %i in 8 {
// CHOSEN-NEXT:     tir.for %j in 8 {
// CHOSEN-NEXT:       tir.block "P" (spatial %v_i in 8 = %i, spatial %v_j in 8 = %j) where (%j < %i + 1) do {
// CHOSEN-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<8x8xf32>
// CHOSEN-NEXT:         tir.store %a, %P[%v_i, %v_j] : memref<8x8xf32>
// CHOSEN-NEXT:       }
// CHOSEN-NEXT:     }
// CHOSEN-NEXT:   }
// CHOSEN-NEXT:   func.return
// CHOSEN-NEXT: }

// CONSUMED:      func.func @consumed(
// CONSUMED-NEXT:   %P = tir.alloc "P" : memref<4x10xf32>
// CONSUMED-NEXT:   tir.for %i_pad in 4 {
// CONSUMED-NEXT:     tir.for %j_pad in 10 {
// CONSUMED-NEXT:       tir.block "P_pad" (spatial %v_i in 4 = %i_pad, spatial %v_j in 10 = %j_pad) do {
// CONSUMED-NEXT:         %zero = arith.constant 0.000000e+00 : f32
// CONSUMED-NEXT:         tir.store %zero, %P[%v_i, %v_j] : memref<4x10xf32>
// CONSUMED-NEXT:       }
// CONSUMED-NEXT:     }
// CONSUMED-NEXT:   }
// CONSUMED-NEXT:   tir.for %i in 4 {
// CONSUMED-NEXT:     tir.for %j in 8 {
// CONSUMED-NEXT:       tir.block "P" (spatial %v_i in 4 = %i, spatial %v_j in 10 = %j + 1) do {
// CONSUMED-NEXT:         %a = tir.load %A[%v_i, %v_j - 1] : memref<4x8xf32>
// CONSUMED-NEXT:         tir.store %a, %P[%v_i, %v_j] : memref<4x10xf32>
// CONSUMED-NEXT:       }
// CONSUMED-NEXT:     }
// CONSUMED-NEXT:     tir.for %j_1 "j" in 8 {
// CONSUMED-NEXT:       tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j_1) do {
// CONSUMED-NEXT:         %x = tir.load %P[%v_i, %v_j] : memref<4x10xf32>
// CONSUMED-NEXT:         %y = tir.load %P[%v_i, %v_j + 2] : memref<4x10xf32>
// CONSUMED-NEXT:         %z = arith.addf %x, %y : f32
// CONSUMED-NEXT:         tir.store %z, %C[%v_i, %v_j] : memref<4x8xf32>
// CONSUMED-NEXT:       }
// CONSUMED-NEXT:     }
// CONSUMED-NEXT:   }
// CONSUMED-NEXT:   func.return
// CONSUMED-NEXT: }

//ALWAYS:warning[KC3614]: decompose_padding: block P pads nothing
//ALWAYS-NEXT:  --> {{.*}}decompose_padding.mlir:131:5  tir.block "P" (spatial %v in 8 = %i) do {
//ALWAYS-NEXT:  why: its condition always holds, so the whole fill is overwritten
