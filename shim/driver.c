/* The driver without a GPU (libcuda.so.1), and the messages of both stand-ins. */
#include "common.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fd = -1;

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
static int used;
static void in_child(void) { if (fd >= 0) { if (!used) close(fd); fd = used ? -2 : -1; } pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER; lock = fresh; }
static void open_once(void) {
  if (fd >= 0) return;
  if (fd == -2) { fprintf(stderr, "tcspec: a process that was forked after its parent had called CUDA cannot call it\n"); _exit(70); }
  const char *path = getenv("TCSPEC_CUDA_SOCKET");
  if (!path) { fprintf(stderr, "tcspec: this library is for programs that `tcspec cuda -- PROGRAM` starts\n"); _exit(70); }
  struct sockaddr_un a = { .sun_family = AF_UNIX };
  snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
  fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a)) fail(path);
  pthread_atfork(NULL, NULL, in_child);
}

/* a program that only asks what the device is has called the runtime, too */
__attribute__((constructor)) static void loaded(void) { if (getenv("TCSPEC_CUDA_SOCKET")) open_once(); }

/* ---- messages; the lock is held from enter to leave */
typedef struct { char *p; size_t n, room; } buf;
static buf out;
static char *in; static size_t in_n, in_at;
typedef struct { uint64_t number; void (*f)(void *); void *p; } function;
static function *functions; static size_t function_n; static uint64_t function_last;
static uint64_t *due; static size_t due_n;

static void room(buf *b, size_t n) { if (b->n + n > b->room) { b->room = (b->n + n) * 2 + 64; b->p = realloc(b->p, b->room); if (!b->p) fail("memory"); } }
void begin(uint32_t call) { out.n = 0; u32(0); u32(call); }
void put(const void *p, size_t n) { room(&out, n); memcpy(out.p + out.n, p, n); out.n += n; }
void u32(uint32_t x) { put(&x, 4); }
void u64(uint64_t x) { put(&x, 8); }
void text(const char *s) { uint32_t n = (uint32_t)strlen(s); u32(n); put(s, n); }
uint32_t get32(void) { uint32_t x = 0; if (in_at + 4 <= in_n) memcpy(&x, in + in_at, 4); in_at += 4; return x; }
uint64_t get64(void) { uint64_t x = 0; if (in_at + 8 <= in_n) memcpy(&x, in + in_at, 8); in_at += 8; return x; }
const char *got(void) { return in + in_at; }
void enter(void) { pthread_mutex_lock(&lock); }

