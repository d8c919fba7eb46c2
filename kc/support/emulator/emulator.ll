; Made by `make native` with clang 22.1.8: do not edit.
; The sha256 of emulator.c: 9901dbb642562730a3ea7061c998078d948d004fa2b3dcc60c6110245662e145

%struct.anon = type { ptr, %struct.Access, i64, i64, [256 x i8] }
%struct.Access = type { i32, i32, i16, i16 }
%struct.Buffer = type { i64, i64, i64, i32, ptr }
%struct.Finding = type { i32, i32, i32, i32, i64, i64, i64, i64, i64 }
%struct.Site = type { ptr, i32, i32, [32 x i32] }
%struct.Cell = type { %struct.Access, %struct.Access, %struct.Access }
%struct.Instance = type { [32 x i64], i32, i32, i32 }
%struct.Cost = type { i64, i64, i64, i64 }

@site_count = internal unnamed_addr global i32 0, align 4
@statements = internal unnamed_addr global ptr null, align 8
@pending = internal global %struct.anon zeroinitializer, align 8
@finding_count = internal unnamed_addr global i32 0, align 4
@barriers = internal unnamed_addr global i64 0, align 8
@sites = internal unnamed_addr global ptr null, align 8
@costs = internal unnamed_addr global ptr null, align 8
@buffers = internal global [64 x %struct.Buffer] zeroinitializer, align 16
@findings = internal global [256 x %struct.Finding] zeroinitializer, align 16
@now = internal unnamed_addr global %struct.Access zeroinitializer, align 8

define void @kc_emu_run(ptr noundef readonly captures(none) %threads, ptr noundef captures(none) %states, i64 noundef %count, ptr noundef readonly captures(none) %step) local_unnamed_addr #0 {
entry:
  br label %for.cond1

for.cond1:                                        ; preds = %for.cond1.backedge, %entry
  %begin.0 = phi i64 [ 0, %entry ], [ %begin.0.be, %for.cond1.backedge ]
  %alive.0 = phi i32 [ 0, %entry ], [ %alive.0.be, %for.cond1.backedge ]
  %cmp = icmp slt i64 %begin.0, %count
  br i1 %cmp, label %for.body, label %for.end21

for.body:                                         ; preds = %for.cond1
  %add = add nuw nsw i64 %begin.0, 32
  %cond = tail call i64 @llvm.smin.i64(i64 %add, i64 %count)
  br label %for.cond5.outer

for.cond5.outer:                                  ; preds = %for.body, %if.end
  %alive.2.ph = phi i32 [ %alive.0, %for.body ], [ %alive.3, %if.end ]
  %waits.0.ph = phi i32 [ 0, %for.body ], [ %waits.1, %if.end ]
  %i.0.ph = phi i64 [ %begin.0, %for.body ], [ %inc, %if.end ]
  br label %for.cond5

for.cond5:                                        ; preds = %for.cond5.outer, %if.end17
  %waits.0 = phi i32 [ 0, %if.end17 ], [ %waits.0.ph, %for.cond5.outer ]
  %i.0 = phi i64 [ %begin.0, %if.end17 ], [ %i.0.ph, %for.cond5.outer ]
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
  tail call void %step(ptr noundef %1, i32 noundef 0) #11
  %.pr = load i32, ptr %arrayidx, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body7
  %2 = phi i32 [ %.pr, %if.then ], [ %0, %for.body7 ]
  %cmp11 = icmp eq i32 %2, -1
  %and.i = and i32 %2, 3
  %cmp15 = icmp eq i32 %and.i, 2
  %conv = zext i1 %cmp15 to i32
  %alive.3 = select i1 %cmp11, i32 %alive.2.ph, i32 1
  %waits.1 = or i32 %waits.0, %conv
  %inc = add nuw nsw i64 %i.0, 1
  br label %for.cond5.outer

for.end:                                          ; preds = %for.cond5
  %tobool.not = icmp eq i32 %waits.0, 0
  br i1 %tobool.not, label %for.cond1.backedge, label %if.end17

if.end17:                                         ; preds = %for.end
  tail call fastcc void @release(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond, i32 noundef 2) #12
  br label %for.cond5

for.end21:                                        ; preds = %for.cond1
  %tobool22.not = icmp eq i32 %alive.0, 0
  br i1 %tobool22.not, label %for.cond27.preheader, label %if.end24

for.cond27.preheader:                             ; preds = %for.end21
  %smax = tail call i64 @llvm.smax.i64(i64 %count, i64 0)
  br label %for.cond27

if.end24:                                         ; preds = %for.end21
  tail call fastcc void @release(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 1) #12
  br label %for.cond1.backedge

for.cond1.backedge:                               ; preds = %for.end, %if.end24
  %begin.0.be = phi i64 [ 0, %if.end24 ], [ %add, %for.end ]
  %alive.0.be = phi i32 [ 0, %if.end24 ], [ %alive.2.ph, %for.end ]
  br label %for.cond1

for.cond27:                                       ; preds = %for.cond27.preheader, %for.body30
  %i26.0 = phi i64 [ %inc33, %for.body30 ], [ 0, %for.cond27.preheader ]
  %exitcond.not = icmp eq i64 %i26.0, %smax
  br i1 %exitcond.not, label %for.end34, label %for.body30

for.body30:                                       ; preds = %for.cond27
  %arrayidx31 = getelementptr inbounds nuw ptr, ptr %threads, i64 %i26.0
  %3 = load ptr, ptr %arrayidx31, align 8
  tail call void %step(ptr noundef %3, i32 noundef 1) #11
  %inc33 = add nuw i64 %i26.0, 1
  br label %for.cond27

