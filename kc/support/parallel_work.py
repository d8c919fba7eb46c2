"""LLVM IR of the parallel pool's work: claiming chunks, idling, waiting for the last ones.

A part of :func:`kc.support.parallel_pool.pool_ir`, which fills in the names after ``$``.

**The handshake.** ``ticket`` holds the number of chunks that nobody has claimed, or less than 1.

1. The caller, who holds ``lock``, writes the job (body, ctx, n, grain, chunks) and then stores
   ``chunks - 1`` to ``ticket``: it keeps chunk 0 for itself.
2. A claim takes one from ``ticket`` atomically. If the old value c was positive the claim is valid
   and is for chunk ``chunks - c``; only now the claimant reads the job. If not, it leaves the job
   alone. Who idles claims only after having seen a positive ``ticket``, so it never sinks far.
3. A thread that claims goes on until a claim fails. A worker then adds to ``done``, which is never
   reset, the number of chunks it ran. The caller waits until ``done`` has grown by the number of
   chunks it did not run itself, and releases ``lock`` only then.

*Nobody reads a job that is over.* A valid claim got a number that the store of step 1 or a claim
after it left behind, and these are one release sequence, so the claimant sees the job written in
that step 1. Until it has reported the chunk, that job's caller is in step 3, and no other job is
written. A worker that is interrupted between seeing a positive ``ticket`` and claiming finds either
none left, or a chunk of a later job, which it then reads; what it saw before does not matter.

*Every chunk runs once.* The numbers that valid claims of a job get are distinct and are all of
``chunks - 1 ... 1``; the next store to ``ticket`` comes after all of them have been reported.

*The caller waits for nobody but claimants.* A worker that claimed nothing owes nothing.

*No wake-up is lost.* A worker that goes to sleep counts itself in ``sleepers``, then reads
``ticket``; the caller writes ``ticket``, then reads ``sleepers``. All four are sequentially
consistent, so at least one sees the other. ``wakes`` was read before, and each wake-up changes it,
so the futex does not sleep over one. ``stop`` works as ``ticket`` does. A caller that has waited
for long sets ``waiting``, then reads ``done``; a worker adds to ``done``, then reads ``waiting``. A
worker may clear ``waiting`` when its caller has gone and another one is there; it then wakes that
one, or keeps its futex from sleeping, and that caller looks again. (Writes that come before such a
read are read-modify-writes: QEMU was seen to let loads overtake sequentially consistent stores.)
"""

from string import Template