/* ---- memory that the host sees */
static seen *host; static size_t hosts;
seen *seen_at(const void *p) {
  for (size_t i = 0; i < hosts; i++) if ((const char *)p >= host[i].at && (const char *)p < host[i].at + host[i].n) return &host[i];
  return NULL;
}
int tracked(const void *p) { return ((uint64_t)p >> 32) >= 0x7f000000u || seen_at(p) != NULL || (((uint64_t)p >> 32) >= 0x2000u && ((uint64_t)p >> 32) < 0x5000u); }
error_t_ ask(void) {
  uint32_t n = (uint32_t)(out.n - 4), m; memcpy(out.p, &n, 4);
  open_once(); used = 1; all_out(out.p, out.n); all_in(&m, 4);
  in = realloc(in, m ? m : 1); if (!in) fail("memory");
  all_in(in, m); in_n = m; in_at = 0;
  error_t_ status = (error_t_)get32();
  for (uint32_t w = get32(); w; w--) {
    uint64_t at = get64(), k = get64();
    memcpy((void *)at, in + in_at, k);
    seen *s = seen_at((void *)at);
    if (s) memcpy(s->agreed + ((char *)at - s->at), in + in_at, k);
    in_at += k;
  }
  uint32_t k = get32();
  if (k) { due = realloc(due, (due_n + k) * sizeof *due); if (!due) fail("memory"); for (; k; k--) due[due_n++] = get64(); }
  k = get32();
  if (k) { fwrite(in + in_at, 1, k, stdout); in_at += k; }
  k = get32();
  if (k) { fwrite(in + in_at, 1, k, stderr); in_at += k; }
  return status;
}
/* functions of the host that streams have come to, outside the lock */
void leave(void) {
  for (;;) {
    function next = { 0, NULL, NULL };
    if (due_n) {
      uint64_t number = due[0];
      memmove(due, due + 1, --due_n * sizeof *due);
      for (size_t i = 0; i < function_n; i++) if (functions[i].number == number) next = functions[i];
    }
    pthread_mutex_unlock(&lock);
    if (!next.f) return;
    next.f(next.p);
    pthread_mutex_lock(&lock);
  }
}
/* the heap may have given it back since */
static int is_there(const char *at, size_t n) { size_t page = (size_t)sysconf(_SC_PAGESIZE), start = (size_t)at / page * page; return !msync((void *)start, (size_t)at + n - start, MS_ASYNC); }
static void push_kind(int pageable) {
  for (size_t i = 0; i < hosts; i++) {
    seen *s = &host[i];
    if ((s->kind == PAGEABLE) != pageable || (pageable && !is_there(s->at, s->n)) || !memcmp(s->at, s->agreed, s->n)) continue;
    memcpy(s->agreed, s->at, s->n);
    begin(HOST_WROTE); u64((uint64_t)s->at); u64(s->n); put(s->at, s->n); ask();
  }
}
static void push(void) { push_kind(0); }
static error_t_ note(char *at, char *device, size_t n, uint32_t kind) {
  seen *more = realloc(host, (hosts + 1) * sizeof *host);
  if (!more) return MEMORY;
  host = more;
  host[hosts].at = at; host[hosts].device = device; host[hosts].n = n; host[hosts].kind = kind; host[hosts].agreed = calloc(n ? n : 1, 1);
  return host[hosts++].agreed ? SUCCESS : MEMORY;
}
error_t_ map_host(void *at, size_t n, uint32_t kind) {
  void *m = mmap(at, n ? n : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  return m != at ? MEMORY : note(at, at, n, kind);
}
error_t_ alloc(void **p, size_t n, uint32_t kind, uint64_t stream, int ordered) {
  if (!p) return INVALID;
  if (!n && !ordered) { *p = NULL; return SUCCESS; }
  begin(ALLOC); u32(kind); u64(n); u64(stream); u32((uint32_t)ordered);
  error_t_ r = ask();
  if (r) return r;
  void *at = (void *)get64();
  if (kind && (r = map_host(at, n, kind))) return r;
  *p = at; return SUCCESS;
}
static void forget(size_t i) { free(host[i].agreed); host[i] = host[--hosts]; }
error_t_ release(void *p, uint64_t stream, int ordered) {
  if (!p) return SUCCESS;
  push(); begin(FREE); u64((uint64_t)p); u64(stream); u32((uint32_t)ordered);
  error_t_ r = ask();
  for (size_t i = 0; i < hosts; i++) if (host[i].at == p && host[i].device == p) { munmap(p, host[i].n ? host[i].n : 1); forget(i); break; }
  return r;
}
/* memory of the process that takes part, under an address of its own */
error_t_ enroll(void *p, size_t n, uint32_t kind) {
  if (!p || !n) return INVALID;
  begin(ENROLL); u32(kind); u64((uint64_t)p); u64(n);
  error_t_ r = ask();
  return r ? r : note(p, (void *)get64(), n, kind);
}
error_t_ dismiss(void *p) {
  for (size_t i = 0; i < hosts; i++)
    if (host[i].at == p && host[i].kind != PAGEABLE) { push(); begin(DISMISS); u64((uint64_t)p); error_t_ r = ask(); forget(i); return r; }
  return INVALID;
}
error_t_ device_of(void **d, void *p) {
  seen *s = seen_at(p);
  if (!s || s->kind == PAGEABLE) return INVALID;
  *d = s->device + ((char *)p - s->at); return SUCCESS;
}

/* ---- copies and fills */
static int building;
static error_t_ copy_by_address(void *d, const void *s, size_t n, uint64_t stream, int async) { begin(COPY); u64((uint64_t)d); u64((uint64_t)s); u64(n); u64(stream); u32((uint32_t)async); return ask(); }
/* what is no memory of the device, nor seen by it, takes part under the name of its address */
static error_t_ takes_part(const void *p, size_t n) { return tracked(p) ? SUCCESS : enroll((void *)p, n, PAGEABLE); }
static error_t_ taking_part(void *d, const void *s, size_t n, uint64_t stream) {
  error_t_ r = takes_part(d, n);
  if (!r) r = takes_part(s, n);
  return r ? r : copy_by_address(d, s, n, stream, 1);
}
error_t_ copy(void *d, const void *s, size_t n, uint64_t stream, int async) {
  if (!n) return SUCCESS;
  if (!d || !s) return INVALID;
  push();
  seen *ds = seen_at(d), *ss = seen_at(s);
  int dt = tracked(d) && !(ds && ds->kind == PAGEABLE && !building), st = tracked(s) && !(ss && ss->kind == PAGEABLE && !building);
  if (!dt && !st) { memmove(d, s, n); return SUCCESS; }
  if (building && !(dt && st)) return taking_part(d, s, n, stream);
  error_t_ r;
  if (!st) { begin(WRITE); u64((uint64_t)d); u64(n); u64(stream); u32((uint32_t)async); put(s, n); r = ask(); return r == BY_ADDRESS ? taking_part(d, s, n, stream) : r; }
  if (!dt) { begin(READ); u64((uint64_t)s); u64(n); u64(stream); r = ask(); if (r == BY_ADDRESS) return taking_part(d, s, n, stream); if (!r) memcpy(d, in + in_at, n); return r; }
  return copy_by_address(d, s, n, stream, async);
}
error_t_ copy_rows(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, uint64_t stream, int async) {
  if (w == dp && w == sp) return copy(d, s, w * h, stream, async);
  error_t_ r = SUCCESS;
  for (size_t i = 0; i < h && !r; i++) r = copy((char *)d + i * dp, (const char *)s + i * sp, w, stream, async);
  return r;
}
error_t_ copy_box(const copy3d *c, uint64_t stream, int async) {
  if (c->s.array || c->d.array) return NOT_SUPPORTED;
  error_t_ r = SUCCESS;
  for (size_t z = 0; z < c->depth && !r; z++) {
    char *s = c->s.p + c->s.x + c->s.pitch * (c->s.y + c->s.ys * (c->s.z + z)), *d = c->d.p + c->d.x + c->d.pitch * (c->d.y + c->d.ys * (c->d.z + z));
    r = copy_rows(d, c->d.pitch, s, c->s.pitch, c->w, c->h, stream, async);
  }
  return r;
}
error_t_ fill(void *d, unsigned v, uint32_t width, size_t n, uint64_t stream) {
  if (!n) return SUCCESS;
  push(); begin(FILL); u64((uint64_t)d); u32(v); u32(width); u64(n); u64(stream); return ask();
}
error_t_ fill_rows(void *d, size_t pitch, unsigned v, uint32_t width, size_t w, size_t h, uint64_t stream) {
  if (h == 1 || w == pitch) return fill(d, v, width, w * h, stream);
  error_t_ r = SUCCESS;
  for (size_t i = 0; i < h && !r; i++) r = fill((char *)d + i * pitch, v, width, w, stream);
  return r;
}

/* ---- streams, events, functions of the host */
error_t_ wait_for(uint32_t kind, uint64_t which) { push(); push_kind(1); begin(SYNC); u32(kind); u64(which); return ask(); }
error_t_ query(uint32_t kind, uint64_t which) { push(); begin(QUERY); u32(kind); u64(which); return ask(); }
error_t_ made(void **p, uint32_t call, uint64_t a) { begin(call); u64(a); error_t_ r = ask(); if (!r) *p = (void *)get64(); return r; }
error_t_ two(uint32_t call, uint64_t a, uint64_t b) { push(); begin(call); u64(a); u64(b); return ask(); }
/* a program may wait for what such a function does without a call: those that nobody has waited for run after a while */
static void *patience(void *nothing) {
  (void)nothing;
  for (;;) { usleep(50000); enter(); begin(IDLE); ask(); leave(); }
  return NULL;
}
error_t_ host_function(void (*f)(void *), void *p, uint64_t stream) {
  static int patient;
  function *more = realloc(functions, (function_n + 1) * sizeof *functions);
  if (!more) return MEMORY;
  functions = more;
  functions[function_n++] = (function){ ++function_last, f, p };
  push(); begin(HOST_FUNCTION); u64(function_last); u64(stream);
  error_t_ r = ask();
  pthread_t t;
  if (!patient && !pthread_create(&t, NULL, patience, NULL)) { patient = 1; pthread_detach(t); }
  return r;
}

/* ---- modules and launches */
typedef struct { uint32_t magic, version; const char *data; void *more; } wrapper;
typedef struct { uint32_t magic; uint16_t version, header; uint64_t size; } fatbin;
error_t_ image(const void *code, void **module) {
  uint32_t magic; memcpy(&magic, code, 4);
  if (magic == 0x466243b1) { code = ((const wrapper *)code)->data; memcpy(&magic, code, 4); }
  begin(IMAGE);
  if (magic == 0xba55ed50) { const fatbin *f = code; put(f, f->header + f->size); }
  else if (magic == 0x464c457f) put(code, 64);
  else put(code, strlen(code));
  error_t_ r = ask();
  if (!r) *module = (void *)(get64() + 1);
  return r;
}
error_t_ named_in(uint32_t call, void *module, const char *name, void **p, size_t *n) {
  push(); begin(call); u64((uint64_t)module - 1); text(name);
  error_t_ r = ask();
  if (!r) { void *at = (void *)get64(); size_t bytes = get64(); if (p) *p = at; if (n) *n = bytes; }
  return r;
}
typedef struct { uint64_t f; uint32_t n, *at, dynamic, fixed; } layout;
/* of a thread: how many a compiler would take is not known, and this is what kernels often have */
enum { REGISTERS = 40 };
static layout *layouts; static size_t layout_n;
static layout *layout_of(uint64_t f, error_t_ *r) {
  for (size_t i = 0; i < layout_n; i++) if (layouts[i].f == f) return &layouts[i];
  begin(LAYOUT); u64(f);
  if ((*r = ask())) return NULL;
  layouts = realloc(layouts, (layout_n + 1) * sizeof *layouts); if (!layouts) fail("memory");
  layout *l = &layouts[layout_n++]; l->f = f; l->fixed = get32(); l->dynamic = l->fixed < 49152 ? 49152 - l->fixed : 0; l->n = get32(); l->at = malloc(8 * (l->n + 1));
  for (uint32_t i = 0; i < 2 * l->n; i++) l->at[i] = get32();
  return l;
}
error_t_ launch(const void *f, dim3_ g, dim3_ b, void **args, void **extra, size_t shared, uint64_t stream, const attribute *a, unsigned na) {
  error_t_ r = SUCCESS; unsigned cluster[3] = { 0, 0, 0 }; uint32_t dependent = 0;
  for (unsigned i = 0; i < na; i++) {
    if (a[i].id == 4) memcpy(cluster, a[i].val.u, 12);
    if (a[i].id == 6 && a[i].val.i) dependent = 1;
  }
  if (!g.x || !g.y || !g.z || !b.x || !b.y || !b.z || b.x > 1024 || b.y > 1024 || b.z > 64 || (uint64_t)b.x * b.y * b.z > 1024 || g.y > 65535 || g.z > 65535) return CONFIGURATION;
  push();
  layout *l = layout_of((uint64_t)f, &r);
  if (!l) return r;
  if (shared > l->dynamic) return INVALID;
  const char *packed = NULL;
  for (void **e = extra; e && *e; e += 2) if (*e == (void *)1) packed = e[1];
  begin(LAUNCH); u64((uint64_t)f); put(&g, 12); put(&b, 12); put(cluster, 12); u64(shared); u64(stream); u32(dependent);
  for (uint32_t i = 0; i < l->n; i++) { u32(l->at[2 * i]); u32(l->at[2 * i + 1]); put(packed ? packed + l->at[2 * i] : args[i], l->at[2 * i + 1]); }
  return ask();
}
error_t_ kernel_of(const kernel_node *k) { return launch(k->f, k->grid, k->block, k->args, k->extra, k->shared, 0, NULL, 0); }
error_t_ allow_shared(const void *f, int which, int bytes) {
  error_t_ r = SUCCESS; layout *l = layout_of((uint64_t)f, &r);
  if (!l) return r;
  if (which != 8) return SUCCESS;
  if (bytes < 0 || (uint32_t)bytes + l->fixed > 232448) return INVALID;
  l->dynamic = (uint32_t)bytes; return SUCCESS;
}
/* shared bytes, threads, as cudaFuncAttributes has them: fixed, constant, local, threads, registers, PTX, binary, most dynamic */
error_t_ attributes_of(const void *f, uint64_t o[8]) {
  error_t_ r = SUCCESS; layout *l = layout_of((uint64_t)f, &r);
  if (!l) return r;
  o[0] = l->fixed; o[1] = o[2] = 0; o[3] = 1024; o[4] = REGISTERS; o[5] = o[6] = 90; o[7] = l->dynamic;
  return SUCCESS;
}
error_t_ fits(const void *f, int block, size_t shared, int *n) {
  error_t_ r = SUCCESS; layout *l = layout_of((uint64_t)f, &r);
  if (!l) return r;
  if (block <= 0) return INVALID;
  /* of 65,536 registers, and so many for each thread */
  size_t warps = ((size_t)block + 31) / 32, by = 233472 / (shared + l->fixed + 1024), of = block > 1024 ? 0 : 65536 / (REGISTERS * 32) / warps;
  *n = (int)(by < of ? by : of); if (*n > 32) *n = 32;
  return SUCCESS;
}

/* ---- graphs */
error_t_ into(void *graph, void *const *after, size_t n) {
  begin(INTO); u64((uint64_t)graph); u64(n);
  for (size_t i = 0; i < n; i++) u64((uint64_t)after[i]);
  building = 1;
  return ask();
}
error_t_ node_of(void **node) { building = 0; begin(NODE_MADE); error_t_ r = ask(); if (!r) *node = (void *)get64(); return r; }
error_t_ edges(void *g, void *const *from, void *const *to, size_t n, uint32_t call) {
  begin(call); u64((uint64_t)g); u64(n);
  for (size_t i = 0; i < n; i++) { u64((uint64_t)from[i]); u64((uint64_t)to[i]); }
  return ask();
}
error_t_ child(void *g) { begin(CHILD); u64((uint64_t)g); return ask(); }
error_t_ empty(void) { begin(EMPTY); return ask(); }
/* a node of a graph that has been instantiated gets other work */
error_t_ instead(void *exec, void *node) { begin(INSTEAD); u64((uint64_t)exec); u64((uint64_t)node); return ask(); }
error_t_ listed(uint32_t call, void *which, void **list, void **second, size_t *n) {
  begin(call); u64((uint64_t)which);
  error_t_ r = ask();
  if (r) return r;
  size_t k = get64(), most = *n; *n = k;
  for (size_t i = 0; i < k; i++) { void *a = (void *)get64(), *b = second ? (void *)get64() : NULL; if (list && i < most) { list[i] = a; if (second) second[i] = b; } }
  return SUCCESS;
}
error_t_ graph_launch(void *e, uint64_t stream) { push(); push_kind(1); begin(GRAPH); u64((uint64_t)e); u64(stream); return ask(); }

/* ---- the device: an H100 */
int property(int a) {
  switch (a) {
    case 1: case 2: case 3: return 1024;
    case 4: return 64;
    case 5: return 2147483647;
    case 6: case 7: return 65535;
    case 8: return 49152;
    case 9: return 65536;
    case 10: return 32;
    case 11: return 2147483647;
    case 12: case 82: return 65536;
    case 13: return 1980000;
    case 14: return 512;
    case 16: return 132;
    case 15: case 19: case 31: case 40 + 1: case 78: case 79: case 80: case 83: case 89: case 95: case 96: case 99: case 102: case 115: case 120: return 1;
    case 36: return 2619000;
    case 37: return 5120;
    case 38: return 52428800;
    case 39: return 2048;
    case 40: return 3;
    case 75: return 9;
    case 81: return 233472;
    case 97: return 232448;
    case 106: return 32;
    case 111: return 1024;
    default: return 0;
  }
}

error_t_ missing(const char *name, char *told) {
  if (!*told) { *told = 1; enter(); begin(MISSING); text(name); ask(); leave(); }
  return NOT_SUPPORTED;
}

/* ---- functions by name */
void *finder(const char *name) {
  char longer[160];
  for (int v = 4; v > 1; v--) {
    snprintf(longer, sizeof longer, "%s_v%d", name, v);
    void *f = dlsym(RTLD_DEFAULT, longer);
    if (f && !strncmp(name, "cu", 2)) return f;
  }
  return dlsym(RTLD_DEFAULT, name);
}
static __thread void *contexts[16]; static __thread int context_n;
static void *current(void) { return context_n ? contexts[context_n - 1] : NULL; }
#define CONTEXT ((void *)0x7c5bec)
typedef struct { unsigned grid[3], block[3], shared; void *stream; attribute *attrs; unsigned n; } config;
typedef struct { size_t sx, sy; int st; const void *sh; uint64_t sd; void *sa; size_t sp; size_t dx, dy; int dt; void *dh; uint64_t dd; void *da; size_t dp; size_t w, h; } copy2d;
static error_t_ copy_plane(const copy2d *c, uint64_t stream, int async) {
  if (c->st == 3 || c->dt == 3) return NOT_SUPPORTED;
  const char *s = c->st == 1 ? c->sh : (const char *)c->sd; char *d = c->dt == 1 ? c->dh : (char *)c->dd;
  return copy_rows(d + c->dy * c->dp + c->dx, c->dp, s + c->sy * c->sp + c->sx, c->sp, c->w, c->h, stream, async);
}
typedef struct { size_t sx, sy, sz, slod; int st; const void *sh; uint64_t sd; void *sa, *s0; size_t sp, srows; size_t dx, dy, dz, dlod; int dt; void *dh; uint64_t dd; void *da, *d0; size_t dp, drows, w, h, depth; } volume;
static error_t_ copy_volume(const volume *v, uint64_t stream, int async) {
  if (v->st == 3 || v->dt == 3) return NOT_SUPPORTED;
  copy3d c = { { NULL, v->sx, v->sy, v->sz, v->st == 1 ? (char *)v->sh : (char *)v->sd, v->sp, 0, v->srows }, { NULL, v->dx, v->dy, v->dz, v->dt == 1 ? v->dh : (char *)v->dd, v->dp, 0, v->drows }, v->w, v->h, v->depth, 0 };
  return copy_box(&c, stream, async);
}
static error_t_ tensor_map(void *map, int type, uint32_t rank, void *at, const uint64_t *size, const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave, int swizzle, int l2, int nan) {
  (void)l2;
  if (rank < 1 || rank > 5) return INVALID;
  begin(TENSOR_MAP); u32((uint32_t)type); u32(rank); u64((uint64_t)at); u32((uint32_t)interleave); u32((uint32_t)swizzle); u32((uint32_t)nan);
  for (uint32_t i = 0; i < rank; i++) { u64(size[i]); u64(i + 1 < rank ? stride[i] : 0); u32(box[i]); u32(step[i]); }
  error_t_ r = ask();
  if (!r) memcpy(map, got(), 128);
  return r;
}
/* the block with which most threads are on a multiprocessor, the largest of equal ones; and a grid that fills the chip */
static error_t_ best_block(int *grid, int *block, const void *f, size_t (*of)(int), size_t shared, int limit) {
  int best = 0;
  for (int t = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024; t > 0; t -= 32) {
    int n = 0; error_t_ r = fits(f, t, of ? of(t) : shared, &n);
    if (r) return r;
    if (n * t > best) { best = n * t; *block = t; *grid = n * property(16); }
  }
  return best ? SUCCESS : INVALID;
}
static const char *said(error_t_ r, int whole) {
  switch (r) {
    case 0: return whole ? "no error" : "CUDA_SUCCESS";
    case 1: return whole ? "invalid argument" : "CUDA_ERROR_INVALID_VALUE";
    case 2: return whole ? "out of memory" : "CUDA_ERROR_OUT_OF_MEMORY";
    case 101: return whole ? "invalid device ordinal" : "CUDA_ERROR_INVALID_DEVICE";
    case 200: return whole ? "device kernel image is invalid" : "CUDA_ERROR_INVALID_IMAGE";
    case 201: return whole ? "invalid device context" : "CUDA_ERROR_INVALID_CONTEXT";
    case 209: return whole ? "no kernel image is available for execution on the device" : "CUDA_ERROR_NO_BINARY_FOR_GPU";
    case 400: return whole ? "invalid resource handle" : "CUDA_ERROR_INVALID_HANDLE";
    case 500: return whole ? "named symbol not found" : "CUDA_ERROR_NOT_FOUND";
    case 600: return whole ? "device not ready" : "CUDA_ERROR_NOT_READY";
    case 700: return whole ? "an illegal memory access was encountered" : "CUDA_ERROR_ILLEGAL_ADDRESS";
    case 710: return whole ? "device-side assert triggered" : "CUDA_ERROR_ASSERT";
    case 719: return whole ? "unspecified launch failure" : "CUDA_ERROR_LAUNCH_FAILED";
    case 900: return whole ? "operation not permitted when stream is capturing" : "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
    case 904: return whole ? "capturing stream has unjoined work" : "CUDA_ERROR_STREAM_CAPTURE_UNJOINED";
    case 801: return whole ? "operation not supported" : "CUDA_ERROR_NOT_SUPPORTED";
    default: return whole ? "unknown error" : "CUDA_ERROR_UNKNOWN";
  }
}
/* a block or a grid that cannot be is an invalid value to the driver */
static error_t_ of_driver(error_t_ r) { return r == CONFIGURATION ? INVALID : r == NO_SYMBOL || r == 98 ? NOT_FOUND : r; }
#define CALL(e) enter(); error_t_ r_ = (e); leave(); return of_driver(r_)
#define ABSENT(name) error_t_ name(void) { static char told; return missing(#name, &told); }
static error_t_ image_of_file(const char *path, void **module) {
  FILE *f = fopen(path, "rb");
  if (!f) return 301;
  char *data = NULL; size_t n = 0, k;
  do { data = realloc(data, n + 65537); if (!data) fail("memory"); k = fread(data + n, 1, 65536, f); n += k; } while (k);
  fclose(f); memset(data + n, 0, 1);
  error_t_ r = n < 4 ? NO_IMAGE : image(data, module);
  free(data); return r;
}
static error_t_ function_attribute(int *v, int a, void *f) {
  static const int field[] = { 3, 0, 1, 2, 4, 5, 6 };
  uint64_t o[8]; error_t_ r = attributes_of(f, o);
  if (!r) *v = a >= 0 && a < 7 ? (int)o[field[a]] : a == 8 ? (int)o[7] : 0;
  return r;
}
static error_t_ pointer_attribute(void *v, int a, const void *p) {
  seen *s = seen_at(p); int device = ((uint64_t)p >> 32) >= 0x7f000000u;
  if (!device && !s) return INVALID;
  switch (a) {
    case 1: *(void **)v = CONTEXT; return SUCCESS;
    case 2: *(unsigned *)v = device ? 2 : 1; return SUCCESS;
    case 3: case 4: *(const void **)v = p; return a == 4 && device ? INVALID : SUCCESS;
    case 8: *(unsigned *)v = s && s->kind == MANAGED; return SUCCESS;
    case 9: *(int *)v = 0; return SUCCESS;
    default: return NOT_SUPPORTED;
  }
}
