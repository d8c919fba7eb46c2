// RUN: not kc-opt %s --bind="func=before block=A loop=q thread_axis=blockIdx.x" 2>&1 | FileCheck %s --check-prefix=BEFORE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=twice block=B loop=q thread_axis=blockIdx.x" 2>&1 | FileCheck %s --check-prefix=TWICE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=moving loop=p thread_axis=blockIdx.x" 2>&1 | FileCheck %s --check-prefix=MOVING --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=kernels loop=i thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=KERNELS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=kernels loop=i thread_axis=blockIdx.y" 2>&1 | FileCheck %s --check-prefix=GRID --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=kernels loop=i thread_axis=vthread" 2>&1 | FileCheck %s --check-prefix=VIRTUAL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=tile loop=p thread_axis=blockIdx.x" 2>&1 | FileCheck %s --check-prefix=TILE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --target=cuda --set-scope="func=tile block=S buffer=S scope=local" --bind="func=tile loop=p thread_axis=blockIdx.x" 2>&1 | FileCheck %s --check-prefix=LOCAL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --target=cuda --set-scope="func=tile block=S buffer=S scope=warp" --bind="func=tile loop=p thread_axis=blockIdx.x" 2>&1 | FileCheck %s --check-prefix=WARP --match-full-lines --strict-whitespace
// RUN: kc-opt %s --bind="func=launches loop=q thread_axis=blockIdx.x" --bind="func=alone loop=p thread_axis=blockIdx.x" | FileCheck %s --check-prefix=LEGAL

// Blocks of threads are in no order: none reads what another one writes, in whatever memory, before
// or behind it in the text, and no two write one element.

//BEFORE:error[KC3408]: bind: block B reads a value that another thread block writes to A
//BEFORE-NEXT:  --> {{.*}}bind_grid_invalid.mlir:101:7  tir.block "B" (spatial %v in 8 = %p) do {
//BEFORE-NEXT:   |  for t in 1 threadIdx.x:
//BEFORE-NEXT:   |    for p in 8 blockIdx.x:
//BEFORE-NEXT:   |      block B    <-- reads A
//BEFORE-NEXT:   |    for q in 8:
//BEFORE-NEXT:   |      block A    <-- writes A
//BEFORE-NEXT:  why: blockIdx.x 0 reads A[7], which blockIdx.x 7 writes; thread blocks run in any order and do not wait for each other

//TWICE:error[KC3417]: bind: several thread blocks write one element of A
//TWICE-NEXT:  --> {{.*}}bind_grid_invalid.mlir:119:7  tir.block "A" (spatial %v in 8 = %p) do {
//TWICE-NEXT:   |  for t in 1 threadIdx.x:
//TWICE-NEXT:   |    for p in 8 blockIdx.x:
//TWICE-NEXT:   |      block A    <-- writes A
//TWICE-NEXT:   |    for q in 8:
//TWICE-NEXT:   |      block B    <-- writes A
//TWICE-NEXT:  why: blockIdx.x 0 and blockIdx.x 7 write A[7]; thread blocks run in any order and do not wait for each other

//MOVING:error[KC3417]: bind: several thread blocks write one element of A
//MOVING-NEXT:  --> {{.*}}bind_grid_invalid.mlir:138:9  tir.block "A" (opaque %w in 4 = %k, spatial %v in 8 = %p + %k) do {
//MOVING-NEXT:   |  for t in 1 threadIdx.x:
//MOVING-NEXT:   |    for k in 4:
//MOVING-NEXT:   |      for p in 4:
//MOVING-NEXT:   |        block A    <-- writes A
//MOVING-NEXT:  why: blockIdx.x 1 and blockIdx.x 0 write A[1]; thread blocks run in any order and do not wait for each other

//KERNELS:error[KC3408]: bind: block B reads a value that another thread block writes to G
//KERNELS-NEXT:  --> {{.*}}bind_grid_invalid.mlir:159:7  tir.block "B" (spatial %v in 4 = %i, spatial %w in 8 = %q) do {
//KERNELS-NEXT:   |  for i in 4:    <-- one kernel, if this is threadIdx.x
//KERNELS-NEXT:   |    for p in 8 blockIdx.x:
//KERNELS-NEXT:   |      block G    <-- writes G
//KERNELS-NEXT:   |    for q in 8 blockIdx.x:
//KERNELS-NEXT:   |      block B    <-- reads G
//KERNELS-NEXT:  why: blockIdx.x 0 reads G[0, 7], which blockIdx.x 7 writes; thread blocks run in any order and do not wait for each other

