// Programs at the edges of what the rules of raising require: accumulators that are read, reset or
// shifted in between, slices and views that overlap, steps that are no numbers, empty and unit sizes,
// results that are arguments. test_raising_edges.py compares them with MLIR's own lowering.
func.func @acc_read_between(%A: memref<4x5xf32>, %S: memref<4xf32>, %T: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 4 {
    affine.store %zero, %S[%i] : memref<4xf32>
    %x = affine.load %S[%i] : memref<4xf32>
    affine.store %x, %T[%i] : memref<4xf32>
    affine.for %k = 0 to 5 {
      %s = affine.load %S[%i] : memref<4xf32>
      %a = affine.load %A[%i, %k] : memref<4x5xf32>
      %t = arith.addf %s, %a : f32
      affine.store %t, %S[%i] : memref<4xf32>
    }
  }
  return
}

// -----

func.func @acc_in_A(%A: memref<4x4xf32>) {
  // the accumulator is the diagonal of what is read
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 4 {
    affine.store %zero, %A[%i, %i] : memref<4x4xf32>
    affine.for %k = 0 to 4 {
      %s = affine.load %A[%i, %i] : memref<4x4xf32>
      %a = affine.load %A[%i, %k] : memref<4x4xf32>
      %t = arith.addf %s, %a : f32
      affine.store %t, %A[%i, %i] : memref<4x4xf32>
    }
  }
  return
}

// -----

func.func @acc_scalar_outer(%A: memref<4x5xf32>, %S: memref<f32>, %B: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.store %zero, %S[] : memref<f32>
  affine.for %i = 0 to 4 {
    affine.for %k = 0 to 5 {
      %s = affine.load %S[] : memref<f32>
      %a = affine.load %A[%i, %k] : memref<4x5xf32>
      %t = arith.addf %s, %a : f32
      affine.store %t, %S[] : memref<f32>
    }
    %s2 = affine.load %S[] : memref<f32>
    affine.store %s2, %B[%i] : memref<4xf32>
  }
  return
}

// -----

