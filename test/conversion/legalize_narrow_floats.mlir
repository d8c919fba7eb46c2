// Arithmetic on narrow floats becomes that of f32, rounded by integer arithmetic after each step.
// RUN: kc-opt %s --legalize-narrow-floats="func=add" | FileCheck %s --check-prefix=ADD
// RUN: kc-opt %s --legalize-narrow-floats="func=vectors" | FileCheck %s --check-prefix=VECTORS
// RUN: kc-opt %s --legalize-narrow-floats="func=half" --target="llvm -mcpu=x86-64" | FileCheck %s --check-prefix=HALF
// RUN: kc-opt %s --legalize-narrow-floats="func=half" --target="llvm -mcpu=x86-64-v3" | FileCheck %s --check-prefix=F16C
// RUN: kc-opt %s --legalize-narrow-floats="func=half" --target="llvm -mcpu=sapphirerapids" | FileCheck %s --check-prefix=NATIVE
// RUN: kc-opt %s --legalize-narrow-floats="func=half" --target="llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a76" | FileCheck %s --check-prefix=NATIVE
// RUN: kc-opt %s --legalize-narrow-floats="func=half" --target=c | FileCheck %s --check-prefix=NATIVE
// RUN: kc-opt %s --legalize-narrow-floats="func=add" --target="llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n2" | FileCheck %s --check-prefix=BFCVT
// RUN: kc-opt %s --legalize-narrow-floats="func=eight" | FileCheck %s --check-prefix=EIGHT
// RUN: kc-opt %s --legalize-narrow-floats="func=double" | FileCheck %s --check-prefix=DOUBLE
// RUN: kc-opt %s --legalize-narrow-floats="func=long" | FileCheck %s --check-prefix=LONG
// RUN: kc-opt %s --legalize-narrow-floats="func=signs" | FileCheck %s --check-prefix=SIGNS
// RUN: kc-opt %s --legalize-narrow-floats="func=lanes" | FileCheck %s --check-prefix=LANES
// RUN: kc-opt %s --legalize-narrow-floats="func=wide" | FileCheck %s --check-prefix=WIDE
// RUN: kc-opt %s --lower-to-llvm="func=vectors" | FileCheck %s --check-prefix=LLVM

func.func @add(%a: bf16, %b: bf16) -> bf16 {
  %0 = arith.addf %a, %b : bf16
  func.return %0 : bf16
}

// ADD-LABEL: func.func @add(%a: bf16, %b: bf16) -> bf16
// ADD-NEXT: %0 = arith.bitcast %a : bf16 to i16
// ADD-NEXT: %1 = arith.extui %0 : i16 to i32
// ADD-NEXT: %2 = arith.constant 16 : i32
// ADD-NEXT: %3 = arith.shli %1, %2 : i32
// ADD-NEXT: %4 = arith.bitcast %3 : i32 to f32
// ADD: %10 = arith.addf %4, %9 : f32
// ADD-NEXT: %11 = arith.bitcast %10 : f32 to i32
// ADD-NEXT: %12 = arith.constant 16 : i32
// ADD-NEXT: %13 = arith.shrui %11, %12 : i32
// ADD-NEXT: %14 = arith.constant 1 : i32
// ADD-NEXT: %15 = arith.andi %13, %14 : i32
// ADD-NEXT: %16 = arith.constant 32767 : i32
// ADD-NEXT: %17 = arith.addi %11, %16 : i32
// ADD-NEXT: %18 = arith.addi %17, %15 : i32
// ADD-NEXT: %19 = arith.cmpf uno, %10, %10 : f32
// ADD-NEXT: %20 = arith.constant 4194304 : i32
// ADD-NEXT: %21 = arith.ori %11, %20 : i32
// ADD-NEXT: %22 = arith.select %19, %21, %18 : i32
// ADD-NEXT: %23 = arith.constant 16 : i32
// ADD-NEXT: %24 = arith.shrui %22, %23 : i32
// ADD-NEXT: %25 = arith.trunci %24 : i32 to i16
// ADD-NEXT: %26 = arith.bitcast %25 : i16 to bf16
// ADD-NEXT: func.return %26 : bf16

// The rounding to bf16 of ARM is right for every number.
// BFCVT-LABEL: func.func @add
// BFCVT: [[SUM:%.*]] = arith.addf {{.*}} : f32
// BFCVT-NEXT: [[SHORT:%.*]] = arith.truncf [[SUM]] : f32 to bf16
// BFCVT-NEXT: func.return [[SHORT]] : bf16

func.func @vectors(%A: memref<16xbf16>, %B: memref<16xbf16>) {
  %0 = arith.constant 0 : index
  %1 = vector.load %A[%0] : memref<16xbf16>, vector<16xbf16>
  %2 = math.exp %1 : vector<16xbf16>
  vector.store %2, %B[%0] : memref<16xbf16>, vector<16xbf16>
  func.return
}

// VECTORS-LABEL: func.func @vectors
// VECTORS: %1 = vector.load {{.*}} : memref<16xbf16>, vector<16xbf16>
// VECTORS-NEXT: %2 = arith.bitcast %1 : vector<16xbf16> to vector<16xi16>
// VECTORS-NEXT: %3 = arith.extui %2 : vector<16xi16> to vector<16xi32>
// VECTORS-NEXT: %4 = arith.constant dense<16> : vector<16xi32>
// VECTORS-NEXT: %5 = arith.shli %3, %4 : vector<16xi32>
// VECTORS-NEXT: %6 = arith.bitcast %5 : vector<16xi32> to vector<16xf32>
// VECTORS-NEXT: %7 = math.exp %6 : vector<16xf32>
// VECTORS: arith.trunci {{.*}} : vector<16xi32> to vector<16xi16>

