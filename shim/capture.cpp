/*
 * Launches of a program on a GPU as data: the driver loads this library into any program that CUDA_INJECTION64_PATH names it to (tcspec capture), CUPTI tells it of every
 * call of the driver, and it writes tcspec.host/1: each launch with what all memory held before it and after it.
 *
 *   alloc m0   write m0 before.npy   launch scale ...   read m0 after.npy
 *
 * Each launch is waited for, so what overlaps in the program follows one another in the record. An address of the GPU means nothing elsewhere: words that are one, in
 * parameters and in memory, are listed as pointers, and so are the 128 bytes of tensor maps, which are known by what the driver made of them. Parameters stand one after
 * another with their sizes, because machine code has them at other places than PTX. The record is moved into its place when the program ends: it is there whole, or not at all.
 *
 * It is asked in the environment: TCSPEC_CAPTURE (the folder), _ONLY (a part of the kernel's name), _FIRST and _LAST (launches, from 0), _MOST (bytes of a memory).
 */
#include <cuda.h>
#include <cupti.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace {

struct Memory {
  std::string name;
  CUdeviceptr at = 0;
  size_t bytes = 0;
  const char *kind = "device"; // null: a variable of a module
  bool told = false;
  std::vector<unsigned char> known;
  std::string file; // what holds `known`; empty: nothing has been written yet
};
struct Module {
  std::string file;
};

std::mutex lock;
thread_local bool inside = false;
std::string folder, part, only;
long first = 0, last = 1l << 40, seen = 0, kept = 0, skipped = 0;
size_t most = 64u << 20;
std::map<CUdeviceptr, Memory> memories;
std::map<void *, Module> modules;         // of CUmodule and CUlibrary
std::map<void *, std::string> moduleOf;   // of CUfunction and CUkernel: the file
std::map<std::string, std::string> byName;
std::map<void *, bool> kernels;
std::map<CUstream, int> streams;
std::map<std::string, int> named;
std::string operations, listed;
int files = 0, made = 0;
bool broken = false;

void say(const char *what, const std::string &more = "") { fprintf(stderr, "tcspec capture: %s%s\n", what, more.c_str()); }

std::string quoted(const std::string &s) {
  std::string out = "\"";
  for (unsigned char c : s) {
    char text[8];
    if (c == '"' || c == '\\') { out += '\\'; out += (char)c; }
    else if (c < 32) { snprintf(text, sizeof text, "\\u%04x", c); out += text; }
    else out += (char)c;
  }
  return out + "\"";
}

bool written(const std::string &name, const void *head, size_t n, const void *data, size_t m) {
  FILE *f = fopen((part + "/" + name).c_str(), "wb");
  bool good = f && fwrite(head, 1, n, f) == n && fwrite(data, 1, m, f) == m;
  if (f && fclose(f)) good = false;
  if (!good && !broken) { broken = true; say("cannot write ", part + "/" + name); }
  return good;
}

/* bytes as a .npy file */
std::string npy(const std::vector<unsigned char> &data) {
  char shape[96];
  int n = snprintf(shape, sizeof shape, "{'descr': '|u1', 'fortran_order': False, 'shape': (%zu,), }", data.size());
  std::string head("\x93NUMPY\x01\x00", 8);
  size_t total = (10 + n + 1 + 63) / 64 * 64;
  uint16_t length = (uint16_t)(total - 10);
  head += std::string((const char *)&length, 2) + shape + std::string(length - n - 1, ' ') + "\n";
  std::string name = "bytes" + std::to_string(files++) + ".npy";
  written(name, head.data(), head.size(), data.data(), data.size());
  return name;
}

const Memory *memoryAt(CUdeviceptr p) {
  auto it = memories.upper_bound(p);
  if (it == memories.begin()) return nullptr;
  --it;
  return p < it->first + std::max<size_t>(it->second.bytes, 1) ? &it->second : nullptr;
}

