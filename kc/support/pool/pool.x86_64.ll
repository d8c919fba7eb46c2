; Made by `make native` with clang 22.1.8: do not edit.
; The sha256 of pool.c: 2f3dd87228fa42528f180ff4b6dd4f95e2df2a9764f20571920621d0f23fa4dc

%struct.timespec = type { i64, i64 }
%struct.worker = type { i64, i32, i32 }
%struct.signal_set = type { [16 x i64] }
%struct.cpu_mask = type { [128 x i64] }

@.str = private unnamed_addr constant [20 x i8] c"%s/proc/self/cgroup\00", align 1
@.str.1 = private unnamed_addr constant [2 x i8] c"r\00", align 1
@.str.2 = private unnamed_addr constant [5 x i8] c",%s,\00", align 1
@.str.3 = private unnamed_addr constant [6 x i8] c",cpu,\00", align 1
@.str.4 = private unnamed_addr constant [15 x i8] c"/sys/fs/cgroup\00", align 1
@.str.5 = private unnamed_addr constant [23 x i8] c"/sys/fs/cgroup/unified\00", align 1
@.str.6 = private unnamed_addr constant [19 x i8] c"/sys/fs/cgroup/cpu\00", align 1
@known_pool = internal unnamed_addr global ptr null, align 8
@.str.7 = private unnamed_addr constant [3 x i8] c"%s\00", align 1
@.str.8 = private unnamed_addr constant [15 x i8] c"%s%s%s/cpu.max\00", align 1
@.str.9 = private unnamed_addr constant [24 x i8] c"%s%s%s/cpu.cfs_quota_us\00", align 1
@.str.10 = private unnamed_addr constant [25 x i8] c"%s%s%s/cpu.cfs_period_us\00", align 1
@.str.11 = private unnamed_addr constant [10 x i8] c"%lld %lld\00", align 1
@is_pool.now = internal constant %struct.timespec zeroinitializer, align 8
@.str.12 = private unnamed_addr constant [8 x i8] c"kc-pool\00", align 1
@.str.13 = private unnamed_addr constant [1 x i8] zeroinitializer, align 1
@.str.14 = private unnamed_addr constant [15 x i8] c"KC_NUM_THREADS\00", align 1
@.str.15 = private unnamed_addr constant [69 x i8] c"kc: KC_NUM_THREADS='%s' is ignored: not a whole number from 1 to %d\0A\00", align 1
@.str.16 = private unnamed_addr constant [60 x i8] c"/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list\00", align 1
@.str.17 = private unnamed_addr constant [3 x i8] c"%d\00", align 1
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @unload, ptr null }]

define weak_odr i32 @kc_pool_cpu_quota(ptr noundef %root) local_unnamed_addr #0 {
entry:
  %line = alloca [4096 x i8], align 16
  %list = alloca [4096 x i8], align 16
  %call = call i32 (ptr, i64, ptr, ...) @snprintf(ptr noundef nonnull %line, i64 noundef 4096, ptr noundef nonnull @.str, ptr noundef %root) #10
  %call2 = call ptr @fopen(ptr noundef nonnull %line, ptr noundef nonnull @.str.1) #10
  %tobool.not = icmp eq ptr %call2, null
  br i1 %tobool.not, label %return, label %while.cond.outer

while.cond.outer:                                 ; preds = %entry, %if.end28
  %quota.0.ph = phi i64 [ %cond.i59, %if.end28 ], [ 9223372036854775807, %entry ]
  br label %while.cond

while.cond:                                       ; preds = %while.cond.backedge, %while.cond.outer
  %call4 = call ptr @fgets(ptr noundef nonnull %line, i32 noundef 4096, ptr noundef nonnull %call2) #10
  %tobool5.not = icmp eq ptr %call4, null
  br i1 %tobool5.not, label %while.end, label %while.body

while.body:                                       ; preds = %while.cond
  %call7 = call ptr @strchr(ptr noundef nonnull %line, i32 noundef 10) #10
  %tobool8.not = icmp eq ptr %call7, null
  br i1 %tobool8.not, label %if.end10, label %if.then9

if.then9:                                         ; preds = %while.body
  store i8 0, ptr %call7, align 1
  br label %if.end10

if.end10:                                         ; preds = %if.then9, %while.body
  %call12 = call ptr @strchr(ptr noundef nonnull %line, i32 noundef 58) #10
  %tobool13.not = icmp eq ptr %call12, null
  br i1 %tobool13.not, label %while.cond.backedge, label %cond.end

while.cond.backedge:                              ; preds = %if.end10, %cond.end, %if.then19
  br label %while.cond

cond.end:                                         ; preds = %if.end10
  %add.ptr = getelementptr inbounds nuw i8, ptr %call12, i64 1
  %call14 = call ptr @strchr(ptr noundef nonnull %add.ptr, i32 noundef 58) #10
  %tobool15.not = icmp eq ptr %call14, null
  br i1 %tobool15.not, label %while.cond.backedge, label %if.end17

if.end17:                                         ; preds = %cond.end
  store i8 0, ptr %call14, align 1
  %arrayidx = getelementptr inbounds nuw i8, ptr %call12, i64 1
  %0 = load i8, ptr %arrayidx, align 1
  %tobool18.not = icmp eq i8 %0, 0
  br i1 %tobool18.not, label %if.end28, label %if.then19

if.then19:                                        ; preds = %if.end17
  %call22 = call i32 (ptr, i64, ptr, ...) @snprintf(ptr noundef nonnull %list, i64 noundef 4096, ptr noundef nonnull @.str.2, ptr noundef nonnull %arrayidx) #10
  %call24 = call ptr @strstr(ptr noundef nonnull %list, ptr noundef nonnull @.str.3) #10
  %tobool25.not = icmp eq ptr %call24, null
  br i1 %tobool25.not, label %while.cond.backedge, label %if.end28

if.end28:                                         ; preds = %if.then19, %if.end17
  %incdec.ptr.le = getelementptr inbounds nuw i8, ptr %call14, i64 1
  %call29 = call fastcc i64 @least_quota(ptr noundef %root, ptr noundef nonnull @.str.4, ptr noundef %incdec.ptr.le) #11
  %cond.i = call noundef i64 @llvm.smin.i64(i64 %quota.0.ph, i64 %call29)
  %call31 = call fastcc i64 @least_quota(ptr noundef %root, ptr noundef nonnull @.str.5, ptr noundef %incdec.ptr.le) #11
  %cond.i58 = call noundef i64 @llvm.smin.i64(i64 %cond.i, i64 %call31)
  %call33 = call fastcc i64 @least_quota(ptr noundef %root, ptr noundef nonnull @.str.6, ptr noundef %incdec.ptr.le) #11
  %cond.i59 = call noundef i64 @llvm.smin.i64(i64 %cond.i58, i64 %call33)
  br label %while.cond.outer

while.end:                                        ; preds = %while.cond
  %call35 = call i32 @fclose(ptr noundef nonnull %call2) #10
  %cmp = icmp eq i64 %quota.0.ph, 9223372036854775807
  br i1 %cmp, label %return, label %cond.false37

cond.false37:                                     ; preds = %while.end
  %cond.i60 = call noundef i64 @llvm.smin.i64(i64 %quota.0.ph, i64 1024)
  %conv = trunc nuw nsw i64 %cond.i60 to i32
  br label %return

return:                                           ; preds = %cond.false37, %while.end, %entry
  %retval.0 = phi i32 [ 0, %entry ], [ %conv, %cond.false37 ], [ 0, %while.end ]
  ret i32 %retval.0
}

declare i32 @snprintf(ptr noundef, i64 noundef, ptr noundef, ...) local_unnamed_addr

declare ptr @fopen(ptr noundef, ptr noundef) local_unnamed_addr

declare ptr @fgets(ptr noundef, i32 noundef, ptr noundef) local_unnamed_addr

declare ptr @strchr(ptr noundef, i32 noundef) local_unnamed_addr

declare ptr @strstr(ptr noundef, ptr noundef) local_unnamed_addr

define internal fastcc range(i64 1, -9223372036854775808) i64 @least_quota(ptr noundef %root, ptr noundef %mount, ptr noundef nonnull %group) unnamed_addr #0 {
entry:
  %path.i = alloca [8192 x i8], align 16
  %quota.i = alloca i64, align 8
  %period.i = alloca i64, align 8
  %rest.i = alloca i64, align 8
  %path = alloca [4096 x i8], align 16
  %call = call i32 (ptr, i64, ptr, ...) @snprintf(ptr noundef nonnull %path, i64 noundef 4096, ptr noundef nonnull @.str.7, ptr noundef nonnull %group) #10
  br label %for.cond

for.cond:                                         ; preds = %if.end, %entry
  %quota.0 = phi i64 [ 9223372036854775807, %entry ], [ %retval.0.i, %if.end ]
  call void @llvm.lifetime.start.p0(ptr nonnull %path.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %quota.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %period.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %rest.i)
  store i64 0, ptr %quota.i, align 8
  store i64 0, ptr %period.i, align 8
  %call.i = call i32 (ptr, i64, ptr, ...) @snprintf(ptr noundef nonnull %path.i, i64 noundef 8192, ptr noundef nonnull @.str.8, ptr noundef %root, ptr noundef %mount, ptr noundef nonnull %path) #10
  %call2.i = call fastcc i32 @read_numbers(ptr noundef %path.i, ptr noundef %quota.i, ptr noundef %period.i) #11
  %cmp.not.i = icmp eq i32 %call2.i, 2
  br i1 %cmp.not.i, label %if.end.i, label %if.then.i

if.then.i:                                        ; preds = %for.cond
  %call4.i = call i32 (ptr, i64, ptr, ...) @snprintf(ptr noundef nonnull %path.i, i64 noundef 8192, ptr noundef nonnull @.str.9, ptr noundef %root, ptr noundef %mount, ptr noundef nonnull %path) #10
  %call6.i = call fastcc i32 @read_numbers(ptr noundef %path.i, ptr noundef %quota.i, ptr noundef %rest.i) #11
  %call8.i = call i32 (ptr, i64, ptr, ...) @snprintf(ptr noundef nonnull %path.i, i64 noundef 8192, ptr noundef nonnull @.str.10, ptr noundef %root, ptr noundef %mount, ptr noundef nonnull %path) #10
  %call10.i = call fastcc i32 @read_numbers(ptr noundef %path.i, ptr noundef %period.i, ptr noundef %rest.i) #11
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %for.cond
  %0 = load i64, ptr %quota.i, align 8
  %cmp11.i = icmp slt i64 %0, 1
  %1 = load i64, ptr %period.i, align 8
  %cmp12.i = icmp slt i64 %1, 1
  %or.cond.i = select i1 %cmp11.i, i1 true, i1 %cmp12.i
  br i1 %or.cond.i, label %group_quota.exit, label %if.end14.i

