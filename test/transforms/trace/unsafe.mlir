// What cannot be decided is done when it is asked for, and noted; what is proven wrong is not.
// RUN: kc-opt %s --parallel="func=scatter loop=i unsafe" | FileCheck %s --check-prefix=PARALLEL
// RUN: kc-opt %s --vectorize="func=scatter loop=i unsafe=true" | FileCheck %s --check-prefix=VECTORIZE
// RUN: kc-opt %s --reorder="func=nest loops=j,i unsafe" | FileCheck %s --check-prefix=REORDER
// RUN: kc-opt %s --reorder="func=nest loops=j,i unsafe" --fuse="func=nest loops=j,i" | FileCheck %s --check-prefix=KEPT
// RUN: kc-opt %s --parallel="func=plain loop=i unsafe" | FileCheck %s --check-prefix=PROVEN
// RUN: kc-opt %s --apply-schedule | FileCheck %s --check-prefix=PARALLEL
// RUN: kc-opt %s --parallel="func=scatter loop=i unsafe" | kc-opt - | FileCheck %s --check-prefix=PARALLEL
// RUN: not kc-opt %s --parallel="func=scatter loop=i unsafe=false" 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not kc-opt %s --parallel="func=scatter loop=i unsafe=maybe" 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not kc-opt %s --parallel="func=wrong loop=i unsafe" 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not kc-opt %s --parallel="func=wrong_too loop=k unsafe" 2>&1 | FileCheck %s --check-prefix=REDUCTION
// RUN: not kc-opt %s --unroll="func=plain loop=i unsafe" 2>&1 | FileCheck %s --check-prefix=UNROLL
// RUN: kc-opt --help | FileCheck %s --check-prefix=HELP

func.func @scatter(%I: memref<16xi64>, %C: memref<16xf32>) {
  %one = arith.constant 1.0 : f32
  // PARALLEL: tir.for %i in 16 parallel attributes {kc.unsafe = "parallel: cannot prove that iterations touch different elements of C: arith.index_cast is not affine"} {
  // VECTORIZE: tir.for %i in 16 vectorized attributes {kc.unsafe = "vectorize: cannot prove that iterations touch different elements of C: arith.index_cast is not affine"} {
  // REFUSED: error[KC3041]: parallel: the iterations of i cannot be proven independent
  // VALUE: error[KC0012]: parallel: option 'unsafe' takes true or false, not 'maybe'
  tir.for %i in 16 {
    tir.block "C" (opaque %v_i in 16 = %i) do {
      %0 = tir.load %I[%v_i] : memref<16xi64>
      %1 = arith.index_cast %0 : i64 to index
      tir.store %one, %C[%1] : memref<16xf32>
    }
  }
  func.return
}

func.func @nest(%I: memref<16xi64>, %A: memref<16x4xf32>, %C: memref<16xf32>) {
  // REORDER: tir.for %j in 4 attributes {kc.unsafe = "reorder: cannot prove that iterations touch different elements of C: arith.index_cast is not affine"} {
  // REORDER-NEXT: tir.for %i in 16 {
  // KEPT: tir.for %j_i_fused in 64 attributes {kc.unsafe = "reorder: {{.*}}"} {
  tir.for %i in 16 {
    tir.for %j in 4 {
      tir.block "C" (opaque %v_i in 16 = %i, opaque %v_j in 4 = %j) do {
        %0 = tir.load %I[%v_i] : memref<16xi64>
        %1 = arith.index_cast %0 : i64 to index
        %2 = tir.load %A[%v_i, %v_j] : memref<16x4xf32>
        tir.store %2, %C[%1] : memref<16xf32>
      }
    }
  }
  func.return
}

func.func @plain(%C: memref<16xf32>) {
  %one = arith.constant 1.0 : f32
  // PROVEN-NOT: kc.unsafe
  // PROVEN: tir.for %i in 16 parallel {
  // PROVEN-NOT: kc.unsafe
  // UNROLL: error[KC0011]: unroll: there is no option 'unsafe'
  tir.for %i in 16 {
    tir.block "C" (spatial %v_i in 16 = %i) do {
      tir.store %one, %C[%v_i] : memref<16xf32>
    }
  }
  func.return
}

// The scatter cannot be decided, the store to D can.
func.func @wrong(%I: memref<16xi64>, %C: memref<16xf32>, %D: memref<16xf32>) {
  %one = arith.constant 1.0 : f32
  // WRONG: error[KC3041]: parallel: the iterations of i depend on each other
  // WRONG: why: C at (i=0) writes D[0], which C at (i={{[0-9]+}}) writes
  tir.for %i in 16 {
    tir.block "C" (opaque %v_i in 16 = %i) do {
      %0 = tir.load %I[%v_i] : memref<16xi64>
      %1 = arith.index_cast %0 : i64 to index
      tir.store %one, %C[%1] : memref<16xf32>
      tir.store %one, %D[0] : memref<16xf32>
    }
  }
  func.return
}

func.func @wrong_too(%I: memref<16xi64>, %A: memref<16xf32>, %C: memref<16xf32>, %D: memref<1xf32>) {
  %zero = arith.constant 0.0 : f32
  // REDUCTION: error[KC3040]: parallel: loop k is a reduction of D
  tir.for %k in 16 {
    tir.block "C" (opaque %v_k in 16 = %k) do {
      %0 = tir.load %I[%v_k] : memref<16xi64>
      %1 = arith.index_cast %0 : i64 to index
      tir.store %zero, %C[%1] : memref<16xf32>
    }
    tir.block "D" (reduce %v_k in 16 = %k) init {
      tir.store %zero, %D[0] : memref<1xf32>
    } do {
      %0 = tir.load %A[%v_k] : memref<16xf32>
      %1 = tir.load %D[0] : memref<1xf32>
      %2 = arith.addf %0, %1 : f32
      tir.store %2, %D[0] : memref<1xf32>
    }
  }
  func.return
}

transform.named_sequence @main() {
  %i = sched.get_loop "i" in @scatter
  sched.parallel %i {unsafe}
  transform.yield
}

// HELP: --parallel {{.*}}[block? loop
// HELP-NEXT: unsafe?]
