// Compiled loop bodies against the interpreter and the reference engine: the kernels on all sorts of data, random
// bodies of operations that are compiled, and the cache of compiled code.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <span>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "decoded_program.h"
#include "gdr/assembler/assembler.h"
#include "gdr/emulator/conversion.h"
#include "gdr/emulator/host_isa.h"
#include "gdr/selftest/random_program.h"
#include "jit/loop_jit.h"
#include "jit/source_lines.h"
#include "kernel_data.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

using emulator::Chip;
using emulator::HostIsa;
using emulator::JitUse;
using emulator::kBlocks;
using emulator::kPesPerBlock;
using emulator::PeWords;
using isa::Line;
using isa::LongWord;
using isa::Section;
using isa::Unit;
using isa::Width;

std::vector<HostIsa> compiled_isas() {
  std::vector<HostIsa> isas;
  for (const HostIsa isa : emulator::available_host_isas()) {
    if (emulator::can_compile_loops(isa)) isas.push_back(isa);
  }
  return isas;
}

/// All that a chip holds, block by block.
struct State {
  std::vector<LongWord> words;
  std::vector<emulator::PeRegisters> registers;
  std::vector<emulator::FpEvents> events;
  std::string fault;  // that ended the runs; of the chip nothing is known then
  friend bool operator==(const State&, const State&) = default;
};

State state_of(const Chip& chip, unsigned blocks, unsigned live_pes) {
  State state;
  const auto add = [&](const std::vector<LongWord>& words) {
    state.words.insert(state.words.end(), words.begin(), words.end());
  };
  for (unsigned block = 0; block < blocks; ++block) {
    for (unsigned pe = 0; pe < live_pes; ++pe) {
      add(chip.read_pe(block, pe, {isa::Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2}));
      add(chip.read_pe(block, pe, {isa::Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2}));
      state.registers.push_back(chip.registers(block, pe));
    }
    add(chip.read_bm(block, 0, isa::kBmShortWords / 2));
    state.events.push_back(chip.events(block));
  }
  return state;
}

/// The same work on a chip of each kind; how many turns were compiled ones, and of blocks side by side, on the
/// instruction set with the fewest.
struct Outcome {
  bool equal = true;
  bool fault = false;
  std::uint64_t compiled = ~std::uint64_t{0};
  std::uint64_t packed = ~std::uint64_t{0};
};

/// After the run, twice, and with the words that were collected.
template <class Prepare>
State state_after(Chip& chip, const isa::Program& program, const emulator::LoopRun& run, unsigned blocks,
                  Prepare prepare) {
  chip.load(program);
  prepare(chip);
  std::vector<LongWord> collected;
  for (unsigned n = 0; n < 2; ++n) {
    emulator::LoopRun own = run;
    std::vector<LongWord> words(blocks *
                                emulator::collected_words(program, run.stream.iterations(), run.begins, run.ends));
    own.collected = words;
    try {
      chip.run_loop({0, blocks}, own);
    } catch (const emulator::Fault& fault) {
      State ended;
      ended.fault = fault.what();
      return ended;
    }
    collected.insert(collected.end(), words.begin(), words.end());
  }
  State state = state_of(chip, blocks, run.live_pes);
  state.words.insert(state.words.end(), collected.begin(), collected.end());
  return state;
}

template <class Prepare>
Outcome compare(const isa::Program& program, const emulator::LoopRun& run, unsigned blocks, Prepare prepare,
                std::unique_ptr<Chip> expected_chip = emulator::make_simd_chip(HostIsa::portable)) {
  const State expected = state_after(*expected_chip, program, run, blocks, prepare);
  Outcome outcome;
  outcome.fault = !expected.fault.empty();
  for (const HostIsa isa : compiled_isas()) {
    const std::uint64_t before = emulator::jit::compiled_turns();
    const std::uint64_t packed_before = emulator::jit::packed_turns();
    const State found = state_after(*emulator::make_simd_chip(isa, JitUse::always), program, run, blocks, prepare);
    outcome.equal = outcome.equal && expected == found;
    outcome.compiled = std::min(outcome.compiled, emulator::jit::compiled_turns() - before);
    outcome.packed = std::min(outcome.packed, emulator::jit::packed_turns() - packed_before);
  }
  return outcome;
}

/// The engine native, on each instruction set by itself: the sign of a NaN is the host's.
template <class Prepare>
Outcome compare_native(const isa::Program& program, const emulator::LoopRun& run, unsigned blocks, Prepare prepare) {
  Outcome outcome;
  for (const HostIsa isa : compiled_isas()) {
    const State expected = state_after(*emulator::make_native_chip(isa), program, run, blocks, prepare);
    const std::uint64_t before = emulator::jit::compiled_turns();
    const State found = state_after(*emulator::make_native_chip(isa, JitUse::always), program, run, blocks, prepare);
    outcome.equal = outcome.equal && expected == found;
    outcome.compiled = std::min(outcome.compiled, emulator::jit::compiled_turns() - before);
  }
  return outcome;
}

class CompiledLoops : public testing::Test {
 protected:
  void SetUp() override {
    if (compiled_isas().empty()) GTEST_SKIP() << "this host or this build compiles no loops";
  }
};

// ---- kernels on data -----------------------------------------------------------------------------------------------

struct Kernel {
  std::string name;
  std::string file;
  std::map<std::string, std::string> definitions;
};

std::vector<Kernel> compiled_kernels() {
  return {{"gravity", "gravity.vsm", {}},
          {"gravity_jerk", "gravity_jerk.vsm", {}},
          {"nearest", "gravity_jerk.vsm", {{"nearest", "1"}}},
          {"list", "gravity_jerk.vsm", {{"nearest", "1"}, {"list", "4"}}},
          {"vdw", "vdw.vsm", {}}};
}

/// Each vector's first element in place of the others.
std::vector<LongWord> with_equal_elements(std::span<const LongWord> words) {
  std::vector<LongWord> equal;
  for (std::size_t n = 0; n < words.size(); ++n) equal.push_back(words[n - n % isa::kVectorElements]);
  return equal;
}