//GRID:error[KC3408]: bind: block B reads a value that another thread block writes to G
//GRID-NEXT:  --> {{.*}}bind_grid_invalid.mlir:159:7  tir.block "B" (spatial %v in 4 = %i, spatial %w in 8 = %q) do {
//GRID-NEXT:   |  for i in 4:    <-- one kernel, if this is blockIdx.y
//GRID-NEXT:   |    for p in 8 blockIdx.x:
//GRID-NEXT:   |      block G    <-- writes G
//GRID-NEXT:   |    for q in 8 blockIdx.x:
//GRID-NEXT:   |      block B    <-- reads G
//GRID-NEXT:  why: blockIdx.x 0 reads G[0, 7], which blockIdx.x 7 writes; thread blocks run in any order and do not wait for each other

//VIRTUAL:error[KC3408]: bind: block B reads a value that another thread block writes to G
//VIRTUAL-NEXT:  --> {{.*}}bind_grid_invalid.mlir:159:7  tir.block "B" (spatial %v in 4 = %i, spatial %w in 8 = %q) do {
//VIRTUAL-NEXT:   |  for i in 4:    <-- one kernel, if this is vthread
//VIRTUAL-NEXT:   |    for p in 8 blockIdx.x:
//VIRTUAL-NEXT:   |      block G    <-- writes G
//VIRTUAL-NEXT:   |    for q in 8 blockIdx.x:
//VIRTUAL-NEXT:   |      block B    <-- reads G
//VIRTUAL-NEXT:  why: blockIdx.x 0 reads G[0, 7], which blockIdx.x 7 writes; thread blocks run in any order and do not wait for each other

//TILE:error[KC3408]: bind: block B reads a value that another thread block writes to S
//TILE-NEXT:  --> {{.*}}bind_grid_invalid.mlir:178:7  tir.block "B" (spatial %v in 4 = %t, spatial %w in 8 = %q) do {
//TILE-NEXT:   |  for t in 4 threadIdx.x:
//TILE-NEXT:   |    alloc S
//TILE-NEXT:   |    for p in 8:
//TILE-NEXT:   |      block S    <-- writes S
//TILE-NEXT:   |    for q in 8:
//TILE-NEXT:   |      block B    <-- reads S
//TILE-NEXT:  why: block B is in no loop of blockIdx.x, so it would run in all of these blocks, which run in any order

//LOCAL:error[KC3408]: bind: block B reads a value that another thread block writes to S
//LOCAL-NEXT:  --> {{.*}}bind_grid_invalid.mlir:178:7  tir.block "B" (spatial %v in 4 = %t, spatial %w in 8 = %q) do {
//LOCAL-NEXT:   |  for t in 4 threadIdx.x:
//LOCAL-NEXT:   |    alloc S
//LOCAL-NEXT:   |    for p in 8:
//LOCAL-NEXT:   |      block S    <-- writes S
//LOCAL-NEXT:   |    for q in 8:
//LOCAL-NEXT:   |      block B    <-- reads S
//LOCAL-NEXT:  why: block B is in no loop of blockIdx.x, so it would run in all of these blocks, which run in any order

//WARP:error[KC3408]: bind: block B reads a value that another thread block writes to S
//WARP-NEXT:  --> {{.*}}bind_grid_invalid.mlir:178:7  tir.block "B" (spatial %v in 4 = %t, spatial %w in 8 = %q) do {
//WARP-NEXT:   |  for t in 4 threadIdx.x:
//WARP-NEXT:   |    alloc S
//WARP-NEXT:   |    for p in 8:
//WARP-NEXT:   |      block S    <-- writes S
//WARP-NEXT:   |    for q in 8:
//WARP-NEXT:   |      block B    <-- reads S
//WARP-NEXT:  why: block B is in no loop of blockIdx.x, so it would run in all of these blocks, which run in any order

