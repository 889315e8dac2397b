// The engine opencl on gravity with jerk, in wall clock. It runs against the vector engine without compiled bodies,
// both sides in turn in one process; where OpenCL's device is the host, as with pocl, both have all of its cores. And
// it runs boards side by side, against the time that the chips' clock gives them.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "gdr/base/error.h"
#include "gdr/emulator/block_stepper.h"
#include "gdr/emulator/host_isa.h"
#include "gdr/emulator/machine.h"
#include "gdr/emulator/opencl.h"
#include "gdr/emulator/session.h"
#include "gdr/emulator/thread_pool.h"
#include "gravity_workload.h"
#include "measure.h"

namespace gdr::bench {
namespace {

using emulator::Engine;
using emulator::JitUse;
using emulator::Session;

constexpr unsigned kChips = 4;  // of a board

/// The workload on the chips of boards.
class Side {
 public:
  Side(std::unique_ptr<Engine> engine, const GravityWorkload& workload, std::shared_ptr<emulator::ThreadPool> threads,
       unsigned boards = 1)
      : engine_(std::move(engine)) {
    emulator::SessionOptions options;
    options.chips = boards * kChips;
    options.memory_words = workload.records.size();
    options.threads = std::move(threads);
    session_ = engine_->open(engine_->lower(workload.program), options);
    const auto chip = emulator::make_simd_chip();
    workload.load(*chip);
    const std::size_t fields = workload.program.record_fields(isa::Transfer::rrn);
    for (unsigned n = 0; n < options.chips; ++n) {
      session_->write_memory(n, 0, workload.records);
      for (unsigned block = 0; block < emulator::kBlocks; ++block) {
        session_->set_state(n, block, emulator::state_of(*chip, block));
      }
      emulator::Piece& piece = pieces_.emplace_back();
      piece.chip = n;
      piece.records = workload.stream().records;
      results_.emplace_back(emulator::kParticlesPerRun * fields);
    }
  }

  void run() {
    emulator::Ticket ticket = session_->run(pieces_);
    for (unsigned n = 0; n < results_.size(); ++n) {
      ticket = session_->collect(n, emulator::kParticlesPerRun, results_[n]);
    }
    session_->wait(ticket);
  }
  [[nodiscard]] const std::vector<std::vector<isa::LongWord>>& results() const { return results_; }

 private:
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Session> session_;
  std::vector<emulator::Piece> pieces_;
  std::vector<std::vector<isa::LongWord>> results_;
};

void opencl_to_simd(benchmark::State& state) {
  const GravityWorkload workload(static_cast<unsigned>(state.range(0)));
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  Side simd(
      emulator::make_chip_engine([] { return emulator::make_simd_chip(emulator::default_host_isa(), JitUse::never); }),
      workload, std::make_shared<emulator::ThreadPool>(cores));
  Side opencl(emulator::make_engine(Engine::opencl), workload, nullptr);
  const double interactions = static_cast<double>(workload.stream().records) * kChips * emulator::kParticlesPerRun;
  for (auto _ : state) {
    const Rounds rounds({[&] { simd.run(); }, [&] { opencl.run(); }}, kRounds, Clock::wall);
    if (simd.results() != opencl.results()) state.SkipWithError("the engines differ");
    state.counters["R11_opencl_to_simd"] = rounds.ratio(0, 1);  // speeds
    state.counters["simd_ns_per_interaction"] = 1e9 * rounds.seconds(0) / interactions;
    state.counters["opencl_ns_per_interaction"] = 1e9 * rounds.seconds(1) / interactions;
  }
}

/// Each chip runs as many iterations as if its board had 65,536 j-particles.
void boards_to_real_time(benchmark::State& state) {
  constexpr unsigned kIterations = 65536 / (kChips * emulator::kBlocks);
  constexpr unsigned kFewRounds = 5;
  const auto boards = static_cast<unsigned>(state.range(0));
  const GravityWorkload workload(kIterations);
  Side opencl(emulator::make_engine(Engine::opencl), workload, nullptr, boards);
  const auto lines = static_cast<double>(workload.program.lines(isa::Section::loop_body).size());
  const double clock = 1e6 * emulator::load_machine("model1800").clock_mhz;
  const double chip_seconds = kIterations * lines * isa::kClocksPerLine / clock;  // without stalls
  for (auto _ : state) {
    const double seconds = Rounds({[&] { opencl.run(); }}, kFewRounds, Clock::wall).seconds(0);
    state.counters["interactions_per_second"] =
        static_cast<double>(workload.stream().records) * kChips * boards * emulator::kParticlesPerRun / seconds;
    state.counters["speed_of_each_board"] = chip_seconds / seconds;
    state.counters["boards_in_real_time"] = boards * chip_seconds / seconds;
  }
}

bool is_gpu() { return emulator::opencl_devices()[emulator::choose_opencl_device({})].kind == "GPU"; }

bool has_device() {
  try {
    (void)emulator::choose_opencl_device({});
    return true;
  } catch (const Error& why) {
    fmt::print(stderr, "opencl_bench measures nothing: {}\n", why.what());
    return false;
  }
}

}  // namespace
}  // namespace gdr::bench

int main(int argc, char** argv) {
  if (gdr::bench::has_device()) {
    benchmark::RegisterBenchmark("R11_opencl_to_simd", gdr::bench::opencl_to_simd)
        ->Arg(512)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
    const unsigned most_boards = gdr::bench::is_gpu() ? 64 : 1;
    benchmark::RegisterBenchmark("boards_to_real_time", gdr::bench::boards_to_real_time)
        ->RangeMultiplier(4)
        ->Range(1, most_boards)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  return gdr::bench::run_benchmarks(argc, argv);
}
