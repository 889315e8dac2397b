// An index of data is that of an element of its array, and one that the branches before it allow: others cost nothing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gdr/compiler/compiler.h"
#include "host_functions.h"
#include "import/importer.h"

namespace gdr::compiler_testing::indices {
namespace {

/// How many comparisons of integers the results of the function `go` need.
std::ptrdiff_t comparisons(const std::string& source) {
  const std::string code =
      compiler::optimised(llvm_code("#include <gdr/kernel.h>\n#include <cmath>\n" + source, false));
  const compiler::Imported imported = compiler::import_ir(code, "indices.bc", "go");
  EXPECT_TRUE(imported.errors.empty()) << imported.errors.front().text << source;
  const auto& nodes = imported.body.nodes;
  std::vector<bool> needed(nodes.size());
  for (const compiler::Store& store : imported.body.stores) needed[static_cast<std::size_t>(store.value)] = true;
  std::ptrdiff_t count = 0;
  for (std::size_t n = nodes.size(); n-- > 0;) {
    if (!needed[n]) continue;
    for (const int operand : nodes[n].operands) needed[static_cast<std::size_t>(operand)] = true;
    count += nodes[n].act == compiler::Act::int_equal ? 1 : 0;
  }
  return count;
}

struct Neighbours {
  const char* name;
  const char* i;  // members of the records
  const char* results;
  const char* outside;  // before the function
  const char* inside;
  std::ptrdiff_t comparisons;
};

std::string source_of(const Neighbours& one) {
  return std::string("struct I { int n; ") + one.i + " }; struct J { int m; }; struct F { " + one.results + " };\n" +
         one.outside + "\nvoid go(const I& i, const J& j, F& f) { const int b = i.n + j.m; " + one.inside + " }\n";
}

TEST(Indices, ReachTheElementsOfTheirArrayOnly) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const std::vector<Neighbours> all{
      {"results", "double x;", "int before[5]; int h[8]; int g[40];", "", "f.h[b] += 1; f.g[0] += 1;", 8},
      {"members of i", "double v[4]; double w[16];", "double s;", "", "f.s += i.v[b] + i.w[0];", 3},
      {"behind others", "double w[16]; double v[4];", "double s;", "", "f.s += i.v[b] + i.w[15];", 3},
      {"row of a member", "double v[3][4];", "double s;", "", "f.s += i.v[1][b];", 3},
      {"column of a member", "double v[3][4];", "double s;", "", "f.s += i.v[b][1];", 2},
      {"row of a table", "double x;", "double s;", "static const double t[3][4] = {{1,2,3,4},{5,6,7,8},{9,1,1,2}};",
       "f.s += t[1][b];", 3},
      {"table in a structure", "double x;", "double s;",
       "static const struct { double a[9]; double b[3]; } t = {{1,2,3,4,5,6,7,8,9}, {10,11,12}};", "f.s += t.b[b];", 2},
      {"behind two comparisons", "double x;", "double s;", "static const double t[200] = {1, 2, 3, 4, 5, 6, 7};",
       "if (b >= 2 && b < 6) f.s += t[b];", 3},
      {"behind a return", "double x;", "double s;", "static const double t[200] = {1, 2, 3, 4, 5, 6, 7};",
       "if (b < 0) return; if (b > 4) return; f.s += t[b + 1];", 4},
      {"member behind a comparison", "double v[9];", "double s;", "", "if (b < 3) f.s += i.v[b];", 2},
      {"result behind a comparison", "double x;", "double h[9];", "", "if (b < 3) f.h[b] += 1;", 3},
      {"behind comparisons of a number", "float x;", "double s;", "static const double t[200] = {1, 2, 3, 4, 5, 6, 7};",
       "if (i.x >= 0 && i.x < 6) f.s += t[static_cast<int>(i.x)];", 5},
      {"behind a return for a number", "float x;", "double s;", "static const double t[200] = {1, 2, 3, 4, 5, 6, 7};",
       "if (i.x < 0 || i.x >= 5) return; f.s += t[static_cast<int>(i.x) + 1];", 4},
      {"of a magnitude", "float x;", "double s;", "static const double t[200] = {1, 2, 3, 4, 5, 6, 7};",
       "if (std::fabs(i.x) <= 2) f.s += t[static_cast<int>(std::floor(i.x)) + 2];", 4},
      {"local array", "double x;", "double s;", "",
       "struct { double v[3]; double w[8]; } l = {}; l.v[1] = i.x; l.w[2] = i.x; f.s += l.v[b];", 2}};
  for (const Neighbours& one : all) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(comparisons(source_of(one)), one.comparisons);
  }
}

}  // namespace
}  // namespace gdr::compiler_testing::indices
