/* The runtime without a GPU: libcudart.so.13 and .12 (ABI is the number). What they ask goes through libcuda.so.1, where the connection is. */
#include "common.h"

static __thread error_t_ last;
#define CALL(e) enter(); error_t_ r_ = (e); leave(); if (r_) last = r_; return r_
#define ABSENT(name) error_t_ name(void) { static char told; return last = missing(#name, &told); }

/* ---- what nvcc puts into a program */
void **__cudaRegisterFatBinary(void *w) { void *m = NULL; enter(); image(w, &m); leave(); return m; }
void __cudaRegisterFatBinaryEnd(void **h) { (void)h; }
void __cudaUnregisterFatBinary(void **h) { (void)h; }
char __cudaInitModule(void **h) { (void)h; return 1; }
void __cudaRegisterFunction(void **h, const char *f, char *d, const char *name, int l, void *t, void *b, void *bd, void *gd, int *w) {
  (void)d; (void)l; (void)t; (void)b; (void)bd; (void)gd; (void)w;
  enter(); begin(FUNCTION); u64((uint64_t)h - 1); u64((uint64_t)f); text(name); ask(); leave();
}
void __cudaRegisterVar(void **h, char *v, char *d, const char *name, int e, size_t n, int c, int g) {
  (void)d; (void)e; (void)c; (void)g;
  enter(); begin(VARIABLE); u64((uint64_t)h - 1); u64((uint64_t)v); text(name); u64(n); ask(); leave();
}
/* a managed variable is a pointer in the program */
void __cudaRegisterManagedVar(void **h, void **v, char *d, const char *name, int e, size_t n, int c, int g) {
  (void)d; (void)e; (void)c; (void)g;
  enter();
  begin(VARIABLE); u64((uint64_t)h - 1); u64((uint64_t)v); text(name); u64(n); ask();
  begin(SYMBOL); u64((uint64_t)v);
  if (!ask()) {
    void *at = (void *)get64();
    if (((uint64_t)at >> 32) >= 0x7f000000u || map_host(at, n, MANAGED)) fprintf(stderr, "tcspec: __managed__ %s has no memory\n", name);
    else *v = at;
    begin(IDLE); ask();
  }
  leave();
}
static __thread struct { dim3_ g, b; size_t n; void *s; } pushed[8]; static __thread int depth;
unsigned __cudaPushCallConfiguration(dim3_ g, dim3_ b, size_t n, void *s) { if (depth == 8) return 1; pushed[depth].g = g; pushed[depth].b = b; pushed[depth].n = n; pushed[depth++].s = s; return 0; }
error_t_ __cudaPopCallConfiguration(dim3_ *g, dim3_ *b, size_t *n, void *s) { if (!depth) return last = INVALID; depth--; *g = pushed[depth].g; *b = pushed[depth].b; *n = pushed[depth].n; *(void **)s = pushed[depth].s; return SUCCESS; }

/* ---- symbols */
static error_t_ symbol(const void *s, void **p, size_t *n) {
  begin(SYMBOL); u64((uint64_t)s);
  error_t_ r = ask();
  if (!r) { *p = (void *)get64(); *n = get64(); }
  return r;
}
static error_t_ to_symbol(const void *s, const void *from, size_t n, size_t at, uint64_t st, int async) { void *p; size_t m; error_t_ r = symbol(s, &p, &m); return r ? r : copy((char *)p + at, from, n, st, async); }
static error_t_ from_symbol(void *d, const void *s, size_t n, size_t at, uint64_t st, int async) { void *p; size_t m; error_t_ r = symbol(s, &p, &m); return r ? r : copy(d, (char *)p + at, n, st, async); }

/* ---- launches */
typedef struct { dim3_ grid, block; size_t shared; void *stream; attribute *attrs; unsigned n; } config;
static error_t_ attributes(char *a, const void *f) {
  uint64_t o[8]; error_t_ r = attributes_of(f, o);
  if (r) return r;
  memset(a, 0, 144);
  for (int i = 0; i < 3; i++) ((size_t *)a)[i] = o[i];
  for (int i = 3; i < 7; i++) ((int *)(a + 24))[i - 3] = (int)o[i];
  *(int *)(a + 44) = (int)o[7];
  return SUCCESS;
}
/* a stream callback is given its stream and how it went */
typedef struct { void (*f)(void *, int, void *); void *stream, *p; } callback;
static void call_back(void *p) { callback *c = p; c->f(c->stream, 0, c->p); free(c); }
static error_t_ add_callback(void *s, void (*f)(void *, int, void *), void *p, uint64_t stream) {
  callback *c = malloc(sizeof *c); if (!c) return MEMORY;
  c->f = f; c->stream = s; c->p = p;
  return host_function(call_back, c, stream);
}