if.end14.i:                                       ; preds = %if.end.i
  %sub.i = add nsw i64 %0, -1
  %div.i = udiv i64 %sub.i, %1
  %add.i = add nuw nsw i64 %div.i, 1
  %2 = call i64 @llvm.smin.i64(i64 %quota.0, i64 %add.i)
  br label %group_quota.exit

group_quota.exit:                                 ; preds = %if.end.i, %if.end14.i
  %retval.0.i = phi i64 [ %2, %if.end14.i ], [ %quota.0, %if.end.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %path.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %quota.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %period.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %rest.i)
  %call5 = call ptr @strrchr(ptr noundef nonnull %path, i32 noundef 47) #10
  %tobool.not = icmp eq ptr %call5, null
  br i1 %tobool.not, label %if.then, label %if.end

if.then:                                          ; preds = %group_quota.exit
  ret i64 %retval.0.i

if.end:                                           ; preds = %group_quota.exit
  store i8 0, ptr %call5, align 1
  br label %for.cond
}

declare i32 @fclose(ptr noundef) local_unnamed_addr

define internal void @unload() #0 {
entry:
  %0 = load atomic i64, ptr @known_pool acquire, align 8
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %call = tail call fastcc ptr @get_pool() #11
  %call1 = tail call fastcc zeroext i1 @take_lock(ptr noundef %call) #11
  br i1 %call1, label %if.end3, label %return

if.end3:                                          ; preds = %if.end
  %owner = getelementptr inbounds nuw i8, ptr %call, i64 392
  %1 = load ptr, ptr %owner, align 8
  %cmp = icmp eq ptr %1, @run_worker
  br i1 %cmp, label %if.then4, label %if.end5

if.then4:                                         ; preds = %if.end3
  tail call fastcc void @stop(ptr noundef nonnull %call) #11
  br label %if.end5

if.end5:                                          ; preds = %if.then4, %if.end3
  %lock.i = getelementptr inbounds nuw i8, ptr %call, i64 384
  store atomic i64 0, ptr %lock.i release, align 128
  br label %return

return:                                           ; preds = %if.end, %entry, %if.end5
  ret void
}

define internal fastcc ptr @get_pool() unnamed_addr #0 {
entry:
  %0 = load atomic i64, ptr @known_pool acquire, align 8
  %1 = inttoptr i64 %0 to ptr
  %tobool.not = icmp eq i64 %0, 0
  br i1 %tobool.not, label %if.then, label %if.end4

if.then:                                          ; preds = %entry
  %call.i = tail call i64 @getauxval(i64 noundef 25) #10
  %tobool.not.i = icmp eq i64 %call.i, 0
  br i1 %tobool.not.i, label %if.end14.i, label %if.then.i

if.then.i:                                        ; preds = %if.then
  %2 = inttoptr i64 %call.i to ptr
  %low.0.copyload.i = load i64, ptr %2, align 1
  %add.ptr.i = getelementptr inbounds nuw i8, ptr %2, i64 8
  %high.0.copyload.i = load i64, ptr %add.ptr.i, align 1
  %or.i = tail call i64 @llvm.fshl.i64(i64 %high.0.copyload.i, i64 %high.0.copyload.i, i64 32)
  %xor.i = xor i64 %or.i, %low.0.copyload.i
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.inc.i, %if.then.i
  %k.0.i = phi i32 [ 0, %if.then.i ], [ %inc.i, %for.inc.i ]
  %hash.0.i = phi i64 [ %xor.i, %if.then.i ], [ %add.i, %for.inc.i ]
  %exitcond.not.i = icmp eq i32 %k.0.i, 8
  br i1 %exitcond.not.i, label %if.end14.i, label %for.body.i

for.body.i:                                       ; preds = %for.cond.i
  %mul.i = mul i64 %hash.0.i, 6364136223846793005
  %add.i = add i64 %mul.i, 1442695040888963407
  %3 = lshr i64 %add.i, 26
  %add2.i = and i64 %3, 274877841408
  %shl3.i = add nuw nsw i64 %add2.i, 68719476736
  %4 = inttoptr i64 %shl3.i to ptr
  %call4.i = tail call ptr @mmap(ptr noundef nonnull %4, i64 noundef 131072, i32 noundef 3, i32 noundef 1064994, i32 noundef -1, i64 noundef 0) #10
  %cmp5.i = icmp eq ptr %call4.i, %4
  br i1 %cmp5.i, label %return.sink.split.i, label %if.end.i

if.end.i:                                         ; preds = %for.body.i
  %cmp7.not.i = icmp eq ptr %call4.i, inttoptr (i64 -1 to ptr)
  br i1 %cmp7.not.i, label %for.cond.i.i.preheader, label %if.then8.i

if.then8.i:                                       ; preds = %if.end.i
  %call9.i = tail call i32 @munmap(ptr noundef %call4.i, i64 noundef 131072) #10
  br label %for.cond.i.i.preheader

for.cond.i.i.preheader:                           ; preds = %if.then8.i, %if.end.i
  br label %for.cond.i.i

for.cond.i.i:                                     ; preds = %for.cond.i.i.preheader, %for.inc.i.i
  %tries.0.i.i = phi i32 [ %inc.i.i, %for.inc.i.i ], [ 0, %for.cond.i.i.preheader ]
  %exitcond.not.i.i = icmp eq i32 %tries.0.i.i, 1001
  br i1 %exitcond.not.i.i, label %for.inc.i, label %for.body.i.i

for.body.i.i:                                     ; preds = %for.cond.i.i
  tail call fastcc void @futex_wait(ptr noundef nonnull %4, i64 noundef 1801650178, ptr noundef nonnull @is_pool.now) #11
  %call.i.i = tail call ptr @__errno_location() #10
  %5 = load i32, ptr %call.i.i, align 4
  switch i32 %5, label %for.inc.i [
    i32 110, label %if.end
    i32 11, label %if.end4.i.i
  ]

if.end4.i.i:                                      ; preds = %for.body.i.i
  %cmp5.not.i.i = icmp eq i32 %tries.0.i.i, 1000
  br i1 %cmp5.not.i.i, label %for.inc.i.i, label %if.then6.i.i

if.then6.i.i:                                     ; preds = %if.end4.i.i
  %call7.i.i = tail call i32 @sched_yield() #10
  br label %for.inc.i.i

for.inc.i.i:                                      ; preds = %if.then6.i.i, %if.end4.i.i
  %inc.i.i = add nuw nsw i32 %tries.0.i.i, 1
  br label %for.cond.i.i

for.inc.i:                                        ; preds = %for.body.i.i, %for.cond.i.i
  %inc.i = add nuw nsw i32 %k.0.i, 1
  br label %for.cond.i

if.end14.i:                                       ; preds = %for.cond.i, %if.then
  %call16.i = tail call ptr @mmap(ptr noundef null, i64 noundef 131072, i32 noundef 3, i32 noundef 16418, i32 noundef -1, i64 noundef 0) #10
  %cmp17.i = icmp eq ptr %call16.i, inttoptr (i64 -1 to ptr)
  br i1 %cmp17.i, label %return, label %return.sink.split.i

return.sink.split.i:                              ; preds = %for.body.i, %if.end14.i
  %call16.sink.i = phi ptr [ %call16.i, %if.end14.i ], [ %4, %for.body.i ]
  %add.ptr.i28 = getelementptr inbounds nuw i8, ptr %call16.sink.i, i64 65536
  %call.i29 = tail call i32 @madvise(ptr noundef nonnull %add.ptr.i28, i64 noundef 65536, i32 noundef 18) #10
  %tobool.not.i30 = icmp eq i32 %call.i29, 0
  %call1.i = tail call i32 @madvise(ptr noundef nonnull %add.ptr.i28, i64 noundef 65536, i32 noundef -1) #10
  %cmp.i = icmp ne i32 %call1.i, 0
  %or.cond.i = select i1 %tobool.not.i30, i1 %cmp.i, i1 false
  br i1 %or.cond.i, label %make_pool.exit, label %if.then.i31

if.then.i31:                                      ; preds = %return.sink.split.i
  %pid.i = getelementptr inbounds nuw i8, ptr %call16.sink.i, i64 12
  %call4.i32 = tail call i32 @getpid() #10
  store atomic i32 %call4.i32, ptr %pid.i monotonic, align 4
  br label %make_pool.exit

make_pool.exit:                                   ; preds = %return.sink.split.i, %if.then.i31
  store atomic i32 1801650178, ptr %call16.sink.i release, align 4
  br label %if.end

if.end:                                           ; preds = %for.body.i.i, %make_pool.exit
  %retval.0.i.ph = phi ptr [ %call16.sink.i, %make_pool.exit ], [ %4, %for.body.i.i ]
  %6 = load atomic i32, ptr %retval.0.i.ph acquire, align 4
  %add.ptr = getelementptr inbounds nuw i8, ptr %retval.0.i.ph, i64 65536
  %7 = ptrtoint ptr %add.ptr to i64
  store atomic i64 %7, ptr @known_pool release, align 8
  br label %if.end4

if.end4:                                          ; preds = %if.end, %entry
  %pool.0 = phi ptr [ %1, %entry ], [ %add.ptr, %if.end ]
  %pid7 = getelementptr inbounds i8, ptr %pool.0, i64 -65524
  %8 = load atomic i32, ptr %pid7 monotonic, align 4
  %tobool9.not = icmp eq i32 %8, 0
  br i1 %tobool9.not, label %return, label %if.then10

if.then10:                                        ; preds = %if.end4
  %call11 = tail call i32 @getpid() #10
  %cmp.not = icmp eq i32 %call11, %8
  br i1 %cmp.not, label %return, label %if.then12

