// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Registers, launches, sleeping, leaving, approximations.
// CHECK-LABEL: llvm.func @control
llvm.func @control(%i: i32, %f: f32) {
  // CHECK: nvvm.setmaxregister increase 232
  // GENERIC: "nvvm.setmaxregister"() <{action = #nvvm<action increase>, regCount = 232 : i32}> : () -> ()
  nvvm.setmaxregister increase 232
  // CHECK: nvvm.setmaxregister decrease 24 {note}
  // GENERIC: "nvvm.setmaxregister"() <{action = #nvvm<action decrease>, regCount = 24 : i32}> {note} : () -> ()
  nvvm.setmaxregister decrease 24 {note}
  // CHECK: nvvm.griddepcontrol wait
  // GENERIC: "nvvm.griddepcontrol"() <{kind = #nvvm<grid_dep_action wait>}> : () -> ()
  nvvm.griddepcontrol wait
  // CHECK: nvvm.griddepcontrol launch_dependents {note}
  // GENERIC: "nvvm.griddepcontrol"() <{kind = #nvvm<grid_dep_action launch_dependents>}> {note} : () -> ()
  nvvm.griddepcontrol launch_dependents {note}
  // CHECK: nvvm.nanosleep %i
  // GENERIC: "nvvm.nanosleep"(%i) : (i32) -> ()
  nvvm.nanosleep %i
  // CHECK: nvvm.exit
  // GENERIC: "nvvm.exit"() : () -> ()
  nvvm.exit
  // CHECK: %{{.*}} = nvvm.rcp.approx.ftz.f %f : f32
  // GENERIC: %{{.*}} = "nvvm.rcp.approx.ftz.f"(%f) : (f32) -> f32
  %0 = nvvm.rcp.approx.ftz.f %f : f32
  // CHECK: %{{.*}} = nvvm.rcp.approx.ftz.f %f {note} : f32
  // GENERIC: %{{.*}} = "nvvm.rcp.approx.ftz.f"(%f) {note} : (f32) -> f32
  %1 = nvvm.rcp.approx.ftz.f %f {note} : f32
  llvm.return
}

