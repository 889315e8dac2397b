#include "engine_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace gdr::tests {
namespace {

using emulator::BlockRange;
using emulator::Chip;
using emulator::Fault;
using isa::Line;
using isa::LongWord;
using isa::Source;
using isa::Unit;
using isa::Width;

constexpr emulator::PeWords kAllGpr{isa::Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2};
constexpr emulator::PeWords kAllLm{isa::Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2};

/// What a host sees of a range of blocks.
struct RangeResult {
  struct Refusal {
    emulator::FaultKind kind;
    isa::Section section;
    std::size_t line;
    friend bool operator==(const Refusal&, const Refusal&) = default;
  };
  struct Block {
    std::vector<std::vector<LongWord>> pes;  // live ones: GPR, then LM, as long words
    std::vector<emulator::PeRegisters> registers;
    std::vector<LongWord> bm;
    emulator::FpEvents events;
  };
  std::optional<Refusal> fault;
  std::vector<Block> blocks;        // nothing after a fault
  std::vector<LongWord> collected;  // run after run, piece after piece, block after block
};

std::vector<LongWord> words(RandomPrograms& random, std::size_t count) {
  std::vector<LongWord> drawn;
  for (std::size_t n = 0; n < count; ++n) drawn.push_back(random.word());
  return drawn;
}

void write_data(Chip& chip, unsigned block, std::uint64_t seed) {
  RandomPrograms random(seed * 100 + block);
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
}

/// i-data, as the control processor sends it: the same to every block, for the live PEs alone.
void write_particles(Chip& chip, unsigned live_pes, std::uint64_t seed) {
  RandomPrograms random(seed);
  const emulator::PeWords where{isa::Memory::lm, 8, Width::long_word, isa::kVectorElements};
  chip.write_pes({0, emulator::kBlocks}, 0, where, words(random, live_pes * isa::kVectorElements));
}

void run_loop(Chip& chip, BlockRange range, const EngineInput& input, const EngineInput::Run& run,
              std::vector<LongWord>& collected) {
  const unsigned record_words = input.program.record_words;
  RandomPrograms random(input.seed + run.records);
  const std::vector<LongWord> records = words(random, run.records * record_words);
  const std::uint64_t iterations = (run.records + emulator::kBlocks - 1) / emulator::kBlocks;
  const std::uint64_t longest = run.piece == 0 ? std::max<std::uint64_t>(iterations, 1) : run.piece;
  std::uint64_t first = 0;
  do {
    const std::uint64_t count = std::min(longest, iterations - first);
    emulator::LoopRun piece;
    piece.stream.record_words = record_words;
    piece.stream.records = std::min(run.records - first * emulator::kBlocks, count * emulator::kBlocks);
    piece.stream.words =
        std::span(records).subspan(first * emulator::kBlocks * record_words, piece.stream.records * record_words);
    piece.live_pes = run.live_pes;
    piece.begins = first == 0;
    piece.ends = first + count == iterations;
    std::vector<LongWord> room(range.count * emulator::collected_words(input.program, count, piece.begins, piece.ends));
    piece.collected = room;
    chip.run_loop(range, piece);
    collected.insert(collected.end(), room.begin(), room.end());
    first += count;
  } while (first < iterations);
}

RangeResult run_range(Chip& chip, BlockRange range, const EngineInput& input) {
  RangeResult result;
  try {
    for (unsigned block = range.first; block < range.first + range.count; ++block) {
      write_data(chip, block, input.seed);
      chip.run_initialization(block);
    }
    for (const EngineInput::Run& run : input.runs) {
      write_particles(chip, run.live_pes, input.seed + run.live_pes);
      run_loop(chip, range, input, run, result.collected);
    }
  } catch (const Fault& fault) {
    result.fault = {fault.kind(), fault.section(), fault.line()};
    return result;
  }
  const unsigned live = input.runs.empty() ? emulator::kPesPerBlock : input.runs.back().live_pes;
  for (unsigned block = range.first; block < range.first + range.count; ++block) {
    RangeResult::Block& seen = result.blocks.emplace_back();
    for (unsigned pe = 0; pe < live; ++pe) {
      std::vector<LongWord> state = chip.read_pe(block, pe, kAllGpr);
      const std::vector<LongWord> lm = chip.read_pe(block, pe, kAllLm);
      state.insert(state.end(), lm.begin(), lm.end());
      seen.pes.push_back(std::move(state));
      seen.registers.push_back(chip.registers(block, pe));
    }
    seen.bm = chip.read_bm(block, 0, isa::kBmShortWords / 2);
    seen.events = chip.events(block);
  }
  return result;
}

std::string place_of(std::size_t word) {
  return word < isa::kGprShortWords / 2 ? fmt::format("$lr{}", 2 * word)
                                        : fmt::format("$lm{}", 2 * (word - isa::kGprShortWords / 2));
}

/// Empty if the words are equal.
template <class Name>
std::string difference(std::span<const LongWord> expected, std::span<const LongWord> found, Name name) {
  for (std::size_t n = 0; n < std::max(expected.size(), found.size()); ++n) {
    const auto text = [&](std::span<const LongWord> words) { return n < words.size() ? to_hex(words[n]) : "nothing"; };
    if (text(expected) == text(found)) continue;
    return fmt::format("{}: expected {}, found {}", name(n), text(expected), text(found));
  }
  return {};
}

std::string difference(const RangeResult::Block& expected, const RangeResult::Block& found) {
  for (std::size_t pe = 0; pe < expected.pes.size(); ++pe) {
    const auto in_pe = [&](std::size_t word) { return fmt::format("PE {}, {}", pe, place_of(word)); };
    if (std::string text = difference(expected.pes[pe], found.pes[pe], in_pe); !text.empty()) return text;
    const emulator::PeRegisters& a = expected.registers[pe];
    const emulator::PeRegisters& b = found.registers[pe];
    const auto in_t = [&](std::size_t element) { return fmt::format("PE {}, T of element {}", pe, element); };
    if (std::string text = difference(a.t, b.t, in_t); !text.empty()) return text;
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      if (a.flags[element] == b.flags[element]) continue;
      return fmt::format("PE {}, flags 4..1 of element {}: expected {:04b}, found {:04b}", pe, element,
                         a.flags[element], b.flags[element]);
    }
  }
  const auto in_bm = [](std::size_t word) { return fmt::format("word {} of BM", word); };
  if (std::string text = difference(expected.bm, found.bm, in_bm); !text.empty()) return text;
  if (expected.events == found.events) return {};
  const auto text = [](const emulator::FpEvents& events) {
    return fmt::format("invalid {}, overflow {}, underflow {}", events.invalid, events.overflow, events.underflow);
  };
  return fmt::format("events: expected {}, found {}", text(expected.events), text(found.events));
}

