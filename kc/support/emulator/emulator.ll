; Made by `make native` with clang 22.1.8: do not edit.
; The sha256 of emulator.c: c948a366e96a2a43ef3df6cc3edeb4afe28fe3f338094d4136b8534eae5e707a

%struct.anon = type { ptr, %struct.Access, i64, i64, [256 x i8] }
%struct.Access = type { i32, i32, i32, i16, i16 }
%struct.Buffer = type { i64, i64, i64, i32, ptr }
%struct.Finding = type { i32, i32, i32, i32, i64, i64, i64, i64, i64, i32, i32 }
%struct.Queue = type { ptr, i32, i32, i32 }
%struct.Order = type { i64, i32, i32, i32, i32, i32, ptr, ptr }
%struct.Wait = type { i32, i32, i32, i32, i32, i64 }
%struct.Barrier = type { i32, i32, i32, i32, i32 }
%struct.Copy = type { i64, i64, i32, i32, i32, i32 }
%struct.Site = type { ptr, i32, i32, [32 x i32] }
%struct.Cell = type { %struct.Access, %struct.Access, %struct.Access, i32, i32 }
%struct.Cost = type { i64, i64, i64, i64 }
%struct.Instance = type { [32 x i64], i32, i32, i32 }
%struct.Reader = type { %struct.Access, i32 }

@is_counting = internal unnamed_addr global i32 0, align 4
@deadlocks = internal global i64 0, align 8
@.str = private unnamed_addr constant [100 x i8] c"kc: threads of an emulated block wait for what never comes, and are ended; kc.gpu.check says where\0A\00", align 1
@site_count = internal unnamed_addr global i32 0, align 4
@statements = internal unnamed_addr global ptr null, align 8
@pending = internal global %struct.anon zeroinitializer, align 8
@finding_count = internal unnamed_addr global i32 0, align 4
@barriers = internal unnamed_addr global i64 0, align 8
@sites = internal unnamed_addr global ptr null, align 8
@costs = internal unnamed_addr global ptr null, align 8
@buffers = internal global [64 x %struct.Buffer] zeroinitializer, align 16
@findings = internal global [256 x %struct.Finding] zeroinitializer, align 16
@readers = internal unnamed_addr global ptr null, align 8
@reader_room = internal unnamed_addr global i32 0, align 4
@now = internal unnamed_addr global %struct.Access zeroinitializer, align 8
@reader_count = internal unnamed_addr global i32 0, align 4
@unused_reader = internal unnamed_addr global i32 0, align 4
@watched = internal unnamed_addr global ptr null, align 8
@switch.table.bits_of = private unnamed_addr constant [10 x i32] [i32 16, i32 16, i32 32, i32 32, i32 64, i32 8, i32 8, i32 4, i32 4, i32 1], align 4

define noundef ptr @kc_emu_new_block(ptr noundef %states, i64 noundef %count, i32 noundef %is_watched) local_unnamed_addr #0 {
entry:
  %call = tail call ptr @calloc(i64 noundef 1, i64 noundef 4216) #21
  store ptr %states, ptr %call, align 8
  %count2 = getelementptr inbounds nuw i8, ptr %call, i64 8
  store i64 %count, ptr %count2, align 8
  %call3 = tail call ptr @calloc(i64 noundef %count, i64 noundef 32) #21
  %waits = getelementptr inbounds nuw i8, ptr %call, i64 16
  store ptr %call3, ptr %waits, align 8
  %call4 = tail call ptr @calloc(i64 noundef %count, i64 noundef 24) #21
  %queues = getelementptr inbounds nuw i8, ptr %call, i64 24
  store ptr %call4, ptr %queues, align 8
  %call5 = tail call ptr @calloc(i64 noundef %count, i64 noundef 256) #21
  %words = getelementptr inbounds nuw i8, ptr %call, i64 32
  store ptr %call5, ptr %words, align 8
  %tobool.not = icmp eq i32 %is_watched, 0
  br i1 %tobool.not, label %if.end, label %if.then

if.then:                                          ; preds = %entry
  %mul = mul nsw i64 %count, %count
  %call6 = tail call ptr @calloc(i64 noundef %mul, i64 noundef 4) #21
  %clocks = getelementptr inbounds nuw i8, ptr %call, i64 368
  store ptr %call6, ptr %clocks, align 8
  %i.026 = add i64 %count, 1
  %smax = tail call i64 @llvm.smax.i64(i64 %count, i64 0)
  br label %for.cond

for.cond:                                         ; preds = %for.body, %if.then
  %i.0 = phi i64 [ 0, %if.then ], [ %inc, %for.body ]
  %exitcond.not = icmp eq i64 %i.0, %smax
  br i1 %exitcond.not, label %if.end, label %for.body

for.body:                                         ; preds = %for.cond
  %0 = load ptr, ptr %clocks, align 8
  %add = mul i64 %i.0, %i.026
  %arrayidx = getelementptr inbounds i32, ptr %0, i64 %add
  store i32 1, ptr %arrayidx, align 4
  %inc = add nuw i64 %i.0, 1
  br label %for.cond

if.end:                                           ; preds = %for.cond, %entry
  ret ptr %call
}

declare ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr

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
  %orders = getelementptr inbounds nuw i8, ptr %block, i64 376
  br label %for.cond2

for.body:                                         ; preds = %for.cond
  %1 = load ptr, ptr %queues, align 8
  %arrayidx = getelementptr inbounds nuw %struct.Queue, ptr %1, i64 %i.0
  %2 = load ptr, ptr %arrayidx, align 8
  tail call void @free(ptr noundef %2) #21
  %inc = add nuw nsw i64 %i.0, 1
  br label %for.cond

for.cond2:                                        ; preds = %for.cond2.preheader, %for.body4
  %indvars.iv = phi i64 [ 0, %for.cond2.preheader ], [ %indvars.iv.next, %for.body4 ]
  %exitcond.not = icmp eq i64 %indvars.iv, 80
  br i1 %exitcond.not, label %for.end11, label %for.body4

for.body4:                                        ; preds = %for.cond2
  %arrayidx5 = getelementptr inbounds nuw %struct.Order, ptr %orders, i64 %indvars.iv
  %coming = getelementptr inbounds nuw i8, ptr %arrayidx5, i64 32
  %3 = load ptr, ptr %coming, align 8
  tail call void @free(ptr noundef %3) #21
  %known = getelementptr inbounds nuw i8, ptr %arrayidx5, i64 40
  %4 = load ptr, ptr %known, align 8
  tail call void @free(ptr noundef %4) #21
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond2

for.end11:                                        ; preds = %for.cond2
  %waits = getelementptr inbounds nuw i8, ptr %block, i64 16
  %5 = load ptr, ptr %waits, align 8
  tail call void @free(ptr noundef %5) #21
  %6 = load ptr, ptr %queues, align 8
  tail call void @free(ptr noundef %6) #21
  %words = getelementptr inbounds nuw i8, ptr %block, i64 32
  %7 = load ptr, ptr %words, align 8
  tail call void @free(ptr noundef %7) #21
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 368
  %8 = load ptr, ptr %clocks, align 8
  tail call void @free(ptr noundef %8) #21
  tail call void @free(ptr noundef nonnull %block) #21
  ret void
}

declare void @free(ptr noundef) local_unnamed_addr

define i64 @kc_emu_deadlocks(i32 noundef %begins) local_unnamed_addr #2 {
entry:
  store atomic i32 %begins, ptr @is_counting seq_cst, align 4
  %0 = atomicrmw xchg ptr @deadlocks, i64 0 seq_cst, align 8
  ret i64 %0
}

define void @kc_emu_run(ptr noundef readonly captures(none) %threads, ptr noundef captures(none) %states, i64 noundef %count, ptr noundef readonly captures(none) %step, ptr noundef captures(address_is_null) %block) local_unnamed_addr #0 {
entry:
  %tobool27.not = icmp eq ptr %block, null
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
  tail call void %step(ptr noundef %1, i32 noundef 0) #21
  %.pre = load i32, ptr %arrayidx, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body7
  %2 = phi i32 [ %.pre, %if.then ], [ %0, %for.body7 ]
  %cmp11.not = icmp eq i32 %2, -1
  %spec.select = select i1 %cmp11.not, i32 %alive.2.ph, i32 1
  %inc = add nuw nsw i64 %i.0, 1
  br label %for.cond5.outer

for.end:                                          ; preds = %for.cond5
  %call = tail call fastcc i32 @warp_is_complete(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond) #22
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %for.cond1.backedge, label %if.end15

if.end15:                                         ; preds = %for.end
  tail call fastcc void @release(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond, i32 noundef 2) #22
  br label %for.cond5

for.end19:                                        ; preds = %for.cond1
  %tobool20.not = icmp eq i32 %alive.0, 0
  br i1 %tobool20.not, label %for.end43, label %if.end22

if.end22:                                         ; preds = %for.end19
  %call23 = tail call fastcc i32 @is_any_ready(ptr noundef %states, i64 noundef %count) #22
  %tobool24.not = icmp eq i32 %call23, 0
  br i1 %tobool24.not, label %if.end26, label %for.cond1.backedge

if.end26:                                         ; preds = %if.end22
  br i1 %tobool27.not, label %if.end42, label %land.lhs.true

land.lhs.true:                                    ; preds = %if.end26
  %call28 = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 3) #22
  %cmp29 = icmp sgt i64 %call28, -1
  br i1 %cmp29, label %if.then30, label %if.end42

if.then30:                                        ; preds = %land.lhs.true
  %call31 = tail call fastcc i32 @wake(ptr noundef %block) #22
  %tobool32.not = icmp eq i32 %call31, 0
  br i1 %tobool32.not, label %lor.lhs.false, label %for.cond1.backedge

for.cond1.backedge:                               ; preds = %for.end, %if.then30, %lor.lhs.false, %if.end42, %if.end22
  %begin.0.be = phi i64 [ 0, %if.end22 ], [ 0, %if.then30 ], [ 0, %lor.lhs.false ], [ 0, %if.end42 ], [ %add, %for.end ]
  %alive.0.be = phi i32 [ 0, %if.end22 ], [ 0, %if.then30 ], [ 0, %lor.lhs.false ], [ 0, %if.end42 ], [ %alive.2.ph, %for.end ]
  br label %for.cond1

lor.lhs.false:                                    ; preds = %if.then30
  %call33 = tail call fastcc i32 @do_late(ptr noundef %block) #22
  %tobool34.not = icmp eq i32 %call33, 0
  br i1 %tobool34.not, label %if.end36, label %for.cond1.backedge

if.end36:                                         ; preds = %lor.lhs.false
  %3 = load atomic i32, ptr @is_counting seq_cst, align 4
  %tobool37.not = icmp eq i32 %3, 0
  br i1 %tobool37.not, label %if.else, label %if.then38

if.then38:                                        ; preds = %if.end36
  %4 = atomicrmw add ptr @deadlocks, i64 1 seq_cst, align 8
  br label %for.end43

if.else:                                          ; preds = %if.end36
  %call40 = tail call i32 (i32, ptr, ...) @dprintf(i32 noundef 2, ptr noundef nonnull @.str) #21
  br label %for.end43

if.end42:                                         ; preds = %land.lhs.true, %if.end26
  tail call fastcc void @release(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 1) #22
  br label %for.cond1.backedge

for.end43:                                        ; preds = %for.end19, %if.then38, %if.else
  %smax = tail call i64 @llvm.smax.i64(i64 %count, i64 0)
  br label %for.cond45

for.cond45:                                       ; preds = %for.body47, %for.end43
  %i44.0 = phi i64 [ 0, %for.end43 ], [ %inc50, %for.body47 ]
  %exitcond.not = icmp eq i64 %i44.0, %smax
  br i1 %exitcond.not, label %for.end51, label %for.body47

for.body47:                                       ; preds = %for.cond45
  %arrayidx48 = getelementptr inbounds nuw ptr, ptr %threads, i64 %i44.0
  %5 = load ptr, ptr %arrayidx48, align 8
  tail call void %step(ptr noundef %5, i32 noundef 1) #21
  %inc50 = add nuw i64 %i44.0, 1
  br label %for.cond45

for.end51:                                        ; preds = %for.cond45
  ret void
}

define internal fastcc range(i32 0, 2) i32 @warp_is_complete(ptr noundef readonly captures(none) %states, i64 noundef %begin, i64 noundef %end) unnamed_addr #3 {
entry:
  %call = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef %begin, i64 noundef %end, i32 noundef 2) #22
  %cmp = icmp sgt i64 %call, -1
  br i1 %cmp, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %entry
  %call1 = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef %begin, i64 noundef %end, i32 noundef 3) #22
  %call1.lobit = lshr i64 %call1, 63
  %0 = trunc nuw nsw i64 %call1.lobit to i32
  br label %land.end

land.end:                                         ; preds = %land.rhs, %entry
  %land.ext = phi i32 [ 0, %entry ], [ %0, %land.rhs ]
  ret i32 %land.ext
}

define internal fastcc void @release(ptr noundef captures(none) %states, i64 noundef %begin, i64 noundef %end, i32 noundef range(i32 1, 3) %scope) unnamed_addr #4 {
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

define internal fastcc range(i32 0, 2) i32 @is_any_ready(ptr noundef readonly captures(none) %states, i64 noundef %count) unnamed_addr #3 {
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

define internal fastcc range(i64 -9223372036854775808, 9223372036854775807) i64 @who_waits(ptr noundef readonly captures(none) %states, i64 noundef %begin, i64 noundef %end, i32 noundef range(i32 1, 4) %scope) unnamed_addr #3 {
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
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %waits = getelementptr inbounds nuw i8, ptr %block, i64 16
  %clocks.i = getelementptr inbounds nuw i8, ptr %block, i64 368
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i64 [ 0, %entry ], [ %inc, %for.inc ]
  %is_any.0 = phi i32 [ 0, %entry ], [ %is_any.1, %for.inc ]
  %0 = load i64, ptr %count, align 8
  %cmp = icmp slt i64 %i.0, %0
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %1 = load ptr, ptr %block, align 8
  %arrayidx = getelementptr inbounds nuw i32, ptr %1, i64 %i.0
  %2 = load i32, ptr %arrayidx, align 4
  %3 = add i32 %2, 1
  %or.cond.i = icmp ult i32 %3, 2
  %and.i.i = and i32 %2, 3
  %cmp2.i = icmp ne i32 %and.i.i, 3
  %narrow.i.not = or i1 %or.cond.i, %cmp2.i
  br i1 %narrow.i.not, label %for.inc, label %if.end

if.end:                                           ; preds = %for.body
  %4 = load ptr, ptr %waits, align 8
  %arrayidx1 = getelementptr inbounds nuw %struct.Wait, ptr %4, i64 %i.0
  %5 = load i32, ptr %arrayidx1, align 8
  switch i32 %5, label %if.else [
    i32 1, label %if.then3
    i32 0, label %if.then11
  ]

if.then3:                                         ; preds = %if.end
  %call4 = tail call fastcc i64 @missing_lane(ptr noundef %block, i64 noundef %i.0) #22
  %cmp5 = icmp sgt i64 %call4, -1
  br i1 %cmp5, label %for.inc, label %if.end7

if.end7:                                          ; preds = %if.then3
  %mask1.i = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 16
  %6 = load i32, ptr %mask1.i, align 8
  %div.i55 = and i64 %i.0, 9223372036854775776
  %add.i = add nuw nsw i64 %div.i55, 32
  %add..i = tail call i64 @llvm.smin.i64(i64 %add.i, i64 %0)
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.inc.i, %if.end7
  %i.0.i = phi i64 [ %div.i55, %if.end7 ], [ %inc.i, %for.inc.i ]
  %cmp4.i = icmp slt i64 %i.0.i, %add..i
  br i1 %cmp4.i, label %for.body.i, label %for.cond7.i

for.body.i:                                       ; preds = %for.cond.i
  %sub.i = sub nuw nsw i64 %i.0.i, %div.i55
  %sh_prom.i = trunc i64 %sub.i to i32
  %7 = shl nuw i32 1, %sh_prom.i
  %8 = and i32 %7, %6
  %tobool.not.i = icmp eq i32 %8, 0
  br i1 %tobool.not.i, label %for.inc.i, label %if.then.i

if.then.i:                                        ; preds = %for.body.i
  %9 = load ptr, ptr %block, align 8
  %arrayidx5.i = getelementptr inbounds nuw i32, ptr %9, i64 %i.0.i
  store i32 0, ptr %arrayidx5.i, align 4
  br label %for.inc.i

for.inc.i:                                        ; preds = %if.then.i, %for.body.i
  %inc.i = add nuw nsw i64 %i.0.i, 1
  br label %for.cond.i

for.cond7.i:                                      ; preds = %for.cond.i, %for.inc31.i
  %i6.0.i = phi i64 [ %inc32.i, %for.inc31.i ], [ %div.i55, %for.cond.i ]
  %10 = load ptr, ptr %clocks.i, align 8
  %tobool8.i = icmp ne ptr %10, null
  %cmp9.i = icmp slt i64 %i6.0.i, %add..i
  %11 = select i1 %tobool8.i, i1 %cmp9.i, i1 false
  br i1 %11, label %for.cond11.preheader.i, label %for.cond35.i

for.cond11.preheader.i:                           ; preds = %for.cond7.i
  %sub15.i = sub nuw nsw i64 %i6.0.i, %div.i55
  %sh_prom16.i = trunc i64 %sub15.i to i32
  %shr17.i = lshr i32 %6, %sh_prom16.i
  %and21.i = and i32 %shr17.i, 1
  br label %for.cond11.i

for.cond11.i:                                     ; preds = %for.inc28.i, %for.cond11.preheader.i
  %j.0.i = phi i64 [ %inc29.i, %for.inc28.i ], [ %div.i55, %for.cond11.preheader.i ]
  %exitcond.not.i = icmp eq i64 %j.0.i, %add..i
  br i1 %exitcond.not.i, label %for.inc31.i, label %for.body13.i

for.body13.i:                                     ; preds = %for.cond11.i
  %cmp14.not.i = icmp eq i64 %i6.0.i, %j.0.i
  br i1 %cmp14.not.i, label %for.inc28.i, label %land.lhs.true.i

land.lhs.true.i:                                  ; preds = %for.body13.i
  %sub18.i = sub nsw i64 %j.0.i, %div.i55
  %sh_prom19.i = trunc i64 %sub18.i to i32
  %shr20.i = lshr i32 %6, %sh_prom19.i
  %and22.i = and i32 %and21.i, %shr20.i
  %tobool23.not.i = icmp eq i32 %and22.i, 0
  br i1 %tobool23.not.i, label %for.inc28.i, label %if.then24.i

if.then24.i:                                      ; preds = %land.lhs.true.i
  %12 = load ptr, ptr %clocks.i, align 8
  %13 = load i64, ptr %count, align 8
  %mul.i.i = mul nsw i64 %13, %i6.0.i
  %add.ptr.i.i = getelementptr inbounds i32, ptr %12, i64 %mul.i.i
  %mul.i97.i = mul nsw i64 %13, %j.0.i
  %add.ptr.i98.i = getelementptr inbounds i32, ptr %12, i64 %mul.i97.i
  tail call fastcc void @learn(ptr noundef %add.ptr.i.i, ptr noundef %add.ptr.i98.i, i64 noundef %13) #22
  br label %for.inc28.i