/* what the driver was told when it made these 128 bytes */
struct Map { int type, rank, swizzle, interleave, nan; CUdeviceptr at; uint64_t size[5], stride[5]; uint32_t box[5], step[5]; };
const size_t mapBytes = 128;
std::map<std::string, Map> maps;
std::set<uint64_t> mapsBegin; // their first words

std::string bytesOf(const void *map) { return std::string((const char *)map, mapBytes); }
void mapMade(const CUtensorMap *made, const Map &m) {
  uint64_t word;
  memcpy(&word, made, 8);
  maps[bytesOf(made)] = m; mapsBegin.insert(word);
}
template <class T> std::string listOf(const T *x, int n) {
  std::string out;
  for (int i = 0; i < n; i++) out += (i ? "," : "") + std::to_string(x[i]);
  return "[" + out + "]";
}
std::string told(const Map &m, const Memory &of) {
  static const char *const types[] = {"u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", "f64", "bf16", "f32", "f32", "f32", "u8", "u8", "u8"};
  static const char *const elements[] = {"f32_ftz", "tf32", "tf32_ftz", "b4x16", "b4x16_p64", "b6x16_p32"};
  static const int swizzles[] = {0, 32, 64, 128};
  return "{\"kind\":\"tensormap\",\"tensor\":" + quoted(of.name) + ",\"dtype\":\"" + types[m.type] + "\",\"dims\":" + listOf(m.size, m.rank) + ",\"box\":" + listOf(m.box, m.rank) +
         ",\"strides\":" + listOf(m.stride, m.rank - 1) + ",\"elementStrides\":" + listOf(m.step, m.rank) + ",\"swizzle\":" + std::to_string(swizzles[m.swizzle]) +
         (m.interleave ? ",\"interleave\":" + std::to_string(16 * m.interleave) : std::string()) + (m.nan ? ",\"fill\":\"nan\"" : "") + (m.type > 9 ? std::string(",\"elements\":\"") + elements[m.type - 10] + "\"" : std::string()) + "}";
}
/* runs of 128 bytes that are a tensor map, as JSON */
std::string mapsIn(const unsigned char *data, size_t n, size_t step) {
  std::string out;
  if (!maps.empty())
    for (size_t at = 0; at + mapBytes <= n; at += step) {
      uint64_t word;
      memcpy(&word, data + at, 8);
      if (!mapsBegin.count(word)) continue;
      auto m = maps.find(bytesOf(data + at));
      const Memory *of = m == maps.end() ? nullptr : memoryAt(m->second.at);
      if (!of) continue;
      out += (out.empty() ? "" : ",") + std::string("{\"at\":") + std::to_string(at) + ",\"byte\":" + std::to_string(m->second.at - of->at) + ",\"map\":" + told(m->second, *of) + "}";
      at += mapBytes - step;
    }
  return out.empty() ? "" : ",\"maps\":[" + out + "]";
}

/* words of 8 bytes that are addresses, and maps, as JSON; `step`: where they may begin */
std::string pointers(const unsigned char *data, size_t n, size_t step = 8) {
  std::string out;
  for (size_t at = 0; at + 8 <= n; at += step) {
    uint64_t word;
    memcpy(&word, data + at, 8);
    if (word < 4096) continue;
    const Memory *m = memoryAt(word);
    if (!m) continue;
    out += (out.empty() ? "" : ",") + std::string("{\"at\":") + std::to_string(at) + ",\"memory\":" + quoted(m->name) + ",\"byte\":" + std::to_string(word - m->at) + "}";
  }
  return (out.empty() ? "" : ",\"pointers\":[" + out + "]") + mapsIn(data, n, step);
}

void operation(const std::string &text) { operations += (operations.empty() ? "" : ",\n  ") + text; }

