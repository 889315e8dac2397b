// Benchmarks of whole chips and boards: threads (R5), and the same results whatever computes them (R9).
#pragma once

#include <benchmark/benchmark.h>

namespace gdr::bench {

/// Wall clock, since that is what a second thread is for.
void two_threads_against_one(benchmark::State& state);

/// Skips with an error where results differ.
void equal_hashes(benchmark::State& state);

}  // namespace gdr::bench
