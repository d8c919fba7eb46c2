// RUN: kc-opt %s --split-input-file --verify-diagnostics --raise-to-tir

func.func @reshape(%a: tensor<8xf32>, %s: tensor<1xindex>) -> tensor<?xf32> {
  // expected-error@+1 {{raise-to-tir: tensor.reshape to sizes that are loaded has no counterpart in tir}}
  %r = tensor.reshape %a(%s) : (tensor<8xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @size(%a: memref<1xi32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %l = memref.load %a[%c0] : memref<1xi32>
  %n = arith.index_cast %l : i32 to index
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{raise-to-tir: the size of result 0 of @size is not a function of the sizes of its arguments}}
  return %f : tensor<?xf32>
}

// -----

// expected-error@+1 {{raise-to-tir: memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>> has a layout}}
func.func @layout(%a: memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>, %b: memref<4x4xf32>) {
  linalg.copy ins(%a : memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>) outs(%b : memref<4x4xf32>)
  return
}

// -----

func.func @view(%a: memref<8xf32>) {
  %v = memref.subview %a[1] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 1>>
  // expected-error@+1 {{raise-to-tir: func.call takes a view of a buffer}}
  call @callee(%v) : (memref<4xf32, strided<[1], offset: 1>>) -> ()
  return
}
func.func private @callee(memref<4xf32, strided<[1], offset: 1>>)

// -----

func.func @stride(%a: memref<8xf32>, %b: memref<4xf32>, %n: index) {
  // expected-error@+1 {{raise-to-tir: memref.subview with a non-constant stride has no counterpart in tir}}
  %v = memref.subview %a[0] [4] [%n] : memref<8xf32> to memref<4xf32, strided<[?]>>
  memref.copy %v, %b : memref<4xf32, strided<[?]>> to memref<4xf32>
  return
}

// -----

func.func @several(%a: memref<8xf32>, %b: memref<4xf32>) {
  // expected-error@+1 {{raise-to-tir: memref.reinterpret_cast is not a view that maps its indices to those of its buffer}}
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [4], strides: [0] : memref<8xf32> to memref<4xf32, strided<[0]>>
  memref.copy %v, %b : memref<4xf32, strided<[0]>> to memref<4xf32>
  return
}

// -----

func.func @meaning(%a: memref<8xi32>, %b: memref<8xi32>) {
  // expected-error@+1 {{raise-to-tir: linalg.exp does not define its computation}}
  linalg.exp ins(%a : memref<8xi32>) outs(%b : memref<8xi32>)
  return
}

// -----

func.func @large(%x: tensor<2048xf32>) -> tensor<2048xf32> {
  // expected-error@+1 {{raise-to-tir: a constant tensor without its elements}}
  %w = arith.constant dense_resource<weights> : tensor<2048xf32>
  %e = tensor.empty() : tensor<2048xf32>
  %y = linalg.add ins(%x, %w : tensor<2048xf32>, tensor<2048xf32>) outs(%e : tensor<2048xf32>) -> tensor<2048xf32>
  return %y : tensor<2048xf32>
}

// -----

func.func @carried(%a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error@+1 {{raise-to-tir: this affine.for is not a loop of tir}}
  %r = affine.for %i = 0 to 8 iter_args(%p = %a) -> (memref<8xf32>) {
    affine.yield %b : memref<8xf32>
  }
  return
}

// -----

// expected-error@+1 {{raise-to-tir: @buffer returns a memref}}
func.func @buffer(%a: tensor<?xf32>) -> memref<?xf32> {
  %r = bufferization.to_buffer %a : tensor<?xf32> to memref<?xf32>
  return %r : memref<?xf32>
}

// -----

func.func @loop(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{raise-to-tir: scf.for that carries a tensor whose size changes has no counterpart in tir}}
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%t = %a) -> (tensor<?xf32>) {
    %u = tensor.concat dim(0) %t, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @branch(%a: tensor<?xf32>, %i: memref<1xindex>, %c: i1) -> tensor<?xf32> {
  // expected-error@+1 {{raise-to-tir: scf.if that gives a tensor of dynamic size has no counterpart in tir}}
  %r = scf.if %c -> (tensor<?xf32>) {
    %c0 = arith.constant 0 : index
    %n = memref.load %i[%c0] : memref<1xindex>
    %t = tensor.extract_slice %a[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %t : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @step(%a: memref<8xf32>) {
  %n = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{raise-to-tir: this scf.forall is not a loop of tir}}
  scf.forall (%i) = (0) to (8) step (%n) {
    memref.store %z, %a[%i] : memref<8xf32>
  }
  return
}

// -----

func.func @last(%a: memref<8xf32>) {
  // expected-error@+1 {{raise-to-tir: this affine.parallel is not a loop of tir}}
  %r = affine.parallel (%i) = (0) to (8) reduce ("assign") -> (f32) {
    %x = affine.load %a[%i] : memref<8xf32>
    affine.yield %x : f32
  }
  return
}

// -----

func.func @asserted(%a: memref<8xf32>, %m: memref<index>) {
  %c8 = arith.constant 8 : index
  %n = memref.load %m[] : memref<index>
  %ok = arith.cmpi slt, %n, %c8 : index
  // expected-error@+1 {{raise-to-tir: cf.assert of a condition that is not known to hold has no counterpart in tir}}
  cf.assert %ok, "n is too large"
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %a[%i] : memref<8xf32>
  }
  return
}

// -----

func.func @dimension(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c7 = arith.constant 7 : index
  // expected-error@+1 {{raise-to-tir: tensor.dim of dimension 7, and tensor<?xf32> has 1}}
  %n = tensor.dim %a, %c7 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

func.func @not_held(%a: memref<8xf32>) {
  %false = arith.constant false
  // expected-error@+1 {{raise-to-tir: cf.assert of a condition that is not known to hold has no counterpart in tir}}
  cf.assert %false, "always said"
  linalg.exp ins(%a : memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// -----

func.func @of_different_sizes(%a: memref<8xf32>, %n: index, %m: index) {
  %same = arith.cmpi ne, %n, %m : index
  // expected-error@+1 {{raise-to-tir: cf.assert of a condition that is not known to hold has no counterpart in tir}}
  cf.assert %same, "n is m"
  linalg.exp ins(%a : memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// -----

func.func @of_two_constants(%a: memref<8xf32>) {
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %same = arith.cmpi eq, %three, %four : i64
  // expected-error@+1 {{raise-to-tir: the sizes of cf.assert do not fit: 3 is not 4}}
  cf.assert %same, "3 is not 4"
  linalg.exp ins(%a : memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// -----

func.func @without_maps(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error@+1 {{raise-to-tir: linalg.contract does not define its computation}}
  %r = linalg.contract ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

func.func @strides(%a: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>, %o: tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> {
  // expected-error@+1 {{raise-to-tir: linalg.conv_2d_nchw_fchw does not define its computation}}
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<1xi64>} ins(%a, %w : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>) outs(%o : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  return %0 : tensor<1x8x6x6xf32>
}

// -----

func.func @standing(%a: memref<8xf32>, %z: f32) {
  // expected-error@+1 {{raise-to-tir: this affine.for is not a loop of tir}}
  affine.for %i = 0 to 8 step 0 {
    affine.store %z, %a[%i] : memref<8xf32>
  }
  return
}

// -----

func.func @unranked() {
  // expected-error@+1 {{raise-to-tir: tensor<*xf32> in bufferization.alloc_tensor has no counterpart in tir}}
  %0 = bufferization.alloc_tensor() : tensor<*xf32>
  return
}

// -----

func.func @narrow(%A: memref<8xindex>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %A[%c0] : memref<8xindex>
  %y = arith.index_cast %x : index to i8
  %z = arith.index_cast %y : i8 to index
  %same = arith.cmpi eq, %x, %z : index
  // expected-error@+1 {{raise-to-tir: cf.assert of a condition that is not known to hold has no counterpart in tir}}
  cf.assert %same, "as far as 8 bits hold it"
  return
}

// -----

func.func @complex() -> tensor<complex<i32>> {
  // expected-error@+1 {{raise-to-tir: a constant of type tensor<complex<i32>> has no counterpart in tir}}
  %c = arith.constant dense<(1, 2)> : tensor<complex<i32>>
  return %c : tensor<complex<i32>>
}

// -----

module attributes {gpu.container_module} {
gpu.module @m {
  gpu.func @k(%A: memref<8x4xf32, strided<[1, 8]>>) kernel {
    gpu.return
  }
}
func.func @main(%A: memref<4x8xf32>) {
  %c1 = arith.constant 1 : index
  %S = memref.transpose %A (i, j) -> (j, i) : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
  // expected-error@+1 {{raise-to-tir: gpu.launch_func uses a view that is not a part of a buffer}}
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%S : memref<8x4xf32, strided<[1, 8]>>)
  func.return
}
}

// -----

func.func @slice_of_lower_rank(%a: tensor<4x5x6xf32>, %b: tensor<5xf32>) -> tensor<4x5x6xf32> {
  // expected-error@+1 {{raise-to-tir: tensor.insert_slice of sizes [1, 5, 0] does not give the shape [5]}}
  %r = tensor.insert_slice %b into %a[0, 0, 3] [1, 5, 0] [1, 1, 1] : tensor<5xf32> into tensor<4x5x6xf32>
  return %r : tensor<4x5x6xf32>
}

// -----

func.func @matrices_of_f128(%f: tensor<2x3x3x5xf128>, %e: tensor<6x6x5x2xf128>) -> tensor<6x6x5x2xf128> {
  // expected-error@+1 {{raise-to-tir: linalg.winograd_filter_transform of f128 has no counterpart in tir}}
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xf128>) outs(%e : tensor<6x6x5x2xf128>) -> tensor<6x6x5x2xf128>
  return %0 : tensor<6x6x5x2xf128>
}
