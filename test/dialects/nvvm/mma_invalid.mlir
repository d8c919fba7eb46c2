// RUN: kc-opt %s --split-input-file --verify-diagnostics

llvm.func @refused(%f: f32, %h: vector<2xf16>) {
  // expected-error@+1 {{nvvm.mma.sync: m16n8k4 is not supported for f16}}
  %r = nvvm.mma.sync A[%h, %h] B[%h] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 4>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %f: f32) {
  // expected-error@+1 {{nvvm.mma.sync: m16n8k16 is not supported for untyped words}}
  %r = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%i: i32, %f: f32) {
  // expected-error@+1 {{nvvm.mma.sync: m16n8k16 is not supported for e4m3}}
  %r = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<e4m3>, multiplicandBPtxType = #nvvm.mma_type<e4m3>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%f: f32, %h: vector<2xf16>) {
  // expected-error@+1 {{nvvm.mma.sync: A is 2 of vector<2xf16>, not vector<2xf16>, vector<2xf16>, vector<2xf16>}}
  %r = nvvm.mma.sync A[%h, %h, %h] B[%h] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%f: f32, %h: vector<2xf16>) {
  // expected-error@+1 {{nvvm.mma.sync: B is 1 of vector<2xf16>, not vector<2xf16>, vector<2xf16>}}
  %r = nvvm.mma.sync A[%h, %h] B[%h, %h] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%f: f32, %h: vector<2xf16>) {
  // expected-error@+1 {{nvvm.mma.sync: C is 2 of vector<2xf16> or 4 of f32, not f32, f32, f32}}
  %r = nvvm.mma.sync A[%h, %h] B[%h] C[%f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%f: f32, %h: vector<2xf16>) {
  // expected-error@+1 {{nvvm.mma.sync: the result is !llvm.struct<(vector<2xf16>, vector<2xf16>)> or !llvm.struct<(f32, f32, f32, f32)>, not !llvm.struct<(f32, f32, f32)>}}
  %r = nvvm.mma.sync A[%h, %h] B[%h] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32)>
  llvm.return
}

// -----

llvm.func @refused(%i: i32) {
  // expected-error@+1 {{nvvm.mma.sync: b1 and nothing else has a b1Op}}
  %r = nvvm.mma.sync A[%i] B[%i] C[%i, %i] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<b1>, multiplicandBPtxType = #nvvm.mma_type<b1>, shape = #nvvm.shape<m = 8, n = 8, k = 128>} : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
  llvm.return
}

// -----

llvm.func @refused(%i: i32) {
  // expected-error@+1 {{nvvm.mma.sync: s8 needs an intOverflowBehavior}}
  %r = nvvm.mma.sync A[%i] B[%i] C[%i, %i] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 8, n = 8, k = 16>} : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
  llvm.return
}

// -----

llvm.func @refused(%f: f32, %h: vector<2xf16>) {
  // expected-error@+1 {{nvvm.mma.sync: the layouts are row and col, only m8n8k4 of f16 has others}}
  %r = nvvm.mma.sync A[%h, %h] B[%h] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<col>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

// mlir-opt accepts it.
llvm.func @refused(%i: i32, %f: f32) {
  // expected-error@+1 {{nvvm.mma.sync: bf16 is not multiplied by tf32}}
  %r = nvvm.mma.sync A[%i, %i] B[%i] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}