for.inc28.i:                                      ; preds = %if.then24.i, %land.lhs.true.i, %for.body13.i
  %inc29.i = add i64 %j.0.i, 1
  br label %for.cond11.i

for.inc31.i:                                      ; preds = %for.cond11.i
  %inc32.i = add nuw nsw i64 %i6.0.i, 1
  br label %for.cond7.i

for.cond35.i:                                     ; preds = %for.cond7.i, %for.inc52.i
  %.pre103.i = phi ptr [ %.pre.i, %for.inc52.i ], [ %10, %for.cond7.i ]
  %i34.0.i = phi i64 [ %inc53.i, %for.inc52.i ], [ %div.i55, %for.cond7.i ]
  %tobool37.i = icmp ne ptr %.pre103.i, null
  %cmp39.i = icmp slt i64 %i34.0.i, %add..i
  %14 = select i1 %tobool37.i, i1 %cmp39.i, i1 false
  br i1 %14, label %for.body41.i, label %for.inc

for.body41.i:                                     ; preds = %for.cond35.i
  %sub42.i = sub nuw nsw i64 %i34.0.i, %div.i55
  %sh_prom43.i = trunc i64 %sub42.i to i32
  %15 = shl nuw i32 1, %sh_prom43.i
  %16 = and i32 %15, %6
  %tobool46.not.i = icmp eq i32 %16, 0
  br i1 %tobool46.not.i, label %for.inc52.i, label %if.then47.i

if.then47.i:                                      ; preds = %for.body41.i
  %17 = load i64, ptr %count, align 8
  %mul.i101.i = mul nsw i64 %17, %i34.0.i
  %add.ptr.i102.i = getelementptr inbounds i32, ptr %.pre103.i, i64 %mul.i101.i
  %arrayidx49.i = getelementptr inbounds nuw i32, ptr %add.ptr.i102.i, i64 %i34.0.i
  %18 = load i32, ptr %arrayidx49.i, align 4
  %inc50.i = add nsw i32 %18, 1
  store i32 %inc50.i, ptr %arrayidx49.i, align 4
  %.pre.pre.i = load ptr, ptr %clocks.i, align 8
  br label %for.inc52.i

for.inc52.i:                                      ; preds = %if.then47.i, %for.body41.i
  %.pre.i = phi ptr [ %.pre103.i, %for.body41.i ], [ %.pre.pre.i, %if.then47.i ]
  %inc53.i = add nuw nsw i64 %i34.0.i, 1
  br label %for.cond35.i

if.then11:                                        ; preds = %if.end
  %barrier = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 4
  %19 = load i32, ptr %barrier, align 4
  %idxprom = sext i32 %19 to i64
  %arrayidx12 = getelementptr %struct.Barrier, ptr %block, i64 %idxprom
  %generation = getelementptr i8, ptr %arrayidx12, i64 48
  %20 = load i32, ptr %generation, align 4
  %generation13 = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 12
  %21 = load i32, ptr %generation13, align 4
  %cmp14 = icmp eq i32 %20, %21
  br i1 %cmp14, label %for.inc, label %if.end16

if.end16:                                         ; preds = %if.then11
  %call18 = tail call fastcc ptr @order_of(ptr noundef nonnull %block, i32 noundef %19, i64 noundef 0) #22
  br label %if.end26

if.else:                                          ; preds = %if.end
  %address = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 24
  %22 = load i64, ptr %address, align 8
  %23 = inttoptr i64 %22 to ptr
  %24 = load i64, ptr %23, align 8
  %shr = lshr i64 %24, 62
  %and = and i64 %shr, 1
  %generation19 = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 12
  %25 = load i32, ptr %generation19, align 4
  %conv = zext i32 %25 to i64
  %cmp20 = icmp eq i64 %and, %conv
  br i1 %cmp20, label %for.inc, label %if.end23

if.end23:                                         ; preds = %if.else
  %call25 = tail call fastcc ptr @order_of(ptr noundef nonnull %block, i32 noundef 0, i64 noundef %22) #22
  br label %if.end26

if.end26:                                         ; preds = %if.end23, %if.end16
  %call25.sink = phi ptr [ %call25, %if.end23 ], [ %call18, %if.end16 ]
  tail call fastcc void @hear(ptr noundef nonnull %block, ptr noundef %call25.sink, i64 noundef %i.0) #22
  %is_done = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 8
  store i32 1, ptr %is_done, align 8
  %26 = load ptr, ptr %block, align 8
  %arrayidx28 = getelementptr inbounds nuw i32, ptr %26, i64 %i.0
  store i32 0, ptr %arrayidx28, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.cond35.i, %if.else, %if.then11, %if.then3, %for.body, %if.end26
  %is_any.1 = phi i32 [ %is_any.0, %if.then3 ], [ %is_any.0, %for.body ], [ %is_any.0, %if.then11 ], [ 1, %if.end26 ], [ %is_any.0, %if.else ], [ 1, %for.cond35.i ]
  %inc = add nuw nsw i64 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret i32 %is_any.0
}

define internal fastcc range(i32 0, 2) i32 @do_late(ptr noundef nonnull captures(address_is_null) %block) unnamed_addr #0 {
entry:
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %queues = getelementptr inbounds nuw i8, ptr %block, i64 24
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %is_any.0 = phi i32 [ 0, %entry ], [ %is_any.1, %for.inc ]
  %i.0 = phi i64 [ 0, %entry ], [ %inc, %for.inc ]
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
  %end.057 = phi i32 [ %2, %while.end ], [ %end.0, %land.rhs ]
  tail call fastcc void @settle_if(ptr noundef nonnull %block) #22
  tail call fastcc void @do_copies(ptr noundef nonnull %block, i64 noundef %i.0, i32 noundef %end.057) #22
  br label %for.inc

for.inc:                                          ; preds = %while.end, %if.end
  %is_any.1 = phi i32 [ 1, %if.end ], [ %is_any.0, %while.end ]
  %inc = add nuw nsw i64 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  %tobool5.not = icmp eq i32 %is_any.0, 0
  br i1 %tobool5.not, label %if.end7, label %return

if.end7:                                          ; preds = %for.end
  %fruitless = getelementptr inbounds nuw i8, ptr %block, i64 360
  %7 = load i32, ptr %fruitless, align 8
  %inc8 = add nsw i32 %7, 1
  store i32 %inc8, ptr %fruitless, align 8
  %cmp9 = icmp sgt i32 %7, 999
  br i1 %cmp9, label %return, label %for.cond13.preheader

for.cond13.preheader:                             ; preds = %if.end7
  %waits = getelementptr inbounds nuw i8, ptr %block, i64 16
  br label %for.cond13

for.cond13:                                       ; preds = %for.cond13.preheader, %for.inc27
  %.pre58 = phi i64 [ %.pre, %for.inc27 ], [ %0, %for.cond13.preheader ]
  %is_any.2 = phi i32 [ %is_any.3, %for.inc27 ], [ 0, %for.cond13.preheader ]
  %i12.0 = phi i64 [ %inc28, %for.inc27 ], [ 0, %for.cond13.preheader ]
  %cmp15 = icmp slt i64 %i12.0, %.pre58
  br i1 %cmp15, label %for.body16, label %return

for.body16:                                       ; preds = %for.cond13
  %8 = load ptr, ptr %block, align 8
  %arrayidx17 = getelementptr inbounds nuw i32, ptr %8, i64 %i12.0
  %9 = load i32, ptr %arrayidx17, align 4
  %10 = add i32 %9, 1
  %or.cond.i = icmp ult i32 %10, 2
  %and.i.i = and i32 %9, 3
  %cmp2.i = icmp ne i32 %and.i.i, 3
  %narrow.i.not = or i1 %or.cond.i, %cmp2.i
  br i1 %narrow.i.not, label %for.inc27, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %for.body16
  %11 = load ptr, ptr %waits, align 8
  %arrayidx19 = getelementptr inbounds nuw %struct.Wait, ptr %11, i64 %i12.0
  %12 = load i32, ptr %arrayidx19, align 8
  %cmp20.not = icmp eq i32 %12, 3
  br i1 %cmp20.not, label %if.end22, label %for.inc27

if.end22:                                         ; preds = %lor.lhs.false
  %is_done = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 8
  store i32 0, ptr %is_done, align 8
  %13 = load ptr, ptr %block, align 8
  %arrayidx26 = getelementptr inbounds nuw i32, ptr %13, i64 %i12.0
  store i32 0, ptr %arrayidx26, align 4
  %.pre.pre = load i64, ptr %count, align 8
  br label %for.inc27

for.inc27:                                        ; preds = %for.body16, %lor.lhs.false, %if.end22
  %.pre = phi i64 [ %.pre58, %lor.lhs.false ], [ %.pre.pre, %if.end22 ], [ %.pre58, %for.body16 ]
  %is_any.3 = phi i32 [ %is_any.2, %lor.lhs.false ], [ 1, %if.end22 ], [ %is_any.2, %for.body16 ]
  %inc28 = add nuw nsw i64 %i12.0, 1
  br label %for.cond13

return:                                           ; preds = %for.cond13, %if.end7, %for.end
  %retval.0 = phi i32 [ 0, %if.end7 ], [ 1, %for.end ], [ %is_any.2, %for.cond13 ]
  ret i32 %retval.0
}

declare i32 @dprintf(i32 noundef, ptr noundef, ...) local_unnamed_addr

define void @kc_emu_begin(i32 noundef %number_of_sites, ptr noundef %statement_of) local_unnamed_addr #0 {
entry:
  store i32 %number_of_sites, ptr @site_count, align 4
  store ptr %statement_of, ptr @statements, align 8
  store ptr null, ptr @pending, align 8
  store i32 0, ptr @finding_count, align 4
  store i64 0, ptr @barriers, align 8
  %conv = sext i32 %number_of_sites to i64
  %add = add nsw i64 %conv, 1
  %call = tail call ptr @calloc(i64 noundef %add, i64 noundef 144) #21
  store ptr %call, ptr @sites, align 8
  %call3 = tail call ptr @calloc(i64 noundef %add, i64 noundef 32) #21
  store ptr %call3, ptr @costs, align 8
  br label %for.cond

for.cond:                                         ; preds = %for.body, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, 64
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %indvars.iv
  %cells = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  store ptr null, ptr %cells, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

define noundef nonnull ptr @kc_emu_findings(ptr noundef writeonly captures(none) initializes((0, 4)) %count) local_unnamed_addr #5 {
entry:
  %0 = load i32, ptr @finding_count, align 4
  store i32 %0, ptr %count, align 4
  ret ptr @findings
}

define ptr @kc_emu_costs(ptr noundef writeonly captures(none) initializes((0, 8)) %number_of_barriers) local_unnamed_addr #5 {
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
  %exitcond.not = icmp eq i64 %indvars.iv, 64
  br i1 %exitcond.not, label %for.cond2, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %indvars.iv
  tail call fastcc void @drop_buffer(ptr noundef nonnull %arrayidx) #22
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
  tail call void @free(ptr noundef %3) #21
  %indvars.iv.next16 = add nuw nsw i64 %indvars.iv15, 1
  br label %for.cond2

for.end9:                                         ; preds = %for.cond2
  %4 = load ptr, ptr @readers, align 8
  tail call void @free(ptr noundef %4) #21
  store ptr null, ptr @readers, align 8
  store i32 0, ptr @reader_room, align 4
  %5 = load ptr, ptr @sites, align 8
  tail call void @free(ptr noundef %5) #21
  %6 = load ptr, ptr @costs, align 8
  tail call void @free(ptr noundef %6) #21
  store ptr null, ptr @sites, align 8
  store ptr null, ptr @costs, align 8
  ret void
}

define internal fastcc void @drop_buffer(ptr noundef captures(none) %buffer) unnamed_addr #0 {
entry:
  %cells = getelementptr inbounds nuw i8, ptr %buffer, i64 32
  %0 = load ptr, ptr %cells, align 8
  tail call void @free(ptr noundef %0) #21
  store ptr null, ptr %cells, align 8
  ret void
}

define void @kc_emu_launch() local_unnamed_addr #0 {
entry:
  br label %for.cond

for.cond:                                         ; preds = %for.body, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, 64
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %indvars.iv
  tail call fastcc void @drop_buffer(ptr noundef nonnull %arrayidx) #22
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

define void @kc_emu_block(i64 noundef %block) local_unnamed_addr #6 {
entry:
  %conv = trunc i64 %block to i32
  store i32 %conv, ptr @now, align 4
  store i32 0, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  store i32 1, ptr @reader_count, align 4
  store i32 0, ptr @unused_reader, align 4
  ret void
}

define void @kc_emu_buffer(i32 noundef %known, i64 noundef %base, i64 noundef %bytes) local_unnamed_addr #0 {
entry:
  %and = and i32 %known, 255
  %idxprom = zext nneg i32 %and to i64
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %idxprom
  %shr = lshr i32 %known, 8
  %and1 = and i32 %shr, 255
  %shr2 = lshr i32 %known, 16
  %conv = zext nneg i32 %shr2 to i64
  tail call fastcc void @drop_buffer(ptr noundef nonnull %arrayidx) #22
  %div = sdiv i64 %bytes, %conv
  %0 = mul i64 %div, 56
  %mul = add i64 %0, 56
  %call = tail call ptr @malloc(i64 noundef %mul) #21
  store i64 %base, ptr %arrayidx, align 8
  %.compoundliteral.sroa.2.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  store i64 %bytes, ptr %.compoundliteral.sroa.2.0..sroa_idx, align 8
  %.compoundliteral.sroa.3.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  store i64 %conv, ptr %.compoundliteral.sroa.3.0..sroa_idx, align 8
  %.compoundliteral.sroa.4.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  store i32 %and1, ptr %.compoundliteral.sroa.4.0..sroa_idx, align 8
  %.compoundliteral.sroa.5.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 28
  store i32 0, ptr %.compoundliteral.sroa.5.0..sroa_idx, align 4
  %.compoundliteral.sroa.6.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  store ptr %call, ptr %.compoundliteral.sroa.6.0..sroa_idx, align 8
  %smax = tail call i64 @llvm.smax.i64(i64 %div, i64 0)
  br label %for.cond

for.cond:                                         ; preds = %for.body, %entry
  %i.0 = phi i64 [ 0, %entry ], [ %inc, %for.body ]
  %exitcond.not = icmp eq i64 %i.0, %smax
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %1 = load ptr, ptr %.compoundliteral.sroa.6.0..sroa_idx, align 8
  %arrayidx9 = getelementptr inbounds nuw %struct.Cell, ptr %1, i64 %i.0
  %site.i = getelementptr inbounds nuw i8, ptr %arrayidx9, i64 44
  store i16 -1, ptr %site.i, align 4
  %site1.i = getelementptr inbounds nuw i8, ptr %arrayidx9, i64 28
  store i16 -1, ptr %site1.i, align 4
  %site2.i = getelementptr inbounds nuw i8, ptr %arrayidx9, i64 12
  store i16 -1, ptr %site2.i, align 4
  %block.i = getelementptr inbounds nuw i8, ptr %arrayidx9, i64 52
  store i32 -1, ptr %block.i, align 4
  %inc = add nuw i64 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #7

declare ptr @malloc(i64 noundef) local_unnamed_addr

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #8

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
  %call = tail call fastcc i32 @note_known(i64 noundef %known, i64 noundef %add6, i32 noundef %land.ext) #22
  %tobool = icmp ne i32 %call, 0
  ret i1 %tobool
}

define internal fastcc range(i32 0, 2) i32 @note_known(i64 noundef %known, i64 noundef %address, i32 noundef range(i32 0, 2) %is_inside) unnamed_addr #0 {
entry:
  %shr = lshr i64 %known, 58
  %0 = trunc nuw nsw i64 %shr to i32
  %conv = and i32 %0, 15
  %tobool.not = icmp eq i32 %is_inside, 0
  %cond = select i1 %tobool.not, i32 0, i32 2
  %or = or i32 %cond, %conv
  %1 = trunc i64 %known to i32
  %2 = lshr i32 %1, 16
  %conv3 = and i32 %2, 255
  %sub = add nsw i32 %conv3, -1
  %shr4 = lshr i64 %known, 24
  %and5 = and i64 %shr4, 4095
  %shr6 = lshr i64 %known, 36
  %and7 = and i64 %shr6, 16383
  %mul = mul nuw nsw i64 %and5, %and7
  %shr8 = lshr i64 %known, 50
  %and9 = and i64 %shr8, 255
  %shl = shl nuw i64 1, %and9
  %conv12 = and i32 %1, 65535
  %call = tail call fastcc i32 @note_access(i32 noundef %sub, i64 noundef %address, i64 noundef %mul, i64 noundef %shl, i32 noundef %conv12, i32 noundef %or) #22
  ret i32 %call
}

define range(i64 -1, -9223372036854775808) i64 @kc_emu_row_of(i64 noundef %row, i64 noundef %index, i64 noundef %size) local_unnamed_addr #9 {
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
  %call = tail call fastcc i32 @note_known(i64 noundef %known, i64 noundef %address, i32 noundef %conv) #22
  %tobool = icmp ne i32 %call, 0
  ret i1 %tobool
}

define void @kc_emu_run_checked(ptr noundef readonly captures(none) %threads, ptr noundef captures(none) %states, i64 noundef %count, ptr noundef readonly captures(none) %step, ptr noundef %block) local_unnamed_addr #0 {
entry:
  %seen.i.i = alloca [64 x i64], align 16
  %words.i.i = alloca [128 x i64], align 16
  store ptr %block, ptr @watched, align 8
  %tobool23.not = icmp eq ptr %block, null
  br label %for.cond1

for.cond.critedge:                                ; preds = %if.then27
  tail call fastcc void @settle_write() #22
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
  %and = and i16 %conv, 16383
  %bf.load = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear = and i16 %bf.load, -16384
  %bf.set = or disjoint i16 %bf.clear, %and
  store i16 %bf.set, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %arrayidx11 = getelementptr inbounds nuw ptr, ptr %threads, i64 %i.0
  %1 = load ptr, ptr %arrayidx11, align 8
  tail call void %step(ptr noundef %1, i32 noundef 0) #21
  tail call fastcc void @settle_write() #22
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
  %call45.i = tail call ptr @memset(ptr noundef nonnull %next.i, i32 noundef 0, i64 noundef 128) #21
  %.pre.i = load i32, ptr @site_count, align 4
  br label %for.inc47.i

for.inc47.i:                                      ; preds = %if.then43.i, %for.end41.i
  %34 = phi i32 [ %2, %for.end41.i ], [ %.pre.i, %if.then43.i ]
  %indvars.iv.next103.i = add nuw nsw i64 %indvars.iv102.i, 1
  br label %for.cond.i

settle_costs.exit:                                ; preds = %for.cond.i
  %call = tail call fastcc i32 @warp_is_complete(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond) #22
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %for.cond1.backedge, label %if.end13

if.end13:                                         ; preds = %settle_costs.exit
  %call14 = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond, i32 noundef 2) #22
  tail call fastcc void @check_together(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond, i64 noundef %call14) #22
  tail call fastcc void @release(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond, i32 noundef 2) #22
  br label %for.cond5.backedge

