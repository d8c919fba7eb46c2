// RUN: kc-opt %s --inject-copy-intrin --split-input-file --verify-diagnostics

func.func @sum(%A: memref<16xf32>, %B: memref<16xf32>) {
  // expected-error@+1 {{inject-copy-intrin: loop j has the pragma copy_intrin, but is not a copy}}
  tir.for %j in 16 annotations {pragma_copy_intrin = "copy"} {
    %a = tir.load %A[%j] : memref<16xf32>
    %b = arith.addf %a, %a : f32
    tir.store %b, %B[%j] : memref<16xf32>
  }
  func.return
}

// -----

func.func @turned(%A: memref<8x8xf32>, %B: memref<8x8xf32>) {
  // expected-error@+1 {{inject-copy-intrin: loop i has the pragma copy_intrin, but is not a copy}}
  tir.for %i in 8 annotations {pragma_copy_intrin = "copy"} {
    tir.for %j in 8 {
      %a = tir.load %A[%j, %i] : memref<8x8xf32>
      tir.store %a, %B[%i, %j] : memref<8x8xf32>
    }
  }
  func.return
}

// -----

func.func @every_other(%A: memref<32xf32>, %B: memref<16xf32>) {
  // expected-error@+1 {{inject-copy-intrin: loop j has the pragma copy_intrin, but is not a copy}}
  tir.for %j in 16 annotations {pragma_copy_intrin = "copy"} {
    %a = tir.load %A[%j * 2] : memref<32xf32>
    tir.store %a, %B[%j] : memref<16xf32>
  }
  func.return
}

// -----

func.func @itself(%A: memref<32xf32>) {
  // expected-error@+1 {{inject-copy-intrin: loop j has the pragma copy_intrin, but is not a copy}}
  tir.for %j in 16 annotations {pragma_copy_intrin = "copy"} {
    %a = tir.load %A[%j] : memref<32xf32>
    tir.store %a, %A[%j + 8] : memref<32xf32>
  }
  func.return
}

// -----

func.func @unknown_size(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  // expected-error@+1 {{inject-copy-intrin: loop j has the pragma copy_intrin, but is not a copy}}
  tir.for %j in %n annotations {pragma_copy_intrin = "copy"} {
    %a = tir.load %A[%j] : memref<?xf32>
    tir.store %a, %B[%j] : memref<?xf32>
  }
  func.return
}

// -----

func.func @no_name(%A: memref<32xf32>, %B: memref<32xf32>) {
  // expected-error@+1 {{inject-copy-intrin: loop j has the pragma copy_intrin, but is not a copy}}
  tir.for %j in 16 annotations {pragma_copy_intrin = 1 : i64} {
    %a = tir.load %A[%j] : memref<32xf32>
    tir.store %a, %B[%j] : memref<32xf32>
  }
  func.return
}
