#include "board_benches.h"

#include <fmt/format.h>

#include <bit>
#include <random>

#include "gdr/emulator/board.h"
#include "gdr/emulator/host_isa.h"
#include "gravity_workload.h"
#include "measure.h"

namespace gdr::bench {
namespace {

using emulator::BlockRange;
using emulator::Boards;
using emulator::Chip;
using emulator::Engine;
using emulator::kBlocks;
using emulator::kParticlesPerRun;
using emulator::kPesPerBlock;

/// FNV-1a.
class Hash {
 public:
  void add(std::uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) value_ = (value_ ^ ((word >> shift) & 0xff)) * 0x100000001b3;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// Fields of `count` records of one kind, of sizes as in an N-body run.
std::vector<std::uint64_t> fields_of(const isa::Program& program, isa::Transfer transfer, std::size_t count) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> fields;
  for (std::size_t record = 0; record < count; ++record) {
    for (const isa::Variable* variable : program.variables_by(transfer)) {
      for (unsigned n = 0; n < variable->elements; ++n) {
        const bool is_integer = variable->name.starts_with("index");
        const auto index = static_cast<unsigned>(record);
        fields.push_back(is_integer ? index : std::bit_cast<std::uint64_t>(typical_value(*variable, random, index)));
      }
    }
  }
  return fields;
}

/// All forces of N particles among themselves on a board.
class AllPairs {
 public:
  AllPairs(const isa::Program& program, std::size_t particles, std::string_view engine, unsigned threads)
      : boards_(emulator::load_machine("model1800"), 1, engine, threads),
        particles_(particles),
        i_(fields_of(program, isa::Transfer::hlt, particles)) {
    boards_.load(program);
    const std::vector<std::uint64_t> j = fields_of(program, isa::Transfer::elt, particles);
    const std::size_t fields = j.size() / particles;
    for (std::size_t k = 0; k < particles; ++k) boards_.write_record(k, std::span(j).subspan(k * fields, fields));
  }

  /// Of the results.
  [[nodiscard]] std::uint64_t run() {
    const std::size_t fields = i_.size() / particles_;
    Hash hash;
    for (std::size_t first = 0; first < particles_; first += kParticlesPerRun) {
      const auto count = static_cast<unsigned>(std::min<std::size_t>(kParticlesPerRun, particles_ - first));
      for (const std::uint64_t word :
           boards_.run(std::span(i_).subspan(first * fields, count * fields), count, first, particles_)) {
        hash.add(word);
      }
    }
    return hash.value();
  }

 private:
  Boards boards_;
  std::size_t particles_;
  std::vector<std::uint64_t> i_;
};

/// Results of the first PEs of some blocks after a run in pieces of `at_once` blocks.
std::uint64_t hash_of_chip(Chip& chip, const GravityWorkload& workload, unsigned live_pes, unsigned at_once,
                           unsigned read_pes) {
  workload.load(chip);
  for (unsigned block = 0; block < kBlocks; block += at_once) {
    const unsigned count = std::min(at_once, kBlocks - block);
    chip.run_loop(BlockRange{block, count}, {workload.stream(), live_pes});
  }
  Hash hash;
  for (unsigned block = 0; block < kBlocks; ++block) {
    for (unsigned pe = 0; pe < read_pes; ++pe) {
      for (const emulator::PeWords& where : workload.results()) {
        for (const isa::LongWord word : chip.read_pe(block, pe, where)) {
          hash.add(word.high);
          hash.add(word.low);
        }
      }
    }
  }
  return hash.value();
}

}  // namespace

void two_threads_against_one(benchmark::State& state) {
  constexpr std::size_t kParticles = 2048;
  const GravityWorkload workload(1);
  AllPairs one(workload.program, kParticles, Engine::simd, 1);
  AllPairs two(workload.program, kParticles, Engine::simd, 2);
  for (auto _ : state) {
    std::uint64_t of_one = 0;
    std::uint64_t of_two = 0;
    const Rounds rounds({[&] { of_one = one.run(); }, [&] { of_two = two.run(); }}, kRounds, Clock::wall);
    GDR_ASSERT(of_one == of_two, "results do not depend on the number of threads");
    state.counters["R5_one_to_two"] = rounds.ratio(0, 1);
    state.counters["one_thread_ms"] = 1e3 * rounds.seconds(0);
  }
}

void equal_hashes(benchmark::State& state) {
  unsigned compared = 0;
  unsigned different = 0;
  const auto expect = [&](std::uint64_t expected, std::uint64_t found) {
    ++compared;
    different += expected == found ? 0 : 1;
  };
  for (auto _ : state) {
    // Chips: instruction sets, live PEs, blocks at a time.
    const GravityWorkload workload(3);
    for (const unsigned live : {1U, 8U, 21U, 32U}) {
      const auto reference = emulator::make_reference_chip();
      const std::uint64_t expected = hash_of_chip(*reference, workload, kPesPerBlock, 1, live);
      const auto expect_of = [&](emulator::Chip& chip) {
        for (const unsigned at_once : {1U, 3U, 16U}) {
          expect(expected, hash_of_chip(chip, workload, live, at_once, live));
        }
      };
      for (const emulator::HostIsa isa : emulator::available_host_isas()) {
        expect_of(*emulator::make_simd_chip(isa));
        if (emulator::can_compile_loops(isa)) expect_of(*emulator::make_simd_chip(isa, emulator::JitUse::always));
      }
    }
    // Boards: engines, threads.
    constexpr std::size_t kParticles = 150;
    const std::uint64_t expected = AllPairs(workload.program, kParticles, Engine::reference, 1).run();
    expect(expected, AllPairs(workload.program, kParticles, Engine::lockstep, 1).run());
    for (const unsigned threads : {1U, 2U, 3U, 7U}) {
      expect(expected, AllPairs(workload.program, kParticles, Engine::simd, threads).run());
    }
    state.counters["R9_compared"] = compared;
    state.counters["R9_different"] = different;
  }
  if (different != 0) state.SkipWithError("results differ");
}

}  // namespace gdr::bench