/* ---- graphs: a node of any kind */
typedef struct { int type, reserved[3]; union { long long pad[29]; kernel_node kernel; struct { int flags, reserved[3]; copy3d c; } copy; fill_node fill; host_node host; void *graph, *event; } u; } any_node;
static error_t_ any(const any_node *n) {
  switch (n->type) {
    case 0: return kernel_of(&n->u.kernel);
    case 1: return copy_box(&n->u.copy.c, 0, 1);
    case 2: return fill_rows(n->u.fill.d, n->u.fill.pitch, n->u.fill.value, n->u.fill.width, n->u.fill.w * n->u.fill.width, n->u.fill.h, 0);
    case 3: return host_function(n->u.host.f, n->u.host.p, 0);
    case 4: return child(n->u.graph);
    case 5: return empty();
    case 6: return two(WAIT, (uint64_t)n->u.event, 0);
    case 7: return two(RECORD, (uint64_t)n->u.event, 0);
    default: return NOT_SUPPORTED;
  }
}
/* ---- the device */
static error_t_ properties(char *p, int d) {
  if (d) return NO_DEVICE;
#define INT(at, v) *(int *)(p + (at)) = (v)
#define SIZE(at, v) *(size_t *)(p + (at)) = (v)
  /* both layouts begin with the same fields; the numbers are offsets */
  memset(p, 0, ABI == 12 ? 1032 : 1008);
  strcpy(p, "NVIDIA H100 80GB HBM3 (tcspec)");
  SIZE(288, (size_t)80 << 30); SIZE(296, 49152); INT(304, 65536); INT(308, 32); INT(320, 1024); INT(324, 1024); INT(328, 1024); INT(332, 64);
  INT(336, 2147483647); INT(340, 65535); INT(344, 65535);
#if ABI == 12
  INT(348, 1980000); SIZE(352, 65536); INT(360, 9); INT(364, 0); SIZE(368, 512); SIZE(376, 32); INT(384, 1); INT(388, 132);
  INT(396, 0); INT(400, 1); INT(568, 1); INT(572, 1); INT(592, 3); INT(596, 1); INT(600, 2619000); INT(604, 5120); INT(608, 52428800); INT(616, 2048); INT(620, 1); INT(624, 1); INT(628, 1);
  SIZE(632, 233472); INT(640, 65536); INT(644, 1); INT(656, 1); INT(664, 2); INT(668, 1); INT(672, 1); INT(676, 1); INT(684, 1); SIZE(696, 232448); INT(712, 32);
#else
  SIZE(352, 65536); INT(360, 9); INT(384, 132); INT(392, 1); INT(560, 1); INT(584, 3); INT(588, 1); INT(592, 5120);
  INT(596, 52428800); INT(604, 2048); SIZE(624, 233472); INT(632, 65536); INT(636, 1); INT(656, 1); INT(668, 1); SIZE(672, 232448); INT(688, 32);
#endif
  return SUCCESS;
}
static error_t_ pointer_kind(const void *p, char *a) {
  seen *s = seen_at(p); int device = ((uint64_t)p >> 32) >= 0x7f000000u;
  memset(a, 0, 24);
  if (s && s->kind == PAGEABLE) s = NULL;
  *(int *)a = device ? 2 : !s ? 0 : s->kind == MANAGED ? 3 : 1;
  if (device || s) *(const void **)(a + 8) = device ? p : s->device + ((const char *)p - s->at);
  if (!device) *(const void **)(a + 16) = s ? p : NULL;
  return SUCCESS;
}
static error_t_ entry_of(const char *name, void **p, int *found) { *p = finder(name); if (found) *found = *p ? 0 : 1; return *p || found ? SUCCESS : NOT_FOUND; }

/* ---- errors */
static const struct { error_t_ code; const char *name, *says; } errors[] = {
  { 0, "cudaSuccess", "no error" }, { 1, "cudaErrorInvalidValue", "invalid argument" }, { 2, "cudaErrorMemoryAllocation", "out of memory" },
  { 9, "cudaErrorInvalidConfiguration", "invalid configuration argument" }, { 13, "cudaErrorInvalidSymbol", "invalid device symbol" }, { 98, "cudaErrorInvalidDeviceFunction", "invalid device function" },
  { 101, "cudaErrorInvalidDevice", "invalid device ordinal" }, { 200, "cudaErrorInvalidKernelImage", "device kernel image is invalid" }, { 209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device" },
  { 400, "cudaErrorInvalidResourceHandle", "invalid resource handle" }, { 500, "cudaErrorSymbolNotFound", "named symbol not found" }, { 600, "cudaErrorNotReady", "device not ready" },
  { 700, "cudaErrorIllegalAddress", "an illegal memory access was encountered" }, { 710, "cudaErrorAssert", "device-side assert triggered" }, { 719, "cudaErrorLaunchFailure", "unspecified launch failure" },
  { 801, "cudaErrorNotSupported", "operation not supported" }, { 900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing" }, { 901, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture" },
  { 904, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work" }, { 906, "cudaErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream" }, { 999, "cudaErrorUnknown", "unknown error" },
};
static const char *word(error_t_ r, int whole) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) if (errors[i].code == r) return whole ? errors[i].says : errors[i].name;
  return whole ? "unrecognized error code" : "unrecognized error code";
}