void allocated(CUdeviceptr at, size_t bytes, const char *kind) {
  if (!at || memories.count(at)) return;
  Memory m;
  m.name = "m" + std::to_string(made++); m.at = at; m.bytes = bytes; m.kind = kind;
  memories[at] = m;
}
void variable(CUdeviceptr at, size_t bytes, const char *name) {
  if (!at || memories.count(at)) return;
  Memory m;
  m.name = name; m.at = at; m.bytes = bytes; m.kind = nullptr; m.told = true;
  memories[at] = m;
}
void freed(CUdeviceptr at) {
  auto it = memories.find(at);
  if (it == memories.end()) return;
  if (it->second.told && it->second.kind) operation("{\"op\":\"free\",\"memory\":" + quoted(it->second.name) + "}");
  memories.erase(it);
}

bool fetched(const Memory &m, std::vector<unsigned char> &out) {
  out.resize(m.bytes);
  return m.bytes == 0 || cuMemcpyDtoH(out.data(), m.at, m.bytes) == CUDA_SUCCESS;
}

/* what memory holds before a launch */
void before() {
  for (auto &entry : memories) {
    Memory &m = entry.second;
    if (m.bytes > most) { if (!m.told) { m.told = true; say("a memory is larger than the limit and left out: ", std::to_string(m.bytes) + " bytes"); } continue; }
    if (!m.told) { m.told = true; operation("{\"op\":\"alloc\",\"memory\":" + quoted(m.name) + ",\"bytes\":" + std::to_string(m.bytes) + ",\"kind\":\"" + m.kind + "\"}"); }
    std::vector<unsigned char> now;
    if (!fetched(m, now)) continue;
    if (!m.file.empty() && now == m.known) continue;
    m.known = now; m.file = npy(now);
    operation("{\"op\":\"write\",\"to\":" + quoted(m.name) + ",\"file\":" + quoted(m.file) + pointers(now.data(), now.size()) + "}");
  }
}
/* and after it */
void after() {
  for (auto &entry : memories) {
    Memory &m = entry.second;
    std::vector<unsigned char> now;
    if (m.bytes > most || m.file.empty() || !fetched(m, now)) continue;
    if (now != m.known) { m.known = now; m.file = npy(now); }
    operation("{\"op\":\"read\",\"from\":" + quoted(m.name) + ",\"file\":" + quoted(m.file) + pointers(now.data(), now.size()) + "}");
  }
}

void image(void *handle, const void *code) {
  if (modules.count(handle) || !code) return;
  uint32_t magic;
  memcpy(&magic, code, 4);
  if (magic == 0x466243b1) { const void *inner; memcpy(&inner, (const char *)code + 8, 8); code = inner; memcpy(&magic, code, 4); }
  std::string name = "module" + std::to_string(modules.size());
  size_t bytes = 0;
  if (magic == 0xba55ed50) {
    uint16_t head; uint64_t body;
    memcpy(&head, (const char *)code + 6, 2); memcpy(&body, (const char *)code + 8, 8);
    bytes = head + body; name += ".fatbin";
  } else if (magic == 0x464c457f) {
    /* machine code: as long as its tables of sections and programs reach */
    uint64_t sections, programs; uint16_t ss, sn, ps, pn;
    const char *c = (const char *)code;
    memcpy(&programs, c + 32, 8); memcpy(&sections, c + 40, 8); memcpy(&ps, c + 54, 2); memcpy(&pn, c + 56, 2); memcpy(&ss, c + 58, 2); memcpy(&sn, c + 60, 2);
    bytes = std::max<uint64_t>(sections + (uint64_t)ss * sn, programs + (uint64_t)ps * pn); name += ".cubin";
  } else { bytes = strlen((const char *)code); name += ".ptx"; }
  written(name, "", 0, code, bytes);
  modules[handle] = Module{name};
  listed += (listed.empty() ? "" : ", ") + quoted(name) + ": " + quoted(name);
}
void imageOfFile(void *handle, const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return;
  std::string text;
  char block[65536];
  for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) text.append(block, n);
  fclose(f);
  if (text.size() >= 4) image(handle, text.c_str());
}
void function(void *f, void *module, const char *name, bool kernel) {
  auto it = modules.find(module);
  if (it == modules.end()) return;
  moduleOf[f] = it->second.file; byName[name] = it->second.file; kernels[f] = kernel;
}

