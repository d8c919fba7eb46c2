// RUN: kc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{nvgpu.tensormap.descriptor: swizzle is swizzle_16b, but must be one of none, swizzle_32b, swizzle_64b, swizzle_128b}}
func.func private @f(!nvgpu.tensormap.descriptor<tensor = memref<8x64xf16, 3>, swizzle = swizzle_16b, l2promo = none, oob = zero, interleave = none>)

// -----

// expected-error@+1 {{nvgpu.tensormap.descriptor: memref<8x64xf16> is not in shared memory}}
func.func private @f(!nvgpu.tensormap.descriptor<tensor = memref<8x64xf16>, swizzle = none, l2promo = none, oob = zero, interleave = none>)

// -----

// expected-error@+1 {{nvgpu.tensormap.descriptor: a tensor has 1 to 5 dimensions, not 6}}
func.func private @f(!nvgpu.tensormap.descriptor<tensor = memref<1x1x1x1x8x64xf16, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>)

// -----

// expected-error@+1 {{nvgpu.tensormap.descriptor: a box has 1 to 256 elements along a dimension, not 512}}
func.func private @f(!nvgpu.tensormap.descriptor<tensor = memref<512x64xf16, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>)

// -----

// expected-error@+1 {{nvgpu.tensormap.descriptor: rows of a box are multiples of 16 bytes, and not 8}}
func.func private @f(!nvgpu.tensormap.descriptor<tensor = memref<8x4xf16, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>)

// -----

// expected-error@+1 {{nvgpu.tensormap.descriptor: rows of a box have 256 bytes, and swizzle_128b is of at most 128}}
func.func private @f(!nvgpu.tensormap.descriptor<tensor = memref<8x128xf16, 3>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>)

// -----

func.func @f(%A: memref<*xf32>) {
  %c8 = arith.constant 8 : index
  // expected-error@+1 {{nvgpu.tma.create.descriptor: a map of f32 for boxes of f16}}
  %map = nvgpu.tma.create.descriptor %A box[%c8] : memref<*xf32> -> <tensor = memref<8xf16, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
  func.return
}

// -----

func.func @f(%A: memref<*xf16>) {
  %c8 = arith.constant 8 : index
  // expected-error@+1 {{nvgpu.tma.create.descriptor: 1 sizes for 2 dimensions}}
  %map = nvgpu.tma.create.descriptor %A box[%c8] : memref<*xf16> -> <tensor = memref<8x8xf16, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
  func.return
}
