// Random histories. Counts are drawn at the boundaries of what engines divide: 16 blocks, vectors, packed groups.
#include <algorithm>
#include <array>
#include <random>

#include "gdr/selftest/history.h"
#include "gdr/selftest/history_programs.h"

namespace gdr::selftest {
namespace {

using emulator::kBlocks;
using emulator::kPesPerBlock;

// Compiling a random program takes longer than a history, so neighbouring seeds share a few of them.
constexpr std::uint64_t kSeedsThatShare = 512;
constexpr unsigned kSharedPrograms = 8;

class HistoryDraw {
 public:
  HistoryDraw(std::uint64_t seed, const HistoryShape& shape) : random_(seed), seed_(seed), shape_(shape) {}

  History history() {
    history_.face = shape_.faces[below(static_cast<unsigned>(shape_.faces.size()))];
    if (history_.face == FaceKind::session && one_in(2)) history_.chips = 1 + below(shape_.chips);
    if (one_in(3)) history_.threads = 1 + below(shape_.threads);
    history_.programs.push_back(program());
    if (one_in(4)) history_.programs.push_back(program());
    // Most histories keep to one number of live PEs, since only runs of the same number go on where the last one ended.
    usual_pes_ = one_in(8) ? 25 + below(4) : 1 + below(one_in(3) ? kPesPerBlock : 10);
    all_blocks_ = 1 + below(6);
    wild_one_in_ = one_in(3) ? 3 : 20;
    const unsigned length = 4 + below(30);
    while (history_.commands.size() < length) {
      history_.commands.push_back(command());
      const Ask last = history_.commands.back().what;
      if (last == Ask::run && one_in(4)) history_.commands.push_back(refused_next());
      if (last == Ask::particles && one_in(6)) history_.commands.push_back(fewer_next());
    }
    Command last;
    last.what = Ask::look;
    last.chips.count = history_.chips;
    history_.commands.push_back(last);
    return std::move(history_);
  }

 private:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  bool one_in(unsigned chances) { return below(chances) == 0; }

  std::string program() {
    if (!shape_.programs.empty()) return shape_.programs[below(static_cast<unsigned>(shape_.programs.size()))];
    const auto shared = seed_ / kSeedsThatShare * kSharedPrograms + below(kSharedPrograms);
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        return "packable " + std::to_string(shared);
      case 3:
        return (one_in(2) ? "lines " : "indexed ") + std::to_string(shared);
      default: {
        const std::vector<std::string>& kernels = one_in(16) ? slow_history_kernels() : quick_history_kernels();
        return kernels[below(static_cast<unsigned>(kernels.size()))];
      }
    }
  }

  Command command() {
    Command command;
    command.seed = random_() >> 40;
    command.pes = one_in(5) ? 1 + below(kPesPerBlock) : usual_pes_;
    command.chips = some_chips();
    if (below(all_blocks_) != 0) command.blocks = some_blocks();
    command.wild = one_in(wild_one_in_);
    command.what = kind();
    switch (command.what) {
      case Ask::particles:
        if (one_in(8)) command.pe = below(kPesPerBlock);
        break;
      case Ask::records:
        command.at = one_in(2) ? 0 : below(kHistoryRecords);
        command.count = records();
        break;
      case Ask::run:
        run(command);
        break;
      case Ask::collect:
        command.count = below(1000);
        break;
      case Ask::word:
      case Ask::registers:
      case Ask::read:
        command.pe = below(one_in(8) ? kPesPerBlock : usual_pes_);
        command.count = below(8);
        break;
      case Ask::parameter:
      case Ask::initialize:
      case Ask::look:
      case Ask::events:
      case Ask::clone:
      case Ask::patch:
      case Ask::load:
      case Ask::other:
      case Ask::refused:
      case Ask::stops:
        command.count = below(8);
        break;
    }
    return command;
  }

  /// The run before once more, on numbers that compiled code may refuse after it has begun to go on.
  Command refused_next() {
    Command command = history_.commands.back();
    command.seed = random_() >> 40;
    command.wild = true;
    return command;
  }

  /// Particles for some of the PEs that have just got others.
  Command fewer_next() {
    Command command = history_.commands.back();
    command.seed = random_() >> 40;
    command.pes = 1 + below(std::max(command.pes, 1U));
    return command;
  }

  void run(Command& command) {
    if (!one_in(4)) command.blocks = {0, kBlocks};
    command.count = records();
    command.parts = one_in(3) ? 1 + below(5) : 1;
    command.piece = one_in(12) ? 2 * (1 + below(3)) : 0;
    command.again = one_in(4);
    if (command.again && one_in(3)) command.at = below(kHistoryRecords / 2);
    command.goes_on = one_in(24);
    command.continues = one_in(24) || is_open_;
    is_open_ = command.goes_on;
    if (one_in(100)) command.pes = 0;
  }

  unsigned records() {
    constexpr std::array<unsigned, 16> kCounts{0, 1, 15, 16, 17, 32, 33, 48, 63, 64, 65, 66, 80, 127, 128, 129};
    return one_in(8) ? below(200) : kCounts[below(static_cast<unsigned>(kCounts.size()))];
  }

  emulator::BlockRange some_blocks() {
    const unsigned first = below(kBlocks);
    return {first, 1 + below(kBlocks - first)};
  }
  emulator::ChipRange some_chips() {
    if (!one_in(3)) return {0, history_.chips};
    const unsigned first = below(history_.chips);
    return {first, 1 + below(history_.chips - first)};
  }

  Ask kind() {
    // A look settles what an engine has left elsewhere, and so hides errors: few commands look.
    switch (below(20)) {
      case 0:
      case 1:
        return Ask::particles;
      case 2:
        return one_in(3) ? Ask::records : Ask::word;
      case 3:
        return Ask::parameter;
      case 4:
        return one_in(3) ? Ask::read : Ask::registers;
      case 5:
        return one_in(3) ? Ask::initialize : Ask::particles;
      case 6:
      case 7:
      case 8:
        return Ask::collect;
      case 9:
      case 10:
        return Ask::look;
      case 11:
        return one_in(2) ? Ask::clone : Ask::events;
      case 12:
        return one_in(4) ? Ask::load : Ask::patch;
      case 13:
        return one_in(3) ? Ask::other : one_in(2) ? Ask::refused : one_in(4) ? Ask::stops : Ask::run;
      default:
        return Ask::run;
    }
  }

  std::mt19937_64 random_;
  std::uint64_t seed_;
  const HistoryShape& shape_;
  History history_;
  unsigned usual_pes_ = 1;
  unsigned all_blocks_ = 1;
  unsigned wild_one_in_ = 20;
  bool is_open_ = false;
};

}  // namespace

History random_history(std::uint64_t seed, const HistoryShape& shape) { return HistoryDraw(seed, shape).history(); }

}  // namespace gdr::selftest
