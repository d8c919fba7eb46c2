; Made by `make native` with clang 22.1.8: do not edit.
; The sha256 of launcher.c: 6711b5eaafc63f4d8a66e1fcab80bb2582a1f38d8ad2a2785087ee946f18ecb9

%struct.Made = type { [17 x i64], [16 x i64] }
%struct.Kernel = type { ptr, i64, i64 }

@make_map.steps = internal constant [5 x i32] [i32 1, i32 1, i32 1, i32 1, i32 1], align 16
@is_taken = internal global i8 0, align 1
@made = internal unnamed_addr global [256 x %struct.Made] zeroinitializer, align 16

define void @kc_gpu_launch_with_maps(ptr noundef captures(none) %record, i64 noundef %number, i64 noundef %grid_x, i64 noundef %grid_y, i64 noundef %grid_z, i64 noundef %block_x, i64 noundef %block_y, i64 noundef %block_z, i64 noundef %shared, ptr noundef %words, i64 noundef %count, i64 noundef %maps) local_unnamed_addr #0 {
entry:
  %context.i158 = alloca ptr, align 8
  %sizes = alloca [7 x i64], align 16
  %status = getelementptr inbounds nuw i8, ptr %record, i64 8
  %0 = load i64, ptr %status, align 8
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %if.end, label %return

if.end:                                           ; preds = %entry
  %1 = load ptr, ptr %record, align 8
  %kernels = getelementptr inbounds nuw i8, ptr %1, i64 120
  %2 = load ptr, ptr %kernels, align 8
  store i64 %grid_x, ptr %sizes, align 16
  %arrayinit.element = getelementptr inbounds nuw i8, ptr %sizes, i64 8
  store i64 %grid_y, ptr %arrayinit.element, align 8
  %arrayinit.element2 = getelementptr inbounds nuw i8, ptr %sizes, i64 16
  store i64 %grid_z, ptr %arrayinit.element2, align 16
  %arrayinit.element3 = getelementptr inbounds nuw i8, ptr %sizes, i64 24
  store i64 %block_x, ptr %arrayinit.element3, align 8
  %arrayinit.element4 = getelementptr inbounds nuw i8, ptr %sizes, i64 32
  store i64 %block_y, ptr %arrayinit.element4, align 16
  %arrayinit.element5 = getelementptr inbounds nuw i8, ptr %sizes, i64 40
  store i64 %block_z, ptr %arrayinit.element5, align 8
  %arrayinit.element6 = getelementptr inbounds nuw i8, ptr %sizes, i64 48
  store i64 %shared, ptr %arrayinit.element6, align 16
  %sizes8 = getelementptr inbounds nuw i8, ptr %record, i64 48
  br label %for.cond

for.cond:                                         ; preds = %for.body, %if.end
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 0, %if.end ]
  %exitcond.not = icmp eq i64 %indvars.iv, 7
  br i1 %exitcond.not, label %for.cond12.preheader, label %for.body

for.cond12.preheader:                             ; preds = %for.cond
  %arrayidx = getelementptr inbounds %struct.Kernel, ptr %2, i64 %number
  %limits = getelementptr inbounds nuw i8, ptr %1, i64 112
  %.pre178 = load ptr, ptr %limits, align 8
  br label %for.cond12

for.body:                                         ; preds = %for.cond
  %arrayidx7 = getelementptr inbounds nuw i64, ptr %sizes, i64 %indvars.iv
  %3 = load i64, ptr %arrayidx7, align 8
  %arrayidx10 = getelementptr inbounds nuw i64, ptr %sizes8, i64 %indvars.iv
  store i64 %3, ptr %arrayidx10, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.cond12:                                       ; preds = %for.body14, %for.cond12.preheader
  %indvars.iv173 = phi i64 [ %indvars.iv.next174, %for.body14 ], [ 0, %for.cond12.preheader ]
  %exitcond176.not = icmp eq i64 %indvars.iv173, 6
  br i1 %exitcond176.not, label %for.end32, label %for.body14

for.body14:                                       ; preds = %for.cond12
  %arrayidx16 = getelementptr inbounds nuw i64, ptr %sizes, i64 %indvars.iv173
  %4 = load i64, ptr %arrayidx16, align 8
  %cmp17 = icmp slt i64 %4, 1
  %arrayidx28.phi.trans.insert = getelementptr inbounds nuw i64, ptr %.pre178, i64 %indvars.iv173
  %.pre179 = load i64, ptr %arrayidx28.phi.trans.insert, align 8
  %cmp22 = icmp sgt i64 %4, %.pre179
  %indvars.iv.next174 = add nuw nsw i64 %indvars.iv173, 1
  %or.cond193 = select i1 %cmp17, i1 true, i1 %cmp22
  br i1 %or.cond193, label %fail.exit, label %for.cond12

fail.exit:                                        ; preds = %for.body14
  store i64 2, ptr %status, align 8
  %what3.i = getelementptr inbounds nuw i8, ptr %record, i64 16
  store i64 %indvars.iv173, ptr %what3.i, align 8
  %kernel4.i = getelementptr inbounds nuw i8, ptr %record, i64 24
  store i64 %number, ptr %kernel4.i, align 8
  %value5.i = getelementptr inbounds nuw i8, ptr %record, i64 32
  store i64 %4, ptr %value5.i, align 8
  %limit6.i = getelementptr inbounds nuw i8, ptr %record, i64 40
  store i64 %.pre179, ptr %limit6.i, align 8
  br label %return

for.end32:                                        ; preds = %for.cond12
  %mul = mul nsw i64 %block_y, %block_x
  %mul33 = mul nsw i64 %mul, %block_z
  %5 = load ptr, ptr %limits, align 8
  %arrayidx35 = getelementptr inbounds nuw i8, ptr %5, i64 48
  %6 = load i64, ptr %arrayidx35, align 8
  %most_threads = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %7 = load i64, ptr %most_threads, align 8
  %spec.select = tail call i64 @llvm.smin.i64(i64 %7, i64 %6)
  %cmp41 = icmp sgt i64 %mul33, %spec.select
  br i1 %cmp41, label %fail.exit149, label %if.end44

fail.exit149:                                     ; preds = %for.end32
  store i64 2, ptr %status, align 8
  %what3.i145 = getelementptr inbounds nuw i8, ptr %record, i64 16
  store i64 6, ptr %what3.i145, align 8
  %kernel4.i146 = getelementptr inbounds nuw i8, ptr %record, i64 24
  store i64 %number, ptr %kernel4.i146, align 8
  %value5.i147 = getelementptr inbounds nuw i8, ptr %record, i64 32
  store i64 %mul33, ptr %value5.i147, align 8
  %limit6.i148 = getelementptr inbounds nuw i8, ptr %record, i64 40
  store i64 %spec.select, ptr %limit6.i148, align 8
  br label %return

