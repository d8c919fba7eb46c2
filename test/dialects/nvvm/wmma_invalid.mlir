// RUN: kc-opt %s --split-input-file --verify-diagnostics

llvm.func @refused(%p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{nvvm.wmma.load: m16n16k8 is not supported for f16 in A}}
  %0 = nvvm.wmma.load %p, %i {eltype = #nvvm.mma_type<f16>, frag = #nvvm.mma_frag<a>, k = 8 : i32, layout = #nvvm.mma_layout<row>, m = 16 : i32, n = 16 : i32} : (!llvm.ptr) -> !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{nvvm.wmma.load: the result is !llvm.struct<(i32, i32)>, not !llvm.struct<(i32)>}}
  %0 = nvvm.wmma.load %p, %i {eltype = #nvvm.mma_type<s8>, frag = #nvvm.mma_frag<b>, k = 16 : i32, layout = #nvvm.mma_layout<row>, m = 16 : i32, n = 16 : i32} : (!llvm.ptr) -> !llvm.struct<(i32)>
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %i: i32) {
  // expected-error@+1 {{nvvm.wmma.load: m8n8k4 is not supported for f32 in C}}
  %0 = nvvm.wmma.load %p, %i {eltype = #nvvm.mma_type<f32>, frag = #nvvm.mma_frag<c>, k = 4 : i32, layout = #nvvm.mma_layout<row>, m = 8 : i32, n = 8 : i32} : (!llvm.ptr) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%d: f64) {
  // expected-error@+1 {{nvvm.wmma.mma: m8n8k4 is not supported for f64 with sums of f32}}
  %0 = nvvm.wmma.mma %d, %d, %d, %d {eltypeA = #nvvm.mma_type<f64>, eltypeB = #nvvm.mma_type<f32>, k = 4 : i32, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, m = 8 : i32, n = 8 : i32} : (f64, f64, f64, f64) -> !llvm.struct<(f64, f64)>
  llvm.return
}

// -----

llvm.func @refused(%d: f64) {
  // expected-error@+1 {{nvvm.wmma.mma: the operands are 1 of f64, 1 of f64, 2 of f64, not f64, f64, f64}}
  %0 = nvvm.wmma.mma %d, %d, %d {eltypeA = #nvvm.mma_type<f64>, eltypeB = #nvvm.mma_type<f64>, k = 4 : i32, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, m = 8 : i32, n = 8 : i32} : (f64, f64, f64) -> !llvm.struct<(f64, f64)>
  llvm.return
}

// -----

llvm.func @refused(%d: f64) {
  // expected-error@+1 {{nvvm.wmma.mma: the result is !llvm.struct<(f64, f64)>, not !llvm.struct<(f64)>}}
  %0 = nvvm.wmma.mma %d, %d, %d, %d {eltypeA = #nvvm.mma_type<f64>, eltypeB = #nvvm.mma_type<f64>, k = 4 : i32, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, m = 8 : i32, n = 8 : i32} : (f64, f64, f64, f64) -> !llvm.struct<(f64)>
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %i: i32, %f: f32) {
  // expected-error@+1 {{nvvm.wmma.store: D is 8 of f32, not f32, f32}}
  nvvm.wmma.store %p, %i, %f, %f {eltype = #nvvm.mma_type<f32>, k = 16 : i32, layout = #nvvm.mma_layout<row>, m = 16 : i32, n = 16 : i32} : !llvm.ptr, f32, f32
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr, %i: i32, %f: f32) {
  // expected-error@+1 {{nvvm.wmma.store: m16n16k16 is not supported for bf16 in D}}
  nvvm.wmma.store %p, %i, %f {eltype = #nvvm.mma_type<bf16>, k = 16 : i32, layout = #nvvm.mma_layout<row>, m = 16 : i32, n = 16 : i32} : !llvm.ptr, f32
  llvm.return
}
