// The operands of a tuple: matrices A, B and C of a form, from a seed that is its name and the number of the tuple. Patterns of bits.
// proofs-by-test/numerics/mma/operands.ts makes the same ones.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

struct Random {
  uint32_t state;
  explicit Random(const std::string &text) {
    uint32_t h = 2166136261u;
    for (unsigned char c : text) h = (h ^ c) * 16777619u;
    state = h | 1;
    for (int i = 0; i < 4; i++) next();
  }
  uint32_t next() {
    uint32_t x = state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    state = x;
    return (x * 0x9e3779b1u) ^ (x >> 15);
  }
  int pick(int n) { return int(next() % uint32_t(n)); }
  uint64_t wide() {
    uint64_t low = next();
    return low | uint64_t(next()) << 32;
  }
};

// Fields of a format: exponent and fraction bits, bias, the largest exponent field of a finite number.
struct Format {
  int exponent, fraction, bias, top;
};
inline Format formatOf(const std::string &t) {
  if (t == "f16") return {5, 10, 15, 30};
  if (t == "bf16") return {8, 7, 127, 254};
  if (t == "e4m3") return {4, 3, 7, 15};
  if (t == "e5m2") return {5, 2, 15, 30};
  if (t == "f64") return {11, 52, 1023, 2046};
  return {8, 23, 127, 254};  // f32, and tf32 in its container
}
inline bool isFloat(const std::string &t) { return t[0] == 'f' || t == "bf16" || t == "tf32" || t[0] == 'e'; }
inline int bitsOf(const std::string &t) {
  if (t == "b1") return 1;
  if (t == "u4" || t == "s4") return 4;
  if (t == "u8" || t == "s8" || t[0] == 'e') return 8;
  if (t == "f16" || t == "bf16") return 16;
  return t == "f64" ? 64 : 32;
}

inline int most(const Format &f) { return f.top - f.bias; }
inline int least(const Format &f) { return 1 - f.bias; }

// A number of a sign, an exponent and a fraction; beyond the ends the largest exponent, or a subnormal.
inline uint64_t make(const Format &f, int negative, int exponent, uint64_t fraction) {
  int field = exponent + f.bias;
  if (field < 0) field = 0;
  if (field > f.top) field = f.top;
  fraction &= (uint64_t(1) << f.fraction) - 1;
  if (f.exponent == 4 && field == 15 && fraction == 7) fraction = 6;
  return uint64_t(negative) << (f.exponent + f.fraction) | uint64_t(field) << f.fraction | fraction;
}
inline uint64_t any(const Format &f, Random &r) {
  const int bits = 1 + f.exponent + f.fraction;
  return r.wide() & (bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1);
}
inline uint64_t finite(const Format &f, Random &r) {
  const uint64_t raw = any(f, r);
  const int field = int(raw >> f.fraction) & ((1 << f.exponent) - 1);
  const int sign = int(raw >> (f.exponent + f.fraction));
  return make(f, sign, (field > f.top ? field >> 1 : field) - f.bias, raw);
}
// A number whose exponent is drawn from count ones, the first given.
inline uint64_t within(const Format &f, Random &r, int first, int count) {
  const int exponent = first + r.pick(count);
  const uint64_t raw = r.wide();
  return make(f, int(raw >> 63), exponent, raw);
}
inline uint64_t power(const Format &f, Random &r, int first, int count) {
  const int exponent = first + r.pick(count);
  return make(f, r.pick(2), exponent, 0);
}
inline uint64_t special(const Format &f, Random &r) {
  const uint64_t sign = uint64_t(r.pick(2)) << (f.exponent + f.fraction);
  const uint64_t ones = ((uint64_t(1) << f.exponent) - 1) << f.fraction;
  const uint64_t payload = r.wide() & ((uint64_t(1) << f.fraction) - 1);
  switch (r.pick(8)) {
    case 0: return sign;
    case 1: return sign | (f.exponent == 4 ? 0x7e : ones);                                     // infinity
    case 2: return sign | ones | (f.exponent == 4 ? 7 : payload == 0 ? 1 : payload);            // NaN, of any kind
    case 3: return sign | make(f, 0, most(f), ~uint64_t(0));                                  // the largest
    case 4: return sign | uint64_t(1) << f.fraction;                                          // the least normal
    case 5: return sign | 1;                                                                  // the least
    case 6: return sign | ((uint64_t(1) << f.fraction) - 1);                                  // the largest subnormal
    default: return sign | uint64_t(f.bias) << f.fraction;                                    // one
  }
}
inline uint64_t negated(const Format &f, uint64_t x) { return x ^ uint64_t(1) << (f.exponent + f.fraction); }