func.func @acc_not_neutral(%A: memref<?x?xf32>, %S: memref<?xf32>) {
  %zero = arith.constant 2.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %m = memref.dim %A, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %zero, %S[%i] : memref<?xf32>
    scf.for %k = %c1 to %m step %c1 {
      %s = memref.load %S[%i] : memref<?xf32>
      %a = memref.load %A[%i, %k] : memref<?x?xf32>
      %t = arith.addf %s, %a : f32
      memref.store %t, %S[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @acc_shifted_reset(%A: memref<6x5xf32>, %S: memref<7xf32>) {
  // resets the next element, updates this one
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 6 {
    affine.store %zero, %S[%i + 1] : memref<7xf32>
    affine.for %k = 0 to 5 {
      %s = affine.load %S[%i] : memref<7xf32>
      %a = affine.load %A[%i, %k] : memref<6x5xf32>
      %t = arith.addf %s, %a : f32
      affine.store %t, %S[%i] : memref<7xf32>
    }
  }
  return
}

// -----

func.func @acc_reset_in_if(%A: memref<6x5xf32>, %S: memref<6xf32>, %c: i1) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 6 {
    scf.if %c {
      affine.store %zero, %S[%i] : memref<6xf32>
    }
    affine.for %k = 0 to 5 {
      %s = affine.load %S[%i] : memref<6xf32>
      %a = affine.load %A[%i, %k] : memref<6x5xf32>
      %t = arith.addf %s, %a : f32
      affine.store %t, %S[%i] : memref<6xf32>
    }
  }
  return
}

// -----

func.func @acc_empty_reduction(%A: memref<?x?xf32>, %S: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %m = memref.dim %A, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %n {
    affine.store %zero, %S[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    affine.for %k = 3 to %m {
      %s = affine.load %S[%i] : memref<?xf32>
      %a = affine.load %A[%i, %k] : memref<?x?xf32>
      %t = arith.addf %s, %a : f32
      affine.store %t, %S[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @acc_more_reset(%A: memref<4x5xf32>, %S: memref<6xf32>) {
  // reset of more elements than are updated
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 6 {
    affine.store %zero, %S[%i] : memref<6xf32>
  }
  affine.for %i = 0 to 4 {
    affine.for %k = 0 to 5 {
      %s = affine.load %S[%i] : memref<6xf32>
      %a = affine.load %A[%i, %k] : memref<4x5xf32>
      %t = arith.mulf %s, %a : f32
      affine.store %t, %S[%i] : memref<6xf32>
    }
  }
  return
}

// -----

func.func @acc_triangle(%A: memref<6x6xf32>, %S: memref<6xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 6 {
    affine.store %zero, %S[%i] : memref<6xf32>
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
      %s = affine.load %S[%i] : memref<6xf32>
      %a = affine.load %A[%i, %k] : memref<6x6xf32>
      %t = arith.maximumf %s, %a : f32
      affine.store %t, %S[%i] : memref<6xf32>
    }
  }
  return
}

// -----

func.func @acc_iter_args_and_store(%A: memref<6x6xf32>, %S: memref<6xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to 6 iter_args(%acc = %zero) -> f32 {
    %q = affine.for %k = 0 to 6 iter_args(%in = %acc) -> f32 {
      %a = affine.load %A[%i, %k] : memref<6x6xf32>
      %t = arith.addf %in, %a : f32
      affine.store %in, %S[%k] : memref<6xf32>
      affine.yield %t : f32
    }
    affine.yield %q : f32
  }
  return %r : f32
}

// -----

func.func @acc_two_carried(%A: memref<?xf32>) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %one) -> (f32, f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    %s = arith.addf %a, %x : f32
    scf.yield %b, %s : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// -----

func.func @acc_mod(%A: memref<12xf32>, %S: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 4 {
    affine.store %zero, %S[%i] : memref<4xf32>
  }
  affine.for %i = 0 to 12 {
      %s = affine.load %S[%i mod 4] : memref<4xf32>
      %a = affine.load %A[%i] : memref<12xf32>
      %t = arith.addf %s, %a : f32
      affine.store %t, %S[%i mod 4] : memref<4xf32>
  }
  return
}

// -----

func.func @step_dyn(%A: memref<?xf32>, %s: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %st = arith.maxsi %s, %c1 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %st {
    %x = memref.load %A[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %A[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @bounds_neg(%A: memref<10xi32>, %lo: index, %hi: index) {
  %c3 = arith.constant 3 : index
  %lo2 = arith.subi %lo, %c3 : index
  %c1 = arith.constant 1 : i32
  affine.for %i = max affine_map<(d0) -> (d0, 0)>(%lo2) to min affine_map<(d0) -> (d0 * 2, 10)>(%hi) step 3 {
    %x = affine.load %A[%i] : memref<10xi32>
    %y = arith.addi %x, %c1 : i32
    affine.store %y, %A[%i] : memref<10xi32>
  }
  return
}

// -----

func.func @i32_loop(%A: memref<10xi32>, %lo: i32, %hi: i32) {
  %c2 = arith.constant 2 : i32
  scf.for %i = %lo to %hi step %c2 : i32 {
    %x = arith.index_cast %i : i32 to index
    %c10 = arith.constant 10 : index
    %u = arith.remui %x, %c10 : index
    memref.store %i, %A[%u] : memref<10xi32>
  }
  return
}

// -----

func.func @slice_overlap_insert(%A: tensor<8xf32>) -> tensor<8xf32> {
  // insert a slice of itself, overlapping
  %s = tensor.extract_slice %A[0] [6] [1] : tensor<8xf32> to tensor<6xf32>
  %r = tensor.insert_slice %s into %A[2] [6] [1] : tensor<6xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @slice_keep_old(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %s = tensor.extract_slice %A[1] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %r = tensor.insert_slice %s into %A[0] [4] [2] : tensor<4xf32> into tensor<8xf32>
  %t = tensor.extract_slice %r[1] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %z = arith.addf %s, %t : tensor<4xf32>
  return %r, %z : tensor<8xf32>, tensor<4xf32>
}

// -----

func.func @slice_zero(%A: tensor<8x3xf32>, %n: index) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %m = arith.muli %n, %c0 : index
  %s = tensor.extract_slice %A[2, 0] [%m, 3] [2, 1] : tensor<8x3xf32> to tensor<?x3xf32>
  return %s : tensor<?x3xf32>
}

// -----

func.func @insert_dyn(%A: tensor<?xf32>, %B: tensor<?xf32>, %o: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %B, %c0 : tensor<?xf32>
  %r = tensor.insert_slice %B into %A[%o] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @insert_rank_reduced(%A: tensor<4x5x6xf32>, %B: tensor<5xf32>, %i: index) -> tensor<4x5x6xf32> {
  %r = tensor.insert_slice %B into %A[%i, 0, 3] [1, 5, 1] [1, 1, 1] : tensor<5xf32> into tensor<4x5x6xf32>
  return %r : tensor<4x5x6xf32>
}

// -----

func.func @extract_rank_reduced_ambig(%A: tensor<1x5x1xf32>) -> tensor<5x1xf32> {
  %r = tensor.extract_slice %A[0, 0, 0] [1, 5, 1] [1, 1, 1] : tensor<1x5x1xf32> to tensor<5x1xf32>
  return %r : tensor<5x1xf32>
}

// -----

func.func @pad_neg(%A: tensor<8xf32>, %l: index) -> tensor<?xf32> {
  %z = arith.constant 7.0 : f32
  %p = tensor.pad %A low[%l] high[0] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<8xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}

// -----

func.func @pad_index_dep(%A: tensor<3x2xindex>, %h: index) -> tensor<?x4xindex> {
  %p = tensor.pad %A low[1, 1] high[%h, 1] {
  ^bb0(%i: index, %j: index):
    %s = arith.muli %i, %j : index
    tensor.yield %s : index
  } : tensor<3x2xindex> to tensor<?x4xindex>
  return %p : tensor<?x4xindex>
}

// -----

func.func @concat_self(%A: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %r = tensor.concat dim(0) %A, %A, %A : (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// -----

func.func @collapse_dyn(%A: tensor<?x3x?xf32>) -> tensor<?x?xf32> {
  %r = tensor.collapse_shape %A [[0, 1], [2]] : tensor<?x3x?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @fill_then_partial(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%A : tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = linalg.matmul ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %f, %m : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

func.func @out_is_input(%A: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %m = linalg.matmul ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%A : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}

// -----

func.func @out_twice(%A: tensor<4xf32>, %B: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel","reduction"]}
    ins(%B : tensor<4x4xf32>) outs(%A, %A : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%b: f32, %x: f32, %y: f32):
    %s = arith.addf %x, %b : f32
    %t = arith.mulf %y, %s : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @argmax(%B: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xindex>) {
  %m = arith.constant -1.0e30 : f32
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%m : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %e2 = tensor.empty() : tensor<3xindex>
  %f2 = linalg.fill ins(%c0 : index) outs(%e2 : tensor<3xindex>) -> tensor<3xindex>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel","reduction"]}
    ins(%B : tensor<3x5xf32>) outs(%f, %f2 : tensor<3xf32>, tensor<3xindex>) {
  ^bb0(%b: f32, %x: f32, %y: index):
    %j = linalg.index 1 : index
    %g = arith.cmpf ogt, %b, %x : f32
    %s = arith.select %g, %b, %x : f32
    %t = arith.select %g, %j, %y : index
    linalg.yield %s, %t : f32, index
  } -> (tensor<3xf32>, tensor<3xindex>)
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xindex>
}

// -----

func.func @nonperm_out(%B: tensor<4xf32>, %C: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // writes the diagonal only
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i,i)>], iterator_types = ["parallel"]}
    ins(%B : tensor<4xf32>) outs(%C : tensor<4x4xf32>) {
  ^bb0(%b: f32, %x: f32):
    %s = arith.addf %x, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

func.func @red_last_value(%B: tensor<4x3xf32>, %C: tensor<4xf32>) -> tensor<4xf32> {
  // no accumulation at all: the last one wins
  %r = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel","reduction"]}
    ins(%B : tensor<4x3xf32>) outs(%C : tensor<4xf32>) {
  ^bb0(%b: f32, %x: f32):
    linalg.yield %b : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @red_parallel_conflict(%B: tensor<4x3xf32>, %C: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel","reduction"]}
    ins(%B : tensor<4x3xf32>) outs(%C : tensor<4xf32>) {
  ^bb0(%b: f32, %x: f32):
    %s = arith.subf %b, %x : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @memref_generic_alias(%B: memref<8xf32>) {
  // in place: reverse of itself (sequential meaning)
  linalg.generic {indexing_maps = [affine_map<(i)->(7-i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
    ins(%B : memref<8xf32>) outs(%B : memref<8xf32>) {
  ^bb0(%b: f32, %x: f32):
    linalg.yield %b : f32
  }
  return
}

// -----

func.func @memref_matmul_alias(%B: memref<4x4xf32>) {
  linalg.matmul ins(%B, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%B : memref<4x4xf32>)
  return
}

// -----

func.func @copy_overlap(%B: memref<8xf32>) {
  %a = memref.subview %B[0] [6] [1] : memref<8xf32> to memref<6xf32, strided<[1]>>
  %b = memref.subview %B[2] [6] [1] : memref<8xf32> to memref<6xf32, strided<[1], offset: 2>>
  linalg.copy ins(%a : memref<6xf32, strided<[1]>>) outs(%b : memref<6xf32, strided<[1], offset: 2>>)
  return
}

// -----

func.func @view_alias(%B: memref<8x8xf32>) {
  %a = memref.subview %B[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  %b = memref.subview %B[2, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 16>>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      %x = affine.load %a[%i, %j] : memref<4x8xf32, strided<[8, 1]>>
      affine.store %x, %b[%i, %j] : memref<4x8xf32, strided<[8, 1], offset: 16>>
    }
  }
  return
}

// -----

func.func @view_stride2(%B: memref<?x?xf32>, %o: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %B, %c0 : memref<?x?xf32>
  %m = arith.divui %n, %c2 : index
  %a = memref.subview %B[0, %o] [%m, 1] [2, 1] : memref<?x?xf32> to memref<?xf32, strided<[?], offset: ?>>
  %z = arith.constant 5.0 : f32
  affine.for %i = 0 to %m {
    affine.store %z, %a[%i] : memref<?xf32, strided<[?], offset: ?>>
  }
  return
}

// -----

func.func @reinterpret(%B: memref<12xf32>, %o: index) {
  %a = memref.reinterpret_cast %B to offset: [%o], sizes: [2, 3], strides: [4, 1] : memref<12xf32> to memref<2x3xf32, strided<[4, 1], offset: ?>>
  %z = arith.constant 5.0 : f32
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 3 {
      affine.store %z, %a[%i, %j] : memref<2x3xf32, strided<[4, 1], offset: ?>>
    }
  }
  return
}

// -----

func.func @reinterpret_overlap(%B: memref<12xf32>) {
  // rows overlap
  %a = memref.reinterpret_cast %B to offset: [0], sizes: [4, 4], strides: [2, 1] : memref<12xf32> to memref<4x4xf32, strided<[2, 1]>>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      %x = affine.load %a[%i, %j] : memref<4x4xf32, strided<[2, 1]>>
      %y = arith.addf %x, %x : f32
      affine.store %y, %a[%i, %j] : memref<4x4xf32, strided<[2, 1]>>
    }
  }
  return
}

// -----

func.func @transpose_view(%B: memref<3x5xf32>, %C: memref<5x3xf32>) {
  %t = memref.transpose %B (i, j) -> (j, i) : memref<3x5xf32> to memref<5x3xf32, strided<[1, 5]>>
  memref.copy %t, %C : memref<5x3xf32, strided<[1, 5]>> to memref<5x3xf32>
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 3 {
      %x = affine.load %t[%i, %j] : memref<5x3xf32, strided<[1, 5]>>
      affine.store %x, %B[%j, %i] : memref<3x5xf32>
    }
  }
  return
}

// -----

func.func @transpose_self(%B: memref<4x4xf32>) {
  %t = memref.transpose %B (i, j) -> (j, i) : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      %x = affine.load %t[%i, %j] : memref<4x4xf32, strided<[1, 4]>>
      affine.store %x, %B[%i, %j] : memref<4x4xf32>
    }
  }
  return
}

// -----

func.func @expand_view(%B: memref<12xf32>) {
  %t = memref.expand_shape %B [[0, 1]] output_shape [3, 4] : memref<12xf32> into memref<3x4xf32>
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 4 {
      %x = affine.load %t[%i, %j] : memref<3x4xf32>
      affine.store %x, %B[%i + %j * 3] : memref<12xf32>
    }
  }
  return
}

// -----

func.func @select_memref(%A: memref<4xf32>, %B: memref<4xf32>, %c: i1) {
  %s = arith.select %c, %A, %B : memref<4xf32>
  %z = arith.constant 5.0 : f32
  affine.for %i = 0 to 4 {
    affine.store %z, %s[%i] : memref<4xf32>
  }
  return
}

// -----

func.func @if_memref(%A: memref<4xf32>, %B: memref<4xf32>, %c: i1) {
  %s = scf.if %c -> memref<4xf32> {
    scf.yield %A : memref<4xf32>
  } else {
    scf.yield %B : memref<4xf32>
  }
  %z = arith.constant 5.0 : f32
  affine.for %i = 0 to 4 {
    affine.store %z, %s[%i] : memref<4xf32>
  }
  return
}

// -----

func.func @alloc_loop(%A: memref<4xf32>) {
  affine.for %i = 0 to 4 {
    %t = memref.alloc() : memref<2xf32>
    %x = affine.load %A[%i] : memref<4xf32>
    affine.store %x, %t[0] : memref<2xf32>
    affine.store %x, %t[1] : memref<2xf32>
    %a = affine.load %t[0] : memref<2xf32>
    %b = affine.load %t[1] : memref<2xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %A[%i] : memref<4xf32>
    memref.dealloc %t : memref<2xf32>
  }
  return
}

// -----

func.func @copy_self(%A: memref<8xf32>) {
  memref.copy %A, %A : memref<8xf32> to memref<8xf32>
  return
}

// -----

func.func @copy_shift(%A: memref<8xf32>) {
  %a = memref.subview %A[0] [7] [1] : memref<8xf32> to memref<7xf32, strided<[1]>>
  %b = memref.subview %A[1] [7] [1] : memref<8xf32> to memref<7xf32, strided<[1], offset: 1>>
  memref.copy %b, %a : memref<7xf32, strided<[1], offset: 1>> to memref<7xf32, strided<[1]>>
  return
}

// -----

func.func @realloc(%A: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = memref.dim %A, %c0 : memref<?xf32>
  %t = memref.alloc(%k) : memref<?xf32>
  memref.copy %A, %t : memref<?xf32> to memref<?xf32>
  %m = arith.addi %k, %c1 : index
  %r = memref.realloc %t(%m) : memref<?xf32> to memref<?xf32>
  %z = arith.constant 3.0 : f32
  memref.store %z, %r[%k] : memref<?xf32>
  %x = memref.load %r[%c0] : memref<?xf32>
  %y = memref.load %r[%k] : memref<?xf32>
  %s = arith.addf %x, %y : f32
  memref.dealloc %r : memref<?xf32>
  return %s : f32
}

// -----

func.func @viewop(%A: memref<32xi8>, %o: index) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.view %A[%o][] : memref<32xi8> to memref<2x2xf32>
  %z = arith.constant 3.0 : f32
  affine.for %i = 0 to 2 {
   affine.for %j = 0 to 2 {
    affine.store %z, %v[%i, %j] : memref<2x2xf32>
   }
  }
  %x = memref.load %v[%c0, %c0] : memref<2x2xf32>
  return %x : f32
}

// -----

func.func @forall_shared(%A: tensor<8xf32>, %B: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %B) -> tensor<8xf32> {
    %off = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %a = tensor.extract_slice %A[%off] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %b = tensor.extract_slice %o[%off] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %c = arith.addf %a, %b : tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%off] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @for_tensor_swap(%A: tensor<4xf32>, %B: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %A, %b = %B) -> (tensor<4xf32>, tensor<4xf32>) {
    %s = arith.addf %a, %b : tensor<4xf32>
    scf.yield %b, %s : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @while_tensor(%A: tensor<4xf32>, %n: index) -> (tensor<4xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%a = %A, %i = %c0) : (tensor<4xf32>, index) -> (tensor<4xf32>, index) {
    %c = arith.cmpi slt, %i, %n : index
    %s = arith.addf %a, %A : tensor<4xf32>
    scf.condition(%c) %s, %i : tensor<4xf32>, index
  } do {
  ^bb0(%a: tensor<4xf32>, %i: index):
    %k = arith.addi %i, %c1 : index
    %m = arith.mulf %a, %a : tensor<4xf32>
    scf.yield %m, %k : tensor<4xf32>, index
  }
  return %r#0, %r#1 : tensor<4xf32>, index
}

// -----

func.func @call_alias_helper(%A: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %x = tensor.insert %z into %A[%c0] : tensor<4xf32>
  %y = tensor.insert %z into %A[%c0] : tensor<4xf32>
  %c1 = arith.constant 1 : index
  %y2 = tensor.insert %z into %y[%c1] : tensor<4xf32>
  %w = arith.addf %x, %A : tensor<4xf32>
  return %w, %y2 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @generate_dyn(%n: index, %m: index) -> tensor<?x?xindex> {
  %t = tensor.generate %n, %m {
  ^bb0(%i: index, %j: index):
    %s = arith.subi %i, %j : index
    tensor.yield %s : index
  } : tensor<?x?xindex>
  return %t : tensor<?x?xindex>
}

// -----

func.func @tobuffer_write(%A: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 9.0 : f32
  %m = bufferization.alloc_tensor() copy(%A) : tensor<4xf32>
  %i = tensor.insert %z into %m[%c0] : tensor<4xf32>
  %x = tensor.extract %A[%c0] : tensor<4xf32>
  return %i, %x : tensor<4xf32>, f32
}

// -----

func.func @vec_contract(%a: vector<4x5xf32>, %b: vector<5x3xf32>, %c: vector<4x3xf32>) -> vector<4x3xf32> {
  %0 = vector.contract {indexing_maps = [affine_map<(i,j,k)->(i,k)>, affine_map<(i,j,k)->(k,j)>, affine_map<(i,j,k)->(i,j)>], iterator_types = ["parallel","parallel","reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<4x5xf32>, vector<5x3xf32> into vector<4x3xf32>
  return %0 : vector<4x3xf32>
}

// -----

func.func @vec_multired(%a: vector<4x5xi32>, %c: vector<5xi32>) -> vector<5xi32> {
  %0 = vector.multi_reduction <maxsi>, %a, %c [0] : vector<4x5xi32> to vector<5xi32>
  return %0 : vector<5xi32>
}

// -----

func.func @vec_mask_read(%A: memref<?x?xf32>, %n: index, %m: index) -> vector<3x4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant -1.0 : f32
  %mask = vector.create_mask %n, %m : vector<3x4xi1>
  %0 = vector.transfer_read %A[%c0, %c0], %p, %mask : memref<?x?xf32>, vector<3x4xf32>
  return %0 : vector<3x4xf32>
}

// -----

func.func @vec_perm_read(%A: memref<?x?xf32>, %i: index) -> vector<3x2x4xf32> {
  %p = arith.constant -1.0 : f32
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %A[%i, %c0], %p {permutation_map = affine_map<(d0, d1) -> (d1, 0, d0)>, in_bounds = [false, true, false]} : memref<?x?xf32>, vector<3x2x4xf32>
  return %0 : vector<3x2x4xf32>
}

// -----

func.func @vec_write_oob(%A: memref<?x?xf32>, %v: vector<3x4xf32>, %i: index) {
  vector.transfer_write %v, %A[%i, %i] : vector<3x4xf32>, memref<?x?xf32>
  return
}

// -----

func.func @vec_write_tensor(%A: tensor<?x?xf32>, %v: vector<3x4xf32>, %i: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = vector.transfer_write %v, %A[%i, %i] : vector<3x4xf32>, tensor<?x?xf32>
  return %0, %A : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

func.func @vec_gather(%A: memref<8xf32>, %i: vector<4xindex>, %m: vector<4xi1>, %p: vector<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = vector.gather %A[%c0] [%i], %m, %p : memref<8xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

func.func @vec_scatter_dup(%A: memref<8xf32>, %i: vector<4xindex>, %m: vector<4xi1>, %v: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  vector.scatter %A[%c0] [%i], %m, %v : memref<8xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  return
}

// -----

func.func @vec_shapes(%a: vector<2x6xi32>) -> (vector<3x4xi32>, vector<6x2xi32>, vector<2x2x6xi32>, vector<1x2xi32>) {
  %0 = vector.shape_cast %a : vector<2x6xi32> to vector<3x4xi32>
  %1 = vector.transpose %a, [1, 0] : vector<2x6xi32> to vector<6x2xi32>
  %2 = vector.broadcast %a : vector<2x6xi32> to vector<2x2x6xi32>
  %3 = vector.extract_strided_slice %a {offsets = [1, 3], sizes = [1, 2], strides = [1, 1]} : vector<2x6xi32> to vector<1x2xi32>
  return %0, %1, %2, %3 : vector<3x4xi32>, vector<6x2xi32>, vector<2x2x6xi32>, vector<1x2xi32>
}

// -----

func.func @vec_insert(%a: vector<2x6xi32>, %b: vector<1x2xi32>, %s: i32, %n: index) -> vector<2x6xi32> {
  %0 = vector.insert_strided_slice %b, %a {offsets = [1, 2], strides = [1, 1]} : vector<1x2xi32> into vector<2x6xi32>
  %1 = vector.insert %s, %0 [0, 5] : i32 into vector<2x6xi32>
  return %1 : vector<2x6xi32>
}

// -----

func.func @pool(%a: tensor<1x6x6x3xf32>, %o: tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32> {
  %w = tensor.empty() : tensor<2x2xf32>
  %0 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%a, %w : tensor<1x6x6x3xf32>, tensor<2x2xf32>) outs(%o : tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32>
  return %0 : tensor<1x3x3x3xf32>
}

// -----

func.func @sdiv(%a: tensor<6xi32>, %b: tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>) {
  %c1 = arith.constant dense<1> : tensor<6xi32>
  %m = arith.maxsi %b, %c1 : tensor<6xi32>
  %0 = arith.divsi %a, %m : tensor<6xi32>
  %1 = arith.remsi %a, %m : tensor<6xi32>
  %2 = arith.ceildivsi %a, %m : tensor<6xi32>
  return %0, %1, %2 : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>
}

// -----

func.func @cf_loop(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^head(%c0, %c0 : i32, i32)
^head(%i: i32, %s: i32):
  %c = arith.cmpi slt, %i, %n : i32
  cf.cond_br %c, ^body, ^exit
^body:
  %s2 = arith.addi %s, %i : i32
  %i2 = arith.addi %i, %c1 : i32
  cf.br ^head(%i2, %s2 : i32, i32)
^exit:
  return %s : i32
}

// -----

func.func @switch(%n: index, %A: tensor<3xf32>) -> tensor<3xf32> {
  %r = scf.index_switch %n -> tensor<3xf32>
  case 1 { scf.yield %A : tensor<3xf32> }
  case 2 { %x = arith.addf %A, %A : tensor<3xf32>
    scf.yield %x : tensor<3xf32> }
  default { %x = arith.negf %A : tensor<3xf32>
    scf.yield %x : tensor<3xf32> }
  return %r : tensor<3xf32>
}

// -----

func.func @par_red(%A: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.5 : f32
  %n = memref.dim %A, %c0 : memref<?xf32>
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z) -> f32 {
    %x = memref.load %A[%i] : memref<?xf32>
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %q: f32):
      %s = arith.addf %l, %q : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// -----

func.func private @helper(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = arith.addf %a, %b : tensor<4xf32>
  return %b, %s : tensor<4xf32>, tensor<4xf32>
}
func.func @call_twice(%A: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = call @helper(%A, %A) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1:2 = call @helper(%0#1, %0#0) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func private @inplace(%a: memref<4xf32>, %b: memref<4xf32>) {
  affine.for %i = 0 to 4 {
    %x = affine.load %a[3 - %i] : memref<4xf32>
    affine.store %x, %b[%i] : memref<4xf32>
  }
  return
}
func.func @call_alias(%A: memref<4xf32>) {
  call @inplace(%A, %A) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @forall_steps(%A: tensor<10xf32>, %B: tensor<10xf32>) -> tensor<10xf32> {
  %r = scf.forall (%i) = (1) to (9) step (3) shared_outs(%o = %B) -> tensor<10xf32> {
    %a = tensor.extract_slice %A[%i] [2] [1] : tensor<10xf32> to tensor<2xf32>
    %n = arith.negf %a : tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %n into %o[%i] [2] [1] : tensor<2xf32> into tensor<10xf32>
    }
  }
  return %r : tensor<10xf32>
}

// -----

func.func @forall_two(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %r:2 = scf.forall (%i) in (4) shared_outs(%o = %A, %p = %e) -> (tensor<4x4xf32>, tensor<4xf32>) {
    %a = tensor.extract_slice %A[%i, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
    %b = tensor.extract_slice %o[0, %i] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
    %s = arith.addf %a, %b : tensor<4xf32>
    %c0 = arith.constant 0 : index
    %x = tensor.extract %s[%c0] : tensor<4xf32>
    %t = tensor.from_elements %x : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[0, %i] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
      tensor.parallel_insert_slice %t into %p[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4xf32>
}

// -----

func.func @empty_dims(%A: tensor<0x4xf32>, %B: tensor<4x3xf32>, %C: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<0x4xf32>, tensor<4x3xf32>) outs(%C : tensor<0x3xf32>) -> tensor<0x3xf32>
  return %r : tensor<0x3xf32>
}

// -----

func.func @empty_red(%A: tensor<3x0xf32>, %C: tensor<3xf32>) -> tensor<3xf32> {
  %z = arith.constant 0.25 : f32
  %f = linalg.fill ins(%z : f32) outs(%C : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.reduce ins(%A : tensor<3x0xf32>) outs(%f : tensor<3xf32>) dimensions = [1]
  (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return %r : tensor<3xf32>
}

// -----

func.func @cf_two_exits(%A: memref<8xi32>, %k: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %m1 = arith.constant -1 : i32
  cf.br ^h(%c0 : index)
^h(%i: index):
  %c = arith.cmpi slt, %i, %c8 : index
  cf.cond_br %c, ^b, ^none
^b:
  %x = memref.load %A[%i] : memref<8xi32>
  %e = arith.cmpi eq, %x, %k : i32
  cf.cond_br %e, ^hit, ^next
^next:
  %j = arith.addi %i, %c1 : index
  cf.br ^h(%j : index)
^hit:
  %r = arith.index_cast %i : index to i32
  return %r : i32
^none:
  return %m1 : i32
}

// -----

func.func @while_memref(%A: memref<8xi32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %z = arith.constant 5 : i32
  %r = scf.while (%i = %c0) : (index) -> index {
    %x = memref.load %A[%i] : memref<8xi32>
    %c = arith.cmpi slt, %x, %z : i32
    %d = arith.cmpi ult, %i, %c7 : index
    %e = arith.andi %c, %d : i1
    scf.condition(%e) %i : index
  } do {
  ^bb0(%i: index):
    %n = arith.addi %i, %c1 : index
    memref.store %z, %A[%i] : memref<8xi32>
    scf.yield %n : index
  }
  return %r : index
}

// -----

func.func @nested_iter(%A: memref<3x4xi32>) -> (i32, i32) {
  %z = arith.constant 0 : i32
  %r:2 = affine.for %i = 0 to 3 iter_args(%a = %z, %b = %z) -> (i32, i32) {
    %q:2 = affine.for %j = 0 to 4 iter_args(%c = %b, %d = %a) -> (i32, i32) {
      %x = affine.load %A[%i, %j] : memref<3x4xi32>
      %s = arith.addi %c, %x : i32
      %t = arith.xori %d, %s : i32
      affine.yield %t, %c : i32, i32
    }
    affine.yield %q#1, %q#0 : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}

// -----

func.func @aff_par_red(%A: memref<3x4xf32>) -> (f32, f32) {
  %r:2 = affine.parallel (%i, %j) = (0, 1) to (3, 4) reduce ("addf", "maximumf") -> (f32, f32) {
    %x = affine.load %A[%i, %j] : memref<3x4xf32>
    affine.yield %x, %x : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// -----

func.func @extract_in_body(%A: tensor<8xf32>, %I: tensor<4xindex>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%I : tensor<4xindex>) outs(%e : tensor<4xf32>) {
  ^bb0(%i: index, %o: f32):
    %x = tensor.extract %A[%i] : tensor<8xf32>
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @scan_like(%A: memref<8xf32>) {
  affine.for %i = 1 to 8 {
    %a = affine.load %A[%i - 1] : memref<8xf32>
    %b = affine.load %A[%i] : memref<8xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %A[%i] : memref<8xf32>
  }
  return
}

// -----

func.func @elementwise_bcast(%A: tensor<4xf32>, %B: tensor<3x4xf32>, %C: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = linalg.elementwise kind=#linalg.elementwise_kind<sub> indexing_maps = [affine_map<(d0,d1)->(d1)>, affine_map<(d0,d1)->(d0,d1)>, affine_map<(d0,d1)->(d0,d1)>] ins(%A, %B : tensor<4xf32>, tensor<3x4xf32>) outs(%C : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

func.func @contract_tr(%A: tensor<5x3xf32>, %B: tensor<4x5xf32>, %C: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = linalg.contract indexing_maps = [affine_map<(i,j,k)->(k,i)>, affine_map<(i,j,k)->(j,k)>, affine_map<(i,j,k)->(i,j)>] ins(%A, %B : tensor<5x3xf32>, tensor<4x5xf32>) outs(%C : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

func.func @carry_step(%A: tensor<12xf32>, %lb: index, %ub: index, %s: index) -> tensor<12xf32> {
  %c1 = arith.constant 1 : index
  %st = arith.addi %s, %c1 : index
  %z = arith.constant 7.0 : f32
  %c12 = arith.constant 12 : index
  %hi = arith.muli %ub, %st : index
  %h = arith.minsi %hi, %c12 : index
  %r = scf.for %i = %lb to %h step %st iter_args(%t = %A) -> tensor<12xf32> {
    %x = tensor.extract %t[%i] : tensor<12xf32>
    %y = arith.addf %x, %z : f32
    %n = tensor.insert %y into %t[%i] : tensor<12xf32>
    scf.yield %n : tensor<12xf32>
  }
  return %r : tensor<12xf32>
}

// -----

func.func @carry_step_arg(%A: tensor<12xf32>, %lb: index, %ub: index, %s: index) -> (tensor<12xf32>, f32) {
  %z = arith.constant 7.0 : f32
  %r:2 = scf.for %i = %lb to %ub step %s iter_args(%t = %A, %acc = %z) -> (tensor<12xf32>, f32) {
    %x = tensor.extract %t[%i] : tensor<12xf32>
    %y = arith.addf %x, %z : f32
    %n = tensor.insert %y into %t[%i] : tensor<12xf32>
    %m = arith.mulf %acc, %x : f32
    scf.yield %n, %m : tensor<12xf32>, f32
  }
  return %r#0, %r#1 : tensor<12xf32>, f32
}

// -----

func.func @forall_step(%A: tensor<12xf32>, %s: index) -> tensor<12xf32> {
  %r = scf.forall (%i) = (1) to (11) step (%s) shared_outs(%o = %A) -> tensor<12xf32> {
    %a = tensor.extract_slice %A[%i] [1] [1] : tensor<12xf32> to tensor<1xf32>
    %n = arith.negf %a : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %n into %o[%i] [1] [1] : tensor<1xf32> into tensor<12xf32>
    }
  }
  return %r : tensor<12xf32>
}

// -----

func.func @apply_in_body(%6: tensor<80x16xf32>, %arg0: index, %e : tensor<1x4xf32>) -> tensor<1x4xf32> {
  %c79 = arith.constant 79 : index
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]
  } outs(%e : tensor<1x4xf32>) {
  ^bb0(%out: f32):
    %2 = linalg.index 1 : index
    %3 = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%2, %arg0)
    %4 = affine.min affine_map<(d0) -> (d0, 14)>(%3)
    %extracted = tensor.extract %6[%c79, %4] : tensor<80x16xf32>
    linalg.yield %extracted : f32
  } -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// -----

func.func @forall_mem(%A: memref<12xf32>, %s: index) {
  %z = arith.constant 5.0 : f32
  scf.forall (%i) = (2) to (11) step (%s) {
    memref.store %z, %A[%i] : memref<12xf32>
  }
  return
}

// -----

func.func @forall_mem2(%A: memref<12x12xf32>, %s: index, %t: index) {
  scf.forall (%i, %j) = (2, 1) to (11, 12) step (%s, %t) {
    %x = memref.load %A[%i, %j] : memref<12x12xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %A[%i, %j] : memref<12x12xf32>
  }
  return
}

// -----

func.func @for_slice(%T: tensor<12xf32>, %s: index) -> tensor<12xf32> {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %s iter_args(%t = %T) -> tensor<12xf32> {
    %a = tensor.extract_slice %t[%i] [3] [1] : tensor<12xf32> to tensor<3xf32>
    %b = math.sqrt %a : tensor<3xf32>
    %n = tensor.insert_slice %b into %t[%i] [3] [1] : tensor<3xf32> into tensor<12xf32>
    scf.yield %n : tensor<12xf32>
  }
  return %r : tensor<12xf32>
}

// -----

func.func @reshape_batch(%arg0: tensor<?x2x3xf32>) -> tensor<3x?xf32> {
  %s = tosa.const_shape { values = dense<[3, -1]> : tensor<2xindex> } : () -> !tosa.shape<2>
  %0 = "tosa.reshape"(%arg0, %s) : (tensor<?x2x3xf32>, !tosa.shape<2>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}

// -----

func.func @reshape_scalar(%arg0: tensor<?x?xf32>) -> tensor<f32> {
  %s = tosa.const_shape { values = dense<> : tensor<0xindex> } : () -> !tosa.shape<0>
  %0 = "tosa.reshape"(%arg0, %s) : (tensor<?x?xf32>, !tosa.shape<0>) -> tensor<f32>
  return %0 : tensor<f32>
}
