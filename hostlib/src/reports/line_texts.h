// Text of the lines of a program, as in its source, for profiles and traces.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gdr/isa/program.h"

namespace gdr::hostlib {

class LineTexts {
 public:
  explicit LineTexts(const isa::Program& program) : program_(program) {}

  /// Text of line `number` of a section: the source text, with braces expanded and arguments inserted; the disassembled
  /// word if the source cannot be read; or a note that the line only waits.
  [[nodiscard]] std::string text(isa::Section section, std::size_t number);
  /// The same after its place, without the folder: `math.vsm:68: fmul y y $t`.
  [[nodiscard]] std::string placed(isa::Section section, std::size_t number);

 private:
  [[nodiscard]] const std::vector<std::string>& source(std::uint32_t file);
  [[nodiscard]] const std::vector<isa::ProgramLine>& lines(isa::Section section);

  const isa::Program& program_;
  std::map<std::uint32_t, std::vector<std::string>> sources_;
  std::map<isa::Section, std::vector<isa::ProgramLine>> lines_;
};

}  // namespace gdr::hostlib
