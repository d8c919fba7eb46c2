// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Every special register, with and without a range.
// CHECK-LABEL: llvm.func @special_registers
llvm.func @special_registers() {
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.tid.x : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.tid.x"() : () -> i32
  %0 = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.tid.x range <i32, 0, 8> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.tid.x"() <{range = #llvm.constant_range<i32, 0, 8>}> : () -> i32
  %1 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 8> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.tid.y : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.tid.y"() : () -> i32
  %2 = nvvm.read.ptx.sreg.tid.y : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.tid.y range <i32, 0, 16> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.tid.y"() <{range = #llvm.constant_range<i32, 0, 16>}> : () -> i32
  %3 = nvvm.read.ptx.sreg.tid.y range <i32, 0, 16> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.tid.z : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.tid.z"() : () -> i32
  %4 = nvvm.read.ptx.sreg.tid.z : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.tid.z range <i32, 0, 24> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.tid.z"() <{range = #llvm.constant_range<i32, 0, 24>}> : () -> i32
  %5 = nvvm.read.ptx.sreg.tid.z range <i32, 0, 24> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.ntid.x : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.ntid.x"() : () -> i32
  %6 = nvvm.read.ptx.sreg.ntid.x : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.ntid.x range <i32, 0, 32> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.ntid.x"() <{range = #llvm.constant_range<i32, 0, 32>}> : () -> i32
  %7 = nvvm.read.ptx.sreg.ntid.x range <i32, 0, 32> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.ntid.y : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.ntid.y"() : () -> i32
  %8 = nvvm.read.ptx.sreg.ntid.y : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.ntid.y range <i32, 0, 40> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.ntid.y"() <{range = #llvm.constant_range<i32, 0, 40>}> : () -> i32
  %9 = nvvm.read.ptx.sreg.ntid.y range <i32, 0, 40> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.ntid.z : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.ntid.z"() : () -> i32
  %10 = nvvm.read.ptx.sreg.ntid.z : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.ntid.z range <i32, 0, 48> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.ntid.z"() <{range = #llvm.constant_range<i32, 0, 48>}> : () -> i32
  %11 = nvvm.read.ptx.sreg.ntid.z range <i32, 0, 48> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.ctaid.x : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.ctaid.x"() : () -> i32
  %12 = nvvm.read.ptx.sreg.ctaid.x : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 56> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.ctaid.x"() <{range = #llvm.constant_range<i32, 0, 56>}> : () -> i32
  %13 = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 56> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.ctaid.y : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.ctaid.y"() : () -> i32
  %14 = nvvm.read.ptx.sreg.ctaid.y : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.ctaid.y range <i32, 0, 64> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.ctaid.y"() <{range = #llvm.constant_range<i32, 0, 64>}> : () -> i32
  %15 = nvvm.read.ptx.sreg.ctaid.y range <i32, 0, 64> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.ctaid.z : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.ctaid.z"() : () -> i32
  %16 = nvvm.read.ptx.sreg.ctaid.z : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.ctaid.z range <i32, 0, 72> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.ctaid.z"() <{range = #llvm.constant_range<i32, 0, 72>}> : () -> i32
  %17 = nvvm.read.ptx.sreg.ctaid.z range <i32, 0, 72> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nctaid.x : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nctaid.x"() : () -> i32
  %18 = nvvm.read.ptx.sreg.nctaid.x : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nctaid.x range <i32, 0, 80> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nctaid.x"() <{range = #llvm.constant_range<i32, 0, 80>}> : () -> i32
  %19 = nvvm.read.ptx.sreg.nctaid.x range <i32, 0, 80> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nctaid.y : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nctaid.y"() : () -> i32
  %20 = nvvm.read.ptx.sreg.nctaid.y : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nctaid.y range <i32, 0, 88> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nctaid.y"() <{range = #llvm.constant_range<i32, 0, 88>}> : () -> i32
  %21 = nvvm.read.ptx.sreg.nctaid.y range <i32, 0, 88> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nctaid.z : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nctaid.z"() : () -> i32
  %22 = nvvm.read.ptx.sreg.nctaid.z : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nctaid.z range <i32, 0, 96> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nctaid.z"() <{range = #llvm.constant_range<i32, 0, 96>}> : () -> i32
  %23 = nvvm.read.ptx.sreg.nctaid.z range <i32, 0, 96> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.clusterid.x : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.clusterid.x"() : () -> i32
  %24 = nvvm.read.ptx.sreg.clusterid.x : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.clusterid.x range <i32, 0, 104> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.clusterid.x"() <{range = #llvm.constant_range<i32, 0, 104>}> : () -> i32
  %25 = nvvm.read.ptx.sreg.clusterid.x range <i32, 0, 104> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.clusterid.y : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.clusterid.y"() : () -> i32
  %26 = nvvm.read.ptx.sreg.clusterid.y : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.clusterid.y range <i32, 0, 112> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.clusterid.y"() <{range = #llvm.constant_range<i32, 0, 112>}> : () -> i32
  %27 = nvvm.read.ptx.sreg.clusterid.y range <i32, 0, 112> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.clusterid.z : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.clusterid.z"() : () -> i32
  %28 = nvvm.read.ptx.sreg.clusterid.z : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.clusterid.z range <i32, 0, 120> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.clusterid.z"() <{range = #llvm.constant_range<i32, 0, 120>}> : () -> i32
  %29 = nvvm.read.ptx.sreg.clusterid.z range <i32, 0, 120> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nclusterid.x : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nclusterid.x"() : () -> i32
  %30 = nvvm.read.ptx.sreg.nclusterid.x : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nclusterid.x range <i32, 0, 128> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nclusterid.x"() <{range = #llvm.constant_range<i32, 0, 128>}> : () -> i32
  %31 = nvvm.read.ptx.sreg.nclusterid.x range <i32, 0, 128> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nclusterid.y : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nclusterid.y"() : () -> i32
  %32 = nvvm.read.ptx.sreg.nclusterid.y : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nclusterid.y range <i32, 0, 136> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nclusterid.y"() <{range = #llvm.constant_range<i32, 0, 136>}> : () -> i32
  %33 = nvvm.read.ptx.sreg.nclusterid.y range <i32, 0, 136> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nclusterid.z : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nclusterid.z"() : () -> i32
  %34 = nvvm.read.ptx.sreg.nclusterid.z : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nclusterid.z range <i32, 0, 144> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nclusterid.z"() <{range = #llvm.constant_range<i32, 0, 144>}> : () -> i32
  %35 = nvvm.read.ptx.sreg.nclusterid.z range <i32, 0, 144> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.ctaid.x"() : () -> i32
  %36 = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.ctaid.x range <i32, 0, 152> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.ctaid.x"() <{range = #llvm.constant_range<i32, 0, 152>}> : () -> i32
  %37 = nvvm.read.ptx.sreg.cluster.ctaid.x range <i32, 0, 152> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.ctaid.y : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.ctaid.y"() : () -> i32
  %38 = nvvm.read.ptx.sreg.cluster.ctaid.y : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.ctaid.y range <i32, 0, 160> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.ctaid.y"() <{range = #llvm.constant_range<i32, 0, 160>}> : () -> i32
  %39 = nvvm.read.ptx.sreg.cluster.ctaid.y range <i32, 0, 160> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.ctaid.z : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.ctaid.z"() : () -> i32
  %40 = nvvm.read.ptx.sreg.cluster.ctaid.z : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.ctaid.z range <i32, 0, 168> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.ctaid.z"() <{range = #llvm.constant_range<i32, 0, 168>}> : () -> i32
  %41 = nvvm.read.ptx.sreg.cluster.ctaid.z range <i32, 0, 168> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.nctaid.x : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.nctaid.x"() : () -> i32
  %42 = nvvm.read.ptx.sreg.cluster.nctaid.x : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.nctaid.x range <i32, 0, 176> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.nctaid.x"() <{range = #llvm.constant_range<i32, 0, 176>}> : () -> i32
  %43 = nvvm.read.ptx.sreg.cluster.nctaid.x range <i32, 0, 176> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.nctaid.y : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.nctaid.y"() : () -> i32
  %44 = nvvm.read.ptx.sreg.cluster.nctaid.y : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.nctaid.y range <i32, 0, 184> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.nctaid.y"() <{range = #llvm.constant_range<i32, 0, 184>}> : () -> i32
  %45 = nvvm.read.ptx.sreg.cluster.nctaid.y range <i32, 0, 184> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.nctaid.z : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.nctaid.z"() : () -> i32
  %46 = nvvm.read.ptx.sreg.cluster.nctaid.z : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.nctaid.z range <i32, 0, 192> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.nctaid.z"() <{range = #llvm.constant_range<i32, 0, 192>}> : () -> i32
  %47 = nvvm.read.ptx.sreg.cluster.nctaid.z range <i32, 0, 192> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.ctarank : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.ctarank"() : () -> i32
  %48 = nvvm.read.ptx.sreg.cluster.ctarank : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.ctarank range <i32, 0, 200> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.ctarank"() <{range = #llvm.constant_range<i32, 0, 200>}> : () -> i32
  %49 = nvvm.read.ptx.sreg.cluster.ctarank range <i32, 0, 200> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.nctarank : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.nctarank"() : () -> i32
  %50 = nvvm.read.ptx.sreg.cluster.nctarank : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.cluster.nctarank range <i32, 0, 208> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.cluster.nctarank"() <{range = #llvm.constant_range<i32, 0, 208>}> : () -> i32
  %51 = nvvm.read.ptx.sreg.cluster.nctarank range <i32, 0, 208> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.laneid : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.laneid"() : () -> i32
  %52 = nvvm.read.ptx.sreg.laneid : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.laneid range <i32, 0, 216> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.laneid"() <{range = #llvm.constant_range<i32, 0, 216>}> : () -> i32
  %53 = nvvm.read.ptx.sreg.laneid range <i32, 0, 216> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.warpid : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.warpid"() : () -> i32
  %54 = nvvm.read.ptx.sreg.warpid : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.warpid range <i32, 0, 224> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.warpid"() <{range = #llvm.constant_range<i32, 0, 224>}> : () -> i32
  %55 = nvvm.read.ptx.sreg.warpid range <i32, 0, 224> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nwarpid : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nwarpid"() : () -> i32
  %56 = nvvm.read.ptx.sreg.nwarpid : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nwarpid range <i32, 0, 232> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nwarpid"() <{range = #llvm.constant_range<i32, 0, 232>}> : () -> i32
  %57 = nvvm.read.ptx.sreg.nwarpid range <i32, 0, 232> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.smid : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.smid"() : () -> i32
  %58 = nvvm.read.ptx.sreg.smid : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.smid range <i32, 0, 240> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.smid"() <{range = #llvm.constant_range<i32, 0, 240>}> : () -> i32
  %59 = nvvm.read.ptx.sreg.smid range <i32, 0, 240> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nsmid : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nsmid"() : () -> i32
  %60 = nvvm.read.ptx.sreg.nsmid : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.nsmid range <i32, 0, 248> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.nsmid"() <{range = #llvm.constant_range<i32, 0, 248>}> : () -> i32
  %61 = nvvm.read.ptx.sreg.nsmid range <i32, 0, 248> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.gridid : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.gridid"() : () -> i32
  %62 = nvvm.read.ptx.sreg.gridid : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.gridid range <i32, 0, 256> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.gridid"() <{range = #llvm.constant_range<i32, 0, 256>}> : () -> i32
  %63 = nvvm.read.ptx.sreg.gridid range <i32, 0, 256> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.warpsize : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.warpsize"() : () -> i32
  %64 = nvvm.read.ptx.sreg.warpsize : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.warpsize range <i32, 0, 264> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.warpsize"() <{range = #llvm.constant_range<i32, 0, 264>}> : () -> i32
  %65 = nvvm.read.ptx.sreg.warpsize range <i32, 0, 264> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.lanemask.eq : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.lanemask.eq"() : () -> i32
  %66 = nvvm.read.ptx.sreg.lanemask.eq : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.lanemask.le : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.lanemask.le"() : () -> i32
  %67 = nvvm.read.ptx.sreg.lanemask.le : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.lanemask.lt : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.lanemask.lt"() : () -> i32
  %68 = nvvm.read.ptx.sreg.lanemask.lt : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.lanemask.ge : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.lanemask.ge"() : () -> i32
  %69 = nvvm.read.ptx.sreg.lanemask.ge : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.lanemask.gt : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.lanemask.gt"() : () -> i32
  %70 = nvvm.read.ptx.sreg.lanemask.gt : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.dynamic.smem.size : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.dynamic.smem.size"() : () -> i32
  %71 = nvvm.read.ptx.sreg.dynamic.smem.size : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.total.smem.size : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.total.smem.size"() : () -> i32
  %72 = nvvm.read.ptx.sreg.total.smem.size : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.aggr.smem.size : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.aggr.smem.size"() : () -> i32
  %73 = nvvm.read.ptx.sreg.aggr.smem.size : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.clock : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.clock"() : () -> i32
  %74 = nvvm.read.ptx.sreg.clock : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.globaltimer.lo : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.globaltimer.lo"() : () -> i32
  %75 = nvvm.read.ptx.sreg.globaltimer.lo : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.clock64 : i64
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.clock64"() : () -> i64
  %76 = nvvm.read.ptx.sreg.clock64 : i64
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.globaltimer : i64
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.globaltimer"() : () -> i64
  %77 = nvvm.read.ptx.sreg.globaltimer : i64
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.tid.x range <i32, 0, 0> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.tid.x"() <{range = #llvm.constant_range<i32, 0, 0>}> : () -> i32
  %78 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 0> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.tid.x range <i32, -1, -1> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.tid.x"() <{range = #llvm.constant_range<i32, -1, -1>}> : () -> i32
  %79 = nvvm.read.ptx.sreg.tid.x range <i32, -1, -1> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.tid.x range <i32, 4, 3> : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.tid.x"() <{range = #llvm.constant_range<i32, 4, 3>}> : () -> i32
  %80 = nvvm.read.ptx.sreg.tid.x range <i32, 4, 3> : i32
  // CHECK: %{{.*}} = nvvm.read.ptx.sreg.tid.x range <i32, -4, -1> {note} : i32
  // GENERIC: %{{.*}} = "nvvm.read.ptx.sreg.tid.x"() <{range = #llvm.constant_range<i32, -4, -1>}> {note} : () -> i32
  %81 = nvvm.read.ptx.sreg.tid.x range <i32, -4, 4294967295> {note} : i32
  llvm.return
}
