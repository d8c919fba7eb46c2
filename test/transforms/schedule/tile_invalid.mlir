// RUN: not kc-opt %s --tile="block=C loops=i factors=4,4" 2>&1 | FileCheck %s --check-prefix=SIDES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tile="block=C loops=j,j factors=4,4" 2>&1 | FileCheck %s --check-prefix=TWICE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tile="block=C loops=i,j factors=4,0" 2>&1 | FileCheck %s --check-prefix=FACTOR --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tile="func=other loops=x,y factors=4,4" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace

//SIDES:error[KC3050]: tile: 1 loop and 2 factors
//SIDES-NEXT:  --> {{.*}}tile_invalid.mlir:44:3  tir.for %i in 16 {
//SIDES-NEXT:   |  for i in 16:    <-- here
//SIDES-NEXT:   |    for j in 12:
//SIDES-NEXT:   |      for k in 8:
//SIDES-NEXT:   |        block C
//SIDES-NEXT:  why: a tile has two sides
//SIDES-NEXT:  try: loops=i,j factors=32,32

//TWICE:error[KC3030]: tile: loop j is named twice
//TWICE-NEXT:  --> {{.*}}tile_invalid.mlir:45:5  tir.for %j in 12 {
//TWICE-NEXT:   |  for i in 16:
//TWICE-NEXT:   |    for j in 12:    <-- here
//TWICE-NEXT:   |      for k in 8:
//TWICE-NEXT:   |        block C

//FACTOR:error[KC3021]: split: factor 0 for loop j
//FACTOR-NEXT:  --> {{.*}}tile_invalid.mlir:45:5  tir.for %j in 12 {
//FACTOR-NEXT:   |  for i_o in 4:
//FACTOR-NEXT:   |    for i_i in 4:
//FACTOR-NEXT:   |      for j in 12:    <-- here
//FACTOR-NEXT:   |        for k in 8:
//FACTOR-NEXT:   |          block C
//FACTOR-NEXT:  why: a factor is the extent of a loop, so it must be at least 1
//FACTOR-NEXT:  try: factors=?,4
//FACTOR-NEXT:  try: factors=?,2

//ORDER:error[KC3035]: reorder: the order x_o, y_o, x_i, y_i changes the result
//ORDER-NEXT:  --> {{.*}}tile_invalid.mlir:68:5  tir.for %y in 8 {
//ORDER-NEXT:   |  for x_o in 2:    <-- reordered from here
//ORDER-NEXT:   |    for x_i in 4:
//ORDER-NEXT:   |      for y_o in 2:
//ORDER-NEXT:   |        for y_i in 4:
//ORDER-NEXT:   |          store to A
//ORDER-NEXT:  why: the statement at (x_o=0, x_i=0, y_o=1, y_i=0) writes A[1, 4], which the statement at (x_o=0, x_i=1, y_o=0, y_i=3) reads


func.func @matmul(%A: memref<16x8xf32>, %B: memref<8x12xf32>, %C: memref<16x12xf32>) {
  tir.for %i in 16 {
    tir.for %j in 12 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 12 = %j, reduce %v_k in 8 = %k) init {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %C[%v_i, %v_j] : memref<16x12xf32>
        } do {
          %a = tir.load %A[%v_i, %v_k] : memref<16x8xf32>
          %b = tir.load %B[%v_k, %v_j] : memref<8x12xf32>
          %p = arith.mulf %a, %b : f32
          %c = tir.load %C[%v_i, %v_j] : memref<16x12xf32>
          %s = arith.addf %c, %p : f32
          tir.store %s, %C[%v_i, %v_j] : memref<16x12xf32>
        }
      }
    }
  }
  func.return
}

func.func @other(%A: memref<9x9xf32>, %B: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %I: memref<8xi64>)
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %x in 8 {
    tir.for %y in 8 {
      %a = tir.load %A[%x, %y + 1] : memref<9x9xf32>
      tir.store %a, %A[%x + 1, %y] : memref<9x9xf32>
    }
  }
  tir.for %z in %n {
    %b = tir.load %B[%z] : memref<?xf32>
    tir.store %b, %B[%z] : memref<?xf32>
  }
  tir.for %u in 8 {
    %size = tir.apply (%u + 1)
    tir.for %v in %size {
      %c = tir.load %A[%u, %v] : memref<9x9xf32>
      tir.store %c, %A[%v, %u] : memref<9x9xf32>
    }
  }
  tir.for %g in 8 {
    %l = tir.load %I[%g] : memref<8xi64>
    %w = arith.index_cast %l : i64 to index
    %d = tir.load %A[0, %g] : memref<9x9xf32>
    tir.store %d, %A[%w, 1] : memref<9x9xf32>
  }
  tir.for %p in 4 annotations {pragma = 1 : i64} {
    tir.for %q in 4 {
      %e = tir.load %A[%p, %q] : memref<9x9xf32>
      tir.store %e, %A[%p, %q] : memref<9x9xf32>
    }
    tir.for %r in 4 {
      %f = tir.load %A[%p, %r] : memref<9x9xf32>
      tir.store %f, %A[%p, %r] : memref<9x9xf32>
    }
  }
  func.return
}

func.func @maybe_empty(%A: memref<4x?xf32> {kc.shape = affine_map<()[s0] -> (4, s0)>}, %R: memref<4xf32>)
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in 4 {
    tir.for %k in %n {
      tir.block "R" (spatial %v_i in 4 = %i, reduce %v_k in %n = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %R[%v_i] : memref<4xf32>
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<4x?xf32>
        %r = tir.load %R[%v_i] : memref<4xf32>
        %s = arith.addf %r, %a : f32
        tir.store %s, %R[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}
