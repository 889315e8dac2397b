// What the assembler's tests share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/isa/line.h"

namespace gdr::assembler::testing {

/// The program, or a test failure that shows the diagnostics.
inline isa::Program assembled(std::string_view text, const AssembleOptions& options = {}) {
  const AssembleResult result = assemble(text, "test.vsm", options);
  EXPECT_TRUE(result.program) << format_diagnostics(result) << "\nin\n" << text;
  return result.program.value_or(isa::Program());
}

/// Assembly text of a section's lines.
inline std::vector<std::string> printed(const isa::Program& program, isa::Section section = isa::Section::loop_body) {
  std::vector<std::string> lines;
  for (const isa::ProgramLine& line : program.lines(section)) lines.push_back(isa::print(isa::decoded(line.word)));
  return lines;
}

/// Numbers of the errors and warnings, in order; notes are left out.
inline std::vector<unsigned> numbers_of(const AssembleResult& result) {
  std::vector<unsigned> numbers;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity != Severity::note) numbers.push_back(diagnostic.number);
  }
  return numbers;
}

}  // namespace gdr::assembler::testing
