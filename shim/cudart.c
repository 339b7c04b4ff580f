/*
 * The CUDA runtime without a GPU: every call becomes a message to the process that started this one (tcspec cuda), over a Unix socket, and waits for the answer.
 *
 * Nothing is decided here but how a call is packed. What is kept: the parameter layout of each kernel, the last error, and memory that the host sees (managed, mapped, pinned)
 * with a copy of what both sides last agreed on, so that what the host has written is sent before the next call that may use it.
 *
 *   message: u32 length of the rest, u32 call, payload          answer: u32 length, i32 status, u32 writes, {u64 address, u64 bytes, data} ..., payload
 *
 * The numbers of the calls come from a table (src/oracle/cuda/calls.ts); CALLS is made of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CALLS };

typedef int error_t_;
typedef struct { unsigned x, y, z; } dim3_;
enum { SUCCESS = 0, INVALID = 1, MEMORY = 2, NO_SYMBOL = 13, NOT_SUPPORTED = 801, UNKNOWN = 999 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fd = -1;
static __thread error_t_ last;

static void fail(const char *what) {
  fprintf(stderr, "tcspec: %s: %s\n", what, errno ? strerror(errno) : "the connection is closed");
  _exit(70);
}
static void all_out(const void *p, size_t n) {
  const char *c = p;
  while (n) { ssize_t k = send(fd, c, n, MSG_NOSIGNAL); if (k <= 0) { if (k < 0 && errno == EINTR) continue; fail("cannot send"); } c += k; n -= (size_t)k; }
}
static void all_in(void *p, size_t n) {
  char *c = p;
  while (n) { ssize_t k = recv(fd, c, n, 0); if (k <= 0) { if (k < 0 && errno == EINTR) continue; errno = k ? errno : 0; fail("no answer"); } c += k; n -= (size_t)k; }
}
static void open_once(void) {
  if (fd >= 0) return;
  const char *path = getenv("TCSPEC_CUDA_SOCKET");
  if (!path) { fprintf(stderr, "tcspec: this libcudart is for programs that `tcspec cuda -- PROGRAM` starts\n"); _exit(70); }
  struct sockaddr_un a = { .sun_family = AF_UNIX };
  snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
  fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a)) fail(path);
}

/* ---- messages */
typedef struct { char *p; size_t n, room; } buf;
static __thread buf out;
static __thread char *in; static __thread size_t in_n, in_at;
static void put(const void *p, size_t n) {
  if (out.n + n > out.room) { out.room = (out.n + n) * 2 + 64; out.p = realloc(out.p, out.room); if (!out.p) fail("memory"); }
  memcpy(out.p + out.n, p, n); out.n += n;
}
static void u32(uint32_t x) { put(&x, 4); }
static void u64(uint64_t x) { put(&x, 8); }
static void text(const char *s) { uint32_t n = (uint32_t)strlen(s); u32(n); put(s, n); }
static uint32_t get32(void) { uint32_t x = 0; if (in_at + 4 <= in_n) memcpy(&x, in + in_at, 4); in_at += 4; return x; }
static uint64_t get64(void) { uint64_t x = 0; if (in_at + 8 <= in_n) memcpy(&x, in + in_at, 8); in_at += 8; return x; }
static void begin(uint32_t call) { out.n = 0; u32(0); u32(call); }

