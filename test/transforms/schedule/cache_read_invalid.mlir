// What cache_read refuses, and what it says then.
// RUN: not kc-opt %s --cache-read="func=versions block=C buffer=Q" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-read="func=versions block=C buffer=1" 2>&1 | FileCheck %s --check-prefix=INDEX --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-read="func=versions block=C buffer=A scope=registers" 2>&1 | FileCheck %s --check-prefix=SCOPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-read="func=called block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=CALL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-read="func=versions block=C buffer=A consumers=C,W" 2>&1 | FileCheck %s --check-prefix=CONSUMER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-read="func=versions block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=VERSIONS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-read="func=scan block=S buffer=A" 2>&1 | FileCheck %s --check-prefix=SCAN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-read="func=gather block=G buffer=A" 2>&1 | FileCheck %s --check-prefix=GATHER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-read="func=threads block=T buffer=A" 2>&1 | FileCheck %s --check-prefix=THREADS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-read="func=lanes block=C buffer=B" 2>&1 | FileCheck %s --check-prefix=LANES --match-full-lines --strict-whitespace

func.func @versions(%A: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 4 {
    tir.block "W" (spatial %v_i in 4 = %i) do {
      %x = tir.load %C[%v_i] : memref<8xf32>
      tir.store %x, %A[%v_i * 2] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "D" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %D[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func private @change(memref<8xf32>)

func.func @called(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.call @change(%A) : (memref<8xf32>) -> ()
  func.return
}

// Each iteration reads what the one before wrote, in one block.
func.func @scan(%A: memref<9xf32>) {
  tir.block "S" (opaque %u in 1 = 0) do {
    tir.for %i in 8 {
      %x = tir.load %A[%i] : memref<9xf32>
      tir.store %x, %A[%i + 1] : memref<9xf32>
    }
  }
  func.return
}

func.func @gather(%A: memref<8xf32>, %I: memref<8xindex>) {
  tir.block "G" (opaque %u in 1 = 0) do {
    tir.for %i in 8 {
      %n = tir.load %I[%i] : memref<8xindex>
      %x = tir.load %A[%i] : memref<8xf32>
      tir.store %x, %A[%n] : memref<8xf32>
    }
  }
  func.return
}

// Thread i writes A[2 * i + 1]; the box around what it reads holds what other threads write.
func.func @threads(%A: memref<14xf32>, %C: memref<4xf32>) {
  tir.for %i in 4 parallel {
    tir.block "W" (spatial %v_i in 4 = %i) do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %A[%v_i * 2 + 1] : memref<14xf32>
    }
    tir.block "T" (spatial %v_i in 4 = %i) do {
      %x = tir.load %A[%v_i * 2 + 1] : memref<14xf32>
      %y = tir.load %A[%v_i * 2 + 6] : memref<14xf32>
      %z = arith.addf %x, %y : f32
      tir.store %z, %C[%v_i] : memref<4xf32>
    }
  }
  func.return
}

func.func @lanes(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 vectorized {
    %B = tir.alloc "B" : memref<1xf32>
    tir.block "B" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %B[0] : memref<1xf32>
    }
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[0] : memref<1xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

//NAME:error[KC3300]: cache_read: block C reads no buffer Q
//NAME-NEXT:  --> {{.*}}cache_read_invalid.mlir:15:5  tir.block "C" (spatial %v_i in 8 = %i) do {
//NAME-NEXT:   |  for i in 8:
//NAME-NEXT:   |    block C    <-- here
//NAME-NEXT:  why: it reads 0: A
//NAME-NEXT:  try: the buffers are: A

//INDEX:error[KC3300]: cache_read: block C reads no buffer 1
//INDEX-NEXT:  --> {{.*}}cache_read_invalid.mlir:15:5  tir.block "C" (spatial %v_i in 8 = %i) do {
//INDEX-NEXT:   |  for i in 8:
//INDEX-NEXT:   |    block C    <-- here
//INDEX-NEXT:  why: it reads 0: A
//INDEX-NEXT:  try: buffer=0

//SCOPE:error[KC3301]: cache_read: target llvm has no memory scope 'registers'
//SCOPE-NEXT:  --> {{.*}}cache_read_invalid.mlir:13:1  func.func @versions(%A: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
//SCOPE-NEXT:  try: the scopes are: global, local, shared, shared.dyn, warp, wmma.matrix_a, wmma.matrix_b, wmma.accumulator

//CALL:error[KC3303]: cache_read: A of block C is used by func.call
//CALL-NEXT:  --> {{.*}}cache_read_invalid.mlir:44:3  func.call @change(%A) : (memref<8xf32>) -> ()
//CALL-NEXT:   |  func.call    <-- uses A
//CALL-NEXT:  why: the effect of func.call on it is unknown

//CONSUMER:error[KC3304]: cache_read: block W cannot read a copy of A of block C
//CONSUMER-NEXT:  --> {{.*}}cache_read_invalid.mlir:21:5  tir.block "W" (spatial %v_i in 4 = %i) do {
//CONSUMER-NEXT:   |  for i in 4:
//CONSUMER-NEXT:   |    block W    <-- here
//CONSUMER-NEXT:  why: it does not read A

//VERSIONS:error[KC3305]: cache_read: A changes between the copy and what block D reads
//VERSIONS-NEXT:  --> {{.*}}cache_read_invalid.mlir:27:5  tir.block "D" (spatial %v_i in 8 = %i) do {
//VERSIONS-NEXT:   |  for i in 8:
//VERSIONS-NEXT:   |    block D    <-- reads A
//VERSIONS-NEXT:  why: block W at (i=0) writes what is read at (i=0)
//VERSIONS-NEXT:  try: consumers=C
//VERSIONS-NEXT:  try: consumers=D

//SCAN:error[KC3305]: cache_read: A changes between the copy and what block S reads
//SCAN-NEXT:  --> {{.*}}cache_read_invalid.mlir:50:3  tir.block "S" (opaque %u in 1 = 0) do {
//SCAN-NEXT:   |  block S    <-- reads A
//SCAN-NEXT:   |    for i in 8:
//SCAN-NEXT:   |      store to A
//SCAN-NEXT:  why: block S at (i=0) writes what is read at (i=1)

//GATHER:error[KC3305]: cache_read: A may change between the copy and what block G reads
//GATHER-NEXT:  --> {{.*}}cache_read_invalid.mlir:60:3  tir.block "G" (opaque %u in 1 = 0) do {
//GATHER-NEXT:   |  block G    <-- reads A
//GATHER-NEXT:   |    for i in 8:
//GATHER-NEXT:   |      store to A
//GATHER-NEXT:  why: n is not affine

//THREADS:error[KC3305]: cache_read: A changes between the copy and what block T reads
//THREADS-NEXT:  --> {{.*}}cache_read_invalid.mlir:77:5  tir.block "T" (spatial %v_i in 4 = %i) do {
//THREADS-NEXT:   |  for i in 4 parallel:
//THREADS-NEXT:   |    block W    <-- writes A
//THREADS-NEXT:   |    block T    <-- reads A
//THREADS-NEXT:  why: block W at (i=1) writes what another thread copies

//LANES:error[KC3310]: cache_read: a copy of B cannot be placed
//LANES-NEXT:  --> {{.*}}cache_read_invalid.mlir:94:5  tir.block "C" (spatial %v_i in 8 = %i) do {
//LANES-NEXT:   |  for i in 8 vectorized:
//LANES-NEXT:   |    alloc B
//LANES-NEXT:   |    block B
//LANES-NEXT:   |    block C    <-- here
//LANES-NEXT:  why: B exists only in a vectorized loop, whose lanes would share the copy
//LANES-NEXT:  try: cache_read first, then vectorize

// Each of three blocks may read a copy of its own; two of them are named.
// RUN: not kc-opt %s --cache-read="func=thrice block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=THRICE --match-full-lines --strict-whitespace
func.func @thrice(%A: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>, %E: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %C[%v] : memref<8xf32>
    }
  }
  tir.block "W" (opaque %v in 1 = 0) do {
    %zero = arith.constant 0.0 : f32
    tir.store %zero, %A[%v] : memref<8xf32>
  }
  tir.for %i in 8 {
    tir.block "D" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %D[%v] : memref<8xf32>
    }
  }
  tir.block "X" (opaque %v in 1 = 0) do {
    %one = arith.constant 1.0 : f32
    tir.store %one, %A[%v] : memref<8xf32>
  }
  tir.for %i in 8 {
    tir.block "E" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %E[%v] : memref<8xf32>
    }
  }
  func.return
}
//THRICE:error[KC3305]: cache_read: A changes between the copy and what block E reads
//THRICE-NEXT:  --> {{.*}}cache_read_invalid.mlir:193:5  tir.block "E" (spatial %v in 8 = %i) do {
//THRICE-NEXT:   |  for i in 8:
//THRICE-NEXT:   |    block E    <-- reads A
//THRICE-NEXT:  why: block X writes what is read at (i=0)
//THRICE-NEXT:  try: consumers=C
//THRICE-NEXT:  try: consumers=D
//THRICE-NOT:{{.+}}