constexpr int floatKinds = 20;
constexpr int integerKinds = 8;

struct Matrices {
  std::vector<uint64_t> a, b, c;  // m x ka, k x n, m x n, by rows
};

// Of floats; ka elements of a row of A are stored (of a sparse A half of k).
inline Matrices floats(const std::string &ta, const std::string &tb, const std::string &tc, int m, int n, int ka, int k, int kind, Random &r) {
  const Format fa = formatOf(ta), fb = formatOf(tb), fc = formatOf(tc);
  Matrices x{std::vector<uint64_t>(m * ka), std::vector<uint64_t>(k * n), std::vector<uint64_t>(m * n)};
  auto A = [&](int i, int p) -> uint64_t & { return x.a[i * ka + p]; };
  auto B = [&](int p, int j) -> uint64_t & { return x.b[p * n + j]; };
  auto allA = [&](auto draw) {
    for (uint64_t &v : x.a) v = draw();
  };
  auto allB = [&](auto draw) {
    for (uint64_t &v : x.b) v = draw();
  };
  auto allC = [&](auto draw) {
    for (uint64_t &v : x.c) v = draw();
  };
  // pairs of nearly opposite products, `step` apart
  auto cancelling = [&](int step, int first, int count) {
    for (int i = 0; i < m; i++)
      for (int p = 0; p < ka; p++)
        A(i, p) = (p / step) % 2 == 0 ? within(fa, r, first, count) : negated(fa, A(i, p - step)) ^ uint64_t(r.pick(4) == 0);
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        B(p, j) = (p / step) % 2 == 0 ? within(fb, r, first, count) : B(p - step, j) ^ uint64_t(r.pick(4) == 0);
  };
  const uint64_t zero = 0;
  switch (kind) {
    case 0:  // any bits
      allA([&] { return any(fa, r); });
      allB([&] { return any(fb, r); });
      allC([&] { return any(fc, r); });
      break;
    case 1:  // any finite
      allA([&] { return finite(fa, r); });
      allB([&] { return finite(fb, r); });
      allC([&] { return finite(fc, r); });
      break;
    case 2:  // moderate
      allA([&] { return within(fa, r, -4, 8); });
      allB([&] { return within(fb, r, -4, 8); });
      allC([&] { return within(fc, r, -8, 16); });
      break;
    case 3:  // one exponent
      allA([&] { return within(fa, r, 0, 1); });
      allB([&] { return within(fb, r, 0, 1); });
      allC([&] { return within(fc, r, 0, 4); });
      break;
    case 4:  // neighbours cancel
      cancelling(1, -2, 4);
      allC([&] { return r.pick(4) == 0 ? zero : within(fc, r, -12, 14); });
      break;
    case 5:  // halves cancel
      cancelling(ka > 1 ? ka / 2 : 1, -2, 4);
      allC([&] { return r.pick(4) == 0 ? zero : within(fc, r, -24, 26); });
      break;
    case 6:  // subnormals
      allA([&] { return r.pick(4) != 0 ? within(fa, r, -fa.bias, 1) : within(fa, r, -2, 4); });
      allB([&] { return r.pick(4) != 0 ? within(fb, r, -fb.bias, 1) : within(fb, r, -2, 4); });
      allC([&] { return r.pick(4) != 0 ? within(fc, r, -fc.bias, 1) : within(fc, r, least(fa), 4); });
      break;
    case 7:  // a few specials
      allA([&] { return r.pick(24) == 0 ? special(fa, r) : within(fa, r, -3, 6); });
      allB([&] { return r.pick(24) == 0 ? special(fb, r) : within(fb, r, -3, 6); });
      allC([&] { return r.pick(4) == 0 ? special(fc, r) : within(fc, r, -3, 6); });
      break;
    case 8: {  // near the end of the range
      const int half = most(fc) / 2;
      const int ea = half < most(fa) ? half : most(fa), eb = half < most(fb) ? half : most(fb);
      allA([&] { return within(fa, r, ea - 3, 4); });
      allB([&] { return within(fb, r, eb - 2, 4); });
      allC([&] { return within(fc, r, most(fc) - 3, 4); });
      break;
    }
    case 9:  // mostly zeros, any finite
      allA([&] { return r.pick(2) != 0 ? make(fa, r.pick(2), -fa.bias, 0) : finite(fa, r); });
      allB([&] { return r.pick(2) != 0 ? make(fb, r.pick(2), -fb.bias, 0) : finite(fb, r); });
      allC([&] { return r.pick(2) != 0 ? make(fc, r.pick(2), -fc.bias, 0) : finite(fc, r); });
      break;
    case 10:  // near the least
      allA([&] { return within(fa, r, least(fa) - 1, 6); });
      allB([&] { return r.pick(2) != 0 ? within(fb, r, -4, 8) : within(fb, r, least(fb) - 1, 8); });
      allC([&] { return r.pick(2) != 0 ? within(fc, r, least(fc) - 1, 6) : r.pick(2) != 0 ? zero : within(fc, r, least(fa) - 4, 8); });
      break;
    case 11:  // zeros, ones and least, of both signs
      allA([&] { return r.pick(3) == 0 ? negated(fa, make(fa, r.pick(2), -fa.bias, 0)) : r.pick(2) != 0 ? make(fa, r.pick(2), 0, 0) : make(fa, r.pick(2), -fa.bias, 1); });
      allB([&] { return r.pick(3) == 0 ? negated(fb, make(fb, r.pick(2), -fb.bias, 0)) : r.pick(2) != 0 ? make(fb, r.pick(2), 0, 0) : make(fb, r.pick(2), -fb.bias, 1); });
      allC([&] { return r.pick(3) == 0 ? negated(fc, make(fc, r.pick(2), -fc.bias, 0)) : r.pick(2) != 0 ? make(fc, r.pick(2), 0, 0) : make(fc, r.pick(2), -fc.bias, 1); });
      break;
    case 12:  // powers of two far apart, few in a row
      allA([&] { return r.pick(4) != 0 ? zero : power(fa, r, -14, 29); });
      allB([&] { return r.pick(3) == 0 ? zero : power(fb, r, -3, 7); });
      allC([&] { return r.pick(2) != 0 ? zero : power(fc, r, -24, 40); });
      break;
    case 13: {  // two large ones that cancel among small ones
      const int high = most(fa) < 26 ? most(fa) : 26;
      for (int i = 0; i < m; i++) {
        for (int p = 0; p < ka; p++) A(i, p) = within(fa, r, -6, 7);
        const int p = r.pick(ka), q = r.pick(ka), e = r.pick(high + 1);
        A(i, p) = make(fa, 0, e, 0);
        if (p != q) A(i, q) = make(fa, 1, e, 0);
      }
      allB([&] { return make(fb, 0, 0, 0); });
      allC([&] { return r.pick(3) == 0 ? zero : within(fc, r, -4, high + 6); });
      break;
    }
    case 14:  // powers of two: ties
      allA([&] { return r.pick(2) != 0 ? zero : power(fa, r, -7, 14); });
      allB([&] { return power(fb, r, -6, 8); });
      allC([&] { return r.pick(3) == 0 ? zero : power(fc, r, -12, 24); });
      break;
    case 15:  // C far above
      allA([&] { return within(fa, r, -4, 8); });
      allB([&] { return within(fb, r, -4, 8); });
      allC([&] { return within(fc, r, 4, 28); });
      break;
    case 16: {  // the largest cancel
      const int e = (most(fc) < 60 ? most(fc) : 60) / 2 < most(fa) ? (most(fc) < 60 ? most(fc) : 60) / 2 : most(fa);
      cancelling(2, e - 4, 4);
      for (int i = 0; i < m; i++)
        for (int p = 0; p < ka; p++)
          if (r.pick(6) == 0) A(i, p) = within(fa, r, -4, 8);
      allC([&] { return r.pick(2) != 0 ? zero : within(fc, r, 2 * e - 28, 28); });
      break;
    }
    case 17:  // one large, the others small
      for (int i = 0; i < m; i++) {
        for (int p = 0; p < ka; p++) A(i, p) = within(fa, r, -9, 9);
        const uint64_t large = within(fa, r, 3, 4);
        A(i, r.pick(ka)) = large;
      }
      allB([&] { return within(fb, r, -2, 3); });
      allC([&] { return r.pick(2) != 0 ? zero : within(fc, r, -20, 24); });
      break;
    case 18: {  // C cancels the product of one place in k, the others are small
      const int at = r.pick(ka);
      allA([&] { return within(fa, r, -7, 5); });
      allB([&] { return within(fb, r, -4, 4); });
      std::vector<int> row(m), column(n);
      for (int i = 0; i < m; i++) row[i] = r.pick(6), A(i, at) = make(fa, 0, row[i], 0);
      for (int j = 0; j < n; j++) {
        column[j] = r.pick(5);
        for (int p = 0; p < k; p++)
          if (p == at || k != ka) B(p, j) = make(fb, 0, column[j], p == at ? 0 : r.next());
      }
      for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) x.c[i * n + j] = make(fc, 1, row[i] + column[j], uint64_t(r.pick(4)) << r.pick(fc.fraction));
      break;
    }
    default: {  // products about the floor of the accumulator
      const int floor = least(fc) - 7, ea = floor / 2 > least(fa) ? floor / 2 : least(fa), eb = floor - ea > least(fb) ? floor - ea : least(fb);
      allA([&] { return r.pick(3) == 0 ? zero : within(fa, r, ea - 5, 10); });
      allB([&] { return within(fb, r, eb - 5, 10); });
      allC([&] { return r.pick(4) != 0 ? zero : within(fc, r, -fc.bias, 2); });
      break;
    }
  }
  return x;
}