if.end44:                                         ; preds = %for.end32
  %cmp45 = icmp slt i64 %shared, 0
  %most_shared51.phi.trans.insert = getelementptr inbounds nuw i8, ptr %arrayidx, i64 16
  %.pre = load i64, ptr %most_shared51.phi.trans.insert, align 8
  %cmp48 = icmp sgt i64 %shared, %.pre
  %or.cond = select i1 %cmp45, i1 true, i1 %cmp48
  br i1 %or.cond, label %fail.exit157, label %if.end52

fail.exit157:                                     ; preds = %if.end44
  store i64 2, ptr %status, align 8
  %what3.i153 = getelementptr inbounds nuw i8, ptr %record, i64 16
  store i64 7, ptr %what3.i153, align 8
  %kernel4.i154 = getelementptr inbounds nuw i8, ptr %record, i64 24
  store i64 %number, ptr %kernel4.i154, align 8
  %value5.i155 = getelementptr inbounds nuw i8, ptr %record, i64 32
  store i64 %shared, ptr %value5.i155, align 8
  %limit6.i156 = getelementptr inbounds nuw i8, ptr %record, i64 40
  store i64 %.pre, ptr %limit6.i156, align 8
  br label %return

if.end52:                                         ; preds = %if.end44
  %add = add nsw i64 %count, 1
  %8 = tail call ptr @llvm.stacksave.p0()
  %vla = alloca ptr, i64 %add, align 16
  %smax = tail call i64 @llvm.smax.i64(i64 %count, i64 0)
  br label %for.cond54

for.cond54:                                       ; preds = %cond.end, %if.end52
  %i53.0 = phi i64 [ 0, %if.end52 ], [ %inc64, %cond.end ]
  %exitcond177.not = icmp eq i64 %i53.0, %smax
  br i1 %exitcond177.not, label %for.end65, label %for.body57

for.body57:                                       ; preds = %for.cond54
  %cmp58 = icmp samesign ult i64 %i53.0, 64
  br i1 %cmp58, label %land.lhs.true, label %cond.false

land.lhs.true:                                    ; preds = %for.body57
  %9 = shl nuw i64 1, %i53.0
  %10 = and i64 %9, %maps
  %tobool60.not = icmp eq i64 %10, 0
  br i1 %tobool60.not, label %cond.false, label %cond.true

cond.true:                                        ; preds = %land.lhs.true
  %arrayidx61 = getelementptr inbounds nuw i64, ptr %words, i64 %i53.0
  %11 = load i64, ptr %arrayidx61, align 8
  %12 = inttoptr i64 %11 to ptr
  br label %cond.end

cond.false:                                       ; preds = %land.lhs.true, %for.body57
  %add.ptr = getelementptr inbounds nuw i64, ptr %words, i64 %i53.0
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi ptr [ %12, %cond.true ], [ %add.ptr, %cond.false ]
  %arrayidx62 = getelementptr inbounds nuw ptr, ptr %vla, i64 %i53.0
  store ptr %cond, ptr %arrayidx62, align 8
  %inc64 = add nuw i64 %i53.0, 1
  br label %for.cond54

for.end65:                                        ; preds = %for.cond54
  %13 = load ptr, ptr %1, align 8
  %context.i = getelementptr inbounds nuw i8, ptr %1, i64 96
  %14 = load ptr, ptr %context.i, align 8
  %call.i = tail call i32 %13(ptr noundef %14) #5
  %tobool66.not = icmp eq i32 %call.i, 0
  br i1 %tobool66.not, label %if.end77, label %if.then79

if.end77:                                         ; preds = %for.end65
  %launch = getelementptr inbounds nuw i8, ptr %1, i64 16
  %15 = load ptr, ptr %launch, align 8
  %16 = load ptr, ptr %arrayidx, align 8
  %conv68 = trunc i64 %grid_x to i32
  %conv69 = trunc i64 %grid_y to i32
  %conv70 = trunc i64 %grid_z to i32
  %conv71 = trunc i64 %block_x to i32
  %conv72 = trunc i64 %block_y to i32
  %conv73 = trunc i64 %block_z to i32
  %conv74 = trunc i64 %shared to i32
  %stream = getelementptr inbounds nuw i8, ptr %1, i64 104
  %17 = load ptr, ptr %stream, align 8
  %18 = load ptr, ptr %17, align 8
  %call75 = call i32 %15(ptr noundef %16, i32 noundef %conv68, i32 noundef %conv69, i32 noundef %conv70, i32 noundef %conv71, i32 noundef %conv72, i32 noundef %conv73, i32 noundef %conv74, ptr noundef %18, ptr noundef nonnull %vla, ptr noundef null) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %context.i158)
  %pop.i = getelementptr inbounds nuw i8, ptr %1, i64 8
  %19 = load ptr, ptr %pop.i, align 8
  %call.i159 = call i32 %19(ptr noundef nonnull %context.i158) #5
  %tobool.not.i160 = icmp eq i32 %call75, 0
  %cond.i = select i1 %tobool.not.i160, i32 %call.i159, i32 %call75
  call void @llvm.lifetime.end.p0(ptr nonnull %context.i158)
  %tobool78.not = icmp eq i32 %cond.i, 0
  br i1 %tobool78.not, label %if.end81, label %if.then79

if.then79:                                        ; preds = %for.end65, %if.end77
  %error.0171 = phi i32 [ %cond.i, %if.end77 ], [ %call.i, %for.end65 ]
  %20 = load i64, ptr %status, align 8
  %tobool.not.i162 = icmp eq i64 %20, 0
  br i1 %tobool.not.i162, label %if.end.i163, label %if.end81

if.end.i163:                                      ; preds = %if.then79
  %conv80 = sext i32 %error.0171 to i64
  store i64 1, ptr %status, align 8
  %what3.i164 = getelementptr inbounds nuw i8, ptr %record, i64 16
  store i64 0, ptr %what3.i164, align 8
  %kernel4.i165 = getelementptr inbounds nuw i8, ptr %record, i64 24
  store i64 %number, ptr %kernel4.i165, align 8
  %value5.i166 = getelementptr inbounds nuw i8, ptr %record, i64 32
  store i64 %conv80, ptr %value5.i166, align 8
  %limit6.i167 = getelementptr inbounds nuw i8, ptr %record, i64 40
  store i64 0, ptr %limit6.i167, align 8
  br label %if.end81

if.end81:                                         ; preds = %if.end.i163, %if.then79, %if.end77
  call void @llvm.stackrestore.p0(ptr %8)
  br label %return

return:                                           ; preds = %entry, %if.end81, %fail.exit157, %fail.exit149, %fail.exit
  ret void
}

declare ptr @llvm.stacksave.p0() #1

declare void @llvm.stackrestore.p0(ptr) #1

