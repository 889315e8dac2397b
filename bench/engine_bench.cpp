// The bars of the execution engine on gravity. Both sides of a ratio run in turn in one process; medians of the rounds
// are printed as counters, which bench/report.py makes into docs/machine/performance.md.
#include "bare_kernels.h"
#include "board_benches.h"
#include "double_gravity.h"
#include "gdr/base/host.h"
#include "gdr/emulator/schedule.h"
#include "measure.h"
#include "naive_interpreter.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace gdr::bench {
namespace {

using emulator::Chip;
using emulator::HostIsa;
using emulator::JitUse;
using emulator::kPesPerBlock;

constexpr unsigned kBlock = 0;

bool has(HostIsa isa) {
  const auto available = emulator::available_host_isas();
  return std::find(available.begin(), available.end(), isa) != available.end();
}

HostIsa fastest() { return emulator::available_host_isas().back(); }

std::unique_ptr<Chip> loaded_chip(const GravityWorkload& workload, HostIsa isa, JitUse jit = JitUse::never) {
  auto chip = emulator::make_simd_chip(isa, jit);
  workload.load(*chip);
  return chip;
}

/// With compiled bodies, where the host can.
std::unique_ptr<Chip> fastest_chip(const GravityWorkload& workload) {
  return loaded_chip(workload, fastest(), emulator::can_compile_loops() ? JitUse::always : JitUse::never);
}

void run(Chip& chip, const GravityWorkload& workload, unsigned live_pes = kPesPerBlock, unsigned blocks = 1) {
  chip.run_loop({kBlock, blocks}, {workload.stream(), live_pes});
}

/// Of one block.
double interactions(const GravityWorkload& workload) {
  return static_cast<double>(workload.stream().iterations()) * emulator::kParticlesPerRun;
}

void interaction_time(benchmark::State& state, HostIsa isa, JitUse jit) {
  const auto iterations = static_cast<unsigned>(state.range(0));
  const auto live_pes = static_cast<unsigned>(state.range(1));
  const auto blocks = static_cast<unsigned>(state.range(2));
  const GravityWorkload workload(iterations);
  const auto chip = loaded_chip(workload, isa, jit);
  run(*chip, workload, live_pes, blocks);
  for (auto _ : state) run(*chip, workload, live_pes, blocks);
  const double share = static_cast<double>(blocks * live_pes) / kPesPerBlock;
  state.counters["ns_per_interaction"] =
      benchmark::Counter(share * interactions(workload) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["us_per_iteration"] = benchmark::Counter(
      1e-6 * iterations * blocks, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// ---- R1 -------------------------------------------------------------------------------------------------------------

/// A floating-point word of any width, cut to a double.
double value_of(isa::LongWord word) { return std::bit_cast<double>(word.high); }

const isa::Variable& variable(const GravityWorkload& workload, isa::Transfer transfer, std::string_view name) {
  for (const isa::Variable* each : workload.program.variables_by(transfer)) {
    if (each->name == name) return *each;
  }
  throw Error(fmt::format("engine_bench: the gravity kernel has no variable {}", name));
}

DoubleSources sources_of(const GravityWorkload& workload) {
  const auto count = static_cast<std::size_t>(workload.stream().iterations());
  const auto values = [&](std::string_view name, unsigned element) {
    const unsigned field = variable(workload, isa::Transfer::elt, name).address / 2 + element;
    std::vector<double> all;
    for (std::size_t j = 0; j < count; ++j) {
      all.push_back(
          value_of(workload.records[(j * emulator::kBlocks + kBlock) * workload.program.record_words + field]));
    }
    return all;
  };
  DoubleSources sources{values("mj", 0), values("tj", 0), {}, {}, {}, {}, {}};
  for (unsigned k = 0; k < 3; ++k) {
    sources.x[k] = values("xj", k);
    sources.v[k] = values("vj", k);
    sources.a_by_2[k] = values("aby2", k);
    sources.jerk_by_6[k] = values("a1by6", k);
    sources.snap_by_18[k] = values("a2by18", k);
  }
  return sources;
}

/// An entry of a variable for all PEs: 128 doubles.
std::vector<double> entry(const Chip& chip, const isa::Variable& which, unsigned element) {
  const auto address = static_cast<std::uint16_t>(which.address + element * isa::kVectorElements * 2);
  std::vector<double> values;
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    for (const isa::LongWord word :
         chip.read_pe(kBlock, pe, {which.memory, address, which.width, isa::kVectorElements})) {
      values.push_back(value_of(word));
    }
  }
  return values;
}

DoubleTargets targets_of(const Chip& chip, const GravityWorkload& workload) {
  const auto values = [&](std::string_view name, unsigned element) {
    return entry(chip, variable(workload, isa::Transfer::hlt, name), element);
  };
  DoubleTargets targets;
  targets.eps2 = values("eps2", 0);
  targets.pot.resize(targets.eps2.size());
  for (unsigned k = 0; k < 3; ++k) {
    targets.x[k] = values("xi", k);
    targets.v[k] = values("vi", k);
    targets.acc[k].resize(targets.eps2.size());
    targets.jerk[k].resize(targets.eps2.size());
  }
  return targets;
}

/// Both compute the same forces, as far as the chip's single-precision products go.
void require_equal_forces(const Chip& chip, const GravityWorkload& workload, const DoubleTargets& targets) {
  const auto require = [&](std::string_view name, unsigned element, const std::vector<double>& ours) {
    const std::vector<double> chips = entry(chip, variable(workload, isa::Transfer::rrn, name), element);
    double scale = 0;
    double difference = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      scale = std::max(scale, std::abs(chips[i]));
      // Not std::max, which passes over NaN.
      const double here = std::abs(chips[i] - ours[i]);
      if (!std::isnan(difference) && !(here <= difference)) difference = here;
    }
    if (!(difference <= 1e-4 * scale)) {
      throw Error(fmt::format("R1: {}[{}] differs by {} of {}", name, element, difference, scale));
    }
  };
  require("pot", 0, targets.pot);
  for (unsigned k = 0; k < 3; ++k) {
    require("acc", k, targets.acc[k]);
    require("jerk", k, targets.jerk[k]);
  }
}

void exact_against_double(benchmark::State& state) {
  constexpr unsigned kRepetitions = 16;  // of the double kernel, to bring both sides to about the same time
  constexpr std::size_t kPeakRounds = 50'000;
  const GravityWorkload workload(256);
  const auto chip = fastest_chip(workload);
  const DoubleSources sources = sources_of(workload);
  DoubleTargets targets = targets_of(*chip, workload);
  DoublePredicted predicted{sources.x, sources.v};
  double peak_flops = 0;
  for (auto _ : state) {
    const Rounds rounds({[&] { run(*chip, workload); },
                         [&] {
                           for (unsigned n = 0; n < kRepetitions; ++n) double_gravity(sources, 0, predicted, targets);
                         },
                         [&] { peak_flops = fma_peak_work(kPeakRounds); }});
    require_equal_forces(*chip, workload, targets);
    const double exact = rounds.seconds(0) / interactions(workload);
    const double in_double = rounds.seconds(1) / (kRepetitions * interactions(workload));
    state.counters["R1_double_to_exact"] = kRepetitions * rounds.ratio(0, 1);
    state.counters["exact_ns_per_interaction"] = 1e9 * exact;
    state.counters["double_ns_per_interaction"] = 1e9 * in_double;
    state.counters["double_share_of_fma_peak"] =
        kDoubleFlops * kRepetitions * interactions(workload) / peak_flops * rounds.ratio(2, 1);
    state.counters["fma_peak_gflops"] = 1e-9 * peak_flops / rounds.seconds(2);
  }
}

/// The same kernel as a program of the board, in the host's doubles.
void native_against_double(benchmark::State& state) {
  constexpr unsigned kRepetitions = 2;
  const GravityWorkload workload(256);
  const auto chip =
      emulator::make_native_chip(fastest(), emulator::can_compile_loops() ? JitUse::always : JitUse::never);
  workload.load(*chip);
  const DoubleSources sources = sources_of(workload);
  DoubleTargets targets = targets_of(*chip, workload);
  DoublePredicted predicted{sources.x, sources.v};
  for (auto _ : state) {
    const Rounds rounds({[&] {
                           for (unsigned n = 0; n < kRepetitions; ++n) run(*chip, workload);
                         },
                         [&] {
                           for (unsigned n = 0; n < kRepetitions; ++n) double_gravity(sources, 0, predicted, targets);
                         }});
    require_equal_forces(*chip, workload, targets);
    state.counters["R12_native_to_double"] = rounds.ratio(0, 1);
    state.counters["native_ns_per_interaction"] = 1e9 * rounds.seconds(0) / (kRepetitions * interactions(workload));
  }
}

// ---- R3, R4, R6, R7, R8 ---------------------------------------------------------------------------------------------

void engine_against_naive(benchmark::State& state) {
  const GravityWorkload workload(8);
  const auto chip = fastest_chip(workload);
  const auto code = std::make_shared<const tests::NaiveCode>(workload.program, tests::Landing::at_once);
  tests::NaiveInterpreter naive(code, kBlock);
  workload.prepare([&](unsigned pe, const auto& where, auto words) { naive.write_pe(pe, where, words); },
                   [&](unsigned address, auto words) { naive.write_bm(address, words); });
  for (auto _ : state) {
    const Rounds rounds({[&] { run(*chip, workload); }, [&] { naive.run({workload.stream()}); }});
    for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
      for (const emulator::PeWords& where : workload.results()) {
        GDR_ASSERT(chip->read_pe(kBlock, pe, where) == naive.read_pe(pe, where), "both sides compute the same");
      }
    }
    const double operations = static_cast<double>(code->pe_operations_per_iteration() * workload.stream().iterations());
    state.counters["R3_naive_to_engine"] = rounds.ratio(1, 0);
    state.counters["engine_ns_per_pe_operation"] = 1e9 * rounds.seconds(0) / operations;
    state.counters["naive_ns_per_pe_operation"] = 1e9 * rounds.seconds(1) / operations;
  }
}

void engine_against_kernels(benchmark::State& state) {
  constexpr unsigned kIterations = 64;  // more, and waits for records from beyond the L2 cache would count as dispatch
  constexpr unsigned kRuns = 4;
  constexpr unsigned kRepetitions = 2048;  // reading the clock must not count
  const GravityWorkload workload(kIterations);
  const auto chip = loaded_chip(workload, fastest());
  BareKernels kernels(workload, fastest());
  run(*chip, workload);
  kernels.run(workload);
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    for (const emulator::PeWords& where : workload.results()) {
      const std::vector<isa::LongWord> words = chip->read_pe(kBlock, pe, where);
      for (unsigned n = 0; n < words.size(); ++n) {
        GDR_ASSERT(words[n] == kernels.result(pe, where, n), "the kernels, in order, do what the engine does");
      }
    }
  }
  for (auto _ : state) {
    std::vector<double> ratios;
    std::vector<double> engine;
    for (unsigned round = 0; round < kRounds; ++round) {
      const double start = now(Clock::cpu);
      for (unsigned n = 0; n < kRuns; ++n) run(*chip, workload);
      engine.push_back((now(Clock::cpu) - start) / (kRuns * kIterations));
      ratios.push_back(engine.back() / kernels.seconds_per_iteration(kRepetitions));
    }
    state.counters["R4_engine_to_kernels"] = median(std::move(ratios));
    state.counters["engine_us_per_iteration"] = 1e6 * median(std::move(engine));
  }
}