func.func @before(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %t in 1 thread "threadIdx.x" {
    tir.for %p in 8 thread "blockIdx.x" {
      tir.block "B" (spatial %v in 8 = %p) do {
        %a = tir.load %A[7 - %v] : memref<8xf32>
        tir.store %a, %B[%v] : memref<8xf32>
      }
    }
    tir.for %q in 8 {
      tir.block "A" (spatial %v in 8 = %q) do {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %A[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @twice(%A: memref<8xf32>) {
  tir.for %t in 1 thread "threadIdx.x" {
    tir.for %p in 8 thread "blockIdx.x" {
      tir.block "A" (spatial %v in 8 = %p) do {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %A[%v] : memref<8xf32>
      }
    }
    tir.for %q in 8 {
      tir.block "B" (spatial %v in 8 = %q) do {
        %one = arith.constant 1.0 : f32
        tir.store %one, %A[7 - %v] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @moving(%A: memref<8xf32>) {
  tir.for %t in 1 thread "threadIdx.x" {
    tir.for %k in 4 {
      tir.for %p in 4 {
        tir.block "A" (opaque %w in 4 = %k, spatial %v in 8 = %p + %k) do {
          %x = arith.index_cast %w : index to i32
          %f = arith.sitofp %x : i32 to f32
          tir.store %f, %A[%v] : memref<8xf32>
        }
      }
    }
  }
  func.return
}

func.func @kernels(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  %G = tir.alloc "G" : memref<4x8xf32>
  tir.for %i in 4 {
    tir.for %p in 8 thread "blockIdx.x" {
      tir.block "G" (spatial %v in 4 = %i, spatial %w in 8 = %p) do {
        %a = tir.load %A[%v, %w] : memref<4x8xf32>
        tir.store %a, %G[%v, %w] : memref<4x8xf32>
      }
    }
    tir.for %q in 8 thread "blockIdx.x" {
      tir.block "B" (spatial %v in 4 = %i, spatial %w in 8 = %q) do {
        %g = tir.load %G[%v, 7 - %w] : memref<4x8xf32>
        tir.store %g, %B[%v, %w] : memref<4x8xf32>
      }
    }
  }
  func.return
}

func.func @tile(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  tir.for %t in 4 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<4x8xf32, "shared">
    tir.for %p in 8 {
      tir.block "S" (spatial %v in 4 = %t, spatial %w in 8 = %p) do {
        %a = tir.load %A[%v, %w] : memref<4x8xf32>
        tir.store %a, %S[%v, %w] : memref<4x8xf32, "shared">
      }
    }
    tir.for %q in 8 {
      tir.block "B" (spatial %v in 4 = %t, spatial %w in 8 = %q) do {
        %s = tir.load %S[%v, %w] : memref<4x8xf32, "shared">
        tir.store %s, %B[%v, %w] : memref<4x8xf32>
      }
    }
  }
  func.return
}

// Each launch reads what the one before has written.
// LEGAL-LABEL: func.func @launches
// LEGAL:         tir.for %p in 8 thread "blockIdx.x"
// LEGAL:         tir.for %q in 8 thread "blockIdx.x"
func.func @launches(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %k in 4 {
    tir.for %t in 1 thread "threadIdx.x" {
      tir.for %p in 8 thread "blockIdx.x" {
        tir.block "A" (opaque %w in 4 = %k, spatial %v in 8 = %p) do {
          %x = arith.index_cast %w : index to i32
          %f = arith.sitofp %x : i32 to f32
          tir.store %f, %A[%v] : memref<8xf32>
        }
      }
    }
    tir.for %u in 1 thread "threadIdx.x" {
      tir.for %q in 8 {
        tir.block "B" (opaque %w in 4 = %k, spatial %v in 8 = %q) do {
          %a = tir.load %A[7 - %v] : memref<8xf32>
          tir.store %a, %B[%v] : memref<8xf32>
        }
      }
    }
  }
  func.return
}

// One block along an axis is all of them.
// LEGAL-LABEL: func.func @alone
// LEGAL:         tir.for %p in 1 thread "blockIdx.x"
func.func @alone(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %t in 8 thread "threadIdx.x" {
    tir.for %p in 1 {
      tir.block "A" (spatial %v in 8 = %t + %p) do {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %A[%v] : memref<8xf32>
      }
    }
    tir.block "B" (spatial %v in 8 = %t) do {
      %a = tir.load %A[7 - %v] : memref<8xf32>
      tir.store %a, %B[%v] : memref<8xf32>
    }
  }
  func.return
}
