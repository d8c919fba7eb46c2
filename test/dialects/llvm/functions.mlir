// RUN: kc-opt %s | kc-opt | FileCheck %s

// CHECK: llvm.func @declared(!llvm.ptr {llvm.noalias}, ...) -> (i32 {llvm.signext}) attributes {no_unwind, will_return}
llvm.func @declared(!llvm.ptr {llvm.noalias}, ...) -> (i32 {llvm.signext}) attributes {no_unwind, will_return}
// CHECK: llvm.func @expf(f32) -> f32 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>}
llvm.func @expf(f32) -> f32 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>}

// CHECK: llvm.func @kernel(%{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.dereferenceable = 4096 : i64, llvm.noalias, llvm.nocapture, llvm.nonnull, llvm.noundef, llvm.readonly}, %{{.*}}: !llvm.ptr {llvm.noalias, llvm.writeonly}, %{{.*}}: i64)
// CHECK-SAME: attributes {always_inline, frame_pointer = #llvm.framePointerKind<none>, no_unwind, passthrough = ["mustprogress", ["no-trapping-math", "true"]], prefer_vector_width = "512", target_cpu = "znver4", target_features = #llvm.target_features<["+avx2", "+fma"]>, uwtable_kind = #llvm.uwtableKind<sync>}
llvm.func @kernel(%a: !llvm.ptr {llvm.align = 64 : i64, llvm.dereferenceable = 4096 : i64, llvm.noalias, llvm.nocapture, llvm.nonnull, llvm.noundef, llvm.readonly}, %b: !llvm.ptr {llvm.noalias, llvm.writeonly}, %n: i64) attributes {always_inline, frame_pointer = #llvm.framePointerKind<none>, no_unwind, passthrough = ["mustprogress", ["no-trapping-math", "true"]], prefer_vector_width = "512", target_cpu = "znver4", target_features = #llvm.target_features<["+avx2", "+fma"]>, uwtable_kind = #llvm.uwtableKind<sync>} {
  llvm.return
}

// CHECK: llvm.func internal fastcc @helper(%{{.*}}: f32) -> f32 attributes {alignment = 32 : i64, dso_local, no_inline, section = "hot"}
llvm.func internal fastcc @helper(%x: f32) -> f32 attributes {alignment = 32 : i64, dso_local, no_inline, section = "hot"} {
  llvm.return %x : f32
}
// CHECK: llvm.func weak_odr hidden unnamed_addr @merged() attributes {kc.note = "kept"}
llvm.func weak_odr hidden unnamed_addr @merged() attributes {kc.note = "kept"} {
  llvm.unreachable
}

