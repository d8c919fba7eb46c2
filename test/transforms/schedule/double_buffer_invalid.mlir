// What double_buffer refuses, and what it says then.
// RUN: not kc-opt %s --double-buffer="func=fill block=T buffer=A" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --double-buffer="func=fill block=C" 2>&1 | FileCheck %s --check-prefix=OUT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --double-buffer="func=calls block=P" 2>&1 | FileCheck %s --check-prefix=USE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --double-buffer="func=calls block=O" 2>&1 | FileCheck %s --check-prefix=TWO --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --double-buffer="func=fill block=V" 2>&1 | FileCheck %s --check-prefix=LOOP --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=calls block=T loop=i factors=1,?" --unroll="func=calls block=T loop=i_i" --double-buffer="func=calls block=T" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --double-buffer="func=calls block=E" 2>&1 | FileCheck %s --check-prefix=FIRST --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --double-buffer="func=fill block=U" 2>&1 | FileCheck %s --check-prefix=CARRIED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --double-buffer="func=fill block=W" 2>&1 | FileCheck %s --check-prefix=MORE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --double-buffer="func=calls block=S" 2>&1 | FileCheck %s --check-prefix=VALUE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --double-buffer="func=fill block=T" 2>&1 | FileCheck %s --check-prefix=EARLY --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --double-buffer="func=calls block=T" 2>&1 | FileCheck %s --check-prefix=CALL --match-full-lines --strict-whitespace

func.func @fill(%A: memref<8x4xf32>, %C: memref<8x4xf32>, %D: memref<4xf32>) {
  %T = tir.alloc "T" : memref<4xf32>
  %U = tir.alloc "U" : memref<4xf32>
  %V = tir.alloc "V" : memref<8xf32>
  %W = tir.alloc "W" : memref<4xf32>
  %X = tir.alloc "X" : memref<4xf32>
  tir.for %i in 8 {
    %s = tir.load %D[0] : memref<4xf32>
    tir.for %j in 4 {
      tir.block "T" (spatial %v_i in 8 = %i, spatial %v_j in 4 = %j) do {
        %a = tir.load %A[%v_i, %v_j] : memref<8x4xf32>
        tir.store %a, %T[%v_j] : memref<4xf32>
      }
    }
    tir.for %j in 3 {
      tir.block "U" (spatial %v_j in 3 = %j) do {
        %d = tir.load %D[%v_j] : memref<4xf32>
        tir.store %d, %U[%v_j] : memref<4xf32>
      }
    }
    tir.for %j in 4 {
      tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 4 = %j) do {
        %t = tir.load %T[3 - %v_j] : memref<4xf32>
        %u = tir.load %U[%v_j] : memref<4xf32>
        %x = arith.addf %t, %u : f32
        tir.store %x, %C[%v_i, %v_j] : memref<8x4xf32>
      }
    }
    tir.for %j in 4 {
      tir.block "W" (spatial %v_j in 4 = %j) do {
        %d = tir.load %D[%v_j] : memref<4xf32>
        tir.store %d, %W[%v_j] : memref<4xf32>
        tir.store %d, %X[%v_j] : memref<4xf32>
      }
    }
    tir.for %j in 4 {
      tir.block "D" (opaque %v_i in 8 = %i, opaque %v_j in 4 = %j) do {
        %w = tir.load %W[3 - %v_j] : memref<4xf32>
        %x = tir.load %X[%v_j] : memref<4xf32>
        %y = arith.addf %w, %x : f32
        tir.store %y, %A[7 - %v_i, %v_j] : memref<8x4xf32>
      }
    }
    tir.block "V" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i, 0] : memref<8x4xf32>
      tir.store %a, %V[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "R" (spatial %v_i in 8 = %i) do {
      %v = tir.load %V[%v_i] : memref<8xf32>
      tir.store %v, %C[%v_i, 0] : memref<8x4xf32>
    }
  }
  func.return
}