/* ---- memory that the host sees */
typedef struct { char *at, *agreed; size_t n; } seen;
static seen *host; static size_t hosts;
static seen *seen_at(const void *p) {
  for (size_t i = 0; i < hosts; i++) if ((const char *)p >= host[i].at && (const char *)p < host[i].at + host[i].n) return &host[i];
  return NULL;
}
static error_t_ ask(void) {
  uint32_t n = (uint32_t)(out.n - 4), m; memcpy(out.p, &n, 4);
  open_once(); all_out(out.p, out.n); all_in(&m, 4);
  in = realloc(in, m ? m : 1); all_in(in, m); in_n = m; in_at = 0;
  error_t_ status = (error_t_)get32();
  for (uint32_t w = get32(); w; w--) {
    uint64_t at = get64(), k = get64();
    memcpy((void *)at, in + in_at, k);
    seen *s = seen_at((void *)at);
    if (s) memcpy(s->agreed + ((char *)at - s->at), in + in_at, k);
    in_at += k;
  }
  return status;
}
static void push(void) {
  for (size_t i = 0; i < hosts; i++) {
    seen *s = &host[i];
    if (!memcmp(s->at, s->agreed, s->n)) continue;
    memcpy(s->agreed, s->at, s->n);
    begin(HOST_WROTE); u64((uint64_t)s->at); u64(s->n); put(s->at, s->n); ask();
  }
}
#define CALL(e) error_t_ r_; pthread_mutex_lock(&lock); e; pthread_mutex_unlock(&lock); if (r_) last = r_; return r_
static int tracked(const void *p) { return ((uint64_t)p >> 32) >= 0x7f000000u || seen_at(p) != NULL; }

