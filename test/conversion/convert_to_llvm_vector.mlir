// Vectors, arithmetic and functions of the math dialect.
// RUN: kc-opt %s --convert-to-llvm --split-input-file | FileCheck %s

// Vectors are loaded with the alignment of an element.

// CHECK-LABEL: llvm.func @vectors
// CHECK:         %[[TWO:.*]] = llvm.mlir.constant(dense<2.000000e+00> : vector<8xf32>) : vector<8xf32>
// CHECK:         %v = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:    %[[POISON:.*]] = llvm.mlir.poison : vector<8xf32>
// CHECK-NEXT:    %[[ONE:.*]] = llvm.insertelement %x, %[[POISON]][%{{.*}} : i32] : vector<8xf32>
// CHECK-NEXT:    %w = llvm.shufflevector %[[ONE]], %[[POISON]] [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
// CHECK-NEXT:    %y = llvm.intr.fma(%v, %w, %[[TWO]]) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// CHECK:         llvm.store %y, %{{.*}} {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
// CHECK-NEXT:    %e = llvm.extractelement %y[%{{.*}} : i32] : vector<8xf32>
// CHECK-NEXT:    %s = "llvm.intr.vector.reduce.fadd"(%e, %y) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<8xf32>) -> f32
func.func @vectors(%A: memref<?xf32>, %B: memref<f32>, %i: index, %x: f32) {
  %two = arith.constant 2.0 : f32
  %v = vector.load %A[%i] : memref<?xf32>, vector<8xf32>
  %w = vector.broadcast %x : f32 to vector<8xf32>
  %t = vector.broadcast %two : f32 to vector<8xf32>
  %y = vector.fma %v, %w, %t : vector<8xf32>
  vector.store %y, %A[%i] {nontemporal = true} : memref<?xf32>, vector<8xf32>
  %e = vector.extract %y[3] : f32 from vector<8xf32>
  %s = vector.reduction <add>, %y, %e fastmath<reassoc> : vector<8xf32> into f32
  memref.store %s, %B[] : memref<f32>
  func.return
}

// -----

// CHECK-LABEL: llvm.func @tail
// CHECK:         %[[LANES:.*]] = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi64>) : vector<4xi64>
// CHECK:         %m = llvm.icmp "slt" %[[LANES]], %{{.*}} : vector<4xi64>
// CHECK:         %v = llvm.intr.masked.load %{{.*}}, %m, %{{.*}} {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
// CHECK:         llvm.intr.masked.store %v, %{{.*}}, %m {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
func.func @tail(%A: memref<?xf32>, %i: index, %n: index) {
  %z = arith.constant dense<0.0> : vector<4xf32>
  %m = vector.create_mask %n : vector<4xi1>
  %v = vector.maskedload %A[%i], %m, %z : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %A[%i], %m, %v : memref<?xf32>, vector<4xi1>, vector<4xf32>
  func.return
}

// -----

// Flags of wrapping and of floats are kept. A floor division by a power of two is a shift.

// CHECK-LABEL: llvm.func @flags
// CHECK:         llvm.add %i, %j overflow<nsw,nuw> : i64
// CHECK-NEXT:    llvm.ashr %i, %{{.*}} : i64
// CHECK-NEXT:    %[[Q:.*]] = llvm.sdiv %i, %j : i64
// CHECK-NEXT:    %[[P:.*]] = llvm.mul %[[Q]], %j : i64
// CHECK-NEXT:    %[[NE:.*]] = llvm.icmp "ne" %[[P]], %i : i64
// CHECK-NEXT:    %[[X:.*]] = llvm.xor %i, %j : i64
// CHECK-NEXT:    %[[LT:.*]] = llvm.icmp "slt" %[[X]], %{{.*}} : i64
// CHECK-NEXT:    %[[ADJUST:.*]] = llvm.and %[[NE]], %[[LT]] : i1
// CHECK-NEXT:    %[[MINUS:.*]] = llvm.sext %[[ADJUST]] : i1 to i64
// CHECK-NEXT:    %{{.*}} = llvm.add %[[Q]], %[[MINUS]] : i64
// CHECK-NEXT:    llvm.fcmp "olt" %x, %x {fastmathFlags = #llvm.fastmath<nnan>} : f32
// CHECK-NEXT:    llvm.intr.maximum(%x, %x) {fastmathFlags = #llvm.fastmath<fast>} : (f32, f32) -> f32
func.func @flags(%i: index, %j: index, %x: f32) {
  %c64 = arith.constant 64 : index
  %a = arith.addi %i, %j overflow<nsw, nuw> : index
  %b = arith.floordivsi %i, %c64 : index
  %c = arith.floordivsi %i, %j : index
  %d = arith.cmpf olt, %x, %x fastmath<nnan> : f32
  %e = arith.maximumf %x, %x fastmath<fast> : f32
  func.return
}

// -----

// Functions of f16 are computed in f32; what LLVM has no intrinsic for is called lane by lane.

// CHECK-LABEL: llvm.func @functions
// CHECK:         %[[WIDE:.*]] = llvm.fpext %h : f16 to f32
// CHECK-NEXT:    %[[E:.*]] = llvm.intr.exp(%[[WIDE]]) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
// CHECK-NEXT:    llvm.fptrunc %[[E]] : f32 to f16
// CHECK-NEXT:    %[[P:.*]] = llvm.mlir.poison : vector<2xf64>
// CHECK-NEXT:    %[[L0:.*]] = llvm.extractelement %v[%{{.*}} : i32] : vector<2xf64>
// CHECK-NEXT:    %[[R0:.*]] = llvm.call @erf(%[[L0]]) : (f64) -> f64
// CHECK-NEXT:    %[[I0:.*]] = llvm.insertelement %[[R0]], %[[P]][%{{.*}} : i32] : vector<2xf64>
// CHECK:         llvm.call @erff(%x) : (f32) -> f32
// CHECK:         %[[S:.*]] = llvm.intr.sqrt(%x) : (f32) -> f32
// CHECK-NEXT:    llvm.fdiv %{{.*}}, %[[S]] : f32
// CHECK:       llvm.func @erf(f64) -> f64 attributes {memory_effects = #llvm.memory_effects<{{.*}}>, no_unwind, will_return}
// CHECK:       llvm.func @erff(f32) -> f32
func.func @functions(%h: f16, %v: vector<2xf64>, %x: f32) {
  %a = math.exp %h fastmath<afn> : f16
  %b = math.erf %v : vector<2xf64>
  %c = math.erf %x : f32
  %d = math.rsqrt %x : f32
  func.return
}
