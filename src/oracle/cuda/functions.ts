/**
 * The functions that the stand-ins have: one table, from which both C files are completed and the table of docs/Cuda.md is made.
 *
 *     cudaMemsetAsync(void *d, int v, size_t n, void *s) = fill(d, (unsigned)v, 1, n, S(s))
 *     cudaGetDevice(int *d) : *d = 0
 *
 * Behind `=` stands an expression of C that asks (`shim/common.h`) and is the function's answer; behind `:` what is done without a question, which always succeeds. `S(s)` is
 * the stream of a call and `spare` the default stream, which is the thread's own in the functions that end in `_ptsz` and `_ptds`: they come from the same line.
 *
 * Laws
 * 1. Every function is in the list of names of its library (`names.ts`), once.
 * 2. What is in the list and not here says that it is not supported.
 */
import { driverNames, runtime12Names, runtimeNames } from './names.js'

// ---------------------------------------------------------------- model

/** A function: in C, and in which group the docs have it. */
export interface Function {
  readonly name: string
  readonly group: string
  readonly parameters: string
  readonly body: string
  /** it asks, and its answer is that of the question */
  readonly asks: boolean
}

// ---------------------------------------------------------------- the table

const runtimeTable = `
Memory
cudaMalloc(void **p, size_t n) = alloc(p, n, DEVICE, 0, 0)
cudaMallocAsync(void **p, size_t n, void *s) = alloc(p, n, DEVICE, S(s), 1)
cudaMallocFromPoolAsync(void **p, size_t n, void *pool, void *s) = (void)pool, alloc(p, n, DEVICE, S(s), 1)
cudaMallocManaged(void **p, size_t n, unsigned f) = (void)f, alloc(p, n, MANAGED, 0, 0)
cudaHostAlloc(void **p, size_t n, unsigned f) = (void)f, alloc(p, n, MAPPED, 0, 0)
cudaMallocHost(void **p, size_t n) = alloc(p, n, MAPPED, 0, 0)
cudaMallocPitch(void **p, size_t *pitch, size_t w, size_t h) = *pitch = (w + 511) / 512 * 512, alloc(p, *pitch * h, DEVICE, 0, 0)
cudaMalloc3D(pitched3d *p, extent e) = p->pitch = (e.w + 511) / 512 * 512, p->w = e.w, p->h = e.h, alloc((void **)&p->p, p->pitch * e.h * e.d, DEVICE, 0, 0)
cudaFree(void *p) = release(p, 0, 0)
cudaFreeHost(void *p) = release(p, 0, 0)
cudaFreeAsync(void *p, void *s) = release(p, S(s), 1)
cudaHostRegister(void *p, size_t n, unsigned f) = (void)f, enroll(p, n, MAPPED)
cudaHostUnregister(void *p) = dismiss(p)
cudaHostGetDevicePointer(void **d, void *h, unsigned f) = (void)f, device_of(d, h)
cudaHostGetFlags(unsigned *f, void *h) = *f = 2, seen_at(h) ? SUCCESS : INVALID
cudaMemGetInfo(size_t *f, size_t *t) : *f = *t = (size_t)80 << 30
cudaPointerGetAttributes(char *a, const void *p) = pointer_kind(p, a)
cudaMemAdvise(const void *p, size_t n, int a, uint64_t l) : (void)p; (void)n; (void)a; (void)l
cudaMemPrefetchAsync(const void *p, size_t n, uint64_t l, uint64_t f, void *s) : (void)p; (void)n; (void)l; (void)f; (void)s
Memory pools
cudaDeviceGetDefaultMemPool(void **p, int d) : (void)d; *p = (void *)16
cudaDeviceGetMemPool(void **p, int d) : (void)d; *p = (void *)16
cudaDeviceSetMemPool(int d, void *p) : (void)d; (void)p
cudaMemPoolCreate(void **p, const void *o) = (void)o, made(p, EVENT, 0)
cudaMemPoolDestroy(void *p) : (void)p
cudaMemPoolSetAttribute(void *p, int a, void *v) : (void)p; (void)a; (void)v
cudaMemPoolGetAttribute(void *p, int a, void *v) : (void)p; if (a < 4) *(int *)v = 1; else *(uint64_t *)v = 0
cudaMemPoolTrimTo(void *p, size_t n) : (void)p; (void)n
cudaMemPoolSetAccess(void *p, const void *l, size_t n) : (void)p; (void)l; (void)n
cudaMemPoolGetAccess(int *f, void *p, void *l) : (void)p; (void)l; *f = 3
Copies and fills
cudaMemcpy(void *d, const void *s, size_t n, int k) = (void)k, copy(d, s, n, spare, 0)
cudaMemcpyAsync(void *d, const void *s, size_t n, int k, void *st) = (void)k, copy(d, s, n, S(st), 1)
cudaMemcpyPeer(void *d, int dd, const void *s, int sd, size_t n) = dd || sd ? NO_DEVICE : copy(d, s, n, 0, 0)
cudaMemcpyPeerAsync(void *d, int dd, const void *s, int sd, size_t n, void *st) = dd || sd ? NO_DEVICE : copy(d, s, n, (uint64_t)st, 1)
cudaMemcpy2D(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, int k) = (void)k, copy_rows(d, dp, s, sp, w, h, spare, 0)
cudaMemcpy2DAsync(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, int k, void *st) = (void)k, copy_rows(d, dp, s, sp, w, h, S(st), 1)
cudaMemcpy3D(const copy3d *c) = copy_box(c, spare, 0)
cudaMemcpy3DAsync(const copy3d *c, void *st) = copy_box(c, S(st), 1)
cudaMemset(void *d, int v, size_t n) = fill(d, (unsigned)v, 1, n, spare)
cudaMemsetAsync(void *d, int v, size_t n, void *s) = fill(d, (unsigned)v, 1, n, S(s))
cudaMemset2D(void *d, size_t p, int v, size_t w, size_t h) = fill_rows(d, p, (unsigned)v, 1, w, h, spare)
cudaMemset2DAsync(void *d, size_t p, int v, size_t w, size_t h, void *s) = fill_rows(d, p, (unsigned)v, 1, w, h, S(s))
cudaMemcpyToSymbol(const void *s, const void *from, size_t n, size_t at, int k) = (void)k, to_symbol(s, from, n, at, spare, 0)
cudaMemcpyToSymbolAsync(const void *s, const void *from, size_t n, size_t at, int k, void *st) = (void)k, to_symbol(s, from, n, at, S(st), 1)
cudaMemcpyFromSymbol(void *d, const void *s, size_t n, size_t at, int k) = (void)k, from_symbol(d, s, n, at, spare, 0)
cudaMemcpyFromSymbolAsync(void *d, const void *s, size_t n, size_t at, int k, void *st) = (void)k, from_symbol(d, s, n, at, S(st), 1)
cudaGetSymbolAddress(void **p, const void *s) = ({ size_t n; symbol(s, p, &n); })
cudaGetSymbolSize(size_t *n, const void *s) = ({ void *p; symbol(s, &p, n); })
Streams and events
cudaStreamCreate(void **s) = made(s, STREAM, 0)
cudaStreamCreateWithFlags(void **s, unsigned f) = made(s, STREAM, f)
cudaStreamCreateWithPriority(void **s, unsigned f, int p) = (void)p, made(s, STREAM, f)
cudaStreamDestroy(void *s) : (void)s
cudaStreamSynchronize(void *s) = wait_for(1, S(s))
cudaStreamQuery(void *s) = query(1, S(s))
cudaStreamWaitEvent(void *s, void *e, unsigned f) = two(f & 1 ? WAIT_OUTSIDE : WAIT, (uint64_t)e, S(s))
cudaStreamAddCallback(void *s, void (*f)(void *, int, void *), void *p, unsigned x) = (void)x, add_callback(s, f, p, S(s))
cudaStreamGetFlags(void *s, unsigned *f) : (void)s; *f = 0
cudaStreamGetPriority(void *s, int *p) : (void)s; *p = 0
cudaStreamGetId(void *s, unsigned long long *i) : *i = S(s)
cudaStreamGetDevice(void *s, int *d) : (void)s; *d = 0
cudaStreamSetAttribute(void *s, int a, const void *v) : (void)s; (void)a; (void)v
cudaStreamAttachMemAsync(void *s, void *p, size_t n, unsigned f) : (void)s; (void)p; (void)n; (void)f
cudaLaunchHostFunc(void *s, void (*f)(void *), void *p) = host_function(f, p, S(s))
cudaDeviceSynchronize() = wait_for(0, 0)
cudaDeviceReset() = wait_for(0, 0)
cudaThreadSynchronize() = wait_for(0, 0)
cudaThreadExit() = wait_for(0, 0)
cudaEventCreate(void **e) = made(e, EVENT, 0)
cudaEventCreateWithFlags(void **e, unsigned f) = made(e, EVENT, f)
cudaEventDestroy(void *e) : (void)e
cudaEventRecord(void *e, void *s) = two(RECORD, (uint64_t)e, S(s))
cudaEventRecordWithFlags(void *e, void *s, unsigned f) = two(f & 1 ? RECORD_OUTSIDE : RECORD, (uint64_t)e, S(s))
cudaEventSynchronize(void *e) = wait_for(2, (uint64_t)e)
cudaEventQuery(void *e) = query(2, (uint64_t)e)
cudaEventElapsedTime(float *t, void *a, void *b) : (void)a; (void)b; *t = 1
Launches
cudaLaunchKernel(const void *f, dim3_ g, dim3_ b, void **args, size_t n, void *s) = launch(f, g, b, args, NULL, n, S(s), NULL, 0)
__cudaLaunchKernel(const void *f, dim3_ g, dim3_ b, void **args, size_t n, void *s) = launch(f, g, b, args, NULL, n, S(s), NULL, 0)
cudaLaunchCooperativeKernel(const void *f, dim3_ g, dim3_ b, void **args, size_t n, void *s) = launch(f, g, b, args, NULL, n, S(s), NULL, 0)
cudaLaunchKernelExC(const config *c, const void *f, void **args) = launch(f, c->grid, c->block, args, NULL, c->shared, S(c->stream), c->attrs, c->n)
__cudaGetKernel(void **k, const void *f) : *k = (void *)f
cudaGetKernel(void **k, const void *f) : *k = (void *)f
cudaGetFuncBySymbol(void **k, const void *f) : *k = (void *)f
cudaFuncSetAttribute(const void *f, int a, int v) = allow_shared(f, a, v)
cudaFuncSetCacheConfig(const void *f, int c) : (void)f; (void)c
cudaFuncSetSharedMemConfig(const void *f, int c) : (void)f; (void)c
cudaFuncGetAttributes(char *a, const void *f) = attributes(a, f)
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *f, int b, size_t m) = fits(f, b, m, n)
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *f, int b, size_t m, unsigned x) = (void)x, fits(f, b, m, n)
cudaLibraryLoadData(void **l, const void *code, void *a, void *b, unsigned c, void *d, void *e, unsigned f) = (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, image(code, l)
cudaLibraryUnload(void *l) : (void)l
cudaLibraryGetKernel(void **k, void *l, const char *n) = named_in(NAMED_FUNCTION, l, n, k, NULL)
cudaLibraryGetGlobal(void **p, size_t *n, void *l, const char *name) = named_in(NAMED_VARIABLE, l, name, p, n)
Graphs
cudaStreamBeginCapture(void *s, int m) = (void)m, two(CAPTURE, S(s), 0)
cudaStreamEndCapture(void *s, void **g) = ({ begin(CAPTURED); u64(S(s)); error_t_ c_ = ask(); *g = c_ ? NULL : (void *)get64(); c_; })
cudaStreamIsCapturing(void *s, int *status) = ({ begin(CAPTURING); u64(S(s)); error_t_ c_ = ask(); *status = c_ ? 0 : (int)get32(); c_; })
cudaThreadExchangeStreamCaptureMode(int *m) : (void)m
cudaGraphCreate(void **g, unsigned f) = made(g, GRAPH_NEW, f)
cudaGraphAddKernelNode(void **o, void *g, void *const *d, size_t n, const kernel_node *k) = NODE(o, g, d, n, kernel_of(k))
cudaGraphAddMemcpyNode(void **o, void *g, void *const *d, size_t n, const copy3d *c) = NODE(o, g, d, n, copy_box(c, 0, 1))
cudaGraphAddMemcpyNode1D(void **o, void *g, void *const *d, size_t n, void *to, const void *from, size_t m, int k) = (void)k, NODE(o, g, d, n, copy(to, from, m, 0, 1))
cudaGraphAddMemcpyNodeToSymbol(void **o, void *g, void *const *d, size_t n, const void *s, const void *from, size_t m, size_t at, int k) = (void)k, NODE(o, g, d, n, to_symbol(s, from, m, at, 0, 1))
cudaGraphAddMemcpyNodeFromSymbol(void **o, void *g, void *const *d, size_t n, void *to, const void *s, size_t m, size_t at, int k) = (void)k, NODE(o, g, d, n, from_symbol(to, s, m, at, 0, 1))
cudaGraphAddMemsetNode(void **o, void *g, void *const *d, size_t n, const fill_node *f) = NODE(o, g, d, n, fill_rows(f->d, f->pitch, f->value, f->width, f->w * f->width, f->h, 0))
cudaGraphAddHostNode(void **o, void *g, void *const *d, size_t n, const host_node *h) = NODE(o, g, d, n, host_function(h->f, h->p, 0))
cudaGraphAddChildGraphNode(void **o, void *g, void *const *d, size_t n, void *c) = NODE(o, g, d, n, child(c))
cudaGraphAddEventRecordNode(void **o, void *g, void *const *d, size_t n, void *e) = NODE(o, g, d, n, two(RECORD, (uint64_t)e, 0))
cudaGraphAddEventWaitNode(void **o, void *g, void *const *d, size_t n, void *e) = NODE(o, g, d, n, two(WAIT, (uint64_t)e, 0))
cudaGraphAddEmptyNode(void **o, void *g, void *const *d, size_t n) = NODE(o, g, d, n, empty())
cudaGraphAddNode(void **o, void *g, void *const *d, const void *x, size_t n, const any_node *a) = (void)x, NODE(o, g, d, n, any(a))
cudaGraphAddNode_v2(void **o, void *g, void *const *d, const void *x, size_t n, const any_node *a) = (void)x, NODE(o, g, d, n, any(a))
cudaGraphAddDependencies(void *g, void *const *f, void *const *t, const void *x, size_t n) = ABI == 12 ? edges(g, f, t, (size_t)x, EDGES) : edges(g, f, t, n, EDGES)
cudaGraphAddDependencies_v2(void *g, void *const *f, void *const *t, const void *x, size_t n) = (void)x, edges(g, f, t, n, EDGES)
cudaGraphRemoveDependencies(void *g, void *const *f, void *const *t, const void *x, size_t n) = ABI == 12 ? edges(g, f, t, (size_t)x, EDGES_GONE) : edges(g, f, t, n, EDGES_GONE)
cudaGraphRemoveDependencies_v2(void *g, void *const *f, void *const *t, const void *x, size_t n) = (void)x, edges(g, f, t, n, EDGES_GONE)
cudaGraphGetNodes(void *g, void **l, size_t *n) = listed(NODES, g, l, NULL, n)
cudaGraphGetRootNodes(void *g, void **l, size_t *n) = listed(ROOTS, g, l, NULL, n)
cudaGraphClone(void **c, void *g) = made(c, CLONE, (uint64_t)g)
cudaGraphKernelNodeSetParams(void *n, const kernel_node *k) = (instead(NULL, n), kernel_of(k))
cudaGraphMemcpyNodeSetParams(void *n, const copy3d *c) = (instead(NULL, n), copy_box(c, 0, 1))
cudaGraphMemsetNodeSetParams(void *n, const fill_node *f) = (instead(NULL, n), fill_rows(f->d, f->pitch, f->value, f->width, f->w * f->width, f->h, 0))
cudaGraphMemcpyNodeSetParams1D(void *n, void *to, const void *from, size_t m, int k) = (void)k, (instead(NULL, n), copy(to, from, m, 0, 1))
cudaGraphHostNodeSetParams(void *n, const host_node *h) = (instead(NULL, n), host_function(h->f, h->p, 0))
cudaGraphEventRecordNodeSetEvent(void *n, void *e) = (instead(NULL, n), two(RECORD, (uint64_t)e, 0))
cudaGraphEventWaitNodeSetEvent(void *n, void *e) = (instead(NULL, n), two(WAIT, (uint64_t)e, 0))
cudaGraphNodeSetParams(void *n, const any_node *a) = (instead(NULL, n), any(a))
cudaGraphExecHostNodeSetParams(void *e, void *n, const host_node *h) = (instead(e, n), host_function(h->f, h->p, 0))
cudaGraphExecMemcpyNodeSetParams(void *e, void *n, const copy3d *c) = (instead(e, n), copy_box(c, 0, 1))
cudaGraphExecMemcpyNodeSetParamsToSymbol(void *e, void *n, const void *s, const void *from, size_t m, size_t at, int k) = (void)k, (instead(e, n), to_symbol(s, from, m, at, 0, 1))
cudaGraphExecMemcpyNodeSetParamsFromSymbol(void *e, void *n, void *to, const void *s, size_t m, size_t at, int k) = (void)k, (instead(e, n), from_symbol(to, s, m, at, 0, 1))
cudaGraphExecEventRecordNodeSetEvent(void *e, void *n, void *v) = (instead(e, n), two(RECORD, (uint64_t)v, 0))
cudaGraphExecEventWaitNodeSetEvent(void *e, void *n, void *v) = (instead(e, n), two(WAIT, (uint64_t)v, 0))
cudaGraphExecNodeSetParams(void *e, void *n, const any_node *a) = (instead(e, n), any(a))
cudaGraphExecKernelNodeSetParams(void *e, void *n, const kernel_node *k) = (instead(e, n), kernel_of(k))
cudaGraphExecMemcpyNodeSetParams1D(void *e, void *n, void *to, const void *from, size_t m, int k) = (void)k, (instead(e, n), copy(to, from, m, 0, 1))
cudaGraphExecMemsetNodeSetParams(void *e, void *n, const fill_node *f) = (instead(e, n), fill_rows(f->d, f->pitch, f->value, f->width, f->w * f->width, f->h, 0))
cudaGraphInstantiate(void **e, void *g, unsigned long long f) = (void)f, made(e, INSTANTIATE, (uint64_t)g)
cudaGraphInstantiateWithFlags(void **e, void *g, unsigned long long f) = (void)f, made(e, INSTANTIATE, (uint64_t)g)
cudaGraphInstantiateWithParams(void **e, void *g, void *p) = (void)p, made(e, INSTANTIATE, (uint64_t)g)
cudaGraphExecUpdate(void *e, void *g, void *r) = memset(r, 0, ABI == 12 ? 24 : 24), two(UPDATE, (uint64_t)e, (uint64_t)g)
cudaGraphUpload(void *e, void *s) : (void)e; (void)s
cudaGraphLaunch(void *e, void *s) = graph_launch(e, S(s))
cudaGraphDestroy(void *g) : (void)g
cudaGraphExecDestroy(void *g) : (void)g
The device
cudaDeviceGetAttribute(int *v, int a, int d) = *v = property(a), d ? NO_DEVICE : SUCCESS
cudaGetDeviceProperties(char *p, int d) = properties(p, d)
cudaGetDeviceProperties_v2(char *p, int d) = properties(p, d)
cudaGetDevice(int *d) : *d = 0
cudaSetDevice(int d) = d ? NO_DEVICE : SUCCESS
cudaInitDevice(int d, unsigned a, unsigned b) = (void)a, (void)b, d ? NO_DEVICE : SUCCESS
cudaChooseDevice(int *d, const void *p) : (void)p; *d = 0
cudaGetDeviceCount(int *n) : *n = 1
cudaSetValidDevices(int *d, int n) : (void)d; (void)n
cudaSetDeviceFlags(unsigned f) : (void)f
cudaGetDeviceFlags(unsigned *f) : *f = 8
cudaDeviceSetLimit(int l, size_t v) : (void)l; (void)v
cudaDeviceGetLimit(size_t *v, int l) : *v = l == 0 ? 1024 : l == 1 ? 1 << 20 : l == 2 ? 8 << 20 : 0
cudaDeviceSetCacheConfig(int c) : (void)c
cudaDeviceGetCacheConfig(int *c) : *c = 0
cudaDeviceSetSharedMemConfig(int c) : (void)c
cudaDeviceGetSharedMemConfig(int *c) : *c = 1
cudaDeviceCanAccessPeer(int *c, int a, int b) : (void)a; (void)b; *c = 0
cudaDeviceGetPCIBusId(char *s, int n, int d) = snprintf(s, (size_t)n, "0000:00:00.0"), d ? NO_DEVICE : SUCCESS
cudaDeviceGetStreamPriorityRange(int *l, int *g) : *l = 0; *g = -5
cudaCtxResetPersistingL2Cache() : (void)spare
cudaProfilerStart() : (void)spare
cudaProfilerStop() : (void)spare
cudaDriverGetVersion(int *v) : *v = ABI * 1000
cudaRuntimeGetVersion(int *v) : *v = ABI * 1000
cudaGetDriverEntryPoint(const char *n, void **p, unsigned long long f, int *r) = (void)f, entry_of(n, p, r)
cudaGetDriverEntryPointByVersion(const char *n, void **p, unsigned v, unsigned long long f, int *r) = (void)v, (void)f, entry_of(n, p, r)
`

