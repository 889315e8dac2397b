// Small structures, which the host keeps in registers or copies as a whole, functions behind many branches, and
// extremes of integers that C++ compares as wider ones: they are taken, and the board agrees exactly with the host's
// compiler.
#include <gtest/gtest.h>

#include <vector>

#include "gdr/compiler/compiler.h"
#include "pair_bodies.h"

namespace gdr::compiler_testing::structures {
namespace {

const std::vector<PairBody>& bodies() {
  static const std::vector<PairBody> all{
      {"integers_by_choice",
       "const auto pick = [](const Three& a, const Three& b, int n) { return n == 0 ? a : b; }; const Three r = "
       "pick(i.t, j.t, j.k & 1); f.c += r.a + (r.b >> 3) - r.c;"},
      {"integers_by_return",
       "const auto pick = [](const Three& a, const Three& b, int n) -> Three { if (n == 1) return {a.a, b.b, 3}; if (n "
       "== 2) return b; return n == 0 ? a : Three{b.b, b.c, a.a}; }; const Three r = pick(i.t, j.t, j.k & 3); f.c += "
       "r.a + (r.b >> 3) - r.c;"},
      {"truth_and_numbers",
       "struct Hit { bool ok; float t, u, v; }; const auto meet = [](float x, float y) -> Hit { const float u = x * y; "
       "if (u < 0) return {false, 0}; return {true, x - y, u, x + y}; }; const Hit h = meet(i.x[0], j.y[0]); if "
       "(!h.ok) return; f.s += h.t + 2 * h.u - h.v; f.c += 1;"},
      {"numbers_and_integer",
       "struct R { float a, b, c; int n; }; const auto make = [](float a, float b) -> R { if (a > b) return {a, b, 1, "
       "2}; return {b, a, 3, 4}; }; const R r = make(i.x[0], j.y[0]); f.s += r.a - 2 * r.b + r.c; f.c += r.n;"},
      {"integer_and_double",
       "struct R { int n; float t; double d; }; const auto make = [](float a, float b) -> R { if (a * b < 0) return "
       "{0, "
       "0, 0}; return {1, a - b, a}; }; const R r = make(i.x[0], j.y[0]); if (r.n) f.s += r.t + r.d;"},
      {"changed_in_between",
       "struct R { float a; int b; float c; int d; }; const auto make = [](int a, int b, float x, float y) -> R { if "
       "(a "
       "> b) return {x, a, y, b}; return {y, b, 2.5f, a * 2}; }; const auto twist = [](R r, int k) { if (k > 2) r.a += "
       "1; else r.d += 10; return r; }; const R r = twist(make(i.n, j.k, i.x[0], j.y[0]), i.n ^ j.k); f.c += r.b - "
       "r.d; f.s += r.a + r.c;"},
      {"shorts_by_value",
       "const auto make = [](int a, int b) -> std::array<short, 4> { return {static_cast<short>(a), "
       "static_cast<short>(b), 3, -4}; }; const auto r = make(i.n, j.k); f.c += r[j.v & 3];"},
      {"shorts_changed_in_between",
       "using R = std::array<short, 4>; const auto make = [](int a, int b) -> R { if (a > b) return "
       "{static_cast<short>(a), static_cast<short>(b), static_cast<short>(a * b), -1}; return {static_cast<short>(b), "
       "2, "
       "static_cast<short>(b - a), static_cast<short>(3 * a)}; }; const auto twist = [](R r, int k) { if (k > 4) "
       "std::swap(r[0], r[3]); else r[k & 3] += 5; return r; }; const R r = twist(make(i.n, j.k), i.n ^ j.k); for (int "
       "n "
       "= 0; n < 4; ++n) f.c += r[n] * (n + 1); f.s += r[j.v & 3];"},
      {"list_in_structure",
       "struct List { float p[5]; int n = 0; void add(float q) { p[n++] = q; } }; List v; if (i.n > 0) v.add(i.x[0]); "
       "if (j.k > 0) v.add(j.y[0]); v.add(j.y[1]); f.c += v.n; f.s += v.p[0] + 2 * v.p[v.n - 1];"},
      {"cleared_structure",
       "struct List { float p[4]; int n; }; List v{}; v.n = j.k & 3; v.p[v.n] = j.y[0]; f.s += v.p[i.n & 3]; f.c += "
       "v.n;"},
      {"padded_structures",
       "struct Entry { int key; unsigned char which; }; Entry e[3]; for (Entry& t : e) t = {-1000, 255}; const auto "
       "add "
       "= [&](Entry n) { for (Entry& t : e) if (n.key > t.key) { const Entry o = t; t = n; n = o; } }; add({i.n, 7}); "
       "add({j.k, 8}); add({j.l, 9}); f.c += e[0].key + 3 * e[1].which - e[2].key;"},
      {"behind_branches",
       "struct Act { float y, d; }; const auto elu = [](float x) { return x >= 0 ? Act{x, 1} : Act{3 * x, 2 * x}; }; "
       "Act a; const int n = i.n & 7; if (n == 0) a = {j.y[0], 1}; else if (n == 1) a = {2, j.y[1]}; else if (n == 2) "
       "a "
       "= {j.y[2], 2}; else if (n == 3) a = {1, 1}; else if (n == 4) a = {0, j.y[0]}; else if (n == 5) a = {-1, 2}; "
       "else if (n == 6) a = elu(j.y[0]); else a = {4, elu(j.y[1]).d}; f.s += a.y + 2 * a.d;"},
      {"unsigned_most", "const unsigned z = i.u * 3 + j.v; if (z > f.most) f.most = z;"},
      {"wrapped_most", "const unsigned z = (i.u + j.v) << 28; if (f.most < z) f.most = z;"},
      {"shortened_least", "f.least = std::min<short>(f.least, static_cast<short>(i.t.b + j.t.b));"},
      {"shifted_least", "f.least = std::min<short>(f.least, j.t.b >> 8);"},
      {"quotient_least", "f.least = std::min<short>(f.least, static_cast<short>(j.t.b / 64));"}};
  return all;
}

TEST(SmallStructures, AreTakenAndExact) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  expect_exact(bodies(), 200);
}

}  // namespace
}  // namespace gdr::compiler_testing::structures