if.then12:                                        ; preds = %if.then10
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 128 dereferenceable(65536) %pool.0, i8 0, i64 65536, i1 false)
  store atomic i32 %call11, ptr %pid7 monotonic, align 4
  br label %return

return:                                           ; preds = %if.end14.i, %if.end4, %if.then12, %if.then10
  %retval.0 = phi ptr [ %pool.0, %if.end4 ], [ %pool.0, %if.then10 ], [ %pool.0, %if.then12 ], [ null, %if.end14.i ]
  ret ptr %retval.0
}

define internal fastcc zeroext i1 @take_lock(ptr noundef captures(none) %pool) unnamed_addr #0 {
entry:
  %call = tail call i64 @pthread_self() #10
  %lock = getelementptr inbounds nuw i8, ptr %pool, i64 384
  %count = getelementptr inbounds nuw i8, ptr %pool, i64 416
  %workers = getelementptr inbounds nuw i8, ptr %pool, i64 424
  br label %for.cond

for.cond:                                         ; preds = %if.end11, %entry
  %tries.0 = phi i32 [ 0, %entry ], [ %inc14, %if.end11 ]
  %0 = cmpxchg ptr %lock, i64 0, i64 %call acquire monotonic, align 128
  %1 = extractvalue { i64, i1 } %0, 1
  %2 = extractvalue { i64, i1 } %0, 0
  %cmp = icmp eq i64 %2, %call
  %or.cond = select i1 %1, i1 true, i1 %cmp
  br i1 %or.cond, label %return, label %for.cond3

for.cond3:                                        ; preds = %for.cond, %for.body
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 0, %for.cond ]
  %3 = load atomic i32, ptr %count acquire, align 32
  %4 = sext i32 %3 to i64
  %cmp4 = icmp slt i64 %indvars.iv, %4
  br i1 %cmp4, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond3
  %arrayidx = getelementptr inbounds nuw %struct.worker, ptr %workers, i64 %indvars.iv
  %5 = load atomic i64, ptr %arrayidx monotonic, align 8
  %cmp6 = icmp eq i64 %5, %call
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br i1 %cmp6, label %return, label %for.cond3

for.end:                                          ; preds = %for.cond3
  %cmp9 = icmp eq i32 %tries.0, 12000
  br i1 %cmp9, label %return, label %if.end11

if.end11:                                         ; preds = %for.end
  %call12 = tail call i32 @usleep(i32 noundef 100) #10
  %inc14 = add nuw nsw i32 %tries.0, 1
  br label %for.cond

return:                                           ; preds = %for.end, %for.cond, %for.body
  %6 = phi i1 [ false, %for.body ], [ %1, %for.cond ], [ false, %for.end ]
  ret i1 %6
}

define internal noalias noundef ptr @run_worker(ptr noundef %argument) #0 {
entry:
  %0 = load atomic i64, ptr @known_pool acquire, align 8
  %call = tail call i32 (i32, ...) @prctl(i32 noundef 15, ptr noundef nonnull @.str.12, i64 noundef 0, i64 noundef 0, i64 noundef 0) #10
  %tid = getelementptr inbounds nuw i8, ptr %argument, i64 8
  %call1 = tail call i64 (i64, ...) @syscall(i64 noundef 186) #10
  %conv = trunc i64 %call1 to i32
  %1 = atomicrmw xchg ptr %tid, i32 %conv seq_cst, align 8
  %cpu3 = getelementptr inbounds nuw i8, ptr %argument, i64 12
  br label %do.body

do.body:                                          ; preds = %do.body, %entry
  %2 = load atomic i32, ptr %cpu3 seq_cst, align 4
  tail call fastcc void @pin(i32 noundef 0, i32 noundef %2) #11
  %3 = load atomic i32, ptr %cpu3 seq_cst, align 4
  %cmp.not = icmp eq i32 %2, %3
  br i1 %cmp.not, label %for.cond.preheader, label %do.body

for.cond.preheader:                               ; preds = %do.body
  %4 = inttoptr i64 %0 to ptr
  %stop.i = getelementptr inbounds nuw i8, ptr %4, i64 48
  %spin.i = getelementptr inbounds nuw i8, ptr %4, i64 400
  %wakes.i = getelementptr inbounds nuw i8, ptr %4, i64 260
  %sleepers.i = getelementptr inbounds nuw i8, ptr %4, i64 256
  %workers = getelementptr inbounds nuw i8, ptr %4, i64 424
  %sub.ptr.lhs.cast = ptrtoint ptr %argument to i64
  %sub.ptr.rhs.cast = ptrtoint ptr %workers to i64
  %sub.ptr.sub = sub i64 %sub.ptr.lhs.cast, %sub.ptr.rhs.cast
  %sub.ptr.div = ashr exact i64 %sub.ptr.sub, 4
  %add = add nsw i64 %sub.ptr.div, 1
  %done.i = getelementptr inbounds nuw i8, ptr %4, i64 128
  %waiting.i = getelementptr inbounds nuw i8, ptr %4, i64 136
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.cond.i.backedge, %for.cond.preheader
  %i.0.i = phi i32 [ 1, %for.cond.preheader ], [ %i.0.i.be, %for.cond.i.backedge ]
  %until.0.i = phi i64 [ 0, %for.cond.preheader ], [ %until.0.i.be, %for.cond.i.backedge ]
  %5 = load atomic i64, ptr %4 monotonic, align 128
  %cmp.i = icmp slt i64 %5, 1
  br i1 %cmp.i, label %land.rhs.i, label %await_job.exit

land.rhs.i:                                       ; preds = %for.cond.i
  %6 = load atomic i32, ptr %stop.i acquire, align 16
  %tobool.not.i = icmp eq i32 %6, 0
  br i1 %tobool.not.i, label %for.body.i, label %await_job.exit

for.body.i:                                       ; preds = %land.rhs.i
  tail call void @llvm.x86.sse2.pause()
  %rem.i = and i32 %i.0.i, 63
  %tobool2.not.i = icmp eq i32 %rem.i, 0
  br i1 %tobool2.not.i, label %if.end.i, label %for.inc.i

if.end.i:                                         ; preds = %for.body.i
  %call.i = tail call fastcc i64 @clock_ns() #11
  %tobool3.not.i = icmp eq i64 %until.0.i, 0
  br i1 %tobool3.not.i, label %if.then4.i, label %if.end5.i

if.then4.i:                                       ; preds = %if.end.i
  %7 = load i64, ptr %spin.i, align 16
  %add.i = add nsw i64 %7, %call.i
  br label %if.end5.i

if.end5.i:                                        ; preds = %if.then4.i, %if.end.i
  %until.1.i = phi i64 [ %until.0.i, %if.end.i ], [ %add.i, %if.then4.i ]
  %cmp6.not.i = icmp slt i64 %call.i, %until.1.i
  br i1 %cmp6.not.i, label %for.inc.i, label %await_job.exit

for.inc.i:                                        ; preds = %if.end5.i, %for.body.i
  %until.2.i = phi i64 [ %until.0.i, %for.body.i ], [ %until.1.i, %if.end5.i ]
  %inc.i = add i32 %i.0.i, 1
  br label %for.cond.i.backedge

for.cond.i.backedge:                              ; preds = %for.inc.i, %if.then.i, %if.then12, %if.then, %sleep_until_job.exit
  %i.0.i.be = phi i32 [ %inc.i, %for.inc.i ], [ 1, %if.then.i ], [ 1, %if.then12 ], [ 1, %if.then ], [ 1, %sleep_until_job.exit ]
  %until.0.i.be = phi i64 [ %until.2.i, %for.inc.i ], [ 0, %if.then.i ], [ 0, %if.then12 ], [ 0, %if.then ], [ 0, %sleep_until_job.exit ]
  br label %for.cond.i

await_job.exit:                                   ; preds = %for.cond.i, %land.rhs.i, %if.end5.i
  %8 = load atomic i64, ptr %4 monotonic, align 128
  %cmp9 = icmp sgt i64 %8, 0
  br i1 %cmp9, label %if.then, label %if.else

if.then:                                          ; preds = %await_job.exit
  %call11 = tail call fastcc i64 @run_chunks(ptr noundef nonnull %4, i64 noundef %add) #11
  %tobool.not = icmp eq i64 %call11, 0
  br i1 %tobool.not, label %for.cond.i.backedge, label %if.then12

if.then12:                                        ; preds = %if.then
  %9 = atomicrmw add ptr %done.i, i64 %call11 seq_cst, align 128
  %10 = load atomic i32, ptr %waiting.i seq_cst, align 8
  %tobool.not.i30 = icmp eq i32 %10, 0
  br i1 %tobool.not.i30, label %for.cond.i.backedge, label %if.then.i

if.then.i:                                        ; preds = %if.then12
  store atomic i32 0, ptr %waiting.i monotonic, align 8
  tail call fastcc void @futex_wake(ptr noundef nonnull %waiting.i, i64 noundef 1) #11
  br label %for.cond.i.backedge

if.else:                                          ; preds = %await_job.exit
  %11 = load atomic i32, ptr %stop.i acquire, align 16
  %tobool14.not = icmp eq i32 %11, 0
  br i1 %tobool14.not, label %if.else16, label %if.then15

if.then15:                                        ; preds = %if.else
  ret ptr null

if.else16:                                        ; preds = %if.else
  %12 = load atomic i32, ptr %wakes.i acquire, align 4
  %13 = atomicrmw add ptr %sleepers.i, i32 1 seq_cst, align 128
  %14 = load atomic i64, ptr %4 seq_cst, align 128
  %cmp.i32 = icmp sgt i64 %14, 0
  %15 = load atomic i32, ptr %stop.i seq_cst, align 16
  %tobool.i = icmp ne i32 %15, 0
  %or.cond.i = select i1 %cmp.i32, i1 true, i1 %tobool.i
  br i1 %or.cond.i, label %sleep_until_job.exit, label %if.then.i33

if.then.i33:                                      ; preds = %if.else16
  %conv.i = sext i32 %12 to i64
  tail call fastcc void @futex_wait(ptr noundef nonnull %wakes.i, i64 noundef %conv.i, ptr noundef null) #11
  br label %sleep_until_job.exit

