/* A CUDA driver without a GPU, for tests: libcuda's functions that kc uses, on the host's memory.
 *
 * It is as strict as the real one where kc could go wrong:
 *
 * - Addresses of the device cannot be touched by the host: they lie in pages without access, and the
 *   memory behind them is mapped elsewhere.
 * - What is queued in a stream runs when somebody waits for it, and no earlier. Streams wait for each
 *   other by events alone. Memory is overwritten when it is allocated and when it is given back, in the
 *   order of the stream.
 * - A thread needs a context, a launch parameters of the sizes that the PTX declares.
 *
 * A test says what loads PTX and what runs a kernel (fake_hooks).
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef int CUresult;
enum {
  SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100,
  INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_PTX = 218, INVALID_HANDLE = 400,
  NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700, LAUNCH_OUT_OF_RESOURCES = 701
};

/* What tests set and ask. */
static int device_count = 1, driver_version = 12040, capability = 90, has_pools = 1;
static int most_threads = 1024, registers = 32;
static size_t memory_size = (size_t)1 << 30;
static int counts[8];
enum { LAUNCHES, ALLOCS, FREES, STREAMS, EVENTS, SYNCHRONIZATIONS, LOADS, MAPS };

typedef int (*LoadHook)(const char *ptx, char *error, int size);
typedef int (*LaunchHook)(const char *ptx, const char *kernel, const unsigned *sizes, void **parameters);
static LoadHook load_hook;
typedef int (*EncodeHook)(void *map, int type, unsigned rank, void *base, const uint64_t *sizes,
                          const uint64_t *strides, const unsigned *box, const unsigned *steps,
                          int interleave, int swizzle, int promotion, int fill);
static LaunchHook launch_hook;
static EncodeHook encode_hook;

void fake_hooks(LoadHook load, LaunchHook launch) { load_hook = load; launch_hook = launch; }
void fake_encoder(EncodeHook encode) { encode_hook = encode; }
void fake_configure(int devices, int version, int sm, int pools, size_t memory) {
  device_count = devices; driver_version = version; capability = sm; has_pools = pools;
  memory_size = memory;
}
void fake_kernels(int threads, int regs) { most_threads = threads; registers = regs; }
int fake_count(int which) { return counts[which]; }

/* Memory: pages without access, and the same pages elsewhere. */
enum { SPACE = 1 << 30, GRAIN = 256, MOST_BLOCKS = 4096 };
static char *device_base, *shadow_base;
static struct { size_t offset, size; int used; } blocks[MOST_BLOCKS];
static int block_count;
static size_t used;

static void map_memory(void) {
  if (device_base) return;
  device_base = mmap(NULL, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  shadow_base = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                     -1, 0);
  blocks[0].offset = 0;
  blocks[0].size = SPACE;
  block_count = 1;
}
static int is_device(uint64_t address) {
  return address >= (uint64_t)device_base && address < (uint64_t)device_base + SPACE;
}
static void *behind(uint64_t address) {
  return is_device(address) ? shadow_base + (address - (uint64_t)device_base) : (void *)address;
}
static CUresult allocate(uint64_t *address, size_t size) {
  map_memory();
  size = (size + GRAIN - 1) / GRAIN * GRAIN;
  if (!size) return INVALID_VALUE;
  if (used + size > memory_size) return OUT_OF_MEMORY;
  for (int i = 0; i < block_count; ++i)
    if (!blocks[i].used && blocks[i].size >= size) {
      if (blocks[i].size > size && block_count < MOST_BLOCKS) {
        memmove(&blocks[i + 1], &blocks[i], (block_count - i) * sizeof blocks[0]);
        ++block_count;
        blocks[i + 1].offset += size;
        blocks[i + 1].size -= size;
        blocks[i].size = size;
      }
      blocks[i].used = 1;
      used += size;
      ++counts[ALLOCS];
      *address = (uint64_t)device_base + blocks[i].offset;
      memset(shadow_base + blocks[i].offset, 0xcd, size);
      return SUCCESS;
    }
  return OUT_OF_MEMORY;
}
static CUresult release(uint64_t address) {
  for (int i = 0; i < block_count; ++i)
    if (blocks[i].used && (uint64_t)device_base + blocks[i].offset == address) {
      blocks[i].used = 0;
      used -= blocks[i].size;
      ++counts[FREES];
      memset(shadow_base + blocks[i].offset, 0xdb, blocks[i].size);
      return SUCCESS;
    }
  return INVALID_VALUE;
}

