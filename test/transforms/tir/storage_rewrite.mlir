// Buffers that are not alive together share memory; small ones, which registers may hold, do not.
// RUN: kc-opt %s --storage-rewrite | FileCheck %s

// E begins where C ends, at the same elements: one memory. D needs a third of B's, of which it takes
// the front in another shape.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT:    %B = tir.alloc "B" : memref<3072xf32>
// CHECK-NEXT:    %C = tir.alloc "C" : memref<64x48xf32>
// CHECK-NEXT:    tir.for %i in 64 {
// CHECK-NEXT:      tir.for %j in 48 {
// CHECK-NEXT:        %a = tir.load %A[%i, %j] : memref<64x48xf32>
// CHECK-NEXT:        tir.store %a, %B[%i * 48 + %j] : memref<3072xf32>
// CHECK:         tir.for %i_1 "i" in 64 {
// CHECK-NEXT:      tir.for %j_1 "j" in 48 {
// CHECK-NEXT:        %b = tir.load %B[%i_1 * -48 + %j_1 + 3024] : memref<3072xf32>
// CHECK-NEXT:        tir.store %b, %C[%i_1, %j_1] : memref<64x48xf32>
// CHECK:         tir.for %i_2 "i" in 64 parallel {
// CHECK-NEXT:      tir.for %j_2 "j" in 48 {
// CHECK-NEXT:        %c = tir.load %C[%i_2, %j_2] : memref<64x48xf32>
// CHECK-NEXT:        tir.store %c, %C[%i_2, %j_2] : memref<64x48xf32>
// CHECK:         tir.for %k in 1024 {
// CHECK-NEXT:      %e = tir.load %C[%k floordiv 48, %k mod 48] : memref<64x48xf32>
// CHECK-NEXT:      tir.store %e, %B[%k] : memref<3072xf32>
// CHECK:         tir.for %k_1 "k" in 1024 {
// CHECK-NEXT:      %d = tir.load %B[%k_1] : memref<3072xf32>
// CHECK-NEXT:      tir.store %d, %Z[%k_1] : memref<1024xf32>
func.func @chain(%A: memref<64x48xf32>, %Z: memref<1024xf32>) {
  %B = tir.alloc "B" : memref<64x48xf32>
  %C = tir.alloc "C" : memref<64x48xf32>
  %E = tir.alloc "E" : memref<64x48xf32>
  %D = tir.alloc "D" : memref<1024xf32>
  tir.for %i in 64 {
    tir.for %j in 48 {
      %a = tir.load %A[%i, %j] : memref<64x48xf32>
      tir.store %a, %B[%i, %j] : memref<64x48xf32>
    }
  }
  tir.for %i in 64 {
    tir.for %j in 48 {
      %b = tir.load %B[63 - %i, %j] : memref<64x48xf32>
      tir.store %b, %C[%i, %j] : memref<64x48xf32>
    }
  }
  tir.for %i in 64 parallel {
    tir.for %j in 48 {
      %c = tir.load %C[%i, %j] : memref<64x48xf32>
      tir.store %c, %E[%i, %j] : memref<64x48xf32>
    }
  }
  tir.for %k in 1024 {
    %e = tir.load %E[%k floordiv 48, %k mod 48] : memref<64x48xf32>
    tir.store %e, %D[%k] : memref<1024xf32>
  }
  tir.for %k in 1024 {
    %d = tir.load %D[%k] : memref<1024xf32>
    tir.store %d, %Z[%k] : memref<1024xf32>
  }
  func.return
}

// In place where an element is read before it is written, but not where it is written first, or may be
// in a parallel loop.
// CHECK-LABEL: func.func @neighbours(
// CHECK-NEXT:    %B = tir.alloc "B" : memref<1025xf32>
// CHECK-NEXT:    %D = tir.alloc "D" : memref<1025xf32>
// CHECK-NEXT:    tir.for
// CHECK:         %b = tir.load %B[%i_1 + 1] : memref<1025xf32>
// CHECK-NEXT:    tir.store %b, %B[%i_1] : memref<1025xf32>
// CHECK:         %c = tir.load %B[%i_2] : memref<1025xf32>
// CHECK-NEXT:    tir.store %c, %D[%i_2 + 1] : memref<1025xf32>
// CHECK:         tir.for %i_3 "i" in 1024 parallel {
// CHECK-NEXT:    %d = tir.load %D[%i_3 + 1] : memref<1025xf32>
// CHECK-NEXT:    tir.store %d, %B[%i_3] : memref<1025xf32>
// CHECK:         %e = tir.load %B[%i_4] : memref<1025xf32>
func.func @neighbours(%A: memref<1025xf32>, %Z: memref<1025xf32>) {
  %B = tir.alloc "B" : memref<1025xf32>
  %C = tir.alloc "C" : memref<1025xf32>
  %D = tir.alloc "D" : memref<1025xf32>
  %E = tir.alloc "E" : memref<1025xf32>
  tir.for %i in 1025 {
    %a = tir.load %A[%i] : memref<1025xf32>
    tir.store %a, %B[%i] : memref<1025xf32>
  }
  tir.for %i in 1024 {
    %b = tir.load %B[%i + 1] : memref<1025xf32>
    tir.store %b, %C[%i] : memref<1025xf32>
  }
  tir.for %i in 1024 {
    %c = tir.load %C[%i] : memref<1025xf32>
    tir.store %c, %D[%i + 1] : memref<1025xf32>
  }
  tir.for %i in 1024 parallel {
    %d = tir.load %D[%i + 1] : memref<1025xf32>
    tir.store %d, %E[%i] : memref<1025xf32>
  }
  tir.for %i in 1024 {
    %e = tir.load %E[%i] : memref<1025xf32>
    tir.store %e, %Z[%i] : memref<1025xf32>
  }
  func.return
}

