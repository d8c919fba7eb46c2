// What online_softmax refuses, and what it says then.
// RUN: not kc-opt %s --online-softmax="func=squares block=M loop=j" 2>&1 | FileCheck %s --check-prefix=SQUARES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --online-softmax="func=shifted block=M loop=j" 2>&1 | FileCheck %s --check-prefix=SHIFTED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --online-softmax="func=squared block=M loop=j" 2>&1 | FileCheck %s --check-prefix=SQUARED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --online-softmax="func=powers block=M loop=j" 2>&1 | FileCheck %s --check-prefix=POWERS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --online-softmax="func=undivided block=M loop=j" 2>&1 | FileCheck %s --check-prefix=UNDIVIDED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --online-softmax="func=undivided block=T loop=j" 2>&1 | FileCheck %s --check-prefix=SUM --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --online-softmax="func=divided block=M loop=i" 2>&1 | FileCheck %s --check-prefix=ROWS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=divided block=M loop=j factors=2,4" --online-softmax="func=divided block=M loop=j_i" 2>&1 | FileCheck %s --check-prefix=INSIDE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=divided block=M loop=j factors=3,3" --online-softmax="func=divided block=M loop=j_o" 2>&1 | FileCheck %s --check-prefix=REST --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=divided block=T loop=j factors=2,4" --online-softmax="func=divided block=M loop=j" 2>&1 | FileCheck %s --check-prefix=SPLIT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unroll="func=divided block=M loop=j" --online-softmax="func=divided block=M loop=j" 2>&1 | FileCheck %s --check-prefix=UNROLLED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --online-softmax="func=rounded block=M loop=j" 2>&1 | FileCheck %s --check-prefix=ROUNDED --match-full-lines --strict-whitespace

