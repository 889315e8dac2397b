// The importer on code that nobody wrote: messages or kernels, never a crash.
#include <gmock/gmock.h>

#include <random>

#include "gdr/assembler/assembler.h"
#include "gdr/base/file.h"
#include "gdr/compiler/compiler.h"
#include "host_functions.h"

namespace gdr::compiler_testing {
namespace {

/// What comes out is one of the two, and what the assembler takes.
void take(const std::string& code) {
  compiler::CompileOptions options;
  options.effort = 1;
  const compiler::CompileResult result = compiler::compile_ir(code, "mutant.ll", options);
  ASSERT_NE(result.source.empty(), result.diagnostics.empty());
  if (result.source.empty()) return;
  const assembler::AssembleResult assembled = assembler::assemble(result.source, "mutant.vsm");
  EXPECT_TRUE(assembled.program) << assembler::format_diagnostics(assembled) << result.source << code;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    const bool inside = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '%' || c == '_' || c == '.';
    if (inside) {
      word += c;
    } else {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
      words.emplace_back(1, c);
    }
  }
  return words;
}

TEST(Importer, TakesChangedCodeWithoutACrash) {
  const std::string source = base::read_file(std::filesystem::path(GDR_KERNELS_DIR) / "cc" / "coulomb.cc");
  const std::string code = llvm_code(source, true);
  const std::size_t begin = code.find("define ");
  const std::size_t end = code.find("\n}\n", begin);
  ASSERT_NE(end, std::string::npos);
  const std::vector<std::string> words = words_of(code.substr(begin, end - begin));
  static const std::vector<std::string> kOthers{
      "fadd", "fdiv",  "frem", "double", "float",  "i32", "i64",      "i8",   "i1",   "ptr",   "add", "mul",
      "sdiv", "icmp",  "eq",   "undef",  "poison", "0",   "-1",       "%0",   "%1",   "%2",    "%9",  "select",
      "load", "store", "br",   "ret",    "null",   "1.0", "x86_fp80", "half", "true", "false", "urem"};
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  for (int n = 0; n < 400; ++n) {
    std::vector<std::string> changed = words;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(changed.size());
      switch (below(3)) {
        case 0:
          changed[at] = kOthers[below(kOthers.size())];
          break;
        case 1:
          changed[at] = changed[below(changed.size())];
          break;
        default:
          changed[at].clear();
          break;
      }
    }
    std::string mutant = code.substr(0, begin);
    for (const std::string& word : changed) mutant += word;
    take(mutant + code.substr(end));
    if (HasFatalFailure()) return;
  }
}

TEST(Importer, TakesBranchesAsChoices) {
  const char* source =
      "struct I { double x; int n; };\nstruct J { double x; int k; };\nstruct F { double sum; int count; };\n"
      "void f(const I& i, const J& j, F& f) {\n"
      "  if (i.n == j.k) return;\n"
      "  switch (j.k & 3) { case 0: f.sum += i.x * j.x; break; case 1: f.sum += i.x / j.x; break; case 2: f.count += "
      "1; break;\n"
      "    default: f.sum += i.x + j.x; f.count += 2; break; }\n}\n";
  const compiler::CompileResult result = compiler::compile_ir(llvm_code(source, false), "branches.bc");
  EXPECT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  const assembler::AssembleResult assembled = assembler::assemble(result.source, "branches.vsm");
  EXPECT_TRUE(assembled.program) << assembler::format_diagnostics(assembled) << result.source;
}

TEST(Importer, TakesNoticeOfNoLikelihood) {
  const std::string plain =
      "struct I { double x; };\nstruct J { double x; };\nstruct F { double sum; };\n"
      "void f(const I& i, const J& j, F& f) {\n  if (j.x > i.x) @ return;\n  f.sum += j.x;\n}\n";
  const auto program = [&](const std::string& attribute) {
    std::string source = plain;
    source.replace(source.find('@'), 1, attribute);
    const compiler::CompileResult result = compiler::compile_ir(llvm_code(source, false), "likely.bc");
    EXPECT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
    return result.source;
  };
  EXPECT_EQ(program("[[unlikely]]"), program(""));
  EXPECT_EQ(program("[[likely]]"), program(""));
}