static error_t_ alloc(void **p, size_t n, uint32_t kind, uint64_t stream, int ordered) {
  begin(ALLOC); u32(kind); u64(n); u64(stream); u32((uint32_t)ordered);
  error_t_ r = ask();
  if (r) return r;
  void *at = (void *)get64();
  if (kind) {
    void *m = mmap(at, n ? n : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (m != at) return MEMORY;
    host = realloc(host, (hosts + 1) * sizeof *host);
    host[hosts].at = at; host[hosts].n = n; host[hosts].agreed = calloc(n ? n : 1, 1); hosts++;
  }
  *p = at; return SUCCESS;
}
static error_t_ copy(void *d, const void *s, size_t n, uint64_t stream, int async) {
  if (!n) return SUCCESS;
  push();
  if (!tracked(d) && !tracked(s)) { memmove(d, s, n); return SUCCESS; }
  if (!tracked(s)) { begin(WRITE); u64((uint64_t)d); u64(n); u64(stream); u32((uint32_t)async); put(s, n); return ask(); }
  if (!tracked(d)) { begin(READ); u64((uint64_t)s); u64(n); u64(stream); error_t_ r = ask(); if (!r) memcpy(d, in + in_at, n); return r; }
  begin(COPY); u64((uint64_t)d); u64((uint64_t)s); u64(n); u64(stream); u32((uint32_t)async); return ask();
}
static error_t_ fill(void *d, int v, uint32_t width, size_t n, uint64_t stream) {
  if (!n) return SUCCESS;
  push(); begin(FILL); u64((uint64_t)d); u32((uint32_t)v); u32(width); u64(n); u64(stream); return ask();
}
static error_t_ wait_for(uint32_t kind, uint64_t which) { push(); begin(SYNC); u32(kind); u64(which); return ask(); }

/* ---- memory */
error_t_ cudaMalloc(void **p, size_t n) { CALL(r_ = alloc(p, n, 0, 0, 0)); }
error_t_ cudaMallocAsync(void **p, size_t n, void *s) { CALL(r_ = alloc(p, n, 0, (uint64_t)s, 1)); }
error_t_ cudaMallocManaged(void **p, size_t n, unsigned f) { (void)f; CALL(r_ = alloc(p, n, 1, 0, 0)); }
error_t_ cudaHostAlloc(void **p, size_t n, unsigned f) { (void)f; CALL(r_ = alloc(p, n, 2, 0, 0)); }
error_t_ cudaMallocHost(void **p, size_t n) { CALL(r_ = alloc(p, n, 2, 0, 0)); }
error_t_ cudaMallocPitch(void **p, size_t *pitch, size_t w, size_t h) { *pitch = (w + 511) / 512 * 512; size_t n = *pitch * h; CALL(r_ = alloc(p, n, 0, 0, 0)); }
static error_t_ release(void *p, uint64_t stream, int ordered) {
  if (!p) return SUCCESS;
  push(); begin(FREE); u64((uint64_t)p); u64(stream); u32((uint32_t)ordered);
  error_t_ r = ask();
  for (size_t i = 0; i < hosts; i++) if (host[i].at == p) { munmap(p, host[i].n ? host[i].n : 1); free(host[i].agreed); host[i] = host[--hosts]; break; }
  return r;
}
error_t_ cudaFree(void *p) { CALL(r_ = release(p, 0, 0)); }
error_t_ cudaFreeHost(void *p) { CALL(r_ = release(p, 0, 0)); }
error_t_ cudaFreeAsync(void *p, void *s) { CALL(r_ = release(p, (uint64_t)s, 1)); }
error_t_ cudaHostGetDevicePointer(void **d, void *h, unsigned f) { (void)f; *d = h; return tracked(h) ? SUCCESS : INVALID; }
error_t_ cudaMemcpy(void *d, const void *s, size_t n, int k) { (void)k; CALL(r_ = copy(d, s, n, 0, 0)); }
error_t_ cudaMemcpyAsync(void *d, const void *s, size_t n, int k, void *st) { (void)k; CALL(r_ = copy(d, s, n, (uint64_t)st, 1)); }
static error_t_ rows(char *d, size_t dp, const char *s, size_t sp, size_t w, size_t h, uint64_t st, int async) {
  error_t_ r = SUCCESS;
  for (size_t i = 0; i < h && !r; i++) r = copy(d + i * dp, s + i * sp, w, st, async);
  return r;
}
error_t_ cudaMemcpy2D(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, int k) { (void)k; CALL(r_ = rows(d, dp, s, sp, w, h, 0, 0)); }
error_t_ cudaMemcpy2DAsync(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, int k, void *st) { (void)k; CALL(r_ = rows(d, dp, s, sp, w, h, (uint64_t)st, 1)); }
error_t_ cudaMemset(void *d, int v, size_t n) { CALL(r_ = fill(d, v, 1, n, 0)); }
error_t_ cudaMemsetAsync(void *d, int v, size_t n, void *s) { CALL(r_ = fill(d, v, 1, n, (uint64_t)s)); }
error_t_ cudaMemset2D(void *d, size_t p, int v, size_t w, size_t h) { CALL(r_ = SUCCESS; for (size_t i = 0; i < h && !r_; i++) r_ = fill((char *)d + i * p, v, 1, w, 0)); }
static error_t_ symbol(const void *s, void **p, size_t *n) {
  begin(SYMBOL); u64((uint64_t)s);
  error_t_ r = ask();
  if (!r) { *p = (void *)get64(); *n = get64(); }
  return r;
}
static error_t_ to_symbol(const void *s, const void *src, size_t n, size_t at, uint64_t st, int async) { void *p; size_t m; error_t_ r = symbol(s, &p, &m); return r ? r : copy((char *)p + at, src, n, st, async); }
static error_t_ from_symbol(void *d, const void *s, size_t n, size_t at, uint64_t st, int async) { void *p; size_t m; error_t_ r = symbol(s, &p, &m); return r ? r : copy(d, (char *)p + at, n, st, async); }
error_t_ cudaMemcpyToSymbol(const void *s, const void *src, size_t n, size_t at, int k) { (void)k; CALL(r_ = to_symbol(s, src, n, at, 0, 0)); }
error_t_ cudaMemcpyToSymbolAsync(const void *s, const void *src, size_t n, size_t at, int k, void *st) { (void)k; CALL(r_ = to_symbol(s, src, n, at, (uint64_t)st, 1)); }
error_t_ cudaMemcpyFromSymbol(void *d, const void *s, size_t n, size_t at, int k) { (void)k; CALL(r_ = from_symbol(d, s, n, at, 0, 0)); }
error_t_ cudaMemcpyFromSymbolAsync(void *d, const void *s, size_t n, size_t at, int k, void *st) { (void)k; CALL(r_ = from_symbol(d, s, n, at, (uint64_t)st, 1)); }
error_t_ cudaGetSymbolAddress(void **p, const void *s) { size_t n; CALL(r_ = symbol(s, p, &n)); }
error_t_ cudaGetSymbolSize(size_t *n, const void *s) { void *p; CALL(r_ = symbol(s, &p, n)); }
error_t_ cudaMemGetInfo(size_t *f, size_t *t) { *f = *t = (size_t)80 << 30; return SUCCESS; }

/* ---- streams, events, the host that waits */
static error_t_ made(void **p, uint32_t call, uint32_t flags) { begin(call); u32(flags); error_t_ r = ask(); if (!r) *p = (void *)get64(); return r; }
error_t_ cudaStreamCreate(void **s) { CALL(r_ = made(s, STREAM, 0)); }
error_t_ cudaStreamCreateWithFlags(void **s, unsigned f) { CALL(r_ = made(s, STREAM, f)); }
error_t_ cudaStreamCreateWithPriority(void **s, unsigned f, int p) { (void)p; CALL(r_ = made(s, STREAM, f)); }
error_t_ cudaStreamDestroy(void *s) { (void)s; return SUCCESS; }
error_t_ cudaStreamSynchronize(void *s) { CALL(r_ = wait_for(1, (uint64_t)s)); }
error_t_ cudaStreamQuery(void *s) { CALL(r_ = wait_for(1, (uint64_t)s)); }
error_t_ cudaDeviceSynchronize(void) { CALL(r_ = wait_for(0, 0)); }
error_t_ cudaDeviceReset(void) { CALL(r_ = wait_for(0, 0)); }
error_t_ cudaEventCreate(void **e) { CALL(r_ = made(e, EVENT, 0)); }
error_t_ cudaEventCreateWithFlags(void **e, unsigned f) { CALL(r_ = made(e, EVENT, f)); }
error_t_ cudaEventDestroy(void *e) { (void)e; return SUCCESS; }
static error_t_ two(uint32_t call, uint64_t a, uint64_t b) { push(); begin(call); u64(a); u64(b); return ask(); }
error_t_ cudaEventRecord(void *e, void *s) { CALL(r_ = two(RECORD, (uint64_t)e, (uint64_t)s)); }
error_t_ cudaEventRecordWithFlags(void *e, void *s, unsigned f) { (void)f; CALL(r_ = two(RECORD, (uint64_t)e, (uint64_t)s)); }
error_t_ cudaStreamWaitEvent(void *s, void *e, unsigned f) { (void)f; CALL(r_ = two(WAIT, (uint64_t)e, (uint64_t)s)); }
error_t_ cudaEventSynchronize(void *e) { CALL(r_ = wait_for(2, (uint64_t)e)); }
error_t_ cudaEventQuery(void *e) { CALL(r_ = wait_for(2, (uint64_t)e)); }
error_t_ cudaEventElapsedTime(float *t, void *a, void *b) { (void)a; (void)b; *t = 1; return SUCCESS; }
error_t_ cudaEventElapsedTime_v2(float *t, void *a, void *b) { (void)a; (void)b; *t = 1; return SUCCESS; }

/* ---- modules and launches */
typedef struct { uint32_t magic, version; const char *data; void *more; } wrapper;
typedef struct { uint32_t magic; uint16_t version, header; uint64_t size; } fatbin;
void **__cudaRegisterFatBinary(void *w) {
  const fatbin *f = (const void *)((wrapper *)w)->data;
  pthread_mutex_lock(&lock);
  begin(FATBIN); put(f, f->header + f->size); ask();
  uint64_t h = get64();
  pthread_mutex_unlock(&lock);
  return (void **)(h + 1);
}
void __cudaRegisterFatBinaryEnd(void **h) { (void)h; }
void __cudaUnregisterFatBinary(void **h) { (void)h; }
char __cudaInitModule(void **h) { (void)h; return 1; }
void __cudaRegisterFunction(void **h, const char *f, char *d, const char *name, int l, void *t, void *b, void *bd, void *gd, int *w) {
  (void)d; (void)l; (void)t; (void)b; (void)bd; (void)gd; (void)w;
  pthread_mutex_lock(&lock); begin(FUNCTION); u64((uint64_t)h - 1); u64((uint64_t)f); text(name); ask(); pthread_mutex_unlock(&lock);
}
void __cudaRegisterVar(void **h, char *v, char *d, const char *name, int e, size_t n, int c, int g) {
  (void)d; (void)e; (void)c; (void)g;
  pthread_mutex_lock(&lock); begin(VARIABLE); u64((uint64_t)h - 1); u64((uint64_t)v); text(name); u64(n); ask(); pthread_mutex_unlock(&lock);
}
void __cudaRegisterManagedVar(void **h, void **v, char *d, const char *name, int e, size_t n, int c, int g) {
  (void)h; (void)v; (void)d; (void)e; (void)n; (void)c; (void)g;
  fprintf(stderr, "tcspec: __managed__ %s: managed variables are not supported\n", name);
}
typedef struct { uint64_t f; uint32_t n, *at; } layout;
static layout *layouts; static size_t layout_n;
static layout *layout_of(uint64_t f, error_t_ *r) {
  for (size_t i = 0; i < layout_n; i++) if (layouts[i].f == f) return &layouts[i];
  begin(LAYOUT); u64(f);
  if ((*r = ask())) return NULL;
  layouts = realloc(layouts, (layout_n + 1) * sizeof *layouts);
  layout *l = &layouts[layout_n++]; l->f = f; l->n = get32(); l->at = malloc(8 * (l->n + 1));
  for (uint32_t i = 0; i < 2 * l->n; i++) l->at[i] = get32();
  return l;
}
typedef struct { int id; char pad[4]; union { char c[64]; unsigned u[16]; int i; } val; } attribute;
static error_t_ launch(const void *f, dim3_ g, dim3_ b, void **args, size_t shared, uint64_t stream, const attribute *a, unsigned na) {
  error_t_ r = SUCCESS; unsigned cluster[3] = { 0, 0, 0 }; uint32_t dependent = 0;
  for (unsigned i = 0; i < na; i++) {
    if (a[i].id == 4) memcpy(cluster, a[i].val.u, 12);
    if (a[i].id == 6 && a[i].val.i) dependent = 1;
  }
  push();
  layout *l = layout_of((uint64_t)f, &r);
  if (!l) return r;
  begin(LAUNCH); u64((uint64_t)f); put(&g, 12); put(&b, 12); put(cluster, 12); u64(shared); u64(stream); u32(dependent);
  for (uint32_t i = 0; i < l->n; i++) { u32(l->at[2 * i]); u32(l->at[2 * i + 1]); put(args[i], l->at[2 * i + 1]); }
  return ask();
}
error_t_ cudaLaunchKernel(const void *f, dim3_ g, dim3_ b, void **args, size_t n, void *s) { CALL(r_ = launch(f, g, b, args, n, (uint64_t)s, NULL, 0)); }
error_t_ __cudaLaunchKernel(void *f, dim3_ g, dim3_ b, void **args, size_t n, void *s) { CALL(r_ = launch(f, g, b, args, n, (uint64_t)s, NULL, 0)); }
error_t_ cudaLaunchCooperativeKernel(const void *f, dim3_ g, dim3_ b, void **args, size_t n, void *s) { CALL(r_ = launch(f, g, b, args, n, (uint64_t)s, NULL, 0)); }
typedef struct { dim3_ grid, block; size_t shared; void *stream; attribute *attrs; unsigned n; } config;
error_t_ cudaLaunchKernelExC(const config *c, const void *f, void **args) { CALL(r_ = launch(f, c->grid, c->block, args, c->shared, (uint64_t)c->stream, c->attrs, c->n)); }
static __thread struct { dim3_ g, b; size_t n; void *s; } pushed;
unsigned __cudaPushCallConfiguration(dim3_ g, dim3_ b, size_t n, void *s) { pushed.g = g; pushed.b = b; pushed.n = n; pushed.s = s; return 0; }
error_t_ __cudaPopCallConfiguration(dim3_ *g, dim3_ *b, size_t *n, void *s) { *g = pushed.g; *b = pushed.b; *n = pushed.n; *(void **)s = pushed.s; return SUCCESS; }
error_t_ __cudaGetKernel(void **k, const void *f) { *k = (void *)f; return SUCCESS; }
error_t_ cudaGetKernel(void **k, const void *f) { *k = (void *)f; return SUCCESS; }
error_t_ cudaLaunchHostFunc(void *s, void (*f)(void *), void *p) { error_t_ r = cudaStreamSynchronize(s); if (!r) f(p); return r; }
error_t_ cudaFuncSetAttribute(const void *f, int a, int v) { (void)f; (void)a; (void)v; return SUCCESS; }
error_t_ cudaFuncSetCacheConfig(const void *f, int c) { (void)f; (void)c; return SUCCESS; }
error_t_ cudaFuncGetAttributes(char *a, const void *f) { (void)f; memset(a, 0, 144); *(int *)(a + 24) = 1024; *(int *)(a + 28) = 32; return SUCCESS; }
error_t_ cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *f, int b, size_t m) { (void)f; (void)m; *n = b > 0 ? 2048 / b : 0; if (*n > 32) *n = 32; return SUCCESS; }
error_t_ cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *f, int b, size_t m, unsigned x) { (void)x; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, f, b, m); }

