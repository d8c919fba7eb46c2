// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

// Maps of arrays of two dimensions and of one, with all words of their type.
// CHECK-LABEL: func.func @maps(%A: memref<64x128xf16>, %B: memref<?xi8>, %m: !nvgpu.tensormap.descriptor<tensor = memref<1x64x32xbf16, 3 : i64>, swizzle = swizzle_64b, l2promo = none, oob = nan, interleave = interleave_16b>)
func.func @maps(%A: memref<64x128xf16>, %B: memref<?xi8>, %m: !nvgpu.tensormap.descriptor<tensor = memref<1x64x32xbf16, 3>, swizzle = swizzle_64b, l2promo = none, oob = nan, interleave = interleave_16b>) {
  %c64 = arith.constant 64 : index
  %c16 = arith.constant 16 : index
  %all = memref.cast %A : memref<64x128xf16> to memref<*xf16>
  // CHECK: %map = nvgpu.tma.create.descriptor %all box[%c16, %c64] : memref<*xf16> -> <tensor = memref<16x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>
  %map = nvgpu.tma.create.descriptor %all box[%c16, %c64] : memref<*xf16> -> <tensor = memref<16x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>
  %bytes = memref.cast %B : memref<?xi8> to memref<*xi8>
  // CHECK: nvgpu.tma.create.descriptor %bytes box[%c16] : memref<*xi8> -> <tensor = memref<16xi8, 3 : i64>, swizzle = none, l2promo = l2promo_64b, oob = zero, interleave = none>
  %row = nvgpu.tma.create.descriptor %bytes box[%c16] : memref<*xi8> -> !nvgpu.tensormap.descriptor<tensor = memref<16xi8, 3>, swizzle = none, l2promo = l2promo_64b, oob = zero, interleave = none>
  func.return
}