sleep_until_job.exit:                             ; preds = %if.else16, %if.then.i33
  %16 = atomicrmw sub ptr %sleepers.i, i32 1 seq_cst, align 128
  br label %for.cond.i.backedge
}

define internal fastcc void @stop(ptr noundef %pool) unnamed_addr #0 {
entry:
  %count1 = getelementptr inbounds nuw i8, ptr %pool, i64 416
  %0 = load atomic i32, ptr %count1 monotonic, align 32
  %stop = getelementptr inbounds nuw i8, ptr %pool, i64 48
  %1 = atomicrmw xchg ptr %stop, i32 1 seq_cst, align 16
  tail call fastcc void @wake(ptr noundef %pool, i64 noundef 1024) #11
  %workers = getelementptr inbounds nuw i8, ptr %pool, i64 424
  %smax = tail call i32 @llvm.smax.i32(i32 %0, i32 0)
  %wide.trip.count = zext nneg i32 %smax to i64
  br label %for.cond

for.cond:                                         ; preds = %for.body, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 0, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw %struct.worker, ptr %workers, i64 %indvars.iv
  %2 = load atomic i64, ptr %arrayidx monotonic, align 8
  %call = tail call i32 @pthread_join(i64 noundef %2, ptr noundef null) #10
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

for.end:                                          ; preds = %for.cond
  store atomic i32 0, ptr %count1 release, align 32
  store atomic i32 0, ptr %stop release, align 16
  %started = getelementptr inbounds nuw i8, ptr %pool, i64 412
  store i32 0, ptr %started, align 4
  %threads = getelementptr inbounds nuw i8, ptr %pool, i64 408
  store atomic i32 0, ptr %threads release, align 8
  ret void
}

define weak_odr void @kc_parallel_for(ptr noundef %body, ptr noundef %ctx, i64 noundef %n, i64 noundef %grain) local_unnamed_addr #0 {
entry:
  %cmp = icmp slt i64 %n, 1
  br i1 %cmp, label %return, label %if.end

if.end:                                           ; preds = %entry
  %cmp1.not = icmp ne i64 %n, 1
  %cmp2 = icmp slt i64 %grain, %n
  %or.cond = and i1 %cmp1.not, %cmp2
  br i1 %or.cond, label %land.lhs.true3, label %if.end5

land.lhs.true3:                                   ; preds = %if.end
  %call = tail call fastcc zeroext i1 @run_parallel(ptr noundef %body, ptr noundef null, ptr noundef %ctx, i64 noundef %n, i64 noundef %grain, i64 noundef 1024) #11
  br i1 %call, label %return, label %if.end5

if.end5:                                          ; preds = %land.lhs.true3, %if.end
  tail call void %body(i64 noundef 0, i64 noundef %n, ptr noundef %ctx) #10
  br label %return

return:                                           ; preds = %land.lhs.true3, %entry, %if.end5
  ret void
}

define internal fastcc noundef zeroext i1 @run_parallel(ptr noundef %body, ptr noundef %numbered, ptr noundef %ctx, i64 noundef range(i64 2, -9223372036854775808) %n, i64 noundef range(i64 -9223372036854775808, 9223372036854775807) %grain, i64 noundef %most) unnamed_addr #0 {
entry:
  %blocked.i = alloca %struct.signal_set, align 8
  %before.i = alloca %struct.signal_set, align 8
  %thread.i = alloca i64, align 8
  %call = tail call fastcc ptr @get_pool() #11
  %tobool.not = icmp eq ptr %call, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %lock = getelementptr inbounds nuw i8, ptr %call, i64 384
  %call1 = tail call i64 @pthread_self() #10
  %0 = cmpxchg ptr %lock, i64 0, i64 %call1 acquire monotonic, align 128
  %1 = extractvalue { i64, i1 } %0, 1
  br i1 %1, label %if.end3, label %return

if.end3:                                          ; preds = %if.end
  %started = getelementptr inbounds nuw i8, ptr %call, i64 412
  %2 = load i32, ptr %started, align 4
  %tobool4.not = icmp eq i32 %2, 0
  br i1 %tobool4.not, label %if.then5, label %if.end6

if.then5:                                         ; preds = %if.end3
  call void @llvm.lifetime.start.p0(ptr nonnull %blocked.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %before.i)
  call void @llvm.lifetime.start.p0(ptr nonnull %thread.i)
  %threads.i = getelementptr inbounds nuw i8, ptr %call, i64 408
  %3 = load atomic i32, ptr %threads.i monotonic, align 8
  %tobool.not.i = icmp eq i32 %3, 0
  br i1 %tobool.not.i, label %if.then.i, label %if.end.i

if.then.i:                                        ; preds = %if.then5
  tail call fastcc void @plan(ptr noundef nonnull %call) #11
  br label %if.end.i

if.end.i:                                         ; preds = %if.then.i, %if.then5
  %4 = load atomic i32, ptr %threads.i monotonic, align 8
  %sub.i = add i32 %4, -1
  %5 = getelementptr inbounds nuw i8, ptr %blocked.i, i64 8
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(120) %5, i8 -1, i64 120, i1 false)
  store i64 -1073743065, ptr %blocked.i, align 8
  %call.i = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %blocked.i, ptr noundef nonnull %before.i) #10
  %workers.i = getelementptr inbounds nuw i8, ptr %call, i64 424
  %smax.i = call i32 @llvm.smax.i32(i32 %sub.i, i32 0)
  %wide.trip.count.i = zext nneg i32 %smax.i to i64
  br label %for.cond.i

for.cond.i:                                       ; preds = %if.end7.i, %if.end.i
  %indvars.iv.i = phi i64 [ %indvars.iv.next.i, %if.end7.i ], [ 0, %if.end.i ]
  %exitcond.not.i = icmp eq i64 %indvars.iv.i, %wide.trip.count.i
  br i1 %exitcond.not.i, label %start.exit, label %for.body.i

for.body.i:                                       ; preds = %for.cond.i
  %arrayidx3.i = getelementptr inbounds nuw %struct.worker, ptr %workers.i, i64 %indvars.iv.i
  %tid.i = getelementptr inbounds nuw i8, ptr %arrayidx3.i, i64 8
  store atomic i32 0, ptr %tid.i monotonic, align 8
  %call4.i = call i32 @pthread_create(ptr noundef nonnull %thread.i, ptr noundef null, ptr noundef nonnull @run_worker, ptr noundef nonnull %arrayidx3.i) #10
  %tobool5.not.i = icmp eq i32 %call4.i, 0
  br i1 %tobool5.not.i, label %if.end7.i, label %for.end.split.loop.exit.i

if.end7.i:                                        ; preds = %for.body.i
  %6 = load i64, ptr %thread.i, align 8
  store atomic i64 %6, ptr %arrayidx3.i monotonic, align 8
  %indvars.iv.next.i = add nuw nsw i64 %indvars.iv.i, 1
  br label %for.cond.i

for.end.split.loop.exit.i:                        ; preds = %for.body.i
  %7 = trunc nuw nsw i64 %indvars.iv.i to i32
  br label %start.exit

start.exit:                                       ; preds = %for.cond.i, %for.end.split.loop.exit.i
  %count.0.lcssa.i = phi i32 [ %7, %for.end.split.loop.exit.i ], [ %smax.i, %for.cond.i ]
  %call10.i = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %before.i, ptr noundef null) #10
  %add.i = add nuw nsw i32 %count.0.lcssa.i, 1
  store atomic i32 %add.i, ptr %threads.i release, align 8
  %count13.i = getelementptr inbounds nuw i8, ptr %call, i64 416
  store atomic i32 %count.0.lcssa.i, ptr %count13.i release, align 32
  %owner.i = getelementptr inbounds nuw i8, ptr %call, i64 392
  store ptr @run_worker, ptr %owner.i, align 8
  store i32 1, ptr %started, align 4
  call void @llvm.lifetime.end.p0(ptr nonnull %blocked.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %before.i)
  call void @llvm.lifetime.end.p0(ptr nonnull %thread.i)
  br label %if.end6

if.end6:                                          ; preds = %start.exit, %if.end3
  %threads7 = getelementptr inbounds nuw i8, ptr %call, i64 408
  %8 = load atomic i32, ptr %threads7 monotonic, align 8
  %cmp = icmp slt i32 %8, 2
  br i1 %cmp, label %return.sink.split, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %if.end6
  %conv = zext nneg i32 %8 to i64
  %cmp8 = icmp slt i64 %most, %conv
  br i1 %cmp8, label %return.sink.split, label %if.end11

if.end11:                                         ; preds = %lor.lhs.false
  %cmp12 = icmp slt i64 %grain, 1
  %sub = add nsw i64 %n, -1
  br i1 %cmp12, label %if.then14, label %if.end19

if.then14:                                        ; preds = %if.end11
  %cmp15.not = icmp eq i64 %grain, 0
  %sub17 = sub nsw i64 0, %grain
  %cond = select i1 %cmp15.not, i64 4, i64 %sub17
  %mul = mul nuw nsw i64 %cond, %conv
  %div = udiv i64 %sub, %mul
  %add = add nuw nsw i64 %div, 1
  br label %if.end19

if.end19:                                         ; preds = %if.end11, %if.then14
  %grain.addr.0 = phi i64 [ %add, %if.then14 ], [ %grain, %if.end11 ]
  %div21 = udiv i64 %sub, %grain.addr.0
  %done22 = getelementptr inbounds nuw i8, ptr %call, i64 128
  %9 = load atomic i64, ptr %done22 monotonic, align 128
  %body24 = getelementptr inbounds nuw i8, ptr %call, i64 8
  store ptr %body, ptr %body24, align 8
  %numbered25 = getelementptr inbounds nuw i8, ptr %call, i64 56
  store ptr %numbered, ptr %numbered25, align 8
  %ctx26 = getelementptr inbounds nuw i8, ptr %call, i64 16
  store ptr %ctx, ptr %ctx26, align 16
  %n27 = getelementptr inbounds nuw i8, ptr %call, i64 24
  store i64 %n, ptr %n27, align 8
  %grain28 = getelementptr inbounds nuw i8, ptr %call, i64 32
  store i64 %grain.addr.0, ptr %grain28, align 32
  %add29 = add nuw nsw i64 %div21, 1
  %chunks = getelementptr inbounds nuw i8, ptr %call, i64 40
  store i64 %add29, ptr %chunks, align 8
  %10 = atomicrmw xchg ptr %call, i64 %div21 seq_cst, align 128
  call fastcc void @make_room(ptr noundef %call) #11
  %sleepers = getelementptr inbounds nuw i8, ptr %call, i64 256
  %11 = load atomic i32, ptr %sleepers seq_cst, align 128
  %tobool33.not = icmp eq i32 %11, 0
  br i1 %tobool33.not, label %if.end35, label %if.then34