// What helps two readers in a vectorized loop is not to choose one of them.
// RUN: not kc-opt %s --cache-read="func=lane_readers block=C buffer=B" 2>&1 | FileCheck %s --check-prefix=READERS --match-full-lines --strict-whitespace
func.func @lane_readers(%A: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 vectorized {
    %B = tir.alloc "B" : memref<1xf32>
    tir.block "B" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %B[0] : memref<1xf32>
    }
    tir.block "C" (spatial %v in 8 = %i) do {
      %x = tir.load %B[0] : memref<1xf32>
      tir.store %x, %C[%v] : memref<8xf32>
    }
    tir.block "D" (spatial %v in 8 = %i) do {
      %x = tir.load %B[0] : memref<1xf32>
      tir.store %x, %D[%v] : memref<8xf32>
    }
  }
  func.return
}
//READERS:error[KC3310]: cache_read: a copy of B cannot be placed
//READERS-NEXT:  --> {{.*}}cache_read_invalid.mlir:218:5  tir.block "C" (spatial %v in 8 = %i) do {
//READERS-NEXT:   |  for i in 8 vectorized:
//READERS-NEXT:   |    alloc B
//READERS-NEXT:   |    block B
//READERS-NEXT:   |    block C    <-- here
//READERS-NEXT:   |    block D
//READERS-NEXT:  why: B exists only in a vectorized loop, whose lanes would share the copy
//READERS-NEXT:  try: cache_read first, then vectorize

