// The vector engine on gravity: time per interaction, against the naive interpreter (R3), against its own kernels run
// bare (R4), and on one instruction set of the host against another (R7). Both sides of a ratio run in turn in one
// process; the median of the rounds' ratios of CPU time is printed.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <functional>

#include "gdr/emulator/host_isa.h"
#include "gravity_workload.h"
#include "naive_interpreter.h"

namespace gdr::bench {
namespace {

using emulator::Chip;
using emulator::HostIsa;

constexpr unsigned kRounds = 21;
constexpr unsigned kBlock = 0;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const std::function<void()>& work) {
  const double start = cpu_seconds();
  work();
  return cpu_seconds() - start;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Comparison {
  double first;  // median seconds
  double second;
  double ratio;  // median of second / first, round by round
};

Comparison compare(const std::function<void()>& first, const std::function<void()>& second) {
  first();
  second();
  std::vector<double> of_first;
  std::vector<double> of_second;
  std::vector<double> ratios;
  for (unsigned round = 0; round < kRounds; ++round) {
    of_first.push_back(seconds_of(first));
    of_second.push_back(seconds_of(second));
    ratios.push_back(of_second.back() / of_first.back());
  }
  return {median(of_first), median(of_second), median(ratios)};
}

std::unique_ptr<Chip> loaded_chip(const GravityWorkload& workload, HostIsa isa) {
  auto chip = emulator::make_simd_chip(isa);
  chip->load(workload.program);
  for (unsigned block = 0; block < emulator::kBlocks; ++block) {
    workload.prepare([&](unsigned pe, const auto& where, auto words) { chip->write_pe(block, pe, where, words); },
                     [&](unsigned address, auto words) { chip->write_bm(block, address, words); });
  }
  return chip;
}

void run(Chip& chip, const GravityWorkload& workload, unsigned live_pes = emulator::kPesPerBlock, unsigned blocks = 1) {
  chip.run_loop({kBlock, blocks}, {workload.stream(), live_pes});
}

double interactions(const GravityWorkload& workload) {
  return static_cast<double>(workload.stream().iterations()) * emulator::kParticlesPerRun;
}

void require_equal_results(const Chip& chip, const NaiveInterpreter& naive, const GravityWorkload& workload) {
  for (unsigned pe = 0; pe < emulator::kPesPerBlock; ++pe) {
    for (const emulator::PeWords& where : workload.results()) {
      GDR_ASSERT(chip.read_pe(kBlock, pe, where) == naive.read_pe(pe, where), "both sides compute the same");
    }
  }
}

void interaction_time(benchmark::State& state, HostIsa isa) {
  const auto iterations = static_cast<unsigned>(state.range(0));
  const auto live_pes = static_cast<unsigned>(state.range(1));
  const GravityWorkload workload(iterations);
  const auto chip = loaded_chip(workload, isa);
  const auto blocks = static_cast<unsigned>(state.range(2));
  for (auto _ : state) run(*chip, workload, live_pes, blocks);
  const double share = static_cast<double>(blocks * live_pes) / emulator::kPesPerBlock;
  state.counters["ns_per_interaction"] =
      benchmark::Counter(share * interactions(workload) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["us_per_iteration"] = benchmark::Counter(
      1e-6 * iterations * blocks, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void engine_against_naive(benchmark::State& state) {
  const GravityWorkload workload(8);
  const auto chip = loaded_chip(workload, emulator::available_host_isas().back());
  NaiveInterpreter naive(workload.program);
  workload.prepare([&](unsigned pe, const auto& where, auto words) { naive.write_pe(pe, where, words); },
                   [&](unsigned address, auto words) { naive.write_bm(address, words); });
  for (auto _ : state) {
    const Comparison result = compare([&] { run(*chip, workload); }, [&] { naive.run(workload.stream()); });
    require_equal_results(*chip, naive, workload);
    const double operations = static_cast<double>(naive.pe_operations_per_iteration() * workload.stream().iterations());
    state.counters["R3_naive_to_engine"] = result.ratio;
    state.counters["engine_ns_per_pe_operation"] = 1e9 * result.first / operations;
    state.counters["naive_ns_per_pe_operation"] = 1e9 * result.second / operations;
  }
}

void avx2_against_avx512(benchmark::State& state) {
  const GravityWorkload workload(64);
  const auto wide = loaded_chip(workload, HostIsa::avx512);
  const auto narrow = loaded_chip(workload, HostIsa::avx2);
  for (auto _ : state) {
    const Comparison result = compare([&] { run(*wide, workload); }, [&] { run(*narrow, workload); });
    state.counters["R7_avx512_to_avx2_speed"] = 1 / result.ratio;
  }
}

void load_time(benchmark::State& state) {
  GravityWorkload workload(1);
  auto& body = workload.program.sections[static_cast<std::size_t>(isa::Section::loop_body)];
  const auto once = body;
  while (body.size() < 1000) body.insert(body.end(), once.begin(), once.end());
  const auto chip = emulator::make_simd_chip();
  for (auto _ : state) chip->load(workload.program);
  state.counters["lines"] = static_cast<double>(body.size());
}

bool has(HostIsa isa) {
  const auto available = emulator::available_host_isas();
  return std::find(available.begin(), available.end(), isa) != available.end();
}

}  // namespace
}  // namespace gdr::bench

int main(int argc, char** argv) {
  using namespace gdr;
  using namespace gdr::bench;
  for (const emulator::HostIsa isa : emulator::available_host_isas()) {
    benchmark::RegisterBenchmark(fmt::format("interaction/{}", emulator::name_of(isa)).c_str(), interaction_time, isa)
        ->ArgNames({"iterations", "live_pes", "blocks"})
        ->Args({64, 32, 1})
        ->Args({64, 8, 1})
        ->Args({64, 32, 4})
        ->Args({64, 8, 4})
        ->Args({4, 8, 4});
  }
  benchmark::RegisterBenchmark("R3/engine_against_naive", engine_against_naive)->Iterations(1);
  if (has(emulator::HostIsa::avx2) && has(emulator::HostIsa::avx512)) {
    benchmark::RegisterBenchmark("R7/avx2_against_avx512", avx2_against_avx512)->Iterations(1);
  }
  benchmark::RegisterBenchmark("R8/load_1000_lines", load_time)->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