for.end34:                                        ; preds = %for.cond27
  ret void
}

define internal fastcc void @release(ptr noundef captures(none) %states, i64 noundef %begin, i64 noundef %end, i32 noundef range(i32 1, 3) %scope) unnamed_addr #1 {
entry:
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i64 [ %begin, %entry ], [ %inc, %for.inc ]
  %cmp = icmp slt i64 %i.0, %end
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds i32, ptr %states, i64 %i.0
  %0 = load i32, ptr %arrayidx, align 4
  %and.i = and i32 %0, 3
  %cmp3 = icmp eq i32 %and.i, %scope
  br i1 %cmp3, label %if.then, label %for.inc

if.then:                                          ; preds = %for.body
  store i32 0, ptr %arrayidx, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body, %if.then
  %inc = add nsw i64 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
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
  %call = tail call ptr @calloc(i64 noundef %add, i64 noundef 144) #11
  store ptr %call, ptr @sites, align 8
  %call3 = tail call ptr @calloc(i64 noundef %add, i64 noundef 32) #11
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

declare ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr

define noundef nonnull ptr @kc_emu_findings(ptr noundef writeonly captures(none) initializes((0, 4)) %count) local_unnamed_addr #3 {
entry:
  %0 = load i32, ptr @finding_count, align 4
  store i32 %0, ptr %count, align 4
  ret ptr @findings
}

define ptr @kc_emu_costs(ptr noundef writeonly captures(none) initializes((0, 8)) %number_of_barriers) local_unnamed_addr #3 {
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
  tail call fastcc void @drop_buffer(ptr noundef nonnull %arrayidx) #12
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.cond2:                                        ; preds = %for.cond, %for.body4
  %indvars.iv15 = phi i64 [ %indvars.iv.next16, %for.body4 ], [ 0, %for.cond ]
  %0 = load i32, ptr @site_count, align 4
  %1 = sext i32 %0 to i64
  %cmp3 = icmp slt i64 %indvars.iv15, %1
  %2 = load ptr, ptr @sites, align 8
  br i1 %cmp3, label %for.body4, label %for.end9

for.body4:                                        ; preds = %for.cond2
  %arrayidx6 = getelementptr inbounds nuw %struct.Site, ptr %2, i64 %indvars.iv15
  %3 = load ptr, ptr %arrayidx6, align 8
  tail call void @free(ptr noundef %3) #11
  %indvars.iv.next16 = add nuw nsw i64 %indvars.iv15, 1
  br label %for.cond2

for.end9:                                         ; preds = %for.cond2
  tail call void @free(ptr noundef %2) #11
  %4 = load ptr, ptr @costs, align 8
  tail call void @free(ptr noundef %4) #11
  store ptr null, ptr @sites, align 8
  store ptr null, ptr @costs, align 8
  ret void
}

define internal fastcc void @drop_buffer(ptr noundef captures(none) %buffer) unnamed_addr #0 {
entry:
  %cells = getelementptr inbounds nuw i8, ptr %buffer, i64 32
  %0 = load ptr, ptr %cells, align 8
  tail call void @free(ptr noundef %0) #11
  store ptr null, ptr %cells, align 8
  ret void
}

declare void @free(ptr noundef) local_unnamed_addr

define void @kc_emu_launch() local_unnamed_addr #0 {
entry:
  br label %for.cond

for.cond:                                         ; preds = %for.body, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, 64
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw %struct.Buffer, ptr @buffers, i64 %indvars.iv
  tail call fastcc void @drop_buffer(ptr noundef nonnull %arrayidx) #12
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

define void @kc_emu_block(i64 noundef %block) local_unnamed_addr #4 {
entry:
  %conv = trunc i64 %block to i32
  store i32 %conv, ptr @now, align 4
  store i32 0, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  ret void
}

define void @kc_emu_buffer(i32 noundef %slot, i64 noundef %base, i64 noundef %bytes, i64 noundef %granule, i32 noundef %scope) local_unnamed_addr #0 {
entry:
  %idxprom = sext i32 %slot to i64
  %arrayidx = getelementptr inbounds %struct.Buffer, ptr @buffers, i64 %idxprom
  tail call fastcc void @drop_buffer(ptr noundef nonnull %arrayidx) #12
  %div = sdiv i64 %bytes, %granule
  %0 = mul i64 %div, 36
  %mul = add i64 %0, 36
  %call = tail call ptr @malloc(i64 noundef %mul) #11
  store i64 %base, ptr %arrayidx, align 8
  %.compoundliteral.sroa.2.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  store i64 %bytes, ptr %.compoundliteral.sroa.2.0..sroa_idx, align 8
  %.compoundliteral.sroa.3.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  store i64 %granule, ptr %.compoundliteral.sroa.3.0..sroa_idx, align 8
  %.compoundliteral.sroa.4.0..sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  store i32 %scope, ptr %.compoundliteral.sroa.4.0..sroa_idx, align 8
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
  %arrayidx6 = getelementptr inbounds nuw %struct.Cell, ptr %1, i64 %i.0
  %site.i = getelementptr inbounds nuw i8, ptr %arrayidx6, i64 32
  store i16 -1, ptr %site.i, align 4
  %site1.i = getelementptr inbounds nuw i8, ptr %arrayidx6, i64 20
  store i16 -1, ptr %site1.i, align 4
  %site2.i = getelementptr inbounds nuw i8, ptr %arrayidx6, i64 8
  store i16 -1, ptr %site2.i, align 4
  %inc = add nuw i64 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  ret void
}

