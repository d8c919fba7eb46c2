// Modes, attributes, results, branches.
// RUN: kc-opt %s | kc-opt | FileCheck %s

// CHECK: gpu.module @more attributes {kc.note = "x"}
gpu.module @more attributes {kc.note = "x"} {
  // CHECK: gpu.func @two(%{{.*}}: f32 {kc.name = "x"}, %{{.*}}: i32) -> (f32, i32 {kc.mark})
  gpu.func @two(%x: f32 {kc.name = "x"}, %y: i32) -> (f32, i32 {kc.mark}) {
    // CHECK: gpu.return %{{.*}}, %{{.*}} : f32, i32
    gpu.return %x, %y : f32, i32
  }
  // CHECK: gpu.func @aligned() workgroup(%{{.*}}: memref<4xf32, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64}, %{{.*}}: memref<8xf32, #gpu.address_space<workgroup>>) kernel
  gpu.func @aligned() workgroup(%w: memref<4xf32, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64}, %v: memref<8xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
  // CHECK: gpu.func @modes(%{{.*}}: f32, %{{.*}}: vector<4xf16>, %{{.*}}: i32, %{{.*}}: i32) kernel
  gpu.func @modes(%x: f32, %v: vector<4xf16>, %o: i32, %n: i32) kernel {
    // CHECK: gpu.shuffle up %{{.*}}, %{{.*}}, %{{.*}} : f32
    %0, %p0 = gpu.shuffle up %x, %o, %n : f32
    // CHECK: gpu.shuffle idx %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf16>
    %1, %p1 = gpu.shuffle idx %v, %o, %n : vector<4xf16>
    // CHECK: gpu.all_reduce maxsi %{{.*}}
    %3 = gpu.all_reduce maxsi %o {
    } : (i32) -> i32
    // CHECK: gpu.subgroup_reduce minimumf %{{.*}} cluster(size = 8) : (f32) -> f32
    %4 = gpu.subgroup_reduce minimumf %x cluster(size = 8) : (f32) -> f32
    cf.br ^bb1
  ^bb1:
    // CHECK: gpu.return
    gpu.return
  }
}
func.func @queued(%s: !llvm.ptr, %n: i64, %m: memref<*xf32>, %d: i32, %k: index) attributes {kc.mark} {
  // CHECK: gpu.set_default_device %{{.*}}
  gpu.set_default_device %d
  // CHECK: gpu.host_register %{{.*}} : memref<*xf32>
  gpu.host_register %m : memref<*xf32>
  // CHECK: gpu.host_unregister %{{.*}} : memref<*xf32>
  gpu.host_unregister %m : memref<*xf32>
  // CHECK: gpu.alloc (%{{.*}})[%{{.*}}] : memref<?x4xf32, affine_map<(d0, d1)[s0] -> ((((d0 * 4) + d1) + s0))>>
  %a = gpu.alloc (%k)[%k] : memref<?x4xf32, affine_map<(d0, d1)[s0] -> (d0 * 4 + d1 + s0)>>
  // CHECK: gpu.launch blocks(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) threads(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %k, %gy = %k, %gz = %k) threads(%tx, %ty, %tz) in (%sx = %k, %sy = %k, %sz = %k) {
    %i = arith.addi %bx, %sx : index
    %j = arith.addi %tx, %gz : index
    // CHECK: gpu.terminator
    gpu.terminator
  } {kc.mark}
  func.return
}
