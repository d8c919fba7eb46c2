// RUN: kc-opt %s --unroll="block=C loop=i" 2>/dev/null | FileCheck %s
// RUN: kc-opt %s --unroll | FileCheck %s --check-prefix=BARE
// RUN: kc-opt %s --unroll="block=C loop=i" 2>&1 >/dev/null | FileCheck %s --check-prefix=MANY

// CHECK:       tir.for %i in 512 unrolled {
// CHECK-NEXT:    tir.for %j in 4 {

// The bare flag: the innermost serial loop, if its extent is at most 16.
// BARE:        tir.for %i in 512 {
// BARE-NEXT:     tir.for %j in 4 unrolled {

// MANY:      warning[KC3048]: unroll: 512 copies of the body of i
// MANY-NEXT:   why: beyond 256 copies compile time grows faster than the code
// MANY-NEXT:   try: split i and unroll the inner loop
func.func @f(%A: memref<512x4xf32>) {
  %zero = arith.constant 0.0 : f32
  tir.for %i in 512 {
    tir.for %j in 4 {
      tir.block "C" (spatial %v_i in 512 = %i, spatial %v_j in 4 = %j) do {
        tir.store %zero, %A[%v_i, %v_j] : memref<512x4xf32>
      }
    }
  }
  func.return
}
