// RUN: kc-opt %s | kc-opt | FileCheck %s

// CHECK-LABEL: llvm.func @integers
llvm.func @integers(%a: i64, %b: i64, %v: vector<8xi32>) {
  // CHECK: llvm.add %{{.*}}, %{{.*}} overflow<nsw,nuw> : i64
  %0 = llvm.add %a, %b overflow<nsw, nuw> : i64
  // CHECK: llvm.sub %{{.*}}, %{{.*}} overflow<nsw> : i64
  %1 = llvm.sub %a, %b overflow<nsw> : i64
  // CHECK: llvm.mul %{{.*}}, %{{.*}} : vector<8xi32>
  %2 = llvm.mul %v, %v : vector<8xi32>
  // CHECK: llvm.udiv exact %{{.*}}, %{{.*}} : i64
  %3 = llvm.udiv exact %a, %b : i64
  // CHECK: llvm.sdiv %{{.*}}, %{{.*}} : i64
  %4 = llvm.sdiv %a, %b : i64
  // CHECK: llvm.urem %{{.*}}, %{{.*}} : i64
  %5 = llvm.urem %a, %b : i64
  // CHECK: llvm.srem %{{.*}}, %{{.*}} : i64
  %6 = llvm.srem %a, %b : i64
  // CHECK: llvm.and %{{.*}}, %{{.*}} : i64
  %7 = llvm.and %a, %b : i64
  // CHECK: llvm.or disjoint %{{.*}}, %{{.*}} : i64
  %8 = llvm.or disjoint %a, %b : i64
  // CHECK: llvm.xor %{{.*}}, %{{.*}} : i64
  %9 = llvm.xor %a, %b : i64
  // CHECK: llvm.shl %{{.*}}, %{{.*}} overflow<nuw> : i64
  %10 = llvm.shl %a, %b overflow<nuw> : i64
  // CHECK: llvm.lshr exact %{{.*}}, %{{.*}} : i64
  %11 = llvm.lshr exact %a, %b : i64
  // CHECK: llvm.ashr %{{.*}}, %{{.*}} : i64
  %12 = llvm.ashr %a, %b : i64
  llvm.return
}

// CHECK-LABEL: llvm.func @floats
llvm.func @floats(%x: f32, %h: f16, %b: bf16, %v: vector<16xf32>) {
  // CHECK: llvm.fadd %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : vector<16xf32>
  %0 = llvm.fadd %v, %v {fastmathFlags = #llvm.fastmath<contract>} : vector<16xf32>
  // CHECK: llvm.fsub %{{.*}}, %{{.*}} : f16
  %1 = llvm.fsub %h, %h : f16
  // CHECK: llvm.fmul %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<fast>} : f32
  %2 = llvm.fmul %x, %x {fastmathFlags = #llvm.fastmath<fast>} : f32
  // CHECK: llvm.fdiv %{{.*}}, %{{.*}} : bf16
  %3 = llvm.fdiv %b, %b : bf16
  // CHECK: llvm.frem %{{.*}}, %{{.*}} : f32
  %4 = llvm.frem %x, %x : f32
  // CHECK: llvm.fneg %{{.*}} : f32
  %5 = llvm.fneg %x : f32
  llvm.return
}

// CHECK-LABEL: llvm.func @casts
llvm.func @casts(%i: i64, %j: i32, %x: f32, %d: f64, %v: vector<8xi32>, %p: !llvm.ptr, %h: f16) {
  // CHECK: llvm.trunc %{{.*}} overflow<nsw,nuw> : i64 to i8
  %0 = llvm.trunc %i overflow<nsw, nuw> : i64 to i8
  // CHECK: llvm.trunc %{{.*}} : i64 to i1
  %1 = llvm.trunc %i : i64 to i1
  // CHECK: llvm.zext nneg %{{.*}} : i32 to i128
  %2 = llvm.zext nneg %j : i32 to i128
  // CHECK: llvm.sext %{{.*}} : vector<8xi32> to vector<8xi64>
  %3 = llvm.sext %v : vector<8xi32> to vector<8xi64>
  // CHECK: llvm.sitofp %{{.*}} : vector<8xi32> to vector<8xf32>
  %4 = llvm.sitofp %v : vector<8xi32> to vector<8xf32>
  // CHECK: llvm.uitofp nneg %{{.*}} : i32 to f64
  %5 = llvm.uitofp nneg %j : i32 to f64
  // CHECK: llvm.fptosi %{{.*}} : f32 to i32
  %6 = llvm.fptosi %x : f32 to i32
  // CHECK: llvm.fptoui %{{.*}} : f64 to i8
  %7 = llvm.fptoui %d : f64 to i8
  // CHECK: llvm.fpext %{{.*}} : f16 to f32
  %8 = llvm.fpext %h : f16 to f32
  // CHECK: llvm.fptrunc %{{.*}} : f64 to bf16
  %9 = llvm.fptrunc %d : f64 to bf16
  // CHECK: llvm.bitcast %{{.*}} : f32 to i32
  %10 = llvm.bitcast %x : f32 to i32
  // CHECK: llvm.bitcast %{{.*}} : vector<8xi32> to vector<4xf64>
  %11 = llvm.bitcast %v : vector<8xi32> to vector<4xf64>
  // CHECK: llvm.ptrtoint %{{.*}} : !llvm.ptr to i64
  %12 = llvm.ptrtoint %p : !llvm.ptr to i64
  // CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<3>
  %13 = llvm.inttoptr %i : i64 to !llvm.ptr<3>
  // CHECK: llvm.addrspacecast %{{.*}} : !llvm.ptr<3> to !llvm.ptr
  %14 = llvm.addrspacecast %13 : !llvm.ptr<3> to !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @choices
llvm.func @choices(%i: i64, %x: f32, %v: vector<8xf32>, %p: !llvm.ptr, %c: i1) {
  // CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i64
  %0 = llvm.icmp "slt" %i, %i : i64
  // CHECK: llvm.icmp "eq" %{{.*}}, %{{.*}} : !llvm.ptr
  %1 = llvm.icmp "eq" %p, %p : !llvm.ptr
  // CHECK: llvm.fcmp "olt" %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<nnan>} : f32
  %2 = llvm.fcmp "olt" %x, %x {fastmathFlags = #llvm.fastmath<nnan>} : f32
  // CHECK: %[[MASK:.*]] = llvm.fcmp "une" %{{.*}}, %{{.*}} : vector<8xf32>
  %3 = llvm.fcmp "une" %v, %v : vector<8xf32>
  // CHECK: llvm.select %[[MASK]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf32>
  %4 = llvm.select %3, %v, %v : vector<8xi1>, vector<8xf32>
  // CHECK: llvm.select %{{.*}} {fastmathFlags = #llvm.fastmath<nsz>} : i1, vector<8xf32>
  %5 = llvm.select %c, %v, %v {fastmathFlags = #llvm.fastmath<nsz>} : i1, vector<8xf32>
  // CHECK: llvm.select %{{.*}} : i1, !llvm.ptr
  %6 = llvm.select %c, %p, %p : i1, !llvm.ptr
  // CHECK: llvm.freeze %{{.*}} : f32
  %7 = llvm.freeze %x : f32
  llvm.return
}
