// Functions that nobody has scheduled get a schedule; kc-run says which of the two it did.

// RUN: kc-run %s --random 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: kc-opt %s --convert-te-to-tir | kc-run - --random 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: kc-run %s --random --auto-schedule=false 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: kc-opt %s --reorder="block=C loops=j,i" | kc-run - --random 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: kc-opt %s --reorder="block=C loops=j,i" | kc-run - --random --auto-schedule 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: kc-run %s --random --diagnostics-format=json 2>&1 | FileCheck %s --check-prefix=JSON

// CHOSEN-DAG: remark[KC3751]: a schedule was chosen for @twice
// CHOSEN-DAG: try: kc-opt --auto-schedule shows it; --auto-schedule=false runs the loops as written
// CHOSEN-DAG: C: float32[8, 64]
// ASKED-NOT: remark
// ASKED: C: float32[8, 64]
// ASKED-NOT: remark
// WRITTEN-DAG: remark[KC3750]: the loops of @twice are compiled as they are written
// WRITTEN-DAG: try: --auto-schedule chooses a schedule for loops, too
// JSON-DAG: {"kind": "remark", "code": "KC3751", {{.*}}}

// The mark is where loops come from te, and gone after the first primitive.
// RUN: kc-opt %s --convert-te-to-tir | FileCheck %s --check-prefix=MARK
// RUN: kc-opt %s --convert-te-to-tir --canonicalize | FileCheck %s --check-prefix=MARK
// RUN: kc-opt %s --split="block=C loop=j factors=?,8" | FileCheck %s --check-prefix=GONE
// RUN: kc-opt %s --auto-schedule | FileCheck %s --check-prefix=GONE
// RUN: kc-opt %s --lower-to-llvm | FileCheck %s --check-prefix=GONE
// MARK: func.func @twice({{.*}}) attributes {kc.unscheduled} {
// GONE-NOT: kc.unscheduled

// kc-translate chooses as kc.build does, and kc-opt's --lower-to-llvm lowers the loops as they are.
// RUN: kc-translate %s --to=llvmir | FileCheck %s --check-prefix=VECTORS
// RUN: kc-translate %s --to=llvmir --auto-schedule=false | FileCheck %s --check-prefix=SCALARS
// RUN: kc-opt %s --reorder="block=C loops=j,i" | kc-translate - --to=llvmir | FileCheck %s --check-prefix=SCALARS
// RUN: kc-opt %s --reorder="block=C loops=j,i" | kc-translate - --to=llvmir --auto-schedule | FileCheck %s --check-prefix=VECTORS
// RUN: kc-translate %s --to=cuda --target="cuda -arch=sm_80" | FileCheck %s --check-prefix=KERNEL
// RUN: not kc-translate %s --to=cuda --target="cuda -arch=sm_80" --auto-schedule=false 2>&1 | FileCheck %s --check-prefix=NONE
// VECTORS: fadd contract <{{[0-9]+}} x float>
// SCALARS-NOT: x float>
// SCALARS: fadd contract float
// SCALARS-NOT: x float>
// KERNEL: __global__
// NONE: error[KC4225]
te.func @twice(%A: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %C = te.compute "C" [%i = 8, %j = 64] {
    %a = te.read %A[%i, %j] : tensor<8x64xf32>
    %c = arith.addf %a, %a : f32
    te.yield %c : f32
  } : tensor<8x64xf32>
  te.return %C : tensor<8x64xf32>
}
