// MLIR reads maps and their types, and kc what MLIR writes.
// REQUIRES: mlir
// RUN: kc-opt %S/tensor_map.mlir | mlir-opt | kc-opt | FileCheck %s
// CHECK: nvgpu.tma.create.descriptor %{{.*}} box[%{{.*}}, %{{.*}}] : memref<*xf16> -> <tensor = memref<16x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>
// CHECK: nvgpu.tma.create.descriptor %{{.*}} box[%{{.*}}] : memref<*xi8> -> <tensor = memref<16xi8, 3 : i64>, swizzle = none, l2promo = l2promo_64b, oob = zero, interleave = none>
