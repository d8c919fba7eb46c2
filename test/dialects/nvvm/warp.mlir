// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// What the lanes of a warp do together.
// CHECK-LABEL: llvm.func @warp
llvm.func @warp(%i: i32, %j: i32, %l: i64, %b: i1, %f: f32) {
  // CHECK: %{{.*}} = nvvm.shfl.sync bfly %i, %f, %i, %j : f32 -> f32
  // GENERIC: %{{.*}} = "nvvm.shfl.sync"(%i, %f, %i, %j) <{kind = #nvvm<shfl_kind bfly>}> : (i32, f32, i32, i32) -> f32
  %0 = nvvm.shfl.sync bfly %i, %f, %i, %j : f32 -> f32
  // CHECK: %{{.*}} = nvvm.shfl.sync up %i, %j, %i, %j : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.shfl.sync"(%i, %j, %i, %j) <{kind = #nvvm<shfl_kind up>}> : (i32, i32, i32, i32) -> i32
  %1 = nvvm.shfl.sync up %i, %j, %i, %j : i32 -> i32
  // CHECK: %{{.*}} = nvvm.shfl.sync down %i, %j, %i, %j {note} : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.shfl.sync"(%i, %j, %i, %j) <{kind = #nvvm<shfl_kind down>}> {note} : (i32, i32, i32, i32) -> i32
  %2 = nvvm.shfl.sync down %i, %j, %i, %j {note} : i32 -> i32
  // CHECK: %{{.*}} = nvvm.shfl.sync idx %i, %f, %i, %j {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
  // GENERIC: %{{.*}} = "nvvm.shfl.sync"(%i, %f, %i, %j) <{kind = #nvvm<shfl_kind idx>, return_value_and_is_valid}> : (i32, f32, i32, i32) -> !llvm.struct<(f32, i1)>
  %3 = nvvm.shfl.sync idx %i, %f, %i, %j {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
  // CHECK: %{{.*}} = nvvm.shfl.sync bfly %i, %j, %i, %j {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
  // GENERIC: %{{.*}} = "nvvm.shfl.sync"(%i, %j, %i, %j) <{kind = #nvvm<shfl_kind bfly>, return_value_and_is_valid}> : (i32, i32, i32, i32) -> !llvm.struct<(i32, i1)>
  %4 = nvvm.shfl.sync #nvvm<shfl_kind bfly> %i, %j, %i, %j {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
  // CHECK: %{{.*}} = nvvm.vote.sync any %i, %b -> i1
  // GENERIC: %{{.*}} = "nvvm.vote.sync"(%i, %b) <{kind = #nvvm<vote_sync_kind any>}> : (i32, i1) -> i1
  %5 = nvvm.vote.sync any %i, %b -> i1
  // CHECK: %{{.*}} = nvvm.vote.sync all %i, %b -> i1
  // GENERIC: %{{.*}} = "nvvm.vote.sync"(%i, %b) <{kind = #nvvm<vote_sync_kind all>}> : (i32, i1) -> i1
  %6 = nvvm.vote.sync all %i, %b -> i1
  // CHECK: %{{.*}} = nvvm.vote.sync uni %i, %b -> i1
  // GENERIC: %{{.*}} = "nvvm.vote.sync"(%i, %b) <{kind = #nvvm<vote_sync_kind uni>}> : (i32, i1) -> i1
  %7 = nvvm.vote.sync uni %i, %b -> i1
  // CHECK: %{{.*}} = nvvm.vote.sync ballot %i, %b -> i32
  // GENERIC: %{{.*}} = "nvvm.vote.sync"(%i, %b) <{kind = #nvvm<vote_sync_kind ballot>}> : (i32, i1) -> i32
  %8 = nvvm.vote.sync ballot %i, %b -> i32
  // CHECK: %{{.*}} = nvvm.match.sync any %i, %j : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.match.sync"(%i, %j) <{kind = #nvvm<match_sync_kind any>}> : (i32, i32) -> i32
  %9 = nvvm.match.sync any %i, %j : i32 -> i32
  // CHECK: %{{.*}} = nvvm.match.sync any %i, %l : i64 -> i32
  // GENERIC: %{{.*}} = "nvvm.match.sync"(%i, %l) <{kind = #nvvm<match_sync_kind any>}> : (i32, i64) -> i32
  %10 = nvvm.match.sync any %i, %l : i64 -> i32
  // CHECK: %{{.*}} = nvvm.match.sync all %i, %j : i32 -> !llvm.struct<(i32, i1)>
  // GENERIC: %{{.*}} = "nvvm.match.sync"(%i, %j) <{kind = #nvvm<match_sync_kind all>}> : (i32, i32) -> !llvm.struct<(i32, i1)>
  %11 = nvvm.match.sync all %i, %j : i32 -> !llvm.struct<(i32, i1)>
  // CHECK: %{{.*}} = nvvm.match.sync all %i, %l : i64 -> !llvm.struct<(i32, i1)>
  // GENERIC: %{{.*}} = "nvvm.match.sync"(%i, %l) <{kind = #nvvm<match_sync_kind all>}> : (i32, i64) -> !llvm.struct<(i32, i1)>
  %12 = nvvm.match.sync all %i, %l : i64 -> !llvm.struct<(i32, i1)>
  // CHECK: %{{.*}} = nvvm.redux.sync add %i, %j : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"(%i, %j) <{abs = false, kind = #nvvm<redux_kind add>, nan = false}> : (i32, i32) -> i32
  %13 = nvvm.redux.sync add %i, %j : i32 -> i32
  // CHECK: %{{.*}} = nvvm.redux.sync and %i, %j : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"(%i, %j) <{abs = false, kind = #nvvm<redux_kind and>, nan = false}> : (i32, i32) -> i32
  %14 = nvvm.redux.sync and %i, %j : i32 -> i32
  // CHECK: %{{.*}} = nvvm.redux.sync or %i, %j : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"(%i, %j) <{abs = false, kind = #nvvm<redux_kind or>, nan = false}> : (i32, i32) -> i32
  %15 = nvvm.redux.sync or %i, %j : i32 -> i32
  // CHECK: %{{.*}} = nvvm.redux.sync xor %i, %j : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"(%i, %j) <{abs = false, kind = #nvvm<redux_kind xor>, nan = false}> : (i32, i32) -> i32
  %16 = nvvm.redux.sync xor %i, %j : i32 -> i32
  // CHECK: %{{.*}} = nvvm.redux.sync max %i, %j : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"(%i, %j) <{abs = false, kind = #nvvm<redux_kind max>, nan = false}> : (i32, i32) -> i32
  %17 = nvvm.redux.sync max %i, %j : i32 -> i32
  // CHECK: %{{.*}} = nvvm.redux.sync min %i, %j : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"(%i, %j) <{abs = false, kind = #nvvm<redux_kind min>, nan = false}> : (i32, i32) -> i32
  %18 = nvvm.redux.sync min %i, %j : i32 -> i32
  // CHECK: %{{.*}} = nvvm.redux.sync umax %i, %j : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"(%i, %j) <{abs = false, kind = #nvvm<redux_kind umax>, nan = false}> : (i32, i32) -> i32
  %19 = nvvm.redux.sync umax %i, %j : i32 -> i32
  // CHECK: %{{.*}} = nvvm.redux.sync umin %i, %j : i32 -> i32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"(%i, %j) <{abs = false, kind = #nvvm<redux_kind umin>, nan = false}> : (i32, i32) -> i32
  %20 = nvvm.redux.sync umin %i, %j {abs = false} : i32 -> i32
  // CHECK: %{{.*}} = nvvm.redux.sync fmin %f, %j : f32 -> f32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"(%f, %j) <{abs = false, kind = #nvvm<redux_kind fmin>, nan = false}> : (f32, i32) -> f32
  %21 = nvvm.redux.sync fmin %f, %j : f32 -> f32
  // CHECK: %{{.*}} = nvvm.redux.sync fmax %f, %j {abs = true, nan = true} : f32 -> f32
  // GENERIC: %{{.*}} = "nvvm.redux.sync"(%f, %j) <{abs = true, kind = #nvvm<redux_kind fmax>, nan = true}> : (f32, i32) -> f32
  %22 = nvvm.redux.sync fmax %f, %j {abs = true, nan = true} : f32 -> f32
  // CHECK: %{{.*}} = nvvm.elect.sync -> i1
  // GENERIC: %{{.*}} = "nvvm.elect.sync"() : () -> i1
  %23 = nvvm.elect.sync -> i1
  // CHECK: %{{.*}} = nvvm.elect.sync %i -> i1
  // GENERIC: %{{.*}} = "nvvm.elect.sync"(%i) : (i32) -> i1
  %24 = nvvm.elect.sync %i -> i1
  llvm.return
}