/// A program loaded and the forces of 1,024 particles on one chip, without and with the clocks that they take.
void timing_on_against_off(benchmark::State& state) {
  constexpr unsigned kRuns = 8;
  const GravityWorkload workload(kRuns * emulator::kParticlesPerRun / emulator::kBlocks);
  const emulator::MachineDescription machine = emulator::load_machine("model1800");
  const auto chip = emulator::make_simd_chip();
  const auto compute = [&] {
    workload.load(*chip);
    for (unsigned n = 0; n < kRuns; ++n) run(*chip, workload, kPesPerBlock, emulator::kBlocks);
  };
  std::uint64_t clocks = 0;
  const auto time = [&] {
    const emulator::Schedule schedule(workload.program, machine);
    for (unsigned n = 0; n < kRuns; ++n) clocks += schedule.run(workload.stream().records).total();
  };
  for (auto _ : state) {
    const Rounds rounds({compute,
                         [&] {
                           compute();
                           time();
                         },
                         time});
    benchmark::DoNotOptimize(clocks);
    state.counters["R6_on_to_off"] = rounds.ratio(1, 0);
    state.counters["schedule_us"] = 1e6 * rounds.seconds(2);
  }
}

void avx2_against_avx512(benchmark::State& state) {
  const GravityWorkload workload(64);
  const auto chip = [&](HostIsa isa) {
    return loaded_chip(workload, isa, emulator::can_compile_loops(isa) ? JitUse::always : JitUse::never);
  };
  const auto wide = chip(HostIsa::avx512);
  const auto narrow = chip(HostIsa::avx2);
  for (auto _ : state) {
    const Rounds rounds({[&] { run(*wide, workload); }, [&] { run(*narrow, workload); }});
    state.counters["R7_avx512_to_avx2"] = rounds.ratio(1, 0);
  }
}