for.end18:                                        ; preds = %for.cond1
  %call19 = tail call fastcc i32 @is_any_ready(ptr noundef %states, i64 noundef %count) #22
  %tobool20.not = icmp eq i32 %call19, 0
  br i1 %tobool20.not, label %if.end22, label %for.cond1.backedge

if.end22:                                         ; preds = %for.end18
  br i1 %tobool23.not, label %if.end35, label %land.lhs.true

land.lhs.true:                                    ; preds = %if.end22
  %call24 = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 3) #22
  %cmp25 = icmp sgt i64 %call24, -1
  br i1 %cmp25, label %if.then27, label %if.end35

if.then27:                                        ; preds = %land.lhs.true
  %call28 = tail call fastcc i32 @wake(ptr noundef %block) #22
  %tobool29.not = icmp eq i32 %call28, 0
  br i1 %tobool29.not, label %lor.rhs, label %for.cond.critedge

lor.rhs:                                          ; preds = %if.then27
  %call30 = tail call fastcc i32 @do_late(ptr noundef %block) #22
  %tobool31.not = icmp eq i32 %call30, 0
  tail call fastcc void @settle_write() #22
  br i1 %tobool31.not, label %if.end34, label %for.cond1.backedge

if.end34:                                         ; preds = %lor.rhs
  %35 = load ptr, ptr %block, align 8
  %count.i95 = getelementptr inbounds nuw i8, ptr %block, i64 8
  %36 = load i64, ptr %count.i95, align 8
  %call.i = tail call fastcc i64 @who_waits(ptr noundef %35, i64 noundef 0, i64 noundef %36, i32 noundef 3) #22
  %waits.i = getelementptr inbounds nuw i8, ptr %block, i64 16
  %37 = load ptr, ptr %waits.i, align 8
  %arrayidx.i96 = getelementptr inbounds %struct.Wait, ptr %37, i64 %call.i
  %38 = load i32, ptr %arrayidx.i96, align 8
  %cmp.i97 = icmp eq i32 %38, 1
  br i1 %cmp.i97, label %if.then.i104, label %for.cond.preheader.i

for.cond.preheader.i:                             ; preds = %if.end34
  %arrayidx7.i98 = getelementptr inbounds i32, ptr %35, i64 %call.i
  br label %for.cond.i99

if.then.i104:                                     ; preds = %if.end34
  %call2.i = tail call fastcc i64 @missing_lane(ptr noundef nonnull readonly %block, i64 noundef %call.i) #22
  br label %if.end23.i

for.cond.i99:                                     ; preds = %for.body.i102, %for.cond.preheader.i
  %i.0.i = phi i64 [ %inc.i103, %for.body.i102 ], [ 0, %for.cond.preheader.i ]
  %apart.0.i = phi i64 [ %spec.select.i, %for.body.i102 ], [ -1, %for.cond.preheader.i ]
  %cmp4.i100 = icmp slt i64 %i.0.i, %36
  %cmp5.i = icmp slt i64 %apart.0.i, 0
  %39 = select i1 %cmp4.i100, i1 %cmp5.i, i1 false
  br i1 %39, label %for.body.i102, label %for.end.i

for.body.i102:                                    ; preds = %for.cond.i99
  %arrayidx6.i = getelementptr inbounds nuw i32, ptr %35, i64 %i.0.i
  %40 = load i32, ptr %arrayidx6.i, align 4
  %41 = load i32, ptr %arrayidx7.i98, align 4
  %cmp8.not.i = icmp eq i32 %40, %41
  %spec.select.i = select i1 %cmp8.not.i, i64 %apart.0.i, i64 %i.0.i
  %inc.i103 = add nuw nsw i64 %i.0.i, 1
  br label %for.cond.i99

for.end.i:                                        ; preds = %for.cond.i99
  %cmp11.i = icmp eq i32 %38, 0
  br i1 %cmp11.i, label %if.then12.i, label %if.else19.i

if.then12.i:                                      ; preds = %for.end.i
  %barriers.i = getelementptr inbounds nuw i8, ptr %block, i64 40
  %barrier.i = getelementptr inbounds nuw i8, ptr %arrayidx.i96, i64 4
  %42 = load i32, ptr %barrier.i, align 4
  %idxprom.i = sext i32 %42 to i64
  %arrayidx13.i = getelementptr inbounds %struct.Barrier, ptr %barriers.i, i64 %idxprom.i
  %arrived.i = getelementptr inbounds nuw i8, ptr %arrayidx13.i, i64 4
  %43 = load i32, ptr %arrived.i, align 4
  %44 = load i32, ptr %arrayidx13.i, align 4
  br label %if.end23.i

if.else19.i:                                      ; preds = %for.end.i
  %address.i = getelementptr inbounds nuw i8, ptr %arrayidx.i96, i64 24
  %45 = load i64, ptr %address.i, align 8
  %46 = inttoptr i64 %45 to ptr
  %47 = load i64, ptr %46, align 8
  %shr.i = lshr i64 %47, 20
  %48 = trunc i64 %shr.i to i32
  %conv.i = and i32 %48, 1048575
  %49 = trunc i64 %47 to i32
  %conv21.i = and i32 %49, 1048575
  %sub.i101 = sub nsw i32 %conv.i, %conv21.i
  br label %if.end23.i

if.end23.i:                                       ; preds = %if.else19.i, %if.then12.i, %if.then.i104
  %wanted.0.i = phi i32 [ 0, %if.then.i104 ], [ %44, %if.then12.i ], [ %conv.i, %if.else19.i ]
  %came.0.i = phi i32 [ 0, %if.then.i104 ], [ %43, %if.then12.i ], [ %sub.i101, %if.else19.i ]
  %apart.2.i = phi i64 [ %call2.i, %if.then.i104 ], [ %apart.0.i, %if.then12.i ], [ %apart.0.i, %if.else19.i ]
  %50 = load i32, ptr @finding_count, align 4
  %cmp24.i = icmp sgt i64 %apart.2.i, -1
  br i1 %cmp24.i, label %if.then26.i, label %if.else27.i

if.then26.i:                                      ; preds = %if.end23.i
  tail call fastcc void @report_apart(i32 noundef 5, ptr noundef %35, i64 noundef %call.i, i64 noundef %apart.2.i) #22
  br label %if.end34.i

if.else27.i:                                      ; preds = %if.end23.i
  %conv28.i = trunc i64 %call.i to i16
  %and30.i = and i16 %conv28.i, 16383
  %bf.load.i = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear.i = and i16 %bf.load.i, -16384
  %bf.set.i = or disjoint i16 %bf.clear.i, %and30.i
  store i16 %bf.set.i, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %arrayidx32.i = getelementptr inbounds i32, ptr %35, i64 %call.i
  %51 = load i32, ptr %arrayidx32.i, align 4
  %shr33.i = ashr i32 %51, 2
  tail call fastcc void @report(i32 noundef 5, i32 noundef %shr33.i, ptr noundef null, i64 noundef -1) #22
  br label %if.end34.i

if.end34.i:                                       ; preds = %if.else27.i, %if.then26.i
  %52 = load i32, ptr @finding_count, align 4
  %cmp35.i = icmp sgt i32 %52, %50
  br i1 %cmp35.i, label %if.then37.i, label %for.end43

if.then37.i:                                      ; preds = %if.end34.i
  %idxprom38.i = sext i32 %50 to i64
  %arrayidx39.i = getelementptr inbounds %struct.Finding, ptr @findings, i64 %idxprom38.i
  %came40.i = getelementptr inbounds nuw i8, ptr %arrayidx39.i, i64 56
  store i32 %came.0.i, ptr %came40.i, align 8
  %wanted43.i = getelementptr inbounds nuw i8, ptr %arrayidx39.i, i64 60
  store i32 %wanted.0.i, ptr %wanted43.i, align 4
  br label %for.end43

if.end35:                                         ; preds = %land.lhs.true, %if.end22
  %call36 = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 1) #22
  %cmp37 = icmp slt i64 %call36, 0
  br i1 %cmp37, label %for.end43, label %if.end40

if.end40:                                         ; preds = %if.end35
  tail call fastcc void @check_together(ptr noundef %states, i64 noundef 0, i64 noundef %count, i64 noundef %call36) #22
  tail call fastcc void @release(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 1) #22
  %53 = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %inc41 = add nsw i32 %53, 1
  store i32 %inc41, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %54 = load i64, ptr @barriers, align 8
  %inc42 = add nsw i64 %54, 1
  store i64 %inc42, ptr @barriers, align 8
  br label %for.cond1.backedge

for.cond1.backedge:                               ; preds = %settle_costs.exit, %if.end40, %for.end18, %lor.rhs, %for.cond.critedge
  %begin.0.be = phi i64 [ 0, %for.cond.critedge ], [ 0, %if.end40 ], [ 0, %for.end18 ], [ 0, %lor.rhs ], [ %add, %settle_costs.exit ]
  br label %for.cond1

for.end43:                                        ; preds = %if.end35, %if.then37.i, %if.end34.i
  %smax = tail call i64 @llvm.smax.i64(i64 %count, i64 0)
  br label %for.cond45

for.cond45:                                       ; preds = %for.body48, %for.end43
  %i44.0 = phi i64 [ 0, %for.end43 ], [ %inc51, %for.body48 ]
  %exitcond.not = icmp eq i64 %i44.0, %smax
  br i1 %exitcond.not, label %for.end52, label %for.body48

for.body48:                                       ; preds = %for.cond45
  %arrayidx49 = getelementptr inbounds nuw ptr, ptr %threads, i64 %i44.0
  %55 = load ptr, ptr %arrayidx49, align 8
  tail call void %step(ptr noundef %55, i32 noundef 1) #21
  %inc51 = add nuw i64 %i44.0, 1
  br label %for.cond45

for.end52:                                        ; preds = %for.cond45
  store ptr null, ptr @watched, align 8
  ret void
}

define internal fastcc void @settle_write() unnamed_addr #0 {
entry:
  %access.sroa.0 = alloca { i32, i32, i32 }, align 8
  %earlier = alloca [3 x ptr], align 16
  %0 = load ptr, ptr @pending, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %for.end67, label %if.end

if.end:                                           ; preds = %entry
  store ptr null, ptr @pending, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(12) %access.sroa.0, ptr noundef nonnull align 8 dereferenceable(12) getelementptr inbounds nuw (i8, ptr @pending, i64 8), i64 12, i1 false)
  %access.sroa.2.0.copyload = load i16, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 20), align 4
  %access.sroa.5.0.copyload = load i16, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 22), align 2
  %granule1 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %1 = load i64, ptr %granule1, align 8
  %2 = load i64, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 24), align 8
  %3 = load i64, ptr %0, align 8
  %4 = inttoptr i64 %3 to ptr
  %cells = getelementptr inbounds nuw i8, ptr %0, i64 32
  %tobool3 = icmp sgt i16 %access.sroa.5.0.copyload, -1
  %idxprom10 = sext i16 %access.sroa.2.0.copyload to i64
  %arrayinit.element = getelementptr inbounds nuw i8, ptr %earlier, i64 8
  %arrayinit.element17 = getelementptr inbounds nuw i8, ptr %earlier, i64 16
  %bf.lshr29 = lshr i16 %access.sroa.5.0.copyload, 14
  %bf.clear = and i16 %bf.lshr29, 1
  %conv = zext nneg i16 %bf.clear to i32
  %conv35 = sext i16 %access.sroa.2.0.copyload to i32
  br label %for.cond

for.cond:                                         ; preds = %if.end63, %if.end
  %at.0 = phi i64 [ %2, %if.end ], [ %add66, %if.end63 ]
  %5 = load i64, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 32), align 8
  %add = add nsw i64 %5, %2
  %cmp = icmp slt i64 %at.0, %add
  br i1 %cmp, label %for.body, label %for.end67

for.body:                                         ; preds = %for.cond
  %div = sdiv i64 %at.0, %1
  %6 = load ptr, ptr %cells, align 8
  %arrayidx = getelementptr inbounds %struct.Cell, ptr %6, i64 %div
  %site.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  %7 = load i16, ptr %site.i, align 4
  %cmp.i = icmp sgt i16 %7, -1
  %cmp5 = icmp slt i64 %5, 257
  %or.cond = and i1 %tobool3, %cmp5
  %or.cond104 = select i1 %cmp.i, i1 %or.cond, i1 false
  br i1 %or.cond104, label %land.lhs.true6, label %land.end

land.lhs.true6:                                   ; preds = %for.body
  %8 = load ptr, ptr @statements, align 8
  %idxprom = zext nneg i16 %7 to i64
  %arrayidx8 = getelementptr inbounds nuw i32, ptr %8, i64 %idxprom
  %9 = load i32, ptr %arrayidx8, align 4
  %arrayidx11 = getelementptr inbounds i32, ptr %8, i64 %idxprom10
  %10 = load i32, ptr %arrayidx11, align 4
  %cmp12 = icmp eq i32 %9, %10
  br i1 %cmp12, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %land.lhs.true6
  %add.ptr = getelementptr inbounds i8, ptr %4, i64 %at.0
  %sub = sub nsw i64 %at.0, %2
  %add.ptr13 = getelementptr inbounds i8, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 40), i64 %sub
  %call14 = tail call i32 @memcmp(ptr noundef %add.ptr, ptr noundef nonnull %add.ptr13, i64 noundef %1) #21
  %tobool15.not = icmp eq i32 %call14, 0
  br label %land.end

land.end:                                         ; preds = %land.rhs, %land.lhs.true6, %for.body
  %11 = phi i1 [ false, %land.lhs.true6 ], [ %tobool15.not, %land.rhs ], [ false, %for.body ]
  %land.ext = zext i1 %11 to i32
  store ptr %arrayidx, ptr %earlier, align 16
  %reader = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  store ptr %reader, ptr %arrayinit.element, align 8
  %reader_2 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  store ptr %reader_2, ptr %arrayinit.element17, align 16
  br label %for.cond18

for.cond18:                                       ; preds = %for.inc, %land.end
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %land.end ]
  %is_told.0 = phi i32 [ %is_told.1, %for.inc ], [ %land.ext, %land.end ]
  %cmp19 = icmp samesign ult i64 %indvars.iv, 3
  %tobool21.not = icmp eq i32 %is_told.0, 0
  %12 = select i1 %cmp19, i1 %tobool21.not, i1 false
  br i1 %12, label %for.body25, label %for.end

for.body25:                                       ; preds = %for.cond18
  %arrayidx27 = getelementptr inbounds nuw ptr, ptr %earlier, i64 %indvars.iv
  %13 = load ptr, ptr %arrayidx27, align 8
  %call30 = tail call fastcc i32 @is_concurrent(ptr noundef %13, i32 noundef %conv) #22
  %tobool31.not = icmp eq i32 %call30, 0
  br i1 %tobool31.not, label %for.inc, label %if.end33

if.end33:                                         ; preds = %for.body25
  tail call fastcc void @report(i32 noundef 0, i32 noundef %conv35, ptr noundef %13, i64 noundef %div) #22
  %cmp38 = icmp ne i64 %indvars.iv, 0
  %conv39 = zext i1 %cmp38 to i32
  br label %for.inc

for.inc:                                          ; preds = %for.body25, %if.end33
  %is_told.1 = phi i32 [ %conv39, %if.end33 ], [ 0, %for.body25 ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond18

for.end:                                          ; preds = %for.cond18
  %14 = load ptr, ptr @watched, align 8
  %tobool40 = icmp eq ptr %14, null
  %or.cond68 = select i1 %tobool40, i1 true, i1 %11
  br i1 %or.cond68, label %if.end63, label %if.then43

if.then43:                                        ; preds = %for.end
  %block.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 52
  %15 = load i32, ptr %block.i, align 4
  %16 = load i32, ptr @now, align 4
  %cmp.not.i = icmp eq i32 %15, %16
  br i1 %cmp.not.i, label %readers_of.exit, label %if.then.i

if.then.i:                                        ; preds = %if.then43
  store i32 %16, ptr %block.i, align 4
  %first.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 48
  store i32 0, ptr %first.i, align 4
  br label %readers_of.exit

readers_of.exit:                                  ; preds = %if.then43, %if.then.i
  %first2.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 48
  %17 = load ptr, ptr @readers, align 8
  br label %while.cond

while.cond:                                       ; preds = %if.end62, %readers_of.exit
  %is_told.2 = phi i32 [ %is_told.0, %readers_of.exit ], [ %is_told.3, %if.end62 ]
  %18 = load i32, ptr %first2.i, align 4
  %tobool45.not = icmp eq i32 %18, 0
  br i1 %tobool45.not, label %if.end63, label %while.body

while.body:                                       ; preds = %while.cond
  %idxprom47 = sext i32 %18 to i64
  %arrayidx48 = getelementptr inbounds %struct.Reader, ptr %17, i64 %idxprom47
  %tobool50.not = icmp eq i32 %is_told.2, 0
  br i1 %tobool50.not, label %land.lhs.true51, label %if.end62

land.lhs.true51:                                  ; preds = %while.body
  %call57 = tail call fastcc i32 @is_concurrent(ptr noundef nonnull %arrayidx48, i32 noundef %conv) #22
  %tobool58.not = icmp eq i32 %call57, 0
  br i1 %tobool58.not, label %if.end62, label %if.then59

if.then59:                                        ; preds = %land.lhs.true51
  tail call fastcc void @report(i32 noundef 0, i32 noundef %conv35, ptr noundef nonnull %arrayidx48, i64 noundef %div) #22
  br label %if.end62

if.end62:                                         ; preds = %if.then59, %land.lhs.true51, %while.body
  %is_told.3 = phi i32 [ 1, %while.body ], [ 1, %if.then59 ], [ 0, %land.lhs.true51 ]
  tail call fastcc void @drop_reader(ptr noundef nonnull %first2.i) #22
  br label %while.cond

if.end63:                                         ; preds = %while.cond, %for.end
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(12) %arrayidx, ptr noundef nonnull align 8 dereferenceable(12) %access.sroa.0, i64 12, i1 false)
  store i16 %access.sroa.2.0.copyload, ptr %site.i, align 4
  %access.sroa.5.0.writer64.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 14
  store i16 %access.sroa.5.0.copyload, ptr %access.sroa.5.0.writer64.sroa_idx, align 2
  %add66 = add nsw i64 %at.0, %1
  br label %for.cond

for.end67:                                        ; preds = %for.cond, %entry
  ret void
}

define internal fastcc void @check_together(ptr noundef readonly captures(none) %states, i64 noundef %begin, i64 noundef %end, i64 noundef %waiter) unnamed_addr #10 {
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
  tail call fastcc void @report_apart(i32 noundef %cond, ptr noundef nonnull %states, i64 noundef %waiter, i64 noundef %i.0) #22
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
  %barriers = getelementptr inbounds nuw i8, ptr %block, i64 40
  %and = and i32 %number, 15
  %idxprom = zext nneg i32 %and to i64
  %arrayidx = getelementptr inbounds nuw %struct.Barrier, ptr %barriers, i64 %idxprom
  %call = tail call fastcc ptr @order_of(ptr noundef %block, i32 noundef %and, i64 noundef 0) #22
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %0 = load i64, ptr %count, align 8
  %sub = add nsw i64 %0, 31
  %div = sdiv i64 %sub, 32
  %mul = shl nsw i64 %div, 5
  %cmp = icmp slt i32 %wanted, 1
  %conv = trunc i64 %mul to i32
  %spec.select = select i1 %cmp, i32 %conv, i32 %wanted
  %arrived = getelementptr inbounds nuw i8, ptr %arrayidx, i64 4
  %1 = load i32, ptr %arrived, align 4
  %tobool.not = icmp eq i32 %1, 0
  br i1 %tobool.not, label %if.then2, label %if.else