declare ptr @malloc(i64 noundef) local_unnamed_addr

define range(i32 0, 2) i32 @kc_emu_access(i32 noundef %slot, i64 noundef %address, i64 noundef %bytes, i64 noundef %alignment, i32 noundef %site, i32 noundef %flags) local_unnamed_addr #0 {
entry:
  %cmp = icmp slt i32 %slot, 0
  br i1 %cmp, label %if.then, label %if.end4

if.then:                                          ; preds = %entry
  %and = and i32 %flags, 2
  %tobool.not = icmp eq i32 %and, 0
  br i1 %tobool.not, label %if.then1, label %if.end

if.then1:                                         ; preds = %if.then
  tail call fastcc void @report(i32 noundef 2, i32 noundef %site, ptr noundef null, i64 noundef -1) #12
  br label %if.end

if.end:                                           ; preds = %if.then1, %if.then
  %and.lobit = lshr exact i32 %and, 1
  br label %return

if.end4:                                          ; preds = %entry
  tail call fastcc void @settle_write() #12
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
  tail call fastcc void @report(i32 noundef 2, i32 noundef %site, ptr noundef null, i64 noundef %div) #12
  br label %return

if.end20:                                         ; preds = %lor.lhs.false15
  %rem = srem i64 %sub, %alignment
  %tobool21.not = icmp eq i64 %rem, 0
  br i1 %tobool21.not, label %if.end25, label %if.then22

if.then22:                                        ; preds = %if.end20
  %granule23 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %3 = load i64, ptr %granule23, align 8
  %div24 = sdiv i64 %sub, %3
  tail call fastcc void @report(i32 noundef 3, i32 noundef %site, ptr noundef null, i64 noundef %div24) #12
  br label %return

if.end25:                                         ; preds = %if.end20
  %scope = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  %4 = load i32, ptr %scope, align 8
  %5 = load ptr, ptr @sites, align 8
  %idxprom.i = sext i32 %site to i64
  %arrayidx.i = getelementptr inbounds %struct.Site, ptr %5, i64 %idxprom.i
  %bf.load.i = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 10), align 2
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
  %call.i = tail call ptr @realloc(ptr noundef %.pre.i, i64 noundef %mul15.i) #11
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
  %access.sroa.6.0.copyload.pre = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 10), align 2
  br label %note_address.exit

note_address.exit:                                ; preds = %if.end25, %if.end26.i
  %access.sroa.6.0.copyload = phi i16 [ %bf.load.i, %if.end25 ], [ %access.sroa.6.0.copyload.pre, %if.end26.i ]
  %access.sroa.0.0.copyload = load i32, ptr @now, align 4
  %access.sroa.4.0.copyload = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %conv26 = trunc i32 %site to i16
  %12 = trunc i32 %flags to i16
  %13 = shl i16 %12, 13
  %conv29 = and i16 %13, -32768
  %bf.clear = and i16 %access.sroa.6.0.copyload, 32767
  %bf.set = or disjoint i16 %bf.clear, %conv29
  br i1 %cmp6.not, label %if.end37, label %if.then32

if.then32:                                        ; preds = %note_address.exit
  store ptr %arrayidx, ptr @pending, align 8
  store i32 %access.sroa.0.0.copyload, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 8), align 8
  store i32 %access.sroa.4.0.copyload, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 12), align 4
  store i16 %conv26, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 16), align 8
  store i16 %bf.set, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 18), align 2
  store i64 %sub, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 24), align 8
  store i64 %bytes, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 32), align 8
  %cmp33 = icmp slt i64 %bytes, 257
  br i1 %cmp33, label %if.then35, label %return

if.then35:                                        ; preds = %if.then32
  %14 = inttoptr i64 %address to ptr
  %call = tail call ptr @memcpy(ptr noundef nonnull getelementptr inbounds nuw (i8, ptr @pending, i64 40), ptr noundef %14, i64 noundef %bytes) #11
  br label %return

if.end37:                                         ; preds = %note_address.exit
  %granule39 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %15 = load i64, ptr %granule39, align 8
  %add40 = add i64 %add, -1
  %sub41 = add i64 %add40, %15
  %div43 = sdiv i64 %sub41, %15
  %div45 = sdiv i64 %sub, %15
  %cells = getelementptr inbounds nuw i8, ptr %arrayidx, i64 32
  br label %for.cond

for.cond:                                         ; preds = %note_read.exit, %if.end37
  %i.0 = phi i64 [ %div45, %if.end37 ], [ %inc, %note_read.exit ]
  %cmp46 = icmp slt i64 %i.0, %div43
  br i1 %cmp46, label %for.body, label %return

for.body:                                         ; preds = %for.cond
  %16 = load ptr, ptr %cells, align 8
  %arrayidx48 = getelementptr inbounds %struct.Cell, ptr %16, i64 %i.0
  %call49 = tail call fastcc i32 @is_concurrent(ptr noundef %arrayidx48, i32 noundef 0) #12
  %tobool50.not = icmp eq i32 %call49, 0
  br i1 %tobool50.not, label %if.end53, label %if.then51

if.then51:                                        ; preds = %for.body
  tail call fastcc void @report(i32 noundef 0, i32 noundef %site, ptr noundef %arrayidx48, i64 noundef %i.0) #12
  br label %if.end53

