// Buffers are marked to be filled one iteration ahead.
// RUN: kc-opt %s --compute-at="block=B loop=i" --double-buffer="block=B" | FileCheck %s
// RUN: kc-opt %s --compute-at="block=B loop=i" --double-buffer="block=B" --lower-init-block --compact-buffer-allocation --lower-blocks --inject-double-buffer | FileCheck %s --check-prefix=LOWER
// RUN: kc-opt %s --compute-at="block=B loop=i" --double-buffer="block=B buffer=B" --unroll="block=C loop=i" --lower-blocks --inject-double-buffer 2>&1 | FileCheck %s --check-prefix=LEFT --match-full-lines --strict-whitespace
// RUN: kc-opt %s --split="block=C loop=i factors=8,1" --compute-at="block=B loop=i_i" --double-buffer="block=B" 2>&1 | FileCheck %s --check-prefix=USELESS --match-full-lines --strict-whitespace

// CHECK:      tir.for %i in 8 {
// CHECK-NEXT:   %B = tir.alloc "B" {tir.double_buffer} : memref<8x16xf32>

// LOWER:      %B = tir.alloc "B" : memref<2x1x16xf32>
// LOWER-NEXT: tir.for %{{.*}} in 16 {
// LOWER-NEXT:   %a = tir.load %A[0, %{{.*}}] : memref<8x16xf32>
// LOWER-NEXT:   tir.store %a, %B[0, 0, %{{.*}}] : memref<2x1x16xf32>
// LOWER-NEXT: }
// LOWER-NEXT: tir.for %i in 8 {
// LOWER-NEXT:   tir.if (%i < 7) {
// LOWER-NEXT:     tir.for %{{.*}} in 16 {
// LOWER-NEXT:       %{{.*}} = tir.load %A[%i + 1, %{{.*}}] : memref<8x16xf32>
// LOWER-NEXT:       tir.store %{{.*}}, %B[(%i + 1) mod 2, 0, %{{.*}}] : memref<2x1x16xf32>
// LOWER-NEXT:     }
// LOWER-NEXT:   }
// LOWER-NEXT:   tir.for %{{.*}} in 16 {
// LOWER-NEXT:     %b = tir.load %B[%i mod 2, 0, %{{.*}} * -1 + 15] : memref<2x1x16xf32>

//LEFT:warning[KC3478]: double_buffer of B is not applied: loop i, which fills and reads B, is unrolled
//LEFT-NEXT:  --> {{.*}}double_buffer.mlir:34:3  %B = te.compute "B" [%i = 8, %j = 16] {
//LEFT-NEXT:  why: the buffer is filled for the next iteration while the current one runs, so iterations must run in order
//LEFT-NEXT:  try: apply double_buffer last, when the loops are final

//USELESS:warning[KC3477]: double_buffer: loop i_i, which fills and reads B, has no next iteration
//USELESS-NEXT:  --> {{.*}}double_buffer.mlir:38:3  %C = te.compute "C" [%i = 8, %j = 16] {
//USELESS-NEXT:  why: there is nothing to fill in advance
te.func @f(%A: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %B = te.compute "B" [%i = 8, %j = 16] {
    %a = te.read %A[%i, %j] : tensor<8x16xf32>
    te.yield %a : f32
  } : tensor<8x16xf32>
  %C = te.compute "C" [%i = 8, %j = 16] {
    %b = te.read %B[%i, 15 - %j] : tensor<8x16xf32>
    te.yield %b : f32
  } : tensor<8x16xf32>
  te.return %C : tensor<8x16xf32>
}
