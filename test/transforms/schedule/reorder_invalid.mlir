// RUN: not kc-opt %s --reorder="func=matmul" 2>&1 | FileCheck %s --check-prefix=NONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder="block=C loops=i,i" 2>&1 | FileCheck %s --check-prefix=TWICE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder="func=other loops=z,x" 2>&1 | FileCheck %s --check-prefix=NEST --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder="func=other loops=v,u" 2>&1 | FileCheck %s --check-prefix=EXTENT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder="func=other loops=y,x" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse="block=C loops=j,k" --split="block=C loop=j_k_fused factors=?,3" --reorder="block=C loops=j_k_fused_i,j_k_fused_o" 2>&1 | FileCheck %s --check-prefix=INIT --match-full-lines --strict-whitespace

//NONE:error[KC3033]: reorder: no loops to reorder
//NONE-NEXT:  --> {{.*}}reorder_invalid.mlir:52:1  func.func @matmul(%A: memref<16x8xf32>, %B: memref<8x12xf32>, %C: memref<16x12xf32>) {
//NONE-NEXT:   |  for i in 16:
//NONE-NEXT:   |    for j in 12:
//NONE-NEXT:   |      for k in 8:
//NONE-NEXT:   |        block C
//NONE-NEXT:  try: loops=j,i

//TWICE:error[KC3030]: reorder: loop i is named twice
//TWICE-NEXT:  --> {{.*}}reorder_invalid.mlir:53:3  tir.for %i in 16 {
//TWICE-NEXT:   |  for i in 16:    <-- here
//TWICE-NEXT:   |    for j in 12:
//TWICE-NEXT:   |      for k in 8:
//TWICE-NEXT:   |        block C

//NEST:error[KC3031]: reorder: loops x and z are not nested
//NEST-NEXT:  --> {{.*}}reorder_invalid.mlir:82:3  tir.for %z in %n {
//NEST-NEXT:   |  for z in n:    <-- not inside x
//NEST-NEXT:   |    store to B
//NEST-NEXT:  why: the loops of reorder must be in one nest

//EXTENT:error[KC3034]: reorder: the extent of v depends on u
//EXTENT-NEXT:  --> {{.*}}reorder_invalid.mlir:88:5  tir.for %v in %size {
//EXTENT-NEXT:   |  for u in 8:
//EXTENT-NEXT:   |    for v in size:    <-- here
//EXTENT-NEXT:   |      store to A
//EXTENT-NEXT:  why: v cannot leave u

//ORDER:error[KC3035]: reorder: the order y, x changes the result
//ORDER-NEXT:  --> {{.*}}reorder_invalid.mlir:77:5  tir.for %y in 8 {
//ORDER-NEXT:   |  for x in 8:    <-- reordered from here
//ORDER-NEXT:   |    for y in 8:
//ORDER-NEXT:   |      store to A
//ORDER-NEXT:  why: the statement at (x=0, y=1) writes A[1, 1], which the statement at (x=1, y=0) reads

//INIT:error[KC3035]: reorder: the order j_k_fused_i, j_k_fused_o changes the result
//INIT-NEXT:  --> {{.*}}reorder_invalid.mlir:54:5  tir.for %j in 12 {
//INIT-NEXT:   |  for i in 16:
//INIT-NEXT:   |    for j_k_fused_o in 32:    <-- reordered from here
//INIT-NEXT:   |      for j_k_fused_i in 3:
//INIT-NEXT:   |        block C
//INIT-NEXT:  why: C at (j_k_fused_o=2, j_k_fused_i=2) writes C[0, 1], which C at (j_k_fused_o=3, j_k_fused_i=0) updates (for i = 0)


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
