#include "compiled_loops_testing.h"

#include <algorithm>
#include <string>

#include "jit/loop_jit.h"
#include "slowed_down.h"

namespace gdr::tests {

using emulator::Chip;
using emulator::HostIsa;
using emulator::JitUse;
using isa::LongWord;
using isa::Width;

namespace {

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

/// After the run, twice, and with the words that were collected.
State state_after(Chip& chip, const isa::Program& program, const emulator::LoopRun& run, unsigned blocks,
                  const Prepare& prepare) {
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

}  // namespace

std::vector<HostIsa> compiled_isas() {
  std::vector<HostIsa> isas;
  for (const HostIsa isa : emulator::available_host_isas()) {
    if (emulator::can_compile_loops(isa)) isas.push_back(isa);
  }
  if (kSlowedDown && !isas.empty()) isas = {isas.back()};
  return isas;
}

Outcome compare(const isa::Program& program, const emulator::LoopRun& run, unsigned blocks, const Prepare& prepare,
                std::unique_ptr<Chip> expected_chip) {
  const State expected = state_after(*expected_chip, program, run, blocks, prepare);
  Outcome outcome;
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

Outcome compare_native(const isa::Program& program, const emulator::LoopRun& run, unsigned blocks,
                       const Prepare& prepare) {
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

std::vector<LongWord> with_equal_elements(std::span<const LongWord> words) {
  std::vector<LongWord> equal;
  for (std::size_t n = 0; n < words.size(); ++n) equal.push_back(words[n - n % isa::kVectorElements]);
  return equal;
}

}  // namespace gdr::tests