func.func @calls(%A: memref<8x4xf32>, %C: memref<8x4xf32>, %x: f32) {
  tir.for %i in 8 {
    %T = tir.alloc "T" : memref<4xf32>
    tir.block "T" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i, 0] : memref<8x4xf32>
      tir.store %a, %T[0] : memref<4xf32>
    }
    %g = tir.load %T[0] : memref<4xf32>
    tir.block "C" (spatial %v_i in 8 = %i) do {
      tir.store %g, %C[%v_i, 0] : memref<8x4xf32>
    }
    func.call @log(%x) : (f32) -> ()
  }
  tir.for %i in 8 {
    %S = tir.alloc "S" : memref<4xf32>
    %h = func.call @value(%x) : (f32) -> f32
    tir.block "S" (spatial %v_i in 8 = %i) do {
      tir.store %h, %S[0] : memref<4xf32>
    }
    tir.block "K" (spatial %v_i in 8 = %i) do {
      %g = tir.load %S[0] : memref<4xf32>
      tir.store %g, %C[%v_i, 0] : memref<8x4xf32>
    }
  }
  tir.for %p in 8 {
    %P = tir.alloc "P" : memref<4xf32>
    tir.block "Q" (spatial %v_i in 8 = %p) do {
      %g = tir.load %P[0] : memref<4xf32>
      tir.store %g, %C[%v_i, 0] : memref<8x4xf32>
    }
    tir.block "P" (spatial %v_i in 8 = %p) do {
      tir.store %x, %P[0] : memref<4xf32>
    }
    tir.block "Z" (spatial %v_i in 8 = %p) do {
      func.call @sink(%P) : (memref<4xf32>) -> ()
    }
  }
  tir.for %q in 8 {
    %O = tir.alloc "O" : memref<4xf32>
    tir.block "O" (spatial %v_i in 8 = %q) do {
      tir.store %x, %O[0] : memref<4xf32>
    }
    tir.block "N" (spatial %v_i in 8 = %q) do {
      tir.store %x, %O[1] : memref<4xf32>
    }
  }
  tir.for %r in 8 {
    %E = tir.alloc "E" : memref<4xf32>
    tir.block "F" (spatial %v_i in 8 = %r) do {
      %g = tir.load %E[0] : memref<4xf32>
      tir.store %g, %C[%v_i, 0] : memref<8x4xf32>
    }
    tir.block "E" (spatial %v_i in 8 = %r) do {
      tir.store %x, %E[0] : memref<4xf32>
    }
  }
  func.return
}
func.func private @log(f32) -> ()
func.func private @value(f32) -> f32
func.func private @sink(memref<4xf32>) -> ()

//NAME:error[KC3300]: double_buffer: block T writes no buffer A
//NAME-NEXT:  --> {{.*}}double_buffer_invalid.mlir:24:7  tir.block "T" (spatial %v_i in 8 = %i, spatial %v_j in 4 = %j) do {
//NAME-NEXT:   |  for i in 8:
//NAME-NEXT:   |    for j in 4:
//NAME-NEXT:   |      block T    <-- here
//NAME-NEXT:   |    for j in 3:
//NAME-NEXT:   |      block U
//NAME-NEXT:   |    for j in 4:
//NAME-NEXT:   |      block C
//NAME-NEXT:   |  ...
//NAME-NEXT:  why: it writes 0: T
//NAME-NEXT:  try: the buffers are: T

//OUT:error[KC3202]: double_buffer: C of block C is an output
//OUT-NEXT:  --> {{.*}}double_buffer_invalid.mlir:36:7  tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 4 = %j) do {
//OUT-NEXT:   |  ...
//OUT-NEXT:   |    for j in 4:
//OUT-NEXT:   |      block C    <-- here
//OUT-NEXT:   |    for j in 4:
//OUT-NEXT:   |      block W
//OUT-NEXT:   |    for j in 4:
//OUT-NEXT:   |      block D
//OUT-NEXT:   |    block V
//OUT-NEXT:  why: the caller reads one buffer after the call, not two halves
//OUT-NEXT:  try: cache_write gives block C its own buffer

//USE:error[KC3303]: double_buffer: P is used by func.call
//USE-NEXT:  --> {{.*}}double_buffer_invalid.mlir:106:7  func.call @sink(%P) : (memref<4xf32>) -> ()
//USE-NEXT:   |  func.call    <-- uses P
//USE-NEXT:  why: the effect of func.call on it is unknown

//TWO:error[KC3205]: double_buffer: O is also used by block N
//TWO-NEXT:  --> {{.*}}double_buffer_invalid.mlir:114:5  tir.block "N" (spatial %v_i in 8 = %q) do {
//TWO-NEXT:   |  for q in 8:
//TWO-NEXT:   |    alloc O
//TWO-NEXT:   |    block O    <-- here
//TWO-NEXT:   |    block N    <-- writes O
//TWO-NEXT:  why: block O must be the only writer of O