// CHECK-LABEL: llvm.func @calls
llvm.func @calls(%p: !llvm.ptr, %x: f32, %i: i32) -> f32 {
  // CHECK: llvm.call fastcc @helper(%{{.*}}) : (f32) -> f32
  %0 = llvm.call fastcc @helper(%x) : (f32) -> f32
  // CHECK: llvm.call tail @expf(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>, no_unwind} : (f32) -> f32
  %1 = llvm.call tail @expf(%x) {fastmathFlags = #llvm.fastmath<afn>, no_unwind} : (f32) -> f32
  // CHECK: llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (f32) -> ()
  llvm.call %p(%x) : !llvm.ptr, (f32) -> ()
  // CHECK: llvm.call @declared(%{{.*}}, %{{.*}}) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32) -> i32
  %2 = llvm.call @declared(%p, %i) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32) -> i32
  // CHECK: llvm.call @expf(%{{.*}}) : (f32 {llvm.noundef}) -> (f32 {llvm.noundef})
  %3 = llvm.call @expf(%x) : (f32 {llvm.noundef}) -> (f32 {llvm.noundef})
  // CHECK: llvm.call @merged() ["tag"(%{{.*}}, %{{.*}} : f32, i32), "empty"()] : () -> ()
  llvm.call @merged() ["tag"(%x, %i : f32, i32), "empty"()] : () -> ()
  // CHECK: llvm.call_intrinsic "llvm.x86.sse42.crc32.32.8"(%{{.*}}, %{{.*}}) : (i32, i8) -> i32
  %4 = llvm.trunc %i : i32 to i8
  %5 = llvm.call_intrinsic "llvm.x86.sse42.crc32.32.8"(%i, %4) : (i32, i8) -> i32
  // CHECK: llvm.call_intrinsic "llvm.assume"(%{{.*}}) ["nonnull"(%{{.*}} : !llvm.ptr)] : (i1) -> ()
  %true = llvm.mlir.constant(true) : i1
  llvm.call_intrinsic "llvm.assume"(%true) ["nonnull"(%p : !llvm.ptr)] : (i1) -> ()
  // CHECK: llvm.call_intrinsic "llvm.sqrt.f32"(%{{.*}}) {fastmathFlags = #llvm.fastmath<fast>} : (f32) -> f32
  %sqrt = llvm.call_intrinsic "llvm.sqrt.f32"(%x) {fastmathFlags = #llvm.fastmath<fast>} : (f32) -> f32
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = intel "bswap $0", "=r,0" %{{.*}} : (i32) -> i32
  %6 = llvm.inline_asm has_side_effects asm_dialect = intel "bswap $0", "=r,0" %i : (i32) -> i32
  // CHECK: %[[S:.*]] = llvm.intr.stacksave : !llvm.ptr
  %7 = llvm.intr.stacksave : !llvm.ptr
  // CHECK: llvm.intr.stackrestore %[[S]] : !llvm.ptr
  llvm.intr.stackrestore %7 : !llvm.ptr
  llvm.return %0 : f32
}

// CHECK-LABEL: llvm.func @branches
llvm.func @branches(%c: i1, %x: f32, %i: i32) -> f32 {
  // CHECK: llvm.cond_br %{{.*}} weights([1, 5]), ^{{.*}}(%{{.*}} : f32), ^{{.*}}(%{{.*}}, %{{.*}} : f32, i32)
  llvm.cond_br %c weights([1, 5]), ^bb1(%x : f32), ^bb2(%x, %i : f32, i32)
^bb1(%y: f32):
  // CHECK: llvm.br ^{{.*}}(%{{.*}} : f32) {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>, mustProgress = true>}
  llvm.br ^bb1(%y : f32) {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>, mustProgress = true>}
^bb2(%z: f32, %j: i32):
  // CHECK: llvm.cond_br %{{.*}}, ^{{.*}}(%{{.*}}, %{{.*}} : f32, i32), ^{{.*}} {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true, width = 8 : i32>, interleave = <count = 2 : i32>, unroll = <count = 4 : i32, full = true>, parallelAccesses = #llvm.access_group<id = distinct[0]<>>, #llvm.access_group<id = distinct[1]<>>>}
  llvm.cond_br %c, ^bb2(%z, %j : f32, i32), ^bb3 {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true, width = 8 : i32>, interleave = <count = 2 : i32>, unroll = <count = 4 : i32, full = true>, parallelAccesses = #llvm.access_group<id = distinct[0]<>>, #llvm.access_group<id = distinct[1]<>>>}
^bb3:
  // CHECK: llvm.switch %{{.*}} : i32, ^{{.*}} [
  // CHECK-NEXT: 0: ^{{.*}}(%{{.*}} : f32),
  // CHECK-NEXT: -5: ^{{.*}}
  // CHECK-NEXT: ] {branch_weights = array<i32: 1, 2, 3>}
  llvm.switch %i : i32, ^bb4 [
    0: ^bb1(%z : f32),
    -5: ^bb4
  ] {branch_weights = array<i32: 1, 2, 3>}
^bb4:
  // CHECK: llvm.return %{{.*}} : f32
  llvm.return %x : f32
}
