// RUN: not kc-opt %s --split="loop=i factors=?,6917529027641081856" 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
// RUN: kc-opt %s --split="loop=i factors=?,4611686018427387904" | FileCheck %s --check-prefix=FITS

// Two rounds of the inner loop would count beyond 64 bits before the predicate stops them.
//CHECK:error[KC3021]: split: the factors ?,6917529027641081856 of loop i multiply to 13835058055282163712
//CHECK-NEXT:  --> {{.*}}split_overflow.mlir:16:3  tir.for %i in 9223372036854775807 {
//CHECK-NEXT:   |  for i in 9223372036854775807:    <-- here
//CHECK-NEXT:   |    block b
//CHECK-NEXT:  why: the product must fit 64 bits (at most 9223372036854775807)
//CHECK-NEXT:  try: factors=?,8

// FITS: tir.for %i_o in 2 {
// FITS-NEXT: tir.for %i_i in 4611686018427387904 {
func.func @f(%A: memref<1xcomplex<f32>>, %x: complex<f32>) {
  // A loop of this size is never run.
  tir.for %i in 9223372036854775807 {
    tir.block "b" (opaque %v in 9223372036854775807 = %i) do {
      tir.store %x, %A[0] : memref<1xcomplex<f32>>
    }
  }
  func.return
}
