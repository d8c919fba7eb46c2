// RUN: kc-opt %s --rfactor="func=argmax block=M loop=k_o" | FileCheck %s --check-prefix=OUTER
// RUN: kc-opt %s --rfactor="func=argmax block=M loop=k_i factor-axis=1" | FileCheck %s --check-prefix=INNER
// RUN: kc-opt %s --rfactor="func=some block=S loop=k" | FileCheck %s --check-prefix=SOME
// RUN: not kc-opt %s --rfactor="func=other block=M loop=k" 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not kc-opt %s --rfactor="func=argmax block=M loop=k_i factor-axis=2" 2>&1 | FileCheck %s --check-prefix=AXIS

// All buffers get partial results, from the identity of the combiner; what the reduction starts
// from is for its result alone.

// OUTER-LABEL: func.func @argmax
// OUTER-NEXT:    %I_rf = tir.alloc "I_rf" : memref<4x8xi64>
// OUTER-NEXT:    %V_rf = tir.alloc "V_rf" : memref<4x8xi64>
// OUTER-NEXT:    tir.for %i in 8 {
// OUTER-NEXT:      tir.for %k_o in 4 {
// OUTER-NEXT:        tir.for %k_i in 8 {
// OUTER-NEXT:          tir.block "M_rf" (spatial %v_k_o in 4 = %k_o, spatial %v_i in 8 = %i, reduce %v_k_i in 8 = %k_i) init {
// OUTER-NEXT:            [[N:%.*]] = arith.constant -1 : i64
// OUTER-NEXT:            tir.store [[N]], %I_rf[%v_k_o, %v_i] : memref<4x8xi64>
// OUTER-NEXT:            [[L:%.*]] = arith.constant -100 : i64
// OUTER-NEXT:            tir.store [[L]], %V_rf[%v_k_o, %v_i] : memref<4x8xi64>
// OUTER-NEXT:          } do {
// OUTER-NEXT:            [[K:%.*]] = tir.apply (%v_k_o * 8 + %v_k_i)
// OUTER-NEXT:            %n = arith.index_cast [[K]] : index to i64
// OUTER-NEXT:            %a = tir.load %A[%v_i, %v_k_o * 8 + %v_k_i] : memref<8x32xi64>
// OUTER-NEXT:            %i0 = tir.load %I_rf[%v_k_o, %v_i] : memref<4x8xi64>
// OUTER-NEXT:            %v0 = tir.load %V_rf[%v_k_o, %v_i] : memref<4x8xi64>
// OUTER-NEXT:            %i1, %v1 = tir.combine "argmax" (%i0, %v0) (%n, %a) by
// OUTER:               }
// OUTER-NEXT:            tir.store %i1, %I_rf[%v_k_o, %v_i] : memref<4x8xi64>
// OUTER-NEXT:            tir.store %v1, %V_rf[%v_k_o, %v_i] : memref<4x8xi64>
// OUTER:         tir.for %{{.*}} "i" in 8 {
// OUTER-NEXT:      tir.for %{{.*}} "k_o" in 4 {
// OUTER-NEXT:        tir.block "M" (reduce %v_k_o in 4 = %{{.*}}, spatial %v_i in 8 = %{{.*}}) init {
// OUTER-NEXT:          %n = tir.load %S[%v_i] : memref<8xi64>
// OUTER-NEXT:          %l = arith.constant -100 : i64
// OUTER-NEXT:          tir.store %n, %I[%v_i] : memref<8xi64>
// OUTER-NEXT:          tir.store %l, %V[%v_i] : memref<8xi64>
// OUTER-NEXT:        } do {
// OUTER-NEXT:          %i0 = tir.load %I[%v_i] : memref<8xi64>
// OUTER-NEXT:          %v0 = tir.load %V[%v_i] : memref<8xi64>
// OUTER-NEXT:          %part = tir.load %I_rf[%v_k_o, %v_i] : memref<4x8xi64>
// OUTER-NEXT:          [[P:%.*]] = tir.load %V_rf[%v_k_o, %v_i] : memref<4x8xi64>
// OUTER-NEXT:          %i1, %v1 = tir.combine "argmax" (%i0, %v0) (%part, [[P]]) by

// INNER-LABEL: func.func @argmax
// INNER:         tir.block "M_rf" (spatial %v_k_i in 8 = %k_i, spatial %v_i in 8 = %i, reduce %v_k_o in 4 = %k_o) init {
// INNER:           tir.store %{{.*}}, %I_rf[%v_i, %v_k_i] : memref<8x8xi64>
// INNER:         tir.block "M" (reduce %v_k_i in 8 = %{{.*}}, spatial %v_i in 8 = %{{.*}}) init {
func.func @argmax(%A: memref<8x32xi64>, %S: memref<8xi64>, %I: memref<8xi64>, %V: memref<8xi64>) {
  tir.for %i in 8 {
    tir.for %k_o in 4 {
      tir.for %k_i in 8 {
        tir.block "M" (spatial %v_i in 8 = %i, reduce %v_k in 32 = %k_o * 8 + %k_i) init {
          %n = tir.load %S[%v_i] : memref<8xi64>
          %l = arith.constant -100 : i64
          tir.store %n, %I[%v_i] : memref<8xi64>
          tir.store %l, %V[%v_i] : memref<8xi64>
        } do {
          %n = arith.index_cast %v_k : index to i64
          %a = tir.load %A[%v_i, %v_k] : memref<8x32xi64>
          %i0 = tir.load %I[%v_i] : memref<8xi64>
          %v0 = tir.load %V[%v_i] : memref<8xi64>
          %i1, %v1 = tir.combine "argmax" (%i0, %v0) (%n, %a) by (%ia: i64, %va: i64)
              (%ib: i64, %vb: i64) identity [-1 : i64, -100 : i64] {
            %c = arith.cmpi sge, %va, %vb : i64
            %x = arith.select %c, %ia, %ib : i64
            %y = arith.maxsi %va, %vb : i64
            tir.yield %x, %y : i64, i64
          }
          tir.store %i1, %I[%v_i] : memref<8xi64>
          tir.store %v1, %V[%v_i] : memref<8xi64>
        }
      }
    }
  }
  func.return
}

