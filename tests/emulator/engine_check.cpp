#include "engine_check.h"

#include <fmt/format.h>

#include <optional>

namespace gdr::tests {
namespace {

using emulator::Chip;
using emulator::Fault;
using isa::Line;
using isa::LongWord;
using isa::Source;
using isa::Unit;
using isa::Width;

struct BlockResult {
  std::vector<std::vector<LongWord>> pes;  // live ones: GPR, then LM, as long words
  emulator::FpEvents events;
  struct Refusal {
    emulator::FaultKind kind;
    isa::Section section;
    std::size_t line;
    friend bool operator==(const Refusal&, const Refusal&) = default;
  };
  std::optional<Refusal> fault;
};

constexpr emulator::PeWords kAllGpr{isa::Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2};
constexpr emulator::PeWords kAllLm{isa::Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2};

std::vector<LongWord> words(RandomPrograms& random, std::size_t count) {
  std::vector<LongWord> drawn;
  for (std::size_t n = 0; n < count; ++n) drawn.push_back(random.word());
  return drawn;
}

BlockResult run_block(Chip& chip, const EngineInput& input, unsigned block) {
  RandomPrograms random(input.seed * 100 + block);
  BlockResult result;
  try {
    chip.write_bm(block, 0, words(random, 64));
    for (unsigned pe = 0; pe < emulator::kPesPerBlock; ++pe) {
      // The words that lines use; half of them written as short ones.
      emulator::PeWords some{isa::Memory::gpr, 0, Width::long_word, 16};
      chip.write_pe(block, pe, some, words(random, 16));
      some.memory = isa::Memory::lm;
      chip.write_pe(block, pe, some, words(random, 16));
      std::vector<LongWord> shorts = words(random, 8);
      for (LongWord& word : shorts) word = isa::widen(word.upper());
      chip.write_pe(block, pe, {isa::Memory::gpr, 5, Width::short_word, 8}, shorts);
    }
    chip.run_initialization(block);
    for (const EngineInput::Run& run : input.runs) {
      RandomPrograms of_stream(input.seed + run.records);
      const std::vector<LongWord> records = words(of_stream, run.records * input.program.record_words);
      chip.run_loop({block, 1}, {{records, input.program.record_words, run.records}, run.live_pes});
    }
  } catch (const Fault& fault) {
    result.fault = {fault.kind(), fault.section(), fault.line()};
    return result;
  }
  const unsigned live = input.runs.empty() ? emulator::kPesPerBlock : input.runs.back().live_pes;
  for (unsigned pe = 0; pe < live; ++pe) {
    std::vector<LongWord> state = chip.read_pe(block, pe, kAllGpr);
    const std::vector<LongWord> lm = chip.read_pe(block, pe, kAllLm);
    state.insert(state.end(), lm.begin(), lm.end());
    result.pes.push_back(state);
  }
  result.events = chip.events(block);
  return result;
}

std::string place_of(std::size_t word) {
  return word < isa::kGprShortWords / 2 ? fmt::format("$lr{}", 2 * word)
                                        : fmt::format("$lm{}", 2 * (word - isa::kGprShortWords / 2));
}

testing::AssertionResult equal(const BlockResult& expected, const BlockResult& found) {
  if (expected.fault != found.fault) {
    return testing::AssertionFailure() << "only one engine faults, or they fault differently: expected "
                                       << (expected.fault ? fmt::format("line {}", expected.fault->line) : "none")
                                       << ", found "
                                       << (found.fault ? fmt::format("line {}", found.fault->line) : "none");
  }
  for (std::size_t pe = 0; pe < expected.pes.size(); ++pe) {
    for (std::size_t word = 0; word < expected.pes[pe].size(); ++word) {
      if (expected.pes[pe][word] == found.pes[pe][word]) continue;
      return testing::AssertionFailure() << "PE " << pe << ", " << place_of(word) << ": expected "
                                         << isa::to_hex(expected.pes[pe][word]) << ", found "
                                         << isa::to_hex(found.pes[pe][word]);
    }
  }
  if (expected.events != found.events) {
    const auto text = [](const emulator::FpEvents& events) {
      return fmt::format("invalid {}, overflow {}, underflow {}", events.invalid, events.overflow, events.underflow);
    };
    return testing::AssertionFailure() << "events: expected " << text(expected.events) << ", found "
                                       << text(found.events);
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult check(const EngineInput& input, const std::vector<emulator::HostIsa>& isas) {
  const auto reference = emulator::make_reference_chip();
  reference->load(input.program);
  std::vector<BlockResult> expected;
  for (const unsigned block : input.blocks) expected.push_back(run_block(*reference, input, block));
  for (const emulator::HostIsa isa : isas) {
    const auto chip = emulator::make_simd_chip(isa);
    chip->load(input.program);
    for (std::size_t n = 0; n < input.blocks.size(); ++n) {
      const testing::AssertionResult result = equal(expected[n], run_block(*chip, input, input.blocks[n]));
      if (!result) {
        return testing::AssertionFailure()
               << emulator::name_of(isa) << ", block " << input.blocks[n] << ", " << result.message() << "\n"
               << text_of(input.program);
      }
    }
  }
  return testing::AssertionSuccess();
}

/// The input less every line, record run and block that the difference does not need.
EngineInput shrunk(EngineInput input, const std::vector<emulator::HostIsa>& isas) {
  const auto still_differs = [&](const EngineInput& smaller) -> bool {
    try {
      return !check(smaller, isas);
    } catch (const Fault&) {  // no longer a program
      return false;
    }
  };
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (auto& section : input.program.sections) {
      for (std::size_t first = 0; first < section.size();) {
        bool removed = false;
        for (const std::size_t count : {std::size_t{1}, std::size_t{2}}) {  // two: a long product's lines
          if (removed || first + count > section.size()) continue;
          const auto before = section;
          section.erase(section.begin() + static_cast<std::ptrdiff_t>(first),
                        section.begin() + static_cast<std::ptrdiff_t>(first + count));
          removed = still_differs(input);
          if (!removed) section = before;
        }
        smaller = smaller || removed;
        if (!removed) ++first;
      }
    }
  }
  return input;
}

}  // namespace

std::vector<Line> dump_lines() {
  std::vector<Line> lines;
  const auto into_lm = [&](Line line, Unit unit, unsigned address) {
    line.vlen = isa::kVectorElements;
    line.lm_write = {unit, static_cast<std::uint16_t>(address), true, false, {}};
    lines.push_back(line);
  };
  const auto pass = [](Source source, Width width) {
    Line line;
    line.alu.op = isa::Op::UPASSA;
    line.alu.a = source;
    line.alu.width = width;
    return line;
  };
  unsigned address = kDumpAddress;
  into_lm(pass(Source::t_long, Width::long_word), Unit::alu, address);
  address += 2 * isa::kVectorElements;
  for (unsigned flag = 1; flag <= isa::kFlags; ++flag) {
    Line line = pass(Source::immediate, Width::short_word);
    into_lm(line, Unit::alu, address);
    line.immediate.value = isa::widen(isa::ShortWord{1});
    line.mask.flag = static_cast<std::uint8_t>(flag);
    into_lm(line, Unit::alu, address);
    address += isa::kVectorElements;
  }
  for (unsigned word = 0; word < 64; word += 2 * isa::kVectorElements) {
    Line line;
    line.bm.mode = isa::BmMode::read;
    line.bm.address = static_cast<std::uint16_t>(word);
    line.bm.width = Width::long_word;
    line.bm.vector = true;
    into_lm(line, Unit::bm, address);
    address += 2 * isa::kVectorElements;
  }
  return lines;
}

testing::AssertionResult engines_agree(const EngineInput& input, emulator::HostIsa isa) { return check(input, {isa}); }
testing::AssertionResult engines_agree(const EngineInput& input) {
  const std::vector<emulator::HostIsa> isas = emulator::available_host_isas();
  const testing::AssertionResult result = check(input, isas);
  return result ? result : check(shrunk(input, isas), isas);
}

}  // namespace gdr::tests
