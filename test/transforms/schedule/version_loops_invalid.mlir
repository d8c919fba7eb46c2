// What version_loops refuses, and what it says then.
// RUN: not kc-opt %s --split-input-file --version-loops="block=C exponent=-20" 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

func.func @integers(%A: memref<6xi32> {kc.name = "A"}, %C: memref<6xi32> {kc.name = "C", kc.role = "out"}) {
  tir.for %i in 6 {
    tir.block "C" (spatial %v_i in 6 = %i) do {
      %a = tir.load %A[%v_i] : memref<6xi32>
      tir.store %a, %C[%v_i] : memref<6xi32>
    }
  }
  func.return
}

//CHECK:error[KC3623]: version_loops: block C loads no floating-point numbers from outside its loops
//CHECK-NEXT:  --> {{.*}}version_loops_invalid.mlir:6:5  tir.block "C" (spatial %v_i in 6 = %i) do {
//CHECK-NEXT:   |  for i in 6:
//CHECK-NEXT:   |    block C    <-- here
//CHECK-NEXT:  why: the numbers that the block loads select the version
//CHECK-NEXT:  try: name a block that reads arguments of bf16, f16, f32 or f64

// -----

func.func @in_place(%C: memref<6xf32> {kc.name = "C", kc.role = "inout"}) {
  tir.for %i in 6 {
    tir.block "C" (spatial %v_i in 6 = %i) do {
      %a = tir.load %C[%v_i] : memref<6xf32>
      %twice = arith.addf %a, %a : f32
      tir.store %twice, %C[%v_i] : memref<6xf32>
    }
  }
  func.return
}

//CHECK:error[KC3623]: version_loops: block C loads no floating-point numbers from outside its loops
//CHECK:  why: the numbers that the block loads select the version
//CHECK-NEXT:  try: name a block that reads arguments of bf16, f16, f32 or f64

// -----

func.func @of_a_buffer(%A: memref<6xf32> {kc.name = "A"}, %C: memref<6xf32> {kc.name = "C", kc.role = "out"}) {
  %B = tir.alloc "B" : memref<9xf32>
  tir.for %i in 6 {
    tir.block "B" (spatial %v_i in 6 = %i) do {
      %a = tir.load %A[%v_i] : memref<6xf32>
      %twice = arith.addf %a, %a : f32
      tir.store %twice, %B[%v_i] : memref<9xf32>
    }
  }
  tir.for %i in 6 {
    tir.block "C" (spatial %v_i in 6 = %i) do {
      %b = tir.load %B[%v_i] : memref<9xf32>
      tir.store %b, %C[%v_i] : memref<6xf32>
    }
  }
  func.return
}

//CHECK:error[KC3623]: version_loops: block C loads B, which is not an argument
//CHECK:   |    block C    <-- here
//CHECK-NEXT:  why: the condition reads all elements, and some of a buffer may be unwritten unless it is a copy of an argument or one earlier block writes all of it
//CHECK-NEXT:  try: make B an argument, or inline its producer

// -----

func.func @kernel(%A: memref<6xf32> {kc.name = "A"}, %C: memref<6xf32> {kc.name = "C", kc.role = "out"}) {
  tir.for %i in 6 thread "threadIdx.x" {
    tir.block "C" (spatial %v_i in 6 = %i) do {
      %a = tir.load %A[%v_i] : memref<6xf32>
      tir.store %a, %C[%v_i] : memref<6xf32>
    }
  }
  func.return
}

//CHECK:error[KC3624]: version_loops: the loops of block C cannot have two versions
//CHECK:   |  for i in 6 threadIdx.x:    <-- is bound
//CHECK-NEXT:   |    block C
//CHECK-NEXT:  why: a version is chosen on the CPU, before the threads of a kernel run
//CHECK-NEXT:  try: use version_loops in a schedule for a CPU

// -----

func.func @half(%A: memref<6xf16> {kc.name = "A"}, %C: memref<6xf16> {kc.name = "C", kc.role = "out"}) {
  tir.for %i in 6 {
    tir.block "C" (spatial %v_i in 6 = %i) do {
      %a = tir.load %A[%v_i] : memref<6xf16>
      tir.store %a, %C[%v_i] : memref<6xf16>
    }
  }
  func.return
}

//CHECK:error[KC3625]: version_loops: exponent -20 for A
//CHECK:   |    block C    <-- here
//CHECK-NEXT:  why: normal numbers of f16 are from 2^-14 to less than 2^16
//CHECK-NEXT:  try: exponent=-14

// -----

func.func @either(%A: memref<6xf32> {kc.name = "A"}, %B: memref<6xf32> {kc.name = "B"}, %first: i1 {kc.name = "first"}, %C: memref<6xf32> {kc.name = "C", kc.role = "out"}) {
  %V = arith.select %first, %A, %B : memref<6xf32>
  tir.for %i in 6 {
    tir.block "C" (spatial %v_i in 6 = %i) do {
      %a = tir.load %V[%v_i] : memref<6xf32>
      tir.store %a, %C[%v_i] : memref<6xf32>
    }
  }
  func.return
}

//CHECK:error[KC3623]: version_loops: block C loads V, which is not an argument
//CHECK:  try: make V an argument, or inline its producer

// -----

func.func @with_a_result(%A: memref<6xf32> {kc.name = "A"}, %n: index {kc.name = "n"}, %C: memref<6xf32> {kc.name = "C", kc.role = "out"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last = scf.for %i = %zero to %n step %one iter_args(%before = %zero) -> (index) {
    tir.block "C" (opaque %v_i in %n = %i) do {
      %a = tir.load %A[%v_i] : memref<6xf32>
      tir.store %a, %C[%v_i] : memref<6xf32>
    }
    scf.yield %i : index
  }
  func.return
}

//CHECK:error[KC3624]: version_loops: the loops of block C cannot have two versions
//CHECK:  why: scf.for is around it, and its results would have two sources
//CHECK-NEXT:  try: store the results of scf.for to a buffer