/* ---- the device: an H100 */
static int property(int a) {
  switch (a) {
    case 1: case 2: case 3: return 1024;
    case 4: return 64;
    case 5: return 2147483647;
    case 6: case 7: return 65535;
    case 8: return 49152;
    case 9: return 65536;
    case 10: return 32;
    case 12: case 82: return 65536;
    case 13: return 1980000;
    case 16: return 132;
    case 31: case 41: case 83: case 89: case 95: case 115: return 1;
    case 36: return 2619000;
    case 37: return 5120;
    case 38: return 52428800;
    case 39: return 2048;
    case 40: return 3;
    case 75: return 9;
    case 81: return 233472;
    case 97: return 232448;
    case 111: return 1024;
    default: return 0;
  }
}
error_t_ cudaDeviceGetAttribute(int *v, int a, int d) { (void)d; *v = property(a); return SUCCESS; }
error_t_ cudaGetDevice(int *d) { *d = 0; return SUCCESS; }
error_t_ cudaSetDevice(int d) { return d ? (last = 101) : SUCCESS; }
error_t_ cudaGetDeviceCount(int *n) { *n = 1; return SUCCESS; }
error_t_ cudaSetDeviceFlags(unsigned f) { (void)f; return SUCCESS; }
error_t_ cudaDeviceSetLimit(int l, size_t v) { (void)l; (void)v; return SUCCESS; }
error_t_ cudaProfilerStart(void) { return SUCCESS; }
error_t_ cudaProfilerStop(void) { return SUCCESS; }
error_t_ cudaDriverGetVersion(int *v) { *v = 13000; return SUCCESS; }
error_t_ cudaRuntimeGetVersion(int *v) { *v = 13000; return SUCCESS; }
error_t_ cudaDeviceGetStreamPriorityRange(int *l, int *g) { *l = 0; *g = -5; return SUCCESS; }
/* offsets of cudaDeviceProp in CUDA 13 */
static error_t_ properties(char *p, int d) {
  if (d) return last = 101;
  memset(p, 0, 1008);
  strcpy(p, "NVIDIA H100 80GB HBM3 (tcspec)");
#define INT(at, v) *(int *)(p + (at)) = (v)
#define SIZE(at, v) *(size_t *)(p + (at)) = (v)
  SIZE(288, (size_t)80 << 30); SIZE(296, 49152); INT(304, 65536); INT(308, 32); INT(320, 1024); INT(324, 1024); INT(328, 1024); INT(332, 64);
  INT(336, 2147483647); INT(340, 65535); INT(344, 65535); SIZE(352, 65536); INT(360, 9); INT(384, 132); INT(392, 1); INT(560, 1); INT(584, 3); INT(588, 1); INT(592, 5120);
  INT(596, 52428800); INT(604, 2048); SIZE(624, 233472); INT(632, 65536); INT(636, 1); INT(656, 1); INT(668, 1); SIZE(672, 232448); INT(688, 32);
  return SUCCESS;
}
error_t_ cudaGetDeviceProperties(void *p, int d) { return properties(p, d); }