// The copy has elements that other virtual threads write, whether they are read or not.
// RUN: not kc-opt %s --cache-read="func=virtual block=B buffer=B scope=local" 2>&1 | FileCheck %s --check-prefix=VIRTUAL --match-full-lines --strict-whitespace
func.func @virtual(%A: memref<9x8xf32>, %B: memref<72xf32>) {
  tir.for %i in 8 {
    tir.for %t in 8 thread "vthread" {
      tir.block "A" (spatial %v_i in 9 = %i + 1, spatial %v_t in 8 = %t) do {
        %x = arith.constant 1.0 : f32
        tir.store %x, %B[%v_i * 8 + %v_t] : memref<72xf32>
      }
      tir.block "B" (opaque %v_i in 9 = %i + 1, opaque %v_t in 8 = %t) do {
        %x = tir.load %B[%v_i * 8 + %v_t - 8] : memref<72xf32>
        %y = tir.load %B[%v_i * 8 + %v_t] : memref<72xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %B[%v_i * 8 + %v_t] : memref<72xf32>
      }
    }
  }
  func.return
}
//VIRTUAL:error[KC3305]: cache_read: B changes between the copy and what block B reads
//VIRTUAL-NEXT:  --> {{.*}}cache_read_invalid.mlir:248:7  tir.block "B" (opaque %v_i in 9 = %i + 1, opaque %v_t in 8 = %t) do {
//VIRTUAL-NEXT:   |  for i in 8:
//VIRTUAL-NEXT:   |    for t in 8 vthread:
//VIRTUAL-NEXT:   |      block A
//VIRTUAL-NEXT:   |      block B    <-- reads B
//VIRTUAL-NEXT:  why: block B at (i=0, t=0) writes what another thread copies
