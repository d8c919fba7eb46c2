// RUN: kc-opt %s --split-input-file --convert-gpu-to-cpu | FileCheck %s

// Threads that wait for each other are coroutines, which the emulator runs block by block.
// CHECK-LABEL: builtin.module {
// CHECK-NEXT:    func.func @main(%A: memref<4x64xf32>) {
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %c4 = arith.constant 4 : index
// CHECK-NEXT:      %c64 = arith.constant 64 : index
// CHECK-NEXT:      %0 = arith.constant 0 : index
// CHECK-NEXT:      func.call @m_exchange_launch(%c4, %c1, %c1, %c64, %c1, %c1, %0, %A) : (index, index, index, index, index, index, index, memref<4x64xf32>) -> ()
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }
// CHECK-NEXT:    func.func private @m_exchange_launch(%grid_x: index, %grid_y: index, %grid_z: index, %block_x: index, %block_y: index, %block_z: index, %dynamic_size: index, %arg0: memref<4x64xf32>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %ready = arith.constant 0 : i32
// CHECK-NEXT:      %plane = arith.muli %grid_x, %grid_y : index
// CHECK-NEXT:      %blocks = arith.muli %plane, %grid_z : index
// CHECK-NEXT:      %layer = arith.muli %block_x, %block_y : index
// CHECK-NEXT:      %count = arith.muli %layer, %block_z : index
// CHECK-NEXT:      scf.parallel (%number) = (%c0) to (%blocks) step (%c1) {
// CHECK-NEXT:        %bid_x = arith.remui %number, %grid_x : index
// CHECK-NEXT:        %row = arith.divui %number, %grid_x : index
// CHECK-NEXT:        %bid_y = arith.remui %row, %grid_y : index
// CHECK-NEXT:        %bid_z = arith.divui %row, %grid_y : index
// CHECK-NEXT:        %shared0 = memref.alloc() : memref<64xf32>
// CHECK-NEXT:        %states = memref.alloc(%count) : memref<?xi32>
// CHECK-NEXT:        %lanes = memref.alloc(%count) : memref<?xi64>
// CHECK-NEXT:        %threads = memref.alloc(%count) : memref<?xi64>
// CHECK-NEXT:        %events = arith.constant 0 : index
// CHECK-NEXT:        scf.for %tid_z = %c0 to %block_z step %c1 {
// CHECK-NEXT:          scf.for %tid_y = %c0 to %block_y step %c1 {
// CHECK-NEXT:            scf.for %tid_x = %c0 to %block_x step %c1 {
// CHECK-NEXT:              %above = arith.muli %tid_z, %block_y : index
// CHECK-NEXT:              %line = arith.addi %above, %tid_y : index
// CHECK-NEXT:              %before = arith.muli %line, %block_x : index
// CHECK-NEXT:              %thread = arith.addi %before, %tid_x : index
// CHECK-NEXT:              memref.store %ready, %states[%thread] : memref<?xi32>
// CHECK-NEXT:              %coroutine = func.call @m_exchange_thread(%arg0, %shared0, %grid_x, %grid_y, %grid_z, %block_x, %block_y, %block_z, %bid_x, %bid_y, %bid_z, %tid_x, %tid_y, %tid_z, %thread, %states, %lanes) : (memref<4x64xf32>, memref<64xf32>, index, index, index, index, index, index, index, index, index, index, index, index, index, memref<?xi32>, memref<?xi64>) -> !llvm.ptr
// CHECK-NEXT:              %handle = llvm.ptrtoint %coroutine : !llvm.ptr to i64
// CHECK-NEXT:              memref.store %handle, %threads[%thread] : memref<?xi64>
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        %step = llvm.mlir.addressof @kc_emu_step : !llvm.ptr
// CHECK-NEXT:        func.call @kc_emu_run(%threads, %states, %count, %step, %events) : (memref<?xi64>, memref<?xi32>, index, !llvm.ptr, index) -> ()
// CHECK-NEXT:        memref.dealloc %states : memref<?xi32>
// CHECK-NEXT:        memref.dealloc %lanes : memref<?xi64>
// CHECK-NEXT:        memref.dealloc %threads : memref<?xi64>
// CHECK-NEXT:        memref.dealloc %shared0 : memref<64xf32>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }
// CHECK-NEXT:    func.func private @m_exchange_thread(%A: memref<4x64xf32>, %S: memref<64xf32>, %grid_x: index, %grid_y: index, %grid_z: index, %block_x: index, %block_y: index, %block_z: index, %bid_x: index, %bid_y: index, %bid_z: index, %tid_x: index, %tid_y: index, %tid_z: index, %thread: index, %states: memref<?xi32>, %lanes: memref<?xi64>) -> !llvm.ptr attributes {kc.coroutine} {
// CHECK-NEXT:      %L = memref.alloca() : memref<2xf32>
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c63 = arith.constant 63 : index
// CHECK-NEXT:      %0 = memref.load %A[%bid_x, %tid_x] : memref<4x64xf32>
// CHECK-NEXT:      memref.store %0, %S[%tid_x] : memref<64xf32>
// CHECK-NEXT:      memref.store %0, %L[%c0] : memref<2xf32>
// CHECK-NEXT:      %1 = arith.constant 1 : i32
// CHECK-NEXT:      memref.store %1, %states[%thread] : memref<?xi32>
// CHECK-NEXT:      func.call @kc_suspend() : () -> ()
// CHECK-NEXT:      %2 = arith.subi %c63, %tid_x : index
// CHECK-NEXT:      %3 = memref.load %S[%2] : memref<64xf32>
// CHECK-NEXT:      memref.store %3, %A[%bid_x, %tid_x] : memref<4x64xf32>
// CHECK-NEXT:      %4 = arith.constant -1 : i32
// CHECK-NEXT:      memref.store %4, %states[%thread] : memref<?xi32>
// CHECK-NEXT:      %5 = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT:      func.return %5 : !llvm.ptr
// CHECK-NEXT:    }
// CHECK-NEXT:    func.func private @kc_suspend() -> () attributes {kc.pointers}
// CHECK-NEXT:    llvm.func internal @kc_emu_step(%thread: !llvm.ptr, %is_over: i32) {
// CHECK-NEXT:      %zero = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:      %ends = llvm.icmp "ne" %is_over, %zero : i32
// CHECK-NEXT:      llvm.cond_br %ends, ^destroy, ^resume
// CHECK-NEXT:    ^resume:
// CHECK-NEXT:      llvm.call_intrinsic "llvm.coro.resume"(%thread) : (!llvm.ptr) -> ()
// CHECK-NEXT:      llvm.return
// CHECK-NEXT:    ^destroy:
// CHECK-NEXT:      llvm.call_intrinsic "llvm.coro.destroy"(%thread) : (!llvm.ptr) -> ()
// CHECK-NEXT:      llvm.return
// CHECK-NEXT:    }
// CHECK-NEXT:    func.func private @kc_emu_run(memref<?xi64>, memref<?xi32>, index, !llvm.ptr, index) -> () attributes {kc.pointers}
module attributes {gpu.container_module} {
  func.func @main(%A: memref<4x64xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @m::@exchange blocks in (%c4, %c1, %c1) threads in (%c64, %c1, %c1) args(%A : memref<4x64xf32>)
    func.return
  }
  gpu.module @m {
    gpu.func @exchange(%A: memref<4x64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) private(%L : memref<2xf32, #gpu.address_space<private>>) kernel {
      %c0 = arith.constant 0 : index
      %c63 = arith.constant 63 : index
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %0 = memref.load %A[%b, %t] : memref<4x64xf32>
      memref.store %0, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %0, %L[%c0] : memref<2xf32, #gpu.address_space<private>>
      gpu.barrier
      %1 = arith.subi %c63, %t : index
      %2 = memref.load %S[%1] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %2, %A[%b, %t] : memref<4x64xf32>
      gpu.return
    }
  }
}
// -----
// Others are called one after the other. Memory of the device is the host's; its dynamic part has
// the size of the launch.
// CHECK-LABEL: builtin.module {
// CHECK-NEXT:    func.func @main(%n: index) {
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %c8 = arith.constant 8 : index
// CHECK-NEXT:      %bytes = arith.constant 64 : i32
// CHECK-NEXT:      %A = memref.alloc(%n) : memref<?xf32>
// CHECK-NEXT:      %0 = arith.index_cast %bytes : i32 to index
// CHECK-NEXT:      func.call @m_scale_launch(%c1, %c1, %c1, %c8, %c1, %c1, %0, %A) : (index, index, index, index, index, index, index, memref<?xf32>) -> ()
// CHECK-NEXT:      memref.dealloc %A : memref<?xf32>
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }
// CHECK-NEXT:    func.func private @m_scale_launch(%grid_x: index, %grid_y: index, %grid_z: index, %block_x: index, %block_y: index, %block_z: index, %dynamic_size: index, %arg0: memref<?xf32>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %ready = arith.constant 0 : i32
// CHECK-NEXT:      %plane = arith.muli %grid_x, %grid_y : index
// CHECK-NEXT:      %blocks = arith.muli %plane, %grid_z : index
// CHECK-NEXT:      %layer = arith.muli %block_x, %block_y : index
// CHECK-NEXT:      %count = arith.muli %layer, %block_z : index
// CHECK-NEXT:      scf.parallel (%number) = (%c0) to (%blocks) step (%c1) {
// CHECK-NEXT:        %bid_x = arith.remui %number, %grid_x : index
// CHECK-NEXT:        %row = arith.divui %number, %grid_x : index
// CHECK-NEXT:        %bid_y = arith.remui %row, %grid_y : index
// CHECK-NEXT:        %bid_z = arith.divui %row, %grid_y : index
// CHECK-NEXT:        %dynamic = memref.alloc(%dynamic_size) : memref<?xi8>
// CHECK-NEXT:        scf.for %tid_z = %c0 to %block_z step %c1 {
// CHECK-NEXT:          scf.for %tid_y = %c0 to %block_y step %c1 {
// CHECK-NEXT:            scf.for %tid_x = %c0 to %block_x step %c1 {
// CHECK-NEXT:              %above = arith.muli %tid_z, %block_y : index
// CHECK-NEXT:              %line = arith.addi %above, %tid_y : index
// CHECK-NEXT:              %before = arith.muli %line, %block_x : index
// CHECK-NEXT:              %thread = arith.addi %before, %tid_x : index
// CHECK-NEXT:              func.call @m_scale_thread(%arg0, %dynamic, %grid_x, %grid_y, %grid_z, %block_x, %block_y, %block_z, %bid_x, %bid_y, %bid_z, %tid_x, %tid_y, %tid_z, %thread) : (memref<?xf32>, memref<?xi8>, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
// CHECK-NEXT:            }
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.dealloc %dynamic : memref<?xi8>
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }
// CHECK-NEXT:    func.func private @m_scale_thread(%A: memref<?xf32>, %m: memref<?xi8>, %grid_x: index, %grid_y: index, %grid_z: index, %block_x: index, %block_y: index, %block_z: index, %bid_x: index, %bid_y: index, %bid_z: index, %tid_x: index, %tid_y: index, %tid_z: index, %thread: index) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %g = arith.muli %bid_x, %block_x : index
// CHECK-NEXT:      %g_1 = arith.addi %g, %tid_x : index
// CHECK-NEXT:      %S = memref.view %m[%c0][] : memref<?xi8> to memref<16xf32>
// CHECK-NEXT:      %0 = memref.load %A[%g_1] : memref<?xf32>
// CHECK-NEXT:      memref.store %0, %S[%g_1] : memref<16xf32>
// CHECK-NEXT:      func.return
// CHECK-NEXT:    }
module attributes {gpu.container_module} {
  func.func @main(%n: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %bytes = arith.constant 64 : i32
    %t = gpu.wait async
    %A, %t_1 = gpu.alloc async [%t] (%n) : memref<?xf32>
    gpu.launch_func [%t_1] @m::@scale blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) dynamic_shared_memory_size %bytes args(%A : memref<?xf32>)
    gpu.dealloc %A : memref<?xf32>
    func.return
  }
  gpu.module @m {
    gpu.func @scale(%A: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %g = gpu.global_id x
      %m = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %S = memref.view %m[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16xf32, #gpu.address_space<workgroup>>
      %0 = memref.load %A[%g] : memref<?xf32>
      memref.store %0, %S[%g] : memref<16xf32, #gpu.address_space<workgroup>>
      gpu.return
    }
  }
}