if.then34:                                        ; preds = %if.end19
  call fastcc void @wake(ptr noundef nonnull %call, i64 noundef %div21) #11
  br label %if.end35

if.end35:                                         ; preds = %if.then34, %if.end19
  %tobool36.not = icmp eq ptr %body, null
  br i1 %tobool36.not, label %if.else, label %if.then37

if.then37:                                        ; preds = %if.end35
  call void %body(i64 noundef 0, i64 noundef %grain.addr.0, ptr noundef %ctx) #10
  br label %if.end38

if.else:                                          ; preds = %if.end35
  call void %numbered(i64 noundef 0, i64 noundef %grain.addr.0, ptr noundef %ctx, i64 noundef 0) #10
  br label %if.end38

if.end38:                                         ; preds = %if.else, %if.then37
  %call39 = call fastcc i64 @run_chunks(ptr noundef nonnull %call, i64 noundef 0) #11
  %tobool41.not = icmp eq i64 %div21, %call39
  br i1 %tobool41.not, label %return.sink.split, label %if.then42

if.then42:                                        ; preds = %if.end38
  %sub40 = sub nsw i64 %div21, %call39
  %add43 = add nsw i64 %sub40, %9
  %spin.i = getelementptr inbounds nuw i8, ptr %call, i64 400
  br label %for.cond.i83

for.cond.i83:                                     ; preds = %for.inc.i, %if.then42
  %i.0.i = phi i32 [ 1, %if.then42 ], [ %inc.i, %for.inc.i ]
  %until.0.i = phi i64 [ 0, %if.then42 ], [ %until.2.i, %for.inc.i ]
  %12 = load atomic i64, ptr %done22 acquire, align 128
  %cmp.not.i = icmp eq i64 %12, %add43
  br i1 %cmp.not.i, label %return.sink.split, label %for.body.i84

for.body.i84:                                     ; preds = %for.cond.i83
  call void @llvm.x86.sse2.pause()
  %rem.i = and i32 %i.0.i, 511
  %tobool.not.i85 = icmp eq i32 %rem.i, 0
  br i1 %tobool.not.i85, label %if.end.i86, label %for.inc.i

if.end.i86:                                       ; preds = %for.body.i84
  %call.i87 = call fastcc i64 @clock_ns() #11
  %tobool1.not.i = icmp eq i64 %until.0.i, 0
  br i1 %tobool1.not.i, label %if.then2.i, label %if.end3.i

if.then2.i:                                       ; preds = %if.end.i86
  call fastcc void @make_room(ptr noundef nonnull %call) #11
  %13 = load i64, ptr %spin.i, align 16
  %add.i88 = add nsw i64 %13, %call.i87
  br label %if.end3.i

if.end3.i:                                        ; preds = %if.then2.i, %if.end.i86
  %until.1.i = phi i64 [ %until.0.i, %if.end.i86 ], [ %add.i88, %if.then2.i ]
  %cmp4.i = icmp slt i64 %call.i87, %until.1.i
  br i1 %cmp4.i, label %for.inc.i, label %while.cond.preheader.i

while.cond.preheader.i:                           ; preds = %if.end3.i
  %waiting.i = getelementptr inbounds nuw i8, ptr %call, i64 136
  br label %while.cond.i

while.cond.i:                                     ; preds = %while.body.i, %while.cond.preheader.i
  %14 = atomicrmw xchg ptr %waiting.i, i32 1 seq_cst, align 8
  %15 = load atomic i64, ptr %done22 seq_cst, align 128
  %cmp10.not.i = icmp eq i64 %15, %add43
  br i1 %cmp10.not.i, label %while.end.i, label %while.body.i

while.body.i:                                     ; preds = %while.cond.i
  call fastcc void @futex_wait(ptr noundef nonnull %waiting.i, i64 noundef 1, ptr noundef null) #11
  br label %while.cond.i

while.end.i:                                      ; preds = %while.cond.i
  store atomic i32 0, ptr %waiting.i monotonic, align 8
  br label %return.sink.split

for.inc.i:                                        ; preds = %if.end3.i, %for.body.i84
  %until.2.i = phi i64 [ %until.0.i, %for.body.i84 ], [ %until.1.i, %if.end3.i ]
  %inc.i = add i32 %i.0.i, 1
  br label %for.cond.i83

return.sink.split:                                ; preds = %for.cond.i83, %if.end38, %while.end.i, %if.end6, %lor.lhs.false
  %retval.0.ph = phi i1 [ false, %if.end6 ], [ false, %lor.lhs.false ], [ true, %if.end38 ], [ true, %while.end.i ], [ true, %for.cond.i83 ]
  store atomic i64 0, ptr %lock release, align 128
  br label %return

return:                                           ; preds = %return.sink.split, %if.end, %entry
  %retval.0 = phi i1 [ false, %entry ], [ false, %if.end ], [ %retval.0.ph, %return.sink.split ]
  ret i1 %retval.0
}

define weak_odr void @kc_parallel_for_numbered(ptr noundef %body, ptr noundef %ctx, i64 noundef %n, i64 noundef %grain, i64 noundef %threads) local_unnamed_addr #0 {
entry:
  %cmp = icmp slt i64 %n, 1
  br i1 %cmp, label %return, label %if.end

if.end:                                           ; preds = %entry
  %cmp1.not = icmp ne i64 %n, 1
  %cmp2 = icmp slt i64 %grain, %n
  %or.cond = and i1 %cmp1.not, %cmp2
  br i1 %or.cond, label %land.lhs.true3, label %if.end5

land.lhs.true3:                                   ; preds = %if.end
  %call = tail call fastcc zeroext i1 @run_parallel(ptr noundef null, ptr noundef %body, ptr noundef %ctx, i64 noundef %n, i64 noundef %grain, i64 noundef %threads) #11
  br i1 %call, label %return, label %if.end5

if.end5:                                          ; preds = %land.lhs.true3, %if.end
  tail call void %body(i64 noundef 0, i64 noundef %n, ptr noundef %ctx, i64 noundef 0) #10
  br label %return

return:                                           ; preds = %land.lhs.true3, %entry, %if.end5
  ret void
}

define weak_odr i32 @kc_pool_num_threads() local_unnamed_addr #0 {
entry:
  %call = tail call fastcc ptr @get_pool() #11
  %tobool.not = icmp eq ptr %call, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %threads1 = getelementptr inbounds nuw i8, ptr %call, i64 408
  %0 = load atomic i32, ptr %threads1 acquire, align 8
  %tobool2.not = icmp eq i32 %0, 0
  br i1 %tobool2.not, label %if.end4, label %return

if.end4:                                          ; preds = %if.end
  %call5 = tail call fastcc zeroext i1 @take_lock(ptr noundef nonnull %call) #11
  br i1 %call5, label %if.end7, label %return

if.end7:                                          ; preds = %if.end4
  %1 = load atomic i32, ptr %threads1 monotonic, align 8
  %tobool10.not = icmp eq i32 %1, 0
  br i1 %tobool10.not, label %if.then11, label %if.end12

if.then11:                                        ; preds = %if.end7
  tail call fastcc void @plan(ptr noundef %call) #11
  br label %if.end12

if.end12:                                         ; preds = %if.then11, %if.end7
  %2 = load atomic i32, ptr %threads1 monotonic, align 8
  %lock.i = getelementptr inbounds nuw i8, ptr %call, i64 384
  store atomic i64 0, ptr %lock.i release, align 128
  br label %return

return:                                           ; preds = %if.end4, %if.end, %entry, %if.end12
  %retval.0 = phi i32 [ 1, %entry ], [ %2, %if.end12 ], [ %0, %if.end ], [ 1, %if.end4 ]
  ret i32 %retval.0
}

define internal fastcc void @plan(ptr noundef nonnull captures(none) %pool) unnamed_addr #0 {
entry:
  %end.i = alloca ptr, align 8
  %mask = alloca %struct.cpu_mask, align 8
  %call.i = call i32 @sched_getaffinity(i32 noundef 0, i64 noundef 1024, ptr noundef nonnull %mask) #10
  %tobool.not.i = icmp eq i32 %call.i, 0
  br i1 %tobool.not.i, label %for.cond.i.preheader, label %if.then.i

if.then.i:                                        ; preds = %entry
  store i64 1, ptr %mask, align 8
  %.compoundliteral.sroa.3.0..sroa_idx.i = getelementptr inbounds nuw i8, ptr %mask, i64 8
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(1016) %.compoundliteral.sroa.3.0..sroa_idx.i, i8 0, i64 1016, i1 false)
  br label %for.cond.i.preheader

for.cond.i.preheader:                             ; preds = %if.then.i, %entry
  br label %for.cond.i

for.cond.i:                                       ; preds = %for.cond.i.preheader, %for.body.i
  %indvars.iv.i = phi i64 [ %indvars.iv.next.i, %for.body.i ], [ 0, %for.cond.i.preheader ]
  %count.0.i = phi i32 [ %add.i, %for.body.i ], [ 0, %for.cond.i.preheader ]
  %exitcond.not.i = icmp eq i64 %indvars.iv.i, 128
  br i1 %exitcond.not.i, label %allowed_cpus.exit, label %for.body.i

for.body.i:                                       ; preds = %for.cond.i
  %arrayidx.i = getelementptr inbounds nuw i64, ptr %mask, i64 %indvars.iv.i
  %0 = load i64, ptr %arrayidx.i, align 8
  %1 = call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %0)
  %cast.i = trunc nuw nsw i64 %1 to i32
  %add.i = add nuw nsw i32 %count.0.i, %cast.i
  %indvars.iv.next.i = add nuw nsw i64 %indvars.iv.i, 1
  br label %for.cond.i