// A reduction reads its operands again and again while it writes: they keep their memory. Buffers of
// sizes that are known at the call share with buffers of the same sizes.
// CHECK-LABEL: func.func @sizes(
// CHECK-NEXT:    %B = tir.alloc "B" (%n) : memref<?xf32>
// CHECK-NEXT:    %C = tir.alloc "C" (%n) : memref<?xf32>
// CHECK-NEXT:    %M = tir.alloc "M" (%m) : memref<?xf32>
// CHECK-NEXT:    tir.for
// CHECK:         tir.store %s, %C[%i_1] : memref<?xf32>
// CHECK:         tir.store %{{.*}}, %B[%i_2] : memref<?xf32>
// CHECK:         tir.store %{{.*}}, %M[%i_3] : memref<?xf32>
func.func @sizes(%A: memref<?xf32>, %Z: memref<?xf32>, %n: index, %m: index) {
  %B = tir.alloc "B" (%n) : memref<?xf32>
  %C = tir.alloc "C" (%n) : memref<?xf32>
  %D = tir.alloc "D" (%n) : memref<?xf32>
  %M = tir.alloc "M" (%m) : memref<?xf32>
  tir.for %i in %n {
    %a = tir.load %A[%i] : memref<?xf32>
    tir.store %a, %B[%i] : memref<?xf32>
    tir.store %a, %C[%i] : memref<?xf32>
  }
  tir.for %i in %n {
    tir.for %k in %n {
      %b = tir.load %B[%k] : memref<?xf32>
      %c = tir.load %C[%i] : memref<?xf32>
      %s = arith.addf %b, %c : f32
      tir.store %s, %C[%i] : memref<?xf32>
    }
  }
  tir.for %i in %n {
    %x = tir.load %C[0] : memref<?xf32>
    tir.store %x, %D[%i] : memref<?xf32>
  }
  tir.for %i in %m {
    %y = tir.load %D[0] : memref<?xf32>
    tir.store %y, %M[%i] : memref<?xf32>
  }
  tir.for %i in %m {
    %z = tir.load %M[%i] : memref<?xf32>
    tir.store %z, %Z[%i] : memref<?xf32>
  }
  func.return
}

// What registers may hold, is of another type, or has other users stays; an iteration has memory of its
// own, which its buffers share.
// CHECK-LABEL: func.func @kept(
// CHECK-NEXT:    tir.alloc "S" : memref<512xf32>
// CHECK-NEXT:    tir.alloc "T" : memref<512xf32>
// CHECK-NEXT:    tir.alloc "I" : memref<1024xi32>
// CHECK-NEXT:    tir.alloc "V" : memref<1024xf32>
// CHECK-NEXT:    tir.alloc "W" : memref<1024xf32>
// CHECK-NEXT:    tir.for %p in 4 parallel {
// CHECK-NEXT:      tir.alloc "X" : memref<1024xf32>
// CHECK-NEXT:      tir.for
// CHECK-NOT:     tir.alloc
// CHECK:         func.return
func.func @kept(%A: memref<1024xf32>, %N: memref<1024xi32>, %Z: memref<4x1024xf32>) {
  %S = tir.alloc "S" : memref<512xf32>
  %T = tir.alloc "T" : memref<512xf32>
  %I = tir.alloc "I" : memref<1024xi32>
  %V = tir.alloc "V" : memref<1024xf32>
  %W = tir.alloc "W" : memref<1024xf32>
  tir.for %p in 4 parallel {
    %X = tir.alloc "X" : memref<1024xf32>
    %Y = tir.alloc "Y" : memref<1024xf32>
    tir.for %i in 1024 {
      %a = tir.load %A[%i] : memref<1024xf32>
      tir.store %a, %X[%i] : memref<1024xf32>
    }
    tir.for %i in 1024 {
      %x = tir.load %X[%i] : memref<1024xf32>
      tir.store %x, %Y[%i] : memref<1024xf32>
    }
    tir.for %i in 1024 {
      %y = tir.load %Y[%i] : memref<1024xf32>
      tir.store %y, %Z[%p, %i] : memref<4x1024xf32>
    }
  }
  tir.for %i in 512 {
    %a = tir.load %A[%i] : memref<1024xf32>
    tir.store %a, %S[%i] : memref<512xf32>
  }
  tir.for %i in 512 {
    %s = tir.load %S[%i] : memref<512xf32>
    tir.store %s, %T[%i] : memref<512xf32>
  }
  tir.for %i in 512 {
    %t = tir.load %T[%i] : memref<512xf32>
    tir.store %t, %Z[0, %i] : memref<4x1024xf32>
  }
  tir.for %i in 1024 {
    %n = tir.load %N[%i] : memref<1024xi32>
    tir.store %n, %I[%i] : memref<1024xi32>
  }
  tir.for %i in 1024 {
    %n = tir.load %I[%i] : memref<1024xi32>
    %f = arith.sitofp %n : i32 to f32
    tir.store %f, %V[%i] : memref<1024xf32>
  }
  %view = tir.view %V[0] : memref<1024xf32> to memref<16xf32, strided<[1]>>
  tir.for %i in 1024 {
    %v = tir.load %view[%i mod 16] : memref<16xf32, strided<[1]>>
    tir.store %v, %W[%i] : memref<1024xf32>
  }
  tir.for %i in 1024 {
    %w = tir.load %W[%i] : memref<1024xf32>
    tir.store %w, %Z[1, %i] : memref<4x1024xf32>
  }
  func.return
}
