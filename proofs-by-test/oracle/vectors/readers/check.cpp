// Checks a swizzle and an f16 dot product of its own against a directory of vectors: ./check DIR
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>
using std::string, std::vector, std::filesystem::path; using u32 = uint32_t; using i64 = int64_t;
string read(const path& p) { std::ifstream f(p, std::ios::binary); return {std::istreambuf_iterator<char>(f), {}}; }
string after(const string& s, const string& key) {  // what stands behind the first such key
  return s.find("\"" + key + "\":") == string::npos ? "" : s.substr(s.find("\"" + key + "\":") + key.size() + 3); }
vector<i64> list(const string& s) {  // of numbers; empty if there is none
  vector<i64> v; char* p = (char*)s.c_str();
  while (s[0] == '[' && *p != ']') v.push_back(strtoll(p + 1, &p, 10));
  return v; }
vector<u32> bits(const string& tensor, const path& folder) {
  string npy = after(tensor.substr(0, tensor.find('}')), "npy");
  if (npy.empty()) { auto v = list(after(tensor, "bits")); return {v.begin(), v.end()}; }
  string data = read(folder / npy.substr(1, npy.find('"', 1) - 1));
  size_t from = 10 + (unsigned char)data[8] + 256 * (unsigned char)data[9], size = data[data.find("descr") + 11] - '0';
  vector<u32> v((data.size() - from) / size);
  for (size_t i = 0; i < v.size(); i++) memcpy(&v[i], &data[from + i * size], size);
  return v; }
struct Term { i64 m; int e, f; };  // m * 2^(e - f)
Term split(u32 p, int eb, int fb) {
  int field = p >> fb & ((1 << eb) - 1), m = (p & ((1 << fb) - 1)) + (field ? 1 << fb : 0);
  return {p >> (eb + fb) ? -m : m, std::max(field, 1) - (1 << (eb - 1)) + 1, fb}; }
i64 cut(i64 m, int shift) { return shift >= 0 ? m << shift : m >> std::min(-shift, 63); }
u32 dot(const u32* a, const u32* b, size_t step, u32 c) {  // one instruction of wgmma: 16 finite products of f16 and an f32
  vector<Term> terms{split(c, 8, 23)};
  for (int k = 0; k < 16; k++) terms.push_back({split(a[k], 5, 10).m * split(b[k * step], 5, 10).m, split(a[k], 5, 10).e + split(b[k * step], 5, 10).e, 20});
  int unit = -133 - 25, e = -126; i64 sum = 0;
  for (auto t : terms) if (t.m) unit = std::max(unit, t.e - 25);
  for (auto t : terms) sum += (t.m < 0 ? -1 : 1) * cut(llabs(t.m), t.e - t.f - unit);
  for (int i = 0; i < 62; i++) if (llabs(sum) >> i) e = std::max(e, i + unit);
  u32 m = cut(llabs(sum), unit - e + 23), p = e > 127 ? 0x7f800000 : m + (m >> 23 ? u32(e + 126) << 23 : 0);
  return p + (sum < 0 && p ? 1u << 31 : 0); }
int main(int, char** argv) {
  int seen[2] = {0, 0}, wrong = 0;
  for (auto& file : std::filesystem::recursive_directory_iterator(argv[1])) {
    string s = file.path().extension() == ".json" ? read(file.path()) : "", q = after(s, "question"), answer = after(s, "answer");
    auto is = [](string of, string key, string word) { return after(of, key).substr(0, word.size() + 3).find("\"" + word + "\"") < 2; };
    auto tensor = [&](string of, string key) { return bits(after(of, key), file.path().parent_path()); };
    bool swizzle = is(s, "suite", "swizzle"), product = is(s, "suite", "dot") && is(after(q, "a"), "dtype", "f16") && is(after(q, "c"), "dtype", "f32");
    if (answer.empty() || (!swizzle && !product) || is(s, "rule", "dot.specials")) continue;
    auto expected = tensor(answer, swizzle ? "addresses" : "d"), got = swizzle ? expected : tensor(q, "c");
    auto shape = list(after(swizzle ? q : after(q, "b"), "shape")), tile = list(after(q, "tile"));
    if (tile.empty()) tile = shape;
    i64 base = atoll(after(q, "base").c_str()), span = atoll(after(q, "swizzle").c_str()), h = tile[0], w = tile[1], c = shape[1], k = c, n = shape.back();
    i64 width = is(q, "dtype", "f32") || is(q, "dtype", "tf32") ? 32 : is(q, "dtype", "f16") || is(q, "dtype", "bf16") ? 16 : is(q, "dtype", "e2m1") ? 4 : 8;
    for (i64 at = 0; swizzle && at < i64(got.size()); at++) {
      i64 i = at / c, j = at % c, b = base + ((i / h * (c / w) + j / w) * h * w + i % h * w + j % w) * width / 8;
      got[at] = b ^ (b >> 7) % (span / 16) << 4; }
    vector<u32> a = product ? tensor(q, "a") : got, b = product ? tensor(q, "b") : got;
    for (i64 at = 0, m = product ? list(after(after(q, "a"), "shape"))[1] : 1; product && at < i64(got.size()); at++)
      for (i64 s = 0; s < k; s += 16) got[at] = dot(&a[at / n * k + s], &b[(at / (m * n) * k + s) * n + at % n], n, got[at]);
    if (seen[product]++, got != expected) wrong++, printf("wrong: %s\n", file.path().c_str());
  }
  return printf("%d swizzles, %d products, %d wrong\n", seen[0], seen[1], wrong), wrong > 0;
}