allowed_cpus.exit:                                ; preds = %for.cond.i
  %call.i52 = call i32 @kc_pool_cpu_quota(ptr noundef nonnull @.str.13) #11
  %tobool.not.i53 = icmp eq i32 %call.i52, 0
  %cond.i = select i1 %tobool.not.i53, i32 1024, i32 %call.i52
  %2 = call i32 @llvm.smin.i32(i32 %count.0.i, i32 %cond.i)
  %threads3 = getelementptr inbounds i8, ptr %pool, i64 -65532
  %3 = load i32, ptr %threads3, align 4
  %tobool.not = icmp eq i32 %3, 0
  br i1 %tobool.not, label %cond.false, label %cond.end

cond.false:                                       ; preds = %allowed_cpus.exit
  call void @llvm.lifetime.start.p0(ptr nonnull %end.i)
  %call.i54 = call ptr @getenv(ptr noundef nonnull @.str.14) #10
  %tobool.not.i55 = icmp eq ptr %call.i54, null
  br i1 %tobool.not.i55, label %wanted_threads.exit, label %lor.lhs.false.i

lor.lhs.false.i:                                  ; preds = %cond.false
  %4 = load i8, ptr %call.i54, align 1
  %tobool1.not.i = icmp eq i8 %4, 0
  br i1 %tobool1.not.i, label %wanted_threads.exit, label %if.end.i56

if.end.i56:                                       ; preds = %lor.lhs.false.i
  %call2.i = call i64 @strtol(ptr noundef nonnull %call.i54, ptr noundef nonnull %end.i, i32 noundef 10) #10
  %5 = load ptr, ptr %end.i, align 8
  %6 = load i8, ptr %5, align 1
  %tobool3.i = icmp eq i8 %6, 0
  %7 = add i64 %call2.i, -1
  %8 = icmp ult i64 %7, 1024
  %or.cond9.i = select i1 %tobool3.i, i1 %8, i1 false
  br i1 %or.cond9.i, label %if.then6.i, label %if.end7.i

if.then6.i:                                       ; preds = %if.end.i56
  %conv.i = trunc nuw nsw i64 %call2.i to i32
  br label %wanted_threads.exit

if.end7.i:                                        ; preds = %if.end.i56
  %call8.i = call i32 (i32, ptr, ...) @dprintf(i32 noundef 2, ptr noundef nonnull @.str.15, ptr noundef nonnull %call.i54, i32 noundef 1024) #10
  br label %wanted_threads.exit

wanted_threads.exit:                              ; preds = %cond.false, %lor.lhs.false.i, %if.then6.i, %if.end7.i
  %retval.0.i = phi i32 [ %conv.i, %if.then6.i ], [ %2, %if.end7.i ], [ %2, %lor.lhs.false.i ], [ %2, %cond.false ]
  call void @llvm.lifetime.end.p0(ptr nonnull %end.i)
  br label %cond.end

cond.end:                                         ; preds = %allowed_cpus.exit, %wanted_threads.exit
  %cond = phi i32 [ %retval.0.i, %wanted_threads.exit ], [ %3, %allowed_cpus.exit ]
  %cmp = icmp sgt i32 %cond, %2
  %cond6 = select i1 %cmp, i64 0, i64 2200000
  %spin = getelementptr inbounds nuw i8, ptr %pool, i64 400
  store i64 %cond6, ptr %spin, align 16
  %given = getelementptr inbounds i8, ptr %pool, i64 -65528
  %9 = load i32, ptr %given, align 8
  %tobool7.not = icmp eq i32 %9, 0
  br i1 %tobool7.not, label %if.else, label %if.then

if.then:                                          ; preds = %cond.end
  %cpus = getelementptr inbounds i8, ptr %pool, i64 -65520
  %10 = load i32, ptr %cpus, align 4
  %home = getelementptr inbounds nuw i8, ptr %pool, i64 420
  store i32 %10, ptr %home, align 4
  %11 = sext i32 %cond to i64
  br label %for.cond

for.cond:                                         ; preds = %for.body, %if.then
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 1, %if.then ]
  %cmp8 = icmp slt i64 %indvars.iv, %11
  br i1 %cmp8, label %for.body, label %if.end

for.body:                                         ; preds = %for.cond
  %12 = getelementptr %struct.worker, ptr %pool, i64 %indvars.iv
  %cpu = getelementptr i8, ptr %12, i64 420
  %arrayidx13 = getelementptr inbounds nuw i32, ptr %cpus, i64 %indvars.iv
  %13 = load i32, ptr %arrayidx13, align 4
  store atomic i32 %13, ptr %cpu monotonic, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br label %for.cond

if.else:                                          ; preds = %cond.end
  %call.i57 = call i32 @sched_getcpu() #10
  %or.cond.i = icmp ult i32 %call.i57, 8192
  br i1 %or.cond.i, label %land.lhs.true2.i, label %if.end.i58

land.lhs.true2.i:                                 ; preds = %if.else
  %shr.i.i = lshr i32 %call.i57, 6
  %idxprom.i.i = zext nneg i32 %shr.i.i to i64
  %arrayidx.i.i = getelementptr inbounds nuw i64, ptr %mask, i64 %idxprom.i.i
  %14 = load i64, ptr %arrayidx.i.i, align 8
  %and.i.i = and i32 %call.i57, 63
  %sh_prom.i.i = zext nneg i32 %and.i.i to i64
  %15 = shl nuw i64 1, %sh_prom.i.i
  %16 = and i64 %14, %15
  %tobool.i.not.i = icmp eq i64 %16, 0
  br i1 %tobool.i.not.i, label %if.end.i58, label %home_cpu.exit

if.end.i58:                                       ; preds = %land.lhs.true2.i, %if.else
  %call4.i = call fastcc i32 @mask_next(ptr noundef nonnull readonly %mask, i32 noundef 8191) #11
  br label %home_cpu.exit

home_cpu.exit:                                    ; preds = %land.lhs.true2.i, %if.end.i58
  %retval.0.i59 = phi i32 [ %call4.i, %if.end.i58 ], [ %call.i57, %land.lhs.true2.i ]
  %workers16 = getelementptr inbounds nuw i8, ptr %pool, i64 424
  %sub17 = add nsw i32 %cond, -1
  %cmp18 = icmp sge i32 %cond, %count.0.i
  %cond20 = zext i1 %cmp18 to i32
  call fastcc void @place_workers(ptr noundef %mask, i32 noundef %retval.0.i59, ptr noundef %workers16, i32 noundef %sub17, i32 noundef %cond20) #11
  %cmp21.not = icmp sgt i32 %cond, %count.0.i
  %cond26 = select i1 %cmp21.not, i32 -1, i32 %retval.0.i59
  %home27 = getelementptr inbounds nuw i8, ptr %pool, i64 420
  store i32 %cond26, ptr %home27, align 4
  br label %if.end

if.end:                                           ; preds = %for.cond, %home_cpu.exit
  %threads28 = getelementptr inbounds nuw i8, ptr %pool, i64 408
  store atomic i32 %cond, ptr %threads28 release, align 8
  ret void
}

define weak_odr i32 @kc_pool_configure(i32 noundef %threads, ptr noundef %cpus) local_unnamed_addr #0 {
entry:
  %or.cond = icmp ugt i32 %threads, 1024
  br i1 %or.cond, label %return, label %if.end

if.end:                                           ; preds = %entry
  %tobool.not = icmp eq ptr %cpus, null
  %cond = select i1 %tobool.not, i32 0, i32 %threads
  %wide.trip.count = zext nneg i32 %cond to i64
  br label %for.cond

for.cond:                                         ; preds = %for.body, %if.end
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 0, %if.end ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw i32, ptr %cpus, i64 %indvars.iv
  %0 = load i32, ptr %arrayidx, align 4
  %or.cond51 = icmp ugt i32 %0, 8191
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br i1 %or.cond51, label %return, label %for.cond

for.end:                                          ; preds = %for.cond
  %call = tail call fastcc ptr @get_pool() #11
  %tobool10.not = icmp eq ptr %call, null
  br i1 %tobool10.not, label %return, label %lor.lhs.false11

lor.lhs.false11:                                  ; preds = %for.end
  %call12 = tail call fastcc zeroext i1 @take_lock(ptr noundef nonnull %call) #11
  br i1 %call12, label %if.end14, label %return

if.end14:                                         ; preds = %lor.lhs.false11
  tail call fastcc void @stop(ptr noundef nonnull %call) #11
  %cpus22 = getelementptr inbounds i8, ptr %call, i64 -65520
  br label %for.cond17

for.cond17:                                       ; preds = %for.body19, %if.end14
  %indvars.iv53 = phi i64 [ %indvars.iv.next54, %for.body19 ], [ 0, %if.end14 ]
  %exitcond57.not = icmp eq i64 %indvars.iv53, %wide.trip.count
  br i1 %exitcond57.not, label %for.end27, label %for.body19

for.body19:                                       ; preds = %for.cond17
  %arrayidx21 = getelementptr inbounds nuw i32, ptr %cpus, i64 %indvars.iv53
  %1 = load i32, ptr %arrayidx21, align 4
  %arrayidx24 = getelementptr inbounds nuw i32, ptr %cpus22, i64 %indvars.iv53
  store i32 %1, ptr %arrayidx24, align 4
  %indvars.iv.next54 = add nuw nsw i64 %indvars.iv53, 1
  br label %for.cond17

for.end27:                                        ; preds = %for.cond17
  %threads28 = getelementptr inbounds i8, ptr %call, i64 -65532
  store i32 %threads, ptr %threads28, align 4
  %cmp29 = icmp ne i32 %cond, 0
  %conv = zext i1 %cmp29 to i32
  %given30 = getelementptr inbounds i8, ptr %call, i64 -65528
  store i32 %conv, ptr %given30, align 4
  %lock.i = getelementptr inbounds nuw i8, ptr %call, i64 384
  store atomic i64 0, ptr %lock.i release, align 128
  br label %return

return:                                           ; preds = %for.body, %for.end, %lor.lhs.false11, %entry, %for.end27
  %retval.0 = phi i32 [ 1, %for.end ], [ 2, %entry ], [ 0, %for.end27 ], [ 1, %lor.lhs.false11 ], [ 2, %for.body ]
  ret i32 %retval.0
}