// Lines of caches.
// CHECK-LABEL: llvm.func @prefetches
llvm.func @prefetches(%p: !llvm.ptr, %g: !llvm.ptr<1>, %c: !llvm.ptr<4>, %l: !llvm.ptr<5>, %b: i1) {
  // CHECK: nvvm.prefetch level = L1, %g : !llvm.ptr<1>
  // GENERIC: "nvvm.prefetch"(%g) <{cacheLevel = #nvvm<prefetch_cache_level L1>}> : (!llvm.ptr<1>) -> ()
  nvvm.prefetch level = L1, %g : !llvm.ptr<1>
  // CHECK: nvvm.prefetch level = L2, %l {note} : !llvm.ptr<5>
  // GENERIC: "nvvm.prefetch"(%l) <{cacheLevel = #nvvm<prefetch_cache_level L2>}> {note} : (!llvm.ptr<5>) -> ()
  nvvm.prefetch level = L2, %l {note} : !llvm.ptr<5>
  // CHECK: nvvm.prefetch level = L2, %p : !llvm.ptr
  // GENERIC: "nvvm.prefetch"(%p) <{cacheLevel = #nvvm<prefetch_cache_level L2>}> : (!llvm.ptr) -> ()
  nvvm.prefetch level = L2, %p : !llvm.ptr
  // CHECK: nvvm.prefetch level = L1 uniform, %p : !llvm.ptr
  // GENERIC: "nvvm.prefetch"(%p) <{cacheLevel = #nvvm<prefetch_cache_level L1>, uniform}> : (!llvm.ptr) -> ()
  nvvm.prefetch level = L1 uniform, %p : !llvm.ptr
  // CHECK: nvvm.prefetch level = L2, evict_priority = evict_last, %g : !llvm.ptr<1>
  // GENERIC: "nvvm.prefetch"(%g) <{cacheLevel = #nvvm<prefetch_cache_level L2>, evictPriority = #nvvm<cache_eviction_priority evict_last>}> : (!llvm.ptr<1>) -> ()
  nvvm.prefetch level = L2, evict_priority = evict_last, %g : !llvm.ptr<1>
  // CHECK: nvvm.prefetch level = L2, evict_priority = evict_normal, %g : !llvm.ptr<1>
  // GENERIC: "nvvm.prefetch"(%g) <{cacheLevel = #nvvm<prefetch_cache_level L2>, evictPriority = #nvvm<cache_eviction_priority evict_normal>}> : (!llvm.ptr<1>) -> ()
  nvvm.prefetch level = L2, evict_priority = evict_normal, %g : !llvm.ptr<1>
  // CHECK: nvvm.prefetch tensormap, %p : !llvm.ptr
  // GENERIC: "nvvm.prefetch"(%p) <{tensormap}> : (!llvm.ptr) -> ()
  nvvm.prefetch tensormap, %p : !llvm.ptr
  // CHECK: nvvm.prefetch tensormap, %c : !llvm.ptr<4>
  // GENERIC: "nvvm.prefetch"(%c) <{tensormap}> : (!llvm.ptr<4>) -> ()
  nvvm.prefetch tensormap, %c : !llvm.ptr<4>
  // CHECK: nvvm.prefetch tensormap in_param_space, %p : !llvm.ptr
  // GENERIC: "nvvm.prefetch"(%p) <{in_param_space, tensormap}> : (!llvm.ptr) -> ()
  nvvm.prefetch tensormap in_param_space, %p : !llvm.ptr
  // CHECK: nvvm.prefetch tensormap, %p, predicate = %b : !llvm.ptr, i1
  // GENERIC: "nvvm.prefetch"(%p, %b) <{tensormap}> : (!llvm.ptr, i1) -> ()
  nvvm.prefetch tensormap, %p, predicate = %b : !llvm.ptr, i1
  llvm.return
}

// Floats of 19 bits.
// CHECK-LABEL: llvm.func @rounded
llvm.func @rounded(%f: f32) {
  // CHECK: %{{.*}} = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}
  // GENERIC: %{{.*}} = "nvvm.convert.float.to.tf32"(%f) <{relu = false, rnd = #nvvm.fp_rnd_mode<rna>, sat = #nvvm.sat_mode<none>}> : (f32) -> i32
  %0 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}
  // CHECK: %{{.*}} = nvvm.convert.float.to.tf32 %f {relu = true, rnd = #nvvm.fp_rnd_mode<rn>}
  // GENERIC: %{{.*}} = "nvvm.convert.float.to.tf32"(%f) <{relu = true, rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<none>}> : (f32) -> i32
  %1 = nvvm.convert.float.to.tf32 %f {relu = true, rnd = #nvvm.fp_rnd_mode<rn>}
  // CHECK: %{{.*}} = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rz>}
  // GENERIC: %{{.*}} = "nvvm.convert.float.to.tf32"(%f) <{relu = false, rnd = #nvvm.fp_rnd_mode<rz>, sat = #nvvm.sat_mode<none>}> : (f32) -> i32
  %2 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rz>}
  // CHECK: %{{.*}} = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>, sat = #nvvm.sat_mode<satfinite>}
  // GENERIC: %{{.*}} = "nvvm.convert.float.to.tf32"(%f) <{relu = false, rnd = #nvvm.fp_rnd_mode<rna>, sat = #nvvm.sat_mode<satfinite>}> : (f32) -> i32
  %3 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>, sat = #nvvm.sat_mode<satfinite>}
  // CHECK: %{{.*}} = nvvm.convert.float.to.tf32 %f {note, rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>}
  // GENERIC: %{{.*}} = "nvvm.convert.float.to.tf32"(%f) <{relu = false, rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>}> {note} : (f32) -> i32
  %4 = nvvm.convert.float.to.tf32 %f {note, rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>}
  llvm.return
}
