// RUN: kc-opt %s --split-input-file --verify-diagnostics

llvm.func @refused(%l: i64, %zf32x4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{nvvm.wgmma.mma_async: of f16, m is 64, n a multiple of 8 up to 256, and k 16, not 64, 8 and 8}}
  %r = nvvm.wgmma.mma_async %l, %l, %zf32x4, <m = 64, n = 8, k = 8>, D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%l: i64, %zf32x4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{nvvm.wgmma.mma_async: of f16, m is 64, n a multiple of 8 up to 256, and k 16, not 64, 12 and 16}}
  %r = nvvm.wgmma.mma_async %l, %l, %zf32x4, <m = 64, n = 12, k = 16>, D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%l: i64, %zf32x4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{nvvm.wgmma.mma_async: D is a struct of 8 f32, not !llvm.struct<(f32, f32, f32, f32)>}}
  %r = nvvm.wgmma.mma_async %l, %l, %zf32x4, <m = 64, n = 16, k = 16>, D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%l: i64, %zf32x4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{nvvm.wgmma.mma_async: products of f16 and bf16 cannot be added to f32}}
  %r = nvvm.wgmma.mma_async %l, %l, %zf32x4, <m = 64, n = 8, k = 16>, D [<f32>, <one>], A [<f16>, <one>, <row>], B [<bf16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%l: i64, %zf32x4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{nvvm.wgmma.mma_async: of tf32, the layouts are row and col}}
  %r = nvvm.wgmma.mma_async %l, %l, %zf32x4, <m = 64, n = 8, k = 8>, D [<f32>, <one>], A [<tf32>, <one>, <col>], B [<tf32>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%l: i64, %zf32x4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{nvvm.wgmma.mma_async: only s32 saturates, not f32}}
  %r = nvvm.wgmma.mma_async %l, %l, %zf32x4, <m = 64, n = 8, k = 16>, D [<f32>, <one>, <satfinite>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%l: i64, %zi32x4: !llvm.struct<(i32, i32, i32, i32)>) {
  // expected-error@+1 {{nvvm.wgmma.mma_async: of s8, the scales are one}}
  %r = nvvm.wgmma.mma_async %l, %l, %zi32x4, <m = 64, n = 8, k = 32>, D [<s32>, <one>], A [<s8>, <neg>, <row>], B [<s8>, <one>, <col>] : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// -----

// mlir-opt accepts it.
llvm.func @refused(%l: i64, %zf32x4: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error@+1 {{nvvm.wgmma.mma_async: D is a struct of 4 i32, not !llvm.struct<(f32, f32, f32, f32)>}}
  %r = nvvm.wgmma.mma_async %l, %l, %zf32x4, <m = 64, n = 8, k = 32>, D [<s32>, <one>], A [<s8>, <one>, <row>], B [<s8>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}