/* ---- errors */
error_t_ cudaGetLastError(void) { error_t_ r = last; last = SUCCESS; return r; }
error_t_ cudaPeekAtLastError(void) { return last; }
const char *cudaGetErrorName(error_t_ r) {
  switch (r) { case 0: return "cudaSuccess"; case 1: return "cudaErrorInvalidValue"; case 2: return "cudaErrorMemoryAllocation"; case 13: return "cudaErrorInvalidSymbol"; case 98: return "cudaErrorInvalidDeviceFunction"; case 101: return "cudaErrorInvalidDevice"; case 209: return "cudaErrorNoKernelImageForDevice"; case 700: return "cudaErrorIllegalAddress"; case 719: return "cudaErrorLaunchFailure"; case 801: return "cudaErrorNotSupported"; default: return "cudaErrorUnknown"; }
}
const char *cudaGetErrorString(error_t_ r) {
  switch (r) { case 0: return "no error"; case 1: return "invalid argument"; case 2: return "out of memory"; case 13: return "invalid device symbol"; case 98: return "invalid device function"; case 101: return "invalid device ordinal"; case 209: return "no kernel image is available for execution on the device"; case 700: return "an illegal memory access was encountered"; case 719: return "unspecified launch failure"; case 801: return "operation not supported"; default: return "unknown error"; }
}
typedef struct { int type, device; void *device_pointer, *host_pointer; long reserved[8]; } pointer_attributes;
error_t_ cudaPointerGetAttributes(pointer_attributes *a, const void *p) {
  int device = ((uint64_t)p >> 32) >= 0x7f000000u;
  a->type = !tracked(p) ? 0 : device ? 2 : 1; a->device = 0; a->device_pointer = tracked(p) ? (void *)p : NULL; a->host_pointer = device ? NULL : (void *)p;
  return SUCCESS;
}
error_t_ cudaMemPrefetchAsync(const void *p, size_t n, void *l, unsigned f, void *s) { (void)p; (void)n; (void)l; (void)f; (void)s; return SUCCESS; }