define weak_odr i32 @kc_pool_shutdown() local_unnamed_addr #0 {
entry:
  %call = tail call fastcc ptr @get_pool() #11
  %tobool.not = icmp eq ptr %call, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %call1 = tail call fastcc zeroext i1 @take_lock(ptr noundef nonnull %call) #11
  br i1 %call1, label %if.end3, label %return

if.end3:                                          ; preds = %if.end
  tail call fastcc void @stop(ptr noundef nonnull %call) #11
  %lock.i = getelementptr inbounds nuw i8, ptr %call, i64 384
  store atomic i64 0, ptr %lock.i release, align 128
  br label %return

return:                                           ; preds = %if.end, %entry, %if.end3
  %retval.0 = phi i32 [ 0, %if.end3 ], [ 0, %entry ], [ 1, %if.end ]
  ret i32 %retval.0
}

declare ptr @strrchr(ptr noundef, i32 noundef) local_unnamed_addr

define internal fastcc i32 @read_numbers(ptr noundef nonnull %path, ptr noundef nonnull %a, ptr noundef nonnull %b) unnamed_addr #0 {
entry:
  %call = tail call ptr @fopen(ptr noundef nonnull %path, ptr noundef nonnull @.str.1) #10
  %tobool.not = icmp eq ptr %call, null
  br i1 %tobool.not, label %return, label %if.end

if.end:                                           ; preds = %entry
  %call1 = tail call i32 (ptr, ptr, ...) @fscanf(ptr noundef nonnull %call, ptr noundef nonnull @.str.11, ptr noundef nonnull %a, ptr noundef nonnull %b) #10
  %call2 = tail call i32 @fclose(ptr noundef nonnull %call) #10
  br label %return

return:                                           ; preds = %entry, %if.end
  %retval.0 = phi i32 [ %call1, %if.end ], [ 0, %entry ]
  ret i32 %retval.0
}

declare i32 @fscanf(ptr noundef, ptr noundef, ...) local_unnamed_addr

declare i32 @getpid() local_unnamed_addr

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #2

declare i64 @getauxval(i64 noundef) local_unnamed_addr

declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr

declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr

declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr

define internal fastcc void @futex_wait(ptr noundef %word, i64 noundef range(i64 -2147483648, 2147483648) %value, ptr noundef %timeout) unnamed_addr #3 {
entry:
  %call = tail call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef %word, i64 noundef 128, i64 noundef %value, ptr noundef %timeout, ptr noundef null, i64 noundef 0) #10
  ret void
}

declare ptr @__errno_location() local_unnamed_addr

declare i32 @sched_yield() local_unnamed_addr

declare i64 @syscall(i64 noundef, ...) local_unnamed_addr

declare i64 @pthread_self() local_unnamed_addr

declare i32 @usleep(i32 noundef) local_unnamed_addr

declare i32 @prctl(i32 noundef, ...) local_unnamed_addr

define internal fastcc void @pin(i32 noundef %tid, i32 noundef %cpu) unnamed_addr #0 {
entry:
  %mask = alloca %struct.cpu_mask, align 8
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(1024) %mask, i8 0, i64 1024, i1 false)
  %and.i = and i32 %cpu, 63
  %sh_prom.i = zext nneg i32 %and.i to i64
  %shl.i = shl nuw i64 1, %sh_prom.i
  %shr.i = ashr i32 %cpu, 6
  %idxprom.i = sext i32 %shr.i to i64
  %arrayidx.i = getelementptr inbounds i64, ptr %mask, i64 %idxprom.i
  %0 = load i64, ptr %arrayidx.i, align 8
  %or.i = or i64 %0, %shl.i
  store i64 %or.i, ptr %arrayidx.i, align 8
  %call = call i32 @sched_setaffinity(i32 noundef %tid, i64 noundef 1024, ptr noundef nonnull %mask) #10
  ret void
}

define internal fastcc i64 @run_chunks(ptr noundef captures(none) %pool, i64 noundef range(i64 -576460752303423487, 576460752303423489) %thread) unnamed_addr #0 {
entry:
  %chunks = getelementptr inbounds nuw i8, ptr %pool, i64 40
  %grain = getelementptr inbounds nuw i8, ptr %pool, i64 32
  %n = getelementptr inbounds nuw i8, ptr %pool, i64 24
  %body = getelementptr inbounds nuw i8, ptr %pool, i64 8
  %ctx = getelementptr inbounds nuw i8, ptr %pool, i64 16
  %numbered = getelementptr inbounds nuw i8, ptr %pool, i64 56
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %ran.0 = phi i64 [ 0, %entry ], [ %inc, %for.inc ]
  %0 = atomicrmw sub ptr %pool, i64 1 acquire, align 128
  %cmp = icmp slt i64 %0, 1
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %for.cond
  ret i64 %ran.0

if.end:                                           ; preds = %for.cond
  %1 = load i64, ptr %chunks, align 8
  %sub = sub nsw i64 %1, %0
  %2 = load i64, ptr %grain, align 32
  %mul = mul nsw i64 %sub, %2
  %3 = load i64, ptr %n, align 8
  %sub2 = sub nsw i64 %3, %mul
  %cond.i = tail call noundef i64 @llvm.smin.i64(i64 %2, i64 %sub2)
  %add = add nsw i64 %cond.i, %mul
  %4 = load ptr, ptr %body, align 8
  %tobool.not = icmp eq ptr %4, null
  br i1 %tobool.not, label %if.else, label %if.then3

if.then3:                                         ; preds = %if.end
  %5 = load ptr, ptr %ctx, align 16
  tail call void %4(i64 noundef %mul, i64 noundef %add, ptr noundef %5) #10
  br label %for.inc

if.else:                                          ; preds = %if.end
  %6 = load ptr, ptr %numbered, align 8
  %7 = load ptr, ptr %ctx, align 16
  tail call void %6(i64 noundef %mul, i64 noundef %add, ptr noundef %7, i64 noundef %thread) #10
  br label %for.inc

for.inc:                                          ; preds = %if.then3, %if.else
  %inc = add nuw nsw i64 %ran.0, 1
  br label %for.cond
}

declare i32 @sched_setaffinity(i32 noundef, i64 noundef, ptr noundef) local_unnamed_addr

define internal fastcc i64 @clock_ns() unnamed_addr #0 {
entry:
  %time = alloca %struct.timespec, align 8
  %call = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %time) #10
  %0 = load i64, ptr %time, align 8
  %mul = mul nsw i64 %0, 1000000000
  %nanoseconds = getelementptr inbounds nuw i8, ptr %time, i64 8
  %1 = load i64, ptr %nanoseconds, align 8
  %add = add nsw i64 %mul, %1
  ret i64 %add
}

declare void @llvm.x86.sse2.pause() #4

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr

define internal fastcc void @futex_wake(ptr noundef %word, i64 noundef %most) unnamed_addr #3 {
entry:
  %call = tail call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef %word, i64 noundef 129, i64 noundef %most, ptr noundef null, ptr noundef null, i64 noundef 0) #10
  ret void
}

define internal fastcc void @wake(ptr noundef %pool, i64 noundef range(i64 0, 9223372036854775807) %most) unnamed_addr #3 {
entry:
  %wakes = getelementptr inbounds nuw i8, ptr %pool, i64 260
  %0 = atomicrmw add ptr %wakes, i32 1 seq_cst, align 4
  %1 = tail call i64 @llvm.umin.i64(i64 %most, i64 1024)
  tail call fastcc void @futex_wake(ptr noundef nonnull %wakes, i64 noundef %1) #11
  ret void
}

declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr

define internal fastcc void @make_room(ptr noundef nonnull captures(none) %pool) unnamed_addr #0 {
entry:
  %home1 = getelementptr inbounds nuw i8, ptr %pool, i64 420
  %0 = load i32, ptr %home1, align 4
  %count2 = getelementptr inbounds nuw i8, ptr %pool, i64 416
  %1 = load atomic i32, ptr %count2 monotonic, align 32
  %cmp = icmp slt i32 %0, 0
  br i1 %cmp, label %for.end, label %if.end

if.end:                                           ; preds = %entry
  %call = tail call i32 @sched_getcpu() #10
  %cmp3 = icmp eq i32 %call, %0
  br i1 %cmp3, label %for.end, label %for.cond.preheader

for.cond.preheader:                               ; preds = %if.end
  %workers = getelementptr inbounds nuw i8, ptr %pool, i64 424
  %smax = tail call i32 @llvm.smax.i32(i32 %1, i32 0)
  %wide.trip.count = zext nneg i32 %smax to i64
  br label %for.cond

for.cond:                                         ; preds = %for.body, %for.cond.preheader
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.body ], [ 0, %for.cond.preheader ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:                                         ; preds = %for.cond
  %arrayidx = getelementptr inbounds nuw %struct.worker, ptr %workers, i64 %indvars.iv
  %cpu = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  %2 = load atomic i32, ptr %cpu monotonic, align 4
  %cmp8.not = icmp eq i32 %2, %call
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  br i1 %cmp8.not, label %if.end10, label %for.cond

if.end10:                                         ; preds = %for.body
  %cpu.le = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  store i32 %call, ptr %home1, align 4
  %3 = atomicrmw xchg ptr %cpu.le, i32 %0 seq_cst, align 4
  %tid14 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 8
  %4 = load atomic i32, ptr %tid14 seq_cst, align 8
  %tobool.not = icmp eq i32 %4, 0
  br i1 %tobool.not, label %for.end, label %if.then16

if.then16:                                        ; preds = %if.end10
  tail call fastcc void @pin(i32 noundef %4, i32 noundef %0) #11
  br label %for.end

for.end:                                          ; preds = %for.cond, %if.end10, %if.then16, %if.end, %entry
  ret void
}

declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr

declare i32 @sched_getcpu() local_unnamed_addr