// Terms that are left out stay so: each partial result is a reduction of one term or none. Two
// reductions in one block are factored together.

// SOME-LABEL: func.func @some
// SOME:         tir.block "S_rf" (spatial %v_k in 32 = %k, spatial %v_i in 8 = %i, reduce %v_one in 1 = 0) init {
// SOME-NEXT:      [[Z:%.*]] = arith.constant 0 : i64
// SOME-NEXT:      tir.store [[Z]], %S_rf[%v_k, %v_i] : memref<32x8xi64>
// SOME-NEXT:      [[O:%.*]] = arith.constant 1 : i64
// SOME-NEXT:      tir.store [[O]], %Q_rf[%v_k, %v_i] : memref<32x8xi64>
// SOME-NEXT:    } do {
// SOME-NEXT:      tir.if (%v_i + %v_k < 32) {
// SOME-NEXT:        %a = tir.load %A[%v_i, %v_i + %v_k] : memref<8x32xi64>
// SOME-NEXT:        %s = tir.load %S_rf[%v_k, %v_i] : memref<32x8xi64>
// SOME:         tir.block "S" (reduce %v_k in 32 = %{{.*}}, spatial %v_i in 8 = %{{.*}}) init {
// SOME:         } do {
// SOME-NEXT:      %s = tir.load %S[%v_i] : memref<8xi64>
// SOME-NEXT:      %q = tir.load %Q[%v_i] : memref<8xi64>
// SOME-NEXT:      %part = tir.load %S_rf[%v_k, %v_i] : memref<32x8xi64>
// SOME-NEXT:      [[P:%.*]] = tir.load %Q_rf[%v_k, %v_i] : memref<32x8xi64>
// SOME-NEXT:      %t = arith.addi %part, %s : i64
// SOME-NEXT:      %p = arith.muli %q, [[P]] : i64
// SOME-NEXT:      tir.store %t, %S[%v_i] : memref<8xi64>
// SOME-NEXT:      tir.store %p, %Q[%v_i] : memref<8xi64>
func.func @some(%A: memref<8x32xi64>, %B: memref<8xi64>, %S: memref<8xi64>, %Q: memref<8xi64>) {
  tir.for %i in 8 {
    tir.for %k in 32 {
      tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 32 = %k) init {
        %b = tir.load %B[%v_i] : memref<8xi64>
        %o = arith.constant 1 : i64
        tir.store %b, %S[%v_i] : memref<8xi64>
        tir.store %o, %Q[%v_i] : memref<8xi64>
      } do {
        tir.if (%v_i + %v_k < 32) {
          %a = tir.load %A[%v_i, %v_i + %v_k] : memref<8x32xi64>
          %s = tir.load %S[%v_i] : memref<8xi64>
          %t = arith.addi %a, %s : i64
          %q = tir.load %Q[%v_i] : memref<8xi64>
          %p = arith.muli %q, %a : i64
          tir.store %t, %S[%v_i] : memref<8xi64>
          tir.store %p, %Q[%v_i] : memref<8xi64>
        }
      }
    }
  }
  func.return
}

// The second update reads what the first has made: that is not a reduction of a tuple.

// OTHER:      error[KC3200]: rfactor: block M is neither complete nor a reduction
// OTHER-NEXT:   --> {{.*}}rfactor_tuples.mlir:{{.*}}
// OTHER-NEXT:   | for i in 8:
// OTHER-NEXT:   |   for k in 32:
// OTHER-NEXT:   |     block M    <-- here
// OTHER-NEXT:   why: it has reduce variables, but is not an update with a commutative combiner
// OTHER-NEXT:   try: use rfactor on a block that computes each element of one buffer
func.func @other(%A: memref<8x32xi64>, %I: memref<8xi64>, %V: memref<8xi64>) {
  tir.for %i in 8 {
    tir.for %k in 32 {
      tir.block "M" (spatial %v_i in 8 = %i, reduce %v_k in 32 = %k) init {
        %z = arith.constant 0 : i64
        tir.store %z, %I[%v_i] : memref<8xi64>
        tir.store %z, %V[%v_i] : memref<8xi64>
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<8x32xi64>
        %i0 = tir.load %I[%v_i] : memref<8xi64>
        %i1 = arith.addi %i0, %a : i64
        tir.store %i1, %I[%v_i] : memref<8xi64>
        %v0 = tir.load %V[%v_i] : memref<8xi64>
        %v1 = arith.addi %v0, %i0 : i64
        tir.store %v1, %V[%v_i] : memref<8xi64>
      }
    }
  }
  func.return
}

// AXIS:      error[KC3335]: rfactor: factor_axis 2 for block M
