// Each pattern of tir: what it makes, and what it must leave.
// RUN: kc-opt %s --canonicalize | FileCheck %s
// RUN: kc-opt %s --canonicalize | kc-opt --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @apply(
// CHECK-NEXT:    %x = arith.constant 6 : index
// CHECK-NEXT:    %b = tir.apply (%i * 2 + 1)
// CHECK-NEXT:    func.call @use(%x, %b, %i) : (index, index, index) -> ()
func.func @apply(%i: index) {
  %c2 = arith.constant 2 : index
  %x = tir.apply (%c2 * 3)
  %a = tir.apply (%i * 2)
  %b = tir.apply (%a + 1)
  %c = tir.apply (%i + 0)
  func.call @use(%x, %b, %c) : (index, index, index) -> ()
  func.return
}
func.func private @use(index, index, index)

// CHECK-LABEL: func.func @products(
// CHECK-NEXT:    %f = tir.apply (%i * 4 + %n)
// CHECK-NEXT:    %o = tir.apply (%n floordiv 4)
// CHECK-NEXT:    %r = tir.apply (%n mod 4)
// CHECK-NEXT:    func.call @use(%f, %o, %r)
// CHECK-NEXT:    %g = tir.linearize [%i, %n] by [%n, %i]
// CHECK-NEXT:    func.call @use(%g, %g, %g)
func.func @products(%i: index, %n: index) {
  %c4 = arith.constant 4 : index
  %f = tir.linearize [%i, %n] by [%n, %c4]
  %o, %r = tir.delinearize %n by [%i, %c4]
  func.call @use(%f, %o, %r) : (index, index, index) -> ()
  %g = tir.linearize [%i, %n] by [%n, %i]
  func.call @use(%g, %g, %g) : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: func.func @access(
// CHECK-NEXT:    tir.for %i in 8 {
// CHECK-NEXT:      tir.prefetch %A[%i * 2 + 3, 0] : memref<32x32xf32>
// CHECK-NEXT:      %v = tir.load %A[%i * 2 + 1, %i] : memref<32x32xf32>
// CHECK-NEXT:      tir.store %v, %A[%i, %i * 2] : memref<32x32xf32>
// CHECK-NEXT:      %part = tir.view %A[%i * 2, 0] : memref<32x32xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK-NEXT:      tir.store %v, %part[0] : memref<4xf32, strided<[1], offset: ?>>
func.func @access(%A: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  tir.for %i in 8 {
    %a = tir.apply (%i * 2)
    tir.prefetch %A[%a + 3, %c0] : memref<32x32xf32>
    %v = tir.load %A[%a + 1, %i mod 8] : memref<32x32xf32>
    tir.store %v, %A[%a floordiv 2, %a] : memref<32x32xf32>
    %part = tir.view %A[%a, 0] : memref<32x32xf32> to memref<4xf32, strided<[1], offset: ?>>
    tir.store %v, %part[%c0] : memref<4xf32, strided<[1], offset: ?>>
  }
  func.return
}

// CHECK-LABEL: func.func @loops(
// CHECK-NEXT:    tir.for %i in 8 parallel {
// CHECK-NEXT:      %j = arith.constant 0 : index
// CHECK-NEXT:      tir.store %v, %A[%i, 0] : memref<8x8xf32>
// CHECK-NEXT:      func.call @use(%j, %i, %i)
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.for %t in 1 thread "threadIdx.x" {
// CHECK-NEXT:      tir.store %v, %A[%t, 1] : memref<8x8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.for %p in 1 annotations {pragma_unroll = 1 : i64} {
// CHECK-NEXT:      tir.store %v, %A[%p, 2] : memref<8x8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @loops(%A: memref<8x8xf32>, %v: f32) {
  %c8 = arith.constant 8 : index
  %minus = arith.constant -3 : index
  tir.for %k in 0 parallel {
    tir.store %v, %A[%k, 0] : memref<8x8xf32>
  }
  tir.for %m in %minus {
    tir.store %v, %A[%m, 0] : memref<8x8xf32>
  }
  tir.for %i in %c8 parallel {
    tir.for %j in 1 vectorized {
      tir.store %v, %A[%i, %j] : memref<8x8xf32>
      func.call @use(%j, %i, %i) : (index, index, index) -> ()
    }
  }
  tir.for %t in 1 thread "threadIdx.x" {
    tir.store %v, %A[%t, 1] : memref<8x8xf32>
  }
  tir.for %p in 1 annotations {pragma_unroll = 1 : i64} {
    tir.store %v, %A[%p, 2] : memref<8x8xf32>
  }
  func.return
}

// What a reduction over nothing begins with stores the initial value.
// CHECK-LABEL: func.func @over_nothing(
// CHECK-NEXT:    %zero = arith.constant
// CHECK-NEXT:    tir.for %i in 4 {
// CHECK-NEXT:      tir.for %k in 0 {
// CHECK-NEXT:        tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in 0 = %k) init {
// CHECK:         tir.for %k_o in 1 {
// CHECK-NEXT:      tir.for %k_i in %n {
// CHECK-NEXT:        tir.block "D" (reduce %v_k in %n = %k_o + %k_i) init {
// CHECK:         tir.if (%n >= 0) {
// CHECK:         tir.for %[[K:.*]] "k" in 8 {
// CHECK-NEXT:      tir.block "E" (reduce %v_k in 8 = %[[K]]) init {
func.func @over_nothing(%A: memref<4xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  tir.for %i in 4 {
    tir.for %k in 0 {
      tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in 0 = %k) init {
        tir.store %zero, %A[%v_i] : memref<4xf32>
      } do {
        %v = tir.load %A[%v_i] : memref<4xf32>
        %s = arith.addf %v, %v : f32
        tir.store %s, %A[%v_i] : memref<4xf32>
      }
    }
  }
  tir.for %k_o in 1 {
    tir.for %k_i in %n {
      tir.block "D" (reduce %v_k in %n = %k_o + %k_i) init {
        tir.store %zero, %A[0] : memref<4xf32>
      } do {
        %v = tir.load %A[0] : memref<4xf32>
        %s = arith.addf %v, %v : f32
        tir.store %s, %A[0] : memref<4xf32>
      }
    }
  }
  tir.if (%n >= 0) {
    tir.store %zero, %A[3] : memref<4xf32>
  }
  tir.for %u in 1 {
    tir.for %k in 8 {
      tir.block "E" (reduce %v_k in 8 = %u * 8 + %k) init {
        tir.store %zero, %A[0] : memref<4xf32>
      } do {
        %v = tir.load %A[0] : memref<4xf32>
        %s = arith.addf %v, %v : f32
        tir.store %s, %A[0] : memref<4xf32>
      }
    }
  }
  func.return
}

// CHECK-LABEL: func.func @conditions(
// CHECK-NEXT:    tir.for %i in 8 {
// CHECK-NEXT:      tir.if (%i < %n) {
// CHECK-NEXT:        tir.store %v, %A[0] : memref<8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.store %v, %A[2] : memref<8xf32>
// CHECK-NEXT:      tir.store %v, %A[5] : memref<8xf32>
// CHECK-NEXT:      tir.store %v, %A[6] : memref<8xf32>
// CHECK-NEXT:    }
func.func @conditions(%A: memref<8xf32>, %v: f32, %n: index) {
  tir.for %i in 8 {
    %j = tir.apply (%i + 1)
    tir.if (%i < 8, %j <= %n) {
      tir.store %v, %A[0] : memref<8xf32>
    } else {
    }
    tir.if (%j > 8) {
      tir.store %v, %A[1] : memref<8xf32>
    } else {
      tir.store %v, %A[2] : memref<8xf32>
    }
    tir.if (%j < 0) {
      tir.store %v, %A[3] : memref<8xf32>
    }
    tir.if (%i >= 0) {
      tir.store %v, %A[5] : memref<8xf32>
      tir.store %v, %A[6] : memref<8xf32>
    }
  }
  func.return
}

// CHECK-LABEL: func.func @blocks(
// CHECK-NEXT:    tir.for %i in 8 {
// CHECK-NEXT:      tir.block "A" (spatial %v_i in 32 = %i * 4) where (%i < %n) do {
// CHECK-NEXT:        tir.store %v, %A[%v_i] : memref<32xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @blocks(%A: memref<32xf32>, %v: f32, %n: index) {
  %c32 = arith.constant 32 : index
  tir.for %i in 8 {
    %j = tir.apply (%i * 4)
    tir.block "A" (spatial %v_i in %c32 = %j) where (%i < %n, %i >= 0) do {
      tir.store %v, %A[%v_i] : memref<32xf32>
    }
    tir.block "never" (spatial %v_i in 32 = %j) where (%i >= 8) do {
      tir.store %v, %A[%v_i] : memref<32xf32>
    }
  }
  func.return
}

