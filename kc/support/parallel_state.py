"""LLVM IR of the parallel pool's state: one for the process, its lock, its workers' lives.

A part of :func:`kc.support.parallel_pool.pool_ir`, which fills in the names after ``$``.
"""

from string import Template

STATE = Template("""
; ---- the state of the process

; Finds the state, or makes it; null if there is no memory.
define internal ptr @kc.pool.attach() {
entry:
  %now = alloca [2 x i64]
  call void @llvm.memset.p0.i64(ptr %now, i8 0, i64 16, i1 false)
  %random = call i64 @getauxval(i64 25)                 ; AT_RANDOM: 16 bytes
  %unset = icmp eq i64 %random, 0
  br i1 %unset, label %anywhere, label %seed
seed:
  %low = inttoptr i64 %random to ptr
  %high = getelementptr i8, ptr %low, i64 8
  %a = load i64, ptr %low, align 1
  %b = load i64, ptr %high, align 1
  %b1 = call i64 @llvm.fshl.i64(i64 %b, i64 %b, i64 32)
  %ab = xor i64 %a, %b1
  br label %candidate
candidate:                                              ; 64 GiB to 320 GiB: user space everywhere
  %k = phi i64 [0, %seed], [%k1, %foreign]
  %hash = phi i64 [%ab, %seed], [%hash2, %foreign]
  %hash1 = mul i64 %hash, 6364136223846793005
  %hash2 = add i64 %hash1, 1442695040888963407
  %page = lshr i64 %hash2, 42
  %slot = add i64 %page, 1048576
  %address = shl i64 %slot, 16
  %wanted = inttoptr i64 %address to ptr
  %got = call ptr @mmap(ptr %wanted, i64 $state_bytes, i32 3, i32 $map_here, i32 -1, i64 0)
  %made = icmp eq ptr %got, %wanted
  br i1 %made, label %new, label %other
other:
  %refused = icmp eq ptr %got, inttoptr (i64 -1 to ptr)
  br i1 %refused, label %probe, label %moved
moved:                                                  ; a kernel that does not know NOREPLACE
  %undone = call i32 @munmap(ptr %got, i64 $state_bytes)
  br label %probe
probe:                     ; the kernel compares: ETIMEDOUT: equal, EAGAIN: not, EFAULT: no access
  %tries = phi i64 [0, %other], [0, %moved], [%tries1, %yield]
  %waited = call i64 (i64, ...) @syscall(i64 $futex, ptr %wanted, i64 $futex_wait, i64 $magic,
                                         ptr %now, ptr null, i64 0)
  %errno = call ptr @__errno_location()
  %why = load i32, ptr %errno
  %ours = icmp eq i32 %why, 110
  br i1 %ours, label %known, label %differs
differs:
  %again = icmp eq i32 %why, 11
  %patient = icmp ult i64 %tries, 1000
  %wait = and i1 %again, %patient
  br i1 %wait, label %yield, label %foreign
yield:                                                  ; the maker may not have written it yet
  %yielded = call i32 @sched_yield()
  %tries1 = add i64 %tries, 1
  br label %probe
foreign:
  %k1 = add i64 %k, 1
  %left = icmp ult i64 %k1, 8
  br i1 %left, label %candidate, label %anywhere
anywhere:                                               ; a pool for this module alone
  %some = call ptr @mmap(ptr null, i64 $state_bytes, i32 3, i32 $map_any, i32 -1, i64 0)
  %none = icmp eq ptr %some, inttoptr (i64 -1 to ptr)
  br i1 %none, label %fail, label %new
new:
  %base = phi ptr [%wanted, %candidate], [%some, %anywhere]
  %wiped = getelementptr i8, ptr %base, i64 $part_bytes
  %refusal = call i32 @madvise(ptr %wiped, i64 $part_bytes, i32 $wipe_on_fork)
  %accepted = icmp eq i32 %refusal, 0
  ; Emulators accept any advice and follow none, so see whether nonsense is refused.
  %refusal1 = call i32 @madvise(ptr %wiped, i64 $part_bytes, i32 -1)
  %honest = icmp ne i32 %refusal1, 0
  %wipes = and i1 %accepted, %honest
  br i1 %wipes, label %publish, label %compare
compare:
  %pid = call i32 @getpid()
  %pid.at = getelementptr %kc.config, ptr %base, i32 0, i32 $config_pid
  store atomic i32 %pid, ptr %pid.at monotonic, align 4
  br label %publish
publish:
  store atomic i32 $magic, ptr %base release, align 4
  br label %known
known:
  %found = phi ptr [%base, %publish], [%wanted, %probe]
  fence acquire
  %s = getelementptr i8, ptr %found, i64 $part_bytes
  store atomic ptr %s, ptr @kc.pool release, align 8
  ret ptr %s
fail:
  ret ptr null
}

; The state, or null; emptied where a fork left the parent's.
define internal ptr @kc.pool.get() {
entry:
  %seen = load atomic ptr, ptr @kc.pool acquire, align 8
  %new = icmp eq ptr %seen, null
  br i1 %new, label %attach, label %check
attach:
  %made = call ptr @kc.pool.attach()
  %none = icmp eq ptr %made, null
  br i1 %none, label %exit, label %check
check:
  %s = phi ptr [%seen, %entry], [%made, %attach]
  %config = getelementptr i8, ptr %s, i64 -$part_bytes
  %pid.at = getelementptr %kc.config, ptr %config, i32 0, i32 $config_pid
  %pid = load atomic i32, ptr %pid.at monotonic, align 4
  %wiped = icmp eq i32 %pid, 0
  br i1 %wiped, label %exit, label %compare
compare:
  %here = call i32 @getpid()
  %same = icmp eq i32 %here, %pid
  br i1 %same, label %exit, label %forked
forked:
  call void @llvm.memset.p0.i64(ptr %s, i8 0, i64 $part_bytes, i1 false)
  store atomic i32 %here, ptr %pid.at monotonic, align 4
  br label %exit
exit:
  %result = phi ptr [null, %attach], [%s, %check], [%s, %compare], [%s, %forked]
  ret ptr %result
}

; Takes the lock, waiting for the jobs of others for about two seconds. False if it could not: they
; last longer, or the calling thread is itself in a parallel loop.
define internal i1 @kc.pool.acquire(ptr %s) {
entry:
  %self = call i64 @pthread_self()
  %lock = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_lock
  %count.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_count
  br label %try
try:
  %tries = phi i32 [0, %entry], [%tries1, %wait]
  %taken = cmpxchg ptr %lock, i64 0, i64 %self acquire monotonic, align 8
  %ok = extractvalue {i64, i1} %taken, 1
  br i1 %ok, label %exit, label %caller
caller:
  %holder = extractvalue {i64, i1} %taken, 0
  %own = icmp eq i64 %holder, %self
  br i1 %own, label %exit, label %worker
worker:
  %i = phi i32 [0, %caller], [%i1, %next]
  %count = load atomic i32, ptr %count.at acquire, align 4
  %more = icmp ult i32 %i, %count
  br i1 %more, label %next, label %patience
next:
  %thread.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_workers, i32 %i, i32 $worker_thread
  %thread = load atomic i64, ptr %thread.at monotonic, align 8
  %inside = icmp eq i64 %thread, %self
  %i1 = add i32 %i, 1
  br i1 %inside, label %exit, label %worker
patience:
  %late = icmp eq i32 %tries, 12000
  br i1 %late, label %exit, label %wait
wait:
  %slept = call i32 @usleep(i32 100)
  %tries1 = add i32 %tries, 1
  br label %try
exit:
  %result = phi i1 [true, %try], [false, %caller], [false, %next], [false, %patience]
  ret i1 %result
}

define internal void @kc.pool.release(ptr %s) {
  %lock = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_lock
  store atomic i64 0, ptr %lock release, align 8
  ret void
}
""")