if.then2:                                         ; preds = %entry
  store i32 %spec.select, ptr %arrayidx, align 4
  %site4 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  store i32 %site, ptr %site4, align 4
  %conv5 = trunc i64 %thread to i32
  %thread6 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  store i32 %conv5, ptr %thread6, align 4
  br label %if.end22

if.else:                                          ; preds = %entry
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 368
  %2 = load ptr, ptr %clocks, align 8
  %tobool7.not = icmp eq ptr %2, null
  br i1 %tobool7.not, label %if.end22, label %land.lhs.true

land.lhs.true:                                    ; preds = %if.else
  %3 = load i32, ptr %arrayidx, align 4
  %cmp9.not = icmp eq i32 %3, %spec.select
  br i1 %cmp9.not, label %if.end22, label %if.then11

if.then11:                                        ; preds = %land.lhs.true
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %first, ptr noundef nonnull align 4 dereferenceable(16) @now, i64 16, i1 false)
  %site12 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  %4 = load i32, ptr %site12, align 4
  %conv13 = trunc i32 %4 to i16
  %site14 = getelementptr inbounds nuw i8, ptr %first, i64 12
  store i16 %conv13, ptr %site14, align 4
  %thread15 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %5 = load i32, ptr %thread15, align 4
  %6 = trunc i32 %5 to i16
  %conv19 = and i16 %6, 16383
  %thread20 = getelementptr inbounds nuw i8, ptr %first, i64 14
  %bf.load = load i16, ptr %thread20, align 2
  %bf.clear = and i16 %bf.load, -16384
  %bf.set = or disjoint i16 %bf.clear, %conv19
  store i16 %bf.set, ptr %thread20, align 2
  call fastcc void @report(i32 noundef 1, i32 noundef %site, ptr noundef nonnull %first, i64 noundef -1) #22
  br label %if.end22

if.end22:                                         ; preds = %if.else, %land.lhs.true, %if.then11, %if.then2
  call fastcc void @tell(ptr noundef nonnull %block, ptr noundef %call, i64 noundef %thread) #22
  %tobool23.not = icmp eq i32 %waits, 0
  br i1 %tobool23.not, label %if.end28, label %if.then24

if.then24:                                        ; preds = %if.end22
  %generation27 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %7 = load i32, ptr %generation27, align 4
  %waits.i = getelementptr inbounds nuw i8, ptr %block, i64 16
  %8 = load ptr, ptr %waits.i, align 8
  %arrayidx.i = getelementptr inbounds %struct.Wait, ptr %8, i64 %thread
  store i32 0, ptr %arrayidx.i, align 8
  %.compoundliteral84.sroa.4.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 4
  store i32 %and, ptr %.compoundliteral84.sroa.4.0.arrayidx.i.sroa_idx, align 4
  %.compoundliteral84.sroa.5.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 8
  store i32 0, ptr %.compoundliteral84.sroa.5.0.arrayidx.i.sroa_idx, align 8
  %.compoundliteral84.sroa.6.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 12
  store i32 %7, ptr %.compoundliteral84.sroa.6.0.arrayidx.i.sroa_idx, align 4
  %.compoundliteral84.sroa.7.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 16
  store i32 0, ptr %.compoundliteral84.sroa.7.0.arrayidx.i.sroa_idx, align 8
  %.compoundliteral84.sroa.8.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 20
  store i32 0, ptr %.compoundliteral84.sroa.8.0.arrayidx.i.sroa_idx, align 4
  %.compoundliteral84.sroa.9.0.arrayidx.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx.i, i64 24
  store i64 0, ptr %.compoundliteral84.sroa.9.0.arrayidx.i.sroa_idx, align 8
  %shl.i = shl i32 %site, 2
  %or.i = or disjoint i32 %shl.i, 3
  %9 = load ptr, ptr %block, align 8
  %arrayidx1.i = getelementptr inbounds i32, ptr %9, i64 %thread
  store i32 %or.i, ptr %arrayidx1.i, align 4
  br label %if.end28

if.end28:                                         ; preds = %if.then24, %if.end22
  %10 = load i64, ptr %count, align 8
  %sub30 = add nsw i64 %10, -1
  %cmp31 = icmp eq i64 %thread, %sub30
  %sub34 = sub nsw i64 %mul, %10
  %conv35 = trunc i64 %sub34 to i32
  %11 = add nsw i32 %conv35, 1
  %cond = select i1 %cmp31, i32 %11, i32 1
  %12 = load i32, ptr %arrived, align 4
  %add38 = add nsw i32 %cond, %12
  store i32 %add38, ptr %arrived, align 4
  %13 = load i32, ptr %arrayidx, align 4
  %cmp41 = icmp slt i32 %add38, %13
  br i1 %cmp41, label %if.end51, label %if.end44

if.end44:                                         ; preds = %if.end28
  store i32 0, ptr %arrived, align 4
  %generation46 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %14 = load i32, ptr %generation46, align 4
  %inc = add i32 %14, 1
  store i32 %inc, ptr %generation46, align 4
  call fastcc void @complete(ptr noundef nonnull %block, ptr noundef %call) #22
  %clocks47 = getelementptr inbounds nuw i8, ptr %block, i64 368
  %15 = load ptr, ptr %clocks47, align 8
  %tobool48.not = icmp eq ptr %15, null
  br i1 %tobool48.not, label %if.end51, label %if.then49

if.then49:                                        ; preds = %if.end44
  %16 = load i64, ptr @barriers, align 8
  %inc50 = add nsw i64 %16, 1
  store i64 %inc50, ptr @barriers, align 8
  br label %if.end51

if.end51:                                         ; preds = %if.end28, %if.then49, %if.end44
  ret void
}

define internal fastcc noundef ptr @order_of(ptr noundef captures(ret: address, provenance) %block, i32 noundef %barrier, i64 noundef %address) unnamed_addr #0 {
entry:
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 368
  %0 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %orders = getelementptr inbounds nuw i8, ptr %block, i64 376
  %idxprom = sext i32 %barrier to i64
  %arrayidx = getelementptr inbounds %struct.Order, ptr %orders, i64 %idxprom
  %tobool1 = icmp ne i64 %address, 0
  br label %for.cond

for.cond:                                         ; preds = %for.body, %if.end
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 16, %if.end ]
  %order.0 = phi ptr [ %arrayidx4, %for.body ], [ %arrayidx, %if.end ]
  %cmp = icmp samesign ult i64 %indvars.iv, 80
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
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %4 = load i64, ptr %count, align 8
  %call = tail call ptr @calloc(i64 noundef %4, i64 noundef 4) #21
  store ptr %call, ptr %coming, align 8
  %5 = load i64, ptr %count, align 8
  %call16 = tail call ptr @calloc(i64 noundef %5, i64 noundef 4) #21
  %known = getelementptr inbounds nuw i8, ptr %order.1, i64 40
  store ptr %call16, ptr %known, align 8
  br label %return

return:                                           ; preds = %for.end, %if.then13, %entry
  %retval.0 = phi ptr [ null, %entry ], [ %order.1, %if.then13 ], [ %order.1, %for.end ]
  ret ptr %retval.0
}

define internal fastcc void @report(i32 noundef range(i32 0, 6) %kind, i32 noundef %site, ptr noundef readonly captures(address_is_null) %other, i64 noundef %element) unnamed_addr #11 {
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
  %2 = load i32, ptr %arrayidx, align 16
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
  br i1 %tobool.not, label %cond.end28, label %cond.true25

cond.true25:                                      ; preds = %if.end17
  %thread = getelementptr inbounds nuw i8, ptr %other, i64 14
  %bf.load = load i16, ptr %thread, align 2
  %bf.clear = and i16 %bf.load, 16383
  %conv26 = zext nneg i16 %bf.clear to i32
  br label %cond.end28

cond.end28:                                       ; preds = %if.end17, %cond.true25
  %cond29 = phi i32 [ %conv26, %cond.true25 ], [ -1, %if.end17 ]
  %6 = load i32, ptr @now, align 4
  %conv30 = sext i32 %6 to i64
  %bf.load32 = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear33 = and i16 %bf.load32, 16383
  %conv34 = zext nneg i16 %bf.clear33 to i64
  br i1 %tobool.not, label %cond.end39, label %cond.true36

cond.true36:                                      ; preds = %cond.end28
  %7 = load i32, ptr %other, align 4
  %8 = sext i32 %7 to i64
  br label %cond.end39

cond.end39:                                       ; preds = %cond.end28, %cond.true36
  %cond40 = phi i64 [ %8, %cond.true36 ], [ -1, %cond.end28 ]
  store i32 %kind, ptr %arrayidx20, align 16
  %.compoundliteral.sroa.2.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 4
  store i32 %site, ptr %.compoundliteral.sroa.2.0.arrayidx20.sroa_idx, align 4
  %.compoundliteral.sroa.3.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 8
  store i32 %cond, ptr %.compoundliteral.sroa.3.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.4.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 12
  store i32 %cond29, ptr %.compoundliteral.sroa.4.0.arrayidx20.sroa_idx, align 4
  %.compoundliteral.sroa.5.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 16
  store i64 %conv30, ptr %.compoundliteral.sroa.5.0.arrayidx20.sroa_idx, align 16
  %.compoundliteral.sroa.6.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 24
  store i64 %conv34, ptr %.compoundliteral.sroa.6.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.7.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 32
  store i64 %cond40, ptr %.compoundliteral.sroa.7.0.arrayidx20.sroa_idx, align 16
  %.compoundliteral.sroa.8.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 40
  store i64 %element, ptr %.compoundliteral.sroa.8.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.9.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 48
  store i64 1, ptr %.compoundliteral.sroa.9.0.arrayidx20.sroa_idx, align 16
  %.compoundliteral.sroa.10.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 56
  store i32 0, ptr %.compoundliteral.sroa.10.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.11.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 60
  store i32 0, ptr %.compoundliteral.sroa.11.0.arrayidx20.sroa_idx, align 4
  br label %return

return:                                           ; preds = %for.end, %cond.end39, %if.then
  ret void
}

define internal fastcc void @tell(ptr noundef captures(none) initializes((360, 364)) %block, ptr noundef readonly captures(address_is_null) %order, i64 noundef %thread) unnamed_addr #10 {
entry:
  %fruitless = getelementptr inbounds nuw i8, ptr %block, i64 360
  store i32 0, ptr %fruitless, align 8
  %tobool.not = icmp eq ptr %order, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %clocks.i = getelementptr inbounds nuw i8, ptr %block, i64 368
  %0 = load ptr, ptr %clocks.i, align 8
  %count.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %1 = load i64, ptr %count.i, align 8
  %mul.i = mul nsw i64 %1, %thread
  %add.ptr.i = getelementptr inbounds i32, ptr %0, i64 %mul.i
  %coming = getelementptr inbounds nuw i8, ptr %order, i64 32
  %2 = load ptr, ptr %coming, align 8
  tail call fastcc void @learn(ptr noundef %2, ptr noundef %add.ptr.i, i64 noundef %1) #22
  %arrayidx = getelementptr inbounds i32, ptr %add.ptr.i, i64 %thread
  %3 = load i32, ptr %arrayidx, align 4
  %inc = add nsw i32 %3, 1
  store i32 %inc, ptr %arrayidx, align 4
  br label %return

return:                                           ; preds = %entry, %if.end
  ret void
}

define internal fastcc void @complete(ptr noundef readonly captures(none) %block, ptr noundef readonly captures(address_is_null) %order) unnamed_addr #0 {
entry:
  %tobool.not = icmp eq ptr %order, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %known = getelementptr inbounds nuw i8, ptr %order, i64 40
  %0 = load ptr, ptr %known, align 8
  %coming = getelementptr inbounds nuw i8, ptr %order, i64 32
  %1 = load ptr, ptr %coming, align 8
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %2 = load i64, ptr %count, align 8
  %mul = shl i64 %2, 2
  %call = tail call ptr @memcpy(ptr noundef %0, ptr noundef %1, i64 noundef %mul) #21
  %3 = load ptr, ptr %coming, align 8
  %4 = load i64, ptr %count, align 8
  %mul3 = shl i64 %4, 2
  %call4 = tail call ptr @memset(ptr noundef %3, i32 noundef 0, i64 noundef %mul3) #21
  br label %return

return:                                           ; preds = %entry, %if.end
  ret void
}

define void @kc_emu_lanes(ptr noundef captures(none) initializes((360, 364)) %block, i64 noundef %thread, i32 noundef %mask, i32 noundef %site) local_unnamed_addr #12 {
entry:
  %fruitless = getelementptr inbounds nuw i8, ptr %block, i64 360
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

define range(i32 0, 2) i32 @kc_emu_pointer(i64 noundef %address, i64 noundef %bytes, i64 noundef %alignment, i32 noundef %site, i32 noundef %flags) local_unnamed_addr #0 {
entry:
  %call = tail call fastcc i32 @find_buffer(i64 noundef %address) #22
  %cmp = icmp slt i32 %call, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  tail call fastcc void @report(i32 noundef 2, i32 noundef %site, ptr noundef null, i64 noundef -1) #22
  br label %return

if.end:                                           ; preds = %entry
  %or = or i32 %flags, 2
  %call1 = tail call fastcc i32 @note_access(i32 noundef %call, i64 noundef %address, i64 noundef %bytes, i64 noundef %alignment, i32 noundef %site, i32 noundef %or) #22
  br label %return

return:                                           ; preds = %if.end, %if.then
  %retval.0 = phi i32 [ 0, %if.then ], [ %call1, %if.end ]
  ret i32 %retval.0
}

define internal fastcc range(i32 -1, 64) i32 @find_buffer(i64 noundef %address) unnamed_addr #13 {
entry:
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, 64
  br i1 %exitcond.not, label %return, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %indvars.iv
  %cells = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  %0 = load ptr, ptr %cells, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %for.inc, label %land.lhs.true

land.lhs.true:                                    ; preds = %for.body
  %1 = load i64, ptr %arrayidx, align 8
  %sub = sub i64 %address, %1
  %bytes = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %2 = load i64, ptr %bytes, align 8
  %cmp5 = icmp ult i64 %sub, %2
  br i1 %cmp5, label %return.split.loop.exit12, label %for.inc

for.inc:                                          ; preds = %for.body, %land.lhs.true
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

return.split.loop.exit12:                         ; preds = %land.lhs.true
  %3 = trunc nuw nsw i64 %indvars.iv to i32
  br label %return

return:                                           ; preds = %for.cond, %return.split.loop.exit12
  %retval.0 = phi i32 [ %3, %return.split.loop.exit12 ], [ -1, %for.cond ]
  ret i32 %retval.0
}

define internal fastcc range(i32 0, 2) i32 @note_access(i32 noundef range(i32 -1, -2147483648) %slot, i64 noundef %address, i64 noundef %bytes, i64 noundef %alignment, i32 noundef %site, i32 noundef %flags) unnamed_addr #0 {
entry:
  %cmp = icmp slt i32 %slot, 0
  br i1 %cmp, label %if.then, label %if.end4

if.then:                                          ; preds = %entry
  %and = and i32 %flags, 2
  %tobool.not = icmp eq i32 %and, 0
  br i1 %tobool.not, label %if.then1, label %if.end

if.then1:                                         ; preds = %if.then
  tail call fastcc void @report(i32 noundef 2, i32 noundef %site, ptr noundef null, i64 noundef -1) #22
  br label %if.end

if.end:                                           ; preds = %if.then1, %if.then
  %and.lobit = lshr exact i32 %and, 1
  br label %return

if.end4:                                          ; preds = %entry
  tail call fastcc void @settle_write() #22
  %idxprom = zext nneg i32 %slot to i64
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %idxprom
  %0 = load i64, ptr %arrayidx, align 8
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
  %2 = load i64, ptr %granule, align 8
  %div = sdiv i64 %sub, %2
  tail call fastcc void @report(i32 noundef 2, i32 noundef %site, ptr noundef null, i64 noundef %div) #22
  br label %return

if.end20:                                         ; preds = %lor.lhs.false15
  %rem = srem i64 %sub, %alignment
  %tobool21.not = icmp eq i64 %rem, 0
  br i1 %tobool21.not, label %if.end25, label %if.then22

if.then22:                                        ; preds = %if.end20
  %granule23 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %3 = load i64, ptr %granule23, align 8
  %div24 = sdiv i64 %sub, %3
  tail call fastcc void @report(i32 noundef 3, i32 noundef %site, ptr noundef null, i64 noundef %div24) #22
  br label %return

if.end25:                                         ; preds = %if.end20
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
  br i1 %cmp.i, label %note_address.exit, label %if.end.i

if.end.i:                                         ; preds = %if.end25
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
  %call.i = tail call ptr @realloc(ptr noundef %.pre.i, i64 noundef %mul15.i) #21
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
  %access.sroa.8.0.copyload.pre = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  br label %note_address.exit

note_address.exit:                                ; preds = %if.end25, %if.end26.i
  %bf.load33 = phi i16 [ %bf.load.i, %if.end25 ], [ %access.sroa.8.0.copyload.pre, %if.end26.i ]
  %access.sroa.0.0.copyload = load i32, ptr @now, align 4
  %access.sroa.5.0.copyload = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %conv26 = trunc i32 %site to i16
  %12 = trunc i32 %flags to i16
  %13 = shl i16 %12, 12
  %bf.clear = and i16 %bf.load33, 16383
  %14 = load ptr, ptr @watched, align 8
  %tobool31.not = icmp eq ptr %14, null
  br i1 %tobool31.not, label %if.end41, label %if.then32

if.then32:                                        ; preds = %note_address.exit
  %clocks = getelementptr inbounds nuw i8, ptr %14, i64 368
  %15 = load ptr, ptr %clocks, align 8
  %conv35 = zext nneg i16 %bf.clear to i64
  %count = getelementptr inbounds nuw i8, ptr %14, i64 8
  %16 = load i64, ptr %count, align 8
  %mul125 = add i64 %16, 1
  %add39 = mul i64 %mul125, %conv35
  %arrayidx40 = getelementptr inbounds i32, ptr %15, i64 %add39
  br label %if.end41

if.end41:                                         ; preds = %if.then32, %note_address.exit
  %access.sroa.6.0.in = phi ptr [ getelementptr inbounds nuw (i8, ptr @now, i64 8), %note_address.exit ], [ %arrayidx40, %if.then32 ]
  %access.sroa.6.0 = load i32, ptr %access.sroa.6.0.in, align 4
  %17 = and i16 %13, -16384
  %bf.set50 = or disjoint i16 %bf.clear, %17
  br i1 %cmp6.not, label %if.end57, label %if.then52

