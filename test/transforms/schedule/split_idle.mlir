// RUN: kc-opt %s --split="loop=j factors=?,4294967299" 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: kc-opt %s --split="loop=j factors=?,4294967300" 2>&1 >/dev/null | FileCheck %s --check-prefix=IDLE --match-full-lines --strict-whitespace
// RUN: kc-opt %s --split="loop=k factors=8,?,5000000000" 2>&1 >/dev/null | FileCheck %s --check-prefix=MAYBE --match-full-lines --strict-whitespace
// RUN: kc-opt %s --unroll-and-jam="loop=j factor=1099511627776" 2>&1 >/dev/null | FileCheck %s --check-prefix=JAM

// Factors that are much larger than the loop.
// FEW-NOT: warning
//IDLE:warning[KC3025]: split: the factors ?,4294967300 of loop j add 4294967297 iterations
//IDLE-NEXT:  why: each of them only evaluates the guard: at 1 ns each, 4 s
//IDLE-NEXT:  try: factors=?,3
//IDLE-NOT:{{.}}
//MAYBE:warning[KC3025]: split: the factors 8,?,5000000000 of loop k may add 39999999999 iterations
//MAYBE-NEXT:  why: each of them only evaluates the guard: at 1 ns each, 40 s
//MAYBE-NEXT:  try: factors=?,8
// JAM: warning[KC3025]: split: the factors ?,1099511627776 of loop j add 1099511627773 iterations
// JAM-NOT: KC3025
func.func @g(%A: memref<3x?xf32>, %n: index, %x: f32) {
  tir.for %j in 3 {
    tir.for %k in %n {
      tir.block "b" (spatial %v_j in 3 = %j, spatial %v_k in %n = %k) do {
        tir.store %x, %A[%v_j, %v_k] : memref<3x?xf32>
      }
    }
  }
  func.return
}
