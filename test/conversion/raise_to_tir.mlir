// RUN: kc-opt %s --split-input-file --raise-to-tir | FileCheck %s

// The fill before the matmul is its init; the elementwise op computes into the result.

// CHECK-LABEL: func.func @layer(%x: memref<4x8xf32> {kc.name = "x", kc.role = "in"}
// CHECK-SAME:    %y: memref<4x16xf32> {kc.name = "y", kc.role = "out"})
// CHECK:         %p = tir.alloc "p" : memref<4x16xf32>
// CHECK-NEXT:    tir.for %m in 4 {
// CHECK-NEXT:      tir.for %n in 16 {
// CHECK-NEXT:        tir.for %k in 8 {
// CHECK-NEXT:          tir.block "p" (spatial %v_m in 4 = %m, spatial %v_n in 16 = %n, reduce %v_k in 8 = %k) init {
// CHECK-NEXT:            [[ZERO:%.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:            tir.store [[ZERO]], %p[%v_m, %v_n]
// CHECK-NEXT:          } do {
// CHECK:                 arith.mulf
// CHECK-NEXT:            [[SUM:%.*]] = arith.addf
// CHECK-NEXT:            tir.store [[SUM]], %p[%v_m, %v_n]
// CHECK:         tir.block "y" (spatial %v_d0 in 4 = %d0, spatial %v_d1 in 16 = %d1) do {
// CHECK:           tir.store %{{.*}}, %y[%v_d0, %v_d1]
// CHECK:         func.return
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.exp ins(%p : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

// An op between the fill and the reduction reads what was filled: both blocks stay.

// CHECK-LABEL: func.func @used
// CHECK:         tir.block "fill"
// CHECK:         tir.block "copy"
// CHECK:         tir.block "reduce" (spatial %v_d0 in 4 = %d0{{.*}}, reduce %v_d1 in 8 = %d1{{.*}}) do {
func.func @used(%a: memref<4x8xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%b : memref<4xf32>)
  linalg.copy ins(%b : memref<4xf32>) outs(%c : memref<4xf32>)
  linalg.reduce { arith.addf } ins(%a : memref<4x8xf32>) outs(%b : memref<4xf32>) dimensions = [1]
  return
}

// -----

// Sizes that linalg relates are one symbol; the call checks that they agree.

// CHECK-LABEL: func.func @sizes
// CHECK-SAME:    %a: memref<?x?xf32> {{{.*}}kc.shape = affine_map<()[s0, s1] -> (s0, s1)>}
// CHECK-SAME:    %b: memref<?xf32> {{{.*}}kc.shape = affine_map<()[s0, s1] -> (s1)>}
// CHECK-SAME:    kc.symbols = ["a_0", "a_1"]
func.func @sizes(%a: memref<?x?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  linalg.matvec ins(%a, %b : memref<?x?xf32>, memref<?xf32>) outs(%c : memref<?xf32>)
  return
}

// -----

// Loops start at 0; the start and the step are in the bindings of spatial variables.

// CHECK-LABEL: func.func @steps
// CHECK:         tir.for %i in 4 {
// CHECK-NEXT:      tir.block "B" (spatial %v_i in 9 = %i * 2 + 2) do {
// CHECK-NEXT:        [[A:%.*]] = tir.load %A[%v_i - 1]
// CHECK-NEXT:        tir.store [[A]], %B[%v_i]
// CHECK:         tir.for %{{.*}} "i" in 9 {
// CHECK-NEXT:      tir.block "C" (opaque %v_i in 9 = %{{.*}}) do {
func.func @steps(%A: memref<10xf32>, %B: memref<10xf32>, %C: memref<10xf32>) {
  affine.for %i = 2 to 10 step 2 {
    %a = affine.load %A[%i - 1] : memref<10xf32>
    affine.store %a, %B[%i] : memref<10xf32>
  }
  // Each element needs the one before.
  affine.for %i = 1 to 10 {
    %c = affine.load %C[%i - 1] : memref<10xf32>
    %a = affine.load %A[%i] : memref<10xf32>
    %s = arith.addf %c, %a : f32
    affine.store %s, %C[%i] : memref<10xf32>
  }
  return
}

// -----

// A value that the loop carries is kept where it is stored afterwards.

// CHECK-LABEL: func.func @dot
// CHECK-NOT:     tir.alloc
// CHECK:         tir.block "S" (spatial %v_i in 3 = %i, reduce %v_k in 5 = %k) init {
func.func @dot(%A: memref<3x5xf32>, %S: memref<3xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 3 {
    %s = affine.for %k = 0 to 5 iter_args(%acc = %zero) -> (f32) {
      %a = affine.load %A[%i, %k] : memref<3x5xf32>
      %n = arith.addf %acc, %a : f32
      affine.yield %n : f32
    }
    affine.store %s, %S[%i] : memref<3xf32>
  }
  return
}

// -----

// What is claimed to be a reduction has an element of the output for each iteration.

// CHECK-LABEL: func.func @claimed
// CHECK:         tir.block "generic" (spatial %v_d0 in 4 = %d0, opaque %v_d1 in 5 = %d1) do {
func.func @claimed(%A: memref<4x5xf32>, %C: memref<4x5xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%A : memref<4x5xf32>) outs(%C : memref<4x5xf32>) {
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %c, %a : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// What overwrites a fill is no reduction, and keeps no init.

// CHECK-LABEL: func.func @overwritten
// CHECK:         tir.block "fill" (spatial %v_d0 in 4 = %d0) do {
// CHECK:         tir.block "copy" (spatial %v_d0 in 4 = %{{.*}}) do {
func.func @overwritten(%A: memref<4xf32>, %C: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<4xf32>)
  linalg.copy ins(%A : memref<4xf32>) outs(%C : memref<4xf32>)
  return
}

// -----

// Conditions that hold are no code.

// CHECK-LABEL: func.func @held
// CHECK-NOT:     cf.assert
// CHECK:         func.return
func.func @held(%A: memref<4xf32>, %B: memref<4xindex>, %n: index) {
  %true = arith.constant true
  %same = arith.cmpi eq, %n, %n : index
  %c0 = arith.constant 0 : index
  %x = memref.load %B[%c0] : memref<4xindex>
  %y = arith.index_cast %x : index to i64
  %z = arith.index_cast %x : index to i64
  %cast = arith.cmpi uge, %y, %z : i64
  cf.assert %true, "never said"
  cf.assert %same, "never said"
  cf.assert %cast, "never said"
  linalg.exp ins(%A : memref<4xf32>) outs(%A : memref<4xf32>)
  return
}

// -----

// Two results of one operation are two values: the call compares them.

// CHECK-LABEL: func.func @results
// CHECK-SAME:    condition = affine_set<()[s0] : (((s0 floordiv 8) + ((s0 mod 8) * -1)) == 0)>
func.func @results(%n: index, %A: memref<8xf32>) {
  %d:2 = affine.delinearize_index %n into (4, 8) : index, index
  %same = arith.cmpi eq, %d#0, %d#1 : index
  cf.assert %same, "n is 9 times its rest"
  return
}

// -----

// Vectors of scalable size have no memory of a size that is known: they stay arguments.

// CHECK-LABEL: func.func @scalable(
// CHECK-SAME:      %v: vector<[8]xf32>
// CHECK-SAME:      %p: memref<4xf32>
// CHECK-SAME:      %out: memref<i64>
func.func @scalable(%v: vector<[8]xf32>, %p: vector<4xf32>) -> index {
  %n = vector.vscale
  %i = vector.scalable.insert %p, %v[0] : vector<4xf32> into vector<[8]xf32>
  return %n : index
}