if.then52:                                        ; preds = %if.end41
  store ptr %arrayidx, ptr @pending, align 8
  store i32 %access.sroa.0.0.copyload, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 8), align 8
  store i32 %access.sroa.5.0.copyload, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 12), align 4
  store i32 %access.sroa.6.0, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 16), align 8
  store i16 %conv26, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 20), align 4
  store i16 %bf.set50, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 22), align 2
  store i64 %sub, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 24), align 8
  store i64 %bytes, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 32), align 8
  %cmp53 = icmp slt i64 %bytes, 257
  br i1 %cmp53, label %if.then55, label %return

if.then55:                                        ; preds = %if.then52
  %18 = inttoptr i64 %address to ptr
  %call = tail call ptr @memcpy(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @pending, i64 40), ptr noundef %18, i64 noundef %bytes) #21
  br label %return

if.end57:                                         ; preds = %if.end41
  %granule59 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %19 = load i64, ptr %granule59, align 8
  %add60 = add i64 %add, -1
  %sub61 = add i64 %add60, %19
  %div63 = sdiv i64 %sub61, %19
  %div65 = sdiv i64 %sub, %19
  %cells = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  br label %for.cond

for.cond:                                         ; preds = %note_read.exit, %if.end57
  %i.0 = phi i64 [ %div65, %if.end57 ], [ %inc, %note_read.exit ]
  %cmp66 = icmp slt i64 %i.0, %div63
  br i1 %cmp66, label %for.body, label %return

for.body:                                         ; preds = %for.cond
  %20 = load ptr, ptr %cells, align 8
  %arrayidx68 = getelementptr inbounds %struct.Cell, ptr %20, i64 %i.0
  %call69 = tail call fastcc i32 @is_concurrent(ptr noundef %arrayidx68, i32 noundef 0) #22
  %tobool70.not = icmp eq i32 %call69, 0
  br i1 %tobool70.not, label %if.end73, label %if.then71

if.then71:                                        ; preds = %for.body
  tail call fastcc void @report(i32 noundef 0, i32 noundef %site, ptr noundef %arrayidx68, i64 noundef %i.0) #22
  br label %if.end73

if.end73:                                         ; preds = %if.then71, %for.body
  %21 = load i32, ptr %scope, align 8
  %cmp75 = icmp eq i32 %21, 1
  br i1 %cmp75, label %land.lhs.true, label %if.end81

land.lhs.true:                                    ; preds = %if.end73
  %site.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 12
  %22 = load i16, ptr %site.i, align 4
  %cmp.i126 = icmp slt i16 %22, 0
  br i1 %cmp.i126, label %if.then80, label %if.end81

if.then80:                                        ; preds = %land.lhs.true
  tail call fastcc void @report(i32 noundef 4, i32 noundef %site, ptr noundef null, i64 noundef %i.0) #22
  br label %if.end81

if.end81:                                         ; preds = %if.then80, %land.lhs.true, %if.end73
  %23 = load ptr, ptr @watched, align 8
  %tobool.not.i127 = icmp eq ptr %23, null
  br i1 %tobool.not.i127, label %if.end.i128, label %if.then.i

if.then.i:                                        ; preds = %if.end81
  %block.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 52
  %24 = load i32, ptr %block.i.i.i, align 4
  %25 = load i32, ptr @now, align 4
  %cmp.not.i.i.i = icmp eq i32 %24, %25
  br i1 %cmp.not.i.i.i, label %readers_of.exit.i.i, label %if.then.i.i.i

if.then.i.i.i:                                    ; preds = %if.then.i
  store i32 %25, ptr %block.i.i.i, align 4
  %first.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 48
  store i32 0, ptr %first.i.i.i, align 4
  br label %readers_of.exit.i.i

readers_of.exit.i.i:                              ; preds = %if.then.i.i.i, %if.then.i
  %first2.i.i.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 48
  %26 = load ptr, ptr @readers, align 8
  br label %while.cond.i.i.outer

while.cond.i.i.outer:                             ; preds = %if.then.i.i, %readers_of.exit.i.i
  %place.0.i.i.ph = phi ptr [ %next.i.i, %if.then.i.i ], [ %first2.i.i.i, %readers_of.exit.i.i ]
  br label %while.cond.i.i

while.cond.i.i:                                   ; preds = %while.cond.i.i.outer, %if.else.i.i
  %27 = load i32, ptr %place.0.i.i.ph, align 4
  %tobool.not.i.i = icmp eq i32 %27, 0
  br i1 %tobool.not.i.i, label %while.end.i.i, label %while.body.i.i

while.body.i.i:                                   ; preds = %while.cond.i.i
  %idxprom.i.i = sext i32 %27 to i64
  %arrayidx.i.i = getelementptr inbounds %struct.Reader, ptr %26, i64 %idxprom.i.i
  %call2.i.i = tail call fastcc i32 @is_concurrent(ptr noundef nonnull %arrayidx.i.i, i32 noundef 0) #22
  %tobool3.not.i.i = icmp eq i32 %call2.i.i, 0
  br i1 %tobool3.not.i.i, label %if.else.i.i, label %if.then.i.i

if.then.i.i:                                      ; preds = %while.body.i.i
  %next.i.i = getelementptr inbounds nuw i8, ptr %arrayidx.i.i, i64 16
  br label %while.cond.i.i.outer

if.else.i.i:                                      ; preds = %while.body.i.i
  tail call fastcc void @drop_reader(ptr noundef nonnull %place.0.i.i.ph) #22
  br label %while.cond.i.i

while.end.i.i:                                    ; preds = %while.cond.i.i
  %28 = load i32, ptr @unused_reader, align 4
  %tobool6.not.i.i = icmp eq i32 %28, 0
  br i1 %tobool6.not.i.i, label %if.else11.i.i, label %if.then7.i.i

if.then7.i.i:                                     ; preds = %while.end.i.i
  %idxprom8.i.i = sext i32 %28 to i64
  %arrayidx9.i.i = getelementptr inbounds %struct.Reader, ptr %26, i64 %idxprom8.i.i
  %next10.i.i = getelementptr inbounds nuw i8, ptr %arrayidx9.i.i, i64 16
  %29 = load i32, ptr %next10.i.i, align 4
  store i32 %29, ptr @unused_reader, align 4
  br label %note_reader.exit.i

if.else11.i.i:                                    ; preds = %while.end.i.i
  %30 = load i32, ptr @reader_count, align 4
  %31 = load i32, ptr @reader_room, align 4
  %cmp.not.i.i = icmp slt i32 %30, %31
  br i1 %cmp.not.i.i, label %if.end16.i.i, label %if.then12.i.i

if.then12.i.i:                                    ; preds = %if.else11.i.i
  %tobool13.not.i.i = icmp eq i32 %31, 0
  %mul.i.i = shl nsw i32 %31, 1
  %cond.i.i = select i1 %tobool13.not.i.i, i32 1024, i32 %mul.i.i
  store i32 %cond.i.i, ptr @reader_room, align 4
  %conv.i.i = sext i32 %cond.i.i to i64
  %mul14.i.i = mul nsw i64 %conv.i.i, 20
  %call15.i.i = tail call ptr @realloc(ptr noundef %26, i64 noundef %mul14.i.i) #21
  store ptr %call15.i.i, ptr @readers, align 8
  %.pre.i.i = load i32, ptr @reader_count, align 4
  br label %if.end16.i.i

if.end16.i.i:                                     ; preds = %if.then12.i.i, %if.else11.i.i
  %32 = phi ptr [ %call15.i.i, %if.then12.i.i ], [ %26, %if.else11.i.i ]
  %33 = phi i32 [ %.pre.i.i, %if.then12.i.i ], [ %30, %if.else11.i.i ]
  %inc.i.i = add nsw i32 %33, 1
  store i32 %inc.i.i, ptr @reader_count, align 4
  %.pre33.i.i = sext i32 %33 to i64
  br label %note_reader.exit.i

note_reader.exit.i:                               ; preds = %if.end16.i.i, %if.then7.i.i
  %idxprom18.pre-phi.i.i = phi i64 [ %.pre33.i.i, %if.end16.i.i ], [ %idxprom8.i.i, %if.then7.i.i ]
  %34 = phi ptr [ %32, %if.end16.i.i ], [ %26, %if.then7.i.i ]
  %number.0.i.i = phi i32 [ %33, %if.end16.i.i ], [ %28, %if.then7.i.i ]
  %arrayidx19.i.i = getelementptr inbounds %struct.Reader, ptr %34, i64 %idxprom18.pre-phi.i.i
  %35 = load i32, ptr %first2.i.i.i, align 4
  store i32 %access.sroa.0.0.copyload, ptr %arrayidx19.i.i, align 4
  %access.sroa.5.0.arrayidx19.i.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx19.i.i, i64 4
  store i32 %access.sroa.5.0.copyload, ptr %access.sroa.5.0.arrayidx19.i.i.sroa_idx, align 4
  %access.sroa.6.0.arrayidx19.i.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx19.i.i, i64 8
  store i32 %access.sroa.6.0, ptr %access.sroa.6.0.arrayidx19.i.i.sroa_idx, align 4
  %access.sroa.7.0.arrayidx19.i.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx19.i.i, i64 12
  store i16 %conv26, ptr %access.sroa.7.0.arrayidx19.i.i.sroa_idx, align 4
  %access.sroa.8.0.arrayidx19.i.i.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx19.i.i, i64 14
  store i16 %bf.set50, ptr %access.sroa.8.0.arrayidx19.i.i.sroa_idx, align 2
  %.compoundliteral.sroa.2.0.arrayidx19.sroa_idx.i.i = getelementptr inbounds nuw i8, ptr %arrayidx19.i.i, i64 16
  store i32 %35, ptr %.compoundliteral.sroa.2.0.arrayidx19.sroa_idx.i.i, align 4
  store i32 %number.0.i.i, ptr %first2.i.i.i, align 4
  br label %if.end.i128

if.end.i128:                                      ; preds = %note_reader.exit.i, %if.end81
  %reader.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 16
  %last.sroa.0.0.copyload.i = load i32, ptr %reader.i, align 4
  %last.sroa.4.0.reader.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 20
  %last.sroa.4.0.copyload.i = load i32, ptr %last.sroa.4.0.reader.sroa_idx.i, align 4
  %last.sroa.5.0.reader.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 24
  %last.sroa.5.0.copyload.i = load i32, ptr %last.sroa.5.0.reader.sroa_idx.i, align 4
  %last.sroa.556.0.reader.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 28
  %last.sroa.556.0.copyload.i = load i16, ptr %last.sroa.556.0.reader.sroa_idx.i, align 4
  %last.sroa.6.0.reader.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 30
  %last.sroa.6.0.copyload.i = load i16, ptr %last.sroa.6.0.reader.sroa_idx.i, align 2
  store i32 %access.sroa.0.0.copyload, ptr %reader.i, align 4
  store i32 %access.sroa.5.0.copyload, ptr %last.sroa.4.0.reader.sroa_idx.i, align 4
  store i32 %access.sroa.6.0, ptr %last.sroa.5.0.reader.sroa_idx.i, align 4
  store i16 %conv26, ptr %last.sroa.556.0.reader.sroa_idx.i, align 4
  store i16 %bf.set50, ptr %last.sroa.6.0.reader.sroa_idx.i, align 2
  %cmp.i.i = icmp slt i16 %last.sroa.556.0.copyload.i, 0
  br i1 %cmp.i.i, label %note_read.exit, label %lor.lhs.false.i

lor.lhs.false.i:                                  ; preds = %if.end.i128
  %cmp.i129 = icmp eq i32 %last.sroa.0.0.copyload.i, %access.sroa.0.0.copyload
  br i1 %cmp.i129, label %land.lhs.true.i, label %if.end11.thread.i

land.lhs.true.i:                                  ; preds = %lor.lhs.false.i
  %36 = xor i16 %last.sroa.6.0.copyload.i, %bf.load33
  %37 = and i16 %36, 16383
  %cmp8.i = icmp eq i16 %37, 0
  br i1 %cmp8.i, label %note_read.exit, label %if.end11.i

if.end11.i:                                       ; preds = %land.lhs.true.i
  %reader_2.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 32
  %site.i49.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 44
  %38 = load i16, ptr %site.i49.i, align 4
  %cmp.i50.i = icmp slt i16 %38, 0
  br i1 %cmp.i50.i, label %land.lhs.true25.i, label %lor.lhs.false23.i

if.end11.thread.i:                                ; preds = %lor.lhs.false.i
  %reader_263.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 32
  %site.i4964.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 44
  br label %if.then29.i

lor.lhs.false23.i:                                ; preds = %if.end11.i
  %39 = load i32, ptr %reader_2.i, align 4
  %cmp17.not.i = icmp eq i32 %39, %access.sroa.0.0.copyload
  br i1 %cmp17.not.i, label %land.lhs.true25.i, label %note_read.exit

land.lhs.true25.i:                                ; preds = %lor.lhs.false23.i, %if.end11.i
  %cmp27.i = icmp eq i32 %last.sroa.4.0.copyload.i, %access.sroa.5.0.copyload
  br i1 %cmp27.i, label %if.then29.i, label %if.then32.i

if.then29.i:                                      ; preds = %land.lhs.true25.i, %if.end11.thread.i
  %site.i4970.i = phi ptr [ %site.i4964.i, %if.end11.thread.i ], [ %site.i49.i, %land.lhs.true25.i ]
  %reader_267.i = phi ptr [ %reader_263.i, %if.end11.thread.i ], [ %reader_2.i, %land.lhs.true25.i ]
  store i32 %last.sroa.0.0.copyload.i, ptr %reader_267.i, align 4
  %last.sroa.4.0.reader_2.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 36
  store i32 %last.sroa.4.0.copyload.i, ptr %last.sroa.4.0.reader_2.sroa_idx.i, align 4
  %last.sroa.5.0.reader_2.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 40
  store i32 %last.sroa.5.0.copyload.i, ptr %last.sroa.5.0.reader_2.sroa_idx.i, align 4
  store i16 %last.sroa.556.0.copyload.i, ptr %site.i4970.i, align 4
  %last.sroa.6.0.reader_2.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx68, i64 46
  store i16 %last.sroa.6.0.copyload.i, ptr %last.sroa.6.0.reader_2.sroa_idx.i, align 2
  br label %note_read.exit

if.then32.i:                                      ; preds = %land.lhs.true25.i
  store i16 -1, ptr %site.i49.i, align 4
  br label %note_read.exit

note_read.exit:                                   ; preds = %if.end.i128, %land.lhs.true.i, %lor.lhs.false23.i, %if.then29.i, %if.then32.i
  %inc = add nsw i64 %i.0, 1
  br label %for.cond

return:                                           ; preds = %for.cond, %if.then52, %if.then55, %if.then22, %if.then19, %if.end
  %retval.0 = phi i32 [ %and.lobit, %if.end ], [ 0, %if.then19 ], [ 1, %if.then22 ], [ 1, %if.then52 ], [ 1, %if.then55 ], [ 1, %for.cond ]
  ret i32 %retval.0
}

define range(i32 -32768, 32768) i32 @kc_emu_writer(i64 noundef %address, ptr noundef writeonly captures(none) %block, ptr noundef writeonly captures(none) %thread) local_unnamed_addr #14 {
entry:
  %call = tail call fastcc i32 @find_buffer(i64 noundef %address) #22
  %cmp = icmp slt i32 %call, 0
  br i1 %cmp, label %return, label %if.end

if.end:                                           ; preds = %entry
  %idxprom = zext nneg i32 %call to i64
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %idxprom
  %cells = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  %0 = load ptr, ptr %cells, align 8
  %1 = load i64, ptr %arrayidx, align 8
  %sub = sub i64 %address, %1
  %granule = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %2 = load i64, ptr %granule, align 8
  %div = sdiv i64 %sub, %2
  %arrayidx1 = getelementptr inbounds %struct.Cell, ptr %0, i64 %div
  %writer.sroa.0.0.copyload = load i32, ptr %arrayidx1, align 4
  %writer.sroa.27.0.writer2.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 12
  %writer.sroa.27.0.copyload = load i16, ptr %writer.sroa.27.0.writer2.sroa_idx, align 4
  %writer.sroa.3.0.writer2.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 14
  %writer.sroa.3.0.copyload = load i16, ptr %writer.sroa.3.0.writer2.sroa_idx, align 2
  %conv = sext i32 %writer.sroa.0.0.copyload to i64
  store i64 %conv, ptr %block, align 8
  %bf.clear = and i16 %writer.sroa.3.0.copyload, 16383
  %conv5 = zext nneg i16 %bf.clear to i64
  store i64 %conv5, ptr %thread, align 8
  %conv6 = sext i16 %writer.sroa.27.0.copyload to i32
  br label %return

return:                                           ; preds = %entry, %if.end
  %retval.0 = phi i32 [ %conv6, %if.end ], [ -1, %entry ]
  ret i32 %retval.0
}

define i64 @kc_emu_mbarrier(ptr noundef captures(address_is_null) %block, i64 noundef %thread, i32 noundef %what, i64 noundef %address, i32 noundef %count, i32 noundef %site) local_unnamed_addr #0 {
entry:
  %conv = sext i32 %count to i64
  %call = tail call fastcc i64 @change(ptr noundef %block, i64 noundef %thread, i32 noundef %what, i64 noundef %address, i64 noundef %conv, i32 noundef %site) #22
  ret i64 %call
}

define internal fastcc i64 @change(ptr noundef captures(address_is_null) %block, i64 noundef %thread, i32 noundef %what, i64 noundef %address, i64 noundef range(i64 -2147483648, 2147483648) %count, i32 noundef %site) unnamed_addr #0 {
entry:
  %0 = inttoptr i64 %address to ptr
  %cmp = icmp eq i32 %what, 0
  %conv = zext i1 %cmp to i32
  %call = tail call fastcc i32 @is_mbarrier(ptr noundef %block, i64 noundef %address, i32 noundef %site, i32 noundef %conv) #22
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %1 = load i64, ptr %0, align 8
  %and = and i64 %1, 1048575
  %shr = lshr i64 %1, 20
  %and1 = and i64 %shr, 1048575
  %shl = shl i64 %1, 2
  %shr2 = ashr i64 %shl, 42
  %shr3 = lshr i64 %1, 62
  %and4 = and i64 %shr3, 1
  %or.cond = icmp ult i32 %what, 2
  br i1 %or.cond, label %if.then9, label %if.end17

if.then9:                                         ; preds = %if.end
  %cmp7 = icmp eq i32 %what, 1
  %and.i = and i64 %count, 1048575
  %and1.i = shl nsw i64 %count, 20
  %shl.i = and i64 %and1.i, 1099510579200
  %or.i = or disjoint i64 %shl.i, %and.i
  store i64 %or.i, ptr %0, align 8
  br i1 %cmp7, label %land.lhs.true, label %return

land.lhs.true:                                    ; preds = %if.then9
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 368
  %2 = load ptr, ptr %clocks, align 8
  %tobool13.not = icmp eq ptr %2, null
  br i1 %tobool13.not, label %return, label %if.then14

if.then14:                                        ; preds = %land.lhs.true
  %call15 = tail call fastcc ptr @order_of(ptr noundef nonnull %block, i32 noundef 0, i64 noundef %address) #22
  %is_made = getelementptr inbounds nuw i8, ptr %call15, i64 8
  store i32 0, ptr %is_made, align 8
  br label %return

if.end17:                                         ; preds = %if.end
  %call18 = tail call fastcc ptr @order_of(ptr noundef %block, i32 noundef 0, i64 noundef %address) #22
  %3 = icmp ult i32 %what, 4
  br i1 %3, label %if.then24, label %if.else