if.end53:                                         ; preds = %if.then51, %for.body
  %17 = load i32, ptr %scope, align 8
  %cmp55 = icmp eq i32 %17, 1
  br i1 %cmp55, label %land.lhs.true, label %if.end61

land.lhs.true:                                    ; preds = %if.end53
  %site.i = getelementptr inbounds nuw i8, ptr %arrayidx48, i64 8
  %18 = load i16, ptr %site.i, align 4
  %cmp.i104 = icmp slt i16 %18, 0
  br i1 %cmp.i104, label %if.then60, label %if.end61

if.then60:                                        ; preds = %land.lhs.true
  tail call fastcc void @report(i32 noundef 4, i32 noundef %site, ptr noundef null, i64 noundef %i.0) #12
  br label %if.end61

if.end61:                                         ; preds = %if.then60, %land.lhs.true, %if.end53
  %reader.i = getelementptr inbounds nuw i8, ptr %arrayidx48, i64 12
  %last.sroa.0.0.copyload.i = load i32, ptr %reader.i, align 4
  %last.sroa.4.0.reader.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx48, i64 16
  %last.sroa.4.0.copyload.i = load i32, ptr %last.sroa.4.0.reader.sroa_idx.i, align 4
  %last.sroa.5.0.reader.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx48, i64 20
  %last.sroa.5.0.copyload.i = load i16, ptr %last.sroa.5.0.reader.sroa_idx.i, align 4
  %last.sroa.6.0.reader.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx48, i64 22
  %last.sroa.6.0.copyload.i = load i16, ptr %last.sroa.6.0.reader.sroa_idx.i, align 2
  store i32 %access.sroa.0.0.copyload, ptr %reader.i, align 4
  store i32 %access.sroa.4.0.copyload, ptr %last.sroa.4.0.reader.sroa_idx.i, align 4
  store i16 %conv26, ptr %last.sroa.5.0.reader.sroa_idx.i, align 4
  store i16 %bf.set, ptr %last.sroa.6.0.reader.sroa_idx.i, align 2
  %cmp.i.i = icmp slt i16 %last.sroa.5.0.copyload.i, 0
  br i1 %cmp.i.i, label %note_read.exit, label %lor.lhs.false.i

lor.lhs.false.i:                                  ; preds = %if.end61
  %cmp.i105 = icmp eq i32 %last.sroa.0.0.copyload.i, %access.sroa.0.0.copyload
  br i1 %cmp.i105, label %land.lhs.true.i, label %if.end.thread.i

land.lhs.true.i:                                  ; preds = %lor.lhs.false.i
  %19 = xor i16 %last.sroa.6.0.copyload.i, %access.sroa.6.0.copyload
  %20 = and i16 %19, 32767
  %cmp7.i = icmp eq i16 %20, 0
  br i1 %cmp7.i, label %note_read.exit, label %if.end.i106

if.end.i106:                                      ; preds = %land.lhs.true.i
  %reader_2.i = getelementptr inbounds nuw i8, ptr %arrayidx48, i64 24
  %site.i44.i = getelementptr inbounds nuw i8, ptr %arrayidx48, i64 32
  %21 = load i16, ptr %site.i44.i, align 4
  %cmp.i45.i = icmp slt i16 %21, 0
  br i1 %cmp.i45.i, label %land.lhs.true22.i, label %lor.lhs.false20.i

if.end.thread.i:                                  ; preds = %lor.lhs.false.i
  %reader_252.i = getelementptr inbounds nuw i8, ptr %arrayidx48, i64 24
  %site.i4453.i = getelementptr inbounds nuw i8, ptr %arrayidx48, i64 32
  br label %if.then26.i

lor.lhs.false20.i:                                ; preds = %if.end.i106
  %22 = load i32, ptr %reader_2.i, align 4
  %cmp14.not.i = icmp eq i32 %22, %access.sroa.0.0.copyload
  br i1 %cmp14.not.i, label %land.lhs.true22.i, label %note_read.exit

land.lhs.true22.i:                                ; preds = %lor.lhs.false20.i, %if.end.i106
  %cmp24.i = icmp eq i32 %last.sroa.4.0.copyload.i, %access.sroa.4.0.copyload
  br i1 %cmp24.i, label %if.then26.i, label %if.then29.i

if.then26.i:                                      ; preds = %land.lhs.true22.i, %if.end.thread.i
  %site.i4459.i = phi ptr [ %site.i4453.i, %if.end.thread.i ], [ %site.i44.i, %land.lhs.true22.i ]
  %reader_256.i = phi ptr [ %reader_252.i, %if.end.thread.i ], [ %reader_2.i, %land.lhs.true22.i ]
  store i32 %last.sroa.0.0.copyload.i, ptr %reader_256.i, align 4
  %last.sroa.4.0.reader_2.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx48, i64 28
  store i32 %last.sroa.4.0.copyload.i, ptr %last.sroa.4.0.reader_2.sroa_idx.i, align 4
  store i16 %last.sroa.5.0.copyload.i, ptr %site.i4459.i, align 4
  %last.sroa.6.0.reader_2.sroa_idx.i = getelementptr inbounds nuw i8, ptr %arrayidx48, i64 34
  store i16 %last.sroa.6.0.copyload.i, ptr %last.sroa.6.0.reader_2.sroa_idx.i, align 2
  br label %note_read.exit

if.then29.i:                                      ; preds = %land.lhs.true22.i
  store i16 -1, ptr %site.i44.i, align 4
  br label %note_read.exit

