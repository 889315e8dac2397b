// No bytes and no mutation of a kernel bring the assembler down; what it accepts is a legal program.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "gdr/assembler/disassemble.h"
#include "gdr/assembler/listing.h"
#include "gdr/base/file.h"
#include "testing.h"

namespace gdr::assembler {
namespace {

constexpr std::uint32_t kSeed = 20091109;
constexpr std::string_view kCharacters = " \n;$[]{}()+-*/!@\"#vlrmbjt0123456789";

/// Assembles, and uses whatever comes out of it.
void try_out(const std::string& text) {
  AssembleOptions options;
  options.definitions["n"] = "3";
  const AssembleResult result = assemble(text, "fuzz.vsm", options);
  static_cast<void>(format_diagnostics(result));
  bool has_error = false;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    has_error = has_error || diagnostic.severity == Severity::error;
    ASSERT_LT(diagnostic.where.file, result.files.size());
    ASSERT_GE(diagnostic.where.column, 1u);
    ASSERT_GE(diagnostic.where.length, 1u);
    ASSERT_TRUE(explain(diagnostic.number)) << diagnostic.number;
  }
  ASSERT_EQ(result.program.has_value(), !has_error) << text;
  if (!result.program) return;
  static_cast<void>(listing(*result.program, result.files));
  for (const ScheduleLevel level : {ScheduleLevel::list, ScheduleLevel::full}) {
    options.schedule = {.level = level, .effort = 0.002};
    const AssembleResult packed = assemble(text, "fuzz.vsm", options);
    ASSERT_TRUE(packed.program) << text;
    static_cast<void>(listing(*packed.program, packed.files));
    ASSERT_TRUE(assemble(disassemble(*packed.program), "packed.vsm").program) << text;
  }
  const AssembleResult again = assemble(disassemble(*result.program), "again.vsm");
  ASSERT_TRUE(again.program) << text << "\n" << format_diagnostics(again);
}

std::vector<std::string> kernels() {
  std::vector<std::string> texts;
  for (const char* directory : {GDR_KERNELS_DIR, GDR_ERRORS_DIR}) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() == ".vsm") texts.push_back(base::read_file(entry.path()));
    }
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::string any(std::mt19937& random, const std::vector<std::string>& texts) { return texts[random() % texts.size()]; }

TEST(Assembler, SurvivesRandomBytes) {
  std::mt19937 random(kSeed);
  for (int round = 0; round < 500; ++round) {
    std::string text(random() % 400, '\0');
    for (char& c : text) c = static_cast<char>(random());
    ASSERT_NO_FATAL_FAILURE(try_out(text));
  }
}

TEST(Assembler, SurvivesRandomWordsOfTheLanguage) {
  static const std::vector<std::string> words{
      "kernel", "var",    "bvar", "vector", "long",    "short",  "elt",    "hlt",    "rrn",        "reg",   "param",
      "const",  "repeat", "end",  "if",     "else",    "macro",  "loop",   "body",   "vlen",       "mask",  "x",
      "y",      "$lr0v",  "$t",   "$lt",    "$ti",     "$ok1",   "$lmt4",  "fadd",   "fmul",       "fmulh", "fmull",
      "uadd",   "bm",     "$lj0", "$lb8v",  "@1",      "/1",     "/j",     "[",      "]",          "{",     "}",
      "(",      ")",      "+",    "-",      "*",       "!",      "\"",     ";",      "1",          "0..3",  "=",
      ":",      "\n",     "\n",   "\n",     "il\"1\"", "f\"2\"", "packed", "in gpr", "99999999999"};
  std::mt19937 random(kSeed);
  for (int round = 0; round < 1500; ++round) {
    std::string text = "kernel k\nvar vector long x hlt\nvar vector long y\nloop body\n";
    for (auto count = random() % 60; count > 0; --count) {
      text.append(any(random, words));
      if (random() % 4 != 0) text.push_back(' ');
    }
    ASSERT_NO_FATAL_FAILURE(try_out(text));
  }
}

TEST(Assembler, SurvivesMutatedKernels) {
  const std::vector<std::string> texts = kernels();
  ASSERT_FALSE(texts.empty());
  std::mt19937 random(kSeed);
  for (int round = 0; round < 600; ++round) {
    std::string text = any(random, texts);
    for (auto mutation = 1 + random() % 6; mutation > 0; --mutation) {
      const std::size_t at = text.empty() ? 0 : random() % text.size();
      const std::string other = any(random, texts);
      switch (random() % 5) {
        case 0:
          text.insert(at, 1, static_cast<char>(random()));
          break;
        case 1:
          text.erase(at, random() % 8);
          break;
        case 2:
          text.insert(at, other.substr(random() % other.size(), random() % 40));
          break;
        case 3:
          text.insert(at, 1, kCharacters[random() % kCharacters.size()]);
          break;
        default:
          text.resize(at);
          break;
      }
    }
    ASSERT_NO_FATAL_FAILURE(try_out(text));
  }
}

TEST(Assembler, SurvivesDeepAndLongInput) {
  for (const char c : {'(', '-', '!', '{', '[', '/', '"', ';', 'x'}) {
    for (const std::size_t length : {900u, 100000u}) {
      std::string text = "kernel k\nloop body\n  upassa il\"{";
      text.append(length, c).append("1}\" $lt\n");
      try_out(text);
    }
  }
  std::string nested = "kernel k\nloop body\n";
  for (int depth = 0; depth < 200; ++depth) nested += "repeat i = 0..9\n";
  try_out(nested + "nop\n");
  for (int depth = 0; depth < 200; ++depth) nested += "end\n";
  try_out(nested);
  try_out("kernel k\nmacro m a\nm a\nend\nloop body\nm x\n");
  try_out("kernel k\nmacro m\nm\nm\nend\nloop body\nm\n");
  try_out("kernel k\nmacro m a\nm {a}{a}\nend\nloop body\nm xyz\n");
}

}  // namespace
}  // namespace gdr::assembler
