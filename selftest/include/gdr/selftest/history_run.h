// Runs histories on two engines, and compares them after every command that returns words.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gdr/selftest/comparison.h"
#include "gdr/selftest/history.h"
#include "gdr/selftest/history_face.h"

namespace gdr::selftest {

/// An engine and the one that is taken to be right.
struct HistoryPair {
  std::string name;  // of the engine that is tested: "simd (avx2, compiled)"
  HistoryEngine expected;
  HistoryEngine found;
  unsigned share = 1;  // of the histories: one of `share` 2 gets twice as many as one of `share` 1
};

/// What a batch of histories has done, so that a test can require that it came everywhere.
struct HistoryCounts {
  std::array<std::uint64_t, kAsks> asked{};  // commands that had an effect, by Ask
  std::uint64_t same_runs = 0;      // as many live PEs and the same blocks as in the run before, nobody looked between
  std::uint64_t shorter_runs = 0;   // not all blocks have a record, after a run in which they had
  std::uint64_t crossing_runs = 0;  // other blocks, live PEs or last blocks than in the run before, nobody looked
  std::uint64_t pieces = 0;         // runs in several pieces
  std::uint64_t parts = 0;          // runs whose blocks are divided
  std::uint64_t growing_runs = 0;   // PEs are live again that were not in an earlier run
  std::uint64_t collects_after_runs = 0;  // the command before is a run
  std::uint64_t looks_after_runs = 0;
  std::uint64_t faults = 0;
  std::uint64_t words = 0;  // words that were compared
  HistoryCounts& operator+=(const HistoryCounts& other);
};
/// `run 1234, collect 567, ...`, one line.
[[nodiscard]] std::string text_of(const HistoryCounts& counts);

/// A difference, and the index of the command that showed it.
struct HistoryDifference {
  std::size_t command = 0;
  Difference difference;
};

/// Runs a history. Adds to `counts`. Errors of one engine alone are differences.
[[nodiscard]] std::optional<HistoryDifference> run_history(const History& history, const HistoryPair& engines,
                                                           HistoryCounts& counts);

}  // namespace gdr::selftest
