// Lines of a program as a reader of its source knows them, for profiles and traces.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gdr/isa/program.h"

namespace gdr::hostlib {

class LineTexts {
 public:
  explicit LineTexts(const isa::Program& program) : program_(program) {}

  /// Of line `number` of a section: the source's text with braces and arguments put in, what the word says where the
  /// source cannot be read, or that the line waits.
  [[nodiscard]] std::string text(isa::Section section, std::size_t number);
  /// The same behind its place, without the folder: `math.vsm:68: fmul y y $t`.
  [[nodiscard]] std::string placed(isa::Section section, std::size_t number);

 private:
  [[nodiscard]] const std::vector<std::string>& source(std::uint32_t file);
  [[nodiscard]] const std::vector<isa::ProgramLine>& lines(isa::Section section);

  const isa::Program& program_;
  std::map<std::uint32_t, std::vector<std::string>> sources_;
  std::map<isa::Section, std::vector<isa::ProgramLine>> lines_;
};

}  // namespace gdr::hostlib