// LLVM-LABEL: llvm.func @vectors
// LLVM-NOT: fptrunc
// LLVM-NOT: fpext
// LLVM: llvm.intr.fma{{.*}}vector<16xf32>
// LLVM-NOT: fptrunc

func.func @half(%a: f16, %b: f16) -> f16 {
  %0 = arith.mulf %a, %b : f16
  func.return %0 : f16
}

// HALF-LABEL: func.func @half
// HALF: arith.sitofp {{.*}} : i32 to f32
// HALF: arith.mulf {{.*}} : f32
// HALF: arith.minui
// HALF: arith.addf {{.*}} : f32
// HALF-NOT: arith.truncf
// HALF: arith.bitcast {{.*}} : i16 to f16
// HALF-NEXT: func.return

// F16C-LABEL: func.func @half
// F16C-NEXT: %0 = arith.extf %a : f16 to f32
// F16C-NEXT: %1 = arith.extf %b : f16 to f32
// F16C-NEXT: %2 = arith.mulf %0, %1 : f32
// F16C-NEXT: %3 = arith.truncf %2 : f32 to f16
// F16C-NEXT: func.return %3 : f16

// NATIVE-LABEL: func.func @half
// NATIVE-NEXT: %0 = arith.mulf %a, %b : f16
// NATIVE-NEXT: func.return %0 : f16

func.func @eight(%a: vector<4xf8E4M3FN>) -> (vector<4xf8E4M3FN>, vector<4xi1>) {
  %0 = arith.constant dense<1.5> : vector<4xf8E4M3FN>
  %1 = arith.cmpf olt, %a, %0 : vector<4xf8E4M3FN>
  func.return %0, %1 : vector<4xf8E4M3FN>, vector<4xi1>
}

// 1.5 is 0.0111.100: 60.
// EIGHT-LABEL: func.func @eight
// EIGHT-NEXT: %0 = arith.constant dense<60> : vector<4xi8>
// EIGHT-NEXT: %1 = arith.bitcast %0 : vector<4xi8> to vector<4xf8E4M3FN>
// EIGHT-NEXT: arith.bitcast %a : vector<4xf8E4M3FN> to vector<4xi8>
// EIGHT: arith.cmpf olt, {{.*}} : vector<4xf32>
// EIGHT-NEXT: func.return %1, {{.*}} : vector<4xf8E4M3FN>, vector<4xi1>

func.func @double(%a: f64) -> bf16 {
  %0 = arith.truncf %a : f64 to bf16
  func.return %0 : bf16
}

// Rounded to an odd f32 first, which rounding to nearest then sees through.
// DOUBLE-LABEL: func.func @double
// DOUBLE-NEXT: %0 = arith.truncf %a : f64 to f32
// DOUBLE-NEXT: %1 = arith.extf %0 : f32 to f64
// DOUBLE: [[LARGER:%.*]] = arith.cmpf ogt
// DOUBLE: [[SMALLER:%.*]] = arith.cmpf ogt
// DOUBLE: [[EVEN:%.*]] = arith.cmpi eq
// DOUBLE: arith.select [[LARGER]]
// DOUBLE: arith.select [[SMALLER]]
// DOUBLE: arith.select [[EVEN]]
// DOUBLE: arith.bitcast {{.*}} : i16 to bf16

func.func @long(%a: i64, %b: i16) -> (bf16, bf16) {
  %0 = arith.sitofp %a : i64 to bf16
  %1 = arith.uitofp %b : i16 to bf16
  func.return %0, %1 : bf16, bf16
}

// Of 64 bits 53 are kept, and whether any other is set; 16 bits are exact in f32.
// LONG-LABEL: func.func @long
// LONG: arith.constant 2047 : i64
// LONG: arith.shrsi %a
// LONG: arith.ori
// LONG: arith.shli
// LONG: arith.sitofp {{.*}} : i64 to f64
// LONG: arith.uitofp %b : i16 to f32

func.func @signs(%a: bf16, %b: bf16) -> (bf16, bf16, bf16) {
  %0 = arith.negf %a : bf16
  %1 = math.absf %a : bf16
  %2 = math.copysign %a, %b : bf16
  func.return %0, %1, %2 : bf16, bf16, bf16
}

// SIGNS-LABEL: func.func @signs
// SIGNS-NEXT: %0 = arith.bitcast %a : bf16 to i16
// SIGNS-NEXT: %1 = arith.constant -32768 : i16
// SIGNS-NEXT: %2 = arith.xori %0, %1 : i16
// SIGNS-NEXT: %3 = arith.bitcast %2 : i16 to bf16
// SIGNS: arith.constant 32767 : i16
// SIGNS-NEXT: arith.andi
// SIGNS: arith.bitcast %b : bf16 to i16
// SIGNS: arith.ori
// SIGNS-NOT: f32
// SIGNS: func.return

func.func @lanes(%a: vector<2xbf16>) -> bf16 {
  %0 = vector.reduction <add>, %a : vector<2xbf16> into bf16
  func.return %0 : bf16
}

// LANES-LABEL: func.func @lanes
// LANES-NEXT: vector.extract %a[0] : bf16 from vector<2xbf16>
// LANES-NEXT: vector.extract %a[1] : bf16 from vector<2xbf16>
// LANES: arith.addf {{.*}} : f32
// LANES: [[SUM:%.*]] = arith.bitcast {{.*}} : i16 to bf16
// LANES-NEXT: func.return [[SUM]]

func.func @wide(%a: f32, %b: f32) -> f32 {
  %0 = arith.addf %a, %b : f32
  func.return %0 : f32
}

// WIDE-LABEL: func.func @wide
// WIDE-NEXT: %0 = arith.addf %a, %b : f32
// WIDE-NEXT: func.return %0 : f32
