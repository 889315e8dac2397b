// Speed of exact matrix products on the emulated board against OpenBLAS, both on one thread, rounds interleaved.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <stdexcept>
#include <vector>

#include "gdr/hostlib/dgemm.h"

namespace gdr::bench {
namespace {

constexpr unsigned kRounds = 15;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double seconds_of(Work work) {
  const double begin = cpu_seconds();
  work();
  return cpu_seconds() - begin;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

using HostDgemm = void (*)(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
                           const int*, const double*, const int*, const double*, double*, const int*);

/// OpenBLAS's dgemm_, on one thread.
HostDgemm openblas() {
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error("OpenBLAS (libopenblas.so.0) is not installed");
  reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"))(1);
  return reinterpret_cast<HostDgemm>(dlsym(library, "dgemm_"));
}

void dgemm_against_openblas(benchmark::State& state, DgemmPrecision precision) {
  // A ring of four chips, full depth: what the paper's unit of work does, 64 turns of it.
  constexpr int m = 256;
  constexpr int n = 128;
  constexpr int k = 2048;
  constexpr int kHostSize = 1024;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  std::vector<double> a(kHostSize * kHostSize);
  std::vector<double> b(kHostSize * kHostSize);
  std::vector<double> c(kHostSize * kHostSize);
  for (double& value : a) value = uniform(random);
  for (double& value : b) value = uniform(random);
  DeviceOptions options;
  options.threads = 1;
  BoardDgemm board(options, dgemm_program(precision));
  const HostDgemm host = openblas();
  const double one = 1;
  const double zero = 0;
  for (auto _ : state) {
    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<double> ratios;
    for (unsigned round = 0; round < kRounds; ++round) {
      const double flops = 2.0 * m * n * k;
      const double our_time =
          seconds_of([&] { benchmark::DoNotOptimize(board.multiply(m, n, k, {a.data(), 1, m}, {b.data(), 1, k})); });
      const double their_time = seconds_of([&] {
        host("N", "N", &kHostSize, &kHostSize, &kHostSize, &one, a.data(), &kHostSize, b.data(), &kHostSize, &zero,
             c.data(), &kHostSize);
      });
      ours.push_back(flops / our_time * 1e-9);
      theirs.push_back(2.0 * kHostSize * kHostSize * kHostSize / their_time * 1e-9);
      ratios.push_back(theirs.back() / ours.back());
    }
    state.counters["gflops"] = median(ours);
    state.counters["openblas_gflops"] = median(theirs);
    state.counters["R2_openblas_to_exact"] = median(ratios);
  }
}

}  // namespace
}  // namespace gdr::bench

int main(int argc, char** argv) {
  using namespace gdr;
  using namespace gdr::bench;
  for (const DgemmPrecision precision : {DgemmPrecision::paper, DgemmPrecision::full}) {
    benchmark::RegisterBenchmark(fmt::format("R2/{}", name_of(precision)).c_str(), dgemm_against_openblas, precision)
        ->Iterations(1);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
