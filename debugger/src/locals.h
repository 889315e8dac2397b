// Variables of a program in another language, which have a word only from the line that computes them to the one that
// needs the word for something else.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/debugger/symbols.h"
#include "gdr/isa/effects.h"
#include "gdr/isa/program.h"

namespace gdr::debugger {

class Locals {
 public:
  /// Keeps a reference to the program.
  explicit Locals(const isa::Program& program);

  struct Found {
    std::optional<Symbol> symbol;
    std::string missing;  // why there is none, to follow the name: not computed yet, or its word overwritten
  };

  /// A variable, or a member of one that the compiler may have left out.
  [[nodiscard]] bool knows(std::string_view name) const {
    return values_.contains(name) || values_.contains(name.substr(0, name.find('.')));
  }
  /// The word with the value of a known variable before a line of a section.
  [[nodiscard]] Found look_up(std::string_view name, isa::Section section, std::size_t line) const;
  /// Those that have a word there, in the order in which they are computed.
  [[nodiscard]] std::vector<Symbol> at(isa::Section section, std::size_t line) const;

 private:
  /// The line of a section that overwrites a word between two lines; nothing if none does.
  [[nodiscard]] std::optional<std::size_t> overwritten(const isa::Access& word, isa::Section section, std::size_t first,
                                                       std::size_t last) const;

  const isa::Program& program_;
  bool is_experiment_;
  std::map<std::string, std::vector<const isa::ComputedValue*>, std::less<>> values_;  // in the order of lines
  std::vector<std::string> names_;                                                     // in that order
  std::array<std::vector<isa::Effects>, isa::kSections> effects_;                      // of each line
};

}  // namespace gdr::debugger