note_read.exit:                                   ; preds = %if.end61, %land.lhs.true.i, %lor.lhs.false20.i, %if.then26.i, %if.then29.i
  %inc = add nsw i64 %i.0, 1
  br label %for.cond

return:                                           ; preds = %for.cond, %if.then32, %if.then35, %if.then22, %if.then19, %if.end
  %retval.0 = phi i32 [ %and.lobit, %if.end ], [ 0, %if.then19 ], [ 1, %if.then22 ], [ 1, %if.then32 ], [ 1, %if.then35 ], [ 1, %for.cond ]
  ret i32 %retval.0
}

define internal fastcc void @report(i32 noundef range(i32 0, 6) %kind, i32 noundef %site, ptr noundef readonly captures(address_is_null) %other, i64 noundef %element) unnamed_addr #5 {
entry:
  %tobool.not = icmp eq ptr %other, null
  br i1 %tobool.not, label %cond.end, label %cond.true

cond.true:                                        ; preds = %entry
  %site1 = getelementptr inbounds nuw i8, ptr %other, i64 8
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
  br i1 %tobool.not, label %cond.end28, label %cond.true25

cond.true25:                                      ; preds = %if.end17
  %thread = getelementptr inbounds nuw i8, ptr %other, i64 10
  %bf.load = load i16, ptr %thread, align 2
  %bf.clear = and i16 %bf.load, 32767
  %conv26 = zext nneg i16 %bf.clear to i32
  br label %cond.end28

cond.end28:                                       ; preds = %if.end17, %cond.true25
  %cond29 = phi i32 [ %conv26, %cond.true25 ], [ -1, %if.end17 ]
  %6 = load i32, ptr @now, align 4
  %conv30 = sext i32 %6 to i64
  %bf.load32 = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 10), align 2
  %bf.clear33 = and i16 %bf.load32, 32767
  %conv34 = zext nneg i16 %bf.clear33 to i64
  br i1 %tobool.not, label %cond.end39, label %cond.true36

cond.true36:                                      ; preds = %cond.end28
  %7 = load i32, ptr %other, align 4
  %8 = sext i32 %7 to i64
  br label %cond.end39

cond.end39:                                       ; preds = %cond.end28, %cond.true36
  %cond40 = phi i64 [ %8, %cond.true36 ], [ -1, %cond.end28 ]
  store i32 %kind, ptr %arrayidx20, align 8
  %.compoundliteral.sroa.2.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 4
  store i32 %site, ptr %.compoundliteral.sroa.2.0.arrayidx20.sroa_idx, align 4
  %.compoundliteral.sroa.3.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 8
  store i32 %cond, ptr %.compoundliteral.sroa.3.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.4.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 12
  store i32 %cond29, ptr %.compoundliteral.sroa.4.0.arrayidx20.sroa_idx, align 4
  %.compoundliteral.sroa.5.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 16
  store i64 %conv30, ptr %.compoundliteral.sroa.5.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.6.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 24
  store i64 %conv34, ptr %.compoundliteral.sroa.6.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.7.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 32
  store i64 %cond40, ptr %.compoundliteral.sroa.7.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.8.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 40
  store i64 %element, ptr %.compoundliteral.sroa.8.0.arrayidx20.sroa_idx, align 8
  %.compoundliteral.sroa.9.0.arrayidx20.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx20, i64 48
  store i64 1, ptr %.compoundliteral.sroa.9.0.arrayidx20.sroa_idx, align 8
  br label %return

return:                                           ; preds = %for.end, %cond.end39, %if.then
  ret void
}

define internal fastcc void @settle_write() unnamed_addr #0 {
entry:
  %earlier = alloca [3 x ptr], align 16
  %0 = load ptr, ptr @pending, align 8
  %tobool.not = icmp eq ptr %0, null
  br i1 %tobool.not, label %for.end40, label %if.end

if.end:                                           ; preds = %entry
  store ptr null, ptr @pending, align 8
  %1 = load i64, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 8), align 8
  %access.sroa.2.0.copyload = load i16, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 16), align 8
  %access.sroa.4.0.copyload = load i16, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 18), align 2
  %granule1 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %2 = load i64, ptr %granule1, align 8
  %3 = load i64, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 24), align 8
  %4 = load i64, ptr %0, align 8
  %5 = inttoptr i64 %4 to ptr
  %cells = getelementptr inbounds nuw i8, ptr %0, i64 32
  %idxprom8 = sext i16 %access.sroa.2.0.copyload to i64
  %arrayinit.element = getelementptr inbounds nuw i8, ptr %earlier, i64 8
  %arrayinit.element15 = getelementptr inbounds nuw i8, ptr %earlier, i64 16
  %conv31 = sext i16 %access.sroa.2.0.copyload to i32
  %bf.lshr = lshr i16 %access.sroa.4.0.copyload, 15
  %conv = zext nneg i16 %bf.lshr to i32
  br label %for.cond

for.cond:                                         ; preds = %for.end.split, %if.end
  %at.0 = phi i64 [ %3, %if.end ], [ %add39, %for.end.split ]
  %6 = load i64, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 32), align 8
  %add = add nsw i64 %6, %3
  %cmp = icmp slt i64 %at.0, %add
  br i1 %cmp, label %for.body, label %for.end40

for.body:                                         ; preds = %for.cond
  %div = sdiv i64 %at.0, %2
  %7 = load ptr, ptr %cells, align 8
  %arrayidx = getelementptr inbounds %struct.Cell, ptr %7, i64 %div
  %site.i = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %8 = load i16, ptr %site.i, align 4
  %cmp.i = icmp sgt i16 %8, -1
  %cmp3 = icmp slt i64 %6, 257
  %or.cond = and i1 %cmp3, %cmp.i
  br i1 %or.cond, label %land.lhs.true4, label %land.end.thread

