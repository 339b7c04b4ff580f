/*
 * What both stand-ins share: every call of the runtime and of the driver becomes a message to the process that started this one (tcspec cuda), over a Unix socket, and waits
 * for the answer. Nothing is decided here but how a call is packed.
 *
 *   message: u32 length of the rest, u32 call, payload
 *   answer:  u32 length, i32 status, u32 writes {u64 address, u64 bytes, data}, u32 functions of the host {u64 number}, u32 bytes to print, data; payload
 *
 * Memory that the host sees (managed, mapped, registered) is kept with a copy of what both sides last agreed on: what the host has written is sent before the next call that
 * may use it.
 *
 * The functions themselves come from one table (src/oracle/cuda/functions.ts), CALLS and the numbers of the messages from another (calls.ts).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
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
enum {
  SUCCESS = 0, INVALID = 1, MEMORY = 2, CONFIGURATION = 9, NO_SYMBOL = 13, NO_DEVICE = 101, NO_IMAGE = 200, NOT_FOUND = 500, NOT_READY = 600, NOT_SUPPORTED = 801, UNKNOWN = 999,
  /* of a copy in a stream that is captured: the memory of the host takes part */
  BY_ADDRESS = 0x7ffffff1
};
/* kinds of memory */
enum { DEVICE, MANAGED, MAPPED, PAGEABLE };

typedef struct { int id; char pad[4]; union { char c[64]; unsigned u[16]; int i; } val; } attribute;
typedef struct { char *at, *agreed, *device; size_t n; uint32_t kind; } seen;
typedef struct { void *f; dim3_ grid, block; unsigned shared; void **args; void **extra; } kernel_node;
typedef struct { char *d; size_t pitch; unsigned value, width; size_t w, h; } fill_node;
typedef struct { void (*f)(void *); void *p; } host_node;
typedef struct { void *array; size_t x, y, z; char *p; size_t pitch, xs, ys; } pitched;
typedef struct { char *p; size_t pitch, w, h; } pitched3d;
typedef struct { size_t w, h, d; } extent;
typedef struct { pitched s, d; size_t w, h, depth; int kind; } copy3d;

/* names that no program has */
#define begin tcspec_begin
#define put tcspec_put
#define u32 tcspec_u32
#define u64 tcspec_u64
#define text tcspec_text
#define get32 tcspec_get32
#define get64 tcspec_get64
#define got tcspec_got
#define ask tcspec_ask
#define enter tcspec_enter
#define leave tcspec_leave
#define seen_at tcspec_seen_at
#define tracked tcspec_tracked
#define alloc tcspec_alloc
#define release tcspec_release
#define enroll tcspec_enroll
#define dismiss tcspec_dismiss
#define device_of tcspec_device_of
#define map_host tcspec_map_host
#define copy tcspec_copy
#define copy_rows tcspec_copy_rows
#define copy_box tcspec_copy_box
#define fill tcspec_fill
#define fill_rows tcspec_fill_rows
#define wait_for tcspec_wait_for
#define query tcspec_query
#define made tcspec_made
#define two tcspec_two
#define image tcspec_image
#define launch tcspec_launch
#define host_function tcspec_host_function
#define fits tcspec_fits
#define allow_shared tcspec_allow_shared
#define into tcspec_into
#define node_of tcspec_node_of
#define kernel_of tcspec_kernel_of
#define property tcspec_property
#define missing tcspec_missing
#define finder tcspec_finder
#define attributes_of tcspec_attributes_of
#define named_in tcspec_named_in
#define graph_launch tcspec_graph_launch
#define edges tcspec_edges
#define child tcspec_child
#define empty tcspec_empty
#define instead tcspec_instead
#define listed tcspec_listed

void begin(uint32_t call);
void put(const void *p, size_t n);
void u32(uint32_t x);
void u64(uint64_t x);
void text(const char *s);
uint32_t get32(void);
uint64_t get64(void);
const char *got(void);
error_t_ ask(void);
void enter(void);
void leave(void);
seen *seen_at(const void *p);
int tracked(const void *p);
error_t_ alloc(void **p, size_t n, uint32_t kind, uint64_t stream, int ordered);
error_t_ release(void *p, uint64_t stream, int ordered);
error_t_ enroll(void *p, size_t n, uint32_t kind);
error_t_ dismiss(void *p);
error_t_ device_of(void **d, void *p);
error_t_ map_host(void *at, size_t n, uint32_t kind);
error_t_ copy(void *d, const void *s, size_t n, uint64_t stream, int async);
error_t_ copy_rows(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, uint64_t stream, int async);
error_t_ copy_box(const copy3d *c, uint64_t stream, int async);
error_t_ fill(void *d, unsigned v, uint32_t width, size_t n, uint64_t stream);
error_t_ fill_rows(void *d, size_t pitch, unsigned v, uint32_t width, size_t w, size_t h, uint64_t stream);
error_t_ wait_for(uint32_t kind, uint64_t which);
error_t_ query(uint32_t kind, uint64_t which);
error_t_ made(void **p, uint32_t call, uint64_t a);
error_t_ two(uint32_t call, uint64_t a, uint64_t b);
error_t_ image(const void *code, void **module);
error_t_ launch(const void *f, dim3_ g, dim3_ b, void **args, void **extra, size_t shared, uint64_t stream, const attribute *a, unsigned na);
error_t_ host_function(void (*f)(void *), void *p, uint64_t stream);
error_t_ fits(const void *f, int block, size_t shared, int *n);
error_t_ allow_shared(const void *f, int which, int bytes);
error_t_ into(void *graph, void *const *after, size_t n);
error_t_ node_of(void **node);
error_t_ kernel_of(const kernel_node *k);
int property(int a);
error_t_ missing(const char *name, char *told);
void *finder(const char *name);
error_t_ attributes_of(const void *f, uint64_t out[8]);
error_t_ named_in(uint32_t call, void *module, const char *name, void **p, size_t *n);
error_t_ graph_launch(void *e, uint64_t stream);
error_t_ edges(void *g, void *const *from, void *const *to, size_t n, uint32_t call);
error_t_ child(void *g);
error_t_ empty(void);
error_t_ instead(void *exec, void *node);
error_t_ listed(uint32_t call, void *which, void **list, void **second, size_t *n);

/* a node of a graph: what the expression does becomes one, behind others */
#define NODE(out, graph, after, n, does) ({ error_t_ n_ = into(graph, after, n); if (!n_) n_ = (does); error_t_ m_ = node_of((void **)(out)); n_ ? n_ : m_; })
/* the stream of a call: `spare` is the default one, of the process or of the thread */
#define S(s) ((uint64_t)(s) ? (uint64_t)(s) : spare)