// What branches have in common, an addition of one value each to a result each, must not become one addition through a
// pointer.
TEST(Importer, TakesBranchesThatAddToDifferentResults) {
  const char* source =
      "struct I { double x; int n; };\nstruct J { double x; int k; };\nstruct F { double sum; double other; };\n"
      "extern \"C\" float gdr_reciprocal(float) __attribute__((const));\n"
      "void f(const I& i, const J& j, F& f) {\n"
      "  const float v = i.x + j.x;\n"
      "  const float w = gdr_reciprocal(v);\n"
      "  f.sum += i.x > j.x && i.n == j.k ? w : 0;\n"
      "  if (i.n < j.k) f.other += v;\n}\n";
  const compiler::CompileResult result = compiler::compile_ir(llvm_code(source, false), "branches.bc");
  EXPECT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
}

TEST(Importer, TakesSumsUnderAnyControlFlow) {
  for (const char* statements :
       {"f.short_sum += 0.5 * i.x;", "if (i.x > 1) return; f.sum += i.x; if (j.x > 2) f.sum += j.x;",
        "double s = f.sum; if (i.x > j.x) s += j.x; f.sum = s + 1;",
        "if (i.x < 1) { f.sum += j.x; if (j.x < 2) { f.sum += 1; if (i.n == j.k) f.sum -= i.x; } }",
        "switch (i.n) { case 0: f.sum += 1; case 1: f.sum += i.x; break; case 2: f.sum -= j.x; default: f.n += 1; }",
        "for (int n = 0; n < 3; ++n) { if (i.x + n > j.x) break; f.sum += n; }"}) {
    const std::string source =
        "struct I { double x; int n; };\nstruct J { double x; int k; };\n"
        "struct F { double sum; float short_sum; int n; };\nvoid f(const I& i, const J& j, F& f) {\n  " +
        std::string(statements) + "\n}\n";
    const compiler::CompileResult result = compiler::compile_ir(llvm_code(source, false), "sums.bc");
    EXPECT_TRUE(result.diagnostics.empty()) << statements << compiler::format_diagnostics(result);
  }
}

TEST(Importer, TellsWhyAnIntegerTakesNoSumOfNumbers) {
  const char* source =
      "struct I { double x; };\nstruct J { double x; };\nstruct F { int c; };\n"
      "void f(const I& i, const J&, F& f) {\n  f.c += i.x;\n}\n";
  const compiler::CompileResult result = compiler::compile_ir(llvm_code(source, false), "sums.bc");
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].line, 5u);
  EXPECT_THAT(result.diagnostics[0].message, testing::HasSubstr("'c' is an integer and takes a sum of floating-point"));
}

TEST(Importer, TakesExtremesWithConstants) {
  for (const auto& [statement, reduction] :
       {std::pair("if (1.0 < f.x) f.x = 1.0", "fmin"), std::pair("if (f.x > 1.0) f.x = 1.0", "fmin"),
        std::pair("if (1.0 > f.x) f.x = 1.0", "fmax"), std::pair("if (f.x < 1.0) f.x = 1.0", "fmax")}) {
    const std::string source =
        "struct I { double x; };\nstruct J { double x; };\nstruct F { double x; double sum; };\n"
        "void f(const I& i, const J& j, F& f) {\n  f.sum += i.x - j.x;\n  " +
        std::string(statement) + ";\n}\n";
    const compiler::CompileResult result = compiler::compile_ir(llvm_code(source, false), "extreme.bc");
    EXPECT_TRUE(result.diagnostics.empty()) << statement << compiler::format_diagnostics(result);
    EXPECT_THAT(result.source, testing::HasSubstr(std::string("rrn flt72to64 ") + reduction)) << statement;
  }
}

}  // namespace
}  // namespace gdr::compiler_testing
