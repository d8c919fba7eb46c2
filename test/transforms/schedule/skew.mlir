// A loop starts later in each iteration of a loop around it.
// RUN: kc-opt %s --skew="func=wave loops=t,i" | FileCheck %s --check-prefix=ONE
// RUN: kc-opt %s --skew="func=wave loops=t,i factor=-2" | FileCheck %s --check-prefix=TURNED
// RUN: kc-opt %s --skew="func=wave loops=t,i" --tile="func=wave loops=t,i_s factors=2,8" | FileCheck %s --check-prefix=TILE
// RUN: kc-opt %s --skew="func=sizes loops=t,i factor=2" | FileCheck %s --check-prefix=SIZES

// Element i of step t needs its neighbours of the step before: the loops are exchanged once skewed.
// ONE-LABEL: func.func @wave(
// ONE-NEXT:      tir.for %t in 4 {
// ONE-NEXT:        tir.for %i_s in 19 {
// ONE-NEXT:          tir.block "A" (spatial %v_t in 4 = %t, spatial %v_i in 16 = %i_s - %t) where (%t < %i_s + 1, %i_s < %t + 16) do {
// ONE-NEXT:            %a = tir.load %A[%v_t, %v_i] : memref<5x18xf32>
// ONE-NEXT:            %b = tir.load %A[%v_t, %v_i + 2] : memref<5x18xf32>
// ONE-NEXT:            %c = arith.addf %a, %b : f32
// ONE-NEXT:            tir.store %c, %A[%v_t + 1, %v_i + 1] : memref<5x18xf32>
// ONE-NEXT:          }
// ONE-NEXT:        }
// ONE-NEXT:      }
// TURNED-LABEL: func.func @wave(
// TURNED-NEXT:      tir.for %t in 4 {
// TURNED-NEXT:        tir.for %i_s in 22 {
// TURNED-NEXT:          tir.block "A" (spatial %v_t in 4 = %t, spatial %v_i in 16 = %i_s + %t * 2 - 6) where (%i_s + %t * 2 >= 6, %i_s + %t * 2 < 22) do {
// TURNED-NEXT:            %a = tir.load %A[%v_t, %v_i] : memref<5x18xf32>
// TURNED-NEXT:            %b = tir.load %A[%v_t, %v_i + 2] : memref<5x18xf32>
// TURNED-NEXT:            %c = arith.addf %a, %b : f32
// TURNED-NEXT:            tir.store %c, %A[%v_t + 1, %v_i + 1] : memref<5x18xf32>
// TURNED-NEXT:          }
// TURNED-NEXT:        }
// TURNED-NEXT:      }
// TILE-LABEL: func.func @wave(
// TILE-NEXT:      tir.for %t_o in 2 {
// TILE-NEXT:        tir.for %i_s_o in 3 {
// TILE-NEXT:          tir.for %t_i in 2 {
// TILE-NEXT:            tir.for %i_s_i in 8 {
// TILE-NEXT:              tir.block "A" (spatial %v_t in 4 = %t_o * 2 + %t_i, spatial %v_i in 16 = %i_s_o * 8 + %i_s_i - %t_o * 2 - %t_i) where (%t_o * 2 + %t_i < %i_s_o * 8 + %i_s_i + 1, %i_s_o * 8 + %i_s_i < %t_o * 2 + %t_i + 16, %i_s_o * 8 + %i_s_i < 19) do {
// TILE-NEXT:                %a = tir.load %A[%v_t, %v_i] : memref<5x18xf32>
// TILE-NEXT:                %b = tir.load %A[%v_t, %v_i + 2] : memref<5x18xf32>
// TILE-NEXT:                %c = arith.addf %a, %b : f32
// TILE-NEXT:                tir.store %c, %A[%v_t + 1, %v_i + 1] : memref<5x18xf32>
// TILE-NEXT:              }
// TILE-NEXT:            }
// TILE-NEXT:          }
// TILE-NEXT:        }
// TILE-NEXT:      }
func.func @wave(%A: memref<5x18xf32>) {
  tir.for %t in 4 {
    tir.for %i in 16 {
      tir.block "A" (spatial %v_t in 4 = %t, spatial %v_i in 16 = %i) do {
        %a = tir.load %A[%v_t, %v_i] : memref<5x18xf32>
        %b = tir.load %A[%v_t, %v_i + 2] : memref<5x18xf32>
        %c = arith.addf %a, %b : f32
        tir.store %c, %A[%v_t + 1, %v_i + 1] : memref<5x18xf32>
      }
    }
  }
  func.return
}

// What is no block gets a branch; the extent is computed outside of the nest.
// SIZES-LABEL: func.func @sizes(
// SIZES-NEXT:      %n = tir.symbol "n"
// SIZES-NEXT:      %i_size = tir.apply (%n + %m * 2 - 2)
// SIZES-NEXT:      tir.for %t in %m {
// SIZES-NEXT:        tir.for %i_s in %i_size {
// SIZES-NEXT:          tir.if (%t * 2 < %i_s + 1, %i_s < %n + %t * 2) {
// SIZES-NEXT:            tir.store %x, %A[%i_s - %t * 2] : memref<?xf32>
// SIZES-NEXT:          }
// SIZES-NEXT:        }
// SIZES-NEXT:      }
func.func @sizes(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %m: index, %x: f32) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %t in %m {
    tir.for %i in %n {
      tir.store %x, %A[%i] : memref<?xf32>
    }
  }
  func.return
}