define void @kc_gpu_launch(ptr noundef captures(none) %record, i64 noundef %number, i64 noundef %grid_x, i64 noundef %grid_y, i64 noundef %grid_z, i64 noundef %block_x, i64 noundef %block_y, i64 noundef %block_z, i64 noundef %shared, ptr noundef %words, i64 noundef %count) local_unnamed_addr #0 {
entry:
  tail call void @kc_gpu_launch_with_maps(ptr noundef %record, i64 noundef %number, i64 noundef %grid_x, i64 noundef %grid_y, i64 noundef %grid_z, i64 noundef %block_x, i64 noundef %block_y, i64 noundef %block_z, i64 noundef %shared, ptr noundef %words, i64 noundef %count, i64 noundef 0) #6
  ret void
}

define void @kc_gpu_tensor_map(ptr noundef captures(none) %record, ptr noundef %map, ptr noundef %base, i64 noundef %form, i64 noundef %size_0, i64 noundef %size_1, i64 noundef %size_2, i64 noundef %size_3, i64 noundef %size_4, i64 noundef %stride_1, i64 noundef %stride_2, i64 noundef %stride_3, i64 noundef %stride_4, i64 noundef %box_0, i64 noundef %box_1, i64 noundef %box_2, i64 noundef %box_3, i64 noundef %box_4) local_unnamed_addr #0 {
entry:
  %context.i80.i = alloca ptr, align 8
  %sizes = alloca [5 x i64], align 16
  %strides = alloca [4 x i64], align 16
  %box = alloca [5 x i32], align 16
  %key = alloca [17 x i64], align 16
  %status = getelementptr inbounds nuw i8, ptr %record, i64 8
  %0 = load i64, ptr %status, align 8
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %if.end, label %if.end104

if.end:                                           ; preds = %entry
  %1 = load ptr, ptr %record, align 8
  store i64 %size_0, ptr %sizes, align 16
  %arrayinit.element = getelementptr inbounds nuw i8, ptr %sizes, i64 8
  store i64 %size_1, ptr %arrayinit.element, align 8
  %arrayinit.element2 = getelementptr inbounds nuw i8, ptr %sizes, i64 16
  store i64 %size_2, ptr %arrayinit.element2, align 16
  %arrayinit.element3 = getelementptr inbounds nuw i8, ptr %sizes, i64 24
  store i64 %size_3, ptr %arrayinit.element3, align 8
  %arrayinit.element4 = getelementptr inbounds nuw i8, ptr %sizes, i64 32
  store i64 %size_4, ptr %arrayinit.element4, align 16
  store i64 %stride_1, ptr %strides, align 16
  %arrayinit.element5 = getelementptr inbounds nuw i8, ptr %strides, i64 8
  store i64 %stride_2, ptr %arrayinit.element5, align 8
  %arrayinit.element6 = getelementptr inbounds nuw i8, ptr %strides, i64 16
  store i64 %stride_3, ptr %arrayinit.element6, align 16
  %arrayinit.element7 = getelementptr inbounds nuw i8, ptr %strides, i64 24
  store i64 %stride_4, ptr %arrayinit.element7, align 8
  %conv = trunc i64 %box_0 to i32
  store i32 %conv, ptr %box, align 16
  %arrayinit.element8 = getelementptr inbounds nuw i8, ptr %box, i64 4
  %conv9 = trunc i64 %box_1 to i32
  store i32 %conv9, ptr %arrayinit.element8, align 4
  %arrayinit.element10 = getelementptr inbounds nuw i8, ptr %box, i64 8
  %conv11 = trunc i64 %box_2 to i32
  store i32 %conv11, ptr %arrayinit.element10, align 8
  %arrayinit.element12 = getelementptr inbounds nuw i8, ptr %box, i64 12
  %conv13 = trunc i64 %box_3 to i32
  store i32 %conv13, ptr %arrayinit.element12, align 4
  %arrayinit.element14 = getelementptr inbounds nuw i8, ptr %box, i64 16
  %conv15 = trunc i64 %box_4 to i32
  store i32 %conv15, ptr %arrayinit.element14, align 16
  %shr = lshr i64 %form, 8
  %and = and i64 %shr, 255
  %invariant.umin = tail call i64 @llvm.umin.i64(i64 %and, i64 5)
  br label %for.cond

for.cond:                                         ; preds = %for.body, %if.end
  %i.0 = phi i64 [ 0, %if.end ], [ %inc28, %for.body ]
  %exitcond.not = icmp eq i64 %i.0, %invariant.umin
  br i1 %exitcond.not, label %for.end29, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw i64, ptr %sizes, i64 %i.0
  %2 = load i64, ptr %arrayidx, align 8
  %tobool19.not = icmp eq i64 %2, 0
  %inc28 = add nuw nsw i64 %i.0, 1
  br i1 %tobool19.not, label %for.cond21, label %for.cond

for.cond21:                                       ; preds = %for.body, %for.body24
  %indvars.iv176 = phi i64 [ %indvars.iv.next177, %for.body24 ], [ 0, %for.body ]
  %exitcond179.not = icmp eq i64 %indvars.iv176, 16
  br i1 %exitcond179.not, label %if.end104, label %for.body24

for.body24:                                       ; preds = %for.cond21
  %arrayidx25 = getelementptr inbounds nuw i64, ptr %map, i64 %indvars.iv176
  store i64 0, ptr %arrayidx25, align 8
  %indvars.iv.next177 = add nuw nsw i64 %indvars.iv176, 1
  br label %for.cond21

for.end29:                                        ; preds = %for.cond
  %3 = ptrtoint ptr %base to i64
  %rem = and i64 %3, 15
  %tobool30.not = icmp eq i64 %rem, 0
  br i1 %tobool30.not, label %for.cond35, label %fail.exit

fail.exit:                                        ; preds = %for.end29
  store i64 3, ptr %status, align 8
  %what3.i = getelementptr inbounds nuw i8, ptr %record, i64 16
  store i64 0, ptr %what3.i, align 8
  %kernel4.i = getelementptr inbounds nuw i8, ptr %record, i64 24
  store i64 -1, ptr %kernel4.i, align 8
  %value5.i = getelementptr inbounds nuw i8, ptr %record, i64 32
  store i64 %rem, ptr %value5.i, align 8
  %limit6.i = getelementptr inbounds nuw i8, ptr %record, i64 40
  store i64 16, ptr %limit6.i, align 8
  br label %if.end104

for.cond35:                                       ; preds = %for.end29, %for.inc50
  %i34.0 = phi i64 [ %inc51, %for.inc50 ], [ 1, %for.end29 ]
  %4 = icmp samesign ult i64 %i34.0, %invariant.umin
  br i1 %4, label %for.body42, label %for.end52

for.body42:                                       ; preds = %for.cond35
  %5 = getelementptr i64, ptr %strides, i64 %i34.0
  %arrayidx43 = getelementptr i8, ptr %5, i64 -8
  %6 = load i64, ptr %arrayidx43, align 8
  %rem44 = and i64 %6, 15
  %tobool45.not = icmp eq i64 %rem44, 0
  br i1 %tobool45.not, label %for.inc50, label %fail.exit145

