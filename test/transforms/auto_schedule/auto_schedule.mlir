// A schedule is chosen for tensor expressions, which are lowered first, and for loops as they are
// lowered to; the target here has vectors of 8 floats and 16 registers of them.
// RUN: kc-opt %s --auto-schedule | FileCheck %s
// RUN: kc-opt %s --convert-te-to-tir | kc-opt - --auto-schedule | FileCheck %s
// RUN: kc-opt %s --auto-schedule --mlir-timing 2>&1 | FileCheck %s --check-prefix=TIMING

// TIMING: convert-te-to-tir
// TIMING: auto-schedule

// 6 rows of 16 columns: 12 sums, two vectors of %B and one element of %A at a time. The columns of
// %B that a tile needs are packed where it is computed; sums and bias meet in registers.
// CHECK-LABEL: func.func @dense
// CHECK:       tir.for %j_o in 32
// CHECK:         tir.for %v0 in 512 {
// CHECK-NEXT:      tir.for %v1 in 16 vectorized {
// CHECK-NEXT:        tir.block "B_global"
// CHECK:         tir.for %i_o in 86 annotations {pragma_loop_partition_hint = true} {
// CHECK-NEXT:      tir.for %i_i_init in 6 unrolled {
// CHECK-NEXT:        tir.for %j_i_init in 16 vectorized {
// CHECK-NEXT:          tir.block "C_init"
// CHECK:           tir.for %k in 512 {
// CHECK-NEXT:        tir.for %i_i in 6 unrolled {
// CHECK-NEXT:          tir.for %j_i in 16 vectorized {
// CHECK-NEXT:            tir.block "C"
// CHECK:           tir.for %{{.*}} in 6 {
// CHECK-NEXT:        tir.for %{{.*}} in 16 vectorized {
// CHECK-NEXT:          tir.block "E"
te.func @dense(%A: tensor<512x512xf32>, %B: tensor<512x512xf32>, %D: tensor<512xf32>) -> tensor<512x512xf32> {
  %C = te.compute "C" [%i = 512, %j = 512] reduce sum [%k = 512] {
    %a = te.read %A[%i, %k] : tensor<512x512xf32>
    %b = te.read %B[%k, %j] : tensor<512x512xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<512x512xf32>
  %E = te.compute "E" [%i = 512, %j = 512] {
    %c = te.read %C[%i, %j] : tensor<512x512xf32>
    %d = te.read %D[%j] : tensor<512xf32>
    %s = arith.addf %c, %d : f32
    te.yield %s : f32
  } : tensor<512x512xf32>
  te.return %E : tensor<512x512xf32>
}

// The copy is computed where it is read, and all of it runs in vectors, which go on from row to row:
// a row is no whole number of them.
// CHECK-LABEL: func.func @chain
// CHECK-NOT:   tir.alloc
// CHECK:       tir.for %ax0 in 6400 vectorized {
// CHECK-NEXT:    tir.block "Y"
// CHECK-NEXT:      %a = tir.load %A[%v_ax0 floordiv 100, %v_ax0 mod 100]
// CHECK-NOT:   tir.for
te.func @chain(%A: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %X = te.compute "X" [%i = 64, %j = 100] {
    %a = te.read %A[%i, %j] : tensor<64x100xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<64x100xf32>
  %Y = te.compute "Y" [%i = 64, %j = 100] {
    %x = te.read %X[%i, %j] : tensor<64x100xf32>
    %y = arith.mulf %x, %x : f32
    te.yield %y : f32
  } : tensor<64x100xf32>
  te.return %Y : tensor<64x100xf32>
}

// Sums of rows: the lanes of the reduction have results of their own.
// CHECK-LABEL: func.func @rows
// CHECK-NEXT:  tir.for %i in 64 {
// CHECK-NEXT:    tir.for %k in 1000 vectorized {
// CHECK-NEXT:      tir.block "S"
te.func @rows(%A: tensor<64x1000xf32>) -> tensor<64xf32> {
  %S = te.compute "S" [%i = 64] reduce sum [%k = 1000] {
    %a = te.read %A[%i, %k] : tensor<64x1000xf32>
    te.yield %a : f32
  } : tensor<64xf32>
  te.return %S : tensor<64xf32>
}

// Sums of columns: eight rows at a time are added to four vectors of sums.
// CHECK-LABEL: func.func @columns
// CHECK:       tir.for %k_o in 8 {
// CHECK-NEXT:    tir.for %j_o in 7 annotations {pragma_loop_partition_hint = true} {
// CHECK-NEXT:      tir.for %k_i in 8 unrolled {
// CHECK-NEXT:        tir.for %j_i in 32 vectorized {
// CHECK-NEXT:          tir.block "S"
te.func @columns(%A: tensor<64x200xf32>) -> tensor<200xf32> {
  %S = te.compute "S" [%j = 200] reduce sum [%k = 64] {
    %a = te.read %A[%k, %j] : tensor<64x200xf32>
    te.yield %a : f32
  } : tensor<200xf32>
  te.return %S : tensor<200xf32>
}

// A row of a softmax is finished before the next one is begun.
// CHECK-LABEL: func.func @softmax
// CHECK:       tir.for %i in 64 {
// CHECK:         tir.block "top"
// CHECK:         tir.for %{{.*}} in 128 vectorized {
// CHECK-NEXT:      tir.block "power"
// CHECK:         tir.block "total"
// CHECK:         tir.for %j in 128 vectorized {
// CHECK-NEXT:      tir.block "O"
// CHECK-NOT:   tir.for %i
te.func @softmax(%X: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %T = te.compute "top" [%i = 64] reduce max [%k = 128] {
    %x = te.read %X[%i, %k] : tensor<64x128xf32>
    te.yield %x : f32
  } : tensor<64xf32>
  %P = te.compute "power" [%i = 64, %j = 128] {
    %x = te.read %X[%i, %j] : tensor<64x128xf32>
    %t = te.read %T[%i] : tensor<64xf32>
    %d = arith.subf %x, %t : f32
    %p = math.exp %d : f32
    te.yield %p : f32
  } : tensor<64x128xf32>
  %S = te.compute "total" [%i = 64] reduce sum [%k = 128] {
    %p = te.read %P[%i, %k] : tensor<64x128xf32>
    te.yield %p : f32
  } : tensor<64xf32>
  %O = te.compute "O" [%i = 64, %j = 128] {
    %p = te.read %P[%i, %j] : tensor<64x128xf32>
    %s = te.read %S[%i] : tensor<64xf32>
    %q = arith.divf %p, %s : f32
    te.yield %q : f32
  } : tensor<64x128xf32>
  te.return %O : tensor<64x128xf32>
}

// Columns that fill no whole tile are padded where they are packed, and left out of what is stored.
// CHECK-LABEL: func.func @odd
// CHECK:       tir.for %j_o in 7 {
// CHECK:         tir.block "B_pad"
// CHECK:         tir.for %j_i in 16 vectorized {
// CHECK-NEXT:      tir.block "C" {{.*}} where (%i_o * 6 + %i_i < 100) do {
// CHECK:         tir.block "C_crop"
te.func @odd(%A: tensor<100x99xf32>, %B: tensor<99x101xf32>) -> tensor<100x101xf32> {
  %C = te.compute "C" [%i = 100, %j = 101] reduce sum [%k = 99] {
    %a = te.read %A[%i, %k] : tensor<100x99xf32>
    %b = te.read %B[%k, %j] : tensor<99x101xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<100x101xf32>
  te.return %C : tensor<100x101xf32>
}

// Tiles of 8 x 8 are transposed in registers: they are read by rows, and written by rows. Where the
// arrays are small, a few go along the rows that are written.
// CHECK-LABEL: func.func @transpose
// CHECK:       tir.for %i_o in 5 {
// CHECK-NEXT:    tir.for %j_o in 8 {
// CHECK-NEXT:      tir.block "T_o"
// CHECK-NEXT:        %r0 = tir.load %A[%v_j_o * 8, %v_i_o * 8] : memref<64x40xf32>, vector<8xf32>
// CHECK-COUNT-24:    vector.shuffle
// CHECK-NOT:         vector.shuffle
// CHECK:             tir.store %s16, %T[%v_i_o * 8, %v_j_o * 8] : memref<40x64xf32>, vector<8xf32>
te.func @transpose(%A: tensor<64x40xf32>) -> tensor<40x64xf32> {
  %T = te.compute "T" [%i = 40, %j = 64] {
    %a = te.read %A[%j, %i] : tensor<64x40xf32>
    te.yield %a : f32
  } : tensor<40x64xf32>
  te.return %T : tensor<40x64xf32>
}

// What is more than a copy goes through local memory, which the registers hold.
// CHECK-LABEL: func.func @scaled_transpose
// CHECK:       tir.for %j_o in 8 {
// CHECK:         tir.for %{{.*}} in 8 unrolled {
// CHECK-NEXT:      tir.for %{{.*}} in 8 vectorized {
// CHECK-NEXT:        tir.block "A_local"
// CHECK:         tir.for %i_i in 8 unrolled {
// CHECK-NEXT:      tir.for %j_i in 8 vectorized {
// CHECK-NEXT:        tir.block "T"
te.func @scaled_transpose(%A: tensor<64x40xf32>) -> tensor<40x64xf32> {
  %T = te.compute "T" [%i = 40, %j = 64] {
    %a = te.read %A[%j, %i] : tensor<64x40xf32>
    %s = arith.addf %a, %a : f32
    te.yield %s : f32
  } : tensor<40x64xf32>
  te.return %T : tensor<40x64xf32>
}