//LOOP:error[KC3470]: double_buffer: no loop both fills and reads V
//LOOP-NEXT:  --> {{.*}}double_buffer_invalid.mlir:58:5  tir.block "V" (spatial %v_i in 8 = %i) do {
//LOOP-NEXT:   |  ...
//LOOP-NEXT:   |    for j in 4:
//LOOP-NEXT:   |      block C
//LOOP-NEXT:   |    for j in 4:
//LOOP-NEXT:   |      block W
//LOOP-NEXT:   |    for j in 4:
//LOOP-NEXT:   |      block D
//LOOP-NEXT:   |    block V    <-- here
//LOOP-NEXT:  why: the stores of one iteration of a loop are overlapped with the loads of another

//KIND:error[KC3471]: double_buffer: loop i_i, which fills and reads T, is unrolled
//KIND-NEXT:  --> {{.*}}double_buffer_invalid.mlir:73:3  tir.for %i in 8 {
//KIND-NEXT:   |  for i_o in 1:
//KIND-NEXT:   |    for i_i in 8 unrolled:    <-- fills and reads T
//KIND-NEXT:   |      alloc T
//KIND-NEXT:   |      block T
//KIND-NEXT:   |      block C
//KIND-NEXT:  why: the buffer is filled for the next iteration while the current one runs, so iterations must run in order

//FIRST:error[KC3474]: double_buffer: E is not filled first and then read in each iteration of r
//FIRST-NEXT:  --> {{.*}}double_buffer_invalid.mlir:118:3  tir.for %r in 8 {
//FIRST-NEXT:   |  for r in 8:    <-- fills and reads E
//FIRST-NEXT:   |    alloc E
//FIRST-NEXT:   |    block F
//FIRST-NEXT:   |    block E
//FIRST-NEXT:  why: loop r writes to it after it reads from it

//CARRIED:error[KC3472]: double_buffer: an iteration of i may read elements of U that it has not written
//CARRIED-NEXT:  --> {{.*}}double_buffer_invalid.mlir:21:3  tir.for %i in 8 {
//CARRIED-NEXT:   |  for i in 8:    <-- fills and reads U
//CARRIED-NEXT:   |    for j in 4:
//CARRIED-NEXT:   |      block T
//CARRIED-NEXT:   |    for j in 3:
//CARRIED-NEXT:   |      block U
//CARRIED-NEXT:   |    for j in 4:
//CARRIED-NEXT:   |      block C
//CARRIED-NEXT:   |  ...
//CARRIED-NEXT:  why: iterations alternate between the two halves, so each must write every element that it reads

//MORE:error[KC3473]: double_buffer: the code that fills W in loop i also writes X
//MORE-NEXT:  --> {{.*}}double_buffer_invalid.mlir:21:3  tir.for %i in 8 {
//MORE-NEXT:   |  for i in 8:    <-- fills and reads W
//MORE-NEXT:   |    for j in 4:
//MORE-NEXT:   |      block T
//MORE-NEXT:   |    for j in 3:
//MORE-NEXT:   |      block U
//MORE-NEXT:   |    for j in 4:
//MORE-NEXT:   |      block C
//MORE-NEXT:   |  ...
//MORE-NEXT:  why: this would happen one iteration early

//VALUE:error[KC3475]: double_buffer: filling S needs h, which is computed in an iteration of i
//VALUE-NEXT:  --> {{.*}}double_buffer_invalid.mlir:85:3  tir.for %i in 8 {
//VALUE-NEXT:   |  for i in 8:    <-- fills and reads S
//VALUE-NEXT:   |    alloc S
//VALUE-NEXT:   |    block S
//VALUE-NEXT:   |    block K
//VALUE-NEXT:  why: it is not available one iteration early

//EARLY:error[KC3476]: double_buffer: filling T one iteration early changes the result
//EARLY-NEXT:  --> {{.*}}double_buffer_invalid.mlir:21:3  tir.for %i in 8 {
//EARLY-NEXT:   |  for i in 8:
//EARLY-NEXT:   |    for j in 4:
//EARLY-NEXT:   |      block T    <-- reads A
//EARLY-NEXT:   |    for j in 3:
//EARLY-NEXT:   |      block U
//EARLY-NEXT:   |    for j in 4:
//EARLY-NEXT:   |      block C
//EARLY-NEXT:   |  ...
//EARLY-NEXT:  why: block D writes A at (i=3, j=0), which the fill reads at (i=4, j=0)