/// Long words from the start of a record to the particle's place.
std::size_t place_of_xj(const isa::Program& program) {
  for (const isa::Variable* variable : program.variables_by(isa::Transfer::elt)) {
    if (variable->name == "xj") return variable->address / 2;
  }
  throw Error("the kernel has no xj");
}

class CompiledKernels : public CompiledLoops, public testing::WithParamInterface<std::tuple<std::size_t, Data>> {};

TEST_P(CompiledKernels, LeaveEveryWordAsTheInterpreterDoes) {
  const Kernel of = compiled_kernels()[std::get<0>(GetParam())];
  const Data data = std::get<1>(GetParam());
  const isa::Program program = kernel(of.file, of.definitions);
  // More than of a call of compiled code; the engine native's calls are longer.
  constexpr unsigned kTurns = 37;
  constexpr unsigned kNativeTurns = 133;
  static_assert(kTurns > emulator::jit::kTurns && kNativeTurns > emulator::jit::kTurnsOfDoubles);
  const unsigned most_turns = data == Data::random ? kNativeTurns : kTurns;
  std::mt19937_64 random(7);
  std::vector<LongWord> records(std::size_t{most_turns} * kBlocks * program.record_words);
  for (unsigned record = 0; record < most_turns * kBlocks; ++record) {
    for (const isa::Variable* variable : program.variables_by(isa::Transfer::elt)) {
      for (unsigned n = 0; n < variable->elements; ++n) {
        const bool counts = variable->name.starts_with("index") || variable->name == "slot";
        const double value = counts ? record : value_of(data, random, n == 2);
        records[std::size_t{record} * program.record_words + variable->address / 2 + n] = word_of(*variable, value);
      }
    }
  }
  unsigned blocks = 2;
  std::optional<unsigned> filled_up;  // this PE has one i-particle and copies of it
  const auto prepare = [&](Chip& chip) {
    std::mt19937_64 of_particles(8);
    for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
      for (const isa::Variable* variable : program.variables_by(isa::Transfer::hlt)) {
        std::vector<LongWord> words;
        for (unsigned n = 0; n < variable->elements * isa::kVectorElements; ++n) {
          const unsigned component = n / isa::kVectorElements;
          const unsigned particle = pe * isa::kVectorElements + n % isa::kVectorElements;
          double value = value_of(data, of_particles, component == 2);
          if (variable->name == "eps2")
            value = data == Data::pairs_of_one ? 0 : value * value + (data == Data::random ? 0.1 : 0);
          if (variable->name.starts_with("index")) value = particle;
          words.push_back(word_of(*variable, value));
          // The particle at the place of one of the records.
          if (data == Data::pairs_of_one && variable->name == "xi") {
            words.back() = records[std::size_t{particle} * program.record_words + place_of_xj(program) + component];
          }
        }
        if (pe == filled_up) words = with_equal_elements(words);
        const PeWords where{variable->memory, variable->address, variable->width,
                            static_cast<std::uint16_t>(words.size())};
        for (unsigned block = 0; block < blocks; ++block) chip.write_pe(block, pe, where, words);
      }
    }
  };
  const bool may_fault = of.name == "list";
  for (const unsigned live_pes : {kPesPerBlock, 3U, 1U, 12U}) {
    emulator::LoopRun run{{records, program.record_words, std::size_t{kTurns} * kBlocks - 15}, live_pes};
    const Outcome outcome = compare(program, run, blocks, prepare);
    EXPECT_TRUE(outcome.equal) << live_pes << " live PEs";
    const Outcome in_doubles = compare_native(program, run, blocks, prepare);
    EXPECT_TRUE(in_doubles.equal) << live_pes << " live PEs, native";
    if (data == Data::random) {
      EXPECT_GT(outcome.compiled, 0U) << live_pes << " live PEs";
      // The engine native does not compile lists: short words and words at computed addresses share local memory.
      EXPECT_EQ(in_doubles.compiled > 0, !may_fault) << live_pes << " live PEs, native";
    }
  }
  // Blocks whose live PEs share vectors; in the last turn some blocks, or all, have a record. None do where an address
  // may be a fault.
  blocks = kBlocks;
  for (const auto& [turns, without, live_pes] :
       {std::tuple{kTurns, 0U, 6U}, {kTurns, 7U, 1U}, {1U, 0U, 1U}, {2U, 15U, 3U}, {3U, 0U, 21U}}) {
    emulator::LoopRun run{{records, program.record_words, std::size_t{turns} * kBlocks - without}, live_pes};
    const Outcome outcome = compare(program, run, blocks, prepare);
    EXPECT_TRUE(outcome.equal) << turns << " turns, " << live_pes << " live PEs";
    EXPECT_TRUE(compare_native(program, run, blocks, prepare).equal)
        << turns << " turns, " << live_pes << " live PEs, native";
    if (data == Data::random && !may_fault) {
      EXPECT_GT(outcome.packed, 0U) << turns << " turns, " << live_pes << " live PEs";
    }
  }
  for (const unsigned live_pes : {kPesPerBlock, 6U}) {
    emulator::LoopRun run{{records, program.record_words, std::size_t{most_turns} * kBlocks - 15}, live_pes};
    EXPECT_TRUE(compare_native(program, run, blocks, prepare).equal) << live_pes << " live PEs, all records, native";
  }
  // The last PE has copies of its first element.
  for (const unsigned live_pes : {1U, 6U}) {
    filled_up = live_pes - 1;
    emulator::LoopRun run{{records, program.record_words, std::size_t{kTurns} * kBlocks}, live_pes};
    const std::uint64_t before = emulator::jit::alike_turns();
    EXPECT_TRUE(compare(program, run, blocks, prepare).equal) << live_pes << " live PEs, the last filled up";
    const std::uint64_t before_native = emulator::jit::alike_turns();
    EXPECT_TRUE(compare_native(program, run, blocks, prepare).equal)
        << live_pes << " live PEs, the last filled up, native";
    if (data == Data::random && !may_fault) {
      EXPECT_GT(before_native, before) << live_pes << " live PEs, the last filled up";
      EXPECT_GT(emulator::jit::alike_turns(), before_native) << live_pes << " live PEs, the last filled up, native";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CompiledKernels,
                         testing::Combine(testing::Range(std::size_t{0}, compiled_kernels().size()),
                                          testing::Values(Data::random, Data::pairs_of_one, Data::planar, Data::lattice,
                                                          Data::single_precision, Data::integers, Data::huge,
                                                          Data::tiny, Data::mixed_scales)),
                         [](const auto& of) {
                           return compiled_kernels()[std::get<0>(of.param)].name + "_" + name_of(std::get<1>(of.param));
                         });

// ---- products of matrices ------------------------------------------------------------------------------------------

class CompiledProducts : public CompiledLoops, public testing::WithParamInterface<std::tuple<std::string, Data>> {};

TEST_P(CompiledProducts, LeaveAndCollectEveryWordAsTheInterpreterDoes) {
  const isa::Program program = kernel(std::get<0>(GetParam()) + ".vsm");
  const Data data = std::get<1>(GetParam());
  constexpr unsigned kMostTurns = 11;
  constexpr unsigned kBlocksUsed = 2;
  std::mt19937_64 random(9);
  const auto next = [&](const isa::Variable& variable) {
    const double value = value_of(data, random, false);
    // Short words beside long ones are what those do not hold.
    return word_of(variable, variable.width == Width::short_word ? std::ldexp(value, -50) : value);
  };
  std::vector<LongWord> records(std::size_t{kMostTurns} * kBlocks * program.record_words);
  for (std::size_t record = 0; record < kMostTurns * kBlocks; ++record) {
    for (const isa::Variable* variable : program.variables_by(isa::Transfer::elt)) {
      for (unsigned n = 0; n < variable->elements; ++n) {
        const unsigned address = variable->address + n * (variable->packed ? 1 : 2);
        LongWord& place = records[record * program.record_words + address / 2];
        const LongWord word = next(*variable);
        place = address % 2 == 0 ? word : isa::join(place.upper(), word.upper());
      }
    }
  }
  const auto prepare = [&](Chip& chip) {
    random.seed(10);
    for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
      for (const isa::Variable* variable : program.variables_by(isa::Transfer::hlt)) {
        std::vector<LongWord> words;
        for (unsigned n = 0; n < variable->elements * isa::kVectorElements; ++n) words.push_back(next(*variable));
        const PeWords where{variable->memory, variable->address, variable->width,
                            static_cast<std::uint16_t>(words.size())};
        for (unsigned block = 0; block < kBlocksUsed; ++block) chip.write_pe(block, pe, where, words);
      }
    }
  };
  struct Part {
    unsigned turns;
    bool begins;
    bool ends;
    unsigned live_pes;
  };
  for (const Part& part :
       {Part{kMostTurns, true, true, kPesPerBlock}, Part{8, true, false, kPesPerBlock},
        Part{1, true, true, kPesPerBlock}, Part{2, false, true, kPesPerBlock}, Part{5, true, true, 11}}) {
    emulator::LoopRun run{{records, program.record_words, std::size_t{part.turns} * kBlocks}, part.live_pes};
    run.begins = part.begins;
    run.ends = part.ends;
    const Outcome outcome = compare(program, run, kBlocksUsed, prepare);
    EXPECT_TRUE(outcome.equal) << part.turns << " turns, " << part.live_pes << " live PEs";
    EXPECT_TRUE(compare_native(program, run, kBlocksUsed, prepare).equal) << part.turns << " turns, native";
    if (data == Data::random) {
      EXPECT_GT(outcome.compiled, 0U) << part.turns << " turns";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CompiledProducts,
                         testing::Combine(testing::Values("dgemm", "dgemm_double"),
                                          testing::Values(Data::random, Data::lattice, Data::single_precision,
                                                          Data::huge, Data::mixed_scales)),
                         [](const auto& of) { return std::get<0>(of.param) + "_" + name_of(std::get<1>(of.param)); });

// ---- random bodies -------------------------------------------------------------------------------------------------

/// Lines of operations that are compiled, on registers of which each has one layout.
class RandomBody {
 public:
  explicit RandomBody(std::uint64_t seed) : random_(seed) {}

  std::vector<Line> lines() {
    std::vector<Line> lines;
    const unsigned count = 4 + below(20);
    for (unsigned n = 0; n < count; ++n) lines.push_back(line());
    lines.emplace_back();  // so that nothing is pending when the next turn begins
    return lines;
  }

  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  /// Zero, few bits, or many; never far from one.
  double value() {
    const double uniform = std::uniform_real_distribution<>(-2, 2)(random_);
    switch (below(6)) {
      case 0:
        return 0;
      case 1:
        return std::round(uniform * 8) / 8;
      case 2:
        return static_cast<float>(uniform);
      default:
        return std::ldexp(uniform, static_cast<int>(below(12)) - 6);
    }
  }

 private:
  // GPR: long words below 32, short ones from there on; LM likewise, below 64.
  isa::ReadPort port(Width width, unsigned shorts_from) {
    isa::ReadPort port;
    port.width = width;
    port.vector = below(8) != 0;
    const unsigned words = 4;
    port.address = static_cast<std::uint16_t>(width == Width::long_word ? 2 * words * below(shorts_from / (2 * words))
                                                                        : shorts_from + words * below(4));
    return port;
  }
  Width width() { return below(2) == 0 ? Width::long_word : Width::short_word; }

  isa::Source source(Line& line, bool must_be_short) {
    return source(line, must_be_short ? Width::short_word : width(), must_be_short || below(2) == 0);
  }
  isa::Source source(Line& line, Width width_of, bool short_t) {
    switch (below(6)) {
      case 0:
        if (line.gpr_a == isa::ReadPort{}) {
          line.gpr_a = port(width_of, 32);
          return isa::Source::gpr_a;
        }
        break;
      case 1:
        if (line.lm_read == isa::ReadPort{}) {
          line.lm_read = port(width_of, 64);
          return isa::Source::lm;
        }
        break;
      case 2:
        if (line.bm.mode == isa::BmMode::none) {
          line.bm.mode = isa::BmMode::read;
          line.bm.record = true;
          line.bm.width = width_of;
          line.bm.address = static_cast<std::uint16_t>(2 * below(4));
          return isa::Source::bm;
        }
        break;
      case 3:
        if (line.immediate == isa::Immediate{}) {
          line.immediate.width = width_of;
          const LongWord word = emulator::flt64to72(value()).value;
          line.immediate.value = width_of == Width::long_word ? word : isa::widen(word.upper());
          if (line.immediate.value.high != 0) return isa::Source::immediate;
          line.immediate = {};
        }
        break;
      default:
        break;
    }
    return short_t ? isa::Source::t_short : isa::Source::t_long;
  }

  /// Integers of numbers and of each other, which go to local memory behind the numbers.
  void integers(Line& line) {
    using isa::Op;
    const Op all[] = {Op::UADD, Op::USUB, Op::UAND, Op::UOR,  Op::UXOR,   Op::UNOT, Op::ULSL,
                      Op::ULSR, Op::UASR, Op::UMAX, Op::UMIN, Op::UPASSA, Op::UADD, Op::USUB};
    isa::Slot& slot = line.alu;
    slot.op = all[below(14)];
    slot.width = width();
    const bool is_long = slot.width == Width::long_word;
    if (below(2) == 0) {
      line.lm_read = {static_cast<std::uint16_t>(is_long ? 128 + 8 * below(4) : 192 + 4 * below(4)), slot.width, true,
                      false};
      slot.a = isa::Source::lm;
    } else {
      slot.a = source(line, slot.width, !is_long);
    }
    if (slot.op == Op::ULSL || slot.op == Op::ULSR || slot.op == Op::UASR) {
      line.immediate = {};
      if (slot.a == isa::Source::immediate) slot.a = is_long ? isa::Source::t_long : isa::Source::t_short;
      line.immediate.width = slot.width;
      const unsigned count = below(isa::short_words(slot.width) * isa::kShortBits);
      line.immediate.value = is_long ? LongWord::from_bits(count) : isa::widen(isa::ShortWord{count});
      slot.b = isa::Source::immediate;
    } else if (slot.op != Op::UNOT && slot.op != Op::UPASSA) {
      slot.b = source(line, slot.width, !is_long);
    }
    line.lm_write.source = Unit::alu;
    line.lm_write.vector = true;
    line.lm_write.address = static_cast<std::uint16_t>(is_long ? 128 + 8 * below(4) : 192 + 4 * below(4));
    line.lm_write.predicate = predicate();
    if (below(8) == 0) {
      line.t_write.source = Unit::alu;
      line.t_write.predicate = predicate();
    }
    if (below(3) == 0) {
      const isa::Condition conditions[] = {isa::Condition::zero, isa::Condition::negative, isa::Condition::carry};
      const bool carries = slot.op == Op::UADD || slot.op == Op::USUB;
      slot.flag = {static_cast<std::uint8_t>(1 + below(2)), conditions[below(carries ? 3 : 2)], {}};
    }
  }

  isa::Predicate predicate() {
    isa::Predicate predicate;
    if (below(4) == 0) {
      predicate.flag = static_cast<std::uint8_t>(1 + below(2));
      predicate.inverted = below(2) == 0;
    }
    return predicate;
  }

  Line line() {
    Line line;
    line.vlen = below(6) == 0 ? static_cast<std::uint8_t>(1 + below(4)) : isa::kVectorElements;
    if (below(12) == 0) line.mask = {static_cast<std::uint8_t>(1 + below(2)), below(2) == 0};
    if (below(6) == 0) {
      integers(line);
      return line;
    }
    const bool multiplies = below(2) == 0;
    isa::Slot& slot = multiplies ? line.multiplier : line.adder;
    const isa::Op sums[] = {isa::Op::FADD, isa::Op::FSUB, isa::Op::FSUB, isa::Op::FADD, isa::Op::FPASSA};
    slot.op = multiplies ? isa::Op::FMUL : sums[below(5)];
    slot.width = width();
    slot.a = source(line, false);
    if (slot.op != isa::Op::FPASSA) slot.b = source(line, multiplies);
    slot.negate_a = below(4) == 0;
    slot.negate_b = slot.op != isa::Op::FPASSA && below(4) == 0;
    const Unit unit = multiplies ? Unit::multiplier : Unit::adder;
    const bool is_long = slot.width == Width::long_word;
    const auto write = [&](isa::WritePort& to, unsigned shorts_from) {
      to.source = unit;
      to.vector = true;
      to.address = static_cast<std::uint16_t>(is_long ? 8 * below(shorts_from / 8) : shorts_from + 4 * below(4));
      to.predicate = predicate();
    };
    switch (below(3)) {
      case 0:
        write(line.gpr_write, 32);
        break;
      case 1:
        write(line.lm_write, 64);
        break;
      default:
        break;
    }
    const bool nowhere = line.gpr_write.source == Unit::none && line.lm_write.source == Unit::none;
    if (nowhere || below(2) == 0) {
      line.t_write.source = unit;
      line.t_write.predicate = predicate();
    }
    if (below(4) == 0) {
      slot.flag.flag = static_cast<std::uint8_t>(1 + below(2));
      slot.flag.condition = below(2) == 0 ? isa::Condition::zero : isa::Condition::negative;
    }
    return line;
  }

  std::mt19937_64 random_;
};

class CompiledBodies : public CompiledLoops, public testing::WithParamInterface<unsigned> {};

TEST_P(CompiledBodies, RunAsOnTheReference) {
  constexpr unsigned kBodies = kSlowedDown ? 1 : 4;
  unsigned compiled = 0;
  for (unsigned n = 0; n < kBodies; ++n) {
    const std::uint64_t seed = std::uint64_t{GetParam()} * 1000 + n;
    RandomBody body(seed);
    isa::Program program;
    program.record_words = 4;
    // Flags are set before they are read.
    std::vector<Line> lines(1);
    lines[0].vlen = isa::kVectorElements;
    lines[0].adder.op = isa::Op::FPASSA;
    lines[0].adder.a = isa::Source::t_long;
    lines[0].adder.flag = {1, isa::Condition::negative, {}};
    lines.push_back(lines[0]);
    lines.back().adder.flag.flag = 2;
    lines.emplace_back();
    for (const Line& line : body.lines()) lines.push_back(line);
    program.sections[static_cast<std::size_t>(Section::loop_body)] = selftest::code_of(lines);
    constexpr unsigned kTurns = 7;
    std::vector<LongWord> records;
    for (unsigned word = 0; word < kTurns * kBlocks * program.record_words; ++word) {
      // A long word of a record is a double's, or two short ones.
      records.push_back(emulator::flt64to72(body.value()).value);
    }
    std::vector<LongWord> words;
    for (unsigned word = 0; word < kPesPerBlock * 64; ++word) words.push_back(emulator::flt64to72(body.value()).value);
    unsigned blocks = 1;
    std::optional<unsigned> filled_up;  // this PE's elements begin alike
    const auto prepare = [&](Chip& chip) {
      for (unsigned each = 0; each < blocks * kPesPerBlock; ++each) {
        const unsigned block = each / kPesPerBlock;
        const unsigned pe = each % kPesPerBlock;
        const auto some = [&](unsigned first, unsigned count) {
          const auto own = std::span(words).subspan(pe * 64 + first, count);
          return pe == filled_up ? with_equal_elements(own) : std::vector<LongWord>(own.begin(), own.end());
        };
        chip.write_pe(block, pe, {isa::Memory::gpr, 0, Width::long_word, 16}, some(0, 16));
        chip.write_pe(block, pe, {isa::Memory::gpr, 32, Width::short_word, 16}, some(16, 16));
        chip.write_pe(block, pe, {isa::Memory::lm, 0, Width::long_word, 16}, some(32, 16));
        chip.write_pe(block, pe, {isa::Memory::lm, 64, Width::short_word, 16}, some(48, 16));
        emulator::PeRegisters registers{};
        for (unsigned element = 0; element < isa::kVectorElements; ++element)
          registers.t[element] = words[pe + (pe == filled_up ? 0 : element)];
        chip.write_registers(block, pe, registers);
      }
    };
    emulator::LoopRun run{{records, program.record_words, std::uint64_t{kTurns} * kBlocks}, kPesPerBlock};
    const Outcome outcome = compare(program, run, blocks, prepare, emulator::make_reference_chip());
    ASSERT_TRUE(outcome.equal) << "seed " << seed << "\n" << selftest::text_of(program);
    const Outcome in_doubles = compare_native(program, run, blocks, prepare);
    ASSERT_TRUE(in_doubles.equal) << "native, seed " << seed << "\n" << selftest::text_of(program);
    // Blocks side by side, the last one without a record in the last turn.
    blocks = kBlocks;
    run.live_pes = 3;
    run.stream.records -= 1;
    const Outcome of_few = compare(program, run, blocks, prepare, emulator::make_reference_chip());
    ASSERT_TRUE(of_few.equal) << "few live PEs, seed " << seed << "\n" << selftest::text_of(program);
    filled_up = run.live_pes - 1;
    const Outcome of_alike = compare(program, run, blocks, prepare, emulator::make_reference_chip());
    ASSERT_TRUE(of_alike.equal) << "elements alike, seed " << seed << "\n" << selftest::text_of(program);
    compiled += outcome.compiled > 0 ? 1 : 0;
  }
  // Some bodies stay with the interpreter: one alone says nothing, four in a row mean that nothing is compiled.
  if (kBodies > 1) {
    EXPECT_GT(compiled, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, CompiledBodies, testing::Range(0U, 20U));

// ---- local memory at computed addresses -----------------------------------------------------------------------------

/// Pairs of lines: an index goes to T, then a word of local memory that it points to is read, or one is written, or
/// both. Words at computed addresses begin at kTable, what lines use at addresses of their own ends before.
class RandomTables {
 public:
  explicit RandomTables(std::uint64_t seed)
      : random_(seed), of_longs_(below(3) != 0), of_numbers_(below(3) == 0), strays_(below(4) == 0) {}

  static constexpr unsigned kTable = 128;       // of local memory
  static constexpr unsigned kShortIndices = 8;  // of GPR; long ones stand before

  std::vector<Line> lines() {
    std::vector<Line> lines = flags();
    const unsigned count = 2 + below(6);
    for (unsigned n = 0; n < count; ++n) {
      // Half of a long number is none.
      const Width width = of_longs_ && (of_numbers_ || below(2) == 0) ? Width::long_word : Width::short_word;
      lines.push_back(index(width));
      lines.push_back(access(width));
      if (below(3) == 0) lines.push_back(sum());
    }
    lines.emplace_back();  // so that nothing is pending when the next turn begins
    return lines;
  }

  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  /// Of local memory: a long number, or two short ones.
  [[nodiscard]] LongWord word(RandomBody& numbers) const {
    const LongWord number = emulator::flt64to72(numbers.value()).value;
    return of_longs_ ? number : isa::join(number.upper(), emulator::flt64to72(numbers.value()).value.upper());
  }

 private:
  /// Of the indices: flag 1 the same in every turn, flag 2 not.
  static std::vector<Line> flags() {
    std::vector<Line> lines(3);
    for (Line& line : std::span(lines).first(2)) {
      line.vlen = isa::kVectorElements;
      line.gpr_a = {0, Width::long_word, true, false};
      line.alu = {isa::Op::UAND, isa::Source::gpr_a, isa::Source::immediate, false, false, Width::long_word, {}};
      line.immediate = {Width::long_word, LongWord::from_bits(2)};
      line.alu.flag = {1, isa::Condition::zero, {}};
    }
    lines[1].immediate = {};
    lines[1].alu.b = isa::Source::bm;
    lines[1].bm.mode = isa::BmMode::read;
    lines[1].bm.record = true;
    lines[1].bm.width = Width::long_word;
    lines[1].alu.flag.flag = 2;
    return lines;
  }

  /// Of the PE's or the record's; even ones for long words, unless it strays.
  Line index(Width width) {
    Line line;
    line.vlen = isa::kVectorElements;
    const bool is_long = width == Width::long_word;
    const unsigned bits = strays_ && below(4) == 0 ? 1023 : is_long ? 126 : 127;
    line.alu.op = isa::Op::UAND;
    line.alu.width = width;
    line.alu.b = isa::Source::immediate;
    line.immediate = {width, is_long ? LongWord::from_bits(bits) : isa::widen(isa::ShortWord{bits})};
    if (below(2) == 0) {
      line.alu.a = isa::Source::gpr_a;
      line.gpr_a = {static_cast<std::uint16_t>(is_long ? 0 : kShortIndices), width, true, false};
    } else {
      line.alu.a = isa::Source::bm;
      line.bm.mode = isa::BmMode::read;
      line.bm.record = true;
      line.bm.width = width;
      line.bm.address = static_cast<std::uint16_t>(is_long ? 0 : 2);
    }
    line.t_write.source = Unit::alu;
    return line;
  }

  /// Such that the index stays inside, unless it strays.
  std::uint16_t base(Width width) {
    const unsigned first = strays_ && below(4) == 0 ? 0 : kTable;
    const unsigned some = first + below(200);
    return static_cast<std::uint16_t>(width == Width::long_word ? some & ~1U : some);
  }

  Line access(Width width) {
    Line line;
    line.vlen = below(6) == 0 ? static_cast<std::uint8_t>(1 + below(4)) : isa::kVectorElements;
    if (below(5) == 0) line.mask = {static_cast<std::uint8_t>(1 + below(2)), below(2) == 0};
    const bool is_long = width == Width::long_word;
    // A number of more bits than a double has is none that a compiled body takes from memory.
    const bool writes = below(2) == 0 && !(of_numbers_ && is_long);
    const bool reads = !writes || below(2) == 0;
    isa::Slot& slot = of_numbers_ ? line.adder : line.alu;
    const Unit unit = of_numbers_ ? Unit::adder : Unit::alu;
    slot.width = width;
    // Numbers stand behind the indices, long ones before short ones.
    line.gpr_a = {static_cast<std::uint16_t>(is_long ? 16 : 48), width, true, false};
    slot.b = isa::Source::gpr_a;
    if (reads) {
      line.lm_read = {base(width), width, below(4) != 0, true};
      slot.a = isa::Source::lm;
    } else {
      slot.a = isa::Source::gpr_a;
    }
    const isa::Op of_words[] = {isa::Op::UADD, isa::Op::UXOR, isa::Op::UMAX, isa::Op::ULSL, isa::Op::UASR};
    slot.op = of_numbers_ ? isa::Op::FADD : of_words[below(5)];
    if (slot.op == isa::Op::ULSL || slot.op == isa::Op::UASR) {  // by the index
      slot.b = is_long ? isa::Source::t_long : isa::Source::t_short;
      if (reads) line.gpr_a = {};
    }
    if (writes) {
      line.lm_write = {unit, base(width), below(4) != 0, true, predicate()};
    } else {
      line.gpr_write = {unit, static_cast<std::uint16_t>(is_long ? 24 : 52), true, false, predicate()};
    }
    if (below(3) == 0) line.t_write = {unit, 0, false, false, predicate()};
    return line;
  }

  /// At an address of its own.
  Line sum() {
    Line line;
    line.vlen = isa::kVectorElements;
    const Width width = of_longs_ ? Width::long_word : Width::short_word;
    line.lm_read = {static_cast<std::uint16_t>(8 * below(2)), width, true, false};
    line.gpr_a = {static_cast<std::uint16_t>(of_longs_ ? 24 : 52), width, true, false};
    isa::Slot& slot = of_numbers_ ? line.adder : line.alu;
    slot = {isa::Op::UXOR, isa::Source::lm, isa::Source::gpr_a, false, false, width, {}};
    if (of_numbers_) slot.op = isa::Op::FADD;
    line.lm_write = {of_numbers_ ? Unit::adder : Unit::alu, line.lm_read.address, true, false, predicate()};
    return line;
  }

  isa::Predicate predicate() {
    if (below(4) != 0) return {};
    return {static_cast<std::uint8_t>(1 + below(2)), below(2) == 0, false};
  }

  std::mt19937_64 random_;
  bool of_longs_;    // some words at computed addresses are
  bool of_numbers_;  // or of integers
  bool strays_;      // to words that lines use otherwise, and out of local memory
};

class CompiledTables : public CompiledLoops, public testing::WithParamInterface<unsigned> {};

TEST_P(CompiledTables, RunAsOnTheReference) {
  constexpr unsigned kBodies = kSlowedDown ? 1 : 4;
  constexpr unsigned kTurns = 35;
  unsigned compiled = 0;
  for (unsigned n = 0; n < kBodies; ++n) {
    const std::uint64_t seed = std::uint64_t{GetParam()} * 1000 + n;
    RandomTables body(seed);
    isa::Program program;
    program.record_words = 2;
    program.sections[static_cast<std::size_t>(Section::loop_body)] = selftest::code_of(body.lines());
    const auto index = [&] { return body.below(1024); };
    std::vector<LongWord> records;
    for (unsigned record = 0; record < kTurns * kBlocks; ++record) {
      records.push_back(LongWord::from_bits(index()));
      records.push_back(isa::join(isa::ShortWord{index()}, isa::ShortWord{index()}));
    }
    const auto prepare = [&](Chip& chip) {
      RandomBody of_pes(seed + 1);
      for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
        std::vector<LongWord> gpr;
        for (unsigned word = 0; word < isa::kGprShortWords / 2; ++word) {
          const LongWord number = emulator::flt64to72(of_pes.value()).value;
          const isa::ShortWord index_of_pe{of_pes.below(1024)};
          gpr.push_back(word < 4    ? LongWord::from_bits(index_of_pe.bits)
                        : word < 8  ? isa::join(index_of_pe, index_of_pe)
                        : word < 24 ? number
                                    : isa::join(number.upper(), number.upper()));
        }
        std::vector<LongWord> lm;
        for (unsigned word = 0; word < isa::kLmShortWords / 2; ++word) lm.push_back(body.word(of_pes));
        chip.write_pe(0, pe, {isa::Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2}, gpr);
        chip.write_pe(0, pe, {isa::Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2}, lm);
      }
    };
    for (const unsigned live_pes : {kPesPerBlock, 5U}) {
      const emulator::LoopRun run{{records, program.record_words, std::uint64_t{kTurns} * kBlocks}, live_pes};
      const Outcome outcome = compare(program, run, 1, prepare, emulator::make_reference_chip());
      ASSERT_TRUE(outcome.equal) << "seed " << seed << "\n" << selftest::text_of(program);
      const Outcome in_doubles = compare_native(program, run, 1, prepare);
      ASSERT_TRUE(in_doubles.equal) << "native, seed " << seed << "\n" << selftest::text_of(program);
      compiled += outcome.compiled > 0 ? 1 : 0;
    }
  }
  if (kBodies > 1) {
    EXPECT_GT(compiled, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, CompiledTables, testing::Range(0U, 20U));

// ---- what stays with the interpreter -------------------------------------------------------------------------------

emulator::jit::BodyCode code_of(const isa::Program& program, const emulator::jit::CodeTarget& target =
                                                                 *emulator::jit::code_target(HostIsa::avx512)) {
  const emulator::DecodedProgram decoded = emulator::decode_program(program);
  const emulator::simd::Schedule schedule =
      emulator::simd::make_schedule(decoded, {HostIsa::portable, emulator::simd::Arithmetic::chip});
  return emulator::jit::make_body_code(emulator::jit::make_body_graph(decoded, schedule, target),
                                       emulator::jit::Rounding::quick, target);
}

std::string refusal_of(const isa::Program& program) { return code_of(program).refusal; }

TEST(CompiledLoopBodies, TakeTheKernelsOfPairForces) {
  for (const Kernel& of : compiled_kernels()) EXPECT_EQ(refusal_of(kernel(of.file, of.definitions)), "") << of.name;
}

TEST(CompiledLoopBodies, TakeTheKernelsOfMatrices) {
  for (const char* file : {"dgemm.vsm", "dgemm_double.vsm"}) EXPECT_EQ(refusal_of(kernel(file)), "") << file;
}

/// A loop body of these lines, of one element each.
isa::Program body_of(std::string_view lines) {
  const std::string source = "kernel halves\nbvar long x elt\nloop body\n  vlen 1\n";
  assembler::AssembleOptions options;
  options.warnings.told.reset();
  const assembler::AssembleResult result = assembler::assemble(source + std::string(lines), "halves.vsm", options);
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

TEST(CompiledLoopBodies, LeaveTheRestToTheInterpreterAndSayWhy) {
  EXPECT_EQ(refusal_of(body_of("  ulzc x $lr8\n  nop\n")), "it has 'ulzc'");
  EXPECT_EQ(refusal_of(body_of("  upassa $peid $lr8\n  nop\n")), "it asks for the number of a PE or block");
}

// What the last line stores lands behind the next turn's first line: a collect before that takes what was there before.
TEST(CompiledLoopBodies, LeaveACollectBeforeItsWordHasLandedToTheInterpreter) {
  constexpr std::string_view kSource = R"(kernel type2
bvar long x elt
bvar vector long sum[2] rrn flt72to64 fadd
var vector long weight hlt
loop initialization
  transfer
  nop
loop body
  transfer
  fadd weight x $lr0v
  nop
  bm $lr0v sum[0] @0
  nop
  collect sum[0]
  bm $lr0v sum[1] @1
  nop
  collect sum[1]
)";
  assembler::AssembleOptions options;
  options.warnings.told.reset();
  const assembler::AssembleResult result = assembler::assemble(kSource, "type2.vsm", options);
  ASSERT_TRUE(result.program) << assembler::format_diagnostics(result);
  isa::Program program = *result.program;
  EXPECT_EQ(refusal_of(program), "");
  std::vector<isa::Step>& steps = program.steps(Section::loop_body);
  ASSERT_EQ(steps.size(), 9U);
  steps.erase(steps.end() - 2);                                  // the nop
  std::rotate(steps.begin() + 1, steps.end() - 1, steps.end());  // the last collect behind the transfer
  EXPECT_EQ(refusal_of(program), "it collects what its last line stores");
  std::swap(steps[0], steps[1]);
  EXPECT_EQ(refusal_of(program), "it collects what its last line stores");
}

// A long word and, in its place, short ones: what its halves hold behind the last turn is known if both were written.
TEST(CompiledLoopBodies, LeaveAWordToTheLastTurnOnlyIfBothHalvesAreWritten) {
  constexpr std::string_view kBoth = "  fadd x x $lr8\n  nop\n  fadd x x $r8\n  fadd x x $r9\n";
  constexpr std::string_view kUpper = "  fadd x x $lr8\n  nop\n  fadd x x $r8\n  nop\n";
  constexpr std::string_view kLower = "  fadd x x $lr8\n  nop\n  nop\n  fadd x x $r9\n";
  for (const std::string_view lines : {kBoth, kUpper, kLower}) EXPECT_EQ(refusal_of(body_of(lines)), "") << lines;
  EXPECT_TRUE(code_of(body_of(kBoth)).leaves_all);
  EXPECT_FALSE(code_of(body_of(kUpper)).leaves_all);
  EXPECT_FALSE(code_of(body_of(kLower)).leaves_all);
}

// The ends of the exponents, and those beyond which a step of the code would be no normal double.
TEST_F(CompiledLoops, TakeConstantsOfEveryExponent) {
  constexpr unsigned kFields[] = {0,    1,    2,    8,    9,    54,   55,   61,   62,   63,   64,
                                  1023, 1982, 1983, 1984, 1990, 2017, 2018, 2019, 2045, 2046, 2047};
  const std::vector<LongWord> records(std::size_t{9} * kBlocks, emulator::flt64to72(1.5).value);
  unsigned compiled = 0;
  for (const char* const line :
       {"fpassa {} $lr8", "fpassa -{} $r8", "fmax {} x $lr8", "fadd {} x $lr8", "fmulh {0} x\n  fmull {0} x $lr8"}) {
    for (const unsigned field : kFields) {
      const std::string constant = fmt::format("hl\"{:03x}258a3dcd7e26f41\"", field);
      const isa::Program program = body_of(fmt::format(fmt::runtime(line), constant) + "\n  nop\n");
      const Outcome outcome =
          compare(program, {{records, 1, 9 * kBlocks}, kPesPerBlock}, 1, [](Chip&) {}, emulator::make_reference_chip());
      EXPECT_TRUE(outcome.equal) << fmt::format(fmt::runtime(line), constant);
      compiled += outcome.compiled > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(compiled, 0U);
}

TEST(CompiledLoopBodies, AreRefusedWhereTheHostHasNone) {
  EXPECT_THROW((void)emulator::make_simd_chip(HostIsa::portable, JitUse::always), Error);
}

#if defined(__x86_64__)
TEST_F(CompiledLoops, LeaveTheCallersArithmeticAlone) {
  const isa::Program program = kernel("gravity.vsm");
  const std::vector<LongWord> records(std::size_t{16} * kBlocks * program.record_words);
  const unsigned before = _mm_getcsr();
  const unsigned of_caller = 0x5fbf;  // upwards, every trap masked, every flag set
  _mm_setcsr(of_caller);
  const Outcome outcome =
      compare(program, {{records, program.record_words, 16 * kBlocks}, kPesPerBlock}, 1, [](Chip&) {});
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after, of_caller);
  EXPECT_TRUE(outcome.equal);
  EXPECT_GT(outcome.compiled, 0U);
}
#endif

// ---- names ---------------------------------------------------------------------------------------------------------

class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

TEST_F(CompiledLoops, HaveNamesForPerf) {
  const std::filesystem::path map = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::filesystem::remove(map);
  const isa::Program program = kernel("gravity.vsm");
  const std::vector<LongWord> records(std::size_t{16} * kBlocks * program.record_words);
  const emulator::LoopRun run{{records, program.record_words, 16 * kBlocks}, kPesPerBlock};
  ASSERT_TRUE(compare(program, run, 1, [](Chip&) {}).equal);
  EXPECT_FALSE(std::filesystem::exists(map)) << "nobody asked for it";
  {
    const Environment wanted("GDR_PERF_MAP", "on");
    ASSERT_TRUE(compare(program, run, 1, [](Chip&) {}).equal);
  }
  std::ifstream file(map);
  unsigned lines = 0;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::string name;
  while (file >> std::hex >> begin >> size && std::getline(file, name)) {
    ++lines;
    EXPECT_NE(begin, 0U);
    EXPECT_TRUE(size > 0 && size < 1U << 20) << size;
    EXPECT_TRUE(name == " gdr gravity loop body, quick: turns" ||
                name == " gdr gravity loop body, quick: values equal in all PEs" ||
                name.starts_with(" gdr gravity loop body, robust: "))
        << name;
  }
  EXPECT_GE(lines, 2 * compiled_isas().size());
  std::filesystem::remove(map);
}

TEST_F(CompiledLoops, RefuseAnotherWishForNames) {
  for (const char* variable : {"GDR_PERF_MAP", "GDR_GDB"}) {
    const Environment wrong(variable, "yes");
    const auto chip = emulator::make_simd_chip(compiled_isas().back(), JitUse::always);
    EXPECT_THROW(chip->load(kernel("gravity.vsm")), Error) << variable;
  }
}

TEST_F(CompiledLoops, AreTheSameWithLinesForDebuggers) {
  const Environment wanted("GDR_GDB", "on");
  for (const char* file : {"gravity.vsm", "dgemm.vsm"}) {
    const isa::Program program = kernel(file);
    const std::vector<LongWord> records(std::size_t{16} * kBlocks * program.record_words);
    const emulator::LoopRun run{{records, program.record_words, 16 * kBlocks}, kPesPerBlock};
    const Outcome outcome = compare(program, run, 1, [](Chip&) {});
    EXPECT_TRUE(outcome.equal) << file;
    EXPECT_GT(outcome.compiled, 0U) << file;
  }
}

TEST_F(CompiledLoops, HaveObjectFilesWithTheSourcesName) {
  const isa::Program program = kernel("gravity.vsm");
  for (const HostIsa isa : compiled_isas()) {
    emulator::jit::CodeTarget target = *emulator::jit::code_target(isa);
    target.names_lines = true;
    const std::string text =
        code_of(program, target).text + emulator::jit::source_lines(program, "gdr gravity loop body, quick");
    EXPECT_EQ(emulator::jit::compile(text, target.cpu).object, "") << "nobody asked for it";
    const std::string object = emulator::jit::compile(text, target.cpu, true).object;
    for (const char* part : {".debug_line", "gravity.vsm", "gdr gravity loop body, quick: turns"})
      EXPECT_NE(object.find(part), std::string::npos) << part;
  }
}

#if defined(__x86_64__)
TEST_F(CompiledLoops, StopAtALineInGdb) {
  if (std::system("gdb --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no gdb";
  if (kSlowedDown) GTEST_SKIP() << "too slow under a sanitizer";
  const unsigned line = kernel("gravity.vsm").lines(Section::loop_body).front().position.line;
  const std::string place = "gravity.vsm:" + std::to_string(line);
  const std::string command =
      "GDR_GDB=on gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set breakpoint pending on' -ex 'break " + place +
      "' -ex run -ex 'bt 1' --args " + std::filesystem::read_symlink("/proc/self/exe").string() +
      " --gtest_filter=CompiledLoops.LeaveTheCallersArithmeticAlone 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> gdb(popen(command.c_str(), "r"), pclose);
  std::string said;
  for (int each = std::fgetc(gdb.get()); each != EOF; each = std::fgetc(gdb.get())) said += static_cast<char>(each);
  if (said.find("ptrace") != std::string::npos) GTEST_SKIP() << "gdb may not run programs here: " << said;
  const std::size_t stack = said.find("#0");
  ASSERT_NE(stack, std::string::npos) << said;
  EXPECT_NE(said.find("gdr gravity loop body, ", stack), std::string::npos) << said;
  EXPECT_NE(said.find(place, stack), std::string::npos) << said;
}
#endif

}  // namespace
}  // namespace gdr::tests
