// Each operation of gpu, as mlir-opt 22 prints it (but for doubled spaces).
// RUN: kc-opt %s | kc-opt | FileCheck %s

module attributes {gpu.container_module} {
  // CHECK: gpu.module @kernels
  gpu.module @kernels {
    // CHECK: gpu.func @k(%{{.*}}: memref<?xf32>, %{{.*}}: index) workgroup(%{{.*}}: memref<32xf32, #gpu.address_space<workgroup>>, %{{.*}}: memref<4xf32, 3 : i64>) private(%{{.*}}: memref<4xf32, #gpu.address_space<private>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>}
    gpu.func @k(%a: memref<?xf32>, %n: index) workgroup(%w: memref<32xf32, #gpu.address_space<workgroup>>, %w2: memref<4xf32, 3>) private(%p: memref<4xf32, #gpu.address_space<private>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
      // CHECK: gpu.thread_id x
      %tx = gpu.thread_id x
      // CHECK: gpu.thread_id y upper_bound 64
      %ty = gpu.thread_id y upper_bound 64
      // CHECK: gpu.block_id z
      %bx = gpu.block_id z
      // CHECK: gpu.block_dim x
      %bd = gpu.block_dim x
      // CHECK: gpu.grid_dim x
      %gd = gpu.grid_dim x
      // CHECK: gpu.global_id x
      %gi = gpu.global_id x
      // CHECK: gpu.lane_id
      %l = gpu.lane_id
      // CHECK: gpu.lane_id upper_bound 32
      %l2 = gpu.lane_id upper_bound 32
      // CHECK: gpu.subgroup_id : index
      %s = gpu.subgroup_id : index
      // CHECK: gpu.num_subgroups : index
      %ns = gpu.num_subgroups : index
      // CHECK: gpu.subgroup_size : index
      %ss = gpu.subgroup_size : index
      // CHECK: gpu.cluster_id x
      %ci = gpu.cluster_id x
      // CHECK: gpu.cluster_block_id x
      %cb = gpu.cluster_block_id x
      // CHECK: gpu.cluster_dim x
      %cd = gpu.cluster_dim x
      // CHECK: gpu.cluster_dim_blocks x
      %cdb = gpu.cluster_dim_blocks x
      // CHECK: gpu.barrier
      gpu.barrier
      %f = arith.constant 1.0 : f32
      %i = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      // CHECK: gpu.shuffle xor %{{.*}}, %{{.*}}, %{{.*}} : f32
      %v, %ok = gpu.shuffle xor %f, %i, %c32 : f32
      // CHECK: gpu.shuffle down %{{.*}}, %{{.*}}, %{{.*}} : f32
      %v2, %ok2 = gpu.shuffle down %f, %i, %c32 : f32
      // CHECK: gpu.subgroup_reduce add %{{.*}} : (f32) -> f32
      %r = gpu.subgroup_reduce add %f : (f32) -> f32
      // CHECK: gpu.subgroup_reduce maxnumf %{{.*}} uniform {x} : (f32) -> f32
      %r2 = gpu.subgroup_reduce maxnumf %f uniform {x} : (f32) -> f32
      // CHECK: gpu.subgroup_reduce add %{{.*}} cluster(size = 4, stride = 2) : (f32) -> f32
      %r3 = gpu.subgroup_reduce add %f cluster(size = 4, stride = 2) : (f32) -> f32
      // CHECK: gpu.all_reduce add %{{.*}} uniform
      %ar = gpu.all_reduce add %f uniform {} : (f32) -> f32
      // CHECK: gpu.all_reduce %{{.*}}
      %ar2 = gpu.all_reduce %f {
      ^bb0(%x: f32, %y: f32):
        %z = arith.addf %x, %y : f32
        // CHECK: gpu.yield %{{.*}} : f32
        gpu.yield %z : f32
      } : (f32) -> f32
      // CHECK: gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      // CHECK: gpu.printf "hello %{{.*}} %{{.*}}\0A", %{{.*}}, %{{.*}} : i32, f32
      gpu.printf "hello %d %f\n", %i, %f : i32, f32
      // CHECK: gpu.printf "hi"
      gpu.printf "hi"
      // CHECK: gpu.subgroup_broadcast %{{.*}}, first_active_lane : f32
      %sb = gpu.subgroup_broadcast %f, first_active_lane : f32
      // CHECK: gpu.subgroup_broadcast %{{.*}}, specific_lane %{{.*}} : f32
      %sb2 = gpu.subgroup_broadcast %f, specific_lane %i : f32
      // CHECK: gpu.rotate %{{.*}}, 4, 16 : f32
      %rot, %rv = gpu.rotate %f, 4, 16 : f32
      // CHECK: gpu.return
      gpu.return
    }
    // CHECK: gpu.func @dev(%{{.*}}: f32) -> f32
    gpu.func @dev(%x: f32) -> f32 {
      // CHECK: gpu.return %{{.*}} : f32
      gpu.return %x : f32
    }
  }
  func.func @host(%m: memref<?xf32>, %n: index, %sh: i32, %stream: !llvm.ptr) {
    %c1 = arith.constant 1 : index
    // CHECK: gpu.launch blocks(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) threads(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      // CHECK: gpu.terminator
      gpu.terminator
    }
    // CHECK: gpu.wait async
    %t0 = gpu.wait async
    // CHECK: gpu.launch async [%{{.*}}] blocks(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) threads(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) dynamic_shared_memory_size %{{.*}} workgroup(%{{.*}}: memref<4xf32, 3 : i64>) private(%{{.*}}: memref<4xf32, 5 : i64>)
    %t = gpu.launch async [%t0] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) dynamic_shared_memory_size %sh workgroup(%w: memref<4xf32, 3>) private(%p: memref<4xf32, 5>) {
      // CHECK: gpu.terminator
      gpu.terminator
    }
    // CHECK: gpu.launch clusters(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) blocks(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) threads(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) module(@kernels) function(@k)
    gpu.launch clusters(%cx, %cy, %cz) in (%dx = %c1, %dy = %c1, %dz = %c1) blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) module(@kernels) function(@k) {
      // CHECK: gpu.terminator
      gpu.terminator
    }
    // CHECK: gpu.launch_func @kernels::@k blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%{{.*}}, %{{.*}}, %{{.*}}) args(%{{.*}} : memref<?xf32>, %{{.*}} : index)
    gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<?xf32>, %n : index)
    // CHECK: gpu.launch_func async [%{{.*}}] @kernels::@k clusters in (%{{.*}}, %{{.*}}, %{{.*}}) blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%{{.*}}, %{{.*}}, %{{.*}}) dynamic_shared_memory_size %{{.*}} args(%{{.*}} : memref<?xf32>, %{{.*}} : index)
    %t2 = gpu.launch_func async [%t] @kernels::@k clusters in (%c1, %c1, %c1) blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %sh args(%m : memref<?xf32>, %n : index)
    %c64 = arith.constant 64 : i64
    // CHECK: gpu.launch_func <%{{.*}} : !llvm.ptr> @kernels::@k blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%{{.*}}, %{{.*}}, %{{.*}}) : i64 args(%{{.*}} : memref<?xf32>, %{{.*}} : index)
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@k blocks in (%c64, %c64, %c64) threads in (%c64, %c64, %c64) : i64 args(%m : memref<?xf32>, %n : index)
    // CHECK: gpu.alloc (%{{.*}}) : memref<?xf32, 1 : i64>
    %b = gpu.alloc (%n) : memref<?xf32, 1>
    // CHECK: gpu.alloc async [%{{.*}}] host_shared () : memref<13xf32, 1 : i64>
    %b2, %t3 = gpu.alloc async [%t2] host_shared () : memref<13xf32, 1>
    // CHECK: gpu.memcpy async [%{{.*}}] %{{.*}}, %{{.*}} : memref<?xf32, 1 : i64>, memref<?xf32>
    %t4 = gpu.memcpy async [%t3] %b, %m : memref<?xf32, 1>, memref<?xf32>
    // CHECK: gpu.memcpy %{{.*}}, %{{.*}} : memref<?xf32, 1 : i64>, memref<?xf32>
    gpu.memcpy %b, %m : memref<?xf32, 1>, memref<?xf32>
    %f = arith.constant 1.0 : f32
    // CHECK: gpu.memset async [%{{.*}}] %{{.*}}, %{{.*}} : memref<?xf32, 1 : i64>, f32
    %t5 = gpu.memset async [%t4] %b, %f : memref<?xf32, 1>, f32
    // CHECK: gpu.memset %{{.*}}, %{{.*}} : memref<?xf32, 1 : i64>, f32
    gpu.memset %b, %f : memref<?xf32, 1>, f32
    // CHECK: gpu.wait [%{{.*}}, %{{.*}}]
    gpu.wait [%t4, %t5]
    // CHECK: gpu.wait
    gpu.wait
    // CHECK: gpu.dealloc %{{.*}} : memref<?xf32, 1 : i64>
    gpu.dealloc %b : memref<?xf32, 1>
    // CHECK: gpu.dealloc async [%{{.*}}] %{{.*}} : memref<13xf32, 1 : i64>
    %t6 = gpu.dealloc async [%t5] %b2 : memref<13xf32, 1>
    return
  }
}
