// What the engine is measured against: a scalar interpreter of the same microprogram, one PE, one element and one
// switch at a time, with 128-bit integers for the arithmetic, written to be as fast as that can be: lines are taken
// apart once, and all of it is in one translation unit. It takes legal programs (nobody reads what has not landed), so
// it writes at once, and knows what gravity needs: no stores to BM, no indirect addresses, no identifiers.
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
  static constexpr unsigned kLm = isa::kGprShortWords;
  static constexpr unsigned kT = kLm + isa::kLmShortWords;

  struct Pe {
    std::array<std::uint64_t, kT + isa::kTShortWords> words{};  // short ones
    std::array<std::uint8_t, isa::kVectorElements> flags{};
  };

  enum class Base : std::uint8_t { pe, bm, record, immediate };
  struct Place {
    Base base = Base::pe;
    isa::Width width = isa::Width::long_word;
    std::uint16_t address = 0;
    std::uint16_t step = 0;  // short words per element
  };
  struct Operation {
    isa::Op op = isa::Op::NOP;
    isa::Width width = isa::Width::long_word;
    bool negate_a = false;
    bool negate_b = false;
    Place a;
    Place b;
    isa::FlagWrite flag;
  };
  struct Write {
    std::uint8_t operation = 0;
    Place place;
    isa::Predicate predicate;
  };
  struct Step {
    unsigned elements = 1;
    isa::Mask mask;
    std::array<std::uint64_t, 2> immediate{};
    std::vector<Operation> operations;
    std::vector<Write> writes;
    bool writes_flags = false;
  };

  static Step step_of(const isa::Line& line);
  static Place place_of(const isa::Line& line, isa::Source source);
  void section(isa::Section section);
  void run(const Step& step, Pe& pe) const;

  std::array<std::vector<Step>, isa::kSections> code_;
  std::array<Pe, emulator::kPesPerBlock> pes_{};
  std::array<std::uint64_t, isa::kBmShortWords> bm_{};
  unsigned record_base_ = 0;
  std::uint64_t operations_ = 0;
};

}  // namespace gdr::bench