// CHECK-LABEL: func.func @buffers(
// CHECK-NEXT:    tir.store %b, %A[%n] : memref<8xf32>
// CHECK-NEXT:    tir.store %b, %A[0] : memref<8xf32>
// CHECK-NEXT:    func.return
func.func @buffers(%A: memref<8xf32>, %a: f32, %b: f32, %n: index) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %i in 8 {
    tir.block "B" (spatial %v_i in 8 = %i) do {
      tir.store %a, %B[%v_i] : memref<8xf32>
    }
  }
  tir.store %a, %A[%n] : memref<8xf32>
  tir.store %b, %A[%n] : memref<8xf32>
  %v = tir.load %A[%n] : memref<8xf32>
  tir.store %v, %A[0] : memref<8xf32>
  func.return
}

// Another access may be one of the element, by another name or another thread.
// CHECK-LABEL: func.func @kept_accesses(
// CHECK-NEXT:    tir.store %a, %A[0] : memref<8xf32>
// CHECK-NEXT:    tir.store %b, %A[%n] : memref<8xf32>
// CHECK-NEXT:    %u = tir.load %A[0] : memref<8xf32>
// CHECK-NEXT:    tir.store %u, %A[0] : memref<8xf32>
// CHECK-NEXT:    %part = tir.view %A[%n] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK-NEXT:    tir.store %a, %part[0] : memref<4xf32, strided<[1], offset: ?>>
// CHECK-NEXT:    %v = tir.load %A[0] : memref<8xf32>
// CHECK-NEXT:    tir.store %b, %A[2] : memref<8xf32>
// CHECK-NEXT:    tir.for %i in 8 {
// CHECK-NEXT:      tir.store %a, %A[%i] : memref<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %w = tir.load %A[2] : memref<8xf32>
// CHECK-NEXT:    tir.store %v, %A[3] : memref<8xf32>
// CHECK-NEXT:    tir.store %w, %A[4] : memref<8xf32>
// CHECK-NEXT:    tir.for %t in 8 thread "threadIdx.x" {
// CHECK-NEXT:      tir.store %a, %A[0] : memref<8xf32>
// CHECK-NEXT:      %x = tir.load %A[0] : memref<8xf32>
// CHECK-NEXT:      tir.store %x, %B[%t] : memref<8xf32>
// CHECK-NEXT:    }
func.func @kept_accesses(%A: memref<8xf32>, %B: memref<8xf32>, %a: f32, %b: f32, %n: index) {
  tir.store %a, %A[0] : memref<8xf32>
  tir.store %b, %A[%n] : memref<8xf32>
  %u = tir.load %A[0] : memref<8xf32>
  tir.store %u, %A[0] : memref<8xf32>
  %part = tir.view %A[%n] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
  tir.store %a, %part[0] : memref<4xf32, strided<[1], offset: ?>>
  %v = tir.load %A[0] : memref<8xf32>
  tir.store %b, %A[2] : memref<8xf32>
  tir.for %i in 8 {
    tir.store %a, %A[%i] : memref<8xf32>
  }
  %w = tir.load %A[2] : memref<8xf32>
  tir.store %v, %A[3] : memref<8xf32>
  tir.store %w, %A[4] : memref<8xf32>
  tir.for %t in 8 thread "threadIdx.x" {
    tir.store %a, %A[0] : memref<8xf32>
    %x = tir.load %A[0] : memref<8xf32>
    tir.store %x, %B[%t] : memref<8xf32>
  }
  func.return
}