WORK = Template("""
; ---- waiting and working

define internal i64 @kc.pool.clock() {
  %time = alloca [2 x i64]
  %ok = call i32 @clock_gettime(i32 1, ptr %time)       ; CLOCK_MONOTONIC
  %s = load i64, ptr %time
  %ns.at = getelementptr i64, ptr %time, i64 1
  %ns = load i64, ptr %ns.at
  %whole = mul i64 %s, 1000000000
  %sum = add i64 %whole, %ns
  ret i64 %sum
}

; Wakes up to `most` sleeping workers.
define internal void @kc.pool.wake(ptr %s, i64 %most) {
  %wakes = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_wakes
  %old = atomicrmw add ptr %wakes, i32 1 seq_cst, align 4
  %some = call i64 @llvm.umin.i64(i64 %most, i64 $max_threads)
  %woken = call i64 (i64, ...) @syscall(i64 $futex, ptr %wakes, i64 $futex_wake, i64 %some,
                                        ptr null, ptr null, i64 0)
  ret void
}

; Claims and runs chunks until none is left; how many it ran.
define internal i64 @kc.pool.run(ptr %s) {
entry:
  %ticket = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_ticket
  %body.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_body
  %ctx.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_ctx
  %n.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_n
  %grain.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_grain
  %chunks.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_chunks
  br label %claim
claim:
  %ran = phi i64 [0, %entry], [%ran1, %chunk]
  %c = atomicrmw sub ptr %ticket, i64 1 acquire, align 8
  %valid = icmp sgt i64 %c, 0
  br i1 %valid, label %chunk, label %exit
chunk:
  %body = load ptr, ptr %body.at
  %ctx = load ptr, ptr %ctx.at
  %n = load i64, ptr %n.at
  %grain = load i64, ptr %grain.at
  %chunks = load i64, ptr %chunks.at
  %index = sub i64 %chunks, %c
  %begin = mul i64 %index, %grain
  %rest = sub i64 %n, %begin
  %size = call i64 @llvm.umin.i64(i64 %grain, i64 %rest)
  %end = add i64 %begin, %size
  call void %body(i64 %begin, i64 %end, ptr %ctx)
  %ran1 = add i64 %ran, 1
  br label %claim
exit:
  ret i64 %ran
}

define internal ptr @kc.pool.worker(ptr %self) {
entry:
  %s = load atomic ptr, ptr @kc.pool acquire, align 8
  %ticket = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_ticket
  %stop.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_stop
  %done = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_done
  %waiting = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_waiting
  %sleepers = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_sleepers
  %wakes = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_wakes
  %spin.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_spin
  %tid.at = getelementptr %kc.worker, ptr %self, i32 0, i32 $worker_tid
  %cpu.at = getelementptr %kc.worker, ptr %self, i32 0, i32 $worker_cpu
  %spin = load i64, ptr %spin.at
  %named = call i32 (i32, ...) @prctl(i32 15, ptr @kc.text.name, i64 0, i64 0, i64 0)
  %id = call i64 (i64, ...) @syscall(i64 $gettid)
  %tid = trunc i64 %id to i32
  %unset = atomicrmw xchg ptr %tid.at, i32 %tid seq_cst, align 4
  br label %pin
pin:
  %cpu = load atomic i32, ptr %cpu.at seq_cst, align 4
  call void @kc.pool.pin(i32 0, i32 %cpu)
  %cpu1 = load atomic i32, ptr %cpu.at seq_cst, align 4
  %settled = icmp eq i32 %cpu, %cpu1
  br i1 %settled, label %idle, label %pin

idle:
  br label %spin.look
spin.look:
  %i = phi i64 [0, %idle], [%i1, %spin.on], [%i1, %spin.time]
  %until = phi i64 [0, %idle], [%until, %spin.on], [%until1, %spin.time]
  %left = load atomic i64, ptr %ticket monotonic, align 8
  %work = icmp sgt i64 %left, 0
  br i1 %work, label %run, label %spin.stop
spin.stop:
  %ending = load atomic i32, ptr %stop.at acquire, align 4
  %stop = icmp ne i32 %ending, 0
  br i1 %stop, label %exit, label %spin.on
spin.on:
  call void $pause
  %i1 = add i64 %i, 1
  %low = and i64 %i1, 63                                ; the clock costs about two pauses
  %time = icmp eq i64 %low, 0
  br i1 %time, label %spin.time, label %spin.look
spin.time:
  %now = call i64 @kc.pool.clock()
  %first = icmp eq i64 %until, 0
  %limit = add i64 %now, %spin
  %until1 = select i1 %first, i64 %limit, i64 %until
  %over = icmp sge i64 %now, %until1
  br i1 %over, label %sleep, label %spin.look

sleep:
  %seen = load atomic i32, ptr %wakes acquire, align 4
  %s0 = atomicrmw add ptr %sleepers, i32 1 seq_cst, align 4
  %left1 = load atomic i64, ptr %ticket seq_cst, align 8
  %work1 = icmp sgt i64 %left1, 0
  %ending1 = load atomic i32, ptr %stop.at seq_cst, align 4
  %stop1 = icmp ne i32 %ending1, 0
  %busy = or i1 %work1, %stop1
  br i1 %busy, label %awake, label %wait
wait:
  %value = zext i32 %seen to i64
  %woken = call i64 (i64, ...) @syscall(i64 $futex, ptr %wakes, i64 $futex_wait, i64 %value,
                                        ptr null, ptr null, i64 0)
  br label %awake
awake:
  %s1 = atomicrmw sub ptr %sleepers, i32 1 seq_cst, align 4
  br label %idle

run:
  %ran = call i64 @kc.pool.run(ptr %s)
  %nothing = icmp eq i64 %ran, 0
  br i1 %nothing, label %idle, label %tell
tell:
  %d = atomicrmw add ptr %done, i64 %ran seq_cst, align 8
  %w = load atomic i32, ptr %waiting seq_cst, align 4
  %asleep = icmp ne i32 %w, 0
  br i1 %asleep, label %rouse, label %idle
rouse:
  store atomic i32 0, ptr %waiting monotonic, align 4
  %roused = call i64 (i64, ...) @syscall(i64 $futex, ptr %waiting, i64 $futex_wake, i64 1,
                                         ptr null, ptr null, i64 0)
  br label %idle
exit:
  ret ptr null
}

; The caller waits until workers have run the chunks it has not: until `done` is `target`.
define internal void @kc.pool.await(ptr %s, i64 %target) {
entry:
  %done = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_done
  %waiting = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_waiting
  %spin.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_spin
  %spin = load i64, ptr %spin.at
  br label %look
look:
  %i = phi i64 [0, %entry], [%i1, %on], [%i1, %later]
  %until = phi i64 [0, %entry], [%until, %on], [%until1, %later]
  %d = load atomic i64, ptr %done acquire, align 8
  %all = icmp eq i64 %d, %target
  br i1 %all, label %exit, label %on
on:
  call void $pause
  %i1 = add i64 %i, 1
  %low = and i64 %i1, 511
  %clock = icmp eq i64 %low, 0
  br i1 %clock, label %time, label %look
time:
  %now = call i64 @kc.pool.clock()
  %first = icmp eq i64 %until, 0
  br i1 %first, label %room, label %later
room:
  call void @kc.pool.make_room(ptr %s)
  %limit = add i64 %now, %spin
  br label %later
later:
  %until1 = phi i64 [%limit, %room], [%until, %time]
  %over = icmp sge i64 %now, %until1
  br i1 %over, label %sleep, label %look
sleep:
  %w = atomicrmw xchg ptr %waiting, i32 1 seq_cst, align 4
  %d1 = load atomic i64, ptr %done seq_cst, align 8
  %all1 = icmp eq i64 %d1, %target
  br i1 %all1, label %clear, label %wait
wait:
  %woken = call i64 (i64, ...) @syscall(i64 $futex, ptr %waiting, i64 $futex_wait, i64 1,
                                        ptr null, ptr null, i64 0)
  br label %sleep
clear:
  store atomic i32 0, ptr %waiting monotonic, align 4
  br label %exit
exit:
  ret void
}

; Runs the job in the caller and the workers; see the head of the file for the handshake.
define $public void @kc_parallel_for(ptr %body, ptr %ctx, i64 %n, i64 %grain) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %size, label %exit
size:
  %single = icmp eq i64 %n, 1
  %whole = icmp sge i64 %grain, %n
  %alone = or i1 %single, %whole
  br i1 %alone, label %serial, label %get
get:
  %s = call ptr @kc.pool.get()
  %none = icmp eq ptr %s, null
  br i1 %none, label %serial, label %lock
lock:                                                   ; a nested loop or a second caller: no wait
  %self = call i64 @pthread_self()
  %lock.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_lock
  %taken = cmpxchg ptr %lock.at, i64 0, i64 %self acquire monotonic, align 8
  %ok = extractvalue {i64, i1} %taken, 1
  br i1 %ok, label %check, label %serial
check:
  %started.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_started
  %started = load i32, ptr %started.at
  %fresh = icmp eq i32 %started, 0
  br i1 %fresh, label %start, label %ready
start:
  call void @kc.pool.start(ptr %s)
  br label %ready
ready:
  %threads.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_threads
  %threads = load i32, ptr %threads.at
  %unshared = icmp ult i32 %threads, 2
  br i1 %unshared, label %give.up, label %share
share:
  %automatic = icmp slt i64 %grain, 1
  br i1 %automatic, label %choose, label %job
choose:                                                 ; about four chunks for each thread
  %wide = zext i32 %threads to i64
  %parts = shl i64 %wide, 2
  %n1 = sub i64 %n, 1
  %part = udiv i64 %n1, %parts
  %part1 = add i64 %part, 1
  br label %job
job:
  %step = phi i64 [%grain, %share], [%part1, %choose]
  %last = sub i64 %n, 1
  %full = udiv i64 %last, %step
  %chunks = add i64 %full, 1
  %ticket = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_ticket
  %body.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_body
  %ctx.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_ctx
  %n.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_n
  %grain.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_grain
  %chunks.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_chunks
  %done = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_done
  %sleepers.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_sleepers
  %done0 = load atomic i64, ptr %done monotonic, align 8
  store ptr %body, ptr %body.at
  store ptr %ctx, ptr %ctx.at
  store i64 %n, ptr %n.at
  store i64 %step, ptr %grain.at
  store i64 %chunks, ptr %chunks.at
  %t = atomicrmw xchg ptr %ticket, i64 %full seq_cst, align 8   ; chunk 0 is the caller's
  call void @kc.pool.make_room(ptr %s)
  %sleepers = load atomic i32, ptr %sleepers.at seq_cst, align 4
  %awake = icmp eq i32 %sleepers, 0
  br i1 %awake, label %first, label %wake
wake:
  call void @kc.pool.wake(ptr %s, i64 %full)
  br label %first
first:                                                  ; step < n, or it had run serially
  call void %body(i64 0, i64 %step, ptr %ctx)
  %ran = call i64 @kc.pool.run(ptr %s)
  %others = sub i64 %full, %ran
  %own = icmp eq i64 %others, 0
  br i1 %own, label %release, label %join
join:
  %target = add i64 %done0, %others
  call void @kc.pool.await(ptr %s, i64 %target)
  br label %release
release:
  store atomic i64 0, ptr %lock.at release, align 8
  br label %exit
give.up:
  store atomic i64 0, ptr %lock.at release, align 8
  br label %serial
serial:
  call void %body(i64 0, i64 %n, ptr %ctx)
  br label %exit
exit:
  ret void
}
""")
