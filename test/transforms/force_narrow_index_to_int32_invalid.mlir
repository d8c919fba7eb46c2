// RUN: not kc-opt %s --split-input-file --force-narrow-index-to-int32 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4247]: force-narrow-index-to-int32: the loop i counts at least 0
//CHECK-NEXT:  --> {{.*}}force_narrow_index_to_int32_invalid.mlir:24:3  scf.for %i = %c0 to %n step %c1 {
//CHECK-NEXT:  why: 32 bits hold numbers between -2147483648 and 2147483647
//CHECK-NEXT:  try: give sizes as constants, or run --narrow-data-type, which leaves such indices

//CHECK:error[KC4247]: force-narrow-index-to-int32: the result far of arith.muli is between 0 and 6291456000
//CHECK-NEXT:  --> {{.*}}force_narrow_index_to_int32_invalid.mlir:40:5  %far = arith.muli %i, %million : index
//CHECK-NEXT:  why: 32 bits hold numbers between -2147483648 and 2147483647
//CHECK-NEXT:  try: give sizes as constants, or run --narrow-data-type, which leaves such indices

//CHECK:error[KC4247]: force-narrow-index-to-int32: the operand n of arith.addi is any number
//CHECK-NEXT:  --> {{.*}}force_narrow_index_to_int32_invalid.mlir:51:3  %s = arith.addi %n, %n : index
//CHECK-NEXT:  why: 32 bits hold numbers between -2147483648 and 2147483647
//CHECK-NEXT:  try: give sizes as constants, or run --narrow-data-type, which leaves such indices

// A size that is known at the call only.

func.func @size(%A: memref<?xf32>, %z: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %z, %A[%i] : memref<?xf32>
  }
  func.return
}

// -----

// An array of more than 2**31 elements, as one row.

func.func @long(%A: memref<8000000000xf32>, %z: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6001 = arith.constant 6001 : index
  %million = arith.constant 1048576 : index
  scf.for %i = %c0 to %c6001 step %c1 {
    %far = arith.muli %i, %million : index
    memref.store %z, %A[%far] : memref<8000000000xf32>
  }
  func.return
}

// -----

// An argument.

func.func @argument(%n: index) -> index {
  %s = arith.addi %n, %n : index
  func.return %s : index
}