//CALL:error[KC3476]: double_buffer: filling T one iteration early is not proven correct
//CALL-NEXT:  --> {{.*}}double_buffer_invalid.mlir:73:3  tir.for %i in 8 {
//CALL-NEXT:   |  for i in 8:    <-- fills and reads T
//CALL-NEXT:   |    alloc T
//CALL-NEXT:   |    block T
//CALL-NEXT:   |    block C
//CALL-NEXT:  why: func.call may write its inputs

// Threads take each step together: what one reads early, another may write.
// RUN: not kc-opt %s --double-buffer="func=exchange block=E" 2>&1 | FileCheck %s --check-prefix=THREADS --match-full-lines --strict-whitespace
func.func @exchange(%G: memref<288xi32>, %O: memref<256xi32>) {
  tir.for %t in 32 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<1xi32>
    tir.for %i in 8 {
      tir.block "E" (spatial %v_t in 32 = %t, spatial %v_i in 8 = %i) do {
        %g = tir.load %G[%v_i * 32 + 31 - %v_t] : memref<288xi32>
        tir.store %g, %S[0] : memref<1xi32>
      }
      tir.block "F" (spatial %v_t in 32 = %t, spatial %v_i in 8 = %i) do {
        %s = tir.load %S[0] : memref<1xi32>
        tir.store %s, %O[%v_i * 32 + %v_t] : memref<256xi32>
        tir.store %s, %G[%v_i * 32 + 32 + %v_t] : memref<288xi32>
      }
    }
  }
  func.return
}
//THREADS:error[KC3476]: double_buffer: filling S one iteration early changes the result
//THREADS-NEXT:  --> {{.*}}double_buffer_invalid.mlir:259:5  tir.for %i in 8 {
//THREADS-NEXT:   |  for t in 32 threadIdx.x:
//THREADS-NEXT:   |    alloc S
//THREADS-NEXT:   |    for i in 8:
//THREADS-NEXT:   |      block E    <-- reads G
//THREADS-NEXT:   |      block F    <-- writes G
//THREADS-NEXT:  why: block F writes G at (t=31, i=0), which the fill reads at (t=0, i=1)

// Blocks share global memory, and are in different iterations at a time.
// RUN: not kc-opt %s --double-buffer="func=shared_by_blocks block=E" 2>&1 | FileCheck %s --check-prefix=BLOCKS --match-full-lines --strict-whitespace
func.func @shared_by_blocks(%G: memref<8x4xi32>, %O: memref<3x8x4xi32>) {
  tir.for %b in 3 thread "blockIdx.x" {
    tir.for %i in 8 {
      %S = tir.alloc "S" : memref<4xi32>
      tir.for %j in 4 {
        tir.block "E" (spatial %v_i in 8 = %i, spatial %v_j in 4 = %j) do {
          %g = tir.load %G[%v_i, %v_j] : memref<8x4xi32>
          tir.store %g, %S[%v_j] : memref<4xi32>
        }
      }
      tir.for %k in 4 {
        tir.block "F" (spatial %v_b in 3 = %b, spatial %v_i in 8 = %i, spatial %v_k in 4 = %k) do {
          %s = tir.load %S[3 - %v_k] : memref<4xi32>
          tir.store %s, %O[%v_b, %v_i, %v_k] : memref<3x8x4xi32>
        }
      }
    }
  }
  func.return
}
//BLOCKS:error[KC3479]: double_buffer: the blocks of blockIdx.x share S, which is global memory
//BLOCKS-NEXT:  --> {{.*}}double_buffer_invalid.mlir:286:5  tir.for %i in 8 {
//BLOCKS-NEXT:   |  for b in 3 blockIdx.x:    <-- blocks
//BLOCKS-NEXT:   |    for i in 8:    <-- fills and reads S
//BLOCKS-NEXT:   |      alloc S
//BLOCKS-NEXT:   |      for j in 4:
//BLOCKS-NEXT:   |        block E
//BLOCKS-NEXT:   |      for k in 4:
//BLOCKS-NEXT:   |        block F
//BLOCKS-NEXT:  why: at any time they are in different iterations of loop i, and each fills S for its next iteration
//BLOCKS-NEXT:  try: set_scope of S to "shared" or "local" first
