// A vector of what stays together is one vector; copies of a buffer are swizzled alike.
// RUN: kc-opt %s --swizzle-storage="func=copied" --vectorize-loop="func=copied" | FileCheck %s --check-prefix=COPIED
// RUN: kc-opt %s --inject-double-buffer="func=ahead" | FileCheck %s --check-prefix=AHEAD

func.func @copied(%A: memref<16x64xf16>, %C: memref<16x64xf16>) {
  %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, (j floordiv 8 xor i mod 8) * 8 + j mod 8)"} : memref<16x64xf16>
  tir.for %i in 16 {
    tir.for %j in 8 {
      tir.for %l in 8 vectorized {
        %a = tir.load %A[%i, %j * 8 + %l] : memref<16x64xf16>
        tir.store %a, %S[%i, %j * 8 + %l] : memref<16x64xf16>
      }
    }
  }
  tir.for %i in 16 {
    tir.for %j in 64 {
      %s = tir.load %S[%i, %j] : memref<16x64xf16>
      tir.store %s, %C[%i, %j] : memref<16x64xf16>
    }
  }
  func.return
}

func.func @ahead(%A: memref<4x16x64xf16>, %C: memref<4x16x64xf16>) {
  tir.for %n in 4 {
    %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, j xor i mod 4)", tir.double_buffer} : memref<16x64xf16>
    tir.for %i in 16 {
      tir.for %j in 64 {
        %a = tir.load %A[%n, %i, %j] : memref<4x16x64xf16>
        tir.store %a, %S[%i, %j] : memref<16x64xf16>
      }
    }
    tir.for %i in 16 {
      tir.for %j in 64 {
        %s = tir.load %S[%i, %j] : memref<16x64xf16>
        tir.store %s, %C[%n, %i, %j] : memref<4x16x64xf16>
      }
    }
  }
  func.return
}

// COPIED:      func.func @copied(%A: memref<16x64xf16>, %C: memref<16x64xf16>) {
// COPIED-NEXT:     %S = tir.alloc "S" : memref<16x64xf16>
// COPIED-NEXT:     tir.for %i in 16 {
// COPIED-NEXT:       tir.for %j in 8 {
// COPIED-NEXT:         %a = tir.load %A[%i, %j * 8] : memref<16x64xf16>, vector<8xf16>
// COPIED-NEXT:         tir.store %a, %S[%i, (%j + %i) mod 2 * 8 + (%j floordiv 2 + (%i mod 8) floordiv 2) mod 2 * 16 + (%j floordiv 4 + (%i mod 8) floordiv 4) mod 2 * 32] : memref<16x64xf16>, vector<8xf16>
// COPIED-NEXT:       }
// COPIED-NEXT:     }
// COPIED-NEXT:     tir.for %i_1 "i" in 16 {
// COPIED-NEXT:       tir.for %j_1 "j" in 64 {
// COPIED-NEXT:         %s = tir.load %S[%i_1, (%j_1 floordiv 8 + %i_1) mod 2 * 8 + (%j_1 floordiv 16 + (%i_1 mod 8) floordiv 2) mod 2 * 16 + (%j_1 floordiv 32 + (%i_1 mod 8) floordiv 4) mod 2 * 32 + %j_1 mod 8] : memref<16x64xf16>
// COPIED-NEXT:         tir.store %s, %C[%i_1, %j_1] : memref<16x64xf16>

// AHEAD:      func.func @ahead(%A: memref<4x16x64xf16>, %C: memref<4x16x64xf16>) {
// AHEAD-NEXT:     %S = tir.alloc "S" {tir.swizzle = "(copy, i, j)->(copy, i, j xor i mod 4)"} : memref<2x16x64xf16>
// AHEAD-NEXT:     tir.for %i in 16 {
// AHEAD-NEXT:       tir.for %j in 64 {
// AHEAD-NEXT:         %a = tir.load %A[0, %i, %j] : memref<4x16x64xf16>
// AHEAD-NEXT:         tir.store %a, %S[0, %i, %j] : memref<2x16x64xf16>
// AHEAD-NEXT:       }
// AHEAD-NEXT:     }
// AHEAD-NEXT:     tir.for %n in 4 {
// AHEAD-NEXT:       tir.if (%n < 3) {
// AHEAD-NEXT:         tir.for %i_1 "i" in 16 {
// AHEAD-NEXT:           tir.for %j_1 "j" in 64 {
// AHEAD-NEXT:             %a_1 = tir.load %A[%n + 1, %i_1, %j_1] : memref<4x16x64xf16>
// AHEAD-NEXT:             tir.store %a_1, %S[(%n + 1) mod 2, %i_1, %j_1] : memref<2x16x64xf16>
// AHEAD-NEXT:           }
// AHEAD-NEXT:         }
// AHEAD-NEXT:       }
// AHEAD-NEXT:       tir.for %i_2 "i" in 16 {
// AHEAD-NEXT:         tir.for %j_2 "j" in 64 {
// AHEAD-NEXT:           %s = tir.load %S[%n mod 2, %i_2, %j_2] : memref<2x16x64xf16>
// AHEAD-NEXT:           tir.store %s, %C[%n, %i_2, %j_2] : memref<4x16x64xf16>
// AHEAD-NEXT:         }
// AHEAD-NEXT:       }
// AHEAD-NEXT:     }
