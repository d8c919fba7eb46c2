// What skip_masked refuses, and what it says then.
// RUN: not kc-opt %s --split-input-file --skip-masked="block=T loop=j" 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split-input-file --skip-masked="block=T loop=i at=j" 2>&1 | FileCheck %s --match-full-lines --strict-whitespace --check-prefix=AT

// Zero is no neutral element of a maximum.
func.func @of_a_maximum(%S: memref<6x8xf32> {kc.name = "S"}, %T: memref<6xf32> {kc.name = "T", kc.role = "out"}) {
  tir.for %i in 6 {
    tir.for %j in 8 {
      tir.block "T" (spatial %v_i in 6 = %i, reduce %v_j in 8 = %j) init {
        %least = arith.constant 0xff800000 : f32
        tir.store %least, %T[%v_i] : memref<6xf32>
      } do {
        %keeps = arith.cmpi sle, %v_j, %v_i : index
        %s = tir.load %S[%v_i, %v_j] : memref<6x8xf32>
        %zero = arith.constant 0.0 : f32
        %x = arith.select %keeps, %s, %zero : f32
        %t = tir.load %T[%v_i] : memref<6xf32>
        %u = arith.maximumf %t, %x : f32
        tir.store %u, %T[%v_i] : memref<6xf32>
      }
    }
  }
  func.return
}

//CHECK:error[KC3631]: skip_masked: no iteration of loop j of block T can be proven to change nothing
//CHECK-NEXT:  --> {{.*}}skip_masked_invalid.mlir:9:7  tir.block "T" (spatial %v_i in 6 = %i, reduce %v_j in 8 = %j) init {
//CHECK-NEXT:   |  for i in 6:
//CHECK-NEXT:   |    for j in 8:    <-- the loop
//CHECK-NEXT:   |      block T    <-- the block
//CHECK-NEXT:  why: its terms are not masked by conditions of indices
//CHECK-NEXT:  try: use a mask that selects -inf or 0 by a comparison of indices
//AT:error[KC3630]: skip_masked: loop j is not around loop i
//AT-NEXT:  --> {{.*}}skip_masked_invalid.mlir:9:7  tir.block "T" (spatial %v_i in 6 = %i, reduce %v_j in 8 = %j) init {
//AT-NEXT:   |  for i in 6:    <-- the loop
//AT-NEXT:   |    for j in 8:    <-- the loop at
//AT-NEXT:   |      block T
//AT-NEXT:  why: the range of a loop is computed outside the loop

// -----

// A product with what may be infinite, as it is computed: zero times infinity is NaN.
func.func @computed_factor(%S: memref<6x8xf32> {kc.name = "S"}, %T: memref<6xf32> {kc.name = "T", kc.role = "out"}) {
  tir.for %i in 6 {
    tir.for %j in 8 {
      tir.block "T" (spatial %v_i in 6 = %i, reduce %v_j in 8 = %j) do {
        %keeps = arith.cmpi sle, %v_j, %v_i : index
        %s = tir.load %S[%v_i, %v_j] : memref<6x8xf32>
        %zero = arith.constant 0.0 : f32
        %x = arith.select %keeps, %s, %zero : f32
        %factor = math.exp %s : f32
        %term = arith.mulf %x, %factor : f32
        %t = tir.load %T[%v_i] : memref<6xf32>
        %u = arith.addf %t, %term : f32
        tir.store %u, %T[%v_i] : memref<6xf32>
      }
    }
  }
  func.return
}

//CHECK:error[KC3631]: skip_masked: no iteration of loop j of block T can be proven to change nothing
//CHECK:  why: its terms are not masked by conditions of indices

// -----

// Every element is read.
func.func @read_elements(%S: memref<8xf32> {kc.name = "S"}, %R: memref<8xf32> {kc.name = "R", kc.role = "out"}) {
  %T = tir.alloc "T" : memref<8xf32>
  tir.for %i in 1 {
    tir.for %j in 8 {
      tir.block "T" (spatial %v_j in 8 = %j) do {
        %s = tir.load %S[%v_j] : memref<8xf32>
        tir.store %s, %T[%v_j] : memref<8xf32>
      }
    }
    tir.for %j in 8 {
      tir.block "R" (spatial %v_j in 8 = %j) do {
        %s = tir.load %T[%v_j] : memref<8xf32>
        tir.store %s, %R[%v_j] : memref<8xf32>
      }
    }
  }
  func.return
}

//CHECK:error[KC3631]: skip_masked: no iteration of loop j of block T can be proven to change nothing
//CHECK:  why: no condition leaves out iterations of this loop in each iteration around it

// -----

// Another block in the loop, whose results others read.
func.func @more_in_the_loop(%S: memref<6x8xf32> {kc.name = "S"}, %T: memref<6xf32> {kc.name = "T", kc.role = "out"}, %U: memref<6x8xf32> {kc.name = "U", kc.role = "out"}) {
  tir.for %i in 6 {
    tir.for %j in 8 {
      tir.block "U" (spatial %v_i in 6 = %i, spatial %v_j in 8 = %j) do {
        %s = tir.load %S[%v_i, %v_j] : memref<6x8xf32>
        tir.store %s, %U[%v_i, %v_j] : memref<6x8xf32>
      }
      tir.block "T" (spatial %v_i in 6 = %i, reduce %v_j in 8 = %j) do {
        %keeps = arith.cmpi sle, %v_j, %v_i : index
        %s = tir.load %S[%v_i, %v_j] : memref<6x8xf32>
        %zero = arith.constant 0.0 : f32
        %x = arith.select %keeps, %s, %zero : f32
        %t = tir.load %T[%v_i] : memref<6xf32>
        %u = arith.addf %t, %x : f32
        tir.store %u, %T[%v_i] : memref<6xf32>
      }
    }
  }
  func.return
}

//CHECK:error[KC3632]: skip_masked: iterations of loop j have effects beyond block T
//CHECK:  why: it stores to U, which is used elsewhere