const driverTable = `
Memory
cuMemAlloc_v2(void **p, size_t n) = n ? alloc(p, n, DEVICE, 0, 0) : INVALID
cuMemAllocPitch_v2(void **p, size_t *pitch, size_t w, size_t h, unsigned e) = (void)e, *pitch = (w + 511) / 512 * 512, alloc(p, *pitch * h, DEVICE, 0, 0)
cuMemAllocAsync(void **p, size_t n, void *s) = alloc(p, n, DEVICE, S(s), 1)
cuMemAllocFromPoolAsync(void **p, size_t n, void *pool, void *s) = (void)pool, alloc(p, n, DEVICE, S(s), 1)
cuMemAllocManaged(void **p, size_t n, unsigned f) = (void)f, alloc(p, n, MANAGED, 0, 0)
cuMemAllocHost_v2(void **p, size_t n) = alloc(p, n, MAPPED, 0, 0)
cuMemHostAlloc(void **p, size_t n, unsigned f) = (void)f, alloc(p, n, MAPPED, 0, 0)
cuMemHostRegister_v2(void *p, size_t n, unsigned f) = (void)f, enroll(p, n, MAPPED)
cuMemHostUnregister(void *p) = dismiss(p)
cuMemHostGetDevicePointer_v2(void **d, void *h, unsigned f) = (void)f, device_of(d, h)
cuMemFree_v2(void *p) = release(p, 0, 0)
cuMemFreeHost(void *p) = release(p, 0, 0)
cuMemFreeAsync(void *p, void *s) = release(p, S(s), 1)
cuMemGetInfo_v2(size_t *f, size_t *t) : *f = *t = (size_t)80 << 30
cuMemPrefetchAsync(const void *p, size_t n, int d, void *s) : (void)p; (void)n; (void)d; (void)s
cuMemAdvise(const void *p, size_t n, int a, int d) : (void)p; (void)n; (void)a; (void)d
cuDeviceGetDefaultMemPool(void **p, int d) : (void)d; *p = (void *)16
cuMemPoolCreate(void **p, const void *o) = (void)o, made(p, EVENT, 0)
cuMemPoolDestroy(void *p) : (void)p
cuMemPoolSetAttribute(void *p, int a, void *v) : (void)p; (void)a; (void)v
cuMemPoolTrimTo(void *p, size_t n) : (void)p; (void)n
Copies and fills
cuMemcpy(void *d, const void *s, size_t n) = copy(d, s, n, spare, 0)
cuMemcpyAsync(void *d, const void *s, size_t n, void *st) = copy(d, s, n, S(st), 1)
cuMemcpyHtoD_v2(void *d, const void *s, size_t n) = copy(d, s, n, spare, 0)
cuMemcpyDtoH_v2(void *d, const void *s, size_t n) = copy(d, s, n, spare, 0)
cuMemcpyDtoD_v2(void *d, const void *s, size_t n) = copy(d, s, n, spare, 0)
cuMemcpyHtoDAsync_v2(void *d, const void *s, size_t n, void *st) = copy(d, s, n, S(st), 1)
cuMemcpyDtoHAsync_v2(void *d, const void *s, size_t n, void *st) = copy(d, s, n, S(st), 1)
cuMemcpyDtoDAsync_v2(void *d, const void *s, size_t n, void *st) = copy(d, s, n, S(st), 1)
cuMemcpy2D_v2(const copy2d *c) = copy_plane(c, spare, 0)
cuMemcpy2DUnaligned_v2(const copy2d *c) = copy_plane(c, spare, 0)
cuMemcpy2DAsync_v2(const copy2d *c, void *st) = copy_plane(c, S(st), 1)
cuMemcpy3D_v2(const volume *v) = copy_volume(v, spare, 0)
cuMemcpy3DAsync_v2(const volume *v, void *st) = copy_volume(v, S(st), 1)
cuMemsetD8_v2(void *d, unsigned char v, size_t n) = fill(d, v, 1, n, spare)
cuMemsetD16_v2(void *d, unsigned short v, size_t n) = fill(d, v, 2, 2 * n, spare)
cuMemsetD32_v2(void *d, unsigned v, size_t n) = fill(d, v, 4, 4 * n, spare)
cuMemsetD8Async(void *d, unsigned char v, size_t n, void *s) = fill(d, v, 1, n, S(s))
cuMemsetD16Async(void *d, unsigned short v, size_t n, void *s) = fill(d, v, 2, 2 * n, S(s))
cuMemsetD32Async(void *d, unsigned v, size_t n, void *s) = fill(d, v, 4, 4 * n, S(s))
cuMemsetD2D8_v2(void *d, size_t p, unsigned char v, size_t w, size_t h) = fill_rows(d, p, v, 1, w, h, spare)
cuMemsetD2D32_v2(void *d, size_t p, unsigned v, size_t w, size_t h) = fill_rows(d, p, v, 4, 4 * w, h, spare)
Streams and events
cuStreamCreate(void **s, unsigned f) = made(s, STREAM, f)
cuStreamCreateWithPriority(void **s, unsigned f, int p) = (void)p, made(s, STREAM, f)
cuStreamDestroy_v2(void *s) : (void)s
cuStreamSynchronize(void *s) = wait_for(1, S(s))
cuStreamQuery(void *s) = query(1, S(s))
cuStreamWaitEvent(void *s, void *e, unsigned f) = two(f & 1 ? WAIT_OUTSIDE : WAIT, (uint64_t)e, S(s))
cuStreamGetCtx(void *s, void **c) : (void)s; *c = CONTEXT
cuStreamGetFlags(void *s, unsigned *f) : (void)s; *f = 0
cuStreamGetPriority(void *s, int *p) : (void)s; *p = 0
cuLaunchHostFunc(void *s, void (*f)(void *), void *p) = host_function(f, p, S(s))
cuEventCreate(void **e, unsigned f) = made(e, EVENT, f)
cuEventDestroy_v2(void *e) : (void)e
cuEventRecord(void *e, void *s) = two(RECORD, (uint64_t)e, S(s))
cuEventRecordWithFlags(void *e, void *s, unsigned f) = two(f & 1 ? RECORD_OUTSIDE : RECORD, (uint64_t)e, S(s))
cuEventSynchronize(void *e) = wait_for(2, (uint64_t)e)
cuEventQuery(void *e) = query(2, (uint64_t)e)
cuEventElapsedTime(float *t, void *a, void *b) : (void)a; (void)b; *t = 1
cuEventElapsedTime_v2(float *t, void *a, void *b) : (void)a; (void)b; *t = 1
Modules and launches
cuModuleLoadData(void **m, const void *code) = image(code, m)
cuModuleLoadDataEx(void **m, const void *code, unsigned n, void *o, void *v) = (void)n, (void)o, (void)v, image(code, m)
cuModuleLoadFatBinary(void **m, const void *code) = image(code, m)
cuModuleLoad(void **m, const char *path) = image_of_file(path, m)
cuModuleUnload(void *m) : (void)m
cuModuleGetFunction(void **f, void *m, const char *n) = named_in(NAMED_FUNCTION, m, n, f, NULL)
cuModuleGetGlobal_v2(void **p, size_t *n, void *m, const char *name) = named_in(NAMED_VARIABLE, m, name, p, n)
cuModuleGetLoadingMode(int *m) : *m = 1
cuLibraryLoadData(void **l, const void *code, void *a, void *b, unsigned c, void *d, void *e, unsigned f) = (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, image(code, l)
cuLibraryLoadFromFile(void **l, const char *path, void *a, void *b, unsigned c, void *d, void *e, unsigned f) = (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, image_of_file(path, l)
cuLibraryUnload(void *l) : (void)l
cuLibraryGetKernel(void **k, void *l, const char *n) = named_in(NAMED_FUNCTION, l, n, k, NULL)
cuLibraryGetModule(void **m, void *l) : *m = l
cuLibraryGetGlobal(void **p, size_t *n, void *l, const char *name) = named_in(NAMED_VARIABLE, l, name, p, n)
cuKernelGetFunction(void **f, void *k) : *f = k
cuKernelSetAttribute(int a, int v, void *k, int d) = (void)d, allow_shared(k, a, v)
cuFuncSetAttribute(void *f, int a, int v) = allow_shared(f, a, v)
cuFuncGetAttribute(int *v, int a, void *f) = function_attribute(v, a, f)
cuKernelGetAttribute(int *v, int a, void *k, int d) = (void)d, function_attribute(v, a, k)
cuFuncSetCacheConfig(void *f, int c) : (void)f; (void)c
cuKernelSetCacheConfig(void *f, int c, int d) : (void)f; (void)c; (void)d
cuFuncLoad(void *f) : (void)f
cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned n, void *s, void **args, void **extra) = launch(f, (dim3_){ gx, gy, gz }, (dim3_){ bx, by, bz }, args, extra, n, S(s), NULL, 0)
cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned n, void *s, void **args) = launch(f, (dim3_){ gx, gy, gz }, (dim3_){ bx, by, bz }, args, NULL, n, S(s), NULL, 0)
cuLaunchKernelEx(const config *c, void *f, void **args, void **extra) = launch(f, (dim3_){ c->grid[0], c->grid[1], c->grid[2] }, (dim3_){ c->block[0], c->block[1], c->block[2] }, args, extra, c->shared, S(c->stream), c->attrs, c->n)
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, void *f, int b, size_t m) = fits(f, b, m, n)
cuOccupancyMaxPotentialBlockSize(int *g, int *b, void *f, size_t (*of)(int), size_t m, int most) = best_block(g, b, f, of, m, most)
cuOccupancyMaxPotentialBlockSizeWithFlags(int *g, int *b, void *f, size_t (*of)(int), size_t m, int most, unsigned x) = (void)x, best_block(g, b, f, of, m, most)
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, void *f, int b, size_t m, unsigned x) = (void)x, fits(f, b, m, n)
cuTensorMapEncodeTiled(void *m, int t, uint32_t r, void *at, const uint64_t *size, const uint64_t *stride, const uint32_t *box, const uint32_t *step, int i, int s, int l, int o) = tensor_map(m, t, r, at, size, stride, box, step, i, s, l, o)
Graphs
cuStreamBeginCapture_v2(void *s, int m) = (void)m, two(CAPTURE, S(s), 0)
cuStreamEndCapture(void *s, void **g) = ({ begin(CAPTURED); u64(S(s)); error_t_ c_ = ask(); *g = c_ ? NULL : (void *)get64(); c_; })
cuStreamIsCapturing(void *s, int *status) = ({ begin(CAPTURING); u64(S(s)); error_t_ c_ = ask(); *status = c_ ? 0 : (int)get32(); c_; })
cuGraphCreate(void **g, unsigned f) = made(g, GRAPH_NEW, f)
cuGraphAddKernelNode_v2(void **o, void *g, void *const *d, size_t n, const kernel_node *k) = NODE(o, g, d, n, kernel_of(k))
cuGraphAddMemsetNode(void **o, void *g, void *const *d, size_t n, const fill_node *f, void *c) = (void)c, NODE(o, g, d, n, fill_rows(f->d, f->pitch, f->value, f->width, f->w * f->width, f->h, 0))
cuGraphAddHostNode(void **o, void *g, void *const *d, size_t n, const host_node *h) = NODE(o, g, d, n, host_function(h->f, h->p, 0))
cuGraphAddMemcpyNode(void **o, void *g, void *const *d, size_t n, const volume *v, void *c) = (void)c, NODE(o, g, d, n, copy_volume(v, 0, 1))
cuGraphAddEventRecordNode(void **o, void *g, void *const *d, size_t n, void *e) = NODE(o, g, d, n, two(RECORD, (uint64_t)e, 0))
cuGraphAddEventWaitNode(void **o, void *g, void *const *d, size_t n, void *e) = NODE(o, g, d, n, two(WAIT, (uint64_t)e, 0))
cuGraphAddEmptyNode(void **o, void *g, void *const *d, size_t n) = NODE(o, g, d, n, empty())
cuGraphAddChildGraphNode(void **o, void *g, void *const *d, size_t n, void *c) = NODE(o, g, d, n, child(c))
cuGraphAddDependencies(void *g, void *const *f, void *const *t, size_t n) = edges(g, f, t, n, EDGES)
cuGraphAddDependencies_v2(void *g, void *const *f, void *const *t, const void *x, size_t n) = (void)x, edges(g, f, t, n, EDGES)
cuGraphRemoveDependencies(void *g, void *const *f, void *const *t, size_t n) = edges(g, f, t, n, EDGES_GONE)
cuGraphRemoveDependencies_v2(void *g, void *const *f, void *const *t, const void *x, size_t n) = (void)x, edges(g, f, t, n, EDGES_GONE)
cuGraphGetNodes(void *g, void **l, size_t *n) = listed(NODES, g, l, NULL, n)
cuGraphGetRootNodes(void *g, void **l, size_t *n) = listed(ROOTS, g, l, NULL, n)
cuGraphClone(void **c, void *g) = made(c, CLONE, (uint64_t)g)
cuGraphExecKernelNodeSetParams_v2(void *e, void *n, const kernel_node *k) = (instead(e, n), kernel_of(k))
cuGraphExecUpdate_v2(void *e, void *g, void *r) = memset(r, 0, 24), two(UPDATE, (uint64_t)e, (uint64_t)g)
cuGraphInstantiateWithFlags(void **e, void *g, unsigned long long f) = (void)f, made(e, INSTANTIATE, (uint64_t)g)
cuGraphInstantiateWithParams(void **e, void *g, void *p) = (void)p, made(e, INSTANTIATE, (uint64_t)g)
cuGraphLaunch(void *e, void *s) = graph_launch(e, S(s))
cuGraphDestroy(void *g) : (void)g
cuGraphExecDestroy(void *g) : (void)g
The device
cuInit(unsigned f) : (void)f
cuDriverGetVersion(int *v) : *v = 13000
cuDeviceGet(int *d, int i) = *d = 0, i ? NO_DEVICE : SUCCESS
cuDeviceGetCount(int *n) : *n = 1
cuDeviceGetName(char *s, int n, int d) = snprintf(s, (size_t)n, "NVIDIA H100 80GB HBM3 (tcspec)"), d ? NO_DEVICE : SUCCESS
cuDeviceGetUuid(char *u, int d) : (void)d; memset(u, 0, 16)
cuDeviceGetUuid_v2(char *u, int d) : (void)d; memset(u, 0, 16)
cuDeviceTotalMem_v2(size_t *n, int d) : (void)d; *n = (size_t)80 << 30
cuDeviceGetAttribute(int *v, int a, int d) = *v = property(a), d ? NO_DEVICE : SUCCESS
cuDeviceComputeCapability(int *a, int *b, int d) : (void)d; *a = 9; *b = 0
cuDeviceCanAccessPeer(int *c, int a, int b) : (void)a; (void)b; *c = 0
cuDevicePrimaryCtxRetain(void **c, int d) : (void)d; *c = CONTEXT
cuDevicePrimaryCtxRelease_v2(int d) : (void)d
cuDevicePrimaryCtxReset_v2(int d) : (void)d
cuDevicePrimaryCtxGetState(int d, unsigned *f, int *a) : (void)d; *f = 0; *a = 1
cuDevicePrimaryCtxSetFlags_v2(int d, unsigned f) : (void)d; (void)f
cuCtxCreate_v2(void **c, unsigned f, int d) : (void)f; (void)d; *c = contexts[context_n < 16 ? context_n++ : 15] = CONTEXT
cuCtxCreate_v4(void **c, void *p, unsigned f, int d) : (void)p; (void)f; (void)d; *c = contexts[context_n < 16 ? context_n++ : 15] = CONTEXT
cuCtxDestroy_v2(void *c) : (void)c; if (context_n) context_n--
cuCtxSetCurrent(void *c) : if (!context_n) context_n = 1; contexts[context_n - 1] = c
cuCtxGetCurrent(void **c) : *c = current()
cuCtxPushCurrent_v2(void *c) : if (context_n < 16) contexts[context_n++] = c
cuCtxPopCurrent_v2(void **c) : if (c) *c = current(); if (context_n) context_n--
cuCtxGetDevice(int *d) : *d = 0
cuCtxGetFlags(unsigned *f) : *f = 0
cuCtxGetApiVersion(void *c, unsigned *v) : (void)c; *v = 3020
cuCtxSetLimit(int l, size_t v) : (void)l; (void)v
cuCtxGetLimit(size_t *v, int l) : *v = l == 0 ? 1024 : l == 1 ? 1 << 20 : l == 2 ? 8 << 20 : 0
cuCtxSetCacheConfig(int c) : (void)c
cuCtxGetStreamPriorityRange(int *l, int *g) : *l = 0; *g = -5
cuCtxSynchronize() = wait_for(0, 0)
cuPointerGetAttribute(void *v, int a, const void *p) = pointer_attribute(v, a, p)
cuGetErrorString(int r, const char **s) : *s = said(r, 1)
cuGetErrorName(int r, const char **s) : *s = said(r, 0)
cuGetProcAddress(const char *n, void **p, int v, uint64_t f) = (void)v, (void)f, *p = finder(n), *p ? SUCCESS : NOT_FOUND
cuGetProcAddress_v2(const char *n, void **p, int v, uint64_t f, int *r) = (void)v, (void)f, *p = finder(n), r ? (*r = *p ? 0 : 1, SUCCESS) : *p ? SUCCESS : NOT_FOUND
`

