// RUN: kc-opt %s --split-input-file --verify-diagnostics

llvm.func @refused(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{nvvm.ldmatrix: the shape is 8x8 or 8x16 or 16x16, not 4x8}}
  %r = nvvm.ldmatrix %s {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 4, n = 8>} : (!llvm.ptr<3>) -> i32
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{nvvm.ldmatrix: of 8x8 the number of matrices is 1 or 2 or 4, not 3}}
  %r = nvvm.ldmatrix %s {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 3 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> i32
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{nvvm.ldmatrix: of 8x8 the element type is b16, not b8}}
  %r = nvvm.ldmatrix %s {eltType = #nvvm.ld_st_matrix_elt_type<b8>, layout = #nvvm.mma_layout<row>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> i32
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{nvvm.ldmatrix: of 16x16 the layout is col, not row}}
  %r = nvvm.ldmatrix %s {eltType = #nvvm.ld_st_matrix_elt_type<b8>, layout = #nvvm.mma_layout<row>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>) {
  // expected-error@+1 {{nvvm.ldmatrix: the result is !llvm.struct<(i32, i32, i32, i32)>, not i32}}
  %r = nvvm.ldmatrix %s {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> i32
  llvm.return
}

// -----

llvm.func @refused(%p: !llvm.ptr) {
  // expected-error@+1 {{expected attribute !llvm.ptr<3> but got !llvm.ptr}}
  %r = nvvm.ldmatrix %p {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr) -> i32
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{nvvm.stmatrix: of 8x8 the number of matrices is 1 or 2 or 4, not 3}}
  nvvm.stmatrix %s, %i, %i, %i {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{nvvm.stmatrix: the shape is 8x8 or 16x8, not 16x16}}
  nvvm.stmatrix %s, %i {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>} : !llvm.ptr<3>, i32
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{nvvm.stmatrix: of 16x8 the layout is col, not row}}
  nvvm.stmatrix %s, %i {eltType = #nvvm.ld_st_matrix_elt_type<b8>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 8>} : !llvm.ptr<3>, i32
  llvm.return
}

// -----

llvm.func @refused(%s: !llvm.ptr<3>, %i: i32) {
  // expected-error@+1 {{nvvm.stmatrix: of 16x8 the element type is b8, not b16}}
  nvvm.stmatrix %s, %i {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 8>} : !llvm.ptr<3>, i32
  llvm.return
}
