// Random programs for comparing engines. Their lines decode, use every operation and operand kind, and may have
// hazards; moves of data stand between them. The sequence depends only on the seed.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gdr/isa/program.h"

namespace gdr::selftest {

/// Limits for the lines of a random program.
struct ProgramShape {
  unsigned record_words = 8;  // long words in a record; 0: no line reads a record
  bool indirect = false;      // local memory is addressed through T, which then mostly holds small numbers
  unsigned registers = 24;    // short words of GPR, and of LM, that lines use; few of them make hazards
  bool moves = false;         // transfers and collects, of words that lines store to
};

class RandomPrograms {
 public:
  explicit RandomPrograms(std::uint64_t seed) : random_(seed) {}

  /// A program with all four sections, each of at most `most_lines` lines.
  [[nodiscard]] isa::Program next(const ProgramShape& shape, unsigned most_lines);
  /// One line that uses `op`, for a section in which it works, after the lines that make it legal.
  [[nodiscard]] std::vector<isa::Line> lines_with(isa::Op op, isa::Section section, const ProgramShape& shape);

  /// A random word of one of many kinds: floating-point numbers of all sizes, special ones, small integers, any bits.
  [[nodiscard]] isa::LongWord word();

  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  [[nodiscard]] bool one_in(unsigned chances) { return below(chances) == 0; }

 private:
  [[nodiscard]] isa::Line draft(isa::Section section, const ProgramShape& shape, std::optional<isa::Op> wanted);
  [[nodiscard]] isa::Slot slot(isa::Unit unit, isa::Op op, const isa::Line& line);
  void add_moves(isa::Program& program, const ProgramShape& shape);
  void choose_ports(isa::Line& line, const ProgramShape& shape);
  void choose_bm(isa::Line& line, isa::Section section, const ProgramShape& shape);
  void choose_targets(isa::Line& line, const ProgramShape& shape);
  [[nodiscard]] isa::Predicate predicate();
  [[nodiscard]] std::uint16_t address(unsigned words, isa::Width width, bool vector, unsigned vlen);
  [[nodiscard]] isa::Width width() { return one_in(2) ? isa::Width::long_word : isa::Width::short_word; }
  [[nodiscard]] isa::LongWord number(isa::Width width);

  std::mt19937_64 random_;
};

/// The lines as the code of a section.
[[nodiscard]] std::vector<isa::Step> code_of(const std::vector<isa::Line>& lines);

/// All programs that are `program` without one step, or without two neighbouring steps such as the lines of a long
/// product.
[[nodiscard]] std::vector<isa::Program> programs_without_a_step(const isa::Program& program);

/// Assembly text of all sections.
[[nodiscard]] std::string text_of(const isa::Program& program);

}  // namespace gdr::selftest