std::string three(const unsigned *d) { return "[" + std::to_string(d[0]) + "," + std::to_string(d[1]) + "," + std::to_string(d[2]) + "]"; }

struct Launch { CUfunction f; unsigned grid[3], block[3], cluster[3]; size_t shared; CUstream stream; void **params; void **extra; };
thread_local bool keeping = false;

bool asked(const char *name) {
  if (!only.empty() && !strstr(name, only.c_str())) return false;
  long n = seen++;
  return n >= first && n <= last;
}

void launchBegins(const Launch &l, const char *name) {
  keeping = false;
  if (!asked(name)) return;
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
  if (cuStreamIsCapturing(l.stream, &capturing) != CUDA_SUCCESS || capturing != CU_STREAM_CAPTURE_STATUS_NONE || cuCtxSynchronize() != CUDA_SUCCESS) { skipped++; return; }
  std::string bytes, sizes;
  if (l.extra) {
    const void *data = nullptr; size_t n = 0;
    for (void **e = l.extra; *e != CU_LAUNCH_PARAM_END; e += 2) {
      if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER) data = e[1];
      if (*e == CU_LAUNCH_PARAM_BUFFER_SIZE) n = *(size_t *)e[1];
    }
    bytes.assign((const char *)data, n);
  } else {
    auto k = kernels.find((void *)l.f);
    bool isKernel = k != kernels.end() && k->second;
    size_t at, n;
    for (size_t i = 0; (isKernel ? cuKernelGetParamInfo((CUkernel)l.f, i, &at, &n) : cuFuncGetParamInfo(l.f, i, &at, &n)) == CUDA_SUCCESS; i++) {
      bytes.append((const char *)l.params[i], n);
      sizes += (sizes.empty() ? "" : ",") + std::to_string(n);
    }
  }
  /* memory that something else has allocated */
  /* one after another, parameters may begin anywhere */
  for (size_t at = 0; at + 8 <= bytes.size(); at++) {
    uint64_t word; CUdeviceptr base; size_t n;
    memcpy(&word, &bytes[at], 8);
    if (word > 4096 && !memoryAt(word) && cuMemGetAddressRange(&base, &n, word) == CUDA_SUCCESS) allocated(base, n, "device");
  }
  before();
  std::string hex;
  for (unsigned char c : bytes) { char t[3]; snprintf(t, 3, "%02x", c); hex += t; }
  auto in = moduleOf.find((void *)l.f);
  std::string module = in != moduleOf.end() ? in->second : byName.count(name) ? byName[name] : "";
  int &stream = streams[l.stream];
  if (!stream) stream = (int)streams.size();
  operation("{\"op\":\"launch\",\"module\":" + quoted(module) + (l.stream ? ",\"stream\":\"s" + std::to_string(stream) + "\"" : std::string()) + ",\"launch\":{\"kernel\":" + quoted(name) +
            ",\"grid\":" + three(l.grid) + ",\"block\":" + three(l.block) + (l.cluster[0] ? ",\"cluster\":" + three(l.cluster) : std::string()) +
            (l.shared ? ",\"shared\":" + std::to_string(l.shared) : std::string()) + ",\"args\":[]},\"parameters\":\"" + hex + "\"" + (sizes.empty() ? std::string() : ",\"sizes\":[" + sizes + "]") +
            pointers((const unsigned char *)bytes.data(), bytes.size(), 1) + "}");
  keeping = true;
}
void launchEnds() {
  if (!keeping) return;
  keeping = false;
  operation("{\"op\":\"synchronize\"}");
  if (cuCtxSynchronize() != CUDA_SUCCESS) { say("a launch has failed on the GPU"); return; }
  after();
  kept++;
}