land.lhs.true4:                                   ; preds = %for.body
  %9 = load ptr, ptr @statements, align 8
  %idxprom = zext nneg i16 %8 to i64
  %arrayidx6 = getelementptr inbounds nuw i32, ptr %9, i64 %idxprom
  %10 = load i32, ptr %arrayidx6, align 4
  %arrayidx9 = getelementptr inbounds i32, ptr %9, i64 %idxprom8
  %11 = load i32, ptr %arrayidx9, align 4
  %cmp10 = icmp eq i32 %10, %11
  br i1 %cmp10, label %land.end, label %land.end.thread

land.end.thread:                                  ; preds = %land.lhs.true4, %for.body
  store ptr %arrayidx, ptr %earlier, align 16
  %reader68 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  store ptr %reader68, ptr %arrayinit.element, align 8
  %reader_269 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  store ptr %reader_269, ptr %arrayinit.element15, align 16
  br label %for.cond16.preheader

land.end:                                         ; preds = %land.lhs.true4
  %add.ptr = getelementptr inbounds i8, ptr %5, i64 %at.0
  %sub = sub nsw i64 %at.0, %3
  %add.ptr11 = getelementptr inbounds i8, ptr getelementptr inbounds nuw (i8, ptr @pending, i64 40), i64 %sub
  %call12 = tail call i32 @memcmp(ptr noundef %add.ptr, ptr noundef nonnull %add.ptr11, i64 noundef %2) #11
  %call12.fr = freeze i32 %call12
  %tobool13.not.not = icmp eq i32 %call12.fr, 0
  store ptr %arrayidx, ptr %earlier, align 16
  %reader = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  store ptr %reader, ptr %arrayinit.element, align 8
  %reader_2 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 24
  store ptr %reader_2, ptr %arrayinit.element15, align 16
  br i1 %tobool13.not.not, label %for.end.split, label %for.cond16.preheader

for.cond16.preheader:                             ; preds = %land.end.thread, %land.end
  br label %for.cond16

for.cond16:                                       ; preds = %for.cond16.preheader, %for.inc
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc ], [ 0, %for.cond16.preheader ]
  %exitcond.not = icmp eq i64 %indvars.iv, 3
  br i1 %exitcond.not, label %for.end.split, label %for.body23

for.body23:                                       ; preds = %for.cond16
  %arrayidx25 = getelementptr inbounds nuw ptr, ptr %earlier, i64 %indvars.iv
  %12 = load ptr, ptr %arrayidx25, align 8
  %call26 = tail call fastcc i32 @is_concurrent(ptr noundef %12, i32 noundef %conv) #12
  %tobool27.not = icmp eq i32 %call26, 0
  br i1 %tobool27.not, label %for.inc, label %if.end29

if.end29:                                         ; preds = %for.body23
  tail call fastcc void @report(i32 noundef 0, i32 noundef %conv31, ptr noundef %12, i64 noundef %div) #12
  %tobool34.not = icmp eq i64 %indvars.iv, 0
  br i1 %tobool34.not, label %for.inc, label %for.end.split

for.inc:                                          ; preds = %if.end29, %for.body23
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond16

for.end.split:                                    ; preds = %for.cond16, %if.end29, %land.end
  store i64 %1, ptr %arrayidx, align 4
  store i16 %access.sroa.2.0.copyload, ptr %site.i, align 4
  %access.sroa.4.0.writer37.sroa_idx = getelementptr inbounds nuw i8, ptr %arrayidx, i64 10
  store i16 %access.sroa.4.0.copyload, ptr %access.sroa.4.0.writer37.sroa_idx, align 2
  %add39 = add nsw i64 %at.0, %2
  br label %for.cond

for.end40:                                        ; preds = %for.cond, %entry
  ret void
}

declare ptr @memcpy(ptr noundef, ptr noundef, i64 noundef) local_unnamed_addr

define internal fastcc range(i32 0, 2) i32 @is_concurrent(ptr noundef readonly captures(none) %earlier, i32 noundef range(i32 0, 2) %is_atomic) unnamed_addr #6 {
entry:
  %site.i = getelementptr inbounds nuw i8, ptr %earlier, i64 8
  %0 = load i16, ptr %site.i, align 4
  %cmp.i = icmp slt i16 %0, 0
  br i1 %cmp.i, label %return, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %entry
  %is_atomic1 = getelementptr inbounds nuw i8, ptr %earlier, i64 10
  %bf.load = load i16, ptr %is_atomic1, align 2
  %tobool2 = icmp slt i16 %bf.load, 0
  %tobool3 = icmp ne i32 %is_atomic, 0
  %or.cond = and i1 %tobool3, %tobool2
  br i1 %or.cond, label %return, label %if.end

if.end:                                           ; preds = %lor.lhs.false
  %1 = load i32, ptr %earlier, align 4
  %2 = load i32, ptr @now, align 4
  %cmp.not = icmp eq i32 %1, %2
  br i1 %cmp.not, label %if.end6, label %return

if.end6:                                          ; preds = %if.end
  %bf.load9 = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 10), align 2
  %3 = xor i16 %bf.load9, %bf.load
  %4 = and i16 %3, 32767
  %cmp12.not = icmp eq i16 %4, 0
  br i1 %cmp12.not, label %return, label %land.rhs

