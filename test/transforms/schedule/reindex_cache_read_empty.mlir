// An init that reads or writes what is cached, of a reduction that may be over nothing.
// RUN: not kc-opt %s --reindex-cache-read="func=started block=S buffer=B scope=local index-map=(i,k)->(k,i)" 2>&1 | FileCheck %s --check-prefix=STARTED
// RUN: kc-opt %s --reindex-cache-read="func=started block=S buffer=B scope=local index-map=(i,k)->(i)" | FileCheck %s --check-prefix=WITHOUT
// RUN: kc-opt %s --reindex-cache-read="func=started_of_five block=S buffer=B scope=local index-map=(i,k)->(k,i)" | FileCheck %s --check-prefix=FIVE

// RUN: kc-opt %s --reindex-cache-read="func=below block=S buffer=B scope=local index-map=(i,j,k)->(k,j)" | FileCheck %s --check-prefix=BELOW

// STARTED:      error[KC3530]: reindex_cache_read: the init of block S accesses B for no value of v_k
// STARTED-NEXT:   --> {{.*}}reindex_cache_read_empty.mlir:{{[0-9]+}}:7  tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in %n = %k) init {
// STARTED:        why: v_k may have no values; init runs even so, and the new buffer would have no element
// STARTED-NEXT:   try: use a map without v_k

// WITHOUT-LABEL: func.func @started(
// WITHOUT:         tir.alloc "B_local" : memref<4xf32, "local">

// FIVE-LABEL: func.func @started_of_five(
// FIVE:         tir.alloc "B_local" : memref<5x4xf32, "local">

// The loop whose extent is 3 i - 1 = -1 has no iterations.
// BELOW-LABEL: func.func @below(
// BELOW:         tir.alloc "B_local" (%n) : memref<0x?xf32, "local">
func.func @started(%A: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>}, %B: memref<4xf32>, %C: memref<4xf32>)
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in 4 {
    tir.for %k in %n {
      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in %n = %k) init {
        %b = tir.load %B[%v_i] : memref<4xf32>
        tir.store %b, %C[%v_i] : memref<4xf32>
      } do {
        %a = tir.load %A[%v_k] : memref<?xf32>
        %b = tir.load %B[%v_i] : memref<4xf32>
        %p = arith.mulf %a, %b : f32
        %c = tir.load %C[%v_i] : memref<4xf32>
        %s = arith.addf %c, %p : f32
        tir.store %s, %C[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}
func.func @started_of_five(%A: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>}, %B: memref<4xf32>, %C: memref<4xf32>)
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in 4 {
    tir.for %k in 5 {
      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 5 = %k) init {
        %b = tir.load %B[%v_i] : memref<4xf32>
        tir.store %b, %C[%v_i] : memref<4xf32>
      } do {
        %a = tir.load %A[%v_k] : memref<?xf32>
        %b = tir.load %B[%v_i] : memref<4xf32>
        %p = arith.mulf %a, %b : f32
        %c = tir.load %C[%v_i] : memref<4xf32>
        %s = arith.addf %c, %p : f32
        tir.store %s, %C[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}
func.func @below(%n: index {kc.symbol = "n"}, %A: memref<4xf32>, %B: memref<4xf32>) attributes {kc.symbols = ["n"]} {
  tir.for %i in 1 {
    %m = tir.apply (%i * 3 - 1)
    tir.block "W" (opaque %v_i in 1 = %i) do {
      %two = arith.constant 2.0 : f32
      tir.store %two, %B[%v_i] : memref<4xf32>
    }
    tir.for %j in %n {
      tir.for %k in %m {
        tir.block "S" (opaque %v_i in 1 = %i, opaque %v_j in %n = %j, opaque %v_k in %m = %k) do {
          %b = tir.load %B[%v_i] : memref<4xf32>
          tir.store %b, %A[%v_k] : memref<4xf32>
        }
      }
    }
  }
  func.return
}
