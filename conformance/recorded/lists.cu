// pointers in memory: a batch of vectors by an array of pointers, a linked list, a struct of 208 bytes, pointers that a kernel writes
#include "common.h"
struct Node { int value; Node *next; };
struct Many { float *to[8]; const float *from[8]; int n[8]; float scale[12]; };
__global__ void batch(float *const *ys, const float *const *xs, int n) { int i = threadIdx.x; if (i < n) ys[blockIdx.x][i] += 2 * xs[blockIdx.x][i]; }
__global__ void walk(const Node *head, int *out) { int s = 0, k = 0; for (const Node *p = head; p; p = p->next) { s = s * 31 + p->value; k++; } out[0] = s; out[1] = k; }
__global__ void many(Many m) { int b = blockIdx.x, i = threadIdx.x; if (i < m.n[b]) m.to[b][i] = m.from[b][i] * m.scale[b] + m.scale[11]; }
__global__ void relink(Node *nodes, int n, Node **last) { int i = threadIdx.x; if (i < n) nodes[i].next = i ? nodes + i - 1 : nullptr; if (i == 0) *last = nodes + n - 1; }
int main() {
  uint32_t s = 3; Many m = {}; std::vector<float *> ys, xs;
  for (int b = 0; b < 8; b++) { std::vector<float> x(64); for (auto &v : x) v = real(s); xs.push_back(up(x)); ys.push_back(room<float>(64)); m.to[b] = ys[b]; m.from[b] = xs[b]; m.n[b] = 40 + 3 * b; m.scale[b] = 0.5f * b; }
  m.scale[11] = 0.125f;
  batch<<<8, 64>>>(up(ys), (const float *const *)up(xs), 64);
  Node *nodes = room<Node>(32); std::vector<Node> h(32);
  for (int i = 0; i < 32; i++) h[i] = Node{(int)noise(s), i + 1 < 32 ? nodes + (i * 7 + 7) % 32 : nullptr};
  for (int i = 0; i < 32; i++) h[(i * 7) % 32].next = i + 1 < 32 ? nodes + ((i + 1) * 7) % 32 : nullptr;
  OK(cudaMemcpy(nodes, h.data(), 32 * sizeof(Node), cudaMemcpyHostToDevice));
  int *out = room<int>(2); Node **end = room<Node *>(1);
  walk<<<1, 1>>>(nodes, out);
  many<<<8, 64>>>(m);
  relink<<<1, 32>>>(nodes, 32, end);
  Node *last; OK(cudaMemcpy(&last, end, 8, cudaMemcpyDeviceToHost));
  walk<<<1, 1>>>(last, out);
  OK(cudaDeviceSynchronize());
  auto v = down(out, 2); printf("lists %d %d\n", v[0], v[1]);
}