fail.exit145:                                     ; preds = %for.body42
  store i64 3, ptr %status, align 8
  %what3.i141 = getelementptr inbounds nuw i8, ptr %record, i64 16
  store i64 %i34.0, ptr %what3.i141, align 8
  %kernel4.i142 = getelementptr inbounds nuw i8, ptr %record, i64 24
  store i64 -1, ptr %kernel4.i142, align 8
  %value5.i143 = getelementptr inbounds nuw i8, ptr %record, i64 32
  store i64 %6, ptr %value5.i143, align 8
  %limit6.i144 = getelementptr inbounds nuw i8, ptr %record, i64 40
  store i64 16, ptr %limit6.i144, align 8
  br label %if.end104

for.inc50:                                        ; preds = %for.body42
  %inc51 = add nuw nsw i64 %i34.0, 1
  br label %for.cond35

for.end52:                                        ; preds = %for.cond35
  %7 = getelementptr inbounds nuw i8, ptr %key, i64 16
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(120) %7, i8 0, i64 120, i1 false)
  %encode = getelementptr inbounds nuw i8, ptr %1, i64 88
  %8 = load ptr, ptr %encode, align 8
  %9 = ptrtoint ptr %8 to i64
  store i64 %9, ptr %key, align 16
  %arrayinit.element53 = getelementptr inbounds nuw i8, ptr %key, i64 8
  store i64 %3, ptr %arrayinit.element53, align 8
  %arrayinit.element54 = getelementptr inbounds nuw i8, ptr %key, i64 16
  store i64 %form, ptr %arrayinit.element54, align 16
  br label %for.cond56

for.cond56:                                       ; preds = %for.body59, %for.end52
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body59 ], [ 0, %for.end52 ]
  %exitcond167.not = icmp eq i64 %indvars.iv, 5
  br i1 %exitcond167.not, label %for.cond68, label %for.body59

for.body59:                                       ; preds = %for.cond56
  %arrayidx61 = getelementptr inbounds nuw i64, ptr %sizes, i64 %indvars.iv
  %10 = load i64, ptr %arrayidx61, align 8
  %11 = getelementptr inbounds nuw i64, ptr %key, i64 %indvars.iv
  %arrayidx63 = getelementptr inbounds nuw i8, ptr %11, i64 24
  store i64 %10, ptr %arrayidx63, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond56

for.cond68:                                       ; preds = %for.cond56, %for.body71
  %indvars.iv168 = phi i64 [ %indvars.iv.next169, %for.body71 ], [ 0, %for.cond56 ]
  %exitcond171.not = icmp eq i64 %indvars.iv168, 4
  br i1 %exitcond171.not, label %for.cond81, label %for.body71

for.body71:                                       ; preds = %for.cond68
  %arrayidx73 = getelementptr inbounds nuw i64, ptr %strides, i64 %indvars.iv168
  %12 = load i64, ptr %arrayidx73, align 8
  %13 = getelementptr inbounds nuw i64, ptr %key, i64 %indvars.iv168
  %arrayidx76 = getelementptr inbounds nuw i8, ptr %13, i64 64
  store i64 %12, ptr %arrayidx76, align 8
  %indvars.iv.next169 = add nuw nsw i64 %indvars.iv168, 1
  br label %for.cond68

for.cond81:                                       ; preds = %for.cond68, %for.body84
  %indvars.iv172 = phi i64 [ %indvars.iv.next173, %for.body84 ], [ 0, %for.cond68 ]
  %exitcond175.not = icmp eq i64 %indvars.iv172, 5
  br i1 %exitcond175.not, label %for.end93, label %for.body84

for.body84:                                       ; preds = %for.cond81
  %arrayidx86 = getelementptr inbounds nuw i32, ptr %box, i64 %indvars.iv172
  %14 = load i32, ptr %arrayidx86, align 4
  %conv87 = zext i32 %14 to i64
  %15 = getelementptr inbounds nuw i64, ptr %key, i64 %indvars.iv172
  %arrayidx90 = getelementptr inbounds nuw i8, ptr %15, i64 96
  store i64 %conv87, ptr %arrayidx90, align 8
  %indvars.iv.next173 = add nuw nsw i64 %indvars.iv172, 1
  br label %for.cond81

for.end93:                                        ; preds = %for.cond81
  %tobool95.not = icmp eq ptr %8, null
  br i1 %tobool95.not, label %if.end.i150, label %for.cond.i.i

for.cond.i.i:                                     ; preds = %for.end93, %for.body.i.i
  %indvars.iv.i.i = phi i64 [ %indvars.iv.next.i.i, %for.body.i.i ], [ 0, %for.end93 ]
  %hash.0.i.i = phi i64 [ %mul.i.i, %for.body.i.i ], [ 0, %for.end93 ]
  %exitcond.not.i.i = icmp eq i64 %indvars.iv.i.i, 17
  br i1 %exitcond.not.i.i, label %while.cond.i, label %for.body.i.i

for.body.i.i:                                     ; preds = %for.cond.i.i
  %arrayidx.i.i = getelementptr inbounds nuw i64, ptr %key, i64 %indvars.iv.i.i
  %16 = load i64, ptr %arrayidx.i.i, align 8
  %xor.i.i = xor i64 %16, %hash.0.i.i
  %mul.i.i = mul i64 %xor.i.i, -7046029254386353131
  %indvars.iv.next.i.i = add nuw nsw i64 %indvars.iv.i.i, 1
  br label %for.cond.i.i

while.cond.i:                                     ; preds = %for.cond.i.i, %while.cond.i
  %17 = atomicrmw xchg ptr @is_taken, i8 1 acquire, align 1
  %tobool.not.i146 = icmp eq i8 %17, 0
  br i1 %tobool.not.i146, label %for.cond.i74.preheader.i, label %while.cond.i

for.cond.i74.preheader.i:                         ; preds = %while.cond.i
  %shr.i.i = lshr i64 %hash.0.i.i, 56
  %arrayidx1.i.i = getelementptr inbounds nuw %struct.Made, ptr @made, i64 %shr.i.i
  br label %for.cond.i74.i

for.cond.i74.i:                                   ; preds = %for.body.i77.i, %for.cond.i74.preheader.i
  %indvars.iv.i75.i = phi i64 [ %indvars.iv.next.i79.i, %for.body.i77.i ], [ 0, %for.cond.i74.preheader.i ]
  %is_same.0.i.i = phi i32 [ %and.i.i, %for.body.i77.i ], [ 1, %for.cond.i74.preheader.i ]
  %exitcond.not.i76.i = icmp eq i64 %indvars.iv.i75.i, 17
  br i1 %exitcond.not.i76.i, label %is_made.exit.i, label %for.body.i77.i

