// Results whose words of different blocks and chips stay apart: each word comes from the place that the order names, on
// every engine, with any number of chips, boards and threads. Expected words are sums written out here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string_view>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/emulator/opencl.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/table.h"
#include "slowed_down.h"

namespace gdr::blocks_apart {
namespace {

constexpr std::size_t kElements = isa::kVectorElements;
constexpr std::size_t kBlocks = emulator::kBlocks;
constexpr std::size_t kPes = emulator::kPesPerBlock;
constexpr std::size_t kOneBlock = 5;  // that a turn reads

/// Each turn: number of PE and block of block 5, then x + y of every element of every PE. In the end the number of
/// block 15. With `sum` also the sum of PE 31's x + y over blocks and chips.
std::string kernel(bool with_sum) {
  return std::string(R"(kernel apart
const one = 5
bvar long y elt
bvar vector long own[32] rrn flt72to64
bvar vector long number rrn fix72to64
)") + (with_sum ? "bvar vector long sum rrn flt72to64 fadd\n" : "") +
         R"(var vector long x hlt
loop initialization
  transfer
  uadd $peid $bbid $lr8v
  nop
loop body
  transfer
  fadd x y $lr0v
  bm $lr8v number @2
  nop
  collect number block one
  repeat p = 0..31
    bm $lr0v own[p] @{p}
  end
)" + (with_sum ? "  bm $lr0v sum @31\n" : "") +
         R"(  nop
  collect own block each
)" + (with_sum ? "  collect sum\n" : "") +
         R"(loop termination
  collect number block (3 * one)
)";
}

double x_of(std::size_t record) { return 1000.0 * static_cast<double>(record + 1); }
double y_of(std::size_t record) { return static_cast<double>(record % 977); }

struct Board {
  std::string engine;
  std::string machine;
  unsigned boards = 1;
  unsigned threads = 1;
};

class OnBoards {
 public:
  OnBoards(const Board& setup, bool with_sum) : device_(options(setup)), with_sum_(with_sum) {
    const assembler::AssembleResult result = assembler::assemble(kernel(with_sum), "apart.vsm");
    if (!result.program) throw Error(assembler::format_diagnostics(result));
    device_.load(*result.program);
    chips_ = device_.chips();
  }

  [[nodiscard]] std::vector<std::uint64_t> run(std::size_t turns) {
    std::vector<std::uint64_t> records;
    for (std::size_t k = 0; k < turns * kBlocks * chips_; ++k) records.push_back(std::bit_cast<std::uint64_t>(y_of(k)));
    device_.write_j(0, records);
    std::vector<std::uint64_t> particles;
    for (std::size_t n = 0; n < chips_ * kBlocks * kPes * kElements; ++n) {
      particles.push_back(std::bit_cast<std::uint64_t>(x_of(n)));
    }
    return device_.run(particles, turns);
  }

  [[nodiscard]] double sum_at(std::size_t turn, std::size_t chip, std::size_t block, std::size_t pe,
                              std::size_t element) const {
    const std::size_t particle = ((chip * kBlocks + block) * kPes + pe) * kElements + element;
    return x_of(particle) + y_of((turn * kBlocks + block) * chips_ + chip);
  }

  [[nodiscard]] std::vector<std::uint64_t> expected(std::size_t turns) const {
    std::vector<std::uint64_t> words;
    const auto add_numbers = [&](std::size_t block) {
      for (std::size_t n = 0; n < chips_ * kElements; ++n) words.push_back(2 + block);
    };
    for (std::size_t turn = 0; turn < turns; ++turn) {
      add_numbers(kOneBlock);
      for (std::size_t chip = 0; chip < chips_; ++chip) {
        for (std::size_t block = 0; block < kBlocks; ++block) {
          for (std::size_t n = 0; n < kPes * kElements; ++n) {
            words.push_back(std::bit_cast<std::uint64_t>(sum_at(turn, chip, block, n / kElements, n % kElements)));
          }
        }
      }
      for (std::size_t element = 0; with_sum_ && element < kElements; ++element) {
        double sum = 0;
        for (std::size_t chip = 0; chip < chips_; ++chip) {
          for (std::size_t block = 0; block < kBlocks; ++block) sum += sum_at(turn, chip, block, kPes - 1, element);
        }
        words.push_back(std::bit_cast<std::uint64_t>(sum));
      }
    }
    add_numbers(3 * kOneBlock);
    return words;
  }

  Device device_;

 private:
  static DeviceOptions options(const Board& setup) {
    DeviceOptions chosen;
    chosen.engine = setup.engine;
    chosen.machine = setup.machine;
    chosen.boards = setup.boards;
    chosen.threads = setup.threads;
    return chosen;
  }
  bool with_sum_;
  std::size_t chips_ = 0;
};

std::vector<Board> setups() {
  std::vector<Board> all;
  std::vector<std::string_view> engines{emulator::Engine::reference, emulator::Engine::simd};
  if (!tests::kSlowedDown) engines.push_back(emulator::Engine::lockstep);  // both once more
  for (const std::string_view engine : engines) {
    all.push_back({std::string(engine), "model450", 1, 1});
    all.push_back({std::string(engine), "model1800", 1, 3});
  }
  all.push_back({"simd", "model1800", 2, 1});
  all.push_back({"simd", "model450", 3, 2});
  all.push_back({"native", "model1800", 1, 2});
  return all;
}

constexpr std::size_t kTurns = 9;  // more than one piece of a run