THREADS = Template("""
; ---- starting, placing and stopping the workers: the caller holds the lock

; Pins a thread (0: the calling one). A refusal, of a CPU that has gone, say, leaves it where it is.
define internal void @kc.pool.pin(i32 %tid, i32 %cpu) {
  %mask = alloca [$mask_words x i64]
  call void @llvm.memset.p0.i64(ptr %mask, i8 0, i64 $mask_bytes, i1 false)
  call void @kc.cpus.add(ptr %mask, i32 %cpu)
  %refused = call i32 @sched_setaffinity(i32 %tid, i64 $mask_bytes, ptr %mask)
  ret void
}

; If the caller is on a worker's CPU, that worker moves to the CPU the caller left.
define internal void @kc.pool.make_room(ptr %s) {
entry:
  %home.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_home
  %count.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_count
  %home = load i32, ptr %home.at
  %count = load i32, ptr %count.at
  %none = icmp slt i32 %home, 0
  br i1 %none, label %exit, label %look
look:
  %here = call i32 @sched_getcpu()
  %still = icmp eq i32 %here, %home
  br i1 %still, label %exit, label %find
find:
  %i = phi i32 [0, %look], [%i1, %compare]
  %more = icmp ult i32 %i, %count
  br i1 %more, label %compare, label %exit
compare:
  %cpu.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_workers, i32 %i, i32 $worker_cpu
  %cpu = load i32, ptr %cpu.at
  %i1 = add i32 %i, 1
  %here.too = icmp eq i32 %cpu, %here
  br i1 %here.too, label %swap, label %find
swap:                                                   ; the worker stores tid, then loads cpu
  store i32 %here, ptr %home.at
  %moved = atomicrmw xchg ptr %cpu.at, i32 %home seq_cst, align 4
  %tid.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_workers, i32 %i, i32 $worker_tid
  %tid = load atomic i32, ptr %tid.at seq_cst, align 4
  %unborn = icmp eq i32 %tid, 0
  br i1 %unborn, label %exit, label %move
move:
  call void @kc.pool.pin(i32 %tid, i32 %home)
  br label %exit
exit:
  ret void
}

; Decides the number of threads, their CPUs and whether they spin.
define internal void @kc.pool.plan(ptr %s) {
entry:
  %mask = alloca [$mask_words x i64]
  %workers = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_workers
  %threads.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_threads
  %spin.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_spin
  %home.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_home
  %config = getelementptr i8, ptr %s, i64 -$part_bytes
  %asked.at = getelementptr %kc.config, ptr %config, i32 0, i32 $config_threads
  %given.at = getelementptr %kc.config, ptr %config, i32 0, i32 $config_given
  %allowed = call i32 @kc.cpus.allowed(ptr %mask)
  %available = call i32 @kc.cpus.available(i32 %allowed)
  %asked = load i32, ptr %asked.at
  %free = icmp eq i32 %asked, 0
  br i1 %free, label %default, label %decided
default:
  %wanted = call i32 @kc.cpus.wanted(i32 %available)
  br label %decided
decided:
  %threads = phi i32 [%asked, %entry], [%wanted, %default]
  %crowded = icmp ugt i32 %threads, %available
  %spin = select i1 %crowded, i64 0, i64 $spin_ns
  store i64 %spin, ptr %spin.at
  %count = sub i32 %threads, 1
  %given = load i32, ptr %given.at
  %chosen = icmp ne i32 %given, 0
  br i1 %chosen, label %copy, label %choose
choose:
  %home = call i32 @kc.cpus.home(ptr %mask)
  %spare = icmp ult i32 %threads, %allowed
  %round = select i1 %spare, i32 0, i32 1
  call void @kc.cpus.place(ptr %mask, i32 %home, ptr %workers, i32 %count, i32 %round)
  %room = icmp ule i32 %threads, %allowed
  %home1 = select i1 %room, i32 %home, i32 -1
  store i32 %home1, ptr %home.at
  br label %exit
copy:                                                   ; the first CPU is the caller's
  %i = phi i32 [0, %decided], [%i1, %copy]
  %from = getelementptr %kc.config, ptr %config, i32 0, i32 $config_cpus, i32 %i
  %cpu = load i32, ptr %from
  %first = icmp eq i32 %i, 0
  %before = sub i32 %i, 1
  %slot = getelementptr %kc.worker, ptr %workers, i32 %before, i32 $worker_cpu
  %to = select i1 %first, ptr %home.at, ptr %slot
  store i32 %cpu, ptr %to
  %i1 = add i32 %i, 1
  %end = icmp eq i32 %i1, %threads
  br i1 %end, label %exit, label %copy
exit:
  store atomic i32 %threads, ptr %threads.at release, align 4
  ret void
}

; Starts the workers, as many as the system lets us.
define internal void @kc.pool.start(ptr %s) {
entry:
  %blocked = alloca [16 x i64]
  %before = alloca [16 x i64]
  %threads.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_threads
  %started.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_started
  %count.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_count
  %owner.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_owner
  %planned = load i32, ptr %threads.at
  %unknown = icmp eq i32 %planned, 0
  br i1 %unknown, label %plan, label %ready
plan:
  call void @kc.pool.plan(ptr %s)
  br label %ready
ready:
  %threads = load i32, ptr %threads.at
  %wanted = sub i32 %threads, 1
  call void @llvm.memset.p0.i64(ptr %blocked, i8 -1, i64 128, i1 false)
  store i64 $signals, ptr %blocked
  %masked = call i32 @pthread_sigmask(i32 2, ptr %blocked, ptr %before)
  br label %next
next:
  %i = phi i32 [0, %ready], [%i1, %made]
  %more = icmp ult i32 %i, %wanted
  br i1 %more, label %create, label %exit
create:
  %worker = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_workers, i32 %i
  %tid.at = getelementptr %kc.worker, ptr %worker, i32 0, i32 $worker_tid
  store i32 0, ptr %tid.at
  %thread.at = getelementptr %kc.worker, ptr %worker, i32 0, i32 $worker_thread
  %error = call i32 @pthread_create(ptr %thread.at, ptr null, ptr @kc.pool.worker, ptr %worker)
  %failed = icmp ne i32 %error, 0
  br i1 %failed, label %exit, label %made
made:
  %i1 = add i32 %i, 1
  br label %next
exit:
  %restored = call i32 @pthread_sigmask(i32 2, ptr %before, ptr null)
  %all = add i32 %i, 1
  store atomic i32 %all, ptr %threads.at release, align 4
  store atomic i32 %i, ptr %count.at release, align 4
  store ptr @kc.pool.worker, ptr %owner.at
  store i32 1, ptr %started.at
  ret void
}

; Ends the workers and forgets the plan: the next loop makes a new one.
define internal void @kc.pool.stop(ptr %s) {
entry:
  %threads.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_threads
  %started.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_started
  %count.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_count
  %stop.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_stop
  %count = load i32, ptr %count.at
  %going = atomicrmw xchg ptr %stop.at, i32 1 seq_cst, align 4
  call void @kc.pool.wake(ptr %s, i64 $max_threads)
  br label %next
next:
  %i = phi i32 [0, %entry], [%i1, %join]
  %more = icmp ult i32 %i, %count
  br i1 %more, label %join, label %exit
join:
  %thread.at = getelementptr %kc.pool, ptr %s, i32 0, i32 $pool_workers, i32 %i, i32 $worker_thread
  %thread = load i64, ptr %thread.at
  %joined = call i32 @pthread_join(i64 %thread, ptr null)
  %i1 = add i32 %i, 1
  br label %next
exit:
  store atomic i32 0, ptr %count.at release, align 4
  store atomic i32 0, ptr %stop.at release, align 4
  store i32 0, ptr %started.at
  store atomic i32 0, ptr %threads.at release, align 4
  ret void
}
""")
