// Random histories on the engines of this process, for `gdr selftest --histories` and for authors of engines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gdr/selftest/history_run.h"

namespace gdr::selftest {

/// A history that shows a difference, made as small as it could be.
struct HistoryFinding {
  History history;
  HistoryDifference difference;
};
/// The history as `gdr selftest --history` reads it, with the difference in comments.
[[nodiscard]] std::string text_of(const HistoryFinding& finding);

/// Engines by name, each with the one that it is compared with; none: all exact ones, and compiled loop bodies of the
/// engine native with its interpreter. `simd` stands for each of its instruction sets and for both kinds of code.
/// Throws gdr::Error as SelfTest does.
[[nodiscard]] std::vector<HistoryPair> history_pairs(const std::vector<std::string>& engines = {});

/// Runs histories, each on the pair of engines whose turn it is.
class Histories {
 public:
  explicit Histories(std::vector<HistoryPair> pairs, HistoryShape shape = {});

  /// The history of this seed, with an engine.
  [[nodiscard]] History history(std::uint64_t seed) const;
  /// Runs the history of this seed. A difference is made small.
  [[nodiscard]] std::optional<HistoryFinding> run(std::uint64_t seed);
  /// Runs a history as it is. Throws gdr::Error, listing the engines, if it names another one.
  [[nodiscard]] std::optional<HistoryDifference> run(const History& history);

  [[nodiscard]] const std::vector<HistoryPair>& pairs() const { return pairs_; }
  /// Of all histories so far, without those that were made smaller.
  [[nodiscard]] const HistoryCounts& counts() const { return counts_; }

 private:
  [[nodiscard]] const HistoryPair& pair(const std::string& name) const;

  std::vector<HistoryPair> pairs_;
  HistoryShape shape_;
  HistoryCounts counts_;
};

}  // namespace gdr::selftest