// No powers of the difference.
te.func @squares(%S: tensor<4x8xf32>) -> tensor<4xf32> {
  %M = te.compute "M" [%i = 4] reduce max [%j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x8xf32>
    te.yield %s : f32
  } : tensor<4xf32>
  %E = te.compute "E" [%i = 4, %j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x8xf32>
    %m = te.read %M[%i] : tensor<4xf32>
    %d = arith.subf %s, %m : f32
    %e = arith.mulf %d, %d : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %T = te.compute "T" [%i = 4] reduce sum [%j = 8] {
    %e = te.read %E[%i, %j] : tensor<4x8xf32>
    te.yield %e : f32
  } : tensor<4xf32>
  te.return %T : tensor<4xf32>
}

// Powers of other terms than those of the maximum.
te.func @shifted(%S: tensor<4x9xf32>) -> tensor<4xf32> {
  %M = te.compute "M" [%i = 4] reduce max [%j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x9xf32>
    te.yield %s : f32
  } : tensor<4xf32>
  %E = te.compute "E" [%i = 4, %j = 8] {
    %s = te.read %S[%i, %j + 1] : tensor<4x9xf32>
    %m = te.read %M[%i] : tensor<4xf32>
    %d = arith.subf %s, %m : f32
    %e = math.exp %d : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %T = te.compute "T" [%i = 4] reduce sum [%j = 8] {
    %e = te.read %E[%i, %j] : tensor<4x8xf32>
    te.yield %e : f32
  } : tensor<4xf32>
  te.return %T : tensor<4xf32>
}

// A sum that is not linear in the powers.
te.func @squared(%S: tensor<4x8xf32>) -> tensor<4xf32> {
  %M = te.compute "M" [%i = 4] reduce max [%j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x8xf32>
    te.yield %s : f32
  } : tensor<4xf32>
  %E = te.compute "E" [%i = 4, %j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x8xf32>
    %m = te.read %M[%i] : tensor<4xf32>
    %d = arith.subf %s, %m : f32
    %e = math.exp %d : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %T = te.compute "T" [%i = 4] reduce sum [%j = 8] {
    %e = te.read %E[%i, %j] : tensor<4x8xf32>
    %f = arith.mulf %e, %e : f32
    te.yield %f : f32
  } : tensor<4xf32>
  te.return %T : tensor<4xf32>
}

// Somebody reads the powers.
te.func @powers(%S: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %M = te.compute "M" [%i = 4] reduce max [%j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x8xf32>
    te.yield %s : f32
  } : tensor<4xf32>
  %E = te.compute "E" [%i = 4, %j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x8xf32>
    %m = te.read %M[%i] : tensor<4xf32>
    %d = arith.subf %s, %m : f32
    %e = math.exp %d : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %T = te.compute "T" [%i = 4] reduce sum [%j = 8] {
    %e = te.read %E[%i, %j] : tensor<4x8xf32>
    te.yield %e : f32
  } : tensor<4xf32>
  %P = te.compute "P" [%i = 4, %j = 8] {
    %e = te.read %E[%i, %j] : tensor<4x8xf32>
    %t = te.read %T[%i] : tensor<4xf32>
    %p = arith.divf %e, %t : f32
    te.yield %p : f32
  } : tensor<4x8xf32>
  te.return %T, %P : tensor<4xf32>, tensor<4x8xf32>
}

// The sum is read for something else than a division.
te.func @undivided(%S: tensor<4x8xf32>) -> tensor<4xf32> {
  %M = te.compute "M" [%i = 4] reduce max [%j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x8xf32>
    te.yield %s : f32
  } : tensor<4xf32>
  %E = te.compute "E" [%i = 4, %j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x8xf32>
    %m = te.read %M[%i] : tensor<4xf32>
    %d = arith.subf %s, %m : f32
    %e = math.exp %d : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %T = te.compute "T" [%i = 4] reduce sum [%j = 8] {
    %e = te.read %E[%i, %j] : tensor<4x8xf32>
    te.yield %e : f32
  } : tensor<4xf32>
  %L = te.compute "L" [%i = 4] {
    %t = te.read %T[%i] : tensor<4xf32>
    %l = math.log %t : f32
    te.yield %l : f32
  } : tensor<4xf32>
  te.return %L : tensor<4xf32>
}

te.func @divided(%S: tensor<4x8xf32>, %V: tensor<8xf32>) -> tensor<4xf32> {
  %M = te.compute "M" [%i = 4] reduce max [%j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x8xf32>
    te.yield %s : f32
  } : tensor<4xf32>
  %E = te.compute "E" [%i = 4, %j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x8xf32>
    %m = te.read %M[%i] : tensor<4xf32>
    %d = arith.subf %s, %m : f32
    %e = math.exp %d : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %T = te.compute "T" [%i = 4] reduce sum [%j = 8] {
    %e = te.read %E[%i, %j] : tensor<4x8xf32>
    te.yield %e : f32
  } : tensor<4xf32>
  %O = te.compute "O" [%i = 4] reduce sum [%j = 8] {
    %e = te.read %E[%i, %j] : tensor<4x8xf32>
    %v = te.read %V[%j] : tensor<8xf32>
    %x = arith.mulf %e, %v : f32
    te.yield %x : f32
  } : tensor<4xf32>
  %R = te.compute "R" [%i = 4] {
    %o = te.read %O[%i] : tensor<4xf32>
    %t = te.read %T[%i] : tensor<4xf32>
    %r = arith.divf %o, %t : f32
    te.yield %r : f32
  } : tensor<4xf32>
  te.return %R : tensor<4xf32>
}

// A weight of 1 times 1e6 is no f16, and the weight of the complete row may be 1e-3.
te.func @rounded(%S: tensor<4x8xf32>, %V: tensor<8xf32>) -> tensor<4xf32> {
  %M = te.compute "M" [%i = 4] reduce max [%j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x8xf32>
    te.yield %s : f32
  } : tensor<4xf32>
  %E = te.compute "E" [%i = 4, %j = 8] {
    %s = te.read %S[%i, %j] : tensor<4x8xf32>
    %m = te.read %M[%i] : tensor<4xf32>
    %d = arith.subf %s, %m : f32
    %e = math.exp %d : f32
    te.yield %e : f32
  } : tensor<4x8xf32>
  %O = te.compute "O" [%i = 4] reduce sum [%j = 8] {
    %e = te.read %E[%i, %j] : tensor<4x8xf32>
    %v = te.read %V[%j] : tensor<8xf32>
    %x = arith.mulf %e, %v : f32
    %h = arith.truncf %x : f32 to f16
    %y = arith.extf %h : f16 to f32
    te.yield %y : f32
  } : tensor<4xf32>
  te.return %O : tensor<4xf32>
}

// SQUARES:error[KC3620]: online_softmax: block M is not the maximum of a softmax
// SQUARES-NEXT:  --> {{.*}}online_softmax_invalid.mlir:21:3  %E = te.compute "E" [%i = 4, %j = 8] {
// SQUARES-NEXT:   |  for i in 4:
// SQUARES-NEXT:   |    for j in 8:
// SQUARES-NEXT:   |      block E    <-- here
// SQUARES-NEXT:  why: block E reads M and does not compute exp(x - M)
// SQUARES-NEXT:  try: the form is M = max(x), E = exp(x - M), T = sum(E), P = E / T, O = sum(P * V)

// SHIFTED:error[KC3620]: online_softmax: block M is not the maximum of a softmax
// SHIFTED-NEXT:  --> {{.*}}online_softmax_invalid.mlir:41:3  %E = te.compute "E" [%i = 4, %j = 8] {
// SHIFTED-NEXT:   |  for i in 4:
// SHIFTED-NEXT:   |    for j in 8:
// SHIFTED-NEXT:   |      block E    <-- here
// SHIFTED-NEXT:  why: block E subtracts M from values that are not the terms of the maximum
// SHIFTED-NEXT:  try: the form is M = max(x), E = exp(x - M), T = sum(E), P = E / T, O = sum(P * V)

// SQUARED:error[KC3620]: online_softmax: block M is not the maximum of a softmax
// SQUARED-NEXT:  --> {{.*}}online_softmax_invalid.mlir:68:3  %T = te.compute "T" [%i = 4] reduce sum [%j = 8] {
// SQUARED-NEXT:   |  for i in 4:
// SQUARED-NEXT:   |    for j in 8:
// SQUARED-NEXT:   |      block T    <-- here
// SQUARED-NEXT:  why: block T is not linear in the weights
// SQUARED-NEXT:  try: the form is M = max(x), E = exp(x - M), T = sum(E), P = E / T, O = sum(P * V)

// POWERS:error[KC3202]: online_softmax: P of block P is an output
// POWERS-NEXT:  --> {{.*}}online_softmax_invalid.mlir:93:3  %P = te.compute "P" [%i = 4, %j = 8] {
// POWERS-NEXT:   |  for i in 4:
// POWERS-NEXT:   |    for j in 8:
// POWERS-NEXT:   |      block P    <-- here
// POWERS-NEXT:  why: the caller reads all of it after the call
// POWERS-NEXT:  try: cache_write gives block P its own buffer

// UNDIVIDED:error[KC3621]: online_softmax: block L reads T, which differs in an online softmax
// UNDIVIDED-NEXT:  --> {{.*}}online_softmax_invalid.mlir:119:3  %L = te.compute "L" [%i = 4] {
// UNDIVIDED-NEXT:   |  for i in 4:
// UNDIVIDED-NEXT:   |    block L    <-- reads T
// UNDIVIDED-NEXT:  why: if no term of a row is finite, T is 0 instead of NaN until it is divided by the sum of the powers

// SUM:error[KC3620]: online_softmax: block T is not the maximum of a softmax
// SUM-NEXT:  --> {{.*}}online_softmax_invalid.mlir:115:3  %T = te.compute "T" [%i = 4] reduce sum [%j = 8] {
// SUM-NEXT:   |  for i in 4:
// SUM-NEXT:   |    for j in 8:
// SUM-NEXT:   |      block T    <-- here
// SUM-NEXT:  why: T is not a maximum of floats
// SUM-NEXT:  try: the form is M = max(x), E = exp(x - M), T = sum(E), P = E / T, O = sum(P * V)

// ROWS:error[KC3622]: online_softmax: the parts of a row in loop i cannot be combined
// ROWS-NEXT:  --> {{.*}}online_softmax_invalid.mlir:128:3  %M = te.compute "M" [%i = 4] reduce max [%j = 8] {
// ROWS-NEXT:   |  for i in 4:    <-- here
// ROWS-NEXT:   |    for j in 8:
// ROWS-NEXT:   |      block M
// ROWS-NEXT:  why: it does not run over the terms of a row alone

// INSIDE:error[KC3622]: online_softmax: the parts of a row in loop j_i cannot be combined
// INSIDE-NEXT:  --> {{.*}}online_softmax_invalid.mlir:128:3  %M = te.compute "M" [%i = 4] reduce max [%j = 8] {
// INSIDE-NEXT:   |  for i in 4:
// INSIDE-NEXT:   |    for j_o in 2:    <-- here
// INSIDE-NEXT:   |      for j_i in 4:    <-- the loop
// INSIDE-NEXT:   |        block M
// INSIDE-NEXT:  why: the outer loop j_o also takes a part of a row

// REST:error[KC3622]: online_softmax: the parts of a row in loop j_o cannot be combined
// REST-NEXT:  --> {{.*}}online_softmax_invalid.mlir:128:3  %M = te.compute "M" [%i = 4] reduce max [%j = 8] {
// REST-NEXT:   |  for i in 4:
// REST-NEXT:   |    for j_o in 3:    <-- the loop
// REST-NEXT:   |      for j_i in 3:
// REST-NEXT:   |        block M    <-- here
// REST-NEXT:  why: block M leaves out terms that its loops do not divide

// SPLIT:error[KC3622]: online_softmax: the parts of a row in loop j cannot be combined
// SPLIT-NEXT:  --> {{.*}}online_softmax_invalid.mlir:139:3  %T = te.compute "T" [%i = 4] reduce sum [%j = 8] {
// SPLIT-NEXT:   |  for i in 4:
// SPLIT-NEXT:   |    for j_o in 2:
// SPLIT-NEXT:   |      for j_i in 4:
// SPLIT-NEXT:   |        block T    <-- here
// SPLIT-NEXT:  why: block T is not in one loop for each of its variables

// UNROLLED:error[KC3010]: online_softmax: loop j is already unrolled
// UNROLLED-NEXT:  --> {{.*}}online_softmax_invalid.mlir:128:3  %M = te.compute "M" [%i = 4] reduce max [%j = 8] {
// UNROLLED-NEXT:   |  for i in 4:
// UNROLLED-NEXT:   |    for j in 8 unrolled:    <-- here
// UNROLLED-NEXT:   |      block M
// UNROLLED-NEXT:  why: a loop must be restructured before it gets a kind of execution
// UNROLLED-NEXT:  try: online_softmax first, then unroll one of the results

// ROUNDED:error[KC3620]: online_softmax: block M is not the maximum of a softmax
// ROUNDED-NEXT:  --> {{.*}}online_softmax_invalid.mlir:171:3  %O = te.compute "O" [%i = 4] reduce sum [%j = 8] {
// ROUNDED-NEXT:   |  for i in 4:
// ROUNDED-NEXT:   |    for j in 8:
// ROUNDED-NEXT:   |      block O    <-- here
// ROUNDED-NEXT:  why: block O rounds weighted products to a narrower type, which may overflow while the maximum covers only a part of the row
// ROUNDED-NEXT:  try: the form is M = max(x), E = exp(x - M), T = sum(E), P = E / T, O = sum(P * V)
