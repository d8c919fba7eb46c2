// RUN: kc-opt %s --target="llvm -mcpu=skylake-avx512" --convert-to-llvm --split-input-file | FileCheck %s
// RUN: kc-opt %s --target="llvm -mcpu=haswell" --convert-to-llvm --split-input-file | FileCheck %s --check-prefix=NARROW
// RUN: kc-opt %s --target="llvm -mcpu=knl" --convert-to-llvm --split-input-file | FileCheck %s --check-prefix=NARROW

// A maximum in vectors of 512 bits: what AVX-512 gives where nothing is NaN, else the sum, which is.

// CHECK-LABEL: llvm.func @single
// CHECK:         %[[RANGE:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%[[A:.*]], %[[B:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (vector<16xf32>, vector<16xf32>, i32, vector<16xf32>, i16, i32) -> vector<16xf32>
// CHECK:         %[[NAN:.*]] = llvm.fcmp "uno" %[[A]], %[[B]] : vector<16xf32>
// CHECK:         %[[SUM:.*]] = llvm.fadd %[[A]], %[[B]] : vector<16xf32>
// CHECK:         llvm.select %[[NAN]], %[[SUM]], %[[RANGE]] : vector<16xi1>, vector<16xf32>
// NARROW-LABEL: llvm.func @single
// NARROW:        llvm.intr.maximum
func.func @single(%a: vector<16xf32>, %b: vector<16xf32>) -> vector<16xf32> {
  %c = arith.maximumf %a, %b : vector<16xf32>
  func.return %c : vector<16xf32>
}

// -----

// Wider vectors are compared in parts.

// CHECK-LABEL: llvm.func @in_parts
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.mask.range.pd.512"
// CHECK:         llvm.shufflevector {{.*}}[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
// CHECK:         llvm.fcmp "uno" {{.*}} : vector<16xf64>
// NARROW-LABEL: llvm.func @in_parts
// NARROW:        llvm.intr.minimum
func.func @in_parts(%a: vector<16xf64>, %b: vector<16xf64>) -> vector<16xf64> {
  %c = arith.minimumf %a, %b : vector<16xf64>
  func.return %c : vector<16xf64>
}

// -----

// Shorter vectors, constants, and what has flags, are LLVM's.

// CHECK-LABEL: llvm.func @left_alone
// CHECK-NOT:     llvm.call_intrinsic
// CHECK-COUNT-3: llvm.intr.maximum
// NARROW-LABEL: llvm.func @left_alone
// NARROW-COUNT-3: llvm.intr.maximum
func.func @left_alone(%a: vector<8xf32>, %b: vector<16xf32>) -> (vector<8xf32>, vector<16xf32>, vector<16xf32>) {
  %c = arith.maximumf %a, %a : vector<8xf32>
  %k = arith.constant dense<1.0> : vector<16xf32>
  %d = arith.maximumf %b, %k : vector<16xf32>
  %e = arith.maximumf %b, %d fastmath<nnan> : vector<16xf32>
  func.return %c, %d, %e : vector<8xf32>, vector<16xf32>, vector<16xf32>
}
