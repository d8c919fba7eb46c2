// What blocks of threads write along an axis is not read by a block in no loop of it.
// RUN: not kc-opt %s --reverse-compute-at="block=C loop=y" 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

//      CHECK:error[KC3408]: reverse_compute_at: block C reads a value that another thread block writes to B
// CHECK-NEXT:  --> {{.*}}reverse_compute_at_grid_invalid.mlir:[[# @LINE + 20]]:5  tir.block "C" (spatial %v in 4 = %i) do {
// CHECK-NEXT:   |  for i in 4:
// CHECK-NEXT:   |    block C    <-- reads B
// CHECK-NEXT:   |  for y in 4 blockIdx.y:
// CHECK-NEXT:   |    for x in 4 blockIdx.x:
// CHECK-NEXT:   |      block B    <-- writes B
// CHECK-NEXT:  why: block C is in no loop of blockIdx.x, so it would run in all of these blocks, which run in any order
// CHECK-NEXT:  try: it is not legal at any loop
//  CHECK-NOT:{{.}}
func.func @f(%A: memref<4x4xf32>, %B: memref<4x4xf32>) {
  %C = tir.alloc "C" : memref<4xf32, "shared">
  tir.for %y in 4 thread "blockIdx.y" {
    tir.for %x in 4 thread "blockIdx.x" {
      tir.block "B" (spatial %v in 4 = %y, spatial %w in 4 = %x) do {
        %a = tir.load %A[%v, %w] : memref<4x4xf32>
        tir.store %a, %B[%v, %w] : memref<4x4xf32>
      }
    }
  }
  tir.for %i in 4 {
    tir.block "C" (spatial %v in 4 = %i) do {
      %b = tir.load %B[%v, 3] : memref<4x4xf32>
      tir.store %b, %C[%v] : memref<4xf32, "shared">
    }
  }
  func.return
}
