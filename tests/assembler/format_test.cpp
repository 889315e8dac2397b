// The layout of sources: what changes, what stays, and that the program is the same.
#include "gdr/assembler/format.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "gdr/base/file.h"
#include "gdr/isa/program.h"
#include "testing.h"

namespace gdr::assembler {
namespace {

TEST(Formatting, IndentsSectionsAndBlocksAndSeparatesOperations) {
  EXPECT_EQ(
      formatted(
          "\xef\xbb\xbf\n\n  kernel k  \r\nvar vector long  x hlt\t# x\n\n\n\nmacro twice a\nfadd a a a;nop\nend\n"
          "  loop body\nvlen 2;fadd  $lt\t$lt $lt  # t\n # alone\nif 1\nnop\n   # in it\n# heading\nelse\nfadd $lt "
          "f\"1;  #\" "
          "$lt\nend"),
      "kernel k\nvar vector long  x hlt  # x\n\nmacro twice a\n  fadd a a a ; nop\nend\nloop body\n"
      "  vlen 2 ; fadd $lt $lt $lt  # t\n  # alone\n  if 1\n    nop\n    # in it\n# heading\n  else\n"
      "    fadd $lt f\"1;  #\" $lt\n  end\n");
  EXPECT_EQ(formatted(""), "");
  EXPECT_EQ(formatted("\n\n"), "");
}

TEST(Formatting, LeavesTheShippedKernelsAsTheyAre) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() != ".vsm") continue;
    const std::string text = base::read_file(entry.path());
    EXPECT_EQ(formatted(text), text) << entry.path();
  }
}

TEST(Formatting, ChangesNoProgramAndNothingTheSecondTime) {
  for (const char* folder : {GDR_KERNELS_DIR, GDR_ERRORS_DIR}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".vsm") continue;
      std::string text = base::read_file(entry.path());
      for (std::size_t at = text.find("  "); at != std::string::npos; at = text.find("  ", at + 3))
        text.insert(at, " ");
      const std::string tidy = formatted(text);
      EXPECT_EQ(formatted(tidy), tidy) << entry.path();
      const AssembleResult before = assemble(text, entry.path().string());
      const AssembleResult after = assemble(tidy, entry.path().string());
      ASSERT_EQ(before.program.has_value(), after.program.has_value()) << entry.path();
      ASSERT_EQ(before.diagnostics.size(), after.diagnostics.size()) << entry.path();
      if (!before.program) continue;
      for (std::size_t number = 0; number < isa::kSections; ++number) {
        const auto section = static_cast<isa::Section>(number);
        const auto words = [&](const isa::Program& program) {
          std::vector<isa::InstructionWord> all;
          for (const isa::ProgramLine& line : program.lines(section)) all.push_back(line.word);
          return all;
        };
        EXPECT_EQ(words(*before.program), words(*after.program)) << entry.path();
      }
    }
  }
}

}  // namespace
}  // namespace gdr::assembler