land.rhs:                                         ; preds = %if.end6
  %epoch = getelementptr inbounds nuw i8, ptr %earlier, i64 4
  %5 = load i32, ptr %epoch, align 4
  %6 = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %cmp14 = icmp eq i32 %5, %6
  %7 = zext i1 %cmp14 to i32
  br label %return

return:                                           ; preds = %if.end6, %land.rhs, %if.end, %entry, %lor.lhs.false
  %retval.0 = phi i32 [ 1, %if.end ], [ 0, %entry ], [ 0, %lor.lhs.false ], [ 0, %if.end6 ], [ %7, %land.rhs ]
  ret i32 %retval.0
}

define void @kc_emu_run_checked(ptr noundef readonly captures(none) %threads, ptr noundef captures(none) %states, i64 noundef %count, ptr noundef readonly captures(none) %step) local_unnamed_addr #0 {
entry:
  %seen.i.i = alloca [64 x i64], align 16
  %words.i.i = alloca [128 x i64], align 16
  br label %for.cond1

for.cond1:                                        ; preds = %for.cond1.backedge, %entry
  %begin.0 = phi i64 [ 0, %entry ], [ %begin.0.be, %for.cond1.backedge ]
  %cmp = icmp slt i64 %begin.0, %count
  br i1 %cmp, label %for.body, label %for.end19

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
  %and = and i16 %conv, 32767
  %bf.load = load i16, ptr getelementptr inbounds nuw (i8, ptr @now, i64 10), align 2
  %bf.clear = and i16 %bf.load, -32768
  %bf.set = or disjoint i16 %bf.clear, %and
  store i16 %bf.set, ptr getelementptr inbounds nuw (i8, ptr @now, i64 10), align 2
  %arrayidx11 = getelementptr inbounds nuw ptr, ptr %threads, i64 %i.0
  %1 = load ptr, ptr %arrayidx11, align 8
  tail call void %step(ptr noundef %1, i32 noundef 0) #11
  tail call fastcc void @settle_write() #12
  br label %for.inc

for.inc:                                          ; preds = %for.body7, %if.end
  %inc = add nuw nsw i64 %i.0, 1
  br label %for.cond5.backedge

for.cond5.backedge:                               ; preds = %for.inc, %if.end15
  %i.0.be = phi i64 [ %inc, %for.inc ], [ %begin.0, %if.end15 ]
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
  %call45.i = tail call ptr @memset(ptr noundef nonnull %next.i, i32 noundef 0, i64 noundef 128) #11
  %.pre.i = load i32, ptr @site_count, align 4
  br label %for.inc47.i

for.inc47.i:                                      ; preds = %if.then43.i, %for.end41.i
  %34 = phi i32 [ %2, %for.end41.i ], [ %.pre.i, %if.then43.i ]
  %indvars.iv.next103.i = add nuw nsw i64 %indvars.iv102.i, 1
  br label %for.cond.i

settle_costs.exit:                                ; preds = %for.cond.i
  %call = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond, i32 noundef 2) #12
  %cmp12 = icmp slt i64 %call, 0
  br i1 %cmp12, label %for.cond1.backedge, label %if.end15

if.end15:                                         ; preds = %settle_costs.exit
  tail call fastcc void @check_together(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond, i64 noundef %call) #12
  tail call fastcc void @release(ptr noundef %states, i64 noundef %begin.0, i64 noundef %cond, i32 noundef 2) #12
  br label %for.cond5.backedge

for.end19:                                        ; preds = %for.cond1
  %call21 = tail call fastcc i64 @who_waits(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 1) #12
  %cmp22 = icmp slt i64 %call21, 0
  br i1 %cmp22, label %for.cond30.preheader, label %if.end25

for.cond30.preheader:                             ; preds = %for.end19
  %smax = tail call i64 @llvm.smax.i64(i64 %count, i64 0)
  br label %for.cond30

if.end25:                                         ; preds = %for.end19
  tail call fastcc void @check_together(ptr noundef %states, i64 noundef 0, i64 noundef %count, i64 noundef %call21) #12
  tail call fastcc void @release(ptr noundef %states, i64 noundef 0, i64 noundef %count, i32 noundef 1) #12
  %35 = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %inc26 = add nsw i32 %35, 1
  store i32 %inc26, ptr getelementptr inbounds nuw (i8, ptr @now, i64 4), align 4
  %36 = load i64, ptr @barriers, align 8
  %inc27 = add nsw i64 %36, 1
  store i64 %inc27, ptr @barriers, align 8
  br label %for.cond1.backedge

for.cond1.backedge:                               ; preds = %settle_costs.exit, %if.end25
  %begin.0.be = phi i64 [ 0, %if.end25 ], [ %add, %settle_costs.exit ]
  br label %for.cond1

for.cond30:                                       ; preds = %for.cond30.preheader, %for.body33
  %i29.0 = phi i64 [ %inc36, %for.body33 ], [ 0, %for.cond30.preheader ]
  %exitcond.not = icmp eq i64 %i29.0, %smax
  br i1 %exitcond.not, label %for.end37, label %for.body33

for.body33:                                       ; preds = %for.cond30
  %arrayidx34 = getelementptr inbounds nuw ptr, ptr %threads, i64 %i29.0
  %37 = load ptr, ptr %arrayidx34, align 8
  tail call void %step(ptr noundef %37, i32 noundef 1) #11
  %inc36 = add nuw i64 %i29.0, 1
  br label %for.cond30