if.then24:                                        ; preds = %if.end17
  %cmp22 = icmp eq i32 %what, 3
  tail call fastcc void @tell(ptr noundef %block, ptr noundef %call18, i64 noundef %thread) #22
  %sub = sub nsw i64 %and, %count
  %sub28 = select i1 %cmp22, i64 %count, i64 0
  %spec.select = sub nsw i64 %and1, %sub28
  br label %if.end33

if.else:                                          ; preds = %if.end17
  %fruitless = getelementptr inbounds nuw i8, ptr %block, i64 360
  store i32 0, ptr %fruitless, align 8
  %cmp30 = icmp eq i32 %what, 4
  %sub32 = sub nsw i64 0, %count
  %cond = select i1 %cmp30, i64 %count, i64 %sub32
  %add = add nsw i64 %shr2, %cond
  br label %if.end33

if.end33:                                         ; preds = %if.then24, %if.else
  %pending.0 = phi i64 [ %and, %if.else ], [ %sub, %if.then24 ]
  %expected.0 = phi i64 [ %and1, %if.else ], [ %spec.select, %if.then24 ]
  %bytes.0 = phi i64 [ %add, %if.else ], [ %shr2, %if.then24 ]
  %cmp34 = icmp slt i64 %pending.0, 1
  %cmp37 = icmp eq i64 %bytes.0, 0
  %or.cond46 = select i1 %cmp34, i1 %cmp37, i1 false
  %cmp40 = icmp ne i32 %what, 4
  %or.cond47 = and i1 %cmp40, %or.cond46
  br i1 %or.cond47, label %if.then42, label %if.end43

if.then42:                                        ; preds = %if.end33
  %xor = xor i64 %and4, 1
  tail call fastcc void @complete(ptr noundef %block, ptr noundef %call18) #22
  br label %if.end43

if.end43:                                         ; preds = %if.then42, %if.end33
  %pending.1 = phi i64 [ %expected.0, %if.then42 ], [ %pending.0, %if.end33 ]
  %phase.0 = phi i64 [ %xor, %if.then42 ], [ %and4, %if.end33 ]
  %and.i84 = and i64 %pending.1, 1048575
  %and1.i85 = shl nsw i64 %expected.0, 20
  %shl.i86 = and i64 %and1.i85, 1099510579200
  %and2.i = shl i64 %bytes.0, 40
  %shl3.i = and i64 %and2.i, 4611684918915760128
  %shl5.i = shl nuw nsw i64 %phase.0, 62
  %or.i87 = or disjoint i64 %shl3.i, %shl.i86
  %or4.i = or disjoint i64 %or.i87, %and.i84
  %or6.i = or disjoint i64 %or4.i, %shl5.i
  store i64 %or6.i, ptr %0, align 8
  br label %return

return:                                           ; preds = %if.then9, %land.lhs.true, %if.then14, %entry, %if.end43
  %retval.0 = phi i64 [ 0, %entry ], [ %1, %if.end43 ], [ 0, %if.then14 ], [ 0, %land.lhs.true ], [ 0, %if.then9 ]
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
  %call = tail call fastcc i32 @is_mbarrier(ptr noundef %block, i64 noundef %address, i32 noundef %site, i32 noundef 0) #22
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
  %call15 = tail call fastcc ptr @order_of(ptr noundef %block, i32 noundef 0, i64 noundef %address) #22
  tail call fastcc void @hear(ptr noundef %block, ptr noundef %call15, i64 noundef %thread) #22
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
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 368
  %0 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %tobool1.not = icmp eq i32 %is_made, 0
  %cond = select i1 %tobool1.not, i32 5, i32 1
  %call = tail call i32 @kc_emu_pointer(i64 noundef %address, i64 noundef 8, i64 noundef 8, i32 noundef %site, i32 noundef %cond) #22
  %tobool2.not = icmp eq i32 %call, 0
  br i1 %tobool2.not, label %return, label %if.end4

if.end4:                                          ; preds = %if.end
  tail call fastcc void @settle_write() #22
  %call5 = tail call fastcc ptr @order_of(ptr noundef nonnull %block, i32 noundef 0, i64 noundef %address) #22
  br i1 %tobool1.not, label %if.end16, label %if.then7

if.then7:                                         ; preds = %if.end4
  %is_made8 = getelementptr inbounds nuw i8, ptr %call5, i64 8
  store i32 1, ptr %is_made8, align 8
  %bf.load = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear = and i16 %bf.load, 16383
  %conv = zext nneg i16 %bf.clear to i32
  %maker = getelementptr inbounds nuw i8, ptr %call5, i64 12
  store i32 %conv, ptr %maker, align 4
  %site9 = getelementptr inbounds nuw i8, ptr %call5, i64 16
  store i32 %site, ptr %site9, align 8
  %1 = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %epoch = getelementptr inbounds nuw i8, ptr %call5, i64 20
  store i32 %1, ptr %epoch, align 4
  %conv12 = zext nneg i16 %bf.clear to i64
  %2 = load ptr, ptr %clocks, align 8
  %count.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %3 = load i64, ptr %count.i, align 8
  %mul.i = mul nsw i64 %3, %conv12
  %add.ptr.i = getelementptr inbounds i32, ptr %2, i64 %mul.i
  %arrayidx = getelementptr inbounds nuw i32, ptr %add.ptr.i, i64 %conv12
  %4 = load i32, ptr %arrayidx, align 4
  %clock = getelementptr inbounds nuw i8, ptr %call5, i64 24
  store i32 %4, ptr %clock, align 8
  br label %return

if.end16:                                         ; preds = %if.end4
  %call17 = tail call fastcc i32 @find_buffer(i64 noundef %address) #22
  %idxprom18 = sext i32 %call17 to i64
  %arrayidx19 = getelementptr inbounds %struct.Buffer, ptr @buffers, i64 %idxprom18
  %5 = load i64, ptr %arrayidx19, align 8
  %sub = sub i64 %address, %5
  %granule = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 16
  %6 = load i64, ptr %granule, align 8
  %div = sdiv i64 %sub, %6
  %is_made20 = getelementptr inbounds nuw i8, ptr %call5, i64 8
  %7 = load i32, ptr %is_made20, align 8
  %tobool21.not = icmp eq i32 %7, 0
  br i1 %tobool21.not, label %if.then22, label %if.end23

if.then22:                                        ; preds = %if.end16
  tail call fastcc void @report(i32 noundef 4, i32 noundef %site, ptr noundef null, i64 noundef %div) #22
  br label %return

if.end23:                                         ; preds = %if.end16
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %maker24, ptr noundef nonnull align 4 dereferenceable(16) @now, i64 16, i1 false)
  %maker25 = getelementptr inbounds nuw i8, ptr %call5, i64 12
  %8 = load i32, ptr %maker25, align 4
  %9 = trunc i32 %8 to i16
  %conv28 = and i16 %9, 16383
  %thread = getelementptr inbounds nuw i8, ptr %maker24, i64 14
  %site31 = getelementptr inbounds nuw i8, ptr %call5, i64 16
  %10 = load i32, ptr %site31, align 8
  %conv32 = trunc i32 %10 to i16
  %site33 = getelementptr inbounds nuw i8, ptr %maker24, i64 12
  store i16 %conv32, ptr %site33, align 4
  %epoch34 = getelementptr inbounds nuw i8, ptr %call5, i64 20
  %11 = load i32, ptr %epoch34, align 4
  %epoch35 = getelementptr inbounds nuw i8, ptr %maker24, i64 4
  store i32 %11, ptr %epoch35, align 4
  %clock36 = getelementptr inbounds nuw i8, ptr %call5, i64 24
  %12 = load i32, ptr %clock36, align 8
  %clock37 = getelementptr inbounds nuw i8, ptr %maker24, i64 8
  store i32 %12, ptr %clock37, align 4
  store i16 %conv28, ptr %thread, align 2
  %call44 = call fastcc i32 @is_concurrent(ptr noundef nonnull %maker24, i32 noundef 0) #22
  %tobool45.not = icmp eq i32 %call44, 0
  br i1 %tobool45.not, label %return, label %if.then46

if.then46:                                        ; preds = %if.end23
  call fastcc void @report(i32 noundef 0, i32 noundef %site, ptr noundef nonnull %maker24, i64 noundef %div) #22
  br label %return

return:                                           ; preds = %if.end23, %if.then46, %if.end, %entry, %if.then22, %if.then7
  %retval.0 = phi i32 [ 1, %if.then7 ], [ 0, %if.end ], [ 0, %if.then22 ], [ 1, %entry ], [ 1, %if.then46 ], [ 1, %if.end23 ]
  ret i32 %retval.0
}

define internal fastcc void @hear(ptr noundef readonly captures(none) %block, ptr noundef readonly captures(address_is_null) %order, i64 noundef %thread) unnamed_addr #10 {
entry:
  %tobool.not = icmp eq ptr %order, null
  br i1 %tobool.not, label %if.end, label %if.then

if.then:                                          ; preds = %entry
  %clocks.i = getelementptr inbounds nuw i8, ptr %block, i64 368
  %0 = load ptr, ptr %clocks.i, align 8
  %count.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %1 = load i64, ptr %count.i, align 8
  %mul.i = mul nsw i64 %1, %thread
  %add.ptr.i = getelementptr inbounds i32, ptr %0, i64 %mul.i
  %known = getelementptr inbounds nuw i8, ptr %order, i64 40
  %2 = load ptr, ptr %known, align 8
  tail call fastcc void @learn(ptr noundef %add.ptr.i, ptr noundef %2, i64 noundef %1) #22
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  ret void
}

define i32 @kc_emu_is_complete(ptr noundef readonly captures(none) %block, i64 noundef %thread) local_unnamed_addr #15 {
entry:
  %waits = getelementptr inbounds nuw i8, ptr %block, i64 16
  %0 = load ptr, ptr %waits, align 8
  %arrayidx = getelementptr inbounds %struct.Wait, ptr %0, i64 %thread
  %is_done = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %1 = load i32, ptr %is_done, align 8
  ret i32 %1
}

define void @kc_emu_copy(ptr noundef readonly captures(none) %block, i64 noundef %thread, i64 noundef %to, i64 noundef %from, i32 noundef %bytes, i32 noundef %read, i32 noundef %site, i32 noundef %source_site) local_unnamed_addr #0 {
entry:
  %.compoundliteral = alloca %struct.Copy, align 8
  %cmp1 = icmp slt i32 %read, 0
  %0 = tail call i32 @llvm.smin.i32(i32 %read, i32 %bytes)
  %spec.select = select i1 %cmp1, i32 %bytes, i32 %0
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 368
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
  %call = tail call i32 @kc_emu_pointer(i64 noundef %from, i64 noundef %conv, i64 noundef %conv4, i32 noundef %source_site, i32 noundef 0) #22
  %tobool5.not = icmp eq i32 %call, 0
  br i1 %tobool5.not, label %return, label %if.end7

if.end7:                                          ; preds = %if.then2.if.end7_crit_edge, %land.lhs.true
  %conv8.pre-phi = phi i64 [ %.pre, %if.then2.if.end7_crit_edge ], [ %conv4, %land.lhs.true ]
  %call10 = tail call i32 @kc_emu_pointer(i64 noundef %to, i64 noundef %conv8.pre-phi, i64 noundef %conv8.pre-phi, i32 noundef %site, i32 noundef 9) #22
  %tobool11.not = icmp eq i32 %call10, 0
  br i1 %tobool11.not, label %return, label %if.end13

if.end13:                                         ; preds = %if.end7
  tail call fastcc void @settle_write() #22
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
  tail call fastcc void @enqueue(ptr noundef nonnull %block, i64 noundef %thread, ptr noundef nonnull byval(%struct.Copy) align 8 %.compoundliteral) #22
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
  %call = tail call ptr @realloc(ptr noundef %.pre, i64 noundef %mul5) #21
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

define void @kc_emu_commit(ptr noundef readonly captures(none) %block, i64 noundef %thread) local_unnamed_addr #16 {
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
  tail call fastcc void @settle_if(ptr noundef %block) #22
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
  tail call fastcc void @do_copies(ptr noundef %block, i64 noundef %thread, i32 noundef %end.0.lcssa) #22
  ret void
}

define internal fastcc void @settle_if(ptr noundef readonly captures(none) %block) unnamed_addr #0 {
entry:
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 368
  %0 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %if.end, label %if.then

if.then:                                          ; preds = %entry
  tail call fastcc void @settle_write() #22
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
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 368
  %and36 = and i64 %thread, 16383
  %count.i = getelementptr inbounds nuw i8, ptr %block, i64 8
  %conv = trunc i64 %thread to i16
  %and = and i16 %conv, 16383
  %smax = tail call i32 @llvm.smax.i32(i32 %end, i32 0)
  %wide.trip.count = zext nneg i32 %smax to i64
  br label %for.cond

for.cond:                                         ; preds = %for.inc49, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc49 ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %for.end50, label %for.body

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
  %bf.clear = and i16 %bf.load, -16384
  %bf.set = or disjoint i16 %bf.clear, %and
  store i16 %bf.set, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %call = tail call fastcc i64 @change(ptr noundef %block, i64 noundef %thread, i32 noundef 2, i64 noundef %copy.sroa.0.0.copyload, i64 noundef 1, i32 noundef %copy.sroa.13.0.copyload) #22
  br label %for.inc49

if.end:                                           ; preds = %for.body
  %copy.sroa.10.0.arrayidx1.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 20
  %copy.sroa.10.0.copyload = load i32, ptr %copy.sroa.10.0.arrayidx1.sroa_idx, align 4
  %copy.sroa.6.0.arrayidx1.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx1, i64 8
  %copy.sroa.6.0.copyload = load i64, ptr %copy.sroa.6.0.arrayidx1.sroa_idx, align 8
  %2 = inttoptr i64 %copy.sroa.0.0.copyload to ptr
  %3 = inttoptr i64 %copy.sroa.6.0.copyload to ptr
  %conv5 = sext i32 %copy.sroa.10.0.copyload to i64
  %call6 = tail call ptr @memcpy(ptr noundef %2, ptr noundef %3, i64 noundef %conv5) #21
  %add.ptr = getelementptr inbounds i8, ptr %2, i64 %conv5
  %sub = sub nsw i32 %copy.sroa.7.0.copyload, %copy.sroa.10.0.copyload
  %conv11 = sext i32 %sub to i64
  %call12 = tail call ptr @memset(ptr noundef %add.ptr, i32 noundef 0, i64 noundef %conv11) #21
  %4 = load ptr, ptr %clocks, align 8
  %tobool13.not = icmp eq ptr %4, null
  br i1 %tobool13.not, label %for.inc49, label %if.end15

if.end15:                                         ; preds = %if.end
  %call17 = tail call fastcc i32 @find_buffer(i64 noundef %copy.sroa.0.0.copyload) #22
  %idxprom18 = sext i32 %call17 to i64
  %arrayidx19 = getelementptr inbounds %struct.Buffer, ptr @buffers, i64 %idxprom18
  %5 = load i64, ptr %arrayidx19, align 8
  %sub21 = sub i64 %copy.sroa.0.0.copyload, %5
  %conv24 = sext i32 %copy.sroa.7.0.copyload to i64
  %add = add nsw i64 %sub21, %conv24
  %cells = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 32
  %granule = getelementptr inbounds nuw i8, ptr %arrayidx19, i64 16
  %6 = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  br label %for.cond22

for.cond22:                                       ; preds = %for.inc, %if.end15
  %at.0 = phi i64 [ %sub21, %if.end15 ], [ %add48, %for.inc ]
  %cmp25 = icmp slt i64 %at.0, %add
  br i1 %cmp25, label %for.body27, label %for.inc49

for.body27:                                       ; preds = %for.cond22
  %7 = load ptr, ptr %cells, align 8
  %8 = load i64, ptr %granule, align 8
  %div = sdiv i64 %at.0, %8
  %arrayidx28 = getelementptr inbounds %struct.Cell, ptr %7, i64 %div
  %is_going_on = getelementptr inbounds nuw i8, ptr %arrayidx28, i64 14
  %bf.load30 = load i16, ptr %is_going_on, align 2
  %tobool31.not = icmp sgt i16 %bf.load30, -1
  br i1 %tobool31.not, label %for.inc, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %for.body27
  %bf.clear34 = and i16 %bf.load30, 16383
  %conv35 = zext nneg i16 %bf.clear34 to i64
  %cmp37.not = icmp eq i64 %and36, %conv35
  br i1 %cmp37.not, label %if.end40, label %for.inc

if.end40:                                         ; preds = %lor.lhs.false
  %bf.clear43 = and i16 %bf.load30, 32767
  store i16 %bf.clear43, ptr %is_going_on, align 2
  %epoch = getelementptr inbounds nuw i8, ptr %arrayidx28, i64 4
  store i32 %6, ptr %epoch, align 4
  %9 = load ptr, ptr %clocks, align 8
  %10 = load i64, ptr %count.i, align 8
  %mul.i = mul nsw i64 %10, %thread
  %add.ptr.i = getelementptr inbounds i32, ptr %9, i64 %mul.i
  %arrayidx46 = getelementptr inbounds i32, ptr %add.ptr.i, i64 %thread
  %11 = load i32, ptr %arrayidx46, align 4
  %clock = getelementptr inbounds nuw i8, ptr %arrayidx28, i64 8
  store i32 %11, ptr %clock, align 4
  %.pre110 = load i64, ptr %granule, align 8
  br label %for.inc

for.inc:                                          ; preds = %for.body27, %lor.lhs.false, %if.end40
  %12 = phi i64 [ %8, %for.body27 ], [ %8, %lor.lhs.false ], [ %.pre110, %if.end40 ]
  %add48 = add nsw i64 %12, %at.0
  br label %for.cond22

for.inc49:                                        ; preds = %for.cond22, %if.end, %if.then
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end50:                                        ; preds = %for.cond
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) @now, ptr noundef nonnull align 4 dereferenceable(16) %saved, i64 16, i1 false)
  %count = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %13 = load i32, ptr %count, align 8
  %sub51 = sub nsw i32 %13, %end
  store i32 %sub51, ptr %count, align 8
  %14 = sext i32 %end to i64
  br label %for.cond53

for.cond53:                                       ; preds = %for.body57, %for.end50
  %15 = phi i32 [ %.pre, %for.body57 ], [ %sub51, %for.end50 ]
  %indvars.iv106 = phi i64 [ %indvars.iv.next107, %for.body57 ], [ 0, %for.end50 ]
  %16 = sext i32 %15 to i64
  %cmp55 = icmp slt i64 %indvars.iv106, %16
  br i1 %cmp55, label %for.body57, label %for.end67

for.body57:                                       ; preds = %for.cond53
  %17 = load ptr, ptr %arrayidx, align 8
  %arrayidx60 = getelementptr inbounds nuw %struct.Copy, ptr %17, i64 %indvars.iv106
  %18 = getelementptr %struct.Copy, ptr %17, i64 %indvars.iv106
  %arrayidx64 = getelementptr %struct.Copy, ptr %18, i64 %14
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(32) %arrayidx60, ptr noundef nonnull align 8 dereferenceable(32) %arrayidx64, i64 32, i1 false)
  %indvars.iv.next107 = add nuw nsw i64 %indvars.iv106, 1
  %.pre = load i32, ptr %count, align 8
  br label %for.cond53