const tableOf = (text: string): ReadonlyArray<Function> => {
  let group = ''
  return text.split('\n').flatMap((line): ReadonlyArray<Function> => {
    const found = /^(\w+)\((.*?)\) (=|:) (.*)$/u.exec(line)
    if (found === null) {
      if (line !== '') group = line
      return []
    }
    const [, name = '', parameters = '', sign, body = ''] = found
    return [{ name, group, parameters, body, asks: sign === '=' }]
  })
}

export const runtimeFunctions: ReadonlyArray<Function> = tableOf(runtimeTable)
export const driverFunctions: ReadonlyArray<Function> = tableOf(driverTable)

// ---------------------------------------------------------------- C

/** The stream that a thread has for its own. */
const perThread = 2

const textOf = (f: Function, name: string, spare: number): string =>
  `error_t_ ${name}(${f.parameters === '' ? 'void' : f.parameters}) { const uint64_t spare = ${String(spare)}; (void)spare; ${
    f.asks ? `CALL((${f.body}));` : `${f.body}; return SUCCESS;`
  } }`

/** A library in C: the functions that it has, those of its own stream, and those that say that they are not there. */
const libraryOf = (
  functions: ReadonlyArray<Function>,
  names: ReadonlyArray<string>,
  byHand: ReadonlySet<string>,
): string => {
  const known = new Set(names)
  const there = functions.filter(({ name }) => known.has(name))
  const own = there.flatMap((f) =>
    ['_ptsz', '_ptds'].flatMap((end) =>
      known.has(`${f.name}${end}`) ? [[f, `${f.name}${end}`] as const] : [],
    ),
  )
  const made = new Set([...there.map(({ name }) => name), ...own.map(([, name]) => name), ...byHand])
  return [
    ...there.map((f) => textOf(f, f.name, 0)),
    ...own.map(([f, name]) => textOf(f, name, perThread)),
    ...names.filter((name) => !made.has(name)).map((name) => `ABSENT(${name})`),
    '',
  ].join('\n')
}

/** Functions of the runtime that answer no code of an error. */
const wordsOfErrors = `
error_t_ cudaGetLastError(void) { error_t_ r = last; last = SUCCESS; return r; }
error_t_ cudaPeekAtLastError(void) { return last; }
const char *cudaGetErrorName(error_t_ r) { return word(r, 0); }
const char *cudaGetErrorString(error_t_ r) { return word(r, 1); }
`
const handmade: ReadonlySet<string> = new Set([
  'cudaGetLastError',
  'cudaPeekAtLastError',
  'cudaGetErrorName',
  'cudaGetErrorString',
])

export type Abi = 12 | 13

export const runtimeNamesOf = (abi: Abi): ReadonlyArray<string> =>
  abi === 13 ? runtimeNames : [...runtimeNames, ...runtime12Names]

/** What completes `shim/runtime.c`. */
export const runtimeText = (abi: Abi): string =>
  `${wordsOfErrors}${libraryOf(runtimeFunctions, runtimeNamesOf(abi), handmade)}`

/** What completes `shim/driver.c`. */
export const driverText: string = libraryOf(driverFunctions, driverNames, new Set())
