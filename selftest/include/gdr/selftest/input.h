// Random inputs: a program with the data and runs that it is tested with, all determined by one seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/selftest/random_program.h"

namespace gdr::selftest {

using isa::LongWord;

/// A program with its input: the contents of registers and memories, the ranges of blocks that execute it together, and
/// the runs of its loop, one after the other.
struct Input {
  struct Run {
    std::uint64_t records = 0;
    unsigned live_pes = emulator::kPesPerBlock;
    std::uint64_t piece = 0;  // iterations in each piece except the last, an even number; 0: one piece
  };
  isa::Program program;
  std::vector<emulator::BlockRange> ranges;  // ranges without a common block, the same on every chip
  std::vector<Run> runs;                     // runs of each range; PEs that are not live in one run are not live later
  std::uint64_t seed = 1;                    // seed of the data
  unsigned chips = 1;
};

/// The program, data and runs for `seed`. Consecutive seeds differ in kind: with and without moves, addresses from T,
/// records of 0 to 8 words, hazards. The number of chips is 1 to `most_chips`.
[[nodiscard]] Input random_input(std::uint64_t seed, unsigned most_chips = 1);

/// If the engines take turns, the index of the one that runs the program of this seed. Each engine gets programs of all
/// kinds.
[[nodiscard]] std::size_t turn_of(std::uint64_t seed, std::size_t engines);

/// True if lockstep runs the program of this seed. Lockstep copies whole chips before each run, so it gets only one of
/// 32 programs of each kind.
[[nodiscard]] bool is_for_lockstep(std::uint64_t seed);

/// The program with i-particles at InputData::kParticleAddress and, unless it collects results itself, with results in
/// the PEs.
[[nodiscard]] isa::Program with_variables(isa::Program program);

/// Everything but the data, as text.
[[nodiscard]] std::string text_of(const Input& input);

/// The words of an input, drawn once and used for all engines.
class InputData {
 public:
  explicit InputData(const Input& input);

  /// Broadcast memory of a block in a range, from address 0 on.
  [[nodiscard]] const std::vector<LongWord>& bm(unsigned chip, unsigned block) const { return at(chip, block).bm; }

  struct PeData {
    std::vector<LongWord> gpr;     // long words from $lr0 on
    std::vector<LongWord> lm;      // long words from $lm0 on
    std::vector<LongWord> shorts;  // short words from $r5 on, written over `gpr`
  };
  static constexpr unsigned kFirstShort = 5;
  [[nodiscard]] const PeData& pe(unsigned chip, unsigned block, unsigned pe) const { return at(chip, block).pes[pe]; }

  /// i-data of a run: four long words for each live PE, from kParticleAddress on, the same in all blocks.
  static constexpr std::uint16_t kParticleAddress = 8;
  [[nodiscard]] const std::vector<LongWord>& particles(std::size_t run) const { return particles_[run]; }
  /// j-records of a run, one after another.
  [[nodiscard]] const std::vector<LongWord>& records(unsigned chip, std::size_t run) const {
    return records_[chip][run];
  }

 private:
  struct Block {
    std::vector<LongWord> bm;
    std::vector<PeData> pes;
  };
  [[nodiscard]] const Block& at(unsigned chip, unsigned block) const { return blocks_[chip][block]; }

  std::vector<std::vector<Block>> blocks_;  // [chip][block]; empty for blocks outside the ranges
  std::vector<std::vector<LongWord>> particles_;
  std::vector<std::vector<std::vector<LongWord>>> records_;  // [chip][run]
};

/// A piece of a run: iterations `first` to `first + count - 1`.
struct PieceOfRun {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t records = 0;
  bool begins = true;
  bool ends = true;
};
[[nodiscard]] std::vector<PieceOfRun> pieces_of(const Input::Run& run);

}  // namespace gdr::selftest
