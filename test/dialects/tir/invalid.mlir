// RUN: kc-opt %s --split-input-file --verify-diagnostics

func.func @f() {
  // expected-error@+1 {{tir.for: loop i has the extent -1; an extent is at least 0}}
  tir.for %i in -1 {
  }
  func.return
}

// -----

func.func @f(%A: memref<4x4xf32>) {
  tir.for %i in 4 {
    // expected-error@+1 {{tir.load: 1 indices for a buffer of rank 2 (memref<4x4xf32>)}}
    %a = tir.load %A[%i] : memref<4x4xf32>
  }
  func.return
}

// -----

func.func @f(%A: memref<4xvector<8xf32>>) {
  // expected-error@+1 {{tir.load: the elements of memref<4xvector<8xf32>> are of type vector<8xf32>; those of a buffer are scalars}}
  %a = tir.load %A[0] : memref<4xvector<8xf32>>, vector<8xf32>
  func.return
}

// -----

func.func @f(%A: memref<4xmemref<2xf32>>, %m: memref<2xf32>) {
  // expected-error@+1 {{tir.store: the elements of memref<4xmemref<2xf32>> are of type memref<2xf32>; those of a buffer are scalars}}
  tir.store %m, %A[0] : memref<4xmemref<2xf32>>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{tir.alloc: the elements of memref<4xtensor<2xf32>> are of type tensor<2xf32>; those of a buffer are scalars}}
  %A = tir.alloc "A" : memref<4xtensor<2xf32>>
  func.return
}

// -----

func.func @f(%A: memref<4xf32>, %x: f64) {
  // expected-error@+1 {{tir.store: value of type f64 for a buffer of f32}}
  "tir.store"(%x, %A) <{indices = affine_map<() -> (0)>}> : (f64, memref<4xf32>) -> ()
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{tir.alloc: buffer b has 1 dynamic dimensions but 0 sizes}}
  %b = tir.alloc "b" : memref<?xf32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{tir.alloc: tir.storage_align of buffer b has the entry array<i64: 2, 8, 0>; it has a dimension (0 to 1), a factor, and an offset less than that}}
  %b = tir.alloc "b" {tir.storage_align = [array<i64: 2, 8, 0>]} : memref<4x4xf32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{tir.alloc: tir.storage_align of buffer b aligns a dimension twice}}
  %b = tir.alloc "b" {tir.storage_align = [array<i64: 0, 8, 0>, array<i64: 0, 4, 1>]} : memref<4x4xf32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{tir.alloc: tir.axis_separators of buffer b is array<i64: 2>; separators are between its 2 dimensions, in increasing order}}
  %b = tir.alloc "b" {tir.axis_separators = array<i64: 2>} : memref<4x4xf32>
  func.return
}

// -----

func.func @f(%A: memref<4xf32>) {
  tir.for %i in 4 {
    // expected-error@+1 {{tir.block: block B has an init but no reduce variable}}
    tir.block "B" (spatial %v_i in 4 = %i) init {
    } do {
    }
  }
  func.return
}

// -----

func.func @f(%A: memref<4xf32>) {
  tir.for %k in 4 {
    // expected-error@+1 {{tir.block: the init of block B uses the reduce variable v_k}}
    tir.block "B" (reduce %v_k in 4 = %k) init {
      %a = tir.load %A[%v_k] : memref<4xf32>
    } do {
    }
  }
  func.return
}

// -----

func.func @f(%i: index) {
  // expected-error@+1 {{tir.linearize: 1 indices and 2 sizes; one size an index, and at least one}}
  %l = tir.linearize [%i] by [%i, %i]
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{tir.for: the name 'a b' is not an identifier}}
  tir.for %i "a b" in 4 {
  }
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{tir.for: loop i is bound to 'threadIdx.w'; the thread axes are blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, vthread, vthread.x, vthread.y, vthread.z}}
  tir.for %i in 4 thread "threadIdx.w" {
  }
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{tir.for: loop i is thread and has no thread axis; loops of kind thread have one, and no others do}}
  "tir.for"() <{loop_name = "i", extent = 4 : i64, kind = #tir<for_kind thread>}> ({
  ^bb0(%i: index):
  }) : () -> ()
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{tir.for: loop i is serial and has a thread axis; loops of kind thread have one, and no others do}}
  "tir.for"() <{loop_name = "i", extent = 4 : i64, kind = #tir<for_kind serial>, thread_axis = "threadIdx.x"}> ({
  ^bb0(%i: index):
  }) : () -> ()
  func.return
}

// -----

func.func @branches(%q: i1) {
  cf.cond_br %q, ^a, ^b
^a:
  // expected-error@+1 {{tir.for: it is in a region of several blocks; loops and conditions of tir do not mix with branches (cf)}}
  tir.for %i in 8 {
  }
  cf.br ^b
^b:
  func.return
}

// -----

func.func @branches(%q: i1) {
  cf.cond_br %q, ^a, ^b
^a:
  // expected-error@+1 {{tir.block: it is in a region of several blocks; loops and conditions of tir do not mix with branches (cf)}}
  tir.block "B" () do {
  }
  cf.br ^b
^b:
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{tir.for: loop w of kind while has 0 tir.condition; it has one}}
  tir.for %w in 9223372036854775807 while {
  }
  func.return
}

// -----

func.func @f(%c: i1) {
  // expected-error@+1 {{tir.for: loop w of kind while has another extent than 9223372036854775807}}
  tir.for %w in 8 while {
    tir.condition %c
  }
  func.return
}

// -----

func.func @f(%A: memref<4xf32>, %c: i1) {
  // expected-error@+1 {{tir.for: the variable of loop w is used; one of kind while counts nothing}}
  tir.for %w in 9223372036854775807 while {
    %a = tir.load %A[%w] : memref<4xf32>
    tir.condition %c
  }
  func.return
}

// -----

func.func @f(%c: i1) {
  tir.for %i in 8 {
    // expected-error@+1 {{tir.condition: loop i is serial; one of kind while goes on by a condition}}
    tir.condition %c
  }
  func.return
}

// -----

func.func @extreme(%n: index) {
  // expected-error@+1 {{the min of at least two expressions is expected}}
  %a = tir.apply min(%n)
  func.return
}

// -----

func.func @extreme(%n: index) {
  // expected-error@+1 {{tir.apply: the extreme is "sum"; it is "min" or "max"}}
  %a = "tir.apply"(%n) <{map = affine_map<(d0) -> (d0, 0)>, extreme = "sum"}> : (index) -> index
  func.return
}

// -----

func.func @extreme(%n: index) {
  // expected-error@+1 {{tir.apply: the map has 2 results, not 1; several have an extreme, "min" or "max"}}
  %a = "tir.apply"(%n) <{map = affine_map<(d0) -> (d0, 0)>}> : (index) -> index
  func.return
}

// -----

func.func @extreme(%n: index) {
  // expected-error@+1 {{tir.apply: 2 results in groups of 2, 1; there must be at least two groups, each of at least one result, and their sizes must add up to the number of results}}
  %a = "tir.apply"(%n) <{map = affine_map<(d0) -> (d0, 0)>, extreme = "min", groups = array<i32: 2, 1>}> : (index) -> index
  func.return
}