TEST(BlocksApart, EachWordIsThatOfItsOwnChipBlockPeAndElement) {
  for (const Board& setup : setups()) {
    OnBoards boards(setup, false);
    const bool equal = boards.run(kTurns) == boards.expected(kTurns);
    EXPECT_TRUE(equal) << setup.engine << ' ' << setup.machine << ' ' << setup.boards << " boards";
  }
}

TEST(BlocksApart, StandBesideWordsThatChipsAdd) {
  for (const Board& setup : setups()) {
    if (setup.boards > 1) continue;
    OnBoards boards(setup, true);
    const bool equal = boards.run(kTurns) == boards.expected(kTurns);
    EXPECT_TRUE(equal) << setup.engine << ' ' << setup.machine;
  }
}

TEST(BlocksApart, ComeFromADeviceThatHasOpenCl) {
  try {
    OnBoards boards({"opencl", "model1800", 1, 1}, true);
    const bool equal = boards.run(kTurns) == boards.expected(kTurns);
    EXPECT_TRUE(equal);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
}

TEST(BlocksApart, AreCountedAsSentByEveryChipAndAddedByNoRing) {
  OnBoards boards({"simd", "model1800", 1, 1}, false);
  const emulator::Counters before = boards.device_.counters();
  static_cast<void>(boards.run(1));
  const emulator::Counters after = boards.device_.counters();
  constexpr std::uint64_t kWords = kElements + kBlocks * kPes * kElements + kElements;
  EXPECT_EQ(after.odp_words - before.odp_words, 4 * kWords);
  EXPECT_EQ(after.host_bytes_out - before.host_bytes_out, 4 * kWords * sizeof(std::uint64_t));
  EXPECT_EQ(after.ring_words, before.ring_words);
}

TEST(BlocksApart, AreRefusedOnSeveralBoardsBesideWordsThatARingAdds) {
  OnBoards boards({"simd", "model450", 2, 1}, true);
  try {
    static_cast<void>(boards.run(1));
    ADD_FAILURE() << "nothing adds the boards' sums";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("runs on one board, whose ring adds its results, unless all"));
  }
}

TEST(BlocksApart, HaveATableThatNamesTheirPlaces) {
  OnBoards boards({"simd", "model1800", 1, 1}, true);
  const std::vector<std::uint64_t> words = boards.run(2);
  const hostlib::Table table = hostlib::collected_table(boards.device_.program(), 2, words, 4);
  std::vector<std::string> names;
  for (const hostlib::Column& column : table.columns()) names.push_back(column.name);
  EXPECT_THAT(names, testing::ElementsAre("turn", "variable", "chip", "block", "pe", "entry", "element", "value"));
  const auto whole = [&](std::size_t column, std::size_t row) {
    return std::get<std::vector<std::int64_t>>(table.columns()[column].numbers)[row];
  };
  const auto& values = std::get<std::vector<double>>(table.columns().back().numbers);
  std::size_t own = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (whole(1, row) == 2) {  // sum
      EXPECT_EQ(whole(2, row), -1);
      EXPECT_EQ(whole(3, row), -1);
    }
    if (whole(1, row) != 0) continue;
    ++own;
    ASSERT_EQ(values[row],
              boards.sum_at(static_cast<std::size_t>(whole(0, row)), static_cast<std::size_t>(whole(2, row)),
                            static_cast<std::size_t>(whole(3, row)), static_cast<std::size_t>(whole(4, row)),
                            static_cast<std::size_t>(whole(6, row))))
        << "row " << row;
  }
  EXPECT_EQ(own, 2 * 4 * kBlocks * kPes * kElements);
}

/// A result of Type I that is read from one block: x_i + y_j of the last record of the block.
TEST(BlocksApart, AKernelOfTypeOneReadsOneBlock) {
  for (const std::string_view engine :
       {emulator::Engine::reference, emulator::Engine::simd, emulator::Engine::lockstep}) {
    for (const unsigned block : {0U, 1U, 9U, 15U}) {
      const std::string source =
          "kernel chosen\nbvar long y elt\nvar vector long x hlt\nvar vector long seen rrn flt72to64 select " +
          std::to_string(block) + "\nloop initialization\n  fpassa x seen\n  nop\nloop body\n  fadd x y seen\n";
      const assembler::AssembleResult result = assembler::assemble(source, "chosen.vsm");
      ASSERT_TRUE(result.program) << assembler::format_diagnostics(result);
      DeviceOptions options;
      options.engine = engine;
      Device device(options);
      device.load(*result.program);
      // Two turns of the first chip, less one record: block 15 keeps what its first record gave.
      const std::size_t chips = device.chips();
      std::vector<std::uint64_t> records;
      for (std::size_t k = 0; k < (2 * kBlocks - 1) * chips; ++k) {
        records.push_back(std::bit_cast<std::uint64_t>(y_of(k)));
      }
      device.write_j(0, records);
      std::vector<std::uint64_t> particles;
      for (std::size_t n = 0; n < 131; ++n) particles.push_back(std::bit_cast<std::uint64_t>(x_of(n)));
      const std::size_t last = (block == 15 ? 0 : kBlocks) + block;  // record of the first chip
      std::vector<std::uint64_t> expected;
      for (std::size_t n = 0; n < particles.size(); ++n) {
        expected.push_back(std::bit_cast<std::uint64_t>(x_of(n) + y_of(last * chips)));
      }
      EXPECT_EQ(device.run(particles, records.size()), expected) << engine << ", block " << block;
    }
  }
}

}  // namespace
}  // namespace gdr::blocks_apart