for.body.i77.i:                                   ; preds = %for.cond.i74.i
  %arrayidx.i78.i = getelementptr inbounds nuw i64, ptr %arrayidx1.i.i, i64 %indvars.iv.i75.i
  %18 = load i64, ptr %arrayidx.i78.i, align 8
  %arrayidx3.i.i = getelementptr inbounds nuw i64, ptr %key, i64 %indvars.iv.i75.i
  %19 = load i64, ptr %arrayidx3.i.i, align 8
  %cmp4.i.i = icmp eq i64 %18, %19
  %and.i.i = select i1 %cmp4.i.i, i32 %is_same.0.i.i, i32 0
  %indvars.iv.next.i79.i = add nuw nsw i64 %indvars.iv.i75.i, 1
  br label %for.cond.i74.i

is_made.exit.i:                                   ; preds = %for.cond.i74.i
  %tobool2.not.i = icmp eq i32 %is_same.0.i.i, 0
  br i1 %tobool2.not.i, label %if.else.i, label %for.cond.preheader.i

for.cond.preheader.i:                             ; preds = %is_made.exit.i
  %map3.i = getelementptr inbounds nuw i8, ptr %arrayidx1.i.i, i64 136
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.body.i, %for.cond.preheader.i
  %indvars.iv.i = phi i64 [ 0, %for.cond.preheader.i ], [ %indvars.iv.next.i, %for.body.i ]
  %exitcond.not.i = icmp eq i64 %indvars.iv.i, 16
  br i1 %exitcond.not.i, label %if.end100.thread159, label %for.body.i

if.end100.thread159:                              ; preds = %for.cond.i
  store atomic i8 0, ptr @is_taken release, align 1
  br label %if.end104

for.body.i:                                       ; preds = %for.cond.i
  %arrayidx.i = getelementptr inbounds nuw i64, ptr %map3.i, i64 %indvars.iv.i
  %20 = load i64, ptr %arrayidx.i, align 8
  %arrayidx5.i = getelementptr inbounds nuw i64, ptr %map, i64 %indvars.iv.i
  store i64 %20, ptr %arrayidx5.i, align 8
  %indvars.iv.next.i = add nuw nsw i64 %indvars.iv.i, 1
  br label %for.cond.i

if.else.i:                                        ; preds = %is_made.exit.i
  %21 = load ptr, ptr %1, align 8
  %context.i.i = getelementptr inbounds nuw i8, ptr %1, i64 96
  %22 = load ptr, ptr %context.i.i, align 8
  %call.i.i = tail call i32 %21(ptr noundef %22) #5
  %tobool7.not.i = icmp eq i32 %call.i.i, 0
  br i1 %tobool7.not.i, label %if.then8.i, label %if.end.i147

if.then8.i:                                       ; preds = %if.else.i
  %23 = load ptr, ptr %encode, align 8
  %24 = trunc i64 %form to i32
  %conv.i = and i32 %24, 255
  %25 = lshr i32 %24, 8
  %conv10.i = and i32 %25, 255
  %26 = lshr i32 %24, 16
  %conv13.i = and i32 %26, 255
  %27 = lshr i32 %24, 24
  %shr17.i = lshr i64 %form, 32
  %28 = trunc nuw i64 %shr17.i to i32
  %conv19.i = and i32 %28, 255
  %call20.i = call i32 %23(ptr noundef %map, i32 noundef %conv.i, i32 noundef %conv10.i, ptr noundef %base, ptr noundef nonnull %sizes, ptr noundef nonnull %strides, ptr noundef nonnull %box, ptr noundef nonnull @make_map.steps, i32 noundef 0, i32 noundef %conv13.i, i32 noundef %27, i32 noundef %conv19.i) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %context.i80.i)
  %pop.i.i = getelementptr inbounds nuw i8, ptr %1, i64 8
  %29 = load ptr, ptr %pop.i.i, align 8
  %call.i81.i = call i32 %29(ptr noundef nonnull %context.i80.i) #5
  %tobool.not.i.i = icmp eq i32 %call20.i, 0
  %cond.i.i = select i1 %tobool.not.i.i, i32 %call.i81.i, i32 %call20.i
  call void @llvm.lifetime.end.p0(ptr nonnull %context.i80.i)
  br label %if.end.i147

if.end.i147:                                      ; preds = %if.then8.i, %if.else.i
  %error.0.i = phi i32 [ %call.i.i, %if.else.i ], [ %cond.i.i, %if.then8.i ]
  %tobool27.not.i = icmp eq i32 %error.0.i, 0
  br label %for.cond23.i

for.cond23.i:                                     ; preds = %cond.end.i, %if.end.i147
  %indvars.iv85.i = phi i64 [ %indvars.iv.next86.i, %cond.end.i ], [ 0, %if.end.i147 ]
  %exitcond88.not.i = icmp eq i64 %indvars.iv85.i, 17
  br i1 %exitcond88.not.i, label %for.cond37.preheader.i, label %for.body26.i

for.cond37.preheader.i:                           ; preds = %for.cond23.i
  %map43.i = getelementptr inbounds nuw i8, ptr %arrayidx1.i.i, i64 136
  br label %for.cond37.i

for.body26.i:                                     ; preds = %for.cond23.i
  br i1 %tobool27.not.i, label %cond.false.i, label %cond.end.i

cond.false.i:                                     ; preds = %for.body26.i
  %arrayidx29.i = getelementptr inbounds nuw i64, ptr %key, i64 %indvars.iv85.i
  %30 = load i64, ptr %arrayidx29.i, align 8
  br label %cond.end.i

cond.end.i:                                       ; preds = %cond.false.i, %for.body26.i
  %cond.i = phi i64 [ %30, %cond.false.i ], [ 0, %for.body26.i ]
  %arrayidx32.i = getelementptr inbounds nuw i64, ptr %arrayidx1.i.i, i64 %indvars.iv85.i
  store i64 %cond.i, ptr %arrayidx32.i, align 8
  %indvars.iv.next86.i = add nuw nsw i64 %indvars.iv85.i, 1
  br label %for.cond23.i

for.cond37.i:                                     ; preds = %for.body40.i, %for.cond37.preheader.i
  %indvars.iv89.i = phi i64 [ 0, %for.cond37.preheader.i ], [ %indvars.iv.next90.i, %for.body40.i ]
  %exitcond92.not.i = icmp eq i64 %indvars.iv89.i, 16
  br i1 %exitcond92.not.i, label %if.end100, label %for.body40.i

for.body40.i:                                     ; preds = %for.cond37.i
  %arrayidx42.i = getelementptr inbounds nuw i64, ptr %map, i64 %indvars.iv89.i
  %31 = load i64, ptr %arrayidx42.i, align 8
  %arrayidx45.i = getelementptr inbounds nuw i64, ptr %map43.i, i64 %indvars.iv89.i
  store i64 %31, ptr %arrayidx45.i, align 8
  %indvars.iv.next90.i = add nuw nsw i64 %indvars.iv89.i, 1
  br label %for.cond37.i