void CUPTIAPI called(void *, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data) {
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API || inside) return;
  const auto *c = (const CUpti_CallbackData *)data;
  const bool ends = c->callbackSite == CUPTI_API_EXIT;
  inside = true;
  {
    std::lock_guard<std::mutex> held(lock);
    const bool good = ends && c->functionReturnValue && *(const CUresult *)c->functionReturnValue == CUDA_SUCCESS;
#define CASE(name) case CUPTI_DRIVER_TRACE_CBID_##name: { const auto *p = (const name##_params *)c->functionParams; (void)p;
#define END break; }
    switch (id) {
      CASE(cuMemAlloc_v2) if (good) allocated(*p->dptr, p->bytesize, "device"); END
      CASE(cuMemAllocPitch_v2) if (good) allocated(*p->dptr, *p->pPitch * p->Height, "device"); END
      CASE(cuMemAllocManaged) if (good) allocated(*p->dptr, p->bytesize, "managed"); END
      CASE(cuMemAllocAsync) if (good) allocated(*p->dptr, p->bytesize, "device"); END
      CASE(cuMemAllocAsync_ptsz) if (good) allocated(*p->dptr, p->bytesize, "device"); END
      CASE(cuMemAllocFromPoolAsync) if (good) allocated(*p->dptr, p->bytesize, "device"); END
      CASE(cuMemAllocFromPoolAsync_ptsz) if (good) allocated(*p->dptr, p->bytesize, "device"); END
      CASE(cuMemHostAlloc) if (good) allocated((CUdeviceptr)*p->pp, p->bytesize, "mapped"); END
      CASE(cuMemAllocHost_v2) if (good) allocated((CUdeviceptr)*p->pp, p->bytesize, "mapped"); END
      CASE(cuMemFree_v2) if (!ends) freed(p->dptr); END
      CASE(cuMemFreeAsync) if (!ends) freed(p->dptr); END
      CASE(cuMemFreeAsync_ptsz) if (!ends) freed(p->dptr); END
      CASE(cuMemFreeHost) if (!ends) freed((CUdeviceptr)p->p); END
      CASE(cuModuleLoad) if (good) imageOfFile(*p->module, p->fname); END
      CASE(cuLibraryLoadFromFile) if (good) imageOfFile(*p->library, p->fileName); END
      CASE(cuTensorMapEncodeTiled)
        Map m{(int)p->tensorDataType, (int)p->tensorRank, (int)p->swizzle, (int)p->interleave, (int)p->oobFill, (CUdeviceptr)p->globalAddress, {}, {}, {}, {}};
        if (!good || m.rank < 1 || m.rank > 5 || m.type > 15 || m.swizzle > 3) break;
        for (int i = 0; i < m.rank; i++) { m.size[i] = p->globalDim[i]; m.box[i] = p->boxDim[i]; m.step[i] = p->elementStrides[i]; if (i + 1 < m.rank) m.stride[i] = p->globalStrides[i]; }
        mapMade(p->tensorMap, m);
      END
      CASE(cuTensorMapReplaceAddress)
        static thread_local std::string before;
        if (!ends) { before = bytesOf(p->tensorMap); break; }
        auto m = maps.find(before);
        if (!good || m == maps.end()) break;
        Map moved = m->second; moved.at = (CUdeviceptr)p->globalAddress; mapMade(p->tensorMap, moved);
      END
      CASE(cuModuleLoadData) if (good) image(*p->module, p->image); END
      CASE(cuModuleLoadDataEx) if (good) image(*p->module, p->image); END
      CASE(cuModuleLoadFatBinary) if (good) image(*p->module, p->fatCubin); END
      CASE(cuLibraryLoadData) if (good) image(*p->library, p->code); END
      CASE(cuLibraryGetModule) if (good && modules.count(p->library)) modules[*p->pMod] = modules[p->library]; END
      CASE(cuModuleGetFunction) if (good) function(*p->hfunc, p->hmod, p->name, false); END
      CASE(cuLibraryGetKernel) if (good) function(*p->pKernel, p->library, p->name, true); END
      CASE(cuKernelGetFunction) if (good && moduleOf.count(p->kernel)) { moduleOf[*p->pFunc] = moduleOf[p->kernel]; kernels[*p->pFunc] = false; } END
      CASE(cuModuleGetGlobal_v2) CUdeviceptr at; size_t n; if (good && cuModuleGetGlobal(&at, &n, p->hmod, p->name) == CUDA_SUCCESS) variable(at, n, p->name); END
      CASE(cuLibraryGetGlobal) CUdeviceptr at; size_t n; if (good && cuLibraryGetGlobal(&at, &n, p->library, p->name) == CUDA_SUCCESS) variable(at, n, p->name); END
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: {
        const auto *p = (const cuLaunchKernel_params *)c->functionParams;
        if (ends) launchEnds();
        else launchBegins(Launch{p->f, {p->gridDimX, p->gridDimY, p->gridDimZ}, {p->blockDimX, p->blockDimY, p->blockDimZ}, {0, 0, 0}, p->sharedMemBytes, p->hStream, p->kernelParams, p->extra}, c->symbolName);
        break;
      }
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
        const auto *p = (const cuLaunchCooperativeKernel_params *)c->functionParams;
        if (ends) launchEnds();
        else launchBegins(Launch{p->f, {p->gridDimX, p->gridDimY, p->gridDimZ}, {p->blockDimX, p->blockDimY, p->blockDimZ}, {0, 0, 0}, p->sharedMemBytes, p->hStream, p->kernelParams, nullptr}, c->symbolName);
        break;
      }
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
        const auto *p = (const cuLaunchKernelEx_params *)c->functionParams;
        if (ends) { launchEnds(); break; }
        const CUlaunchConfig *g = p->config;
        Launch l{p->f, {g->gridDimX, g->gridDimY, g->gridDimZ}, {g->blockDimX, g->blockDimY, g->blockDimZ}, {0, 0, 0}, g->sharedMemBytes, g->hStream, p->kernelParams, p->extra};
        for (unsigned i = 0; i < g->numAttrs; i++)
          if (g->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) { l.cluster[0] = g->attrs[i].value.clusterDim.x; l.cluster[1] = g->attrs[i].value.clusterDim.y; l.cluster[2] = g->attrs[i].value.clusterDim.z; }
        launchBegins(l, c->symbolName);
        break;
      }
      default: break;
    }
  }
  inside = false;
}