// Other memory in between is no obstacle: allocations and arguments do not overlap.
// CHECK-LABEL: func.func @other_memory(
// CHECK-NEXT:    %C = tir.alloc "C" : memref<8xf32>
// CHECK-NEXT:    tir.store %a, %C[%n] : memref<8xf32>
// CHECK-NEXT:    tir.store %b, %A[%n] : memref<8xf32>
// CHECK-NEXT:    tir.store %b, %B[0] : memref<8xf32>
// CHECK-NEXT:    %v = tir.load %C[0] : memref<8xf32>
// CHECK-NEXT:    tir.store %v, %B[1] : memref<8xf32>
// CHECK-NEXT:    func.return
func.func @other_memory(%A: memref<8xf32>, %B: memref<8xf32>, %a: f32, %b: f32, %n: index) {
  %C = tir.alloc "C" : memref<8xf32>
  tir.store %a, %A[%n] : memref<8xf32>
  tir.store %a, %C[%n] : memref<8xf32>
  tir.store %b, %A[%n] : memref<8xf32>
  tir.store %a, %B[0] : memref<8xf32>
  %u = tir.load %A[%n] : memref<8xf32>
  tir.store %u, %B[0] : memref<8xf32>
  %v = tir.load %C[0] : memref<8xf32>
  tir.store %v, %B[1] : memref<8xf32>
  func.return
}

// Minima and maxima see through what they are of, and leave out what they never are.

// CHECK-LABEL: func.func @extremes(
// CHECK-NEXT:    tir.for %i in 8 {
// CHECK-NEXT:      %c = tir.apply max(min(%n - 1, %m), 0)
// CHECK-NEXT:      %e = tir.apply min(%n, %i)
// CHECK-NEXT:      %h = tir.apply min(%n, %m)
// CHECK-NEXT:      %k = tir.apply max(%h, %i)
// CHECK-NEXT:      func.call @use5(%c, %e, %i, %k, %h)
func.func @extremes(%n: index, %m: index) {
  tir.for %i in 8 {
    %a = tir.apply (%n - 1)
    %b = tir.apply min(%a, %m)
    %c = tir.apply max(%b, 0)
    %d = tir.apply min(%n, 8)
    %e = tir.apply min(%d, %i, max(%n, %m))
    %f = tir.apply min(%i, 8)
    %h = tir.apply min(%n, %m)
    %k = tir.apply max(%h, %i, min(%n, %i))
    func.call @use5(%c, %e, %f, %k, %h) : (index, index, index, index, index) -> ()
  }
  func.return
}
func.func private @use5(index, index, index, index, index)