if.end100:                                        ; preds = %for.cond37.i
  store atomic i8 0, ptr @is_taken release, align 1
  br i1 %tobool27.not.i, label %if.end104, label %if.then102

if.then102:                                       ; preds = %if.end100
  %.pre = load i64, ptr %status, align 8
  %32 = icmp eq i64 %.pre, 0
  %33 = sext i32 %error.0.i to i64
  br i1 %32, label %if.end.i150, label %if.end104

if.end.i150:                                      ; preds = %for.end93, %if.then102
  %error.0158182 = phi i64 [ %33, %if.then102 ], [ 801, %for.end93 ]
  store i64 1, ptr %status, align 8
  %what3.i151 = getelementptr inbounds nuw i8, ptr %record, i64 16
  store i64 6, ptr %what3.i151, align 8
  %kernel4.i152 = getelementptr inbounds nuw i8, ptr %record, i64 24
  store i64 -1, ptr %kernel4.i152, align 8
  %value5.i153 = getelementptr inbounds nuw i8, ptr %record, i64 32
  store i64 %error.0158182, ptr %value5.i153, align 8
  %limit6.i154 = getelementptr inbounds nuw i8, ptr %record, i64 40
  store i64 0, ptr %limit6.i154, align 8
  br label %if.end104

if.end104:                                        ; preds = %for.cond21, %if.end.i150, %if.then102, %if.end100.thread159, %entry, %fail.exit, %fail.exit145, %if.end100
  ret void
}

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #2

define i64 @kc_gpu_alloc(ptr noundef captures(none) %record, i64 noundef %size) local_unnamed_addr #0 {
entry:
  %context.i21 = alloca ptr, align 8
  %memory = alloca i64, align 8
  %status = getelementptr inbounds nuw i8, ptr %record, i64 8
  %0 = load i64, ptr %status, align 8
  %tobool = icmp ne i64 %0, 0
  %cmp = icmp slt i64 %size, 1
  %or.cond = or i1 %cmp, %tobool
  br i1 %or.cond, label %return, label %if.end

if.end:                                           ; preds = %entry
  %1 = load ptr, ptr %record, align 8
  store i64 0, ptr %memory, align 8
  %2 = load ptr, ptr %1, align 8
  %context.i = getelementptr inbounds nuw i8, ptr %1, i64 96
  %3 = load ptr, ptr %context.i, align 8
  %call.i = tail call i32 %2(ptr noundef %3) #5
  %tobool2.not = icmp eq i32 %call.i, 0
  br i1 %tobool2.not, label %if.end6, label %if.then8

if.end6:                                          ; preds = %if.end
  %alloc = getelementptr inbounds nuw i8, ptr %1, i64 24
  %4 = load ptr, ptr %alloc, align 8
  %stream = getelementptr inbounds nuw i8, ptr %1, i64 104
  %5 = load ptr, ptr %stream, align 8
  %6 = load ptr, ptr %5, align 8
  %call4 = call i32 %4(ptr noundef nonnull %memory, i64 noundef %size, ptr noundef %6) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %context.i21)
  %pop.i = getelementptr inbounds nuw i8, ptr %1, i64 8
  %7 = load ptr, ptr %pop.i, align 8
  %call.i22 = call i32 %7(ptr noundef nonnull %context.i21) #5
  %tobool.not.i = icmp eq i32 %call4, 0
  %cond.i = select i1 %tobool.not.i, i32 %call.i22, i32 %call4
  call void @llvm.lifetime.end.p0(ptr nonnull %context.i21)
  %tobool7.not = icmp eq i32 %cond.i, 0
  br i1 %tobool7.not, label %9, label %if.then8

if.then8:                                         ; preds = %if.end, %if.end6
  %error.026 = phi i32 [ %cond.i, %if.end6 ], [ %call.i, %if.end ]
  %8 = load i64, ptr %status, align 8
  %tobool.not.i23 = icmp eq i64 %8, 0
  br i1 %tobool.not.i23, label %if.end.i, label %return

if.end.i:                                         ; preds = %if.then8
  %conv = sext i32 %error.026 to i64
  store i64 1, ptr %status, align 8
  %what3.i = getelementptr inbounds nuw i8, ptr %record, i64 16
  store i64 1, ptr %what3.i, align 8
  %kernel4.i = getelementptr inbounds nuw i8, ptr %record, i64 24
  store i64 -1, ptr %kernel4.i, align 8
  %value5.i = getelementptr inbounds nuw i8, ptr %record, i64 32
  store i64 %conv, ptr %value5.i, align 8
  %limit6.i = getelementptr inbounds nuw i8, ptr %record, i64 40
  store i64 %size, ptr %limit6.i, align 8
  br label %return

9:                                                ; preds = %if.end6
  %10 = load i64, ptr %memory, align 8
  br label %return

return:                                           ; preds = %if.end.i, %if.then8, %9, %entry
  %retval.0 = phi i64 [ 0, %entry ], [ %10, %9 ], [ 0, %if.then8 ], [ 0, %if.end.i ]
  ret i64 %retval.0
}

define void @kc_gpu_free(ptr noundef captures(none) %record, i64 noundef %memory) local_unnamed_addr #0 {
entry:
  %context.i17 = alloca ptr, align 8
  %tobool.not = icmp eq i64 %memory, 0
  br i1 %tobool.not, label %if.end9, label %if.end

if.end:                                           ; preds = %entry
  %0 = load ptr, ptr %record, align 8
  %1 = load ptr, ptr %0, align 8
  %context.i = getelementptr inbounds nuw i8, ptr %0, i64 96
  %2 = load ptr, ptr %context.i, align 8
  %call.i = tail call i32 %1(ptr noundef %2) #5
  %tobool2.not = icmp eq i32 %call.i, 0
  br i1 %tobool2.not, label %if.end6, label %if.then8

if.end6:                                          ; preds = %if.end
  %free = getelementptr inbounds nuw i8, ptr %0, i64 32
  %3 = load ptr, ptr %free, align 8
  %stream = getelementptr inbounds nuw i8, ptr %0, i64 104
  %4 = load ptr, ptr %stream, align 8
  %5 = load ptr, ptr %4, align 8
  %call4 = tail call i32 %3(i64 noundef %memory, ptr noundef %5) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %context.i17)
  %pop.i = getelementptr inbounds nuw i8, ptr %0, i64 8
  %6 = load ptr, ptr %pop.i, align 8
  %call.i18 = call i32 %6(ptr noundef nonnull %context.i17) #5
  %tobool.not.i = icmp eq i32 %call4, 0
  %cond.i = select i1 %tobool.not.i, i32 %call.i18, i32 %call4
  call void @llvm.lifetime.end.p0(ptr nonnull %context.i17)
  %tobool7.not = icmp eq i32 %cond.i, 0
  br i1 %tobool7.not, label %if.end9, label %if.then8

