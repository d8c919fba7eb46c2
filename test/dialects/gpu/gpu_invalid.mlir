// RUN: kc-opt %s --split-input-file --verify-diagnostics

gpu.module @m {
  gpu.func @k() kernel {
    // expected-error@+1 {{gpu.thread_id: the upper bound 0 is not positive}}
    %x = gpu.thread_id x upper_bound 0
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k() kernel {
    // expected-error@+1 {{expected `x`, `y`, or `z`}}
    %x = gpu.thread_id w
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error@+1 {{gpu.func: the kernel @k returns a value}}
  gpu.func @k(%x: f32) -> f32 kernel {
    gpu.return %x : f32
  }
}

// -----

gpu.module @m {
  // expected-error@+1 {{gpu.func: @f returns (f32); its signature declares (i32)}}
  gpu.func @f(%x: f32) -> i32 {
    gpu.return %x : f32
  }
}

// -----

gpu.module @m {
  // expected-error@+1 {{gpu.func: workgroup memory of type memref<4xf32, #gpu.address_space<private>>, which is private}}
  gpu.func @k() workgroup(%w: memref<4xf32, #gpu.address_space<private>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error@+1 {{gpu.func: llvm.align of @k is 48 : i64, no power of 2}}
  gpu.func @k() workgroup(%w: memref<4xf32, #gpu.address_space<workgroup>> {llvm.align = 48 : i64}) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error@+1 {{gpu.func: @k has 1 buffers of a block, and attributes of 2}}
  "gpu.func"() <{function_type = () -> (), workgroup_attrib_attrs = [{}, {}]}> ({
  ^bb0(%w: memref<4xf32, #gpu.address_space<workgroup>>):
    "gpu.return"() : () -> ()
  }) {gpu.kernel, sym_name = "k", workgroup_attributions = 1 : i64} : () -> ()
}

// -----

gpu.module @m {
  // expected-error@+1 {{gpu.func: private memory of type index, which must be a memref}}
  gpu.func @k() private(%p: index) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error@+1 {{gpu.func: known_block_size of @k has 2 numbers, not 3}}
  gpu.func @k() kernel attributes {known_block_size = array<i32: 64, 1>} {
    gpu.return
  }
}

// -----

// expected-error@+1 {{gpu.func: 'gpu.func' expects parent op 'gpu.module'}}
gpu.func @k() kernel {
  gpu.return
}

// -----

gpu.module @m {
  gpu.func @k(%x: index, %i: i32) kernel {
    // expected-error@+1 {{gpu.shuffle: exchanges a value of type index; threads exchange integers, floats, and vectors of these}}
    %v, %ok = gpu.shuffle xor %x, %i, %i : index
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%x: f32) kernel {
    // expected-error@+1 {{gpu.rotate: the width 12 is not a power of two}}
    %v, %ok = gpu.rotate %x, 4, 12 : f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%x: f32) kernel {
    // expected-error@+1 {{gpu.rotate: the offset 16 is not in the range 0 to 15}}
    %v, %ok = gpu.rotate %x, 16, 16 : f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%x: f32) kernel {
    // expected-error@+1 {{gpu.subgroup_broadcast: specific_lane needs a lane}}
    %v = gpu.subgroup_broadcast %x, specific_lane : f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%x: f32, %i: i32) kernel {
    // expected-error@+1 {{gpu.subgroup_broadcast: first_active_lane takes no lane}}
    %v = gpu.subgroup_broadcast %x, first_active_lane %i : f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%x: f32) kernel {
    // expected-error@+1 {{gpu.subgroup_reduce: maxsi combines integers, not values of type f32}}
    %v = gpu.subgroup_reduce maxsi %x : (f32) -> f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%x: f32) kernel {
    // expected-error@+1 {{gpu.subgroup_reduce: the cluster size 3 is not a power of two}}
    %v = gpu.subgroup_reduce add %x cluster(size = 3) : (f32) -> f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%x: i32) kernel {
    // expected-error@+1 {{gpu.all_reduce: maximumf combines floats, not values of type i32}}
    %v = gpu.all_reduce maximumf %x {} : (i32) -> i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%x: f32) kernel {
    // expected-error@+1 {{gpu.all_reduce: combines by a name or by a region, one of them}}
    %v = gpu.all_reduce %x {} : (f32) -> f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%x: f32) kernel {
    // expected-error@+1 {{gpu.all_reduce: its region takes two values of type f32}}
    %v = gpu.all_reduce %x {
    ^bb0(%a: f32):
      gpu.yield %a : f32
    } : (f32) -> f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k() kernel {
    // expected-error@+1 {{gpu.dynamic_shared_memory: its result is memref<?xf32, #gpu.address_space<workgroup>>, but must have the type memref<?xi8>}}
    %m = gpu.dynamic_shared_memory : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k() kernel {
    // expected-error@+1 {{gpu.dynamic_shared_memory: its result is memref<?xi8>, but must be in #gpu.address_space<workgroup>}}
    %m = gpu.dynamic_shared_memory : memref<?xi8>
    gpu.return
  }
}

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{gpu.alloc: memref<?x?xf32> has 2 dynamic dimensions, 1 sizes are given}}
  %m = gpu.alloc (%n) : memref<?x?xf32>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>, %b: memref<5xf32>) {
  // expected-error@+1 {{gpu.memcpy: copies memref<5xf32> to memref<4xf32>, of another shape}}
  gpu.memcpy %a, %b : memref<4xf32>, memref<5xf32>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>, %b: memref<4xi32>) {
  // expected-error@+1 {{gpu.memcpy: copies memref<4xi32> to memref<4xf32>, of another type}}
  gpu.memcpy %a, %b : memref<4xf32>, memref<4xi32>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>, %x: i32) {
  // expected-error@+1 {{gpu.memset: sets memref<4xf32> to a value of type i32}}
  gpu.memset %a, %x : memref<4xf32>, i32
  func.return
}

// -----

module {
  func.func @f(%n: index) {
    // expected-error@+1 {{gpu.launch_func: the module around it does not have the attribute gpu.container_module}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    func.return
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @f(%n: index) {
    // expected-error@+1 {{gpu.launch_func: there is no gpu.module @m}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    func.return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m {
  }
  func.func @f(%n: index) {
    // expected-error@+1 {{gpu.launch_func: there is no gpu.func @k in @m}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    func.return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() {
      gpu.return
    }
  }
  func.func @f(%n: index) {
    // expected-error@+1 {{gpu.launch_func: @m::@k is not a kernel}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    func.return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%x: f32, %n: index) kernel {
      gpu.return
    }
  }
  func.func @f(%n: index, %x: f32) {
    // expected-error@+1 {{gpu.launch_func: @m::@k takes (f32, index), (f32) are given}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32)
    func.return
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @f(%n: index) {
    // expected-error@+1 {{gpu.launch_func: the kernel @m is not of the form @module::@kernel}}
    gpu.launch_func @m blocks in (%n, %n, %n) threads in (%n, %n, %n)
    func.return
  }
}

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{gpu.launch: expected three numbers and three sizes: x, y and z}}
  gpu.launch blocks(%bx, %by) in (%gx = %n, %gy = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    gpu.terminator
  }
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{gpu.launch: 2 alignments for 1 shared arrays}}
  gpu.launch blocks(%a, %b, %d) in (%e = %n, %g = %n, %h = %n) threads(%i, %j, %k) in (%l = %n, %m = %n, %o = %n) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) {
    gpu.terminator
  } {workgroup_alignments = array<i64: 1024, 16>}
  func.return
}