/* Code. */
typedef struct Module { char *ptx; } Module;
typedef struct Function { Module *module; char name[256]; int count, sizes[64], is_pointer[64]; } Function;

/* Streams: what is queued, in order. */
typedef struct Stream Stream;
typedef struct Event Event;
typedef enum { COPY, FILL, LAUNCH, RELEASE, RECORD, WAIT } What;
typedef struct Work {
  struct Work *next;
  What what;
  uint64_t number, to, from, size, pitch;
  Function *function;
  unsigned sizes[7];
  uint64_t parameters[64];
  struct { _Alignas(64) char bytes[128]; } maps[8];
  int map_count;
  Event *event;
  Stream *stream;
} Work;
struct Stream { Work *first, *last; };
struct Event { Stream *stream; uint64_t number; double time; };
static Stream default_stream;
static uint64_t next_number = 1;
static CUresult sticky;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e3 * time.tv_sec + 1e-6 * time.tv_nsec;
}
static Stream *stream_of(void *stream) { return stream ? stream : &default_stream; }
static Work *queue(void *stream, What what) {
  Stream *home = stream_of(stream);
  Work *work = aligned_alloc(_Alignof(Work), sizeof *work);
  memset(work, 0, sizeof *work);
  work->what = what;
  work->number = next_number++;
  if (home->last) home->last->next = work; else home->first = work;
  home->last = work;
  return work;
}
static void run(Stream *stream, uint64_t up_to);
enum { MAP_BYTES = 128, MAP_BASE = 16 }; /* where the emulator has the address of the array */
static void perform(Work *work) {
  void *parameters[64];
  switch (work->what) {
    case COPY: memmove(behind(work->to), behind(work->from), work->size); break;
    case FILL: {
      char *row = behind(work->to);
      for (uint64_t r = 0; r < work->parameters[3]; ++r, row += work->pitch)
        for (uint64_t i = 0; i < work->parameters[2]; ++i)
          memcpy(row + i * work->parameters[1], &work->parameters[0], work->parameters[1]);
      break;
    }
    case LAUNCH:
      for (int i = 0; i < work->function->count; ++i) {
        if (work->function->is_pointer[i]) work->parameters[i] = (uint64_t)behind(work->parameters[i]);
        parameters[i] = &work->parameters[i];
        if (work->function->sizes[i] == MAP_BYTES) {
          char *map = work->maps[work->parameters[i]].bytes;
          uint64_t base;
          memcpy(&base, map + MAP_BASE, sizeof base);
          base = (uint64_t)behind(base);
          memcpy(map + MAP_BASE, &base, sizeof base);
          parameters[i] = map;
        }
      }
      if (launch_hook) {
        CUresult result = launch_hook(work->function->module->ptx, work->function->name, work->sizes,
                                      parameters);
        if (result && !sticky) sticky = result;
      }
      break;
    case RELEASE: release(work->to); break;
    case RECORD: if (work->event->number == work->number) work->event->time = now(); break;
    case WAIT: run(work->stream, work->size); break;
  }
}
static void run(Stream *stream, uint64_t up_to) {
  while (stream->first && stream->first->number <= up_to) {
    Work *work = stream->first;
    stream->first = work->next;
    if (!stream->first) stream->last = NULL;
    perform(work);
    free(work);
  }
}
static Stream *streams[256];
static int stream_count;
static void run_all(void) {
  ++counts[SYNCHRONIZATIONS];
  run(&default_stream, UINT64_MAX);
  for (int i = 0; i < stream_count; ++i) if (streams[i]) run(streams[i], UINT64_MAX);
}

/* Contexts. */
static int initialized;
static int contexts[16];
static __thread void *stack[16];
static __thread int depth;
#define NEEDS_CONTEXT \
  if (!initialized) return NOT_INITIALIZED; \
  if (!depth) return INVALID_CONTEXT; \
  if (sticky) return sticky