inline Matrices integers(const std::string &ta, const std::string &tb, int m, int n, int ka, int k, int kind, Random &r) {
  Matrices x{std::vector<uint64_t>(m * ka), std::vector<uint64_t>(k * n), std::vector<uint64_t>(m * n)};
  auto element = [&](const std::string &t, int way) -> uint64_t {
    const int bits = bitsOf(t);
    const uint32_t mask = (1u << bits) - 1;
    if (bits == 1) return way == 1 ? r.pick(8) != 0 : way == 2 ? r.pick(8) == 0 : way == 3 ? 1 : r.next() >> 7 & 1;
    switch (way) {
      case 1: return r.pick(4) != 0 ? mask >> 1 : mask;        // the largest
      case 2: return r.pick(4) != 0 ? (mask >> 1) + 1 : mask;  // the least of signed ones
      case 3: return mask;
      default: return r.next() & mask;
    }
  };
  const int way = kind % 4;
  for (uint64_t &v : x.a) v = element(ta, way);
  for (uint64_t &v : x.b) v = element(tb, kind < 4 ? way : way == 1 ? 2 : way == 2 ? 1 : 0);
  for (uint64_t &v : x.c) switch (r.pick(4)) {
      case 0: v = r.next(); break;
      case 1: v = 0x7fffffffu - uint32_t(r.pick(65536)); break;
      case 2: v = 0x80000000u + uint32_t(r.pick(65536)); break;
      default: v = uint32_t(r.pick(65536)) - 32768u; break;
    }
  return x;
}

inline Matrices operands(const std::string &name, int tuple, int q, const std::string &ta, const std::string &tb, const std::string &tc, int m, int n, int ka, int k) {
  Random r(name + "#" + std::to_string(tuple) + "#" + std::to_string(q));
  return isFloat(ta) ? floats(ta, tb, tc, m, n, ka, k, tuple % floatKinds, r) : integers(ta, tb, m, n, ka, k, tuple % integerKinds, r);
}
