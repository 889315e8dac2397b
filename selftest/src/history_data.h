// Words for the commands of histories: numbers of the size that kernels take, and now and then wild ones.
#pragma once

#include <random>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/selftest/history_programs.h"

namespace gdr::selftest {

class HistoryData {
 public:
  HistoryData(const HistoryProgram& program, std::uint64_t seed, bool wild)
      : program_(program), random_(seed), wild_(wild) {}

  /// A word for a variable or a parameter; `number` counts particles.
  [[nodiscard]] isa::LongWord word(const std::string& name, isa::Conversion conversion, unsigned number);
  /// `pes` PEs of a variable, [PE][word]. The last PE repeats its last elements, as boards fill it up.
  [[nodiscard]] std::vector<isa::LongWord> particles(const isa::Variable& variable, unsigned pes);
  /// j-records, one after another.
  [[nodiscard]] std::vector<isa::LongWord> records(unsigned first, unsigned count);
  [[nodiscard]] emulator::PeRegisters registers();
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

 private:
  [[nodiscard]] double number_of_any_size();

  const HistoryProgram& program_;
  std::mt19937_64 random_;
  bool wild_;
};

/// A number as the host converts it; cut off to a whole one where the conversion takes whole numbers alone.
[[nodiscard]] isa::LongWord word_of_value(isa::Conversion conversion, double value);

/// Words of one PE that hold a variable.
[[nodiscard]] emulator::PeWords words_of(const isa::Variable& variable);

}  // namespace gdr::selftest