if.then8:                                         ; preds = %if.end, %if.end6
  %error.022 = phi i32 [ %cond.i, %if.end6 ], [ %call.i, %if.end ]
  %status1.i = getelementptr inbounds nuw i8, ptr %record, i64 8
  %7 = load i64, ptr %status1.i, align 8
  %tobool.not.i19 = icmp eq i64 %7, 0
  br i1 %tobool.not.i19, label %if.end.i, label %if.end9

if.end.i:                                         ; preds = %if.then8
  %conv = sext i32 %error.022 to i64
  store i64 1, ptr %status1.i, align 8
  %what3.i = getelementptr inbounds nuw i8, ptr %record, i64 16
  store i64 2, ptr %what3.i, align 8
  %kernel4.i = getelementptr inbounds nuw i8, ptr %record, i64 24
  store i64 -1, ptr %kernel4.i, align 8
  %value5.i = getelementptr inbounds nuw i8, ptr %record, i64 32
  store i64 %conv, ptr %value5.i, align 8
  %limit6.i = getelementptr inbounds nuw i8, ptr %record, i64 40
  store i64 0, ptr %limit6.i, align 8
  br label %if.end9

if.end9:                                          ; preds = %if.end.i, %if.then8, %entry, %if.end6
  ret void
}

define void @kc_gpu_copy(ptr noundef captures(none) %record, i64 noundef %to, i64 noundef %from, i64 noundef %size) local_unnamed_addr #0 {
entry:
  %context.i19 = alloca ptr, align 8
  %status = getelementptr inbounds nuw i8, ptr %record, i64 8
  %0 = load i64, ptr %status, align 8
  %tobool = icmp ne i64 %0, 0
  %cmp = icmp slt i64 %size, 1
  %or.cond = or i1 %cmp, %tobool
  br i1 %or.cond, label %if.end9, label %if.end

if.end:                                           ; preds = %entry
  %1 = load ptr, ptr %record, align 8
  %2 = load ptr, ptr %1, align 8
  %context.i = getelementptr inbounds nuw i8, ptr %1, i64 96
  %3 = load ptr, ptr %context.i, align 8
  %call.i = tail call i32 %2(ptr noundef %3) #5
  %tobool2.not = icmp eq i32 %call.i, 0
  br i1 %tobool2.not, label %if.end6, label %if.then8

if.end6:                                          ; preds = %if.end
  %copy = getelementptr inbounds nuw i8, ptr %1, i64 40
  %4 = load ptr, ptr %copy, align 8
  %stream = getelementptr inbounds nuw i8, ptr %1, i64 104
  %5 = load ptr, ptr %stream, align 8
  %6 = load ptr, ptr %5, align 8
  %call4 = tail call i32 %4(i64 noundef %to, i64 noundef %from, i64 noundef %size, ptr noundef %6) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %context.i19)
  %pop.i = getelementptr inbounds nuw i8, ptr %1, i64 8
  %7 = load ptr, ptr %pop.i, align 8
  %call.i20 = call i32 %7(ptr noundef nonnull %context.i19) #5
  %tobool.not.i = icmp eq i32 %call4, 0
  %cond.i = select i1 %tobool.not.i, i32 %call.i20, i32 %call4
  call void @llvm.lifetime.end.p0(ptr nonnull %context.i19)
  %tobool7.not = icmp eq i32 %cond.i, 0
  br i1 %tobool7.not, label %if.end9, label %if.then8

if.then8:                                         ; preds = %if.end, %if.end6
  %error.024 = phi i32 [ %cond.i, %if.end6 ], [ %call.i, %if.end ]
  %8 = load i64, ptr %status, align 8
  %tobool.not.i21 = icmp eq i64 %8, 0
  br i1 %tobool.not.i21, label %if.end.i, label %if.end9

if.end.i:                                         ; preds = %if.then8
  %conv = sext i32 %error.024 to i64
  store i64 1, ptr %status, align 8
  %what3.i = getelementptr inbounds nuw i8, ptr %record, i64 16
  store i64 3, ptr %what3.i, align 8
  %kernel4.i = getelementptr inbounds nuw i8, ptr %record, i64 24
  store i64 -1, ptr %kernel4.i, align 8
  %value5.i = getelementptr inbounds nuw i8, ptr %record, i64 32
  store i64 %conv, ptr %value5.i, align 8
  %limit6.i = getelementptr inbounds nuw i8, ptr %record, i64 40
  store i64 %size, ptr %limit6.i, align 8
  br label %if.end9

if.end9:                                          ; preds = %if.end.i, %if.then8, %entry, %if.end6
  ret void
}

define void @kc_gpu_set(ptr noundef captures(none) %record, i64 noundef %to, i64 noundef %value, i64 noundef %width, i64 noundef %count) local_unnamed_addr #0 {
entry:
  %context.i71 = alloca ptr, align 8
  %status = getelementptr inbounds nuw i8, ptr %record, i64 8
  %0 = load i64, ptr %status, align 8
  %tobool = icmp ne i64 %0, 0
  %cmp = icmp slt i64 %count, 1
  %or.cond = or i1 %cmp, %tobool
  br i1 %or.cond, label %if.end36, label %if.end

if.end:                                           ; preds = %entry
  %1 = load ptr, ptr %record, align 8
  %stream2 = getelementptr inbounds nuw i8, ptr %1, i64 104
  %2 = load ptr, ptr %stream2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = load ptr, ptr %1, align 8
  %context.i = getelementptr inbounds nuw i8, ptr %1, i64 96
  %5 = load ptr, ptr %context.i, align 8
  %call.i = tail call i32 %4(ptr noundef %5) #5
  %tobool3.not = icmp eq i32 %call.i, 0
  br i1 %tobool3.not, label %if.then4, label %if.then34

if.then4:                                         ; preds = %if.end
  switch i64 %width, label %if.else19 [
    i64 1, label %if.then6
    i64 2, label %if.then10
    i64 4, label %if.then16
  ]

if.then6:                                         ; preds = %if.then4
  %set8 = getelementptr inbounds nuw i8, ptr %1, i64 48
  %6 = load ptr, ptr %set8, align 8
  %conv = trunc i64 %value to i8
  %call7 = tail call i32 %6(i64 noundef %to, i8 noundef zeroext %conv, i64 noundef %count, ptr noundef %3) #5
  br label %if.end32

if.then10:                                        ; preds = %if.then4
  %set16 = getelementptr inbounds nuw i8, ptr %1, i64 56
  %7 = load ptr, ptr %set16, align 8
  %conv11 = trunc i64 %value to i16
  %call12 = tail call i32 %7(i64 noundef %to, i16 noundef zeroext %conv11, i64 noundef %count, ptr noundef %3) #5
  br label %if.end32

