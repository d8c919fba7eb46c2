; Made by `make native` with clang 22.1.8: do not edit.
; The sha256 of emulator.c: 9edd91b495fdfe5d9642d1379ca0eef425b57aa2936fd9772f4b041aacd5f8cb

%struct.anon = type { ptr, %struct.Access, i64, i64, i32, [256 x i8] }
%struct.Access = type { i32, i32, i32, i16, i16 }
%struct.Buffer = type { i64, i64, i64, i32, i32, ptr, ptr, ptr, ptr }
%struct.Finding = type { i32, i32, i32, i32, i64, i64, i64, i64, i64, i32, i32, i64 }
%struct.Queue = type { ptr, i32, i32, i32 }
%struct.Order = type { i64, i32, i32, i32, i32, i32, i32, ptr, ptr }
%struct.Accumulators = type { ptr, ptr, i32, i32, i32, i32, i32, i32, i32, i32, i32 }
%struct.Wait = type { i32, i32, i32, i32, i32, i64 }
%struct.Barrier = type { i32, i32, i32, i32, i32 }
%struct.Copy = type { i64, i64, i32, i32, i32, i32 }
%struct.Bulk = type { i64, i64, i64, i64, i32, i32, i32, i32, i32, i32, i32, [5 x i32], i64, %struct.TensorMap }
%struct.TensorMap = type { i32, i32, i32, i32, i64, [5 x i64], [4 x i64], [5 x i32] }
%struct.Site = type { ptr, i32, i32, [32 x i32] }
%struct.Cell = type { %struct.Access, %struct.Access, %struct.Access, %struct.List }
%struct.List = type { i32, i32 }
%struct.Cost = type { i64, i64, i64, i64 }
%struct.Instance = type { [32 x i64], i32, i32, i32 }
%struct.Link = type { %struct.Access, i32 }
%struct.Updates = type { %struct.Access, %struct.Access, %struct.List }
%struct.Product = type { i64, i64, i32, i32, i32, i32, [2 x i32] }
%struct.Register = type { i32, i32, i32 }

@is_counting = internal unnamed_addr global i32 0, align 4
@deadlocks = internal global i64 0, align 8
@.str = private unnamed_addr constant [73 x i8] c"kc: an emulated launch is beyond the limits of the GPU, and is left out\0A\00", align 1
@refused = internal unnamed_addr global [3 x i64] zeroinitializer, align 16
@.str.1 = private unnamed_addr constant [100 x i8] c"kc: threads of an emulated block wait for what never comes, and are ended; kc.gpu.check says where\0A\00", align 1
@site_count = internal unnamed_addr global i32 0, align 4
@statements = internal unnamed_addr global ptr null, align 8
@pending = internal global %struct.anon zeroinitializer, align 8
@finding_count = internal unnamed_addr global i32 0, align 4
@barriers = internal unnamed_addr global i64 0, align 8
@sites = internal unnamed_addr global ptr null, align 8
@costs = internal unnamed_addr global ptr null, align 8
@buffers = internal global [512 x %struct.Buffer] zeroinitializer, align 16
@findings = internal global [256 x %struct.Finding] zeroinitializer, align 16
@links = internal unnamed_addr global ptr null, align 8
@link_room = internal unnamed_addr global i32 0, align 4
@buffer_count = internal unnamed_addr global i32 64, align 4
@threads_each = internal unnamed_addr global i64 0, align 8
@now = internal global %struct.Access zeroinitializer, align 8
@link_count = internal unnamed_addr global i32 0, align 4
@unused_link = internal unnamed_addr global i32 0, align 4
@rank_now = internal unnamed_addr global i32 0, align 4
@numbers_behind = internal unnamed_addr global [8 x i64] zeroinitializer, align 16
@watched = internal unnamed_addr global ptr null, align 8
@kc_emu_tensor_map.steps = internal constant [5 x i32] [i32 1, i32 1, i32 1, i32 1, i32 1], align 16
@bytes_of_type.sizes = internal unnamed_addr constant [13 x i8] c"\01\02\04\04\08\08\02\04\08\02\04\04\04", align 1
@piece_address.widths = internal unnamed_addr constant [4 x i32] [i32 1, i32 8, i32 4, i32 2], align 16
@switch.table.bits_of = private unnamed_addr constant [13 x i32] [i32 16, i32 16, i32 32, i32 32, i32 64, i32 8, i32 8, i32 4, i32 4, i32 1, i32 32, i32 8, i32 8], align 4

define noundef ptr @kc_emu_new_block(ptr noundef %states, i64 noundef %count, i32 noundef %is_watched) local_unnamed_addr #0 {
entry:
  %call = tail call ptr @calloc(i64 noundef 1, i64 noundef 15112) #27
  store ptr %states, ptr %call, align 8
  %each = getelementptr inbounds nuw i8, ptr %call, i64 2672
  store i64 %count, ptr %each, align 8
  %count2 = getelementptr inbounds nuw i8, ptr %call, i64 8
  store i64 %count, ptr %count2, align 8
  %ranks = getelementptr inbounds nuw i8, ptr %call, i64 2680
  store i32 1, ptr %ranks, align 8
  %call3 = tail call ptr @calloc(i64 noundef %count, i64 noundef 32) #27
  %waits = getelementptr inbounds nuw i8, ptr %call, i64 16
  store ptr %call3, ptr %waits, align 8
  %call4 = tail call ptr @calloc(i64 noundef %count, i64 noundef 24) #27
  %queues = getelementptr inbounds nuw i8, ptr %call, i64 24
  store ptr %call4, ptr %queues, align 8
  %call5 = tail call ptr @calloc(i64 noundef %count, i64 noundef 256) #27
  %words = getelementptr inbounds nuw i8, ptr %call, i64 32
  store ptr %call5, ptr %words, align 8
  %call6 = tail call ptr @calloc(i64 noundef %count, i64 noundef 8) #27
  %rows = getelementptr inbounds nuw i8, ptr %call, i64 40
  store ptr %call6, ptr %rows, align 8
  %call7 = tail call ptr @calloc(i64 noundef %count, i64 noundef 4) #27
  %phases = getelementptr inbounds nuw i8, ptr %call, i64 2632
  store ptr %call7, ptr %phases, align 8
  %tobool.not = icmp eq i32 %is_watched, 0
  br i1 %tobool.not, label %if.end, label %if.then

if.then:                                          ; preds = %entry
  %0 = load i64, ptr %count2, align 8
  %mul.i = shl nsw i64 %0, 1
  %add.i = or disjoint i64 %mul.i, 1
  %mul = mul nsw i64 %add.i, %count
  %call9 = tail call ptr @calloc(i64 noundef %mul, i64 noundef 4) #27
  %clocks = getelementptr inbounds nuw i8, ptr %call, i64 2768
  store ptr %call9, ptr %clocks, align 8
  %i.035 = add i64 %mul.i, 2
  %smax = tail call i64 @llvm.smax.i64(i64 %count, i64 0)
  br label %for.cond

for.cond:                                         ; preds = %for.body, %if.then
  %i.0 = phi i64 [ 0, %if.then ], [ %inc, %for.body ]
  %exitcond.not = icmp eq i64 %i.0, %smax
  br i1 %exitcond.not, label %if.end, label %for.body

for.body:                                         ; preds = %for.cond
  %1 = load ptr, ptr %clocks, align 8
  %add = mul i64 %i.0, %i.035
  %arrayidx = getelementptr inbounds i32, ptr %1, i64 %add
  store i32 1, ptr %arrayidx, align 4
  %inc = add nuw i64 %i.0, 1
  br label %for.cond

if.end:                                           ; preds = %for.cond, %entry
  ret ptr %call
}

declare ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr

define void @kc_emu_new_cluster(ptr noundef captures(none) initializes((2672, 2684)) %block, i32 noundef %ranks) local_unnamed_addr #2 {
entry:
  %ranks1 = getelementptr inbounds nuw i8, ptr %block, i64 2680
  store i32 %ranks, ptr %ranks1, align 8
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %0 = load i64, ptr %count, align 8
  %conv = sext i32 %ranks to i64
  %div = sdiv i64 %0, %conv
  %each = getelementptr inbounds nuw i8, ptr %block, i64 2672
  store i64 %div, ptr %each, align 8
  ret void
}

define void @kc_emu_shared(ptr noundef writeonly captures(none) initializes((2752, 2760)) %block, i32 noundef %rank, i64 noundef %base, i64 noundef %bytes) local_unnamed_addr #3 {
entry:
  %shared = getelementptr inbounds nuw i8, ptr %block, i64 2688
  %idxprom = sext i32 %rank to i64
  %arrayidx = getelementptr inbounds i64, ptr %shared, i64 %idxprom
  store i64 %base, ptr %arrayidx, align 8
  %shared_bytes = getelementptr inbounds nuw i8, ptr %block, i64 2752
  store i64 %bytes, ptr %shared_bytes, align 8
  ret void
}

define void @kc_emu_end_block(ptr noundef %block) local_unnamed_addr #0 {
entry:
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %queues = getelementptr inbounds nuw i8, ptr %block, i64 24
  br label %for.cond

for.cond:                                         ; preds = %for.body, %entry
  %i.0 = phi i64 [ 0, %entry ], [ %inc, %for.body ]
  %0 = load i64, ptr %count, align 8
  %cmp = icmp slt i64 %i.0, %0
  br i1 %cmp, label %for.body, label %for.cond2.preheader

for.cond2.preheader:                              ; preds = %for.cond
  %orders = getelementptr inbounds nuw i8, ptr %block, i64 2776
  br label %for.cond2

for.body:                                         ; preds = %for.cond
  %1 = load ptr, ptr %queues, align 8
  %arrayidx = getelementptr inbounds nuw %struct.Queue, ptr %1, i64 %i.0
  %2 = load ptr, ptr %arrayidx, align 8
  tail call void @free(ptr noundef %2) #27
  %inc = add nuw nsw i64 %i.0, 1
  br label %for.cond

for.cond2:                                        ; preds = %for.cond2.preheader, %for.body4
  %indvars.iv = phi i64 [ 0, %for.cond2.preheader ], [ %indvars.iv.next, %for.body4 ]
  %exitcond.not = icmp eq i64 %indvars.iv, 257
  br i1 %exitcond.not, label %for.cond13.preheader, label %for.body4

for.cond13.preheader:                             ; preds = %for.cond2
  %accumulators = getelementptr inbounds nuw i8, ptr %block, i64 2664
  br label %for.cond13

for.body4:                                        ; preds = %for.cond2
  %arrayidx5 = getelementptr inbounds nuw %struct.Order, ptr %orders, i64 %indvars.iv
  %coming = getelementptr inbounds nuw i8, ptr %arrayidx5, i64 32
  %3 = load ptr, ptr %coming, align 8
  tail call void @free(ptr noundef %3) #27
  %known = getelementptr inbounds nuw i8, ptr %arrayidx5, i64 40
  %4 = load ptr, ptr %known, align 8
  tail call void @free(ptr noundef %4) #27
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond2

for.cond13:                                       ; preds = %for.cond13.preheader, %for.body16
  %i12.0 = phi i64 [ %inc22, %for.body16 ], [ 0, %for.cond13.preheader ]
  %5 = load ptr, ptr %accumulators, align 8
  %tobool.not = icmp eq ptr %5, null
  br i1 %tobool.not, label %for.end23, label %land.rhs

land.rhs:                                         ; preds = %for.cond13
  %6 = load i64, ptr %count, align 8
  %cmp15 = icmp slt i64 %i12.0, %6
  br i1 %cmp15, label %for.body16, label %for.end23

for.body16:                                       ; preds = %land.rhs
  %arrayidx18 = getelementptr inbounds nuw %struct.Accumulators, ptr %5, i64 %i12.0
  %7 = load ptr, ptr %arrayidx18, align 8
  tail call void @free(ptr noundef %7) #27
  %8 = load ptr, ptr %accumulators, align 8
  %arrayidx20 = getelementptr inbounds nuw %struct.Accumulators, ptr %8, i64 %i12.0
  %registers = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 8
  %9 = load ptr, ptr %registers, align 8
  tail call void @free(ptr noundef %9) #27
  %inc22 = add nuw nsw i64 %i12.0, 1
  br label %for.cond13

for.end23:                                        ; preds = %for.cond13, %land.rhs
  tail call void @free(ptr noundef %5) #27
  %bulks = getelementptr inbounds nuw i8, ptr %block, i64 2640
  %10 = load ptr, ptr %bulks, align 8
  tail call void @free(ptr noundef %10) #27
  %groups = getelementptr inbounds nuw i8, ptr %block, i64 2656
  %11 = load ptr, ptr %groups, align 8
  tail call void @free(ptr noundef %11) #27
  %waits = getelementptr inbounds nuw i8, ptr %block, i64 16
  %12 = load ptr, ptr %waits, align 8
  tail call void @free(ptr noundef %12) #27
  %13 = load ptr, ptr %queues, align 8
  tail call void @free(ptr noundef %13) #27
  %words = getelementptr inbounds nuw i8, ptr %block, i64 32
  %14 = load ptr, ptr %words, align 8
  tail call void @free(ptr noundef %14) #27
  %rows = getelementptr inbounds nuw i8, ptr %block, i64 40
  %15 = load ptr, ptr %rows, align 8
  tail call void @free(ptr noundef %15) #27
  %phases = getelementptr inbounds nuw i8, ptr %block, i64 2632
  %16 = load ptr, ptr %phases, align 8
  tail call void @free(ptr noundef %16) #27
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %17 = load ptr, ptr %clocks, align 8
  tail call void @free(ptr noundef %17) #27
  tail call void @free(ptr noundef nonnull %block) #27
  ret void
}

declare void @free(ptr noundef) local_unnamed_addr

define i64 @kc_emu_deadlocks(i32 noundef %begins) local_unnamed_addr #4 {
entry:
  store atomic i32 %begins, ptr @is_counting seq_cst, align 4
  %0 = atomicrmw xchg ptr @deadlocks, i64 0 seq_cst, align 8
  ret i64 %0
}

define zeroext i1 @kc_emu_fits(i64 noundef %grid_x, i64 noundef %grid_y, i64 noundef %grid_z, i64 noundef %block_x, i64 noundef %block_y, i64 noundef %block_z, i64 noundef %shared, i64 noundef %most_grid_x, i64 noundef %most_grid_y, i64 noundef %most_grid_z, i64 noundef %most_block_x, i64 noundef %most_block_y, i64 noundef %most_block_z, i64 noundef %most_shared, i64 noundef %most_threads) local_unnamed_addr #0 {
entry:
  %sizes = alloca [8 x i64], align 16
  %limits = alloca [8 x i64], align 16
  store i64 %grid_x, ptr %sizes, align 16
  %arrayinit.element = getelementptr inbounds nuw i8, ptr %sizes, i64 8
  store i64 %grid_y, ptr %arrayinit.element, align 8
  %arrayinit.element1 = getelementptr inbounds nuw i8, ptr %sizes, i64 16
  store i64 %grid_z, ptr %arrayinit.element1, align 16
  %arrayinit.element2 = getelementptr inbounds nuw i8, ptr %sizes, i64 24
  store i64 %block_x, ptr %arrayinit.element2, align 8
  %arrayinit.element3 = getelementptr inbounds nuw i8, ptr %sizes, i64 32
  store i64 %block_y, ptr %arrayinit.element3, align 16
  %arrayinit.element4 = getelementptr inbounds nuw i8, ptr %sizes, i64 40
  store i64 %block_z, ptr %arrayinit.element4, align 8
  %arrayinit.element5 = getelementptr inbounds nuw i8, ptr %sizes, i64 48
  store i64 %shared, ptr %arrayinit.element5, align 16
  %arrayinit.element6 = getelementptr inbounds nuw i8, ptr %sizes, i64 56
  store i64 0, ptr %arrayinit.element6, align 8
  store i64 %most_grid_x, ptr %limits, align 16
  %arrayinit.element7 = getelementptr inbounds nuw i8, ptr %limits, i64 8
  store i64 %most_grid_y, ptr %arrayinit.element7, align 8
  %arrayinit.element8 = getelementptr inbounds nuw i8, ptr %limits, i64 16
  store i64 %most_grid_z, ptr %arrayinit.element8, align 16
  %arrayinit.element9 = getelementptr inbounds nuw i8, ptr %limits, i64 24
  store i64 %most_block_x, ptr %arrayinit.element9, align 8
  %arrayinit.element10 = getelementptr inbounds nuw i8, ptr %limits, i64 32
  store i64 %most_block_y, ptr %arrayinit.element10, align 16
  %arrayinit.element11 = getelementptr inbounds nuw i8, ptr %limits, i64 40
  store i64 %most_block_z, ptr %arrayinit.element11, align 8
  %arrayinit.element12 = getelementptr inbounds nuw i8, ptr %limits, i64 48
  store i64 %most_shared, ptr %arrayinit.element12, align 16
  %arrayinit.element13 = getelementptr inbounds nuw i8, ptr %limits, i64 56
  store i64 %most_threads, ptr %arrayinit.element13, align 8
  %factor.op.mul = mul i64 %block_y, %block_z
  %mul.reass = mul i64 %factor.op.mul, %block_x
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %entry ]
  switch i64 %indvars.iv, label %if.end [
    i64 8, label %return
    i64 7, label %if.then
  ]

if.then:                                          ; preds = %for.cond
  store i64 %mul.reass, ptr %arrayinit.element6, align 8
  br label %if.end

if.end:                                           ; preds = %for.cond, %if.then
  %arrayidx19 = getelementptr inbounds nuw i64, ptr %sizes, i64 %indvars.iv
  %0 = load i64, ptr %arrayidx19, align 8
  %arrayidx21 = getelementptr inbounds nuw i64, ptr %limits, i64 %indvars.iv
  %1 = load i64, ptr %arrayidx21, align 8
  %cmp22.not = icmp sgt i64 %0, %1
  br i1 %cmp22.not, label %if.end28, label %land.lhs.true

land.lhs.true:                                    ; preds = %if.end
  %2 = trunc i64 %indvars.iv to i32
  %3 = add i32 %2, -3
  %4 = icmp ult i32 %3, 3
  %conv = zext i1 %4 to i64
  %cmp25.not = icmp slt i64 %0, %conv
  br i1 %cmp25.not, label %if.end28, label %for.inc

if.end28:                                         ; preds = %land.lhs.true, %if.end
  %arrayidx19.le = getelementptr inbounds nuw i64, ptr %sizes, i64 %indvars.iv
  %arrayidx21.le = getelementptr inbounds nuw i64, ptr %limits, i64 %indvars.iv
  %5 = load atomic i32, ptr @is_counting seq_cst, align 4
  %tobool.not = icmp eq i32 %5, 0
  br i1 %tobool.not, label %if.then29, label %if.end30

if.then29:                                        ; preds = %if.end28
  %call = tail call i32 (i32, ptr, ...) @dprintf(i32 noundef 2, ptr noundef nonnull @.str) #27
  br label %if.end30

if.end30:                                         ; preds = %if.then29, %if.end28
  %6 = load i64, ptr @refused, align 16
  %tobool31.not = icmp eq i64 %6, 0
  br i1 %tobool31.not, label %if.then32, label %return

if.then32:                                        ; preds = %if.end30
  %add = add nuw i64 %indvars.iv, 1
  %conv33 = and i64 %add, 4294967295
  store i64 %conv33, ptr @refused, align 16
  %7 = load i64, ptr %arrayidx19.le, align 8
  store i64 %7, ptr getelementptr inbounds nuw (i8, ptr @refused, i64 8), align 8
  %8 = load i64, ptr %arrayidx21.le, align 8
  store i64 %8, ptr getelementptr inbounds nuw (i8, ptr @refused, i64 16), align 16
  br label %return

for.inc:                                          ; preds = %land.lhs.true
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

return:                                           ; preds = %for.cond, %if.end30, %if.then32
  %cmp = icmp samesign ugt i64 %indvars.iv, 7
  ret i1 %cmp
}

declare i32 @dprintf(i32 noundef, ptr noundef, ...) local_unnamed_addr

define i64 @kc_emu_refused(i32 noundef %part) local_unnamed_addr #5 {
entry:
  %idxprom = sext i32 %part to i64
  %arrayidx = getelementptr inbounds i64, ptr @refused, i64 %idxprom
  %0 = load i64, ptr %arrayidx, align 8
  %cmp = icmp eq i32 %part, 2
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  store i64 0, ptr @refused, align 16
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  ret i64 %0
}

define void @kc_emu_run(ptr noundef readonly captures(none) %threads, ptr noundef captures(none) %states, i64 noundef %count, ptr noundef readonly captures(none) %step, ptr noundef %block) local_unnamed_addr #0 {
entry:
  %tobool27.not = icmp eq ptr %block, null
  %ranks = getelementptr inbounds nuw i8, ptr %block, i64 2680
  %each.i = getelementptr inbounds nuw i8, ptr %block, i64 2672
  br label %for.cond1

for.cond1:                                        ; preds = %for.cond1.backedge, %entry
  %begin.0 = phi i64 [ 0, %entry ], [ %begin.0.be, %for.cond1.backedge ]
  %alive.0 = phi i32 [ 0, %entry ], [ %alive.0.be, %for.cond1.backedge ]
  %cmp = icmp slt i64 %begin.0, %count
  br i1 %cmp, label %for.body, label %for.end19

for.body:                                         ; preds = %for.cond1
  %add = add nuw nsw i64 %begin.0, 32
  %cond = tail call i64 @llvm.smin.i64(i64 %add, i64 %count)
  br label %for.cond5.outer

for.cond5.outer:                                  ; preds = %for.body, %if.end
  %i.0.ph = phi i64 [ %begin.0, %for.body ], [ %inc, %if.end ]
  %alive.2.ph = phi i32 [ %alive.0, %for.body ], [ %spec.select, %if.end ]
  br label %for.cond5

for.cond5:                                        ; preds = %for.cond5.outer, %if.end15
  %i.0 = phi i64 [ %begin.0, %if.end15 ], [ %i.0.ph, %for.cond5.outer ]
  %cmp6 = icmp slt i64 %i.0, %cond
  br i1 %cmp6, label %for.body7, label %for.end

for.body7:                                        ; preds = %for.cond5
  %arrayidx = getelementptr inbounds nuw i32, ptr %states, i64 %i.0
  %0 = load i32, ptr %arrayidx, align 4
  %cmp8 = icmp eq i32 %0, 0
  br i1 %cmp8, label %if.then, label %if.end

if.then:                                          ; preds = %for.body7
  %arrayidx9 = getelementptr inbounds nuw ptr, ptr %threads, i64 %i.0
  %1 = load ptr, ptr %arrayidx9, align 8
  tail call void %step(ptr noundef %1, i32 noundef 0) #27
  %.pre95 = load i32, ptr %arrayidx, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body7
  %2 = phi i32 [ %.pre95, %if.then ], [ %0, %for.body7 ]
  %cmp11.not = icmp eq i32 %2, -1
  %spec.select = select i1 %cmp11.not, i32 %alive.2.ph, i32 1
  %inc = add nuw nsw i64 %i.0, 1
  br label %for.cond5.outer

for.end:                                          ; preds = %for.cond5
  %call = tail call fastcc i32 @warp_is_complete(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond) #28
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %for.cond1.backedge, label %if.end15

if.end15:                                         ; preds = %for.end
  tail call fastcc void @release(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond, i32 noundef 2) #28
  br label %for.cond5

for.end19:                                        ; preds = %for.cond1
  %tobool20.not = icmp eq i32 %alive.0, 0
  br i1 %tobool20.not, label %for.end51, label %if.end22

if.end22:                                         ; preds = %for.end19
  %call23 = tail call fastcc i32 @is_any_ready(ptr noundef %states, i64 noundef %count) #28
  %tobool24.not = icmp eq i32 %call23, 0
  br i1 %tobool24.not, label %if.end26, label %for.cond1.backedge

if.end26:                                         ; preds = %if.end22
  br i1 %tobool27.not, label %if.end50, label %land.lhs.true

land.lhs.true:                                    ; preds = %if.end26
  %3 = load i32, ptr %ranks, align 8
  %cmp28 = icmp sgt i32 %3, 1
  br i1 %cmp28, label %for.cond.i.outer, label %land.lhs.true35

for.cond.i.outer:                                 ; preds = %land.lhs.true, %if.end.i
  %.pre93.ph = phi i32 [ %.pre.pre, %if.end.i ], [ %3, %land.lhs.true ]
  %indvars.iv.i.ph = phi i64 [ %8, %if.end.i ], [ 0, %land.lhs.true ]
  %tobool31.not = phi i1 [ false, %if.end.i ], [ true, %land.lhs.true ]
  %4 = sext i32 %.pre93.ph to i64
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.cond.i.outer, %for.body.for.inc_crit_edge.i
  %indvars.iv.i = phi i64 [ %.pre.i, %for.body.for.inc_crit_edge.i ], [ %indvars.iv.i.ph, %for.cond.i.outer ]
  %cmp.i = icmp slt i64 %indvars.iv.i, %4
  br i1 %cmp.i, label %for.body.i, label %release_ranks.exit

for.body.i:                                       ; preds = %for.cond.i
  %5 = trunc nuw nsw i64 %indvars.iv.i to i32
  %call.i = tail call fastcc i64 @who_completes(ptr noundef nonnull readonly %block, i32 noundef %5) #28
  %cmp1.i = icmp slt i64 %call.i, 0
  br i1 %cmp1.i, label %for.body.for.inc_crit_edge.i, label %if.end.i

for.body.for.inc_crit_edge.i:                     ; preds = %for.body.i
  %.pre.i = add nuw nsw i64 %indvars.iv.i, 1
  br label %for.cond.i

if.end.i:                                         ; preds = %for.body.i
  %6 = load ptr, ptr %block, align 8
  %7 = load i64, ptr %each.i, align 8
  %mul.i = mul nsw i64 %7, %indvars.iv.i
  %8 = add nuw nsw i64 %indvars.iv.i, 1
  %mul4.i = mul nsw i64 %7, %8
  tail call fastcc void @release(ptr noundef %6, i64 noundef %mul.i, i64 noundef %mul4.i, i32 noundef 1) #28
  %.pre.pre = load i32, ptr %ranks, align 8
  br label %for.cond.i.outer

release_ranks.exit:                               ; preds = %for.cond.i
  br i1 %tobool31.not, label %land.lhs.true35, label %for.cond1.backedge

land.lhs.true35:                                  ; preds = %land.lhs.true, %release_ranks.exit
  %call36 = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 3) #28
  %cmp37 = icmp sgt i64 %call36, -1
  br i1 %cmp37, label %if.then38, label %if.end50

if.then38:                                        ; preds = %land.lhs.true35
  %call39 = tail call fastcc i32 @wake(ptr noundef %block) #28
  %tobool40.not = icmp eq i32 %call39, 0
  br i1 %tobool40.not, label %lor.lhs.false, label %for.cond1.backedge

for.cond1.backedge:                               ; preds = %for.end, %if.then38, %lor.lhs.false, %if.end50, %if.end22, %release_ranks.exit
  %begin.0.be = phi i64 [ 0, %release_ranks.exit ], [ 0, %if.then38 ], [ 0, %lor.lhs.false ], [ 0, %if.end50 ], [ 0, %if.end22 ], [ %add, %for.end ]
  %alive.0.be = phi i32 [ 0, %release_ranks.exit ], [ 0, %if.then38 ], [ 0, %lor.lhs.false ], [ 0, %if.end50 ], [ 0, %if.end22 ], [ %alive.2.ph, %for.end ]
  br label %for.cond1

lor.lhs.false:                                    ; preds = %if.then38
  %call41 = tail call fastcc i32 @do_late(ptr noundef %block) #28
  %tobool42.not = icmp eq i32 %call41, 0
  br i1 %tobool42.not, label %if.end44, label %for.cond1.backedge

if.end44:                                         ; preds = %lor.lhs.false
  %9 = load atomic i32, ptr @is_counting seq_cst, align 4
  %tobool45.not = icmp eq i32 %9, 0
  br i1 %tobool45.not, label %if.else, label %if.then46

if.then46:                                        ; preds = %if.end44
  %10 = atomicrmw add ptr @deadlocks, i64 1 seq_cst, align 8
  br label %for.end51

if.else:                                          ; preds = %if.end44
  %call48 = tail call i32 (i32, ptr, ...) @dprintf(i32 noundef 2, ptr noundef nonnull @.str.1) #27
  br label %for.end51

if.end50:                                         ; preds = %if.end26, %land.lhs.true35
  tail call fastcc void @release(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 1) #28
  br label %for.cond1.backedge

for.end51:                                        ; preds = %for.end19, %if.then46, %if.else
  %smax = tail call i64 @llvm.smax.i64(i64 %count, i64 0)
  br label %for.cond53

for.cond53:                                       ; preds = %for.body55, %for.end51
  %i52.0 = phi i64 [ 0, %for.end51 ], [ %inc58, %for.body55 ]
  %exitcond.not = icmp eq i64 %i52.0, %smax
  br i1 %exitcond.not, label %for.end59, label %for.body55

for.body55:                                       ; preds = %for.cond53
  %arrayidx56 = getelementptr inbounds nuw ptr, ptr %threads, i64 %i52.0
  %11 = load ptr, ptr %arrayidx56, align 8
  tail call void %step(ptr noundef %11, i32 noundef 1) #27
  %inc58 = add nuw i64 %i52.0, 1
  br label %for.cond53

for.end59:                                        ; preds = %for.cond53
  ret void
}

define internal fastcc range(i32 0, 2) i32 @warp_is_complete(ptr noundef readonly captures(none) %states, i64 noundef %begin, i64 noundef %end) unnamed_addr #6 {
entry:
  %call = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef %begin, i64 noundef %end, i32 noundef 2) #28
  %cmp = icmp sgt i64 %call, -1
  br i1 %cmp, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %entry
  %call1 = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef %begin, i64 noundef %end, i32 noundef 3) #28
  %call1.lobit = lshr i64 %call1, 63
  %0 = trunc nuw nsw i64 %call1.lobit to i32
  br label %land.end

land.end:                                         ; preds = %land.rhs, %entry
  %land.ext = phi i32 [ 0, %entry ], [ %0, %land.rhs ]
  ret i32 %land.ext
}

define internal fastcc void @release(ptr noundef captures(none) %states, i64 noundef %begin, i64 noundef %end, i32 noundef range(i32 1, 3) %scope) unnamed_addr #7 {
entry:
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i64 [ %begin, %entry ], [ %inc, %for.inc ]
  %cmp = icmp slt i64 %i.0, %end
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds i32, ptr %states, i64 %i.0
  %0 = load i32, ptr %arrayidx, align 4
  %1 = add i32 %0, 1
  %or.cond.i = icmp ult i32 %1, 2
  %and.i.i = and i32 %0, 3
  %cmp2.i = icmp ne i32 %and.i.i, %scope
  %narrow.i.not = or i1 %or.cond.i, %cmp2.i
  br i1 %narrow.i.not, label %for.inc, label %if.then

if.then:                                          ; preds = %for.body
  store i32 0, ptr %arrayidx, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body, %if.then
  %inc = add nsw i64 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

define internal fastcc range(i32 0, 2) i32 @is_any_ready(ptr noundef readonly captures(none) %states, i64 noundef %count) unnamed_addr #6 {
entry:
  %smax = tail call i64 @llvm.smax.i64(i64 %count, i64 0)
  br label %for.cond

for.cond:                                         ; preds = %for.body, %entry
  %i.0 = phi i64 [ 0, %entry ], [ %inc, %for.body ]
  %exitcond.not = icmp eq i64 %i.0, %smax
  br i1 %exitcond.not, label %return, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw i32, ptr %states, i64 %i.0
  %0 = load i32, ptr %arrayidx, align 4
  %cmp1 = icmp eq i32 %0, 0
  %inc = add nuw i64 %i.0, 1
  br i1 %cmp1, label %return, label %for.cond

return:                                           ; preds = %for.cond, %for.body
  %retval.0 = phi i32 [ 1, %for.body ], [ 0, %for.cond ]
  ret i32 %retval.0
}

define internal fastcc range(i64 -9223372036854775808, 9223372036854775807) i64 @who_waits(ptr noundef readonly captures(none) %states, i64 noundef %begin, i64 noundef %end, i32 noundef range(i32 1, 4) %scope) unnamed_addr #6 {
entry:
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i64 [ %begin, %entry ], [ %inc, %for.inc ]
  %cmp = icmp slt i64 %i.0, %end
  br i1 %cmp, label %for.body, label %return

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds i32, ptr %states, i64 %i.0
  %0 = load i32, ptr %arrayidx, align 4
  %1 = add i32 %0, 1
  %or.cond.i = icmp ult i32 %1, 2
  %and.i.i = and i32 %0, 3
  %cmp2.i = icmp ne i32 %and.i.i, %scope
  %narrow.i.not = or i1 %or.cond.i, %cmp2.i
  br i1 %narrow.i.not, label %for.inc, label %return

for.inc:                                          ; preds = %for.body
  %inc = add nsw i64 %i.0, 1
  br label %for.cond

return:                                           ; preds = %for.cond, %for.body
  %retval.0 = phi i64 [ %i.0, %for.body ], [ -1, %for.cond ]
  ret i64 %retval.0
}

define internal fastcc range(i32 0, 2) i32 @wake(ptr noundef nonnull captures(address_is_null) %block) unnamed_addr #0 {
entry:
  %count.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %0 = load i64, ptr %count.i, align 8
  %smax.i = tail call i64 @llvm.smax.i64(i64 %0, i64 0)
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.body.i, %entry
  %alive.0.i = phi i32 [ 0, %entry ], [ %add.i, %for.body.i ]
  %i.0.i = phi i64 [ 0, %entry ], [ %inc.i, %for.body.i ]
  %exitcond.not.i = icmp eq i64 %i.0.i, %smax.i
  br i1 %exitcond.not.i, label %for.end.i, label %for.body.i

for.body.i:                                       ; preds = %for.cond.i
  %1 = load ptr, ptr %block, align 8
  %arrayidx1.i = getelementptr inbounds nuw i32, ptr %1, i64 %i.0.i
  %2 = load i32, ptr %arrayidx1.i, align 4
  %cmp2.i = icmp ne i32 %2, -1
  %conv.i = zext i1 %cmp2.i to i32
  %add.i = add nuw nsw i32 %alive.0.i, %conv.i
  %inc.i = add nuw i64 %i.0.i, 1
  br label %for.cond.i

for.end.i:                                        ; preds = %for.cond.i
  %arrayidx.i = getelementptr inbounds nuw i8, ptr %block, i64 2608
  store i32 %alive.0.i, ptr %arrayidx.i, align 4
  %arrived.i = getelementptr inbounds nuw i8, ptr %block, i64 2612
  %3 = load i32, ptr %arrived.i, align 4
  %tobool.not.i = icmp eq i32 %3, 0
  %cmp4.i = icmp slt i32 %3, %alive.0.i
  %or.cond.i = select i1 %tobool.not.i, i1 true, i1 %cmp4.i
  br i1 %or.cond.i, label %complete_cluster.exit, label %if.end.i

if.end.i:                                         ; preds = %for.end.i
  store i32 0, ptr %arrived.i, align 4
  %generation.i = getelementptr inbounds nuw i8, ptr %block, i64 2616
  %4 = load i32, ptr %generation.i, align 4
  %inc7.i = add i32 %4, 1
  store i32 %inc7.i, ptr %generation.i, align 4
  %call.i = tail call fastcc ptr @order_of(ptr noundef nonnull %block, i32 noundef 128, i64 noundef 0) #28
  tail call fastcc void @complete(ptr noundef nonnull %block, ptr noundef %call.i) #28
  %clocks.i = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %5 = load ptr, ptr %clocks.i, align 8
  %tobool8.not.i = icmp eq ptr %5, null
  br i1 %tobool8.not.i, label %complete_cluster.exit, label %if.then9.i

if.then9.i:                                       ; preds = %if.end.i
  %6 = load i64, ptr @barriers, align 8
  %inc10.i = add nsw i64 %6, 1
  store i64 %inc10.i, ptr @barriers, align 8
  br label %complete_cluster.exit

complete_cluster.exit:                            ; preds = %for.end.i, %if.end.i, %if.then9.i
  %waits = getelementptr inbounds nuw i8, ptr %block, i64 16
  %clocks.i82 = getelementptr inbounds nuw i8, ptr %block, i64 2768
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %complete_cluster.exit
  %i.0 = phi i64 [ 0, %complete_cluster.exit ], [ %inc, %for.inc ]
  %is_any.0 = phi i32 [ 0, %complete_cluster.exit ], [ %is_any.1, %for.inc ]
  %7 = load i64, ptr %count.i, align 8
  %cmp = icmp slt i64 %i.0, %7
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %8 = load ptr, ptr %block, align 8
  %arrayidx = getelementptr inbounds nuw i32, ptr %8, i64 %i.0
  %9 = load i32, ptr %arrayidx, align 4
  %10 = add i32 %9, 1
  %or.cond.i74 = icmp ult i32 %10, 2
  %and.i.i = and i32 %9, 3
  %cmp2.i75 = icmp ne i32 %and.i.i, 3
  %narrow.i.not = or i1 %or.cond.i74, %cmp2.i75
  br i1 %narrow.i.not, label %for.inc, label %if.end

if.end:                                           ; preds = %for.body
  %11 = load ptr, ptr %waits, align 8
  %arrayidx1 = getelementptr inbounds nuw %struct.Wait, ptr %11, i64 %i.0
  %12 = load i32, ptr %arrayidx1, align 8
  switch i32 %12, label %if.else [
    i32 5, label %for.inc
    i32 1, label %if.then7
    i32 4, label %if.then15
    i32 0, label %if.then23
  ]

if.then7:                                         ; preds = %if.end
  %call8 = tail call fastcc i64 @missing_lane(ptr noundef %block, i64 noundef %i.0) #28
  %cmp9 = icmp sgt i64 %call8, -1
  br i1 %cmp9, label %for.inc, label %if.end11

if.end11:                                         ; preds = %if.then7
  %mask1.i = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 16
  %13 = load i32, ptr %mask1.i, align 8
  %div.i98 = and i64 %i.0, 9223372036854775776
  %add.i77 = add nuw nsw i64 %div.i98, 32
  %add..i = tail call i64 @llvm.smin.i64(i64 %add.i77, i64 %7)
  br label %for.cond.i79

for.cond.i79:                                     ; preds = %for.inc.i, %if.end11
  %i.0.i80 = phi i64 [ %div.i98, %if.end11 ], [ %inc.i86, %for.inc.i ]
  %cmp4.i81 = icmp slt i64 %i.0.i80, %add..i
  br i1 %cmp4.i81, label %for.body.i84, label %for.cond7.i

for.body.i84:                                     ; preds = %for.cond.i79
  %sub.i = sub nuw nsw i64 %i.0.i80, %div.i98
  %sh_prom.i = trunc i64 %sub.i to i32
  %14 = shl nuw i32 1, %sh_prom.i
  %15 = and i32 %14, %13
  %tobool.not.i85 = icmp eq i32 %15, 0
  br i1 %tobool.not.i85, label %for.inc.i, label %if.then.i

if.then.i:                                        ; preds = %for.body.i84
  %16 = load ptr, ptr %block, align 8
  %arrayidx5.i = getelementptr inbounds nuw i32, ptr %16, i64 %i.0.i80
  store i32 0, ptr %arrayidx5.i, align 4
  br label %for.inc.i

for.inc.i:                                        ; preds = %if.then.i, %for.body.i84
  %inc.i86 = add nuw nsw i64 %i.0.i80, 1
  br label %for.cond.i79

for.cond7.i:                                      ; preds = %for.cond.i79, %for.inc31.i
  %i6.0.i = phi i64 [ %inc32.i, %for.inc31.i ], [ %div.i98, %for.cond.i79 ]
  %17 = load ptr, ptr %clocks.i82, align 8
  %tobool8.i = icmp ne ptr %17, null
  %cmp9.i = icmp slt i64 %i6.0.i, %add..i
  %18 = select i1 %tobool8.i, i1 %cmp9.i, i1 false
  br i1 %18, label %for.cond11.preheader.i, label %for.cond35.i

for.cond11.preheader.i:                           ; preds = %for.cond7.i
  %sub15.i = sub nuw nsw i64 %i6.0.i, %div.i98
  %sh_prom16.i = trunc i64 %sub15.i to i32
  %shr17.i = lshr i32 %13, %sh_prom16.i
  %and21.i = and i32 %shr17.i, 1
  br label %for.cond11.i

for.cond11.i:                                     ; preds = %for.inc28.i, %for.cond11.preheader.i
  %j.0.i = phi i64 [ %inc29.i, %for.inc28.i ], [ %div.i98, %for.cond11.preheader.i ]
  %exitcond.not.i83 = icmp eq i64 %j.0.i, %add..i
  br i1 %exitcond.not.i83, label %for.inc31.i, label %for.body13.i

for.body13.i:                                     ; preds = %for.cond11.i
  %cmp14.not.i = icmp eq i64 %i6.0.i, %j.0.i
  br i1 %cmp14.not.i, label %for.inc28.i, label %land.lhs.true.i

land.lhs.true.i:                                  ; preds = %for.body13.i
  %sub18.i = sub nsw i64 %j.0.i, %div.i98
  %sh_prom19.i = trunc i64 %sub18.i to i32
  %shr20.i = lshr i32 %13, %sh_prom19.i
  %and22.i = and i32 %and21.i, %shr20.i
  %tobool23.not.i = icmp eq i32 %and22.i, 0
  br i1 %tobool23.not.i, label %for.inc28.i, label %if.then24.i

if.then24.i:                                      ; preds = %land.lhs.true.i
  %19 = load ptr, ptr %clocks.i82, align 8
  %20 = load i64, ptr %count.i, align 8
  %mul.i.i.i = shl nsw i64 %20, 1
  %add.i.i.i = or disjoint i64 %mul.i.i.i, 1
  %mul.i.i = mul nsw i64 %add.i.i.i, %i6.0.i
  %add.ptr.i.i = getelementptr inbounds i32, ptr %19, i64 %mul.i.i
  %mul.i99.i = mul nsw i64 %add.i.i.i, %j.0.i
  %add.ptr.i100.i = getelementptr inbounds i32, ptr %19, i64 %mul.i99.i
  tail call fastcc void @learn(ptr noundef %add.ptr.i.i, ptr noundef %add.ptr.i100.i, i64 noundef %add.i.i.i) #28
  br label %for.inc28.i

for.inc28.i:                                      ; preds = %if.then24.i, %land.lhs.true.i, %for.body13.i
  %inc29.i = add i64 %j.0.i, 1
  br label %for.cond11.i

for.inc31.i:                                      ; preds = %for.cond11.i
  %inc32.i = add nuw nsw i64 %i6.0.i, 1
  br label %for.cond7.i

for.cond35.i:                                     ; preds = %for.cond7.i, %for.inc52.i
  %.pre108.i = phi ptr [ %.pre.i, %for.inc52.i ], [ %17, %for.cond7.i ]
  %i34.0.i = phi i64 [ %inc53.i, %for.inc52.i ], [ %div.i98, %for.cond7.i ]
  %tobool37.i = icmp ne ptr %.pre108.i, null
  %cmp39.i = icmp slt i64 %i34.0.i, %add..i
  %21 = select i1 %tobool37.i, i1 %cmp39.i, i1 false
  br i1 %21, label %for.body41.i, label %for.inc

for.body41.i:                                     ; preds = %for.cond35.i
  %sub42.i = sub nuw nsw i64 %i34.0.i, %div.i98
  %sh_prom43.i = trunc i64 %sub42.i to i32
  %22 = shl nuw i32 1, %sh_prom43.i
  %23 = and i32 %22, %13
  %tobool46.not.i = icmp eq i32 %23, 0
  br i1 %tobool46.not.i, label %for.inc52.i, label %if.then47.i

if.then47.i:                                      ; preds = %for.body41.i
  %24 = load i64, ptr %count.i, align 8
  %mul.i.i104.i = shl nsw i64 %24, 1
  %add.i.i105.i = or disjoint i64 %mul.i.i104.i, 1
  %mul.i106.i = mul nsw i64 %add.i.i105.i, %i34.0.i
  %add.ptr.i107.i = getelementptr inbounds i32, ptr %.pre108.i, i64 %mul.i106.i
  %arrayidx49.i = getelementptr inbounds nuw i32, ptr %add.ptr.i107.i, i64 %i34.0.i
  %25 = load i32, ptr %arrayidx49.i, align 4
  %inc50.i = add nsw i32 %25, 1
  store i32 %inc50.i, ptr %arrayidx49.i, align 4
  %.pre.pre.i = load ptr, ptr %clocks.i82, align 8
  br label %for.inc52.i

for.inc52.i:                                      ; preds = %if.then47.i, %for.body41.i
  %.pre.i = phi ptr [ %.pre108.i, %for.body41.i ], [ %.pre.pre.i, %if.then47.i ]
  %inc53.i = add nuw nsw i64 %i34.0.i, 1
  br label %for.cond35.i

if.then15:                                        ; preds = %if.end
  %call16 = tail call fastcc i64 @missing_in_group(ptr noundef %block, i64 noundef %i.0) #28
  %cmp17 = icmp sgt i64 %call16, -1
  br i1 %cmp17, label %for.inc, label %if.end19

if.end19:                                         ; preds = %if.then15
  %div.i8797 = and i64 %i.0, 9223372036854775680
  %add.i89 = add nuw nsw i64 %div.i8797, 128
  br label %for.cond.i90

for.cond.i90:                                     ; preds = %for.body.i93, %if.end19
  %i.0.i91 = phi i64 [ %div.i8797, %if.end19 ], [ %inc.i95, %for.body.i93 ]
  %exitcond.not.i92 = icmp eq i64 %i.0.i91, %add.i89
  br i1 %exitcond.not.i92, label %for.inc, label %for.body.i93

for.body.i93:                                     ; preds = %for.cond.i90
  %26 = load ptr, ptr %block, align 8
  %arrayidx.i94 = getelementptr inbounds i32, ptr %26, i64 %i.0.i91
  store i32 0, ptr %arrayidx.i94, align 4
  %inc.i95 = add nuw i64 %i.0.i91, 1
  br label %for.cond.i90

if.then23:                                        ; preds = %if.end
  %barrier = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 4
  %27 = load i32, ptr %barrier, align 4
  %idxprom = sext i32 %27 to i64
  %arrayidx24 = getelementptr %struct.Barrier, ptr %block, i64 %idxprom
  %generation = getelementptr i8, ptr %arrayidx24, i64 56
  %28 = load i32, ptr %generation, align 4
  %generation25 = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 12
  %29 = load i32, ptr %generation25, align 4
  %cmp26 = icmp eq i32 %28, %29
  br i1 %cmp26, label %for.inc, label %if.end28

if.end28:                                         ; preds = %if.then23
  %call30 = tail call fastcc ptr @order_of(ptr noundef nonnull %block, i32 noundef %27, i64 noundef 0) #28
  br label %if.end38

if.else:                                          ; preds = %if.end
  %address = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 24
  %30 = load i64, ptr %address, align 8
  %31 = inttoptr i64 %30 to ptr
  %32 = load i64, ptr %31, align 8
  %shr = lshr i64 %32, 62
  %and = and i64 %shr, 1
  %generation31 = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 12
  %33 = load i32, ptr %generation31, align 4
  %conv = zext i32 %33 to i64
  %cmp32 = icmp eq i64 %and, %conv
  br i1 %cmp32, label %for.inc, label %if.end35

if.end35:                                         ; preds = %if.else
  %call37 = tail call fastcc ptr @order_of(ptr noundef nonnull %block, i32 noundef 0, i64 noundef %30) #28
  br label %if.end38

if.end38:                                         ; preds = %if.end35, %if.end28
  %call37.sink = phi ptr [ %call37, %if.end35 ], [ %call30, %if.end28 ]
  tail call fastcc void @hear(ptr noundef nonnull %block, ptr noundef %call37.sink, i64 noundef %i.0) #28
  %is_done = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 8
  store i32 1, ptr %is_done, align 8
  %34 = load ptr, ptr %block, align 8
  %arrayidx40 = getelementptr inbounds nuw i32, ptr %34, i64 %i.0
  store i32 0, ptr %arrayidx40, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.cond.i90, %for.cond35.i, %if.end, %if.else, %if.then23, %if.then15, %if.then7, %for.body, %if.end38
  %is_any.1 = phi i32 [ %is_any.0, %if.end ], [ %is_any.0, %if.then7 ], [ %is_any.0, %for.body ], [ %is_any.0, %if.then15 ], [ 1, %for.cond35.i ], [ %is_any.0, %if.then23 ], [ 1, %if.end38 ], [ %is_any.0, %if.else ], [ 1, %for.cond.i90 ]
  %inc = add nuw nsw i64 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret i32 %is_any.0
}

define internal fastcc range(i32 0, 2) i32 @do_late(ptr noundef nonnull %block) unnamed_addr #0 {
entry:
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %queues = getelementptr inbounds nuw i8, ptr %block, i64 24
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i64 [ 0, %entry ], [ %inc, %for.inc ]
  %is_any.0 = phi i32 [ 0, %entry ], [ %is_any.1, %for.inc ]
  %0 = load i64, ptr %count, align 8
  %cmp = icmp slt i64 %i.0, %0
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %1 = load ptr, ptr %queues, align 8
  %arrayidx = getelementptr inbounds nuw %struct.Queue, ptr %1, i64 %i.0
  %count1 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %2 = load i32, ptr %count1, align 8
  br label %while.cond

while.cond:                                       ; preds = %while.body, %for.body
  %end.0 = phi i32 [ %2, %for.body ], [ %dec, %while.body ]
  %cmp2 = icmp sgt i32 %end.0, 0
  br i1 %cmp2, label %land.rhs, label %while.end

land.rhs:                                         ; preds = %while.cond
  %3 = load ptr, ptr %arrayidx, align 8
  %4 = zext nneg i32 %end.0 to i64
  %5 = getelementptr %struct.Copy, ptr %3, i64 %4
  %bytes = getelementptr i8, ptr %5, i64 -16
  %6 = load i32, ptr %bytes, align 8
  %tobool.not = icmp eq i32 %6, 0
  br i1 %tobool.not, label %if.end, label %while.body

while.body:                                       ; preds = %land.rhs
  %dec = add nsw i32 %end.0, -1
  br label %while.cond

while.end:                                        ; preds = %while.cond
  %tobool4.not = icmp sgt i32 %2, -1
  br i1 %tobool4.not, label %for.inc, label %if.end

if.end:                                           ; preds = %land.rhs, %while.end
  %end.0111 = phi i32 [ %2, %while.end ], [ %end.0, %land.rhs ]
  tail call fastcc void @settle_if(ptr noundef nonnull %block) #28
  tail call fastcc void @do_copies(ptr noundef nonnull %block, i64 noundef %i.0, i32 noundef %end.0111) #28
  br label %for.inc

for.inc:                                          ; preds = %while.end, %if.end
  %is_any.1 = phi i32 [ 1, %if.end ], [ %is_any.0, %while.end ]
  %inc = add nuw nsw i64 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %tobool5.not = icmp eq i32 %is_any.0, 0
  br i1 %tobool5.not, label %lor.lhs.false, label %return

lor.lhs.false:                                    ; preds = %for.end
  %count.i = getelementptr inbounds nuw i8, ptr %block, i64 2648
  %7 = load i32, ptr %count.i, align 8
  %bulks.i = getelementptr inbounds nuw i8, ptr %block, i64 2640
  %smax.i = tail call i32 @llvm.smax.i32(i32 %7, i32 0)
  %wide.trip.count.i = zext nneg i32 %smax.i to i64
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.inc.i, %lor.lhs.false
  %indvars.iv.i = phi i64 [ %indvars.iv.next.i, %for.inc.i ], [ 0, %lor.lhs.false ]
  %exitcond.not.i = icmp eq i64 %indvars.iv.i, %wide.trip.count.i
  br i1 %exitcond.not.i, label %for.cond10.preheader, label %for.body.i

for.cond10.preheader:                             ; preds = %for.cond.i
  %waits = getelementptr inbounds nuw i8, ptr %block, i64 16
  %smax = tail call i64 @llvm.smax.i64(i64 %0, i64 0)
  br label %for.cond10

for.body.i:                                       ; preds = %for.cond.i
  %8 = load ptr, ptr %bulks.i, align 8
  %arrayidx.i = getelementptr inbounds nuw %struct.Bulk, ptr %8, i64 %indvars.iv.i
  %mbarrier.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  %9 = load i64, ptr %mbarrier.i, align 8
  %tobool.not.i = icmp eq i64 %9, 0
  br i1 %tobool.not.i, label %for.inc.i, label %do_late_bulk.exit.thread

do_late_bulk.exit.thread:                         ; preds = %for.body.i
  %10 = trunc nuw nsw i64 %indvars.iv.i to i32
  tail call fastcc void @settle_if(ptr noundef nonnull %block) #28
  tail call fastcc void @end_bulk(ptr noundef nonnull %block, i32 noundef %10) #28
  br label %return

for.inc.i:                                        ; preds = %for.body.i
  %indvars.iv.next.i = add nuw nsw i64 %indvars.iv.i, 1
  br label %for.cond.i

for.cond10:                                       ; preds = %for.cond10.preheader, %for.inc26
  %most.0 = phi i32 [ %most.1, %for.inc26 ], [ 1000, %for.cond10.preheader ]
  %i9.0 = phi i64 [ %inc27, %for.inc26 ], [ 0, %for.cond10.preheader ]
  %exitcond.not = icmp eq i64 %i9.0, %smax
  br i1 %exitcond.not, label %for.end28, label %for.body13

for.body13:                                       ; preds = %for.cond10
  %11 = load ptr, ptr %waits, align 8
  %arrayidx14 = getelementptr inbounds nuw %struct.Wait, ptr %11, i64 %i9.0
  %12 = load ptr, ptr %block, align 8
  %arrayidx15 = getelementptr inbounds nuw i32, ptr %12, i64 %i9.0
  %13 = load i32, ptr %arrayidx15, align 4
  %14 = add i32 %13, 1
  %or.cond.i = icmp ult i32 %14, 2
  %and.i.i = and i32 %13, 3
  %cmp2.i = icmp ne i32 %and.i.i, 3
  %narrow.i.not = or i1 %or.cond.i, %cmp2.i
  br i1 %narrow.i.not, label %for.inc26, label %land.rhs18

land.rhs18:                                       ; preds = %for.body13
  %15 = load i32, ptr %arrayidx14, align 8
  %cmp19 = icmp eq i32 %15, 5
  br i1 %cmp19, label %land.lhs.true, label %for.inc26

land.lhs.true:                                    ; preds = %land.rhs18
  %barrier = getelementptr inbounds nuw i8, ptr %arrayidx14, i64 4
  %16 = load i32, ptr %barrier, align 4
  %spec.select = tail call i32 @llvm.smax.i32(i32 %16, i32 %most.0)
  br label %for.inc26

for.inc26:                                        ; preds = %land.lhs.true, %for.body13, %land.rhs18
  %most.1 = phi i32 [ %most.0, %for.body13 ], [ %spec.select, %land.lhs.true ], [ %most.0, %land.rhs18 ]
  %inc27 = add nuw i64 %i9.0, 1
  br label %for.cond10

for.end28:                                        ; preds = %for.cond10
  %fruitless = getelementptr inbounds nuw i8, ptr %block, i64 2760
  %17 = load i32, ptr %fruitless, align 8
  %inc29 = add nsw i32 %17, 1
  store i32 %inc29, ptr %fruitless, align 8
  %cmp30.not = icmp slt i32 %17, %most.0
  br i1 %cmp30.not, label %for.cond34, label %return

for.cond34:                                       ; preds = %for.end28, %for.inc59
  %.pre112 = phi i64 [ %.pre, %for.inc59 ], [ %0, %for.end28 ]
  %is_any.2 = phi i32 [ %is_any.3, %for.inc59 ], [ 0, %for.end28 ]
  %i33.0 = phi i64 [ %inc60, %for.inc59 ], [ 0, %for.end28 ]
  %cmp36 = icmp slt i64 %i33.0, %.pre112
  br i1 %cmp36, label %for.body37, label %return

for.body37:                                       ; preds = %for.cond34
  %18 = load ptr, ptr %block, align 8
  %arrayidx39 = getelementptr inbounds nuw i32, ptr %18, i64 %i33.0
  %19 = load i32, ptr %arrayidx39, align 4
  %20 = add i32 %19, 1
  %or.cond.i98 = icmp ult i32 %20, 2
  %and.i.i99 = and i32 %19, 3
  %cmp2.i100 = icmp ne i32 %and.i.i99, 3
  %narrow.i101.not = or i1 %or.cond.i98, %cmp2.i100
  br i1 %narrow.i101.not, label %for.inc59, label %if.end43

if.end43:                                         ; preds = %for.body37
  %21 = load ptr, ptr %waits, align 8
  %arrayidx45 = getelementptr inbounds nuw %struct.Wait, ptr %21, i64 %i33.0
  %22 = load i32, ptr %arrayidx45, align 8
  switch i32 %22, label %for.inc59 [
    i32 3, label %if.end54
    i32 5, label %if.end54
  ]

if.end54:                                         ; preds = %if.end43, %if.end43
  %is_done = getelementptr inbounds nuw i8, ptr %arrayidx45, i64 8
  store i32 0, ptr %is_done, align 8
  %23 = load ptr, ptr %block, align 8
  %arrayidx58 = getelementptr inbounds nuw i32, ptr %23, i64 %i33.0
  store i32 0, ptr %arrayidx58, align 4
  %.pre.pre = load i64, ptr %count, align 8
  br label %for.inc59

for.inc59:                                        ; preds = %if.end43, %for.body37, %if.end54
  %.pre = phi i64 [ %.pre112, %if.end43 ], [ %.pre.pre, %if.end54 ], [ %.pre112, %for.body37 ]
  %is_any.3 = phi i32 [ %is_any.2, %if.end43 ], [ 1, %if.end54 ], [ %is_any.2, %for.body37 ]
  %inc60 = add nuw nsw i64 %i33.0, 1
  br label %for.cond34

return:                                           ; preds = %for.cond34, %do_late_bulk.exit.thread, %for.end28, %for.end
  %retval.0 = phi i32 [ 0, %for.end28 ], [ 1, %for.end ], [ 1, %do_late_bulk.exit.thread ], [ %is_any.2, %for.cond34 ]
  ret i32 %retval.0
}

define void @kc_emu_begin(i32 noundef %number_of_sites, ptr noundef %statement_of) local_unnamed_addr #0 {
entry:
  store i32 %number_of_sites, ptr @site_count, align 4
  store ptr %statement_of, ptr @statements, align 8
  store ptr null, ptr @pending, align 8
  store i32 0, ptr @finding_count, align 4
  store i64 0, ptr @barriers, align 8
  %conv = sext i32 %number_of_sites to i64
  %add = add nsw i64 %conv, 1
  %call = tail call ptr @calloc(i64 noundef %add, i64 noundef 144) #27
  store ptr %call, ptr @sites, align 8
  %call3 = tail call ptr @calloc(i64 noundef %add, i64 noundef 32) #27
  store ptr %call3, ptr @costs, align 8
  %call4 = tail call ptr @memset(ptr noundef nonnull @buffers, i32 noundef 0, i64 noundef 32768) #27
  ret void
}

declare ptr @memset(ptr noundef, i32 noundef, i64 noundef) local_unnamed_addr

define noundef nonnull ptr @kc_emu_findings(ptr noundef writeonly captures(none) initializes((0, 4)) %count) local_unnamed_addr #8 {
entry:
  %0 = load i32, ptr @finding_count, align 4
  store i32 %0, ptr %count, align 4
  ret ptr @findings
}

define ptr @kc_emu_costs(ptr noundef writeonly captures(none) initializes((0, 8)) %number_of_barriers) local_unnamed_addr #8 {
entry:
  %0 = load i64, ptr @barriers, align 8
  store i64 %0, ptr %number_of_barriers, align 8
  %1 = load ptr, ptr @costs, align 8
  ret ptr %1
}

define void @kc_emu_end() local_unnamed_addr #0 {
entry:
  br label %for.cond

for.cond:                                         ; preds = %for.body, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, 512
  br i1 %exitcond.not, label %for.cond2, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %indvars.iv
  tail call fastcc void @drop_buffer(ptr noundef nonnull %arrayidx) #28
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.cond2:                                        ; preds = %for.cond, %for.body4
  %indvars.iv15 = phi i64 [ %indvars.iv.next16, %for.body4 ], [ 0, %for.cond ]
  %0 = load i32, ptr @site_count, align 4
  %1 = sext i32 %0 to i64
  %cmp3 = icmp slt i64 %indvars.iv15, %1
  br i1 %cmp3, label %for.body4, label %for.end9

for.body4:                                        ; preds = %for.cond2
  %2 = load ptr, ptr @sites, align 8
  %arrayidx6 = getelementptr inbounds nuw %struct.Site, ptr %2, i64 %indvars.iv15
  %3 = load ptr, ptr %arrayidx6, align 8
  tail call void @free(ptr noundef %3) #27
  %indvars.iv.next16 = add nuw nsw i64 %indvars.iv15, 1
  br label %for.cond2

for.end9:                                         ; preds = %for.cond2
  %4 = load ptr, ptr @links, align 8
  tail call void @free(ptr noundef %4) #27
  store ptr null, ptr @links, align 8
  store i32 0, ptr @link_room, align 4
  %5 = load ptr, ptr @sites, align 8
  tail call void @free(ptr noundef %5) #27
  %6 = load ptr, ptr @costs, align 8
  tail call void @free(ptr noundef %6) #27
  store ptr null, ptr @sites, align 8
  store ptr null, ptr @costs, align 8
  ret void
}

define internal fastcc void @drop_buffer(ptr noundef captures(none) initializes((32, 48)) %buffer) unnamed_addr #0 {
entry:
  %own_cells = getelementptr inbounds nuw i8, ptr %buffer, i64 48
  %0 = load ptr, ptr %own_cells, align 8
  tail call void @free(ptr noundef %0) #27
  %own_updates = getelementptr inbounds nuw i8, ptr %buffer, i64 56
  %1 = load ptr, ptr %own_updates, align 8
  tail call void @free(ptr noundef %1) #27
  store ptr null, ptr %own_cells, align 8
  %cells = getelementptr inbounds nuw i8, ptr %buffer, i64 32
  store ptr null, ptr %cells, align 8
  store ptr null, ptr %own_updates, align 8
  %updates = getelementptr inbounds nuw i8, ptr %buffer, i64 40
  store ptr null, ptr %updates, align 8
  ret void
}

define void @kc_emu_launch() local_unnamed_addr #0 {
entry:
  store i32 64, ptr @buffer_count, align 4
  store i64 0, ptr @threads_each, align 8
  br label %for.cond

for.cond:                                         ; preds = %for.body, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, 512
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %indvars.iv
  tail call fastcc void @drop_buffer(ptr noundef nonnull %arrayidx) #28
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

define void @kc_emu_block(i64 noundef %block) local_unnamed_addr #9 {
entry:
  %conv = trunc i64 %block to i32
  store i32 %conv, ptr @now, align 4
  store i32 0, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  store i32 1, ptr @link_count, align 4
  store i32 0, ptr @unused_link, align 4
  store i32 0, ptr @rank_now, align 4
  ret void
}

define void @kc_emu_rank(i32 noundef %rank, i64 noundef %threads, i64 noundef %behind) local_unnamed_addr #5 {
entry:
  store i32 %rank, ptr @rank_now, align 4
  store i64 %threads, ptr @threads_each, align 8
  %idxprom = sext i32 %rank to i64
  %arrayidx = getelementptr inbounds i64, ptr @numbers_behind, i64 %idxprom
  store i64 %behind, ptr %arrayidx, align 8
  %0 = load i32, ptr @buffer_count, align 4
  %add = shl i32 %rank, 6
  %mul = add i32 %add, 64
  %cmp = icmp slt i32 %0, %mul
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  store i32 %mul, ptr @buffer_count, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  ret void
}

define void @kc_emu_buffer(i32 noundef %known, i64 noundef %base, i64 noundef %bytes) local_unnamed_addr #0 {
entry:
  %and = and i32 %known, 255
  %shr = lshr i32 %known, 8
  %and1 = and i32 %shr, 255
  %cmp = icmp eq i32 %and1, 1
  %0 = load i32, ptr @rank_now, align 4
  %mul = shl nsw i32 %0, 6
  %add = select i1 %cmp, i32 %mul, i32 0
  %slot.0 = add nsw i32 %add, %and
  %idxprom = sext i32 %slot.0 to i64
  %arrayidx = getelementptr inbounds %struct.Buffer, ptr @buffers, i64 %idxprom
  tail call fastcc void @drop_buffer(ptr noundef nonnull %arrayidx) #28
  %shr4 = lshr i32 %known, 16
  %conv = zext nneg i32 %shr4 to i64
  store i64 %base, ptr %arrayidx, align 16
  %.compoundliteral.sroa.2.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  store i64 %bytes, ptr %.compoundliteral.sroa.2.0..sroa_idx, align 8
  %.compoundliteral.sroa.3.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  store i64 %conv, ptr %.compoundliteral.sroa.3.0..sroa_idx, align 16
  %.compoundliteral.sroa.4.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  store i32 %and1, ptr %.compoundliteral.sroa.4.0..sroa_idx, align 8
  %.compoundliteral.sroa.5.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 28
  store i32 %slot.0, ptr %.compoundliteral.sroa.5.0..sroa_idx, align 4
  %.compoundliteral.sroa.6.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  store ptr null, ptr %.compoundliteral.sroa.6.0..sroa_idx, align 16
  %.compoundliteral.sroa.7.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 40
  store ptr null, ptr %.compoundliteral.sroa.7.0..sroa_idx, align 8
  %.compoundliteral.sroa.8.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 48
  store ptr null, ptr %.compoundliteral.sroa.8.0..sroa_idx, align 16
  %.compoundliteral.sroa.9.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 56
  store ptr null, ptr %.compoundliteral.sroa.9.0..sroa_idx, align 8
  %add.i = add i64 %bytes, %base
  %1 = load i32, ptr @buffer_count, align 4
  br label %for.cond.i.outer

for.cond.i.outer:                                 ; preds = %9, %entry
  %end.0.i.ph = phi i64 [ %spec.select116.i, %9 ], [ %add.i, %entry ]
  %begin.0.i.ph = phi i64 [ %spec.select.i, %9 ], [ %base, %entry ]
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.cond.i.outer, %for.inc.thread.i
  %i.0.i = phi i32 [ %add34121.i, %for.inc.thread.i ], [ 0, %for.cond.i.outer ]
  %cmp.i = icmp slt i32 %i.0.i, %1
  br i1 %cmp.i, label %for.body.i, label %for.end.i

for.body.i:                                       ; preds = %for.cond.i
  %idxprom1.i = zext nneg i32 %i.0.i to i64
  %arrayidx2.i = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %idxprom1.i
  %cells.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 32
  %2 = load ptr, ptr %cells.i, align 16
  %tobool.not.i = icmp eq ptr %2, null
  br i1 %tobool.not.i, label %for.inc.thread.i, label %land.lhs.true.i

land.lhs.true.i:                                  ; preds = %for.body.i
  %group.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 28
  %3 = load i32, ptr %group.i, align 4
  %cmp3.not.i = icmp eq i32 %3, %slot.0
  br i1 %cmp3.not.i, label %for.inc.thread.i, label %land.lhs.true4.i

land.lhs.true4.i:                                 ; preds = %land.lhs.true.i
  %scope.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 24
  %4 = load i32, ptr %scope.i, align 8
  %5 = or i32 %4, %and1
  %or.cond = icmp eq i32 %5, 0
  br i1 %or.cond, label %land.lhs.true9.i, label %for.inc.thread.i

land.lhs.true9.i:                                 ; preds = %land.lhs.true4.i
  %granule.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 16
  %6 = load i64, ptr %granule.i, align 16
  %cmp11.i = icmp eq i64 %6, %conv
  br i1 %cmp11.i, label %land.lhs.true12.i, label %for.inc.thread.i

land.lhs.true12.i:                                ; preds = %land.lhs.true9.i
  %7 = load i64, ptr %arrayidx2.i, align 16
  %cmp.i.i = icmp ult i64 %7, %end.0.i.ph
  br i1 %cmp.i.i, label %is_inside_of.exit.i, label %for.inc.thread.i

is_inside_of.exit.i:                              ; preds = %land.lhs.true12.i
  %bytes.i.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 8
  %8 = load i64, ptr %bytes.i.i, align 8
  %add.i.i = add i64 %8, %7
  %cmp2.i.not.i = icmp ult i64 %begin.0.i.ph, %add.i.i
  br i1 %cmp2.i.not.i, label %land.end.i, label %for.inc.thread.i

land.end.i:                                       ; preds = %is_inside_of.exit.i
  %sub.i = sub i64 %7, %begin.0.i.ph
  %rem.i = srem i64 %sub.i, %conv
  %cmp16.i = icmp eq i64 %rem.i, 0
  br i1 %cmp16.i, label %9, label %for.inc.thread.i

for.inc.thread.i:                                 ; preds = %land.end.i, %is_inside_of.exit.i, %land.lhs.true12.i, %land.lhs.true9.i, %land.lhs.true4.i, %land.lhs.true.i, %for.body.i
  %add34121.i = add nuw nsw i32 %i.0.i, 1
  br label %for.cond.i

9:                                                ; preds = %land.end.i
  %group.i.le = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 28
  store i32 %and, ptr %group.i.le, align 4
  %spec.select.i = tail call i64 @llvm.umin.i64(i64 %7, i64 %begin.0.i.ph)
  %spec.select116.i = tail call i64 @llvm.umax.i64(i64 %add.i.i, i64 %end.0.i.ph)
  br label %for.cond.i.outer

for.end.i:                                        ; preds = %for.cond.i
  %sub35.i = sub i64 %end.0.i.ph, %begin.0.i.ph
  %div.i = sdiv i64 %sub35.i, %conv
  %10 = mul i64 %div.i, 56
  %mul.i = add i64 %10, 56
  %call39.i = tail call ptr @malloc(i64 noundef %mul.i) #27
  %smax.i = tail call i64 @llvm.smax.i64(i64 %div.i, i64 0)
  br label %for.cond41.i

for.cond41.i:                                     ; preds = %for.body43.i, %for.end.i
  %i40.0.i = phi i64 [ 0, %for.end.i ], [ %inc.i, %for.body43.i ]
  %exitcond.not.i = icmp eq i64 %i40.0.i, %smax.i
  br i1 %exitcond.not.i, label %for.cond48.preheader.i, label %for.body43.i

for.cond48.preheader.i:                           ; preds = %for.cond41.i
  %11 = zext i32 %slot.0 to i64
  %.pre125.i = load i32, ptr @buffer_count, align 4
  br label %for.cond48.i

for.body43.i:                                     ; preds = %for.cond41.i
  %arrayidx44.i = getelementptr inbounds nuw %struct.Cell, ptr %call39.i, i64 %i40.0.i
  %site.i.i = getelementptr inbounds nuw i8, ptr %arrayidx44.i, i64 44
  store i16 -1, ptr %site.i.i, align 4
  %site1.i.i = getelementptr inbounds nuw i8, ptr %arrayidx44.i, i64 28
  store i16 -1, ptr %site1.i.i, align 4
  %site2.i.i = getelementptr inbounds nuw i8, ptr %arrayidx44.i, i64 12
  store i16 -1, ptr %site2.i.i, align 4
  %block.i.i = getelementptr inbounds nuw i8, ptr %arrayidx44.i, i64 52
  store i32 -1, ptr %block.i.i, align 4
  %inc.i = add nuw i64 %i40.0.i, 1
  br label %for.cond41.i

for.cond48.i:                                     ; preds = %for.inc68.i, %for.cond48.preheader.i
  %12 = phi i32 [ %.pre125.i, %for.cond48.preheader.i ], [ %18, %for.inc68.i ]
  %indvars.iv.i = phi i64 [ 0, %for.cond48.preheader.i ], [ %indvars.iv.next.i, %for.inc68.i ]
  %13 = sext i32 %12 to i64
  %cmp49.i = icmp slt i64 %indvars.iv.i, %13
  br i1 %cmp49.i, label %for.body50.i, label %make_cells.exit

for.body50.i:                                     ; preds = %for.cond48.i
  %arrayidx53.i = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %indvars.iv.i
  %cmp54.not.i = icmp eq i64 %indvars.iv.i, %11
  br i1 %cmp54.not.i, label %if.end62.i, label %land.lhs.true55.i

land.lhs.true55.i:                                ; preds = %for.body50.i
  %cells56.i = getelementptr inbounds nuw i8, ptr %arrayidx53.i, i64 32
  %14 = load ptr, ptr %cells56.i, align 16
  %tobool57.not.i = icmp eq ptr %14, null
  br i1 %tobool57.not.i, label %for.inc68.i, label %land.lhs.true58.i

land.lhs.true58.i:                                ; preds = %land.lhs.true55.i
  %group59.i = getelementptr inbounds nuw i8, ptr %arrayidx53.i, i64 28
  %15 = load i32, ptr %group59.i, align 4
  %cmp60.i = icmp eq i32 %15, %slot.0
  br i1 %cmp60.i, label %if.end62.i, label %for.inc68.i

if.end62.i:                                       ; preds = %land.lhs.true58.i, %for.body50.i
  tail call fastcc void @drop_buffer(ptr noundef nonnull %arrayidx53.i) #28
  %16 = load i64, ptr %arrayidx53.i, align 16
  %sub64.i = sub i64 %16, %begin.0.i.ph
  %17 = load i64, ptr %.compoundliteral.sroa.3.0..sroa_idx, align 16
  %div66.i = sdiv i64 %sub64.i, %17
  %add.ptr.i = getelementptr inbounds %struct.Cell, ptr %call39.i, i64 %div66.i
  %cells67.i = getelementptr inbounds nuw i8, ptr %arrayidx53.i, i64 32
  store ptr %add.ptr.i, ptr %cells67.i, align 16
  %.pre.i = load i32, ptr @buffer_count, align 4
  br label %for.inc68.i

for.inc68.i:                                      ; preds = %if.end62.i, %land.lhs.true58.i, %land.lhs.true55.i
  %18 = phi i32 [ %12, %land.lhs.true55.i ], [ %12, %land.lhs.true58.i ], [ %.pre.i, %if.end62.i ]
  %indvars.iv.next.i = add nuw nsw i64 %indvars.iv.i, 1
  br label %for.cond48.i

make_cells.exit:                                  ; preds = %for.cond48.i
  store ptr %call39.i, ptr %.compoundliteral.sroa.8.0..sroa_idx, align 16
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #10

define zeroext i1 @kc_emu_access(i64 noundef %known, i64 noundef %base, i64 noundef %row, i64 noundef %index, i64 noundef %size) local_unnamed_addr #0 {
entry:
  %0 = or i64 %index, %row
  %or.cond = icmp sgt i64 %0, -1
  br i1 %or.cond, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %entry
  %shr = lshr i64 %known, 36
  %and = and i64 %shr, 16383
  %sub = sub nsw i64 %size, %and
  %cmp2 = icmp sle i64 %index, %sub
  %1 = zext i1 %cmp2 to i32
  br label %land.end

land.end:                                         ; preds = %land.rhs, %entry
  %land.ext = phi i32 [ %1, %land.rhs ], [ 0, %entry ]
  %mul = mul nsw i64 %size, %row
  %add = add nsw i64 %mul, %index
  %shr3 = lshr i64 %known, 24
  %and4 = and i64 %shr3, 4095
  %mul5 = mul nsw i64 %add, %and4
  %add6 = add i64 %mul5, %base
  %call = tail call fastcc i32 @note_known(i64 noundef %known, i64 noundef %add6, i32 noundef %land.ext) #28
  %tobool = icmp ne i32 %call, 0
  ret i1 %tobool
}

define internal fastcc range(i32 0, 2) i32 @note_known(i64 noundef %known, i64 noundef %address, i32 noundef range(i32 0, 2) %is_inside) unnamed_addr #0 {
entry:
  %0 = trunc i64 %known to i32
  %1 = lshr i32 %0, 16
  %conv3 = and i32 %1, 255
  %sub = add nsw i32 %conv3, -1
  %cmp.not = icmp eq i32 %conv3, 0
  br i1 %cmp.not, label %if.end, label %land.lhs.true

land.lhs.true:                                    ; preds = %entry
  %idxprom = zext nneg i32 %sub to i64
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %idxprom
  %scope = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %2 = load i32, ptr %scope, align 8
  %cmp5 = icmp eq i32 %2, 1
  %3 = load ptr, ptr @watched, align 8
  %tobool8 = icmp ne ptr %3, null
  %or.cond = select i1 %cmp5, i1 %tobool8, i1 false
  br i1 %or.cond, label %if.then, label %if.end

if.then:                                          ; preds = %land.lhs.true
  %bf.load = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear = and i16 %bf.load, 8191
  %conv9 = zext nneg i16 %bf.clear to i64
  %each.i = getelementptr inbounds nuw i8, ptr %3, i64 2672
  %4 = load i64, ptr %each.i, align 8
  %div.i = sdiv i64 %conv9, %4
  %conv.i = trunc nsw i64 %div.i to i32
  %mul = shl nsw i32 %conv.i, 6
  %add = add nsw i32 %mul, %sub
  br label %if.end

if.end:                                           ; preds = %if.then, %land.lhs.true, %entry
  %slot.0 = phi i32 [ %add, %if.then ], [ %sub, %land.lhs.true ], [ -1, %entry ]
  %shr = lshr i64 %known, 58
  %5 = trunc nuw nsw i64 %shr to i32
  %conv = and i32 %5, 15
  %tobool.not = icmp eq i32 %is_inside, 0
  %cond = select i1 %tobool.not, i32 0, i32 2
  %or = or i32 %cond, %conv
  %shr10 = lshr i64 %known, 24
  %and11 = and i64 %shr10, 4095
  %shr12 = lshr i64 %known, 36
  %and13 = and i64 %shr12, 16383
  %mul14 = mul nuw nsw i64 %and11, %and13
  %shr15 = lshr i64 %known, 50
  %and16 = and i64 %shr15, 255
  %shl = shl nuw i64 1, %and16
  %conv19 = and i32 %0, 65535
  %call20 = tail call fastcc i32 @note_access(i32 noundef %slot.0, i64 noundef %address, i64 noundef %mul14, i64 noundef %shl, i32 noundef %conv19, i32 noundef %or) #28
  ret i32 %call20
}

define range(i64 -1, -9223372036854775808) i64 @kc_emu_row_of(i64 noundef %row, i64 noundef %index, i64 noundef %size) local_unnamed_addr #11 {
entry:
  %0 = or i64 %index, %row
  %or.cond.not = icmp sgt i64 %0, -1
  %cmp3.not = icmp slt i64 %index, %size
  %or.cond = and i1 %or.cond.not, %cmp3.not
  %mul = mul nsw i64 %size, %row
  %add = add nuw nsw i64 %mul, %index
  %cond = select i1 %or.cond, i64 %add, i64 -1
  ret i64 %cond
}

define zeroext i1 @kc_emu_access_at(i64 noundef %known, i64 noundef %address, i1 noundef zeroext %is_inside) local_unnamed_addr #0 {
entry:
  %conv = zext i1 %is_inside to i32
  %call = tail call fastcc i32 @note_known(i64 noundef %known, i64 noundef %address, i32 noundef %conv) #28
  %tobool = icmp ne i32 %call, 0
  ret i1 %tobool
}

define void @kc_emu_run_checked(ptr noundef readonly captures(none) %threads, ptr noundef captures(none) %states, i64 noundef %count, ptr noundef readonly captures(none) %step, ptr noundef %block) local_unnamed_addr #0 {
entry:
  %seen.i.i = alloca [64 x i64], align 16
  %words.i.i = alloca [128 x i64], align 16
  store ptr %block, ptr @watched, align 8
  %tobool23.not = icmp eq ptr %block, null
  %ranks = getelementptr inbounds nuw i8, ptr %block, i64 2680
  %each.i = getelementptr inbounds nuw i8, ptr %block, i64 2672
  %count.i.i.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %clocks.i.i.i = getelementptr inbounds nuw i8, ptr %block, i64 2768
  br label %for.cond1

for.cond.critedge:                                ; preds = %if.then36
  tail call fastcc void @settle_write() #28
  br label %for.cond1.backedge

for.cond1:                                        ; preds = %for.cond1.backedge, %entry
  %begin.0 = phi i64 [ 0, %entry ], [ %begin.0.be, %for.cond1.backedge ]
  %cmp = icmp slt i64 %begin.0, %count
  br i1 %cmp, label %for.body, label %for.end18

for.body:                                         ; preds = %for.cond1
  %add = add nuw nsw i64 %begin.0, 32
  %cond = tail call i64 @llvm.smin.i64(i64 %add, i64 %count)
  br label %for.cond5

for.cond5:                                        ; preds = %for.cond5.backedge, %for.body
  %i.0 = phi i64 [ %begin.0, %for.body ], [ %i.0.be, %for.cond5.backedge ]
  %cmp6 = icmp slt i64 %i.0, %cond
  br i1 %cmp6, label %for.body7, label %for.end

for.body7:                                        ; preds = %for.cond5
  %arrayidx = getelementptr inbounds nuw i32, ptr %states, i64 %i.0
  %0 = load i32, ptr %arrayidx, align 4
  %cmp8.not = icmp eq i32 %0, 0
  br i1 %cmp8.not, label %if.end, label %for.inc

if.end:                                           ; preds = %for.body7
  %conv = trunc i64 %i.0 to i16
  %and = and i16 %conv, 8191
  %bf.load = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear = and i16 %bf.load, -8192
  %bf.set = or disjoint i16 %bf.clear, %and
  store i16 %bf.set, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %arrayidx11 = getelementptr inbounds nuw ptr, ptr %threads, i64 %i.0
  %1 = load ptr, ptr %arrayidx11, align 8
  tail call void %step(ptr noundef %1, i32 noundef 0) #27
  tail call fastcc void @settle_write() #28
  br label %for.inc

for.inc:                                          ; preds = %for.body7, %if.end
  %inc = add nuw nsw i64 %i.0, 1
  br label %for.cond5.backedge

for.cond5.backedge:                               ; preds = %for.inc, %if.end13
  %i.0.be = phi i64 [ %inc, %for.inc ], [ %begin.0, %if.end13 ]
  br label %for.cond5

for.end:                                          ; preds = %for.cond5
  %.pre105.i = load i32, ptr @site_count, align 4
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.inc47.i, %for.end
  %2 = phi i32 [ %34, %for.inc47.i ], [ %.pre105.i, %for.end ]
  %indvars.iv102.i = phi i64 [ %indvars.iv.next103.i, %for.inc47.i ], [ 0, %for.end ]
  %3 = sext i32 %2 to i64
  %cmp.i = icmp slt i64 %indvars.iv102.i, %3
  br i1 %cmp.i, label %for.body.i, label %settle_costs.exit

for.body.i:                                       ; preds = %for.cond.i
  %4 = load ptr, ptr @sites, align 8
  %arrayidx.i = getelementptr inbounds nuw %struct.Site, ptr %4, i64 %indvars.iv102.i
  %5 = load ptr, ptr @costs, align 8
  %arrayidx2.i = getelementptr inbounds nuw %struct.Cost, ptr %5, i64 %indvars.iv102.i
  %count.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 8
  %transactions28.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 8
  %least36.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 16
  %conflicts.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i, i64 24
  br label %for.cond3.i

for.cond3.i:                                      ; preds = %for.inc39.i, %for.body.i
  %indvars.iv99.i = phi i64 [ %indvars.iv.next100.i, %for.inc39.i ], [ 0, %for.body.i ]
  %6 = load i32, ptr %count.i, align 8
  %7 = sext i32 %6 to i64
  %cmp4.i = icmp slt i64 %indvars.iv99.i, %7
  br i1 %cmp4.i, label %for.body5.i, label %for.end41.i

for.body5.i:                                      ; preds = %for.cond3.i
  %8 = load ptr, ptr %arrayidx.i, align 8
  %arrayidx7.i = getelementptr inbounds nuw %struct.Instance, ptr %8, i64 %indvars.iv99.i
  %9 = load i64, ptr %arrayidx2.i, align 8
  %inc.i = add nsw i64 %9, 1
  store i64 %inc.i, ptr %arrayidx2.i, align 8
  %scope.i = getelementptr inbounds nuw i8, ptr %arrayidx7.i, i64 264
  %10 = load i32, ptr %scope.i, align 8
  %cmp8.i = icmp eq i32 %10, 1
  br i1 %cmp8.i, label %if.then.i, label %if.else.i

if.then.i:                                        ; preds = %for.body5.i
  %bytes.i = getelementptr inbounds nuw i8, ptr %arrayidx7.i, i64 260
  %11 = load i32, ptr %bytes.i, align 4
  %cmp9.i = icmp slt i32 %11, 5
  %cmp11.inv.i = icmp sgt i32 %11, 8
  %cond.i = select i1 %cmp11.inv.i, i64 8, i64 16
  %cond12.i = select i1 %cmp9.i, i64 32, i64 %cond.i
  %lanes.i.i = getelementptr inbounds nuw i8, ptr %arrayidx7.i, i64 256
  br label %for.cond13.i

for.cond13.i:                                     ; preds = %for.cond13.i.backedge, %if.then.i
  %indvars.iv.i = phi i64 [ 0, %if.then.i ], [ %indvars.iv.next.i, %for.cond13.i.backedge ]
  %cmp14.i = icmp samesign ult i64 %indvars.iv.i, 32
  br i1 %cmp14.i, label %for.body15.i, label %for.inc39.i

for.body15.i:                                     ; preds = %for.cond13.i
  %indvars.iv.next.i = add nuw nsw i64 %indvars.iv.i, %cond12.i
  call void @llvm.lifetime.start.p0(ptr nonnull %words.i.i)
  %12 = load i32, ptr %lanes.i.i, align 8
  br label %for.cond.i.i

for.cond.i.i:                                     ; preds = %for.inc29.i.i, %for.body15.i
  %indvars.iv84.i.i = phi i64 [ %indvars.iv.next85.i.i, %for.inc29.i.i ], [ %indvars.iv.i, %for.body15.i ]
  %count.0.i.i = phi i32 [ %count.3.i.i, %for.inc29.i.i ], [ 0, %for.body15.i ]
  %cmp.i.i = icmp samesign ult i64 %indvars.iv84.i.i, %indvars.iv.next.i
  br i1 %cmp.i.i, label %for.body.i.i, label %for.cond32.preheader.i.i

for.cond32.preheader.i.i:                         ; preds = %for.cond.i.i
  %smax91.i.i = tail call i32 @llvm.smax.i32(i32 %count.0.i.i, i32 0)
  %wide.trip.count92.i.i = zext nneg i32 %smax91.i.i to i64
  br label %for.cond32.i.i

for.body.i.i:                                     ; preds = %for.cond.i.i
  %13 = trunc nuw nsw i64 %indvars.iv84.i.i to i32
  %14 = shl nuw i32 1, %13
  %15 = and i32 %14, %12
  %tobool.not.i.i = icmp eq i32 %15, 0
  br i1 %tobool.not.i.i, label %for.inc29.i.i, label %if.end.i.i

if.end.i.i:                                       ; preds = %for.body.i.i
  %arrayidx.i.i = getelementptr inbounds nuw i64, ptr %arrayidx7.i, i64 %indvars.iv84.i.i
  %16 = load i64, ptr %arrayidx.i.i, align 8
  %div81.i.i = lshr i64 %16, 2
  %17 = load i32, ptr %bytes.i, align 4
  %conv.i.i = sext i32 %17 to i64
  %add.i.i = add i64 %16, -1
  %sub.i.i = add i64 %add.i.i, %conv.i.i
  %div482.i.i = lshr i64 %sub.i.i, 2
  br label %for.cond5.i.i

for.cond5.i.i:                                    ; preds = %for.inc26.i.i, %if.end.i.i
  %count.1.i.i = phi i32 [ %count.0.i.i, %if.end.i.i ], [ %count.2.i.i, %for.inc26.i.i ]
  %word.0.i.i = phi i64 [ %div81.i.i, %if.end.i.i ], [ %inc27.i.i, %for.inc26.i.i ]
  %cmp6.i.i = icmp samesign ule i64 %word.0.i.i, %div482.i.i
  %cmp8.i.i = icmp slt i32 %count.1.i.i, 128
  %18 = select i1 %cmp6.i.i, i1 %cmp8.i.i, i1 false
  br i1 %18, label %for.cond11.preheader.i.i, label %for.inc29.i.i

for.cond11.preheader.i.i:                         ; preds = %for.cond5.i.i
  %smax.i.i = tail call i32 @llvm.smax.i32(i32 %count.1.i.i, i32 0)
  %wide.trip.count.i.i = zext nneg i32 %smax.i.i to i64
  br label %for.cond11.i.i

for.cond11.i.i:                                   ; preds = %for.body14.i.i, %for.cond11.preheader.i.i
  %indvars.iv.i.i = phi i64 [ 0, %for.cond11.preheader.i.i ], [ %indvars.iv.next.i.i, %for.body14.i.i ]
  %is_new.0.i.i = phi i32 [ 1, %for.cond11.preheader.i.i ], [ %and19.i.i, %for.body14.i.i ]
  %exitcond.not.i.i = icmp eq i64 %indvars.iv.i.i, %wide.trip.count.i.i
  br i1 %exitcond.not.i.i, label %for.end.i.i, label %for.body14.i.i

for.body14.i.i:                                   ; preds = %for.cond11.i.i
  %arrayidx16.i.i = getelementptr inbounds nuw i64, ptr %words.i.i, i64 %indvars.iv.i.i
  %19 = load i64, ptr %arrayidx16.i.i, align 8
  %cmp17.not.i.i = icmp eq i64 %19, %word.0.i.i
  %and19.i.i = select i1 %cmp17.not.i.i, i32 0, i32 %is_new.0.i.i
  %indvars.iv.next.i.i = add nuw nsw i64 %indvars.iv.i.i, 1
  br label %for.cond11.i.i

for.end.i.i:                                      ; preds = %for.cond11.i.i
  %tobool20.not.i.i = icmp eq i32 %is_new.0.i.i, 0
  br i1 %tobool20.not.i.i, label %for.inc26.i.i, label %if.then21.i.i

if.then21.i.i:                                    ; preds = %for.end.i.i
  %inc22.i.i = add nsw i32 %count.1.i.i, 1
  %idxprom23.i.i = sext i32 %count.1.i.i to i64
  %arrayidx24.i.i = getelementptr inbounds i64, ptr %words.i.i, i64 %idxprom23.i.i
  store i64 %word.0.i.i, ptr %arrayidx24.i.i, align 8
  br label %for.inc26.i.i

for.inc26.i.i:                                    ; preds = %if.then21.i.i, %for.end.i.i
  %count.2.i.i = phi i32 [ %inc22.i.i, %if.then21.i.i ], [ %count.1.i.i, %for.end.i.i ]
  %inc27.i.i = add nuw nsw i64 %word.0.i.i, 1
  br label %for.cond5.i.i

for.inc29.i.i:                                    ; preds = %for.cond5.i.i, %for.body.i.i
  %count.3.i.i = phi i32 [ %count.0.i.i, %for.body.i.i ], [ %count.1.i.i, %for.cond5.i.i ]
  %indvars.iv.next85.i.i = add nuw nsw i64 %indvars.iv84.i.i, 1
  br label %for.cond.i.i

for.cond32.i.i:                                   ; preds = %for.end50.i.i, %for.cond32.preheader.i.i
  %indvars.iv94.i.i = phi i64 [ 0, %for.cond32.preheader.i.i ], [ %indvars.iv.next95.i.i, %for.end50.i.i ]
  %most.0.i.i = phi i64 [ 0, %for.cond32.preheader.i.i ], [ %spec.select.i.i, %for.end50.i.i ]
  %exitcond97.not.i.i = icmp eq i64 %indvars.iv94.i.i, 32
  br i1 %exitcond97.not.i.i, label %wavefronts.exit.i, label %for.cond37.i.i

for.cond37.i.i:                                   ; preds = %for.cond32.i.i, %for.body40.i.i
  %indvars.iv87.i.i = phi i64 [ %indvars.iv.next88.i.i, %for.body40.i.i ], [ 0, %for.cond32.i.i ]
  %here.0.i.i = phi i64 [ %add47.i.i, %for.body40.i.i ], [ 0, %for.cond32.i.i ]
  %exitcond93.not.i.i = icmp eq i64 %indvars.iv87.i.i, %wide.trip.count92.i.i
  br i1 %exitcond93.not.i.i, label %for.end50.i.i, label %for.body40.i.i

for.body40.i.i:                                   ; preds = %for.cond37.i.i
  %arrayidx42.i.i = getelementptr inbounds nuw i64, ptr %words.i.i, i64 %indvars.iv87.i.i
  %20 = load i64, ptr %arrayidx42.i.i, align 8
  %rem.i.i = and i64 %20, 31
  %cmp44.i.i = icmp eq i64 %rem.i.i, %indvars.iv94.i.i
  %conv46.i.i = zext i1 %cmp44.i.i to i64
  %add47.i.i = add nuw nsw i64 %here.0.i.i, %conv46.i.i
  %indvars.iv.next88.i.i = add nuw nsw i64 %indvars.iv87.i.i, 1
  br label %for.cond37.i.i

for.end50.i.i:                                    ; preds = %for.cond37.i.i
  %spec.select.i.i = tail call i64 @llvm.smax.i64(i64 %here.0.i.i, i64 %most.0.i.i)
  %indvars.iv.next95.i.i = add nuw nsw i64 %indvars.iv94.i.i, 1
  br label %for.cond32.i.i

wavefronts.exit.i:                                ; preds = %for.cond32.i.i
  call void @llvm.lifetime.end.p0(ptr nonnull %words.i.i)
  %21 = load i64, ptr %transactions28.i, align 8
  %add16.i = add nsw i64 %21, %most.0.i.i
  store i64 %add16.i, ptr %transactions28.i, align 8
  %cmp17.i = icmp ne i64 %most.0.i.i, 0
  %conv18.i = zext i1 %cmp17.i to i64
  %22 = load i64, ptr %least36.i, align 8
  %add19.i = add nsw i64 %22, %conv18.i
  store i64 %add19.i, ptr %least36.i, align 8
  %cmp20.i = icmp samesign ugt i64 %most.0.i.i, 1
  br i1 %cmp20.i, label %if.then22.i, label %for.cond13.i.backedge

if.then22.i:                                      ; preds = %wavefronts.exit.i
  %sub.i = add nsw i64 %most.0.i.i, -1
  %23 = load i64, ptr %conflicts.i, align 8
  %add23.i = add nsw i64 %sub.i, %23
  store i64 %add23.i, ptr %conflicts.i, align 8
  br label %for.cond13.i.backedge

for.cond13.i.backedge:                            ; preds = %if.then22.i, %wavefronts.exit.i
  br label %for.cond13.i

if.else.i:                                        ; preds = %for.body5.i
  call void @llvm.lifetime.start.p0(ptr nonnull %seen.i.i)
  %lanes.i78.i = getelementptr inbounds nuw i8, ptr %arrayidx7.i, i64 256
  %24 = load i32, ptr %lanes.i78.i, align 8
  %bytes1.i.i = getelementptr inbounds nuw i8, ptr %arrayidx7.i, i64 260
  br label %for.cond.i79.i

for.cond.i79.i:                                   ; preds = %for.inc33.i.i, %if.else.i
  %indvars.iv60.i.i = phi i64 [ %indvars.iv.next61.i.i, %for.inc33.i.i ], [ 0, %if.else.i ]
  %bytes.0.i.i = phi i64 [ %bytes.1.i.i, %for.inc33.i.i ], [ 0, %if.else.i ]
  %count.0.i80.i = phi i32 [ %count.3.i89.i, %for.inc33.i.i ], [ 0, %if.else.i ]
  %exitcond63.not.i.i = icmp eq i64 %indvars.iv60.i.i, 32
  br i1 %exitcond63.not.i.i, label %sectors.exit.i, label %for.body.i81.i

for.body.i81.i:                                   ; preds = %for.cond.i79.i
  %25 = trunc nuw nsw i64 %indvars.iv60.i.i to i32
  %26 = shl nuw i32 1, %25
  %27 = and i32 %26, %24
  %tobool.not.i82.i = icmp eq i32 %27, 0
  br i1 %tobool.not.i82.i, label %for.inc33.i.i, label %if.end.i83.i

if.end.i83.i:                                     ; preds = %for.body.i81.i
  %28 = load i32, ptr %bytes1.i.i, align 4
  %conv.i84.i = sext i32 %28 to i64
  %arrayidx.i85.i = getelementptr inbounds nuw i64, ptr %arrayidx7.i, i64 %indvars.iv60.i.i
  %29 = load i64, ptr %arrayidx.i85.i, align 8
  %div57.i.i = lshr i64 %29, 5
  %add7.i.i = add nsw i64 %conv.i84.i, -1
  %sub.i86.i = add i64 %add7.i.i, %29
  %div858.i.i = lshr i64 %sub.i86.i, 5
  br label %for.cond9.i.i

for.cond9.i.i:                                    ; preds = %for.inc30.i.i, %if.end.i83.i
  %count.1.i87.i = phi i32 [ %count.0.i80.i, %if.end.i83.i ], [ %count.2.i97.i, %for.inc30.i.i ]
  %sector.0.i.i = phi i64 [ %div57.i.i, %if.end.i83.i ], [ %inc31.i.i, %for.inc30.i.i ]
  %cmp10.i.i = icmp samesign ule i64 %sector.0.i.i, %div858.i.i
  %cmp12.i.i = icmp slt i32 %count.1.i87.i, 64
  %30 = select i1 %cmp10.i.i, i1 %cmp12.i.i, i1 false
  br i1 %30, label %for.cond15.preheader.i.i, label %for.inc33.loopexit.i.i

for.cond15.preheader.i.i:                         ; preds = %for.cond9.i.i
  %smax.i90.i = tail call i32 @llvm.smax.i32(i32 %count.1.i87.i, i32 0)
  %wide.trip.count.i91.i = zext nneg i32 %smax.i90.i to i64
  br label %for.cond15.i.i

for.cond15.i.i:                                   ; preds = %for.body18.i.i, %for.cond15.preheader.i.i
  %indvars.iv.i92.i = phi i64 [ 0, %for.cond15.preheader.i.i ], [ %indvars.iv.next.i95.i, %for.body18.i.i ]
  %is_new.0.i93.i = phi i32 [ 1, %for.cond15.preheader.i.i ], [ %and23.i.i, %for.body18.i.i ]
  %exitcond.not.i94.i = icmp eq i64 %indvars.iv.i92.i, %wide.trip.count.i91.i
  br i1 %exitcond.not.i94.i, label %for.end.i96.i, label %for.body18.i.i

for.body18.i.i:                                   ; preds = %for.cond15.i.i
  %arrayidx20.i.i = getelementptr inbounds nuw i64, ptr %seen.i.i, i64 %indvars.iv.i92.i
  %31 = load i64, ptr %arrayidx20.i.i, align 8
  %cmp21.not.i.i = icmp eq i64 %31, %sector.0.i.i
  %and23.i.i = select i1 %cmp21.not.i.i, i32 0, i32 %is_new.0.i93.i
  %indvars.iv.next.i95.i = add nuw nsw i64 %indvars.iv.i92.i, 1
  br label %for.cond15.i.i

for.end.i96.i:                                    ; preds = %for.cond15.i.i
  %tobool24.not.i.i = icmp eq i32 %is_new.0.i93.i, 0
  br i1 %tobool24.not.i.i, label %for.inc30.i.i, label %if.then25.i.i

if.then25.i.i:                                    ; preds = %for.end.i96.i
  %inc26.i.i = add nsw i32 %count.1.i87.i, 1
  %idxprom27.i.i = sext i32 %count.1.i87.i to i64
  %arrayidx28.i.i = getelementptr inbounds i64, ptr %seen.i.i, i64 %idxprom27.i.i
  store i64 %sector.0.i.i, ptr %arrayidx28.i.i, align 8
  br label %for.inc30.i.i

for.inc30.i.i:                                    ; preds = %if.then25.i.i, %for.end.i96.i
  %count.2.i97.i = phi i32 [ %inc26.i.i, %if.then25.i.i ], [ %count.1.i87.i, %for.end.i96.i ]
  %inc31.i.i = add nuw nsw i64 %sector.0.i.i, 1
  br label %for.cond9.i.i

for.inc33.loopexit.i.i:                           ; preds = %for.cond9.i.i
  %add.i88.i = add nsw i64 %bytes.0.i.i, %conv.i84.i
  br label %for.inc33.i.i

for.inc33.i.i:                                    ; preds = %for.inc33.loopexit.i.i, %for.body.i81.i
  %bytes.1.i.i = phi i64 [ %bytes.0.i.i, %for.body.i81.i ], [ %add.i88.i, %for.inc33.loopexit.i.i ]
  %count.3.i89.i = phi i32 [ %count.0.i80.i, %for.body.i81.i ], [ %count.1.i87.i, %for.inc33.loopexit.i.i ]
  %indvars.iv.next61.i.i = add nuw nsw i64 %indvars.iv60.i.i, 1
  br label %for.cond.i79.i

sectors.exit.i:                                   ; preds = %for.cond.i79.i
  %add36.i.i = add nsw i64 %bytes.0.i.i, 31
  %div37.i.i = sdiv i64 %add36.i.i, 32
  %conv38.i.i = sext i32 %count.0.i80.i to i64
  call void @llvm.lifetime.end.p0(ptr nonnull %seen.i.i)
  %32 = load i64, ptr %transactions28.i, align 8
  %add29.i = add nsw i64 %32, %conv38.i.i
  store i64 %add29.i, ptr %transactions28.i, align 8
  %cond35.i = tail call i64 @llvm.smin.i64(i64 %div37.i.i, i64 %conv38.i.i)
  %33 = load i64, ptr %least36.i, align 8
  %add37.i = add nsw i64 %33, %cond35.i
  store i64 %add37.i, ptr %least36.i, align 8
  br label %for.inc39.i

for.inc39.i:                                      ; preds = %for.cond13.i, %sectors.exit.i
  %indvars.iv.next100.i = add nuw nsw i64 %indvars.iv99.i, 1
  br label %for.cond3.i

for.end41.i:                                      ; preds = %for.cond3.i
  %tobool.not.i = icmp eq i32 %6, 0
  br i1 %tobool.not.i, label %for.inc47.i, label %if.then43.i

if.then43.i:                                      ; preds = %for.end41.i
  store i32 0, ptr %count.i, align 8
  %next.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  %call45.i = tail call ptr @memset(ptr noundef nonnull %next.i, i32 noundef 0, i64 noundef 128) #27
  %.pre.i = load i32, ptr @site_count, align 4
  br label %for.inc47.i

for.inc47.i:                                      ; preds = %if.then43.i, %for.end41.i
  %34 = phi i32 [ %2, %for.end41.i ], [ %.pre.i, %if.then43.i ]
  %indvars.iv.next103.i = add nuw nsw i64 %indvars.iv102.i, 1
  br label %for.cond.i

settle_costs.exit:                                ; preds = %for.cond.i
  %call = tail call fastcc i32 @warp_is_complete(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond) #28
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %for.cond1.backedge, label %if.end13

if.end13:                                         ; preds = %settle_costs.exit
  %call14 = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond, i32 noundef 2) #28
  tail call fastcc void @check_together(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond, i64 noundef %call14) #28
  tail call fastcc void @release(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond, i32 noundef 2) #28
  br label %for.cond5.backedge

for.end18:                                        ; preds = %for.cond1
  %call19 = tail call fastcc i32 @is_any_ready(ptr noundef %states, i64 noundef %count) #28
  %tobool20.not = icmp eq i32 %call19, 0
  br i1 %tobool20.not, label %if.end22, label %for.cond1.backedge

if.end22:                                         ; preds = %for.end18
  br i1 %tobool23.not, label %if.end44, label %land.lhs.true

land.lhs.true:                                    ; preds = %if.end22
  %35 = load i32, ptr %ranks, align 8
  %cmp24 = icmp sgt i32 %35, 1
  br i1 %cmp24, label %for.cond.i117, label %land.lhs.true32

for.cond.i117:                                    ; preds = %land.lhs.true, %for.inc.i127
  %.pre170 = phi i32 [ %.pre, %for.inc.i127 ], [ %35, %land.lhs.true ]
  %indvars.iv.i118 = phi i64 [ %indvars.iv.next.i128, %for.inc.i127 ], [ 0, %land.lhs.true ]
  %is_any.0.i = phi i32 [ %is_any.1.i, %for.inc.i127 ], [ 0, %land.lhs.true ]
  %36 = sext i32 %.pre170 to i64
  %cmp.i119 = icmp slt i64 %indvars.iv.i118, %36
  br i1 %cmp.i119, label %for.body.i120, label %release_ranks_checked.exit

for.body.i120:                                    ; preds = %for.cond.i117
  %37 = trunc nuw nsw i64 %indvars.iv.i118 to i32
  %call.i = tail call fastcc i64 @who_completes(ptr noundef nonnull readonly %block, i32 noundef %37) #28
  %cmp2.i = icmp slt i64 %call.i, 0
  br i1 %cmp2.i, label %for.inc.i127, label %if.end.i

if.end.i:                                         ; preds = %for.body.i120
  %38 = load i64, ptr %each.i, align 8
  %mul.i = mul nsw i64 %38, %indvars.iv.i118
  %add.i = add nsw i64 %mul.i, %38
  %39 = load ptr, ptr %block, align 8
  tail call fastcc void @check_together(ptr noundef %39, i64 noundef %mul.i, i64 noundef %add.i, i64 noundef %call.i) #28
  %40 = load ptr, ptr %block, align 8
  tail call fastcc void @release(ptr noundef %40, i64 noundef %mul.i, i64 noundef %add.i, i32 noundef 1) #28
  %41 = load i64, ptr %count.i.i.i, align 8
  %mul.i.i.i = shl nsw i64 %41, 1
  %add.i.i.i = or disjoint i64 %mul.i.i.i, 1
  %42 = load ptr, ptr %clocks.i.i.i, align 8
  %mul.i40.i.i = mul nsw i64 %add.i.i.i, %mul.i
  %add.ptr.i.i.i = getelementptr inbounds i32, ptr %42, i64 %mul.i40.i.i
  %add.i.i121 = add nsw i64 %mul.i, 1
  br label %for.cond.i.i122

for.cond.i.i122:                                  ; preds = %for.body.i.i130, %if.end.i
  %i.0.i.i = phi i64 [ %add.i.i121, %if.end.i ], [ %inc.i.i, %for.body.i.i130 ]
  %cmp.i.i123 = icmp slt i64 %i.0.i.i, %add.i
  br i1 %cmp.i.i123, label %for.body.i.i130, label %for.cond5.preheader.i.i

for.cond5.preheader.i.i:                          ; preds = %for.cond.i.i122
  %mul.i.i = shl i64 %add.i.i.i, 2
  br label %for.cond5.i.i124

for.body.i.i130:                                  ; preds = %for.cond.i.i122
  %43 = load ptr, ptr %clocks.i.i.i, align 8
  %44 = load i64, ptr %count.i.i.i, align 8
  %mul.i.i43.i.i = shl nsw i64 %44, 1
  %add.i.i44.i.i = or disjoint i64 %mul.i.i43.i.i, 1
  %mul.i45.i.i = mul nsw i64 %add.i.i44.i.i, %i.0.i.i
  %add.ptr.i46.i.i = getelementptr inbounds i32, ptr %43, i64 %mul.i45.i.i
  tail call fastcc void @learn(ptr noundef %add.ptr.i.i.i, ptr noundef %add.ptr.i46.i.i, i64 noundef %add.i.i.i) #28
  %inc.i.i = add nsw i64 %i.0.i.i, 1
  br label %for.cond.i.i122

for.cond5.i.i124:                                 ; preds = %for.body7.i.i, %for.cond5.preheader.i.i
  %i3.0.i.i = phi i64 [ %inc11.i.i, %for.body7.i.i ], [ %add.i.i121, %for.cond5.preheader.i.i ]
  %cmp6.i.i125 = icmp slt i64 %i3.0.i.i, %add.i
  br i1 %cmp6.i.i125, label %for.body7.i.i, label %for.cond14.i.i

for.body7.i.i:                                    ; preds = %for.cond5.i.i124
  %45 = load ptr, ptr %clocks.i.i.i, align 8
  %46 = load i64, ptr %count.i.i.i, align 8
  %mul.i.i49.i.i = shl nsw i64 %46, 1
  %add.i.i50.i.i = or disjoint i64 %mul.i.i49.i.i, 1
  %mul.i51.i.i = mul nsw i64 %add.i.i50.i.i, %i3.0.i.i
  %add.ptr.i52.i.i = getelementptr inbounds i32, ptr %45, i64 %mul.i51.i.i
  %call9.i.i = tail call ptr @memcpy(ptr noundef %add.ptr.i52.i.i, ptr noundef %add.ptr.i.i.i, i64 noundef %mul.i.i) #27
  %inc11.i.i = add nsw i64 %i3.0.i.i, 1
  br label %for.cond5.i.i124

for.cond14.i.i:                                   ; preds = %for.cond5.i.i124, %for.body16.i.i
  %i13.0.i.i = phi i64 [ %inc20.i.i, %for.body16.i.i ], [ %mul.i, %for.cond5.i.i124 ]
  %cmp15.i.i = icmp slt i64 %i13.0.i.i, %add.i
  br i1 %cmp15.i.i, label %for.body16.i.i, label %meet.exit.i

for.body16.i.i:                                   ; preds = %for.cond14.i.i
  %47 = load ptr, ptr %clocks.i.i.i, align 8
  %48 = load i64, ptr %count.i.i.i, align 8
  %mul.i.i55.i.i = shl nsw i64 %48, 1
  %add.i.i56.i.i = or disjoint i64 %mul.i.i55.i.i, 1
  %mul.i57.i.i = mul nsw i64 %add.i.i56.i.i, %i13.0.i.i
  %add.ptr.i58.i.i = getelementptr inbounds i32, ptr %47, i64 %mul.i57.i.i
  %arrayidx.i.i129 = getelementptr inbounds i32, ptr %add.ptr.i58.i.i, i64 %i13.0.i.i
  %49 = load i32, ptr %arrayidx.i.i129, align 4
  %inc18.i.i = add nsw i32 %49, 1
  store i32 %inc18.i.i, ptr %arrayidx.i.i129, align 4
  %inc20.i.i = add nsw i64 %i13.0.i.i, 1
  br label %for.cond14.i.i

meet.exit.i:                                      ; preds = %for.cond14.i.i
  %50 = load i64, ptr @barriers, align 8
  %inc.i126 = add nsw i64 %50, 1
  store i64 %inc.i126, ptr @barriers, align 8
  %.pre.pre = load i32, ptr %ranks, align 8
  br label %for.inc.i127

for.inc.i127:                                     ; preds = %meet.exit.i, %for.body.i120
  %.pre = phi i32 [ %.pre170, %for.body.i120 ], [ %.pre.pre, %meet.exit.i ]
  %is_any.1.i = phi i32 [ %is_any.0.i, %for.body.i120 ], [ 1, %meet.exit.i ]
  %indvars.iv.next.i128 = add nuw nsw i64 %indvars.iv.i118, 1
  br label %for.cond.i117

release_ranks_checked.exit:                       ; preds = %for.cond.i117
  %tobool28.not = icmp eq i32 %is_any.0.i, 0
  br i1 %tobool28.not, label %land.lhs.true32, label %for.cond1.backedge

land.lhs.true32:                                  ; preds = %land.lhs.true, %release_ranks_checked.exit
  %call33 = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 3) #28
  %cmp34 = icmp sgt i64 %call33, -1
  br i1 %cmp34, label %if.then36, label %if.end44

if.then36:                                        ; preds = %land.lhs.true32
  %call37 = tail call fastcc i32 @wake(ptr noundef %block) #28
  %tobool38.not = icmp eq i32 %call37, 0
  br i1 %tobool38.not, label %lor.rhs, label %for.cond.critedge

lor.rhs:                                          ; preds = %if.then36
  %call39 = tail call fastcc i32 @do_late(ptr noundef %block) #28
  %tobool40.not = icmp eq i32 %call39, 0
  tail call fastcc void @settle_write() #28
  br i1 %tobool40.not, label %if.end43, label %for.cond1.backedge

if.end43:                                         ; preds = %lor.rhs
  %51 = load ptr, ptr %block, align 8
  %52 = load i64, ptr %count.i.i.i, align 8
  %call.i132 = tail call fastcc i64 @who_waits(ptr noundef %51, i64 noundef 0, i64 noundef %52, i32 noundef 3) #28
  %waits.i = getelementptr inbounds nuw i8, ptr %block, i64 16
  %53 = load ptr, ptr %waits.i, align 8
  %arrayidx.i133 = getelementptr inbounds %struct.Wait, ptr %53, i64 %call.i132
  %54 = load i32, ptr %arrayidx.i133, align 8
  switch i32 %54, label %for.cond.preheader.i [
    i32 1, label %if.then.i135
    i32 4, label %if.then5.i
    i32 5, label %if.end50.thread.i
  ]

for.cond.preheader.i:                             ; preds = %if.end43
  %arrayidx22.i = getelementptr inbounds i32, ptr %51, i64 %call.i132
  br label %for.cond.i136

if.then.i135:                                     ; preds = %if.end43
  %call2.i = tail call fastcc i64 @missing_lane(ptr noundef nonnull readonly %block, i64 noundef %call.i132) #28
  br label %if.end50.i

if.then5.i:                                       ; preds = %if.end43
  %call6.i = tail call fastcc i64 @missing_in_group(ptr noundef nonnull readonly %block, i64 noundef %call.i132) #28
  %cmp8.i134 = icmp eq i64 %call6.i, %52
  br i1 %cmp8.i134, label %if.then9.i, label %if.end50.i

if.then9.i:                                       ; preds = %if.then5.i
  %rem.i = srem i64 %52, 128
  %conv.i = trunc nsw i64 %rem.i to i32
  br label %if.end50.thread.i

for.cond.i136:                                    ; preds = %for.body.i138, %for.cond.preheader.i
  %i.0.i = phi i64 [ %inc.i139, %for.body.i138 ], [ 0, %for.cond.preheader.i ]
  %apart.0.i = phi i64 [ %spec.select.i, %for.body.i138 ], [ -1, %for.cond.preheader.i ]
  %cmp17.i137 = icmp slt i64 %i.0.i, %52
  %cmp19.i = icmp slt i64 %apart.0.i, 0
  %55 = select i1 %cmp17.i137, i1 %cmp19.i, i1 false
  br i1 %55, label %for.body.i138, label %for.end.i

for.body.i138:                                    ; preds = %for.cond.i136
  %arrayidx21.i = getelementptr inbounds nuw i32, ptr %51, i64 %i.0.i
  %56 = load i32, ptr %arrayidx21.i, align 4
  %57 = load i32, ptr %arrayidx22.i, align 4
  %cmp23.not.i = icmp eq i32 %56, %57
  %spec.select.i = select i1 %cmp23.not.i, i64 %apart.0.i, i64 %i.0.i
  %inc.i139 = add nuw nsw i64 %i.0.i, 1
  br label %for.cond.i136

for.end.i:                                        ; preds = %for.cond.i136
  %cmp28.i = icmp eq i32 %54, 0
  br i1 %cmp28.i, label %if.then30.i, label %if.else37.i

if.then30.i:                                      ; preds = %for.end.i
  %barriers.i = getelementptr inbounds nuw i8, ptr %block, i64 48
  %barrier.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 4
  %58 = load i32, ptr %barrier.i, align 4
  %idxprom.i = sext i32 %58 to i64
  %arrayidx31.i = getelementptr inbounds %struct.Barrier, ptr %barriers.i, i64 %idxprom.i
  %arrived.i = getelementptr inbounds nuw i8, ptr %arrayidx31.i, i64 4
  %59 = load i32, ptr %arrived.i, align 4
  %60 = load i32, ptr %arrayidx31.i, align 4
  br label %if.end50.i

if.else37.i:                                      ; preds = %for.end.i
  %address.i = getelementptr inbounds nuw i8, ptr %arrayidx.i133, i64 24
  %61 = load i64, ptr %address.i, align 8
  %62 = inttoptr i64 %61 to ptr
  %63 = load i64, ptr %62, align 8
  %64 = trunc i64 %63 to i32
  %conv38.i = and i32 %64, 1048575
  %shr.i = lshr i64 %63, 20
  %65 = trunc i64 %shr.i to i32
  %conv40.i = and i32 %65, 1048575
  %cmp41.i = icmp samesign ugt i32 %conv38.i, %conv40.i
  %masksel.neg129.i = select i1 %cmp41.i, i32 1048576, i32 0
  %spec.select117.neg.i = sub nsw i32 %conv40.i, %conv38.i
  %sub45.i = add nsw i32 %spec.select117.neg.i, %masksel.neg129.i
  %shl.i = shl i64 %63, 2
  %shr46.i = ashr i64 %shl.i, 42
  br label %if.end50.i

if.end50.thread.i:                                ; preds = %if.then9.i, %if.end43
  %wanted.0.ph.i = phi i32 [ 0, %if.end43 ], [ 128, %if.then9.i ]
  %came.0.ph.i = phi i32 [ 0, %if.end43 ], [ %conv.i, %if.then9.i ]
  %66 = load i32, ptr @finding_count, align 4
  br label %if.else54.i

if.end50.i:                                       ; preds = %if.else37.i, %if.then30.i, %if.then5.i, %if.then.i135
  %wanted.0.i = phi i32 [ 0, %if.then.i135 ], [ %conv40.i, %if.else37.i ], [ 0, %if.then5.i ], [ %60, %if.then30.i ]
  %bytes.0.i = phi i64 [ 0, %if.then.i135 ], [ %shr46.i, %if.else37.i ], [ 0, %if.then5.i ], [ 0, %if.then30.i ]
  %came.0.i = phi i32 [ 0, %if.then.i135 ], [ %sub45.i, %if.else37.i ], [ 0, %if.then5.i ], [ %59, %if.then30.i ]
  %apart.2.i = phi i64 [ %call2.i, %if.then.i135 ], [ %apart.0.i, %if.else37.i ], [ %call6.i, %if.then5.i ], [ %apart.0.i, %if.then30.i ]
  %67 = load i32, ptr @finding_count, align 4
  %cmp51.i = icmp sgt i64 %apart.2.i, -1
  br i1 %cmp51.i, label %if.then53.i, label %if.else54.i

if.then53.i:                                      ; preds = %if.end50.i
  tail call fastcc void @report_apart(i32 noundef 5, ptr noundef %51, i64 noundef %call.i132, i64 noundef %apart.2.i) #28
  br label %if.end61.i

if.else54.i:                                      ; preds = %if.end50.i, %if.end50.thread.i
  %68 = phi i32 [ %66, %if.end50.thread.i ], [ %67, %if.end50.i ]
  %came.0128.i = phi i32 [ %came.0.ph.i, %if.end50.thread.i ], [ %came.0.i, %if.end50.i ]
  %bytes.0126.i = phi i64 [ 0, %if.end50.thread.i ], [ %bytes.0.i, %if.end50.i ]
  %wanted.0124.i = phi i32 [ %wanted.0.ph.i, %if.end50.thread.i ], [ %wanted.0.i, %if.end50.i ]
  %conv55.i = trunc i64 %call.i132 to i16
  %and57.i = and i16 %conv55.i, 8191
  %bf.load.i = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear.i = and i16 %bf.load.i, -8192
  %bf.set.i = or disjoint i16 %bf.clear.i, %and57.i
  store i16 %bf.set.i, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %arrayidx59.i = getelementptr inbounds i32, ptr %51, i64 %call.i132
  %69 = load i32, ptr %arrayidx59.i, align 4
  %shr60.i = ashr i32 %69, 2
  tail call fastcc void @report(i32 noundef 5, i32 noundef %shr60.i, ptr noundef null, i64 noundef -1) #28
  br label %if.end61.i

if.end61.i:                                       ; preds = %if.else54.i, %if.then53.i
  %70 = phi i32 [ %68, %if.else54.i ], [ %67, %if.then53.i ]
  %came.0127.i = phi i32 [ %came.0128.i, %if.else54.i ], [ %came.0.i, %if.then53.i ]
  %bytes.0125.i = phi i64 [ %bytes.0126.i, %if.else54.i ], [ %bytes.0.i, %if.then53.i ]
  %wanted.0123.i = phi i32 [ %wanted.0124.i, %if.else54.i ], [ %wanted.0.i, %if.then53.i ]
  %71 = load i32, ptr @finding_count, align 4
  %cmp62.i = icmp sgt i32 %71, %70
  br i1 %cmp62.i, label %if.then64.i, label %for.end58

if.then64.i:                                      ; preds = %if.end61.i
  %idxprom65.i = sext i32 %70 to i64
  %arrayidx66.i = getelementptr inbounds %struct.Finding, ptr @findings, i64 %idxprom65.i
  %came67.i = getelementptr inbounds nuw i8, ptr %arrayidx66.i, i64 56
  store i32 %came.0127.i, ptr %came67.i, align 8
  %wanted70.i = getelementptr inbounds nuw i8, ptr %arrayidx66.i, i64 60
  store i32 %wanted.0123.i, ptr %wanted70.i, align 4
  %bytes73.i = getelementptr inbounds nuw i8, ptr %arrayidx66.i, i64 64
  store i64 %bytes.0125.i, ptr %bytes73.i, align 8
  br label %for.end58

if.end44:                                         ; preds = %if.end22, %land.lhs.true32
  %call45 = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 1) #28
  %cmp46 = icmp slt i64 %call45, 0
  br i1 %cmp46, label %if.then48, label %if.end52

if.then48:                                        ; preds = %if.end44
  br i1 %tobool23.not, label %for.end58, label %if.then50

if.then50:                                        ; preds = %if.then48
  %count.i140 = getelementptr inbounds nuw i8, ptr %block, i64 2648
  %bulks.i = getelementptr inbounds nuw i8, ptr %block, i64 2640
  br label %for.cond.i141

for.cond.i141:                                    ; preds = %for.inc.i148, %if.then50
  %indvars.iv.i142 = phi i64 [ %indvars.iv.next.i149, %for.inc.i148 ], [ 0, %if.then50 ]
  %72 = load i32, ptr %count.i140, align 8
  %73 = sext i32 %72 to i64
  %cmp.i143 = icmp slt i64 %indvars.iv.i142, %73
  br i1 %cmp.i143, label %for.body.i145, label %for.end58

for.body.i145:                                    ; preds = %for.cond.i141
  %74 = load ptr, ptr %bulks.i, align 8
  %arrayidx.i146 = getelementptr inbounds nuw %struct.Bulk, ptr %74, i64 %indvars.iv.i142
  %is_read.i = getelementptr inbounds nuw i8, ptr %arrayidx.i146, i64 56
  %75 = load i32, ptr %is_read.i, align 8
  %tobool.not.i147 = icmp eq i32 %75, 0
  br i1 %tobool.not.i147, label %if.end.i150, label %for.inc.i148

if.end.i150:                                      ; preds = %for.body.i145
  %thread.i = getelementptr inbounds nuw i8, ptr %arrayidx.i146, i64 24
  %76 = load i64, ptr %thread.i, align 8
  %conv.i151 = trunc i64 %76 to i16
  %and.i = and i16 %conv.i151, 8191
  %bf.load.i152 = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear.i153 = and i16 %bf.load.i152, -8192
  %bf.set.i154 = or disjoint i16 %bf.clear.i153, %and.i
  store i16 %bf.set.i154, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %mbarrier.i = getelementptr inbounds nuw i8, ptr %arrayidx.i146, i64 16
  %77 = load i64, ptr %mbarrier.i, align 8
  %tobool4.not.i = icmp eq i64 %77, 0
  %cond.in.v.i = select i1 %tobool4.not.i, i64 40, i64 36
  %cond.in.i = getelementptr inbounds nuw i8, ptr %arrayidx.i146, i64 %cond.in.v.i
  %cond.i155 = load i32, ptr %cond.in.i, align 4
  tail call fastcc void @report(i32 noundef 8, i32 noundef %cond.i155, ptr noundef null, i64 noundef -1) #28
  br label %for.inc.i148

for.inc.i148:                                     ; preds = %if.end.i150, %for.body.i145
  %indvars.iv.next.i149 = add nuw nsw i64 %indvars.iv.i142, 1
  br label %for.cond.i141

if.end52:                                         ; preds = %if.end44
  tail call fastcc void @check_together(ptr noundef %states, i64 noundef 0, i64 noundef %count, i64 noundef %call45) #28
  tail call fastcc void @release(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 1) #28
  %78 = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %inc53 = add nsw i32 %78, 1
  store i32 %inc53, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %79 = load i64, ptr @barriers, align 8
  %inc54 = add nsw i64 %79, 1
  store i64 %inc54, ptr @barriers, align 8
  br i1 %tobool23.not, label %for.cond1.backedge, label %if.then56

for.cond1.backedge:                               ; preds = %for.cond8.i, %settle_costs.exit, %if.end52, %for.end18, %release_ranks_checked.exit, %lor.rhs, %for.cond.critedge
  %begin.0.be = phi i64 [ 0, %for.cond.critedge ], [ %add, %settle_costs.exit ], [ 0, %if.end52 ], [ 0, %for.end18 ], [ 0, %release_ranks_checked.exit ], [ 0, %lor.rhs ], [ 0, %for.cond8.i ]
  br label %for.cond1

if.then56:                                        ; preds = %if.end52
  %80 = load i64, ptr %count.i.i.i, align 8
  %mul.i.i156 = shl nsw i64 %80, 1
  %add.i.i157 = or disjoint i64 %mul.i.i156, 1
  br label %for.cond.i158

for.cond.i158:                                    ; preds = %for.body.i162, %if.then56
  %81 = phi i64 [ %80, %if.then56 ], [ %.pre.i166, %for.body.i162 ]
  %i.0.i159 = phi i64 [ 1, %if.then56 ], [ %inc.i165, %for.body.i162 ]
  %cmp.i160 = icmp slt i64 %i.0.i159, %81
  br i1 %cmp.i160, label %for.body.i162, label %for.cond8.i

for.body.i162:                                    ; preds = %for.cond.i158
  %82 = load ptr, ptr %clocks.i.i.i, align 8
  %mul.i.i.i163 = shl nsw i64 %81, 1
  %add.ptr.i = getelementptr inbounds i32, ptr %82, i64 %81
  %add.i.i45.i = or disjoint i64 %mul.i.i.i163, 1
  %mul.i46.i = mul nsw i64 %add.i.i45.i, %i.0.i159
  %add.ptr.i.i = getelementptr inbounds i32, ptr %82, i64 %mul.i46.i
  %add.ptr5.i = getelementptr inbounds i32, ptr %add.ptr.i.i, i64 %81
  %sub.i164 = sub nsw i64 %add.i.i157, %81
  tail call fastcc void @learn(ptr noundef %add.ptr.i, ptr noundef nonnull %add.ptr5.i, i64 noundef %sub.i164) #28
  %inc.i165 = add nuw nsw i64 %i.0.i159, 1
  %.pre.i166 = load i64, ptr %count.i.i.i, align 8
  br label %for.cond.i158

for.cond8.i:                                      ; preds = %for.cond.i158, %for.body11.i
  %83 = phi i64 [ %.pre59.i, %for.body11.i ], [ %81, %for.cond.i158 ]
  %i7.0.i = phi i64 [ %inc22.i, %for.body11.i ], [ 1, %for.cond.i158 ]
  %cmp10.i = icmp slt i64 %i7.0.i, %83
  br i1 %cmp10.i, label %for.body11.i, label %for.cond1.backedge

for.body11.i:                                     ; preds = %for.cond8.i
  %84 = load ptr, ptr %clocks.i.i.i, align 8
  %mul.i.i49.i = shl nsw i64 %83, 1
  %add.i.i50.i = or disjoint i64 %mul.i.i49.i, 1
  %mul.i51.i = mul nsw i64 %add.i.i50.i, %i7.0.i
  %add.ptr.i52.i = getelementptr inbounds i32, ptr %84, i64 %mul.i51.i
  %add.ptr14.i = getelementptr inbounds i32, ptr %add.ptr.i52.i, i64 %83
  %add.ptr17.i = getelementptr inbounds i32, ptr %84, i64 %83
  %sub19.i = sub nsw i64 %add.i.i157, %83
  %mul.i161 = shl i64 %sub19.i, 2
  %call20.i = tail call ptr @memcpy(ptr noundef nonnull %add.ptr14.i, ptr noundef %add.ptr17.i, i64 noundef %mul.i161) #27
  %inc22.i = add nuw nsw i64 %i7.0.i, 1
  %.pre59.i = load i64, ptr %count.i.i.i, align 8
  br label %for.cond8.i

for.end58:                                        ; preds = %for.cond.i141, %if.then64.i, %if.end61.i, %if.then48
  %smax = tail call i64 @llvm.smax.i64(i64 %count, i64 0)
  br label %for.cond60

for.cond60:                                       ; preds = %for.body63, %for.end58
  %i59.0 = phi i64 [ 0, %for.end58 ], [ %inc66, %for.body63 ]
  %exitcond.not = icmp eq i64 %i59.0, %smax
  br i1 %exitcond.not, label %for.end67, label %for.body63

for.body63:                                       ; preds = %for.cond60
  %arrayidx64 = getelementptr inbounds nuw ptr, ptr %threads, i64 %i59.0
  %85 = load ptr, ptr %arrayidx64, align 8
  tail call void %step(ptr noundef %85, i32 noundef 1) #27
  %inc66 = add nuw i64 %i59.0, 1
  br label %for.cond60

for.end67:                                        ; preds = %for.cond60
  store ptr null, ptr @watched, align 8
  ret void
}

define internal fastcc void @settle_write() unnamed_addr #0 {
entry:
  %access.sroa.0 = alloca { i32, i32, i32 }, align 8
  %earlier = alloca [3 x ptr], align 16
  %0 = load ptr, ptr @pending, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %for.end76, label %if.end

if.end:                                           ; preds = %entry
  store ptr null, ptr @pending, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(12) %access.sroa.0, ptr noundef nonnull align 8 dereferenceable(12) getelementptr inbounds nuw (i8, ptr @pending, i64 8), i64 12, i1 false)
  %access.sroa.2.0.copyload = load i16, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 20), align 4
  %access.sroa.6.0.copyload = load i16, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 22), align 2
  %granule1 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %1 = load i64, ptr %granule1, align 8
  %2 = load i64, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 24), align 8
  %3 = load i64, ptr %0, align 8
  %4 = inttoptr i64 %3 to ptr
  %cells = getelementptr inbounds nuw i8, ptr %0, i64 32
  %5 = and i16 %access.sroa.6.0.copyload, 16384
  %tobool3 = icmp eq i16 %5, 0
  %idxprom12 = sext i16 %access.sroa.2.0.copyload to i64
  %arrayinit.element = getelementptr inbounds nuw i8, ptr %earlier, i64 8
  %arrayinit.element19 = getelementptr inbounds nuw i8, ptr %earlier, i64 16
  %bf.lshr32 = lshr i16 %access.sroa.6.0.copyload, 13
  %bf.clear33 = and i16 %bf.lshr32, 1
  %conv = zext nneg i16 %bf.clear33 to i32
  %conv39 = sext i16 %access.sroa.2.0.copyload to i32
  br label %for.cond

for.cond:                                         ; preds = %if.end72, %if.end
  %at.0 = phi i64 [ %2, %if.end ], [ %add75, %if.end72 ]
  %6 = load i64, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 32), align 8
  %add = add nsw i64 %6, %2
  %cmp = icmp slt i64 %at.0, %add
  br i1 %cmp, label %for.body, label %for.end76

for.body:                                         ; preds = %for.cond
  %div = sdiv i64 %at.0, %1
  %7 = load ptr, ptr %cells, align 8
  %arrayidx = getelementptr inbounds %struct.Cell, ptr %7, i64 %div
  %site.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  %8 = load i16, ptr %site.i, align 4
  %cmp.i = icmp slt i16 %8, 0
  br i1 %cmp.i, label %land.end, label %land.lhs.true

land.lhs.true:                                    ; preds = %for.body
  %9 = load i32, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 40), align 8
  %tobool5 = icmp eq i32 %9, 0
  %or.cond.not119 = select i1 %tobool3, i1 %tobool5, i1 false
  %cmp7 = icmp slt i64 %6, 257
  %or.cond77 = and i1 %cmp7, %or.cond.not119
  br i1 %or.cond77, label %land.lhs.true8, label %land.end

land.lhs.true8:                                   ; preds = %land.lhs.true
  %10 = load ptr, ptr @statements, align 8
  %idxprom = zext nneg i16 %8 to i64
  %arrayidx10 = getelementptr inbounds nuw i32, ptr %10, i64 %idxprom
  %11 = load i32, ptr %arrayidx10, align 4
  %arrayidx13 = getelementptr inbounds i32, ptr %10, i64 %idxprom12
  %12 = load i32, ptr %arrayidx13, align 4
  %cmp14 = icmp eq i32 %11, %12
  br i1 %cmp14, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %land.lhs.true8
  %add.ptr = getelementptr inbounds i8, ptr %4, i64 %at.0
  %sub = sub nsw i64 %at.0, %2
  %add.ptr15 = getelementptr inbounds i8, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 44), i64 %sub
  %call16 = tail call i32 @memcmp(ptr noundef %add.ptr, ptr noundef nonnull %add.ptr15, i64 noundef %1) #27
  %tobool17.not = icmp eq i32 %call16, 0
  br label %land.end

land.end:                                         ; preds = %land.rhs, %land.lhs.true8, %land.lhs.true, %for.body
  %13 = phi i1 [ false, %land.lhs.true8 ], [ false, %for.body ], [ %tobool17.not, %land.rhs ], [ false, %land.lhs.true ]
  %land.ext = zext i1 %13 to i32
  store ptr %arrayidx, ptr %earlier, align 16
  %reader = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  store ptr %reader, ptr %arrayinit.element, align 8
  %reader_2 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  store ptr %reader_2, ptr %arrayinit.element19, align 16
  %call20 = tail call fastcc ptr @concurrent_update(ptr noundef nonnull %0, i64 noundef %div) #28
  br label %for.cond21

for.cond21:                                       ; preds = %for.inc, %land.end
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %land.end ]
  %is_told.0 = phi i32 [ %is_told.1, %for.inc ], [ %land.ext, %land.end ]
  %cmp22 = icmp samesign ult i64 %indvars.iv, 3
  %tobool24.not = icmp eq i32 %is_told.0, 0
  %14 = select i1 %cmp22, i1 %tobool24.not, i1 false
  br i1 %14, label %for.body28, label %for.end

for.body28:                                       ; preds = %for.cond21
  %arrayidx30 = getelementptr inbounds nuw ptr, ptr %earlier, i64 %indvars.iv
  %15 = load ptr, ptr %arrayidx30, align 8
  %call34 = tail call fastcc i32 @is_concurrent(ptr noundef %15, i32 noundef %conv) #28
  %tobool35.not = icmp eq i32 %call34, 0
  br i1 %tobool35.not, label %for.inc, label %if.end37

if.end37:                                         ; preds = %for.body28
  tail call fastcc void @report(i32 noundef 0, i32 noundef %conv39, ptr noundef %15, i64 noundef %div) #28
  %cmp42 = icmp ne i64 %indvars.iv, 0
  %conv43 = zext i1 %cmp42 to i32
  br label %for.inc

for.inc:                                          ; preds = %for.body28, %if.end37
  %is_told.1 = phi i32 [ %conv43, %if.end37 ], [ 0, %for.body28 ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond21

for.end:                                          ; preds = %for.cond21
  %16 = load ptr, ptr @watched, align 8
  %tobool44 = icmp eq ptr %16, null
  %or.cond78 = select i1 %tobool44, i1 true, i1 %13
  br i1 %or.cond78, label %if.end67, label %if.then47

if.then47:                                        ; preds = %for.end
  %readers = getelementptr inbounds nuw i8, ptr %arrayidx, i64 48
  %block.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 52
  %17 = load i32, ptr %block.i, align 4
  %18 = load i32, ptr @now, align 4
  %cmp.not.i = icmp eq i32 %17, %18
  br i1 %cmp.not.i, label %first_of.exit, label %if.then.i

if.then.i:                                        ; preds = %if.then47
  store i32 %18, ptr %block.i, align 4
  store i32 0, ptr %readers, align 4
  br label %first_of.exit

first_of.exit:                                    ; preds = %if.then47, %if.then.i
  %19 = load ptr, ptr @links, align 8
  br label %while.cond

while.cond:                                       ; preds = %if.end66, %first_of.exit
  %is_told.2 = phi i32 [ %is_told.0, %first_of.exit ], [ %is_told.3, %if.end66 ]
  %20 = load i32, ptr %readers, align 4
  %tobool49.not = icmp eq i32 %20, 0
  br i1 %tobool49.not, label %if.end67, label %while.body

while.body:                                       ; preds = %while.cond
  %idxprom51 = sext i32 %20 to i64
  %arrayidx52 = getelementptr inbounds %struct.Link, ptr %19, i64 %idxprom51
  %tobool54.not = icmp eq i32 %is_told.2, 0
  br i1 %tobool54.not, label %land.lhs.true55, label %if.end66

land.lhs.true55:                                  ; preds = %while.body
  %call61 = tail call fastcc i32 @is_concurrent(ptr noundef nonnull %arrayidx52, i32 noundef %conv) #28
  %tobool62.not = icmp eq i32 %call61, 0
  br i1 %tobool62.not, label %if.end66, label %if.then63

if.then63:                                        ; preds = %land.lhs.true55
  tail call fastcc void @report(i32 noundef 0, i32 noundef %conv39, ptr noundef nonnull %arrayidx52, i64 noundef %div) #28
  br label %if.end66

if.end66:                                         ; preds = %if.then63, %land.lhs.true55, %while.body
  %is_told.3 = phi i32 [ 1, %while.body ], [ 1, %if.then63 ], [ 0, %land.lhs.true55 ]
  tail call fastcc void @drop_link(ptr noundef nonnull %readers) #28
  br label %while.cond

if.end67:                                         ; preds = %while.cond, %for.end
  %tobool68.not = icmp eq ptr %call20, null
  br i1 %tobool68.not, label %if.end72, label %if.then69

if.then69:                                        ; preds = %if.end67
  tail call fastcc void @report(i32 noundef 0, i32 noundef %conv39, ptr noundef nonnull %call20, i64 noundef %div) #28
  br label %if.end72

if.end72:                                         ; preds = %if.then69, %if.end67
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(12) %arrayidx, ptr noundef nonnull align 8 dereferenceable(12) %access.sroa.0, i64 12, i1 false)
  store i16 %access.sroa.2.0.copyload, ptr %site.i, align 4
  %access.sroa.6.0.writer73.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 14
  store i16 %access.sroa.6.0.copyload, ptr %access.sroa.6.0.writer73.sroa_idx, align 2
  %add75 = add nsw i64 %at.0, %1
  br label %for.cond

for.end76:                                        ; preds = %for.cond, %entry
  ret void
}

define internal fastcc void @check_together(ptr noundef readonly captures(none) %states, i64 noundef %begin, i64 noundef %end, i64 noundef %waiter) unnamed_addr #12 {
entry:
  %arrayidx1 = getelementptr inbounds i32, ptr %states, i64 %waiter
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i64 [ %begin, %entry ], [ %inc, %for.inc ]
  %cmp = icmp slt i64 %i.0, %end
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds i32, ptr %states, i64 %i.0
  %0 = load i32, ptr %arrayidx, align 4
  %1 = load i32, ptr %arrayidx1, align 4
  %cmp2 = icmp eq i32 %0, %1
  br i1 %cmp2, label %for.inc, label %if.end

if.end:                                           ; preds = %for.body
  %cmp4.not = icmp eq i32 %0, -1
  %2 = xor i32 %1, %0
  %3 = and i32 %2, 3
  %cmp8.not = icmp eq i32 %3, 0
  %4 = or i1 %cmp4.not, %cmp8.not
  %cond = select i1 %4, i32 1, i32 5
  tail call fastcc void @report_apart(i32 noundef %cond, ptr noundef nonnull %states, i64 noundef %waiter, i64 noundef %i.0) #28
  br label %for.end

for.inc:                                          ; preds = %for.body
  %inc = add nsw i64 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond, %if.end
  ret void
}

define void @kc_emu_named(ptr noundef captures(address_is_null) %block, i64 noundef %thread, i32 noundef %number, i32 noundef %wanted, i32 noundef %site, i32 noundef %waits) local_unnamed_addr #0 {
entry:
  %first = alloca %struct.Access, align 4
  %each.i = getelementptr inbounds nuw i8, ptr %block, i64 2672
  %0 = load i64, ptr %each.i, align 8
  %div.i = sdiv i64 %thread, %0
  %conv.i = trunc i64 %div.i to i32
  %mul = shl nsw i32 %conv.i, 4
  %and = and i32 %number, 15
  %add = or disjoint i32 %mul, %and
  %barriers = getelementptr inbounds nuw i8, ptr %block, i64 48
  %idxprom = sext i32 %add to i64
  %arrayidx = getelementptr inbounds %struct.Barrier, ptr %barriers, i64 %idxprom
  %call1 = tail call fastcc ptr @order_of(ptr noundef %block, i32 noundef %add, i64 noundef 0) #28
  %1 = load i64, ptr %each.i, align 8
  %sub = add nsw i64 %1, 31
  %div = sdiv i64 %sub, 32
  %mul3 = shl nsw i64 %div, 5
  %cmp = icmp slt i32 %wanted, 1
  %conv = trunc i64 %mul3 to i32
  %spec.select = select i1 %cmp, i32 %conv, i32 %wanted
  %arrived = getelementptr inbounds nuw i8, ptr %arrayidx, i64 4
  %2 = load i32, ptr %arrived, align 4
  %tobool.not = icmp eq i32 %2, 0
  br i1 %tobool.not, label %if.then4, label %if.else

if.then4:                                         ; preds = %entry
  store i32 %spec.select, ptr %arrayidx, align 4
  %site6 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  store i32 %site, ptr %site6, align 4
  %conv7 = trunc i64 %thread to i32
  %thread8 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  store i32 %conv7, ptr %thread8, align 4
  br label %if.end24

if.else:                                          ; preds = %entry
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %3 = load ptr, ptr %clocks, align 8
  %tobool9.not = icmp eq ptr %3, null
  br i1 %tobool9.not, label %if.end24, label %land.lhs.true

land.lhs.true:                                    ; preds = %if.else
  %4 = load i32, ptr %arrayidx, align 4
  %cmp11.not = icmp eq i32 %4, %spec.select
  br i1 %cmp11.not, label %if.end24, label %if.then13

if.then13:                                        ; preds = %land.lhs.true
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %first, ptr noundef nonnull align 4 dereferenceable(16) @now, i64 16, i1 false)
  %site14 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  %5 = load i32, ptr %site14, align 4
  %conv15 = trunc i32 %5 to i16
  %site16 = getelementptr inbounds nuw i8, ptr %first, i64 12
  store i16 %conv15, ptr %site16, align 4
  %thread17 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %6 = load i32, ptr %thread17, align 4
  %7 = trunc i32 %6 to i16
  %conv21 = and i16 %7, 8191
  %thread22 = getelementptr inbounds nuw i8, ptr %first, i64 14
  %bf.load = load i16, ptr %thread22, align 2
  %bf.clear = and i16 %bf.load, -8192
  %bf.set = or disjoint i16 %bf.clear, %conv21
  store i16 %bf.set, ptr %thread22, align 2
  call fastcc void @report(i32 noundef 1, i32 noundef %site, ptr noundef nonnull %first, i64 noundef -1) #28
  br label %if.end24

if.end24:                                         ; preds = %if.else, %land.lhs.true, %if.then13, %if.then4
  call fastcc void @tell(ptr noundef nonnull %block, ptr noundef %call1, i64 noundef %thread) #28
  %tobool25.not = icmp eq i32 %waits, 0
  br i1 %tobool25.not, label %if.end29, label %if.then26

if.then26:                                        ; preds = %if.end24
  %generation28 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %8 = load i32, ptr %generation28, align 4
  %waits.i = getelementptr inbounds nuw i8, ptr %block, i64 16
  %9 = load ptr, ptr %waits.i, align 8
  %arrayidx.i = getelementptr inbounds %struct.Wait, ptr %9, i64 %thread
  store i32 0, ptr %arrayidx.i, align 8
  %.compoundliteral93.sroa.4.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 4
  store i32 %add, ptr %.compoundliteral93.sroa.4.0.arrayidx.i.sroa_idx, align 4
  %.compoundliteral93.sroa.5.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 8
  store i32 0, ptr %.compoundliteral93.sroa.5.0.arrayidx.i.sroa_idx, align 8
  %.compoundliteral93.sroa.6.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 12
  store i32 %8, ptr %.compoundliteral93.sroa.6.0.arrayidx.i.sroa_idx, align 4
  %.compoundliteral93.sroa.7.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  store i32 0, ptr %.compoundliteral93.sroa.7.0.arrayidx.i.sroa_idx, align 8
  %.compoundliteral93.sroa.8.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 20
  store i32 0, ptr %.compoundliteral93.sroa.8.0.arrayidx.i.sroa_idx, align 4
  %.compoundliteral93.sroa.9.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 24
  store i64 0, ptr %.compoundliteral93.sroa.9.0.arrayidx.i.sroa_idx, align 8
  %shl.i = shl i32 %site, 2
  %or.i = or disjoint i32 %shl.i, 3
  %10 = load ptr, ptr %block, align 8
  %arrayidx1.i = getelementptr inbounds i32, ptr %10, i64 %thread
  store i32 %or.i, ptr %arrayidx1.i, align 4
  br label %if.end29

if.end29:                                         ; preds = %if.then26, %if.end24
  %add30 = shl i64 %div.i, 32
  %sext = add i64 %add30, 4294967296
  %conv31 = ashr exact i64 %sext, 32
  %11 = load i64, ptr %each.i, align 8
  %mul33 = mul nsw i64 %11, %conv31
  %sub34 = add nsw i64 %mul33, -1
  %cmp35 = icmp eq i64 %thread, %sub34
  %sub39 = sub nsw i64 %mul3, %11
  %conv40 = trunc i64 %sub39 to i32
  %12 = add nsw i32 %conv40, 1
  %cond = select i1 %cmp35, i32 %12, i32 1
  %13 = load i32, ptr %arrived, align 4
  %add43 = add nsw i32 %cond, %13
  store i32 %add43, ptr %arrived, align 4
  %14 = load i32, ptr %arrayidx, align 4
  %cmp46 = icmp slt i32 %add43, %14
  br i1 %cmp46, label %if.end56, label %if.end49

if.end49:                                         ; preds = %if.end29
  store i32 0, ptr %arrived, align 4
  %generation51 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %15 = load i32, ptr %generation51, align 4
  %inc = add i32 %15, 1
  store i32 %inc, ptr %generation51, align 4
  call fastcc void @complete(ptr noundef nonnull %block, ptr noundef %call1) #28
  %clocks52 = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %16 = load ptr, ptr %clocks52, align 8
  %tobool53.not = icmp eq ptr %16, null
  br i1 %tobool53.not, label %if.end56, label %if.then54

if.then54:                                        ; preds = %if.end49
  %17 = load i64, ptr @barriers, align 8
  %inc55 = add nsw i64 %17, 1
  store i64 %inc55, ptr @barriers, align 8
  br label %if.end56

if.end56:                                         ; preds = %if.end29, %if.then54, %if.end49
  ret void
}

define internal fastcc noundef ptr @order_of(ptr noundef captures(ret: address, provenance) %block, i32 noundef %barrier, i64 noundef %address) unnamed_addr #0 {
entry:
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %0 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %orders = getelementptr inbounds nuw i8, ptr %block, i64 2776
  %idxprom = sext i32 %barrier to i64
  %arrayidx = getelementptr inbounds %struct.Order, ptr %orders, i64 %idxprom
  %tobool1 = icmp ne i64 %address, 0
  br label %for.cond

for.cond:                                         ; preds = %for.body, %if.end
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 129, %if.end ]
  %order.0 = phi ptr [ %arrayidx4, %for.body ], [ %arrayidx, %if.end ]
  %cmp = icmp samesign ult i64 %indvars.iv, 257
  %1 = select i1 %tobool1, i1 %cmp, i1 false
  br i1 %1, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %arrayidx4 = getelementptr inbounds nuw %struct.Order, ptr %orders, i64 %indvars.iv
  %2 = load i64, ptr %arrayidx4, align 8
  %tobool6.not = icmp eq i64 %2, 0
  %cmp8 = icmp eq i64 %2, %address
  %or.cond = or i1 %tobool6.not, %cmp8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br i1 %or.cond, label %for.end, label %for.cond

for.end:                                          ; preds = %for.body, %for.cond
  %order.1 = phi ptr [ %order.0, %for.cond ], [ %arrayidx4, %for.body ]
  store i64 %address, ptr %order.1, align 8
  %coming = getelementptr inbounds nuw i8, ptr %order.1, i64 32
  %3 = load ptr, ptr %coming, align 8
  %tobool12.not = icmp eq ptr %3, null
  br i1 %tobool12.not, label %if.then13, label %return

if.then13:                                        ; preds = %for.end
  %count.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %4 = load i64, ptr %count.i, align 8
  %mul.i = shl nsw i64 %4, 1
  %add.i = or disjoint i64 %mul.i, 1
  %call14 = tail call ptr @calloc(i64 noundef %add.i, i64 noundef 4) #27
  store ptr %call14, ptr %coming, align 8
  %5 = load i64, ptr %count.i, align 8
  %mul.i34 = shl nsw i64 %5, 1
  %add.i35 = or disjoint i64 %mul.i34, 1
  %call17 = tail call ptr @calloc(i64 noundef %add.i35, i64 noundef 4) #27
  %known = getelementptr inbounds nuw i8, ptr %order.1, i64 40
  store ptr %call17, ptr %known, align 8
  br label %return

return:                                           ; preds = %for.end, %if.then13, %entry
  %retval.0 = phi ptr [ null, %entry ], [ %order.1, %if.then13 ], [ %order.1, %for.end ]
  ret ptr %retval.0
}

define internal fastcc void @report(i32 noundef range(i32 0, 9) %kind, i32 noundef %site, ptr noundef readonly captures(address_is_null) %other, i64 noundef %element) unnamed_addr #13 {
entry:
  %tobool.not = icmp eq ptr %other, null
  br i1 %tobool.not, label %cond.end, label %cond.true

cond.true:                                        ; preds = %entry
  %site1 = getelementptr inbounds nuw i8, ptr %other, i64 12
  %0 = load i16, ptr %site1, align 4
  %conv = sext i16 %0 to i32
  br label %cond.end

cond.end:                                         ; preds = %entry, %cond.true
  %cond = phi i32 [ %conv, %cond.true ], [ -1, %entry ]
  %1 = load i32, ptr @finding_count, align 4
  %smax = tail call i32 @llvm.smax.i32(i32 %1, i32 0)
  %wide.trip.count = zext nneg i32 %smax to i64
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %cond.end
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %cond.end ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw %struct.Finding, ptr @findings, i64 %indvars.iv
  %2 = load i32, ptr %arrayidx, align 8
  %cmp4 = icmp eq i32 %2, %kind
  br i1 %cmp4, label %land.lhs.true, label %for.inc

land.lhs.true:                                    ; preds = %for.body
  %site6 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 4
  %3 = load i32, ptr %site6, align 4
  %cmp7 = icmp eq i32 %3, %site
  br i1 %cmp7, label %land.lhs.true9, label %for.inc

land.lhs.true9:                                   ; preds = %land.lhs.true
  %other_site10 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %4 = load i32, ptr %other_site10, align 8
  %cmp11 = icmp eq i32 %4, %cond
  br i1 %cmp11, label %if.then, label %for.inc

if.then:                                          ; preds = %land.lhs.true9
  %count = getelementptr inbounds nuw i8, ptr %arrayidx, i64 48
  %5 = load i64, ptr %count, align 8
  %inc = add nsw i64 %5, 1
  store i64 %inc, ptr %count, align 8
  br label %return

for.inc:                                          ; preds = %for.body, %land.lhs.true, %land.lhs.true9
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %cmp14 = icmp eq i32 %1, 256
  br i1 %cmp14, label %return, label %if.end17

if.end17:                                         ; preds = %for.end
  %inc18 = add nsw i32 %1, 1
  store i32 %inc18, ptr @finding_count, align 4
  %idxprom19 = sext i32 %1 to i64
  %arrayidx20 = getelementptr inbounds %struct.Finding, ptr @findings, i64 %idxprom19
  %.pre = load i64, ptr @threads_each, align 8
  br i1 %tobool.not, label %cond.end27, label %cond.true25

cond.true25:                                      ; preds = %if.end17
  %tobool.not.i = icmp eq i64 %.pre, 0
  %thread1.i = getelementptr inbounds nuw i8, ptr %other, i64 14
  %bf.load2.i = load i16, ptr %thread1.i, align 2
  %bf.clear3.i = and i16 %bf.load2.i, 8191
  %conv4.i = zext nneg i16 %bf.clear3.i to i64
  br i1 %tobool.not.i, label %thread_of.exit, label %cond.true.i

cond.true.i:                                      ; preds = %cond.true25
  %rem.i = srem i64 %conv4.i, %.pre
  br label %thread_of.exit

thread_of.exit:                                   ; preds = %cond.true25, %cond.true.i
  %cond.i = phi i64 [ %rem.i, %cond.true.i ], [ %conv4.i, %cond.true25 ]
  %conv5.i = trunc nuw nsw i64 %cond.i to i32
  br label %cond.end27

cond.end27:                                       ; preds = %if.end17, %thread_of.exit
  %cond28 = phi i32 [ %conv5.i, %thread_of.exit ], [ -1, %if.end17 ]
  %call29 = tail call fastcc i64 @block_of(ptr noundef nonnull @now) #28
  %tobool.not.i53 = icmp eq i64 %.pre, 0
  %bf.load2.i54 = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear3.i55 = and i16 %bf.load2.i54, 8191
  %conv4.i56 = zext nneg i16 %bf.clear3.i55 to i64
  br i1 %tobool.not.i53, label %thread_of.exit61, label %cond.true.i57

cond.true.i57:                                    ; preds = %cond.end27
  %rem.i58 = srem i64 %conv4.i56, %.pre
  br label %thread_of.exit61

thread_of.exit61:                                 ; preds = %cond.end27, %cond.true.i57
  %cond.i59 = phi i64 [ %rem.i58, %cond.true.i57 ], [ %conv4.i56, %cond.end27 ]
  br i1 %tobool.not, label %cond.end36, label %cond.true33

cond.true33:                                      ; preds = %thread_of.exit61
  %call34 = tail call fastcc i64 @block_of(ptr noundef nonnull %other) #28
  br label %cond.end36

cond.end36:                                       ; preds = %thread_of.exit61, %cond.true33
  %cond37 = phi i64 [ %call34, %cond.true33 ], [ -1, %thread_of.exit61 ]
  store i32 %kind, ptr %arrayidx20, align 8
  %.compoundliteral.sroa.2.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 4
  store i32 %site, ptr %.compoundliteral.sroa.2.0.arrayidx20.sroa_idx, align 4
  %.compoundliteral.sroa.3.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 8
  store i32 %cond, ptr %.compoundliteral.sroa.3.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.4.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 12
  store i32 %cond28, ptr %.compoundliteral.sroa.4.0.arrayidx20.sroa_idx, align 4
  %.compoundliteral.sroa.5.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 16
  store i64 %call29, ptr %.compoundliteral.sroa.5.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.6.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 24
  store i64 %cond.i59, ptr %.compoundliteral.sroa.6.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.7.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 32
  store i64 %cond37, ptr %.compoundliteral.sroa.7.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.8.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 40
  store i64 %element, ptr %.compoundliteral.sroa.8.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.9.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 48
  store i64 1, ptr %.compoundliteral.sroa.9.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.10.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 56
  store i32 0, ptr %.compoundliteral.sroa.10.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.11.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 60
  store i32 0, ptr %.compoundliteral.sroa.11.0.arrayidx20.sroa_idx, align 4
  %.compoundliteral.sroa.12.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 64
  store i64 0, ptr %.compoundliteral.sroa.12.0.arrayidx20.sroa_idx, align 8
  br label %return

return:                                           ; preds = %for.end, %cond.end36, %if.then
  ret void
}

define internal fastcc void @tell(ptr noundef captures(none) initializes((2760, 2764)) %block, ptr noundef readonly captures(address_is_null) %order, i64 noundef %thread) unnamed_addr #12 {
entry:
  %fruitless = getelementptr inbounds nuw i8, ptr %block, i64 2760
  store i32 0, ptr %fruitless, align 8
  %tobool.not = icmp eq ptr %order, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %clocks.i = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %0 = load ptr, ptr %clocks.i, align 8
  %count.i.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %1 = load i64, ptr %count.i.i, align 8
  %mul.i.i = shl nsw i64 %1, 1
  %add.i.i = or disjoint i64 %mul.i.i, 1
  %mul.i = mul nsw i64 %add.i.i, %thread
  %add.ptr.i = getelementptr inbounds i32, ptr %0, i64 %mul.i
  %coming = getelementptr inbounds nuw i8, ptr %order, i64 32
  %2 = load ptr, ptr %coming, align 8
  tail call fastcc void @learn(ptr noundef %2, ptr noundef %add.ptr.i, i64 noundef %add.i.i) #28
  %arrayidx = getelementptr inbounds i32, ptr %add.ptr.i, i64 %thread
  %3 = load i32, ptr %arrayidx, align 4
  %inc = add nsw i32 %3, 1
  store i32 %inc, ptr %arrayidx, align 4
  br label %return

return:                                           ; preds = %entry, %if.end
  ret void
}

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #14

define internal fastcc void @complete(ptr noundef readonly captures(none) %block, ptr noundef readonly captures(address_is_null) %order) unnamed_addr #0 {
entry:
  %tobool.not = icmp eq ptr %order, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %known = getelementptr inbounds nuw i8, ptr %order, i64 40
  %0 = load ptr, ptr %known, align 8
  %coming = getelementptr inbounds nuw i8, ptr %order, i64 32
  %1 = load ptr, ptr %coming, align 8
  %count.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %2 = load i64, ptr %count.i, align 8
  %mul.i = shl i64 %2, 3
  %add.i = or disjoint i64 %mul.i, 4
  %call1 = tail call ptr @memcpy(ptr noundef %0, ptr noundef %1, i64 noundef %add.i) #27
  %3 = load ptr, ptr %coming, align 8
  %4 = load i64, ptr %count.i, align 8
  %mul.i11 = shl i64 %4, 3
  %add.i12 = or disjoint i64 %mul.i11, 4
  %call5 = tail call ptr @memset(ptr noundef %3, i32 noundef 0, i64 noundef %add.i12) #27
  br label %return

return:                                           ; preds = %entry, %if.end
  ret void
}

define void @kc_emu_arrive(ptr noundef captures(address_is_null) initializes((2760, 2764)) %block, i64 noundef %thread, i32 noundef %orders) local_unnamed_addr #0 {
entry:
  %fruitless = getelementptr inbounds nuw i8, ptr %block, i64 2760
  store i32 0, ptr %fruitless, align 8
  %tobool.not = icmp eq i32 %orders, 0
  br i1 %tobool.not, label %if.end, label %if.then

if.then:                                          ; preds = %entry
  %call = tail call fastcc ptr @order_of(ptr noundef nonnull %block, i32 noundef 128, i64 noundef 0) #28
  tail call fastcc void @tell(ptr noundef nonnull %block, ptr noundef %call, i64 noundef %thread) #28
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %generation = getelementptr inbounds nuw i8, ptr %block, i64 2616
  %0 = load i32, ptr %generation, align 4
  %phases = getelementptr inbounds nuw i8, ptr %block, i64 2632
  %1 = load ptr, ptr %phases, align 8
  %arrayidx1 = getelementptr inbounds i32, ptr %1, i64 %thread
  store i32 %0, ptr %arrayidx1, align 4
  %arrived = getelementptr inbounds nuw i8, ptr %block, i64 2612
  %2 = load i32, ptr %arrived, align 4
  %inc = add nsw i32 %2, 1
  store i32 %inc, ptr %arrived, align 4
  ret void
}

define void @kc_emu_cluster(ptr noundef captures(none) initializes((2760, 2764)) %block, i64 noundef %thread, i32 noundef %site) local_unnamed_addr #15 {
entry:
  %fruitless = getelementptr inbounds nuw i8, ptr %block, i64 2760
  store i32 0, ptr %fruitless, align 8
  %phases = getelementptr inbounds nuw i8, ptr %block, i64 2632
  %0 = load ptr, ptr %phases, align 8
  %arrayidx = getelementptr inbounds i32, ptr %0, i64 %thread
  %1 = load i32, ptr %arrayidx, align 4
  %waits.i = getelementptr inbounds nuw i8, ptr %block, i64 16
  %2 = load ptr, ptr %waits.i, align 8
  %arrayidx.i = getelementptr inbounds %struct.Wait, ptr %2, i64 %thread
  store i32 0, ptr %arrayidx.i, align 8
  %.compoundliteral4.sroa.4.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 4
  store i32 128, ptr %.compoundliteral4.sroa.4.0.arrayidx.i.sroa_idx, align 4
  %.compoundliteral4.sroa.5.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 8
  store i32 0, ptr %.compoundliteral4.sroa.5.0.arrayidx.i.sroa_idx, align 8
  %.compoundliteral4.sroa.6.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 12
  store i32 %1, ptr %.compoundliteral4.sroa.6.0.arrayidx.i.sroa_idx, align 4
  %.compoundliteral4.sroa.7.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  store i32 0, ptr %.compoundliteral4.sroa.7.0.arrayidx.i.sroa_idx, align 8
  %.compoundliteral4.sroa.8.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 20
  store i32 0, ptr %.compoundliteral4.sroa.8.0.arrayidx.i.sroa_idx, align 4
  %.compoundliteral4.sroa.9.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 24
  store i64 0, ptr %.compoundliteral4.sroa.9.0.arrayidx.i.sroa_idx, align 8
  %shl.i = shl i32 %site, 2
  %or.i = or disjoint i32 %shl.i, 3
  %3 = load ptr, ptr %block, align 8
  %arrayidx1.i = getelementptr inbounds i32, ptr %3, i64 %thread
  store i32 %or.i, ptr %arrayidx1.i, align 4
  ret void
}

define i64 @kc_emu_mapa(ptr noundef readonly captures(none) %block, i64 noundef %thread, i64 noundef %address, i32 noundef %rank, i32 noundef %site) local_unnamed_addr #12 {
entry:
  %shared.i = getelementptr inbounds nuw i8, ptr %block, i64 2688
  %each.i.i = getelementptr inbounds nuw i8, ptr %block, i64 2672
  %0 = load i64, ptr %each.i.i, align 8
  %div.i.i = sdiv i64 %thread, %0
  %sext.i = shl i64 %div.i.i, 32
  %1 = ashr exact i64 %sext.i, 29
  %arrayidx.i = getelementptr inbounds i8, ptr %shared.i, i64 %1
  %2 = load i64, ptr %arrayidx.i, align 8
  %cmp = icmp sgt i32 %rank, -1
  br i1 %cmp, label %land.lhs.true, label %if.end

land.lhs.true:                                    ; preds = %entry
  %ranks = getelementptr inbounds nuw i8, ptr %block, i64 2680
  %3 = load i32, ptr %ranks, align 8
  %cmp1 = icmp slt i32 %rank, %3
  br i1 %cmp1, label %land.lhs.true2, label %if.end

land.lhs.true2:                                   ; preds = %land.lhs.true
  %sub = sub i64 %address, %2
  %shared_bytes = getelementptr inbounds nuw i8, ptr %block, i64 2752
  %4 = load i64, ptr %shared_bytes, align 8
  %cmp3 = icmp ult i64 %sub, %4
  br i1 %cmp3, label %if.then, label %if.end

if.then:                                          ; preds = %land.lhs.true2
  %idxprom = zext nneg i32 %rank to i64
  %arrayidx = getelementptr inbounds nuw i64, ptr %shared.i, i64 %idxprom
  %5 = load i64, ptr %arrayidx, align 8
  %add = add i64 %5, %sub
  br label %return

if.end:                                           ; preds = %land.lhs.true2, %land.lhs.true, %entry
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %6 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %6, null
  br i1 %tobool.not, label %return, label %if.then5

if.then5:                                         ; preds = %if.end
  tail call fastcc void @report(i32 noundef 2, i32 noundef %site, ptr noundef null, i64 noundef -1) #28
  br label %return

return:                                           ; preds = %if.end, %if.then5, %if.then
  %retval.0 = phi i64 [ %add, %if.then ], [ %address, %if.then5 ], [ %address, %if.end ]
  ret i64 %retval.0
}

define void @kc_emu_lanes(ptr noundef captures(none) initializes((2760, 2764)) %block, i64 noundef %thread, i32 noundef %mask, i32 noundef %site) local_unnamed_addr #16 {
entry:
  %fruitless = getelementptr inbounds nuw i8, ptr %block, i64 2760
  store i32 0, ptr %fruitless, align 8
  %waits.i = getelementptr inbounds nuw i8, ptr %block, i64 16
  %0 = load ptr, ptr %waits.i, align 8
  %arrayidx.i = getelementptr inbounds %struct.Wait, ptr %0, i64 %thread
  store i32 1, ptr %arrayidx.i, align 8
  %.compoundliteral3.sroa.4.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 4
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 4 dereferenceable(12) %.compoundliteral3.sroa.4.0.arrayidx.i.sroa_idx, i8 0, i64 12, i1 false)
  %.compoundliteral3.sroa.5.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  store i32 %mask, ptr %.compoundliteral3.sroa.5.0.arrayidx.i.sroa_idx, align 8
  %.compoundliteral3.sroa.6.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 20
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 4 dereferenceable(12) %.compoundliteral3.sroa.6.0.arrayidx.i.sroa_idx, i8 0, i64 12, i1 false)
  %shl.i = shl i32 %site, 2
  %or.i = or disjoint i32 %shl.i, 3
  %1 = load ptr, ptr %block, align 8
  %arrayidx1.i = getelementptr inbounds i32, ptr %1, i64 %thread
  store i32 %or.i, ptr %arrayidx1.i, align 4
  ret void
}

define void @kc_emu_group(ptr noundef captures(none) initializes((2760, 2764)) %block, i64 noundef %thread, i32 noundef %site) local_unnamed_addr #16 {
entry:
  %fruitless = getelementptr inbounds nuw i8, ptr %block, i64 2760
  store i32 0, ptr %fruitless, align 8
  %waits.i = getelementptr inbounds nuw i8, ptr %block, i64 16
  %0 = load ptr, ptr %waits.i, align 8
  %arrayidx.i = getelementptr inbounds %struct.Wait, ptr %0, i64 %thread
  store i32 4, ptr %arrayidx.i, align 8
  %.compoundliteral2.sroa.4.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 4
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 4 dereferenceable(28) %.compoundliteral2.sroa.4.0.arrayidx.i.sroa_idx, i8 0, i64 28, i1 false)
  %shl.i = shl i32 %site, 2
  %or.i = or disjoint i32 %shl.i, 3
  %1 = load ptr, ptr %block, align 8
  %arrayidx1.i = getelementptr inbounds i32, ptr %1, i64 %thread
  store i32 %or.i, ptr %arrayidx1.i, align 4
  ret void
}

define void @kc_emu_fence_mbarriers(ptr noundef captures(none) %block, i64 noundef %thread) local_unnamed_addr #7 {
entry:
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %0 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %for.end, label %for.cond.preheader

for.cond.preheader:                               ; preds = %entry
  %orders = getelementptr inbounds nuw i8, ptr %block, i64 2776
  %and = and i64 %thread, 8191
  br label %for.cond

for.cond:                                         ; preds = %for.cond.preheader, %for.inc
  %indvars.iv = phi i64 [ 129, %for.cond.preheader ], [ %indvars.iv.next, %for.inc ]
  %exitcond.not = icmp eq i64 %indvars.iv, 257
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw %struct.Order, ptr %orders, i64 %indvars.iv
  %is_made = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %1 = load i32, ptr %is_made, align 8
  %tobool1.not = icmp eq i32 %1, 0
  br i1 %tobool1.not, label %for.inc, label %land.lhs.true

land.lhs.true:                                    ; preds = %for.body
  %maker = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %2 = load i32, ptr %maker, align 8
  %conv = sext i32 %2 to i64
  %cmp2 = icmp eq i64 %and, %conv
  br i1 %cmp2, label %if.then4, label %for.inc

if.then4:                                         ; preds = %land.lhs.true
  %is_fenced = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  store i32 1, ptr %is_fenced, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body, %land.lhs.true, %if.then4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond, %entry
  ret void
}

define void @kc_emu_fence(ptr noundef captures(none) %block, i64 noundef %thread) local_unnamed_addr #12 {
entry:
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %0 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  tail call void @kc_emu_fence_mbarriers(ptr noundef nonnull %block, i64 noundef %thread) #28
  %1 = load ptr, ptr %clocks, align 8
  %count.i.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %2 = load i64, ptr %count.i.i, align 8
  %mul.i.i = shl nsw i64 %2, 1
  %add.i.i = or disjoint i64 %mul.i.i, 1
  %mul.i = mul nsw i64 %add.i.i, %thread
  %add.ptr.i = getelementptr inbounds i32, ptr %1, i64 %mul.i
  %arrayidx.idx = shl nsw i64 %2, 3
  %arrayidx = getelementptr inbounds i8, ptr %add.ptr.i, i64 %arrayidx.idx
  %add.ptr = getelementptr inbounds i32, ptr %add.ptr.i, i64 %2
  tail call fastcc void @learn(ptr noundef %add.ptr, ptr noundef %add.ptr.i, i64 noundef %2) #28
  %3 = load i32, ptr %arrayidx, align 4
  %4 = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %cmp = icmp slt i32 %3, %4
  br i1 %cmp, label %if.then4, label %if.end5

if.then4:                                         ; preds = %if.end
  store i32 %4, ptr %arrayidx, align 4
  br label %if.end5

if.end5:                                          ; preds = %if.then4, %if.end
  %arrayidx6 = getelementptr inbounds i32, ptr %add.ptr.i, i64 %thread
  %5 = load i32, ptr %arrayidx6, align 4
  %inc = add nsw i32 %5, 1
  store i32 %inc, ptr %arrayidx6, align 4
  br label %return

return:                                           ; preds = %entry, %if.end5
  ret void
}

define internal fastcc void @learn(ptr noundef captures(none) %clocks, ptr noundef readonly captures(none) %more, i64 noundef %width) unnamed_addr #7 {
entry:
  %smax = tail call i64 @llvm.smax.i64(i64 %width, i64 0)
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i64 [ 0, %entry ], [ %inc, %for.inc ]
  %exitcond.not = icmp eq i64 %i.0, %smax
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw i32, ptr %more, i64 %i.0
  %0 = load i32, ptr %arrayidx, align 4
  %arrayidx1 = getelementptr inbounds nuw i32, ptr %clocks, i64 %i.0
  %1 = load i32, ptr %arrayidx1, align 4
  %cmp2 = icmp sgt i32 %0, %1
  br i1 %cmp2, label %if.then, label %for.inc

if.then:                                          ; preds = %for.body
  store i32 %0, ptr %arrayidx1, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body, %if.then
  %inc = add nuw i64 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

define range(i32 0, 2) i32 @kc_emu_pointer(i64 noundef %address, i64 noundef %bytes, i64 noundef %alignment, i32 noundef %site, i32 noundef %flags) local_unnamed_addr #0 {
entry:
  %call = tail call fastcc i32 @find_buffer(i64 noundef %address) #28
  %cmp = icmp slt i32 %call, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  tail call fastcc void @report(i32 noundef 2, i32 noundef %site, ptr noundef null, i64 noundef -1) #28
  br label %return

if.end:                                           ; preds = %entry
  %or = or i32 %flags, 2
  %call1 = tail call fastcc i32 @note_access(i32 noundef %call, i64 noundef %address, i64 noundef %bytes, i64 noundef %alignment, i32 noundef %site, i32 noundef %or) #28
  br label %return

return:                                           ; preds = %if.end, %if.then
  %retval.0 = phi i32 [ 0, %if.then ], [ %call1, %if.end ]
  ret i32 %retval.0
}

define internal fastcc range(i32 -2147483648, 2147483647) i32 @find_buffer(i64 noundef %address) unnamed_addr #17 {
entry:
  %0 = load i32, ptr @buffer_count, align 4
  %smax = tail call i32 @llvm.smax.i32(i32 %0, i32 0)
  %wide.trip.count = zext nneg i32 %smax to i64
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %return, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %indvars.iv
  %cells = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  %1 = load ptr, ptr %cells, align 16
  %tobool.not = icmp eq ptr %1, null
  br i1 %tobool.not, label %for.inc, label %land.lhs.true

land.lhs.true:                                    ; preds = %for.body
  %2 = load i64, ptr %arrayidx, align 16
  %sub = sub i64 %address, %2
  %bytes = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %3 = load i64, ptr %bytes, align 8
  %cmp5 = icmp ult i64 %sub, %3
  br i1 %cmp5, label %return.split.loop.exit12, label %for.inc

for.inc:                                          ; preds = %for.body, %land.lhs.true
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

return.split.loop.exit12:                         ; preds = %land.lhs.true
  %4 = trunc nuw nsw i64 %indvars.iv to i32
  br label %return

return:                                           ; preds = %for.cond, %return.split.loop.exit12
  %retval.0 = phi i32 [ %4, %return.split.loop.exit12 ], [ -1, %for.cond ]
  ret i32 %retval.0
}

define internal fastcc range(i32 0, 2) i32 @note_access(i32 noundef %slot, i64 noundef %address, i64 noundef %bytes, i64 noundef %alignment, i32 noundef %site, i32 noundef %flags) unnamed_addr #0 {
entry:
  %access = alloca %struct.Access, align 4
  %cmp = icmp slt i32 %slot, 0
  br i1 %cmp, label %if.then, label %if.end4

if.then:                                          ; preds = %entry
  %and = and i32 %flags, 2
  %tobool.not = icmp eq i32 %and, 0
  br i1 %tobool.not, label %if.then1, label %if.end

if.then1:                                         ; preds = %if.then
  tail call fastcc void @report(i32 noundef 2, i32 noundef %site, ptr noundef null, i64 noundef -1) #28
  br label %if.end

if.end:                                           ; preds = %if.then1, %if.then
  %and.lobit = lshr exact i32 %and, 1
  br label %return

if.end4:                                          ; preds = %entry
  tail call fastcc void @settle_write() #28
  %idxprom = zext nneg i32 %slot to i64
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %idxprom
  %0 = load i64, ptr %arrayidx, align 16
  %sub = sub i64 %address, %0
  %and5 = and i32 %flags, 1
  %cmp6.not = icmp eq i32 %and5, 0
  %and11 = and i32 %flags, 2
  %tobool12 = icmp eq i32 %and11, 0
  %cmp13 = icmp slt i64 %sub, 0
  %or.cond = select i1 %tobool12, i1 true, i1 %cmp13
  br i1 %or.cond, label %if.then19, label %lor.lhs.false15

lor.lhs.false15:                                  ; preds = %if.end4
  %add = add nsw i64 %sub, %bytes
  %bytes16 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %1 = load i64, ptr %bytes16, align 8
  %cmp17 = icmp sgt i64 %add, %1
  br i1 %cmp17, label %if.then19, label %if.end20

if.then19:                                        ; preds = %lor.lhs.false15, %if.end4
  %granule = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %2 = load i64, ptr %granule, align 16
  %div = sdiv i64 %sub, %2
  tail call fastcc void @report(i32 noundef 2, i32 noundef %site, ptr noundef null, i64 noundef %div) #28
  br label %return

if.end20:                                         ; preds = %lor.lhs.false15
  %rem = srem i64 %sub, %alignment
  %tobool21.not = icmp eq i64 %rem, 0
  br i1 %tobool21.not, label %if.end25, label %if.then22

if.then22:                                        ; preds = %if.end20
  %granule23 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %3 = load i64, ptr %granule23, align 16
  %div24 = sdiv i64 %sub, %3
  tail call fastcc void @report(i32 noundef 3, i32 noundef %site, ptr noundef null, i64 noundef %div24) #28
  br label %return

if.end25:                                         ; preds = %if.end20
  %and26 = and i32 %flags, 16
  %tobool27.not = icmp eq i32 %and26, 0
  br i1 %tobool27.not, label %if.then28, label %if.end29

if.then28:                                        ; preds = %if.end25
  %scope = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %4 = load i32, ptr %scope, align 8
  %5 = load ptr, ptr @sites, align 8
  %idxprom.i = sext i32 %site to i64
  %arrayidx.i = getelementptr inbounds %struct.Site, ptr %5, i64 %idxprom.i
  %bf.load.i = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %6 = and i16 %bf.load.i, 31
  %rem.i = zext nneg i16 %6 to i32
  %next.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  %idxprom1.i = zext nneg i16 %6 to i64
  %arrayidx2.i = getelementptr inbounds nuw i32, ptr %next.i, i64 %idxprom1.i
  %7 = load i32, ptr %arrayidx2.i, align 4
  %cmp.i = icmp eq i32 %7, 16384
  br i1 %cmp.i, label %if.end29, label %if.end.i

if.end.i:                                         ; preds = %if.then28
  %add.i = add nsw i32 %7, 1
  store i32 %add.i, ptr %arrayidx2.i, align 4
  %room.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 12
  %8 = load i32, ptr %room.i, align 4
  %cmp7.not.i = icmp slt i32 %7, %8
  %.pre.i = load ptr, ptr %arrayidx.i, align 8
  br i1 %cmp7.not.i, label %if.end17.i, label %if.then9.i

if.then9.i:                                       ; preds = %if.end.i
  %tobool.not.i = icmp eq i32 %8, 0
  %mul.i = shl nsw i32 %8, 1
  %spec.select.i = select i1 %tobool.not.i, i32 16, i32 %mul.i
  store i32 %spec.select.i, ptr %room.i, align 4
  %conv14.i = sext i32 %spec.select.i to i64
  %mul15.i = mul nsw i64 %conv14.i, 272
  %call.i = tail call ptr @realloc(ptr noundef %.pre.i, i64 noundef %mul15.i) #27
  store ptr %call.i, ptr %arrayidx.i, align 8
  br label %if.end17.i

if.end17.i:                                       ; preds = %if.then9.i, %if.end.i
  %9 = phi ptr [ %call.i, %if.then9.i ], [ %.pre.i, %if.end.i ]
  %idxprom19.i = sext i32 %7 to i64
  %arrayidx20.i = getelementptr inbounds %struct.Instance, ptr %9, i64 %idxprom19.i
  %count.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 8
  %10 = load i32, ptr %count.i, align 8
  %cmp21.not.i = icmp slt i32 %7, %10
  br i1 %cmp21.not.i, label %if.end17.if.end26_crit_edge.i, label %if.then23.i

if.end17.if.end26_crit_edge.i:                    ; preds = %if.end17.i
  %lanes27.phi.trans.insert.i = getelementptr inbounds nuw i8, ptr %arrayidx20.i, i64 256
  %.pre58.i = load i32, ptr %lanes27.phi.trans.insert.i, align 8
  br label %if.end26.i

if.then23.i:                                      ; preds = %if.end17.i
  store i32 %add.i, ptr %count.i, align 8
  br label %if.end26.i

if.end26.i:                                       ; preds = %if.then23.i, %if.end17.if.end26_crit_edge.i
  %11 = phi i32 [ %.pre58.i, %if.end17.if.end26_crit_edge.i ], [ 0, %if.then23.i ]
  %shl.i = shl nuw i32 1, %rem.i
  %lanes27.i = getelementptr inbounds nuw i8, ptr %arrayidx20.i, i64 256
  %or.i = or i32 %11, %shl.i
  store i32 %or.i, ptr %lanes27.i, align 8
  %arrayidx30.i = getelementptr inbounds nuw i64, ptr %arrayidx20.i, i64 %idxprom1.i
  store i64 %sub, ptr %arrayidx30.i, align 8
  %conv31.i = trunc i64 %bytes to i32
  %bytes32.i = getelementptr inbounds nuw i8, ptr %arrayidx20.i, i64 260
  store i32 %conv31.i, ptr %bytes32.i, align 4
  %scope33.i = getelementptr inbounds nuw i8, ptr %arrayidx20.i, i64 264
  store i32 %4, ptr %scope33.i, align 8
  br label %if.end29

if.end29:                                         ; preds = %if.end26.i, %if.then28, %if.end25
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %access, ptr noundef nonnull align 4 dereferenceable(16) @now, i64 16, i1 false)
  %conv30 = trunc i32 %site to i16
  %site31 = getelementptr inbounds nuw i8, ptr %access, i64 12
  store i16 %conv30, ptr %site31, align 4
  %is_atomic34 = getelementptr inbounds nuw i8, ptr %access, i64 14
  %bf.load = load i16, ptr %is_atomic34, align 2
  %12 = trunc i32 %flags to i16
  %and8.tr = shl i16 %12, 11
  %bf.clear = and i16 %bf.load, 8191
  %13 = load ptr, ptr @watched, align 8
  %tobool35.not = icmp eq ptr %13, null
  br i1 %tobool35.not, label %if.end45, label %if.then36

if.then36:                                        ; preds = %if.end29
  %clocks = getelementptr inbounds nuw i8, ptr %13, i64 2768
  %14 = load ptr, ptr %clocks, align 8
  %bf.load37 = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear38 = and i16 %bf.load37, 8191
  %conv39 = zext nneg i16 %bf.clear38 to i64
  %count.i222 = getelementptr inbounds nuw i8, ptr %13, i64 8
  %15 = load i64, ptr %count.i222, align 8
  %mul.i223 = shl nsw i64 %15, 1
  %add.i224 = or disjoint i64 %mul.i223, 1
  %mul = mul nsw i64 %add.i224, %conv39
  %16 = getelementptr i32, ptr %14, i64 %mul
  %arrayidx44 = getelementptr i32, ptr %16, i64 %conv39
  %17 = load i32, ptr %arrayidx44, align 4
  %clock = getelementptr inbounds nuw i8, ptr %access, i64 8
  store i32 %17, ptr %clock, align 4
  br label %if.end45

if.end45:                                         ; preds = %if.then36, %if.end29
  %18 = and i16 %and8.tr, 24576
  %bf.set54 = or disjoint i16 %bf.clear, %18
  %and26.tr = trunc nuw nsw i32 %and26 to i16
  %tr.sh.diff220 = shl nuw i16 %and26.tr, 11
  %bf.set63 = or disjoint i16 %bf.set54, %tr.sh.diff220
  store i16 %bf.set63, ptr %is_atomic34, align 2
  %19 = and i32 %flags, 36
  %or.cond221 = icmp eq i32 %19, 4
  br i1 %or.cond221, label %for.cond.preheader, label %if.end75

for.cond.preheader:                               ; preds = %if.end45
  %granule71 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %updates.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 40
  %group.i.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 28
  %cells.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  %scope.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %sext = shl i32 %site, 16
  %conv.i = ashr exact i32 %sext, 16
  br label %for.cond

for.cond:                                         ; preds = %for.cond.preheader, %note_update.exit
  %at.0 = phi i64 [ %add74, %note_update.exit ], [ %sub, %for.cond.preheader ]
  %cmp69 = icmp slt i64 %at.0, %add
  br i1 %cmp69, label %for.body, label %return

for.body:                                         ; preds = %for.cond
  %20 = load i64, ptr %granule71, align 16
  %div72 = sdiv i64 %at.0, %20
  %21 = load ptr, ptr %updates.i, align 8
  %tobool.not.i225 = icmp eq ptr %21, null
  br i1 %tobool.not.i225, label %if.then.i, label %if.end.i226

if.then.i:                                        ; preds = %for.body
  %22 = load i32, ptr %group.i.i, align 4
  %23 = load i64, ptr %arrayidx, align 16
  %24 = load i32, ptr @buffer_count, align 4
  %smax.i.i = tail call i32 @llvm.smax.i32(i32 %24, i32 0)
  %wide.trip.count.i.i = zext nneg i32 %smax.i.i to i64
  br label %for.cond.i.i

for.cond.i.i:                                     ; preds = %for.inc.i.i, %if.then.i
  %indvars.iv.i.i = phi i64 [ %indvars.iv.next.i.i, %for.inc.i.i ], [ 0, %if.then.i ]
  %end.0.i.i = phi i64 [ %end.1.i.i, %for.inc.i.i ], [ %23, %if.then.i ]
  %begin.0.i.i = phi i64 [ %begin.2.i.i, %for.inc.i.i ], [ %23, %if.then.i ]
  %exitcond.not.i.i = icmp eq i64 %indvars.iv.i.i, %wide.trip.count.i.i
  br i1 %exitcond.not.i.i, label %for.end.i.i, label %for.body.i.i

for.body.i.i:                                     ; preds = %for.cond.i.i
  %arrayidx2.i.i = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %indvars.iv.i.i
  %cells.i.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i.i, i64 32
  %25 = load ptr, ptr %cells.i.i, align 16
  %tobool.not.i.i = icmp eq ptr %25, null
  br i1 %tobool.not.i.i, label %for.inc.i.i, label %lor.lhs.false.i.i

lor.lhs.false.i.i:                                ; preds = %for.body.i.i
  %group3.i.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i.i, i64 28
  %26 = load i32, ptr %group3.i.i, align 4
  %cmp5.not.i.i = icmp eq i32 %26, %22
  br i1 %cmp5.not.i.i, label %if.end.i.i, label %for.inc.i.i

if.end.i.i:                                       ; preds = %lor.lhs.false.i.i
  %27 = load i64, ptr %arrayidx2.i.i, align 16
  %spec.select.i.i = tail call i64 @llvm.umin.i64(i64 %27, i64 %begin.0.i.i)
  %bytes.i.i = getelementptr inbounds nuw i8, ptr %arrayidx2.i.i, i64 8
  %28 = load i64, ptr %bytes.i.i, align 8
  %add.i.i = add i64 %28, %27
  %spec.select83.i.i = tail call i64 @llvm.umax.i64(i64 %add.i.i, i64 %end.0.i.i)
  br label %for.inc.i.i

for.inc.i.i:                                      ; preds = %if.end.i.i, %lor.lhs.false.i.i, %for.body.i.i
  %end.1.i.i = phi i64 [ %end.0.i.i, %lor.lhs.false.i.i ], [ %end.0.i.i, %for.body.i.i ], [ %spec.select83.i.i, %if.end.i.i ]
  %begin.2.i.i = phi i64 [ %begin.0.i.i, %lor.lhs.false.i.i ], [ %begin.0.i.i, %for.body.i.i ], [ %spec.select.i.i, %if.end.i.i ]
  %indvars.iv.next.i.i = add nuw nsw i64 %indvars.iv.i.i, 1
  br label %for.cond.i.i

for.end.i.i:                                      ; preds = %for.cond.i.i
  %idxprom.i.i = sext i32 %22 to i64
  %arrayidx.i.i = getelementptr inbounds %struct.Buffer, ptr @buffers, i64 %idxprom.i.i
  %sub.i.i = sub i64 %end.0.i.i, %begin.0.i.i
  %div.i.i = sdiv i64 %sub.i.i, %20
  %29 = mul i64 %div.i.i, 40
  %mul.i.i = add i64 %29, 40
  %call.i.i = tail call ptr @malloc(i64 noundef %mul.i.i) #27
  %own_updates.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 56
  store ptr %call.i.i, ptr %own_updates.i.i, align 8
  br label %for.cond20.i.i

for.cond20.i.i:                                   ; preds = %for.body22.i.i, %for.end.i.i
  %i19.0.i.i = phi i64 [ 0, %for.end.i.i ], [ %inc27.i.i, %for.body22.i.i ]
  %cmp21.not.i.i = icmp sgt i64 %i19.0.i.i, %div.i.i
  br i1 %cmp21.not.i.i, label %for.cond30.preheader.i.i, label %for.body22.i.i

for.cond30.preheader.i.i:                         ; preds = %for.cond20.i.i
  %30 = load i32, ptr @buffer_count, align 4
  %smax88.i.i = tail call i32 @llvm.smax.i32(i32 %30, i32 0)
  %wide.trip.count89.i.i = zext nneg i32 %smax88.i.i to i64
  br label %for.cond30.i.i

for.body22.i.i:                                   ; preds = %for.cond20.i.i
  %31 = load ptr, ptr %own_updates.i.i, align 8
  %arrayidx24.i.i = getelementptr inbounds nuw %struct.Updates, ptr %31, i64 %i19.0.i.i
  %site.i.i = getelementptr inbounds nuw i8, ptr %arrayidx24.i.i, i64 28
  store i16 -1, ptr %site.i.i, align 4
  %site25.i.i = getelementptr inbounds nuw i8, ptr %arrayidx24.i.i, i64 12
  store i16 -1, ptr %site25.i.i, align 4
  %block.i.i = getelementptr inbounds nuw i8, ptr %arrayidx24.i.i, i64 36
  store i32 -1, ptr %block.i.i, align 4
  %inc27.i.i = add nuw nsw i64 %i19.0.i.i, 1
  br label %for.cond20.i.i

for.cond30.i.i:                                   ; preds = %for.inc50.i.i, %for.cond30.preheader.i.i
  %indvars.iv85.i.i = phi i64 [ 0, %for.cond30.preheader.i.i ], [ %indvars.iv.next86.i.i, %for.inc50.i.i ]
  %exitcond90.not.i.i = icmp eq i64 %indvars.iv85.i.i, %wide.trip.count89.i.i
  br i1 %exitcond90.not.i.i, label %if.end.i226, label %for.body32.i.i

for.body32.i.i:                                   ; preds = %for.cond30.i.i
  %arrayidx35.i.i = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %indvars.iv85.i.i
  %cells36.i.i = getelementptr inbounds nuw i8, ptr %arrayidx35.i.i, i64 32
  %32 = load ptr, ptr %cells36.i.i, align 16
  %tobool37.not.i.i = icmp eq ptr %32, null
  br i1 %tobool37.not.i.i, label %for.inc50.i.i, label %lor.lhs.false38.i.i

lor.lhs.false38.i.i:                              ; preds = %for.body32.i.i
  %group39.i.i = getelementptr inbounds nuw i8, ptr %arrayidx35.i.i, i64 28
  %33 = load i32, ptr %group39.i.i, align 4
  %34 = load i32, ptr %group.i.i, align 4
  %cmp41.not.i.i = icmp eq i32 %33, %34
  br i1 %cmp41.not.i.i, label %if.end43.i.i, label %for.inc50.i.i

if.end43.i.i:                                     ; preds = %lor.lhs.false38.i.i
  %35 = load ptr, ptr %own_updates.i.i, align 8
  %36 = load i64, ptr %arrayidx35.i.i, align 16
  %sub46.i.i = sub i64 %36, %begin.0.i.i
  %37 = load i64, ptr %granule71, align 16
  %div48.i.i = sdiv i64 %sub46.i.i, %37
  %add.ptr.i.i = getelementptr inbounds %struct.Updates, ptr %35, i64 %div48.i.i
  %updates49.i.i = getelementptr inbounds nuw i8, ptr %arrayidx35.i.i, i64 40
  store ptr %add.ptr.i.i, ptr %updates49.i.i, align 8
  br label %for.inc50.i.i

for.inc50.i.i:                                    ; preds = %if.end43.i.i, %lor.lhs.false38.i.i, %for.body32.i.i
  %indvars.iv.next86.i.i = add nuw nsw i64 %indvars.iv85.i.i, 1
  br label %for.cond30.i.i

if.end.i226:                                      ; preds = %for.cond30.i.i, %for.body
  %38 = load ptr, ptr %cells.i, align 16
  %arrayidx.i227 = getelementptr inbounds %struct.Cell, ptr %38, i64 %div72
  %39 = load i32, ptr %scope.i, align 8
  %cmp.i228 = icmp eq i32 %39, 1
  br i1 %cmp.i228, label %land.lhs.true.i, label %if.end3.i

land.lhs.true.i:                                  ; preds = %if.end.i226
  %call.i230 = tail call fastcc i32 @is_written(ptr noundef nonnull readonly %arrayidx, i64 noundef %div72) #28
  %tobool1.not.i = icmp eq i32 %call.i230, 0
  br i1 %tobool1.not.i, label %if.then2.i, label %if.end3.i

if.then2.i:                                       ; preds = %land.lhs.true.i
  tail call fastcc void @report(i32 noundef 4, i32 noundef %conv.i, ptr noundef null, i64 noundef %div72) #28
  br label %if.end3.i

if.end3.i:                                        ; preds = %if.then2.i, %land.lhs.true.i, %if.end.i226
  %call4.i = tail call fastcc i32 @is_concurrent(ptr noundef %arrayidx.i227, i32 noundef 1) #28
  %tobool5.not.i = icmp eq i32 %call4.i, 0
  %tobool7.not41.i = icmp eq ptr %38, null
  %tobool7.not.i = select i1 %tobool5.not.i, i1 true, i1 %tobool7.not41.i
  br i1 %tobool7.not.i, label %if.end10.i, label %if.then12.i

if.end10.i:                                       ; preds = %if.end3.i
  %reader.i = getelementptr inbounds nuw i8, ptr %arrayidx.i227, i64 16
  %reader_2.i = getelementptr inbounds nuw i8, ptr %arrayidx.i227, i64 32
  %readers.i = getelementptr inbounds nuw i8, ptr %arrayidx.i227, i64 48
  %call9.i = tail call fastcc ptr @concurrent_of(ptr noundef nonnull %reader.i, ptr noundef nonnull %reader_2.i, ptr noundef nonnull %readers.i, i32 noundef 1) #28
  %tobool11.not.i = icmp eq ptr %call9.i, null
  br i1 %tobool11.not.i, label %note_update.exit, label %if.then12.i

if.then12.i:                                      ; preds = %if.end10.i, %if.end3.i
  %earlier.040.i = phi ptr [ %call9.i, %if.end10.i ], [ %arrayidx.i227, %if.end3.i ]
  tail call fastcc void @report(i32 noundef 0, i32 noundef %conv.i, ptr noundef nonnull %earlier.040.i, i64 noundef %div72) #28
  br label %note_update.exit

note_update.exit:                                 ; preds = %if.end10.i, %if.then12.i
  %40 = load ptr, ptr %updates.i, align 8
  %arrayidx18.i = getelementptr inbounds %struct.Updates, ptr %40, i64 %div72
  %last_2.i = getelementptr inbounds nuw i8, ptr %arrayidx18.i, i64 16
  %all.i = getelementptr inbounds nuw i8, ptr %arrayidx18.i, i64 32
  call fastcc void @note_last(ptr noundef %arrayidx18.i, ptr noundef nonnull %last_2.i, ptr noundef nonnull %all.i, ptr noundef nonnull readonly %access) #28
  %41 = load i64, ptr %granule71, align 16
  %add74 = add nsw i64 %41, %at.0
  br label %for.cond

if.end75:                                         ; preds = %if.end45
  br i1 %cmp6.not, label %if.end83, label %if.then77

if.then77:                                        ; preds = %if.end75
  store ptr %arrayidx, ptr @pending, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) getelementptr inbounds nuw (i8, ptr @pending, i64 8), ptr noundef nonnull align 4 dereferenceable(16) %access, i64 16, i1 false)
  store i64 %sub, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 24), align 8
  store i64 %bytes, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 32), align 8
  store i32 0, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 40), align 8
  %cmp78 = icmp slt i64 %bytes, 257
  br i1 %cmp78, label %if.then80, label %return

if.then80:                                        ; preds = %if.then77
  %42 = inttoptr i64 %address to ptr
  %call81 = tail call ptr @memcpy(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @pending, i64 44), ptr noundef %42, i64 noundef %bytes) #27
  br label %return

if.end83:                                         ; preds = %if.end75
  %granule85 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %43 = load i64, ptr %granule85, align 16
  %add86 = add i64 %add, -1
  %sub87 = add i64 %add86, %43
  %div89 = sdiv i64 %sub87, %43
  %div91 = sdiv i64 %sub, %43
  %cells = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  %updates = getelementptr inbounds nuw i8, ptr %arrayidx, i64 40
  %scope135 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  br label %for.cond92

for.cond92:                                       ; preds = %if.end142, %if.end83
  %i.0 = phi i64 [ %div91, %if.end83 ], [ %inc, %if.end142 ]
  %cmp93 = icmp slt i64 %i.0, %div89
  br i1 %cmp93, label %for.body95, label %return

for.body95:                                       ; preds = %for.cond92
  %44 = load ptr, ptr %cells, align 16
  %arrayidx96 = getelementptr inbounds %struct.Cell, ptr %44, i64 %i.0
  %call97 = tail call fastcc ptr @concurrent_update(ptr noundef nonnull %arrayidx, i64 noundef %i.0) #28
  %call98 = tail call fastcc i32 @is_concurrent(ptr noundef %arrayidx96, i32 noundef 0) #28
  %tobool99.not = icmp eq i32 %call98, 0
  br i1 %tobool99.not, label %if.else, label %if.then100

if.then100:                                       ; preds = %for.body95
  tail call fastcc void @report(i32 noundef 0, i32 noundef %site, ptr noundef %arrayidx96, i64 noundef %i.0) #28
  br label %if.end131

if.else:                                          ; preds = %for.body95
  br i1 %tobool27.not, label %if.end131, label %land.lhs.true106

land.lhs.true106:                                 ; preds = %if.else
  %call108 = tail call fastcc i32 @lacks_fence(ptr noundef %arrayidx96) #28
  %tobool109.not = icmp eq i32 %call108, 0
  br i1 %tobool109.not, label %land.lhs.true118, label %if.then110

if.then110:                                       ; preds = %land.lhs.true106
  tail call fastcc void @report(i32 noundef 7, i32 noundef %site, ptr noundef %arrayidx96, i64 noundef %i.0) #28
  br label %if.end131

land.lhs.true118:                                 ; preds = %land.lhs.true106
  %45 = load ptr, ptr %updates, align 8
  %tobool119.not = icmp eq ptr %45, null
  br i1 %tobool119.not, label %if.end131, label %land.lhs.true120

land.lhs.true120:                                 ; preds = %land.lhs.true118
  %arrayidx122 = getelementptr inbounds %struct.Updates, ptr %45, i64 %i.0
  %call123 = tail call fastcc i32 @lacks_fence(ptr noundef nonnull %arrayidx122) #28
  %tobool124.not = icmp eq i32 %call123, 0
  br i1 %tobool124.not, label %if.end131, label %if.then125

if.then125:                                       ; preds = %land.lhs.true120
  tail call fastcc void @report(i32 noundef 7, i32 noundef %site, ptr noundef nonnull %arrayidx122, i64 noundef %i.0) #28
  br label %if.end131

if.end131:                                        ; preds = %if.else, %if.then110, %if.then125, %land.lhs.true120, %land.lhs.true118, %if.then100
  %tobool132.not = icmp eq ptr %call97, null
  br i1 %tobool132.not, label %if.end134, label %if.then133

if.then133:                                       ; preds = %if.end131
  tail call fastcc void @report(i32 noundef 0, i32 noundef %site, ptr noundef nonnull %call97, i64 noundef %i.0) #28
  br label %if.end134

if.end134:                                        ; preds = %if.then133, %if.end131
  %46 = load i32, ptr %scope135, align 8
  %cmp136 = icmp eq i32 %46, 1
  br i1 %cmp136, label %land.lhs.true138, label %if.end142

land.lhs.true138:                                 ; preds = %if.end134
  %call139 = tail call fastcc i32 @is_written(ptr noundef nonnull %arrayidx, i64 noundef %i.0) #28
  %tobool140.not = icmp eq i32 %call139, 0
  br i1 %tobool140.not, label %if.then141, label %if.end142

if.then141:                                       ; preds = %land.lhs.true138
  tail call fastcc void @report(i32 noundef 4, i32 noundef %site, ptr noundef null, i64 noundef %i.0) #28
  br label %if.end142

if.end142:                                        ; preds = %if.then141, %land.lhs.true138, %if.end134
  %reader = getelementptr inbounds nuw i8, ptr %arrayidx96, i64 16
  %reader_2 = getelementptr inbounds nuw i8, ptr %arrayidx96, i64 32
  %readers = getelementptr inbounds nuw i8, ptr %arrayidx96, i64 48
  call fastcc void @note_last(ptr noundef nonnull %reader, ptr noundef nonnull %reader_2, ptr noundef nonnull %readers, ptr noundef %access) #28
  %inc = add nsw i64 %i.0, 1
  br label %for.cond92

return:                                           ; preds = %for.cond92, %for.cond, %if.then77, %if.then80, %if.then22, %if.then19, %if.end
  %retval.0 = phi i32 [ %and.lobit, %if.end ], [ 0, %if.then19 ], [ 1, %if.then22 ], [ 1, %for.cond ], [ 1, %if.then77 ], [ 1, %if.then80 ], [ 1, %for.cond92 ]
  ret i32 %retval.0
}

define range(i32 -32768, 32768) i32 @kc_emu_writer(i64 noundef %address, ptr noundef writeonly captures(none) %block, ptr noundef writeonly captures(none) %thread) local_unnamed_addr #12 {
entry:
  %writer = alloca %struct.Access, align 4
  %call = tail call fastcc i32 @find_buffer(i64 noundef %address) #28
  %cmp = icmp slt i32 %call, 0
  br i1 %cmp, label %return, label %if.end

if.end:                                           ; preds = %entry
  %idxprom = zext nneg i32 %call to i64
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %idxprom
  %0 = load i64, ptr %arrayidx, align 16
  %sub = sub i64 %address, %0
  %granule = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %1 = load i64, ptr %granule, align 16
  %div = sdiv i64 %sub, %1
  %cells = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  %2 = load ptr, ptr %cells, align 16
  %arrayidx1 = getelementptr inbounds %struct.Cell, ptr %2, i64 %div
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %writer, ptr noundef nonnull align 4 dereferenceable(16) %arrayidx1, i64 16, i1 false)
  %updates = getelementptr inbounds nuw i8, ptr %arrayidx, i64 40
  %3 = load ptr, ptr %updates, align 8
  %tobool.not = icmp eq ptr %3, null
  br i1 %tobool.not, label %if.end24, label %land.lhs.true

land.lhs.true:                                    ; preds = %if.end
  %arrayidx4 = getelementptr inbounds %struct.Updates, ptr %3, i64 %div
  %site.i = getelementptr inbounds nuw i8, ptr %arrayidx4, i64 12
  %4 = load i16, ptr %site.i, align 4
  %cmp.i = icmp slt i16 %4, 0
  br i1 %cmp.i, label %if.end24, label %if.then7

if.then7:                                         ; preds = %land.lhs.true
  %update.sroa.0.0.copyload = load i32, ptr %arrayidx4, align 4
  %update.sroa.4.0.last10.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx4, i64 4
  %update.sroa.4.0.copyload = load i32, ptr %update.sroa.4.0.last10.sroa_idx, align 4
  %update.sroa.5.0.last10.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx4, i64 8
  %5 = load i64, ptr %update.sroa.5.0.last10.sroa_idx, align 4
  %6 = load i32, ptr %writer, align 4
  %cmp13 = icmp slt i32 %6, %update.sroa.0.0.copyload
  br i1 %cmp13, label %if.then22, label %lor.end

lor.end:                                          ; preds = %if.then7
  %cmp16 = icmp eq i32 %6, %update.sroa.0.0.copyload
  %epoch = getelementptr inbounds nuw i8, ptr %writer, i64 4
  %7 = load i32, ptr %epoch, align 4
  %cmp18 = icmp sle i32 %7, %update.sroa.4.0.copyload
  %8 = select i1 %cmp16, i1 %cmp18, i1 false
  %site.i41 = getelementptr inbounds nuw i8, ptr %writer, i64 12
  %9 = load i16, ptr %site.i41, align 4
  %cmp.i42 = icmp slt i16 %9, 0
  %or.cond = select i1 %cmp.i42, i1 true, i1 %8
  br i1 %or.cond, label %if.then22, label %if.end24

if.then22:                                        ; preds = %if.then7, %lor.end
  store i32 %update.sroa.0.0.copyload, ptr %writer, align 4
  %update.sroa.4.0.writer.sroa_idx = getelementptr inbounds nuw i8, ptr %writer, i64 4
  store i32 %update.sroa.4.0.copyload, ptr %update.sroa.4.0.writer.sroa_idx, align 4
  %update.sroa.5.0.writer.sroa_idx = getelementptr inbounds nuw i8, ptr %writer, i64 8
  store i64 %5, ptr %update.sroa.5.0.writer.sroa_idx, align 4
  br label %if.end24

if.end24:                                         ; preds = %if.then22, %lor.end, %land.lhs.true, %if.end
  %call25 = call fastcc i64 @block_of(ptr noundef nonnull %writer) #28
  store i64 %call25, ptr %block, align 8
  %10 = load i64, ptr @threads_each, align 8
  %tobool.not.i = icmp eq i64 %10, 0
  %thread1.i = getelementptr inbounds nuw i8, ptr %writer, i64 14
  %bf.load2.i = load i16, ptr %thread1.i, align 2
  %bf.clear3.i = and i16 %bf.load2.i, 8191
  %conv4.i = zext nneg i16 %bf.clear3.i to i64
  br i1 %tobool.not.i, label %thread_of.exit, label %cond.true.i

cond.true.i:                                      ; preds = %if.end24
  %rem.i = srem i64 %conv4.i, %10
  br label %thread_of.exit

thread_of.exit:                                   ; preds = %if.end24, %cond.true.i
  %cond.i = phi i64 [ %rem.i, %cond.true.i ], [ %conv4.i, %if.end24 ]
  store i64 %cond.i, ptr %thread, align 8
  %site = getelementptr inbounds nuw i8, ptr %writer, i64 12
  %11 = load i16, ptr %site, align 4
  %conv27 = sext i16 %11 to i32
  br label %return

return:                                           ; preds = %entry, %thread_of.exit
  %retval.0 = phi i32 [ %conv27, %thread_of.exit ], [ -1, %entry ]
  ret i32 %retval.0
}

define internal fastcc i64 @block_of(ptr noundef readonly captures(none) %access) unnamed_addr #18 {
entry:
  %0 = load i32, ptr %access, align 4
  %1 = load i64, ptr @threads_each, align 8
  %tobool.not = icmp eq i64 %1, 0
  br i1 %tobool.not, label %cond.end, label %cond.true

cond.true:                                        ; preds = %entry
  %thread = getelementptr inbounds nuw i8, ptr %access, i64 14
  %bf.load = load i16, ptr %thread, align 2
  %bf.clear = and i16 %bf.load, 8191
  %conv1 = zext nneg i16 %bf.clear to i64
  %div = sdiv i64 %conv1, %1
  %arrayidx = getelementptr inbounds i64, ptr @numbers_behind, i64 %div
  %2 = load i64, ptr %arrayidx, align 8
  br label %cond.end

cond.end:                                         ; preds = %entry, %cond.true
  %cond = phi i64 [ %2, %cond.true ], [ 0, %entry ]
  %conv = sext i32 %0 to i64
  %add = add nsw i64 %cond, %conv
  ret i64 %add
}

define i64 @kc_emu_mbarrier(ptr noundef captures(address_is_null) %block, i64 noundef %thread, i32 noundef %what, i64 noundef %address, i32 noundef %count, i32 noundef %site) local_unnamed_addr #0 {
entry:
  %conv = sext i32 %count to i64
  %call = tail call fastcc i64 @change(ptr noundef %block, i64 noundef %thread, i32 noundef %what, i64 noundef %address, i64 noundef %conv, i32 noundef %site) #28
  ret i64 %call
}

define internal fastcc i64 @change(ptr noundef captures(address_is_null) %block, i64 noundef %thread, i32 noundef %what, i64 noundef %address, i64 noundef range(i64 -2147483648, 2147483648) %count, i32 noundef %site) unnamed_addr #0 {
entry:
  %0 = inttoptr i64 %address to ptr
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %1 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %1, null
  br i1 %tobool.not, label %if.end, label %land.lhs.true

land.lhs.true:                                    ; preds = %entry
  %ranks.i = getelementptr inbounds nuw i8, ptr %block, i64 2680
  %2 = load i32, ptr %ranks.i, align 8
  %.fr.i = freeze i32 %2
  %cmp2.i = icmp sgt i32 %.fr.i, 1
  %shared.i = getelementptr inbounds nuw i8, ptr %block, i64 2688
  br i1 %cmp2.i, label %for.cond.preheader.i, label %if.end

for.cond.preheader.i:                             ; preds = %land.lhs.true
  %shared_bytes.i = getelementptr inbounds nuw i8, ptr %block, i64 2752
  %wide.trip.count.i = zext nneg i32 %.fr.i to i64
  %3 = load i64, ptr %shared_bytes.i, align 8
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.body.i, %for.cond.preheader.i
  %indvars.iv.i = phi i64 [ 0, %for.cond.preheader.i ], [ %indvars.iv.next.i, %for.body.i ]
  %exitcond.not.i = icmp eq i64 %indvars.iv.i, %wide.trip.count.i
  br i1 %exitcond.not.i, label %if.end, label %for.body.i

for.body.i:                                       ; preds = %for.cond.i
  %arrayidx.i = getelementptr inbounds nuw i64, ptr %shared.i, i64 %indvars.iv.i
  %4 = load i64, ptr %arrayidx.i, align 8
  %sub.i = sub i64 %address, %4
  %cmp3.not.i = icmp ult i64 %sub.i, %3
  %indvars.iv.next.i = add nuw nsw i64 %indvars.iv.i, 1
  br i1 %cmp3.not.i, label %if.end.i, label %for.cond.i

if.end.i:                                         ; preds = %for.body.i
  %each.i = getelementptr inbounds nuw i8, ptr %block, i64 2672
  %5 = load i64, ptr %each.i, align 8
  %mul.i = mul nsw i64 %5, %indvars.iv.i
  %add.i = add nsw i64 %mul.i, %5
  br label %for.cond5.i

for.cond5.i:                                      ; preds = %for.body8.i, %if.end.i
  %i.0.i = phi i64 [ %mul.i, %if.end.i ], [ %inc.i, %for.body8.i ]
  %cmp6.i = icmp slt i64 %i.0.i, %add.i
  br i1 %cmp6.i, label %for.body8.i, label %if.then

for.body8.i:                                      ; preds = %for.cond5.i
  %6 = load ptr, ptr %block, align 8
  %arrayidx9.i = getelementptr inbounds i32, ptr %6, i64 %i.0.i
  %7 = load i32, ptr %arrayidx9.i, align 4
  %cmp10.not.i = icmp eq i32 %7, -1
  %inc.i = add nsw i64 %i.0.i, 1
  br i1 %cmp10.not.i, label %for.cond5.i, label %if.end

if.then:                                          ; preds = %for.cond5.i
  tail call fastcc void @report(i32 noundef 8, i32 noundef %site, ptr noundef null, i64 noundef -1) #28
  br label %if.end

if.end:                                           ; preds = %for.cond.i, %for.body8.i, %land.lhs.true, %if.then, %entry
  %cmp = icmp eq i32 %what, 0
  %conv = zext i1 %cmp to i32
  %call2 = tail call fastcc i32 @is_mbarrier(ptr noundef %block, i64 noundef %address, i32 noundef %site, i32 noundef %conv) #28
  %tobool3.not = icmp eq i32 %call2, 0
  br i1 %tobool3.not, label %return, label %if.end5

if.end5:                                          ; preds = %if.end
  %8 = load i64, ptr %0, align 8
  %and = and i64 %8, 1048575
  %shr = lshr i64 %8, 20
  %and6 = and i64 %shr, 1048575
  %shl = shl i64 %8, 2
  %shr7 = ashr i64 %shl, 42
  %shr8 = lshr i64 %8, 62
  %and9 = and i64 %shr8, 1
  %or.cond = icmp ult i32 %what, 2
  br i1 %or.cond, label %if.then14, label %if.end24

if.then14:                                        ; preds = %if.end5
  %cmp12 = icmp eq i32 %what, 1
  %and.i = and i64 %count, 1048575
  %and1.i = shl nsw i64 %count, 20
  %shl.i = and i64 %and1.i, 1099510579200
  %or.i = or disjoint i64 %shl.i, %and.i
  store i64 %or.i, ptr %0, align 8
  br i1 %cmp12, label %land.lhs.true18, label %return

land.lhs.true18:                                  ; preds = %if.then14
  %9 = load ptr, ptr %clocks, align 8
  %tobool20.not = icmp eq ptr %9, null
  br i1 %tobool20.not, label %return, label %if.then21

if.then21:                                        ; preds = %land.lhs.true18
  %call22 = tail call fastcc ptr @order_of(ptr noundef nonnull %block, i32 noundef 0, i64 noundef %address) #28
  %is_made = getelementptr inbounds nuw i8, ptr %call22, i64 8
  store i32 0, ptr %is_made, align 8
  br label %return

if.end24:                                         ; preds = %if.end5
  %call25 = tail call fastcc ptr @order_of(ptr noundef %block, i32 noundef 0, i64 noundef %address) #28
  %10 = icmp ult i32 %what, 4
  br i1 %10, label %if.then31, label %if.else

if.then31:                                        ; preds = %if.end24
  %cmp29 = icmp eq i32 %what, 3
  tail call fastcc void @tell(ptr noundef %block, ptr noundef %call25, i64 noundef %thread) #28
  %sub = sub nsw i64 %and, %count
  %sub35 = select i1 %cmp29, i64 %count, i64 0
  %spec.select = sub nsw i64 %and6, %sub35
  br label %if.end40

if.else:                                          ; preds = %if.end24
  %fruitless = getelementptr inbounds nuw i8, ptr %block, i64 2760
  store i32 0, ptr %fruitless, align 8
  %cmp37 = icmp eq i32 %what, 4
  %sub39 = sub nsw i64 0, %count
  %cond = select i1 %cmp37, i64 %count, i64 %sub39
  %add = add nsw i64 %shr7, %cond
  br label %if.end40

if.end40:                                         ; preds = %if.then31, %if.else
  %pending.0 = phi i64 [ %and, %if.else ], [ %sub, %if.then31 ]
  %expected.0 = phi i64 [ %and6, %if.else ], [ %spec.select, %if.then31 ]
  %bytes.0 = phi i64 [ %add, %if.else ], [ %shr7, %if.then31 ]
  %cmp41 = icmp slt i64 %pending.0, 1
  %cmp44 = icmp eq i64 %bytes.0, 0
  %or.cond53 = select i1 %cmp41, i1 %cmp44, i1 false
  %cmp47 = icmp ne i32 %what, 4
  %or.cond54 = and i1 %cmp47, %or.cond53
  br i1 %or.cond54, label %if.then49, label %if.end50

if.then49:                                        ; preds = %if.end40
  %xor = xor i64 %and9, 1
  tail call fastcc void @complete(ptr noundef %block, ptr noundef %call25) #28
  br label %if.end50

if.end50:                                         ; preds = %if.then49, %if.end40
  %pending.1 = phi i64 [ %expected.0, %if.then49 ], [ %pending.0, %if.end40 ]
  %phase.0 = phi i64 [ %xor, %if.then49 ], [ %and9, %if.end40 ]
  %and.i95 = and i64 %pending.1, 1048575
  %and1.i96 = shl nsw i64 %expected.0, 20
  %shl.i97 = and i64 %and1.i96, 1099510579200
  %and2.i = shl i64 %bytes.0, 40
  %shl3.i = and i64 %and2.i, 2305841909702066176
  %shl5.i = shl nuw nsw i64 %phase.0, 62
  %or.i98 = or disjoint i64 %shl3.i, %shl.i97
  %or4.i = or disjoint i64 %or.i98, %and.i95
  %or6.i = or disjoint i64 %or4.i, %shl5.i
  store i64 %or6.i, ptr %0, align 8
  br label %return

return:                                           ; preds = %if.then14, %land.lhs.true18, %if.then21, %if.end, %if.end50
  %retval.0 = phi i64 [ 0, %if.end ], [ %8, %if.end50 ], [ 0, %if.then21 ], [ 0, %land.lhs.true18 ], [ 0, %if.then14 ]
  ret i64 %retval.0
}

define void @kc_emu_phase(ptr noundef captures(address_is_null) %block, i64 noundef %thread, i64 noundef %address, i64 noundef %state, i32 noundef %is_state, i32 noundef %tries, i32 noundef %site) local_unnamed_addr #0 {
entry:
  %tobool.not = icmp eq i32 %tries, 0
  %cond = select i1 %tobool.not, i32 2, i32 3
  %tobool2.not = icmp eq i32 %is_state, 0
  %shr = lshr i64 %state, 62
  %cond4.in = select i1 %tobool2.not, i64 %state, i64 %shr
  %0 = trunc i64 %cond4.in to i32
  %conv = and i32 %0, 1
  %call = tail call fastcc i32 @is_mbarrier(ptr noundef %block, i64 noundef %address, i32 noundef %site, i32 noundef 0) #28
  %tobool6.not = icmp eq i32 %call, 0
  br i1 %tobool6.not, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %waits = getelementptr inbounds nuw i8, ptr %block, i64 16
  %1 = load ptr, ptr %waits, align 8
  %arrayidx = getelementptr inbounds %struct.Wait, ptr %1, i64 %thread
  %is_done7 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  store i32 1, ptr %is_done7, align 8
  br label %return

if.end:                                           ; preds = %entry
  %2 = inttoptr i64 %address to ptr
  %3 = load i64, ptr %2, align 8
  %shr8 = lshr i64 %3, 62
  %4 = xor i64 %shr8, %cond4.in
  %5 = and i64 %4, 1
  %cmp = icmp eq i64 %5, 0
  br i1 %cmp, label %if.then13, label %if.end14

if.then13:                                        ; preds = %if.end
  %waits.i = getelementptr inbounds nuw i8, ptr %block, i64 16
  %6 = load ptr, ptr %waits.i, align 8
  %arrayidx.i = getelementptr inbounds %struct.Wait, ptr %6, i64 %thread
  store i32 %cond, ptr %arrayidx.i, align 8
  %wait32.sroa.4.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 4
  store i32 0, ptr %wait32.sroa.4.0.arrayidx.i.sroa_idx, align 4
  %wait32.sroa.5.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 8
  store i32 0, ptr %wait32.sroa.5.0.arrayidx.i.sroa_idx, align 8
  %wait32.sroa.6.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 12
  store i32 %conv, ptr %wait32.sroa.6.0.arrayidx.i.sroa_idx, align 4
  %wait32.sroa.7.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  store i32 0, ptr %wait32.sroa.7.0.arrayidx.i.sroa_idx, align 8
  %wait32.sroa.8.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 20
  store i32 0, ptr %wait32.sroa.8.0.arrayidx.i.sroa_idx, align 4
  %wait32.sroa.9.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 24
  store i64 %address, ptr %wait32.sroa.9.0.arrayidx.i.sroa_idx, align 8
  %shl.i = shl i32 %site, 2
  %or.i = or disjoint i32 %shl.i, 3
  %7 = load ptr, ptr %block, align 8
  %arrayidx1.i = getelementptr inbounds i32, ptr %7, i64 %thread
  store i32 %or.i, ptr %arrayidx1.i, align 4
  br label %return

if.end14:                                         ; preds = %if.end
  %call15 = tail call fastcc ptr @order_of(ptr noundef %block, i32 noundef 0, i64 noundef %address) #28
  tail call fastcc void @hear(ptr noundef %block, ptr noundef %call15, i64 noundef %thread) #28
  %waits16 = getelementptr inbounds nuw i8, ptr %block, i64 16
  %8 = load ptr, ptr %waits16, align 8
  %arrayidx17 = getelementptr inbounds %struct.Wait, ptr %8, i64 %thread
  %is_done18 = getelementptr inbounds nuw i8, ptr %arrayidx17, i64 8
  store i32 1, ptr %is_done18, align 8
  br label %return

return:                                           ; preds = %if.end14, %if.then13, %if.then
  ret void
}

define internal fastcc range(i32 0, 2) i32 @is_mbarrier(ptr noundef captures(none) %block, i64 noundef %address, i32 noundef %site, i32 noundef range(i32 0, 2) %is_made) unnamed_addr #0 {
entry:
  %maker24 = alloca %struct.Access, align 4
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %0 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %tobool1.not = icmp eq i32 %is_made, 0
  %cond = select i1 %tobool1.not, i32 37, i32 1
  %call = tail call i32 @kc_emu_pointer(i64 noundef %address, i64 noundef 8, i64 noundef 8, i32 noundef %site, i32 noundef %cond) #28
  %tobool2.not = icmp eq i32 %call, 0
  br i1 %tobool2.not, label %return, label %if.end4

if.end4:                                          ; preds = %if.end
  tail call fastcc void @settle_write() #28
  %call5 = tail call fastcc ptr @order_of(ptr noundef nonnull %block, i32 noundef 0, i64 noundef %address) #28
  br i1 %tobool1.not, label %if.end16, label %if.then7

if.then7:                                         ; preds = %if.end4
  %is_made8 = getelementptr inbounds nuw i8, ptr %call5, i64 8
  store i32 1, ptr %is_made8, align 8
  %is_fenced = getelementptr inbounds nuw i8, ptr %call5, i64 12
  store i32 0, ptr %is_fenced, align 4
  %bf.load = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear = and i16 %bf.load, 8191
  %conv = zext nneg i16 %bf.clear to i32
  %maker = getelementptr inbounds nuw i8, ptr %call5, i64 16
  store i32 %conv, ptr %maker, align 8
  %site9 = getelementptr inbounds nuw i8, ptr %call5, i64 20
  store i32 %site, ptr %site9, align 4
  %1 = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %epoch = getelementptr inbounds nuw i8, ptr %call5, i64 24
  store i32 %1, ptr %epoch, align 8
  %conv12 = zext nneg i16 %bf.clear to i64
  %2 = load ptr, ptr %clocks, align 8
  %count.i.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %3 = load i64, ptr %count.i.i, align 8
  %mul.i.i = shl nsw i64 %3, 1
  %add.i.i = or disjoint i64 %mul.i.i, 1
  %mul.i = mul nsw i64 %add.i.i, %conv12
  %add.ptr.i = getelementptr inbounds i32, ptr %2, i64 %mul.i
  %arrayidx = getelementptr inbounds nuw i32, ptr %add.ptr.i, i64 %conv12
  %4 = load i32, ptr %arrayidx, align 4
  %clock = getelementptr inbounds nuw i8, ptr %call5, i64 28
  store i32 %4, ptr %clock, align 4
  br label %return

if.end16:                                         ; preds = %if.end4
  %call17 = tail call fastcc i32 @find_buffer(i64 noundef %address) #28
  %idxprom18 = sext i32 %call17 to i64
  %arrayidx19 = getelementptr inbounds %struct.Buffer, ptr @buffers, i64 %idxprom18
  %5 = load i64, ptr %arrayidx19, align 16
  %sub = sub i64 %address, %5
  %granule = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 16
  %6 = load i64, ptr %granule, align 16
  %div = sdiv i64 %sub, %6
  %is_made20 = getelementptr inbounds nuw i8, ptr %call5, i64 8
  %7 = load i32, ptr %is_made20, align 8
  %tobool21.not = icmp eq i32 %7, 0
  br i1 %tobool21.not, label %if.then22, label %if.end23

if.then22:                                        ; preds = %if.end16
  tail call fastcc void @report(i32 noundef 4, i32 noundef %site, ptr noundef null, i64 noundef %div) #28
  br label %return

if.end23:                                         ; preds = %if.end16
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %maker24, ptr noundef nonnull align 4 dereferenceable(16) @now, i64 16, i1 false)
  %maker25 = getelementptr inbounds nuw i8, ptr %call5, i64 16
  %8 = load i32, ptr %maker25, align 8
  %9 = trunc i32 %8 to i16
  %conv28 = and i16 %9, 8191
  %thread = getelementptr inbounds nuw i8, ptr %maker24, i64 14
  %bf.load29 = load i16, ptr %thread, align 2
  %bf.clear30 = and i16 %bf.load29, -32768
  %bf.set = or disjoint i16 %bf.clear30, %conv28
  %site31 = getelementptr inbounds nuw i8, ptr %call5, i64 20
  %10 = load i32, ptr %site31, align 4
  %conv32 = trunc i32 %10 to i16
  %site33 = getelementptr inbounds nuw i8, ptr %maker24, i64 12
  store i16 %conv32, ptr %site33, align 4
  %epoch34 = getelementptr inbounds nuw i8, ptr %call5, i64 24
  %11 = load i32, ptr %epoch34, align 8
  %epoch35 = getelementptr inbounds nuw i8, ptr %maker24, i64 4
  store i32 %11, ptr %epoch35, align 4
  %clock36 = getelementptr inbounds nuw i8, ptr %call5, i64 28
  %12 = load i32, ptr %clock36, align 4
  %clock37 = getelementptr inbounds nuw i8, ptr %maker24, i64 8
  store i32 %12, ptr %clock37, align 4
  store i16 %bf.set, ptr %thread, align 2
  %call44 = call fastcc i32 @is_concurrent(ptr noundef nonnull %maker24, i32 noundef 0) #28
  %tobool45.not = icmp eq i32 %call44, 0
  br i1 %tobool45.not, label %return, label %if.then46

if.then46:                                        ; preds = %if.end23
  call fastcc void @report(i32 noundef 0, i32 noundef %site, ptr noundef nonnull %maker24, i64 noundef %div) #28
  br label %return

return:                                           ; preds = %if.end23, %if.then46, %if.end, %entry, %if.then22, %if.then7
  %retval.0 = phi i32 [ 1, %if.then7 ], [ 0, %if.end ], [ 0, %if.then22 ], [ 1, %entry ], [ 1, %if.then46 ], [ 1, %if.end23 ]
  ret i32 %retval.0
}

define internal fastcc void @hear(ptr noundef readonly captures(none) %block, ptr noundef readonly captures(address_is_null) %order, i64 noundef %thread) unnamed_addr #12 {
entry:
  %tobool.not = icmp eq ptr %order, null
  br i1 %tobool.not, label %if.end, label %if.then

if.then:                                          ; preds = %entry
  %clocks.i = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %0 = load ptr, ptr %clocks.i, align 8
  %count.i.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %1 = load i64, ptr %count.i.i, align 8
  %mul.i.i = shl nsw i64 %1, 1
  %add.i.i = or disjoint i64 %mul.i.i, 1
  %mul.i = mul nsw i64 %add.i.i, %thread
  %add.ptr.i = getelementptr inbounds i32, ptr %0, i64 %mul.i
  %known = getelementptr inbounds nuw i8, ptr %order, i64 40
  %2 = load ptr, ptr %known, align 8
  tail call fastcc void @learn(ptr noundef %add.ptr.i, ptr noundef %2, i64 noundef %add.i.i) #28
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  ret void
}

define i32 @kc_emu_is_complete(ptr noundef readonly captures(none) %block, i64 noundef %thread) local_unnamed_addr #18 {
entry:
  %waits = getelementptr inbounds nuw i8, ptr %block, i64 16
  %0 = load ptr, ptr %waits, align 8
  %arrayidx = getelementptr inbounds %struct.Wait, ptr %0, i64 %thread
  %is_done = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %1 = load i32, ptr %is_done, align 8
  ret i32 %1
}

define void @kc_emu_spin(ptr noundef readonly captures(none) %block, i64 noundef %thread, i32 noundef %most, i32 noundef %site) local_unnamed_addr #16 {
entry:
  %waits.i = getelementptr inbounds nuw i8, ptr %block, i64 16
  %0 = load ptr, ptr %waits.i, align 8
  %arrayidx.i = getelementptr inbounds %struct.Wait, ptr %0, i64 %thread
  store i32 5, ptr %arrayidx.i, align 8
  %wait1.sroa.4.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 4
  store i32 %most, ptr %wait1.sroa.4.0.arrayidx.i.sroa_idx, align 4
  %wait1.sroa.5.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 8
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %wait1.sroa.5.0.arrayidx.i.sroa_idx, i8 0, i64 24, i1 false)
  %shl.i = shl i32 %site, 2
  %or.i = or disjoint i32 %shl.i, 3
  %1 = load ptr, ptr %block, align 8
  %arrayidx1.i = getelementptr inbounds i32, ptr %1, i64 %thread
  store i32 %or.i, ptr %arrayidx1.i, align 4
  ret void
}

define void @kc_emu_spun(ptr noundef writeonly captures(none) initializes((2760, 2764)) %block, i64 noundef %thread) local_unnamed_addr #3 {
entry:
  %fruitless = getelementptr inbounds nuw i8, ptr %block, i64 2760
  store i32 0, ptr %fruitless, align 8
  ret void
}

define void @kc_emu_copy(ptr noundef readonly captures(none) %block, i64 noundef %thread, i64 noundef %to, i64 noundef %from, i32 noundef %bytes, i32 noundef %read, i32 noundef %site, i32 noundef %source_site) local_unnamed_addr #0 {
entry:
  %.compoundliteral = alloca %struct.Copy, align 8
  %cmp1 = icmp slt i32 %read, 0
  %0 = tail call i32 @llvm.smin.i32(i32 %read, i32 %bytes)
  %spec.select = select i1 %cmp1, i32 %bytes, i32 %0
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %1 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %1, null
  br i1 %tobool.not, label %if.end14, label %if.then2

if.then2:                                         ; preds = %entry
  %tobool3.not = icmp eq i32 %spec.select, 0
  br i1 %tobool3.not, label %if.then2.if.end7_crit_edge, label %land.lhs.true

if.then2.if.end7_crit_edge:                       ; preds = %if.then2
  %.pre = sext i32 %bytes to i64
  br label %if.end7

land.lhs.true:                                    ; preds = %if.then2
  %conv = sext i32 %spec.select to i64
  %conv4 = sext i32 %bytes to i64
  %call = tail call i32 @kc_emu_pointer(i64 noundef %from, i64 noundef %conv, i64 noundef %conv4, i32 noundef %source_site, i32 noundef 0) #28
  %tobool5.not = icmp eq i32 %call, 0
  br i1 %tobool5.not, label %return, label %if.end7

if.end7:                                          ; preds = %if.then2.if.end7_crit_edge, %land.lhs.true
  %conv8.pre-phi = phi i64 [ %.pre, %if.then2.if.end7_crit_edge ], [ %conv4, %land.lhs.true ]
  %call10 = tail call i32 @kc_emu_pointer(i64 noundef %to, i64 noundef %conv8.pre-phi, i64 noundef %conv8.pre-phi, i32 noundef %site, i32 noundef 9) #28
  %tobool11.not = icmp eq i32 %call10, 0
  br i1 %tobool11.not, label %return, label %if.end13

if.end13:                                         ; preds = %if.end7
  tail call fastcc void @settle_write() #28
  br label %if.end14

if.end14:                                         ; preds = %if.end13, %entry
  store i64 %to, ptr %.compoundliteral, align 8
  %from16 = getelementptr inbounds nuw i8, ptr %.compoundliteral, i64 8
  store i64 %from, ptr %from16, align 8
  %bytes17 = getelementptr inbounds nuw i8, ptr %.compoundliteral, i64 16
  store i32 %bytes, ptr %bytes17, align 8
  %read18 = getelementptr inbounds nuw i8, ptr %.compoundliteral, i64 20
  store i32 %spec.select, ptr %read18, align 4
  %site19 = getelementptr inbounds nuw i8, ptr %.compoundliteral, i64 24
  store i32 %site, ptr %site19, align 8
  %group = getelementptr inbounds nuw i8, ptr %.compoundliteral, i64 28
  store i32 0, ptr %group, align 4
  tail call fastcc void @enqueue(ptr noundef nonnull %block, i64 noundef %thread, ptr noundef nonnull byval(%struct.Copy) align 8 %.compoundliteral) #28
  br label %return

return:                                           ; preds = %if.end7, %land.lhs.true, %if.end14
  ret void
}

define internal fastcc void @enqueue(ptr noundef readonly captures(none) %block, i64 noundef %thread, ptr noundef byval(%struct.Copy) align 8 captures(none) initializes((28, 32)) %copy) unnamed_addr #0 {
entry:
  %queues = getelementptr inbounds nuw i8, ptr %block, i64 24
  %0 = load ptr, ptr %queues, align 8
  %arrayidx = getelementptr inbounds %struct.Queue, ptr %0, i64 %thread
  %count = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %1 = load i32, ptr %count, align 8
  %room = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  %2 = load i32, ptr %room, align 4
  %cmp = icmp eq i32 %1, %2
  %.pre = load ptr, ptr %arrayidx, align 8
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %tobool.not = icmp eq i32 %1, 0
  %mul = shl nsw i32 %1, 1
  %spec.select = select i1 %tobool.not, i32 16, i32 %mul
  store i32 %spec.select, ptr %room, align 4
  %conv = sext i32 %spec.select to i64
  %mul5 = shl nsw i64 %conv, 5
  %call = tail call ptr @realloc(ptr noundef %.pre, i64 noundef %mul5) #27
  store ptr %call, ptr %arrayidx, align 8
  %.pre21 = load i32, ptr %count, align 8
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %3 = phi i32 [ %.pre21, %if.then ], [ %1, %entry ]
  %4 = phi ptr [ %call, %if.then ], [ %.pre, %entry ]
  %group = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %5 = load i32, ptr %group, align 8
  %group7 = getelementptr inbounds nuw i8, ptr %copy, i64 28
  store i32 %5, ptr %group7, align 4
  %inc = add nsw i32 %3, 1
  store i32 %inc, ptr %count, align 8
  %idxprom = sext i32 %3 to i64
  %arrayidx10 = getelementptr inbounds %struct.Copy, ptr %4, i64 %idxprom
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(32) %arrayidx10, ptr noundef nonnull align 8 dereferenceable(32) %copy, i64 32, i1 false)
  ret void
}

define void @kc_emu_commit(ptr noundef readonly captures(none) %block, i64 noundef %thread) local_unnamed_addr #15 {
entry:
  %queues = getelementptr inbounds nuw i8, ptr %block, i64 24
  %0 = load ptr, ptr %queues, align 8
  %arrayidx = getelementptr inbounds %struct.Queue, ptr %0, i64 %thread
  %group = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %1 = load i32, ptr %group, align 8
  %inc = add nsw i32 %1, 1
  store i32 %inc, ptr %group, align 8
  ret void
}

define void @kc_emu_copies_done(ptr noundef captures(address_is_null) %block, i64 noundef %thread, i32 noundef %left) local_unnamed_addr #0 {
entry:
  %queues = getelementptr inbounds nuw i8, ptr %block, i64 24
  %0 = load ptr, ptr %queues, align 8
  %arrayidx = getelementptr inbounds %struct.Queue, ptr %0, i64 %thread
  tail call fastcc void @settle_if(ptr noundef %block) #28
  %count = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %1 = load i32, ptr %count, align 8
  %group2 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %smax = tail call i32 @llvm.smax.i32(i32 %1, i32 0)
  %wide.trip.count = zext nneg i32 %smax to i64
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %while.body ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %while.end, label %land.rhs

land.rhs:                                         ; preds = %while.cond
  %2 = load ptr, ptr %arrayidx, align 8
  %arrayidx1 = getelementptr inbounds nuw %struct.Copy, ptr %2, i64 %indvars.iv
  %group = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 28
  %3 = load i32, ptr %group, align 4
  %4 = load i32, ptr %group2, align 8
  %sub = sub nsw i32 %4, %left
  %cmp3 = icmp slt i32 %3, %sub
  br i1 %cmp3, label %while.body, label %while.end.split.loop.exit13

while.body:                                       ; preds = %land.rhs
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %while.cond

while.end.split.loop.exit13:                      ; preds = %land.rhs
  %5 = trunc nuw nsw i64 %indvars.iv to i32
  br label %while.end

while.end:                                        ; preds = %while.cond, %while.end.split.loop.exit13
  %end.0.lcssa = phi i32 [ %5, %while.end.split.loop.exit13 ], [ %smax, %while.cond ]
  tail call fastcc void @do_copies(ptr noundef %block, i64 noundef %thread, i32 noundef %end.0.lcssa) #28
  ret void
}

define internal fastcc void @settle_if(ptr noundef readonly captures(none) %block) unnamed_addr #0 {
entry:
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %0 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %if.end, label %if.then

if.then:                                          ; preds = %entry
  tail call fastcc void @settle_write() #28
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  ret void
}

define internal fastcc void @do_copies(ptr noundef captures(address_is_null) %block, i64 noundef %thread, i32 noundef %end) unnamed_addr #0 {
entry:
  %saved = alloca %struct.Access, align 4
  %queues = getelementptr inbounds nuw i8, ptr %block, i64 24
  %0 = load ptr, ptr %queues, align 8
  %arrayidx = getelementptr inbounds %struct.Queue, ptr %0, i64 %thread
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %saved, ptr noundef nonnull align 4 dereferenceable(16) @now, i64 16, i1 false)
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %and37 = and i64 %thread, 8191
  %count.i.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %conv = trunc i64 %thread to i16
  %and = and i16 %conv, 8191
  %smax = tail call i32 @llvm.smax.i32(i32 %end, i32 0)
  %wide.trip.count = zext nneg i32 %smax to i64
  br label %for.cond

for.cond:                                         ; preds = %for.inc50, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc50 ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %for.end51, label %for.body

for.body:                                         ; preds = %for.cond
  %1 = load ptr, ptr %arrayidx, align 8
  %arrayidx1 = getelementptr inbounds nuw %struct.Copy, ptr %1, i64 %indvars.iv
  %copy.sroa.0.0.copyload = load i64, ptr %arrayidx1, align 8
  %copy.sroa.7.0.arrayidx1.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 16
  %copy.sroa.7.0.copyload = load i32, ptr %copy.sroa.7.0.arrayidx1.sroa_idx, align 8
  %tobool.not = icmp eq i32 %copy.sroa.7.0.copyload, 0
  br i1 %tobool.not, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %copy.sroa.13.0.arrayidx1.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 24
  %copy.sroa.13.0.copyload = load i32, ptr %copy.sroa.13.0.arrayidx1.sroa_idx, align 8
  %bf.load = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear = and i16 %bf.load, -8192
  %bf.set = or disjoint i16 %bf.clear, %and
  store i16 %bf.set, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %call = tail call fastcc i64 @change(ptr noundef %block, i64 noundef %thread, i32 noundef 2, i64 noundef %copy.sroa.0.0.copyload, i64 noundef 1, i32 noundef %copy.sroa.13.0.copyload) #28
  br label %for.inc50

if.end:                                           ; preds = %for.body
  %copy.sroa.10.0.arrayidx1.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 20
  %copy.sroa.10.0.copyload = load i32, ptr %copy.sroa.10.0.arrayidx1.sroa_idx, align 4
  %copy.sroa.6.0.arrayidx1.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 8
  %copy.sroa.6.0.copyload = load i64, ptr %copy.sroa.6.0.arrayidx1.sroa_idx, align 8
  %2 = inttoptr i64 %copy.sroa.0.0.copyload to ptr
  %3 = inttoptr i64 %copy.sroa.6.0.copyload to ptr
  %conv5 = sext i32 %copy.sroa.10.0.copyload to i64
  %call6 = tail call ptr @memcpy(ptr noundef %2, ptr noundef %3, i64 noundef %conv5) #27
  %add.ptr = getelementptr inbounds i8, ptr %2, i64 %conv5
  %sub = sub nsw i32 %copy.sroa.7.0.copyload, %copy.sroa.10.0.copyload
  %conv11 = sext i32 %sub to i64
  %call12 = tail call ptr @memset(ptr noundef %add.ptr, i32 noundef 0, i64 noundef %conv11) #27
  %4 = load ptr, ptr %clocks, align 8
  %tobool13.not = icmp eq ptr %4, null
  br i1 %tobool13.not, label %for.inc50, label %if.end15

if.end15:                                         ; preds = %if.end
  %call17 = tail call fastcc i32 @find_buffer(i64 noundef %copy.sroa.0.0.copyload) #28
  %idxprom18 = sext i32 %call17 to i64
  %arrayidx19 = getelementptr inbounds %struct.Buffer, ptr @buffers, i64 %idxprom18
  %5 = load i64, ptr %arrayidx19, align 16
  %sub21 = sub i64 %copy.sroa.0.0.copyload, %5
  %conv24 = sext i32 %copy.sroa.7.0.copyload to i64
  %add = add nsw i64 %sub21, %conv24
  %cells = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 32
  %granule = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 16
  br label %for.cond22

for.cond22:                                       ; preds = %for.inc, %if.end15
  %at.0 = phi i64 [ %sub21, %if.end15 ], [ %add49, %for.inc ]
  %cmp25 = icmp slt i64 %at.0, %add
  br i1 %cmp25, label %for.body27, label %for.inc50

for.body27:                                       ; preds = %for.cond22
  %6 = load ptr, ptr %cells, align 16
  %7 = load i64, ptr %granule, align 16
  %div = sdiv i64 %at.0, %7
  %arrayidx28 = getelementptr inbounds %struct.Cell, ptr %6, i64 %div
  %is_going_on = getelementptr inbounds nuw i8, ptr %arrayidx28, i64 14
  %bf.load30 = load i16, ptr %is_going_on, align 2
  %8 = and i16 %bf.load30, 16384
  %tobool32.not = icmp eq i16 %8, 0
  br i1 %tobool32.not, label %for.inc, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %for.body27
  %bf.clear35 = and i16 %bf.load30, 8191
  %conv36 = zext nneg i16 %bf.clear35 to i64
  %cmp38.not = icmp eq i64 %and37, %conv36
  br i1 %cmp38.not, label %if.end41, label %for.inc

if.end41:                                         ; preds = %lor.lhs.false
  %bf.clear44 = and i16 %bf.load30, -16385
  store i16 %bf.clear44, ptr %is_going_on, align 2
  %9 = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %epoch = getelementptr inbounds nuw i8, ptr %arrayidx28, i64 4
  store i32 %9, ptr %epoch, align 4
  %10 = load ptr, ptr %clocks, align 8
  %11 = load i64, ptr %count.i.i, align 8
  %mul.i.i = shl nsw i64 %11, 1
  %add.i.i = or disjoint i64 %mul.i.i, 1
  %mul.i = mul nsw i64 %add.i.i, %thread
  %add.ptr.i = getelementptr inbounds i32, ptr %10, i64 %mul.i
  %arrayidx47 = getelementptr inbounds i32, ptr %add.ptr.i, i64 %thread
  %12 = load i32, ptr %arrayidx47, align 4
  %clock = getelementptr inbounds nuw i8, ptr %arrayidx28, i64 8
  store i32 %12, ptr %clock, align 4
  %.pre111 = load i64, ptr %granule, align 16
  br label %for.inc

for.inc:                                          ; preds = %for.body27, %lor.lhs.false, %if.end41
  %13 = phi i64 [ %7, %for.body27 ], [ %7, %lor.lhs.false ], [ %.pre111, %if.end41 ]
  %add49 = add nsw i64 %13, %at.0
  br label %for.cond22

for.inc50:                                        ; preds = %for.cond22, %if.end, %if.then
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end51:                                        ; preds = %for.cond
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) @now, ptr noundef nonnull align 4 dereferenceable(16) %saved, i64 16, i1 false)
  %count = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %14 = load i32, ptr %count, align 8
  %sub52 = sub nsw i32 %14, %end
  store i32 %sub52, ptr %count, align 8
  %15 = sext i32 %end to i64
  br label %for.cond54

for.cond54:                                       ; preds = %for.body58, %for.end51
  %16 = phi i32 [ %.pre, %for.body58 ], [ %sub52, %for.end51 ]
  %indvars.iv107 = phi i64 [ %indvars.iv.next108, %for.body58 ], [ 0, %for.end51 ]
  %17 = sext i32 %16 to i64
  %cmp56 = icmp slt i64 %indvars.iv107, %17
  br i1 %cmp56, label %for.body58, label %for.end68

for.body58:                                       ; preds = %for.cond54
  %18 = load ptr, ptr %arrayidx, align 8
  %arrayidx61 = getelementptr inbounds nuw %struct.Copy, ptr %18, i64 %indvars.iv107
  %19 = getelementptr %struct.Copy, ptr %18, i64 %indvars.iv107
  %arrayidx65 = getelementptr %struct.Copy, ptr %19, i64 %15
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(32) %arrayidx61, ptr noundef nonnull align 8 dereferenceable(32) %arrayidx65, i64 32, i1 false)
  %indvars.iv.next108 = add nuw nsw i64 %indvars.iv107, 1
  %.pre = load i32, ptr %count, align 8
  br label %for.cond54

for.end68:                                        ; preds = %for.cond54
  ret void
}

define void @kc_emu_copies_arrive(ptr noundef captures(none) %block, i64 noundef %thread, i64 noundef %address, i32 noundef %adds, i32 noundef %site) local_unnamed_addr #0 {
entry:
  %.compoundliteral = alloca %struct.Copy, align 8
  %call = tail call fastcc i32 @is_mbarrier(ptr noundef %block, i64 noundef %address, i32 noundef %site, i32 noundef 0) #28
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %tobool1.not = icmp eq i32 %adds, 0
  br i1 %tobool1.not, label %if.end8, label %if.then2

if.then2:                                         ; preds = %if.end
  %0 = inttoptr i64 %address to ptr
  %1 = load i64, ptr %0, align 8
  %add = add i64 %1, 1
  %and.i = and i64 %add, 1048575
  %2 = and i64 %1, 6917529027640033280
  %or6.i = or disjoint i64 %and.i, %2
  store i64 %or6.i, ptr %0, align 8
  br label %if.end8

if.end8:                                          ; preds = %if.then2, %if.end
  store i64 %address, ptr %.compoundliteral, align 8
  %from = getelementptr inbounds nuw i8, ptr %.compoundliteral, i64 8
  store i64 0, ptr %from, align 8
  %bytes = getelementptr inbounds nuw i8, ptr %.compoundliteral, i64 16
  store i32 0, ptr %bytes, align 8
  %read = getelementptr inbounds nuw i8, ptr %.compoundliteral, i64 20
  store i32 0, ptr %read, align 4
  %site9 = getelementptr inbounds nuw i8, ptr %.compoundliteral, i64 24
  store i32 %site, ptr %site9, align 8
  %group = getelementptr inbounds nuw i8, ptr %.compoundliteral, i64 28
  store i32 0, ptr %group, align 4
  tail call fastcc void @enqueue(ptr noundef %block, i64 noundef %thread, ptr noundef nonnull byval(%struct.Copy) align 8 %.compoundliteral) #28
  br label %return

return:                                           ; preds = %entry, %if.end8
  ret void
}

define void @kc_emu_bulk(ptr noundef captures(none) %block, i64 noundef %thread, i64 noundef %to, i64 noundef %from, i32 noundef %bytes, i64 noundef %mbarrier, i32 noundef %site, i32 noundef %source_site, i32 noundef %mbarrier_site) local_unnamed_addr #0 {
entry:
  %copy = alloca %struct.Bulk, align 8
  %bulks1 = getelementptr inbounds nuw i8, ptr %block, i64 2640
  %cmp = icmp slt i32 %bytes, 1
  br i1 %cmp, label %return, label %if.end

if.end:                                           ; preds = %entry
  %groups = getelementptr inbounds nuw i8, ptr %block, i64 2656
  %0 = load ptr, ptr %groups, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %if.then2, label %if.end4

if.then2:                                         ; preds = %if.end
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %1 = load i64, ptr %count, align 8
  %call = tail call ptr @calloc(i64 noundef %1, i64 noundef 4) #27
  store ptr %call, ptr %groups, align 8
  br label %if.end4

if.end4:                                          ; preds = %if.then2, %if.end
  %2 = phi ptr [ %call, %if.then2 ], [ %0, %if.end ]
  %3 = getelementptr inbounds nuw i8, ptr %copy, i64 48
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(160) %3, i8 0, i64 160, i1 false)
  store i64 %to, ptr %copy, align 8
  %from6 = getelementptr inbounds nuw i8, ptr %copy, i64 8
  store i64 %from, ptr %from6, align 8
  %mbarrier7 = getelementptr inbounds nuw i8, ptr %copy, i64 16
  store i64 %mbarrier, ptr %mbarrier7, align 8
  %thread8 = getelementptr inbounds nuw i8, ptr %copy, i64 24
  store i64 %thread, ptr %thread8, align 8
  %bytes9 = getelementptr inbounds nuw i8, ptr %copy, i64 32
  store i32 %bytes, ptr %bytes9, align 8
  %site10 = getelementptr inbounds nuw i8, ptr %copy, i64 36
  store i32 %site, ptr %site10, align 4
  %source_site11 = getelementptr inbounds nuw i8, ptr %copy, i64 40
  store i32 %source_site, ptr %source_site11, align 8
  %mbarrier_site12 = getelementptr inbounds nuw i8, ptr %copy, i64 44
  store i32 %mbarrier_site, ptr %mbarrier_site12, align 4
  %group = getelementptr inbounds nuw i8, ptr %copy, i64 48
  %arrayidx = getelementptr inbounds i32, ptr %2, i64 %thread
  %4 = load i32, ptr %arrayidx, align 4
  store i32 %4, ptr %group, align 8
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %5 = load ptr, ptr %clocks, align 8
  %tobool14.not = icmp eq ptr %5, null
  br i1 %tobool14.not, label %if.end35, label %if.then15

if.then15:                                        ; preds = %if.end4
  %6 = load i32, ptr @finding_count, align 4
  %rem = and i32 %bytes, 15
  %tobool16.not = icmp eq i32 %rem, 0
  br i1 %tobool16.not, label %if.end22, label %if.then17

if.then17:                                        ; preds = %if.then15
  tail call fastcc void @report(i32 noundef 3, i32 noundef %site, ptr noundef null, i64 noundef -1) #28
  %7 = load i32, ptr @finding_count, align 4
  %cmp18 = icmp sgt i32 %7, %6
  br i1 %cmp18, label %if.then19, label %return

if.then19:                                        ; preds = %if.then17
  %idxprom = sext i32 %6 to i64
  %arrayidx20 = getelementptr inbounds %struct.Finding, ptr @findings, i64 %idxprom
  %wanted = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 60
  store i32 %bytes, ptr %wanted, align 4
  br label %return

if.end22:                                         ; preds = %if.then15
  %conv = zext nneg i32 %bytes to i64
  %call23 = tail call i32 @kc_emu_pointer(i64 noundef %from, i64 noundef %conv, i64 noundef 16, i32 noundef %source_site, i32 noundef 24) #28
  %tobool24.not = icmp eq i32 %call23, 0
  br i1 %tobool24.not, label %return, label %if.end26

if.end26:                                         ; preds = %if.end22
  %call28 = tail call i32 @kc_emu_pointer(i64 noundef %to, i64 noundef %conv, i64 noundef 16, i32 noundef %site, i32 noundef 25) #28
  %tobool29.not = icmp eq i32 %call28, 0
  br i1 %tobool29.not, label %return, label %if.end31

if.end31:                                         ; preds = %if.end26
  tail call fastcc void @settle_write() #28
  %8 = load ptr, ptr %clocks, align 8
  %count.i.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %9 = load i64, ptr %count.i.i, align 8
  %mul.i.i = shl nsw i64 %9, 1
  %add.i.i = or disjoint i64 %mul.i.i, 1
  %mul.i = mul nsw i64 %add.i.i, %thread
  %add.ptr.i = getelementptr inbounds i32, ptr %8, i64 %mul.i
  %arrayidx33 = getelementptr inbounds i32, ptr %add.ptr.i, i64 %thread
  %10 = load i32, ptr %arrayidx33, align 4
  %inc = add nsw i32 %10, 1
  store i32 %inc, ptr %arrayidx33, align 4
  %clock34 = getelementptr inbounds nuw i8, ptr %copy, i64 52
  store i32 %10, ptr %clock34, align 4
  br label %if.end35

if.end35:                                         ; preds = %if.end31, %if.end4
  call fastcc void @start(ptr noundef nonnull %bulks1, ptr noundef %copy) #28
  br label %return

return:                                           ; preds = %if.end26, %if.end22, %if.then17, %if.then19, %entry, %if.end35
  ret void
}

define internal fastcc void @start(ptr noundef captures(none) %bulks, ptr noundef nonnull readonly captures(none) %copy) unnamed_addr #0 {
entry:
  %count = getelementptr inbounds nuw i8, ptr %bulks, i64 8
  %0 = load i32, ptr %count, align 8
  %room = getelementptr inbounds nuw i8, ptr %bulks, i64 12
  %1 = load i32, ptr %room, align 4
  %cmp = icmp eq i32 %0, %1
  %.pre = load ptr, ptr %bulks, align 8
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %tobool.not = icmp eq i32 %0, 0
  %mul = shl nsw i32 %0, 1
  %spec.select = select i1 %tobool.not, i32 16, i32 %mul
  store i32 %spec.select, ptr %room, align 4
  %conv = sext i32 %spec.select to i64
  %mul5 = mul nsw i64 %conv, 208
  %call = tail call ptr @realloc(ptr noundef %.pre, i64 noundef %mul5) #27
  store ptr %call, ptr %bulks, align 8
  %.pre18 = load i32, ptr %count, align 8
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %2 = phi i32 [ %.pre18, %if.then ], [ %0, %entry ]
  %3 = phi ptr [ %call, %if.then ], [ %.pre, %entry ]
  %inc = add nsw i32 %2, 1
  store i32 %inc, ptr %count, align 8
  %idxprom = sext i32 %2 to i64
  %arrayidx = getelementptr inbounds %struct.Bulk, ptr %3, i64 %idxprom
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(208) %arrayidx, ptr noundef nonnull align 8 dereferenceable(208) %copy, i64 208, i1 false)
  ret void
}

define range(i32 0, 2) i32 @kc_emu_encode(ptr noundef %place, i32 noundef %type, i32 noundef %rank, ptr noundef %base, ptr noundef readonly captures(none) %sizes, ptr noundef readonly captures(none) %strides, ptr noundef readonly captures(none) %box, ptr noundef readonly captures(none) %steps, i32 noundef %interleave, i32 noundef %swizzle, i32 noundef %promotion, i32 noundef %fill) local_unnamed_addr #0 {
entry:
  %map = alloca %struct.TensorMap, align 8
  %0 = getelementptr inbounds nuw i8, ptr %map, i64 24
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(96) %0, i8 0, i64 96, i1 false)
  store i32 %rank, ptr %map, align 8
  %size = getelementptr inbounds nuw i8, ptr %map, i64 4
  %or.cond.i = icmp ugt i32 %type, 12
  br i1 %or.cond.i, label %bytes_of_type.exit, label %cond.false.i

cond.false.i:                                     ; preds = %entry
  %idxprom.i = zext nneg i32 %type to i64
  %arrayidx.i = getelementptr inbounds nuw i8, ptr @bytes_of_type.sizes, i64 %idxprom.i
  %1 = load i8, ptr %arrayidx.i, align 1
  %conv.i = zext i8 %1 to i32
  br label %bytes_of_type.exit

bytes_of_type.exit:                               ; preds = %entry, %cond.false.i
  %cond.i = phi i32 [ %conv.i, %cond.false.i ], [ 0, %entry ]
  store i32 %cond.i, ptr %size, align 4
  %base2 = getelementptr inbounds nuw i8, ptr %map, i64 16
  %2 = ptrtoint ptr %base to i64
  store i64 %2, ptr %base2, align 8
  %tobool = icmp ne i32 %cond.i, 0
  %3 = add i32 %rank, -1
  %4 = icmp ult i32 %3, 5
  %or.cond98.not155 = and i1 %4, %tobool
  %tobool10 = icmp eq i32 %interleave, 0
  %or.cond99.not154 = and i1 %tobool10, %or.cond98.not155
  %5 = or i32 %promotion, %swizzle
  %6 = icmp ult i32 %5, 4
  %or.cond141.not153 = and i1 %6, %or.cond99.not154
  %rem.i = and i64 %2, 15
  %cmp.i.not = icmp eq i64 %rem.i, 0
  %or.cond151 = and i1 %cmp.i.not, %or.cond141.not153
  br i1 %or.cond151, label %if.end22, label %return

if.end22:                                         ; preds = %bytes_of_type.exit
  %tobool23.not = icmp ne i32 %swizzle, 0
  %shl = shl nuw nsw i32 16, %swizzle
  %cond = select i1 %tobool23.not, i32 %shl, i32 0
  %span24 = getelementptr inbounds nuw i8, ptr %map, i64 8
  store i32 %cond, ptr %span24, align 8
  %cmp25 = icmp ne i32 %fill, 0
  %conv = zext i1 %cmp25 to i32
  %is_nan26 = getelementptr inbounds nuw i8, ptr %map, i64 12
  store i32 %conv, ptr %is_nan26, align 4
  %sizes53 = getelementptr inbounds nuw i8, ptr %map, i64 24
  %box58 = getelementptr inbounds nuw i8, ptr %map, i64 96
  %strides79 = getelementptr inbounds nuw i8, ptr %map, i64 64
  %wide.trip.count = zext nneg i32 %rank to i64
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %if.end22
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %if.end22 ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw i64, ptr %sizes, i64 %indvars.iv
  %7 = load i64, ptr %arrayidx, align 8
  %8 = add i64 %7, -4294967297
  %or.cond = icmp ult i64 %8, -4294967296
  br i1 %or.cond, label %return, label %lor.lhs.false35

lor.lhs.false35:                                  ; preds = %for.body
  %arrayidx37 = getelementptr inbounds nuw i32, ptr %box, i64 %indvars.iv
  %9 = load i32, ptr %arrayidx37, align 4
  %10 = add i32 %9, -257
  %or.cond139 = icmp ult i32 %10, -256
  br i1 %or.cond139, label %return, label %lor.lhs.false44

lor.lhs.false44:                                  ; preds = %lor.lhs.false35
  %arrayidx46 = getelementptr inbounds nuw i32, ptr %steps, i64 %indvars.iv
  %11 = load i32, ptr %arrayidx46, align 4
  %cmp47.not = icmp eq i32 %11, 1
  br i1 %cmp47.not, label %if.end50, label %return

if.end50:                                         ; preds = %lor.lhs.false44
  %arrayidx55 = getelementptr inbounds nuw i64, ptr %sizes53, i64 %indvars.iv
  store i64 %7, ptr %arrayidx55, align 8
  %arrayidx60 = getelementptr inbounds nuw i32, ptr %box58, i64 %indvars.iv
  store i32 %9, ptr %arrayidx60, align 4
  %tobool61.not = icmp eq i64 %indvars.iv, 0
  br i1 %tobool61.not, label %for.inc, label %if.end63

if.end63:                                         ; preds = %if.end50
  %12 = add nsw i64 %indvars.iv, -1
  %arrayidx65 = getelementptr inbounds nuw i64, ptr %strides, i64 %12
  %13 = load i64, ptr %arrayidx65, align 8
  %14 = and i64 %13, -1099511627761
  %or.cond150.not = icmp eq i64 %14, 0
  br i1 %or.cond150.not, label %if.end75, label %return

if.end75:                                         ; preds = %if.end63
  %arrayidx82 = getelementptr inbounds nuw i64, ptr %strides79, i64 %12
  store i64 %13, ptr %arrayidx82, align 8
  br label %for.inc

for.inc:                                          ; preds = %if.end50, %if.end75
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %15 = load i32, ptr %box, align 4
  %mul = mul i32 %15, %cond.i
  %rem.i146149 = and i32 %mul, 15
  %cmp.i147.not = icmp ne i32 %rem.i146149, 0
  %cmp92 = icmp ugt i32 %mul, %cond
  %or.cond140 = and i1 %tobool23.not, %cmp92
  %or.cond152 = select i1 %cmp.i147.not, i1 true, i1 %or.cond140
  br i1 %or.cond152, label %return, label %if.end95

if.end95:                                         ; preds = %for.end
  %call96 = tail call ptr @memset(ptr noundef %place, i32 noundef 0, i64 noundef 128) #27
  %call97 = call ptr @memcpy(ptr noundef %place, ptr noundef nonnull %map, i64 noundef 120) #27
  br label %return

return:                                           ; preds = %if.end63, %for.body, %lor.lhs.false35, %lor.lhs.false44, %for.end, %bytes_of_type.exit, %if.end95
  %retval.0 = phi i32 [ 0, %if.end95 ], [ 1, %bytes_of_type.exit ], [ 1, %for.end ], [ 1, %lor.lhs.false44 ], [ 1, %lor.lhs.false35 ], [ 1, %for.body ], [ 1, %if.end63 ]
  ret i32 %retval.0
}

declare ptr @memcpy(ptr noundef, ptr noundef, i64 noundef) local_unnamed_addr

define void @kc_emu_tensor_map(ptr noundef %place, i64 noundef %base, i64 noundef %form, i64 noundef %size_0, i64 noundef %size_1, i64 noundef %size_2, i64 noundef %size_3, i64 noundef %size_4, i64 noundef %stride_1, i64 noundef %stride_2, i64 noundef %stride_3, i64 noundef %stride_4, i64 noundef %box_0, i64 noundef %box_1, i64 noundef %box_2, i64 noundef %box_3, i64 noundef %box_4) local_unnamed_addr #0 {
entry:
  %given = alloca [5 x i64], align 16
  %apart = alloca [4 x i64], align 16
  %boxes = alloca [5 x i64], align 16
  %sizes = alloca [5 x i64], align 16
  %strides = alloca [4 x i64], align 16
  %box = alloca [5 x i32], align 16
  store i64 %size_0, ptr %given, align 16
  %arrayinit.element = getelementptr inbounds nuw i8, ptr %given, i64 8
  store i64 %size_1, ptr %arrayinit.element, align 8
  %arrayinit.element1 = getelementptr inbounds nuw i8, ptr %given, i64 16
  store i64 %size_2, ptr %arrayinit.element1, align 16
  %arrayinit.element2 = getelementptr inbounds nuw i8, ptr %given, i64 24
  store i64 %size_3, ptr %arrayinit.element2, align 8
  %arrayinit.element3 = getelementptr inbounds nuw i8, ptr %given, i64 32
  store i64 %size_4, ptr %arrayinit.element3, align 16
  store i64 %stride_1, ptr %apart, align 16
  %arrayinit.element4 = getelementptr inbounds nuw i8, ptr %apart, i64 8
  store i64 %stride_2, ptr %arrayinit.element4, align 8
  %arrayinit.element5 = getelementptr inbounds nuw i8, ptr %apart, i64 16
  store i64 %stride_3, ptr %arrayinit.element5, align 16
  %arrayinit.element6 = getelementptr inbounds nuw i8, ptr %apart, i64 24
  store i64 %stride_4, ptr %arrayinit.element6, align 8
  store i64 %box_0, ptr %boxes, align 16
  %arrayinit.element7 = getelementptr inbounds nuw i8, ptr %boxes, i64 8
  store i64 %box_1, ptr %arrayinit.element7, align 8
  %arrayinit.element8 = getelementptr inbounds nuw i8, ptr %boxes, i64 16
  store i64 %box_2, ptr %arrayinit.element8, align 16
  %arrayinit.element9 = getelementptr inbounds nuw i8, ptr %boxes, i64 24
  store i64 %box_3, ptr %arrayinit.element9, align 8
  %arrayinit.element10 = getelementptr inbounds nuw i8, ptr %boxes, i64 32
  store i64 %box_4, ptr %arrayinit.element10, align 16
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, 5
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw i64, ptr %given, i64 %indvars.iv
  %0 = load i64, ptr %arrayidx, align 8
  %arrayidx12 = getelementptr inbounds nuw i64, ptr %sizes, i64 %indvars.iv
  store i64 %0, ptr %arrayidx12, align 8
  %arrayidx14 = getelementptr inbounds nuw i64, ptr %boxes, i64 %indvars.iv
  %1 = load i64, ptr %arrayidx14, align 8
  %conv = trunc i64 %1 to i32
  %arrayidx16 = getelementptr inbounds nuw i32, ptr %box, i64 %indvars.iv
  store i32 %conv, ptr %arrayidx16, align 4
  %tobool.not = icmp eq i64 %indvars.iv, 0
  br i1 %tobool.not, label %for.inc, label %if.then

if.then:                                          ; preds = %for.body
  %2 = add nsw i64 %indvars.iv, -1
  %arrayidx18 = getelementptr inbounds nuw i64, ptr %apart, i64 %2
  %3 = load i64, ptr %arrayidx18, align 8
  %arrayidx21 = getelementptr inbounds nuw i64, ptr %strides, i64 %2
  store i64 %3, ptr %arrayidx21, align 8
  br label %for.inc

for.inc:                                          ; preds = %for.body, %if.then
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %call = tail call ptr @memset(ptr noundef %place, i32 noundef 0, i64 noundef 128) #27
  %4 = trunc i64 %form to i32
  %conv22 = and i32 %4, 255
  %5 = lshr i32 %4, 8
  %conv24 = and i32 %5, 255
  %6 = lshr i32 %4, 16
  %conv29 = and i32 %6, 255
  %7 = lshr i32 %4, 24
  %shr33 = lshr i64 %form, 32
  %8 = trunc nuw i64 %shr33 to i32
  %conv35 = and i32 %8, 255
  %call36 = call i32 @kc_emu_encode(ptr noundef %place, i32 noundef %conv22, i32 noundef %conv24, ptr noundef null, ptr noundef nonnull %sizes, ptr noundef nonnull %strides, ptr noundef nonnull %box, ptr noundef nonnull @kc_emu_tensor_map.steps, i32 noundef 0, i32 noundef %conv29, i32 noundef %7, i32 noundef %conv35) #28
  %cmp37 = icmp eq i32 %call36, 0
  br i1 %cmp37, label %if.then39, label %if.end41

if.then39:                                        ; preds = %for.end
  %base40 = getelementptr inbounds nuw i8, ptr %place, i64 16
  store i64 %base, ptr %base40, align 8
  br label %if.end41

if.end41:                                         ; preds = %if.then39, %for.end
  ret void
}

define void @kc_emu_tensor_buffer(i32 noundef %slot, ptr noundef readonly captures(none) %map) local_unnamed_addr #0 {
entry:
  %0 = load i32, ptr %map, align 8
  %tobool.not = icmp eq i32 %0, 0
  br i1 %tobool.not, label %return, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %entry
  %base = getelementptr inbounds nuw i8, ptr %map, i64 16
  %1 = load i64, ptr %base, align 8
  %call = tail call fastcc i32 @find_buffer(i64 noundef %1) #28
  %cmp = icmp sgt i32 %call, -1
  br i1 %cmp, label %return, label %if.end

if.end:                                           ; preds = %lor.lhs.false
  %sizes = getelementptr inbounds nuw i8, ptr %map, i64 24
  %2 = load i64, ptr %sizes, align 8
  %size = getelementptr inbounds nuw i8, ptr %map, i64 4
  %3 = load i32, ptr %size, align 4
  %conv = zext i32 %3 to i64
  %mul = mul i64 %2, %conv
  %wide.trip.count = zext i32 %0 to i64
  %4 = getelementptr i8, ptr %map, i64 56
  br label %for.cond

for.cond:                                         ; preds = %for.body, %if.end
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 1, %if.end ]
  %bytes.0 = phi i64 [ %add, %for.body ], [ %mul, %if.end ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx5 = getelementptr inbounds nuw i64, ptr %sizes, i64 %indvars.iv
  %5 = load i64, ptr %arrayidx5, align 8
  %sub = add i64 %5, -1
  %arrayidx8 = getelementptr i64, ptr %4, i64 %indvars.iv
  %6 = load i64, ptr %arrayidx8, align 8
  %mul9 = mul i64 %sub, %6
  %add = add i64 %mul9, %bytes.0
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %shl = shl i32 %3, 16
  %or11 = or i32 %shl, %slot
  tail call void @kc_emu_buffer(i32 noundef %or11, i64 noundef %1, i64 noundef %bytes.0) #28
  br label %return

return:                                           ; preds = %entry, %lor.lhs.false, %for.end
  ret void
}

define void @kc_emu_box(ptr noundef %block, i64 noundef %thread, i64 noundef %shared, ptr noundef readonly captures(none) %map, i64 noundef %mbarrier, i32 noundef %at_0, i32 noundef %at_1, i32 noundef %at_2, i32 noundef %at_3, i32 noundef %at_4, i32 noundef %mask, i32 noundef %site, i32 noundef %source_site, i32 noundef %mbarrier_site) local_unnamed_addr #0 {
entry:
  %copy = alloca %struct.Bulk, align 8
  %bulks1 = getelementptr inbounds nuw i8, ptr %block, i64 2640
  %groups = getelementptr inbounds nuw i8, ptr %block, i64 2656
  %0 = load ptr, ptr %groups, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %1 = load i64, ptr %count, align 8
  %call = tail call ptr @calloc(i64 noundef %1, i64 noundef 4) #27
  store ptr %call, ptr %groups, align 8
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %2 = phi ptr [ %call, %if.then ], [ %0, %entry ]
  %each.i = getelementptr inbounds nuw i8, ptr %block, i64 2672
  %3 = load i64, ptr %each.i, align 8
  %div.i = sdiv i64 %thread, %3
  %conv.i = trunc i64 %div.i to i32
  %tobool4.not = icmp eq i64 %mbarrier, 0
  %cond = select i1 %tobool4.not, i32 %source_site, i32 %site
  %shared5 = getelementptr inbounds nuw i8, ptr %block, i64 2688
  %sext = shl i64 %div.i, 32
  %4 = ashr exact i64 %sext, 29
  %arrayidx = getelementptr inbounds i8, ptr %shared5, i64 %4
  %5 = load i64, ptr %arrayidx, align 8
  %sub = sub i64 %shared, %5
  %sub9 = sub i64 %mbarrier, %5
  store i64 0, ptr %copy, align 8
  %from = getelementptr inbounds nuw i8, ptr %copy, i64 8
  store i64 0, ptr %from, align 8
  %mbarrier10 = getelementptr inbounds nuw i8, ptr %copy, i64 16
  store i64 0, ptr %mbarrier10, align 8
  %thread11 = getelementptr inbounds nuw i8, ptr %copy, i64 24
  store i64 %thread, ptr %thread11, align 8
  %bytes = getelementptr inbounds nuw i8, ptr %copy, i64 32
  %size = getelementptr inbounds nuw i8, ptr %map, i64 4
  %6 = load i32, ptr %size, align 4
  %site12 = getelementptr inbounds nuw i8, ptr %copy, i64 36
  store i32 %site, ptr %site12, align 4
  %source_site13 = getelementptr inbounds nuw i8, ptr %copy, i64 40
  store i32 %source_site, ptr %source_site13, align 8
  %mbarrier_site14 = getelementptr inbounds nuw i8, ptr %copy, i64 44
  store i32 %mbarrier_site, ptr %mbarrier_site14, align 4
  %group = getelementptr inbounds nuw i8, ptr %copy, i64 48
  %arrayidx16 = getelementptr inbounds i32, ptr %2, i64 %thread
  %7 = load i32, ptr %arrayidx16, align 4
  store i32 %7, ptr %group, align 8
  %clock = getelementptr inbounds nuw i8, ptr %copy, i64 52
  store i32 0, ptr %clock, align 4
  %is_read = getelementptr inbounds nuw i8, ptr %copy, i64 56
  store i32 0, ptr %is_read, align 8
  %at = getelementptr inbounds nuw i8, ptr %copy, i64 60
  store i32 %at_0, ptr %at, align 4
  %arrayinit.element = getelementptr inbounds nuw i8, ptr %copy, i64 64
  store i32 %at_1, ptr %arrayinit.element, align 8
  %arrayinit.element17 = getelementptr inbounds nuw i8, ptr %copy, i64 68
  store i32 %at_2, ptr %arrayinit.element17, align 4
  %arrayinit.element18 = getelementptr inbounds nuw i8, ptr %copy, i64 72
  store i32 %at_3, ptr %arrayinit.element18, align 8
  %arrayinit.element19 = getelementptr inbounds nuw i8, ptr %copy, i64 76
  store i32 %at_4, ptr %arrayinit.element19, align 4
  %shared20 = getelementptr inbounds nuw i8, ptr %copy, i64 80
  store i64 0, ptr %shared20, align 8
  %map21 = getelementptr inbounds nuw i8, ptr %copy, i64 88
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(120) %map21, ptr noundef nonnull align 8 dereferenceable(120) %map, i64 120, i1 false)
  %8 = load i32, ptr %map, align 8
  %tobool22.not = icmp eq i32 %8, 0
  br i1 %tobool22.not, label %if.end101, label %for.cond.preheader

for.cond.preheader:                               ; preds = %if.end
  %box = getelementptr inbounds nuw i8, ptr %map, i64 96
  %wide.trip.count = zext i32 %8 to i64
  br label %for.cond

for.cond:                                         ; preds = %for.cond.preheader, %for.body
  %indvars.iv = phi i64 [ 0, %for.cond.preheader ], [ %indvars.iv.next, %for.body ]
  %mul162 = phi i32 [ %6, %for.cond.preheader ], [ %mul, %for.body ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx27 = getelementptr inbounds nuw i32, ptr %box, i64 %indvars.iv
  %9 = load i32, ptr %arrayidx27, align 4
  %mul = mul nsw i32 %mul162, %9
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  store i32 %mul162, ptr %bytes, align 8
  %conv = sext i32 %mul162 to i64
  %add = add i64 %sub, %conv
  %shared_bytes = getelementptr inbounds nuw i8, ptr %block, i64 2752
  %10 = load i64, ptr %shared_bytes, align 8
  %cmp30 = icmp ugt i64 %add, %10
  br i1 %cmp30, label %if.then33, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %for.end
  %ranks = getelementptr inbounds nuw i8, ptr %block, i64 2680
  %11 = load i32, ptr %ranks, align 8
  %shr = ashr i32 %mask, %11
  %tobool32.not = icmp eq i32 %shr, 0
  br i1 %tobool32.not, label %if.end37, label %if.then33

if.then33:                                        ; preds = %lor.lhs.false, %for.end
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %12 = load ptr, ptr %clocks, align 8
  %tobool34.not = icmp eq ptr %12, null
  br i1 %tobool34.not, label %if.end101, label %if.then35

if.then35:                                        ; preds = %if.then33
  tail call fastcc void @report(i32 noundef 2, i32 noundef %cond, ptr noundef null, i64 noundef -1) #28
  br label %if.end101

if.end37:                                         ; preds = %lor.lhs.false
  %clocks38 = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %13 = load ptr, ptr %clocks38, align 8
  %tobool39.not = icmp eq ptr %13, null
  br i1 %tobool39.not, label %if.end43.thread, label %land.lhs.true

if.end43.thread:                                  ; preds = %if.end37
  %tobool44.not158 = icmp eq i32 %mask, 0
  %shl159 = shl nuw i32 1, %conv.i
  %spec.select160 = select i1 %tobool44.not158, i32 %shl159, i32 %mask
  br label %if.end53

land.lhs.true:                                    ; preds = %if.end37
  %rem.i = and i64 %sub, 127
  %cmp.i.not = icmp eq i64 %rem.i, 0
  br i1 %cmp.i.not, label %if.then49, label %if.then42

if.then42:                                        ; preds = %land.lhs.true
  tail call fastcc void @report(i32 noundef 3, i32 noundef %cond, ptr noundef null, i64 noundef -1) #28
  br label %if.end101

if.then49:                                        ; preds = %land.lhs.true
  %tobool44.not = icmp eq i32 %mask, 0
  %shl = shl nuw i32 1, %conv.i
  %spec.select = select i1 %tobool44.not, i32 %shl, i32 %mask
  tail call fastcc void @settle_write() #28
  %14 = load ptr, ptr %clocks38, align 8
  %count.i.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %15 = load i64, ptr %count.i.i, align 8
  %mul.i.i = shl nsw i64 %15, 1
  %add.i.i = or disjoint i64 %mul.i.i, 1
  %mul.i = mul nsw i64 %add.i.i, %thread
  %add.ptr.i = getelementptr inbounds i32, ptr %14, i64 %mul.i
  %arrayidx51 = getelementptr inbounds i32, ptr %add.ptr.i, i64 %thread
  %16 = load i32, ptr %arrayidx51, align 4
  store i32 %16, ptr %clock, align 4
  br label %if.end53

if.end53:                                         ; preds = %if.end43.thread, %if.then49
  %spec.select161 = phi i32 [ %spec.select160, %if.end43.thread ], [ %spec.select, %if.then49 ]
  %cond76 = select i1 %tobool4.not, ptr %from, ptr %copy
  %lnot.ext = zext i1 %tobool4.not to i32
  %cond90 = select i1 %tobool4.not, ptr @note_store, ptr @note_load
  br label %for.cond55

for.cond55:                                       ; preds = %for.inc92, %if.end53
  %indvars.iv164 = phi i64 [ %indvars.iv.next165, %for.inc92 ], [ 0, %if.end53 ]
  %17 = load i32, ptr %ranks, align 8
  %18 = sext i32 %17 to i64
  %cmp57 = icmp slt i64 %indvars.iv164, %18
  br i1 %cmp57, label %for.body59, label %for.end94

for.body59:                                       ; preds = %for.cond55
  %19 = trunc nuw nsw i64 %indvars.iv164 to i32
  %20 = shl nuw i32 1, %19
  %21 = and i32 %20, %spec.select161
  %tobool61.not = icmp eq i32 %21, 0
  br i1 %tobool61.not, label %for.inc92, label %if.end63

if.end63:                                         ; preds = %for.body59
  %arrayidx66 = getelementptr inbounds nuw i64, ptr %shared5, i64 %indvars.iv164
  %22 = load i64, ptr %arrayidx66, align 8
  store i64 %22, ptr %shared20, align 8
  %add69 = add i64 %22, %sub
  store i64 %add69, ptr %cond76, align 8
  %add80 = add i64 %sub9, %22
  %cond83 = select i1 %tobool4.not, i64 0, i64 %add80
  store i64 %cond83, ptr %mbarrier10, align 8
  %23 = load ptr, ptr %clocks38, align 8
  %tobool86.not = icmp eq ptr %23, null
  br i1 %tobool86.not, label %if.end91, label %if.then87

if.then87:                                        ; preds = %if.end63
  call fastcc void @for_each_box_piece(ptr noundef nonnull %block, ptr noundef nonnull %copy, i32 noundef %lnot.ext, ptr noundef nonnull %cond90) #28
  br label %if.end91

if.end91:                                         ; preds = %if.then87, %if.end63
  call fastcc void @start(ptr noundef nonnull %bulks1, ptr noundef %copy) #28
  br label %for.inc92

for.inc92:                                        ; preds = %for.body59, %if.end91
  %indvars.iv.next165 = add nuw nsw i64 %indvars.iv164, 1
  br label %for.cond55

for.end94:                                        ; preds = %for.cond55
  %24 = load ptr, ptr %clocks38, align 8
  %tobool96.not = icmp eq ptr %24, null
  br i1 %tobool96.not, label %if.end101, label %if.then97

if.then97:                                        ; preds = %for.end94
  %count.i.i153 = getelementptr inbounds nuw i8, ptr %block, i64 8
  %25 = load i64, ptr %count.i.i153, align 8
  %mul.i.i154 = shl nsw i64 %25, 1
  %add.i.i155 = or disjoint i64 %mul.i.i154, 1
  %mul.i156 = mul nsw i64 %add.i.i155, %thread
  %add.ptr.i157 = getelementptr inbounds i32, ptr %24, i64 %mul.i156
  %arrayidx99 = getelementptr inbounds i32, ptr %add.ptr.i157, i64 %thread
  %26 = load i32, ptr %arrayidx99, align 4
  %inc100 = add nsw i32 %26, 1
  store i32 %inc100, ptr %arrayidx99, align 4
  br label %if.end101

if.end101:                                        ; preds = %if.then33, %if.then35, %if.end, %if.then42, %if.then97, %for.end94
  ret void
}

define internal fastcc void @for_each_box_piece(ptr noundef %block, ptr noundef %copy, i32 noundef range(i32 0, 2) %is_store, ptr noundef readonly captures(none) %visit) unnamed_addr #0 {
entry:
  %map1 = getelementptr inbounds nuw i8, ptr %copy, i64 88
  %tobool.not = icmp eq i32 %is_store, 0
  %cond.in.idx = select i1 %tobool.not, i64 0, i64 8
  %cond.in = getelementptr inbounds nuw i8, ptr %copy, i64 %cond.in.idx
  %cond = load i64, ptr %cond.in, align 8
  %span = getelementptr inbounds nuw i8, ptr %copy, i64 96
  %0 = load i32, ptr %span, align 8
  %box = getelementptr inbounds nuw i8, ptr %copy, i64 184
  %1 = load i32, ptr %box, align 8
  %size = getelementptr inbounds nuw i8, ptr %copy, i64 92
  %2 = load i32, ptr %size, align 4
  %3 = load i32, ptr %map1, align 8
  %4 = zext i32 %3 to i64
  br label %for.cond

for.cond:                                         ; preds = %for.body, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 1, %entry ]
  %rows.0 = phi i32 [ %mul12, %for.body ], [ 1, %entry ]
  %cmp = icmp samesign ult i64 %indvars.iv, %4
  br i1 %cmp, label %for.body, label %for.cond13.preheader

for.cond13.preheader:                             ; preds = %for.cond
  %tobool2.not = icmp eq i32 %0, 0
  %sub = add i32 %0, -16
  %narrow = select i1 %tobool2.not, i32 0, i32 %sub
  %cond7 = zext i32 %narrow to i64
  %mul = mul i32 %2, %1
  %div = udiv i32 16, %2
  %base18 = getelementptr inbounds nuw i8, ptr %copy, i64 104
  %at = getelementptr inbounds nuw i8, ptr %copy, i64 60
  %sizes = getelementptr inbounds nuw i8, ptr %copy, i64 112
  %div51152 = lshr i32 %mul, 4
  %shared = getelementptr inbounds nuw i8, ptr %copy, i64 80
  %5 = zext nneg i32 %div to i64
  %wide.trip.count170 = zext i32 %rows.0 to i64
  %6 = getelementptr i8, ptr %copy, i64 144
  %wide.trip.count = zext nneg i32 %div51152 to i64
  br label %for.cond13

for.body:                                         ; preds = %for.cond
  %arrayidx11 = getelementptr inbounds nuw i32, ptr %box, i64 %indvars.iv
  %7 = load i32, ptr %arrayidx11, align 4
  %mul12 = mul i32 %7, %rows.0
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.cond13:                                       ; preds = %for.cond13.preheader, %for.inc98
  %indvars.iv166 = phi i64 [ 0, %for.cond13.preheader ], [ %indvars.iv.next167, %for.inc98 ]
  %exitcond171.not = icmp eq i64 %indvars.iv166, %wide.trip.count170
  br i1 %exitcond171.not, label %for.end100, label %for.body16

for.body16:                                       ; preds = %for.cond13
  %8 = load i64, ptr %base18, align 8
  %9 = load i32, ptr %map1, align 8
  %10 = zext i32 %9 to i64
  %11 = trunc nuw i64 %indvars.iv166 to i32
  br label %for.cond20

for.cond20:                                       ; preds = %if.end, %for.body16
  %indvars.iv154 = phi i64 [ %indvars.iv.next155, %if.end ], [ 1, %for.body16 ]
  %from17.0 = phi i64 [ %add42, %if.end ], [ %8, %for.body16 ]
  %rest.0 = phi i32 [ %div47, %if.end ], [ %11, %for.body16 ]
  %is_inside.0 = phi i32 [ %is_inside.1, %if.end ], [ 1, %for.body16 ]
  %cmp22 = icmp samesign ult i64 %indvars.iv154, %10
  br i1 %cmp22, label %for.body24, label %for.cond50.preheader

for.cond50.preheader:                             ; preds = %for.cond20
  %tobool65 = icmp ne i32 %is_inside.0, 0
  %mul83 = mul i32 %mul, %11
  %conv84 = zext i32 %mul83 to i64
  %sub82 = add i64 %cond, %conv84
  br label %for.cond50

for.body24:                                       ; preds = %for.cond20
  %arrayidx26 = getelementptr inbounds nuw i32, ptr %at, i64 %indvars.iv154
  %12 = load i32, ptr %arrayidx26, align 4
  %conv27 = sext i32 %12 to i64
  %arrayidx30 = getelementptr inbounds nuw i32, ptr %box, i64 %indvars.iv154
  %13 = load i32, ptr %arrayidx30, align 4
  %rem = urem i32 %rest.0, %13
  %div47 = udiv i32 %rest.0, %13
  %conv31 = zext i32 %rem to i64
  %add = add nsw i64 %conv31, %conv27
  %cmp32 = icmp slt i64 %add, 0
  br i1 %cmp32, label %if.then, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %for.body24
  %arrayidx35 = getelementptr inbounds nuw i64, ptr %sizes, i64 %indvars.iv154
  %14 = load i64, ptr %arrayidx35, align 8
  %cmp36.not = icmp ult i64 %add, %14
  br i1 %cmp36.not, label %if.end, label %if.then

if.then:                                          ; preds = %lor.lhs.false, %for.body24
  br label %if.end

if.end:                                           ; preds = %if.then, %lor.lhs.false
  %is_inside.1 = phi i32 [ 0, %if.then ], [ %is_inside.0, %lor.lhs.false ]
  %arrayidx40 = getelementptr i64, ptr %6, i64 %indvars.iv154
  %15 = load i64, ptr %arrayidx40, align 8
  %mul41 = mul i64 %15, %add
  %add42 = add i64 %mul41, %from17.0
  %indvars.iv.next155 = add nuw nsw i64 %indvars.iv154, 1
  br label %for.cond20

for.cond50:                                       ; preds = %for.cond50.preheader, %for.end81
  %indvars.iv161 = phi i64 [ 0, %for.cond50.preheader ], [ %indvars.iv.next162, %for.end81 ]
  %exitcond.not = icmp eq i64 %indvars.iv161, %wide.trip.count
  br i1 %exitcond.not, label %for.inc98, label %for.body54

for.body54:                                       ; preds = %for.cond50
  %16 = load i32, ptr %at, align 4
  %conv57 = sext i32 %16 to i64
  %17 = mul nuw nsw i64 %indvars.iv161, %5
  %add60 = add nsw i64 %17, %conv57
  br label %for.cond62

for.cond62:                                       ; preds = %for.inc79, %for.body54
  %indvars.iv158 = phi i64 [ %indvars.iv.next159, %for.inc79 ], [ 0, %for.body54 ]
  %elements.0 = phi i32 [ %elements.1, %for.inc79 ], [ 0, %for.body54 ]
  %cmp63 = icmp samesign ult i64 %indvars.iv158, %5
  %18 = select i1 %cmp63, i1 %tobool65, i1 false
  br i1 %18, label %for.body66, label %for.end81

for.body66:                                       ; preds = %for.cond62
  %add68 = add nsw i64 %add60, %indvars.iv158
  %cmp69 = icmp sgt i64 %add68, -1
  br i1 %cmp69, label %land.lhs.true, label %for.inc79

land.lhs.true:                                    ; preds = %for.body66
  %19 = load i64, ptr %sizes, align 8
  %cmp75 = icmp ult i64 %add68, %19
  br i1 %cmp75, label %if.then77, label %for.inc79

if.then77:                                        ; preds = %land.lhs.true
  %20 = trunc nuw nsw i64 %indvars.iv158 to i32
  %shl = shl nuw nsw i32 1, %20
  %or = or i32 %shl, %elements.0
  br label %for.inc79

for.inc79:                                        ; preds = %for.body66, %land.lhs.true, %if.then77
  %elements.1 = phi i32 [ %or, %if.then77 ], [ %elements.0, %land.lhs.true ], [ %elements.0, %for.body66 ]
  %indvars.iv.next159 = add nuw nsw i64 %indvars.iv158, 1
  br label %for.cond62

for.end81:                                        ; preds = %for.cond62
  %21 = load i64, ptr %shared, align 8
  %22 = shl nuw i64 %indvars.iv161, 4
  %add85 = add i64 %sub82, %22
  %add88 = sub i64 %add85, %21
  %shr = lshr i64 %add88, 3
  %and = and i64 %shr, %cond7
  %xor = xor i64 %and, %add88
  %add90 = add i64 %xor, %21
  %23 = load i32, ptr %size, align 4
  %conv92 = zext i32 %23 to i64
  %mul93 = mul i64 %add60, %conv92
  %add94 = add i64 %mul93, %from17.0
  tail call void %visit(ptr noundef %block, ptr noundef %copy, i64 noundef %add90, i64 noundef %add94, i32 noundef %elements.0) #27
  %indvars.iv.next162 = add nuw nsw i64 %indvars.iv161, 1
  br label %for.cond50

for.inc98:                                        ; preds = %for.cond50
  %indvars.iv.next167 = add nuw nsw i64 %indvars.iv166, 1
  br label %for.cond13

for.end100:                                       ; preds = %for.cond13
  ret void
}

define internal void @note_load(ptr readnone captures(none) %block, ptr noundef readonly captures(none) %copy, i64 noundef %shared, i64 noundef %from, i32 noundef %elements) #0 {
entry:
  %size = getelementptr inbounds nuw i8, ptr %copy, i64 92
  %source_site = getelementptr inbounds nuw i8, ptr %copy, i64 40
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i32 [ 0, %entry ], [ %inc, %for.inc ]
  %0 = load i32, ptr %size, align 4
  %div = udiv i32 16, %0
  %cmp = icmp samesign ult i32 %i.0, %div
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %1 = shl nuw nsw i32 1, %i.0
  %2 = and i32 %1, %elements
  %tobool.not = icmp eq i32 %2, 0
  br i1 %tobool.not, label %for.inc, label %if.then

if.then:                                          ; preds = %for.body
  %mul = mul i32 %0, %i.0
  %conv = zext i32 %mul to i64
  %add = add i64 %from, %conv
  %conv5 = zext i32 %0 to i64
  %3 = load i32, ptr %source_site, align 8
  %call = tail call i32 @kc_emu_pointer(i64 noundef %add, i64 noundef %conv5, i64 noundef 1, i32 noundef %3, i32 noundef 24) #28
  br label %for.inc

for.inc:                                          ; preds = %for.body, %if.then
  %inc = add nuw nsw i32 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %site = getelementptr inbounds nuw i8, ptr %copy, i64 36
  %4 = load i32, ptr %site, align 4
  %call6 = tail call i32 @kc_emu_pointer(i64 noundef %shared, i64 noundef 16, i64 noundef 16, i32 noundef %4, i32 noundef 25) #28
  tail call fastcc void @settle_write() #28
  ret void
}

define internal void @note_store(ptr readnone captures(none) %block, ptr noundef readonly captures(none) %copy, i64 noundef %shared, i64 noundef %to, i32 noundef %elements) #0 {
entry:
  %source_site = getelementptr inbounds nuw i8, ptr %copy, i64 40
  %0 = load i32, ptr %source_site, align 8
  %call = tail call i32 @kc_emu_pointer(i64 noundef %shared, i64 noundef 16, i64 noundef 16, i32 noundef %0, i32 noundef 24) #28
  %size = getelementptr inbounds nuw i8, ptr %copy, i64 92
  %site = getelementptr inbounds nuw i8, ptr %copy, i64 36
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i32 [ 0, %entry ], [ %inc, %for.inc ]
  %1 = load i32, ptr %size, align 4
  %div = udiv i32 16, %1
  %cmp = icmp samesign ult i32 %i.0, %div
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %2 = shl nuw nsw i32 1, %i.0
  %3 = and i32 %2, %elements
  %tobool.not = icmp eq i32 %3, 0
  br i1 %tobool.not, label %for.inc, label %if.end

if.end:                                           ; preds = %for.body
  %mul = mul i32 %1, %i.0
  %conv = zext i32 %mul to i64
  %add = add i64 %to, %conv
  %conv5 = zext i32 %1 to i64
  %4 = load i32, ptr %site, align 4
  %call6 = tail call i32 @kc_emu_pointer(i64 noundef %add, i64 noundef %conv5, i64 noundef 1, i32 noundef %4, i32 noundef 25) #28
  tail call fastcc void @settle_write() #28
  br label %for.inc

for.inc:                                          ; preds = %for.body, %if.end
  %inc = add nuw nsw i32 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

define void @kc_emu_bulk_commit(ptr noundef captures(none) %block, i64 noundef %thread) local_unnamed_addr #0 {
entry:
  %groups = getelementptr inbounds nuw i8, ptr %block, i64 2656
  %0 = load ptr, ptr %groups, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %1 = load i64, ptr %count, align 8
  %call = tail call ptr @calloc(i64 noundef %1, i64 noundef 4) #27
  store ptr %call, ptr %groups, align 8
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %2 = phi ptr [ %call, %if.then ], [ %0, %entry ]
  %arrayidx = getelementptr inbounds i32, ptr %2, i64 %thread
  %3 = load i32, ptr %arrayidx, align 4
  %inc = add nsw i32 %3, 1
  store i32 %inc, ptr %arrayidx, align 4
  ret void
}

define void @kc_emu_bulk_done(ptr noundef %block, i64 noundef %thread, i32 noundef %left, i32 noundef %reads) local_unnamed_addr #0 {
entry:
  %bulks1 = getelementptr inbounds nuw i8, ptr %block, i64 2640
  tail call fastcc void @settle_if(ptr noundef %block) #28
  %count = getelementptr inbounds nuw i8, ptr %block, i64 2648
  %groups = getelementptr inbounds nuw i8, ptr %block, i64 2656
  %tobool8 = icmp ne i32 %reads, 0
  br label %for.cond.outer

for.cond.outer:                                   ; preds = %if.else, %entry
  %i.0.ph = phi i32 [ %inc, %if.else ], [ 0, %entry ]
  %idxprom = zext nneg i32 %i.0.ph to i64
  br label %for.cond

for.cond:                                         ; preds = %for.cond.outer, %if.then12
  %0 = load i32, ptr %count, align 8
  %cmp = icmp slt i32 %i.0.ph, %0
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %1 = load ptr, ptr %bulks1, align 8
  %arrayidx = getelementptr inbounds nuw %struct.Bulk, ptr %1, i64 %idxprom
  %thread2 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %2 = load i64, ptr %thread2, align 8
  %cmp3 = icmp eq i64 %2, %thread
  br i1 %cmp3, label %land.lhs.true, label %if.else

land.lhs.true:                                    ; preds = %for.body
  %mbarrier = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %3 = load i64, ptr %mbarrier, align 8
  %tobool.not = icmp eq i64 %3, 0
  br i1 %tobool.not, label %land.end, label %if.else

land.end:                                         ; preds = %land.lhs.true
  %group = getelementptr inbounds nuw i8, ptr %arrayidx, i64 48
  %4 = load i32, ptr %group, align 8
  %5 = load ptr, ptr %groups, align 8
  %arrayidx4 = getelementptr inbounds i32, ptr %5, i64 %thread
  %6 = load i32, ptr %arrayidx4, align 4
  %sub = sub nsw i32 %6, %left
  %cmp5 = icmp slt i32 %4, %sub
  %or.cond = and i1 %tobool8, %cmp5
  br i1 %or.cond, label %if.end.thread, label %if.end

if.end.thread:                                    ; preds = %land.end
  tail call fastcc void @do_bulk(ptr noundef nonnull %block, ptr noundef nonnull %arrayidx) #28
  br label %if.else

if.end:                                           ; preds = %land.end
  %tobool9 = xor i1 %cmp5, true
  %or.cond14 = or i1 %tobool8, %tobool9
  br i1 %or.cond14, label %if.else, label %if.then12

if.then12:                                        ; preds = %if.end
  tail call fastcc void @end_bulk(ptr noundef nonnull %block, i32 noundef %i.0.ph) #28
  br label %for.cond

if.else:                                          ; preds = %land.lhs.true, %for.body, %if.end, %if.end.thread
  %inc = add nuw nsw i32 %i.0.ph, 1
  br label %for.cond.outer

for.end:                                          ; preds = %for.cond
  ret void
}

define internal fastcc void @do_bulk(ptr noundef %block, ptr noundef %copy) unnamed_addr #0 {
entry:
  %is_read = getelementptr inbounds nuw i8, ptr %copy, i64 56
  %0 = load i32, ptr %is_read, align 8
  %tobool.not = icmp eq i32 %0, 0
  br i1 %tobool.not, label %if.end, label %return

if.end:                                           ; preds = %entry
  store i32 1, ptr %is_read, align 8
  %map = getelementptr inbounds nuw i8, ptr %copy, i64 88
  %1 = load i32, ptr %map, align 8
  %tobool2.not = icmp eq i32 %1, 0
  br i1 %tobool2.not, label %if.end7, label %if.then3

if.then3:                                         ; preds = %if.end
  %mbarrier = getelementptr inbounds nuw i8, ptr %copy, i64 16
  %2 = load i64, ptr %mbarrier, align 8
  %tobool4.not = icmp eq i64 %2, 0
  %lnot.ext = zext i1 %tobool4.not to i32
  %cond = select i1 %tobool4.not, ptr @do_store, ptr @do_load
  tail call fastcc void @for_each_box_piece(ptr noundef %block, ptr noundef nonnull %copy, i32 noundef %lnot.ext, ptr noundef nonnull %cond) #28
  br label %return

if.end7:                                          ; preds = %if.end
  %3 = load i64, ptr %copy, align 8
  %4 = inttoptr i64 %3 to ptr
  %from = getelementptr inbounds nuw i8, ptr %copy, i64 8
  %5 = load i64, ptr %from, align 8
  %6 = inttoptr i64 %5 to ptr
  %bytes = getelementptr inbounds nuw i8, ptr %copy, i64 32
  %7 = load i32, ptr %bytes, align 8
  %conv = sext i32 %7 to i64
  %call = tail call ptr @memcpy(ptr noundef %4, ptr noundef %6, i64 noundef %conv) #27
  %8 = load i64, ptr %from, align 8
  %9 = load i32, ptr %bytes, align 8
  %conv10 = sext i32 %9 to i64
  %thread = getelementptr inbounds nuw i8, ptr %copy, i64 24
  %10 = load i64, ptr %thread, align 8
  %source_site = getelementptr inbounds nuw i8, ptr %copy, i64 40
  %11 = load i32, ptr %source_site, align 8
  %clock = getelementptr inbounds nuw i8, ptr %copy, i64 52
  %12 = load i32, ptr %clock, align 4
  tail call fastcc void @finish_at(ptr noundef %block, i64 noundef %8, i64 noundef %conv10, i64 noundef %10, i32 noundef %11, i32 noundef %12) #28
  br label %return

return:                                           ; preds = %entry, %if.end7, %if.then3
  ret void
}

define internal fastcc void @end_bulk(ptr noundef %block, i32 noundef %number) unnamed_addr #0 {
entry:
  %copy = alloca %struct.Bulk, align 8
  %saved = alloca %struct.Access, align 4
  %maker = alloca %struct.Access, align 4
  %bulks1 = getelementptr inbounds nuw i8, ptr %block, i64 2640
  %0 = load ptr, ptr %bulks1, align 8
  %idxprom = sext i32 %number to i64
  %arrayidx = getelementptr inbounds %struct.Bulk, ptr %0, i64 %idxprom
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(208) %copy, ptr noundef nonnull align 8 dereferenceable(208) %arrayidx, i64 208, i1 false)
  call fastcc void @do_bulk(ptr noundef %block, ptr noundef nonnull %copy) #28
  %map = getelementptr inbounds nuw i8, ptr %copy, i64 88
  %1 = load i32, ptr %map, align 8
  %tobool.not = icmp eq i32 %1, 0
  br i1 %tobool.not, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  %2 = load i64, ptr %copy, align 8
  %bytes = getelementptr inbounds nuw i8, ptr %copy, i64 32
  %3 = load i32, ptr %bytes, align 8
  %conv = sext i32 %3 to i64
  %thread = getelementptr inbounds nuw i8, ptr %copy, i64 24
  %4 = load i64, ptr %thread, align 8
  %site = getelementptr inbounds nuw i8, ptr %copy, i64 36
  %5 = load i32, ptr %site, align 4
  %clock = getelementptr inbounds nuw i8, ptr %copy, i64 52
  %6 = load i32, ptr %clock, align 4
  call fastcc void @finish_at(ptr noundef nonnull %block, i64 noundef %2, i64 noundef %conv, i64 noundef %4, i32 noundef %5, i32 noundef %6) #28
  br label %if.end7

if.else:                                          ; preds = %entry
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %7 = load ptr, ptr %clocks, align 8
  %tobool2.not = icmp eq ptr %7, null
  br i1 %tobool2.not, label %if.end7, label %if.then3

if.then3:                                         ; preds = %if.else
  %mbarrier = getelementptr inbounds nuw i8, ptr %copy, i64 16
  %8 = load i64, ptr %mbarrier, align 8
  %tobool4.not = icmp eq i64 %8, 0
  %lnot.ext = zext i1 %tobool4.not to i32
  %cond = select i1 %tobool4.not, ptr @end_store, ptr @end_load
  call fastcc void @for_each_box_piece(ptr noundef nonnull %block, ptr noundef nonnull %copy, i32 noundef %lnot.ext, ptr noundef nonnull %cond) #28
  br label %if.end7

if.end7:                                          ; preds = %if.else, %if.then3, %if.then
  %count = getelementptr inbounds nuw i8, ptr %block, i64 2648
  %9 = load i32, ptr %count, align 8
  %dec = add nsw i32 %9, -1
  store i32 %dec, ptr %count, align 8
  br label %for.cond

for.cond:                                         ; preds = %for.body, %if.end7
  %10 = phi i32 [ %.pre, %for.body ], [ %dec, %if.end7 ]
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ %idxprom, %if.end7 ]
  %11 = sext i32 %10 to i64
  %cmp = icmp slt i64 %indvars.iv, %11
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %12 = load ptr, ptr %bulks1, align 8
  %arrayidx12 = getelementptr inbounds %struct.Bulk, ptr %12, i64 %indvars.iv
  %indvars.iv.next = add nsw i64 %indvars.iv, 1
  %arrayidx15 = getelementptr inbounds %struct.Bulk, ptr %12, i64 %indvars.iv.next
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(208) %arrayidx12, ptr noundef nonnull align 8 dereferenceable(208) %arrayidx15, i64 208, i1 false)
  %.pre = load i32, ptr %count, align 8
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %mbarrier16 = getelementptr inbounds nuw i8, ptr %copy, i64 16
  %13 = load i64, ptr %mbarrier16, align 8
  %tobool17.not = icmp eq i64 %13, 0
  br i1 %tobool17.not, label %return, label %if.end19

if.end19:                                         ; preds = %for.end
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %saved, ptr noundef nonnull align 4 dereferenceable(16) @now, i64 16, i1 false)
  %thread20 = getelementptr inbounds nuw i8, ptr %copy, i64 24
  %14 = load i64, ptr %thread20, align 8
  %conv21 = trunc i64 %14 to i16
  %and = and i16 %conv21, 8191
  %bf.load = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear = and i16 %bf.load, -8192
  %bf.set = or disjoint i16 %bf.clear, %and
  store i16 %bf.set, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %call = call fastcc ptr @order_of(ptr noundef nonnull %block, i32 noundef 0, i64 noundef %13) #28
  %tobool25.not = icmp eq ptr %call, null
  br i1 %tobool25.not, label %if.end64, label %land.lhs.true

land.lhs.true:                                    ; preds = %if.end19
  %coming = getelementptr inbounds nuw i8, ptr %call, i64 32
  %15 = load ptr, ptr %coming, align 8
  %16 = load i64, ptr %thread20, align 8
  %arrayidx27 = getelementptr inbounds i32, ptr %15, i64 %16
  %17 = load i32, ptr %arrayidx27, align 4
  %clock28 = getelementptr inbounds nuw i8, ptr %copy, i64 52
  %18 = load i32, ptr %clock28, align 4
  %cmp29 = icmp slt i32 %17, %18
  br i1 %cmp29, label %if.then31, label %if.end36

if.then31:                                        ; preds = %land.lhs.true
  store i32 %18, ptr %arrayidx27, align 4
  br label %if.end36

if.end36:                                         ; preds = %if.then31, %land.lhs.true
  %clocks37 = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %19 = load ptr, ptr %clocks37, align 8
  %tobool38.not = icmp eq ptr %19, null
  br i1 %tobool38.not, label %if.end64, label %land.lhs.true41

land.lhs.true41:                                  ; preds = %if.end36
  %is_made = getelementptr inbounds nuw i8, ptr %call, i64 8
  %20 = load i32, ptr %is_made, align 8
  %tobool42.not = icmp eq i32 %20, 0
  br i1 %tobool42.not, label %if.end64, label %land.lhs.true43

land.lhs.true43:                                  ; preds = %land.lhs.true41
  %is_fenced = getelementptr inbounds nuw i8, ptr %call, i64 12
  %21 = load i32, ptr %is_fenced, align 4
  %tobool44.not = icmp eq i32 %21, 0
  br i1 %tobool44.not, label %if.then45, label %if.end64

if.then45:                                        ; preds = %land.lhs.true43
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %maker, ptr noundef nonnull align 4 dereferenceable(16) @now, i64 16, i1 false)
  %maker46 = getelementptr inbounds nuw i8, ptr %call, i64 16
  %22 = load i32, ptr %maker46, align 8
  %23 = trunc i32 %22 to i16
  %conv50 = and i16 %23, 8191
  %thread51 = getelementptr inbounds nuw i8, ptr %maker, i64 14
  %bf.load52 = load i16, ptr %thread51, align 2
  %bf.clear54 = and i16 %bf.load52, -8192
  %bf.set55 = or disjoint i16 %bf.clear54, %conv50
  store i16 %bf.set55, ptr %thread51, align 2
  %site56 = getelementptr inbounds nuw i8, ptr %call, i64 20
  %24 = load i32, ptr %site56, align 4
  %conv57 = trunc i32 %24 to i16
  %site58 = getelementptr inbounds nuw i8, ptr %maker, i64 12
  store i16 %conv57, ptr %site58, align 4
  %25 = load i64, ptr %mbarrier16, align 8
  %call60 = call fastcc i32 @find_buffer(i64 noundef %25) #28
  %idxprom61 = sext i32 %call60 to i64
  %arrayidx62 = getelementptr inbounds %struct.Buffer, ptr @buffers, i64 %idxprom61
  %mbarrier_site = getelementptr inbounds nuw i8, ptr %copy, i64 44
  %26 = load i32, ptr %mbarrier_site, align 4
  %27 = load i64, ptr %arrayidx62, align 16
  %sub = sub i64 %25, %27
  %granule = getelementptr inbounds nuw i8, ptr %arrayidx62, i64 16
  %28 = load i64, ptr %granule, align 16
  %div = sdiv i64 %sub, %28
  call fastcc void @report(i32 noundef 7, i32 noundef %26, ptr noundef nonnull %maker, i64 noundef %div) #28
  br label %if.end64

if.end64:                                         ; preds = %if.end19, %if.then45, %land.lhs.true43, %land.lhs.true41, %if.end36
  %29 = load i64, ptr %thread20, align 8
  %30 = load i64, ptr %mbarrier16, align 8
  %bytes67 = getelementptr inbounds nuw i8, ptr %copy, i64 32
  %31 = load i32, ptr %bytes67, align 8
  %conv68 = sext i32 %31 to i64
  %mbarrier_site69 = getelementptr inbounds nuw i8, ptr %copy, i64 44
  %32 = load i32, ptr %mbarrier_site69, align 4
  %call70 = call fastcc i64 @change(ptr noundef nonnull %block, i64 noundef %29, i32 noundef 5, i64 noundef %30, i64 noundef %conv68, i32 noundef %32) #28
  call fastcc void @settle_if(ptr noundef nonnull %block) #28
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) @now, ptr noundef nonnull align 4 dereferenceable(16) %saved, i64 16, i1 false)
  br label %return

return:                                           ; preds = %for.end, %if.end64
  ret void
}

define void @kc_emu_leave(ptr noundef readonly captures(none) %block, i64 noundef %thread, i32 noundef %n, i64 noundef %word) local_unnamed_addr #16 {
entry:
  %words = getelementptr inbounds nuw i8, ptr %block, i64 32
  %0 = load ptr, ptr %words, align 8
  %arrayidx = getelementptr inbounds [32 x i64], ptr %0, i64 %thread
  %idxprom = sext i32 %n to i64
  %arrayidx1 = getelementptr inbounds i64, ptr %arrayidx, i64 %idxprom
  store i64 %word, ptr %arrayidx1, align 8
  ret void
}

define void @kc_emu_row(ptr noundef readonly captures(none) %block, i64 noundef %thread, i64 noundef %address, i32 noundef %count, i32 noundef %site, i32 noundef %flags) local_unnamed_addr #0 {
entry:
  %rows = getelementptr inbounds nuw i8, ptr %block, i64 40
  %0 = load ptr, ptr %rows, align 8
  %arrayidx = getelementptr inbounds i64, ptr %0, i64 %thread
  store i64 %address, ptr %arrayidx, align 8
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %1 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %1, null
  br i1 %tobool.not, label %if.end6, label %land.lhs.true

land.lhs.true:                                    ; preds = %entry
  %rem = srem i64 %thread, 32
  %mul = shl nsw i32 %count, 3
  %conv = sext i32 %mul to i64
  %cmp = icmp slt i64 %rem, %conv
  br i1 %cmp, label %if.then, label %if.end6

if.then:                                          ; preds = %land.lhs.true
  %call = tail call i32 @kc_emu_pointer(i64 noundef %address, i64 noundef 16, i64 noundef 16, i32 noundef %site, i32 noundef %flags) #28
  %tobool2.not = icmp eq i32 %call, 0
  br i1 %tobool2.not, label %if.then3, label %if.end

if.then3:                                         ; preds = %if.then
  %2 = load ptr, ptr %rows, align 8
  %arrayidx5 = getelementptr inbounds i64, ptr %2, i64 %thread
  store i64 0, ptr %arrayidx5, align 8
  br label %if.end

if.end:                                           ; preds = %if.then3, %if.then
  store i32 1, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 40), align 8
  br label %if.end6

if.end6:                                          ; preds = %if.end, %land.lhs.true, %entry
  ret void
}

define i32 @kc_emu_matrix_load(ptr noundef readonly captures(none) %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned) local_unnamed_addr #18 {
entry:
  %call = tail call fastcc ptr @matrix_element(ptr noundef %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned, i32 noundef 0) #28
  %0 = load i16, ptr %call, align 2
  %conv = zext i16 %0 to i32
  %call1 = tail call fastcc ptr @matrix_element(ptr noundef %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned, i32 noundef 1) #28
  %1 = load i16, ptr %call1, align 2
  %conv2 = zext i16 %1 to i32
  %shl = shl nuw i32 %conv2, 16
  %or = or disjoint i32 %shl, %conv
  ret i32 %or
}

define internal fastcc ptr @matrix_element(ptr noundef readonly captures(none) %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned, i32 noundef range(i32 0, 2) %n) unnamed_addr #18 {
entry:
  %rem = srem i64 %thread, 32
  %rem1.lhs.trunc = trunc nsw i64 %rem to i8
  %rem140 = srem i8 %rem1.lhs.trunc, 4
  %rem1.sext = sext i8 %rem140 to i32
  %mul = shl nsw i32 %rem1.sext, 1
  %add = or disjoint i32 %mul, %n
  %sub = sub nsw i64 %thread, %rem
  %mul3 = shl nsw i32 %matrix, 3
  %conv4 = sext i32 %mul3 to i64
  %add5 = add nsw i64 %sub, %conv4
  %tobool.not = icmp eq i32 %turned, 0
  %div41 = sdiv i8 %rem1.lhs.trunc, 4
  %div.sext = sext i8 %div41 to i32
  %cond = select i1 %tobool.not, i32 %div.sext, i32 %add
  %conv6 = sext i32 %cond to i64
  %add7 = add nsw i64 %add5, %conv6
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %0 = load i64, ptr %count, align 8
  %sub10 = add nsw i64 %0, -1
  %owner.0 = tail call i64 @llvm.smin.i64(i64 %add7, i64 %sub10)
  %rows = getelementptr inbounds nuw i8, ptr %block, i64 40
  %1 = load ptr, ptr %rows, align 8
  %arrayidx = getelementptr inbounds i64, ptr %1, i64 %owner.0
  %2 = load i64, ptr %arrayidx, align 8
  %tobool11.not = icmp eq i64 %2, 0
  br i1 %tobool11.not, label %cond.false15, label %cond.true12

cond.true12:                                      ; preds = %entry
  %3 = inttoptr i64 %2 to ptr
  br label %cond.end17

cond.false15:                                     ; preds = %entry
  %words = getelementptr inbounds nuw i8, ptr %block, i64 32
  %4 = load ptr, ptr %words, align 8
  %arrayidx16 = getelementptr inbounds [32 x i64], ptr %4, i64 %owner.0
  %add.ptr = getelementptr inbounds nuw i8, ptr %arrayidx16, i64 16
  br label %cond.end17

cond.end17:                                       ; preds = %cond.false15, %cond.true12
  %cond18 = phi ptr [ %3, %cond.true12 ], [ %add.ptr, %cond.false15 ]
  %cond24 = select i1 %tobool.not, i32 %add, i32 %div.sext
  %idx.ext = sext i32 %cond24 to i64
  %add.ptr25 = getelementptr inbounds i16, ptr %cond18, i64 %idx.ext
  ret ptr %add.ptr25
}

define void @kc_emu_matrix_store(ptr noundef readonly captures(none) %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned, i32 noundef %word) local_unnamed_addr #15 {
entry:
  %conv = trunc i32 %word to i16
  %call = tail call fastcc ptr @matrix_element(ptr noundef %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned, i32 noundef 0) #28
  store i16 %conv, ptr %call, align 2
  %shr = lshr i32 %word, 16
  %conv1 = trunc nuw i32 %shr to i16
  %call2 = tail call fastcc ptr @matrix_element(ptr noundef %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned, i32 noundef 1) #28
  store i16 %conv1, ptr %call2, align 2
  ret void
}

define i64 @kc_emu_mma(ptr noundef readonly captures(none) %block, i64 noundef %thread, i32 noundef %shape, i32 noundef %types, i32 noundef %index, i64 noundef %c) local_unnamed_addr #0 {
entry:
  %shr = lshr i32 %shape, 16
  %and = and i32 %shr, 255
  %shr1 = lshr i32 %shape, 8
  %and2 = and i32 %shr1, 255
  %and3 = and i32 %shape, 255
  %tobool.not = icmp eq i32 %and3, 0
  %cond = select i1 %tobool.not, i32 256, i32 %and3
  %and5 = and i32 %types, 15
  %shr6 = lshr i32 %types, 4
  %and7 = and i32 %shr6, 15
  %shr8 = lshr i32 %types, 8
  %and9 = and i32 %shr8, 15
  %shr10156 = lshr i32 %types, 12
  %div = sdiv i64 %thread, 32
  %mul = shl nsw i64 %div, 5
  %rem = srem i64 %thread, 32
  %call = tail call fastcc i32 @packing(i32 noundef %and9) #28
  %mul12 = mul nsw i32 %call, %index
  %0 = and i32 %types, 16384
  %tobool14.not = icmp eq i32 %0, 0
  %mul15 = mul nuw nsw i32 %and, %and2
  %div16153 = lshr i32 %mul15, 5
  %conv = trunc nsw i64 %rem to i32
  %mul17 = mul nsw i32 %div16153, %conv
  %div23.lhs.trunc = trunc nsw i64 %rem to i8
  %div23172 = sdiv i8 %div23.lhs.trunc, 4
  %div23.sext = sext i8 %div23172 to i32
  %rem28.lhs.trunc = trunc nsw i64 %rem to i8
  %rem28173 = srem i8 %rem28.lhs.trunc, 4
  %rem28.sext = sext i8 %rem28173 to i32
  %mul29 = shl nsw i32 %rem28.sext, 1
  %cmp65 = icmp eq i32 %and5, 9
  %mul42 = mul nuw nsw i32 %cond, %and
  %div4.i = lshr i32 %mul42, 5
  %mul52 = mul nuw nsw i32 %cond, %and2
  %div4.i158 = lshr i32 %mul52, 5
  %1 = and i32 %types, 8192
  %tobool74.not = icmp eq i32 %1, 0
  %and87 = and i32 %shr10156, 1
  br label %for.cond

for.cond:                                         ; preds = %for.end, %entry
  %part.0 = phi i32 [ 0, %entry ], [ %inc90, %for.end ]
  %result.0 = phi i64 [ %c, %entry ], [ %call88, %for.end ]
  %exitcond171.not = icmp eq i32 %part.0, %call
  br i1 %exitcond171.not, label %for.end91, label %for.body

for.body:                                         ; preds = %for.cond
  %add = add nsw i32 %mul12, %part.0
  br i1 %tobool14.not, label %if.else, label %if.then

if.then:                                          ; preds = %for.body
  %rem18 = srem i32 %add, %div16153
  %add19 = add nsw i32 %rem18, %mul17
  %div20 = sdiv i32 %add19, %and2
  %rem21 = srem i32 %add19, %and2
  br label %if.end

if.else:                                          ; preds = %for.body
  %div24 = sdiv i32 %add, 2
  %mul25 = shl nsw i32 %div24, 3
  %add26 = add nsw i32 %mul25, %div23.sext
  %rem30 = srem i32 %add, 2
  %add31 = add nsw i32 %rem30, %mul29
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %column.0 = phi i32 [ %rem21, %if.then ], [ %add31, %if.else ]
  %row.0 = phi i32 [ %div20, %if.then ], [ %add26, %if.else ]
  %call32 = tail call fastcc double @number_in(i64 noundef %c, i32 noundef %and9, i32 noundef %part.0) #28
  %call60 = tail call fastcc i32 @packing(i32 noundef %and5) #28
  %call63 = tail call fastcc i32 @packing(i32 noundef %and7) #28
  %mul40 = mul nsw i32 %row.0, %cond
  br label %for.cond33

for.cond33:                                       ; preds = %for.inc, %if.end
  %at.0 = phi i32 [ 0, %if.end ], [ %inc, %for.inc ]
  %sum.0 = phi double [ %call32, %if.end ], [ %sum.1, %for.inc ]
  %exitcond.not = icmp eq i32 %at.0, %cond
  br i1 %exitcond.not, label %for.end, label %for.body36

for.body36:                                       ; preds = %for.cond33
  br i1 %tobool14.not, label %cond.false54, label %cond.true49

cond.true49:                                      ; preds = %for.body36
  %add41 = add nsw i32 %at.0, %mul40
  %div1.i = sdiv i32 %add41, %div4.i
  %conv.i = sext i32 %div1.i to i64
  %rem.i = srem i32 %add41, %div4.i
  %mul50 = mul nuw nsw i32 %at.0, %and2
  %add51 = add nsw i32 %mul50, %column.0
  %div1.i159 = sdiv i32 %add51, %div4.i158
  %conv.i160 = sext i32 %div1.i159 to i64
  %rem.i161 = srem i32 %add51, %div4.i158
  %.fca.0.insert.i162 = insertvalue { i64, i32 } poison, i64 %conv.i160, 0
  %.fca.1.insert.i163 = insertvalue { i64, i32 } %.fca.0.insert.i162, i32 %rem.i161, 1
  br label %cond.end56

cond.false54:                                     ; preds = %for.body36
  %call45 = tail call fastcc { i64, i32 } @operand_place(i32 noundef %row.0, i32 noundef %at.0, i32 noundef %and5, i32 noundef %and) #28
  %a.sroa.0.0165 = extractvalue { i64, i32 } %call45, 0
  %a.sroa.3.0166 = extractvalue { i64, i32 } %call45, 1
  %call55 = tail call fastcc { i64, i32 } @operand_place(i32 noundef %column.0, i32 noundef %at.0, i32 noundef %and7, i32 noundef 8) #28
  br label %cond.end56

cond.end56:                                       ; preds = %cond.false54, %cond.true49
  %a.sroa.3.0169 = phi i32 [ %rem.i, %cond.true49 ], [ %a.sroa.3.0166, %cond.false54 ]
  %a.sroa.0.0167 = phi i64 [ %conv.i, %cond.true49 ], [ %a.sroa.0.0165, %cond.false54 ]
  %call53.pn = phi { i64, i32 } [ %.fca.1.insert.i163, %cond.true49 ], [ %call55, %cond.false54 ]
  %b.sroa.0.0 = extractvalue { i64, i32 } %call53.pn, 0
  %b.sroa.3.0 = extractvalue { i64, i32 } %call53.pn, 1
  %call57 = tail call fastcc i64 @left_at(ptr noundef %block, i64 noundef %mul, i64 %a.sroa.0.0167, i32 %a.sroa.3.0169, i32 noundef %and5, i32 noundef 0) #28
  %call58 = tail call fastcc i64 @left_at(ptr noundef %block, i64 noundef %mul, i64 %b.sroa.0.0, i32 %b.sroa.3.0, i32 noundef %and7, i32 noundef 16) #28
  %rem61 = srem i32 %a.sroa.3.0169, %call60
  %rem64 = srem i32 %b.sroa.3.0, %call63
  br i1 %cmp65, label %if.then67, label %if.else82

if.then67:                                        ; preds = %cond.end56
  %sh_prom = zext nneg i32 %rem61 to i64
  %shr68 = lshr i64 %call57, %sh_prom
  %sh_prom70 = zext nneg i32 %rem64 to i64
  %shr71 = lshr i64 %call58, %sh_prom70
  %and72 = and i64 %shr68, 1
  %and76 = and i64 %and72, %shr71
  %and69157 = xor i64 %shr71, %shr68
  %xor = and i64 %and69157, 1
  %cond79 = select i1 %tobool74.not, i64 %xor, i64 %and76
  %conv80 = uitofp nneg i64 %cond79 to double
  %add81 = fadd double %sum.0, %conv80
  br label %for.inc

if.else82:                                        ; preds = %cond.end56
  %call83 = tail call fastcc double @number_in(i64 noundef %call57, i32 noundef %and5, i32 noundef %rem61) #28
  %call84 = tail call fastcc double @number_in(i64 noundef %call58, i32 noundef %and7, i32 noundef %rem64) #28
  %2 = tail call double @llvm.fmuladd.f64(double %call83, double %call84, double %sum.0)
  br label %for.inc

for.inc:                                          ; preds = %if.then67, %if.else82
  %sum.1 = phi double [ %add81, %if.then67 ], [ %2, %if.else82 ]
  %inc = add nuw nsw i32 %at.0, 1
  br label %for.cond33

for.end:                                          ; preds = %for.cond33
  %call88 = tail call fastcc i64 @word_with(i64 noundef %result.0, i32 noundef %and9, i32 noundef %part.0, double noundef %sum.0, i32 noundef %and87) #28
  %inc90 = add nuw nsw i32 %part.0, 1
  br label %for.cond

for.end91:                                        ; preds = %for.cond
  ret i64 %result.0
}

define internal fastcc range(i32 0, 33) i32 @packing(i32 noundef %type) unnamed_addr #11 {
entry:
  %cmp = icmp eq i32 %type, 4
  br i1 %cmp, label %cond.end, label %cond.false

cond.false:                                       ; preds = %entry
  %call = tail call fastcc i32 @bits_of(i32 noundef %type) #28
  %div.rhs.trunc = trunc nuw nsw i32 %call to i8
  %div2 = udiv i8 32, %div.rhs.trunc
  %div.zext = zext nneg i8 %div2 to i32
  br label %cond.end

cond.end:                                         ; preds = %entry, %cond.false
  %cond = phi i32 [ %div.zext, %cond.false ], [ 1, %entry ]
  ret i32 %cond
}

define internal fastcc double @number_in(i64 noundef %word, i32 noundef range(i32 0, 16) %type, i32 noundef range(i32 -2147483648, 32) %part) unnamed_addr #0 {
entry:
  %word.addr = alloca i64, align 8
  %value = alloca double, align 8
  store i64 %word, ptr %word.addr, align 8
  %conv = trunc i64 %word to i32
  %call = tail call fastcc i32 @bits_of(i32 noundef %type) #28
  %and = and i32 %call, 31
  %mul = mul nsw i32 %and, %part
  %shr = lshr i32 %conv, %mul
  switch i32 %type, label %sw.epilog [
    i32 0, label %sw.bb
    i32 1, label %sw.bb3
    i32 2, label %sw.bb5
    i32 3, label %sw.bb8
    i32 5, label %sw.bb10
    i32 6, label %sw.bb13
    i32 7, label %sw.bb16
    i32 8, label %sw.bb22
    i32 10, label %sw.bb25
    i32 11, label %sw.bb27
    i32 12, label %sw.bb30
  ]

sw.bb:                                            ; preds = %entry
  %and1 = and i32 %shr, 65535
  %call2 = tail call fastcc double @of_half(i32 noundef %and1) #28
  br label %return

sw.bb3:                                           ; preds = %entry
  %shl = shl i32 %shr, 16
  %call4 = tail call fastcc double @as_float(i32 noundef %shl) #28
  br label %return

sw.bb5:                                           ; preds = %entry
  %and6 = and i32 %shr, -8192
  %call7 = tail call fastcc double @as_float(i32 noundef %and6) #28
  br label %return

sw.bb8:                                           ; preds = %entry
  %call9 = tail call fastcc double @as_float(i32 noundef %shr) #28
  br label %return

sw.bb10:                                          ; preds = %entry
  %conv11 = trunc i32 %shr to i8
  %conv12 = sitofp i8 %conv11 to double
  br label %return

sw.bb13:                                          ; preds = %entry
  %conv14 = trunc i32 %shr to i8
  %conv15 = uitofp i8 %conv14 to double
  br label %return

sw.bb16:                                          ; preds = %entry
  %div46 = shl i32 %shr, 28
  %div = ashr exact i32 %div46, 28
  %conv21 = sitofp i32 %div to double
  br label %return

sw.bb22:                                          ; preds = %entry
  %and23 = and i32 %shr, 15
  %conv24 = uitofp nneg i32 %and23 to double
  br label %return

sw.bb25:                                          ; preds = %entry
  %conv26 = sitofp i32 %shr to double
  br label %return

sw.bb27:                                          ; preds = %entry
  %shr.i = lshr i32 %shr, 3
  %and.i = and i32 %shr.i, 15
  %and1.i = and i32 %shr, 7
  %and28 = shl i32 %shr, 24
  %shl.i = and i32 %and28, -2147483648
  %and3.i = and i32 %shr, 127
  %cmp.i = icmp eq i32 %and3.i, 127
  br i1 %cmp.i, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %sw.bb27
  %or.i = or i32 %and28, 2143289344
  %call.i = tail call fastcc double @as_float(i32 noundef %or.i) #28
  br label %return

if.end.i:                                         ; preds = %sw.bb27
  %tobool.not.i = icmp eq i32 %and.i, 0
  br i1 %tobool.not.i, label %if.end10.i, label %if.then4.i

if.then4.i:                                       ; preds = %if.end.i
  %add.i = shl nuw nsw i32 %and.i, 23
  %shl5.i = add nuw nsw i32 %add.i, 1006632960
  %shl7.i = shl nuw nsw i32 %and1.i, 20
  %0 = or disjoint i32 %shl5.i, %shl7.i
  %or8.i = or disjoint i32 %0, %shl.i
  %call9.i = tail call fastcc double @as_float(i32 noundef %or8.i) #28
  br label %return

if.end10.i:                                       ; preds = %if.end.i
  %conv.i = uitofp nneg i32 %and1.i to double
  %div.i = fmul double %conv.i, 0x3F60000000000000
  %tobool11.not.i = icmp eq i32 %shl.i, 0
  %fneg.i = fneg double %div.i
  %cond.i = select i1 %tobool11.not.i, double %div.i, double %fneg.i
  br label %return

sw.bb30:                                          ; preds = %entry
  %shl31 = shl i32 %shr, 8
  %and32 = and i32 %shl31, 65280
  %call33 = tail call fastcc double @of_half(i32 noundef %and32) #28
  br label %return

sw.epilog:                                        ; preds = %entry
  %call34 = call ptr @memcpy(ptr noundef nonnull %value, ptr noundef nonnull %word.addr, i64 noundef 8) #27
  %1 = load double, ptr %value, align 8
  br label %return

return:                                           ; preds = %if.end10.i, %if.then4.i, %if.then.i, %sw.epilog, %sw.bb30, %sw.bb25, %sw.bb22, %sw.bb16, %sw.bb13, %sw.bb10, %sw.bb8, %sw.bb5, %sw.bb3, %sw.bb
  %retval.0 = phi double [ %1, %sw.epilog ], [ %call2, %sw.bb ], [ %call4, %sw.bb3 ], [ %call7, %sw.bb5 ], [ %call9, %sw.bb8 ], [ %conv12, %sw.bb10 ], [ %conv15, %sw.bb13 ], [ %conv21, %sw.bb16 ], [ %conv24, %sw.bb22 ], [ %conv26, %sw.bb25 ], [ %call33, %sw.bb30 ], [ %call.i, %if.then.i ], [ %call9.i, %if.then4.i ], [ %cond.i, %if.end10.i ]
  ret double %retval.0
}

define internal fastcc { i64, i32 } @operand_place(i32 noundef %across, i32 noundef range(i32 -2147483648, 256) %k, i32 noundef range(i32 0, 16) %type, i32 noundef range(i32 0, 256) %rows) unnamed_addr #11 {
entry:
  %call = tail call fastcc i32 @packing(i32 noundef %type) #28
  %div18 = lshr i32 %rows, 3
  %rem = srem i32 %across, 8
  %mul = shl nsw i32 %rem, 2
  %div1 = sdiv i32 %k, %call
  %rem2 = srem i32 %div1, 4
  %add = add nsw i32 %rem2, %mul
  %mul3 = shl nuw nsw i32 %call, 2
  %div4 = sdiv i32 %k, %mul3
  %mul5 = mul nsw i32 %div4, %div18
  %div6 = sdiv i32 %across, 8
  %add7 = add nsw i32 %mul5, %div6
  %conv = sext i32 %add to i64
  %mul9 = mul nsw i32 %add7, %call
  %rem10 = srem i32 %k, %call
  %add11 = add nsw i32 %mul9, %rem10
  %.fca.0.insert = insertvalue { i64, i32 } poison, i64 %conv, 0
  %.fca.1.insert = insertvalue { i64, i32 } %.fca.0.insert, i32 %add11, 1
  ret { i64, i32 } %.fca.1.insert
}

define internal fastcc i64 @left_at(ptr noundef readonly captures(none) %block, i64 noundef range(i64 -9223372036854775808, 9223372036854775777) %first, i64 range(i64 -2147483648, 2147483648) %place.coerce0, i32 %place.coerce1, i32 noundef range(i32 0, 16) %type, i32 noundef range(i32 0, 17) %from) unnamed_addr #18 {
entry:
  %add = add nsw i64 %place.coerce0, %first
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %0 = load i64, ptr %count, align 8
  %sub = add nsw i64 %0, -1
  %cond = tail call i64 @llvm.smin.i64(i64 %add, i64 %sub)
  %words = getelementptr inbounds nuw i8, ptr %block, i64 32
  %1 = load ptr, ptr %words, align 8
  %arrayidx = getelementptr inbounds [32 x i64], ptr %1, i64 %cond
  %call = tail call fastcc i32 @packing(i32 noundef %type) #28
  %div = sdiv i32 %place.coerce1, %call
  %add4 = add nsw i32 %div, %from
  %idxprom = sext i32 %add4 to i64
  %arrayidx5 = getelementptr inbounds i64, ptr %arrayidx, i64 %idxprom
  %2 = load i64, ptr %arrayidx5, align 8
  ret i64 %2
}

declare double @llvm.fmuladd.f64(double, double, double) #19

define internal fastcc i64 @word_with(i64 noundef %word, i32 noundef range(i32 0, 16) %type, i32 noundef range(i32 -2147483648, 32) %part, double noundef %value, i32 noundef range(i32 0, 2) %clamps) unnamed_addr #0 {
entry:
  %single.i = alloca float, align 4
  %bits.i = alloca i32, align 4
  %word.addr = alloca i64, align 8
  %value.addr = alloca double, align 8
  %single = alloca float, align 4
  %bits = alloca i32, align 4
  store i64 %word, ptr %word.addr, align 8
  store double %value, ptr %value.addr, align 8
  switch i32 %type, label %if.else14 [
    i32 4, label %if.then
    i32 3, label %if.then2
    i32 0, label %if.then8
  ]

if.then:                                          ; preds = %entry
  %call = call ptr @memcpy(ptr noundef nonnull %word.addr, ptr noundef nonnull %value.addr, i64 noundef 8) #27
  %.pre = load i64, ptr %word.addr, align 8
  br label %if.end29

if.then2:                                         ; preds = %entry
  %conv = fptrunc double %value to float
  store float %conv, ptr %single, align 4
  %call3 = call ptr @memcpy(ptr noundef nonnull %bits, ptr noundef nonnull %single, i64 noundef 4) #27
  %0 = load i32, ptr %bits, align 4
  %conv4 = zext i32 %0 to i64
  br label %if.end29

if.then8:                                         ; preds = %entry
  %mul = shl nsw i32 %part, 4
  %sh_prom = zext i32 %mul to i64
  %shl = shl i64 65535, %sh_prom
  %not = xor i64 %shl, -1
  %and = and i64 %word, %not
  call void @llvm.lifetime.start.p0(ptr nonnull %single.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %bits.i)
  %conv.i = fptrunc double %value to float
  store float %conv.i, ptr %single.i, align 4
  %call.i = call ptr @memcpy(ptr noundef nonnull %bits.i, ptr noundef nonnull %single.i, i64 noundef 4) #27
  %1 = load i32, ptr %bits.i, align 4
  %shr.i = lshr i32 %1, 16
  %and.i = and i32 %shr.i, 32768
  %and1.i = and i32 %1, 2147483647
  %cmp.i = icmp samesign ugt i32 %and1.i, 2139095040
  br i1 %cmp.i, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %if.then8
  %or.i = or disjoint i32 %and.i, 32256
  br label %to_half.exit

if.end.i:                                         ; preds = %if.then8
  %cmp3.i = icmp samesign ugt i32 %and1.i, 1199570943
  br i1 %cmp3.i, label %if.then5.i, label %if.end7.i

if.then5.i:                                       ; preds = %if.end.i
  %or6.i = or disjoint i32 %and.i, 31744
  br label %to_half.exit

if.end7.i:                                        ; preds = %if.end.i
  %sub.i = add nsw i32 %and1.i, -939524096
  %cmp8.i = icmp samesign ult i32 %and1.i, 947912704
  br i1 %cmp8.i, label %if.then10.i, label %if.end19.i

if.then10.i:                                      ; preds = %if.end7.i
  %cmp11.i = icmp samesign ult i32 %and1.i, 855638016
  br i1 %cmp11.i, label %to_half.exit, label %if.end14.i

if.end14.i:                                       ; preds = %if.then10.i
  %shr15.i = lshr i32 %and1.i, 23
  %sub16.i = sub nuw nsw i32 126, %shr15.i
  %and17.i = and i32 %1, 8388607
  %or18.i = or disjoint i32 %and17.i, 8388608
  br label %if.end19.i

if.end19.i:                                       ; preds = %if.end14.i, %if.end7.i
  %value.0.i = phi i32 [ %or18.i, %if.end14.i ], [ %sub.i, %if.end7.i ]
  %shift.0.i = phi i32 [ %sub16.i, %if.end14.i ], [ 13, %if.end7.i ]
  %shr20.i = lshr i32 %value.0.i, %shift.0.i
  %notmask.i = shl nsw i32 -1, %shift.0.i
  %sub21.i = xor i32 %notmask.i, -1
  %and22.i = and i32 %value.0.i, %sub21.i
  %sub23.i = add nsw i32 %shift.0.i, -1
  %shl24.i = shl nuw nsw i32 1, %sub23.i
  %cmp25.i = icmp samesign ugt i32 %and22.i, %shl24.i
  br i1 %cmp25.i, label %lor.end.i, label %lor.rhs.i

lor.rhs.i:                                        ; preds = %if.end19.i
  %cmp27.i = icmp eq i32 %and22.i, %shl24.i
  %and29.i = and i32 %shr20.i, 1
  %tobool.i = icmp ne i32 %and29.i, 0
  %2 = select i1 %cmp27.i, i1 %tobool.i, i1 false
  %3 = zext i1 %2 to i32
  br label %lor.end.i

lor.end.i:                                        ; preds = %lor.rhs.i, %if.end19.i
  %lor.ext.i = phi i32 [ 1, %if.end19.i ], [ %3, %lor.rhs.i ]
  %add.i = add nuw nsw i32 %lor.ext.i, %shr20.i
  %or30.i = or i32 %add.i, %and.i
  br label %to_half.exit

to_half.exit:                                     ; preds = %if.then.i, %if.then5.i, %if.then10.i, %lor.end.i
  %retval.0.i = phi i32 [ %or.i, %if.then.i ], [ %or6.i, %if.then5.i ], [ %or30.i, %lor.end.i ], [ %and.i, %if.then10.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %single.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %bits.i)
  %conv10 = zext nneg i32 %retval.0.i to i64
  %shl13 = shl i64 %conv10, %sh_prom
  %or = or i64 %shl13, %and
  br label %if.end29

if.else14:                                        ; preds = %entry
  %tobool = icmp ne i32 %clamps, 0
  %cmp15 = fcmp ogt double %value, 0x41DFFFFFFFC00000
  %or.cond = and i1 %cmp15, %tobool
  br i1 %or.cond, label %if.end23, label %if.end

if.end:                                           ; preds = %if.else14
  %cmp20 = fcmp olt double %value, 0xC1E0000000000000
  %or.cond30 = and i1 %tobool, %cmp20
  br i1 %or.cond30, label %if.then22, label %if.end23

if.then22:                                        ; preds = %if.end
  br label %if.end23

if.end23:                                         ; preds = %if.else14, %if.then22, %if.end
  %4 = phi double [ 0xC1E0000000000000, %if.then22 ], [ %value, %if.end ], [ 0x41DFFFFFFFC00000, %if.else14 ]
  %conv24 = fptosi double %4 to i64
  %conv26 = and i64 %conv24, 4294967295
  br label %if.end29

if.end29:                                         ; preds = %if.then2, %if.end23, %to_half.exit, %if.then
  %5 = phi i64 [ %conv4, %if.then2 ], [ %conv26, %if.end23 ], [ %or, %to_half.exit ], [ %.pre, %if.then ]
  ret i64 %5
}

define i64 @kc_emu_wmma_load(ptr noundef readonly captures(none) %block, i64 noundef %thread, i64 noundef %base, i32 noundef %sizes, i32 noundef %stride, i32 noundef %is_column, i32 noundef %type, i32 noundef %index, i32 noundef %site) local_unnamed_addr #0 {
entry:
  %bits = alloca i64, align 8
  %call = tail call fastcc i32 @bits_of(i32 noundef %type) #28
  %div24 = lshr i32 %call, 3
  %call1 = tail call fastcc i32 @packing(i32 noundef %type) #28
  %shr = ashr i32 %sizes, 8
  %and = and i32 %sizes, 255
  %rem = srem i64 %thread, 32
  %mul = mul nsw i32 %call1, %index
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %conv = zext nneg i32 %div24 to i64
  %rem10 = and i32 %call, 56
  %0 = zext nneg i32 %rem10 to i64
  %wide.trip.count = zext nneg i32 %call1 to i64
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %entry ]
  %word.0 = phi i64 [ %word.1, %for.inc ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  store i64 0, ptr %bits, align 8
  %1 = trunc i64 %indvars.iv to i32
  %2 = add i32 %mul, %1
  %call3 = call fastcc i64 @element_address(i64 noundef %base, i32 noundef %shr, i32 noundef %and, i32 noundef %stride, i32 noundef %is_column, i32 noundef %type, i64 noundef %rem, i32 noundef %2) #28
  %3 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %3, null
  br i1 %tobool.not, label %if.end, label %land.lhs.true

land.lhs.true:                                    ; preds = %for.body
  %call5 = call i32 @kc_emu_pointer(i64 noundef %call3, i64 noundef %conv, i64 noundef %conv, i32 noundef %site, i32 noundef 0) #28
  %tobool6.not = icmp eq i32 %call5, 0
  br i1 %tobool6.not, label %for.inc, label %if.end

if.end:                                           ; preds = %land.lhs.true, %for.body
  %4 = inttoptr i64 %call3 to ptr
  %call8 = call ptr @memcpy(ptr noundef nonnull %bits, ptr noundef %4, i64 noundef %conv) #27
  %5 = load i64, ptr %bits, align 8
  %6 = mul nuw nsw i64 %indvars.iv, %0
  %shl = shl i64 %5, %6
  %or = or i64 %shl, %word.0
  br label %for.inc

for.inc:                                          ; preds = %land.lhs.true, %if.end
  %word.1 = phi i64 [ %or, %if.end ], [ %word.0, %land.lhs.true ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret i64 %word.0
}

define internal fastcc range(i32 1, 65) i32 @bits_of(i32 noundef %type) unnamed_addr #11 {
entry:
  %0 = icmp ult i32 %type, 13
  br i1 %0, label %switch.lookup, label %return

switch.lookup:                                    ; preds = %entry
  %1 = zext nneg i32 %type to i64
  %switch.gep = getelementptr inbounds nuw i32, ptr @switch.table.bits_of, i64 %1
  %switch.load = load i32, ptr %switch.gep, align 4
  br label %return

return:                                           ; preds = %entry, %switch.lookup
  %retval.0 = phi i32 [ %switch.load, %switch.lookup ], [ 32, %entry ]
  ret i32 %retval.0
}

define internal fastcc i64 @element_address(i64 noundef %base, i32 noundef range(i32 -8388608, 8388608) %rows, i32 noundef range(i32 0, 256) %columns, i32 noundef %stride, i32 noundef %is_column, i32 noundef %type, i64 noundef range(i64 -31, 32) %lane, i32 noundef %slot) unnamed_addr #11 {
entry:
  %mul = mul nsw i32 %columns, %rows
  %div = sdiv i32 %mul, 32
  %conv = trunc nsw i64 %lane to i32
  %mul1 = mul nsw i32 %div, %conv
  %rem = srem i32 %slot, %div
  %add = add nsw i32 %rem, %mul1
  %div2 = sdiv i32 %add, %columns
  %conv3 = sext i32 %div2 to i64
  %rem4 = srem i32 %add, %columns
  %conv5 = sext i32 %rem4 to i64
  %tobool.not = icmp eq i32 %is_column, 0
  %conv9 = sext i32 %stride to i64
  %conv3.conv5 = select i1 %tobool.not, i64 %conv3, i64 %conv5
  %conv5.conv3 = select i1 %tobool.not, i64 %conv5, i64 %conv3
  %mul10 = mul nsw i64 %conv3.conv5, %conv9
  %add11 = add nsw i64 %mul10, %conv5.conv3
  %call = tail call fastcc i32 @bits_of(i32 noundef %type) #28
  %div1223 = lshr i32 %call, 3
  %conv13 = zext nneg i32 %div1223 to i64
  %mul14 = mul nsw i64 %add11, %conv13
  %add15 = add i64 %mul14, %base
  ret i64 %add15
}

define void @kc_emu_wmma_store(ptr noundef readonly captures(none) %block, i64 noundef %thread, i64 noundef %base, i32 noundef %sizes, i32 noundef %stride, i32 noundef %is_column, i32 noundef %type, i32 noundef %index, i32 noundef %site, i64 noundef %word) local_unnamed_addr #0 {
entry:
  %bits = alloca i64, align 8
  %call = tail call fastcc i32 @bits_of(i32 noundef %type) #28
  %div29 = lshr i32 %call, 3
  %call1 = tail call fastcc i32 @packing(i32 noundef %type) #28
  %shr = ashr i32 %sizes, 8
  %and = and i32 %sizes, 255
  %rem = srem i64 %thread, 32
  %mul = mul nsw i32 %call1, %index
  %rem5 = and i32 %call, 56
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %conv = zext nneg i32 %div29 to i64
  %0 = zext nneg i32 %rem5 to i64
  %wide.trip.count = zext nneg i32 %call1 to i64
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %1 = trunc i64 %indvars.iv to i32
  %2 = add i32 %mul, %1
  %call3 = call fastcc i64 @element_address(i64 noundef %base, i32 noundef %shr, i32 noundef %and, i32 noundef %stride, i32 noundef %is_column, i32 noundef %type, i64 noundef %rem, i32 noundef %2) #28
  %3 = mul nuw nsw i64 %indvars.iv, %0
  %shr7 = lshr i64 %word, %3
  store i64 %shr7, ptr %bits, align 8
  %4 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %4, null
  br i1 %tobool.not, label %if.end, label %land.lhs.true

land.lhs.true:                                    ; preds = %for.body
  %call9 = call i32 @kc_emu_pointer(i64 noundef %call3, i64 noundef %conv, i64 noundef %conv, i32 noundef %site, i32 noundef 1) #28
  %tobool10.not = icmp eq i32 %call9, 0
  br i1 %tobool10.not, label %for.inc, label %if.end

if.end:                                           ; preds = %land.lhs.true, %for.body
  %5 = inttoptr i64 %call3 to ptr
  %call12 = call ptr @memcpy(ptr noundef %5, ptr noundef nonnull %bits, i64 noundef %conv) #27
  %6 = load ptr, ptr %clocks, align 8
  %tobool14.not = icmp eq ptr %6, null
  br i1 %tobool14.not, label %for.inc, label %if.then15

if.then15:                                        ; preds = %if.end
  call fastcc void @settle_write() #28
  br label %for.inc

for.inc:                                          ; preds = %if.end, %if.then15, %land.lhs.true
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

define void @kc_emu_product(ptr noundef captures(none) %block, i64 noundef %thread, i64 noundef %a, i64 noundef %b, i32 noundef %n, i32 noundef %types, i32 noundef %a_site, i32 noundef %b_site) local_unnamed_addr #0 {
entry:
  %product = alloca %struct.Product, align 8
  %call = tail call fastcc ptr @accumulators_of(ptr noundef %block, i64 noundef %thread) #28
  %product_count = getelementptr inbounds nuw i8, ptr %call, i64 16
  %0 = load i32, ptr %product_count, align 8
  %product_room = getelementptr inbounds nuw i8, ptr %call, i64 20
  %1 = load i32, ptr %product_room, align 4
  %cmp = icmp eq i32 %0, %1
  %.pre = load ptr, ptr %call, align 8
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %tobool.not = icmp eq i32 %0, 0
  %mul = shl nsw i32 %0, 1
  %spec.select = select i1 %tobool.not, i32 16, i32 %mul
  store i32 %spec.select, ptr %product_room, align 4
  %conv = sext i32 %spec.select to i64
  %mul5 = mul nsw i64 %conv, 40
  %call6 = tail call ptr @realloc(ptr noundef %.pre, i64 noundef %mul5) #27
  store ptr %call6, ptr %call, align 8
  %.pre62 = load i32, ptr %product_count, align 8
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %2 = phi i32 [ %.pre62, %if.then ], [ %0, %entry ]
  %3 = phi ptr [ %call6, %if.then ], [ %.pre, %entry ]
  store i64 %a, ptr %product, align 8
  %b9 = getelementptr inbounds nuw i8, ptr %product, i64 8
  store i64 %b, ptr %b9, align 8
  %n10 = getelementptr inbounds nuw i8, ptr %product, i64 16
  store i32 %n, ptr %n10, align 8
  %types11 = getelementptr inbounds nuw i8, ptr %product, i64 20
  store i32 %types, ptr %types11, align 4
  %first = getelementptr inbounds nuw i8, ptr %product, i64 24
  %register_count = getelementptr inbounds nuw i8, ptr %call, i64 24
  %4 = load i32, ptr %register_count, align 8
  store i32 %4, ptr %first, align 8
  %group = getelementptr inbounds nuw i8, ptr %product, i64 28
  %open = getelementptr inbounds nuw i8, ptr %call, i64 32
  %5 = load i32, ptr %open, align 8
  store i32 %5, ptr %group, align 4
  %sites = getelementptr inbounds nuw i8, ptr %product, i64 32
  store i32 %a_site, ptr %sites, align 8
  %arrayinit.element = getelementptr inbounds nuw i8, ptr %product, i64 36
  store i32 %b_site, ptr %arrayinit.element, align 4
  %inc = add nsw i32 %2, 1
  store i32 %inc, ptr %product_count, align 8
  %idxprom = sext i32 %2 to i64
  %arrayidx = getelementptr inbounds %struct.Product, ptr %3, i64 %idxprom
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(40) %arrayidx, ptr noundef nonnull align 8 dereferenceable(40) %product, i64 40, i1 false)
  %is_fenced = getelementptr inbounds nuw i8, ptr %call, i64 40
  %6 = load i32, ptr %is_fenced, align 8
  %tobool14.not = icmp eq i32 %6, 0
  br i1 %tobool14.not, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %if.end
  %is_in_flight = getelementptr inbounds nuw i8, ptr %call, i64 44
  %7 = load i32, ptr %is_in_flight, align 4
  %tobool15.not = icmp eq i32 %7, 0
  %8 = zext i1 %tobool15.not to i32
  br label %land.end

land.end:                                         ; preds = %land.rhs, %if.end
  %land.ext = phi i32 [ 0, %if.end ], [ %8, %land.rhs ]
  %lacks_fence = getelementptr inbounds nuw i8, ptr %call, i64 48
  store i32 %land.ext, ptr %lacks_fence, align 8
  store i32 0, ptr %is_fenced, align 8
  %is_in_flight17 = getelementptr inbounds nuw i8, ptr %call, i64 44
  store i32 1, ptr %is_in_flight17, align 4
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %9 = load ptr, ptr %clocks, align 8
  %tobool18.not = icmp ne ptr %9, null
  %10 = and i64 %thread, 31
  %tobool19.not = icmp eq i64 %10, 0
  %or.cond = and i1 %tobool19.not, %tobool18.not
  br i1 %or.cond, label %if.end21, label %return

if.end21:                                         ; preds = %land.end
  tail call fastcc void @settle_write() #28
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %if.end21
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %if.end21 ]
  %exitcond.not = icmp eq i64 %indvars.iv, 2
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %tobool24.not = icmp eq i64 %indvars.iv, 0
  %cond28 = select i1 %tobool24.not, i64 %a, i64 %b
  %11 = and i64 %cond28, 3940649673949184
  %tobool29.not = icmp eq i64 %11, 0
  br i1 %tobool29.not, label %for.inc, label %if.then30

if.then30:                                        ; preds = %for.body
  %arrayidx33 = getelementptr inbounds nuw i32, ptr %sites, i64 %indvars.iv
  %12 = load i32, ptr %arrayidx33, align 4
  tail call fastcc void @report(i32 noundef 3, i32 noundef %12, ptr noundef null, i64 noundef -1) #28
  br label %for.inc

for.inc:                                          ; preds = %for.body, %if.then30
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  call fastcc void @for_each_piece(ptr noundef %block, i64 noundef %thread, ptr noundef nonnull %product, i32 noundef 0) #28
  br label %return

return:                                           ; preds = %land.end, %for.end
  ret void
}

define internal fastcc ptr @accumulators_of(ptr noundef captures(none) %block, i64 noundef %thread) unnamed_addr #0 {
entry:
  %accumulators = getelementptr inbounds nuw i8, ptr %block, i64 2664
  %0 = load ptr, ptr %accumulators, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %1 = load i64, ptr %count, align 8
  %call = tail call ptr @calloc(i64 noundef %1, i64 noundef 56) #27
  store ptr %call, ptr %accumulators, align 8
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %2 = phi ptr [ %call, %if.then ], [ %0, %entry ]
  %arrayidx = getelementptr inbounds %struct.Accumulators, ptr %2, i64 %thread
  ret ptr %arrayidx
}

declare ptr @realloc(ptr noundef, i64 noundef) local_unnamed_addr

define internal fastcc void @for_each_piece(ptr noundef readonly captures(none) %block, i64 noundef %thread, ptr noundef readonly captures(none) %product, i32 noundef range(i32 0, 2) %is_over) unnamed_addr #0 {
entry:
  %types = getelementptr inbounds nuw i8, ptr %product, i64 20
  %0 = load i32, ptr %types, align 4
  %shr = lshr i32 %0, 12
  %rem = srem i64 %thread, 128
  %div.lhs.trunc = trunc nsw i64 %rem to i8
  %div69 = sdiv i8 %div.lhs.trunc, 32
  %conv = sext i8 %div69 to i32
  %mul = shl nsw i32 %conv, 4
  %sites = getelementptr inbounds nuw i8, ptr %product, i64 32
  %tobool32.not = icmp eq i32 %is_over, 0
  %clocks.i = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %count.i.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %n = getelementptr inbounds nuw i8, ptr %product, i64 16
  br label %for.cond

for.cond:                                         ; preds = %for.inc39, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc39 ], [ 0, %entry ]
  %exitcond71.not = icmp eq i64 %indvars.iv, 2
  br i1 %exitcond71.not, label %for.end41, label %for.body

for.body:                                         ; preds = %for.cond
  %tobool.not = icmp eq i64 %indvars.iv, 0
  %cond = select i1 %tobool.not, i32 2, i32 4
  %and = and i32 %cond, %shr
  %cond3.in.idx = select i1 %tobool.not, i64 0, i64 8
  %cond3.in = getelementptr inbounds nuw i8, ptr %product, i64 %cond3.in.idx
  %cond3 = load i64, ptr %cond3.in, align 8
  br i1 %tobool.not, label %cond.end7, label %cond.true5

cond.true5:                                       ; preds = %for.body
  %1 = load i32, ptr %n, align 8
  br label %cond.end7

cond.end7:                                        ; preds = %for.body, %cond.true5
  %cond13 = phi i32 [ 0, %cond.true5 ], [ %mul, %for.body ]
  %cond8 = phi i32 [ %1, %cond.true5 ], [ 16, %for.body ]
  %tobool14.not = icmp eq i32 %and, 0
  %cond15 = select i1 %tobool14.not, i32 1, i32 8
  %cond17 = select i1 %tobool14.not, i32 2, i32 16
  %arrayidx = getelementptr inbounds nuw i32, ptr %sites, i64 %indvars.iv
  %2 = load i32, ptr %arrayidx, align 4
  %add = add nsw i32 %cond8, %cond13
  br label %for.cond18

for.cond18:                                       ; preds = %for.inc36, %cond.end7
  %row.0 = phi i32 [ %cond13, %cond.end7 ], [ %add37, %for.inc36 ]
  %cmp19 = icmp slt i32 %row.0, %add
  br i1 %cmp19, label %for.cond22, label %for.inc39

for.cond22:                                       ; preds = %for.cond18, %for.inc
  %piece.0 = phi i32 [ %inc, %for.inc ], [ 0, %for.cond18 ]
  %exitcond.not = icmp eq i32 %piece.0, %cond17
  br i1 %exitcond.not, label %for.inc36, label %for.body25

for.body25:                                       ; preds = %for.cond22
  %mul29 = shl nsw i32 %piece.0, 4
  %cond31 = select i1 %tobool14.not, i32 %mul29, i32 %piece.0
  %call = tail call fastcc i64 @piece_address(ptr noundef %block, i64 noundef %thread, i64 noundef %cond3, i32 noundef %row.0, i32 noundef %cond31, i32 noundef %and) #28
  br i1 %tobool32.not, label %if.else, label %if.then

if.then:                                          ; preds = %for.body25
  %3 = load ptr, ptr %clocks.i, align 8
  %4 = load i64, ptr %count.i.i, align 8
  %mul.i.i = shl nsw i64 %4, 1
  %add.i.i = or disjoint i64 %mul.i.i, 1
  %mul.i = mul nsw i64 %add.i.i, %thread
  %add.ptr.i = getelementptr inbounds i32, ptr %3, i64 %mul.i
  %arrayidx34 = getelementptr inbounds i32, ptr %add.ptr.i, i64 %thread
  %5 = load i32, ptr %arrayidx34, align 4
  tail call fastcc void @finish_at(ptr noundef %block, i64 noundef %call, i64 noundef 16, i64 noundef %thread, i32 noundef %2, i32 noundef %5) #28
  br label %for.inc

if.else:                                          ; preds = %for.body25
  %call35 = tail call i32 @kc_emu_pointer(i64 noundef %call, i64 noundef 16, i64 noundef 16, i32 noundef %2, i32 noundef 24) #28
  br label %for.inc

for.inc:                                          ; preds = %if.then, %if.else
  %inc = add nuw nsw i32 %piece.0, 1
  br label %for.cond22

for.inc36:                                        ; preds = %for.cond22
  %add37 = add nsw i32 %row.0, %cond15
  br label %for.cond18

for.inc39:                                        ; preds = %for.cond18
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end41:                                        ; preds = %for.cond
  ret void
}

define range(i64 2149580800, 4293918720) i64 @kc_emu_accumulate(ptr noundef captures(none) %block, i64 noundef %thread, i64 noundef %c) local_unnamed_addr #0 {
entry:
  %call = tail call fastcc ptr @accumulators_of(ptr noundef %block, i64 noundef %thread) #28
  %0 = load ptr, ptr %call, align 8
  %product_count = getelementptr inbounds nuw i8, ptr %call, i64 16
  %1 = load i32, ptr %product_count, align 8
  %2 = sext i32 %1 to i64
  %3 = getelementptr %struct.Product, ptr %0, i64 %2
  %types = getelementptr i8, ptr %3, i64 -20
  %4 = load i32, ptr %types, align 4
  %register_count = getelementptr inbounds nuw i8, ptr %call, i64 24
  %5 = load i32, ptr %register_count, align 8
  %register_room = getelementptr inbounds nuw i8, ptr %call, i64 28
  %6 = load i32, ptr %register_room, align 4
  %cmp = icmp eq i32 %5, %6
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %tobool.not = icmp eq i32 %5, 0
  %mul = shl nsw i32 %5, 1
  %spec.select = select i1 %tobool.not, i32 256, i32 %mul
  store i32 %spec.select, ptr %register_room, align 4
  %registers = getelementptr inbounds nuw i8, ptr %call, i64 8
  %7 = load ptr, ptr %registers, align 8
  %conv = sext i32 %spec.select to i64
  %mul5 = mul nsw i64 %conv, 12
  %call6 = tail call ptr @realloc(ptr noundef %7, i64 noundef %mul5) #27
  store ptr %call6, ptr %registers, align 8
  %.pre = load i32, ptr %register_count, align 8
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %8 = phi i32 [ %.pre, %if.then ], [ %5, %entry ]
  %conv8 = trunc i64 %c to i32
  %and.i = and i32 %conv8, -1048576
  %9 = and i32 %4, 3840
  %cmp.i.i = icmp eq i32 %9, 2560
  %cond.i.i = select i1 %cmp.i.i, i32 -2145386496, i32 -2097152
  %cmp.i = icmp ne i32 %and.i, %cond.i.i
  %and12 = and i32 %conv8, 1048575
  %cond15 = select i1 %cmp.i, i32 -1, i32 %and12
  %cmp17.not = icmp sge i32 %cond15, %8
  %cmp21 = or i1 %cmp.i, %cmp17.not
  br i1 %cmp21, label %land.lhs.true, label %if.end34

land.lhs.true:                                    ; preds = %if.end
  %lacks_fence = getelementptr inbounds nuw i8, ptr %call, i64 48
  %10 = load i32, ptr %lacks_fence, align 8
  %tobool23.not = icmp eq i32 %10, 0
  br i1 %tobool23.not, label %if.end34, label %land.lhs.true24

land.lhs.true24:                                  ; preds = %land.lhs.true
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %11 = load ptr, ptr %clocks, align 8
  %tobool25.not = icmp eq ptr %11, null
  br i1 %tobool25.not, label %if.end34, label %if.then26

if.then26:                                        ; preds = %land.lhs.true24
  %12 = load ptr, ptr %call, align 8
  %13 = load i32, ptr %product_count, align 8
  %14 = sext i32 %13 to i64
  %15 = getelementptr %struct.Product, ptr %12, i64 %14
  %sites = getelementptr i8, ptr %15, i64 -8
  %16 = load i32, ptr %sites, align 8
  tail call fastcc void @report(i32 noundef 7, i32 noundef %16, ptr noundef null, i64 noundef -1) #28
  store i32 0, ptr %lacks_fence, align 8
  %.pre68 = load i32, ptr %register_count, align 8
  br label %if.end34

if.end34:                                         ; preds = %if.then26, %land.lhs.true24, %land.lhs.true, %if.end
  %17 = phi i32 [ %.pre68, %if.then26 ], [ %8, %land.lhs.true24 ], [ %8, %land.lhs.true ], [ %8, %if.end ]
  %spec.store.select = select i1 %cmp17.not, i32 -1, i32 %cond15
  %inc = add nsw i32 %17, 1
  store i32 %inc, ptr %register_count, align 8
  %and36 = and i32 %17, 1048575
  %registers37 = getelementptr inbounds nuw i8, ptr %call, i64 8
  %18 = load ptr, ptr %registers37, align 8
  %idxprom38 = zext nneg i32 %and36 to i64
  %arrayidx39 = getelementptr inbounds nuw %struct.Register, ptr %18, i64 %idxprom38
  %open = getelementptr inbounds nuw i8, ptr %call, i64 32
  %19 = load i32, ptr %open, align 8
  store i32 %conv8, ptr %arrayidx39, align 4
  %.compoundliteral.sroa.2.0.arrayidx39.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx39, i64 4
  store i32 %spec.store.select, ptr %.compoundliteral.sroa.2.0.arrayidx39.sroa_idx, align 4
  %.compoundliteral.sroa.3.0.arrayidx39.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx39, i64 8
  store i32 %19, ptr %.compoundliteral.sroa.3.0.arrayidx39.sroa_idx, align 4
  %or = or disjoint i32 %and36, %cond.i.i
  %conv42 = zext i32 %or to i64
  ret i64 %conv42
}

define i64 @kc_emu_register(ptr noundef captures(none) %block, i64 noundef %thread, i64 noundef %word, i32 noundef %type, i32 noundef %site) local_unnamed_addr #0 {
entry:
  %call = tail call fastcc ptr @accumulators_of(ptr noundef %block, i64 noundef %thread) #28
  %conv1 = trunc i64 %word to i32
  %and.i = and i32 %conv1, -1048576
  %cmp.i.i = icmp eq i32 %type, 10
  %cond.i.i = select i1 %cmp.i.i, i32 -2145386496, i32 -2097152
  %cmp.i.not = icmp eq i32 %and.i, %cond.i.i
  br i1 %cmp.i.not, label %lor.lhs.false, label %return

lor.lhs.false:                                    ; preds = %entry
  %conv = and i32 %conv1, 1048575
  %register_count = getelementptr inbounds nuw i8, ptr %call, i64 24
  %0 = load i32, ptr %register_count, align 8
  %cmp.not = icmp slt i32 %conv, %0
  br i1 %cmp.not, label %if.end, label %return

if.end:                                           ; preds = %lor.lhs.false
  %registers = getelementptr inbounds nuw i8, ptr %call, i64 8
  %1 = load ptr, ptr %registers, align 8
  %idxprom = and i64 %word, 1048575
  %arrayidx = getelementptr inbounds nuw %struct.Register, ptr %1, i64 %idxprom
  %group = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %2 = load i32, ptr %group, align 4
  %done = getelementptr inbounds nuw i8, ptr %call, i64 36
  %3 = load i32, ptr %done, align 4
  %cmp4 = icmp slt i32 %2, %3
  br i1 %cmp4, label %if.then6, label %if.end8

if.then6:                                         ; preds = %if.end
  %4 = load i32, ptr %arrayidx, align 4
  %conv7 = zext i32 %4 to i64
  br label %return

if.end8:                                          ; preds = %if.end
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %5 = load ptr, ptr %clocks, align 8
  %tobool9.not = icmp eq ptr %5, null
  br i1 %tobool9.not, label %return, label %if.then10

if.then10:                                        ; preds = %if.end8
  tail call fastcc void @report(i32 noundef 8, i32 noundef %site, ptr noundef null, i64 noundef -1) #28
  br label %return

return:                                           ; preds = %if.end8, %if.then10, %entry, %lor.lhs.false, %if.then6
  %retval.0 = phi i64 [ %word, %entry ], [ %conv7, %if.then6 ], [ %word, %lor.lhs.false ], [ %word, %if.then10 ], [ %word, %if.end8 ]
  ret i64 %retval.0
}

define void @kc_emu_fence_registers(ptr noundef captures(none) %block, i64 noundef %thread) local_unnamed_addr #0 {
entry:
  %call = tail call fastcc ptr @accumulators_of(ptr noundef %block, i64 noundef %thread) #28
  %is_fenced = getelementptr inbounds nuw i8, ptr %call, i64 40
  store i32 1, ptr %is_fenced, align 8
  ret void
}

define void @kc_emu_products_commit(ptr noundef captures(none) %block, i64 noundef %thread) local_unnamed_addr #0 {
entry:
  %call = tail call fastcc ptr @accumulators_of(ptr noundef %block, i64 noundef %thread) #28
  %open = getelementptr inbounds nuw i8, ptr %call, i64 32
  %0 = load i32, ptr %open, align 8
  %inc = add nsw i32 %0, 1
  store i32 %inc, ptr %open, align 8
  ret void
}

define void @kc_emu_products_done(ptr noundef captures(none) %block, i64 noundef %thread, i32 noundef %left) local_unnamed_addr #0 {
entry:
  %call = tail call fastcc ptr @accumulators_of(ptr noundef %block, i64 noundef %thread) #28
  tail call fastcc void @settle_if(ptr noundef %block) #28
  %is_in_flight = getelementptr inbounds nuw i8, ptr %call, i64 44
  store i32 0, ptr %is_in_flight, align 4
  %open = getelementptr inbounds nuw i8, ptr %call, i64 32
  %0 = load i32, ptr %open, align 8
  %sub = sub nsw i32 %0, %left
  %done = getelementptr inbounds nuw i8, ptr %call, i64 36
  %1 = load i32, ptr %done, align 4
  %cmp = icmp sgt i32 %sub, %1
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  store i32 %sub, ptr %done, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %product_count = getelementptr inbounds nuw i8, ptr %call, i64 16
  %rem.i = srem i64 %thread, 32
  %div = sdiv i64 %thread, 32
  %rem8.i = srem i64 %thread, 128
  %div.lhs.trunc.i = trunc nsw i64 %rem8.i to i8
  %div125.i = sdiv i8 %div.lhs.trunc.i, 32
  %conv9.i = sext i8 %div125.i to i32
  %registers.i = getelementptr inbounds nuw i8, ptr %call, i64 8
  %mul31.i = shl nsw i32 %conv9.i, 4
  %div32.lhs.trunc.i = trunc nsw i64 %rem.i to i8
  %div32129.i = sdiv i8 %div32.lhs.trunc.i, 4
  %div32.sext.i = sext i8 %div32129.i to i32
  %add33.i = add nsw i32 %mul31.i, %div32.sext.i
  %rem40130.i = srem i8 %div32.lhs.trunc.i, 4
  %rem40.sext.i = sext i8 %rem40130.i to i32
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %2 = and i64 %thread, 31
  %cmp10 = icmp eq i64 %2, 0
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %if.end
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %if.end ]
  %3 = load i32, ptr %product_count, align 8
  %4 = sext i32 %3 to i64
  %cmp4 = icmp slt i64 %indvars.iv, %4
  br i1 %cmp4, label %land.rhs, label %for.end

land.rhs:                                         ; preds = %for.cond
  %5 = load ptr, ptr %call, align 8
  %arrayidx = getelementptr inbounds nuw %struct.Product, ptr %5, i64 %indvars.iv
  %group = getelementptr inbounds nuw i8, ptr %arrayidx, i64 28
  %6 = load i32, ptr %group, align 4
  %7 = load i32, ptr %done, align 4
  %cmp6 = icmp slt i32 %6, %7
  br i1 %cmp6, label %for.body, label %for.end

for.body:                                         ; preds = %land.rhs
  %types.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 20
  %8 = load i32, ptr %types.i, align 4
  %and.i = and i32 %8, 15
  %shr.i = lshr i32 %8, 4
  %and2.i = and i32 %shr.i, 15
  %shr4.i = lshr i32 %8, 8
  %and5.i = and i32 %shr4.i, 15
  %shr7.i = ashr i32 %8, 12
  %call.i = tail call fastcc i32 @bits_of(i32 noundef %and.i) #28
  %div10.rhs.trunc.i = trunc nuw nsw i32 %call.i to i16
  %div10126.i = udiv i16 256, %div10.rhs.trunc.i
  %div10.zext.i = zext nneg i16 %div10126.i to i32
  %n.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %9 = load i32, ptr %n.i, align 8
  %div11.i = sdiv i32 %9, 2
  %call12.i = tail call fastcc i32 @packing(i32 noundef %and5.i) #28
  %div13.i = sdiv i32 %div11.i, %call12.i
  %first.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %and49.i = and i32 %shr7.i, 2
  %b.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %and51.i = and i32 %shr7.i, 4
  %10 = lshr i32 %8, 16
  %11 = lshr i32 %8, 17
  %12 = xor i32 %10, %11
  %13 = and i32 %12, 1
  %cmp59.not.i = icmp eq i32 %13, 0
  %14 = and i32 %8, 32768
  %tobool62.not.i = icmp eq i32 %14, 0
  %and70.i = and i32 %shr7.i, 1
  %smax.i = tail call i32 @llvm.smax.i32(i32 %div13.i, i32 0)
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.end74.i, %for.body
  %index.0.i = phi i32 [ 0, %for.body ], [ %inc78.i, %for.end74.i ]
  %exitcond128.not.i = icmp eq i32 %index.0.i, %smax.i
  br i1 %exitcond128.not.i, label %multiply.exit, label %for.body.i

for.body.i:                                       ; preds = %for.cond.i
  %15 = load ptr, ptr %registers.i, align 8
  %16 = load i32, ptr %first.i, align 8
  %add.i = add nsw i32 %16, %index.0.i
  %and15.i = and i32 %add.i, 1048575
  %idxprom.i = zext nneg i32 %and15.i to i64
  %arrayidx.i = getelementptr inbounds nuw %struct.Register, ptr %15, i64 %idxprom.i
  %before.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 4
  %17 = load i32, ptr %before.i, align 4
  %cmp16.i = icmp slt i32 %17, 0
  %idxprom20.i = zext nneg i32 %17 to i64
  %arrayidx21.i = getelementptr inbounds nuw %struct.Register, ptr %15, i64 %idxprom20.i
  %cond.in.i = select i1 %cmp16.i, ptr %arrayidx.i, ptr %arrayidx21.i
  %cond.i = load i32, ptr %cond.in.i, align 4
  %conv23.i = zext i32 %cond.i to i64
  %mul.i = mul nuw nsw i32 %index.0.i, %call12.i
  br label %for.cond24.i

for.cond24.i:                                     ; preds = %cond.end67.i, %for.body.i
  %part.0.i = phi i32 [ 0, %for.body.i ], [ %inc73.i, %cond.end67.i ]
  %word.0.i = phi i64 [ %conv23.i, %for.body.i ], [ %call71.i, %cond.end67.i ]
  %exitcond127.not.i = icmp eq i32 %part.0.i, %call12.i
  br i1 %exitcond127.not.i, label %for.end74.i, label %for.body28.i

for.body28.i:                                     ; preds = %for.cond24.i
  %add30.i = add nuw nsw i32 %part.0.i, %mul.i
  %18 = shl i32 %add30.i, 2
  %mul36.i = and i32 %18, 8
  %add37.i = add nsw i32 %add33.i, %mul36.i
  %19 = and i32 %add30.i, 1073741820
  %20 = add nsw i32 %19, %rem40.sext.i
  %add42.i = shl nsw i32 %20, 1
  %rem43.i = and i32 %add30.i, 1
  %add44.i = or disjoint i32 %add42.i, %rem43.i
  br label %for.cond45.i

for.cond45.i:                                     ; preds = %for.body48.i, %for.body28.i
  %product_sum.0.i = phi double [ 0.000000e+00, %for.body28.i ], [ %23, %for.body48.i ]
  %at.0.i = phi i32 [ 0, %for.body28.i ], [ %inc.i, %for.body48.i ]
  %exitcond.not.i = icmp eq i32 %at.0.i, %div10.zext.i
  br i1 %exitcond.not.i, label %for.end.i, label %for.body48.i

for.body48.i:                                     ; preds = %for.cond45.i
  %21 = load i64, ptr %arrayidx, align 8
  %call50.i = tail call fastcc double @tile_number(ptr noundef readonly %block, i64 noundef %thread, i64 noundef %21, i32 noundef %add37.i, i32 noundef %at.0.i, i32 noundef %and.i, i32 noundef %and49.i) #28
  %22 = load i64, ptr %b.i, align 8
  %call52.i = tail call fastcc double @tile_number(ptr noundef readonly %block, i64 noundef %thread, i64 noundef %22, i32 noundef %add44.i, i32 noundef %at.0.i, i32 noundef %and2.i, i32 noundef %and51.i) #28
  %23 = tail call double @llvm.fmuladd.f64(double %call50.i, double %call52.i, double %product_sum.0.i)
  %inc.i = add nuw nsw i32 %at.0.i, 1
  br label %for.cond45.i

for.end.i:                                        ; preds = %for.cond45.i
  %fneg.i = fneg double %product_sum.0.i
  %product_sum.1.i = select i1 %cmp59.not.i, double %product_sum.0.i, double %fneg.i
  br i1 %tobool62.not.i, label %cond.false64.i, label %cond.end67.i

cond.false64.i:                                   ; preds = %for.end.i
  %call66.i = tail call fastcc double @number_in(i64 noundef %conv23.i, i32 noundef %and5.i, i32 noundef %part.0.i) #28
  br label %cond.end67.i

cond.end67.i:                                     ; preds = %cond.false64.i, %for.end.i
  %cond68.i = phi double [ %call66.i, %cond.false64.i ], [ 0.000000e+00, %for.end.i ]
  %add69.i = fadd double %product_sum.1.i, %cond68.i
  %call71.i = tail call fastcc i64 @word_with(i64 noundef %word.0.i, i32 noundef %and5.i, i32 noundef %part.0.i, double noundef %add69.i, i32 noundef %and70.i) #28
  %inc73.i = add nuw nsw i32 %part.0.i, 1
  br label %for.cond24.i

for.end74.i:                                      ; preds = %for.cond24.i
  %conv75.i = trunc i64 %word.0.i to i32
  store i32 %conv75.i, ptr %arrayidx.i, align 4
  %inc78.i = add nuw i32 %index.0.i, 1
  br label %for.cond.i

multiply.exit:                                    ; preds = %for.cond.i
  %24 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp ne ptr %24, null
  %or.cond = and i1 %cmp10, %tobool.not
  br i1 %or.cond, label %if.then11, label %for.inc

if.then11:                                        ; preds = %multiply.exit
  %25 = load ptr, ptr %call, align 8
  %arrayidx14 = getelementptr inbounds nuw %struct.Product, ptr %25, i64 %indvars.iv
  tail call fastcc void @for_each_piece(ptr noundef nonnull %block, i64 noundef %thread, ptr noundef %arrayidx14, i32 noundef 1) #28
  br label %for.inc

for.inc:                                          ; preds = %multiply.exit, %if.then11
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond, %land.rhs
  %26 = trunc nuw nsw i64 %indvars.iv to i32
  %sub17 = sub nsw i32 %3, %26
  store i32 %sub17, ptr %product_count, align 8
  %27 = and i64 %indvars.iv, 4294967295
  br label %for.cond18

for.cond18:                                       ; preds = %for.body21, %for.end
  %28 = phi i32 [ %.pre, %for.body21 ], [ %sub17, %for.end ]
  %indvars.iv101 = phi i64 [ %indvars.iv.next102, %for.body21 ], [ 0, %for.end ]
  %29 = sext i32 %28 to i64
  %cmp20 = icmp slt i64 %indvars.iv101, %29
  br i1 %cmp20, label %for.body21, label %for.end30

for.body21:                                       ; preds = %for.cond18
  %30 = load ptr, ptr %call, align 8
  %arrayidx24 = getelementptr inbounds nuw %struct.Product, ptr %30, i64 %indvars.iv101
  %31 = getelementptr inbounds nuw %struct.Product, ptr %30, i64 %indvars.iv101
  %arrayidx27 = getelementptr inbounds nuw %struct.Product, ptr %31, i64 %27
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(40) %arrayidx24, ptr noundef nonnull align 8 dereferenceable(40) %arrayidx27, i64 40, i1 false)
  %indvars.iv.next102 = add nuw nsw i64 %indvars.iv101, 1
  %.pre = load i32, ptr %product_count, align 8
  br label %for.cond18

for.end30:                                        ; preds = %for.cond18
  %32 = load ptr, ptr %clocks, align 8
  %tobool32.not = icmp eq ptr %32, null
  br i1 %tobool32.not, label %if.end47, label %if.end34

if.end34:                                         ; preds = %for.end30
  %mul = shl nsw i64 %div, 5
  %count.i.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %33 = load i64, ptr %count.i.i, align 8
  %mul.i.i = shl nsw i64 %33, 1
  %add.i.i = or disjoint i64 %mul.i.i, 1
  %mul.i93 = mul nsw i64 %add.i.i, %thread
  %add.ptr.i = getelementptr inbounds i32, ptr %32, i64 %mul.i93
  %cmp37 = icmp eq i64 %thread, %mul
  br i1 %cmp37, label %cond.true, label %cond.false

cond.true:                                        ; preds = %if.end34
  %arrayidx38 = getelementptr inbounds i32, ptr %add.ptr.i, i64 %thread
  %34 = load i32, ptr %arrayidx38, align 4
  %inc39 = add nsw i32 %34, 1
  store i32 %inc39, ptr %arrayidx38, align 4
  br label %cond.end

cond.false:                                       ; preds = %if.end34
  %mul.i98 = mul nsw i64 %add.i.i, %mul
  %add.ptr.i99 = getelementptr inbounds i32, ptr %32, i64 %mul.i98
  %arrayidx41 = getelementptr inbounds i32, ptr %add.ptr.i99, i64 %mul
  %35 = load i32, ptr %arrayidx41, align 4
  %sub42 = add nsw i32 %35, -1
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %34, %cond.true ], [ %sub42, %cond.false ]
  %arrayidx43 = getelementptr inbounds i32, ptr %add.ptr.i, i64 %mul
  %36 = load i32, ptr %arrayidx43, align 4
  %cmp44 = icmp slt i32 %36, %cond
  br i1 %cmp44, label %if.then45, label %if.end47

if.then45:                                        ; preds = %cond.end
  store i32 %cond, ptr %arrayidx43, align 4
  br label %if.end47

if.end47:                                         ; preds = %for.end30, %if.then45, %cond.end
  ret void
}

define internal fastcc i64 @who_completes(ptr noundef nonnull readonly captures(none) %block, i32 noundef %rank) unnamed_addr #20 {
entry:
  %conv = sext i32 %rank to i64
  %each = getelementptr inbounds nuw i8, ptr %block, i64 2672
  %0 = load i64, ptr %each, align 8
  %mul = mul nsw i64 %0, %conv
  %add = add nsw i64 %mul, %0
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %waiter.0 = phi i64 [ -1, %entry ], [ %waiter.1, %for.inc ]
  %i.0 = phi i64 [ %mul, %entry ], [ %inc, %for.inc ]
  %cmp = icmp slt i64 %i.0, %add
  br i1 %cmp, label %for.body, label %return

for.body:                                         ; preds = %for.cond
  %1 = load ptr, ptr %block, align 8
  %arrayidx = getelementptr inbounds i32, ptr %1, i64 %i.0
  %2 = load i32, ptr %arrayidx, align 4
  %cmp3 = icmp eq i32 %2, -1
  br i1 %cmp3, label %for.inc, label %if.end

if.end:                                           ; preds = %for.body
  %and.i.i = and i32 %2, 3
  %cmp2.i.not = icmp eq i32 %and.i.i, 1
  br i1 %cmp2.i.not, label %if.end8, label %return

if.end8:                                          ; preds = %if.end
  %cmp9 = icmp slt i64 %waiter.0, 0
  %spec.select = select i1 %cmp9, i64 %i.0, i64 %waiter.0
  br label %for.inc

for.inc:                                          ; preds = %if.end8, %for.body
  %waiter.1 = phi i64 [ %waiter.0, %for.body ], [ %spec.select, %if.end8 ]
  %inc = add nsw i64 %i.0, 1
  br label %for.cond

return:                                           ; preds = %for.cond, %if.end
  %retval.0 = phi i64 [ -1, %if.end ], [ %waiter.0, %for.cond ]
  ret i64 %retval.0
}

declare ptr @malloc(i64 noundef) local_unnamed_addr

declare i32 @memcmp(ptr noundef, ptr noundef, i64 noundef) local_unnamed_addr

define internal fastcc noundef ptr @concurrent_update(ptr noundef readonly captures(none) %buffer, i64 noundef %element) unnamed_addr #12 {
entry:
  %updates = getelementptr inbounds nuw i8, ptr %buffer, i64 40
  %0 = load ptr, ptr %updates, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %arrayidx = getelementptr inbounds %struct.Updates, ptr %0, i64 %element
  %last_2 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %all = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  %call = tail call fastcc ptr @concurrent_of(ptr noundef nonnull %arrayidx, ptr noundef nonnull %last_2, ptr noundef nonnull %all, i32 noundef 0) #28
  br label %return

return:                                           ; preds = %entry, %if.end
  %retval.0 = phi ptr [ %call, %if.end ], [ null, %entry ]
  ret ptr %retval.0
}

define internal fastcc range(i32 0, 2) i32 @is_concurrent(ptr noundef readonly captures(none) %earlier, i32 noundef range(i32 0, 2) %is_atomic) unnamed_addr #18 {
entry:
  %site.i = getelementptr inbounds nuw i8, ptr %earlier, i64 12
  %0 = load i16, ptr %site.i, align 4
  %cmp.i = icmp slt i16 %0, 0
  br i1 %cmp.i, label %return, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %entry
  %is_atomic1 = getelementptr inbounds nuw i8, ptr %earlier, i64 14
  %bf.load = load i16, ptr %is_atomic1, align 2
  %1 = and i16 %bf.load, 8192
  %tobool2 = icmp ne i16 %1, 0
  %tobool3 = icmp ne i32 %is_atomic, 0
  %or.cond = and i1 %tobool3, %tobool2
  br i1 %or.cond, label %return, label %if.end

if.end:                                           ; preds = %lor.lhs.false
  %2 = load i32, ptr %earlier, align 4
  %3 = load i32, ptr @now, align 4
  %cmp.not = icmp eq i32 %2, %3
  %4 = and i16 %bf.load, 16384
  %tobool10.not = icmp eq i16 %4, 0
  %or.cond46 = and i1 %tobool10.not, %cmp.not
  br i1 %or.cond46, label %if.end12, label %return

if.end12:                                         ; preds = %if.end
  %bf.clear14 = and i16 %bf.load, 8191
  %bf.load16 = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear17 = and i16 %bf.load16, 8191
  %cmp19 = icmp eq i16 %bf.clear14, %bf.clear17
  br i1 %cmp19, label %return, label %lor.lhs.false21

lor.lhs.false21:                                  ; preds = %if.end12
  %epoch = getelementptr inbounds nuw i8, ptr %earlier, i64 4
  %5 = load i32, ptr %epoch, align 4
  %6 = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %cmp22.not = icmp eq i32 %5, %6
  br i1 %cmp22.not, label %if.end25, label %return

if.end25:                                         ; preds = %lor.lhs.false21
  %7 = load ptr, ptr @watched, align 8
  %tobool26.not = icmp eq ptr %7, null
  br i1 %tobool26.not, label %return, label %if.end28

if.end28:                                         ; preds = %if.end25
  %clocks = getelementptr inbounds nuw i8, ptr %7, i64 2768
  %8 = load ptr, ptr %clocks, align 8
  %conv31 = zext nneg i16 %bf.clear17 to i64
  %count.i = getelementptr inbounds nuw i8, ptr %7, i64 8
  %9 = load i64, ptr %count.i, align 8
  %mul.i = shl nsw i64 %9, 1
  %add.i = or disjoint i64 %mul.i, 1
  %mul = mul nsw i64 %add.i, %conv31
  %conv36 = zext nneg i16 %bf.clear14 to i64
  %10 = getelementptr i32, ptr %8, i64 %mul
  %arrayidx = getelementptr i32, ptr %10, i64 %conv36
  %11 = load i32, ptr %arrayidx, align 4
  %clock = getelementptr inbounds nuw i8, ptr %earlier, i64 8
  %12 = load i32, ptr %clock, align 4
  %cmp37 = icmp slt i32 %11, %12
  %conv38 = zext i1 %cmp37 to i32
  br label %return

return:                                           ; preds = %if.end25, %if.end12, %lor.lhs.false21, %if.end, %entry, %lor.lhs.false, %if.end28
  %retval.0 = phi i32 [ 0, %if.end12 ], [ 0, %entry ], [ 1, %if.end ], [ %conv38, %if.end28 ], [ 0, %lor.lhs.false ], [ 0, %lor.lhs.false21 ], [ 1, %if.end25 ]
  ret i32 %retval.0
}

define internal fastcc void @drop_link(ptr noundef captures(none) %place) unnamed_addr #15 {
entry:
  %0 = load i32, ptr %place, align 4
  %1 = load ptr, ptr @links, align 8
  %idxprom = sext i32 %0 to i64
  %arrayidx = getelementptr inbounds %struct.Link, ptr %1, i64 %idxprom
  %next = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %2 = load i32, ptr %next, align 4
  store i32 %2, ptr %place, align 4
  %3 = load i32, ptr @unused_link, align 4
  store i32 %3, ptr %next, align 4
  store i32 %0, ptr @unused_link, align 4
  ret void
}

define internal fastcc noundef ptr @concurrent_of(ptr noundef readonly captures(ret: address, provenance) %newest, ptr noundef readonly captures(ret: address, provenance) %second, ptr noundef captures(none) %list, i32 noundef range(i32 0, 2) %is_atomic) unnamed_addr #21 {
entry:
  %call = tail call fastcc i32 @is_concurrent(ptr noundef %newest, i32 noundef %is_atomic) #28
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %if.end, label %return

if.end:                                           ; preds = %entry
  %call1 = tail call fastcc i32 @is_concurrent(ptr noundef %second, i32 noundef %is_atomic) #28
  %tobool2.not = icmp eq i32 %call1, 0
  br i1 %tobool2.not, label %if.end4, label %return

if.end4:                                          ; preds = %if.end
  %0 = load ptr, ptr @watched, align 8
  %tobool5.not = icmp eq ptr %0, null
  br i1 %tobool5.not, label %return, label %if.then6

if.then6:                                         ; preds = %if.end4
  %block.i = getelementptr inbounds nuw i8, ptr %list, i64 4
  %1 = load i32, ptr %block.i, align 4
  %2 = load i32, ptr @now, align 4
  %cmp.not.i = icmp eq i32 %1, %2
  br i1 %cmp.not.i, label %first_of.exit, label %if.then.i

if.then.i:                                        ; preds = %if.then6
  store i32 %2, ptr %block.i, align 4
  store i32 0, ptr %list, align 4
  br label %first_of.exit

first_of.exit:                                    ; preds = %if.then6, %if.then.i
  %3 = load ptr, ptr @links, align 8
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %first_of.exit
  %n.0.in = phi ptr [ %list, %first_of.exit ], [ %next, %for.inc ]
  %n.0 = load i32, ptr %n.0.in, align 4
  %tobool8.not = icmp eq i32 %n.0, 0
  br i1 %tobool8.not, label %return, label %for.body

for.body:                                         ; preds = %for.cond
  %idxprom = sext i32 %n.0 to i64
  %arrayidx = getelementptr inbounds %struct.Link, ptr %3, i64 %idxprom
  %call9 = tail call fastcc i32 @is_concurrent(ptr noundef nonnull %arrayidx, i32 noundef %is_atomic) #28
  %tobool10.not = icmp eq i32 %call9, 0
  br i1 %tobool10.not, label %for.inc, label %return

for.inc:                                          ; preds = %for.body
  %next = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  br label %for.cond

return:                                           ; preds = %for.body, %for.cond, %if.end4, %if.end, %entry
  %retval.0 = phi ptr [ %second, %if.end ], [ %newest, %entry ], [ null, %if.end4 ], [ %arrayidx, %for.body ], [ null, %for.cond ]
  ret ptr %retval.0
}

define internal fastcc void @report_apart(i32 noundef range(i32 1, 6) %kind, ptr noundef readonly captures(none) %states, i64 noundef %waiter, i64 noundef %apart) unnamed_addr #12 {
entry:
  %elsewhere = alloca %struct.Access, align 8
  %arrayidx = getelementptr inbounds i32, ptr %states, i64 %apart
  %0 = load i32, ptr %arrayidx, align 4
  %retval.sroa.0.0.copyload.i = load i64, ptr @now, align 8
  %retval.sroa.2.0.copyload.i = load i64, ptr getelementptr inbounds nuw (i8, ptr @now, i64 8), align 8
  %and.i = shl i64 %apart, 48
  %bf.set9.i = and i64 %and.i, 2305561534236983296
  %1 = and i64 %retval.sroa.2.0.copyload.i, -2305843004918726657
  %retval.sroa.2.14.insert.insert.i = or disjoint i64 %bf.set9.i, %1
  %shr.i = lshr i32 %0, 2
  %2 = and i32 %shr.i, 65535
  %retval.sroa.2.12.insert.ext.i = zext nneg i32 %2 to i64
  %retval.sroa.2.12.insert.shift.i = shl nuw nsw i64 %retval.sroa.2.12.insert.ext.i, 32
  %retval.sroa.2.12.insert.insert.i = or disjoint i64 %retval.sroa.2.14.insert.insert.i, %retval.sroa.2.12.insert.shift.i
  store i64 %retval.sroa.0.0.copyload.i, ptr %elsewhere, align 8
  %3 = getelementptr inbounds nuw i8, ptr %elsewhere, i64 8
  store i64 %retval.sroa.2.12.insert.insert.i, ptr %3, align 8
  %conv = trunc i64 %waiter to i16
  %and = and i16 %conv, 8191
  %4 = lshr i64 %retval.sroa.2.0.copyload.i, 48
  %5 = trunc nuw i64 %4 to i16
  %bf.clear = and i16 %5, -8192
  %bf.set = or disjoint i16 %bf.clear, %and
  store i16 %bf.set, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %arrayidx3 = getelementptr inbounds i32, ptr %states, i64 %waiter
  %6 = load i32, ptr %arrayidx3, align 4
  %shr = ashr i32 %6, 2
  call fastcc void @report(i32 noundef %kind, i32 noundef %shr, ptr noundef nonnull %elsewhere, i64 noundef -1) #28
  ret void
}

define internal fastcc range(i32 0, 2) i32 @lacks_fence(ptr noundef readonly captures(none) %writer) unnamed_addr #18 {
entry:
  %0 = load ptr, ptr @watched, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %return, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %entry
  %site.i = getelementptr inbounds nuw i8, ptr %writer, i64 12
  %1 = load i16, ptr %site.i, align 4
  %cmp.i = icmp slt i16 %1, 0
  br i1 %cmp.i, label %return, label %lor.lhs.false2

lor.lhs.false2:                                   ; preds = %lor.lhs.false
  %is_async = getelementptr inbounds nuw i8, ptr %writer, i64 14
  %bf.load = load i16, ptr %is_async, align 2
  %tobool3.not = icmp sgt i16 %bf.load, -1
  br i1 %tobool3.not, label %lor.lhs.false4, label %return

lor.lhs.false4:                                   ; preds = %lor.lhs.false2
  %2 = load i32, ptr %writer, align 4
  %3 = load i32, ptr @now, align 8
  %cmp.not = icmp eq i32 %2, %3
  br i1 %cmp.not, label %if.end, label %return

if.end:                                           ; preds = %lor.lhs.false4
  %clocks = getelementptr inbounds nuw i8, ptr %0, i64 2768
  %4 = load ptr, ptr %clocks, align 8
  %bf.load6 = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear = and i16 %bf.load6, 8191
  %conv7 = zext nneg i16 %bf.clear to i64
  %count.i = getelementptr inbounds nuw i8, ptr %0, i64 8
  %5 = load i64, ptr %count.i, align 8
  %mul.i = shl nsw i64 %5, 1
  %add.i = or disjoint i64 %mul.i, 1
  %mul = mul nsw i64 %add.i, %conv7
  %add.ptr = getelementptr inbounds i32, ptr %4, i64 %mul
  %bf.clear10 = and i16 %bf.load, 8191
  %conv11 = zext nneg i16 %bf.clear10 to i64
  %6 = getelementptr i32, ptr %add.ptr, i64 %5
  %arrayidx = getelementptr i32, ptr %6, i64 %conv11
  %7 = load i32, ptr %arrayidx, align 4
  %clock = getelementptr inbounds nuw i8, ptr %writer, i64 8
  %8 = load i32, ptr %clock, align 4
  %cmp12 = icmp slt i32 %7, %8
  br i1 %cmp12, label %land.rhs, label %return

land.rhs:                                         ; preds = %if.end
  %arrayidx16.idx = shl nsw i64 %5, 3
  %arrayidx16 = getelementptr inbounds i8, ptr %add.ptr, i64 %arrayidx16.idx
  %9 = load i32, ptr %arrayidx16, align 4
  %epoch = getelementptr inbounds nuw i8, ptr %writer, i64 4
  %10 = load i32, ptr %epoch, align 4
  %cmp17 = icmp sle i32 %9, %10
  %11 = zext i1 %cmp17 to i32
  br label %return

return:                                           ; preds = %if.end, %land.rhs, %entry, %lor.lhs.false, %lor.lhs.false2, %lor.lhs.false4
  %retval.0 = phi i32 [ 0, %entry ], [ 0, %lor.lhs.false4 ], [ 0, %lor.lhs.false2 ], [ 0, %lor.lhs.false ], [ 0, %if.end ], [ %11, %land.rhs ]
  ret i32 %retval.0
}

define internal fastcc range(i32 0, 2) i32 @is_written(ptr noundef readonly captures(none) %buffer, i64 noundef %element) unnamed_addr #18 {
entry:
  %cells = getelementptr inbounds nuw i8, ptr %buffer, i64 32
  %0 = load ptr, ptr %cells, align 8
  %arrayidx = getelementptr inbounds %struct.Cell, ptr %0, i64 %element
  %site.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  %1 = load i16, ptr %site.i, align 4
  %cmp.i = icmp slt i16 %1, 0
  br i1 %cmp.i, label %lor.rhs, label %lor.end

lor.rhs:                                          ; preds = %entry
  %updates = getelementptr inbounds nuw i8, ptr %buffer, i64 40
  %2 = load ptr, ptr %updates, align 8
  %tobool1.not = icmp eq ptr %2, null
  br i1 %tobool1.not, label %lor.end, label %land.rhs

land.rhs:                                         ; preds = %lor.rhs
  %arrayidx3 = getelementptr inbounds %struct.Updates, ptr %2, i64 %element
  %site.i9 = getelementptr inbounds nuw i8, ptr %arrayidx3, i64 12
  %3 = load i16, ptr %site.i9, align 4
  %cmp.i10 = icmp sgt i16 %3, -1
  %conv1.i11 = zext i1 %cmp.i10 to i32
  br label %lor.end

lor.end:                                          ; preds = %lor.rhs, %land.rhs, %entry
  %lor.ext = phi i32 [ 1, %entry ], [ 0, %lor.rhs ], [ %conv1.i11, %land.rhs ]
  ret i32 %lor.ext
}

define internal fastcc void @note_last(ptr noundef captures(none) %newest, ptr noundef captures(none) %second, ptr noundef captures(none) %list, ptr noundef nonnull readonly captures(none) %access) unnamed_addr #0 {
entry:
  %0 = load ptr, ptr @watched, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %if.end, label %if.then

if.then:                                          ; preds = %entry
  %block.i.i = getelementptr inbounds nuw i8, ptr %list, i64 4
  %1 = load i32, ptr %block.i.i, align 4
  %2 = load i32, ptr @now, align 8
  %cmp.not.i.i = icmp eq i32 %1, %2
  br i1 %cmp.not.i.i, label %first_of.exit.i, label %if.then.i.i

if.then.i.i:                                      ; preds = %if.then
  store i32 %2, ptr %block.i.i, align 4
  store i32 0, ptr %list, align 4
  br label %first_of.exit.i

first_of.exit.i:                                  ; preds = %if.then.i.i, %if.then
  %3 = load ptr, ptr @links, align 8
  br label %while.cond.i.outer

while.cond.i.outer:                               ; preds = %if.then.i, %first_of.exit.i
  %place.0.i.ph = phi ptr [ %next.i, %if.then.i ], [ %list, %first_of.exit.i ]
  br label %while.cond.i

while.cond.i:                                     ; preds = %while.cond.i.outer, %if.else.i
  %4 = load i32, ptr %place.0.i.ph, align 4
  %tobool.not.i = icmp eq i32 %4, 0
  br i1 %tobool.not.i, label %while.end.i, label %while.body.i

while.body.i:                                     ; preds = %while.cond.i
  %idxprom.i = sext i32 %4 to i64
  %arrayidx.i = getelementptr inbounds %struct.Link, ptr %3, i64 %idxprom.i
  %call2.i = tail call fastcc i32 @is_concurrent(ptr noundef nonnull %arrayidx.i, i32 noundef 0) #28
  %tobool3.not.i = icmp eq i32 %call2.i, 0
  br i1 %tobool3.not.i, label %if.else.i, label %if.then.i

if.then.i:                                        ; preds = %while.body.i
  %next.i = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  br label %while.cond.i.outer

if.else.i:                                        ; preds = %while.body.i
  tail call fastcc void @drop_link(ptr noundef nonnull %place.0.i.ph) #28
  br label %while.cond.i

while.end.i:                                      ; preds = %while.cond.i
  %5 = load i32, ptr @unused_link, align 4
  %tobool6.not.i = icmp eq i32 %5, 0
  br i1 %tobool6.not.i, label %if.else11.i, label %if.then7.i

if.then7.i:                                       ; preds = %while.end.i
  %idxprom8.i = sext i32 %5 to i64
  %arrayidx9.i = getelementptr inbounds %struct.Link, ptr %3, i64 %idxprom8.i
  %next10.i = getelementptr inbounds nuw i8, ptr %arrayidx9.i, i64 16
  %6 = load i32, ptr %next10.i, align 4
  store i32 %6, ptr @unused_link, align 4
  br label %note_in_list.exit

if.else11.i:                                      ; preds = %while.end.i
  %7 = load i32, ptr @link_count, align 4
  %8 = load i32, ptr @link_room, align 4
  %cmp.not.i = icmp slt i32 %7, %8
  br i1 %cmp.not.i, label %if.end16.i, label %if.then12.i

if.then12.i:                                      ; preds = %if.else11.i
  %tobool13.not.i = icmp eq i32 %8, 0
  %mul.i = shl nsw i32 %8, 1
  %cond.i = select i1 %tobool13.not.i, i32 1024, i32 %mul.i
  store i32 %cond.i, ptr @link_room, align 4
  %conv.i = sext i32 %cond.i to i64
  %mul14.i = mul nsw i64 %conv.i, 20
  %call15.i = tail call ptr @realloc(ptr noundef %3, i64 noundef %mul14.i) #27
  store ptr %call15.i, ptr @links, align 8
  %.pre.i = load i32, ptr @link_count, align 4
  br label %if.end16.i

if.end16.i:                                       ; preds = %if.then12.i, %if.else11.i
  %9 = phi ptr [ %call15.i, %if.then12.i ], [ %3, %if.else11.i ]
  %10 = phi i32 [ %.pre.i, %if.then12.i ], [ %7, %if.else11.i ]
  %inc.i = add nsw i32 %10, 1
  store i32 %inc.i, ptr @link_count, align 4
  %.pre33.i = sext i32 %10 to i64
  br label %note_in_list.exit

note_in_list.exit:                                ; preds = %if.then7.i, %if.end16.i
  %idxprom18.pre-phi.i = phi i64 [ %.pre33.i, %if.end16.i ], [ %idxprom8.i, %if.then7.i ]
  %11 = phi ptr [ %9, %if.end16.i ], [ %3, %if.then7.i ]
  %number.0.i = phi i32 [ %10, %if.end16.i ], [ %5, %if.then7.i ]
  %arrayidx19.i = getelementptr inbounds %struct.Link, ptr %11, i64 %idxprom18.pre-phi.i
  %12 = load i32, ptr %list, align 4
  tail call void @llvm.memmove.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %arrayidx19.i, ptr noundef nonnull readonly align 4 dereferenceable(16) %access, i64 16, i1 false)
  %.compoundliteral.sroa.2.0.arrayidx19.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx19.i, i64 16
  store i32 %12, ptr %.compoundliteral.sroa.2.0.arrayidx19.sroa_idx.i, align 4
  store i32 %number.0.i, ptr %list, align 4
  br label %if.end

if.end:                                           ; preds = %note_in_list.exit, %entry
  %last.sroa.0.0.copyload = load i32, ptr %newest, align 4
  %last.sroa.4.0.newest.sroa_idx = getelementptr inbounds nuw i8, ptr %newest, i64 4
  %last.sroa.4.0.copyload = load i32, ptr %last.sroa.4.0.newest.sroa_idx, align 4
  %last.sroa.5.0.newest.sroa_idx = getelementptr inbounds nuw i8, ptr %newest, i64 8
  %last.sroa.5.0.copyload = load i32, ptr %last.sroa.5.0.newest.sroa_idx, align 4
  %last.sroa.550.0.newest.sroa_idx = getelementptr inbounds nuw i8, ptr %newest, i64 12
  %last.sroa.550.0.copyload = load i16, ptr %last.sroa.550.0.newest.sroa_idx, align 4
  %last.sroa.6.0.newest.sroa_idx = getelementptr inbounds nuw i8, ptr %newest, i64 14
  %last.sroa.6.0.copyload = load i16, ptr %last.sroa.6.0.newest.sroa_idx, align 2
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %newest, ptr noundef nonnull align 4 dereferenceable(16) %access, i64 16, i1 false)
  %cmp.i = icmp slt i16 %last.sroa.550.0.copyload, 0
  br i1 %cmp.i, label %if.end31, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %if.end
  %13 = load i32, ptr %access, align 4
  %cmp = icmp eq i32 %last.sroa.0.0.copyload, %13
  br i1 %cmp, label %land.lhs.true, label %if.end10.thread

land.lhs.true:                                    ; preds = %lor.lhs.false
  %thread3 = getelementptr inbounds nuw i8, ptr %access, i64 14
  %bf.load4 = load i16, ptr %thread3, align 2
  %14 = xor i16 %bf.load4, %last.sroa.6.0.copyload
  %15 = and i16 %14, 8191
  %cmp7 = icmp eq i16 %15, 0
  br i1 %cmp7, label %if.end31, label %if.end10

if.end10:                                         ; preds = %land.lhs.true
  %site.i43 = getelementptr inbounds nuw i8, ptr %second, i64 12
  %16 = load i16, ptr %site.i43, align 4
  %cmp.i44 = icmp slt i16 %16, 0
  br i1 %cmp.i44, label %land.lhs.true23, label %lor.lhs.false21

if.end10.thread:                                  ; preds = %lor.lhs.false
  %site.i4357 = getelementptr inbounds nuw i8, ptr %second, i64 12
  br label %if.then27

lor.lhs.false21:                                  ; preds = %if.end10
  %17 = load i32, ptr %second, align 4
  %cmp15.not = icmp eq i32 %17, %last.sroa.0.0.copyload
  br i1 %cmp15.not, label %land.lhs.true23, label %if.end31

land.lhs.true23:                                  ; preds = %if.end10, %lor.lhs.false21
  %epoch24 = getelementptr inbounds nuw i8, ptr %access, i64 4
  %18 = load i32, ptr %epoch24, align 4
  %cmp25 = icmp eq i32 %last.sroa.4.0.copyload, %18
  br i1 %cmp25, label %if.then27, label %if.then29

if.then27:                                        ; preds = %if.end10.thread, %land.lhs.true23
  %site.i4362 = phi ptr [ %site.i4357, %if.end10.thread ], [ %site.i43, %land.lhs.true23 ]
  store i32 %last.sroa.0.0.copyload, ptr %second, align 4
  %last.sroa.4.0.second.sroa_idx = getelementptr inbounds nuw i8, ptr %second, i64 4
  store i32 %last.sroa.4.0.copyload, ptr %last.sroa.4.0.second.sroa_idx, align 4
  %last.sroa.5.0.second.sroa_idx = getelementptr inbounds nuw i8, ptr %second, i64 8
  store i32 %last.sroa.5.0.copyload, ptr %last.sroa.5.0.second.sroa_idx, align 4
  store i16 %last.sroa.550.0.copyload, ptr %site.i4362, align 4
  %last.sroa.6.0.second.sroa_idx = getelementptr inbounds nuw i8, ptr %second, i64 14
  store i16 %last.sroa.6.0.copyload, ptr %last.sroa.6.0.second.sroa_idx, align 2
  br label %if.end31

if.then29:                                        ; preds = %land.lhs.true23
  store i16 -1, ptr %site.i43, align 4
  br label %if.end31

if.end31:                                         ; preds = %lor.lhs.false21, %if.then29, %if.end, %land.lhs.true, %if.then27
  ret void
}

define internal fastcc range(i64 -9223372036854775808, 9223372036854775807) i64 @missing_lane(ptr noundef nonnull readonly captures(none) %block, i64 noundef %thread) unnamed_addr #20 {
entry:
  %waits = getelementptr inbounds nuw i8, ptr %block, i64 16
  %0 = load ptr, ptr %waits, align 8
  %arrayidx = getelementptr inbounds %struct.Wait, ptr %0, i64 %thread
  %mask1 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %1 = load i32, ptr %mask1, align 8
  %div = sdiv i64 %thread, 32
  %mul = shl nsw i64 %div, 5
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %add = add nsw i64 %mul, 32
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i64 [ %mul, %entry ], [ %inc, %for.inc ]
  %exitcond.not = icmp eq i64 %i.0, %add
  br i1 %exitcond.not, label %return, label %land.rhs

land.rhs:                                         ; preds = %for.cond
  %2 = load i64, ptr %count, align 8
  %cmp2 = icmp slt i64 %i.0, %2
  br i1 %cmp2, label %for.body, label %return

for.body:                                         ; preds = %land.rhs
  %sub = sub nsw i64 %i.0, %mul
  %sh_prom = trunc i64 %sub to i32
  %3 = shl nuw i32 1, %sh_prom
  %4 = and i32 %3, %1
  %tobool.not = icmp eq i32 %4, 0
  br i1 %tobool.not, label %for.inc, label %if.end

if.end:                                           ; preds = %for.body
  %arrayidx4 = getelementptr inbounds %struct.Wait, ptr %0, i64 %i.0
  %5 = load ptr, ptr %block, align 8
  %arrayidx5 = getelementptr inbounds i32, ptr %5, i64 %i.0
  %6 = load i32, ptr %arrayidx5, align 4
  %7 = add i32 %6, 1
  %or.cond.i = icmp ult i32 %7, 2
  %and.i.i = and i32 %6, 3
  %cmp2.i = icmp ne i32 %and.i.i, 3
  %narrow.i.not = or i1 %or.cond.i, %cmp2.i
  br i1 %narrow.i.not, label %return, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %if.end
  %8 = load i32, ptr %arrayidx4, align 8
  %cmp7.not = icmp eq i32 %8, 1
  br i1 %cmp7.not, label %lor.lhs.false8, label %return

lor.lhs.false8:                                   ; preds = %lor.lhs.false
  %mask9 = getelementptr inbounds nuw i8, ptr %arrayidx4, i64 16
  %9 = load i32, ptr %mask9, align 8
  %cmp10.not = icmp eq i32 %9, %1
  br i1 %cmp10.not, label %for.inc, label %return

for.inc:                                          ; preds = %lor.lhs.false8, %for.body
  %inc = add nsw i64 %i.0, 1
  br label %for.cond

return:                                           ; preds = %land.rhs, %for.cond, %if.end, %lor.lhs.false, %lor.lhs.false8
  %retval.0 = phi i64 [ %i.0, %if.end ], [ %i.0, %lor.lhs.false8 ], [ %i.0, %lor.lhs.false ], [ -1, %for.cond ], [ -1, %land.rhs ]
  ret i64 %retval.0
}

define internal fastcc i64 @missing_in_group(ptr noundef nonnull readonly captures(none) %block, i64 noundef %thread) unnamed_addr #20 {
entry:
  %div = sdiv i64 %thread, 128
  %mul = shl nsw i64 %div, 7
  %add = add nsw i64 %mul, 128
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %waits = getelementptr inbounds nuw i8, ptr %block, i64 16
  %.pre.pre = load i64, ptr %count, align 8
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i64 [ %mul, %entry ], [ %inc, %for.inc ]
  %exitcond.not = icmp ne i64 %i.0, %add
  %cmp1 = icmp slt i64 %i.0, %.pre.pre
  %or.cond = select i1 %exitcond.not, i1 %cmp1, i1 false
  br i1 %or.cond, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %0 = load ptr, ptr %block, align 8
  %arrayidx = getelementptr inbounds i32, ptr %0, i64 %i.0
  %1 = load i32, ptr %arrayidx, align 4
  %arrayidx3 = getelementptr inbounds i32, ptr %0, i64 %thread
  %2 = load i32, ptr %arrayidx3, align 4
  %cmp4.not = icmp eq i32 %1, %2
  br i1 %cmp4.not, label %lor.lhs.false, label %return

lor.lhs.false:                                    ; preds = %for.body
  %3 = load ptr, ptr %waits, align 8
  %arrayidx5 = getelementptr inbounds %struct.Wait, ptr %3, i64 %i.0
  %4 = load i32, ptr %arrayidx5, align 8
  %cmp6.not = icmp eq i32 %4, 4
  br i1 %cmp6.not, label %for.inc, label %return

for.inc:                                          ; preds = %lor.lhs.false
  %inc = add nsw i64 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %cmp8 = icmp sgt i64 %add, %.pre.pre
  %spec.select = select i1 %cmp8, i64 %.pre.pre, i64 -1
  br label %return

return:                                           ; preds = %for.body, %lor.lhs.false, %for.end
  %retval.0 = phi i64 [ %spec.select, %for.end ], [ %i.0, %lor.lhs.false ], [ %i.0, %for.body ]
  ret i64 %retval.0
}

define internal void @do_load(ptr noundef readonly captures(none) %block, ptr noundef readonly captures(none) %copy, i64 noundef %shared, i64 noundef %from, i32 noundef %elements) #0 {
entry:
  %size1 = getelementptr inbounds nuw i8, ptr %copy, i64 92
  %0 = load i32, ptr %size1, align 4
  %div = udiv i32 16, %0
  %conv5 = zext i32 %0 to i64
  %thread = getelementptr inbounds nuw i8, ptr %copy, i64 24
  %source_site = getelementptr inbounds nuw i8, ptr %copy, i64 40
  %clock = getelementptr inbounds nuw i8, ptr %copy, i64 52
  %is_nan = getelementptr inbounds nuw i8, ptr %copy, i64 100
  %1 = zext nneg i32 %div to i64
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %entry ]
  %cmp = icmp samesign ult i64 %indvars.iv, %1
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %2 = trunc nuw nsw i64 %indvars.iv to i32
  %3 = shl nuw nsw i32 1, %2
  %4 = and i32 %3, %elements
  %tobool.not = icmp eq i32 %4, 0
  %mul10 = mul i32 %0, %2
  %conv11 = zext i32 %mul10 to i64
  %add12 = add i64 %shared, %conv11
  %5 = inttoptr i64 %add12 to ptr
  br i1 %tobool.not, label %if.else, label %if.then

if.then:                                          ; preds = %for.body
  %add4 = add i64 %from, %conv11
  %6 = inttoptr i64 %add4 to ptr
  %call = tail call ptr @memcpy(ptr noundef %5, ptr noundef %6, i64 noundef %conv5) #27
  %7 = load i64, ptr %thread, align 8
  %8 = load i32, ptr %source_site, align 8
  %9 = load i32, ptr %clock, align 4
  tail call fastcc void @finish_at(ptr noundef %block, i64 noundef %add4, i64 noundef %conv5, i64 noundef %7, i32 noundef %8, i32 noundef %9) #28
  br label %for.inc

if.else:                                          ; preds = %for.body
  %10 = load i32, ptr %is_nan, align 4
  %tobool14.not = icmp eq i32 %10, 0
  %cond = select i1 %tobool14.not, i32 0, i32 255
  %call16 = tail call ptr @memset(ptr noundef %5, i32 noundef %cond, i64 noundef %conv5) #27
  br label %for.inc

for.inc:                                          ; preds = %if.then, %if.else
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

define internal void @do_store(ptr noundef readonly captures(none) %block, ptr noundef readonly captures(none) %copy, i64 noundef %shared, i64 noundef %to, i32 noundef %elements) #0 {
entry:
  %size1 = getelementptr inbounds nuw i8, ptr %copy, i64 92
  %0 = load i32, ptr %size1, align 4
  %div = udiv i32 16, %0
  %conv5 = zext i32 %0 to i64
  %1 = zext nneg i32 %div to i64
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %entry ]
  %cmp = icmp samesign ult i64 %indvars.iv, %1
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %2 = trunc nuw nsw i64 %indvars.iv to i32
  %3 = shl nuw nsw i32 1, %2
  %4 = and i32 %3, %elements
  %tobool.not = icmp eq i32 %4, 0
  br i1 %tobool.not, label %for.inc, label %if.then

if.then:                                          ; preds = %for.body
  %mul = mul i32 %0, %2
  %conv = zext i32 %mul to i64
  %add = add i64 %to, %conv
  %5 = inttoptr i64 %add to ptr
  %add4 = add i64 %shared, %conv
  %6 = inttoptr i64 %add4 to ptr
  %call = tail call ptr @memcpy(ptr noundef %5, ptr noundef %6, i64 noundef %conv5) #27
  br label %for.inc

for.inc:                                          ; preds = %for.body, %if.then
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %thread = getelementptr inbounds nuw i8, ptr %copy, i64 24
  %7 = load i64, ptr %thread, align 8
  %source_site = getelementptr inbounds nuw i8, ptr %copy, i64 40
  %8 = load i32, ptr %source_site, align 8
  %clock = getelementptr inbounds nuw i8, ptr %copy, i64 52
  %9 = load i32, ptr %clock, align 4
  tail call fastcc void @finish_at(ptr noundef %block, i64 noundef %shared, i64 noundef 16, i64 noundef %7, i32 noundef %8, i32 noundef %9) #28
  ret void
}

define internal fastcc void @finish_at(ptr noundef readonly captures(none) %block, i64 noundef %address, i64 noundef range(i64 -2147483648, 4294967296) %bytes, i64 noundef %thread, i32 noundef %site, i32 noundef %clock) unnamed_addr #12 {
entry:
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 2768
  %0 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %for.end16, label %cond.end

cond.end:                                         ; preds = %entry
  %call = tail call fastcc i32 @find_buffer(i64 noundef %address) #28
  %cmp = icmp slt i32 %call, 0
  br i1 %cmp, label %for.end16, label %if.end

if.end:                                           ; preds = %cond.end
  %idxprom = zext nneg i32 %call to i64
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %idxprom
  %1 = load i64, ptr %arrayidx, align 16
  %sub = sub i64 %address, %1
  %bytes2 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %add = add nsw i64 %sub, %bytes
  %cells = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  %granule = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %2 = load ptr, ptr @links, align 8
  br label %for.cond

for.cond:                                         ; preds = %for.inc13, %if.end
  %at.0 = phi i64 [ %sub, %if.end ], [ %add15, %for.inc13 ]
  %cmp1 = icmp slt i64 %at.0, %add
  br i1 %cmp1, label %land.rhs, label %for.end16

land.rhs:                                         ; preds = %for.cond
  %3 = load i64, ptr %bytes2, align 8
  %cmp3 = icmp slt i64 %at.0, %3
  br i1 %cmp3, label %for.body, label %for.end16

for.body:                                         ; preds = %land.rhs
  %4 = load ptr, ptr %cells, align 16
  %5 = load i64, ptr %granule, align 16
  %div = sdiv i64 %at.0, %5
  %arrayidx4 = getelementptr inbounds %struct.Cell, ptr %4, i64 %div
  tail call fastcc void @finish(ptr noundef %arrayidx4, i64 noundef %thread, i32 noundef %site, i32 noundef %clock) #28
  %reader = getelementptr inbounds nuw i8, ptr %arrayidx4, i64 16
  tail call fastcc void @finish(ptr noundef nonnull %reader, i64 noundef %thread, i32 noundef %site, i32 noundef %clock) #28
  %reader_2 = getelementptr inbounds nuw i8, ptr %arrayidx4, i64 32
  tail call fastcc void @finish(ptr noundef nonnull %reader_2, i64 noundef %thread, i32 noundef %site, i32 noundef %clock) #28
  %readers = getelementptr inbounds nuw i8, ptr %arrayidx4, i64 48
  %block.i = getelementptr inbounds nuw i8, ptr %arrayidx4, i64 52
  %6 = load i32, ptr %block.i, align 4
  %7 = load i32, ptr @now, align 8
  %cmp.not.i = icmp eq i32 %6, %7
  br i1 %cmp.not.i, label %for.cond6.preheader, label %if.then.i

if.then.i:                                        ; preds = %for.body
  store i32 %7, ptr %block.i, align 4
  store i32 0, ptr %readers, align 4
  br label %for.cond6.preheader

for.cond6.preheader:                              ; preds = %for.body, %if.then.i
  br label %for.cond6

for.cond6:                                        ; preds = %for.cond6.preheader, %for.body8
  %n.0.in = phi ptr [ %next, %for.body8 ], [ %readers, %for.cond6.preheader ]
  %n.0 = load i32, ptr %n.0.in, align 4
  %tobool7.not = icmp eq i32 %n.0, 0
  br i1 %tobool7.not, label %for.inc13, label %for.body8

for.body8:                                        ; preds = %for.cond6
  %idxprom9 = sext i32 %n.0 to i64
  %arrayidx10 = getelementptr inbounds %struct.Link, ptr %2, i64 %idxprom9
  tail call fastcc void @finish(ptr noundef nonnull %arrayidx10, i64 noundef %thread, i32 noundef %site, i32 noundef %clock) #28
  %next = getelementptr inbounds nuw i8, ptr %arrayidx10, i64 16
  br label %for.cond6

for.inc13:                                        ; preds = %for.cond6
  %8 = load i64, ptr %granule, align 16
  %add15 = add nsw i64 %8, %at.0
  br label %for.cond

for.end16:                                        ; preds = %for.cond, %land.rhs, %entry, %cond.end
  ret void
}

define internal fastcc void @finish(ptr noundef captures(none) %access, i64 noundef %thread, i32 noundef %site, i32 noundef %clock) unnamed_addr #22 {
entry:
  %is_going_on = getelementptr inbounds nuw i8, ptr %access, i64 14
  %bf.load = load i16, ptr %is_going_on, align 2
  %0 = and i16 %bf.load, 16384
  %tobool.not = icmp eq i16 %0, 0
  br i1 %tobool.not, label %return, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %entry
  %bf.clear3 = and i16 %bf.load, 8191
  %conv = zext nneg i16 %bf.clear3 to i64
  %and = and i64 %thread, 8191
  %cmp.not = icmp eq i64 %and, %conv
  br i1 %cmp.not, label %lor.lhs.false5, label %return

lor.lhs.false5:                                   ; preds = %lor.lhs.false
  %site6 = getelementptr inbounds nuw i8, ptr %access, i64 12
  %1 = load i16, ptr %site6, align 4
  %conv7 = sext i16 %1 to i32
  %cmp8.not = icmp eq i32 %site, %conv7
  br i1 %cmp8.not, label %if.end, label %return

if.end:                                           ; preds = %lor.lhs.false5
  %bf.clear12 = and i16 %bf.load, -16385
  store i16 %bf.clear12, ptr %is_going_on, align 2
  %2 = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %epoch = getelementptr inbounds nuw i8, ptr %access, i64 4
  store i32 %2, ptr %epoch, align 4
  %clock13 = getelementptr inbounds nuw i8, ptr %access, i64 8
  store i32 %clock, ptr %clock13, align 4
  br label %return

return:                                           ; preds = %entry, %lor.lhs.false, %lor.lhs.false5, %if.end
  ret void
}

define internal void @end_load(ptr noundef readonly captures(none) %block, ptr noundef readonly captures(none) %copy, i64 noundef %shared, i64 %from, i32 %elements) #12 {
entry:
  %thread = getelementptr inbounds nuw i8, ptr %copy, i64 24
  %0 = load i64, ptr %thread, align 8
  %site = getelementptr inbounds nuw i8, ptr %copy, i64 36
  %1 = load i32, ptr %site, align 4
  %clock = getelementptr inbounds nuw i8, ptr %copy, i64 52
  %2 = load i32, ptr %clock, align 4
  tail call fastcc void @finish_at(ptr noundef %block, i64 noundef %shared, i64 noundef 16, i64 noundef %0, i32 noundef %1, i32 noundef %2) #28
  ret void
}

define internal void @end_store(ptr noundef readonly captures(none) %block, ptr noundef readonly captures(none) %copy, i64 %shared, i64 noundef %to, i32 noundef %elements) #12 {
entry:
  %size = getelementptr inbounds nuw i8, ptr %copy, i64 92
  %thread = getelementptr inbounds nuw i8, ptr %copy, i64 24
  %site = getelementptr inbounds nuw i8, ptr %copy, i64 36
  %clock = getelementptr inbounds nuw i8, ptr %copy, i64 52
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i32 [ 0, %entry ], [ %inc, %for.inc ]
  %0 = load i32, ptr %size, align 4
  %div = udiv i32 16, %0
  %cmp = icmp samesign ult i32 %i.0, %div
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %1 = shl nuw nsw i32 1, %i.0
  %2 = and i32 %1, %elements
  %tobool.not = icmp eq i32 %2, 0
  br i1 %tobool.not, label %for.inc, label %if.then

if.then:                                          ; preds = %for.body
  %mul = mul i32 %0, %i.0
  %conv = zext i32 %mul to i64
  %add = add i64 %to, %conv
  %conv5 = zext i32 %0 to i64
  %3 = load i64, ptr %thread, align 8
  %4 = load i32, ptr %site, align 4
  %5 = load i32, ptr %clock, align 4
  tail call fastcc void @finish_at(ptr noundef %block, i64 noundef %add, i64 noundef %conv5, i64 noundef %3, i32 noundef %4, i32 noundef %5) #28
  br label %for.inc

for.inc:                                          ; preds = %for.body, %if.then
  %inc = add nuw nsw i32 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

define internal fastcc double @of_half(i32 noundef range(i32 0, 65536) %bits) unnamed_addr #0 {
entry:
  %shr = lshr i32 %bits, 10
  %and = and i32 %shr, 31
  %and1 = and i32 %bits, 1023
  %and2 = shl nuw i32 %bits, 16
  %shl = and i32 %and2, -2147483648
  switch i32 %and, label %if.then5 [
    i32 31, label %if.then
    i32 0, label %if.end11
  ]

if.then:                                          ; preds = %entry
  %shl3 = shl nuw nsw i32 %bits, 13
  %or = or disjoint i32 %shl, %shl3
  %or4 = or i32 %or, 2139095040
  %call = tail call fastcc double @as_float(i32 noundef %or4) #28
  br label %return

if.then5:                                         ; preds = %entry
  %add = shl nuw nsw i32 %and, 23
  %shl6 = add nuw nsw i32 %add, 939524096
  %shl8 = shl nuw nsw i32 %and1, 13
  %0 = or disjoint i32 %shl6, %shl8
  %or9 = or disjoint i32 %0, %shl
  %call10 = tail call fastcc double @as_float(i32 noundef %or9) #28
  br label %return

if.end11:                                         ; preds = %entry
  %conv = uitofp nneg i32 %and1 to double
  %div = fmul double %conv, 0x3E70000000000000
  %tobool12.not = icmp eq i32 %shl, 0
  %fneg = fneg double %div
  %cond = select i1 %tobool12.not, double %div, double %fneg
  br label %return

return:                                           ; preds = %if.end11, %if.then5, %if.then
  %retval.0 = phi double [ %call, %if.then ], [ %call10, %if.then5 ], [ %cond, %if.end11 ]
  ret double %retval.0
}

define internal fastcc double @as_float(i32 noundef %bits) unnamed_addr #0 {
entry:
  %bits.addr = alloca i32, align 4
  %value = alloca float, align 4
  store i32 %bits, ptr %bits.addr, align 4
  %call = call ptr @memcpy(ptr noundef nonnull %value, ptr noundef nonnull %bits.addr, i64 noundef 4) #27
  %0 = load float, ptr %value, align 4
  %conv = fpext float %0 to double
  ret double %conv
}

define internal fastcc i64 @piece_address(ptr noundef readonly captures(none) %block, i64 noundef %thread, i64 noundef %descriptor, i32 noundef %row, i32 noundef %k, i32 noundef range(i32 0, 5) %is_across) unnamed_addr #23 {
entry:
  %shared.i = getelementptr inbounds nuw i8, ptr %block, i64 2688
  %each.i.i = getelementptr inbounds nuw i8, ptr %block, i64 2672
  %0 = load i64, ptr %each.i.i, align 8
  %div.i.i = sdiv i64 %thread, %0
  %sext.i = shl i64 %div.i.i, 32
  %1 = ashr exact i64 %sext.i, 29
  %arrayidx.i = getelementptr inbounds i8, ptr %shared.i, i64 %1
  %2 = load i64, ptr %arrayidx.i, align 8
  %3 = lshr i64 %descriptor, 12
  %shl2 = and i64 %3, 262128
  %4 = lshr i64 %descriptor, 28
  %shl5 = and i64 %4, 262128
  %shr6 = lshr i64 %descriptor, 62
  %arrayidx = getelementptr inbounds nuw i32, ptr @piece_address.widths, i64 %shr6
  %5 = load i32, ptr %arrayidx, align 4
  %conv = sext i32 %5 to i64
  %tobool.not = icmp eq i32 %is_across, 0
  br i1 %tobool.not, label %if.else, label %if.then

if.then:                                          ; preds = %entry
  %div = sdiv i32 %row, 8
  %cmp = icmp eq i64 %shr6, 0
  br i1 %cmp, label %cond.true, label %cond.false

cond.true:                                        ; preds = %if.then
  %conv7 = sext i32 %div to i64
  %mul = mul nsw i64 %shl5, %conv7
  %div9 = sdiv i32 %k, 8
  %conv10 = sext i32 %div9 to i64
  %mul11 = mul nsw i64 %shl2, %conv10
  %add = add nsw i64 %mul11, %mul
  %rem = srem i32 %k, 8
  %mul12 = shl nsw i32 %rem, 4
  %conv13 = sext i32 %mul12 to i64
  %add14 = add nsw i64 %add, %conv13
  br label %if.end

cond.false:                                       ; preds = %if.then
  %div1587 = sdiv i32 %div, %5
  %div15.sext = sext i32 %div1587 to i64
  %mul16 = mul nsw i64 %shl2, %div15.sext
  %rem1788 = srem i32 %div, %5
  %rem17.sext = sext i32 %rem1788 to i64
  %div20 = sdiv i32 %k, 8
  %conv21 = sext i32 %div20 to i64
  %mul22 = mul nsw i64 %shl5, %conv21
  %rem24 = srem i32 %k, 8
  %conv25 = sext i32 %rem24 to i64
  %mul27 = mul nsw i64 %conv, %conv25
  %reass.add = add nsw i64 %mul27, %rem17.sext
  %reass.mul = shl nsw i64 %reass.add, 4
  %add23 = add nsw i64 %mul16, %mul22
  %add28 = add nsw i64 %add23, %reass.mul
  br label %if.end

if.else:                                          ; preds = %entry
  %div29 = sdiv i32 %k, 16
  %conv30 = sext i32 %div29 to i64
  %div31 = sdiv i32 %row, 8
  %conv32 = sext i32 %div31 to i64
  %mul33 = mul nsw i64 %shl5, %conv32
  %rem34 = srem i32 %row, 8
  %conv35 = sext i32 %rem34 to i64
  %mul36 = shl nsw i64 %conv35, 4
  %mul37 = mul nsw i64 %mul36, %conv
  %cmp39 = icmp eq i64 %shr6, 0
  %cond44 = select i1 %cmp39, i64 %shl2, i64 16
  %mul45 = mul nsw i64 %cond44, %conv30
  %add38 = add nsw i64 %mul45, %mul33
  %add46 = add nsw i64 %add38, %mul37
  br label %if.end

if.end:                                           ; preds = %cond.true, %cond.false, %if.else
  %at.0 = phi i64 [ %add46, %if.else ], [ %add14, %cond.true ], [ %add28, %cond.false ]
  %and = shl i64 %descriptor, 4
  %sub = sub i64 %and, %2
  %and47 = and i64 %sub, 262143
  %add48 = add nsw i64 %at.0, %and47
  %shr49 = ashr i64 %add48, 3
  %sub50 = shl nsw i64 %conv, 4
  %mul51 = add nsw i64 %sub50, -16
  %and52 = and i64 %shr49, %mul51
  %xor = xor i64 %and52, %add48
  %add53 = add nsw i64 %xor, 16
  %shared_bytes = getelementptr inbounds nuw i8, ptr %block, i64 2752
  %6 = load i64, ptr %shared_bytes, align 8
  %cmp54 = icmp sgt i64 %add53, %6
  %add58 = add i64 %xor, %2
  %cond60 = select i1 %cmp54, i64 0, i64 %add58
  ret i64 %cond60
}

define internal fastcc double @tile_number(ptr noundef readonly captures(none) %block, i64 noundef %thread, i64 noundef %descriptor, i32 noundef %row, i32 noundef range(i32 -2147483648, 256) %k, i32 noundef range(i32 0, 16) %type, i32 noundef range(i32 0, 5) %is_across) unnamed_addr #0 {
entry:
  %word = alloca i64, align 8
  %call = tail call fastcc i32 @bits_of(i32 noundef %type) #28
  %div39 = lshr i32 %call, 3
  %tobool.not = icmp eq i32 %is_across, 0
  br i1 %tobool.not, label %cond.false, label %cond.end

cond.false:                                       ; preds = %entry
  %mul = mul nsw i32 %call, %k
  %div1 = sdiv i32 %mul, 8
  br label %cond.end

cond.end:                                         ; preds = %entry, %cond.false
  %cond = phi i32 [ %div1, %cond.false ], [ %k, %entry ]
  %call2 = tail call fastcc i64 @piece_address(ptr noundef %block, i64 noundef %thread, i64 noundef %descriptor, i32 noundef %row, i32 noundef %cond, i32 noundef %is_across) #28
  store i64 0, ptr %word, align 8
  %tobool3.not = icmp eq i64 %call2, 0
  br i1 %tobool3.not, label %return, label %if.end

if.end:                                           ; preds = %cond.end
  br i1 %tobool.not, label %cond.false7, label %cond.true5

cond.true5:                                       ; preds = %if.end
  %rem = srem i32 %row, 8
  %mul6 = mul nsw i32 %div39, %rem
  br label %cond.end9

cond.false7:                                      ; preds = %if.end
  %rem8 = srem i32 %cond, 16
  br label %cond.end9

cond.end9:                                        ; preds = %cond.false7, %cond.true5
  %cond10 = phi i32 [ %mul6, %cond.true5 ], [ %rem8, %cond.false7 ]
  %conv = sext i32 %cond10 to i64
  %add = add i64 %call2, %conv
  %0 = inttoptr i64 %add to ptr
  %narrow = tail call i32 @llvm.umax.i32(i32 %div39, i32 1)
  %cond16 = zext nneg i32 %narrow to i64
  %call17 = call ptr @memcpy(ptr noundef nonnull %word, ptr noundef %0, i64 noundef %cond16) #27
  %cmp = icmp eq i32 %type, 9
  %1 = load i64, ptr %word, align 8
  br i1 %cmp, label %cond.true19, label %cond.false22

cond.true19:                                      ; preds = %cond.end9
  %rem20 = srem i32 %k, 8
  %sh_prom = zext nneg i32 %rem20 to i64
  %shr = lshr i64 %1, %sh_prom
  %and = and i64 %shr, 1
  %conv21 = uitofp nneg i64 %and to double
  br label %return

cond.false22:                                     ; preds = %cond.end9
  %call23 = call fastcc double @number_in(i64 noundef %1, i32 noundef %type, i32 noundef 0) #28
  br label %return

return:                                           ; preds = %cond.true19, %cond.false22, %cond.end
  %retval.0 = phi double [ 0.000000e+00, %cond.end ], [ %conv21, %cond.true19 ], [ %call23, %cond.false22 ]
  ret double %retval.0
}

declare i64 @llvm.smin.i64(i64, i64) #24

declare i32 @llvm.umax.i32(i32, i32) #24

declare i64 @llvm.smax.i64(i64, i64) #24

declare i32 @llvm.smax.i32(i32, i32) #24

declare i64 @llvm.umin.i64(i64, i64) #24

declare i64 @llvm.umax.i64(i64, i64) #24

declare void @llvm.memmove.p0.p0.i64(ptr writeonly captures(none), ptr readonly captures(none), i64, i1 immarg) #25

declare i32 @llvm.smin.i32(i32, i32) #24

declare void @llvm.lifetime.start.p0(ptr captures(none)) #26

declare void @llvm.lifetime.end.p0(ptr captures(none)) #26

attributes #0 = { nounwind uwtable }
attributes #2 = { nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) uwtable }
attributes #3 = { nofree norecurse nosync nounwind willreturn memory(argmem: write) uwtable }
attributes #4 = { nofree norecurse nounwind willreturn memory(readwrite, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #5 = { nofree norecurse nosync nounwind willreturn memory(readwrite, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #6 = { nofree norecurse nosync nounwind memory(argmem: read) uwtable }
attributes #7 = { nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable }
attributes #8 = { nofree norecurse nosync nounwind willreturn memory(read, argmem: write, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #9 = { nofree norecurse nosync nounwind willreturn memory(write, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #10 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #11 = { nofree norecurse nosync nounwind willreturn memory(none) uwtable }
attributes #12 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #13 = { nofree norecurse nosync nounwind memory(readwrite, argmem: read, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #14 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #15 = { nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #16 = { nofree norecurse nosync nounwind willreturn memory(write, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #17 = { nofree norecurse nosync nounwind memory(read, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #18 = { nofree norecurse nosync nounwind willreturn memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #19 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #20 = { nofree norecurse nosync nounwind memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #21 = { nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #22 = { nofree norecurse nosync nounwind willreturn memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #23 = { nofree norecurse nosync nounwind willreturn memory(argmem: read) uwtable }
attributes #24 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #25 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #26 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #27 = { nobuiltin nounwind }
attributes #28 = { nobuiltin }