for.end37:                                        ; preds = %for.cond30
  ret void
}

define internal fastcc range(i64 -9223372036854775808, 9223372036854775807) i64 @who_waits(ptr noundef readonly captures(none) %states, i64 noundef %begin, i64 noundef %end, i32 noundef range(i32 1, 3) %scope) unnamed_addr #7 {
entry:
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i64 [ %begin, %entry ], [ %inc, %for.inc ]
  %cmp = icmp slt i64 %i.0, %end
  br i1 %cmp, label %for.body, label %return

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds i32, ptr %states, i64 %i.0
  %0 = load i32, ptr %arrayidx, align 4
  %.off = add i32 %0, -1
  %switch = icmp ult i32 %.off, -2
  %and.i = and i32 %0, 3
  %cmp6 = icmp eq i32 %and.i, %scope
  %or.cond = and i1 %switch, %cmp6
  br i1 %or.cond, label %return, label %for.inc

for.inc:                                          ; preds = %for.body
  %inc = add nsw i64 %i.0, 1
  br label %for.cond

return:                                           ; preds = %for.body, %for.cond
  %retval.0 = phi i64 [ %i.0, %for.body ], [ -1, %for.cond ]
  ret i64 %retval.0
}

define internal fastcc void @check_together(ptr noundef readonly captures(none) %states, i64 noundef %begin, i64 noundef %end, i64 noundef range(i64 0, -9223372036854775808) %waiter) unnamed_addr #8 {
entry:
  %elsewhere.i = alloca %struct.Access, align 8
  %arrayidx1 = getelementptr inbounds nuw i32, ptr %states, i64 %waiter
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
  call void @llvm.lifetime.start.p0(ptr nonnull %elsewhere.i)
  %retval.sroa.0.0.copyload.i.i = load i64, ptr @now, align 8
  %retval.sroa.2.0.copyload.i.i = load i32, ptr getelementptr inbounds nuw (i8, ptr @now, i64 8), align 8
  %conv.i.i = trunc i64 %i.0 to i32
  %and.i.i = shl i32 %conv.i.i, 16
  %bf.set9.i.i = and i32 %and.i.i, 2147418112
  %retval.sroa.2.0.copyload.mask.i.i = and i32 %retval.sroa.2.0.copyload.i.i, -2147483648
  %shr.i.i = lshr i32 %0, 2
  %retval.sroa.2.8.insert.ext.i.i = and i32 %shr.i.i, 65535
  %retval.sroa.2.10.insert.shift.i.i = or disjoint i32 %retval.sroa.2.8.insert.ext.i.i, %bf.set9.i.i
  %retval.sroa.2.8.insert.insert.i.i = or disjoint i32 %retval.sroa.2.10.insert.shift.i.i, %retval.sroa.2.0.copyload.mask.i.i
  store i64 %retval.sroa.0.0.copyload.i.i, ptr %elsewhere.i, align 8
  %tmp.coerce.sroa.2.0.elsewhere.sroa_idx.i = getelementptr inbounds nuw i8, ptr %elsewhere.i, i64 8
  store i32 %retval.sroa.2.8.insert.insert.i.i, ptr %tmp.coerce.sroa.2.0.elsewhere.sroa_idx.i, align 8
  %conv.i = trunc i64 %waiter to i16
  %and.i22 = and i16 %conv.i, 32767
  %5 = lshr i32 %retval.sroa.2.0.copyload.i.i, 16
  %6 = trunc nuw i32 %5 to i16
  %bf.clear.i = and i16 %6, -32768
  %bf.set.i = or disjoint i16 %bf.clear.i, %and.i22
  store i16 %bf.set.i, ptr getelementptr inbounds nuw (i8, ptr @now, i64 10), align 2
  %shr.i = ashr i32 %1, 2
  call fastcc void @report(i32 noundef range(i32 1, 6) %cond, i32 noundef %shr.i, ptr noundef nonnull %elsewhere.i, i64 noundef -1) #12
  call void @llvm.lifetime.end.p0(ptr nonnull %elsewhere.i)
  br label %for.end

for.inc:                                          ; preds = %for.body
  %inc = add nsw i64 %i.0, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond, %if.end
  ret void
}

declare i32 @memcmp(ptr noundef, ptr noundef, i64 noundef) local_unnamed_addr

declare ptr @realloc(ptr noundef, i64 noundef) local_unnamed_addr

declare ptr @memset(ptr noundef, i32 noundef, i64 noundef) local_unnamed_addr

declare i64 @llvm.smin.i64(i64, i64) #9

declare i64 @llvm.smax.i64(i64, i64) #9

declare i32 @llvm.smax.i32(i32, i32) #9

declare void @llvm.lifetime.start.p0(ptr captures(none)) #10

declare void @llvm.lifetime.end.p0(ptr captures(none)) #10

attributes #0 = { nounwind uwtable }
attributes #1 = { nofree norecurse nosync nounwind memory(argmem: readwrite) uwtable }
attributes #3 = { nofree norecurse nosync nounwind willreturn memory(read, argmem: write, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #4 = { nofree norecurse nosync nounwind willreturn memory(write, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #5 = { nofree norecurse nosync nounwind memory(readwrite, argmem: read, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #6 = { nofree norecurse nosync nounwind willreturn memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #7 = { nofree norecurse nosync nounwind memory(argmem: read) uwtable }
attributes #8 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable }
attributes #9 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #10 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #11 = { nobuiltin nounwind }
attributes #12 = { nobuiltin }
