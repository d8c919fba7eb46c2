// What pragma refuses, and what it says then.
// RUN: not kc-opt %s --pragma="loop=k pragma-type=parallel" 2>&1 | FileCheck %s --check-prefix=PARALLEL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --pragma="loop=j pragma-type=debug_skip_region value=1" --pragma="loop=j pragma-type=debug_skip_region value=2" 2>&1 | FileCheck %s --check-prefix=OTHER --match-full-lines --strict-whitespace

te.func @two(%A: tensor<6x4xf32>) -> tensor<4xf32> {
  %B = te.compute "B" [%i = 6, %j = 4] {
    %a = te.read %A[%i, %j] : tensor<6x4xf32>
    te.yield %a : f32
  } : tensor<6x4xf32>
  %C = te.compute "C" [%i = 4] reduce sum [%k = 6] {
    %x = te.read %B[%k, %i] : tensor<6x4xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

//PARALLEL:error[KC3040]: parallel: loop k is a reduction of C
//PARALLEL-NEXT:  --> {{.*}}pragma_invalid.mlir:10:3  %C = te.compute "C" [%i = 4] reduce sum [%k = 6] {
//PARALLEL-NEXT:   |  for i in 4:
//PARALLEL-NEXT:   |    for k in 6:    <-- here
//PARALLEL-NEXT:   |      block C
//PARALLEL-NEXT:  why: C at (k=0) writes C[0], which C at (k=1) updates (for i = 0)
//PARALLEL-NEXT:  try: parallel a spatial loop: i

//OTHER:error[KC3340]: pragma: loop j already has the annotation 'pragma_debug_skip_region'
//OTHER-NEXT:  --> {{.*}}pragma_invalid.mlir:6:3  %B = te.compute "B" [%i = 6, %j = 4] {
//OTHER-NEXT:   |  for i in 6:
//OTHER-NEXT:   |    for j in 4:    <-- here
//OTHER-NEXT:   |      block B
//OTHER-NEXT:  why: its value is 1 : i64, not 2 : i64
//OTHER-NEXT:  try: unannotate pragma_debug_skip_region first