/// Positions of few bits give ties, which the quick forms refuse.
void awkward_positions(benchmark::State& state) {
  const std::array workloads{GravityWorkload(64), GravityWorkload(64, Positions::lattice),
                             GravityWorkload(64, Positions::single_precision)};
  std::vector<std::unique_ptr<Chip>> chips;
  for (const GravityWorkload& workload : workloads) chips.push_back(fastest_chip(workload));
  const auto integers = [](const Chip& chip) {
    const emulator::FpLanes lanes = chip.fp_lanes(kBlock);
    return static_cast<double>(lanes.slow) / static_cast<double>(lanes.all);
  };
  for (auto _ : state) {
    const Rounds rounds({[&] { run(*chips[0], workloads[0]); }, [&] { run(*chips[1], workloads[1]); },
                         [&] { run(*chips[2], workloads[2]); }});
    state.counters["R10_lattice"] = rounds.ratio(1, 0);
    state.counters["R10_single_precision"] = rounds.ratio(2, 0);
    state.counters["lattice_in_integers"] = integers(*chips[1]);
    state.counters["single_precision_in_integers"] = integers(*chips[2]);
  }
}

void load_time(benchmark::State& state) {
  GravityWorkload workload(1);
  std::vector<isa::Step>& body = workload.program.steps(isa::Section::loop_body);
  const auto once = body;
  while (body.size() < 1000) body.insert(body.end(), once.begin(), once.end());
  body.resize(1000);
  const std::vector<isa::ProgramLine> lines = workload.program.lines(isa::Section::loop_body);
  const auto chip = emulator::make_simd_chip();
  for (auto _ : state) {
    const Rounds rounds({[&] { chip->load(workload.program); },
                         [&] {
                           for (const isa::ProgramLine& line : lines) benchmark::DoNotOptimize(isa::decode(line.word));
                         }});
    state.counters["R8_load_ms"] = 1e3 * rounds.seconds(0);
    state.counters["words_decode_ms"] = 1e3 * rounds.seconds(1);
  }
}