void ended() {
  std::lock_guard<std::mutex> held(lock);
  if (broken) return;
  std::string text = "{\n \"schema\": \"tcspec.host/1\",\n \"modules\": {" + listed + "},\n \"operations\": [\n  " + operations + "\n ]\n}\n";
  if (!written("program.json", "", 0, text.data(), text.size())) return;
  if (rename(part.c_str(), folder.c_str())) { say("cannot be moved into its place: ", folder); return; }
  say("", std::to_string(kept) + " of " + std::to_string(seen) + " launches kept" + (skipped ? ", " + std::to_string(skipped) + " in graphs left out" : std::string()));
}

} // namespace

extern "C" int InitializeInjection(void) {
  const char *to = getenv("TCSPEC_CAPTURE");
  if (!to) return 1;
  auto number = [](const char *name, long usual) { const char *s = getenv(name); return s ? atol(s) : usual; };
  folder = to;
  part = folder + ".part-" + std::to_string(getpid());
  if (const char *s = getenv("TCSPEC_CAPTURE_ONLY")) only = s;
  first = number("TCSPEC_CAPTURE_FIRST", 0);
  last = number("TCSPEC_CAPTURE_LAST", last);
  most = (size_t)number("TCSPEC_CAPTURE_MOST", (long)most);
  if (mkdir(part.c_str(), 0700)) { say("cannot be made: ", part); return 1; }
  CUpti_SubscriberHandle subscriber;
  if (cuptiSubscribe(&subscriber, called, nullptr) != CUPTI_SUCCESS || cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API) != CUPTI_SUCCESS) { say("CUPTI refuses"); return 1; }
  atexit(ended);
  return 1;
}