if.then16:                                        ; preds = %if.then4
  %set32 = getelementptr inbounds nuw i8, ptr %1, i64 64
  %8 = load ptr, ptr %set32, align 8
  %conv17 = trunc i64 %value to i32
  %call18 = tail call i32 %8(i64 noundef %to, i32 noundef %conv17, i64 noundef %count, ptr noundef %3) #5
  br label %if.end32

if.else19:                                        ; preds = %if.then4
  %set_rows = getelementptr inbounds nuw i8, ptr %1, i64 72
  %9 = load ptr, ptr %set_rows, align 8
  %conv20 = trunc i64 %value to i32
  %call21 = tail call i32 %9(i64 noundef %to, i64 noundef 8, i32 noundef %conv20, i64 noundef 1, i64 noundef %count, ptr noundef %3) #5
  %tobool22.not = icmp eq i32 %call21, 0
  br i1 %tobool22.not, label %if.then23, label %if.end32

if.then23:                                        ; preds = %if.else19
  %10 = load ptr, ptr %set_rows, align 8
  %add = add i64 %to, 4
  %shr = lshr i64 %value, 32
  %conv25 = trunc nuw i64 %shr to i32
  %call26 = tail call i32 %10(i64 noundef %add, i64 noundef 8, i32 noundef %conv25, i64 noundef 1, i64 noundef %count, ptr noundef %3) #5
  br label %if.end32

if.end32:                                         ; preds = %if.then6, %if.then16, %if.then23, %if.else19, %if.then10
  %error.0 = phi i32 [ %call7, %if.then6 ], [ %call12, %if.then10 ], [ %call18, %if.then16 ], [ %call21, %if.else19 ], [ %call26, %if.then23 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %context.i71)
  %pop.i = getelementptr inbounds nuw i8, ptr %1, i64 8
  %11 = load ptr, ptr %pop.i, align 8
  %call.i72 = call i32 %11(ptr noundef nonnull %context.i71) #5
  %tobool.not.i = icmp eq i32 %error.0, 0
  %cond.i = select i1 %tobool.not.i, i32 %call.i72, i32 %error.0
  call void @llvm.lifetime.end.p0(ptr nonnull %context.i71)
  %tobool33.not = icmp eq i32 %cond.i, 0
  br i1 %tobool33.not, label %if.end36, label %if.then34

if.then34:                                        ; preds = %if.end, %if.end32
  %error.176 = phi i32 [ %cond.i, %if.end32 ], [ %call.i, %if.end ]
  %12 = load i64, ptr %status, align 8
  %tobool.not.i73 = icmp eq i64 %12, 0
  br i1 %tobool.not.i73, label %if.end.i, label %if.end36

if.end.i:                                         ; preds = %if.then34
  %mul = mul nsw i64 %count, %width
  %conv35 = sext i32 %error.176 to i64
  store i64 1, ptr %status, align 8
  %what3.i = getelementptr inbounds nuw i8, ptr %record, i64 16
  store i64 4, ptr %what3.i, align 8
  %kernel4.i = getelementptr inbounds nuw i8, ptr %record, i64 24
  store i64 -1, ptr %kernel4.i, align 8
  %value5.i = getelementptr inbounds nuw i8, ptr %record, i64 32
  store i64 %conv35, ptr %value5.i, align 8
  %limit6.i = getelementptr inbounds nuw i8, ptr %record, i64 40
  store i64 %mul, ptr %limit6.i, align 8
  br label %if.end36

if.end36:                                         ; preds = %if.end.i, %if.then34, %entry, %if.end32
  ret void
}

define void @kc_gpu_wait(ptr noundef captures(none) %record) local_unnamed_addr #0 {
entry:
  %context.i17 = alloca ptr, align 8
  %status = getelementptr inbounds nuw i8, ptr %record, i64 8
  %0 = load i64, ptr %status, align 8
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %if.end, label %if.end9

if.end:                                           ; preds = %entry
  %1 = load ptr, ptr %record, align 8
  %2 = load ptr, ptr %1, align 8
  %context.i = getelementptr inbounds nuw i8, ptr %1, i64 96
  %3 = load ptr, ptr %context.i, align 8
  %call.i = tail call i32 %2(ptr noundef %3) #5
  %tobool2.not = icmp eq i32 %call.i, 0
  br i1 %tobool2.not, label %if.end6, label %if.then8

if.end6:                                          ; preds = %if.end
  %wait = getelementptr inbounds nuw i8, ptr %1, i64 80
  %4 = load ptr, ptr %wait, align 8
  %stream = getelementptr inbounds nuw i8, ptr %1, i64 104
  %5 = load ptr, ptr %stream, align 8
  %6 = load ptr, ptr %5, align 8
  %call4 = tail call i32 %4(ptr noundef %6) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %context.i17)
  %pop.i = getelementptr inbounds nuw i8, ptr %1, i64 8
  %7 = load ptr, ptr %pop.i, align 8
  %call.i18 = call i32 %7(ptr noundef nonnull %context.i17) #5
  %tobool.not.i = icmp eq i32 %call4, 0
  %cond.i = select i1 %tobool.not.i, i32 %call.i18, i32 %call4
  call void @llvm.lifetime.end.p0(ptr nonnull %context.i17)
  %tobool7.not = icmp eq i32 %cond.i, 0
  br i1 %tobool7.not, label %if.end9, label %if.then8

if.then8:                                         ; preds = %if.end, %if.end6
  %error.022 = phi i32 [ %cond.i, %if.end6 ], [ %call.i, %if.end ]
  %8 = load i64, ptr %status, align 8
  %tobool.not.i19 = icmp eq i64 %8, 0
  br i1 %tobool.not.i19, label %if.end.i, label %if.end9

if.end.i:                                         ; preds = %if.then8
  %conv = sext i32 %error.022 to i64
  store i64 1, ptr %status, align 8
  %what3.i = getelementptr inbounds nuw i8, ptr %record, i64 16
  store i64 5, ptr %what3.i, align 8
  %kernel4.i = getelementptr inbounds nuw i8, ptr %record, i64 24
  store i64 -1, ptr %kernel4.i, align 8
  %value5.i = getelementptr inbounds nuw i8, ptr %record, i64 32
  store i64 %conv, ptr %value5.i, align 8
  %limit6.i = getelementptr inbounds nuw i8, ptr %record, i64 40
  store i64 0, ptr %limit6.i, align 8
  br label %if.end9

if.end9:                                          ; preds = %if.end.i, %if.then8, %entry, %if.end6
  ret void
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #3

declare void @llvm.lifetime.end.p0(ptr captures(none)) #3

declare i64 @llvm.smin.i64(i64, i64) #4

declare i64 @llvm.smax.i64(i64, i64) #4

declare i64 @llvm.umin.i64(i64, i64) #4

attributes #0 = { nounwind uwtable }
attributes #1 = { nocallback nofree nosync nounwind willreturn }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nobuiltin nounwind }
attributes #6 = { nobuiltin }
