// The engine opencl against the vector engine without compiled bodies, on gravity with jerk. Where OpenCL's device is
// the host, as with pocl, both have all of its cores. Wall clock, both sides in turn in one process.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "gdr/base/error.h"
#include "gdr/emulator/block_stepper.h"
#include "gdr/emulator/host_isa.h"
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

/// The workload on a board's chips.
class Side {
 public:
  Side(std::unique_ptr<Engine> engine, const GravityWorkload& workload, std::shared_ptr<emulator::ThreadPool> threads)
      : engine_(std::move(engine)) {
    emulator::SessionOptions options;
    options.chips = kChips;
    options.memory_words = workload.records.size();
    options.threads = std::move(threads);
    session_ = engine_->open(engine_->lower(workload.program), options);
    const auto chip = emulator::make_simd_chip();
    workload.load(*chip);
    const std::size_t fields = workload.program.record_fields(isa::Transfer::rrn);
    for (unsigned n = 0; n < kChips; ++n) {
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
    for (unsigned n = 0; n < kChips; ++n) ticket = session_->collect(n, emulator::kParticlesPerRun, results_[n]);
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
  }
  return gdr::bench::run_benchmarks(argc, argv);
}
