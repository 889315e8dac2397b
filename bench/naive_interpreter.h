// What the engine is measured against: a scalar interpreter of the same microprogram, one PE, one element and one
// switch at a time, with 128-bit integers for the arithmetic. It takes legal programs (nobody reads what has not
// landed), so it writes at once, and knows what gravity needs: no stores to BM, no indirect addresses.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gdr/emulator/chip.h"

namespace gdr::bench {

class NaiveInterpreter {
 public:
  /// Throws Error for a line that it does not know.
  explicit NaiveInterpreter(const isa::Program& program);

  void write_pe(unsigned pe, const emulator::PeWords& where, std::span<const isa::LongWord> words);
  void write_bm(unsigned address, std::span<const isa::LongWord> words);
  [[nodiscard]] std::vector<isa::LongWord> read_pe(unsigned pe, const emulator::PeWords& where) const;

  /// Loop initialization, the body for each record of block 0, loop termination.
  void run(const emulator::RecordStream& stream);

  /// Operations of units in one iteration of the body, times elements and PEs.
  [[nodiscard]] std::uint64_t pe_operations_per_iteration() const;

 private:
  struct Pe {
    std::array<isa::ShortWord, isa::kGprShortWords> gpr{};
    std::array<isa::ShortWord, isa::kLmShortWords> lm{};
    std::array<isa::LongWord, isa::kVectorElements> t{};
    std::array<std::uint8_t, isa::kVectorElements> flags{};
  };

  void section(isa::Section section);
  void line(const isa::Line& line);
  [[nodiscard]] isa::LongWord operand(const isa::Line& line, isa::Source source, Pe& pe, unsigned element,
                                      isa::Width width) const;
  void write(const isa::Line& line, isa::Unit unit, isa::LongWord value, Pe& pe, unsigned element,
             std::uint8_t flags) const;

  std::array<std::vector<isa::Line>, isa::kSections> code_;
  std::array<Pe, emulator::kPesPerBlock> pes_{};
  std::array<isa::ShortWord, isa::kBmShortWords> bm_{};
  bool jvalid_ = true;
  unsigned record_base_ = 0;
};

}  // namespace gdr::bench