/// The first run of a program less another one: what it takes to have compiled code, by LLVM and from the cache.
/// Wall clock, since two threads compile.
void compile_time(benchmark::State& state) {
  const GravityWorkload workload(8);
  const auto seconds_of_code = [&] {
    const auto chip = emulator::make_simd_chip(fastest(), JitUse::always);
    workload.load(*chip);
    const auto seconds = [&] {
      const double start = now(Clock::wall);
      run(*chip, workload);
      return now(Clock::wall) - start;
    };
    const double first = seconds();
    return first - seconds();
  };
  std::string folder = (std::filesystem::temp_directory_path() / "engine_bench_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return state.SkipWithError("no folder for compiled code");
  setenv("GDR_CACHE_DIR", folder.c_str(), 1);
  std::vector<double> compiling;
  std::vector<double> cached;
  for (auto _ : state) {
    for (unsigned round = 0; round < kRounds; ++round) {
      for (const auto& entry : std::filesystem::directory_iterator(folder)) std::filesystem::remove(entry);
      compiling.push_back(seconds_of_code());
      cached.push_back(seconds_of_code());
    }
  }
  unsetenv("GDR_CACHE_DIR");
  std::filesystem::remove_all(folder);
  state.counters["compile_ms"] = 1e3 * median(compiling);
  state.counters["cached_ms"] = 1e3 * median(cached);
}

void register_all() {
  const auto once = [](const char* name, auto function) {
    benchmark::RegisterBenchmark(name, function)->Iterations(1)->Unit(benchmark::kMillisecond);
  };
  if (has_double_gravity()) once("R1/exact_against_double", exact_against_double);
  if (has_double_gravity()) once("R12/native_against_double", native_against_double);
  once("R3/engine_against_naive", engine_against_naive);
  once("R4/engine_against_kernels", engine_against_kernels);
  once("R5/two_threads_against_one", two_threads_against_one);
  once("R6/timing_on_against_off", timing_on_against_off);
  if (has(HostIsa::avx2) && has(HostIsa::avx512)) once("R7/avx2_against_avx512", avx2_against_avx512);
  once("R8/load_1000_lines", load_time);
  if (emulator::can_compile_loops()) once("R8/compiled_code", compile_time);
  once("R9/equal_hashes", equal_hashes);
  once("R10/awkward_positions", awkward_positions);
  const auto interaction = [](std::string_view name, HostIsa isa, JitUse jit) {
    benchmark::RegisterBenchmark(fmt::format("interaction/{}", name).c_str(), interaction_time, isa, jit)
        ->ArgNames({"iterations", "live_pes", "blocks"})
        ->Args({64, 32, 1})
        ->Args({64, 8, 1})
        ->Args({64, 32, 4})
        ->Args({64, 8, 4})
        ->Args({4, 8, 4})
        ->MinTime(0.2);
  };
  for (const HostIsa isa : emulator::available_host_isas()) interaction(emulator::name_of(isa), isa, JitUse::never);
  for (const HostIsa isa : emulator::available_host_isas()) {
    if (emulator::can_compile_loops(isa)) {
      interaction(fmt::format("{}, compiled", emulator::name_of(isa)), isa, JitUse::always);
    }
  }
}

}  // namespace
}  // namespace gdr::bench

int main(int argc, char** argv) {
  const std::string processor = gdr::base::processor_name();
  benchmark::AddCustomContext("cpu", processor.empty() ? "unknown" : processor);
  benchmark::AddCustomContext("compiler", GDR_COMPILER);
  benchmark::AddCustomContext("preset", GDR_PRESET);
  gdr::bench::register_all();
  return gdr::bench::run_benchmarks(argc, argv);
}
