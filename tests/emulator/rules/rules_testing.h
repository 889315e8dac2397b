// Tiny programs in assembly, run on one engine: what the tests of the machine's rules share. The rules stand in
// docs/machine/machine.md; expected words are worked out by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines.h"
#include "gdr/isa/line.h"

namespace gdr::tests {

/// Assembles each line by itself and puts the words one behind the other. So a line may read what the one before
/// writes, which the assembler would refuse. A line of `fmull` belongs to the line before it.
[[nodiscard]] std::vector<isa::Line> lines_of(std::string_view assembly);

[[nodiscard]] inline isa::LongWord integer(isa::uint128 value) { return isa::LongWord::from_bits(value); }
/// A short integer, as chips take and give it: in the upper half of a long word.
[[nodiscard]] inline isa::LongWord short_integer(std::uint64_t value) { return isa::widen(isa::ShortWord{value}); }
[[nodiscard]] std::vector<isa::LongWord> integers(std::initializer_list<std::uint64_t> values);
/// A double as the long word of the same value.
[[nodiscard]] isa::LongWord floating(double value);

/// Lines of each section, and the length of the j-record that they read.
struct RulesProgram {
  std::vector<isa::Line> initialization;
  std::vector<isa::Line> loop_initialization;
  std::vector<isa::Line> body;
  std::vector<isa::Line> termination;
  unsigned record_words = 0;
};

class Rules : public testing::TestWithParam<ExactEngine> {
 protected:
  static constexpr unsigned kBlock = 5;

  void load(const RulesProgram& program);
  /// One run of the loop in all blocks over that many records, which `words` holds.
  void run(std::uint64_t records = 0, const std::vector<isa::LongWord>& words = {},
           unsigned live_pes = emulator::kPesPerBlock);
  /// A run in which every block has a record (of no words) in each iteration.
  void iterate(std::uint64_t iterations) { run(iterations * emulator::kBlocks); }
  /// Loads a program of these lines alone, after `set_up` has written what they read, and runs them once.
  template <class SetUp>
  void run_lines(std::string_view assembly, SetUp set_up) {
    load({{}, lines_of(assembly), {}, {}});
    set_up();
    run();
  }
  void run_lines(std::string_view assembly) {
    run_lines(assembly, [] {});
  }

  // Long words of the PEs and BM of block kBlock.
  void set_gpr(unsigned address, const std::vector<isa::LongWord>& words, unsigned pe = 0);
  void set_lm(unsigned address, const std::vector<isa::LongWord>& words, unsigned pe = 0);
  void set_bm(unsigned word, const std::vector<isa::LongWord>& words) { chip_->write_bm(kBlock, word, words); }
  [[nodiscard]] std::vector<isa::LongWord> gpr(unsigned address, unsigned count, unsigned pe = 0) const;
  [[nodiscard]] std::vector<isa::LongWord> lm(unsigned address, unsigned count, unsigned pe = 0) const;
  [[nodiscard]] isa::LongWord gpr(unsigned address) const { return gpr(address, 1).front(); }
  [[nodiscard]] isa::LongWord lm(unsigned address) const { return lm(address, 1).front(); }
  [[nodiscard]] isa::LongWord bm(unsigned word) const { return chip_->read_bm(kBlock, word, 1).front(); }
  [[nodiscard]] std::vector<isa::LongWord> t() const;
  /// Elements whose flag is set, as a string: `0110` says that it is set in elements 1 and 2.
  [[nodiscard]] std::string flag(unsigned number, unsigned pe = 0) const;
  [[nodiscard]] emulator::FpEvents events() const { return chip_->events(kBlock); }

  std::unique_ptr<emulator::Chip> chip_;

 private:
  unsigned record_words_ = 0;
};

}  // namespace gdr::tests