/* ---- graphs, by capture */
error_t_ cudaStreamBeginCapture(void *s, int mode) { (void)mode; CALL(r_ = two(CAPTURE, (uint64_t)s, 0)); }
error_t_ cudaStreamEndCapture(void *s, void **g) { CALL(begin(CAPTURED); u64((uint64_t)s); r_ = ask(); *g = r_ ? NULL : (void *)get64()); }
error_t_ cudaStreamIsCapturing(void *s, int *status) { CALL(begin(CAPTURING); u64((uint64_t)s); r_ = ask(); *status = r_ ? 0 : (int)get32()); }
error_t_ cudaGraphInstantiate(void **e, void *g, unsigned long long f) { (void)f; *e = g; return SUCCESS; }
error_t_ cudaGraphInstantiateWithFlags(void **e, void *g, unsigned long long f) { (void)f; *e = g; return SUCCESS; }
error_t_ cudaGraphUpload(void *e, void *s) { (void)e; (void)s; return SUCCESS; }
error_t_ cudaGraphLaunch(void *e, void *s) { CALL(r_ = two(GRAPH, (uint64_t)e, (uint64_t)s)); }
error_t_ cudaGraphDestroy(void *g) { (void)g; return SUCCESS; }
error_t_ cudaGraphExecDestroy(void *e) { (void)e; return SUCCESS; }

/* ---- what is not there says so, once */
static error_t_ missing(const char *name, char *told) {
  if (!*told) { *told = 1; pthread_mutex_lock(&lock); begin(MISSING); text(name); ask(); pthread_mutex_unlock(&lock); }
  return last = NOT_SUPPORTED;
}
#define ABSENT(name) error_t_ name(void) { static char told; return missing(#name, &told); }
ABSENTS