for.end67:                                        ; preds = %for.cond53
  ret void
}

define void @kc_emu_copies_arrive(ptr noundef captures(none) %block, i64 noundef %thread, i64 noundef %address, i32 noundef %adds, i32 noundef %site) local_unnamed_addr #0 {
entry:
  %.compoundliteral = alloca %struct.Copy, align 8
  %call = tail call fastcc i32 @is_mbarrier(ptr noundef %block, i64 noundef %address, i32 noundef %site, i32 noundef 0) #22
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
  %2 = and i64 %1, 9223372036853727232
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
  tail call fastcc void @enqueue(ptr noundef %block, i64 noundef %thread, ptr noundef nonnull byval(%struct.Copy) align 8 %.compoundliteral) #22
  br label %return

return:                                           ; preds = %entry, %if.end8
  ret void
}

define void @kc_emu_leave(ptr noundef readonly captures(none) %block, i64 noundef %thread, i32 noundef %n, i64 noundef %word) local_unnamed_addr #12 {
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
  %words1 = getelementptr inbounds nuw i8, ptr %block, i64 32
  %0 = load ptr, ptr %words1, align 8
  %arrayidx = getelementptr inbounds [32 x i64], ptr %0, i64 %thread
  store i64 %address, ptr %arrayidx, align 8
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 368
  %1 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %1, null
  br i1 %tobool.not, label %if.end7, label %land.lhs.true

land.lhs.true:                                    ; preds = %entry
  %rem = srem i64 %thread, 32
  %mul = shl nsw i32 %count, 3
  %conv = sext i32 %mul to i64
  %cmp = icmp slt i64 %rem, %conv
  br i1 %cmp, label %if.then, label %if.end7

if.then:                                          ; preds = %land.lhs.true
  %call = tail call i32 @kc_emu_pointer(i64 noundef %address, i64 noundef 16, i64 noundef 16, i32 noundef %site, i32 noundef %flags) #22
  %tobool4.not = icmp eq i32 %call, 0
  br i1 %tobool4.not, label %if.then5, label %if.end7

if.then5:                                         ; preds = %if.then
  %add.ptr = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %2 = ptrtoint ptr %add.ptr to i64
  store i64 %2, ptr %arrayidx, align 8
  br label %if.end7

if.end7:                                          ; preds = %if.then, %if.then5, %land.lhs.true, %entry
  ret void
}

define i32 @kc_emu_matrix_load(ptr noundef readonly captures(none) %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned) local_unnamed_addr #15 {
entry:
  %call = tail call fastcc ptr @matrix_element(ptr noundef %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned, i32 noundef 0) #22
  %0 = load i16, ptr %call, align 2
  %conv = zext i16 %0 to i32
  %call1 = tail call fastcc ptr @matrix_element(ptr noundef %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned, i32 noundef 1) #22
  %1 = load i16, ptr %call1, align 2
  %conv2 = zext i16 %1 to i32
  %shl = shl nuw i32 %conv2, 16
  %or = or disjoint i32 %shl, %conv
  ret i32 %or
}

define internal fastcc ptr @matrix_element(ptr noundef readonly captures(none) %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned, i32 noundef range(i32 0, 2) %n) unnamed_addr #15 {
entry:
  %rem = srem i64 %thread, 32
  %rem1.lhs.trunc = trunc nsw i64 %rem to i8
  %rem127 = srem i8 %rem1.lhs.trunc, 4
  %rem1.sext = sext i8 %rem127 to i32
  %mul = shl nsw i32 %rem1.sext, 1
  %add = or disjoint i32 %mul, %n
  %sub = sub nsw i64 %thread, %rem
  %mul3 = shl nsw i32 %matrix, 3
  %conv4 = sext i32 %mul3 to i64
  %add5 = add nsw i64 %sub, %conv4
  %tobool.not = icmp eq i32 %turned, 0
  %div28 = sdiv i8 %rem1.lhs.trunc, 4
  %div.sext = sext i8 %div28 to i32
  %cond = select i1 %tobool.not, i32 %div.sext, i32 %add
  %conv6 = sext i32 %cond to i64
  %add7 = add nsw i64 %add5, %conv6
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %0 = load i64, ptr %count, align 8
  %sub10 = add nsw i64 %0, -1
  %owner.0 = tail call i64 @llvm.smin.i64(i64 %add7, i64 %sub10)
  %words = getelementptr inbounds nuw i8, ptr %block, i64 32
  %1 = load ptr, ptr %words, align 8
  %arrayidx = getelementptr inbounds [32 x i64], ptr %1, i64 %owner.0
  %2 = load i64, ptr %arrayidx, align 8
  %cond17 = select i1 %tobool.not, i32 %add, i32 %div.sext
  %3 = inttoptr i64 %2 to ptr
  %idx.ext = sext i32 %cond17 to i64
  %add.ptr = getelementptr inbounds i16, ptr %3, i64 %idx.ext
  ret ptr %add.ptr
}

define void @kc_emu_matrix_store(ptr noundef readonly captures(none) %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned, i32 noundef %word) local_unnamed_addr #16 {
entry:
  %conv = trunc i32 %word to i16
  %call = tail call fastcc ptr @matrix_element(ptr noundef %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned, i32 noundef 0) #22
  store i16 %conv, ptr %call, align 2
  %shr = lshr i32 %word, 16
  %conv1 = trunc nuw i32 %shr to i16
  %call2 = tail call fastcc ptr @matrix_element(ptr noundef %block, i64 noundef %thread, i32 noundef %matrix, i32 noundef %turned, i32 noundef 1) #22
  store i16 %conv1, ptr %call2, align 2
  ret void
}

define i64 @kc_emu_mma(ptr noundef readonly captures(none) %block, i64 noundef %thread, i32 noundef %shape, i32 noundef %types, i32 noundef %index, i64 noundef %c) local_unnamed_addr #0 {
entry:
  %single.i.i = alloca float, align 4
  %bits.i.i = alloca i32, align 4
  %word.addr.i = alloca i64, align 8
  %value.addr.i = alloca double, align 8
  %single.i = alloca float, align 4
  %bits.i = alloca i32, align 4
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
  %div = sdiv i64 %thread, 32
  %mul = shl nsw i64 %div, 5
  %rem = srem i64 %thread, 32
  %call = tail call fastcc i32 @packing(i32 noundef %and9) #22
  %mul12 = mul nsw i32 %call, %index
  %0 = and i32 %types, 16384
  %tobool14.not = icmp eq i32 %0, 0
  %mul15 = mul nuw nsw i32 %and, %and2
  %div16153 = lshr i32 %mul15, 5
  %conv = trunc nsw i64 %rem to i32
  %mul17 = mul nsw i32 %div16153, %conv
  %div23.lhs.trunc = trunc nsw i64 %rem to i8
  %div23176 = sdiv i8 %div23.lhs.trunc, 4
  %div23.sext = sext i8 %div23176 to i32
  %rem28.lhs.trunc = trunc nsw i64 %rem to i8
  %rem28177 = srem i8 %rem28.lhs.trunc, 4
  %rem28.sext = sext i8 %rem28177 to i32
  %mul29 = shl nsw i32 %rem28.sext, 1
  %cmp65 = icmp eq i32 %and5, 9
  %mul42 = mul nuw nsw i32 %cond, %and
  %div4.i = lshr i32 %mul42, 5
  %mul52 = mul nuw nsw i32 %cond, %and2
  %div4.i158 = lshr i32 %mul52, 5
  %1 = and i32 %types, 8192
  %tobool74.not = icmp eq i32 %1, 0
  %2 = and i32 %types, 4096
  %tobool.i = icmp ne i32 %2, 0
  %wide.trip.count = zext nneg i32 %call to i64
  br label %for.cond

for.cond:                                         ; preds = %word_with.exit, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %word_with.exit ], [ 0, %entry ]
  %result.0 = phi i64 [ %13, %word_with.exit ], [ %c, %entry ]
  %exitcond175.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond175.not, label %for.end91, label %for.body

for.body:                                         ; preds = %for.cond
  %3 = trunc i64 %indvars.iv to i32
  %4 = add i32 %mul12, %3
  br i1 %tobool14.not, label %if.else, label %if.then

if.then:                                          ; preds = %for.body
  %rem18 = srem i32 %4, %div16153
  %add19 = add nsw i32 %rem18, %mul17
  %div20 = sdiv i32 %add19, %and2
  %rem21 = srem i32 %add19, %and2
  br label %if.end

if.else:                                          ; preds = %for.body
  %div24 = sdiv i32 %4, 2
  %mul25 = shl nsw i32 %div24, 3
  %add26 = add nsw i32 %mul25, %div23.sext
  %rem30 = srem i32 %4, 2
  %add31 = add nsw i32 %rem30, %mul29
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %column.0 = phi i32 [ %rem21, %if.then ], [ %add31, %if.else ]
  %row.0 = phi i32 [ %div20, %if.then ], [ %add26, %if.else ]
  %5 = trunc nuw nsw i64 %indvars.iv to i32
  %call32 = call fastcc double @number_in(i64 noundef %c, i32 noundef %and9, i32 noundef %5) #22
  %call60 = call fastcc i32 @packing(i32 noundef %and5) #22
  %call63 = call fastcc i32 @packing(i32 noundef %and7) #22
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
  %call45 = call fastcc { i64, i32 } @operand_place(i32 noundef %row.0, i32 noundef %at.0, i32 noundef %and5, i32 noundef %and) #22
  %a.sroa.0.0166 = extractvalue { i64, i32 } %call45, 0
  %a.sroa.3.0167 = extractvalue { i64, i32 } %call45, 1
  %call55 = call fastcc { i64, i32 } @operand_place(i32 noundef %column.0, i32 noundef %at.0, i32 noundef %and7, i32 noundef 8) #22
  br label %cond.end56

cond.end56:                                       ; preds = %cond.false54, %cond.true49
  %a.sroa.3.0170 = phi i32 [ %rem.i, %cond.true49 ], [ %a.sroa.3.0167, %cond.false54 ]
  %a.sroa.0.0168 = phi i64 [ %conv.i, %cond.true49 ], [ %a.sroa.0.0166, %cond.false54 ]
  %call53.pn = phi { i64, i32 } [ %.fca.1.insert.i163, %cond.true49 ], [ %call55, %cond.false54 ]
  %b.sroa.0.0 = extractvalue { i64, i32 } %call53.pn, 0
  %b.sroa.3.0 = extractvalue { i64, i32 } %call53.pn, 1
  %call57 = call fastcc i64 @left_at(ptr noundef %block, i64 noundef %mul, i64 %a.sroa.0.0168, i32 %a.sroa.3.0170, i32 noundef %and5, i32 noundef 0) #22
  %call58 = call fastcc i64 @left_at(ptr noundef %block, i64 noundef %mul, i64 %b.sroa.0.0, i32 %b.sroa.3.0, i32 noundef %and7, i32 noundef 16) #22
  %rem61 = srem i32 %a.sroa.3.0170, %call60
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
  %call83 = call fastcc double @number_in(i64 noundef %call57, i32 noundef %and5, i32 noundef %rem61) #22
  %call84 = call fastcc double @number_in(i64 noundef %call58, i32 noundef %and7, i32 noundef %rem64) #22
  %6 = call double @llvm.fmuladd.f64(double %call83, double %call84, double %sum.0)
  br label %for.inc

for.inc:                                          ; preds = %if.then67, %if.else82
  %sum.1 = phi double [ %add81, %if.then67 ], [ %6, %if.else82 ]
  %inc = add nuw nsw i32 %at.0, 1
  br label %for.cond33

for.end:                                          ; preds = %for.cond33
  call void @llvm.lifetime.start.p0(ptr nonnull %word.addr.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %value.addr.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %single.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %bits.i)
  store i64 %result.0, ptr %word.addr.i, align 8
  store double %sum.0, ptr %value.addr.i, align 8
  switch i32 %and9, label %if.else14.i [
    i32 4, label %if.then.i
    i32 3, label %if.then2.i
    i32 0, label %if.then8.i
  ]

if.then.i:                                        ; preds = %for.end
  %call.i = call ptr @memcpy(ptr noundef nonnull %word.addr.i, ptr noundef nonnull %value.addr.i, i64 noundef 8) #21
  %.pre.i = load i64, ptr %word.addr.i, align 8
  br label %word_with.exit

if.then2.i:                                       ; preds = %for.end
  %conv.i164 = fptrunc double %sum.0 to float
  store float %conv.i164, ptr %single.i, align 4
  %call3.i = call ptr @memcpy(ptr noundef nonnull %bits.i, ptr noundef nonnull %single.i, i64 noundef 4) #21
  %7 = load i32, ptr %bits.i, align 4
  %conv4.i = zext i32 %7 to i64
  br label %word_with.exit

if.then8.i:                                       ; preds = %for.end
  %8 = shl nsw i64 %indvars.iv, 4
  %shl.i = shl i64 65535, %8
  %not.i = xor i64 %shl.i, -1
  %and.i = and i64 %result.0, %not.i
  call void @llvm.lifetime.start.p0(ptr nonnull %single.i.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %bits.i.i)
  %conv.i.i = fptrunc double %sum.0 to float
  store float %conv.i.i, ptr %single.i.i, align 4
  %call.i.i = call ptr @memcpy(ptr noundef nonnull %bits.i.i, ptr noundef nonnull %single.i.i, i64 noundef 4) #21
  %9 = load i32, ptr %bits.i.i, align 4
  %shr.i.i = lshr i32 %9, 16
  %and.i.i = and i32 %shr.i.i, 32768
  %and1.i.i = and i32 %9, 2147483647
  %cmp.i.i = icmp samesign ugt i32 %and1.i.i, 2139095040
  br i1 %cmp.i.i, label %if.then.i.i, label %if.end.i.i

if.then.i.i:                                      ; preds = %if.then8.i
  %or.i.i = or disjoint i32 %and.i.i, 32256
  br label %to_half.exit.i

if.end.i.i:                                       ; preds = %if.then8.i
  %cmp3.i.i = icmp samesign ugt i32 %and1.i.i, 1199570943
  br i1 %cmp3.i.i, label %if.then5.i.i, label %if.end7.i.i

if.then5.i.i:                                     ; preds = %if.end.i.i
  %or6.i.i = or disjoint i32 %and.i.i, 31744
  br label %to_half.exit.i

if.end7.i.i:                                      ; preds = %if.end.i.i
  %sub.i.i = add nsw i32 %and1.i.i, -939524096
  %cmp8.i.i = icmp samesign ult i32 %and1.i.i, 947912704
  br i1 %cmp8.i.i, label %if.then10.i.i, label %if.end19.i.i

if.then10.i.i:                                    ; preds = %if.end7.i.i
  %cmp11.i.i = icmp samesign ult i32 %and1.i.i, 855638016
  br i1 %cmp11.i.i, label %to_half.exit.i, label %if.end14.i.i

if.end14.i.i:                                     ; preds = %if.then10.i.i
  %shr15.i.i = lshr i32 %and1.i.i, 23
  %sub16.i.i = sub nuw nsw i32 126, %shr15.i.i
  %and17.i.i = and i32 %9, 8388607
  %or18.i.i = or disjoint i32 %and17.i.i, 8388608
  br label %if.end19.i.i

if.end19.i.i:                                     ; preds = %if.end14.i.i, %if.end7.i.i
  %value.0.i.i = phi i32 [ %or18.i.i, %if.end14.i.i ], [ %sub.i.i, %if.end7.i.i ]
  %shift.0.i.i = phi i32 [ %sub16.i.i, %if.end14.i.i ], [ 13, %if.end7.i.i ]
  %shr20.i.i = lshr i32 %value.0.i.i, %shift.0.i.i
  %notmask.i.i = shl nsw i32 -1, %shift.0.i.i
  %sub21.i.i = xor i32 %notmask.i.i, -1
  %and22.i.i = and i32 %value.0.i.i, %sub21.i.i
  %sub23.i.i = add nsw i32 %shift.0.i.i, -1
  %shl24.i.i = shl nuw nsw i32 1, %sub23.i.i
  %cmp25.i.i = icmp samesign ugt i32 %and22.i.i, %shl24.i.i
  br i1 %cmp25.i.i, label %lor.end.i.i, label %lor.rhs.i.i

lor.rhs.i.i:                                      ; preds = %if.end19.i.i
  %cmp27.i.i = icmp eq i32 %and22.i.i, %shl24.i.i
  %and29.i.i = and i32 %shr20.i.i, 1
  %tobool.i.i = icmp ne i32 %and29.i.i, 0
  %10 = select i1 %cmp27.i.i, i1 %tobool.i.i, i1 false
  %11 = zext i1 %10 to i32
  br label %lor.end.i.i

lor.end.i.i:                                      ; preds = %lor.rhs.i.i, %if.end19.i.i
  %lor.ext.i.i = phi i32 [ 1, %if.end19.i.i ], [ %11, %lor.rhs.i.i ]
  %add.i.i = add nuw nsw i32 %lor.ext.i.i, %shr20.i.i
  %or30.i.i = or i32 %add.i.i, %and.i.i
  br label %to_half.exit.i

to_half.exit.i:                                   ; preds = %lor.end.i.i, %if.then10.i.i, %if.then5.i.i, %if.then.i.i
  %retval.0.i.i = phi i32 [ %or.i.i, %if.then.i.i ], [ %or6.i.i, %if.then5.i.i ], [ %or30.i.i, %lor.end.i.i ], [ %and.i.i, %if.then10.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %single.i.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %bits.i.i)
  %conv10.i = zext nneg i32 %retval.0.i.i to i64
  %shl13.i = shl i64 %conv10.i, %8
  %or.i = or i64 %shl13.i, %and.i
  br label %word_with.exit

if.else14.i:                                      ; preds = %for.end
  %cmp15.i = fcmp ogt double %sum.0, 0x41DFFFFFFFC00000
  %or.cond.i = and i1 %tobool.i, %cmp15.i
  br i1 %or.cond.i, label %if.end23.i, label %if.end.i

if.end.i:                                         ; preds = %if.else14.i
  %cmp20.i = fcmp olt double %sum.0, 0xC1E0000000000000
  %or.cond30.i = and i1 %tobool.i, %cmp20.i
  br i1 %or.cond30.i, label %if.then22.i, label %if.end23.i

if.then22.i:                                      ; preds = %if.end.i
  br label %if.end23.i

if.end23.i:                                       ; preds = %if.then22.i, %if.end.i, %if.else14.i
  %12 = phi double [ 0xC1E0000000000000, %if.then22.i ], [ %sum.0, %if.end.i ], [ 0x41DFFFFFFFC00000, %if.else14.i ]
  %conv24.i = fptosi double %12 to i64
  %conv26.i = and i64 %conv24.i, 4294967295
  br label %word_with.exit

word_with.exit:                                   ; preds = %if.then.i, %if.then2.i, %to_half.exit.i, %if.end23.i
  %13 = phi i64 [ %conv4.i, %if.then2.i ], [ %conv26.i, %if.end23.i ], [ %or.i, %to_half.exit.i ], [ %.pre.i, %if.then.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %word.addr.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %value.addr.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %single.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %bits.i)
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end91:                                        ; preds = %for.cond
  ret i64 %result.0
}

