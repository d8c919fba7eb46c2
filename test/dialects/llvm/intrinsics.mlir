// RUN: kc-opt %s | kc-opt | FileCheck %s

// CHECK-LABEL: llvm.func @floats
llvm.func @floats(%x: f32, %v: vector<8xf32>, %i: i32) {
  // CHECK: llvm.intr.exp(%{{.*}}) : (f32) -> f32
  %0 = llvm.intr.exp(%x) : (f32) -> f32
  // CHECK: llvm.intr.exp2(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>} : (vector<8xf32>) -> vector<8xf32>
  %1 = llvm.intr.exp2(%v) {fastmathFlags = #llvm.fastmath<afn>} : (vector<8xf32>) -> vector<8xf32>
  // CHECK: llvm.intr.exp10(
  %2 = llvm.intr.exp10(%x) : (f32) -> f32
  // CHECK: llvm.intr.log(
  %3 = llvm.intr.log(%x) : (f32) -> f32
  // CHECK: llvm.intr.log2(
  %4 = llvm.intr.log2(%x) : (f32) -> f32
  // CHECK: llvm.intr.log10(
  %5 = llvm.intr.log10(%x) : (f32) -> f32
  // CHECK: llvm.intr.sqrt(
  %6 = llvm.intr.sqrt(%x) : (f32) -> f32
  // CHECK: llvm.intr.pow(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
  %7 = llvm.intr.pow(%x, %x) : (f32, f32) -> f32
  // CHECK: llvm.intr.powi(%{{.*}}, %{{.*}}) : (f32, i32) -> f32
  %8 = llvm.intr.powi(%x, %i) : (f32, i32) -> f32
  // CHECK: llvm.intr.ldexp(
  %9 = llvm.intr.ldexp(%x, %i) : (f32, i32) -> f32
  // CHECK: llvm.intr.sin(
  %10 = llvm.intr.sin(%x) : (f32) -> f32
  // CHECK: llvm.intr.cos(
  %11 = llvm.intr.cos(%x) : (f32) -> f32
  // CHECK: llvm.intr.sincos(%{{.*}}) : (f32) -> !llvm.struct<(f32, f32)>
  %12 = llvm.intr.sincos(%x) : (f32) -> !llvm.struct<(f32, f32)>
  // CHECK: llvm.intr.tan(
  %13 = llvm.intr.tan(%x) : (f32) -> f32
  // CHECK: llvm.intr.asin(
  %14 = llvm.intr.asin(%x) : (f32) -> f32
  // CHECK: llvm.intr.acos(
  %15 = llvm.intr.acos(%x) : (f32) -> f32
  // CHECK: llvm.intr.atan(
  %16 = llvm.intr.atan(%x) : (f32) -> f32
  // CHECK: llvm.intr.atan2(
  %17 = llvm.intr.atan2(%x, %x) : (f32, f32) -> f32
  // CHECK: llvm.intr.sinh(
  %18 = llvm.intr.sinh(%x) : (f32) -> f32
  // CHECK: llvm.intr.cosh(
  %19 = llvm.intr.cosh(%x) : (f32) -> f32
  // CHECK: llvm.intr.tanh(
  %20 = llvm.intr.tanh(%x) : (f32) -> f32
  // CHECK: llvm.intr.fabs(
  %21 = llvm.intr.fabs(%x) : (f32) -> f32
  // CHECK: llvm.intr.floor(
  %22 = llvm.intr.floor(%x) : (f32) -> f32
  // CHECK: llvm.intr.ceil(
  %23 = llvm.intr.ceil(%x) : (f32) -> f32
  // CHECK: llvm.intr.trunc(
  %24 = llvm.intr.trunc(%x) : (f32) -> f32
  // CHECK: llvm.intr.round(
  %25 = llvm.intr.round(%x) : (f32) -> f32
  // CHECK: llvm.intr.roundeven(
  %26 = llvm.intr.roundeven(%x) : (f32) -> f32
  // CHECK: llvm.intr.rint(
  %27 = llvm.intr.rint(%x) : (f32) -> f32
  // CHECK: llvm.intr.nearbyint(
  %28 = llvm.intr.nearbyint(%x) : (f32) -> f32
  // CHECK: llvm.intr.lround(%{{.*}}) : (f32) -> i64
  %29 = llvm.intr.lround(%x) : (f32) -> i64
  // CHECK: llvm.intr.llround(
  %30 = llvm.intr.llround(%x) : (f32) -> i64
  // CHECK: llvm.intr.lrint(
  %31 = llvm.intr.lrint(%x) : (f32) -> i64
  // CHECK: llvm.intr.llrint(
  %32 = llvm.intr.llrint(%x) : (f32) -> i64
  // CHECK: llvm.intr.copysign(
  %33 = llvm.intr.copysign(%x, %x) : (f32, f32) -> f32
  // CHECK: llvm.intr.maxnum(
  %34 = llvm.intr.maxnum(%x, %x) : (f32, f32) -> f32
  // CHECK: llvm.intr.minnum(
  %35 = llvm.intr.minnum(%x, %x) : (f32, f32) -> f32
  // CHECK: llvm.intr.maximum(%{{.*}}, %{{.*}}) {fastmathFlags = #llvm.fastmath<fast>} : (f32, f32) -> f32
  %36 = llvm.intr.maximum(%x, %x) {fastmathFlags = #llvm.fastmath<fast>} : (f32, f32) -> f32
  // CHECK: llvm.intr.minimum(
  %37 = llvm.intr.minimum(%x, %x) : (f32, f32) -> f32
  // CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}}) {fastmathFlags = #llvm.fastmath<contract>} : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  %38 = llvm.intr.fma(%v, %v, %v) {fastmathFlags = #llvm.fastmath<contract>} : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  // CHECK: llvm.intr.fmuladd(
  %39 = llvm.intr.fmuladd(%x, %x, %x) : (f32, f32, f32) -> f32
  // CHECK: "llvm.intr.is.fpclass"(%{{.*}}) <{{.*}}bit{{.*}} = 3 : i32{{.*}}> : (f32) -> i1
  %40 = "llvm.intr.is.fpclass"(%x) <{bit = 3 : i32}> : (f32) -> i1
  llvm.return
}

// CHECK-LABEL: llvm.func @integers
llvm.func @integers(%i: i32, %v: vector<4xi64>) {
  // CHECK: llvm.intr.smax(%{{.*}}, %{{.*}}) : (i32, i32) -> i32
  %0 = llvm.intr.smax(%i, %i) : (i32, i32) -> i32
  // CHECK: llvm.intr.smin(
  %1 = llvm.intr.smin(%i, %i) : (i32, i32) -> i32
  // CHECK: llvm.intr.umax(
  %2 = llvm.intr.umax(%v, %v) : (vector<4xi64>, vector<4xi64>) -> vector<4xi64>
  // CHECK: llvm.intr.umin(
  %3 = llvm.intr.umin(%i, %i) : (i32, i32) -> i32
  // CHECK: llvm.intr.sadd.sat(
  %4 = llvm.intr.sadd.sat(%i, %i) : (i32, i32) -> i32
  // CHECK: llvm.intr.uadd.sat(
  %5 = llvm.intr.uadd.sat(%i, %i) : (i32, i32) -> i32
  // CHECK: llvm.intr.ssub.sat(
  %6 = llvm.intr.ssub.sat(%i, %i) : (i32, i32) -> i32
  // CHECK: llvm.intr.usub.sat(
  %7 = llvm.intr.usub.sat(%i, %i) : (i32, i32) -> i32
  // CHECK: llvm.intr.sshl.sat(
  %8 = llvm.intr.sshl.sat(%i, %i) : (i32, i32) -> i32
  // CHECK: llvm.intr.ushl.sat(
  %9 = llvm.intr.ushl.sat(%i, %i) : (i32, i32) -> i32
  // CHECK: llvm.intr.ctpop(%{{.*}}) : (i32) -> i32
  %10 = llvm.intr.ctpop(%i) : (i32) -> i32
  // CHECK: llvm.intr.bswap(
  %11 = llvm.intr.bswap(%i) : (i32) -> i32
  // CHECK: llvm.intr.bitreverse(
  %12 = llvm.intr.bitreverse(%i) : (i32) -> i32
  // CHECK: llvm.intr.fshl(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32) -> i32
  %13 = llvm.intr.fshl(%i, %i, %i) : (i32, i32, i32) -> i32
  // CHECK: llvm.intr.fshr(
  %14 = llvm.intr.fshr(%i, %i, %i) : (i32, i32, i32) -> i32
  // CHECK: "llvm.intr.ctlz"(%{{.*}}) <{{.*}}is_zero_poison{{.*}} = true{{.*}}> : (i32) -> i32
  %15 = "llvm.intr.ctlz"(%i) <{is_zero_poison = true}> : (i32) -> i32
  // CHECK: "llvm.intr.cttz"(%{{.*}}) <{{.*}}is_zero_poison{{.*}} = false{{.*}}> : (i32) -> i32
  %16 = "llvm.intr.cttz"(%i) <{is_zero_poison = false}> : (i32) -> i32
  // CHECK: "llvm.intr.abs"(%{{.*}}) <{{.*}}is_int_min_poison{{.*}} = false{{.*}}> : (i32) -> i32
  %17 = "llvm.intr.abs"(%i) <{is_int_min_poison = false}> : (i32) -> i32
  // CHECK: "llvm.intr.sadd.with.overflow"(%{{.*}}, %{{.*}}) : (i32, i32) -> !llvm.struct<(i32, i1)>
  %18 = "llvm.intr.sadd.with.overflow"(%i, %i) : (i32, i32) -> !llvm.struct<(i32, i1)>
  // CHECK: "llvm.intr.umul.with.overflow"(%{{.*}}) : (vector<4xi64>, vector<4xi64>) -> !llvm.struct<(vector<4xi64>, vector<4xi1>)>
  %19 = "llvm.intr.umul.with.overflow"(%v, %v) : (vector<4xi64>, vector<4xi64>) -> !llvm.struct<(vector<4xi64>, vector<4xi1>)>
  llvm.return
}

// CHECK-LABEL: llvm.func @vectors
llvm.func @vectors(%vi: vector<8xi32>, %vf: vector<8xf32>, %x: f32, %n: i64, %p: !llvm.ptr, %m: vector<8xi1>, %ps: vector<8x!llvm.ptr>) {
  // CHECK: "llvm.intr.vector.reduce.add"(%{{.*}}) : (vector<8xi32>) -> i32
  %0 = "llvm.intr.vector.reduce.add"(%vi) : (vector<8xi32>) -> i32
  // CHECK: "llvm.intr.vector.reduce.mul"
  %1 = "llvm.intr.vector.reduce.mul"(%vi) : (vector<8xi32>) -> i32
  // CHECK: "llvm.intr.vector.reduce.and"
  %2 = "llvm.intr.vector.reduce.and"(%vi) : (vector<8xi32>) -> i32
  // CHECK: "llvm.intr.vector.reduce.or"
  %3 = "llvm.intr.vector.reduce.or"(%vi) : (vector<8xi32>) -> i32
  // CHECK: "llvm.intr.vector.reduce.xor"
  %4 = "llvm.intr.vector.reduce.xor"(%vi) : (vector<8xi32>) -> i32
  // CHECK: "llvm.intr.vector.reduce.smax"
  %5 = "llvm.intr.vector.reduce.smax"(%vi) : (vector<8xi32>) -> i32
  // CHECK: "llvm.intr.vector.reduce.smin"
  %6 = "llvm.intr.vector.reduce.smin"(%vi) : (vector<8xi32>) -> i32
  // CHECK: "llvm.intr.vector.reduce.umax"
  %7 = "llvm.intr.vector.reduce.umax"(%vi) : (vector<8xi32>) -> i32
  // CHECK: "llvm.intr.vector.reduce.umin"
  %8 = "llvm.intr.vector.reduce.umin"(%vi) : (vector<8xi32>) -> i32
  // CHECK: llvm.intr.vector.reduce.fmax(%{{.*}}) : (vector<8xf32>) -> f32
  %9 = llvm.intr.vector.reduce.fmax(%vf) : (vector<8xf32>) -> f32
  // CHECK: llvm.intr.vector.reduce.fmin(
  %10 = llvm.intr.vector.reduce.fmin(%vf) : (vector<8xf32>) -> f32
  // CHECK: llvm.intr.vector.reduce.fmaximum(%{{.*}}) {fastmathFlags = #llvm.fastmath<nnan>} : (vector<8xf32>) -> f32
  %11 = llvm.intr.vector.reduce.fmaximum(%vf) {fastmathFlags = #llvm.fastmath<nnan>} : (vector<8xf32>) -> f32
  // CHECK: llvm.intr.vector.reduce.fminimum(
  %12 = llvm.intr.vector.reduce.fminimum(%vf) : (vector<8xf32>) -> f32
  // CHECK: "llvm.intr.vector.reduce.fadd"(%{{.*}}, %{{.*}}) <{{.*}}fastmathFlags{{.*}} = #llvm.fastmath<reassoc>{{.*}}> : (f32, vector<8xf32>) -> f32
  %13 = "llvm.intr.vector.reduce.fadd"(%x, %vf) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<8xf32>) -> f32
  // CHECK: "llvm.intr.vector.reduce.fmul"
  %14 = "llvm.intr.vector.reduce.fmul"(%x, %vf) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, vector<8xf32>) -> f32
  // CHECK: llvm.intr.vector.extract %{{.*}}[4] : vector<4xf32> from vector<8xf32>
  %15 = llvm.intr.vector.extract %vf[4] : vector<4xf32> from vector<8xf32>
  // CHECK: llvm.intr.vector.insert %{{.*}}, %{{.*}}[4] : vector<4xf32> into vector<8xf32>
  %16 = llvm.intr.vector.insert %15, %vf[4] : vector<4xf32> into vector<8xf32>
  // CHECK: llvm.intr.stepvector : vector<8xi32>
  %17 = llvm.intr.stepvector : vector<8xi32>
  // CHECK: llvm.intr.get.active.lane.mask %{{.*}}, %{{.*}} : i64, i64 to vector<8xi1>
  %18 = llvm.intr.get.active.lane.mask %n, %n : i64, i64 to vector<8xi1>
  // CHECK: llvm.intr.masked.load %{{.*}}, %{{.*}}, %{{.*}} {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  %19 = llvm.intr.masked.load %p, %m, %vf {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  // CHECK: llvm.intr.masked.load %{{.*}}, %{{.*}} {alignment = 64 : i32, nontemporal} : (!llvm.ptr, vector<8xi1>) -> vector<8xf32>
  %20 = llvm.intr.masked.load %p, %m {alignment = 64 : i32, nontemporal} : (!llvm.ptr, vector<8xi1>) -> vector<8xf32>
  // CHECK: llvm.intr.masked.store %{{.*}}, %{{.*}}, %{{.*}} {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
  llvm.intr.masked.store %19, %p, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
  // CHECK: llvm.intr.masked.gather %{{.*}}, %{{.*}}, %{{.*}} {alignment = 4 : i32} : (vector<8x!llvm.ptr>, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  %21 = llvm.intr.masked.gather %ps, %m, %vf {alignment = 4 : i32} : (vector<8x!llvm.ptr>, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  // CHECK: llvm.intr.masked.scatter %{{.*}}, %{{.*}}, %{{.*}} {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into vector<8x!llvm.ptr>
  llvm.intr.masked.scatter %21, %ps, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into vector<8x!llvm.ptr>
  llvm.return
}

// CHECK-LABEL: llvm.func @memory
llvm.func @memory(%p: !llvm.ptr, %q: !llvm.ptr, %n: i64, %c: i1) {
  // CHECK: "llvm.intr.memcpy"(%{{.*}}, %{{.*}}, %{{.*}}) <{{.*}}isVolatile{{.*}} = false{{.*}}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  "llvm.intr.memcpy"(%p, %q, %n) <{arg_attrs = [{llvm.align = 16 : i64}, {llvm.align = 16 : i64}, {}], isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  // CHECK: "llvm.intr.memmove"
  "llvm.intr.memmove"(%p, %q, %n) <{isVolatile = true}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %0 = llvm.mlir.constant(0 : i8) : i8
  // CHECK: "llvm.intr.memset"(%{{.*}}, %{{.*}}, %{{.*}}) <{{.*}}isVolatile{{.*}} = false{{.*}}> : (!llvm.ptr, i8, i64) -> ()
  "llvm.intr.memset"(%p, %0, %n) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
  // CHECK: "llvm.intr.prefetch"(%{{.*}}) <{{.*}}cache{{.*}} = 1 : i32, {{.*}}hint{{.*}} = 3 : i32, {{.*}}rw{{.*}} = 0 : i32{{.*}}> : (!llvm.ptr) -> ()
  "llvm.intr.prefetch"(%p) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
  // CHECK: llvm.intr.assume %{{.*}} : i1
  llvm.intr.assume %c : i1
  // CHECK: llvm.intr.assume %{{.*}} ["align"(%{{.*}}, %{{.*}} : !llvm.ptr, i64), "nonnull"(%{{.*}} : !llvm.ptr)] : i1
  %true = llvm.mlir.constant(true) : i1
  llvm.intr.assume %true ["align"(%p, %n : !llvm.ptr, i64), "nonnull"(%q : !llvm.ptr)] : i1
  // CHECK: llvm.intr.expect %{{.*}}, %{{.*}} : i1
  %1 = llvm.intr.expect %c, %c : i1
  %2 = llvm.alloca %n x i8 : (i64) -> !llvm.ptr
  // CHECK: llvm.intr.lifetime.start %{{.*}} : !llvm.ptr
  llvm.intr.lifetime.start %2 : !llvm.ptr
  // CHECK: llvm.intr.lifetime.end %{{.*}} : !llvm.ptr
  llvm.intr.lifetime.end %2 : !llvm.ptr
  // CHECK: llvm.intr.trap
  llvm.intr.trap
  llvm.return
}
