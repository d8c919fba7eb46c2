// RUN: kc-opt %s --split-input-file --verify-diagnostics

func.func @f(%m: memref<3xi64>) {
  // expected-error@+1 {{tir.mbarrier_init: a ring of mbarriers is a row of i64 in shared memory, not memref<3xi64>}}
  tir.mbarrier_init %m : memref<3xi64>
  func.return
}

// -----

func.func @f(%m: memref<2x3xi64, "shared">, %t: index) {
  // expected-error@+1 {{tir.mbarrier_expect: a ring of mbarriers is a row of i64 in shared memory, not memref<2x3xi64, "shared">}}
  tir.mbarrier_expect %m[%t], 16 : memref<2x3xi64, "shared">
  func.return
}

// -----

func.func @f(%m: memref<3xi64, "shared">, %t: index) {
  // expected-error@+2 {{tir.mbarrier_wait: expected one slot and one phase}}
  tir.mbarrier_wait %m[%t] phase [%t, %t] : memref<3xi64, "shared">
  func.return
}

// -----

func.func @f(%a: memref<8x16xf16>, %s: memref<8x16xf16>, %b: memref<1xi64, "shared">) {
  // expected-error@+1 {{tir.load_box: memref<8x16xf16> is not in shared memory}}
  tir.load_box %a, %s, %b : memref<8x16xf16>, memref<8x16xf16>, memref<1xi64, "shared">
  func.return
}

// -----

func.func @f(%a: memref<8x16xf16>, %s: memref<8x8xf16, "shared">, %b: memref<1xi64, "shared">) {
  // expected-error@+1 {{tir.load_box: memref<8x16xf16> is copied to memref<8x8xf16, "shared">}}
  tir.load_box %a, %s, %b : memref<8x16xf16>, memref<8x8xf16, "shared">, memref<1xi64, "shared">
  func.return
}

// -----

func.func @f(%a: memref<8x16xf16>, %s: memref<8x16xf16>) {
  // expected-error@+1 {{tir.store_box: memref<8x16xf16> is not in shared memory}}
  tir.store_box %s, %a : memref<8x16xf16>, memref<8x16xf16>
  func.return
}

// -----

func.func @f(%a: memref<8x8xf16>, %s: memref<8x16xf16, "shared">) {
  // expected-error@+1 {{tir.store_box: memref<8x16xf16, "shared"> is copied to memref<8x8xf16>}}
  tir.store_box %s, %a : memref<8x16xf16, "shared">, memref<8x8xf16>
  func.return
}

// -----

func.func @f(%m: memref<3xi64, "shared">) {
  // expected-error@+1 {{tir.mbarrier_init: a phase has 1 to 1048575 arrivals, not 0}}
  tir.mbarrier_init %m, 0 : memref<3xi64, "shared">
  func.return
}

// -----

func.func @f(%m: memref<3xi64>, %t: index) {
  // expected-error@+1 {{tir.mbarrier_arrive: a ring of mbarriers is a row of i64 in shared memory, not memref<3xi64>}}
  tir.mbarrier_arrive %m[%t] : memref<3xi64>
  func.return
}
