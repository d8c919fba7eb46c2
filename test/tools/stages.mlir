// Parts of a pipeline: --compile-to, --from and --to.
// RUN: kc-opt %s --compile-to=tir | FileCheck %s --check-prefix=TIR
// RUN: kc-opt %s --lower-to-llvm --to=convert-te-to-tir | FileCheck %s --check-prefix=TIR
// RUN: kc-opt %s --split --compile-to=loops | FileCheck %s --check-prefix=LOOPS
// RUN: kc-opt %s --compile-to=scf | FileCheck %s --check-prefix=SCF
// RUN: kc-opt %s --lower-to-llvm --compile-to=scf | FileCheck %s --check-prefix=SCF
// RUN: kc-opt %s --compile-to=llvm | FileCheck %s --check-prefix=LLVM
// RUN: kc-opt %s --compile-to=tir | kc-opt - --lower-to-llvm --from=lower-init-block | FileCheck %s --check-prefix=LLVM
// RUN: kc-opt %s --compile-to=tir | kc-opt - --lower-to-llvm --from=lower-init-block --to=scf --mlir-timing 2>&1 >%t | FileCheck %s --check-prefix=PART
// RUN: not kc-opt %s --compile-to=lops 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not kc-opt %s --lower-to-llvm --from=scf --to=tir 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not kc-opt %s --to=tir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not kc-opt %s --compile-to=scf --to=tir 2>&1 | FileCheck %s --check-prefix=BOTH

// TIR:   tir.block "B"
// LOOPS-NOT: tir.block
// LOOPS: tir.for %i_o in 8
// LOOPS: tir.load
// SCF:   scf.for
// SCF:   memref.load
// LLVM:  llvm.func @f
// PART-NOT: convert-te-to-tir
// PART:  lower-init-block
// PART:  convert-tir-to-scf
// PART-NOT: convert-to-llvm

// UNKNOWN:      error[KC0024]: --compile-to: the passes have no stage 'lops'
// UNKNOWN-NEXT:   try: did you mean 'loops'?
// NOTHING:      error[KC0024]: the stage convert-tir-to-scf (--from) comes after convert-te-to-tir
// NOTHING-NEXT:   why: nothing would be left
// NONE:         error[KC0024]: --to: the passes have no stage 'tir'
// NONE-NEXT:      try: give passes
// BOTH:         error[KC0002]: --compile-to and --to exclude each other

te.func @f(%A: tensor<64xf32>) -> tensor<64xf32> {
  %B = te.compute "B" [%i = 64] {
    %a = te.read %A[%i] : tensor<64xf32>
    te.yield %a : f32
  } : tensor<64xf32>
  te.return %B : tensor<64xf32>
}