define internal fastcc void @place_workers(ptr noundef nonnull readonly captures(none) %mask, i32 noundef range(i32 0, 8192) %home, ptr noundef nonnull writeonly captures(none) %workers, i32 noundef %count, i32 noundef range(i32 0, 2) %round) unnamed_addr #5 {
entry:
  %taken = alloca %struct.cpu_mask, align 8
  %cores = alloca %struct.cpu_mask, align 8
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(1024) %taken, i8 0, i64 1024, i1 false)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(1024) %cores, i8 0, i64 1024, i1 false)
  %call = tail call fastcc i32 @core_of(i32 noundef %home) #11
  %and.i = and i32 %call, 63
  %sh_prom.i = zext nneg i32 %and.i to i64
  %shl.i = shl nuw i64 1, %sh_prom.i
  %shr.i = lshr i32 %call, 6
  %idxprom.i = zext nneg i32 %shr.i to i64
  %arrayidx.i = getelementptr inbounds nuw i64, ptr %cores, i64 %idxprom.i
  %0 = load i64, ptr %arrayidx.i, align 8
  %or.i = or i64 %shl.i, %0
  store i64 %or.i, ptr %arrayidx.i, align 8
  %smax = tail call i32 @llvm.smax.i32(i32 %count, i32 0)
  %wide.trip.count = zext nneg i32 %smax to i64
  br label %for.cond.outer

for.cond.outer:                                   ; preds = %if.end16, %entry
  %indvars.iv = phi i64 [ %indvars.iv.next, %if.end16 ], [ 0, %entry ]
  %cpu.0.ph = phi i32 [ %call166, %if.end16 ], [ %home, %entry ]
  %round.addr.0.ph = phi i32 [ %round.addr.1, %if.end16 ], [ %round, %entry ]
  %exitcond.not = icmp eq i64 %indvars.iv, %wide.trip.count
  br i1 %exitcond.not, label %for.end, label %for.cond.outer54

for.cond.outer54:                                 ; preds = %for.cond.outer, %for.cond.outer54.backedge
  %cpu.0.ph55 = phi i32 [ %cpu.0.ph55.be, %for.cond.outer54.backedge ], [ %cpu.0.ph, %for.cond.outer ]
  %round.addr.0.ph56 = phi i32 [ %round.addr.0.ph56.be, %for.cond.outer54.backedge ], [ %round.addr.0.ph, %for.cond.outer ]
  br label %for.cond

for.cond:                                         ; preds = %for.cond.outer54, %if.else
  %cpu.0 = phi i32 [ %call1, %if.else ], [ %cpu.0.ph55, %for.cond.outer54 ]
  %call1 = tail call fastcc i32 @mask_next(ptr noundef %mask, i32 noundef %cpu.0) #11
  %cmp2 = icmp eq i32 %call1, %home
  br i1 %cmp2, label %if.then, label %if.else

if.then:                                          ; preds = %for.cond
  %inc = add nsw i32 %round.addr.0.ph56, 1
  %cmp3 = icmp slt i32 %round.addr.0.ph56, 1
  br i1 %cmp3, label %for.cond.outer54.backedge, label %if.end

for.cond.outer54.backedge:                        ; preds = %if.then, %if.then9
  %cpu.0.ph55.be = phi i32 [ %home, %if.then ], [ %call1, %if.then9 ]
  %round.addr.0.ph56.be = phi i32 [ %inc, %if.then ], [ 0, %if.then9 ]
  br label %for.cond.outer54

if.end:                                           ; preds = %if.then
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(1024) %taken, i8 0, i64 1024, i1 false)
  br label %if.end16

if.else:                                          ; preds = %for.cond
  %shr.i29 = lshr i32 %call1, 6
  %idxprom.i30 = zext nneg i32 %shr.i29 to i64
  %arrayidx.i31 = getelementptr inbounds nuw i64, ptr %taken, i64 %idxprom.i30
  %1 = load i64, ptr %arrayidx.i31, align 8
  %and.i32 = and i32 %call1, 63
  %sh_prom.i33 = zext nneg i32 %and.i32 to i64
  %2 = shl nuw i64 1, %sh_prom.i33
  %3 = and i64 %1, %2
  %tobool.i.not = icmp eq i64 %3, 0
  br i1 %tobool.i.not, label %if.else7, label %for.cond

if.else7:                                         ; preds = %if.else
  %cmp8 = icmp eq i32 %round.addr.0.ph56, 0
  br i1 %cmp8, label %if.then9, label %if.end16

if.then9:                                         ; preds = %if.else7
  %call10 = tail call fastcc i32 @core_of(i32 noundef %call1) #11
  %shr.i34 = lshr i32 %call10, 6
  %idxprom.i35 = zext nneg i32 %shr.i34 to i64
  %arrayidx.i36 = getelementptr inbounds nuw i64, ptr %cores, i64 %idxprom.i35
  %4 = load i64, ptr %arrayidx.i36, align 8
  %and.i37 = and i32 %call10, 63
  %sh_prom.i38 = zext nneg i32 %and.i37 to i64
  %5 = shl nuw i64 1, %sh_prom.i38
  %6 = and i64 %5, %4
  %tobool.i39.not = icmp eq i64 %6, 0
  br i1 %tobool.i39.not, label %if.end13, label %for.cond.outer54.backedge

if.end13:                                         ; preds = %if.then9
  %arrayidx.i36.le = getelementptr inbounds nuw i64, ptr %cores, i64 %idxprom.i35
  %or.i46 = or i64 %4, %5
  store i64 %or.i46, ptr %arrayidx.i36.le, align 8
  br label %if.end16

if.end16:                                         ; preds = %if.else7, %if.end13, %if.end
  %call166 = phi i32 [ %home, %if.end ], [ %call1, %if.end13 ], [ %call1, %if.else7 ]
  %round.addr.1 = phi i32 [ %inc, %if.end ], [ 0, %if.end13 ], [ %round.addr.0.ph56, %if.else7 ]
  %and.i47 = and i32 %call166, 63
  %sh_prom.i48 = zext nneg i32 %and.i47 to i64
  %shl.i49 = shl nuw i64 1, %sh_prom.i48
  %shr.i50 = lshr i32 %call166, 6
  %idxprom.i51 = zext nneg i32 %shr.i50 to i64
  %arrayidx.i52 = getelementptr inbounds nuw i64, ptr %taken, i64 %idxprom.i51
  %7 = load i64, ptr %arrayidx.i52, align 8
  %or.i53 = or i64 %7, %shl.i49
  store i64 %or.i53, ptr %arrayidx.i52, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %arrayidx = getelementptr inbounds nuw %struct.worker, ptr %workers, i64 %indvars.iv
  %cpu18 = getelementptr inbounds nuw i8, ptr %arrayidx, i64 12
  store atomic i32 %call166, ptr %cpu18 monotonic, align 4
  br label %for.cond.outer

for.end:                                          ; preds = %for.cond.outer
  ret void
}

declare i32 @sched_getaffinity(i32 noundef, i64 noundef, ptr noundef) local_unnamed_addr

declare i64 @llvm.ctpop.i64(i64) #6

declare ptr @getenv(ptr noundef) local_unnamed_addr

declare i64 @strtol(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr

declare i32 @dprintf(i32 noundef, ptr noundef, ...) local_unnamed_addr

define internal fastcc range(i32 0, 8192) i32 @mask_next(ptr noundef nonnull readonly captures(none) %mask, i32 noundef range(i32 0, 8192) %cpu) unnamed_addr #7 {
entry:
  br label %do.body

do.body:                                          ; preds = %do.body, %entry
  %cpu.addr.0 = phi i32 [ %cpu, %entry ], [ %and, %do.body ]
  %add = add nuw nsw i32 %cpu.addr.0, 1
  %and = and i32 %add, 8191
  %shr.i = lshr i32 %and, 6
  %idxprom.i = zext nneg i32 %shr.i to i64
  %arrayidx.i = getelementptr inbounds nuw i64, ptr %mask, i64 %idxprom.i
  %0 = load i64, ptr %arrayidx.i, align 8
  %and.i = and i32 %add, 63
  %sh_prom.i = zext nneg i32 %and.i to i64
  %1 = shl nuw i64 1, %sh_prom.i
  %2 = and i64 %1, %0
  %tobool.i.not = icmp eq i64 %2, 0
  br i1 %tobool.i.not, label %do.body, label %do.end

do.end:                                           ; preds = %do.body
  ret i32 %and
}

define internal fastcc range(i32 0, 8192) i32 @core_of(i32 noundef range(i32 0, 8192) %cpu) unnamed_addr #0 {
entry:
  %path = alloca [128 x i8], align 16
  %first = alloca i32, align 4
  %call = call i32 (ptr, i64, ptr, ...) @snprintf(ptr noundef nonnull %path, i64 noundef 128, ptr noundef nonnull @.str.16, i32 noundef %cpu) #10
  store i32 %cpu, ptr %first, align 4
  %call2 = call ptr @fopen(ptr noundef nonnull %path, ptr noundef nonnull @.str.1) #10
  %tobool.not = icmp eq ptr %call2, null
  br i1 %tobool.not, label %if.end, label %if.then

if.then:                                          ; preds = %entry
  %call3 = call i32 (ptr, ptr, ...) @fscanf(ptr noundef nonnull %call2, ptr noundef nonnull @.str.17, ptr noundef nonnull %first) #10
  %call4 = call i32 @fclose(ptr noundef nonnull %call2) #10
  %.pre = load i32, ptr %first, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  %0 = phi i32 [ %.pre, %if.then ], [ %cpu, %entry ]
  %and = and i32 %0, 8191
  ret i32 %and
}

declare i64 @llvm.smin.i64(i64, i64) #8

declare i64 @llvm.fshl.i64(i64, i64, i64) #8

declare void @llvm.lifetime.start.p0(ptr captures(none)) #9

declare void @llvm.lifetime.end.p0(ptr captures(none)) #9

declare i32 @llvm.smin.i32(i32, i32) #8

declare i32 @llvm.smax.i32(i32, i32) #8

declare i64 @llvm.umin.i64(i64, i64) #8

attributes #0 = { nounwind uwtable }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #3 = { nounwind uwtable }
attributes #4 = { nounwind }
attributes #5 = { nounwind uwtable }
attributes #6 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #7 = { nofree norecurse nosync nounwind memory(argmem: read) uwtable }
attributes #8 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #9 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #10 = { nobuiltin nounwind }
attributes #11 = { nobuiltin }