CUresult cuInit(unsigned flags) {
  if (flags) return INVALID_VALUE;
  if (!device_count) return NO_DEVICE;
  initialized = 1;
  return SUCCESS;
}
CUresult cuDriverGetVersion(int *version) { *version = driver_version; return SUCCESS; }
static const struct { int number; const char *name, *text; } errors[] = {
  {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
  {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
  {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
  {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
  {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
  {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
  {INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
  {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
  {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
  {NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
  {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
  {LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
   "too many resources requested for launch"},
};
CUresult cuGetErrorName(CUresult error, const char **text) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (errors[i].number == error) { *text = errors[i].name; return SUCCESS; }
  *text = NULL;
  return INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (errors[i].number == error) { *text = errors[i].text; return SUCCESS; }
  *text = NULL;
  return INVALID_VALUE;
}
CUresult cuDeviceGetCount(int *count) {
  if (!initialized) return NOT_INITIALIZED;
  *count = device_count;
  return SUCCESS;
}
CUresult cuDeviceGet(int *device, int number) {
  if (!initialized) return NOT_INITIALIZED;
  if (number < 0 || number >= device_count) return INVALID_DEVICE;
  *device = number;
  return SUCCESS;
}
CUresult cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, size, "a fake GPU, number %d", device);
  return SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t *size, int device) { (void)device; *size = memory_size; return SUCCESS; }
CUresult cuDeviceGetAttribute(int *value, int which, int device) {
  (void)device;
  switch (which) {
    case 1: *value = 1024; break;
    case 2: case 3: *value = 1024; break;
    case 4: *value = 64; break;
    case 5: *value = 2147483647; break;
    case 6: case 7: *value = 65535; break;
    case 8: *value = 49152; break;
    case 10: *value = 32; break;
    case 13: *value = 1980000; break;
    case 16: *value = 132; break;
    case 75: *value = capability / 10; break;
    case 76: *value = capability % 10; break;
    case 97: *value = 232448; break;
    case 115: *value = has_pools; break;
    default: return INVALID_VALUE;
  }
  return SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &contexts[device];
  return SUCCESS;
}
CUresult cuCtxPushCurrent_v2(void *context) {
  if (!initialized) return NOT_INITIALIZED;
  if (context < (void *)contexts || context >= (void *)(contexts + 16) || depth == 16)
    return INVALID_CONTEXT;
  stack[depth++] = context;
  return SUCCESS;
}
CUresult cuCtxPopCurrent_v2(void **context) {
  if (!depth) return INVALID_CONTEXT;
  *context = stack[--depth];
  return SUCCESS;
}
int fake_depth(void) { return depth; }
CUresult cuCtxSynchronize(void) { NEEDS_CONTEXT; run_all(); return sticky; }

static void read_parameters(Function *function, const char *entry) {
  static const struct { const char *name; int size; } types[] = {
    {"u64", 8}, {"b64", 8}, {"s64", 8}, {"f64", 8}, {"u32", 4}, {"b32", 4}, {"s32", 4}, {"f32", 4},
    {"u16", 2}, {"b16", 2}, {"f16", 2}, {"u8", 1}, {"b8", 1}};
  const char *end = strchr(entry, ')');
  for (const char *at = strstr(entry, ".param ."); at && at < end; at = strstr(at + 1, ".param .")) {
    const char *type = at + 8, *size;
    if (!strncmp(type, "align ", 6) && (size = strchr(type, '[')))
      function->sizes[function->count] = atoi(size + 1); /* of bytes, as for a half */
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
      if (!strncmp(type, types[i].name, strlen(types[i].name))) {
        function->sizes[function->count] = types[i].size;
        break;
      }
    function->is_pointer[function->count] = !strncmp(type, "u64 .ptr", 8);
    ++function->count;
  }
}
CUresult cuModuleLoadDataEx(void **module, const char *ptx, unsigned count, int *options, void **values) {
  NEEDS_CONTEXT;
  char *info = NULL, *error = NULL;
  void *ignored = NULL, **info_size = &ignored, **error_size = &ignored;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 3) info = values[i];
    if (options[i] == 4) info_size = &values[i];
    if (options[i] == 5) error = values[i];
    if (options[i] == 6) error_size = &values[i];
  }
  int error_room = (int)(intptr_t)*error_size; /* afterwards the sizes are how much was written */
  *info_size = *error_size = NULL;
  if (load_hook) {
    CUresult result = load_hook(ptx, error, error_room);
    if (result) {
      *error_size = (void *)(error_room ? strlen(error) : 0);
      return result;
    }
  }
  if (info) {
    strcpy(info, "ptxas info    : 0 bytes gmem");
    *info_size = (void *)strlen(info);
  }
  Module *loaded = malloc(sizeof *loaded);
  loaded->ptx = strdup(ptx);
  *module = loaded;
  ++counts[LOADS];
  return SUCCESS;
}
CUresult cuModuleGetFunction(void **function, Module *module, const char *name) {
  NEEDS_CONTEXT;
  char entry[300];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  const char *at = strstr(module->ptx, entry);
  if (!at) return NOT_FOUND;
  Function *found = calloc(1, sizeof *found);
  found->module = module;
  snprintf(found->name, sizeof found->name, "%s", name);
  read_parameters(found, at);
  *function = found;
  return SUCCESS;
}
CUresult cuFuncGetAttribute(int *value, int which, Function *function) {
  NEEDS_CONTEXT;
  (void)function;
  switch (which) {
    case 0: *value = most_threads; break;
    case 1: case 3: *value = 0; break;
    case 4: *value = registers; break;
    default: return INVALID_VALUE;
  }
  return SUCCESS;
}
static int allowed_shared;
CUresult cuFuncSetAttribute(Function *function, int which, int value) {
  NEEDS_CONTEXT;
  (void)function;
  if (which != 8 || value > 232448) return INVALID_VALUE;
  allowed_shared = value;
  return SUCCESS;
}
CUresult cuLaunchKernel(Function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, void *stream, void **parameters, void **extra) {
  NEEDS_CONTEXT;
  if (!function) return INVALID_HANDLE;
  void *packed[sizeof function->sizes / sizeof *function->sizes];
  if (extra) { /* as pycuda passes them: one after the other, each at a multiple of its size */
    if (parameters || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4]) return INVALID_VALUE;
    size_t end = 0;
    for (int i = 0; i < function->count; ++i) {
      size_t size = function->sizes[i], unit = size == MAP_BYTES ? 64 : size;
      end = (end + unit - 1) / unit * unit + size;
      packed[i] = (char *)extra[1] + end - size;
    }
    if (*(size_t *)extra[3] != end) return INVALID_VALUE;
    parameters = packed;
  }
  if (!gx || !gy || !gz || gy > 65535 || gz > 65535 || bx * by * bz == 0 || bx > 1024 || by > 1024 ||
      bz > 64 || bx * by * bz > 1024 || (shared > 49152 && shared > (unsigned)allowed_shared))
    return INVALID_VALUE;
  if (bx * by * bz > (unsigned)most_threads) return LAUNCH_OUT_OF_RESOURCES;
  Work *work = queue(stream, LAUNCH);
  work->function = function;
  unsigned sizes[7] = {gx, gy, gz, bx, by, bz, shared};
  memcpy(work->sizes, sizes, sizeof sizes);
  for (int i = 0; i < function->count; ++i) {
    if (function->sizes[i] == MAP_BYTES) {
      if ((uintptr_t)parameters[i] % 64 || work->map_count == 8) return INVALID_VALUE;
      work->parameters[i] = work->map_count;
      memcpy(work->maps[work->map_count++].bytes, parameters[i], MAP_BYTES);
      continue;
    }
    memcpy(&work->parameters[i], parameters[i], function->sizes[i]);
  }
  ++counts[LAUNCHES];
  return SUCCESS;
}
CUresult cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *base, const uint64_t *sizes,
                                const uint64_t *strides, const unsigned *box, const unsigned *steps,
                                int interleave, int swizzle, int promotion, int fill) {
  if (!encode_hook) return 801;
  NEEDS_CONTEXT; /* which CUDA's manual does not say of it */
  if ((uintptr_t)map % 64 || !is_device((uint64_t)base)) return INVALID_VALUE;
  ++counts[MAPS];
  return encode_hook(map, type, rank, base, sizes, strides, box, steps, interleave, swizzle, promotion,
                     fill);
}
CUresult cuMemAlloc_v2(uint64_t *address, size_t size) { NEEDS_CONTEXT; return allocate(address, size); }
CUresult cuMemFree_v2(uint64_t address) { NEEDS_CONTEXT; return release(address); }
CUresult cuMemAllocAsync(uint64_t *address, size_t size, void *stream) {
  NEEDS_CONTEXT;
  if (!has_pools) return 801;
  CUresult result = allocate(address, size);
  if (!result) {
    /* It is there from here on in the order of the stream: until then another one finds rubbish. */
    Work *work = queue(stream, FILL);
    const uint64_t parameters[] = {0xcd, 1, size, 1};
    work->to = *address;
    memcpy(work->parameters, parameters, sizeof parameters);
  }
  return result;
}
CUresult cuMemFreeAsync(uint64_t address, void *stream) {
  NEEDS_CONTEXT;
  if (!is_device(address)) return INVALID_VALUE;
  queue(stream, RELEASE)->to = address;
  return SUCCESS;
}
CUresult cuMemcpyAsync(uint64_t to, uint64_t from, size_t size, void *stream) {
  NEEDS_CONTEXT;
  Work *work = queue(stream, COPY);
  work->to = to;
  work->from = from;
  work->size = size;
  return SUCCESS;
}
static CUresult fill(uint64_t to, uint64_t pitch, uint64_t value, uint64_t width, uint64_t count,
                     uint64_t rows, void *stream) {
  NEEDS_CONTEXT;
  Work *work = queue(stream, FILL);
  work->to = to;
  work->pitch = pitch;
  const uint64_t parameters[] = {value, width, count, rows};
  memcpy(work->parameters, parameters, sizeof parameters);
  return SUCCESS;
}
CUresult cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream) {
  return fill(to, 0, value, 1, count, 1, stream);
}
CUresult cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream) {
  return fill(to, 0, value, 2, count, 1, stream);
}
CUresult cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  return fill(to, 0, value, 4, count, 1, stream);
}
CUresult cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned value, size_t width, size_t height,
                            void *stream) {
  return fill(to, pitch, value, 4, width, height, stream);
}
CUresult cuStreamCreate(void **stream, unsigned flags) {
  NEEDS_CONTEXT;
  if (flags > 1) return INVALID_VALUE;
  streams[stream_count] = calloc(1, sizeof(Stream));
  *stream = streams[stream_count++];
  ++counts[STREAMS];
  return SUCCESS;
}
CUresult cuStreamDestroy_v2(void *stream) {
  NEEDS_CONTEXT;
  for (int i = 0; i < stream_count; ++i)
    if (streams[i] == stream) {
      run(stream, UINT64_MAX);
      streams[i] = NULL; /* others may wait for events in it, which are over */
      return SUCCESS;
    }
  return INVALID_HANDLE;
}
CUresult cuStreamSynchronize(void *stream) {
  NEEDS_CONTEXT;
  ++counts[SYNCHRONIZATIONS];
  run(stream_of(stream), UINT64_MAX);
  return sticky;
}
CUresult cuStreamWaitEvent(void *stream, Event *event, unsigned flags) {
  NEEDS_CONTEXT;
  if (flags) return INVALID_VALUE;
  if (!event->stream) return SUCCESS;
  Work *work = queue(stream, WAIT);
  work->stream = event->stream;
  work->size = event->number;
  return SUCCESS;
}
CUresult cuEventCreate(void **event, unsigned flags) {
  NEEDS_CONTEXT;
  if (flags > 3) return INVALID_VALUE;
  *event = calloc(1, sizeof(Event));
  ++counts[EVENTS];
  return SUCCESS;
}
CUresult cuEventDestroy_v2(Event *event) { NEEDS_CONTEXT; event->number = 0; return SUCCESS; }
CUresult cuEventRecord(Event *event, void *stream) {
  NEEDS_CONTEXT;
  Work *work = queue(stream, RECORD);
  work->event = event;
  event->stream = stream_of(stream);
  event->number = work->number;
  return SUCCESS;
}
CUresult cuEventQuery(Event *event) {
  NEEDS_CONTEXT;
  return event->stream && event->stream->first && event->stream->first->number <= event->number
             ? NOT_READY : SUCCESS;
}
CUresult cuEventSynchronize(Event *event) {
  NEEDS_CONTEXT;
  ++counts[SYNCHRONIZATIONS];
  if (event->stream) run(event->stream, event->number);
  return sticky;
}
CUresult cuEventElapsedTime(float *milliseconds, Event *begin, Event *end) {
  NEEDS_CONTEXT;
  *milliseconds = (float)(end->time - begin->time);
  return SUCCESS;
}
CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
  (void)flags;
  char name[300];
  void *self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  *function = NULL;
  if (self) {
    snprintf(name, sizeof name, "%s_v2", symbol);
    *function = dlsym(self, name);
    if (!*function) *function = dlsym(self, symbol);
  }
  if (version > driver_version) *function = NULL;
  if (status) *status = *function ? 0 : 1;
  return *function ? SUCCESS : NOT_FOUND;
}
CUresult cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}
