// Loops whose number of turns has a limit that takes more to see than a count from 0 to a constant, and control that
// goto and nested switches lead, and pointers that move in arrays: they are taken, and the board agrees exactly with
// the host's compiler.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gdr/compiler/compiler.h"
#include "host_functions.h"
#include "pair_bodies.h"

namespace gdr::compiler_testing::loops {
namespace {

const std::vector<PairBody>& bodies() {
  static const std::vector<PairBody> all{
      {"continue_counts", "int k = 0; while (k < 6) { if (j.k > k) { ++k; f.s += 1; continue; } f.s += 2 * k; ++k; }"},
      {"steps_by_path", "int k = 0; while (k < 8) { f.s += k; if (j.k & (1 << k)) k += 2; else k += 1; }"},
      {"downwards", "int k = 8; while (k > 0) { f.s += k; if (j.k > k) k -= 2; else --k; }"},
      {"unsigned_downwards", "unsigned k = 7; while (k > 0) { if (j.v & k) { --k; continue; } f.s += k; --k; }"},
      {"do_while",
       "int k = 6; double s = 0; do { s += k * i.x[0]; k -= s > j.y[0] ? 3 : 1; } while (k >= 0); f.s += s;"},
      {"skips_in_for", "for (int k = 0; k < 10; ++k) { f.s += k; if (j.l == k) ++k; }"},
      {"steps_by_case",
       "int k = 0; while (k < 9) { switch (j.l & 3) { case 0: k += 1; break; case 1: k += 2; break; case 2: k += 3; "
       "continue; default: ++k; } f.s += k; }"},
      {"nested",
       "int a = 0; while (a < 3) { int b = 0; while (b < 3) { if (i.n > b) { b += 2; continue; } f.s += a * b; ++b; } "
       "if "
       "(j.k > a) { ++a; continue; } f.s += 1; ++a; }"},
      {"two_ends", "int a = 0, b = 7; while (a < b) { if ((j.k >> a) & 1) ++a; else --b; } f.c += a;"},
      {"partition",
       "int low = 0, high = 5; float v[6] = {i.x[0], i.x[1], i.x[2], j.y[0], j.y[1], j.y[2]}; while (low < high) { if "
       "(v[low] < 0) ++low; else if (v[high] >= 0) --high; else { std::swap(v[low], v[high]); ++low; --high; } } f.c "
       "+= "
       "low; f.s += v[0] + 2 * v[5];"},
      {"binary_search",
       "int low = 0, high = 15; while (high - low > 1) { const int half = (low + high) / 2; (edges[half] <= j.y[1] ? "
       "low : "
       "high) = half; } f.c += low; f.s += edges[low];"},
      {"lower_bound", "f.c += static_cast<int>(std::lower_bound(edges, edges + 16, j.y[1]) - edges);"},
      {"upper_bound_in_local_array",
       "const float cells[5] = {-3, i.x[0] - 2, i.x[0], i.x[0] + 1, 9}; const float* at = std::upper_bound(cells, "
       "cells "
       "+ 5, j.y[0]); f.c += static_cast<int>(at - cells); if (at != cells) f.s += at[-1];"},
      {"found",
       "const int* at = std::find(counts, counts + 4, j.l); if (at != counts + 4) f.s += *at; f.c += at - counts;"},
      {"from_the_middle",
       "const float* at = i.n < 0 ? i.x : i.x + 1; while (at != i.x + 3 && *at < j.y[0]) ++at; f.c += at - i.x;"},
      {"greatest_of_four",
       "const float v[4] = {i.x[0], j.y[1], i.x[2], j.y[0]}; f.s += *std::max_element(v, v + 4); f.c += "
       "std::min_element(v, v + 4) - v;"},
      {"two_arrays",
       "float v[6] = {i.x[0], i.x[1], i.x[2], j.y[0], j.y[1], j.y[2]}; float* a = v; float* b = v + 6; while (a != b) "
       "{ if "
       "(*a < 0) ++a; else { --b; std::swap(*a, *b); } } f.c += a - v; f.s += v[0] + 2 * v[5];"},
      {"least_and_greatest",
       "const std::array<float, 4> v = {i.x[0], j.y[1], i.x[2], j.y[0]}; const auto [low, high] = "
       "std::minmax_element(v.begin(), v.end()); f.s += *high - *low; f.c += high - low;"},
      {"references",
       "float near = 0, far = 1; float& out = i.n > j.k ? near : far; out += j.y[0] * 2; if (j.k & 1) out = out * "
       "i.x[0]; "
       "float low = i.x[1], high = j.y[1]; if (low > high) std::swap(low, high); float* p = (j.k & 2) ? &low : &high; "
       "*p "
       "+= 1; f.s += std::max(near, far) + 3 * low - high;"},
      {"reference_of_each_turn",
       "float a = 0, b = 0, c = 0; float* to = &a; for (int k = 0; k < 5; ++k) { *to += j.y[k % 3]; to = ((j.v >> k) & "
       "1) ? "
       "(to == &a ? &b : &c) : &a; } f.s += a + 3 * b - c;"},
      {"product_of_sums",
       "const std::array<float, 3> v = {i.x[0], i.x[1], i.x[2]}; std::array<float, 3> z; std::transform(v.begin(), "
       "v.end(), j.y, z.begin(), [](float a, float b) { return a + b; }); std::partial_sum(z.begin(), z.end(), "
       "z.begin()); "
       "std::reverse(z.begin(), z.end()); f.s += z[0] - z[2]; f.c += static_cast<int>(std::count_if(z.begin(), "
       "z.end(), [&](float "
       "x) { return x < j.y[0]; }));"},
      {"distance_in_table",
       "static constexpr std::array<float, 4> cells = {-2, 0, 1.5f, 3}; const auto at = "
       "std::upper_bound(cells.begin(), "
       "cells.end(), j.y[2]); if (at == cells.end()) { f.c += 100; return; } f.c += "
       "static_cast<int>(std::distance(cells.begin(), at));"},
      {"shifted_limit", "for (int k = 0; k < std::min(j.l, 2) * 2; ++k) f.s += k * j.y[0];"},
      {"insertion_sort",
       "std::array<float, 5> v = {i.x[0], j.y[0], i.x[1], j.y[1], i.x[2]}; for (int a = 1; a < 5; ++a) for (int b = a; "
       "b > "
       "0 && v[b - 1] > v[b]; --b) std::swap(v[b - 1], v[b]); f.s += v[2] + 5 * v[4];"},
      {"structures_by_value",
       "struct V { float c[3]; }; const V a{{i.x[0], i.x[1], i.x[2]}}, b{{j.y[0], j.y[1], j.y[2]}}; const auto sum = "
       "[](V p, V "
       "q) { for (int k = 0; k < 3; ++k) p.c[k] += q.c[k]; return p; }; const V r = [&]() -> V { switch (i.n & 3) { "
       "case "
       "0: return sum(a, b); case 1: return b; case 2: return sum(sum(a, a), b); default: return {}; } }(); f.s += "
       "r.c[0] "
       "+ 2 * r.c[1] - r.c[2];"},
      {"found_in_local_array",
       "const std::array<float, 3> z = {i.x[0] - j.y[0], i.x[1] - j.y[0], i.x[2] - j.y[0]}; const auto at = "
       "std::find_if(z.begin(), z.end(), [](float x) { return x > 1; }); if (at != z.end()) f.s += *at; f.s += z[0] - "
       "z[2];"},
      {"many_values_of_i", "for (int k = 0; k < 200; ++k) f.s += k * i.x[0]; f.s += j.y[0];"},
      {"short_limit",
       "short n = static_cast<short>(i.n + j.k); if (n > 5 || n < 0) n = 2; for (short k = 0; k < n; ++k) f.s += "
       "j.y[0] * "
       "k;"},
      {"chosen_limit",
       "const int m = i.n + j.k; const int n = m >= 0 && m < 7 ? m + 1 : 3; for (int k = 0; k < n; ++k) f.s += j.y[0] "
       "* k;"},
      {"divisor",
       "unsigned a = i.u & 15, b = j.v & 15; while (b != 0) { const unsigned t = a % b; a = b; b = t; } f.c += a;"},
      {"bits", "for (unsigned b = j.v & 63; b; b &= b - 1) f.c += 1;"},
      {"floating_counter", "for (float r = 0; r < 2.0f; r += 0.25f) f.s += r * j.y[0];"},
      {"least_of", "for (int k = 0; k < std::min(std::abs(i.n), 6); ++k) f.s += k * j.y[0];"},
      {"rest", "for (unsigned k = 0; k < i.u % 6u; ++k) f.s += k * j.y[0];"},
      {"behind_return", "if (i.n < 0 || i.n > 7) return; for (int k = 0; k <= i.n; ++k) f.s += k * j.y[0];"},
      {"between_two", "for (int k = std::max(i.n, 0); k < std::min(j.l, 7); ++k) f.s += k * j.y[0];"},
      {"sum_of_two",
       "const int n = std::abs(i.n) % 5 + std::min(std::abs(j.k), 3); for (int k = 0; k < n; ++k) f.s += k * j.y[0];"},
      {"from_number",
       "const int n = static_cast<int>(std::fmin(std::fabs(i.x[0]), 4.0f)); for (int k = 0; k < n; ++k) f.s += k * "
       "j.y[0];"},
      {"from_table", "for (int k = 0; k < counts[i.u & 3]; ++k) f.s += k * j.y[0];"},
      {"goto_and_switch",
       "int n = j.l, turns = 0;\nagain:\nswitch (n & 3) {\ncase 0: f.s += 1; switch (i.n & 3) { case 0: f.s += 2; case "
       "1: "
       "f.s += 3; goto next; case 2: goto done; default: break; }\ncase 1: f.s += i.x[0]; break;\ncase 2: switch (j.k "
       "& 1) "
       "{ case 0: f.s += j.y[1]; break; case 1: n += 1; goto next; } break;\ndefault: goto done;\n}\nf.s += "
       "10;\nnext:\nn "
       "+= 1; if (++turns < 6) goto again;\ndone:\nf.c += turns;"},
      {"goto_into_loop",
       "int k = 0; double s = 0; if (j.k > 0) goto middle; for (k = 0; k < 5; ++k) { s += 1; middle: s += j.y[0]; } "
       "f.s "
       "+= s; f.c += k;"},
      {"switch_into_loop",
       "const int n = j.l & 7; int k = 0; switch (n & 3) { case 0: do { if (k >= n) break; f.s += 1; ++k; case 3: f.s "
       "+= 2; "
       "++k; case 2: f.s += 3; ++k; case 1: f.s += 4; ++k; } while (k < n); } f.c += k;"},
      {"states",
       "int state = i.n & 3, turns = 0; double s = 0; while (state != 4) { if (++turns > 8) break; switch (state) { "
       "case 0: "
       "s += 1; state = j.k > 0 ? 2 : 1; break; case 1: s += j.y[0]; state = 3; break; case 2: s += i.x[0]; state = s "
       "> 3 "
       "? 4 : 1; break; default: s -= 1; state = s < 0 ? 4 : 0; } } f.s += s; f.c += turns;"}};
  return all;
}

TEST(LimitedLoops, AreTakenAndExact) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  // Each of them is some ten decisions: flags that were set anew for each reader would be thousands.
  expect_exact(bodies(), 900);
}

struct Unlimited {
  const char* name;
  const char* text;
  unsigned line;  // of the function's body
  const char* message;
};

TEST(LimitedLoops, WithoutALimitAreRefusedWithWhatIsMissing) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const std::vector<Unlimited> all{
      {"data", "int k = 0;\nwhile (k < j.k)\n++k;\nf.c += k;", 2,
       "nothing limits 'k' to a constant: end the loop by a count as well, as in `n < 8 &&`, or limit its end, as by "
       "std::min(end, 8)"},
      {"path", "int k = 0;\nwhile (k < 6) {\nif (j.k > 2) { f.s += 1; continue; }\n++k; }", 3,
       "'k' stays as it is on one of the paths from here to the next turn: change it there, too"},
      {"no_count", "for (;;) {\nif (j.k > 2) break;\nf.s += 1; }", 2,
       "its end depends on nothing that the turns before changed: count them, and end the loop by the count"}};
  for (const Unlimited& one : all) {
    SCOPED_TRACE(one.name);
    const std::string head = kPairRecords;
    const std::string code = llvm_code(head + pair_source({one.name, one.text}), false);
    const compiler::CompileResult compiled = compiler::compile_ir(code, "loops.bc");
    ASSERT_FALSE(compiled.diagnostics.empty());
    EXPECT_EQ(compiled.diagnostics[0].message,
              std::string("a loop whose number of turns is not fixed: ") + one.message);
    EXPECT_EQ(compiled.diagnostics[0].line, static_cast<unsigned>(std::ranges::count(head, '\n')) + 1 + one.line);
  }
}

}  // namespace
}  // namespace gdr::compiler_testing::loops