std::string difference(const RangeResult& expected, const RangeResult& found, BlockRange range) {
  if (expected.fault != found.fault) {
    const auto text = [](const std::optional<RangeResult::Refusal>& fault) {
      return fault ? fmt::format("{}, line {}", isa::name_of(fault->section), fault->line) : std::string("none");
    };
    return fmt::format("fault: expected {}, found {}", text(expected.fault), text(found.fault));
  }
  for (std::size_t n = 0; n < expected.blocks.size(); ++n) {
    const std::string text = difference(expected.blocks[n], found.blocks[n]);
    if (!text.empty()) return fmt::format("block {}, {}", range.first + n, text);
  }
  if (expected.fault) return {};
  return difference(expected.collected, found.collected,
                    [](std::size_t word) { return fmt::format("word {} of those collected", word); });
}

/// Everything but the data.
std::string text_of(const EngineInput& input) {
  std::string text = tests::text_of(input.program);
  for (const BlockRange range : input.ranges) text += fmt::format("blocks {} + {}\n", range.first, range.count);
  for (const EngineInput::Run& run : input.runs) {
    text += fmt::format("{} records, {} live PEs, pieces of {} iterations\n", run.records, run.live_pes, run.piece);
  }
  return text;
}

}  // namespace

EngineCheck::EngineCheck(std::vector<ExactEngine> others) : reference_(emulator::make_reference_chip()) {
  for (const ExactEngine& engine : others) others_.push_back({engine.name, engine.make()});
}

testing::AssertionResult EngineCheck::agree(const EngineInput& input) {
  const testing::AssertionResult result = check(input);
  return result ? result : check(shrunk(input));
}

testing::AssertionResult EngineCheck::check(const EngineInput& input) {
  reference_->load(input.program);
  std::vector<RangeResult> expected;
  for (const BlockRange range : input.ranges) expected.push_back(run_range(*reference_, range, input));
  for (const Loaded& engine : others_) {
    std::string text;
    try {
      engine.chip->load(input.program);
      for (std::size_t n = 0; text.empty() && n < input.ranges.size(); ++n) {
        text = difference(expected[n], run_range(*engine.chip, input.ranges[n], input), input.ranges[n]);
      }
    } catch (const Error& error) {  // of lockstep
      text = error.what();
    }
    if (!text.empty()) return testing::AssertionFailure() << engine.name << ", " << text << "\n" << text_of(input);
  }
  return testing::AssertionSuccess();
}

bool EngineCheck::still_fails(const EngineInput& input) {
  try {
    return !check(input);
  } catch (const Fault&) {  // no longer a program
    return false;
  }
}

/// The input less every line, move, run, piece and block that the difference does not need.
EngineInput EngineCheck::shrunk(EngineInput input) {
  const auto keep_if_failing = [&](EngineInput smaller) {
    if (!still_fails(smaller)) return false;
    input = std::move(smaller);
    return true;
  };
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (std::size_t n = 0; input.ranges.size() > 1 && n < input.ranges.size();) {
      EngineInput less = input;
      less.ranges.erase(less.ranges.begin() + static_cast<std::ptrdiff_t>(n));
      if (keep_if_failing(less))
        smaller = true;
      else
        ++n;
    }
    for (std::size_t n = 0; n < input.ranges.size(); ++n) {
      for (const unsigned from_front : {1u, 0u}) {
        while (input.ranges[n].count > 1) {
          EngineInput less = input;
          less.ranges[n].first += from_front;
          less.ranges[n].count -= 1;
          if (!keep_if_failing(less)) break;
          smaller = true;
        }
      }
    }
    for (std::size_t n = 0; n < input.runs.size();) {
      EngineInput less = input;
      less.runs.erase(less.runs.begin() + static_cast<std::ptrdiff_t>(n));
      if (keep_if_failing(less)) {
        smaller = true;
        continue;
      }
      for (const auto change :
           {+[](EngineInput::Run& run) { run.piece = 0; },
            +[](EngineInput::Run& run) { run.records -= std::min<std::uint64_t>(run.records, 16); },
            +[](EngineInput::Run& run) { run.records -= std::min<std::uint64_t>(run.records, 1); }}) {
        for (;;) {
          less = input;
          change(less.runs[n]);
          const bool changed =
              less.runs[n].records != input.runs[n].records || less.runs[n].piece != input.runs[n].piece;
          if (!changed || !keep_if_failing(less)) break;
          smaller = true;
        }
      }
      ++n;
    }
    for (const isa::Program& program : programs_without_a_step(input.program)) {
      EngineInput less = input;
      less.program = program;
      if (!keep_if_failing(less)) continue;
      smaller = true;
      break;
    }
  }
  return input;
}

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

}  // namespace gdr::tests
