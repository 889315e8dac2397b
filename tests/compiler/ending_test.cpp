// What a function for the end may do with results, which it sees before blocks are added.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "host_functions.h"

namespace gdr::compiler_testing {
namespace {

using testing::HasSubstr;

/// The first message about a function that ends with these lines; empty if it compiles.
std::string message_of_end(const std::string& lines) {
  const std::string source =
      "#include <gdr/kernel.h>\n#include <algorithm>\n"
      "struct I { double x; };\nstruct J { double y; int n; };\nstruct P { double scale; int how; };\n"
      "struct F { double sum, other, least, most, free; int count, bits, parity, nearest; };\n"
      "void pair(const I& i, const J& j, F& f, const P&) {\n"
      "  const double d = j.y - i.x;\n"
      "  f.sum += d;\n  f.other += d * d;\n  f.least = std::fmin(f.least, d);\n  f.most = std::fmax(f.most, d);\n"
      "  f.count += 1;\n  f.bits |= j.n;\n  f.parity ^= j.n;\n  f.nearest = std::min(f.nearest, j.n);\n"
      "}\n"
      "void pair_finish(F& f, const P& p) {\n" +
      lines + "}\n";
  const compiler::CompileResult compiled = compiler::compile_ir(llvm_code(source, false), "pair.bc");
  EXPECT_EQ(compiled.source.empty(), !compiled.diagnostics.empty());
  return compiled.diagnostics.empty() ? "" : compiled.diagnostics.front().message;
}

TEST(Ending, TakesWhatCommutesWithTheReduction) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  for (const char* lines : {
           "  f.sum *= 2;\n",
           "  f.sum *= -p.scale;\n",
           "  f.sum /= p.scale;\n",
           "  f.sum = p.how > 1 ? f.sum : 3 * f.sum;\n",
           "  f.sum = f.sum - 0.5 * f.other;\n",
           "  f.free = p.scale * f.sum;\n",
           "  f.least = std::sqrt(static_cast<float>(f.least));\n",
           "  f.least = 3 * f.least + p.scale;\n",
           "  f.most = std::fmin(f.most, p.scale);\n",
           "  f.least = p.scale;\n",
           "  f.count *= 2;\n",
           "  f.bits = 5;\n",
           "  f.most = std::fmax(std::cbrt(static_cast<float>(f.most)), 0.0f);\n",
           "  f.most = p.how > 1 ? f.most : 0;\n",
           "  f.least = p.how > 1 ? p.scale : 2 * f.least;\n",
           "  f.bits = p.how > 1 ? f.bits : 3;\n",
           "  f.least = f.least + f.least;\n",
           "  f.most = std::floor(f.most) + f.most;\n",
           "  f.free = f.least;\n",
           "  f.least = f.least > 0 ? f.least : 0;\n",
           "  f.free = f.most + p.scale;\n",
           "  f.free = f.nearest;\n",
           "  f.free = p.scale;\n",
           "  f.sum = f.sum / 3;\n",
           "  f.sum = 3 / p.scale * f.sum;\n",
           "  f.free = f.sum / 7.0f;\n",
       }) {
    EXPECT_EQ(message_of_end(lines), "") << lines;
  }
}

TEST(Ending, MayMakeAResultOfOthersAlone) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const compiler::CompileResult compiled =
      compiler::compile_ir(llvm_code("#include <gdr/kernel.h>\nstruct I { double x; };\nstruct J { double y; };\n"
                                     "struct F { double sum, thrice; };\n"
                                     "void pair(const I& i, const J& j, F& f) { f.sum += j.y - i.x; }\n"
                                     "void pair_finish(F& f) { f.thrice = 3 * f.sum; }\n",
                                     false),
                           "pair.bc");
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "pair.vsm");
  EXPECT_TRUE(assembled.program);
  EXPECT_TRUE(assembled.diagnostics.empty()) << assembler::format_diagnostics(assembled);
}

TEST(Ending, RefusesWhatDoesNot) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  for (const char* lines : {
           "  f.sum = std::sqrt(static_cast<float>(f.other));\n",
           "  f.sum *= f.sum;\n",
           "  f.sum += 1;\n",
           "  f.sum = p.scale;\n",
           "  f.sum = std::fabs(f.sum);\n",
           "  f.sum = f.sum > 0 ? f.sum : 0;\n",
           "  f.sum = f.sum / f.other;\n",
           "  f.free = f.free + f.least;\n",
           "  f.free = f.most - f.least;\n",
           "  f.sum = p.how > 1 ? f.sum : 3;\n",
           "  f.parity = p.how > 1 ? f.parity : 3;\n",
           "  f.nearest = f.nearest + f.nearest;\n",
           "  f.least = f.nearest - f.least;\n",
           "  f.sum = f.most;\n",
           "  f.least = -f.least;\n",
           "  f.least = p.scale * f.least;\n",
           "  f.least = f.most;\n",
           "  f.most = f.most - f.least;\n",
           "  f.count /= 2;\n",
           "  f.bits += 1;\n",
           "  f.parity = 5;\n",
           "  f.most = std::sqrt(static_cast<float>(f.most));\n",
           "  f.most = std::log(static_cast<float>(f.most));\n",
           "  f.nearest = f.nearest + 1;\n",
           "  f.nearest = 3 * f.nearest;\n",
       }) {
    EXPECT_THAT(message_of_end(lines), HasSubstr("before blocks are added")) << lines;
  }
}

}  // namespace
}  // namespace gdr::compiler_testing
