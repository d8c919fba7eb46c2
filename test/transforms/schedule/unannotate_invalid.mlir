// What unannotate refuses, and what it says then.
// RUN: not kc-opt %s --unannotate="key=a" 2>&1 | FileCheck %s --check-prefix=NOTHING --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unannotate="block=C key=tuned" 2>&1 | FileCheck %s --check-prefix=KEY --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unannotate="loop=i key=a" 2>&1 | FileCheck %s --check-prefix=NONE --match-full-lines --strict-whitespace

func.func @f(%C: memref<4xf32>) {
  tir.for %i in 4 {
    tir.block "C" (spatial %v_i in 4 = %i) annotations {tune, c = 2 : i64} do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %C[%v_i] : memref<4xf32>
    }
  }
  func.return
}

//NOTHING:error[KC3342]: unannotate: neither a loop nor a block is named
//NOTHING-NEXT:  --> {{.*}}unannotate_invalid.mlir:6:1  func.func @f(%C: memref<4xf32>) {
//NOTHING-NEXT:  try: block=NAME
//NOTHING-NEXT:  try: loop=NAME
//NOTHING-NEXT:  try: block=NAME loop=NAME

//KEY:error[KC3341]: unannotate: block C has no annotation 'tuned'
//KEY-NEXT:  --> {{.*}}unannotate_invalid.mlir:8:5  tir.block "C" (spatial %v_i in 4 = %i) annotations {tune, c = 2 : i64} do {
//KEY-NEXT:   |  for i in 4:
//KEY-NEXT:   |    block C    <-- here
//KEY-NEXT:  try: did you mean 'tune'?

//NONE:error[KC3341]: unannotate: loop i has no annotation 'a'
//NONE-NEXT:  --> {{.*}}unannotate_invalid.mlir:7:3  tir.for %i in 4 {
//NONE-NEXT:   |  for i in 4:    <-- here
//NONE-NEXT:   |    block C
//NONE-NEXT:  why: it has none at all
