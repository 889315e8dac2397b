// How long a checkpoint takes, and what of it is the disk: the same bytes written durably without being put together.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>

#include "gdr/base/file.h"
#include "gdr/hostlib/checkpoint.h"
#include "gdr/hostlib/plummer.h"

namespace {

namespace hostlib = gdr::hostlib;

/// A state of n particles; what their forces are does not matter here.
hostlib::Checkpoint checkpoint_of(std::size_t n) {
  hostlib::Checkpoint checkpoint;
  checkpoint.state.counters.block_sizes.assign(n + 1, 0);
  const hostlib::Particles sphere = hostlib::make_plummer(n, 1);
  for (std::size_t k = 0; k < n; ++k) {
    hostlib::HermiteBody body;
    body.id = sphere.id[k];
    body.mass = sphere.mass[k];
    body.dt = hostlib::Ticks{1} << 30;
    body.x = sphere.position[k];
    body.v = sphere.velocity[k];
    checkpoint.state.bodies.push_back(body);
  }
  checkpoint.context = std::string(2000, ' ');  // about what a run tells of itself
  return checkpoint;
}

/// In the folder in which the benchmark is started, whose disk is measured.
class Folder {
 public:
  Folder() { std::filesystem::create_directory(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_ = std::filesystem::current_path() / "checkpoint_bench.scratch";
};

void write_checkpoint(benchmark::State& state) {
  const Folder folder;
  const hostlib::Checkpoint checkpoint = checkpoint_of(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) hostlib::write_checkpoint(folder / "ck", checkpoint);
  state.counters["bytes"] = static_cast<double>(std::filesystem::file_size(folder / "ck"));
}

void write_bytes(benchmark::State& state) {
  const Folder folder;
  hostlib::write_checkpoint(folder / "ck", checkpoint_of(static_cast<std::size_t>(state.range(0))));
  const std::string bytes = gdr::base::read_file(folder / "ck");
  for (auto _ : state) gdr::base::write_file(folder / "bytes", bytes);
}

constexpr int kRounds = 15;

}  // namespace

BENCHMARK(write_checkpoint)
    ->Arg(1024)
    ->Arg(16384)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5)
    ->Repetitions(kRounds)
    ->ReportAggregatesOnly();
BENCHMARK(write_bytes)
    ->Arg(1024)
    ->Arg(16384)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5)
    ->Repetitions(kRounds)
    ->ReportAggregatesOnly();

BENCHMARK_MAIN();