define internal fastcc range(i32 0, 33) i32 @packing(i32 noundef %type) unnamed_addr #9 {
entry:
  %cmp = icmp eq i32 %type, 4
  br i1 %cmp, label %cond.end, label %cond.false

cond.false:                                       ; preds = %entry
  %call = tail call fastcc i32 @bits_of(i32 noundef %type) #22
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
  %call = tail call fastcc i32 @bits_of(i32 noundef %type) #22
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
  ]

sw.bb:                                            ; preds = %entry
  %and1 = and i32 %shr, 65535
  %shr.i = lshr i32 %shr, 10
  %and.i = and i32 %shr.i, 31
  %and1.i = and i32 %shr, 1023
  %and2.i = shl nuw i32 %and1, 16
  %shl.i = and i32 %and2.i, -2147483648
  switch i32 %and.i, label %if.then5.i [
    i32 31, label %if.then.i
    i32 0, label %if.end11.i
  ]

if.then.i:                                        ; preds = %sw.bb
  %shl3.i = shl nuw nsw i32 %and1, 13
  %or.i = or disjoint i32 %shl.i, %shl3.i
  %or4.i = or i32 %or.i, 2139095040
  %call.i = tail call fastcc double @as_float(i32 noundef %or4.i) #22
  br label %return

if.then5.i:                                       ; preds = %sw.bb
  %add.i = shl nuw nsw i32 %and.i, 23
  %shl6.i = add nuw nsw i32 %add.i, 939524096
  %shl8.i = shl nuw nsw i32 %and1.i, 13
  %0 = or disjoint i32 %shl6.i, %shl8.i
  %or9.i = or disjoint i32 %0, %shl.i
  %call10.i = tail call fastcc double @as_float(i32 noundef %or9.i) #22
  br label %return

if.end11.i:                                       ; preds = %sw.bb
  %conv.i = uitofp nneg i32 %and1.i to double
  %div.i = fmul double %conv.i, 0x3E70000000000000
  %tobool12.not.i = icmp eq i32 %shl.i, 0
  %fneg.i = fneg double %div.i
  %cond.i = select i1 %tobool12.not.i, double %div.i, double %fneg.i
  br label %return

sw.bb3:                                           ; preds = %entry
  %shl = shl i32 %shr, 16
  %call4 = tail call fastcc double @as_float(i32 noundef %shl) #22
  br label %return

sw.bb5:                                           ; preds = %entry
  %and6 = and i32 %shr, -8192
  %call7 = tail call fastcc double @as_float(i32 noundef %and6) #22
  br label %return

sw.bb8:                                           ; preds = %entry
  %call9 = tail call fastcc double @as_float(i32 noundef %shr) #22
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
  %div37 = shl i32 %shr, 28
  %div = ashr exact i32 %div37, 28
  %conv21 = sitofp i32 %div to double
  br label %return

sw.bb22:                                          ; preds = %entry
  %and23 = and i32 %shr, 15
  %conv24 = uitofp nneg i32 %and23 to double
  br label %return

sw.bb25:                                          ; preds = %entry
  %conv26 = sitofp i32 %shr to double
  br label %return

sw.epilog:                                        ; preds = %entry
  %call27 = call ptr @memcpy(ptr noundef nonnull %value, ptr noundef nonnull %word.addr, i64 noundef 8) #21
  %1 = load double, ptr %value, align 8
  br label %return

return:                                           ; preds = %if.end11.i, %if.then5.i, %if.then.i, %sw.epilog, %sw.bb25, %sw.bb22, %sw.bb16, %sw.bb13, %sw.bb10, %sw.bb8, %sw.bb5, %sw.bb3
  %retval.0 = phi double [ %1, %sw.epilog ], [ %conv26, %sw.bb25 ], [ %call4, %sw.bb3 ], [ %call7, %sw.bb5 ], [ %call9, %sw.bb8 ], [ %conv12, %sw.bb10 ], [ %conv15, %sw.bb13 ], [ %conv21, %sw.bb16 ], [ %conv24, %sw.bb22 ], [ %call.i, %if.then.i ], [ %call10.i, %if.then5.i ], [ %cond.i, %if.end11.i ]
  ret double %retval.0
}

define internal fastcc { i64, i32 } @operand_place(i32 noundef %across, i32 noundef range(i32 -2147483648, 256) %k, i32 noundef range(i32 0, 16) %type, i32 noundef range(i32 0, 256) %rows) unnamed_addr #9 {
entry:
  %call = tail call fastcc i32 @packing(i32 noundef %type) #22
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

define internal fastcc i64 @left_at(ptr noundef readonly captures(none) %block, i64 noundef range(i64 -9223372036854775808, 9223372036854775777) %first, i64 range(i64 -2147483648, 2147483648) %place.coerce0, i32 %place.coerce1, i32 noundef range(i32 0, 16) %type, i32 noundef range(i32 0, 17) %from) unnamed_addr #15 {
entry:
  %add = add nsw i64 %place.coerce0, %first
  %count = getelementptr inbounds nuw i8, ptr %block, i64 8
  %0 = load i64, ptr %count, align 8
  %sub = add nsw i64 %0, -1
  %cond = tail call i64 @llvm.smin.i64(i64 %add, i64 %sub)
  %words = getelementptr inbounds nuw i8, ptr %block, i64 32
  %1 = load ptr, ptr %words, align 8
  %arrayidx = getelementptr inbounds [32 x i64], ptr %1, i64 %cond
  %call = tail call fastcc i32 @packing(i32 noundef %type) #22
  %div = sdiv i32 %place.coerce1, %call
  %add4 = add nsw i32 %div, %from
  %idxprom = sext i32 %add4 to i64
  %arrayidx5 = getelementptr inbounds i64, ptr %arrayidx, i64 %idxprom
  %2 = load i64, ptr %arrayidx5, align 8
  ret i64 %2
}

declare double @llvm.fmuladd.f64(double, double, double) #17

define i64 @kc_emu_wmma_load(ptr noundef readonly captures(none) %block, i64 noundef %thread, i64 noundef %base, i32 noundef %sizes, i32 noundef %stride, i32 noundef %is_column, i32 noundef %type, i32 noundef %index, i32 noundef %site) local_unnamed_addr #0 {
entry:
  %bits = alloca i64, align 8
  %call = tail call fastcc i32 @bits_of(i32 noundef %type) #22
  %div24 = lshr i32 %call, 3
  %call1 = tail call fastcc i32 @packing(i32 noundef %type) #22
  %shr = ashr i32 %sizes, 8
  %and = and i32 %sizes, 255
  %rem = srem i64 %thread, 32
  %mul = mul nsw i32 %call1, %index
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 368
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
  %call3 = call fastcc i64 @element_address(i64 noundef %base, i32 noundef %shr, i32 noundef %and, i32 noundef %stride, i32 noundef %is_column, i32 noundef %type, i64 noundef %rem, i32 noundef %2) #22
  %3 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %3, null
  br i1 %tobool.not, label %if.end, label %land.lhs.true

land.lhs.true:                                    ; preds = %for.body
  %call5 = call i32 @kc_emu_pointer(i64 noundef %call3, i64 noundef %conv, i64 noundef %conv, i32 noundef %site, i32 noundef 0) #22
  %tobool6.not = icmp eq i32 %call5, 0
  br i1 %tobool6.not, label %for.inc, label %if.end

if.end:                                           ; preds = %land.lhs.true, %for.body
  %4 = inttoptr i64 %call3 to ptr
  %call8 = call ptr @memcpy(ptr noundef nonnull %bits, ptr noundef %4, i64 noundef %conv) #21
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

define internal fastcc range(i32 1, 65) i32 @bits_of(i32 noundef %type) unnamed_addr #9 {
entry:
  %0 = icmp ult i32 %type, 10
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

define internal fastcc i64 @element_address(i64 noundef %base, i32 noundef range(i32 -8388608, 8388608) %rows, i32 noundef range(i32 0, 256) %columns, i32 noundef %stride, i32 noundef %is_column, i32 noundef %type, i64 noundef range(i64 -31, 32) %lane, i32 noundef %slot) unnamed_addr #9 {
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
  %call = tail call fastcc i32 @bits_of(i32 noundef %type) #22
  %div1223 = lshr i32 %call, 3
  %conv13 = zext nneg i32 %div1223 to i64
  %mul14 = mul nsw i64 %add11, %conv13
  %add15 = add i64 %mul14, %base
  ret i64 %add15
}

declare ptr @memcpy(ptr noundef, ptr noundef, i64 noundef) local_unnamed_addr

define void @kc_emu_wmma_store(ptr noundef readonly captures(none) %block, i64 noundef %thread, i64 noundef %base, i32 noundef %sizes, i32 noundef %stride, i32 noundef %is_column, i32 noundef %type, i32 noundef %index, i32 noundef %site, i64 noundef %word) local_unnamed_addr #0 {
entry:
  %bits = alloca i64, align 8
  %call = tail call fastcc i32 @bits_of(i32 noundef %type) #22
  %div29 = lshr i32 %call, 3
  %call1 = tail call fastcc i32 @packing(i32 noundef %type) #22
  %shr = ashr i32 %sizes, 8
  %and = and i32 %sizes, 255
  %rem = srem i64 %thread, 32
  %mul = mul nsw i32 %call1, %index
  %rem5 = and i32 %call, 56
  %clocks = getelementptr inbounds nuw i8, ptr %block, i64 368
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
  %call3 = call fastcc i64 @element_address(i64 noundef %base, i32 noundef %shr, i32 noundef %and, i32 noundef %stride, i32 noundef %is_column, i32 noundef %type, i64 noundef %rem, i32 noundef %2) #22
  %3 = mul nuw nsw i64 %indvars.iv, %0
  %shr7 = lshr i64 %word, %3
  store i64 %shr7, ptr %bits, align 8
  %4 = load ptr, ptr %clocks, align 8
  %tobool.not = icmp eq ptr %4, null
  br i1 %tobool.not, label %if.end, label %land.lhs.true

land.lhs.true:                                    ; preds = %for.body
  %call9 = call i32 @kc_emu_pointer(i64 noundef %call3, i64 noundef %conv, i64 noundef %conv, i32 noundef %site, i32 noundef 1) #22
  %tobool10.not = icmp eq i32 %call9, 0
  br i1 %tobool10.not, label %for.inc, label %if.end

if.end:                                           ; preds = %land.lhs.true, %for.body
  %5 = inttoptr i64 %call3 to ptr
  %call12 = call ptr @memcpy(ptr noundef %5, ptr noundef nonnull %bits, i64 noundef %conv) #21
  %6 = load ptr, ptr %clocks, align 8
  %tobool14.not = icmp eq ptr %6, null
  br i1 %tobool14.not, label %for.inc, label %if.then15

if.then15:                                        ; preds = %if.end
  call fastcc void @settle_write() #22
  br label %for.inc

for.inc:                                          ; preds = %if.end, %if.then15, %land.lhs.true
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

declare i32 @memcmp(ptr noundef, ptr noundef, i64 noundef) local_unnamed_addr

define internal fastcc range(i32 0, 2) i32 @is_concurrent(ptr noundef readonly captures(none) %earlier, i32 noundef range(i32 0, 2) %is_atomic) unnamed_addr #15 {
entry:
  %site.i = getelementptr inbounds nuw i8, ptr %earlier, i64 12
  %0 = load i16, ptr %site.i, align 4
  %cmp.i = icmp slt i16 %0, 0
  br i1 %cmp.i, label %return, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %entry
  %is_atomic1 = getelementptr inbounds nuw i8, ptr %earlier, i64 14
  %bf.load = load i16, ptr %is_atomic1, align 2
  %1 = and i16 %bf.load, 16384
  %tobool2 = icmp ne i16 %1, 0
  %tobool3 = icmp ne i32 %is_atomic, 0
  %or.cond = and i1 %tobool3, %tobool2
  br i1 %or.cond, label %return, label %if.end

if.end:                                           ; preds = %lor.lhs.false
  %2 = load i32, ptr %earlier, align 4
  %3 = load i32, ptr @now, align 4
  %cmp.not = icmp eq i32 %2, %3
  %tobool9.not = icmp sgt i16 %bf.load, -1
  %or.cond44 = and i1 %tobool9.not, %cmp.not
  br i1 %or.cond44, label %if.end11, label %return

if.end11:                                         ; preds = %if.end
  %bf.clear13 = and i16 %bf.load, 16383
  %bf.load15 = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %bf.clear16 = and i16 %bf.load15, 16383
  %cmp18 = icmp eq i16 %bf.clear13, %bf.clear16
  br i1 %cmp18, label %return, label %lor.lhs.false20

lor.lhs.false20:                                  ; preds = %if.end11
  %epoch = getelementptr inbounds nuw i8, ptr %earlier, i64 4
  %4 = load i32, ptr %epoch, align 4
  %5 = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %cmp21.not = icmp eq i32 %4, %5
  br i1 %cmp21.not, label %if.end24, label %return

if.end24:                                         ; preds = %lor.lhs.false20
  %6 = load ptr, ptr @watched, align 8
  %tobool25.not = icmp eq ptr %6, null
  br i1 %tobool25.not, label %return, label %if.end27

if.end27:                                         ; preds = %if.end24
  %clocks = getelementptr inbounds nuw i8, ptr %6, i64 368
  %7 = load ptr, ptr %clocks, align 8
  %conv30 = zext nneg i16 %bf.clear16 to i64
  %count = getelementptr inbounds nuw i8, ptr %6, i64 8
  %8 = load i64, ptr %count, align 8
  %mul = mul nsw i64 %8, %conv30
  %conv34 = zext nneg i16 %bf.clear13 to i64
  %9 = getelementptr i32, ptr %7, i64 %mul
  %arrayidx = getelementptr i32, ptr %9, i64 %conv34
  %10 = load i32, ptr %arrayidx, align 4
  %clock = getelementptr inbounds nuw i8, ptr %earlier, i64 8
  %11 = load i32, ptr %clock, align 4
  %cmp35 = icmp slt i32 %10, %11
  %conv36 = zext i1 %cmp35 to i32
  br label %return

return:                                           ; preds = %if.end24, %if.end11, %lor.lhs.false20, %if.end, %entry, %lor.lhs.false, %if.end27
  %retval.0 = phi i32 [ 0, %if.end11 ], [ 0, %entry ], [ 1, %if.end ], [ %conv36, %if.end27 ], [ 0, %lor.lhs.false ], [ 0, %lor.lhs.false20 ], [ 1, %if.end24 ]
  ret i32 %retval.0
}

define internal fastcc void @drop_reader(ptr noundef captures(none) %place) unnamed_addr #16 {
entry:
  %0 = load i32, ptr %place, align 4
  %1 = load ptr, ptr @readers, align 8
  %idxprom = sext i32 %0 to i64
  %arrayidx = getelementptr inbounds %struct.Reader, ptr %1, i64 %idxprom
  %next = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %2 = load i32, ptr %next, align 4
  store i32 %2, ptr %place, align 4
  %3 = load i32, ptr @unused_reader, align 4
  store i32 %3, ptr %next, align 4
  store i32 %0, ptr @unused_reader, align 4
  ret void
}

declare ptr @memset(ptr noundef, i32 noundef, i64 noundef) local_unnamed_addr

define internal fastcc void @report_apart(i32 noundef range(i32 1, 6) %kind, ptr noundef readonly captures(none) %states, i64 noundef %waiter, i64 noundef %apart) unnamed_addr #10 {
entry:
  %elsewhere = alloca %struct.Access, align 8
  %arrayidx = getelementptr inbounds i32, ptr %states, i64 %apart
  %0 = load i32, ptr %arrayidx, align 4
  %retval.sroa.0.0.copyload.i = load i64, ptr @now, align 8
  %retval.sroa.2.0.copyload.i = load i64, ptr getelementptr inbounds nuw (i8, ptr @now, i64 8), align 8
  %and.i = shl i64 %apart, 48
  %bf.set9.i = and i64 %and.i, 4611404543450677248
  %1 = and i64 %retval.sroa.2.0.copyload.i, -4611686014132420609
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
  %and = and i16 %conv, 16383
  %4 = lshr i64 %retval.sroa.2.0.copyload.i, 48
  %5 = trunc nuw i64 %4 to i16
  %bf.clear = and i16 %5, -16384
  %bf.set = or disjoint i16 %bf.clear, %and
  store i16 %bf.set, ptr getelementptr inbounds nuw (i8, ptr @now, i64 14), align 2
  %arrayidx3 = getelementptr inbounds i32, ptr %states, i64 %waiter
  %6 = load i32, ptr %arrayidx3, align 4
  %shr = ashr i32 %6, 2
  call fastcc void @report(i32 noundef %kind, i32 noundef %shr, ptr noundef nonnull %elsewhere, i64 noundef -1) #22
  ret void
}

define internal fastcc void @learn(ptr noundef captures(none) %clocks, ptr noundef readonly captures(none) %more, i64 noundef %count) unnamed_addr #4 {
entry:
  %smax = tail call i64 @llvm.smax.i64(i64 %count, i64 0)
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

declare ptr @realloc(ptr noundef, i64 noundef) local_unnamed_addr

define internal fastcc range(i64 -9223372036854775808, 9223372036854775807) i64 @missing_lane(ptr noundef nonnull readonly captures(none) %block, i64 noundef %thread) unnamed_addr #18 {
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

define internal fastcc double @as_float(i32 noundef %bits) unnamed_addr #0 {
entry:
  %bits.addr = alloca i32, align 4
  %value = alloca float, align 4
  store i32 %bits, ptr %bits.addr, align 4
  %call = call ptr @memcpy(ptr noundef nonnull %value, ptr noundef nonnull %bits.addr, i64 noundef 4) #21
  %0 = load float, ptr %value, align 4
  %conv = fpext float %0 to double
  ret double %conv
}

declare i64 @llvm.smin.i64(i64, i64) #19

declare i64 @llvm.smax.i64(i64, i64) #19

declare i32 @llvm.smax.i32(i32, i32) #19

declare i32 @llvm.smin.i32(i32, i32) #19

declare void @llvm.lifetime.start.p0(ptr captures(none)) #20

declare void @llvm.lifetime.end.p0(ptr captures(none)) #20

attributes #0 = { nounwind uwtable }
attributes #2 = { nofree norecurse nounwind willreturn memory(readwrite, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #3 = { nofree norecurse nosync nounwind memory(argmem: read) uwtable }
attributes #4 = { nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable }
attributes #5 = { nofree norecurse nosync nounwind willreturn memory(read, argmem: write, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #6 = { nofree norecurse nosync nounwind willreturn memory(write, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #7 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #8 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #9 = { nofree norecurse nosync nounwind willreturn memory(none) uwtable }
attributes #10 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #11 = { nofree norecurse nosync nounwind memory(readwrite, argmem: read, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #12 = { nofree norecurse nosync nounwind willreturn memory(write, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #13 = { nofree norecurse nosync nounwind memory(read, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #14 = { nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #15 = { nofree norecurse nosync nounwind willreturn memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #16 = { nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #17 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #18 = { nofree norecurse nosync nounwind memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #19 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #20 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #21 = { nobuiltin nounwind }
attributes #22 = { nobuiltin }
